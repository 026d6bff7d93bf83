//! The price of a value joined with each other value of a column of labels, by the labels above it.
//!
//! Values are numbered in the order of the hierarchy, so the values under a label are a range of
//! numbers, and the ranges of the labels above one value nest like rings. Two values cost what the
//! least label above both costs: the innermost ring around the one that holds the other. Finding all
//! rings takes one pass over the values per level, and three words per value and level. Then a pair
//! takes one comparison per level, and a row of all values is filled ring by ring.

use super::{Column, Join};
use crate::policy::Form;

/// The labels above every value of a column.
#[derive(Debug)]
pub(super) struct Rings {
    height: usize,
    /// Value → for each level from 1, the lowest number under its label; then how far the highest is
    /// from it; then the price. All that a value needs is in a few cache lines.
    words: Vec<u32>,
}

/// The labels above one value, from level 1.
pub(super) struct Above<'a> {
    number: u32,
    low: &'a [u32],
    wide: &'a [u32],
    price: &'a [u32],
}

impl Rings {
    /// The rings of a column; none where its prices do not follow from its levels.
    pub(super) fn new(column: &Column<'_>) -> Option<Self> {
        let Join::Ranks(axis) = column.join else { return None };
        if axis.form() != Form::Label || !axis.nested() || column.worth.is_some() {
            return None;
        }
        let height = axis.height();
        let values = &column.values;
        let mut words = vec![0; 3 * height * values.len()];
        for level in 1..=height {
            let mut low = 0;
            while low < values.len() {
                let (_, last) = axis.branch(values[low], level);
                let under = values[low..].partition_point(|&value| value <= last).max(1);
                // The same arithmetic as that of a range of ranks, so that prices are equal.
                let share = axis.weight() * axis.label_share(level, values[low]) / axis.weight();
                let price = if axis.weight() > 0.0 { column.scaled(share) } else { 0 };
                for number in low..low + under {
                    let of = &mut words[3 * height * number..][..3 * height];
                    of[level - 1] = low as u32;
                    of[height + level - 1] = under as u32 - 1;
                    of[2 * height + level - 1] = price;
                }
                low += under;
            }
        }
        Some(Rings { height, words })
    }

    /// The labels above a value.
    #[inline]
    pub(super) fn above(&self, number: u32) -> Above<'_> {
        let of = &self.words[3 * self.height * number as usize..][..3 * self.height];
        let (low, rest) = of.split_at(self.height);
        let (wide, price) = rest.split_at(self.height);
        Above { number, low, wide, price }
    }
}

impl Above<'_> {
    /// What another value costs together with this one.
    #[inline]
    pub(super) fn price(&self, other: u32) -> u32 {
        if other == self.number {
            return 0;
        }
        let rings = self.low.iter().zip(self.wide);
        // A number below the lowest wraps round to a great one.
        let outside = rings.map(|(&low, &wide)| usize::from(other.wrapping_sub(low) > wide)).sum::<usize>();
        self.price[outside]
    }

    /// The same for all values of the column.
    pub(super) fn row(&self, values: usize, prices: &mut Vec<u32>) {
        prices.resize(values, 0);
        let mut inner = self.number as usize..self.number as usize + 1;
        prices[inner.start] = 0;
        for ((&low, &wide), &price) in self.low.iter().zip(self.wide).zip(self.price) {
            let (low, end) = (low as usize, (low + wide) as usize + 1);
            prices[low..inner.start].fill(price);
            prices[inner.end..end].fill(price);
            inner = low..end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::State;
    use super::*;
    use crate::hierarchy::{Hierarchy, Path, Spec, build};
    use crate::space::{Axis, Measure};
    use crate::table::{Code, Dictionary};

    fn hierarchy(branches: &[(u8, u8)], missing: bool) -> Hierarchy {
        let path = |(leaf, (a, b)): (usize, &(u8, u8))| Path {
            leaf: format!("v{leaf}"),
            labels: vec![format!("{a}.{b}"), format!("{a}"), "*".to_owned()],
        };
        Hierarchy::new(branches.iter().enumerate().map(path).collect(), missing).unwrap()
    }

    proptest! {
        #[test]
        fn rings_price_pairs_like_ranges_of_ranks(
            branches in prop::collection::vec((0u8..3, 0u8..3), 1..24),
            missing in any::<bool>(),
            measure in prop::sample::select(vec![Measure::Leaves, Measure::Levels]),
            weight in prop::sample::select(vec![0.0, 0.3, 1.0, 7.0]),
            kept in prop::collection::vec(any::<bool>(), 25),
        ) {
            let axis = Axis::new("x", &hierarchy(&branches, missing), Form::Label, measure, weight).unwrap();
            let values: Vec<Code> =
                (0..axis.len() as Code).filter(|&rank| rank == 0 || kept[rank as usize]).collect();
            let column = Column {
                join: Join::Ranks(&axis),
                full: weight * 12_345.6,
                worth: None,
                numbers: Vec::new(),
                pairs: Vec::new(),
                rings: None,
                values,
            };
            let (rings, mut row) = (Rings::new(&column).unwrap(), vec![77; 40]);
            for a in 0..column.values.len() as u32 {
                rings.above(a).row(column.values.len(), &mut row);
                let expected = |b: u32| column.with(&State::Ranks(a, a), b);
                for b in 0..column.values.len() as u32 {
                    prop_assert_eq!(rings.above(a).price(b), expected(b));
                    prop_assert_eq!(row[b as usize], expected(b));
                }
            }
        }
    }

    #[test]
    fn levels_that_do_not_nest_have_no_rings() {
        let spec: Spec = toml::from_str("intervals = { widths = [2, 5], nested = false }").unwrap();
        let values = Dictionary::of(
            (0..20).map(|n| n.to_string()).collect::<Vec<_>>().iter().map(|v| Some(v.as_str())),
        );
        let hierarchy = build(&spec, &values, &|_| unreachable!("no file")).unwrap();
        let axis = Axis::new("x", &hierarchy, Form::Label, Measure::Leaves, 1.0).unwrap();
        let column = Column {
            join: Join::Ranks(&axis),
            full: 1.0,
            worth: None,
            numbers: Vec::new(),
            pairs: Vec::new(),
            rings: None,
            values: (0..20).collect(),
        };
        assert!(Rings::new(&column).is_none());
    }
}
