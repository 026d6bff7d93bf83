//! A virtual attack database [Katirai 2006, "Threat model"]: the tables that an adversary has, how
//! they can be joined, and what can be inferred from them, declared once in a TOML file.
//!
//! The database is one table: the rows of the first table, with the columns that joins and
//! inferences add. A join adds what all rows of the joined table with the same key agree on; where
//! they differ, the value is unknown. Costs a hash of the key per row and join.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use throng_statistics::cells::value;
use throng_terms::error::{Error, Result, nearest};
use throng_terms::fault;
use throng_terms::table::Code;

use crate::table::{Coded, Column};

/// The declaration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttackDatabase {
    /// The version of the format: 1.
    pub version: u32,
    /// The table whose rows are people.
    pub people: String,
    /// Name → table.
    pub tables: BTreeMap<String, TableSpec>,
    /// Joins, in order.
    #[serde(default)]
    pub joins: Vec<Join>,
    /// Inferences, in order, after the joins.
    #[serde(default)]
    pub inferences: Vec<Inference>,
    /// Sensitive values that people with some other value cannot have.
    #[serde(default)]
    pub facts: Vec<FactSpec>,
}

/// Values of a sensitive column that another column rules out.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FactSpec {
    /// The sensitive column.
    pub column: String,
    /// The column that rules values out.
    pub from: String,
    /// A CSV file of two columns, without a header: value of `from`, and a value that it rules out.
    pub rules_out: String,
}

/// A fact with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The sensitive column.
    pub column: String,
    /// The column that rules values out.
    pub from: String,
    /// Value of that column → values that are ruled out.
    pub ruled_out: FxHashMap<String, Vec<String>>,
}

/// A table that the adversary has.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Its file, relative to the declaration.
    pub path: String,
    /// Texts that mean a missing value, besides the empty text.
    #[serde(default)]
    pub null: Vec<String>,
}

/// A table that is joined to what is there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The table.
    pub table: String,
    /// Column that is there → column of the table.
    pub on: BTreeMap<String, String>,
}

/// A column that follows from another.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inference {
    /// The new column.
    pub column: String,
    /// The column that it follows from.
    pub from: String,
    /// How.
    pub by: Rule,
}

/// How a value follows from another.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// The value itself: another name for a column.
    Same,
    /// The first characters.
    Prefix(usize),
    /// The year of a date.
    Year,
    /// The year and month of a date.
    Month,
    /// The age in years on a day, from a date of birth.
    AgeAt(String),
    /// A CSV file of two columns, without a header: value and what follows from it.
    Map(String),
}

impl AttackDatabase {
    /// Reads a declaration.
    ///
    /// # Errors
    /// What is not TOML or does not fit the format; tables that are not declared.
    pub fn parse(text: &str) -> Result<Self> {
        let parsed: AttackDatabase = toml::from_str(text).map_err(|e| {
            let before = e.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            fault!(
                Input,
                "attack.database-syntax",
                "the attack database cannot be read: {reason}",
                reason = e.message()
            )
            .line(1 + before.matches('\n').count() as u64)
            .help("declare `version`, `people` and [tables.NAME] with `path`; see docs/attacks.md")
        })?;
        let mut faults = Vec::new();
        if parsed.version != 1 {
            faults.push(
                fault!(
                    Input,
                    "attack.database-version",
                    "version {version} of the format is not known",
                    version = parsed.version
                )
                .help("write version = 1"),
            );
        }
        for name in std::iter::once(&parsed.people).chain(parsed.joins.iter().map(|join| &join.table)) {
            if !parsed.tables.contains_key(name) {
                let near = nearest(name, parsed.tables.keys().map(String::as_str));
                let fault = fault!(
                    Input,
                    "attack.database-no-such-table",
                    "table `{table}` is not declared",
                    table = name
                );
                faults.push(fault.help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("declare [tables.{name}]"),
                }));
            }
        }
        for join in parsed.joins.iter().filter(|join| join.on.is_empty()) {
            faults.push(
                fault!(
                    Input,
                    "attack.database-join-on-nothing",
                    "the join with `{table}` names no columns",
                    table = join.table
                )
                .help("write on = { COLUMN = \"COLUMN OF THE TABLE\" }"),
            );
        }
        for rule in parsed.inferences.iter().filter_map(|inference| match &inference.by {
            Rule::AgeAt(day) => Some(day),
            _ => None,
        }) {
            if parts(rule).is_none() {
                faults.push(
                    fault!(Input, "attack.database-not-a-date", "`{value}` is not a date", value = rule)
                        .help("write YYYY-MM-DD"),
                );
            }
        }
        Error::check(faults)?;
        Ok(parsed)
    }

    /// The database as one table, of its tables with all their columns.
    ///
    /// # Errors
    /// Columns that are not there, and files that cannot be read.
    pub fn assemble(
        &self,
        tables: &BTreeMap<String, Coded>,
        load: &dyn Fn(&str) -> Result<String>,
    ) -> Result<Coded> {
        let mut made = tables.get(&self.people).cloned().unwrap_or_default();
        for join in &self.joins {
            if let Some(table) = tables.get(&join.table) {
                joined(&mut made, table, join)?;
            }
        }
        for inference in &self.inferences {
            let from = made.column(&inference.from).ok_or_else(|| missing(&inference.from, &made))?;
            let rule = Prepared::new(&inference.by, load)?;
            let inferred: Vec<Option<String>> = (0..from.size() as Code)
                .map(|code| from.dictionary.value(code).and_then(|value| rule.apply(value)))
                .collect();
            let cells = from.codes.iter().map(|&code| inferred[code as usize].as_deref());
            let column = Column::new(&inference.column, cells);
            put(&mut made, column);
        }
        Ok(made)
    }

    /// The facts with their values.
    ///
    /// # Errors
    /// Files that cannot be read or have other than two columns.
    pub fn facts(&self, load: &dyn Fn(&str) -> Result<String>) -> Result<Vec<Fact>> {
        let fact = |spec: &FactSpec| {
            let mut ruled_out: FxHashMap<String, Vec<String>> = FxHashMap::default();
            for [from, value] in pairs(&spec.rules_out, load)? {
                ruled_out.entry(from).or_default().push(value);
            }
            Ok(Fact { column: spec.column.clone(), from: spec.from.clone(), ruled_out })
        };
        self.facts.iter().map(fact).collect()
    }
}

/// The rows of a CSV file of two columns, without a header.
fn pairs(path: &str, load: &dyn Fn(&str) -> Result<String>) -> Result<Vec<[String; 2]>> {
    let text = load(path)?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let pair = |(at, record): (usize, csv::Result<csv::StringRecord>)| {
        let record = record.ok().filter(|record| record.len() == 2).ok_or_else(|| {
            fault!(
                Input,
                "attack.database-map",
                "line {line} does not have two columns: a value and what follows from it",
                line = at + 1
            )
            .file(path)
            .help("write one pair per line, without a header: 02138,Middlesex")
        })?;
        Ok([record[0].to_owned(), record[1].to_owned()])
    };
    reader.records().enumerate().map(pair).collect()
}

fn missing(name: &str, table: &Coded) -> Error {
    let fault = fault!(
        Input,
        "attack.database-no-such-column",
        "the attack database has no column `{column}`",
        column = name
    );
    let near = nearest(name, table.columns.iter().map(|column| column.name.as_str()));
    match near {
        Some(near) => fault.help(format!("did you mean `{near}`?")).into(),
        None => {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            fault
                .help(format!(
                    "at this point there are {}; joins and inferences are applied in order",
                    names.join(", ")
                ))
                .into()
        }
    }
}

/// Adds a column, or replaces the one of the same name.
fn put(table: &mut Coded, column: Column) {
    match table.columns.iter_mut().find(|there| there.name == column.name) {
        Some(there) => *there = column,
        None => table.columns.push(column),
    }
}

/// Adds the columns of a table to the rows that have its keys.
fn joined(made: &mut Coded, table: &Coded, join: &Join) -> Result<()> {
    let mut keys = Vec::new();
    for (left, right) in &join.on {
        let left = made.column(left).ok_or_else(|| missing(left, made))?;
        let right = table.column(right).ok_or_else(|| missing(right, table))?;
        // Codes of the right side in those of the left side; a missing value joins nothing.
        let code =
            |code: Code| right.dictionary.value(code).and_then(|value| left.dictionary.get(Some(value)));
        let codes: Vec<Option<Code>> = (0..right.size() as Code).map(code).collect();
        keys.push((left, right, codes));
    }
    let mut rows: FxHashMap<Vec<Code>, Vec<u32>> = FxHashMap::default();
    for row in 0..table.rows {
        let key: Option<Vec<Code>> =
            keys.iter().map(|(_, right, codes)| codes[right.codes[row] as usize]).collect();
        if let Some(key) = key {
            rows.entry(key).or_default().push(row as u32);
        }
    }
    let partners: Vec<Option<&Vec<u32>>> = (0..made.rows)
        .map(|row| rows.get(&keys.iter().map(|(left, ..)| left.codes[row]).collect::<Vec<Code>>()))
        .collect();
    let keyed: Vec<&String> = join.on.values().collect();
    let mut added = Vec::new();
    for column in table.columns.iter().filter(|column| !keyed.contains(&&column.name)) {
        let agreed = |partners: &Option<&Vec<u32>>| {
            let rows = partners.as_ref()?;
            let first = column.codes[*rows.first()? as usize];
            let same = rows.iter().all(|&row| column.codes[row as usize] == first);
            column.dictionary.value(first).filter(|_| same)
        };
        let there = made.column(&column.name);
        let cells = partners.iter().enumerate().map(|(row, partners)| {
            // What is known already stays.
            there.and_then(|there| there.cell(row)).or_else(|| agreed(partners))
        });
        added.push(Column::new(&column.name, cells));
    }
    added.into_iter().for_each(|column| put(made, column));
    Ok(())
}

enum Prepared {
    Same,
    Prefix(usize),
    AgeAt([i64; 3]),
    Map(FxHashMap<String, String>),
}

impl Prepared {
    fn new(rule: &Rule, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        Ok(match rule {
            Rule::Same => Prepared::Same,
            Rule::Prefix(length) => Prepared::Prefix(*length),
            Rule::Year => Prepared::Prefix(4),
            Rule::Month => Prepared::Prefix(7),
            Rule::AgeAt(day) => Prepared::AgeAt(parts(day).unwrap_or_default()),
            Rule::Map(path) => Prepared::Map(
                pairs(path, load)?.into_iter().map(|[value, follows]| (value, follows)).collect(),
            ),
        })
    }

    fn apply(&self, text: &str) -> Option<String> {
        match self {
            Prepared::Same => Some(text.to_owned()),
            Prepared::Prefix(length) => Some(text.chars().take(*length).collect()),
            Prepared::AgeAt(day) => {
                let born = parts(text)?;
                let before = [day[1], day[2]] < [born[1], born[2]];
                Some((day[0] - born[0] - i64::from(before)).to_string())
            }
            Prepared::Map(map) => map.get(text).cloned(),
        }
    }
}

/// Year, month and day of a date.
fn parts(text: &str) -> Option<[i64; 3]> {
    value(text).filter(|_| text.len() == 10)?;
    let mut numbers = text.split('-').map(|part| part.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &[&str])]) -> Coded {
        let column = |(name, cells): &(&str, &[&str])| {
            let cells: Vec<Option<String>> =
                cells.iter().map(|text| (!text.is_empty()).then(|| (*text).to_owned())).collect();
            Column::new(name, cells.iter().map(|cell| cell.as_deref()))
        };
        Coded::new(columns.iter().map(column).collect())
    }

    const DECLARED: &str = "
version = 1
people = \"voters\"
[tables.voters]
path = \"voters.csv\"
[tables.phones]
path = \"phones.csv\"
[[joins]]
table = \"phones\"
on = { name = \"owner\" }
[[inferences]]
column = \"age\"
from = \"born\"
by = { age_at = \"2000-06-15\" }
[[inferences]]
column = \"county\"
from = \"zip\"
by = { map = \"counties.csv\" }
[[inferences]]
column = \"zip3\"
from = \"zip\"
by = { prefix = 3 }
";

    #[test]
    fn tables_are_joined_and_columns_inferred() {
        let voters = table(&[
            ("name", &["Ann", "Bob", "Cy"]),
            ("born", &["1950-06-15", "1950-06-16", ""]),
            ("zip", &["02138", "02139", ""]),
        ]);
        let phones = table(&[
            ("owner", &["Bob", "Ann", "Ann", "Cy"]),
            ("phone", &["1", "2", "3", "4"]),
            ("zip", &["", "02138", "02138", "02141"]),
        ]);
        let tables = [("voters".to_owned(), voters), ("phones".to_owned(), phones)].into();
        let load = |_: &str| Ok("02138,Middlesex\n02141,Suffolk\n".to_owned());
        let made = AttackDatabase::parse(DECLARED).unwrap().assemble(&tables, &load).unwrap();
        let cells = |name: &str| -> Vec<Option<&str>> {
            let column = made.column(name).unwrap();
            (0..made.rows).map(|row| column.cell(row)).collect()
        };
        // Ann has two phones: which one is not known. What was missing is filled.
        assert_eq!(cells("phone"), [None, Some("1"), Some("4")]);
        assert_eq!(cells("zip"), [Some("02138"), Some("02139"), Some("02141")]);
        assert_eq!(cells("age"), [Some("50"), Some("49"), None]);
        assert_eq!(cells("county"), [Some("Middlesex"), None, Some("Suffolk")]);
        assert_eq!(cells("zip3"), [Some("021"), Some("021"), Some("021")]);
        assert_eq!(made.column("age").map(|column| column.scale), Some(crate::table::Scale::Numbers));
    }

    #[test]
    fn mistakes_are_named() {
        let code = |text: &str| AttackDatabase::parse(text).unwrap_err().faults()[0].code;
        assert_eq!(code("version = 1"), "attack.database-syntax");
        assert_eq!(code(&DECLARED.replace("version = 1", "version = 2")), "attack.database-version");
        assert_eq!(
            code(&DECLARED.replace("people = \"voters\"", "people = \"voter\"")),
            "attack.database-no-such-table"
        );
        assert_eq!(code(&DECLARED.replace("2000-06-15", "2000")), "attack.database-not-a-date");
        assert_eq!(code(&DECLARED.replace("{ name = \"owner\" }", "{}")), "attack.database-join-on-nothing");
        let parsed = AttackDatabase::parse(&DECLARED.replace("from = \"born\"", "from = \"birth\"")).unwrap();
        let voters = table(&[("name", &["Ann"]), ("born", &["1950-06-15"]), ("zip", &["1"])]);
        let tables = [("voters".to_owned(), voters)].into();
        let error = parsed.assemble(&tables, &|_| Ok(String::new())).unwrap_err();
        assert!(error.has_code("attack.database-no-such-column"));
    }
}
