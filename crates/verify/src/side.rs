//! One of the two input files as it streams: the release, or the original.
//!
//! The quasi-identifiers of a row become a class and its other released cells one number; the row
//! itself is not kept. Threads make pieces of it (`piece.rs`), which are put together here in the
//! order of the file: one look-up per distinct text of a piece, and one per row for its class.

use std::sync::OnceLock;

use super::classes::{Classes, Interner, MISSING};
use super::deal::Deal;
use super::identifiers::{self, Identifiers};
use super::labels::Labels;
use super::leveled::Leveled;
use super::pace::Pace;
use super::piece::{Piece, Plan};
use super::rowhash::RowHash;
use super::sensitive::{Sensitive, Values};
use super::shifted::Shifted;
use throng_terms::error::Result;
use throng_terms::fault;
use throng_terms::policy::{Column, Policy, Role};
use throng_terms::rows::Batch;

/// One of the two files as far as it was read.
#[derive(Debug)]
pub(super) struct Side {
    /// Its name in messages.
    name: &'static str,
    /// Its header.
    pub(super) columns: Vec<String>,
    /// Quasi-identifiers in name order: their places in the header.
    quasi: Vec<Option<usize>>,
    /// The same among the columns of a piece.
    numbered: Vec<usize>,
    /// The texts of each quasi-identifier.
    pub(super) interners: Vec<Interner>,
    pub(super) classes: Classes,
    /// The identifiers that are replaced, in name order.
    pub(super) identifiers: Vec<Identifiers>,
    pub(super) rows: u64,
    /// Rows that were deleted before, in an original from which rare values are deleted.
    pub(super) deleted: u64,
    /// The target columns, where their labels are counted.
    pub(super) labels: Vec<Labels>,
    /// The sensitive columns that models judge, in name order; in the original then the columns of
    /// guarding nodes.
    pub(super) sensitive: Vec<Sensitive>,
    /// The people whom rows belong to, in an original that names them.
    pub(super) subject: Option<Sensitive>,
    /// The sensitive columns with a level; taken out when the rows were read.
    pub(super) leveled: Option<Leveled>,
    /// Whether there are any.
    pub(super) has_levels: bool,
    /// The claimed regions of rows, in an original that was released in regions.
    pub(super) deal: Option<Deal>,
    /// The values of every sensitive column in every class, once they are laid out.
    values: OnceLock<Vec<Values>>,
    /// What is made of its rows.
    plan: Plan,
    /// The tuples of the piece at hand, end to end, and their classes.
    tuples: Vec<u32>,
    places: Vec<u32>,
}

impl Side {
    pub(super) fn new(name: &'static str, policy: &Policy, columns: &[String], start: RowHash) -> Self {
        let place = |name: &str| columns.iter().position(|column| column == name);
        let quasi: Vec<_> = policy.with_role(Role::Quasi).into_iter().map(place).collect();
        let mut plan = Plan::new(start);
        plan.hashed = others(policy).map(place).collect();
        let of_quasi = quasi.iter().map(|place| plan.number(*place)).collect();
        let mut numbered = |name: &str| plan.number(place(name));
        Side {
            name,
            columns: columns.to_vec(),
            interners: quasi.iter().map(|_| Interner::new()).collect(),
            classes: Classes::new(quasi.len()),
            identifiers: identifiers::replaced(policy)
                .map(|name| Identifiers::new(place(name), numbered(name)))
                .collect(),
            quasi,
            numbered: of_quasi,
            rows: 0,
            deleted: 0,
            labels: Vec::new(),
            sensitive: Sensitive::of(policy, &mut numbered),
            subject: None,
            leveled: Leveled::of(policy, &mut numbered),
            has_levels: !policy.leveled().is_empty(),
            deal: None,
            values: OnceLock::new(),
            plan,
            tuples: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Counts the labels of the policy's target columns, too.
    pub(super) fn with_labels(mut self, policy: &Policy) -> Self {
        let Side { columns, plan, labels, quasi, .. } = &mut self;
        let mut numbered = |name: &str| plan.number(columns.iter().position(|column| column == name));
        *labels = Labels::of(policy, &mut numbered, quasi.len());
        self
    }

    /// Counts the guarding nodes of the policy's models, too.
    pub(super) fn with_guards(mut self, policy: &Policy) -> Self {
        let Side { columns, plan, sensitive, .. } = &mut self;
        let mut numbered = |name: &str| plan.number(columns.iter().position(|column| column == name));
        sensitive.extend(Sensitive::guards(policy, &mut numbered));
        self
    }

    /// Counts the people whom rows belong to, too.
    pub(super) fn with_subject(mut self, policy: &Policy) -> Self {
        let Side { columns, plan, sensitive, subject, .. } = &mut self;
        let mut numbered = |name: &str| plan.number(columns.iter().position(|column| column == name));
        *subject = Sensitive::subject(policy, &mut numbered);
        if subject.is_some() {
            *sensitive = std::mem::take(sensitive).into_iter().map(Sensitive::of_people).collect();
        }
        self
    }

    /// Shifts the dates that the policy shifts, by a secret and the people whom rows belong to.
    pub(super) fn with_shifts(mut self, policy: &Policy, secret: Option<&[u8]>) -> Result<Self> {
        self.plan.shifted = Shifted::of(policy, others(policy), secret)?;
        self.plan.subject = self.subject.as_ref().map(Sensitive::column);
        Ok(self)
    }

    /// States the fates of some tuples, which are given end to end: rows, and their released class,
    /// [`HELD`](super::deal::HELD) or [`UNKNOWN`](super::classes::UNKNOWN).
    pub(super) fn assign(&mut self, tuples: &[u32], fates: &[(u64, u32)]) {
        let deal = self.deal.get_or_insert_with(Deal::new);
        self.classes.known(tuples, fates.len(), &mut self.places);
        self.places
            .iter()
            .zip(fates)
            .for_each(|(&tuple, &(rows, class))| deal.say(tuple as usize, rows, class));
    }

    /// Reads the content of rows too, where rows of one tuple are in several classes.
    pub(super) fn order_by_content(&mut self, policy: &Policy) {
        if self.deal.as_ref().is_some_and(Deal::divides) {
            let place = |name: &str| self.columns.iter().position(|column| column == name);
            self.plan.content = policy.content_columns().into_iter().map(place).collect();
        }
    }

    /// Assigns the rows of tuples that are in several classes, when all were read.
    pub(super) fn settle(&mut self) {
        self.deal.iter_mut().for_each(|deal| deal.settle(&self.classes));
    }

    /// What threads make of the rows of the file.
    pub(super) fn plan(&self) -> Plan {
        self.plan.clone()
    }

    /// Reads some rows.
    pub(super) fn batch(&mut self, batch: &dyn Batch) -> Result<()> {
        let piece = self.plan.piece(batch)?;
        self.add(&piece)
    }

    /// Adds the next piece of the file.
    pub(super) fn add(&mut self, piece: &Piece) -> Result<()> {
        self.room(piece.rows)?;
        let width = self.quasi.len();
        self.tuples.clear();
        self.tuples.resize(piece.rows * width, MISSING);
        for (at, (&column, interner)) in self.numbered.iter().zip(&mut self.interners).enumerate() {
            let column = &piece.columns[column];
            column.spread(interner, self.tuples.get_mut(at..).unwrap_or_default(), width);
        }
        let Side { labels, identifiers, sensitive, subject, leveled, tuples, .. } = self;
        labels.iter_mut().for_each(|labels| labels.add(&piece.columns, tuples));
        identifiers.iter_mut().for_each(|column| column.begin(&piece.columns));
        sensitive.iter_mut().chain(subject).for_each(|column| column.begin(&piece.columns));
        leveled.iter_mut().for_each(|leveled| leveled.begin(&piece.columns));
        self.classes.rows(&self.tuples, &piece.hashes, &mut self.places);
        if let Some(deal) = self.deal.as_mut().filter(|deal| deal.divides()) {
            // Without columns that distinguish rows, all rows of a tuple are alike.
            let mut keys = piece.content.iter().copied();
            let rows = self.places.iter().zip(&piece.hashes);
            rows.for_each(|(&class, &hash)| deal.row(class, keys.next().unwrap_or_default(), hash));
        }
        self.rows += piece.rows as u64;
        if self.counts_classes_alone() {
            return Ok(());
        }
        for (row, (&class, &hash)) in self.places.iter().zip(&piece.hashes).enumerate() {
            let class = class as usize;
            self.identifiers.iter_mut().for_each(|column| column.row(row, class, hash));
            let person = self.subject.as_ref().map(|subject| subject.value(row));
            self.sensitive.iter_mut().for_each(|column| column.row(row, class, person));
            self.subject.iter_mut().for_each(|column| column.row(row, class, None));
            self.leveled.iter_mut().for_each(|leveled| leveled.row(row, class, hash));
        }
        Ok(())
    }

    /// Whether nothing but classes is counted.
    fn counts_classes_alone(&self) -> bool {
        let values = self.sensitive.is_empty() && self.subject.is_none() && self.leveled.is_none();
        values && self.identifiers.is_empty()
    }

    /// Classes and values are numbered with 32 bits; the largest number means an unknown value.
    fn room(&self, rows: usize) -> Result<()> {
        let counted = self.sensitive.iter().chain(&self.subject);
        let values = self.interners.iter().chain(counted.map(|column| &column.interner));
        let values = values.map(Interner::len);
        let numbered =
            values.chain(self.identifiers.iter().map(Identifiers::len)).chain([self.classes.len()]);
        let numbered = numbered.chain(self.leveled.iter().map(Leveled::len));
        let most = numbered.max().unwrap_or(0);
        match most.checked_add(rows) {
            Some(sum) if sum < u32::MAX as usize => Ok(()),
            _ => Err(fault!(
                Data,
                "verify.too-many-classes",
                "the {file} has more than 4294967294 classes",
                file = self.name
            )
            .into()),
        }
    }

    /// The released columns, other than quasi-identifiers or not, that the file does not have.
    pub(super) fn absent<'a>(&self, policy: &'a Policy) -> Vec<&'a str> {
        let quasi = policy.with_role(Role::Quasi).into_iter().zip(&self.quasi);
        let others = others(policy).zip(&self.plan.hashed);
        let identifiers = identifiers::replaced(policy).zip(self.identifiers.iter().map(|i| &i.place));
        let leveled = policy.leveled().into_iter().map(|(name, _)| name);
        // Only an original is read for the people whom rows belong to.
        let subject = policy.subject().filter(|_| self.subject.is_some());
        let named = leveled.chain(subject);
        let named = named.filter(|name| !self.columns.iter().any(|column| column == name));
        quasi
            .chain(others)
            .chain(identifiers)
            .filter(|(_, place)| place.is_none())
            .map(|(name, _)| name)
            .chain(named)
            .collect()
    }

    /// The values of every sensitive column in every class; laid out once, when all rows were read.
    pub(super) fn values(&self) -> &[Values] {
        self.values
            .get_or_init(|| self.sensitive.iter().map(|column| column.values(self.classes.len())).collect())
    }

    /// The same, taken out.
    pub(super) fn take_values(&mut self) -> Vec<Values> {
        self.values();
        self.values.take().unwrap_or_default()
    }

    /// The people whom the rows of every class belong to, in an original that names them.
    pub(super) fn subjects(&self) -> Option<Values> {
        self.subject.as_ref().map(|column| column.values(self.classes.len()))
    }

    /// Per target, the rows that do not have the most frequent label of their class; taken out when
    /// the rows were read.
    pub(super) fn minorities(&mut self, pace: &Pace<'_>) -> Result<Vec<u64>> {
        let identity: Vec<Vec<u32>> = self.interners.iter().map(|i| (0..i.len() as u32).collect()).collect();
        let maps: Vec<&[u32]> = identity.iter().map(Vec::as_slice).collect();
        let (labels, counts) = (std::mem::take(&mut self.labels), self.classes.counts());
        labels.into_iter().map(|labels| labels.minority(&maps, &self.classes, &counts, pace)).collect()
    }

    /// A class as a sentence names it: by its number in order of first sight, because what its
    /// cells hold can be a person's where a claim does not hold.
    pub(super) fn name(&self, class: usize) -> String {
        format!("class {} of {}", class + 1, self.classes.len())
    }
}

/// Released columns that are neither quasi-identifiers nor released at a level, in name order: the
/// order in which they are hashed, whatever their order in the file.
fn others(policy: &Policy) -> impl Iterator<Item = &str> {
    let other =
        |column: &Column| column.role.released() && column.role != Role::Quasi && column.level.is_none();
    policy.columns.iter().filter(move |(_, column)| other(column)).map(|(name, _)| name.as_str())
}
