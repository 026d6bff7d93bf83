//! The interface of methods that form regions of rows: their input and their output.
//!
//! A method puts the rows of a table into *regions*; all rows of a region then get the same cells.
//! It sees points (see [`Space`]), asks a [`Judge`] whether a set of them is safe, and gives
//! [`Share`]s. It knows no labels, no lattice and no release: `regions.rs` makes cells of regions
//! and proves the whole, as `apply` does for steps. Adding a method is one file and one entry in
//! the registry and one line in [`method`](super::method).

use rustc_hash::FxHashMap;

use super::people::{Crowd, RankCounts};
use crate::classes::Classes;
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::model::{Bound, Class, ClassModel, PrivacyModel};
use crate::policy::{Search, StatisticSpec};
pub use crate::recoding::Share;
use crate::registry::Algorithm;
use crate::space::{Axis, Guiding, Space};
use crate::table::Code;
use crate::watch::{Event, Stage, Watch};
use crate::worth::Worths;

/// The most judged values of sets that are judged by the thousand.
const CHEAP: usize = 64;

/// What a method is given.
pub struct Field<'a> {
    /// The points.
    pub space: &'a Space,
    /// What makes a region safe.
    pub judge: Judge<'a>,
    /// The policy's options.
    pub search: &'a Search,
    /// Names of the columns.
    pub names: &'a [String],
    /// The same with those that are not seen here, where regions are formed by some columns first.
    pub all_names: &'a [String],
    /// Column → how much distortion the recipient tolerates, from 0 to 1: decides ties.
    pub tolerance: Vec<f64>,
    /// Decides what is left to chance.
    pub seed: u64,
    /// What methods that work with least upper bounds aim at beside measures.
    pub aims: Aims<'a>,
    /// Reports progress, and may stop the method.
    pub watch: Watch,
}

/// What a recoding is to be good for.
#[derive(Default)]
pub struct Aims<'a> {
    /// The information of each column's values about the targets, if cells are priced by it; none
    /// otherwise.
    pub worths: Vec<ColumnWorth>,
    /// The model that is to predict well from released rows.
    pub guiding: Option<Guiding<'a>>,
    /// Who writes cells for it.
    pub texts: Option<&'a dyn Texts>,
    /// The statistics that a recipient is to bound narrowly.
    pub statistics: Vec<&'a StatisticSpec>,
}

/// Writes cells.
pub trait Texts: Sync {
    /// The least cell of a column that is true of some ranks, which are in order; `None` is
    /// missing.
    fn text(&self, column: usize, ranks: &[Code]) -> Option<String>;
}

/// The information of a column's values about the targets.
pub struct ColumnWorth {
    /// Of the rows under any cell.
    pub worths: Worths,
    /// Level → rank → what the value at that level is worth.
    pub levels: Vec<Vec<f64>>,
    /// How much the column counts.
    pub weight: f64,
}

impl ColumnWorth {
    /// Of a column whose leaves are in an order.
    pub fn new(worths: Worths, hierarchy: &Hierarchy, axis: &Axis, weight: f64) -> Self {
        let at = |level: usize, rank: usize| {
            worths.at(level, hierarchy.generalize(axis.leaf(rank as Code), level))
        };
        let level = |level: usize| (0..axis.len()).map(|rank| at(level, rank)).collect();
        let levels = (0..=hierarchy.height()).map(level).collect();
        ColumnWorth { worths, levels, weight }
    }
}

impl Field<'_> {
    /// Reports the share of rows that are in their final region.
    pub(super) fn report(&self, share: f64) {
        let done = (1000.0 * share) as u64;
        self.watch.report(Event::Done { stage: Stage::Forming, done, of: Some(1000) });
    }
}

/// A way to form regions.
pub trait Method: Sync {
    /// The algorithm that it is.
    fn algorithm(&self) -> Algorithm;

    /// What policies call it.
    fn name(&self) -> &'static str {
        self.algorithm().key()
    }

    /// Why it cannot be used, with what can; `None` when it can.
    fn refuses(&self, field: &Field<'_>) -> Option<Fault>;

    /// Puts all rows of some points, which are safe together, into regions that are safe each; none
    /// when stopped. The same for any number of threads.
    ///
    /// # Errors
    /// What cannot be done with these points.
    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>>;

    /// The same for many small sets of points, each by itself: what all have in common is prepared
    /// once.
    ///
    /// # Errors
    /// As [`Method::run`].
    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        let mut formed = Vec::with_capacity(sets.len());
        for points in sets {
            let Some(shares) = self.run(field, points)? else { return Ok(None) };
            formed.push(shares);
        }
        Ok(Some(formed))
    }
}

/// Judges sets of rows by their number, by the values of measured columns in them, by the people
/// whom they belong to, and by the people of the population who match their cells.
#[derive(Clone)]
pub struct Judge<'a> {
    least: u64,
    models: Vec<&'a dyn ClassModel>,
    classes: &'a Classes,
    /// The measured columns that models read, and how many values each has.
    columns: Vec<(usize, usize)>,
    /// The population, where k-map judges.
    crowd: Option<Crowd<'a>>,
    /// The people whom the rows of points belong to, where these are counted, and how many of them
    /// a region needs.
    subjects: Option<&'a Histogram>,
    people_needed: u64,
}

impl<'a> Judge<'a> {
    /// A judge of regions of at least `least` rows that some models find safe.
    pub fn new(classes: &'a Classes, least: u64, models: Vec<&'a dyn ClassModel>) -> Self {
        let mut columns: Vec<usize> = models.iter().map(|model| model.class_facts().column).collect();
        columns.sort_unstable();
        columns.dedup();
        let fewest = models.iter().map(|model| model.class_facts().model.min_safe_rows).max().unwrap_or(1);
        let columns = columns.into_iter().map(|c| (c, classes.histograms()[c].values())).collect();
        let least = least.max(fewest).max(1);
        Judge { least, models, classes, columns, crowd: None, subjects: None, people_needed: 0 }
    }

    /// The same, which asks for people who match the cells, too.
    #[must_use]
    pub fn among(self, crowd: Option<Crowd<'a>>) -> Self {
        Judge { crowd, ..self }
    }

    /// The same, which counts the people whom rows belong to, where a model asks for it.
    #[must_use]
    pub fn counting_people(self, models: &[Box<dyn PrivacyModel>]) -> Self {
        let asked = models.iter().filter_map(|model| model.scope().subjects()).max_by_key(|asked| asked.1);
        let Some((column, needed)) = asked else { return self };
        let subjects = self.classes.histograms().get(column);
        Judge { least: self.least.max(needed), subjects, people_needed: needed, ..self }
    }

    /// The people that a region needs; 0 where they are not counted.
    pub fn people_needed(&self) -> u64 {
        self.people_needed
    }

    /// The same, which needs other people where they are counted.
    #[must_use]
    pub fn needing_people(self, people: u64) -> Self {
        Judge { least: self.least.max(people), people_needed: people, ..self }
    }

    /// Fewer rows are never safe.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Whether the number of rows alone decides.
    pub fn counts_only(&self) -> bool {
        self.models.is_empty() && self.crowd.is_none() && self.subjects.is_none()
    }

    /// Whether judging a set is cheap: by rows alone, or by few values.
    pub fn is_cheap(&self) -> bool {
        let values: usize = self.columns.iter().map(|&(_, values)| values).sum();
        self.crowd.is_none() && (self.models.is_empty() || values <= CHEAP)
    }

    /// The most common value of a point in every judged column, the first of equally common ones.
    pub fn commonest(&self, point: u32) -> Vec<Code> {
        let commonest = |&(column, _): &(usize, usize)| {
            let (codes, counts) = self.classes.histograms()[column].class(point as usize);
            let most = (0..codes.len()).max_by_key(|&at| (counts[at], std::cmp::Reverse(at)));
            most.map_or(0, |at| codes[at])
        };
        self.columns.iter().map(commonest).collect()
    }

    /// Whether a safe region stays safe whatever is added to it. Where it does not, a set that
    /// grows must be judged again; unions of safe regions are
    /// safe in any case.
    pub fn absorbs(&self) -> bool {
        self.models.iter().all(|model| model.class_facts().absorbs)
    }

    /// The table that is judged.
    pub fn classes(&self) -> &'a Classes {
        self.classes
    }

    /// A set of no rows.
    pub fn tally(&self) -> Tally {
        let values = self.columns.iter().map(|&(_, values)| vec![0; values]).collect();
        let columns = self.crowd.map_or(0, |crowd| crowd.space.axes().len());
        Tally { rows: 0, values, ranks: RankCounts::new(columns), people: FxHashMap::default() }
    }

    /// Adds all rows of a point to a set.
    pub fn add(&self, tally: &mut Tally, point: u32) {
        tally.rows += u64::from(self.classes.counts()[point as usize]);
        for (values, &(column, _)) in tally.values.iter_mut().zip(&self.columns) {
            let (codes, counts) = self.classes.histograms()[column].class(point as usize);
            codes.iter().zip(counts).for_each(|(&code, &n)| values[code as usize] += n);
        }
        if let Some(subjects) = self.subjects {
            let (people, _) = subjects.class(point as usize);
            people.iter().for_each(|&person| *tally.people.entry(person).or_default() += 1);
        }
        if let Some(crowd) = &self.crowd {
            tally.ranks.add(crowd.space, point);
        }
    }

    /// Takes all rows of a point from a set that has them.
    pub fn remove(&self, tally: &mut Tally, point: u32) {
        tally.rows -= u64::from(self.classes.counts()[point as usize]);
        for (values, &(column, _)) in tally.values.iter_mut().zip(&self.columns) {
            let (codes, counts) = self.classes.histograms()[column].class(point as usize);
            codes.iter().zip(counts).for_each(|(&code, &n)| values[code as usize] -= n);
        }
        if let Some(subjects) = self.subjects {
            subjects.class(point as usize).0.iter().for_each(|person| tally.leave(*person));
        }
        if let Some(crowd) = &self.crowd {
            tally.ranks.remove(crowd.space, point);
        }
    }

    /// Whether a set is safe.
    pub fn safe(&self, tally: &Tally) -> bool {
        tally.rows >= self.least
            && self.size(tally) >= self.people_needed
            && self.figures(tally).all(|(bound, figure)| bound.holds(figure))
            && self.people(tally).all(|(_, bound, figure)| bound.holds(figure))
    }

    /// Whether a safe set is safe for good, and it costs nothing to ask.
    pub fn settles(&self) -> bool {
        self.models.is_empty() && self.crowd.is_none()
    }

    /// Adds points to a set until it is safe for good, or all of them; whether it is safe, and how
    /// many points were added.
    pub fn fill(&self, tally: &mut Tally, points: impl Iterator<Item = u32>) -> (bool, usize) {
        let for_good = self.settles();
        let mut added = 0;
        for point in points {
            self.add(tally, point);
            added += 1;
            if for_good && self.safe(tally) {
                return (true, added);
            }
        }
        (self.safe(tally), added)
    }

    /// The size of a set: the people whom it belongs to where these are counted, and its rows
    /// otherwise.
    pub fn size(&self, tally: &Tally) -> u64 {
        if self.subjects.is_some() { tally.people.len() as u64 } else { tally.rows }
    }

    /// The people who match a set, up to those that are needed.
    fn people(&self, tally: &Tally) -> impl Iterator<Item = (&'a str, Bound, f64)> {
        let asked = |crowd: &Crowd<'a>| {
            let found = crowd.people(&tally.ranks, crowd.k);
            (crowd.claim, Bound::AtLeast(crowd.k as f64), found as f64)
        };
        self.crowd.as_ref().map(asked).into_iter()
    }

    /// How far a set is from being safe: Σ over models of how far its figure is beyond the bound,
    /// in bounds. Only for comparing sets of rows enough.
    pub fn short(&self, tally: &Tally) -> f64 {
        let people = self.people(tally).map(|(_, bound, figure)| (bound, figure));
        let beyond = self.figures(tally).chain(people).filter(|(bound, figure)| !bound.holds(*figure));
        let far = |(bound, figure): (Bound, f64)| {
            let far = (figure - bound.required()).abs() / bound.required().abs().max(1.0);
            // Figures of values that do not occur may be infinite, and then further than all
            // others.
            if far.is_finite() { far.min(1e9) } else { 1e9 }
        };
        let lacking = self.people_needed.saturating_sub(self.size(tally));
        beyond.map(far).sum::<f64>() + lacking as f64 / self.people_needed.max(1) as f64
    }

    /// The models that find a set unsafe: the claim of each, its bound and the set's figure.
    pub fn missed<'t>(&'t self, tally: &'t Tally) -> impl Iterator<Item = (&'a str, Bound, f64)> + 't {
        let claims = self.models.iter().map(|model| model.class_facts().model.claim.as_str());
        let all = claims.zip(self.figures(tally)).map(|(claim, (bound, figure))| (claim, bound, figure));
        all.chain(self.people(tally)).filter(|(_, bound, figure)| !bound.holds(*figure))
    }

    fn figures<'t>(&'t self, tally: &'t Tally) -> impl Iterator<Item = (Bound, f64)> + 't {
        let mut seen = Values::default();
        self.models.iter().map(move |model| {
            let facts = model.class_facts();
            let at = self.columns.iter().position(|&(column, _)| column == facts.column);
            seen.of(at.map_or(&[][..], |at| &tally.values[at]));
            (facts.bound, model.figure(Class { codes: &seen.codes, counts: &seen.counts }))
        })
    }
}

/// The values that occur and the rows of each, as models see them.
#[derive(Default)]
struct Values {
    codes: Vec<Code>,
    counts: Vec<u32>,
}

impl Values {
    fn of(&mut self, values: &[u32]) {
        self.codes.clear();
        self.counts.clear();
        for (code, &count) in values.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.codes.push(code as Code);
            self.counts.push(count);
        }
    }
}

/// A set of rows as far as it is judged.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    rows: u64,
    /// Judged column → value → rows.
    values: Vec<Vec<u32>>,
    /// The ranks of its points, where people of a population are counted.
    ranks: RankCounts,
    /// The people whom its rows belong to, where these are counted → the points that each has.
    people: FxHashMap<Code, u32>,
}

impl Tally {
    /// Its rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows = 0;
        self.values.iter_mut().for_each(|values| values.fill(0));
        self.ranks.clear();
        self.people.clear();
    }

    /// Takes a point of a person away.
    fn leave(&mut self, person: Code) {
        if let Some(points) = self.people.get_mut(&person) {
            *points -= 1;
            if *points == 0 {
                self.people.remove(&person);
            }
        }
    }

    /// Adds another set.
    pub fn merge(&mut self, other: &Tally) {
        self.rows += other.rows;
        for (values, others) in self.values.iter_mut().zip(&other.values) {
            values.iter_mut().zip(others).for_each(|(n, &more)| *n += more);
        }
        self.ranks.merge(&other.ranks);
        other.people.iter().for_each(|(&person, &points)| *self.people.entry(person).or_default() += points);
    }
}

/// The models that judge regions one by one, out of all; the others must be judged when all regions
/// are known, and may have something that regions can aim at.
pub fn class_models(models: &[Box<dyn PrivacyModel>], aim: bool) -> Vec<&dyn ClassModel> {
    models.iter().filter_map(|m| m.scope().class_model().or_else(|| m.aim().filter(|_| aim))).collect()
}
