//! Judges a policy by the rules of a template: rule by rule, what in the policy satisfies it, or
//! what is missing.
//!
//! The judgement is about what the policy allows at worst: levels never go below `min_level`,
//! whatever a search decides. A hierarchy file cannot be judged and counts as not satisfying a rule
//! about labels.

use super::parameters::first_birth;
use super::{Parameters, Requirement, Template};
use crate::describe::Category;
use crate::hierarchy::{Date, Intervals, Spec};
use crate::policy::{Column, Form, ModelSpec, Policy, Role};
use crate::release::{RuleFacts, TemplateFacts};

/// Which rules a policy satisfies.
pub(super) fn judge(template: &Template, parameters: &Parameters, policy: &Policy) -> TemplateFacts {
    let subject = Subject { parameters, policy };
    let rules = template.rules.iter().map(|rule| {
        let Judgement { holds, by } = subject.judge(&rule.require);
        RuleFacts {
            rule: rule.id.clone(),
            cites: rule.cites.clone(),
            requires: rule.text.clone(),
            satisfied_by: by,
            holds,
            required: rule.required,
        }
    });
    let file = policy.template.as_ref().and_then(|spec| spec.file());
    TemplateFacts {
        name: file.unwrap_or(&template.name).to_owned(),
        title: template.title.clone(),
        source: template.source.clone(),
        rules: rules.collect(),
    }
}

struct Judgement {
    holds: Option<bool>,
    by: String,
}

fn yes(by: impl Into<String>) -> Judgement {
    Judgement { holds: Some(true), by: by.into() }
}

fn no(by: impl Into<String>) -> Judgement {
    Judgement { holds: Some(false), by: by.into() }
}

struct Subject<'a> {
    parameters: &'a Parameters,
    policy: &'a Policy,
}

/// What one column does for a rule: how it satisfies it, or why it does not.
type Found = Result<String, String>;

impl Subject<'_> {
    fn judge(&self, require: &Requirement) -> Judgement {
        match require {
            Requirement::Removed(columns) => self.removed(columns),
            Requirement::YearOnly(columns) => self.released(columns, |column| self.year_only(column)),
            Requirement::TopCoded { columns, from } => {
                self.released_named(columns, |name, column| self.top_coded(name, column, *from))
            }
            Requirement::Births { columns, age } => {
                self.released(columns, |column| self.births(column, *age))
            }
            Requirement::Zip3 { columns, people, restricted, list } => {
                let needed = self.parameters.restricted(*people, restricted);
                let source = match &self.parameters.people {
                    Some(_) => "the table of people",
                    None => list.as_str(),
                };
                self.released(columns, |column| self.zip3(column, &needed, source))
            }
            Requirement::K(k) => self.k(*k),
            Requirement::MaxRisk(risk) => self.max_risk(*risk),
            Requirement::Diversity(l) => self.diversity(*l),
            Requirement::RareValues(k) => self.rare_values(*k),
            Requirement::NoPseudonyms => self.no_pseudonyms(),
            Requirement::NothingKept => self.nothing_kept(),
            Requirement::Shuffled => match self.policy.output.keep_order {
                true => no("output.keep_order = true keeps the order of the input"),
                false => yes("rows are shuffled"),
            },
            Requirement::Confirmed => Judgement { holds: None, by: "to be confirmed by the holder".into() },
        }
    }

    fn category(&self, name: &str) -> Category {
        self.parameters.columns.get(name).copied().unwrap_or_else(|| Category::by_name(name))
    }

    /// Columns of some categories.
    fn columns<'b>(&'b self, of: &'b [Category]) -> impl Iterator<Item = (&'b str, &'b Column)> {
        let about = move |(name, _): &(&String, &Column)| of.contains(&self.category(name));
        self.policy.columns.iter().filter(about).map(|(name, column)| (name.as_str(), column))
    }

    fn removed(&self, of: &[Category]) -> Judgement {
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        for (name, column) in self.columns(of) {
            match (column.released(), column.is_replaced()) {
                (false, _) => gone.push(name),
                (true, true) => there.push(format!("`{name}` is released as a pseudonym")),
                (true, false) => {
                    there.push(format!("`{name}` is released, with role \"{}\"", column.role.name()))
                }
            }
        }
        match (gone.is_empty(), there.is_empty()) {
            (_, false) => no(there.join("; ")),
            (true, true) => yes("the table has no such column"),
            (false, true) => yes(format!("removed: {}", gone.join(", "))),
        }
    }

    fn released(&self, of: &[Category], found: impl Fn(&Column) -> Found) -> Judgement {
        self.released_named(of, |_, column| found(column))
    }

    /// Judges the released columns of some categories one by one.
    fn released_named(&self, of: &[Category], found: impl Fn(&str, &Column) -> Found) -> Judgement {
        let (mut satisfied, mut broken) = (Vec::new(), Vec::new());
        for (name, column) in self.columns(of) {
            match column.released().then(|| found(name, column)) {
                None => satisfied.push(format!("{name} is removed")),
                Some(Ok(how)) => satisfied.push(format!("{name}: {how}")),
                Some(Err(why)) => broken.push(format!("`{name}`: {why}")),
            }
        }
        match (satisfied.is_empty(), broken.is_empty()) {
            (_, false) => no(broken.join("; ")),
            (true, true) => yes("the table has no such column"),
            (false, true) => yes(satisfied.join("; ")),
        }
    }

    /// The lowest level of its hierarchy that a column may show; 0 where values are shown.
    fn lowest(&self, column: &Column) -> usize {
        let shown = column.linking == Some(0.0) || column.poset.is_some();
        let cells = self.policy.forms_regions()
            && column.form.map_or(column.hierarchy.is_none(), |form| form != Form::Label);
        match column.role {
            _ if shown || cells => 0,
            Role::Quasi => column.min_level.unwrap_or(0),
            Role::Sensitive => column.level.unwrap_or(0),
            _ => 0,
        }
    }

    fn year_only(&self, column: &Column) -> Found {
        let lowest = self.lowest(column);
        match column.hierarchy() {
            _ if lowest == 0 => Err(exact(column)),
            Spec::Date(Date { levels, .. }) => {
                let shown = levels.get(lowest - 1..).unwrap_or_default();
                let fine = shown.iter().find(|level| *level != "year" && !level.ends_with("-year"));
                match (fine, shown.first()) {
                    (Some(fine), _) => Err(format!("level {lowest} may show a {fine}")),
                    (None, Some(first)) => Ok(format!("min_level = {lowest} shows a {first} at most")),
                    (None, None) => Ok(format!("min_level = {lowest} shows nothing")),
                }
            }
            Spec::Suppress => Ok("shows nothing".into()),
            _ => Err("its hierarchy does not show whether labels are years".into()),
        }
    }

    fn top_coded(&self, name: &str, column: &Column, from: f64) -> Found {
        let mut caps = self.policy.input.prepare.iter().filter_map(|step| step.cap.as_ref());
        if let Some(cap) = caps.find(|cap| cap.column == name && cap.from <= from) {
            return Ok(format!("input.prepare caps it from {} on", cap.from));
        }
        let lowest = self.lowest(column);
        match column.hierarchy() {
            _ if lowest == 0 => Err(exact(column)),
            Spec::Intervals(spec) => match top(&spec) {
                Some(high) if high <= from => {
                    Ok(format!("min_level = {lowest} and high = {high} make one category from {high} on"))
                }
                Some(high) => Err(format!("the open end is {high}, not {from}")),
                None => Err(format!("its intervals have no open end: write high = {from}")),
            },
            Spec::Suppress => Ok("shows nothing".into()),
            _ => Err("its hierarchy does not show whether there is an open end".into()),
        }
    }

    fn births(&self, column: &Column, age: i32) -> Found {
        let Some(year) = self.parameters.year else {
            return Err("the year in which ages are counted is not known: set template.year".into());
        };
        let needed = first_birth(year, age);
        let low = match column.hierarchy() {
            _ if self.lowest(column) == 0 => return Err(exact(column)),
            Spec::Date(spec) => spec.low.map(f64::from),
            Spec::Intervals(spec) => bottom(&spec),
            Spec::Suppress => return Ok("shows nothing".into()),
            _ => return Err("its hierarchy does not show how the oldest people are grouped".into()),
        };
        match low {
            Some(low) if low >= f64::from(needed) => Ok(format!("births before {low} are one category")),
            Some(low) => Err(format!("births before {low} are one category, and {needed} is needed")),
            None => Err(format!("years of birth of the oldest people are shown: write low = {needed}")),
        }
    }

    fn zip3(&self, column: &Column, needed: &[String], source: &str) -> Found {
        let lowest = self.lowest(column);
        match column.hierarchy() {
            _ if lowest == 0 => Err(exact(column)),
            Spec::Zip3(spec) => {
                let missing: Vec<&str> =
                    needed.iter().filter(|p| !spec.restricted.contains(p)).map(String::as_str).collect();
                match missing.is_empty() {
                    true => Ok(format!(
                        "three digits at most, and {} prefixes become 000 by {source}",
                        spec.restricted.len()
                    )),
                    false => {
                        Err(format!("prefixes that {source} restricts are shown: {}", missing.join(", ")))
                    }
                }
            }
            Spec::Postal(spec) => match spec.keep.get(lowest - 1) {
                Some(kept) if *kept >= 3 => Err(format!(
                    "level {lowest} shows {kept} characters of every code: use the hierarchy zip3"
                )),
                _ => Ok("fewer than three digits".into()),
            },
            Spec::Suppress => Ok("shows nothing".into()),
            _ => Err("its hierarchy does not show how many digits a label has".into()),
        }
    }

    fn k(&self, least: u64) -> Judgement {
        match self.policy.privacy.k() {
            Some(k) if k >= least => yes(format!("privacy.k = {k}")),
            Some(k) => no(format!("privacy.k = {k}, and {least} is needed")),
            None => no(format!("there is no privacy.k: write k = {least}")),
        }
    }

    fn max_risk(&self, most: f64) -> Judgement {
        let risk = |k: u64| 1.0 / k.max(1) as f64;
        match self.policy.privacy.k() {
            Some(k) if (risk(k) * 100.0).round() / 100.0 <= most => yes(format!(
                "privacy.k = {k}: the chance to pick the right row is at most 1/{k} = {:.4}",
                risk(k)
            )),
            Some(k) => no(format!("privacy.k = {k} allows a chance of 1/{k} = {:.4}, above {most}", risk(k))),
            None => no("there is no privacy.k, which bounds the chance to pick the right row"),
        }
    }

    /// Sensitive columns with categories.
    fn sensitive(&self) -> Vec<&str> {
        let columns = self.policy.with_role(Role::Sensitive).into_iter();
        columns.filter(|name| self.category(name) != Category::Amount).collect()
    }

    fn diversity(&self, least: u64) -> Judgement {
        let judges = |model: &&ModelSpec, name: &str| match model {
            ModelSpec::LDiversity(asked) => asked.column == name && asked.l >= least as f64,
            other => other.column() == Some(name),
        };
        let models = &self.policy.privacy.models;
        let judged = |name: &&str| models.iter().any(|model| judges(&model, name));
        let (judged, others): (Vec<&str>, Vec<&str>) = self.sensitive().into_iter().partition(judged);
        match (judged.is_empty(), others.is_empty()) {
            (_, false) => no(format!(
                "no model asks for {least} values of {} in every class: add l_diversity under privacy.models",
                others.join(", ")
            )),
            (true, true) => yes("no sensitive column has categories"),
            (false, true) => yes(format!("privacy.models judge {}", judged.join(", "))),
        }
    }

    fn rare_values(&self, least: u64) -> Judgement {
        let covers = |model: &ModelSpec, name: &str| match model {
            ModelSpec::RareValues(rare) => rare.k >= least && rare.columns(self.policy).contains(name),
            _ => false,
        };
        let models = &self.policy.privacy.models;
        let covered = |name: &&str| models.iter().any(|model| covers(model, name));
        let (covered, others): (Vec<&str>, Vec<&str>) = self.sensitive().into_iter().partition(covered);
        match (covered.is_empty(), others.is_empty()) {
            (_, false) => no(format!(
                "values with fewer than {least} rows may be released of {}: add rare_values under privacy.models",
                others.join(", ")
            )),
            (true, true) => yes("no sensitive column has categories"),
            (false, true) => yes(format!("rare_values deletes rare values of {}", covered.join(", "))),
        }
    }

    fn no_pseudonyms(&self) -> Judgement {
        let replaced = self.policy.columns.iter().filter(|(_, column)| column.is_replaced());
        let replaced: Vec<&str> = replaced.map(|(name, _)| name.as_str()).collect();
        match replaced.is_empty() {
            true => yes("no column has a transform"),
            false => no(format!("pseudonyms show which rows belong together: {}", replaced.join(", "))),
        }
    }

    fn nothing_kept(&self) -> Judgement {
        let kept = self.policy.with_role(Role::Keep);
        match kept.is_empty() {
            true => yes("no column has role \"keep\""),
            false => no(format!("released unchanged, outside the guarantee: {}", kept.join(", "))),
        }
    }
}

/// Why the values of a column itself are shown.
fn exact(column: &Column) -> String {
    match column.role {
        Role::Quasi => "level 0 shows exact values: write min_level = 1".into(),
        role => format!("role \"{}\" shows exact values", role.name()),
    }
}

/// Where the open end of intervals begins; none where it follows from the data.
fn top(spec: &Intervals) -> Option<f64> {
    spec.high.or_else(|| spec.bounds.first()?.last().copied())
}

/// Where intervals begin.
fn bottom(spec: &Intervals) -> Option<f64> {
    spec.low.or_else(|| spec.bounds.first()?.first().copied())
}
