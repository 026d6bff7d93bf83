//! The claim that every released row is the true generalization of its own source row, that nothing
//! else was changed, and that exactly the required rows are suppressed.
//!
//! The distinct tuples of the original are generalized to the claimed levels, step by step; the
//! classes that cannot be safe are determined again; the rest must equal the release, class by
//! class, by number of rows and by the sum of the hashes of the unchanged cells. Costs a few
//! look-ups per distinct tuple of the original; rows were counted while they streamed.

use super::claims::starred;
use super::classes::{MISSING, Tally, UNKNOWN};
use super::leveled::{self, Labels, Leveled};
use super::levels::Chain;
use super::pace::Pace;
use super::side::Side;
use super::source::{ByLevel, Generalized, Layer};
use super::verdict::{Finding, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::{Policy, Suppressed};
use throng_terms::release::Certificate;

/// The claim itself.
pub(super) fn truth(
    policy: &Policy,
    certificate: &Certificate,
    (source, values): (&Generalized, Option<&(Leveled, Labels)>),
    chains: &[Chain<'_>],
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Finding> {
    let mut wrong = Wrong::default();
    for (column, cells) in source.unknown() {
        wrong.push(format!(
            "{} of `{}` in the original are not in its hierarchy",
            several(cells, "cell"),
            chains[column].name
        ));
    }
    let mut suppressed = Tally::default();
    (0..source.held.len()).for_each(|class| suppressed.add(source.held.tally(class)));
    wrong.extend(steps(certificate, source));
    // Of drawn rows a certificate does not state how many are held back.
    let withheld = suppressed.rows + source.deleted;
    if certificate.release.sampling.is_none() && withheld != certificate.release.withheld {
        wrong.push(format!(
            "{} to be withheld, the certificate says {}",
            if withheld == 1 { "1 row has".into() } else { format!("{withheld} rows have") },
            certificate.release.withheld
        ));
    }
    let to_released = to_released(chains, released, pace)?;
    let mut expected = vec![Tally::default(); released.classes.len()];
    for layer in &source.layers {
        expect_classes(layer, &to_released, released, (&mut expected, &mut wrong), pace)?;
    }
    if policy.output.suppressed == Suppressed::Starred && suppressed.rows > 0 {
        match starred(released) {
            Some(class) => expected[class].add(suppressed),
            None => wrong.push(format!("no row is starred, {} must be", suppressed.rows)),
        }
    }
    compare(source, &to_released, released, &expected, &mut wrong);
    if let Some((original, labels)) = values {
        let places = places(policy, (source, &source.moved), chains, released, pace)?;
        leveled::compare(original, labels, &places, released, &mut wrong, pace)?;
    }
    Ok(Finding::of(&wrong, || {
        format!(
            "{} released as true generalizations with all else unchanged; {} had to be suppressed",
            several(source.rows - suppressed.rows, "row"),
            several(withheld, "row")
        )
    }))
}

/// Every step must release the claimed rows.
fn steps(certificate: &Certificate, source: &Generalized) -> Vec<String> {
    let pairs = certificate.release.steps.iter().zip(&source.layers).enumerate();
    let wrong = pairs.filter(|(_, (stated, layer))| stated.rows != layer.rows());
    let words = wrong.map(|(step, (stated, layer))| {
        format!(
            "step {step} can release {}, the certificate says {}",
            several(layer.rows(), "row"),
            stated.rows
        )
    });
    words.collect()
}

/// Column → level → number of a generalized value → number of its label in the release.
pub(super) type Numbers = Vec<ByLevel<Vec<u32>>>;

pub(super) fn to_released(chains: &[Chain<'_>], released: &Side, pace: &Pace<'_>) -> Result<Numbers> {
    let mut columns = Numbers::new();
    for (chain, interner) in chains.iter().zip(&released.interners) {
        let mut numbers = ByLevel::new();
        for (hierarchy, level) in (0..chain.levels.len()).filter_map(|step| chain.at(step)) {
            if numbers.contains_key(&level) {
                continue;
            }
            let mut of_level = vec![MISSING];
            for code in 0..hierarchy.size(level) as u32 {
                pace.step()?;
                of_level.push(interner.get(hierarchy.label(level, code)).unwrap_or(UNKNOWN));
            }
            numbers.insert(level, of_level);
        }
        columns.push(numbers);
    }
    Ok(columns)
}

/// Class of the original → the released class that its rows must be in, or [`UNKNOWN`] where they
/// are suppressed; empty where no identifiers are replaced, no row is guarded and no sensitive
/// column has a level.
pub(super) fn places(
    policy: &Policy,
    (source, moved): (&Generalized, &[Option<(u32, u32)>]),
    chains: &[Chain<'_>],
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Vec<u32>> {
    if source.identifiers.is_empty() && policy.guards().is_empty() && policy.leveled().is_empty() {
        return Ok(Vec::new());
    }
    laid(policy, (source, moved), chains, released, pace)
}

/// The same in any case.
pub(super) fn laid(
    policy: &Policy,
    (source, moved): (&Generalized, &[Option<(u32, u32)>]),
    chains: &[Chain<'_>],
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Vec<u32>> {
    let held_back = match policy.output.suppressed {
        Suppressed::Dropped | Suppressed::Cells => UNKNOWN,
        Suppressed::Starred => starred(released).map_or(UNKNOWN, |class| class as u32),
    };
    let to_released = to_released(chains, released, pace)?;
    let mut tuple = Vec::with_capacity(chains.len());
    let mut layers: Vec<Vec<u32>> = Vec::new();
    for layer in &source.layers {
        let maps = maps_at(&to_released, &layer.levels);
        let mut places = Vec::with_capacity(layer.classes.len());
        for class in 0..layer.classes.len() {
            pace.steps(4)?;
            let number = |(&number, map): (&u32, &&[u32])| map.get(number as usize).copied();
            let numbers = layer.classes.tuples.tuple(class).iter().zip(&maps).map(number);
            tuple.clear();
            tuple.extend(numbers.map(|number| number.unwrap_or(UNKNOWN)));
            places.push(released.classes.tuples.get(&tuple).map_or(UNKNOWN, |class| class as u32));
        }
        layers.push(places);
    }
    let place = |moved: &Option<(u32, u32)>| match *moved {
        Some((step, class)) => layers[step as usize][class as usize],
        None => held_back,
    };
    Ok(moved.iter().map(place).collect())
}

/// Lays every class that a step can release on the released class of the same labels.
fn expect_classes(
    layer: &Layer,
    to_released: &Numbers,
    released: &Side,
    (expected, wrong): (&mut [Tally], &mut Wrong),
    pace: &Pace<'_>,
) -> Result<()> {
    let maps: Vec<&[u32]> = maps_at(to_released, &layer.levels);
    let mut tuple = vec![MISSING; to_released.len()];
    for class in (0..layer.classes.len()).filter(|&class| layer.stay[class] > 0) {
        pace.steps(4)?;
        for ((cell, &number), map) in tuple.iter_mut().zip(layer.classes.tuples.tuple(class)).zip(&maps) {
            *cell = map.get(number as usize).copied().unwrap_or(UNKNOWN);
        }
        match released.classes.tuples.get(&tuple) {
            Some(found) => expected[found].add(layer.classes.tally(class)),
            None => wrong.add(|| {
                format!("a class is left out with {}, though it is safe", several(layer.stay[class], "row"))
            }),
        }
    }
    Ok(())
}

/// Column → number of a generalized value → number of its label in the release, at some levels.
pub(super) fn maps_at<'a>(to_released: &'a Numbers, levels: &[usize]) -> Vec<&'a [u32]> {
    let map = |(maps, level): (&'a ByLevel<Vec<u32>>, &usize)| maps.get(level).map_or(&[][..], Vec::as_slice);
    to_released.iter().zip(levels).map(map).collect()
}

/// Names every released class that is not what the original makes it.
fn compare(
    source: &Generalized,
    to_released: &Numbers,
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
    to_released: &Numbers,
    released: &Side,
    class: usize,
    expected: u64,
) -> String {
    let name = released.name(class);
    let found = released.classes.tally(class).rows;
    if expected == 0 && is_held(source, to_released, released.classes.tuples.tuple(class)) {
        return format!("{name} is released with {}, though it must be suppressed", several(found, "row"));
    }
    if expected != found {
        return format!("{name} has {}, the original makes {expected}", several(found, "row"));
    }
    format!(
        "{name} with {} has other cells than its source rows besides the quasi-identifiers",
        several(found, "row")
    )
}

/// Whether rows of the original that no step releases look like a released class at the first step.
fn is_held(source: &Generalized, to_released: &Numbers, tuple: &[u32]) -> bool {
    let Some(first) = source.layers.first() else { return false };
    let back = |(map, number): (&&[u32], &u32)| map.iter().position(|n| n == number).map(|n| n as u32);
    let maps = maps_at(to_released, &first.levels);
    let tuple: Option<Vec<u32>> = maps.iter().zip(tuple).map(back).collect();
    tuple.is_some_and(|tuple| source.held.tuples.get(&tuple).is_some())
}
