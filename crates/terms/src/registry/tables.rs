//! The tables of the user guide that list what the registry has, in Markdown.

use super::entry::{Entry, Parameter, Shape};
use super::{
    Algorithm, AlgorithmEntry, Family, LossEntry, LossKind, ModelEntry, StatisticKind, SuppressedRows,
};
use crate::policy::{Aggregate, ModelKind};

/// A table of the user guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Losses with their parameters.
    Losses,
    /// Algorithms with their properties.
    Algorithms,
    /// Models with their parameters and properties.
    Models,
    /// Builders of hierarchies with their parameters.
    Hierarchies,
    /// Kinds of posets with their parameters.
    Posets,
    /// Transforms with their parameters.
    Transforms,
    /// Statistics that a policy can limit.
    Statistics,
}

impl Table {
    /// All of them.
    pub const ALL: &'static [Table] = &[
        Table::Losses,
        Table::Algorithms,
        Table::Models,
        Table::Hierarchies,
        Table::Posets,
        Table::Transforms,
        Table::Statistics,
    ];

    /// Its name in the markers of the guide: `<!-- generated: losses -->`.
    pub const fn name(self) -> &'static str {
        match self {
            Table::Losses => "losses",
            Table::Algorithms => "algorithms",
            Table::Models => "models",
            Table::Hierarchies => "hierarchies",
            Table::Posets => "posets",
            Table::Transforms => "transforms",
            Table::Statistics => "statistics",
        }
    }
}

/// The lines of a table, each with its end.
pub fn table(table: Table) -> String {
    match table {
        Table::Losses => losses(),
        Table::Algorithms => algorithms(),
        Table::Models => models(),
        Table::Hierarchies => entries(Family::Hierarchy),
        Table::Posets => entries(Family::Poset),
        Table::Transforms => entries(Family::Transform),
        Table::Statistics => statistics(),
    }
}

fn losses() -> String {
    let row = |kind: &LossKind| {
        let entry = kind.entry();
        vec![
            code(entry.key),
            entry.help.into(),
            aggregate(entry),
            match entry.suppressed {
                SuppressedRows::Counted => "always",
                SuppressedRows::Ignored => "never",
                SuppressedRows::Optional { default: true } => "default yes",
                SuppressedRows::Optional { default: false } => "default no",
            }
            .into(),
            match (entry.tradeoff, entry.suppressed) {
                (true, SuppressedRows::Optional { .. }) => "where they count",
                (true, _) => "yes",
                (false, _) => "–",
            }
            .into(),
            yes(entry.needs_target),
            yes(!entry.sums_levels),
            entry.reference.into(),
        ]
    };
    let head = [
        "name",
        "what it is",
        "`aggregate`",
        "`count_suppressed`",
        "`tradeoff`",
        "target",
        "regions",
        "source",
    ];
    rows(&head, LossKind::ALL.iter().map(row))
}

fn aggregate(entry: &LossEntry) -> String {
    let name = match entry.aggregate {
        None => return "–".into(),
        Some(Aggregate::Mean) => "mean",
        Some(Aggregate::Sum) => "sum",
        Some(Aggregate::Max) => "max",
        Some(Aggregate::Geometric) => "geometric",
    };
    if entry.aggregates { format!("default `\"{name}\"`") } else { format!("{name} only") }
}

fn algorithms() -> String {
    let row = |kind: &Algorithm| {
        let AlgorithmEntry { key, help, reference, forms_regions, exact, takes_posets, .. } = *kind.entry();
        let finds = if forms_regions { "regions" } else { "levels" };
        vec![
            code(key),
            finds.into(),
            yes(exact),
            yes(takes_posets),
            yes(kind.takes_rounds()),
            help.into(),
            reference.into(),
        ]
    };
    let head = ["algorithm", "finds", "exact", "posets", "`local`", "how", "source"];
    rows(&head, Algorithm::ALL.iter().map(row))
}

fn models() -> String {
    let row = |kind: &ModelKind| {
        let ModelEntry { key, help, reference, parameters, works_with_regions, needs_k, monotone, .. } =
            *kind.entry();
        let beside = if needs_k { "; beside `privacy.k`" } else { "" };
        vec![
            code(key),
            help.into(),
            format!("{}{beside}", listed(parameters)),
            yes(works_with_regions),
            monotone.describe().into(),
            reference.into(),
        ]
    };
    let head = ["key", "what it asks for", "parameters", "regions", "monotone", "source"];
    rows(&head, ModelKind::ALL.iter().map(row))
}

fn entries(family: Family) -> String {
    let row = |entry: &Entry| {
        let parameters = match entry.shape {
            Shape::Word => "–".into(),
            Shape::Value(kind) => kind.describe(),
            Shape::Table(parameters) => listed(parameters),
        };
        vec![code(entry.key), entry.help.into(), parameters, entry.reference.into()]
    };
    let head = ["key", "what it is", "parameters", "source"];
    rows(&head, family.plain().unwrap_or_default().iter().map(row))
}

fn statistics() -> String {
    let row = |kind: &StatisticKind| {
        let columns = if kind.entry().of_pairs { "two" } else { "one" };
        vec![code(kind.key()), kind.entry().help.into(), columns.into()]
    };
    rows(&["statistic", "what it is", "columns"], StatisticKind::ALL.iter().map(row))
}

fn listed(parameters: &[Parameter]) -> String {
    let parameter = |p: &Parameter| format!("`{}`: {}", p.name, p.describe());
    parameters.iter().map(parameter).collect::<Vec<_>>().join("; ")
}

fn code(key: &str) -> String {
    format!("`{key}`")
}

fn yes(yes: bool) -> String {
    if yes { "yes".into() } else { "–".into() }
}

fn rows(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule = vec!["---".to_owned(); head.len()];
    let body = rows.map(|row| line(&row)).collect::<String>();
    line(&head) + &line(&rule) + &body
}
