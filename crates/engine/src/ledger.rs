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
use throng_ledger::signing::PrivateKey;
use throng_ledger::{EarlierTraces, Ledger, Offer, Place, ReleaseFacts, Secret, SubjectDigest};

use crate::Engine;
use crate::cells::Cells;
use crate::left_out::{LeftOut, Owner, People, numbered, unnumbered};
use crate::policy_file::PolicyFile;
use crate::prepare::Prepared;
use crate::signing::history;
use crate::source::changed;
use crate::substitute::secret;

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
        if let Some(file) = &spec.key_file
            && let Err(e) = std::fs::metadata(self.folder().join(file))
        {
            let help = "restore the key from a backup: earlier releases cannot be compared without it; \
                        only a new ledger needs a new key: openssl rand -hex 32";
            return Err(fault!(
                System,
                "ledger.key-unreadable",
                "the key of the ledger, `{file}`, cannot be read: {reason}",
                file = file,
                reason = e
            )
            .key("ledger.key_file")
            .help(format!("{help} > {file}"))
            .into());
        }
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
    /// Rows of the table with everybody.
    rows: u64,
    accepted: Option<Accepted>,
}

/// What a release is decided with beside its policy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beside {
    /// People whose rows are left out, sorted.
    pub(crate) withheld: Vec<SubjectDigest>,
    /// The traces that classes are built on, and the last entry that they are of.
    pub(crate) traces: Option<(Arc<EarlierTraces>, u64)>,
}

/// What the ledger accepts.
pub(crate) struct Accepted {
    offer: Offer,
    facts: LedgerFacts,
    /// Rows of the table that are not released.
    pub(crate) lost: u64,
}

/// What the ledger says about what was decided and written.
pub(crate) enum Judged {
    Accepted(Box<Accepted>),
    /// People who have to be left out, too.
    Withhold(Vec<SubjectDigest>),
}

/// What was decided and written: the table, the decision, and the class of every row.
pub(crate) type Made<'a> = (&'a Prepared, &'a Decision, &'a [u32]);

impl Beside {
    /// Leaves more people out.
    pub(crate) fn withhold(&mut self, more: Vec<SubjectDigest>) {
        self.withheld.extend(more.into_iter().map(unnumbered));
        self.withheld.sort_unstable();
        self.withheld.dedup();
    }
}

impl ReleaseLedger {
    /// The ledger of a policy, if it has one. A broken one is found before any work.
    pub(crate) fn open(policy: &PolicyFile) -> Result<Option<Self>> {
        let (Some(spec), Some(ledger)) = (&policy.policy.ledger, policy.ledger(true)?) else {
            return Ok(None);
        };
        let people = Arc::new(policy.people(spec)?);
        Ok(Some(ReleaseLedger { ledger, people, spec: spec.clone(), rows: 0, accepted: None }))
    }

    /// Refuses to sign with a key that must not be trusted any more: nobody would accept it.
    pub(crate) fn refuse_revoked(&self, key: &PrivateKey) -> Result<()> {
        let history = history(&self.ledger);
        let Some(reason) = history.revoked(&key.public()) else { return Ok(()) };
        Err(fault!(
            Input,
            "certificate.key-revoked",
            "the ledger says that the key was revoked: {reason}",
            reason = reason
        )
        .key("certificate.sign_with")
        .help("sign with the key that follows, or with a new one: throng key new NAME")
        .into())
    }

    /// Whose rows are left out of the table, and the traces of the others for a search.
    pub(crate) fn left_out(&self, policy: &Policy, beside: &Beside, search: bool) -> Option<Arc<LeftOut>> {
        let traces = beside.traces.as_ref().filter(|_| search).map(|(traces, _)| Arc::clone(traces));
        let some = !beside.withheld.is_empty() || traces.is_some();
        let left_out = || LeftOut::new(Arc::clone(&self.people), &beside.withheld);
        some.then(|| Arc::new(left_out().with_traces(traces, &policy.ledger_values())))
    }

    /// Judges what was decided and written. With `recode`, and if the policy says so, it names
    /// people to leave out rather than refusing a conflict.
    ///
    /// # Errors
    /// As [`Ledger::judge`], and more rows left out than the policy allows.
    pub(crate) fn judge(
        &mut self,
        (engine, policy): (&Engine, &Policy),
        made: Made<'_>,
        (beside, recode): (&Beside, bool),
        watch: &Watch,
    ) -> Result<Judged> {
        let (prepared, decision, _) = made;
        self.rows = self.rows.max(prepared.rows);
        let sensitive = policy.ledger_values();
        let sensitive = sensitive.iter();
        let sensitive =
            sensitive.map(|&(column, values)| SensitiveColumn { column: column.to_owned(), values });
        let members = self.members((engine, policy), made, false, watch)?;
        let offer = self.offer(policy, sensitive.collect(), members, beside.withheld.clone());
        let on_conflict = match self.spec.on_conflict {
            OnConflict::Recode if recode => throng_ledger::OnConflict::Recode,
            OnConflict::Recode | OnConflict::Refuse => throng_ledger::OnConflict::Refuse,
        };
        let accepted = self.ledger.judge(&offer, on_conflict, watch)?;
        if !accepted.withhold.is_empty() {
            return Ok(Judged::Withhold(accepted.withhold));
        }
        let deleted = prepared.problem.deletion.as_ref().map_or(0, |deletion| deletion.facts().rows);
        let lost = deleted + decision.recoded.suppressed_rows();
        let lost = self.rows - prepared.rows.saturating_sub(lost);
        if !beside.withheld.is_empty() {
            self.check_limit(policy, lost)?;
        }
        let facts = LedgerFacts {
            recipient: self.spec.recipient.clone(),
            compared: accepted.compared,
            candidates: accepted.views.iter().filter_map(|view| view.candidates).min(),
            // Rows that name nobody are people by themselves.
            withheld: match self.people.are_named() {
                true => beside.withheld.len() as u64,
                false => self.rows - prepared.rows,
            },
            nested_on: beside.traces.as_ref().map(|(_, entry)| *entry),
        };
        Ok(Judged::Accepted(Box::new(Accepted { offer, facts, lost })))
    }

    fn offer(
        &self,
        policy: &Policy,
        sensitive: Vec<SensitiveColumn>,
        members: Members,
        withheld: Vec<SubjectDigest>,
    ) -> Offer {
        Offer {
            recipient: self.spec.recipient.clone(),
            colludes_with: self.spec.colludes_with.clone(),
            k: policy.privacy.k().unwrap_or(1),
            sensitive,
            members,
            withheld,
        }
    }

    /// What classes can be built on top of earlier releases with: the traces of everybody, and the
    /// people who cannot be released in any class. Their traces are too few, or hide those who
    /// left:
    /// this is what the ledger says about a table that is one class.
    ///
    /// # Errors
    /// As [`Ledger::judge`].
    pub(crate) fn beside_earlier(
        &self,
        (engine, policy): (&Engine, &Policy),
        made: Made<'_>,
        watch: &Watch,
    ) -> Result<Beside> {
        let members = self.members((engine, policy), made, true, watch)?;
        let whole = self.offer(policy, Vec::new(), members, Vec::new());
        let judged = self.ledger.judge(&whole, throng_ledger::OnConflict::Recode, watch)?;
        let last = self.ledger.entries().last().map_or(0, |entry| entry.number);
        let to = (self.spec.recipient.as_str(), &self.spec.colludes_with[..]);
        let traces = self.ledger.earlier_traces(to, last, unnumbered, watch)?;
        let mut beside = Beside { withheld: Vec::new(), traces: Some((Arc::new(traces), last)) };
        beside.withhold(judged.withhold);
        Ok(beside)
    }

    /// Takes what was accepted.
    pub(crate) fn accept(&mut self, accepted: Accepted) {
        self.accepted = Some(accepted);
    }

    /// What the certificate states.
    pub(crate) fn facts(&self) -> LedgerFacts {
        self.accepted.as_ref().map(|accepted| accepted.facts.clone()).unwrap_or_default()
    }

    /// Rows that are left out because of the ledger count against the limit like all others.
    fn check_limit(&self, policy: &Policy, lost: u64) -> Result<()> {
        let most = match policy.suppression() {
            Limit::Share(share) => search::max_suppressed(share, self.rows),
            Limit::Rows(most) => most,
        };
        if lost <= most {
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

    /// Who is in the release, with class and sensitive values; or who is in the table, all in one
    /// class and without values.
    fn members(
        &self,
        (engine, policy): (&Engine, &Policy),
        (prepared, decision, of_row): Made<'_>,
        whole: bool,
        watch: &Watch,
    ) -> Result<Members> {
        let sensitive = policy.ledger_values().into_iter().filter(|_| !whole);
        let sensitive: Vec<String> = sensitive.map(|(column, _)| column.to_owned()).collect();
        let mut columns = sensitive.clone();
        columns.extend(self.people.columns().into_iter().filter(|name| !sensitive.contains(name)));
        let people = &*self.people;
        let map = |batches: Vec<RecordBatch>| {
            let made = |batch: RecordBatch| -> Result<OwnedRows> {
                let owners = people.owners(&batch)?;
                Ok((owners, values(prepared, &batch, &sensitive)?))
            };
            batches.into_iter().map(made).collect::<Result<Vec<OwnedRows>>>()
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
                    if !known || (!whole && recoded.suppresses(class as usize)) {
                        continue;
                    }
                    let look = if whole { 0 } else { recoded.look_of(class as usize) as u64 };
                    let list = if owner.named { &mut records } else { &mut unnamed };
                    list.push(Record {
                        subject: owner.subject,
                        content: owner.content,
                        class: look,
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
        let Some(Accepted { offer, .. }) = self.accepted.take() else {
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
type OwnedRows = (Vec<Owner>, Vec<Vec<u64>>);

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
        let stated = certificate.release.ledger.as_ref();
        // Levels are stated, and regions are formed again.
        let nested_on = stated.and_then(|facts| facts.nested_on).filter(|_| policy.policy.forms_regions());
        let stated = stated.filter(|facts| facts.withheld > 0 || nested_on.is_some());
        let (Some(_), Some(spec)) = (stated, &policy.policy.ledger) else { return Ok(None) };
        let ledger = policy.ledger(false)?;
        let found = ledger.as_ref().and_then(|ledger| ledger.sealed(&certificate.seal).map(|e| (ledger, e)));
        let Some((ledger, (entry, release))) = found else {
            return Err(fault!(
                Input,
                "ledger.no-such-release",
                "the ledger does not have the release of this certificate"
            )
            .help("verify with the ledger that was released with, or without --original")
            .into());
        };
        let withheld = ledger.withheld(entry, watch)?;
        let to = (release.recipient.as_str(), &release.colludes_with[..]);
        let traces = nested_on.map(|last| ledger.earlier_traces(to, last, unnumbered, watch)).transpose()?;
        let left_out = LeftOut::new(Arc::new(policy.people(spec)?), &withheld);
        Ok(Some(Arc::new(left_out.with_traces(traces.map(Arc::new), &policy.policy.ledger_values()))))
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
