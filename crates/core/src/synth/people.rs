//! Demographics of synthetic patients: residence, names, ages.
//!
//! Two fictional states (ZIP codes 02… and 03…) of ten counties, one 3-digit prefix each. People
//! concentrate in a few counties and there in a few ZIP codes; every third ZIP code is an enclave
//! of one of the smaller ethnicities. Preparing the weights takes well below a millisecond.

use super::draw::{Draw, Weights};

/// The ethnicities, most frequent first.
pub(super) const ETHNICITIES: [&str; 6] =
    ["White", "Hispanic", "Black", "Asian", "Multiracial", "Native American"];

/// A county: ZIP prefix, share of the people in per mille, number of ZIP codes, people by
/// ethnicity.
struct County(u32, u64, u32, [u64; 6]);

const COUNTIES: [County; 10] = [
    County(21, 270, 36, [470, 190, 210, 105, 20, 5]),
    County(22, 130, 22, [640, 140, 90, 110, 15, 5]),
    County(23, 95, 24, [760, 85, 100, 35, 15, 5]),
    County(24, 125, 26, [690, 75, 45, 170, 15, 5]),
    County(25, 40, 16, [870, 45, 35, 25, 20, 5]),
    County(26, 25, 14, [895, 35, 30, 15, 15, 10]),
    County(27, 85, 22, [790, 105, 60, 25, 15, 5]),
    County(30, 95, 22, [815, 85, 35, 45, 15, 5]),
    County(31, 100, 18, [780, 115, 40, 45, 15, 5]),
    County(32, 35, 18, [920, 25, 15, 15, 15, 10]),
];

/// A ZIP code with its people by ethnicity.
struct Zip {
    code: u32,
    ethnicities: Weights,
}

/// Patients in ten thousand by age, men then women: below 1, 1–4, 5–9, …, 95–99, 100 and over.
const PYRAMID: [[u64; 22]; 2] = [
    [
        620, 180, 120, 110, 150, 200, 240, 280, 310, 360, 460, 580, 680, 740, 760, 740, 640, 480, 310, 120,
        25, 1,
    ],
    [
        580, 140, 90, 100, 200, 560, 780, 780, 420, 360, 380, 440, 520, 600, 660, 700, 680, 600, 480, 250,
        70, 3,
    ],
];

/// Everything needed to draw a person.
pub(super) struct People {
    zips: Vec<Zip>,
    places: Weights,
    /// By ethnicity, then by sex.
    ages: Vec<[Weights; 2]>,
}

/// A person, before anything happens to them.
pub(super) struct Person {
    pub(super) zip: u32,
    pub(super) ethnicity: usize,
    pub(super) woman: bool,
    pub(super) age: u32,
}

impl People {
    pub(super) fn new() -> Self {
        let (mut zips, mut places) = (Vec::new(), Vec::new());
        for (number, County(prefix, people, count, mix)) in COUNTIES.iter().enumerate() {
            let sizes: Vec<u64> = (0..*count).map(|i| 1_000_000 / u64::from(i + 3)).collect();
            let total: u64 = sizes.iter().sum();
            for (i, size) in (0..*count).zip(sizes) {
                // 7 and 100 have no common divisor, so the codes differ, and neighbours differ in
                // size.
                let code = prefix * 100 + (number as u32 * 3 + 1 + i * 7) % 100;
                zips.push(Zip { code, ethnicities: Weights::new(enclave(*mix, i)) });
                places.push(people * 1_000_000 * size / total);
            }
        }
        let ages = (0..ETHNICITIES.len()).map(|e| [ages(e, 0), ages(e, 1)]).collect();
        People { zips, places: Weights::new(places), ages }
    }

    pub(super) fn draw(&self, draw: &mut Draw) -> Person {
        let zip = &self.zips[draw.pick(&self.places) as usize];
        let ethnicity = draw.pick(&zip.ethnicities) as usize;
        let woman = draw.per_mille(545);
        let age = match draw.pick(&self.ages[ethnicity][usize::from(woman)]) {
            0 => 0,
            1 => 1 + draw.below(4),
            // The smaller of two draws: at 100 every further year is rarer.
            21 => 100 + draw.below(9).min(draw.below(9)),
            band => 5 * (band - 1) + draw.below(5),
        };
        Person { zip: zip.code, ethnicity, woman, age }
    }
}

/// The mix of a county, tilted where the ZIP code is an enclave.
fn enclave(mut mix: [u64; 6], zip: u32) -> [u64; 6] {
    if zip % 3 == 2 {
        mix[1 + (zip as usize / 3) % 3] *= 4;
    }
    mix
}

/// The pyramid of one sex, tilted: the largest group is older than the others, the second youngest.
fn ages(ethnicity: usize, sex: usize) -> Weights {
    Weights::new(PYRAMID[sex].iter().enumerate().map(|(band, people)| {
        let age = 5 * band as u64;
        people
            * match ethnicity {
                0 => 60 + age,
                1 => 190 - age,
                _ => 150 - age / 2,
            }
    }))
}

/// First names by sex for those born before 1960, before 1990, and since.
const FIRST: [[[&str; 20]; 3]; 2] = [
    [
        [
            "Walter", "Harold", "Raymond", "Robert", "Donald", "Eugene", "Frank", "George", "Richard",
            "Arthur", "Ernest", "Leonard", "Stanley", "Norman", "Gerald", "Ralph", "Howard", "Edward",
            "Albert", "Francis",
        ],
        [
            "Michael", "David", "James", "Mark", "Kevin", "Brian", "Scott", "Jeffrey", "Steven", "Timothy",
            "Paul", "Eric", "Keith", "Patrick", "Sean", "Craig", "Derek", "Todd", "Gary", "Russell",
        ],
        [
            "Liam", "Noah", "Ethan", "Mason", "Logan", "Jayden", "Tyler", "Aiden", "Caleb", "Owen", "Hunter",
            "Dylan", "Connor", "Elijah", "Wyatt", "Xavier", "Cole", "Miles", "Levi", "Jordan",
        ],
    ],
    [
        [
            "Dorothy", "Margaret", "Shirley", "Barbara", "Betty", "Marjorie", "Doris", "Joan", "Phyllis",
            "Ruth", "Eleanor", "Lorraine", "Mildred", "Evelyn", "Virginia", "Gloria", "Beverly", "Irene",
            "Norma", "Judith",
        ],
        [
            "Lisa",
            "Jennifer",
            "Michelle",
            "Kimberly",
            "Karen",
            "Susan",
            "Amy",
            "Laura",
            "Heather",
            "Stephanie",
            "Denise",
            "Christine",
            "Nicole",
            "Tracy",
            "Andrea",
            "Dawn",
            "Tina",
            "Rebecca",
            "Pamela",
            "Wendy",
        ],
        [
            "Emma", "Olivia", "Ava", "Madison", "Chloe", "Abigail", "Hannah", "Grace", "Zoe", "Lily",
            "Brianna", "Kayla", "Alexis", "Morgan", "Harper", "Aaliyah", "Paige", "Taylor", "Nora", "Riley",
        ],
    ],
];

/// First names that go with the surnames of the second and the fourth ethnicity.
const HISPANIC: [[&str; 16]; 2] = [
    [
        "José", "Luis", "Carlos", "Juan", "Miguel", "Ángel", "Rafael", "Héctor", "Diego", "Mateo", "Jorge",
        "Ramón", "Andrés", "Víctor", "Félix", "Julio",
    ],
    [
        "María",
        "Carmen",
        "Ana",
        "Luz",
        "Rosa",
        "Sofía",
        "Valentina",
        "Isabel",
        "Gabriela",
        "Elena",
        "Yolanda",
        "Marisol",
        "Inés",
        "Camila",
        "Daniela",
        "Lucía",
    ],
];
const ASIAN: [[&str; 16]; 2] = [
    [
        "Wei", "Jun", "Minh", "Hiroshi", "Raj", "Arjun", "Sung", "Kenji", "Vikram", "Bao", "Tuan", "Daniel",
        "Andrew", "Kevin", "Henry", "Anil",
    ],
    [
        "Mei", "Linh", "Yuki", "Priya", "Anjali", "Soo-jin", "Hana", "Lan", "Xiu", "Divya", "Grace", "Amy",
        "Jenny", "Thuy", "Asha", "Min",
    ],
];

const SURNAMES: [&str; 48] = [
    "Smith",
    "Johnson",
    "Williams",
    "Brown",
    "Jones",
    "Miller",
    "Davis",
    "Wilson",
    "Anderson",
    "Taylor",
    "Moore",
    "Jackson",
    "Thompson",
    "White",
    "Harris",
    "Clark",
    "Lewis",
    "Robinson",
    "Walker",
    "Young",
    "Allen",
    "King",
    "Wright",
    "Hill",
    "Green",
    "Adams",
    "Baker",
    "Nelson",
    "Mitchell",
    "Campbell",
    "Roberts",
    "Carter",
    "Phillips",
    "Evans",
    "O'Brien",
    "Sullivan",
    "Murphy",
    "O'Connor",
    "Kelly",
    "Walsh",
    "Burke",
    "Silva",
    "Pereira",
    "Rossi",
    "Bianchi",
    "Kowalski",
    "Gagnon",
    "St. Pierre",
];
const HISPANIC_SURNAMES: [&str; 20] = [
    "García",
    "Rodríguez",
    "Martínez",
    "Hernández",
    "López",
    "González",
    "Pérez",
    "Sánchez",
    "Ramírez",
    "Torres",
    "Rivera",
    "Gómez",
    "Díaz",
    "Reyes",
    "Cruz",
    "Morales",
    "Ortiz",
    "Núñez",
    "Santiago",
    "Colón",
];
const ASIAN_SURNAMES: [&str; 20] = [
    "Nguyen", "Tran", "Chen", "Wang", "Li", "Patel", "Kim", "Park", "Singh", "Pham", "Huang", "Shah",
    "Tanaka", "Wong", "Lin", "Gupta", "Sato", "Le", "Choi", "Sharma",
];

/// What somebody is called.
pub(super) struct Name {
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    /// Named like his father.
    pub(super) junior: bool,
}

impl Name {
    pub(super) fn draw(person: &Person, birth_year: i32, draw: &mut Draw) -> Name {
        let sex = usize::from(person.woman);
        let generation = usize::from(birth_year >= 1960) + usize::from(birth_year >= 1990);
        // One in eight goes by a first name of the majority, or has a surname by marriage.
        let (own_first, own_last) = (!draw.per_mille(125), !draw.per_mille(125));
        let first = match person.ethnicity {
            1 if own_first => draw.one_of(&HISPANIC[sex]),
            3 if own_first => draw.one_of(&ASIAN[sex]),
            _ => draw.one_of(&FIRST[sex][generation]),
        };
        let last = match person.ethnicity {
            1 if own_last => draw.one_of(&HISPANIC_SURNAMES),
            3 if own_last => draw.one_of(&ASIAN_SURNAMES),
            // The smaller of two draws: some surnames are more common than others.
            _ => SURNAMES[draw.below(48).min(draw.below(48)) as usize],
        };
        Name { first, last, junior: !person.woman && draw.per_mille(15) }
    }

    /// First name and surname.
    pub(super) fn plain(&self) -> String {
        format!("{} {}", self.first, self.last)
    }

    /// The name as a register writes it; a comma is in some, for a CSV file to cope with.
    pub(super) fn full(&self) -> String {
        if self.junior { self.plain() + ", Jr." } else { self.plain() }
    }
}
