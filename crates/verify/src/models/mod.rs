//! Privacy models beside k: independent implementations for the verifier, with the figures of
//! classes, the classes that cannot be released, and the claims about them. One file per family of
//! figures; a model that lacks an implementation does not compile.
//!
//! A model judges every class by the values of a sensitive column, every class over all other
//! quasi-identifiers by the labels of one, the sizes of all classes, the payout of rows, or the
//! frequency of values in the whole release. Simpler than the search:
//! figures come from lists that are sorted or summed again for every class. Costs one pass over the
//! values of every class, and a sort for recursive diversity.

mod column;
mod disclosure;
mod diversity;
mod guarded;
mod limit;
mod linkable;
mod payout;
mod range;
mod rare;
mod shares;
mod uniques;
mod whole;

pub(super) use self::rare::without_rare;
pub(super) use self::whole::without_smallest;

use std::collections::BTreeSet;

use self::column::OfColumn;
use self::guarded::Under;
use self::limit::{Limit, ROUNDING};
use self::linkable::{Labels, OfLabels};
use self::payout::Payout;
use self::rare::Rare;
use self::whole::Whole;
use super::claims::Judged;
use super::classes::{Tuples, UNKNOWN};
use super::levels::{Build, Chain};
use super::reference::Reference;
use super::sensitive::Values;
use super::side::Side;
use super::source::Generalized;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::{ModelSpec, Policy, TCloseness};
use throng_terms::release::{Certificate, Claim};

/// How a model judges a class.
trait Measure: std::fmt::Debug + Send + Sync {
    /// The limit of its figures.
    fn limit(&self) -> Limit;

    /// The figure of a class.
    fn figure(&self, class: &Seen<'_>) -> f64;

    /// Whether it compares a class with the whole table.
    fn compares(&self) -> bool {
        false
    }

    /// The values that it is about, where it names some.
    fn named(&self) -> Option<&[String]> {
        None
    }

    /// Whether it reads values as numbers.
    fn numeric(&self) -> bool {
        false
    }

    /// The column of guarding nodes, where it has one.
    fn guard(&self) -> Option<&str> {
        None
    }

    /// The figures of all classes, if that of one depends on the others; they are then judged when
    /// all else is.
    fn together(&self, _classes: &[&[(u32, u64)]]) -> Option<Vec<f64>> {
        None
    }

    /// Whether classes that violate it are suppressed; otherwise nothing is released where one
    /// does.
    fn holds_back(&self) -> bool {
        true
    }

    /// Whether some class of a table of this many rows can satisfy it.
    fn reachable(&self, _rows: u64) -> bool {
        true
    }

    /// How far apart values are, where that matters.
    fn ground(&self) -> Option<&TCloseness> {
        None
    }
}

/// A class as a model sees it.
struct Seen<'a> {
    /// Its values, ascending by number, and the rows of each; where the whole table is needed, in
    /// its numbers.
    values: &'a [(u32, u64)],
    reference: Option<&'a Reference>,
    /// The numbers of the values that the model names.
    named: Option<&'a BTreeSet<u32>>,
    /// The number that each value is, where the model reads numbers and it is one.
    amounts: Option<&'a [Option<f64>]>,
    /// The guarding nodes of its rows, and which are over a value.
    guards: Option<(&'a [(u32, u64)], &'a Under)>,
}

impl Seen<'_> {
    /// For every value of the table its share there and here; none if unknown.
    fn shares(&self) -> Option<Vec<(f64, f64)>> {
        self.reference.and_then(|reference| reference.shares(self.values))
    }
}

/// What a model judges.
#[derive(Debug)]
enum JudgedBy {
    /// Every class by a sensitive column.
    Column(Box<OfColumn>),
    /// The labels of a quasi-identifier in every class over the others.
    Labels(Box<OfLabels>),
    /// All classes together by their sizes.
    Whole(Box<dyn Whole>),
    /// Every class by what its rows bring.
    Payout(Payout),
    /// All classes together by their values.
    Values(Rare),
    /// No class: values of fewer rows of the table were deleted.
    Deleted(u64),
}

/// How the verifier judges by the parameters of a model.
trait Judge {
    /// What it judges; none for a model of the population, which is judged beside it, and for one
    /// that is counted like k, among the groups.
    fn judged_by(&self, spec: &ModelSpec, policy: &Policy) -> Option<JudgedBy>;
}

/// Every class is judged by a sensitive column, or every class over the others by a
/// quasi-identifier.
fn by_column(spec: &ModelSpec, policy: &Policy, measure: impl Measure + 'static) -> Option<JudgedBy> {
    if let Some(column) = policy.linkable(spec) {
        return OfLabels::new(policy, column, Box::new(measure)).map(|by| JudgedBy::Labels(Box::new(by)));
    }
    let by = OfColumn::new(policy, (spec.column(), spec.guard()), Box::new(measure))?;
    Some(JudgedBy::Column(Box::new(by)))
}

/// Lets models judge every class by a sensitive column, with themselves as the measure.
macro_rules! judge_columns {
    ($($Model:ty),*) => {
        $(impl super::Judge for $Model {
            fn judged_by(
                &self,
                spec: &throng_terms::policy::ModelSpec,
                policy: &throng_terms::policy::Policy,
            ) -> Option<super::JudgedBy> {
                super::by_column(spec, policy, self.clone())
            }
        })*
    };
}
use judge_columns;

/// Lets models judge all classes together, by their sizes.
macro_rules! judge_sizes {
    ($($Model:ty),*) => {
        $(impl super::Judge for $Model {
            fn judged_by(
                &self,
                _: &throng_terms::policy::ModelSpec,
                _: &throng_terms::policy::Policy,
            ) -> Option<super::JudgedBy> {
                Some(super::JudgedBy::Whole(Box::new(self.clone())))
            }
        })*
    };
}
use judge_sizes;

/// Lets models be judged elsewhere.
macro_rules! judge_elsewhere {
    ($($Model:ident),*) => {
        $(impl Judge for throng_terms::policy::$Model {
            fn judged_by(&self, _: &ModelSpec, _: &Policy) -> Option<JudgedBy> {
                None
            }
        })*
    };
}
// People are judged beside their population; rows that were drawn are counted like k; originals
// are counted with the cells that are true of them.
judge_elsewhere!(KOne, KMap, JAnonymity, DeltaPresence, DifferentialPrivacy);

fn judged_by(spec: &ModelSpec, policy: &Policy) -> Option<JudgedBy> {
    throng_terms::each_model!(spec, asked => asked.judged_by(spec, policy))
}

/// One model of a policy.
#[derive(Debug)]
pub(super) struct Rule {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    by: JudgedBy,
}

/// The models of a policy.
pub(super) fn of(policy: &Policy) -> Vec<Rule> {
    let rule = |asked: &ModelSpec| Some(Rule { claim: asked.claim(), by: judged_by(asked, policy)? });
    policy.privacy.models.iter().filter_map(rule).collect()
}

/// Gives the models of what rows bring the losses of cells; only where the original is there.
pub(super) fn price(rules: &mut [Rule], chains: &[Chain<'_>], released: &Side) {
    for rule in rules {
        if let JudgedBy::Payout(by) = &mut rule.by {
            by.learn(chains, released);
        }
    }
}

/// Gives the models of columns what they need of both files.
pub(super) fn compare(
    rules: &mut [Rule],
    policy: &Policy,
    (released, original): (&Side, Option<&Side>),
    certificate: &Certificate,
    build: &Build<'_>,
) -> Result<()> {
    let nothing_held = certificate.release.withheld == 0;
    for rule in rules {
        if let JudgedBy::Column(by) = &mut rule.by {
            by.read((released, original), policy, build)?;
            by.compare((released, original), nothing_held, policy, build)?;
        }
    }
    Ok(())
}

/// Gives the models of quasi-identifiers what the whole table has at the claimed levels.
pub(super) fn compare_labels(
    rules: &mut [Rule],
    policy: &Policy,
    chains: &[Chain<'_>],
    (released, original): (&Side, Option<&Side>),
    certificate: &Certificate,
    build: &Build<'_>,
) -> Result<()> {
    let nothing_held = certificate.release.withheld == 0;
    for rule in rules {
        if let JudgedBy::Labels(by) = &mut rule.by {
            by.compare(policy, chains, (released, original), nothing_held, build)?;
        }
    }
    Ok(())
}

impl Rule {
    fn of_column(&self) -> Option<&OfColumn> {
        match &self.by {
            JudgedBy::Column(by) => Some(by),
            _ => None,
        }
    }

    /// Whether it needs what only the original has.
    pub(super) fn has_guard(&self) -> bool {
        self.of_column().is_some_and(OfColumn::has_guard)
    }

    /// The rows that a value of the table needs, where rarer ones were deleted from it.
    pub(super) fn deletes(&self) -> Option<u64> {
        match self.by {
            JudgedBy::Deleted(k) => Some(k),
            _ => None,
        }
    }

    /// The limit of its figures.
    fn limit(&self) -> Limit {
        match &self.by {
            JudgedBy::Column(rule) => rule.limit(),
            JudgedBy::Labels(rule) => rule.limit(),
            JudgedBy::Whole(rule) => rule.limit(),
            JudgedBy::Payout(_) => Payout::limit(),
            JudgedBy::Values(rule) => rule.limit(),
            JudgedBy::Deleted(k) => Limit::Least(*k as f64),
        }
    }

    /// The requirement, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        self.limit().number()
    }

    /// Whether a figure is enough.
    pub(super) fn holds(&self, figure: f64) -> bool {
        self.limit().met(figure)
    }
}

/// Takes the rows of every class away that violates a model by itself.
pub(super) fn without_unsafe(rules: &[Rule], tuples: &Tuples, columns: &[Values], counts: &mut [u64]) {
    for rule in rules {
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            let safe = match &rule.by {
                JudgedBy::Column(by) => !by.holds_back() || rule.holds(by.figure_of(columns, class)),
                JudgedBy::Whole(by) => *count >= by.least(),
                JudgedBy::Payout(by) => by.stays(tuples.tuple(class), *count),
                JudgedBy::Labels(_) | JudgedBy::Values(_) | JudgedBy::Deleted(_) => true,
            };
            if !safe {
                *count = 0;
            }
        }
    }
}

/// Takes the rows of every class away whose labels violate a model of a quasi-identifier, each such
/// model by the same rows; whether there were any.
pub(super) fn without_labels(rules: &[Rule], tuples: &Tuples, counts: &mut [u64]) -> bool {
    let mut gone = Vec::new();
    for rule in rules {
        if let JudgedBy::Labels(by) = &rule.by {
            let figures = by.figures(tuples, counts, Labels::Original);
            gone.extend(figures.into_iter().filter(|(_, figure)| !rule.holds(*figure)));
        }
    }
    gone.iter().for_each(|(class, _)| counts[*class] = 0);
    !gone.is_empty()
}

/// Takes the rows of every class away that violates a model among the classes that are left.
pub(super) fn without_disclosed(rules: &[Rule], columns: &[Values], counts: &mut [u64]) {
    for (rule, by) in rules.iter().filter_map(|rule| Some((rule, rule.of_column()?))) {
        // Classes that are unsafe on their own first: they would raise the figures of all others.
        for class in (0..counts.len()).filter(|&class| counts[class] > 0).collect::<Vec<_>>() {
            let alone = by.together(columns, &[class]).unwrap_or_default();
            if alone.iter().any(|&figure| !rule.holds(figure)) {
                counts[class] = 0;
            }
        }
        let left: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
        for (class, figure) in left.iter().zip(by.together(columns, &left).unwrap_or_default()) {
            if !rule.holds(figure) {
                counts[*class] = 0;
            }
        }
    }
}

/// The guarding nodes of the rows in every released class; `places` maps classes of the original to
/// released ones.
pub(super) fn nodes_of_released(
    rule: &Rule,
    source: &Generalized,
    places: &[u32],
    classes: usize,
) -> Option<Values> {
    let moves = places.iter().enumerate().filter(|(_, to)| **to != UNKNOWN);
    let moves = moves.map(|(from, to)| (from, *to as usize));
    rule.of_column()?.guard.map(|guard| source.values[guard].merged(moves, classes))
}

/// The same for a model that counts people, whom only the original names: `values` are those of its
/// rows in every released class.
pub(super) fn claim_by_people(
    rule: &Rule,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
    values: &[Values],
) -> Option<Finding> {
    let by = rule.of_column()?;
    let alive = (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0);
    let figures: Vec<(usize, f64)> = alive.map(|class| (class, by.figure_of(values, class))).collect();
    Some(worst_class(rule, &figures, certificate, released, judged))
}

/// Compares a model's figures with the requirement and the certificate; `nodes` are the guarding
/// nodes of released classes.
pub(super) fn claim(
    rule: &Rule,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
    nodes: Option<&Values>,
) -> Finding {
    match &rule.by {
        JudgedBy::Column(by) if by.is_computable(nodes) => {
            let figures = by.figures(released, nodes, judged);
            worst_class(rule, &figures, certificate, released, judged)
        }
        JudgedBy::Labels(by) if by.is_computable() => {
            let figures = by.figures(&released.classes.tuples, &judged.counts, Labels::Released);
            worst_class(rule, &figures, certificate, released, judged)
        }
        JudgedBy::Column(_) | JudgedBy::Labels(_) => Finding::unchecked(WITHOUT_ORIGINAL),
        JudgedBy::Whole(by) => whole::claim(rule, by.as_ref(), certificate, judged),
        JudgedBy::Payout(by) => payout::claim(rule, by, certificate, &released.classes.tuples, judged),
        JudgedBy::Values(by) => rare::claim(rule, by, certificate, released, judged),
        JudgedBy::Deleted(_) => Finding::unchecked(WITHOUT_ORIGINAL),
    }
}

/// Compares the worst of some classes with the requirement and the certificate.
fn worst_class(
    rule: &Rule,
    figures: &[(usize, f64)],
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
) -> Finding {
    let worst = figures.iter().min_by(|a, b| rule.limit().order(a.1, b.1)).copied();
    let mut wrong = Wrong::default();
    if let Some((class, figure)) = worst.filter(|(_, figure)| !rule.holds(*figure)) {
        let unsafe_rows = figures.iter().filter(|(_, figure)| !rule.holds(*figure));
        let rows: u64 = unsafe_rows.map(|(class, _)| judged.counts[*class]).sum();
        wrong.push(format!(
            "{} reaches {figure}, {} is required; {} in such classes",
            released.name(class),
            rule.required(),
            several(rows, "row")
        ));
    }
    let found = worst.map(|(_, figure)| figure);
    let stated = certificate.release.privacy.get(&rule.claim);
    wrong.extend(unlike("the worst class reaches", stated, found, ROUNDING));
    Finding::of(&wrong, || match found {
        Some(figure) => format!("the worst class reaches {figure}, {} is required", rule.required()),
        None => "no row is released".into(),
    })
}

/// How a certified figure differs from what was found.
fn unlike(what: &str, claim: Option<&Claim>, found: Option<f64>, near: f64) -> Option<String> {
    let Some(claim) = claim else { return Some("the certificate does not claim it".into()) };
    let same = match (claim.achieved, found) {
        (Some(stated), Some(found)) => (stated - found).abs() <= near * found.abs().max(1.0),
        (None, None) => true,
        _ => false,
    };
    let number = |figure: Option<f64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
    (!same).then(|| format!("{what} {}, the certificate says {}", number(found), number(claim.achieved)))
}
