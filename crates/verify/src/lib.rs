//! The verifier: proves every claim of a certificate independently, or reports which claim is
//! wrong.
//!
//! It is a second, plain implementation: of Throng it uses the vocabulary alone (policy, hierarchies,
//! certificate, edges of a network). Rows stream once per file and are not kept. Memory grows with
//! distinct quasi-identifier tuples (5 million of 9 columns: about 400 MB) and time with cells (one
//! hash of the text each). The order of rows does not matter.
//!
//! From the release alone: `certificate`, `policy`, `files`, `columns`, `output`, `classes`,
//! `k-anonymity` over all quasi-identifiers and over each named group, `differential privacy`,
//! every model of a sensitive column or of the whole table, `population` and the models that
//! compare with it where the policy names one, `risk`, `missing` where missing cells mean
//! suppression, and `levels` as far as hierarchies come from files. With the original also `input`,
//! `truth`, all `levels`, `identifiers: COLUMN` where identifiers are replaced, every `loss: NAME`
//! that has a second definition in `losses.rs`, and `loss by column: NAME`.

#![forbid(unsafe_code)]

mod chances;
mod claims;
mod classes;
mod groups;
mod identifiers;
mod labels;
mod leveled;
mod levels;
mod losses;
mod models;
mod population;
mod predicted;
mod reference;
mod region_losses;
mod regions;
mod risk;
mod rowhash;
mod sampling;
mod sensitive;
mod shapes;
mod side;
mod source;
mod told;
mod truth;
mod verdict;
mod wildcard;

#[cfg(test)]
mod tests;

pub use levels::Build;
pub use side::Cells;
pub use verdict::{Finding, Verdict};

use std::collections::BTreeMap;

use self::claims::{Asked, Judged};
use self::groups::Group;
use self::identifiers::Source;
use self::leveled::Leveled;
use self::levels::Chain;
use self::losses::Facts;
use self::models::Rule;
use self::population::{Comparison, People};
use self::predicted::{Foreseen, Prediction};
use self::region_losses::RegionFacts;
use self::regions::{Deal, Regions};
use self::rowhash::RowHash;
use self::sampling::{Draw, Drawn};
use self::side::Side;
use self::source::{Generalized, Safety};
use self::verdict::{WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::{Fault, Result};
use throng_terms::policy::{Missing, Policy};
use throng_terms::registry::LossKind;
use throng_terms::release::Certificate;
use throng_terms::watch::Watch;

/// Reads a release, and its original where there is one, and judges the certificate.
#[derive(Debug)]
pub struct Verifier<'a> {
    policy: &'a Policy,
    policy_sha256: String,
    certificate: &'a Certificate,
    groups: Vec<Group>,
    rules: Vec<Rule>,
    comparisons: Vec<Comparison>,
    predictions: Vec<Prediction>,
    start: RowHash,
    released: Option<Side>,
    original: Option<Side>,
    population: Option<Side>,
    output_sha256: Option<String>,
    input_sha256: Option<String>,
    population_sha256: Option<String>,
    /// The digests of the files that the policy names.
    files: Option<BTreeMap<String, Option<String>>>,
    /// What differential privacy asks for, where the policy does.
    drawn: Option<Drawn>,
    /// The rows of the original that were drawn; without the secret, none are known.
    draw: Option<Draw>,
    watch: Watch,
}

impl<'a> Verifier<'a> {
    /// A verifier of the certificate's claims, under the policy whose text has the given digest.
    ///
    /// # Errors
    /// A group of the policy that names a column that is not a quasi-identifier.
    pub fn new(policy: &'a Policy, policy_sha256: String, certificate: &'a Certificate) -> Result<Self> {
        let stated = certificate.release.sampling.as_ref();
        let drawn = policy.differential_privacy().map(|asked| Drawn::new(asked, stated));
        let files = (&certificate.release.output.sha256, &certificate.release.input.sha256);
        Ok(Verifier {
            policy,
            policy_sha256,
            certificate,
            groups: groups::of(policy, drawn.as_ref())?,
            rules: models::of(policy),
            comparisons: population::of(policy, certificate.release.rows, 0),
            predictions: predicted::of(policy),
            start: RowHash::keyed(files.0, files.1),
            released: None,
            original: None,
            population: None,
            output_sha256: None,
            input_sha256: None,
            population_sha256: None,
            files: None,
            drawn,
            draw: None,
            watch: Watch::none(),
        })
    }

    /// Lets [`Verifier::finish`] be stopped.
    #[must_use]
    pub fn watched(self, watch: &Watch) -> Self {
        Verifier { watch: watch.clone(), ..self }
    }

    /// The header of the released file; comes before its rows.
    pub fn released_columns(&mut self, columns: &[String]) {
        let side = Side::new("release", self.policy, columns, self.start);
        let facts = &self.certificate.release;
        let labels = facts.regions.is_some() && facts.loss.contains_key(LossKind::Cm.key());
        self.released = Some(if labels { side.with_labels(self.policy) } else { side });
    }

    /// One row of the released file, cell by cell in the order of its header; `None` is missing.
    ///
    /// # Errors
    /// A row that is longer or shorter than the header, or no header.
    pub fn released_row(&mut self, row: &[Option<&str>]) -> Result<()> {
        begun(&mut self.released)?.row(row)
    }

    /// Some rows of the released file, column by column: cheaper than one by one.
    ///
    /// # Errors
    /// A column that gives another number of cells than `rows`, or no header.
    pub fn released_batch(&mut self, rows: usize, cells: &mut Cells<'_>) -> Result<()> {
        begun(&mut self.released)?.batch(rows, cells)
    }

    /// The digest of the released file's bytes.
    pub fn output_sha256(&mut self, sha256: String) {
        self.output_sha256 = Some(sha256);
    }

    /// The secret by which rows of the original were drawn, and the digest of its bytes, if the
    /// policy requests differential privacy; comes before the original.
    pub fn secret(&mut self, secret: &[u8], input_sha256: &str) {
        let seed = self.certificate.release.seed;
        let draw = |drawn: &Drawn| Draw::new(drawn, secret, seed, &self.policy_sha256, input_sha256);
        self.draw = self.drawn.as_ref().map(draw);
    }

    /// The header of the original; comes before its rows. Without it the original is taken not to
    /// be there.
    pub fn original_columns(&mut self, columns: &[String]) {
        let side = Side::new("original", self.policy, columns, self.start).with_guards(self.policy);
        let stated = self.certificate.release.loss.keys().filter_map(|key| LossKind::from_key(key));
        let labels = stated.into_iter().any(LossKind::needs_target);
        self.original = Some(if labels { side.with_labels(self.policy) } else { side });
    }

    /// Provides the released cells of the next `rows` rows of a tuple of quasi-identifiers, if rows
    /// are in regions; none if they are suppressed. Columns are in name order, all entries of one
    /// tuple are adjacent, and all come after the released rows and before the original's. This is
    /// a hint and is checked.
    ///
    /// # Errors
    /// No header of the original or of the release.
    pub fn region(
        &mut self,
        source: &[Option<&str>],
        rows: u64,
        cells: Option<&[Option<&str>]>,
    ) -> Result<()> {
        let released = begun(&mut self.released)?;
        let class = cells.map(|cells| {
            let numbers = released.interners.iter().zip(cells).map(|(interner, cell)| interner.get(*cell));
            let tuple: Option<Vec<u32>> = numbers.collect();
            tuple.and_then(|tuple| released.classes.tuples.get(&tuple))
        });
        let original = begun(&mut self.original)?;
        let numbers = original.interners.iter_mut().zip(source);
        let tuple: Vec<u32> = numbers.map(|(interner, cell)| interner.count_in(*cell, 0)).collect();
        original.deal.get_or_insert_with(|| Deal::new(tuple.len())).say(&tuple, rows, class);
        Ok(())
    }

    /// One row of the original, as [`released_row`](Self::released_row).
    ///
    /// # Errors
    /// A row that is longer or shorter than the header, no header, or no secret for drawn rows.
    pub fn original_row(&mut self, row: &[Option<&str>]) -> Result<()> {
        match self.draws(1)?.is_none_or(|drawn| drawn == [true]) {
            true => begun(&mut self.original)?.row(row),
            false => Ok(()),
        }
    }

    /// Some rows of the original, as [`released_batch`](Self::released_batch).
    ///
    /// # Errors
    /// A column that gives another number of cells than `rows`, no header, or no secret for drawn
    /// rows.
    pub fn original_batch(&mut self, rows: usize, cells: &mut Cells<'_>) -> Result<()> {
        let drawn = self.draws(rows)?;
        let original = begun(&mut self.original)?;
        let Some(drawn) = drawn else { return original.batch(rows, cells) };
        let count = drawn.iter().filter(|drawn| **drawn).count();
        original.batch(count, &mut |column, take| {
            let mut places = drawn.iter();
            cells(column, &mut |cell| {
                // A cell too many is handed on, to be found so.
                if places.next().is_none_or(|drawn| *drawn) {
                    take(cell);
                }
            });
        })
    }

    /// Which of the next rows of the original were drawn; none where all are.
    fn draws(&mut self, rows: usize) -> Result<Option<Vec<bool>>> {
        match (&self.drawn, &mut self.draw) {
            (None, _) => Ok(None),
            (Some(_), Some(draw)) => Ok(Some(draw.next(rows))),
            (Some(_), None) => Err(Fault::bug("the secret of a draw was not given").into()),
        }
    }

    /// The digest of the original's bytes.
    pub fn input_sha256(&mut self, sha256: String) {
        self.input_sha256 = Some(sha256);
    }

    /// The header of the population that models compare with, where the policy names one; comes
    /// before its rows.
    pub fn population_columns(&mut self, columns: &[String]) {
        self.population = Some(Side::new("population", self.policy, columns, self.start));
    }

    /// Some rows of the population, as [`released_batch`](Self::released_batch).
    ///
    /// # Errors
    /// A column that gives another number of cells than `rows`, or no header.
    pub fn population_batch(&mut self, rows: usize, cells: &mut Cells<'_>) -> Result<()> {
        begun(&mut self.population)?.batch(rows, cells)
    }

    /// The digest of the population's bytes.
    pub fn population_sha256(&mut self, sha256: String) {
        self.population_sha256 = Some(sha256);
    }

    /// The digests of all files that [`Policy::files`] has, none where a file is missing. Nothing
    /// else can be judged without a file, so the verdict follows at once where one is missing.
    pub fn files(&mut self, found: BTreeMap<String, Option<String>>) -> Option<Verdict> {
        let missing = found.values().any(Option::is_none);
        self.files = Some(found);
        let mut verdict = Verdict::default();
        verdict.claims.extend(self.of_files().filter(|_| missing).map(|finding| ("files".into(), finding)));
        missing.then_some(verdict)
    }

    fn of_files(&self) -> Option<Finding> {
        claims::files(self.policy, self.certificate, self.files.as_ref())
    }

    /// Judges, when all rows were read. `build` makes a column's hierarchy from its values, as the
    /// policy asks for it.
    ///
    /// # Errors
    /// No header of the release, or what `build` fails with; a claim that is wrong is no error but
    /// a finding. [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked to stop.
    pub fn finish(mut self, build: &Build<'_>) -> Result<Verdict> {
        let mut original = self.original.take();
        let population = self.population.take();
        if let Some(population) = &population {
            self.comparisons = population::of(self.policy, self.certificate.release.rows, population.rows);
        }
        let mut released = self.released.take();
        let minorities = begun(&mut released)?.minorities();
        let released = &*begun(&mut released)?;
        self.watch.check()?;
        let judged = claims::judged(self.policy, self.certificate, released);
        let labels = match &mut original {
            Some(original) => self.at_levels(original, build)?,
            None => None,
        };
        let others = (original.as_ref(), population.as_ref());
        self.watch.check()?;
        let chains = levels::chains(self.policy, self.certificate, released, others, build)?;
        models::compare(
            &mut self.rules,
            self.policy,
            (released, original.as_ref()),
            self.certificate,
            build,
        )?;
        if original.is_some() {
            models::price(&mut self.rules, &chains, released);
        }
        let mut verdict = Verdict::default();
        self.watch.check()?;
        self.of_release(released, &judged, &mut verdict);
        if !self.policy.forms_regions() {
            verdict.set("levels", levels::levels(self.policy, self.certificate, &chains, released, &judged));
        }
        self.watch.check()?;
        let people = population.as_ref().and_then(|population| People::new(population, &chains));
        let foreseen = match &original {
            Some(original) if !self.predictions.is_empty() => {
                Foreseen::new(self.policy, original, &chains, &self.watch)?
            }
            _ => None,
        };
        self.of_population(others, people.as_ref(), (&chains, released, &judged), &mut verdict);
        for prediction in &self.predictions {
            self.watch.check()?;
            let known = (original.is_some(), foreseen.as_ref());
            let of = (&chains[..], released, &judged);
            verdict.set(&prediction.claim, predicted::claim(prediction, self.certificate, known, of));
        }
        drop(population);
        self.watch.check()?;
        let of = (&chains[..], released, &judged);
        match self.policy.forms_regions() {
            true => self.of_regions((original, labels), minorities, of, &mut verdict),
            false => {
                self.of_original((original, labels), (people.as_ref(), foreseen.as_ref()), of, &mut verdict)
            }
        }
        Ok(verdict)
    }

    /// The claims that need the population.
    fn of_population(
        &self,
        (original, population): (Option<&Side>, Option<&Side>),
        people: Option<&People>,
        of: (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let stated = self.certificate.release.population.as_ref();
        if let Some(population) = population {
            let file = (population, self.population_sha256.as_deref());
            verdict.set("population", population::population(stated, file, original, self.policy));
        } else if self.policy.population().is_some() || stated.is_some() {
            verdict.set("population", Finding::missing("the population is not at hand"));
        }
        for comparison in &self.comparisons {
            verdict.set(&comparison.claim, population::claim(comparison, self.certificate, people, of));
        }
    }

    /// The claims that need the release alone.
    fn of_release(&self, released: &Side, judged: &Judged, verdict: &mut Verdict) {
        let (policy, certificate) = (self.policy, self.certificate);
        let sha256 = self.output_sha256.as_deref();
        verdict.set("certificate", claims::certificate(policy, &self.asked(), certificate));
        verdict.set("policy", claims::policy(&self.policy_sha256, certificate));
        if let Some(files) = self.of_files() {
            verdict.set("files", files);
        }
        verdict.set("columns", claims::columns(policy, certificate, &released.columns));
        verdict.set("output", claims::output(policy, certificate, sha256, released, judged));
        verdict.set("classes", claims::classes(certificate, judged));
        if policy.input.missing == Missing::Suppress {
            verdict.set("missing", claims::missing(released, judged));
        }
        for group in &self.groups {
            let finding = claims::anonymity(group, policy.input.missing, certificate, released, judged);
            verdict.set(&group.claim, finding);
        }
        for rule in &self.rules {
            verdict.set(&rule.claim, models::claim(rule, certificate, released, judged, None));
        }
        let missing = policy.input.missing;
        if let Some(finding) = risk::risk(&certificate.release, missing, released, judged) {
            verdict.set("risk", finding);
        }
    }

    /// Every guarantee of the policy.
    fn asked(&self) -> Vec<Asked<'_>> {
        let groups = self.groups.iter().map(|group| {
            let required = group.k as f64;
            Asked { claim: &group.claim, required, holds: Box::new(move |size| size >= required) }
        });
        let rules = self.rules.iter().map(|rule| Asked {
            claim: &rule.claim,
            required: rule.required(),
            holds: Box::new(|figure| rule.holds(figure)),
        });
        let comparisons = self.comparisons.iter().map(|comparison| Asked {
            claim: &comparison.claim,
            required: comparison.required(),
            holds: Box::new(|figure| comparison.holds(figure)),
        });
        let predictions = self.predictions.iter().map(|prediction| Asked {
            claim: &prediction.claim,
            required: prediction.required(),
            holds: Box::new(|figure| figure >= prediction.required()),
        });
        groups.chain(rules).chain(comparisons).chain(predictions).collect()
    }

    /// The claims that need the original; without it they are named as not checked.
    fn of_original(
        &self,
        (original, labels): (Option<Side>, Option<leveled::Labels>),
        people: (Option<&People>, Option<&Foreseen<'_>>),
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let release = &self.certificate.release;
        let mut facts = Facts {
            rows: release.rows,
            suppressed: release.withheld,
            counts: &judged.counts,
            chains,
            source: None,
            regions: None,
        };
        let unfit = original.is_some();
        let source = match original {
            None => {
                verdict.set("input", Finding::unchecked(WITHOUT_ORIGINAL));
                verdict.set("truth", Finding::unchecked(WITHOUT_ORIGINAL));
                None
            }
            Some(original) => {
                verdict.set("input", self.input(&original));
                let mut original = original;
                let values = original.leveled.take().zip(labels);
                let source = Generalized::new(original, chains, self.safety(people));
                verdict.set("truth", self.truth(source.as_ref(), values.as_ref(), chains, released));
                source
            }
        };
        let places = source
            .as_ref()
            .map(|source| truth::places(self.policy, (source, &source.moved), chains, released));
        if let Some(source) = &source {
            for rule in self.rules.iter().filter(|rule| rule.has_guard()) {
                let shown = if source.shown.is_empty() { &source.moved } else { &source.shown };
                let places = truth::places(self.policy, (source, shown), chains, released);
                let nodes = models::nodes_of_released(rule, source, &places, released.classes.len());
                let finding = models::claim(rule, self.certificate, released, judged, nodes.as_ref());
                verdict.set(&rule.claim, finding);
            }
        }
        let compared = match (&source, &places) {
            (Some(source), Some(places)) => Source::Known(&source.identifiers, places),
            _ if unfit => Source::Unfit,
            _ => Source::None,
        };
        self.of_identifiers(released, compared, verdict);
        if let Some(source) = &source {
            facts.rows = source.rows;
            facts.suppressed = source.held.counts().iter().sum();
            facts.source = Some(source);
        }
        self.of_losses(&facts, verdict);
    }

    /// The same where rows were put into regions.
    fn of_regions(
        &self,
        (original, labels): (Option<Side>, Option<leveled::Labels>),
        minorities: Vec<u64>,
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let release = &self.certificate.release;
        let there = original.is_some();
        let mut values = None;
        let regions = original.and_then(|mut original| {
            verdict.set("input", self.input(&original));
            values = original.leveled.take().zip(labels);
            Regions::new(original, self.certificate, chains, released)
        });
        let missing = "no assignment of rows to regions was provided";
        verdict.set(
            "truth",
            match (&regions, there) {
                (Some(regions), _) => {
                    regions::truth(self.policy, self.certificate, regions, values.as_ref(), released)
                }
                (None, true) => Finding::missing(missing),
                (None, false) => Finding::unchecked(WITHOUT_ORIGINAL),
            },
        );
        if !there {
            verdict.set("input", Finding::unchecked(WITHOUT_ORIGINAL));
        }
        let cells =
            regions::cells(self.policy, self.certificate, (chains, released), judged, regions.as_ref());
        verdict.set("cells", cells);
        let compared = match &regions {
            Some(regions) => Source::Known(&regions.identifiers, &regions.places),
            None if there => Source::Unfit,
            None => Source::None,
        };
        self.of_identifiers(released, compared, verdict);
        let facts = Facts {
            rows: release.rows,
            suppressed: release.withheld,
            counts: &judged.counts,
            chains,
            source: None,
            regions: regions.as_ref().map(|regions| RegionFacts {
                regions,
                released,
                counts: &judged.counts,
                minorities,
            }),
        };
        self.of_losses(&facts, verdict);
    }

    /// The identifiers that are replaced.
    fn of_identifiers(&self, released: &Side, compared: Source<'_>, verdict: &mut Verdict) {
        for (at, column) in identifiers::replaced(self.policy).enumerate() {
            let finding = identifiers::identifiers(at, released, compared, self.start);
            verdict.set(identifiers::claim(column), finding);
        }
    }

    fn of_losses(&self, facts: &Facts<'_>, verdict: &mut Verdict) {
        let release = &self.certificate.release;
        let whole = losses::losses(&release.loss, self.policy, facts);
        for (claim, finding) in whole.into_iter().chain(losses::by_column(&release.loss_by_column, facts)) {
            verdict.set(claim, finding);
        }
    }

    /// The conditions for releasing a class.
    fn safety<'s>(
        &'s self,
        (people, foreseen): (Option<&'s People>, Option<&'s Foreseen<'s>>),
    ) -> Safety<'s> {
        Safety {
            groups: &self.groups,
            rules: &self.rules,
            comparisons: &self.comparisons,
            people,
            predictions: &self.predictions,
            foreseen,
            missing: self.policy.input.missing,
        }
    }

    fn input(&self, original: &Side) -> Finding {
        let facts = &self.certificate.release.input;
        let mut wrong = match self.drawn {
            None => claims::file("original", self.input_sha256.as_deref(), original.rows, facts),
            // A certificate of sampled rows does not describe the input; another input would have
            // another sample.
            Some(_) => Wrong::default(),
        };
        wrong.extend(
            original.absent(self.policy).into_iter().map(|name| format!("column `{name}` is not there")),
        );
        Finding::of(&wrong, || match self.drawn {
            None => {
                format!("the original is the one that was released, with {}", several(original.rows, "row"))
            }
            Some(_) => format!(
                "the secret draws {} of it; truth tells whether these were released",
                several(original.rows, "row")
            ),
        })
    }

    /// What the original's values at levels must become; models then judge these.
    fn at_levels(&self, original: &mut Side, build: &Build<'_>) -> Result<Option<leveled::Labels>> {
        let labels = leveled::labels(self.policy, original, build)?;
        let judged = self.policy.judged();
        for ((name, _), labels) in self.policy.leveled().into_iter().zip(labels.iter().flatten()) {
            if let Some(at) = judged.iter().position(|column| *column == name) {
                original.sensitive[at].relabel(|value| labels[value as usize].as_ref());
            }
        }
        Ok(labels)
    }

    fn truth(
        &self,
        source: Option<&Generalized>,
        values: Option<&(Leveled, leveled::Labels)>,
        chains: &[Chain<'_>],
        released: &Side,
    ) -> Finding {
        match source {
            Some(source) => truth::truth(self.policy, self.certificate, (source, values), chains, released),
            None => {
                let mut wrong = Wrong::default();
                wrong.push("the claimed levels do not fit the hierarchies");
                Finding::of(&wrong, String::new)
            }
        }
    }
}

/// A file whose header is known.
fn begun(side: &mut Option<Side>) -> Result<&mut Side> {
    side.as_mut().ok_or_else(|| Fault::bug("rows were given before the header").into())
}
