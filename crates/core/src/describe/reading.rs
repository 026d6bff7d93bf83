//! Detects cells that are not written plainly: numbers with a decimal comma, separators or a unit,
//! dates with month names or two-digit years, times of day.
//!
//! A way of writing is proposed only if it fits every distinct value, texts that usually mean
//! missing aside. Where two ways fit and read different values, nothing is proposed: the column is
//! ambiguous until the user answers. Costs a few attempts per distinct value.

use serde::Serialize;

use super::missing::placeholder;
use super::names;
use super::sample::Sample;
use super::shape::{Shapes, bit, look};
use super::traits::Traits;
use super::words::Says;
use crate::reading::{CellReader, DateStyle, NumberStyle, Reading, SERIAL};

/// The first of the years that two digits stand for, where nothing else is known. It is reported
/// and written to the policy.
const FROM_YEAR: i32 = 1930;

/// What stands before or after numbers: percent signs, signs and codes of currencies.
const UNITS: [&str; 28] = [
    "%", "‰", "€", "$", "£", "¥", "₹", "₽", "₩", "₺", "US$", "EUR", "USD", "GBP", "CHF", "JPY", "SEK", "NOK",
    "DKK", "PLN", "CZK", "HUF", "AUD", "CAD", "Fr.", "kr", "zł", "Kč",
];

/// Ways of writing numbers, plainer ones first.
const STYLES: [(char, Option<char>); 8] = [
    ('.', None),
    ('.', Some(',')),
    ('.', Some(' ')),
    ('.', Some('\'')),
    (',', None),
    (',', Some('.')),
    (',', Some(' ')),
    (',', Some('\'')),
];

/// Ways of writing dates that hierarchies do not read by themselves.
const DATES: [&str; 24] = [
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%d %b %y",
    "%d. %b %Y",
    "%d. %b %y",
    "%d.%b.%Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%Y-%b-%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d-%m-%y",
    "%m-%d-%y",
    "%d.%m.%Y %H:%M:%S",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d/%m/%Y %I:%M %p",
    "%m/%d/%Y %I:%M %p",
    "%d/%m/%Y %I:%M:%S %p",
    "%m/%d/%Y %I:%M:%S %p",
    "%d %b %Y %H:%M",
    "%d. %b %Y %H:%M",
];

/// Ways of writing times of day.
const TIMES: [&str; 4] = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p"];

/// Patterns of values that are not numbers, dates or times, however they look.
const OTHERS: Shapes = bit::EMAIL
    | bit::URL
    | bit::IP
    | bit::MAC
    | bit::UUID
    | bit::SSN
    | bit::PHONE
    | bit::IBAN
    | bit::VIN
    | bit::ICD10_DOT;

/// What the user says about ambiguous columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answers {
    /// The decimal sign, where `1,234` could be 1234 or 1.234.
    pub decimal: Option<char>,
    /// Whether the day comes first, where `03/04/2020` could be 3 April or March 4.
    pub day_first: Option<bool>,
    /// Whether whole numbers in columns of dates are day numbers of a spreadsheet.
    pub serial_dates: Option<bool>,
}

/// What a column could be read as in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ambiguous {
    /// Numbers whose comma is a decimal sign or a thousands separator.
    Numbers,
    /// Dates with the day or the month first.
    Dates,
    /// Whole numbers in a column of dates: day numbers of a spreadsheet, or numbers.
    Serial,
}

impl Ambiguous {
    /// What can be meant.
    pub fn reason(self) -> &'static str {
        match self {
            Ambiguous::Numbers => {
                "numbers can be read in two ways: the separator before three digits is a decimal sign or \
                 separates thousands"
            }
            Ambiguous::Dates => "dates can be read in two ways: no day is after the 12th",
            Ambiguous::Serial => {
                "the name suggests dates and the cells are whole numbers: they may be day numbers of a \
                 spreadsheet, such as 44562 for 2022-01-01"
            }
        }
    }

    /// How the user decides.
    pub fn help(self) -> &'static str {
        match self {
            Ambiguous::Numbers => "answer with --decimal \",\" or --decimal \".\"",
            Ambiguous::Dates => "answer with --dates day-first or --dates month-first",
            Ambiguous::Serial => "answer with --serial-dates yes or --serial-dates no",
        }
    }
}

/// How the cells of a column are written, where that is not plain.
pub(super) fn detect(
    name: &str,
    sample: &Sample,
    traits: &Traits,
    answers: &Answers,
) -> Result<Option<Reading>, Ambiguous> {
    if may_be_serial(name, sample, traits) {
        return match answers.serial_dates {
            Some(true) => Ok(Some(serial())),
            Some(false) => Ok(None),
            None => Err(Ambiguous::Serial),
        };
    }
    if traits.all(bit::NUMBER) || traits.all(bit::TIME) {
        return Ok(None);
    }
    if traits.ambiguous_days() && answers.day_first.is_none() {
        return Err(Ambiguous::Dates);
    }
    let Some(values) = values(sample) else { return Ok(None) };
    let other = |value: &&str| look(value, OTHERS).shapes != 0;
    if traits.format().is_some() || values.is_empty() || values.iter().any(other) {
        return Ok(None);
    }
    if let Some(reading) = number(&values, answers)? {
        return Ok(Some(reading));
    }
    match date(&values, answers)? {
        Some(reading) => Ok(Some(reading)),
        None => Ok(time(&values)),
    }
}

fn serial() -> Reading {
    Reading::date(DateStyle { format: SERIAL.to_owned(), from_year: None })
}

/// Whether a column is named after dates and holds whole numbers that are days of the last hundred
/// years or so: the last one after 1954, none before 1901.
fn may_be_serial(name: &str, sample: &Sample, traits: &Traits) -> bool {
    let (least, greatest) = traits.range;
    let days = traits.all(bit::NUMBER) && least >= 367.0 && (20_000.0..80_000.0).contains(&greatest);
    let dates = || {
        let meaning = names::meaning(name);
        meaning.says() == Some(Says::Date) && !meaning.aspect
    };
    days && dates() && values(sample).is_some_and(|values| fits(&values, &serial()))
}

/// The distinct values that do not usually mean missing; none where one is too long to be known.
fn values(sample: &Sample) -> Option<Vec<&str>> {
    let known = sample.iter().map(|seen| (!seen.cut()).then(|| seen.text.trim()));
    known.filter(|value| value.is_none_or(|value| placeholder(value).is_none())).collect()
}

fn number(values: &[&str], answers: &Answers) -> Result<Option<Reading>, Ambiguous> {
    let mut unit = None;
    let mut bare = Vec::with_capacity(values.len());
    for value in values {
        let (text, found) = without_unit(value);
        if found.is_some() && unit.is_some() && unit != found {
            return Ok(None);
        }
        unit = unit.or(found);
        let digits = text.trim_start_matches(['-', '+', '−', ' ']);
        let padded = digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit());
        if padded || !digits.starts_with(|c: char| c.is_ascii_digit() || c == ',' || c == '.') {
            return Ok(None);
        }
        bare.push(text);
    }
    let fits = |decimal: char| {
        let styles = STYLES.iter().filter(|style| style.0 == decimal);
        styles.map(|&style| (style, reader(style))).find(|(_, reader)| {
            reader.as_ref().is_some_and(|reader| bare.iter().all(|text| reader.read(text).is_some()))
        })
    };
    let (point, comma) = (fits('.'), fits(','));
    let chosen = match (point, comma) {
        (Some((point, by_point)), Some((comma, by_comma))) => {
            let differ = by_point.zip(by_comma).is_some_and(|(by_point, by_comma)| {
                bare.iter().any(|text| by_point.read(text) != by_comma.read(text))
            });
            match answers.decimal {
                Some(',') => comma,
                Some(_) => point,
                None if differ => return Err(Ambiguous::Numbers),
                None => point,
            }
        }
        (Some((style, _)), None) | (None, Some((style, _))) => style,
        (None, None) => return Ok(None),
    };
    let unit = unit.map(String::from);
    Ok(Some(Reading::number(NumberStyle { decimal: chosen.0, thousands: chosen.1, unit })))
}

fn reader((decimal, thousands): (char, Option<char>)) -> Option<CellReader> {
    Reading::number(NumberStyle { decimal, thousands, unit: None }).reader().ok()
}

/// A value without the unit before or after it.
fn without_unit(value: &str) -> (&str, Option<&'static str>) {
    for unit in UNITS {
        if let Some(rest) = value.strip_prefix(unit).or_else(|| value.strip_suffix(unit)) {
            return (rest.trim(), Some(unit));
        }
        // The sign may stand before the unit.
        if let Some(rest) = value.strip_prefix('-').and_then(|rest| rest.strip_prefix(unit)) {
            return (rest.trim(), Some(unit));
        }
    }
    (value, None)
}

fn date(values: &[&str], answers: &Answers) -> Result<Option<Reading>, Ambiguous> {
    let reading = |format: &str| {
        let from_year = format.contains("%y").then_some(FROM_YEAR);
        Reading::date(DateStyle { format: format.to_owned(), from_year })
    };
    let fits = |format: &&&str| fits(values, &reading(format));
    let found: Vec<&&str> = DATES.iter().filter(fits).collect();
    let Some(first) = found.first() else { return Ok(None) };
    let other = twin(first);
    let chosen = match found.iter().any(|format| ***format == *other) {
        false => first.to_string(),
        true => match answers.day_first {
            None => return Err(Ambiguous::Dates),
            Some(day_first) => {
                if first.starts_with("%d") == day_first {
                    first.to_string()
                } else {
                    other
                }
            }
        },
    };
    Ok(Some(reading(&chosen)))
}

/// The format with day and month exchanged.
fn twin(format: &str) -> String {
    match (format.strip_prefix("%d"), format.strip_prefix("%m")) {
        (Some(rest), _) => format!("%m{}", rest.replacen("%m", "%d", 1)),
        (_, Some(rest)) => format!("%d{}", rest.replacen("%d", "%m", 1)),
        _ => String::new(),
    }
}

fn time(values: &[&str]) -> Option<Reading> {
    TIMES.iter().map(|format| Reading::time(*format)).find(|reading| fits(values, reading))
}

fn fits(values: &[&str], reading: &Reading) -> bool {
    let reader = reading.reader().ok();
    !values.is_empty() && reader.is_some_and(|reader| values.iter().all(|value| reader.read(value).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(values: &[&str], answers: Answers) -> Result<Option<String>, Ambiguous> {
        named("x", values, answers)
    }

    fn named(name: &str, values: &[&str], answers: Answers) -> Result<Option<String>, Ambiguous> {
        let (mut sample, mut traits) = (Sample::new(1000), Traits::new());
        for value in values {
            sample.add(value);
            traits.see(value);
        }
        detect(name, &sample, &traits, &answers).map(|reading| reading.map(|reading| reading.describe()))
    }

    fn found(values: &[&str]) -> Result<Option<String>, Ambiguous> {
        answered(values, Answers::default())
    }

    fn is(values: &[&str], expected: &str) {
        assert_eq!(found(values).unwrap().as_deref(), Some(expected), "{values:?}");
    }

    #[test]
    fn numbers_are_recognized_by_all_values() {
        is(&["174,2", "180", "NA"], "numbers with decimal `,`");
        is(&["1.234,56 €", "7,00 €"], "numbers with decimal `,`, thousands `.`, unit `€`");
        is(&["$1,234.50", "-$3"], "numbers with decimal `.`, thousands `,`, unit `$`");
        is(&["12.5%", "7%"], "numbers with decimal `.`, unit `%`");
        is(&["12'345.5", "1"], "numbers with decimal `.`, thousands `'`");
        is(&["1 234 567", "12"], "numbers with decimal `.`, thousands ` `");
        for plain in [
            &["1.5", "2"][..],
            &["1,5", "x"],
            &["€1", "$1"],
            &["192.168.100.200", "192.168.100.201"],
            &["01,5", "02,5"],
            &["030 123 456", "030 123 457"],
            &["a", "b"],
            &["NA"],
            &[],
        ] {
            assert_eq!(found(plain), Ok(None), "{plain:?}");
        }
    }

    #[test]
    fn ambiguous_numbers_are_left_to_the_user() {
        let values = ["45,000", "52,500"];
        assert_eq!(found(&values), Err(Ambiguous::Numbers));
        let with = |decimal| answered(&values, Answers { decimal: Some(decimal), ..Answers::default() });
        assert_eq!(with(',').unwrap().unwrap(), "numbers with decimal `,`");
        assert_eq!(with('.').unwrap().unwrap(), "numbers with decimal `.`, thousands `,`");
        is(&["45,000", "1,234,567"], "numbers with decimal `.`, thousands `,`");
    }

    #[test]
    fn dates_and_times_are_recognized() {
        is(&["17-Mar-84", "3-Dec-01"], "dates as %d-%b-%y, years from 1930 to 2029");
        is(&["3. März 1984", "31. Dezember 2001"], "dates as %d. %b %Y");
        is(&["March 3, 1984", "May 31, 2001"], "dates as %b %d, %Y");
        is(&["31/12/85", "01/02/03"], "dates as %d/%m/%y, years from 1930 to 2029");
        is(&["1/13/2020 3:05 PM", "1/2/2020 3:05 AM"], "dates as %m/%d/%Y %I:%M %p");
        is(&["9:05", "14:35"], "times as %H:%M");
        is(&["9:05 pm", "12:35 AM"], "times as %I:%M %p");
        assert_eq!(found(&["09:05", "14:35"]), Ok(None));
        assert_eq!(found(&["31/12/1985", "01/02/2003"]), Ok(None));
    }

    #[test]
    fn day_numbers_of_spreadsheets_are_left_to_the_user() {
        let days = ["9176", "44562", "45000.0", "NA"];
        let with = |name: &str, values: &[&str], answer| {
            named(name, values, Answers { serial_dates: answer, ..Answers::default() })
        };
        for name in ["Entlassdatum", "visit_date", "Geb.-Datum", "DOB"] {
            assert_eq!(with(name, &days, None), Err(Ambiguous::Serial), "{name}");
            assert_eq!(with(name, &days, Some(false)), Ok(None));
            let read = with(name, &days, Some(true)).unwrap().unwrap();
            assert_eq!(read, "day numbers of a spreadsheet, counted from 1899-12-30");
        }
        // Other names, numbers that are not days, years, fractions.
        for (name, values) in [
            ("income", &days[..]),
            ("number_of_dates", &days),
            ("visit_date", &["1", "44562"]),
            ("visit_date", &["1999", "2020"]),
            ("visit_date", &["20200131", "20201231"]),
            ("visit_date", &["44562.5", "44563"]),
        ] {
            assert_eq!(with(name, values, None), Ok(None), "{name} {values:?}");
        }
    }

    #[test]
    fn ambiguous_dates_are_left_to_the_user() {
        for values in [["03/04/2020", "05/06/2021"], ["03/04/20", "05/06/21"]] {
            assert_eq!(found(&values), Err(Ambiguous::Dates));
        }
        let with = |first| {
            let answers = Answers { day_first: Some(first), ..Answers::default() };
            answered(&["03/04/20", "05/06/21"], answers).unwrap().unwrap()
        };
        assert_eq!(with(true), "dates as %d/%m/%y, years from 1930 to 2029");
        assert_eq!(with(false), "dates as %m/%d/%y, years from 1930 to 2029");
    }
}
