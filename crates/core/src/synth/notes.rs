//! Synthetic clinical notes: a sentence or two that name the patient and a date.
//!
//! Real notes show why free text cannot simply be released: names and dates come in many spellings,
//! next to quotes and commas. A note costs one string of about 120 bytes.

use chrono::{Datelike, Days, NaiveDate};

use super::diagnoses::Diagnosis;
use super::draw::Draw;
use super::people::Name;

/// What a note is about.
pub(super) struct Facts<'a> {
    pub(super) name: &'a Name,
    pub(super) woman: bool,
    pub(super) age: u32,
    pub(super) admitted: NaiveDate,
    pub(super) diagnosis: &'a Diagnosis,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const SAID: [&str; 8] = [
    "I have not slept in three nights",
    "it came out of nowhere",
    "it is worse after meals, and at night",
    "I thought it would pass",
    "I cannot climb the stairs any more",
    "better than last week, but not right",
    "I stopped the pills, they made me dizzy",
    "I just want to go home",
];

const RELATIVES: [&str; 6] = ["wife", "husband", "daughter", "son", "sister", "neighbor"];

const PLANS: [&str; 8] = [
    "Discharged home in stable condition.",
    "No known allergies; tolerating diet.",
    "Plan discussed, questions answered.",
    "Pain well controlled, walking with assistance.",
    "Labs improving; continue current medication.",
    "Transferred to rehabilitation.",
    "Social work consulted, ride home arranged.",
    "Vitals stable, afebrile, room air.",
];

/// Writes a note.
pub(super) fn note(facts: &Facts<'_>, draw: &mut Draw) -> String {
    let admitted = spell(facts.admitted, draw);
    let name = facts.name.plain();
    if facts.diagnosis.is_birth() {
        let child = if facts.woman { "girl" } else { "boy" };
        let least = if facts.diagnosis.code == "P07.30" { 900 } else { 2500 };
        let weight = least + 10 * draw.below(160);
        return format!("Baby {child} {name}, born {admitted}, {weight} g. Rooming in with mother.");
    }
    let what = facts.diagnosis.words;
    let plan = draw.one_of(&PLANS);
    if facts.age < 15 {
        let parent = draw.one_of(&["Mother", "Father", "Grandmother"]);
        return format!("{parent} brought {name} in on {admitted} with {what}. {plan}");
    }
    let (title, they) = if facts.woman { ("Ms.", "She") } else { ("Mr.", "He") };
    let (last, age) = (facts.name.last, facts.age);
    let said = draw.one_of(&SAID);
    match draw.below(6) {
        0 => format!("{name} was admitted on {admitted} with {what}. {plan}"),
        1 => format!("{age}-year-old {name}, admitted {admitted} for {what}. {plan}"),
        2 => format!("Seen on {admitted}: {title} {last} reports \"{said}\". Treated for {what}."),
        3 => {
            let visit = spell(later(facts.admitted, 7 + draw.below(50)), draw);
            format!("{title} {last} treated for {what}. Follow-up on {visit} with Dr. {}.", doctor(draw))
        }
        4 => {
            let relative = draw.one_of(&RELATIVES);
            format!("Spoke with {title} {last}'s {relative} on {admitted} about {what}. {plan}")
        }
        _ => format!("{title} {last} came in on {admitted} with {what}. {they} says \"{said}\". {plan}"),
    }
}

fn doctor(draw: &mut Draw) -> &'static str {
    draw.one_of(&["Abbott", "Chaudhry", "Feldman", "Ibarra", "Kessler", "Laurent", "Okafor", "Yamada"])
}

fn later(date: NaiveDate, days: u32) -> NaiveDate {
    date.checked_add_days(Days::new(days.into())).unwrap_or(date)
}

/// A date in one of the spellings that people use.
fn spell(date: NaiveDate, draw: &mut Draw) -> String {
    let (year, month, day) = (date.year(), MONTHS[date.month0() as usize], date.day());
    match draw.below(5) {
        0 => date.to_string(),
        1 => format!("{month} {day}, {year}"),
        2 => format!("{}/{day}/{year}", date.month()),
        3 => format!("{}/{day:02}/{:02}", date.month(), year % 100),
        _ => format!("{day} {} {year}", &month[..3]),
    }
}
