//! The verifier against a naive holder: [`Case::release`] builds a release and its certificate row
//! by row and pair by pair, directly from the definitions; tests verify it unchanged or after
//! tampering.

mod definitions;
mod distances;
mod files;
mod foreseen;
mod forged;
mod guarded;
mod hand;
mod identifiers;
mod model;
mod naive;
mod naive_losses;
mod people;
mod population;
mod predicted;
mod random;
mod shapes;
mod stopping;
mod steps;

use std::collections::BTreeMap;

use super::{Inputs, Original, Verdict, verify};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, Path};
use throng_terms::policy::{Policy, Role};
use throng_terms::release::Certificate;
use throng_terms::rows::{Rows, Table};
use throng_terms::table::Dictionary;
use throng_terms::watch::Watch;

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
    /// The policy; one without an algorithm asks for levels here.
    fn policy(&self) -> Policy {
        let levels = Policy::parse_without_best(&self.policy).unwrap();
        levels.unwrap_or_else(|| Policy::parse(&self.policy).unwrap())
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

    /// Everybody, with the columns the other way round.
    fn people_table(&self) -> Table {
        let policy = self.policy();
        let columns = policy.with_role(Role::Quasi).into_iter().rev().map(String::from).collect();
        let rows = self.population().into_iter().map(|row| row.into_iter().rev().collect()).collect();
        Table::new(columns, rows).unwrap().identified_by("people")
    }

    fn judge(&self, made: &Made, original: bool) -> Verdict {
        let original = original.then(|| self.table(made));
        let population = self.policy().population().map(|_| self.people_table());
        self.judge_with(made, original.as_ref(), population.as_ref(), &Watch::none()).unwrap()
    }

    /// The original.
    fn table(&self, made: &Made) -> Table {
        Table::new(self.columns.clone(), self.rows.clone()).unwrap().identified_by(&made.input_sha256)
    }

    fn judge_with(
        &self,
        made: &Made,
        original: Option<&Table>,
        population: Option<&Table>,
        watch: &Watch,
    ) -> Result<Verdict> {
        let release = Table::new(made.columns.clone(), made.rows.clone()).unwrap();
        let release = release.identified_by(&made.output_sha256);
        verify(&Inputs {
            policy: &self.policy(),
            policy_sha256: &made.policy_sha256,
            certificate: &made.certificate,
            files: Some(&made.files),
            release: &release,
            original: original.map(|rows| Original {
                rows,
                assignment: None,
                secret: None,
                counted: None,
                notes: None,
            }),
            population: population.map(|rows| rows as &dyn Rows),
            build: &|column, values| self.build(column, values),
            watch,
        })
    }
}

/// What the naive holder takes for the digest of a file.
fn digest_of(path: &str) -> String {
    format!("digest of {path}")
}

fn strings(words: &str) -> Vec<String> {
    words.split_whitespace().map(String::from).collect()
}

/// The claims that do not hold.
fn broken(verdict: &Verdict) -> Vec<&str> {
    verdict.claims.iter().filter(|(_, finding)| !finding.holds).map(|(claim, _)| claim.as_str()).collect()
}
