//! The facts about one column after all cells have been seen: the basis of every proposal.
//!
//! Costs one pass over the sample's values.

use super::Kind;
use super::dates::FORMATS;
use super::missing::placeholder;
use super::names::{Meaning, meaning};
use super::sample::{Sample, Seen};
use super::shape::{self, Shapes, bit, look};
use super::traits::Traits;
use super::words::Says;
use crate::error::Fault;
use crate::hierarchy::{Spec, build};
use crate::table::Dictionary;

/// Most frequent values that are shown.
const TOP: usize = 5;

/// Distinct values of a column of categories, at most; their words and order are looked at.
pub(super) const CATEGORIES: u64 = 100;

/// The facts about one column.
pub(super) struct Facts {
    /// The meaning of its name.
    pub meaning: Meaning,
    /// Cells that hold a value.
    pub present: u64,
    /// Missing cells.
    pub missing: u64,
    /// Distinct values.
    pub distinct: u64,
    /// Whether `distinct` was counted rather than estimated.
    pub exact: bool,
    /// Cells whose value occurs once.
    pub unique: u64,
    /// The common traits of the values.
    pub traits: Traits,
    /// Per pattern, the share of distinct values that fit it.
    shares: [f64; bit::DATE as usize],
    /// Mean number of words in a distinct value.
    pub words: f64,
    /// The numbers at each of a hundred equal parts of the cells, from the least to the greatest;
    /// none where not all are numbers.
    pub percentiles: Vec<f64>,
    /// All values in text order, where they are at most [`CATEGORIES`].
    pub values: Vec<String>,
    /// The most frequent values; none where values were sampled.
    pub top: Vec<(String, u64)>,
    /// The classification of diagnoses that knows all values.
    pub icd: Option<Spec>,
    /// What the values are.
    pub kind: Kind,
}

impl Facts {
    pub fn new(name: &str, missing: u64, present: u64, sample: &Sample, traits: Traits) -> Self {
        let mut facts = Facts {
            meaning: meaning(name),
            present,
            missing,
            distinct: sample.distinct().min(present),
            exact: sample.exact(),
            unique: sample.unique().min(present),
            percentiles: percentiles(sample, &traits),
            values: values(sample),
            traits,
            shares: [0.0; bit::DATE as usize],
            words: 0.0,
            top: top(sample),
            icd: None,
            kind: Kind::Empty,
        };
        facts.look(sample);
        facts.icd = facts.icd(sample);
        facts.kind = facts.kind();
        facts
    }

    fn look(&mut self, sample: &Sample) {
        let mut counts = [0_u64; bit::DATE as usize];
        let (mut values, mut words) = (0_u64, 0_usize);
        for seen in sample.iter().filter(|s| placeholder(&s.text).is_none()) {
            values += 1;
            words += seen.text.split_whitespace().count();
            let shapes = look(&seen.text, bit::ALL & !bit::DATES).shapes;
            for (i, count) in counts.iter_mut().enumerate() {
                *count += shapes >> i & 1;
            }
        }
        let values = values.max(1) as f64;
        self.shares = counts.map(|n| n as f64 / values);
        self.words = words as f64 / values;
    }

    /// Codes have gaps that no pattern covers, so the hierarchy itself decides.
    fn icd(&self, sample: &Sample) -> Option<Spec> {
        let dictionary = || Dictionary::of(sample.iter().map(|s| Some(&*s.text)));
        let builds =
            |spec: &Spec| build(spec, &dictionary(), &|_| Err(Fault::bug("no file is read").into())).is_ok();
        let asked = [(bit::ICD10, Spec::Icd10), (bit::ICD9, Spec::Icd9)];
        let fits = |shape| self.exact && self.share(shape) > 0.99;
        asked.into_iter().find(|(shape, spec)| fits(*shape) && builds(spec)).map(|(_, spec)| spec)
    }

    /// The share of distinct values that fit a pattern.
    pub fn share(&self, shape: Shapes) -> f64 {
        self.shares[shape.trailing_zeros() as usize % self.shares.len()]
    }

    /// The share of present cells whose value occurs once.
    pub fn unique_share(&self) -> f64 {
        self.unique as f64 / self.present.max(1) as f64
    }

    /// Whether values hardly ever repeat, in a sufficiently large table.
    pub fn nearly_unique(&self) -> bool {
        self.present >= 20 && self.unique_share() >= 0.9
    }

    /// Whether values repeat so much that they can only be classes of something.
    pub fn repeats(&self) -> bool {
        self.distinct <= 50 && self.unique_share() < 0.2
    }

    /// Whether the values are whole numbers without gaps that each occur once.
    pub fn counts_rows(&self) -> bool {
        let (low, high) = self.traits.range;
        let run = high - low + 1.0;
        self.kind == Kind::Integer && self.unique == self.present && self.present >= 5 && {
            if self.exact {
                run == self.present as f64
            } else {
                (run / self.present as f64 - 1.0).abs() < 0.01
            }
        }
    }

    /// Whether values look like numbers that were given out: nearly unique and all of one length of
    /// five characters or more.
    pub fn given_out(&self) -> bool {
        let (shortest, longest) = self.traits.length;
        let number = self.kind == Kind::Integer || self.kind == Kind::Code;
        number && self.nearly_unique() && shortest == longest && longest >= 5
    }

    /// Whether the values are long texts that do not just repeat a few.
    pub fn free_text(&self) -> bool {
        let many = self.distinct > 100 || self.unique_share() > 0.3;
        many && (self.words >= 5.0 || self.traits.length.1 >= 200)
    }

    /// Whether all values are numbers, placeholders aside.
    pub fn numeric(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Decimal)
            || self.traits.all(bit::NUMBER) && self.kind == Kind::Boolean
    }

    /// Whether all values are numbers without a fraction, also where they are written 3.0.
    pub fn whole(&self) -> bool {
        self.numeric() && self.traits.all(bit::WHOLE)
    }

    /// Whether the values are decimals with many different fractions: measured or computed.
    pub fn measured(&self) -> bool {
        self.kind == Kind::Decimal && !self.whole() && self.distinct > 20
    }

    /// Whether the values are numbers of persons or things, each in one row or more, and some in
    /// several.
    pub fn repeated(&self) -> bool {
        self.distinct >= 20 && self.present as f64 >= 1.05 * self.distinct as f64
    }

    /// Whether the values are codes of one length with letters or leading zeros, many and each
    /// repeated a few times: numbers of persons whose name says nothing.
    pub fn repeated_codes(&self) -> bool {
        let (shortest, longest) = self.traits.length;
        let long = shortest == longest && longest >= 6;
        let often = self.present / self.distinct.max(1) <= 50;
        self.kind == Kind::Code && long && self.repeated() && self.distinct >= 200 && often
    }

    /// Whether the values are dates.
    pub fn dated(&self) -> bool {
        matches!(self.kind, Kind::Date { .. } | Kind::DateTime { .. })
    }

    /// Whether the values are numbers between two bounds.
    pub fn between(&self, low: f64, high: f64) -> bool {
        self.numeric() && self.traits.range.0 >= low && self.traits.range.1 <= high
    }

    fn kind(&self) -> Kind {
        let all = |shape| self.traits.all(shape);
        if self.present == 0 {
            return Kind::Empty;
        }
        if self.distinct == 2 && self.exact && all(bit::BOOLEAN) {
            return Kind::Boolean;
        }
        if let Some(format) = self.format() {
            let pattern = FORMATS[format].pattern.to_owned();
            return if FORMATS[format].timed {
                Kind::DateTime { format: pattern }
            } else {
                Kind::Date { format: pattern }
            };
        }
        match () {
            () if all(bit::TIME) => Kind::Time,
            () if all(bit::INTEGER) => Kind::Integer,
            () if all(bit::DIGITS) => Kind::Code,
            () if all(bit::NUMBER) => Kind::Decimal,
            () if all(bit::CODE) => Kind::Code,
            () if self.free_text() || self.distinct > 20 && self.distinct > self.present / 2 => Kind::Text,
            () => Kind::Category,
        }
    }

    /// The date format of the column. Eight digits are a date only if the name says so or if there
    /// are too many of them to be dates by chance.
    pub fn format(&self) -> Option<usize> {
        let format = self.traits.format()?;
        let bare = self.traits.all(bit::DIGITS);
        let named = matches!(self.meaning.says(), Some(Says::Date));
        (!bare || named || self.distinct >= 10).then_some(format)
    }
}

/// The most frequent values, first the most frequent, equal ones in text order.
fn top(sample: &Sample) -> Vec<(String, u64)> {
    if !sample.exact() {
        return Vec::new();
    }
    let mut best: Vec<&Seen> = sample.iter().collect();
    let order = |a: &&Seen, b: &&Seen| (b.count, &a.text, a.length).cmp(&(a.count, &b.text, b.length));
    if best.len() > TOP {
        best.select_nth_unstable_by(TOP, order);
        best.truncate(TOP);
    }
    best.sort_unstable_by(order);
    let shown = |s: &Seen| if s.cut() { format!("{}…", s.text) } else { s.text.to_string() };
    best.into_iter().map(|s| (shown(s), s.count)).collect()
}

/// All values in text order, where there are few.
fn values(sample: &Sample) -> Vec<String> {
    if !sample.exact() || sample.distinct() > CATEGORIES {
        return Vec::new();
    }
    let mut values: Vec<String> = sample.iter().filter(|s| !s.cut()).map(|s| s.text.to_string()).collect();
    values.sort_unstable();
    values
}

/// The numbers at each hundredth of the cells, where all are numbers.
fn percentiles(sample: &Sample, traits: &Traits) -> Vec<f64> {
    if !traits.all(bit::NUMBER) {
        return Vec::new();
    }
    let mut numbers: Vec<(f64, u64)> =
        sample.iter().filter_map(|s| shape::number(&s.text).map(|x| (x, s.count))).collect();
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let total: u64 = numbers.iter().map(|(_, n)| n).sum();
    let (mut at, mut below) = (0, 0);
    let mut percentiles = Vec::with_capacity(101);
    for percent in 0..=100 {
        // In two steps, so that counts near 2⁶⁴ do not overflow.
        let rank = (total / 100 * percent + total % 100 * percent / 100).min(total.saturating_sub(1));
        while at + 1 < numbers.len() && below + numbers[at].1 <= rank {
            below += numbers[at].1;
            at += 1;
        }
        percentiles.extend(numbers.get(at).map(|n| n.0));
    }
    percentiles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, values: &[&str]) -> Facts {
        let mut sample = Sample::new(1000);
        let mut traits = Traits::new();
        for value in values {
            sample.add(value);
            traits.see(value);
        }
        Facts::new(name, 0, values.len() as u64, &sample, traits)
    }

    #[test]
    fn kinds() {
        let date = |f: &str| Kind::Date { format: f.into() };
        for (values, kind) in [
            (&[][..], Kind::Empty),
            (&["yes", "no"], Kind::Boolean),
            (&["0", "1", "1"], Kind::Boolean),
            (&["1"], Kind::Integer),
            (&["1", "2", "?"], Kind::Integer),
            (&["1.5", "2"], Kind::Decimal),
            (&["02139", "10115"], Kind::Code),
            (&["A12", "B13"], Kind::Code),
            (&["red", "green"], Kind::Category),
            (&["2020-01-31"], date("%Y-%m-%d")),
            (&["20200131"], Kind::Integer),
            (&["2020-01-31 10:00"], Kind::DateTime { format: "%Y-%m-%d %H:%M".into() }),
            (&["one two three four five six"], Kind::Text),
            (&["?"], Kind::Category),
        ] {
            assert_eq!(facts("x", values).kind, kind, "{values:?}");
        }
        assert_eq!(facts("visit_date", &["20200131"]).kind, date("%Y%m%d"));
    }

    #[test]
    fn the_most_frequent_come_first() {
        let facts = facts("x", &["b", "a", "c", "c", "a", "d", "e", "f", "g"]);
        let top: Vec<_> = facts.top.iter().map(|(v, n)| (v.as_str(), *n)).collect();
        assert_eq!(top, [("a", 2), ("c", 2), ("b", 1), ("d", 1), ("e", 1)]);
    }

    #[test]
    fn shares_are_of_distinct_values() {
        let facts = facts("x", &["a@b.c", "a@b.c", "x", "NA"]);
        assert_eq!(facts.share(bit::EMAIL), 0.5);
        assert_eq!(facts.unique_share(), 0.5);
    }

    #[test]
    fn percentiles_are_of_cells() {
        let values: Vec<String> =
            (0..1000).map(|i| if i == 999 { "1000000".into() } else { i.to_string() }).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let percentiles = facts("x", &values).percentiles;
        assert_eq!(
            (percentiles[0], percentiles[1], percentiles[99], percentiles[100]),
            (0.0, 10.0, 990.0, 1e6)
        );
        let skewed = facts("x", &["0", "0", "0", "0", "0", "0", "0", "0", "0", "7"]).percentiles;
        assert_eq!((skewed.len(), skewed[50], skewed[89], skewed[90]), (101, 0.0, 0.0, 7.0));
        assert!(facts("x", &["a"]).percentiles.is_empty());
    }

    #[test]
    fn whole_numbers_however_they_are_written() {
        let counts = facts("x", &["3.0", "0.0", "12.0"]);
        assert_eq!((counts.kind.clone(), counts.whole()), (Kind::Decimal, true));
        assert!(!facts("x", &["3.0", "0.5"]).whole());
        assert!(facts("x", &["3", "4"]).whole());
        assert!(!facts("x", &["a"]).whole());
    }

    #[test]
    fn row_numbers_have_no_gaps() {
        assert!(facts("x", &["3", "1", "2", "5", "4"]).counts_rows());
        assert!(!facts("x", &["3", "1", "2", "6", "4"]).counts_rows());
        assert!(!facts("x", &["1", "2", "3"]).counts_rows());
    }
}
