//! (n, t)-closeness [Li 2010]: the distribution of a sensitive column in a class E is within t of
//! that in a natural superset of E that has at least n rows. A fact about n people is not a secret
//! of one of them.
//!
//! The natural supersets considered are the least and the greatest of all: E itself, and the whole
//! input table, suppressed rows included. So a class is safe if it has n rows, or if it is t-close
//! to the whole table, which must have n rows. The source also admits the groups in between that
//! further generalization would form. They depend on how classes were formed and are left out, so
//! this model is the stricter one: whatever satisfies it is (n, t)-close. Where no class has n rows
//! it is [t-closeness](super::t_closeness).
//!
//! The figure of a class is its distance from the nearer of the two: 0 for n rows, else as for
//! t-closeness; infinite if the table has fewer than n rows.
//!
//! A union of safe classes is safe: one of n rows makes the union one of n rows, and t-closeness
//! carries over. A safe class may be merged into a larger one of fewer than n rows that is not
//! close, so the model is monotone only if no row may be suppressed. Costs what t-closeness does.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::t_closeness::TCloseness;
use super::{Build, PrivacyModel, Setting, Values};
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{ModelKind, NTCloseness as Asked};

/// Many rows, or values spread nearly as in the whole table.
#[derive(Debug, Clone)]
pub struct NTCloseness {
    facts: ClassFacts,
    n: u64,
    /// Whether the table has n rows.
    reachable: bool,
    /// What a class of fewer than n rows must satisfy.
    close: TCloseness,
}

impl NTCloseness {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    ///
    /// # Errors
    /// A column without an order or a hierarchy where the distance needs one.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Result<Self> {
        let close = TCloseness::new(claim.clone(), &asked.closeness(), column, strict)?;
        let fewest = close.class_facts().model.min_safe_rows.min(asked.n);
        let facts = ClassFacts::new(ModelKind::NTCloseness, claim, column.measured, Bound::AtMost(asked.t));
        let facts = facts.strict(strict).min_safe_rows(fewest);
        let reachable = column.rows.iter().sum::<u64>() >= asked.n;
        Ok(NTCloseness { facts, n: asked.n, reachable, close })
    }

    fn large(&self, class: Class<'_>) -> bool {
        class.rows() >= self.n as f64
    }
}

impl ClassModel for NTCloseness {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    /// Parts of a class of fewer than n rows have fewer as well, so all of them must be close.
    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        match (self.reachable, self.large(class)) {
            (false, _) => class.rows(),
            (true, true) => 0.0,
            (true, false) => self.close.unreleasable_rows(class),
        }
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        match (self.reachable, self.large(class)) {
            (false, _) => f64::INFINITY,
            (true, true) => 0.0,
            (true, false) => self.close.figure(class),
        }
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(NTCloseness::new(claim, self, setting.column()?, setting.strict)?))
    }

    fn safe_when_coarser(&self) -> bool {
        self.closeness().safe_when_coarser()
    }

    fn unreachable(&self, setting: &Setting<'_>) -> Option<Fault> {
        let rows = setting.rows;
        (rows < self.n).then(|| {
            fault!(
                Data,
                "model.n-above-rows",
                "n = {n} is larger than the table, which has {rows} rows",
                n = self.n,
                rows = rows
            )
            .key("n")
            .help("lower n, or release more rows at once")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Dictionary;

    /// A table of twelve people, half of them with flu.
    fn figure(n: u64, flu: u32, gout: u32) -> f64 {
        let texts = Dictionary::of([Some("flu"), Some("gout")]);
        let column =
            Values { name: "s", measured: 0, texts: &texts, rows: &[6, 6], hierarchy: None, listed: false };
        let asked = Asked { column: "s".into(), n, distance: Default::default(), t: 0.2, order: None };
        let model = NTCloseness::new(String::new(), &asked, &column, false).unwrap();
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            [(0, flu), (1, gout)].into_iter().filter(|(_, rows)| *rows > 0).unzip();
        model.figure(Class { codes: &codes, counts: &counts })
    }

    #[test]
    fn a_class_is_its_own_superset_from_n_rows_on() {
        assert_eq!(figure(4, 3, 0), 0.5, "three rows are compared with the table");
        assert_eq!(figure(4, 4, 0), 0.0, "four are enough to be learned about");
        assert_eq!(figure(12, 4, 4), 0.0);
        assert_eq!(figure(12, 6, 5), 6.0 / 11.0 - 0.5, "as t-closeness where n is the whole table");
        assert_eq!(figure(13, 6, 6), f64::INFINITY, "nothing has 13 rows");
    }
}
