//! The distinct pairs of a text and the label that it is released as, and whether labels are the
//! means or medians of their classes, or of all their rows where these belong to people.
//!
//! Costs two passes over the shares of the original, and a sort of the texts of each label or of the
//! values of each class or label.

use super::classes::{Interner, UNKNOWN};
use super::deal::{Deal, Dealt, HELD};
use super::pace::Pace;
use super::side::Side;
use throng_terms::cell::number;
use throng_terms::error::Result;
use throng_terms::policy::Form;

/// (text, label) → rows that are released so, sorted by label and text.
pub(super) type Pairs = Vec<((u32, u32), u64)>;

/// The pairs of a column.
pub(super) struct Paired {
    pub(super) pairs: Pairs,
    /// Label → its first pair; one more than labels.
    pub(super) starts: Vec<u32>,
    /// Text → suppressed rows.
    pub(super) hidden: Vec<u64>,
}

/// The pairs of text and label of a column with their rows, in order, and the texts of suppressed
/// rows: shares are sorted by label by counting, and the texts of each label added up.
pub(super) fn paired(
    deal: &Deal,
    column: usize,
    interner: &Interner,
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Paired> {
    let labels = released.interners[column].len();
    let mut hidden = vec![0; interner.len()];
    let mut ends = vec![0u32; labels + 1];
    // Share → its label; classes are all over memory.
    let mut shown = Vec::with_capacity(deal.shares.len());
    for share in &deal.shares {
        pace.step()?;
        match share.class {
            HELD => hidden[deal.tuples.tuple(share.tuple as usize)[column] as usize] += share.rows,
            UNKNOWN => {}
            class => {
                let label = released.classes.tuples.tuple(class as usize)[column];
                ends[label as usize + 1] += 1;
                shown.push(label);
            }
        }
    }
    (0..labels).for_each(|at| ends[at + 1] += ends[at]);
    // Where each label starts; when all shares are placed, where it ends.
    let mut sorted = vec![(0u32, 0u64); ends[labels] as usize];
    for (share, &label) in deal.shares.iter().filter(|share| share.class < HELD).zip(&shown) {
        pace.step()?;
        let end = &mut ends[label as usize];
        sorted[*end as usize] = (deal.tuples.tuple(share.tuple as usize)[column], share.rows);
        *end += 1;
    }
    drop(shown);
    let (mut pairs, mut starts) = (Pairs::new(), vec![0]);
    // Text → the label that it was met with last, and the pair.
    let mut met = vec![(UNKNOWN, 0); interner.len()];
    let mut start = 0;
    for (label, &end) in ends.iter().take(labels).enumerate() {
        let first = pairs.len();
        for &(text, rows) in &sorted[start..end as usize] {
            pace.step()?;
            let (last, at) = &mut met[text as usize];
            if *last != label as u32 {
                (*last, *at) = (label as u32, pairs.len());
                pairs.push(((text, label as u32), 0));
            }
            pairs[*at].1 += rows;
        }
        pairs[first..].sort_unstable();
        starts.push(pairs.len() as u32);
        start = end as usize;
    }
    Ok(Paired { pairs, starts, hidden })
}

/// Number of a label → whether it is the mean or median of the values of every class that has it;
/// none where cells are neither. Where rows belong to people, `by_label`, a label is that of all
/// rows that have it: what is constant per person is recoded alike in several classes.
pub(super) fn means(
    (form, by_label): (Form, bool),
    column: usize,
    (deal, interner): (&Deal, &Interner),
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Option<Vec<bool>>> {
    if form.truthful() {
        return Ok(None);
    }
    let size = |text: u32| interner.value(text).and_then(number);
    let sizes: Vec<Option<f64>> = (0..interner.len() as u32).map(size).collect();
    let of_share = |share: &Dealt| sizes[deal.tuples.tuple(share.tuple as usize)[column] as usize];
    let labels = released.interners[column].len();
    let label = |class: usize| released.classes.tuples.tuple(class)[column] as usize;
    let set = |share: &Dealt| match by_label {
        true => label(share.class as usize),
        false => share.class as usize,
    };
    let sets = if by_label { labels } else { released.classes.len() };
    // A set with a missing value, or of one value, shows what any other form would.
    let mut plain = vec![false; sets];
    let mut ends = vec![0usize; sets + 1];
    for share in deal.shares.iter().filter(|share| share.class < HELD) {
        pace.step()?;
        match of_share(share) {
            Some(_) => ends[set(share) + 1] += 1,
            None => plain[set(share)] = true,
        }
    }
    (0..sets).for_each(|set| ends[set + 1] += ends[set]);
    let mut values = vec![(0.0, 0); ends[sets]];
    for share in deal.shares.iter().filter(|share| share.class < HELD) {
        pace.step()?;
        if let Some(x) = of_share(share) {
            values[ends[set(share)]] = (x, share.rows);
            ends[set(share)] += 1;
        }
    }
    let mut right = vec![true; labels];
    let mut start = 0;
    for (set, &end) in ends.iter().take(sets).enumerate() {
        let values = &mut values[start..end];
        start = end;
        pace.steps(1 + values.len() as u64)?;
        if plain[set] || values.is_empty() {
            continue;
        }
        let label = if by_label { set } else { label(set) };
        let text = released.interners[column].value(label as u32);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        right[label] &= text.is_some_and(|text| stands_for(form, text, values));
    }
    Ok(Some(right))
}

/// Whether a text is the mean or the lower median of some values, which are in order.
fn stands_for(form: Form, text: &str, values: &[(f64, u64)]) -> bool {
    let Some(shown) = number(text) else { return false };
    let rows: u64 = values.iter().map(|v| v.1).sum();
    if form == Form::Median {
        let below: u64 = values.iter().filter(|v| v.0 < shown).map(|v| v.1).sum();
        let until: u64 = values.iter().filter(|v| v.0 <= shown).map(|v| v.1).sum();
        return 2 * below < rows && 2 * until >= rows && values.iter().any(|v| v.0 == shown);
    }
    let mean = values.iter().map(|v| v.0 * v.1 as f64).sum::<f64>() / rows as f64;
    let decimals = text.trim().split_once('.').map_or(0, |(_, after)| after.len());
    let rounding = 0.5 * 10f64.powi(-(decimals as i32));
    (shown - mean).abs() <= rounding * (1.0 + 1e-6) + 1e-12 * mean.abs()
}
