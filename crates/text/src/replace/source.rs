//! The words of the source that a made-up name must not be.
//!
//! A letter has few such words, which are compared one by one; a long text has a set of them.

use rustc_hash::FxHashSet;

/// Up to this number of words are compared one by one.
const FEW: usize = 192;

/// Words of the source, by hash.
#[derive(Debug, Default)]
pub struct Source {
    few: Vec<u64>,
    many: FxHashSet<u64>,
}

impl Source {
    /// Adds words.
    pub fn add(&mut self, hashes: impl Iterator<Item = u64>) {
        self.few.extend(hashes);
        if self.few.len() > FEW {
            self.many.extend(self.few.drain(..));
        }
    }

    /// Whether it has a word.
    pub fn has(&self, hash: u64) -> bool {
        self.few.contains(&hash) || !self.many.is_empty() && self.many.contains(&hash)
    }
}

impl FromIterator<u64> for Source {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut source = Source { few: Vec::with_capacity(FEW / 4), many: FxHashSet::default() };
        source.add(hashes.into_iter());
        source
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_source_has_what_was_added(words in prop::collection::vec(0u64..600, 0..500), other in 0u64..600) {
            let source: Source = words.iter().copied().collect();
            let mut twice = Source::default();
            words.chunks(7).for_each(|words| twice.add(words.iter().copied()));
            prop_assert!(words.iter().all(|word| source.has(*word) && twice.has(*word)));
            prop_assert_eq!((source.has(other), twice.has(other)), (words.contains(&other), words.contains(&other)));
        }
    }
}
