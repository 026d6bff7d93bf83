//! Which rows stay: leaves out what is unsafe until nothing changes.

use super::super::Row;
use super::{Figure, Kind, Table};
use throng_terms::policy::Missing;

impl Table<'_> {
    /// The most of some rows that are safe by themselves and in classes of at least some size, for
    /// the least size that keeps every model of the whole table.
    pub(super) fn stay(&self, of: &[bool]) -> Vec<bool> {
        let fits = |stay: &[bool]| {
            let mut whole = self.policy.privacy.models.iter().filter_map(|asked| self.whole(asked, stay));
            whole.all(|(most, found)| !stay.contains(&true) || found.is_some_and(|f| f <= most + 1e-9))
        };
        let least = |size: usize| {
            let of: Vec<bool> = (0..of.len()).map(|row| of[row] && self.alike(row, of) >= size).collect();
            self.stay_safe(&of)
        };
        (1..).map(least).find(|stay| fits(stay)).unwrap()
    }

    /// The most of some rows that are safe by themselves, but for models of the whole table.
    pub(super) fn stay_safe(&self, of: &[bool]) -> Vec<bool> {
        let misses = |row: &Row| row.iter().any(Option::is_none);
        let held = |row: &Row| self.policy.input.missing == Missing::Suppress && misses(row);
        let mut stay: Vec<bool> = self.general.iter().zip(of).map(|(row, of)| *of && !held(row)).collect();
        let (last, models): (Vec<_>, Vec<_>) = self
            .models()
            .into_iter()
            .map(|(_, figure)| figure)
            .partition(|figure| matches!(figure.kind, Kind::Implications(_)));
        let before = stay.clone();
        let own = || models.iter().filter(|model| !matches!(model.kind, Kind::Labels(_)));
        for (row, stays) in stay.iter_mut().enumerate() {
            *stays &= own().all(|model| self.safe(row, &before, model));
            *stays &= self.among_people(row, &before);
        }
        self.stable(&mut stay);
        for model in &last {
            // By itself first, then among those left.
            let class = |row: usize, of: &[bool]| -> Vec<bool> {
                (0..of.len()).map(|b| of[b] && self.general[b] == self.general[row]).collect()
            };
            let alone = |row: usize| self.safe(row, &class(row, &stay), model);
            let left: Vec<bool> = (0..stay.len()).map(|row| stay[row] && alone(row)).collect();
            stay = (0..stay.len()).map(|row| left[row] && self.safe(row, &left, model)).collect();
        }
        self.stable(&mut stay);
        if self.all_present(&stay) { stay } else { vec![false; stay.len()] }
    }

    /// Leaves out who is too few; then whose label is not hidden, all of these at a time; and again.
    pub(super) fn stable(&self, stay: &mut [bool]) {
        let models: Vec<Figure> = self.models().into_iter().map(|(_, figure)| figure).collect();
        let models = || models.iter().filter(|model| matches!(model.kind, Kind::Labels(_)));
        loop {
            self.without_few(stay);
            let shown = |row: &usize| models().any(|model| !self.safe(*row, stay, model));
            let gone: Vec<usize> = (0..stay.len()).filter(|&row| stay[row]).filter(shown).collect();
            if gone.is_empty() {
                return;
            }
            gone.into_iter().for_each(|row| stay[row] = false);
        }
    }

    /// Leaves out who is too few, one at a time.
    pub(super) fn without_few(&self, stay: &mut [bool]) {
        let groups = self.groups();
        loop {
            let short = (0..stay.len()).find(|&row| {
                let few = || groups.iter().any(|(_, columns, k)| self.size(row, columns, stay) < *k);
                stay[row] && (few() || self.unprofitable(row, stay))
            });
            match short {
                // A class goes as a whole.
                Some(row) => {
                    let class: Vec<usize> =
                        (0..stay.len()).filter(|&b| self.general[b] == self.general[row]).collect();
                    class.into_iter().for_each(|row| stay[row] = false);
                }
                None => return,
            }
        }
    }
}
