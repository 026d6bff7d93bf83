//! Templates from the table to the released cells: what `inspect` would write satisfies the rules,
//! the released cells do too, and a policy that was broken afterwards is named.

use std::collections::BTreeMap;

use throng::describe::{Describer, Description};
use throng::error::{Error, Result};
use throng::fault;
use throng::memory::{Released, Table, release};
use throng::policy::{Input, Policy};
use throng::release::TemplateFacts;
use throng::rows::Rows;
use throng::template::{self, Applied, Parameters, Template};
use throng::watch::Watch;

const RESTRICTED: [&str; 17] = [
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884",
    "890", "893",
];

/// Columns that name people, in the order of the regulation.
const IDENTIFIERS: [&str; 17] = [
    "patient_name",
    "street_address",
    "phone",
    "fax",
    "email",
    "ssn",
    "mrn",
    "health_plan_id",
    "account_number",
    "license_number",
    "vin",
    "device_serial",
    "url",
    "ip_address",
    "fingerprint",
    "photo",
    "subject_id",
];

/// Columns that are removed although they do not name people outright.
const REMOVED: [&str; 4] = ["city", "county", "admission_month", "note"];

/// Columns that are left.
const LEFT: [&str; 9] =
    ["birth_date", "birth_year", "admission_date", "age", "zip", "state", "sex", "diagnosis", "charges"];

fn identifiers(i: usize) -> Vec<String> {
    vec![
        format!("Person{} Surname{i}", i % 97),
        format!("{} Main Street", 100 + i),
        format!("617-555-{:04}", i),
        format!("617-556-{:04}", i),
        format!("person{i}@mail{i}.example"),
        format!("{:03}-{:02}-{:04}", 100 + i % 600, 10 + i % 80, 1000 + i),
        format!("MRN{:07}", 7 * i + 1),
        format!("HP{:08}", 13 * i + 5),
        format!("AC{:09}", 17 * i + 3),
        format!("L{:08}", 19 * i + 7),
        format!("1HGCM82633A{:06}", 100_000 + i),
        format!("SN-{:08}", 23 * i + 11),
        format!("http://people.example/{i}"),
        format!("10.{}.{}.{}", i % 200, i % 250, 1 + i % 250),
        format!("fp{:012x}", 982_451_653_u64 * (i as u64 + 1)),
        format!("photo{i}.jpg"),
        format!("S{:06}", 3 * i + 2),
    ]
}

/// Patients with all identifiers; some are 90 or older, some live where few people do.
fn patients(rows: usize) -> Table {
    let mut columns: Vec<String> = IDENTIFIERS.map(String::from).to_vec();
    columns.extend(REMOVED.map(String::from));
    columns.extend(LEFT.map(String::from));
    let person = |i: usize| {
        let year = 1925 + (i * 37) % 90;
        let (month, day) = (1 + i % 12, 1 + (i * 5) % 28);
        let zip = match i % 10 {
            0 => format!("{}{:02}", RESTRICTED[i / 10 % 17], i % 90),
            _ => format!("{:03}{:02}", 10 + (i * 7) % 9 * 100, i % 90),
        };
        let mut row = identifiers(i);
        row.extend([
            ["Springfield", "Riverton", "Lakeside"][i % 3].to_owned(),
            ["Hampden", "Essex"][i % 2].to_owned(),
            month.to_string(),
            format!(
                "The patient number {i} was seen by the physician again and complained of pain on day {day}."
            ),
            format!("{year}-{month:02}-{day:02}"),
            year.to_string(),
            format!("2024-{:02}-{:02}", 1 + (i * 3) % 12, 1 + (i * 11) % 28),
            (2025 - year).to_string(),
            zip,
            ["Massachusetts", "Vermont", "Nevada"][i % 3].to_owned(),
            ["female", "male"][i % 2].to_owned(),
            ["asthma", "diabetes", "fracture", "migraine"][(i / 3) % 4].to_owned(),
            format!("{}.{:02}", 1000 + (i * 7919) % 90_000, i % 100),
        ]);
        row.into_iter().map(Some).collect()
    };
    Table::new(columns, (0..rows).map(person).collect()).unwrap()
}

fn described(table: &Table) -> Description {
    let mut describer = Describer::new(table.columns().to_vec(), &[String::new()]);
    for row in table.rows() {
        row.iter().enumerate().for_each(|(at, cell)| describer.push(at, cell.as_deref()));
    }
    describer.finish()
}

fn parameters() -> Parameters {
    Parameters { year: Some(2026), ..Parameters::default() }
}

fn no_files(path: &str) -> Result<String> {
    Err(Error::from(fault!(System, "file.unreadable", "cannot be read: it is not there").file(path)))
}

/// The policy that `inspect --template` writes.
fn written(
    table: &Table,
    name: &str,
    parameters: Parameters,
    population: Option<&str>,
) -> (String, TemplateFacts) {
    let mut description = described(table);
    let applied = Applied::new(Template::named(name).unwrap(), parameters, &mut description);
    let settings = applied.settings();
    let asked = (settings.k, settings.suppression);
    let input = Input::of("patients.csv");
    template::policy(&description, &applied, &input, asked, "patients", (name, population)).unwrap()
}

fn cells<'a>(released: &'a Released, column: &str) -> Vec<&'a str> {
    let at = released.table.columns().iter().position(|c| c == column);
    let at = at.unwrap_or_else(|| panic!("{column} is not released"));
    released.table.rows().iter().map(|row| row[at].as_deref().unwrap_or("")).collect()
}

#[test]
fn every_template_is_satisfied_by_what_it_writes_and_by_what_is_released() {
    let table = patients(400);
    let listed = Template::list().unwrap();
    assert_eq!(listed.len(), 8);
    for template in listed {
        let (text, facts) = written(&table, &template.name, parameters(), None);
        let broken: Vec<_> = facts.broken().collect();
        assert!(broken.is_empty(), "{}: {broken:#?}\n{text}", template.name);
        assert!(text.contains("# rule direct-identifiers") || template.name == "hipaa-safe-harbor", "{text}");
        let released = release(&text, &table, &no_files, &Watch::none()).unwrap();
        assert!(released.verdict.holds(), "{}", template.name);
        assert_eq!(released.certificate.release.template.as_ref(), Some(&facts), "{}", template.name);
        for name in IDENTIFIERS.into_iter().chain(["note"]) {
            assert!(!released.table.columns().iter().any(|c| c == name), "{}: {name}", template.name);
        }
        let people: Vec<String> = (0..400).flat_map(identifiers).collect();
        for cell in released.table.rows().iter().flatten().flatten() {
            assert!(!people.contains(cell), "{}: {cell}", template.name);
        }
    }
}

/// Two rows about each person. Templates that delete values with few rows count rows, and the
/// question about the column says so; all others count people.
#[test]
fn templates_count_people_unless_they_delete_rare_values() {
    let table = patients(200);
    let at = table.columns().iter().position(|name| name == "subject_id").unwrap();
    let mut rows = table.rows().to_vec();
    for (row, cells) in rows.iter_mut().enumerate() {
        cells[at] = Some(format!("S{:05}", row / 2));
    }
    let table = Table::new(table.columns().to_vec(), rows).unwrap();
    for template in Template::list().unwrap() {
        let (text, facts) = written(&table, &template.name, parameters(), None);
        assert_eq!(facts.broken().count(), 0, "{}", template.name);
        let policy = Policy::parse(&text).unwrap();
        let counts_rows = text.contains("rare_values");
        assert_eq!(policy.subject(), (!counts_rows).then_some("subject_id"), "{}", template.name);
        assert!(!counts_rows || text.contains("k counts rows"), "{text}");
    }
}

#[test]
fn safe_harbor_holds_in_every_released_cell() {
    let table = patients(400);
    let (text, _) = written(&table, "hipaa-safe-harbor", parameters(), None);
    let released = release(&text, &table, &no_files, &Watch::none()).unwrap();
    for name in REMOVED {
        assert!(!released.table.columns().iter().any(|c| c == name), "{name}");
    }
    assert_eq!(released.table.rows().len(), 400, "Safe Harbor suppresses nothing");
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    for name in ["birth_date", "admission_date"] {
        for cell in cells(&released, name) {
            assert!(cell == "*" || cell.starts_with('[') || digits(cell) == 4, "{name}: {cell}");
            assert!(!cell.contains("-"), "{name}: {cell}");
        }
    }
    let number = |cell: &str| -> f64 {
        let digits = cell.trim_start_matches(['[', '<', '>', '=', ' ']);
        digits.split([',', ')']).next().unwrap().trim().parse().unwrap()
    };
    let ages = cells(&released, "age");
    assert!(ages.contains(&">= 90") && ages.iter().all(|age| number(age) <= 90.0), "{ages:?}");
    for name in ["birth_date", "birth_year"] {
        let births = cells(&released, name);
        assert!(births.contains(&"< 1937"), "{name}: {births:?}");
        assert!(births.iter().all(|birth| number(birth) >= 1937.0), "{name}: {births:?}");
    }
    let zips = cells(&released, "zip");
    assert!(zips.contains(&"000") && zips.contains(&"010"), "{zips:?}");
    for zip in zips {
        assert!(digits(zip) <= 3 && !RESTRICTED.contains(&zip), "{zip}");
    }
}

/// A policy of Safe Harbor that was changed afterwards, and the rule that it then breaks.
#[test]
fn a_policy_that_was_broken_is_refused_by_the_name_of_the_rule() {
    let table = patients(200);
    let (text, _) = written(&table, "hipaa-safe-harbor", parameters(), None);
    let section = |name: &str| {
        let at = text.find(&format!("[columns.{name}]\n")).unwrap();
        let end = text[at..].find("\n\n").map_or(text.len(), |end| at + end);
        &text[at..end]
    };
    let changed = |name: &str, from: &str, to: &str| {
        let old = section(name);
        assert!(old.contains(from), "{old}");
        text.replace(old, &old.replace(from, to))
    };
    let zip = section("zip").lines().find(|line| line.starts_with("hierarchy")).unwrap().to_owned();
    let age = section("age").lines().find(|line| line.starts_with("hierarchy")).unwrap().to_owned();
    for (rule, policy) in [
        ("ages", changed("age", "min_level = 1", "")),
        ("ages", changed("age", "high = 90", "high = 100")),
        (
            "ages",
            changed("age", &age, "").replace(
                "[columns.age]\nrole = \"quasi\"",
                "[columns.age]\nrole = \"quasi\"\nhierarchy = \"icd10\"",
            ),
        ),
        ("dates", changed("admission_date", "\"year\"", "\"month\", \"year\"")),
        ("dates", changed("admission_date", "min_level = 1", "")),
        ("births", changed("birth_date", "low = 1937", "low = 1930")),
        ("births", changed("birth_date", ", low = 1937", "")),
        ("births", text.replace("year = 2026\n", "")),
        ("births", text.replace("year = 2026\n", "year = 2036\n")),
        ("zip", changed("zip", "\"036\", ", "")),
        ("zip", changed("zip", &zip, "hierarchy = { postal = { keep = [4, 3] } }")),
        ("zip", changed("zip", &zip, "hierarchy = { postal = { keep = [3, 2] } }")),
        ("names", changed("patient_name", "role = \"identifier\"", "role = \"keep\"")),
        ("social-security-numbers", changed("ssn", "role = \"identifier\"", "role = \"sensitive\"")),
        ("places", changed("city", "role = \"drop\"", "role = \"quasi\"")),
        ("date-elements", changed("admission_month", "role = \"drop\"", "role = \"quasi\"")),
        ("free-text", changed("note", "role = \"text\"", "role = \"keep\"")),
        (
            "other-identifiers",
            changed(
                "subject_id",
                "role = \"identifier\"",
                "role = \"identifier\"\ntransform = { substitute = { key_env = \"KEY\" } }",
            ),
        ),
    ] {
        let parsed = Policy::parse(&policy).unwrap_or_else(|e| panic!("{rule}: {e}\n{policy}"));
        let error = template::checked(&parsed, &no_files).unwrap_err();
        assert!(error.has_code("template.rule-not-satisfied"), "{rule}: {error}");
        assert!(error.to_string().contains(&format!("rule {rule} (164.514")), "{rule}: {error}");
        let facts = template::facts(&parsed, &no_files).unwrap().unwrap();
        assert!(facts.broken().any(|broken| broken.rule == rule), "{rule}");
    }
    let parsed = Policy::parse(&text).unwrap();
    assert!(template::checked(&parsed, &no_files).unwrap().is_some(), "nothing was changed");
}

#[test]
fn fewer_than_three_digits_satisfy_the_rule_on_zip_codes() {
    let policy = |hierarchy: &str| {
        Policy::parse(&format!(
            "version = 1\ntemplate = \"hipaa-safe-harbor\"\n[input]\npath = \"x.csv\"\n[columns.zip]\nrole = \"quasi\"\n\
             hierarchy = {hierarchy}\nmin_level = 1\n[privacy]\nk = 1\n"
        ))
        .unwrap()
    };
    let holds = |hierarchy: &str| template::checked(&policy(hierarchy), &no_files).is_ok();
    assert!(holds("{ postal = { keep = [2, 1] } }") && holds("\"suppress\""));
    assert!(!holds("{ postal = { keep = [3, 2] } }") && !holds("{ mask = {} }") && !holds("{ zip3 = {} }"));
}

/// Rules that are not required are warnings: the release goes on, and states them.
#[test]
fn a_rule_that_is_not_required_is_stated_as_broken() {
    let table = patients(200);
    let (text, facts) = written(&table, "wp29", parameters(), None);
    assert!(
        facts.rules.iter().any(|rule| rule.rule == "inference" && rule.satisfied_by.contains("diagnosis"))
    );
    let broken = |text: &str| -> Vec<String> {
        let released = release(text, &table, &no_files, &Watch::none()).unwrap();
        let facts = released.certificate.release.template.unwrap();
        facts.broken().map(|rule| rule.rule.clone()).collect()
    };
    assert!(broken(&text).is_empty());
    assert_eq!(broken(&text.replace("\nk = 10\n", "\nk = 3\n")), ["singling-out"]);
    assert_eq!(broken(&text.replace("l = 2 }", "l = 1 }")), ["inference"]);
    assert_eq!(broken(&text.replace("[output]\n", "[output]\nkeep_order = true\n")), ["order"]);
}

#[test]
fn small_numbers_are_deleted_and_thresholds_are_checked() {
    let table = patients(400);
    for (name, k) in [("cms-cell-size", 11), ("nhs-small-numbers", 8)] {
        let (text, _) = written(&table, name, parameters(), None);
        assert!(
            text.contains(&format!("{{ rare_values = {{ k = {k}, columns = [\"diagnosis\"] }} }}")),
            "{text}"
        );
        let weaker = text.replace(&format!("rare_values = {{ k = {k}"), "rare_values = { k = 2");
        let facts = template::facts(&Policy::parse(&weaker).unwrap(), &no_files).unwrap().unwrap();
        assert_eq!(facts.broken().map(|rule| rule.rule.as_str()).collect::<Vec<_>>(), ["values"]);
    }
    let (text, _) = written(&table, "hipaa-expert", parameters(), None);
    for (k, rules) in [(11, vec![]), (12, vec![]), (10, vec!["maximum-risk", "cell-size"])] {
        let policy = Policy::parse(&text.replace("\nk = 11\n", &format!("\nk = {k}\n"))).unwrap();
        let facts = template::facts(&policy, &no_files).unwrap().unwrap();
        assert_eq!(facts.broken().map(|rule| rule.rule.as_str()).collect::<Vec<_>>(), rules, "{k}");
    }
}

#[test]
fn the_table_of_people_decides_which_prefixes_are_restricted() {
    let table = patients(300);
    let people = "prefix,population\n010,20000\n110,20001\n036,50000\n";
    let read = Parameters::people_of(people).unwrap();
    assert_eq!(
        read,
        BTreeMap::from([("010".into(), 20_000), ("110".into(), 20_001), ("036".into(), 50_000)])
    );
    let parameters = Parameters { people: Some(read), ..parameters() };
    let (text, facts) = written(&table, "hipaa-safe-harbor", parameters, Some("zip3.csv"));
    assert!(facts.broken().next().is_none() && text.contains("population = \"zip3.csv\""), "{text}");
    let load = |text: &'static str| {
        move |path: &str| match path {
            "zip3.csv" => Ok(text.to_owned()),
            other => no_files(other),
        }
    };
    let released = release(&text, &table, &load(people), &Watch::none()).unwrap();
    let zips = cells(&released, "zip");
    assert!(zips.contains(&"110") && zips.contains(&"036") && !zips.contains(&"010"), "{zips:?}");
    let files = &released.certificate.release.files;
    assert!(files.contains_key("zip3.csv"), "{files:?}");
    let fewer = load("prefix,population\n036,50000\n");
    let error = release(&text, &table, &fewer, &Watch::none()).unwrap_err();
    assert!(error.to_string().contains("110"), "{error}");
    for (wrong, code) in [
        ("", "template.population-header"),
        ("zip,people\n", "template.population-header"),
        ("prefix,population\n21,5\n", "template.population-line"),
        ("prefix,population\n021,many\n", "template.population-line"),
    ] {
        assert!(Parameters::people_of(wrong).unwrap_err().has_code(code), "{wrong}");
    }
}

#[test]
fn a_template_can_be_a_file_of_the_holder() {
    let own = "format = 1\nname = \"ours\"\ntitle = \"Ours\"\nsource = \"us\"\nsummary = \"Own rules.\"\n\
               [privacy]\nk = 4\nsuppression = 0.1\n\
               [[rules]]\nid = \"k\"\ntext = \"At least four rows.\"\nrequire = { k = 4 }\n\
               [[rules]]\nid = \"order\"\ntext = \"Rows are shuffled.\"\nrequire = \"shuffled\"\n";
    let policy = |k: u64| {
        Policy::parse(&format!(
            "version = 1\ntemplate = \"rules/ours.toml\"\n[input]\npath = \"x.csv\"\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = {k}\n"
        ))
        .unwrap()
    };
    let load = |path: &str| if path == "rules/ours.toml" { Ok(own.to_owned()) } else { no_files(path) };
    assert!(policy(4).files().contains("rules/ours.toml"));
    let facts = |k: u64| template::facts(&policy(k), &load).unwrap().unwrap();
    assert_eq!(
        (facts(4).broken().count(), facts(3).broken().count(), facts(4).name.as_str()),
        (0, 1, "rules/ours.toml")
    );
    assert!(template::facts(&policy(4), &no_files).unwrap_err().has_code("file.unreadable"));
    for (from, to, code) in [
        ("format = 1", "format = 2", "template.unknown-format"),
        ("id = \"order\"", "id = \"k\"", "template.rule-twice"),
    ] {
        let error = Template::parse(&own.replace(from, to)).unwrap_err();
        assert!(error.has_code(code), "{error}");
    }
    for (from, to) in [
        ("require = { k = 4 }", "require = { removed = [\"nmae\"] }"),
        ("require = { k = 4 }", "require = { kk = 4 }"),
        ("title = \"Ours\"\n", ""),
        ("source = \"us\"", "source = 5"),
    ] {
        assert!(Template::parse(&own.replace(from, to)).is_err(), "{to}");
    }
    let near = Template::named("hipaa-safe-harbour").unwrap_err();
    assert!(near.faults()[0].help.as_deref().unwrap().contains("`hipaa-safe-harbor`"), "{near}");
}

#[test]
fn the_holder_says_what_a_misleading_column_holds() {
    let policy = |more: &str| {
        Policy::parse(&format!(
            "version = 1\n[template]\nname = \"hipaa-safe-harbor\"\n{more}\n[input]\npath = \"x.csv\"\n[columns.cell]\nrole = \"quasi\"\n\
             [privacy]\nk = 1\n"
        ))
    };
    let check = |more: &str| template::checked(&policy(more).unwrap(), &no_files);
    assert!(check("").unwrap_err().to_string().contains("telephone-numbers"));
    assert!(check("columns = { cell = \"other\" }").is_ok());
    assert!(check("columns = { cell = \"nothing\" }").unwrap_err().has_code("template.unknown-category"));
    assert!(policy("columns = { sell = \"other\" }").unwrap_err().has_code("policy.no-such-column"));
    assert!(policy("name = 5").is_err() && policy("yeer = 2026").is_err());
}

/// What no rule can be applied to is dropped: dates in several formats, ages in groups.
#[test]
fn columns_that_a_rule_cannot_be_applied_to_are_dropped() {
    let rows = |i: usize| {
        vec![
            Some(if i.is_multiple_of(2) {
                format!("2024-01-{:02}", 1 + i % 28)
            } else {
                format!("{} Jan", 1 + i % 28)
            }),
            Some(["0-39", "40-89", "90+"][i % 3].to_owned()),
            Some(["a", "b"][i % 2].to_owned()),
        ]
    };
    let columns = ["admission_date", "age_group", "sex"].map(String::from).to_vec();
    let table = Table::new(columns, (0..60).map(rows).collect()).unwrap();
    let (text, facts) = written(&table, "hipaa-safe-harbor", parameters(), None);
    assert!(facts.broken().next().is_none(), "{text}");
    let released = release(&text, &table, &no_files, &Watch::none()).unwrap();
    assert_eq!(released.table.columns(), ["sex"]);
}
