//! The slide negative binomial [Chen 1998]: one plus a negative binomial number of people in each
//! class.
//!
//! The number of population classes is estimated first (Shlosser's estimator as modified in
//! [Haas 1998]). Then the two parameters are chosen so that the expected numbers of classes of one
//! row and of two rows in a sample of independent draws equal the observed ones. With s = 1 − π and
//! r = (1 − β)/(1 − (1 − β)s), the expected ratio of the two is a quadratic in α with a unique
//! positive root, which leaves one equation in r. It is scanned for sign changes: about 400
//! evaluations, about 0.03 ms.

use super::Sample;
use super::root::root;

/// Points at which the equation is looked at, from −SPAN to SPAN on the logit scale.
const POINTS: usize = 400;
const SPAN: f64 = 40.0;

/// The estimated number of classes in the population.
pub fn shlosser(sample: &Sample) -> f64 {
    let pi = sample.fraction();
    let (mut a, mut b, mut c, mut d) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in sample.sizes().iter() {
        let (i, classes) = (size as f64, classes as f64);
        let missed = (i * (-pi).ln_1p()).exp();
        a += classes * i * pi * pi * ((i - 1.0) * (-pi * pi).ln_1p()).exp();
        b += classes * missed * (i * pi.ln_1p()).exp_m1();
        c += classes * missed;
        d += classes * i * pi * ((i - 1.0) * (-pi).ln_1p()).exp();
    }
    sample.sizes().classes() as f64 + sample.sizes().of_size(1) as f64 * (a / b) * (c / d).powi(2)
}

/// The estimated number of population uniques; none where no parameters give what the sample shows.
/// Where several do, those with the most uniques.
pub fn snb(sample: &Sample) -> Option<f64> {
    let classes = shlosser(sample);
    let (one, two) = (sample.sizes().of_size(1) as f64, sample.sizes().of_size(2) as f64);
    if two == 0.0 || !classes.is_finite() {
        return None;
    }
    let equation = Equation::new(sample.fraction(), two / one);
    let off = |logit: f64| equation.drawn_once(logit) - one / classes;
    let at = |i: usize| -SPAN + 2.0 * SPAN * i as f64 / POINTS as f64;
    let mut most = None;
    let mut before = off(at(0));
    for i in 1..=POINTS {
        let here = off(at(i));
        if before.is_finite() && here.is_finite() && (before > 0.0) != (here > 0.0) {
            let uniques = classes * equation.unique(root(off, at(i - 1), at(i)));
            most = Some(most.map_or(uniques, |m: f64| m.max(uniques)));
        }
        before = here;
    }
    most
}

/// What is expected of a class, as a function of πr on the logit scale, with α such that the ratio
/// of classes of two rows to classes of one is met.
struct Equation {
    pi: f64,
    /// 2 × ratio / π.
    ratio: f64,
}

impl Equation {
    fn new(pi: f64, ratio: f64) -> Self {
        Equation { pi, ratio: 2.0 * ratio / pi }
    }

    /// ln(1 − πr), r and α.
    fn parameters(&self, logit: f64) -> (f64, f64, f64) {
        let s = 1.0 - self.pi;
        let r = 1.0 / (1.0 + (-logit).exp()) / self.pi;
        let rest = -(logit.exp().ln_1p());
        // s·r²·α² + (2r + s·r² − ratio·s·r)·α − ratio = 0, in m = α·r.
        let half = 0.5 * (2.0 + s * r - self.ratio * s);
        let root = (half * half + s * self.ratio).sqrt();
        // The form that does not cancel.
        let m = if half > 0.0 { self.ratio / (half + root) } else { (root - half) / s };
        (rest, r, m / r)
    }

    /// The probability that exactly one person of a class is drawn.
    fn drawn_once(&self, logit: f64) -> f64 {
        let (rest, r, alpha) = self.parameters(logit);
        self.pi * (alpha * rest).exp() * (1.0 + (1.0 - self.pi) * alpha * r)
    }

    /// The probability that a class has one person: β to the power of α.
    fn unique(&self, logit: f64) -> f64 {
        let (rest, r, alpha) = self.parameters(logit);
        (alpha * (rest - ((1.0 - self.pi) * r).ln_1p())).exp()
    }
}
