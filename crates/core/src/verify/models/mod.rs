//! The models beside k, from their definitions a second time: what classes reach, which cannot be released, and the claims
//! about them. One file per family of figures, one line per model in `judged_by`.
//!
//! A model judges every class by the values of a sensitive column, or the sizes of all classes together.
//! Plainer than what the search uses: figures are taken from lists that are sorted or added up anew for every
//! class. Costs a pass over the values of every class, and a sort of them for recursive diversity.

mod diversity;
mod limit;
mod shares;
mod whole;

pub(super) use self::whole::without_smallest;

use std::collections::BTreeSet;

use self::limit::{Limit, ROUNDING};
use self::whole::Whole;
use super::claims::Judged;
use super::levels::Build;
use super::reference::Reference;
use super::sensitive::Values;
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use crate::error::Result;
use crate::policy::{ModelSpec, Policy, TCloseness};
use crate::release::{Certificate, Claim};

/// How a model judges a class.
trait Measure: std::fmt::Debug + Send + Sync {
    /// What is asked of figures.
    fn limit(&self) -> Limit;

    /// What a class reaches.
    fn figure(&self, class: &Seen<'_>) -> f64;

    /// Whether it compares a class with the whole table.
    fn compares(&self) -> bool {
        false
    }

    /// The values that it is about, where it names some.
    fn named(&self) -> Option<&[String]> {
        None
    }

    /// How far apart values are, where that matters.
    fn ground(&self) -> Option<&TCloseness> {
        None
    }
}

/// A class as a model sees it.
struct Seen<'a> {
    /// Its values, ascending by number, and the rows of each; where the whole table is needed, in its numbers.
    values: &'a [(u32, u64)],
    reference: Option<&'a Reference>,
    /// The numbers of the values that the model names.
    named: Option<&'a BTreeSet<u32>>,
}

impl Seen<'_> {
    /// For every value of the table its share there and here; none where they cannot be told.
    fn shares(&self) -> Option<Vec<(f64, f64)>> {
        self.reference.and_then(|reference| reference.shares(self.values))
    }
}

/// What a model judges.
#[derive(Debug)]
enum JudgedBy {
    /// Every class by a sensitive column.
    Column(OfColumn),
    /// All classes together by their sizes.
    Whole(Box<dyn Whole>),
}

fn judged_by(asked: &ModelSpec, columns: &[&str]) -> Option<JudgedBy> {
    let at = columns.iter().position(|name| Some(*name) == asked.column());
    let column = |measure: Box<dyn Measure>| {
        at.map(|column| JudgedBy::Column(OfColumn { column, measure, reference: None, named: None }))
    };
    match asked.clone() {
        ModelSpec::LDiversity(asked) => column(Box::new(asked)),
        ModelSpec::TCloseness(asked) => column(Box::new(asked)),
        ModelSpec::PSensitive(asked) => column(Box::new(asked)),
        ModelSpec::AlphaK(asked) => column(Box::new(asked)),
        ModelSpec::DeltaDisclosure(asked) => column(Box::new(asked)),
        ModelSpec::BetaLikeness(asked) => column(Box::new(asked)),
        ModelSpec::SampleUniqueness(asked) => Some(JudgedBy::Whole(Box::new(asked))),
    }
}

/// One model of a policy.
#[derive(Debug)]
pub(super) struct Rule {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    by: JudgedBy,
}

/// A model of a sensitive column.
#[derive(Debug)]
struct OfColumn {
    /// Which of the judged columns it is about, in name order.
    column: usize,
    measure: Box<dyn Measure>,
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
    let rule = |asked: &ModelSpec| Some(Rule { claim: asked.claim(), by: judged_by(asked, &columns)? });
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
    for rule in rules.iter_mut().filter_map(Rule::of_column) {
        if let Some(values) = rule.measure.named() {
            let numbers = |side: &Side| {
                let interner = &side.sensitive[rule.column].interner;
                values.iter().filter_map(|value| interner.get(Some(value))).collect()
            };
            rule.named = Some([numbers(released), original.map(numbers).unwrap_or_default()]);
        }
    }
    let nothing_held = certificate.release.suppressed == 0;
    let Some(table) = original.or(nothing_held.then_some(released)) else { return Ok(()) };
    for rule in rules.iter_mut().filter_map(Rule::of_column) {
        if rule.measure.compares() {
            rule.reference = Some(Reference::new(
                (policy, rule.measure.ground()),
                (&table.sensitive[rule.column].interner, original.is_some()),
                &released.sensitive[rule.column].interner,
                build,
            )?);
        }
    }
    Ok(())
}

impl Rule {
    fn of_column(&mut self) -> Option<&mut OfColumn> {
        match &mut self.by {
            JudgedBy::Column(rule) => Some(rule),
            JudgedBy::Whole(_) => None,
        }
    }

    /// What is asked of figures.
    fn limit(&self) -> Limit {
        match &self.by {
            JudgedBy::Column(rule) => rule.measure.limit(),
            JudgedBy::Whole(rule) => rule.limit(),
        }
    }

    /// What is asked for, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        self.limit().number()
    }

    /// Whether a figure is enough.
    pub(super) fn holds(&self, figure: f64) -> bool {
        self.limit().met(figure)
    }
}

impl OfColumn {
    /// Whether figures can be told: some need the whole table.
    fn told(&self) -> bool {
        !self.measure.compares() || self.reference.is_some()
    }

    fn figure(&self, values: &[(u32, u64)], file: File) -> f64 {
        let named = self.named.as_ref().map(|named| &named[file as usize]);
        self.measure.figure(&Seen { values, reference: self.reference.as_ref(), named })
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

/// Takes the rows of every class away that violates a model by itself.
pub(super) fn without_unsafe(rules: &[Rule], columns: &[Values], counts: &mut [u64]) {
    for rule in rules {
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            let safe = match &rule.by {
                JudgedBy::Column(by) => rule.holds(by.figure_of(columns, class)),
                JudgedBy::Whole(by) => *count >= by.least(),
            };
            if !safe {
                *count = 0;
            }
        }
    }
}

/// What a model's figures say against what is asked for and what is certified.
pub(super) fn claim(rule: &Rule, certificate: &Certificate, released: &Side, judged: &Judged) -> Finding {
    match &rule.by {
        JudgedBy::Column(by) => worst_class(rule, by, certificate, released, judged),
        JudgedBy::Whole(by) => whole::claim(rule, by.as_ref(), certificate, judged),
    }
}

/// The worst class against what is asked for and what is certified.
fn worst_class(
    rule: &Rule,
    by: &OfColumn,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
) -> Finding {
    if !by.told() {
        return Finding::unchecked(WITHOUT_ORIGINAL);
    }
    let columns = released.values();
    let alive = || (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0);
    let figures: Vec<(usize, f64)> =
        alive().map(|class| (class, by.figure_of_released(&columns, class))).collect();
    let worst = figures.iter().min_by(|a, b| rule.limit().order(a.1, b.1)).copied();
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
    wrong.extend(unlike("the worst class reaches", certificate.release.privacy.get(&rule.claim), found));
    Finding::of(&wrong, || match found {
        Some(figure) => format!("the worst class reaches {figure}, {} is required", rule.required()),
        None => "no row is released".into(),
    })
}

/// How a certified figure differs from what was found.
fn unlike(what: &str, claim: Option<&Claim>, found: Option<f64>) -> Option<String> {
    let Some(claim) = claim else { return Some("the certificate does not claim it".into()) };
    let same = match (claim.achieved, found) {
        (Some(stated), Some(found)) => (stated - found).abs() <= ROUNDING * found.abs().max(1.0),
        (None, None) => true,
        _ => false,
    };
    let number = |figure: Option<f64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
    (!same).then(|| format!("{what} {}, the certificate says {}", number(found), number(claim.achieved)))
}
