//! Pages for users are written in plain technical English.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod plain;

use std::path::{Path, PathBuf};

use plain::{avoided, check_plain};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn phrases_are_found_as_whole_words() {
    assert_eq!(avoided("Whoever knows, tells."), ["whoever knows tells", "whoever knows tells"]);
    assert_eq!(avoided("`x` is no number"), ["x is no number"]);
    assert!(avoided("there is no column `x`, and the rest is no longer read; intelligible").is_empty());
}

#[test]
fn messages_are_plain() {
    check_plain(&std::fs::read_to_string(docs().join("errors.md")).unwrap(), "docs/errors.md");
}

#[test]
fn the_pages_to_start_with_are_plain() {
    let pages = ["README.md", "glossary.md"].map(|name| docs().join(name));
    let algorithms = std::fs::read_dir(docs().join("algorithms")).unwrap().map(|entry| entry.unwrap().path());
    for page in pages.into_iter().chain(algorithms) {
        check_plain(&std::fs::read_to_string(&page).unwrap(), &page.display().to_string());
    }
}
