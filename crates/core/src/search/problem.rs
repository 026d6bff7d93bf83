//! Builds the search problem from a policy and a grouped table. Costs one pass over the classes.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Population, Problem, Profile, Ranking, population};
use crate::classes::Classes;
use crate::deletion::Deletion;
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::hierarchy::{self, Hierarchy};
use crate::histogram::Histogram;
use crate::lattice::{Lattice, Limits};
use crate::loss::{self, Loss, Marginals};
use crate::model::{
    self, KAnonymity, Linkable, Nesting, NoMissing, PrivacyModel, Setting, Subjects, TraceCode, Values,
};
use crate::people::{PeopleLimit, single_values};
use crate::policy::{Limit, Missing, ModelSpec, Policy, Role};
use crate::rows::Counted;
use crate::space::Ground;
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;
use crate::utility::Utility;
use crate::watch::{Cancel, Watch};

/// Reads a hierarchy file that the policy names.
pub type Load<'a> = &'a dyn Fn(&str) -> Result<String>;

/// A grouped table: the values of its quasi-identifiers and of the columns measured in their
/// classes, and which combinations of them occur how often.
pub struct Grouped {
    /// The quasi-identifiers, in the table's order.
    pub names: Vec<String>,
    /// The measured columns: targets, then sensitive columns that models judge and columns of
    /// guarding nodes, each in the table's order.
    pub measured: Vec<String>,
    /// The values of the quasi-identifiers, then of the measured columns, as the table writes them.
    pub dictionaries: Vec<Dictionary>,
    /// The combinations, in codes of the dictionaries.
    pub tuples: Tuples,
    /// The population that the table was drawn from, where a model compares with it.
    pub population: Option<Population>,
}

impl Grouped {
    /// A table that was counted by its quasi-identifiers and then by its measured columns.
    pub fn new(names: Vec<String>, measured: Vec<String>, counted: Counted) -> Self {
        let Counted { dictionaries, tuples, .. } = counted;
        Grouped { names, measured, dictionaries, tuples, population: None }
    }

    /// What a policy deletes from it; none where it deletes nothing.
    ///
    /// # Errors
    /// As [`Deletion::of`].
    pub fn deletion(&self, policy: &Policy) -> Result<Option<Deletion>> {
        let names = [&self.names[..], &self.measured].concat();
        Deletion::of(policy, &names, &self.dictionaries, &self.tuples)
    }
}

/// A column, other than a quasi-identifier, whose values become others in the release: at a level of
/// their hierarchy, or deleted.
pub struct Leveled {
    /// Its name.
    pub name: String,
    /// Code of its dictionary → what is released.
    pub labels: Vec<Option<String>>,
}

impl Leveled {
    /// The labels, and the way from the dictionary to them.
    fn labels(&self, raw: &Dictionary) -> (Dictionary, Vec<Code>) {
        let (mut labels, mut map) = (Dictionary::new(), vec![0; raw.len()]);
        for code in raw.by_value() {
            map[code as usize] = labels.add(self.labels[code as usize].as_deref(), raw.count(code));
        }
        (labels, map)
    }
}

/// What the measured columns with a level or with deleted cells become.
///
/// # Errors
/// Hierarchies that cannot be built or lack values, and levels that they do not have; what
/// [`Deletion::of`] refuses.
pub fn leveled(policy: &Policy, grouped: &Grouped, load: Load<'_>) -> Result<Vec<Leveled>> {
    let Grouped { names, measured, dictionaries, tuples, .. } = grouped;
    let Some(deletion) = grouped.deletion(policy)? else {
        return at_levels(policy, measured, &dictionaries[names.len()..], load);
    };
    let (left, maps) = deletion.apply(dictionaries, tuples);
    let at_levels = at_levels(policy, measured, &left.dictionaries[names.len()..], load)?;
    let mut columns = Vec::new();
    for (at, name) in measured.iter().enumerate().map(|(at, name)| (names.len() + at, name)) {
        let codes = 0..dictionaries[at].len() as Code;
        let labels = match at_levels.iter().find(|column| column.name == *name) {
            Some(column) => {
                let label = |code: Code| column.labels.get(maps[at][code as usize] as usize)?.clone();
                codes.map(label).collect()
            }
            None if deletion.deletes_cells(name) => {
                let kept = |code: &Code| !deletion.deletes_code(at, *code);
                let value = |code: Code| dictionaries[at].value(code).filter(|_| kept(&code));
                codes.map(|code| value(code).map(String::from)).collect()
            }
            None => continue,
        };
        columns.push(Leveled { name: name.clone(), labels });
    }
    Ok(columns)
}

/// What the measured columns with a level become.
fn at_levels(
    policy: &Policy,
    measured: &[String],
    dictionaries: &[Dictionary],
    load: Load<'_>,
) -> Result<Vec<Leveled>> {
    let mut columns = Vec::new();
    for (name, raw) in measured.iter().zip(dictionaries) {
        let Some(level) = policy.columns.get(name).and_then(|column| column.level) else { continue };
        let built = hierarchy(policy, name, raw, load);
        let (hierarchy, leaves) = built.map_err(|error| error.map(|fault| placed(fault, name)))?;
        if level > hierarchy.height() {
            return Err(fault!(
                Input,
                "hierarchy.sensitive-level-too-high",
                "the highest level is {highest}",
                highest = hierarchy.height()
            )
            .key(format!("columns.{name}.level"))
            .help("give a level of the hierarchy")
            .into());
        }
        let label = |leaf: Code| hierarchy.label(level, hierarchy.generalize(leaf, level)).map(String::from);
        columns.push(Leveled { name: name.clone(), labels: leaves.into_iter().map(label).collect() });
    }
    Ok(columns)
}

/// The labels of measured columns as the release has them, and the way from each dictionary to
/// them. Missing, however it is written, is one label.
///
/// # Errors
/// Hierarchies that cannot be built or lack values, and levels that they do not have.
pub(crate) fn measured_labels(
    policy: &Policy,
    measured: &[String],
    dictionaries: &[Dictionary],
    load: Load<'_>,
) -> Result<Vec<(Dictionary, Vec<Code>)>> {
    let leveled = at_levels(policy, measured, dictionaries, load)?;
    let values = measured.iter().zip(dictionaries).map(|(name, raw)| {
        let at = leveled.iter().find(|column| column.name == *name);
        at.map_or_else(|| labels(policy, raw), |column| column.labels(raw))
    });
    Ok(values.collect())
}

/// How classes nest with earlier releases, by a column of traces. A cell of it is a NUL byte and
/// the number of a trace, then a NUL byte and a text for the value of every sensitive column.
pub struct TraceRule<'a> {
    /// The k of the earlier releases of a trace.
    pub k: &'a dyn Fn(u32) -> u64,
    /// Sensitive column → the values that the rows of a trace in a class are to have.
    pub values: Vec<u32>,
}

impl Problem {
    /// The problem of a policy, and for each column the way from dictionary codes to leaves.
    ///
    /// # Errors
    /// Hierarchies that cannot be built or lack values, levels out of range, an unknown loss, a k
    /// that the table cannot reach.
    pub fn new(policy: &Policy, grouped: Grouped, load: Load<'_>) -> Result<(Problem, Vec<Vec<Code>>)> {
        Problem::watched(policy, grouped, load, &Watch::none())
    }

    /// As [`Problem::new`], reporting progress where a model has to be fitted first.
    ///
    /// # Errors
    /// As [`Problem::new`]; [`Kind::Cancelled`] when asked to stop.
    pub fn watched(
        policy: &Policy,
        grouped: Grouped,
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<(Problem, Vec<Vec<Code>>)> {
        Problem::with_traces(policy, grouped, None, load, watch)
    }

    /// As [`Problem::watched`], for a release that is to nest with earlier ones by a rule about the
    /// last measured column. Only that rule knows the column: no other model, figure or report has
    /// it.
    ///
    /// # Errors
    /// As [`Problem::watched`].
    pub fn with_traces(
        policy: &Policy,
        grouped: Grouped,
        rule: Option<&TraceRule<'_>>,
        load: Load<'_>,
        watch: &Watch,
    ) -> Result<(Problem, Vec<Vec<Code>>)> {
        if grouped.dictionaries.len() != grouped.names.len() + grouped.measured.len() {
            return Err(Fault::bug("a grouped column has no values").into());
        }
        let deletion = grouped.deletion(policy)?;
        let Grouped { names, mut measured, mut dictionaries, mut tuples, population } = grouped;
        let rows = tuples.rows();
        let deleted = deletion.as_ref().map(|deletion| {
            let (left, maps) = deletion.apply(&dictionaries, &tuples);
            (dictionaries, tuples) = (left.dictionaries, left.tuples);
            maps
        });
        let max_suppressed = within_limit(policy, rows, deletion.as_ref())?;
        let subject = measured.iter().position(|name| policy.subject() == Some(name.as_str()));
        let people = subject.map(|at| people(policy, &dictionaries[names.len() + at])).transpose()?;
        if let Some(subject) = subject {
            tuples = judged_values(policy, &measured, (&mut dictionaries, names.len()), tuples, subject);
        }
        // Whether there are enough rows would leak data.
        if policy.differential_privacy().is_none() {
            enough_rows(policy, tuples.rows(), people)?;
        }
        let (hierarchies, mut maps, population) =
            population::shared(policy, &names, &dictionaries[..names.len()], population, load)?;
        watch.check()?;
        let profile = Profile::new(policy, &names);
        let mut values = measured_labels(policy, &measured, &dictionaries[names.len()..], load)?;
        maps.extend(values.iter().map(|(_, map)| map.clone()));
        let targets = measured.iter().filter(|name| is_target(policy, name)).count();
        let classes = Classes::of_measured(tuples, names.len(), &maps)?.sorted().with_targets(targets);
        let classes = classes.with_rare(policy.search.loss.parameters().rare()).with_subject(subject);
        maps.truncate(names.len());
        let classes = population::beside(policy, classes, population.as_ref())?;
        watch.check()?;
        let marginals = Marginals::new(&classes, &hierarchies);
        let weights = policy.weights(&names);
        let utility = Utility::new(policy, &names, &hierarchies, &classes)?.map(Arc::new);
        let lattice = lattice(policy, &names, &hierarchies, (utility.as_deref(), max_suppressed))?;
        let loss = loss(policy, &marginals, &weights, (utility.as_ref(), max_suppressed))?;
        let preference = Ranking::of(policy, &names, &hierarchies, &marginals)?;
        let mut models = models(policy, &names, subject, watch.cancel())?;
        let nesting =
            rule.and_then(|rule| nesting(policy, rule, (&mut measured, &mut values), max_suppressed));
        let texts: Vec<&Dictionary> = values.iter().map(|(texts, _)| texts).collect();
        models.extend(asked_models(
            policy,
            &names,
            (&measured, &texts),
            (&classes, &hierarchies),
            (max_suppressed, deletion.as_ref()),
            (load, watch),
        )?);
        unseen(policy, &models)?;
        models.extend(nesting.map(|rule| Box::new(rule) as Box<dyn PrivacyModel>));
        if let Some(codes) = deleted {
            // From the codes of the whole table, over those of what is left, to leaves.
            let leaves = |(codes, map): (Vec<Code>, &Vec<Code>)| {
                codes.into_iter().map(|code| map.get(code as usize).copied().unwrap_or_default()).collect()
            };
            maps = codes.into_iter().zip(&maps).map(leaves).collect();
        }
        let measured = measured.into_iter().zip(values).map(|(name, (texts, _))| (name, texts)).collect();
        Ok((
            Problem {
                names,
                hierarchies: hierarchies.into(),
                measured,
                classes: classes.into(),
                lattice,
                models: models.into(),
                loss,
                max_suppressed,
                people: people.map(|people| people_limit(policy, people)),
                profile,
                preference,
                deletion,
                utility,
            },
            maps,
        ))
    }
}

impl Problem {
    /// Whether values that share a label share every label above it, in all columns; only then can
    /// a verdict on one node say something of others.
    pub fn nested(&self) -> bool {
        self.hierarchies.iter().all(Hierarchy::nested)
    }

    /// The same for methods that form regions of rows.
    pub fn ground(&self) -> Ground<'_> {
        Ground {
            names: &self.names,
            hierarchies: &self.hierarchies,
            classes: &self.classes,
            lattice: &self.lattice,
            models: &self.models,
            max_suppressed: self.max_suppressed,
            seed: self.profile.seed,
        }
    }
}

/// The rule that classes nest with earlier releases, by the last measured column, which is then
/// one of the others no more.
fn nesting(
    policy: &Policy,
    rule: &TraceRule<'_>,
    (measured, values): (&mut Vec<String>, &mut Vec<(Dictionary, Vec<Code>)>),
    max_suppressed: u64,
) -> Option<Nesting> {
    measured.pop()?;
    let (texts, _) = values.pop()?;
    let own = policy.privacy.k().unwrap_or(1);
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut number = |value| {
        let next = numbers.len() as u32;
        *numbers.entry(value).or_insert(next)
    };
    let mut code = |code: Code| {
        let mut parts = texts.value(code).unwrap_or_default().split('\0').skip(1);
        let trace = parts.next().and_then(|trace| trace.parse().ok()).unwrap_or(0);
        let values = rule.values.iter().map(|_| number(parts.next().unwrap_or_default())).collect();
        TraceCode { trace, values }
    };
    let codes = (0..texts.len() as Code).map(&mut code).collect();
    let least = |trace: u32| (rule.k)(trace).max(own);
    let strict = max_suppressed == 0 && !policy.search.local;
    Some(Nesting::new(measured.len(), codes, (&least, &rule.values), strict))
}

/// If a model holds because the choice of the release does not depend on values, no other model may
/// use them: what it suppresses would reveal them.
pub(super) fn unseen(policy: &Policy, models: &[Box<dyn PrivacyModel>]) -> Result<()> {
    let Some(blind) = models.iter().find(|model| model.facts().value_independent) else { return Ok(()) };
    let looks = models.iter().map(|model| model.facts());
    let looks = looks.filter(|facts| !facts.value_independent && !facts.needs.is_empty());
    // What is deleted reveals values, too.
    let quasi = policy.with_role(Role::Quasi);
    let deletes = policy.deletions().map(|(_, asked)| asked);
    let deletes = deletes.filter(|asked| asked.columns(policy).iter().any(|name| !quasi.contains(name)));
    let deletes = deletes.map(|asked| ModelSpec::RareValues(asked.clone()).claim());
    let looks = looks.map(|facts| facts.claim.clone()).chain(deletes);
    let fault = |looks: String| {
        let blind = &blind.facts().claim;
        fault!(
            Input,
            "model.depends-on-values",
            "\"{model}\" makes the release depend on values, and \"{other}\" holds only where it does not",
            model = looks,
            other = blind
        )
        .key("privacy.models")
        .help("remove one of the two")
    };
    Error::check(looks.map(fault).collect())
}

/// MaxSup f of n rows: floor(f·n). A product a rounding error short of a whole number is that
/// number.
pub fn max_suppressed(share: f64, rows: u64) -> u64 {
    let product = share * rows as f64;
    let nearest = product.round();
    let exact = if (product - nearest).abs() <= 1e-9 * nearest.max(1.0) { nearest } else { product.floor() };
    (exact as u64).min(rows)
}

/// The rows that may be suppressed after those that are deleted.
pub(super) fn within_limit(policy: &Policy, rows: u64, deletion: Option<&Deletion>) -> Result<u64> {
    let most = match policy.suppression() {
        Limit::Share(share) => max_suppressed(share, rows),
        Limit::Rows(most) => most.min(rows),
    };
    Error::check(deletion.and_then(|deletion| deletion.beyond(policy, most)).into_iter().collect())?;
    Ok(most - deletion.map_or(0, |deletion| deletion.facts().rows))
}

/// The tuples with what models look at: values of people who have one in the whole table.
fn judged_values(
    policy: &Policy,
    measured: &[String],
    (dictionaries, quasi): (&mut [Dictionary], usize),
    tuples: Tuples,
    subject: usize,
) -> Tuples {
    let judged = policy.judged();
    let judged = (0..measured.len()).filter(|&at| judged.contains(measured[at].as_str()));
    let columns: Vec<(usize, Code)> =
        judged.map(|at| (quasi + at, dictionaries[quasi + at].add(None, 0))).collect();
    if columns.is_empty() {
        return tuples;
    }
    let missing = |column: usize, code: Code| {
        dictionaries[column].value(code).is_none_or(|v| policy.input.null.iter().any(|n| n == v))
    };
    single_values(&tuples, &columns, quasi + subject, missing)
}

/// How many of the people of a table may lose all their rows.
pub(super) fn people_limit(policy: &Policy, people: u64) -> PeopleLimit {
    let max_withheld = match policy.suppression() {
        Limit::Share(share) => max_suppressed(share, people),
        Limit::Rows(most) => most.min(people),
    };
    PeopleLimit { people, max_withheld }
}

/// The people of a table; everybody must be named.
fn people(policy: &Policy, raw: &Dictionary) -> Result<u64> {
    let missing = |code: &Code| raw.value(*code).is_none_or(|v| policy.input.null.iter().any(|n| n == v));
    let codes = || (0..raw.len() as Code).filter(|&code| raw.count(code) > 0);
    let rows: u64 = codes().filter(&missing).map(|code| raw.count(code)).sum();
    if rows == 0 {
        return Ok(codes().count() as u64);
    }
    let name = policy.subject().unwrap_or_default();
    Err(fault!(
        Data,
        "people.row-without-subject",
        "{rows} rows do not say which person they belong to",
        rows = rows
    )
    .column(name)
    .help("leave such rows out with input.where, or give each an id of its own")
    .into())
}

pub(super) fn enough_rows(policy: &Policy, rows: u64, people: Option<u64>) -> Result<()> {
    if rows == 0 {
        return Err(fault!(Data, "table.no-rows", "the table has no rows")
            .help("there is nothing to release")
            .into());
    }
    let mut faults = Vec::new();
    let groups = policy.privacy.quasi.iter().map(|(n, g)| (format!("privacy.quasi.{n}.k"), g.k));
    let key = if policy.privacy.anonymity.is_some() { "privacy.anonymity" } else { "privacy.k" };
    for (key, k) in policy.privacy.k().map(|k| (key.to_owned(), k)).into_iter().chain(groups) {
        if k > rows {
            faults.push(
                fault!(
                    Data,
                    "model.k-above-rows",
                    "k = {k} is larger than the table, which has {rows} rows",
                    k = k,
                    rows = rows
                )
                .key(key)
                .help("no generalization can reach it: lower k, or release more rows at once"),
            );
        }
    }
    if let (Some(people), Some(k)) = (people, policy.privacy.k())
        && k > people
        && k <= rows
    {
        faults.push(
            fault!(
                Data,
                "people.k-above-people",
                "k = {k} is larger than the number of people in the table, which is {people}",
                k = k,
                people = people
            )
            .key(key)
            .help("no generalization can reach it: lower k, or release more people at once"),
        );
    }
    Error::check(faults)
}

/// The hierarchies of some columns as specified by a policy, and the way from each dictionary to
/// the leaves.
///
/// # Errors
/// Hierarchies that cannot be built or lack values, all of them.
pub fn hierarchies(
    policy: &Policy,
    names: &[String],
    dictionaries: &[Dictionary],
    load: Load<'_>,
) -> Result<(Vec<Hierarchy>, Vec<Vec<Code>>)> {
    let mut faults = Vec::new();
    let mut hierarchies = Vec::new();
    let mut maps = Vec::new();
    for (name, raw) in names.iter().zip(dictionaries) {
        match hierarchy(policy, name, raw, load) {
            Ok((hierarchy, map)) => {
                hierarchies.push(hierarchy);
                maps.push(map);
            }
            Err(error) => faults.extend(error.faults().iter().cloned().map(|f| placed(f, name))),
        }
    }
    Error::check(faults)?;
    Ok((hierarchies, maps))
}

/// A mistake in what the policy asks for is shown there; one in the data names the column.
fn placed(fault: Fault, name: &str) -> Fault {
    let asked = fault.kind == Kind::Input && fault.place.file.is_none();
    match (asked, fault.place.key.as_deref()) {
        (false, _) => fault.column(name),
        // A part of a poset says so itself.
        (true, Some(part)) => {
            let key = format!("columns.{name}.{part}");
            fault.key(key)
        }
        (true, None) => fault.key(format!("columns.{name}.hierarchy")),
    }
}

/// A column's hierarchy, and the way from its dictionary to the leaves.
fn hierarchy(
    policy: &Policy,
    name: &str,
    raw: &Dictionary,
    load: Load<'_>,
) -> Result<(Hierarchy, Vec<Code>)> {
    let spec = policy.columns.get(name).map_or(hierarchy::Spec::Suppress, |c| c.hierarchy());
    let value = |code: Code| raw.value(code).filter(|v| !policy.input.null.iter().any(|n| n == v));
    let mut present = Dictionary::new();
    for code in raw.by_value() {
        present.add(value(code), raw.count(code));
    }
    let hierarchy = hierarchy::build(&spec, &present, load)?;
    Error::check(missing_labels(policy, &hierarchy))?;
    let map = (0..raw.len() as Code)
        .map(|code| {
            hierarchy.leaf(value(code)).ok_or_else(|| {
                Error::from(Fault::bug(format!("value `{}` is not a leaf", value(code).unwrap_or_default())))
            })
        })
        .collect::<Result<_>>()?;
    Ok((hierarchy, map))
}

/// A measured column's labels and the way from its dictionary to them: missing, however it is
/// written, is one label.
fn labels(policy: &Policy, raw: &Dictionary) -> (Dictionary, Vec<Code>) {
    let value = |code: Code| raw.value(code).filter(|v| !policy.input.null.iter().any(|n| n == v));
    recoded(raw, value)
}

/// The texts that the values of a dictionary become, and the way from its codes to theirs.
fn recoded<'a>(raw: &'a Dictionary, text: impl Fn(Code) -> Option<&'a str>) -> (Dictionary, Vec<Code>) {
    let (mut texts, mut map) = (Dictionary::new(), vec![0; raw.len()]);
    for code in raw.by_value() {
        map[code as usize] = texts.add(text(code), raw.count(code));
    }
    (texts, map)
}

fn is_target(policy: &Policy, name: &str) -> bool {
    policy.columns.get(name).is_some_and(|column| column.role == Role::Target)
}

/// Labels that a recipient would read as a missing cell.
fn missing_labels(policy: &Policy, hierarchy: &Hierarchy) -> Vec<Fault> {
    let labels = |level: usize| (0..hierarchy.size(level)).map(move |c| hierarchy.label(level, c as Code));
    let all = (1..=hierarchy.height()).flat_map(labels).flatten();
    let null = |label: &&str| policy.input.null.iter().any(|n| n == label);
    let found = all.filter(null).map(|label| {
        fault!(
            Input,
            "hierarchy.label-means-missing",
            "the hierarchy has a label `{label}`, which input.null says is missing",
            label = label
        )
        .help("give the label another name, or take the text out of input.null")
    });
    found.take(1).collect()
}

/// The loss of the policy.
pub(super) fn loss(
    policy: &Policy,
    marginals: &Marginals,
    weights: &[f64],
    (utility, max_suppressed): (Option<&Arc<Utility>>, u64),
) -> Result<Box<dyn Loss>> {
    match utility.filter(|utility| utility.is_loss()) {
        Some(utility) => Ok(loss::of_widths(Arc::clone(utility), max_suppressed > 0)),
        None => loss::build(&policy.search.loss.parameters(), marginals, weights),
    }
}

/// The nodes that the policy allows, without levels at which its statistics can never be bounded
/// narrowly enough. Rounds release few rows at each node, so that all levels stay.
pub(super) fn lattice(
    policy: &Policy,
    names: &[String],
    hierarchies: &[Hierarchy],
    (utility, max_suppressed): (Option<&Utility>, u64),
) -> Result<Lattice> {
    let whole = lattice_below(policy, names, hierarchies, &[])?;
    let cuts = match utility.filter(|_| !policy.search.local && !policy.forms_regions()) {
        Some(utility) => utility.highest_levels(max_suppressed > 0),
        None => Vec::new(),
    };
    if cuts.is_empty() {
        return Ok(whole);
    }
    // Where least levels are higher than that, nothing can be released, and the check of the
    // statistics says why.
    Ok(lattice_below(policy, names, hierarchies, &cuts).unwrap_or(whole))
}

fn lattice_below(
    policy: &Policy,
    names: &[String],
    hierarchies: &[Hierarchy],
    cuts: &[(usize, usize)],
) -> Result<Lattice> {
    let limits = |(at, (name, hierarchy)): (usize, (&String, &Hierarchy))| {
        let given = policy.columns.get(name);
        let cut = cuts.iter().find(|(column, _)| *column == at).map(|(_, level)| *level);
        let max = given.and_then(|column| column.max_level);
        Limits {
            name: name.clone(),
            height: hierarchy.height(),
            min: given.and_then(|column| column.min_level),
            max: cut.into_iter().chain(max).min(),
        }
    };
    let limits: Vec<Limits> = names.iter().zip(hierarchies).enumerate().map(limits).collect();
    let position = |name: &String| names.iter().position(|n| n == name);
    let linked: Vec<Vec<usize>> =
        policy.search.linked.iter().map(|group| group.iter().filter_map(position).collect()).collect();
    Lattice::new(&limits, &linked)
}

pub(super) fn models(
    policy: &Policy,
    names: &[String],
    subject: Option<usize>,
    cancel: &Cancel,
) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let wildcard = policy.input.missing == Missing::Wildcard;
    if wildcard && names.len() > 128 {
        return Err(fault!(
            Input,
            "search.too-many-wildcard-columns",
            "missing = \"wildcard\" is possible for at most {limit} quasi-identifiers",
            limit = 128
        )
        .key("input.missing")
        .into());
    }
    let mut models: Vec<Box<dyn PrivacyModel>> = Vec::new();
    if policy.input.missing == Missing::Suppress {
        models.push(Box::new(NoMissing::default()));
    }
    if let Some(k) = policy.privacy.k() {
        models.push(match subject {
            Some(column) => Box::new(Subjects::new(k, column)),
            None => Box::new(KAnonymity::new(k, wildcard).stopping(cancel.clone())),
        });
    }
    for (name, group) in &policy.privacy.quasi {
        let columns = group.columns.iter().filter_map(|c| names.iter().position(|n| n == c)).collect();
        let model = KAnonymity::of_group(group.k, wildcard, name, columns);
        models.push(Box::new(model.stopping(cancel.clone())));
    }
    Ok(models)
}

/// The models of `privacy.models`, with the names and values of the measured columns and the rows
/// that may be suppressed.
pub(super) fn asked_models(
    policy: &Policy,
    names: &[String],
    (measured, texts): (&[String], &[&Dictionary]),
    (classes, hierarchies): (&Classes, &[Hierarchy]),
    (max_suppressed, deletion): (u64, Option<&Deletion>),
    (load, watch): (Load<'_>, &Watch),
) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let rows: Vec<Vec<u64>> =
        classes.histograms().iter().zip(texts).map(|(h, texts)| occurrences(h, texts.len())).collect();
    let values = |at: usize| Values {
        name: &measured[at],
        measured: at,
        texts: texts[at],
        rows: &rows[at],
        hierarchy: None,
        listed: false,
    };
    let values: Vec<Values<'_>> = (0..measured.len()).map(values).collect();
    let setting = Setting {
        column: None,
        quasi: names,
        measured: &values,
        rows: classes.rows(),
        classes: Some(classes),
        hierarchies,
        max_suppressed,
        // Rounds suppress rows, whatever is left in the end.
        strict: max_suppressed == 0 && !policy.search.local,
        guard: None,
        k: policy.privacy.k(),
        deletion,
        watch: Some(watch),
    };
    let mut faults = Vec::new();
    let mut models = Vec::new();
    for (at, asked) in policy.privacy.models.iter().enumerate() {
        match asked_model(policy, (at, asked), setting, load) {
            Ok(model) => models.extend([model].into_iter().chain(model::other_half(asked))),
            Err(wrong) => faults.extend(wrong),
        }
    }
    Error::check(faults)?;
    Ok(models)
}

/// One of them, or what is wrong with it.
fn asked_model(
    policy: &Policy,
    (at, asked): (usize, &ModelSpec),
    setting: Setting<'_>,
    load: Load<'_>,
) -> std::result::Result<Box<dyn PrivacyModel>, Vec<Fault>> {
    let key = format!("privacy.models.{at}.{}", asked.key());
    if let Some(column) = policy.linkable(asked) {
        return linkable_model(&key, asked, column, &setting);
    }
    let Some(name) = asked.column() else {
        // Guarding nodes are not released, so models of released columns do not see them.
        let shown = setting.measured.iter().filter(|values| !policy.guards().contains(values.name));
        let shown: Vec<Values<'_>> = shown.copied().collect();
        return built(&key, asked, &Setting { measured: &shown, ..setting });
    };
    let Some(plain) = setting.measured.iter().find(|values| values.name == name) else {
        return Err(vec![Fault::bug(format!("the column of \"{}\" was not measured", asked.claim()))]);
    };
    let spec = policy.columns.get(name).and_then(|c| c.hierarchy.as_ref());
    let spec = spec.filter(|_| asked.reads_hierarchy());
    let hierarchy = spec.map(|spec| hierarchy::build(spec, plain.texts, load)).transpose();
    let hierarchy =
        hierarchy.map_err(|e| e.faults().iter().cloned().map(|f| placed(f, name)).collect::<Vec<_>>())?;
    let listed = matches!(spec, Some(hierarchy::Spec::File(_)));
    let column = Values { hierarchy: hierarchy.as_ref(), listed, ..*plain };
    let guard = setting.measured.iter().find(|values| asked.guard() == Some(values.name));
    built(&key, asked, &Setting { column: Some(&column), guard, ..setting })
}

/// The model of a quasi-identifier, by its labels at every level.
fn linkable_model(
    key: &str,
    asked: &ModelSpec,
    name: &str,
    setting: &Setting<'_>,
) -> std::result::Result<Box<dyn PrivacyModel>, Vec<Fault>> {
    let missing = || vec![Fault::bug(format!("the column of \"{}\" was not grouped", asked.claim()))];
    let column = setting.quasi.iter().position(|quasi| quasi == name).ok_or_else(missing)?;
    let (hierarchy, classes) = (&setting.hierarchies[column], setting.classes.ok_or_else(missing)?);
    let mut leaves = vec![0; hierarchy.leaf_count()];
    for (class, &count) in classes.counts().iter().enumerate() {
        leaves[classes.code(class, column) as usize] += u64::from(count);
    }
    let mut levels = Vec::new();
    for level in 0..=hierarchy.height() {
        let labels = (0..hierarchy.size(level)).map(|code| hierarchy.label(level, code as Code));
        let (texts, mut rows) = (Dictionary::of(labels), vec![0; hierarchy.size(level)]);
        for (leaf, count) in leaves.iter().enumerate() {
            rows[hierarchy.generalize(leaf as Code, level) as usize] += count;
        }
        if texts.len() != rows.len() {
            return Err(vec![Fault::bug(format!("labels of `{name}` at level {level} are alike"))]);
        }
        let values = Values { name, measured: 0, texts: &texts, rows: &rows, hierarchy: None, listed: false };
        let setting = Setting { column: Some(&values), ..*setting };
        levels.push(match level {
            0 => built(key, asked, &setting)?,
            // A level may have fewer labels than the model needs, and is unsafe then.
            _ => model::build(asked, &setting).map_err(|error| error.faults().to_vec())?,
        });
    }
    let monotone = setting.strict && model::safe_when_coarser(asked);
    let model = Linkable::new(column, levels, monotone).map_err(|error| error.faults().to_vec())?;
    Ok(Box::new(model))
}

/// The model under a key, unless the table cannot reach what it asks for.
fn built(
    key: &str,
    asked: &ModelSpec,
    setting: &Setting<'_>,
) -> std::result::Result<Box<dyn PrivacyModel>, Vec<Fault>> {
    let beyond = model::unreachable(asked, setting).map(|fault| under(key, fault));
    match (model::build(asked, setting), beyond) {
        (Ok(model), None) => Ok(model),
        (Ok(_), Some(beyond)) => Err(vec![beyond]),
        (Err(error), _) if error.is_cancelled() => Err(error.faults().to_vec()),
        (Err(error), beyond) => {
            let failed = error.faults().iter().cloned().map(|fault| under(key, fault));
            Err(beyond.into_iter().chain(failed).collect())
        }
    }
}

/// A fault of a parameter, as one of the policy.
fn under(key: &str, fault: Fault) -> Fault {
    let key = fault.place.key.as_ref().map_or_else(|| key.to_owned(), |part| format!("{key}.{part}"));
    fault.key(key)
}

/// Code → rows, over all classes.
fn occurrences(histogram: &Histogram, codes: usize) -> Vec<u64> {
    let mut rows = vec![0; codes];
    for class in 0..histogram.len() {
        let (codes, counts) = histogram.class(class);
        codes.iter().zip(counts).for_each(|(&code, &count)| rows[code as usize] += u64::from(count));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::max_suppressed;

    #[test]
    fn the_limit_is_the_floor_but_not_one_short_by_rounding() {
        assert_eq!(max_suppressed(0.05, 30162), 1508);
        assert_eq!(max_suppressed(0.07, 100), 7); // 7.000000000000001
        assert_eq!(max_suppressed(0.29, 100), 29); // 28.999999999999996
        assert_eq!(max_suppressed(0.0, 10), 0);
        assert_eq!(max_suppressed(1.0, 10), 10);
        assert_eq!(max_suppressed(0.049, 100), 4);
    }
}
