//! The claim that every released quasi-identifier sits at its claimed level, which the policy allows.
//!
//! A hierarchy is built again from the original's values; without the original only a hierarchy from a file
//! can be, because every other one depends on values that the release does not show. Costs one
//! pass over the released classes and one look-up per distinct released value.

use rustc_hash::FxHashMap;

use super::claims::Judged;
use super::classes::MISSING;
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use crate::error::Result;
use crate::hierarchy::{Hierarchy, Spec};
use crate::policy::{Policy, Role};
use crate::release::Certificate;
use crate::table::Dictionary;

/// Builds the hierarchy of a column from the values that it has.
pub type Build<'a> = dyn Fn(&str, &Dictionary) -> Result<Hierarchy> + 'a;

/// A quasi-identifier with the level it is claimed to have.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    pub(super) name: &'a str,
    /// None where the certificate gives none.
    pub(super) level: Option<usize>,
    /// None where it cannot be built without the original.
    pub(super) hierarchy: Option<Hierarchy>,
}

impl Chain<'_> {
    /// The hierarchy with the level, where both are there and fit.
    pub(super) fn at(&self) -> Option<(&Hierarchy, usize)> {
        let (hierarchy, level) = (self.hierarchy.as_ref()?, self.level?);
        (level <= hierarchy.height()).then_some((hierarchy, level))
    }
}

/// Builds what can be built, for the quasi-identifiers in name order.
pub(super) fn chains<'a>(
    policy: &'a Policy,
    certificate: &Certificate,
    released: &Side,
    original: Option<&Side>,
    build: &Build<'_>,
) -> Result<Vec<Chain<'a>>> {
    let mut chains = Vec::new();
    for (at, name) in policy.with_role(Role::Quasi).into_iter().enumerate() {
        let hierarchy = match original {
            Some(original) => Some(build(name, &original.interners[at].dictionary())?),
            None if matches!(policy.columns[name].hierarchy(), Spec::File(_)) => {
                // The file has every value but the missing one.
                let missing = (released.interners[at].count(MISSING) > 0).then_some(None);
                Some(build(name, &Dictionary::of(missing))?)
            }
            None => None,
        };
        chains.push(Chain { name, level: certificate.release.levels.get(name).copied(), hierarchy });
    }
    Ok(chains)
}

/// The number under which the judge knows a generalized value: 1 more than its code, or missing.
pub(super) fn number(hierarchy: &Hierarchy, level: usize, code: u32) -> u32 {
    if hierarchy.label(level, code).is_none() { MISSING } else { code + 1 }
}

/// The claim itself.
pub(super) fn levels(policy: &Policy, chains: &[Chain<'_>], released: &Side, judged: &Judged) -> Finding {
    let used = used(released, judged);
    let mut wrong = Wrong::default();
    wrong.extend(limits(policy, chains));
    let mut unknown = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        match (&chain.hierarchy, chain.level, chain.at()) {
            (_, None, _) => wrong.push(format!("no level is claimed for `{}`", chain.name)),
            (None, Some(_), _) => unknown.push(chain.name),
            (Some(hierarchy), Some(level), None) => wrong.push(format!(
                "`{}` is claimed to be at level {level}, its highest is {}",
                chain.name,
                hierarchy.height()
            )),
            (_, _, Some((hierarchy, level))) => {
                wrong.extend(strangers(chain.name, hierarchy, level, released, at, &used[at]));
            }
        }
    }
    let mut finding = Finding::of(&wrong, || {
        format!("the values of {} are labels of the claimed levels", several(chains.len() as u64, "column"))
    });
    if finding.holds && !unknown.is_empty() {
        finding = Finding::unchecked(match unknown.len() == chains.len() {
            true => WITHOUT_ORIGINAL.into(),
            false => format!(
                "the values of {} are labels of the claimed levels; {WITHOUT_ORIGINAL}: {}",
                several((chains.len() - unknown.len()) as u64, "column"),
                unknown.join(", ")
            ),
        });
    }
    finding.unchecked |= !unknown.is_empty();
    finding
}

/// What the policy says about levels, whatever the values are.
fn limits(policy: &Policy, chains: &[Chain<'_>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for chain in chains {
        let column = &policy.columns[chain.name];
        let Some(level) = chain.level else { continue };
        if let Some(min) = column.min_level.filter(|&min| level < min) {
            wrong.push(format!("`{}` is at level {level}, below {min}, the least allowed", chain.name));
        }
        if let Some(max) = column.max_level.filter(|&max| level > max) {
            wrong.push(format!("`{}` is at level {level}, above {max}, the highest allowed", chain.name));
        }
    }
    wrong.extend(chains.iter().filter_map(|chain| intolerable(policy, chain)));
    if policy.privacy.most_general() {
        wrong.extend(chains.iter().filter_map(|chain| too_special(policy, chains, chain)));
    }
    let level = |name: &String| chains.iter().find(|chain| chain.name == name).and_then(|chain| chain.level);
    for linked in &policy.search.linked {
        if linked.windows(2).any(|pair| level(&pair[0]) != level(&pair[1])) {
            wrong.push(format!("linked columns are at different levels: {}", linked.join(", ")));
        }
    }
    wrong
}

/// A level below the highest that the policy lets its column have, where the most general release is asked for.
fn too_special(policy: &Policy, chains: &[Chain<'_>], chain: &Chain<'_>) -> Option<String> {
    let highest = |chain: &Chain<'_>| {
        let column = &policy.columns[chain.name];
        let height = chain.hierarchy.as_ref()?.height();
        let tolerated =
            |level: &usize| *level as f64 <= column.tolerance.unwrap_or(1.0) * height as f64 + 1e-9;
        (0..=column.max_level.unwrap_or(height).min(height)).rfind(tolerated)
    };
    // Linked columns rise together, as far as all of them may.
    let linked = policy.search.linked.iter().find(|group| group.iter().any(|name| name == chain.name));
    let together = |other: &&Chain<'_>| {
        other.name == chain.name || linked.is_some_and(|group| group.iter().any(|name| name == other.name))
    };
    let highest: Option<Vec<usize>> = chains.iter().filter(together).map(highest).collect();
    let (highest, level) = (highest?.into_iter().min()?, chain.level?);
    (level < highest)
        .then(|| format!("`{}` is at level {level}, anonymity level 1 asks for {highest}", chain.name))
}

/// A level beyond the share of its hierarchy that the recipient tolerates.
fn intolerable(policy: &Policy, chain: &Chain<'_>) -> Option<String> {
    let tolerance = policy.columns[chain.name].tolerance?;
    let (hierarchy, level) = chain.at()?;
    let share = level as f64 / hierarchy.height().max(1) as f64;
    (share > tolerance + 1e-9).then(|| {
        format!(
            "`{}` is at level {level} of {}, beyond tolerance {tolerance}",
            chain.name,
            hierarchy.height()
        )
    })
}

/// Column → number → whether a row that is not starred has it.
fn used(released: &Side, judged: &Judged) -> Vec<Vec<bool>> {
    let mut used: Vec<_> = released.interners.iter().map(|interner| vec![false; interner.len()]).collect();
    for class in (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0) {
        for (column, &number) in used.iter_mut().zip(released.classes.tuples.tuple(class)) {
            column[number as usize] = true;
        }
    }
    used
}

/// Released values that are no labels of the level.
fn strangers(
    name: &str,
    hierarchy: &Hierarchy,
    level: usize,
    released: &Side,
    at: usize,
    used: &[bool],
) -> Option<String> {
    let labels: FxHashMap<Option<&str>, ()> =
        (0..hierarchy.size(level)).map(|code| (hierarchy.label(level, code as u32), ())).collect();
    let value = |number: &usize| released.interners[at].value(*number as u32);
    let strange: Vec<Option<&str>> = (0..used.len())
        .filter(|&number| used[number])
        .map(|number| value(&number))
        .filter(|value| !labels.contains_key(value))
        .collect();
    let first = strange.first()?.map_or("a missing cell".into(), |value| format!("`{value}`"));
    let more = match strange.len() {
        1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    Some(format!("{first}{more} in `{name}` is no label of level {level}"))
}
