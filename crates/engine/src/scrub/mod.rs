//! Scrubs documents outside of tables, and single columns of tables: `throng scrub`.
//!
//! Documents are read and scrubbed on all cores, some at a time, and written to a folder that has
//! no name yet; they get their names when all are done. So nothing unscrubbed and nothing partial
//! is ever written, and memory does not depend on the number of documents.

mod column;
mod find;
mod findings;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::Input;
use throng::watch::{Stage, Watch};
pub use throng_documents::Encoding;
use throng_documents::{Format, ScrubbedDocument, ScrubbedText, decoded, scrub_all};
use throng_text::Scrubber;
pub use throng_text::{DateRule, Mode, Settings, UserPattern, WordList};

use crate::Engine;
use crate::error::{unreadable, unwritable};
use crate::overwrite_guard::{Existing, OverwriteGuard, already};
use crate::sink::{folder as parent, no_folder};
use crate::staging;
use find::{Found, resolved, too_large};
pub use findings::Findings;

/// The most bytes of a document: what is found in it is kept in memory until it is written.
const MOST: u64 = 32_000_000;
/// Documents, and bytes of them, that are scrubbed at a time.
const AT_ONCE: usize = 1024;
const BYTES_AT_ONCE: u64 = 64_000_000;

/// What to scrub.
pub struct ScrubJob<'a> {
    /// Files, folders, or `-` for standard input.
    pub paths: &'a [String],
    /// Columns, if the path is a table, and how the table is read.
    pub columns: &'a [String],
    /// How a table is read.
    pub table: Option<Input>,
    /// How texts are scrubbed.
    pub settings: Settings,
    /// How documents are encoded.
    pub encoding: Encoding,
    /// The output folder; without one, a single text is returned.
    pub out: Option<PathBuf>,
    /// The page for a review.
    pub page: Option<PathBuf>,
    /// Whether documents that cannot be scrubbed are left out, instead of refusing all.
    pub skip_unreadable: bool,
    /// What becomes of files that exist.
    pub existing: Existing,
    /// Reports progress, and may stop it.
    pub watch: Watch,
}

/// What was scrubbed.
#[derive(Debug)]
pub struct ScrubDone {
    /// Documents, or texts of a column.
    pub documents: u64,
    /// Bytes of their texts.
    pub bytes: u64,
    /// Kind → how often something was replaced or suppressed.
    pub found: BTreeMap<String, u64>,
    /// What was left out, and why.
    pub left_out: Vec<String>,
    /// The scrubbed text, where there is no output folder.
    pub text: Option<String>,
    /// What was found, as JSON.
    pub findings: Findings,
}

/// Words of a file, one per line.
///
/// # Errors
/// A file that cannot be read, or is not UTF-8.
pub fn word_list(path: &Path) -> Result<Vec<String>> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|e| unreadable(&name, &e))?;
    let text = decoded(&bytes, Encoding::Utf8).map_err(|e| e.map(|fault| fault.file(&name)))?;
    Ok(crate::notes::entries(&text))
}

/// The key in a file.
///
/// # Errors
/// A file that cannot be read.
pub fn key_in(path: &Path) -> Result<Vec<u8>> {
    crate::substitute::secret((Some(&path.to_string_lossy()), None), Path::new(""))
}

impl Engine {
    /// Scrubs documents or columns.
    ///
    /// # Errors
    /// Everything that cannot be read, scrubbed or written; then nothing is written.
    pub fn scrub(&self, job: &ScrubJob<'_>) -> Result<ScrubDone> {
        let scrubber = Scrubber::new(job.settings.clone())?;
        if !job.columns.is_empty() {
            return column::scrub(self, job, &scrubber);
        }
        let documents = find::documents(job.paths)?;
        let outputs = Outputs::new(job, &documents.found)?;
        let total = documents.found.iter().map(|found| found.bytes).sum();
        let mut done = Done::new(job, documents.left_out)?;
        let mut faults = Vec::new();
        for part in parts(&documents.found) {
            job.watch.check()?;
            let some = part.par_chunks(at_a_time(part.len()));
            let scrubbed: Vec<Result<(Format, ScrubbedDocument)>> =
                some.flat_map_iter(|files| scrub_files(files, job, &scrubber)).collect();
            for (found, scrubbed) in part.iter().zip(scrubbed) {
                match scrubbed {
                    Ok((format, document)) => done.add(found, format, &document, &outputs)?,
                    Err(error) if error.is_cancelled() => return Err(error),
                    Err(error) if job.skip_unreadable => done.leave_out(&error),
                    Err(error) => faults.extend(error.faults().to_vec()),
                }
                done.read += found.bytes;
                job.watch.done(Stage::Scrubbing, done.read, Some(total))?;
            }
        }
        Error::check(faults)?;
        done.publish(job, &outputs)
    }
}

/// Documents that are scrubbed at a time.
fn parts(found: &[Found]) -> Vec<&[Found]> {
    let (mut parts, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, document) in found.iter().enumerate() {
        bytes += document.bytes;
        if at + 1 - start == AT_ONCE || bytes >= BYTES_AT_ONCE || at + 1 == found.len() {
            parts.push(&found[start..=at]);
            (start, bytes) = (at + 1, 0);
        }
    }
    parts
}

/// Reads documents and scrubs them together.
fn scrub_files(
    files: &[Found],
    job: &ScrubJob<'_>,
    scrubber: &Scrubber,
) -> Vec<Result<(Format, ScrubbedDocument)>> {
    let mut texts = Vec::with_capacity(files.len());
    let mut text = |found: &Found| {
        let (text, format) = text_of(found, job)?;
        texts.push((text, format));
        Ok(format)
    };
    let formats: Vec<Result<Format>> = files.iter().map(&mut text).collect();
    let mut scrubbed = scrub_all(texts, scrubber).into_iter();
    let done = |(found, format): (&Found, Result<Format>)| {
        let format = format?;
        let document =
            scrubbed.next().unwrap_or_else(|| Err(Fault::bug("a text that was not scrubbed").into()));
        Ok((format, document.map_err(|error| of_file(error, found))?))
    };
    files.iter().zip(formats).map(done).collect()
}

/// The text of a document.
fn text_of(found: &Found, job: &ScrubJob<'_>) -> Result<(String, Format)> {
    job.watch.check()?;
    let here = |error| of_file(error, found);
    let bytes = read(found, &found.name())?;
    let text = decoded(&bytes, job.encoding).map_err(here)?;
    drop(bytes);
    let format = Format::of(&found.path.to_string_lossy(), &text);
    refuse_table(&found.path).map_err(here)?;
    Ok((text, format))
}

/// An error with the file it is about.
fn of_file(error: Error, found: &Found) -> Error {
    let name = found.name();
    error.map(|fault| fault.file(&name))
}

/// A table has columns that are not text: it must be said which is.
fn refuse_table(path: &Path) -> Result<()> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if ending.is_none_or(|ending| !["csv", "tsv", "psv"].contains(&ending.as_str())) {
        return Ok(());
    }
    Err(fault!(
        Input,
        "scrub.table-without-column",
        "is a table, whose other columns would not be scrubbed as such"
    )
    .help("name the column of texts with --column; `throng inspect` proposes a policy for the whole table")
    .into())
}

/// The bytes of a document, if it is not too large.
fn read(found: &Found, name: &str) -> Result<Vec<u8>> {
    if found.bytes > MOST {
        return Err(too_large(found.bytes, MOST).file(name).into());
    }
    let mut bytes = Vec::with_capacity(found.bytes as usize);
    let read = match found.standard {
        true => std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes),
        false => fs::File::open(&found.path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|e| unreadable(name, &e))?;
    if bytes.len() as u64 > MOST {
        return Err(too_large(bytes.len() as u64, MOST).file(name).into());
    }
    Ok(bytes)
}

/// Where documents go.
struct Outputs {
    out: Option<PathBuf>,
    existing: Existing,
    /// The documents that are read, without links.
    inputs: BTreeSet<PathBuf>,
}

impl Outputs {
    fn new(job: &ScrubJob<'_>, found: &[Found]) -> Result<Self> {
        let inputs: BTreeSet<PathBuf> =
            found.iter().filter(|f| !f.standard).map(|f| resolved(&f.path)).collect();
        let guard = inputs.iter().fold(OverwriteGuard::default(), |guard, path| guard.and("the input", path));
        if let Some(page) = &job.page {
            guard.check([page.as_path()], job.existing)?;
        }
        match &job.out {
            Some(out) => check_folder(out, job.paths)?,
            None if found.len() > 1 && job.page.is_none() => {
                return Err(fault!(
                    Input,
                    "scrub.no-output",
                    "there are {documents} documents and no output folder",
                    documents = found.len()
                )
                .help("name one with --out DIR; --page FILE alone writes a page for a review")
                .into());
            }
            None => {}
        }
        Ok(Outputs { out: job.out.clone(), existing: job.existing, inputs })
    }

    /// Where a document goes, if its place is free.
    fn place(&self, found: &Found, format: Format) -> Result<Option<PathBuf>> {
        let Some(out) = &self.out else { return Ok(None) };
        let mut relative = found.relative.clone().into_os_string();
        relative.push(format.added_ending());
        self.free(&out.join(&relative))?;
        Ok(Some(relative.into()))
    }

    /// Refuses a path that is read, or that exists and must not be replaced.
    fn free(&self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        if self.inputs.contains(&resolved(path)) {
            return Err(fault!(Input, "scrub.output-is-input", "is read, and would be written over")
                .file(name)
                .help("give another folder to --out")
                .into());
        }
        if self.existing == Existing::Refused && path.symlink_metadata().is_ok() {
            return Err(already(path, "another folder to --out").into());
        }
        Ok(())
    }
}

/// Refuses an output folder that is a file, has no parent or is within an input.
fn check_folder(out: &Path, inputs: &[String]) -> Result<()> {
    let name = out.display().to_string();
    if out.exists() && !out.is_dir() {
        return Err(fault!(Input, "scrub.output-not-a-folder", "is not a folder")
            .file(name)
            .help("name a folder with --out")
            .into());
    }
    let place = resolved(out);
    let within = |input: &&String| Path::new(input).is_dir() && place.starts_with(resolved(Path::new(input)));
    if let Some(input) = inputs.iter().find(within) {
        return Err(fault!(
            Input,
            "scrub.output-within-input",
            "is in `{input}`, which is read: a second run would scrub what the first one wrote",
            input = input
        )
        .file(name)
        .help("name a folder elsewhere")
        .into());
    }
    match out.exists() || parent(out).is_dir() {
        true => Ok(()),
        false => Err(no_folder(&name, parent(out)).into()),
    }
}

/// What was scrubbed so far.
pub(super) struct Done {
    stage: Option<staging::Folder>,
    /// Documents by their place in the output folder.
    written: BTreeSet<PathBuf>,
    findings: Findings,
    page: Option<findings::Page>,
    documents: u64,
    bytes: u64,
    read: u64,
    found: BTreeMap<String, u64>,
    left_out: Vec<String>,
    text: Option<String>,
}

impl Done {
    pub(super) fn new(job: &ScrubJob<'_>, left_out: Vec<String>) -> Result<Self> {
        let failed = |out: &Path, e: &std::io::Error| unwritable(&out.display().to_string(), e);
        let stage = job.out.as_ref().map(|out| {
            // What is renamed stays on one disk.
            let place = if out.is_dir() { out.as_path() } else { parent(out) };
            staging::Folder::new(place).map_err(|e| failed(out, &e))
        });
        let page = job.page.as_ref().map(|path| findings::Page::new(parent(path)));
        Ok(Done {
            stage: stage.transpose()?,
            written: BTreeSet::new(),
            findings: Findings::new()?,
            page: page.transpose()?,
            documents: 0,
            bytes: 0,
            read: 0,
            found: BTreeMap::new(),
            left_out,
            text: None,
        })
    }

    fn add(
        &mut self,
        found: &Found,
        format: Format,
        document: &ScrubbedDocument,
        outputs: &Outputs,
    ) -> Result<()> {
        let place = outputs.place(found, format)?;
        let name = found.path.display().to_string();
        self.count(&document.texts);
        self.documents += 1;
        let shown = place.as_ref().zip(outputs.out.as_ref()).map(|(place, out)| out.join(place));
        self.findings.add(&name, Some(format), shown.as_deref(), &document.texts)?;
        if let Some(page) = &mut self.page {
            page.add(&name, &document.texts)?;
        }
        match (&self.stage, place) {
            (Some(stage), Some(place)) => {
                if self.written.contains(&place) {
                    return Err(fault!(
                        Input,
                        "scrub.same-output",
                        "two documents would be written to `{place}`",
                        place = place.display()
                    )
                    .file(name)
                    .help("scrub them into folders of their own, or give the folder that they are in")
                    .into());
                }
                write(&stage.path().join("out").join(&place), document.written.as_bytes())?;
                self.written.insert(place);
            }
            _ => self.text = Some(document.written.clone()),
        }
        Ok(())
    }

    fn count(&mut self, texts: &[ScrubbedText]) {
        for text in texts {
            self.bytes += text.original.len() as u64;
            for span in text.scrubbed.spans.iter().filter(|span| span.replacement.is_some()) {
                *self.found.entry(span.kind.as_str().to_owned()).or_default() += 1;
            }
        }
    }

    fn leave_out(&mut self, error: &Error) {
        self.left_out.extend(error.faults().iter().map(Fault::to_string));
    }

    /// Gives everything its name.
    fn publish(mut self, job: &ScrubJob<'_>, outputs: &Outputs) -> Result<ScrubDone> {
        job.watch.check()?;
        let page = self.page.take().map(findings::Page::finish).transpose()?;
        let guard = staging::publishing();
        if let (Some(stage), Some(out)) = (&self.stage, &outputs.out) {
            let failed = |path: &Path, e: &std::io::Error| unwritable(&path.display().to_string(), e);
            for place in &self.written {
                let to = out.join(place);
                let folder = parent(&to);
                fs::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
                fs::rename(stage.path().join("out").join(place), &to).map_err(|e| failed(&to, &e))?;
            }
        }
        if let (Some(page), Some(path)) = (page, &job.page) {
            page.persist(path).map_err(|e| unwritable(&path.display().to_string(), &e))?;
        }
        drop(guard);
        Ok(ScrubDone {
            documents: self.documents,
            bytes: self.bytes,
            found: self.found,
            left_out: self.left_out,
            text: self.text.filter(|_| outputs.out.is_none()),
            findings: self.findings,
        })
    }
}

/// Writes a file of the stage.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |e: std::io::Error| unwritable(&path.display().to_string(), &e);
    fs::create_dir_all(parent(path)).map_err(failed)?;
    fs::write(path, bytes).map_err(failed)
}

/// Rows that one thread scrubs at a time: as many as are scrubbed together, if all threads have some.
pub(crate) fn at_a_time(rows: usize) -> usize {
    (rows / (4 * rayon::current_num_threads())).clamp(1, 256)
}
