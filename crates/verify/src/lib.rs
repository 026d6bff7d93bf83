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
//! suppression, every `utility: STATISTIC of COLUMN within WIDTH`, `maximize: k`, and `levels` as far as
//! hierarchies come from files. With the original, without the
//! rare values that the policy deletes from it (`deleted.rs`), also these deletions, `input`,
//! `(k,1)-anonymity` where the policy asks for it, `truth`, all `levels`, `identifiers: COLUMN`
//! where identifiers are replaced, `text: COLUMN` where free text is scrubbed, every `loss: NAME`
//! that has a second definition in `losses.rs`, and `loss by column: NAME`. The errors of a
//! predictive model are named as not checked (`model`).

#![forbid(unsafe_code)]

mod assigned;
mod chances;
mod claims;
mod classes;
mod consistent;
mod deal;
mod deleted;
mod foreseen;
mod groups;
mod halves;
mod identifiers;
mod judging;
mod labels;
mod leveled;
mod levels;
mod line;
mod losses;
mod matched;
mod meanings;
mod model;
mod models;
pub mod notes;
mod original;
mod pace;
mod pairs;
mod people;
mod piece;
mod population;
mod predicted;
mod reading;
mod reference;
mod regions;
mod risk;
mod rowhash;
mod sampling;
mod sensitive;
mod shapes;
mod shifted;
mod side;
mod slots;
mod source;
mod stand_ins;
mod target_information;
mod truth;
mod tuples;
mod utility;
mod verdict;
mod wildcard;

#[cfg(test)]
mod tests;

pub use deleted::ValueCounts;
pub use levels::Build;
pub use verdict::{Finding, Verdict};

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use self::deleted::Deleted;
use self::groups::Group;
use self::models::Rule;
use self::population::Comparison;
use self::predicted::Prediction;
use self::reading::Reader;
use self::rowhash::RowHash;
use self::sampling::Drawn;
use self::side::Side;
use throng_terms::error::Result;
use throng_terms::policy::Policy;
use throng_terms::release::Certificate;
use throng_terms::rows::Rows;
use throng_terms::watch::Watch;

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
    /// What its texts became, where the policy scrubs some.
    pub notes: Option<Notes<'a>>,
}

/// What the texts of an original became.
#[derive(Clone, Copy)]
pub enum Notes<'a> {
    /// The rows of the original that are released, each beside the row that it became. It is a
    /// hint, and is checked.
    Stated {
        /// The rows.
        rows: &'a dyn Rows,
        /// The columns of the original, which come first; the columns of the release follow.
        originals: usize,
    },
    /// It is not known, for a reason.
    Unknown(&'a str),
}

/// The texts that an assignment refers to by their places; `None` is a missing cell. Columns are in
/// name order.
#[derive(Debug, Clone, Default)]
pub struct AssignedTexts<'a> {
    /// Column → texts of the original.
    pub originals: Vec<Vec<Option<&'a str>>>,
    /// Column → texts of the release.
    pub labels: Vec<Vec<Option<&'a str>>>,
}

/// Receives the released cells of a look: per column, a place among the labels.
pub type TakeLook<'a> = dyn FnMut(&[u32]) -> Result<()> + 'a;

/// Receives what the next rows of a tuple of quasi-identifiers became: the tuple, per column a
/// place among the texts; the number of rows; and their look, none if the rows are suppressed.
pub type TakeAssigned<'a> = dyn FnMut(&[u32], u64, Option<u32>) -> Result<()> + 'a;

/// The claimed regions of the rows of an original.
pub trait Assignment {
    /// The texts of all columns.
    fn texts(&self) -> AssignedTexts<'_>;

    /// Hands out the distinct tuples of released cells, in the order of their numbers.
    ///
    /// # Errors
    /// What `take` returns.
    fn looks(&self, take: &mut TakeLook<'_>) -> Result<()>;

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
    // Where k was maximized, the certificate states what was reached, and that is what must hold.
    let search = &inputs.certificate.release.search;
    let policy = inputs.policy.at_reached_k(search.k);
    let mut verdict = verify_by(&Inputs { policy: &policy, ..*inputs })?;
    if let (true, Some(k)) = (policy.privacy.maximize.is_some(), search.k) {
        let least = inputs.policy.privacy.k().unwrap_or(1);
        let proven = verdict.claims.get(people::K_ANONYMITY).cloned();
        let proven = proven.unwrap_or_else(|| Finding::missing("k-anonymity is not claimed"));
        let found = match proven.holds && k >= least {
            true => format!("k = {k} was reached, at least {least} is required"),
            false => format!("k = {k} is claimed, at least {least} is required; {}", proven.found),
        };
        verdict.set("maximize: k", Finding { holds: proven.holds && k >= least, found, ..proven });
    }
    Ok(verdict)
}

fn verify_by(inputs: &Inputs<'_>) -> Result<Verdict> {
    let verifier = Verifier::new(inputs)?;
    if let Some(verdict) = verifier.lacks_files() {
        return Ok(verdict);
    }
    let (released, original) = verifier.read_tables()?;
    let population = inputs.population.map(|rows| verifier.read_population(rows)).transpose()?;
    let rows = inputs.original.map(|original| original.rows);
    let preparation = claims::preparation(inputs.policy, inputs.certificate, rows);
    let mut notes = Verdict::default();
    verifier.of_notes(&mut notes)?;
    let mut verdict = verifier.judge(released, original, population)?;
    verdict.claims.append(&mut notes.claims);
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
    reader: Reader<'a>,
    /// What differential privacy asks for, where the policy does.
    drawn: Option<Drawn>,
    /// What was deleted from the original, where it was read and the policy deletes rare values.
    deleted: Option<Deleted>,
    /// The loss of the policy's statistics, where it is searched for.
    width: Option<f64>,
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
            reader: Reader {
                policy,
                certificate,
                start: RowHash::keyed(files.0, files.1),
                watch,
                rows: AtomicU64::new(0),
            },
            drawn,
            deleted: None,
            width: None,
            watch,
        })
    }

    /// The verdict if a file is missing that the policy names.
    fn lacks_files(&self) -> Option<Verdict> {
        let missing = self.inputs.files?.values().any(Option::is_none);
        let mut verdict = Verdict::default();
        verdict.claims.extend(self.of_files().filter(|_| missing).map(|finding| ("files".into(), finding)));
        missing.then_some(verdict)
    }
}
