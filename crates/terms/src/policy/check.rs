//! Validation of a policy beyond its grammar.

use std::collections::BTreeSet;

use super::{
    Column, Format, Policy, Role, argus, guide, ledger, local, models, nesting, prepare, profile, rules,
    subject, substitute, template, utility,
};
use crate::error::{Fault, nearest};
use crate::fault;

/// Errors that do not depend on the table.
pub(super) fn without_table(policy: &Policy) -> Vec<Fault> {
    let mut faults = Vec::new();
    if policy.version != 1 {
        faults.push(
            fault!(
                Input,
                "policy.unknown-version",
                "version {version} is not known",
                version = policy.version
            )
            .key("version")
            .help("write `version = 1`"),
        );
    }
    files(policy, &mut faults);
    prepare::check(policy, &mut faults);
    columns(policy, &mut faults);
    privacy(policy, &mut faults);
    models::check(policy, &mut faults);
    subject::check(policy, &mut faults);
    profile::check(policy, &mut faults);
    local::check(policy, &mut faults);
    nesting::check(policy, &mut faults);
    argus::check(policy, &mut faults);
    substitute::check(policy, &mut faults);
    template::check(policy, &mut faults);
    guide::check(policy, &mut faults);
    ledger::check(policy, &mut faults);
    linked(policy, &mut faults);
    rules::check(policy, &mut faults);
    loss(policy, &mut faults);
    utility::check(policy, &mut faults);
    faults
}

/// Conflicts with the table.
pub(super) fn against_table(policy: &Policy, columns: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for name in policy.columns.keys().filter(|name| !columns.contains(name)) {
        let names = || columns.iter().map(String::as_str);
        let help = match nearest(name, names()).or_else(|| part_of(name, names())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the table has {}", list(columns.iter().map(String::as_str))),
        };
        faults.push(
            fault!(Input, "policy.column-not-in-table", "the table has no such column", column = name)
                .key(format!("columns.{name}"))
                .help(help),
        );
    }
    let unnamed: Vec<&str> =
        columns.iter().map(String::as_str).filter(|c| !policy.columns.contains_key(*c)).collect();
    if !unnamed.is_empty() {
        faults.push(
            fault!(
                Input,
                "policy.columns-without-role",
                "the policy does not say what to do with {columns}",
                columns = list(unnamed.iter().copied())
            )
            .key("columns")
            .help(format!(
                "give each a role: [columns.{}] role = {}",
                quoted(unnamed[0]),
                Role::NAMES.map(|n| format!("\"{n}\"")).join(" | ")
            )),
        );
    }
    faults
}

/// The name that has this one in it, or is in it, and has the nearest length: `zip` for `zip_code`.
fn part_of<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST: usize = 3;
    let lower = name.to_lowercase();
    let related = |other: &&str| {
        let other = other.to_lowercase();
        let shorter = lower.chars().count().min(other.chars().count());
        shorter >= LEAST && (lower.contains(&other) || other.contains(&lower))
    };
    names.filter(related).min_by_key(|other| other.len().abs_diff(name.len()))
}

fn files(policy: &Policy, faults: &mut Vec<Fault>) {
    if policy.input.path.is_empty() {
        faults.push(
            fault!(Input, "policy.no-input-path", "no path is given")
                .key("input.path")
                .help("name the file that holds the table"),
        );
    }
    for (key, c) in [
        ("input.delimiter", Some(policy.input.delimiter)),
        ("input.quote", Some(policy.input.quote)),
        ("output.delimiter", policy.output.delimiter),
    ] {
        if c.is_some_and(|c| !c.is_ascii() || c == '\n' || c == '\r') {
            faults.push(
                fault!(Input, "policy.not-one-ascii-character", "must be one ASCII character")
                    .key(key)
                    .help("usual are \",\", \";\" and \"\\t\""),
            );
        }
    }
    if policy.input.delimiter == policy.input.quote {
        faults.push(
            fault!(Input, "policy.delimiter-is-quote", "delimiter and quote are the same character")
                .key("input.quote"),
        );
    }
    if policy.output.delimiter.unwrap_or(policy.input.delimiter) == '"' {
        faults.push(
            fault!(Input, "policy.output-delimiter-is-quote", "a release cannot be divided by the quote")
                .key("output.delimiter")
                .help("usual are \",\", \";\" and \"\\t\""),
        );
    }
    match policy.output.path.as_deref().map(|path| (path, Format::of_output(path))) {
        None | Some((_, Ok(_))) => {}
        Some((path, Err(fault))) if fault.code == "file.unknown-output-format" => faults.push(
            fault!(Input, "policy.unknown-output-format", "`{path}` does not show the format", path = path)
                .key("output.path")
                .help("end it in .csv, .parquet, .json or .arrow"),
        ),
        Some((_, Err(fault))) => faults.push(fault.key("output.path")),
    }
}

fn columns(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in &policy.columns {
        let key = |part: &str| format!("columns.{name}.{part}");
        if column.role != Role::Quasi {
            let given = [
                (
                    "hierarchy",
                    column.hierarchy.is_some() && column.level.is_none() && !policy.judged_by_hierarchy(name),
                ),
                ("min_level", column.min_level.is_some()),
                ("max_level", column.max_level.is_some()),
                ("domain", column.domain.is_some()),
                ("weight", column.weight.is_some()),
                ("tolerance", column.tolerance.is_some()),
                ("linking", column.linking.is_some()),
                ("identifying", column.identifying.is_some()),
            ];
            for (part, _) in given.iter().filter(|(_, given)| *given) {
                faults.push(
                    fault!(
                        Input,
                        "policy.column-not-generalized",
                        "a column with role \"{role}\" is not generalized",
                        role = column.role.name()
                    )
                    .key(key(part))
                    .help(format!("remove `{part}`, or give the column role = \"quasi\"")),
                );
            }
            faults.extend(level(policy, name, column));
            continue;
        }
        if column.level.is_some() {
            faults.push(
                fault!(
                    Input,
                    "policy.level-of-quasi-identifier",
                    "a quasi-identifier is generalized by the search"
                )
                .key(key("level"))
                .help("write min_level and max_level instead"),
            );
        }
        if let (Some(min), Some(max)) = (column.min_level, column.max_level)
            && min > max
        {
            faults.push(
                fault!(
                    Input,
                    "policy.min-level-above-max-level",
                    "min_level {min} is above max_level {max}",
                    min = min,
                    max = max
                )
                .key(key("min_level")),
            );
        }
        if column.weight.is_some_and(|w| !w.is_finite() || w < 0.0) {
            faults.push(fault!(Input, "policy.negative-weight", "must be 0 or more").key(key("weight")));
        }
    }
}

/// Errors of the level that a column is released at.
fn level(policy: &Policy, name: &str, column: &Column) -> Option<Fault> {
    column.level?;
    let (fault, help) = if column.role != Role::Sensitive {
        let fault = fault!(
            Input,
            "policy.level-of-other-role",
            "only a sensitive column is released at a level",
            column = name
        );
        (fault, "remove `level`")
    } else if column.hierarchy.is_none() {
        let fault =
            fault!(Input, "policy.level-without-hierarchy", "the column has no hierarchy", column = name);
        (fault, "give it a hierarchy, or remove `level`")
    } else if policy.columns.values().any(Column::is_replaced) {
        // The verifier recognizes a pseudonym by the other cells of its rows as they are in both
        // files.
        let fault = fault!(
            Input,
            "policy.level-with-substitute",
            "a table whose identifiers are replaced cannot have a column at a level",
            column = name
        );
        (fault, "remove `level`, or remove the identifiers instead")
    } else if policy.judged_by_hierarchy(name) {
        let fault = fault!(
            Input,
            "policy.level-hides-from-model",
            "a model looks at the hierarchy of the column below that level",
            column = name
        );
        (fault, "remove `level`, or ask for a model that compares values alone")
    } else {
        return None;
    };
    Some(fault.key(format!("columns.{name}.level")).help(help))
}

fn privacy(policy: &Policy, faults: &mut Vec<Fault>) {
    let privacy = &policy.privacy;
    let over_all = privacy.given_k.is_some() || privacy.anonymity.is_some() || !privacy.models.is_empty();
    if !over_all && privacy.quasi.is_empty() {
        faults.push(
            fault!(Input, "policy.no-guarantee", "the policy requires no guarantee")
                .key("privacy")
                .help("give `k`, for instance k = 5"),
        );
    }
    if privacy.given_k == Some(0) {
        faults.push(fault!(Input, "policy.k-is-zero", "k must be 1 or more").key("privacy.k"));
    }
    if let Some(share) = privacy.suppression.filter(|share| !(0.0..=1.0).contains(share)) {
        faults.push(
            fault!(Input, "policy.suppression-not-a-share", "{value} is not a share", value = share)
                .key("privacy.suppression")
                .help("give a number from 0 (no row) to 1 (any row); 0.05 is 5 %"),
        );
    }
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    if quasi.is_empty() {
        faults.push(
            fault!(Input, "policy.no-quasi-identifier", "no column has role \"quasi\"")
                .key("columns")
                .help("name the columns that somebody could link with another source"),
        );
    }
    let mut covered = BTreeSet::new();
    for (name, group) in &privacy.quasi {
        let key = format!("privacy.quasi.{name}");
        if group.k == 0 {
            faults.push(fault!(Input, "policy.k-is-zero", "k must be 1 or more").key(format!("{key}.k")));
        }
        if group.columns.is_empty() {
            faults.push(
                fault!(Input, "policy.group-without-columns", "has no columns").key(format!("{key}.columns")),
            );
        }
        let mut seen = BTreeSet::new();
        for column in &group.columns {
            if !seen.insert(column) {
                faults.push(
                    fault!(
                        Input,
                        "policy.column-twice-in-group",
                        "`{column}` is listed twice",
                        column = column
                    )
                    .key(format!("{key}.columns")),
                );
            }
            if !quasi.contains(column.as_str()) {
                faults.push(not_quasi(policy, column, &quasi).key(format!("{key}.columns")));
            }
            covered.insert(column.as_str());
        }
    }
    if !over_all && !privacy.quasi.is_empty() {
        for column in quasi.difference(&covered) {
            faults.push(
                fault!(
                    Input,
                    "policy.column-in-no-group",
                    "is in no group, and there is no k over all quasi-identifiers"
                )
                .key(format!("columns.{column}"))
                .help("add it to a group under privacy.quasi, give privacy.k, or change its role"),
            );
        }
    }
}

fn linked(policy: &Policy, faults: &mut Vec<Fault>) {
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    let mut seen = BTreeSet::new();
    for group in &policy.search.linked {
        if group.len() < 2 {
            faults.push(
                fault!(Input, "policy.too-few-linked-columns", "a group of linked columns needs two or more")
                    .key("search.linked"),
            );
        }
        for column in group {
            if !quasi.contains(column.as_str()) {
                faults.push(not_quasi(policy, column, &quasi).key("search.linked"));
            } else if !seen.insert(column) {
                faults.push(
                    fault!(
                        Input,
                        "policy.column-linked-twice",
                        "`{column}` is linked twice",
                        column = column
                    )
                    .key("search.linked")
                    .help("join the groups"),
                );
            }
        }
    }
}

/// What the search is to lose least of must be there and have these parameters.
fn loss(policy: &Policy, faults: &mut Vec<Fault>) {
    let parameters = policy.search.loss.parameters();
    faults.extend(super::check_loss(&parameters));
    if parameters.kind.needs_target() && policy.with_role(Role::Target).is_empty() {
        faults.push(super::no_target(parameters.kind));
    }
}

pub(super) fn not_quasi(policy: &Policy, column: &str, quasi: &BTreeSet<&str>) -> Fault {
    match policy.columns.get(column) {
        Some(c) => fault!(
            Input,
            "policy.not-a-quasi-identifier",
            "`{column}` has role \"{role}\", not \"quasi\"",
            column = column,
            role = c.role.name()
        ),
        None => {
            let fault =
                fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = column);
            match nearest(column, quasi.iter().copied()) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault,
            }
        }
    }
}

pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// A column name as a TOML key.
fn quoted(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { name.into() } else { format!("{name:?}") }
}
