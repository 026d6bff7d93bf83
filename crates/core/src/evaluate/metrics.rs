//! How well predictions fit held-out rows: accuracy, AUC, Brier score, calibration, R² and RMSE.
//!
//! AUC is the chance that a row of a class is ranked above one of another, ties as one half
//! [Hanley 1982]; of more than two classes, the mean over classes of one against the rest. The
//! Brier score is half the sum over classes of the squared difference between the chance and what
//! is [Brier 1950], so that of two classes it is the squared error of one. The expected calibration
//! error is the mean over ten bins of the difference between how sure the model is and how often it
//! is right, by rows [Naeini 2015]. Costs one sort of the predictions per class.

use serde::Serialize;

/// Bins of the calibration error.
const BINS: usize = 10;

/// A prediction with what is true.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// A number, or how likely every class is.
    pub predicted: Vec<f64>,
    /// The number, or the class.
    pub target: f64,
    /// The group of the rows.
    pub group: u32,
    /// How many rows there are.
    pub rows: f64,
}

/// How well a model does on some rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Scores {
    /// The rows.
    pub rows: f64,
    /// The share of rows whose most likely class is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Area under the curve; ½ is chance. None where all rows are of one class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// Brier score; 0 is perfect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brier: Option<f64>,
    /// Expected calibration error; 0 is perfect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<f64>,
    /// The share of the variance that is explained; below 0 the mean would do better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    /// Root of the mean squared error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
}

/// What a score is called, and where it is.
type Metric = (&'static str, fn(&Scores) -> Option<f64>);

impl Scores {
    /// The scores of predictions of classes.
    pub fn of_classes(scored: &[&Scored], classes: usize) -> Scores {
        let rows: f64 = scored.iter().map(|s| s.rows).sum();
        if rows <= 0.0 {
            return Scores::default();
        }
        let sum = |of: &dyn Fn(&Scored) -> f64| scored.iter().map(|s| s.rows * of(s)).sum::<f64>();
        let right = sum(&|s| f64::from(u8::from(likeliest(&s.predicted) == s.target as usize)));
        Scores {
            rows,
            accuracy: Some(right / rows),
            auc: auc(scored, classes),
            brier: Some(sum(&brier) / rows),
            calibration_error: Some(calibration_error(scored, rows)),
            ..Scores::default()
        }
    }

    /// The scores of predictions of numbers.
    pub fn of_numbers(scored: &[&Scored]) -> Scores {
        let rows: f64 = scored.iter().map(|s| s.rows).sum();
        if rows <= 0.0 {
            return Scores::default();
        }
        let sum = |of: &dyn Fn(&Scored) -> f64| scored.iter().map(|s| s.rows * of(s)).sum::<f64>();
        let mean = sum(&|s| s.target) / rows;
        let squares = sum(&|s| (s.target - mean).powi(2));
        let errors = sum(&|s| (s.target - s.predicted.first().copied().unwrap_or(mean)).powi(2));
        Scores {
            rows,
            r2: (squares > 0.0).then(|| 1.0 - errors / squares),
            rmse: Some((errors / rows).sqrt()),
            ..Scores::default()
        }
    }

    /// The scores that losses are compared with, the first one being what rankings are by.
    pub const RANKED: [Metric; 3] = [("auc", |s| s.auc), ("accuracy", |s| s.accuracy), ("r2", |s| s.r2)];

    /// What each score is more than another.
    #[must_use]
    pub fn minus(&self, other: &Scores) -> Scores {
        let less = |get: fn(&Scores) -> Option<f64>| Some(get(self)? - get(other)?);
        Scores {
            rows: self.rows,
            accuracy: less(|s| s.accuracy),
            auc: less(|s| s.auc),
            brier: less(|s| s.brier),
            calibration_error: less(|s| s.calibration_error),
            r2: less(|s| s.r2),
            rmse: less(|s| s.rmse),
        }
    }

    /// The mean of scores, each over those that have it.
    pub fn mean(all: &[Scores]) -> Scores {
        combined(all, |values| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The standard deviation of scores; 0 of a single one.
    pub fn deviation(all: &[Scores]) -> Scores {
        combined(all, |values| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
            (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
        })
    }
}

fn combined(all: &[Scores], of: impl Fn(&[f64]) -> f64) -> Scores {
    let field = |get: fn(&Scores) -> Option<f64>| {
        let values: Vec<f64> = all.iter().filter_map(get).collect();
        (!values.is_empty()).then(|| of(&values))
    };
    Scores {
        rows: field(|s| Some(s.rows)).unwrap_or(0.0),
        accuracy: field(|s| s.accuracy),
        auc: field(|s| s.auc),
        brier: field(|s| s.brier),
        calibration_error: field(|s| s.calibration_error),
        r2: field(|s| s.r2),
        rmse: field(|s| s.rmse),
    }
}

/// The most likely class; of several, the first.
fn likeliest(chances: &[f64]) -> usize {
    let best = chances.iter().enumerate().max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
    best.map_or(0, |(class, _)| class)
}

fn brier(scored: &Scored) -> f64 {
    let class = |(class, chance): (usize, &f64)| {
        let is = f64::from(u8::from(class == scored.target as usize));
        (chance - is).powi(2)
    };
    scored.predicted.iter().enumerate().map(class).sum::<f64>() / 2.0
}

fn calibration_error(scored: &[&Scored], rows: f64) -> f64 {
    // Bin → rows, sum of chances, rows that are right.
    let mut bins = [[0.0; 3]; BINS];
    for s in scored {
        let class = likeliest(&s.predicted);
        let chance = s.predicted.get(class).copied().unwrap_or(0.0);
        let bin = &mut bins[((chance * BINS as f64) as usize).min(BINS - 1)];
        bin[0] += s.rows;
        bin[1] += s.rows * chance;
        bin[2] += if class == s.target as usize { s.rows } else { 0.0 };
    }
    bins.iter().map(|[_, sure, right]| (sure - right).abs()).sum::<f64>() / rows
}

/// The mean over classes of one against the rest; of two classes, that of the second.
fn auc(scored: &[&Scored], classes: usize) -> Option<f64> {
    let first = if classes == 2 { 1 } else { 0 };
    let areas: Vec<f64> = (first..classes).filter_map(|class| area(scored, class)).collect();
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
}

/// The area for one class; none where no two rows can be compared.
fn area(scored: &[&Scored], class: usize) -> Option<f64> {
    let of = |s: &&Scored| {
        let own = s.target as usize == class;
        let chance = s.predicted.get(class).copied().unwrap_or(0.0);
        (chance, if own { s.rows } else { 0.0 }, if own { 0.0 } else { s.rows })
    };
    let mut rows: Vec<(f64, f64, f64)> = scored.iter().map(of).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    let (own, others) = rows.iter().fold((0.0, 0.0), |(a, b), row| (a + row.1, b + row.2));
    if own == 0.0 || others == 0.0 {
        return None;
    }
    let (mut below, mut won) = (0.0, 0.0);
    for tie in rows.chunk_by(|a, b| a.0 == b.0) {
        let (a, b) = tie.iter().fold((0.0, 0.0), |(a, b), row| (a + row.1, b + row.2));
        won += a * (below + b / 2.0);
        below += b;
    }
    Some(won / (own * others))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows() -> impl Strategy<Value = Vec<Scored>> {
        let row =
            (prop::collection::vec(0u32..6, 3), 0u32..3, 1u32..4).prop_map(|(chances, target, rows)| {
                let all = f64::from(chances.iter().sum::<u32>()) + 3.0;
                let predicted = chances.iter().map(|c| (f64::from(*c) + 1.0) / all).collect();
                Scored { predicted, target: f64::from(target), group: 0, rows: f64::from(rows) }
            });
        prop::collection::vec(row, 1..30)
    }

    /// Every row by itself, as the definitions have it.
    fn single(rows: &[Scored]) -> Vec<(Vec<f64>, usize)> {
        let times = |s: &Scored| vec![(s.predicted.clone(), s.target as usize); s.rows as usize];
        rows.iter().flat_map(times).collect()
    }

    proptest! {
        #[test]
        fn scores_are_those_of_the_definitions(rows in rows()) {
            let found = Scores::of_classes(&rows.iter().collect::<Vec<_>>(), 3);
            let single = single(&rows);
            let n = single.len() as f64;
            let best = |p: &[f64]| (0..3).find(|&c| p.iter().all(|q| *q <= p[c])).unwrap();
            let right = single.iter().filter(|(p, y)| best(p) == *y).count() as f64;
            prop_assert!((found.accuracy.unwrap() - right / n).abs() < 1e-12);
            let mut brier = 0.0;
            for (p, y) in &single {
                for (c, q) in p.iter().enumerate() {
                    brier += (q - if c == *y { 1.0 } else { 0.0 }).powi(2) / 2.0;
                }
            }
            prop_assert!((found.brier.unwrap() - brier / n).abs() < 1e-12);
            let mut areas = Vec::new();
            for class in 0..3 {
                let (mut won, mut pairs) = (0.0, 0.0);
                for (p, y) in single.iter().filter(|(_, y)| *y == class) {
                    for (q, z) in single.iter().filter(|(_, z)| *z != class) {
                        assert_ne!(y, z);
                        pairs += 1.0;
                        won += if p[class] > q[class] { 1.0 } else if p[class] == q[class] { 0.5 } else { 0.0 };
                    }
                }
                if pairs > 0.0 {
                    areas.push(won / pairs);
                }
            }
            match found.auc {
                Some(auc) => prop_assert!((auc - areas.iter().sum::<f64>() / areas.len() as f64).abs() < 1e-12),
                None => prop_assert!(areas.is_empty()),
            }
            let mut error = 0.0;
            for bin in 0..10 {
                let inside: Vec<_> = single.iter().filter(|(p, _)| {
                    let sure = p.iter().copied().fold(0.0, f64::max);
                    (sure * 10.0) as usize == bin
                }).collect();
                let sure: f64 = inside.iter().map(|(p, _)| p.iter().copied().fold(0.0, f64::max)).sum();
                let right = inside.iter().filter(|(p, y)| best(p) == *y).count() as f64;
                error += (sure - right).abs() / n;
            }
            prop_assert!((found.calibration_error.unwrap() - error).abs() < 1e-12);
        }
    }

    #[test]
    fn numbers_are_scored_by_what_is_left_of_their_variance() {
        let row = |said: f64, target: f64| Scored { predicted: vec![said], target, group: 0, rows: 1.0 };
        let rows = [row(1.0, 0.0), row(1.0, 2.0), row(4.0, 4.0)];
        let found = Scores::of_numbers(&rows.iter().collect::<Vec<_>>());
        // The targets have mean 2 and squares 8; the errors are 1, 1 and 0.
        assert!((found.r2.unwrap() - 0.75).abs() < 1e-12);
        assert!((found.rmse.unwrap() - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Scores::of_numbers(&[&rows[0]]).r2, None);
        assert_eq!(Scores::of_classes(&[], 2), Scores::default());
    }

    #[test]
    fn two_classes_have_one_area() {
        let row = |chance: f64, target: f64| Scored {
            predicted: vec![1.0 - chance, chance],
            target,
            group: 0,
            rows: 1.0,
        };
        let rows = [row(0.4, 1.0), row(0.4, 0.0), row(0.1, 0.0), row(0.9, 1.0)];
        let found = Scores::of_classes(&rows.iter().collect::<Vec<_>>(), 2);
        assert_eq!(found.auc, Some(3.5 / 4.0));
        let all = [Scores { auc: Some(0.5), ..found }, Scores { auc: Some(0.7), ..found }];
        assert!((Scores::mean(&all).auc.unwrap() - 0.6).abs() < 1e-12);
        assert!((Scores::deviation(&all).auc.unwrap() - 0.02f64.sqrt()).abs() < 1e-12);
    }
}
