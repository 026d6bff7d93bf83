//! The figures that the literature prints: El Emam et al. 2009 figure 3 and its entropies, Katirai 2006 figure 5.

use throng::classes::{Classes, Flags, Groups, View};
use throng::hierarchy::{Hierarchy, Path};
use throng::lattice::Node;
use throng::loss::{self, Marginals};
use throng::model::{KAnonymity, PrivacyModel, judge};
use throng::policy::LossParameters;

fn hierarchy(rows: &[&[&str]]) -> Hierarchy {
    let path = |row: &&[&str]| Path {
        leaf: row[0].into(),
        labels: row[1..].iter().map(|l| (*l).to_owned()).collect(),
    };
    Hierarchy::new(rows.iter().map(path).collect(), false).unwrap()
}

/// A loss of a table at a node, with classes below k suppressed.
fn loss(name: &str, hierarchies: &[Hierarchy], rows: &[Vec<&str>], levels: &[u8], k: u64) -> f64 {
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
    judge(&models, &view, &mut flags);
    let parameters = LossParameters { name: name.into(), aggregate: None, count_suppressed: None };
    let weights = vec![1.0; levels.len()];
    loss::build(&parameters, &Marginals::new(&classes, hierarchies), &weights).unwrap().loss(&view, &flags)
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
    }
}
