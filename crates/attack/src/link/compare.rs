//! How far a released cell and an external value agree: levels of agreement, as in Fellegi and
//! Sunter's comparison vectors [Fellegi 1969].
//!
//! | level | text | number | date | generalized cell |
//! | --- | --- | --- | --- | --- |
//! | same | equal | equal | equal | |
//! | close | Jaro–Winkler ≥ 0.92 | within 5 % of the standard deviation | within 31 days, or one character | |
//! | similar | Jaro–Winkler ≥ 0.8 | within 25 % | within 366 days | |
//! | within, narrow | | | | covers the value, and at most 1 % of the rows |
//! | within | | | | covers the value, and at most 10 % |
//! | within, wide | | | | covers the value, and more |
//! | different | all others | all others | all others | does not cover the value |
//! | unknown | missing | missing | missing | `*` or missing |
//!
//! A pair of values is compared once where the table of all pairs is small, and otherwise looked up
//! in a small cache. The cells of a pair of rows become one number, three bits per column.

use rayon::prelude::*;
use throng_terms::hierarchy::Hierarchy;
use throng_terms::table::Code;

use super::similarity::jaro_winkler;
use crate::cover::{Covered, Missing, covers};
use crate::table::{Column, Scale};

/// A level of agreement.
pub(crate) type Level = u8;

pub(crate) const UNKNOWN: Level = 0;
pub(crate) const DIFFERENT: Level = 1;
pub(crate) const WIDE: Level = 2;
pub(crate) const WITHIN: Level = 3;
pub(crate) const NARROW: Level = 4;
pub(crate) const SIMILAR: Level = 5;
pub(crate) const CLOSE: Level = 6;
pub(crate) const SAME: Level = 7;
/// Number of levels.
pub(crate) const LEVELS: usize = 8;
/// Bits of a level in a pattern.
pub(crate) const BITS: u32 = 3;
/// The most columns that fit a pattern.
pub(crate) const MOST: usize = 21;

/// What levels are called, from the lowest.
pub(crate) const NAMES: [&str; LEVELS] =
    ["unknown", "different", "within, wide", "within", "within, narrow", "similar", "close", "same"];

/// Pairs of values of a column that are compared beforehand.
const TABLE: usize = 1 << 22;
/// Entries of a cache, a power of two.
const CACHE: usize = 1 << 16;

/// Compares the cells of a column.
pub(crate) struct Comparer<'a> {
    released: &'a Column,
    external: &'a Column,
    pub(crate) covers: Vec<Covered>,
    /// Released code × external code → level, if there are few pairs.
    table: Vec<Level>,
    /// Texts as characters, code by code; empty where they are not compared as texts.
    texts: [Vec<Vec<char>>; 2],
    /// Released code → number.
    numbers: Vec<f64>,
    deviation: f64,
}

impl<'a> Comparer<'a> {
    pub(crate) fn new(released: &'a Column, external: &'a Column, hierarchy: Option<&Hierarchy>) -> Self {
        let covers = covers(released, external, hierarchy, Missing::Unknown);
        let value = |code: Code| released.dictionary.value(code).and_then(throng_statistics::cells::value);
        let of = |column: &Column| -> Vec<Vec<char>> {
            let text = |code| column.dictionary.value(code).unwrap_or_default().chars().collect();
            (0..column.size() as Code).map(text).collect()
        };
        let numbers = (0..released.size() as Code).map(|code| value(code).unwrap_or(f64::NAN)).collect();
        let texts =
            if external.scale == Scale::Numbers { [vec![], vec![]] } else { [of(released), of(external)] };
        let mut comparer = Comparer {
            released,
            external,
            covers,
            table: Vec::new(),
            texts,
            numbers,
            deviation: deviation(external),
        };
        if released.size().saturating_mul(external.size()) <= TABLE {
            let row = |code: Code| -> Vec<Level> {
                (0..external.size() as Code).map(|other| comparer.compared(code, other)).collect()
            };
            comparer.table = (0..released.size() as Code).into_par_iter().flat_map_iter(row).collect();
        }
        comparer
    }

    /// The level of a pair of values.
    pub(crate) fn level(&self, released: Code, external: Code, cache: &mut Cache) -> Level {
        if !self.table.is_empty() {
            return self.table[released as usize * self.external.size() + external as usize];
        }
        let covered = &self.covers[released as usize];
        if covered.same == Some(external) || !covered.specific || self.external.scale != Scale::Text {
            return self.compared(released, external);
        }
        cache.get(released, external, || self.compared(released, external))
    }

    fn compared(&self, released: Code, external: Code) -> Level {
        let covered = &self.covers[released as usize];
        let unknown = self.external.dictionary.missing() == Some(external);
        if covered.anything || unknown {
            return UNKNOWN;
        }
        if covered.same == Some(external) {
            return SAME;
        }
        if !covered.specific {
            return match covered.runs.has(external) {
                true if covered.share <= 0.01 => NARROW,
                true if covered.share <= 0.1 => WITHIN,
                true => WIDE,
                false => DIFFERENT,
            };
        }
        match self.external.scale {
            Scale::Numbers => self.of_numbers(released, external),
            Scale::Dates => self.of_dates(released, external),
            Scale::Text => {
                let similar =
                    jaro_winkler(&self.texts[0][released as usize], &self.texts[1][external as usize]);
                match similar {
                    s if s >= 0.92 => CLOSE,
                    s if s >= 0.8 => SIMILAR,
                    _ => DIFFERENT,
                }
            }
        }
    }

    fn of_numbers(&self, released: Code, external: Code) -> Level {
        let apart = (self.numbers[released as usize] - self.external.numbers[external as usize]).abs();
        match apart {
            0.0 => SAME,
            x if x <= 0.05 * self.deviation => CLOSE,
            x if x <= 0.25 * self.deviation => SIMILAR,
            _ => DIFFERENT,
        }
    }

    fn of_dates(&self, released: Code, external: Code) -> Level {
        let apart = (self.numbers[released as usize] - self.external.numbers[external as usize]).abs();
        let [a, b] = [&self.texts[0][released as usize], &self.texts[1][external as usize]];
        let one_edit = a.len() == b.len() && a.iter().zip(b).filter(|(a, b)| a != b).count() == 1;
        match apart {
            0.0 => SAME,
            x if x <= 31.0 || one_edit => CLOSE,
            x if x <= 366.0 => SIMILAR,
            _ => DIFFERENT,
        }
    }

    /// Level → share of all pairs of rows at it, if that can be counted.
    pub(crate) fn shares(&self) -> Option<[f64; LEVELS]> {
        if self.table.is_empty() {
            return None;
        }
        let (mut rows, external) = ([0u128; LEVELS], &self.external.dictionary);
        for (code, levels) in self.table.chunks(self.external.size()).enumerate() {
            let count = u128::from(self.released.dictionary.count(code as Code));
            for (other, &level) in levels.iter().enumerate() {
                rows[level as usize] += count * u128::from(external.count(other as Code));
            }
        }
        let all: u128 = rows.iter().sum();
        Some(rows.map(|rows| rows as f64 / all.max(1) as f64))
    }
}

/// The standard deviation of the numbers of a column.
fn deviation(column: &Column) -> f64 {
    if column.scale != Scale::Numbers {
        return 0.0;
    }
    let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for code in 0..column.size() as Code {
        let (x, count) = (column.numbers[code as usize], column.dictionary.count(code) as f64);
        if x.is_finite() {
            (n, sum) = (n + count, sum + count * x);
        }
    }
    let mean: f64 = if n > 0.0 { sum / n } else { 0.0 };
    for code in 0..column.size() as Code {
        let (x, count) = (column.numbers[code as usize], column.dictionary.count(code) as f64);
        if x.is_finite() {
            squares += count * (x - mean) * (x - mean);
        }
    }
    if n > 0.0 { (squares / n).sqrt() } else { 0.0 }
}

/// Levels of pairs of values that were compared lately.
pub(crate) struct Cache(Vec<(u64, Level)>);

impl Cache {
    pub(crate) fn new() -> Self {
        Cache(Vec::new())
    }

    fn get(&mut self, a: Code, b: Code, compare: impl FnOnce() -> Level) -> Level {
        if self.0.is_empty() {
            self.0 = vec![(u64::MAX, UNKNOWN); CACHE];
        }
        let key = u64::from(a) << 32 | u64::from(b);
        let slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize % CACHE;
        if self.0[slot].0 != key {
            self.0[slot] = (key, compare());
        }
        self.0[slot].1
    }
}

/// The level of a column in a pattern.
pub(crate) fn level_of(pattern: u64, column: usize) -> Level {
    (pattern >> (BITS * column as u32) & 7) as Level
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(released: &[&str], external: &[&str]) -> Vec<Vec<&'static str>> {
        let a = Column::new("c", released.iter().map(|text| (!text.is_empty()).then_some(*text)));
        let b = Column::new("c", external.iter().map(|text| (!text.is_empty()).then_some(*text)));
        let comparer = Comparer::new(&a, &b, None);
        let mut cache = Cache::new();
        let level = |x: usize, y: usize, cache: &mut Cache| {
            let level = comparer.level(a.codes[x], b.codes[y], cache);
            assert_eq!(level, comparer.compared(a.codes[x], b.codes[y]));
            NAMES[level as usize]
        };
        (0..released.len()).map(|x| (0..external.len()).map(|y| level(x, y, &mut cache)).collect()).collect()
    }

    #[test]
    fn levels_are_as_documented() {
        let found = levels(&["Smith", "Smyth", "*", ""], &["Smith", "Smithe", "Jones", ""]);
        assert_eq!(found[0], ["same", "close", "different", "unknown"]);
        assert_eq!(found[1], ["similar", "similar", "different", "unknown"]);
        assert_eq!(found[2], ["unknown"; 4]);
        assert_eq!(found[3], ["unknown"; 4]);
        let found = levels(&["30", "30.0", "[20, 40)"], &["30", "31", "90", "30", "30", "30"]);
        assert_eq!(found[0][..3], ["same", "close", "different"]);
        assert_eq!(found[1][0], "same");
        assert_eq!(found[2][..3], ["within, wide", "within, wide", "different"]);
        let found =
            levels(&["1960-07-31", "1960"], &["1960-07-31", "1960-08-01", "1988-02-14", "1961-05-01"]);
        assert_eq!(found[0], ["same", "close", "different", "similar"]);
        assert_eq!(found[1], ["within, wide", "within, wide", "different", "different"]);
    }
}
