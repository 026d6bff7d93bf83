//! Places in a text that identify somebody, and why they are believed to.

use serde::{Serialize, Serializer};

use throng_terms::snippet::Snippet;

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A name of a person, or a part of one.
    Person,
    /// A hospital, practice, laboratory, church or other institution.
    Institution,
    /// A part of an institution: a ward, floor, bed or clinic.
    Ward,
    /// A company that somebody works for.
    Employer,
    /// A school, college or university.
    School,
    /// A team or club.
    Team,
    /// A street address, post-office box or building.
    Street,
    /// A city, town or village.
    City,
    /// A state, province or county.
    State,
    /// A country or nationality.
    Country,
    /// A postal code.
    PostalCode,
    /// A number of a phone, fax or pager.
    Phone,
    /// An e-mail address.
    Email,
    /// An address in the web.
    Url,
    /// An address of a computer.
    Ip,
    /// A number of a medical record, case, specimen or order.
    RecordNumber,
    /// A number of an account, insurance policy, bank account or payment card.
    Account,
    /// A number of a licence or certificate.
    Licence,
    /// A serial number of a device.
    Device,
    /// A number or plate of a vehicle.
    Vehicle,
    /// A number that a state gives to a person.
    NationalId,
    /// A date, or a part of one that is finer than a month.
    Date,
    /// An age.
    Age,
    /// An occupation that few people have.
    Occupation,
    /// What a list or pattern of the caller finds: its place in [`Settings::custom_names`].
    ///
    /// [`Settings::custom_names`]: crate::Settings::custom_names
    Custom(u16),
}

impl Kind {
    /// All kinds that detectors find without lists of the caller.
    pub const ALL: [Kind; 24] = [
        Kind::Person,
        Kind::Institution,
        Kind::Ward,
        Kind::Employer,
        Kind::School,
        Kind::Team,
        Kind::Street,
        Kind::City,
        Kind::State,
        Kind::Country,
        Kind::PostalCode,
        Kind::Phone,
        Kind::Email,
        Kind::Url,
        Kind::Ip,
        Kind::RecordNumber,
        Kind::Account,
        Kind::Licence,
        Kind::Device,
        Kind::Vehicle,
        Kind::NationalId,
        Kind::Date,
        Kind::Age,
        Kind::Occupation,
    ];

    /// The name in JSON and policies.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Person => "person",
            Kind::Institution => "institution",
            Kind::Ward => "ward",
            Kind::Employer => "employer",
            Kind::School => "school",
            Kind::Team => "team",
            Kind::Street => "street",
            Kind::City => "city",
            Kind::State => "state",
            Kind::Country => "country",
            Kind::PostalCode => "postal-code",
            Kind::Phone => "phone",
            Kind::Email => "email",
            Kind::Url => "url",
            Kind::Ip => "ip",
            Kind::RecordNumber => "record-number",
            Kind::Account => "account",
            Kind::Licence => "licence",
            Kind::Device => "device",
            Kind::Vehicle => "vehicle",
            Kind::NationalId => "national-id",
            Kind::Date => "date",
            Kind::Age => "age",
            Kind::Occupation => "occupation",
            Kind::Custom(_) => "custom",
        }
    }

    /// The word of a tag: `[PERSON 1]`.
    pub fn tag(self) -> &'static str {
        match self {
            Kind::Person => "PERSON",
            Kind::Institution => "INSTITUTION",
            Kind::Ward => "WARD",
            Kind::Employer => "EMPLOYER",
            Kind::School => "SCHOOL",
            Kind::Team => "TEAM",
            Kind::Street => "STREET",
            Kind::City => "CITY",
            Kind::State => "STATE",
            Kind::Country => "COUNTRY",
            Kind::PostalCode => "POSTAL CODE",
            Kind::Phone => "PHONE",
            Kind::Email => "EMAIL",
            Kind::Url => "URL",
            Kind::Ip => "IP",
            Kind::RecordNumber => "RECORD NUMBER",
            Kind::Account => "ACCOUNT",
            Kind::Licence => "LICENCE",
            Kind::Device => "DEVICE",
            Kind::Vehicle => "VEHICLE",
            Kind::NationalId => "NATIONAL ID",
            Kind::Date => "DATE",
            Kind::Age => "AGE",
            Kind::Occupation => "OCCUPATION",
            Kind::Custom(_) => "CUSTOM",
        }
    }

    /// The kind of a name.
    pub fn parse(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Why a certainty changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The rule, by a fixed name.
    pub rule: &'static str,
    /// The words of the text that the rule looked at.
    pub evidence: Snippet,
    /// The certainty before the rule.
    pub before: f32,
    /// The certainty after the rule.
    pub after: f32,
}

/// A place in a text that identifies somebody.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
    /// How certain that is, from 0 to 1.
    pub certainty: f32,
    /// The detector that found it.
    pub detector: &'static str,
    /// How the certainty came about.
    pub reasons: Vec<Reason>,
    /// What the text is replaced by; none if it is kept or was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kinds_are_different_and_found_back() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
            assert_eq!(kind.tag().to_lowercase().replace(' ', "-"), kind.as_str());
        }
        assert_eq!(Kind::parse("custom"), None);
    }
}
