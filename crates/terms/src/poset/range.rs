//! Ranges of numbers [Katirai 2006, RangePoset]: the bound of [a, b] and [c, d] is [min(a, c),
//! max(b, d)].
//!
//! Values are numbers or ranges. The measure is the width over the width at which a range is
//! worthless (Katirai's `MaxDiff`). A range of that width or more has measure 1 and is still written
//! as a range. Katirai calls the result an upper bound but not the least, since [10, 15] contains 13,
//! which neither [10, 12] nor [14, 15] contains; among ranges it is the least. The ends of all
//! values are sorted once, so joining compares two integers.

use super::{Common, Given, Kind, Range};
use crate::cell::{Cell, Interval, number};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::TOP;
use crate::table::Code;

/// Any two numbers of at most this many digits differ as 64-bit floats.
const DIGITS: usize = 15;

/// Ranges between the ends of a column's values.
#[derive(Debug)]
pub(super) struct Ranges {
    /// All lower ends and all upper ends, in order, with how each is written.
    ends: Vec<(f64, String)>,
    /// Value → places of its ends.
    of: Vec<(Code, Code)>,
    worthless: f64,
    /// The values by size, where all of them are numbers.
    line: Option<Vec<Code>>,
}

impl Ranges {
    pub(super) fn new(spec: &Range, given: &Given<'_>) -> Result<Self> {
        Error::check(unbounded(spec))?;
        let read = given.read(ends, |value| {
            fault!(
                Data,
                "poset.value-not-a-range",
                "`{value}` is not a number or a range of numbers such as [10, 25]",
                value = value
            )
        })?;
        Error::check(outside(spec, given, &read))?;
        Error::check(too_long(given, &read))?;
        let mut all: Vec<(f64, String)> = read.iter().flatten().flat_map(|pair| pair.clone()).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        all.dedup_by(|a, b| a.0 == b.0);
        let place = |x: f64| all.partition_point(|end| end.0 < x) as Code;
        let of = read.iter().map(|pair| pair.as_ref().map_or((0, 0), |[l, h]| (place(l.0), place(h.0))));
        let of: Vec<(Code, Code)> = of.collect();
        let numbers = read.iter().flatten().all(|[low, high]| low.0 == high.0);
        let line = numbers.then(|| {
            let mut line: Vec<Code> = given.present().map(|(code, _)| code).collect();
            line.sort_by_key(|&code| of[code as usize].0);
            line
        });
        let low = spec.low.or(all.first().map(|end| end.0)).unwrap_or(0.0);
        let high = spec.high.or(all.last().map(|end| end.0)).unwrap_or(0.0);
        let worthless = spec.worthless.unwrap_or(high - low);
        if spec.worthless.is_some_and(|width| !(width > 0.0 && width.is_finite())) {
            return Err(fault!(
                Input,
                "poset.width-not-positive",
                "{width} is not a width",
                width = worthless
            )
            .key("worthless")
            .help("give a number above 0")
            .into());
        }
        Ok(Ranges { ends: all, of, worthless, line })
    }

    fn width(&self, low: Code, high: Code) -> f64 {
        self.ends[high as usize].0 - self.ends[low as usize].0
    }
}

/// The two ends of a value, with their texts; none where it is neither a number nor a closed range.
fn ends(text: &str) -> Option<[(f64, String); 2]> {
    if let Some(x) = number(text) {
        return Some([(x, text.trim().into()), (x, text.trim().into())]);
    }
    let text = text.trim();
    let (low, high) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(',')?;
    let (low, high) = (low.trim(), high.trim());
    let (a, b) = (number(low)?, number(high)?);
    (a <= b).then(|| [(a, low.into()), (b, high.into())])
}

/// Bounds that are not numbers: every range would have the same measure.
fn unbounded(spec: &Range) -> Vec<Fault> {
    let ends = [("low", spec.low), ("high", spec.high)];
    let endless = ends.into_iter().filter_map(|(key, end)| Some((key, end.filter(|x| !x.is_finite())?)));
    let fault = |(key, end): (&str, f64)| {
        fault!(
            Input,
            "poset.end-not-finite",
            "{key} = {value} is not an end of ranges",
            key = key,
            value = end
        )
        .key(key)
        .help("give a number, or leave it out, and the values' own end counts")
    };
    endless.map(fault).collect()
}

/// Numbers that 64-bit floats do not distinguish: one would be released as the other.
fn too_long(given: &Given<'_>, read: &[Option<[(f64, String); 2]>]) -> Vec<Fault> {
    let long = |pair: &Option<[(f64, String); 2]>| pair.iter().flatten().any(|end| digits(&end.1) > DIGITS);
    let fault = read.iter().zip(given.texts).find(|(pair, _)| long(pair)).map(|(_, text)| {
        fault!(
            Data,
            "poset.too-many-digits",
            "`{value}` has more than {limit} digits, which ranges of numbers cannot distinguish",
            value = text,
            limit = DIGITS
        )
        .help("give the column a hierarchy of intervals or another poset, or round its numbers")
    });
    fault.into_iter().collect()
}

/// Digits of a number that count.
fn digits(text: &str) -> usize {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').len()
}

/// Values beyond the bounds, and bounds the wrong way round.
fn outside(spec: &Range, given: &Given<'_>, read: &[Option<[(f64, String); 2]>]) -> Vec<Fault> {
    let (low, high) = (spec.low.unwrap_or(f64::NEG_INFINITY), spec.high.unwrap_or(f64::INFINITY));
    if low > high {
        let fault = fault!(
            Input,
            "poset.low-above-high",
            "low = {low} is above high = {high}",
            low = low,
            high = high
        )
        .key("low");
        return vec![fault.help("give the smaller of the two as low")];
    }
    let beyond = read
        .iter()
        .zip(given.texts)
        .find(|(pair, _)| pair.as_ref().is_some_and(|[a, b]| a.0 < low || b.0 > high));
    let fault = beyond.map(|(_, text)| {
        fault!(
            Data,
            "poset.value-out-of-range",
            "`{value}` is not between {low} and {high}",
            value = text,
            low = low,
            high = high
        )
        .help("widen low and high, or leave them out")
    });
    fault.into_iter().collect()
}

/// How often the width of a worthless range is halved for the fields that a value implies.
const HALVINGS: i32 = 6;

impl Kind for Ranges {
    /// The ranges around a value that start at the lowest end and are as wide as a worthless one, or
    /// half as wide, and so on: a value has endless ancestors, and these nest.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        let (Some(first), Some(last)) = (self.ends.first(), self.ends.last()) else { return Vec::new() };
        let (first, last) = (first.0, last.0);
        let field = |value: Code, halved: i32| {
            let (low, high) = self.of[value as usize];
            let width = self.worthless / 2f64.powi(halved);
            let most = (((last - first) / width).ceil() - 1.0).max(0.0);
            let range = |at: Code| ((self.ends[at as usize].0 - first) / width).floor().min(most) as u64;
            vec![range(low), range(high)]
        };
        let halvings = if self.worthless > 0.0 { HALVINGS } else { -1 };
        values.iter().map(|&value| (0..=halvings).map(|halved| field(value, halved)).collect()).collect()
    }

    fn only(&self, value: Code) -> Common {
        let (low, high) = self.of[value as usize];
        Common::Between(low, high)
    }

    fn join(&self, common: &mut Common, value: Code) {
        let (low, high) = self.of[value as usize];
        if let Common::Between(a, b) = common {
            *common = Common::Between((*a).min(low), (*b).max(high));
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        match common {
            Common::Between(low, high) if low == high => 0.0,
            Common::Between(low, high) => (self.width(*low, *high) / self.worthless).min(1.0),
            _ => 1.0,
        }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        let cell = match common {
            Common::Between(low, high) if low == high => self.ends[*low as usize].1.clone(),
            Common::Between(low, high) => {
                format!("[{}, {}]", self.ends[*low as usize].1, self.ends[*high as usize].1)
            }
            _ => TOP.into(),
        };
        vec![cell]
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        let [(low, _), (high, _)] = ends(cell)?;
        Some(if low == high { 0.0 } else { ((high - low) / self.worthless).min(1.0) })
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        let Some([(low, _), (high, _)]) = ends(value) else { return cell == TOP };
        match Cell::parse(cell) {
            Cell::Anything => true,
            Cell::Interval(Interval { low: a, high: b, .. }) => a <= low && high <= b,
            Cell::Value(text) => number(&text).is_some_and(|x| x == low && x == high),
            _ => false,
        }
    }

    fn line(&self) -> Option<&[Code]> {
        self.line.as_deref()
    }

    fn stretch(&self, cell: &str) -> std::ops::Range<usize> {
        let (low, high) = match Cell::parse(cell) {
            Cell::Interval(Interval { low, high, .. }) => (low, high),
            _ => match number(cell) {
                Some(x) => (x, x),
                None => return 0..0,
            },
        };
        let line = self.line.as_deref().unwrap_or_default();
        let size = |code: &Code| self.ends[self.of[*code as usize].0 as usize].0;
        let from = line.partition_point(|code| size(code) < low);
        from..line.partition_point(|code| size(code) <= high).max(from)
    }

    fn covered(&self, common: &Common, values: &[Option<String>]) -> Vec<Code> {
        let Common::Between(low, high) = common else { return Vec::new() };
        let inside = |code: &Code| {
            let (a, b) = self.of[*code as usize];
            values[*code as usize].is_some() && low <= &a && &b <= high
        };
        (0..values.len() as Code).filter(inside).collect()
    }

    fn with(&self, common: &Common, value: Code) -> f64 {
        let (low, high) = self.of[value as usize];
        match common {
            Common::Between(a, b) => self.measure(&Common::Between((*a).min(low), (*b).max(high))),
            _ => 1.0,
        }
    }
}
