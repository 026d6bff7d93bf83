//! What a template needs to know beside the policy: the year in which ages are counted, and the
//! people of three-digit ZIP prefixes.
//!
//! The table of people is CSV with the columns `prefix` and `population`, for instance made from
//! the ZIP Code Tabulation Areas of the current census. A prefix that it does not list has no
//! people. Costs one pass over its lines.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike};

use crate::describe::Category;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::policy::TemplateSpec;

/// What a template needs to know beside the policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The year in which ages are counted.
    pub year: Option<i32>,
    /// ZIP prefix of three digits → people; none where no table was given.
    pub people: Option<BTreeMap<String, u64>>,
    /// Column → what it holds, where its name does not say it.
    pub columns: BTreeMap<String, Category>,
}

impl Parameters {
    /// The parameters that a policy gives; `load` reads the table of people.
    pub(super) fn of(spec: &TemplateSpec, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        let Some(settings) = spec.settings() else { return Ok(Parameters::default()) };
        let mut columns = BTreeMap::new();
        let mut faults = Vec::new();
        for (name, key) in &settings.columns {
            match Category::parse(key) {
                Some(category) => drop(columns.insert(name.clone(), category)),
                None => faults.push(unknown(key).key(format!("template.columns.{name}"))),
            }
        }
        Error::check(faults)?;
        let read = |path: &String| {
            let people = Parameters::people_of(&load(path)?);
            people.map_err(|e| e.map(|fault| fault.file(path)))
        };
        let people = settings.population.as_ref().map(read).transpose()?;
        Ok(Parameters { year: settings.year, people, columns })
    }

    /// Reads a table of people: CSV with the columns `prefix` and `population`.
    ///
    /// # Errors
    /// A line that is not a prefix of three digits and a number.
    pub fn people_of(text: &str) -> Result<BTreeMap<String, u64>> {
        let mut people = BTreeMap::new();
        let mut lines = text.trim_start_matches('\u{FEFF}').lines().enumerate();
        let cells = |line: &str| -> Vec<String> {
            line.split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"').to_owned()).collect()
        };
        let header = lines.next().map(|(_, line)| cells(line)).unwrap_or_default();
        let at = |name: &str| header.iter().position(|cell| cell.eq_ignore_ascii_case(name));
        let (Some(prefix), Some(population)) = (at("prefix"), at("population")) else {
            let fault = fault!(
                Input,
                "template.population-header",
                "the first line does not name the columns prefix and population"
            );
            return Err(fault.line(1).help("begin the file with the line prefix,population").into());
        };
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            let cells = cells(text);
            let code = cells.get(prefix).filter(|code| is_prefix(code));
            let count = cells.get(population).and_then(|count| count.parse::<u64>().ok());
            let (Some(code), Some(count)) = (code, count) else {
                let fault = fault!(
                    Input,
                    "template.population-line",
                    "is not a prefix of three digits and a number of people"
                );
                return Err(fault.line(line as u64 + 1).help("write for instance 021,1234567").into());
            };
            people.insert(code.clone(), count);
        }
        Ok(people)
    }

    /// The prefixes that become 000: by the table of people, or as the template lists them.
    pub(super) fn restricted(&self, limit: u64, listed: &[String]) -> Vec<String> {
        let Some(people) = &self.people else { return listed.to_vec() };
        let all = (0..1000).map(|prefix| format!("{prefix:03}"));
        all.filter(|prefix| people.get(prefix).is_none_or(|&people| people <= limit)).collect()
    }
}

/// The first year of birth of people who do not reach an age in a year.
pub(super) fn first_birth(year: i32, age: i32) -> i32 {
    year - age + 1
}

fn is_prefix(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|b| b.is_ascii_digit())
}

fn unknown(key: &str) -> Fault {
    let fault = fault!(
        Input,
        "template.unknown-category",
        "`{category}` is not a category of columns",
        category = key.escape_debug()
    );
    let near = nearest(key, Category::keys()).map(|near| format!("did you mean `{near}`? "));
    let all: Vec<&str> = Category::keys().collect();
    fault.help(format!("{}categories are {}", near.unwrap_or_default(), all.join(", ")))
}

/// The year of a moment, in seconds since 1970.
pub fn year_of(seconds: u64) -> i32 {
    let moment = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    moment.map_or(1970, |moment| moment.year())
}
