//! What several releases reveal together: joins them by subject and counts who is alike in all.
//!
//! The *trace* of a subject is the list of the releases that the subject is in, with the class in
//! each. An adversary who knows somebody's quasi-identifiers, and in which releases the person is,
//! finds the trace. The candidates are the subjects with the same trace. All releases can be
//! computed from the one table that has a row per subject with its trace and its sensitive values.
//! So whatever somebody derives from them, from differences and intersections too, follows from a
//! table in which every trace has k subjects. That ends the complementary release attack and the
//! temporal attack [Katirai 2006, "Attacks on k-anonymity"]. A subject that was added or
//! removed between two releases has a trace of its own, which needs k subjects as well.
//!
//! Where a subject has several rows in a release, its rows are matched between releases: first by
//! content, then by order. Every matched row has a trace, and its candidates are counted as people.
//!
//! A merge of sorted lists: n steps per release and one look-up per record. Memory grows with the
//! number of traces; of the last release alone, 32 bytes per record are kept.

use rustc_hash::FxHashMap;
use throng_terms::error::Result;
use throng_terms::watch::{Stage, Watch};

use crate::members::Members;
use crate::secret::SubjectDigest;

/// Records between two looks whether to stop.
const PACE: u64 = 1 << 16;
const ROOT: u32 = 0;
const NOBODY: u32 = u32::MAX;
const NO_VALUE: u32 = u32::MAX;

/// What a release promises of its subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    /// The fewest candidates of a subject.
    pub k: u64,
    /// Sensitive column → the fewest distinct values of candidates; 2 keeps a value from being
    /// certain.
    pub values: Vec<u32>,
}

/// Reads the records of a release part by part.
pub trait Parts {
    /// The next part; none at the end.
    ///
    /// # Errors
    /// What cannot be read.
    fn next(&mut self) -> Result<Option<Members>>;
}

/// Records in memory.
pub struct Whole(Option<Members>);

impl Whole {
    /// All of them in one part.
    pub fn new(members: Members) -> Self {
        Whole((!members.is_empty()).then_some(members))
    }
}

impl Parts for Whole {
    fn next(&mut self) -> Result<Option<Members>> {
        Ok(self.0.take())
    }
}

/// A release and its promise.
pub struct Joining<'a> {
    /// What it promises.
    pub promise: Promise,
    /// Its records.
    pub parts: Box<dyn Parts + 'a>,
}

/// Traces with the subjects that have them, as a tree: a child continues the trace of its parent
/// with a class of a later release.
#[derive(Debug)]
struct Trace {
    parent: u32,
    release: u32,
    class: u32,
    /// Subjects whose trace ends here, and the last one that was counted.
    people: u32,
    last: u32,
    /// The largest k of the releases on the way.
    k: u64,
    /// Where its distinct values are, from when it has subjects; and how many places it takes.
    start: usize,
    width: usize,
}

/// A promise that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The releases of the trace, by their places.
    pub releases: Vec<usize>,
    /// How many subjects have the trace.
    pub people: u64,
    /// How many it needs.
    pub k: u64,
    /// The release and the sensitive column of a value that becomes certain, where there are
    /// enough subjects.
    pub exposed: Option<(usize, usize)>,
}

/// Releases that were joined.
#[derive(Debug)]
pub struct Joined {
    promises: Vec<Promise>,
    traces: Vec<Trace>,
    children: FxHashMap<(u32, u32, u32), u32>,
    /// The values of traces: for each release on the way and each column, the first few.
    seen: Vec<u32>,
    /// Release → the same of its classes.
    of_classes: Vec<Vec<u32>>,
    /// The records of the last release, each with its trace.
    placed: Vec<(SubjectDigest, u32)>,
    /// Every matched row with its content and its trace, where these are asked for.
    followed: Option<Vec<Followed>>,
    people: u32,
}

/// A matched row: whom it belongs to, its content in the last of its releases, its trace.
pub type Followed = (SubjectDigest, u64, u32);

/// Reads one release.
struct Cursor<'a> {
    parts: Box<dyn Parts + 'a>,
    part: Members,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(mut parts: Box<dyn Parts + 'a>) -> Result<Self> {
        let part = parts.next()?.unwrap_or_default();
        Ok(Cursor { parts, part, at: 0 })
    }

    fn subject(&self) -> Option<SubjectDigest> {
        self.part.subjects.get(self.at).copied()
    }

    fn advance(&mut self) -> Result<()> {
        self.at += 1;
        if self.at >= self.part.len() && !self.part.is_empty() {
            self.part = self.parts.next()?.unwrap_or_default();
            self.at = 0;
        }
        Ok(())
    }

    /// Takes the records of a subject: contents, classes, and values one after the other.
    fn take(&mut self, subject: SubjectDigest, rows: &mut Rows) -> Result<()> {
        rows.clear();
        while self.subject() == Some(subject) {
            rows.contents.push(self.part.contents.get(self.at).copied().unwrap_or(0));
            rows.classes.push(self.part.classes[self.at]);
            rows.values.extend(self.part.values.iter().map(|values| values[self.at]));
            self.advance()?;
        }
        Ok(())
    }
}

/// The records of a subject in one release.
#[derive(Debug, Clone, Default)]
struct Rows {
    contents: Vec<u64>,
    classes: Vec<u32>,
    values: Vec<u32>,
}

impl Rows {
    fn clear(&mut self) {
        self.contents.clear();
        self.classes.clear();
        self.values.clear();
    }
}

/// A row of a subject through the releases: release and place among the subject's rows there.
type Thread = Vec<(u32, u32)>;

impl Joined {
    /// Joins releases in the order in which they were made.
    ///
    /// # Errors
    /// What cannot be read, or a request to stop.
    pub fn new(releases: Vec<Joining<'_>>, watch: &Watch) -> Result<Self> {
        Joined::join(releases, None, watch)
    }

    /// The same, which keeps every matched row: see [`Joined::followed`]. Costs 32 bytes for each.
    ///
    /// # Errors
    /// As [`Joined::new`].
    pub fn following(releases: Vec<Joining<'_>>, watch: &Watch) -> Result<Self> {
        Joined::join(releases, Some(Vec::new()), watch)
    }

    fn join(releases: Vec<Joining<'_>>, followed: Option<Vec<Followed>>, watch: &Watch) -> Result<Self> {
        let promises: Vec<Promise> = releases.iter().map(|release| release.promise.clone()).collect();
        let cursors = releases.into_iter().map(|release| Cursor::new(release.parts));
        let mut cursors = cursors.collect::<Result<Vec<_>>>()?;
        let root = Trace {
            parent: NOBODY,
            release: NOBODY,
            class: 0,
            people: 0,
            last: NOBODY,
            k: 0,
            start: 0,
            width: 0,
        };
        let mut joined = Joined {
            of_classes: vec![Vec::new(); promises.len()],
            promises,
            traces: vec![root],
            children: FxHashMap::default(),
            seen: Vec::new(),
            placed: Vec::new(),
            followed,
            people: 0,
        };
        let mut rows = vec![Rows::default(); cursors.len()];
        let (mut threads, mut done): (Vec<Thread>, u64) = (Vec::new(), 0);
        while let Some(subject) = cursors.iter().filter_map(Cursor::subject).min() {
            let mut single = true;
            for (cursor, rows) in cursors.iter_mut().zip(&mut rows) {
                cursor.take(subject, rows)?;
                done += rows.classes.len() as u64;
                single &= rows.classes.len() <= 1;
            }
            if single {
                joined.single(subject, &rows);
            } else {
                matched(&rows, &mut threads);
                threads.iter().for_each(|thread| joined.add(subject, &rows, thread.iter().copied()));
            }
            joined.people += 1;
            if done / PACE != (done + rows.len() as u64) / PACE {
                watch.done(Stage::Comparing, done, None)?;
            }
        }
        watch.done(Stage::Comparing, done, None)?;
        Ok(joined)
    }

    /// Adds a subject with at most one row in every release.
    fn single(&mut self, subject: SubjectDigest, rows: &[Rows]) {
        let present = (0..rows.len() as u32).filter(|&release| !rows[release as usize].classes.is_empty());
        self.add(subject, rows, present.map(|release| (release, 0)));
    }

    /// Adds one row through the releases.
    fn add(
        &mut self,
        subject: SubjectDigest,
        rows: &[Rows],
        thread: impl Iterator<Item = (u32, u32)> + Clone,
    ) {
        let mut trace = ROOT;
        for (release, row) in thread.clone() {
            trace = self.child(trace, release, rows[release as usize].classes[row as usize]);
        }
        if let (Some(followed), Some((release, row))) = (&mut self.followed, thread.clone().last()) {
            let contents = &rows[release as usize].contents;
            followed.push((subject, contents.get(row as usize).copied().unwrap_or(0), trace));
        }
        let person = self.people;
        let Joined { traces, seen, promises, of_classes, placed, .. } = self;
        let found = &mut traces[trace as usize];
        if found.people == 0 {
            found.start = seen.len();
            seen.resize(seen.len() + found.width, NO_VALUE);
        }
        if found.last != person {
            found.people += 1;
            found.last = person;
        }
        let mut at = found.start;
        for (release, row) in thread {
            let (promise, rows) = (&promises[release as usize], &rows[release as usize]);
            let columns = promise.values.len();
            let class = rows.classes[row as usize] as usize;
            let (width, slots) = (places(promise), &mut of_classes[release as usize]);
            if slots.len() < (class + 1) * width {
                slots.resize((class + 1) * width, NO_VALUE);
            }
            let mut of_class = class * width;
            for (column, &needed) in promise.values.iter().enumerate() {
                let value = rows.values[row as usize * columns + column];
                note(&mut seen[at..at + needed as usize], value);
                note(&mut slots[of_class..of_class + needed as usize], value);
                at += needed as usize;
                of_class += needed as usize;
            }
            if release as usize + 1 == promises.len() {
                placed.push((subject, trace));
            }
        }
    }

    fn child(&mut self, parent: u32, release: u32, class: u32) -> u32 {
        let Joined { traces, children, promises, .. } = self;
        *children.entry((parent, release, class)).or_insert_with(|| {
            let (promise, above) = (&promises[release as usize], &traces[parent as usize]);
            let trace = Trace {
                parent,
                release,
                class,
                people: 0,
                last: NOBODY,
                k: above.k.max(promise.k),
                start: 0,
                width: above.width + places(promise),
            };
            traces.push(trace);
            traces.len() as u32 - 1
        })
    }

    /// The releases and classes of a trace, from the first.
    fn path(&self, trace: u32) -> Vec<(u32, u32)> {
        let mut path = Vec::new();
        let mut at = trace;
        while at != ROOT {
            let Trace { parent, release, class, .. } = self.traces[at as usize];
            path.push((release, class));
            at = parent;
        }
        path.reverse();
        path
    }

    /// What is wrong with a trace.
    fn conflict(&self, trace: u32) -> Option<Conflict> {
        let found = &self.traces[trace as usize];
        if found.people == 0 {
            return None;
        }
        let path = || self.path(trace);
        let releases = |path: &[(u32, u32)]| path.iter().map(|(release, _)| *release as usize).collect();
        let people = u64::from(found.people);
        if people < found.k {
            return Some(Conflict { releases: releases(&path()), people, k: found.k, exposed: None });
        }
        if found.width == 0 {
            return None;
        }
        let path = path();
        let mut at = found.start;
        for &(release, class) in &path {
            let promise = &self.promises[release as usize];
            let mut of_class = class as usize * places(promise);
            for (column, &needed) in promise.values.iter().enumerate() {
                let needed = needed as usize;
                let here = distinct(&self.seen[at..at + needed]);
                // What a class of one release alone reveals is not revealed by the others.
                let there = distinct(&self.of_classes[release as usize][of_class..of_class + needed]);
                if here < needed.min(there) {
                    let exposed = Some((release as usize, column));
                    return Some(Conflict { releases: releases(&path), people, k: found.k, exposed });
                }
                at += needed;
                of_class += needed;
            }
        }
        None
    }

    /// Every promise that does not hold, in the order of the traces.
    pub fn conflicts(&self) -> Vec<Conflict> {
        (1..self.traces.len() as u32).filter_map(|trace| self.conflict(trace)).collect()
    }

    /// The fewest subjects with the same trace; none where there is no subject.
    pub fn fewest(&self) -> Option<u64> {
        self.traces.iter().map(|trace| u64::from(trace.people)).filter(|&people| people > 0).min()
    }

    /// Every matched row by subject, where it was asked for.
    pub fn followed(&self) -> &[Followed] {
        self.followed.as_deref().unwrap_or_default()
    }

    /// Number of traces, those that nobody has included.
    pub fn trace_count(&self) -> u32 {
        self.traces.len() as u32
    }

    /// The largest k of the releases of a trace.
    pub fn k(&self, trace: u32) -> u64 {
        self.traces.get(trace as usize).map_or(0, |trace| trace.k)
    }

    /// Number of subjects.
    pub fn people(&self) -> u64 {
        u64::from(self.people)
    }

    /// Number of traces that somebody has.
    pub fn traces(&self) -> u64 {
        self.traces.iter().filter(|trace| trace.people > 0).count() as u64
    }

    /// Subjects to withhold from the last release so that fewer promises are broken, sorted; none
    /// where the earlier releases break one by themselves. Withholding changes traces, so that the
    /// result has to be joined again. With `all`, everybody who shares the earlier part of a broken
    /// trace is withheld: then these traces are what they were before the last release.
    pub fn withhold(&self, all: bool) -> Option<Vec<SubjectDigest>> {
        let last = self.promises.len() as u32 - 1;
        let broken: Vec<bool> =
            (0..self.traces.len() as u32).map(|trace| self.conflict(trace).is_some()).collect();
        let in_last = |trace: usize| self.traces[trace].release == last;
        // Trace → how many of its subjects to withhold.
        let mut wanted = vec![0u32; self.traces.len()];
        let mut below: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (at, trace) in self.traces.iter().enumerate().filter(|(at, _)| in_last(*at)) {
            below.entry(trace.parent).or_default().push(at as u32);
            if broken[at] {
                wanted[at] = u32::MAX;
            }
        }
        for (at, trace) in self.traces.iter().enumerate().filter(|(at, _)| broken[*at]) {
            let before = if in_last(at) { trace.parent } else { at as u32 };
            let children = below.get(&before).map_or(&[][..], Vec::as_slice);
            if all && before != ROOT {
                children.iter().for_each(|&child| wanted[child as usize] = u32::MAX);
            }
            if in_last(at) {
                continue;
            }
            let leaving = |child: &&u32| wanted[**child as usize] == u32::MAX;
            let people = |child: &u32| self.traces[*child as usize].people;
            let joining: u32 = children.iter().filter(leaving).map(people).sum();
            // Those who leave join the broken trace, which may be enough.
            let needed = trace.k.saturating_sub(u64::from(trace.people + joining));
            let needed = if needed == 0 && joining == 0 { trace.k } else { needed };
            if needed == 0 {
                continue;
            }
            let staying = children.iter().filter(|child| !leaving(child));
            let largest = staying.max_by_key(|child| (people(child), std::cmp::Reverse(**child)));
            match largest {
                None if joining == 0 => return None,
                None => {}
                Some(&child) => {
                    let found = &self.traces[child as usize];
                    let enough = u64::from(found.people) >= needed + found.k;
                    wanted[child as usize] = if enough { needed as u32 } else { u32::MAX };
                }
            }
        }
        // Records are sorted by subject, so that the choice follows from the digests.
        let mut withheld: Vec<SubjectDigest> = Vec::new();
        for &(subject, trace) in &self.placed {
            let wanted = &mut wanted[trace as usize];
            if *wanted > 0 {
                *wanted = if *wanted == u32::MAX { u32::MAX } else { *wanted - 1 };
                withheld.push(subject);
            }
        }
        withheld.dedup();
        (!withheld.is_empty()).then_some(withheld)
    }
}

/// Values that are noted per trace or class for a promise.
fn places(promise: &Promise) -> usize {
    promise.values.iter().map(|&needed| needed as usize).sum()
}

/// Notes a value if it is new and there is room.
fn note(places: &mut [u32], value: u32) {
    for place in places {
        if *place == value {
            return;
        }
        if *place == NO_VALUE {
            *place = value;
            return;
        }
    }
}

fn distinct(places: &[u32]) -> usize {
    places.iter().take_while(|place| **place != NO_VALUE).count()
}

/// Matches the rows of a subject between releases: rows of equal content, then the others in order.
fn matched(rows: &[Rows], threads: &mut Vec<Thread>) {
    threads.clear();
    let mut by_content: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (release, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.classes.is_empty()) {
        let mut taken = vec![false; threads.len()];
        let mut others = Vec::new();
        for (row, content) in rows.contents.iter().enumerate() {
            let same = by_content.get(content);
            match same.and_then(|same| same.iter().copied().find(|&thread| !taken[thread])) {
                Some(thread) => {
                    taken[thread] = true;
                    threads[thread].push((release as u32, row as u32));
                }
                None => others.push(row),
            }
        }
        let mut free = (0..taken.len()).filter(|&thread| !taken[thread]);
        for row in others {
            let thread = free.next().unwrap_or(threads.len());
            if thread == threads.len() {
                threads.push(Thread::new());
            }
            threads[thread].push((release as u32, row as u32));
            let same = by_content.entry(rows.contents[row]).or_default();
            same.push(thread);
        }
    }
}

#[cfg(test)]
mod tests;
