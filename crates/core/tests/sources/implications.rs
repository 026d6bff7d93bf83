//! (c, k)-safety [Martin 2007] with regions of rows: methods that form one region after the other
//! aim at a condition of single regions that suffices, and the whole release is then proven.

use throng::registry::Algorithm;

use super::{Row, codes, release, row};

fn policy(algorithm: Algorithm, c: f64, knowledge: usize) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
         [privacy]\nk = 2\nmodels = [{{ ck_safety = {{ column = \"ill\", c = {c}, knowledge = {knowledge} }} }}]\n\
         [search]\nalgorithm = \"{algorithm}\"\nloss = \"lm\"\n"
    )
}

fn methods() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL
        .iter()
        .copied()
        .filter(|a| a.forms_regions() && a.entry().k_anonymous && !a.entry().small_tables)
}

/// Neighbours are ill alike, so that regions of the nearest rows alone disclose what they have.
#[test]
fn regions_of_neighbours_who_are_ill_alike_are_made_safe() {
    let rows: Vec<Row> = (0..60).map(|age| row(&format!("{age} {}", age / 10))).collect();
    for algorithm in methods() {
        for (c, knowledge) in [(0.6, 0), (0.7, 1), (0.9, 2)] {
            let found = release(&policy(algorithm, c, knowledge), &["age", "ill"], &rows);
            let found = found.unwrap_or_else(|error| panic!("{algorithm}, {c}, {knowledge}: {error}"));
            let claim = &found.certificate.release.privacy["ck-safety: ill"];
            assert!(
                claim.holds && claim.achieved.unwrap() < c && found.verdict.holds(),
                "{algorithm}: {claim:?}"
            );
            assert_eq!(found.table.rows().len(), 60);
        }
    }
}

/// Where the condition is more than the table has, regions are formed without it, and what all of
/// them together disclose decides.
#[test]
fn what_no_region_can_satisfy_is_refused() {
    let rows: Vec<Row> = (0..12).map(|age| row(&format!("{age} {}", u8::from(age == 5)))).collect();
    for algorithm in methods() {
        let refused = release(&policy(algorithm, 0.5, 1), &["age", "ill"], &rows).unwrap_err();
        assert_eq!(codes(&refused), ["search.regions-not-safe"], "{algorithm}: {refused}");
    }
}
