//! The errors of the policy's model on what was decided.
//!
//! Costs one prediction per distinct row of features, original or released.

use crate::error::Result;
use crate::policy::GuideSpec;
use crate::predict::{Guide, Scope, Scored};
use crate::recoded::Recoded;
use crate::release::ModelFacts;
use crate::search::Problem;

/// What a model makes of a release.
#[derive(Debug, Clone)]
pub struct ModelErrors {
    /// Its errors on the released rows.
    pub facts: ModelFacts,
    /// The loss `model`: the mean distance between what it predicts from a row as released and
    /// from the row untouched, over all rows; a suppressed row is released as `*`.
    pub loss: f64,
    /// Class → that distance.
    pub moved: Vec<f64>,
}

/// The errors; none if rows of equal values are in several regions, so that it is unknown which of
/// them has which target.
pub(super) fn errors(
    problem: &Problem,
    spec: &GuideSpec,
    guide: &dyn Guide,
    recoded: &Recoded,
) -> Result<Option<ModelErrors>> {
    let predicted = problem.predicted(spec)?;
    let scored = Scored::new(guide, recoded, (&problem.names, &problem.hierarchies))?;
    let of = |scope| scored.errors(recoded, (predicted.column, &predicted.labels.numbers), scope);
    let (Some(all), Some(released)) = (of(Scope::All), of(Scope::Released)) else { return Ok(None) };
    let facts = ModelFacts {
        name: spec.name().to_owned(),
        target: spec.target.clone(),
        predicts: predicted.labels.predicts(),
        features: problem.features(spec),
        guides: spec.guides,
        rows: problem.classes.rows() - recoded.suppressed_rows(),
        released: released.released.into(),
        original: released.original.into(),
        moved: released.moved.into(),
    };
    Ok(Some(ModelErrors { facts, loss: all.moved.mean, moved: scored.moved() }))
}
