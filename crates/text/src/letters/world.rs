//! The people, places and numbers of one letter. Every mention of a person draws on the same names,
//! as in a real letter.

use chrono::{Days, NaiveDate};

use super::chance::Chance;
use super::{dates, numbers, words};

/// Somebody in a letter.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub female: bool,
    pub first: String,
    pub middle: char,
    pub last: String,
    pub nick: String,
    /// What they are to the patient: "mother", "wife"; empty for others.
    pub relation: &'static str,
    pub age: u32,
}

impl Person {
    fn new(female: bool, chance: &mut Chance) -> Self {
        let first = words::first_name(female, chance);
        let nick = words::nickname(&first, chance);
        let middle = char::from(b'A' + chance.below(26) as u8);
        Person { female, first, middle, last: words::last_name(chance), nick, relation: "", age: 0 }
    }

    fn any(chance: &mut Chance) -> Self {
        let female = chance.permille(500);
        Person::new(female, chance)
    }

    /// A relative of somebody; most share the last name.
    fn relative(patient: &Person, chance: &mut Chance) -> Self {
        let grown = patient.age >= 25;
        let (relation, female, years) = match chance.below(8) {
            0 => ("mother", true, 28),
            1 => ("father", false, 31),
            2 => ("sister", true, 3),
            3 => ("brother", false, -4),
            4 if grown => ("daughter", true, -24),
            5 if grown => ("son", false, -27),
            6 if grown => (if patient.female { "husband" } else { "wife" }, !patient.female, 2),
            7 if grown => ("neighbor", chance.permille(500), 5),
            _ => ("aunt", true, 25),
        };
        let mut person = Person::new(female, chance);
        person.relation = relation;
        person.age = (i64::from(patient.age) + years + chance.within(-3, 3)).clamp(1, 103) as u32;
        if relation != "neighbor" && chance.permille(650) {
            person.last.clone_from(&patient.last);
        }
        person
    }

    /// The first letter of a name.
    pub fn initial(name: &str) -> char {
        name.chars().next().unwrap_or('X')
    }
}

/// Everything that a letter speaks about.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub patient: Person,
    pub author: Person,
    pub recipient: Person,
    pub doctors: [Person; 2],
    pub relatives: [Person; 2],
    pub nurse: Person,
    pub staff: Person,
    pub european: bool,
    pub style: dates::Style,
    /// The day of the letter.
    pub today: NaiveDate,
    pub birth: NaiveDate,
    pub admitted: NaiveDate,
    pub hospital: (String, String),
    pub clinic: String,
    pub city: String,
    pub record: String,
    pub national: String,
    /// The part of the hospital's addresses behind the at sign.
    pub domain: String,
}

impl World {
    /// A world for a letter.
    pub fn new(chance: &mut Chance) -> Self {
        let european = chance.permille(350);
        let epoch = NaiveDate::from_ymd_opt(1991, 1, 1).unwrap_or_default();
        let today = epoch + Days::new(chance.below(12_400) as u64);
        let years = if chance.permille(180) { 2 + chance.below(16) } else { 18 + chance.below(80) };
        let birth = dates::before(today - Days::new(years as u64 * 365), 364, chance);
        let admitted = dates::before(today, 20, chance);
        let mut patient = Person::any(chance);
        patient.age = dates::age(birth, today);
        let relatives = [Person::relative(&patient, chance), Person::relative(&patient, chance)];
        let city = words::city(chance);
        let domain = format!("{}.example", words::company(chance).to_lowercase());
        World {
            author: Person::any(chance),
            recipient: Person::any(chance),
            doctors: [Person::any(chance), Person::any(chance)],
            relatives,
            nurse: Person::any(chance),
            staff: Person::any(chance),
            european,
            style: dates::Style::new(european, chance),
            today,
            birth,
            admitted,
            hospital: hospital(&city, chance),
            clinic: clinic(chance),
            record: numbers::record(chance),
            national: numbers::national(european, chance),
            patient,
            city,
            domain,
        }
    }
}

/// A hospital: its whole name and what people call it.
pub(super) fn hospital(city: &str, chance: &mut Chance) -> (String, String) {
    let name = words::place(chance);
    match chance.below(8) {
        0 => (format!("{name} General Hospital"), format!("{name} General")),
        1 => (format!("St. {name}'s Hospital"), format!("St. {name}'s")),
        2 => (format!("{name} Memorial Medical Center"), format!("{name} Memorial")),
        3 => (format!("{city} Regional Medical Center"), format!("{city} Regional")),
        4 => (format!("University Hospital {name}"), format!("{name} University Hospital")),
        5 => (format!("{name} Community Hospital"), format!("{name} Hospital")),
        6 => (format!("Royal {name} Infirmary"), format!("{name} Infirmary")),
        _ => (format!("{name} Children's Hospital"), format!("{name} Children's")),
    }
}

/// A practice, laboratory, pharmacy or home.
pub(super) fn clinic(chance: &mut Chance) -> String {
    let name = if chance.permille(500) { words::place(chance) } else { words::last_name(chance) };
    let tail = chance.pick(&[
        "Clinic",
        "Family Practice",
        "Medical Group",
        "Health Centre",
        "Surgery",
        "Nursing Home",
        "Rehabilitation Center",
        "Pharmacy",
        "Laboratory",
        "Hospice",
        "Medical Associates",
        "Dialysis Center",
        "Imaging Center",
    ]);
    format!("{name} {tail}")
}

/// A part of a hospital.
pub(super) fn ward(chance: &mut Chance) -> String {
    match chance.below(5) {
        0 => format!("Ward {}{}", 1 + chance.below(20), chance.pick(&["", "A", "B", "C"])),
        1 => format!("Unit {}{}", 1 + chance.below(9), chance.pick(&["A", "B", "C", "N"])),
        2 => format!("{} Ward", words::place(chance)),
        3 => format!("{} {}", 2 + chance.below(9), chance.pick(&["East", "West", "North", "South"])),
        _ => format!("{} Wing", words::last_name(chance)),
    }
}

/// A company.
pub(super) fn employer(chance: &mut Chance) -> String {
    let name = words::company(chance);
    match chance.below(8) {
        0 => format!("{} & {}", words::last_name(chance), words::last_name(chance)),
        1 => format!("{name} Industries"),
        2 => format!("{name} Corp"),
        3 => format!("{} Bros. Inc.", words::last_name(chance)),
        4 => format!("{name} Foods"),
        5 => format!("{name} Ltd"),
        6 => format!("Bank of {}", words::place(chance)),
        _ => format!("{name} Logistics LLC"),
    }
}

/// A school.
pub(super) fn school(chance: &mut Chance) -> String {
    let name = words::place(chance);
    let tail = chance.pick(&[
        "High School",
        "Elementary School",
        "Primary School",
        "University",
        "College",
        "Academy",
        "Middle School",
        "Kindergarten",
    ]);
    format!("{name} {tail}")
}

/// A team.
pub(super) fn team(chance: &mut Chance) -> String {
    let name = words::place(chance);
    let tail = chance.pick(&[
        "Rovers",
        "FC",
        "Hawks",
        "Tigers",
        "Swim Club",
        "United",
        "Gymnastics team",
        "Wildcats",
    ]);
    format!("{name} {tail}")
}

/// A street with its number, or a box.
pub(super) fn street(european: bool, chance: &mut Chance) -> String {
    if chance.permille(60) {
        return format!("P.O. Box {}", numbers::digits(4, chance));
    }
    let name = if chance.permille(700) { words::place(chance) } else { words::last_name(chance) };
    let kinds: &[&str] = if european {
        &["Street", "Road", "Lane", "Close", "Crescent", "Terrace", "Gardens", "Avenue", "Rd", "Way"]
    } else {
        &[
            "Street", "St", "St.", "Avenue", "Ave", "Road", "Rd", "Drive", "Blvd", "Court", "Lane", "Way",
            "Pkwy",
        ]
    };
    let digits = 1 + chance.below(if european { 3 } else { 4 });
    let number = numbers::digits(digits, chance);
    let tail = match chance.below(12) {
        0 => format!(", Apt {}", numbers::digits(2, chance)),
        1 => format!(" Apt. {}{}", 1 + chance.below(20), chance.pick(&["A", "B", "C"])),
        2 if !european => format!(", Suite {}", numbers::digits(3, chance)),
        _ => String::new(),
    };
    format!("{number} {name} {}{tail}", chance.pick(kinds))
}

/// An occupation that few people have.
pub(super) fn occupation(chance: &mut Chance) -> String {
    let place = words::place(chance);
    match chance.below(7) {
        0 => format!("mayor of {place}"),
        1 => format!("bishop of {place}"),
        2 => format!("ambassador to {}", chance.pick(&COUNTRIES)),
        3 => format!("chief of police of {place}"),
        4 => format!("governor of {place}"),
        5 => format!("principal of {}", school(chance)),
        _ => format!("conductor of the {place} Symphony"),
    }
}

/// States, whole and short. They are a closed set that nobody makes up.
pub(super) const STATES: [(&str, &str); 12] = [
    ("Massachusetts", "MA"),
    ("Ohio", "OH"),
    ("Texas", "TX"),
    ("Minnesota", "MN"),
    ("Oregon", "OR"),
    ("New Jersey", "NJ"),
    ("Vermont", "VT"),
    ("Kansas", "KS"),
    ("North Carolina", "NC"),
    ("Michigan", "MI"),
    ("California", "CA"),
    ("New York", "NY"),
];

/// Countries, a closed set too.
pub(super) const COUNTRIES: [&str; 12] = [
    "Portugal",
    "Kenya",
    "Canada",
    "Ireland",
    "Vietnam",
    "Poland",
    "Brazil",
    "Nigeria",
    "Norway",
    "Mexico",
    "Switzerland",
    "South Korea",
];
