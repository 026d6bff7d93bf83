use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::Zero;
use proptest::prelude::*;

use super::*;
use crate::data::Span;

type Exact = Ratio<BigInt>;

fn exact(x: f64) -> Exact {
    Ratio::from_float(x).unwrap()
}

/// The variance of numbers with weights, in fractions.
fn variance_of(values: &[Exact], weights: &[f64]) -> Exact {
    let weights: Vec<Exact> = weights.iter().map(|&w| exact(w)).collect();
    let rows = weights.iter().fold(Exact::zero(), |a, b| a + b);
    let mean = values.iter().zip(&weights).fold(Exact::zero(), |sum, (x, w)| sum + x * w) / &rows;
    let squares = values.iter().zip(&weights);
    squares.fold(Exact::zero(), |sum, (x, w)| sum + (x - &mean) * (x - &mean) * w) / rows
}

/// The greatest variance, over all choices of bounds.
fn greatest(cells: &[(f64, f64)], weights: &[f64]) -> Exact {
    let choose = |choice: usize| {
        let pick = |at: usize| if choice >> at & 1 == 1 { cells[at].1 } else { cells[at].0 };
        (0..cells.len()).map(|at| exact(pick(at))).collect::<Vec<Exact>>()
    };
    (0..1 << cells.len()).map(|choice| variance_of(&choose(choice), weights)).max().unwrap()
}

/// The least variance: over every range between neighbouring bounds that its mean can be in, cells
/// are moved to that mean as far as they can be.
fn least(cells: &[(f64, f64)], weights: &[f64]) -> Exact {
    let mut ends: Vec<f64> = cells.iter().flat_map(|&(low, high)| [low, high]).collect();
    ends.sort_by(f64::total_cmp);
    let moved = |c: &Exact| -> Vec<Exact> {
        let to = |&(low, high): &(f64, f64)| c.clone().max(exact(low)).min(exact(high));
        cells.iter().map(to).collect()
    };
    let mut candidates: Vec<Exact> = ends.iter().map(|&x| exact(x)).collect();
    for pair in ends.windows(2) {
        // In between, the mean of the cells that are not moved is a candidate.
        let outside = |&(low, high): &(f64, f64)| {
            if high <= pair[0] { Some(high) } else { (low >= pair[1]).then_some(low) }
        };
        let chosen: Vec<(Exact, Exact)> = cells
            .iter()
            .zip(weights)
            .filter_map(|(cell, &w)| Some((exact(outside(cell)?), exact(w))))
            .collect();
        if !chosen.is_empty() {
            let rows = chosen.iter().fold(Exact::zero(), |sum, (_, w)| sum + w);
            candidates.push(chosen.iter().fold(Exact::zero(), |sum, (x, w)| sum + x * w) / rows);
        }
    }
    candidates.iter().map(|c| variance_of(&moved(c), weights)).min().unwrap()
}

fn weighted(cells: &[(f64, f64)], weights: &[f64]) -> Intervals {
    let mut data = Intervals::default();
    for (&(low, high), &weight) in cells.iter().zip(weights) {
        data.push_weighted(Span::between(low, high), weight).unwrap();
    }
    data
}

/// Whether a bound is the true one, up to rounding, and on its side.
fn is_sharp(bound: f64, truth: &Exact, lower: bool) -> bool {
    let side = if lower { exact(bound) <= *truth } else { exact(bound) >= *truth };
    let near = (exact(bound) - truth).reduced();
    let near = if near < Exact::zero() { -near } else { near };
    side && near <= exact(1e-9) * (truth + exact(1e-3))
}

/// Cells of various arrangements: nested, equal, thin and wide.
fn arrangement() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let cell = prop_oneof![
        (0i32..40, 0i32..40).prop_map(|(a, b)| (f64::from(a.min(b)), f64::from(a.max(b)))),
        (0i32..40).prop_map(|a| (f64::from(a), f64::from(a))),
        (0i32..8).prop_map(|a| (f64::from(a) * 5.0, f64::from(a) * 5.0 + 5.0)),
        (0i32..400, 0i32..30).prop_map(|(a, w)| (f64::from(a) / 10.0, f64::from(a + w) / 10.0)),
    ];
    prop::collection::vec(cell, 1..7)
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((1i32..20).prop_map(|w| f64::from(w) / 4.0), 9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn bounds_equal_brute_force(cells in arrangement()) {
        let data = Intervals::new(&cells).unwrap();
        let found = variance(&data, Divisor::Population);
        let ones = vec![1.0; cells.len()];
        prop_assert!(found.exact, "{:?}", found);
        prop_assert!(is_sharp(found.low, &least(&cells, &ones), true), "{found:?}");
        prop_assert!(is_sharp(found.high, &greatest(&cells, &ones), false), "{found:?}");
    }

    #[test]
    fn bounds_equal_brute_force_with_weights(cells in arrangement(), weights in weights()) {
        let weights = &weights[..cells.len()];
        let found = variance(&weighted(&cells, weights), Divisor::Population);
        prop_assert!(found.exact, "{:?}", found);
        prop_assert!(is_sharp(found.low, &least(&cells, weights), true), "{found:?}");
        prop_assert!(is_sharp(found.high, &greatest(&cells, weights), false), "{found:?}");
    }

    /// Many cells: the statistic of any original lies within the bounds, and an enclosure is as
    /// close as it says.
    #[test]
    fn originals_lie_within(
        cells in prop::collection::vec((0i32..1000, 0i32..500, 0u8..=4), 2..200),
    ) {
        let spans: Vec<(f64, f64)> = cells.iter().map(|&(a, w, _)| (f64::from(a), f64::from(a + w))).collect();
        let original: Vec<Exact> =
            cells.iter().map(|&(a, w, t)| exact(f64::from(a) + f64::from(w) * f64::from(t) / 4.0)).collect();
        let data = Intervals::new(&spans).unwrap();
        let found = variance(&data, Divisor::Population);
        let truth = variance_of(&original, &vec![1.0; spans.len()]);
        prop_assert!(exact(found.low) <= truth && truth <= exact(found.high));
    }

    /// The classical algorithm for cells without nesting, which arranges all cells, gives the same.
    #[test]
    fn the_classical_algorithm_agrees(
        starts in prop::collection::vec((0i32..500, 0i32..60), 2..60),
    ) {
        // Running greatest upper bounds: no cell lies within another.
        let mut starts = starts;
        starts.sort_unstable();
        let mut high = f64::NEG_INFINITY;
        let cells: Vec<(f64, f64)> = starts.iter().map(|&(low, width)| {
            high = f64::from(low + width).max(high);
            (f64::from(low), high)
        }).collect();
        let data = Intervals::new(&cells).unwrap();
        let classical = upper::tests::arrange_all(&data);
        let found = variance(&data, Divisor::Population);
        prop_assert!(found.exact, "{found:?}");
        prop_assert!((found.high - classical).abs() <= 1e-9 * classical.max(1e-3), "{found:?} {classical}");
    }

    #[test]
    fn a_deviation_is_the_root(cells in arrangement()) {
        let data = Intervals::new(&cells).unwrap();
        let spread = Spread::new(&data);
        let (variance, deviation) =
            (spread.variance(Divisor::Population), spread.deviation(Divisor::Population));
        prop_assert!(deviation.enclosed().square().low <= variance.low);
        prop_assert!(deviation.enclosed().square().high >= variance.high);
        if cells.len() > 1 {
            let n = cells.len() as f64;
            let sample = spread.variance(Divisor::Sample);
            prop_assert!((sample.high - variance.high * n / (n - 1.0)).abs() <= 1e-9 * sample.high.max(1e-3));
        }
    }
}

#[test]
fn cases_are_named() {
    let named = |cells: &[(f64, f64)]| variance(&Intervals::new(cells).unwrap(), Divisor::Population).method;
    assert_eq!(named(&[(1.0, 1.0), (2.0, 2.0)]), "points");
    assert_eq!(named(&[(0.0, 1.0), (10.0, 12.0), (30.0, 30.0)]), "thin");
    assert_eq!(named(&[(0.0, 10.0), (1.0, 11.0), (2.0, 12.0)]), "same-instrument");
    assert_eq!(named(&[(0.0, 10.0), (1.0, 12.0), (2.0, 12.0)]), "no-nesting");
    assert_eq!(named(&[(0.0, 10.0), (1.0, 9.0), (2.0, 8.0)]), "few-intersections");
    assert_eq!(named(&[(0.0, f64::INFINITY), (1.0, 9.0)]), "unbounded");
}

/// Thirty nested cells around one point: too many arrangements, so there is an enclosure, and it is
/// within its slack of the best arrangement, which is half low and half high.
#[test]
fn many_nested_cells_have_an_enclosure() {
    let cells: Vec<(f64, f64)> = (1..=31).map(|i| (-f64::from(i), f64::from(i))).collect();
    let found = variance(&Intervals::new(&cells).unwrap(), Divisor::Population);
    assert_eq!((found.exact, found.method), (false, "enclosure"));
    let squares: f64 = (1..=31).map(|i| f64::from(i * i)).sum::<f64>() / 31.0;
    assert!(found.high >= squares && found.high - found.slack.unwrap() <= squares);
    assert!(found.slack.unwrap() < 1.0, "{found:?}");
}

#[test]
fn sets_leave_the_lower_bound_open() {
    let mut data = Intervals::new(&[(2.0, 2.0), (3.0, 3.0)]).unwrap();
    data.push(Span { low: 0.0, high: 9.0, gaps: true }).unwrap();
    let found = variance(&data, Divisor::Population);
    assert!(!found.exact && found.low > 0.16 && found.low < 0.17, "{found:?}");
}

#[test]
fn one_row_has_no_sample_variance() {
    let data = Intervals::new(&[(1.0, 2.0)]).unwrap();
    assert_eq!(variance(&data, Divisor::Sample).reason, Some(FEW));
    assert_eq!(variance(&data, Divisor::Population).enclosed(), Enclosure::ZERO);
    assert_eq!(variance(&Intervals::default(), Divisor::Sample).reason, Some(EMPTY));
}
