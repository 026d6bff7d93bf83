//! Katirai's configuration: whatever is accepted becomes columns that TOML reads, and files of
//! nodes from which posets can be built.

use throng::poset::xml::{Converted, Named, convert};
use throng::poset::{Poset, Spec};

#[derive(serde::Deserialize)]
struct Written {
    #[serde(default)]
    columns: std::collections::BTreeMap<String, Column>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    role: String,
    poset: Option<Spec>,
    weight: Option<f64>,
}

/// Reads the bytes as the declarations of posets up to a line `---`, and as the bindings of columns
/// behind it. The table has the columns `a` and `b`, or else every column that is bound to a poset
/// by the name of `Name=`.
pub fn xml(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (hierarchy, columns) = text.split_once("\n---\n").unwrap_or((text, ""));
    let named: Vec<String> = columns
        .split("Name=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(String::from)
        .collect();
    for table in [vec!["a".to_owned(), "b".to_owned()], named] {
        let files = (Named { file: "H.xml", text: hierarchy }, Named { file: "C.xml", text: columns });
        match convert(files.0, files.1, &table) {
            Ok(converted) => accepted(&converted, &table),
            Err(error) => {
                assert!(!error.faults().is_empty());
                for fault in error.faults() {
                    let file = fault.place.file.as_deref();
                    let text = if file == Some("H.xml") { hierarchy } else { columns };
                    assert!(file == Some("H.xml") || file == Some("C.xml"), "{fault}");
                    let lines = text.split('\n').count() as u64;
                    assert!(fault.place.line.is_none_or(|line| (1..=lines).contains(&line)), "{fault}");
                }
            }
        }
    }
}

fn accepted(converted: &Converted, table: &[String]) {
    let written: Written = toml::from_str(&converted.columns)
        .unwrap_or_else(|e| panic!("written, but not read: {e}\n{}", converted.columns));
    assert_eq!(written.columns.len(), table.len());
    for (name, column) in &written.columns {
        assert!(table.contains(name), "{name:?} is no column");
        assert!(column.weight.is_none_or(|weight| weight >= 0.0));
        assert_eq!(column.role == "keep", column.poset.is_none());
        if let Some(spec) = &column.poset {
            let load = |file: &str| Ok(converted.files[file].clone());
            Poset::build(spec, Vec::new(), &load).unwrap_or_else(|e| panic!("accepted, but not built: {e}"));
        }
    }
}
