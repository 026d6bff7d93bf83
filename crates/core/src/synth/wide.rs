//! A wide table of correlated columns, for benchmarks: clients of a bank over half a year.
//!
//! 24 columns in 5.0 · 10¹³ nodes: demographics, and six months each of payment status, bill and
//! payment, which depend on the month before. Most rows are unique in a handful of columns, as in
//! real tables of this width, so no release is good without suppression and no search can visit
//! every node. A row costs about a microsecond; nothing is stored.

use super::draw::Draw;
use super::exact::exp;
use super::skewed::hierarchy_paths;
use crate::hierarchy::Path;

/// A column: its name, how many values it has, and how many neighbours each level of its hierarchy
/// joins.
struct Column {
    name: &'static str,
    domain: u32,
    fanouts: &'static [usize],
}

const MONTHS: usize = 6;

const PERSON: [Column; 6] = [
    Column { name: "limit", domain: 81, fanouts: &[5, 2, 2] },
    Column { name: "sex", domain: 2, fanouts: &[] },
    Column { name: "education", domain: 7, fanouts: &[3] },
    Column { name: "marriage", domain: 4, fanouts: &[2] },
    Column { name: "age", domain: 58, fanouts: &[2, 5, 2, 2] },
    Column { name: "default", domain: 2, fanouts: &[] },
];

const MONTHLY: [Column; 3] = [
    Column { name: "status", domain: 11, fanouts: &[3] },
    Column { name: "bill", domain: 400, fanouts: &[5, 4, 4] },
    Column { name: "payment", domain: 300, fanouts: &[10, 5] },
];

/// The wide table.
#[derive(Debug, Clone, Copy)]
pub struct Wide {
    seed: u64,
}

impl Wide {
    /// Number of columns.
    pub const COLUMNS: usize = PERSON.len() + MONTHLY.len() * MONTHS;

    /// The table that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        Wide { seed }
    }

    /// How many nodes the lattice over all columns has.
    pub fn nodes() -> u64 {
        (0..Self::COLUMNS).map(|c| Self::column(c).fanouts.len() as u64 + 2).product()
    }

    fn column(column: usize) -> &'static Column {
        PERSON.get(column).unwrap_or_else(|| &MONTHLY[(column - PERSON.len()) / MONTHS])
    }

    /// The name of a column: `age`, `bill3`.
    pub fn name(column: usize) -> String {
        let name = Self::column(column).name;
        if column < PERSON.len() {
            return name.into();
        }
        format!("{name}{}", (column - PERSON.len()) % MONTHS + 1)
    }

    /// The hierarchy of a column, in order of codes, up to below its highest level.
    pub fn paths(column: usize) -> Vec<Path> {
        let Column { domain, fanouts, .. } = Self::column(column);
        hierarchy_paths(&Self::name(column), *domain as usize, fanouts)
    }

    /// The rows' codes, without end.
    pub fn rows(self) -> impl Iterator<Item = [u32; Self::COLUMNS]> {
        let mut draw = Draw::new(self.seed);
        std::iter::repeat_with(move || row(&mut draw))
    }
}

/// A whole number within a column's domain.
fn code(column: &Column, value: f64) -> u32 {
    (value.max(0.0) as u32).min(column.domain - 1)
}

/// A place in a column's domain such that values of deviation 1 are spread over all of it.
fn ranked(column: &Column, value: f64) -> u32 {
    code(column, f64::from(column.domain) / (1.0 + exp(-1.7 * value)))
}

fn row(draw: &mut Draw) -> [u32; Wide::COLUMNS] {
    let mut row = [0; Wide::COLUMNS];
    let (wealth, care, youth) = (draw.bell(), draw.bell(), draw.bell());
    let schooling = 0.5 * wealth + draw.bell();
    row[0] = code(&PERSON[0], 12.0 * exp(0.7 * wealth + 0.4 * draw.bell()));
    row[1] = u32::from(draw.per_mille(400));
    row[2] = code(&PERSON[2], 2.2 - 0.9 * schooling);
    row[3] = code(&PERSON[3], 1.6 + 0.5 * youth + 0.3 * draw.bell());
    row[4] = code(&PERSON[4], 6.0 + 9.0 * exp(-0.5 * youth));
    let (mut status, mut debt) = (draw.bell() - care, draw.bell() + wealth);
    let mut late = 0.0;
    for month in 0..MONTHS {
        let at = PERSON.len() + month;
        status = 0.9 * status + 0.43 * draw.bell();
        debt = 0.95 * debt + 0.3 * draw.bell() + 0.02 * status;
        row[at] = code(&MONTHLY[0], 3.0 + 1.6 * status);
        row[at + MONTHS] = ranked(&MONTHLY[1], 0.9 * debt);
        let paid = 0.6 * debt + 0.5 * care + 0.8 * draw.bell();
        row[at + 2 * MONTHS] = ranked(&MONTHLY[2], paid);
        late += status;
    }
    row[5] = u32::from(late + 3.0 * draw.bell() > 6.0);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::Hierarchy;
    use std::collections::HashSet;

    #[test]
    fn the_lattice_is_too_large_to_finish() {
        assert_eq!(Wide::COLUMNS, 24);
        assert_eq!(Wide::nodes(), 50_388_480_000_000);
        let built: u64 = (0..Wide::COLUMNS)
            .map(|c| Hierarchy::new(Wide::paths(c), false).unwrap().height() as u64 + 1)
            .product();
        assert_eq!(built, Wide::nodes());
        assert_eq!(
            (Wide::name(4), Wide::name(6), Wide::name(23)),
            ("age".into(), "status1".into(), "payment6".into())
        );
    }

    #[test]
    fn codes_are_leaves_and_every_domain_is_used() {
        let rows: Vec<_> = Wide::new(1).rows().take(30_000).collect();
        for column in 0..Wide::COLUMNS {
            let leaves = Wide::paths(column).len();
            let used: HashSet<u32> = rows.iter().map(|row| row[column]).collect();
            assert!(rows.iter().all(|row| (row[column] as usize) < leaves), "{}", Wide::name(column));
            assert!(used.len() * 2 > leaves, "{}: {} of {leaves}", Wide::name(column), used.len());
        }
    }

    /// Seed 1: a month follows from the one before, and rows are unique in all columns together.
    #[test]
    fn months_are_correlated_and_rows_unique() {
        let rows: Vec<_> = Wide::new(1).rows().take(30_000).collect();
        let same = rows.iter().filter(|row| row[6] == row[7]).count();
        assert!((12_000..27_000).contains(&same), "{same}");
        let distinct: HashSet<_> = rows.iter().collect();
        assert!(distinct.len() > 29_000, "{}", distinct.len());
        assert_ne!(Wide::new(2).rows().next(), rows.first().copied());
    }
}
