//! The people of a population who match the cells of a release in regions, for the verifier: k-map
//! without levels.
//!
//! Somebody matches a released row if every cell is true of their value: a label if it is one of the
//! value's labels, an interval, a range or a set if it has the value, `*` always, and any other text
//! if it is the value. Regions may overlap, and a person who matches several classes counts in each.
//! Distinct tuples of the population are points (`halves.rs`); a class is counted no further than it
//! takes to know that it is not the least. Costs what `meanings.rs` costs per column, and for a class
//! about log n and k where cells are narrow.

use super::claims::Judged;
use super::halves::Half;
use super::levels::Chain;
use super::meanings::{Meanings, Span, Strangers};
use super::pace::Pace;
use super::side::Side;
use throng_terms::error::Result;
use throng_terms::release::Certificate;

/// The rows of every released class, and the people who match it; where these are more than both
/// `required` and the least of all, perhaps not all of them. None where a hierarchy is not known, or
/// cells are not true of values.
pub(super) fn beside(
    certificate: &Certificate,
    population: &Side,
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
    required: u64,
    pace: &Pace<'_>,
) -> Result<Option<Vec<(u64, u64)>>> {
    let Some(facts) = &certificate.release.regions else { return Ok(None) };
    let mut meanings = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let form = facts.forms.get(chain.name).filter(|form| form.truthful());
        let (Some(form), Some(hierarchy)) = (form, chain.hierarchy.as_ref()) else { return Ok(None) };
        let texts = (&population.interners[at], Strangers::ByMeaning);
        meanings.push(Meanings::new((*form, hierarchy), texts, &released.interners[at], pace)?);
    }
    matching(&meanings, population, (released, judged), required, pace).map(Some)
}

/// The same, with what cells are true of.
fn matching(
    meanings: &[Meanings],
    population: &Side,
    (released, judged): (&Side, &Judged),
    required: u64,
    pace: &Pace<'_>,
) -> Result<Vec<(u64, u64)>> {
    let (width, tuples) = (meanings.len(), &population.classes.tuples);
    let place = |person: u32, c: usize| meanings[c].places[tuples.tuple(person as usize)[c] as usize];
    let point = |person: u32, c: usize| (place(person, c), place(person, c).saturating_add(1));
    let counts = population.classes.counts();
    let mut all: Vec<u32> = (0..counts.len() as u32).collect();
    let people = Half::new(&mut all, &point, (width, &counts), pace)?;
    let mut least = u64::MAX;
    let mut beside = Vec::with_capacity(judged.counts.len());
    for (class, &rows) in judged.counts.iter().enumerate() {
        if rows == 0 {
            beside.push((0, 0));
            continue;
        }
        pace.steps(64)?;
        let cells = released.classes.tuples.tuple(class);
        let spans: Vec<&Span> =
            cells.iter().zip(meanings).map(|(&cell, m)| &m.spans[cell as usize]).collect();
        let around: Vec<(u32, u32)> = spans.iter().map(|span| (span.from, span.to)).collect();
        let full = spans.iter().all(|span| span.some.is_none());
        let holds = |person: u32| (0..width).all(|c| spans[c].covers(place(person, c)));
        let matches = |person: u32| holds(person).then(|| counts[person as usize]);
        let mut found = 0;
        people.count(&around, &matches, full, &mut found, least.max(required));
        least = least.min(found);
        beside.push((rows, found));
    }
    Ok(beside)
}
