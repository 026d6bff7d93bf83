//! One pass over the files: prepares batches, on any thread, and counts what is changed.
//!
//! Costs the conditions per row, a look-up per joined file and row, and a copy of the cells of
//! columns that are written.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::plan::{Action, Condition};
use super::{CellSource, Preparation, list};
use crate::cell::number;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::policy::Unmatched;
use crate::reading::CellReader;
use crate::release::{JoinFacts, PreparationFacts, PreparedStep};

/// A pass over the files.
#[derive(Debug)]
pub struct Run<'a> {
    preparation: &'a Preparation,
    read: AtomicU64,
    eligible: AtomicU64,
    rows: AtomicU64,
    /// Action → rows, cells, and by columns of its condition the cells that could not be read.
    counts: Vec<Count>,
    /// Join → place of a key → whether a row of the table has it.
    matched: Vec<Vec<AtomicBool>>,
    /// Join → rows whose key an earlier row had.
    repeated: Vec<AtomicU64>,
    /// Redundant column → values of the determining column → its value; none for several.
    determined: Vec<Mutex<Determined>>,
}

type Determined = FxHashMap<Option<String>, Option<Option<String>>>;

#[derive(Debug, Default)]
struct Count {
    rows: AtomicU64,
    cells: AtomicU64,
    unreadable: Vec<AtomicU64>,
}

/// What becomes of a batch.
#[derive(Debug)]
pub struct Outcome {
    /// Which rows stay; none where all do.
    pub kept: Option<Vec<bool>>,
    /// Changed columns of the prepared table, by their places, with all rows of the batch.
    pub changes: BTreeMap<usize, Change>,
}

/// What becomes of a column of a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// These cells are missing.
    Cleared(Vec<bool>),
    /// These are its cells.
    Written(Vec<Option<String>>),
}

/// A column while a batch is prepared.
enum Work<'a> {
    /// Not needed.
    None,
    Filed(&'a dyn CellSource),
    Cleared(&'a dyn CellSource, Vec<bool>),
    Written(Vec<Option<String>>),
}

impl Work<'_> {
    fn get(&self, row: usize) -> Option<&str> {
        match self {
            Work::None => None,
            Work::Filed(cells) => cells.get(row),
            Work::Cleared(_, cleared) if cleared[row] => None,
            Work::Cleared(cells, _) => cells.get(row),
            Work::Written(cells) => cells[row].as_deref(),
        }
    }

    /// Takes the column out as text of its own.
    fn take(&mut self, rows: usize) -> Vec<Option<String>> {
        match std::mem::replace(self, Work::None) {
            Work::Written(cells) => cells,
            other => (0..rows).map(|row| other.get(row).map(String::from)).collect(),
        }
    }

    fn clear(&mut self, row: usize, rows: usize) {
        if let Work::Filed(cells) = *self {
            *self = Work::Cleared(cells, vec![false; rows]);
        }
        match self {
            Work::Cleared(_, cleared) => cleared[row] = true,
            Work::Written(cells) => cells[row] = None,
            Work::None | Work::Filed(_) => {}
        }
    }
}

/// A batch while it is prepared.
struct Batch<'a> {
    rows: usize,
    work: Vec<Work<'a>>,
    kept: Vec<bool>,
    /// Join → row → place of its key in the file.
    places: Vec<Vec<Option<u32>>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(preparation: &'a Preparation) -> Self {
        let plan = &preparation.plan;
        let count = |action: &Action| {
            let columns = match action {
                Action::Where(condition) | Action::DropRows(condition) => condition.slots.len(),
                Action::Clear { condition, .. } => condition.slots.len(),
                Action::Cap { .. } => 1,
                _ => 0,
            };
            let unreadable = (0..columns).map(|_| AtomicU64::new(0)).collect();
            Count { unreadable, ..Count::default() }
        };
        let unseen = |keys: usize| (0..keys).map(|_| AtomicBool::new(false)).collect();
        Run {
            preparation,
            read: AtomicU64::new(0),
            eligible: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            counts: plan.actions.iter().map(|(action, _)| count(action)).collect(),
            matched: preparation.joined.iter().map(|file| unseen(file.keys())).collect(),
            repeated: preparation.joined.iter().map(|_| AtomicU64::new(0)).collect(),
            determined: (0..plan.redundant).map(|_| Mutex::default()).collect(),
        }
    }

    /// Prepares a batch. `cells` has the columns of the files by their places; what
    /// [`Preparation::needs`] does not list may be none.
    ///
    /// # Errors
    /// Codes and counts that are none.
    pub fn apply<'c>(&self, rows: usize, cells: &[Option<&'c dyn CellSource>]) -> Result<Outcome> {
        let plan = &self.preparation.plan;
        let mut work: Vec<Work<'c>> =
            cells.iter().map(|cells| cells.map_or(Work::None, Work::Filed)).collect();
        work.resize_with(plan.slots, || Work::None);
        let mut batch = Batch { rows, work, kept: vec![true; rows], places: Vec::new() };
        add(&self.read, rows as u64);
        self.find(&mut batch);
        // Without a condition all rows are eligible.
        if self.condition().is_none() {
            add(&self.eligible, rows as u64);
        }
        for ((action, _), count) in plan.actions.iter().zip(&self.counts) {
            self.act(action, count, &mut batch)?;
        }
        add(&self.rows, batch.kept.iter().filter(|kept| **kept).count() as u64);
        Ok(self.outcome(batch))
    }

    /// The condition on eligible rows, with its counts.
    fn condition(&self) -> Option<(&Condition, &Count)> {
        let mut actions = self.preparation.plan.actions.iter().zip(&self.counts);
        actions.find_map(|((action, _), count)| match action {
            Action::Where(condition) => Some((condition, count)),
            _ => None,
        })
    }

    /// Looks up whose rows joined files have. That a row is not eligible does not make them
    /// nobody's.
    fn find(&self, batch: &mut Batch<'_>) {
        for (join, file) in self.preparation.joined.iter().enumerate() {
            let key = &batch.work[self.preparation.plan.keys[join]];
            let places: Vec<Option<u32>> = (0..batch.rows).map(|row| file.find(key.get(row))).collect();
            let matched = &self.matched[join];
            let again = places.iter().flatten();
            let again = again.filter(|place| matched[**place as usize].swap(true, Ordering::Relaxed));
            add(&self.repeated[join], again.count() as u64);
            batch.places.push(places);
        }
    }

    fn act(&self, action: &Action, count: &Count, batch: &mut Batch<'_>) -> Result<()> {
        match action {
            Action::Read { slot, reader, column } => read(batch, *slot, (reader, column), count)?,
            Action::Where(condition) => {
                let satisfied = satisfied(condition, count, batch);
                batch.kept = satisfied.into_iter().map(|is| is == Some(true)).collect();
                add(&self.eligible, batch.kept.iter().filter(|kept| **kept).count() as u64);
            }
            Action::Join { file, to } => {
                let joined = &self.preparation.joined[*file];
                let places = &batch.places[*file];
                let cell = |row: usize| places[row].and_then(|place| joined.cell(place)).map(String::from);
                let cells = batch.map(cell);
                add(&count.cells, batch.missing(&cells));
                batch.work[*to] = Work::Written(cells);
            }
            Action::Pairs { names, counts, to } => {
                let cells = pairs(batch, names, counts.as_deref())?;
                add(&count.cells, batch.missing(&cells));
                batch.work[*to] = Work::Written(cells);
            }
            Action::DropRows(condition) => {
                let dropped = satisfied(condition, count, batch);
                add(&count.rows, batch.drop(|row| dropped[row] == Some(true)));
            }
            Action::Clear { condition, slots } => {
                let cleared = satisfied(condition, count, batch);
                for (row, _) in cleared.iter().enumerate().filter(|(_, is)| **is == Some(true)) {
                    let mut cells = 0;
                    for &slot in slots {
                        cells += u64::from(batch.work[slot].get(row).is_some());
                        batch.work[slot].clear(row, batch.rows);
                    }
                    add(&count.cells, cells);
                    add(&count.rows, u64::from(cells > 0));
                }
            }
            Action::Cap { slot, from, label } => cap(batch, *slot, (*from, label), count),
            Action::Cut { slot, most } => cut(batch, *slot, *most, count)?,
            Action::Redundant { slot, of, place, .. } => self.redundant(batch, *slot, *of, *place)?,
            Action::PresentIn { key, file } => {
                let keyed = &self.preparation.keyed[*file];
                let absent: Vec<bool> =
                    (0..batch.rows).map(|row| !keyed.has(batch.work[*key].get(row))).collect();
                add(&count.rows, batch.drop(|row| absent[row]));
            }
        }
        Ok(())
    }

    /// Notes which values of a column come with which of another.
    fn redundant(&self, batch: &Batch<'_>, slot: usize, of: Option<usize>, place: usize) -> Result<()> {
        let mut here: FxHashMap<Option<&str>, Option<Option<&str>>> = FxHashMap::default();
        for row in (0..batch.rows).filter(|row| batch.kept[*row]) {
            let (by, value) = (of.and_then(|of| batch.work[of].get(row)), batch.work[slot].get(row));
            let known = here.entry(by).or_insert(Some(value));
            if *known != Some(value) {
                *known = None;
            }
        }
        let mut all = self.determined[place].lock().map_err(|_| Fault::bug("a reader stopped"))?;
        for (by, value) in here {
            let value = value.map(|value| value.map(String::from));
            let known = all.entry(by.map(String::from)).or_insert_with(|| value.clone());
            if *known != value {
                *known = None;
            }
        }
        Ok(())
    }

    fn outcome(&self, batch: Batch<'_>) -> Outcome {
        let mut by_slot: Vec<Option<Change>> = batch
            .work
            .into_iter()
            .map(|work| match work {
                Work::None | Work::Filed(_) => None,
                Work::Cleared(_, cleared) => Some(Change::Cleared(cleared)),
                Work::Written(cells) => Some(Change::Written(cells)),
            })
            .collect();
        let columns = self.preparation.plan.columns.iter().enumerate();
        let changes = columns.filter_map(|(at, column)| Some((at, by_slot[column.slot].take()?))).collect();
        let all = batch.kept.iter().all(|kept| *kept);
        Outcome { kept: (!all).then_some(batch.kept), changes }
    }

    /// What a pass that reached the end found.
    ///
    /// # Errors
    /// Rows of joined files that belong to nobody, keys that several rows have, columns that are not
    /// redundant, and a table without rows.
    pub fn finish(self) -> Result<PreparationFacts> {
        let joined = self.joined()?;
        let steps = self.steps()?;
        let unreadable =
            self.condition().map_or_else(BTreeMap::new, |(condition, count)| unreadable(condition, count));
        let (read, rows) = (self.read.into_inner(), self.rows.into_inner());
        let eligible = self.eligible.into_inner();
        let preparation = self.preparation;
        if rows == 0 && read > 0 {
            let fault = fault!(Data, "prepare.no-row-left", "no row of {rows} is left", rows = read);
            return Err(match (eligible, &preparation.condition) {
                (0, Some(_)) => fault.key("input.where").help("no row satisfies the condition"),
                _ => fault.key("input.prepare").help("the steps leave out every row"),
            }
            .into());
        }
        let condition = preparation.condition.clone();
        Ok(PreparationFacts { read, eligible, rows, condition, unreadable, joined, steps })
    }

    fn joined(&self) -> Result<Vec<JoinFacts>> {
        let mut facts = Vec::new();
        let joins = self.preparation.joins.iter().zip(&self.preparation.joined).enumerate();
        for (at, ((column, path, on_unmatched), file)) in joins {
            let repeated = self.repeated[at].load(Ordering::Relaxed);
            if repeated > 0 {
                return Err(fault!(
                    Data,
                    "prepare.key-not-unique",
                    "{rows} rows of the table repeat the key of another row",
                    rows = repeated
                )
                .key(format!("input.join.{at}.key"))
                .help("every row of the table needs a key of its own")
                .into());
            }
            let matched = |place: usize| self.matched[at][place].load(Ordering::Relaxed);
            let (unmatched_rows, unmatched_keys) = file.unmatched(matched);
            if *on_unmatched == Unmatched::Refuse && unmatched_rows > 0 {
                return Err(fault!(
                    Data,
                    "prepare.unmatched-rows",
                    "{rows} rows with {keys} keys belong to no row of the table",
                    rows = unmatched_rows,
                    keys = unmatched_keys
                )
                .file(path)
                .key(format!("input.join.{at}.path"))
                .help("set unmatched = \"drop\" to leave them out")
                .into());
            }
            let actions = self.preparation.plan.actions.iter().zip(&self.counts);
            let own = |action: &Action| matches!(action, Action::Join { file, .. } if *file == at);
            let empty = actions.into_iter().find(|((action, _), _)| own(action));
            facts.push(JoinFacts {
                column: column.clone(),
                path: path.clone(),
                rows: file.rows(),
                keys: file.keys() as u64,
                unmatched_rows,
                unmatched_keys,
                empty: empty.map_or(0, |(_, count)| count.cells.load(Ordering::Relaxed)),
            });
        }
        Ok(facts)
    }

    fn steps(&self) -> Result<Vec<PreparedStep>> {
        let mut steps = Vec::new();
        for ((action, step), count) in self.preparation.plan.actions.iter().zip(&self.counts) {
            let Some(at) = *step else { continue };
            if let Action::Redundant { place, at: key, .. } = action {
                self.check_redundant(*place, (at, *key))?;
            }
            let unreadable = match action {
                Action::DropRows(condition) | Action::Clear { condition, .. } => unreadable(condition, count),
                Action::Cap { slot, .. } => {
                    let cells = count.unreadable.iter().map(|cells| cells.load(Ordering::Relaxed)).sum();
                    let name = self.preparation.plan.columns.iter().find(|column| column.slot == *slot);
                    let name = name.map(|column| column.name.clone());
                    name.into_iter().map(|name| (name, cells)).filter(|(_, cells)| *cells > 0).collect()
                }
                _ => BTreeMap::new(),
            };
            steps.push(PreparedStep {
                step: self.preparation.steps[at].clone(),
                rows: count.rows.load(Ordering::Relaxed),
                cells: count.cells.load(Ordering::Relaxed),
                unreadable,
            });
        }
        Ok(steps)
    }

    fn check_redundant(&self, place: usize, (at, key): (usize, usize)) -> Result<()> {
        let all = self.determined[place].lock().map_err(|_| Fault::bug("a reader stopped"))?;
        let several = all.values().filter(|value| value.is_none()).count();
        if several == 0 {
            return Ok(());
        }
        let step = &self.preparation.steps[at];
        Err(Error::from(
            fault!(
                Data,
                "prepare.not-redundant",
                "{step}: {values} values of the other column come with several values of this one",
                step = step,
                values = several
            )
            .key(format!("input.prepare.{key}.redundant"))
            .help("give the column a role instead"),
        ))
    }
}

impl Batch<'_> {
    /// A cell for every row that is still there.
    fn map(&self, cell: impl Fn(usize) -> Option<String>) -> Vec<Option<String>> {
        (0..self.rows).map(|row| if self.kept[row] { cell(row) } else { None }).collect()
    }

    /// Rows that are still there and have no cell.
    fn missing(&self, cells: &[Option<String>]) -> u64 {
        let kept = cells.iter().zip(&self.kept).filter(|(_, kept)| **kept);
        kept.filter(|(cell, _)| cell.is_none()).count() as u64
    }

    /// Leaves rows out; returns how many.
    fn drop(&mut self, is: impl Fn(usize) -> bool) -> u64 {
        let mut dropped = 0;
        for (row, kept) in self.kept.iter_mut().enumerate() {
            if *kept && is(row) {
                *kept = false;
                dropped += 1;
            }
        }
        dropped
    }
}

/// Whether the rows that are still there satisfy a condition; of others it is unknown.
fn satisfied(condition: &Condition, count: &Count, batch: &Batch<'_>) -> Vec<Option<bool>> {
    let mut unreadable = condition.predicate.unreadable();
    let satisfied = (0..batch.rows).map(|row| {
        let cell = |place: usize| batch.work[condition.slots[place]].get(row);
        if batch.kept[row] { condition.predicate.evaluate(&cell, &mut unreadable) } else { None }
    });
    let satisfied = satisfied.collect();
    for (total, here) in count.unreadable.iter().zip(&unreadable) {
        add(total, *here);
    }
    satisfied
}

fn unreadable(condition: &Condition, count: &Count) -> BTreeMap<String, u64> {
    let counts = count.unreadable.iter().map(|cells| cells.load(Ordering::Relaxed));
    let named = condition.predicate.columns().iter().cloned().zip(counts);
    named.filter(|(_, cells)| *cells > 0).collect()
}

/// The lists of pairs of columns.
fn pairs(batch: &Batch<'_>, names: &[usize], counts: Option<&[usize]>) -> Result<Vec<Option<String>>> {
    let mut cells = Vec::with_capacity(batch.rows);
    for row in 0..batch.rows {
        let mut list = list::List::new();
        for at in (0..names.len()).filter(|_| batch.kept[row]) {
            let name = batch.work[names[at]].get(row);
            let count = counts.map(|counts| batch.work[counts[at]].get(row).map(list::count).transpose());
            let count = count.transpose()?;
            match (name, count) {
                (Some(name), None) => list::add(&mut list, list::code(name)?, 1)?,
                (Some(name), Some(Some(count))) => list::add(&mut list, list::code(name)?, count)?,
                (None, None | Some(None | Some(0))) => {}
                (Some(_), Some(None)) => return Err(half(at, "a code without a count")),
                (None, Some(Some(_))) => return Err(half(at, "a count without a code")),
            }
        }
        cells.push(list::write(list.iter().map(|(code, count)| (code.as_str(), *count))));
    }
    Ok(cells)
}

fn half(at: usize, what: &str) -> Error {
    fault!(Data, "prepare.half-a-pair", "pair {number} of a row is {half}", number = at + 1, half = what)
        .help("leave both cells of a pair empty, or none")
        .into()
}

/// Rewrites cells that are not written plainly.
fn read(
    batch: &mut Batch<'_>,
    slot: usize,
    (reader, column): (&CellReader, &str),
    count: &Count,
) -> Result<()> {
    let mut changed = 0;
    let mut cells = batch.work[slot].take(batch.rows);
    for cell in cells.iter_mut().flatten() {
        let plain = reader.read(cell).ok_or_else(|| unreadable_cell(cell, column))?;
        changed += u64::from(plain != *cell);
        *cell = plain;
    }
    batch.work[slot] = Work::Written(cells);
    add(&count.cells, changed);
    add(&count.rows, changed);
    Ok(())
}

/// A cell that is not written as the policy states.
pub fn unreadable_cell(cell: &str, column: &str) -> Fault {
    fault!(
        Data,
        "prepare.unreadable-cell",
        "`{value}` is not written as input.cells states",
        value = cell.escape_debug()
    )
    .column(column)
    .help("correct the cell, list it in input.null if it means missing, or change input.cells")
}

/// Gives numbers from a limit on one label.
fn cap(batch: &mut Batch<'_>, slot: usize, (from, label): (f64, &str), count: &Count) {
    let (mut changed, mut unreadable) = (0, 0);
    let mut cells = batch.work[slot].take(batch.rows);
    for (cell, _) in cells.iter_mut().zip(&batch.kept).filter(|(_, kept)| **kept) {
        let Some(text) = cell else { continue };
        match number(text) {
            Some(number) if number >= from => {
                label.clone_into(text);
                changed += 1;
            }
            Some(_) => {}
            None => unreadable += 1,
        }
    }
    batch.work[slot] = Work::Written(cells);
    add(&count.cells, changed);
    add(&count.rows, changed);
    count.unreadable.iter().for_each(|total| add(total, unreadable));
}

/// Keeps the most frequent pairs of lists, in their order.
fn cut(batch: &mut Batch<'_>, slot: usize, most: usize, count: &Count) -> Result<()> {
    let mut changed = 0;
    let mut cells = batch.work[slot].take(batch.rows);
    for (cell, _) in cells.iter_mut().zip(&batch.kept).filter(|(_, kept)| **kept) {
        let Some(text) = cell else { continue };
        let list = list::read(text)?;
        if list.len() <= most {
            continue;
        }
        let mut order: Vec<usize> = (0..list.len()).collect();
        let pair = |at: usize| (list[at].0.as_str(), list[at].1);
        order.sort_unstable_by(|&a, &b| list::by_frequency(pair(a), pair(b)));
        order.truncate(most);
        order.sort_unstable();
        *cell = list::write(order.into_iter().map(pair));
        changed += 1;
    }
    batch.work[slot] = Work::Written(cells);
    add(&count.cells, changed);
    add(&count.rows, changed);
    Ok(())
}

fn add(total: &AtomicU64, more: u64) {
    total.fetch_add(more, Ordering::Relaxed);
}
