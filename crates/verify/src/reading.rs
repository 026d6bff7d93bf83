//! Reads the tables that are judged: the release, the original and the population, each once. All
//! cores make pieces of their batches, which one thread per table puts together in its order.

use std::sync::atomic::{AtomicU64, Ordering};

use super::assigned::assign;
use super::deleted::{self, Deleted};
use super::pace::Pace;
use super::piece::{self, Piece};
use super::rowhash::RowHash;
use super::sampling::{Draw, SortedTable};
use super::side::Side;
use super::{Original, Read, Verifier};
use throng_terms::error::{Fault, Result};
use throng_terms::policy::{Column, Policy, Role};
use throng_terms::registry::LossKind;
use throng_terms::release::{Certificate, DeletedFacts};
use throng_terms::rows::{Batch, Made, Rows};
use throng_terms::watch::{Stage, Watch};

/// Both tables are read at the same time if the original has this many rows: that takes more memory.
const AT_ONCE: u64 = if cfg!(test) { 1 } else { 2_000_000 };
/// Drawn rows that are read at once.
const BATCH: usize = 8192;

/// What reads a table, on any thread.
pub(super) struct Reader<'a> {
    pub(super) policy: &'a Policy,
    pub(super) certificate: &'a Certificate,
    pub(super) start: RowHash,
    pub(super) watch: &'a Watch,
    /// Rows of all tables that were read so far.
    pub(super) rows: AtomicU64,
}

impl Reader<'_> {
    /// Reads the release.
    fn release(&self, rows: &dyn Rows) -> Result<Read> {
        let facts = &self.certificate.release;
        let counted = |key: &String| LossKind::from_key(key).is_some_and(LossKind::counts_labels);
        let labels = facts.regions.is_some() && facts.loss.keys().any(counted);
        let columns: Vec<usize> = (0..rows.columns().len()).collect();
        let mut side = Side::new("release", self.policy, rows.columns(), self.start);
        side = if labels { side.with_labels(self.policy) } else { side };
        self.read(rows, &columns, side)
    }

    fn read(&self, rows: &dyn Rows, columns: &[usize], mut side: Side) -> Result<Read> {
        let plan = side.plan();
        rows.read_made(columns, self.watch, &|batch| plan.made(batch), &mut |made| {
            let piece = piece::piece(made)?;
            side.add(&piece)?;
            self.progress(piece.rows)
        })?;
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// Reports some more rows of a table.
    pub(super) fn progress(&self, rows: usize) -> Result<()> {
        let before = self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        self.watch.done(Stage::Verifying, before + rows as u64, None)
    }
}

impl Verifier<'_> {
    /// Reads the release, and the original where there is one: at the same time, unless the classes
    /// of the release are needed to read the original.
    pub(super) fn read_tables(&self) -> Result<(Read, Option<Read>)> {
        let (reader, release) = (&self.reader, self.inputs.release);
        match self.inputs.original {
            Some(original) if self.reads_at_once(original) => std::thread::scope(|scope| {
                let released = scope.spawn(|| reader.release(release));
                let original = self.read_original(original, None);
                let released = released.join().unwrap_or_else(|_| Err(Fault::bug("a reader stopped").into()));
                Ok((released?, Some(original?)))
            }),
            original => {
                let released = reader.release(release)?;
                let original = original.map(|original| self.read_original(original, Some(&released)));
                Ok((released, original.transpose()?))
            }
        }
    }

    /// Whether both tables are worth reading at the same time, and can be.
    fn reads_at_once(&self, original: Original<'_>) -> bool {
        let free = original.assignment.is_none() && self.drawn.is_none();
        free && self.certificate.release.rows >= AT_ONCE
    }

    /// Reads the original: only what a release can hold, and what rows are guarded against.
    fn read_original(&self, original: Original<'_>, released: Option<&Read>) -> Result<Read> {
        let (policy, rows) = (self.policy, original.rows);
        let guards = policy.guards();
        let needed = |name: &String| {
            let released = policy.columns.get(name).is_some_and(Column::released);
            released || guards.contains(name.as_str()) || policy.subject() == Some(name.as_str())
        };
        let columns: Vec<usize> = (0..rows.columns().len()).filter(|&c| needed(&rows.columns()[c])).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        let side = Side::new("original", policy, &names, self.reader.start);
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
        if let (Some(assignment), Some(released)) = (original.assignment, released) {
            assign(assignment, &released.side, &mut side, &self.pace())?;
            side.order_by_content(policy);
        }
        let mut read = match Deleted::of(policy, rows, original.counted, self.watch)? {
            Some(deleted) => self.read_left(rows, (&columns, &names), side, deleted)?,
            None => self.reader.read(rows, &columns, side)?,
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
            self.reader.progress(made.0.rows)
        })?;
        deleted.found = found;
        side.deleted = deleted.found.rows;
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
                self.reader.progress(drawn.rows.len())?;
                drawn.rows.clear();
            }
        }
        side.batch(&drawn)?;
        self.reader.progress(drawn.rows.len())?;
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// Reads the population that models compare with.
    pub(super) fn read_population(&self, rows: &dyn Rows) -> Result<Read> {
        let quasi = self.policy.with_role(Role::Quasi);
        let needed = |c: &usize| quasi.contains(&rows.columns()[*c].as_str());
        let columns: Vec<usize> = (0..rows.columns().len()).filter(needed).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        self.reader.read(rows, &columns, Side::new("population", self.policy, &names, self.reader.start))
    }

    /// Reports and stops the stages after reading.
    pub(super) fn pace(&self) -> Pace<'_> {
        Pace::new(self.watch, self.reader.rows.load(Ordering::Relaxed))
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
