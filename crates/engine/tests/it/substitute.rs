//! Made-up identifiers in typed tables: numbers become text of the same shape, and what reads as
//! missing is never made up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use proptest::prelude::*;
use throng_engine::PolicyFile;

use crate::support::{Folder, batch, effort, read, release, write_arrow, write_parquet};

fn policy(folder: &Folder, input: &str, output: &str, more: &str) -> PolicyFile {
    folder.write("secret.key", "a secret of many bytes\r\n");
    folder.policy(&format!(
        "version = 1\n[input]\npath = \"{input}\"\n{more}\n[output]\npath = \"{output}\"\nkeep_order = true\n\
         [privacy]\nk = 2\n[columns.q]\nrole = \"quasi\"\n[columns.n]\nrole = \"keep\"\n\
         [columns.id]\nrole = \"identifier\"\ntransform = {{ substitute = {{ key_file = \"secret.key\" }} }}\n"
    ))
}

/// Ids of eight digits as numbers; every third row is another one of the person before, every
/// seventh is missing.
fn id(row: i64) -> Option<i64> {
    (row % 7 != 6).then(|| 10_000_000 + (row - row % 3) * 7919 % 89_999_999)
}

#[test]
fn numbers_become_text_of_the_same_shape() {
    let rows = 5000;
    let table = batch(vec![
        ("id", Arc::new((0..rows).map(id).collect::<Int64Array>()) as ArrayRef),
        ("q", Arc::new(StringArray::from(vec!["a"; rows as usize]))),
        ("n", Arc::new((0..rows).collect::<Int64Array>())),
    ]);
    let folder = Folder::new();
    write_parquet(&folder.path("t.parquet"), std::slice::from_ref(&table));
    write_arrow(&folder.path("t.arrow"), &[table]);
    let mut found = Vec::new();
    for (input, output) in [("t.parquet", "a.parquet"), ("t.arrow", "b.arrow"), ("t.parquet", "c.csv")] {
        let done = release(&policy(&folder, input, output, "")).unwrap();
        assert!(done.verdict.holds() && done.verdict.claims.contains_key("identifiers: id"));
        let (columns, out) = read(&folder.path(output));
        let (id_at, n_at) =
            (columns.iter().position(|c| c == "id").unwrap(), columns.iter().position(|c| c == "n").unwrap());
        let mut pairs: BTreeMap<i64, String> = BTreeMap::new();
        for row in &out {
            let number: i64 = row[n_at].as_deref().unwrap().parse().unwrap();
            match (id(number), &row[id_at]) {
                (None, None) => {}
                (Some(real), Some(made)) => {
                    assert!(made.len() == 8 && made.bytes().all(|b| b.is_ascii_digit()), "{made}");
                    assert_eq!(pairs.entry(real).or_insert_with(|| made.clone()), made);
                }
                other => panic!("{other:?}"),
            }
        }
        let made: BTreeSet<&String> = pairs.values().collect();
        assert_eq!(made.len(), pairs.len());
        assert!(pairs.keys().all(|real| !made.contains(&real.to_string())));
        found.push(pairs);
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "the same values whatever the format");
}

#[test]
fn what_reads_as_missing_is_never_made_up() {
    // Of 1,000 values 60 are there and 150 mean missing; what is made up is among the others.
    let folder = Folder::new();
    let table: String = (0..60).map(|i| format!("{i:03},a,{i}\n")).collect();
    folder.write("t.csv", format!("id,q,n\n{table}"));
    let null: Vec<String> = (850..1000).map(|i| format!("\"{i}\"")).collect();
    let more = format!("null = [{}]", null.join(", "));
    let done = release(&policy(&folder, "t.csv", "r.csv", &more)).unwrap();
    assert!(done.verdict.holds());
    let (columns, out) = read(&folder.path("r.csv"));
    let at = columns.iter().position(|c| c == "id").unwrap();
    let made: BTreeSet<u32> = out.iter().map(|row| row[at].as_deref().unwrap().parse().unwrap()).collect();
    assert_eq!(made.len(), 60);
    assert!(made.iter().all(|id| (60..850).contains(id)), "{made:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort(12), ..ProptestConfig::default() })]

    #[test]
    fn any_identifiers_of_one_shape_are_replaced_and_verified(
        ids in prop::collection::vec("[A-Z][0-9]{3}-[a-z]", 4..60),
        classes in 1..4usize,
    ) {
        let folder = Folder::new();
        let rows = ids.iter().enumerate();
        let table: String = rows.map(|(i, id)| format!("{id},{},{i}\n", i % classes)).collect();
        folder.write("t.csv", format!("id,q,n\n{table}"));
        let done = release(&policy(&folder, "t.csv", "r.csv", "")).unwrap();
        prop_assert!(done.verdict.holds());
        let (columns, out) = read(&folder.path("r.csv"));
        let at = columns.iter().position(|c| c == "id").unwrap();
        let n = columns.iter().position(|c| c == "n").unwrap();
        let mut there: BTreeMap<&str, &str> = BTreeMap::new();
        let mut back: BTreeMap<&str, &str> = BTreeMap::new();
        for row in &out {
            let real = ids[row[n].as_deref().unwrap().parse::<usize>().unwrap()].as_str();
            let made = row[at].as_deref().unwrap();
            prop_assert!(!ids.iter().any(|id| id == made));
            prop_assert_eq!(*there.entry(real).or_insert(made), made);
            prop_assert_eq!(*back.entry(made).or_insert(real), real);
        }
    }
}
