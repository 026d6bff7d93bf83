//! Messages of HL7 version 2: the texts of observations (OBX-5) and notes (NTE-3) are scrubbed
//! together with the names, numbers, dates and places of the patient, relatives and doctors of
//! their message. Of everything else only what describes the message or an observation is kept.
//!
//! A field of another segment can hold anything, so it is emptied: a message keeps its segments,
//! and of a header its type and version. A line that does not begin as a segment does goes on with
//! the segment before it. Linear in the messages.

use std::borrow::Cow;

use throng_terms::error::Result;
use throng_terms::fault;
use throng_text::{Meaning, Scrubber};

use super::{KnownValue, ScrubbedDocument, together};

/// Segments and fields that say who somebody is, and what the fields hold.
const KNOWN: [(&str, &[(usize, Meaning<'static>)]); 5] = [
    (
        "PID",
        &[
            (2, Meaning::Number),
            (3, Meaning::Number),
            (4, Meaning::Number),
            (5, Meaning::Name),
            (6, Meaning::Name),
            (7, Meaning::Date { format: "%Y%m%d" }),
            (9, Meaning::Name),
            (11, Meaning::Other),
            (13, Meaning::Number),
            (14, Meaning::Number),
            (18, Meaning::Number),
            (19, Meaning::Number),
            (20, Meaning::Number),
        ],
    ),
    ("NK1", &[(2, Meaning::Name), (4, Meaning::Other), (5, Meaning::Number)]),
    ("GT1", &[(3, Meaning::Name), (5, Meaning::Other), (6, Meaning::Number)]),
    (
        "PV1",
        &[
            (7, Meaning::Name),
            (8, Meaning::Name),
            (9, Meaning::Name),
            (17, Meaning::Name),
            (19, Meaning::Number),
        ],
    ),
    ("OBR", &[(2, Meaning::Number), (3, Meaning::Number), (16, Meaning::Name)]),
];

/// Fields of an observation that are kept as they are if they are codes: number, type, units, flags
/// and status.
const OBSERVATION: [usize; 5] = [1, 2, 6, 8, 11];

/// The signs of a message.
#[derive(Debug, Clone, Copy)]
struct Signs {
    field: char,
    component: char,
    repetition: char,
    escape: char,
    part: char,
}

impl Signs {
    /// Of a header segment: five different signs, or fields could not be distinguished.
    fn of(header: &str) -> Option<Self> {
        let mut signs = header.chars().skip(3);
        let signs = Signs {
            field: signs.next()?,
            component: signs.next()?,
            repetition: signs.next()?,
            escape: signs.next()?,
            part: signs.next()?,
        };
        let all = [signs.field, signs.component, signs.repetition, signs.escape, signs.part];
        let differs = |at: usize| !all[..at].contains(&all[at]);
        let valid = (0..all.len()).all(|at| all[at].is_ascii_punctuation() && differs(at));
        valid.then_some(signs)
    }

    fn unescaped(&self, text: &str) -> String {
        let mut parts = text.split(self.escape);
        let mut plain = parts.next().unwrap_or_default().to_owned();
        while let Some(code) = parts.next() {
            let Some(after) = parts.next() else {
                plain.push(self.escape);
                plain.push_str(code);
                break;
            };
            match code {
                "F" => plain.push(self.field),
                "S" => plain.push(self.component),
                "T" => plain.push(self.part),
                "R" => plain.push(self.repetition),
                "E" => plain.push(self.escape),
                ".br" | "X0D" | "X0A" | "X0D0A" => plain.push('\n'),
                _ => plain.push(' '),
            }
            plain.push_str(after);
        }
        plain
    }

    fn escaped(&self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            let code = match c {
                _ if c == self.escape => "E",
                _ if c == self.field => "F",
                _ if c == self.component => "S",
                _ if c == self.repetition => "R",
                _ if c == self.part => "T",
                '\n' | '\r' => ".br",
                _ => {
                    escaped.push(c);
                    continue;
                }
            };
            escaped.push(self.escape);
            escaped.push_str(code);
            escaped.push(self.escape);
        }
        escaped
    }
}

/// A segment as it is written; some fields wait for their scrubbed texts.
struct Segment {
    fields: Vec<Field>,
}

enum Field {
    Kept(String),
    /// Pieces between signs, each a text by its place.
    Texts(Vec<(Option<char>, usize)>),
}

/// The texts and known values of the message at hand.
#[derive(Default)]
struct Message {
    segments: Vec<Segment>,
    texts: Vec<(String, String)>,
    known: Vec<KnownValue>,
}

/// Scrubs the messages of a file.
///
/// # Errors
/// A file that does not begin with a header.
pub(crate) fn scrub(text: &str, scrubber: &Scrubber) -> Result<ScrubbedDocument> {
    let mut document = ScrubbedDocument { written: String::new(), texts: Vec::new() };
    let (mut signs, mut message) = (None, Message::default());
    for segment in segments(text) {
        let name = segment.get(..3).unwrap_or_default();
        if is_header(&segment) {
            finish(&mut message, signs, scrubber, &mut document);
            signs = Signs::of(&segment);
        }
        let Some(signs) = signs else {
            return Err(fault!(Data, "scrub.not-hl7", "does not begin with a header such as MSH|^~\\&|")
                .help("give the file the ending of its format, such as .txt")
                .into());
        };
        message.add(name, &segment, signs);
    }
    finish(&mut message, signs, scrubber, &mut document);
    Ok(document)
}

/// The segments of a file, each with the lines that go on with it.
fn segments(text: &str) -> Vec<Cow<'_, str>> {
    let mut segments: Vec<Cow<'_, str>> = Vec::new();
    let mut field = None;
    let lines = text.split(['\r', '\n', '\u{b}', '\u{1c}']).filter(|line| !line.trim().is_empty());
    for line in lines {
        if is_header(line) {
            field = line[3..].chars().next();
        }
        match segments.last_mut() {
            Some(last) if !is_segment(line, field) => {
                let last = last.to_mut();
                last.push('\n');
                last.push_str(line);
            }
            _ => segments.push(line.into()),
        }
    }
    segments
}

fn is_header(line: &str) -> bool {
    ["MSH", "FHS", "BHS"].iter().any(|name| line.starts_with(name))
}

/// Whether a line begins with the name of a segment, a capital and two capitals or digits, and the
/// sign behind it.
fn is_segment(line: &str, field: Option<char>) -> bool {
    let capital = line.starts_with(|c: char| c.is_ascii_uppercase());
    let name = line.bytes().take(3).filter(|b| b.is_ascii_uppercase() || b.is_ascii_digit()).count();
    let after = line.get(3..).map(|rest| rest.chars().next());
    is_header(line) || capital && name == 3 && after.is_some_and(|sign| sign.is_none() || sign == field)
}

/// Whether a field is a code, which has no blanks.
fn is_code(field: &str) -> bool {
    !field.contains(char::is_whitespace)
}

/// Whether an observation of type NM or SN is a number, with signs of comparison and ratios.
fn is_numeric(field: &str) -> bool {
    field.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,<>=:/^~ ".contains(&byte))
}

/// Scrubs the texts of a message and writes it.
fn finish(message: &mut Message, signs: Option<Signs>, scrubber: &Scrubber, document: &mut ScrubbedDocument) {
    let Message { segments, texts, known } = std::mem::take(message);
    let Some(signs) = signs else { return };
    let scrubbed = together(texts, &known, scrubber);
    for Segment { fields } in segments {
        for (at, field) in fields.iter().enumerate() {
            if at > 0 {
                document.written.push(signs.field);
            }
            match field {
                Field::Kept(field) => document.written.push_str(field),
                Field::Texts(pieces) => {
                    for (sign, text) in pieces {
                        document.written.extend(*sign);
                        let text = scrubbed.get(*text).map_or("", |text| &text.scrubbed.text);
                        document.written.push_str(&signs.escaped(text));
                    }
                }
            }
        }
        document.written.push('\r');
    }
    document.texts.extend(scrubbed);
}

impl Message {
    fn add(&mut self, name: &str, segment: &str, signs: Signs) {
        let fields: Vec<&str> = segment.split(signs.field).collect();
        let place = format!("{name} {}", self.segments.len() + 1);
        // The first sign of a header is its own first field.
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let kept = |wanted: &[usize]| -> Vec<Field> {
            let keep = |at: usize| match at {
                0 => name,
                _ if wanted.contains(&at) && is_code(field(at)) => field(at),
                _ => "",
            };
            (0..fields.len()).map(|at| Field::Kept(keep(at).to_owned())).collect()
        };
        let written = match name {
            // Counted from the sign: MSH-9 and MSH-12.
            "MSH" | "FHS" | "BHS" => {
                let mut written = kept(if name == "MSH" { &[8, 11] } else { &[] });
                // The signs alone: more in this field can be anything.
                let signs = [signs.component, signs.repetition, signs.escape, signs.part];
                replace(&mut written, 1, Field::Kept(signs.iter().collect()));
                written
            }
            "NTE" => {
                let mut written = kept(&[1, 2]);
                self.texts_of(&[1, 2], &fields, &place, signs, &mut written);
                self.texts_at(3, field(3), &place, signs, &mut written);
                written
            }
            "OBX" => {
                let mut written = kept(&OBSERVATION);
                self.texts_of(&OBSERVATION, &fields, &place, signs, &mut written);
                match field(2) {
                    "NM" | "SN" if is_numeric(field(5)) => {
                        replace(&mut written, 5, Field::Kept(field(5).to_owned()));
                    }
                    "NM" | "SN" | "TX" | "FT" | "ST" | "CE" | "CWE" | "CNE" | "IS" | "ID" => {
                        self.texts_at(5, field(5), &place, signs, &mut written);
                    }
                    _ => {}
                }
                // A name of an observation can be free text, too.
                self.texts_at(3, field(3), &place, signs, &mut written);
                written
            }
            _ => kept(&[]),
        };
        if let Some((_, known)) = KNOWN.iter().find(|(segment, _)| *segment == name) {
            for (at, meaning) in *known {
                self.known_in(field(*at), *meaning, signs);
            }
        }
        self.segments.push(Segment { fields: written });
    }

    /// Fields of codes that are no codes, as texts.
    fn texts_of(
        &mut self,
        wanted: &[usize],
        fields: &[&str],
        place: &str,
        signs: Signs,
        written: &mut [Field],
    ) {
        for &at in wanted {
            if let Some(field) = fields.get(at).filter(|field| !is_code(field)) {
                self.texts_at(at, field, place, signs, written);
            }
        }
    }

    /// The repetitions and components of a field as texts.
    fn texts_at(&mut self, at: usize, field: &str, place: &str, signs: Signs, written: &mut [Field]) {
        let mut pieces = Vec::new();
        let mut sign = None;
        let mut rest = field;
        loop {
            let end = rest.find([signs.component, signs.repetition, signs.part]).unwrap_or(rest.len());
            self.texts.push((place.to_owned(), signs.unescaped(&rest[..end])));
            pieces.push((sign, self.texts.len() - 1));
            sign = rest[end..].chars().next();
            let Some(next) = sign else { break };
            rest = &rest[end + next.len_utf8()..];
        }
        replace(written, at, Field::Texts(pieces));
    }

    /// The values of a field that says who somebody is.
    fn known_in(&mut self, field: &str, meaning: Meaning<'static>, signs: Signs) {
        for value in field.split(signs.repetition) {
            let parts: Vec<&str> = value.split(signs.component).collect();
            match meaning {
                // Family, given and further names; a doctor's number comes first.
                Meaning::Name => {
                    let names = parts.iter().take(4).filter(|part| !part.bytes().any(|b| b.is_ascii_digit()));
                    let name: Vec<String> = names.map(|part| signs.unescaped(part)).collect();
                    self.know(name.join(" ").trim(), meaning);
                }
                Meaning::Other => parts.iter().for_each(|part| self.know(&signs.unescaped(part), meaning)),
                Meaning::Date { .. } => self.know(parts[0].get(..8).unwrap_or_default(), meaning),
                _ => self.know(&signs.unescaped(parts[0]), meaning),
            }
        }
    }

    fn know(&mut self, value: &str, meaning: Meaning<'static>) {
        // Codes of states and countries, and numbers such as 1, are in every text.
        if value.trim().chars().count() > 2 {
            self.known.push(KnownValue { field: "HL7", value: value.trim().to_owned(), meaning });
        }
    }
}

fn replace(fields: &mut [Field], at: usize, with: Field) {
    if let Some(field) = fields.get_mut(at) {
        *field = with;
    }
}

#[cfg(test)]
mod tests {
    use throng_text::Settings;

    use super::*;

    const MESSAGE: &str = "MSH|^~\\&|LAB|GENERAL HOSPITAL|||199402020830||ORU^R01|MSG0001|P|2.3\r\
        PID|1||32841097^^^MR||TOWNSEND^VIRGINIA^A||19860526|F|||18 Huntington Ave^^Boston^MA^02151||(617)473-1214\r\
        OBX|1|NM|718-7^Hemoglobin^LN||13.2|g/dL|12-16||||F\r\
        OBX|2|TX|NOTE||Virginia was seen.\\.br\\A \\T\\ B|||||F\r\
        NTE|1||call 473-1214\r";

    fn scrubber() -> Scrubber {
        Scrubber::new(Settings::default()).unwrap()
    }

    #[test]
    fn only_texts_and_observations_stay() {
        let document = scrub(MESSAGE, &scrubber()).unwrap();
        let segments: Vec<&str> = document.written.split('\r').collect();
        assert_eq!(segments[0], "MSH|^~\\&|||||||ORU^R01|||2.3");
        assert!(segments[1].starts_with("PID|||") && !segments[1].contains(|c: char| c.is_ascii_digit()));
        assert_eq!(segments[2], "OBX|1|NM|718-7^Hemoglobin^LN||13.2|g/dL|||||F");
        assert!(segments[3].starts_with("OBX|2|TX|NOTE||") && segments[3].contains("A \\T\\ B"));
        assert!(document.texts.iter().any(|text| text.original == "Virginia was seen.\nA & B"));
        for text in ["Dear", "MSH\"\"|^~\\&|A", "MSH|^~\\&|A\rMSH||^~\\&|A"] {
            assert!(scrub(text, &scrubber()).unwrap_err().has_code("scrub.not-hl7"), "{text}");
        }
        assert_eq!(scrub("", &scrubber()).unwrap().written, "");
    }

    /// Programs write texts with line breaks into fields, and words where numbers and codes belong.
    #[test]
    fn what_is_no_segment_and_no_code_is_scrubbed() {
        let message = "MSH|^~\\&|LAB||||||ORU^R01||P|2.3\r\n\
            OBX|1|TX|NOTE||Seen by\nDr. Patrick Hayes today.\nMrs. Hodgkins|was told.||||F\r\n\
            OBX|2|NM|A||13.2|mg per Dr. Townsend|||||F\r\nOBX|3|NM|B||Dr. Townsend, 473-1214||||||F\r\n\
            OBX|4|SN|C||>^100|mm Hg|||||F\r\nNTE|1|Mrs. Hodgkins|fine\r\nZZZ\r\nPatrick Hayes, M.D.\r\n";
        let written = scrub(message, &scrubber()).unwrap().written;
        for name in ["Hayes", "Patrick", "Hodgkins", "Townsend", "473-1214"] {
            assert!(!written.contains(name), "{name} in {written}");
        }
        let segments: Vec<&str> = written.split('\r').collect();
        assert!(segments[1].starts_with("OBX|1|TX|NOTE||Seen by\\.br\\Dr. "), "{written}");
        assert!(segments[2].contains("|13.2|mg per Dr. "), "{written}");
        assert_eq!(segments[4], "OBX|4|SN|C||>^100|mm Hg|||||F");
        assert_eq!(segments[6], "ZZZ");
        let written = scrub("MSH|^~\\& for Dr. Hayes|\r", &scrubber()).unwrap().written;
        assert_eq!(written, "MSH|^~\\&|\r");
        assert_eq!(scrub(&written, &scrubber()).unwrap().written, written);
    }

    #[test]
    fn values_of_the_patient_are_known() {
        let mut message = Message::default();
        let signs = Signs::of(MESSAGE).unwrap();
        MESSAGE
            .split('\r')
            .for_each(|segment| message.add(segment.get(..3).unwrap_or_default(), segment, signs));
        let known: Vec<&str> = message.known.iter().map(|known| known.value.as_str()).collect();
        for value in
            ["TOWNSEND VIRGINIA A", "32841097", "19860526", "18 Huntington Ave", "Boston", "(617)473-1214"]
        {
            assert!(known.contains(&value), "{value} {known:?}");
        }
    }

    #[test]
    fn signs_of_texts_are_escaped_and_back() {
        let signs = Signs::of("MSH|^~\\&|").unwrap();
        let text = "a|b^c&d~e\\f\ng";
        assert_eq!(signs.unescaped(&signs.escaped(text)), text);
        assert_eq!(signs.unescaped("a\\H\\b\\"), "a b\\");
    }
}
