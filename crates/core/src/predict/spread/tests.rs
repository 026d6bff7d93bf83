//! Models on spread cells against their definitions.

use proptest::prelude::*;

use super::*;
use crate::predict::{Extent, Known, Reader};
use crate::table::Dictionary;

/// A column of categories whose cells are sets of parts.
fn sets(parts: usize, cells: &[&[u32]]) -> Column {
    let spread = |set: &&[u32]| Spread {
        mean: 0.0,
        parts: set.iter().map(|&part| (part, 1.0 / set.len() as f64)).collect(),
    };
    Column { ordered: false, parts, cells: cells.iter().map(spread).collect() }
}

fn number(cell: f64) -> Spread {
    Spread::certain(cell as u32, cell)
}

/// Numbers 0, 1, … as bins of their own.
fn numbers(parts: usize) -> Column {
    Column { ordered: true, parts, cells: (0..parts).map(|x| number(x as f64)).collect() }
}

const CELLS: [&[u32]; 5] = [&[0], &[1], &[2], &[0, 1], &[0, 1, 2]];

fn rows() -> impl Strategy<Value = Vec<(Vec<u32>, f64, f64)>> {
    let row = (0u32..5, 0u32..5, 0u32..4, 0u32..2, 1u32..4);
    prop::collection::vec(row, 4..40).prop_map(|rows| {
        let row = |(a, b, c, y, w)| (vec![a, b, c], f64::from(y), f64::from(w));
        rows.into_iter().map(row).collect()
    })
}

fn columns() -> Vec<Column> {
    vec![sets(3, &CELLS), sets(3, &CELLS), numbers(4)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Naive Bayes by its definition: every row counts for every part by its chance.
    #[test]
    fn bayes_counts_sets_in_equal_parts(rows in rows()) {
        let columns = columns();
        let sample = Sample::new(columns.clone(), Target::Class(2), rows.clone()).unwrap();
        let model = fit(&Family::NaiveBayes.recipe(), &sample, 0).unwrap();
        let all: f64 = rows.iter().map(|row| row.2).sum();
        for cells in [[0usize, 1, 2], [3, 4, 0], [2, 2, 3]] {
            let mut likely = Vec::new();
            for class in 0..2 {
                let own: Vec<_> = rows.iter().filter(|row| row.1 == f64::from(class)).collect();
                let weight: f64 = own.iter().map(|row| row.2).sum();
                let mut chance = (weight + 1.0) / (all + 2.0);
                for (c, &cell) in cells.iter().enumerate() {
                    let count = |part: u32| 1.0 + own.iter().map(|row| {
                        let parts = &columns[c].cells[row.0[c] as usize].parts;
                        row.2 * parts.iter().filter(|(p, _)| *p == part).map(|(_, share)| share).sum::<f64>()
                    }).sum::<f64>();
                    let sum: f64 = (0..columns[c].parts as u32).map(count).sum();
                    let parts = &columns[c].cells[cell].parts;
                    chance *= parts.iter().map(|&(p, share)| share * count(p) / sum).sum::<f64>();
                }
                likely.push(chance);
            }
            let asked: Vec<&Spread> = cells.iter().enumerate().map(|(c, &cell)| &columns[c].cells[cell]).collect();
            let said = model.predict(&asked);
            prop_assert!((said[1] - likely[1] / (likely[0] + likely[1])).abs() < 1e-9, "{said:?} {likely:?}");
        }
    }

    /// The order of rows does not matter, nor whether a row is there twice or has weight 2; chances
    /// sum to 1.
    #[test]
    fn models_depend_on_rows_alone(rows in rows(), seed in 0u64..4) {
        let once = Sample::new(columns(), Target::Class(2), rows.clone()).unwrap();
        let mut twice: Vec<_> = rows.iter().flat_map(|row| {
            let half = (row.0.clone(), row.1, row.2 / 2.0);
            [half.clone(), half]
        }).collect();
        twice.reverse();
        let twice = Sample::new(columns(), Target::Class(2), twice).unwrap();
        prop_assert_eq!(&once, &twice);
        for family in Family::ALL.into_iter().filter(|family| family.predicts(Target::Class(2))) {
            let mut recipe = family.recipe();
            recipe.trees = recipe.trees.min(5);
            let [a, b] = [&once, &twice].map(|sample| fit(&recipe, sample, seed).unwrap());
            for row in 0..once.len() {
                let said = a.predict(&once.row(row));
                prop_assert_eq!(&said, &b.predict(&once.row(row)), "{}", family.name());
                prop_assert!((said.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{}: {said:?}", family.name());
                prop_assert!(said.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)));
            }
        }
    }

    /// The coefficients make the gradient of the penalized likelihood vanish, so that predictions
    /// match the targets on average in every coordinate.
    #[test]
    fn regressions_solve_their_equations(rows in rows()) {
        for target in [Target::Class(2), Target::Number] {
            let sample = Sample::new(columns(), target, rows.clone()).unwrap();
            let family = if target == Target::Number { Family::Linear } else { Family::Logistic };
            let recipe = Recipe { ridge: 1e-2, ..family.recipe() };
            let model = fit(&recipe, &sample, 0).unwrap();
            let last = |row: usize| *model.predict(&sample.row(row)).last().unwrap();
            // The constant is not penalized: errors sum to 0.
            let errors: f64 = (0..sample.len()).map(|row| sample.weight_of(row) * (sample.target_of(row) - last(row))).sum();
            prop_assert!(errors.abs() < 1e-4 * sample.weight(), "{errors}");
        }
    }
}

/// Every split of a tree on plain cells, tried by hand: the root divides where it explains most.
#[test]
fn a_tree_splits_where_most_is_explained() {
    // Numbers 0..4 with targets 1, 1, 5, 5; categories say nothing.
    let rows =
        (0..4u32).flat_map(|x| (0..3u32).map(move |c| (vec![c, x], if x < 2 { 1.0 } else { 5.0 }, 10.0)));
    let sample = Sample::new(vec![sets(3, &CELLS), numbers(4)], Target::Number, rows.collect()).unwrap();
    let model = fit(&Recipe { depth: 1, ..Family::Tree.recipe() }, &sample, 0).unwrap();
    let said = |x: f64| model.predict(&[&sample.columns()[0].cells[0], &number(x)])[0];
    // A leaf has 60 rows and one more like the mean, 3.
    assert!((said(0.0) - (1.0 - -2.0 / 61.0)).abs() < 1e-9, "{}", said(0.0));
    assert_eq!(said(0.0), said(1.0));
    assert!((said(3.0) + said(0.0) - 6.0).abs() < 1e-9);
    // A cell that may be on both sides is the mean of both.
    let open = Spread { mean: 1.5, parts: vec![(1, 0.5), (2, 0.5)] };
    let both = model.predict(&[&sample.columns()[0].cells[0], &open])[0];
    assert!((both - 3.0).abs() < 1e-9, "{both}");
}

/// A row that may be two categories counts half for each: two leaves of 10 rows each get 5 of it.
#[test]
fn rows_go_down_both_sides_by_their_chances() {
    let rows = vec![
        (vec![0], 0.0, 30.0), // part 0
        (vec![1], 1.0, 30.0), // part 1
        (vec![3], 1.0, 20.0), // part 0 or 1
    ];
    let sample = Sample::new(vec![sets(3, &CELLS)], Target::Class(2), rows).unwrap();
    let model = fit(&Recipe { depth: 1, ..Family::Tree.recipe() }, &sample, 0).unwrap();
    let said = model.predict(&[&sample.columns()[0].cells[0]])[1];
    // 30 rows of class 0 and 10 of class 1, and one row like the whole: 50 of 80.
    assert!((said - (10.0 + 50.0 / 80.0) / 41.0).abs() < 1e-9, "{said}");
}

#[test]
fn every_family_learns_what_a_cell_says() {
    let rows: Vec<(Vec<u32>, f64, f64)> = (0..3u32)
        .flat_map(|a| (0..4u32).map(move |x| (vec![a, x], f64::from(u8::from(a == 0)), 25.0)))
        .collect();
    let columns = vec![sets(3, &CELLS), numbers(4)];
    for target in [Target::Class(2), Target::Number] {
        let sample = Sample::new(columns.clone(), target, rows.clone()).unwrap();
        for family in Family::ALL.into_iter().filter(|family| family.predicts(target)) {
            let model = fit(&family.recipe(), &sample, 1).unwrap();
            let said = |a: usize| *model.predict(&[&columns[0].cells[a], &number(2.0)]).last().unwrap();
            assert!(said(0) > 0.75 && said(1) < 0.25, "{}: {} {}", family.name(), said(0), said(1));
            // A cell that may be any of three lies between.
            let open = said(4);
            assert!(open < said(0) && open > said(1), "{}: {open}", family.name());
        }
        assert!(fit(&Family::Linear.recipe(), &sample, 1).is_ok() == (target == Target::Number));
    }
    assert!("forrest".parse::<Family>().is_err() && "forest".parse::<Family>().is_ok());
}

fn reader() -> Reader {
    let mut ages = Dictionary::new();
    [("10", 1), ("20", 3), ("30", 1), ("40", 5)].iter().for_each(|(age, rows)| {
        ages.add(Some(age), *rows);
    });
    let towns = Dictionary::of(["Bonn", "Kiel", "Ulm"].map(Some));
    Reader::new(&[
        Known { values: &ages, hierarchy: None, codes: false },
        Known { values: &towns, hierarchy: None, codes: false },
    ])
}

#[test]
fn texts_become_distributions_over_what_they_cover() {
    let ages: Vec<(Option<&str>, f64)> =
        [("10", 10.0), ("20", 10.0), ("30", 10.0), ("[10, 20]", 10.0), ("*", 5.0)]
            .map(|(t, w)| (Some(t), w))
            .to_vec();
    let towns: Vec<(Option<&str>, f64)> = [("Bonn", 20.0), ("Ulm", 10.0), ("{Bonn, Kiel}", 10.0), ("*", 5.0)]
        .map(|(t, w)| (Some(t), w))
        .to_vec();
    let (space, columns) = Space::new(&reader(), &[ages.clone(), towns.clone()], Reading::Direct);
    // Whole numbers from 10 to 20 have mean 15, and are spread over the bins between.
    let cell = &columns[0].cells[3];
    assert_eq!(cell.mean, 15.0);
    assert!((cell.parts.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(cell.parts.len() > 2, "{cell:?}");
    // `*` is spread like the rest of its column: mean (10+20+30+15)/4.
    assert!((columns[0].cells[4].mean - 18.75).abs() < 1e-12);
    assert_eq!(columns[1].cells[2].parts, [(0, 0.5), (1, 0.5)]);
    let star: Vec<f64> = columns[1].cells[3].parts.iter().map(|(_, share)| *share).collect();
    assert_eq!(star, [25.0 / 40.0, 5.0 / 40.0, 10.0 / 40.0]);
    // Read by the middle, every cell is one part: of categories the most frequent one.
    let (_, middle) = Space::new(&reader(), &[ages, towns], Reading::Middle);
    assert!(middle.iter().flat_map(|c| &c.cells).all(|cell| cell.parts.len() == 1));
    assert_eq!(middle[1].cells[2].parts, [(0, 1.0)]);
    assert_eq!((middle[0].cells[3].mean, middle[0].cells[4].mean), (15.0, 18.75));
    // A text that the training part does not have.
    assert_eq!(space.cell(1, Some("Kiel")).parts, [(1, 1.0)]);
    assert_eq!(space.cell(1, Some("Rom")).parts, [(3, 1.0)]);
    assert_eq!(space.cell(0, Some("25")).mean, 25.0);
}

#[test]
fn dates_are_days() {
    let dates = Dictionary::of(["2020-01-01", "2020-01-11", "2021-03-01"].map(Some));
    let reader = Reader::new(&[Known { values: &dates, hierarchy: None, codes: false }]);
    assert!(reader.is_ordered(0));
    let Extent::Number(first) = reader.extent(0, Some("2020-01-01")) else { panic!() };
    assert_eq!(reader.extent(0, Some("2020-02-01")), Extent::Number(first + 31.0));
    let range = Some("2020-01-01 - 2020-01-11");
    assert_eq!(reader.extent(0, range), Extent::Between(first - 0.5, first + 10.5));
    assert_eq!((reader.extent(0, Some("*")), reader.extent(0, None)), (Extent::Anything, Extent::Anything));
    let (_, columns) = Space::new(&reader, &[vec![(range, 3.0)]], Reading::Direct);
    assert!(columns[0].ordered && columns[0].cells[0].mean == first + 5.0);
}

#[test]
fn rare_ones_of_many_categories_are_one_part() {
    let names: Vec<String> = (0..400).map(|i| format!("v{i:03}")).collect();
    let values = Dictionary::of(names.iter().map(|n| Some(n.as_str())));
    let reader = Reader::new(&[Known { values: &values, hierarchy: None, codes: false }]);
    let texts: Vec<(Option<&str>, f64)> =
        names.iter().enumerate().map(|(i, n)| (Some(n.as_str()), (400 - i) as f64)).collect();
    let (space, columns) = Space::new(&reader, &[texts], Reading::Direct);
    assert_eq!((columns[0].parts, space.parts(0)), (256, 256));
    assert_eq!(columns[0].cells[254].parts, [(254, 1.0)]);
    assert!(columns[0].cells[255..].iter().all(|cell| cell.parts == [(255, 1.0)]));
}
