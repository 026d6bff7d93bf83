//! Writes a table with one field per hierarchy level, and collapses such fields again (core
//! `augment.rs`).
//!
//! One pass over the policy's table for the values of the hierarchies, one over the rows to
//! rewrite. Memory holds these values and one batch, and rows stay in their order. Of the policy's
//! own table only columns that a release may contain are written; a release with other or missing
//! columns is rejected.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use throng::augment::Implied;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::hierarchy::{self, Hierarchy};
use throng::policy::{Column, Format, Role};
use throng::table::{Code, Dictionary};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::{Cells, text};
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::{PolicyFile, in_table};
use crate::sink::{Sink, Written};
use crate::source::Source;

/// What is rewritten.
#[derive(Debug, Clone, Copy)]
pub enum Augmented<'a> {
    /// The policy's table gets fields.
    Table,
    /// A release of the policy gets fields.
    Release(&'a Path),
    /// A table with fields loses them.
    Undone(&'a Path),
}

/// A column of what is written.
enum Made {
    /// As it is, from this place.
    Kept(usize),
    /// The fields of the quasi-identifier at this place.
    Fields(usize, usize),
    /// The cell of a quasi-identifier, whose fields start at these places.
    Cell(usize, Vec<usize>),
}

impl Engine {
    /// Adds implied fields, or takes them away.
    ///
    /// # Errors
    /// Read or write errors, cells that are not labels, and fields that no cell has; then nothing
    /// is left behind.
    pub fn augment(
        &self,
        policy: &PolicyFile,
        what: Augmented<'_>,
        (output, existing): (&Path, Existing),
        watch: &Watch,
    ) -> Result<Written> {
        let (table, columns) = self.open(policy, watch)?;
        let source = match what {
            Augmented::Table => table.clone(),
            Augmented::Release(path) | Augmented::Undone(path) => Source::release(path, &policy.policy)?,
        };
        check(policy, what, output, existing)?;
        let (names, hierarchies) = self.leveled_columns(policy, (&table, &columns), watch)?;
        let implied: Vec<Implied<'_>> = names
            .iter()
            .zip(&hierarchies)
            .map(|(name, hierarchy)| Implied::new(hierarchy).map_err(|e| e.map(|fault| fault.column(name))))
            .collect::<Result<_>>()?;
        let rewriter = Rewriter::new(self, policy, what, &source, (&names, &implied))?;
        let mut sink = Sink::create(output, &policy.policy, Arc::clone(&rewriter.schema), Vec::new())?;
        let mut rows = 0;
        self.scan(&source, &rewriter.read, watch, |batch| {
            let written =
                rewriter.rewrite(&batch, rows).map_err(|e| e.map(|fault| fault.file(&source.name)))?;
            sink.write(written)?;
            rows += batch.num_rows() as u64;
            watch.done(Stage::Writing, rows, None)
        })?;
        sink.finish()
    }

    /// The quasi-identifiers that have levels, with their hierarchies over the policy's table.
    fn leveled_columns(
        &self,
        policy: &PolicyFile,
        (table, columns): (&Source, &[String]),
        watch: &Watch,
    ) -> Result<(Vec<String>, Vec<Hierarchy>)> {
        let leveled = |column: &Column| column.role == Role::Quasi && column.poset.is_none();
        let of = |name: &String| policy.policy.columns.get(name);
        let names: Vec<String> =
            columns.iter().filter(|name| of(name).is_some_and(leveled)).cloned().collect();
        if names.is_empty() {
            return Err(fault!(Input, "augment.no-hierarchy", "no quasi-identifier has a hierarchy")
                .file(policy.path.display().to_string())
                .help("only levels imply fields: give a column a hierarchy")
                .into());
        }
        let mut dictionaries = vec![Dictionary::new(); names.len()];
        let (mut rows, mut codes) = (0, Vec::new());
        self.scan(table, &names, watch, |batch| {
            for ((name, array), dictionary) in names.iter().zip(batch.columns()).zip(&mut dictionaries) {
                Cells::new(name, array)?.encode(dictionary, &mut codes);
            }
            rows += batch.num_rows() as u64;
            watch.done(Stage::Reading, rows, None)
        })?;
        let load = |path: &str| policy.load(path);
        let built = names.iter().zip(&dictionaries).map(|(name, values)| {
            let null = |value: &&str| !policy.policy.input.null.iter().any(|null| null == value);
            let mut present = Dictionary::new();
            for code in 0..values.len() as Code {
                present.add(values.value(code).filter(null), values.count(code));
            }
            let spec = of(name).map_or(hierarchy::Spec::Suppress, Column::hierarchy);
            hierarchy::build(&spec, &present, &load)
                .map_err(|e| in_table(e.map(|fault| fault.column(name)), table))
        });
        let hierarchies = built.collect::<Result<_>>()?;
        Ok((names, hierarchies))
    }
}

/// Refuses a place that cannot be written to, or where something else is.
fn check(policy: &PolicyFile, what: Augmented<'_>, output: &Path, existing: Existing) -> Result<()> {
    let name = output.display().to_string();
    Format::of_output(&name).map_err(|fault| fault.file(&name))?;
    let guard = OverwriteGuard::of_policy(policy);
    let guard = match what {
        Augmented::Table => guard,
        Augmented::Release(path) | Augmented::Undone(path) => guard.parts_of(path),
    };
    guard.release_of(policy).check([output], existing)
}

/// Turns batches of one table into batches of the other.
struct Rewriter<'a> {
    /// The columns that are read.
    read: Vec<String>,
    implied: &'a [Implied<'a>],
    names: &'a [String],
    made: Vec<Made>,
    schema: SchemaRef,
    /// Whether cells are values of the policy's table.
    values: bool,
}

impl<'a> Rewriter<'a> {
    fn new(
        engine: &Engine,
        policy: &PolicyFile,
        what: Augmented<'_>,
        source: &Source,
        (names, implied): (&'a [String], &'a [Implied<'a>]),
    ) -> Result<Self> {
        let mut read = engine.columns(source)?;
        let values = matches!(what, Augmented::Table);
        if values {
            read.retain(|name| policy.policy.columns.get(name).is_some_and(Column::released));
        }
        let made = match what {
            Augmented::Undone(_) => together(&read, names, implied),
            _ => apart(&read, names, implied),
        };
        let held = made.and_then(|made| {
            let kept = made.iter().filter_map(|column| match column {
                Made::Kept(at) => Some(read[*at].as_str()),
                Made::Fields(..) | Made::Cell(..) => None,
            });
            Error::check(unlike(policy, names, &kept.collect::<Vec<_>>()))?;
            Ok(made)
        });
        let made = held.map_err(|e| e.map(|fault| fault.file(&source.name)))?;
        let schema = engine.schema(source)?;
        let mut fields = Vec::new();
        for column in &made {
            match column {
                Made::Kept(at) => {
                    let field = schema.field_with_name(&read[*at]).map_err(|e| Fault::bug(e.to_string()))?;
                    fields.push(Field::new(&read[*at], field.data_type().clone(), true));
                }
                Made::Fields(at, q) => {
                    let names = implied[*q].names(&read[*at]);
                    fields.extend(names.into_iter().map(|name| Field::new(name, DataType::Utf8, true)));
                }
                Made::Cell(q, _) => fields.push(Field::new(&names[*q], DataType::Utf8, true)),
            }
        }
        Ok(Rewriter { read, implied, names, made, schema: Arc::new(Schema::new(fields)), values })
    }

    fn rewrite(&self, batch: &RecordBatch, before: u64) -> Result<RecordBatch> {
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for column in &self.made {
            match column {
                Made::Kept(at) => {
                    let wanted = self.schema.field(arrays.len()).data_type();
                    arrays.push(typed(&self.read[*at], batch.column(*at), wanted)?);
                }
                Made::Fields(at, q) => arrays.extend(self.fields(batch.column(*at), *q, before)?),
                Made::Cell(q, places) => arrays.push(self.cell(batch, *q, places, before)?),
            }
        }
        RecordBatch::try_new(Arc::clone(&self.schema), arrays).map_err(|e| Fault::bug(e.to_string()).into())
    }

    /// The fields of a column's cells.
    fn fields(&self, array: &ArrayRef, q: usize, before: u64) -> Result<Vec<ArrayRef>> {
        let (name, implied) = (&self.names[q], &self.implied[q]);
        let cells = Cells::new(name, array)?;
        let mut fields: Vec<Vec<Option<&str>>> =
            vec![Vec::with_capacity(cells.len()); implied.names(name).len()];
        for row in 0..cells.len() {
            let cell = cells.get(row);
            let labels = if self.values { implied.of_value(cell) } else { implied.of_cell(cell) };
            let labels = labels.ok_or_else(|| {
                fault!(
                    Data,
                    "augment.not-a-label",
                    "`{value}` in row {row} is not a label of its hierarchy",
                    value = cell.unwrap_or_default(),
                    row = before + row as u64 + 1
                )
                .column(name)
                .help("only releases with one level per column can be augmented: cells of regions need not be labels")
            })?;
            fields.iter_mut().zip(labels).for_each(|(field, label)| field.push(label));
        }
        Ok(fields.into_iter().map(|field| Arc::new(StringArray::from(field)) as ArrayRef).collect())
    }

    /// The cells that a column's fields stand for.
    fn cell(&self, batch: &RecordBatch, q: usize, places: &[usize], before: u64) -> Result<ArrayRef> {
        let name = &self.names[q];
        let fields =
            places.iter().map(|&at| Cells::new(name, batch.column(at))).collect::<Result<Vec<Cells>>>()?;
        let mut labels: Vec<Option<&str>> = vec![None; fields.len()];
        let mut cells: Vec<Option<String>> = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            labels.clear();
            labels.extend(fields.iter().map(|field| field.get(row)));
            let cell = self.implied[q].cell(&labels).map_err(|e| {
                e.map(|mut fault| {
                    let row = before + row as u64 + 1;
                    fault.message += &format!(", in row {row}");
                    fault.argument("row", row).column(name)
                })
            })?;
            cells.push(cell.map(String::from));
        }
        Ok(Arc::new(StringArray::from(cells)))
    }
}

/// Columns beside the quasi-identifiers that a release may not hold, and those that it must and
/// that are not there.
fn unlike(policy: &PolicyFile, names: &[String], kept: &[&str]) -> Vec<Fault> {
    let columns = &policy.policy.columns;
    let wrong = kept.iter().filter_map(|name| {
        let fault = match columns.get(*name) {
            None => fault!(
                Data,
                "augment.column-not-in-policy",
                "has a column `{column}`, which is not in the policy",
                column = name
            ),
            Some(column) if column.released() => return None,
            Some(column) => {
                fault!(
                    Data,
                    "augment.column-must-not-be-released",
                    "has the column `{column}`, which has role \"{role}\" and must not be released",
                    role = column.role.name(),
                    column = name
                )
            }
        };
        Some(fault.help("take it out, or give a release of this policy"))
    });
    let must = columns.iter().filter(|(name, column)| column.released() && !names.contains(name));
    let absent = must.filter(|(name, _)| !kept.contains(&name.as_str())).map(|(name, _)| {
        fault!(Data, "augment.no-such-column", "has no column `{column}`", column = name)
            .help("give a release of this policy, with all its columns")
    });
    wrong.chain(absent).collect()
}

/// A reader may give views where the schema says text.
fn typed(name: &str, array: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    if array.data_type() == wanted {
        return Ok(Arc::clone(array));
    }
    if *wanted == DataType::Utf8 {
        return text(name, array);
    }
    arrow::compute::cast(array, wanted).map_err(|e| Fault::bug(e.to_string()).into())
}

/// Every column with its fields; none of them has the name of another.
fn apart(read: &[String], names: &[String], implied: &[Implied<'_>]) -> Result<Vec<Made>> {
    let mut made = Vec::new();
    let mut written: Vec<String> = Vec::new();
    for (at, name) in read.iter().enumerate() {
        match names.iter().position(|other| other == name) {
            Some(q) => {
                written.extend(implied[q].names(name));
                made.push(Made::Fields(at, q));
            }
            None => {
                written.push(name.clone());
                made.push(Made::Kept(at));
            }
        }
    }
    let absent = names.iter().filter(|name| !read.contains(name)).map(|name| {
        fault!(Data, "augment.no-such-column", "has no column `{column}`", column = name)
            .help("give a release of this policy")
    });
    let mut faults: Vec<Fault> = absent.collect();
    written.sort_unstable();
    for pair in written.windows(2).filter(|pair| pair[0] == pair[1]) {
        faults.push(
            fault!(
                Data,
                "augment.duplicate-column",
                "two columns would be called `{column}`",
                column = &pair[0]
            )
            .column(&pair[0])
            .help("fields are called COLUMN_LEVEL: rename the other column"),
        );
    }
    Error::check(faults)?;
    Ok(made)
}

/// Every column once, its fields taken together where it stands.
fn together(read: &[String], names: &[String], implied: &[Implied<'_>]) -> Result<Vec<Made>> {
    let mut faults = Vec::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (name, implied) in names.iter().zip(implied) {
        let mut of = Vec::new();
        for field in implied.names(name) {
            match read.iter().position(|column| *column == field) {
                Some(at) => of.push(at),
                None => faults.push(
                    fault!(Data, "augment.no-such-column", "has no column `{column}`", column = field)
                        .help("give what `throng augment` wrote by this policy"),
                ),
            }
        }
        places.push(of);
    }
    Error::check(faults)?;
    let mut made = Vec::new();
    for at in 0..read.len() {
        match places.iter().position(|places| places.contains(&at)) {
            Some(q) if places[q][0] == at => made.push(Made::Cell(q, places[q].clone())),
            Some(_) => {}
            None => made.push(Made::Kept(at)),
        }
    }
    Ok(made)
}
