//! Screening against its definition, a printed figure of the literature, and inputs that must be
//! rejected.

use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::information::mutual;

fn screened(asked: Asked, header: &[&str], rows: &[Vec<Option<&str>>], batch: usize) -> Result<Screened> {
    let mut screen = Screen::new(header.iter().map(|&h| h.to_owned()).collect(), asked)?;
    for part in rows.chunks(batch) {
        screen.add(part.len(), |column, row| part[row][column])?;
    }
    assert_eq!(screen.rows(), rows.len() as u64);
    screen.finish(&Watch::none())
}

fn asked(target: &str) -> Asked {
    Asked { target: target.into(), rare: 0, ..Asked::default() }
}

proptest! {
    #[test]
    fn counts_as_the_definition_says_in_any_batches(
        rows in prop::collection::vec((0usize..4, 0usize..3, 0usize..3), 8..60),
        batch in 1usize..20,
        rare in 0u64..8,
    ) {
        const X: [Option<&str>; 4] = [Some("a"), Some("b"), None, Some("c")];
        const C: [Option<&str>; 3] = [Some("yes"), Some("no"), None];
        let cells: Vec<Vec<_>> = rows.iter().map(|&(x, y, c)| vec![X[x], C[c], Some(["p", "q", "r"][y])]).collect();
        let asked = Asked { rare, ..asked("c") };
        match screened(asked, &["x", "c", "y"], &cells, batch) {
            Err(_) => prop_assert!(C[..2].iter().any(|c| cells.iter().all(|row| row[1] != *c))
                || cells.iter().filter(|row| row[1].is_some()).count() < 4),
            Ok(found) => {
                let known: Vec<_> = rows.iter().filter(|row| C[row.2].is_some()).collect();
                prop_assert_eq!(found.rows, known.len() as u64);
                prop_assert_eq!(found.without_target, (rows.len() - known.len()) as u64);
                let x: Vec<_> = known.iter().map(|row| (row.0 as u32, row.2 as u32, 1)).collect();
                let y: Vec<_> = known.iter().map(|row| (row.1 as u32, row.2 as u32, 1)).collect();
                for (column, pairs) in found.columns.iter().zip([x, y]) {
                    prop_assert!((column.mutual - mutual(&pairs, rare)).abs() < 1e-12);
                }
            }
        }
    }

    /// The sums over counters are those of the definition.
    #[test]
    fn random_columns_are_counted_rightly(targets in prop::collection::vec(1u64..40, 2..5), values in 2u64..9) {
        let found = random::mean(&targets, values, (1, 7, 3), &Watch::none()).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(7);
        random.set_stream(3);
        let mut pairs = Vec::new();
        for (c, &rows) in targets.iter().enumerate() {
            for _ in 0..rows {
                let word = random.next_u64();
                pairs.push((((u128::from(word) * u128::from(values)) >> 64) as u32, c as u32, 1));
            }
        }
        prop_assert!((found - mutual(&pairs, 0)).abs() < 1e-12);
    }
}

/// [Katirai 2006, figure 16]: 4,334 rows with 0.635 bits of entropy; a random column of 4,334
/// values seems to carry 0.423 to 0.446 of them, one of 71 values 0.012, one of 2 nothing.
#[test]
fn random_columns_tell_what_the_figure_says() {
    // The share of patients with high expenses follows from the entropy.
    let high = 695;
    assert!((entropy([high, 4334 - high]) - 0.635).abs() < 0.001);
    let of = |values| random::mean(&[high, 4334 - high], values, (10, 1, 0), &Watch::none()).unwrap();
    assert!((of(4334) - 0.423).abs() < 0.03, "{}", of(4334));
    assert!((of(71) - 0.012).abs() < 0.002, "{}", of(71));
    assert!((of(365) - 0.070).abs() < 0.01, "{}", of(365));
    assert!(of(2) < 0.001);
    assert_eq!(of(1), 0.0);
}

/// Sex decides, the digit does not, the place is one.
fn people() -> Vec<Vec<Option<&'static str>>> {
    const NUMBERS: [&str; 200] = {
        let mut numbers = ["0"; 200];
        let digits: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let mut i = 0;
        while i < 200 {
            numbers[i] = digits[(i * 7 / 3) % 10];
            i += 1;
        }
        numbers
    };
    (0..200)
        .map(|i| {
            let woman = i % 2 == 0;
            let ill = if woman { i % 8 != 0 } else { i % 16 == 1 };
            vec![
                Some(if woman { "f" } else { "m" }),
                Some(NUMBERS[i]),
                Some("here"),
                Some(if ill { "90000" } else { "100.5" }),
            ]
        })
        .collect()
}

#[test]
fn what_decides_is_kept_and_chance_is_not() {
    let asked = Asked { above: Some(25_000.0), ..asked("cost") };
    let found = screened(asked.clone(), &["sex", "digit", "place", "cost"], &people(), 64).unwrap();
    let kept: Vec<bool> = found.columns.iter().map(|c| c.keep).collect();
    assert_eq!(kept, [true, false, false], "{found:?}");
    assert_eq!((found.columns[2].ratio, found.target_values), (None, 2));
    // A ratio equal to the threshold is high enough.
    let digit = Asked { threshold: found.columns[1].ratio.unwrap(), ..asked.clone() };
    let just = screened(digit, &["sex", "digit", "place", "cost"], &people(), 64).unwrap();
    assert!(just.columns[1].keep);
    assert_eq!(found, screened(asked, &["sex", "digit", "place", "cost"], &people(), 7).unwrap());
    let shown = text(&found);
    assert!(shown.contains("cost above 25000: 2 values") && shown.contains("MI random"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("sex") && line.ends_with("yes")), "{shown}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let header = ["sex", "digit", "place", "cost"];
    let refused = |asked: Asked| screened(asked, &header, &people(), 64).unwrap_err().to_string();
    assert!(refused(asked("costs")).contains("did you mean `cost`?"));
    assert!(refused(asked("place")).contains("nothing to predict"));
    assert!(refused(Asked { above: Some(1e9), ..asked("cost") }).contains("some rows exceed"));
    assert!(refused(Asked { above: Some(1.0), ..asked("sex") }).contains("`f` is not a number"));
    let all = refused(Asked { runs: 0, threshold: f64::NAN, above: Some(f64::INFINITY), ..asked("cost") });
    assert!(["--runs", "--threshold", "--above"].iter().all(|key| all.contains(key)), "{all}");
    let unique: Vec<Vec<Option<&str>>> = ["1", "2", "3", "4"].map(|n| vec![Some(n), Some("x")]).to_vec();
    let error = screened(asked("n"), &["n", "x"], &unique, 4).unwrap_err().to_string();
    assert!(error.contains("4 values in 4 rows") && error.contains("--above 25000"), "{error}");
}

#[test]
fn measuring_can_be_stopped() {
    let mut screen = Screen::new(vec!["x".into(), "c".into()], asked("c")).unwrap();
    let rows = [["a", "yes"], ["b", "no"], ["a", "yes"], ["b", "no"]];
    screen.add(rows.len(), |column, row| Some(rows[row][column])).unwrap();
    let watch = Watch::none();
    watch.cancel().finish();
    assert!(screen.clone().finish(&watch).unwrap_err().is_cancelled());
    assert!(screen.finish(&Watch::none()).is_ok());
}

/// Days say nothing of the target, because each has few rows; years decide it.
#[test]
fn a_column_is_screened_at_all_levels() {
    use crate::hierarchy::{Date, Spec, build};
    let days: Vec<String> =
        (0..600).map(|i| format!("{}-{:02}-{:02}", 1950 + i % 2 * 20, 1 + i % 12, 1 + i % 28)).collect();
    let rows: Vec<Vec<Option<&str>>> = days
        .iter()
        .enumerate()
        .map(|(i, day)| vec![Some(day.as_str()), Some(["old", "young"][i % 2]), Some(["a", "b", "c"][i % 3])])
        .collect();
    let mut screen =
        Screen::new(["born", "group", "name"].map(String::from).to_vec(), asked("group")).unwrap();
    screen.add(rows.len(), |column, row| rows[row][column]).unwrap();
    let levels = ["month", "year", "10-year"].map(String::from).to_vec();
    let spec = Spec::Date(Date { levels, format: "%Y-%m-%d".into(), low: None, nested: true });
    let hierarchy = build(&spec, &screen.values()[0], &|_| Err(Fault::bug("no file").into())).unwrap();
    let plain = screen.clone().finish(&Watch::none()).unwrap();
    assert_eq!((plain.columns.len(), plain.columns[0].level, plain.columns[0].levels), (2, 0, 0));
    let treatments = [
        Treatment { hierarchy: Some(hierarchy), left_out: false },
        Treatment::default(),
        Treatment { left_out: true, hierarchy: None },
    ];
    let found = screen.treated(treatments).finish(&Watch::none()).unwrap();
    assert_eq!(found.left_out, ["name"]);
    let born = &found.columns[0];
    assert!(born.level >= 2 && born.values == 2 && born.keep, "{born:?}");
    assert!(born.mutual - born.random > plain.columns[0].mutual - plain.columns[0].random);
    let shown = text(&found);
    assert!(shown.contains("Left out") && shown.contains("name"), "{shown}");
}
