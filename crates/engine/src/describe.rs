//! Profiles a table in one pass, and detects the layout of a file.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use arrow::datatypes::DataType;
use throng::describe::{self, Ambiguous, Answers, ColumnDescription, Describer, Description, Kind};
use throng::error::Result;
use throng::policy::{Encoding, Format, Input};
use throng::watch::{Stage, Watch};

use crate::cells::{Cells, unfit};
use crate::error::unreadable;
use crate::header::title_rows;
use crate::source::{Source, find};
use crate::stdin::STANDARD;
use crate::{Engine, content, foreign, text};

/// How much of a file is looked at to find its layout.
const SAMPLE: u64 = 1 << 20;

/// A table as it was found, and how it is read.
#[derive(Debug, Clone)]
pub struct Inspected {
    /// How its files and cells are read, for a policy.
    pub input: Input,
    /// Its profile, with proposals.
    pub description: Description,
}

impl Engine {
    /// Profiles a table, and detects how its files and cells are written. A file that is not UTF-8
    /// after all is read again as Latin-1; a table with cells that are not written plainly is read
    /// again as they are meant.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn inspect(&self, mut input: Input, answers: &Answers, watch: &Watch) -> Result<Inspected> {
        let mut described = self.described(&input, answers, watch);
        if let Err(error) = &described
            && input.encoding == Encoding::Utf8
            && error.has_code("table.not-utf8")
        {
            input.encoding = Encoding::Latin1;
            described = self.described(&input, answers, watch);
        }
        let (mut source, mut description) = described?;
        let ambiguous: Vec<(String, Ambiguous)> = description
            .columns
            .iter()
            .filter_map(|column| Some((column.name.clone(), column.ambiguous?)))
            .collect();
        let readings = description.columns.iter();
        let readings = readings.filter_map(|column| Some((column.name.clone(), column.reading.clone()?)));
        let stated = input.cells.len();
        for (name, reading) in readings {
            input.cells.entry(name).or_insert(reading);
        }
        if input.cells.len() > stated {
            // Codes for missing values are not written like the other cells of their columns.
            let mut codes = std::mem::take(&mut description.missing_codes);
            let mut again = input.clone();
            again.null.extend(codes.iter().map(|code| code.code.clone()));
            (source, description) = self.described(&again, answers, watch)?;
            codes.append(&mut description.missing_codes);
            description.missing_codes = codes;
        }
        for column in &mut description.columns {
            column.reading = input.cells.get(&column.name).cloned();
            let open = ambiguous.iter().find(|(name, _)| *name == column.name).map(|(_, what)| *what);
            column.ambiguous = open;
        }
        description.detected = detected(&input, &source, &description);
        Ok(Inspected { input, description })
    }

    /// Opens a table of files whose cells are read as `input.cells` states; nothing else of the
    /// preparation is done.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_table(&self, input: &Input, base: &Path) -> Result<Source> {
        self.with_cells(Source::open(input, base)?, input)
    }

    fn described(&self, input: &Input, answers: &Answers, watch: &Watch) -> Result<(Source, Description)> {
        let source = self.open_table(input, Path::new(""))?;
        let description = self.describe_with(&source, &input.null, answers, watch)?;
        Ok((source, description))
    }

    /// The profile of a table, with proposals.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn describe(&self, source: &Source, nulls: &[String], watch: &Watch) -> Result<Description> {
        self.describe_with(source, nulls, &Answers::default(), watch)
    }

    fn describe_with(
        &self,
        source: &Source,
        nulls: &[String],
        answers: &Answers,
        watch: &Watch,
    ) -> Result<Description> {
        let schema = self.schema(source)?;
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let nested = |name: &str, kind: &DataType| unfit(name, kind).is_some();
        let plain = schema.fields().iter().filter(|field| !nested(field.name(), field.data_type()));
        let columns: Vec<String> = plain.map(|field| field.name().clone()).collect();
        let mut describer = Describer::new(columns.clone(), nulls);
        let mut rows = 0;
        self.scan(source, &columns, watch, |batch| {
            for (i, array) in batch.columns().iter().enumerate() {
                Cells::new(&columns[i], array)?.each(&mut |cell| describer.push(i, cell));
            }
            rows += batch.num_rows() as u64;
            watch.done(Stage::Reading, rows, None)
        })?;
        let mut description = describer.finish_with(answers);
        for (place, name) in names.iter().enumerate() {
            if !columns.contains(name) {
                description.columns.insert(place, ColumnDescription::nested(name.clone()));
            }
        }
        describe::propose(&mut description, &hierarchy_files(source, &columns));
        Ok(description)
    }
}

/// What was found out about files and cells, a sentence each.
fn detected(input: &Input, source: &Source, description: &Description) -> Vec<String> {
    let mut found = Vec::new();
    if input.path == STANDARD {
        found.push(format!("standard input holds {}", source.format.name()));
    }
    if source.files.len() > 1 {
        found.push(format!("{} files are read as one table", source.files.len()));
    }
    if source.format == Format::Csv && input.delimiter != ',' {
        found.push(format!("cells are divided by {:?}", input.delimiter));
    }
    match input.encoding {
        Encoding::Utf8 => {}
        Encoding::Latin1 => found.push("the text is windows-1252 (latin-1)".into()),
        Encoding::Utf16 => found.push("the text is UTF-16".into()),
    }
    if let Some(sheet) = &input.sheet {
        found.push(format!("the sheet `{sheet}` is read"));
    }
    match input.skip {
        0 => {}
        1 => found.push("1 line above the header is skipped".into()),
        lines => found.push(format!("{lines} lines above the header are skipped")),
    }
    found.extend(source.notices.iter().cloned());
    for (name, reading) in &input.cells {
        found.push(format!("cells of `{name}` are {}", reading.describe()));
    }
    for column in &description.columns {
        if let Some(ambiguous) = column.ambiguous {
            found.push(format!("`{}`: {}; {}", column.name, ambiguous.reason(), ambiguous.help()));
        }
        if column.kind == Kind::Nested {
            found.push(format!("`{}` holds lists or records and is left out", column.name));
        }
    }
    found
}

/// Hierarchy files beside the table, with the column that each belongs to.
fn hierarchy_files(source: &Source, columns: &[String]) -> Vec<(String, String)> {
    let Some(first) = source.files.first().filter(|_| source.name != STANDARD) else { return Vec::new() };
    let stem = Format::stem(&first.to_string_lossy()).to_owned();
    let folder = first.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let column = describe::hierarchy_file(&stem, &name, columns)?;
            Some((column, path.display().to_string()))
        })
        .collect()
}

/// The layout of a table, as detected from its beginning. Of several files the first is looked at.
///
/// # Errors
/// When it cannot be read.
pub fn sniff(path: &str) -> Result<Input> {
    sniff_as(path, None)
}

/// As [`sniff`], of a format that may be stated.
///
/// # Errors
/// As [`sniff`].
pub fn sniff_as(path: &str, format: Option<Format>) -> Result<Input> {
    let mut input = Input { format, ..Input::of(path) };
    // What is not there is reported when it is opened.
    let file = match find(path, Path::new("")) {
        Ok(files) => files.into_iter().next(),
        Err(_) if path != STANDARD => None,
        Err(error) => return Err(error),
    };
    let Some(file) = file else { return Ok(input) };
    if path == STANDARD && format.is_none() {
        input.format = Some(content::format(&file)?);
    }
    let named = || Format::of_input(&file.to_string_lossy()).or_else(|| Format::of_input(path));
    match input.format.or_else(named) {
        Some(Format::Csv) => sniff_text(&mut input, &file)?,
        Some(Format::Excel) => {
            let (sheet, skip) = foreign::detect_sheet(&file)?;
            (input.sheet, input.skip) = (Some(sheet), skip);
        }
        _ => {}
    }
    Ok(input)
}

fn sniff_text(input: &mut Input, file: &Path) -> Result<()> {
    let failed = |e: std::io::Error| unreadable(&file.display().to_string(), &e);
    let opened = std::fs::File::open(file).map_err(failed)?;
    let (head, utf16) = text::sample(opened, SAMPLE).map_err(failed)?;
    if utf16 {
        input.encoding = Encoding::Utf16;
    } else if std::str::from_utf8(&head).is_err_and(|e| e.error_len().is_some()) {
        // A character cut in two by the end of the sample does not indicate Latin-1.
        input.encoding = Encoding::Latin1;
    }
    (input.delimiter, input.skip) = layout(&head);
    Ok(())
}

/// Records that are looked at to find the layout.
const RECORDS: usize = 50;

/// The delimiter, and the lines above the header. First choice is the delimiter that divides all
/// lines into the same number of cells, most cells first; then the one that does so below lines
/// with few cells, which are a title; then the one that does so in nearly all lines.
fn layout(head: &[u8]) -> (char, usize) {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let candidates = [b',', b';', b'\t', b'|'].map(|delimiter| (delimiter, Widths::new(head, delimiter)));
    let best = |fits: &dyn Fn(&Widths) -> bool| {
        let fitting = candidates.iter().filter(|(_, widths)| widths.usual > 1 && fits(widths));
        // Decimal commas divide rows and not the header, which then looks like one more title.
        // Of equals the last is taken, and the first is to win.
        fitting.rev().max_by_key(|(_, widths)| (Reverse(widths.titles), widths.usual))
    };
    let even = |widths: &Widths| widths.even && widths.titles == 0;
    let titled = |widths: &Widths| widths.even;
    let nearly = |widths: &Widths| widths.nearly;
    let chosen = best(&even).or_else(|| best(&titled)).or_else(|| best(&nearly));
    chosen.map_or((',', 0), |(delimiter, widths)| (char::from(*delimiter), widths.skip))
}

/// How a delimiter divides the first lines of a text.
struct Widths {
    /// Cells of most records.
    usual: usize,
    /// Records above the header, and their lines.
    titles: usize,
    skip: usize,
    /// Whether all records below them, or nearly all, have as many cells.
    even: bool,
    nearly: bool,
}

impl Widths {
    fn new(head: &[u8], delimiter: u8) -> Self {
        let mut records = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(head);
        let mut record = csv::ByteRecord::new();
        let (mut widths, mut starts) = (Vec::new(), Vec::new());
        while widths.len() < RECORDS && records.read_byte_record(&mut record).unwrap_or(false) {
            widths.push(record.len());
            starts.push(record.position().map_or(0, csv::Position::byte) as usize);
        }
        // The last record may be cut off by the end of the sample.
        if head.len() as u64 >= SAMPLE && widths.len() > 2 && widths.len() < RECORDS {
            widths.pop();
        }
        let titles = title_rows(&widths);
        let below = &widths[titles..];
        let usual = below.first().copied().unwrap_or(0);
        let same = below.iter().filter(|width| **width == usual).count();
        // The position of a record is before blank lines.
        let start = starts.get(titles).copied().unwrap_or(0).min(head.len());
        let blank = head[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let skip = if titles == 0 { 0 } else { text::lines(&head[..start + blank]) };
        Widths { usual, titles, skip, even: same == below.len(), nearly: 5 * same >= 4 * below.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::layout;

    fn delimiter(head: &[u8]) -> char {
        layout(head).0
    }

    #[test]
    fn lines_with_few_cells_above_the_header_are_a_title() {
        assert_eq!(layout(b"Report\n\nof 2020\na,b,c\n1,2,3\n4,5,6\n"), (',', 3));
        assert_eq!(layout(b"# made by x\r\na;b;c\r\n1,5;2,5;1\r\n2,5;3,5;2\r\n"), (';', 1));
        assert_eq!(layout(b"Report\n\n\na,b,c\n1,2,3\n4,5,6\n"), (',', 3));
        assert_eq!(layout(b"a;b\n1,5;2,5\n2,5;3,5\n"), (';', 0));
        assert_eq!(layout(b"a,b,c\n1,2,3,\n4,5,6,\n"), (',', 0));
        assert_eq!(layout(b"a;b;c\n1;2;3\n4;5\n1;2;3\n1;2;3\n1;2;3\n1;2;3\n"), (';', 0));
    }

    #[test]
    fn the_delimiter_is_the_one_that_divides_evenly() {
        assert_eq!(delimiter(b"a;b;c\n1;2,5;3\n4;5,5;6\n"), ';');
        assert_eq!(delimiter(b"a,b\n\"x;y\",2\n"), ',');
        assert_eq!(delimiter(b"a\tb\n1\t2\n"), '\t');
        assert_eq!(delimiter(b"only\n1\n"), ',');
        assert_eq!(delimiter(b""), ',');
    }
}
