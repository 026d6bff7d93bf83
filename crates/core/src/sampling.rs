//! (ε, δ)-differential privacy by random sampling and generalization [Li 2012, theorem 1; Bild
//! 2018]: the sampling rate, the required class size, and the selection of rows.
//!
//! Every row is sampled independently with probability β, generalized by a data-independent rule,
//! and released if at least k sampled rows equal it. One additional row in the table then changes
//! the probability of every outcome by a factor of at most e^ε, except for outcomes with a total
//! probability of at most δ, if −ln(1 − β) ≤ ε and d(k) ≤ δ, where
//!
//! d(k) = max over n ≥ ⌈k/γ − 1⌉ of P(X > γn), X binomial of n and β, and γ = (e^ε − 1 + β)/e^ε.
//!
//! (More than γn of the n rows of a class are sampled: only then is the outcome more than e^ε times
//! as likely as with n − 1.) Among all n with the same m = ⌊γn⌋ + 1 the last one has the largest
//! tail, so d(k) is the maximum over m ≥ k of P(X ≥ m) with n = ⌈m/γ⌉ − 1: one tail per m. A tail
//! is at most e^(−n·D), D the divergence of γ from β [Chernoff 1952], which terminates the maximum.
//! Rounding is to the safe side: β down, γ down, tails up. Costs some hundred tails: less than a
//! millisecond, and a few milliseconds for ε above 5.
//!
//! **Secret.** The selection must be unknown to everybody who sees the release, so it follows from
//! a secret and not from the seed: row i of the sorted table is selected if 32 bits of HMAC-SHA256
//! are less than β·2³². The secret is bound to the seed, the policy and every quasi-identifier of
//! the table: another table or policy gets its own selection, as the composition of ε over releases
//! requires. Rows have no other released cells, so equal ones are interchangeable, and the sample
//! is the same in any order of the rows ([`Sample`]). Costs a sort of the distinct tuples, a hash
//! of their texts, and one HMAC per 8 rows.

use std::cmp::Ordering;

use rayon::slice::ParallelSliceMut;
use sha2::{Digest, Sha256};

use crate::error::Result;
use crate::policy::sampling_limits::{WORD, out_of_range, threshold};
use crate::population::ln_gamma;
use crate::pseudonym::Key;
use crate::rows::Counted;
use crate::table::Dictionary;

/// The rounding error of γ and of a tail.
const ROUNDING: f64 = 1e-9;
/// Rows that one code decides about.
const ROWS: usize = 8;

/// What ε and δ ask of the draw and of classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// β·2³².
    threshold: u32,
    /// The rows that a class of the drawn table needs.
    k: u64,
}

impl Sampling {
    /// The largest share of rows and the smallest k that give ε and δ.
    ///
    /// # Errors
    /// An ε or δ out of range; the fault's key is the parameter at fault.
    pub fn new(epsilon: f64, delta: f64) -> Result<Self> {
        if let Some(fault) = out_of_range(epsilon, delta) {
            return Err(fault.into());
        }
        let tails = Tails::new(epsilon, threshold(epsilon));
        let enough = |k: u64| tails.worst(k) * (1.0 + ROUNDING) <= delta;
        let mut high = 1;
        while !enough(high) {
            high *= 2;
        }
        let mut low = high / 2;
        // d falls with k: at `low` it is too large, at `high` it is not.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if enough(middle) { high = middle } else { low = middle }
        }
        Ok(Sampling { threshold: threshold(epsilon), k: high })
    }

    /// The share of rows that are drawn.
    pub fn beta(&self) -> f64 {
        f64::from(self.threshold) / WORD
    }

    /// The rows that a class of the drawn table needs.
    pub fn k(&self) -> u64 {
        self.k
    }
}

/// The tails of binomial distributions beyond γ.
struct Tails {
    beta: f64,
    gamma: f64,
    /// The divergence of γ from β.
    divergence: f64,
}

impl Tails {
    fn new(epsilon: f64, threshold: u32) -> Self {
        let beta = f64::from(threshold) / WORD;
        // (e^ε − 1 + β)/e^ε, written so that nothing cancels.
        let gamma = (1.0 - (1.0 - beta) * (-epsilon).exp()) * (1.0 - ROUNDING);
        let divergence = gamma * (gamma / beta).ln() + (1.0 - gamma) * ((1.0 - gamma) / (1.0 - beta)).ln();
        Tails { beta, gamma, divergence }
    }

    /// d(k).
    fn worst(&self, k: u64) -> f64 {
        let mut worst: f64 = 0.0;
        for m in k.. {
            let n = (m as f64 / self.gamma).ceil() - 1.0;
            if (-n * self.divergence).exp() <= worst {
                break;
            }
            worst = worst.max(self.tail(n, m as f64));
        }
        worst
    }

    /// P(X ≥ m), X binomial of n and β; m is beyond the mean.
    fn tail(&self, n: f64, m: f64) -> f64 {
        if m > n {
            return 0.0;
        }
        let choose = ln_gamma(n + 1.0) - ln_gamma(m + 1.0) - ln_gamma(n - m + 1.0);
        let mut term = (choose + m * self.beta.ln() + (n - m) * (-self.beta).ln_1p()).exp();
        let odds = self.beta / (1.0 - self.beta);
        let (mut sum, mut j) = (0.0, m);
        while j <= n && term > sum * 1e-17 {
            sum += term;
            term *= (n - j) / (j + 1.0) * odds;
            j += 1.0;
        }
        sum
    }
}

/// The sampled part of a grouped table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Sample {
    /// Tuple → its sampled rows.
    pub counts: Vec<u32>,
    /// Rows of the whole table.
    pub rows: u64,
    /// A key for the order of released rows; see [`Draw::order`].
    pub order: [u8; 32],
}

impl Sample {
    /// Samples a table that was counted by columns of these names; the text is the digest of the
    /// policy.
    pub fn new(
        sampling: &Sampling,
        secret: &Key,
        (seed, policy): (u64, &str),
        names: &[String],
        counted: &Counted,
    ) -> Self {
        let mut columns: Vec<usize> = (0..names.len()).collect();
        columns.sort_unstable_by_key(|&column| &names[column]);
        let order = sorted(&columns, counted);
        let mut digest = Sha256::new();
        let add = |digest: &mut Sha256, cell: Option<&str>| {
            digest.update(cell.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            digest.update(cell.unwrap_or_default());
        };
        columns.iter().for_each(|&column| add(&mut digest, Some(&names[column])));
        let (tuples, counts) = (&counted.tuples, counted.tuples.counts());
        for &at in &order {
            for &column in &columns {
                add(&mut digest, counted.dictionaries[column].value(tuples.code(at as usize, column)));
            }
            // The length of a text is also eight bytes: a count cannot be taken for one, because
            // every tuple has as many cells.
            digest.update(u64::from(counts[at as usize]).to_le_bytes());
        }
        let table: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let mut draw = Draw::new(sampling, secret, seed, policy, &table);
        let mut sampled = vec![0; counts.len()];
        for at in order {
            let rows = 0..counts[at as usize];
            sampled[at as usize] = rows.filter(|_| draw.next_row()).count() as u32;
        }
        Sample { counts: sampled, rows: tuples.rows(), order: draw.order() }
    }

    /// The sampled rows, with the values that they have.
    pub fn of(&self, counted: &Counted) -> Counted {
        let width = counted.dictionaries.len();
        let mut sample = Counted::new(width);
        let mut row = vec![0; width];
        for (at, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            for (column, cell) in row.iter_mut().enumerate() {
                let value = counted.dictionaries[column].value(counted.tuples.code(at, column));
                *cell = sample.dictionaries[column].add(value, u64::from(count));
            }
            sample.tuples.insert(&row, count);
        }
        sample
    }
}

/// Tuples in the order of their texts, column by column in the given order.
fn sorted(columns: &[usize], counted: &Counted) -> Vec<u32> {
    let rank = |dictionary: &Dictionary| {
        let mut ranks = vec![0; dictionary.len()];
        dictionary.by_value().iter().zip(0u32..).for_each(|(&code, rank)| ranks[code as usize] = rank);
        ranks
    };
    let ranks: Vec<Vec<u32>> = counted.dictionaries.iter().map(rank).collect();
    let key = |at: u32, column: usize| ranks[column][counted.tuples.code(at as usize, column) as usize];
    let mut order: Vec<u32> = (0..counted.tuples.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        let cells = columns.iter().map(|&column| key(a, column).cmp(&key(b, column)));
        cells.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    order
}

/// Draws the rows of a sorted table, one after the other.
#[derive(Debug, Clone)]
pub struct Draw {
    key: Key,
    threshold: u32,
    /// The row to come.
    row: u64,
    /// The code that decides about it and its neighbours.
    code: [u8; 32],
}

impl Draw {
    /// The draw of a table. The texts are the digests of the policy and of the table.
    pub fn new(sampling: &Sampling, secret: &Key, seed: u64, policy: &str, table: &str) -> Self {
        let bound = [b"throng sample\n", &seed.to_le_bytes()[..], policy.as_bytes(), b"\n", table.as_bytes()];
        let key = Key::of(&secret.hmac(&bound));
        Draw { key, threshold: sampling.threshold, row: 0, code: [0; 32] }
    }

    /// A key for the order of released rows that reveals as little about the table as the sample
    /// does.
    pub fn order(&self) -> [u8; 32] {
        self.key.hmac(&[b"order"])
    }

    /// Whether the next row is drawn.
    pub fn next_row(&mut self) -> bool {
        let at = (self.row % ROWS as u64) as usize;
        if at == 0 {
            self.code = self.key.hmac(&[&(self.row / ROWS as u64).to_le_bytes()]);
        }
        self.row += 1;
        let word = self.code[4 * at..].first_chunk::<4>().map_or(u32::MAX, |word| u32::from_le_bytes(*word));
        word < self.threshold
    }
}

#[cfg(test)]
mod tests;
