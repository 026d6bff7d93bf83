//! Random tables: class sizes against all pairs, true releases pass, and every single change is
//! detected.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::classes::{MISSING, Tuples};
use super::super::groups::{Group, View, stable};
use super::super::pace::Pace;
use super::{Case, broken, strings};
use super::{definitions, naive_losses};
use throng_terms::hierarchy::Path;
use throng_terms::policy::{Missing, ModelKind};
use throng_terms::release::Certificate;
use throng_terms::watch::Watch;

/// Distinct tuples of small numbers, with counts.
fn classes() -> impl Strategy<Value = (Tuples, Vec<u64>)> {
    (1_usize..5).prop_flat_map(|width| {
        prop::collection::vec((prop::collection::vec(0_u32..3, width), 0_u64..4), 0..30).prop_map(
            move |rows| {
                let mut tuples = Tuples::new(width);
                let mut counts = Vec::new();
                for (tuple, count) in rows {
                    if tuples.intern(&tuple) == counts.len() {
                        counts.push(count);
                    }
                }
                (tuples, counts)
            },
        )
    })
}

/// One that never stops; it is leaked.
fn pace() -> Pace<'static> {
    Pace::new(Box::leak(Box::new(Watch::none())), 0)
}

fn missing() -> impl Strategy<Value = Missing> {
    select(vec![Missing::Value, Missing::Wildcard, Missing::Suppress])
}

/// All pairs.
fn naive_sizes(tuples: &Tuples, counts: &[u64], columns: &[usize], missing: Missing) -> Vec<u64> {
    let matches = |a: usize, b: usize| {
        columns.iter().all(|&c| {
            let (a, b) = (tuples.tuple(a)[c], tuples.tuple(b)[c]);
            a == b || missing == Missing::Wildcard && (a == MISSING || b == MISSING)
        })
    };
    let all = 0..counts.len();
    all.clone().map(|a| all.clone().filter(|&b| matches(a, b)).map(|b| counts[b]).sum()).collect()
}

/// Cells of five columns: a number from 0 to 5, or missing.
fn table() -> impl Strategy<Value = Vec<[Option<u8>; 5]>> {
    let cell = || prop_oneof![4 => (0_u8..6).prop_map(Some), 1 => Just(None)];
    prop::collection::vec([cell(), cell(), cell(), cell(), cell()], 1..25)
}

/// People who are not in the table, by their quasi-identifiers.
fn people() -> impl Strategy<Value = Vec<[Option<u8>; 3]>> {
    let cell = || prop_oneof![4 => (0_u8..6).prop_map(Some), 1 => Just(None)];
    prop::collection::vec([cell(), cell(), cell()], 0..25)
}

pub(super) fn case() -> impl Strategy<Value = Case> {
    prop::option::of(0_usize..3).prop_flat_map(case_at)
}

/// A case with the first sensitive column at a level, where its models allow that.
pub(super) fn case_at(level: Option<usize>) -> impl Strategy<Value = Case> {
    let policy = (
        missing(),
        select(vec!["dropped", "starred", "cells"]),
        select(vec![
            "k = 1",
            "k = 2",
            "k = 3\n[privacy.quasi.one]\ncolumns = [\"a\", \"b\"]\nk = 4",
            "[privacy.quasi]\none = { columns = [\"a\", \"b\"], k = 3 }\ntwo = { columns = [\"b\", \"c\"], k = 2 }",
        ]),
        select(naive_losses::traded()),
    );
    let models = select(vec![
        "",
        "{ t_closeness = { column = \"f\", distance = \"ordered\", t = 0.2 } }, { l_diversity = { column = \"f\", l = 2 } }",
        "{ p_sensitive = { column = \"d\", p = 2 } }, { alpha_k = { column = \"e\", alpha = 0.6, values = [\"1\", \"3\"] } }",
        "{ k_e = { column = \"f\", e = 2, k = 3 } }, { l_diversity = { column = \"f\", l = 2 } }",
        "{ personalized = { column = \"d\", guard = \"h\", breach = 0.5 } }",
        "{ personalized = { column = \"d\", guard = \"h\", breach = 0.7 } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ ck_safety = { column = \"d\", c = 0.9, knowledge = 1 } }",
        "{ ck_safety = { column = \"e\", c = 0.8, knowledge = 0 } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ ck_safety = { column = \"f\", c = 0.95, knowledge = 2 } }",
        "{ m_confidentiality = { column = \"d\", m = 1 } }",
        "{ delta_disclosure = { column = \"g\", delta = 1.1 } }",
        "{ beta_likeness = { column = \"d\", beta = 1.5 } }, { beta_likeness = { column = \"d\", beta = 2, kind = \"enhanced\" } }",
        "{ l_diversity = { column = \"e\", kind = \"entropy\", l = 2 } }, { l_diversity = { column = \"d\", l = 3 } }",
        "{ l_diversity = { column = \"a\", l = 2 } }",
        "{ l_diversity = { column = \"b\", kind = \"entropy\", l = 1.8 } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ l_diversity = { column = \"a\", kind = \"recursive\", l = 2, c = 2 } }, { average_risk = { max = 0.5 } }",
        "{ alpha_k = { column = \"a\", alpha = 0.7 } }, { p_sensitive = { column = \"b\", p = 2 } }",
        "{ t_closeness = { column = \"c\", t = 0.4 } }, { rare_values = { k = 2, judge = \"release\" } }",
        "{ n_t_closeness = { column = \"a\", n = 8, t = 0.3 } }, { ck_safety = { column = \"e\", c = 0.9, knowledge = 1 } }",
        "{ beta_likeness = { column = \"a\", beta = 1.5 } }, { rare_values = { k = 3, columns = [\"a\", \"b\"] } }",
        "{ beta_likeness = { column = \"b\", beta = 1.9, kind = \"enhanced\" } }, { k_map = { k = 3, population = \"p.csv\" } }",
        "{ delta_disclosure = { column = \"c\", delta = 1.9 } }, { t_closeness = { column = \"a\", t = 0.5 } }",
        "{ sample_uniqueness = { max = 0.2 } }",
        "{ average_risk = { max = 0.5 } }",
        "{ strict_average_risk = { max = 0.4, k = 2 } }, { sample_uniqueness = { max = 0.1 } }",
        "{ average_risk = { max = 0.6 } }, { rare_values = { k = 2, columns = [\"a\", \"d\"], judge = \"release\" } }",
        "{ population_uniqueness = { population = 60, max = 0.1, estimator = \"zayatz\" } }",
        "{ profitability = { publisher_benefit = 10, publisher_loss = 20, adversary_gain = 9, adversary_cost = 3, kind = \"payout\" } }",
        "{ profitability = { publisher_benefit = 10, publisher_loss = 20, adversary_gain = 9, adversary_cost = 3, kind = \"no_attack\" } }",
        "{ rare_values = { k = 2, judge = \"release\" } }",
        "{ rare_values = { k = 3 } }",
        "{ rare_values = { k = 2, delete = \"rows\" } }",
        "{ rare_values = { k = 3, columns = [\"a\", \"d\"], delete = \"rows\" } }, { rare_values = { k = 4, columns = [\"b\", \"e\"] } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ rare_values = { k = 4, columns = [\"c\", \"f\"] } }, { t_closeness = { column = \"f\", t = 0.3 } }",
        "{ rare_values = { k = 2, columns = [\"b\", \"d\"] } }, { rare_values = { k = 2, judge = \"release\" } }",
        "{ rare_values = { k = 3, columns = [\"b\", \"e\"], judge = \"release\" } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ sample_uniqueness = { max = 0.5 } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ k_map = { k = 4, population = \"p.csv\" } }",
        "{ j_anonymity = { k = 4, population = \"p.csv\" } }",
        "{ j_anonymity = { k = 5, population = \"p.csv\", people = 130, confidence = 0.87 } }",
        "{ j_anonymity = { k = 3, people = 900, confidence = 0.8 } }",
        "{ delta_presence = { population = \"p.csv\", max = 0.6 } }, { l_diversity = { column = \"d\", l = 2 } }",
        "{ delta_presence = { population = \"p.csv\", min = 0.2, max = 0.9 } }, { k_map = { k = 3, population = \"p.csv\" } }",
    ]);
    let models = prop_oneof![models.prop_map(String::from), select(definitions::models("d", "f")),];
    let steps = prop::collection::vec(prop::sample::subsequence(strings("a b c"), 1..=3), 0..4);
    (table(), people(), [0_usize..4, 0..4, 0..4], policy, steps, models).prop_map(
        move |(rows, people, levels, (missing, suppressed, privacy, loss), steps, models)| {
            // People are not counted where classes overlap, or in several forms.
            let counts = models.contains("p.csv") || models.contains("j_anonymity");
            let missing = if counts && missing == Missing::Wildcard { Missing::Value } else { missing };
            let suppressed = if counts { "dropped" } else { suppressed };
            // Labels of a quasi-identifier are counted at one level.
            let of = |columns: &[&str]| columns.iter().any(|c| models.contains(&format!("column = \"{c}\"")));
            let (linkable, sensitive) = (of(&["a", "b", "c"]), of(&["d", "e", "f", "g"]));
            let suppressed = if linkable && suppressed == "cells" { "dropped" } else { suppressed };
            // Starred rows are judged by no model, and some models need a k.
            let asks = |kind: &&ModelKind| models.contains(&format!("{{ {kind} =")) && kind.entry().needs_k;
            let takes_k = models.contains("{ k_e =") && !models.contains(", k = ");
            let needs_k = takes_k || ModelKind::ALL.iter().any(|kind| asks(&kind));
            let lacks_k = needs_k && !privacy.starts_with('k');
            let unjudged = match suppressed {
                "starred" => sensitive || models.contains("rare"),
                "cells" => models.contains("profit"),
                _ => false,
            };
            let (kind, loss) = (loss.kind, naive_losses::written(&loss));
            let depends = models.contains("m_conf") && kind.needs_target();
            // Unions of classes that are safe under these models may not be so.
            let unions = models.contains("personalized") && missing == Missing::Wildcard
                || suppressed == "cells" && (models.contains("personalized") || models.contains("ck_safety"));
            let models = if unjudged || lacks_k || depends || unions { "" } else { &models };
            // Rows of two steps may not be within the limit together.
            let whole = ["sample_", "average_", "population_"].iter().any(|model| models.contains(model));
            let file = (models.contains("hierarchical") || models.contains("personalized"))
                .then_some(", hierarchy = { file = \"d.csv\" }");
            // A level is not for models that read numbers or a hierarchy.
            let level = level.filter(|_| file.is_none() && !models.contains("k_e"));
            let level = level.map(|level| format!(", hierarchy = {{ file = \"d.csv\" }}, level = {level}"));
            let more = file.map(String::from).or(level).unwrap_or_default();
            let sensitive = format!("d = {{ role = \"sensitive\"{more} }}\n");
            let missing = format!("{missing:?}").to_lowercase();
            let policy = format!(
                "version = 1\n[input]\npath = \"x.csv\"\nmissing = \"{missing}\"\n\
             [output]\nsuppressed = \"{suppressed}\"\n\
             [columns]\na = {{ role = \"quasi\", weight = 0.5 }}\nb.role = \"quasi\"\nc.role = \"quasi\"\n\
             s.role = \"target\"\n{sensitive}e.role = \"sensitive\"\nf.role = \"sensitive\"\ng.role = \"sensitive\"\nh.role = \"drop\"\n\
             [search]\nloss = {loss}\n[privacy]\nsuppression = 1.0\nmodels = [{models}]\n{privacy}\n"
            );
            // "1" is a leaf and a label of level 2.
            let labels = |i: usize| vec![format!("{}x", i / 2), (i / 4).to_string()];
            let path = |i: usize| Path { leaf: i.to_string(), labels: labels(i) };
            let paths: Vec<Path> = (0..6).map(path).collect();
            // The sixth is that of the first column; the last two are never missing, and the last
            // has two values.
            let cells = |row: &[Option<u8>; 5]| {
                let all = row.iter().copied().chain([row[0], row[4].or(Some(5)), row[3].map(|c| c % 2).or(Some(0))]);
                // Guarding nodes: a leaf, a leaf that is a label of level 2 as well, labels, and
                // none.
                let node = row[4].zip(row[2]).map(|(a, b)| ["0", "1", "2x", "5", "0x", "1x"][usize::from(a + b) % 6]);
                all.map(|cell| cell.map(|cell| cell.to_string())).chain([node.map(String::from)]).collect()
            };
            Case {
                policy,
                columns: strings("s c b a d e f g h"),
                rows: rows.iter().map(cells).collect(),
                paths: ["a", "b", "c", "d"].map(|c| (c.to_owned(), paths.clone())).into(),
                levels: ["a", "b", "c"].map(String::from).into_iter().zip(levels).collect::<BTreeMap<_, _>>(),
                starred: if suppressed == "cells" && !whole { steps } else { Vec::new() },
                people: people.iter().map(|row| row.map(|cell| cell.map(|cell| cell.to_string())).into()).collect(),
            }
        },
    )
    .prop_filter("a row is left", Case::leaves_rows)
}

/// One number of a certificate made wrong.
fn forge(certificate: &mut Certificate, which: usize, column: &str) {
    let release = &mut certificate.release;
    match which {
        0 => release.rows += 1,
        1 => release.released += 1,
        2 => release.suppressed += 1,
        3 => certificate.classes += 1,
        4 => {
            let level = release.levels.get_mut(column).unwrap();
            *level = (*level + 1) % 4;
        }
        5 => release.output.rows += 1,
        6 => release.input.rows += 1,
        7 => release.privacy.values_mut().for_each(|claim| claim.achieved = claim.achieved.map(|k| k + 1.0)),
        8 => release.privacy.values_mut().for_each(|claim| claim.required -= 1.0),
        9 => release.steps.last_mut().unwrap().starred += 1,
        10 => {
            release.steps[0].rows -= 1;
            release.steps.last_mut().unwrap().rows += 1;
        }
        11 => {
            let level = release.steps.last_mut().unwrap().levels.get_mut(column).unwrap();
            *level = (*level + 1) % 4;
        }
        12 => drop(release.steps.pop()),
        13 => {
            let columns = release.loss_by_column.values_mut().nth(release.rows as usize % 4).unwrap();
            *columns.get_mut(column).unwrap() += 1e-6;
        }
        14 => drop(
            release.loss_by_column.values_mut().map(|columns| columns.remove(column)).collect::<Vec<_>>(),
        ),
        17 => release.withheld += 1,
        18 => release.deleted.as_mut().unwrap().rows += 1,
        19 => *release.deleted.as_mut().unwrap().cells.entry(column.to_owned()).or_default() += 1,
        15 => release.population.as_mut().unwrap().rows += 1,
        16 => release.population.as_mut().unwrap().sha256.push('0'),
        _ => release.loss.values_mut().for_each(|loss| *loss += 1e-6),
    }
}

proptest! {
    /// What a policy asks for does not depend on how it is written.
    #[test]
    fn policies_survive_being_written(case in case()) {
        let policy = case.policy();
        prop_assert_eq!(&throng_terms::policy::Policy::parse(&policy.to_toml().unwrap()).unwrap(), &policy);
        prop_assert_eq!(&throng_terms::policy::Policy::parse(&policy.to_json().unwrap()).unwrap(), &policy);
    }

    #[test]
    fn sizes_are_those_of_all_pairs((tuples, counts) in classes(), missing in missing(), columns: [bool; 4]) {
        let columns: Vec<usize> = (0..tuples.width()).filter(|&c| columns[c]).collect();
        let sizes = View::new(&tuples, &columns, &pace()).unwrap().sizes(&counts, missing, &pace()).unwrap();
        let naive = naive_sizes(&tuples, &counts, &columns, missing);
        for class in (0..counts.len()).filter(|&class| counts[class] > 0) {
            prop_assert_eq!(sizes[class], naive[class]);
        }
    }

    #[test]
    fn what_stays_is_the_most_that_can(
        (tuples, counts) in classes(),
        missing in missing(),
        ks: [u8; 2],
        part: [bool; 4],
    ) {
        let all: Vec<usize> = (0..tuples.width()).collect();
        let part: Vec<usize> = all.iter().copied().filter(|&c| part[c]).collect();
        let group = |(columns, k)| Group { claim: String::new(), columns, k: u64::from(k % 8_u8) + 1 };
        let groups: Vec<Group> = [all, part].into_iter().zip(ks).map(group).collect();
        let short = |class: usize, counts: &[u64]| groups.iter().any(|group| {
            counts[class] > 0 && naive_sizes(&tuples, counts, &group.columns, missing)[class] < group.k
        });
        // One class at a time, the last one first.
        let mut naive = counts.clone();
        while let Some(class) = (0..naive.len()).rev().find(|&class| short(class, &naive)) {
            naive[class] = 0;
        }
        prop_assert_eq!(stable(&tuples, counts, &groups, missing, &pace()).unwrap(), naive);
    }

    #[test]
    fn a_true_release_holds(case in case()) {
        let verdict = case.judge(&case.release(), true);
        prop_assert_eq!(broken(&verdict), Vec::<&str>::new(), "{:#?}", verdict);
        let verdict = case.judge(&case.release(), false);
        prop_assert_eq!(broken(&verdict), Vec::<&str>::new(), "{:#?}", verdict);
    }

    #[test]
    fn no_changed_cell_goes_unseen(
        case in case(),
        row: Index,
        column in 0_usize..8,
        value in select(vec!["0", "1", "0x", "1x", "2x", "*", "", "-"]),
    ) {
        let mut made = case.release();
        prop_assume!(!made.rows.is_empty());
        let row = row.index(made.rows.len());
        let value = (value != "-").then(|| value.to_owned());
        prop_assume!(made.rows[row][column] != value);
        made.rows[row][column] = value;
        prop_assert!(!case.judge(&made, true).claims["truth"].holds);
    }

    #[test]
    fn no_row_lost_doubled_or_exchanged_goes_unseen(case in case(), a: Index, b: Index, how in 0..3) {
        let mut made = case.release();
        prop_assume!(!made.rows.is_empty());
        let (a, b) = (a.index(made.rows.len()), b.index(made.rows.len()));
        match how {
            0 => drop(made.rows.remove(a)),
            1 => made.rows.push(made.rows[a].clone()),
            _ => {
                prop_assume!(made.rows[a] != made.rows[b]);
                made.rows[a] = made.rows[b].clone();
            }
        }
        prop_assert!(!case.judge(&made, true).claims["truth"].holds);
    }

    #[test]
    fn no_forged_number_goes_unseen(
        case in case(),
        which in 0_usize..20,
        column in select(vec!["a", "b", "c"]),
    ) {
        let mut made = case.release();
        prop_assume!(which != 7 || made.certificate.release.released > 0);
        let steps = &made.certificate.release.steps;
        prop_assume!(!(9..=12).contains(&which) || !steps.is_empty());
        prop_assume!(which != 10 || steps[0].rows > 0);
        prop_assume!(!(15..=16).contains(&which) || made.certificate.release.population.is_some());
        prop_assume!(which < 18 || made.certificate.release.deleted.is_some());
        forge(&mut made.certificate, which, column);
        prop_assert!(!case.judge(&made, true).claims["certificate"].holds, "the seal");
        made.seal();
        prop_assert!(!case.judge(&made, true).holds());
    }
}
