//! Models of sensitive columns against their definitions, on random classes and in random searches.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::hierarchy::{Hierarchy, Path};
use throng::model::{self, Bound, Class, PrivacyModel, Setting, Values};
use throng::policy::{
    AlphaK, BetaLikeness, DeltaDisclosure, Distance, Diversity, KE, LDiversity, Likeness, ModelKind,
    ModelSpec, TCloseness,
};
use throng::search::{Evaluator, Outcome, solve, strategy};
use throng::table::Dictionary;
use throng::watch::Watch;

use crate::definitions::{self, Need, Whole};
use crate::instances::{instance, levels, problem};
use crate::naive::Instance;

/// The value that stands for a missing cell.
pub const MISSING: usize = 3;

fn diversity(kind: Diversity, l: f64, c: Option<f64>) -> ModelSpec {
    ModelSpec::LDiversity(LDiversity { column: "s".into(), kind, l, c })
}

fn closeness(distance: Distance, t: f64) -> ModelSpec {
    ModelSpec::TCloseness(TCloseness { column: "s".into(), distance, t, order: None })
}

fn alpha_k(alpha: f64, values: Option<Vec<String>>) -> ModelSpec {
    ModelSpec::AlphaK(AlphaK { column: "s".into(), alpha, values })
}

fn delta_disclosure(delta: f64) -> ModelSpec {
    ModelSpec::DeltaDisclosure(DeltaDisclosure { column: "s".into(), delta })
}

fn k_e(k: Option<u64>, e: f64) -> ModelSpec {
    ModelSpec::KE(KE { column: "s".into(), e, k })
}

fn beta_likeness(beta: f64, kind: Likeness) -> ModelSpec {
    ModelSpec::BetaLikeness(BetaLikeness { column: "s".into(), beta, kind })
}

/// Models that judge a class by its values, as the definitions list them.
pub fn spec() -> impl Strategy<Value = ModelSpec> {
    let read = |text: String| -> ModelSpec {
        let mut table: BTreeMap<String, ModelSpec> = toml::from_str(&format!("model = {text}")).unwrap();
        table.remove("model").unwrap()
    };
    prop::sample::select(definitions::models("s", "s").into_iter().map(read).collect::<Vec<_>>())
}

/// The label of a value below the top: 0 and 1 are of a kind, and so are all others.
fn label(value: usize) -> String {
    if value < 2 { "a" } else { "b" }.into()
}

/// 0, 1, 2, missing, 4, and so on.
fn hierarchy() -> Hierarchy {
    let path = |v: usize| Path { leaf: v.to_string(), labels: vec![label(v)] };
    Hierarchy::new((0..60).filter(|&v| v != MISSING).map(path).collect(), true).unwrap()
}

/// A model of a measured column that has these values in the whole table.
pub fn built_in(asked: &ModelSpec, measured: usize, table: &[usize], strict: bool) -> Box<dyn PrivacyModel> {
    let names: Vec<String> = (0..60).map(|v| v.to_string()).collect();
    let texts = Dictionary::of(names.iter().enumerate().map(|(v, s)| (v != MISSING).then_some(s.as_str())));
    let mut rows = vec![0; 60];
    table.iter().for_each(|&value| rows[value] += 1);
    let hierarchy = hierarchy();
    let column =
        Values { name: "s", measured, texts: &texts, rows: &rows, hierarchy: Some(&hierarchy), listed: true };
    model::build(asked, &Setting { column: Some(&column), strict, k: Some(2), ..Setting::default() }).unwrap()
}

fn built(asked: &ModelSpec, strict: bool) -> Box<dyn PrivacyModel> {
    built_in(asked, 0, &[0, 1, 2, 4], strict)
}

/// An order has no place for a missing cell.
pub fn placed(asked: &ModelSpec, values: &[usize]) -> Vec<usize> {
    let ordered = definitions::refuses_missing(asked);
    values.iter().map(|&v| if ordered && v == MISSING { 4 } else { v }).collect()
}

/// How often each value occurs.
fn counted(values: &[usize]) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    counts
}

/// What rows with these values reach, and what they must, by the definition.
fn reached(asked: &ModelSpec, values: &[usize], table: &[usize]) -> (f64, Need) {
    let cells = |values: &[usize]| -> Vec<Option<String>> {
        values.iter().map(|v| (*v != MISSING).then(|| v.to_string())).collect()
    };
    let labels = |text: &str| vec![label(text.parse().unwrap())];
    let whole = Whole { cells: &cells(table), labels: &labels, k: Some(2) };
    definitions::reached(asked, &cells(values), &whole).expect("a class-wise model")
}

/// Whether rows with these values are safe, by the definition.
pub fn safe(asked: &ModelSpec, values: &[usize], table: &[usize]) -> bool {
    let (figure, need) = reached(asked, values, table);
    need.met(figure)
}

/// What the crate makes of rows with these values.
fn figure(model: &dyn PrivacyModel, values: &[usize]) -> f64 {
    let (codes, counts): (Vec<u32>, Vec<u32>) =
        counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
    let model = model.scope().class_model().expect("a class-wise model");
    model.figure(Class { codes: &codes, counts: &counts })
}

/// What the crate says of rows with these values.
fn judged(model: &dyn PrivacyModel, values: &[usize]) -> bool {
    let bound = model.scope().class_model().expect("a class-wise model").class_facts().bound;
    bound.holds(figure(model, values))
}

/// The rows that k or the model leaves unsafe at a node.
fn unsafe_rows(instance: &Instance, asked: &ModelSpec, table: &[usize], node: &[usize]) -> u64 {
    let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (row, &value) in instance.rows.iter().zip(table) {
        let label = |c: usize| instance.columns[c].paths[row[c]][node[c]];
        classes.entry((0..row.len()).map(label).collect()).or_default().push(value);
    }
    let flagged = classes.values().filter(|values| values.len() < instance.k || !safe(asked, values, table));
    flagged.map(|values| values.len() as u64).sum()
}

/// A model that is not listed is not tested, in the search or in the verifier.
#[test]
fn every_model_of_a_column_is_tried() {
    // These are not class-wise, and have tests of their own.
    let apart = [ModelKind::Personalized, ModelKind::CkSafety, ModelKind::MConfidentiality];
    let models = definitions::models("s", "s");
    for kind in ModelKind::ALL.iter().filter(|kind| kind.entry().needs_column && !apart.contains(kind)) {
        let listed = models.iter().any(|model| model.starts_with(&format!("{{ {kind} = ")));
        assert!(listed, "{kind} is not in crates/verify/src/tests/definitions.rs");
    }
}

proptest! {
    #[test]
    fn a_class_is_judged_by_the_definition(
        asked in spec(),
        values in prop::collection::vec(0usize..5, 1..25),
        others in prop::collection::vec(0usize..5, 0..25),
    ) {
        let values = placed(&asked, &values);
        let table = [values.clone(), placed(&asked, &others)].concat();
        let model = built_in(&asked, 0, &table, false);
        prop_assert_eq!(judged(&*model, &values), safe(&asked, &values, &table));
        let (here, (there, need)) = (figure(&*model, &values), reached(&asked, &values, &table));
        prop_assert!(here == there || (here - there).abs() <= 1e-9 * there.abs().max(1.0), "{here}, not {there}");
        prop_assert_eq!(model.scope().class_model().unwrap().class_facts().bound.required(), need.number());
        prop_assert_eq!(model.facts().requirement, asked.kind().into());
        prop_assert_eq!(&model.facts().claim, &asked.claim());
    }

    #[test]
    fn safe_classes_stay_safe_together_and_monotone_ones_with_any(
        asked in spec(),
        a in prop::collection::vec(0usize..5, 1..12),
        b in prop::collection::vec(0usize..5, 1..12),
    ) {
        let (a, b) = (placed(&asked, &a), placed(&asked, &b));
        let both = [a.clone(), b.clone()].concat();
        let model = built_in(&asked, 0, &[&both[..], &[0, 1, 1, 4]].concat(), false);
        let (a, b) = (judged(&*model, &a), judged(&*model, &b));
        prop_assert!(!(a && b) || judged(&*model, &both));
        prop_assert!(!(a && model.facts().monotone) || judged(&*model, &both));
        prop_assert!(built(&asked, true).facts().monotone);
        // Whether rows may be suppressed makes no difference to what a class absorbs.
        let strict = built_in(&asked, 0, &[&both[..], &[0, 1, 1, 4]].concat(), true);
        let absorbs = |model: &dyn PrivacyModel| model.scope().class_model().unwrap().class_facts().absorbs;
        prop_assert_eq!(absorbs(&*strict), absorbs(&*model));
        prop_assert!(!(a && absorbs(&*strict)) || judged(&*strict, &both));
    }

    /// What a search prunes by: however a class is split, no more is released than the model says
    /// it can be.
    #[test]
    fn no_split_releases_more_than_can_be(
        asked in spec(),
        rows in prop::collection::vec((0usize..5, 0usize..4), 1..40),
        others in prop::collection::vec(0usize..5, 0..40),
    ) {
        let (values, parts): (Vec<usize>, Vec<usize>) = rows.into_iter().unzip();
        let values = placed(&asked, &values);
        let table = [values.clone(), placed(&asked, &others)].concat();
        let model = built_in(&asked, 0, &table, false);
        let part = |at: usize| -> Vec<usize> {
            values.iter().zip(&parts).filter(|(_, part)| **part == at).map(|(value, _)| *value).collect()
        };
        let released: usize =
            (0..4).map(part).filter(|p| !p.is_empty() && judged(&*model, p)).map(|p| p.len()).sum();
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(&values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        let behind = model.scope().class_model().unwrap().unreleasable_rows(Class { codes: &codes, counts: &counts });
        prop_assert!(released as f64 + behind <= values.len() as f64 + 1e-6, "{released} and {behind}");
        for part in (0..4).map(part).filter(|p| !p.is_empty() && judged(&*model, p)) {
            prop_assert!(part.len() as u64 >= model.facts().min_safe_rows);
        }
    }

    #[test]
    fn searches_with_a_model_find_what_brute_force_finds(instance in instance(), asked in spec()) {
        let instance = Instance { groups: Vec::new(), ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let column = instance.labels.len() - 1;
        let table = &instance.labels[column];
        prop_assume!(*table == placed(&asked, table));
        std::sync::Arc::get_mut(&mut problem.models).unwrap().push(built_in(&asked, column, table, problem.max_suppressed == 0));
        let mut evaluator = Evaluator::new(&problem);
        let mut best: Option<f64> = None;
        for node in problem.lattice.iter() {
            let judgement = evaluator.judge(&node);
            prop_assert_eq!(judgement.suppressed, unsafe_rows(&instance, &asked, table, &levels(&node)));
            if judgement.safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        for name in ["mingen", "auto", "ola"] {
            let strategy = strategy(name.parse().unwrap()).unwrap();
            if let Some(fault) = strategy.refuses(&problem) {
                let monotone = problem.models.iter().all(|m| m.facts().monotone);
                prop_assert!(name == "ola" && !(monotone && problem.loss.monotone()), "{}", fault);
                continue;
            }
            match (solve(&problem, strategy, &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, gap }, Some(best)) => {
                    prop_assert_eq!(gap, 0.0);
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }
}

/// [Machanavajjhala 2006]: 4-anonymous patients; one class has cancer only, and one has three
/// illnesses, half of them heart disease.
#[test]
fn the_textbook_classes() {
    let cancer = [0, 0, 0, 0];
    let mixed = [0, 1, 1, 2];
    for (kind, l, c) in [
        (Diversity::Distinct, 2.0, None),
        (Diversity::Entropy, 2.0, None),
        (Diversity::Recursive, 2.0, Some(3.0)),
    ] {
        let model = built(&diversity(kind, l, c), false);
        assert!(!judged(&*model, &cancer), "k-anonymity lets it through, {kind:?} does not");
        assert!(judged(&*model, &mixed), "{kind:?}");
    }
    let figure = |kind, l, c, values: &[usize]| {
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        let model = built(&diversity(kind, l, c), false);
        model.scope().class_model().unwrap().figure(Class { codes: &codes, counts: &counts })
    };
    assert_eq!(figure(Diversity::Distinct, 2.0, None, &mixed), 3.0);
    // 2^1.5: half, a quarter, a quarter.
    assert!((figure(Diversity::Entropy, 2.0, None, &mixed) - 8f64.sqrt()).abs() < 1e-12);
    // r₁ = 2, r₂ + r₃ = 2, so c must be above 1.
    assert_eq!(figure(Diversity::Recursive, 2.0, Some(3.0), &mixed), 1.0);
    assert!(!judged(&*built(&diversity(Diversity::Recursive, 2.0, Some(1.0)), false), &mixed));
    assert!(!Bound::Below(1.0).holds(1.0) && Bound::AtMost(1.0).holds(1.0));
}

#[test]
fn many_values_are_ordered_too() {
    // l above what is kept in place: r₁ = 41, the rows of the 40 most frequent are left out.
    let values: Vec<usize> = (0..42).flat_map(|v| vec![v + 10; v + 1]).collect();
    let rare = 1 + 2;
    let bound = |c: f64| judged(&*built(&diversity(Diversity::Recursive, 41.0, Some(c)), false), &values);
    assert!(bound(42.0 / f64::from(rare) + 0.1) && !bound(42.0 / f64::from(rare) - 0.1));
}

#[test]
fn a_missing_cell_protects_nobody() {
    for (kind, c) in
        [(Diversity::Distinct, None), (Diversity::Entropy, None), (Diversity::Recursive, Some(9.0))]
    {
        let model = built(&diversity(kind, 2.0, c), false);
        assert!(!judged(&*model, &[0, 0, MISSING, MISSING]), "{kind:?}");
        assert!(!judged(&*model, &[MISSING, MISSING]), "{kind:?}");
        assert!(judged(&*model, &[0, 1, MISSING, MISSING, MISSING]), "{kind:?}");
    }
}

/// Li et al. 2007: incomes of 3 to 11 thousand; a class of 3, 4, 5 is further from the table than
/// one of 6, 8, 11.
#[test]
fn the_textbook_distances() {
    let table = [3, 4, 5, 6, 7, 8, 9, 10, 11];
    let figure = |distance, values: &[usize], table: &[usize]| {
        let model = built_in(&closeness(distance, 0.5), 0, table, false);
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        model.scope().class_model().unwrap().figure(Class { codes: &codes, counts: &counts })
    };
    // 3 stands for a missing cell here, so everything is one further.
    let further = |values: &[usize]| values.iter().map(|v| v + 1).collect::<Vec<_>>();
    let table = further(&table);
    assert!((figure(Distance::Ordered, &further(&[3, 4, 5]), &table) - 0.375).abs() < 1e-12);
    assert!((figure(Distance::Ordered, &further(&[6, 8, 11]), &table) - 1.0 / 6.0).abs() < 1e-12);
    assert!((figure(Distance::Equal, &further(&[3, 4, 5]), &table) - 2.0 / 3.0).abs() < 1e-12);
    // Half of the table is of either kind; one value alone moves a quarter near and a half far.
    let near = 0.25 * 0.5 + 0.5;
    assert!((figure(Distance::Hierarchical, &[0, 0], &[0, 1, 2, 4]) - near).abs() < 1e-12);
    assert!(figure(Distance::Hierarchical, &[0, 1, 2, 4], &[0, 1, 2, 4]).abs() < 1e-12);
    // k-anonymity and distinct diversity let a skewed class through.
    let skewed = [0, 0, 0, 0, 0, 0, 0, 1];
    let even: Vec<usize> = (0..40).map(|v| v % 2).collect();
    assert!(judged(&*built(&diversity(Diversity::Distinct, 2.0, None), false), &skewed));
    assert!(!judged(&*built_in(&closeness(Distance::Equal, 0.3), 0, &even, false), &skewed));
}

#[test]
fn an_order_must_be_known() {
    let texts = Dictionary::of([Some("low"), Some("high"), None]);
    let column = |rows: &'static [u64], listed: bool| Values {
        name: "s",
        measured: 0,
        texts: &texts,
        rows,
        hierarchy: None,
        listed,
    };
    let asked = |order: Option<&[&str]>| {
        let order = order.map(|order| order.iter().map(|v| (*v).to_owned()).collect());
        ModelSpec::TCloseness(TCloseness { column: "s".into(), distance: Distance::Ordered, t: 0.1, order })
    };
    let refused = |order: Option<&[&str]>, rows| {
        model::build(&asked(order), &Setting { column: Some(&column(rows, false)), ..Setting::default() })
            .err()
            .map(|error| error.to_string())
    };
    assert!(refused(None, &[1, 1, 0]).unwrap().contains("neither numbers nor dates"));
    assert!(refused(Some(&["low"]), &[1, 1, 0]).unwrap().contains("`high` of `s` is not in the order"));
    assert!(refused(Some(&["low", "high"]), &[1, 1, 1]).unwrap().contains("missing cells"));
    assert_eq!(refused(Some(&["low", "middle", "high"]), &[1, 1, 0]), None);
}

/// [Wong 2006; Brickell 2008; Cao 2012], on counts that can be checked by hand.
#[test]
fn figures_of_shares() {
    let figure = |asked: &ModelSpec, values: &[usize], table: &[usize]| {
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        let model = built_in(asked, 0, table, false);
        model.scope().class_model().unwrap().figure(Class { codes: &codes, counts: &counts })
    };
    let table = [0, 1, 1, 1, 2, 2, 2, 2];
    let class = [0, 0, 1, 2];
    assert_eq!(figure(&alpha_k(0.5, None), &[0, 0, 1, MISSING], &table), 2.0 / 3.0);
    assert_eq!(figure(&alpha_k(0.5, Some(vec!["1".into()])), &class, &table), 0.25);
    assert_eq!(figure(&alpha_k(0.5, None), &[MISSING], &table), 0.0);
    // Shares 1/2, 1/4, 1/4 against 1/8, 3/8, 1/2.
    assert!((figure(&delta_disclosure(1.0), &class, &table) - 4f64.ln()).abs() < 1e-12);
    assert_eq!(figure(&delta_disclosure(1.0), &[0, 1], &table), f64::INFINITY, "2 is absent");
    assert!((figure(&beta_likeness(1.0, Likeness::Basic), &class, &table) - 3.0).abs() < 1e-12);
    // −ln(1/8) is above 1 but below 4.
    assert!(
        (figure(&beta_likeness(4.0, Likeness::Enhanced), &class, &table) - 12.0 / 8f64.ln()).abs() < 1e-12
    );
    assert_eq!(figure(&beta_likeness(1.0, Likeness::Enhanced), &[0, 0], &[0, 0]), 0.0);
}

/// [Zhang 2007]: a class of three different salaries that all lie between 50 and 52 thousand is
/// 3-anonymous and 3-diverse and still reveals each of them; one of 50, 55 and 70 thousand does
/// not.
#[test]
fn numbers_of_a_class_are_not_close_together() {
    let figure = |texts: &[Option<&str>], k: Option<u64>, values: &[usize]| {
        let texts = Dictionary::of(texts.iter().copied());
        let rows = vec![1; texts.len()];
        let column =
            Values { name: "s", measured: 0, texts: &texts, rows: &rows, hierarchy: None, listed: false };
        let setting = Setting { column: Some(&column), k: Some(3), ..Setting::default() };
        let model = model::build(&k_e(k, 10.0), &setting).map_err(|error| error.to_string())?;
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        Ok::<_, String>(model.scope().class_model().unwrap().figure(Class { codes: &codes, counts: &counts }))
    };
    let salaries = [Some("50"), Some("51.5"), Some("52"), Some("55"), Some("70"), Some(" 5e1 "), None];
    assert_eq!(figure(&salaries, None, &[0, 1, 2]), Ok(2.0));
    assert_eq!(figure(&salaries, None, &[0, 3, 4]), Ok(20.0));
    assert_eq!(figure(&salaries, None, &[0, 4]), Ok(0.0), "two are not three");
    assert_eq!(figure(&salaries, None, &[0, 4, 5]), Ok(0.0), "50 and 5e1 are one number");
    assert_eq!(figure(&salaries, Some(2), &[0, 4, 5]), Ok(20.0));
    assert_eq!(figure(&salaries, None, &[0, 4, 6]), Ok(0.0), "a missing cell is no number");
    assert_eq!(figure(&salaries, Some(1), &[6]), Ok(0.0));
    let said = figure(&[Some("50"), Some("much")], None, &[0]).unwrap_err();
    assert!(said.contains("value `much` of `s` is not a number"), "{said}");
}

#[test]
fn numbers_that_no_class_can_reach_are_said() {
    let texts = Dictionary::of([Some("1"), Some("4"), Some("1.0"), None]);
    let column =
        Values { name: "s", measured: 0, texts: &texts, rows: &[1; 4], hierarchy: None, listed: false };
    let said = |k: Option<u64>, e: f64| {
        let setting = Setting { column: Some(&column), k: Some(2), ..Setting::default() };
        model::unreachable(&k_e(k, e), &setting).map(|fault| fault.to_string())
    };
    assert_eq!(said(None, 3.0), None);
    assert!(said(None, 3.5).unwrap().contains("the numbers of `s` are 3 apart"));
    assert!(said(Some(3), 3.0).unwrap().contains("k = 3 but `s` has 2 different numbers"));
}
