//! Costs of regions, as integers.
//!
//! A *price* combines the cost of a cell and the recipient's preference in one number: the cost of
//! [`Axis::cost`] in the upper 32 bits, and the same cost times (1 − tolerance) in the lower 32
//! bits. Prices of columns are added and compared directly, which orders regions by cost, and
//! regions of equal cost by how little they distort what the recipient wants to keep. Integer sums
//! do not depend on order, so they can be updated incrementally and bounds are exact.
//!
//! On request, columns of sets with few values are priced by the values of the set instead of the
//! range that they span: their order means nothing.
//!
//! Costs one look-up per column with few values or with labels, otherwise one call of
//! [`Axis::cost`]. Memory: 8 bytes for every pair of values of columns with few values, and 8 for
//! every value and level of columns of many labels.

use crate::policy::Form;
use crate::space::{Axis, Measure};
use crate::table::Code;

use super::index::Probe;

/// A cost, then a preference.
pub type Price = u64;

/// All columns at the top cost about this together; leaves room for rounding.
const WHOLE: f64 = (1 << 30) as f64;
/// Most values of a column whose pairs are all priced beforehand.
const PAIRS: usize = 256;
/// Most values of a column that are priced beforehand for every region that grows.
const PROFILE: usize = 2048;

/// What some points cover in a column: the least and the highest rank; or a bit for every value,
/// where sets are priced by their values.
pub type Span = (Code, Code);

/// Most values of a column whose sets have a bit for every value.
const BITS: usize = 64;

/// The cost of a price.
pub fn cost(price: Price) -> u64 {
    price >> 32
}

/// The preference of a price.
pub fn preference(price: Price) -> u64 {
    price & u64::from(u32::MAX)
}

/// The labels above every value of a column, up to the top. Those of one value are together, and
/// eight levels are one line of the cache: points that are compared are rarely near in memory.
#[derive(Default)]
struct Labels {
    /// Labels above a value.
    levels: usize,
    /// Rank → the highest rank under each of its labels, then the costs of these labels.
    lines: Vec<Code>,
}

impl Labels {
    /// The level and the cost of the least label above all values of a range, of at least two: the
    /// first that does not end before the highest of them. Labels above one value nest, so that
    /// these are the ones after.
    #[inline]
    fn least(&self, low: Code, high: Code) -> (usize, u32) {
        let (last, costs) =
            self.lines[2 * self.levels * low as usize..][..2 * self.levels].split_at(self.levels);
        let below = last.iter().map(|&end| usize::from(end < high)).sum::<usize>();
        (below + 1, costs[below])
    }
}

/// The columns with their prices.
pub struct Prices<'a> {
    axes: &'a [Axis],
    /// Column → the two scales.
    scales: Vec<(f64, f64)>,
    /// Column → low → high → price; empty where there are too many.
    pairs: Vec<Vec<Price>>,
    /// Column → its labels; empty where pairs are priced, and where cells are not labels.
    labels: Vec<Labels>,
    /// Column → number of values → price of a set; empty where ranges are priced.
    sets: Vec<Vec<Price>>,
    /// Column → low → high → price of the label or interval in place of a set that is too long; empty
    /// where that is always `*`, which the prices of sets have.
    stand_ins: Vec<Vec<Price>>,
}

impl<'a> Prices<'a> {
    /// Prices of columns, and how much distortion of each the recipient tolerates.
    pub fn new(axes: &'a [Axis], tolerance: &[f64]) -> Self {
        Prices::with_pairs(axes, tolerance, PAIRS)
    }

    /// The same, with all pairs of columns of at most this many values.
    fn with_pairs(axes: &'a [Axis], tolerance: &[f64], most: usize) -> Self {
        let all: f64 = axes.iter().map(Axis::weight).sum();
        let scale = if all > 0.0 { WHOLE / all } else { 0.0 };
        let scales = (0..axes.len()).map(|c| {
            let kept = 1.0 - tolerance.get(c).copied().unwrap_or(1.0).clamp(0.0, 1.0);
            (scale, scale * kept)
        });
        let (sets, stand_ins) = (vec![Vec::new(); axes.len()], vec![Vec::new(); axes.len()]);
        let (scales, pairs, labels) = (scales.collect(), Vec::new(), Vec::new());
        let mut prices = Prices { axes, scales, pairs, labels, sets, stand_ins };
        prices.pairs = (0..axes.len()).map(|column| prices.all_pairs(column, most)).collect();
        prices.labels = (0..axes.len()).map(|column| prices.all_labels(column)).collect();
        prices
    }

    /// The same, with sets priced by their values.
    pub fn with_sets(axes: &'a [Axis], tolerance: &[f64]) -> Self {
        let mut prices = Prices::new(axes, tolerance);
        for (column, axis) in axes.iter().enumerate() {
            let by_values = axis.form() == Form::Set && axis.measure() == Measure::Leaves;
            if by_values && axis.len() <= BITS {
                let price = |values: usize| prices.scaled(column, axis.weight() * axis.set_share(values));
                prices.sets[column] = (0..=axis.len() + 1).map(price).collect();
                prices.stand_ins[column] = prices.all_stand_ins(column);
            }
        }
        prices
    }

    fn all_stand_ins(&self, column: usize) -> Vec<Price> {
        let (axis, values) = (&self.axes[column], self.axes[column].len());
        if !axis.has_stand_ins() {
            return Vec::new();
        }
        let pair = |at: usize| {
            let (a, b) = ((at / values) as Code, (at % values) as Code);
            self.scaled(column, axis.weight() * axis.stand_in_share(a.min(b), a.max(b)))
        };
        (0..values * values).map(pair).collect()
    }

    fn all_pairs(&self, column: usize, most: usize) -> Vec<Price> {
        let values = self.axes[column].len();
        if values > most {
            return Vec::new();
        }
        let pair = |at: usize| {
            let (a, b) = ((at / values) as Code, (at % values) as Code);
            self.computed(column, a.min(b), a.max(b))
        };
        (0..values * values).map(pair).collect()
    }

    fn all_labels(&self, column: usize) -> Labels {
        let axis = &self.axes[column];
        if !self.pairs[column].is_empty() || axis.form() != Form::Label || !axis.nested() {
            return Labels::default();
        }
        let (levels, ranks) = (axis.height(), 0..axis.len() as Code);
        let line = |rank: Code| {
            let last = move |level| axis.branch(rank, level).1;
            let cost = move |level| cost(self.of_label(column, level, rank)) as u32;
            (1..=levels).map(last).chain((1..=levels).map(cost))
        };
        Labels { levels, lines: ranks.flat_map(line).collect() }
    }

    /// The price of the label at a level above a value.
    fn of_label(&self, column: usize, level: usize, rank: Code) -> Price {
        let axis = &self.axes[column];
        self.scaled(column, axis.weight() * axis.label_share(level, rank))
    }

    /// The price of the least label above a range.
    #[inline]
    fn label(&self, column: usize, low: Code, high: Code) -> Price {
        if low == high {
            return 0;
        }
        let (level, cost) = self.labels[column].least(low, high);
        // Where all distortion is tolerated, as by default, the preference is 0.
        if self.scales[column].1 == 0.0 { Price::from(cost) << 32 } else { self.of_label(column, level, low) }
    }

    fn computed(&self, column: usize, low: Code, high: Code) -> Price {
        self.scaled(column, self.axes[column].cost(low, high))
    }

    fn scaled(&self, column: usize, cost: f64) -> Price {
        let (first, second) = self.scales[column];
        // Costs are not negative. `round` is a call of a function on the least x86-64 processor.
        let rounded = |cost: f64| (cost + 0.5) as u64;
        rounded(cost * first) << 32 | rounded(cost * second)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.axes.len()
    }

    /// The price of a cell that covers a range of ranks.
    #[inline]
    pub fn cell(&self, column: usize, low: Code, high: Code) -> Price {
        let pairs = &self.pairs[column];
        if !pairs.is_empty() {
            return pairs[low as usize * self.axes[column].len() + high as usize];
        }
        if self.labels[column].levels > 0 {
            return self.label(column, low, high);
        }
        self.computed(column, low, high)
    }

    /// The price of a cell that covers two ranks.
    #[inline]
    pub fn pair(&self, column: usize, a: Code, b: Code) -> Price {
        match self.by_values(column) {
            true => self.span(column, split(1 << a | 1 << b)),
            false => self.cell(column, a.min(b), a.max(b)),
        }
    }

    /// What a column costs in the mean where it is `*`.
    pub fn unit(&self) -> u64 {
        WHOLE as u64 / self.width().max(1) as u64
    }

    /// Whether spans of a column have a bit for every value.
    #[inline]
    pub fn by_values(&self, column: usize) -> bool {
        !self.sets[column].is_empty()
    }

    /// What no points cover.
    pub fn nothing(&self, column: usize) -> Span {
        if self.by_values(column) { (0, 0) } else { (Code::MAX, 0) }
    }

    /// What some points cover with a further one.
    #[inline]
    pub fn with(&self, column: usize, span: Span, rank: Code) -> Span {
        match self.by_values(column) {
            true => split(bits(span) | 1 << rank),
            false => (span.0.min(rank), span.1.max(rank)),
        }
    }

    /// Whether a span may be less without a point.
    pub fn shrinks(&self, column: usize, span: Span, rank: Code) -> bool {
        match self.by_values(column) {
            true => bits(span).count_ones() > 1,
            false => span.0 != span.1 && (rank == span.0 || rank == span.1),
        }
    }

    /// The price of a cell that covers a span; nothing costs nothing.
    #[inline]
    pub fn span(&self, column: usize, span: Span) -> Price {
        if !self.by_values(column) {
            return if span.0 <= span.1 { self.cell(column, span.0, span.1) } else { 0 };
        }
        self.of_values(column, bits(span))
    }

    /// The price of a set of values, with a bit for each, in a column that is priced by values.
    pub fn of_values(&self, column: usize, set: u64) -> Price {
        let (values, prices) = (set.count_ones() as usize, &self.sets[column]);
        let missing = self.axes[column].missing().is_some_and(|rank| set >> rank & 1 == 1);
        // Nothing less than everything is true of a missing value and others: the last price.
        if missing && values > 1 {
            return prices[prices.len() - 1];
        }
        self.of_present(column, values, || ends(set))
    }

    /// The price of a set of this many present values between two ranks.
    #[inline]
    fn of_present(&self, column: usize, values: usize, ends: impl FnOnce() -> (Code, Code)) -> Price {
        let (axis, stand_ins) = (&self.axes[column], &self.stand_ins[column]);
        if stand_ins.is_empty() || !axis.unlisted(values) {
            return self.sets[column][values];
        }
        let (low, high) = ends();
        stand_ins[low as usize * axis.len() + high as usize]
    }

    /// At most the price of a cell that covers a span and any point of a range of ranks.
    fn least_with(&self, column: usize, span: Span, (low, high): (Code, Code)) -> Price {
        let around = (u64::MAX >> (63 - u64::from(high))) & (u64::MAX << low);
        let set = bits(span);
        if set & around != 0 {
            return self.span(column, span);
        }
        // Labels and intervals only grow with the range of a set, so that none is less than that of
        // the nearest point.
        self.of_present(column, set.count_ones() as usize + 1, || {
            let (first, last) = ends(set);
            if high < first { (high, last) } else { (first, last.max(low)) }
        })
    }

    /// The price of a row of a region.
    pub fn row(&self, spans: &[Span]) -> Price {
        spans.iter().enumerate().map(|(column, &span)| self.span(column, span)).sum()
    }

    /// The price of a row of a region that a point is added to.
    pub fn joined(&self, spans: &[Span], point: &[Code]) -> Price {
        let cell = |(column, (&span, &rank)): (usize, (&Span, &Code))| {
            self.span(column, self.with(column, span, rank))
        };
        spans.iter().zip(point).enumerate().map(cell).sum()
    }
}

/// The least and the highest value of a set with a bit for each, which has one.
fn ends(set: u64) -> (Code, Code) {
    (set.trailing_zeros(), set.ilog2())
}

/// The bits of a span: those of low values in its first half.
fn bits(span: Span) -> u64 {
    u64::from(span.0) | u64::from(span.1) << 32
}

fn split(bits: u64) -> Span {
    (bits as Code, (bits >> 32) as Code)
}

/// What a row of a growing region would cost with any further point: the distance by which the
/// nearest is found.
pub struct Profile<'a> {
    prices: &'a Prices<'a>,
    spans: Vec<Span>,
    /// Column → where its prices start; none where the column has too many values.
    starts: Vec<Option<usize>>,
    /// Rank of a further point → price, column after column.
    known: Vec<Price>,
}

impl<'a> Profile<'a> {
    /// Of no region yet.
    pub fn new(prices: &'a Prices<'a>) -> Self {
        let mut end = 0;
        let start = |axis: &Axis| {
            (axis.len() <= PROFILE).then(|| {
                end += axis.len();
                end - axis.len()
            })
        };
        let starts = prices.axes.iter().map(start).collect();
        let spans = (0..prices.width()).map(|column| prices.nothing(column)).collect();
        Profile { prices, spans, starts, known: vec![0; end] }
    }

    /// Of the region that is only a point.
    pub fn begin(&mut self, point: &[Code]) {
        for (column, &rank) in point.iter().enumerate() {
            self.set(column, self.prices.with(column, self.prices.nothing(column), rank));
        }
    }

    /// Adds a point to the region.
    pub fn add(&mut self, point: &[Code]) {
        for (column, &rank) in point.iter().enumerate() {
            self.set(column, self.prices.with(column, self.spans[column], rank));
        }
    }

    fn set(&mut self, column: usize, span: Span) {
        if self.spans[column] == span {
            return;
        }
        self.spans[column] = span;
        let Some(start) = self.starts[column] else { return };
        let values = self.prices.axes[column].len();
        for (rank, known) in self.known[start..start + values].iter_mut().enumerate() {
            *known = self.prices.span(column, self.prices.with(column, span, rank as Code));
        }
    }

    fn cell(&self, column: usize, rank: Code) -> Price {
        match self.starts[column] {
            Some(start) => self.known[start + rank as usize],
            None => self.prices.span(column, self.prices.with(column, self.spans[column], rank)),
        }
    }
}

impl Probe for Profile<'_> {
    fn key(&self, point: &[Code]) -> u64 {
        point.iter().enumerate().map(|(column, &rank)| self.cell(column, rank)).sum()
    }

    fn bound(&self, ranges: &[(Code, Code)]) -> u64 {
        // Costs only grow with the range, so that no point of a box costs less than its nearest
        // end.
        let mut price = 0;
        for (column, (own, around)) in self.spans.iter().zip(ranges).enumerate() {
            if self.prices.by_values(column) {
                price += self.prices.least_with(column, *own, *around);
                continue;
            }
            let nearest = if around.1 < own.0 {
                around.1
            } else if around.0 > own.1 {
                around.0
            } else {
                own.0
            };
            price += self.cell(column, nearest);
        }
        price
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::table;
    use super::*;
    use crate::policy::Form;

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Prices are the costs of [`Axis::cost`], a profile is what it says, and its bound holds
        /// for every point of a box.
        #[test]
        fn prices_are_costs(
            made in table(30, ANY, ANY),
            picked in proptest::collection::vec(any::<u16>(), 6),
            listed in 1..4usize,
        ) {
            let axes: Vec<Axis> = made.space.axes().iter().map(|axis| axis.clone().listing(listed)).collect();
            let axes = &axes[..];
            let tolerance: Vec<f64> = (0..axes.len()).map(|column| [0.25, 1.0][column % 2]).collect();
            let prices = Prices::new(axes, &tolerance);
            let point = |at: usize| -> Vec<Code> {
                let point = picked[at] as usize % made.space.len();
                (0..axes.len()).map(|column| made.space.rank(point, column)).collect()
            };
            // Labels are priced by rank and level where there are too many pairs.
            let few = Prices::with_pairs(axes, &tolerance, 0);
            for (column, axis) in axes.iter().enumerate() {
                prop_assert_eq!(few.labels[column].levels > 0, axis.form() == Form::Label && axis.nested());
                for (low, high) in (0..axis.len() as Code).flat_map(|low| (low..axis.len() as Code).map(move |high| (low, high))) {
                    prop_assert_eq!(few.cell(column, low, high), prices.cell(column, low, high));
                }
            }
            let range = |a: &[Code], b: &[Code]| -> Vec<(Code, Code)> {
                a.iter().zip(b).map(|(&a, &b)| (a.min(b), a.max(b))).collect()
            };
            let (ranges, third) = (range(&point(0), &point(1)), point(2));
            let all: f64 = axes.iter().map(Axis::weight).sum();
            if all > 0.0 {
                let priced = cost(prices.row(&ranges)) as f64 * all / WHOLE;
                prop_assert!((priced - made.space.cost(&ranges)).abs() < 1e-7);
                let kept = ranges.iter().zip(axes).zip(&tolerance);
                let kept: f64 = kept.map(|((&(low, high), axis), t)| (1.0 - t) * axis.cost(low, high)).sum();
                prop_assert!((preference(prices.row(&ranges)) as f64 * all / WHOLE - kept).abs() < 1e-7);
            }
            // Any box around the third point.
            let around = range(&point(3), &point(4)).into_iter().zip(&third);
            let around: Vec<_> = around.map(|((low, high), &p)| (low.min(p), high.max(p))).collect();
            for prices in [prices, Prices::with_sets(axes, &tolerance)] {
                let mut profile = Profile::new(&prices);
                profile.begin(&point(0));
                profile.add(&point(1));
                let join = |points: &[Vec<Code>]| -> Vec<Span> {
                    let with = |column, span, point: &Vec<Code>| prices.with(column, span, point[column]);
                    let span = |column| points.iter().fold(prices.nothing(column), |s, p| with(column, s, p));
                    (0..axes.len()).map(span).collect()
                };
                let (two, three) = (join(&[point(0), point(1)]), join(&[point(0), point(1), third.clone()]));
                prop_assert_eq!(profile.key(&third), prices.row(&three));
                prop_assert_eq!(prices.joined(&two, &third), prices.row(&three));
                prop_assert!(prices.row(&two) <= prices.row(&three));
                prop_assert!(profile.bound(&around) <= profile.key(&third));
                for (column, axis) in axes.iter().enumerate().filter(|(column, _)| prices.by_values(*column)) {
                    let mut values = [point(0)[column], point(1)[column], third[column]].to_vec();
                    values.sort_unstable();
                    values.dedup();
                    let missing = axis.missing().is_some_and(|rank| values.contains(&rank));
                    let all_values = axis.len() - usize::from(axis.missing().is_some());
                    let share = match (values.len(), missing) {
                        (1, _) => 0.0,
                        (_, true) => 1.0,
                        // Without labels it is the interval of these numbers, which all differ.
                        (n, false) if (n > listed || n == all_values && n > 2) && axis.spans_sets() => {
                            f64::from(values[n - 1] - values[0]) / (axis.len() - 1) as f64
                        }
                        // All labels of these tables are clear: it is the least one above the ends.
                        (n, false) if n > listed || n == all_values && n > 2 => {
                            let (low, high) = (values[0], values[n - 1]);
                            let (first, last) = axis.branch(low, axis.level(low, high));
                            f64::from(last - first) / (axis.len() - 1) as f64
                        }
                        (n, false) => (n - 1) as f64 / (axis.len() - 1) as f64,
                    };
                    let priced = cost(prices.span(column, three[column])) as f64 * all / WHOLE;
                    prop_assert!((priced - axis.weight() * share).abs() < 1e-7, "{values:?} {priced} {share}");
                }
            }
        }
    }
}
