//! From regions to a release: runs a method, derives the cells of its regions, and proves the
//! whole.
//!
//! Limits come first: points that no allowed level makes equal can never share a region, so they
//! are separated before the method runs, and parts that are unsafe on their own are suppressed.
//! Then every region gets its cells, column by column in the column's form: the lowest label of the
//! hierarchy that is true of all its rows, the tight interval or range, the set of values, or a
//! mean or median. Linked labels rise together, and none stays below its minimum level.
//!
//! **Why the whole release is safe.** Every region is safe, and all its rows get the same cells.
//! Two regions with the same cells become one class, which is safe if the union of safe sets is.
//! [`prove`] judges the actual release, so correctness does not depend on this argument. Costs the
//! method, and one pass over the cells of all points.

use rustc_hash::FxHashMap;

use super::boxes::Boxes;
use super::exact::CellMinGen;
use super::lub::{Greedy, Partition};
use super::mdav::Mdav;
use super::mondrian::Mondrian;
use super::own::{OwnSets, own_regional};
use super::people::{Crowd, PeopleIndex, people_of_classes};
use super::persons::{Nested, nested, tiers};
use super::region::{Aims, ColumnWorth, Field, Judge, Method, Share, Tally, Texts, class_models};
use super::similar::Similar;
use super::trim::{Limit, trimmed};
use super::written::{Columns, Writer};
use crate::classes::Flags;
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::model::{Bound, PrivacyModel, Requirement, judge, measured_needs};
use crate::policy::{Form, Missing, Policy, StatisticSpec};
use crate::recoded::{Recoded, Released};
use crate::registry::{Algorithm, RegionMeasure, TargetInformation};
pub use crate::space::Ground;
use crate::space::{Axis, Guiding, Measure, Space, form_of};
use crate::table::Code;
use crate::watch::Watch;
use crate::worth::Worths;

/// A release by regions.
#[derive(Debug)]
pub struct Regional {
    /// Which rows of each class are in which region, by class and then region; rows that are in
    /// none are suppressed.
    pub shares: Vec<Share>,
    /// How cells of each column are written.
    pub forms: Vec<Form>,
    /// What every share became.
    pub recoded: Recoded,
    /// The release, proven to be safe.
    pub released: Released,
    /// Whether rows of equal values are in several regions.
    pub parted: bool,
    /// The sets that regions have their cells in common with, where these overlap.
    pub own: Option<OwnSets>,
}

/// The method of an algorithm.
///
/// # Errors
/// An algorithm that chooses levels.
pub fn method(algorithm: Algorithm) -> Result<&'static dyn Method> {
    match algorithm {
        Algorithm::Mondrian => Ok(&Mondrian),
        Algorithm::KSimilar => Ok(&Similar::WHOLE),
        Algorithm::Boxes => Ok(&Boxes),
        Algorithm::Mdav => Ok(&Mdav),
        Algorithm::Greedy => Ok(&Greedy),
        Algorithm::Partition => Ok(&Partition),
        Algorithm::CellMinGen => Ok(&CellMinGen),
        Algorithm::GreedyRows => Err(Fault::bug("sets that overlap are not regions").into()),
        Algorithm::Best => Err(Fault::bug("\"best\" runs other methods and forms no regions").into()),
        Algorithm::Auto
        | Algorithm::Ola
        | Algorithm::Incognito
        | Algorithm::Samarati
        | Algorithm::Datafly
        | Algorithm::MinGen => {
            let able = Algorithm::keys_with(|entry| entry.forms_regions).join(", ");
            Err(fault!(
                Input,
                "search.algorithm-chooses-levels",
                "\"{algorithm}\" chooses levels and forms no regions of rows",
                algorithm = algorithm
            )
            .key("search.algorithm")
            .help(format!("algorithms that form regions are {able}"))
            .into())
        }
    }
}

/// All methods whose regions are disjoint, in the order of the registry.
pub fn methods() -> Vec<&'static dyn Method> {
    Algorithm::ALL.iter().filter_map(|&algorithm| method(algorithm).ok()).collect()
}

/// Forms regions as specified by a policy, and proves them; none when stopped.
///
/// # Errors
/// What the method is not defined for; [`Kind::Unsolvable`](crate::error::Kind::Unsolvable) where
/// the limits leave too many rows unsafe, or a model of the whole table is not met.
pub fn regions(policy: &Policy, ground: &Ground<'_>, watch: &Watch) -> Result<Option<Regional>> {
    if policy.search.algorithm == Algorithm::GreedyRows {
        return own_regional(policy, ground, watch);
    }
    regions_by(policy, ground, method(policy.search.algorithm)?, watch)
}

/// The same by a method, whatever the policy's algorithm is.
///
/// # Errors
/// As [`regions`].
pub fn regions_by(
    policy: &Policy,
    ground: &Ground<'_>,
    method: &dyn Method,
    watch: &Watch,
) -> Result<Option<Regional>> {
    formed(policy, ground, (method, None), watch)
}

/// The same, guided by a model that is to predict well from released rows.
///
/// # Errors
/// As [`regions`], and what the model fails with.
pub fn guided_regions<'a>(
    policy: &Policy,
    ground: &Ground<'a>,
    guiding: Guiding<'_>,
    watch: &Watch,
) -> Result<Option<Regional>> {
    formed(policy, ground, (method(policy.search.algorithm)?, Some(guiding)), watch)
}

/// A method, and the model that guides it where one does.
type Guided<'m> = (&'m dyn Method, Option<Guiding<'m>>);

fn formed<'a>(
    policy: &Policy,
    ground: &Ground<'a>,
    guided: Guided<'_>,
    watch: &Watch,
) -> Result<Option<Regional>> {
    // What suffices for a model of all regions together may be more than the table has.
    let unsolvable = |error: &Error| error.faults().iter().all(|fault| fault.kind == Kind::Unsolvable);
    match attempt(policy, ground, (guided, true), watch) {
        Err(error) if ground.models.iter().any(|model| model.aim().is_some()) && unsolvable(&error) => {
            attempt(policy, ground, (guided, false), watch)
        }
        formed => formed,
    }
}

/// Forms regions that aim at what suffices for models of all regions together, or do not.
fn attempt<'a>(
    policy: &Policy,
    ground: &Ground<'a>,
    ((method, guiding), aim): (Guided<'_>, bool),
    watch: &Watch,
) -> Result<Option<Regional>> {
    if ground.models.iter().any(|model| model.facts().judges_labels) {
        return Err(Fault::bug("a model of labels of one level, and regions have none").into());
    }
    let axes = axes(policy, ground)?;
    let space = Space::new(ground.classes, axes);
    let writer = guiding.map(|_| Writer::new(ground, &space));
    let texts = writer.as_ref().map(|writer| writer as &dyn Texts);
    let population = population(ground, &space);
    let mut field = field(policy, (ground, &space), aim, watch);
    field.judge = field.judge.among(crowd(ground, &space, population.as_ref()));
    (field.aims.guiding, field.aims.texts) = (guiding, texts);
    if let Some(fault) = method.refuses(&field) {
        return Err(fault.into());
    }
    if let Some(tiers) = tiers(ground) {
        if guiding.is_some() {
            return Err(Fault::bug("a model guides, and values of a person could differ").into());
        }
        let Some(nested) = nested(policy, ground, (method, aim), tiers, watch)? else { return Ok(None) };
        return made_nested(ground, &space, nested).map(Some);
    }
    let mut shares = Vec::new();
    let mut regions = 0;
    let parts = parts(policy, ground, &field, None)?;
    let limit = Limit::of(policy, ground, &parts);
    for part in parts {
        let Some(formed) = method.run(&field, &part)? else { return Ok(None) };
        let end = formed.iter().map(|share| share.region + 1).max().unwrap_or(0);
        shares.extend(formed.into_iter().map(|share| Share { region: share.region + regions, ..share }));
        regions += end;
    }
    if method.algorithm() == Algorithm::Boxes && limit.pays(policy, &space) {
        let Some(trimmed) = trimmed(&field, shares, limit) else { return Ok(None) };
        shares = trimmed;
    }
    made_beside(ground, &space, shares, population.as_ref()).map(Some)
}

/// The population, where a model counts the people who match a region.
fn population(ground: &Ground<'_>, space: &Space) -> Option<PeopleIndex> {
    let asked = ground.models.iter().any(|model| model.scope().people().is_some());
    asked.then(|| PeopleIndex::new(ground.classes, space))
}

/// What that model asks of a region; of several the most.
fn crowd<'a>(
    ground: &'a Ground<'_>,
    space: &'a Space,
    population: Option<&'a PeopleIndex>,
) -> Option<Crowd<'a>> {
    let asked = ground.models.iter().filter_map(|m| Some((m.scope().people()?, m.facts().claim.as_str())));
    let ((k, claim), index) = asked.max_by_key(|asked| asked.0).zip(population)?;
    Some(Crowd { index, space, lattice: ground.lattice, k, claim })
}

/// A release of what regions rows are in; rows that are in none are suppressed.
///
/// # Errors
/// Regions that are not safe.
pub fn made(ground: &Ground<'_>, space: &Space, shares: Vec<Share>) -> Result<Regional> {
    made_beside(ground, space, shares, population(ground, space).as_ref())
}

/// The same beside the population, where people are counted.
fn made_beside(
    ground: &Ground<'_>,
    space: &Space,
    mut shares: Vec<Share>,
    population: Option<&PeopleIndex>,
) -> Result<Regional> {
    shares.sort_unstable();
    let regions = shares.iter().map(|share| share.region as usize + 1).max().unwrap_or(0);
    let parted = shares.windows(2).any(|pair| pair[0].point == pair[1].point);
    let columns = Columns::new(ground, space, &shares, (regions, None));
    let recoded = columns.recoded(ground, space, &shares, parted)?;
    let people = population.map(|index| people_of_classes(index, ground, space, &recoded));
    let released = proven(&recoded, ground.models, people)?;
    let forms = space.axes().iter().map(Axis::form).collect();
    Ok(Regional { shares, forms, recoded, released, parted, own: None })
}

/// A release of regions of rows within regions of people.
fn made_nested(ground: &Ground<'_>, space: &Space, nested: Nested) -> Result<Regional> {
    let Nested { mut shares, regions, within, tiers } = nested;
    shares.sort_unstable();
    let columns = Columns::new(ground, space, &shares, (regions, Some((&within, &tiers))));
    let recoded = columns.recoded(ground, space, &shares, false)?;
    let released = proven(&recoded, ground.models, None)?;
    let forms = space.axes().iter().map(Axis::form).collect();
    Ok(Regional { shares, forms, recoded, released, parted: false, own: None })
}

/// What methods are given.
pub(super) fn field<'f>(
    policy: &'f Policy,
    (ground, space): (&'f Ground<'_>, &'f Space),
    aim: bool,
    watch: &Watch,
) -> Field<'f> {
    let tolerance = |name: &String| policy.columns.get(name).and_then(|c| c.tolerance).unwrap_or(1.0);
    let worths = match policy.search.loss.parameters().kind.entry().information {
        Some(TargetInformation::Values) => Worths::of(ground.classes, ground.hierarchies),
        Some(TargetInformation::Columns) | None => Vec::new(),
    };
    let worth = |(at, worths): (usize, Worths)| {
        ColumnWorth::new(worths, &ground.hierarchies[at], &space.axes()[at], policy.weight(&ground.names[at]))
    };
    let worths = worths.into_iter().enumerate().map(worth).collect();
    Field {
        space,
        judge: Judge::new(ground.classes, least(policy), class_models(ground.models, aim))
            .counting_people(ground.models),
        search: &policy.search,
        names: ground.names,
        all_names: ground.names,
        tolerance: ground.names.iter().map(tolerance).collect(),
        seed: ground.seed,
        aims: Aims { worths, guiding: None, texts: None, statistics: statistics(policy) },
        watch: watch.clone(),
    }
}

/// The statistics that a recipient is to bound narrowly: those with limits, and those of the loss.
fn statistics(policy: &Policy) -> Vec<&StatisticSpec> {
    let of_loss = policy.width_loss().and(policy.search.loss.statistics()).unwrap_or_default();
    policy.privacy.utility.iter().chain(of_loss).collect()
}

/// The rows that a region needs: what all columns and every group of them ask for. Rows that share
/// all cells share those of a group.
fn least(policy: &Policy) -> u64 {
    let groups = policy.privacy.quasi.values().map(|group| group.k);
    policy.privacy.k().into_iter().chain(policy.k_one()).chain(groups).max().unwrap_or(1)
}

/// The columns in order, each in the form of the policy or that its values suggest.
///
/// # Errors
/// Forms that do not fit the values or the limits.
pub fn axes(policy: &Policy, ground: &Ground<'_>) -> Result<Vec<Axis>> {
    let measure = match policy.search.loss.parameters().kind.entry().region_measure {
        RegionMeasure::Levels => Measure::Levels,
        RegionMeasure::Leaves => Measure::Leaves,
    };
    let information = information_weights(policy, ground);
    let mut faults = Vec::new();
    let mut axes = Vec::new();
    for (column, (name, hierarchy)) in ground.names.iter().zip(ground.hierarchies).enumerate() {
        if !hierarchy.nested() {
            faults.push(policy.search.algorithm.not_nested(name));
        }
        let form = form_of(policy, name, hierarchy);
        if form != Form::Label {
            faults.extend(only_labels(policy, ground, column, form));
        }
        let weight = policy.weight(name) * information.get(column).copied().unwrap_or(1.0);
        match Axis::new(name, hierarchy, form, measure, weight) {
            Ok(axis) => axes.push(axis.listing(policy.output.longest_set())),
            Err(error) => faults.extend(error.faults().iter().cloned()),
        }
    }
    Error::check(faults)?;
    Ok(axes)
}

/// What the loss multiplies the weights of columns by: their mutual information with the targets,
/// or what their values are worth in the mean; nothing for other losses.
fn information_weights(policy: &Policy, ground: &Ground<'_>) -> Vec<f64> {
    let Some(information) = policy.search.loss.parameters().kind.entry().information else {
        return Vec::new();
    };
    let worths = Worths::of(ground.classes, ground.hierarchies);
    if information == TargetInformation::Columns {
        return worths.iter().map(Worths::mutual).collect();
    }
    let classes = || ground.classes.counts().iter().enumerate();
    let row = |column: usize, class: usize| worths[column].at(0, ground.classes.code(class, column));
    let sum = |column: usize| classes().map(|(class, &n)| f64::from(n) * row(column, class)).sum::<f64>();
    (0..worths.len()).map(|column| sum(column) / (ground.classes.rows() as f64).max(1.0)).collect()
}
/// What labels alone can keep to.
fn only_labels(policy: &Policy, ground: &Ground<'_>, column: usize, form: Form) -> Vec<Fault> {
    let name = &ground.names[column];
    let mut faults = Vec::new();
    let form = form.name();
    let help = "write form = \"label\", or remove it";
    if ground.lattice.range(column).0 > 0 {
        let fault = fault!(
            Input,
            "search.form-without-min-level",
            "cells of `{column}` are written as {form}, which has no least level",
            column = name,
            form = form
        );
        faults.push(fault.key(format!("columns.{name}.min_level")).help(help));
    }
    if policy.search.linked.iter().flatten().any(|linked| linked == name) {
        let fault = fault!(
            Input,
            "search.form-without-links",
            "cells of `{column}` are written as {form}, which has no level to link",
            column = name,
            form = form
        );
        faults.push(fault.key("search.linked").help(help));
    }
    faults
}

/// The points that may be in one region together, in order of the first of each; those of different
/// groups of `apart` may not.
pub(super) fn parts(
    policy: &Policy,
    ground: &Ground<'_>,
    field: &Field<'_>,
    apart: Option<&[u32]>,
) -> Result<Vec<Vec<u32>>> {
    let limited: Vec<(usize, usize)> = (0..ground.names.len())
        .map(|column| (column, ground.lattice.range(column)))
        .filter(|(_, (_, max, height))| max < height)
        .map(|(column, (_, max, _))| (column, max))
        .collect();
    let suppress = policy.input.missing == Missing::Suppress;
    let missing = |point: usize| {
        suppress
            && field
                .space
                .axes()
                .iter()
                .enumerate()
                .any(|(c, a)| a.missing() == Some(field.space.rank(point, c)))
    };
    let mut places: FxHashMap<Vec<Code>, usize> = FxHashMap::default();
    let mut parts: Vec<Vec<u32>> = Vec::new();
    // The key of the last point with the place of its part: neighbours mostly share them. Keys that
    // are empty are not compared: processors are slow at that where nothing is behind an address.
    let (mut key, mut last) = (Vec::new(), None);
    let whole = limited.is_empty() && apart.is_none();
    let (mut held, mut without) = (Held::default(), 0);
    for point in 0..ground.classes.len() {
        if missing(point) {
            without += u64::from(ground.classes.counts()[point]);
            continue;
        }
        let code = |&(column, max): &(usize, usize)| {
            ground.hierarchies[column].generalize(ground.classes.code(point, column), max)
        };
        let group = apart.map(|apart| apart[point]);
        key.clear();
        key.extend(group.into_iter().chain(limited.iter().map(code)));
        let at = match &last {
            Some((same, at)) if whole || *same == key => *at,
            _ => {
                let at = *places.entry(key.clone()).or_insert_with(|| {
                    parts.push(Vec::new());
                    parts.len() - 1
                });
                last = Some((key.clone(), at));
                at
            }
        };
        parts[at].push(point as u32);
    }
    parts.retain(|part| {
        let mut tally = field.judge.tally();
        part.iter().for_each(|&point| field.judge.add(&mut tally, point));
        let safe = field.judge.safe(&tally);
        if !safe {
            held.add(&field.judge, &tally);
        }
        safe
    });
    if held.rows + without > ground.max_suppressed {
        return Err(too_many(policy, ground, &held, without).into());
    }
    Ok(parts)
}

/// Parts that are not safe by themselves.
#[derive(Default)]
struct Held<'a> {
    parts: usize,
    rows: u64,
    /// The rows, or people where these are counted, of the smallest part.
    smallest: Option<u64>,
    /// The models that they do not satisfy, each with the bound and the figure farthest from it.
    missed: Vec<(&'a str, Bound, f64)>,
}

impl<'a> Held<'a> {
    fn add(&mut self, judge: &Judge<'a>, tally: &Tally) {
        self.parts += 1;
        self.rows += tally.rows();
        let size = judge.size(tally);
        self.smallest = Some(self.smallest.map_or(size, |smallest| smallest.min(size)));
        for (claim, bound, figure) in judge.missed(tally) {
            match self.missed.iter_mut().find(|missed| missed.0 == claim) {
                Some(missed) => missed.2 = bound.worse(missed.2, figure),
                None => self.missed.push((claim, bound, figure)),
            }
        }
    }

    /// What would make all of them safe, in words: the k, and the parameter of every model; empty
    /// where nothing would.
    fn relaxed(&self, k: Option<u64>) -> Vec<String> {
        let fewer = self.smallest.filter(|&rows| k.is_some_and(|k| k > rows));
        let k = fewer.map(|rows| format!("lower k to {rows}"));
        let parameter = |&(claim, bound, figure): &(&str, Bound, f64)| {
            let figure = bound.relaxed_to(figure)?;
            Some(match bound {
                Bound::AtLeast(_) => format!("ask for at most {figure} of {claim}"),
                _ => format!("allow {figure} of {claim}"),
            })
        };
        let parameters: Option<Vec<String>> = self.missed.iter().map(parameter).collect();
        parameters.map_or(Vec::new(), |parameters| k.into_iter().chain(parameters).collect())
    }
}

/// Too many rows would be suppressed: those that no other may be put with in sufficient number, and
/// those with a missing cell.
fn too_many(policy: &Policy, ground: &Ground<'_>, held: &Held<'_>, without: u64) -> Fault {
    let (rows, suppressed) = (ground.classes.rows(), held.rows + without);
    let apart = held.parts > 1 || held.rows < rows;
    let whole = !apart && !held.missed.is_empty();
    let fault = if whole {
        let missed: Vec<&str> = held.missed.iter().map(|missed| missed.0).collect();
        fault!(
            Unsolvable,
            "search.models-out-of-reach",
            "not even all {rows} rows together satisfy {models}",
            rows = rows,
            models = missed.join(" and ")
        )
    } else {
        let of_these = match without {
            0 => String::new(),
            n => format!(", {n} of them for a missing cell"),
        };
        fault!(
            Unsolvable,
            "search.too-many-suppressed",
            "{suppressed} of {rows} rows would have to be suppressed{of_these}, and {allowed} are allowed",
            suppressed = suppressed,
            rows = rows,
            of_these = of_these,
            allowed = ground.max_suppressed
        )
        .argument("missing", without)
    };
    let mut remedies = Vec::new();
    if suppressed < rows {
        remedies.push(format!("raise it to {}", share_of(suppressed, rows)));
    }
    if held.rows == 0 {
        remedies.push("write input.missing = \"value\"".into());
    }
    if held.rows > 0 {
        let relaxed = held.relaxed(policy.privacy.k().or(policy.k_one()));
        if !relaxed.is_empty() {
            remedies.push(relaxed.join(" and "));
        }
        if apart {
            remedies.push("raise max_level of columns".into());
        }
    }
    if remedies.is_empty() {
        remedies.push("ask less of the models, or lower k".into());
    }
    let key = if whole { "privacy.models" } else { "privacy.suppression" };
    fault.key(key).help(remedies.join(", or "))
}

/// The least share, to four digits, that allows a number of rows.
fn share_of(part: u64, rows: u64) -> f64 {
    let share = (part as f64 / rows as f64 * 1e4).ceil() / 1e4;
    share.min(1.0)
}

/// Judges a release; models of the whole table may find that it is not what they ask for.
pub(super) fn proven(
    recoded: &Recoded,
    models: &[Box<dyn PrivacyModel>],
    people: Option<Vec<u32>>,
) -> Result<Released> {
    let mut released = recoded.released(&measured_needs(models))?;
    if let Some(people) = people {
        released = released.beside(people);
    }
    let mut flags = Flags::default();
    judge(models, &released.view(), &mut flags)?;
    if flags.rows() == 0 {
        return Ok(released);
    }
    let others = models.iter().filter(|model| {
        model.scope().class_model().is_none() && model.facts().requirement != Requirement::KAnonymity
    });
    let others: Vec<&str> = others.map(|model| model.facts().claim.as_str()).collect();
    if others.is_empty() {
        return Err(Fault::bug(format!("{} rows of the regions are not safe", flags.rows())).into());
    }
    Err(fault!(
        Unsolvable,
        "search.regions-not-safe",
        "the regions do not meet {models}: {rows} rows are not safe",
        models = others.join(" or "),
        rows = flags.rows()
    )
        .key("privacy.models")
        .help("it judges all classes together, and regions are formed one by one: ask for a higher k, or let a search of levels find the release")
        .into())
}
