//! What a column holds, in the categories that disclosure rules distinguish: the identifiers of
//! HIPAA Safe Harbor, dates, ages, places, text, and what others want to learn.
//!
//! [`Category::of`] knows the values of a column, [`Category::by_name`] only its name. In doubt a
//! column is [`Category::Other`], which no rule is about. Costs one look-up of the name.

use serde::{Deserialize, Serialize};

use super::names::{self, Meaning};
use super::words::Says;
use super::{ColumnDescription, Kind};
use crate::policy::Role;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum Category {
    /// Names of people.
    Name,
    /// Street addresses.
    Address,
    /// Telephone numbers.
    Phone,
    /// Fax numbers.
    Fax,
    /// E-mail addresses.
    Email,
    /// Social security or national identity numbers.
    Ssn,
    /// Medical record numbers.
    RecordNumber,
    /// Health plan numbers.
    HealthPlan,
    /// Account numbers.
    Account,
    /// Certificate and licence numbers.
    Licence,
    /// Vehicle identifiers.
    Vehicle,
    /// Device identifiers.
    Device,
    /// Web addresses.
    Web,
    /// IP addresses.
    Ip,
    /// Biometric identifiers.
    Biometric,
    /// Pictures of people.
    Picture,
    /// Other numbers and codes that name a person.
    Code,
    /// Dates of birth.
    BirthDate,
    /// Other dates.
    Date,
    /// Months, days and other elements of a date.
    DatePart,
    /// Years of birth.
    BirthYear,
    /// Other years.
    Year,
    /// Ages.
    Age,
    /// Postal codes.
    Postal,
    /// Places smaller than a state.
    Place,
    /// States, regions and countries.
    Region,
    /// Free text.
    Text,
    /// What others want to learn, in categories.
    Sensitive,
    /// What others want to learn, as a number.
    Amount,
    /// Anything else.
    Other,
}

use Category::*;

/// How templates and policies write the categories.
const KEYS: [(&str, Category); 30] = [
    ("name", Name),
    ("address", Address),
    ("phone", Phone),
    ("fax", Fax),
    ("email", Email),
    ("ssn", Ssn),
    ("record-number", RecordNumber),
    ("health-plan", HealthPlan),
    ("account", Account),
    ("licence", Licence),
    ("vehicle", Vehicle),
    ("device", Device),
    ("web", Web),
    ("ip", Ip),
    ("biometric", Biometric),
    ("picture", Picture),
    ("code", Code),
    ("birth-date", BirthDate),
    ("date", Date),
    ("date-part", DatePart),
    ("birth-year", BirthYear),
    ("year", Year),
    ("age", Age),
    ("postal", Postal),
    ("place", Place),
    ("region", Region),
    ("text", Text),
    ("sensitive", Sensitive),
    ("amount", Amount),
    ("other", Other),
];

/// Words in the label of a name, or in the reason for a role, and the identifier that they mean. The
/// first that occurs counts.
const IDENTIFIERS: [(&str, Category); 18] = [
    ("e-mail", Email),
    ("web address", Web),
    ("IP address", Ip),
    ("device", Device),
    ("social security", Ssn),
    ("medical record", RecordNumber),
    ("health plan", HealthPlan),
    ("bank account", Account),
    ("account number", Account),
    ("licence", Licence),
    ("vehicle", Vehicle),
    ("biometric", Biometric),
    ("picture", Picture),
    ("fax", Fax),
    ("telephone", Phone),
    ("street address", Address),
    ("UUID", Code),
    ("person's name", Name),
];

/// Words of a name that is about births.
const BIRTH: [&str; 8] = ["birth", "born", "dob", "yob", "gebur", "naiss", "nacim", "nasc"];

/// Words of a name that is about a day, rather than about a time or another length.
const DAY: [&str; 8] = ["date", "dates", "dt", "dat", "datum", "fecha", "datetime", "timestamp"];

/// Last words of a name that is about an element of a date other than the year.
const PART: [&str; 12] =
    ["month", "monat", "mois", "mes", "mo", "day", "weekday", "dow", "week", "quarter", "hour", "wochentag"];

impl TryFrom<String> for Category {
    type Error = String;

    fn try_from(key: String) -> Result<Self, String> {
        Category::parse(&key).ok_or_else(|| format!("`{}` is not a category of columns", key.escape_debug()))
    }
}

impl From<Category> for &'static str {
    fn from(category: Category) -> &'static str {
        category.key()
    }
}

impl Category {
    /// The category with a key.
    pub fn parse(key: &str) -> Option<Self> {
        KEYS.iter().find(|(known, _)| *known == key).map(|(_, category)| *category)
    }

    /// How templates and policies write it.
    pub fn key(self) -> &'static str {
        KEYS.iter().find(|(_, category)| *category == self).map_or("other", |(key, _)| key)
    }

    /// All keys.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        KEYS.iter().map(|(key, _)| *key)
    }

    /// Whether it names a person outright.
    pub fn identifies(self) -> bool {
        self <= Code
    }

    /// What a column holds, by its name, its values and the proposed role.
    pub fn of(column: &ColumnDescription) -> Self {
        let named = Category::by_name(&column.name);
        match column.role {
            Role::Identifier | Role::Subject => {
                identifier(&column.reason).unwrap_or(if named.identifies() { named } else { Code })
            }
            Role::Text => Text,
            _ => by_values(column, named),
        }
    }

    /// What a column holds as far as its name says.
    pub fn by_name(name: &str) -> Self {
        let meaning = names::meaning(name);
        let Some(word) = meaning.word else { return Other };
        if meaning.age && word.says != Says::Identifier {
            return Age;
        }
        match word.says {
            Says::Identifier if meaning.aspect => Other,
            says if says != Says::Identifier && is_part(name) => DatePart,
            Says::Identifier => identifier(word.label).unwrap_or(Code),
            Says::Date if is_birth(name) => BirthDate,
            Says::Date => Date,
            Says::Year if is_birth(name) => BirthYear,
            Says::Year => Year,
            Says::Month if names::split(name).iter().any(|word| word == "per") => Other,
            Says::Month => DatePart,
            Says::Age => Age,
            Says::Postal => Postal,
            Says::Quasi => place(&meaning),
            Says::Sensitive | Says::Diagnosis => Sensitive,
            Says::Money => Amount,
            Says::Text => Text,
            Says::Number | Says::Weight | Says::Target | Says::Measure | Says::Opinion => Other,
        }
    }
}

fn identifier(text: &str) -> Option<Category> {
    IDENTIFIERS.iter().find(|(word, _)| text.contains(word)).map(|(_, category)| *category)
}

fn is_birth(name: &str) -> bool {
    names::split(name).iter().any(|word| BIRTH.iter().any(|birth| word.starts_with(birth)))
}

/// Whether a name such as `admission_month` is about an element of a date; `visits_per_month` is not.
fn is_part(name: &str) -> bool {
    let words = names::split(name);
    let counts =
        words.iter().any(|word| ["per", "of", "in", "n", "number", "count"].contains(&word.as_str()));
    let counts = counts && !words.iter().any(|word| word.starts_with("birth"));
    !counts && words.last().is_some_and(|last| PART.contains(&last.as_str()))
}

fn place(meaning: &Meaning) -> Category {
    match meaning.word.map_or("", |word| word.label) {
        label if label.contains("smaller than a state") => Place,
        label if label.contains("element of a date") => DatePart,
        label if label.contains("state, region") => Region,
        _ => Other,
    }
}

/// What the values of a column that does not name people say of it.
fn by_values(column: &ColumnDescription, named: Category) -> Category {
    let numeric = matches!(column.kind, Kind::Integer | Kind::Decimal);
    let within = |low: f64, high: f64| {
        let end = |end: &Option<String>| end.as_ref().and_then(|end| end.parse::<f64>().ok());
        numeric && end(&column.min).is_some_and(|x| x >= low) && end(&column.max).is_some_and(|x| x <= high)
    };
    match column.kind {
        Kind::Date { .. } | Kind::DateTime { .. } if is_birth(&column.name) => return BirthDate,
        Kind::Date { .. } | Kind::DateTime { .. } => return Date,
        _ => {}
    }
    match named {
        // A time that is not a date is a number like any other.
        Date | BirthDate if within(1800.0, 2200.0) => {
            if named == Date {
                Year
            } else {
                BirthYear
            }
        }
        Date if numeric && !names::split(&column.name).iter().any(|word| DAY.contains(&word.as_str())) => {
            Other
        }
        Year | BirthYear if !within(1800.0, 2200.0) && numeric => Other,
        DatePart if numeric && !within(0.0, 366.0) => Other,
        Date | BirthDate | Year | BirthYear | DatePart | Age | Postal | Place | Region => named,
        _ if column.reason.contains("postal code") => Postal,
        _ if column.role == Role::Sensitive && numeric && column.distinct > 20 => Amount,
        _ if column.role == Role::Sensitive => Sensitive,
        _ => Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::Describer;

    #[test]
    fn every_identifier_of_the_words_has_a_category() {
        for (name, category) in [
            ("patient_name", Name),
            ("street_address", Address),
            ("phone", Phone),
            ("fax_number", Fax),
            ("email", Email),
            ("ssn", Ssn),
            ("mrn", RecordNumber),
            ("health_plan_id", HealthPlan),
            ("account_number", Account),
            ("license_number", Licence),
            ("vin", Vehicle),
            ("device_serial", Device),
            ("url", Web),
            ("ip_address", Ip),
            ("fingerprint", Biometric),
            ("photo", Picture),
            ("subject_id", Code),
            ("birth_date", BirthDate),
            ("date_of_birth", BirthDate),
            ("yob", BirthYear),
            ("admission_date", Date),
            ("discharge_month", DatePart),
            ("admission_day", DatePart),
            ("visits_per_month", Other),
            ("weekday", DatePart),
            ("year", Year),
            ("age", Age),
            ("age_at_admission", Age),
            ("zip", Postal),
            ("city", Place),
            ("county", Place),
            ("latitude", Place),
            ("state", Region),
            ("diagnosis", Sensitive),
            ("charges", Amount),
            ("phone_type", Other),
            ("xyzzy", Other),
        ] {
            assert_eq!(Category::by_name(name), category, "{name}");
        }
    }

    #[test]
    fn keys_are_read_back() {
        for (key, category) in KEYS {
            assert_eq!((Category::parse(key), category.key()), (Some(category), key));
        }
        assert_eq!(Category::parse("nonsense"), None);
        assert!(Picture.identifies() && Code.identifies() && !BirthDate.identifies());
    }

    fn of(name: &str, values: &[&str]) -> Category {
        let mut describer = Describer::new(vec![name.to_owned()], &[]);
        values.iter().for_each(|value| describer.push(0, Some(value)));
        // A lone column becomes a quasi-identifier; another one beside it keeps its role.
        Category::of(&describer.finish().columns[0])
    }

    #[test]
    fn values_decide_where_names_do_not() {
        assert_eq!(of("x", &["123-45-6789", "987-65-4321", "111-22-3333"]), Ssn);
        assert_eq!(of("x", &["a@b.org", "c@d.org", "e@f.org"]), Email);
        assert_eq!(of("x", &["2021-03-31", "2020-01-01", "1999-12-31"]), Date);
        assert_eq!(of("geburtsdatum", &["31.03.2021", "30.01.2020", "31.12.1999"]), BirthDate);
        assert_eq!(of("survival_time", &["12", "34", "560", "3"]), Other);
        assert_eq!(of("birth_year", &["1950", "1961", "1972"]), BirthYear);
        assert_eq!(of("year", &["1", "2", "3", "4"]), Other);
    }
}
