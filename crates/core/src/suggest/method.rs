//! The methods that are tried, in one list, and an estimate of what each costs.
//!
//! Estimates are in seconds of a reference machine (two cores of 2024; the figures of
//! docs/performance.md). They depend on the table and the policy alone, never on a clock, so that
//! the same table gives the same plan everywhere.

use serde::{Serialize, Serializer};

use crate::policy::{By, LossSpec, Mondrian, Policy, Preference};
use crate::registry::{Algorithm, LossKind};
use crate::search::Problem;

/// What finds a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Whether rows that it leaves unsafe are searched again (`search.local`).
    pub local: bool,
    /// The loss that it keeps small; none is that of the policy with its parameters.
    pub loss: Option<LossKind>,
}

/// The methods that are tried beside that of the policy, fast ones first. A new one is one line
/// here.
pub const METHODS: [Method; 5] = [
    Method::by_lm(Algorithm::Mondrian),
    Method::by_lm(Algorithm::Best),
    Method::by_lm(Algorithm::KSimilar),
    Method { local: true, ..Method::by_lm(Algorithm::Auto) },
    Method::by_lm(Algorithm::Auto),
];

/// Behind the name of a search that goes on with the rows that it leaves unsafe.
const LOCALLY: &str = "+local";

impl Method {
    /// The best of several.
    pub(super) const BEST: Method = Method::by_lm(Algorithm::Best);

    /// An algorithm that keeps the loss metric small, which is what points are compared by.
    const fn by_lm(algorithm: Algorithm) -> Self {
        Method { algorithm, local: false, loss: Some(LossKind::Lm) }
    }

    /// That of a policy.
    pub fn of(policy: &Policy) -> Self {
        let search = &policy.search;
        Method { algorithm: search.algorithm, local: search.local, loss: None }
    }

    /// That of a policy, then the others that differ from it.
    pub fn all(policy: &Policy) -> Vec<Method> {
        let own = Method::of(policy);
        let by_lm = policy.search.loss == LossSpec::Name(LossKind::Lm);
        let same = |method: &Method| by_lm && (method.algorithm, method.local) == (own.algorithm, own.local);
        // Where regions are not defined, "best" is a search of levels, which is in the list already.
        let levels = |method: &Method| method.policy(policy).needs_levels().is_some();
        // Rounds are refused with a subject.
        let refused = |method: &Method| method.local && policy.subject().is_some();
        let others =
            METHODS.into_iter().filter(|method| !same(method) && !levels(method) && !refused(method));
        [own].into_iter().chain(others).collect()
    }

    /// Its name: the algorithm, with `+local` where rows are searched again.
    pub fn name(self) -> String {
        format!("{}{}", self.algorithm, if self.local { LOCALLY } else { "" })
    }

    /// The policy with this method. That of the policy itself stays as it is.
    #[must_use]
    pub fn policy(self, policy: &Policy) -> Policy {
        let mut changed = match self == Method::of(policy) {
            true => return policy.clone(),
            false => policy.with_algorithm(self.algorithm, self.local),
        };
        if self.local {
            // Rounds release rows at several nodes, among which no preference is defined.
            changed.search.prefer = Preference::default();
        }
        changed.search.model = changed.search.model.filter(|model| !model.guides);
        if self.algorithm == Algorithm::Mondrian && changed.search.choose.is_none() {
            // By gain it loses about a tenth less than by range.
            let by_gain = Mondrian { by: By::Gain, ..Mondrian::default() };
            changed.search.mondrian = changed.search.mondrian.or(Some(by_gain));
        }
        if let Some(loss) = self.loss {
            changed.search.loss = LossSpec::Name(loss);
        }
        changed
    }

    /// What it costs on a table, in seconds of the reference machine.
    pub fn seconds(self, problem: &Problem) -> f64 {
        let classes = problem.classes.len() as f64;
        let cells = classes * problem.names.len().max(1) as f64;
        let levels = || {
            // Branch and bound checks few nodes of a small lattice and never ends on a large one.
            let checked = (4.0 * (problem.lattice.nodes() as f64).sqrt()).min(4e6);
            1e-9 * cells * checked
        };
        match self.algorithm {
            Algorithm::Mondrian => 4e-9 * cells * classes.max(2.0).log2(),
            Algorithm::KSimilar => 4e-6 * cells,
            // Mondrian and then k-Similar, whose work is limited.
            Algorithm::Best => 1e-8 * cells * classes.max(2.0).log2() + (4e-6 * cells).min(10.0),
            Algorithm::Boxes | Algorithm::Mdav => 4e-6 * cells * (classes / 1e4).clamp(1.0, 10.0),
            Algorithm::Greedy | Algorithm::GreedyRows | Algorithm::Partition => 2e-9 * cells * classes,
            Algorithm::CellMinGen => 1.0,
            _ if self.local => 5.0 * levels(),
            _ => levels(),
        }
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "version = 1\n[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n\
        [columns.b]\nrole = \"quasi\"\n[privacy]\nk = 2\nsuppression = 0.1\n";

    fn policy(search: &str) -> Policy {
        Policy::parse(&format!("{POLICY}{search}")).unwrap()
    }

    #[test]
    fn the_policys_own_method_comes_first_and_once() {
        let names = |search: &str| -> Vec<String> {
            Method::all(&policy(search)).into_iter().map(Method::name).collect()
        };
        assert_eq!(names(""), ["best", "mondrian", "k-similar", "auto+local", "auto"]);
        let lm = "[search]\nalgorithm = \"k-similar\"\nloss = \"lm\"\n";
        assert_eq!(names(lm), ["k-similar", "mondrian", "best", "auto+local", "auto"]);
        let levels = "[search]\nalgorithm = \"ola\"\n";
        assert_eq!(names(levels), ["ola", "mondrian", "best", "k-similar", "auto+local", "auto"]);
    }

    #[test]
    fn no_method_is_refused_with_a_subject() {
        let text = POLICY.replace("[columns.b]", "[columns.patient]\nrole = \"subject\"\n[columns.b]");
        for search in
            ["", "[search]\nalgorithm = \"mdav\"\n", "[search]\nalgorithm = \"auto\"\nprefer = 'loss'\n"]
        {
            let policy = Policy::parse(&format!("{text}{search}")).unwrap();
            let methods = Method::all(&policy);
            assert!(methods.len() > 1 && methods.iter().all(|method| !method.local), "{methods:?}");
            for method in methods {
                method.policy(&policy).check().unwrap_or_else(|e| panic!("{}: {e}", method.name()));
            }
        }
    }

    #[test]
    fn every_method_is_a_policy_without_the_keys_of_others() {
        let policy = policy(
            "[search]\nalgorithm = \"mondrian\"\nmondrian = { cut = \"relaxed\" }\nlinked = [[\"a\", \"b\"]]\n",
        );
        for method in Method::all(&policy) {
            let changed = method.policy(&policy);
            assert_eq!((changed.search.algorithm, changed.search.local), (method.algorithm, method.local));
            changed.check().unwrap_or_else(|e| panic!("{}: {e}", method.name()));
        }
        assert_eq!(Method::of(&policy).policy(&policy), policy);
    }
}
