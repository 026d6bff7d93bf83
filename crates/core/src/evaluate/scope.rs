//! What is evaluated: target, groups, settings and models, checked before anything is read.

use super::target;
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::{Policy, Role};
use crate::predict::Target;
use crate::predict::spread::Family;
use crate::registry::{Algorithm, LossKind};
use crate::suggest::{Method, Settings};

/// k that are tried if none are given, beside that of the policy.
const K: [u64; 5] = [2, 5, 10, 20, 50];

/// What is evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// The column to predict; none is the policy's target.
    pub target: Option<String>,
    /// The column that forms groups.
    pub by: Option<String>,
    /// The k; empty for some.
    pub k: Vec<u64>,
    /// Names of methods; empty for that of the policy, Mondrian, and the search of levels.
    pub methods: Vec<String>,
    /// The models; empty for all that predict the target.
    pub models: Vec<Family>,
    /// The share of rows, or of people, that is held out.
    pub holdout: f64,
    /// How often the table is divided anew.
    pub repeats: u32,
    /// The seed of the division and of the models.
    pub seed: u64,
    /// The seconds of an automatic selection of models; none for no selection.
    pub seconds: Option<f64>,
}

impl Default for Scope {
    fn default() -> Self {
        Scope {
            target: None,
            by: None,
            k: Vec::new(),
            methods: Vec::new(),
            models: Vec::new(),
            holdout: 0.3,
            repeats: 1,
            seed: 1,
            seconds: None,
        }
    }
}

/// The columns that have to be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Needed {
    /// The policy that decides: that of the user, with the target in its role.
    pub policy: Policy,
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The columns that are measured, those for the evaluation alone last.
    pub measured: Vec<String>,
    /// How many of these the policy needs.
    pub needed: usize,
    /// The target.
    pub target: String,
}

/// What has to be read of a table with these columns.
///
/// # Errors
/// A target or group that cannot be used; settings that make no sense; differential privacy.
pub fn needed(policy: &Policy, columns: &[String], scope: &Scope) -> Result<Needed> {
    check(policy, scope)?;
    let target = target::target(policy, columns, scope.target.as_deref())?;
    if let Some(by) = scope.by.as_ref().filter(|by| !columns.contains(by)) {
        return Err(target::unknown(by, "--by", columns).into());
    }
    let policy = as_target(policy, &target);
    let (quasi, mut measured) = policy.grouped_columns(columns);
    let needed = measured.len();
    for name in [Some(&target), scope.by.as_ref()].into_iter().flatten() {
        if !quasi.contains(name) && !measured.contains(name) {
            measured.push(name.clone());
        }
    }
    Ok(Needed { policy, quasi, measured, needed, target })
}

fn check(policy: &Policy, scope: &Scope) -> Result<()> {
    let mut faults: Vec<Fault> = Vec::new();
    if policy.differential_privacy().is_some() {
        let fault = fault!(
            Input,
            "evaluate.differential-privacy",
            "with differential privacy, settings must not be chosen by their results on this table"
        );
        faults.push(fault.key("privacy.models").help("evaluate on a public table of the same kind"));
    }
    if policy.privacy.k().is_none() && !scope.k.is_empty() {
        let fault = fault!(Input, "evaluate.no-k", "the policy has no privacy.k to change");
        faults.push(fault.key("privacy").help("give privacy.k, or leave out --k"));
    }
    if !(scope.holdout > 0.0 && scope.holdout < 1.0) {
        let fault = fault!(
            Input,
            "evaluate.holdout",
            "{share} is not a share of rows to hold out",
            share = scope.holdout
        );
        faults.push(fault.key("--holdout").help("use a number between 0 and 1, such as 0.3"));
    }
    if scope.repeats == 0 {
        let fault = fault!(Input, "evaluate.no-repeats", "nothing is evaluated with 0 repeats");
        faults.push(fault.key("--repeats").help("use 1 or more"));
    }
    crate::error::Error::check(faults)
}

/// The policy with the target in its role, where that changes nothing else: losses that compare
/// targets are then known.
fn as_target(policy: &Policy, target: &str) -> Policy {
    let judged = policy.judged().contains(target);
    let has_other = policy.with_role(Role::Target).iter().any(|name| *name != target);
    let Some(column) = policy
        .columns
        .get(target)
        .filter(|column| !judged && !has_other && matches!(column.role, Role::Sensitive | Role::Keep))
    else {
        return policy.clone();
    };
    let mut changed = policy.clone();
    let mut column = column.clone();
    column.role = Role::Target;
    changed.columns.insert(target.to_owned(), column);
    if changed.check().is_ok() { changed } else { policy.clone() }
}

/// The models that are asked for.
///
/// # Errors
/// A model that does not predict the target.
pub(super) fn models(scope: &Scope, target: Target) -> Result<Vec<Family>> {
    if scope.models.is_empty() {
        return Ok(Family::ALL.into_iter().filter(|family| family.predicts(target)).collect());
    }
    let mut models = scope.models.clone();
    models.sort_unstable();
    models.dedup();
    let unfit = models.iter().find(|family| !family.predicts(target));
    match unfit {
        None => Ok(models),
        Some(family) => Err(crate::predict::unfit(family.name(), target).key("--model").into()),
    }
}

/// The methods of these names, with what each is called; of no names, that of the policy, Mondrian
/// and the search of levels; of `all`, those that `suggest` tries. `NAME:LOSS` keeps another loss
/// small.
///
/// # Errors
/// An unknown name.
pub fn methods(policy: &Policy, names: &[String]) -> Result<Vec<(String, Method)>> {
    let known = Method::all(policy);
    let called = |method: Method| (method.name(), method);
    if names.iter().any(|name| name == "all") {
        return Ok(distinct(known.into_iter().map(called).collect()));
    }
    if names.is_empty() {
        let usual = |(at, method): &(usize, Method)| {
            *at == 0 || !method.local && matches!(method.algorithm, Algorithm::Mondrian | Algorithm::Auto)
        };
        let usual = known.into_iter().enumerate().filter(usual);
        return Ok(distinct(usual.map(|(_, method)| called(method)).collect()));
    }
    let method = |name: &String| {
        if let Some(known) = known.iter().find(|method| method.name() == *name) {
            return Ok(called(*known));
        }
        let (method, loss) = name.split_once(':').unwrap_or((name, LossKind::Lm.key()));
        let (algorithm, local) = match method.strip_suffix("+local") {
            Some(algorithm) => (algorithm, true),
            None => (method, false),
        };
        let found = Algorithm::from_key(algorithm).zip(LossKind::from_key(loss));
        let (algorithm, loss) = found.ok_or_else(|| {
            let names = known.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ");
            fault!(Input, "evaluate.unknown-method", "there is no method \"{method}\"", method = name)
                .key("--method")
                .help(format!("name one of {names}, all, an algorithm, or ALGORITHM:LOSS"))
        })?;
        Ok((name.clone(), Method { algorithm, local, loss: Some(loss) }))
    };
    names.iter().map(method).collect()
}

/// Methods of equal names with the loss behind the name, where it is not that of the policy.
fn distinct(methods: Vec<(String, Method)>) -> Vec<(String, Method)> {
    let names: Vec<String> = methods.iter().map(|(name, _)| name.clone()).collect();
    let twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let called = |(name, method): (String, Method)| match method.loss {
        Some(loss) if twice(&name) => (format!("{name}:{}", loss.key()), method),
        _ => (name, method),
    };
    methods.into_iter().map(called).collect()
}

/// The settings of all methods and k.
pub(super) fn settings(policy: &Policy, scope: &Scope) -> Result<Vec<(String, Settings)>> {
    let own = Settings::of(policy);
    let mut k: Vec<Option<u64>> = match (own.k, scope.k.is_empty()) {
        (None, _) => vec![None],
        (Some(own), true) => K.into_iter().chain([own]).map(Some).collect(),
        (Some(_), false) => scope.k.iter().copied().map(Some).collect(),
    };
    k.sort_unstable();
    k.dedup();
    let mut all = Vec::new();
    for (name, method) in methods(policy, &scope.methods)? {
        all.extend(k.iter().map(|&k| (name.clone(), Settings { k, ..own.with_method(method, policy) })));
    }
    Ok(all)
}
