//! Reads the tables that are judged: the release, the original and the population, each once. All
//! cores make pieces of their batches, which one thread puts together in the order of the table.

use super::deleted::{self, Deleted};
use super::pace::Pace;
use super::piece::{self, Piece};
use super::sampling::{Draw, SortedTable};
use super::side::Side;
use super::{Original, Read, Verifier};
use throng_terms::error::{Fault, Result};
use throng_terms::policy::{Column, Role};
use throng_terms::registry::LossKind;
use throng_terms::release::DeletedFacts;
use throng_terms::rows::{Batch, Made, Rows};
use throng_terms::watch::Stage;

/// Drawn rows that are read at once.
const BATCH: usize = 8192;

impl Verifier<'_> {
    /// Reads the release.
    pub(super) fn read_release(&self) -> Result<Read> {
        let rows = self.inputs.release;
        let facts = &self.certificate.release;
        let counted = |key: &String| LossKind::from_key(key).is_some_and(LossKind::counts_labels);
        let labels = facts.regions.is_some() && facts.loss.keys().any(counted);
        let columns: Vec<usize> = (0..rows.columns().len()).collect();
        let mut side = Side::new("release", self.policy, rows.columns(), self.start);
        side = if labels { side.with_labels(self.policy) } else { side };
        self.read(rows, &columns, side)
    }

    /// Reads the original: only what a release can hold, and what rows are guarded against.
    pub(super) fn read_original(&self, original: Original<'_>, released: &Read) -> Result<Read> {
        let (policy, rows) = (self.policy, original.rows);
        let guards = policy.guards();
        let needed = |name: &String| {
            let released = policy.columns.get(name).is_some_and(Column::released);
            released || guards.contains(name.as_str()) || policy.subject() == Some(name.as_str())
        };
        let columns: Vec<usize> = (0..rows.columns().len()).filter(|&c| needed(&rows.columns()[c])).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        let side = Side::new("original", policy, &names, self.start);
        let side = side.with_guards(policy).with_subject(policy);
        let mut side = side.with_shifts(policy, original.secret)?;
        let stated = self.certificate.release.loss.keys().filter_map(|key| LossKind::from_key(key));
        if stated.into_iter().any(LossKind::needs_target) {
            side = side.with_labels(policy);
        }
        if let Some(drawn) = &self.drawn {
            let secret = original.secret.ok_or_else(|| Fault::bug("the secret of a draw was not given"))?;
            return self.read_drawn(rows, side, |table| {
                Draw::new(drawn, secret, self.certificate.release.seed, self.inputs.policy_sha256, table)
            });
        }
        if let Some(assignment) = original.assignment {
            let pace = self.pace();
            assignment.each(&mut |tuple, rows, cells| {
                pace.steps(8)?;
                let class = cells.map(|cells| released.side.class_of(cells));
                side.assign(tuple, rows, class);
                Ok(())
            })?;
            side.order_by_content(policy);
        }
        let mut read = match Deleted::of(policy, rows, original.counted, self.watch)? {
            Some(deleted) => self.read_left(rows, (&columns, &names), side, deleted)?,
            None => self.read(rows, &columns, side)?,
        };
        read.side.settle();
        Ok(read)
    }

    /// Reads what is left of the original without rare values.
    fn read_left(
        &self,
        rows: &dyn Rows,
        (columns, names): (&[usize], &[String]),
        mut side: Side,
        mut deleted: Deleted,
    ) -> Result<Read> {
        let (plan, rare) = (side.plan(), &deleted.rare);
        let mut found = DeletedFacts::default();
        let make = |batch: &dyn Batch| -> Result<Made> {
            let (left, found) = rare.left(batch, names);
            Ok(Box::new((plan.piece(&left)?, found)))
        };
        rows.read_made(columns, self.watch, &make, &mut |made| {
            let Ok(made) = made.downcast::<(Piece, DeletedFacts)>() else { return Err(piece::unasked()) };
            deleted::add(&mut found, made.1);
            side.add(&made.0)?;
            self.progress(side.rows)
        })?;
        deleted.found = found;
        side.deleted = deleted.found.rows;
        self.counted(&side);
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: Some(deleted) })
    }

    /// Reads the drawn rows of the original. Which rows are drawn follows from the sorted table.
    fn read_drawn(&self, rows: &dyn Rows, mut side: Side, draw: impl Fn(&str) -> Draw) -> Result<Read> {
        let names = self.policy.with_role(Role::Quasi);
        let place = |name: &&str| rows.columns().iter().position(|column| column == name);
        let columns: Option<Vec<usize>> = names.iter().map(place).collect();
        // A column that is missing is found by the claims about the input.
        let Some(columns) = columns else {
            return Ok(Read { side, fingerprint: String::new(), deleted: None });
        };
        let table = SortedTable::read(rows, &names, &columns, self.watch)?;
        let mut draw = draw(&table.digest());
        let header = side.columns.clone();
        let places: Vec<Option<usize>> =
            header.iter().map(|column| names.iter().position(|name| name == column)).collect();
        let mut drawn = DrawnRows { table: &table, rows: Vec::new(), places };
        for (tuple, count) in table.tuples() {
            let times = draw.next(count as usize).into_iter().filter(|drawn| *drawn).count();
            drawn.rows.extend(std::iter::repeat_n(tuple, times));
            if drawn.rows.len() >= BATCH {
                side.batch(&drawn)?;
                drawn.rows.clear();
                self.progress(side.rows)?;
            }
        }
        side.batch(&drawn)?;
        self.counted(&side);
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// Reads the population that models compare with.
    pub(super) fn read_population(&self, rows: &dyn Rows) -> Result<Read> {
        let quasi = self.policy.with_role(Role::Quasi);
        let needed = |c: &usize| quasi.contains(&rows.columns()[*c].as_str());
        let columns: Vec<usize> = (0..rows.columns().len()).filter(needed).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        self.read(rows, &columns, Side::new("population", self.policy, &names, self.start))
    }

    fn read(&self, rows: &dyn Rows, columns: &[usize], mut side: Side) -> Result<Read> {
        let plan = side.plan();
        rows.read_made(columns, self.watch, &|batch| plan.made(batch), &mut |made| {
            side.add(&piece::piece(made)?)?;
            self.progress(side.rows)
        })?;
        self.counted(&side);
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// Reports that `rows` rows of a table were read, after those of other tables.
    fn progress(&self, rows: u64) -> Result<()> {
        self.watch.done(Stage::Verifying, self.rows.get() + rows, None)
    }

    /// Remembers the rows of a table that was read.
    fn counted(&self, side: &Side) {
        self.rows.set(self.rows.get() + side.rows);
    }

    /// Reports and stops the stages after reading.
    pub(super) fn pace(&self) -> Pace<'_> {
        Pace::new(self.watch, self.rows.get())
    }
}

/// Rows of a sorted table that were drawn.
struct DrawnRows<'a> {
    table: &'a SortedTable,
    /// Its tuples.
    rows: Vec<u32>,
    /// Column of the side → column of the table.
    places: Vec<Option<usize>>,
}

impl Batch for DrawnRows<'_> {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        let cell = |tuple: u32| self.places[column].and_then(|place| self.table.cell(tuple, place));
        self.rows.iter().for_each(|&tuple| take(cell(tuple)));
    }
}
