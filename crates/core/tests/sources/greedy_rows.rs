//! Greedy as printed [Katirai 2006, figure 11] against `greedy_rows.py`: cells, sets, notions,
//! and the precision of rows.

use serde::Deserialize;
use throng::decide::{Decision, decide};
use throng::policy::{LossParameters, Policy};
use throng::recoding::{RowClasses, RowCounter};
use throng::registry::LossKind;
use throng::release::NotionFacts;
use throng::row_figures::RowFigures;
use throng::search::{Grouped, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use super::{Row, cases, counted, recorded, release};

const FOUND: &str = include_str!("greedy_rows.jsonl");

#[derive(Deserialize)]
pub struct Case {
    policy: String,
    rows: Vec<Vec<String>>,
    released: Vec<Row>,
    precision: Vec<f64>,
    /// The rows of each set, and its partners.
    sets: Vec<[Vec<usize>; 2]>,
    notions: NotionFacts,
}

/// What was decided of a case, and the class of each of its rows.
struct Decided {
    decision: Decision,
    of_row: Vec<u32>,
}

impl Case {
    fn all() -> impl Iterator<Item = Case> {
        cases(FOUND).map(|(_, case)| case)
    }

    fn names(&self) -> Vec<String> {
        (0..self.rows[0].len()).map(|column| format!("q{column}")).collect()
    }

    fn decide(&self) -> Decided {
        let names = self.names();
        let mut dictionaries = vec![Dictionary::new(); names.len()];
        let mut tuples = Tuples::new(names.len());
        let mut codes = vec![Vec::new(); names.len()];
        for row in &self.rows {
            let cells = row.iter().zip(&mut dictionaries);
            let tuple: Vec<u32> = cells.map(|(cell, d)| d.add(Some(cell), 1)).collect();
            tuples.insert(&tuple, 1);
            tuple.iter().zip(&mut codes).for_each(|(&code, codes)| codes.push(code));
        }
        let policy = Policy::parse(&self.policy).unwrap();
        let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None };
        let (problem, maps) = Problem::new(&policy, grouped, &|_| unreachable!()).unwrap();
        let decision = decide(&policy, &problem, None, &Watch::none()).unwrap();
        let classes = RowClasses::new(&problem.names, &maps, &decision.recoded);
        let of_row = classes.of(codes, &[], &mut RowCounter::default());
        Decided { decision, of_row }
    }
}

#[test]
fn releases_are_those_of_the_script() {
    let mut weaker = 0;
    for case in Case::all() {
        let names = case.names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows: Vec<Row> = case.rows.iter().map(|row| row.iter().cloned().map(Some).collect()).collect();
        let found = release(&case.policy, &names, &rows).unwrap_or_else(|e| panic!("{e}\n{}", case.policy));
        assert_eq!(counted(found.table.rows()), counted(&case.released), "{:?}", case.rows);
        let facts = &found.certificate.release;
        assert_eq!(facts.notions, Some(case.notions), "{:?}", case.rows);
        let claim = &facts.privacy["(k,1)-anonymity"];
        assert!(claim.holds && claim.achieved == Some(case.notions.k_one as f64));
        assert_eq!(facts.privacy.len(), 1, "no other guarantee is claimed");
        assert!(found.verdict.holds() && found.verdict.claims.contains_key("(k,1)-anonymity"));
        let prec = case.precision.iter().map(|precision| 1.0 - precision).sum::<f64>();
        assert!((facts.loss["prec"] - prec / case.precision.len() as f64).abs() < 1e-12);
        weaker += usize::from(case.notions.k < case.notions.k_one);
    }
    assert!(weaker > 50, "{weaker} releases are not k-anonymous");
}

#[test]
fn sets_are_those_of_the_script() {
    for case in Case::all() {
        let Decided { decision, of_row } = case.decide();
        let mut text = String::new();
        decision
            .write_sets(&of_row, &mut |part| {
                text.push_str(part);
                Ok(())
            })
            .unwrap();
        let list = |rows: &[usize]| rows.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let line = |(at, [own, partners]): (usize, &[Vec<usize>; 2])| {
            format!("{},{},{}\n", at + 1, list(own), list(partners))
        };
        let expected: String = case.sets.iter().enumerate().map(line).collect();
        assert_eq!(text, format!("set,rows,partners\n{expected}"), "{:?}", case.rows);
    }
}

/// Katirai's prec_row, equation 2.
#[test]
fn the_precision_of_rows_is_that_of_the_script() {
    for case in Case::all() {
        let Decided { decision, of_row } = case.decide();
        let weights = vec![1.0; case.rows[0].len()];
        let prec = (LossParameters::new(LossKind::Prec), &weights[..]);
        let figures = RowFigures::new(&decision.recoded, [prec]).unwrap();
        let (name, precision) = figures.figures().next().unwrap();
        assert_eq!(name, "precision");
        for (class, expected) in of_row.iter().zip(&case.precision) {
            assert!((precision[*class as usize] - expected).abs() < 1e-12, "{:?}", case.rows);
        }
    }
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("greedy_rows.py", FOUND);
}
