//! Regions of people first, then of their rows, so that what is constant per person is written
//! identically in all rows of a person.
//!
//! Columns have one of three *tiers*: every person has one value; all but [`VARYING`] of the people
//! with several rows have, because values are corrected and people move; the others. The method
//! forms regions by the columns of the first tier, within each of them regions by the second, and
//! within those by the third. A row has the cells of a column from its region of the column's tier.
//! A tier without columns is left out.
//!
//! **Who has identical cells.** All rows of a person are in one region of the first tier, so
//! everybody has identical cells in its columns. All rows of a person with one value in every
//! column of the first two tiers are in one region of the second, too. A person with two values in
//! a column of the second tier can be in two of its regions: cells of *all* its columns may then
//! differ between these rows.
//!
//! **Why the whole is safe.** Regions of the last tier are safe each, and all rows of one have the
//! same cells: each lies within one region of every tier before. The cells of that are true of all
//! its rows, of all their people. So nothing depends on how many people vary.
//!
//! Regions that are divided again have up to [`WIDER`] times the people that are needed, per tier
//! that follows, because a region of k people leaves nothing to divide. Costs a run of the method
//! per tier, on fewer columns each.

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
use crate::space::{Ground, Space};
use crate::table::Code;
use crate::tuples::Tuples;
use crate::watch::Watch;

/// How many times the people that are needed a region should have that is divided once more.
const WIDER: u64 = 4;

/// Of the people with several rows, the share that may have more than one value in a column of the
/// second tier.
const VARYING: f64 = 0.02;

/// A point that is in no region.
const NOWHERE: u32 = u32::MAX;

/// The tier of columns in which every person has one value, of those in which nearly everybody has,
/// and of the others.
const TIERS: [usize; 3] = [0, 1, 2];

/// Regions of rows within regions of people.
pub(super) struct Nested {
    /// The regions of the last tier.
    pub(super) shares: Vec<Share>,
    /// How many there are.
    pub(super) regions: usize,
    /// Tier but the last → region of the last → the region that it lies within.
    pub(super) within: Vec<Vec<u32>>,
    /// Column → tier.
    pub(super) tiers: Vec<usize>,
}

/// Column → tier; none where rows belong to nobody, or all columns have one tier.
pub(super) fn tiers(ground: &Ground<'_>) -> Option<Vec<usize>> {
    let subjects = ground.classes.subjects()?;
    let mut rows_of = vec![0u64; subjects.values()];
    for class in 0..subjects.len() {
        let (people, counts) = subjects.class(class);
        people.iter().zip(counts).for_each(|(&person, &rows)| rows_of[person as usize] += u64::from(rows));
    }
    let several = rows_of.iter().filter(|&&rows| rows > 1).count();
    let allowed = (VARYING * several as f64) as usize;
    let tier = |column: usize| match varying(ground, subjects, column) {
        0 => TIERS[0],
        people if people <= allowed => TIERS[1],
        _ => TIERS[2],
    };
    let mut tiers: Vec<usize> = (0..ground.names.len()).map(tier).collect();
    // Linked columns rise together.
    for dimension in 0..ground.lattice.dimensions() {
        let columns = ground.lattice.columns_along(dimension);
        let last = columns.iter().map(|&column| tiers[column]).max().unwrap_or(0);
        columns.iter().for_each(|&column| tiers[column] = last);
    }
    let used: Vec<usize> = TIERS.into_iter().filter(|tier| tiers.contains(tier)).collect();
    tiers.iter_mut().for_each(|tier| *tier = used.partition_point(|used| used < tier));
    (used.len() > 1).then_some(tiers)
}

/// How many people have several values in a column.
fn varying(ground: &Ground<'_>, subjects: &Histogram, column: usize) -> usize {
    let mut value_of = vec![Code::MAX; subjects.values()];
    let mut varies = vec![false; subjects.values()];
    ground.classes.each_code(column, |class, code| {
        for &person in subjects.class(class).0 {
            let known = &mut value_of[person as usize];
            varies[person as usize] |= *known != Code::MAX && *known != code;
            *known = code;
        }
    });
    varies.into_iter().filter(|&varies| varies).count()
}

/// Forms regions tier by tier, each within those of the tier before; none when stopped.
///
/// # Errors
/// Too many rows that no region can take, and what the method fails with.
pub(super) fn nested(
    policy: &Policy,
    ground: &Ground<'_>,
    (method, aim): (&dyn Method, bool),
    tiers: Vec<usize>,
    watch: &Watch,
) -> Result<Option<Nested>> {
    let last = tiers.iter().copied().max().unwrap_or(0);
    let mut groups = vec![0; ground.classes.len()];
    // Tier → class → region.
    let mut formed: Vec<Vec<u32>> = Vec::new();
    for tier in 0..=last {
        let columns: Vec<usize> = (0..tiers.len()).filter(|&column| tiers[column] == tier).collect();
        let projected = Projected::new(ground, &columns, &groups)?;
        let wider = WIDER.pow((last - tier) as u32);
        let Some(regions) = projected.regions(policy, (method, aim), wider, watch)? else { return Ok(None) };
        groups.clone_from(&regions);
        formed.push(regions);
    }
    let _ = formed.pop();
    let regions =
        groups.iter().filter(|&&region| region != NOWHERE).max().map_or(0, |&last| last as usize + 1);
    let (mut shares, mut within) = (Vec::new(), vec![vec![0; regions]; formed.len()]);
    for (point, &region) in groups.iter().enumerate().filter(|(_, region)| **region != NOWHERE) {
        within.iter_mut().zip(&formed).for_each(|(within, outer)| within[region as usize] = outer[point]);
        shares.push(Share { point: point as u32, region, rows: ground.classes.counts()[point] });
    }
    Ok(Some(Nested { shares, regions, within, tiers }))
}

/// A table seen through some of its columns.
struct Projected<'a> {
    /// All columns, and those that are seen.
    all_names: &'a [String],
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
            all_names: ground.names,
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

    /// Class of the whole table → its region, or [`NOWHERE`]; none when stopped. Regions have
    /// `wider` times the people that are needed where there are enough. What the method refuses is
    /// known from the whole table.
    fn regions(
        &self,
        policy: &Policy,
        (method, aim): (&dyn Method, bool),
        wider: u64,
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
        field.all_names = self.all_names;
        let parts = parts(policy, &ground, &field, Some(&self.apart))?;
        if wider > 1 {
            let people = self.classes.subjects().map_or(0, |subjects| subjects.values() as u64);
            let needed = field.judge.people_needed();
            field.judge = field.judge.needing_people((people / 8).clamp(needed, wider * needed));
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
