//! Synthetic hospital patients, one row each, to try Throng on.
//!
//! The columns are correlated as in a real register: ethnicity with the ZIP code, age with sex and
//! ethnicity, diagnosis with age and sex, charges with diagnosis and age, the note with all of
//! them. A row costs about a microsecond and two strings; row `i` depends only on the seed and the
//! `i` rows before it.

use std::fmt::Write;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::diagnoses::{Diagnoses, Diagnosis};
use super::draw::Draw;
use super::notes::{Facts, note};
use super::people::{ETHNICITIES, Name, People};
use super::spec::quoted;
use crate::error::Result;
use crate::watch::{Stage, Watch};

/// Rows between two looks whether to stop.
const PART: usize = 1 << 12;

/// The columns of the table, in order.
pub const COLUMNS: [&str; 10] = [
    "name",
    "record_number",
    "birth_date",
    "sex",
    "zip",
    "ethnicity",
    "admission_date",
    "diagnosis",
    "charges",
    "note",
];

/// Admissions fall within the two years from here.
const FIRST_DAY: NaiveDate = match NaiveDate::from_ymd_opt(2023, 1, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};
const DAYS: u32 = 731;

/// Record numbers have 8 digits and are unique below this prime.
const RECORDS: u64 = 99_999_989;

/// A patient who does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patient {
    /// First name and surname.
    pub name: String,
    /// Eight digits, different for every patient of a table.
    pub record_number: u32,
    /// Day of birth, not after the admission.
    pub birth_date: NaiveDate,
    /// `F` or `M`.
    pub sex: char,
    /// Postal code; five digits with its leading zero.
    pub zip: u32,
    /// Missing for 3 %.
    pub ethnicity: Option<&'static str>,
    /// Day of admission, in 2023 or 2024.
    pub admission_date: NaiveDate,
    /// ICD-10 code.
    pub diagnosis: &'static str,
    /// Charges in cents.
    pub charges: u64,
    /// A sentence or two with the patient's name and a date in them.
    pub note: String,
}

/// `rows` patients; the same for the same seed, on every platform.
pub fn patients(rows: usize, seed: u64) -> impl Iterator<Item = Patient> {
    let (people, diagnoses, mut draw) = (People::new(), Diagnoses::new(), Draw::new(seed));
    let first_record = u64::from(draw.below(RECORDS as u32));
    (0..rows as u64).map(move |row| {
        // Any step modulo a prime visits every number once; this one keeps neighbours far apart.
        let record = (first_record + row % RECORDS * 61_803_399) % RECORDS;
        patient(record as u32, &people, &diagnoses, &mut draw)
    })
}

/// The same as a CSV file with a header.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn csv(rows: usize, seed: u64, watch: &Watch) -> Result<String> {
    let mut text = String::with_capacity(100 + rows.saturating_mul(220));
    text.push_str(&COLUMNS.join(","));
    text.push('\n');
    for (row, patient) in patients(rows, seed).enumerate() {
        if row.is_multiple_of(PART) {
            watch.done(Stage::Drawing, row as u64, Some(rows as u64))?;
        }
        patient.write_csv(&mut text);
    }
    Ok(text)
}

impl Patient {
    /// Appends the patient as a line of CSV.
    pub fn write_csv(&self, text: &mut String) {
        quoted(&self.name, text);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ",{:08},{},{},{:05},{},{},{},{}.{:02},",
            self.record_number,
            self.birth_date,
            self.sex,
            self.zip,
            self.ethnicity.unwrap_or_default(),
            self.admission_date,
            self.diagnosis,
            self.charges / 100,
            self.charges % 100,
        );
        quoted(&self.note, text);
        text.push('\n');
    }
}

fn patient(record_number: u32, people: &People, diagnoses: &Diagnoses, draw: &mut Draw) -> Patient {
    let person = people.draw(draw);
    let diagnosis = diagnoses.draw(person.age, person.woman, draw);
    let admission_date = admission(diagnosis, draw);
    let birth_date =
        if diagnosis.is_birth() { admission_date } else { birth(admission_date, person.age, draw) };
    let name = Name::draw(&person, birth_date.year(), draw);
    let charges = diagnosis.charges(person.age, draw);
    let facts =
        Facts { name: &name, woman: person.woman, age: person.age, admitted: admission_date, diagnosis };
    Patient {
        note: note(&facts, draw),
        name: name.full(),
        record_number,
        birth_date,
        sex: if person.woman { 'F' } else { 'M' },
        zip: person.zip,
        ethnicity: (!draw.per_mille(30)).then_some(ETHNICITIES[person.ethnicity]),
        admission_date,
        diagnosis: diagnosis.code,
        charges,
    }
}

/// A day of the two years; fewer at weekends, and in winter for what comes with winter.
fn admission(diagnosis: &Diagnosis, draw: &mut Draw) -> NaiveDate {
    let mut day = FIRST_DAY;
    for _ in 0..4 {
        day = FIRST_DAY + Days::new(draw.below(DAYS).into());
        let weekend = matches!(day.weekday(), Weekday::Sat | Weekday::Sun) && !diagnosis.is_birth();
        let off_season = diagnosis.in_winter() && (4..=10).contains(&day.month());
        if !(weekend && draw.per_mille(300) || off_season && draw.per_mille(700)) {
            break;
        }
    }
    day
}

/// A day of birth that makes somebody `age` years old on a day.
fn birth(day: NaiveDate, age: u32, draw: &mut Draw) -> NaiveDate {
    // From the birthday on which they turned `age` at the latest, back to a day after the one
    // before it.
    day - Months::new(12 * age) - Days::new(draw.below(365).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};
    use std::collections::{HashMap, HashSet};

    /// Completed years from one day to another.
    fn age(p: &Patient) -> u32 {
        p.admission_date.years_since(p.birth_date).unwrap()
    }

    /// The share of those for whom something holds.
    fn share(all: &[Patient], holds: impl Fn(&Patient) -> bool) -> f64 {
        all.iter().filter(|p| holds(p)).count() as f64 / all.len() as f64
    }

    /// A reader of CSV that knows quotes and nothing else.
    fn parse(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
        let (mut inside, mut chars) = (false, text.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                '"' if inside && chars.peek() == Some(&'"') => cell.extend(chars.next()),
                '"' => {
                    assert!(inside || cell.is_empty(), "a quote within a cell that has none around it");
                    inside = !inside;
                }
                ',' if !inside => row.push(std::mem::take(&mut cell)),
                '\n' if !inside => {
                    row.push(std::mem::take(&mut cell));
                    rows.push(std::mem::take(&mut row));
                }
                c => cell.push(c),
            }
        }
        assert!(!inside && row.is_empty() && cell.is_empty(), "the file ends within a row");
        rows
    }

    fn text(rows: usize, seed: u64) -> String {
        csv(rows, seed, &Watch::none()).unwrap()
    }

    #[test]
    fn drawing_can_be_stopped() {
        let watch = Watch::none();
        watch.cancel().finish();
        assert!(csv(10, 1, &watch).unwrap_err().is_cancelled());
    }

    #[test]
    fn the_same_seed_gives_the_same_table() {
        let digest: String = Sha256::digest(text(1000, 1)).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(digest, "8b52fa042d262f3353d46f85977342ef0c0da5b5d73fa741bcd369e55f050832");
        assert_ne!(text(10, 1), text(10, 2));
        assert!(text(100, 1).starts_with(&text(10, 1)), "more rows change the first ones");
    }

    #[test]
    fn the_csv_reads_back() {
        let rows = parse(&text(5000, 2));
        assert_eq!(rows[0], COLUMNS);
        assert_eq!(rows.len(), 5001);
        for (row, p) in rows[1..].iter().zip(patients(5000, 2)) {
            assert_eq!(row.len(), COLUMNS.len());
            let charges = format!("{}.{:02}", p.charges / 100, p.charges % 100);
            let (birth, admission) = (p.birth_date.to_string(), p.admission_date.to_string());
            assert_eq!((&row[0], &row[2], &row[6], &row[8]), (&p.name, &birth, &admission, &charges));
            assert_eq!((row[5].as_str(), &row[9]), (p.ethnicity.unwrap_or(""), &p.note));
            assert!(row[4].len() == 5 && (row[4].starts_with("02") || row[4].starts_with("03")));
        }
        assert!(rows.iter().any(|r| r[0].contains(',')) && rows.iter().any(|r| r[9].contains('"')));
    }

    /// Seed 3, 50,000 rows, as the demonstration has.
    #[test]
    fn patients_are_as_stated() {
        let all: Vec<Patient> = patients(50_000, 3).collect();
        let within = |low: f64, share: f64, high: f64| assert!(low < share && share < high, "{share}");
        within(0.53, share(&all, |p| p.sex == 'F'), 0.56);
        within(0.025, share(&all, |p| p.ethnicity.is_none()), 0.035);
        within(0.55, share(&all, |p| p.ethnicity == Some("White")), 0.70);
        within(0.04, share(&all, |p| age(p) == 0), 0.09);
        within(0.30, share(&all, |p| age(p) >= 65), 0.45);
        within(0.0, share(&all, |p| age(p) >= 100), 0.001);
        within(0.25, share(&all, |p| p.zip / 100 == 21), 0.29);
        within(0.08, share(&all, |p| p.diagnosis.starts_with('O')), 0.14);
        let dates = all.iter().map(|p| p.admission_date);
        assert_eq!(dates.clone().min(), Some(FIRST_DAY));
        assert_eq!(dates.max().unwrap().to_string(), "2024-12-31");
        assert!(all.iter().all(|p| p.birth_date <= p.admission_date && age(p) < 109));
        assert!(all.iter().any(|p| age(p) >= 100));
        assert_eq!(all.iter().map(|p| p.record_number).collect::<HashSet<_>>().len(), 50_000);
        assert_eq!(all.iter().map(|p| p.zip / 100).collect::<HashSet<_>>().len(), 10);
    }

    #[test]
    fn diagnosis_fits_age_and_sex() {
        let all: Vec<Patient> = patients(50_000, 4).collect();
        for p in &all {
            match p.diagnosis.as_bytes()[0] {
                b'O' => assert!(p.sex == 'F' && (15..50).contains(&age(p))),
                b'P' | b'Z' => assert_eq!(p.birth_date, p.admission_date),
                _ => {}
            }
            assert!(p.sex == 'M' || !["C61", "N40.1"].contains(&p.diagnosis));
        }
        assert!(all.iter().map(|p| p.diagnosis).collect::<HashSet<_>>().len() >= 60);
        let young: Vec<Patient> = all.iter().filter(|p| (1..15).contains(&age(p))).cloned().collect();
        let old: Vec<Patient> = all.iter().filter(|p| age(p) >= 80).cloned().collect();
        let failing = |p: &Patient| p.diagnosis == "I50.23";
        assert!(share(&young, failing) < 0.01 && share(&old, failing) > 0.05);
    }

    /// The mean of the logarithms of charges is the logarithm of their middle.
    #[test]
    fn charges_are_log_normal() {
        let mut charges: HashMap<&str, Vec<f64>> = HashMap::new();
        for p in patients(50_000, 5).filter(|p| age(p) <= 40) {
            charges.entry(p.diagnosis).or_default().push((p.charges as f64 / 100.0).ln());
        }
        for (code, middle, spread) in [("O80", 11_800.0f64, 0.3), ("K35.80", 21_000.0, 0.6)] {
            let logs = &charges[code];
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / logs.len() as f64;
            assert!((mean - middle.ln()).abs() < 0.08, "{code}: {mean}");
            assert!((variance.sqrt() - spread).abs() < 0.05, "{code}: {variance}");
        }
    }

    #[test]
    fn notes_name_the_patient_and_a_date() {
        for p in patients(5000, 6) {
            let plain = p.name.trim_end_matches(", Jr.");
            let (_, last) = plain.split_once(' ').unwrap();
            assert!(p.note.contains(last), "{}: {}", p.name, p.note);
            assert!(["20", "/23", "/24", "/25"].iter().any(|year| p.note.contains(year)), "{}", p.note);
        }
    }
}
