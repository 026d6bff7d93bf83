//! The claims that a release bounds statistics of the original narrowly enough, by plain
//! definitions of the bounds.
//!
//! Everything follows from the released file, the policy, and the number of rows of the original:
//! rows that are not in the file can be any value of the column's domain. Cells are read here once
//! more. Sums carry their rounding errors along and every other operation steps one float outward,
//! so that no bound excludes the statistic. Costs one pass over the released classes per statistic,
//! and for variances some hundred over the distinct cells of a column.

use std::collections::BTreeMap;

use super::classes::MISSING;
use super::levels::Build;
use super::side::Side;
use super::verdict::{Finding, Wrong, several};
use throng_terms::cell::{Cell, number};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, Spec, TOP};
use throng_terms::policy::{Policy, Role, StatisticSpec};
use throng_terms::registry::StatisticKind;
use throng_terms::release::{Certificate, UtilityClaim};
use throng_terms::table::Dictionary;

/// The least and the greatest of some numbers.
type Range = (f64, f64);

/// What rounding may add to a width, of the required width and of the bounds; and by how much a
/// stated bound may differ.
const ROUNDING: (f64, f64) = (4e-9, 4e-12);
const STATED: f64 = 1e-9;
/// Halvings that find the point nearest to all cells, or farthest from them.
const STEPS: usize = 200;

/// A column as numbers.
struct Column {
    domain: Range,
    /// Number of a released text → what it can be; none where it is not a number.
    cells: Vec<Option<Range>>,
}

/// The columns whose statistics are bounded, by name.
type Columns = BTreeMap<String, Column>;

/// One finding per statistic that the policy limits.
pub(super) fn claims(
    policy: &Policy,
    certificate: &Certificate,
    (released, original): (&Side, Option<&Side>),
    build: &Build<'_>,
) -> Result<Vec<(String, Finding)>> {
    let columns = columns(policy, released, build)?;
    let hidden = certificate.release.rows.saturating_sub(released.rows);
    let stated = &certificate.release.utility;
    let claim = |asked: &StatisticSpec| {
        let mut wrong = Wrong::default();
        for name in asked.columns() {
            wrong.extend(unfit(policy, name, &columns, (released, original)));
        }
        let found = bounds(policy, asked, &columns, (released, hidden));
        judge(asked, found, stated.get(&asked.name()), &mut wrong);
        let (low, high) = found.unwrap_or(ANY);
        let finding = Finding::of(&wrong, || {
            format!(
                "between {low} and {high}, a width of {}; at most {} is allowed",
                up(high - low),
                asked.limit()
            )
        });
        (asked.claim(), finding)
    };
    Ok(policy.privacy.utility.iter().map(claim).collect())
}

/// The loss of the policy's statistics: the mean of their widths, each divided by what the policy
/// states, or by its width where nothing but the domain is known.
pub(super) fn loss(
    policy: &Policy,
    certificate: &Certificate,
    released: &Side,
    build: &Build<'_>,
) -> Result<Option<f64>> {
    let Some(asked) = policy.width_loss() else { return Ok(None) };
    let columns = columns(policy, released, build)?;
    let hidden = certificate.release.rows.saturating_sub(released.rows);
    let mut sum = 0.0;
    for asked in asked {
        let wide =
            |name: &str| columns.get(name).map_or(f64::NAN, |column| column.domain.1 - column.domain.0);
        let width = wide(&asked.column);
        let unknown = match asked.statistic {
            StatisticKind::Variance | StatisticKind::VariancePopulation => width * width / 4.0,
            StatisticKind::Stddev => width / 2.0,
            StatisticKind::Covariance => width * asked.with.as_deref().map_or(f64::NAN, wide) / 2.0,
            StatisticKind::Correlation => 2.0,
            _ => width,
        };
        let scale = asked.width.filter(|width| *width > 0.0).unwrap_or(unknown);
        let (low, high) = bounds(policy, asked, &columns, (released, hidden)).unwrap_or(ANY);
        sum += (high - low) / scale;
    }
    Ok(Some(sum / asked.len().max(1) as f64))
}

/// What a certificate claims of statistics that the policy does not limit, or fails to claim of k.
pub(super) fn stated(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    let asked: Vec<String> = policy.privacy.utility.iter().map(StatisticSpec::name).collect();
    let beyond = release.utility.keys().filter(|name| !asked.contains(name));
    let mut wrong: Vec<String> =
        beyond.map(|name| format!("{name} is claimed, but the policy does not limit it")).collect();
    match (policy.privacy.maximize.is_some(), release.search.k) {
        (true, None) => wrong.push("the k that was reached is missing".into()),
        (false, Some(k)) => {
            wrong.push(format!("k = {k} is said to be reached, and the policy maximizes nothing"))
        }
        _ => {}
    }
    wrong
}

/// What keeps a column from having bounds.
fn unfit(
    policy: &Policy,
    name: &str,
    columns: &Columns,
    (released, original): (&Side, Option<&Side>),
) -> Option<String> {
    let Some((at, column)) = place(policy, name).zip(columns.get(name)) else {
        return Some(format!("`{name}` is not a quasi-identifier"));
    };
    let texts = &released.interners[at];
    if texts.count(MISSING) > 0 {
        return Some(format!("{} missing in `{name}`", several(texts.count(MISSING), "cell")));
    }
    let unread = (1..texts.len() as u32)
        .filter(|&text| texts.count(text) > 0 && column.cells[text as usize].is_none())
        .count() as u64;
    if unread > 0 {
        return Some(format!("{} of `{name}` not numbers", several(unread, "value")));
    }
    // A suppressed cell of the original must be within the domain.
    let texts = &original?.interners[at];
    let beyond = |text: &u32| {
        let value = texts.value(*text).and_then(number);
        texts.count(*text) > 0 && value.is_none_or(|x| x < column.domain.0 || x > column.domain.1)
    };
    let beyond = (0..texts.len() as u32).filter(beyond).count() as u64;
    (beyond > 0)
        .then(|| format!("{} of `{name}` in the original outside its domain", several(beyond, "value")))
}

fn judge(asked: &StatisticSpec, found: Option<Range>, stated: Option<&UtilityClaim>, wrong: &mut Wrong) {
    let limit = asked.limit();
    let Some((low, high)) = found.filter(|(low, high)| low.is_finite() && high.is_finite()) else {
        return wrong.push(format!("there is no bound, and a width of {limit} is required"));
    };
    let (width, size) = (up(high - low), low.abs().max(high.abs()));
    if width > limit + ROUNDING.0 * limit + ROUNDING.1 * size {
        wrong.push(format!("the bounds are {width} wide, at most {limit} is allowed"));
    }
    let Some(stated) = stated else { return wrong.push("the certificate does not claim it") };
    if stated.required != limit {
        wrong.push(format!("a width of {} is claimed, {limit} is required", stated.required));
    }
    if !stated.holds {
        wrong.push("the certificate says that it does not hold");
    }
    let near = |stated: Option<f64>, found: f64| {
        stated.is_some_and(|stated| (stated - found).abs() <= STATED * (size + limit + width))
    };
    for (what, stated, found) in [
        ("lower bound", stated.low, low),
        ("upper bound", stated.high, high),
        ("width", stated.achieved, width),
    ] {
        if !near(stated, found) {
            let stated = stated.map_or("none".into(), |stated| stated.to_string());
            wrong.push(format!("the {what} is {found}, the certificate says {stated}"));
        }
    }
}

/// The place of a quasi-identifier in name order.
fn place(policy: &Policy, name: &str) -> Option<usize> {
    policy.with_role(Role::Quasi).iter().position(|quasi| *quasi == name)
}

fn columns(policy: &Policy, released: &Side, build: &Build<'_>) -> Result<Columns> {
    let mut columns = Columns::new();
    for name in policy.bounded_columns() {
        let (Some(at), Some(column)) = (place(policy, name), policy.columns.get(name)) else { continue };
        let listed = match &column.hierarchy {
            Some(Spec::File(_)) => true,
            Some(Spec::Order(order)) => !order.values.is_empty(),
            _ => false,
        };
        let hierarchy = listed.then(|| build(name, &Dictionary::new())).transpose()?;
        let (labels, values) = hierarchy.as_ref().map_or((BTreeMap::new(), None), under_labels);
        let domain = column.domain.map(|[low, high]| (low, high)).or(values).unwrap_or(ANY);
        let texts = &released.interners[at];
        let cell = |text: u32| texts.value(text).and_then(|text| read(text, &labels, domain));
        columns
            .insert(name.to_owned(), Column { domain, cells: (0..texts.len() as u32).map(cell).collect() });
    }
    Ok(columns)
}

/// Label → the values under it, as far as they are numbers; and all values, if all are numbers.
fn under_labels(hierarchy: &Hierarchy) -> (BTreeMap<&str, Range>, Option<Range>) {
    let value = |leaf: u32| hierarchy.leaf_value(leaf).and_then(number);
    let leaves = 0..hierarchy.leaf_count() as u32;
    let mut labels: BTreeMap<&str, Option<Range>> = BTreeMap::new();
    for level in 1..=hierarchy.height() {
        for leaf in leaves.clone() {
            let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
            let Some(label) = label.filter(|label| *label != TOP) else { continue };
            let range = value(leaf).map(|x| (x, x));
            let known = labels.entry(label).or_insert(range);
            *known = known.zip(range).map(|(known, range)| hull(known, range));
        }
    }
    let all = leaves.map(value).map(|x| x.map(|x| (x, x))).reduce(|a, b| a.zip(b).map(|(a, b)| hull(a, b)));
    (labels.into_iter().filter_map(|(label, range)| Some((label, range?))).collect(), all.flatten())
}

fn hull(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

/// What a released text can be.
fn read(text: &str, labels: &BTreeMap<&str, Range>, domain: Range) -> Option<Range> {
    if let Some(&range) = labels.get(text) {
        return Some(range);
    }
    if text == TOP {
        return Some(domain);
    }
    if let Some(x) = number(text) {
        return Some((x, x));
    }
    let (low, high) = match Cell::parse(text) {
        Cell::Interval(interval) => (interval.low, interval.high),
        Cell::Range(first, last) => (number(&first)?, number(&last)?),
        Cell::Set(values) => {
            let value = |value: &String| {
                labels.get(value.as_str()).copied().or_else(|| number(value).map(|x| (x, x)))
            };
            let values: Option<Vec<Range>> = values.iter().map(value).collect();
            values?.into_iter().reduce(hull)?
        }
        Cell::Masked(masked) => {
            let digits = |digit: char| {
                let hidden: String = std::iter::repeat_n(digit, masked.hidden).collect();
                number(&if masked.begins { masked.shown.clone() + &hidden } else { hidden + &masked.shown })
            };
            let plain = masked.shown.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
            let ends = digits('0').zip(digits('9')).filter(|_| plain && masked.hidden < 16)?;
            (ends.0.min(ends.1), ends.0.max(ends.1))
        }
        Cell::Anything | Cell::Value(_) => return None,
    };
    if low > high {
        return None;
    }
    // An end without a bound follows the domain.
    let low = if low.is_finite() { low } else { domain.0.min(high) };
    Some((low, if high.is_finite() { high } else { domain.1.max(low) }))
}

/// The bounds of a statistic; none where a cell is not a number or there is no row.
fn bounds(
    policy: &Policy,
    asked: &StatisticSpec,
    columns: &Columns,
    (released, hidden): (&Side, u64),
) -> Option<Range> {
    let (first, x) = (place(policy, &asked.column)?, columns.get(&asked.column)?);
    let second = match &asked.with {
        Some(with) => Some((place(policy, with)?, columns.get(with)?)),
        None => None,
    };
    let counts = released.classes.counts();
    let mut rows: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (class, &count) in counts.iter().enumerate() {
        let tuple = released.classes.tuples.tuple(class);
        *rows.entry((tuple[first], second.map_or(0, |(at, _)| tuple[at]))).or_default() += count;
    }
    if let Some((_, y)) = second {
        let mut pairs = Vec::new();
        for (&(a, b), &count) in &rows {
            pairs.push((x.cells[a as usize]?, y.cells[b as usize]?, count as f64));
        }
        pairs.push((x.domain, y.domain, hidden as f64));
        pairs.retain(|pair| pair.2 > 0.0);
        return of_pairs(asked.statistic, &pairs);
    }
    let mut cells = Vec::new();
    for (&(a, _), &count) in &rows {
        cells.push((x.cells[a as usize]?, count as f64));
    }
    cells.push((x.domain, hidden as f64));
    cells.retain(|cell| cell.1 > 0.0);
    of_cells(asked.statistic, &cells)
}

/// Cells with their rows.
type Cells = [(Range, f64)];

fn of_cells(statistic: StatisticKind, cells: &Cells) -> Option<Range> {
    let n: f64 = cells.iter().map(|cell| cell.1).sum();
    if n == 0.0 {
        return None;
    }
    let sample = |range: Range| (n > 1.0).then(|| times(range, over((n, n), (n - 1.0, n - 1.0))));
    match statistic {
        StatisticKind::Mean => Some(mean(cells, n)),
        StatisticKind::VariancePopulation => Some(variance(cells, n)),
        StatisticKind::Variance => sample(variance(cells, n)),
        StatisticKind::Stddev => sample(variance(cells, n)).map(root),
        StatisticKind::Covariance | StatisticKind::Correlation => None,
        _ => {
            let share = statistic.entry().share?;
            let at = |end: fn(&Range) -> f64, side: f64| quantile(cells, n, share, (end, side));
            Some((at(|cell| cell.0, -1.0), at(|cell| cell.1, 1.0)))
        }
    }
}

/// Σ rows·end / rows, of all lower and of all upper ends.
fn mean(cells: &Cells, n: f64) -> Range {
    let of = |end: fn(&Range) -> f64| {
        let mut sum = Sum::default();
        cells.iter().for_each(|(cell, rows)| sum.product(*rows, end(cell)));
        over(sum.range(), (n, n))
    };
    (of(|cell| cell.0).0, of(|cell| cell.1).1)
}

/// The value between the rows at share·(n − 1), counted from 0 in order of size; `side` says on
/// which side of the place rounding may be.
fn quantile(cells: &Cells, n: f64, share: f64, (end, side): (fn(&Range) -> f64, f64)) -> f64 {
    let mut ends: Vec<(f64, f64)> = cells.iter().map(|(cell, rows)| (end(cell), *rows)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let value = |place: f64| {
        let mut before = 0.0;
        for &(x, rows) in &ends {
            before += rows;
            if place < before {
                return x;
            }
        }
        ends.last().map_or(f64::NAN, |last| last.0)
    };
    let exact = share * (n - 1.0);
    // As near to the place as floats are, which the interpolation follows.
    let at = if exact.fract() == 0.0 { exact } else { exact + side * 2.0 * f64::EPSILON * exact };
    let (row, part) = (at.floor(), at.fract());
    let (x, next) = (value(row), value((row + 1.0).min(n - 1.0)));
    if part == 0.0 || x == next {
        return x;
    }
    let between = x + part * (next - x);
    let slack = 4.0 * f64::EPSILON * x.abs().max(next.abs());
    if side < 0.0 { (between - slack).max(x) } else { (between + slack).min(next) }
}

/// The variance, divided by the rows. Least: every value as near to one point as its cell allows,
/// for the best point. Greatest: every value as far from one point as it can be, for the worst
/// choice of the point; that is at least the variance of any values.
fn variance(cells: &Cells, n: f64) -> Range {
    let (low, high) = cells.iter().map(|cell| cell.0).fold((f64::INFINITY, f64::NEG_INFINITY), hull);
    if !(low.is_finite() && high.is_finite()) {
        return (least_variance(cells, n), f64::INFINITY);
    }
    let far = |cell: &Range, c: f64| if c - cell.0 > cell.1 - c { cell.0 } else { cell.1 };
    let slope = |c: f64| cells.iter().map(|(cell, rows)| rows * (c - far(cell, c))).sum::<f64>();
    let point = crossing((low, high), slope);
    let mut sum = Sum::default();
    for (cell, rows) in cells {
        // Both ends, so that rounding cannot choose the nearer one.
        let ends = [cell.0, cell.1]
            .map(|end| times(minus((end, end), (point, point)), minus((end, end), (point, point))));
        sum.product(*rows, ends[0].1.max(ends[1].1));
    }
    let most = over(sum.range(), (n, n)).1;
    (
        least_variance(cells, n),
        if cells.iter().all(|(cell, _)| cell.0 == cell.1) { exact(cells, n).1 } else { most },
    )
}

/// The variance of exact cells.
fn exact(cells: &Cells, n: f64) -> Range {
    let (low, high) = mean(cells, n);
    let center = f64::midpoint(low, high);
    let (mut squares, mut sum) = (Sum::default(), Sum::default());
    for ((x, _), rows) in cells {
        let away = minus((*x, *x), (center, center));
        let square = times(away, away);
        squares.product(*rows, square.1);
        sum.product(*rows, x - center);
    }
    let shift = over(sum.range(), (n, n));
    let least = if shift.0 <= 0.0 && shift.1 >= 0.0 { 0.0 } else { shift.0.abs().min(shift.1.abs()) };
    let high = up(over(squares.range(), (n, n)).1 - down(least * least));
    (0.0, high.max(0.0))
}

fn least_variance(cells: &Cells, n: f64) -> f64 {
    let near = |cell: &Range, c: f64| c.clamp(cell.0, cell.1);
    let most_low = cells.iter().map(|cell| cell.0.0).fold(f64::NEG_INFINITY, f64::max);
    let least_high = cells.iter().map(|cell| cell.0.1).fold(f64::INFINITY, f64::min);
    if most_low <= least_high {
        return 0.0;
    }
    let slope = |c: f64| cells.iter().map(|(cell, rows)| rows * (c - near(cell, c))).sum::<f64>();
    let point = crossing((least_high, most_low), slope);
    let (mut squares, mut rise) = (Sum::default(), Sum::default());
    for (cell, rows) in cells {
        let away = minus((point, point), (near(cell, point), near(cell, point)));
        let square = times(away, away);
        squares.product(*rows, square.0.max(0.0));
        rise.product(*rows, point - near(cell, point));
    }
    // A convex function lies above its tangent, and its minimum between the two ends.
    let steep = rise.range().0.abs().max(rise.range().1.abs());
    let rest = up(2.0 * up(steep * up((most_low - least_high).abs())));
    over((down(squares.range().0 - rest), f64::INFINITY), (n, n)).0.max(0.0)
}

/// Where a function that rises crosses zero.
fn crossing((mut from, mut to): Range, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..STEPS {
        let middle = f64::midpoint(from, to);
        if middle <= from || middle >= to {
            break;
        }
        if f(middle) < 0.0 {
            from = middle;
        } else {
            to = middle;
        }
    }
    f64::midpoint(from, to)
}

/// Two columns: E(x − a)(y − b) over the corners of every pair, minus (m − a)(n − b), with the
/// middles a and b of the bounds of the means.
fn of_pairs(statistic: StatisticKind, pairs: &[(Range, Range, f64)]) -> Option<Range> {
    let xs: Vec<(Range, f64)> = pairs.iter().map(|pair| (pair.0, pair.2)).collect();
    let ys: Vec<(Range, f64)> = pairs.iter().map(|pair| (pair.1, pair.2)).collect();
    let rows: f64 = pairs.iter().map(|pair| pair.2).sum();
    let bounded = |range: &Range| range.0.is_finite() && range.1.is_finite();
    if rows == 0.0 || !pairs.iter().all(|pair| bounded(&pair.0) && bounded(&pair.1)) {
        return None;
    }
    let (m, n) = (mean(&xs, rows), mean(&ys, rows));
    let (a, b) = (f64::midpoint(m.0, m.1), f64::midpoint(n.0, n.1));
    let (mut low, mut high) = (Sum::default(), Sum::default());
    for (x, y, count) in pairs {
        let corners = times(minus(*x, (a, a)), minus(*y, (b, b)));
        low.product(*count, corners.0);
        high.product(*count, corners.1);
    }
    let together = over((low.range().0, high.range().1), (rows, rows));
    let covariance = minus(together, times(minus(m, (a, a)), minus(n, (b, b))));
    match statistic {
        StatisticKind::Covariance => {
            (rows > 1.0).then(|| times(covariance, over((rows, rows), (rows - 1.0, rows - 1.0))))
        }
        StatisticKind::Correlation => {
            let deviations = root(times(variance(&xs, rows), variance(&ys, rows)));
            let (low, high) = if deviations.0 > 0.0 { over(covariance, deviations) } else { (-1.0, 1.0) };
            Some((low.max(-1.0), high.min(1.0)))
        }
        _ => None,
    }
}

const ANY: Range = (f64::NEG_INFINITY, f64::INFINITY);

fn up(x: f64) -> f64 {
    x.next_up()
}

fn down(x: f64) -> f64 {
    x.next_down()
}

fn minus(a: Range, b: Range) -> Range {
    outward(a.0 - b.1, a.1 - b.0)
}

/// One float outward, unless the result is exactly zero on both sides.
fn outward(low: f64, high: f64) -> Range {
    if low == 0.0 && high == 0.0 { (0.0, 0.0) } else { (down(low), up(high)) }
}

fn times(a: Range, b: Range) -> Range {
    // Zero times infinity is zero: the zero is exact.
    let product = |x: f64, y: f64| if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
    let all = [product(a.0, b.0), product(a.0, b.1), product(a.1, b.0), product(a.1, b.1)];
    outward(all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// Divided by positive numbers.
fn over(a: Range, b: Range) -> Range {
    let all = [a.0 / b.0, a.0 / b.1, a.1 / b.0, a.1 / b.1];
    outward(all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn root(a: Range) -> Range {
    (down(a.0.max(0.0).sqrt()).max(0.0), up(a.1.max(0.0).sqrt()))
}

/// A sum whose rounding errors are added up beside it.
#[derive(Default)]
struct Sum {
    value: f64,
    errors: f64,
    size: f64,
    terms: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let sum = self.value + x;
        let part = sum - self.value;
        self.errors += (self.value - (sum - part)) + (x - part);
        self.value = sum;
        self.size += x.abs();
        self.terms += 1.0;
    }

    /// Adds a product, and what its rounding lost.
    fn product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        if product.is_finite() {
            self.errors += a.mul_add(b, -product);
        }
    }

    /// What the exact sum lies between: the errors were added up with errors of their own.
    fn range(&self) -> Range {
        if !self.value.is_finite() || !self.errors.is_finite() {
            let sum = if self.value.is_nan() { ANY } else { (self.value, self.value) };
            return if self.value.is_finite() { ANY } else { sum };
        }
        let slack = (self.terms + 2.0) * (self.terms + 2.0) * 4.0 * f64::EPSILON * f64::EPSILON * self.size;
        let sum = self.value + self.errors;
        (down(sum) - slack, up(sum) + slack)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cells with rows, and a value in every row.
    fn cells() -> impl Strategy<Value = Vec<(Range, Vec<f64>)>> {
        let cell = (-8i32..8, 0i32..6, proptest::collection::vec(0.0..=1.0f64, 1..4)).prop_map(
            |(low, width, at)| {
                let (low, high) = (f64::from(low) * 0.7, f64::from(low + width) * 0.7);
                ((low, high), at.iter().map(|share| (low + share * (high - low)).clamp(low, high)).collect())
            },
        );
        proptest::collection::vec(cell, 1..6)
    }

    fn counted(cells: &[(Range, Vec<f64>)]) -> Vec<(Range, f64)> {
        cells.iter().map(|(cell, rows)| (*cell, rows.len() as f64)).collect()
    }

    fn moments(values: &[f64]) -> (f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n)
    }

    fn type_7(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = share * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
        low + at.fract() * (high - low)
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    /// All originals that take ends.
    fn corners(cells: &[(Range, Vec<f64>)]) -> Vec<Vec<f64>> {
        let rows: Vec<Range> = cells.iter().flat_map(|(cell, rows)| vec![*cell; rows.len()]).collect();
        let pick = |choice: usize| {
            let end = |(at, cell): (usize, &Range)| if choice >> at & 1 == 1 { cell.1 } else { cell.0 };
            rows.iter().enumerate().map(end).collect()
        };
        (0..1usize << rows.len()).map(pick).collect()
    }

    proptest! {
        /// Bounds are those of the definition: all ends together, and every original within.
        #[test]
        fn bounds_hold_and_are_as_defined(cells in cells()) {
            let values: Vec<f64> = cells.iter().flat_map(|(_, rows)| rows.clone()).collect();
            let ends = |end: fn(&Range) -> f64| -> Vec<f64> {
                cells.iter().flat_map(|(cell, rows)| vec![end(cell); rows.len()]).collect()
            };
            let (lows, highs) = (ends(|cell| cell.0), ends(|cell| cell.1));
            let of = |kind| of_cells(kind, &counted(&cells)).unwrap();
            let (low, high) = of(StatisticKind::Mean);
            prop_assert!(near(low, moments(&lows).0) && near(high, moments(&highs).0));
            prop_assert!(low <= moments(&values).0 + 1e-12 && moments(&values).0 - 1e-12 <= high);
            for &kind in StatisticKind::ALL {
                if let Some(share) = kind.entry().share {
                    let (low, high) = of(kind);
                    prop_assert!(near(low, type_7(&lows, share)) && near(high, type_7(&highs, share)), "{kind}");
                }
            }
            let (low, high) = of(StatisticKind::VariancePopulation);
            let variance = moments(&values).1;
            prop_assert!(low <= variance + 1e-9 && variance - 1e-9 <= high, "{low} {variance} {high}");
            if values.len() <= 9 {
                let most = corners(&cells).iter().map(|values| moments(values).1).fold(0.0, f64::max);
                let widest = cells.iter().map(|(cell, _)| cell.1 - cell.0).fold(0.0, f64::max);
                let slack = (widest / 2.0 / values.len() as f64).powi(2);
                prop_assert!(most - 1e-9 <= high && high <= most + slack + 1e-9, "{high} for {most}");
            }
        }

        /// The least variance is found: no point of a fine grid has a smaller one.
        #[test]
        fn the_least_variance_is_the_least(cells in cells()) {
            let found = least_variance(&counted(&cells), cells.iter().map(|(_, rows)| rows.len() as f64).sum());
            let rows: Vec<Range> = cells.iter().flat_map(|(cell, rows)| vec![*cell; rows.len()]).collect();
            let at = |c: f64| moments(&rows.iter().map(|cell| c.clamp(cell.0, cell.1)).collect::<Vec<_>>()).1;
            let grid = (-6000..=6000).map(|step| at(f64::from(step) / 1000.0)).fold(f64::INFINITY, f64::min);
            prop_assert!(found <= grid + 1e-9 && grid <= found + 1e-2, "{found} for {grid}");
        }

        #[test]
        fn pairs_lie_within(x in cells(), y in cells()) {
            let (mut pairs, mut xs, mut ys) = (Vec::new(), Vec::new(), Vec::new());
            for ((a, of_a), (b, of_b)) in x.iter().zip(&y) {
                let rows = of_a.len().min(of_b.len());
                pairs.push((*a, *b, rows as f64));
                xs.extend(&of_a[..rows]);
                ys.extend(&of_b[..rows]);
            }
            prop_assume!(xs.len() > 1);
            let ((mx, vx), (my, vy)) = (moments(&xs), moments(&ys));
            let covariance = xs.iter().zip(&ys).map(|(a, b)| (a - mx) * (b - my)).sum::<f64>() / xs.len() as f64;
            let sample = covariance * xs.len() as f64 / (xs.len() - 1) as f64;
            let (low, high) = of_pairs(StatisticKind::Covariance, &pairs).unwrap();
            prop_assert!(low <= sample + 1e-9 && sample - 1e-9 <= high);
            if vx > 1e-9 && vy > 1e-9 {
                let r = covariance / (vx * vy).sqrt();
                let (low, high) = of_pairs(StatisticKind::Correlation, &pairs).unwrap();
                prop_assert!(low <= r + 1e-9 && r - 1e-9 <= high);
            }
        }
    }

    #[test]
    fn cells_are_read_as_they_are_written() {
        let labels = BTreeMap::from([("young", (1.0, 17.0))]);
        let at = |text: &str| read(text, &labels, (0.0, 120.0));
        assert_eq!(at("35"), Some((35.0, 35.0)));
        assert_eq!(at("[20, 35)"), Some((20.0, 35.0)));
        assert_eq!(at("< 20"), Some((0.0, 20.0)));
        assert_eq!(at(">= 90"), Some((90.0, 120.0)));
        assert_eq!(at("{3, young}"), Some((1.0, 17.0)));
        assert_eq!(at("3*"), Some((30.0, 39.0)));
        assert_eq!(at("**7"), Some((7.0, 997.0)));
        assert_eq!(at("20 - 30"), Some((20.0, 30.0)));
        assert_eq!(at("young"), Some((1.0, 17.0)));
        assert_eq!(at("*"), Some((0.0, 120.0)));
        for text in ["old", "{1, old}", "1970-01-01", "B*", ""] {
            assert_eq!(at(text), None, "{text}");
        }
    }
}
