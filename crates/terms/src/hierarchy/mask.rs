//! Characters masked from one end: 12345 → 1234* → 123** → … → `*`, as in Sweeney's ZIP codes.
//!
//! Values of unequal length are treated as padded to the longest on the masked side, and masks
//! apply by position: if the longest value is 12345, the value 12 stays 12*** until four positions
//! are masked. This makes the levels nest for any values: a label is the kept characters followed
//! by masks up to the longest length, and masking more positions of a *label* gives the label
//! above. (Masking the last characters of each value separately would map 12 and 123 to 1* and 12*,
//! which share nothing below the top, and would reveal the length of each value.) Characters are
//! Unicode scalar values. Short ASCII values are sorted once as numbers, so that the values under a
//! label are neighbours. Others cost values × levels × length at most; labels above a known label
//! are taken over.

use super::build::values;
use super::labels::Labels;
use super::{Assembly, End, Mask, TOP};
use crate::error::{Error, Result};
use crate::fault;
use crate::table::{Code, Dictionary};

/// More levels than this are a mistake: no search could use them.
const MOST_LEVELS: usize = 100;

impl End {
    /// How a policy writes this end.
    pub fn name(self) -> &'static str {
        match self {
            End::Left => "left",
            End::Right => "right",
        }
    }
}

/// Level l masks `step × l` positions; there are as many levels as it takes to mask the longest.
pub(super) fn assembly(spec: &Mask, dictionary: &Dictionary) -> Result<Assembly> {
    if spec.step == 0 {
        return Err(fault!(
            Input,
            "hierarchy.mask-step-is-zero",
            "`step` is 0, so no level would mask more than the one below"
        )
        .help("give the number of characters to mask per level, 1 or more")
        .into());
    }
    let longest = longest(dictionary);
    let levels = longest.div_ceil(spec.step);
    if levels > MOST_LEVELS {
        return Err(Error::from(
            fault!(
                Data,
                "hierarchy.too-many-mask-levels",
                "the longest value has {longest} characters, which makes {levels} levels of {step}",
                longest = longest,
                levels = levels,
                step = spec.step
            )
            .help(format!("mask at least {} characters at a time with `step`", longest.div_ceil(20))),
        ));
    }
    if let Some(values) = packed(spec, dictionary, longest).filter(|values| !values.is_empty()) {
        return Ok(of_packed(spec, values, longest, levels));
    }
    Ok(of_each(spec, dictionary, longest, levels))
}

/// The assembly of any values.
fn of_each(spec: &Mask, dictionary: &Dictionary, longest: usize, levels: usize) -> Assembly {
    let mut assembly = Assembly::default();
    for value in values(dictionary) {
        assembly.add_chain(value, levels.max(1), true, |level, label| match level < levels {
            true => mask(label, value, longest - level * spec.step, longest, spec.from, spec.char),
            false => label.push_str(TOP),
        });
    }
    assembly
}

/// A value, and its characters as a number: the one that is masked last is the most significant.
type Packed<'a> = (&'a str, u128);

/// The values as numbers, padded to the longest; none if a value does not fit.
fn packed<'a>(spec: &Mask, dictionary: &'a Dictionary, longest: usize) -> Option<Vec<Packed<'a>>> {
    let pad = u8::try_from(spec.char).ok().filter(u8::is_ascii)?;
    let pack = |value: &'a str| {
        let mut bytes = [pad; 16];
        let own = bytes.get_mut(..value.len()).filter(|_| value.is_ascii())?;
        own.copy_from_slice(value.as_bytes());
        if spec.from == End::Left {
            own.reverse();
        }
        Some((value, u128::from_be_bytes(bytes)))
    };
    (longest <= 16).then(|| values(dictionary).map(pack).collect())?
}

/// The same assembly as value by value: labels have codes in order of first sight.
fn of_packed(spec: &Mask, values: Vec<Packed<'_>>, longest: usize, levels: usize) -> Assembly {
    let mut assembly = Assembly::default();
    values.iter().for_each(|(value, _)| _ = assembly.leaves.add(Some(value), 0));
    // The labels of the level below: by their number, with their codes; code → a value under it.
    let number = |(code, &(_, number)): (usize, &Packed<'_>)| (number, code as Code);
    let mut sorted: Vec<(u128, Code)> = values.iter().enumerate().map(number).collect();
    sorted.sort_unstable();
    let mut under: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    drop(values);
    let mut codes: Vec<Code> = (0..under.len() as Code).collect();
    for level in 1..levels {
        let kept = longest - level * spec.step;
        let shown = |number: u128| number >> (8 * (16 - kept));
        // Code below → the label's place among the sorted ones.
        let mut places = vec![0; under.len()];
        let mut next: Vec<(u128, Code)> = Vec::new();
        for &(number, code) in &sorted {
            if next.last().is_none_or(|(last, _)| shown(*last) != shown(number)) {
                next.push((number, Code::MAX));
            }
            places[code as usize] = next.len() - 1;
        }
        let (mut labels, mut text, mut firsts) = (Labels::default(), String::new(), Vec::new());
        let mut above = |place: usize, value| {
            let code = &mut next[place].1;
            if *code == Code::MAX {
                text.clear();
                mask(&mut text, value, kept, longest, spec.from, spec.char);
                *code = labels.push(Some(&text));
                firsts.push(value);
            }
            *code
        };
        let parents: Vec<Code> =
            places.iter().zip(&under).map(|(&place, value)| above(place, *value)).collect();
        codes.iter_mut().for_each(|code| *code = parents[*code as usize]);
        assembly.push_level(codes.clone(), labels);
        (sorted, under) = (next, firsts);
    }
    assembly.push_level(vec![0; codes.len()], [Some(TOP)].into_iter().collect());
    assembly
}

/// The length of the longest value in characters.
pub(super) fn longest(dictionary: &Dictionary) -> usize {
    values(dictionary).map(|value| value.chars().count()).max().unwrap_or(0)
}

/// At most `kept` characters of the value, away from the masked end, and masks up to `longest`.
pub(super) fn masked(value: &str, kept: usize, longest: usize, from: End, char: char) -> String {
    let mut text = String::new();
    mask(&mut text, value, kept, longest, from, char);
    text
}

/// Appends the same to a text.
fn mask(text: &mut String, value: &str, kept: usize, longest: usize, from: End, char: char) {
    let length = if value.is_ascii() { value.len() } else { value.chars().count() };
    let kept = kept.min(length);
    let place = |character: usize| match length == value.len() {
        true => character,
        false => value.char_indices().nth(character).map_or(value.len(), |(at, _)| at),
    };
    let masks = longest.saturating_sub(kept);
    text.reserve(value.len() + masks * char.len_utf8());
    if from == End::Right {
        text.push_str(&value[..place(kept)]);
    }
    text.extend(std::iter::repeat_n(char, masks));
    if from == End::Left {
        text.push_str(&value[place(length - kept)..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(from: End, char: char, step: usize, values: &[&str]) -> Vec<Vec<String>> {
        let dictionary = Dictionary::of(values.iter().map(|v| Some(*v)));
        let spec = Mask { from, char, step };
        assembly(&spec, &dictionary).unwrap().labels_of_leaves()
    }

    /// The assembly as it is made of values that are not packed.
    fn one_by_one(spec: &Mask, dictionary: &Dictionary) -> Assembly {
        let longest = longest(dictionary);
        let levels = longest.div_ceil(spec.step);
        of_each(spec, dictionary, longest, levels)
    }

    #[test]
    fn from_the_right() {
        let labels = labels(End::Right, '*', 1, &["021", "02", "9"]);
        assert_eq!(labels[0], ["02*", "0**", "*"]);
        assert_eq!(labels[1], ["02*", "0**", "*"]);
        assert_eq!(labels[2], ["9**", "9**", "*"]);
    }

    #[test]
    fn from_the_left_in_steps() {
        let labels = labels(End::Left, '#', 2, &["12345", "45"]);
        assert_eq!(labels[0], ["##345", "####5", "*"]);
        assert_eq!(labels[1], ["###45", "####5", "*"]);
    }

    #[test]
    fn counts_characters_not_bytes() {
        assert_eq!(labels(End::Right, '•', 1, &["Åßç"])[0], ["Åß•", "Å••", "*"]);
    }

    #[test]
    fn a_step_beyond_the_longest_is_suppression() {
        assert_eq!(labels(End::Right, '*', usize::MAX, &["abc"])[0], ["*"]);
        assert_eq!(labels(End::Right, '*', 1, &[""])[0], ["*"]);
    }

    proptest! {
        /// Labels that are taken over from another value are those that masking the value itself
        /// gives, also where values contain the mask.
        #[test]
        fn every_label_masks_its_own_value(
            values in prop::collection::vec("[ab*]{0,5}", 1..30),
            from in prop::sample::select(vec![End::Left, End::Right]),
            step in 1usize..4,
        ) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let dictionary = Dictionary::of(values.iter().map(|value| Some(*value)));
            let longest = longest(&dictionary);
            let found = labels(from, '*', step, &values);
            for (value, labels) in super::values(&dictionary).zip(found) {
                let (top, below) = labels.split_last().unwrap();
                prop_assert_eq!(top, TOP);
                for (label, level) in below.iter().zip(1..) {
                    prop_assert_eq!(label, &masked(value, longest - level * step, longest, from, '*'));
                }
            }
            // Sorted values give the same codes as values one by one.
            let spec = Mask { from, char: '*', step };
            let (sorted, each) = (assembly(&spec, &dictionary).unwrap(), one_by_one(&spec, &dictionary));
            prop_assert!(packed(&spec, &dictionary, longest).is_some());
            prop_assert_eq!(&sorted.codes, &each.codes);
            prop_assert_eq!(sorted.labels_of_leaves(), each.labels_of_leaves());
            prop_assert_eq!(sorted.labels.len(), each.labels.len());
        }
    }

    #[test]
    fn step_zero_and_long_texts_are_refused() {
        let spec = Mask { from: End::Right, char: '*', step: 0 };
        assert!(assembly(&spec, &Dictionary::of([Some("a")])).is_err());
        let long = "x".repeat(1000);
        let spec = Mask { from: End::Right, char: '*', step: 1 };
        let error = assembly(&spec, &Dictionary::of([Some(long.as_str())])).unwrap_err();
        assert!(error.to_string().contains("1000 characters"), "{error}");
        assert!(error.to_string().contains("at least 50"), "{error}");
    }
}
