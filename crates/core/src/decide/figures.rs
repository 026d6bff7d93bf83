//! The figures of a decision: losses, by column too, and what each model finds.
//!
//! All losses come from what every class became, so that levels, steps and regions are measured by
//! the same code. Costs one pass over the classes per column, and one verdict per model.

use std::collections::BTreeMap;

use super::{Decision, Way};
use crate::class_risk::{ClassesOfSize, class_sizes, risks, table_sizes};
use crate::error::Result;
use crate::lattice::Node;
use crate::loss::Price;
use crate::model::{Verdict, check_complete};
use crate::people::{fewest_alike, people_facts};
use crate::policy::{KOne, LossParameters, Missing, Policy, Suppressed};
use crate::recoded::Recoded;
use crate::registry::{LossKind, MODEL_LOSS};
use crate::release::{Claim, PeopleFacts, PredictedFacts, Risks, UtilityClaim};
use crate::search::Problem;
use crate::stars::Stars;
use crate::utility::Bounded;
use crate::watch::Watch;

/// What is certified of a decision.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Figures {
    /// Loss → value, each with its defaults; the one that was searched for as the policy asks.
    pub loss: BTreeMap<String, f64>,
    /// Loss → column → its part, for losses that are put together from columns.
    pub loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    /// Model → what it requires and finds.
    pub privacy: BTreeMap<String, Claim>,
    /// Statistic → how narrowly the release bounds it, for statistics that the policy limits.
    pub utility: BTreeMap<String, UtilityClaim>,
    /// Model → the people that it predicts.
    pub predicted: BTreeMap<String, PredictedFacts>,
    /// What became of the people whom rows belong to, where these are known.
    pub people: Option<PeopleFacts>,
    /// Classes of the release.
    pub classes: u64,
    /// The released cells that hold nothing but `*`.
    pub stars: Stars,
    /// Classes of the table by size.
    pub sizes_before: Vec<ClassesOfSize>,
    /// Classes of the release by size.
    pub sizes_after: Vec<ClassesOfSize>,
}

impl Figures {
    /// The risk before and after.
    pub fn risks(&self) -> Risks {
        risks(&self.sizes_before, &self.sizes_after)
    }
}

impl Decision {
    /// The figures of the release.
    ///
    /// # Errors
    /// Parameters that the loss does not have; when asked to stop at once.
    pub fn figures(&self, policy: &Policy, problem: &Problem, watch: &Watch) -> Result<Figures> {
        let price = Price::new(&self.recoded, &self.node(problem));
        let plain = vec![1.0; problem.names.len()];
        let (regions, parted) = match &self.way {
            Way::Regions { parted, .. } => (true, *parted),
            _ => (false, false),
        };
        let mut losses = BTreeMap::new();
        let mut by_column = BTreeMap::new();
        for kind in LossKind::of_tables() {
            // Where rows of equal values are in several regions, it is not known which of them has
            // which label.
            let unlabelled =
                kind.needs_target() && problem.classes.targets() == 0 || parted && kind.counts_labels();
            if unlabelled || regions && kind.sums_levels() {
                continue;
            }
            let parameters = LossParameters::new(kind);
            losses.insert(kind.to_string(), price.loss(&parameters, &plain)?);
            let parts = price.parts(&parameters, &plain);
            if !parts.is_empty() {
                by_column.insert(kind.to_string(), problem.names.iter().cloned().zip(parts).collect());
            }
        }
        losses.insert(policy.search.loss.parameters().kind.to_string(), self.loss);
        losses.extend(self.model.as_ref().map(|model| (MODEL_LOSS.to_owned(), model.loss)));
        let (view, flags) = (self.released.view(), self.released.flags());
        let wildcard = policy.input.missing == Missing::Wildcard;
        let verdicts = self.verdicts(problem)?;
        Ok(Figures {
            loss: losses,
            loss_by_column: by_column,
            privacy: claims_of(&verdicts),
            utility: self.bounded(problem)?.iter().map(|b| (b.spec.name(), b.claim())).collect(),
            predicted: self.predicted(verdicts),
            people: self.people(policy),
            classes: self.released.released_classes(),
            stars: Stars::of(&view, flags),
            sizes_before: table_sizes(&problem.classes, &problem.hierarchies, wildcard, watch)?,
            sizes_after: class_sizes(&view, flags, wildcard, watch)?,
        })
    }

    /// The bounds of the statistics that the policy limits.
    ///
    /// # Errors
    /// Released cells that are not numbers.
    pub fn bounded(&self, problem: &Problem) -> Result<Vec<Bounded>> {
        problem.utility.as_ref().map_or(Ok(Vec::new()), |utility| utility.bounded(&self.recoded))
    }

    /// What became of the people whom rows belong to, where these are known.
    pub(super) fn people(&self, policy: &Policy) -> Option<PeopleFacts> {
        let recoded = &self.recoded;
        let facts = people_facts(recoded.base(), |class| recoded.suppresses(class))?;
        // Starred rows are released, too, and all look alike.
        let starred = (policy.output.suppressed == Suppressed::Starred).then_some(usize::MAX);
        let look = |class: usize| match recoded.suppresses(class) {
            true => starred,
            false => Some(recoded.look_of(class)),
        };
        let alike = if policy.links_rows() { fewest_alike(recoded.base(), look) } else { None };
        Some(PeopleFacts { alike, ..facts })
    }

    /// What each model requires and finds.
    ///
    /// # Errors
    /// When asked to stop.
    pub(super) fn claims(&self, problem: &Problem) -> Result<BTreeMap<String, Claim>> {
        Ok(claims_of(&self.verdicts(problem)?))
    }

    fn verdicts(&self, problem: &Problem) -> Result<BTreeMap<String, Verdict>> {
        let (view, flags) = (self.released.view(), self.released.flags());
        let models = problem.models.iter();
        let of_classes = models.filter_map(|m| Some((m.facts().claim.clone(), m.verdict(&view, flags)?)));
        // Cells and originals decide about this one, and classes have neither.
        let of_rows = self.own_sets().map(|own| {
            let found = own.notions.map(|notions| notions.k_one);
            (KOne::CLAIM.to_owned(), Verdict::at_least(own.k, found))
        });
        let verdicts = of_classes.chain(of_rows).collect();
        check_complete(&problem.models)?;
        Ok(verdicts)
    }

    /// The people that models predict; policies that have steps or regions have no such model.
    fn predicted(&self, verdicts: BTreeMap<String, Verdict>) -> BTreeMap<String, PredictedFacts> {
        if !matches!(self.way, Way::Levels(_)) {
            return BTreeMap::new();
        }
        verdicts.into_iter().filter_map(|(name, verdict)| Some((name, verdict.predicted?))).collect()
    }
}

fn claims_of(verdicts: &BTreeMap<String, Verdict>) -> BTreeMap<String, Claim> {
    let claim = |v: &Verdict| Claim { required: v.required, achieved: v.achieved, holds: v.holds };
    verdicts.iter().map(|(name, verdict)| (name.clone(), claim(verdict))).collect()
}

/// The policy's loss of a recoded table, the node of whose first step is given.
pub(super) fn loss_of(policy: &Policy, problem: &Problem, recoded: &Recoded, first: &Node) -> Result<f64> {
    if let Some(utility) = problem.utility.as_deref().filter(|utility| utility.is_loss()) {
        return utility.loss_of(recoded);
    }
    Price::new(recoded, first).loss(&policy.search.loss.parameters(), &policy.weights(&problem.names))
}
