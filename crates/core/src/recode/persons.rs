//! Regions of people first, then of their rows, so that what is constant per person is written
//! identically in all rows of a person.
//!
//! Columns in which every person has one value are *person columns*. The method first forms regions
//! by these columns alone: all rows of a person are in one of them. Within each it then forms
//! regions by the other columns. A row has the cells of its first region in person columns, and
//! those of its second in the others. A second region is safe by itself, and lies within a first
//! one, whose cells are true of all its rows. First regions have up to [`WIDER`] times the people
//! that are needed, because a region of k people leaves nothing to part.
//!
//! Costs two runs of the method, on fewer columns each.

use std::sync::Arc;

use super::region::{Method, Share};
use super::regions::{axes, field, parts};
use crate::classes::{Classes, Codes};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::histogram::{Histogram, Scratch};
use crate::lattice::{Lattice, Limits};
use crate::model::PrivacyModel;
use crate::policy::Policy;
use crate::registry::Algorithm;
use crate::space::{Ground, Space};
use crate::table::Code;
use crate::tuples::Tuples;
use crate::watch::Watch;

/// How many times the people that are needed a first region should have.
const WIDER: u64 = 4;

/// A point that is in no region.
const NOWHERE: u32 = u32::MAX;

/// Regions of rows within regions of people.
pub(super) struct Nested {
    /// The regions of rows.
    pub(super) shares: Vec<Share>,
    /// Region of rows → region of people.
    pub(super) within: Vec<u32>,
    /// Column → whether every person has one value in it.
    pub(super) constant: Vec<bool>,
}

/// Column → whether it is a person column; none where rows belong to nobody, or all columns or none
/// are, or the method does not form regions in two steps.
pub(super) fn person_columns(policy: &Policy, ground: &Ground<'_>, method: &dyn Method) -> Option<Vec<bool>> {
    let nests = matches!(method.algorithm(), Algorithm::Mondrian | Algorithm::KSimilar);
    // An expression that names columns cannot do without some of them.
    if !nests || policy.search.choose.is_some() {
        return None;
    }
    let subjects = ground.classes.subjects()?;
    let mut constant = vec![true; ground.names.len()];
    for (column, constant) in constant.iter_mut().enumerate() {
        let mut of_person = vec![Code::MAX; subjects.values()];
        ground.classes.each_code(column, |class, code| {
            for &person in subjects.class(class).0 {
                let known = &mut of_person[person as usize];
                *constant &= *known == Code::MAX || *known == code;
                *known = code;
            }
        });
    }
    // Linked columns rise together.
    for dimension in 0..ground.lattice.dimensions() {
        let columns = ground.lattice.columns_along(dimension);
        let all = columns.iter().all(|&column| constant[column]);
        columns.iter().for_each(|&column| constant[column] = all);
    }
    (constant.contains(&true) && constant.contains(&false)).then_some(constant)
}

/// Forms regions of people, and regions of rows within them; none when stopped.
///
/// # Errors
/// What the method is not defined for, and too many rows that no region can take.
pub(super) fn nested(
    policy: &Policy,
    ground: &Ground<'_>,
    (method, aim): (&dyn Method, bool),
    constant: Vec<bool>,
    watch: &Watch,
) -> Result<Option<Nested>> {
    let everywhere = vec![0; ground.classes.len()];
    let of = |wanted: bool| (0..constant.len()).filter(|&c| constant[c] == wanted).collect::<Vec<usize>>();
    let (person, other) = (of(true), of(false));
    let first = Projected::new(ground, &person, &everywhere)?;
    let Some(people) = first.regions(policy, (method, aim), true, watch)? else { return Ok(None) };
    let second = Projected::new(ground, &other, &people)?;
    let Some(rows) = second.regions(policy, (method, aim), false, watch)? else { return Ok(None) };
    let regions = rows.iter().filter(|&&region| region != NOWHERE).max().map_or(0, |&last| last as usize + 1);
    let (mut shares, mut within) = (Vec::new(), vec![0; regions]);
    for (point, (&region, &group)) in rows.iter().zip(&people).enumerate() {
        if region != NOWHERE {
            within[region as usize] = group;
            let rows = ground.classes.counts()[point];
            shares.push(Share { point: point as u32, region, rows });
        }
    }
    Ok(Some(Nested { shares, within, constant }))
}

/// A table seen through some of its columns.
struct Projected<'a> {
    names: Vec<String>,
    hierarchies: Vec<Hierarchy>,
    classes: Arc<Classes>,
    lattice: Lattice,
    models: &'a [Box<dyn PrivacyModel>],
    /// Class → the group that it must not leave.
    apart: Vec<u32>,
    /// Class of the whole table → class here, or [`NOWHERE`].
    of_class: Vec<u32>,
    /// The rows that may still be suppressed.
    max_suppressed: u64,
    seed: u64,
}

impl<'a> Projected<'a> {
    /// Some columns of a table; classes of different groups stay apart, and those of none are left
    /// out.
    fn new(ground: &Ground<'a>, columns: &[usize], groups: &[u32]) -> Result<Self> {
        let mut tuples = Tuples::new(columns.len() + 1);
        let (mut kept, mut ids) = (Vec::new(), Vec::new());
        let mut of_class = vec![NOWHERE; groups.len()];
        let mut left_out = 0;
        for (class, &group) in groups.iter().enumerate() {
            let rows = ground.classes.counts()[class];
            if group == NOWHERE {
                left_out += u64::from(rows);
                continue;
            }
            let code = |&column: &usize| ground.classes.code(class, column);
            let tuple: Vec<Code> = [group].into_iter().chain(columns.iter().map(code)).collect();
            of_class[class] = tuples.insert(&tuple, rows);
            kept.push(class as u32);
            ids.push(of_class[class]);
        }
        let merged = |histogram: &Histogram| {
            let mut to = Histogram::default();
            histogram.part(&kept).merge(&ids, tuples.len(), &mut to, &mut Scratch::default());
            to
        };
        let histograms = ground.classes.histograms().iter().map(merged).collect();
        let codes = (0..tuples.len()).flat_map(|at| tuples.get(at).0[1..].to_vec()).collect();
        let classes = Classes::new(columns.len(), Codes::Wide(codes), tuples.counts().to_vec())?;
        let classes = classes.measured(histograms)?.with_targets(ground.classes.targets());
        let classes = classes.with_subject(ground.classes.subject()).with_rare(ground.classes.rare());
        Ok(Projected {
            names: columns.iter().map(|&column| ground.names[column].clone()).collect(),
            hierarchies: columns.iter().map(|&column| ground.hierarchies[column].clone()).collect(),
            classes: classes.into(),
            lattice: lattice(ground, columns)?,
            models: ground.models,
            apart: (0..tuples.len()).map(|at| tuples.code(at, 0)).collect(),
            of_class,
            max_suppressed: ground.max_suppressed.saturating_sub(left_out),
            seed: ground.seed,
        })
    }

    /// Class of the whole table → its region, or [`NOWHERE`]; none when stopped. `wide` regions
    /// have more people than are needed where there are enough.
    fn regions(
        &self,
        policy: &Policy,
        (method, aim): (&dyn Method, bool),
        wide: bool,
        watch: &Watch,
    ) -> Result<Option<Vec<u32>>> {
        let ground = Ground {
            names: &self.names,
            hierarchies: &self.hierarchies,
            classes: &self.classes,
            lattice: &self.lattice,
            models: self.models,
            max_suppressed: self.max_suppressed,
            seed: self.seed,
        };
        let space = Space::new(&self.classes, axes(policy, &ground)?);
        let mut field = field(policy, (&ground, &space), aim, watch);
        if let Some(fault) = method.refuses(&field) {
            return Err(fault.into());
        }
        let parts = parts(policy, &ground, &field, Some(&self.apart))?;
        if wide {
            let people = self.classes.subjects().map_or(0, |subjects| subjects.values() as u64);
            let needed = field.judge.people_needed();
            field.judge = field.judge.needing_people((people / 8).clamp(needed, WIDER * needed));
        }
        let mut of_class = vec![NOWHERE; self.classes.len()];
        let mut regions = 0;
        // Too few people for wide regions are one region.
        let enough = |part: &Vec<u32>| field.judge.fill(&mut field.judge.tally(), part.iter().copied()).0;
        let (parts, small): (Vec<Vec<u32>>, Vec<Vec<u32>>) = parts.into_iter().partition(enough);
        let Some(formed) = method.run_each(&field, &parts)? else { return Ok(None) };
        for shares in formed {
            shares.iter().for_each(|share| of_class[share.point as usize] = share.region + regions);
            regions += shares.iter().map(|share| share.region + 1).max().unwrap_or(0);
        }
        for part in small {
            part.iter().for_each(|&point| of_class[point as usize] = regions);
            regions += 1;
        }
        let region = |&class: &u32| of_class.get(class as usize).copied().unwrap_or(NOWHERE);
        Ok(Some(self.of_class.iter().map(region).collect()))
    }
}

/// The levels that some columns may have.
fn lattice(ground: &Ground<'_>, columns: &[usize]) -> Result<Lattice> {
    let limits = |&column: &usize| {
        let (min, max, height) = ground.lattice.range(column);
        Limits { name: ground.names[column].clone(), height, min: Some(min), max: Some(max) }
    };
    let limits: Vec<Limits> = columns.iter().map(limits).collect();
    let place = |column: &usize| columns.iter().position(|other| other == column);
    let linked = |dimension: usize| {
        let linked: Vec<usize> = ground.lattice.columns_along(dimension).iter().filter_map(place).collect();
        (linked.len() > 1).then_some(linked)
    };
    let linked: Vec<Vec<usize>> = (0..ground.lattice.dimensions()).filter_map(linked).collect();
    Lattice::new(&limits, &linked)
}
