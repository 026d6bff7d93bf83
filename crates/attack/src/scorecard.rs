//! One scorecard of all attacks, in the terms of the opinion on anonymisation techniques
//! [WP29 2014], with attribution probabilities [Elliot 2014; Taub 2018].

use std::fmt::Write;

use serde::Serialize;
use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Criterion, Finding, Skipped, all, unmet};
use crate::rate::Rate;
use crate::scene::Scene;

/// What all attacks found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Scorecard {
    /// Singling out, linkability and inference.
    pub criteria: Vec<Score>,
    /// Attribution probabilities, per sensitive column.
    pub attribution: Vec<Attribution>,
    /// What the attacks found.
    pub attacks: Vec<Finding>,
    /// Attacks that were not run.
    pub skipped: Vec<Skipped>,
}

/// One of the three risks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Score {
    /// Which.
    pub criterion: Criterion,
    /// The attack with the greatest risk above its control; none if none was run.
    pub worst: Option<Finding>,
    /// Attacks that succeed more often than their control, beyond chance.
    pub succeeding: Vec<&'static str>,
}

/// How surely the sensitive value of a target follows from the release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attribution {
    /// The sensitive column.
    pub column: String,
    /// Correct attribution probability: the mean share of the target's value among the rows that
    /// can be the target's.
    pub cap: f64,
    /// The same by the distribution of the whole release.
    pub baseline: f64,
    /// Targeted: among targets whose rows all have one value, how often it is theirs.
    pub tcap: Rate,
}

/// Runs all attacks whose needs are met.
///
/// # Errors
/// [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked to stop.
pub fn scorecard(scene: &Scene, watch: &Watch) -> Result<Scorecard> {
    let (mut attacks, mut skipped) = (Vec::new(), Vec::new());
    for attack in all() {
        watch.check()?;
        match unmet(attack, scene) {
            Some(reason) => skipped.push(Skipped { attack: attack.name(), reason }),
            None => attacks.extend(attack.run(scene, watch)?),
        }
    }
    let score = |criterion: Criterion| {
        let of: Vec<&Finding> = attacks.iter().filter(|found| found.criterion == criterion).collect();
        let worst = of.iter().max_by(|a, b| a.risk.value.total_cmp(&b.risk.value));
        let mut succeeding: Vec<&'static str> =
            of.iter().filter(|found| found.succeeds()).map(|found| found.attack).collect();
        succeeding.dedup();
        Score { criterion, worst: worst.map(|found| (*found).clone()), succeeding }
    };
    let criteria = Criterion::ALL.map(score).to_vec();
    Ok(Scorecard { criteria, attribution: attribution(scene)?, attacks, skipped })
}

fn attribution(scene: &Scene) -> Result<Vec<Attribution>> {
    let Some(targets) = &scene.targets else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for &column in &scene.sensitive {
        let histograms = scene.view.histograms(&scene.view.values[column]);
        let (mut cap, mut baseline) = (0.0, 0.0);
        let (mut uniform, mut right) = (0, 0);
        for group in 0..targets.groups.len() {
            let values = histograms.merged(targets.classes(group));
            let rows: u32 = values.iter().map(|entry| entry.1).sum();
            for &target in targets.groups.rows(group) {
                let own = targets.values[column][target as usize];
                let count = values.iter().find(|entry| entry.0 == own).map_or(0, |entry| entry.1);
                cap += f64::from(count) / f64::from(rows.max(1));
                baseline += scene.shares[column].get(own as usize).copied().unwrap_or(0.0);
                uniform += u64::from(values.len() == 1);
                right += u64::from(values.len() == 1 && count > 0);
            }
        }
        let n = targets.len().max(1) as f64;
        all.push(Attribution {
            column: scene.roles.sensitive[column].clone(),
            cap: cap / n,
            baseline: baseline / n,
            tcap: Rate::new(right, uniform),
        });
    }
    Ok(all)
}

/// Findings as a table of text.
pub fn findings_text(findings: &[Finding]) -> String {
    let mut text = format!(
        "{:<14} {:<22} {:>9} {:>9} {:>22} {:>22} {:>26}\n",
        "attack",
        "column",
        "targets",
        "succeed",
        "rate (95 %)",
        "control (95 %)",
        "risk above control (95 %)"
    );
    let percent = |rate: &Rate| {
        format!("{:.2} % ({:.2}–{:.2})", 100.0 * rate.rate, 100.0 * rate.low, 100.0 * rate.high)
    };
    for found in findings {
        let risk = &found.risk;
        let risk =
            format!("{:.2} % ({:.2} to {:.2})", 100.0 * risk.value, 100.0 * risk.low, 100.0 * risk.high);
        let _ = writeln!(
            text,
            "{:<14} {:<22} {:>9} {:>9} {:>22} {:>22} {:>26}",
            found.attack,
            found.detail(),
            found.success.targets,
            found.success.successes,
            percent(&found.success),
            percent(&found.control),
            risk
        );
    }
    text
}

/// The scorecard as text.
pub fn text(card: &Scorecard) -> String {
    let mut text = String::new();
    for score in &card.criteria {
        let verdict = match (&score.worst, score.succeeding.is_empty()) {
            (None, _) => "not attacked".to_owned(),
            (Some(_), true) => "no attack succeeds more often than its control".to_owned(),
            (Some(_), false) => format!("SUCCEEDS: {}", score.succeeding.join(", ")),
        };
        let _ = writeln!(text, "{:<13} {verdict}", score.criterion.name());
    }
    let _ = write!(text, "\n{}", findings_text(&card.attacks));
    for found in &card.attribution {
        let _ = writeln!(
            text,
            "\nAttribution of {}: CAP {:.4} (by the whole release: {:.4}), TCAP {:.4} ({} targets in classes of one value)",
            found.column, found.cap, found.baseline, found.tcap.rate, found.tcap.targets
        );
    }
    for skipped in &card.skipped {
        let _ = writeln!(text, "\nNot run: {} {}", skipped.attack, skipped.reason);
    }
    text
}
