//! The minimality attack [Wong 2007] on releases in regions: the adversary knows everybody's
//! quasi-identifiers, the policy and the program, and tries every table that there could have been.

use std::collections::BTreeMap;

use throng::registry::Algorithm;

use super::{Row, codes, release, row};

const AGES: [&str; 5] = ["20", "21", "30", "32", "50"];

fn policy(algorithm: Algorithm, more: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
         [privacy]\nk = 2\nmodels = [{{ m_confidentiality = {{ column = \"ill\", m = 2 }} }}]\n\
         [search]\nalgorithm = \"{algorithm}\"\nloss = \"lm\"\n{more}"
    )
}

#[test]
fn regions_tell_nobodys_value_with_more_than_one_in_m() {
    let methods = |a: &&Algorithm| a.forms_regions() && a.entry().k_anonymous && !a.entry().small_tables;
    for &algorithm in Algorithm::ALL.iter().filter(methods) {
        let mut worlds: BTreeMap<Vec<Row>, Vec<usize>> = BTreeMap::new();
        let mut refused = 0;
        for world in 0..3usize.pow(AGES.len() as u32) {
            let ill = |person: usize| world / 3usize.pow(person as u32) % 3;
            let person = |(at, age): (usize, &&str)| row(&format!("{age} {}", ill(at)));
            let rows: Vec<Row> = AGES.iter().enumerate().map(person).collect();
            match release(&policy(algorithm, ""), &["age", "ill"], &rows) {
                Ok(released) => {
                    let mut published = released.table.rows().to_vec();
                    published.sort();
                    worlds.entry(published).or_default().push(world);
                }
                Err(error) => {
                    assert_eq!(codes(&error), ["release.model-not-met"], "{algorithm}: {error}");
                    refused += 1;
                }
            }
        }
        assert!(refused > 0 && !worlds.is_empty(), "{algorithm}: {refused} refused");
        for (published, possible) in &worlds {
            for person in 0..AGES.len() as u32 {
                let mut ill = [0; 3];
                possible.iter().for_each(|world| ill[world / 3usize.pow(person) % 3] += 1);
                let most = ill.into_iter().max().unwrap();
                assert!(
                    2 * most <= possible.len(),
                    "{algorithm}: {ill:?} for person {person} of {published:?}"
                );
            }
        }
    }
}

#[test]
fn what_looks_at_values_is_refused() {
    let rows: Vec<Row> = AGES.iter().map(|age| row(&format!("{age} 0"))).collect();
    let refused = |algorithm: Algorithm, more: &str| {
        codes(&release(&policy(algorithm, more), &["age", "ill"], &rows).unwrap_err()).join(" ")
    };
    assert_eq!(
        refused(Algorithm::Mondrian, "mondrian = { cut = \"relaxed\" }\n"),
        "model.choice-depends-on-content"
    );
    assert_eq!(refused(Algorithm::CellMinGen, ""), "model.choice-depends-on-content");
    let by_target = "mondrian = { by = \"target\" }\n";
    assert!(refused(Algorithm::Mondrian, by_target).contains("model.choice-depends-on-labels"));
}
