//! The sets of columns that an adversary could link on, the class sizes over each, and the rows
//! that cannot be released.
//!
//! A set is either all quasi-identifiers with `privacy.k` or a group of `privacy.quasi` with its
//! own k. Sizes over one set cost one look-up per class; for wildcards see [`super::wildcard`].

use super::classes::Tuples;
use super::sampling::Drawn;
use super::wildcard::{self, project};
use throng_terms::error::Result;
use throng_terms::fault;
use throng_terms::policy::{Missing, Policy, Role};

/// A set of columns that asks for classes of at least k rows.
#[derive(Debug)]
pub(super) struct Group {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    /// Its columns, as places among the quasi-identifiers in name order.
    pub(super) columns: Vec<usize>,
    pub(super) k: u64,
}

/// The sets that a policy names. Differential privacy asks for classes of drawn rows as k does.
pub(super) fn of(policy: &Policy, drawn: Option<&Drawn>) -> Result<Vec<Group>> {
    let quasi = policy.with_role(Role::Quasi);
    let mut groups = Vec::new();
    // Where rows belong to people, these are counted instead (`people.rs`).
    if let Some(k) = policy.privacy.k().filter(|_| policy.subject().is_none()) {
        groups.push(Group { claim: "k-anonymity".into(), columns: (0..quasi.len()).collect(), k });
    }
    if let Some(drawn) = drawn {
        let columns = (0..quasi.len()).collect();
        groups.push(Group { claim: "differential privacy".into(), columns, k: drawn.k });
    }
    for (name, group) in &policy.privacy.quasi {
        let mut columns = Vec::new();
        for column in &group.columns {
            let at = quasi.iter().position(|q| q == column).ok_or_else(|| {
                fault!(
                    Input,
                    "verify.not-a-quasi-identifier",
                    "`{column}` is not a quasi-identifier",
                    column = column
                )
                .key(format!("privacy.quasi.{name}.columns"))
            })?;
            columns.push(at);
        }
        columns.sort_unstable();
        columns.dedup();
        groups.push(Group { claim: format!("k-anonymity: {name}"), columns, k: group.k });
    }
    Ok(groups)
}

/// Classes seen through some of their columns only.
pub(super) struct View<'a> {
    all: &'a Tuples,
    /// The distinct parts and, for each class, which part it has; none when all columns are seen.
    parts: Option<(Tuples, Vec<u32>)>,
}

impl<'a> View<'a> {
    pub(super) fn new(all: &'a Tuples, columns: &[usize]) -> Self {
        if columns.len() == all.width() {
            return View { all, parts: None };
        }
        let mut parts = Tuples::new(columns.len());
        let mut part = vec![0; columns.len()];
        let of_class = (0..all.len())
            .map(|class| {
                project(all.tuple(class), columns, &mut part);
                parts.intern(&part) as u32
            })
            .collect();
        View { all, parts: Some((parts, of_class)) }
    }

    /// For every class the rows that look like it through these columns. `counts` are the rows of
    /// the classes; where that is 0 the result has no meaning.
    pub(super) fn sizes(&self, counts: &[u64], missing: Missing) -> Vec<u64> {
        let wild = |tuples: &Tuples, counts: Vec<u64>| match missing {
            Missing::Wildcard => wildcard::sizes(tuples, &counts),
            Missing::Value | Missing::Suppress => counts,
        };
        let Some((parts, of_class)) = &self.parts else {
            return wild(self.all, counts.to_vec());
        };
        let mut totals = vec![0; parts.len()];
        for (&part, count) in of_class.iter().zip(counts) {
            totals[part as usize] += count;
        }
        let sizes = wild(parts, totals);
        of_class.iter().map(|&part| sizes[part as usize]).collect()
    }
}

/// The rows per class that can stay: the largest set of rows whose classes have at least k rows
/// over every set of columns. Classes that fall short are removed, which can make others fall
/// short, until none does. The result does not depend on the order, because a class that is short
/// stays short when more rows are removed.
pub(super) fn stable(tuples: &Tuples, mut counts: Vec<u64>, groups: &[Group], missing: Missing) -> Vec<u64> {
    let views: Vec<_> = groups.iter().map(|group| (View::new(tuples, &group.columns), group.k)).collect();
    // One set with equality alone is settled in one round: a class goes as a whole and no other
    // counts it.
    let rounds = views.len() > 1 || missing == Missing::Wildcard;
    loop {
        let mut removed = false;
        for (view, k) in &views {
            let sizes = view.sizes(&counts, missing);
            for (count, _) in counts.iter_mut().zip(sizes).filter(|(count, size)| **count > 0 && size < k) {
                *count = 0;
                removed = true;
            }
        }
        if !(removed && rounds) {
            return counts;
        }
    }
}
