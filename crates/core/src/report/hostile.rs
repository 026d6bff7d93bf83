//! Hostile text in names, labels, paths and claims is escaped once, wherever a report shows it.

use std::collections::BTreeMap;

use super::sample::sample;
use super::tests::check_page;
use super::{Facts, html};
use crate::release::{RegionFacts, StepFacts};

/// Text that must never reach a page unescaped.
const EVIL: &str = "<script>&\"'";
const SAFE: &str = "&lt;script&gt;&amp;&quot;&#39;";

/// A release with hostile text in a column name, its labels, every path and the warnings. Each
/// text begins with a word of its own.
fn hostile() -> Facts {
    let mut facts = sample();
    let evil = |word: &str| format!("{word}{EVIL}");
    let column = &mut facts.columns[1];
    (column.name, column.empty) = (evil("column"), true);
    column.before.iter_mut().chain(&mut column.after).for_each(|bar| bar.label = evil("label"));
    column.ladder.iter_mut().for_each(|step| step.example = evil("rung"));
    facts.lattice.chosen[0].column = evil("column");
    facts.release.input.path = evil("input");
    facts.release.output.path = evil("output");
    facts.policy.path = evil("policy");
    facts.policy.certificate = Some(evil("certificate"));
    facts.warnings = vec![evil("warning")];
    facts.exposures = vec![evil("exposure")];
    facts
}

/// Checks that the page has these phrases with the hostile text escaped once, and has that text
/// nowhere unescaped.
fn escaped(facts: &Facts, phrases: &[&str]) {
    let page = html(facts);
    check_page(&page);
    for phrase in phrases {
        assert!(page.contains(&phrase.replace(EVIL, SAFE)), "the page lacks {phrase}");
    }
    for raw in ["<script", "script>", "&\"", "\"'", "&amp;lt;", "&amp;amp;", "&amp;quot;"] {
        assert!(!page.contains(raw), "the page has {raw}");
    }
}

#[test]
fn names_labels_paths_and_warnings_are_escaped_once_on_the_page() {
    let facts = hostile();
    escaped(
        &facts,
        &[
            "<li class=\"exposed\">exposure<script>&\"'</li><li class=\"\">warning<script>&\"'</li>",
            "The columns: column<script>&\"', sex",
            " column<script>&\"' holds nothing but *.",
            "<th scope=\"row\">column<script>&\"'</th>",
            "<h3>column<script>&\"'</h3>",
            "<title>label<script>&\"':",
            ">rung<script>&\"'</span>",
            "<code>input<script>&\"'</code>",
            "<code>output<script>&\"'</code>",
            "<code>policy<script>&\"'</code>",
            "--certificate &#39;certificate<script>&\"'",
        ],
    );
    let mut several = facts.clone();
    several.columns[2].empty = true;
    escaped(&several, &["These hold nothing but *: column<script>&\"', sex."]);
}

#[test]
fn the_verdict_is_escaped_once() {
    let mut facts = hostile();
    facts.columns.truncate(2);
    escaped(&facts, &["every released value of column<script>&\"' is shared by at least 5 rows"]);
    let mut claim = facts.release.privacy["k-anonymity"].clone();
    (claim.achieved, claim.holds) = (Some(1.0), false);
    facts.release.privacy.insert("k-anonymity".to_owned(), claim.clone());
    escaped(&facts, &["some value of column<script>&\"' occurs only 1 time"]);
    facts.release.privacy = BTreeMap::from([(format!("claim{EVIL}"), claim.clone())]);
    escaped(
        &facts,
        &["</strong> claim<script>&\"' does not hold</p>", "<th scope=\"row\">claim<script>&\"'</th>"],
    );
    claim.holds = true;
    facts.release.privacy = BTreeMap::from([(format!("claim{EVIL}"), claim)]);
    escaped(&facts, &["<strong>Guarantee holds:</strong> claim<script>&\"'</p>"]);
    facts.policy.suppression_limit = format!("share{EVIL}");
    escaped(&facts, &["<small>limit share<script>&\"'</small>"]);
}

#[test]
fn steps_and_regions_are_escaped_once() {
    let mut facts = hostile();
    facts.policy.local = true;
    facts.release.levels = BTreeMap::from([(format!("column{EVIL}"), 0)]);
    let step = StepFacts { levels: facts.release.levels.clone(), rows: 995, starred: 0 };
    facts.release.steps = vec![step.clone(), step];
    escaped(&facts, &["The steps", "<th scope=\"col\" class=\"n\">column<script>&\"'</th></tr>"]);
    facts.release.search.algorithm = format!("search{EVIL}");
    facts.release.regions = Some(RegionFacts { count: 1_000, forms: BTreeMap::new(), parted: true });
    escaped(&facts, &["The regions", "by \"search<script>&\"'\",", "search<script>&\"', 0.042 s"]);
}
