//! Properties that all statistics share: originals that fit the cells lie within the bounds, sharp
//! bounds are reached, and exact cells have one answer. Every definition is written out here once
//! more, in fractions where the statistic has one.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{ToPrimitive, Zero};
use proptest::prelude::*;

use crate::*;

pub(crate) type Exact = Ratio<BigInt>;

pub(crate) fn exact(x: f64) -> Exact {
    Ratio::from_float(x).unwrap()
}

/// Whether a fraction lies within bounds.
fn within(bounds: &Bounds, truth: &Exact) -> bool {
    let above = bounds.low == f64::NEG_INFINITY || exact(bounds.low) <= *truth;
    above && (bounds.high == f64::INFINITY || exact(bounds.high) >= *truth)
}

/// Whether a float that was computed with rounding lies within bounds.
fn nearly(bounds: &Bounds, truth: f64) -> bool {
    let margin = 1e-9 * truth.abs().max(1.0);
    bounds.low <= truth + margin && truth - margin <= bounds.high
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
}

/// A table of cells and an original that fits them.
#[derive(Debug, Clone)]
struct Case {
    cells: Vec<(f64, f64)>,
    original: Vec<f64>,
    weights: Vec<f64>,
}

impl Case {
    fn data(&self) -> Intervals {
        Intervals::new(&self.cells).unwrap()
    }

    fn weighted(&self) -> Intervals {
        let mut data = Intervals::default();
        for (&(low, high), &weight) in self.cells.iter().zip(&self.weights) {
            data.push_weighted(Span::between(low, high), weight).unwrap();
        }
        data
    }

    /// All originals that take bounds.
    fn corners(&self) -> Vec<Vec<f64>> {
        let n = self.cells.len();
        let pick = |choice: usize, at: usize| {
            let (low, high) = self.cells[at];
            if choice >> at & 1 == 1 { high } else { low }
        };
        (0..1usize << n).map(|choice| (0..n).map(|at| pick(choice, at)).collect()).collect()
    }
}

fn case(rows: std::ops::Range<usize>, from: i32) -> impl Strategy<Value = Case> {
    let cell = (
        prop_oneof![
            (from..60, 0i32..25).prop_map(|(a, w)| (f64::from(a), f64::from(a + w))),
            (from..60).prop_map(|a| (f64::from(a), f64::from(a))),
            (from..600, 0i32..100).prop_map(|(a, w)| (f64::from(a) / 10.0, f64::from(a + w) / 10.0)),
        ],
        0u8..=4,
        1i32..12,
    );
    prop::collection::vec(cell, rows).prop_map(|rows| Case {
        cells: rows.iter().map(|row| row.0).collect(),
        original: rows
            .iter()
            .map(|&((low, high), t, _)| (low + (high - low) * f64::from(t) / 4.0).min(high))
            .collect(),
        weights: rows.iter().map(|row| f64::from(row.2) / 4.0).collect(),
    })
}

fn mean_of(values: &[f64], weights: &[f64]) -> Exact {
    let rows = weights.iter().fold(Exact::zero(), |sum, &w| sum + exact(w));
    values.iter().zip(weights).fold(Exact::zero(), |sum, (&x, &w)| sum + exact(x) * exact(w)) / rows
}

/// The mean of (x − mean)^p.
fn central(values: &[f64], weights: &[f64], p: i32) -> Exact {
    let (mean, rows) =
        (mean_of(values, weights), weights.iter().fold(Exact::zero(), |sum, &w| sum + exact(w)));
    let term = |(&x, &w): (&f64, &f64)| (exact(x) - &mean).pow(p) * exact(w);
    values.iter().zip(weights).map(term).fold(Exact::zero(), |a, b| a + b) / rows
}

/// The quantile by interpolation, of numbers that count once.
fn quantile_of(values: &[f64], share: f64) -> Exact {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = exact((values.len() - 1) as f64) * exact(share);
    let row = place.to_integer().to_usize().unwrap();
    let next = sorted[(row + 1).min(values.len() - 1)];
    let rest = place.fract();
    exact(sorted[row]) * (exact(1.0) - &rest) + exact(next) * rest
}

fn correlation_of(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let of = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
        a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum::<f64>()
    };
    of(x, mx, y, my) / (of(x, mx, x, mx) * of(y, my, y, my)).sqrt()
}

fn ranks_of(values: &[f64]) -> Vec<f64> {
    let rank = |x: &f64| {
        let below = values.iter().filter(|y| *y < x).count() as f64;
        let equal = values.iter().filter(|y| *y == x).count() as f64;
        below + f64::midpoint(1.0, equal)
    };
    values.iter().map(rank).collect()
}

fn kendall_of(x: &[f64], y: &[f64]) -> f64 {
    let sign = |a: f64, b: f64| {
        if a > b {
            1.0
        } else if a < b {
            -1.0
        } else {
            0.0
        }
    };
    let mut sum = 0.0;
    for i in 0..x.len() {
        (0..i).for_each(|j| sum += sign(x[i], x[j]) * sign(y[i], y[j]));
    }
    sum / (x.len() * (x.len() - 1)) as f64 * 2.0
}

fn quartiles_apart(values: &[f64]) -> Exact {
    quantile_of(values, 0.75) - quantile_of(values, 0.25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn originals_lie_within(case in case(1..30, -30)) {
        let (data, weighted) = (case.data(), case.weighted());
        let ones = vec![1.0; case.original.len()];
        prop_assert!(within(&mean(&data), &mean_of(&case.original, &ones)));
        prop_assert!(within(&mean(&weighted), &mean_of(&case.original, &case.weights)));
        let pbox = PBox::new(&data).unwrap();
        for share in [0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0] {
            prop_assert!(within(&pbox.quantile(share), &quantile_of(&case.original, share)), "{share}");
        }
        prop_assert!(within(&interquartile_range(&data), &quartiles_apart(&case.original)));
        for x in [-5.0, 10.0, 30.0] {
            let above = case.original.iter().filter(|y| **y > x).count() as f64;
            let n = case.original.len() as f64;
            prop_assert!(within(&pbox.exceedance(x), &(exact(above) / exact(n))));
            prop_assert!(within(&pbox.share_to(x), &(exact(n - above) / exact(n))));
        }
        for (data, weights) in [(&data, &ones), (&weighted, &case.weights)] {
            let spread = Spread::new(data);
            let variance = central(&case.original, weights, 2);
            prop_assert!(within(&spread.variance(Divisor::Population), &variance));
            let shape = Shape::new(data, &spread);
            let third = central(&case.original, weights, 3);
            prop_assert!(within(&shape.third_moment, &third), "{:?} {third}", shape.third_moment);
            let v = variance.to_f64().unwrap();
            if v > 1e-6 {
                let skewness = third.to_f64().unwrap() / v.powf(1.5);
                prop_assert!(nearly(&shape.skewness, skewness), "{:?} {skewness}", shape.skewness);
                let kurtosis = central(&case.original, weights, 4).to_f64().unwrap() / (v * v);
                prop_assert!(nearly(&shape.kurtosis, kurtosis), "{:?} {kurtosis}", shape.kurtosis);
            }
            let rows: f64 = weights.iter().sum();
            if rows > 1.5 {
                let m = mean_of(&case.original, weights).to_f64().unwrap();
                let s = (v * rows / (rows - 1.0)).sqrt();
                let variation = spread.variation(data);
                prop_assert!(m == 0.0 || nearly(&variation, s / m), "{variation:?}");
                let (lower, upper) = confidence_limits(data, &spread, 0.95);
                let t = (upper.enclosed() - lower.enclosed()).high;
                prop_assert!(t >= 0.0 && lower.low <= m && m <= upper.high);
            }
        }
    }

    #[test]
    fn means_of_positive_numbers(case in case(1..12, 1)) {
        let n = case.original.len() as f64;
        let geometric = |values: &[f64]| (values.iter().map(|x| x.ln()).sum::<f64>() / n).exp();
        let harmonic = |values: &[f64]| {
            exact(n) / values.iter().fold(Exact::zero(), |sum, &x| sum + exact(1.0) / exact(x))
        };
        let data = case.data();
        prop_assert!(nearly(&geometric_mean(&data), geometric(&case.original)));
        prop_assert!(within(&harmonic_mean(&data), &harmonic(&case.original)));
        let (low, high): (Vec<f64>, Vec<f64>) = case.cells.iter().copied().unzip();
        let found = geometric_mean(&data);
        prop_assert!(close(found.low, geometric(&low)) && close(found.high, geometric(&high)));
        let found = harmonic_mean(&data);
        prop_assert!(close(found.low, harmonic(&low).to_f64().unwrap()));
        prop_assert!(close(found.high, harmonic(&high).to_f64().unwrap()));
        // With weights that count rows, rows can be repeated instead.
        let mut counted = Intervals::default();
        let mut repeated = Intervals::default();
        for (&(low, high), &weight) in case.cells.iter().zip(&case.weights) {
            let rows = (weight * 4.0) as usize;
            counted.push_weighted(Span::between(low, high), rows as f64).unwrap();
            (0..rows).for_each(|_| repeated.push(Span::between(low, high)).unwrap());
        }
        for of in [mean, geometric_mean, harmonic_mean, median] {
            let (a, b) = (of(&counted), of(&repeated));
            prop_assert!(close(a.low, b.low) && close(a.high, b.high), "{a:?} {b:?}");
        }
        let [a, b] = [&counted, &repeated].map(|data| PBox::new(data).unwrap());
        for share in [0.1, 0.3, 0.8] {
            prop_assert!(close(a.quantile(share).low, b.quantile(share).low));
            prop_assert!(close(a.exceedance(20.0).high, b.exceedance(20.0).high));
        }
    }

    /// On few rows, bounds that are called sharp are those of the corners.
    #[test]
    fn sharp_bounds_are_reached(case in case(1..7, -30)) {
        let data = case.data();
        let corners = case.corners();
        let ones = vec![1.0; case.cells.len()];
        let range = |of: &dyn Fn(&[f64]) -> Exact| {
            let all: Vec<Exact> = corners.iter().map(|values| of(values)).collect();
            (all.iter().min().unwrap().to_f64().unwrap(), all.iter().max().unwrap().to_f64().unwrap())
        };
        let (low, high) = range(&|values| mean_of(values, &ones));
        prop_assert!(close(mean(&data).low, low) && close(mean(&data).high, high));
        for share in [0.25, 0.5, 0.9] {
            let (low, high) = range(&|values| quantile_of(values, share));
            let found = quantile(&data, share);
            prop_assert!(found.exact && close(found.low, low) && close(found.high, high), "{found:?}");
        }
        // The lower bound of the interquartile range need not be at a corner; the upper one is.
        let (_, high) = range(&|values| quartiles_apart(values));
        let found = interquartile_range(&data);
        prop_assert!(found.high >= high - 1e-9 && (!found.exact || close(found.high, high)), "{found:?} {high}");
    }

    /// The lower bound of the interquartile range, by moving all cells to points of a fine grid.
    #[test]
    fn the_least_interquartile_range_is_reached(case in case(1..12, -30)) {
        let moved = |c: f64| -> Vec<f64> {
            case.cells.iter().map(|&(low, high)| c.max(low).min(high)).collect()
        };
        let mut points: Vec<f64> = case.cells.iter().flat_map(|&(low, high)| [low, high]).collect();
        points.extend((-30..90).map(f64::from));
        let least = points.iter().map(|&c| quartiles_apart(&moved(c))).min().unwrap().to_f64().unwrap();
        let found = interquartile_range(&case.data());
        prop_assert!(found.low <= least + 1e-9 && close(found.low, least), "{found:?} {least}");
    }

    #[test]
    fn pairs_lie_within(x in case(2..25, -30), y in case(25..26, -30)) {
        let n = x.cells.len();
        let (a, b) = (&x.original, &y.original[..n]);
        let (dx, dy) = (x.data(), Intervals::new(&y.cells[..n]).unwrap());
        let product: Vec<f64> = vec![1.0; n];
        let (ma, mb) = (mean_of(a, &product), mean_of(b, &product));
        let truth = a.iter().zip(b).fold(Exact::zero(), |sum, (&p, &q)| sum + (exact(p) - &ma) * (exact(q) - &mb))
            / exact(n as f64);
        let found = covariance(&dx, &dy, Divisor::Population);
        prop_assert!(within(&found, &truth), "{found:?} {truth}");
        let rho = correlation_of(a, b);
        let found = correlation(&dx, &dy);
        prop_assert!(rho.is_nan() || nearly(&found, rho), "{found:?} {rho}");
        let rho = correlation_of(&ranks_of(a), &ranks_of(b));
        let found = spearman(&dx, &dy);
        prop_assert!(rho.is_nan() || nearly(&found, rho), "{found:?} {rho}");
        let found = kendall(&dx, &dy);
        prop_assert!(nearly(&found, kendall_of(a, b)), "{found:?}");
        let slope = rho * 0.0 + correlation_of(a, b) * (variance_of(b) / variance_of(a)).sqrt();
        let found = Pairs::new(&dx, &dy).unwrap().slope();
        prop_assert!(slope.is_nan() || nearly(&found, slope), "{found:?} {slope}");
    }

    /// Exact cells have one answer, and it is that of the definition.
    #[test]
    fn exact_cells_have_one_answer(x in case(3..20, -30), y in case(20..21, -30)) {
        let n = x.cells.len();
        let (a, b) = (&x.original, &y.original[..n]);
        let [dx, dy] = [a, b].map(|values| Intervals::points(values).unwrap());
        let one = |bounds: &Bounds, truth: f64| {
            truth.is_nan() || (bounds.exact && close(bounds.low, truth) && close(bounds.high, truth))
        };
        let shape = shape(&dx);
        let v = variance_of(a);
        if v > 1e-6 {
            let ones = vec![1.0; n];
            let third = central(a, &ones, 3).to_f64().unwrap();
            prop_assert!((shape.skewness.low - third / v.powf(1.5)).abs() < 1e-6, "{shape:?}");
            let fourth = central(a, &ones, 4).to_f64().unwrap();
            prop_assert!((shape.kurtosis.high - fourth / (v * v)).abs() < 1e-6, "{shape:?}");
        }
        if v > 1e-6 && variance_of(b) > 1e-6 {
            prop_assert!((correlation(&dx, &dy).low - correlation_of(a, b)).abs() < 1e-6);
            prop_assert!(one(&spearman(&dx, &dy), correlation_of(&ranks_of(a), &ranks_of(b))));
        }
        prop_assert!(one(&kendall(&dx, &dy), kendall_of(a, b)));
    }

    /// Sharp covariances are those of the corners, and other bounds hold them.
    #[test]
    fn covariances_of_few_rows_are_sharp(x in case(2..6, -30), y in case(6..7, -30)) {
        let n = x.cells.len();
        let few = Case { cells: y.cells[..n].to_vec(), ..y.clone() };
        let of = |a: &[f64], b: &[f64]| {
            let n = a.len() as f64;
            let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
            a.iter().zip(b).map(|(p, q)| (p - ma) * (q - mb)).sum::<f64>() / n
        };
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for a in x.corners() {
            for b in few.corners() {
                let found = of(&a, &b);
                (low, high) = (low.min(found), high.max(found));
            }
        }
        let found = covariance(&x.data(), &few.data(), Divisor::Population);
        prop_assert!(found.exact && close(found.low, low) && close(found.high, high), "{found:?} {low} {high}");
        // The general algorithm, on the same rows three times over, where the corners are reached
        // too.
        let [tripled_x, tripled_y] = [&x.cells, &few.cells].map(|cells| {
            Intervals::new(&cells.iter().cycle().take(3 * n).copied().collect::<Vec<_>>()).unwrap()
        });
        let found = covariance(&tripled_x, &tripled_y, Divisor::Population);
        prop_assert!(found.low <= low + 1e-9 && high - 1e-9 <= found.high, "{found:?} {low} {high}");
    }
}

fn variance_of(values: &[f64]) -> f64 {
    central(values, &vec![1.0; values.len()], 2).to_f64().unwrap()
}

#[test]
fn what_has_no_bound_says_so() {
    let across = Intervals::new(&[(-1.0, 2.0), (3.0, 4.0)]).unwrap();
    for found in [geometric_mean(&across), harmonic_mean(&across)] {
        assert_eq!((found.method, found.is_finite()), ("none", false));
        assert!(found.reason.unwrap().contains("negative"));
    }
    let zero = Intervals::new(&[(0.0, 2.0), (3.0, 4.0)]).unwrap();
    assert_eq!((harmonic_mean(&zero).low, geometric_mean(&zero).low), (0.0, 0.0));
    let open = Intervals::new(&[(1.0, f64::INFINITY), (3.0, 4.0)]).unwrap();
    let found = mean(&open);
    assert_eq!((found.low, found.high), (2.0, f64::INFINITY));
    assert!(found.reason.unwrap().contains("domain"));
    assert_eq!(serde_json::to_value(found).unwrap()["high"], serde_json::Value::Null);
    assert_eq!(variance(&open, Divisor::Sample).high, f64::INFINITY);
    assert_eq!(median(&open).low, 2.0);
    let same = Intervals::points(&[2.0, 2.0]).unwrap();
    assert!(correlation(&same, &zero).reason.is_some());
    assert!(shape(&same).skewness.reason.is_some());
    assert!(Spread::new(&across).variation(&across).is_finite());
    let around = Intervals::new(&[(-1.0, 2.0)]).unwrap();
    assert!(!Spread::new(&around).variation(&around).is_finite());
    for found in [
        mean(&Intervals::default()),
        median(&Intervals::default()),
        covariance(&zero, &same, Divisor::Sample),
    ] {
        assert!(found.reason.is_some() || found.is_finite());
    }
}

/// Figure 2 of [Xiang 2014] in small: bounds widen with the intervals.
#[test]
fn wider_cells_have_wider_bounds() {
    let mut before = (0.0, 0.0);
    for width in [1.0, 2.0, 5.0, 9.0] {
        let cells: Vec<(f64, f64)> =
            (0..60).map(|i| (100.0 + f64::from(i) - width, 100.0 + f64::from(i) + width)).collect();
        let data = Intervals::new(&cells).unwrap();
        let now = (mean(&data).width(), variance(&data, Divisor::Sample).width());
        assert!(now.0 > before.0 && now.1 > before.1);
        before = now;
    }
}
