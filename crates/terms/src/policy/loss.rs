//! The policy syntax of losses: `loss = "entropy"`, or `loss = { name = "lm", tradeoff = 0.3 }`.
//!
//! Which loss takes which parameters is in the registry, and checked where losses are made.

use serde::{Deserialize, Serialize};

use super::StatisticSpec;
use crate::information::RARE;
use crate::registry::{Algorithm, LossKind};

/// A loss by name, or by name with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum LossSpec {
    /// `loss = "entropy"`.
    Name(LossKind),
    /// `loss = { name = "lm", aggregate = "geometric" }`.
    Full(LossParameters),
    /// `loss = { name = "width", statistics = [{ statistic = "mean", column = "age" }] }`.
    OfStatistics {
        /// The loss with its other parameters.
        #[serde(flatten)]
        parameters: LossParameters,
        /// The statistics.
        statistics: Vec<StatisticSpec>,
    },
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "LossParameters")]
struct GivenLoss {
    name: LossKind,
    aggregate: Option<Aggregate>,
    count_suppressed: Option<bool>,
    tradeoff: Option<f64>,
    rare: Option<u64>,
    statistics: Option<Vec<StatisticSpec>>,
}

impl From<GivenLoss> for LossSpec {
    fn from(given: GivenLoss) -> Self {
        let GivenLoss { name: kind, aggregate, count_suppressed, tradeoff, rare, statistics } = given;
        let parameters = LossParameters { kind, aggregate, count_suppressed, tradeoff, rare };
        match statistics {
            Some(statistics) => LossSpec::OfStatistics { parameters, statistics },
            None => LossSpec::Full(parameters),
        }
    }
}

/// By hand, because a derived untagged enum says of every mistake only that nothing matched.
impl<'de> Deserialize<'de> for LossSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> serde::de::Visitor<'de> for NameOrTable {
            type Value = LossSpec;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the name of a loss, or a table such as { name = \"lm\" }")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<LossSpec, E> {
                LossKind::deserialize(serde::de::value::StrDeserializer::new(name)).map(LossSpec::Name)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<LossSpec, A::Error> {
                let table = serde::de::value::MapAccessDeserializer::new(map);
                GivenLoss::deserialize(table).map(LossSpec::from)
            }
        }

        deserializer.deserialize_any(NameOrTable)
    }
}

impl LossSpec {
    /// The loss of a policy that names none.
    pub const fn by_default(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Best => LossSpec::Name(LossKind::Lm),
            _ => LossSpec::Name(LossKind::Entropy),
        }
    }
}

/// A loss with its parameters; what is not given has the default of that loss.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LossParameters {
    /// Which loss.
    #[serde(rename = "name")]
    pub kind: LossKind,
    /// How columns are put together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aggregate: Option<Aggregate>,
    /// Whether suppressed rows add to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_suppressed: Option<bool>,
    /// Between generalization and suppression, from 0 (suppression is free) to 1 (generalization is
    /// free).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tradeoff: Option<f64>,
    /// Values with fewer rows have no information about the targets, for losses that weigh cells by
    /// it. Default: 6.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare: Option<u64>,
}

impl LossParameters {
    /// A loss with all its defaults.
    pub const fn new(kind: LossKind) -> Self {
        LossParameters { kind, aggregate: None, count_suppressed: None, tradeoff: None, rare: None }
    }

    /// The rows that a value needs to have information about the targets.
    pub fn rare(&self) -> u64 {
        self.rare.unwrap_or(RARE)
    }
}

/// How the losses of columns are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// Their mean.
    Mean,
    /// Their sum.
    Sum,
    /// The largest.
    Max,
    /// Π(w·L + 1)^(1/m) − 1.
    Geometric,
}

impl LossSpec {
    /// The name with all parameters, as far as they are given.
    pub fn parameters(&self) -> LossParameters {
        match self {
            LossSpec::Name(kind) => LossParameters::new(*kind),
            LossSpec::Full(parameters) | LossSpec::OfStatistics { parameters, .. } => *parameters,
        }
    }

    /// The statistics that it is of, where the loss lists them.
    pub fn statistics(&self) -> Option<&[StatisticSpec]> {
        match self {
            LossSpec::OfStatistics { statistics, .. } => Some(statistics),
            LossSpec::Name(_) | LossSpec::Full(_) => None,
        }
    }
}
