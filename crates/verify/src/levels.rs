//! The claim that every released quasi-identifier is at its claimed level, which the policy allows.
//!
//! With several steps, every released class must have one step that fits all its values. A step
//! after the first may only star: each column is at its level of the first step or at its top, and
//! linked columns alike. If the policy uses rounds of searches, every step has its own levels
//! instead, and the policy must allow each of them. Hierarchies are rebuilt from the values of the
//! original and of the population, if there is one. Without the original, only a hierarchy from a
//! file can be rebuilt, because all others depend on values that the release does not show; a
//! population shows them too. Costs one pass over the released classes and one look-up per distinct
//! released value.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::claims::Judged;
use super::classes::{Interner, MISSING};
use super::pace::Pace;
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, Spec};
use throng_terms::policy::{Policy, Role};
use throng_terms::release::Certificate;
use throng_terms::table::Dictionary;

/// Builds the hierarchy of a column from the values that it has.
pub type Build<'a> = dyn Fn(&str, &Dictionary) -> Result<Hierarchy> + 'a;

/// A quasi-identifier with the levels it is claimed to have.
#[derive(Debug)]
pub(super) struct Chain<'a> {
    pub(super) name: &'a str,
    /// Step → level, for one step at least; none where the certificate gives none.
    pub(super) levels: Vec<Option<usize>>,
    /// None where it cannot be built without the original.
    pub(super) hierarchy: Option<Hierarchy>,
    /// The order of values that the policy states.
    pub(super) order: Option<&'a [String]>,
}

impl Chain<'_> {
    /// The hierarchy with the level of a step, where both are there and fit.
    pub(super) fn at(&self, step: usize) -> Option<(&Hierarchy, usize)> {
        let (hierarchy, level) = (self.hierarchy.as_ref()?, self.levels.get(step).copied()??);
        (level <= hierarchy.height()).then_some((hierarchy, level))
    }

    /// The level at the first step.
    pub(super) fn first(&self) -> Option<usize> {
        self.levels.first().copied().flatten()
    }

    /// The distinct levels that fit the hierarchy.
    fn fitting(&self) -> BTreeSet<usize> {
        (0..self.levels.len()).filter_map(|step| self.at(step)).map(|(_, level)| level).collect()
    }
}

/// Builds what can be built, for the quasi-identifiers in name order.
pub(super) fn chains<'a>(
    policy: &'a Policy,
    certificate: &Certificate,
    released: &Side,
    (original, population): (Option<&Side>, Option<&Side>),
    build: &Build<'_>,
) -> Result<Vec<Chain<'a>>> {
    let mut chains = Vec::new();
    for (at, name) in policy.with_role(Role::Quasi).into_iter().enumerate() {
        let hierarchy = match (original, population) {
            (Some(original), population) => {
                let mut values = original.interners[at].dictionary();
                population.into_iter().for_each(|p| without_rows(&p.interners[at], &mut values));
                Some(build(name, &values)?)
            }
            // Everybody in the original is in the population; but how frequent a value is there
            // says nothing of here.
            (None, Some(population)) if !matches!(policy.columns[name].hierarchy(), Spec::Priority(_)) => {
                let mut values = Dictionary::new();
                without_rows(&population.interners[at], &mut values);
                Some(build(name, &values)?)
            }
            (None, _) if matches!(policy.columns[name].hierarchy(), Spec::File(_)) => {
                // The file has every value but the missing one.
                let missing = (released.interners[at].count(MISSING) > 0).then_some(None);
                Some(build(name, &Dictionary::of(missing))?)
            }
            (None, _) => None,
        };
        let later = certificate.release.steps.iter().skip(1).map(|step| &step.levels);
        let all = std::iter::once(&certificate.release.levels).chain(later);
        let levels = all.map(|levels| levels.get(name).copied()).collect();
        let order = policy.columns[name].stated_order().map(|order| &order.values[..]);
        chains.push(Chain { name, levels, hierarchy, order });
    }
    Ok(chains)
}

/// Adds the values of a population: whatever is not in the table has no rows.
fn without_rows(population: &Interner, values: &mut Dictionary) {
    for number in (0..population.len() as u32).filter(|&number| population.count(number) > 0) {
        values.add(population.value(number), 0);
    }
}

/// The verifier's number of a generalized value: 1 more than its code, or missing.
pub(super) fn number(hierarchy: &Hierarchy, level: usize, code: u32) -> u32 {
    if hierarchy.label(level, code).is_none() { MISSING } else { code + 1 }
}

/// Number of a generalized value → leaves under it.
pub(super) fn leaves_under(hierarchy: &Hierarchy, level: usize) -> Vec<f64> {
    let mut leaves = vec![1.0];
    leaves
        .extend((0..hierarchy.size(level) as u32).map(|code| f64::from(hierarchy.leaves_under(level, code))));
    if let Some(code) = hierarchy.missing_at(level) {
        leaves[MISSING as usize] = f64::from(hierarchy.leaves_under(level, code));
    }
    leaves
}

/// The claim itself.
pub(super) fn levels(
    policy: &Policy,
    certificate: &Certificate,
    chains: &[Chain<'_>],
    (released, judged): (&Side, &Judged),
    pace: &Pace<'_>,
) -> Result<Finding> {
    let used = used(released, judged);
    let mut wrong = Wrong::default();
    if policy.search.local {
        let steps = chains.first().map_or(1, |chain| chain.levels.len());
        wrong.extend((0..steps).flat_map(|step| limits(policy, chains, step)));
        let starred = certificate.release.steps.iter().map(|facts| facts.starred);
        wrong.extend(
            starred
                .filter(|&n| n > 0)
                .map(|n| format!("{} starred, and steps are searched for", several(n, "cell"))),
        );
    } else {
        wrong.extend(limits(policy, chains, 0));
        wrong.extend(stars(policy, certificate, chains));
    }
    let mut unknown = Vec::new();
    let mut strange = false;
    for (at, chain) in chains.iter().enumerate() {
        wrong.extend(unfit(chain));
        match &chain.hierarchy {
            None => unknown.push(chain.name),
            Some(hierarchy) => {
                pace.look()?;
                let found = strangers(chain, hierarchy, released, at, &used[at]);
                strange |= found.is_some();
                wrong.extend(found);
            }
        }
    }
    if !strange {
        misfits(chains, released, judged, &mut wrong, pace)?;
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
    Ok(finding)
}

/// Levels that are not given or that the hierarchy does not have.
fn unfit(chain: &Chain<'_>) -> Vec<String> {
    let mut wrong = BTreeSet::new();
    for level in &chain.levels {
        match (level, &chain.hierarchy) {
            (None, _) => wrong.insert(format!("no level is claimed for `{}`", chain.name)),
            (Some(level), Some(hierarchy)) if *level > hierarchy.height() => wrong.insert(format!(
                "`{}` is claimed to be at level {level}, its highest is {}",
                chain.name,
                hierarchy.height()
            )),
            _ => false,
        };
    }
    wrong.into_iter().collect()
}

/// Evidence against the steps after the first, as far as hierarchies are known.
fn stars(policy: &Policy, certificate: &Certificate, chains: &[Chain<'_>]) -> Vec<String> {
    let mut wrong = Vec::new();
    let top = |chain: &Chain<'_>, step: usize| chain.at(step).map(|(h, level)| level == h.height());
    for (step, facts) in certificate.release.steps.iter().enumerate() {
        for chain in chains.iter().filter(|chain| top(chain, step) == Some(false)) {
            if chain.levels[step] != chain.first() {
                wrong.push(format!("`{}` is neither starred nor at its level in step {step}", chain.name));
            }
        }
        for linked in &policy.search.linked {
            let tops = chains.iter().filter(|chain| linked.iter().any(|name| name == chain.name));
            let tops: Vec<bool> = tops.filter_map(|chain| top(chain, step)).collect();
            if step > 0 && tops.windows(2).any(|pair| pair[0] != pair[1]) {
                wrong.push(format!(
                    "linked columns are not starred alike in step {step}: {}",
                    linked.join(", ")
                ));
            }
        }
        let new = chains.iter().map(|chain| Some(top(chain, step)? && !top(chain, 0)?));
        let new: Option<Vec<bool>> = new.collect();
        let stars = new.map(|new| new.into_iter().filter(|new| *new).count() as u64);
        if let Some(stars) = stars.filter(|stars| stars.checked_mul(facts.rows) != Some(facts.starred)) {
            wrong.push(format!(
                "step {step} stars {} of {}, not {} in all",
                several(stars, "cell"),
                several(facts.rows, "row"),
                facts.starred
            ));
        }
    }
    wrong
}

/// What the policy says about the levels of a step, whatever the values are.
fn limits(policy: &Policy, chains: &[Chain<'_>], step: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for chain in chains {
        let column = &policy.columns[chain.name];
        let Some(level) = chain.levels.get(step).copied().flatten() else { continue };
        if let Some(min) = column.min_level.filter(|&min| level < min) {
            wrong.push(format!("`{}` is at level {level}, below {min}, the least allowed", chain.name));
        }
        if let Some(max) = column.max_level.filter(|&max| level > max) {
            wrong.push(format!("`{}` is at level {level}, above {max}, the highest allowed", chain.name));
        }
    }
    if policy.privacy.most_general() {
        wrong.extend(chains.iter().filter_map(|chain| too_special(policy, chains, chain)));
    }
    let level = |name: &String| {
        chains.iter().find(|chain| chain.name == name).and_then(|chain| chain.levels.get(step).copied()?)
    };
    for linked in &policy.search.linked {
        if linked.windows(2).any(|pair| level(&pair[0]) != level(&pair[1])) {
            wrong.push(format!("linked columns are at different levels: {}", linked.join(", ")));
        }
    }
    if step > 0 {
        wrong.iter_mut().for_each(|words| words.push_str(&format!(" (step {step})")));
    }
    wrong
}

/// A level below the highest that the policy allows for its column, if the policy requests the most
/// general release.
fn too_special(policy: &Policy, chains: &[Chain<'_>], chain: &Chain<'_>) -> Option<String> {
    let highest = |chain: &Chain<'_>| {
        let column = &policy.columns[chain.name];
        let height = chain.hierarchy.as_ref()?.height();
        Some(column.max_level.unwrap_or(height).min(height))
    };
    // Linked columns rise together, as far as all of them may.
    let linked = policy.search.linked.iter().find(|group| group.iter().any(|name| name == chain.name));
    let together = |other: &&Chain<'_>| {
        other.name == chain.name || linked.is_some_and(|group| group.iter().any(|name| name == other.name))
    };
    let highest: Option<Vec<usize>> = chains.iter().filter(together).map(highest).collect();
    let (highest, level) = (highest?.into_iter().min()?, chain.first()?);
    (level < highest)
        .then(|| format!("`{}` is at level {level}, anonymity level 1 requires {highest}", chain.name))
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

/// Released values that are labels of none of the column's levels.
fn strangers(
    chain: &Chain<'_>,
    hierarchy: &Hierarchy,
    released: &Side,
    at: usize,
    used: &[bool],
) -> Option<String> {
    let levels = chain.fitting();
    if levels.is_empty() {
        return None;
    }
    let labels: FxHashSet<Option<&str>> = levels.iter().flat_map(|&level| labels(hierarchy, level)).collect();
    let value = |number: &usize| released.interners[at].value(*number as u32);
    let strange: Vec<Option<&str>> = (0..used.len())
        .filter(|&number| used[number])
        .map(|number| value(&number))
        .filter(|value| !labels.contains(value))
        .collect();
    let what = match &strange[..] {
        [] => return None,
        [None] => "a missing cell".to_owned(),
        [Some(_)] => "1 value".to_owned(),
        more => format!("{} values", more.len()),
    };
    let levels: Vec<String> = levels.iter().map(usize::to_string).collect();
    let fit = if strange.len() == 1 { "is not a label" } else { "are not labels" };
    Some(format!("{what} in `{}` {fit} of level {}", chain.name, levels.join(" or ")))
}

fn labels(hierarchy: &Hierarchy, level: usize) -> impl Iterator<Item = Option<&str>> {
    (0..hierarchy.size(level)).map(move |code| hierarchy.label(level, code as u32))
}

/// Classes whose values fit several steps, but no single one.
fn misfits(
    chains: &[Chain<'_>],
    released: &Side,
    judged: &Judged,
    wrong: &mut Wrong,
    pace: &Pace<'_>,
) -> Result<()> {
    let steps = chains.first().map_or(0, |chain| chain.levels.len());
    if steps < 2 {
        return Ok(());
    }
    // Column → level → number of a released value → whether it is a label of that level.
    let known = |(chain, interner): (&Chain<'_>, &Interner)| -> BTreeMap<usize, Vec<bool>> {
        let Some(hierarchy) = &chain.hierarchy else { return BTreeMap::new() };
        let of_level = |level: usize| {
            let labels: FxHashSet<Option<&str>> = labels(hierarchy, level).collect();
            (0..interner.len() as u32).map(|number| labels.contains(&interner.value(number))).collect()
        };
        chain.fitting().into_iter().map(|level| (level, of_level(level))).collect()
    };
    let known: Vec<_> = chains.iter().zip(&released.interners).map(known).collect();
    let fits = |class: usize, step: usize| {
        let cells = released.classes.tuples.tuple(class).iter().zip(chains.iter().zip(&known));
        cells.into_iter().all(|(&number, (chain, known))| {
            let known = chain.levels[step].and_then(|level| known.get(&level));
            known.is_none_or(|labels| labels[number as usize])
        })
    };
    for class in (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0) {
        pace.steps(steps as u64)?;
        if !(0..steps).any(|step| fits(class, step)) {
            wrong.add(|| format!("{} fits no step", released.name(class)));
        }
    }
    Ok(())
}
