//! Certificates: what is read can be written and read back with its seal, both ways of reading
//! agree, and the verifier survives it.

use std::sync::LazyLock;

use throng::hierarchy::build;
use throng::policy::Policy;
use throng::release::{Certificate, SIGNED_FORMAT};
use throng::rows::Table;
use throng::verify::{Inputs, Original, verify};
use throng::watch::Watch;

/// The policy that every certificate is judged under.
const POLICY: &str = r#"
version = 1
[input]
path = "t.csv"
[output]
suppressed = "starred"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [10] } }
[columns.sex]
role = "quasi"
[columns.note]
role = "keep"
[privacy]
k = 2
suppression = 0.5
[privacy.quasi.age]
columns = ["age"]
k = 2
"#;

/// The same with cells starred, under which a certificate may have steps.
static CELLS: LazyLock<String> = LazyLock::new(|| POLICY.replace("\"starred\"", "\"cells\""));

static PARSED: LazyLock<Policy> = LazyLock::new(|| Policy::parse(POLICY).unwrap());
static PARSED_CELLS: LazyLock<Policy> = LazyLock::new(|| Policy::parse(&CELLS).unwrap());

/// Reads the bytes as a certificate.
pub fn certificate(data: &[u8]) {
    let parsed = std::str::from_utf8(data).ok().and_then(|text| Certificate::parse(text).ok());
    let Ok(certificate) = serde_json::from_slice::<Certificate>(data) else {
        assert!(parsed.is_none(), "only one of two ways reads it: {parsed:?}");
        return;
    };
    assert_eq!(parsed.as_ref(), Some(&certificate));
    assert!(certificate.format <= SIGNED_FORMAT);
    let sealed = certificate.sealed();
    for written in
        [serde_json::to_string(&certificate).unwrap(), serde_json::to_string_pretty(&certificate).unwrap()]
    {
        let again: Certificate = serde_json::from_str(&written)
            .unwrap_or_else(|e| panic!("written, but not read: {e}\n{written}"));
        assert_eq!(again, certificate);
        assert_eq!(again.sealed(), sealed, "the seal breaks when it is written: {written}");
    }
    let Certificate { release, columns, classes, .. } = certificate.clone();
    let resealed = Certificate::new(release, columns, classes).unwrap();
    assert!(resealed.sealed());
    let mut changed = resealed.clone();
    changed.classes ^= 1;
    assert!(!changed.sealed(), "a change does not break the seal");
    for certificate in [&certificate, &resealed] {
        judge(certificate, &PARSED, POLICY);
        // The row with nothing but stars is alone, which no list of steps makes safe.
        assert!(!judge(certificate, &PARSED_CELLS, &CELLS), "holds: {certificate:?}");
    }
}

/// The verifier finds the certificate right or wrong, but it finds something; whether it holds both
/// with the original and without.
fn judge(certificate: &Certificate, policy: &Policy, text: &str) -> bool {
    let original: [[Option<&str>; 3]; 5] = [
        [Some("31"), Some("f"), Some("a")],
        [Some("32"), Some("f"), Some("b")],
        [Some("33"), None, Some("c")],
        [Some("34"), None, None],
        [Some("71"), Some("m"), Some("d")],
    ];
    let released: [[Option<&str>; 3]; 5] = [
        [Some("[30, 40)"), Some("f"), Some("a")],
        [Some("[30, 40)"), Some("f"), Some("b")],
        [Some("[30, 40)"), None, Some("c")],
        [Some("[30, 40)"), None, None],
        [Some("*"), Some("*"), Some("d")],
    ];
    let columns = ["age", "sex", "note"].map(String::from);
    let mut all = true;
    let table = |rows: &[[Option<&str>; 3]], sha256: &str| {
        let cells = |row: &[Option<&str>; 3]| row.iter().map(|cell| cell.map(String::from)).collect();
        let rows = rows.iter().map(cells).collect();
        Table::new(columns.to_vec(), rows).unwrap().identified_by(sha256)
    };
    let release = table(&released, &certificate.release.output.sha256);
    let original = table(&original, &certificate.release.input.sha256);
    for with_original in [false, true] {
        let rows = &original;
        let verdict = verify(&Inputs {
            policy,
            policy_sha256: &Policy::digest(text),
            certificate,
            files: None,
            release: &release,
            original: with_original.then_some(Original {
                rows,
                assignment: None,
                secret: None,
                counted: None,
                notes: None,
            }),
            population: None,
            build: &|column, values| build(&policy.columns[column].hierarchy(), values, &|_| unreachable!()),
            watch: &Watch::none(),
        });
        let verdict = verdict.unwrap();
        assert!(verdict.claims.len() > 5);
        let holds = verdict.holds();
        if holds {
            let release = &certificate.release;
            assert_eq!((release.rows, release.released, release.suppressed), (5, 4, 1));
            assert_eq!(certificate.columns, columns);
            assert_eq!(certificate.classes, 2);
        }
        assert!(serde_json::to_string(&verdict).is_ok());
        all &= holds;
    }
    all
}
