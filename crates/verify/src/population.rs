//! The population that a table was drawn from, for the verifier: the number of people in each class
//! (k-map), and how many of them are in the release (δ-presence).
//!
//! It is read as a third file, like the original, and its distinct tuples are generalized to the
//! claimed levels; where rows are in regions, `matched.rs` counts who matches their cells. Because everybody in the table is in the population, hierarchies are built from
//! the population's values alone, so people can be counted without the original too (except for
//! frequency hierarchies, which use the table's). Costs two look-ups per distinct tuple of the
//! population.

use std::collections::BTreeMap;

use super::claims::{self, Judged};
use super::classes::{Classes, MISSING, UNKNOWN};
use super::levels::Chain;
use super::matched;
use super::pace::Pace;
use super::side::Side;
use super::source::maps_of;
use super::truth::{maps_at, to_released};
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::{DeltaPresence, JAnonymity, ModelSpec, People as Asked, Policy};
use throng_terms::release::{Certificate, FileFacts, Foresight, PredictedFacts};

/// The requirement on every class of the population.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// The least number of people, where rows are released.
    People(u64),
    /// The least number of rows behind which enough people are likely, where rows are released.
    Rows(u64),
    /// The least number of rows in a larger table behind which k people are likely, where rows are
    /// released.
    Larger(Larger),
    /// Released rows for no more than this share of its people.
    Most(f64),
    /// Released rows for no less than this share of its people.
    Least(f64),
}

/// What j-anonymity asks of a larger table.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Larger {
    k: u64,
    people: u64,
    /// Rows of the larger table.
    rows: u64,
    significance: f64,
    /// Rows that a class needs there.
    needed: u64,
}

impl Larger {
    fn new(asked: &JAnonymity, rows: u64) -> Self {
        let (k, people) = (asked.k, asked.people.unwrap_or(rows));
        let significance = 1.0 - asked.confidence();
        Larger { k, people, rows, significance, needed: likely(k, people, rows, significance, Given::Person) }
    }

    /// The largest number of people that this many rows likely represent: doubled until it fails,
    /// then bisected.
    fn people(self, rows: u64) -> u64 {
        let enough = |k: u64| {
            k <= self.people && likely(k, self.people, self.rows, self.significance, Given::Person) <= rows
        };
        let mut step = 1;
        while enough(rows + step) {
            step *= 2;
        }
        let mut most = rows;
        while step > 0 {
            most += if enough(most + step) { step } else { 0 };
            step /= 2;
        }
        most
    }
}

/// One guarantee that compares with the population.
#[derive(Debug)]
pub(super) struct Comparison {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    /// Where it may let classes of fewer than k rows out.
    asked: Option<JAnonymity>,
    kind: Kind,
}

/// The guarantees of a policy, for a table and a population of these sizes.
pub(super) fn of(policy: &Policy, rows: u64, larger: u64) -> Vec<Comparison> {
    let mut all = Vec::new();
    for asked in &policy.privacy.models {
        let claim = asked.claim();
        match asked {
            ModelSpec::KMap(map) => {
                let kind = match map.population {
                    Asked::Table(_) => Kind::People(map.k),
                    Asked::Number(people) => {
                        Kind::Rows(likely(map.k, people, rows, map.significance(), Given::Class))
                    }
                };
                all.push(Comparison { claim, asked: None, kind });
            }
            ModelSpec::JAnonymity(asked) if asked.population.is_some() => {
                let kind = Kind::Larger(Larger::new(asked, larger));
                all.push(Comparison { claim, asked: Some(asked.clone()), kind });
            }
            ModelSpec::DeltaPresence(presence) => {
                all.push(Comparison { claim, asked: None, kind: Kind::Most(presence.max) });
                if presence.min > 0.0 {
                    let claim = DeltaPresence::LEAST.to_owned();
                    all.push(Comparison { claim, asked: None, kind: Kind::Least(presence.min) });
                }
            }
            _ => {}
        }
    }
    all
}

impl Comparison {
    /// The requirement, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        match self.kind {
            Kind::People(k) | Kind::Rows(k) => k as f64,
            Kind::Larger(larger) => larger.k as f64,
            Kind::Most(share) | Kind::Least(share) => share,
        }
    }

    /// Whether a class with this figure may be released.
    fn enough(&self, figure: f64) -> bool {
        match self.kind {
            Kind::Larger(larger) => figure >= larger.needed as f64,
            _ => self.holds(figure),
        }
    }

    /// A figure as a certificate states it.
    fn stated(&self, figure: f64) -> f64 {
        match self.kind {
            Kind::Larger(larger) => larger.people(figure as u64) as f64,
            _ => figure,
        }
    }

    /// Whether a stated figure is enough.
    pub(super) fn holds(&self, figure: f64) -> bool {
        match self.kind {
            Kind::People(_) | Kind::Rows(_) | Kind::Larger(_) | Kind::Least(_) => figure >= self.required(),
            Kind::Most(_) => figure <= self.required(),
        }
    }

    /// The figure of a class with this many people and rows; none if it does not apply.
    fn figure(&self, rows: u64, people: u64) -> Option<f64> {
        match self.kind {
            Kind::People(_) | Kind::Larger(_) => (rows > 0).then_some(people as f64),
            Kind::Rows(_) => (rows > 0).then_some(rows as f64),
            Kind::Most(_) => (rows > 0).then(|| rows as f64 / people as f64),
            Kind::Least(_) => Some(rows as f64 / people as f64),
        }
    }

    /// The figure that is furthest from being enough.
    fn worst(&self, figures: impl Iterator<Item = f64>) -> Option<f64> {
        match self.kind {
            Kind::Most(_) => figures.reduce(f64::max),
            Kind::People(_) | Kind::Rows(_) | Kind::Larger(_) | Kind::Least(_) => figures.reduce(f64::min),
        }
    }
}

/// The population at the claimed levels, in the numbers of the generalized original.
#[derive(Debug)]
pub(super) struct People {
    classes: Classes,
    levels: Vec<usize>,
}

impl People {
    /// None where a hierarchy is not known, or a level does not fit.
    pub(super) fn new(population: &Side, chains: &[Chain<'_>], pace: &Pace<'_>) -> Result<Option<Self>> {
        let levels: Option<Vec<usize>> =
            chains.iter().map(|chain| chain.at(0).map(|(_, level)| level)).collect();
        let Some(levels) = levels else { return Ok(None) };
        let maps = maps_of(chains, &population.interners, pace)?;
        let maps = maps_at(&maps, &levels);
        let mut classes = Classes::new(levels.len());
        let mut tuple = vec![MISSING; levels.len()];
        for class in 0..population.classes.len() {
            pace.steps(4)?;
            translate(population.classes.tuples.tuple(class), &maps, &mut tuple);
            classes.add(&tuple, population.classes.tally(class));
        }
        Ok(Some(People { classes, levels }))
    }

    /// The people of a class of the generalized original.
    fn of(&self, tuple: &[u32]) -> u64 {
        self.classes.tuples.get(tuple).map_or(0, |class| self.classes.tally(class).rows)
    }

    /// A class in the numbers of the generalized original.
    pub(super) fn tuple(&self, class: usize) -> &[u32] {
        self.classes.tuples.tuple(class)
    }

    /// Released class → the class that it is here.
    pub(super) fn looks(
        &self,
        chains: &[Chain<'_>],
        released: &Side,
        pace: &Pace<'_>,
    ) -> Result<BTreeMap<usize, usize>> {
        let numbers = to_released(chains, released, pace)?;
        let maps = maps_at(&numbers, &self.levels);
        let mut tuple = vec![MISSING; self.levels.len()];
        let mut looks = BTreeMap::new();
        for class in 0..self.classes.len() {
            pace.steps(8)?;
            translate(self.tuple(class), &maps, &mut tuple);
            looks.extend(released.classes.tuples.get(&tuple).map(|found| (found, class)));
        }
        Ok(looks)
    }

    /// The rows and the people of every class of either file: of released classes, then of those
    /// that have people and no released class.
    fn beside(
        &self,
        chains: &[Chain<'_>],
        released: &Side,
        judged: &Judged,
        pace: &Pace<'_>,
    ) -> Result<Vec<(u64, u64)>> {
        let numbers = to_released(chains, released, pace)?;
        let maps = maps_at(&numbers, &self.levels);
        let mut all: Vec<(u64, u64)> = judged.counts.iter().map(|&rows| (rows, 0)).collect();
        let mut tuple = vec![MISSING; self.levels.len()];
        for class in 0..self.classes.len() {
            pace.steps(4)?;
            translate(self.classes.tuples.tuple(class), &maps, &mut tuple);
            let people = self.classes.tally(class).rows;
            match released.classes.tuples.get(&tuple) {
                Some(found) => all[found].1 += people,
                None => all.push((0, people)),
            }
        }
        Ok(all)
    }
}

fn translate(tuple: &[u32], maps: &[&[u32]], to: &mut [u32]) {
    for ((to, &number), map) in to.iter_mut().zip(tuple).zip(maps) {
        *to = map.get(number as usize).copied().unwrap_or(UNKNOWN);
    }
}

/// Which draws are looked at: those in which a class has a row, or those in which one person of it
/// has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Given {
    Class,
    Person,
}

/// The least number of rows that distinguishes k people from fewer: samples in which a class of
/// k − 1 people has that many rows or more are at most the given share of the samples considered.
/// Samples are counted by the number of selections from the class and from the others, as
/// logarithms relative to the first possible number; a person is among j of the class in
/// j of k − 1.
fn likely(k: u64, people: u64, rows: u64, significance: f64, given: Given) -> u64 {
    let few = k.saturating_sub(1);
    let Some(rest) = people.checked_sub(few) else { return k };
    let first = rows.saturating_sub(rest);
    let (mut of_class, mut of_others) = (0.0, 0.0);
    let mut draws: Vec<(u64, f64)> = Vec::new();
    for j in first..=few.min(rows) {
        let with_him = if given == Given::Person { ((j as f64) / few as f64).ln() } else { 0.0 };
        draws.push((j, of_class + of_others + with_him));
        of_class += ((few - j) as f64).ln() - ((j + 1) as f64).ln();
        of_others += ((rows - j) as f64).ln() - ((rest + j + 1 - rows) as f64).ln();
    }
    draws.retain(|&(j, _)| j > 0);
    let greatest = draws.iter().map(|draw| draw.1).fold(f64::MIN, f64::max);
    let all: f64 = draws.iter().map(|draw| (draw.1 - greatest).exp()).sum();
    let mut part = 0.0;
    let rare = |draw: &&(u64, f64)| {
        part += (draw.1 - greatest).exp();
        // What is above the limit by a part in 10⁹ is at it: half of a population has such ties.
        part - significance * all <= significance * all * 1e-9
    };
    draws.iter().rev().take_while(rare).last().map_or(few.min(rows) + 1, |draw| draw.0)
}

/// Takes the rows of every class away that violates a guarantee by itself.
pub(super) fn without_unsafe(
    comparisons: &[Comparison],
    people: Option<&People>,
    classes: &Classes,
    counts: &mut [u64],
    pace: &Pace<'_>,
) -> Result<()> {
    let alone = comparisons.iter().filter(|c| !matches!(c.kind, Kind::Least(_)));
    for comparison in alone {
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            pace.steps(2)?;
            let people = people.map_or(0, |people| people.of(classes.tuples.tuple(class)));
            if !comparison.figure(*count, people).is_none_or(|figure| comparison.enough(figure)) {
                *count = 0;
            }
        }
    }
    Ok(())
}

/// Takes all rows away where some class of the population has too few of them: nothing that is left
/// out helps.
pub(super) fn all_or_none(
    comparisons: &[Comparison],
    people: Option<&People>,
    classes: &Classes,
    counts: &mut [u64],
) {
    let rows = |tuple: &[u32]| classes.tuples.get(tuple).map_or(0, |class| counts[class]);
    for comparison in comparisons.iter().filter(|c| matches!(c.kind, Kind::Least(_))) {
        let short = people.is_none_or(|people| {
            (0..people.classes.len()).any(|class| {
                let (rows, people) =
                    (rows(people.classes.tuples.tuple(class)), people.classes.tally(class).rows);
                comparison.figure(rows, people).is_some_and(|figure| !comparison.holds(figure))
            })
        });
        if short {
            counts.fill(0);
            return;
        }
    }
}

/// How people of the population are counted.
#[derive(Clone, Copy)]
pub(super) enum Counted<'a> {
    /// At the claimed levels.
    Levels(&'a People),
    /// Those who match the cells of regions.
    Regions(&'a Side),
}

/// Compares the worst class of the population with the requirement and the certificate.
pub(super) fn claim(
    comparison: &Comparison,
    certificate: &Certificate,
    people: Option<Counted<'_>>,
    of: (&[Chain<'_>], &Side, &Judged),
    pace: &Pace<'_>,
) -> Result<Finding> {
    let (chains, released, judged) = of;
    let all = match (comparison.kind, people) {
        (Kind::Rows(_), _) => Some(judged.counts.iter().map(|&rows| (rows, 0)).collect()),
        (_, Some(Counted::Levels(people))) => Some(people.beside(chains, released, judged, pace)?),
        (Kind::People(k), Some(Counted::Regions(people))) => {
            matched::beside(certificate, people, of, k, pace)?
        }
        (_, Some(Counted::Regions(_)) | None) => None,
    };
    let Some(all) = all else { return Ok(Finding::unchecked(WITHOUT_ORIGINAL)) };
    let any = all.iter().any(|&(rows, _)| rows > 0);
    let figures = || all.iter().filter_map(|&(rows, people)| comparison.figure(rows, people));
    let worst = if any { comparison.worst(figures()) } else { None };
    let mut wrong = Wrong::default();
    if let (Some(asked), Kind::Larger(larger)) = (&comparison.asked, comparison.kind) {
        let facts = certificate.release.predicted.get(&comparison.claim);
        wrong.extend(prediction_faults(facts, (asked, larger.people), Foresight::Population, judged));
        if facts.is_some_and(|facts| !facts.edges.is_empty()) {
            wrong.push("people are counted, and the certificate has edges of a network");
        }
    }
    let unsafe_figures = || figures().filter(|figure| !comparison.enough(*figure));
    let short = unsafe_figures().count() as u64;
    let worst = worst.map(|figure| comparison.stated(figure));
    if let Some(figure) = worst.filter(|_| short > 0) {
        wrong.push(format!(
            "{} of the population {} what is required; the worst has {figure}, {} is required",
            several(short, "class"),
            if short == 1 { "does not reach" } else { "do not reach" },
            comparison.required()
        ));
    }
    let number = |figure: Option<f64>| figure.map_or("none".to_owned(), |figure| figure.to_string());
    match certificate.release.privacy.get(&comparison.claim) {
        // Quotients of whole numbers have the same bits in every implementation.
        Some(claim) if claim.achieved == worst => {}
        Some(claim) => wrong.push(format!(
            "the worst class of the population has {}, the certificate says {}",
            number(worst),
            number(claim.achieved)
        )),
        None => wrong.push("the certificate does not claim it"),
    }
    Ok(Finding::of(&wrong, || match worst {
        Some(figure) => {
            format!("the worst class of the population has {figure}, {} is required", comparison.required())
        }
        None => "no row is released".into(),
    }))
}

/// Evidence against the claims about rows that stay in small classes.
pub(super) fn prediction_faults(
    facts: Option<&PredictedFacts>,
    (asked, people): (&JAnonymity, u64),
    from: Foresight,
    judged: &Judged,
) -> Vec<String> {
    let Some(facts) = facts else {
        return vec!["the certificate does not say what people are predicted from".into()];
    };
    let mut wrong = Vec::new();
    if (facts.k, facts.people, facts.confidence, facts.from) != (asked.k, people, asked.confidence(), from) {
        wrong.push("the certificate says another k, people, confidence or source than the policy".into());
    }
    let rows: u64 = judged.counts.iter().filter(|&&rows| rows < asked.k).sum();
    if rows != facts.rows {
        wrong.push(format!(
            "{} in classes of fewer than {}, the certificate says {}",
            several(rows, "row"),
            asked.k,
            facts.rows
        ));
    }
    wrong
}

/// The population must be the one that was counted, and everybody in the original must be in it.
pub(super) fn population(
    stated: Option<&FileFacts>,
    (population, sha256): (&Side, Option<&str>),
    original: Option<&Side>,
    policy: &Policy,
    pace: &Pace<'_>,
) -> Result<Finding> {
    let mut wrong = match stated {
        Some(facts) => claims::file("population", sha256, population.rows, facts),
        None => Wrong::default(),
    };
    if stated.is_none() {
        wrong.push("the certificate does not name a population");
    }
    let quasi = policy.with_role(throng_terms::policy::Role::Quasi);
    for name in quasi.into_iter().filter(|name| !population.columns.iter().any(|c| c == name)) {
        wrong.push(format!("column `{name}` is not there"));
    }
    let beyond = match original {
        Some(original) => beyond(original, population, pace)?,
        None => 0,
    };
    if beyond > 0 {
        wrong.push(format!(
            "{} more rows in the original than people in it",
            if beyond == 1 { "1 combination has".into() } else { format!("{beyond} combinations have") }
        ));
    }
    Ok(Finding::of(&wrong, || {
        let people = several(population.rows, "row");
        match original {
            Some(_) => {
                format!("the population is the one that was counted, with {people}, and holds the original")
            }
            None => format!("the population is the one that was counted, with {people}"),
        }
    }))
}

/// Combinations that more rows of the original have than people.
fn beyond(original: &Side, population: &Side, pace: &Pace<'_>) -> Result<usize> {
    // Column → text of the original → its number in the population.
    let mut numbers: Vec<Vec<u32>> = Vec::new();
    for (from, to) in original.interners.iter().zip(&population.interners) {
        let mut column = Vec::with_capacity(from.len());
        for text in 0..from.len() as u32 {
            pace.step()?;
            column.push(to.get(from.value(text)).unwrap_or(UNKNOWN));
        }
        numbers.push(column);
    }
    let maps: Vec<&[u32]> = numbers.iter().map(Vec::as_slice).collect();
    let (mut beyond, mut tuple) = (0, vec![MISSING; maps.len()]);
    for class in 0..original.classes.len() {
        pace.steps(4)?;
        translate(original.classes.tuples.tuple(class), &maps, &mut tuple);
        let people = population.classes.tuples.get(&tuple).map_or(0, |at| population.classes.tally(at).rows);
        beyond += usize::from(original.classes.tally(class).rows > people);
    }
    Ok(beyond)
}
