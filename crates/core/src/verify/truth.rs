//! The claim that every released row is the true generalization of its own source row, that nothing
//! else was changed, and that exactly those rows are held back that have to be.
//!
//! The distinct tuples of the original are generalized to the claimed levels, in place; the classes
//! that cannot be safe are found again; what is left must be the release, class by class, by number of
//! rows and by the sum of the hashes of the cells that are released as they are. Costs a few look-ups per
//! distinct tuple of the original; the rows were counted while they streamed by.

use super::claims::starred;
use super::classes::{Classes, Interner, MISSING, Tally, UNKNOWN};
use super::groups::{Group, stable};
use super::identifiers::Identifiers;
use super::levels::{Chain, number};
use super::side::Side;
use super::verdict::{Finding, Wrong, several};
use crate::policy::{Missing, Policy, Suppressed};
use crate::release::Certificate;

/// The original at the claimed levels.
#[derive(Debug)]
pub(super) struct Generalized {
    pub(super) rows: u64,
    /// The texts of each quasi-identifier, with counts.
    pub(super) interners: Vec<Interner>,
    /// Column → number of the text → number of its generalized value.
    pub(super) maps: Vec<Vec<u32>>,
    /// The classes of the rows that could be released.
    pub(super) classes: Classes,
    /// The classes of the rows that miss a quasi-identifier, where that means suppression.
    pub(super) forced: Classes,
    /// The rows of `classes` that can stay; a class stays whole or not at all.
    pub(super) stay: Vec<u64>,
    /// Target → rows that stay and do not have the most frequent label of their class.
    pub(super) minorities: Vec<u64>,
    /// The identifiers that are replaced.
    pub(super) identifiers: Vec<Identifiers>,
    /// Class before it was generalized → its place in `classes`; only where identifiers are replaced.
    moved: Vec<Option<u32>>,
}

impl Generalized {
    /// Generalizes the original; none where a level is not known or does not fit.
    pub(super) fn new(
        original: Side,
        chains: &[Chain<'_>],
        groups: &[Group],
        missing: Missing,
    ) -> Option<Self> {
        let Side { classes, interners, rows, labels, identifiers, .. } = original;
        let mut moved = Vec::new();
        let maps: Vec<Vec<u32>> = chains
            .iter()
            .zip(&interners)
            .map(|(chain, interner)| map(chain, interner))
            .collect::<Option<_>>()?;
        let generalize = |tuple: &mut [u32]| {
            for (cell, map) in tuple.iter_mut().zip(&maps) {
                *cell = map[*cell as usize];
            }
            // At the highest level a missing cell is no longer told from others.
            !tuple.contains(&MISSING) || missing != Missing::Suppress
        };
        let (classes, forced) = classes.regroup_told(generalize, |place| {
            if !identifiers.is_empty() {
                moved.push(place.map(|place| place as u32));
            }
        });
        let stay = stable(&classes.tuples, classes.counts(), groups, missing);
        let minorities = labels.into_iter().map(|l| l.minority(&maps, &classes, &stay)).collect();
        Some(Generalized { rows, interners, maps, classes, forced, stay, minorities, identifiers, moved })
    }

    /// Class before it was generalized → the released class that its rows must be in, or [`UNKNOWN`] where they
    /// are held back.
    pub(super) fn places(&self, policy: &Policy, chains: &[Chain<'_>], released: &Side) -> Vec<u32> {
        if self.identifiers.is_empty() {
            return Vec::new();
        }
        let held_back = match policy.output.suppressed {
            Suppressed::Dropped => UNKNOWN,
            Suppressed::Starred => starred(released).map_or(UNKNOWN, |class| class as u32),
        };
        let to_released = to_released(chains, released);
        let place = |class: usize| {
            let number = |(&number, map): (&u32, &Vec<u32>)| map.get(number as usize).copied();
            let tuple = self.classes.tuples.tuple(class).iter().zip(&to_released).map(number);
            let tuple: Vec<u32> = tuple.map(|number| number.unwrap_or(UNKNOWN)).collect();
            released.classes.tuples.get(&tuple).map_or(UNKNOWN, |class| class as u32)
        };
        let places: Vec<u32> = (0..self.classes.len())
            .map(|class| if self.stay[class] > 0 { place(class) } else { held_back })
            .collect();
        self.moved.iter().map(|class| class.map_or(held_back, |class| places[class as usize])).collect()
    }

    /// The classes that cannot be released, with their rows.
    pub(super) fn suppressed(&self) -> impl Iterator<Item = (&[u32], Tally)> {
        let short = (0..self.classes.len()).filter(|&class| self.stay[class] == 0);
        let short = short.map(|class| (self.classes.tuples.tuple(class), self.classes.tally(class)));
        let forced = 0..self.forced.len();
        short.chain(forced.map(|class| (self.forced.tuples.tuple(class), self.forced.tally(class))))
    }

    /// Columns with values that their hierarchy does not know, with the number of such cells.
    pub(super) fn unknown(&self) -> Vec<(usize, u64)> {
        let cells = |(map, interner): (&Vec<u32>, &Interner)| {
            (0..map.len() as u32)
                .filter(|&text| map[text as usize] == UNKNOWN)
                .map(|text| interner.count(text))
                .sum()
        };
        let columns = self.maps.iter().zip(&self.interners).map(cells).enumerate();
        columns.filter(|&(_, cells)| cells > 0).collect()
    }
}

/// Number of a text → number of its generalized value.
fn map(chain: &Chain<'_>, interner: &Interner) -> Option<Vec<u32>> {
    let (hierarchy, level) = chain.at()?;
    let generalize = |text: u32| match hierarchy.leaf(interner.value(text)) {
        Some(leaf) => number(hierarchy, level, hierarchy.generalize(leaf, level)),
        // Without a leaf of its own a missing cell stays missing.
        None if text == MISSING => MISSING,
        None => UNKNOWN,
    };
    Some((0..interner.len() as u32).map(generalize).collect())
}

/// The claim itself.
pub(super) fn truth(
    policy: &Policy,
    certificate: &Certificate,
    source: &Generalized,
    chains: &[Chain<'_>],
    released: &Side,
) -> Finding {
    let mut wrong = Wrong::default();
    for (column, cells) in source.unknown() {
        wrong.push(format!(
            "{} of `{}` in the original are not in its hierarchy",
            several(cells, "cell"),
            chains[column].name
        ));
    }
    let mut suppressed = Tally::default();
    source.suppressed().for_each(|(_, tally)| suppressed.add(tally));
    if suppressed.rows != certificate.release.suppressed {
        wrong.push(format!(
            "{} to be suppressed, the certificate says {}",
            if suppressed.rows == 1 { "1 row has".into() } else { format!("{} rows have", suppressed.rows) },
            certificate.release.suppressed
        ));
    }
    let to_released = to_released(chains, released);
    let mut expected = vec![Tally::default(); released.classes.len()];
    expect_classes(source, &to_released, chains, released, &mut expected, &mut wrong);
    if policy.output.suppressed == Suppressed::Starred && suppressed.rows > 0 {
        match starred(released) {
            Some(class) => expected[class].add(suppressed),
            None => wrong.push(format!("no row is starred, {} must be", suppressed.rows)),
        }
    }
    compare(source, &to_released, released, &expected, &mut wrong);
    Finding::of(&wrong, || {
        format!(
            "{} released as true generalizations with all else unchanged; {} had to be suppressed",
            several(source.rows - suppressed.rows, "row"),
            several(suppressed.rows, "row")
        )
    })
}

/// Column → number of a generalized value → number of its label in the release.
fn to_released(chains: &[Chain<'_>], released: &Side) -> Vec<Vec<u32>> {
    let column = |(chain, interner): (&Chain<'_>, &Interner)| {
        let mut numbers = vec![MISSING];
        if let Some((hierarchy, level)) = chain.at() {
            let label = |code| hierarchy.label(level, code as u32);
            numbers
                .extend((0..hierarchy.size(level)).map(|code| interner.get(label(code)).unwrap_or(UNKNOWN)));
        }
        numbers
    };
    chains.iter().zip(&released.interners).map(column).collect()
}

/// Lays every class that can be released on the released class of the same labels.
fn expect_classes(
    source: &Generalized,
    to_released: &[Vec<u32>],
    chains: &[Chain<'_>],
    released: &Side,
    expected: &mut [Tally],
    wrong: &mut Wrong,
) {
    let mut tuple = vec![MISSING; to_released.len()];
    for class in (0..source.classes.len()).filter(|&class| source.stay[class] > 0) {
        for ((cell, &number), map) in
            tuple.iter_mut().zip(source.classes.tuples.tuple(class)).zip(to_released)
        {
            *cell = map.get(number as usize).copied().unwrap_or(UNKNOWN);
        }
        match released.classes.tuples.get(&tuple) {
            Some(found) => expected[found].add(source.classes.tally(class)),
            None => wrong.add(|| {
                format!(
                    "class {} is left out with {}, though it is safe",
                    labels(source.classes.tuples.tuple(class), chains),
                    several(source.stay[class], "row")
                )
            }),
        }
    }
}

/// Names every released class that is not what the original makes it.
fn compare(
    source: &Generalized,
    to_released: &[Vec<u32>],
    released: &Side,
    expected: &[Tally],
    wrong: &mut Wrong,
) {
    for (class, expected) in expected.iter().enumerate() {
        if released.classes.tally(class) != *expected {
            wrong.add(|| difference(source, to_released, released, class, expected.rows));
        }
    }
}

/// How a released class differs from what the original makes it.
fn difference(
    source: &Generalized,
    to_released: &[Vec<u32>],
    released: &Side,
    class: usize,
    expected: u64,
) -> String {
    let all: Vec<usize> = (0..to_released.len()).collect();
    let name = released.name(class, &all);
    let found = released.classes.tally(class).rows;
    if expected == 0 && is_source(source, to_released, released.classes.tuples.tuple(class)) {
        return format!(
            "class {name} is released with {}, though it must be suppressed",
            several(found, "row")
        );
    }
    if expected != found {
        return format!("class {name} has {}, the original makes {expected}", several(found, "row"));
    }
    format!(
        "class {name} with {} has other cells than its source rows besides the quasi-identifiers",
        several(found, "row")
    )
}

/// Whether rows of the original generalize to a released class, safe or not.
fn is_source(source: &Generalized, to_released: &[Vec<u32>], tuple: &[u32]) -> bool {
    let back = |(map, number): (&Vec<u32>, &u32)| map.iter().position(|n| n == number).map(|n| n as u32);
    let tuple: Option<Vec<u32>> = to_released.iter().zip(tuple).map(back).collect();
    tuple.is_some_and(|tuple| {
        source.classes.tuples.get(&tuple).is_some() || source.forced.tuples.get(&tuple).is_some()
    })
}

/// A class of the generalized original as a sentence names it; it is safe, so that nobody is named with it.
fn labels(tuple: &[u32], chains: &[Chain<'_>]) -> String {
    let labels: Vec<&str> = chains.iter().zip(tuple).map(|(chain, &number)| label(chain, number)).collect();
    format!("({})", labels.join(", "))
}

fn label<'a>(chain: &'a Chain<'_>, number: u32) -> &'a str {
    match (chain.at(), number) {
        (_, UNKNOWN) => "unknown",
        (Some((hierarchy, level)), 1..) => hierarchy.label(level, number - 1).unwrap_or("missing"),
        _ => "missing",
    }
}
