//! Forged certificates, sealed again or not, and true certificates that are not sufficient.

use super::hand::{people, tamper, words};
use super::{Made, broken};
use throng_terms::policy::Policy;
use throng_terms::release::{Claim, Risks};

#[test]
fn wrong_digests() {
    tamper(&people(), |made| made.output_sha256 = "x".into(), "output", "output");
    tamper(&people(), |made| made.input_sha256 = "x".into(), "input", "");
    tamper(&people(), |made| made.policy_sha256 = "x".into(), "policy", "policy");
}

#[test]
fn a_changed_certificate() {
    let unsealed = |made: &mut Made| made.certificate.release.seed = 7;
    tamper(&people(), unsealed, "certificate", "certificate");
    let sealed = |change: fn(&mut Made)| {
        move |made: &mut Made| {
            change(made);
            made.seal();
        }
    };
    tamper(
        &people(),
        sealed(|m| m.certificate.release.rows = 10),
        "certificate",
        "certificate, loss: aecs, loss: dm",
    );
    tamper(
        &people(),
        sealed(|m| m.certificate.release.withheld = 0),
        "certificate, truth",
        "certificate, loss: aecs, loss: dm",
    );
    tamper(&people(), sealed(|m| m.certificate.release.suppressed = 0), "certificate", "certificate");
    let one_more = |m: &mut Made| {
        let release = &mut m.certificate.release;
        (release.released, release.suppressed) = (release.released - 1, release.suppressed + 1);
    };
    tamper(&people(), sealed(one_more), "output", "output");
    tamper(
        &people(),
        sealed(|m| m.certificate.release.output.rows = 9),
        "certificate, output",
        "certificate, output",
    );
    tamper(
        &people(),
        sealed(|m| m.certificate.release.input.rows = 9_000),
        "certificate, input",
        "certificate",
    );
    tamper(&people(), sealed(|m| m.certificate.classes = 3), "classes", "classes");
    tamper(
        &people(),
        sealed(|m| {
            m.certificate.release.levels.remove("age");
        }),
        "certificate, levels, truth",
        "certificate, levels",
    );
    tamper(
        &people(),
        sealed(|m| {
            m.certificate.release.levels.insert("name".into(), 0);
        }),
        "certificate",
        "certificate",
    );
    tamper(
        &people(),
        sealed(|m| *m.certificate.release.loss.get_mut("lm").unwrap() *= 0.999),
        "loss: lm",
        "",
    );
    tamper(
        &people(),
        sealed(|m| *m.certificate.release.loss.get_mut("dm").unwrap() -= 1.0),
        "loss: dm",
        "loss: dm",
    );
    let part = |loss: &'static str, by: f64| {
        move |m: &mut Made| {
            *m.certificate.release.loss_by_column.get_mut(loss).unwrap().get_mut("age").unwrap() += by;
            m.seal();
        }
    };
    tamper(&people(), part("lm", 1e-6), "loss by column: lm", "");
    tamper(&people(), part("prec", 1e-6), "loss by column: prec", "loss by column: prec");
    tamper(
        &people(),
        sealed(|m| {
            m.certificate.release.loss_by_column.get_mut("entropy").unwrap().insert("name".into(), 0.0);
        }),
        "loss by column: entropy",
        "",
    );
}

#[test]
fn changed_guarantees() {
    let claim = |change: fn(&mut Claim)| {
        move |made: &mut Made| {
            change(made.certificate.release.privacy.get_mut("k-anonymity").unwrap());
            made.seal();
        }
    };
    tamper(&people(), claim(|c| c.required = 1.0), "certificate", "certificate");
    tamper(&people(), claim(|c| c.achieved = Some(5.0)), "k-anonymity", "k-anonymity");
    tamper(&people(), claim(|c| c.achieved = None), "certificate, k-anonymity", "certificate, k-anonymity");
    tamper(&people(), claim(|c| c.holds = false), "certificate", "certificate");
    tamper(
        &people(),
        |made| {
            let claim = made.certificate.release.privacy.remove("k-anonymity: neighbour").unwrap();
            made.certificate.release.privacy.insert("k-anonymity: friend".into(), claim);
            made.seal();
        },
        "certificate, k-anonymity: neighbour",
        "certificate, k-anonymity: neighbour",
    );
}

#[test]
fn changed_risk() {
    let risk = |change: fn(&mut Risks)| {
        move |made: &mut Made| {
            change(made.certificate.release.risk.as_mut().unwrap());
            made.seal();
        }
    };
    tamper(&people(), risk(|r| r.after.prosecutor *= 0.999), "risk", "risk");
    tamper(&people(), risk(|r| r.after.marketer -= 1e-6), "risk", "risk");
    tamper(&people(), risk(|r| r.after.at_risk = f64::NAN), "risk", "risk");
    tamper(&people(), risk(|r| r.after.unique_rows += 1), "risk", "risk");
    tamper(&people(), risk(|r| r.after.classes -= 1), "risk", "risk");
    tamper(&people(), risk(|r| r.before.rows += 1), "risk", "risk");
}

#[test]
fn wrong_levels() {
    let level = |column: &'static str, level: usize| {
        move |made: &mut Made| {
            made.certificate.release.levels.insert(column.into(), level);
            made.seal();
        }
    };
    let case = people();
    let mut made = case.release();
    level("age", 0)(&mut made);
    let verdict = case.judge(&made, false);
    assert_eq!(
        broken(&verdict),
        words(
            "levels, loss by column: prec, loss by column: vinterbo, loss: absolute, loss: height, loss: prec, \
             loss: relative, loss: vinterbo"
        ),
        "{verdict:#?}"
    );
    assert_eq!(verdict.claims["levels"].found, "2 values in `age` are not labels of level 0");
    assert!(!case.judge(&made, true).claims["truth"].holds);
    // Two levels of zip are called `*`: only the losses distinguish them.
    let mut case = people();
    case.paths.get_mut("zip").unwrap().iter_mut().for_each(|path| path.labels.push("*".into()));
    case.levels.insert("zip".into(), 2);
    let mut made = case.release();
    level("zip", 3)(&mut made);
    let verdict = case.judge(&made, true);
    assert!(verdict.claims["truth"].holds && !verdict.claims["loss: height"].holds);
    let case = people();
    let mut made = case.release();
    level("age", 9)(&mut made);
    let verdict = case.judge(&made, true);
    assert!(verdict.claims["levels"].found.contains("level 9"));
    assert!(!verdict.claims["truth"].holds);
}

#[test]
fn levels_that_the_policy_forbids() {
    let mut case = people();
    case.policy = case.policy.replace("max_level = 2", "min_level = 2");
    tamper(&case, |_| {}, "levels", "levels");
    case.policy = case.policy.replace("min_level = 2", "max_level = 0");
    tamper(&case, |_| {}, "levels", "levels");
    case.policy = case.policy.replace("max_level = 0", "") + "linked = [[\"age\", \"zip\"]]";
    tamper(&case, |_| {}, "", "");
    case.levels.insert("age".into(), 2);
    tamper(&case, |_| {}, "levels", "levels");
}

#[test]
fn a_release_that_is_not_anonymous() {
    let honest = people();
    let mut strict = people();
    strict.policy = strict.policy.replace("k = 2", "k = 5").replace("k = 3", "k = 2");
    let mut made = honest.release();
    made.policy_sha256 = Policy::digest(&strict.policy);
    made.certificate.release.policy.sha256 = made.policy_sha256.clone();
    made.seal();
    let verdict = strict.judge(&made, false);
    assert_eq!(broken(&verdict), ["certificate", "k-anonymity"]);
    assert_eq!(
        verdict.claims["k-anonymity"].found,
        "class 1 of 2 has 4 rows, 5 are required; 8 rows are in classes too small"
    );
    assert!(strict.judge(&made, true).claims["truth"].found.contains("must be suppressed"));
    strict.policy = honest.policy.replace("k = 3", "k = 5");
    let verdict = strict.judge(&made, false);
    assert_eq!(broken(&verdict), ["certificate", "k-anonymity: neighbour"]);
}

#[test]
fn too_much_suppressed() {
    let mut case = people();
    case.policy = case.policy.replace("0.12", "0.11");
    assert_eq!(broken(&case.judge(&case.release(), true)), ["certificate"], "floor(0.11 · 9) = 0");
}
