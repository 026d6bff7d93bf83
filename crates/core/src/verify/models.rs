//! The models of sensitive columns, from their definitions a second time: what a class reaches, which classes cannot
//! be released, and the claims about them.
//!
//! Plainer than what the search uses: figures are taken from lists that are sorted or added up anew for every
//! class. Costs a pass over the values of every class, and a sort of them for recursive diversity.

use std::collections::BTreeSet;

use super::claims::Judged;
use super::classes::MISSING;
use super::levels::Build;
use super::reference::Reference;
use super::sensitive::{Values, present};
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use crate::error::Result;
use crate::policy::{AlphaK, BetaLikeness, Diversity, LDiversity, Likeness, ModelSpec, Policy};
use crate::release::{Certificate, Claim};

/// Figures closer than this to each other are the same: they were computed in another order.
const ROUNDING: f64 = 1e-9;

/// One model of a policy.
#[derive(Debug)]
pub(super) struct Rule {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    /// Which of the judged columns it is about, in name order.
    column: usize,
    asked: ModelSpec,
    /// The whole table's values, where the model compares with them and they are known.
    reference: Option<Reference>,
    /// The values that it is about where it names some: their numbers in the release and in the original.
    named: Option<[BTreeSet<u32>; 2]>,
}

/// Which file a class is of: where its values' numbers come from.
#[derive(Clone, Copy)]
enum File {
    Released,
    Original,
}

/// The models of a policy.
pub(super) fn of(policy: &Policy) -> Vec<Rule> {
    let columns: Vec<&str> = policy.judged().into_iter().collect();
    let rule = |asked: &ModelSpec| {
        let column = columns.iter().position(|name| Some(*name) == asked.column())?;
        Some(Rule { claim: asked.claim(), column, asked: asked.clone(), reference: None, named: None })
    };
    policy.privacy.models.iter().filter_map(rule).collect()
}

/// Tells the models that compare with it how the whole table's values are spread.
pub(super) fn compare(
    rules: &mut [Rule],
    policy: &Policy,
    (released, original): (&Side, Option<&Side>),
    certificate: &Certificate,
    build: &Build<'_>,
) -> Result<()> {
    for rule in &mut *rules {
        if let ModelSpec::AlphaK(AlphaK { values: Some(values), .. }) = &rule.asked {
            let numbers = |side: &Side| {
                let interner = &side.sensitive[rule.column].interner;
                values.iter().filter_map(|value| interner.get(Some(value))).collect()
            };
            rule.named = Some([numbers(released), original.map(numbers).unwrap_or_default()]);
        }
    }
    let nothing_held = certificate.release.suppressed == 0;
    let Some(table) = original.or(nothing_held.then_some(released)) else { return Ok(()) };
    for rule in rules {
        if rule.compares() {
            let asked = match &rule.asked {
                ModelSpec::TCloseness(asked) => Some(asked),
                _ => None,
            };
            rule.reference = Some(Reference::new(
                (policy, asked),
                (&table.sensitive[rule.column].interner, original.is_some()),
                &released.sensitive[rule.column].interner,
                build,
            )?);
        }
    }
    Ok(())
}

impl Rule {
    /// What is asked for, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        match &self.asked {
            ModelSpec::LDiversity(LDiversity { kind: Diversity::Recursive, c: Some(c), .. }) => *c,
            ModelSpec::LDiversity(asked) => asked.l,
            ModelSpec::TCloseness(asked) => asked.t,
            ModelSpec::PSensitive(asked) => asked.p as f64,
            ModelSpec::AlphaK(asked) => asked.alpha,
            ModelSpec::DeltaDisclosure(asked) => asked.delta,
            ModelSpec::BetaLikeness(asked) => asked.beta,
        }
    }

    /// Whether figures must stay below what is asked for, instead of reaching it.
    fn falls(&self) -> bool {
        match &self.asked {
            ModelSpec::LDiversity(asked) => asked.kind == Diversity::Recursive,
            ModelSpec::PSensitive(_) => false,
            _ => true,
        }
    }

    /// Whether a figure is enough.
    pub(super) fn holds(&self, figure: f64) -> bool {
        match &self.asked {
            ModelSpec::LDiversity(LDiversity { kind: Diversity::Recursive, c, .. }) => {
                c.is_some_and(|c| figure < c)
            }
            ModelSpec::LDiversity(asked) => figure >= asked.l * (1.0 - ROUNDING),
            ModelSpec::TCloseness(asked) => figure <= asked.t + ROUNDING,
            ModelSpec::PSensitive(asked) => figure >= asked.p as f64,
            ModelSpec::AlphaK(asked) => figure <= asked.alpha + ROUNDING,
            ModelSpec::DeltaDisclosure(asked) => figure < asked.delta - ROUNDING * asked.delta.max(1.0),
            ModelSpec::BetaLikeness(asked) => figure <= asked.beta + ROUNDING * asked.beta.max(1.0),
        }
    }

    /// Whether it compares a class with the whole table.
    fn compares(&self) -> bool {
        use ModelSpec::{BetaLikeness, DeltaDisclosure, TCloseness};
        matches!(self.asked, TCloseness(_) | DeltaDisclosure(_) | BetaLikeness(_))
    }

    /// Whether figures can be told: some need the whole table.
    fn told(&self) -> bool {
        !self.compares() || self.reference.is_some()
    }

    /// What a class with these values reaches; where the whole table is needed, in its numbers.
    fn figure(&self, values: &[(u32, u64)], file: File) -> f64 {
        let shares = || self.reference.as_ref().and_then(|reference| reference.shares(values));
        match &self.asked {
            ModelSpec::PSensitive(_) => present(values).len() as f64,
            ModelSpec::AlphaK(_) => self.most(values, file),
            ModelSpec::DeltaDisclosure(_) => shares().map_or(f64::INFINITY, |shares| disclosure(&shares)),
            ModelSpec::BetaLikeness(asked) => shares().map_or(f64::INFINITY, |shares| gain(asked, &shares)),
            ModelSpec::LDiversity(asked) => diversity(asked, present(values)),
            ModelSpec::TCloseness(_) => self.reference.as_ref().map_or(f64::INFINITY, |r| r.distance(values)),
        }
    }

    /// The largest share of a value that counts, of the rows that have one.
    fn most(&self, values: &[(u32, u64)], file: File) -> f64 {
        let rows: u64 = present(values).iter().sum();
        let counts = |value: &u32| {
            *value != MISSING && self.named.as_ref().is_none_or(|n| n[file as usize].contains(value))
        };
        let most = values.iter().filter(|(value, _)| counts(value)).map(|(_, rows)| *rows).max();
        most.map_or(0.0, |most| most as f64 / rows as f64)
    }

    /// What a class of the original reaches.
    fn figure_of(&self, columns: &[Values], class: usize) -> f64 {
        self.figure(columns[self.column].class(class), File::Original)
    }

    /// What a class of the release reaches.
    fn figure_of_released(&self, columns: &[Values], class: usize) -> f64 {
        let values = columns[self.column].class(class);
        match &self.reference {
            None => self.figure(values, File::Released),
            Some(reference) => {
                let known = |&(value, rows): &(u32, u64)| (reference.of_release[value as usize], rows);
                self.figure(&values.iter().map(known).collect::<Vec<_>>(), File::Released)
            }
        }
    }
}

/// How diverse values with so many rows each are.
fn diversity(asked: &LDiversity, mut rows: Vec<u64>) -> f64 {
    let all = rows.iter().sum::<u64>() as f64;
    match asked.kind {
        Diversity::Distinct => rows.len() as f64,
        Diversity::Entropy if rows.is_empty() => 0.0,
        Diversity::Entropy => {
            let bits = rows.iter().map(|&n| n as f64 / all).map(|share| -share * share.log2());
            bits.sum::<f64>().exp2()
        }
        Diversity::Recursive => {
            rows.sort_unstable_by(|a, b| b.cmp(a));
            let rare: u64 = rows.iter().skip(asked.l as usize - 1).sum();
            match rows.first() {
                Some(&most) if rare > 0 => most as f64 / rare as f64,
                _ => f64::INFINITY,
            }
        }
    }
}

/// The largest |ln(p/q)|, of (q, p).
fn disclosure(shares: &[(f64, f64)]) -> f64 {
    shares.iter().map(|(table, class)| (class.ln() - table.ln()).abs()).fold(0.0, f64::max)
}

/// The largest gain, of (q, p); for the enhanced kind as a part of its own limit.
fn gain(asked: &BetaLikeness, shares: &[(f64, f64)]) -> f64 {
    let gains = shares.iter().filter(|(table, class)| class > table).map(|(table, class)| {
        let gain = class / table - 1.0;
        match asked.kind {
            Likeness::Basic => gain,
            Likeness::Enhanced => asked.beta * gain / asked.beta.min((1.0 / table).ln()),
        }
    });
    gains.fold(0.0, f64::max)
}

/// Takes the rows of every class away that violates a model.
pub(super) fn without_unsafe(rules: &[Rule], columns: &[Values], counts: &mut [u64]) {
    for rule in rules {
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            if !rule.holds(rule.figure_of(columns, class)) {
                *count = 0;
            }
        }
    }
}

/// The worst class against what is asked for and what is certified.
pub(super) fn claim(rule: &Rule, certificate: &Certificate, released: &Side, judged: &Judged) -> Finding {
    if !rule.told() {
        return Finding::unchecked(WITHOUT_ORIGINAL);
    }
    let columns = released.values();
    let alive = || (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0);
    let figures: Vec<(usize, f64)> =
        alive().map(|class| (class, rule.figure_of_released(&columns, class))).collect();
    let worse = |a: &f64, b: &f64| if rule.falls() { b.total_cmp(a) } else { a.total_cmp(b) };
    let worst = figures.iter().min_by(|a, b| worse(&a.1, &b.1)).copied();
    let mut wrong = Wrong::default();
    if let Some((class, figure)) = worst.filter(|(_, figure)| !rule.holds(*figure)) {
        let unsafe_rows = figures.iter().filter(|(_, figure)| !rule.holds(*figure));
        let rows: u64 = unsafe_rows.map(|(class, _)| judged.counts[*class]).sum();
        let all: Vec<usize> = (0..released.interners.len()).collect();
        wrong.push(format!(
            "class {} reaches {figure}, {} is required; {} in such classes",
            released.name(class, &all),
            rule.required(),
            several(rows, "row")
        ));
    }
    let found = worst.map(|(_, figure)| figure);
    wrong.extend(unlike(certificate.release.privacy.get(&rule.claim), found));
    Finding::of(&wrong, || match found {
        Some(figure) => format!("the worst class reaches {figure}, {} is required", rule.required()),
        None => "no row is released".into(),
    })
}

/// How a certified figure differs from what was found.
fn unlike(claim: Option<&Claim>, found: Option<f64>) -> Option<String> {
    let Some(claim) = claim else { return Some("the certificate does not claim it".into()) };
    let same = match (claim.achieved, found) {
        (Some(stated), Some(found)) => (stated - found).abs() <= ROUNDING * found.abs().max(1.0),
        (None, None) => true,
        _ => false,
    };
    let number = |figure: Option<f64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
    (!same).then(|| {
        format!("the worst class reaches {}, the certificate says {}", number(found), number(claim.achieved))
    })
}
