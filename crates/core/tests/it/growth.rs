//! Models that count cleverly against what they count, on more values than other tests have.

use proptest::prelude::*;
use throng::classes::{Classes, Flags, Groups, View};
use throng::compatible::{ABSENT, Tuples};
use throng::hierarchy::{Hierarchy, Path};
use throng::lattice::Node;
use throng::model::{self, Class, KAnonymity, PrivacyModel, Setting, Values};
use throng::policy::{Distance, ModelSpec, TCloseness};
use throng::screen::{Asked, Screen, Screened};
use throng::table::Dictionary;
use throng::watch::Watch;

/// The definition: rows of all tuples that agree wherever both have a value.
fn brute_force(columns: &[Vec<u32>], rows: &[u64]) -> Vec<u64> {
    let agree = |a: usize, b: usize| columns.iter().all(|c| c[a] == c[b] || c[a] == ABSENT || c[b] == ABSENT);
    let of = |a: usize| (0..rows.len()).filter(|&b| agree(a, b)).map(|b| rows[b]).sum();
    (0..rows.len()).map(|a| if rows[a] == 0 { 0 } else { of(a) }).collect()
}

/// Tuples of few or many values, some of them missing.
fn tuples() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u64>)> {
    let shape = (1usize..12, 1usize..300, prop::sample::select(vec![0.05, 0.3, 0.9]));
    shape.prop_flat_map(|(width, len, absent)| {
        let values = prop::sample::select(vec![1u32, 2, 5, 40, 1 << 31]);
        let column = values.prop_flat_map(move |values| {
            let cell = prop_oneof![
                ((1.0 - absent) * 100.0) as u32 => 0..values,
                (absent * 100.0) as u32 => Just(ABSENT),
            ];
            prop::collection::vec(cell, len)
        });
        (prop::collection::vec(column, width), prop::collection::vec(0u64..4, len))
    })
}

fn matches(columns: &[Vec<u32>], rows: &[u64], enough: u64) -> Vec<u64> {
    Tuples { columns, rows, enough, stopped: &|| false }.matches()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn compatible_rows_are_those_of_all_pairs((columns, rows) in tuples(), enough in 1u64..20) {
        // Codes of 31 bits are for the layout of the fields, not for tables by code.
        let columns: Vec<Vec<u32>> = columns
            .into_iter()
            .map(|c| c.into_iter().map(|v| if v == ABSENT { v } else { v % 5000 }).collect())
            .collect();
        let expected = brute_force(&columns, &rows);
        prop_assert_eq!(&matches(&columns, &rows, u64::MAX), &expected);
        for (count, expected) in matches(&columns, &rows, enough).into_iter().zip(expected) {
            prop_assert_eq!(count.min(enough), expected.min(enough));
        }
    }
}

/// The tuples with rows that fewer rows than `enough` match, and how many rows they have.
fn naive_below(counts: &[u64], rows: &[u64], enough: u64) -> (Vec<u32>, u64) {
    let below = (0..rows.len()).filter(|&t| rows[t] > 0 && counts[t] < enough);
    (below.clone().map(|t| t as u32).collect(), below.map(|t| rows[t]).sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Whether a count reaches a limit, for all tuples or some, unless too many do not.
    #[test]
    fn tuples_below_a_limit_are_those_of_all_pairs(
        (columns, rows) in tuples(),
        enough in 1u64..20,
        most in 0u64..300,
        every in 1usize..5,
    ) {
        let columns: Vec<Vec<u32>> = columns
            .into_iter()
            .map(|c| c.into_iter().map(|v| if v == ABSENT { v } else { v % 5000 }).collect())
            .collect();
        let counts = brute_force(&columns, &rows);
        let tuples = Tuples { columns: &columns, rows: &rows, enough, stopped: &|| false };
        let (below, failed) = naive_below(&counts, &rows, enough);
        prop_assert_eq!(tuples.below(None, u64::MAX), Some(below.clone()));
        prop_assert_eq!(tuples.below(None, most), (failed <= most).then_some(below.clone()));
        let asked: Vec<u32> = (0..rows.len() as u32).step_by(every).collect();
        let of_asked = below.into_iter().filter(|id| asked.contains(id)).collect();
        prop_assert_eq!(tuples.below(Some(&asked), u64::MAX), Some(of_asked));
    }
}

/// Enough tuples for splits, sums, joins of patterns and several threads.
#[test]
fn many_tuples_are_matched_like_few() {
    for (width, values, every) in
        [(3, 4, 3), (6, 3, 2), (9, 30, 10), (14, 6, 4), (2, 900, 12), (3, 900, 40), (22, 9, 9)]
    {
        let cell = |tuple: usize, column: usize| {
            let mixed = (tuple * 31 + column * 17 + 7).wrapping_mul(0x9E37_79B9) >> 7;
            if mixed.is_multiple_of(every) { ABSENT } else { ((mixed / every) % values) as u32 }
        };
        let columns: Vec<Vec<u32>> = (0..width).map(|c| (0..3000).map(|t| cell(t, c)).collect()).collect();
        let rows: Vec<u64> = (0..3000).map(|t| t % 3).collect();
        let expected = brute_force(&columns, &rows);
        assert_eq!(matches(&columns, &rows, u64::MAX), expected);
        // With a limit, most tuples are compared with a few others first.
        for enough in [1, 3, 10, 100] {
            let found = matches(&columns, &rows, enough).into_iter().map(|count| count.min(enough));
            assert!(found.eq(expected.iter().map(|&count| count.min(enough))), "{width} {enough}");
            let tuples = Tuples { columns: &columns, rows: &rows, enough, stopped: &|| false };
            let (below, failed) = naive_below(&expected, &rows, enough);
            assert_eq!(tuples.below(None, failed).as_ref(), Some(&below), "{width} {enough}");
            if failed > 0 {
                assert_eq!(tuples.below(None, failed - 1), None, "{width} {enough}");
            }
        }
    }
}

/// Flat columns of five values; the last value is missing.
fn flat() -> Hierarchy {
    let path = |leaf: &str| Path { leaf: leaf.into(), labels: vec![] };
    Hierarchy::new(["0", "1", "2", "3"].map(path).to_vec(), true).unwrap()
}

proptest! {
    #[test]
    fn sizes_with_wildcards_are_those_of_all_pairs(
        rows in prop::collection::vec((0u32..5, 0u32..5, 0u32..5), 1..60),
        flagged in prop::collection::vec(any::<bool>(), 60),
        group in prop::bool::ANY,
    ) {
        let hierarchies = [flat(), flat(), flat()];
        let missing = hierarchies[0].missing_at(0).unwrap();
        let classes = Classes::of_rows(3, rows.iter().map(|&(a, b, c)| vec![a, b, c])).unwrap();
        let (node, groups) = (Node::new(vec![0; 3]), Groups::identity(&classes));
        let view = View::new(&classes, &hierarchies, &node, &groups);
        let mut flags = Flags::none(view.len());
        (0..view.len()).filter(|&c| flagged[c]).for_each(|c| flags.flag(c, view.counts()[c]));
        let (model, columns) = match group {
            true => (KAnonymity::of_group(3, true, "g", vec![0, 2]), vec![0, 2]),
            false => (KAnonymity::new(3, true), vec![0, 1, 2]),
        };
        let agree = |a: usize, b: usize| {
            let cell = |class: usize, c: usize| view.code(class, c);
            columns.iter().all(|&c| {
                cell(a, c) == cell(b, c) || cell(a, c) == missing || cell(b, c) == missing
            })
        };
        let live = || (0..view.len()).filter(|&class| !flags.has(class));
        let size = |a: usize| live().filter(|&b| agree(a, b)).map(|b| u64::from(view.counts()[b])).sum();
        let sizes: Vec<u64> = (0..view.len()).map(|a| if flags.has(a) { 0 } else { size(a) }).collect();
        prop_assert_eq!(&model.sizes(&view, &flags), &sizes);
        let least = live().map(|class| sizes[class]).min();
        prop_assert_eq!(model.verdict(&view, &flags).unwrap().achieved, least.map(|n| n as f64));
        let all: Box<dyn PrivacyModel> = Box::new(KAnonymity::new(3, true));
        let models = [&model as &dyn PrivacyModel, &*all];
        let (mut whole, mut within) = (Flags::default(), Flags::default());
        model::judge_by(&models, &view, &mut whole);
        for most in [0, 1, whole.rows().saturating_sub(1), whole.rows(), whole.rows() + 1] {
            // Flags are complete unless more rows are flagged than matter.
            prop_assert_eq!(model::judge_within(&models, &view, &mut within, most), whole.rows() <= most);
            if whole.rows() <= most {
                prop_assert!(within.iter().eq(whole.iter()));
            }
        }
        let mut judged = flags.clone();
        model.violations(&view, &mut judged);
        for (class, &size) in sizes.iter().enumerate() {
            prop_assert_eq!(judged.has(class), flags.has(class) || size < 3);
        }
    }
}

const VALUES: usize = 60;

/// Sixty numbers under twelve labels of five, under three labels of four, under one.
fn tall() -> Hierarchy {
    let path = |v: usize| Path {
        leaf: v.to_string(),
        labels: vec![format!("a{}", v * 7 % 12), format!("b{}", v * 7 % 12 % 3)],
    };
    Hierarchy::new((0..VALUES).map(path).collect(), true).unwrap()
}

/// The earth mover's distance by its definition: all values of the column.
fn distance(distance: Distance, p: &[f64], q: &[f64]) -> f64 {
    if distance == Distance::Ordered {
        let carried = |to: usize| (0..=to).map(|v| p[v] - q[v]).sum::<f64>().abs();
        return (0..VALUES).map(carried).sum::<f64>() / (VALUES - 1) as f64;
    }
    let label = |v: usize, level: usize| match level {
        0 => v,
        1 => 100 + v * 7 % 12,
        2 => 200 + v * 7 % 12 % 3,
        _ => 300,
    };
    let mut cost = 0.0;
    for level in 1..=3 {
        for parent in 0..400 {
            let mut below = std::collections::BTreeMap::<usize, f64>::new();
            for v in (0..VALUES).filter(|&v| label(v, level) == parent) {
                *below.entry(label(v, level - 1)).or_default() += p[v] - q[v];
            }
            let much: f64 = below.values().map(|d| d.max(0.0)).sum();
            let lack: f64 = below.values().map(|d| (-d).max(0.0)).sum();
            cost += level as f64 / 3.0 * much.min(lack);
        }
    }
    cost
}

proptest! {
    #[test]
    fn distances_by_the_values_of_a_class_are_those_by_all_values(
        table in prop::collection::vec(0u64..9, VALUES),
        class in prop::collection::btree_map(0u32..VALUES as u32, 1u32..6, 1..12),
        ordered: bool,
    ) {
        // Texts in another order than numbers and leaves.
        let value = |code: usize| code * 37 % VALUES;
        let mut rows: Vec<u64> = table.clone();
        class.keys().for_each(|&code| rows[code as usize] = rows[code as usize].max(9));
        // Every value occurs, so that all have a place.
        rows.iter_mut().for_each(|n| *n += 1);
        let names: Vec<String> = (0..VALUES).map(|code| value(code).to_string()).collect();
        let texts = Dictionary::of(names.iter().map(|name| Some(name.as_str())));
        let hierarchy = tall();
        let column = Values { name: "s", measured: 0, texts: &texts, rows: &rows, hierarchy: Some(&hierarchy), listed: true };
        let kind = if ordered { Distance::Ordered } else { Distance::Hierarchical };
        let asked = ModelSpec::TCloseness(TCloseness { column: "s".into(), distance: kind, t: 0.1, order: None });
        let setting = Setting { column: Some(&column), ..Setting::default() };
        let model = model::build(&asked, &setting).unwrap();
        let (codes, counts): (Vec<u32>, Vec<u32>) = class.into_iter().unzip();
        let (mut p, mut q) = (vec![0.0; VALUES], vec![0.0; VALUES]);
        let (all, own) = (rows.iter().sum::<u64>() as f64, counts.iter().sum::<u32>());
        rows.iter().enumerate().for_each(|(code, &n)| q[value(code)] = n as f64 / all);
        codes.iter().zip(&counts).for_each(|(&code, &n)| p[value(code as usize)] = f64::from(n) / f64::from(own));
        let figure = model.scope().class_model().unwrap().figure(Class { codes: &codes, counts: &counts });
        let expected = distance(kind, &p, &q);
        prop_assert!((figure - expected).abs() < 1e-12, "{figure} is not {expected}");
    }
}

/// Screens a column against a target; also the longest text that is held.
fn screened(rows: &[(String, &str)]) -> (Screened, usize) {
    let asked = Asked { target: "t".into(), rare: 0, ..Asked::default() };
    let mut screen = Screen::new(vec!["x".into(), "t".into()], asked).unwrap();
    let cell = |column: usize, row: usize| Some(if column == 0 { rows[row].0.as_str() } else { rows[row].1 });
    screen.add(rows.len(), cell).unwrap();
    let longest = screen.values().iter().flat_map(|d| d.present()).map(|(text, _)| text.len()).max();
    (screen.finish(&Watch::none()).unwrap(), longest.unwrap())
}

#[test]
fn long_texts_are_distinguished_without_being_held() {
    let target = |at: usize| if at.is_multiple_of(3) { "yes" } else { "no" };
    // Texts of 5,000 bytes that differ in the last ones only, and letters of two bytes.
    let long = |at: usize| format!("{}{}", "é".repeat(2500), at % 7);
    let (by_text, longest) = screened(&(0..60).map(|at| (long(at), target(at))).collect::<Vec<_>>());
    let (by_number, _) = screened(&(0..60).map(|at| ((at % 7).to_string(), target(at))).collect::<Vec<_>>());
    assert_eq!(by_text, by_number);
    assert_eq!(by_text.columns[0].values, 7);
    assert!(longest <= 256, "{longest} bytes");
}
