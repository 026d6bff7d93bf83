//! Verifies a release by regions against the original. The assignment of rows to regions is an
//! untrusted *hint*; everything that follows from it is checked.
//!
//! Levels can be applied again to the original; regions cannot, because two regions may both be
//! true of a row. So the caller first provides, tuple by tuple, the released cells of its rows
//! ([`Deal`]). The hint need not be trusted. The original's rows are assigned by it as they stream;
//! rows of a tuple that is in several regions wait, and are assigned in the order of their content.
//! Then every tuple must be used up, every released class must have exactly the rows assigned to
//! it, by number and by the sum of their hashes, and every cell must be true of every value behind
//! it, by the hierarchy or by its own meaning. A wrong hint therefore fails, and a release for
//! which some hint passes is true.
//!
//! Columns are judged on all cores. Costs one look-up per distinct tuple of the original, 32 bytes
//! per row of a tuple in several regions, and per column a counting sort of the tuples and one test
//! per distinct pair of value and cell.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::claims::Judged;
use super::classes::{Interner, MISSING, Tally, UNKNOWN};
use super::deal::{Deal, Dealt, HELD};
use super::identifiers::Identifiers;
use super::leveled::{self, Labels, Leveled};
use super::levels::Chain;
use super::pace::Pace;
use super::pairs::{Paired, Pairs, means, paired};
use super::sensitive::Values;
use super::shapes::{Shape, Shapes, Shown, is_stretch};
use super::side::Side;
use super::target_information::{TargetInformation, target_information};
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::cell::Cell;
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::{Form, Missing, Policy};
use throng_terms::release::Certificate;

/// One column of a release by regions.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) pairs: Pairs,
    /// Label → its first pair; one more than labels.
    starts: Vec<u32>,
    shapes: Shapes,
    /// Text → suppressed rows.
    pub(super) hidden: Vec<u64>,
    pub(super) height: f64,
    pub(super) all: f64,
    /// The information of the column and its texts about the targets, if needed and known.
    pub(super) mutual: Option<f64>,
    pub(super) worths: Option<Vec<f64>>,
}

impl Column {
    /// Checks every pair of value and cell of a column.
    fn new(
        at: usize,
        (hierarchy, order, form, of_people): (&Hierarchy, Option<&[String]>, Form, bool),
        (deal, interner): (&Deal, &Interner),
        released: &Side,
        information: Option<&TargetInformation>,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let Paired { pairs, starts, hidden } = paired(deal, at, interner, released, pace)?;
        let texts = (interner, &released.interners[at]);
        let shown = Shown::new(form, (hierarchy, order), texts, information, pace)?;
        let means = means((form, of_people), at, (deal, interner), released, pace)?;
        let shapes = shown.shapes(&pairs, means.as_deref(), pace)?;
        Ok(Column {
            pairs,
            starts,
            shapes,
            hidden,
            height: hierarchy.height() as f64,
            all: hierarchy.leaf_count() as f64,
            mutual: information.map(|information| information.mutual),
            worths: information.map(|information| worths(information, hierarchy, interner)),
        })
    }

    /// Every pair with its rows and what the cell covers; none where it is not true of the text.
    pub(super) fn shaped(&self) -> impl Iterator<Item = ((u32, u32), u64, Option<Shape>)> + '_ {
        self.pairs.iter().enumerate().map(|(at, &(pair, rows))| (pair, rows, self.shapes.get(at)))
    }

    /// What the released cells cover, with their rows; none where some cell is not true of its
    /// text.
    pub(super) fn covered(&self) -> Option<&[(Shape, u64)]> {
        self.shapes.all()
    }

    /// What a label covers that stands for a text; none where it is not true of it.
    fn shape(&self, text: u32, label: u32) -> Option<Shape> {
        let (start, end) = (self.starts[label as usize] as usize, self.starts[label as usize + 1] as usize);
        if let Some(shape) = self.shapes.common(start..end) {
            return Some(shape);
        }
        let of_label = &self.pairs[start..end];
        let at = of_label.binary_search_by_key(&text, |((text, _), _)| *text).ok()?;
        self.shapes.get(start + at)
    }
}

/// The original, dealt.
#[derive(Debug)]
pub(super) struct Regions {
    pub(super) deal: Deal,
    pub(super) interners: Vec<Interner>,
    pub(super) rows: u64,
    /// Rows that were deleted before.
    pub(super) deleted: u64,
    /// Rows that are suppressed.
    pub(super) suppressed: u64,
    pub(super) columns: Vec<Column>,
    pub(super) identifiers: Vec<Identifiers>,
    /// Class of the original → the released class of its rows.
    pub(super) places: Vec<u32>,
    /// The people whom the rows of every class of the original belong to, where it names them.
    pub(super) subjects: Option<Values>,
    /// The values of the sensitive columns that models judge, where people are counted.
    pub(super) values: Vec<Values>,
}

impl Regions {
    /// Checks every pair of value and cell; none if there is no assignment, or if a hierarchy is
    /// unknown.
    pub(super) fn new(
        (mut original, few): (Side, f64),
        certificate: &Certificate,
        chains: &[Chain<'_>],
        released: &Side,
        pace: &Pace<'_>,
    ) -> Result<Option<Self>> {
        let subjects = original.subjects();
        let values = if subjects.is_some() { original.take_values() } else { Vec::new() };
        let Side { interners, classes, rows, deleted, identifiers, deal, labels, .. } = original;
        let (Some(mut deal), Some(facts)) = (deal, &certificate.release.regions) else { return Ok(None) };
        let known = |chain: &Chain<'_>| chain.hierarchy.is_some() && facts.forms.contains_key(chain.name);
        if !chains.iter().all(known) {
            return Ok(None);
        }
        pace.look()?;
        let places = (0..classes.len()).map(|class| deal.place(class)).collect();
        deal.tuples = classes.tuples;
        let held = deal.shares.iter().filter(|share| share.class == HELD);
        let suppressed = held.map(|share| share.rows).sum();
        let information = target_information(&labels, &interners, chains, few, pace)?;
        drop(labels);
        let shared = pace.shared();
        let column = |(at, chain): (usize, &Chain<'_>)| {
            let Some((form, hierarchy)) = facts.forms.get(chain.name).zip(chain.hierarchy.as_ref()) else {
                return Ok(None);
            };
            let information = information.as_ref().map(|information| &information[at]);
            let column = (hierarchy, chain.order, *form, subjects.is_some());
            let of = (&deal, &interners[at]);
            Column::new(at, column, of, released, information, &shared.of_thread(at)).map(Some)
        };
        let columns: Vec<Option<Column>> =
            chains.par_iter().enumerate().map(column).collect::<Result<_>>()?;
        let Some(columns) = columns.into_iter().collect() else { return Ok(None) };
        Ok(Some(Regions {
            deal,
            interners,
            rows,
            deleted,
            suppressed,
            columns,
            identifiers,
            places,
            subjects,
            values,
        }))
    }

    /// Whether rows of one tuple are in several classes, so that `places` is not known of them.
    pub(super) fn divides(&self) -> bool {
        self.deal.divides()
    }

    /// The texts and rows of every distinct original of released rows.
    pub(super) fn released_originals(&self) -> impl Iterator<Item = (Vec<u32>, u64)> + '_ {
        let mut rows = vec![0; self.deal.tuples.len()];
        for share in self.deal.shares.iter().filter(|share| share.class < HELD) {
            rows[share.tuple as usize] += share.tally.rows;
        }
        let found = rows.into_iter().enumerate().filter(|(_, rows)| *rows > 0);
        found.map(|(tuple, rows)| (self.deal.tuples.tuple(tuple).to_vec(), rows))
    }

    /// The released rows of every share with the shapes of its cells.
    pub(super) fn released<'a>(
        &'a self,
        released: &'a Side,
    ) -> impl Iterator<Item = (u64, impl Iterator<Item = Option<Shape>> + 'a)> + 'a {
        let shares = self.deal.shares.iter().filter(|share| share.class < HELD);
        shares.map(move |share| {
            let texts = self.deal.tuples.tuple(share.tuple as usize);
            let labels = released.classes.tuples.tuple(share.class as usize);
            let shape = move |column: usize| self.columns[column].shape(texts[column], labels[column]);
            (share.rows, (0..self.columns.len()).map(shape))
        })
    }

    /// Rows per class of the release, suppressed rows with the class that they look like as they
    /// are, if there is one; then those that look like none.
    pub(super) fn looks(&self, released: &Side, counts: &[u64]) -> Vec<u64> {
        let mut looks = counts.to_vec();
        let held = || self.deal.shares.iter().filter(|share| share.class == HELD);
        if held().next().is_none() {
            return looks;
        }
        // Column → text of the original → its number in the release.
        let number = |(from, to): (&Interner, &Interner)| -> Vec<u32> {
            let number = |text: u32| to.get(from.value(text)).unwrap_or(UNKNOWN);
            (0..from.len() as u32).map(number).collect()
        };
        let numbers: Vec<Vec<u32>> = self.interners.iter().zip(&released.interners).map(number).collect();
        let mut tuple = Vec::with_capacity(numbers.len());
        for share in held() {
            let texts = self.deal.tuples.tuple(share.tuple as usize).iter();
            tuple.clear();
            tuple.extend(texts.zip(&numbers).map(|(&text, numbers)| numbers[text as usize]));
            match released.classes.tuples.get(&tuple) {
                Some(class) if counts[class] > 0 => looks[class] += share.rows,
                _ => looks.push(share.rows),
            }
        }
        looks
    }
}

/// Text → what it is worth.
fn worths(information: &TargetInformation, hierarchy: &Hierarchy, interner: &Interner) -> Vec<f64> {
    let worth =
        |text: u32| hierarchy.leaf(interner.value(text)).map_or(0.0, |leaf| information.value(0, leaf));
    (0..interner.len() as u32).map(worth).collect()
}

/// The claim that every released cell is true of the values behind it and within the limits of the
/// policy; without the original, that it is one of the hierarchy's labels as far as that is known.
pub(super) fn cells(
    policy: &Policy,
    certificate: &Certificate,
    (chains, released): (&[Chain<'_>], &Side),
    judged: &Judged,
    regions: Option<&Regions>,
    pace: &Pace<'_>,
) -> Result<Finding> {
    let Some(facts) = &certificate.release.regions else {
        return Ok(Finding::missing("no regions are claimed"));
    };
    let mut wrong = Wrong::default();
    for chain in chains.iter().filter(|chain| !facts.forms.contains_key(chain.name)) {
        wrong.push(format!("it is not said how cells of `{}` are written", chain.name));
    }
    let Some(regions) = regions else {
        let mut finding = Finding::of(&wrong, || WITHOUT_ORIGINAL.into());
        let strange = strangers(certificate, chains, released, judged, pace)?;
        if finding.holds && !strange.is_empty() {
            finding = Finding::missing(strange.join("; "));
        }
        finding.unchecked = true;
        return Ok(finding);
    };
    for (chain, column) in chains.iter().zip(&regions.columns) {
        let (mut untrue, mut outside) = (0, 0);
        for (_, rows, shape) in column.shaped() {
            pace.step()?;
            match shape {
                None => untrue += rows,
                Some(shape) if !allowed(policy, chain, shape) => outside += rows,
                Some(_) => {}
            }
        }
        if untrue > 0 {
            wrong.push(format!("{} of `{}` are not true of their rows", several(untrue, "cell"), chain.name));
        }
        if outside > 0 {
            wrong.push(format!(
                "{} of `{}` are outside the levels allowed",
                several(outside, "cell"),
                chain.name
            ));
        }
    }
    wrong.extend(unlinked(policy, chains, regions, released, pace)?);
    // Rows that look alike are true of each other's originals, so that the weaker notions follow
    // from the least class.
    let least = judged.counts.iter().copied().filter(|&count| count > 0).min().unwrap_or(0);
    Ok(Finding::of(&wrong, || {
        let columns = several(chains.len() as u64, "column");
        if policy.k_one().is_some() {
            return format!("the cells of {columns} are true of every row");
        }
        format!(
            "the cells of {columns} are true of every row; with classes of {} or more that is (1,k)-, (k,1)- and (k,k)-anonymity, too",
            several(least, "row")
        )
    }))
}

/// Whether a cell keeps to the least and the highest level of its column.
fn allowed(policy: &Policy, chain: &Chain<'_>, shape: Shape) -> bool {
    let Some(hierarchy) = &chain.hierarchy else { return false };
    let column = &policy.columns[chain.name];
    let height = hierarchy.height();
    let max = column.max_level.unwrap_or(height).min(height);
    let min = column.min_level.unwrap_or(0);
    match shape.levels == u128::MAX {
        true => shape.level as usize <= max && min == 0,
        false => (min..=max).any(|level| shape.levels >> level.min(127) & 1 == 1),
    }
}

/// Linked columns that are at no common level in some row.
fn unlinked(
    policy: &Policy,
    chains: &[Chain<'_>],
    regions: &Regions,
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for linked in &policy.search.linked {
        let columns: Vec<usize> =
            (0..chains.len()).filter(|&c| linked.iter().any(|name| name == chains[c].name)).collect();
        let mut apart = 0;
        for (rows, shapes) in regions.released(released) {
            pace.steps(8)?;
            let of_linked = shapes.enumerate().filter(|(column, _)| columns.contains(column));
            let levels = of_linked.filter_map(|(_, shape)| shape).fold(u128::MAX, |l, s| l & s.levels);
            apart += if levels == 0 { rows } else { 0 };
        }
        if apart > 0 {
            wrong.push(format!(
                "linked columns are at different levels in {}: {}",
                several(apart, "row"),
                linked.join(", ")
            ));
        }
    }
    Ok(wrong)
}

/// Released labels that no level of a known hierarchy has, and ranges that are not in a stated
/// order.
fn strangers(
    certificate: &Certificate,
    chains: &[Chain<'_>],
    released: &Side,
    judged: &Judged,
    pace: &Pace<'_>,
) -> Result<Vec<String>> {
    let forms = certificate.release.regions.as_ref().map(|facts| &facts.forms);
    let mut wrong = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let form = forms.and_then(|forms| forms.get(chain.name)).copied();
        let hierarchy = chain.hierarchy.as_ref().filter(|_| form == Some(Form::Label));
        let order = chain.order.filter(|_| form == Some(Form::Range));
        let dated = form == Some(Form::Range) && order.is_none();
        let dates = chain.hierarchy.as_ref().filter(|_| dated);
        let labels: FxHashSet<Option<&str>> = hierarchy.into_iter().flat_map(labels).collect();
        let places = order.map(places);
        let known = |text: Option<&str>| match (hierarchy, &places, dates) {
            (Some(_), ..) => labels.contains(&text),
            (None, Some(places), _) => text.is_none_or(|text| text == TOP || is_stretch(places, text)),
            (None, None, Some(dates)) => text.is_none_or(|text| text == TOP || is_dated(dates, text)),
            (None, None, None) => true,
        };
        let mut used = vec![false; released.interners[at].len()];
        for class in (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0) {
            pace.step()?;
            used[released.classes.tuples.tuple(class)[at] as usize] = true;
        }
        pace.look()?;
        let strange = (0..used.len()).filter(|&n| used[n] && !known(released.interners[at].value(n as u32)));
        let count = strange.count() as u64;
        if count > 0 {
            wrong.push(format!(
                "{} of `{}` are no {}",
                several(count, "value"),
                chain.name,
                match form {
                    Some(Form::Range) => "values or ranges of its order",
                    _ => "labels of its hierarchy",
                }
            ));
        }
    }
    Ok(wrong)
}

/// The labels of all levels.
fn labels(hierarchy: &Hierarchy) -> impl Iterator<Item = Option<&str>> {
    let of_level = |level: usize| (0..hierarchy.size(level)).map(move |code| (level, code as u32));
    let all = (0..=hierarchy.height()).flat_map(of_level);
    all.map(|(level, code)| hierarchy.label(level, code))
}

/// Value of a stated order → its place.
fn places(order: &[String]) -> FxHashMap<&str, usize> {
    let mut places = FxHashMap::default();
    for (at, value) in order.iter().enumerate() {
        places.entry(value.as_str()).or_insert(at);
    }
    places
}

/// Whether a text is a date of a column, or a range of its dates.
fn is_dated(hierarchy: &Hierarchy, text: &str) -> bool {
    let ends = match Cell::parse(text) {
        Cell::Range(first, last) => hierarchy.between(&first, &last).is_some(),
        _ => false,
    };
    ends || hierarchy.leaf(Some(text)).is_some()
}

/// The claim that the release is the original with its rows dealt to regions, and nothing else
/// changed.
pub(super) fn truth(
    policy: &Policy,
    certificate: &Certificate,
    regions: &Regions,
    values: Option<&(Leveled, Labels)>,
    released: &Side,
    pace: &Pace<'_>,
) -> Result<Finding> {
    let mut wrong = Wrong::default();
    let deal = &regions.deal;
    if deal.beyond > 0 {
        wrong.push(format!("{} of the original are in no region", several(deal.beyond, "row")));
    }
    let short = deal.shares.iter().map(|share| share.rows - share.tally.rows).sum::<u64>() + deal.stray;
    if short > 0 {
        wrong.push(format!(
            "the assignment lists {} that the original does not contain",
            several(short, "row")
        ));
    }
    let lost: u64 = deal.shares.iter().filter(|s| s.class == UNKNOWN).map(|s| s.rows).sum();
    if lost > 0 {
        wrong.push(format!("the regions of {} are not in the release", several(lost, "row")));
    }
    let (mut expected, mut held) = (vec![Tally::default(); released.classes.len()], Tally::default());
    for share in &deal.shares {
        pace.step()?;
        match share.class {
            HELD => held.add(share.tally),
            UNKNOWN => {}
            class => expected[class as usize].add(share.tally),
        }
    }
    let withheld = held.rows + regions.deleted;
    if withheld != certificate.release.withheld {
        let said = certificate.release.withheld;
        wrong.push(format!("{} are held back, the certificate says {said}", several(withheld, "row")));
    }
    for (class, expected) in expected.iter().enumerate() {
        let found = released.classes.tally(class);
        if found != *expected {
            wrong.add(|| match found.rows == expected.rows {
                true => format!("{} has other cells than its source rows", released.name(class)),
                false => format!(
                    "{} has {}, the original makes {}",
                    released.name(class),
                    several(found.rows, "row"),
                    expected.rows
                ),
            });
        }
    }
    if policy.input.missing == Missing::Suppress {
        wrong.extend(shown_missing(deal));
    }
    if let Some((original, labels)) = values {
        leveled::compare(original, labels, &regions.places, released, &mut wrong, pace)?;
    }
    Ok(Finding::of(&wrong, || {
        let rows = several(regions.rows - held.rows, "row");
        format!("{rows} released in regions with all else unchanged; {} suppressed", several(withheld, "row"))
    }))
}

/// Rows with a missing quasi-identifier that are released though they must not be.
fn shown_missing(deal: &Deal) -> Option<String> {
    let missing = |share: &&Dealt| deal.tuples.tuple(share.tuple as usize).contains(&MISSING);
    let shown = deal.shares.iter().filter(|share| share.class != HELD).filter(missing);
    let rows: u64 = shown.map(|share| share.rows).sum();
    (rows > 0).then(|| format!("{} with a missing cell are released", several(rows, "row")))
}
