//! Writes the policy that a description proposes: formatted TOML with the summary and the questions
//! on top and one reason per column.
//!
//! The text is parsed again before it is returned, so the written policy is valid.

use std::fmt::Write;

use super::questions::grouped;
use super::show::lines;
use super::{ColumnDescription, Description, MissingCode};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::{End, File, Intervals, Spec};
use crate::policy::{Encoding, Format, Input, Missing, Policy, Role};
use crate::reading::Reading;

/// The section on the search.
const SEARCH: &str = "\n[search]\n\
    # local recoding by the method that loses least; \"auto\" chooses one level per column\n\
    algorithm = \"best\"\n\
    # the share of a column's values that a cell leaves open, averaged over cells\n\
    loss = \"lm\"\n";

/// The text of a policy with the proposed roles and hierarchies, columns in table order. The
/// release goes to `<out_stem>-release` with the ending of the input's format, report and
/// certificate beside it.
///
/// # Errors
/// Two columns of one name, no column that could be quasi-identifying, or figures that no policy
/// takes.
pub fn policy(
    description: &Description,
    input: &Input,
    k: u64,
    suppression: f64,
    out_stem: &str,
) -> Result<String> {
    Error::check(faults(description))?;
    let mut text = String::new();
    write_head(&mut text, description);
    for found in &description.detected {
        comment(&mut text, &format!("Detected: {found}"));
    }
    text += "version = 1\n\n";
    write_input(&mut text, description, input);
    let ending = match input.format.or_else(|| Format::of_input(&input.path)) {
        Some(Format::Parquet) => "parquet",
        Some(Format::Json) => "json",
        Some(Format::Arrow) => "arrow",
        // The other formats are only read.
        _ => "csv",
    };
    text += "\n[output]\n";
    for (key, end) in [
        ("path", format!("release.{ending}")),
        ("report", "report.html".into()),
        ("certificate", "certificate.json".into()),
    ] {
        line(&mut text, key, &quoted(&format!("{out_stem}-{end}")));
    }
    text += KEYS;
    for column in &description.columns {
        write_column(&mut text, column);
    }
    text += "\n[privacy]\n";
    let subjects = description.columns.iter().any(|column| column.role == Role::Subject);
    let (shared, counted) = if subjects { ("is shared by", "people") } else { ("occurs in", "rows") };
    comment(
        &mut text,
        &format!("Every released combination of quasi-identifiers {shared} at least k {counted}."),
    );
    line(&mut text, "k", &k.to_string());
    comment(&mut text, &format!("At most this share of the {counted} may be left out."));
    line(&mut text, "suppression", &suppression.to_string());
    text += SEARCH;
    Policy::parse(&text)?;
    Ok(text)
}

/// What else a quasi-identifier can have.
const KEYS: &str = "
# Further keys of a quasi-identifier:
#   max_level = 2     the highest level of its hierarchy that you accept
#   weight = 2.0      its loss counts twice
#   form = \"set\"      how cells look if rows are recoded by regions: label, interval, set or range
# A commented-out hierarchy serves searches by level; without it their cells are kept or suppressed.
";

/// The summary, and the questions with the lines to change.
fn write_head(text: &mut String, description: &Description) {
    comment(text, "Proposed by `throng inspect`. Roles decide what is protected: read the reason of each.");
    comment(text, &format!("{}.", description.summary_line()));
    if !description.questions.is_empty() {
        *text += "#\n# Questions to answer:\n";
    }
    for (i, question) in description.questions.iter().enumerate() {
        prose(text, &format!("{}. ", i + 1), &question.question);
        comment(text, &format!("   Change: {}", question.change));
    }
    *text += "\n";
}

fn faults(description: &Description) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut names: Vec<&str> = description.columns.iter().map(|c| c.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
        let fault = fault!(
            Data,
            "inspect.duplicate-column",
            "{columns} columns are called `{name}`",
            columns = pair.len(),
            name = pair[0].escape_debug()
        );
        faults.push(fault.column(pair[0]).help("give every column a name of its own"));
    }
    for column in &description.columns {
        let Some(ambiguous) = column.ambiguous else { continue };
        let fault = fault!(Data, "inspect.ambiguous-cells", "{reason}", reason = ambiguous.reason());
        faults.push(fault.column(&column.name).help(ambiguous.help()));
    }
    if !description.columns.iter().any(|c| c.role == Role::Quasi) {
        let fault = if description.columns.is_empty() {
            fault!(Data, "inspect.no-columns", "the table has no columns")
        } else {
            fault!(
                Data,
                "inspect.nothing-to-release",
                "every column names people, is free text or is empty: nothing is left to release"
            )
        };
        faults.push(fault.help("write the policy by hand and give at least one column role = \"quasi\""));
    }
    faults
}

fn write_input(text: &mut String, description: &Description, input: &Input) {
    *text += "[input]\n";
    line(text, "path", &quoted(&input.path));
    if let Some(format) = input.format {
        line(text, "format", &quoted(format.name()));
    }
    if let Some(sheet) = &input.sheet {
        line(text, "sheet", &quoted(sheet));
    }
    if input.skip > 0 {
        line(text, "skip", &input.skip.to_string());
    }
    if !input.labels {
        line(text, "labels", "false");
    }
    let csv = matches!(input.format.or_else(|| Format::of_input(&input.path)), None | Some(Format::Csv));
    if csv || input.delimiter != ',' {
        line(text, "delimiter", &quoted(&input.delimiter.to_string()));
    }
    if input.quote != '"' {
        line(text, "quote", &quoted(&input.quote.to_string()));
    }
    match input.encoding {
        Encoding::Utf8 => {}
        Encoding::Latin1 => line(text, "encoding", "\"latin-1\""),
        Encoding::Utf16 => line(text, "encoding", "\"utf-16\""),
    }
    if let Some(header) = input.header {
        line(text, "header", &quoted(header.name()));
    }
    for code in &description.missing_codes {
        comment(text, &missing(code));
    }
    let proposed = description.missing_codes.iter().map(|code| &code.code);
    let proposed = proposed.filter(|code| !input.null.contains(code));
    let nulls: Vec<String> = input.null.iter().chain(proposed).map(|n| quoted(n)).collect();
    line(text, "null", &format!("[{}]", nulls.join(", ")));
    let missing = match input.missing {
        Missing::Value => "value",
        Missing::Wildcard => "wildcard",
        Missing::Suppress => "suppress",
    };
    line(text, "missing", &quoted(missing));
    if !input.cells.is_empty() {
        *text += "\n# how cells are written that are not plain\n[input.cells]\n";
    }
    for (name, reading) in &input.cells {
        line(text, &key(name), &cells(reading));
    }
}

/// How cells are written, as an inline value.
fn cells(reading: &Reading) -> String {
    let number = reading.number.as_ref().map(|style| {
        let mut parts = vec![format!("decimal = {}", quoted(&style.decimal.to_string()))];
        parts.extend(style.thousands.map(|c| format!("thousands = {}", quoted(&c.to_string()))));
        parts.extend(style.unit.as_ref().map(|unit| format!("unit = {}", quoted(unit))));
        format!("number = {{ {} }}", parts.join(", "))
    });
    let date = reading.date.as_ref().map(|style| {
        let years = style.from_year.map(|year| format!(", from_year = {year}")).unwrap_or_default();
        format!("date = {{ format = {}{years} }}", quoted(&style.format))
    });
    let time = reading.time.as_ref().map(|format| format!("time = {}", quoted(format)));
    format!("{{ {} }}", number.or(date).or(time).unwrap_or_default())
}

fn write_column(text: &mut String, column: &ColumnDescription) {
    *text += "\n";
    prose(text, "", &column.reason);
    *text += &format!("[columns.{}]\n", key(&column.name));
    line(text, "role", &quoted(column.role.name()));
    if column.role == Role::Text {
        // Texts are released where the holder decides so.
        comment(text, "Releases the texts without what identifies people:");
        comment(text, "transform = { scrub = {} }");
    }
    if column.role != Role::Quasi {
        return;
    }
    if let Some(reason) = &column.hierarchy_reason {
        comment(text, reason);
    }
    match (&column.hierarchy, &column.offered_hierarchy) {
        (Some(spec), _) => line(text, "hierarchy", &hierarchy(spec)),
        (None, Some(spec)) => comment(text, &format!("hierarchy = {}", hierarchy(spec))),
        (None, None) => {}
    }
}

/// A proposed code in a sentence.
pub(super) fn missing(code: &MissingCode) -> String {
    let cells = if code.cells == 1 { "cell" } else { "cells" };
    let columns = match &code.columns[..] {
        [one] => format!("`{one}`"),
        several => format!("{} columns", several.len()),
    };
    format!(
        "`{}` is read as missing in {columns} ({} {cells}): {}.",
        code.code,
        grouped(code.cells),
        code.reason
    )
}

fn line(text: &mut String, key: &str, value: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{key} = {value}");
}

/// The greatest width of a comment in words.
const LINE: usize = 100;

/// A comment of several lines; the first begins with `first`, the others with as many spaces.
fn prose(text: &mut String, first: &str, words: &str) {
    let indent = " ".repeat(first.len());
    for (i, line) in lines(words, LINE - 2 - first.len()).iter().enumerate() {
        comment(text, &format!("{}{line}", if i == 0 { first } else { &indent }));
    }
}

/// A comment is one line, whatever the reason quotes.
fn comment(text: &mut String, reason: &str) {
    let plain: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let _ = writeln!(text, "# {plain}");
}

/// A hierarchy as an inline value.
fn hierarchy(spec: &Spec) -> String {
    match spec {
        // Nothing proposes a poset.
        Spec::Suppress | Spec::Poset(_) => "\"suppress\"".into(),
        Spec::Icd9 => "\"icd9\"".into(),
        Spec::Icd10 => "\"icd10\"".into(),
        Spec::File(File::Path(path)) => format!("{{ file = {} }}", quoted(path)),
        Spec::File(File::Delimited { path, delimiter }) => {
            let delimiter = quoted(&delimiter.to_string());
            format!("{{ file = {{ path = {}, delimiter = {delimiter} }} }}", quoted(path))
        }
        Spec::Intervals(spec) => intervals(spec),
        Spec::Order(spec) if spec.values.is_empty() => {
            format!("{{ order = {{ fanout = {} }} }}", list(&spec.fanout, usize::to_string))
        }
        Spec::Order(spec) => {
            let values = list(&spec.values, |v| quoted(v));
            let fanout = match spec.fanout.is_empty() {
                true => String::new(),
                false => format!("fanout = {}, ", list(&spec.fanout, usize::to_string)),
            };
            format!("{{ order = {{ {fanout}values = {values} }} }}")
        }
        Spec::Mask(spec) => {
            let from = if spec.from == End::Left { "left" } else { "right" };
            let char = quoted(&spec.char.to_string());
            format!("{{ mask = {{ from = \"{from}\", char = {char}, step = {} }} }}", spec.step)
        }
        Spec::Date(spec) => {
            let levels = list(&spec.levels, |l| quoted(l));
            let nested = if spec.nested { "" } else { ", nested = false" };
            let low = spec.low.map_or(String::new(), |low| format!(", low = {low}"));
            format!("{{ date = {{ levels = {levels}, format = {}{low}{nested} }} }}", quoted(&spec.format))
        }
        Spec::Priority(spec) => {
            let keep = list(&spec.keep, usize::to_string);
            format!("{{ priority = {{ keep = {keep}, other = {} }} }}", quoted(&spec.other))
        }
        Spec::Postal(spec) => format!("{{ postal = {{ keep = {} }} }}", list(&spec.keep, usize::to_string)),
        Spec::Zip3(spec) => {
            format!("{{ zip3 = {{ restricted = {} }} }}", list(&spec.restricted, |p| quoted(p)))
        }
    }
}

fn intervals(spec: &Intervals) -> String {
    let numbers = |numbers: &Vec<f64>| list(numbers, |x| number(*x));
    let mut parts = Vec::new();
    if !spec.widths.is_empty() {
        parts.push(format!("widths = {}", numbers(&spec.widths)));
    }
    if !spec.bounds.is_empty() {
        parts.push(format!("bounds = {}", list(&spec.bounds, numbers)));
    }
    parts.extend(spec.low.map(|low| format!("low = {}", number(low))));
    parts.extend(spec.high.map(|high| format!("high = {}", number(high))));
    parts.extend((!spec.nested).then(|| "nested = false".into()));
    format!("{{ intervals = {{ {} }} }}", parts.join(", "))
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(", "))
}

/// A number as people write it: whole ones without a point.
fn number(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 1e15 { format!("{}", x as i64) } else { format!("{x:?}") }
}

/// A name as a key: bare where TOML allows it.
pub(crate) fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.into() } else { quoted(name) }
}

/// A text between quotes, with what TOML does not take as it is written as escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::super::Describer;
    use super::*;

    fn input(path: &str) -> Input {
        Policy::parse(&format!(
            "version = 1\n[input]\npath = {}\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 2\n",
            quoted(path)
        ))
        .unwrap()
        .input
    }

    fn description(columns: &[(&str, &[&str])]) -> Description {
        let mut describer = Describer::new(columns.iter().map(|c| c.0.to_owned()).collect(), &[]);
        for (i, (_, values)) in columns.iter().enumerate() {
            values.iter().for_each(|v| describer.push(i, Some(v)));
        }
        describer.finish()
    }

    #[test]
    fn the_text_for_a_small_table() {
        let table = description(&[
            ("ssn", &["078-05-1120", "219-09-9999"]),
            ("age", &["34", "45", "46", "21", "22", "23", "24", "25", "26", "NA"]),
            ("it's sex", &["m", "f"]),
            ("c", &["red", "green", "blue"]),
        ]);
        let text = policy(&table, &input("patients.csv"), 5, 0.05, "patients").unwrap();
        let expected = r#"# Proposed by `throng inspect`. Roles decide what is protected: read the reason of each.
# 4 columns: 3 quasi-identifiers, 1 identifier (removed).
#
# Questions to answer:
# 1. Could an outsider know `c`? The name gives no clue. It is treated as a quasi-identifier to be
#    safe, which makes all other columns coarser.
#    Change: role = "sensitive" or "keep" for what outsiders cannot know

version = 1

[input]
path = "patients.csv"
delimiter = ","
# `NA` is read as missing in `age` (1 cell): this text usually means missing.
null = ["", "NA"]
missing = "value"

[output]
path = "patients-release.csv"
report = "patients-report.html"
certificate = "patients-certificate.json"

# Further keys of a quasi-identifier:
#   max_level = 2     the highest level of its hierarchy that you accept
#   weight = 2.0      its loss counts twice
#   form = "set"      how cells look if rows are recoded by regions: label, interval, set or range
# A commented-out hierarchy serves searches by level; without it their cells are kept or suppressed.

# 100 % of the values look like social security numbers, a HIPAA identifier.
[columns.ssn]
role = "identifier"

# The column name suggests an age, which outsiders may know.
[columns.age]
role = "quasi"
# Numbers: cells become intervals.
# hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }

# The column name suggests sex or gender, which outsiders may know.
[columns."it's sex"]
role = "quasi"
# At most two values: keep or suppress, no levels in between.
hierarchy = "suppress"

# Categories. The name gives no clue. Treated as a quasi-identifier to be safe; change it to
# sensitive or keep if outsiders cannot know it.
[columns.c]
role = "quasi"
# Categories: cells become sets of few values.

[privacy]
# Every released combination of quasi-identifiers occurs in at least k rows.
k = 5
# At most this share of the rows may be left out.
suppression = 0.05

[search]
# local recoding by the method that loses least; "auto" chooses one level per column
algorithm = "best"
# the share of a column's values that a cell leaves open, averaged over cells
loss = "lm"
"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn every_hierarchy_reads_back() {
        let specs = [
            r#"{ file = "a \"b\".csv" }"#,
            r#"{ file = { path = "a.csv", delimiter = "\t" } }"#,
            "{ intervals = { widths = [0.1, 1e-7, 5], low = -2 } }",
            "{ intervals = { bounds = [[0, 1.5, 1e300], [0]] } }",
            "{ intervals = { widths = [2, 5], nested = false } }",
            r#"{ date = { levels = ["week", "month"], format = "%Y-%m-%d", nested = false } }"#,
            "{ order = { fanout = [2, 3] } }",
            r#"{ order = { fanout = [2], values = ["x", "y\u0000"] } }"#,
            r#"{ order = { values = ["x", "y"] } }"#,
            r##"{ mask = { from = "left", char = "#", step = 2 } }"##,
            r#"{ date = { levels = ["day"], format = "%d.%m.%Y" } }"#,
            r#"{ priority = { keep = [4, 2], other = "rest" } }"#,
            "{ postal = { keep = [3, 1] } }",
            r#"{ zip3 = { restricted = ["036", "059"] } }"#,
            r#"{ date = { levels = ["year"], format = "%Y-%m-%d", low = 1937 } }"#,
            "\"icd9\"",
            "\"icd10\"",
            "\"suppress\"",
        ];
        #[derive(serde::Deserialize)]
        struct Holder {
            h: Spec,
        }
        let read = |text: &str| toml::from_str::<Holder>(&format!("h = {text}")).unwrap().h;
        for text in specs {
            let spec = read(text);
            assert_eq!(read(&hierarchy(&spec)), spec, "{text}");
        }
    }

    #[test]
    fn outputs_follow_the_format_of_the_input() {
        let table = description(&[("age", &["34"])]);
        for (path, ending) in [
            ("a.tsv", "csv"),
            ("a.pq", "parquet"),
            ("a.ndjson", "json"),
            ("a.feather", "arrow"),
            ("a", "csv"),
        ] {
            let text = policy(&table, &input(path), 2, 0.0, "out/a").unwrap();
            assert!(text.contains(&format!("path = \"out/a-release.{ending}\"")), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_a_policy_is_a_fault() {
        let input = input("a.csv");
        let twice =
            policy(&description(&[("age", &["1"]), ("age", &["2"])]), &input, 2, 0.0, "a").unwrap_err();
        assert!(twice.to_string().contains("2 columns are called `age`"), "{twice}");
        let nothing =
            policy(&description(&[("ssn", &["1"]), ("note", &[])]), &input, 2, 0.0, "a").unwrap_err();
        assert!(nothing.to_string().contains("nothing is left to release"), "{nothing}");
        let none = policy(&description(&[]), &input, 2, 0.0, "a").unwrap_err();
        assert!(none.to_string().contains("no columns"), "{none}");
        let age = description(&[("age", &["1"])]);
        assert!(policy(&age, &input, 0, 0.0, "a").is_err());
        assert!(policy(&age, &input, 2, f64::NAN, "a").is_err());
        assert!(policy(&age, &input, 2, 1.5, "a").is_err());
    }
}
