//! Interval anonymization by boxes around points [Xiang 2014]: boxes are narrow where the
//! recipient's statistic is sensitive.
//!
//! The distance from point p to point q is the maximum of a_i · |p_i − q_i| over columns i, with
//! a_i = |∂C/∂x_i| at p: the half widths of the best box around p are proportional to 1/a_i. With N
//! rows, mean E, standard deviation σ and z = (x − E)/σ, up to the common factor 1/N:
//!
//! | C | a_i, in units of C |
//! | --- | --- |
//! | mean of column i | w_i / σ_i |
//! | variance of column i, over σ_i² | w_i · 2·abs(z_i) / σ_i |
//! | covariance of i and j, over σ_i·σ_j | w_i · abs(z_j) / σ_i |
//! | correlation r of i and j | w_i · abs(z_j − r·z_i) / σ_i |
//!
//! Where the policy limits the widths of bounds (`privacy.utility`, or the loss `width`) and has no
//! `search.boxes`, C is the sum of these statistics, each divided by the width that is allowed: a_i
//! is the sum of w_i · σ_i · abs(∂C/∂x_i) / (width · σ_i). A quantile counts as a mean.
//!
//! Units make columns comparable; w_i is the column's weight. A column that C does not use, or to
//! which C is not sensitive at p, gets a twentieth of its coefficient for the mean, which keeps its
//! boxes narrow at little cost. The distance of labels is w_i · level / height.
//!
//! A point that is safe on its own forms a box. Then, in order of number: if neither a point nor
//! any of the nearest points that make it safe is in a box, they form a box. Each remaining point
//! joins the box with the nearest centre, measured from that centre, and the box grows. Cells are
//! the smallest that contain all points of a box.
//!
//! **No nesting.** With one column, boxes are runs of neighbours. Where the sensitivity of the
//! statistic varies, a remaining point could join a box beyond the adjacent one, and that box would
//! contain the one between. Therefore, with one column, a point joins the box with the nearest end.
//! Boxes then remain runs of neighbours, and none contains another. Missing values are not part of
//! that order.
//!
//! Costs one index search per point and one comparison per remaining point and box, in parts of at
//! most [`PART`] points, which run in parallel.

use super::groups::{ASKED, Groups};
use super::index::{Found, Index, Probe};
use super::metric::{Greatest, Metric};
use super::points::{Points, by_parts, each_set_or};
use super::region::{Field, Method, Share};
use crate::error::{Fault, Result, nearest};
use crate::fault;
use crate::policy::{Statistic, StatisticSpec};
use crate::registry::{Algorithm, StatisticKind};
use crate::table::Code;

/// Boxes of numbers.
pub struct Boxes;

/// Most points that are compared with each other.
const PART: usize = 20_000;
/// What a column counts at least, as a share of what it counts for the mean.
const LEAST: f64 = 0.05;

impl Method for Boxes {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Boxes
    }

    fn refuses(&self, field: &Field<'_>) -> Option<Fault> {
        let numeric = |column: usize| field.space.axes()[column].numeric();
        if !(0..field.names.len()).any(numeric) {
            let fault = fault!(
                Input,
                "search.boxes-needs-numbers",
                "\"boxes\" needs numbers, and no column is written as numbers"
            );
            let help = "give a column of numbers form = \"interval\", or write algorithm = \"k-similar\"";
            return Some(fault.key("search.algorithm").help(help));
        }
        let asked = field.search.boxes.as_ref().map_or(&[][..], |boxes| &boxes.columns);
        asked.iter().find_map(|name| unfit(field, name)).or_else(|| too_few(field, asked.len()))
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let metric = Metric::new(field.space);
        let sensitive = Sensitive::new(field, &metric);
        let spread = |column: usize, a: Code, b: Code| metric.spread(column, a, b);
        by_parts(field, points, PART, &spread, |part| {
            Some(boxes(field, part, &metric, &sensitive)?.shares(part))
        })
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        let metric = Metric::new(field.space);
        let sensitive = Sensitive::new(field, &metric);
        each_set_or(field, sets, (PART, |set: &[u32]| self.run(field, set)), |part| {
            Some(boxes(field, part, &metric, &sensitive)?.shares(part))
        })
    }
}

/// Errors of a column that the statistic uses.
fn unfit(field: &Field<'_>, name: &String) -> Option<Fault> {
    let numeric = |column: &usize| field.space.axes()[*column].numeric();
    let columns: Vec<&str> =
        (0..field.names.len()).filter(numeric).map(|column| field.names[column].as_str()).collect();
    if columns.contains(&name.as_str()) {
        return None;
    }
    let fault = match field.names.contains(name) {
        true => fault!(
            Input,
            "search.column-not-numbers",
            "column `{column}` is not written as numbers",
            column = name
        )
        .help("give it form = \"interval\", or leave it out"),
        false => fault!(
            Input,
            "search.no-such-quasi-identifier",
            "there is no quasi-identifier `{column}`",
            column = name
        )
        .help(nearest(name, columns.iter().copied()).map_or_else(
            || format!("it can be {}", columns.join(", ")),
            |near| format!("did you mean `{near}`?"),
        )),
    };
    Some(fault.key("search.boxes.columns"))
}

fn too_few(field: &Field<'_>, asked: usize) -> Option<Fault> {
    let statistic = field.search.boxes.as_ref()?.statistic;
    if !matches!(statistic, Statistic::Covariance | Statistic::Correlation) {
        return None;
    }
    let numeric = field.space.axes().iter().filter(|axis| axis.numeric()).count();
    let columns = if asked > 0 { asked } else { numeric.min(2) };
    (columns != 2).then(|| {
        fault!(
            Input,
            "search.needs-two-columns",
            "a covariance or correlation is of two columns, and there is {columns}",
            columns = columns
        )
        .key("search.boxes.columns")
        .help("name two columns whose form is \"interval\", or write statistic = \"mean\"")
    })
}

/// How sensitive the statistic is to every column at a point.
struct Sensitive<'m, 'a> {
    metric: &'m Metric<'a>,
    statistic: Statistic,
    /// The columns that it is of.
    of: Vec<usize>,
    /// The correlation of the first two.
    correlation: f64,
    /// The statistics whose widths the policy limits, in place of these.
    limited: Vec<Limited>,
}

/// A statistic whose width is limited.
struct Limited {
    kind: StatisticKind,
    column: usize,
    with: usize,
    correlation: f64,
    /// The width that is allowed, in standard deviations.
    width: f64,
}

impl Limited {
    /// σ · abs(∂C/∂x) · N of a column, in allowed widths; z is the place of a point in standard
    /// deviations.
    fn slope(&self, column: usize, z: impl Fn(usize) -> f64) -> f64 {
        let other = if column == self.column { self.with } else { self.column };
        if column != self.column && column != self.with {
            return 0.0;
        }
        let slope = match self.kind {
            StatisticKind::Variance | StatisticKind::VariancePopulation => 2.0 * z(column).abs(),
            StatisticKind::Stddev => z(column).abs(),
            StatisticKind::Covariance => z(other).abs(),
            StatisticKind::Correlation => (z(other) - self.correlation * z(column)).abs(),
            _ => 1.0,
        };
        slope / self.width
    }
}

impl<'m, 'a> Sensitive<'m, 'a> {
    fn new(field: &Field<'_>, metric: &'m Metric<'a>) -> Self {
        let asked = field.search.boxes.clone().unwrap_or_default();
        let named =
            |column: &usize| asked.columns.is_empty() || asked.columns.contains(&field.names[*column]);
        let numeric = (0..metric.axes.len()).filter(|&column| metric.axes[column].numeric());
        let mut of: Vec<usize> = numeric.filter(named).collect();
        let mut sensitive = Sensitive {
            metric,
            statistic: asked.statistic,
            of: Vec::new(),
            correlation: 0.0,
            limited: Vec::new(),
        };
        if field.search.boxes.is_none() {
            sensitive.limited =
                field.aims.statistics.iter().filter_map(|spec| sensitive.limit(field, spec)).collect();
        }
        if matches!(asked.statistic, Statistic::Covariance | Statistic::Correlation) {
            of.truncate(2);
            sensitive.correlation = sensitive.correlated(field, &of);
        }
        Sensitive { of, ..sensitive }
    }

    /// A statistic whose width is limited; none where its columns are not numbers of this field.
    fn limit(&self, field: &Field<'_>, spec: &StatisticSpec) -> Option<Limited> {
        let place = |name: &String| {
            let at = field.names.iter().position(|other| other == name)?;
            (self.metric.axes[at].numeric() && self.metric.scales[at].deviation > 0.0).then_some(at)
        };
        let column = place(&spec.column)?;
        let with = spec.with.as_ref().map_or(Some(column), place)?;
        let deviation = |at: usize| self.metric.scales[at].deviation;
        let unit = match spec.statistic {
            StatisticKind::Variance | StatisticKind::VariancePopulation => deviation(column).powi(2),
            StatisticKind::Covariance => deviation(column) * deviation(with),
            StatisticKind::Correlation => 1.0,
            _ => deviation(column),
        };
        let width = spec.width.filter(|width| *width > 0.0).map_or(1.0, |width| width / unit);
        let correlation = if column == with { 0.0 } else { self.correlated(field, &[column, with]) };
        Some(Limited { kind: spec.statistic, column, with, correlation, width })
    }

    fn correlated(&self, field: &Field<'_>, of: &[usize]) -> f64 {
        let &[i, j] = of else { return 0.0 };
        let (mut sum, mut rows) = (0.0, 0.0);
        for (point, &count) in field.space.counts().iter().enumerate() {
            let z = |column: usize| self.metric.standardized(column, field.space.rank(point, column));
            sum += z(i) * z(j) * f64::from(count);
            rows += f64::from(count);
        }
        if rows > 0.0 { sum / rows } else { 0.0 }
    }

    /// Writes what a unit of difference counts in every column around a point.
    fn units(&self, point: &[Code], units: &mut Vec<f64>) {
        let z = |column: usize| self.metric.standardized(column, point[column]);
        units.clear();
        let alone = self.metric.scales.len() == 1;
        for (column, scale) in self.metric.scales.iter().enumerate() {
            // By itself a column counts whatever its weight is.
            let unit = if alone && scale.deviation > 0.0 { 1.0 / scale.deviation } else { scale.unit };
            if !self.metric.axes[column].numeric() {
                units.push(unit);
                continue;
            }
            let other = self.of.iter().copied().find(|&other| other != column).unwrap_or(column);
            let slope = match self.statistic {
                _ if !self.limited.is_empty() => {
                    self.limited.iter().map(|limited| limited.slope(column, z)).sum::<f64>()
                }
                _ if !self.of.contains(&column) => 0.0,
                Statistic::Mean => 1.0,
                Statistic::Variance => 2.0 * z(column).abs(),
                // Where regions are formed by some columns first, the other may not be among them.
                Statistic::Covariance | Statistic::Correlation if self.of.len() < 2 => 1.0,
                Statistic::Covariance => z(other).abs(),
                Statistic::Correlation => (z(other) - self.correlation * z(column)).abs(),
            };
            units.push(unit * slope.max(LEAST));
        }
    }
}

/// The boxes of a part; none when stopped.
fn boxes(
    field: &Field<'_>,
    points: &Points<'_>,
    metric: &Metric<'_>,
    sensitive: &Sensitive<'_, '_>,
) -> Option<Groups> {
    let index = Index::new(points.width(), points.all_ranks(), &|column, a, b| metric.spread(column, a, b));
    let mut forming = Forming { points, metric, sensitive, units: Vec::new(), found: Found::default() };
    let mut tally = points.judge().tally();
    let mut groups = Groups::default();
    let mut middles = Vec::new();
    let mut boxed = vec![false; points.len()];
    for point in 0..points.len() as u32 {
        if points.safe([point].into_iter(), &mut tally) {
            boxed[point as usize] = true;
            middles.push(point);
            groups.members.push(vec![point]);
        }
    }
    for point in 0..points.len() as u32 {
        if point % 64 == 0 && field.watch.should_finish() {
            return None;
        }
        if let Some(members) = forming.around(point, &index, &boxed) {
            members.iter().for_each(|&member| boxed[member as usize] = true);
            middles.push(point);
            groups.members.push(members);
        }
    }
    let left: Vec<u32> = (0..points.len() as u32).filter(|&point| !boxed[point as usize]).collect();
    if groups.members.is_empty() {
        groups.members.push(left);
        return Some(groups);
    }
    if points.width() == 1 && metric.scales[0].numeric {
        settle_in_line(points, metric, &left, &mut groups);
    } else {
        forming.settle(field, &left, &middles, &mut groups)?;
    }
    Some(groups)
}

struct Forming<'p, 'a, 'm> {
    points: &'p Points<'a>,
    metric: &'p Metric<'m>,
    sensitive: &'p Sensitive<'p, 'm>,
    units: Vec<f64>,
    found: Found,
}

impl Forming<'_, '_, '_> {
    /// A point with its nearest, as many as make it safe; none where one of them is in a box.
    fn around(&mut self, point: u32, index: &Index, boxed: &[bool]) -> Option<Vec<u32>> {
        if boxed[point as usize] {
            return None;
        }
        let (points, judge) = (self.points, self.points.judge());
        let from = points.ranks(point);
        self.sensitive.units(from, &mut self.units);
        let mut wanted = usize::try_from(judge.least()).unwrap_or(usize::MAX).clamp(2, points.len());
        loop {
            let probe = Greatest { metric: self.metric, from, units: &self.units };
            index.nearest(&probe, wanted, &mut self.found);
            let mut tally = judge.tally();
            points.add(&mut tally, point);
            let mut members = vec![point];
            for &(_, other) in self.found.nearest.iter().filter(|found| found.1 != point) {
                if boxed[other as usize] {
                    return None;
                }
                points.add(&mut tally, other);
                members.push(other);
                if judge.safe(&tally) {
                    return Some(members);
                }
            }
            if wanted == points.len() {
                // All points, which are safe together.
                return Some(members);
            }
            wanted = (wanted * 2).min(points.len());
        }
    }

    /// Puts points into the boxes whose middles are nearest, measured from there.
    fn settle(
        &mut self,
        field: &Field<'_>,
        left: &[u32],
        middles: &[u32],
        groups: &mut Groups,
    ) -> Option<()> {
        let points = self.points;
        let mut units = Vec::new();
        for &middle in middles {
            self.sensitive.units(points.ranks(middle), &mut self.units);
            units.extend_from_slice(&self.units);
        }
        let mut tally = points.judge().tally();
        let one = points.judge().absorbs();
        for (turn, &point) in left.iter().enumerate() {
            if turn % 64 == 0 && field.watch.should_finish() {
                return None;
            }
            let far = |group: usize| {
                let units = &units[group * points.width()..][..points.width()];
                let probe = Greatest { metric: self.metric, from: points.ranks(middles[group]), units };
                (probe.key(points.ranks(point)), group)
            };
            let live = (0..middles.len()).filter(|&group| !groups.members[group].is_empty());
            let mut order: Vec<(u64, usize)> = match one {
                true => live.map(far).min().into_iter().collect(),
                false => live.map(far).collect(),
            };
            order.sort_unstable();
            let order: Vec<usize> = order.into_iter().map(|(_, group)| group).collect();
            groups.settle(points, point, &order, ASKED, &mut tally);
        }
        Some(())
    }
}

/// Puts points of one column into the boxes whose ends are nearest, so that boxes stay runs of
/// neighbours.
fn settle_in_line(points: &Points<'_>, metric: &Metric<'_>, left: &[u32], groups: &mut Groups) {
    let mut tally = points.judge().tally();
    for &point in left {
        let rank = points.ranks(point)[0];
        let far = |group: usize| {
            let ranks = groups.members[group].iter().map(|&member| points.ranks(member)[0]);
            let ends = ranks.fold((Code::MAX, 0), |(low, high), rank| (low.min(rank), high.max(rank)));
            // Numbers that are equal but written differently are still next to each other or not.
            let steps = rank.abs_diff(rank.clamp(ends.0, ends.1));
            (metric.at_least(0, rank, ends).to_bits(), steps, group)
        };
        let live = (0..groups.members.len()).filter(|&group| !groups.members[group].is_empty());
        let mut order: Vec<_> = live.map(far).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, _, group)| group).collect();
        // A box beyond the nearest would swallow it.
        groups.settle(points, point, &order, 1, &mut tally);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::region::Judge;
    use super::super::tests::{Distinct, Made, Majority, field, models, numbers, table};
    use super::*;
    use crate::model::ClassModel;
    use crate::policy::{Boxes as Asked, Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Range];
    const INTERVAL: &[Form] = &[Form::Interval];

    fn search(statistic: Statistic) -> Search {
        Search { boxes: Some(Asked { statistic, columns: Vec::new() }), ..Search::default() }
    }

    fn statistic() -> impl Strategy<Value = Statistic> {
        use Statistic::*;
        proptest::sample::select(&[Mean, Variance, Covariance, Correlation][..])
    }

    /// The boxes as the head of the file defines them, before left-overs join: by looking at all
    /// points each time.
    fn by_definition(
        points: &Points<'_>,
        metric: &Metric<'_>,
        sensitive: &Sensitive<'_, '_>,
    ) -> Vec<Vec<u32>> {
        let judge = points.judge();
        let safe = |members: &[u32]| {
            let mut tally = judge.tally();
            members.iter().for_each(|&point| points.add(&mut tally, point));
            judge.safe(&tally)
        };
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut formed: Vec<Vec<u32>> = all.iter().filter(|&&p| safe(&[p])).map(|&p| vec![p]).collect();
        for &point in &all {
            let mut units = Vec::new();
            sensitive.units(points.ranks(point), &mut units);
            let distance = |other: u32| {
                let far =
                    |c: usize| units[c] * metric.apart(c, points.ranks(point)[c], points.ranks(other)[c]);
                (0..points.width()).map(far).fold(0.0, f64::max)
            };
            let mut others: Vec<u32> = all.iter().copied().filter(|&other| other != point).collect();
            others.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
            let mut members = vec![point];
            let mut others = others.into_iter();
            while !safe(&members) {
                members.extend(others.next());
            }
            if !members.iter().any(|member| formed.iter().flatten().any(|taken| taken == member)) {
                formed.push(members);
            }
        }
        formed
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn boxes_are_those_of_the_definition(
            made in table(120, INTERVAL, ANY),
            least in 2..7u64,
            diverse in any::<bool>(),
            statistic in statistic(),
        ) {
            let search = search(statistic);
            let distinct = Distinct::new(3.0);
            let wanted: [&dyn ClassModel; 1] = [&distinct];
            let models = models(&made, &wanted[..usize::from(diverse)]);
            let judge = Judge::new(&made.classes, least.min(made.classes.rows()), models);
            let field = field(&made, &search, judge);
            let points = Points::new(&field, &(0..made.space.len() as u32).collect::<Vec<_>>());
            let metric = Metric::new(&made.space);
            let sensitive = Sensitive::new(&field, &metric);
            let formed = boxes(&field, &points, &metric, &sensitive).unwrap();
            let expected = by_definition(&points, &metric, &sensitive);
            prop_assert_eq!(formed.members.len(), expected.len().max(1));
            for (members, expected) in formed.members.iter().zip(&expected) {
                prop_assert_eq!(&members[..expected.len()], &expected[..]);
            }
            // Where one column decides all, left-overs go by ends; otherwise to the nearest middle,
            // which is first.
            let left = points.len() - expected.iter().flatten().count();
            let joined: usize = formed.members.iter().zip(&expected).map(|(m, e)| m.len() - e.len()).sum();
            prop_assert!(joined == left || expected.is_empty());
            if points.width() > 1 && !expected.is_empty() {
                for (group, members) in formed.members.iter().enumerate() {
                    for &point in &members[expected[group].len()..] {
                        let far = |group: usize| {
                            let (middle, mut units) = (points.ranks(expected[group][0]), Vec::new());
                            sensitive.units(middle, &mut units);
                            Greatest { metric: &metric, from: middle, units: &units }.key(points.ranks(point))
                        };
                        let nearest = (0..expected.len()).min_by_key(|&group| far(group)).unwrap();
                        prop_assert_eq!(nearest, group);
                    }
                }
            }
        }

        /// No interval of one column is inside another, whatever the statistic and the models.
        #[test]
        fn intervals_of_one_column_are_not_nested(
            counts in proptest::collection::vec(prop_oneof![4 => 0..3u32, 1 => 3..9u32], 1..60),
            least in 2..6u64,
            wanted in 0..3usize,
            statistic in prop_oneof![Just(Statistic::Mean), Just(Statistic::Variance)],
        ) {
            prop_assume!(counts.iter().any(|&count| count > 0));
            let made = numbers(&counts);
            let both: [&dyn ClassModel; 2] = [&Distinct::new(3.0), &Majority::new(0.5)];
            let models = models(&made, [&both[..0], &both[..1], &both[1..]][wanted]);
            let judge = Judge::new(&made.classes, least.min(made.classes.rows()), models);
            let search = search(statistic);
            let field = field(&made, &search, judge);
            let all: Vec<u32> = (0..made.space.len() as u32).collect();
            let shares = Boxes.run(&field, &all).unwrap().unwrap();
            let mut ends = vec![(Code::MAX, 0); shares.iter().map(|s| s.region as usize + 1).max().unwrap()];
            for share in &shares {
                let rank = made.space.rank(share.point as usize, 0);
                let (low, high) = &mut ends[share.region as usize];
                (*low, *high) = ((*low).min(rank), (*high).max(rank));
            }
            for (a, b) in ends.iter().enumerate().flat_map(|(i, a)| ends[..i].iter().map(move |b| (a, b))) {
                prop_assert!(a.1 < b.0 || b.1 < a.0, "{:?} and {:?} meet", a, b);
            }
        }
    }

    /// C by its definition, in the units of the head of the file.
    fn value(statistic: Statistic, xs: &[f64], ys: &[f64], (dx, dy): (f64, f64)) -> f64 {
        let n = xs.len() as f64;
        let mean = |v: &[f64]| v.iter().sum::<f64>() / n;
        let (ex, ey) = (mean(xs), mean(ys));
        let together = |v: &[f64], ev: f64, w: &[f64], ew: f64| {
            v.iter().zip(w).map(|(a, b)| (a - ev) * (b - ew)).sum::<f64>() / n
        };
        let covariance = together(xs, ex, ys, ey);
        match statistic {
            Statistic::Mean => ex / dx,
            Statistic::Variance => together(xs, ex, xs, ex) / (dx * dx),
            Statistic::Covariance => covariance / (dx * dy),
            Statistic::Correlation => {
                covariance / (together(xs, ex, xs, ex) * together(ys, ey, ys, ey)).sqrt()
            }
        }
    }

    #[test]
    fn sensitivities_are_derivatives() {
        let pairs = [(0.0, 16.0), (1.0, 9.0), (9.0, 25.0), (25.0, 1.0), (36.0, 0.0), (4.0, 36.0)];
        let made = super::super::tests::pairs(&[(0, 4), (1, 3), (3, 5), (5, 1), (6, 0), (2, 6)]);
        let (xs, ys): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        for statistic in [Statistic::Mean, Statistic::Variance, Statistic::Covariance, Statistic::Correlation]
        {
            let search = search(statistic);
            let field = field(&made, &search, Judge::new(&made.classes, 1, Vec::new()));
            let metric = Metric::new(&made.space);
            let deviations = (metric.scales[0].deviation, metric.scales[1].deviation);
            let sensitive = Sensitive::new(&field, &metric);
            for (row, &x) in xs.iter().enumerate() {
                let at = |step: f64| {
                    let mut moved = xs.clone();
                    moved[row] += step;
                    value(statistic, &moved, &ys, deviations)
                };
                let slope = xs.len() as f64 * ((at(1e-4) - at(-1e-4)) / 2e-4).abs();
                let point = (0..made.space.len())
                    .find(|&p| metric.axes[0].number(made.space.rank(p, 0)) == Some(x))
                    .unwrap();
                let ranks: Vec<Code> = (0..2).map(|column| made.space.rank(point, column)).collect();
                let mut units = Vec::new();
                sensitive.units(&ranks, &mut units);
                let expected = slope.max(LEAST * metric.scales[0].unit);
                assert!(
                    (units[0] - expected).abs() < 1e-6,
                    "{statistic:?} at {x}: {} for {expected}",
                    units[0]
                );
            }
        }
    }

    fn refused(made: &Made, boxes: Asked) -> String {
        let search = Search { boxes: Some(boxes), ..Search::default() };
        let field = field(made, &search, Judge::new(&made.classes, 2, Vec::new()));
        let message = |fault: Fault| format!("{fault} {}", fault.help.clone().unwrap_or_default());
        Boxes.refuses(&field).map(message).unwrap_or_default()
    }

    #[test]
    fn what_is_not_numbers_is_refused_with_a_remedy() {
        let labels = super::super::tests::cross();
        assert!(refused(&labels, Asked::default()).contains("k-similar"));
        let made = numbers(&[1, 1, 1]);
        assert_eq!(refused(&made, Asked::default()), "");
        let asked = |statistic, name: &str| Asked { statistic, columns: vec![name.into()] };
        assert!(refused(&made, asked(Statistic::Mean, "c")).contains("did you mean `c0`?"));
        assert!(refused(&made, asked(Statistic::Covariance, "c0")).contains("two columns"));
    }
}
