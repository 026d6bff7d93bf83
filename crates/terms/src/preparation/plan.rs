//! A policy's preparation bound to the columns of a table: what is done to a batch, in order.
//!
//! Columns have slots: those of the file first, then new ones. Linear in the keys of the policy.

use std::collections::BTreeSet;

use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::policy::{Input, Pairs, Step, numbered};
use crate::predicate::{Predicate, no_such_column};
use crate::reading::CellReader;

/// A condition with the slots of its columns.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    pub(super) predicate: Predicate,
    pub(super) slots: Vec<usize>,
}

/// What is done to a batch.
#[derive(Debug, Clone)]
pub(super) enum Action {
    /// Cells that are not written plainly; the column by its name, for errors.
    Read {
        slot: usize,
        reader: CellReader,
        column: String,
    },
    /// Rows that do not satisfy it are not eligible.
    Where(Condition),
    /// Lists of a joined file.
    Join {
        file: usize,
        to: usize,
    },
    /// Lists of pairs of columns.
    Pairs {
        names: Vec<usize>,
        counts: Option<Vec<usize>>,
        to: usize,
    },
    DropRows(Condition),
    Clear {
        condition: Condition,
        slots: Vec<usize>,
    },
    Cap {
        slot: usize,
        from: f64,
        label: String,
    },
    Cut {
        slot: usize,
        most: usize,
    },
    Redundant {
        slot: usize,
        of: Option<usize>,
        place: usize,
        /// In `input.prepare`.
        at: usize,
    },
    PresentIn {
        key: usize,
        file: usize,
    },
}

/// A column of the prepared table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prepared {
    pub(super) name: String,
    pub(super) slot: usize,
}

/// What is done to every batch.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    /// Columns of the file.
    pub(super) filed: usize,
    /// All slots.
    pub(super) slots: usize,
    /// The columns of the file that actions read.
    pub(super) needs: BTreeSet<usize>,
    /// Join → the slot of its key.
    pub(super) keys: Vec<usize>,
    /// Columns that actions make, or make text of.
    pub(super) texts: BTreeSet<usize>,
    /// Columns in which actions clear cells.
    pub(super) cleared: BTreeSet<usize>,
    /// Actions with their place among the steps of results, where they are one of them.
    pub(super) actions: Vec<(Action, Option<usize>)>,
    /// Columns that must be determined by others.
    pub(super) redundant: usize,
    pub(super) columns: Vec<Prepared>,
}

impl Plan {
    /// Binds a policy's input to the columns of its files.
    pub(super) fn new(input: &Input, columns: &[String]) -> Result<Self> {
        let prepared = |(slot, name): (usize, &String)| Prepared { name: name.clone(), slot };
        let mut plan = Plan {
            filed: columns.len(),
            slots: columns.len(),
            columns: columns.iter().enumerate().map(prepared).collect(),
            ..Plan::default()
        };
        for (at, join) in input.join.iter().enumerate() {
            let key = plan.slot(&join.key).map_err(|fault| fault.key(format!("input.join.{at}.key")))?;
            plan.needs.insert(key);
            plan.keys.push(key);
        }
        for (at, (column, reading)) in input.cells.iter().enumerate() {
            let key = format!("input.cells.{column}");
            let slot = plan.slot_at(column, &key)?;
            let reader = reading.reader().map_err(|fault| fault.key(key))?;
            plan.texts.insert(slot);
            plan.actions.push((Action::Read { slot, reader, column: column.clone() }, Some(at)));
        }
        if let Some(text) = &input.eligible {
            let condition = plan.condition(text, "input.where")?;
            plan.actions.push((Action::Where(condition), None));
        }
        for (file, join) in input.join.iter().enumerate() {
            let to = plan.add(&join.column, &format!("input.join.{file}.column"))?;
            plan.actions.push((Action::Join { file, to }, None));
        }
        for (at, pairs) in input.pairs.iter().enumerate() {
            plan.pairs(pairs, &format!("input.pairs.{at}"))?;
        }
        let mut files = 0;
        for (at, step) in input.prepare.iter().enumerate() {
            plan.step(step, (at, input.cells.len() + at), &mut files)?;
        }
        Ok(plan)
    }

    /// The slot of a column that is there at this point.
    #[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
    fn slot(&mut self, name: &str) -> Result<usize, Fault> {
        let Some(column) = self.columns.iter().find(|column| column.name == name) else {
            let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
            return Err(no_such_column(name, &names));
        };
        if column.slot < self.filed {
            self.needs.insert(column.slot);
        }
        Ok(column.slot)
    }

    fn slot_at(&mut self, name: &str, key: &str) -> Result<usize> {
        self.slot(name).map_err(|fault| fault.key(key).into())
    }

    fn condition(&mut self, text: &str, key: &str) -> Result<Condition> {
        let named = |e: Error| e.map(|fault| fault.key(key));
        let predicate = Predicate::parse(text).map_err(named)?;
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        predicate.bind(&names).map_err(named)?;
        let slots = predicate.columns().iter().map(|name| self.slot_at(name, key)).collect::<Result<_>>()?;
        Ok(Condition { predicate, slots })
    }

    /// A new column, behind all others.
    fn add(&mut self, name: &str, key: &str) -> Result<usize> {
        if self.columns.iter().any(|column| column.name == name) {
            return Err(fault!(
                Input,
                "prepare.column-exists",
                "the table has a column `{column}` already",
                column = name
            )
            .key(key)
            .help("give the new column a name of its own")
            .into());
        }
        let slot = self.slots;
        self.slots += 1;
        self.texts.insert(slot);
        self.columns.push(Prepared { name: name.to_owned(), slot });
        Ok(slot)
    }

    fn pairs(&mut self, pairs: &Pairs, key: &str) -> Result<()> {
        let names = self.numbered(&pairs.names, &format!("{key}.names"))?;
        let counts = match &pairs.counts {
            None => None,
            Some(pattern) => Some(self.numbered(pattern, &format!("{key}.counts"))?),
        };
        if let Some(counts) = counts.as_ref().filter(|counts| counts.len() != names.len()) {
            return Err(fault!(
                Input,
                "prepare.uneven-pairs",
                "there are {names} columns of codes and {counts} of counts",
                names = names.len(),
                counts = counts.len()
            )
            .key(format!("{key}.counts"))
            .into());
        }
        let gone: BTreeSet<usize> = names.iter().chain(counts.iter().flatten()).copied().collect();
        self.columns.retain(|column| !gone.contains(&column.slot));
        let to = self.add(&pairs.column, &format!("{key}.column"))?;
        self.actions.push((Action::Pairs { names, counts, to }, None));
        Ok(())
    }

    /// The slots of numbered columns, from 1 on.
    fn numbered(&mut self, pattern: &str, key: &str) -> Result<Vec<usize>> {
        let (before, after, digits) = numbered(pattern).unwrap_or((pattern, "", 1));
        let name = |number: usize| format!("{before}{number:0digits$}{after}");
        let known: BTreeSet<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let slots: Vec<usize> = (1..)
            .map(name)
            .take_while(|name| known.contains(name))
            .map(|name| self.slot_at(&name, key))
            .collect::<Result<_>>()?;
        if slots.is_empty() {
            return Err(fault!(
                Input,
                "prepare.no-such-pairs",
                "there is no column `{column}`",
                column = name(1)
            )
            .key(key)
            .help("columns are numbered from 1 on")
            .into());
        }
        Ok(slots)
    }

    /// Adds a step by its place in the policy, and by that among all steps.
    fn step(&mut self, step: &Step, (at, place): (usize, usize), files: &mut usize) -> Result<()> {
        let key = format!("input.prepare.{at}");
        let action = if let Some(text) = &step.drop_rows {
            Action::DropRows(self.condition(text, &format!("{key}.drop_rows"))?)
        } else if let Some(clear) = &step.clear {
            let condition = self.condition(&clear.condition, &format!("{key}.clear.where"))?;
            let at = format!("{key}.clear.columns");
            let slots: Vec<usize> =
                clear.columns.iter().map(|name| self.slot_at(name, &at)).collect::<Result<_>>()?;
            self.cleared.extend(&slots);
            Action::Clear { condition, slots }
        } else if let Some(cap) = &step.cap {
            let slot = self.slot_at(&cap.column, &format!("{key}.cap.column"))?;
            self.texts.insert(slot);
            Action::Cap { slot, from: cap.from, label: cap.label.clone() }
        } else if let Some(cut) = &step.cut {
            let slot = self.slot_at(&cut.column, &format!("{key}.cut.column"))?;
            self.texts.insert(slot);
            Action::Cut { slot, most: cut.most }
        } else if let Some(redundant) = &step.redundant {
            let of = redundant.of.as_ref();
            let of = of.map(|of| self.slot_at(of, &format!("{key}.redundant.of"))).transpose()?;
            let slot = self.slot_at(&redundant.column, &format!("{key}.redundant.column"))?;
            self.columns.retain(|column| column.slot != slot);
            self.redundant += 1;
            Action::Redundant { slot, of, place: self.redundant - 1, at }
        } else if let Some(present) = &step.present_in {
            *files += 1;
            let slot = self.slot_at(&present.key, &format!("{key}.present_in.key"))?;
            Action::PresentIn { key: slot, file: *files - 1 }
        } else {
            return Err(Fault::bug("a step without an action was not refused").into());
        };
        self.actions.push((action, Some(place)));
        Ok(())
    }
}
