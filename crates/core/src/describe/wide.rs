//! Roles that only the whole table shows: batteries of survey items, and wide tables whose names
//! give no clue.
//!
//! A battery is a run of numbered columns with one answer scale (`q1` to `q20`, all from 1 to 5):
//! answers that only the survey knows.
//!
//! Columns without a clue are quasi-identifiers while they are few. Outsiders know a handful of
//! facts about a person, and demographics, places and dates are the likely ones; the more columns
//! without a clue a table has, the fewer of them can be among these facts. Most are then what its
//! holder collected. As quasi-identifiers they would all cost detail of the columns that
//! outsiders do know. So every column beyond the first `CATEGORIES` without a clue frees one
//! more of them ([`protected`]), those of few different values first because their values are the
//! most common. Numbers of many different values have a limit of their own, `NUMBERS`; texts of
//! many different values always stay quasi-identifiers. The user is asked about all of them.

use std::collections::BTreeMap;

use super::Known;
use super::names::split;
use super::role::Reason;
use crate::policy::Role;

/// Columns without a clue that may all be quasi-identifiers. Twice as many are taken for what the
/// holder collected.
const CATEGORIES: usize = 5;

/// The same limit for numbers of many different values.
const NUMBERS: usize = 10;

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
    for i in freed(&left, known) {
        let because = format!(
            "The name gives no clue, and the table has {} such columns. Treated as sensitive, because outsiders \
             rarely know most of them.",
            left.len()
        );
        revised.push((i, Role::Sensitive, Reason::unchanged(because)));
    }
    revised.sort_by_key(|(i, ..)| *i);
    revised
}

/// The columns without a clue that are not to be quasi-identifiers, because there are many.
fn freed(unclear: &[usize], known: &[Known]) -> Vec<usize> {
    let (mut few, many): (Vec<usize>, Vec<usize>) =
        unclear.iter().partition(|&&i| known[i].facts.distinct <= FEW);
    let mut numbers: Vec<usize> = many.iter().copied().filter(|&i| known[i].facts.numeric()).collect();
    // The sort is stable: of columns with equally many values, the first ones stay.
    for columns in [&mut few, &mut numbers] {
        columns.sort_by_key(|&i| std::cmp::Reverse(known[i].facts.distinct));
    }
    let few = few.into_iter().skip(protected(unclear.len(), CATEGORIES));
    few.chain(numbers.into_iter().skip(protected(many.len(), NUMBERS))).collect()
}

/// How many of `columns` stay quasi-identifiers: all up to a limit, then one fewer for each column
/// more, down to none at twice the limit.
fn protected(columns: usize, limit: usize) -> usize {
    columns.min((2 * limit).saturating_sub(columns))
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
