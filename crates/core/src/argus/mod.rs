//! Interactive anonymization as in mu-Argus [Hundepool 1996; Sweeney 2001, 6.3]: generalize,
//! suppress, check again.
//!
//! Only small combinations of columns are tested: one, two or three at a time, selected by weights
//! or a list. A combination of values is *rare* if fewer than k rows have it with all its cells
//! present. The holder generalizes whole columns, can undo that, and suppresses the remaining rare
//! combinations cell by cell. The result is **not k-anonymous** in general, because all columns
//! together are not tested; [`Verdict`] reports this, and the result never gets a certificate.
//!
//! All work is on distinct tuples with counts. A test of the table costs one ranked key per tuple
//! and combination; suppression costs one test per round, and a suggestion as many as a
//! suppression. Memory: one code per cell of the distinct tuples, and one bit per tuple and
//! combination.

mod advice;
mod command;
mod hit;
mod shown;
mod suppress;
mod tested;
mod text;
mod verdict;
mod written;

pub use advice::{Outlook, Suggestion};
pub use command::Command;
pub use tested::{MOST_COMBINATIONS, tested};
pub use text::{help, text};
pub use verdict::{Anonymity, ColumnFacts, Side, TestedFacts, Value, Verdict};
pub use written::Paper;

use std::sync::{Arc, Mutex, PoisonError};

use crate::classes::Classes;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::lattice::Lattice;
use crate::policy::{Missing, Policy};
use crate::recoding::Recoding;
use crate::watch::Watch;
use shown::Shown;

/// A grouped table with what its columns may become.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Names of the quasi-identifiers.
    pub names: &'a [String],
    /// Their hierarchies.
    pub hierarchies: &'a [Hierarchy],
    /// Distinct tuples of their leaves.
    pub classes: &'a Classes,
    /// The levels allowed.
    pub lattice: &'a Lattice,
}

/// How the table is to look: a level per column, and blanked cells.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    levels: Vec<usize>,
    /// Class → bit i: the cell in column i is blanked. Empty where none is.
    blanked: Arc<Vec<u64>>,
    /// What led here from the state before.
    step: String,
}

/// A table that is being made safer step by step.
#[derive(Debug)]
pub struct Argus<'a> {
    subject: Subject<'a>,
    k: u64,
    missing: Missing,
    /// Combinations of columns that are tested, as bits; small ones first.
    tested: Vec<u64>,
    not_judged: Vec<String>,
    /// The present state is the last one.
    states: Vec<State>,
    watch: Watch,
    /// The last verdict, with the state that it is about.
    judged: Mutex<Option<(State, Verdict)>>,
}

/// As many columns as a mask has bits.
const MOST_COLUMNS: usize = 64;

impl<'a> Argus<'a> {
    /// Begins with every column at its least level.
    ///
    /// # Errors
    /// A policy without k, or with what cell by cell cannot be kept; too many columns or
    /// combinations.
    pub fn new(policy: &Policy, subject: Subject<'a>) -> Result<Self> {
        let tested = check(policy, subject.names)?;
        let Some(k) = policy.privacy.k() else { return Err(no_k().into()) };
        let levels = (0..subject.names.len()).map(|column| subject.lattice.range(column).0).collect();
        let groups = policy.privacy.quasi.keys().map(|name| format!("k-anonymity: {name}"));
        let not_judged = groups.chain(policy.privacy.models.iter().map(|model| model.claim())).collect();
        let states = vec![State { levels, blanked: Arc::default(), step: String::new() }];
        Ok(Argus {
            subject,
            k,
            missing: policy.input.missing,
            tested,
            not_judged,
            states,
            watch: Watch::none(),
            judged: Mutex::default(),
        })
    }

    /// Reports progress to a watch, which may stop any step.
    #[must_use]
    pub fn watched(self, watch: &Watch) -> Self {
        Argus { watch: watch.clone(), ..self }
    }

    fn state(&self) -> &State {
        // There is always the first one, which cannot be undone.
        &self.states[self.states.len() - 1]
    }

    fn shown(&self) -> Shown<'a> {
        Shown::new(self.subject, self.state())
    }

    /// Generalizes a column to a level, or by one; blanked cells stay blank. The level that it has
    /// then.
    ///
    /// # Errors
    /// A column that there is not, or a level that it cannot be generalized to.
    pub fn generalize(&mut self, column: &str, level: Option<usize>) -> Result<usize> {
        let at = self.column(column)?;
        let now = self.state().levels[at];
        let (_, highest, height) = self.subject.lattice.range(at);
        let level = level.unwrap_or(now + 1);
        let fault = |fault: Fault, help: &str| Err(fault.column(column).help(help).into());
        if level > highest {
            let help = match highest < height {
                true => "the policy allows no more: max_level",
                false => "that is the top of its hierarchy; `suppress` blanks what is still rare",
            };
            return fault(
                fault!(
                    Input,
                    "argus.level-too-high",
                    "cannot go to level {level}: the highest is {highest}",
                    level = level,
                    highest = highest
                ),
                help,
            );
        }
        if level <= now {
            return fault(
                fault!(Input, "argus.level-reached", "is at level {level} already", level = now),
                "`undo` takes the last step back",
            );
        }
        let mut state = self.state().clone();
        state.levels[at] = level;
        state.step = format!("generalize {column} {level}");
        self.states.push(state);
        Ok(level)
    }

    /// Blanks cells until nothing tested is rare; how many were blanked. A step also where it was
    /// none, so that `undo` takes back what was typed last.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn suppress(&mut self) -> Result<u64> {
        let blanked = suppress::blanked(&self.shown(), &self.tested, self.k, &self.watch)?;
        let levels = self.state().levels.clone();
        self.states.push(State { levels, blanked: Arc::new(blanked.of_class), step: "suppress".into() });
        Ok(blanked.cells)
    }

    /// Takes the last step back.
    ///
    /// # Errors
    /// No step was made.
    pub fn undo(&mut self) -> Result<()> {
        if self.states.len() == 1 {
            return Err(
                fault!(Input, "argus.nothing-to-undo", "no step was made: there is nothing to undo").into()
            );
        }
        self.states.pop();
        Ok(())
    }

    /// The steps that led here, as they can be typed again.
    pub fn steps(&self) -> Vec<String> {
        self.states.iter().skip(1).map(|state| state.step.clone()).collect()
    }

    /// What holds now. It is worked out once for a state.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn verdict(&self) -> Result<Verdict> {
        let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, verdict)) = judged.as_ref().filter(|(state, _)| state == self.state()) {
            return Ok(verdict.clone());
        }
        let verdict = verdict::verdict(self, &self.shown())?;
        *judged = Some((self.state().clone(), verdict.clone()));
        Ok(verdict)
    }

    /// The rare combinations of values, rarest first, with a limit per tested combination of
    /// columns.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn values(&self, most: usize) -> Result<Vec<Value>> {
        verdict::values(self, &self.shown(), most)
    }

    /// What suppressing would come to now.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn outlook(&self) -> Result<Outlook> {
        advice::outlook(self, self.state())
    }

    /// What suppressing would come to after one more level, column by column, the least loss first;
    /// nothing where nothing is rare.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn suggestions(&self) -> Result<Vec<Suggestion>> {
        advice::suggestions(self)
    }

    /// The cells as they are to be written.
    pub fn recoding(&self, maps: &[Vec<crate::table::Code>]) -> Recoding {
        written::recoding(self.subject, self.state(), maps)
    }

    /// The number of a column.
    fn column(&self, name: &str) -> Result<usize> {
        self.subject.names.iter().position(|n| n == name).ok_or_else(|| {
            let names = || self.subject.names.iter().map(String::as_str);
            let help = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("quasi-identifiers are {}", names().collect::<Vec<_>>().join(", ")),
            };
            fault!(
                Input,
                "argus.no-such-quasi-identifier",
                "there is no quasi-identifier `{column}`",
                column = name
            )
            .help(help)
            .into()
        })
    }
}

/// Refuses, before a table is read, what cannot be done with its quasi-identifiers; the
/// combinations to test.
///
/// # Errors
/// As [`Argus::new`].
pub fn check(policy: &Policy, names: &[String]) -> Result<Vec<u64>> {
    Error::check(unfit(policy, names))?;
    tested(policy, names)
}

fn no_k() -> Fault {
    fault!(Input, "argus.no-k", "argus tests whether fewer than k rows have a combination, and there is no k")
        .key("privacy")
        .help("give privacy.k, for instance k = 3")
}

/// What the policy asks for that cannot be kept here.
fn unfit(policy: &Policy, names: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    if policy.privacy.k().is_none() {
        faults.push(no_k());
    }
    for (column, _) in policy.scrubbed() {
        faults.push(
            fault!(
                Input,
                "argus.scrubs-text",
                "argus does not verify what it writes, and the texts of `{column}` would be released",
                column = column
            )
            .key(format!("columns.{column}.transform"))
            .help("remove `transform`, so that the texts are removed, or use `throng release`"),
        );
    }
    if let Some(column) = policy.subject() {
        faults.push(
            fault!(
                Input,
                "argus.counts-rows",
                "argus counts rows, and `{column}` with role \"subject\" asks to count people",
                column = column
            )
            .key(format!("columns.{column}.role"))
            .help(
                "use `throng release`, or give the column role = \"identifier\" if every person has one row",
            ),
        );
    }
    if !policy.search.linked.is_empty() {
        faults.push(
            fault!(Input, "argus.linked-columns", "argus generalizes and blanks each column by itself")
                .key("search.linked")
                .help("use a policy without linked columns"),
        );
    }
    let poset = |name: &&String| policy.columns.get(*name).is_some_and(|column| column.poset.is_some());
    faults.extend(names.iter().filter(poset).map(|name| {
        fault!(
            Input,
            "argus.column-has-poset",
            "argus generalizes by levels, and `{column}` has a poset, which has none",
            column = name
        )
        .key(format!("columns.{name}.poset"))
        .help("give the column a hierarchy, or use `throng release`")
    }));
    if policy.differential_privacy().is_some() {
        faults.push(
            fault!(
                Input,
                "argus.differential-privacy",
                "what argus writes depends on the data, so that differential privacy cannot hold"
            )
            .key("privacy.models")
            .help("use `throng release`, or a policy with k alone"),
        );
    }
    if names.len() > MOST_COLUMNS {
        faults.push(
            fault!(
                Input,
                "argus.too-many-columns",
                "{columns} quasi-identifiers are more than the {limit} that argus can test",
                columns = names.len(),
                limit = MOST_COLUMNS
            )
            .key("columns")
            .help("give fewer columns role = \"quasi\""),
        );
    }
    faults
}

#[cfg(test)]
mod tests;
