//! Root finding by Chandrupatla's method [Chandrupatla 1997]: bisection with inverse quadratic
//! interpolation through the last three points where that is guaranteed to be better.
//!
//! About 10 to 20 evaluations for full precision, where bisection needs 50; never more than
//! [`MOST`].

/// Evaluations after which the best so far is returned: bisection alone would have ended.
const MOST: usize = 200;

/// A point between `low` and `high` where the function changes its sign, which it has at one of
/// them and not at the other; 0 counts as below.
pub fn root(of: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    // The root lies between a and b; c is the point before.
    let (mut a, mut b) = (high, low);
    let (mut at_a, mut at_b) = (of(a), of(b));
    let (mut c, mut at_c);
    let mut part = 0.5;
    for _ in 0..MOST {
        let x = a + part * (b - a);
        let at_x = of(x);
        if at_x == 0.0 {
            return x;
        }
        if (at_x > 0.0) == (at_a > 0.0) {
            (c, at_c) = (a, at_a);
        } else {
            (c, at_c) = (b, at_b);
            (b, at_b) = (a, at_a);
        }
        (a, at_a) = (x, at_x);
        let best = if at_a.abs() < at_b.abs() { a } else { b };
        let least = 2.0 * f64::EPSILON * best.abs().max(f64::MIN_POSITIVE) / (b - a).abs();
        if least > 0.5 {
            return best;
        }
        let (xi, phi) = ((a - b) / (c - b), (at_a - at_b) / (at_c - at_b));
        part = 0.5;
        if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
            let first = at_a / (at_b - at_a) * at_c / (at_b - at_c);
            part = first + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b);
        }
        part = part.clamp(least, 1.0 - least);
    }
    0.5 * (a + b)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn roots_are_found_in_few_steps() {
        let steps = Cell::new(0);
        let counted = |f: fn(f64) -> f64, low: f64, high: f64| {
            steps.set(0);
            let x = root(
                |x| {
                    steps.set(steps.get() + 1);
                    f(x)
                },
                low,
                high,
            );
            assert!(steps.get() < 40, "{} steps", steps.get());
            x
        };
        assert!((counted(|x| x * x - 2.0, 0.0, 9.0) - 2f64.sqrt()).abs() < 1e-15);
        assert!((counted(|x| 1.0 / x - 7.0, 1e-12, 1e3) - 1.0 / 7.0).abs() < 1e-15);
        assert!((counted(|x| x.exp() - 1e9, -40.0, 40.0) - 1e9f64.ln()).abs() < 1e-13);
        // Falling as well as rising, and a root at the middle.
        assert!((counted(|x| 3.0 - x, 1.0, 50.0) - 3.0).abs() < 1e-14);
        assert_eq!(counted(|x| x, -1.0, 1.0), 0.0);
    }

    #[test]
    fn a_jump_is_a_change_of_sign() {
        let x = root(|x| if x < 0.3 { -1.0 } else { 5.0 }, 0.0, 1.0);
        assert!((x - 0.3).abs() < 1e-15, "{x}");
    }
}
