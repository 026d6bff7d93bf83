//! Policy syntax of (k,1)-anonymity.

use serde::{Deserialize, Serialize};

use super::{Ask, Policy, Unfit};
use crate::fault;
use crate::registry::{ModelEntry, Monotone, Parameter, ParameterKind};

/// Every released row is true of at least k originals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KOne {
    /// The least originals.
    pub k: u64,
}

impl KOne {
    /// Its name in certificates.
    pub const CLAIM: &'static str = "(k,1)-anonymity";

    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        ..ModelEntry::of_classes(
            "Gionis et al. 2008",
            "{ k = 5 }",
            &[Parameter::required(
                "k",
                ParameterKind::Whole(1, None),
                "The least originals that a released row is true of.",
            )],
        )
    };
}

impl Ask for KOne {
    fn claim(&self) -> String {
        KOne::CLAIM.into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let fault = || fault!(Input, "model.k-is-zero", "k must be 1 or more");
        let zero = (self.k == 0).then(|| ("k", fault().help("give k, for instance k = 5")));
        zero.into_iter().collect()
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let algorithm = policy.search.algorithm;
        if !algorithm.entry().k_anonymous {
            return Vec::new();
        }
        let fault = fault!(
            Input,
            "model.k-one-of-other-algorithm",
            "\"{algorithm}\" makes k-anonymous releases, which are (k,1)-anonymous, too",
            algorithm = algorithm
        );
        let help = format!("write privacy.k = {} in place of it, or algorithm = \"greedy-rows\"", self.k);
        vec![("k", fault.help(help))]
    }
}
