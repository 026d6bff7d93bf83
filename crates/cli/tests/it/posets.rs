//! Releases of columns with posets, every kind of them: each released row is held against its
//! original by what the cells say, k is counted, and false cells are found.

use crate::env::TestEnv;
use crate::naive::Table;

const QUASI: [&str; 7] = ["age", "born", "place", "traits", "codes", "sex", "zip"];

/// Places: a block is in a tract and in a parish, and these cross each other.
const PLACES: &str = "\
town;;
north;;town
south;;town
parish-a;;town
parish-b;;town
b1;;north;parish-a
b2;;north;parish-b
b3;;south;parish-a
b4;;south;parish-b
";

const ICD: &str = "\
*;;
heart;;*
lung;;*
427.8;;heart
427.9;;heart
486;;lung
";

fn table(rows: u64, seed: u64) -> Table {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("age,born,place,traits,codes,sex,zip,illness\n");
    for _ in 0..rows {
        let age = 20 + next(40);
        let born = format!("{}-{:02}-{:02}", 2005 - age, 1 + next(12), 1 + next(28));
        let traits: String = (0..4).map(|_| if next(3) == 0 { '0' } else { '1' }).collect();
        let code = |n: u64| ["427.8", "427.9", "486"][n as usize];
        let (first, often) = (next(3), 1 + next(3));
        let codes = match next(3) {
            0 => format!("{}:{often}", code(first)),
            _ => format!("{}:{often}; {}", code(first), code((first + 1) % 3)),
        };
        let (place, sex, zip) = (1 + next(4), ["f", "m"][next(2) as usize], 100 + next(30));
        text += &format!("{age},{born},b{place},{traits},{codes},{sex},{zip},i{}\n", next(5));
    }
    Table::read(text.as_bytes(), ',')
}

fn policy(algorithm: &str) -> String {
    format!(
        "version = 1
[input]
path = \"t.csv\"
[output]
path = \"out.csv\"
keep_order = true
[privacy]
k = 4
[search]
algorithm = \"{algorithm}\"
loss = \"vinterbo\"
[columns]
age = {{ role = \"quasi\", poset = {{ range = {{ worthless = 25 }} }} }}
born = {{ role = \"quasi\", poset = {{ birth = {{ base = \"2006-01-01\", ages = [5, 30, 50, 70] }} }} }}
place = {{ role = \"quasi\", poset = {{ file = \"places.csv\" }}, weight = 0.2 }}
traits = {{ role = \"quasi\", poset = {{ bits = 4 }} }}
codes = {{ role = \"quasi\", poset = {{ codes = {{ file = \"icd.csv\", most = 6 }} }} }}
sex = {{ role = \"quasi\", poset = \"suppress\" }}
zip = {{ role = \"quasi\", hierarchy = {{ mask = {{ from = \"right\" }} }} }}
illness = {{ role = \"sensitive\" }}
"
    )
}

fn asking(algorithm: &str, table: &Table) -> TestEnv {
    let files = [
        ("t.csv", table.write(',')),
        ("p.toml", policy(algorithm)),
        ("places.csv", PLACES.into()),
        ("icd.csv", ICD.into()),
    ];
    TestEnv::with(&files.each_ref().map(|(name, text)| (*name, text.as_str())))
}

/// The nodes at or above one, by walking up a file.
fn above<'a>(file: &'a str, node: &'a str) -> Vec<&'a str> {
    let mut found = vec![node];
    let mut at = 0;
    while at < found.len() {
        let line = file.lines().find(|line| line.split(';').next() == Some(found[at])).unwrap();
        found.extend(line.split(';').skip(2).filter(|parent| !parent.is_empty()));
        at += 1;
    }
    found
}

fn pairs(text: &str) -> Vec<(&str, u32)> {
    let pair = |part| {
        let part: &str = str::trim(part);
        part.split_once(':').map_or((part, 1), |(code, often)| (code, often.trim().parse().unwrap()))
    };
    text.split(';').map(pair).collect()
}

/// Whether a cell is true of a value, by what the documentation says.
fn covers(column: &str, cell: &str, value: &str) -> bool {
    if cell == "*" || cell == value {
        return true;
    }
    match column {
        "age" => {
            let (low, high) = cell.trim_matches(['[', ']']).split_once(", ").unwrap();
            let number = |text: &str| text.parse::<f64>().unwrap();
            number(low) <= number(value) && number(value) <= number(high)
        }
        "born" => {
            let month = cell.ends_with("-15") && cell[..7] == value[..7];
            let year = cell.ends_with("-06-15") && cell[..4] == value[..4];
            // Bands of ages at the first of January 2006: [6, 30] is 18 years before, [31, 50] 40
            // and a half, [51, 70] 60 and a half.
            let age = 2005 - value[..4].parse::<i32>().unwrap();
            let band = [("1988-01-01", 6..=30), ("1965-07-01", 31..=50), ("1945-07-01", 51..=70)];
            month || year || band.iter().any(|(middle, ages)| *middle == cell && ages.contains(&age))
        }
        "place" => above(PLACES, value).contains(&cell),
        "traits" => cell.bytes().zip(value.bytes()).all(|(c, v)| c == b'0' || v == b'1'),
        // Each node of the cell has that many occurrences at or below it.
        "codes" => pairs(cell).into_iter().all(|(node, often)| {
            let under = pairs(value).into_iter().filter(|(code, _)| above(ICD, code).contains(&node));
            under.map(|(_, often)| often).sum::<u32>() >= often
        }),
        "zip" => value.starts_with(cell.trim_end_matches('*')),
        _ => false,
    }
}

#[test]
fn every_cell_of_a_poset_is_true_of_its_row() {
    for algorithm in ["greedy", "partition"] {
        let original = table(300, 5);
        let env = asking(algorithm, &original);
        let release = env.run("release p.toml --json").ok().json();
        let out = Table::read(&env.bytes("out.csv"), ',');
        assert_eq!(out.rows.len(), 300);
        assert!(out.rarest(&QUASI).unwrap() >= 4);
        assert_eq!(out.column("illness"), original.column("illness"));
        for column in QUASI {
            let pairs = || out.column(column).into_iter().zip(original.column(column));
            for (cell, value) in pairs() {
                assert!(covers(column, cell, value), "{algorithm}: `{cell}` for `{value}` in {column}");
            }
            let more = pairs().any(|(cell, value)| cell != value && cell != "*");
            assert!(column == "sex" || more, "{algorithm}: nothing in between in {column}");
        }
        assert_eq!(release["regions"]["forms"]["place"], "poset");
        assert_eq!(release["regions"]["forms"]["zip"], "label");
        let verdict = env.run("verify out.csv --policy p.toml --original t.csv --json").ok().json();
        assert!(verdict["cells"]["found"].as_str().unwrap().contains("(k,k)"), "{verdict}");
        assert!(verdict.as_object().unwrap().values().all(|f| f.get("unchecked").is_none()), "{verdict}");
        env.run("verify out.csv --policy p.toml").ok();
    }
}

/// A whole class gets a cell that is not true of its rows: k still holds, and nothing else is
/// changed.
#[test]
fn a_false_cell_of_a_poset_is_found() {
    let original = table(120, 6);
    let env = asking("greedy", &original);
    env.run("release p.toml").ok();
    let text = env.text("out.csv");
    let mut tried = 0;
    for (column, cells) in [
        ("place", ["north", "south"]),
        ("place", ["parish-a", "parish-b"]),
        ("born", ["1988-01-01", "1965-07-01"]),
    ] {
        let [one, other] = cells;
        if !text.contains(one) {
            continue;
        }
        env.write("out.csv", text.replace(one, other));
        let verdict = env.run("verify out.csv --policy p.toml --original t.csv --json").fails(1).json();
        assert_eq!(verdict["truth"]["holds"], false, "{column}");
        tried += 1;
    }
    assert!(tried > 0, "no such cell was released");
}

#[test]
fn what_does_not_go_with_posets_is_told() {
    let original = table(50, 8);
    let env = asking("greedy", &original);
    let refused = |from: &str, to: &str, parts: &[&str]| {
        assert!(policy("greedy").contains(from), "{from}");
        env.write("p.toml", policy("greedy").replace(from, to));
        env.run("release p.toml").fails(2).says(parts);
        assert!(!env.names().contains(&"out.csv".to_owned()));
    };
    refused("algorithm = \"greedy\"", "algorithm = \"mondrian\"", &["cannot use a poset", "greedy"]);
    refused("age = { role = \"quasi\"", "age = { role = \"quasi\", max_level = 1", &["has no levels"]);
    refused("age = { role = \"quasi\"", "age = { role = \"keep\"", &["not generalized"]);
    refused("poset = \"suppress\"", "poset = \"suppress\", form = \"set\"", &["one way"]);
    refused("poset = \"suppress\"", "poset = \"suppress\", hierarchy = \"suppress\"", &["not both"]);
    refused("worthless = 25", "worthless = 0", &["not a width"]);
    refused("bits = 4", "bits = 3", &["3 characters"]);
    refused("poset = \"suppress\"", "poset = \"supress\"", &["suppress"]);
    env.write("places.csv", PLACES.replace("b1;;north", "b1;;nort"));
    refused("loss = \"vinterbo\"", "loss = \"prec\"", &["nort", "north", "places.csv"]);
    env.write("places.csv", PLACES.replace("town;;", "town;;b1"));
    refused("loss = \"vinterbo\"", "loss = \"prec\"", &["places.csv"]);
    env.write("places.csv", PLACES.replace("south;;town", "south;;"));
    refused("loss = \"vinterbo\"", "loss = \"prec\"", &["places.csv", "south"]);
}

/// The example is made up, released by either method and guided, and proven.
#[test]
fn the_example_runs_as_it_says() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/posets/");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let policy = read("policy.toml");
    let (partition, guided) =
        (policy.replace("\"greedy\" #", "\"partition\" #"), policy.replace("# model", "model"));
    assert!(partition != policy && guided != policy);
    let env = TestEnv::with(&[
        ("people.toml", &read("people.toml")),
        ("places.csv", &read("places.csv")),
        ("greedy.toml", &policy),
        ("partition.toml", &partition),
        ("guided.toml", &guided),
    ]);
    env.run("synth people.toml --rows 300 --out people.csv").ok();
    for name in ["greedy", "partition", "guided"] {
        let run = env.run(&format!("release {name}.toml --out {name}.csv")).ok();
        assert!(run.stdout.contains("k-anonymity holds"), "{}", run.said());
        env.run(&format!("verify {name}.csv --policy {name}.toml --original people.csv")).ok();
    }
}
