//! Files for the holder: rows keep the numbers of the input, whatever was deleted or suppressed.

use std::fs;

use throng::error::Kind;
use throng_engine::{HolderFiles, Job};

use crate::support::{ENGINE, Folder, job};

const POLICY: &str = r#"version = 1
[input]
path = "t.csv"
[output]
path = "out/release.csv"
[columns.age]
role = "quasi"
[columns.ill]
role = "sensitive"
[privacy]
k = 2
suppression = 0.5
models = [{ rare_values = { k = 2, columns = ["ill"], delete = "rows" } }]
[search]
algorithm = "mondrian"
"#;

/// Row 2 has a rare value.
const TABLE: &str = "age,ill\n20,flu\n21,RARE\n21,flu\n70,cold\n71,cold\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    fs::create_dir(folder.path("out")).unwrap();
    folder
}

#[test]
fn deleted_rows_are_numbered_and_in_no_set() {
    let folder = folder();
    let policy = folder.policy(POLICY);
    let holder = HolderFiles { sets: Some(folder.path("sets.csv")), rows: None };
    let done = ENGINE.release(&Job { holder: holder.clone(), ..job(&policy) }).unwrap();
    assert_eq!(done.holder, holder);
    assert_eq!(fs::read_to_string(folder.path("sets.csv")).unwrap(), "set,rows,partners\n1,1 3,\n2,4 5,\n");
}

#[test]
fn deleted_rows_have_no_figures() {
    let folder = folder();
    let policy = folder.policy(POLICY);
    let holder = HolderFiles { sets: None, rows: Some(folder.path("rows.csv")) };
    let done = ENGINE.release(&Job { holder, ..job(&policy) }).unwrap();
    let text = fs::read_to_string(folder.path("rows.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0][..5], ["row", "suppressed", "class_size", "precision", "prec"]);
    let sizes: Vec<String> = lines[1..].iter().map(|line| line[..3].join(" ")).collect();
    assert_eq!(sizes, ["1 false 2", "2 true ", "3 false 2", "4 false 2", "5 false 2"]);
    assert!(lines[2][3..].iter().all(|cell| cell.is_empty()));
    // The figures are those of the table that is left.
    let left = lines[1..].iter().filter(|line| !line[4].is_empty());
    let sum: f64 = left.map(|line| line[4].parse::<f64>().unwrap()).sum();
    assert!((sum / 4.0 - done.certificate.release.loss["prec"]).abs() < 1e-9);
}

#[test]
fn rows_of_equal_values_in_several_regions_are_told_apart() {
    let folder = folder();
    folder.write("t.csv", "age,ill\n20,flu\n20,cold\n20,cold\n20,flu\n");
    let rare = "models = [{ rare_values = { k = 2, columns = [\"ill\"], delete = \"rows\" } }]\n";
    let policy = POLICY.replace(rare, "") + "mondrian = { cut = \"relaxed\" }\n";
    let policy = folder.policy(&policy);
    let holder = HolderFiles { sets: Some(folder.path("sets.csv")), rows: None };
    ENGINE.release(&Job { holder, ..job(&policy) }).unwrap();
    let text = fs::read_to_string(folder.path("sets.csv")).unwrap();
    let mut rows: Vec<&str> =
        text.lines().skip(1).flat_map(|line| line.split(',').nth(1).unwrap().split(' ')).collect();
    rows.sort_unstable();
    assert_eq!(rows, ["1", "2", "3", "4"], "{text}");
}

#[test]
fn drawn_rows_have_no_file() {
    let folder = folder();
    folder.write("key", "0123456789abcdef0123456789abcdef");
    let drawn = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"out/release.csv\"\n[columns.age]\nrole = \"quasi\"\n\
        hierarchy = { intervals = { widths = [20], low = 0, high = 100 } }\nmin_level = 1\nmax_level = 1\n[columns.ill]\nrole = \"drop\"\n[privacy]\n\
        models = [{ differential_privacy = { epsilon = 2.0, delta = 1e-4, key_file = \"key\" } }]\n";
    let policy = folder.policy(drawn);
    let holder = HolderFiles { sets: Some(folder.path("sets.csv")), rows: None };
    let before = folder.names();
    let error = ENGINE.release(&Job { holder, ..job(&policy) }).unwrap_err();
    assert!(error.has_code("release.holder-file-of-drawn-rows") && error.is_all(Kind::Input), "{error}");
    assert_eq!(folder.names(), before);
}
