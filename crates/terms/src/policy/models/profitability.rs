//! Policy syntax of profitability: attacks do not pay, or the release pays despite them.

use serde::{Deserialize, Serialize};

use super::{Ask, CHOOSE_LEVELS, NoRegions, Unfit, out_of_range};
use crate::fault;
use crate::policy::{Policy, Suppressed};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// What a row is worth to the publisher and to an adversary; all in one unit, such as euros.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profitability {
    /// What a row that lost nothing brings the publisher.
    pub publisher_benefit: f64,
    /// What a row that is recognized costs the publisher.
    pub publisher_loss: f64,
    /// What a row that is recognized brings the adversary.
    pub adversary_gain: f64,
    /// What trying to recognize a row costs the adversary.
    pub adversary_cost: f64,
    /// The condition to meet.
    pub kind: Game,
}

/// The condition to meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Game {
    /// No attack pays.
    NoAttack,
    /// Every row pays, attacked or not.
    Payout,
}

impl Profitability {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::ByParameters,
        works_with_regions: false,
        one_level: true,
        ..ModelEntry::of_classes(
            "Wan et al. 2015",
            "{ publisher_benefit = 10, publisher_loss = 5, adversary_gain = 5, adversary_cost = 1, kind = \"no_attack\" }",
            &[
                Parameter::required(
                    "publisher_benefit",
                    ParameterKind::Number(Bounds::FROM_0),
                    "What a row that lost nothing brings the publisher.",
                ),
                Parameter::required(
                    "publisher_loss",
                    ParameterKind::Number(Bounds::FROM_0),
                    "What a row that is recognized costs the publisher.",
                ),
                Parameter::required(
                    "adversary_gain",
                    ParameterKind::Number(Bounds::FROM_0),
                    "What a row that is recognized brings the adversary.",
                ),
                Parameter::required(
                    "adversary_cost",
                    ParameterKind::Number(Bounds::FROM_0),
                    "What trying to recognize a row costs the adversary.",
                ),
                Parameter::required(
                    "kind",
                    ParameterKind::Choice(&["no_attack", "payout"]),
                    "Whether no attack pays, or every row pays in spite of attacks.",
                ),
            ],
        )
    };
}

impl Ask for Profitability {
    fn claim(&self) -> String {
        match self.kind {
            Game::NoAttack => "profitability: no attack".into(),
            Game::Payout => "profitability: payout".into(),
        }
    }

    fn unfit(&self) -> Vec<Unfit> {
        let amounts = [
            ("publisher_benefit", self.publisher_benefit),
            ("publisher_loss", self.publisher_loss),
            ("adversary_gain", self.adversary_gain),
            ("adversary_cost", self.adversary_cost),
        ];
        let wrong = amounts.iter().filter(|(_, amount)| !(amount.is_finite() && *amount >= 0.0));
        let mut faults: Vec<Unfit> = wrong
            .map(|&(part, amount)| {
                let fault = out_of_range(part, amount);
                (part, fault.help("give an amount from 0 up; all four are in one unit"))
            })
            .collect();
        if self.kind == Game::NoAttack && self.adversary_cost == 0.0 && self.adversary_gain > 0.0 {
            let fault =
                fault!(Input, "model.attack-without-cost", "an attack that costs nothing always pays");
            faults.push(("adversary_cost", fault.help("give a cost above 0, or write kind = \"payout\"")));
        }
        if self.kind == Game::Payout && self.publisher_benefit == 0.0 {
            let fault =
                fault!(Input, "model.release-without-benefit", "a release without a benefit never pays");
            faults.push((
                "publisher_benefit",
                fault.help("give a benefit above 0, or write kind = \"no_attack\""),
            ));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        if policy.output.suppressed != Suppressed::Cells {
            return Vec::new();
        }
        let fault = fault!(
            Input,
            "model.profitability-with-starred-cells",
            "profitability does not support output.suppressed = \"cells\""
        );
        vec![("kind", fault.help("write output.suppressed = \"dropped\" or \"starred\""))]
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "what a row brings is counted at one level per column";
        Some(NoRegions { reason, help: CHOOSE_LEVELS })
    }
}
