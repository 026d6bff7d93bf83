//! Which texts of a column the released labels are true of, by their own meaning: texts get places in
//! an order in which most labels cover neighbours, and a label covers places.
//!
//! Labels of a hierarchy, intervals, ranges and cells of a poset with a line cover neighbours; sets,
//! and labels in place of sets, list what they cover. Costs a sort of the texts, one pass over them
//! per level of a hierarchy, and one reading and two binary searches per label; a poset without a
//! line costs one test per label and text.

use rustc_hash::FxHashMap;

use super::classes::Interner;
use super::pace::Pace;
use super::stand_ins::{StandIns, are_intervals, stand_ins};
use throng_terms::cell::{Cell, number};
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, TOP};
use throng_terms::policy::Form;

/// The places of the texts that a cell covers: all from one to before another, or some of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Span {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) some: Option<Vec<u32>>,
}

impl Span {
    /// Of places in any order.
    fn of(mut places: Vec<u32>) -> Self {
        places.sort_unstable();
        places.dedup();
        let (Some(&first), Some(&last)) = (places.first(), places.last()) else { return Span::default() };
        let some = (places.len() < (last - first + 1) as usize).then_some(places);
        Span { from: first, to: last + 1, some }
    }

    pub(super) fn covers(&self, place: u32) -> bool {
        let among = |some: &Vec<u32>| some.binary_search(&place).is_ok();
        self.from <= place && place < self.to && self.some.as_ref().is_none_or(among)
    }
}

/// Where texts are that the hierarchy of a column does not know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Strangers {
    /// Under no label.
    Nowhere,
    /// Under labels whose meaning does not need the hierarchy.
    ByMeaning,
}

/// A column: text → its place; label of the release → what it covers.
#[derive(Debug)]
pub(super) struct Meanings {
    pub(super) places: Vec<u32>,
    pub(super) spans: Vec<Span>,
}

impl Meanings {
    pub(super) fn new(
        (form, hierarchy): (Form, &Hierarchy),
        (texts, strangers): (&Interner, Strangers),
        labels: &Interner,
        pace: &Pace<'_>,
    ) -> Result<Self> {
        let by_hierarchy = matches!(form, Form::Label | Form::Poset) || strangers == Strangers::Nowhere;
        let mut reader = Reader {
            form,
            hierarchy,
            texts,
            places: vec![u32::MAX; texts.len()],
            known: 0,
            sizes: Vec::new(),
            ranks: Vec::new(),
            levels: FxHashMap::default(),
            stand_ins: StandIns::default(),
            intervals: form == Form::Interval,
        };
        if form == Form::Set {
            reader.stand_ins = stand_ins(hierarchy, pace)?;
            reader.intervals = are_intervals(hierarchy);
        }
        let mut known: Vec<(u32, Option<u32>)> = Vec::new();
        for text in 0..texts.len() as u32 {
            pace.step()?;
            let leaf = hierarchy.leaf(texts.value(text));
            if leaf.is_some() || !by_hierarchy && texts.count(text) > 0 {
                known.push((text, leaf));
            }
        }
        reader.place(known, pace)?;
        let poset = hierarchy.poset().filter(|_| form == Form::Poset);
        let tested = poset.is_some_and(|poset| poset.line().is_none());
        let cost = if tested { 4 * texts.len() as u64 } else { 8 };
        let mut spans = Vec::with_capacity(labels.len());
        for label in 0..labels.len() as u32 {
            pace.steps(cost)?;
            spans.push(reader.span(labels.value(label)));
        }
        Ok(Meanings { places: reader.places, spans })
    }
}

/// Reads labels of a column.
struct Reader<'a> {
    form: Form,
    hierarchy: &'a Hierarchy,
    texts: &'a Interner,
    /// Text → its place; a text without one is in no span.
    places: Vec<u32>,
    /// Texts that have a place.
    known: usize,
    /// The numbers of the texts that are some; these have the first places.
    sizes: Vec<f64>,
    /// Place → the rank of its text, where labels are ranges of ranks.
    ranks: Vec<u32>,
    /// Label of any level → the places under it.
    levels: FxHashMap<Option<&'a str>, Vec<u32>>,
    /// Labels in place of sets, and whether cells may be intervals.
    stand_ins: StandIns<'a>,
    intervals: bool,
}

impl<'a> Reader<'a> {
    /// Gives texts, each with its leaf, their places.
    fn place(&mut self, mut known: Vec<(u32, Option<u32>)>, pace: &Pace<'_>) -> Result<()> {
        let hierarchy = self.hierarchy;
        self.known = known.len();
        let size = |text: u32| self.texts.value(text).and_then(number);
        match self.form {
            // From the top down, so that values under one label are neighbours.
            Form::Label => known.sort_by(|a, b| {
                let (x, y) = (a.1.unwrap_or_default(), b.1.unwrap_or_default());
                let codes =
                    |leaf: u32| (0..=hierarchy.height()).rev().map(move |l| hierarchy.generalize(leaf, l));
                codes(x).cmp(codes(y)).then(a.0.cmp(&b.0))
            }),
            Form::Range => known.sort_by_key(|&(text, leaf)| (leaf.unwrap_or(u32::MAX), text)),
            Form::Poset => {
                let ranks = self.ranks_of_line();
                known.sort_by_key(|&(text, leaf)| (rank(&ranks, leaf), text));
                self.ranks = known.iter().map(|&(_, leaf)| rank(&ranks, leaf)).collect();
            }
            _ => {
                let mut sized: Vec<(Option<f64>, u32)> =
                    known.iter().map(|&(text, _)| (size(text), text)).collect();
                sized.sort_by(|a, b| match (a.0, b.0) {
                    (Some(x), Some(y)) => x.total_cmp(&y).then(a.1.cmp(&b.1)),
                    (x, y) => y.is_some().cmp(&x.is_some()).then(a.1.cmp(&b.1)),
                });
                self.sizes = sized.iter().map_while(|(size, _)| *size).collect();
                known = sized.into_iter().map(|(_, text)| (text, None)).collect();
            }
        }
        if self.form == Form::Range {
            self.ranks = known.iter().map(|&(_, leaf)| leaf.unwrap_or(u32::MAX)).collect();
        }
        for (place, &(text, leaf)) in known.iter().enumerate() {
            pace.step()?;
            self.places[text as usize] = place as u32;
            for level in (0..=hierarchy.height()).filter(|_| self.form == Form::Label) {
                let label = hierarchy.label(level, hierarchy.generalize(leaf.unwrap_or_default(), level));
                self.levels.entry(label).or_default().push(place as u32);
            }
        }
        Ok(())
    }

    /// Leaf → its place in the line of a poset, where it has one.
    fn ranks_of_line(&self) -> Vec<u32> {
        let mut ranks = vec![u32::MAX; self.hierarchy.leaf_count()];
        let line = self.hierarchy.poset().and_then(|poset| poset.line()).unwrap_or_default();
        line.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf as usize] = rank as u32);
        ranks
    }

    /// The place of a text, where it has one.
    fn place_of(&self, text: Option<&str>) -> Option<u32> {
        let place = self.places[self.texts.get(text)? as usize];
        (place != u32::MAX).then_some(place)
    }

    fn span(&self, label: Option<&str>) -> Span {
        match self.form {
            Form::Label => return Span::of(self.levels.get(&label).cloned().unwrap_or_default()),
            Form::Poset => return self.of_poset(label),
            _ if label == Some(TOP) => return Span { from: 0, to: self.known as u32, some: None },
            _ => {}
        }
        let itself = self.place_of(label);
        let within = match (self.form, label.map(Cell::parse)) {
            (_, Some(Cell::Interval(interval))) if self.intervals => {
                // The numbers of an interval are neighbours.
                let low = |x: &f64| *x < interval.low || *x == interval.low && !interval.has(*x);
                let from = self.sizes.partition_point(low);
                from..from + self.sizes[from..].partition_point(|&x| interval.has(x))
            }
            // One of the values is that value, whatever it looks like.
            (Form::Range, Some(Cell::Range(first, last))) if self.hierarchy.leaf(label).is_none() => {
                let leaves = self.hierarchy.between(&first, &last);
                leaves.map_or(0..0, |leaves| self.ranked(*leaves.start(), *leaves.end() + 1))
            }
            (Form::Set, Some(Cell::Set(values))) => {
                let listed = values.iter().filter_map(|value| self.place_of(Some(value)));
                return Span::of(listed.chain(itself).collect());
            }
            (Form::Set, Some(_)) => {
                let leaves = label.and_then(|label| self.stand_ins.get(label)).into_iter().flatten();
                let values = leaves.map(|&leaf| self.hierarchy.leaf_value(leaf));
                return Span::of(values.filter_map(|value| self.place_of(value)).chain(itself).collect());
            }
            _ => 0..0,
        };
        match itself.filter(|&place| !within.contains(&(place as usize))) {
            Some(place) => Span::of(within.map(|at| at as u32).chain([place]).collect()),
            None => Span { from: within.start as u32, to: within.end as u32, some: None },
        }
    }

    /// The places of ranks from one to before another.
    fn ranked(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let start = self.ranks.partition_point(|&rank| rank < from);
        start..start + self.ranks[start..].partition_point(|&rank| rank < to)
    }

    fn of_poset(&self, label: Option<&str>) -> Span {
        let Some(poset) = self.hierarchy.poset() else { return Span::default() };
        match label.filter(|_| poset.line().is_some()) {
            Some(TOP) => Span { from: 0, to: self.known as u32, some: None },
            Some(cell) => {
                let ranks = poset.stretch(cell);
                let places = self.ranked(ranks.start as u32, ranks.end as u32);
                Span { from: places.start as u32, to: places.end as u32, some: None }
            }
            None => {
                let leaves = poset.under(label).into_iter();
                Span::of(leaves.filter_map(|leaf| self.place_of(self.hierarchy.leaf_value(leaf))).collect())
            }
        }
    }
}

fn rank(ranks: &[u32], leaf: Option<u32>) -> u32 {
    leaf.and_then(|leaf| ranks.get(leaf as usize).copied()).unwrap_or(u32::MAX)
}
