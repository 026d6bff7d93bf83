//! Certificates that earlier versions wrote stay readable, and the seal covers the document as
//! written: any layout keeps it, and any edit breaks it. The seal is computed a second time here,
//! from its description in docs/policy.md.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use throng::release::{Certificate, FORMAT, SIGNED_FORMAT};

const KINDS: [&str; 3] = ["levels", "steps", "regions"];

/// A certificate that the program wrote.
fn fixture(format: u32, kind: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/certificate");
    let path = folder.join(format!("format-{format}")).join(kind).join("out.certificate.json");
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn read(value: &Value) -> Certificate {
    Certificate::parse(&value.to_string()).unwrap()
}

fn sealed(value: &Value) -> bool {
    Certificate::parse(&value.to_string()).is_ok_and(|certificate| certificate.sealed())
}

/// The canonical form by its description, with numbers that have no fraction as integers.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let mut keys: Vec<&String> = entries.keys().collect();
            keys.sort();
            let entry = |key: &String| format!("{}:{}", json!(key), canonical(&entries[key]));
            format!("{{{}}}", keys.into_iter().map(entry).collect::<Vec<_>>().join(","))
        }
        Value::Array(values) => {
            format!("[{}]", values.iter().map(canonical).collect::<Vec<_>>().join(","))
        }
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").unwrap_or(&text);
            if whole == "-0" { "0".into() } else { whole.into() }
        }
        other => other.to_string(),
    }
}

/// Seals a document anew, as somebody would who writes fields that this version does not know.
fn reseal(document: &mut Value) {
    let entries = document.as_object_mut().unwrap();
    entries.remove("seal");
    // The signature is of the seal.
    let signature = entries.remove("signature");
    let text = canonical(&Value::Object(entries.clone()));
    let seal: String = Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
    document["seal"] = seal.into();
    if let Some(signature) = signature {
        document["signature"] = signature;
    }
}

#[test]
fn every_format_that_was_ever_written_is_read() {
    for format in 0..=SIGNED_FORMAT {
        for kind in KINDS {
            let text = fixture(format, kind);
            let certificate = Certificate::parse(&text).unwrap();
            assert_eq!(certificate.format, format, "{kind}");
            assert!(certificate.sealed(), "format {format}, {kind}");
            let release = &certificate.release;
            assert_eq!(release.files.is_empty(), format == 0, "{kind}");
            assert_eq!(certificate.signature.is_some(), format == SIGNED_FORMAT, "{kind}");
            assert_eq!(release.regions.is_some(), kind == "regions");
            assert_eq!(release.steps.len() > 1, kind == "steps");
            let again: Certificate = serde_json::from_str(&text).unwrap();
            assert_eq!(again, certificate);
            assert_eq!(value(&serde_json::to_string(&certificate).unwrap()), value(&text), "{kind}");
        }
    }
}

#[test]
fn the_seal_is_that_of_its_description() {
    for (kind, format) in KINDS.iter().flat_map(|kind| [(kind, FORMAT), (kind, SIGNED_FORMAT)]) {
        let document = value(&fixture(format, kind));
        let mut again = document.clone();
        reseal(&mut again);
        assert_eq!(again["seal"], document["seal"], "format {format}, {kind}");
    }
}

/// The seal leaves the signature out, and nothing else. Without it, the document claims a format
/// that it does not have.
#[test]
fn a_signed_certificate_is_sealed_without_its_signature() {
    for kind in KINDS {
        let document = value(&fixture(SIGNED_FORMAT, kind));
        for key in document.as_object().unwrap().keys().filter(|key| *key != "signature") {
            let mut edited = document.clone();
            edited[key] = json!("edited");
            assert!(!sealed(&edited), "{kind}, {key}");
        }
        let mut unsigned = document.clone();
        unsigned.as_object_mut().unwrap().remove("signature");
        assert!(sealed(&unsigned), "{kind}");
        unsigned["format"] = json!(FORMAT);
        assert!(!sealed(&unsigned), "{kind}");
    }
}

/// The text of a value with the keys of every object in reverse and much white space.
fn reversed(value: &Value, numbers: fn(String) -> String) -> String {
    match value {
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("\n\t{} :  {}", json!(key), reversed(value, numbers))
            };
            format!("{{{}\r\n}}", entries.iter().rev().map(entry).collect::<Vec<_>>().join(" ,"))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| reversed(value, numbers)).collect();
            format!("[ {} ]", values.join(" ,\n"))
        }
        Value::Number(number) => numbers(number.to_string()),
        other => other.to_string(),
    }
}

#[test]
fn layout_does_not_break_the_seal() {
    for kind in KINDS {
        for format in 0..=SIGNED_FORMAT {
            let document = value(&fixture(format, kind));
            for text in [
                document.to_string(),
                serde_json::to_string_pretty(&document).unwrap(),
                reversed(&document, |number| number),
            ] {
                assert!(Certificate::parse(&text).unwrap().sealed(), "format {format}: {text}");
            }
        }
        // As programs write numbers that keep all of them as doubles.
        let document = value(&fixture(1, kind));
        let short = |number: String| number.strip_suffix(".0").map(String::from).unwrap_or(number);
        let long = |n: String| if n.contains('.') && !n.contains('e') { n + "0" } else { n };
        assert!(Certificate::parse(&reversed(&document, short)).unwrap().sealed(), "{kind}");
        assert!(Certificate::parse(&reversed(&document, long)).unwrap().sealed(), "{kind}");
    }
}

#[test]
fn a_change_in_memory_breaks_the_seal() {
    for format in [0, 1] {
        let certificate = Certificate::parse(&fixture(format, "levels")).unwrap();
        let mut changed = certificate.clone();
        changed.classes += 1;
        assert!(!changed.sealed());
        let written: Certificate = read(&serde_json::to_value(&changed).unwrap());
        assert!(written.classes == changed.classes && !written.sealed());
        changed.classes -= 1;
        assert!(changed.sealed());
        let Certificate { release, columns, classes, .. } = changed;
        let anew = Certificate::new(release, columns, classes + 1).unwrap();
        assert!(anew.sealed() && anew.format == FORMAT);
    }
}

/// Fields of a newer minor version are read over, covered by the seal, and not lost.
#[test]
fn unknown_fields_are_sealed_and_kept() {
    for place in ["", "/search", "/input", "/privacy/k-anonymity"] {
        let mut document = value(&fixture(1, "levels"));
        let object = document.pointer_mut(place).unwrap().as_object_mut().unwrap();
        object.insert("newer".into(), json!({ "ratio": 0.1, "count": 3.0 }));
        assert!(!sealed(&document), "{place}");
        reseal(&mut document);
        let certificate = read(&document);
        assert!(certificate.sealed(), "{place}");
        assert_eq!(serde_json::to_value(&certificate).unwrap(), document, "{place}");
        *document.pointer_mut(&format!("{place}/newer/ratio")).unwrap() = json!(0.2);
        assert!(!sealed(&document), "{place}");
    }
}

#[test]
fn a_key_that_occurs_twice_is_refused() {
    for format in [0, 1] {
        let text = fixture(format, "levels");
        for (from, to) in [
            ("\"seed\": 0", "\"seed\": 0, \"seed\": 0"),
            ("\"gap\":", "\"gap\": 1.0, \"gap\":"),
            ("\"classes\":", "\"new\": [{ \"a\": 1, \"\\u0061\": 1 }], \"classes\":"),
        ] {
            let twice = text.replacen(from, to, 1);
            assert_ne!(twice, text);
            let error = Certificate::parse(&twice).unwrap_err();
            assert!(error.to_string().contains("occurs twice"), "{error}");
            assert!(error.faults()[0].place.line.is_some());
            assert!(serde_json::from_str::<Certificate>(&twice).is_err());
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_the_version_that_wrote_it() {
    let mut document = value(&fixture(1, "levels"));
    let message = |document: &Value| {
        let error = Certificate::parse(&document.to_string()).unwrap_err();
        let other = serde_json::from_value::<Certificate>(document.clone()).unwrap_err();
        assert_eq!(other.to_string(), error.faults()[0].message);
        error.faults()[0].message.clone()
    };
    document["format"] = json!(3);
    document["version"] = json!("0.9.1");
    let reads = "this program reads formats 0 to 2";
    assert_eq!(message(&document), format!("written by throng 0.9.1 (format 3); {reads}"));
    // Whatever else it has.
    document.as_object_mut().unwrap().remove("levels");
    assert_eq!(message(&document), format!("written by throng 0.9.1 (format 3); {reads}"));
    for version in [json!("\u{1b}[31m"), json!(""), json!(3), Value::Null] {
        document["version"] = version;
        assert_eq!(message(&document), format!("written by a newer throng (format 3); {reads}"));
    }
    for format in [json!("1"), json!(-1), json!(1.5), Value::Null] {
        document["format"] = format;
        assert_eq!(message(&document), "`format` is not a whole number");
    }
}

#[test]
fn what_cannot_be_read_names_the_version_that_can() {
    let mut document = value(&fixture(0, "levels"));
    document.as_object_mut().unwrap().remove("classes");
    let error = Certificate::parse(&document.to_string()).unwrap_err();
    let fault = &error.faults()[0];
    assert!(fault.message.contains("missing field `classes`"), "{error}");
    assert_eq!(fault.help.as_deref(), Some("it says that throng 0.1.0 wrote it: read it with that version"));
    for text in ["", "[]", "{}", "null", "{\"format\": 1}"] {
        assert!(Certificate::parse(text).is_err(), "{text}");
    }
}

/// Every place of a document, the outermost first.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{at}/{key}"), all);
            }
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(i, value)| places(value, &format!("{at}/{i}"), all));
        }
        _ => {}
    }
}

/// Another value in place of a leaf; one key or element more or fewer in what has parts.
fn edit(value: &mut Value, how: usize, key: &str, by: f64) {
    match value {
        Value::Null => *value = json!(by),
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => {
            let more = number.as_u64().map(|n| json!(n.wrapping_add(1 + how as u64)));
            let scaled = number.as_f64().map(|x| json!(x + by * (x.abs() + 1.0)));
            *value = if how.is_multiple_of(3) { Value::Null } else { more.or(scaled).unwrap() };
        }
        Value::String(text) if how.is_multiple_of(2) => text.push('x'),
        Value::String(text) => *value = json!([text]),
        Value::Array(values) if how.is_multiple_of(2) || values.is_empty() => values.push(json!(key)),
        Value::Array(values) => drop(values.remove(how % values.len())),
        Value::Object(entries) if how.is_multiple_of(2) || entries.is_empty() => {
            let known = entries.contains_key(key);
            entries.insert(if known { format!("{key}'") } else { key.into() }, json!(by));
        }
        Value::Object(entries) => {
            let gone = entries.keys().nth(how % entries.len()).cloned().unwrap();
            entries.remove(&gone);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_edit_breaks_the_seal(
        (format, kind) in (0_u32..2, 0_usize..3),
        place in any::<prop::sample::Index>(),
        how in 0_usize..100,
        key in "[a-z]{0,6}|rows|steps|format|files|risk",
        by in 1e-9_f64..1e3,
    ) {
        let document = value(&fixture(format, KINDS[kind]));
        let mut all = Vec::new();
        places(&document, "", &mut all);
        let at = &all[place.index(all.len())];
        let mut edited = document.clone();
        edit(edited.pointer_mut(at).unwrap(), how, &key, by);
        prop_assert_ne!(&edited, &document, "{}", at);
        prop_assert!(!sealed(&edited), "{} of {} in format {}", at, edited, format);
    }

    /// Keys in any order, with and without fields that this version does not know.
    #[test]
    fn any_order_of_keys_keeps_the_seal(kind in 0_usize..3, newer in any::<bool>(), seed in any::<u64>()) {
        let mut document = value(&fixture(1, KINDS[kind]));
        if newer {
            document["search"]["newer"] = json!([seed, 1e300, -0.0, { "b": 0.1, "a": "ü\n" }]);
            reseal(&mut document);
        }
        let text = shuffled(&document, &mut { seed });
        prop_assert!(Certificate::parse(&text).unwrap().sealed(), "{}", text);
    }
}

/// The text of a value with the keys of every object in an order of chance.
fn shuffled(value: &Value, state: &mut u64) -> String {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_by_cached_key(|_| {
                *state =
                    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *state >> 33
            });
            let entries = entries.into_iter().map(|(k, v)| format!("{}:{}", json!(k), shuffled(v, state)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| shuffled(value, state)).collect();
            format!("[{}]", values.join(","))
        }
        other => other.to_string(),
    }
}
