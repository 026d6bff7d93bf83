//! Reads a release to compute statistics of it: once for the columns of numbers, and once for every
//! cross table.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use throng::error::{Error, Result};
use throng::hierarchy::{Hierarchy, Spec, build};
use throng::policy::{Form, Transform};
use throng::rows::Rows;
use throng::table::{Code, Dictionary};
use throng::watch::Watch;
use throng_statistics::Contingency;
use throng_statistics::cells::Reader;
use throng_statistics::imputation::{Filled, Imputing, impute_table};
use throng_statistics::report::{Options, Report, cross, report};
use throng_statistics::table::{Request, read};

use crate::Engine;
use crate::error::unwritable;
use crate::policy_file::PolicyFile;
use crate::sink::{persist, temporary};
use crate::source::Source;
use crate::table::FileTable;

/// What is known of the columns of a release.
#[derive(Default)]
pub struct Known<'a> {
    /// The policy of the release, whose hierarchies say what labels mean.
    pub policy: Option<&'a PolicyFile>,
    /// The least and the greatest value that columns can have.
    pub domains: BTreeMap<String, (f64, f64)>,
}

impl Known<'_> {
    /// The hierarchy of a column, if its labels are listed somewhere.
    fn hierarchy(&self, column: &str) -> Result<Option<Hierarchy>> {
        let Some(policy) = self.policy else { return Ok(None) };
        let spec = policy.policy.columns.get(column).and_then(|column| column.hierarchy.as_ref());
        match spec {
            Some(spec @ Spec::File(_)) => {
                build(spec, &Dictionary::new(), &|path| policy.load(path)).map(Some)
            }
            Some(spec @ Spec::Order(order)) if !order.values.is_empty() => {
                build(spec, &Dictionary::new(), &|path| policy.load(path)).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn reader(&self, column: &str) -> Result<Reader> {
        let mut reader = Reader::new();
        let stated = self.policy.and_then(|policy| policy.policy.columns.get(column)?.domain);
        let stated = stated.map(|[low, high]| (low, high));
        if let Some((low, high)) = self.domains.get(column).copied().or(stated) {
            reader = reader.with_domain(low, high);
        }
        if let Some(hierarchy) = self.hierarchy(column)? {
            reader = reader.with_hierarchy(&hierarchy);
        }
        let spec = self.policy.and_then(|policy| policy.policy.columns.get(column));
        let dates = spec.is_some_and(|column| matches!(column.hierarchy, Some(Spec::Date(_))));
        Ok(if dates { reader.with_dates() } else { reader })
    }

    /// Columns whose released cells are not true of every row, so that no bound follows from them.
    fn untrue(&self) -> BTreeMap<String, &'static str> {
        let Some(policy) = self.policy else { return BTreeMap::new() };
        let why = |column: &throng::policy::Column| match (&column.form, &column.transform) {
            (Some(Form::Mean | Form::Median), _) => Some("cells are means or medians of regions"),
            (_, Some(Transform::Shift(_))) => Some("dates were shifted"),
            (_, Some(_)) => Some("values were replaced"),
            _ => None,
        };
        let columns = policy.policy.columns.iter();
        columns.filter_map(|(name, column)| Some((name.clone(), why(column)?))).collect()
    }

    /// The hierarchies of some columns, where their labels are listed.
    fn hierarchies(&self, columns: &[String]) -> Result<BTreeMap<String, Hierarchy>> {
        let mut all = BTreeMap::new();
        for column in columns {
            if let Some(hierarchy) = self.hierarchy(column)? {
                all.insert(column.clone(), hierarchy);
            }
        }
        Ok(all)
    }
}

/// The values under a label.
fn covered(hierarchy: &Hierarchy, label: &str) -> Option<Vec<String>> {
    for level in 1..hierarchy.height() {
        let leaves = (0..hierarchy.leaf_count() as Code)
            .filter(|&leaf| hierarchy.label(level, hierarchy.generalize(leaf, level)) == Some(label));
        let values: Vec<String> =
            leaves.filter_map(|leaf| hierarchy.leaf_value(leaf).map(String::from)).collect();
        if !values.is_empty() {
            return Some(values);
        }
    }
    None
}

impl Engine {
    /// Computes the statistics of a release, and cross tables of pairs of columns.
    ///
    /// # Errors
    /// What cannot be read, and what has no statistics: see [`read`].
    pub fn statistics(
        &self,
        release: &Source,
        known: &Known<'_>,
        (request, options): (&Request, &Options),
        crosses: &[[String; 2]],
        watch: &Watch,
    ) -> Result<(Report, Vec<Contingency>)> {
        let table = FileTable::new(self, release)?;
        let of_release = |e: Error| {
            e.map(|fault| if fault.place.key.is_none() { fault.file(&release.name) } else { fault })
        };
        let request = Request { untrue: known.untrue(), ..request.clone() };
        let cells = read(&table, &request, &|column| known.reader(column), watch).map_err(of_release)?;
        let report = report(&cells, &request.by, options, watch)?;
        let crossed = |names: &[String; 2]| {
            let hierarchies = known.hierarchies(names)?;
            let covered = |column: &str, label: &str| covered(hierarchies.get(column)?, label);
            cross(&table as &dyn Rows, [&names[0], &names[1]], &covered, watch)
        };
        let crosses = crosses.iter().map(crossed).collect::<Result<Vec<_>>>().map_err(of_release)?;
        Ok((report, crosses))
    }

    /// Writes a release several times with its open cells filled, as a CSV file.
    ///
    /// # Errors
    /// What cannot be read or written.
    pub fn impute(
        &self,
        release: &Source,
        known: &Known<'_>,
        (imputations, seed): (usize, u64),
        to: &Path,
        watch: &Watch,
    ) -> Result<Filled> {
        let table = FileTable::new(self, release)?;
        let asked = Imputing { imputations, seed, untrue: known.untrue() };
        let hierarchies = known.hierarchies(table.columns())?;
        let covered = |column: &str, label: &str| covered(hierarchies.get(column)?, label);
        let file = temporary(to)?;
        let name = to.display().to_string();
        let mut out = BufWriter::new(file);
        let filled =
            impute_table(&table, &asked, (&|column| known.reader(column), &covered), watch, &mut |line| {
                out.write_all(line.as_bytes()).map_err(|e| unwritable(&name, &e))
            });
        let filled = filled.map_err(|e| {
            e.map(|fault| if fault.place.file.is_none() { fault.file(&release.name) } else { fault })
        })?;
        let file = out.into_inner().map_err(|e| unwritable(&name, e.error()))?;
        persist(file, to)?;
        Ok(filled)
    }
}
