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
//! Costs one look-up per row of the original, 32 bytes per row of a tuple in several regions, and
//! one test per distinct pair of value and cell.

use rustc_hash::FxHashMap;

use super::claims::Judged;
use super::classes::{Interner, MISSING, Tally, Tuples, UNKNOWN};
use super::identifiers::Identifiers;
use super::leveled::{self, Labels, Leveled};
use super::levels::Chain;
use super::sensitive::Values;
use super::shapes::{Shape, Shown, stretch};
use super::side::Side;
use super::target_information::{TargetInformation, target_information};
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::cell::{Cell, number};
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::{Form, Missing, Policy};
use throng_terms::release::Certificate;

/// The class of rows that are suppressed.
const HELD: u32 = u32::MAX - 1;

/// The claimed released class of the rows of every tuple of the original.
#[derive(Debug)]
pub(super) struct Deal {
    /// In numbers of the original's texts.
    tuples: Tuples,
    /// Tuple → its first share, and the one that is dealt to.
    first: Vec<u32>,
    at: Vec<u32>,
    shares: Vec<Dealt>,
    /// Rows of tuples with several shares: tuple, content, and the row.
    waiting: Vec<(u32, u64, Tally)>,
    /// Rows without an assignment.
    beyond: u64,
}

/// Some rows of a tuple.
#[derive(Debug)]
pub(super) struct Dealt {
    tuple: u32,
    /// The released class, [`HELD`] or [`UNKNOWN`].
    class: u32,
    /// Rows assigned to it, and rows found.
    rows: u64,
    tally: Tally,
}

impl Deal {
    pub(super) fn new(width: usize) -> Self {
        Deal {
            tuples: Tuples::new(width),
            first: Vec::new(),
            at: Vec::new(),
            shares: Vec::new(),
            waiting: Vec::new(),
            beyond: 0,
        }
    }

    /// Says that the next rows of a tuple are in a class; all shares of a tuple come one after the
    /// other.
    pub(super) fn say(&mut self, tuple: &[u32], rows: u64, class: Option<Option<usize>>) {
        let class = match class {
            None => HELD,
            Some(class) => class.map_or(UNKNOWN, |class| class as u32),
        };
        let tuple = self.tuples.intern(tuple);
        if tuple == self.first.len() {
            self.first.push(self.shares.len() as u32);
            self.at.push(self.shares.len() as u32);
        }
        self.shares.push(Dealt { tuple: tuple as u32, class, rows, tally: Tally::default() });
    }

    /// Whether rows of one tuple are in several classes.
    pub(super) fn divides(&self) -> bool {
        self.shares.len() > self.first.len()
    }

    /// Deals one row; if its tuple has several shares, its content decides when all were read.
    pub(super) fn row(&mut self, tuple: &[u32], content: u64, row: Tally) {
        let Some(tuple) = self.tuples.get(tuple) else {
            self.beyond += 1;
            return;
        };
        let first = self.first[tuple] as usize;
        match self.shares.get(first + 1).is_some_and(|share| share.tuple as usize == tuple) {
            true => self.waiting.push((tuple as u32, content, row)),
            false => self.deal(tuple, row),
        }
    }

    /// Deals the rows that wait, in the order of their content. Rows of equal content are alike.
    pub(super) fn settle(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable_by_key(|&(tuple, content, _)| (tuple, content));
        waiting.into_iter().for_each(|(tuple, _, row)| self.deal(tuple as usize, row));
    }

    /// Deals one row to the next share of its tuple that has room.
    fn deal(&mut self, tuple: usize, row: Tally) {
        let at = &mut self.at[tuple];
        while let Some(share) = self.shares.get_mut(*at as usize).filter(|s| s.tuple as usize == tuple) {
            if share.tally.rows < share.rows {
                share.tally.add(row);
                return;
            }
            *at += 1;
        }
        self.beyond += 1;
    }
}

/// (text, label) → rows that are released so.
pub(super) type Pairs = Vec<((u32, u32), u64)>;

/// One column of a release by regions.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) pairs: Pairs,
    /// (text, label) → what the cell covers; none where it is not true of the text.
    pub(super) shapes: FxHashMap<(u32, u32), Option<Shape>>,
    /// Text → suppressed rows.
    pub(super) hidden: Vec<u64>,
    pub(super) height: f64,
    pub(super) all: f64,
    /// The information of the column and its texts about the targets, if needed and known.
    pub(super) mutual: Option<f64>,
    pub(super) worths: Option<Vec<f64>>,
}

/// The original, dealt.
#[derive(Debug)]
pub(super) struct Regions {
    pub(super) deal: Deal,
    pub(super) interners: Vec<Interner>,
    pub(super) rows: u64,
    /// Rows that were deleted before.
    pub(super) deleted: u64,
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
        (original, few): (Side, f64),
        certificate: &Certificate,
        chains: &[Chain<'_>],
        released: &Side,
    ) -> Option<Self> {
        let subjects = original.subjects();
        let values = if subjects.is_some() { original.values() } else { Vec::new() };
        let Side { classes, interners, rows, deleted, identifiers, deal, labels, .. } = original;
        let deal = deal?;
        let information = target_information(&labels, &interners, chains, few);
        let forms = &certificate.release.regions.as_ref()?.forms;
        let mut columns = Vec::new();
        for (at, chain) in chains.iter().enumerate() {
            let form = *forms.get(chain.name)?;
            let (pairs, hidden) = pairs(&deal, at, &interners[at], released);
            let hierarchy = chain.hierarchy.as_ref()?;
            let mine = information.as_ref().map(|information| &information[at]);
            let mut shown = Shown::new(form, (hierarchy, chain.order), &interners[at], mine);
            let means = means(form, at, (&deal, &interners[at]), released);
            let mut shapes = FxHashMap::default();
            for &(pair, _) in &pairs {
                let label = released.interners[at].value(pair.1);
                let right = means.as_ref().is_none_or(|right| right[pair.1 as usize]);
                shapes.insert(pair, shown.shape(interners[at].value(pair.0), label).filter(|_| right));
            }
            let (height, all) = (hierarchy.height() as f64, hierarchy.leaf_count() as f64);
            let worths = mine.map(|information| worths(information, hierarchy, &interners[at]));
            columns.push(Column {
                pairs,
                shapes,
                hidden,
                height,
                all,
                mutual: mine.map(|information| information.mutual),
                worths,
            });
        }
        let place = |class: usize| {
            let tuple = deal.tuples.get(classes.tuples.tuple(class));
            tuple.map_or(UNKNOWN, |tuple| deal.shares[deal.first[tuple] as usize].class)
        };
        let places = (0..classes.len()).map(place).map(|class| if class == HELD { UNKNOWN } else { class });
        let places = places.collect();
        Some(Regions { interners, rows, deleted, columns, identifiers, places, deal, subjects, values })
    }

    /// Whether rows of one tuple are in several classes, so that `places` is not known of them.
    pub(super) fn divides(&self) -> bool {
        self.deal.divides()
    }

    /// Rows that are suppressed.
    pub(super) fn suppressed(&self) -> u64 {
        self.deal.shares.iter().filter(|share| share.class == HELD).map(|share| share.rows).sum()
    }

    /// The texts and rows of every distinct original of released rows.
    pub(super) fn released_originals(&self) -> impl Iterator<Item = (Vec<u32>, u64)> + '_ {
        let mut rows = vec![0; self.deal.first.len()];
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
            let shape = move |column: usize| {
                self.columns[column].shapes.get(&(texts[column], labels[column])).copied().flatten()
            };
            (share.rows, (0..self.columns.len()).map(shape))
        })
    }

    /// Rows per class of the release, suppressed rows with the class that they look like as they
    /// are, if there is one; then those that look like none.
    pub(super) fn looks(&self, released: &Side, counts: &[u64]) -> Vec<u64> {
        let mut looks = counts.to_vec();
        for share in self.deal.shares.iter().filter(|share| share.class == HELD) {
            let texts = self.deal.tuples.tuple(share.tuple as usize).iter();
            let cells = texts.zip(&self.interners).zip(&released.interners);
            let tuple: Option<Vec<u32>> = cells.map(|((&text, from), to)| to.get(from.value(text))).collect();
            match tuple.and_then(|tuple| released.classes.tuples.get(&tuple)) {
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

/// The pairs of text and label of a column with their rows, in order, and the texts of suppressed
/// rows.
fn pairs(deal: &Deal, column: usize, interner: &Interner, released: &Side) -> (Pairs, Vec<u64>) {
    let mut pairs: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    let mut hidden = vec![0; interner.len()];
    for share in &deal.shares {
        let text = deal.tuples.tuple(share.tuple as usize)[column];
        if share.class == HELD {
            hidden[text as usize] += share.rows;
        } else if share.class != UNKNOWN {
            let label = released.classes.tuples.tuple(share.class as usize)[column];
            *pairs.entry((text, label)).or_default() += share.rows;
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable_by_key(|&((text, label), _)| (label, text));
    (pairs, hidden)
}

/// Number of a label → whether it is the mean or median of the values of every class that has it;
/// none where cells are neither.
fn means(
    form: Form,
    column: usize,
    (deal, interner): (&Deal, &Interner),
    released: &Side,
) -> Option<Vec<bool>> {
    if form.truthful() {
        return None;
    }
    let mut values: Vec<Vec<(f64, u64)>> = vec![Vec::new(); released.classes.len()];
    // A class with a missing value, or of one value, shows what any other form would.
    let mut plain = vec![false; released.classes.len()];
    for share in deal.shares.iter().filter(|share| share.class < HELD) {
        let text = interner.value(deal.tuples.tuple(share.tuple as usize)[column]);
        match text.and_then(number) {
            Some(x) => values[share.class as usize].push((x, share.rows)),
            None => plain[share.class as usize] = true,
        }
    }
    let mut right = vec![true; released.interners[column].len()];
    for (class, values) in
        values.iter_mut().enumerate().filter(|(class, values)| !plain[*class] && !values.is_empty())
    {
        let label = released.classes.tuples.tuple(class)[column];
        let text = released.interners[column].value(label);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        right[label as usize] &= text.is_some_and(|text| stands_for(form, text, values));
    }
    Some(right)
}

/// Whether a text is the mean or the lower median of some values, which are in order.
fn stands_for(form: Form, text: &str, values: &[(f64, u64)]) -> bool {
    let Some(shown) = number(text) else { return false };
    let rows: u64 = values.iter().map(|v| v.1).sum();
    if form == Form::Median {
        let below: u64 = values.iter().filter(|v| v.0 < shown).map(|v| v.1).sum();
        let until: u64 = values.iter().filter(|v| v.0 <= shown).map(|v| v.1).sum();
        return 2 * below < rows && 2 * until >= rows && values.iter().any(|v| v.0 == shown);
    }
    let mean = values.iter().map(|v| v.0 * v.1 as f64).sum::<f64>() / rows as f64;
    let decimals = text.trim().split_once('.').map_or(0, |(_, after)| after.len());
    let rounding = 0.5 * 10f64.powi(-(decimals as i32));
    (shown - mean).abs() <= rounding * (1.0 + 1e-6) + 1e-12 * mean.abs()
}

/// The claim that every released cell is true of the values behind it and within the limits of the
/// policy; without the original, that it is one of the hierarchy's labels as far as that is known.
pub(super) fn cells(
    policy: &Policy,
    certificate: &Certificate,
    (chains, released): (&[Chain<'_>], &Side),
    judged: &Judged,
    regions: Option<&Regions>,
) -> Finding {
    let Some(facts) = &certificate.release.regions else { return Finding::missing("no regions are claimed") };
    let mut wrong = Wrong::default();
    for chain in chains.iter().filter(|chain| !facts.forms.contains_key(chain.name)) {
        wrong.push(format!("it is not said how cells of `{}` are written", chain.name));
    }
    let Some(regions) = regions else {
        let mut finding = Finding::of(&wrong, || WITHOUT_ORIGINAL.into());
        let strange = strangers(certificate, chains, released, judged);
        if finding.holds && !strange.is_empty() {
            finding = Finding::missing(strange.join("; "));
        }
        finding.unchecked = true;
        return finding;
    };
    for (chain, column) in chains.iter().zip(&regions.columns) {
        let untrue =
            column.pairs.iter().filter(|(pair, _)| column.shapes.get(pair).copied().flatten().is_none());
        let rows: u64 = untrue.map(|(_, rows)| rows).sum();
        if rows > 0 {
            wrong.push(format!("{} of `{}` are not true of their rows", several(rows, "cell"), chain.name));
        }
        let outside = column.pairs.iter().filter(|(pair, _)| {
            let shape = column.shapes.get(pair).copied().flatten();
            shape.is_some_and(|shape| !allowed(policy, chain, shape))
        });
        let rows: u64 = outside.map(|(_, rows)| rows).sum();
        if rows > 0 {
            wrong.push(format!(
                "{} of `{}` are outside the levels allowed",
                several(rows, "cell"),
                chain.name
            ));
        }
    }
    wrong.extend(unlinked(policy, chains, regions, released));
    // Rows that look alike are true of each other's originals, so that the weaker notions follow
    // from the least class.
    let least = judged.counts.iter().copied().filter(|&count| count > 0).min().unwrap_or(0);
    Finding::of(&wrong, || {
        let columns = several(chains.len() as u64, "column");
        if policy.k_one().is_some() {
            return format!("the cells of {columns} are true of every row");
        }
        format!(
            "the cells of {columns} are true of every row; with classes of {} or more that is (1,k)-, (k,1)- and (k,k)-anonymity, too",
            several(least, "row")
        )
    })
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
fn unlinked(policy: &Policy, chains: &[Chain<'_>], regions: &Regions, released: &Side) -> Vec<String> {
    let mut wrong = Vec::new();
    for linked in &policy.search.linked {
        let columns: Vec<usize> =
            (0..chains.len()).filter(|&c| linked.iter().any(|name| name == chains[c].name)).collect();
        let apart = regions.released(released).filter_map(|(rows, shapes)| {
            let shapes: Vec<Option<Shape>> = shapes.collect();
            let levels = columns.iter().filter_map(|&c| shapes[c]).fold(u128::MAX, |l, s| l & s.levels);
            (levels == 0).then_some(rows)
        });
        let rows: u64 = apart.sum();
        if rows > 0 {
            wrong.push(format!(
                "linked columns are at different levels in {}: {}",
                several(rows, "row"),
                linked.join(", ")
            ));
        }
    }
    wrong
}

/// Released labels that no level of a known hierarchy has, and ranges that are not in a stated
/// order.
fn strangers(
    certificate: &Certificate,
    chains: &[Chain<'_>],
    released: &Side,
    judged: &Judged,
) -> Vec<String> {
    let forms = certificate.release.regions.as_ref().map(|facts| &facts.forms);
    let mut wrong = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let form = forms.and_then(|forms| forms.get(chain.name)).copied();
        let hierarchy = chain.hierarchy.as_ref().filter(|_| form == Some(Form::Label));
        let order = chain.order.filter(|_| form == Some(Form::Range));
        let dated = form == Some(Form::Range) && order.is_none();
        let dates = chain.hierarchy.as_ref().filter(|_| dated);
        let known = |text: Option<&str>| match (hierarchy, order, dates) {
            (Some(hierarchy), ..) => (0..=hierarchy.height())
                .any(|l| (0..hierarchy.size(l)).any(|c| hierarchy.label(l, c as u32) == text)),
            (None, Some(order), _) => text.is_none_or(|text| text == TOP || stretch(order, text).is_some()),
            (None, None, Some(dates)) => text.is_none_or(|text| text == TOP || is_dated(dates, text)),
            (None, None, None) => true,
        };
        let mut used = vec![false; released.interners[at].len()];
        for class in (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0) {
            used[released.classes.tuples.tuple(class)[at] as usize] = true;
        }
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
    wrong
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
) -> Finding {
    let mut wrong = Wrong::default();
    let deal = &regions.deal;
    if deal.beyond > 0 {
        wrong.push(format!("{} of the original are in no region", several(deal.beyond, "row")));
    }
    let short: u64 = deal.shares.iter().map(|share| share.rows - share.tally.rows).sum();
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
        leveled::compare(original, labels, &regions.places, released, &mut wrong);
    }
    Finding::of(&wrong, || {
        let rows = several(regions.rows - held.rows, "row");
        format!("{rows} released in regions with all else unchanged; {} suppressed", several(withheld, "row"))
    })
}

/// Rows with a missing quasi-identifier that are released though they must not be.
fn shown_missing(deal: &Deal) -> Option<String> {
    let missing = |share: &&Dealt| deal.tuples.tuple(share.tuple as usize).contains(&MISSING);
    let shown = deal.shares.iter().filter(|share| share.class != HELD).filter(missing);
    let rows: u64 = shown.map(|share| share.rows).sum();
    (rows > 0).then(|| format!("{} with a missing cell are released", several(rows, "row")))
}
