//! A release and the ledger: who is in it, what the ledger says, and the entry that it leaves.
//!
//! Who is in it follows from the class of every row, which `transform.rs` finds, and one more pass
//! over the columns that name people and the sensitive ones. The entry is written before the release
//! gets its name. Costs 32 bytes and two keyed digests per row.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow::record_batch::RecordBatch;
use throng::decide::{DELETED, Decision};
use throng::error::{Error, Kind, Result};
use throng::fault;
use throng::policy::{LedgerSpec, Limit, OnConflict, Policy, Role};
use throng::release::{Certificate, LedgerFacts};
use throng::search;
use throng::verify::Finding;
use throng::watch::{Stage, Watch};
use throng_ledger::chain::SensitiveColumn;
use throng_ledger::members::{Members, Record};
use throng_ledger::{Ledger, Offer, Place, ReleaseFacts, Secret, SubjectDigest};

use crate::Engine;
use crate::cells::Cells;
use crate::left_out::{LeftOut, Owner, People, numbered, unnumbered};
use crate::policy_file::PolicyFile;
use crate::prepare::Prepared;
use crate::source::changed;
use crate::substitute::secret;

/// Decisions that are tried before a release is refused.
const ATTEMPTS: usize = 8;

impl PolicyFile {
    /// Opens the ledger of the policy; makes it if it is not there and `create`. None where the
    /// policy has none.
    ///
    /// # Errors
    /// A key that is not there, and as [`Ledger::open`].
    pub fn ledger(&self, create: bool) -> Result<Option<Ledger>> {
        let Some(spec) = &self.policy.ledger else { return Ok(None) };
        let secret = self.ledger_secret(spec)?;
        let path: PathBuf;
        let place = match (&spec.path, &spec.url) {
            (Some(file), _) => {
                path = self.folder().join(file);
                Place::File(&path)
            }
            (None, url) => Place::Url(url.as_deref().unwrap_or_default()),
        };
        Ledger::open(place, &spec.project, secret, create).map(Some)
    }

    /// The secret that keys the digest of the input, where the policy names one.
    ///
    /// # Errors
    /// A key that is not there, or too short.
    pub(crate) fn digest_secret(&self) -> Result<Option<Arc<Secret>>> {
        let Some(place) = self.policy.digest_key() else { return Ok(None) };
        let secret = secret(place, self.folder()).and_then(|bytes| Secret::new(&bytes));
        secret.map(|secret| Some(Arc::new(secret))).map_err(|e| e.map(|fault| fault.key("certificate")))
    }

    fn ledger_secret(&self, spec: &LedgerSpec) -> Result<Secret> {
        let secret = secret(spec.key(), self.folder()).and_then(|bytes| Secret::new(&bytes));
        secret.map_err(|e| e.map(|fault| fault.key("ledger")))
    }

    /// How rows of its table say whom they belong to.
    fn people(&self, spec: &LedgerSpec) -> Result<People> {
        let policy = &self.policy;
        let identifiers = policy.with_role(Role::Identifier);
        let named = match (&spec.subject, policy.subject(), &identifiers[..]) {
            (Some(name), ..) => Some(name.clone()),
            (None, Some(subject), _) => Some(subject.to_owned()),
            (None, None, [only]) => Some((*only).to_owned()),
            (None, None, []) => None,
            (None, None, _) => {
                return Err(fault!(
                    Input,
                    "ledger.several-identifiers",
                    "there are several identifiers, and the ledger follows people by one of them"
                )
                .key("ledger.subject")
                .help(format!("name it, for instance subject = \"{}\"", identifiers[0]))
                .into());
            }
        };
        let content = policy.columns.iter().filter(|(_, c)| matches!(c.role, Role::Quasi | Role::Sensitive));
        let content = content.map(|(name, _)| name.clone()).collect();
        Ok(People::new(self.ledger_secret(spec)?, named, content))
    }
}

/// A release on its way into the ledger.
pub(crate) struct ReleaseLedger {
    ledger: Ledger,
    spec: LedgerSpec,
    people: Arc<People>,
    /// Whom the ledger asked to withhold so far.
    withheld: Vec<SubjectDigest>,
    /// Rows of the table with everybody.
    rows: u64,
    offer: Option<Offer>,
    facts: LedgerFacts,
    attempts: usize,
}

impl ReleaseLedger {
    /// The ledger of a policy, if it has one. A broken one is found before any work.
    pub(crate) fn open(policy: &PolicyFile) -> Result<Option<Self>> {
        let (Some(spec), Some(ledger)) = (&policy.policy.ledger, policy.ledger(true)?) else {
            return Ok(None);
        };
        Ok(Some(ReleaseLedger {
            ledger,
            people: Arc::new(policy.people(spec)?),
            spec: spec.clone(),
            withheld: Vec::new(),
            rows: 0,
            offer: None,
            facts: LedgerFacts::default(),
            attempts: 0,
        }))
    }

    /// Whose rows are left out of the table.
    pub(crate) fn left_out(&self) -> Option<Arc<LeftOut>> {
        let some = !self.withheld.is_empty();
        some.then(|| Arc::new(LeftOut::new(Arc::clone(&self.people), &self.withheld)))
    }

    /// Whether the ledger accepts what was decided and written. If not, people were added to those
    /// whose rows are left out, and the release has to be decided again.
    ///
    /// # Errors
    /// As [`Ledger::judge`], and more rows left out than the policy allows.
    pub(crate) fn accepts(
        &mut self,
        engine: &Engine,
        policy: &Policy,
        (prepared, decision, of_row): (&Prepared, &Decision, &[u32]),
        watch: &Watch,
    ) -> Result<bool> {
        self.rows = self.rows.max(prepared.rows);
        let sensitive = policy.ledger_values();
        let members = self.members(engine, policy, (prepared, decision, of_row), watch)?;
        let offer = Offer {
            recipient: self.spec.recipient.clone(),
            colludes_with: self.spec.colludes_with.clone(),
            k: policy.privacy.k().unwrap_or(1),
            sensitive: sensitive
                .iter()
                .map(|&(column, values)| SensitiveColumn { column: column.to_owned(), values })
                .collect(),
            members,
            withheld: self.withheld.clone(),
        };
        self.attempts += 1;
        let on_conflict = match self.spec.on_conflict {
            OnConflict::Recode if self.attempts <= ATTEMPTS => throng_ledger::OnConflict::Recode,
            OnConflict::Recode | OnConflict::Refuse => throng_ledger::OnConflict::Refuse,
        };
        let accepted = self.ledger.judge(&offer, on_conflict, watch)?;
        if !accepted.withhold.is_empty() {
            self.withheld.extend(accepted.withhold.into_iter().map(unnumbered));
            self.withheld.sort_unstable();
            self.withheld.dedup();
            return Ok(false);
        }
        let deleted = prepared.problem.deletion.as_ref().map_or(0, |deletion| deletion.facts().rows);
        let lost = deleted + decision.recoded.suppressed_rows();
        self.check_limit(policy, prepared.rows.saturating_sub(lost))?;
        self.facts = LedgerFacts {
            recipient: self.spec.recipient.clone(),
            compared: accepted.compared,
            candidates: accepted.views.iter().filter_map(|view| view.candidates).min(),
            // Rows that name nobody are people by themselves.
            withheld: match self.people.are_named() {
                true => self.withheld.len() as u64,
                false => self.rows - prepared.rows,
            },
        };
        self.offer = Some(offer);
        Ok(true)
    }

    /// What the certificate states.
    pub(crate) fn facts(&self) -> LedgerFacts {
        self.facts.clone()
    }

    /// Rows that are left out because of the ledger count against the limit like all others.
    fn check_limit(&self, policy: &Policy, released: u64) -> Result<()> {
        let most = match policy.suppression() {
            Limit::Share(share) => search::max_suppressed(share, self.rows),
            Limit::Rows(most) => most,
        };
        let lost = self.rows - released;
        if self.withheld.is_empty() || lost <= most {
            return Ok(());
        }
        let share = (lost as f64 / self.rows.max(1) as f64 * 1e4).ceil() / 1e4;
        Err(fault!(
            Unsolvable,
            "ledger.too-many-withheld",
            "{lost} of {rows} rows would be left out beside the earlier releases, and {most} may",
            lost = lost,
            rows = self.rows,
            most = most
        )
        .key("privacy.suppression")
        .help(format!("raise privacy.suppression to {share} or more, or release at the levels of before"))
        .into())
    }

    /// Who is in the release, with class and sensitive values.
    fn members(
        &self,
        engine: &Engine,
        policy: &Policy,
        (prepared, decision, of_row): (&Prepared, &Decision, &[u32]),
        watch: &Watch,
    ) -> Result<Members> {
        let sensitive: Vec<String> =
            policy.ledger_values().into_iter().map(|(column, _)| column.to_owned()).collect();
        let mut columns = sensitive.clone();
        columns.extend(self.people.columns().into_iter().filter(|name| !sensitive.contains(name)));
        let people = &*self.people;
        let map = |batches: Vec<RecordBatch>| {
            let made = |batch: RecordBatch| -> Result<Made> {
                let owners = people.owners(&batch)?;
                Ok((owners, values(prepared, &batch, &sensitive)?))
            };
            batches.into_iter().map(made).collect::<Result<Vec<Made>>>()
        };
        let recoded = &decision.recoded;
        let (mut records, mut unnamed): (Vec<Record>, Vec<Record>) = (Vec::new(), Vec::new());
        let mut row = 0;
        engine.scan_map(&prepared.source, &columns, watch, map, |made| {
            for (owners, values) in made {
                for (at, owner) in owners.into_iter().enumerate() {
                    let class = *of_row.get(row).ok_or_else(|| changed().file(&prepared.source.name))?;
                    row += 1;
                    // Rows that are left out of the release are in no class of it.
                    let known = class != DELETED && (class as usize) < recoded.base().len();
                    if !known || recoded.suppresses(class as usize) {
                        continue;
                    }
                    let list = if owner.named { &mut records } else { &mut unnamed };
                    list.push(Record {
                        subject: owner.subject,
                        content: owner.content,
                        class: recoded.look_of(class as usize) as u64,
                        values: values.iter().map(|column| column[at]).collect(),
                    });
                }
            }
            watch.done(Stage::Comparing, row as u64, Some(prepared.rows))
        })?;
        if row != of_row.len() {
            return Err(changed().file(&prepared.source.name).into());
        }
        // Numbers of rows that are alike follow from what became of them, not from their order.
        unnamed.sort_unstable();
        for alike in unnamed.chunk_by_mut(|a, b| a.subject == b.subject) {
            alike.iter_mut().zip(0..).for_each(|(row, nth)| row.subject = numbered(row.subject, nth));
        }
        records.append(&mut unnamed);
        if policy.links_rows() {
            records = by_person(records, sensitive.len());
        }
        Ok(Members::new(records, sensitive.len()))
    }

    /// Writes the entry of the release.
    ///
    /// # Errors
    /// As [`Ledger::append_release`]; then nothing may be published.
    pub(crate) fn append(
        &mut self,
        policy: &PolicyFile,
        certificate: &Certificate,
        watch: &Watch,
    ) -> Result<()> {
        let Some(offer) = self.offer.take() else {
            return Err(throng::error::Fault::bug("a release was not offered to the ledger").into());
        };
        let release = &certificate.release;
        let facts = ReleaseFacts {
            output: release.output.path.clone(),
            sha256: release.output.sha256.clone(),
            seal: certificate.seal.clone(),
            policy_sha256: policy.sha256.clone(),
            version: release.version.clone(),
        };
        self.ledger.append_release(&offer, facts, now(), watch).map(drop)
    }
}

/// Owners of rows, and sensitive column → values as numbers.
type Made = (Vec<Owner>, Vec<Vec<u64>>);

/// The released values of the sensitive columns, as numbers.
fn values(prepared: &Prepared, batch: &RecordBatch, sensitive: &[String]) -> Result<Vec<Vec<u64>>> {
    let of = |(name, array): (&String, &arrow::array::ArrayRef)| {
        let array = match prepared.leveled.has(name) {
            true => prepared.leveled.replace(name, array)?,
            false => Arc::clone(array),
        };
        let cells = Cells::new(name, &array)?;
        Ok((0..cells.len()).map(|row| hash(&cells.get(row))).collect())
    };
    sensitive.iter().zip(batch.columns()).map(of).collect()
}

/// Distinguishes values within a release. Two that have the same hash count as one, which is the
/// safe side.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// One record per person, where a recipient sees which rows belong together: the class is the list
/// of the classes of all rows, and so are the values.
fn by_person(mut records: Vec<Record>, columns: usize) -> Vec<Record> {
    records.sort_unstable();
    let person = |rows: &[Record]| {
        let list = |of: &dyn Fn(&Record) -> u64| {
            let mut list: Vec<u64> = rows.iter().map(of).collect();
            list.sort_unstable();
            hash(&list)
        };
        Record {
            subject: rows[0].subject,
            content: 0,
            class: list(&|row| row.class),
            values: (0..columns).map(|column| list(&|row| row.values[column])).collect(),
        }
    };
    records.chunk_by(|a, b| a.subject == b.subject).map(person).collect()
}

/// The time in UTC, as entries have it.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let time = chrono::DateTime::from_timestamp(seconds as i64, 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

impl Engine {
    /// Whose rows were left out of a release because of earlier ones, from the ledger.
    ///
    /// # Errors
    /// A ledger that cannot be read, or does not have the release.
    pub(crate) fn left_out_of(
        &self,
        policy: &PolicyFile,
        certificate: &Certificate,
        watch: &Watch,
    ) -> Result<Option<Arc<LeftOut>>> {
        let stated = certificate.release.ledger.as_ref().filter(|ledger| ledger.withheld > 0);
        let (Some(_), Some(spec)) = (stated, &policy.policy.ledger) else { return Ok(None) };
        let ledger = policy.ledger(false)?;
        let found =
            ledger.as_ref().and_then(|ledger| ledger.sealed(&certificate.seal).map(|e| (ledger, e.0)));
        let Some((ledger, entry)) = found else {
            return Err(fault!(
                Input,
                "ledger.no-such-release",
                "the ledger does not have the release of this certificate"
            )
            .help("verify with the ledger that was released with, or without --original")
            .into());
        };
        let withheld = ledger.withheld(entry, watch)?;
        Ok(Some(Arc::new(LeftOut::new(Arc::new(policy.people(spec)?), &withheld))))
    }

    /// Whether the ledger has the release of a certificate; none where the certificate does not say
    /// that there is a ledger.
    pub(crate) fn ledger_claim(&self, policy: &PolicyFile, certificate: &Certificate) -> Option<Finding> {
        certificate.release.ledger.as_ref()?;
        let ledger = match policy.ledger(false) {
            Ok(Some(ledger)) => ledger,
            Ok(None) => {
                let found = "the certificate names a ledger and the policy does not".into();
                return Some(Finding { holds: false, found, unchecked: false });
            }
            Err(e) if !at_hand(&e) => {
                let found = "not checked: only the holder has the ledger and its key".into();
                return Some(Finding { holds: true, found, unchecked: true });
            }
            Err(e) => return Some(Finding { holds: false, found: e.to_string(), unchecked: false }),
        };
        let (holds, found) = match ledger.sealed(&certificate.seal) {
            Some((entry, _)) => (true, format!("entry {} of {}", entry.number, ledger.entries().len())),
            None => (
                false,
                "the ledger does not have this release: it was replaced by an older copy, or is another one"
                    .into(),
            ),
        };
        Some(Finding { holds, found, unchecked: false })
    }
}

/// Whether a fault is about a ledger that is there.
fn at_hand(error: &Error) -> bool {
    let absent = ["pseudonym.variable-not-set", "ledger.not-found", "ledger.unreachable"];
    !error.faults().iter().all(|fault| absent.contains(&fault.code) || fault.kind == Kind::System)
}
