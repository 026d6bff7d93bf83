//! Releases by regions, from the policy to the verdict, for every method: counted, compared with
//! the original row by row, repeated, tampered with, and with impossible requests.

use throng::cell::Cell;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, people_with_gaps, policy};

const METHODS: [&str; 6] = ["mondrian", "k-similar", "boxes", "mdav", "greedy", "partition"];

/// Age is an interval, zip a label, sex and city sets; rows keep their order, so that each can be
/// held against its own.
fn asking(method: &str, table: &Table, more: &[(&str, &str)]) -> TestEnv {
    let search = format!("[search]\nalgorithm = \"{method}\"\nloss = \"lm\"\n[columns.age]");
    let age = "hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }";
    let changes = [
        &[
            ("[columns.age]", search.as_str()),
            (age, ""),
            ("path = \"out.csv\"", "path = \"out.csv\"\nkeep_order = true"),
        ],
        more,
    ]
    .concat();
    TestEnv::with(&[("people.csv", &table.write(',')), ("p.toml", &policy(&changes))])
}

/// Whether a cell is true of a value.
fn covers(column: &str, cell: &str, value: &str) -> bool {
    let cell_of = Cell::parse(cell);
    match column {
        "zip" => cell == value || cell == "*" || value.starts_with(cell.trim_end_matches('*')),
        _ => cell == value || (cell == "*" || !value.is_empty()) && cell_of.covers(value),
    }
}

fn check(env: &TestEnv, original: &Table, k: u64) -> Table {
    let out = Table::read(&env.bytes("out.csv"), ',');
    assert_eq!(out.rows.len(), original.rows.len());
    assert!(out.rarest(&QUASI).unwrap() >= k);
    for column in ["illness", "cost"] {
        assert_eq!(out.column(column), original.column(column));
    }
    for column in QUASI {
        for (cell, value) in out.column(column).into_iter().zip(original.column(column)) {
            assert!(covers(column, cell, value), "`{cell}` for `{value}` in {column}");
        }
    }
    out
}

#[test]
fn every_cell_is_true_of_its_row_and_every_class_large_enough() {
    for method in METHODS {
        for table in [people(400, 7), people_with_gaps(400, 8, "")] {
            let env = asking(method, &table, &[]);
            let release = env.run("release p.toml --json").ok().json();
            let out = check(&env, &table, 5);
            assert_eq!(release["withheld"], 0);
            assert_eq!(release["search"]["gap"], release["loss"]["lm"], "no bound is known");
            assert_eq!(release["regions"]["forms"]["age"], "interval");
            assert_eq!(release["regions"]["forms"]["zip"], "label");
            assert_eq!(release["regions"]["forms"]["city"], "set");
            assert!(release["levels"].as_object().unwrap().is_empty());
            assert!(out.rows.iter().any(|row| row[out.at("age")].starts_with('[')), "{method}");
            let lm = release["loss"]["lm"].as_f64().unwrap();
            assert!(lm > 0.0 && lm < 0.9, "{method}: {lm}");
            let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
            assert!(verdict.as_object().unwrap().values().all(|f| f.get("unchecked").is_none()), "{verdict}");
            let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
            assert_eq!(alone["truth"]["unchecked"], true);
            assert_eq!(alone["k-anonymity"]["holds"], true);
            assert!(env.text("out.report.html").contains("The regions"));
        }
    }
}

/// The order is not that of texts, so sets and labels would look different.
#[test]
fn cities_in_a_stated_order_become_ranges() {
    const CITIES: [&str; 3] = ["Saint-Étienne", "Bonn", "Köln"];
    let place = |city: &str| CITIES.iter().position(|listed| *listed == city).unwrap();
    let stated = format!("[columns.city]\nhierarchy = {{ order = {{ values = {CITIES:?} }} }}");
    for method in METHODS {
        let table = people(400, 11);
        let env = asking(method, &table, &[("[columns.city]", &stated)]);
        let release = env.run("release p.toml --json").ok().json();
        assert_eq!(release["regions"]["forms"]["city"], "range");
        let out = Table::read(&env.bytes("out.csv"), ',');
        let mut ranges = 0;
        for (cell, value) in out.column("city").into_iter().zip(table.column("city")) {
            let Cell::Range(first, last) = Cell::parse(cell) else {
                assert_eq!(cell, value, "{method}");
                continue;
            };
            ranges += 1;
            assert!((place(&first)..=place(&last)).contains(&place(value)), "{method}: {cell} for {value}");
        }
        // Boxes cut the three cities first.
        assert!(ranges > 0 || method == "boxes", "{method}");
        env.run("verify out.csv --policy p.toml --original people.csv").ok();
    }
}

#[test]
fn models_of_sensitive_columns_hold_in_every_region() {
    for method in METHODS {
        let table = people(400, 9);
        let models = "k = 3\nmodels = [{ l_diversity = { column = \"illness\", l = 3 } }, { t_closeness = { column = \"illness\", distance = \"equal\", t = 0.5 } }]";
        let env = asking(method, &table, &[("k = 5", models)]);
        let release = env.run("release p.toml --json").ok().json();
        let out = check(&env, &table, 3);
        assert!(release["privacy"]["distinct l-diversity: illness"]["achieved"].as_f64().unwrap() >= 3.0);
        let at: Vec<usize> = QUASI.iter().map(|c| out.at(c)).collect();
        let mut classes = std::collections::BTreeMap::new();
        for row in &out.rows {
            let class: &mut std::collections::BTreeSet<_> =
                classes.entry(at.iter().map(|&i| &row[i]).collect::<Vec<_>>()).or_default();
            class.insert(&row[out.at("illness")]);
        }
        assert!(classes.values().all(|values| values.len() >= 3), "{method}");
        env.run("verify out.csv --policy p.toml --original people.csv").ok();
    }
}

#[test]
fn the_same_each_time_on_any_number_of_threads() {
    for method in METHODS {
        let env = asking(method, &people(300, 3), &[]);
        let bytes = |threads: &str| {
            env.run_args(&["release", "p.toml"], &[("RAYON_NUM_THREADS", threads)]).ok();
            env.bytes("out.csv")
        };
        assert_eq!(bytes("1"), bytes("4"), "{method}");
    }
}

#[test]
fn numbers_in_place_of_values_are_what_they_say() {
    for (form, method) in [("mean", "mdav"), ("median", "k-similar")] {
        let table = people(200, 4);
        let age = "[columns.age]\nrole = \"quasi\"\n";
        let env = asking(method, &table, &[(age, &format!("{age}form = \"{form}\"\n"))]);
        env.run("release p.toml").ok();
        let out = Table::read(&env.bytes("out.csv"), ',');
        assert!(out.rarest(&QUASI).unwrap() >= 5);
        let mut classes: std::collections::BTreeMap<Vec<&str>, Vec<f64>> = Default::default();
        for (row, age) in out.rows.iter().zip(table.column("age")) {
            let class = QUASI.iter().map(|c| row[out.at(c)].as_str()).collect();
            classes.entry(class).or_default().push(age.parse().unwrap());
        }
        for (class, mut ages) in classes {
            ages.sort_by(f64::total_cmp);
            let mean = ages.iter().sum::<f64>() / ages.len() as f64;
            let median = ages[(ages.len() - 1) / 2];
            let shown: f64 = class[0].parse().unwrap();
            let right = if form == "mean" { (shown - mean).abs() <= 0.005 + 1e-9 } else { shown == median };
            assert!(right, "{form} of {ages:?} is not {shown}");
        }
        env.run("verify out.csv --policy p.toml --original people.csv").ok();
    }
}

#[test]
fn relaxed_cuts_deal_equal_rows_out_and_are_verified_so() {
    let relaxed = "loss = \"lm\"\nmondrian = { cut = \"relaxed\" }";
    let mut table = people(60, 2);
    // Few values, so that rows at the median are equal.
    let age = table.at("age");
    table.rows.iter_mut().enumerate().for_each(|(i, row)| row[age] = (30 + i % 2).to_string());
    let env = asking("mondrian", &table, &[("loss = \"lm\"", relaxed)]);
    env.run("release p.toml").ok();
    check(&env, &table, 5);
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
    let models = "k = 5\nmodels = [{ l_diversity = { column = \"illness\", l = 2 } }]";
    let env = asking("mondrian", &table, &[("loss = \"lm\"", relaxed), ("k = 5", models)]);
    env.run("release p.toml").fails(2).says(&["relaxed", "strict"]);
}

#[test]
fn what_was_changed_is_found() {
    let table = people(200, 6);
    let env = asking("k-similar", &table, &[]);
    env.run("release p.toml").ok();
    let right = env.text("out.csv");
    let certificate = env.text("out.certificate.json");
    let mut out = Table::read(right.as_bytes(), ',');
    // Two rows of different regions trade their illness: every count stays as it was.
    let (at, zip) = (out.at("illness"), out.at("zip"));
    let other = (1..200)
        .find(|&i| out.rows[i][at] != out.rows[0][at] && out.rows[i][zip] != out.rows[0][zip])
        .unwrap();
    let (a, b) = (out.rows[0][at].clone(), out.rows[other][at].clone());
    (out.rows[0][at], out.rows[other][at]) = (b, a);
    env.write("out.csv", out.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").fails(1).json();
    assert_eq!(verdict["truth"]["holds"], false, "{verdict}");
    assert_eq!(verdict["k-anonymity"]["holds"], true);
    env.write("out.csv", &right);
    env.write("out.certificate.json", certificate.replace("\"interval\"", "\"set\""));
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").fails(1).json();
    assert_eq!(verdict["certificate"]["holds"], false);
    assert_eq!(verdict["truth"]["holds"], false);
}

/// The first 120 of 600 people are in the table. A region may have fewer rows than k-anonymity
/// would ask for, where enough people of the town match its cells.
#[test]
fn people_of_the_population_who_match_a_region_are_counted() {
    let town = people(600, 9);
    let table = Table { rows: town.rows[..120].to_vec(), ..town.clone() };
    let models = "models = [{ k_map = { k = 12, population = \"town.csv\" } }]";
    for method in METHODS {
        let env = asking(method, &table, &[("k = 5", models)]);
        env.write("town.csv", town.write(','));
        let release = env.run("release p.toml --json").ok().json();
        let out = Table::read(&env.bytes("out.csv"), ',');
        let matches = |row: &Vec<String>, person: &Vec<String>| {
            QUASI.iter().all(|c| covers(c, &row[out.at(c)], &person[town.at(c)]))
        };
        let people = |row: &Vec<String>| town.rows.iter().filter(|person| matches(row, person)).count();
        let least = out.rows.iter().map(people).min().unwrap();
        assert!(least >= 12, "{method}: {least}");
        assert_eq!(release["privacy"]["k-map"]["achieved"].as_f64(), Some(least as f64), "{method}");
        for line in [
            "verify out.csv --policy p.toml --json",
            "verify out.csv --policy p.toml --original people.csv --json",
        ] {
            let verdict = env.run(line).ok().json();
            assert_eq!(verdict["k-map"]["holds"], true, "{method}: {verdict}");
            assert_eq!(verdict["k-map"].get("unchecked"), None, "{method}: {verdict}");
        }
    }
    let number = models.replace("\"town.csv\"", "10000");
    let env = asking("mondrian", &table, &[("k = 5", number.as_str())]);
    env.run("release p.toml").fails(2).says(&["formed around rows", "table of the population"]);
}

#[test]
fn what_is_not_defined_for_regions_is_refused_by_name() {
    let table = people(60, 1);
    for (change, words) in [
        (
            ("path = \"people.csv\"", "path = \"people.csv\"\nmissing = \"wildcard\""),
            vec!["missing", "value"],
        ),
        (("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"cells\""), vec!["left out"]),
        (("loss = \"lm\"", "loss = \"height\""), vec!["adds up levels"]),
        (("loss = \"lm\"", "loss = \"lm\"\nlocal = true"), vec!["local already"]),
        (("loss = \"lm\"", "loss = \"lm\"\nboxes = { statistic = \"mean\" }"), vec!["only \"boxes\""]),
        (
            (
                "k = 5",
                "k = 5\nmodels = [{ profitability = { kind = \"no_attack\", publisher_benefit = 1.0, publisher_loss = 1.0, adversary_gain = 5.0, adversary_cost = 1.0 } }]",
            ),
            vec!["not defined for regions"],
        ),
        (("algorithm = \"k-similar\"", "algorithm = \"k-simlar\""), vec!["did you mean \"k-similar\""]),
        (("[columns.zip]", "[columns.zip]\nform = \"interval\""), vec![]),
    ] {
        let env = asking("k-similar", &table, &[change]);
        if words.is_empty() {
            // Postal codes are numbers too.
            env.run("release p.toml").ok();
        } else {
            env.run("release p.toml").fails(2).says(&words);
        }
    }
    let env = asking("k-similar", &table, &[("[columns.city]\n", "[columns.city]\nform = \"interval\"\n")]);
    env.run("release p.toml").fails(2).says(&["is not a finite number", "city"]);
    let mut odd = people(60, 1);
    let age = odd.at("age");
    odd.rows[7][age] = "NaN".into();
    odd.rows[8][age] = "inf".into();
    // Without a form the column is not numeric, and becomes sets.
    let env = asking("k-similar", &odd, &[]);
    assert_eq!(env.run("release p.toml --json").ok().json()["regions"]["forms"]["age"], "set");
    let ages = "[columns.age]\nrole = \"quasi\"\n";
    let env = asking("k-similar", &odd, &[(ages, &format!("{ages}form = \"interval\"\n"))]);
    env.run("release p.toml").fails(2).says(&["`NaN` is not a finite number", "input.null"]);
    let env = asking("k-similar", &people(20, 1), &[("k = 5", "k = 21")]);
    env.run("release p.toml").fails(2).says(&["k = 21 is larger than the table"]);
    env.run("explore p.toml").fails(2);
}

#[test]
fn limits_hold_in_every_region() {
    let table = people(400, 5);
    let limited = "hierarchy = { postal = { keep = [3, 2] } }\nmax_level = 2\nmin_level = 1";
    for method in ["mondrian", "k-similar"] {
        let env = asking(method, &table, &[("hierarchy = { postal = { keep = [3, 2] } }", limited)]);
        env.run("release p.toml").ok();
        let out = check(&env, &table, 5);
        let shown = |cell: &&str| cell.trim_end_matches('*').len();
        assert!(out.column("zip").iter().all(|cell| (2..=3).contains(&shown(cell))), "{method}");
        env.run("verify out.csv --policy p.toml --original people.csv").ok();
    }
    let all = "[columns.city]\nmax_level = 0\n";
    let env = asking(
        "mondrian",
        &people(30, 5),
        &[("[columns.city]\n", all), ("k = 5", "k = 12"), ("suppression = 0.05", "suppression = 0.0")],
    );
    env.run("release p.toml").fails(1).says(&["would have to be suppressed", "max_level"]);
}

#[test]
fn other_formats_hold_regions_too() {
    let table = people(200, 5);
    let env = asking("k-similar", &table, &[]);
    env.run("release p.toml --out out.parquet").ok();
    env.run("verify out.parquet --policy p.toml --original people.csv").ok();
    let risk = env.run("risk out.parquet --certificate out.certificate.json --json").ok().json();
    assert!(risk.as_object().is_some());
}
