//! Proposals for whole tables of different domains, as generated fixtures: roles, codes for missing
//! values, questions, and that the written policy is released unchanged.

use throng::describe::{self, Describer, Description};
use throng::error::{Fault, Kind};
use throng::hierarchy::Spec;
use throng::memory::{self, Table};
use throng::policy::{Input, Policy, Role};
use throng::watch::Watch;

/// A column of a fixture: its name, and its value in a row that a seed decides.
type Column = (String, Box<dyn Fn(u64, &mut Draws) -> String>);

/// Draws that are the same in every run (splitmix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len() as u64) as usize]
    }

    /// Mostly small, sometimes large: a product of two draws.
    fn skewed(&mut self, end: u64) -> u64 {
        self.below(end) * self.below(end) / end * self.below(end) / end
    }
}

fn column(name: &str, value: impl Fn(u64, &mut Draws) -> String + 'static) -> Column {
    (name.into(), Box::new(value))
}

fn one_of(name: &str, values: &'static [&'static str]) -> Column {
    column(name, move |_, draws| draws.of(values).into())
}

fn number(name: &str, low: u64, high: u64) -> Column {
    column(name, move |_, draws| (low + draws.below(high - low + 1)).to_string())
}

fn decimal(name: &str, high: u64) -> Column {
    column(name, move |_, draws| format!("{}.{:03}", draws.below(high), draws.below(1000)))
}

fn date(name: &str, first: u64, years: u64) -> Column {
    column(name, move |_, draws| {
        format!("{}-{:02}-{:02}", first + draws.below(years), 1 + draws.below(12), 1 + draws.below(28))
    })
}

struct Fixture {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn fixture(columns: Vec<Column>, rows: u64) -> Fixture {
    let mut draws = Draws(7);
    let row = |row: u64| columns.iter().map(|(_, value)| value(row, &mut draws)).collect();
    let rows = (0..rows).map(row).collect();
    Fixture { columns: columns.into_iter().map(|c| c.0).collect(), rows }
}

impl Fixture {
    fn described(&self) -> Description {
        let mut describer = Describer::new(self.columns.clone(), &[String::new()]);
        for row in &self.rows {
            row.iter().enumerate().for_each(|(i, cell)| describer.push(i, Some(cell)));
        }
        describer.finish()
    }

    /// Releases the proposed policy unchanged, and with regions of rows; every claim is verified.
    fn released(&self, description: &Description) -> String {
        let text = describe::policy(description, &Input::of("table.csv"), 3, 0.3, "table").unwrap();
        let policy = Policy::parse(&text).unwrap();
        let null = |cell: &String| policy.input.null.contains(cell);
        let cells = |row: &Vec<String>| row.iter().map(|c| (!null(c)).then(|| c.clone())).collect();
        let table = Table::new(self.columns.clone(), self.rows.iter().map(cells).collect()).unwrap();
        let head = text.split("\n[search]").next().unwrap_or_default();
        for search in [
            "algorithm = \"mondrian\"\nloss = \"lm\"\nmondrian = { by = \"gain\" }",
            "algorithm = \"k-similar\"\nloss = \"lm\"",
        ] {
            let text = format!("{head}\n[search]\n{search}\n");
            let made = memory::release(&text, &table, &|_| Err(Fault::bug("no file").into()), &Watch::none());
            let made = made.unwrap_or_else(|error| panic!("{error}\n{text}"));
            harmless(description, &made.table);
        }
        text
    }
}

/// No released cell lists exact dates or makes an interval of postal codes.
fn harmless(description: &Description, released: &Table) {
    for column in &description.columns {
        let dated = matches!(column.kind.name(), "date" | "date-time");
        let coded = column.kind.name() == "code";
        let Some(at) = released.place(&column.name) else { continue };
        for cell in released.rows().iter().filter_map(|row| row[at].as_deref()) {
            assert!(!(dated && cell.starts_with('{')), "{}: {cell}", column.name);
            assert!(!(coded && cell.starts_with('[')), "{}: {cell}", column.name);
        }
    }
}

fn roles(description: &Description, role: Role) -> Vec<&str> {
    description.columns.iter().filter(|c| c.role == role).map(|c| c.name.as_str()).collect()
}

fn of<'a>(description: &'a Description, name: &str) -> &'a describe::ColumnDescription {
    description.columns.iter().find(|c| c.name == name).unwrap()
}

fn asks(description: &Description, column: &str, words: &str) -> bool {
    let about = |q: &&describe::Question| q.columns.iter().any(|c| c == column);
    description.questions.iter().filter(about).any(|q| q.question.contains(words))
}

#[test]
fn loans() {
    let states = &["MA", "NY", "CA", "TX", "WA", "OR", "FL", "NV", "UT"];
    let mut columns = vec![
        one_of("state", states),
        one_of("emp_title", &["teacher", "nurse", "driver", "clerk", "manager"]),
        number("annual_income", 20_000, 150_000),
        one_of("homeownership", &["RENT", "OWN", "MORTGAGE"]),
        one_of("grade", &["A", "B", "C", "D"]),
        decimal("interest_rate", 30),
        decimal("paid_total", 40_000),
        decimal("balance", 40_000),
        decimal("debt_to_income", 90),
        one_of("loan_status", &["Current", "Late", "Default"]),
    ];
    columns.extend((0..12).map(|i| decimal(&format!("total_figure_{i}"), 9000)));
    let table = fixture(columns, 600);
    let found = table.described();
    assert_eq!(found.summary.values().sum::<usize>(), 22);
    assert!(found.summary["quasi"] <= 6, "{:?}", found.summary);
    assert!(roles(&found, Role::Quasi).contains(&"state"));
    for name in ["interest_rate", "paid_total", "balance", "total_figure_3", "annual_income"] {
        assert_eq!(of(&found, name).role, Role::Sensitive, "{}", of(&found, name).reason);
    }
    assert!(asks(&found, "paid_total", "exact values"), "{:?}", found.questions);
    let policy = table.released(&found);
    assert!(policy.contains("# Questions to answer") && policy.contains("exact values of"), "{policy}");
}

#[test]
fn flights() {
    let tail = |_: u64, draws: &mut Draws| format!("N{:05}", 10_000 + draws.below(300));
    let columns = vec![
        number("year", 2013, 2013),
        number("month", 1, 12),
        number("day", 1, 28),
        column("dep_delay", |_, draws| {
            if draws.below(9) == 0 { "NA".into() } else { (draws.skewed(900) as i64 - 10).to_string() }
        }),
        one_of("carrier", &["UA", "AA", "B6", "DL", "EV"]),
        column("tailnum", tail),
        one_of("origin", &["EWR", "JFK", "LGA"]),
        one_of("dest", &["IAH", "MIA", "BQN", "ATL", "ORD", "FLL", "IAD", "MCO", "PBI"]),
        number("distance", 80, 4983),
        column("time_hour", |row, _| format!("2013-01-{:02} {:02}:00:00", 1 + row % 28, row % 24)),
    ];
    let table = fixture(columns, 700);
    let found = table.described();
    let codes: Vec<&str> = found.missing_codes.iter().map(|c| c.code.as_str()).collect();
    assert_eq!(codes, ["NA"]);
    let delay = of(&found, "dep_delay");
    assert_eq!((delay.kind.name(), delay.role), ("integer", Role::Sensitive));
    assert!(delay.missing > 40, "{}", delay.missing);
    let hour = of(&found, "time_hour");
    let Some(Spec::Date(date)) = &hour.hierarchy else { panic!("{hour:?}") };
    assert_eq!(date.levels, ["day", "week"], "one month");
    let policy = table.released(&found);
    assert!(
        policy.contains("null = [\"\", \"NA\"]") && policy.contains("`NA` is read as missing in `dep_delay`")
    );
}

#[test]
fn a_hospital_register() {
    let columns = vec![
        column("name", |_, draws| format!("Person {}", draws.below(9000))),
        column("mrn", |row, _| format!("{}", 40_000_000 + row * 7)),
        date("birth_date", 1930, 90),
        one_of("sex", &["m", "f"]),
        column("zip", |_, draws| format!("0{}", 2100 + draws.below(60))),
        date("admission_date", 2022, 2),
        one_of("asthma", &["0", "1"]),
        one_of("hepatitis", &["yes", "no"]),
        one_of("hbp", &["1", "2"]),
        one_of("diabetes_type", &["none", "type 1", "type 2"]),
        one_of("smoker", &["never", "former", "current"]),
        one_of("diagnosis", &["E11.9", "I10", "C50.1", "J45.0", "F32.1"]),
        column("height_cm", |_, draws| {
            if draws.below(20) == 0 { "999".into() } else { (150 + draws.below(50)).to_string() }
        }),
        decimal("creatinine", 4),
        number("hospital", 0, 4),
        one_of("readmitted", &["yes", "no"]),
        one_of("outcome", &["0", "1"]),
    ];
    let table = fixture(columns, 800);
    let found = table.described();
    for name in
        ["asthma", "hepatitis", "hbp", "diabetes_type", "smoker", "diagnosis", "creatinine", "readmitted"]
    {
        assert_eq!(of(&found, name).role, Role::Sensitive, "{name}: {}", of(&found, name).reason);
    }
    assert_eq!(
        roles(&found, Role::Quasi),
        ["birth_date", "sex", "zip", "admission_date", "height_cm", "hospital"]
    );
    assert_eq!(roles(&found, Role::Identifier), ["name", "mrn"]);
    assert_eq!(roles(&found, Role::Target), ["outcome"]);
    assert!(of(&found, "hospital").reason.contains("number of contacts"));
    assert!(matches!(of(&found, "zip").hierarchy, Some(Spec::Postal(_))));
    assert_eq!(found.missing_codes.iter().map(|c| c.code.as_str()).collect::<Vec<_>>(), ["999"]);
    assert_eq!(of(&found, "height_cm").max.as_deref(), Some("199"));
    table.released(&found);
}

#[test]
fn a_survey_of_67_columns() {
    let mut columns = vec![
        one_of("gender", &["1", "2"]),
        number("age", 18, 90),
        one_of("education", &["primary", "secondary", "bachelor", "master"]),
        one_of("region", &["north", "south", "east", "west"]),
    ];
    columns.extend((1..=40).map(|i| number(&format!("q{i}"), 1, 5)));
    columns.extend((1..=15).map(|i| one_of(&format!("v_{}", ["a", "b", "c"][i % 3].repeat(i)), &["0", "1"])));
    columns.extend((0..8).map(|i| decimal(&format!("idx{}", "xyzuvwab".chars().nth(i).unwrap()), 3)));
    let table = fixture(columns, 500);
    let found = table.described();
    assert_eq!(found.columns.len(), 67);
    assert_eq!(roles(&found, Role::Quasi), ["gender", "age", "education", "region"]);
    assert_eq!(found.summary_line(), "67 columns: 4 quasi-identifiers, 63 sensitive");
    assert!(of(&found, "q7").reason.contains("One of 40 numbered columns"), "{}", of(&found, "q7").reason);
    assert!(found.questions.len() <= 5 && asks(&found, "q7", "give no clue"), "{:?}", found.questions);
    let education = of(&found, "education");
    let Some(Spec::Order(order)) = &education.hierarchy else { panic!("{education:?}") };
    assert_eq!(order.values, ["primary", "secondary", "bachelor", "master"]);
    table.released(&found);
}

/// Columns without a clue are quasi-identifiers while they are few. One more column
/// changes the roles of two others at most: there is no width at which a proposal turns over.
#[test]
fn one_more_column_without_a_clue_changes_little() {
    const NAMES: [&str; 14] =
        ["xa", "xb", "xc", "xd", "xe", "xf", "xg", "xh", "xi", "xj", "xk", "xl", "xm", "xn"];
    let unclear = |columns: usize, values: u64| -> Vec<String> {
        let named = NAMES.iter().take(columns).enumerate();
        let of_values = named.map(|(i, name)| number(name, 1, values + i as u64));
        let found = fixture(of_values.chain([number("age", 18, 90)]).collect(), 400).described();
        roles(&found, Role::Quasi).into_iter().filter(|name| *name != "age").map(str::to_owned).collect()
    };
    for (values, limit) in [(2, 5_usize), (40, 10)] {
        let mut before = unclear(1, values);
        for columns in 2..=NAMES.len() {
            let now = unclear(columns, values);
            assert_eq!(now.len(), columns.min((2 * limit).saturating_sub(columns)), "{columns}");
            let lost = before.iter().filter(|name| !now.contains(name)).count();
            assert!(lost <= 2, "{columns}: {before:?} -> {now:?}");
            before = now;
        }
    }
    // The columns of the most values stay: their values are the rarest.
    assert_eq!(unclear(8, 2), ["xg", "xh"]);
}

/// A function of a quasi-identifier gives its exact values away, whatever the name is.
#[test]
fn what_is_computed_from_a_quasi_identifier_is_one() {
    let age = |row: u64| 20 + row * row % 997 % 61;
    let columns = vec![
        column("age", move |row, _| age(row).to_string()),
        column("aget", move |row, _| format!("{:.4}", (age(row) as f64 - 55.0) / 17.0)),
        column("neg", move |row, _| format!("{:.6}", 1.0 / age(row) as f64)),
        column("lx", move |row, _| {
            if age(row) == 20 { String::new() } else { format!("{:.4}", (age(row) as f64 - 20.0).ln()) }
        }),
        column("score", |_, draws| format!("{}.{:03}", draws.below(6), draws.below(10))),
        one_of("sex", &["f", "m"]),
    ];
    let table = fixture(columns, 500);
    let found = table.described();
    assert_eq!(roles(&found, Role::Quasi), ["age", "aget", "neg", "lx", "sex"]);
    assert!(of(&found, "aget").reason.contains("computed from"), "{}", of(&found, "aget").reason);
    assert!(!asks(&found, "aget", "no clue"), "{:?}", found.questions);
    table.released(&found);
}

#[test]
fn panel_data() {
    let columns = vec![
        column("idcode", |row, _| (row / 5 + 1).to_string()),
        column("year", |row, _| (68 + row % 5).to_string()),
        number("birth_yr", 41, 54),
        number("age", 14, 46),
        one_of("race", &["1", "2", "3"]),
        one_of("msp", &["0", "1"]),
        column("union", |_, draws| draws.of(&["0", "1", "-9"]).into()),
        column("tenure", |_, draws| format!("{}.{}", draws.below(25), draws.below(99_999))),
        column("ln_wage", |_, draws| format!("1.{}", draws.below(99_999))),
        number("visits", 0, 3),
    ];
    let table = fixture(columns, 1000);
    let found = table.described();
    let id = of(&found, "idcode");
    assert!(id.person_id && id.role == Role::Subject, "{id:?}");
    assert!(id.reason.contains("200 values in 1,000 rows"), "{}", id.reason);
    assert_eq!(found.questions[0].columns, ["idcode"]);
    assert!(found.questions[0].question.contains("several rows"), "{:?}", found.questions[0]);
    assert!(roles(&found, Role::Sensitive).contains(&"ln_wage"));
    assert_eq!(of(&found, "tenure").role, Role::Sensitive);
    assert_eq!(of(&found, "age").hierarchy, None);
    assert!(matches!(of(&found, "age").offered_hierarchy, Some(Spec::Intervals(_))));
    let text = table.released(&found);
    assert!(
        text.contains("is shared by at least k people") && text.contains("share of the people"),
        "{text}"
    );
}

/// Rows without a person cannot be released; the question has the condition that leaves them out.
#[test]
fn rows_without_a_person_are_asked_about() {
    let person = |row: u64, _: &mut Draws| if row < 7 { String::new() } else { format!("P{:04}", row / 4) };
    let columns = vec![column("patient", person), number("age", 20, 80), one_of("sex", &["f", "m"])];
    let found = fixture(columns, 400).described();
    assert_eq!(of(&found, "patient").role, Role::Subject);
    let asked = &found.questions[0];
    assert!(asked.question.contains("7 rows have no person"), "{asked:?}");
    assert_eq!(asked.change, "where = '\"patient\" IS NOT NULL' in [input] leaves them out");
}

#[test]
fn german_names_and_words() {
    let columns = vec![
        column("Probanden-Nr", |row, _| format!("P{:04}", row / 3)),
        one_of("Geschlecht", &["männlich", "weiblich", "divers"]),
        column("Geburtsdatum", |_, draws| {
            format!("{:02}.{:02}.{}", 1 + draws.below(28), 1 + draws.below(12), 1940 + draws.below(60))
        }),
        column("PLZ", |_, draws| format!("{}", 10_115 + draws.below(80))),
        one_of("Schulabschluss", &["Hauptschule", "Realschule", "Abitur"]),
        one_of("Raucher", &["ja", "nein"]),
        one_of("Bluthochdruck", &["ja", "nein", "k.A."]),
        one_of("Zufriedenheit", &["sehr zufrieden", "zufrieden", "unzufrieden"]),
        number("Gewicht", 45, 120),
        number("Einkommen", 9000, 90_000),
    ];
    let table = fixture(columns, 600);
    let found = table.described();
    assert!(of(&found, "Probanden-Nr").person_id);
    for name in ["Raucher", "Bluthochdruck", "Zufriedenheit", "Einkommen"] {
        assert_eq!(of(&found, name).role, Role::Sensitive, "{name}: {}", of(&found, name).reason);
    }
    let quasi = ["Geschlecht", "Geburtsdatum", "PLZ", "Schulabschluss", "Gewicht"];
    assert_eq!(roles(&found, Role::Quasi), quasi);
    assert!(matches!(of(&found, "PLZ").hierarchy, Some(Spec::Postal(_))), "never numbers");
    assert!(matches!(of(&found, "Schulabschluss").hierarchy, Some(Spec::Order(_))));
    assert_eq!(found.missing_codes[0].code, "k.A.");
    table.released(&found);
}

/// As the public census table: no role is worse for the new rules.
#[test]
fn a_census_extract() {
    let columns = vec![
        one_of("sex", &["Male", "Female"]),
        number("age", 17, 90),
        one_of("race", &["White", "Black", "Asian-Pac-Islander", "Other"]),
        one_of("marital-status", &["Married-civ-spouse", "Never-married", "Divorced", "Widowed"]),
        one_of("education", &["HS-grad", "Some-college", "Bachelors", "Masters", "11th", "Doctorate"]),
        one_of("native-country", &["United-States", "Mexico", "?"]),
        one_of("workclass", &["Private", "State-gov", "?"]),
        one_of("occupation", &["Sales", "Tech-support", "Craft-repair"]),
        one_of("salary-class", &["<=50K", ">50K"]),
    ];
    let table = fixture(columns, 600);
    let found = table.described();
    assert_eq!(found.summary_line(), "9 columns: 9 quasi-identifiers");
    assert_eq!(found.missing_codes[0].columns, ["native-country", "workclass"]);
    assert!(found.questions.is_empty(), "{:?}", found.questions);
    assert!(matches!(of(&found, "education").hierarchy, Some(Spec::Order(_))));
    assert_eq!((&of(&found, "race").hierarchy, &of(&found, "age").hierarchy), (&None, &None));
    table.released(&found);
}

#[test]
fn doubtful_codes_are_asked_about() {
    let columns = vec![
        number("age", 18, 90),
        column("height", |_, draws| {
            if draws.below(9) == 0 { "999".into() } else { (150 + draws.below(40)).to_string() }
        }),
        number("steps", 900, 1100),
        one_of("country", &["US", "NA", "DE", "FR"]),
        column("rooms", |_, draws| draws.of(&["1", "2", "3", "4", "none"]).into()),
        one_of("pets", &["none", "cat", "dog"]),
    ];
    let table = fixture(columns, 400);
    let found = table.described();
    assert_eq!(found.missing_codes, [], "999 steps, Namibia and no pets are values");
    let question = found.questions.iter().find(|q| q.question.contains("mean missing")).unwrap();
    assert!(question.change.contains("clear = {"), "{question:?}");
    let policy = table.released(&found);
    let line = question.change.clone();
    // The line to change is one that a policy takes.
    let changed = policy
        .replace("missing = \"value\"", &format!("missing = \"value\"\n{}", line.replace("input.", "")));
    Policy::parse(&changed).unwrap();
}

#[test]
fn categories_that_differ_in_case_or_spaces_are_asked_about() {
    let columns = vec![
        number("age", 18, 90),
        one_of("sex", &["m", "M", "f", "f "]),
        one_of("town", &["Lynn ", "Lynn", "Salem"]),
        one_of("race", &["a", "b"]),
    ];
    let table = fixture(columns, 400);
    let found = table.described();
    let question = found.questions.iter().find(|q| q.question.contains("outer spaces")).unwrap();
    assert_eq!(question.columns, ["sex", "town"]);
    assert!(question.question.contains("`sex` has 4 values, and 2 if case and spaces"), "{question:?}");
    assert_eq!(question.change, "input.cells.sex = { text = \"lower\" }");
    // No value is quoted, because policies are passed on; the line to change is one that a policy
    // takes.
    assert!(!question.question.contains("Lynn"));
    let line = format!("missing = \"value\"\n{}", question.change.replace("input.", ""));
    let changed = table.released(&found).replace("missing = \"value\"", &line);
    let policy = Policy::parse(&changed).unwrap();
    let reader = policy.input.cells["sex"].reader().unwrap();
    assert_eq!(reader.read("M ").as_deref(), Some("m"));
}

/// A policy that states no hierarchy for codes with leading zeros.
#[test]
fn codes_without_a_hierarchy_are_not_numbers() {
    let rows = (0..40).map(|i| vec![Some(format!("0{}", 2100 + i)), Some((20 + i).to_string())]).collect();
    let table = Table::new(["zip", "age"].map(String::from).to_vec(), rows).unwrap();
    let policy = "version = 1\n[input]\npath = \"t.csv\"\n[columns.zip]\nrole = \"quasi\"\n[columns.age]\nrole = \"quasi\"\n\
                  [privacy]\nk = 4\n[search]\nalgorithm = \"mondrian\"\nloss = \"lm\"\n";
    let made =
        memory::release(policy, &table, &|_| Err(Fault::bug("no file").into()), &Watch::none()).unwrap();
    for row in made.table.rows() {
        let (zip, age) = (row[0].as_deref().unwrap(), row[1].as_deref().unwrap());
        assert!(zip.starts_with('{') && age.starts_with('['), "{zip} {age}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn cell() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-c]",
            "[0-9]{1,3}",
            "0[0-9]{3}",
            "-9|999|NA|\\?|none",
            "202[0-3]-0[1-9]-1[0-9]",
            "low|medium|high"
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Whatever is in a table, the proposed policy is released unchanged or cannot be satisfied.
        #[test]
        fn the_written_policy_is_released(
            names in prop::sample::subsequence(vec!["age", "zip", "x", "score", "patient", "date", "union", "q1"], 3),
            kinds in prop::collection::vec(prop::collection::vec(cell(), 1..5), 3),
            rows in 6_u64..40,
        ) {
            let columns = names.iter().zip(kinds).map(|(name, values)| {
                column(name, move |_, draws| values[draws.below(values.len() as u64) as usize].clone())
            });
            let table = fixture(columns.collect(), rows);
            let found = table.described();
            let Ok(text) = describe::policy(&found, &Input::of("t.csv"), 2, 1.0, "t") else { return Ok(()) };
            let policy = Policy::parse(&text).unwrap();
            let cells = |row: &Vec<String>| {
                row.iter().map(|c| (!policy.input.null.contains(c)).then(|| c.clone())).collect()
            };
            let rows = table.rows.iter().map(cells).collect();
            let made = Table::new(table.columns.clone(), rows).unwrap();
            let made = memory::release(&text, &made, &|_| Err(Fault::bug("no file").into()), &Watch::none());
            if let Err(error) = made {
                prop_assert!(error.is_all(Kind::Unsolvable), "{}\n{}", error, text);
            }
        }
    }
}
