//! The combinations of columns that are tested [Sweeney 2001, 6.3; after the rule of Statistics
//! Netherlands].
//!
//! Sweeney describes three steps: every identifying column; pairs with a most or a more identifying
//! column; and triples with most and more identifying ones. As weights, from the highest: one
//! column needs 1; two need 2, 1; three need 3, 2, 1; and every further column needs 1. A column
//! without a weight has weight 3, so without any weights every combination up to the size is
//! tested. A list in the policy replaces the rule. Costs one step per combination of identifying
//! columns.

use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{MOST_IDENTIFYING, Policy};

/// As many combinations as a table is tested for.
pub const MOST_COMBINATIONS: usize = 1000;

/// The combinations that a policy asks to test, as bits of the named columns; small ones first,
/// then in the order of the columns.
///
/// # Errors
/// None, or more than [`MOST_COMBINATIONS`].
pub fn tested(policy: &Policy, names: &[String]) -> Result<Vec<u64>> {
    let asked = policy.argus.clone().unwrap_or_default();
    let mut masks = match &asked.combinations {
        Some(listed) => listed.iter().map(|combination| mask(combination, names)).collect::<Result<_>>()?,
        None => {
            let of = |name: &String| policy.columns.get(name).and_then(|column| column.identifying);
            let weights: Vec<u8> = names.iter().map(|n| of(n).unwrap_or(MOST_IDENTIFYING)).collect();
            by_weight(&weights, asked.size)?
        }
    };
    if masks.is_empty() {
        return Err(fault!(
            Input,
            "argus.nothing-to-test",
            "no column is identifying, so that nothing would be tested"
        )
        .key("columns")
        .help("give a quasi-identifier `identifying = 1` or more, or list argus.combinations")
        .into());
    }
    if masks.len() > MOST_COMBINATIONS {
        return Err(too_many("argus.combinations"));
    }
    masks.sort_by_key(|mask| (mask.count_ones(), std::cmp::Reverse(mask.reverse_bits())));
    Ok(masks)
}

fn mask(combination: &[String], names: &[String]) -> Result<u64> {
    combination.iter().try_fold(0, |mask, name| match names.iter().position(|n| n == name) {
        Some(at) => Ok(mask | 1 << at),
        None => Err(Fault::bug(format!("`{name}` was not grouped")).into()),
    })
}

/// All combinations of at most `size` columns that the rule requires.
fn by_weight(weights: &[u8], size: usize) -> Result<Vec<u64>> {
    let identifying: Vec<usize> = (0..weights.len()).filter(|&column| weights[column] > 0).collect();
    let mut all = Vec::new();
    let mut level = vec![(0u64, 0usize)];
    for _ in 0..size.min(identifying.len()) {
        let mut larger = Vec::new();
        for (mask, from) in level {
            for (at, &column) in identifying.iter().enumerate().skip(from) {
                larger.push((mask | 1 << column, at + 1));
            }
            // Combinations are extended before they are filtered, because a pair that is not tested
            // can be part of a triple that is.
            if larger.len() > 64 * MOST_COMBINATIONS {
                return Err(too_many("argus.size"));
            }
        }
        all.extend(larger.iter().map(|(mask, _)| *mask).filter(|&mask| asked(weights, mask)));
        if all.len() > MOST_COMBINATIONS {
            return Err(too_many("argus.size"));
        }
        level = larger;
    }
    Ok(all)
}

/// Whether the rule asks for a combination of identifying columns.
fn asked(weights: &[u8], mask: u64) -> bool {
    let mut of: Vec<u8> = (0..weights.len()).filter(|i| mask >> i & 1 == 1).map(|i| weights[i]).collect();
    of.sort_unstable_by(|a, b| b.cmp(a));
    let needed: &[u8] = match of.len() {
        0 | 1 => &[1],
        2 => &[2, 1],
        _ => &[3, 2, 1],
    };
    of.iter().zip(needed).all(|(weight, needed)| weight >= needed)
}

fn too_many(key: &str) -> crate::error::Error {
    fault!(
        Input,
        "argus.too-many-combinations",
        "more than {limit} combinations of columns would be tested",
        limit = MOST_COMBINATIONS
    )
    .key(key)
    .help("give a smaller size, lower `identifying` of some columns, or list fewer combinations")
    .into()
}
