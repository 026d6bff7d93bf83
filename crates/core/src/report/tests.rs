//! The page as a whole: well formed, closed in itself, and safe for any value. And the numbers
//! behind it.

#[path = "../../../terms/tests/plain/mod.rs"]
mod plain;

use std::collections::BTreeMap;

use super::collect::ladder;
use super::facts::{Bound, ChosenLevel, ColumnFacts, Facts, LatticeFacts, size_bins};
use super::sample::sample;
use super::{comparison_page, explored_page, html, plots};
use crate::class_risk::{ClassRisk, ClassesOfSize};
use crate::compare::{self, Experiment, Table};
use crate::explore::{Explored, HeightFacts, NodeFacts, Summary};
use crate::hierarchy::{Hierarchy, Path};
use crate::lattice::profile;
use crate::policy::{Form, Predicts, Role};
use crate::release::{ErrorFacts, Foresight, ModelFacts, PredictedFacts, RegionFacts, StepFacts};
use crate::watch::Watch;

const VOID: [&str; 3] = ["meta", "br", "!doctype"];

/// Every tag that is opened is closed, in order.
fn check_balance(page: &str) {
    let mut open = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        assert!(!tag.contains('<'), "a tag inside a tag: {tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "an open quote: {tag}");
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "closed out of order");
        } else if name == "style" {
            rest = &rest[rest.find("</style>").expect("style ends") + "</style>".len()..];
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// What holds for every page.
fn check(facts: &Facts) -> String {
    let page = html(facts);
    check_balance(&page);
    for foreign in ["http://", "https://", "<script", "url(", "@import", "NaN", "inf\"", "src="] {
        assert!(!page.contains(foreign), "the page has {foreign}");
    }
    let pictures = page.matches("<svg class=\"picture\"").count();
    assert_eq!(page.matches("<desc>").count(), pictures);
    assert_eq!(page.matches("<h1>").count(), 1);
    page
}

#[test]
fn the_sample_says_what_it_should() {
    let page = check(&sample());
    for phrase in [
        "<strong>5-anonymous:</strong> every released combination of these 5 columns is shared by at least 5 rows",
        "The columns: age, sex, education, postal code, date of birth.",
        "Of 30,162 rows, 29,868 are released and 294 (0.97\u{202F}%) are suppressed.",
        "generalized to 20-year intervals (level 3 of 5)",
        "What can still be computed",
        "<td data-name=\"Mean after\" class=\"n bad\">42.1</td>",
        "<td data-name=\"Mean before\" class=\"n\">1961-06-16</td>",
        "<td data-name=\"SD before\" class=\"n\">13.13 years</td>",
        "−0.99</td><td class=\"n\">−0.95</td>",
        "<td class=\"n\">few → 0\u{202F}%</td>",
        "the 93\u{202F}% of the released rows where neither cell is *",
        "<dt>Column that lost most</dt><dd>education<small>28.1\u{202F}% of its detail (LM), then age 26.2\u{202F}%, then date of birth 11.1\u{202F}%",
        "<span>throng verify &#39;out/census release.parquet&#39;</span> <span>--policy &#39;census policy.toml&#39;</span> \
         <span>--certificate certificate.json</span>",
        "<span class=\"tag\">optimized</span>",
        "<details><summary>5 more losses, and for whom they matter</summary>",
        "rare (1 value)",
    ] {
        assert!(page.contains(phrase), "the page lacks {phrase}");
    }
    plain::check_plain(&plain::text_of_page(&page), "the report");
    // Four people went to preschool only: fewer than k.
    assert!(!page.contains("Preschool"));
}

/// A value whose label stays the same up to the top shows nothing of the levels.
#[test]
fn the_example_is_a_value_that_changes() {
    let path = |leaf: &str, labels: [&str; 2]| Path {
        leaf: leaf.into(),
        labels: labels.into_iter().chain(["*"]).map(String::from).collect(),
    };
    let paths = [
        path("White", ["White", "White"]),
        path("Samoan", ["Islander", "Other"]),
        path("Chinese", ["Asian", "Other"]),
        path("Korean", ["Asian", "Other"]),
    ];
    let hierarchy = Hierarchy::new(paths.to_vec(), false).unwrap();
    let rows = [900_u64, 1, 30, 40];
    let of = |level: usize, code: usize| -> u64 {
        let leaves = hierarchy.codes(level).iter().zip(rows);
        leaves.filter(|(at, _)| **at as usize == code).map(|(_, rows)| rows).sum()
    };
    let examples = |floor: u64| -> Vec<String> {
        ladder(&hierarchy, &of, floor).into_iter().map(|level| level.example).collect()
    };
    assert_eq!(examples(5), ["Korean", "Asian", "Other", "*"], "the more frequent of two");
    assert_eq!(examples(35), ["Korean", "Asian", "Other", "*"]);
    assert_eq!(examples(50), ["…", "Asian", "Other", "*"], "few rows are Korean");
    assert_eq!(examples(2_000), ["…"; 4]);
    let empty = Hierarchy::new(Vec::new(), false).unwrap();
    assert_eq!(ladder(&empty, &|_, _| 0, 1).len(), empty.height() + 1);
}

#[test]
fn starred_cells_are_told() {
    let mut facts = sample();
    let step = |rows, starred| StepFacts { levels: BTreeMap::new(), rows, starred };
    facts.release.steps = vec![step(29_000, 0), step(600, 600), step(268, 536)];
    let page = check(&facts);
    assert!(page.contains("868 of the released rows were kept by starring 1,136 cells."), "{page}");
    facts.release.steps = vec![step(29_867, 0), step(1, 1)];
    assert!(check(&facts).contains("1 of the released rows was kept by starring 1 cell."));
}

#[test]
fn errors_of_a_model_stand_beside_those_of_untouched_rows() {
    let mut facts = sample();
    let errors = |total: f64| ErrorFacts { total, mean: total / 29_868.0, deviation: 1.5 };
    facts.release.model = Some(ModelFacts {
        name: "linear".to_owned(),
        target: "cost <b>".to_owned(),
        predicts: Predicts::Number,
        features: vec!["age".to_owned()],
        guides: true,
        rows: 29_868,
        released: errors(298_680.0),
        original: errors(149_340.0),
        moved: errors(59_736.0),
    });
    let page = check(&facts);
    for phrase in
        ["the model linear for cost &lt;b&gt; (its numbers) over 29,868 released rows", ">10<", ">5<", ">2<"]
    {
        assert!(page.contains(phrase), "{phrase}");
    }
    assert!(!check(&sample()).contains("Errors of the model"));
}

#[test]
fn regions_are_told_in_place_of_levels() {
    let mut facts = sample();
    let forms = BTreeMap::from([("age".to_owned(), Form::Interval)]);
    facts.release.regions = Some(RegionFacts { count: 1_000, forms, parted: true });
    facts.columns.iter_mut().for_each(|column| column.level = None);
    let page = check(&facts);
    assert!(page.contains("1,000 regions") && page.contains("The regions"), "{page}");
    assert!(page.contains("Rows of equal values may be in different regions."));
    assert!(!page.contains("The lattice and the chosen node") && !page.contains("best safe node"));
}

/// Steps that were found in rounds: levels and the lattice say nothing of them, nodes are counted
/// again, and no bound is known.
#[test]
fn steps_are_told_in_place_of_the_lattice() {
    let mut facts = sample();
    facts.policy.local = true;
    let levels = |age| BTreeMap::from([("age".to_owned(), age)]);
    facts.release.levels = levels(0);
    let step = |age, rows| StepFacts { levels: levels(age), rows, starred: 0 };
    facts.release.steps = (0..30).map(|age| step(age, 995)).collect();
    facts.columns.iter_mut().for_each(|column| column.level = None);
    let search = &mut facts.release.search;
    (search.optimal, search.gap, search.checked) = (false, 213_402.7, 15_878);
    let page = check(&facts);
    for phrase in [
        "The steps",
        "released in 30 steps",
        "no bound known for local recoding",
        "6 steps more",
        "15,878 nodes",
    ] {
        assert!(page.contains(phrase), "the page lacks {phrase}");
    }
    for wrong in ["The chosen level", "best safe node", "within 100", "class=\"of\"", "node by node"] {
        assert!(!page.contains(wrong), "the page says {wrong}");
    }
    // Rounds that brought nothing: the node stands alone, and rounds counted nodes again.
    facts.release.steps.clear();
    facts.lattice.checked = 15_878;
    facts.lattice.nodes = 12_960;
    let page = check(&facts);
    assert!(page.contains("The lattice and the chosen node") && page.contains("some of them several times"));
    assert!(!page.contains("123 %") && page.contains("no bound known for local recoding"));
}

#[test]
fn a_gap_is_a_share_of_the_loss() {
    let mut facts = sample();
    let search = &mut facts.release.search;
    (search.optimal, search.gap) = (false, 0.066 * 213_402.7);
    assert_eq!(facts.bound(), Bound::Within(0.066));
    assert!(check(&facts).contains("the best possible result may be up to 6.6\u{202F}% better"));
    // A gap of the whole loss, or more, is no bound.
    for gap in [213_402.7, 1e12, f64::INFINITY] {
        facts.release.search.gap = gap;
        assert_eq!(facts.bound(), Bound::Unknown);
        let page = check(&facts);
        assert!(page.contains("no bound known") && !page.contains("within "), "{page}");
    }
    facts.losses.clear();
    facts.release.search.gap = 1.0;
    assert_eq!(facts.bound(), Bound::Unknown);
}

#[test]
fn large_lattices_are_not_counted_to_the_last_node() {
    let mut facts = sample();
    (facts.release.search.nodes, facts.lattice.nodes) = (10_u128.pow(25), 10_u128.pow(25));
    let page = check(&facts);
    assert!(page.contains("1.0\u{202F}×\u{202F}10²⁵") && !page.contains("18,446,744,073,709,551,615"));
}

#[test]
fn columns_of_stars_are_not_called_released() {
    let mut facts = sample();
    facts.stars.share = 0.407;
    for column in [1, 3] {
        facts.columns[column].empty = true;
    }
    let page = check(&facts);
    assert!(
        page.contains("4 of 8 columns released with values. These hold nothing but *: age, education."),
        "{page}"
    );
    assert!(page.contains("40.7\u{202F}%") && page.contains("2 columns hold nothing else"));
}

#[test]
fn rows_of_stars_are_told_from_withheld_ones() {
    let mut facts = sample();
    assert!(!check(&facts).contains("the limit on suppression counts"));
    (facts.release.suppressed, facts.release.released) = (414, 29_748);
    let page = check(&facts);
    assert!(page.contains("29,748 are released and 414 (1.4\u{202F}%) are suppressed. 120 of the suppressed rows are in a class"), "{page}");
    assert!(page.contains("the limit on suppression counts the other 294."));
}

#[test]
fn what_columns_give_away_is_said_first() {
    let facts = sample();
    let page = check(&facts);
    let at = |text: &str| page.find(text).unwrap();
    let order = ["<main>", "class=\"warnings\"", &facts.exposures[0], &facts.warnings[0], "5-anonymous"];
    assert!(order.map(at).is_sorted(), "{page}");
    assert!(!page.contains("Safe:"));
}

#[test]
fn many_exposed_columns_do_not_hide_the_rest() {
    let mut facts = sample();
    facts.exposures = (0..6).map(|i| format!("column {i} gives away")).collect();
    let page = check(&facts);
    let at = |text: &str| page.find(text).unwrap();
    let order =
        ["column 3 gives", &facts.warnings[0], "<summary>2 more warnings", "column 4 gives", "5-anonymous"];
    assert!(order.map(at).is_sorted(), "{page}");
    facts.exposures.truncate(5);
    assert!(check(&facts).contains("<summary>1 more warning</summary>"));
    facts.exposures.truncate(4);
    assert!(!check(&facts).contains("more warning"));
}

fn broken() -> Facts {
    let mut facts = sample();
    facts.release.privacy.get_mut("k-anonymity").unwrap().achieved = Some(1.0);
    facts.release.privacy.get_mut("k-anonymity").unwrap().holds = false;
    facts.release.search.optimal = false;
    facts.release.search.gap = 0.0312 * 213_402.7;
    facts
}

#[test]
fn a_broken_guarantee_is_said_first() {
    let mut facts = broken();
    let page = check(&facts);
    assert!(page.contains("<strong>Not safe:</strong> some combination of these 5 columns occurs only 1 time, where 5 are required"));
    assert!(page.contains("does not hold") && page.contains("within 3.1\u{202F}%"));
    facts.release.search.gap = f64::INFINITY;
    assert!(check(&facts).contains("best found"));
    facts.release.privacy.clear();
    assert!(check(&facts).contains("Not protected"));
}

#[test]
fn several_guarantees_are_listed() {
    let mut facts = sample();
    let claim = facts.release.privacy["k-anonymity"].clone();
    facts.release.privacy.insert("k-anonymity: voters".to_owned(), claim);
    facts.policy.groups = vec!["voters: age, sex at least 5 times".to_owned()];
    let page = check(&facts);
    assert!(page.contains("all 2 guarantees hold") && page.contains("k-anonymity: voters"));
}

#[test]
fn rows_that_stay_for_predicted_people_are_told_with_the_reason() {
    let mut facts = sample();
    let told = PredictedFacts {
        k: 11,
        people: 8_000_000,
        confidence: 0.95,
        from: Foresight::Network,
        rows: 42,
        edges: Vec::new(),
    };
    facts.release.predicted.insert("j-anonymity: predicted".to_owned(), told);
    let page = check(&facts);
    assert!(page.contains("42 rows released in classes of fewer than 11 rows"), "{page}");
    assert!(page.contains("to have 11 of 8000000 people, as a network of the table predicts."), "{page}");
    assert!(!check(&sample()).contains("predicts"));
}

#[test]
fn every_text_is_escaped() {
    let evil = "<script>alert('1')</script>\"&";
    let mut facts = sample();
    facts.title = evil.to_owned();
    facts.warnings = vec![evil.to_owned()];
    facts.exposures = vec![evil.to_owned()];
    facts.columns[1].empty = true;
    facts.policy.groups = vec![evil.to_owned()];
    let policy = &mut facts.policy;
    for text in [
        &mut policy.path,
        &mut policy.suppression_limit,
        &mut policy.algorithm,
        &mut policy.loss,
        &mut policy.missing,
        &mut policy.keep_order,
        &mut policy.suppressed,
        &mut facts.release.version,
        &mut facts.release.input.path,
        &mut facts.release.input.sha256,
        &mut facts.release.output.path,
        &mut facts.release.search.algorithm,
    ] {
        *text = evil.to_owned();
    }
    facts.policy.certificate = Some(evil.to_owned());
    for column in &mut facts.columns {
        column.name = evil.to_owned();
        column.action = evil.to_owned();
        column.hierarchy = Some(evil.to_owned());
        column.level_names.iter_mut().for_each(|name| *name = evil.to_owned());
        column.before.iter_mut().chain(&mut column.after).for_each(|b| b.label = evil.to_owned());
        column.ladder.iter_mut().for_each(|l| l.example = evil.to_owned());
    }
    facts.lattice.chosen.iter_mut().for_each(|c| c.column = evil.to_owned());
    facts.statistics.numbers.iter_mut().for_each(|n| n.column = evil.to_owned());
    facts.statistics.correlations.iter_mut().for_each(|c| c.columns = [evil, evil].map(String::from));
    for table in &mut facts.statistics.cross_tables {
        table.columns = [evil, evil].map(String::from);
        table.rows.iter_mut().chain(&mut table.across).for_each(|name| *name = evil.to_owned());
    }
    facts.losses.iter_mut().for_each(|l| (l.name, l.explanation) = (evil.to_owned(), evil.to_owned()));
    facts.classes_before.iter_mut().for_each(|b| b.label = evil.to_owned());
    let claim = facts.release.privacy["k-anonymity"].clone();
    facts.release.privacy.insert(evil.to_owned(), claim);
    check(&facts);
}

#[test]
fn an_empty_table_has_a_page() {
    let mut facts = sample();
    (facts.release.rows, facts.release.released, facts.release.suppressed) = (0, 0, 0);
    facts.release.withheld = 0;
    facts.release.privacy.get_mut("k-anonymity").unwrap().achieved = None;
    facts.columns.clear();
    facts.losses.clear();
    (facts.classes_before, facts.classes_after) = (size_bins(&[]), size_bins(&[]));
    (facts.risk_before, facts.risk_after) = (ClassRisk::default(), ClassRisk::default());
    facts.lattice = LatticeFacts::default();
    facts.release.loss.clear();
    check(&facts);
    facts.columns =
        vec![ColumnFacts { level: Some(0), ..ColumnFacts::new("only", Role::Quasi, "unchanged") }];
    facts.lattice.chosen =
        vec![ChosenLevel { column: "only".to_owned(), level: 0, min: 0, max: 0, height: 0 }];
    facts.lattice.profile = profile([(0, 0, 1)]);
    check(&facts);
}

#[test]
fn all_rows_may_be_suppressed() {
    let mut facts = sample();
    (facts.release.released, facts.release.suppressed) = (0, facts.release.rows);
    facts.release.withheld = facts.release.rows;
    facts.release.privacy.get_mut("k-anonymity").unwrap().achieved = None;
    facts.columns.iter_mut().for_each(|c| c.after.clear());
    facts.classes_after.clear();
    facts.risk_after = ClassRisk::new(&[], 0.2);
    facts.release.loss.insert("prec".to_owned(), f64::NAN);
    assert!(check(&facts).contains("<strong>Nothing released:</strong> every row is suppressed"));
}

#[test]
fn sixty_columns_with_long_labels_fit() {
    check(&wide());
}

/// Sixty quasi-identifiers, labels of 200 characters, a lattice beyond counting.
fn wide() -> Facts {
    let mut facts = sample();
    let long = |i: usize| format!("{i} {}", "a very long label ".repeat(11));
    facts.columns = (0..60)
        .map(|i| {
            let mut column = sample().columns[1 + i % 5].clone();
            column.name = long(i);
            column.before.iter_mut().for_each(|b| b.label = format!("{} {}", b.label, long(i)));
            column.ladder.iter_mut().for_each(|l| l.example = long(i));
            column
        })
        .collect();
    let chosen = |i: usize| ChosenLevel { column: long(i), level: i % 12, min: 0, max: 12, height: 14 };
    facts.lattice.chosen = (0..60).map(chosen).collect();
    facts.lattice.profile = profile((0..60).map(|_| (0, 12, 1)));
    facts.lattice.nodes = u128::MAX;
    (facts.lattice.bottom, facts.lattice.top, facts.lattice.height) = (0, 720, 330);
    facts
}

/// Class sizes with the number of classes of each, where nothing is missing.
fn classes(of: &[(u64, u64)]) -> Vec<ClassesOfSize> {
    of.iter().map(|&(size, classes)| ClassesOfSize { size, classes, rows: size * classes }).collect()
}

#[test]
fn classes_are_counted_by_size() {
    let bins = size_bins(&classes(&[(1, 4), (3, 2), (4, 1), (9, 1), (0, 9), (250_000, 2)]));
    let shown = |label: &str| {
        let bin = bins.iter().find(|b| b.label == label).unwrap();
        (bin.classes, bin.rows)
    };
    assert_eq!(shown("1"), (4, 4));
    assert_eq!(shown("2"), (0, 0));
    assert_eq!(shown("3–4"), (3, 10));
    assert_eq!(shown("5–9"), (1, 9));
    assert_eq!(shown("1,000–1,999"), (0, 0));
    assert_eq!(shown("100,000 or more"), (2, 500_000));
    assert_eq!(size_bins(&classes(&[(12, 1)])).last().unwrap().label, "10–19");
    assert!(size_bins(&[]).is_empty());
}

#[test]
fn risk_is_as_defined() {
    // Classes of 1, 1, 2, 4 and 12 rows: 20 rows. Above 1/4 are the classes of 1 and 2: 4 rows.
    let found = ClassRisk::new(&classes(&[(1, 2), (2, 1), (4, 1), (12, 1)]), 0.25);
    let expected = ClassRisk {
        rows: 20,
        classes: 5,
        smallest: 1,
        largest: 12,
        average: 4.0,
        unique_rows: 2,
        prosecutor: 1.0,
        marketer: 0.25,
        at_risk: 0.2,
        theta: 0.25,
    };
    assert_eq!(found, expected);
    assert_eq!(ClassRisk::new(&classes(&[(7, 0)]), 0.2), ClassRisk { theta: 0.2, ..ClassRisk::default() });
    // A row that misses a value cannot be told from four others, which can be told apart:
    // (4 · 1/2 + 1/5) / 5.
    let wild =
        [ClassesOfSize { size: 2, classes: 4, rows: 4 }, ClassesOfSize { size: 5, classes: 1, rows: 1 }];
    let found = ClassRisk::new(&wild, 0.2);
    assert_eq!((found.rows, found.smallest, found.marketer, found.at_risk), (5, 2, 2.2 / 5.0, 0.8));
}

#[test]
fn the_profile_counts_every_node() {
    // Levels 0–1 and 0–2: heights 0 to 3 have 1, 2, 2, 1 nodes.
    assert_eq!(profile([(0, 1, 1), (0, 2, 1)]), [1.0, 2.0, 2.0, 1.0]);
    assert_eq!(profile([(1, 3, 2)]), [1.0, 0.0, 1.0, 0.0, 1.0]);
    assert_eq!(profile([]), [1.0]);
    assert!(profile((0..600).map(|_| (0, 9, 1))).iter().all(|nodes| nodes.is_finite()));
}

#[test]
fn facts_can_be_written_as_json() {
    let text = serde_json::to_string(&sample()).unwrap();
    assert!(text.contains("\"entropy_share\""));
}

/// What holds for every page that is not about a release.
pub(super) fn check_page(page: &str) {
    check_balance(page);
    for foreign in ["http://", "https://", "<script", "url(", "@import", "NaN", "inf\"", "src="] {
        assert!(!page.contains(foreign), "the page has {foreign}");
    }
    assert_eq!(page.matches("<h1>").count(), 1);
    plain::check_plain(&plain::text_of_page(page), "the page");
}

/// A lattice of two columns with the given levels; nodes from a height on are safe.
fn explored(levels: u8, safe_from: u32, tagged: bool) -> Explored {
    let nodes: Vec<NodeFacts> = (0..levels)
        .flat_map(|a| (0..levels).map(move |b| (a, b)))
        .map(|(a, b)| {
            let height = u32::from(a) + u32::from(b);
            NodeFacts {
                levels: vec![a, b],
                height,
                safe: height >= safe_from,
                suppressed: 3,
                loss: f64::from(height) + f64::from(a) / 10.0,
                tagged: tagged.then_some(height != safe_from),
                minimal: height == safe_from,
                chosen: height == safe_from && a == 0,
            }
        })
        .collect();
    let top = 2 * u32::from(levels - 1);
    let heights = (0..=top).map(|height| {
        let here: Vec<&NodeFacts> = nodes.iter().filter(|n| n.height == height).collect();
        let count = |of: fn(&NodeFacts) -> bool| here.iter().filter(|n| of(n)).count() as u64;
        HeightFacts {
            height,
            nodes: here.len() as u64,
            safe: count(|n| n.safe),
            tagged: count(|n| n.tagged == Some(true)),
            tagged_safe: count(|n| n.safe && n.tagged == Some(true)),
            minimal: count(|n| n.minimal),
            loss: here.iter().filter(|n| n.safe).map(|n| n.loss).reduce(f64::min),
        }
    });
    let count = |of: fn(&NodeFacts) -> bool| nodes.iter().filter(|n| of(n)).count() as u64;
    Explored {
        columns: vec!["age <in years>".into(), "sex".into()],
        level_names: vec![["exact value", "5-year <intervals>"].map(String::from).to_vec()],
        steps: vec![vec![0], vec![1]],
        rows: 100,
        max_suppressed: 5,
        loss: "entropy".into(),
        algorithm: "auto".into(),
        optimal: true,
        summary: Summary {
            nodes: nodes.len() as u128,
            listed: nodes.len() as u64,
            around: None,
            safe: count(|n| n.safe),
            tagged: tagged.then(|| count(|n| n.tagged == Some(true))),
            minimal: count(|n| n.minimal),
            chosen: nodes.iter().find(|n| n.chosen).map(|n| n.levels.clone()),
            heights: heights.collect(),
        },
        nodes,
    }
}

#[test]
fn a_small_lattice_is_drawn_node_by_node() {
    let lattice = explored(4, 3, true);
    let page = explored_page(&lattice, "a <table>", "0.1.0");
    check_page(&page);
    assert!(page.contains("The lattice, node by node") && page.contains("a &lt;table&gt;"));
    assert!(page.contains("<a href=\"#chosen-node\">") && page.matches("id=\"chosen-node\"").count() == 1);
    assert!(page.contains("1<small>5-year &lt;intervals&gt;</small>"), "levels are named");
    assert_eq!(page.matches("class=\"edge\"").count(), 2 * 4 * 3, "an edge per step up");
    // Beside the nodes, the legend has one of every kind.
    assert_eq!(page.matches("class=\"ring\"").count(), 1 + 1);
    assert_eq!(page.matches("<polygon class=\"node-safe\"").count(), 4 + 2, "k-minimal ones are diamonds");
    assert_eq!(page.matches("<rect class=\"node-unsafe hollow\"").count(), 6 + 1);
    assert_eq!(page.matches("<circle class=\"node-safe hollow\"").count(), 6 + 1);
}

#[test]
fn a_large_lattice_is_drawn_height_by_height() {
    for tagged in [true, false] {
        let page = explored_page(&explored(30, 20, tagged), "t", "0.1.0");
        check_page(&page);
        assert!(page.contains("The lattice, height by height") && !page.contains("class=\"edge\""));
        assert_eq!(page.contains("safe, tagged"), tagged);
    }
}

#[test]
fn a_lattice_without_a_safe_node_has_a_page() {
    for levels in [1, 3, 30] {
        let page = explored_page(&explored(levels, 1_000, true), "t", "0.1.0");
        check_page(&page);
        assert!(page.contains("No node is safe"));
    }
}

#[test]
fn the_report_shows_the_nodes_where_it_has_them() {
    let mut facts = sample();
    assert!(!check(&facts).contains("node by node"));
    facts.lattice.explored = Some(explored(3, 2, true));
    assert!(check(&facts).contains("The lattice, node by node"));
}

#[test]
fn a_comparison_has_a_page_and_pictures() {
    let text = "version = 1\n[[tables]]\nname = \"a <b>\"\nsynth = \"patients\"\nrows = 200\n[[tables]]\n\
                name = \"a >b<\"\nsynth = \"patients\"\nrows = 150\n[grid]\nalgorithms = [\"datafly\", \"ola\", \
                \"incognito\"]\nlosses = [\"entropy\", \"lm\"]\nk = [2, 3]\nsuppression = [0.8]\n";
    let experiment = Experiment::parse(text).unwrap();
    let table = |t: &compare::TableSpec| {
        Table::made_up(t.name.clone(), t.synth.unwrap(), t.rows.unwrap(), 1).unwrap()
    };
    let tables: Vec<Table> = experiment.tables.iter().map(table).collect();
    let comparison = compare::compare(&experiment, &tables, &|| 0.0, &Watch::none()).unwrap();
    let page = comparison_page(&comparison, "e", "0.1.0");
    check_page(&page);
    for phrase in ["Condorcet", "a &lt;b&gt;", "Runs without an answer", "Incognito, in % of OLA"] {
        assert!(page.contains(phrase), "{phrase}");
    }
    let files = plots(&comparison);
    let names: std::collections::BTreeSet<&String> = files.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), files.len(), "every picture has its own name: {names:?}");
    assert!(names.iter().all(|n| n.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c))));
    for (name, file) in &files {
        check_balance(file);
        assert!(file.contains("xmlns="), "{name}");
    }
    // Two tables, two losses: five measures each, and Incognito of OLA where both have answers.
    assert_eq!(files.len(), 2 * (2 * 5 + 1));
}
