//! The greatest variance: its dual bound, and the cells that the bound leaves undecided.
//!
//! Let F(c) = Σ w·max over the cell of (x − c)², divided by the rows W. Every original x with mean
//! m has a variance of at most F(c) − (m − c)². If some original has the variance V, all better
//! ones have |m − c| ≤ r with r² = F(c) − V. In a best original, a cell with midpoint M and half
//! width D takes its upper bound if m < M − D·w/W and its lower bound if m > M + D·w/W: otherwise
//! the other bound would be better [Ferson 2002]. So only cells with |M − c| ≤ r + D·w/W are
//! undecided. With c at the minimum of F, r is at most the share of one cell's width in the mean,
//! so there are few.
//!
//! If undecided cells have equal weights and none lies in the interior of another, they take their
//! bounds in order: lower bounds first [Xiang 2007]. Others are enumerated, equal cells together.
//! Costs a few passes to find c, two more, and the arrangements.

use super::Deviations;
use crate::data::Intervals;
use crate::rounding::Enclosure;

/// Arrangements that are enumerated at most.
const MOST: usize = 1 << 18;
/// Undecided kinks that are sorted and searched exactly.
const SORTED: usize = 4096;
const STEPS: usize = 60;

/// The greatest variance.
pub(super) struct Greatest {
    pub bound: f64,
    pub method: &'static str,
    /// At most how much less the sharp bound is; none if this one is sharp.
    pub slack: Option<f64>,
}

impl Greatest {
    fn sharp(bound: f64, method: &'static str) -> Self {
        Greatest { bound, method, slack: None }
    }
}

pub(super) fn upper(data: &Intervals) -> Greatest {
    if !data.is_bounded() {
        return Greatest::sharp(f64::INFINITY, "unbounded");
    }
    let rows = data.total_weight();
    let c = minimum(data, rows.mid());
    let (all, ties) = nearest(data, c);
    let found = all.variance(rows);
    if data.is_exact() {
        return Greatest::sharp(found.high, "points");
    }
    // W·F(c) is the sum of the squares: where rounding chose the nearer bound of a cell, the other
    // one is farther by less than this.
    let dual = all.squares.total() * Enclosure { low: 1.0, high: 1.0 + 8.0 * f64::EPSILON } / rows;
    // r, and with it the undecided cells.
    let reach = (dual - found).sqrt().high;
    let open = undecided(data, c, reach, rows);
    let fixed = without(data, c, all, &open, &ties);
    let rest = Rest { data, c, rows, fixed, open };
    let named = |case| if same_width(data) { "same-instrument" } else { case };
    let arranged = if rest.open.len() <= 1 {
        Some((rest.enumerate(), named("thin")))
    } else if rest.is_ordered() {
        Some((rest.arrange(), named("no-nesting")))
    } else {
        rest.arrangements().map(|_| (rest.enumerate(), "few-intersections"))
    };
    match arranged {
        Some((Some(bound), method)) => Greatest::sharp(bound.max(found.high).min(dual.high), method),
        _ => {
            let slack = (dual - found).high.max(0.0);
            Greatest { bound: dual.high, method: "enclosure", slack: Some(slack) }
        }
    }
}

/// An upper bound of the variance if a cell of weight w is w rows, each with a value of its own: F
/// at its minimum, which has the same terms for them. It is sharp for exact cells and exceeds the
/// greatest variance by at most the square of half of one row's share in the mean.
pub(super) fn dual(data: &Intervals) -> f64 {
    if !data.is_bounded() {
        return f64::INFINITY;
    }
    let rows = data.total_weight();
    let c = minimum(data, rows.mid());
    let (all, _) = nearest(data, c);
    if data.is_exact() {
        return all.variance(rows).high;
    }
    // Where rounding chose the nearer bound of a cell, the other one is farther by less than this.
    let dual = all.squares.total() * Enclosure { low: 1.0, high: 1.0 + 8.0 * f64::EPSILON } / rows;
    dual.high
}

/// Whether all cells are equally wide, as if measured by one instrument.
fn same_width(data: &Intervals) -> bool {
    let width = data.high()[0] - data.low()[0];
    data.low().iter().zip(data.high()).all(|(low, high)| (high - low - width).abs() <= 1e-9 * width)
}

/// The bound of a cell that is farther from a point; the upper one of two equally far.
fn farther(data: &Intervals, at: usize, c: f64) -> f64 {
    let (low, high) = (data.low()[at], data.high()[at]);
    if c - low > high - c { low } else { high }
}

/// An original whose mean is as near to c as a simple rule gets it: every cell takes its farther
/// bound, and cells with c in the middle, which are returned with their values, that which draws
/// the mean back.
fn nearest(data: &Intervals, c: f64) -> (Deviations, Vec<(u32, f64)>) {
    let tied = |at: usize| c - data.low()[at] == data.high()[at] - c && data.low()[at] < data.high()[at];
    let parts = data.parts(|places| {
        let (mut part, mut ties) = (Deviations::default(), Vec::new());
        for at in places {
            match tied(at) {
                true => ties.push(at as u32),
                false => part.add(farther(data, at, c), c, data.weight(at)),
            }
        }
        (part, ties)
    });
    let mut all = Deviations::default();
    parts.iter().for_each(|(part, _)| all.merge(part));
    let mut sum = all.sum.total().mid();
    let mut ties = Vec::new();
    for &tie in parts.iter().flat_map(|(_, ties)| ties) {
        let at = tie as usize;
        let x = if sum < 0.0 { data.high()[at] } else { data.low()[at] };
        all.add(x, c, data.weight(at));
        sum += data.weight(at) * (x - c);
        ties.push((tie, x));
    }
    (all, ties)
}

/// What is left without the undecided cells.
fn without(data: &Intervals, c: f64, mut all: Deviations, open: &[u32], ties: &[(u32, f64)]) -> Deviations {
    for &cell in open {
        let at = cell as usize;
        let tie = ties.binary_search_by_key(&cell, |tie| tie.0);
        let x = tie.map_or_else(|_| farther(data, at, c), |tie| ties[tie].1);
        all.change(x, c, data.weight(at), -1.0);
    }
    all
}

/// The cells whose bound a better original could still choose either way.
fn undecided(data: &Intervals, c: f64, reach: f64, rows: Enclosure) -> Vec<u32> {
    // Somewhat more than needed, so that rounding here does not matter.
    let open = |at: usize| {
        let (low, high) = (data.low()[at], data.high()[at]);
        let half = (high - low) / 2.0;
        let far = (low + half - c).abs();
        let own = half * data.weight(at) / rows.low;
        half > 0.0 && far <= (reach + own) * (1.0 + 1e-9) + 1e-14 * (c.abs() + low.abs() + high.abs())
    };
    let parts = data.parts(|places| places.filter(|&at| open(at)).map(|at| at as u32).collect::<Vec<u32>>());
    parts.into_iter().flatten().collect()
}

/// The point c at which F is least: where c is the mean of the farther bounds, or the middle of a
/// cell at which that mean jumps over c.
fn minimum(data: &Intervals, rows: f64) -> f64 {
    let mut from = data.low().iter().copied().fold(f64::INFINITY, f64::min);
    let mut to = data.high().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut c = super::middle(data).clamp(from, to);
    for _ in 0..STEPS {
        let Around { sum, count, least, most } = Around::new(data, c, from, to);
        if count <= SORTED {
            return among(data, from, to, rows);
        }
        if least == most {
            return least;
        }
        let mean = c + sum / rows;
        if mean == c {
            return c;
        }
        if mean > c {
            from = c;
        } else {
            to = c;
        }
        // A step to the mean, unless that leaves the range or hardly shortens it.
        let step = mean > from && mean < to && (mean - c).abs() > 1e-3 * (to - from);
        c = if step { mean } else { f64::midpoint(from, to) };
        if !(from < c && c < to) {
            break;
        }
    }
    c
}

/// The farther bounds around a point, and the middles of cells in a range.
struct Around {
    /// Σ w·(farther bound − c).
    sum: f64,
    count: usize,
    least: f64,
    most: f64,
}

impl Around {
    fn new(data: &Intervals, c: f64, from: f64, to: f64) -> Self {
        let none = || Around { sum: 0.0, count: 0, least: f64::INFINITY, most: f64::NEG_INFINITY };
        let parts = data.parts(|places| {
            let mut part = none();
            for at in places {
                part.sum += data.weight(at) * (farther(data, at, c) - c);
                let middle = f64::midpoint(data.low()[at], data.high()[at]);
                if middle >= from && middle <= to {
                    part.count += 1;
                    part.least = part.least.min(middle);
                    part.most = part.most.max(middle);
                }
            }
            part
        });
        parts.into_iter().fold(none(), |all, part| Around {
            sum: all.sum + part.sum,
            count: all.count + part.count,
            least: all.least.min(part.least),
            most: all.most.max(part.most),
        })
    }
}

/// The minimum between two points with few middles between them: from one middle to the next, the
/// farther bounds stay the same.
fn among(data: &Intervals, from: f64, to: f64, rows: f64) -> f64 {
    let parts = data.parts(|places| {
        let (mut kinks, mut sum) = (Vec::new(), 0.0);
        for at in places {
            let (low, high, weight) = (data.low()[at], data.high()[at], data.weight(at));
            let middle = f64::midpoint(low, high);
            if middle >= from && middle <= to {
                kinks.push((middle, weight * (high - low)));
            }
            // Just below `from`, where the mean is above the point, these take their upper bound.
            sum += weight * (if middle >= from { high } else { low } - from);
        }
        (kinks, sum)
    });
    let mut sum: f64 = parts.iter().map(|part| part.1).sum();
    let mut kinks: Vec<(f64, f64)> = parts.into_iter().flat_map(|part| part.0).collect();
    kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    for (middle, jump) in kinks {
        let mean = from + sum / rows;
        if mean <= middle {
            return mean;
        }
        sum -= jump;
        if from + sum / rows <= middle {
            return middle;
        }
    }
    from + sum / rows
}

/// The undecided cells beside what the others add up to.
struct Rest<'a> {
    data: &'a Intervals,
    c: f64,
    rows: Enclosure,
    fixed: Deviations,
    open: Vec<u32>,
}

/// Equal cells.
struct Equal {
    low: f64,
    high: f64,
    weight: f64,
    count: usize,
}

impl Rest<'_> {
    /// Whether no undecided cell lies in the interior of another, and all have the same weight.
    fn is_ordered(&self) -> bool {
        let (order, data) = (self.in_order(), self.data);
        let weight = data.weight(order[0] as usize);
        order.windows(2).all(|pair| {
            let [a, b] = [pair[0] as usize, pair[1] as usize];
            data.high()[a] <= data.high()[b] && data.weight(b) == weight
        })
    }

    fn in_order(&self) -> Vec<u32> {
        let key = |&at: &u32| (self.data.low()[at as usize], self.data.high()[at as usize]);
        let mut order = self.open.clone();
        order.sort_unstable_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        order
    }

    /// The greatest variance if lower bounds come first.
    fn arrange(&self) -> Option<f64> {
        let order = self.in_order();
        // Deviations with the upper bounds from a place on: added from the last one.
        let mut after = vec![self.fixed; order.len() + 1];
        for place in (0..order.len()).rev() {
            after[place] = after[place + 1];
            let at = order[place] as usize;
            after[place].add(self.data.high()[at], self.c, self.data.weight(at));
        }
        let mut before = Deviations::default();
        let mut best = after[0].variance(self.rows).high;
        for (place, &at) in order.iter().enumerate() {
            let at = at as usize;
            before.add(self.data.low()[at], self.c, self.data.weight(at));
            let mut all = after[place + 1];
            all.merge(&before);
            best = best.max(all.variance(self.rows).high);
        }
        Some(best)
    }

    /// Groups of equal cells.
    fn equal(&self) -> Vec<Equal> {
        let mut groups: Vec<Equal> = Vec::new();
        let mut order = self.in_order();
        let data = self.data;
        order.sort_by(|&a, &b| data.weight(a as usize).total_cmp(&data.weight(b as usize)));
        for at in order {
            let at = at as usize;
            let (low, high, weight) = (data.low()[at], data.high()[at], data.weight(at));
            match groups.last_mut() {
                Some(last) if (last.low, last.high, last.weight) == (low, high, weight) => last.count += 1,
                _ => groups.push(Equal { low, high, weight, count: 1 }),
            }
        }
        groups
    }

    /// The number of arrangements, if it is not too great.
    fn arrangements(&self) -> Option<usize> {
        let product = self.equal().iter().try_fold(1usize, |all, group| all.checked_mul(group.count + 1));
        product.filter(|&all| all <= MOST)
    }

    /// The greatest variance over all arrangements; none if there are too many.
    fn enumerate(&self) -> Option<f64> {
        self.arrangements()?;
        let base = [self.fixed.squares.total(), self.fixed.sum.total()];
        let mut best = f64::NEG_INFINITY;
        self.arranged(&self.equal(), base, &mut best);
        Some(best)
    }

    fn arranged(&self, groups: &[Equal], [squares, sum]: [Enclosure; 2], best: &mut f64) {
        let Some((group, others)) = groups.split_first() else {
            let variance = squares / self.rows - (sum / self.rows).square();
            *best = best.max(variance.high);
            return;
        };
        let weight = Enclosure::point(group.weight);
        let [low, high] = [group.low, group.high].map(|x| Enclosure::point(x) - Enclosure::point(self.c));
        for count in 0..=group.count {
            let up = Enclosure::point(count as f64) * weight;
            let down = Enclosure::point((group.count - count) as f64) * weight;
            let squares = squares + up * high.square() + down * low.square();
            let sum = sum + up * high + down * low;
            self.arranged(others, [squares, sum], best);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The greatest variance with all cells undecided, lower bounds first.
    pub fn arrange_all(data: &Intervals) -> f64 {
        let open = (0..data.len() as u32).collect();
        let rest = Rest { data, c: 0.0, rows: data.total_weight(), fixed: Deviations::default(), open };
        assert!(rest.is_ordered());
        rest.arrange().unwrap()
    }
}
