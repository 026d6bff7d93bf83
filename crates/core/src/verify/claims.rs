//! The claims that the released file and the certificate settle between them, without the original.
//!
//! Each function looks at one claim and names everything that speaks against it. All together cost one
//! pass over the released classes per set of columns.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::MISSING;
use super::groups::{Group, View};
use super::sampling;
use super::side::Side;
use super::verdict::{Finding, Wrong, several};
use crate::error::Result;
use crate::hierarchy::TOP;
use crate::policy::{Form, Limit, Missing, Policy, Role, Suppressed};
use crate::release::{Certificate, FileFacts, RegionFacts};

/// A guarantee that the policy asks for.
pub(super) struct Asked<'a> {
    /// Its name in a certificate.
    pub(super) claim: &'a str,
    pub(super) required: f64,
    /// Whether a figure meets it.
    pub(super) holds: Box<dyn Fn(f64) -> bool + 'a>,
}

/// The seal, and the certificate's numbers against each other and against the policy.
pub(super) fn certificate(
    policy: &Policy,
    asked: &[Asked<'_>],
    certificate: &Certificate,
) -> Result<Finding> {
    let release = &certificate.release;
    let mut wrong = Wrong::default();
    if !certificate.sealed()? {
        wrong.push("it was changed after it was sealed");
    }
    if release.released.checked_add(release.suppressed) != Some(release.rows) {
        wrong.push(format!(
            "{} released and {} suppressed are not {}",
            release.released,
            release.suppressed,
            several(release.rows, "row")
        ));
    }
    wrong.extend(sampling::certificate(policy, certificate));
    if release.sampling.is_none() && release.input.rows != release.rows {
        wrong.push(format!("the input has {}, not {}", several(release.input.rows, "row"), release.rows));
    }
    let written = match policy.output.suppressed {
        Suppressed::Dropped | Suppressed::Cells => release.released,
        Suppressed::Starred => release.rows,
    };
    if release.output.rows != written {
        wrong.push(format!("the output has {}, not {written}", several(release.output.rows, "row")));
    }
    let limit = match policy.suppression() {
        // A share such as 0.29 of 100 rows is 29 of them, though the product is a rounding error short of it.
        Limit::Share(share) => (share * release.rows as f64 + 1e-6).floor(),
        Limit::Rows(rows) => rows as f64,
    };
    // Where rows are searched again, those that are left in the end count, and otherwise those that the first step leaves.
    let first = release.steps.first().filter(|_| !policy.search.local);
    match first.map(|first| release.rows.saturating_sub(first.rows)) {
        None if release.suppressed as f64 > limit => {
            wrong.push(format!("{} suppressed, at most {limit} may be", several(release.suppressed, "row")));
        }
        Some(flagged) if flagged as f64 > limit => wrong.push(format!(
            "{} suppressed or released after the first step, at most {limit} may be",
            several(flagged, "row")
        )),
        _ => {}
    }
    match (policy.forms_regions(), &release.regions) {
        (true, None) => wrong.push("no regions are claimed, and the policy asks for some"),
        (false, Some(_)) => wrong.push("regions are claimed, and the policy asks for levels"),
        (true, Some(_)) if !release.levels.is_empty() || !release.steps.is_empty() => {
            wrong.push("levels are claimed beside regions");
        }
        (true, Some(regions)) => wrong.extend(regional(policy, certificate, regions)),
        (false, None) => {
            wrong.extend(leveled(policy, &release.levels));
            wrong.extend(steps(policy, certificate));
        }
    }
    wrong.extend(guarantees(asked, certificate));
    wrong.extend(figures(policy, certificate));
    Ok(Finding::of(&wrong, || {
        format!("sealed, and its numbers agree: {} released and suppressed", several(release.rows, "row"))
    }))
}

/// What is said of regions must follow from the policy, as far as it does.
fn regional(policy: &Policy, certificate: &Certificate, regions: &RegionFacts) -> Vec<String> {
    let (release, search) = (&certificate.release, &certificate.release.search);
    let mut wrong = Vec::new();
    if search.algorithm != policy.search.algorithm {
        wrong.push(format!(
            "\"{}\" formed them, the policy says \"{}\"",
            search.algorithm, policy.search.algorithm
        ));
    }
    // Nothing is less than a loss of 0; of any other nobody knows.
    if search.optimal != (search.gap == 0.0) {
        wrong.push(format!(
            "the gap is {}, and the search is said to be optimal: {}",
            search.gap, search.optimal
        ));
    }
    if (regions.count == 0) != (release.released == 0) || regions.count > release.released {
        wrong.push(format!("{} of {}", several(regions.count, "region"), several(release.released, "row")));
    }
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    let given: BTreeSet<&str> = regions.forms.keys().map(String::as_str).collect();
    wrong.extend(quasi.symmetric_difference(&given).map(|name| format!("how `{name}` is written")));
    for (name, form) in &regions.forms {
        let Some(column) = policy.columns.get(name) else { continue };
        let fits = match (column.form, &column.poset, &column.hierarchy) {
            (Some(asked), ..) => *form == asked,
            (None, Some(_), _) => *form == Form::Poset,
            (None, None, Some(_)) => *form == Form::Label,
            // Which of the two follows from the values.
            (None, None, None) => matches!(form, Form::Interval | Form::Set),
        };
        if !fits {
            wrong.push(format!("`{name}` is not written as the policy says"));
        }
    }
    wrong
}

/// Figures that every certificate has, unless they would tell too much (see [`Release::published`](crate::release::Release::published)).
fn figures(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    if release.sampling.is_some() || release.released == 0 {
        return Vec::new();
    }
    let loss = policy.search.loss.parameters().name;
    let no_loss = !release.loss.contains_key(&loss);
    let missed = [
        (no_loss, format!("the loss {loss} is missing")),
        (release.risk.is_none(), "the risk is missing".into()),
    ];
    missed.into_iter().filter(|(missing, _)| *missing).map(|(_, words)| words).collect()
}

/// Levels must be given for the quasi-identifiers and for nothing else.
fn leveled(policy: &Policy, levels: &BTreeMap<String, usize>) -> Vec<String> {
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    let given: BTreeSet<&str> = levels.keys().map(String::as_str).collect();
    let without = quasi.difference(&given).map(|name| format!("no level is given for `{name}`"));
    let beyond =
        given.difference(&quasi).map(|name| format!("a level is given for `{name}`, not a quasi-identifier"));
    without.chain(beyond).collect()
}

/// Steps must be asked for, begin with the levels, and release the rows that are said to be released.
fn steps(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    let mut wrong = Vec::new();
    let Some(first) = release.steps.first() else { return wrong };
    if policy.output.suppressed != Suppressed::Cells && !policy.search.local {
        wrong.push(format!("{}, but the policy asks for one", several(release.steps.len() as u64, "step")));
    }
    if first.levels != release.levels {
        wrong.push("the first step is not at the levels".into());
    }
    for (at, step) in release.steps.iter().enumerate().skip(1) {
        wrong.extend(leveled(policy, &step.levels).into_iter().map(|words| format!("step {at}: {words}")));
    }
    let rows = release.steps.iter().try_fold(0_u64, |sum, step| sum.checked_add(step.rows));
    if rows != Some(release.released) {
        wrong.push(format!("the steps do not release {}", several(release.released, "row")));
    }
    wrong
}

/// The guarantees must be the policy's, and each must say of itself what its numbers say.
fn guarantees(asked: &[Asked<'_>], certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    let mut wrong = Vec::new();
    for Asked { claim: name, required, holds } in asked {
        let Some(claim) = release.privacy.get(*name) else {
            wrong.push(format!("{name} is not claimed"));
            continue;
        };
        if claim.required != *required {
            wrong.push(format!("{name} of {} is claimed, {required} is required", claim.required));
        }
        match claim.achieved {
            Some(achieved) if claim.holds != holds(achieved) => {
                wrong.push(format!(
                    "{name} of {achieved} is said to hold: {}, {required} is required",
                    claim.holds
                ));
            }
            Some(_) if release.released == 0 => {
                wrong.push(format!("{name} is said to be reached by no row"));
            }
            None if release.released > 0 => {
                wrong.push(format!("{name} has no number"));
            }
            _ => {}
        }
    }
    for name in release.privacy.keys().filter(|name| asked.iter().all(|asked| asked.claim != **name)) {
        wrong.push(format!("{name} is claimed, but the policy does not ask for it"));
    }
    for name in release.predicted.keys().filter(|name| asked.iter().all(|asked| asked.claim != **name)) {
        wrong.push(format!("people are predicted for {name}, but the policy does not ask for it"));
    }
    wrong
}

/// The policy that is at hand must be the one that was followed.
pub(super) fn policy(sha256: &str, certificate: &Certificate) -> Finding {
    let mut wrong = Wrong::default();
    wrong.extend(digest("policy", Some(sha256), &certificate.release.policy.sha256));
    Finding::of(&wrong, || "the policy is the one that was followed".into())
}

/// The released columns: those that the policy lets out, once each, in the certificate's order, and no
/// others.
pub(super) fn columns(policy: &Policy, certificate: &Certificate, found: &[String]) -> Finding {
    let mut wrong = Wrong::default();
    let mut seen = BTreeSet::new();
    for name in found {
        if !seen.insert(name.as_str()) {
            wrong.push(format!("column `{name}` is there twice"));
            continue;
        }
        match policy.columns.get(name) {
            None => wrong.push(format!("column `{name}` is not in the policy")),
            Some(column) if !column.released() => {
                wrong.push(format!(
                    "column `{name}` has role \"{}\" and must not be released",
                    column.role.name()
                ));
            }
            Some(_) => {}
        }
    }
    let released = policy.columns.iter().filter(|(_, column)| column.released());
    for (name, _) in released.filter(|(name, _)| !seen.contains(name.as_str())) {
        wrong.push(format!("column `{name}` is not there"));
    }
    if found != certificate.columns {
        wrong.push(format!(
            "the columns are {}, the certificate says {}",
            found.join(", "),
            certificate.columns.join(", ")
        ));
    }
    Finding::of(&wrong, || format!("{}, as the policy says", several(found.len() as u64, "column")))
}

/// A file's digest and number of rows.
pub(super) fn file(what: &str, sha256: Option<&str>, rows: u64, facts: &FileFacts) -> Wrong {
    let mut wrong = Wrong::default();
    wrong.extend(digest(what, sha256, &facts.sha256));
    if rows != facts.rows {
        wrong.push(format!("the {what} has {}, the certificate says {}", several(rows, "row"), facts.rows));
    }
    wrong
}

fn digest(what: &str, found: Option<&str>, stated: &str) -> Option<String> {
    match found {
        Some(found) if found == stated => None,
        Some(found) => Some(format!("the {what} has the digest {found}, the certificate says {stated}")),
        None => Some(format!("the digest of the {what} is not known")),
    }
}

/// The rows of every released class that must be safe: all but the starred rows.
pub(super) struct Judged {
    /// Rows per class of the released file; 0 where all its rows are starred.
    pub(super) counts: Vec<u64>,
    /// Starred rows that were found, at most as many as are claimed to be suppressed.
    pub(super) starred: u64,
}

/// Sets the starred rows aside. A starred row looks like a row whose quasi-identifiers all sit at a
/// highest level called `*`, so only as many rows are taken for starred as the certificate says were
/// suppressed; those that are left are a class like any other.
pub(super) fn judged(policy: &Policy, certificate: &Certificate, released: &Side) -> Judged {
    let mut judged = Judged { counts: released.classes.counts(), starred: 0 };
    if policy.output.suppressed == Suppressed::Starred
        && let Some(class) = starred(released)
    {
        judged.starred = judged.counts[class].min(certificate.release.suppressed);
        judged.counts[class] -= judged.starred;
    }
    judged
}

/// The released class with `*` in every column.
pub(super) fn starred(released: &Side) -> Option<usize> {
    let tuple: Option<Vec<u32>> = released.interners.iter().map(|i| i.get(Some(TOP))).collect();
    released.classes.tuples.get(&tuple?)
}

/// The released file is the one that was certified, and has its starred rows.
pub(super) fn output(
    policy: &Policy,
    certificate: &Certificate,
    sha256: Option<&str>,
    released: &Side,
    judged: &Judged,
) -> Finding {
    let mut wrong = file("release", sha256, released.rows, &certificate.release.output);
    let suppressed = certificate.release.suppressed;
    if policy.output.suppressed == Suppressed::Starred && judged.starred < suppressed {
        wrong.push(format!(
            "{} starred, {suppressed} are said to be suppressed",
            several(judged.starred, "row")
        ));
    }
    Finding::of(&wrong, || format!("the file is the certified one with {}", several(released.rows, "row")))
}

/// The number of classes.
pub(super) fn classes(certificate: &Certificate, judged: &Judged) -> Finding {
    let found = judged.counts.iter().filter(|&&count| count > 0).count() as u64;
    let mut wrong = Wrong::default();
    if found != certificate.classes {
        wrong.push(format!("{}, the certificate says {}", several(found, "class"), certificate.classes));
    }
    Finding::of(&wrong, || format!("{} over all quasi-identifiers", several(found, "class")))
}

/// With `input.missing = "suppress"` no released row may miss a quasi-identifier.
pub(super) fn missing(released: &Side, judged: &Judged) -> Finding {
    let misses = |class: &usize| released.classes.tuples.tuple(*class).contains(&MISSING);
    let rows: u64 = (0..judged.counts.len()).filter(misses).map(|class| judged.counts[class]).sum();
    let mut wrong = Wrong::default();
    if rows > 0 {
        wrong.push(format!("{} a missing quasi-identifier", have(rows)));
    }
    Finding::of(&wrong, || "no released row misses a quasi-identifier".into())
}

fn have(rows: u64) -> String {
    format!("{} {}", several(rows, "row"), if rows == 1 { "has" } else { "have" })
}

/// The smallest class over a set of columns against what is required and what is certified.
pub(super) fn anonymity(
    group: &Group,
    missing: Missing,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
) -> Finding {
    let sizes = View::new(&released.classes.tuples, &group.columns).sizes(&judged.counts, missing);
    let alive = || (0..sizes.len()).filter(|&class| judged.counts[class] > 0);
    let smallest = alive().min_by_key(|&class| sizes[class]);
    let mut wrong = Wrong::default();
    if let Some(class) = smallest.filter(|&class| sizes[class] < group.k) {
        let short: u64 =
            alive().filter(|&class| sizes[class] < group.k).map(|class| judged.counts[class]).sum();
        wrong.push(format!(
            "class {} has {}, {} are required; {} in classes too small",
            released.name(class, &group.columns),
            several(sizes[class], "row"),
            group.k,
            if short == 1 { "1 row is".into() } else { format!("{short} rows are") },
        ));
    }
    let found = smallest.map(|class| sizes[class]);
    match certificate.release.privacy.get(&group.claim) {
        Some(claim) if claim.achieved == found.map(|size| size as f64) => {}
        Some(claim) => wrong.push(format!(
            "the smallest class has {} rows, the certificate says {}",
            found.map_or("no".into(), |size| size.to_string()),
            claim.achieved.map_or("none".into(), |size| size.to_string())
        )),
        None => wrong.push("the certificate does not claim it"),
    }
    Finding::of(&wrong, || match found {
        Some(size) => {
            format!("the smallest class has {}, {} are required", several(size, "row"), group.k)
        }
        None => "no row is released".into(),
    })
}
