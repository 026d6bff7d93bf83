//! A table somewhere: which files, in which format, with which columns.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use throng::error::{Fault, Result};
use throng::policy::{Encoding, Format, Input, Policy};

use crate::error::unreadable;
use crate::latin1::Transcoder;

/// How delimited text is laid out.
#[derive(Debug, Clone, Copy)]
pub struct Delimited {
    /// Between cells.
    pub delimiter: u8,
    /// Around cells.
    pub quote: u8,
    /// Of the text.
    pub encoding: Encoding,
}

/// A table in one or more files.
#[derive(Debug, Clone)]
pub struct Source {
    /// As the user named it.
    pub name: String,
    /// The files, in path order.
    pub files: Vec<PathBuf>,
    /// Their format.
    pub format: Format,
    /// How they are laid out, if they are text.
    pub layout: Delimited,
    /// Whether an empty cell of delimited text is missing; otherwise it is the empty text.
    pub empty_is_missing: bool,
    /// Column names of delimited text, from the first line.
    pub(crate) header: Vec<String>,
}

impl Source {
    /// Finds the files of a policy's input; paths are relative to `base`.
    ///
    /// # Errors
    /// No such file, an unknown format, files with different columns.
    pub fn open(input: &Input, base: &Path) -> Result<Self> {
        let files = find(&input.path, base)?;
        let format = match input.format.or_else(|| Format::of_path(&input.path)) {
            Some(format) => format,
            None => Format::of_path(&files[0].to_string_lossy()).ok_or_else(|| {
                Fault::input("the file name does not tell the format")
                    .file(&input.path)
                    .help("set input.format to \"csv\", \"parquet\", \"json\" or \"arrow\"")
            })?,
        };
        let layout = Delimited {
            delimiter: input.delimiter as u8,
            quote: input.quote as u8,
            encoding: input.encoding,
        };
        let empty_is_missing = input.null.iter().any(String::is_empty);
        let mut source =
            Source { name: input.path.clone(), files, format, layout, empty_is_missing, header: Vec::new() };
        if format == Format::Csv {
            source.header = source.headers()?;
        }
        Ok(source)
    }

    /// A release that this policy's input became.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn release(path: &Path, policy: &Policy) -> Result<Self> {
        let input = Input {
            path: path.display().to_string(),
            format: Format::of_path(&path.to_string_lossy()),
            delimiter: policy.output.delimiter.unwrap_or(policy.input.delimiter),
            quote: '"',
            encoding: Encoding::Utf8,
            ..policy.input.clone()
        };
        Source::open(&input, Path::new(""))
    }

    /// Text of a delimited file as UTF-8.
    pub(crate) fn text(&self, file: &Path) -> Result<Box<dyn Read + Send>> {
        let opened = File::open(file).map_err(|e| unreadable(&file.display().to_string(), &e))?;
        Ok(match self.layout.encoding {
            Encoding::Utf8 => Box::new(opened),
            Encoding::Latin1 => Box::new(Transcoder::new(opened)),
        })
    }

    /// The column names, the same in every file.
    fn headers(&self) -> Result<Vec<String>> {
        let first = self.header_of(&self.files[0])?;
        for file in &self.files[1..] {
            let other = self.header_of(file)?;
            if other != first {
                return Err(Fault::data(format!(
                    "its columns are not those of {}: {} against {}",
                    self.files[0].display(),
                    other.join(", "),
                    first.join(", ")
                ))
                .file(file.display().to_string())
                .line(1)
                .help("files that are read together need the same header line")
                .into());
            }
        }
        Ok(first)
    }

    fn header_of(&self, file: &Path) -> Result<Vec<String>> {
        let name = file.display().to_string();
        let mut reader = BufReader::new(self.text(file)?);
        let head = reader.fill_buf().map_err(|e| unreadable(&name, &e))?;
        if head.is_empty() {
            return Err(Fault::data("the file is empty")
                .file(name)
                .help("the first line names the columns")
                .into());
        }
        if head.starts_with(b"\xEF\xBB\xBF") {
            reader.consume(3);
        }
        let mut records = csv::ReaderBuilder::new()
            .delimiter(self.layout.delimiter)
            .quote(self.layout.quote)
            .has_headers(false)
            .flexible(true)
            .from_reader(reader);
        let mut record = csv::ByteRecord::new();
        records.read_byte_record(&mut record).map_err(|e| Fault::data(e.to_string()).file(&name))?;
        let columns: Vec<String> = record.iter().map(|c| String::from_utf8_lossy(c).into_owned()).collect();
        check_header(&columns, &name)?;
        Ok(columns)
    }
}

fn check_header(columns: &[String], file: &str) -> Result<()> {
    let mut faults = Vec::new();
    for (i, column) in columns.iter().enumerate() {
        let fault = if column.is_empty() {
            Fault::data(format!("column {} has no name", i + 1)).help("name every column in the first line")
        } else if columns[..i].contains(column) {
            Fault::data(format!("two columns are called `{column}`"))
                .help("give every column a name of its own")
        } else {
            continue;
        };
        faults.push(fault.file(file).line(1));
    }
    throng::error::Error::check(faults)
}

/// The files that a path or pattern names, in path order.
fn find(pattern: &str, base: &Path) -> Result<Vec<PathBuf>> {
    let path = base.join(pattern);
    if path.is_file() {
        return Ok(vec![path]);
    }
    if path.is_dir() {
        return Err(Fault::input("is a folder")
            .file(pattern)
            .help(format!("name its files: \"{pattern}/*.csv\""))
            .into());
    }
    if !pattern.contains(['*', '?', '[']) {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        return Err(unreadable(&path.display().to_string(), &missing));
    }
    let matches = glob::glob(&path.to_string_lossy())
        .map_err(|e| Fault::input(format!("is not a pattern: {}", e.msg)).file(pattern))?;
    let mut files: Vec<PathBuf> =
        matches.filter_map(std::result::Result::ok).filter(|p| p.is_file()).collect();
    files.sort();
    if files.is_empty() {
        return Err(Fault::system("no file matches")
            .file(pattern)
            .help("patterns are relative to the policy")
            .into());
    }
    Ok(files)
}
