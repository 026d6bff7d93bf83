//! The answer to every question: a low and a high between which the statistic of the original lies.

use serde::{Serialize, Serializer};

use crate::rounding::Enclosure;

/// Bounds of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// At most the statistic; minus infinity (`null` in JSON) if there is no lower bound.
    #[serde(serialize_with = "finite")]
    pub low: f64,
    /// At least the statistic; infinity (`null` in JSON) if there is no upper bound.
    #[serde(serialize_with = "finite")]
    pub high: f64,
    /// Whether the bounds are sharp: some originals that fit the cells reach them, rounding aside.
    /// Otherwise they are a guaranteed enclosure.
    pub exact: bool,
    /// The case or the algorithm that was selected.
    pub method: &'static str,
    /// For an enclosure: at most how much wider it is than sharp bounds, where this is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack: Option<f64>,
    /// Why there is no finite bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn finite<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if x.is_finite() { serializer.serialize_f64(*x) } else { serializer.serialize_none() }
}

impl Bounds {
    /// Sharp bounds.
    pub(crate) fn sharp(at: Enclosure, method: &'static str) -> Self {
        Bounds { low: at.low, high: at.high, exact: true, method, slack: None, reason: None }.explained()
    }

    /// A guaranteed enclosure.
    pub(crate) fn enclosure(at: Enclosure, method: &'static str) -> Self {
        Bounds { exact: false, ..Bounds::sharp(at, method) }
    }

    /// No bound at all.
    pub(crate) fn none(reason: &'static str) -> Self {
        let any = Enclosure::ANY;
        Bounds {
            low: any.low,
            high: any.high,
            exact: false,
            method: "none",
            slack: None,
            reason: Some(reason),
        }
    }

    /// The same with a reason where an end is infinite.
    fn explained(mut self) -> Self {
        if !self.is_finite() && self.reason.is_none() {
            self.reason = Some("a cell has no bound: state the column's domain");
        }
        self
    }

    /// Sharp or not.
    pub(crate) fn exactly(self, exact: bool) -> Self {
        Bounds { exact, ..self }
    }

    /// The numbers between the bounds.
    pub fn enclosed(&self) -> Enclosure {
        Enclosure { low: self.low, high: self.high }
    }

    /// Whether both bounds are finite.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// High minus low, rounded up.
    pub fn width(&self) -> f64 {
        self.enclosed().width()
    }

    /// Whether a number lies between the bounds.
    pub fn has(&self, x: f64) -> bool {
        self.enclosed().has(x)
    }
}
