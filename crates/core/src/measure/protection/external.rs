//! Joins what external tables state about people: E = T1 × … × Tm.
//!
//! A person has a row for every combination of their rows in the tables in which no two tables
//! contradict each other; if all contradict, the rows stay apart. What no table states about a
//! person is unknown. Costs a sort per table, and the combinations.

use crate::anonymous_system::{Entity, External, UNKNOWN};
use crate::error::Result;
use crate::fault;

/// The table that states what all of several tables state about some columns.
pub(super) fn joined(tables: Vec<External>, width: usize) -> Result<External> {
    let none = External { entities: Vec::new(), values: Vec::new() };
    let mut tables = tables.into_iter();
    let first = tables.next().unwrap_or(none);
    tables.try_fold(first, |left, right| join(&left, &right, width))
}

fn join(left: &External, right: &External, width: usize) -> Result<External> {
    let (left, right) = (Sorted::new(left, width), Sorted::new(right, width));
    let mut join = External { entities: Vec::new(), values: Vec::new() };
    let (mut at, mut other) = (0, 0);
    while at < left.order.len() || other < right.order.len() {
        let entity = [left.entity(at), right.entity(other)].into_iter().flatten().min().unwrap_or(0);
        let (ours, theirs) = (left.of(entity, &mut at), right.of(entity, &mut other));
        let before = join.entities.len();
        for a in &ours {
            for b in &theirs {
                push_merged(&mut join, entity, (a, b));
            }
        }
        if join.entities.len() == before {
            for row in ours.iter().chain(&theirs) {
                join.entities.push(entity);
                join.values.extend(*row);
            }
        }
        if join.entities.len() > u32::MAX as usize {
            return Err(fault!(
                Data,
                "measure.join-too-large",
                "the external tables together have more than {limit} rows",
                limit = u32::MAX
            )
            .key("--external")
            .help("give tables with one row per person")
            .into());
        }
    }
    Ok(join)
}

/// Adds what two rows state together, unless they contradict each other.
fn push_merged(join: &mut External, entity: Entity, (a, b): (&[u32], &[u32])) {
    let contradict = |(&a, &b): (&u32, &u32)| a != UNKNOWN && b != UNKNOWN && a != b;
    if !a.iter().zip(b).any(contradict) {
        join.entities.push(entity);
        join.values.extend(a.iter().zip(b).map(|(&a, &b)| if a == UNKNOWN { b } else { a }));
    }
}

/// The distinct rows of a table in the order of people.
struct Sorted<'a> {
    table: &'a External,
    width: usize,
    order: Vec<u32>,
}

impl<'a> Sorted<'a> {
    fn new(table: &'a External, width: usize) -> Self {
        let mut order: Vec<u32> = (0..table.entities.len() as u32).collect();
        let key = |row: &u32| {
            let at = *row as usize;
            (table.entities[at], &table.values[at * width..][..width])
        };
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        order.dedup_by(|a, b| key(a) == key(b));
        Sorted { table, width, order }
    }

    fn entity(&self, at: usize) -> Option<Entity> {
        self.order.get(at).map(|&row| self.table.entities[row as usize])
    }

    /// The rows of a person, which start at a place; moves it behind them.
    fn of(&self, entity: Entity, at: &mut usize) -> Vec<&'a [u32]> {
        let mut rows = Vec::new();
        while self.entity(*at) == Some(entity) {
            rows.push(&self.table.values[self.order[*at] as usize * self.width..][..self.width]);
            *at += 1;
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(Entity, [u32; 2])]) -> External {
        External {
            entities: rows.iter().map(|row| row.0).collect(),
            values: rows.iter().flat_map(|row| row.1).collect(),
        }
    }

    fn rows(table: &External) -> Vec<(Entity, &[u32])> {
        table.entities.iter().copied().zip(table.values.chunks(2)).collect()
    }

    #[test]
    fn rows_of_a_person_are_combined_unless_they_contradict_each_other() {
        let first = table(&[(3, [7, UNKNOWN]), (1, [5, UNKNOWN]), (1, [6, UNKNOWN]), (1, [5, UNKNOWN])]);
        let second = table(&[(1, [UNKNOWN, 9]), (1, [6, 8]), (2, [4, UNKNOWN]), (3, [8, 8])]);
        let join = joined(vec![first, second], 2).unwrap();
        let expected: [(Entity, &[u32]); 6] =
            [(1, &[5, 9]), (1, &[6, 8]), (1, &[6, 9]), (2, &[4, UNKNOWN]), (3, &[7, UNKNOWN]), (3, &[8, 8])];
        assert_eq!(rows(&join), expected);
    }
}
