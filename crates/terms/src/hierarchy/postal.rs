//! Postal-code prefixes: 02139 → 0213* → 021** → … → `*`.
//!
//! Each level keeps a number of leading characters and shows the rest as `*`. As with masks, values
//! of unequal length count as padded to the longest, so a label determines the label above it and
//! the levels nest. Nothing is normalized: `02139-1234` and `02139` are two codes of two lengths,
//! and `SW1A 1AA` counts its space. Costs values × levels × length.

use super::build::{falling, path, values};
use super::{End, Path, Postal, mask};
use crate::error::{Error, Result};
use crate::table::Dictionary;

/// One level per entry of `keep`, then the top.
pub(super) fn paths(spec: &Postal, dictionary: &Dictionary) -> Result<Vec<Path>> {
    Error::check(falling(&spec.keep, "[4, 3, 2]").into_iter().collect())?;
    let longest = mask::longest(dictionary);
    let labels = |value: &str| {
        spec.keep.iter().map(|&kept| mask::masked(value, kept, longest, End::Right, '*')).collect()
    };
    Ok(values(dictionary).map(|value| path(value, labels(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn postal(keep: &[usize], values: &[&str]) -> Result<Vec<Vec<String>>> {
        let dictionary = Dictionary::of(values.iter().map(|v| Some(*v)));
        let paths = paths(&Postal { keep: keep.to_vec() }, &dictionary)?;
        Ok(paths.into_iter().map(|p| p.labels).collect())
    }

    #[test]
    fn keeps_prefixes() {
        let labels = postal(&[4, 3, 1], &["02139", "02141", "021"]).unwrap();
        assert_eq!(labels[0], ["0213*", "021**", "0****", "*"]);
        assert_eq!(labels[1], ["0214*", "021**", "0****", "*"]);
        assert_eq!(labels[2], ["021**", "021**", "0****", "*"]);
    }

    #[test]
    fn keep_must_fall() {
        for keep in [&[][..], &[3, 3], &[2, 3], &[2, 0]] {
            let error = postal(keep, &["02139"]).unwrap_err();
            assert!(error.faults()[0].help.as_deref().unwrap_or_default().contains("falling"), "{error}");
        }
    }

    #[test]
    fn keeping_more_than_there_is_pads() {
        assert_eq!(postal(&[9], &["12", "1"]).unwrap(), [["12", "*"], ["1*", "*"]]);
    }
}
