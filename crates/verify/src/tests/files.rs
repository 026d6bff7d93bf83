//! The files that a policy names: changed, missing, left out of a certificate or added to it.

use super::hand::{people, tamper};
use super::{Made, broken};
use throng_terms::release::Certificate;

#[test]
fn a_changed_file_is_found_by_name() {
    let change = |made: &mut Made| drop(made.files.insert("zip.csv".into(), Some("x".into())));
    tamper(&people(), change, "files", "files");
    let mut made = people().release();
    change(&mut made);
    let found = &people().judge(&made, false).claims["files"].found;
    assert_eq!(found, "`zip.csv` was changed: its digest is x, the certificate says digest of zip.csv");
}

#[test]
fn a_missing_file_fails_and_nothing_else_is_judged() {
    let mut made = people().release();
    made.files.insert("age.csv".into(), None);
    for original in [false, true] {
        let verdict = people().judge(&made, original);
        assert_eq!(verdict.claims.len(), 1, "{verdict:#?}");
        assert_eq!(broken(&verdict), ["files"]);
        assert_eq!(
            verdict.claims["files"].found,
            "`age.csv` is missing, without which nothing else is checked"
        );
    }
}

#[test]
fn a_certificate_has_the_digests_of_all_files_and_of_no_other() {
    let drop_one = |made: &mut Made| {
        made.certificate.release.files.remove("age.csv");
        made.seal();
    };
    tamper(&people(), drop_one, "files", "files");
    let add_one = |made: &mut Made| {
        made.certificate.release.files.insert("other.csv".into(), "x".into());
        made.seal();
    };
    tamper(&people(), add_one, "files", "files");
    let mut made = people().release();
    add_one(&mut made);
    let found = &people().judge(&made, false).claims["files"].found;
    assert_eq!(found, "`other.csv` has a digest, but the policy does not name it");
}

#[test]
fn a_policy_without_files_has_no_claim() {
    let mut case = people();
    case.policy =
        case.policy.replace("hierarchy = { file = \"age.csv\" }", "hierarchy = { order = { fanout = [2] } }");
    case.policy =
        case.policy.replace("hierarchy = { file = \"zip.csv\" }", "hierarchy = { order = { fanout = [2] } }");
    let verdict = case.judge(&case.release(), false);
    assert!(!verdict.claims.contains_key("files"), "{verdict:#?}");
}

/// Format 0 has no digests: the claim says that it was not checked.
#[test]
fn format_0_leaves_files_unchecked() {
    let mut made = people().release();
    let mut json = serde_json::to_value(&made.certificate).unwrap();
    json.as_object_mut().unwrap().retain(|key, _| key != "format" && key != "files");
    made.certificate = Certificate::parse(&json.to_string()).unwrap();
    assert_eq!(made.certificate.format, 0);
    let verdict = people().judge(&made, true);
    let files = &verdict.claims["files"];
    assert!(files.holds && files.unchecked, "{files:?}");
    assert_eq!(files.found, "not checked: a certificate of format 0 has no digests of files");
}
