//! The problem of another policy on classes that are grouped already.
//!
//! A new k, limit, model, loss or algorithm changes neither hierarchies nor classes. One
//! quasi-identifier less merges classes. A table that was read once thus serves many policies.
//! Costs what models and loss prepare, and without a column one pass over the classes.

use std::sync::Arc;

use super::problem::{asked_models, enough_rows, lattice, loss, models, people_limit, unseen, within_limit};
use super::{Load, Problem, Profile, Ranking};
use crate::classes::Classes;
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::loss::Marginals;
use crate::people::people_facts;
use crate::policy::Policy;
use crate::table::Dictionary;
use crate::utility::Utility;
use crate::watch::Watch;

impl Problem {
    /// The problem of another policy with the same columns, roles and hierarchies. The seed stays.
    ///
    /// # Errors
    /// As [`Problem::new`].
    pub fn again(&self, policy: &Policy, load: Load<'_>, watch: &Watch) -> Result<Problem> {
        let rare = policy.search.loss.parameters().rare();
        let classes = match self.classes.rare() == rare {
            true => Arc::clone(&self.classes),
            false => Arc::new((*self.classes).clone().with_rare(rare)),
        };
        self.posed(policy, self.names.clone(), (Arc::clone(&self.hierarchies), classes), load, watch)
    }

    /// The problem of another policy on some of the classes, without a population.
    ///
    /// # Errors
    /// As [`Problem::new`].
    pub fn again_on(
        &self,
        members: &[u32],
        policy: &Policy,
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<Problem> {
        let rare = policy.search.loss.parameters().rare();
        let classes = Arc::new(self.classes.part(members).with_rare(rare));
        self.posed(policy, self.names.clone(), (Arc::clone(&self.hierarchies), classes), load, watch)
    }

    /// The problem of a policy on a table that has every row several times, without a population and
    /// without what is measured in classes.
    ///
    /// # Errors
    /// As [`Problem::new`]; more rows than can be counted.
    pub fn again_repeated(
        &self,
        times: u32,
        policy: &Policy,
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<Problem> {
        let members: Vec<u32> = (0..self.classes.len() as u32).collect();
        let counts = self.classes.counts().iter().map(|count| count.saturating_mul(times)).collect();
        let classes = self.classes.parted(&members, counts)?;
        self.posed(
            policy,
            self.names.clone(),
            (Arc::clone(&self.hierarchies), Arc::new(classes)),
            load,
            watch,
        )
    }

    /// The problem of a policy that lacks one of the quasi-identifiers, whatever its role is now.
    ///
    /// # Errors
    /// As [`Problem::new`]; a table with a population or with deleted values, whose other columns
    /// would have to be read again.
    pub fn again_without(
        &self,
        column: usize,
        policy: &Policy,
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<Problem> {
        if !self.classes.people().is_empty() || self.deletion.is_some() {
            return Err(Fault::bug("a column cannot be left out of a table with a population").into());
        }
        let kept = |at: &usize| *at != column;
        let columns: Vec<usize> = (0..self.names.len()).filter(kept).collect();
        let names = columns.iter().map(|&at| self.names[at].clone()).collect();
        let hierarchies: Vec<Hierarchy> = columns.iter().map(|&at| self.hierarchies[at].clone()).collect();
        let rare = policy.search.loss.parameters().rare();
        let classes = self.classes.without(column)?.with_rare(rare);
        self.posed(policy, names, (hierarchies.into(), Arc::new(classes)), load, watch)
    }

    fn posed(
        &self,
        policy: &Policy,
        names: Vec<String>,
        (hierarchies, classes): (Arc<[Hierarchy]>, Arc<Classes>),
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<Problem> {
        let deletion = self.deletion.clone();
        let rows = classes.rows() + deletion.as_ref().map_or(0, |deletion| deletion.facts().rows);
        let max_suppressed = within_limit(policy, rows, deletion.as_ref())?;
        // Of some classes, there may be fewer people.
        let people = people_facts(&classes, |_| false).map(|facts| people_limit(policy, facts.people));
        enough_rows(policy, classes.rows(), people.map(|limit| limit.people))?;
        let utility = Utility::new(policy, &names, &hierarchies, &classes)?.map(Arc::new);
        let lattice = lattice(policy, &names, &hierarchies, (utility.as_deref(), max_suppressed))?;
        let marginals = Marginals::new(&classes, &hierarchies);
        let loss = loss(policy, &marginals, &policy.weights(&names), (utility.as_ref(), max_suppressed))?;
        let preference = Ranking::of(policy, &names, &hierarchies, &marginals)?;
        let mut models = models(policy, &names, classes.subject(), watch.cancel())?;
        let measured: Vec<String> = self.measured.iter().map(|(name, _)| name.clone()).collect();
        let texts: Vec<&Dictionary> = self.measured.iter().map(|(_, texts)| texts).collect();
        models.extend(asked_models(
            policy,
            &names,
            (&measured, &texts),
            (&classes, &hierarchies),
            (max_suppressed, deletion.as_ref()),
            (load, watch),
        )?);
        unseen(policy, &models)?;
        let profile = Profile { seed: self.profile.seed, ..Profile::new(policy, &names) };
        Ok(Problem {
            names,
            hierarchies,
            measured: self.measured.clone(),
            classes,
            lattice,
            models: models.into(),
            loss,
            max_suppressed,
            people,
            profile,
            preference,
            deletion,
            utility,
        })
    }
}
