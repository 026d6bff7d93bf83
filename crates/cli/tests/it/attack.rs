//! `throng attack`: links and other attacks on releases that the program made, and what it rejects.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use crate::env::TestEnv;

/// A number that looks like chance (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ x >> 31) % limit
    }
}

/// A voter: date of birth, sex, ZIP code, ZIP+4.
type Voter = [String; 4];

const VOTERS: usize = 54_805;

/// ZIP codes with their voters per hundred. The source has five; but where dates, sexes and ZIP
/// codes are independent and 12 % and 29 % are unique by the first two, five leave at most 61 %
/// unique by date and ZIP code.
const ZIPS: [(&str, u64); 7] =
    [("02138", 17), ("02139", 16), ("02140", 15), ("02141", 14), ("02142", 13), ("02163", 13), ("02238", 12)];

/// Uniqueness in the voter list [Sweeney 2001, figure 13]: columns, their numbers in a voter, percent.
const FIGURE_13: [(&str, &[usize], f64); 4] = [
    ("born", &[0], 12.0),
    ("born, sex", &[0, 1], 29.0),
    ("born, zip", &[0, 2], 69.0),
    ("born, postal", &[0, 3], 97.0),
];

/// The voters of a city, and first of all its governor: six people have his date of birth, three of
/// them are men, and he is the only one of these in his ZIP code [Sweeney 2001, 2].
///
/// Seven of a hundred voters are students in five halls, each with one postal code; of the others,
/// one in five is between 18 and 39, and the rest is of any age up to 83. A ZIP code has 1500
/// postal codes besides the halls.
fn city() -> Vec<Voter> {
    let mut chance = Chance(7);
    let governor = "1945-07-31";
    let known = [("m", 0), ("m", 1), ("m", 2), ("f", 0), ("f", 1), ("f", 3)];
    let postal = |zip: &str, code: u64| format!("{zip}-{code:04}");
    let mut voters: Vec<Voter> = known
        .iter()
        .zip(0..)
        .map(|((sex, zip), code)| {
            let zip = ZIPS[*zip].0;
            [governor.to_owned(), (*sex).to_owned(), zip.to_owned(), postal(zip, code)]
        })
        .collect();
    while voters.len() < VOTERS {
        let student = chance.below(100) < 7;
        let years = if student {
            4
        } else if chance.below(5) == 0 {
            22
        } else {
            66
        };
        let born = date(1997 - 18 - chance.below(years), chance.below(365));
        let sex = if chance.below(100) < 53 { "f" } else { "m" };
        let (zip, code) = if student {
            let hall = chance.below(5);
            (ZIPS[hall as usize].0, 9000 + hall)
        } else {
            (zip_of(chance.below(100)), chance.below(1500))
        };
        if born != governor {
            voters.push([born, sex.to_owned(), zip.to_owned(), postal(zip, code)]);
        }
    }
    voters
}

/// A day of a year without February 29.
fn date(year: u64, mut day: u64) -> String {
    let mut month = 0;
    for days in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        month += 1;
        if day < days {
            break;
        }
        day -= days;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

/// The ZIP code of a voter in a hundred.
fn zip_of(mut voter: u64) -> &'static str {
    for (zip, voters) in ZIPS {
        if voter < voters {
            return zip;
        }
        voter -= voters;
    }
    unreachable!()
}

/// Voters as a CSV file with their names.
fn list(voters: &[Voter]) -> String {
    let mut text = "id,name,born,sex,zip,postal\n".to_owned();
    for (id, [born, sex, zip, postal]) in voters.iter().enumerate() {
        let _ = writeln!(text, "{id},Voter {id},{born},{sex},{zip},{postal}");
    }
    text
}

/// Patients of a hospital: every ninth voter, the governor first.
fn patients(voters: &[Voter]) -> String {
    let mut chance = Chance(11);
    let mut text = "id,birth_date,sex,zip,diagnosis\n".to_owned();
    for (id, [born, sex, zip, _]) in voters.iter().enumerate().filter(|(id, _)| id % 9 == 0) {
        let _ = writeln!(text, "{id},{born},{sex},{zip},D{:02}", chance.below(40));
    }
    text
}

const POLICY: &str = r#"
version = 1
[input]
path = "patients.csv"
[output]
path = "release.csv"
[columns.id]
role = "keep"
[columns.birth_date]
role = "quasi"
hierarchy = { date = { levels = ["month", "year", "5-year", "10-year"] } }
[columns.sex]
role = "quasi"
[columns.zip]
role = "quasi"
hierarchy = { postal = { keep = [4, 3] } }
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 5
suppression = 0.01
"#;

/// Share of rows whose cells in some columns no other row has.
fn unique(voters: &[Voter], columns: &[usize]) -> f64 {
    let mut counts: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for voter in voters {
        *counts.entry(columns.iter().map(|&at| voter[at].as_str()).collect()).or_default() += 1;
    }
    counts.values().filter(|count| **count == 1).count() as f64 / voters.len() as f64
}

/// The table that the test of the governor prints.
const PRINTED: &str = "\
unique voters   city  figure 13
born            11 %      12 %
born, sex       30 %      29 %
born, zip       68 %      69 %
born, postal    97 %      97 %
";

/// The governor's story [Sweeney 2001, 2]: he is found in the table without names, and not in the
/// release of it.
#[test]
#[allow(clippy::print_stdout, reason = "the figure is printed")]
fn the_governor_is_found_in_the_naive_release_and_not_in_the_defended_one() {
    let voters = city();
    let env = TestEnv::with(&[
        ("voters.csv", &list(&voters)),
        ("patients.csv", &patients(&voters)),
        ("p.toml", POLICY),
    ]);
    // Figure 13, printed by the program and counted here.
    let risk = env.run("risk voters.csv --qi born,sex,zip,postal --max-size 2 --json").ok().json();
    let mut table = "unique voters   city  figure 13\n".to_owned();
    for (name, columns, printed) in FIGURE_13 {
        let names: Vec<&str> = name.split(", ").collect();
        let found = risk["combinations"].as_array().unwrap().iter().find(|found| {
            let columns = found["columns"].as_array().unwrap();
            columns.len() == names.len()
                && columns.iter().all(|column| names.contains(&column.as_str().unwrap()))
        });
        let found = found.unwrap_or_else(|| panic!("{name}: {risk}"))["unique_share"].as_f64().unwrap();
        let expected = unique(&voters, columns);
        assert!((found - expected).abs() < 1e-9, "{name}: {found} is not {expected}");
        assert!((100.0 * found - printed).abs() < 3.0, "{name}: {found} is far from {printed} %");
        let _ = writeln!(table, "{name:<14} {:>3.0} % {printed:>7} %", 100.0 * found);
    }
    println!("{table}");
    assert_eq!(table, PRINTED);
    let link = "--external voters.csv --on birth_date=born,sex,zip --truth id --json";
    let naive = env.run(&format!("attack link patients.csv {link}")).ok().json();
    assert!(naive["correct"].as_u64().unwrap() > 1000 && naive["wrong"].as_u64().unwrap() < 40, "{naive}");
    let exact = &naive["exact_join"];
    assert!(exact["correct"].as_u64().unwrap() > 4000 && exact["wrong"] == 0, "{exact}");
    // The governor alone: row 1 of both tables.
    env.write("governor.csv", list(&voters[..1]));
    let alone = "--external governor.csv --on birth_date=born,sex,zip --truth id --json";
    let found = env.run(&format!("attack link patients.csv {alone}")).ok().json();
    assert_eq!(
        (&found["exact_join"]["links"], &found["exact_join"]["correct"]),
        (&1.into(), &1.into()),
        "{found}"
    );
    env.run("release p.toml").ok();
    let defended = env.run(&format!("attack link release.csv {link} --policy p.toml")).ok().json();
    assert_eq!((&defended["links"], &defended["exact_join"]["links"]), (&0.into(), &0.into()), "{defended}");
    let found = env.run(&format!("attack link release.csv {alone} --policy p.toml")).ok().json();
    assert_eq!(found["exact_join"]["links"], 0, "{found}");
    // One right guess per class at the most.
    assert!(
        defended["expected"]["value"].as_f64().unwrap() < naive["expected"]["value"].as_f64().unwrap() / 5.0
    );
}

/// A small city, its patients, a naive and a defended release.
fn small() -> TestEnv {
    let voters: Vec<Voter> = city().into_iter().take(4500).collect();
    let env = TestEnv::with(&[
        ("voters.csv", &list(&voters)),
        ("patients.csv", &patients(&voters)),
        ("p.toml", POLICY),
    ]);
    let mut population = "birth_date,sex,zip\n".to_owned();
    voters.iter().for_each(|[born, sex, zip, _]| population += &format!("{born},{sex},{zip}\n"));
    env.write("city.csv", population);
    env.run("release p.toml").ok();
    env
}

#[test]
fn a_scorecard_distinguishes_a_naive_and_a_defended_release() {
    let env = small();
    let line = "--policy p.toml --original patients.csv --population city.csv --json";
    let succeeding = |json: &Value, at: usize| json["criteria"][at]["succeeding"].as_array().unwrap().len();
    let naive = env.run(&format!("attack all patients.csv {line}")).ok().json();
    assert!((0..3).all(|at| succeeding(&naive, at) > 0), "{naive}");
    let defended = env.run(&format!("attack all release.csv {line}")).ok().json();
    assert_eq!((succeeding(&defended, 0), succeeding(&defended, 1)), (0, 0), "{defended}");
    // k-anonymity alone leaves one right guess per class of k: the rest of inference is gone.
    let left = &defended["criteria"][2]["succeeding"];
    assert!(left.as_array().unwrap().iter().all(|attack| attack == "inference"), "{left}");
    let risk = |json: &Value| json["criteria"][2]["worst"]["risk"]["value"].as_f64().unwrap();
    assert!(risk(&defended) < 0.25 && risk(&naive) > 0.8, "{} and {}", risk(&defended), risk(&naive));
    assert!(naive["attribution"][0]["cap"].as_f64() > defended["attribution"][0]["cap"].as_f64());
    for finding in naive["attacks"].as_array().unwrap() {
        for key in ["attack", "targets", "successes", "rate", "low", "high", "control", "risk"] {
            assert!(!finding[key].is_null(), "{key}: {finding}");
        }
    }
    let text = env.run("attack all release.csv --policy p.toml --original patients.csv").ok().stdout;
    for word in ["singling out", "linkability", "inference", "CAP", "TCAP", "Not run: unsorted"] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn every_attack_has_a_command() {
    let env = small();
    env.write("p2.toml", POLICY.replace("k = 5", "k = 20").replace("release.csv", "second.csv"));
    env.run("release p2.toml").ok();
    let all = env
        .run("attack all release.csv --policy p.toml --original patients.csv --other second.csv --json")
        .ok()
        .json();
    let mut run: Vec<&str> =
        all["attacks"].as_array().unwrap().iter().map(|found| found["attack"].as_str().unwrap()).collect();
    run.dedup();
    assert_eq!(run.len() + all["skipped"].as_array().unwrap().len(), 14, "{all}");
    for name in run {
        let line = format!(
            "attack {name} release.csv --policy p.toml --original patients.csv --other second.csv --json"
        );
        let json = env.run(&line).ok().json();
        assert_eq!(json["attack"], name, "{json}");
    }
}

#[test]
fn an_attack_database_is_a_population_and_an_external_table() {
    let env = small();
    let voters = env.text("voters.csv");
    // The adversary has names with dates of birth, and addresses in another table.
    let part = |columns: &[usize]| -> String {
        let row = |line: &str| {
            columns.iter().map(|&at| line.split(',').nth(at).unwrap()).collect::<Vec<_>>().join(",")
        };
        voters.lines().map(|line| row(line) + "\n").collect()
    };
    env.write("births.csv", part(&[0, 1, 2]));
    env.write("addresses.csv", part(&[1, 3, 5]));
    let declared = r#"
version = 1
people = "births"
[tables.births]
path = "births.csv"
[tables.addresses]
path = "addresses.csv"
[[joins]]
table = "addresses"
on = { name = "name" }
[[inferences]]
column = "zip"
from = "postal"
by = { prefix = 5 }
[[inferences]]
column = "birth_date"
from = "born"
by = { prefix = 10 }
"#;
    env.write("attack.toml", declared);
    let on = "--on birth_date,sex,zip --truth id --json";
    let joined = env.run(&format!("attack link patients.csv --database attack.toml {on}")).ok().json();
    let direct =
        "attack link patients.csv --external voters.csv --on birth_date=born,sex,zip --truth id --json";
    let direct = env.run(direct).ok().json();
    assert!(direct["correct"].as_u64().unwrap() > 300, "{direct}");
    assert_eq!((&joined["links"], &joined["correct"]), (&direct["links"], &direct["correct"]));
    let all = env
        .run("attack all patients.csv --policy p.toml --original patients.csv --database attack.toml --truth id --json")
        .ok()
        .json();
    let linked =
        all["attacks"].as_array().unwrap().iter().find(|found| found["attack"] == "linkability").unwrap();
    assert_eq!(linked["control_is"], "people outside the release");
    // Without the join, the adversary knows dates of birth alone, and finds few.
    let poor = declared.split("[[joins]]").next().unwrap().to_owned()
        + "[[inferences]]\ncolumn = \"birth_date\"\nfrom = \"born\"\nby = \"same\"\n";
    env.write("poor.toml", poor);
    let rate = |database: &str| {
        let line =
            "attack linkability patients.csv --policy p.toml --original patients.csv --truth id --json";
        env.run(&format!("{line} --database {database}")).ok().json()["rate"].as_f64().unwrap()
    };
    assert!(
        rate("attack.toml") > rate("poor.toml") + 0.02,
        "{} and {}",
        rate("attack.toml"),
        rate("poor.toml")
    );
    env.write("bad.toml", declared.replace("table = \"addresses\"", "table = \"adresses\""));
    env.run(&format!("attack link patients.csv --database bad.toml {on}"))
        .fails(2)
        .says(&["attack.database-no-such-table", "addresses"]);
}

#[test]
fn a_page_explains_links_without_external_values() {
    let env = small();
    let line = "attack link patients.csv --external voters.csv --on birth_date=born,sex,zip --out links.html";
    let run = env.run(line).fails(0);
    assert!(run.stderr.contains("links.html"), "{}", run.said());
    let page = env.text("links.html");
    assert!(page.contains("Strongest links") && page.contains("same") && !page.contains("Voter 1"), "{page}");
    env.run(line).fails(2).says(&["links.html"]);
    env.run(&format!("{line} --force")).fails(0);
    env.run("attack link patients.csv --external voters.csv --on birth_date=born --out voters.csv --force")
        .fails(2);
}

#[test]
fn a_scorecard_is_a_page() {
    let env = small();
    let line = "attack all release.csv --policy p.toml --original patients.csv --out card.html";
    env.run(line).ok();
    let page = env.text("card.html");
    for phrase in ["Singling out", "Linkability", "Inference", "What to do", "Not run", "TCAP"] {
        assert!(page.contains(phrase), "{phrase}");
    }
    env.run(line).fails(2).says(&["card.html"]);
    env.run(&format!("{line} --force")).ok();
    env.run(&line.replace("card.html", "patients.csv --force")).fails(2);
}

#[test]
fn people_who_were_removed_are_attacked() {
    let env = small();
    // Three patients left since the release of all: the later release does not have them.
    let all = env.text("patients.csv");
    let later: String = all
        .lines()
        .enumerate()
        .filter(|(at, _)| !(5..8).contains(at))
        .map(|(_, line)| line.to_owned() + "\n")
        .collect();
    env.write("later.csv", later);
    let line = "attack temporal later.csv --policy p.toml --original later.csv --other patients.csv";
    let found = env.run(&format!("{line} --other-original patients.csv --json")).ok().json();
    let forms: Vec<&str> = found.as_array().unwrap().iter().map(|f| f["form"].as_str().unwrap()).collect();
    assert_eq!(forms, ["added", "removed"], "{found}");
    assert_eq!((&found[0]["targets"], &found[1]["targets"]), (&0.into(), &3.into()), "{found}");
    let alone = env.run(&format!("{line} --json")).ok().json();
    assert_eq!(alone["form"], "added");
    env.run("attack temporal later.csv --policy p.toml --original later.csv --other-original patients.csv")
        .fails(2);
}

#[test]
fn bad_requests_are_refused() {
    let env = small();
    env.write("none.csv", "id,born,sex,zip\n");
    env.write("words.csv", "id,born,sex,zip\n1,monday,x,y\n");
    env.write("empty.csv", "id,birth_date,sex,zip,diagnosis\n");
    let people = "version = 1\npeople = \"a\"\n[tables.a]\npath = \"voters.csv\"\n";
    env.write("people.toml", people);
    env.write("broken.toml", "version = 1\npeople = [");
    // Each of two tables is joined on a column that only the other one has.
    let join = |table: &str, on: &str| format!("[[joins]]\ntable = \"{table}\"\non = {{ {on} = \"id\" }}\n");
    let tables = "[tables.b]\npath = \"patients.csv\"\n[tables.c]\npath = \"words.csv\"\n";
    env.write("cycle.toml", people.to_owned() + tables + &join("b", "of_c") + &join("c", "of_b"));
    env.write(
        "map.toml",
        people.to_owned()
            + "[[inferences]]\ncolumn = \"county\"\nfrom = \"zip\"\nby = { map = \"none.txt\" }\n",
    );
    let before = env.listing();
    for (line, code) in [
        ("link patients.csv --external voters.csv --on birth=born", "attack.no-such-column"),
        ("link patients.csv --external voters.csv --on sex=gender", "attack.no-such-column"),
        ("link patients.csv --external none.csv --on sex,zip", "attack.no-rows"),
        ("link patients.csv --external words.csv --on birth_date=born,sex", "attack.no-common-values"),
        ("link patients.csv --external voters.csv --on id,sex --truth id", "attack.truth-is-linked-on"),
        ("link patients.csv --external voters.csv --on sex,sex", "arguments.column-twice"),
        ("link patients.csv --external voters.csv --on sex=", "arguments.on"),
        ("link patients.csv --external voters.csv --on sex --threshold 0.2", "attack.threshold"),
        ("homogeneity release.csv --policy p.toml", "attack.need-not-met"),
        ("composition release.csv --policy p.toml --original patients.csv", "attack.need-not-met"),
        ("all voters.csv --policy p.toml", "attack.no-such-column"),
        ("all release.csv --policy p.toml --original patients.csv --truth id", "arguments.truth-of-nothing"),
        (
            "all release.csv --policy p.toml --original patients.csv --population city.csv --truth id",
            "attack.no-such-column",
        ),
        ("rare empty.csv --policy p.toml --original patients.csv", "attack.no-rows"),
        (
            "rare release.csv --policy p.toml --original patients.csv --database broken.toml",
            "attack.database-syntax",
        ),
        (
            "rare release.csv --policy p.toml --original patients.csv --database cycle.toml",
            "attack.database-no-such-column",
        ),
        ("rare release.csv --policy p.toml --original patients.csv --database map.toml", "file.unreadable"),
        (
            "rare release.csv --policy p.toml --original patients.csv --database people.toml --truth name",
            "attack.no-such-column",
        ),
    ] {
        let run = env.run(&format!("attack {line} --json")).fails(2);
        assert!(run.stderr.contains(&format!("\"{code}\"")), "{line}: {}", run.said());
        assert_eq!(run.stdout, "", "{line}");
    }
    env.run("attack link patients.csv --on sex").fails(2).says(&["--external"]);
    // What both tables lack is named at once; a typing error in a database, with its line.
    env.run("attack link patients.csv --external voters.csv --on birth=birht,sex --truth name")
        .fails(2)
        .says(&["patients.csv: --on", "voters.csv: --on", "patients.csv: --truth", "links are not scored"]);
    env.run("attack rare release.csv --policy p.toml --original patients.csv --database broken.toml")
        .fails(2)
        .says(&["broken.toml:2"]);
    assert_eq!(env.listing(), before, "nothing is written");
}

/// The table of [Sweeney 2001, figure 28], with a number in place of the first column.
fn twelve_patients() -> String {
    crate::argus::TABLE.replacen("ssn", "id", 1)
}

const SYSTEM: &str = r#"
version = 1
[input]
path = "private.csv"
[output]
path = "release.csv"
suppressed = "dropped"
[columns.id]
role = "identifier"
[columns.ethnicity]
role = "quasi"
[columns.birth]
role = "quasi"
hierarchy = { date = { levels = ["year", "5-year"] } }
[columns.sex]
role = "quasi"
[columns.zip]
role = "quasi"
hierarchy = { postal = { keep = [4, 3] } }
[columns.problem]
role = "sensitive"
[privacy]
k = 2
suppression = 0.1
[search]
algorithm = "auto"
"#;

/// Sweeney's example systems receive the verdicts that she gives them [Sweeney 2001, 5 and 6]:
/// whether each is an ADS0, and whether it provides k-map protection.
#[test]
fn example_systems_receive_the_printed_verdicts() {
    let figure_28 = twelve_patients();
    let env = TestEnv::with(&[("private.csv", &figure_28), ("p.toml", SYSTEM)]);
    let people: String =
        figure_28.lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned() + "\n").collect();
    env.write("people.csv", people);
    let without_names: String =
        figure_28.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
    env.write("identity.csv", &figure_28);
    env.write("suppression.csv", "ethnicity,birth,sex,zip,problem\n".to_owned() + &"*,*,*,*,*\n".repeat(12));
    // What Scrub removes from a text are explicit identifiers; all else still links.
    env.write("scrub.csv", without_names);
    for algorithm in ["datafly", "k-similar"] {
        env.write(
            "a.toml",
            SYSTEM
                .replace("\"auto\"", &format!("\"{algorithm}\""))
                .replace("release.csv", &format!("{algorithm}.csv")),
        );
        env.run("release a.toml").ok();
    }
    // Figure 30.
    env.write(
        "argus.csv",
        "ethnicity,birth,sex,zip,problem\nBlack,1965,m,02141,breath\nBlack,1965,m,02141,chest\nBlack,1965,f,02138,pressure\nBlack,1965,f,02138,pressure\nBlack,1964,f,02138,weight\nBlack,1964,f,02138,chest\nCaucasian,1964,m,02138,chest\n,,f,02139,pressure\nCaucasian,1964,m,02139,weight\nCaucasian,1964,m,02139,breath\nCaucasian,1967,m,02138,chest\nCaucasian,1967,m,02138,chest\n",
    );
    for (system, ads0, k_map) in [
        ("identity", false, false),
        ("suppression", true, true),
        ("scrub", false, false),
        ("datafly", true, true),
        ("argus", false, false),
        ("k-similar", true, true),
    ] {
        let line = format!(
            "measure {system}.csv --original private.csv --policy p.toml --population people.csv --truth id --json"
        );
        let run = env.run(&line);
        let json = run.json();
        assert_eq!(json["ads0"]["holds"], ads0, "{system}: {json}");
        assert_eq!(json["k_map"]["holds"], k_map, "{system}: {json}");
        assert_eq!(run.code, i32::from(!k_map), "{system}");
        // A tuple of a system that discloses maps to one subject alone.
        assert_eq!(json["ads0"]["properties"]["9"]["holds"], ads0, "{system}: {json}");
    }
}

#[test]
fn risk_and_verification_use_an_attack_database() {
    let env = small();
    let declared = "version = 1\npeople = \"city\"\n[tables.city]\npath = \"city.csv\"\n";
    env.write("attack.toml", declared);
    let verified =
        env.run("verify release.csv --policy p.toml --original patients.csv --attack attack.toml --json");
    assert_eq!(verified.ok().json()["attack"]["holds"], true);
    // A database in which only dates are known: risk counts no other column.
    let dates: String =
        env.text("city.csv").lines().map(|line| line.split(',').next().unwrap().to_owned() + "\n").collect();
    env.write("dates.csv", dates);
    env.write("dates.toml", declared.replace("city.csv", "dates.csv"));
    let run = env.run("risk patients.csv --qi birth_date,sex,zip --attack dates.toml --json").fails(0);
    assert!(run.stderr.contains("sex, zip"), "{}", run.said());
    let all = env.run("risk patients.csv --qi birth_date --population dates.csv --json").ok().json();
    assert_eq!(run.json(), all);
    // The original as its own release does not hold.
    env.write("names.toml", "version = 1\npeople = \"v\"\n[tables.v]\npath = \"voters.csv\"\n");
    env.run("risk patients.csv --qi birth_date --attack names.toml")
        .fails(2)
        .says(&["attack.database-knows-nothing"]);
}
