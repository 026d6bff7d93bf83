//! Synthetic inpatients of one year with their costs in the next, for models that predict them
//! (after the table of [Katirai 2006, "The Data Set"]).
//!
//! Age correlates with the leading diagnosis, the number of diagnoses with age, the procedure with
//! the diagnosis, and both years' costs with age, sex and diagnoses; ethnic origin is random. Next
//! year's cost has its own noise, so no model is perfect. The leading diagnosis, a second one and
//! the number of all of them, from 1 to 39, represent the list. Frequencies, burdens and prices are
//! invented. A row costs about a microsecond.

use super::draw::{Draw, Weights};

/// A patient above this many dollars in the next year is a high expense.
pub const HIGH: u32 = 25_000;

/// A patient who does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inpatient {
    /// From 18 to 97.
    pub age: u32,
    /// `F` or `M`.
    pub sex: char,
    /// One of eight.
    pub ethnic_origin: &'static str,
    /// The leading diagnosis, an ICD-9-CM code.
    pub diagnosis: &'static str,
    /// Another one, for most.
    pub second: Option<&'static str>,
    /// How many there are, from 1 to 39.
    pub diagnoses: u32,
    /// The principal procedure, which no cost depends on beyond the diagnosis.
    pub procedure: &'static str,
    /// This year's cost in dollars.
    pub cost: u32,
    /// Next year's.
    pub next_cost: u32,
}

impl Inpatient {
    /// Whether the next year is dear.
    pub fn high_expense(&self) -> bool {
        self.next_cost > HIGH
    }
}

const ORIGINS: [(&str, u64); 8] = [
    ("white", 620),
    ("black", 140),
    ("hispanic", 110),
    ("asian", 60),
    ("other", 30),
    ("unknown", 25),
    ("american indian", 10),
    ("pacific islander", 5),
];

/// Code, frequency at 18–44, 45–64 and from 65 on, dollars that it adds in the next year.
#[rustfmt::skip]
const DIAGNOSES: [(&str, [u64; 3], u32); 30] = [
    ("650", [160, 0, 0], 500), ("648.93", [90, 0, 0], 900), ("644.21", [60, 0, 0], 1_200),
    ("493.90", [50, 30, 20], 1_800), ("540.9", [45, 20, 8], 300), ("574.10", [40, 40, 30], 500),
    ("296.20", [60, 45, 15], 3_500), ("295.70", [30, 25, 6], 7_000), ("304.01", [40, 22, 2], 4_200),
    ("042", [14, 16, 2], 16_000), ("250.00", [25, 60, 60], 4_800), ("250.42", [6, 22, 30], 14_500),
    ("278.01", [25, 30, 6], 3_000), ("401.9", [20, 70, 80], 1_900), ("410.71", [6, 60, 75], 9_500),
    ("414.01", [6, 80, 95], 6_800), ("427.31", [3, 30, 80], 4_400), ("428.0", [3, 40, 120], 13_500),
    ("434.91", [4, 25, 70], 8_200), ("486", [20, 30, 85], 3_600), ("491.21", [2, 35, 70], 7_800),
    ("584.9", [5, 20, 45], 9_000), ("585.6", [5, 18, 24], 34_000), ("571.5", [8, 26, 12], 12_000),
    ("153.9", [2, 20, 30], 21_000), ("162.9", [1, 22, 34], 27_000), ("174.9", [6, 24, 20], 15_500),
    ("202.80", [4, 12, 14], 30_000), ("715.36", [2, 40, 70], 2_600), ("820.8", [1, 8, 60], 6_000),
];

/// Code and chapter.
const PROCEDURES: [(&str, &str); 24] = [
    ("01.59", "nervous system"),
    ("03.31", "nervous system"),
    ("33.24", "respiratory"),
    ("34.04", "respiratory"),
    ("36.15", "heart and vessels"),
    ("37.22", "heart and vessels"),
    ("38.93", "heart and vessels"),
    ("39.95", "heart and vessels"),
    ("45.13", "digestive"),
    ("45.23", "digestive"),
    ("47.01", "digestive"),
    ("51.23", "digestive"),
    ("55.69", "urinary"),
    ("57.94", "urinary"),
    ("73.59", "obstetrics"),
    ("74.1", "obstetrics"),
    ("79.35", "bones and joints"),
    ("81.51", "bones and joints"),
    ("81.54", "bones and joints"),
    ("85.41", "breast and skin"),
    ("86.22", "breast and skin"),
    ("88.72", "diagnostic"),
    ("94.27", "mind"),
    ("99.25", "diagnostic"),
];

/// `rows` inpatients; the same for the same seed, on every platform.
pub fn inpatients(rows: usize, seed: u64) -> impl Iterator<Item = Inpatient> {
    let ages = Weights::new([28, 34, 38]);
    let origins = Weights::new(ORIGINS.map(|(_, weight)| weight));
    let diagnoses = [0, 1, 2].map(|band| Weights::new(DIAGNOSES.map(|(_, weights, _)| weights[band])));
    let mut draw = Draw::new(seed);
    (0..rows).map(move |_| {
        let band = draw.pick(&ages) as usize;
        let (from, years) = [(18, 27), (45, 20), (65, 33)][band];
        let age = from + draw.below(years);
        let mut leading = draw.pick(&diagnoses[band]) as usize;
        let mut second = draw.pick(&diagnoses[band]) as usize;
        // The dearer one leads.
        if DIAGNOSES[second].2 > DIAGNOSES[leading].2 {
            (leading, second) = (second, leading);
        }
        let female = leading < 3 || second < 3 || draw.per_mille(520);
        let several = leading != second && draw.per_mille(900);
        let count = number(&mut draw, age, several);
        let facts = Burden { age, female, leading, second: several.then_some(second), count };
        Inpatient {
            age,
            sex: if female { 'F' } else { 'M' },
            ethnic_origin: ORIGINS[draw.pick(&origins) as usize].0,
            diagnosis: DIAGNOSES[leading].0,
            second: several.then_some(DIAGNOSES[second].0),
            diagnoses: count,
            procedure: PROCEDURES[(leading * 5 + draw.below(6) as usize) % PROCEDURES.len()].0,
            cost: facts.dollars(&mut draw),
            next_cost: facts.dollars(&mut draw),
        }
    })
}

/// How many diagnoses: each further one as likely as age makes it.
fn number(draw: &mut Draw, age: u32, several: bool) -> u32 {
    let mut count = if several { 2 } else { 1 };
    while several && count < 39 && draw.per_mille(640 + 3 * age.min(90)) {
        count += 1;
    }
    count
}

/// What costs come from.
struct Burden {
    age: u32,
    female: bool,
    leading: usize,
    second: Option<usize>,
    count: u32,
}

impl Burden {
    /// A year's cost: what is expected and a third of it, more or less.
    fn dollars(&self, draw: &mut Draw) -> u32 {
        let of = |diagnosis: usize| DIAGNOSES[diagnosis].2;
        let second = self.second.map_or(0, |second| of(second) / 2);
        let sex = if self.female { 700 } else { 0 };
        let expected = 900 + 45 * self.age + sex + of(self.leading) + second + 450 * self.count;
        (f64::from(expected) * (1.0 + 0.33 * draw.bell()).max(0.05)) as u32
    }
}

/// The policy of the table: with all columns, or with those alone that next year's cost depends on.
pub fn policy(all: bool) -> String {
    let extraneous = match all {
        true => {
            "[columns.ethnic_origin]\nrole = \"quasi\"\n[columns.procedure]\nrole = \"quasi\"\nhierarchy = { file = \"procedures.csv\" }\n"
        }
        false => "[columns.ethnic_origin]\nrole = \"drop\"\n[columns.procedure]\nrole = \"drop\"\n",
    };
    format!(
        "version = 1\n[input]\npath = \"hospital.csv\"\n[privacy]\nk = 3\n[search]\nalgorithm = \"partition\"\nloss = \"vinterbo\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [5, 10, 20, 40], low = 10, high = 100 }} }}\nform = \"interval\"\n\
         [columns.sex]\nrole = \"quasi\"\n[columns.diagnosis]\nrole = \"quasi\"\nhierarchy = \"icd9\"\n\
         [columns.second]\nrole = \"quasi\"\nhierarchy = \"icd9\"\n\
         [columns.diagnoses]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [2, 4, 8, 16], low = 0, high = 48 }} }}\nform = \"interval\"\n\
         {extraneous}[columns.cost]\nrole = \"drop\"\n[columns.high_expense]\nrole = \"target\"\n[columns.next_cost]\nrole = \"keep\"\n"
    )
}

/// The hierarchy file of the procedures.
pub fn procedures() -> String {
    PROCEDURES.iter().map(|(code, chapter)| format!("{code};{chapter}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Role};

    #[test]
    fn the_same_seed_makes_up_the_same_people() {
        let first: Vec<Inpatient> = inpatients(50, 3).collect();
        assert_eq!(first, inpatients(50, 3).collect::<Vec<_>>());
        assert_ne!(first, inpatients(50, 4).collect::<Vec<_>>());
        assert_eq!(first[..20], inpatients(20, 3).collect::<Vec<_>>());
    }

    /// Seed 1, 20,000 people: within the ranges that are promised, and costs that hang together.
    #[test]
    fn costs_go_with_age_and_diagnoses_and_not_with_origin() {
        let people: Vec<Inpatient> = inpatients(20_000, 1).collect();
        assert!(people.iter().all(|p| (18..=97).contains(&p.age) && (1..=39).contains(&p.diagnoses)));
        assert!(people.iter().all(|p| p.second.is_some() || p.diagnoses == 1));
        let mean = |of: &dyn Fn(&&Inpatient) -> bool| {
            let costs: Vec<f64> = people.iter().filter(of).map(|p| f64::from(p.next_cost)).collect();
            costs.iter().sum::<f64>() / costs.len() as f64
        };
        assert!(mean(&|p| p.age >= 65) > 1.3 * mean(&|p| p.age < 45));
        assert!(mean(&|p| p.diagnoses > 12) > 1.2 * mean(&|p| p.diagnoses < 4));
        let (white, black) = (mean(&|p| p.ethnic_origin == "white"), mean(&|p| p.ethnic_origin == "black"));
        assert!((white / black - 1.0).abs() < 0.05, "{white} {black}");
        let high = people.iter().filter(|p| p.high_expense()).count();
        assert!((2_000..8_000).contains(&high), "{high}");
        assert!(people.iter().any(|p| p.diagnoses == 39) && people.iter().any(|p| p.next_cost != p.cost));
    }

    #[test]
    fn the_policies_are_policies() {
        let quasi = |all: bool| Policy::parse(&policy(all)).unwrap().with_role(Role::Quasi).len();
        assert_eq!((quasi(true), quasi(false)), (7, 5));
        assert!(procedures().lines().count() == 24 && procedures().contains("36.15;heart and vessels"));
    }
}
