//! Minimum hitting set: the fewest columns that hit each of some sets of columns, and the best of
//! several such choices.
//!
//! Exact branch and bound on bit masks: the column that most sets contain is taken or left, which
//! makes the sets smaller, and a set of one column is forced. The bound is a packing of disjoint
//! sets. Exponential in the worst case, but sets have few columns and rows few sets: a handful of
//! steps per row.

/// The fewest columns that hit all sets; of several, those of greatest summed score, then those
/// that come first. The sets are not empty.
pub(super) fn fewest(sets: &[u64], score: &dyn Fn(usize) -> u64) -> u64 {
    let mut search = Search { score, best: None };
    search.go(minimal(sets.to_vec()), 0);
    search.best.map_or(0, |(_, _, chosen)| chosen)
}

struct Search<'a> {
    score: &'a dyn Fn(usize) -> u64,
    /// Size, summed score and columns of the best choice so far.
    best: Option<(u32, u64, u64)>,
}

impl Search<'_> {
    fn go(&mut self, mut sets: Vec<u64>, mut chosen: u64) {
        // A set of one column leaves no choice.
        while let Some(&forced) = sets.iter().find(|set| set.count_ones() == 1) {
            chosen |= forced;
            sets.retain(|set| set & forced == 0);
        }
        if sets.is_empty() {
            return self.found(chosen);
        }
        if self.best.is_some_and(|(size, _, _)| chosen.count_ones() + packing(&sets) > size) {
            return;
        }
        let column = busiest(&sets);
        let taken = sets.iter().copied().filter(|set| set >> column & 1 == 0).collect();
        self.go(taken, chosen | 1 << column);
        let left = sets.into_iter().map(|set| set & !(1 << column)).collect();
        self.go(minimal(left), chosen);
    }

    fn found(&mut self, chosen: u64) {
        let size = chosen.count_ones();
        let score = super::shown::columns(chosen).map(self.score).sum();
        let better = self.best.is_none_or(|(s, best_score, best)| {
            let tie = || {
                let differ = chosen ^ best;
                // Whichever has the first column in which they differ comes first.
                differ != 0 && chosen & (differ & differ.wrapping_neg()) != 0
            };
            size < s || (size == s && (score > best_score || (score == best_score && tie())))
        });
        if better {
            self.best = Some((size, score, chosen));
        }
    }
}

/// The sets that no other one is part of: whatever hits the smaller hits the larger.
fn minimal(mut sets: Vec<u64>) -> Vec<u64> {
    sets.sort_unstable_by_key(|set| (set.count_ones(), *set));
    sets.dedup();
    let mut kept: Vec<u64> = Vec::with_capacity(sets.len());
    for set in sets {
        if !kept.iter().any(|small| small & set == *small) {
            kept.push(set);
        }
    }
    kept
}

/// How many of the sets can be found that share no column: each needs a column of its own.
fn packing(sets: &[u64]) -> u32 {
    let fold = |(used, n): (u64, u32), set: &u64| match used & set {
        0 => (used | set, n + 1),
        _ => (used, n),
    };
    sets.iter().fold((0, 0), fold).1
}

/// The column that most sets have.
fn busiest(sets: &[u64]) -> usize {
    let all = sets.iter().fold(0, |all, set| all | set);
    let having = |column: &usize| sets.iter().filter(|set| *set >> column & 1 == 1).count();
    super::shown::columns(all).max_by_key(having).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All choices, one by one.
    fn naive(sets: &[u64], scores: &[u64]) -> u64 {
        let hits = |chosen: u64| sets.iter().all(|set| set & chosen != 0);
        let list = |chosen: u64| super::super::shown::columns(chosen).collect::<Vec<_>>();
        let score = |chosen: u64| list(chosen).iter().map(|&c| scores[c]).sum::<u64>();
        let all = (0..1u64 << scores.len()).filter(|&chosen| hits(chosen));
        all.min_by_key(|&c| (c.count_ones(), std::cmp::Reverse(score(c)), list(c))).unwrap()
    }

    proptest! {
        #[test]
        fn nothing_smaller_or_better_hits(
            sets in prop::collection::vec(1u64..256, 0..12),
            scores in prop::collection::vec(0u64..4, 8),
        ) {
            prop_assert_eq!(fewest(&sets, &|column| scores[column]), naive(&sets, &scores));
        }
    }

    #[test]
    fn every_pair_of_many_columns_is_no_burden() {
        let pairs: Vec<u64> = (0..40).flat_map(|a| (0..a).map(move |b| 1 << a | 1 << b)).collect();
        assert_eq!(fewest(&pairs, &|_| 1).count_ones(), 39);
    }
}
