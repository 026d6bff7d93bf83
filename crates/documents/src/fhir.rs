//! FHIR resources as JSON: every string is scrubbed as text, except for codes; what says who
//! somebody is becomes known values and is removed.
//!
//! A resource may have extensions and fields of any name, so nothing is kept because its name is
//! not known: identifiers, references, names, contacts, addresses and dates of birth are removed
//! wherever they are, codes and units stay, and every other string goes through the scrubber.
//! Attached texts are decoded, scrubbed and encoded again; other attachments are removed. Linear in
//! the document.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use throng_terms::error::Result;
use throng_terms::fault;
use throng_text::{Meaning, Scrubber};

use super::{KnownValue, ScrubbedDocument, html, together};

/// Fields that are removed wherever they are.
const REMOVED: [&str; 24] = [
    "address",
    "author",
    "birthDate",
    "contact",
    "deceasedDateTime",
    "endpoint",
    "fullUrl",
    "hash",
    "id",
    "identifier",
    "implicitRules",
    "link",
    "location",
    "photo",
    "profile",
    "reference",
    "serialNumber",
    "signature",
    "source",
    "telecom",
    "url",
    "uri",
    "valueUri",
    "versionId",
];

/// Fields whose strings are codes.
const CODES: [&str; 19] = [
    "class",
    "code",
    "comparator",
    "contentType",
    "currency",
    "gender",
    "intent",
    "language",
    "mode",
    "priority",
    "resourceType",
    "severity",
    "status",
    "system",
    "type",
    "unit",
    "use",
    "valueCode",
    "version",
];

/// Resources about people and places: nothing of them stays.
const PEOPLE: [&str; 8] = [
    "Patient",
    "Person",
    "Practitioner",
    "PractitionerRole",
    "RelatedPerson",
    "Organization",
    "Location",
    "Device",
];

/// Scrubs a resource, or one resource per line.
///
/// # Errors
/// JSON that cannot be read, and JSON that is not FHIR.
pub(crate) fn scrub(text: &str, scrubber: &Scrubber) -> Result<ScrubbedDocument> {
    let mut document = ScrubbedDocument { written: String::new(), texts: Vec::new() };
    let whole: std::result::Result<Value, _> = serde_json::from_str(text);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let (resources, several) = match whole {
        Ok(resource) => (vec![resource], false),
        Err(e) => {
            let each: std::result::Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
            // What is wrong with the whole says more than what is wrong with a line of it.
            (each.map_err(|_| not_json(&e))?, true)
        }
    };
    for resource in resources {
        one(resource, scrubber, several, &mut document)?;
    }
    Ok(document)
}

fn not_json(error: &serde_json::Error) -> throng_terms::error::Error {
    fault!(
        Data,
        "scrub.not-json",
        "is not JSON: line {line}, column {column}",
        line = error.line(),
        column = error.column()
    )
    .help("give the file the ending of its format, such as .txt")
    .into()
}

fn one(mut resource: Value, scrubber: &Scrubber, line: bool, document: &mut ScrubbedDocument) -> Result<()> {
    if !resource.get("resourceType").is_some_and(Value::is_string) {
        return Err(fault!(
            Data,
            "scrub.not-fhir",
            "is JSON, but not a FHIR resource: it has no resourceType"
        )
        .help("scrub a column of a JSON table with --column, or give the texts as files of their own")
        .into());
    }
    let mut fields = Fields::default();
    fields.known_in(&resource);
    fields.take(&mut resource, "");
    let Fields { texts, known } = fields;
    let forms: Vec<Form> = texts.iter().map(|(_, _, form)| *form).collect();
    let texts = texts.into_iter().map(|(place, text, _)| (place, text)).collect();
    let scrubbed = together(texts, &known, scrubber);
    let mut written = scrubbed.iter().zip(forms).map(|(text, form)| form.written(&text.scrubbed.text));
    put(&mut resource, &mut written);
    let json = match line {
        true => serde_json::to_string(&resource),
        false => serde_json::to_string_pretty(&resource),
    };
    document.written += &json.map_err(|e| throng_terms::error::Fault::bug(e.to_string()))?;
    document.written.push('\n');
    document.texts.extend(scrubbed);
    Ok(())
}

/// How a text is written in its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    /// XHTML of a narrative.
    Narrative,
    /// An attachment.
    Base64,
}

impl Form {
    fn written(self, text: &str) -> String {
        match self {
            Form::Plain => text.to_owned(),
            Form::Narrative => {
                let text = text.trim_end().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                format!("<div xmlns=\"http://www.w3.org/1999/xhtml\">{}</div>", text.replace('\n', "<br/>"))
            }
            Form::Base64 => STANDARD.encode(text),
        }
    }
}

/// The texts of a resource, in order, and what it says about people.
#[derive(Default)]
struct Fields {
    texts: Vec<(String, String, Form)>,
    known: Vec<KnownValue>,
}

/// Stands for a text until it is scrubbed.
const WAITING: &str = "\u{1e}";

impl Fields {
    /// Takes out the texts of a value, and removes what is not kept.
    fn take(&mut self, value: &mut Value, place: &str) {
        match value {
            Value::Object(object) => self.object(object, place),
            Value::Array(values) => values.iter_mut().for_each(|value| self.take(value, place)),
            Value::String(text) => {
                let text = std::mem::replace(text, WAITING.to_owned());
                self.texts.push((place.to_owned(), text, Form::Plain));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn object(&mut self, object: &mut Map<String, Value>, place: &str) {
        let kind = object.get("resourceType").and_then(Value::as_str).map(String::from);
        if kind.as_deref().is_some_and(|kind| PEOPLE.contains(&kind)) {
            object.retain(|key, _| key == "resourceType");
            return;
        }
        let place = kind.as_deref().unwrap_or(place).to_owned();
        let attachment = object.contains_key("contentType");
        let text =
            object.get("contentType").and_then(Value::as_str).is_none_or(|kind| kind.starts_with("text/"));
        object.retain(|key, value| {
            let people = key == "name" && (value.is_array() || value.is_object());
            !REMOVED.contains(&key.as_str()) && !people
        });
        let mut unreadable = Vec::new();
        for (key, value) in object.iter_mut() {
            let here = format!("{place}.{key}");
            match value {
                Value::String(text) if is_code(key, text) => {}
                Value::String(data) if key == "data" && attachment => {
                    let decoded = STANDARD.decode(data.as_bytes()).ok().filter(|_| text);
                    match decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
                        Some(text) => {
                            let text =
                                if text.trim_start().starts_with('<') { html::text(&text) } else { text };
                            self.texts.push((here, text, Form::Base64));
                            *data = WAITING.to_owned();
                        }
                        None => unreadable.push(key.clone()),
                    }
                }
                Value::String(div) if key == "div" => {
                    self.texts.push((here, html::text(div), Form::Narrative));
                    *div = WAITING.to_owned();
                }
                value => self.take(value, &here),
            }
        }
        unreadable.iter().for_each(|key| drop(object.remove(key)));
    }

    /// Finds what a resource says about people.
    fn known_in(&mut self, value: &Value) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.known_in(value)),
            Value::Object(object) => {
                for (key, value) in object {
                    match key.as_str() {
                        "name" => self.names(value),
                        "identifier" => self.strings(value, &["value"], Meaning::Number),
                        "telecom" => self.strings(value, &["value"], Meaning::Number),
                        "address" => {
                            self.strings(value, &["line", "city"], Meaning::Other);
                            self.strings(value, &["postalCode"], Meaning::PostalCode);
                        }
                        "birthDate" => {
                            let format = "%Y-%m-%d";
                            self.know(value.as_str().unwrap_or_default(), Meaning::Date { format });
                        }
                        "display" if object.contains_key("reference") => {
                            self.know(value.as_str().unwrap_or_default(), Meaning::Name);
                        }
                        _ => {}
                    }
                    self.known_in(value);
                }
            }
            _ => {}
        }
    }

    fn names(&mut self, value: &Value) {
        let each = |name: &Value, known: &mut Self| {
            let part = |key: &str| match name.get(key) {
                Some(Value::String(part)) => part.clone(),
                Some(Value::Array(parts)) => {
                    parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
                }
                _ => String::new(),
            };
            known.know(format!("{} {}", part("given"), part("family")).trim(), Meaning::Name);
            known.know(&part("text"), Meaning::Name);
        };
        match value {
            Value::Array(names) => names.iter().for_each(|name| each(name, self)),
            Value::Object(_) => each(value, self),
            _ => {}
        }
    }

    /// The strings of some keys of an object or of several.
    fn strings(&mut self, value: &Value, keys: &[&str], meaning: Meaning<'static>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.strings(value, keys, meaning)),
            Value::Object(object) => {
                for value in keys.iter().filter_map(|key| object.get(*key)) {
                    match value {
                        Value::Array(values) => {
                            values
                                .iter()
                                .filter_map(Value::as_str)
                                .for_each(|value| self.know(value, meaning));
                        }
                        value => self.know(value.as_str().unwrap_or_default(), meaning),
                    }
                }
            }
            _ => {}
        }
    }

    fn know(&mut self, value: &str, meaning: Meaning<'static>) {
        if value.trim().chars().count() > 2 {
            self.known.push(KnownValue { field: "FHIR", value: value.trim().to_owned(), meaning });
        }
    }
}

/// Whether a string is a code: by its field, and because it has no blanks.
fn is_code(key: &str, text: &str) -> bool {
    CODES.contains(&key) && !text.contains(char::is_whitespace) && !text.contains('@')
}

/// Puts scrubbed texts where they were taken from.
fn put(value: &mut Value, texts: &mut impl Iterator<Item = String>) {
    match value {
        Value::String(text) if text == WAITING => *text = texts.next().unwrap_or_default(),
        Value::Array(values) => values.iter_mut().for_each(|value| put(value, texts)),
        Value::Object(object) => object.values_mut().for_each(|value| put(value, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use throng_text::Settings;

    use super::*;

    fn scrubbed(resource: &Value) -> Value {
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        let document = scrub(&resource.to_string(), &scrubber).unwrap();
        serde_json::from_str(&document.written).unwrap()
    }

    #[test]
    fn texts_stay_and_people_go() {
        let resource = json!({
            "resourceType": "Bundle",
            "entry": [
                { "fullUrl": "urn:secret", "resource": {
                    "resourceType": "Patient", "id": "secret", "birthDate": "1986-05-26",
                    "name": [{ "family": "Townsend", "given": ["Virginia", "Ann"] }] } },
                { "resource": {
                    "resourceType": "Observation", "status": "final",
                    "code": { "coding": [{ "system": "http://loinc.org", "code": "718-7" }], "text": "a & b" },
                    "subject": { "reference": "Patient/secret" },
                    "valueQuantity": { "value": 13.2, "unit": "g/dL" },
                    "note": [{ "text": "stable" }],
                    "text": { "status": "generated", "div": "<div>one<br/>two &lt; three</div>" } } },
                { "resource": {
                    "resourceType": "DiagnosticReport",
                    "presentedForm": [
                        { "contentType": "text/plain", "data": STANDARD.encode("no change") },
                        { "contentType": "application/pdf", "data": STANDARD.encode("secret") } ] } }
            ]
        });
        let found = scrubbed(&resource);
        assert!(!found.to_string().contains("secret"), "{found}");
        assert_eq!(found["entry"][0]["resource"], json!({ "resourceType": "Patient" }));
        let observation = &found["entry"][1]["resource"];
        assert_eq!(observation["code"]["coding"][0]["code"], "718-7");
        assert_eq!(observation["valueQuantity"], json!({ "value": 13.2, "unit": "g/dL" }));
        assert_eq!(observation["note"][0]["text"], "stable");
        let div = observation["text"]["div"].as_str().unwrap();
        assert_eq!(div, "<div xmlns=\"http://www.w3.org/1999/xhtml\">one<br/>two &lt; three</div>");
        let forms = &found["entry"][2]["resource"]["presentedForm"];
        assert_eq!(forms[0]["data"], STANDARD.encode("no change"));
        assert_eq!(forms[1], json!({ "contentType": "application/pdf" }));
    }

    #[test]
    fn values_of_the_patient_are_known() {
        let mut fields = Fields::default();
        fields.known_in(&json!({
            "resourceType": "Patient", "birthDate": "1986-05-26", "identifier": [{ "value": "32-841" }],
            "name": [{ "family": "Townsend", "given": ["Virginia"], "text": "Dot" }],
            "address": [{ "line": ["18 Huntington Ave"], "city": "Boston", "postalCode": "02151" }]
        }));
        let known: Vec<&str> = fields.known.iter().map(|known| known.value.as_str()).collect();
        for value in
            ["Virginia Townsend", "Dot", "32-841", "18 Huntington Ave", "Boston", "02151", "1986-05-26"]
        {
            assert!(known.contains(&value), "{value} {known:?}");
        }
    }

    #[test]
    fn lines_of_resources_stay_lines_and_other_json_is_refused() {
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        let lines = "{\"resourceType\":\"Patient\",\"id\":\"1\"}\n{\"resourceType\":\"Basic\"}\n";
        let written = scrub(lines, &scrubber).unwrap().written;
        assert_eq!(written, "{\"resourceType\":\"Patient\"}\n{\"resourceType\":\"Basic\"}\n");
        assert!(scrub("{\"a\": 1}", &scrubber).unwrap_err().has_code("scrub.not-fhir"));
        assert!(scrub("{\"a\": ", &scrubber).unwrap_err().has_code("scrub.not-json"));
    }
}
