//! The figures that the literature prints: [El Emam 2009, figure 3] and its entropies,
//! [Katirai 2006, figure 5]; and the hand-computed examples of docs/numbers.md.

use throng::classes::{Classes, Flags, Groups, View};
use throng::hierarchy::{Hierarchy, Path};
use throng::lattice::Node;
use throng::loss::{self, Marginals};
use throng::model::{KAnonymity, PrivacyModel, judge};
use throng::policy::LossParameters;
use throng::registry::LossKind;
use throng::search::Evaluator;

use crate::instances::{flat, problem};
use crate::naive::Instance;

fn hierarchy(rows: &[&[&str]]) -> Hierarchy {
    let path = |row: &&[&str]| Path {
        leaf: row[0].into(),
        labels: row[1..].iter().map(|l| (*l).to_owned()).collect(),
    };
    Hierarchy::new(rows.iter().map(path).collect(), false).unwrap()
}

/// A loss of a table at a node, with classes below k suppressed.
fn loss(name: &str, hierarchies: &[Hierarchy], rows: &[Vec<&str>], levels: &[u8], k: u64) -> f64 {
    loss_of(&LossParameters::new(name.parse().unwrap()), hierarchies, rows, levels, k)
}

fn loss_of(
    parameters: &LossParameters,
    hierarchies: &[Hierarchy],
    rows: &[Vec<&str>],
    levels: &[u8],
    k: u64,
) -> f64 {
    let codes = |row: &Vec<&str>, levels: &[u8]| -> Vec<u32> {
        row.iter()
            .zip(hierarchies)
            .zip(levels)
            .map(|((v, h), &l)| h.generalize(h.leaf(Some(v)).unwrap(), l as usize))
            .collect()
    };
    let bottom = vec![0; levels.len()];
    let classes = Classes::of_rows(levels.len(), rows.iter().map(|r| codes(r, &bottom))).unwrap();
    let node = Node::new(levels);
    // Merged by hand: the first class of each generalized tuple stands for it.
    let mut groups = Groups::default();
    let mut seen: Vec<Vec<u32>> = Vec::new();
    for class in 0..classes.len() {
        let general: Vec<u32> = (0..levels.len())
            .map(|c| hierarchies[c].generalize(classes.code(class, c), levels[c] as usize))
            .collect();
        match seen.iter().position(|s| *s == general) {
            Some(at) => groups.count[at] += classes.counts()[class],
            None => {
                seen.push(general);
                groups.first.push(class as u32);
                groups.count.push(classes.counts()[class]);
            }
        }
    }
    let view = View::new(&classes, hierarchies, &node, &groups);
    let models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(KAnonymity::new(k, false))];
    let mut flags = Flags::default();
    judge(&models, &view, &mut flags).unwrap();
    let weights = vec![1.0; levels.len()];
    loss::build(parameters, &Marginals::new(&classes, hierarchies), &weights).unwrap().loss(&view, &flags)
}

/// Admission date, gender, age: the ten records of figure 3.
fn figure_3() -> (Vec<Hierarchy>, Vec<Vec<&'static str>>) {
    let dates = hierarchy(&[&["01/01/2008", "01/2008", "2008"], &["02/01/2008", "01/2008", "2008"]]);
    let gender = hierarchy(&[&["M", "Person"], &["F", "Person"]]);
    let age = hierarchy(&[
        &["13", "10-14", "10-19", "0-19", "*"],
        &["18", "15-19", "10-19", "0-19", "*"],
        &["19", "15-19", "10-19", "0-19", "*"],
        &["21", "20-24", "20-29", "20-39", "*"],
        &["22", "20-24", "20-29", "20-39", "*"],
        &["23", "20-24", "20-29", "20-39", "*"],
    ]);
    let (first, second) = ("01/01/2008", "02/01/2008");
    let rows = [
        (first, "M", "18"),
        (first, "M", "18"),
        (first, "M", "18"),
        (first, "M", "13"),
        (first, "M", "19"),
        (second, "F", "18"),
        (second, "F", "22"),
        (second, "F", "23"),
        (second, "F", "21"),
        (first, "M", "22"),
    ];
    (vec![dates, gender, age], rows.iter().map(|r| vec![r.0, r.1, r.2]).collect())
}

#[test]
fn discernibility_of_figure_3() {
    let (h, rows) = figure_3();
    assert_eq!(loss("dm", &h, &rows, &[0, 0, 0], 3), 79.0);
    assert_eq!(loss("dm", &h, &rows, &[0, 0, 1], 3), 55.0);
    assert_eq!(loss("dm*", &h, &rows, &[0, 0, 0], 3), 16.0);
    assert_eq!(loss("dm*", &h, &rows, &[0, 1, 0], 3), 16.0);
    assert_eq!(loss("dm*", &h, &rows, &[0, 0, 1], 3), 28.0);
}

#[test]
fn prec_of_figure_3() {
    let (h, rows) = figure_3();
    assert!((loss("prec", &h, &rows, &[0, 0, 1], 3) - 1.0 / 12.0).abs() < 1e-12); // printed 0.0833
    assert!((loss("prec", &h, &rows, &[0, 1, 0], 3) - 1.0 / 3.0).abs() < 1e-12); // printed 0.33
}

#[test]
fn entropy_of_uneven_and_even_genders() {
    let gender = [hierarchy(&[&["M", "Person"], &["F", "Person"]])];
    let people =
        |men: usize| -> Vec<Vec<&str>> { (0..1000).map(|i| vec![if i < men { "M" } else { "F" }]).collect() };
    let uneven = loss("entropy", &gender, &people(50), &[1], 2);
    assert_eq!(uneven.round(), 286.0);
    assert_eq!(loss("entropy", &gender, &people(500), &[1], 2), 1000.0);
    assert_eq!(loss("dm*", &gender, &people(50), &[1], 2), 1e6);
    assert_eq!(loss("dm*", &gender, &people(50), &[0], 2), 905_000.0);
    assert_eq!(loss("dm*", &gender, &people(500), &[0], 2), 500_000.0);
}

#[test]
fn one_of_three_cells_suppressed_leaves_two_thirds() {
    let h: Vec<Hierarchy> =
        ["M", "False", "True"].iter().map(|v| hierarchy(&[&[v, "*"], &["other", "*"]])).collect();
    let rows = vec![vec!["M", "False", "True"]];
    for levels in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
        let precision = 1.0 - loss("prec", &h, &rows, &levels, 1);
        assert!((precision - 2.0 / 3.0).abs() < 1e-12); // printed 0.66
        // The sum over the cells of the row, where Prec is their mean.
        assert_eq!(loss("vinterbo", &h, &rows, &levels, 1), 1.0);
    }
}

#[test]
fn what_columns_and_values_tell_of_a_label() {
    // Eight rows of a with label 1, eight of b with label 0, two of c with one of each, which the
    // estimates ignore.
    let values = [vec![vec![0]; 8], vec![vec![1]; 8], vec![vec![2]; 2]].concat();
    let labels = vec![[vec![1; 8], vec![0; 8], vec![0, 1]].concat()];
    let at = |loss: &'static str, counted: Option<bool>, level: u8, k: usize| {
        let mut instance = flat(&[3], values.clone(), loss);
        (instance.labels, instance.counted, instance.k) = (labels.clone(), counted, k);
        Evaluator::new(&problem(&instance).unwrap()).solution(&Node::new([level])).loss
    };
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} {y}");
    // Of the sixteen rows of a and b the column determines the label: 1 bit.
    near(at("column-mi", None, 1, 1), 1.0);
    near(at("column-mi", None, 0, 1), 0.0);
    // a and b are worth a bit each, c nothing; at the top nothing is.
    near(at("value-mi", None, 1, 1), 16.0 / 18.0);
    near(at("value-mi", None, 0, 1), 0.0);
    // With k = 9 all rows are suppressed at the bottom, and with k = 8 only those of c, which have
    // nothing to lose.
    near(at("value-mi", Some(true), 0, 9), 16.0 / 18.0);
    near(at("value-mi", Some(true), 0, 8), 0.0);
    near(at("column-mi", Some(true), 0, 8), 2.0 / 18.0);
}

/// Seven people of four ages: 30, 30, 31, 34, 34, 34 in two intervals of five years, and one of 70.
fn ages() -> (Vec<Hierarchy>, Vec<Vec<&'static str>>) {
    let interval = |age: &'static str, five: &'static str| [age, five, "*"];
    let age = hierarchy(&[
        &interval("30", "30-34"),
        &interval("31", "30-34"),
        &interval("34", "30-34"),
        &interval("70", "70-74"),
    ]);
    (vec![age], ["30", "30", "31", "34", "34", "34", "70"].map(|a| vec![a]).to_vec())
}

#[test]
fn conditional_entropy_of_seven_ages() {
    let (h, rows) = ages();
    // Six cells of 30-34 with 2, 1 and 3 rows under it cost 1.4591… bits each, and the one of 70
    // nothing.
    let six = 2.0 / 6.0 * 3f64.log2() + 1.0 / 6.0 * 6f64.log2() + 3.0 / 6.0;
    assert!((six - 1.459_147_917).abs() < 1e-9);
    assert!((loss("conditional-entropy", &h, &rows, &[1], 1) - 6.0 * six).abs() < 1e-12);
    // With k = 2 the one of 70 is suppressed and costs the entropy of the column: 2, 1, 3 and 1
    // of 7.
    let whole = 2.0 / 7.0 * 3.5f64.log2() + 2.0 / 7.0 * 7f64.log2() + 3.0 / 7.0 * (7.0f64 / 3.0).log2();
    assert!((whole - 1.842_371).abs() < 1e-6);
    assert!((loss("conditional-entropy", &h, &rows, &[1], 2) - (6.0 * six + whole)).abs() < 1e-12);
    assert!((loss("conditional-entropy", &h, &rows, &[2], 2) - 7.0 * whole).abs() < 1e-12);
    assert_eq!(loss("conditional-entropy", &h, &rows, &[0], 1), 0.0);
}

#[test]
fn trade_offs_of_seven_ages() {
    let (h, rows) = ages();
    let lm = |tau: f64, level: u8| {
        let parameters = LossParameters { tradeoff: Some(tau), ..LossParameters::new(LossKind::Lm) };
        loss_of(&parameters, &h, &rows, &[level], 2)
    };
    // Level 1: six cells with 3 of 4 leaves cost (3 − 1)/(4 − 1) = 2/3 each, the suppressed one
    // costs 1.
    assert!((lm(0.5, 1) - (6.0 * 2.0 / 3.0 + 1.0) / 7.0).abs() < 1e-12);
    assert!((lm(0.25, 1) - (6.0 * 2.0 / 3.0 + 0.5) / 7.0).abs() < 1e-12);
    assert!((lm(0.75, 1) - (0.5 * 6.0 * 2.0 / 3.0 + 1.0) / 7.0).abs() < 1e-12);
    // At level 0, where 31 and 70 are suppressed, nothing is generalized.
    assert!((lm(0.0, 0)).abs() < 1e-12);
    assert!((lm(1.0, 0) - 2.0 / 7.0).abs() < 1e-12);
    assert!((lm(1.0, 2)).abs() < 1e-12);
    let dm = LossParameters { tradeoff: Some(0.25), ..LossParameters::new(LossKind::Dm) };
    assert_eq!(loss_of(&dm, &h, &rows, &[1], 2), 36.0 + 0.5 * 7.0);
}

#[test]
fn classification_metric_of_six_labels() {
    // a yes, a yes, a no, b no, b yes, c yes.
    let values = [0, 0, 0, 1, 1, 2].map(|v| vec![v]).to_vec();
    let mut instance = flat(&[3], values, "cm");
    instance.labels = vec![vec![1, 1, 0, 0, 1, 1]];
    let cm = |instance: &Instance, level: u8| {
        Evaluator::new(&problem(instance).unwrap()).solution(&Node::new([level])).loss
    };
    assert_eq!((cm(&instance, 0), cm(&instance, 1)), (3.0 / 6.0, 2.0 / 6.0));
    // A second target whose labels are all the same costs only the suppressed row: the mean is
    // between.
    instance.labels.push(vec![0; 6]);
    assert_eq!((cm(&instance, 0), cm(&instance, 1)), ((3.0 + 1.0) / 12.0, 2.0 / 12.0));
    instance.tradeoff = Some(0.25);
    assert_eq!(cm(&instance, 0), (2.0 + 0.5 * 2.0) / 12.0);
}
