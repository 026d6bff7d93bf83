//! Greedy guided by a predictive model [Katirai 2006, "The Greedy-DXCG Algorithm"]: joins the row
//! after which the model still predicts best.
//!
//! A row is joined with others until its set is safe, as in [`greedy`](super::greedy), but the
//! objective is the error of the model's prediction from the common cells of the set, relative to
//! the truth of the row. So columns that the model does not read cost nothing, and no weights are
//! needed. Ties go to the lower measure, then to the lowest number.
//!
//! Katirai queries the model for all pairs, in k batches. Here every row proposes the [`ASKED`]
//! cheapest candidates, and one batch per added row queries all points of a part together, each
//! combination of cells once. Costs the same as Greedy, one look-up per feature of every candidate,
//! and the model.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::greedy::{Open, Search, Set};
use super::{ALL, Meets};
use crate::error::{Fault, Result};
use crate::policy::Form;
use crate::predict::Row;
use crate::recode::points::Points;
use crate::recode::region::{Field, Texts};
use crate::space::{Axis, Guiding};
use crate::table::Code;

/// The number of candidates per row for which the model is queried.
const ASKED: usize = 32;

/// The sets of all points, their costs the shares of the largest error; none when stopped.
pub(super) fn guided(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    (guiding, texts): (Guiding<'_>, &dyn Texts),
) -> Result<Option<Vec<Set>>> {
    guided_of(meets, points, field, (guiding, texts), ASKED)
}

/// The same with another number of candidates.
pub(super) fn guided_of(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    (guiding, texts): (Guiding<'_>, &dyn Texts),
    asked: usize,
) -> Result<Option<Vec<Set>>> {
    if let Some(base) = guiding.guide.adds(None) {
        return added(meets, points, field, (guiding, texts), (asked, base));
    }
    let mut model = Model::new(field, guiding, texts)?;
    let truths: Vec<Vec<(f64, f64)>> =
        (0..points.len() as u32).map(|point| truth(points, guiding, point)).collect();
    let mut open: Vec<Open> = (0..points.len() as u32).map(|point| Open::new(meets, points, point)).collect();
    let mut errors = vec![0.0; points.len()];
    let others: Vec<u32> = (0..points.len() as u32).collect();
    let mut near = vec![Vec::new(); points.len()];
    loop {
        if field.watch.should_finish() {
            return Ok(None);
        }
        let growing: Vec<u32> = others.iter().copied().filter(|&p| !open[p as usize].is_safe()).collect();
        if growing.is_empty() {
            break;
        }
        let propose = |search: &mut Search, &point: &u32| {
            let own = &open[point as usize];
            search.prepare(meets, point, &others);
            (search.near(), search.next(meets, own, asked))
        };
        let proposed: Vec<(Vec<u32>, Vec<u32>)> =
            growing.par_iter().map_init(|| Search::new(field), propose).collect();
        model.ask(points, &growing, &open, &proposed)?;
        for (&point, (nearest, candidates)) in growing.iter().zip(&proposed) {
            let own = &open[point as usize];
            let best = model.best(points, own, candidates, &truths[point as usize]);
            near[point as usize].clone_from(nearest);
            match best {
                Some((error, next)) => {
                    errors[point as usize] = error;
                    open[point as usize] = own.with(meets, points, next);
                }
                None => open[point as usize].settle(),
            }
        }
    }
    let most = errors.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let set =
        |((open, near), error): ((Open, Vec<u32>), f64)| open.into_set((error / most * ALL) as u32, near);
    Ok(Some(open.into_iter().zip(near).zip(errors).map(set).collect()))
}

/// The same if predictions are sums over cells; then no batches are needed.
fn added(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    (guiding, texts): (Guiding<'_>, &dyn Texts),
    (asked, base): (usize, f64),
) -> Result<Option<Vec<Set>>> {
    let columns = columns(field, guiding)?;
    let others: Vec<u32> = (0..points.len() as u32).collect();
    let fresh = || (Search::new(field), vec![FxHashMap::<Vec<Code>, f64>::default(); columns.len()]);
    let grow = |(search, known): &mut (Search, Vec<FxHashMap<Vec<Code>, f64>>), point: u32| {
        if point.is_multiple_of(64) && field.watch.should_finish() {
            return None;
        }
        let truth = truth(points, guiding, point);
        let mut ranks = Vec::new();
        let mut said = |members: &[u32], candidate: u32| {
            let mut sum = base;
            for (feature, &(column, axis)) in columns.iter().enumerate() {
                ranks_of(points, (column, axis), members, candidate, &mut ranks);
                sum += match known[feature].get(&ranks) {
                    Some(&part) => part,
                    None => {
                        let text = texts.text(column, &ranks);
                        let part = guiding.guide.adds(Some((feature, text.as_deref()))).unwrap_or(f64::NAN);
                        known[feature].insert(ranks.clone(), part);
                        part
                    }
                };
            }
            sum
        };
        let mut open = Open::new(meets, points, point);
        let (mut near, mut least) = (Vec::new(), 0.0);
        if !open.is_safe() {
            search.prepare(meets, point, &others);
            near = search.near();
        }
        while !open.is_safe() {
            let candidates = search.next(meets, &open, asked);
            match best_of(&candidates, &truth, |candidate| said(open.members(), candidate)) {
                Some((error, next)) => {
                    least = error;
                    open = open.with(meets, points, next);
                }
                None => open.settle(),
            }
        }
        Some((open, near, least))
    };
    let grown = (0..points.len() as u32).into_par_iter().map_init(fresh, grow);
    let Some(grown) = grown.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let most = grown.iter().map(|(_, _, error)| *error).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let set = |(open, near, error): (Open, Vec<u32>, f64)| open.into_set((error / most * ALL) as u32, near);
    Ok(Some(grown.into_iter().map(set).collect()))
}

/// The candidate after which the error is least, and the error; the first of equal ones.
fn best_of(candidates: &[u32], truth: &[(f64, f64)], mut said: impl FnMut(u32) -> f64) -> Option<(f64, u32)> {
    let mut best: Option<(f64, u32)> = None;
    for &candidate in candidates {
        let said = said(candidate);
        let error: f64 = truth.iter().map(|&(x, rows)| rows * (said - x).abs()).sum();
        if best.is_none_or(|best| error < best.0) {
            best = Some((error, candidate));
        }
    }
    best
}

/// The columns that a model reads.
fn columns<'a>(field: &'a Field<'_>, guiding: Guiding<'_>) -> Result<Vec<(usize, &'a Axis)>> {
    let column = |name: &String| {
        let at = field.names.iter().position(|n| n == name);
        let at =
            at.ok_or_else(|| Fault::bug(format!("the model reads `{name}`, which is not generalized")))?;
        Ok((at, &field.space.axes()[at]))
    };
    guiding.guide.features().iter().map(column).collect()
}

/// The ranks that decide the cell of a column that is true of some points and one more, in order.
fn ranks_of(
    points: &Points<'_>,
    (column, axis): (usize, &Axis),
    members: &[u32],
    candidate: u32,
    ranks: &mut Vec<Code>,
) {
    ranks.clear();
    ranks.extend(members.iter().chain([&candidate]).map(|&point| points.ranks(point)[column]));
    ranks.sort_unstable();
    ranks.dedup();
    if matches!(axis.form(), Form::Label | Form::Interval | Form::Range) && ranks.len() > 2 {
        // The ends say it all.
        let last = ranks[ranks.len() - 1];
        ranks.truncate(1);
        ranks.push(last);
    }
}

/// The numbers that are true of the rows of a point, and the rows of each.
fn truth(points: &Points<'_>, guiding: Guiding<'_>, point: u32) -> Vec<(f64, f64)> {
    let histogram = &points.judge().classes().histograms()[guiding.target];
    let (codes, counts) = histogram.class(points.number(point) as usize);
    codes.iter().zip(counts).map(|(&code, &rows)| (guiding.numbers[code as usize], f64::from(rows))).collect()
}

/// The model, and its cached predictions.
struct Model<'a> {
    guiding: Guiding<'a>,
    texts: &'a dyn Texts,
    /// The columns that it reads.
    columns: Vec<(usize, &'a Axis)>,
    /// Feature → ranks of a cell → its number.
    cells: Vec<FxHashMap<Vec<Code>, u32>>,
    written: Vec<Vec<Option<String>>>,
    /// Numbers of cells → what is predicted.
    said: FxHashMap<Vec<u32>, f64>,
}

impl<'a> Model<'a> {
    fn new(field: &'a Field<'_>, guiding: Guiding<'a>, texts: &'a dyn Texts) -> Result<Self> {
        let columns = columns(field, guiding)?;
        let width = columns.len();
        let (cells, written) = (vec![FxHashMap::default(); width], vec![Vec::new(); width]);
        Ok(Model { guiding, texts, columns, cells, written, said: FxHashMap::default() })
    }

    /// The cells of a set with one more point, in numbers; new ones are written.
    fn key(&mut self, points: &Points<'_>, members: &[u32], candidate: u32, key: &mut Vec<u32>) {
        key.clear();
        let mut ranks: Vec<Code> = Vec::with_capacity(members.len() + 1);
        for (feature, &(column, axis)) in self.columns.iter().enumerate() {
            ranks_of(points, (column, axis), members, candidate, &mut ranks);
            let number = match self.cells[feature].get(&ranks) {
                Some(&number) => number,
                None => {
                    let number = self.written[feature].len() as u32;
                    self.written[feature].push(self.texts.text(column, &ranks));
                    self.cells[feature].insert(ranks.clone(), number);
                    number
                }
            };
            key.push(number);
        }
    }

    /// Asks for everything that is not known yet, at once.
    fn ask(
        &mut self,
        points: &Points<'_>,
        growing: &[u32],
        open: &[Open],
        proposed: &[(Vec<u32>, Vec<u32>)],
    ) -> Result<()> {
        let mut unknown: Vec<Vec<u32>> = Vec::new();
        let mut key = Vec::new();
        for (&point, (_, candidates)) in growing.iter().zip(proposed) {
            for &candidate in candidates {
                self.key(points, open[point as usize].members(), candidate, &mut key);
                if !self.said.contains_key(&key) {
                    self.said.insert(key.clone(), f64::NAN);
                    unknown.push(key.clone());
                }
            }
        }
        let text = |key: &Vec<u32>| -> Row {
            key.iter().zip(&self.written).map(|(&cell, written)| written[cell as usize].clone()).collect()
        };
        let rows: Vec<Row> = unknown.iter().map(text).collect();
        let said = if rows.is_empty() { Vec::new() } else { self.guiding.guide.predict(&rows)? };
        if said.len() != unknown.len() {
            return Err(Fault::bug("there are not as many predictions as rows").into());
        }
        self.said.extend(unknown.into_iter().zip(said));
        Ok(())
    }

    /// The candidate after which the error is least, and the error; the first of equal ones.
    fn best(
        &mut self,
        points: &Points<'_>,
        own: &Open,
        candidates: &[u32],
        truth: &[(f64, f64)],
    ) -> Option<(f64, u32)> {
        let mut key = Vec::new();
        best_of(candidates, truth, |candidate| {
            self.key(points, own.members(), candidate, &mut key);
            self.said.get(&key).copied().unwrap_or(f64::NAN)
        })
    }
}
