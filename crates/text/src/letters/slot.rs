//! The values of a letter's world that the grammar can name.

/// Somebody in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Patient,
    Author,
    Recipient,
    Doctor(usize),
    Relative(usize),
    Nurse,
    Staff,
}

/// How somebody is mentioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    First,
    Last,
    Full,
    /// With a middle initial.
    FullMiddle,
    /// "Last, First"
    LastFirst,
    /// "F. Last"
    InitialLast,
    /// "FL", with or without points
    Initials,
    Nick,
    /// The last name with a typing mistake.
    Typo,
    Email,
    /// "mother"
    Relation,
    /// "Mr." or "Mrs."
    Title,
    Age,
    /// "she" or "he"
    She,
}

/// Words that follow the patient's sex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pronoun {
    She,
    CapitalShe,
    Him,
    His,
    CapitalHis,
    Woman,
    Lady,
    Letter,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Person(Role, Form, /* in capitals */ bool),
    Pronoun(Pronoun),
    Hospital,
    HospitalCapitals,
    HospitalShort,
    OtherHospital,
    Clinic,
    OtherClinic,
    Ward,
    Employer,
    School,
    Team,
    Street,
    City,
    State,
    StateShort,
    Postal,
    EuropeanPostal,
    Country,
    Phone,
    Url,
    Ip,
    Record,
    National,
    Account,
    Job,
    Accession,
    Npi,
    Dea,
    Licence,
    Serial,
    Vehicle,
    Occupation,
    Today,
    Birth,
    Admitted,
    Date,
    Day,
    ShortDay,
    Holiday,
    MonthYear,
    Year,
    Weekday,
    Age,
    Room,
}

const NAMED: [(&str, Slot); 51] = [
    ("she", Slot::Pronoun(Pronoun::She)),
    ("She", Slot::Pronoun(Pronoun::CapitalShe)),
    ("him", Slot::Pronoun(Pronoun::Him)),
    ("his", Slot::Pronoun(Pronoun::His)),
    ("His", Slot::Pronoun(Pronoun::CapitalHis)),
    ("woman", Slot::Pronoun(Pronoun::Woman)),
    ("lady", Slot::Pronoun(Pronoun::Lady)),
    ("MF", Slot::Pronoun(Pronoun::Letter)),
    ("Mrs", Slot::Person(Role::Patient, Form::Title, false)),
    ("hosp", Slot::Hospital),
    ("HOSP", Slot::HospitalCapitals),
    ("hosp.short", Slot::HospitalShort),
    ("hosp2", Slot::OtherHospital),
    ("clinic", Slot::Clinic),
    ("clinic2", Slot::OtherClinic),
    ("ward", Slot::Ward),
    ("employer", Slot::Employer),
    ("school", Slot::School),
    ("team", Slot::Team),
    ("street", Slot::Street),
    ("city", Slot::City),
    ("State", Slot::State),
    ("ST", Slot::StateShort),
    ("zip", Slot::Postal),
    ("postcode", Slot::EuropeanPostal),
    ("country", Slot::Country),
    ("phone", Slot::Phone),
    ("url", Slot::Url),
    ("ip", Slot::Ip),
    ("record", Slot::Record),
    ("national", Slot::National),
    ("account", Slot::Account),
    ("account.digits", Slot::Job),
    ("accession", Slot::Accession),
    ("npi", Slot::Npi),
    ("dea", Slot::Dea),
    ("licence", Slot::Licence),
    ("serial", Slot::Serial),
    ("vehicle", Slot::Vehicle),
    ("occupation", Slot::Occupation),
    ("today", Slot::Today),
    ("dob", Slot::Birth),
    ("admitted", Slot::Admitted),
    ("date", Slot::Date),
    ("day", Slot::Day),
    ("short", Slot::ShortDay),
    ("holiday", Slot::Holiday),
    ("monthyear", Slot::MonthYear),
    ("year", Slot::Year),
    ("weekday", Slot::Weekday),
    ("room", Slot::Room),
];

impl Slot {
    /// The slot of a name in the grammar.
    pub fn parse(name: &str) -> Option<Slot> {
        if name == "age" {
            return Some(Slot::Age);
        }
        if let Some(&(_, slot)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Some(slot);
        }
        let (role, form) = name.split_once('.')?;
        let capitals = role.chars().all(|c| c.is_uppercase());
        let role = match role.to_lowercase().as_str() {
            "pt" => Role::Patient,
            "dr" => Role::Author,
            "ref" => Role::Recipient,
            "doc" => Role::Doctor(0),
            "doc2" => Role::Doctor(1),
            "rel" => Role::Relative(0),
            "rel2" => Role::Relative(1),
            "nurse" => Role::Nurse,
            "staff" => Role::Staff,
            _ => return None,
        };
        let form = match form.to_lowercase().as_str() {
            "first" => Form::First,
            "last" => Form::Last,
            "full" => Form::Full,
            "fullmid" => Form::FullMiddle,
            "lastfirst" => Form::LastFirst,
            "flast" => Form::InitialLast,
            "initials" => Form::Initials,
            "nick" => Form::Nick,
            "typo" => Form::Typo,
            "email" => Form::Email,
            "word" => Form::Relation,
            "mrs" => Form::Title,
            "age" => Form::Age,
            "she" => Form::She,
            _ => return None,
        };
        Some(Slot::Person(role, form, capitals))
    }
}
