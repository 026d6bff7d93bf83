//! Policies: what is accepted can be written and read back; what is refused is refused at a place
//! in the text.

use throng::error::{Error, Kind};
use throng::policy::{Policy, Role};

/// Reads the bytes as a policy.
pub fn policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Policy::parse(text) {
        Ok(policy) => accepted(&policy),
        Err(error) => refused(&error, text),
    }
    assert_eq!(Policy::digest(text).len(), 64);
}

fn accepted(policy: &Policy) {
    // Compared as text: a number that is none equals nothing, not even itself.
    let written = policy.to_toml().unwrap_or_else(|e| panic!("cannot be written: {e}"));
    let again = Policy::parse(&written).unwrap_or_else(|e| panic!("written, but not read: {e}\n{written}"));
    assert_eq!(again.to_toml().unwrap(), written);
    // JSON does not have every number.
    if let Ok(json) = policy.to_json() {
        let again = Policy::parse(&json).unwrap_or_else(|e| panic!("written, but not read: {e}\n{json}"));
        assert_eq!(again.to_toml().unwrap(), written);
    }

    let mut columns: Vec<String> = policy.columns.keys().cloned().collect();
    policy.bind(&columns).unwrap_or_else(|e| panic!("its own columns do not fit: {e}"));
    columns.push(columns.concat() + "?");
    assert!(policy.bind(&columns).is_err(), "a column that it does not name fits");
    columns.truncate(columns.len() - 2);
    assert!(policy.bind(&columns).is_err(), "a column that it names may be absent");

    assert!(!policy.with_role(Role::Quasi).is_empty());
    for column in policy.columns.values() {
        assert!(column.role == Role::Quasi || column.hierarchy.is_none());
        assert!(!throng::hierarchy::describe(&column.hierarchy()).is_empty());
    }
    drop(throng::search::strategy(policy.search.algorithm));
}

fn refused(error: &Error, text: &str) {
    assert!(!error.faults().is_empty());
    for fault in error.faults() {
        assert_eq!(fault.kind, Kind::Input, "{fault}");
        assert!(!fault.message.is_empty());
        if let Some(span) = &fault.place.span {
            assert!(text.get(span.clone()).is_some(), "{span:?} is no place in the text: {fault}");
        }
    }
}
