//! What is decided does not depend on the order of the rows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::decide::{DecidedAssignment, Decision, decide};
use throng::memory::{Table, release};
use throng::policy::Policy;
use throng::registry::Algorithm;
use throng::search::{Grouped, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use crate::assigned::{Texts, entries};

type Row = [&'static str; 4];

/// Age, place and sex are quasi-identifiers; the diagnosis is sensitive.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let age = prop::sample::select(vec!["21", "22", "35", "36", "57", "58", "90"]);
    let place = prop::sample::select(vec!["Lynn", "Salem", "Boston", "Quincy"]);
    let sex = prop::sample::select(vec!["f", "m"]);
    let diagnosis = prop::sample::select(vec!["flu", "asthma", "angina"]);
    let row = (age, place, sex, diagnosis).prop_map(|(a, p, s, d)| [a, p, s, d]);
    prop::collection::vec(row, 12..60)
}

fn policy(algorithm: Algorithm, local: bool, loss: &str) -> Policy {
    let local = if local { "local = true\n" } else { "" };
    Policy::parse(&format!(
        "version = 1\n[input]\npath = \"t.csv\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [10, 50] }} }}\n\
         [columns.place]\nrole = \"quasi\"\nhierarchy = {{ priority = {{ keep = [2] }} }}\n\
         [columns.sex]\nrole = \"quasi\"\n[columns.diagnosis]\nrole = \"sensitive\"\n\
         [privacy]\nk = 3\nsuppression = 0.2\n\
         models = [{{ l_diversity = {{ column = \"diagnosis\", kind = \"distinct\", l = 2 }} }}]\n\
         [search]\nalgorithm = \"{algorithm}\"\nloss = \"{loss}\"\n{local}"
    ))
    .unwrap()
}

/// Groups rows as they come, each value numbered at first sight.
fn grouped(rows: &[Row]) -> Grouped {
    let mut dictionaries = vec![Dictionary::new(); 4];
    let mut tuples = Tuples::new(4);
    for row in rows {
        let codes: Vec<u32> =
            row.iter().zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&codes, 1);
    }
    let names = ["age", "place", "sex"].map(String::from).to_vec();
    Grouped { names, measured: vec!["diagnosis".into()], dictionaries, tuples, population: None }
}

/// Original cells and released cells → rows; and the figures that a certificate has.
type Outcome = (BTreeMap<(Vec<String>, Option<Vec<String>>), u64>, String);

fn outcome(rows: &[Row], policy: &Policy) -> Result<Outcome, String> {
    let (problem, _) = Problem::new(policy, grouped(rows), &|_| unreachable!()).map_err(|e| e.to_string())?;
    let decision: Decision = decide(policy, &problem, None, &Watch::none()).map_err(|e| e.to_string())?;
    let figures = decision.figures(policy, &problem, &Watch::none()).map_err(|e| e.to_string())?;
    let mut fates = BTreeMap::new();
    let texts = |cells: Texts| cells.into_iter().map(|c| c.unwrap_or_else(|| "?".into())).collect::<Vec<_>>();
    let assignment = DecidedAssignment::new(policy, &problem, &decision);
    for (original, count, released) in entries(&assignment).map_err(|e| e.to_string())? {
        *fates.entry((texts(original), released.map(texts))).or_default() += count;
    }
    // To the last bit.
    Ok((fates, format!("{:?} {:?} {:?}", figures, decision.search, decision.loss.to_bits())))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rows_decides_nothing(rows in rows(), seed in any::<u64>(), loss in prop::sample::select(vec!["lm", "entropy"])) {
        let mut other = rows.clone();
        // Any order: by a hash of the place.
        other.sort_by_key(|row| row.iter().flat_map(|c| c.bytes()).fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)));
        other.reverse();
        for algorithm in Algorithm::k_anonymous() {
            for local in [false, true] {
                if local && !algorithm.takes_rounds() {
                    continue;
                }
                let policy = policy(algorithm, local, loss);
                prop_assert_eq!(outcome(&rows, &policy), outcome(&other, &policy), "{} {}", algorithm, local);
            }
        }
    }
}

/// Sorted rows, and a certificate.
type Certified = (Vec<Vec<Option<String>>>, String);

/// The released rows, sorted, and everything that the certificate says of them.
fn released(rows: &[Row], policy: &str) -> Result<Certified, String> {
    let columns = ["age", "place", "sex", "diagnosis"].map(String::from).to_vec();
    let cells = |row: &Row| row.iter().map(|cell| Some(cell.to_string())).collect();
    let table = Table::new(columns, rows.iter().map(cells).collect()).unwrap();
    let no_file = |_: &str| unreachable!();
    let released = release(policy, &table, &no_file, &Watch::none()).map_err(|e| e.to_string())?;
    assert!(released.verdict.holds());
    let mut rows = released.table.rows().to_vec();
    rows.sort();
    Ok((rows, format!("{:?}", released.certificate)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// The whole path, with cuts that put rows of equal quasi-identifiers into different regions:
    /// the verifier agrees, and the release is the same multiset of rows with the same certificate,
    /// whether or not a column distinguishes rows of equal quasi-identifiers.
    #[test]
    fn a_release_is_the_same_in_any_order_of_rows(rows in rows(), seed in any::<u64>(), relaxed: bool, kept: bool, k in 2u32..4) {
        let mut other = rows.clone();
        other.sort_by_key(|row| row.iter().flat_map(|c| c.bytes()).fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)));
        let cut = if relaxed { "relaxed" } else { "strict" };
        let role = if kept { "sensitive" } else { "drop" };
        let policy = format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n\
             [columns.place]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n\
             [columns.diagnosis]\nrole = \"{role}\"\n[privacy]\nk = {k}\nsuppression = 0.2\n\
             [search]\nalgorithm = \"mondrian\"\nmondrian = {{ cut = \"{cut}\" }}\n"
        );
        prop_assert_eq!(released(&rows, &policy), released(&other, &policy));
    }
}
