//! Predictions of held-out rows, and their scores.
//!
//! Costs one prediction per distinct row.

use super::metrics::{Scored, Scores};
use super::split::Held;
use crate::predict::Target;
use crate::predict::spread::{Model, Space, Spread};

/// The scores of a model, and of every group.
pub(super) type ByGroup = (Scores, Vec<Scores>);

/// The scores of predictions, and of those in every group.
pub(super) fn by_group(target: Target, groups: usize, scored: &[Scored]) -> ByGroup {
    let of = |scored: &[&Scored]| score(target, scored);
    let group = |group: usize| of(&scored.iter().filter(|s| s.group as usize == group).collect::<Vec<_>>());
    (of(&scored.iter().collect::<Vec<_>>()), (0..groups).map(group).collect())
}

/// The scores of predictions.
pub(super) fn score(target: Target, scored: &[&Scored]) -> Scores {
    match target {
        Target::Number => Scores::of_numbers(scored),
        Target::Class(of) => Scores::of_classes(scored, of as usize),
    }
}

/// What a model says of held-out rows; equal rows are predicted once.
pub(super) fn tested(model: &dyn Model, space: &Space, held: &Held) -> Vec<Scored> {
    let column = |(c, texts): (usize, &Vec<Option<String>>)| -> Vec<Spread> {
        texts.iter().map(|text| space.cell(c, text.as_deref())).collect()
    };
    let cells: Vec<Vec<Spread>> = held.texts.iter().enumerate().map(column).collect();
    let mut scored: Vec<Scored> = Vec::with_capacity(held.rows.len());
    for (at, row) in held.rows.iter().enumerate() {
        let predicted = match at.checked_sub(1).map(|before| &held.rows[before]) {
            Some(before) if before.cells == row.cells => scored[at - 1].predicted.clone(),
            _ => {
                let of = |(c, cell): (usize, &u32)| &cells[c][*cell as usize];
                model.predict(&row.cells.iter().enumerate().map(of).collect::<Vec<_>>())
            }
        };
        scored.push(Scored { predicted, target: row.target, group: row.group, rows: row.rows });
    }
    scored
}
