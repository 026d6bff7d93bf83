//! Unused dependencies: every dependency that a manifest declares occurs in the sources of its
//! crate, and every entry of `[workspace.dependencies]` in the manifest of a member.
//!
//! A text search: a dependency counts as used where its name is followed by `::` or stands alone in
//! a `use`. Part of `make check`; it reads all sources once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn manifest(path: &Path) -> Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// The crates of the repository: the members of the workspace, and the fuzz targets.
fn crates() -> Vec<PathBuf> {
    let workspace = manifest(&root().join("Cargo.toml"));
    let members = workspace["workspace"]["members"].as_array().unwrap().clone();
    let members = members.iter().map(|member| root().join(member.as_str().unwrap()));
    members.chain([root().join("fuzz")]).collect()
}

/// The tables of dependencies in a manifest, also those of single targets.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        found.extend(manifest.get(kind).and_then(Value::as_table).into_iter().flat_map(Table::keys).cloned());
    }
    let targets = manifest.get("target").and_then(Value::as_table);
    for target in targets.into_iter().flat_map(Table::values).filter_map(Value::as_table) {
        found.extend(dependencies(target));
    }
    found
}

/// The text of all sources below a folder, without comments.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                text.push_str(line.split("//").next().unwrap_or_default());
                text.push('\n');
            }
        }
    }
}

/// Whether sources name a crate.
fn names(text: &str, dependency: &str) -> bool {
    let name = dependency.replace('-', "_");
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        let rest = &text[at + name.len()..];
        !before && (rest.starts_with("::") || text[..at].ends_with("use ") && rest.starts_with([';', ' ']))
    })
}

/// What a manifest declares and no source names.
fn unused(manifest: &Table, text: &str) -> Vec<String> {
    dependencies(manifest).into_iter().filter(|name| !names(text, name)).collect()
}

#[test]
fn every_dependency_is_used() {
    for folder in crates() {
        let manifest = manifest(&folder.join("Cargo.toml"));
        let mut text = String::new();
        sources(&folder, &mut text);
        let unused = unused(&manifest, &text);
        assert!(unused.is_empty(), "{}: remove {unused:?}", folder.display());
    }
}

#[test]
fn every_dependency_of_the_workspace_has_a_member() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let read = |folder: PathBuf| dependencies(&manifest(&folder.join("Cargo.toml")));
    let used: BTreeSet<String> = crates().into_iter().flat_map(read).collect();
    let declared = workspace["workspace"]["dependencies"].as_table().unwrap();
    let unused: Vec<&String> = declared.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "Cargo.toml: remove {unused:?} from [workspace.dependencies]");
}

#[test]
fn an_unused_dependency_is_found() {
    let manifest: Table = "dependencies.b-c = '1'\ndependencies.d = '1'\ndependencies.e = '1'\n\
                           target.'cfg(unix)'.dev-dependencies.f = '1'"
        .parse()
        .unwrap();
    assert_eq!(unused(&manifest, "use b_c::x;\nuse d;\nuse fe::x;\nlet e = 1; e.f()"), ["e", "f"]);
    assert_eq!(unused(&manifest, "b_c::x(); d::y(); e::z(); #[f::test]"), [""; 0]);
}
