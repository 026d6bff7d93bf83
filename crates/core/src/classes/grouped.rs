//! Classes from grouped rows: distinct tuples in codes of dictionaries become tuples of leaves, with
//! histograms of measured columns. One pass over the distinct tuples.

use rayon::prelude::*;

use super::{Classes, Codes};
use crate::error::Result;
use crate::histogram::{Histogram, Scratch};
use crate::table::Code;
use crate::tuples::Tuples;

/// Tuples that a core changes at a time.
const PIECE: usize = 1 << 14;

impl Classes {
    /// The classes of the same rows without one of the columns, in the order of their codes, with
    /// what is measured in them and without a population.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn without(&self, column: usize) -> Result<Classes> {
        let mut tuples = Tuples::new(self.columns - 1);
        let mut row = vec![0; self.columns - 1];
        let mut ids = Vec::with_capacity(self.len());
        for (class, &count) in self.counts.iter().enumerate() {
            let left = (0..self.columns).filter(|&c| c != column);
            row.iter_mut().zip(left).for_each(|(cell, c)| *cell = self.code(class, c));
            match row.is_empty() {
                true => ids.push(0),
                false => ids.push(tuples.insert(&row, count)),
            }
        }
        let merged = |histogram: &Histogram| {
            let mut to = Histogram::default();
            let classes = tuples.len().max(usize::from(row.is_empty()));
            histogram.merge(&ids, classes, &mut to, &mut Scratch::default());
            to
        };
        let histograms: Vec<Histogram> = self.histograms.iter().map(merged).collect();
        let (codes, mut counts) = tuples.into_parts();
        if row.is_empty() {
            counts = vec![self.counts.iter().sum()];
        }
        let classes = Classes::new(row.len(), codes, counts)?.measured(histograms)?;
        let classes = classes.with_targets(self.targets).with_rare(self.rare);
        Ok(classes.with_subject(self.subject).sorted())
    }

    /// The classes that the tuples become when every column's codes are replaced by `maps`.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_tuples(tuples: Tuples, maps: &[Vec<Code>]) -> Result<Classes> {
        let injective = maps.iter().all(|map| {
            let mut seen = map.clone();
            seen.sort_unstable();
            seen.windows(2).all(|w| w[0] != w[1])
        });
        if injective {
            let width = tuples.width();
            let (codes, counts) = tuples.into_parts();
            return Classes::new(width, mapped(codes, width, maps), counts);
        }
        let mut merged = Tuples::new(tuples.width());
        let mut row = vec![0; tuples.width()];
        for (at, &count) in tuples.counts().iter().enumerate() {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = maps[column][tuples.code(at, column) as usize];
            }
            merged.insert(&row, count);
        }
        let (codes, counts) = merged.into_parts();
        Classes::new(maps.len(), codes, counts)
    }

    /// As [`of_tuples`](Self::of_tuples) for the first columns, with a histogram of each
    /// further one.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn of_measured(tuples: Tuples, columns: usize, maps: &[Vec<Code>]) -> Result<Classes> {
        if columns == tuples.width() {
            return Classes::of_tuples(tuples, maps);
        }
        let mut classes = Tuples::new(columns);
        let mut triples = vec![Vec::with_capacity(tuples.len()); tuples.width() - columns];
        let mut row = vec![0; columns];
        for (at, &count) in tuples.counts().iter().enumerate() {
            let code = |column: usize| maps[column][tuples.code(at, column) as usize];
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = code(column));
            let class = classes.insert(&row, count);
            for (measured, triples) in triples.iter_mut().enumerate() {
                triples.push((class, code(columns + measured), count));
            }
        }
        let histograms =
            triples.iter().map(|t| Histogram::new(classes.len(), t)).collect::<Result<Vec<_>>>()?;
        let (codes, counts) = classes.into_parts();
        Classes::new(columns, codes, counts)?.measured(histograms)
    }
}

/// Replaces codes on all cores, keeping them narrow where they stay so.
fn mapped(codes: Codes, width: usize, maps: &[Vec<Code>]) -> Codes {
    let narrow = maps.iter().all(|m| m.iter().all(|&c| c <= Code::from(u16::MAX)));
    match (codes, narrow) {
        (Codes::Narrow(mut codes), true) => {
            replace(&mut codes, width, |column, code| maps[column][usize::from(code)] as u16);
            Codes::Narrow(codes)
        }
        (Codes::Narrow(codes), false) => {
            mapped(Codes::Wide(codes.into_iter().map(Code::from).collect()), width, maps)
        }
        (Codes::Wide(mut codes), narrow) => {
            replace(&mut codes, width, |column, code| maps[column][code as usize]);
            match narrow {
                true => Codes::Narrow(codes.into_iter().map(|code| code as u16).collect()),
                false => Codes::Wide(codes),
            }
        }
    }
}

/// Replaces every code, tuple by tuple.
fn replace<T: Copy + Send>(codes: &mut [T], width: usize, replaced: impl Fn(usize, T) -> T + Sync) {
    let width = width.max(1);
    codes.par_chunks_mut(width * PIECE).for_each(|piece| {
        for tuple in piece.chunks_exact_mut(width) {
            tuple.iter_mut().enumerate().for_each(|(column, code)| *code = replaced(column, *code));
        }
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn classes_of(classes: &Classes) -> BTreeMap<Vec<Code>, u32> {
        (0..classes.len())
            .map(|c| ((0..classes.columns()).map(|i| classes.code(c, i)).collect(), classes.counts()[c]))
            .collect()
    }

    proptest! {
        #[test]
        fn grouping_counts_like_a_map(
            rows in prop::collection::vec((0u32..4, 65_530u32..65_540, 0u32..3), 0..200),
            batch in 1usize..50,
            merge in any::<bool>(),
        ) {
            let mut tuples = Tuples::new(3);
            for part in rows.chunks(batch) {
                let columns = [
                    part.iter().map(|r| r.0).collect(),
                    part.iter().map(|r| r.1).collect(),
                    part.iter().map(|r| r.2).collect(),
                ];
                tuples.add(&columns, part.len()).unwrap();
            }
            let to = |c: u32| if merge { c / 2 } else { c };
            let maps: Vec<Vec<u32>> = vec![(0..4).map(to).collect(), (0..65_540).collect(), (0..3).collect()];
            let mut expected = BTreeMap::new();
            for r in &rows {
                *expected.entry(vec![to(r.0), r.1, r.2]).or_insert(0) += 1;
            }
            for r in &rows {
                prop_assert!(tuples.find(&[r.0, r.1, r.2]).is_some());
            }
            prop_assert!(tuples.find(&[9, 9, 9]).is_none());
            let plain = Classes::of_tuples(tuples.clone(), &maps).unwrap();
            prop_assert_eq!(classes_of(&plain), expected);
            // The last column measured instead: the classes of the first two, and its values in
            // each.
            let measured = Classes::of_measured(tuples.clone(), 2, &maps).unwrap();
            let mut expected: BTreeMap<Vec<Code>, BTreeMap<Code, u32>> = BTreeMap::new();
            for r in &rows {
                *expected.entry(vec![to(r.0), r.1]).or_default().entry(r.2).or_default() += 1;
            }
            let found: BTreeMap<Vec<Code>, BTreeMap<Code, u32>> = (0..measured.len())
                .map(|c| {
                    let (codes, counts) = measured.histograms()[0].class(c);
                    let tuple = (0..2).map(|i| measured.code(c, i)).collect();
                    (tuple, codes.iter().copied().zip(counts.iter().copied()).collect())
                })
                .collect();
            prop_assert_eq!(found, expected);
            // Without a column, the classes are those of the others, in the order of their codes.
            let left = Classes::of_measured(tuples.clone(), 2, &maps).unwrap().without(0).unwrap();
            let mut fewer: BTreeMap<Vec<Code>, BTreeMap<Code, u32>> = BTreeMap::new();
            for r in &rows {
                *fewer.entry(vec![r.1]).or_default().entry(r.2).or_default() += 1;
            }
            let found: Vec<(Vec<Code>, BTreeMap<Code, u32>)> = (0..left.len())
                .map(|c| {
                    let (codes, counts) = left.histograms()[0].class(c);
                    (vec![left.code(c, 0)], codes.iter().copied().zip(counts.iter().copied()).collect())
                })
                .collect();
            prop_assert_eq!(found, fewer.into_iter().collect::<Vec<_>>());
            // Measuring a column changes neither the classes nor their order.
            let mut seen: Vec<Vec<Code>> = Vec::new();
            for c in 0..plain.len() {
                let tuple: Vec<Code> = (0..2).map(|i| plain.code(c, i)).collect();
                if !seen.contains(&tuple) {
                    seen.push(tuple);
                }
            }
            let order: Vec<Vec<Code>> =
                (0..measured.len()).map(|c| (0..2).map(|i| measured.code(c, i)).collect()).collect();
            prop_assert_eq!(order, seen);
        }
    }
}
