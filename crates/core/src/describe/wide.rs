//! Roles that only the whole table shows: batteries of survey items, and wide tables whose names
//! give no clue.
//!
//! A battery is a run of numbered columns with one answer scale (`q1` to `q20`, all from 1 to 5):
//! answers that only the survey knows. In a table with many columns without a clue, columns of few
//! values are taken for what its holder collected, which outsiders rarely know: calling all of them
//! quasi-identifiers would leave nothing of the table. Columns of many different values stay
//! quasi-identifiers, because each of their values is rarer; numbers among them do so only while
//! such columns are few. The user is asked about all of them.

use std::collections::BTreeMap;

use super::Known;
use super::names::split;
use super::role::Reason;
use crate::policy::Role;

/// Columns without a clue beyond which a table is wide.
const WIDE: usize = 10;

/// Columns without a clue and of many values beyond which numbers are taken for figures.
const WIDEST: usize = 20;

/// Columns of one answer scale that make a battery.
const BATTERY: usize = 4;

/// Values of a column that has few.
const FEW: u64 = 20;

/// Answers of a survey item: more than yes and no, fewer than a figure has.
const ANSWERS: std::ops::RangeInclusive<u64> = 3..=11;

/// Columns with a new role and the reason for it, by index.
pub(super) fn revise(names: &[String], known: &[Known]) -> Vec<(usize, Role, Reason)> {
    let unclear = |i: &usize| !known[*i].clue && known[*i].role == Role::Quasi;
    let mut revised = Vec::new();
    let mut scales: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for i in (0..names.len()).filter(unclear) {
        if let Some(scale) = scale(&names[i], &known[i]) {
            scales.entry(scale).or_default().push(i);
        }
    }
    for items in scales.into_values().filter(|items| items.len() >= BATTERY) {
        for &i in &items {
            let because = format!(
                "One of {} numbered columns with the same answers: a survey item, whose answers outsiders rarely know.",
                items.len()
            );
            revised.push((i, Role::Sensitive, Reason::unchanged(because)));
        }
    }
    let left: Vec<usize> =
        (0..names.len()).filter(unclear).filter(|i| revised.iter().all(|(r, ..)| r != i)).collect();
    if left.len() > WIDE {
        let few = |i: usize| known[i].facts.distinct <= FEW;
        let figures = left.iter().filter(|&&i| !few(i)).count() > WIDEST;
        for &i in left.iter().filter(|&&i| few(i) || figures && known[i].facts.numeric()) {
            let because = format!(
                "The name gives no clue, and the table has {} such columns. Treated as sensitive, because outsiders \
                 rarely know most of them.",
                left.len()
            );
            revised.push((i, Role::Sensitive, Reason::unchanged(because)));
        }
    }
    revised.sort_by_key(|(i, ..)| *i);
    revised
}

/// The stem of a numbered name, and the answers of the column.
fn scale(name: &str, known: &Known) -> Option<(String, String)> {
    let facts = &known.facts;
    let words = split(name);
    let number = words.iter().rposition(|w| w.bytes().all(|b| b.is_ascii_digit()))?;
    // `q12`, `q12a` and `item_12_r` are numbered; `2020_q` and `v1_age_group` are not.
    let numbered =
        number > 0 && words.len() - number <= 2 && words[number + 1..].iter().all(|w| w.len() == 1);
    if !numbered || !ANSWERS.contains(&facts.distinct) {
        return None;
    }
    let answers = match facts.traits.range {
        (low, high) if facts.whole() && (ANSWERS.start() - 1..=10).contains(&((high - low) as u64)) => {
            format!("{low} {high}")
        }
        _ if facts.numeric() => return None,
        _ => facts.values.join("\n"),
    };
    Some((words[..number].concat(), answers))
}
