//! Resolution: chooses among overlapping proposals, and finds names again that were found with
//! certainty elsewhere in the document.

mod again;
mod beside;
pub mod known;

pub use again::{CONSISTENCY, Names, is_organization};
pub use beside::ages;

use std::collections::BTreeMap;

use crate::candidates::{Candidate, Candidates};
use crate::document::Document;
use crate::span::Kind;

/// What a byte of length is worth against certainty, so that a whole name beats a part of it.
const PER_BYTE: f32 = 0.005;
/// Bytes beyond this are worth nothing.
const MOST_BYTES: u32 = 40;

fn rank(candidate: &Candidate) -> f32 {
    candidate.certainty + PER_BYTE * candidate.bytes().min(MOST_BYTES) as f32
}

/// Chooses the proposals of at least a certainty that do not overlap: the greatest rank first. What
/// sticks out of a winner stays as a span of its own. The result is sorted.
pub fn choose(candidates: &mut Candidates, least: f32, document: &Document<'_>) -> Vec<Candidate> {
    let Candidates { list, order, cluster, .. } = candidates;
    let likely = list.iter().zip(0u64..).filter(|(candidate, _)| candidate.certainty >= least);
    order.clear();
    order.extend(likely.map(|(candidate, place)| u64::from(candidate.start) << 32 | place));
    order.sort_unstable();
    let mut chosen = Vec::with_capacity(order.len() / 2);
    let mut end = 0;
    for key in order.drain(..) {
        let Some(candidate) = list.get(key as u32 as usize) else { continue };
        if candidate.start >= end {
            settle(cluster, document, &mut chosen);
        }
        end = end.max(candidate.end);
        cluster.push(*candidate);
    }
    settle(cluster, document, &mut chosen);
    join(&mut chosen, document);
    chosen
}

/// Adds proposals that overlap nothing.
pub fn add(
    mut chosen: Vec<Candidate>,
    more: &[Candidate],
    least: f32,
    document: &Document<'_>,
) -> Vec<Candidate> {
    chosen.extend(more.iter().filter(|candidate| candidate.certainty >= least));
    chosen.sort_unstable_by_key(|candidate| candidate.start);
    join(&mut chosen, document);
    chosen
}

/// Adds sorted proposals where nothing was chosen yet.
pub fn add_free(mut chosen: Vec<Candidate>, more: &[Candidate], least: f32) -> Vec<Candidate> {
    let mut at = 0;
    let mut free: Vec<Candidate> = Vec::new();
    for candidate in more.iter().filter(|candidate| candidate.certainty >= least) {
        while chosen.get(at).is_some_and(|other| other.end <= candidate.start) {
            at += 1;
        }
        if !chosen.get(at).is_some_and(|other| other.overlaps(candidate)) {
            free.push(*candidate);
        }
    }
    if !free.is_empty() {
        chosen.append(&mut free);
        chosen.sort_unstable_by_key(|candidate| candidate.start);
    }
    chosen
}

/// Chooses among proposals that hang together.
fn settle(cluster: &mut Vec<Candidate>, document: &Document<'_>, chosen: &mut Vec<Candidate>) {
    if let [only] = cluster.as_slice() {
        chosen.push(*only);
        cluster.clear();
        return;
    }
    let order = |a: &Candidate, b: &Candidate| {
        let known = (b.known > 0).cmp(&(a.known > 0));
        known
            .then(rank(b).total_cmp(&rank(a)))
            .then(a.start.cmp(&b.start))
            .then(b.end.cmp(&a.end))
            .then(a.kind.cmp(&b.kind))
    };
    cluster.sort_unstable_by(order);
    // One proposal often contains all others.
    if let Some((first, rest)) = cluster.split_first()
        && rest.iter().all(|other| first.contains(other))
    {
        chosen.push(*first);
        cluster.clear();
        return;
    }
    let mut taken: BTreeMap<u32, Candidate> = BTreeMap::new();
    for candidate in cluster.drain(..) {
        place(candidate, &mut taken, document);
    }
    chosen.extend(taken.into_values());
}

/// Takes what is still free of a proposal.
fn place(candidate: Candidate, taken: &mut BTreeMap<u32, Candidate>, document: &Document<'_>) {
    let mut start = candidate.start;
    while start < candidate.end {
        let before = taken.range(..=start).next_back().filter(|(_, other)| other.end > start);
        if let Some((_, other)) = before {
            start = other.end;
            continue;
        }
        let end = taken.range(start..).next().map_or(candidate.end, |(next, _)| candidate.end.min(*next));
        if let Some((from, to)) =
            trimmed(document.slice(start..end), start, start > candidate.start || end < candidate.end)
        {
            taken.insert(from, Candidate { start: from, end: to, ..candidate });
        }
        start = end;
    }
}

/// A remainder without signs at its ends; none if it is not a word or number. A whole proposal
/// stays as it is.
fn trimmed(text: &str, start: u32, remainder: bool) -> Option<(u32, u32)> {
    if !remainder {
        return (!text.is_empty()).then(|| (start, start + text.len() as u32));
    }
    // A possessive 's is not worth a span.
    let text = text.strip_prefix("'s").or(text.strip_prefix("’s")).map_or(text, |_| text);
    let first = text.find(char::is_alphanumeric)?;
    let last = text.rfind(char::is_alphanumeric)?;
    let end = last + text[last..].chars().next().map_or(1, char::len_utf8);
    let digit = text[first..end].starts_with(|sign: char| sign.is_ascii_digit());
    ((end - first > 1 || digit) && &text[first..end] != "s")
        .then(|| (start + first as u32, start + end as u32))
}

/// Joins names of people that only a blank or a hyphen separates.
fn join(chosen: &mut Vec<Candidate>, document: &Document<'_>) {
    chosen.dedup_by(|next, last| {
        let person =
            last.kind == Kind::Person && next.kind == Kind::Person && last.known == 0 && next.known == 0;
        let near = matches!(document.slice(last.end..next.start), " " | "-" | "\u{a0}");
        if person && near {
            last.end = next.end;
            if next.certainty > last.certainty {
                (last.certainty, last.rules) = (next.certainty, next.rules);
            }
        }
        person && near
    });
}
