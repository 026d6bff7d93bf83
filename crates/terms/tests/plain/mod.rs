//! Plain technical English: phrases that a reader has to parse twice do not occur in texts for
//! users. Included by the tests of several crates.

/// Phrases to avoid, in lower case. "is no" and its like are checked apart.
const AVOIDED: [&str; 11] = [
    "tell",
    "tells",
    "told",
    "whoever",
    "of which",
    "so many",
    "as it stands",
    "asked for",
    "asks for",
    "reckon",
    "reckoned",
];

/// Fails if a text has a phrase to avoid.
#[track_caller]
pub fn check_plain(text: &str, source: &str) {
    let found = avoided(text);
    assert!(found.is_empty(), "{source} has phrases to avoid: {found:?}");
}

/// The phrases to avoid that a text has, each with the words around it.
pub fn avoided(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let around =
        |at: usize, length: usize| words[at.saturating_sub(3)..(at + length + 3).min(words.len())].join(" ");
    let mut found = Vec::new();
    for at in 0..words.len() {
        for phrase in AVOIDED {
            let length = phrase.split(' ').count();
            if words[at..].iter().take(length).copied().eq(phrase.split(' ')) {
                found.push(around(at, length));
            }
        }
        // "is no number" for "is not a number"; "there is no number" is plain.
        let denies = ["is", "are"].contains(&words[at]) && words.get(at + 1) == Some(&"no");
        let longer = words.get(at + 2).is_some_and(|next| ["longer", "more", "less", "later"].contains(next));
        if denies && !longer && (at == 0 || words[at - 1] != "there") {
            found.push(around(at, 2));
        }
    }
    found
}

/// The text of a page of HTML: without its style sheet, tags and quoted values.
#[allow(dead_code, reason = "not every crate that includes this has pages")]
pub fn text_of_page(page: &str) -> String {
    let body = page.split_once("</style>").map_or(page, |(_, body)| body);
    let parts = body.split('<').filter_map(|part| part.split_once('>').map(|(_, text)| text));
    parts.collect::<Vec<_>>().join(" ")
}
