//! Differential privacy by sampling [Li 2012]: independent implementation for the verifier of the k
//! that follows from ε and δ, the rows that the secret selects, and what a certificate must not
//! reveal.
//!
//! Simpler than the release: the theorem's maximum is taken over every n, with logarithms of
//! factorials summed one by one, and k is searched from 1 up with cached tails. Costs one tail per
//! n up to about 3k/γ: milliseconds, and a second if ε is at the end of its range.

use sha2::{Digest, Sha256};

use super::classes::{Interner, Tuples};
use throng_terms::error::Result;
use throng_terms::policy::{DifferentialPrivacy, Policy};
use throng_terms::release::{Certificate, FileFacts, Release, SamplingFacts};
use throng_terms::rows::Rows;
use throng_terms::watch::Watch;

/// The rounding error of γ and of a sum.
const ROUNDING: f64 = 1e-9;
/// Whether 32 bits, as a number, are below β·2³² decides about a row.
const WORDS: f64 = 4_294_967_296.0;

/// What the policy and the certificate say of the draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    beta: f64,
    pub(super) k: u64,
}

impl Drawn {
    /// What ε and δ ask for, with the β that is stated, if it may be, and otherwise the one that
    /// should be.
    pub(super) fn new(asked: &DifferentialPrivacy, stated: Option<&SamplingFacts>) -> Self {
        let stated = stated.map(|facts| facts.beta).filter(|beta| allowed(asked.epsilon, *beta));
        let beta = stated.unwrap_or_else(|| (largest(asked.epsilon) * WORDS - 0.5).floor() / WORDS);
        Drawn { beta, k: smallest(asked, beta) }
    }
}

/// The largest β that ε allows.
fn largest(epsilon: f64) -> f64 {
    1.0 - (-epsilon).exp()
}

/// Whether β is a number of 32 bits that ε allows, and hardly less than the largest such number.
fn allowed(epsilon: f64, beta: f64) -> bool {
    let room = largest(epsilon) - beta;
    (beta * WORDS).fract() == 0.0 && (-1e-15..=2.0 / WORDS).contains(&room)
}

/// The smallest k for which the theorem's d is at most δ. The n of d start at ⌈k/γ − 1⌉, so the
/// last n with a larger tail decides.
fn smallest(asked: &DifferentialPrivacy, beta: f64) -> u64 {
    let gamma = (1.0 - (1.0 - beta) / asked.epsilon.exp()) * (1.0 - ROUNDING);
    let exponent = gamma * (gamma / beta).ln() - (1.0 - gamma) * ((1.0 - beta) / (1.0 - gamma)).ln();
    // From here on no tail can be larger than δ: a tail is at most e^(−n·exponent).
    let end = (-asked.delta.ln() / exponent).ceil() as usize + 1;
    let factorials = factorials(end);
    let too_large = |n: &usize| tail(*n, gamma, beta, &factorials) * (1.0 + ROUNDING) > asked.delta;
    let last = (0..=end).rev().find(too_large).unwrap_or(0);
    // The least k with ⌈k/γ − 1⌉ > last.
    let starts_after = |k: &u64| (*k as f64 / gamma - 1.0).ceil() as usize > last;
    let near = ((last as f64 + 1.0) * gamma).floor() as u64;
    (near.saturating_sub(2).max(1)..).find(starts_after).unwrap_or(u64::MAX)
}

/// n → ln n!.
fn factorials(end: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let logarithm = |n: usize| {
        sum += (n.max(1) as f64).ln();
        sum
    };
    (0..=end).map(logarithm).collect()
}

/// The chance that more than γn of n rows are drawn.
fn tail(n: usize, gamma: f64, beta: f64, factorials: &[f64]) -> f64 {
    let least = (gamma * n as f64).floor() as usize + 1;
    let mut sum = 0.0;
    for j in least..=n {
        let choices = factorials[n] - factorials[j] - factorials[n - j];
        let chance = (choices + j as f64 * beta.ln() + (n - j) as f64 * (1.0 - beta).ln()).exp();
        sum += chance;
        // Beyond the mean chances fall faster and faster.
        if chance < sum * 1e-16 {
            break;
        }
    }
    sum
}

/// The rows that a secret draws from a table.
pub(super) struct Draw {
    key: [u8; 32],
    below: u64,
    row: u64,
}

impl std::fmt::Debug for Draw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Draw")
    }
}

impl Draw {
    /// Of the table with a digest, under the policy with a digest.
    pub(super) fn new(drawn: &Drawn, secret: &[u8], seed: u64, policy: &str, table: &str) -> Self {
        let mut message = b"throng sample\n".to_vec();
        message.extend(seed.to_le_bytes());
        message.extend(format!("{policy}\n{table}").bytes());
        Draw { key: hmac(secret, &message), below: (drawn.beta * WORDS) as u64, row: 0 }
    }

    /// Which of the next rows are drawn.
    pub(super) fn next(&mut self, rows: usize) -> Vec<bool> {
        let from = self.row;
        self.row += rows as u64;
        let mut code = (u64::MAX, [0; 32]);
        let is_drawn = |row: u64| {
            if code.0 != row / 8 {
                code = (row / 8, hmac(&self.key, &(row / 8).to_le_bytes()));
            }
            let at = (row % 8) as usize * 4;
            let word = code.1[at..at + 4].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            word < self.below
        };
        (from..self.row).map(is_drawn).collect()
    }
}

/// A table as its distinct tuples with their counts, sorted: rows are drawn in this order, so that
/// a draw follows from the content of the table alone.
pub(super) struct SortedTable {
    names: Vec<String>,
    interners: Vec<Interner>,
    tuples: Tuples,
    counts: Vec<u64>,
    order: Vec<u32>,
}

impl SortedTable {
    /// Reads some columns of a table, which are in name order.
    pub(super) fn read(rows: &dyn Rows, names: &[&str], columns: &[usize], watch: &Watch) -> Result<Self> {
        let mut interners: Vec<Interner> = columns.iter().map(|_| Interner::new()).collect();
        let (mut tuples, mut counts) = (Tuples::new(columns.len()), Vec::new());
        let mut batch: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        let mut tuple = vec![0; columns.len()];
        rows.read(columns, watch, &mut |read| {
            for (column, (numbers, interner)) in batch.iter_mut().zip(&mut interners).enumerate() {
                numbers.clear();
                read.each(column, &mut |cell| numbers.push(interner.add(cell)));
            }
            for row in 0..read.rows() {
                tuple.iter_mut().zip(&batch).for_each(|(cell, numbers)| *cell = numbers[row]);
                let at = tuples.intern(&tuple);
                counts.resize(counts.len().max(at + 1), 0);
                counts[at] += 1;
            }
            watch.check()
        })?;
        let ranks: Vec<Vec<u32>> = interners.iter().map(ranks).collect();
        let key = |at: &u32| -> Vec<u32> {
            tuples.tuple(*at as usize).iter().zip(&ranks).map(|(&cell, ranks)| ranks[cell as usize]).collect()
        };
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_by_cached_key(key);
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Ok(SortedTable { names, interners, tuples, counts, order })
    }

    /// Hands out every tuple with its count, in order.
    pub(super) fn each(&self, mut take: impl FnMut(&[Option<&str>], u64) -> Result<()>) -> Result<()> {
        let mut cells = vec![None; self.interners.len()];
        for &at in &self.order {
            let numbers = self.tuples.tuple(at as usize).iter().zip(&self.interners);
            cells.iter_mut().zip(numbers).for_each(|(cell, (&n, interner))| *cell = interner.value(n));
            take(&cells, self.counts[at as usize])?;
        }
        Ok(())
    }

    /// SHA-256 of names, tuples and counts, each text with its length.
    pub(super) fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        let add = |hasher: &mut Sha256, cell: Option<&str>| {
            hasher.update(cell.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
            hasher.update(cell.unwrap_or(""));
        };
        self.names.iter().for_each(|name| add(&mut hasher, Some(name)));
        let _ = self.each(|tuple, count| {
            tuple.iter().for_each(|cell| add(&mut hasher, *cell));
            hasher.update(count.to_le_bytes());
            Ok(())
        });
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Number of a text → its place among all texts; a missing cell is before them.
fn ranks(interner: &Interner) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..interner.len() as u32).collect();
    numbers.sort_by_key(|&number| interner.value(number));
    let mut ranks = vec![0; numbers.len()];
    numbers.iter().zip(0..).for_each(|(&number, rank)| ranks[number as usize] = rank);
    ranks
}

/// HMAC-SHA256 (RFC 2104), written out: the release draws with the `hmac` crate, and the verifier
/// must not share its mistakes.
fn hmac(secret: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = if secret.len() > 64 { Sha256::digest(secret).to_vec() } else { secret.to_vec() };
    block.resize(64, 0);
    let pad = |with: u8| block.iter().map(|byte| byte ^ with).collect::<Vec<u8>>();
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(pad(0x5c)).chain_update(inner).finalize().into()
}

/// Wrong statements of a certificate about the sample, and facts that it must not reveal.
pub(super) fn certificate(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    let mut wrong = Vec::new();
    match (policy.differential_privacy(), &release.sampling) {
        (None, None) => {}
        (None, Some(_)) => wrong.push("rows are said to be drawn, but the policy does not ask for it".into()),
        (Some(_), None) => wrong.push("it does not say how rows were drawn".into()),
        (Some(asked), Some(facts)) => {
            wrong.extend(misstated(asked, facts));
            wrong.extend(
                unsampled_facts(release).map(|what| format!("it states {what}, which must not be published")),
            );
        }
    }
    wrong
}

fn misstated(asked: &DifferentialPrivacy, facts: &SamplingFacts) -> Vec<String> {
    let mut wrong = Vec::new();
    if (facts.epsilon, facts.delta) != (asked.epsilon, asked.delta) {
        wrong.push(format!(
            "epsilon {} and delta {} are claimed, {} and {} are required",
            facts.epsilon, facts.delta, asked.epsilon, asked.delta
        ));
    }
    if !allowed(asked.epsilon, facts.beta) {
        let largest = largest(asked.epsilon);
        wrong.push(format!("rows are said to be drawn with probability {}, not {largest}", facts.beta));
    }
    let k = Drawn::new(asked, Some(facts)).k;
    if facts.k != k {
        wrong.push(format!("k is said to be {}, epsilon and delta ask for {k}", facts.k));
    }
    wrong
}

/// Facts in a certificate of sampled rows beyond what the released rows show.
fn unsampled_facts(release: &Release) -> impl Iterator<Item = &'static str> {
    let FileFacts { sha256, rows, .. } = &release.input;
    let facts = [
        (!sha256.is_empty(), "a digest of the input"),
        (*rows > 0, "the rows of the input"),
        (release.rows != release.output.rows, "how many rows were drawn"),
        (release.withheld > 0, "how many rows were withheld"),
        (!release.loss.is_empty() || !release.loss_by_column.is_empty(), "what was lost"),
        (release.risk.is_some(), "how recognizable the rows of the input are"),
        (release.preparation.is_some(), "how the input was prepared"),
        (release.search.seconds != 0.0, "how long the search took"),
    ];
    facts.into_iter().filter(|(stated, _)| *stated).map(|(_, what)| what)
}
