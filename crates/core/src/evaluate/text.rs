//! An evaluation as text for a terminal.

use std::fmt::Write;

use super::metrics::Scores;
use super::{DIRECT, Evaluation, MIDDLE, ModelScores, SettingResult};
use crate::suggest::Status;

/// Measures that are listed.
const LISTED: usize = 12;

/// An evaluation as text.
pub fn evaluation_text(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail, hence the ignored results.
    let _ = writeln!(text, "{}", headline(evaluation));
    original(evaluation, &mut text);
    settings(evaluation, &mut text);
    correlations(evaluation, &mut text);
    groups(evaluation, &mut text);
    selection(evaluation, &mut text);
    if !evaluation.finished {
        text += "\nStopped early: settings or models that were planned are missing.\n";
    }
    text
}

/// What was done, in a sentence.
pub(crate) fn headline(evaluation: &Evaluation) -> String {
    let what = match evaluation.classes.len() {
        0 => "numbers".to_owned(),
        classes => format!("{classes} classes"),
    };
    let of = if evaluation.people { "rows of held-out people" } else { "held-out rows" };
    let repeats = match evaluation.repeats {
        1 => String::new(),
        n => format!(", mean of {n} divisions"),
    };
    format!(
        "Prediction of {} ({what}) from {}: learned from {} rows, tested on {} {of} as they were{repeats}",
        evaluation.target,
        evaluation.features.join(", "),
        integer(evaluation.training),
        integer(evaluation.held_out)
    )
}

fn original(evaluation: &Evaluation, text: &mut String) {
    let classes = !evaluation.classes.is_empty();
    let heads: &[&str] =
        if classes { &["AUC", "accuracy", "Brier", "calibration"] } else { &["R²", "RMSE"] };
    let _ = write!(text, "\nlearned from the original   ");
    heads.iter().for_each(|head| {
        let _ = write!(text, "{head:>12}");
    });
    text.push('\n');
    let mut line = |name: &str, scores: &Scores| {
        let _ = write!(text, "  {name:<26}");
        let cells = match classes {
            true => vec![scores.auc, scores.accuracy, scores.brier, scores.calibration_error],
            false => vec![scores.r2, scores.rmse],
        };
        cells.iter().for_each(|cell| {
            let _ = write!(text, "{:>12}", shown(*cell));
        });
        text.push('\n');
    };
    line("nothing learned", &evaluation.baseline);
    evaluation.original.iter().for_each(|model| line(model.model.name(), &model.scores));
}

fn settings(evaluation: &Evaluation, text: &mut String) {
    let name = if evaluation.classes.is_empty() { "R²" } else { "AUC" };
    let _ = writeln!(text, "\n{name} learned from releases, cells read directly / by their middle");
    let _ = write!(text, "  {:<14}{:>5}{:>12}{:>8}", "method", "k", "suppressed", "lm");
    for model in &evaluation.original {
        let _ = write!(text, "{:>16}", model.model.name());
    }
    text.push('\n');
    for setting in &evaluation.settings {
        let k = setting.k.map_or("–".to_owned(), |k| k.to_string());
        let _ = write!(text, "  {:<14}{k:>5}", setting.method);
        if setting.status != Status::Solved {
            let _ = writeln!(text, "  {}", setting.reason.as_deref().unwrap_or("no release"));
            continue;
        }
        let lm = setting.losses.get("lm").copied();
        let _ = write!(text, "{:>12}{:>8}", integer(setting.suppressed), shown(lm));
        for model in &evaluation.original {
            let of = |reading: &str| {
                let is = |m: &&ModelScores| m.model == model.model && m.reading == reading;
                setting.models.iter().find(is).and_then(|m| m.scores.auc.or(m.scores.r2))
            };
            let _ = write!(text, "{:>16}", format!("{} / {}", shown(of(DIRECT)), shown(of(MIDDLE))));
        }
        text.push('\n');
    }
}

fn correlations(evaluation: &Evaluation, text: &mut String) {
    if evaluation.correlations.is_empty() {
        return;
    }
    let scores: Vec<&str> = Scores::RANKED
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| evaluation.correlations.iter().any(|m| m.scores.contains_key(name)))
        .collect();
    let _ = writeln!(
        text,
        "\nWhich measure goes along with what models learn, over {} settings",
        evaluation.settings.len()
    );
    let _ = write!(text, "  {:<26}{:>9}", "", "");
    scores.iter().for_each(|score| {
        let _ = write!(text, "{:>30}", score);
    });
    let _ = write!(text, "\n  {:<26}{:>9}", "measure", "settings");
    scores.iter().for_each(|_| {
        let _ = write!(text, "{:>10}{:>10}{:>10}", "Spearman", "Pearson", "same k");
    });
    text.push('\n');
    for measure in evaluation.correlations.iter().take(LISTED) {
        let _ = write!(text, "  {:<26}{:>9}", measure.measure, measure.settings);
        for score in &scores {
            let found = measure.scores.get(score);
            let cells = [found.map(|c| c.spearman), found.map(|c| c.pearson), found.and_then(|c| c.same_k)];
            cells.iter().for_each(|cell| {
                let _ = write!(text, "{:>10}", shown(*cell));
            });
        }
        text.push('\n');
    }
    if evaluation.correlations.len() > LISTED {
        let _ = writeln!(text, "  … and {} more; see --json", evaluation.correlations.len() - LISTED);
    }
}

fn groups(evaluation: &Evaluation, text: &mut String) {
    let Some(by) = &evaluation.by else { return };
    let name = if evaluation.classes.is_empty() { "R²" } else { "accuracy" };
    let _ =
        writeln!(text, "\n{name} by {by}: original, and change, mean over models that read cells directly");
    let names: Vec<&str> = evaluation
        .original
        .first()
        .map_or(Vec::new(), |m| m.groups.iter().map(|g| g.group.as_str()).collect());
    let _ = write!(text, "  {:<14}{:>5}", "method", "k");
    names.iter().for_each(|name| {
        let _ = write!(text, "{:>16}", fit(name, 15));
    });
    let _ = write!(text, "\n  {:<19}", "original");
    for at in 0..names.len() {
        let of = evaluation
            .original
            .iter()
            .filter_map(|m| m.groups[at].scores.accuracy.or(m.groups[at].scores.r2));
        let _ = write!(text, "{:>16}", shown(mean(of)));
    }
    text.push('\n');
    for setting in evaluation.settings.iter().filter(|s| s.status == Status::Solved) {
        let k = setting.k.map_or("–".to_owned(), |k| k.to_string());
        let _ = write!(text, "  {:<14}{k:>5}", setting.method);
        for at in 0..names.len() {
            let change = group_change(setting, at).map(|change| format!("{change:+.3}"));
            let _ = write!(text, "{:>16}", change.unwrap_or("–".into()));
        }
        text.push('\n');
    }
}

/// The change of a group's accuracy, or R², over the models that read cells directly.
pub(crate) fn group_change(setting: &SettingResult, group: usize) -> Option<f64> {
    mean(setting.direct().filter_map(|m| {
        let change = m.groups.get(group)?.change?;
        change.accuracy.or(change.r2)
    }))
}

fn selection(evaluation: &Evaluation, text: &mut String) {
    let Some(selection) = &evaluation.selection else { return };
    let _ = writeln!(
        text,
        "\nSelected automatically among {} of {} models by cross-validation",
        selection.tried, selection.known
    );
    let score = |scores: &Scores| match scores.auc {
        Some(auc) => format!("AUC {}, accuracy {}", shown(Some(auc)), shown(scores.accuracy)),
        None => format!("R² {}", shown(scores.r2)),
    };
    if let Some(found) = &evaluation.selected {
        let _ = writeln!(text, "  {:<19}  {:<44} {}", "original", found.recipe, score(&found.scores));
    }
    for setting in &evaluation.settings {
        let Some(found) = &setting.selected else { continue };
        let k = setting.k.map_or("–".to_owned(), |k| k.to_string());
        let _ =
            writeln!(text, "  {:<14}{k:>5}  {:<44} {}", setting.method, found.recipe, score(&found.scores));
    }
}

fn mean(of: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = of.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

/// A figure with few digits.
pub(crate) fn shown(figure: Option<f64>) -> String {
    match figure {
        None => "–".to_owned(),
        Some(x) if x.abs() >= 1000.0 => format!("{x:.0}"),
        Some(x) => format!("{x:.3}"),
    }
}

/// A number of rows.
fn integer(rows: f64) -> String {
    let digits = format!("{rows:.0}");
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn fit(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
