//! What Throng is compared with: search and replace [Sweeney 2001, figures 23 and 24].
//!
//! [`straight`] finds the values of the patient's record. [`with_cues`] also takes the heading of a
//! letter, the name behind "Dear", the signature and values behind keys such as `Name:`. Linear in
//! the text times the few values of a record.

use std::ops::Range;

/// Places of the record's values as whole words, in any case.
pub fn straight(text: &str, record: &[String]) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut places = Vec::new();
    for value in record.iter().filter(|value| value.len() > 1) {
        let value = value.to_ascii_lowercase();
        for (start, found) in lower.match_indices(&value) {
            let end = start + found.len();
            let before = lower[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
            let after = lower[end..].chars().next().is_none_or(|c| !c.is_alphanumeric());
            if before && after {
                places.push(start..end);
            }
        }
    }
    merged(places)
}

/// The same, and what the layout of a letter gives away.
pub fn with_cues(text: &str, record: &[String]) -> Vec<Range<usize>> {
    let mut places = straight(text, record);
    let lines: Vec<Range<usize>> = lines(text);
    let dear = lines.iter().position(|line| text[line.clone()].trim_start().starts_with("Dear "));
    if let Some(dear) = dear {
        places.extend(lines[..dear].iter().cloned());
        places.push(salutation(text, &lines[dear]));
    }
    let closing = |line: &&Range<usize>| {
        let line = text[(*line).clone()].trim();
        line.ends_with(',')
            && ["Sincerely", "Yours", "With kind", "Kind"].iter().any(|word| line.starts_with(word))
    };
    if let Some(end) = lines.iter().rposition(|line| closing(&line)) {
        places.extend(lines[end + 1..].iter().take(4).cloned());
    }
    places.extend(lines.iter().filter_map(|line| value_of_key(text, line)));
    places.retain(|place| !text[place.clone()].trim().is_empty());
    merged(places)
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = text.split_inclusive('\n').map(|line| {
        let range = start..start + line.trim_end().len();
        start += line.len();
        range
    });
    ends.collect()
}

/// The words behind "Dear", without a title.
fn salutation(text: &str, line: &Range<usize>) -> Range<usize> {
    let whole = &text[line.clone()];
    let mut name = whole.trim_start().strip_prefix("Dear ").unwrap_or(whole);
    for title in ["Dr. ", "Dr ", "Doctor ", "Mr. ", "Mrs. ", "Ms. "] {
        name = name.strip_prefix(title).unwrap_or(name);
    }
    let start = line.end - name.len();
    start..start + name.find([',', ':']).unwrap_or(name.len())
}

/// What is behind a key that a form has for identifiers.
fn value_of_key(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    const KEYS: [&str; 16] = [
        "name",
        "patient",
        "surname",
        "first name",
        "mrn",
        "dob",
        "date of birth",
        "address",
        "phone",
        "re",
        "ssn",
        "medical record number",
        "attending",
        "street",
        "employer",
        "next of kin",
    ];
    let whole = &text[line.clone()];
    let colon = whole.find(':')?;
    let key = whole[..colon].trim_matches([' ', '.', '|', '-']).to_lowercase();
    KEYS.contains(&key.as_str()).then_some(line.start + colon + 1..line.end)
}

/// The union of places, in order.
fn merged(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let mut union: Vec<Range<usize>> = Vec::with_capacity(places.len());
    for place in places {
        match union.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => union.push(place),
        }
    }
    union
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, places: &[Range<usize>]) -> Vec<&'a str> {
        places.iter().map(|place| &text[place.clone()]).collect()
    }

    #[test]
    fn whole_words_of_the_record_are_found() {
        let text = "ANN saw Annette and ann.";
        assert_eq!(found(text, &straight(text, &["Ann".into()])), ["ANN", "ann"]);
    }

    #[test]
    fn cues_find_heading_salutation_signature_and_keys() {
        let text = "Bo Ek\nMain St\n\nDear Dr. Ek:\n\nI saw Ann.\nDOB: 1/2/34\nSincerely,\n\nCy Orr\n";
        let places = with_cues(text, &["Ann".into()]);
        assert_eq!(found(text, &places), ["Bo Ek", "Main St", "Ek", "Ann", " 1/2/34", "Cy Orr"]);
    }
}
