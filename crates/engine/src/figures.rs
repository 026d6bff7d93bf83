//! What is claimed of a release: losses and guarantees, of a node, of steps or of regions.

use std::collections::BTreeMap;

use throng::classes::{Flags, View};
use throng::error::{Fault, Kind, Result};
use throng::loss::{self, Marginals, Price};
use throng::model::PrivacyModel;
use throng::policy::{LossParameters, Policy};
use throng::recode::{Local, Regional};
use throng::release::{Claim, PredictedFacts, StepFacts};
use throng::search::{Problem, Solution};

/// What is claimed of a release.
pub(crate) struct Figures {
    pub(crate) steps: Vec<StepFacts>,
    pub(crate) loss: BTreeMap<String, f64>,
    pub(crate) loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    pub(crate) privacy: BTreeMap<String, Claim>,
    pub(crate) predicted: BTreeMap<String, PredictedFacts>,
    pub(crate) classes: u64,
}

/// The figures of a node with its flagged rows left out, or of what further steps made of them.
pub(crate) fn figures(
    policy: &Policy,
    problem: &Problem,
    best: &Solution,
    (view, flags): (&View<'_>, &Flags),
    local: Option<&Local<'_>>,
) -> Result<Figures> {
    let Some(local) = local else {
        return Ok(Figures {
            steps: Vec::new(),
            loss: losses(policy, problem, best, view, flags)?,
            loss_by_column: losses_by_column(problem, view, flags)?,
            privacy: claims_of(problem, (view, flags), None),
            predicted: predicted(problem, view, flags),
            classes: (view.len() - flags.classes()) as u64,
        });
    };
    let price = Price::new(&local.recoded, &best.node);
    Ok(Figures {
        steps: local.facts(&problem.names, &problem.hierarchies),
        loss: losses_of_cells(policy, problem, &price, true)?,
        loss_by_column: columns_of_cells(problem, &price),
        privacy: claims_of(problem, (view, flags), Some(local)),
        predicted: BTreeMap::new(),
        classes: local.released.view().len() as u64,
    })
}

/// Every loss with its defaults, and the one that was searched for as the policy asks.
fn losses(
    policy: &Policy,
    problem: &Problem,
    best: &Solution,
    view: &View<'_>,
    flags: &Flags,
) -> Result<BTreeMap<String, f64>> {
    let marginals = Marginals::new(&problem.classes, &problem.hierarchies);
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::defined(&marginals) {
        let loss = loss::build(&LossParameters::named(name), &marginals, &plain)?;
        losses.insert(name.into(), loss.loss(view, flags));
    }
    losses.insert(policy.search.loss.parameters().name, best.loss);
    Ok(losses)
}

/// What every column lost, by every loss that is put together from columns, with its defaults and no weights.
fn losses_by_column(
    problem: &Problem,
    view: &View<'_>,
    flags: &Flags,
) -> Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let marginals = Marginals::new(&problem.classes, &problem.hierarchies);
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::defined(&marginals) {
        let parts = loss::build(&LossParameters::named(name), &marginals, &plain)?.parts(view, flags);
        if !parts.is_empty() {
            losses.insert(name.into(), problem.names.iter().cloned().zip(parts).collect());
        }
    }
    Ok(losses)
}

/// The figures of a release by regions.
pub(crate) fn figures_of_regions(
    policy: &Policy,
    problem: &Problem,
    regional: &Regional<'_>,
) -> Result<Figures> {
    // Levels have no say in it: losses of levels are left out.
    let price = Price::new(&regional.recoded, &problem.lattice.bottom());
    let mut loss = losses_of_cells(policy, problem, &price, !regional.parted)?;
    loss.retain(|name, _| !matches!(name.as_str(), "height" | "absolute" | "relative"));
    let released = regional.released.view();
    let mut nothing = Flags::default();
    nothing.reset(released.len());
    Ok(Figures {
        steps: Vec::new(),
        loss,
        loss_by_column: columns_of_cells(problem, &price),
        privacy: claims(&problem.models, &released, &nothing),
        predicted: BTreeMap::new(),
        classes: released.len() as u64,
    })
}

/// The same two for a release that is not of one node: of the cells as they are.
/// Where rows of equal values are in several regions, it is not known which of them have which label.
fn losses_of_cells(
    policy: &Policy,
    problem: &Problem,
    price: &Price,
    labels: bool,
) -> Result<BTreeMap<String, f64>> {
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::NAMES {
        let unlabelled = loss::labelled(name) && problem.classes.targets() == 0;
        if unlabelled || name == "cm" && !labels {
            continue;
        }
        losses.insert(name.into(), price.loss(&LossParameters::named(name), &plain)?);
    }
    let target = policy.search.loss.parameters();
    let weight = |name: &String| policy.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0);
    let weights: Vec<f64> = problem.names.iter().map(weight).collect();
    losses.insert(target.name.clone(), price.loss(&target, &weights)?);
    Ok(losses)
}

fn columns_of_cells(problem: &Problem, price: &Price) -> BTreeMap<String, BTreeMap<String, f64>> {
    let plain = vec![1.0; problem.names.len()];
    let parts = |name: &&str| (name.to_string(), price.parts(&LossParameters::named(*name), &plain));
    let losses = loss::NAMES.iter().map(parts).filter(|(_, parts)| !parts.is_empty());
    losses.map(|(name, parts)| (name, problem.names.iter().cloned().zip(parts).collect())).collect()
}

/// The guarantees of a node with its flagged rows left out, or of what further steps made of them.
pub(crate) fn claims_of(
    problem: &Problem,
    (view, flags): (&View<'_>, &Flags),
    local: Option<&Local<'_>>,
) -> BTreeMap<String, Claim> {
    let Some(local) = local else { return claims(&problem.models, view, flags) };
    let released = local.released.view();
    let mut nothing = Flags::default();
    nothing.reset(released.len());
    claims(&problem.models, &released, &nothing)
}

/// What models tell of people whom they predict; policies that have steps or regions have none.
fn predicted(problem: &Problem, view: &View<'_>, flags: &Flags) -> BTreeMap<String, PredictedFacts> {
    let models = problem.models.iter();
    models.filter_map(|model| Some((model.name(), model.predicted(view, flags)?))).collect()
}

/// Refuses a release under a model that flags no class, so as not to tell of its values, and is not met.
pub(crate) fn unmet(claims: &BTreeMap<String, Claim>) -> Result<()> {
    let Some((name, claim)) = claims.iter().find(|(_, claim)| !claim.holds) else { return Ok(()) };
    let achieved = claim.achieved.unwrap_or_default();
    let message = format!(
        "{name}: a class reaches {achieved}, {} is required; nothing is released, because what is released must not \
         depend on its values",
        claim.required
    );
    let help = "ask for a higher k or for higher least levels from the beginning. Keep the refusal to yourself: a policy \
                that was changed until it passed tells of the values";
    Err(Fault::new(Kind::Unsolvable, message).key("privacy.models").help(help).into())
}

fn claims(models: &[Box<dyn PrivacyModel>], view: &View<'_>, flags: &Flags) -> BTreeMap<String, Claim> {
    models
        .iter()
        .filter_map(|model| {
            let v = model.verdict(view, flags)?;
            Some((model.name(), Claim { required: v.required, achieved: v.achieved, holds: v.holds }))
        })
        .collect()
}
