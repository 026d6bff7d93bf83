//! The claims that can be checked from the released file and the certificate, without the original.
//!
//! Each function checks one claim and lists all evidence against it. Together they cost one pass
//! over the released classes per set of columns.

use std::collections::{BTreeMap, BTreeSet};

use super::classes::MISSING;
use super::deleted;
use super::groups::{Group, View};
use super::pace::Pace;
use super::people;
use super::sampling;
use super::side::Side;
use super::utility;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Spec, TOP};
use throng_terms::policy::{Form, Limit, Missing, Policy, Role, Suppressed};
use throng_terms::registry::Algorithm;
use throng_terms::release::{Certificate, FileFacts, PreparationFacts, RegionFacts, Release, SearchFacts};
use throng_terms::rows::Rows;

/// A guarantee of the policy.
pub(super) struct Asked<'a> {
    /// Its name in a certificate.
    pub(super) claim: &'a str,
    pub(super) required: f64,
    /// Whether a figure meets it.
    pub(super) holds: Box<dyn Fn(f64) -> bool + 'a>,
}

/// The seal, and the certificate's numbers against each other and against the policy.
pub(super) fn certificate(policy: &Policy, asked: &[Asked<'_>], certificate: &Certificate) -> Finding {
    let release = &certificate.release;
    let mut wrong = Wrong::default();
    if !certificate.sealed() {
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
    wrong.extend(prepared(policy, release));
    if release.withheld > release.suppressed {
        wrong.push(format!("{} withheld, {} suppressed", release.withheld, release.suppressed));
    }
    let written = match policy.output.suppressed {
        Suppressed::Dropped | Suppressed::Cells => release.in_classes(),
        Suppressed::Starred => release.rows,
    };
    if release.output.rows != written {
        wrong.push(format!("the output has {}, not {written}", several(release.output.rows, "row")));
    }
    let limit = match policy.suppression() {
        // A share such as 0.29 of 100 rows is 29 of them, though the product is a rounding error
        // short of it.
        Limit::Share(share) => (share * release.rows as f64 + 1e-6).floor(),
        Limit::Rows(rows) => rows as f64,
    };
    // Where rows are searched again, those that are left in the end count, and otherwise those that
    // the first step leaves.
    let first = release.steps.first().filter(|_| !policy.search.local);
    match first.map(|first| release.rows.saturating_sub(first.rows)) {
        None if release.withheld as f64 > limit => {
            wrong.push(format!("{} withheld, at most {limit} may be", several(release.withheld, "row")));
        }
        Some(flagged) if flagged as f64 > limit => wrong.push(format!(
            "{} withheld or released after the first step, at most {limit} may be",
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
            wrong.extend(unchosen(policy, &release.search));
        }
    }
    if release.notions.is_some() != (policy.k_one().is_some() && release.in_classes() > 0) {
        wrong.push("notions of anonymity are claimed where the policy asks for none, or missing");
    }
    wrong.extend(deleted::stated(policy, certificate));
    wrong.extend(people::stated(policy, release));
    wrong.extend(utility::stated(policy, certificate));
    wrong.extend(unbounded(policy, certificate));
    wrong.extend(guarantees(asked, certificate));
    wrong.extend(figures(policy, certificate));
    Finding::of(&wrong, || {
        format!("sealed, and its numbers agree: {} released and suppressed", several(release.rows, "row"))
    })
}

/// What is claimed about the preparation of the table must fit the policy and the rows. Of sampled
/// rows nothing may be claimed, which `sampling.rs` checks.
fn prepared(policy: &Policy, release: &Release) -> Vec<String> {
    if policy.differential_privacy().is_some() {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    match (&release.preparation, policy.input.prepares()) {
        (None, true) => wrong.push("how the table was prepared is not claimed".to_owned()),
        (Some(_), false) => wrong.push("a preparation is claimed, and the policy asks for none".to_owned()),
        (Some(facts), true) => {
            if facts.rows != release.rows {
                let rows = several(facts.rows, "row");
                wrong.push(format!("the preparation leaves {rows}, not {}", release.rows));
            }
            if facts.eligible > facts.read || facts.rows > facts.eligible {
                let PreparationFacts { read, eligible, rows, .. } = facts;
                wrong.push(format!("of {read} rows {eligible} are eligible and {rows} are left"));
            }
            if facts.condition != policy.input.eligible {
                wrong.push("the condition on eligible rows is not that of the policy".to_owned());
            }
            let steps = policy.input.prepared_steps().into_iter();
            if !steps.eq(facts.steps.iter().map(|step| step.step.clone())) {
                wrong.push("the steps of the preparation are not those of the policy".to_owned());
            }
        }
        (None, false) => {}
    }
    wrong
}

/// How the table was prepared, counted again while the original was read.
pub(super) fn preparation(
    policy: &Policy,
    certificate: &Certificate,
    original: Option<&dyn Rows>,
) -> Option<Finding> {
    if !policy.input.prepares() || policy.differential_privacy().is_some() {
        return None;
    }
    let Some(rows) = original else { return Some(Finding::unchecked(WITHOUT_ORIGINAL)) };
    let mut wrong = Wrong::default();
    match (rows.preparation(), &certificate.release.preparation) {
        (Some(found), Some(stated)) if found == stated => {}
        (Some(found), Some(stated)) => wrong.push(format!(
            "of {} rows {} are eligible and {} are left, the certificate says {}, {} and {}{}",
            found.read,
            found.eligible,
            found.rows,
            stated.read,
            stated.eligible,
            stated.rows,
            if found.steps == stated.steps && found.joined == stated.joined {
                ""
            } else {
                "; counts of steps or joined files differ"
            }
        )),
        (None, _) => wrong.push("the original was not prepared"),
        (_, None) => wrong.push("the certificate does not state how the table was prepared"),
    }
    Some(Finding::of(&wrong, || {
        let facts = certificate.release.preparation.clone().unwrap_or_default();
        format!("{} read, {} eligible, {} left", several(facts.read, "row"), facts.eligible, facts.rows)
    }))
}

/// Claims about regions must follow from the policy where they can.
fn regional(policy: &Policy, certificate: &Certificate, regions: &RegionFacts) -> Vec<String> {
    let (release, search) = (&certificate.release, &certificate.release.search);
    let mut wrong = Vec::new();
    if search.algorithm != policy.search.algorithm.key() {
        wrong.push(format!(
            "\"{}\" formed them, the policy says \"{}\"",
            search.algorithm, policy.search.algorithm
        ));
    }
    wrong.extend(unchosen(policy, search));
    let rows = release.in_classes();
    if (regions.count == 0) != (rows == 0) || regions.count > rows {
        wrong.push(format!("{} of {}", several(regions.count, "region"), several(rows, "row")));
    }
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    let given: BTreeSet<&str> = regions.forms.keys().map(String::as_str).collect();
    wrong.extend(quasi.symmetric_difference(&given).map(|name| format!("how `{name}` is written")));
    for (name, form) in &regions.forms {
        let Some(column) = policy.columns.get(name) else { continue };
        let fits = match (column.form, &column.poset, &column.hierarchy) {
            // Intervals of dates are ranges.
            (Some(Form::Interval), None, None) => matches!(form, Form::Interval | Form::Range),
            (Some(asked), ..) => *form == asked,
            (None, Some(_), _) => *form == Form::Poset,
            (None, None, Some(Spec::Order(order))) if order.fanout.is_empty() => *form == Form::Range,
            (None, None, Some(_)) => *form == Form::Label,
            // Which of them follows from the values, and from limits on the level.
            (None, None, None) => matches!(form, Form::Interval | Form::Set | Form::Range | Form::Label),
        };
        if !fits {
            wrong.push(format!("`{name}` is not written as the policy says"));
        }
    }
    wrong
}

/// The method that "best" chose must be one that it can choose; no other algorithm has one.
fn unchosen(policy: &Policy, search: &SearchFacts) -> Option<String> {
    let able: &[Algorithm] = match (policy.search.algorithm, policy.forms_regions()) {
        (Algorithm::Best, true) => &[Algorithm::Mondrian, Algorithm::KSimilar],
        (Algorithm::Best, false) => &[Algorithm::Auto],
        _ => &[],
    };
    let fits = match &search.method {
        Some(method) => able.iter().any(|algorithm| algorithm.key() == method),
        None => able.is_empty(),
    };
    let method = search.method.as_deref().unwrap_or("no method");
    (!fits).then(|| format!("\"{}\" is said to have chosen {method}", policy.search.algorithm))
}

/// No bound on the loss is known of local recoding and of regions: only a loss of 0 is an optimum.
fn unbounded(policy: &Policy, certificate: &Certificate) -> Option<String> {
    let (release, search) = (&certificate.release, &certificate.release.search);
    if release.sampling.is_some() || !(policy.forms_regions() || policy.search.local) {
        return None;
    }
    let loss = release.loss.get(policy.search.loss.parameters().kind.key()).copied().unwrap_or_default();
    (search.optimal != (loss == 0.0) || search.gap != loss).then(|| {
        format!(
            "no bound is known of a loss of {loss}, the gap is {}, and the search is said to be optimal: {}",
            search.gap, search.optimal
        )
    })
}

/// Figures that every certificate has, unless they would reveal too much (see
/// [`Release::published`](throng_terms::release::Release::published)).
fn figures(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    if release.sampling.is_some() || release.in_classes() == 0 {
        return Vec::new();
    }
    let loss = policy.search.loss.parameters().kind;
    let no_loss = !release.loss.contains_key(loss.key());
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

/// The policy must request steps; they must start with the levels and release the claimed rows.
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
    if rows != Some(release.in_classes()) {
        wrong.push(format!("the steps do not release {}", several(release.in_classes(), "row")));
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
            Some(_) if release.in_classes() == 0 => {
                wrong.push(format!("{name} is said to be reached by no row"));
            }
            None if release.in_classes() > 0 => {
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

/// The files that the policy names must be those that were read. None where there are none.
pub(super) fn files(
    policy: &Policy,
    certificate: &Certificate,
    found: Option<&BTreeMap<String, Option<String>>>,
) -> Option<Finding> {
    let (named, stated) = (policy.files(), &certificate.release.files);
    if named.is_empty() && stated.is_empty() {
        return None;
    }
    let Some(found) = found else { return Some(Finding::unchecked("the files are not at hand")) };
    let mut wrong = Wrong::default();
    let missing = named.iter().filter(|path| found.get(**path).is_none_or(Option::is_none));
    wrong.extend(missing.map(|path| format!("`{path}` is missing, without which nothing else is checked")));
    if certificate.format == 0 && stated.is_empty() {
        let none = || "not checked: a certificate of format 0 has no digests of files".into();
        let finding = Finding::of(&wrong, none);
        return Some(Finding { unchecked: finding.holds, ..finding });
    }
    let here = named.iter().filter_map(|path| Some((*path, found.get(*path)?.as_ref()?)));
    wrong.extend(here.filter_map(|(path, sha256)| match stated.get(path) {
        Some(stated) if stated == sha256 => None,
        Some(stated) => {
            Some(format!("`{path}` was changed: its digest is {sha256}, the certificate says {stated}"))
        }
        None => Some(format!("the certificate has no digest of `{path}`")),
    }));
    let beyond = stated.keys().filter(|path| !named.contains(path.as_str()));
    wrong.extend(beyond.map(|path| format!("`{path}` has a digest, but the policy does not name it")));
    let count = several(named.len() as u64, "file");
    Some(Finding::of(&wrong, || format!("{count} unchanged since the release")))
}

/// The released columns: those that the policy lets out, once each, in the certificate's order, and
/// no others.
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
    /// Starred rows that were found, at most as many as are claimed to be withheld.
    pub(super) starred: u64,
}

/// Sets the starred rows aside. A starred row looks like a row whose quasi-identifiers all sit at a
/// highest level called `*`, so only as many rows are taken for starred as the certificate says
/// were withheld; those that are left are a class like any other.
pub(super) fn judged(policy: &Policy, certificate: &Certificate, released: &Side) -> Judged {
    let mut judged = Judged { counts: released.classes.counts(), starred: 0 };
    if policy.output.suppressed == Suppressed::Starred
        && let Some(class) = starred(released)
    {
        judged.starred = judged.counts[class].min(certificate.release.withheld);
        judged.counts[class] -= judged.starred;
    }
    judged
}

/// The released class with `*` in every column; none where there is no column.
pub(super) fn starred(released: &Side) -> Option<usize> {
    if released.interners.is_empty() {
        return None;
    }
    let tuple: Option<Vec<u32>> = released.interners.iter().map(|i| i.get(Some(TOP))).collect();
    released.classes.tuples.get(&tuple?)
}

/// The released file is the one that was certified, has its starred rows, and has as many rows with
/// a value in some quasi-identifier as are said to be released.
pub(super) fn output(
    policy: &Policy,
    certificate: &Certificate,
    sha256: Option<&str>,
    released: &Side,
    judged: &Judged,
) -> Finding {
    let mut wrong = file("release", sha256, released.rows, &certificate.release.output);
    let withheld = certificate.release.withheld;
    if policy.output.suppressed == Suppressed::Starred && judged.starred < withheld {
        wrong.push(format!("{} starred, {withheld} are said to be withheld", several(judged.starred, "row")));
    }
    let blank = starred(released).map_or(0, |class| released.classes.counts()[class]);
    let shown = match certificate.format {
        // Format 0 counted every row that was not withheld as released.
        0 => released.rows - judged.starred,
        _ => released.rows - blank,
    };
    if shown != certificate.release.released {
        wrong.push(format!(
            "{} a value in some quasi-identifier, {} are said to be released",
            have(shown),
            certificate.release.released
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
    pace: &Pace<'_>,
) -> Result<Finding> {
    let view = View::new(&released.classes.tuples, &group.columns, pace)?;
    let sizes = view.sizes(&judged.counts, missing, pace)?;
    let alive = || (0..sizes.len()).filter(|&class| judged.counts[class] > 0);
    let smallest = alive().min_by_key(|&class| sizes[class]);
    let mut wrong = Wrong::default();
    if let Some(class) = smallest.filter(|&class| sizes[class] < group.k) {
        let short: u64 =
            alive().filter(|&class| sizes[class] < group.k).map(|class| judged.counts[class]).sum();
        wrong.push(format!(
            "{} has {}, {} are required; {} in classes too small",
            released.name(class),
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
    Ok(Finding::of(&wrong, || match found {
        Some(size) => {
            format!("the smallest class has {}, {} are required", several(size, "row"), group.k)
        }
        None => "no row is released".into(),
    }))
}
