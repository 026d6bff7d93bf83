//! United States ZIP codes under HIPAA Safe Harbor [HHS 2012]: 02139 → 021 → 02* → 0** → `*`.
//!
//! Prefixes of three digits with 20,000 people or fewer are listed as `restricted`; their codes are
//! `000` at every level below the top. So is a text that is not a ZIP code, because its prefix has
//! no known number of people. Leading zeros that a spreadsheet removed are put back: 2139 is 02139.
//! A label determines the label above it, so the levels nest. Costs one look-up per value.

use std::collections::BTreeSet;

use super::build::{path, values};
use super::{Path, Zip3};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::table::Dictionary;

/// The label of restricted prefixes.
pub const RESTRICTED: &str = "000";

/// Three, two and one digit, then the top.
pub(super) const LEVELS: usize = 4;

/// The paths of all values.
pub(super) fn paths(spec: &Zip3, dictionary: &Dictionary) -> Result<Vec<Path>> {
    Error::check(faults(spec))?;
    let restricted: BTreeSet<&str> = spec.restricted.iter().map(String::as_str).collect();
    let labels = |value: &str| match prefix(value).filter(|prefix| !restricted.contains(prefix.as_str())) {
        Some(prefix) => {
            let (two, one) = (format!("{}*", &prefix[..2]), format!("{}**", &prefix[..1]));
            vec![prefix, two, one]
        }
        None => vec![RESTRICTED.to_owned(); LEVELS - 1],
    };
    Ok(values(dictionary).map(|value| path(value, labels(value))).collect())
}

/// Errors of the list of prefixes.
fn faults(spec: &Zip3) -> Vec<Fault> {
    let unfit = |prefix: &&String| prefix.len() != 3 || !prefix.bytes().all(|b| b.is_ascii_digit());
    let fault = |prefix: &String| {
        fault!(
            Input,
            "hierarchy.not-a-zip-prefix",
            "`{prefix}` is not a prefix of three digits",
            prefix = super::build::show(prefix)
        )
        .help("write for instance restricted = [\"036\", \"059\"]")
    };
    spec.restricted.iter().filter(unfit).map(fault).collect()
}

/// The first three digits of a ZIP code: five digits, nine with or without a hyphen, or fewer
/// where leading zeros were lost. None for other texts and for the prefix 000, which is not in use.
fn prefix(value: &str) -> Option<String> {
    let value = value.trim();
    let (code, rest) = value.split_once('-').unwrap_or((value, "0000"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(code) || !digits(rest) || rest.len() != 4 {
        return None;
    }
    let plus4 = !value.contains('-') && (7..=9).contains(&code.len());
    let code = match code.len() {
        1..=5 => format!("{code:0>5}"),
        _ if plus4 => format!("{code:0>9}"),
        _ => return None,
    };
    Some(code[..3].to_owned()).filter(|prefix| prefix != RESTRICTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(restricted: &[&str], value: &str) -> Vec<String> {
        let spec = Zip3 { restricted: restricted.iter().map(|p| (*p).to_owned()).collect() };
        let dictionary = Dictionary::of([Some(value)]);
        paths(&spec, &dictionary).unwrap().remove(0).labels
    }

    #[test]
    fn keeps_three_digits_at_most() {
        for value in ["02139", "2139", "02139-1234", "021391234", "21391234", " 02139 "] {
            assert_eq!(labels(&[], value), ["021", "02*", "0**", "*"], "{value}");
        }
        assert_eq!(labels(&[], "90210"), ["902", "90*", "9**", "*"]);
        assert_eq!(labels(&[], "501"), ["005", "00*", "0**", "*"], "00501, Holtsville");
    }

    #[test]
    fn restricted_prefixes_and_other_texts_are_000() {
        for value in
            ["03601", "3601", "03601-0001", "K1A 0B1", "021391", "02139-12", "?", "1234567890", "00012"]
        {
            assert_eq!(labels(&["036"], value), ["000", "000", "000", "*"], "{value}");
        }
    }

    #[test]
    fn a_prefix_has_three_digits() {
        for wrong in ["36", "0360", "03x", ""] {
            let spec = Zip3 { restricted: vec![wrong.to_owned()] };
            let error = paths(&spec, &Dictionary::of([Some("02139")])).unwrap_err();
            assert!(error.has_code("hierarchy.not-a-zip-prefix"), "{error}");
        }
    }
}
