//! Writes the policy that a description proposes: formatted TOML with one reason per column.
//!
//! The text is parsed again before it is returned, so the written policy is valid.

use std::fmt::Write;

use super::{ColumnDescription, Description};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::{End, File, Intervals, Spec};
use crate::policy::{Encoding, Format, Input, Missing, Policy, Role};

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
    let mut text = String::from(
        "# Proposed by `throng inspect`. Roles decide what is protected: read the reason of each.\n",
    );
    text += "version = 1\n\n";
    write_input(&mut text, input);
    let ending = match input.format.or_else(|| Format::of_input(&input.path)) {
        None | Some(Format::Csv) => "csv",
        Some(Format::Parquet) => "parquet",
        Some(Format::Json) => "json",
        Some(Format::Arrow) => "arrow",
    };
    text += "\n[output]\n";
    for (key, end) in [
        ("path", format!("release.{ending}")),
        ("report", "report.html".into()),
        ("certificate", "certificate.json".into()),
    ] {
        line(&mut text, key, &quoted(&format!("{out_stem}-{end}")));
    }
    for column in &description.columns {
        write_column(&mut text, column);
    }
    text += "\n[privacy]\n";
    line(&mut text, "k", &k.to_string());
    line(&mut text, "suppression", &suppression.to_string());
    text += SEARCH;
    Policy::parse(&text)?;
    Ok(text)
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

fn write_input(text: &mut String, input: &Input) {
    *text += "[input]\n";
    line(text, "path", &quoted(&input.path));
    if let Some(format) = input.format {
        let name = match format {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
            Format::Json => "json",
            Format::Arrow => "arrow",
        };
        line(text, "format", &quoted(name));
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
    let nulls: Vec<String> = input.null.iter().map(|n| quoted(n)).collect();
    line(text, "null", &format!("[{}]", nulls.join(", ")));
    let missing = match input.missing {
        Missing::Value => "value",
        Missing::Wildcard => "wildcard",
        Missing::Suppress => "suppress",
    };
    line(text, "missing", &quoted(missing));
}

fn write_column(text: &mut String, column: &ColumnDescription) {
    *text += "\n";
    comment(text, &column.reason);
    *text += &format!("[columns.{}]\n", key(&column.name));
    line(text, "role", &quoted(column.role.name()));
    if let Some(spec) = column.hierarchy.as_ref().filter(|_| column.role == Role::Quasi) {
        if let Some(reason) = &column.hierarchy_reason {
            comment(text, reason);
        }
        line(text, "hierarchy", &hierarchy(spec));
    }
}

fn line(text: &mut String, key: &str, value: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{key} = {value}");
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
            format!("{{ date = {{ levels = {levels}, format = {}{nested} }} }}", quoted(&spec.format))
        }
        Spec::Priority(spec) => {
            let keep = list(&spec.keep, usize::to_string);
            format!("{{ priority = {{ keep = {keep}, other = {} }} }}", quoted(&spec.other))
        }
        Spec::Postal(spec) => format!("{{ postal = {{ keep = {} }} }}", list(&spec.keep, usize::to_string)),
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
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.into() } else { quoted(name) }
}

/// A text between quotes, with what TOML does not take as it is written as escapes.
fn quoted(text: &str) -> String {
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
            ("age", &["34", "45", "46"]),
            ("it's sex", &["m", "f"]),
        ]);
        let text = policy(&table, &input("patients.csv"), 5, 0.05, "patients").unwrap();
        let expected = r#"# Proposed by `throng inspect`. Roles decide what is protected: read the reason of each.
version = 1

[input]
path = "patients.csv"
delimiter = ","
null = [""]
missing = "value"

[output]
path = "patients-release.csv"
report = "patients-report.html"
certificate = "patients-certificate.json"

# 100 % of the values look like social security numbers, a HIPAA identifier
[columns.ssn]
role = "identifier"

# the name suggests an age, which others may know
[columns.age]
role = "quasi"
# ages: intervals of years
hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }

# the name suggests sex or gender, which others may know
[columns."it's sex"]
role = "quasi"
# at most two values: keep or suppress, no levels in between
hierarchy = "suppress"

[privacy]
k = 5
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
