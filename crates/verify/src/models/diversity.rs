//! l-diversity and p-sensitivity: independent implementation for the verifier, from sorted lists of
//! rows. Costs one sort per class.

use super::super::sensitive::present;
use super::{Limit, Measure, Seen, judge_columns};
use throng_terms::policy::{Diversity, LDiversity, PSensitive};

judge_columns!(LDiversity, PSensitive);

impl Measure for LDiversity {
    fn limit(&self) -> Limit {
        match (self.kind, self.c) {
            (Diversity::Recursive, Some(c)) => Limit::Under(c),
            _ => Limit::Least(self.l),
        }
    }

    fn figure(&self, class: &Seen<'_>) -> f64 {
        let mut rows = present(class.values);
        let all = rows.iter().sum::<u64>() as f64;
        match self.kind {
            Diversity::Distinct => rows.len() as f64,
            Diversity::Entropy if rows.is_empty() => 0.0,
            Diversity::Entropy => {
                let bits = rows.iter().map(|&n| n as f64 / all).map(|share| -share * share.log2());
                bits.sum::<f64>().exp2()
            }
            Diversity::Recursive => {
                rows.sort_unstable_by(|a, b| b.cmp(a));
                let rare: u64 = rows.iter().skip(self.l as usize - 1).sum();
                match rows.first() {
                    Some(&most) if rare > 0 => most as f64 / rare as f64,
                    _ => f64::INFINITY,
                }
            }
        }
    }
}

impl Measure for PSensitive {
    fn limit(&self) -> Limit {
        Limit::Least(self.p as f64)
    }

    fn figure(&self, class: &Seen<'_>) -> f64 {
        present(class.values).len() as f64
    }
}
