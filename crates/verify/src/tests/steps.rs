//! Releases in several steps: their properties, and every manipulation of one.

use super::hand::{POLICY, at, people, set, tamper};
use super::{Case, Made, broken, strings};
use throng_terms::release::Certificate;

/// The nine people, of whom gus alone is unsafe, and three more: kim and leo share his ZIP code but
/// not his decade, so that they are three with their ages starred; dot shares her ZIP code with
/// safe rows only.
fn cells() -> Case {
    let mut case = people();
    let neighbour = "[privacy.quasi.neighbour]\ncolumns = [\"age\"]\nk = 3\n";
    case.policy = POLICY.replace("SUPPRESSED", "cells").replace("0.12", "0.5").replace(neighbour, "");
    let more = ["kim 31 90 flu g", "leo 46 90 gout h", "dot 71 20 flu i"];
    case.rows.extend(more.map(|row| strings(row).into_iter().map(Some).collect()));
    case.starred = vec![strings("age"), strings("zip"), strings("age zip")];
    case
}

#[test]
fn a_true_release_in_steps_holds() {
    let case = cells();
    let made = case.release();
    let release = &made.certificate.release;
    let rows: Vec<(u64, u64)> = release.steps.iter().map(|step| (step.rows, step.starred)).collect();
    assert_eq!(rows, [(8, 0), (3, 3)]);
    assert_eq!((release.released, release.suppressed), (11, 1));
    let verdict = case.judge(&made, true);
    assert!(verdict.holds(), "{verdict:#?}");
    assert_eq!(verdict.unchecked().count(), 0, "{verdict:#?}");
    let verdict = case.judge(&made, false);
    assert!(verdict.holds(), "{verdict:#?}");
    assert!(!verdict.claims["levels"].unchecked, "hierarchies from files are enough");
    assert_eq!(release.rescued(), (3, 3));
}

#[test]
fn what_is_done_to_the_rows_is_found() {
    let case = cells();
    let starred = |made: &Made| {
        let age = at(made, "age");
        made.rows.iter().position(|row| row[age].as_deref() == Some("*")).unwrap()
    };
    let row = starred(&case.release());
    // Stars too many: the class is as large as before, but it fits no step.
    tamper(
        &case,
        |made| (row..row + 3).for_each(|row| set("zip", row, "*")(made)),
        "levels, output, truth",
        "levels, output",
    );
    // The age of a starred row shown.
    tamper(
        &case,
        set("age", row, "70-79"),
        "classes, k-anonymity, loss: aecs, loss: dm, truth",
        "classes, k-anonymity, loss: aecs, loss: dm",
    );
    // A row starred that need not be.
    tamper(
        &case,
        set("age", 0, "*"),
        "classes, k-anonymity, loss: aecs, loss: dm, truth",
        "classes, k-anonymity, loss: aecs, loss: dm",
    );
    tamper(&case, set("illness", row, "mumps"), "truth", "");
}

/// Every value is a label of some step, but no step has both.
#[test]
fn a_class_must_fit_one_step() {
    let mut case = cells();
    // dot and ned share their decade alone, so that their ZIP codes are starred.
    case.rows.push(strings("ned 71 10 flu j").into_iter().map(Some).collect());
    let made = case.release();
    assert_eq!(made.certificate.release.steps.len(), 3);
    assert!(case.judge(&made, true).holds());
    let zip = at(&made, "zip");
    let starred: Vec<usize> =
        (0..made.rows.len()).filter(|&r| made.rows[r][zip].as_deref() == Some("*")).collect();
    let change = |made: &mut Made| starred.iter().for_each(|&row| set("age", row, "*")(made));
    tamper(&case, change, "levels, output, truth", "levels, output");
}

/// Changes the certificate, seals it again, and gives the claims that do not hold any more, with
/// the original.
fn forged(change: impl Fn(&mut Made)) -> Vec<String> {
    let case = cells();
    let mut made = case.release();
    change(&mut made);
    made.seal();
    broken(&case.judge(&made, true)).into_iter().map(String::from).collect()
}

#[test]
fn what_is_done_to_the_steps_is_found() {
    let steps = |made: &mut Made, change: fn(&mut Vec<throng_terms::release::StepFacts>)| {
        change(&mut made.certificate.release.steps);
    };
    assert_eq!(forged(|made| steps(made, |s| s[1].starred = 4)), ["levels"]);
    assert_eq!(forged(|made| steps(made, |s| s[1].rows = 4)), ["certificate", "levels", "truth"]);
    let level = |made: &mut Made, step: usize, column: &str, level: usize| {
        made.certificate.release.steps[step].levels.insert(column.into(), level);
    };
    assert!(forged(|made| level(made, 0, "age", 0)).contains(&"certificate".into()));
    assert!(forged(|made| level(made, 1, "age", 0)).contains(&"levels".into()));
    assert!(forged(|made| level(made, 1, "age", 3)).contains(&"truth".into()));
    assert!(forged(|made| level(made, 1, "note", 0)).contains(&"certificate".into()));
    let without = |made: &mut Made| {
        made.certificate.release.steps[1].levels.remove("zip");
    };
    assert!(forged(without).contains(&"certificate".into()));
    // Without its steps the release has classes that its levels do not explain.
    let none = forged(|made| made.certificate.release.steps.clear());
    assert!(none.contains(&"levels".into()) && none.contains(&"truth".into()), "{none:?}");
}

#[test]
fn rows_of_later_steps_count_against_the_limit() {
    let mut case = cells();
    case.policy = case.policy.replace("suppression = 0.5", "suppression = 0.3");
    let verdict = case.judge(&case.release(), true);
    assert_eq!(broken(&verdict), ["certificate"]);
    let found = &verdict.claims["certificate"].found;
    assert_eq!(found, "4 rows withheld or released after the first step, at most 3 may be");
}

#[test]
fn steps_that_the_policy_does_not_ask_for() {
    let mut case = cells();
    case.policy = case.policy.replace("\"cells\"", "\"dropped\"");
    let verdict = case.judge(&case.release(), true);
    assert_eq!(verdict.claims["certificate"].found, "2 steps, but the policy asks for one");
}

#[test]
fn linked_columns_are_starred_alike() {
    let mut case = cells();
    case.policy = case.policy.replace("[search]", "[search]\nlinked = [[\"age\", \"zip\"]]");
    let verdict = case.judge(&case.release(), true);
    assert_eq!(broken(&verdict), ["levels"]);
    assert_eq!(verdict.claims["levels"].found, "linked columns are not starred alike in step 1: age, zip");
}

/// A certificate from before there were steps has none, and keeps its seal.
#[test]
fn a_certificate_without_steps_is_read_as_it_was() {
    let made = people().release();
    let json = serde_json::to_value(&made.certificate).unwrap();
    assert!(json.get("steps").is_none());
    let again: Certificate = serde_json::from_value(json).unwrap();
    assert!(again.sealed());
    assert_eq!(again, made.certificate);
}

/// The same steps, found by searching the rows again: 1 of 12 rows is left in the end, 4 after the
/// first step.
fn searched(change: impl Fn(&mut Made)) -> (Case, Made) {
    let mut case = cells();
    let policy =
        case.policy.replace("\"cells\"", "\"dropped\"").replace("suppression = 0.5", "suppression = 0.09");
    case.policy = policy.replace("[search]", "[search]\nlocal = true");
    let mut made = case.release();
    made.certificate.release.steps.iter_mut().for_each(|step| step.starred = 0);
    change(&mut made);
    made.seal();
    (case, made)
}

#[test]
fn rows_that_were_searched_again_hold() {
    let (case, made) = searched(|_| {});
    assert_eq!(made.certificate.release.steps.len(), 2);
    for original in [true, false] {
        let verdict = case.judge(&made, original);
        assert!(verdict.holds(), "{verdict:#?}");
    }
}

#[test]
fn every_step_of_a_search_keeps_the_limits() {
    let found = |from: &str, to: &str| {
        let (mut case, made) = searched(|_| {});
        case.policy = case.policy.replace(from, to);
        let verdict = case.judge(&made, true);
        let broken = broken(&verdict);
        assert_eq!(broken.len(), 1, "{verdict:#?}");
        format!("{}: {}", broken[0], verdict.claims[broken[0]].found)
    };
    assert_eq!(
        found("max_level = 2", "max_level = 1"),
        "levels: `age` is at level 2, above 1, the highest allowed (step 1)"
    );
    assert_eq!(
        found("[search]", "[search]\nlinked = [[\"age\", \"zip\"]]"),
        "levels: linked columns are at different levels: age, zip (step 1)"
    );
    assert_eq!(
        found("suppression = 0.09", "suppression = 0.05"),
        "certificate: 1 row withheld, at most 0 may be"
    );
}

#[test]
fn what_is_done_to_the_steps_of_a_search_is_found() {
    let broken_by = |change: &dyn Fn(&mut Certificate)| {
        let (case, made) = searched(|made| change(&mut made.certificate));
        broken(&case.judge(&made, true)).into_iter().map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(broken_by(&|c| c.release.steps[1].starred = 3), ["levels"]);
    let zip = |c: &mut Certificate| c.release.steps[1].levels.get_mut("zip").map(|level| *level += 1);
    assert!(
        broken_by(&|c| {
            zip(c);
        })
        .contains(&"truth".into())
    );
    assert!(
        broken_by(&|c| {
            zip(c);
            zip(c);
        })
        .contains(&"levels".into())
    );
    assert!(broken_by(&|c| c.release.steps.clear()).contains(&"levels".into()));
}
