//! The verifier: proves every claim of a certificate independently, or reports which claim is
//! wrong.
//!
//! [`verify`] reads what it needs through [`Rows`], so calls cannot happen in the wrong order.
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
//! suppression, and `levels` as far as hierarchies come from files. With the original, without the
//! rare values that the policy deletes from it (`deleted.rs`), also these deletions, `input`,
//! `(k,1)-anonymity` where the policy asks for it, `truth`, all `levels`, `identifiers: COLUMN`
//! where identifiers are replaced, every `loss: NAME` that has a second definition in `losses.rs`,
//! and `loss by column: NAME`. The errors of a predictive model are named as not checked (`model`).

#![forbid(unsafe_code)]

mod chances;
mod claims;
mod classes;
mod consistent;
mod deleted;
mod foreseen;
mod groups;
mod identifiers;
mod labels;
mod leveled;
mod levels;
mod losses;
mod matched;
mod model;
mod models;
mod people;
mod population;
mod predicted;
mod reference;
mod regions;
mod risk;
mod rowhash;
mod sampling;
mod sensitive;
mod shapes;
mod shifted;
mod side;
mod source;
mod told;
mod truth;
mod verdict;
mod wildcard;

#[cfg(test)]
mod tests;

pub use levels::Build;
pub use verdict::{Finding, Verdict};

use std::collections::BTreeMap;

use self::claims::{Asked, Judged};
use self::classes::UNKNOWN;
use self::deleted::Deleted;
pub use self::deleted::ValueCounts;
use self::foreseen::Foreseen;
use self::groups::Group;
use self::identifiers::Source;
use self::leveled::Leveled;
use self::levels::Chain;
use self::losses::{Facts, LevelFacts, RegionFacts};
use self::models::Rule;
use self::people::People as Subjects;
use self::population::{Comparison, Counted, People};
use self::predicted::Prediction;
use self::regions::Regions;
use self::rowhash::RowHash;
use self::sampling::{Draw, Drawn, SortedTable};
use self::sensitive::Values;
use self::side::Side;
use self::source::{Generalized, Safety};
use self::verdict::{WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::{Fault, Result};
use throng_terms::policy::{Column, KOne, Missing, Policy, Role};
use throng_terms::registry::LossKind;
use throng_terms::release::Certificate;
use throng_terms::rows::{Batch, Rows};
use throng_terms::watch::{Stage, Watch};

/// What the verifier reads and judges by.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// What the holder asked for.
    pub policy: &'a Policy,
    /// SHA-256 of the policy's text.
    pub policy_sha256: &'a str,
    /// The claims.
    pub certificate: &'a Certificate,
    /// The digests of all files that [`Policy::files`] has, none where a file is missing. Nothing
    /// else can be judged if one is missing. `None`: the files are not at hand.
    pub files: Option<&'a BTreeMap<String, Option<String>>>,
    /// The released table.
    pub release: &'a dyn Rows,
    /// The table that was released; without it, claims that need it are not checked.
    pub original: Option<Original<'a>>,
    /// The population that models compare with, where the policy names one.
    pub population: Option<&'a dyn Rows>,
    /// Makes a column's hierarchy from its values, as the policy asks for it.
    pub build: &'a Build<'a>,
    /// Receives progress, and stops the work.
    pub watch: &'a Watch,
}

/// The table that was released, and what only its holder knows.
#[derive(Clone, Copy)]
pub struct Original<'a> {
    /// The table.
    pub rows: &'a dyn Rows,
    /// What its rows became, where they were put into regions. It is a hint, and is checked.
    pub assignment: Option<&'a dyn Assignment>,
    /// The secret by which rows were drawn, if the policy requests differential privacy, or by
    /// which dates were shifted.
    pub secret: Option<&'a [u8]>,
    /// How often its values occur, if they were counted while it was read for another purpose. The
    /// rows are the same if the fingerprint is, which is checked.
    pub counted: Option<&'a ValueCounts>,
}

/// Receives the released cells of the next rows of a tuple of quasi-identifiers: the tuple, the
/// number of rows, and the cells, none if the rows are suppressed. Columns are in name order.
pub type TakeAssigned<'a> = dyn FnMut(&[Option<&str>], u64, Option<&[Option<&str>]>) -> Result<()> + 'a;

/// The claimed regions of the rows of an original.
pub trait Assignment {
    /// Hands out every tuple; all entries of one tuple are adjacent. Rows of a tuple with several
    /// entries are assigned in the order of their content (see
    /// [`ContentKey`](throng_terms::rows::ContentKey)).
    ///
    /// # Errors
    /// What `take` returns.
    fn each(&self, take: &mut TakeAssigned<'_>) -> Result<()>;
}

/// Reads a release, and its original where there is one, and judges every claim of the certificate.
///
/// # Errors
/// What cannot be read, what `build` fails with, a group of the policy that names a column that is
/// not a quasi-identifier, and [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked
/// to stop. A claim that does not hold is not an error: it is in the verdict.
pub fn verify(inputs: &Inputs<'_>) -> Result<Verdict> {
    let verifier = Verifier::new(inputs)?;
    if let Some(verdict) = verifier.lacks_files() {
        return Ok(verdict);
    }
    let released = verifier.read_release()?;
    let original = inputs.original.map(|original| verifier.read_original(original, &released)).transpose()?;
    let population = inputs.population.map(|rows| verifier.read_population(rows)).transpose()?;
    let rows = inputs.original.map(|original| original.rows);
    let preparation = claims::preparation(inputs.policy, inputs.certificate, rows);
    let mut verdict = verifier.judge(released, original, population)?;
    if let Some(finding) = preparation {
        verdict.set("preparation", finding);
    }
    Ok(verdict)
}

/// A table that was read, and its fingerprint.
struct Read {
    side: Side,
    fingerprint: String,
    /// What was deleted from it, where the policy deletes rare values.
    deleted: Option<Deleted>,
}

/// The fingerprints of what was read.
struct Digests {
    release: String,
    original: Option<String>,
    population: Option<String>,
}

/// By a certificate, the rows of the original that are left after rare ones were deleted.
fn left(certificate: &Certificate) -> u64 {
    certificate.release.rows.saturating_sub(certificate.release.deleted_rows())
}

/// The rules that a certificate is judged by.
struct Verifier<'a> {
    inputs: &'a Inputs<'a>,
    policy: &'a Policy,
    certificate: &'a Certificate,
    groups: Vec<Group>,
    rules: Vec<Rule>,
    comparisons: Vec<Comparison>,
    predictions: Vec<Prediction>,
    start: RowHash,
    /// What differential privacy asks for, where the policy does.
    drawn: Option<Drawn>,
    /// What was deleted from the original, where it was read and the policy deletes rare values.
    deleted: Option<Deleted>,
    watch: &'a Watch,
}

impl<'a> Verifier<'a> {
    fn new(inputs: &'a Inputs<'a>) -> Result<Self> {
        let Inputs { policy, certificate, watch, .. } = *inputs;
        let stated = certificate.release.sampling.as_ref();
        let drawn = policy.differential_privacy().map(|asked| Drawn::new(asked, stated));
        let files = (&certificate.release.output.sha256, &certificate.release.input.sha256);
        Ok(Verifier {
            inputs,
            policy,
            certificate,
            groups: groups::of(policy, drawn.as_ref())?,
            rules: models::of(policy),
            comparisons: population::of(policy, left(certificate), 0),
            predictions: predicted::of(policy),
            start: RowHash::keyed(files.0, files.1),
            drawn,
            deleted: None,
            watch,
        })
    }

    /// Reads the release.
    fn read_release(&self) -> Result<Read> {
        let rows = self.inputs.release;
        let facts = &self.certificate.release;
        let counted = |key: &String| LossKind::from_key(key).is_some_and(LossKind::counts_labels);
        let labels = facts.regions.is_some() && facts.loss.keys().any(counted);
        let columns: Vec<usize> = (0..rows.columns().len()).collect();
        let mut side = Side::new("release", self.policy, rows.columns(), self.start);
        side = if labels { side.with_labels(self.policy) } else { side };
        self.read(rows, &columns, side)
    }

    /// Reads the original: only what a release can hold, and what rows are guarded against.
    fn read_original(&self, original: Original<'_>, released: &Read) -> Result<Read> {
        let (policy, rows) = (self.policy, original.rows);
        let guards = policy.guards();
        let needed = |name: &String| {
            let released = policy.columns.get(name).is_some_and(Column::released);
            released || guards.contains(name.as_str()) || policy.subject() == Some(name.as_str())
        };
        let columns: Vec<usize> = (0..rows.columns().len()).filter(|&c| needed(&rows.columns()[c])).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        let side = Side::new("original", policy, &names, self.start);
        let side = side.with_guards(policy).with_subject(policy);
        let mut side = side.with_shifts(policy, original.secret)?;
        let stated = self.certificate.release.loss.keys().filter_map(|key| LossKind::from_key(key));
        if stated.into_iter().any(LossKind::needs_target) {
            side = side.with_labels(policy);
        }
        if let Some(drawn) = &self.drawn {
            let secret = original.secret.ok_or_else(|| Fault::bug("the secret of a draw was not given"))?;
            return self.read_drawn(rows, side, |table| {
                Draw::new(drawn, secret, self.certificate.release.seed, self.inputs.policy_sha256, table)
            });
        }
        if let Some(assignment) = original.assignment {
            assignment.each(&mut |tuple, rows, cells| {
                self.watch.check()?;
                let class = cells.map(|cells| released.side.class_of(cells));
                side.assign(tuple, rows, class);
                Ok(())
            })?;
            side.order_by_content(policy);
        }
        let mut read = match Deleted::of(policy, rows, original.counted, self.watch)? {
            Some(deleted) => self.read_left(rows, (&columns, &names), side, deleted)?,
            None => self.read(rows, &columns, side)?,
        };
        read.side.settle();
        Ok(read)
    }

    /// Reads what is left of the original without rare values.
    fn read_left(
        &self,
        rows: &dyn Rows,
        (columns, names): (&[usize], &[String]),
        mut side: Side,
        mut deleted: Deleted,
    ) -> Result<Read> {
        rows.read(columns, self.watch, &mut |batch| {
            let left = deleted.left(batch, names);
            side.batch(left.rows(), &mut |column, take| left.each(column, take))?;
            self.watch.done(Stage::Verifying, side.rows, None)
        })?;
        side.deleted = deleted.rows();
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: Some(deleted) })
    }

    /// Reads the drawn rows of the original. Which rows are drawn follows from the sorted table.
    fn read_drawn(&self, rows: &dyn Rows, mut side: Side, draw: impl Fn(&str) -> Draw) -> Result<Read> {
        let names = self.policy.with_role(Role::Quasi);
        let place = |name: &&str| rows.columns().iter().position(|column| column == name);
        let columns: Option<Vec<usize>> = names.iter().map(place).collect();
        // A column that is missing is found by the claims about the input.
        let Some(columns) = columns else {
            return Ok(Read { side, fingerprint: String::new(), deleted: None });
        };
        let table = SortedTable::read(rows, &names, &columns, self.watch)?;
        let mut draw = draw(&table.digest());
        let header = side.columns.clone();
        let places: Vec<Option<usize>> =
            header.iter().map(|column| names.iter().position(|name| name == column)).collect();
        table.each(|tuple, count| {
            let drawn = draw.next(count as usize).into_iter().filter(|drawn| *drawn).count();
            side.batch(drawn, &mut |column, take| {
                (0..drawn).for_each(|_| take(places[column].and_then(|place| tuple[place])));
            })
        })?;
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// Reads the population that models compare with.
    fn read_population(&self, rows: &dyn Rows) -> Result<Read> {
        let quasi = self.policy.with_role(Role::Quasi);
        let needed = |c: &usize| quasi.contains(&rows.columns()[*c].as_str());
        let columns: Vec<usize> = (0..rows.columns().len()).filter(needed).collect();
        let names: Vec<String> = columns.iter().map(|&c| rows.columns()[c].clone()).collect();
        self.read(rows, &columns, Side::new("population", self.policy, &names, self.start))
    }

    fn read(&self, rows: &dyn Rows, columns: &[usize], mut side: Side) -> Result<Read> {
        rows.read(columns, self.watch, &mut |batch| {
            side.batch(batch.rows(), &mut |column, take| batch.each(column, take))?;
            self.watch.done(Stage::Verifying, side.rows, None)
        })?;
        Ok(Read { side, fingerprint: rows.fingerprint(self.watch)?, deleted: None })
    }

    /// The verdict if a file is missing that the policy names.
    fn lacks_files(&self) -> Option<Verdict> {
        let missing = self.inputs.files?.values().any(Option::is_none);
        let mut verdict = Verdict::default();
        verdict.claims.extend(self.of_files().filter(|_| missing).map(|finding| ("files".into(), finding)));
        missing.then_some(verdict)
    }

    fn of_files(&self) -> Option<Finding> {
        claims::files(self.policy, self.certificate, self.inputs.files)
    }

    /// Judges what was read.
    fn judge(mut self, released: Read, original: Option<Read>, population: Option<Read>) -> Result<Verdict> {
        let digests = Digests {
            release: released.fingerprint,
            original: original.as_ref().map(|read| read.fingerprint.clone()),
            population: population.as_ref().map(|read| read.fingerprint.clone()),
        };
        let build = self.inputs.build;
        let mut original = original.map(|read| {
            self.deleted = read.deleted;
            read.side
        });
        let population = population.map(|read| read.side);
        if let Some(population) = &population {
            self.comparisons = population::of(self.policy, left(self.certificate), population.rows);
        }
        let mut released = released.side;
        let minorities = released.minorities();
        let released = &released;
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
        let files = (released, original.as_ref());
        models::compare_labels(&mut self.rules, self.policy, &chains, files, self.certificate, build)?;
        if original.is_some() {
            models::price(&mut self.rules, &chains, released);
        }
        let mut verdict = Verdict::default();
        self.watch.check()?;
        self.of_release((released, &digests.release), &judged, &mut verdict);
        if !self.policy.forms_regions() {
            verdict.set("levels", levels::levels(self.policy, self.certificate, &chains, released, &judged));
        }
        self.watch.check()?;
        let people = population.as_ref().and_then(|population| People::new(population, &chains));
        let counted = match self.policy.forms_regions() {
            true => population.as_ref().map(Counted::Regions),
            false => people.as_ref().map(Counted::Levels),
        };
        let foreseen = match &original {
            // A policy asks for at most one prediction.
            Some(original) => match self.predictions.first() {
                Some(prediction) => Foreseen::new(prediction.parents(), original, &chains, self.watch)?,
                None => None,
            },
            None => None,
        };
        self.of_population((others, &digests), counted, (&chains, released, &judged), &mut verdict);
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
            true => self.of_regions((original, labels, &digests), minorities, of, &mut verdict)?,
            false => {
                let others = (people.as_ref(), foreseen.as_ref());
                self.of_original((original, labels, &digests), others, of, &mut verdict)
            }
        }
        Ok(verdict)
    }

    /// The claims that need the population.
    fn of_population(
        &self,
        ((original, population), digests): ((Option<&Side>, Option<&Side>), &Digests),
        people: Option<Counted<'_>>,
        of: (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let stated = self.certificate.release.population.as_ref();
        if let Some(population) = population {
            let file = (population, digests.population.as_deref());
            verdict.set("population", population::population(stated, file, original, self.policy));
        } else if self.policy.population().is_some() || stated.is_some() {
            verdict.set("population", Finding::missing("the population is not at hand"));
        }
        for comparison in &self.comparisons {
            verdict.set(&comparison.claim, population::claim(comparison, self.certificate, people, of));
        }
    }

    /// The claims that need the release alone.
    fn of_release(&self, (released, sha256): (&Side, &str), judged: &Judged, verdict: &mut Verdict) {
        let (policy, certificate) = (self.policy, self.certificate);
        let sha256 = Some(sha256);
        verdict.set("certificate", claims::certificate(policy, &self.asked(), certificate));
        verdict.set("policy", claims::policy(self.inputs.policy_sha256, certificate));
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
            let finding = match rule.deletes() {
                Some(k) => deleted::claim(&rule.claim, k, certificate, self.deleted.as_ref()),
                None if policy.subject().is_some() => Finding::unchecked(WITHOUT_ORIGINAL),
                None => models::claim(rule, certificate, released, judged, None),
            };
            verdict.set(&rule.claim, finding);
        }
        if policy.subject().is_some() {
            self.of_people(None, released, judged, verdict);
        } else if let Some(finding) =
            risk::risk(&certificate.release, policy.input.missing, released, judged, None)
        {
            verdict.set("risk", finding);
        }
        for (claim, finding) in model::claims(policy, &certificate.release) {
            verdict.set(claim, finding);
        }
    }

    /// The claims about people, counted in the original; without it they are named as not checked.
    fn of_people(&self, people: Option<&Subjects>, released: &Side, judged: &Judged, verdict: &mut Verdict) {
        let (policy, certificate) = (self.policy, self.certificate);
        let Some(k) = self.k_people() else { return };
        let finding = people::anonymity(k, certificate, released, judged, people);
        verdict.set(people::K_ANONYMITY, finding);
        verdict.set(people::CLAIM, people::claim(policy, certificate, people));
        let sizes = people.map(|people| &people.of_class[..]);
        let risk = risk::risk(&certificate.release, policy.input.missing, released, judged, sizes);
        let unchecked = || Finding::unchecked(WITHOUT_ORIGINAL);
        if let Some(finding) = risk.map(|found| if people.is_some() { found } else { unchecked() }) {
            verdict.set("risk", finding);
        }
    }

    /// The models of sensitive columns, by the values of people in the original; `places` has the
    /// released class of every class of it.
    fn of_judged_people(
        &self,
        values: &[Values],
        places: &[u32],
        (released, judged): (&Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let moves = || places.iter().enumerate().filter(|(_, place)| **place != UNKNOWN);
        let moves = || moves().map(|(from, to)| (from, *to as usize));
        let values: Vec<Values> =
            values.iter().map(|column| column.merged(moves(), released.classes.len())).collect();
        for rule in &self.rules {
            let finding = models::claim_by_people(rule, self.certificate, released, judged, &values);
            if let Some(finding) = finding {
                verdict.set(&rule.claim, finding);
            }
        }
    }

    /// The people that a class needs, where rows belong to people.
    fn k_people(&self) -> Option<u64> {
        self.policy.privacy.k().filter(|_| self.policy.subject().is_some())
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
        let originals = self.policy.k_one().map(|k| Asked {
            claim: KOne::CLAIM,
            required: k as f64,
            holds: Box::new(move |least| least >= k as f64),
        });
        let people = self.k_people().map(|k| Asked {
            claim: people::K_ANONYMITY,
            required: k as f64,
            holds: Box::new(move |fewest| fewest >= k as f64),
        });
        groups.chain(people).chain(rules).chain(comparisons).chain(predictions).chain(originals).collect()
    }

    /// The claims that need the original; without it they are named as not checked.
    fn of_original(
        &self,
        (original, labels, digests): (Option<Side>, Option<leveled::Labels>, &Digests),
        people: (Option<&People>, Option<&Foreseen<'_>>),
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let unfit = original.is_some();
        let source = match original {
            None => {
                verdict.set("input", Finding::unchecked(WITHOUT_ORIGINAL));
                verdict.set("truth", Finding::unchecked(WITHOUT_ORIGINAL));
                None
            }
            Some(original) => {
                verdict.set("input", self.input(&original, digests));
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
        if let (Some(source), Some(places)) = (&source, &places)
            && let Some(subjects) = &source.subjects
        {
            // Starred rows are in no class that is judged.
            let place = |(place, moved): (&u32, &Option<_>)| moved.map_or(UNKNOWN, |_: (u32, u32)| *place);
            let places: Vec<u32> = places.iter().zip(&source.moved).map(place).collect();
            let people = Subjects::new(self.policy, subjects, &places, released.classes.len());
            self.of_people(Some(&people), released, judged, verdict);
            self.of_judged_people(&source.values, &places, (released, judged), verdict);
        } else if unfit && self.policy.subject().is_some() {
            verdict.set(people::CLAIM, Finding::missing("people cannot be counted in the original"));
        }
        let compared = match (&source, &places) {
            (Some(source), Some(places)) => Source::Known(&source.identifiers, places),
            _ if unfit => Source::Unfit,
            _ => Source::None,
        };
        self.of_identifiers(released, compared, verdict);
        let rows = match &source {
            Some(source) => (source.rows, source.held.counts().iter().sum()),
            None => self.left_and_held(),
        };
        let facts = LevelFacts::new(rows, &judged.counts, chains, source.as_ref());
        self.of_losses(&facts, chains, verdict);
    }

    /// The same where rows were put into regions.
    fn of_regions(
        &self,
        (original, labels, digests): (Option<Side>, Option<leveled::Labels>, &Digests),
        minorities: Vec<u64>,
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let there = original.is_some();
        let mut values = None;
        let regions = original.and_then(|mut original| {
            verdict.set("input", self.input(&original, digests));
            values = original.leveled.take().zip(labels);
            let few = self.policy.search.loss.parameters().rare() as f64;
            Regions::new((original, few), self.certificate, chains, released)
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
        if let Some(k) = self.policy.k_one() {
            let of = (chains, released);
            let regions = regions.as_ref();
            let found = match there && regions.is_none() {
                true => Finding::missing(missing),
                false => consistent::claim(k, self.certificate, of, judged, regions, self.watch)?,
            };
            verdict.set(KOne::CLAIM, found);
        }
        match &regions {
            Some(regions) if !regions.divides() => {
                if let Some(subjects) = &regions.subjects {
                    let classes = released.classes.len();
                    let people = Subjects::new(self.policy, subjects, &regions.places, classes);
                    self.of_people(Some(&people), released, judged, verdict);
                    self.of_judged_people(&regions.values, &regions.places, (released, judged), verdict);
                }
            }
            _ if there && self.policy.subject().is_some() => {
                verdict.set(people::CLAIM, Finding::missing("people cannot be counted in the original"));
            }
            _ => {}
        }
        let compared = match &regions {
            Some(regions) => Source::Known(&regions.identifiers, &regions.places),
            None if there => Source::Unfit,
            None => Source::None,
        };
        self.of_identifiers(released, compared, verdict);
        match &regions {
            Some(regions) => {
                let facts = RegionFacts { regions, released, counts: &judged.counts, minorities };
                self.of_losses(&facts, chains, verdict);
            }
            None => {
                let facts = LevelFacts::new(self.left_and_held(), &judged.counts, chains, None);
                self.of_losses(&facts, chains, verdict);
            }
        }
        Ok(())
    }

    /// By the certificate, the rows that are left after deletion and those of them that are
    /// withheld.
    fn left_and_held(&self) -> (u64, u64) {
        let release = &self.certificate.release;
        (left(self.certificate), release.withheld.saturating_sub(release.deleted_rows()))
    }

    /// The identifiers that are replaced.
    fn of_identifiers(&self, released: &Side, compared: Source<'_>, verdict: &mut Verdict) {
        for (at, column) in identifiers::replaced(self.policy).enumerate() {
            let finding = identifiers::identifiers(at, released, compared, self.start);
            verdict.set(identifiers::claim(column), finding);
        }
    }

    fn of_losses(&self, facts: &dyn Facts, chains: &[Chain<'_>], verdict: &mut Verdict) {
        let release = &self.certificate.release;
        let whole = losses::losses(&release.loss, self.policy, (facts, chains));
        let columns = losses::by_column(&release.loss_by_column, (facts, chains));
        for (claim, finding) in whole.into_iter().chain(columns) {
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
            k_people: self.k_people(),
            rules: &self.rules,
            comparisons: &self.comparisons,
            people,
            predictions: &self.predictions,
            foreseen,
            missing: self.policy.input.missing,
            few: self.policy.search.loss.parameters().rare() as f64,
        }
    }

    fn input(&self, original: &Side, digests: &Digests) -> Finding {
        let facts = &self.certificate.release.input;
        let mut wrong = match self.drawn {
            None => {
                let rows = original.rows + original.deleted;
                claims::file("original", digests.original.as_deref(), rows, facts)
            }
            // A certificate of sampled rows does not describe the input; another input would have
            // another sample.
            Some(_) => Wrong::default(),
        };
        wrong.extend(
            original.absent(self.policy).into_iter().map(|name| format!("column `{name}` is not there")),
        );
        Finding::of(&wrong, || match self.drawn {
            None => {
                let rows = original.rows + original.deleted;
                format!("the original is the one that was released, with {}", several(rows, "row"))
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
