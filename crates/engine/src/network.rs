//! The Bayesian network of a policy's table: read, grouped and fitted.

use throng::error::Result;
use throng::fault;
use throng::hierarchy::Hierarchy;
use throng::network::{Fit, MOST_PARENTS, Network, fit};
use throng::policy::Role;
use throng::search;
use throng::watch::Watch;

use crate::Engine;
use crate::policy_file::{PolicyFile, in_table};

impl Engine {
    /// The network of the quasi-identifiers, the targets and the sensitive columns of a policy's
    /// table; the first target, where there is one, is what it predicts. Columns with a poset take
    /// part with the fields that it implies. The policy's seed is used where none is given.
    ///
    /// # Errors
    /// What cannot be read or does not fit, a policy that names no such column, and more parents than
    /// a field can have.
    pub fn network(
        &self,
        policy: &PolicyFile,
        seed: Option<u64>,
        parents: usize,
        watch: &Watch,
    ) -> Result<Network> {
        if parents > MOST_PARENTS {
            return Err(fault!(
                Input,
                "network.too-many-parents",
                "{parents} parents are more than {limit}",
                parents = parents,
                limit = MOST_PARENTS
            )
            .help("give fewer; 2 is the default")
            .into());
        }
        let (source, columns) = self.open(policy, watch)?;
        let role = |name: &String| policy.policy.columns.get(name).map(|column| column.role);
        let part = |name: &&String| matches!(role(name), Some(Role::Quasi | Role::Target | Role::Sensitive));
        let names: Vec<String> = columns.iter().filter(part).cloned().collect();
        if names.is_empty() {
            return Err(fault!(Input, "network.no-columns", "the policy has no column to learn from")
                .key("columns")
                .help("give a column the role quasi, target or sensitive")
                .into());
        }
        self.check_types(&source, &policy.policy)?;
        let grouped = self.group(&source, &names, watch).map_err(|e| in_table(e, &source))?;
        let load = |path: &str| policy.load(path);
        let (hierarchies, maps) = search::hierarchies(&policy.policy, &names, &grouped.dictionaries, &load)
            .map_err(|e| in_table(e, &source))?;
        let target = names.iter().position(|name| role(name) == Some(Role::Target));
        let seed = seed.unwrap_or(policy.policy.search.seed);
        let hierarchies: Vec<Hierarchy> = hierarchies.iter().map(Hierarchy::implied).collect();
        let entries = grouped.tuples.entries(&maps).in_order(&hierarchies);
        let asked = Fit { seed: Some(seed), target, parents };
        fit(&names, &hierarchies, &entries, asked, watch).map_err(|e| in_table(e, &source))
    }
}
