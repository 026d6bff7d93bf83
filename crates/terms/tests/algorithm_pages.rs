//! Every algorithm of the registry has a page in docs/algorithms, and the pages link to what exists.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use throng_terms::registry::Algorithm;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_algorithm_has_a_page() {
    let folder = docs().join("algorithms");
    let list = std::fs::read_to_string(folder.join("README.md")).unwrap();
    for &algorithm in Algorithm::ALL {
        let key = algorithm.key();
        let page = std::fs::read_to_string(folder.join(format!("{key}.md")))
            .unwrap_or_else(|e| panic!("docs/algorithms/{key}.md: {e}"));
        assert!(list.contains(&format!("[`{key}`]({key}.md)")), "docs/algorithms/README.md lacks {key}");
        assert!(page.starts_with(&format!("# `{key}`: ")), "{key}");
        for heading in ["When to use it", "Example", "Cost", "Source"] {
            assert!(page.contains(&format!("\n## {heading}\n")), "{key} has no section {heading}");
        }
        assert!(page.contains(&format!("algorithm = \"{key}\"")), "{key} has no example");
        let author = algorithm.entry().reference.split([' ', ';']).next().unwrap();
        assert!(page.contains(author) || key == "cell-mingen", "{key} does not cite {author}");
    }
}

/// The part of a heading's link.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_of_the_start_pages_lead_somewhere() {
    let mut pages = vec![docs().join("README.md"), docs().join("glossary.md")];
    pages.extend(std::fs::read_dir(docs().join("algorithms")).unwrap().map(|entry| entry.unwrap().path()));
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link)) {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let text = std::fs::read_to_string(&target)
                .unwrap_or_else(|e| panic!("{}: {link}: {e}", page.display()));
            let headings = text.lines().filter(|line| line.starts_with('#'));
            let mut anchors = headings.map(|line| anchor(line.trim_start_matches('#')));
            assert!(part.is_empty() || anchors.any(|found| found == part), "{}: {link}", page.display());
        }
    }
}
