//! The order of rows: random, the same for the same seed, and untold by the input's.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use throng_engine::{Done, Job};

use crate::support::{ENGINE, Folder, Row, batch, columns_of, job, read, sorted, write_parquet};

/// Largest rank correlation of input and output order that is taken for chance. For a random order
/// of n rows its standard deviation is 1/√(n − 1), at 10,000 rows 0.01: five of them are exceeded
/// once in 1.7 million orders. Seeds are fixed, so that a test fails always or never.
const CHANCE: f64 = 0.05;

/// Rows that are shuffled in memory; more go through buckets on disk.
const IN_MEMORY: usize = 1 << 18;

fn policy(output: &str, more: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.parquet\"\n[output]\npath = \"{output}\"\n{more}\n\
         [privacy]\nk = 3\nsuppression = 0.01\n\
         [columns.n]\nrole = \"keep\"\n\
         [columns.q]\nrole = \"quasi\"\nmin_level = 1\nmax_level = 1\nhierarchy = {{ file = \"q.csv\" }}\n"
    )
}

/// Numbered rows; every 1000th misses its quasi-identifier, and two rows have one that is too rare.
fn folder(rows: usize) -> Folder {
    let folder = Folder::new();
    folder.write("q.csv", "a;ab\nb;ab\nc;cd\nd;cd\nrare;alone\n");
    let value = |i: usize| match i {
        7 | 8 => Some("rare"),
        i if i % 1000 == 999 => None,
        i => Some(["a", "b", "c", "d"][i % 4]),
    };
    let q: ArrayRef = Arc::new((0..rows).map(value).collect::<StringArray>());
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows as i64));
    write_parquet(&folder.path("t.parquet"), &[batch(vec![("n", n), ("q", q)])]);
    folder
}

/// What the release must hold, in the input's order.
fn expected(rows: usize) -> Vec<Row> {
    let label = |i: usize| match i {
        i if i % 1000 == 999 => None,
        i => Some(["ab", "ab", "cd", "cd"][i % 4].to_owned()),
    };
    (0..rows).filter(|i| ![7, 8].contains(i)).map(|i| vec![Some(i.to_string()), label(i)]).collect()
}

fn release(folder: &Folder, output: &str, seed: u64, more: &str) -> Done {
    let policy = folder.policy(&policy(output, more));
    ENGINE.release(&Job { seed: Some(seed), ..job(&policy) }).unwrap()
}

/// The rows' numbers in the order of the release.
fn numbers(folder: &Folder, output: &str) -> Vec<usize> {
    let table = read(&folder.path(output));
    columns_of(&table, &["n"]).into_iter().map(|r| r[0].as_deref().unwrap().parse().unwrap()).collect()
}

fn is_random(numbers: &[usize]) {
    let n = numbers.len();
    let mean = (n as f64 - 1.0) / 2.0;
    let ranks = {
        let mut by_number: Vec<usize> = (0..n).collect();
        by_number.sort_by_key(|&i| numbers[i]);
        let mut ranks = vec![0; n];
        by_number.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank);
        ranks
    };
    let product: f64 = ranks.iter().enumerate().map(|(i, &r)| (i as f64 - mean) * (r as f64 - mean)).sum();
    let square: f64 = (0..n).map(|i| (i as f64 - mean).powi(2)).sum();
    let correlation = product / square;
    assert!(correlation.abs() < CHANCE, "{correlation}");
    // Of n rows one stays in its place on average (Poisson): more than 12 do in one of 10¹⁰ orders.
    let fixed = ranks.iter().enumerate().filter(|(i, r)| i == *r).count();
    assert!(fixed <= 12, "{fixed}");
    // Neighbours in the input are neighbours in the output twice on average: more than 16 times in
    // one of 10¹⁰.
    let neighbours = ranks.windows(2).filter(|w| w[0].abs_diff(w[1]) == 1).count();
    assert!(neighbours <= 16, "{neighbours}");
    // The first and the last hundredth come from everywhere: their mean rank has a standard
    // deviation of 0.29·n/√(n/100), and five of them are exceeded once in 1.7 million orders.
    let part = n / 100;
    let limit = 5.0 * 0.29 * n as f64 / (part as f64).sqrt();
    for part in [&ranks[..part], &ranks[n - part..]] {
        let found = part.iter().sum::<usize>() as f64 / part.len() as f64;
        assert!((found - mean).abs() < limit, "{found} against {mean}");
    }
}

#[test]
fn the_order_in_memory_is_random() {
    let folder = folder(10_002);
    for seed in 0..3 {
        release(&folder, "r.csv", seed, "");
        let found = numbers(&folder, "r.csv");
        assert_eq!(found.len(), 10_000);
        is_random(&found);
    }
}

#[test]
fn a_seed_gives_one_order() {
    for output in ["r.csv", "r.parquet", "r.json", "r.arrow"] {
        let folder = folder(5_000);
        let mut seen = Vec::new();
        for seed in [1, 1, 2] {
            let done = release(&folder, output, seed, "");
            seen.push((fs::read(folder.path(output)).unwrap(), numbers(&folder, output), done));
        }
        assert!(seen[0].0 == seen[1].0, "{output}: the same seed, other bytes");
        assert_eq!(seen[0].2.certificate.release.output.sha256, seen[1].2.certificate.release.output.sha256);
        assert_ne!(seen[0].1, seen[2].1, "{output}: another seed, the same order");
        assert_eq!(sorted(seen[0].1.clone()), sorted(seen[2].1.clone()));
    }
}

#[test]
fn a_seed_in_the_policy_counts_unless_another_is_given() {
    let folder = folder(1_000);
    let text = policy("r.csv", "") + "[search]\nseed = 5\n";
    let policy = folder.policy(&text);
    let bytes = |seed: Option<u64>| {
        let done = ENGINE.release(&Job { seed, ..job(&policy) }).unwrap();
        assert_eq!(done.certificate.release.seed, seed.unwrap_or(5));
        fs::read(folder.path("r.csv")).unwrap()
    };
    assert_eq!(bytes(None), bytes(Some(5)));
    assert_ne!(bytes(None), bytes(Some(6)));
}

/// More rows than are shuffled in memory: nothing is lost, doubled or left behind.
#[test]
fn buckets_hold_the_same_rows_in_a_random_order() {
    let rows = IN_MEMORY + 40_000;
    let folder = folder(rows);
    let before = folder.names();
    let first = release(&folder, "r.parquet", 1, "");
    assert_eq!(first.certificate.release.released as usize, rows - 2);
    let table = read(&folder.path("r.parquet"));
    let found = columns_of(&table, &["n", "q"]);
    is_random(&numbers(&folder, "r.parquet"));
    assert!(sorted(found) == sorted(expected(rows)), "other rows");

    let again = release(&folder, "again.parquet", 1, "");
    assert_eq!(first.certificate.release.output.sha256, again.certificate.release.output.sha256);
    let other = release(&folder, "other.parquet", 2, "");
    assert_ne!(first.certificate.release.output.sha256, other.certificate.release.output.sha256);

    let mut names = folder.names();
    names.retain(|name| !before.contains(name) && name != "policy.toml");
    assert_eq!(names.len(), 9, "{names:?}");
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
}

#[test]
fn the_order_of_a_large_table_can_be_kept() {
    let rows = IN_MEMORY + 10_000;
    let folder = folder(rows);
    release(&folder, "r.csv", 1, "keep_order = true");
    let table = read(&folder.path("r.csv"));
    assert!(columns_of(&table, &["n", "q"]) == expected(rows), "another order");
}

/// Starred rows are shuffled with the others: at the end they would be the last to have been
/// suppressed.
#[test]
fn starred_rows_are_anywhere() {
    let folder = folder(10_000);
    release(&folder, "r.csv", 3, "suppressed = \"starred\"");
    let table = read(&folder.path("r.csv"));
    let starred: Vec<usize> = columns_of(&table, &["q", "n"])
        .iter()
        .enumerate()
        .filter(|(_, row)| row[0].as_deref() == Some("*"))
        .map(|(at, row)| {
            assert!(["7", "8"].contains(&row[1].as_deref().unwrap()));
            at
        })
        .collect();
    assert_eq!(starred.len(), 2);
    // Both among the first or last ten rows: once in 250,000 orders.
    assert!(starred.iter().any(|at| (10..9_990).contains(at)), "{starred:?}");
    is_random(&numbers(&folder, "r.csv"));
}
