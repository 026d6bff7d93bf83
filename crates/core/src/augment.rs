//! Implied fields: a table with one column per hierarchy level [Katirai 2006, "implied fields",
//! figures 6 and 7].
//!
//! A column with a hierarchy becomes one field per level: 02139 has the fields 02139, 0213 and 021.
//! Then every generalization is a suppression: a cell generalized to 0213 has the same fields
//! without the first, and one level more is one field less. Every such suppression is also a
//! generalization, so the conversion can be reversed. A suppressed field is [`TOP`]; a missing cell
//! has missing fields, except at the highest level, where it equals all others. The highest level
//! has no field if its label is `TOP`, because it carries no information.
//!
//! A label may occur at several levels. If one meaning contains the other, a released cell gets the
//! wider meaning, which is true in both cases; if neither contains the other, the meaning is
//! ambiguous and the column is rejected. Costs one look-up per cell on the way there, one per
//! column on the way back.

use rustc_hash::FxHashMap;

use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::{Hierarchy, TOP};
use crate::table::Code;

/// The fields that a column implies.
#[derive(Debug)]
pub struct Implied<'a> {
    hierarchy: &'a Hierarchy,
    /// Levels that have a field.
    fields: usize,
    /// Level → code → a leaf under it.
    leaf: Vec<Vec<Code>>,
    /// Label → the level and code that it means in a released cell.
    meant: FxHashMap<&'a str, (usize, Code)>,
    /// Label → its code, per level.
    codes: Vec<FxHashMap<&'a str, Code>>,
}

impl<'a> Implied<'a> {
    /// The fields of a hierarchy.
    ///
    /// # Errors
    /// Levels that do not nest; a label that means different values at two levels.
    pub fn new(hierarchy: &'a Hierarchy) -> Result<Self> {
        if !hierarchy.nested() {
            return Err(fault!(
                Input,
                "augment.needs-nested-levels",
                "a cell implies fields for the levels above it, and the levels do not nest"
            )
            .help("remove nested = false, and leave out the levels that do not nest")
            .into());
        }
        let height = hierarchy.height();
        let telling = hierarchy.label(height, 0).is_some_and(|label| label != TOP);
        let mut leaf: Vec<Vec<Code>> = (0..=height).map(|level| vec![0; hierarchy.size(level)]).collect();
        for (level, of) in leaf.iter_mut().enumerate() {
            for at in 0..hierarchy.leaf_count() as Code {
                of[hierarchy.generalize(at, level) as usize] = at;
            }
        }
        let labels = |level: usize| {
            let all = (0..hierarchy.size(level) as Code)
                .filter_map(move |code| Some((hierarchy.label(level, code)?, code)));
            all.filter(|(label, _)| *label != TOP)
        };
        let codes = (0..=height).map(|level| labels(level).collect()).collect();
        let mut implied = Implied {
            hierarchy,
            fields: height + usize::from(telling),
            leaf,
            meant: FxHashMap::default(),
            codes,
        };
        for level in 0..=height {
            for (label, code) in labels(level) {
                implied.mean(label, level, code)?;
            }
        }
        Ok(implied)
    }

    /// The names of a column's fields: its own, and with the level behind it for those above.
    pub fn names(&self, column: &str) -> Vec<String> {
        let above = (1..self.fields).map(|level| format!("{column}_{level}"));
        std::iter::once(column.to_owned()).chain(above).collect()
    }

    /// All fields of a value of the table. `None` if the hierarchy does not have it.
    pub fn of_value(&self, value: Option<&str>) -> Option<Vec<Option<&'a str>>> {
        match value {
            None => Some(self.missing()),
            Some(TOP) => Some(vec![Some(TOP); self.fields]),
            Some(_) => Some(self.labels_from(0, self.hierarchy.leaf(value)?)),
        }
    }

    /// The fields of a released cell; those below its level are suppressed. `None` if it is not a
    /// label.
    pub fn of_cell(&self, cell: Option<&str>) -> Option<Vec<Option<&'a str>>> {
        match cell {
            None | Some(TOP) => self.of_value(cell),
            Some(label) => {
                let &(level, code) = self.meant.get(label)?;
                Some(self.labels_from(level, self.leaf[level][code as usize]))
            }
        }
    }

    /// The cell that fields stand for.
    ///
    /// # Errors
    /// Fields that no cell has: what is wrong with them, without the column's name.
    pub fn cell<'b>(&self, fields: &[Option<&'b str>]) -> Result<Option<&'b str>> {
        if fields.iter().all(Option::is_none) || fields == self.missing() {
            return Ok(None);
        }
        let first = fields.iter().position(|field| *field != Some(TOP));
        let Some(level) = first else { return Ok(Some(TOP)) };
        let Some(label) = fields[level] else {
            return Err(wrong(fault!(
                Data,
                "augment.partly-missing-fields",
                "some of the fields are missing, and others are not"
            ))
            .into());
        };
        let Some(&code) = self.codes.get(level).and_then(|codes| codes.get(label)) else {
            return Err(wrong(fault!(
                Data,
                "augment.not-a-label-of-level",
                "`{value}` is not a label of level {level}",
                value = label,
                level = level
            ))
            .into());
        };
        let implied = self.labels_from(level, self.leaf[level][code as usize]);
        if let Some(other) = (level..fields.len()).find(|&at| implied.get(at) != Some(&fields[at])) {
            let found = fields[other].map_or("missing".into(), |field| format!("`{field}`"));
            return Err(wrong(fault!(
                Data,
                "augment.field-not-implied",
                "`{value}` of level {level} does not imply {found} at level {other}",
                value = label,
                level = level,
                found = found,
                other = other
            ))
            .into());
        }
        Ok(Some(label))
    }

    /// The fields of a missing cell.
    fn missing(&self) -> Vec<Option<&'a str>> {
        self.hierarchy.missing().map_or_else(|| vec![None; self.fields], |leaf| self.labels_from(0, leaf))
    }

    /// The fields from a level on, as a leaf has them.
    fn labels_from(&self, level: usize, leaf: Code) -> Vec<Option<&'a str>> {
        let field = |at: usize| match at < level {
            true => Some(TOP),
            false => self.hierarchy.label(at, self.hierarchy.generalize(leaf, at)),
        };
        (0..self.fields).map(field).collect()
    }

    /// Takes up what a label means, given what it means at lower levels.
    fn mean(&mut self, label: &'a str, level: usize, code: Code) -> Result<()> {
        let Some(&(lower, low)) = self.meant.get(label) else {
            self.meant.insert(label, (level, code));
            return Ok(());
        };
        let within = self.hierarchy.generalize(self.leaf[lower][low as usize], level) == code;
        if !within {
            return Err(fault!(
                Input,
                "augment.ambiguous-label",
                "`{label}` means some values at level {lower} and others at level {level}",
                label = label,
                lower = lower,
                level = level
            )
            .help("give the labels of different levels different names")
            .into());
        }
        if self.hierarchy.leaves_under(lower, low) < self.hierarchy.leaves_under(level, code) {
            self.meant.insert(label, (level, code));
        }
        Ok(())
    }
}

fn wrong(fault: Fault) -> Fault {
    fault.help("fields are those that `throng augment` writes, each suppressed as `*` from the lowest on")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::hierarchy::Path;

    fn hierarchy(rows: &[&str], missing: bool) -> Hierarchy {
        let path = |row: &&str| {
            let mut cells = row.split(' ').map(String::from);
            Path { leaf: cells.next().unwrap(), labels: cells.collect() }
        };
        Hierarchy::new(rows.iter().map(path).collect(), missing).unwrap()
    }

    fn fields(shown: &str) -> Vec<Option<&str>> {
        shown.split(' ').map(|field| Some(field).filter(|field| *field != "-")).collect()
    }

    /// [Katirai 2006], figures 6 and 7: the first row is generalized to 0213. He prints 0123 for
    /// its Zip4 and 012 for the second row's Zip3, where the text and the rule have 0213 and 021.
    #[test]
    fn fields_as_k_prints_them() {
        let zips = hierarchy(&["02139 0213 021", "02138 0213 021", "98052 9805 980"], true);
        let zips = Implied::new(&zips).unwrap();
        assert_eq!(zips.names("zip"), ["zip", "zip_1", "zip_2"]);
        for (cell, shown) in [
            ("0213", "* 0213 021"),
            ("02138", "02138 0213 021"),
            ("98052", "98052 9805 980"),
            ("980", "* * 980"),
            ("*", "* * *"),
        ] {
            assert_eq!(zips.of_cell(Some(cell)), Some(fields(shown)));
            assert_eq!(zips.cell(&fields(shown)).unwrap(), Some(cell));
        }
        assert_eq!(zips.of_value(Some("02139")), Some(fields("02139 0213 021")));
        assert_eq!(zips.of_cell(None), Some(fields("- - -")));
        assert_eq!(zips.cell(&fields("- - -")).unwrap(), None);
        assert_eq!(zips.of_cell(Some("[0, 1]")), None);
        assert_eq!(zips.of_value(Some("0213")), None, "a label is no value");
    }

    #[test]
    fn fields_that_no_cell_has_are_refused() {
        let zips = hierarchy(&["02139 0213 021", "98052 9805 980"], false);
        let zips = Implied::new(&zips).unwrap();
        for (shown, found) in [
            ("02139 9805 980", "`02139` of level 0 does not imply `9805` at level 1"),
            ("* 0213 *", "`0213` of level 1 does not imply `*` at level 2"),
            ("* 0213 -", "does not imply missing at level 2"),
            ("0213 0213 021", "`0213` is not a label of level 0"),
            ("- 0213 021", "some of the fields are missing"),
            ("* - -", "some of the fields are missing"),
        ] {
            let error = zips.cell(&fields(shown)).unwrap_err().to_string();
            assert!(error.contains(found), "{shown}: {error}");
        }
    }

    #[test]
    fn labels_at_several_levels() {
        let kept = hierarchy(&["a a a", "b b rest", "c rest rest", "d rest rest"], false);
        let kept = Implied::new(&kept).unwrap();
        assert_eq!(kept.of_cell(Some("a")), Some(fields("a a a")), "nothing else is behind it");
        assert_eq!(kept.of_cell(Some("rest")), Some(fields("* * rest")), "it may be of the higher level");
        assert_eq!(kept.cell(&fields("* rest rest")).unwrap(), Some("rest"));
        let named = hierarchy(&["f person", "m person"], true);
        let named = Implied::new(&named).unwrap();
        assert_eq!(named.of_cell(Some("person")), Some(fields("* person")), "a top with a name has a field");
        assert_eq!(named.cell(&fields("* *")).unwrap(), Some("*"));
        assert_eq!(
            named.of_value(None),
            Some(fields("- person")),
            "at the top a missing cell looks like all others"
        );
        assert_eq!(named.cell(&fields("- person")).unwrap(), None);
        let crossed = hierarchy(&["a x y", "b z x"], false);
        let error = Implied::new(&crossed).unwrap_err().to_string();
        assert!(error.contains("`x` means some values at level 1 and others at level 2"), "{error}");
    }

    proptest! {
        /// There and back, for rows of cells at any level; one level more is one field less; every
        /// suppression from below is a generalization.
        #[test]
        fn there_and_back(
            codes in proptest::collection::btree_set(0..64u32, 1..12),
            picked in proptest::collection::vec((any::<Index>(), any::<Index>()), 1..8),
            missing in any::<bool>(),
            same in any::<bool>(),
        ) {
            // With `same`, a label that stands for one value keeps its name, as frequent values do.
            let label = |code: u32, level: usize| {
                let high = code >> (2 * level);
                let alone = codes.iter().filter(|other| **other >> (2 * level) == high).count() == 1;
                if same && alone { format!("v{code}") } else { format!("{level}:{high}") }
            };
            let paths = codes.iter().map(|&code| Path { leaf: label(code, 0), labels: (1..=2).map(|l| label(code, l)).collect() });
            let hierarchy = Hierarchy::new(paths.collect(), missing).unwrap();
            let implied = Implied::new(&hierarchy).unwrap();
            for (leaf, level) in picked {
                let leaf = leaf.index(hierarchy.leaf_count()) as Code;
                let level = level.index(hierarchy.height() + 1);
                let cell = hierarchy.label(level, hierarchy.generalize(leaf, level));
                let there = implied.of_cell(cell).unwrap();
                prop_assert_eq!(implied.cell(&there).unwrap(), cell);
                let value = hierarchy.leaf_value(leaf);
                let Some(label) = cell.filter(|_| value.is_some()) else { continue };
                let mut fields = implied.of_value(value).unwrap();
                prop_assert_eq!(implied.cell(&fields).unwrap(), value);
                fields.iter_mut().take(level).for_each(|field| *field = Some(TOP));
                let expected = if level < fields.len() { label } else { TOP };
                prop_assert_eq!(implied.cell(&fields).unwrap(), Some(expected));
                if !same {
                    prop_assert_eq!(&there, &fields);
                    prop_assert_eq!(there.iter().filter(|field| **field == Some(TOP)).count(), level.min(there.len()));
                }
            }
        }
    }
}
