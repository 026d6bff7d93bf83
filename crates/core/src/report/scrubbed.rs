//! What was scrubbed in free text, in words: one line per column, never a value.

use std::collections::BTreeMap;

use super::text::{count, integer};
use crate::release::TextFacts;

/// Texts, findings by kind, and words that were suppressed because they resembled a value of the
/// row.
pub fn scrubbed_lines(text: &BTreeMap<String, TextFacts>) -> Vec<String> {
    text.iter().map(|(column, facts)| format!("{column}: {}", phrase(facts))).collect()
}

/// The same of one column.
pub(super) fn phrase(facts: &TextFacts) -> String {
    let kinds = facts.found.iter().map(|(kind, found)| format!("{kind} {}", integer(*found)));
    let mut line = count(facts.texts, "text");
    match kinds.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => line += ", nothing found",
        kinds => line += &format!("; replaced or suppressed: {kinds}"),
    }
    if facts.suppressed > 0 {
        let words = count(facts.suppressed, "word");
        line += &format!("; {words} suppressed that resembled a value of the row");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted() {
        let found = BTreeMap::from([("date".to_owned(), 1_200), ("person".to_owned(), 3)]);
        let facts = TextFacts { texts: 2, found, suppressed: 1 };
        let lines = scrubbed_lines(&BTreeMap::from([("note".to_owned(), facts)]));
        assert_eq!(
            lines,
            [
                "note: 2 texts; replaced or suppressed: date 1,200, person 3; 1 word suppressed that resembled a value of the row"
            ]
        );
        assert_eq!(phrase(&TextFacts::default()), "0 texts, nothing found");
    }
}
