//! Characters masked from one end: 12345 → 1234* → 123** → … → `*`, as in Sweeney's ZIP codes.
//!
//! Values of unequal length are treated as padded to the longest on the masked side, and masks
//! apply by position: if the longest value is 12345, the value 12 stays 12*** until four positions
//! are masked. This makes the levels nest for any values: a label is the kept characters followed
//! by masks up to the longest length, and masking more positions of a *label* gives the label
//! above. (Masking the last characters of each value separately would map 12 and 123 to 1* and 12*,
//! which share nothing below the top, and would reveal the length of each value.) Characters are
//! Unicode scalar values. Costs values × levels × length.

use super::build::{path, values};
use super::{End, Mask, Path};
use crate::error::{Error, Result};
use crate::fault;
use crate::table::Dictionary;

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
pub(super) fn paths<'a>(
    spec: &'a Mask,
    dictionary: &'a Dictionary,
) -> Result<impl Iterator<Item = Path> + 'a> {
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
    let labels = move |value: &str| {
        let kept = (1..levels).map(|level| longest - level * spec.step);
        kept.map(|kept| masked(value, kept, longest, spec.from, spec.char)).collect()
    };
    Ok(values(dictionary).map(move |value| path(value, labels(value))))
}

/// The length of the longest value in characters.
pub(super) fn longest(dictionary: &Dictionary) -> usize {
    values(dictionary).map(|value| value.chars().count()).max().unwrap_or(0)
}

/// At most `kept` characters of the value, away from the masked end, and masks up to `longest`.
pub(super) fn masked(value: &str, kept: usize, longest: usize, from: End, mask: char) -> String {
    let length = value.chars().count();
    let kept = kept.min(length);
    let place = |character: usize| value.char_indices().nth(character).map_or(value.len(), |(at, _)| at);
    let masks = longest.saturating_sub(kept);
    let mut text = String::with_capacity(value.len() + masks * mask.len_utf8());
    if from == End::Right {
        text.push_str(&value[..place(kept)]);
    }
    text.extend(std::iter::repeat_n(mask, masks));
    if from == End::Left {
        text.push_str(&value[place(length - kept)..]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(from: End, char: char, step: usize, values: &[&str]) -> Vec<Vec<String>> {
        let dictionary = Dictionary::of(values.iter().map(|v| Some(*v)));
        let spec = Mask { from, char, step };
        let paths = paths(&spec, &dictionary).unwrap();
        paths.map(|p| p.labels).collect()
    }

    #[test]
    fn from_the_right() {
        let labels = mask(End::Right, '*', 1, &["021", "02", "9"]);
        assert_eq!(labels[0], ["02*", "0**", "*"]);
        assert_eq!(labels[1], ["02*", "0**", "*"]);
        assert_eq!(labels[2], ["9**", "9**", "*"]);
    }

    #[test]
    fn from_the_left_in_steps() {
        let labels = mask(End::Left, '#', 2, &["12345", "45"]);
        assert_eq!(labels[0], ["##345", "####5", "*"]);
        assert_eq!(labels[1], ["###45", "####5", "*"]);
    }

    #[test]
    fn counts_characters_not_bytes() {
        assert_eq!(mask(End::Right, '•', 1, &["Åßç"])[0], ["Åß•", "Å••", "*"]);
    }

    #[test]
    fn a_step_beyond_the_longest_is_suppression() {
        assert_eq!(mask(End::Right, '*', usize::MAX, &["abc"])[0], ["*"]);
        assert_eq!(mask(End::Right, '*', 1, &[""])[0], ["*"]);
    }

    #[test]
    fn step_zero_and_long_texts_are_refused() {
        let spec = Mask { from: End::Right, char: '*', step: 0 };
        assert!(paths(&spec, &Dictionary::of([Some("a")])).is_err());
        let long = "x".repeat(1000);
        let spec = Mask { from: End::Right, char: '*', step: 1 };
        let error = paths(&spec, &Dictionary::of([Some(long.as_str())])).err().unwrap();
        assert!(error.to_string().contains("1000 characters"), "{error}");
        assert!(error.to_string().contains("at least 50"), "{error}");
    }
}
