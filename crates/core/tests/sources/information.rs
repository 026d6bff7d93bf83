//! How many rows a value needs to have information about the target, against the definition
//! [Katirai 2006, "Method 2" and "Method 3"].

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Row, codes, release};

fn policy(loss: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.q]\nrole = \"quasi\"\nmin_level = 1\n\
         [columns.y]\nrole = \"target\"\n[privacy]\nk = 2\n[search]\nloss = {loss}\n"
    )
}

/// The information of the column, and the mean over rows of that of their values.
fn defined(rows: &[(usize, usize)], rare: usize) -> (f64, f64) {
    let count = |is: &dyn Fn(&(usize, usize)) -> bool| rows.iter().filter(|row| is(row)).count() as f64;
    let often: Vec<(usize, usize)> =
        rows.iter().copied().filter(|(v, _)| count(&|row| row.0 == *v) >= rare as f64).collect();
    let bits = |rows: &[(usize, usize)], (v, c): (usize, usize)| {
        let n = rows.len() as f64;
        let of = |is: &dyn Fn(&(usize, usize)) -> bool| rows.iter().filter(|row| is(row)).count() as f64 / n;
        (of(&|row| *row == (v, c)) / (of(&|row| row.0 == v) * of(&|row| row.1 == c))).log2()
    };
    // Rare values are left out of the first and count in the shares of the second.
    let column = often.iter().map(|&row| bits(&often, row)).sum::<f64>() / (often.len() as f64).max(1.0);
    let values = often.iter().map(|&row| bits(rows, row).abs()).sum::<f64>() / rows.len() as f64;
    (column, values)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Everything is `*`, so a release loses all that values were worth. It is verified, too.
    #[test]
    fn rare_values_are_those_that_the_policy_says(
        rows in prop::collection::vec((0..5usize, 0..3usize), 2..40),
        rare in 0..12usize,
    ) {
        let table: Vec<Row> = rows.iter().map(|(v, c)| vec![Some(format!("v{v}")), Some(format!("c{c}"))]).collect();
        let loss = |name: &str, rare: &str| -> BTreeMap<String, f64> {
            let text = policy(&format!("{{ name = \"{name}\"{rare} }}"));
            release(&text, &["q", "y"], &table).unwrap().certificate.release.loss
        };
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        for (rare, written) in [(rare, format!(", rare = {rare}")), (6, String::new())] {
            let (column, values) = defined(&rows, rare);
            for name in ["column-mi", "value-mi"] {
                let found = loss(name, &written);
                prop_assert!(close(found["column-mi"], column), "{:?}, not {}", found, column);
                prop_assert!(close(found["value-mi"], values), "{:?}, not {}", found, values);
            }
        }
    }
}

#[test]
fn other_losses_have_no_rare_values() {
    let error = release(&policy("{ name = \"lm\", rare = 3 }"), &["q", "y"], &[]).err().unwrap();
    assert_eq!(codes(&error), ["loss.no-rare-values"]);
    assert!(error.to_string().contains("only \"column-mi\" and \"value-mi\" do"), "{error}");
}
