//! One of the two input files as it streams: the release, or the original.
//!
//! The quasi-identifiers of a row become a class and its other released cells one number; the row
//! itself is not kept. A cell costs a hash of its text and, nearly always, one comparison; a row
//! costs one look-up of its class.

use super::classes::{Classes, Interner, MISSING, Tally};
use super::identifiers::{self, Identifiers};
use super::labels::Labels;
use super::leveled::Leveled;
use super::regions::Deal;
use super::rowhash::RowHash;
use super::sensitive::{Sensitive, Values};
use super::shifted::Shifted;
use throng_terms::error::{Fault, Result};
use throng_terms::fault;
use throng_terms::policy::{Column, Policy, Role};
use throng_terms::rows::ContentKey;

/// Gives the cells of one column of a batch, in row order: called with the column's place in the
/// header and with the function that takes each cell. `None` is a missing cell.
pub(super) type Cells<'a> = dyn FnMut(usize, &mut dyn FnMut(Option<&str>)) + 'a;

/// One of the two files as far as it was read.
#[derive(Debug)]
pub(super) struct Side {
    /// Its name in messages.
    name: &'static str,
    /// Its header.
    pub(super) columns: Vec<String>,
    /// Quasi-identifiers in name order: their places in the header.
    quasi: Vec<Option<usize>>,
    /// Every other released column in name order: its place in the header.
    others: Vec<Option<usize>>,
    /// How the dates of these columns are shifted, in an original whose dates are.
    shifted: Vec<Option<Shifted>>,
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
    /// The columns that distinguish rows of one tuple, where that matters.
    content: Vec<Option<usize>>,
    start: RowHash,
    /// The batch at hand: tuples end to end, and the hashes of its rows.
    tuples: Vec<u32>,
    hashes: Vec<RowHash>,
}

impl Side {
    pub(super) fn new(name: &'static str, policy: &Policy, columns: &[String], start: RowHash) -> Self {
        let place = |name: &str| columns.iter().position(|column| column == name);
        let quasi: Vec<_> = policy.with_role(Role::Quasi).into_iter().map(place).collect();
        Side {
            name,
            columns: columns.to_vec(),
            others: others(policy).map(place).collect(),
            shifted: others(policy).map(|_| None).collect(),
            interners: quasi.iter().map(|_| Interner::new()).collect(),
            classes: Classes::new(quasi.len()),
            identifiers: identifiers::replaced(policy).map(|name| Identifiers::new(place(name))).collect(),
            quasi,
            rows: 0,
            deleted: 0,
            labels: Vec::new(),
            sensitive: Sensitive::of(policy, columns),
            subject: None,
            leveled: Leveled::of(policy, columns),
            has_levels: !policy.leveled().is_empty(),
            deal: None,
            content: Vec::new(),
            start,
            tuples: Vec::new(),
            hashes: Vec::new(),
        }
    }

    /// Counts the labels of the policy's target columns, too.
    pub(super) fn with_labels(mut self, policy: &Policy) -> Self {
        self.labels = Labels::of(policy, &self.columns, self.quasi.len());
        self
    }

    /// Counts the guarding nodes of the policy's models, too.
    pub(super) fn with_guards(mut self, policy: &Policy) -> Self {
        self.sensitive.extend(Sensitive::guards(policy, &self.columns));
        self
    }

    /// Counts the people whom rows belong to, too.
    pub(super) fn with_subject(mut self, policy: &Policy) -> Self {
        self.subject = Sensitive::subject(policy, &self.columns);
        if self.subject.is_some() {
            let columns = std::mem::take(&mut self.sensitive);
            self.sensitive = columns.into_iter().map(Sensitive::of_people).collect();
        }
        self
    }

    /// Shifts the dates that the policy shifts, by a secret.
    pub(super) fn with_shifts(mut self, policy: &Policy, secret: Option<&[u8]>) -> Result<Self> {
        self.shifted = Shifted::of(policy, others(policy), secret)?;
        Ok(self)
    }

    /// The class of a tuple of cells, if the table has it.
    pub(super) fn class_of(&self, cells: &[Option<&str>]) -> Option<usize> {
        let numbers = self.interners.iter().zip(cells).map(|(interner, cell)| interner.get(*cell));
        let tuple: Option<Vec<u32>> = numbers.collect();
        tuple.and_then(|tuple| self.classes.tuples.get(&tuple))
    }

    /// States the class of the next rows of a tuple; none if they are suppressed.
    pub(super) fn assign(&mut self, source: &[Option<&str>], rows: u64, class: Option<Option<usize>>) {
        let numbers = self.interners.iter_mut().zip(source);
        let tuple: Vec<u32> = numbers.map(|(interner, cell)| interner.count_in(*cell, 0)).collect();
        self.deal.get_or_insert_with(|| Deal::new(tuple.len())).say(&tuple, rows, class);
    }

    /// Reads the content of rows too, where rows of one tuple are in several classes.
    pub(super) fn order_by_content(&mut self, policy: &Policy) {
        if self.deal.as_ref().is_some_and(Deal::divides) {
            let place = |name: &str| self.columns.iter().position(|column| column == name);
            self.content = policy.content_columns().into_iter().map(place).collect();
        }
    }

    /// Assigns the rows of tuples that are in several classes, when all were read.
    pub(super) fn settle(&mut self) {
        self.deal.iter_mut().for_each(Deal::settle);
    }

    /// Reads some rows, column by column.
    pub(super) fn batch(&mut self, rows: usize, cells: &mut Cells<'_>) -> Result<()> {
        self.room(rows)?;
        let width = self.quasi.len();
        self.tuples.clear();
        self.tuples.resize(rows * width, MISSING);
        self.hashes.clear();
        self.hashes.resize(rows, self.start);
        for (at, place) in self.quasi.iter().enumerate() {
            let interner = &mut self.interners[at];
            let mut tuples = self.tuples.iter_mut().skip(at).step_by(width);
            each(*place, rows, cells, |cell| {
                if let Some(place) = tuples.next() {
                    *place = interner.add(cell);
                }
            })?;
        }
        let mut people: Vec<Option<String>> = Vec::new();
        if self.shifted.iter().any(Option::is_some) {
            let subject = self.subject.as_ref().and_then(Sensitive::place);
            each(subject, rows, cells, |cell| people.push(cell.map(String::from)))?;
        }
        for (place, shifted) in self.others.iter().zip(&self.shifted) {
            let mut hashes = self.hashes.iter_mut().enumerate();
            each(*place, rows, cells, |cell| {
                let Some((row, hash)) = hashes.next() else { return };
                match (shifted, cell) {
                    (Some(shifted), Some(cell)) => {
                        let person = people.get(row).and_then(Option::as_deref);
                        hash.cell(person.and_then(|person| shifted.date(person, cell)).as_deref());
                    }
                    _ => hash.cell(cell),
                }
            })?;
        }
        for labels in &mut self.labels {
            labels.batch(rows, &self.tuples, cells)?;
        }
        for column in &mut self.identifiers {
            column.begin();
            each(column.place, rows, cells, |cell| column.cell(cell))?;
        }
        for column in self.sensitive.iter_mut().chain(&mut self.subject) {
            column.begin(rows, cells)?;
        }
        if let Some(leveled) = &mut self.leveled {
            leveled.begin(rows, cells)?;
        }
        let mut keys = vec![ContentKey::default(); if self.content.is_empty() { 0 } else { rows }];
        for place in &self.content {
            let mut keys = keys.iter_mut();
            each(*place, rows, cells, |cell| {
                if let Some(key) = keys.next() {
                    key.cell(cell);
                }
            })?;
        }
        let mut keys = keys.into_iter().map(ContentKey::finish);
        for (row, hash) in self.hashes.iter().enumerate() {
            let hash = hash.finish();
            let tuple = &self.tuples[row * width..(row + 1) * width];
            let class = self.classes.row(tuple, hash);
            if let Some(deal) = &mut self.deal {
                deal.row(tuple, keys.next().unwrap_or_default(), Tally::of(hash));
            }
            self.identifiers.iter_mut().for_each(|column| column.row(row, class, hash));
            let person = self.subject.as_ref().map(|subject| subject.value(row));
            self.sensitive.iter_mut().for_each(|column| column.row(row, class, person));
            self.subject.iter_mut().for_each(|column| column.row(row, class, None));
            self.leveled.iter_mut().for_each(|leveled| leveled.row(row, class, hash));
        }
        self.rows += rows as u64;
        Ok(())
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
        let others = others(policy).zip(&self.others);
        let identifiers = identifiers::replaced(policy).zip(self.identifiers.iter().map(|i| &i.place));
        let leveled = policy.leveled().into_iter().map(|(name, _)| name);
        let leveled = leveled.filter(|name| !self.columns.iter().any(|column| column == name));
        quasi
            .chain(others)
            .chain(identifiers)
            .filter(|(_, place)| place.is_none())
            .map(|(name, _)| name)
            .chain(leveled)
            .chain(policy.subject().filter(|_| self.subject.as_ref().is_some_and(Sensitive::is_absent)))
            .collect()
    }

    /// The values of every sensitive column in every class.
    pub(super) fn values(&self) -> Vec<Values> {
        self.sensitive.iter().map(|column| column.values(self.classes.len())).collect()
    }

    /// The people whom the rows of every class belong to, in an original that names them.
    pub(super) fn subjects(&self) -> Option<Values> {
        self.subject.as_ref().map(|column| column.values(self.classes.len()))
    }

    /// Per target, the rows that do not have the most frequent label of their class; taken out when
    /// the rows were read.
    pub(super) fn minorities(&mut self) -> Vec<u64> {
        let identity: Vec<Vec<u32>> = self.interners.iter().map(|i| (0..i.len() as u32).collect()).collect();
        let maps: Vec<&[u32]> = identity.iter().map(Vec::as_slice).collect();
        let (labels, counts) = (std::mem::take(&mut self.labels), self.classes.counts());
        labels.into_iter().map(|labels| labels.minority(&maps, &self.classes, &counts)).collect()
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

/// Hands every cell of a column to `take`; an absent column is missing in every row.
pub(super) fn each(
    place: Option<usize>,
    rows: usize,
    cells: &mut Cells<'_>,
    mut take: impl FnMut(Option<&str>),
) -> Result<()> {
    let mut given = 0;
    let mut count = |cell: Option<&str>| {
        given += 1;
        take(cell);
    };
    match place {
        Some(place) => cells(place, &mut count),
        None => (0..rows).for_each(|_| count(None)),
    }
    if given == rows {
        return Ok(());
    }
    Err(Fault::bug(format!("column {place:?} of a batch of {rows} rows gave {given} cells")).into())
}
