//! (α, k)-anonymity, m-confidentiality, δ-disclosure, β-likeness, t-closeness and (n, t)-closeness:
//! independent implementations for the verifier, from the shares of values in a class and, except
//! for the first two, in the whole table. Costs one pass over the values of every class, and a sort
//! for distances.

use super::super::classes::MISSING;
use super::super::sensitive::present;
use super::{Judge, JudgedBy, Limit, Measure, Seen, by_column, judge_columns};
use throng_terms::policy::{
    AlphaK, BetaLikeness, DeltaDisclosure, Likeness, MConfidentiality, ModelSpec, NTCloseness, Policy,
    TCloseness,
};

judge_columns!(AlphaK, MConfidentiality, DeltaDisclosure, BetaLikeness, TCloseness);

impl Measure for AlphaK {
    fn limit(&self) -> Limit {
        Limit::Most(self.alpha)
    }

    fn named(&self) -> Option<&[String]> {
        self.values.as_deref()
    }

    /// The largest share of a value that counts, of the rows that have one.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let rows: u64 = present(class.values).iter().sum();
        let counts = |value: &u32| *value != MISSING && class.named.is_none_or(|named| named.contains(value));
        let most = class.values.iter().filter(|(value, _)| counts(value)).map(|(_, rows)| *rows).max();
        most.map_or(0.0, |most| most as f64 / rows as f64)
    }
}

impl Measure for MConfidentiality {
    fn limit(&self) -> Limit {
        Limit::Most(1.0 / self.m)
    }

    fn named(&self) -> Option<&[String]> {
        self.values.as_deref()
    }

    /// The choice of suppressed classes must reveal nothing about their values.
    fn holds_back(&self) -> bool {
        false
    }

    /// The largest share of a value that counts, of the rows that have one.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let rows: u64 = present(class.values).iter().sum();
        let counts = |value: &u32| *value != MISSING && class.named.is_none_or(|named| named.contains(value));
        let counted = class.values.iter().filter(|(value, _)| counts(value));
        counted.map(|(_, n)| *n as f64 / rows as f64).fold(0.0, f64::max)
    }
}

impl Measure for DeltaDisclosure {
    fn limit(&self) -> Limit {
        Limit::WellUnder(self.delta)
    }

    fn compares(&self) -> bool {
        true
    }

    /// The largest |ln(p/q)|.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let Some(shares) = class.shares() else { return f64::INFINITY };
        // A value that the class does not have has the share 0 there.
        if class.lacks() {
            return f64::INFINITY;
        }
        shares.iter().map(|(table, class)| (class.ln() - table.ln()).abs()).fold(0.0, f64::max)
    }
}

impl Measure for BetaLikeness {
    fn limit(&self) -> Limit {
        Limit::Most(self.beta)
    }

    fn compares(&self) -> bool {
        true
    }

    /// The largest gain, which only a value of the class can have; for the enhanced kind as a part of its own limit.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let Some(shares) = class.shares() else { return f64::INFINITY };
        let gains = shares.iter().filter(|(table, class)| class > table).map(|(table, class)| {
            let gain = class / table - 1.0;
            match self.kind {
                Likeness::Basic => gain,
                Likeness::Enhanced => self.beta * gain / self.beta.min((1.0 / table).ln()),
            }
        });
        gains.fold(0.0, f64::max)
    }
}

impl Measure for TCloseness {
    fn limit(&self) -> Limit {
        Limit::Most(self.t)
    }

    fn compares(&self) -> bool {
        true
    }

    fn ground(&self) -> Option<&TCloseness> {
        Some(self)
    }

    fn figure(&self, class: &Seen<'_>) -> f64 {
        class.reference.map_or(f64::INFINITY, |reference| reference.distance(class.values))
    }
}

/// (n, t)-closeness with what smaller classes must satisfy.
#[derive(Debug)]
struct NearOrLarge {
    n: u64,
    near: TCloseness,
}

impl Judge for NTCloseness {
    fn judged_by(&self, spec: &ModelSpec, policy: &Policy) -> Option<JudgedBy> {
        by_column(spec, policy, NearOrLarge { n: self.n, near: self.closeness() })
    }
}

impl Measure for NearOrLarge {
    fn limit(&self) -> Limit {
        Limit::Most(self.near.t)
    }

    fn compares(&self) -> bool {
        true
    }

    /// The whole table is the largest group that may be learned about.
    fn reachable(&self, rows: u64) -> bool {
        rows >= self.n
    }

    fn ground(&self) -> Option<&TCloseness> {
        Some(&self.near)
    }

    /// The distance from the class itself if it is large enough, else from the whole table.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let rows: u64 = class.values.iter().map(|(_, rows)| rows).sum();
        if rows < self.n { self.near.figure(class) } else { 0.0 }
    }
}
