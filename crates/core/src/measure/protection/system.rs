//! The components of a system: what released cells cover, and what external tables state, as
//! numbers of values.

use rayon::prelude::*;

use super::external::joined;
use super::tables::{Coded, Tables};
use super::{Columns, Outside};
use crate::anonymous_system::{External, Private, Released, Shown, System, UNKNOWN};
use crate::consistency::Cover;
use crate::consistency::tree::Range;
use crate::error::{Error, Result};
use crate::hierarchy::{Hierarchy, TOP};
use crate::measure::column::{Column, Covered};
use crate::policy::{Missing, ModelSpec, Policy};
use crate::search::hierarchies;
use crate::space::form_of;
use crate::table::{Code, Dictionary};

/// The k of k-map where the policy has none: somebody else beside the subject.
const LEAST_K: u64 = 2;

/// The system of some tables.
pub(super) fn system(outside: &Outside<'_>, columns: &Columns, tables: Tables) -> Result<System> {
    let policy = outside.inputs.policy;
    let linked = Linked::new(outside, columns, &tables)?;
    let Tables { original, release, known, about, subjects, population, people, origin } = &tables;
    // What an external table leaves empty, outsiders do not know.
    let unknown = !outside.external.is_empty() || policy.input.missing == Missing::Wildcard;
    let external = known.iter().zip(about).map(|(table, about)| linked.external(unknown, table, about));
    let external = joined(external.collect(), linked.names.len())?;
    let shown = columns.shown.iter();
    let cells = |name: &String| release.texts(name).into_iter().map(Shown::new).collect();
    let values =
        |name: &String| original.texts(name).into_iter().map(|text| text.map(String::from)).collect();
    let private = subjects.as_ref().map(|subjects| Private {
        subjects: subjects.clone(),
        values: original.by_row(&columns.shown),
        texts: shown.clone().map(values).collect(),
    });
    Ok(System {
        sizes: linked.hierarchies.iter().map(|hierarchy| hierarchy.leaf_count() as u32).collect(),
        covers: linked.covers(policy, release),
        released: Released {
            cells: release.by_row(linked.names),
            origin: origin.clone(),
            shown: release.by_row(&columns.shown),
            texts: shown.map(cells).collect(),
        },
        external,
        population: population.clone(),
        private,
        unprotected: unprotected(outside, columns, (release, known, people)),
        k: k(policy),
    })
}

/// The k that k-map is checked with.
fn k(policy: &Policy) -> u64 {
    let k_map = policy.privacy.models.iter().find_map(|model| match model {
        ModelSpec::KMap(asked) => Some(asked.k),
        _ => None,
    });
    k_map.or_else(|| policy.privacy.k()).unwrap_or(LEAST_K)
}

/// Shared columns in which the release shows a value that outsiders know.
fn unprotected(
    outside: &Outside<'_>,
    columns: &Columns,
    (release, known, people): (&Coded, &[Coded], &Dictionary),
) -> Vec<String> {
    let unprotected = |name: &&String| {
        let texts = release.texts(name);
        let mut values = texts.into_iter().flatten().filter(|text| *text != TOP);
        let there = |dictionary: &Dictionary, text: &str| dictionary.get(Some(text)).is_some();
        values.any(|text| match outside.truth == Some(name.as_str()) {
            true => there(people, text),
            false => known.iter().any(|t| t.column(name).is_some_and(|(values, _)| there(values, text))),
        })
    };
    columns.shared.iter().filter(unprotected).cloned().collect()
}

/// The linked columns, with the values of all tables.
struct Linked<'a> {
    names: &'a [String],
    hierarchies: Vec<Hierarchy>,
    /// Column → leaf → its number.
    ranks: Vec<Vec<u32>>,
}

impl<'a> Linked<'a> {
    fn new(outside: &Outside<'_>, columns: &'a Columns, tables: &Tables) -> Result<Self> {
        let (policy, load) = (outside.inputs.policy, outside.inputs.load);
        let names = &columns.linked[..];
        let own = |name: &String| tables.original.column(name).map(|(values, _)| values.clone());
        let mut dictionaries: Vec<Dictionary> = names.iter().filter_map(own).collect();
        // What the original's values do not fit is its own fault.
        hierarchies(policy, names, &dictionaries, load)?;
        for (name, dictionary) in names.iter().zip(&mut dictionaries) {
            for (values, _) in tables.known.iter().filter_map(|table| table.column(name)) {
                (0..values.len() as Code).for_each(|code| {
                    dictionary.add(values.value(code), 0);
                });
            }
        }
        let (whose, option) = match outside.external {
            [] => ("population", "--population"),
            _ => ("external tables", "--external"),
        };
        let within =
            |error: Error| error.map(|fault| fault.within(format_args!("in the {whose}")).key(option));
        let (hierarchies, _) = hierarchies(policy, names, &dictionaries, load).map_err(within)?;
        let columns = names.iter().zip(&hierarchies).map(|(name, hierarchy)| {
            ranks(&Column::new(name, hierarchy, None, (&vec![0; hierarchy.leaf_count()], None)))
        });
        let ranks = columns.collect();
        Ok(Linked { names, hierarchies, ranks })
    }

    /// Column → code of the release → what the cell covers.
    fn covers(&self, policy: &Policy, release: &Coded) -> Vec<Vec<Cover>> {
        let column = |(name, (hierarchy, ranks)): (&String, (&Hierarchy, &Vec<u32>))| {
            let form = policy.forms_regions().then(|| form_of(policy, name, hierarchy));
            let rows = vec![0; hierarchy.leaf_count()];
            let column = Column::new(name, hierarchy, form, (&rows, None));
            let cover = |text: Option<&str>| match column.covered(text) {
                Covered::All => whole(ranks.len()),
                Covered::Numbers(places) if places.is_empty() => Cover::new(Vec::new()),
                // Numbers are in their order, and come first.
                Covered::Numbers(places) => {
                    let range = Range { low: places.start as u32, high: places.end as u32 - 1 };
                    Cover { range, scattered: None }
                }
                Covered::Leaves(leaves) => {
                    Cover::new(leaves.iter().map(|&leaf| ranks[leaf as usize]).collect())
                }
            };
            release.texts(name).into_par_iter().map(cover).collect()
        };
        self.names.iter().zip(self.hierarchies.iter().zip(&self.ranks)).map(column).collect()
    }

    /// What a table states about people; `unknown` if a missing cell is a value that is not known.
    fn external(&self, unknown: bool, table: &Coded, about: &[Code]) -> External {
        let number = |(hierarchy, ranks): (&Hierarchy, &Vec<u32>), value: Option<&str>| match value {
            None if unknown => UNKNOWN,
            _ => hierarchy.leaf(value).map_or(UNKNOWN, |leaf| ranks[leaf as usize]),
        };
        let columns = self.names.iter().zip(self.hierarchies.iter().zip(&self.ranks));
        let columns: Vec<Option<(Vec<u32>, &[Code])>> = columns
            .map(|(name, column)| {
                let (_, codes) = table.column(name)?;
                let numbers = table.texts(name).into_iter().map(|text| number(column, text)).collect();
                Some((numbers, codes))
            })
            .collect();
        let cell = |column: &Option<(Vec<u32>, &[Code])>, row: usize| match column {
            Some((numbers, codes)) => numbers[codes[row] as usize],
            None => UNKNOWN,
        };
        let row = |row: usize| columns.iter().map(move |column| cell(column, row));
        External { entities: about.to_vec(), values: (0..table.rows).flat_map(row).collect() }
    }
}

/// A cell that covers all of some values.
fn whole(values: usize) -> Cover {
    match values as u32 {
        0 => Cover::new(Vec::new()),
        values => Cover { range: Range { low: 0, high: values - 1 }, scattered: None },
    }
}

/// Leaf → its number, so that most cells cover a range: numbers by size, others by branches.
fn ranks(column: &Column<'_>) -> Vec<u32> {
    let hierarchy = column.hierarchy();
    let leaves = 0..hierarchy.leaf_count() as Code;
    let mut order: Vec<Code> = column.by_number().iter().map(|number| number.1).collect();
    if order.is_empty() {
        order = leaves.collect();
        order.sort_by_cached_key(|&leaf| {
            let levels = (0..=hierarchy.height()).rev();
            levels.map(|level| hierarchy.generalize(leaf, level)).collect::<Vec<Code>>()
        });
    } else {
        order.extend(hierarchy.missing());
    }
    let mut ranks = vec![0; order.len()];
    order.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf as usize] = rank as u32);
    ranks
}
