//! The traces of subjects in earlier releases, for a search that builds a release on top of them.
//!
//! A release whose classes hold every earlier trace k times or not at all conflicts with no earlier
//! release about the same people. A search that knows the traces can look for such classes. Who
//! joined has trace 0. Where a release is part of several views, a trace is the combination of the
//! traces in all of them. Where a subject has several rows, a row has the traces of the earlier
//! rows with its content, or else those of all rows of the subject.
//!
//! This only guides: the ledger judges the result. Costs one join per view, and 32 bytes for every
//! row of a subject.

use rustc_hash::FxHashMap;
use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::compose::{Followed, Joined};
use crate::ledger::Ledger;
use crate::secret::SubjectDigest;

/// The traces of subjects in earlier releases, as numbers.
#[derive(Debug)]
pub struct EarlierTraces {
    /// Subject → traces of its rows by content, sorted by content.
    of: FxHashMap<SubjectDigest, Vec<(u64, u32)>>,
    /// Subject with several rows → the trace of them all.
    of_all: FxHashMap<SubjectDigest, u32>,
    /// Trace → the largest k of its releases; 0 for who joined.
    k: Vec<u64>,
}

impl EarlierTraces {
    /// The trace of a row.
    pub fn of(&self, subject: SubjectDigest, content: u64) -> u32 {
        let Some(rows) = self.of.get(&subject) else { return 0 };
        match rows.iter().find(|(own, _)| *own == content) {
            Some((_, trace)) => *trace,
            None => self.of_all.get(&subject).copied().unwrap_or(rows[0].1),
        }
    }

    /// The largest k of the releases of a trace.
    pub fn k(&self, trace: u32) -> u64 {
        self.k.get(trace as usize).copied().unwrap_or(0)
    }

    /// Joins the rows of subjects: view, subject, content, trace of the view and its k.
    fn new(mut rows: Vec<(SubjectDigest, u64, u32, u32)>, k: &[Vec<u64>]) -> Self {
        rows.sort_unstable();
        let mut made = EarlierTraces { of: FxHashMap::default(), of_all: FxHashMap::default(), k: vec![0] };
        let mut numbers: FxHashMap<Vec<(u32, u32)>, u32> = FxHashMap::default();
        let mut numbered = |mut traces: Vec<(u32, u32)>, least: &mut Vec<u64>| {
            traces.sort_unstable();
            traces.dedup();
            let largest = traces.iter().map(|&(view, trace)| k[view as usize][trace as usize]).max();
            *numbers.entry(traces).or_insert_with(|| {
                least.push(largest.unwrap_or(0));
                least.len() as u32 - 1
            })
        };
        for rows in rows.chunk_by(|a, b| a.0 == b.0) {
            let traces =
                |rows: &[(SubjectDigest, u64, u32, u32)]| rows.iter().map(|row| (row.2, row.3)).collect();
            let contents = rows.chunk_by(|a, b| a.1 == b.1);
            let of: Vec<(u64, u32)> =
                contents.map(|same| (same[0].1, numbered(traces(same), &mut made.k))).collect();
            if of.len() > 1 {
                made.of_all.insert(rows[0].0, numbered(traces(rows), &mut made.k));
            }
            made.of.insert(rows[0].0, of);
        }
        made
    }
}

impl Ledger {
    /// The traces that subjects have in the first `entries` entries, in all views that a release to
    /// a recipient would be part of. `subject` is what a digest is known by.
    ///
    /// # Errors
    /// Parts that are missing or changed, or a request to stop.
    pub fn earlier_traces(
        &self,
        (recipient, colludes_with): (&str, &[String]),
        entries: u64,
        subject: impl Fn(SubjectDigest) -> SubjectDigest,
        watch: &Watch,
    ) -> Result<EarlierTraces> {
        let entries = &self.entries()[..self.entries().len().min(entries as usize)];
        let (mut rows, mut k) = (Vec::new(), Vec::new());
        for (at, view) in self.views(entries, Some((recipient, colludes_with))).iter().enumerate() {
            let joined = Joined::following(self.joining(view), watch)?;
            let row = |&(own, content, trace): &Followed| (subject(own), content, at as u32, trace);
            rows.extend(joined.followed().iter().map(row));
            k.push((0..joined.trace_count()).map(|trace| joined.k(trace)).collect());
        }
        Ok(EarlierTraces::new(rows, &k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_trace_of_their_content_or_of_the_subject() {
        // Subject 1 has one row in both views, 2 two rows, 3 is in the second view only.
        let rows = vec![(1, 0, 0, 1), (1, 0, 1, 1), (2, 5, 0, 1), (2, 6, 0, 2), (3, 0, 1, 1)];
        let traces = EarlierTraces::new(rows, &[vec![0, 2, 5], vec![0, 3]]);
        let of = |subject, content| traces.of(subject, content);
        assert_eq!(of(9, 0), 0);
        assert_eq!(of(1, 7), of(1, 0));
        let different = [of(1, 0), of(2, 5), of(2, 6), of(2, 9), of(3, 0), 0];
        for (at, a) in different.iter().enumerate() {
            assert!(!different[at + 1..].contains(a), "{different:?}");
        }
        let k = different.map(|trace| traces.k(trace));
        assert_eq!(k, [3, 2, 5, 5, 3, 0]);
    }
}
