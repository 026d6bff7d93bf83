//! The tables of the user guide that are generated from the registry.

use std::path::Path;

use throng::registry::{Table, table};

const END: &str = "<!-- end -->\n";

fn marker(table: Table) -> String {
    format!("<!-- generated: {} -->\n", table.name())
}

/// A page with the tables that it has a place for; the names of those.
fn renewed(page: &str) -> (String, Vec<&'static str>) {
    let (mut page, mut found) = (page.to_owned(), Vec::new());
    for &kind in Table::ALL {
        let Some(start) = page.find(&marker(kind)) else { continue };
        let start = start + marker(kind).len();
        let end = start + page[start..].find(END).expect("an end marker");
        page.replace_range(start..end, &table(kind));
        found.push(kind.name());
    }
    (page, found)
}

#[test]
fn tables_of_the_guide_are_those_of_the_registry() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&docs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let (renewed, tables) = renewed(&page);
        found.extend(tables);
        if renewed != page && std::env::var_os("THRONG_BLESS").is_some() {
            std::fs::write(&path, renewed).unwrap();
            continue;
        }
        assert!(
            renewed == page,
            "{} is not what the registry says: THRONG_BLESS=1 cargo test -p throng --test it guide writes it anew",
            path.display()
        );
    }
    found.sort_unstable();
    let mut all: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
    all.sort_unstable();
    assert_eq!(found, all, "each table has its place in one page");
}
