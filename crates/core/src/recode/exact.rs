//! MinGen over cells: the least sum of cell costs of all releases in which every cell may be
//! generalized on its own [De Spoelberch, section 2.4.1; Sweeney 2002]. A yardstick for the other
//! methods, on small tables.
//!
//! Rows with equal cells form a group of at least k rows, and no cell can be lower than the least one
//! that is true of its group. So the best release is the best division of the rows into groups. A
//! group of 2k or more rows can be cut in two without raising a cell, so groups of k to 2k − 1 rows
//! suffice. Equal rows may be in different groups.
//!
//! The search takes the first row that is left, tries the groups that it can be in, the nearest rows
//! first, and remembers the best division of every set of rows that can remain, or what it costs at
//! least. Bound: a row costs at least as much as with its (k − 1)-th nearest alone, because cells only
//! rise when rows join. Costs grow exponentially with rows; [`MOST_ROWS`] bounds them, and the search
//! can be stopped.

use rustc_hash::FxHashMap;

use super::region::{Field, Method, Share};
use crate::error::{Fault, Result};
use crate::fault;
use crate::registry::Algorithm;
use crate::space::Space;
use crate::table::Code;

/// Most rows of a table.
const MOST_ROWS: u64 = 32;
/// Most sets of rows whose best division is remembered: about 400 MB.
const MOST_KNOWN: usize = 1 << 20;

/// Tries every division into groups.
pub struct CellMinGen;

impl Method for CellMinGen {
    fn algorithm(&self) -> Algorithm {
        Algorithm::CellMinGen
    }

    fn refuses(&self, field: &Field<'_>) -> Option<Fault> {
        let rows: u64 = field.space.counts().iter().map(|&count| u64::from(count)).sum();
        if rows > MOST_ROWS {
            let fault = fault!(
                Input,
                "search.too-many-rows",
                "\"{algorithm}\" tries all divisions of the rows, and {rows} rows are too many",
                algorithm = self.name(),
                rows = rows
            );
            let help = format!("give it at most {MOST_ROWS} rows, or choose \"k-similar\"");
            return Some(fault.key("search.algorithm").help(help));
        }
        (!field.judge.counts_only()).then(|| {
            let fault = fault!(
                Input,
                "search.exact-cells-need-k",
                "\"{algorithm}\" divides rows of equal values, which models beside k do not allow",
                algorithm = self.name()
            );
            fault.key("search.algorithm").help("require k alone, or choose \"k-similar\"")
        })
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let stop = || field.watch.should_finish();
        let mut divider = Divider::new(field.space, points, field.judge.least());
        divider.stop = &stop;
        let groups = divider.groups();
        if divider.known.len() >= MOST_KNOWN {
            let fault = fault!(
                Unsolvable,
                "search.too-many-divisions",
                "\"{algorithm}\" found too many ways to divide the rows",
                algorithm = self.name()
            );
            let help = "give it fewer rows or a smaller k, or choose \"k-similar\"";
            return Err(fault.key("search.algorithm").help(help).into());
        }
        Ok(groups.map(|groups| shares(points, groups)))
    }
}

fn shares(points: &[u32], groups: Vec<Group>) -> Vec<Share> {
    let share = |region: usize, &(kind, rows): &(usize, u32)| Share {
        point: points[kind],
        region: region as u32,
        rows,
    };
    let groups = groups.iter().enumerate();
    let mut shares: Vec<Share> =
        groups.flat_map(|(region, group)| group.iter().map(move |part| share(region, part))).collect();
    shares.sort_unstable();
    shares
}

/// Kinds of rows with the number of rows of each kind. Rows of one kind are equal.
type Group = Vec<(usize, u32)>;

/// The best division of some rows: its cost, and the group of the first of them.
#[derive(Debug, Clone)]
struct Best {
    cost: f64,
    group: Group,
}

/// What is known of some rows.
#[derive(Debug)]
enum Known {
    Best(Best),
    /// Every division costs at least this much; infinite where there is none.
    AtLeast(f64),
}

struct Divider<'a> {
    space: &'a Space,
    least: u32,
    /// Kind → its rows, and its rank in every column.
    counts: Vec<u32>,
    ranks: Vec<Vec<Code>>,
    /// Kinds, the most costly first: what is bounded worst is decided first.
    order: Vec<usize>,
    /// Kind → all kinds, the nearest first.
    nearest: Vec<Vec<usize>>,
    /// Kind → the least that a row of it can cost.
    bounds: Vec<f64>,
    /// Rows that are left, by kind.
    known: FxHashMap<Vec<u32>, Known>,
    stop: &'a dyn Fn() -> bool,
    stopped: bool,
}

/// A group that is being formed.
struct Forming {
    group: Group,
    rows: u32,
    /// Column → lowest and highest rank.
    ranges: Vec<(Code, Code)>,
    /// Σ of the bounds of its rows.
    bound: f64,
}

impl<'a> Divider<'a> {
    fn new(space: &'a Space, points: &[u32], least: u64) -> Self {
        let rank = |point: &u32| (0..space.axes().len()).map(|c| space.rank(*point as usize, c)).collect();
        let ranks: Vec<Vec<Code>> = points.iter().map(rank).collect();
        let counts: Vec<u32> = points.iter().map(|&point| space.counts()[point as usize]).collect();
        let kinds = 0..points.len();
        let mut divider = Divider {
            space,
            least: u32::try_from(least).unwrap_or(u32::MAX),
            counts,
            ranks,
            order: kinds.clone().collect(),
            nearest: Vec::new(),
            bounds: Vec::new(),
            known: FxHashMap::default(),
            stop: &|| false,
            stopped: false,
        };
        for kind in kinds.clone() {
            let cost = |&other: &usize| divider.together(kind, other);
            let mut nearest: Vec<usize> = kinds.clone().collect();
            nearest.sort_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
            let mut rows = 0;
            let enough = nearest.iter().find(|&&other| {
                rows += u64::from(divider.counts[other]);
                rows >= least
            });
            divider.bounds.push(enough.map_or(0.0, cost));
            divider.nearest.push(nearest);
        }
        let bounds = &divider.bounds;
        divider.order.sort_by(|&a, &b| bounds[b].total_cmp(&bounds[a]).then(a.cmp(&b)));
        divider
    }

    /// What a row costs where only two kinds are together.
    fn together(&self, a: usize, b: usize) -> f64 {
        let ranges: Vec<(Code, Code)> =
            self.ranks[a].iter().zip(&self.ranks[b]).map(|(&a, &b)| (a.min(b), a.max(b))).collect();
        self.space.cost(&ranges)
    }

    /// The groups of the best division; none when stopped.
    fn groups(&mut self) -> Option<Vec<Group>> {
        let mut left = self.counts.clone();
        let mut groups = Vec::new();
        while left.iter().any(|&rows| rows > 0) {
            self.best(&left, f64::INFINITY);
            let Some(Known::Best(best)) = self.known.get(&left).filter(|_| !self.stopped) else {
                return None;
            };
            best.group.iter().for_each(|&(kind, rows)| left[kind] -= rows);
            groups.push(best.group.clone());
        }
        Some(groups)
    }

    /// The least cost of the rows that are left, if it is below a limit; otherwise infinite.
    fn best(&mut self, left: &[u32], limit: f64) -> f64 {
        let rows: u32 = left.iter().sum();
        if rows == 0 {
            return 0.0;
        }
        match self.known.get(left) {
            Some(Known::Best(best)) => return best.cost,
            Some(Known::AtLeast(cost)) if *cost >= limit => return f64::INFINITY,
            _ => {}
        }
        let first = self.order.iter().copied().find(|&kind| left[kind] > 0).unwrap_or(0);
        let bound = left.iter().zip(&self.bounds).map(|(&rows, bound)| f64::from(rows) * bound).sum();
        let ranges = self.ranks[first].iter().map(|&rank| (rank, rank)).collect();
        let forming = Forming { group: vec![(first, 1)], rows: 1, ranges, bound: self.bounds[first] };
        let mut best = Best { cost: limit, group: Group::new() };
        if rows >= self.least {
            self.form((left, rows, bound), (first, 0), forming, &mut best);
        }
        let found = !best.group.is_empty();
        let cost = if found { best.cost } else { f64::INFINITY };
        let known = if found { Known::Best(best) } else { Known::AtLeast(limit) };
        self.known.insert(left.to_vec(), known);
        cost
    }

    /// Tries all groups that have a beginning, with rows of the kinds from `next` on of those that
    /// are nearest to `first`.
    fn form(
        &mut self,
        (left, rows, bound): (&[u32], u32, f64),
        (first, next): (usize, usize),
        forming: Forming,
        best: &mut Best,
    ) {
        self.stopped = self.stopped || self.known.len() >= MOST_KNOWN || (self.stop)();
        let size = f64::from(forming.rows);
        let cost = size * self.space.cost(&forming.ranges);
        // Rows that join later cost at least their bounds, whether in this group or in another.
        if self.stopped || cost + (bound - forming.bound) >= best.cost {
            return;
        }
        let rest = rows - forming.rows;
        if forming.rows >= self.least && (rest == 0 || rest >= self.least) {
            let mut after = left.to_vec();
            forming.group.iter().for_each(|&(kind, rows)| after[kind] -= rows);
            let all = cost + self.best(&after, best.cost - cost);
            if all < best.cost {
                *best = Best { cost: all, group: forming.group.clone() };
            }
        }
        if forming.rows + 1 >= self.least.saturating_mul(2) || next == self.nearest[first].len() {
            return;
        }
        let kind = self.nearest[first][next];
        let taken = u32::from(kind == first);
        let most = (left[kind] - taken).min(2 * self.least - 1 - forming.rows);
        // Rows of the same kind cost nothing more, so that as many as possible come first.
        for more in (0..=most).rev() {
            let joined = self.joined(&forming, kind, more);
            self.form((left, rows, bound), (first, next + 1), joined, best);
        }
    }

    fn joined(&self, forming: &Forming, kind: usize, more: u32) -> Forming {
        let Forming { group, rows, ranges, bound } = forming;
        let mut joined = Forming {
            group: group.clone(),
            rows: rows + more,
            ranges: ranges.clone(),
            bound: bound + f64::from(more) * self.bounds[kind],
        };
        if more == 0 {
            return joined;
        }
        match joined.group.iter_mut().find(|part| part.0 == kind) {
            Some(part) => part.1 += more,
            None => joined.group.push((kind, more)),
        }
        for (range, &rank) in joined.ranges.iter_mut().zip(&self.ranks[kind]) {
            *range = (range.0.min(rank), range.1.max(rank));
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{Made, numbers, table};
    use super::*;
    use crate::policy::Form;

    /// The cost of groups of rows, which are given by their kinds.
    fn cost(made: &Made, groups: &[Vec<usize>]) -> f64 {
        let range = |group: &Vec<usize>, column: usize| {
            let ranks = group.iter().map(|&kind| made.space.rank(kind, column));
            (ranks.clone().min().unwrap(), ranks.max().unwrap())
        };
        let of = |group: &Vec<usize>| {
            let ranges: Vec<(Code, Code)> =
                (0..made.space.axes().len()).map(|column| range(group, column)).collect();
            group.len() as f64 * made.space.cost(&ranges)
        };
        groups.iter().map(of).sum()
    }

    /// The least cost over all divisions of rows, by putting each into a group of earlier ones or
    /// into a new one.
    fn brute(made: &Made, least: usize, rows: &[usize], groups: &mut Vec<Vec<usize>>) -> f64 {
        let Some((&row, rest)) = rows.split_first() else {
            return match groups.iter().all(|group| group.len() >= least) {
                true => cost(made, groups),
                false => f64::INFINITY,
            };
        };
        let mut best = f64::INFINITY;
        for at in 0..groups.len() {
            groups[at].push(row);
            best = best.min(brute(made, least, rest, groups));
            groups[at].pop();
        }
        groups.push(vec![row]);
        best = best.min(brute(made, least, rest, groups));
        groups.pop();
        best
    }

    fn divided(made: &Made, least: u64) -> Vec<Vec<usize>> {
        let points: Vec<u32> = (0..made.space.len() as u32).collect();
        let groups = Divider::new(&made.space, &points, least).groups().unwrap();
        let rows = |group: &Group| {
            group.iter().flat_map(|&(kind, rows)| std::iter::repeat_n(kind, rows as usize)).collect()
        };
        groups.iter().map(rows).collect()
    }

    const FORMS: &[Form] = &[Form::Label, Form::Interval];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_division_costs_less(made in table(9, FORMS, FORMS), least in 1..5u64) {
            prop_assume!(made.classes.rows() >= least);
            let counts = made.space.counts().iter().enumerate();
            let rows: Vec<usize> =
                counts.flat_map(|(kind, &rows)| std::iter::repeat_n(kind, rows as usize)).collect();
            let found = divided(&made, least);
            prop_assert!(found.iter().all(|group| group.len() >= least as usize));
            let mut all = found.concat();
            all.sort_unstable();
            prop_assert_eq!(&all, &rows);
            let least = brute(&made, least as usize, &rows, &mut Vec::new());
            prop_assert!((cost(&made, &found) - least).abs() < 1e-9, "{} {least}", cost(&made, &found));
        }
    }

    /// Keeping equal rows together would cost more.
    #[test]
    fn equal_rows_are_divided_where_that_costs_less() {
        let made = numbers(&[4, 2]);
        let mut found = divided(&made, 3);
        found.iter_mut().for_each(|group| group.sort_unstable());
        found.sort();
        assert_eq!(found, [vec![0, 0, 0], vec![0, 1, 1]]);
    }
}
