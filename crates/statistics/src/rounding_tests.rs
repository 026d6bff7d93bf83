use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::Zero;
use proptest::prelude::*;

use super::*;

/// A float as a fraction.
fn exact(x: f64) -> Ratio<BigInt> {
    Ratio::from_float(x).unwrap()
}

/// Floats of all sizes, and short decimals, which meet exactly more often.
fn float() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |x| x.is_finite() && x.abs() < 1e150 && x.abs() > 1e-150),
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        (-1000i32..1000).prop_map(|x| f64::from(x) / 8.0),
        (-1000i32..1000).prop_map(|x| f64::from(x) / 10.0),
    ]
}

/// Whether an enclosure holds a fraction, and is at most a step wider than it needs to be.
fn holds(found: Enclosure, truth: &Ratio<BigInt>) -> bool {
    let below = found.low == f64::NEG_INFINITY || exact(found.low) <= *truth;
    let above = found.high == f64::INFINITY || exact(found.high) >= *truth;
    below && above
}

/// Whether an enclosure of a fraction is as tight as floats allow, in the usual range.
fn tight(found: Enclosure, truth: &Ratio<BigInt>) -> bool {
    match found.low == found.high {
        true => exact(found.low) == *truth,
        false => {
            found.low.next_up() == found.high && exact(found.low) != *truth && exact(found.high) != *truth
        }
    }
}

fn usual(x: f64) -> bool {
    x == 0.0 || (1e-140..1e140).contains(&x.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn operations_hold_the_true_value_and_little_more(a in float(), b in float()) {
        let (x, y) = (Enclosure::point(a), Enclosure::point(b));
        let (p, q) = (exact(a), exact(b));
        prop_assert!(holds(x + y, &(&p + &q)));
        prop_assert!(holds(x - y, &(&p - &q)));
        prop_assert!(holds(x * y, &(&p * &q)));
        prop_assert!(holds(x.square(), &(&p * &p)));
        if usual(a) && usual(b) {
            prop_assert!(tight(x + y, &(&p + &q)));
            prop_assert!(tight(x * y, &(&p * &q)), "{a} * {b}");
        }
        if b != 0.0 {
            let quotient = &p / &q;
            prop_assert!(holds(x / y, &quotient));
            if [a, b, a / b].iter().all(|&x| usual(x)) {
                prop_assert!(tight(x / y, &quotient), "{a} / {b}");
            }
        }
        let root = Enclosure::point(a.abs()).sqrt();
        prop_assert!(exact(root.low) * exact(root.low) <= exact(a.abs()));
        prop_assert!(root.high.is_infinite() || exact(root.high) * exact(root.high) >= exact(a.abs()));
        let cube = x.cube();
        prop_assert!(holds(cube, &(&p * &p * &p)));
    }

    #[test]
    fn operations_of_enclosures_hold_those_of_their_numbers(
        [a, b, c, d] in prop::array::uniform4(-100i32..100),
        [s, t] in prop::array::uniform2(0u8..=4),
    ) {
        let x = Enclosure::between(a.into(), b.into());
        let y = Enclosure::between(c.into(), d.into());
        let inside = |e: Enclosure, t: u8| e.low + (e.high - e.low) * f64::from(t) / 4.0;
        let (p, q) = (inside(x, s), inside(y, t));
        prop_assert!((x + y).has(p + q) && (x - y).has(p - q) && (x * y).has(p * q));
        prop_assert!(x.square().has(p * p) && x.cube().has(p * p * p));
        prop_assert!(q == 0.0 || (x / y).has(p / q));
        prop_assert!(x.hull(y).has(p) && x.hull(y).has(q));
        prop_assert!(x.magnitude() >= p.abs() && x.magnitude_low() <= p.abs());
    }

    #[test]
    fn a_sum_of_squares_holds_the_true_sum(
        terms in prop::collection::vec((float(), float(), any::<bool>()), 0..30),
    ) {
        let terms: Vec<_> = terms.into_iter().filter(|(a, b, _)| usual(*a) && usual(*b)).collect();
        let mut all = Sum::default();
        let mut truth = Ratio::zero();
        for &(a, b, minus) in &terms {
            let sign = if minus { -1.0 } else { 1.0 };
            all.add_square(a, b, sign);
            all.add_enclosed(Enclosure::point(a) * Enclosure::point(b));
            let d = exact(a) - exact(b);
            truth = truth + &d * &d * exact(sign) + exact(a) * exact(b);
        }
        prop_assert!(holds(all.total(), &truth), "{:?}", all.total());
    }

    #[test]
    fn a_sum_holds_the_true_sum(terms in prop::collection::vec(float(), 0..60), cut in 0usize..60) {
        let truth = terms.iter().map(|&x| exact(x)).fold(Ratio::zero(), |a, b| a + b);
        let mut all = Sum::default();
        terms.iter().for_each(|&x| all.add(x));
        prop_assert!(holds(all.total(), &truth), "{:?}", all.total());
        let (first, second) = terms.split_at(cut.min(terms.len()));
        let [mut a, mut b] = [Sum::default(); 2];
        first.iter().for_each(|&x| a.add(x));
        second.iter().for_each(|&x| b.add(x));
        a.merge(&b);
        prop_assert!(holds(a.total(), &truth));
    }
}

#[test]
fn cancelling_loses_nothing() {
    let mut sum = Sum::default();
    [1e100, 1.0, -1e100, 0.5].iter().for_each(|&x| sum.add(x));
    let total = sum.total();
    assert!(total.has(1.5) && total.width() < 2e-15, "{total:?}");
    let mut whole = Sum::default();
    (1..=1000).for_each(|x| whole.add(f64::from(x)));
    assert_eq!(whole.total(), Enclosure::point(500_500.0), "whole numbers stay exact");
}

#[test]
fn no_bound_is_infinite() {
    let (inf, any) = (f64::INFINITY, Enclosure::ANY);
    let up = Enclosure { low: 1.0, high: inf };
    assert_eq!(up + Enclosure::point(1.0), Enclosure { low: 2.0, high: inf });
    assert_eq!(up - up, any);
    assert_eq!(up * Enclosure::ZERO, Enclosure::ZERO);
    assert_eq!(Enclosure::point(1.0) / Enclosure { low: -1.0, high: 1.0 }, any);
    assert_eq!(Enclosure::point(1.0) / up, Enclosure { low: 0.0, high: 1.0 });
    let huge = Enclosure::point(f64::MAX);
    assert_eq!((huge + huge).low, f64::MAX);
    assert_eq!((huge * huge).high, inf);
    let mut sum = Sum::default();
    [1.0, inf].iter().for_each(|&x| sum.add(x));
    assert_eq!(sum.total(), Enclosure::point(inf));
}
