//! A model of a sensitive column with its parameters for both files, and the figures of their
//! classes.
//!
//! Values are numbered per file. The model's parameters (the numbers of named values, their
//! amounts, the guarding nodes over them, their shares in the whole table) are computed once, after
//! all rows were read. Costs one pass over the values of a column.

use std::collections::BTreeSet;

use super::super::claims::Judged;
use super::super::classes::Interner;
use super::super::levels::Build;
use super::super::pace::Pace;
use super::super::reference::Reference;
use super::super::sensitive::Values;
use super::super::side::Side;
use super::guarded::{Under, under};
use super::{Limit, Measure, Seen, on_all_cores};
use throng_terms::error::Result;
use throng_terms::policy::Policy;

/// A model of a sensitive column.
#[derive(Debug)]
pub(super) struct OfColumn {
    /// Which of the judged columns it is about, in name order.
    column: usize,
    measure: Box<dyn Measure>,
    /// The whole table's values, where the model compares with them and they are known.
    reference: Option<Reference>,
    /// Whether the whole table, where the model compares with it, has enough rows for the model.
    reachable: bool,
    /// The values that it is about where it names some: their numbers in the release and in the
    /// original.
    named: Option<[BTreeSet<u32>; 2]>,
    /// The numbers that values are, likewise, where it reads them so.
    amounts: Option<[Vec<Option<f64>>; 2]>,
    /// Which of the original's counted columns holds the guarding nodes, where the model has one.
    pub(super) guard: Option<usize>,
    /// The guarding nodes over every value, in the release and in the original; empty without the
    /// original.
    under: [Under; 2],
}

/// Which file a class is of: where its values' numbers come from.
#[derive(Clone, Copy)]
enum File {
    Released,
    Original,
}

impl OfColumn {
    /// A model of a column, with the column of its guarding nodes.
    pub(super) fn new(
        policy: &Policy,
        (column, guard): (Option<&str>, Option<&str>),
        measure: Box<dyn Measure>,
    ) -> Option<Self> {
        // The original's columns are counted in this order: those that are judged, then those of
        // guarding nodes.
        let counted: Vec<&str> = policy.judged().into_iter().chain(policy.guards()).collect();
        let at = |name: &str| counted.iter().position(|column| *column == name);
        Some(OfColumn {
            column: column.and_then(at)?,
            measure,
            reference: None,
            reachable: true,
            named: None,
            amounts: None,
            guard: guard.and_then(at),
            under: [Under::default(), Under::default()],
        })
    }

    /// The limit of its figures.
    pub(super) fn limit(&self) -> Limit {
        self.measure.limit()
    }

    /// Finds what it must know of the values of both files.
    pub(super) fn read(
        &mut self,
        (released, original): (&Side, Option<&Side>),
        policy: &Policy,
        build: &Build<'_>,
    ) -> Result<()> {
        if let Some(values) = self.measure.named() {
            let numbers = |side: &Side| {
                let interner = &side.sensitive[self.column].interner;
                values.iter().filter_map(|value| interner.get(Some(value))).collect()
            };
            self.named = Some([numbers(released), original.map(numbers).unwrap_or_default()]);
        }
        if self.measure.numeric() {
            let amounts = |side: &Side| amounts(&side.sensitive[self.column].interner);
            self.amounts = Some([amounts(released), original.map(amounts).unwrap_or_default()]);
        }
        let (Some(guard), Some(original)) = (self.guard, original) else { return Ok(()) };
        let Some(column) = policy.judged().into_iter().nth(self.column) else { return Ok(()) };
        let values = &original.sensitive[self.column].interner;
        let nodes = &original.sensitive[guard].interner;
        let hierarchy = build(column, &values.dictionary())?;
        self.under = [&released.sensitive[self.column].interner, values]
            .map(|values| under(&hierarchy, values, nodes));
        Ok(())
    }

    /// Computes the distribution of the whole table's values, if the model compares with it and it
    /// is known.
    pub(super) fn compare(
        &mut self,
        (released, original): (&Side, Option<&Side>),
        nothing_held: bool,
        policy: &Policy,
        build: &Build<'_>,
    ) -> Result<()> {
        let table = original.or(nothing_held.then_some(released));
        let Some(table) = table.filter(|_| self.measure.compares()) else { return Ok(()) };
        let values = &table.sensitive[self.column].interner;
        self.reachable =
            self.measure.reachable((0..values.len() as u32).map(|value| values.count(value)).sum());
        self.reference = Some(Reference::new(
            (policy, self.measure.ground()),
            (values, original.is_some()),
            &released.sensitive[self.column].interner,
            build,
        )?);
        Ok(())
    }

    /// Whether figures of the release can be computed: some need the whole table, or the guarding
    /// nodes of rows.
    pub(super) fn is_computable(&self, nodes: Option<&Values>) -> bool {
        (!self.measure.compares() || self.reference.is_some()) && (!self.has_guard() || nodes.is_some())
    }

    /// Whether it needs what only the original has.
    pub(super) fn has_guard(&self) -> bool {
        self.measure.guard().is_some()
    }

    /// Whether classes that violate it by themselves are suppressed.
    pub(super) fn holds_back(&self) -> bool {
        self.measure.holds_back() && self.measure.together(&[]).is_none()
    }

    /// The joint figures of some classes; none if each is judged on its own.
    pub(super) fn together(&self, columns: &[Values], classes: &[usize]) -> Option<Vec<f64>> {
        self.measure.together(&[])?;
        let values: Vec<&[(u32, u64)]> =
            classes.iter().map(|&class| columns[self.column].class(class)).collect();
        self.measure.together(&values)
    }

    fn figure(&self, values: &[(u32, u64)], nodes: Option<&[(u32, u64)]>, file: File) -> f64 {
        if !self.reachable {
            return self.limit().unmet();
        }
        let named = self.named.as_ref().map(|named| &named[file as usize]);
        let amounts = self.amounts.as_ref().map(|amounts| &amounts[file as usize][..]);
        let guards = nodes.map(|nodes| (nodes, &self.under[file as usize]));
        self.measure.figure(&Seen { values, reference: self.reference.as_ref(), named, amounts, guards })
    }

    /// The figure of a class of the original.
    pub(super) fn figure_of(&self, columns: &[Values], class: usize) -> f64 {
        let nodes = self.guard.map(|guard| columns[guard].class(class));
        self.figure(columns[self.column].class(class), nodes, File::Original)
    }

    /// The released classes and what each reaches; `nodes` are their guarding nodes.
    pub(super) fn figures(
        &self,
        released: &Side,
        nodes: Option<&Values>,
        judged: &Judged,
        pace: &Pace<'_>,
    ) -> Result<Vec<(usize, f64)>> {
        let columns = released.values();
        let alive: Vec<usize> = (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0).collect();
        if let Some(figures) = self.together(columns, &alive) {
            return Ok(alive.into_iter().zip(figures).collect());
        }
        let figure = |class: usize| self.figure_of_released(columns, nodes, class);
        let figures = on_all_cores(&alive, pace, figure)?;
        Ok(alive.into_iter().zip(figures).collect())
    }

    /// The figure of a class of the release.
    fn figure_of_released(&self, columns: &[Values], nodes: Option<&Values>, class: usize) -> f64 {
        let values = columns[self.column].class(class);
        let nodes = nodes.map(|nodes| nodes.class(class));
        match &self.reference {
            None => self.figure(values, nodes, File::Released),
            Some(reference) => {
                let known = |&(value, rows): &(u32, u64)| (reference.of_release[value as usize], rows);
                self.figure(&values.iter().map(known).collect::<Vec<_>>(), nodes, File::Released)
            }
        }
    }
}

/// The number that each value is.
fn amounts(interner: &Interner) -> Vec<Option<f64>> {
    let amount = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    (0..interner.len() as u32).map(|value| interner.value(value).and_then(amount)).collect()
}
