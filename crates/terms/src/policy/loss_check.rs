//! Checks the parameters that a policy gives a loss against those that the loss has.

use crate::error::Fault;
use crate::fault;
use crate::policy::LossParameters;
use crate::registry::{LossKind, SuppressedRows};

/// Errors of a loss as specified by a policy, whatever the table is.
pub fn check_loss(parameters: &LossParameters) -> Vec<Fault> {
    [aggregate(parameters), count_suppressed(parameters), tradeoff(parameters), rare(parameters)]
        .into_iter()
        .flatten()
        .collect()
}

/// The fault where labels are needed and no column has them.
pub fn no_target(kind: LossKind) -> Fault {
    fault!(
        Input,
        "loss.no-target",
        "loss \"{loss}\" counts labels, and no column has role \"target\"",
        loss = kind
    )
    .key("search.loss")
    .help("give the column whose values are to be predicted role = \"target\", or ask for another loss")
}

fn aggregate(parameters: &LossParameters) -> Option<Fault> {
    let kind = parameters.kind;
    (parameters.aggregate.is_some() && !kind.entry().aggregates).then(|| {
        let several = listed(|kind| kind.entry().aggregates);
        fault!(Input, "loss.no-aggregate", "loss \"{loss}\" has no aggregate", loss = kind)
            .key("search.loss.aggregate")
            .help(format!("only {several} are put together from columns in several ways"))
    })
}

fn count_suppressed(parameters: &LossParameters) -> Option<Fault> {
    let (kind, asked) = (parameters.kind, parameters.count_suppressed?);
    let always = kind.counts_suppressed(Some(asked));
    (always != asked).then(|| {
        let fault = match always {
            true => fault!(
                Input,
                "loss.always-counts-suppressed",
                "loss \"{loss}\" counts suppressed rows by its definition",
                loss = kind
            ),
            false => fault!(
                Input,
                "loss.never-counts-suppressed",
                "loss \"{loss}\" does not count suppressed rows by its definition",
                loss = kind
            ),
        };
        fault.key("search.loss.count_suppressed").help(match kind.entry().without_suppressed {
            Some(other) => format!("\"{other}\" is the form that does not count them"),
            None => "leave it out".into(),
        })
    })
}

/// The trade-off weighs suppressed rows, so they have to count. In `aecs` they are one class
/// whatever they are; in `value-mi` a suppressed cell costs what its original value was worth,
/// which the classes of a node do not show.
fn tradeoff(parameters: &LossParameters) -> Option<Fault> {
    let kind = parameters.kind;
    let tau = parameters.tradeoff?;
    if !(0.0..=1.0).contains(&tau) {
        let fault = fault!(Input, "loss.tradeoff-out-of-range", "{value} is not a trade-off", value = tau);
        return Some(fault.key("search.loss.tradeoff").help(
            "give a number from 0 (suppression is free) over 0.5 (the default) to 1 (generalization is free)",
        ));
    }
    let entry = kind.entry();
    if entry.tradeoff && kind.counts_suppressed(parameters.count_suppressed) {
        return None;
    }
    let help = match entry.suppressed {
        SuppressedRows::Optional { .. } if entry.tradeoff => "add count_suppressed = true".into(),
        _ => format!("losses with a trade-off are {}", listed(|kind| kind.entry().tradeoff)),
    };
    Some(
        fault!(
            Input,
            "loss.nothing-to-trade-off",
            "loss \"{loss}\" with these parameters has nothing to trade off suppressed rows against",
            loss = kind
        )
        .key("search.loss.tradeoff")
        .help(help),
    )
}

fn rare(parameters: &LossParameters) -> Option<Fault> {
    let kind = parameters.kind;
    (parameters.rare.is_some() && kind.entry().information.is_none()).then(|| {
        let able = listed(|kind| kind.entry().information.is_some());
        fault!(
            Input,
            "loss.no-rare-values",
            "loss \"{loss}\" does not use the information of values about a target",
            loss = kind
        )
        .key("search.loss.rare")
        .help(format!("only {able} do; leave it out"))
    })
}

/// The losses with a property, as a sentence lists them.
fn listed(has: impl Fn(LossKind) -> bool) -> String {
    let names: Vec<String> =
        LossKind::ALL.iter().filter(|kind| has(**kind)).map(|kind| format!("\"{kind}\"")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
