//! A table somewhere: which files, in which format, with which columns.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use arrow::datatypes::SchemaRef;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use throng::describe::{SAMPLED_LINES, first_line_is_data};
use throng::error::{Fault, Result};
use throng::fault;
use throng::hierarchy::TOP;
use throng::policy::{Encoding, Format, Header, Input, Policy};
use throng::release::PreparationFacts;
use throng::watch::Watch;
use throng_ledger::Secret;

use crate::chunks::{Buffers, Cuts};
use crate::digest::{Digesting, Digests, hex};
use crate::error::{unlabelled, unreadable};
use crate::foreign::{self, Sheet};
use crate::header::{headless, named};
use crate::left_out::LeftOut;
use crate::preparation::SourcePreparation;
use crate::stdin::{self, STANDARD};
use crate::{content, json_array, text};

/// Bytes of a delimited file that are read at most to see whether its first line is data.
const SAMPLED_BYTES: u64 = 1 << 22;

/// In front of a digest that is keyed.
pub(crate) const KEYED_DIGEST: &str = "hmac-sha256:";

/// How delimited text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Delimited {
    /// Between cells.
    pub delimiter: u8,
    /// Around cells.
    pub quote: u8,
    /// Of the text.
    pub encoding: Encoding,
    /// Lines above the header.
    pub skip: usize,
}

/// A table in one or more files.
#[derive(Debug, Clone)]
pub struct Source {
    /// As the user named it.
    pub name: String,
    /// The files, in path order.
    pub files: Vec<PathBuf>,
    /// Their sizes and times of change when they were found.
    pub(crate) stamps: Vec<Option<Stamp>>,
    /// Their format.
    pub format: Format,
    /// How they are laid out, if they are text.
    pub layout: Delimited,
    /// Whether an empty cell of delimited text is missing; otherwise it is the empty text.
    pub empty_is_missing: bool,
    /// Texts that mean that a cell is missing, beside an empty cell of delimited text.
    pub(crate) nulls: Vec<String>,
    /// Whether the first line of delimited text holds the column names.
    pub(crate) headed: bool,
    /// Column names of delimited text, of JSON and of foreign formats, from the file or generated.
    pub(crate) header: Vec<String>,
    /// What was done to names and values that the holder should know.
    pub(crate) notices: Vec<String>,
    /// Which part of a workbook is read.
    pub(crate) sheet: Sheet,
    /// Columns of Stata and SPSS files that are read as labels, by their places.
    pub(crate) labelled: Vec<usize>,
    /// Columns of a typed format: JSON columns require a pass over every row, so it is done once.
    pub(crate) inferred: Arc<OnceLock<SchemaRef>>,
    /// Where delimited text was cut when it was read before.
    pub(crate) cuts: Arc<OnceLock<Cuts>>,
    /// Buffers of delimited text, which every pass over it fills again.
    pub(crate) buffers: Arc<Buffers>,
    /// The digests that are made while it is read, and they themselves when it was read to the end.
    pub(crate) digesting: Digesting,
    pub(crate) digests: Arc<OnceLock<Digests>>,
    /// What is done to its rows while they are read, and what that was when it was read to the end.
    pub(crate) preparation: Option<Arc<SourcePreparation>>,
    pub(crate) prepared: Arc<OnceLock<PreparationFacts>>,
    /// People whose rows are left out while it is read.
    pub(crate) left_out: Option<Arc<LeftOut>>,
    /// The secret that keys its digest in certificates.
    pub(crate) digest_key: Option<Arc<Secret>>,
}

impl Source {
    /// The bytes of its rows as text, by the size of its files.
    pub(crate) fn text_bytes(&self) -> u64 {
        let size = |file: &PathBuf| {
            let bytes = std::fs::metadata(file).map_or(0, |file| file.len());
            let packed = file.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
            if packed || self.format != Format::Csv { 4 * bytes } else { bytes }
        };
        self.files.iter().map(size).sum()
    }

    /// Finds the files of a policy's input; paths are relative to `base`. Their rows are those of the
    /// files, whatever the input says about preparing them.
    ///
    /// # Errors
    /// No such file, an unknown format, files with different columns.
    pub fn open(input: &Input, base: &Path) -> Result<Self> {
        let files = find(&input.path, base)?;
        let format = format_of(input, &files)?;
        let layout = Delimited {
            delimiter: input.delimiter as u8,
            quote: input.quote as u8,
            encoding: input.encoding,
            skip: input.skip,
        };
        let mut nulls = input.null.clone();
        nulls.retain(|null| format != Format::Csv || !null.is_empty());
        let mut source = Source {
            name: input.path.clone(),
            stamps: files.iter().map(|file| stamp(file)).collect(),
            files,
            format,
            layout,
            empty_is_missing: input.null.iter().any(String::is_empty),
            nulls,
            headed: input.header != Some(Header::None),
            header: Vec::new(),
            notices: Vec::new(),
            sheet: Sheet::of(input),
            labelled: Vec::new(),
            inferred: Arc::default(),
            cuts: Arc::default(),
            buffers: Arc::default(),
            digesting: Digesting::Nothing,
            digests: Arc::default(),
            preparation: None,
            prepared: Arc::default(),
            left_out: None,
            digest_key: None,
        };
        match format {
            Format::Csv => (source.header, source.notices) = source.headers(input.header)?,
            Format::Json => {
                source.not_empty()?;
                source.header = first_keys(&source.files[0])?;
            }
            Format::Parquet | Format::Arrow => source.not_empty()?,
            Format::Excel | Format::Stata | Format::Sas | Format::Spss => source.open_foreign(input)?,
        }
        Ok(source)
    }

    /// The digests of its bytes. A source that was read to the end knows them; otherwise it is read.
    ///
    /// # Errors
    /// When it cannot be read, or the work was asked to stop.
    pub(crate) fn digests(&self, watch: &Watch) -> Result<&Digests> {
        if self.digests.get().is_none() {
            let which =
                if self.digesting == Digesting::Nothing { Digesting::Published } else { self.digesting };
            let digests = Digests::of(&self.files, which, watch)?;
            return Ok(self.digests.get_or_init(|| digests));
        }
        self.digests.get().ok_or_else(|| Fault::bug("digests are gone").into())
    }

    /// The digest that certificates publish: SHA-256 of its bytes, keyed where there is a secret, so
    /// that nobody can test guesses about the input.
    ///
    /// # Errors
    /// As [`Source::digests`].
    pub(crate) fn published(&self, watch: &Watch) -> Result<String> {
        let plain = &self.digests(watch)?.published;
        Ok(match &self.digest_key {
            Some(secret) => {
                let code = secret.code("throng input digest", &[plain.as_bytes()]);
                format!("{KEYED_DIGEST}{}", hex(&code))
            }
            None => plain.clone(),
        })
    }

    /// The same source, whose bytes are digested and whose preparation is counted anew while they are
    /// read.
    #[must_use]
    pub fn digested(&self, digesting: Digesting) -> Self {
        Source { digesting, digests: Arc::default(), prepared: Arc::default(), ..self.clone() }
    }

    /// A release that this policy's input became.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn release(path: &Path, policy: &Policy) -> Result<Self> {
        let format = Format::of_path(&path.to_string_lossy());
        let null = missing_text(policy).filter(|_| format == Some(Format::Csv));
        let input = Input {
            path: path.display().to_string(),
            format,
            null: null.into_iter().map(String::from).collect(),
            delimiter: policy.output.delimiter.unwrap_or(policy.input.delimiter),
            quote: '"',
            encoding: Encoding::Utf8,
            skip: 0,
            // What is released has a header line of its own.
            header: Some(Header::FirstLine),
            ..policy.input.clone()
        };
        Source::open(&input, Path::new(""))
    }

    /// Refuses files that are not what they were when they were found.
    ///
    /// # Errors
    /// A file that was written to, or is gone.
    pub(crate) fn unchanged(&self) -> Result<()> {
        match self.files.iter().zip(&self.stamps).find(|(file, found)| stamp(file) != **found) {
            None => Ok(()),
            Some((file, _)) => Err(changed().file(file.display().to_string()).into()),
        }
    }

    /// Text of a delimited file as UTF-8.
    pub(crate) fn text(&self, file: &Path) -> Result<Box<dyn Read>> {
        let name = file.display().to_string();
        let opened = File::open(file).map_err(|e| unreadable(&name, &e))?;
        text::decoded_after(opened, self.layout.encoding, self.layout.skip, &name)
    }

    /// Formats other than delimited text have no header to miss.
    fn not_empty(&self) -> Result<()> {
        for file in &self.files {
            let name = file.display().to_string();
            let bytes = std::fs::metadata(file).map_err(|e| unreadable(&name, &e))?.len();
            if bytes > 0 {
                return Ok(());
            }
        }
        let name = self.files[0].display().to_string();
        Err(fault!(Data, "table.empty-file", "the file is empty")
            .file(name)
            .help("there is nothing to release")
            .into())
    }

    /// Finds the columns of foreign files, which are the same in every file.
    fn open_foreign(&mut self, input: &Input) -> Result<()> {
        self.not_empty()?;
        let opened = foreign::open(&self.files[0], self.format, input)?;
        for file in &self.files[1..] {
            let other = foreign::open(file, self.format, input)?;
            if other.columns != opened.columns || other.labelled != opened.labelled {
                return Err(fault!(
                    Data,
                    "table.different-foreign-columns",
                    "its columns or their labels are not those of {other}",
                    other = self.files[0].display()
                )
                .file(file.display().to_string())
                .help("files that are read together need the same columns")
                .into());
            }
        }
        (self.header, self.notices, self.labelled) = (opened.columns, opened.notices, opened.labelled);
        Ok(())
    }

    /// The column names, the same in every file, and notes on them.
    fn headers(&self, stated: Option<Header>) -> Result<(Vec<String>, Vec<String>)> {
        let first = self.header_of(&self.files[0], stated)?;
        for file in &self.files[1..] {
            let other = self.header_of(file, stated)?;
            if let Some(how) = difference(&first, &other, self.headed) {
                // Where one of the files has no header line, its names are the cells of a person.
                let (of, help) = match self.headed {
                    true => ("header line", "files that are read together need the same header line"),
                    false => ("first line", "files that are read together need the same columns"),
                };
                return Err(fault!(
                    Data,
                    "table.different-header",
                    "its {part} is not that of {other}: {difference}",
                    part = of,
                    other = self.files[0].display(),
                    difference = how
                )
                .file(file.display().to_string())
                .line(1)
                .help(help)
                .into());
            }
        }
        Ok(named(first))
    }

    fn header_of(&self, file: &Path, stated: Option<Header>) -> Result<Vec<String>> {
        let name = file.display().to_string();
        if let Some(format) = content::binary(file)? {
            return Err(content::not_text(format, &name).into());
        }
        let header = self.layout.skip as u64 + 1;
        let mut records = csv::ReaderBuilder::new()
            .delimiter(self.layout.delimiter)
            .quote(self.layout.quote)
            .has_headers(false)
            .flexible(true)
            .from_reader(BufReader::new(self.text(file)?.take(SAMPLED_BYTES)));
        let mut record = csv::ByteRecord::new();
        let unreadable = |e: csv::Error| {
            fault!(Data, "table.malformed-text", "{reason}", reason = unlabelled(&e)).file(&name)
        };
        records.read_byte_record(&mut record).map_err(unreadable)?;
        let first: Option<Vec<String>> =
            record.iter().map(|c| std::str::from_utf8(c).ok().map(String::from)).collect();
        let first = first.ok_or_else(|| not_utf8("the first line").file(&name).line(header))?;
        if first.iter().any(|cell| cell.contains('\0')) {
            return Err(nul_byte().file(&name).line(header).into());
        }
        if first.is_empty() {
            return Err(fault!(Data, "table.empty-file", "the file is empty")
                .file(name)
                .help("the first line names the columns")
                .into());
        }
        match stated {
            Some(Header::None) => return Ok(Header::generated(first.len())),
            Some(Header::FirstLine) => {}
            None => {
                let mut rows: Vec<Vec<String>> = Vec::new();
                while rows.len() < SAMPLED_LINES && records.read_byte_record(&mut record).unwrap_or(false) {
                    rows.push(record.iter().map(|cell| self.sampled(cell)).collect());
                }
                if let Some(cells) = first_line_is_data(&first, &rows) {
                    return Err(headless(cells, first.len()).file(name).line(header).into());
                }
            }
        }
        Ok(first)
    }

    /// A cell as text; empty where it means that it is missing.
    fn sampled(&self, cell: &[u8]) -> String {
        let text = String::from_utf8_lossy(cell);
        if self.nulls.iter().any(|null| *null == text) { String::new() } else { text.into_owned() }
    }
}

/// The size of a file and when it was last written to.
pub(crate) type Stamp = (u64, Option<SystemTime>);

fn stamp(file: &Path) -> Option<Stamp> {
    std::fs::metadata(file).ok().map(|found| (found.len(), found.modified().ok()))
}

/// A table that somebody writes to.
pub(crate) fn changed() -> Fault {
    fault!(Data, "table.changed-while-reading", "the table changed while it was being released")
        .help("release a copy that nobody writes to")
}

/// How two header lines differ, in numbers alone.
fn difference(first: &[String], other: &[String], headed: bool) -> Option<String> {
    if first.len() != other.len() {
        return Some(format!("it has {} cells, not {}", other.len(), first.len()));
    }
    let place = first.iter().zip(other).position(|(a, b)| a != b).filter(|_| headed)?;
    Some(format!("cell {} is another", place + 1))
}

/// What a missing cell of a delimited release looks like, where any text means that.
pub(crate) fn missing_text(policy: &Policy) -> Option<&str> {
    let nulls = &policy.input.null;
    nulls.iter().find(|n| n.is_empty()).or_else(|| nulls.iter().find(|n| *n != TOP)).map(String::as_str)
}

/// Text in another encoding.
pub(crate) fn not_utf8(what: &str) -> Fault {
    fault!(Data, "table.not-utf8", "{part} is not UTF-8", part = what)
        .help("set input.encoding = \"latin-1\", or convert the file")
}

/// A byte that text does not hold.
pub(crate) fn nul_byte() -> Fault {
    fault!(Data, "table.nul-byte", "holds a NUL byte, which is not text").help(
        "set input.encoding = \"utf-16\" if it is UTF-16; otherwise the file is damaged: export it again",
    )
}

/// The format of files: as stated, by their names, or for standard input by what it holds.
fn format_of(input: &Input, files: &[PathBuf]) -> Result<Format> {
    // The parts of a folder know better than its name.
    let named = || Format::of_input(&files[0].to_string_lossy()).or_else(|| Format::of_input(&input.path));
    if let Some(format) = input.format.or_else(named) {
        return Ok(format);
    }
    if stdin::is_copy(&files[0]) {
        return content::format(&files[0]);
    }
    Err(fault!(Input, "table.unknown-format", "the file name does not show the format")
        .file(&input.path)
        .help(
            "set input.format to \"csv\", \"parquet\", \"json\", \"arrow\", \"excel\", \"stata\", \"sas\" or \
             \"spss\" (--format)",
        )
        .into())
}

/// The keys of the first row of JSON, in its order; none where it is not an object.
fn first_keys(file: &Path) -> Result<Vec<String>> {
    let name = file.display().to_string();
    let opened = File::open(file).map_err(|e| unreadable(&name, &e))?;
    let reader = json_array::lines(opened).map_err(|e| unreadable(&name, &e))?;
    for line in reader.split(b'\n') {
        let line = line.map_err(|e| unreadable(&name, &e))?;
        if !line.trim_ascii().is_empty() {
            return Ok(serde_json::from_slice::<Keys>(&line).map_or(Vec::new(), |keys| keys.0));
        }
    }
    Ok(Vec::new())
}

/// The keys of an object, as it has them; the values are passed over.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Keys;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// The files that a path or pattern names, in path order.
pub(crate) fn find(pattern: &str, base: &Path) -> Result<Vec<PathBuf>> {
    if pattern == STANDARD {
        return Ok(vec![stdin::copy()?]);
    }
    let path = base.join(pattern);
    if path.is_file() {
        return Ok(vec![path]);
    }
    if path.is_dir() {
        return parts(pattern, &path);
    }
    if !pattern.contains(['*', '?', '[']) {
        return Err(fault!(System, "file.not-found", "there is no such file")
            .file(path.display().to_string())
            .help("check the path; paths in a policy are relative to the policy")
            .into());
    }
    // The policy's folder may have any name; only what the policy says is a pattern.
    let folder = glob::Pattern::escape(&base.to_string_lossy());
    let matches = glob::glob(&Path::new(&folder).join(pattern).to_string_lossy()).map_err(|e| {
        fault!(Input, "file.bad-pattern", "is not a pattern: {reason}", reason = e.msg).file(pattern)
    })?;
    let mut files = Vec::new();
    for found in matches {
        let found = found.map_err(|e| unreadable(&e.path().display().to_string(), e.error()))?;
        if found.is_file() {
            files.push(found);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(fault!(System, "file.no-match", "no file matches")
            .file(pattern)
            .help("patterns are relative to the policy")
            .into());
    }
    Ok(files)
}

/// The files of a folder of parts, as Spark writes it, in path order. Files that are hidden, empty or
/// begin with `_`, such as `_SUCCESS`, hold no rows.
fn parts(pattern: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |e: std::io::Error| unreadable(pattern, &e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(['.', '_']) {
            continue;
        }
        let about = entry.path().metadata().map_err(failed)?;
        if about.is_dir() {
            return Err(fault!(Input, "file.nested-folder", "holds the folder `{folder}`", folder = name)
                .file(pattern)
                .help(format!("name the files to read: \"{pattern}/*/*.parquet\""))
                .into());
        }
        if about.len() > 0 {
            files.push(entry.path());
        }
    }
    files.sort();
    let Some(first) = files.first() else {
        return Err(fault!(Input, "file.empty-folder", "is a folder without files that hold rows")
            .file(pattern)
            .help("name a file, or a folder of part files")
            .into());
    };
    let ending = |file: &Path| Format::of_input(&file.to_string_lossy());
    if let Some(other) = files.iter().find(|file| ending(file) != ending(first)) {
        let pattern_help = first.extension().map_or("*".into(), |end| format!("*.{}", end.to_string_lossy()));
        return Err(fault!(
            Input,
            "file.mixed-folder",
            "holds files of several formats, such as {first} and {other}",
            first = file_name(first),
            other = file_name(other)
        )
        .file(pattern)
        .help(format!("name the files to read: \"{pattern}/{pattern_help}\""))
        .into());
    }
    Ok(files)
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
