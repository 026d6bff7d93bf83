//! Generates tables from a specification and writes them part by part; a table gets its name only
//! when it is complete.

use std::io::Write;
use std::path::{Path, PathBuf};

use throng::error::{Error, Result, nearest};
use throng::fault;
use throng::network::{Fit, Network};
use throng::policy::{Format, SPECIFICATION, locate};
use throng::synth::spec::{Marginals, SHIPPED, Spec, end_row, quoted};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::error::{unreadable, unwritable};
use crate::overwrite_guard::OverwriteGuard;
use crate::policy_file::PolicyFile;
use crate::sink::{persist, temporary};

/// Rows between two writes.
const PART: u64 = 1 << 14;

/// A specification with where it came from.
#[derive(Debug, Clone)]
pub struct SynthFile {
    /// Its content.
    pub spec: Spec,
    /// Its text.
    pub text: String,
    /// Where it is; those that come with the program are nowhere.
    pub path: Option<PathBuf>,
}

impl SynthFile {
    /// One that comes with the program, by its name, or that of a file.
    ///
    /// # Errors
    /// A file that cannot be read, or a specification with mistakes.
    pub fn read(name: &str) -> Result<Self> {
        if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Ok(SynthFile { spec: Spec::parse(text)?, text: (*text).to_owned(), path: None });
        }
        let bytes = std::fs::read(name).map_err(|e| {
            let near = nearest(name, SHIPPED.iter().map(|(shipped, _)| *shipped));
            unreadable(name, &e).map(|fault| match near {
                Some(near) => fault.help(format!("did you mean `{near}`, which comes with the program?")),
                None => fault,
            })
        })?;
        let text = SPECIFICATION.text(name, &bytes)?;
        let spec = Spec::parse(text).map_err(|e| e.map(|f| f.file(name)))?;
        Ok(SynthFile { spec, text: text.to_owned(), path: Some(name.into()) })
    }

    /// A path of the specification, which is relative to it.
    fn beside(&self, path: &str) -> PathBuf {
        self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).join(path)
    }

    fn load(&self, path: &str) -> Result<String> {
        let path = self.beside(path);
        std::fs::read_to_string(&path).map_err(|e| unreadable(&path.display().to_string(), &e))
    }

    /// Everything that it reads.
    ///
    /// # Errors
    /// A policy of a network that cannot be read.
    pub fn overwrite_guard(&self) -> Result<OverwriteGuard> {
        let guard = match &self.spec.network {
            Some(policy) => {
                let (policy, _) = PolicyFile::read(&self.beside(policy))?;
                OverwriteGuard::of_policy(&policy).release_of(&policy)
            }
            None => OverwriteGuard::default(),
        };
        let guard = self.path.iter().fold(guard, |guard, path| guard.and("the specification", path));
        let files = self.spec.columns.iter().filter_map(|column| column.file.as_ref());
        Ok(files.fold(guard, |guard, file| guard.and("the values of a column", &self.beside(file))))
    }

    /// Gives faults about the specification's keys their place in it.
    fn located(&self, error: Error) -> Error {
        let name = self.path.as_ref().map(|path| path.display().to_string());
        locate(error, &self.text).map(|fault| match &name {
            Some(name) if fault.place.span.is_some() && fault.place.file.is_none() => fault.file(name),
            _ => fault,
        })
    }
}

impl Engine {
    /// Makes up a number of rows and writes them as CSV; the names of the columns. Where it is stopped,
    /// nothing is left behind.
    ///
    /// # Errors
    /// Read, fit and write errors.
    pub fn synth(
        &self,
        file: &SynthFile,
        (rows, seed): (u64, u64),
        out: &Path,
        watch: &Watch,
    ) -> Result<Vec<String>> {
        if Format::of_path(&out.display().to_string()) != Some(Format::Csv) {
            return Err(fault!(Input, "synth.output-not-csv", "made-up tables are written as CSV")
                .file(out.display().to_string())
                .help("end the name in .csv")
                .into());
        }
        match &file.spec.network {
            None => {
                let mut table =
                    Marginals::new(&file.spec, seed, &|path| file.load(path)).map_err(|e| file.located(e))?;
                let names = table.names().to_vec();
                written((&names, rows), out, &mut |text| table.write_row(text), watch)?;
                Ok(names)
            }
            Some(policy) => {
                let (policy, text) = PolicyFile::read(&file.beside(policy))?;
                let network = self.network(&policy, Some(seed), Fit::PARENTS, watch);
                let network = network.map_err(|e| policy.located(e, &text))?;
                let mut sampler = network.sampler(seed);
                let mut next = |text: &mut String| row(&network, &sampler.row(), text);
                written((network.names(), rows), out, &mut next, watch)?;
                Ok(network.names().to_vec())
            }
        }
    }
}

/// Appends a row of leaves as CSV; a missing cell is empty.
fn row(network: &Network, leaves: &[u32], text: &mut String) {
    let start = text.len();
    for (i, (hierarchy, &leaf)) in network.hierarchies().iter().zip(leaves).enumerate() {
        if i > 0 {
            text.push(',');
        }
        quoted(hierarchy.leaf_value(leaf).unwrap_or_default(), text);
    }
    end_row(start, text);
}

fn written(
    (names, rows): (&[String], u64),
    out: &Path,
    next: &mut dyn FnMut(&mut String),
    watch: &Watch,
) -> Result<()> {
    let fail = |e: std::io::Error| unwritable(&out.display().to_string(), &e);
    let mut file = temporary(out)?;
    let mut text = String::new();
    for (i, name) in names.iter().enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        quoted(name, &mut text);
    }
    text.push('\n');
    for row in 1..=rows {
        next(&mut text);
        if row.is_multiple_of(PART) {
            file.write_all(text.as_bytes()).map_err(fail)?;
            text.clear();
            watch.done(Stage::Drawing, row, Some(rows))?;
        }
    }
    file.write_all(text.as_bytes()).map_err(fail)?;
    persist(file, out)
}
