//! Every source that the code or the documentation cites has an entry in a list of references.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use throng::registry::{Table, table};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Adds all files below a folder that have an extension.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
}

/// A text in one line, without the markers of comments.
fn unwrapped(text: &str) -> String {
    let bare =
        |line: &str| line.trim().trim_start_matches("//").trim_start_matches(['/', '!']).trim().to_owned();
    text.lines().map(bare).collect::<Vec<_>>().join(" ")
}

/// The texts in brackets that are not links.
fn bracketed(text: &str) -> impl Iterator<Item = &str> {
    let inside = |rest: &str| rest.find(']').filter(|&end| !rest[end + 1..].starts_with('('));
    text.split('[').skip(1).filter_map(move |rest| inside(rest).map(|end| &rest[..end]))
}

/// The key of a citation: names and a year, before the first comma.
fn key(citation: &str) -> Option<&str> {
    let key = citation.split(',').next()?.trim();
    let (name, year) = key.rsplit_once(' ')?;
    let digits = year.strip_suffix(|last: char| last.is_ascii_lowercase()).unwrap_or(year);
    let is_year = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_name = name.contains(char::is_uppercase)
        && name.chars().all(|sign| sign.is_alphabetic() || " -'’.".contains(sign));
    (is_year && is_name).then_some(key)
}

/// The keys of the lists of references: in the first column of a table, or a heading.
fn listed() -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for page in ["references.md", "models.md"] {
        let page = fs::read_to_string(root().join("docs").join(page)).unwrap();
        for line in page.lines() {
            let row = line.strip_prefix("| [").and_then(|row| row.split_once("] |")).map(|(key, _)| key);
            keys.extend(row.or_else(|| line.strip_prefix("### ")).map(str::to_owned));
        }
    }
    keys
}

#[test]
fn every_cited_key_is_listed() {
    let (listed, mut pages) = (listed(), Vec::new());
    files(&root().join("docs"), "md", &mut pages);
    files(&root().join("crates"), "rs", &mut pages);
    let mut cited = BTreeSet::new();
    for page in pages {
        let text = unwrapped(&fs::read_to_string(&page).unwrap());
        for key in bracketed(&text).flat_map(|inside| inside.split(';')).filter_map(key) {
            assert!(
                listed.contains(key),
                "{}: [{key}] is listed neither in docs/references.md nor in docs/models.md",
                page.display()
            );
            cited.insert(key.to_owned());
        }
    }
    assert!(cited.contains("Katirai 2006") && cited.contains("Lourenço 2003"), "{cited:?}");
}

#[test]
fn every_source_of_the_registry_is_listed() {
    let listed: BTreeSet<String> =
        listed().iter().map(|key| key.trim_end_matches(['a', 'b']).to_lowercase()).collect();
    // Statistics are textbook definitions, without a column of sources.
    for &kind in Table::ALL.iter().filter(|kind| **kind != Table::Statistics) {
        for row in table(kind).lines().skip(2) {
            let sources = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
            for source in sources.split(';').map(str::trim) {
                let (names, year) = source.rsplit_once(' ').unwrap();
                let first = names.split(" et al.").next().unwrap().split(" and ").next().unwrap();
                let key = format!("{first} {year}").to_lowercase();
                assert!(listed.contains(&key), "{}: {source} is not listed", kind.name());
            }
        }
    }
}

#[test]
fn keys_are_names_with_a_year() {
    assert_eq!(key("El Emam 2009, figure 3"), Some("El Emam 2009"));
    assert_eq!(key(" Nergiz 2007b"), Some("Nergiz 2007b"));
    assert_eq!(key("de Waal 1999"), Some("de Waal 1999"));
    assert_eq!((key("1960, 1970"), key("Default"), key("De Spoelberch, 2.4")), (None, None, None));
    let text = unwrapped("//! As in [Sweeney\n    /// 2001, 6.2], [link 2001](page) and [`Code`].");
    assert_eq!(bracketed(&text).collect::<Vec<_>>(), ["Sweeney 2001, 6.2", "`Code`"]);
}
