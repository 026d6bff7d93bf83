//! Number ranges: 23 → [20, 25) → [20, 40) → `*`, by equal widths or listed bounds.
//!
//! A level is a list of bounds, and each level's bounds are among those of the level below, so
//! levels nest. Values outside `low` and `high` are coded at the ends, `< 0` and `>= 100`, at every
//! level above 0. Equal widths count from `low` in steps of the smallest width; wider levels take
//! every n-th of those bounds. With `nested = false` every level counts its own widths from `low`,
//! or has bounds of its own [El Emam 2009, "2-year interval, and then … 5-year interval"]. Bounds
//! are compared as they are printed, so that 0.3 is in [0.3,
//! 0.4) although 3 × 0.1 is not 0.3 to the machine. Costs values × levels.

use super::build::{unfit, values};
use super::{Assembly, Intervals, TOP};
use crate::cell::number;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::table::Dictionary;

/// Significant digits of a printed bound; sums of a few doubles are exact to more than this.
const DIGITS: i32 = 14;
/// The least width as a part of the largest number: leaves two digits of [`DIGITS`] to it.
const FINEST: f64 = 1e-12;

/// One level per width or list of bounds, then the top.
pub(super) fn assembly(spec: &Intervals, dictionary: &Dictionary) -> Result<Assembly> {
    let mut faults = ends(spec);
    faults.extend(match (spec.widths.is_empty(), spec.bounds.is_empty()) {
        (false, true) => widths(spec),
        (true, false) => bounds(spec),
        _ => vec![
            fault!(Input, "hierarchy.widths-or-bounds", "exactly one of `widths` and `bounds` is needed")
                .help("write for instance widths = [5, 10, 20], or bounds = [[0, 18, 65, 120], [18, 65]]"),
        ],
    });
    let (numbers, others) = numbers(dictionary);
    let not_numbers = unfit(
        &others,
        |value| fault!(Data, "hierarchy.value-not-a-number", "`{value}` is not a number", value = value),
        |value, count, more| {
            fault!(
                Data,
                "hierarchy.value-not-a-number",
                "{count} values are not numbers: `{value}` and {more} more",
                count = count,
                value = value,
                more = more
            )
        },
    );
    faults.extend(not_numbers.map(|fault| {
        fault.help("list it under input.null if it means missing, or choose another hierarchy")
    }));
    Error::check(faults)?;
    let scale = if spec.bounds.is_empty() { Scale::equal(spec, &numbers)? } else { Scale::listed(spec) };
    let mut assembly = Assembly::default();
    for (value, x) in numbers {
        assembly.add_chain(value, scale.height() + 1, spec.nested, |level, label| {
            if level > scale.height() { label.push_str(TOP) } else { scale.write(x, level, label) }
        });
    }
    Ok(assembly)
}

/// The values with their numbers, and the values that are none.
fn numbers(dictionary: &Dictionary) -> (Vec<(&str, f64)>, Vec<&str>) {
    let (mut numbers, mut others) = (Vec::new(), Vec::new());
    for value in values(dictionary) {
        match number(value) {
            Some(x) => numbers.push((value, x)),
            None => others.push(value),
        }
    }
    (numbers, others)
}

fn ends(spec: &Intervals) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, end) in [("low", spec.low), ("high", spec.high)] {
        if let Some(end) = end.filter(|x| !x.is_finite()) {
            faults.push(
                fault!(Input, "hierarchy.end-not-finite", "`{key}` is {value}", key = name, value = end)
                    .help("give a number, or leave it out"),
            );
        }
    }
    if let (Some(low), Some(high)) = (spec.low, spec.high)
        && low >= high
    {
        faults.push(
            fault!(
                Input,
                "hierarchy.low-not-below-high",
                "`low` is {low} and `high` is {high}",
                low = low,
                high = high
            )
            .help("`low` must be below `high`"),
        );
    }
    faults
}

/// Errors of equal widths.
fn widths(spec: &Intervals) -> Vec<Fault> {
    let mut faults = Vec::new();
    for width in spec.widths.iter().filter(|w| !w.is_finite() || **w <= 0.0) {
        faults.push(
            fault!(
                Input,
                "hierarchy.width-not-positive",
                "a width of {width} makes no interval",
                width = width
            )
            .help("give widths above 0"),
        );
    }
    if !faults.is_empty() {
        return faults;
    }
    if !spec.nested {
        let narrower = spec.widths.windows(2).find(|pair| pair[1] < pair[0]);
        return narrower
            .map(|pair| falls(&format!("width {}", pair[0]), &format!("width {}", pair[1])))
            .into_iter()
            .collect();
    }
    for pair in spec.widths.windows(2).filter(|pair| ratio(pair[0], pair[1]).is_none()) {
        faults.push(
            fault!(
                Input,
                "hierarchy.widths-do-not-nest",
                "not nested: width {wide} is not a multiple of width {narrow}",
                wide = pair[1],
                narrow = pair[0]
            )
            .help(format!(
                "make each width a multiple of the one before, for instance widths = [5, 10, 20]; {UNNESTED}"
            )),
        );
    }
    faults
}

/// How levels may be used that do not nest.
pub(super) const UNNESTED: &str = "or write nested = false, with algorithm = \"mingen\" or \"datafly\"";

/// The widths that are left if each must be a multiple of the last one kept.
pub(super) fn nesting(widths: &[f64]) -> Vec<f64> {
    let mut kept: Vec<f64> = Vec::new();
    for &width in widths {
        if kept.last().is_none_or(|&last| ratio(last, width).is_some()) {
            kept.push(width);
        }
    }
    kept
}

/// A level that is finer than the one below it.
pub(super) fn falls(below: &str, level: &str) -> Fault {
    fault!(
        Input,
        "hierarchy.levels-get-finer",
        "{level} is above {below}, and finer",
        level = level,
        below = below
    )
    .help("list levels from the finest to the coarsest")
}

/// How often the narrow width goes into the wide one, if it does so exactly.
fn ratio(narrow: f64, wide: f64) -> Option<i64> {
    let ratio = wide / narrow;
    let whole = ratio.round();
    let fits = (1.0..=1.0 / FINEST).contains(&whole) && (ratio - whole).abs() <= 1e-9 * whole;
    fits.then_some(whole as i64)
}

/// Errors of listed bounds.
fn bounds(spec: &Intervals) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (i, bounds) in spec.bounds.iter().enumerate() {
        let level = i + 1;
        if bounds.is_empty() {
            faults.push(
                fault!(Input, "hierarchy.level-without-bounds", "level {level} has no bounds", level = level)
                    .help("list at least one"),
            );
        }
        if bounds.iter().any(|b| !b.is_finite()) || bounds.windows(2).any(|pair| pair[0] >= pair[1]) {
            faults.push(
                fault!(
                    Input,
                    "hierarchy.bounds-not-ascending",
                    "the bounds of level {level} are not ascending",
                    level = level
                )
                .help("list numbers from the smallest to the largest, each once"),
            );
        }
        if i > 0 && !spec.nested && bounds.len() > spec.bounds[i - 1].len() {
            faults.push(falls(
                &format!("a level with {} bounds", spec.bounds[i - 1].len()),
                &format!("a level with {} bounds", bounds.len()),
            ));
        }
        if i > 0
            && spec.nested
            && let Some(new) = bounds.iter().find(|b| !spec.bounds[i - 1].contains(b))
        {
            faults.push(
                fault!(
                    Input,
                    "hierarchy.bounds-do-not-nest",
                    "not nested: bound {bound} of level {level} is not a bound of level {below}",
                    bound = new,
                    level = level,
                    below = i
                )
                .help(format!("a level may only leave out bounds of the level below it; {UNNESTED}")),
            );
        }
    }
    faults
}

/// Where numbers fall.
struct Scale {
    low: f64,
    high: f64,
    levels: Levels,
}

enum Levels {
    /// The bounds of each level from `low` to `high`.
    Listed(Vec<Vec<f64>>),
    /// Bounds `low + i × width`; level l takes every `factors[l - 1]`-th of them.
    Equal { width: f64, decimals: usize, factors: Vec<i64> },
    /// Bounds `low + i × width`, of a width per level.
    Each { widths: Vec<f64>, decimals: usize },
}

impl Scale {
    /// The scale of listed bounds; the first and the last bound are the ends where none are given.
    fn listed(spec: &Intervals) -> Scale {
        let first = spec.bounds.first().map_or(&[][..], Vec::as_slice);
        let low = spec.low.or(first.first().copied()).unwrap_or(0.0);
        let high = spec.high.or(first.last().copied()).unwrap_or(low).max(low);
        let inner = |bounds: &Vec<f64>| {
            let inner = bounds.iter().copied().filter(|b| low < *b && *b < high);
            std::iter::once(low).chain(inner).chain([high]).collect()
        };
        Scale { low, high, levels: Levels::Listed(spec.bounds.iter().map(inner).collect()) }
    }

    /// The scale of equal widths; where no ends are given, no number is coded at an end.
    fn equal(spec: &Intervals, numbers: &[(&str, f64)]) -> Result<Scale> {
        let (Some(&width), Some(&widest)) = (spec.widths.first(), spec.widths.last()) else {
            return Err(Fault::bug("intervals without widths").into());
        };
        let least = numbers.iter().map(|n| n.1).reduce(f64::min).or(spec.low).unwrap_or(0.0);
        let most = numbers.iter().map(|n| n.1).reduce(f64::max).or(spec.high).unwrap_or(least);
        let low = spec.low.unwrap_or_else(|| {
            let low = multiple_below(least, widest);
            spec.high.map_or(low, |high| if low < high { low } else { multiple_below(high - widest, widest) })
        });
        let high = spec.high.unwrap_or_else(|| low + multiple_below((most - low).max(0.0), widest) + widest);
        let largest = low.abs().max(high.abs()).max(width);
        if !(high - low).is_finite() || width < largest * FINEST {
            return Err(too_fine(width));
        }
        let decimals = (DIGITS - largest.log10().ceil() as i32).max(0) as usize;
        if !spec.nested {
            // No end is made up: the last interval of each level is as wide as the others.
            let (low, high) = (rounded(low, decimals), spec.high.map(|high| rounded(high, decimals)));
            let levels = Levels::Each { widths: spec.widths.clone(), decimals };
            return Ok(Scale { low, high: high.unwrap_or(f64::INFINITY), levels });
        }
        let mut factors = vec![1_i64];
        for pair in spec.widths.windows(2) {
            let ratio = ratio(pair[0], pair[1]).unwrap_or(1);
            factors.push(factors[factors.len() - 1].saturating_mul(ratio));
        }
        let (low, high) = (rounded(low, decimals), rounded(high, decimals));
        Ok(Scale { low, high, levels: Levels::Equal { width, decimals, factors } })
    }

    /// The number of levels.
    fn height(&self) -> usize {
        match &self.levels {
            Levels::Listed(levels) => levels.len(),
            Levels::Equal { factors, .. } => factors.len(),
            Levels::Each { widths, .. } => widths.len(),
        }
    }

    /// Appends the label of a number at a level from 1 on.
    fn write(&self, x: f64, level: usize, text: &mut String) {
        if x < self.low {
            text.extend(["< ", &plain(self.low)]);
        } else if x >= self.high {
            text.extend([">= ", &plain(self.high)]);
        } else {
            let (from, to) = self.bounds(x, level);
            text.extend(["[", &plain(from), ", ", &plain(to), ")"]);
        }
    }

    /// The bounds around a number that is not coded at an end, at a level from 1 on.
    fn bounds(&self, x: f64, level: usize) -> (f64, f64) {
        let (width, decimals, factor) = match &self.levels {
            Levels::Listed(levels) => return between(&levels[level - 1], x),
            Levels::Equal { width, decimals, factors } => (*width, *decimals, factors[level - 1]),
            Levels::Each { widths, decimals } => (widths[level - 1], *decimals, 1),
        };
        let bound = |i: i64| rounded(self.low + i as f64 * width, decimals);
        let i = step(x, self.low, width, &bound);
        let first = i - i % factor;
        (bound(first), bound(first.saturating_add(factor)).min(self.high))
    }
}

fn too_fine(width: f64) -> Error {
    fault!(
        Data,
        "hierarchy.width-too-small",
        "a width of {width} is too small for the range of the values",
        width = width
    )
    .help("give larger widths, or `low` and `high` to code far values at the ends")
    .into()
}

/// The largest multiple of `width` that is not above `x`.
fn multiple_below(x: f64, width: f64) -> f64 {
    let steps = (x / width).floor();
    // Division may round 3 down to 2.999…; one step more is right as long as it stays below.
    if (steps + 1.0) * width <= x { (steps + 1.0) * width } else { steps * width }
}

/// The number of the finest interval that holds `x`, counted from 0.
fn step(x: f64, low: f64, width: f64, bound: &dyn Fn(i64) -> f64) -> i64 {
    let i = ((x - low) / width).floor() as i64;
    // The division is right up to rounding, the printed bounds decide.
    if x < bound(i) {
        (i - 1).max(0)
    } else if x >= bound(i.saturating_add(1)) {
        i.saturating_add(1)
    } else {
        i
    }
}

/// The bounds around `x`, which lies between the first and the last.
fn between(bounds: &[f64], x: f64) -> (f64, f64) {
    let above = bounds.partition_point(|b| *b <= x).clamp(1, bounds.len() - 1);
    (bounds[above - 1], bounds[above])
}

/// The whole number that `x` is, where doubles tell all of them apart. Most bounds are whole, and
/// text of an integer costs a tenth of that of a double.
fn whole(x: f64) -> Option<i64> {
    const EXACT: f64 = (1_i64 << 53) as f64;
    (x.abs() < EXACT && x as i64 as f64 == x).then_some(x as i64)
}

/// `x` as printed with `decimals` decimals.
fn rounded(x: f64, decimals: usize) -> f64 {
    if let Some(whole) = whole(x) {
        return whole as f64;
    }
    format!("{x:.decimals$}").parse().unwrap_or(x) + 0.0
}

/// A number as people write it: the shortest text that reads as the same number.
fn plain(x: f64) -> String {
    whole(x).map_or_else(|| (x + 0.0).to_string(), |whole| whole.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(spec: &Intervals, column: &[&str]) -> Vec<String> {
        let dictionary = Dictionary::of(column.iter().map(|v| Some(*v)));
        let assembly = assembly(spec, &dictionary).unwrap();
        assembly.labels_of_leaves().into_iter().map(|labels| labels.join(" | ")).collect()
    }

    fn equal(widths: &[f64], low: Option<f64>, high: Option<f64>) -> Intervals {
        Intervals { widths: widths.to_vec(), low, high, ..Intervals::default() }
    }

    fn listed(bounds: &[&[f64]]) -> Intervals {
        Intervals { bounds: bounds.iter().map(|b| b.to_vec()).collect(), ..Intervals::default() }
    }

    #[test]
    fn equal_widths_with_ends() {
        let spec = equal(&[5.0, 10.0, 20.0], Some(0.0), Some(90.0));
        let column = ["23", "23.0", "-1", "90", "85", "89.99", "0"];
        let expected = [
            "[20, 25) | [20, 30) | [20, 40) | *",
            "[20, 25) | [20, 30) | [20, 40) | *",
            "< 0 | < 0 | < 0 | *",
            ">= 90 | >= 90 | >= 90 | *",
            "[85, 90) | [80, 90) | [80, 90) | *",
            "[85, 90) | [80, 90) | [80, 90) | *",
            "[0, 5) | [0, 10) | [0, 20) | *",
        ];
        assert_eq!(labels(&spec, &column), expected);
    }

    #[test]
    fn ends_from_the_data() {
        let spec = equal(&[5.0, 20.0], None, None);
        assert_eq!(labels(&spec, &["23", "40"]), ["[20, 25) | [20, 40) | *", "[40, 45) | [40, 60) | *"]);
        assert_eq!(labels(&spec, &["-3"]), ["[-5, 0) | [-20, 0) | *"]);
        // An end that is given is kept, wherever the data are.
        assert_eq!(labels(&equal(&[5.0], None, Some(10.0)), &["23"]), [">= 10 | *"]);
        assert_eq!(labels(&equal(&[5.0], Some(50.0), None), &["23"]), ["< 50 | *"]);
        assert_eq!(labels(&equal(&[5.0], Some(3.0), None), &["23"]), ["[23, 28) | *"]);
    }

    #[test]
    fn tenths_are_tenths() {
        let spec = equal(&[0.1, 0.5], Some(0.0), None);
        let column = ["0.3", "0.7", "0.29999"];
        let expected =
            ["[0.3, 0.4) | [0, 0.5) | *", "[0.7, 0.8) | [0.5, 1) | *", "[0.2, 0.3) | [0, 0.5) | *"];
        assert_eq!(labels(&spec, &column), expected);
        // To the machine, −1e-17 is a whole 100 away from −100.
        assert_eq!(
            labels(&equal(&[1.0], Some(-100.0), None), &["-1e-17", "0"]),
            ["[-1, 0) | *", "[0, 1) | *"]
        );
    }

    #[test]
    fn listed_bounds() {
        let spec = listed(&[&[0.0, 18.0, 40.0, 65.0, 120.0], &[18.0, 65.0]]);
        let column = ["17", "18", "64", "65", "120", "-1"];
        let expected = [
            "[0, 18) | [0, 18) | *",
            "[18, 40) | [18, 65) | *",
            "[40, 65) | [18, 65) | *",
            "[65, 120) | [65, 120) | *",
            ">= 120 | >= 120 | *",
            "< 0 | < 0 | *",
        ];
        assert_eq!(labels(&spec, &column), expected);
        assert_eq!(labels(&listed(&[&[50.0]]), &["49", "50"]), ["< 50 | *", ">= 50 | *"]);
    }

    #[test]
    fn given_ends_cut_listed_bounds() {
        let spec = Intervals { low: Some(10.0), high: Some(50.0), ..listed(&[&[0.0, 20.0, 60.0]]) };
        let expected = ["[10, 20) | *", "[20, 50) | *", ">= 50 | *", "< 10 | *"];
        assert_eq!(labels(&spec, &["15", "49", "55", "5"]), expected);
    }

    #[test]
    fn every_fault_at_once() {
        let dictionary = Dictionary::of([Some("x"), Some("inf"), Some("NaN"), Some("7")]);
        let error = assembly(&equal(&[5.0, 12.0], Some(3.0), Some(3.0)), &dictionary).unwrap_err();
        assert_eq!(error.faults().len(), 3, "{error}");
        let text = error.to_string();
        assert!(text.contains("width 12 is not a multiple of width 5"), "{text}");
        assert!(text.contains("3 values are not numbers: `x` and 2 more"), "{text}");
        assert!(text.contains("input.null"), "{text}");
    }

    /// 2-year and 5-year windows [El Emam 2009] share bounds only every ten years.
    #[test]
    fn widths_that_do_not_nest() {
        let unnested = |spec: Intervals| Intervals { nested: false, ..spec };
        let spec = unnested(equal(&[2.0, 5.0], Some(0.0), Some(89.0)));
        let column = ["23", "24", "25", "88", "89", "-1"];
        let expected = [
            "[22, 24) | [20, 25) | *",
            "[24, 26) | [20, 25) | *",
            "[24, 26) | [25, 30) | *",
            "[88, 89) | [85, 89) | *",
            ">= 89 | >= 89 | *",
            "< 0 | < 0 | *",
        ];
        assert_eq!(labels(&spec, &column), expected);
        // Counted from a multiple of the widest below the least value; no end is made up.
        let open = unnested(equal(&[2.0, 5.0], None, None));
        assert_eq!(labels(&open, &["16", "29"]), ["[15, 17) | [15, 20) | *", "[29, 31) | [25, 30) | *"]);
        let own = unnested(listed(&[&[0.0, 10.0, 20.0, 30.0], &[15.0]]));
        assert_eq!(labels(&own, &["12", "15"]), ["[10, 20) | [0, 15) | *", "[10, 20) | [15, 30) | *"]);
        let refused = |spec| assembly(&unnested(spec), &Dictionary::of([Some("7")])).unwrap_err().to_string();
        assert!(refused(equal(&[5.0, 2.0], None, None)).contains("width 2 is above width 5, and finer"));
        assert!(refused(listed(&[&[1.0], &[1.0, 2.0]])).contains("and finer"));
        assert_eq!(nesting(&[2.0, 4.0, 6.0, 12.0, 24.0]), [2.0, 4.0, 12.0, 24.0]);
    }

    #[test]
    fn what_is_refused() {
        let column = Dictionary::of([Some("7")]);
        let refused = |spec: &Intervals| assembly(spec, &column).unwrap_err().to_string();
        assert!(refused(&Intervals::default()).contains("exactly one"));
        assert!(refused(&Intervals { widths: vec![1.0], ..listed(&[&[1.0]]) }).contains("exactly one"));
        assert!(refused(&equal(&[0.0], None, None)).contains("width of 0"));
        assert!(refused(&equal(&[f64::NAN], None, None)).contains("NaN"));
        assert!(refused(&equal(&[10.0, 5.0], None, None)).contains("not nested"));
        assert!(refused(&equal(&[1e-9], Some(0.0), Some(1e9))).contains("too small"));
        assert!(refused(&equal(&[1e300], Some(f64::MIN), Some(f64::MAX))).contains("too small"));
        assert!(refused(&listed(&[&[1.0, 2.0], &[1.5]])).contains("not nested: bound 1.5 of level 2"));
        assert!(refused(&listed(&[&[2.0, 1.0]])).contains("ascending"));
        assert!(refused(&listed(&[&[]])).contains("no bounds"));
    }

    proptest! {
        /// A printed interval holds the numbers that are labelled with it.
        #[test]
        fn labels_are_true(
            numbers in prop::collection::vec(-1e4..1e4f64, 1..20),
            width in prop::sample::select(vec![0.1, 0.25, 0.3, 1.0, 7.0, 1e-3]),
            low in prop::option::of(-100..0i32),
        ) {
            let column: Vec<String> = numbers.iter().map(|x| format!("{x:.1}")).collect();
            let dictionary = Dictionary::of(column.iter().map(|v| Some(v.as_str())));
            let spec = equal(&[width, width * 3.0, width * 12.0], low.map(f64::from), None);
            let labels = assembly(&spec, &dictionary).unwrap().labels_of_leaves();
            for (value, labels) in values(&dictionary).zip(labels) {
                let x = number(value).unwrap();
                for label in labels.iter().filter(|l| l.starts_with('[')) {
                    let (from, to) = label[1..label.len() - 1].split_once(", ").unwrap();
                    prop_assert!(number(from).unwrap() <= x && x < number(to).unwrap(), "{x} in {label}");
                    prop_assert!(from.len() <= 9 && to.len() <= 9, "{label}");
                }
            }
        }
    }
}
