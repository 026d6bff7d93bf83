//! Which parameters a loss has, and what is told to whoever gives it others.

use super::NAMES;
use crate::error::{Fault, nearest};
use crate::policy::LossParameters;

/// What is wrong with a loss as a policy asks for it, whatever the table is.
pub fn check(parameters: &LossParameters) -> Vec<Fault> {
    let name = parameters.name.as_str();
    if !NAMES.contains(&name) {
        return vec![unknown(name)];
    }
    [aggregate(parameters), count_suppressed(parameters), tradeoff(parameters)]
        .into_iter()
        .flatten()
        .collect()
}

pub(super) fn unknown(name: &str) -> Fault {
    let near = nearest(name, NAMES).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
    Fault::input(format!("there is no loss \"{name}\""))
        .key("search.loss")
        .help(format!("{near}losses are {}", NAMES.join(", ")))
}

/// What is told where labels are asked for and none are there.
pub(crate) fn no_target(name: &str) -> Fault {
    Fault::input(format!("loss \"{name}\" counts labels, and no column has role \"target\""))
        .key("search.loss")
        .help("give the column whose values are to be predicted role = \"target\", or ask for another loss")
}

fn aggregate(parameters: &LossParameters) -> Option<Fault> {
    let name = parameters.name.as_str();
    let columns = matches!(name, "entropy" | "conditional-entropy" | "lm");
    (parameters.aggregate.is_some() && !columns).then(|| {
        Fault::input(format!("loss \"{name}\" has no aggregate"))
            .key("search.loss.aggregate")
            .help("only \"lm\", \"entropy\" and \"conditional-entropy\" are put together from columns in several ways")
    })
}

/// Whether suppressed rows count in a loss by its definition; none where a policy may say.
fn counts(name: &str) -> Option<bool> {
    match name {
        "dm" | "ambiguity" | "aecs" | "conditional-entropy" | "cm" => Some(true),
        "dm*" | "height" | "absolute" | "relative" => Some(false),
        _ => None,
    }
}

fn count_suppressed(parameters: &LossParameters) -> Option<Fault> {
    let name = parameters.name.as_str();
    let (always, asked) = (counts(name)?, parameters.count_suppressed?);
    (always != asked).then(|| {
        let how = if always { "counts" } else { "does not count" };
        Fault::input(format!("loss \"{name}\" {how} suppressed rows by its definition"))
            .key("search.loss.count_suppressed")
            .help(match name {
                "dm" => "\"dm*\" is the form that does not count them",
                "conditional-entropy" => "\"entropy\" is the form that does not count them",
                _ => "leave it out",
            })
    })
}

/// The trade-off weighs suppressed rows, so they have to count; in `aecs` they are one class whatever they are.
fn tradeoff(parameters: &LossParameters) -> Option<Fault> {
    let name = parameters.name.as_str();
    let tau = parameters.tradeoff?;
    let default = name == "lm";
    let counted = counts(name).unwrap_or(parameters.count_suppressed.unwrap_or(default));
    if !(0.0..=1.0).contains(&tau) {
        return Some(Fault::input(format!("{tau} is not a trade-off")).key("search.loss.tradeoff").help(
            "give a number from 0 (suppression is free) over 0.5 (the default) to 1 (generalization is free)",
        ));
    }
    // In "value-mi" a suppressed cell costs what its original value was worth, which classes of a node do not tell.
    if counted && name != "aecs" && name != "value-mi" {
        return None;
    }
    let help = match counts(name) {
        None if name != "value-mi" => "add count_suppressed = true",
        _ => {
            "losses with a trade-off are \"prec\", \"vinterbo\", \"column-mi\", \"dm\", \"entropy\", \"conditional-entropy\", \"lm\", \"ambiguity\" and \"cm\""
        }
    };
    Some(
        Fault::input(format!(
            "loss \"{name}\" as asked for has nothing to trade off suppressed rows against"
        ))
        .key("search.loss.tradeoff")
        .help(help),
    )
}
