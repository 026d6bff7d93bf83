//! The suppression poset [Katirai 2006]: keep a value or suppress it. Two different values have
//! only `*` in common. Joining is one comparison.

use super::{Common, Given, Kind};
use crate::hierarchy::TOP;
use crate::table::Code;

/// Two values; each is above itself only.
#[derive(Debug)]
pub(super) struct Suppress {
    texts: Vec<String>,
}

impl Suppress {
    pub(super) fn new(given: &Given<'_>) -> Self {
        Suppress { texts: given.texts.iter().map(|&text| text.into()).collect() }
    }
}

impl Kind for Suppress {
    fn only(&self, value: Code) -> Common {
        Common::Between(value, value)
    }

    fn join(&self, common: &mut Common, value: Code) {
        if *common != Common::Between(value, value) {
            *common = Common::Nothing;
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        if matches!(common, Common::Between(..)) { 0.0 } else { 1.0 }
    }

    fn with(&self, common: &Common, value: Code) -> f64 {
        if *common == Common::Between(value, value) { 0.0 } else { 1.0 }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        match common {
            Common::Between(value, _) => vec![self.texts[*value as usize].clone()],
            _ => vec![TOP.into()],
        }
    }

    fn measure_of(&self, _: &str) -> Option<f64> {
        Some(0.0)
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        cell == TOP || cell == value
    }
}
