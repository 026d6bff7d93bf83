//! (k, e)-anonymity: independent implementation for the verifier, from the sorted numbers of a
//! class. Costs one sort per class.

use super::super::classes::MISSING;
use super::{Judge, JudgedBy, Limit, Measure, Seen, by_column};
use throng_terms::policy::{KE, ModelSpec, Policy};

impl Judge for KE {
    fn judged_by(&self, spec: &ModelSpec, policy: &Policy) -> Option<JudgedBy> {
        by_column(spec, policy, KE { k: self.k.or(policy.privacy.k()), ..self.clone() })
    }
}

impl Measure for KE {
    fn limit(&self) -> Limit {
        Limit::Least(self.e)
    }

    fn numeric(&self) -> bool {
        true
    }

    /// From the first to the last number; 0 of fewer than k, and where a value is none: then it was
    /// not released as it was.
    fn figure(&self, class: &Seen<'_>) -> f64 {
        let present = class.values.iter().filter(|(value, _)| *value != MISSING);
        let amount = |(value, _): &(u32, u64)| class.amounts?.get(*value as usize).copied().flatten();
        let Some(mut numbers) = present.map(amount).collect::<Option<Vec<f64>>>() else { return 0.0 };
        numbers.sort_by(f64::total_cmp);
        let apart = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count();
        match (numbers.first(), numbers.last(), self.k) {
            (Some(first), Some(last), Some(k)) if apart as u64 + 1 >= k => last - first,
            _ => 0.0,
        }
    }
}
