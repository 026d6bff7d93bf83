//! Module dependencies: reads the `use crate::` lines and keeps the map of ARCHITECTURE.md true.
//!
//! Everybody may use the vocabulary (`throng-terms`). That the verifier uses nothing else is what
//! cargo enforces: it is a crate, and its manifest is checked here.

use std::path::{Path, PathBuf};

const NOUNS: [&str; 28] = [
    "augment",
    "lattice",
    "histogram",
    "classes",
    "worth",
    "rank",
    "compatible",
    "tuples",
    "population",
    "predict",
    "deletion",
    "model",
    "loss",
    "space",
    "pseudonym",
    "sampling",
    "recoding",
    "recoded",
    "safe_union",
    "stars",
    "consistency",
    "anonymous_system",
    "row_figures",
    "exposure",
    "class_risk",
    "people",
    "utility",
    "synth",
];
const VERBS: [&str; 15] = [
    "describe", "template", "screen", "search", "recode", "decide", "explore", "compare", "suggest",
    "evaluate", "risk", "measure", "argus", "report", "memory",
];

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The first module below the crate that a file belongs to.
fn module(file: &Path, root: &Path) -> String {
    let inner = file.strip_prefix(root).unwrap();
    let first = inner.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The modules that a file's text names after `crate::`.
fn used(text: &str) -> Vec<String> {
    text.match_indices("crate::")
        .map(|(at, _)| {
            let rest = &text[at + "crate::".len()..];
            rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        })
        .collect()
}

fn may(from: &str, to: &str) -> bool {
    if from == to || !(NOUNS.contains(&to) || VERBS.contains(&to)) {
        return true;
    }
    match from {
        // A model sees classes, a loss sees classes and columns; neither sees how they were
        // searched.
        noun if NOUNS.contains(&noun) => NOUNS.contains(&to),
        "describe" => false,
        // Rules are about what columns hold.
        "template" => to == "describe",
        // Local recoding takes up what a search decided, not how. Risk looks at tables of any
        // origin; argus lets a person decide; a screening looks at columns.
        "search" | "recode" | "risk" | "argus" | "screen" => NOUNS.contains(&to),
        // They run searches and look at what these found; they do not know how it is shown.
        "explore" => NOUNS.contains(&to) || to == "search",
        // It measures what others decided, by the problem that the policy poses.
        "measure" => NOUNS.contains(&to) || to == "search",
        "decide" => NOUNS.contains(&to) || ["search", "recode"].contains(&to),
        "compare" => NOUNS.contains(&to) || ["search", "recode", "decide"].contains(&to),
        // It tries policies as a release would decide them, and knows what names of columns mean.
        "suggest" => NOUNS.contains(&to) || ["search", "decide", "describe"].contains(&to),
        // It tries the settings that suggestions try, and trains models on what they decide.
        "evaluate" => NOUNS.contains(&to) || ["search", "decide", "suggest"].contains(&to),
        // The page shows what all of them tell.
        "report" => {
            let shown = ["search", "decide", "explore", "compare", "suggest", "evaluate", "risk"];
            NOUNS.contains(&to) || shown.contains(&to)
        }
        _ => true,
    }
}

#[test]
fn modules_use_only_what_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 40);
    let mut wrong = Vec::new();
    for file in &files {
        let from = module(file, &root);
        if from == "lib" {
            continue;
        }
        assert!(
            NOUNS.contains(&from.as_str()) || VERBS.contains(&from.as_str()),
            "`{from}` is in neither list"
        );
        for to in used(&std::fs::read_to_string(file).unwrap()) {
            if !may(&from, &to) {
                wrong.push(format!("{} uses {to}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_rules_can_be_broken() {
    assert!(!may("model", "search"));
    assert!(!may("recode", "search"));
    assert!(!may("search", "explore"));
    assert!(!may("risk", "search"));
    assert!(!may("argus", "recode"));
    assert!(!may("measure", "decide"));
    assert!(!may("model", "risk"));
    assert!(!may("compare", "report"));
    assert!(!may("suggest", "report"));
    assert!(!may("evaluate", "report") && !may("decide", "evaluate"));
    assert_eq!(used("use crate::search::x; crate::loss::y"), ["search", "loss"]);
}

#[test]
fn the_verifier_depends_on_the_vocabulary_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (member, allowed) in [("../verify", vec!["throng-terms"]), ("../terms", vec![])] {
        let text = std::fs::read_to_string(root.join(member).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let ours =
            manifest["dependencies"].as_table().unwrap().keys().filter(|key| key.starts_with("throng"));
        assert_eq!(ours.collect::<Vec<_>>(), allowed, "{member}");
    }
}
