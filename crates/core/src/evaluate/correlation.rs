//! Which measure of loss goes along with what models learn: correlations over settings.
//!
//! Pearson's correlation is of the values, Spearman's of their ranks with ties at their mean rank
//! [Spearman 1904]. `same_k` is the share of pairs of settings with the same k in which the one
//! with less loss has the higher score, ties as one half: how often the loss chooses the better of
//! two methods. Costs settings² per measure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::SettingResult;
use super::metrics::Scores;

/// How a measure goes along with a score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    /// Pearson's correlation.
    pub pearson: f64,
    /// Spearman's rank correlation.
    pub spearman: f64,
    /// The share of pairs with the same k that the measure orders as the score does; none where
    /// there are no such pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_k: Option<f64>,
}

/// A measure of loss with its correlations.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureCorrelations {
    /// The loss, or a measure of similarity.
    pub measure: String,
    /// Settings that have it.
    pub settings: usize,
    /// Score → correlation with its mean over models that read cells directly.
    pub scores: BTreeMap<&'static str, Correlation>,
    /// Model → correlation with its AUC, or R².
    pub models: BTreeMap<String, Correlation>,
}

/// Of all measures, those with the strongest rank correlation with AUC (or R²) first.
pub(super) fn correlations(settings: &[SettingResult]) -> Vec<MeasureCorrelations> {
    let mut names: Vec<String> = settings.iter().flat_map(|s| s.measures().into_keys()).collect();
    names.sort();
    names.dedup();
    let mut all: Vec<MeasureCorrelations> =
        names.into_iter().filter_map(|name| of_measure(name, settings)).collect();
    let strength = |m: &MeasureCorrelations| {
        let first = Scores::RANKED.iter().find_map(|(name, _)| m.scores.get(name));
        first.map_or((0.0, 0.0), |c| (c.spearman.abs(), c.pearson.abs()))
    };
    all.sort_by(|a, b| {
        let (a_by, b_by) = (strength(a), strength(b));
        b_by.0.total_cmp(&a_by.0).then(b_by.1.total_cmp(&a_by.1)).then(a.measure.cmp(&b.measure))
    });
    all
}

fn of_measure(name: String, settings: &[SettingResult]) -> Option<MeasureCorrelations> {
    let with = |score: &dyn Fn(&SettingResult) -> Option<f64>| {
        let point = |s: &SettingResult| Some((*s.measures().get(&name)?, score(s)?, s.k));
        correlated(&settings.iter().filter_map(point).collect::<Vec<_>>())
    };
    let mut scores = BTreeMap::new();
    for (score, get) in Scores::RANKED {
        if let Some(found) = with(&|s| s.mean_score(get)) {
            scores.insert(score, found);
        }
    }
    let mut models = BTreeMap::new();
    for model in settings.iter().flat_map(|s| s.direct()).map(|m| m.model.name()) {
        if models.contains_key(model) {
            continue;
        }
        let own = |s: &SettingResult| {
            let found = s.direct().find(|m| m.model.name() == model)?;
            found.scores.auc.or(found.scores.r2)
        };
        if let Some(found) = with(&own) {
            models.insert(model.to_owned(), found);
        }
    }
    let settings = settings.iter().filter(|s| s.measures().contains_key(&name)).count();
    (!scores.is_empty()).then_some(MeasureCorrelations { measure: name, settings, scores, models })
}

/// Of (measure, score, k); none where there are fewer than three or nothing varies.
fn correlated(points: &[(f64, f64, Option<u64>)]) -> Option<Correlation> {
    if points.len() < 3 {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|(x, y, _)| (*x, *y)).unzip();
    let pearson = pearson(&x, &y)?;
    let spearman = self::pearson(&ranks(&x), &ranks(&y))?;
    let (mut right, mut pairs) = (0.0, 0.0);
    for (i, a) in points.iter().enumerate() {
        for b in points[..i].iter().filter(|b| a.2.is_some() && a.2 == b.2) {
            pairs += 1.0;
            let agree = (b.0 - a.0) * (a.1 - b.1);
            right += if agree > 0.0 {
                1.0
            } else if agree == 0.0 {
                0.5
            } else {
                0.0
            };
        }
    }
    Some(Correlation { pearson, spearman, same_k: (pairs > 0.0).then(|| right / pairs) })
}

/// Pearson's correlation; none where one of both does not vary.
pub(super) fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sum = |a: &[f64], ma: f64, b: &[f64], mb: f64| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum()
    };
    let (xx, yy) = (sum(x, mx, x, mx), sum(y, my, y, my));
    // What differs by rounding alone does not vary.
    let varies = |squares: f64, mean: f64| squares > 1e-18 * n * mean * mean && squares > 0.0;
    (varies(xx, mx) && varies(yy, my)).then(|| (sum(x, mx, y, my) / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Ranks from 1; equal numbers have their mean rank.
pub(super) fn ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
    let mut ranks = vec![0.0; x.len()];
    let mut before = 0;
    for tie in order.chunk_by(|&a, &b| x[a] == x[b]) {
        let rank = before as f64 + (tie.len() as f64 + 1.0) / 2.0;
        tie.iter().for_each(|&at| ranks[at] = rank);
        before += tie.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Ranks by counting, and Spearman of distinct numbers by 1 − 6Σd²/(n(n²−1)).
        #[test]
        fn ranks_and_correlations_are_those_of_the_definitions(x in prop::collection::vec(0u32..12, 3..20), seed in 0u64..50) {
            let x: Vec<f64> = x.into_iter().map(f64::from).collect();
            for (rank, a) in ranks(&x).iter().zip(&x) {
                let below = x.iter().filter(|b| *b < a).count() as f64;
                let same = x.iter().filter(|b| *b == a).count() as f64;
                prop_assert_eq!(*rank, below + (same + 1.0) / 2.0);
            }
            let n = x.len() as f64;
            let distinct: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
            let mut other = distinct.clone();
            other.rotate_left(seed as usize % x.len());
            let squares: f64 = ranks(&distinct).iter().zip(ranks(&other)).map(|(a, b)| (a - b).powi(2)).sum();
            let found = pearson(&ranks(&distinct), &ranks(&other)).unwrap();
            prop_assert!((found - (1.0 - 6.0 * squares / (n * (n * n - 1.0)))).abs() < 1e-9);
        }
    }

    #[test]
    fn what_does_not_vary_has_no_correlation() {
        assert_eq!(pearson(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(correlated(&[(1.0, 2.0, None), (2.0, 1.0, None)]), None);
        let found = correlated(&[(1.0, 0.9, Some(2)), (2.0, 0.8, Some(2)), (3.0, 0.7, Some(5))]).unwrap();
        assert!((found.pearson + 1.0).abs() < 1e-12 && (found.spearman + 1.0).abs() < 1e-12);
        assert_eq!(found.same_k, Some(1.0));
    }
}
