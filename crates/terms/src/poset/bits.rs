//! The power set [Katirai 2006, PowerPoset]: a set of traits, one character each; the bound of some
//! values is the traits that all of them have.
//!
//! A value is a text of 0 and 1. In a cell, a 1 means that everybody behind it has the trait, and a
//! 0 means nothing: a person behind `010` has the second trait and may have the others. So the
//! bound is a bitwise AND, and a cell without a 1 carries no information and is written as [`TOP`].
//! The measure is the share of zeros, even for a single value, because its zeros cannot be
//! distinguished from those of a bound. (Katirai defines AND; the comments of his examples 5 and 10
//! print 011 for 011 AND 001, which is an OR.) Joining is one AND.

use super::{Common, Given, Kind};
use crate::error::Result;
use crate::fault;
use crate::hierarchy::TOP;
use crate::table::Code;

/// Sets of at most 64 traits.
#[derive(Debug)]
pub(super) struct Bits {
    count: u32,
    of: Vec<u64>,
}

impl Bits {
    pub(super) fn new(count: u32, given: &Given<'_>) -> Result<Self> {
        if !(1..=64).contains(&count) {
            let fault =
                fault!(Input, "poset.bits-out-of-range", "{count} bits are not a poset", count = count)
                    .key("bits");
            return Err(fault.help("give a number from 1 to 64").into());
        }
        let of = given.read(
            |text| bits(text, count),
            |value| {
                fault!(
                    Data,
                    "poset.value-not-bits",
                    "`{value}` is not a text of {count} characters 0 and 1",
                    value = value,
                    count = count
                )
            },
        )?;
        Ok(Bits { count, of: of.into_iter().map(Option::unwrap_or_default).collect() })
    }

    fn written(&self, mask: u64) -> String {
        let width = self.count as usize;
        if mask == 0 { TOP.into() } else { format!("{mask:0width$b}") }
    }
}

fn bits(text: &str, count: u32) -> Option<u64> {
    let fits = text.len() == count as usize && text.bytes().all(|b| b == b'0' || b == b'1');
    fits.then(|| u64::from_str_radix(text, 2).ok()).flatten()
}

impl Kind for Bits {
    /// The traits, one by one.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        let bit = |value: Code, bit: u32| vec![(self.of[value as usize] >> (self.count - bit)) & 1];
        values.iter().map(|&value| (1..=self.count).map(|at| bit(value, at)).collect()).collect()
    }

    fn only(&self, value: Code) -> Common {
        Common::Bits(self.of[value as usize])
    }

    fn join(&self, common: &mut Common, value: Code) {
        if let Common::Bits(mask) = common {
            *mask &= self.of[value as usize];
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        match common {
            Common::Bits(mask) => f64::from(self.count - mask.count_ones()) / f64::from(self.count),
            _ => 1.0,
        }
    }

    fn with(&self, common: &Common, value: Code) -> f64 {
        match common {
            Common::Bits(mask) => self.measure(&Common::Bits(mask & self.of[value as usize])),
            _ => 1.0,
        }
    }

    fn number(&self, common: &Common) -> Option<u64> {
        if let Common::Bits(mask) = common { Some(*mask) } else { None }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        match common {
            Common::Bits(mask) => vec![self.written(*mask)],
            _ => vec![TOP.into()],
        }
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        bits(cell, self.count).map(|mask| self.measure(&Common::Bits(mask)))
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        match (bits(cell, self.count), bits(value, self.count)) {
            (Some(shown), Some(had)) => shown & had == shown,
            _ => false,
        }
    }

    fn under(&self, cell: &str, values: &[Option<String>]) -> Vec<Code> {
        let Some(shown) = bits(cell, self.count) else { return Vec::new() };
        let present = (0..values.len()).filter(|&value| values[value].is_some());
        present.filter(|&value| self.of[value] & shown == shown).map(|value| value as Code).collect()
    }

    fn covered(&self, common: &Common, values: &[Option<String>]) -> Vec<Code> {
        let Common::Bits(mask) = *common else { return Vec::new() };
        let present = (0..values.len()).filter(|&value| values[value].is_some());
        present.filter(|&value| self.of[value] & mask == mask).map(|value| value as Code).collect()
    }
}
