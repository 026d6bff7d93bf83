//! A release as an adversary sees it, and the people whom its classes can be about.
//!
//! A *view* is a release with its classes and their sensitive values. The tree of *targets* says
//! which classes cover each of them. Costs a box per class, and the pairs of targets and classes.

use rayon::prelude::*;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::table::{Code, Dictionary};

use crate::cover::{Covered, Missing, Runs, covers};
use crate::groups::Groups;
use crate::owners::{Chosen, Owners, total};
use crate::scene::Roles;
use crate::table::{Coded, Column};
use crate::tree::Tree;

/// A release with its classes.
pub struct View {
    /// The quasi-identifiers.
    pub(crate) quasi: Vec<Column>,
    /// The classes of the rows that show something.
    pub(crate) classes: Groups,
    /// Rows that show something, in the order of the release: place → row.
    pub(crate) shown: Vec<u32>,
    /// Sensitive column → row that shows something → shared code.
    pub(crate) values: Vec<Vec<Code>>,
    /// Quasi-identifier → released code → what it covers among the specific values.
    pub(crate) covers: Vec<Vec<Covered>>,
    /// Whose its rows are; none where every row is a person.
    pub(crate) owners: Option<Owners>,
}

impl View {
    /// The cells of a class as a box.
    pub(crate) fn query(&self, class: usize) -> Vec<&Runs> {
        let tuple = self.classes.tuple(class).iter();
        tuple.zip(&self.covers).map(|(&code, covers)| &covers[code as usize].runs).collect()
    }

    /// The fewest people to whom rows of some classes can belong: the chosen ones, or all. More
    /// than the limit are as many as the limit.
    pub(crate) fn fewest(&self, classes: &[u32], chosen: Option<&Chosen<'_>>, limit: u64) -> u64 {
        match &self.owners {
            Some(owners) => owners.fewest(self, classes, chosen, limit),
            None => chosen.map_or_else(|| self.rows_of(classes), |chosen| total(chosen.rows)).min(limit),
        }
    }

    /// The fewest people to whom some rows of some classes can belong, up to a limit.
    pub(crate) fn fewest_of(&self, classes: &[u32], rows: &[u32], limit: u64) -> u64 {
        match &self.owners {
            Some(owners) => owners.fewest_of(self, classes, rows, limit),
            None => limit.min(rows.len() as u64),
        }
    }

    /// The most people to whom this number of rows of some classes can belong, up to a limit.
    pub(crate) fn most(&self, classes: &[u32], rows: u64, limit: u64) -> u64 {
        match &self.owners {
            Some(owners) => owners.most(self, classes, rows, limit),
            None => rows.min(limit),
        }
    }

    /// Number of rows of some classes.
    pub(crate) fn rows_of(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|&class| u64::from(self.classes.count(class as usize))).sum()
    }

    /// Number of rows that show something.
    pub(crate) fn rows(&self) -> usize {
        self.shown.len()
    }

    /// Class → its sensitive values with their rows; `values` are those of the rows.
    pub(crate) fn histograms(&self, values: &[Code]) -> Histograms {
        let parts: Vec<Vec<(Code, u32)>> = (0..self.classes.len())
            .into_par_iter()
            .map(|class| counted(self.classes.rows(class).iter().map(|&row| values[row as usize])))
            .collect();
        Histograms(parts)
    }
}

/// Class → values with their rows, by value.
pub(crate) struct Histograms(Vec<Vec<(Code, u32)>>);

impl Histograms {
    pub(crate) fn of(&self, class: usize) -> &[(Code, u32)] {
        &self.0[class]
    }

    /// The values of several classes together.
    pub(crate) fn merged(&self, classes: &[u32]) -> Vec<(Code, u32)> {
        if let [only] = classes {
            return self.0[*only as usize].clone();
        }
        let mut all: Vec<(Code, u32)> =
            classes.iter().flat_map(|&class| self.of(class as usize)).copied().collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        all
    }
}

/// Values with the number of times that they occur.
pub(crate) fn counted(values: impl Iterator<Item = Code>) -> Vec<(Code, u32)> {
    let mut values: Vec<Code> = values.collect();
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
}

/// People whose quasi-identifiers are known, and the classes that cover them.
pub struct Targets {
    /// Distinct quasi-identifiers among the targets.
    pub(crate) groups: Groups,
    /// Sensitive column → target → shared code; empty for people outside.
    pub(crate) values: Vec<Vec<Code>>,
    /// Quasi-identifier → target → code of the specific value.
    pub(crate) codes: Vec<Vec<Code>>,
    starts: Vec<usize>,
    classes: Vec<u32>,
}

impl Targets {
    /// The classes that cover a group of targets.
    pub(crate) fn classes(&self, group: usize) -> &[u32] {
        &self.classes[self.starts[group]..self.starts[group + 1]]
    }

    /// Number of targets.
    pub(crate) fn len(&self) -> usize {
        self.groups.order().len()
    }

    /// Finds the classes of a view that cover some rows of a table.
    pub(crate) fn find(view: &View, columns: &[Column], rows: &[u32], values: Vec<Vec<Code>>) -> Self {
        let part = |column: &Column| Column {
            codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
            ..column.clone()
        };
        let parts: Vec<Column> = columns.iter().map(part).collect();
        let groups = Groups::new(&parts.iter().collect::<Vec<_>>(), rows.len());
        let tree = Tree::new(columns.len(), groups.len(), |at| groups.tuple(at), |_| 1);
        let found: Vec<Vec<u32>> = (0..view.classes.len())
            .into_par_iter()
            .map(|class| {
                let mut found = Vec::new();
                tree.each(&view.query(class), |group| found.push(group));
                found
            })
            .collect();
        let mut starts = vec![0; groups.len() + 1];
        found.iter().flatten().for_each(|&group| starts[group as usize + 1] += 1);
        (0..groups.len()).for_each(|at| starts[at + 1] += starts[at]);
        let mut next = starts.clone();
        let mut classes = vec![0; starts[groups.len()]];
        for (class, found) in found.iter().enumerate() {
            for &group in found {
                classes[next[group as usize]] = class as u32;
                next[group as usize] += 1;
            }
        }
        let codes = parts.into_iter().map(|column| column.codes).collect();
        Targets { groups, values, codes, starts, classes }
    }
}

/// What an adversary believes about a target.
pub(crate) struct Belief<'a> {
    /// Released rows that can be the target's.
    pub(crate) rows: u64,
    /// Their sensitive values.
    pub(crate) values: &'a [(Code, u32)],
}

impl Belief<'_> {
    /// Rows with a value.
    pub(crate) fn count(&self, value: Code) -> u32 {
        self.values.binary_search_by_key(&value, |entry| entry.0).map_or(0, |at| self.values[at].1)
    }
}

/// The view of a release.
pub(crate) fn view(
    table: &Coded,
    quasi: Vec<Column>,
    roles: &Roles,
    shared: &mut [Dictionary],
    (specific, hierarchies, missing): (&[Column], &[Option<Hierarchy>], Missing),
) -> View {
    let columns = quasi.iter().zip(specific).zip(hierarchies);
    let covers: Vec<Vec<Covered>> = columns
        .map(|((column, specific), hierarchy)| covers(column, specific, hierarchy.as_ref(), missing))
        .collect();
    let shows = |row: &u32| {
        quasi
            .iter()
            .zip(&covers)
            .any(|(column, covers)| !covers[column.codes[*row as usize] as usize].anything)
    };
    let shown: Vec<u32> = (0..table.rows as u32).filter(shows).collect();
    let part = |column: Column| Column {
        codes: shown.iter().map(|&row| column.codes[row as usize]).collect(),
        ..column
    };
    let quasi: Vec<Column> = quasi.into_iter().map(part).collect();
    let values = roles.sensitive.iter().zip(shared).map(|(name, shared)| {
        let Some(column) = table.column(name) else { return Vec::new() };
        let codes: Vec<Code> =
            (0..column.size() as Code).map(|code| shared.add(column.dictionary.value(code), 0)).collect();
        shown.iter().map(|&row| codes[column.codes[row as usize] as usize]).collect()
    });
    let values = values.collect();
    let classes = Groups::new(&quasi.iter().collect::<Vec<_>>(), shown.len());
    View { classes, quasi, shown, values, covers, owners: None }
}

/// Pairs of some rows and the classes that cover them.
pub(crate) fn pairs(view: &View, columns: &[Column], rows: &[u32]) -> u64 {
    let flat: Vec<Code> =
        rows.iter().flat_map(|&row| columns.iter().map(move |column| column.codes[row as usize])).collect();
    let width = columns.len();
    let tree = Tree::new(width, rows.len(), |at| &flat[at * width..][..width], |_| 1);
    (0..view.classes.len()).into_par_iter().map(|class| tree.count(&view.query(class))).sum()
}
