//! Contingency tables: the number of rows with each pair of values of two columns, and the columns'
//! mutual information.
//!
//! MI(X;C) = Σ p(x,c) · log2(p(x,c) / (p(x)·p(c))) = H(C) − H(C|X) [Shannon 1948; Katirai 2006,
//! "Method 2"]. Memory and time grow with distinct pairs: 16 bytes each and one sort, whatever the
//! number of rows.

use std::collections::BTreeMap;

/// Distinct pairs of codes with their rows, in ascending order, and the rows of every code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    pairs: Vec<(u32, u32, u64)>,
    /// Codes of the first column with their rows, ascending.
    values: Vec<(u32, u64)>,
    /// Code of the second column → rows.
    targets: BTreeMap<u32, u64>,
    rows: u64,
}

impl Contingency {
    /// Counts (value, target value, rows), in any order, a pair perhaps several times.
    pub fn new(counts: &[(u32, u32, u64)]) -> Self {
        let mut pairs: Vec<_> = counts.iter().copied().filter(|&(_, _, rows)| rows > 0).collect();
        pairs.sort_unstable();
        pairs.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0 };
            same
        });
        Contingency::of_sorted(pairs)
    }

    fn of_sorted(pairs: Vec<(u32, u32, u64)>) -> Self {
        let mut values: Vec<(u32, u64)> = Vec::new();
        let mut targets = BTreeMap::new();
        let mut all = 0;
        for &(x, c, rows) in &pairs {
            match values.last_mut() {
                Some((last, n)) if *last == x => *n += rows,
                _ => values.push((x, rows)),
            }
            *targets.entry(c).or_default() += rows;
            all += rows;
        }
        Contingency { pairs, values, targets, rows: all }
    }

    /// The same without the rows of values that have fewer than `rare` rows. Target values stay,
    /// because statements about a target without its rare values would not be true of the target.
    #[must_use]
    pub fn without_rare(self, rare: u64) -> Self {
        if self.values.iter().all(|&(_, rows)| rows >= rare) {
            return self;
        }
        let Contingency { mut pairs, values, .. } = self;
        let mut values = values.iter().peekable();
        pairs.retain(|&(x, _, _)| {
            while values.next_if(|(value, _)| *value < x).is_some() {}
            values.peek().is_some_and(|(_, rows)| *rows >= rare)
        });
        Contingency::of_sorted(pairs)
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The distinct pairs with their rows, ascending.
    pub fn pairs(&self) -> &[(u32, u32, u64)] {
        &self.pairs
    }

    /// The values with their rows, ascending.
    pub fn values(&self) -> &[(u32, u64)] {
        &self.values
    }

    /// The target values with their rows, ascending.
    pub fn targets(&self) -> &BTreeMap<u32, u64> {
        &self.targets
    }

    /// The mutual information in bits; 0 without rows.
    pub fn mutual(&self) -> f64 {
        if self.rows == 0 {
            return 0.0;
        }
        let mut values = self.values.iter().peekable();
        let mut sum = 0.0;
        for &(x, c, rows) in &self.pairs {
            while values.next_if(|(value, _)| *value < x).is_some() {}
            let of_value = values.peek().map_or(0, |(_, n)| *n);
            let of_target = self.targets.get(&c).copied().unwrap_or(0);
            sum += rows as f64 * lift(rows, of_value, of_target, self.rows).log2();
        }
        // Rounding can leave independent columns a last bit below nothing.
        (sum / self.rows as f64).max(0.0)
    }

    /// The entropy of the target in bits.
    pub fn target_entropy(&self) -> f64 {
        entropy(self.targets.values().copied())
    }

    /// The entropy of the values in bits.
    pub fn value_entropy(&self) -> f64 {
        entropy(self.values.iter().map(|&(_, rows)| rows))
    }
}

/// How much more often than by chance two values meet: p(x,c) / (p(x)·p(c)), from rows.
pub(super) fn lift(both: u64, value: u64, target: u64, all: u64) -> f64 {
    // Products first: the information of a single value is then exactly 0.
    (both as f64 * all as f64) / (value as f64 * target as f64)
}

/// The entropy of a distribution that is given by counts, in bits; 0 without any.
pub fn entropy(counts: impl IntoIterator<Item = u64>) -> f64 {
    let counts: Vec<u64> = counts.into_iter().filter(|&n| n > 0).collect();
    let all = counts.iter().sum::<u64>() as f64;
    counts.iter().map(|&n| n as f64 / all * (all / n as f64).log2()).sum()
}
