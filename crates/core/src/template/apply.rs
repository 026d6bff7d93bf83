//! Applies a template to the description of a table: roles and hierarchies that satisfy its rules,
//! and the keys of columns that a description does not have.
//!
//! A column that a rule is about and whose values the rule cannot be applied to, such as dates in
//! several formats, is dropped: what cannot be read cannot be shown to satisfy the rule.

use std::collections::BTreeMap;

use super::parameters::first_birth;
use super::{Parameters, Requirement, Rule, Settings, Template};
use crate::describe::{Category, ColumnDescription, Description, Kind};
use crate::hierarchy::{Date, Intervals, Spec, Zip3};
use crate::policy::Role;

/// What a template adds to the policy of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    pub(super) template: Template,
    pub(super) parameters: Parameters,
    /// Column → rules that it is subject to, and its keys.
    pub(super) columns: BTreeMap<String, ColumnKeys>,
    /// Column → what it holds, where its name does not say so.
    pub(super) categories: BTreeMap<String, Category>,
    /// Sensitive columns with categories, and how many each has.
    pub(super) sensitive: Vec<(String, u64)>,
}

/// What is written for one column.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ColumnKeys {
    pub(super) rules: Vec<String>,
    pub(super) min_level: Option<usize>,
    pub(super) reason: String,
}

impl Applied {
    /// Changes roles and hierarchies so that the rules of a template are satisfied.
    pub fn new(template: Template, parameters: Parameters, description: &mut Description) -> Self {
        let (mut columns, mut categories, mut sensitive) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        for column in &mut description.columns {
            let category = Category::of(column);
            if category != Category::by_name(&column.name) {
                categories.insert(column.name.clone(), category);
            }
            let mut keys = ColumnKeys::default();
            for rule in &template.rules {
                if let Some(change) = Change::of(rule, &parameters, category, column) {
                    keys.rules.push(rule.named());
                    change.make(column, &mut keys);
                }
            }
            keys.reason = column.reason.clone();
            if column.role == Role::Sensitive && category == Category::Sensitive {
                sensitive.push((column.name.clone(), column.distinct));
            }
            columns.insert(column.name.clone(), keys);
        }
        let applied = Applied { template, parameters, columns, categories, sensitive };
        if applied.deletes_rare_values() {
            count_rows(description);
        }
        applied
    }

    /// Whether the policy has a model that deletes values with few rows.
    pub(super) fn deletes_rare_values(&self) -> bool {
        self.template.privacy.rare_values.is_some() && !self.sensitive.is_empty()
    }

    /// The guarantee that the template asks for.
    pub fn settings(&self) -> &Settings {
        &self.template.privacy
    }
}

/// Removes the person id without counting people: a model that deletes rare values counts rows. The
/// questions of the description say so.
fn count_rows(description: &mut Description) {
    for column in description.columns.iter_mut().filter(|column| column.role == Role::Subject) {
        column.role = Role::Identifier;
    }
    description.refresh();
}

impl Rule {
    /// The rule with its source and its sentence, as a comment of a policy has it.
    fn named(&self) -> String {
        match self.cites.as_str() {
            "" => format!("rule {}: {}", self.id, self.text),
            cites => format!("rule {} ({cites}): {}", self.id, self.text),
        }
    }
}

/// What a rule does to a column.
enum Change {
    /// It stays as it is: already removed.
    Nothing,
    /// It is removed.
    Remove(Role, String),
    /// It is generalized, beginning with level 1.
    Generalize(Spec, &'static str),
}

impl Change {
    /// What a rule does to a column; none where it is not about the column.
    fn of(
        rule: &Rule,
        parameters: &Parameters,
        category: Category,
        column: &ColumnDescription,
    ) -> Option<Self> {
        let about = |columns: &[Category]| columns.contains(&category);
        let removed = !column.role.released();
        match &rule.require {
            Requirement::Removed(columns) if about(columns) && removed => Some(Change::Nothing),
            Requirement::Removed(columns) if about(columns) => Some(removal(category, &rule.id)),
            Requirement::YearOnly(columns)
            | Requirement::TopCoded { columns, .. }
            | Requirement::Births { columns, .. }
            | Requirement::Zip3 { columns, .. }
                if !about(columns) || removed =>
            {
                None
            }
            Requirement::YearOnly(_) => Some(years(column)),
            Requirement::TopCoded { from, .. } => Some(ages(column, *from)),
            Requirement::Births { age, .. } => births(column, category, parameters.year?, *age),
            Requirement::Zip3 { people, restricted, .. } => {
                let restricted = parameters.restricted(*people, restricted);
                Some(Change::Generalize(Spec::Zip3(Zip3 { restricted }), "ZIP codes: three digits or fewer"))
            }
            _ => None,
        }
    }

    fn make(self, column: &mut ColumnDescription, keys: &mut ColumnKeys) {
        match self {
            Change::Nothing => {}
            Change::Remove(role, reason) => {
                (column.role, column.hierarchy, column.hierarchy_reason) = (role, None, None);
                (column.reason, keys.min_level) = (reason, None);
            }
            Change::Generalize(spec, reason) => {
                if column.role != Role::Quasi {
                    column.reason += "; generalized by a rule of the template";
                }
                column.role = Role::Quasi;
                (column.hierarchy, column.hierarchy_reason) = (Some(spec), Some(reason.to_owned()));
                keys.min_level = Some(1);
            }
        }
    }
}

fn removal(category: Category, rule: &str) -> Change {
    let role = if category.identifies() { Role::Identifier } else { Role::Drop };
    let role = if category == Category::Text { Role::Text } else { role };
    Change::Remove(role, format!("removed by rule {rule} of the template"))
}

fn unreadable(what: &str) -> Change {
    Change::Remove(Role::Drop, format!("{what}, so that no rule of the template can be applied: removed"))
}

/// Whether every value fits a hierarchy of its kind: otherwise the description names the text that
/// does not.
fn fits(column: &ColumnDescription) -> bool {
    !column.hierarchy_reason.as_ref().is_some_and(|reason| reason.contains("input.null"))
}

/// Dates become years.
fn years(column: &ColumnDescription) -> Change {
    match &column.kind {
        Kind::Date { format } | Kind::DateTime { format } if fits(column) => {
            let levels = ["year", "5-year", "10-year"].map(String::from).to_vec();
            let low = match &column.hierarchy {
                Some(Spec::Date(date)) => date.low,
                _ => None,
            };
            let spec = Date { levels, format: format.clone(), low, nested: true };
            Change::Generalize(Spec::Date(spec), "dates: years and longer periods")
        }
        _ => unreadable("not all values are dates of one format"),
    }
}

/// Ages have an open end.
fn ages(column: &ColumnDescription, from: f64) -> Change {
    let numeric = matches!(column.kind, Kind::Integer | Kind::Decimal);
    if !numeric || !fits(column) {
        return unreadable("not all values are ages in years");
    }
    let spec = Intervals {
        widths: vec![1.0, 5.0, 10.0, 30.0],
        low: Some(0.0),
        high: Some(from),
        ..Intervals::default()
    };
    Change::Generalize(Spec::Intervals(spec), "ages: years and intervals of years, with an open end")
}

/// Dates and years of birth begin with people who are younger than an age.
fn births(column: &ColumnDescription, category: Category, year: i32, age: i32) -> Option<Change> {
    let low = first_birth(year, age);
    if category == Category::BirthYear {
        if column.kind != Kind::Integer || !fits(column) {
            return Some(unreadable("not all values are years"));
        }
        let widths = vec![1.0, 5.0, 10.0, 20.0];
        let span = f64::from((year + 1 - low).max(1));
        let high = f64::from(low) + 20.0 * (span / 20.0).ceil();
        let spec = Intervals { widths, low: Some(f64::from(low)), high: Some(high), ..Intervals::default() };
        return Some(Change::Generalize(
            Spec::Intervals(spec),
            "years of birth: the oldest people are one category",
        ));
    }
    match years(column) {
        Change::Generalize(Spec::Date(spec), _) => Some(Change::Generalize(
            Spec::Date(Date { low: Some(low), ..spec }),
            "dates of birth: years and longer periods; the oldest people are one category",
        )),
        other => Some(other),
    }
}
