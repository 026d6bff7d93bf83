//! A project's ledger: judges a release beside the earlier ones, and appends it.
//!
//! A *view* is what somebody can put together: the releases to a recipient, to everybody whom the
//! recipient may collude with, and to the public. A release is judged in every view that it is
//! part of. Collusion goes both ways and is never forgotten: who was once declared to collude is
//! one view from then on.
//!
//! The ledger is written before a release gets its name. A process that is killed in between leaves
//! an entry of a release that nobody received; it counts as one, which is the safe side.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;
use throng_terms::watch::Watch;

use crate::chain::{self, Body, Entry, ReleaseBody, SensitiveColumn, broken};
use crate::compose::{Conflict, Joined, Joining, Parts, Promise, Whole};
use crate::members::{Layout, Members, PartsDigest, read_subjects, subject_parts};
use crate::pg::Postgres;
use crate::secret::{Secret, SubjectDigest};
use crate::sqlite::Sqlite;
use crate::store::{Head, SCHEMA, Store};

/// The recipient who is everybody.
pub const PUBLIC: &str = "public";

/// Joins that look for subjects to withhold one by one, and all.
const ROUNDS: usize = 12;
const CAREFUL: usize = 6;

/// Where a ledger is.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// A SQLite file.
    File(&'a Path),
    /// A PostgreSQL database.
    Url(&'a str),
}

/// What becomes of a release that breaks a promise together with earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// It is refused.
    Refuse,
    /// Subjects are withheld until it does not.
    Recode,
}

/// A release that asks to be accepted.
#[derive(Debug, Clone)]
pub struct Offer {
    /// Who receives it.
    pub recipient: String,
    /// Who may put it together with other releases.
    pub colludes_with: Vec<String>,
    /// The k that it promises.
    pub k: u64,
    /// Its sensitive columns.
    pub sensitive: Vec<SensitiveColumn>,
    /// Its subjects.
    pub members: Members,
    /// Subjects that were withheld from it, sorted.
    pub withheld: Vec<SubjectDigest>,
}

/// What a view found about a release.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ViewReport {
    /// Whose releases are put together, besides public ones.
    pub recipients: Vec<String>,
    /// The numbers of their entries.
    pub entries: Vec<u64>,
    /// Subjects of all of them.
    pub people: u64,
    /// The fewest candidates of a subject; none where there is no subject.
    pub candidates: Option<u64>,
    /// Subjects with fewer candidates than promised.
    pub too_few: u64,
    /// Subjects one of whose sensitive values is certain or more certain than promised.
    pub exposed: u64,
}

impl ViewReport {
    /// Whether all promises hold.
    pub fn holds(&self) -> bool {
        self.too_few == 0 && self.exposed == 0
    }
}

/// What the ledger says about a release.
#[derive(Debug, Clone)]
pub struct Acceptance {
    /// Subjects that must be withheld for it to be accepted, sorted; none where it is accepted.
    pub withhold: Vec<SubjectDigest>,
    /// What the views found.
    pub views: Vec<ViewReport>,
    /// Earlier releases that it was compared with.
    pub compared: u64,
}

/// The state of a ledger.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    /// Entries.
    pub entries: u64,
    /// Whether all promises hold in all views.
    pub holds: bool,
    /// The views.
    pub views: Vec<ViewReport>,
}

/// What a view puts together.
pub(crate) struct View {
    recipients: Vec<String>,
    /// Places among the entries.
    entries: Vec<usize>,
}

/// A project's ledger whose chain was checked.
pub struct Ledger {
    store: RefCell<Box<dyn Store>>,
    secret: Secret,
    entries: Vec<Entry>,
}

impl Ledger {
    /// Opens a ledger and checks its chain; makes it if it is not there and `create`.
    ///
    /// # Errors
    /// A ledger that cannot be reached, is of another secret, or whose chain is broken.
    pub fn open(place: Place<'_>, project: &str, secret: Secret, create: bool) -> Result<Self> {
        let store: Box<dyn Store> = match place {
            Place::File(path) => Box::new(Sqlite::open(path, project, create)?),
            Place::Url(url) => Box::new(Postgres::open(url, project, create)?),
        };
        let named = |e: Error| match place {
            Place::File(path) => e.map(|fault| fault.file(path.display().to_string())),
            Place::Url(url) => e.map(|fault| fault.file(url)),
        };
        Ledger::of(store, secret).map_err(named)
    }

    /// A ledger in a store.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    pub fn of(store: Box<dyn Store>, secret: Secret) -> Result<Self> {
        let mut ledger = Ledger { store: RefCell::new(store), secret, entries: Vec::new() };
        ledger.entries = ledger.read()?;
        Ok(ledger)
    }

    fn read(&self) -> Result<Vec<Entry>> {
        let (head, stored) = self.store.borrow_mut().read()?;
        let Some(head) = head else {
            return match stored.is_empty() {
                true => Ok(Vec::new()),
                false => Err(broken(1, "the ledger has entries and no head").into()),
            };
        };
        if head.schema != SCHEMA {
            return Err(fault!(
                Input,
                "ledger.unknown-schema",
                "the ledger has version {found}, and this program knows version {known}",
                found = head.schema,
                known = SCHEMA
            )
            .help("use the version of throng that wrote to it last, or a later one")
            .into());
        }
        if head.key_check[..] != self.key_check()[..] {
            return Err(fault!(Input, "ledger.other-key", "the key is not the one of this ledger")
                .key("ledger")
                .help(
                    "name the key that the ledger was made with; if it is lost, earlier releases cannot be compared any \
                     more: keep the ledger, begin another one, and do not release to the same recipients without advice",
                )
                .into());
        }
        chain::read(&stored, (head.number, &head.code), &self.secret)
    }

    fn key_check(&self) -> [u8; 32] {
        self.secret.code("throng ledger key", &[])
    }

    /// Its entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Its releases, oldest first.
    pub fn releases(&self) -> impl Iterator<Item = (&Entry, &ReleaseBody)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.release()?)))
    }

    /// The release with a certificate's seal.
    pub fn sealed(&self, seal: &str) -> Option<(&Entry, &ReleaseBody)> {
        self.releases().find(|(_, release)| release.seal == seal)
    }

    /// The subjects that were withheld from a release because of earlier ones, sorted.
    ///
    /// # Errors
    /// Parts that are missing or changed.
    pub fn withheld(&self, entry: &Entry, watch: &Watch) -> Result<Vec<SubjectDigest>> {
        let Some(release) = entry.release() else { return Ok(Vec::new()) };
        let mut parts = self.parts(entry.number, release);
        while parts.next()?.is_some() {
            watch.check()?;
        }
        Ok(parts.withheld)
    }

    fn parts(&self, entry: u64, release: &ReleaseBody) -> StoredParts<'_> {
        StoredParts {
            store: &self.store,
            entry,
            layout: release.layout(),
            count: release.parts,
            next: 0,
            digest: PartsDigest::default(),
            expected: release.parts_sha256.clone(),
            withheld: Vec::new(),
        }
    }

    /// The views of the first few entries, those alone that a new release is part of where its
    /// recipient is given, with those who may collude.
    pub(crate) fn views(&self, entries: &[Entry], offer: Option<(&str, &[String])>) -> Vec<View> {
        let mut of: BTreeMap<String, usize> = BTreeMap::new();
        let mut groups: Vec<BTreeSet<String>> = Vec::new();
        let mut join = |recipient: &str, others: &[String]| {
            let named = std::iter::once(recipient).chain(others.iter().map(String::as_str));
            let named: BTreeSet<String> = named.filter(|name| *name != PUBLIC).map(str::to_owned).collect();
            let mut all = named.clone();
            for name in &named {
                if let Some(group) = of.get(name) {
                    all.append(&mut groups[*group]);
                }
            }
            if !all.is_empty() {
                of.extend(all.iter().map(|name| (name.clone(), groups.len())));
                groups.push(all);
            }
        };
        let releases = entries.iter().filter_map(Entry::release);
        releases.for_each(|release| join(&release.recipient, &release.colludes_with));
        if let Some((recipient, colludes_with)) = offer {
            join(recipient, colludes_with);
        }
        groups.retain(|group| !group.is_empty());
        if groups.is_empty() {
            groups.push(BTreeSet::new());
        }
        let concerned = |group: &BTreeSet<String>| {
            offer.is_none_or(|(recipient, _)| recipient == PUBLIC || group.contains(recipient))
        };
        let view = |group: BTreeSet<String>| {
            let sees = |entry: &Entry| {
                let to = entry.release().map(|release| release.recipient.as_str());
                to.is_some_and(|to| to == PUBLIC || group.contains(to))
            };
            let entries = entries.iter().enumerate().filter(|(_, entry)| sees(entry));
            let entries = entries.map(|(at, _)| at).collect();
            View { recipients: group.into_iter().collect(), entries }
        };
        groups.into_iter().filter(concerned).map(view).collect()
    }

    /// The releases of a view.
    pub(crate) fn joining(&self, view: &View) -> Vec<Joining<'_>> {
        let entries = view.entries.iter().map(|&at| &self.entries[at]);
        let releases = entries.filter_map(|entry| Some((entry.number, entry.release()?)));
        let joining = |(number, release): (u64, &ReleaseBody)| Joining {
            promise: release.promise(),
            parts: Box::new(self.parts(number, release)),
        };
        releases.map(joining).collect()
    }

    /// Joins the releases of a view, and a new one after them.
    fn join(&self, view: &View, new: Option<(&Promise, Members)>, watch: &Watch) -> Result<Joined> {
        let mut releases = self.joining(view);
        if let Some((promise, members)) = new {
            releases.push(Joining { promise: promise.clone(), parts: Box::new(Whole::new(members)) });
        }
        Joined::new(releases, watch)
    }

    /// Judges a release beside the earlier ones.
    ///
    /// # Errors
    /// A release that breaks a promise, where it is to be refused or withholding does not help;
    /// parts that are missing or changed; a request to stop.
    pub fn judge(&self, offer: &Offer, on_conflict: OnConflict, watch: &Watch) -> Result<Acceptance> {
        let promise = Promise { k: offer.k, values: offer.sensitive.iter().map(|c| c.values).collect() };
        let views = self.views(&self.entries, Some((&offer.recipient, &offer.colludes_with)));
        let mut withhold: Vec<SubjectDigest> = Vec::new();
        for round in 0..ROUNDS {
            let members = || match withhold.is_empty() {
                true => offer.members.clone(),
                false => offer.members.without(&withhold),
            };
            let (mut reports, mut more) = (Vec::new(), Vec::new());
            for view in &views {
                let joined = self.join(view, Some((&promise, members())), watch)?;
                let conflicts = joined.conflicts();
                let report = self.report(view, &joined, &conflicts);
                if !conflicts.is_empty() {
                    if on_conflict == OnConflict::Refuse {
                        return Err(self.refusal(view, offer, &report, &conflicts).into());
                    }
                    let found = joined.withhold(round >= CAREFUL);
                    more.extend(found.ok_or_else(|| earlier_conflict(view))?);
                }
                reports.push(report);
            }
            if more.is_empty() {
                let compared: BTreeSet<usize> =
                    views.iter().flat_map(|view| view.entries.iter().copied()).collect();
                return Ok(Acceptance { withhold, views: reports, compared: compared.len() as u64 });
            }
            withhold.append(&mut more);
            withhold.sort_unstable();
            withhold.dedup();
        }
        Err(fault!(
            Unsolvable,
            "ledger.cannot-recode",
            "no set of people to withhold was found that keeps all earlier promises"
        )
        .key("ledger.on_conflict")
        .help("raise privacy.k so that classes become larger, or release the same columns at the levels of before")
        .into())
    }

    fn report(&self, view: &View, joined: &Joined, conflicts: &[Conflict]) -> ViewReport {
        let (exposed, too_few): (Vec<&Conflict>, Vec<&Conflict>) =
            conflicts.iter().partition(|conflict| conflict.exposed.is_some());
        let people = |of: Vec<&Conflict>| of.iter().map(|conflict| conflict.people).sum();
        ViewReport {
            recipients: view.recipients.clone(),
            entries: view.entries.iter().map(|&at| self.entries[at].number).collect(),
            people: joined.people(),
            candidates: joined.fewest(),
            too_few: people(too_few),
            exposed: people(exposed),
        }
    }

    /// Why a release is refused.
    fn refusal(&self, view: &View, offer: &Offer, report: &ViewReport, conflicts: &[Conflict]) -> Fault {
        let who = match &view.recipients[..] {
            [] => PUBLIC.to_owned(),
            several => several.join(", "),
        };
        let help = "set ledger.on_conflict = \"recode\" to withhold the people concerned, release the same columns at the \
                    levels of before, or release to nobody who has the earlier ones";
        let few = conflicts.iter().filter(|conflict| conflict.exposed.is_none());
        if let Some(worst) = few.min_by_key(|conflict| conflict.people) {
            return fault!(
                Unsolvable,
                "ledger.too-few-candidates",
                "with the earlier releases ({earlier}), {who} could narrow {people} people down to fewer than {k} candidates (the fewest: \
                 {fewest})",
                earlier = view.entries.len(),
                who = who,
                people = report.too_few,
                k = worst.k,
                fewest = worst.people
            )
            .key("ledger")
            .help(help);
        }
        let column = conflicts.iter().find_map(|conflict| conflict.exposed).map(|(release, column)| {
            let earlier = view.entries.get(release).and_then(|&at| self.entries[at].release());
            let columns = earlier.map_or(&offer.sensitive, |release| &release.sensitive);
            columns.get(column).map_or(String::new(), |column| column.column.clone())
        });
        fault!(
            Unsolvable,
            "ledger.exposes-value",
            "with the earlier releases ({earlier}), {who} could infer `{column}` of {people} people",
            earlier = view.entries.len(),
            who = who,
            column = column.unwrap_or_default(),
            people = report.exposed
        )
        .key("ledger")
        .help(help)
    }

    /// Appends a release that was accepted. Where somebody else has appended since the ledger was
    /// read, the release is judged again, and refused if it breaks a promise now.
    ///
    /// # Errors
    /// What cannot be written, and a release that cannot be accepted any more. Then nothing is
    /// appended.
    pub fn append_release(
        &mut self,
        offer: &Offer,
        facts: ReleaseFacts,
        at: String,
        watch: &Watch,
    ) -> Result<Entry> {
        let (members, withheld) = (&offer.members, &offer.withheld);
        let mut parts: Vec<Vec<u8>> = (0..members.parts()).map(|part| members.part(part)).collect();
        parts.extend(subject_parts(withheld));
        let mut digest = PartsDigest::default();
        parts.iter().for_each(|part| digest.add(part));
        let body = Body::Release(Box::new(ReleaseBody {
            recipient: offer.recipient.clone(),
            colludes_with: offer.colludes_with.clone(),
            output: facts.output,
            sha256: facts.sha256,
            seal: facts.seal,
            policy_sha256: facts.policy_sha256,
            version: facts.version,
            k: offer.k,
            sensitive: offer.sensitive.clone(),
            records: members.len() as u64,
            people: members.people(),
            classes: u64::from(members.class_count()),
            withheld: withheld.len() as u64,
            contents: members.layout().contents,
            parts: [members.parts() as u64, parts.len() as u64 - members.parts() as u64],
            parts_sha256: digest.finish(),
        }));
        self.append(at, body, &parts, |ledger| {
            ledger.judge(offer, OnConflict::Refuse, watch).map(drop).map_err(|e| {
                e.map(|fault| fault.within("another release was added meanwhile").help("repeat the release"))
            })
        })
    }

    /// Appends an entry about a key.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn append_key(&mut self, at: String, body: Body) -> Result<Entry> {
        self.append(at, body, &[], |_| Ok(()))
    }

    fn append(
        &mut self,
        at: String,
        body: Body,
        parts: &[Vec<u8>],
        again: impl FnOnce(&Ledger) -> Result<()>,
    ) -> Result<Entry> {
        self.store.borrow_mut().begin()?;
        let written = self.write(at, body, parts, again);
        let ended = self.store.borrow_mut().end(written.is_ok());
        let entry = written?;
        ended?;
        self.entries.push(entry.clone());
        Ok(entry)
    }

    /// Writes an entry within a transaction.
    fn write(
        &mut self,
        at: String,
        body: Body,
        parts: &[Vec<u8>],
        again: impl FnOnce(&Ledger) -> Result<()>,
    ) -> Result<Entry> {
        let now = self.read()?;
        if now.len() != self.entries.len() || now.last() != self.entries.last() {
            self.entries = now;
            again(self)?;
        }
        let entry = Entry::after(self.entries.last(), at, body, &self.secret)?;
        let head = Head {
            schema: SCHEMA,
            key_check: self.key_check().to_vec(),
            number: entry.number,
            code: entry.code.to_vec(),
        };
        self.store.borrow_mut().write(&head, Some((&entry.stored()?, parts)))?;
        Ok(entry)
    }

    /// Checks all parts, and all promises in all views. The chain was checked when it was opened.
    ///
    /// # Errors
    /// Parts that are missing or changed, or a request to stop.
    pub fn check(&self, watch: &Watch) -> Result<Report> {
        let mut views = Vec::new();
        for view in self.views(&self.entries, None) {
            let joined = self.join(&view, None, watch)?;
            let conflicts = joined.conflicts();
            views.push(self.report(&view, &joined, &conflicts));
        }
        Ok(Report { entries: self.entries.len() as u64, holds: views.iter().all(ViewReport::holds), views })
    }
}

/// What an entry says of a release beside its subjects.
#[derive(Debug, Clone)]
pub struct ReleaseFacts {
    /// The path of the release.
    pub output: String,
    /// SHA-256 of the release.
    pub sha256: String,
    /// The seal of its certificate.
    pub seal: String,
    /// SHA-256 of its policy.
    pub policy_sha256: String,
    /// The version of Throng.
    pub version: String,
}

/// Earlier releases that break a promise by themselves.
fn earlier_conflict(view: &View) -> Fault {
    fault!(
        Unsolvable,
        "ledger.earlier-conflict",
        "the earlier releases to {who} break a promise by themselves, so that withholding people does not help",
        who = view.recipients.join(", ")
    )
    .key("ledger")
    .help("`throng ledger check` shows what they reveal together; whom do you declare to collude?")
}

/// The parts of an entry, checked against its digest at the end.
struct StoredParts<'a> {
    store: &'a RefCell<Box<dyn Store>>,
    entry: u64,
    layout: Layout,
    count: [u64; 2],
    next: u64,
    digest: PartsDigest,
    expected: String,
    withheld: Vec<SubjectDigest>,
}

impl StoredParts<'_> {
    fn read(&mut self) -> Result<Vec<u8>> {
        let part = self.store.borrow_mut().part(self.entry, self.next)?;
        let part = part.ok_or_else(|| broken(self.entry, "a part of it is missing"))?;
        self.digest.add(&part);
        self.next += 1;
        Ok(part)
    }

    fn changed(&self) -> Error {
        broken(self.entry, "a part of it was changed").into()
    }
}

impl Parts for StoredParts<'_> {
    fn next(&mut self) -> Result<Option<Members>> {
        if self.next < self.count[0] {
            let part = self.read()?;
            return Members::read_part(&part, self.layout).map(Some).ok_or_else(|| self.changed());
        }
        while self.next < self.count[0] + self.count[1] {
            let part = self.read()?;
            self.withheld.extend(read_subjects(&part).ok_or_else(|| self.changed())?);
        }
        if self.digest.clone().finish() != self.expected {
            return Err(self.changed());
        }
        Ok(None)
    }
}
