//! Finds the column that numbers persons where persons have several rows.
//!
//! Such a column is called so (`subject_id`, `idcode`, `patient`), and its values repeat. Numbers of
//! visits, orders and households are not numbers of persons.

use super::Kind;
use super::facts::Facts;
use super::names::split;
use super::words::Says;
use crate::policy::Role;

/// The role of a column that identifies persons with several rows. The one place to change it.
pub(super) fn person_id_role() -> Role {
    Role::Subject
}

/// Labels of `words` that number persons, unless the name speaks of an [`EVENT`].
const NUMBERS: [&str; 6] = [
    "a person's name",
    "a social security or national identity number",
    "a medical record number",
    "a health plan number",
    "an account number",
    "an identifying number",
];

/// Words of names that number something that a person has several of, or shares with others.
const EVENT: &[&str] = &[
    "visit",
    "encounter",
    "admission",
    "hadm",
    "stay",
    "icustay",
    "episode",
    "specimen",
    "sample",
    "accession",
    "claim",
    "transaction",
    "order",
    "booking",
    "ticket",
    "household",
    "hh",
    "hhid",
    "family",
    "famid",
    "case",
    "caseid",
    "fall",
    "fallnummer",
    "session",
    "policy",
];

/// Words of names that number rows, unless the name speaks of a [`PERSON`].
const VAGUE: &[&str] = &[
    "row", "rownum", "seq", "seqn", "seqno", "sequence", "index", "idx", "key", "token", "hash", "unnamed",
    "level", "record", "rec", "recid", "recordid",
];

/// Words of names that number persons and nothing else.
const PERSON: &[&str] = &[
    "person",
    "personid",
    "personen",
    "pers",
    "persnr",
    "pid",
    "pidp",
    "subject",
    "subjid",
    "patient",
    "patienten",
    "patid",
    "pat",
    "ptid",
    "pt",
    "participant",
    "respondent",
    "respid",
    "individual",
    "proband",
    "probanden",
    "teilnehmer",
    "idcode",
    "member",
    "employee",
    "emp",
    "staff",
    "student",
    "customer",
    "client",
    "user",
    "userid",
    "mrn",
    "ssn",
    "hhidpn",
    "mergeid",
    "xwaveid",
    "beneficiary",
    "bene",
    "voter",
    "paciente",
    "patientin",
    "subscriber",
];

/// How surely a column numbers persons with several rows; `None` if it does not.
pub(super) fn numbers_persons(name: &str, facts: &Facts) -> Option<Likelihood> {
    let numbered = matches!(facts.kind, Kind::Integer | Kind::Code | Kind::Category | Kind::Text)
        && !facts.dated()
        && facts.repeated();
    let word = facts.meaning.word?;
    let words = split(name);
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    if !numbered
        || word.says != Says::Identifier
        || !NUMBERS.contains(&word.label)
        || has(EVENT)
        || has(VAGUE) && !has(PERSON)
    {
        return None;
    }
    // Persons' names repeat by chance; only numbers and codes under such a name number persons.
    if word.label == NUMBERS[0] && !matches!(facts.kind, Kind::Integer | Kind::Code) {
        return None;
    }
    Some(if has(PERSON) || words.concat() == "idcode" { Likelihood::Named } else { Likelihood::Numbered })
}

/// How surely a column numbers persons; the greater, the surer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likelihood {
    /// The values are codes that repeat.
    Coded,
    /// The name says that it numbers something.
    Numbered,
    /// The name says that it numbers persons.
    Named,
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::super::traits::Traits;
    use super::*;

    fn likelihood(name: &str, persons: u64, rows: u64) -> Option<Likelihood> {
        let (mut sample, mut traits) = (Sample::new(10_000), Traits::new());
        for row in 0..rows {
            let value = (1000 + row % persons).to_string();
            sample.add(&value);
            traits.see(&value);
        }
        numbers_persons(name, &Facts::new(name, 0, rows, &sample, traits))
    }

    #[test]
    fn numbers_of_persons_that_repeat() {
        for name in [
            "subject_id",
            "patient",
            "idcode",
            "PatientID",
            "mrn",
            "Probanden-Nr",
            "person_id",
            "user_id",
            "patient_key",
        ] {
            assert_eq!(likelihood(name, 500, 700), Some(Likelihood::Named), "{name}");
            assert_eq!(likelihood(name, 500, 510), None, "{name}: hardly any repeats");
            assert_eq!(likelihood(name, 500, 500), None, "{name}: each once");
        }
        assert_eq!(likelihood("id", 500, 700), Some(Likelihood::Numbered));
    }

    #[test]
    fn other_numbers_are_not_of_persons() {
        for name in [
            "visit_id",
            "hadm_id",
            "row",
            "patient_visit_id",
            "order_id",
            "hospital_id",
            "household_id",
            "store_no",
            "age",
            "x",
        ] {
            assert_eq!(likelihood(name, 500, 700), None, "{name}");
        }
    }
}
