//! The policy keys of Datafly II [Sweeney 2001, 6.2]: per column the recipient's tolerance for
//! distortion, per column and per group of columns the likelihood of linking, both from 0 to 1, and
//! an overall anonymity level from 0 to 1, which a table of the institution maps to k.
//!
//! Both profiles are preferences: they select the column that is generalized next. A linking of 0
//! is more than that. A column that nobody links on is not part of the quasi-identifier, so it is
//! released unchanged, and k does not count it.
//!
//! The level is another way to write `k`: [`Privacy::k`](super::Privacy::k) derives it, so all
//! other code, including the verifier, sees one number. A level between two
//! entries of the table is rounded up. Level 0 would release the original and is rejected.

use super::{Column, Group, Policy, Privacy, Role};
use crate::error::Fault;
use crate::fault;
use crate::registry::{Algorithm, AlgorithmEntry};

/// Level → k, as Sweeney's table for the voters of Cambridge has them: k is 1 % of the level's
/// share of 54,805. For a table of another size the institution should write its own.
pub const ANONYMITY_TABLE: [(f64, u64); 9] = [
    (0.1, 54),
    (0.2, 109),
    (0.3, 164),
    (0.4, 219),
    (0.5, 274),
    (0.6, 328),
    (0.7, 383),
    (0.8, 438),
    (0.9, 493),
];

/// How many rows may be suppressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A share of them, rounded down.
    Share(f64),
    /// A number of them.
    Rows(u64),
}

impl Privacy {
    /// Every combination of all quasi-identifiers occurs at least this often: as given, or derived
    /// from the anonymity level.
    pub fn k(&self) -> Option<u64> {
        self.given_k.or_else(|| self.derived_k())
    }

    /// The table that turns the anonymity level into k.
    fn table(&self) -> &[(f64, u64)] {
        self.anonymity_table.as_deref().unwrap_or(&ANONYMITY_TABLE)
    }

    /// The k of the anonymity level: that of the first level of the table which is not lower. The
    /// highest level, 1, needs no line of its own.
    fn derived_k(&self) -> Option<u64> {
        let level = self.anonymity?;
        let table = self.table();
        let found = table.iter().find(|(at, _)| *at >= level);
        found.or(table.last().filter(|_| level == 1.0)).map(|(_, k)| *k)
    }

    /// Whether everything is to be as general as the limits let it be: anonymity level 1.
    pub fn most_general(&self) -> bool {
        self.anonymity == Some(1.0)
    }
}

impl Policy {
    /// How many rows may be suppressed. Where the policy does not say, no row; but Datafly by its
    /// definition drops what is left once that is k rows or fewer, and differential privacy knows
    /// no limit.
    pub fn suppression(&self) -> Limit {
        // Whether a limit holds would leak data.
        if self.differential_privacy().is_some() {
            return Limit::Share(1.0);
        }
        let groups = self.privacy.quasi.values().map(|group| group.k);
        match self.privacy.suppression {
            Some(share) => Limit::Share(share),
            None if self.search.algorithm == Algorithm::Datafly => {
                Limit::Rows(self.privacy.k().into_iter().chain(groups).min().unwrap_or(0))
            }
            None => Limit::Share(0.0),
        }
    }
}

/// Errors of profiles and anonymity level.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in &policy.columns {
        for (part, value) in [("tolerance", column.tolerance), ("linking", column.linking)] {
            let key = format!("columns.{name}.{part}");
            faults.extend(value.and_then(|value| profile(policy, &key, (part, value))));
        }
    }
    group_linking(policy, faults);
    unlinked(policy, faults);
    match policy.privacy.anonymity {
        Some(level) => anonymity(policy, level, faults),
        None if policy.privacy.anonymity_table.is_some() => faults.push(
            fault!(Input, "policy.anonymity-table-unused", "is not used: no anonymity level is given")
                .key("privacy.anonymity_table")
                .help("give privacy.anonymity instead of privacy.k, or remove the table"),
        ),
        None => {}
    }
}

/// Errors of the likelihood of linking on columns of a group.
fn group_linking(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, group) in &policy.privacy.quasi {
        let key = format!("privacy.quasi.{name}.linking");
        for (column, &value) in &group.linking {
            faults.extend(profile(policy, &format!("{key}.{column}"), ("linking", value)));
            if !group.columns.contains(column) {
                faults.push(
                    fault!(
                        Input,
                        "policy.linking-outside-group",
                        "`{column}` is not in the group",
                        column = column
                    )
                    .key(format!("{key}.{column}"))
                    .help("add it to the group's columns, or remove it here"),
                );
            }
        }
        if !group.columns.is_empty() && group.columns.iter().all(|column| is_unlinked(policy, group, column))
        {
            faults.push(
                fault!(Input, "policy.group-without-links", "nobody links on any column of the group")
                    .key(key)
                    .help("give one of them a linking above 0, or remove the group"),
            );
        }
    }
}

/// Whether nobody links on a column as part of a group.
fn is_unlinked(policy: &Policy, group: &Group, column: &str) -> bool {
    let own = || policy.columns.get(column).and_then(|column| column.linking);
    group.linking.get(column).copied().or_else(own) == Some(0.0)
}

/// Errors of columns that nobody links on.
fn unlinked(policy: &Policy, faults: &mut Vec<Fault>) {
    let quasi = || policy.columns.iter().filter(|(_, column)| column.role == Role::Quasi);
    let mut push = |key: String, fault: Fault, help: &str| faults.push(fault.key(key).help(help));
    if quasi().next().is_some() && quasi().all(|(_, column)| column.linking == Some(0.0)) {
        let fault = fault!(Input, "policy.nothing-linked", "nobody links on any column");
        push("columns".into(), fault, "give one quasi-identifier a linking above 0");
    }
    for (name, column) in quasi().filter(|(_, column)| column.linking == Some(0.0)) {
        let linked = policy.search.linked.iter().flatten().any(|other| other == name);
        if linked || column.min_level.is_some_and(|level| level > 0) {
            let part = if linked { "search.linked".into() } else { format!("columns.{name}.min_level") };
            let fault = fault!(
                Input,
                "policy.unlinked-column-generalized",
                "`{column}` has linking = 0 and is released unchanged",
                column = name
            );
            push(part, fault, "remove it here, or give the column a linking above 0");
        }
        let groups = policy.privacy.quasi.iter();
        for (group, _) in groups.filter(|(_, group)| group.linking.get(name).is_some_and(|&l| l > 0.0)) {
            let fault = fault!(
                Input,
                "policy.linking-contradicts-group",
                "linking = 0 says that nobody links on `{column}`, and group `{group}` that somebody does",
                column = name,
                group = group
            );
            push(format!("columns.{name}.linking"), fault, "give the column a linking above 0");
        }
    }
    let over_all = policy.privacy.k().is_some() || !policy.privacy.models.is_empty();
    for (name, _) in quasi().filter(|(_, column)| column.linking != Some(0.0)) {
        let groups = || policy.privacy.quasi.values().filter(|group| group.columns.contains(name));
        if !over_all && groups().next().is_some() && groups().all(|group| is_unlinked(policy, group, name)) {
            let fault = fault!(
                Input,
                "policy.column-linked-in-no-group",
                "`{column}` is in no group that anybody links on, and there is no k over all quasi-identifiers",
                column = name
            );
            push(
                format!("columns.{name}"),
                fault,
                "write linking = 0 for the column: it is released unchanged",
            );
        }
    }
}

/// Takes columns that nobody links on out of the quasi-identifiers: the policy then reads as if they
/// had role "keep".
pub(super) fn release_unlinked(policy: &mut Policy) {
    let before = policy.clone();
    for column in policy.columns.values_mut() {
        if column.role == Role::Quasi && column.linking == Some(0.0) {
            *column = Column::of(Role::Keep);
        }
    }
    for group in policy.privacy.quasi.values_mut() {
        let all = group.clone();
        group.columns.retain(|column| !is_unlinked(&before, &all, column));
        group.linking.retain(|_, linking| *linking > 0.0);
    }
}

fn profile(policy: &Policy, key: &str, (part, value): (&'static str, f64)) -> Option<Fault> {
    if !(0.0..=1.0).contains(&value) {
        return Some(
            fault!(Input, "policy.profile-out-of-range", "{value} is not from 0 to 1", value = value)
                .key(key)
                .help("0 is the least, 1 the most; without the key it is 1"),
        );
    }
    let algorithm = policy.search.algorithm;
    // Who might link is Datafly's alone to ask; what the recipient tolerates decides ties of
    // k-Similar too (Sweeney 2001).
    let uses: fn(&AlgorithmEntry) -> bool = match part {
        "tolerance" => |entry| entry.uses_tolerance,
        _ => |entry| entry.uses_linking,
    };
    (!uses(algorithm.entry())).then(|| {
        let with = format!("\"{}\"", Algorithm::keys_with(uses).join("\" or \""));
        let fault = fault!(
            Input,
            "policy.algorithm-without-profiles",
            "algorithm \"{algorithm}\" does not use profiles: {profile}",
            algorithm = algorithm,
            profile = part
        );
        fault.key(key).help(format!(
            "set search.algorithm = {with}, or remove the key; for every algorithm there are max_level and weight"
        ))
    })
}

fn anonymity(policy: &Policy, level: f64, faults: &mut Vec<Fault>) {
    let key = "privacy.anonymity";
    if policy.privacy.given_k.is_some() {
        faults.push(
            fault!(Input, "policy.k-and-anonymity-level", "k and the anonymity level are both given")
                .key(key)
                .help("the level is turned into k by a table: remove one of them"),
        );
    }
    if level == 0.0 {
        faults.push(
            fault!(Input, "policy.anonymity-level-is-zero", "level 0 would release the original")
                .key(key)
                .help("give a level above 0; who wants no protection has to say k = 1"),
        );
    } else if !(0.0..=1.0).contains(&level) {
        faults.push(
            fault!(Input, "policy.anonymity-level-out-of-range", "{level} is not from 0 to 1", level = level)
                .key(key)
                .help("for instance 0.7"),
        );
    }
    if level == 1.0 && policy.search.algorithm != Algorithm::Datafly {
        faults.push(
            fault!(
                Input,
                "policy.most-general-without-datafly",
                "level 1 requires the most general release; algorithm \"{algorithm}\" looks for the least",
                algorithm = policy.search.algorithm
            )
            .key(key)
            .help("set search.algorithm = \"datafly\", or give a lower level"),
        );
    }
    let before = faults.len();
    table(policy.privacy.table(), faults);
    if faults.len() == before && (0.0..1.0).contains(&level) && policy.privacy.derived_k().is_none() {
        let last = policy.privacy.table().last().map_or(0.0, |(at, _)| *at);
        faults.push(
            fault!(
                Input,
                "policy.anonymity-level-beyond-table",
                "level {level} is beyond the table, which ends at {last}",
                last = last,
                level = level
            )
            .key(key)
            .help("give a lower level, or a privacy.anonymity_table that goes further"),
        );
    }
}

/// Levels and k both rise, or a higher level would not protect more.
fn table(table: &[(f64, u64)], faults: &mut Vec<Fault>) {
    let key = "privacy.anonymity_table";
    let help = "write pairs of level and k that both rise, such as [[0.5, 5], [0.9, 20]]";
    if table.is_empty() {
        faults.push(fault!(Input, "policy.anonymity-table-is-empty", "has no levels").key(key).help(help));
    }
    if let Some((level, k)) = table.iter().find(|(level, k)| !(*level > 0.0 && *level <= 1.0) || *k == 0) {
        faults.push(
            fault!(
                Input,
                "policy.anonymity-table-out-of-range",
                "[{level}, {k}]: a level is above 0 and at most 1, a k at least 1",
                level = level,
                k = k
            )
            .key(key)
            .help(help),
        );
    }
    if let Some(pair) = table.windows(2).find(|pair| !(pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)) {
        let [(a, j), (b, k)] = [pair[0], pair[1]];
        faults.push(
            fault!(
                Input,
                "policy.anonymity-table-does-not-rise",
                "does not rise from [{level}, {k}] to [{next_level}, {next_k}]",
                level = a,
                k = j,
                next_level = b,
                next_k = k
            )
            .key(key)
            .help(help),
        );
    }
}
