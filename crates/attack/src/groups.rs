//! Distinct tuples of some columns, sorted, with their rows.
//!
//! Keys of at most 128 bits are sorted as numbers on all cores. Costs n log n.

use rayon::prelude::*;
use throng_terms::table::Code;

use crate::table::Column;

/// Distinct tuples in lexicographic order of their codes.
#[derive(Debug, Clone)]
pub struct Groups {
    width: usize,
    tuples: Vec<Code>,
    /// Tuple → where its rows start; one more at the end.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Groups {
    /// Groups the rows of some columns of the same length.
    pub fn new(columns: &[&Column], rows: usize) -> Self {
        let codes: Vec<&[Code]> = columns.iter().map(|column| &column.codes[..]).collect();
        let bits: Vec<u32> = columns.iter().map(|c| usize::BITS - c.size().leading_zeros()).collect();
        let mut order: Vec<u32> = (0..rows as u32).collect();
        if bits.iter().sum::<u32>() <= u128::BITS {
            let key = |row: u32| {
                let parts = codes.iter().zip(&bits);
                parts.fold(0u128, |key, (codes, bits)| key << bits | u128::from(codes[row as usize]))
            };
            let mut keyed: Vec<(u128, u32)> = order.par_iter().map(|&row| (key(row), row)).collect();
            keyed.par_sort_unstable();
            order = keyed.into_iter().map(|(_, row)| row).collect();
        } else {
            let tuple = |row: u32| codes.iter().map(move |codes| codes[row as usize]);
            order.par_sort_unstable_by(|&a, &b| tuple(a).cmp(tuple(b)).then(a.cmp(&b)));
        }
        let same = |a: u32, b: u32| codes.iter().all(|codes| codes[a as usize] == codes[b as usize]);
        let (mut tuples, mut starts) = (Vec::new(), Vec::new());
        for (at, &row) in order.iter().enumerate() {
            if at == 0 || !same(order[at - 1], row) {
                starts.push(at as u32);
                tuples.extend(codes.iter().map(|codes| codes[row as usize]));
            }
        }
        starts.push(rows as u32);
        Groups { width: columns.len(), tuples, starts, rows: order }
    }

    /// Number of distinct tuples.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of a tuple.
    pub fn tuple(&self, at: usize) -> &[Code] {
        &self.tuples[at * self.width..][..self.width]
    }

    /// Number of rows with a tuple.
    pub fn count(&self, at: usize) -> u32 {
        self.starts[at + 1] - self.starts[at]
    }

    /// The rows with a tuple.
    pub fn rows(&self, at: usize) -> &[u32] {
        &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Row → its tuple.
    pub fn of_rows(&self) -> Vec<u32> {
        let mut of = vec![0; self.rows.len()];
        for at in 0..self.len() {
            self.rows(at).iter().for_each(|&row| of[row as usize] = at as u32);
        }
        of
    }

    /// All rows, in the order of their tuples.
    pub fn order(&self) -> &[u32] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_are_those_of_a_map(rows in prop::collection::vec([0..4u8, 0..3u8], 0..40)) {
            let texts: Vec<[String; 2]> = rows.iter().map(|row| row.map(|x| x.to_string())).collect();
            let column = |at: usize| Column::new("c", texts.iter().map(|row| Some(&*row[at])));
            let columns = [column(0), column(1)];
            let groups = Groups::new(&[&columns[0], &columns[1]], rows.len());
            let mut expected: BTreeMap<[u8; 2], Vec<u32>> = BTreeMap::new();
            rows.iter().enumerate().for_each(|(at, row)| expected.entry(*row).or_default().push(at as u32));
            prop_assert_eq!(groups.len(), expected.len());
            for (at, (_, rows)) in expected.iter().enumerate() {
                prop_assert_eq!(groups.rows(at), &rows[..]);
                prop_assert_eq!(groups.count(at) as usize, rows.len());
                rows.iter().for_each(|&row| assert_eq!(groups.of_rows()[row as usize] as usize, at));
            }
        }
    }
}
