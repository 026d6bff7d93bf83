//! The verifier against a naive holder: [`Case::release`] builds a release and its certificate row
//! by row and pair by pair, directly from the definitions; tests verify it unchanged or after
//! tampering.

mod definitions;
mod files;
mod foreseen;
mod forged;
mod guarded;
mod hand;
mod identifiers;
mod naive;
mod population;
mod predicted;
mod random;
mod steps;

use std::collections::BTreeMap;

use super::{Verdict, Verifier};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, Path};
use throng_terms::policy::{Policy, Role};
use throng_terms::release::Certificate;
use throng_terms::table::Dictionary;

type Row = Vec<Option<String>>;

/// A table, a policy, and the levels that a search might have chosen.
#[derive(Debug, Clone)]
struct Case {
    policy: String,
    columns: Vec<String>,
    rows: Vec<Row>,
    paths: BTreeMap<String, Vec<Path>>,
    levels: BTreeMap<String, usize>,
    /// The columns that each step after the first stars; steps that release nothing are left out.
    starred: Vec<Vec<String>>,
    /// The quasi-identifiers, in name order, of people who are not in the table.
    people: Vec<Row>,
}

/// What the holder hands out, and the digests of the files.
#[derive(Debug, Clone)]
struct Made {
    columns: Vec<String>,
    rows: Vec<Row>,
    certificate: Certificate,
    output_sha256: String,
    input_sha256: String,
    policy_sha256: String,
    /// Of every file that the policy names; none where it is missing.
    files: BTreeMap<String, Option<String>>,
}

impl Made {
    /// Puts the seal on a changed certificate.
    fn seal(&mut self) {
        let Certificate { release, columns, classes, .. } = self.certificate.clone();
        self.certificate = Certificate::new(release, columns, classes).unwrap();
    }
}

impl Case {
    fn policy(&self) -> Policy {
        Policy::parse(&self.policy).unwrap()
    }

    fn build(&self, column: &str, values: &Dictionary) -> Result<Hierarchy> {
        Hierarchy::new(self.paths[column].clone(), values.missing().is_some())
    }

    /// The quasi-identifiers of everybody, in name order.
    fn population(&self) -> Vec<Row> {
        let quasi = self.policy().with_role(Role::Quasi).into_iter().map(String::from).collect::<Vec<_>>();
        let place = |name: &String| self.columns.iter().position(|c| c == name).unwrap();
        let row = |row: &Row| quasi.iter().map(|name| row[place(name)].clone()).collect();
        self.rows.iter().map(row).chain(self.people.iter().cloned()).collect()
    }

    /// Reads everybody, with the columns the other way round.
    fn read_population(&self, verifier: &mut Verifier<'_>) {
        let policy = self.policy();
        let columns = policy.with_role(Role::Quasi).into_iter().rev().map(String::from).collect::<Vec<_>>();
        let people = self.population();
        verifier.population_columns(&columns);
        verifier.population_sha256("people".into());
        verifier
            .population_batch(people.len(), &mut |column, take| {
                people.iter().for_each(|row| take(row[columns.len() - 1 - column].as_deref()));
            })
            .unwrap();
    }

    fn judge(&self, made: &Made, original: bool) -> Verdict {
        let policy = self.policy();
        let mut verifier = Verifier::new(&policy, made.policy_sha256.clone(), &made.certificate).unwrap();
        if let Some(verdict) = verifier.files(made.files.clone()) {
            return verdict;
        }
        verifier.released_columns(&made.columns);
        for row in &made.rows {
            verifier.released_row(&cells(row)).unwrap();
        }
        verifier.output_sha256(made.output_sha256.clone());
        if policy.population().is_some() {
            self.read_population(&mut verifier);
        }
        if original {
            verifier.original_columns(&self.columns);
            // Batches of three, so that both ways of reading are tried.
            for rows in self.rows.chunks(3) {
                verifier
                    .original_batch(rows.len(), &mut |column, take| {
                        rows.iter().for_each(|row| take(row[column].as_deref()));
                    })
                    .unwrap();
            }
            verifier.input_sha256(made.input_sha256.clone());
        }
        verifier.finish(&|column, values| self.build(column, values)).unwrap()
    }
}

/// What the naive holder takes for the digest of a file.
fn digest_of(path: &str) -> String {
    format!("digest of {path}")
}

fn cells(row: &Row) -> Vec<Option<&str>> {
    row.iter().map(Option::as_deref).collect()
}

fn strings(words: &str) -> Vec<String> {
    words.split_whitespace().map(String::from).collect()
}

/// The claims that do not hold.
fn broken(verdict: &Verdict) -> Vec<&str> {
    verdict.claims.iter().filter(|(_, finding)| !finding.holds).map(|(claim, _)| claim.as_str()).collect()
}
