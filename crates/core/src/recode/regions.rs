//! From regions to a release: runs a method, makes cells of its regions, and proves the whole.
//!
//! Limits come first: points that no allowed level makes equal can never be in one region, so they are parted before the
//! method sees them, and parts that are not safe by themselves are suppressed. Then every region gets its cells, column by column in the
//! column's form: the least label of the hierarchy that is true of all its rows, the tight interval, the set of values, or a mean
//! or median. Linked labels rise together, and none stays below its least level.
//!
//! **Why the whole is safe.** Every region is safe, and all its rows get the same cells. Two regions may get the same cells and are then one
//! class, which is safe where the union of safe sets is; [`prove`] judges the release as it is, so that nothing hangs on that.
//! Costs the method, and one pass over the cells of all points.

use rustc_hash::FxHashMap;

use super::region::{Field, Judge, Method, Share, Watch, class_models};
use super::{METHODS, needs};
use crate::cell::{number, write_interval, write_set};
use crate::classes::{Classes, Flags};
use crate::error::{Error, Fault, Kind, Result, nearest};
use crate::hierarchy::{Hierarchy, TOP};
use crate::lattice::Lattice;
use crate::model::{PrivacyModel, judge};
use crate::policy::{Form, LOCAL, Missing, Policy};
use crate::recoded::{Recoded, Released, Value, Values, entropy};
use crate::space::{Axis, Measure, Space};
use crate::table::Code;

/// The table that is to be released, and what it has to keep to.
pub struct Ground<'a> {
    /// Names of the quasi-identifiers.
    pub names: &'a [String],
    /// Their hierarchies.
    pub hierarchies: &'a [Hierarchy],
    /// Distinct tuples of their leaves.
    pub classes: &'a Classes,
    /// The levels allowed.
    pub lattice: &'a Lattice,
    /// What makes a region unsafe.
    pub models: &'a [Box<dyn PrivacyModel>],
    /// How many rows may be suppressed.
    pub max_suppressed: u64,
    /// Decides what is left to chance.
    pub seed: u64,
}

/// A release by regions.
#[derive(Debug)]
pub struct Regional<'a> {
    /// Which rows of each class are in which region, by class and then region; rows that are in none are suppressed.
    pub shares: Vec<Share>,
    /// Region → column → place of its label in the column's labels.
    pub cells: Vec<Code>,
    /// How cells of each column are written.
    pub forms: Vec<Form>,
    /// What every share became.
    pub recoded: Recoded<'a>,
    /// The release, proven to be safe.
    pub released: Released,
    /// Whether rows of equal values are in several regions.
    pub parted: bool,
}

/// The method of a name.
///
/// # Errors
/// An unknown name, with the nearest and all known ones.
pub fn method(name: &str) -> Result<&'static dyn Method> {
    if let Some(found) = METHODS.iter().find(|method| method.name() == name) {
        return Ok(*found);
    }
    let near = nearest(name, LOCAL).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
    Err(Fault::input(format!("there is no algorithm \"{name}\" that forms regions"))
        .key("search.algorithm")
        .help(format!("{near}they are {}", LOCAL.join(", ")))
        .into())
}

/// Forms regions as a policy asks for it, and proves them; none when stopped.
///
/// # Errors
/// What the method is not defined for; [`Kind::Unsolvable`] where the limits leave too many rows unsafe, or a model of the whole table
/// is not met.
pub fn regions<'a>(policy: &Policy, ground: &Ground<'a>, watch: Watch<'_>) -> Result<Option<Regional<'a>>> {
    let method = method(&policy.search.algorithm)?;
    let axes = axes(policy, ground)?;
    let space = Space::new(ground.classes, axes);
    let tolerance = |name: &String| policy.columns.get(name).and_then(|c| c.tolerance).unwrap_or(1.0);
    let field = Field {
        space: &space,
        judge: Judge::new(ground.classes, least(policy), class_models(ground.models)),
        search: &policy.search,
        names: ground.names,
        tolerance: ground.names.iter().map(tolerance).collect(),
        seed: ground.seed,
        watch,
    };
    if let Some(fault) = method.refuses(&field) {
        return Err(fault.into());
    }
    let mut shares = Vec::new();
    let mut regions = 0;
    for part in parts(policy, ground, &field)? {
        let Some(formed) = method.run(&field, &part)? else { return Ok(None) };
        let end = formed.iter().map(|share| share.region + 1).max().unwrap_or(0);
        shares.extend(formed.into_iter().map(|share| Share { region: share.region + regions, ..share }));
        regions += end;
    }
    made(ground, &space, shares).map(Some)
}

/// A release of what regions rows are in; rows that are in none are suppressed.
///
/// # Errors
/// Regions that are not safe.
pub fn made<'a>(ground: &Ground<'a>, space: &Space, mut shares: Vec<Share>) -> Result<Regional<'a>> {
    shares.sort_unstable();
    let regions = shares.iter().map(|share| share.region as usize + 1).max().unwrap_or(0);
    let parted = shares.windows(2).any(|pair| pair[0].point == pair[1].point);
    let columns = Columns::new(ground, space, &shares, regions);
    let cells = columns.labels();
    let recoded = columns.recoded(ground, space, &shares, parted)?;
    let released = proven(&recoded, ground.models)?;
    let forms = space.axes().iter().map(Axis::form).collect();
    Ok(Regional { shares, cells, forms, recoded, released, parted })
}

/// The rows that a region needs: what all columns and every group of them ask for. Rows that share all cells share those of a group.
fn least(policy: &Policy) -> u64 {
    let groups = policy.privacy.quasi.values().map(|group| group.k);
    policy.privacy.k.into_iter().chain(groups).max().unwrap_or(1)
}

/// The columns in order, each in the form that the policy asks for or that its values suggest.
///
/// # Errors
/// Forms that do not fit the values or the limits.
pub fn axes(policy: &Policy, ground: &Ground<'_>) -> Result<Vec<Axis>> {
    let measure = match policy.search.loss.parameters().name.as_str() {
        "prec" => Measure::Levels,
        _ => Measure::Leaves,
    };
    let mut faults = Vec::new();
    let mut axes = Vec::new();
    for (column, (name, hierarchy)) in ground.names.iter().zip(ground.hierarchies).enumerate() {
        let asked = policy.columns.get(name);
        let form =
            asked.and_then(|c| c.form).unwrap_or_else(|| match asked.and_then(|c| c.hierarchy.as_ref()) {
                Some(_) => Form::Label,
                None if numbers(hierarchy) => Form::Interval,
                None => Form::Set,
            });
        if form != Form::Label {
            faults.extend(only_labels(policy, ground, column, form));
        }
        let weight = asked.and_then(|c| c.weight).unwrap_or(1.0);
        match Axis::new(name, hierarchy, form, measure, weight) {
            Ok(axis) => axes.push(axis),
            Err(error) => faults.extend(error.faults().iter().cloned()),
        }
    }
    Error::check(faults)?;
    Ok(axes)
}

/// Whether a column holds numbers and nothing else, and some.
fn numbers(hierarchy: &Hierarchy) -> bool {
    let leaves = || (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf));
    leaves().next().is_some() && leaves().all(|text| number(text).is_some())
}

/// What labels alone can keep to.
fn only_labels(policy: &Policy, ground: &Ground<'_>, column: usize, form: Form) -> Vec<Fault> {
    let name = &ground.names[column];
    let mut faults = Vec::new();
    let form = form.name();
    let help = "write form = \"label\", or remove it";
    if ground.lattice.range(column).0 > 0 {
        let message = format!("cells of `{name}` are written as {form}, which has no least level");
        faults.push(Fault::input(message).key(format!("columns.{name}.min_level")).help(help));
    }
    if policy.search.linked.iter().flatten().any(|linked| linked == name) {
        let message = format!("cells of `{name}` are written as {form}, which has no level to link");
        faults.push(Fault::input(message).key("search.linked").help(help));
    }
    faults
}

/// The points that may be in one region together, in order of the first of each.
fn parts(policy: &Policy, ground: &Ground<'_>, field: &Field<'_>) -> Result<Vec<Vec<u32>>> {
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
    let (mut held, mut without) = (0, 0);
    for point in 0..ground.classes.len() {
        if missing(point) {
            without += u64::from(ground.classes.counts()[point]);
            continue;
        }
        let code = |&(column, max): &(usize, usize)| {
            ground.hierarchies[column].generalize(ground.classes.code(point, column), max)
        };
        let at = *places.entry(limited.iter().map(code).collect()).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[at].push(point as u32);
    }
    parts.retain(|part| {
        let mut tally = field.judge.tally();
        part.iter().for_each(|&point| field.judge.add(&mut tally, point));
        let safe = field.judge.safe(&tally);
        held += if safe { 0 } else { tally.rows() };
        safe
    });
    if held + without > ground.max_suppressed {
        return Err(too_many(ground, held, without).into());
    }
    Ok(parts)
}

/// Too many rows would be suppressed: those that no other may be put with in sufficient number, and those with a missing cell.
fn too_many(ground: &Ground<'_>, held: u64, without: u64) -> Fault {
    let of_these = match without {
        0 => String::new(),
        n => format!(", {n} of them for a missing cell"),
    };
    let message = format!(
        "{} of {} rows would have to be suppressed{of_these}, and {} are allowed",
        held + without,
        ground.classes.rows(),
        ground.max_suppressed
    );
    let help = match held {
        0 => "raise it, or write input.missing = \"value\"",
        _ => "raise it, raise max_level or tolerance of columns, lower k, or ask less of the models",
    };
    Fault::new(Kind::Unsolvable, message).key("privacy.suppression").help(help)
}

/// What the cell of a region is made of, in one column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Made {
    /// The value at a level above a rank.
    Label { level: usize, low: Code },
    /// The ranks from one to another.
    Range(Code, Code),
    /// Some ranks.
    Set(Vec<Code>),
    /// A number that stands for the ranks from one to another.
    Number { text: String, low: Code, high: Code },
    /// The same for a row at a rank: it covers what lies between.
    Moved { text: String, rank: Code },
}

/// The cells of all regions, column by column.
struct Columns<'a> {
    lists: Vec<Listed<'a>>,
    /// Column → region → its cell, and the place of that.
    made: Vec<Vec<(Made, Code)>>,
}

impl<'s> Columns<'s> {
    fn new(ground: &'s Ground<'_>, space: &'s Space, shares: &[Share], regions: usize) -> Self {
        let members = Members::new(shares, regions);
        let mut made: Vec<Vec<Made>> = Vec::new();
        for (column, axis) in space.axes().iter().enumerate() {
            let decimals = decimals(&ground.hierarchies[column]);
            let mut ranks = Vec::new();
            let make = |region: usize| {
                ranks.clear();
                let rank = |share: &Share| (space.rank(share.point as usize, column), share.rows);
                ranks.extend(members.of(region).iter().map(rank));
                make(axis, &mut ranks, decimals)
            };
            made.push((0..regions).map(make).collect());
        }
        rise(ground, space, &mut made);
        let mut lists: Vec<Listed<'s>> =
            (0..made.len()).map(|column| Listed::new(ground, space, column)).collect();
        let placed = |(made, list): (Vec<Made>, &mut Listed<'s>)| {
            made.into_iter().map(|made| (made.clone(), list.place(&made))).collect()
        };
        let made = made.into_iter().zip(&mut lists).map(placed).collect();
        Columns { lists, made }
    }

    /// Region → column → label.
    fn labels(&self) -> Vec<Code> {
        let regions = self.made.first().map_or(0, Vec::len);
        let label = |region: usize, column: usize| {
            self.lists[column].values.values[self.made[column][region].1 as usize].label
        };
        let width = self.lists.len();
        (0..regions).flat_map(|region| (0..width).map(move |column| label(region, column))).collect()
    }

    /// The table as the regions make it. A suppressed class keeps its values: losses that do not count its rows take them for nothing lost.
    fn recoded<'a>(
        mut self,
        ground: &Ground<'a>,
        space: &Space,
        shares: &[Share],
        parted: bool,
    ) -> Result<Recoded<'a>> {
        let classes = ground.classes;
        let suppressed = unshared(classes, shares);
        let (mut cells, mut fates, mut members, mut counts) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut next = shares.iter().peekable();
        for (class, &held) in suppressed.iter().enumerate() {
            while let Some(share) = next.next_if(|share| share.point as usize == class) {
                for (column, list) in self.lists.iter_mut().enumerate() {
                    let (made, place) = &self.made[column][share.region as usize];
                    cells.push(match list.by_row {
                        true => list.place_of_row(made, space.rank(class, column)),
                        false => *place,
                    });
                }
                fates.push(false);
                members.push(class as u32);
                counts.push(share.rows);
            }
            if held {
                for (column, list) in self.lists.iter_mut().enumerate() {
                    let rank = space.rank(class, column);
                    cells.push(list.place(&Made::Range(rank, rank)));
                }
                fates.push(true);
                members.push(class as u32);
                counts.push(classes.counts()[class]);
            }
        }
        let values = self.lists.into_iter().map(|list| list.values).collect();
        match parted {
            true => Recoded::of_parts(classes.parted(&members, counts)?, values, cells, fates),
            false => Recoded::new(classes, values, cells, fates),
        }
    }
}

/// Class → whether no region has it.
fn unshared(classes: &Classes, shares: &[Share]) -> Vec<bool> {
    let mut unshared = vec![true; classes.len()];
    shares.iter().for_each(|share| unshared[share.point as usize] = false);
    unshared
}

/// Shares by region.
struct Members {
    shares: Vec<Share>,
    /// Region → where its shares begin; one more at the end.
    starts: Vec<usize>,
}

impl Members {
    fn new(shares: &[Share], regions: usize) -> Self {
        let mut shares = shares.to_vec();
        shares.sort_unstable_by_key(|share| (share.region, share.point));
        let mut starts = vec![0; regions + 1];
        shares.iter().for_each(|share| starts[share.region as usize + 1] += 1);
        for region in 0..regions {
            starts[region + 1] += starts[region];
        }
        Members { shares, starts }
    }

    fn of(&self, region: usize) -> &[Share] {
        &self.shares[self.starts[region]..self.starts[region + 1]]
    }
}

/// The cell of a region in a column, from the ranks of its rows and how many have each.
fn make(axis: &Axis, ranks: &mut [(Code, u32)], decimals: usize) -> Made {
    ranks.sort_unstable();
    let (low, high) = (ranks.first().map_or(0, |r| r.0), ranks.last().map_or(0, |r| r.0));
    if low == high {
        return Made::Range(low, high);
    }
    // A missing value beside others: nothing less than everything is true of both.
    if axis.form() != Form::Label && axis.missing() == Some(high) {
        return Made::Range(0, high);
    }
    match axis.form() {
        Form::Label => {
            let level = axis.level(low, high);
            Made::Label { level, low: axis.branch(low, level).0 }
        }
        Form::Interval => {
            let (low, high) = axis.ties(low, high);
            Made::Range(low, high)
        }
        Form::Set => {
            let mut set: Vec<Code> = ranks.iter().map(|r| r.0).collect();
            set.dedup();
            Made::Set(set)
        }
        Form::Mean => {
            let number = |rank: Code| axis.number(rank).unwrap_or_default();
            let sum: f64 = ranks.iter().map(|&(rank, rows)| number(rank) * f64::from(rows)).sum();
            let rows: f64 = ranks.iter().map(|r| f64::from(r.1)).sum();
            // Adding zero turns −0 into 0.
            Made::Number { text: format!("{:.decimals$}", sum / rows + 0.0), low, high }
        }
        Form::Median => {
            // The lower one: it is a number of the table, and sets that have it in common have it together.
            let half = ranks.iter().map(|r| u64::from(r.1)).sum::<u64>().div_ceil(2);
            let mut seen = 0;
            let median = ranks.iter().find(|r| {
                seen += u64::from(r.1);
                seen >= half
            });
            let number = median.and_then(|r| axis.number(r.0)).unwrap_or_default();
            Made::Number { text: number.to_string(), low, high }
        }
    }
}

/// Decimals of a mean: two more than the numbers have.
fn decimals(hierarchy: &Hierarchy) -> usize {
    let leaves = (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf));
    let decimals = leaves.filter_map(|text| text.trim().split_once('.')).map(|(_, after)| after.len());
    decimals.max().unwrap_or(0).min(12) + 2
}

/// Brings labels to their least level, and linked ones to the highest of theirs.
fn rise(ground: &Ground<'_>, space: &Space, made: &mut [Vec<Made>]) {
    let level = |made: &Made| match made {
        Made::Label { level, .. } => *level,
        _ => 0,
    };
    for dimension in 0..ground.lattice.dimensions() {
        let columns = ground.lattice.columns_along(dimension);
        let labels = columns.iter().all(|&column| space.axes()[column].form() == Form::Label);
        let least = columns.iter().map(|&column| ground.lattice.range(column).0).max().unwrap_or(0);
        if !labels || (least == 0 && columns.len() == 1) {
            continue;
        }
        for region in 0..made[columns[0]].len() {
            let highest =
                columns.iter().map(|&column| level(&made[column][region])).max().unwrap_or(0).max(least);
            for &column in columns {
                let low = match &made[column][region] {
                    Made::Label { low, .. } | Made::Range(low, _) | Made::Number { low, .. } => *low,
                    Made::Moved { rank, .. } => *rank,
                    Made::Set(set) => set.first().copied().unwrap_or(0),
                };
                if highest > 0 {
                    let low = space.axes()[column].branch(low, highest).0;
                    made[column][region] = Made::Label { level: highest, low };
                }
            }
        }
    }
}

/// The values of a column as they are found, each once.
struct Listed<'a> {
    hierarchy: &'a Hierarchy,
    axis: &'a Axis,
    /// Rank → rows of the table.
    rows: Vec<u64>,
    /// Whether what a cell covers depends on the row: numbers cover what lies between, and a label that stands at several levels is
    /// that of the least at which it is the row's.
    by_row: bool,
    values: Values,
    places: FxHashMap<Made, Code>,
    labels: FxHashMap<Option<String>, Code>,
}

impl<'a> Listed<'a> {
    fn new(ground: &'a Ground<'_>, space: &'a Space, column: usize) -> Self {
        let (hierarchy, axis) = (&ground.hierarchies[column], &space.axes()[column]);
        let mut rows = vec![0; axis.len()];
        for (point, &count) in space.counts().iter().enumerate() {
            rows[space.rank(point, column) as usize] += u64::from(count);
        }
        let (height, leaves) = (hierarchy.height(), hierarchy.leaf_count());
        let values = Values { values: Vec::new(), labels: Vec::new(), height, leaves };
        let by_row = match axis.form() {
            Form::Label => {
                (0..leaves as Code).any(|leaf| (1..=height).any(|l| same_label(hierarchy, leaf, l) < l))
            }
            Form::Mean | Form::Median => true,
            Form::Interval | Form::Set => false,
        };
        let (places, labels) = (FxHashMap::default(), FxHashMap::default());
        Listed { hierarchy, axis, rows, by_row, values, places, labels }
    }

    /// The place of the value that a cell is for a row at a rank.
    fn place_of_row(&mut self, made: &Made, rank: Code) -> Code {
        match made {
            Made::Label { level, .. } => {
                let level = same_label(self.hierarchy, self.axis.leaf(rank), *level);
                self.place(&Made::Label { level, low: self.axis.branch(rank, level).0 })
            }
            Made::Number { text, .. } => self.place(&Made::Moved { text: text.clone(), rank }),
            other => self.place(other),
        }
    }

    /// The place of a value.
    fn place(&mut self, made: &Made) -> Code {
        if let Some(&place) = self.places.get(made) {
            return place;
        }
        let (text, level, ranks) = self.written(made);
        let labels = &mut self.values.labels;
        let label = *self.labels.entry(text.clone()).or_insert_with(|| {
            labels.push(text);
            labels.len() as Code - 1
        });
        let rows = ranks.iter().map(|&rank| self.rows[rank as usize]);
        self.values.values.push(Value {
            level,
            leaves: ranks.len() as u32,
            rows: rows.clone().sum(),
            bits: entropy(rows),
            label,
        });
        let place = self.values.values.len() as Code - 1;
        self.places.insert(made.clone(), place);
        place
    }

    /// How a value is written, the level of the least hierarchy value above it, and the ranks that it covers.
    fn written(&self, made: &Made) -> (Option<String>, usize, Vec<Code>) {
        let text = |rank: Code| self.hierarchy.leaf_value(self.axis.leaf(rank));
        let span = |low: Code, high: Code| (low..=high).collect::<Vec<Code>>();
        match made {
            Made::Range(low, high) if low == high => (text(*low).map(String::from), 0, vec![*low]),
            Made::Label { level, low } => {
                let code = self.hierarchy.generalize(self.axis.leaf(*low), *level);
                let (first, last) = self.axis.branch(*low, *level);
                (self.hierarchy.label(*level, code).map(String::from), *level, span(first, last))
            }
            Made::Range(low, high) if self.axis.missing() == Some(*high) => {
                (Some(TOP.into()), self.hierarchy.height(), span(*low, *high))
            }
            Made::Range(low, high) => {
                let written = write_interval(text(*low).unwrap_or_default(), text(*high).unwrap_or_default());
                (Some(written), self.axis.level(*low, *high), span(*low, *high))
            }
            Made::Set(set) => {
                let (low, high) = (set.first().copied().unwrap_or(0), set.last().copied().unwrap_or(0));
                let all = set.len() + usize::from(self.axis.missing().is_some()) == self.axis.len();
                let written = write_set(set.iter().map(|&rank| text(rank).unwrap_or_default()));
                match all && set.len() > 2 {
                    true => (Some(TOP.into()), self.hierarchy.height(), span(0, self.axis.len() as Code - 1)),
                    false => (Some(written), self.axis.level(low, high), set.clone()),
                }
            }
            Made::Number { text, low, high } => {
                (Some(text.clone()), self.axis.level(*low, *high), span(*low, *high))
            }
            Made::Moved { text, rank } => {
                let shown = number(text).unwrap_or_default();
                let (low, high) = self.axis.between(*rank, shown);
                (Some(text.clone()), self.axis.level(low, high), span(low, high))
            }
        }
    }
}

/// The least level at which a leaf has the label that it has at a level.
fn same_label(hierarchy: &Hierarchy, leaf: Code, level: usize) -> usize {
    let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
    (0..level).find(|&least| label(least) == label(level)).unwrap_or(level)
}

/// Judges a release; models of the whole table may find that it is not what they ask for.
fn proven(recoded: &Recoded<'_>, models: &[Box<dyn PrivacyModel>]) -> Result<Released> {
    let released = recoded.released(&needs(models))?;
    let mut flags = Flags::default();
    judge(models, &released.view(), &mut flags);
    if flags.rows() == 0 {
        return Ok(released);
    }
    let others =
        models.iter().filter(|model| model.of_class().is_none() && !model.name().starts_with("k-anonymity"));
    let others: Vec<String> = others.map(|model| model.name()).collect();
    if others.is_empty() {
        return Err(Fault::bug(format!("{} rows of the regions are not safe", flags.rows())).into());
    }
    let message =
        format!("the regions do not meet {}: {} rows are not safe", others.join(" or "), flags.rows());
    Err(Fault::new(Kind::Unsolvable, message)
        .key("privacy.models")
        .help("it judges all classes together, and no method that forms regions aims at it: ask for a higher k, or let a search of levels find the release")
        .into())
}
