//! The families of the registry, and what is said of a name that one does not have: the nearest
//! one, and all of them.

use super::{Algorithm, Entry, LossKind, Predictor, StatisticKind};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::policy::ModelKind;
use crate::{hierarchy, policy, poset};

/// A family of names in the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// What a search loses least of.
    Loss,
    /// What finds a release.
    Algorithm,
    /// A privacy model beside k-anonymity.
    Model,
    /// How values generalize, level by level.
    Hierarchy,
    /// How values generalize where one may have several parents.
    Poset,
    /// How cells of regions are written.
    Form,
    /// What is done to an identifier instead of removing it.
    Transform,
    /// What predicts a target.
    Predictor,
    /// What a recipient computes.
    Statistic,
}

impl Family {
    /// All families.
    pub const ALL: &'static [Family] = &[
        Family::Loss,
        Family::Algorithm,
        Family::Model,
        Family::Hierarchy,
        Family::Poset,
        Family::Form,
        Family::Transform,
        Family::Predictor,
        Family::Statistic,
    ];

    /// What the schema calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Predictor => "predictor",
            Family::Model => "model",
            _ => self.nouns().0,
        }
    }

    /// What one member is called in messages, and what several are.
    pub const fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Family::Loss => ("loss", "losses"),
            Family::Algorithm => ("algorithm", "algorithms"),
            Family::Model => ("privacy model", "privacy models"),
            Family::Hierarchy => ("hierarchy", "hierarchies"),
            Family::Poset => ("poset", "posets"),
            Family::Form => ("form", "forms"),
            Family::Transform => ("transform", "transforms"),
            Family::Predictor => ("model", "models"),
            Family::Statistic => ("statistic", "statistics"),
        }
    }

    /// The key of a policy that names a member.
    const fn place(self) -> &'static str {
        match self {
            Family::Loss => "search.loss",
            Family::Algorithm => "search.algorithm",
            Family::Model => "privacy.models",
            Family::Hierarchy | Family::Poset | Family::Form | Family::Transform => "columns",
            Family::Predictor => "search.model.builtin",
            Family::Statistic => "privacy.utility",
        }
    }

    /// The entries that have nothing but a shape; losses, algorithms and models have entries of
    /// their own.
    pub(super) const fn plain(self) -> Option<&'static [Entry]> {
        match self {
            Family::Hierarchy => Some(hierarchy::ENTRIES),
            Family::Poset => Some(poset::ENTRIES),
            Family::Form => Some(policy::FORMS),
            Family::Transform => Some(policy::TRANSFORMS),
            Family::Loss | Family::Algorithm | Family::Model | Family::Predictor | Family::Statistic => None,
        }
    }

    /// The names of all members, in the order in which lists show them.
    pub fn keys(self) -> Vec<&'static str> {
        match self {
            Family::Loss => LossKind::ALL.iter().map(|kind| kind.key()).collect(),
            Family::Algorithm => Algorithm::ALL.iter().map(|kind| kind.key()).collect(),
            Family::Model => ModelKind::ALL.iter().map(|kind| kind.key()).collect(),
            Family::Predictor => Predictor::ALL.iter().map(|kind| kind.key()).collect(),
            Family::Statistic => StatisticKind::ALL.iter().map(|kind| kind.key()).collect(),
            Family::Hierarchy | Family::Poset | Family::Form | Family::Transform => {
                self.plain().unwrap_or_default().iter().map(|entry| entry.key).collect()
            }
        }
    }
}

/// The fault for a name that a family does not have: did you mean, and all names that there are.
pub fn unknown(family: Family, name: &str) -> Fault {
    unknown_among(family, name, &family.keys())
}

/// The same for a list of names, some of them not in the registry.
pub fn unknown_among(family: Family, name: &str, keys: &[&str]) -> Fault {
    if family == Family::Loss && name == MODEL_LOSS {
        return only_measured();
    }
    let (one, several) = family.nouns();
    let near = nearest(name, keys.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
    fault!(Input, "registry.unknown-name", "there is no {family} \"{name}\"", family = one, name = name)
        .key(family.place())
        .help(format!("{near}{several} are {}", keys.join(", ")))
}

/// The loss of a predictive model: a release has it where the policy names a model, and no search
/// minimizes it, because no bound of it is known.
pub const MODEL_LOSS: &str = "model";

fn only_measured() -> Fault {
    fault!(
        Input,
        "loss.only-measured",
        "the loss \"{loss}\" measures a release, and no search minimizes it",
        loss = MODEL_LOSS
    )
    .key(Family::Loss.place())
    .help(
        "let the model guide: algorithm = \"greedy\" with search.model, or \"greedy+model\" in a grid; \
         the loss of information that is nearest to it is \"column-mi\"",
    )
}

/// The family whose members are exactly these.
pub(crate) fn family_of(keys: &[&str]) -> Option<Family> {
    Family::ALL.iter().copied().find(|family| family.keys() == keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_family_differ_and_an_unknown_one_is_answered_with_all() {
        for &family in Family::ALL {
            let keys = family.keys();
            assert!(!keys.is_empty(), "{family:?}");
            for (at, key) in keys.iter().enumerate() {
                assert!(!keys[..at].contains(key), "{family:?}: {key} twice");
                assert_eq!(nearest(&format!("{key}x"), keys.iter().copied()), Some(*key));
            }
            let fault = unknown(family, "?");
            assert_eq!(fault.code, "registry.unknown-name");
            assert_eq!(family_of(&keys), Some(family));
            assert!(keys.iter().all(|key| fault.help.as_ref().is_some_and(|help| help.contains(key))));
        }
        assert_eq!(family_of(&["beer"]), None);
        let fault = unknown(Family::Loss, MODEL_LOSS);
        assert_eq!((fault.code, fault.place.key.as_deref()), ("loss.only-measured", Some("search.loss")));
        assert!(fault.help.is_some_and(|help| help.contains("search.model") && help.contains("column-mi")));
    }
}
