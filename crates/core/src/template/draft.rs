//! Writes the policy of a table to which a template was applied: the policy that the description
//! proposes, with the keys that the rules need, each below a comment that names the rule.
//!
//! The text is edited by sections, because comments have to stay: a section begins with its header
//! and ends at the next blank line. The result is parsed again before it is returned.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::{Applied, ColumnKeys};
use super::{Requirement, check};
use crate::describe::{self, Description, key, quoted};
use crate::error::{Fault, Result};
use crate::policy::{Input, Policy};
use crate::release::TemplateFacts;

/// The text of the policy, and which rules it satisfies. `template` is how the policy names the
/// template, `population` how it names the table of people.
///
/// # Errors
/// As [`describe::policy`].
pub fn policy(
    description: &Description,
    applied: &Applied,
    input: &Input,
    (k, suppression): (u64, f64),
    out_stem: &str,
    (template, population): (&str, Option<&str>),
) -> Result<(String, TemplateFacts)> {
    let text = describe::policy(description, input, k, suppression, out_stem)?;
    let mut sections: Vec<Section> = Section::all(&text);
    let columns: BTreeMap<String, &ColumnKeys> =
        applied.columns.iter().map(|(name, keys)| (format!("[columns.{}]", key(name)), keys)).collect();
    for section in &mut sections {
        match section.header.as_str() {
            "[output]" => section.set("statement", &quoted(&format!("{out_stem}-statement.html"))),
            "[privacy]" => privacy(section, applied)?,
            header => {
                if let Some(keys) = columns.get(header) {
                    column(section, keys);
                }
            }
        }
    }
    let title = &applied.template.title;
    let mut text = format!(
        "# Template {}: {title} ({}).\n# The rules that a setting satisfies stand above it.\n",
        applied.template.name, applied.template.source
    );
    text += &sections.iter().map(Section::text).collect::<Vec<_>>().join("\n");
    text += &ending(applied, template, population);
    let policy = Policy::parse(&text)
        .map_err(|e| Fault::bug(format!("the policy of a template cannot be read: {e}")))?;
    let facts = check::judge(&applied.template, &applied.parameters_of_policy(), &policy);
    Ok((text, facts))
}

/// Lines up to the next blank line, with the table that they begin.
struct Section {
    /// Comments in front.
    lead: Vec<String>,
    /// The header of the table; empty where there is none.
    header: String,
    lines: Vec<String>,
}

impl Section {
    fn all(text: &str) -> Vec<Section> {
        text.split("\n\n").map(Section::of).collect()
    }

    fn of(text: &str) -> Section {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.starts_with('['));
        let Some(at) = at else { return Section { lead: Vec::new(), header: String::new(), lines } };
        let rest = lines.split_off(at + 1);
        let header = lines.pop().unwrap_or_default();
        Section { lead: lines, header, lines: rest }
    }

    fn text(&self) -> String {
        let header = (!self.header.is_empty()).then_some(&self.header);
        self.lead.iter().chain(header).chain(&self.lines).map(|line| format!("{line}\n")).collect()
    }

    /// Gives a key a value, in place of one that it has.
    fn set(&mut self, key: &str, value: &str) {
        self.take(key);
        self.lines.push(format!("{key} = {value}"));
    }

    /// Removes a key, and returns its value, which may be a list of several lines.
    fn take(&mut self, key: &str) -> Option<String> {
        let begins = format!("{key} = ");
        let at = self.lines.iter().position(|line| line.starts_with(&begins))?;
        let (mut end, mut open) = (at, 0_i64);
        loop {
            let count = |sign: char| self.lines[end].matches(sign).count() as i64;
            open += count('[') - count(']');
            end += 1;
            if open <= 0 || end == self.lines.len() {
                break;
            }
        }
        let lines: Vec<String> = self.lines.drain(at..end).collect();
        Some(lines.join("\n")[begins.len()..].to_owned())
    }
}

/// The rules of a column above its keys; its reason becomes a key, which the statement repeats.
fn column(section: &mut Section, keys: &ColumnKeys) {
    section.lead.clear();
    section.lead.extend(keys.rules.iter().map(|rule| format!("# {rule}")));
    section.set("reason", &quoted(&keys.reason));
    if let Some(level) = keys.min_level {
        section.set("min_level", &level.to_string());
    }
}

fn privacy(section: &mut Section, applied: &Applied) -> Result<()> {
    let settings = &applied.template.privacy;
    let rules = applied.template.rules.iter().filter(|rule| {
        !matches!(
            rule.require,
            Requirement::Removed(_)
                | Requirement::YearOnly(_)
                | Requirement::TopCoded { .. }
                | Requirement::Births { .. }
                | Requirement::Zip3 { .. }
        )
    });
    for rule in rules {
        let cites = if rule.cites.is_empty() { String::new() } else { format!(" ({})", rule.cites) };
        section.lead.push(format!("# rule {}{cites}: {}", rule.id, rule.text));
    }
    if applied.template.privacy.k == 1 {
        section
            .lead
            .push("# the template has no rule about k: with 1, rows may be alone in their class".into());
    }
    let mut models = proposed(section);
    for model in &settings.models {
        let value = toml::Value::try_from(model).map_err(|e| Fault::bug(format!("a model: {e}")))?;
        models.push(value.to_string());
    }
    if let Some(l) = settings.diversity {
        let diverse = applied.sensitive.iter().filter(|(_, distinct)| *distinct >= l);
        models.extend(
            diverse.map(|(name, _)| format!("{{ l_diversity = {{ column = {}, l = {l} }} }}", quoted(name))),
        );
    }
    if let Some(k) = settings.rare_values.filter(|_| applied.deletes_rare_values()) {
        let columns: Vec<String> = applied.sensitive.iter().map(|(name, _)| quoted(name)).collect();
        models.push(format!("{{ rare_values = {{ k = {k}, columns = [{}] }} }}", columns.join(", ")));
    }
    let mut seen = BTreeSet::new();
    models.retain(|model| seen.insert(model.clone()));
    if !models.is_empty() {
        let lines: Vec<String> = models.iter().map(|model| format!("  {model},\n")).collect();
        section.set("models", &format!("[\n{}]", lines.concat()));
    }
    Ok(())
}

/// The models that the description proposes, each as a policy writes it.
fn proposed(section: &mut Section) -> Vec<String> {
    let Some(value) = section.take("models") else { return Vec::new() };
    let table: Option<toml::Table> = toml::from_str(&format!("models = {value}")).ok();
    let models = table.as_ref().and_then(|table| table["models"].as_array());
    models.into_iter().flatten().map(toml::Value::to_string).collect()
}

/// The template with its parameters, and the words of the statement.
fn ending(applied: &Applied, template: &str, population: Option<&str>) -> String {
    let mut text =
        format!("\n# `throng release` checks the rules again.\n[template]\nname = {}\n", quoted(template));
    let aged = applied.template.rules.iter().any(|rule| matches!(rule.require, Requirement::Births { .. }));
    if let Some(year) = applied.parameters.year.filter(|_| aged) {
        text += &format!("# ages are counted in this year\nyear = {year}\n");
    }
    if let Some(path) = population {
        text += &format!("population = {}\n", quoted(path));
    }
    if !applied.categories.is_empty() {
        text += "\n# What columns hold, where their names do not say so.\n[template.columns]\n";
        for (name, category) in &applied.categories {
            text += &format!("{} = {}\n", key(name), quoted(category.key()));
        }
    }
    text += "\n# For the statement; empty lines are left open on the page.\n[statement]\n";
    for key in ["purpose", "recipient", "retention", "contact"] {
        text += &format!("{key} = \"\"\n");
    }
    text
}

impl Applied {
    /// The parameters that the written policy has.
    fn parameters_of_policy(&self) -> super::Parameters {
        super::Parameters { columns: self.categories.clone(), ..self.parameters.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_section_are_replaced_with_their_lines() {
        let text = "# why\n[privacy]\nk = 5\nmodels = [\n  { k_map = { k = 2 } },\n]\nsuppression = 0.1\n";
        let mut section = Section::of(text);
        assert_eq!(section.text(), text);
        assert_eq!(proposed(&mut section), ["{ k_map = { k = 2 } }"]);
        assert!(proposed(&mut section).is_empty());
        section.set("k", "7");
        assert_eq!(section.text(), "# why\n[privacy]\nsuppression = 0.1\nk = 7\n");
    }
}
