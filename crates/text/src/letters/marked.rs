//! Documents that people marked: `[[kind:text]]` identifies somebody, `{{text}}` is a medical
//! phrase, `<<text>>` may be found or left. A document starts with a line `=== title`, then
//! `record:` with what the patient's record holds, separated by semicolons. Linear in the text.

use super::{Letter, Truth};
use crate::span::Kind;

/// The documents of a file.
///
/// # Errors
/// A mark without an end or of an unknown kind, and a document without its record.
pub fn documents(file: &str) -> Result<Vec<Letter>, String> {
    let parts = file.split("=== ").filter(|part| !part.trim().is_empty());
    parts.map(document).collect()
}

fn document(part: &str) -> Result<Letter, String> {
    let (title, rest) = part.split_once('\n').ok_or("a document without lines")?;
    let (record, body) = rest
        .strip_prefix("record:")
        .and_then(|rest| rest.split_once('\n'))
        .ok_or_else(|| format!("{title}: the second line is not `record: …`"))?;
    let values = record.split(';').map(str::trim).filter(|value| !value.is_empty() && *value != "none");
    let mut letter = Letter {
        title: title.to_owned(),
        text: String::with_capacity(body.len()),
        truth: Vec::new(),
        medical: Vec::new(),
        optional: Vec::new(),
        record: values.map(String::from).collect(),
    };
    unmark(body.trim_end(), &mut letter).map_err(|problem| format!("{title}: {problem}"))?;
    letter.text.push('\n');
    Ok(letter)
}

fn unmark(body: &str, letter: &mut Letter) -> Result<(), String> {
    let mut rest = body;
    while let Some(at) = rest.find(['[', '{', '<']) {
        letter.text.push_str(&rest[..at]);
        rest = &rest[at..];
        let start = letter.text.len();
        // In `[[[`, the first bracket is text.
        if rest.starts_with("[[") && !rest.starts_with("[[[") {
            let (inside, after) = rest[2..].split_once("]]").ok_or("a mark without its end")?;
            let (kind, text) = inside.split_once(':').ok_or_else(|| format!("{inside:?} has no kind"))?;
            let kind = Kind::parse(kind).ok_or_else(|| format!("{kind:?} is not a kind"))?;
            letter.text.push_str(text);
            letter.truth.push(Truth { start, end: letter.text.len(), kind });
            rest = after;
        } else if rest.starts_with("{{") {
            let (text, after) = rest[2..].split_once("}}").ok_or("a mark without its end")?;
            letter.text.push_str(text);
            letter.medical.push(start..letter.text.len());
            rest = after;
        } else if rest.starts_with("<<") {
            let (text, after) = rest[2..].split_once(">>").ok_or("a mark without its end")?;
            letter.text.push_str(text);
            letter.optional.push(start..letter.text.len());
            rest = after;
        } else {
            letter.text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    letter.text.push_str(rest);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_spans() {
        let file = "=== One\nrecord: Ann; 12\n[[[date:3/4]]] <[[person:Ann]]> has {{gout}} since <<1999>>.\n";
        let letter = &documents(file).unwrap()[0];
        assert_eq!(letter.text, "[3/4] <Ann> has gout since 1999.\n");
        let truth = |number: usize| &letter.text[letter.truth[number].start..letter.truth[number].end];
        assert_eq!((truth(0), truth(1), letter.truth[1].kind), ("3/4", "Ann", Kind::Person));
        assert_eq!(&letter.text[letter.medical[0].clone()], "gout");
        assert_eq!(&letter.text[letter.optional[0].clone()], "1999");
        assert_eq!(letter.record, ["Ann", "12"]);
    }

    #[test]
    fn mistakes_are_reported() {
        for body in ["[[name:Ann]]", "[[Ann]]", "[[person:Ann", "{{gout", "<<1999"] {
            assert!(documents(&format!("=== One\nrecord: none\n{body}\n")).is_err(), "{body}");
        }
        assert!(documents("=== One\ntext\n").is_err());
    }
}
