//! The claim that a released note does not say more than its row: no identifier of the row, and no
//! quasi-identifier more precisely than the row is released with.
//!
//! Rows of a release have no numbers, so the engine states which released row each row of the
//! original became: it scrubs every note again. The statement is a hint. Its released rows must be
//! those of the release, by number and by the sum of row hashes; the cells that are released
//! unchanged must be those of their original; and every stated note is searched for the values of
//! its own row (`search.rs`). Nothing here is shared with the code that scrubs.
//!
//! Reads the release once more, and the original once more with its stated rows. Memory is
//! constant.

mod dates;
mod search;
mod tokens;
mod words;

pub use search::{Note, Value};
pub use words::common_words;

use std::collections::BTreeMap;

use super::rowhash::RowHash;
use super::verdict::{Finding, Verdict, WITHOUT_ORIGINAL, Wrong, several};
use super::{Notes, Original, Verifier};
use throng_terms::error::{Fault, Result};
use throng_terms::hierarchy::Spec;
use throng_terms::policy::{Column, Policy, Role};
use throng_terms::release::TextFacts;
use throng_terms::rows::{Batch, Made, Rows};
use throng_terms::watch::Stage;

/// What the claim about a column is called.
fn claim(column: &str) -> String {
    format!("text: {column}")
}

/// Rows, and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    rows: u64,
    hash: [u64; 2],
}

impl Sum {
    fn add(&mut self, other: Sum) {
        self.rows += other.rows;
        self.hash = [0, 1].map(|half| self.hash[half].wrapping_add(other.hash[half]));
    }
}

/// What was found in some stated rows.
#[derive(Debug, Default)]
struct Searched {
    released: Sum,
    /// Rows whose unchanged cells are not those of their original.
    other: u64,
    /// Texts that are not missing, per text column.
    notes: Vec<u64>,
    /// Text column and searched column → notes.
    found: BTreeMap<(usize, usize), u64>,
}

impl Searched {
    fn add(&mut self, other: Searched) {
        self.released.add(other.released);
        self.other += other.other;
        self.notes.resize(self.notes.len().max(other.notes.len()), 0);
        self.notes.iter_mut().zip(&other.notes).for_each(|(notes, more)| *notes += more);
        for (at, notes) in other.found {
            *self.found.entry(at).or_default() += notes;
        }
    }
}

/// A column whose values are searched for.
struct Source<'a> {
    name: &'a str,
    /// Its place among the stated columns.
    place: usize,
    /// Where the label of a quasi-identifier is; none for an identifier.
    label: Option<usize>,
    format: Option<&'a str>,
}

impl Verifier<'_> {
    /// The claims about columns of scrubbed text.
    pub(super) fn of_notes(&self, verdict: &mut Verdict) -> Result<()> {
        let columns: Vec<&str> = self.policy.scrubbed().map(|(name, _)| name).collect();
        if columns.is_empty() {
            return Ok(());
        }
        let stated = match self.inputs.original {
            None => Err(Finding::unchecked(WITHOUT_ORIGINAL)),
            Some(Original { notes: None, .. }) => {
                Err(Finding::missing("it is not stated which text each row became"))
            }
            Some(Original { notes: Some(Notes::Unknown(why)), .. }) => Err(Finding::unchecked(why)),
            Some(Original { notes: Some(Notes::Stated { rows, originals }), .. }) => Ok((rows, originals)),
        };
        match stated {
            Err(finding) => columns.iter().for_each(|name| verdict.set(claim(name), finding.clone())),
            Ok(stated) => self.search(&columns, stated, verdict)?,
        }
        Ok(())
    }

    fn search(
        &self,
        columns: &[&str],
        (rows, originals): (&dyn Rows, usize),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let released = self.sum_of_release()?;
        let statement = Statement::new(self.policy, columns, (rows.columns(), originals), self.reader.start);
        let statement = match statement {
            Ok(statement) => statement,
            Err(name) => {
                let finding = Finding::missing(format!("column `{name}` is not stated"));
                columns.iter().for_each(|column| verdict.set(claim(column), finding.clone()));
                return Ok(());
            }
        };
        let all: Vec<usize> = (0..rows.columns().len()).collect();
        let mut searched = Searched::default();
        let make = |batch: &dyn Batch| -> Result<Made> { Ok(Box::new(statement.searched(batch))) };
        rows.read_made(&all, self.watch, &make, &mut |made| {
            let Ok(made) = made.downcast::<Searched>() else {
                return Err(Fault::bug("a table handed out what it was not asked for").into());
            };
            let rows = made.released.rows;
            searched.add(*made);
            self.reader.progress(rows as usize)
        })?;
        for (at, name) in columns.iter().enumerate() {
            let certified = self.certificate.release.text.get(*name);
            verdict.set(claim(name), statement.finding(at, &searched, released, certified));
        }
        Ok(())
    }

    /// Rows of the release and the sum of their hashes, over all released columns in name order.
    fn sum_of_release(&self) -> Result<Sum> {
        let rows = self.inputs.release;
        let names = rows.columns();
        let mut columns: Vec<usize> = (0..names.len()).collect();
        columns.sort_by_key(|&at| &names[at]);
        let places: Vec<usize> = (0..columns.len()).collect();
        let mut sum = Sum::default();
        let start = self.reader.start;
        let make = |batch: &dyn Batch| -> Result<Made> { Ok(Box::new(sum_of(batch, &places, start))) };
        rows.read_made(&columns, self.watch, &make, &mut |made| {
            let Ok(made) = made.downcast::<Sum>() else {
                return Err(Fault::bug("a table handed out what it was not asked for").into());
            };
            let rows = made.rows;
            sum.add(*made);
            self.watch.done(Stage::Verifying, rows, None)
        })?;
        Ok(sum)
    }
}

/// The rows of a batch, and the sum of the hashes of some of their cells.
fn sum_of(batch: &dyn Batch, columns: &[usize], start: RowHash) -> Sum {
    let mut hashes = vec![start; batch.rows()];
    for &column in columns {
        let mut next = hashes.iter_mut();
        batch.each(column, &mut |cell| {
            if let Some(hash) = next.next() {
                hash.cell(cell);
            }
        });
    }
    let mut sum = Sum { rows: batch.rows() as u64, hash: [0; 2] };
    hashes.into_iter().for_each(|hash| sum.add(Sum { rows: 0, hash: hash.finish() }));
    sum
}

/// What is read of the stated rows, by places among their columns.
struct Statement<'a> {
    start: RowHash,
    /// The released columns, in name order.
    released: Vec<usize>,
    /// The texts.
    notes: Vec<usize>,
    searched: Vec<Source<'a>>,
    /// Columns that are released unchanged: in the original, and in the release.
    unchanged: Vec<(usize, usize)>,
}

impl<'a> Statement<'a> {
    /// Of stated columns; the first `originals` are those of the original. Fails with the name of a
    /// column that is absent.
    fn new(
        policy: &'a Policy,
        columns: &[&str],
        (stated, originals): (&[String], usize),
        start: RowHash,
    ) -> std::result::Result<Self, String> {
        let (before, after) = stated.split_at(originals.min(stated.len()));
        let place = |names: &[String], offset: usize, name: &str| {
            let at = names.iter().position(|other| other == name);
            at.map(|at| at + offset).ok_or_else(|| name.to_owned())
        };
        let original = |name: &str| place(before, 0, name);
        let released = |name: &str| place(after, before.len(), name);
        let mut places: Vec<usize> = (before.len()..stated.len()).collect();
        places.sort_by_key(|&at| &stated[at]);
        let mut statement = Statement {
            start,
            released: places,
            notes: columns.iter().map(|name| released(name)).collect::<std::result::Result<_, _>>()?,
            searched: Vec::new(),
            unchanged: Vec::new(),
        };
        for (name, column) in &policy.columns {
            if let Some(label) = search_for(column) {
                let label = label.then(|| released(name)).transpose()?;
                let format = format_of(column);
                statement.searched.push(Source { name, place: original(name)?, label, format });
            } else if is_unchanged(column) {
                statement.unchanged.push((original(name)?, released(name)?));
            }
        }
        Ok(statement)
    }

    /// Searches the texts of some rows.
    fn searched(&self, batch: &dyn Batch) -> Searched {
        let mut cells: Vec<Vec<Option<String>>> = Vec::new();
        let width = self.released.iter().chain(&self.notes).chain(self.searched.iter().map(|s| &s.place));
        let width = width.max().map_or(0, |most| most + 1);
        for column in 0..width {
            let mut of_column = Vec::with_capacity(batch.rows());
            batch.each(column, &mut |cell| of_column.push(cell.map(String::from)));
            cells.push(of_column);
        }
        let mut searched = Searched {
            released: sum_of(batch, &self.released, self.start),
            notes: vec![0; self.notes.len()],
            ..Searched::default()
        };
        let cell = |column: usize, row: usize| {
            cells.get(column).and_then(|column| column.get(row)).and_then(Option::as_deref)
        };
        for row in 0..batch.rows() {
            let other = self.unchanged.iter().any(|&(before, after)| cell(before, row) != cell(after, row));
            searched.other += u64::from(other);
            let mut values: Option<(Vec<Value>, Vec<usize>)> = None;
            for (at, &place) in self.notes.iter().enumerate() {
                let Some(text) = cell(place, row) else { continue };
                searched.notes[at] += 1;
                let (values, of) = values.get_or_insert_with(|| self.values(|column| cell(column, row)));
                for found in Note::new(text).found(values) {
                    *searched.found.entry((at, of[found])).or_default() += 1;
                }
            }
        }
        searched
    }

    /// The values of a row, and the searched columns that they are of.
    fn values<'c>(&self, cell: impl Fn(usize) -> Option<&'c str>) -> (Vec<Value>, Vec<usize>) {
        let value = |(at, source): (usize, &Source<'_>)| {
            let value = cell(source.place).filter(|value| !value.trim().is_empty())?;
            let value = match source.label {
                None => Some(Value::identifier(value)),
                Some(label) => Value::quasi(value, cell(label), source.format),
            };
            Some((value?, at))
        };
        self.searched.iter().enumerate().filter_map(value).unzip()
    }

    /// What was found in one text column.
    fn finding(
        &self,
        at: usize,
        searched: &Searched,
        released: Sum,
        certified: Option<&TextFacts>,
    ) -> Finding {
        let mut wrong = Wrong::default();
        let texts = searched.notes[at];
        match certified {
            Some(facts) if facts.texts == texts => {}
            Some(facts) => {
                wrong.push(format!("{}, the certificate says {}", several(texts, "text"), facts.texts));
            }
            None => wrong.push("the certificate does not say what was scrubbed"),
        }
        if searched.released.rows != released.rows {
            wrong.push(format!(
                "the release has {}, scrubbing the original again gives {}",
                several(released.rows, "row"),
                searched.released.rows
            ));
        } else if searched.released.hash != released.hash {
            wrong.push("the released rows are not those that scrubbing the original again gives");
        }
        if searched.other > 0 {
            let rows = several(searched.other, "row");
            wrong.push(format!("{rows} of the statement have other cells than their originals"));
        }
        for ((_, source), notes) in searched.found.iter().filter(|((of, _), _)| *of == at) {
            let Source { name, label, .. } = &self.searched[*source];
            let (have, row) = if *notes == 1 { ("has", "its row") } else { ("have", "their rows") };
            let what = match label {
                None => format!("the identifier `{name}` of {row}"),
                Some(_) => format!("`{name}` more precisely than {row}"),
            };
            wrong.push(format!("{} {have} {what}", several(*notes, "text")));
        }
        Finding::of(&wrong, || {
            format!(
                "{} searched for the values of their rows; none says more than its row",
                several(texts, "text")
            )
        })
    }
}

/// Whether texts are searched for a column's values, and whether it has labels.
fn search_for(column: &Column) -> Option<bool> {
    match column.role {
        Role::Identifier | Role::Subject => Some(false),
        Role::Quasi => Some(true),
        _ => None,
    }
}

/// Whether cells are released as they are.
fn is_unchanged(column: &Column) -> bool {
    column.role.released()
        && column.role != Role::Quasi
        && column.level.is_none()
        && column.transform.is_none()
}

/// How dates of a column are written, where the policy says it.
fn format_of(column: &Column) -> Option<&str> {
    match &column.hierarchy {
        Some(Spec::Date(date)) => Some(&date.format),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use throng_terms::rows::Table;
    use throng_terms::watch::Watch;

    use super::*;

    const POLICY: &str = "version = 1\ninput.path = \"t.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi\"\n\
        [columns.cost]\nrole = \"keep\"\n[columns.note]\nrole = \"text\"\ntransform = { scrub = {} }\n[privacy]\nk = 2\n";
    const STATED: [&str; 7] = ["age", "cost", "note", "name", "age", "cost", "note"];

    /// What is found in one stated row: name, age and cost before, and label, cost and note after.
    fn found(before: [&str; 3], after: [&str; 3]) -> Finding {
        let policy = Policy::parse(POLICY).unwrap();
        let columns: Vec<String> = STATED.map(String::from).to_vec();
        let statement = Statement::new(&policy, &["note"], (&columns, 4), RowHash::keyed("", "")).unwrap();
        let [name, age, cost] = before;
        let cells = [age, cost, "the original note", name, after[0], after[1], after[2]];
        let table = Table::new(columns, vec![cells.map(|cell| Some(cell.to_owned())).to_vec()]).unwrap();
        let mut searched = Searched::default();
        let all: Vec<usize> = (0..STATED.len()).collect();
        table
            .read(&all, &Watch::none(), &mut |batch| {
                searched.add(statement.searched(batch));
                Ok(())
            })
            .unwrap();
        let facts = TextFacts { texts: 1, ..TextFacts::default() };
        statement.finding(0, &searched, searched.released, Some(&facts))
    }

    #[test]
    fn a_note_must_not_have_the_values_of_its_row() {
        let ann = ["Anna Smith", "47", "5"];
        assert!(found(ann, ["[40, 50)", "5", "a [40, 50)-year-old, seen"]).holds);
        let leaks = found(ann, ["[40, 50)", "5", "Mrs. Smyth, 47-year-old"]);
        assert!(
            !leaks.holds && leaks.found.contains("1 text has the identifier `name` of its row"),
            "{}",
            leaks.found
        );
        assert!(leaks.found.contains("1 text has `age` more precisely than its row"), "{}", leaks.found);
        assert!(!leaks.found.contains("Smyth") && !leaks.found.contains("47"));
        assert!(found(ann, ["47", "5", "a 47-year-old"]).holds);
        let other = found(ann, ["47", "6", "fine"]);
        assert!(!other.holds && other.found.contains("other cells"), "{}", other.found);
    }

    #[test]
    fn a_statement_that_lacks_columns_or_has_other_rows_is_refused() {
        let policy = Policy::parse(POLICY).unwrap();
        let columns: Vec<String> = ["age", "note"].map(String::from).to_vec();
        let lacking = Statement::new(&policy, &["note"], (&columns, 1), RowHash::keyed("", ""));
        assert_eq!(lacking.err().as_deref(), Some("age"));
        let columns: Vec<String> = STATED.map(String::from).to_vec();
        let statement = Statement::new(&policy, &["note"], (&columns, 4), RowHash::keyed("", "")).unwrap();
        let searched =
            Searched { notes: vec![1], released: Sum { rows: 1, hash: [1, 2] }, ..Searched::default() };
        let facts = TextFacts { texts: 1, ..TextFacts::default() };
        let judged = |rows, hash, facts| statement.finding(0, &searched, Sum { rows, hash }, facts);
        assert!(judged(1, [1, 2], Some(&facts)).holds);
        assert!(!judged(1, [1, 3], Some(&facts)).holds && !judged(2, [1, 2], Some(&facts)).holds);
        assert!(!judged(1, [1, 2], None).holds);
        assert!(!judged(1, [1, 2], Some(&TextFacts { texts: 2, ..facts.clone() })).holds);
    }
}
