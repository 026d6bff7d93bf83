//! Profitability: independent implementation for the verifier, which computes the payout of an
//! attack and of a release row by row.
//!
//! The information loss of a row is the mean over its cells of (leaves under the cell − 1) /
//! (leaves − 1), from the hierarchies that the verifier rebuilt. Without the original these are not
//! all known, and only class sizes can be judged. Costs one look-up per cell of the classes.

use super::super::claims::Judged;
use super::super::classes::{Interner, Tuples};
use super::super::levels::Chain;
use super::super::levels::leaves_under;
use super::super::side::Side;
use super::super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use super::limit::ROUNDING;
use super::{Judge, JudgedBy, Limit, Rule, unlike};
use throng_terms::policy::{Game, ModelSpec, Policy, Profitability};
use throng_terms::release::Certificate;

impl Judge for Profitability {
    fn judged_by(&self, _: &ModelSpec, _: &Policy) -> Option<JudgedBy> {
        Some(JudgedBy::Payout(Payout::new(self.clone())))
    }
}

/// Column → number of a value → what a cell of it has lost.
type Lost = Vec<Vec<f64>>;

/// A model of what rows bring.
#[derive(Debug)]
pub(super) struct Payout {
    asked: Profitability,
    /// In the numbers of the release, and of the generalized original.
    lost: Option<(Lost, Lost)>,
}

impl Payout {
    pub(super) fn new(asked: Profitability) -> Self {
        Payout { asked, lost: None }
    }

    /// The limit of the figure.
    pub(super) fn limit() -> Limit {
        Limit::Least(0.0)
    }

    /// Learns what cells have lost at the first levels.
    pub(super) fn learn(&mut self, chains: &[Chain<'_>], released: &Side) {
        let both = chains.iter().zip(&released.interners).map(|(chain, interner)| of_column(chain, interner));
        self.lost = both.collect::<Option<Vec<_>>>().map(|both| both.into_iter().unzip());
    }

    /// What a class's rows bring the publisher, each; and whether it may stay.
    fn row(&self, rows: u64, lost: f64) -> (f64, bool) {
        let Profitability { publisher_benefit, publisher_loss, adversary_gain, adversary_cost, kind } =
            self.asked;
        let chance = 1.0 / rows as f64;
        let attacked = adversary_gain * chance > adversary_cost + ROUNDING * adversary_cost;
        let brings = publisher_benefit - publisher_benefit * lost;
        let brings = if attacked { brings - publisher_loss * chance } else { brings };
        let stays = match kind {
            Game::NoAttack => !attacked,
            Game::Payout => brings > ROUNDING * (publisher_benefit + publisher_loss),
        };
        (brings, stays)
    }

    /// Whether a class of the original may stay.
    pub(super) fn stays(&self, tuple: &[u32], rows: u64) -> bool {
        let lost = self.lost.as_ref().map_or(1.0, |(_, original)| mean(original, tuple));
        self.row(rows, lost).1
    }
}

/// What a cell has lost by its number in the release, and in the generalized original.
fn of_column(chain: &Chain<'_>, interner: &Interner) -> Option<(Vec<f64>, Vec<f64>)> {
    let (hierarchy, level) = chain.at(0)?;
    let all = hierarchy.leaf_count() as f64;
    let lost = |leaves: f64| if all > 1.0 { (leaves - 1.0) / (all - 1.0) } else { 0.0 };
    let original = leaves_under(hierarchy, level).into_iter().map(lost).collect();
    let mut released = vec![1.0; interner.len()];
    for code in 0..hierarchy.size(level) as u32 {
        if let Some(number) = interner.get(hierarchy.label(level, code)) {
            released[number as usize] = lost(f64::from(hierarchy.leaves_under(level, code)));
        }
    }
    Some((released, original))
}

/// The mean over a tuple's cells; a value that is not known has lost everything.
fn mean(lost: &Lost, tuple: &[u32]) -> f64 {
    let cell = |(column, &number): (&Vec<f64>, &u32)| column.get(number as usize).copied().unwrap_or(1.0);
    lost.iter().zip(tuple).map(cell).sum::<f64>() / tuple.len() as f64
}

/// Compares the payout of the released rows with the requirement and the certificate.
pub(super) fn claim(
    rule: &Rule,
    by: &Payout,
    certificate: &Certificate,
    tuples: &Tuples,
    judged: &Judged,
) -> Finding {
    let (mut all, mut unsafe_rows, mut rows) = (0.0, 0, 0);
    let sizes_tell = by.asked.kind == Game::NoAttack;
    for (class, &count) in judged.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let lost = by.lost.as_ref().map_or(0.0, |(released, _)| mean(released, tuples.tuple(class)));
        let (brings, stays) = by.row(count, lost);
        all += brings * count as f64;
        rows += count;
        unsafe_rows += if stays { 0 } else { count };
    }
    let mut wrong = Wrong::default();
    if unsafe_rows > 0 && (sizes_tell || by.lost.is_some()) {
        let why = if sizes_tell { "an attack pays" } else { "nothing is gained by a release" };
        wrong.push(format!("{} for which {why}", several(unsafe_rows, "row")));
    }
    if by.lost.is_none() && rows > 0 {
        let unproven = Finding::unchecked(WITHOUT_ORIGINAL);
        return if unsafe_rows > 0 && sizes_tell { Finding::of(&wrong, String::new) } else { unproven };
    }
    let found = (rows > 0).then_some(all);
    wrong.extend(unlike("the rows bring", certificate.release.privacy.get(&rule.claim), found, ROUNDING));
    Finding::of(&wrong, || match found {
        Some(all) => format!("the released rows bring {all}"),
        None => "no row is released".into(),
    })
}
