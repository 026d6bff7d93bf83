//! Mondrian: cuts regions until no cut leaves safe parts [LeFevre 2006].
//!
//! The first region is the whole table. The column with the highest score is cut, and the parts are
//! cut in turn; a region that cannot be cut in any column is final. Numbers, and values in a stated
//! order, are cut in two at the median [De Spoelberch, 2.4.3, "they need to have a total
//! ordering"]; columns with a hierarchy are cut into the children of the region's value. [`cut`]
//! cuts a column, [`choose`] chooses it, [`points`] lays out the points in memory.
//!
//! *Strict*: equal rows stay together, so a point is in one region. *Relaxed*: rows at the median
//! of a numeric column may go to both sides, so that the sides are equal; a region that has two
//! numbers in such a column then has fewer than 2k rows. Columns with a hierarchy are cut the same
//! way in both: separating rows of one value gives no narrower cells.
//!
//! *Refined*: strict regions by gain are then improved by local search (`polish`): each task has the
//! neighbours of its points from subtrees of few rows, cuts tours through its regions anew and moves
//! points between them. That takes a seventh off the cost on adult, for 2 µs per
//! point; a table of many points is refined less, at 0.3 µs per point.
//!
//! Costs points × columns for each of about log2(rows / k) levels of cuts: about 40 ns per point
//! and level with nine columns. Large regions are cut breadth first, each by all threads; the
//! remaining ones are finished by tasks that work on a stack of points and allocate nothing per
//! region. Neither order depends on the number of threads.

mod choose;
mod cut;
mod points;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::clusters::Clusters;
use super::near::Near;
use super::points::Points as Part;
use super::polish::{Effort, FEW, polish};
use super::prices::Prices;
use super::region::{Field, Method, Share};
use crate::classes::Codes;
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{By, Cut, Mondrian as Options};
use crate::registry::Algorithm;
use choose::Rule;
use cut::Scale;
use points::{Points, Rank, Region, Scratch};

/// More points are worth several threads.
const LARGE: usize = 1 << 15;
/// Progress is reported after this many rows.
const REPORT_ROWS: u64 = 1 << 16;

/// How much regions are refined.
#[derive(Debug, Clone, Copy)]
struct Refinement {
    /// How many near points of each are looked at.
    near: usize,
    /// They are found among regions that have at most this many times the least rows together.
    block: u64,
    effort: Effort,
}

impl Refinement {
    /// Less in a table of many points, where cutting is dear enough.
    fn of(points: usize) -> Self {
        let (near, block) = if points > FEW { (4, 8) } else { (8, 16) };
        Refinement { near, block, effort: Effort::of_cuts(points) }
    }
}

/// Cuts regions until they cannot be cut.
pub struct Mondrian;

impl Method for Mondrian {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Mondrian
    }

    fn refuses(&self, field: &Field<'_>) -> Option<Fault> {
        let options = options(field);
        if options.cut == Cut::Relaxed && !field.judge.counts_only() {
            let fault = fault!(
                Input,
                "search.relaxed-cut-needs-k",
                "rows of equal values cannot be split with models that judge more than class size"
            );
            let help = "write cut = \"strict\", or ask for k alone";
            return Some(fault.key("search.mondrian.cut").help(help));
        }
        if options.by == By::Target && field.judge.classes().targets() == 0 {
            let fault = fault!(
                Input,
                "search.cut-needs-target",
                "cuts by information need a column with role \"target\""
            );
            let help = "give a column role = \"target\", or write by = \"range\"";
            return Some(fault.key("search.mondrian.by").help(help));
        }
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        Ok(Cutter::new(field, points, LARGE)?.refining().run(points))
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        let cutter = Cutter::new(field, &sets.concat(), LARGE)?.refining();
        Ok(sets.par_iter().map(|points| cutter.run(points)).collect())
    }
}

/// The options of the policy.
fn options(field: &Field<'_>) -> Options {
    field.search.mondrian.unwrap_or_default()
}

/// Cuts points until parts have at most some rows, with the scores of columns multiplied by factors:
/// blocks of near points. None when stopped.
pub(super) fn blocks(
    field: &Field<'_>,
    points: &[u32],
    rows: u64,
    factors: &[f64],
) -> Result<Option<Vec<Vec<u32>>>> {
    let mut cutter = Cutter::new(field, points, usize::MAX)?;
    cutter.options = Options::default();
    cutter.rule = None;
    cutter.factors = factors.to_vec();
    (cutter.leaf, cutter.quiet) = (rows, true);
    let Some(shares) = cutter.run(points) else { return Ok(None) };
    let count = shares.last().map_or(0, |share| share.region as usize + 1);
    let mut blocks = vec![Vec::new(); count];
    shares.iter().for_each(|share| blocks[share.region as usize].push(share.point));
    Ok(Some(blocks))
}

/// What all tasks read.
struct Cutter<'a> {
    field: &'a Field<'a>,
    options: Options,
    /// The policy's own choice of columns.
    rule: Option<Rule>,
    scales: Vec<Scale<'a>>,
    /// What cells cost, where regions are refined.
    refining: Option<Prices<'a>>,
    refinement: Refinement,
    /// Column → what its score is multiplied by.
    factors: Vec<f64>,
    /// Regions of at most this many rows are final.
    leaf: u64,
    /// Reports nothing.
    quiet: bool,
    /// Regions of more points are cut by all threads together; others are finished by one task
    /// each.
    large: usize,
    /// Rows in final regions, and all rows.
    done: AtomicU64,
    rows: u64,
}

/// Final regions in order, numbered from 0.
#[derive(Default)]
struct Finished {
    shares: Vec<Share>,
    regions: u32,
    /// Where blocks of near regions begin, by the number of their first share.
    blocks: Vec<usize>,
}

impl Finished {
    /// Adds a region.
    fn add<T>(&mut self, region: &Region<'_, T>) {
        let shares = region.ids.iter().zip(region.rows);
        self.shares.extend(shares.map(|(&point, &rows)| Share { point, region: self.regions, rows }));
        self.regions += 1;
    }
}

/// What a region became.
enum Item<T> {
    /// To be cut, with its rows and the cuts that made it.
    Open(Points<T>, u64, u32),
    Finished(Finished),
}

impl<'a> Cutter<'a> {
    fn new(field: &'a Field<'a>, points: &[u32], large: usize) -> Result<Self> {
        let rows = points.iter().map(|&p| u64::from(field.space.counts()[p as usize])).sum();
        let scales = field.space.axes().iter().map(Scale::new).collect();
        let rule = |text: &str| Rule::new(text, field.names, field.all_names);
        let rule = field.search.choose.as_deref().map(rule).transpose()?;
        let factors = vec![1.0; field.space.axes().len()];
        let done = AtomicU64::new(0);
        let options = options(field);
        Ok(Cutter {
            field,
            options,
            rule,
            scales,
            refining: None,
            refinement: Refinement::of(points.len()),
            factors,
            leaf: 0,
            quiet: false,
            large,
            done,
            rows,
        })
    }

    /// The same, which refines regions where the policy wants that.
    fn refining(self) -> Self {
        let field = self.field;
        let refines = self.options.refines() && self.rule.is_none() && field.judge.is_cheap();
        let refining = refines.then(|| Prices::with_sets(field.space.axes(), &field.tolerance));
        Cutter { refining, ..self }
    }

    /// All regions of some points, numbered in the order of the parts of cuts; none when stopped.
    fn run(&self, points: &[u32]) -> Option<Vec<Share>> {
        let counts = self.field.judge.classes().counts();
        let rows = points.iter().map(|&point| u64::from(counts[point as usize])).sum();
        match self.field.space.points() {
            _ if points.is_empty() => Some(Vec::new()),
            Codes::Narrow(ranks) => self.regions(Points::new(self.field.space, ranks, points), rows),
            Codes::Wide(ranks) => self.regions(Points::new(self.field.space, ranks, points), rows),
        }
    }

    fn regions<T: Rank>(&self, points: Points<T>, rows: u64) -> Option<Vec<Share>> {
        let mut items = vec![Item::Open(points, rows, 0)];
        while items.iter().any(|item| self.is_large(item)) {
            items = items.into_par_iter().flat_map_iter(|item| self.part(item)).collect();
            if self.field.watch.should_finish() {
                return None;
            }
        }
        let finished: Option<Vec<Finished>> = items.into_par_iter().map(|item| self.finish(item)).collect();
        let finished = finished?;
        let mut shares = Vec::with_capacity(finished.iter().map(|f| f.shares.len()).sum());
        let mut before = 0;
        for Finished { shares: some, regions, .. } in finished {
            shares.extend(some.into_iter().map(|s| Share { region: before + s.region, ..s }));
            before += regions;
        }
        Some(shares)
    }

    fn is_large<T: Rank>(&self, item: &Item<T>) -> bool {
        matches!(item, Item::Open(points, ..) if points.len() > self.large)
    }

    /// Cuts a large region once.
    fn part<T: Rank>(&self, item: Item<T>) -> Vec<Item<T>> {
        let (points, rows, depth) = match item {
            Item::Open(points, rows, depth) if points.len() > self.large => (points, rows, depth),
            other => return vec![other],
        };
        let mut scratch = Scratch::default();
        let region = points.from(0);
        if !self.choose(&region, (rows, depth), &mut scratch) {
            let mut finished = Finished::default();
            finished.add(&region);
            self.report(rows);
            return vec![Item::Finished(finished)];
        }
        scratch.sort(&region);
        let parts = 0..scratch.parts();
        parts
            .map(|part| Item::Open(points.part(&scratch, part), scratch.part_rows(part), depth + 1))
            .collect()
    }

    /// Cuts a region and all parts of it, on a stack of points; none when stopped.
    fn finish<T: Rank>(&self, item: Item<T>) -> Option<Finished> {
        let (mut stack, rows, depth) = match item {
            Item::Open(points, rows, depth) => (points, rows, depth),
            Item::Finished(finished) => return Some(finished),
        };
        let mut finished = Finished::default();
        let mut scratch = Scratch::default();
        // Where each open region starts, its rows, and the cuts that made it; it ends where the
        // next one starts.
        let mut open = vec![(0, rows, depth, false)];
        let block = self.refinement.block.saturating_mul(self.field.judge.least());
        let mut unreported = 0;
        while let Some((start, rows, depth, mut within)) = open.pop() {
            let region = stack.from(start);
            if !within && (rows <= block || open.is_empty()) {
                within = rows <= block;
                finished.blocks.push(finished.shares.len());
            }
            // Two parts need twice the least.
            let small = rows < 2 * self.field.judge.least() || rows <= self.leaf;
            if small || !self.choose(&region, (rows, depth), &mut scratch) {
                if !within {
                    finished.blocks.push(finished.shares.len());
                }
                finished.add(&region);
                stack.truncate(start);
                unreported += rows;
                if unreported > REPORT_ROWS {
                    self.report(std::mem::take(&mut unreported));
                }
                continue;
            }
            if region.ids.len() > 1 << 8 && self.field.watch.should_finish() {
                return None;
            }
            scratch.sort(&region);
            stack.arrange(start, &mut scratch);
            // The first part comes to lie on top, so that it is next.
            let mut start = start;
            for part in (0..scratch.parts()).rev() {
                open.push((start, scratch.part_rows(part), depth + 1, within));
                start += scratch.part_places(part).len();
            }
        }
        self.report(unreported);
        match &self.refining {
            Some(prices) => self.refined(finished, prices),
            None => Some(finished),
        }
    }

    /// Regions after rows have moved between them; none when stopped.
    fn refined(&self, finished: Finished, prices: &Prices<'_>) -> Option<Finished> {
        let ids: Vec<u32> = finished.shares.iter().map(|share| share.point).collect();
        let part = Part::new(self.field, &ids);
        let places = part.places(&ids);
        let mut clusters = Clusters::new(&part, prices);
        let regions = finished.shares.chunk_by(|a, b| a.region == b.region);
        let mut next = 0;
        for region in regions {
            clusters.found(places[next..next + region.len()].to_vec());
            next += region.len();
        }
        let mut starts = finished.blocks;
        starts.push(places.len());
        starts.dedup();
        let blocks: Vec<Vec<u32>> = starts.windows(2).map(|ends| places[ends[0]..ends[1]].to_vec()).collect();
        let mut near = Near::new(part.len(), self.refinement.near);
        let watch = &self.field.watch;
        let done = near.meet(&part, prices, &blocks, watch)
            && polish(
                &mut clusters,
                &near.found(),
                (self.refinement.effort, self.field.seed),
                watch,
                &|_| {},
            );
        let (shares, regions) = done.then(|| clusters.shares())?;
        Some(Finished { shares, regions, blocks: Vec::new() })
    }

    fn report(&self, rows: u64) {
        if self.quiet {
            return;
        }
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        self.field.report(done as f64 / self.rows.max(1) as f64);
    }
}
