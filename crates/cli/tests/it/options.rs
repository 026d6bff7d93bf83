//! What a policy can ask for beyond k, each looked at in the released file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use throng::policy::Aggregate;
use throng::registry::LossKind;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, people_with_gaps, policy};

/// Releases people under a policy with these changes, and verifies with and without the original.
struct Released {
    json: Value,
    table: Table,
    original: Table,
}

#[track_caller]
fn release(original: Table, changes: &[(&str, &str)]) -> Released {
    let env = TestEnv::new();
    env.write("people.csv", original.write(','));
    env.write("p.toml", policy(changes));
    let json = env.run("release p.toml --json").ok().json();
    for original in ["", " --original people.csv"] {
        env.run(&format!("verify out.csv --policy p.toml{original}")).ok();
    }
    let table = Table::read(&env.bytes("out.csv"), ',');
    Released { json, table, original }
}

impl Released {
    fn level(&self, column: &str) -> u64 {
        self.json["levels"][column].as_u64().unwrap()
    }

    fn number(&self, key: &str) -> usize {
        self.json[key].as_u64().unwrap() as usize
    }
}

#[test]
fn rows_are_shuffled_unless_the_order_is_kept() {
    let shuffled = release(people(400, 21), &[]);
    let kept = release(people(400, 21), &[("path = \"out.csv\"", "path = \"out.csv\"\nkeep_order = true")]);
    assert_ne!(shuffled.table, kept.table);
    assert_eq!(shuffled.table.sorted(), kept.table.sorted());
    // The costs identify the rows: those that stay are in the order of the original.
    let mut costs = kept.original.column("cost").into_iter();
    assert!(
        kept.table.column("cost").iter().all(|cost| costs.any(|c| c == *cost)),
        "the order is the original's"
    );
    let mut costs = shuffled.original.column("cost").into_iter();
    assert!(
        !shuffled.table.column("cost").iter().all(|cost| costs.any(|c| c == *cost)),
        "the order is another"
    );
}

#[test]
fn suppressed_rows_are_left_out_or_starred() {
    let changes =
        |more: &'static str| [("suppression = 0.05", "suppression = 0.3"), ("path = \"out.csv\"", more)];
    let dropped = release(people(300, 22), &changes("path = \"out.csv\""));
    let starred = release(people(300, 22), &changes("path = \"out.csv\"\nsuppressed = \"starred\""));
    assert!(dropped.number("suppressed") > 0);
    assert_eq!(dropped.json["levels"], starred.json["levels"]);
    assert_eq!(dropped.table.rows.len(), dropped.number("released"));
    assert_eq!(starred.table.rows.len(), 300);
    let left = starred.table.without_stars(&QUASI);
    assert_eq!(left.rows.len(), dropped.number("released"));
    assert_eq!(left.sorted(), dropped.table.sorted());
    left.is_anonymous(&QUASI, 5);
    let all: Vec<&str> = starred.original.column("cost");
    let mut costs = starred.table.column("cost");
    costs.sort_unstable();
    assert_eq!(
        costs,
        {
            let mut all = all;
            all.sort_unstable();
            all
        },
        "what is not quasi stays in starred rows"
    );
}

#[test]
fn few_cells_of_flagged_rows_are_starred() {
    let changes =
        |more: &'static str| [("suppression = 0.05", "suppression = 0.3"), ("path = \"out.csv\"", more)];
    let dropped = release(people(300, 22), &changes("path = \"out.csv\""));
    let cells = release(people(300, 22), &changes("path = \"out.csv\"\nsuppressed = \"cells\""));
    assert!(dropped.number("suppressed") > 0);
    assert_eq!(dropped.json["levels"], cells.json["levels"], "the search is the same");
    assert_eq!(cells.table.rows.len(), 300 - cells.number("withheld"));
    cells.table.is_anonymous(&QUASI, 5);
    let steps = cells.json["steps"].as_array().unwrap();
    let sum = |key: &str| steps[1..].iter().map(|s| s[key].as_u64().unwrap() as usize).sum::<usize>();
    assert_eq!(steps[0]["levels"], cells.json["levels"]);
    assert_eq!(steps[0]["rows"], dropped.json["released"]);
    assert_eq!(sum("rows"), dropped.number("withheld") - cells.number("withheld"));
    assert!(sum("rows") > 0 && sum("starred") < QUASI.len() * sum("rows"));
    let loss = |json: &Value| json["loss"]["lm"].as_f64().unwrap();
    assert!(loss(&cells.json) < loss(&dropped.json));
    // What was starred is a star more than the columns that are at the top anyway.
    let top = |at: usize| cells.table.rows.iter().all(|row| row[at] == "*");
    let stars = |column: &&str| {
        let at = cells.table.at(column);
        if top(at) { 0 } else { cells.table.rows.iter().filter(|row| row[at] == "*").count() }
    };
    assert_eq!(QUASI.iter().map(stars).sum::<usize>(), sum("starred"));
}

#[test]
fn the_summary_tells_what_was_starred() {
    let changes = [
        ("suppression = 0.05", "suppression = 0.3"),
        ("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"cells\""),
    ];
    let env = TestEnv::with(&[("people.csv", &people(300, 22).write(',')), ("p.toml", &policy(&changes))]);
    let told = env.run("release p.toml").ok().stdout;
    let line = told.lines().find(|line| line.starts_with("cells ")).unwrap_or_else(|| panic!("{told}"));
    let json = env.json("out.certificate.json");
    let steps = json["steps"].as_array().unwrap();
    let sum = |key: &str| steps[1..].iter().map(|s| s[key].as_u64().unwrap()).sum::<u64>();
    let words = format!("cells       {} starred to keep {} rows: ", sum("starred"), sum("rows"));
    assert!(line.starts_with(&words), "{line}\n{words}");
    let page = env.text("out.report.html");
    assert!(page.contains(&format!("were kept by starring {} cells", sum("starred"))));
}

#[test]
fn named_groups_have_their_own_k() {
    let groups = "suppression = 0.1\n[privacy.quasi.neighbour]\ncolumns = [\"zip\", \"city\"]\nk = 20\n\
                  [privacy.quasi.employer]\ncolumns = [\"age\", \"sex\"]\nk = 8\n";
    let both = release(people(500, 23), &[("suppression = 0.05\n", groups)]);
    both.table.is_anonymous(&QUASI, 5);
    both.table.is_anonymous(&["zip", "city"], 20);
    both.table.is_anonymous(&["age", "sex"], 8);
    let claims: Vec<&String> = both.json["privacy"].as_object().unwrap().keys().collect();
    assert_eq!(claims.len(), 3, "{claims:?}");

    let alone = release(people(500, 23), &[("k = 5\n", ""), ("suppression = 0.05\n", groups)]);
    alone.table.is_anonymous(&["zip", "city"], 20);
    alone.table.is_anonymous(&["age", "sex"], 8);
    assert!(alone.table.rarest(&QUASI) < Some(5), "nobody asked for all four together");
}

#[test]
fn levels_stay_within_their_limits() {
    let sex = "[columns.sex]\nrole = \"quasi\"";
    let zip = "{ postal = { keep = [3, 2] } }";
    let free = release(people(500, 24), &[]);
    let (low, high) = (free.level("sex"), free.level("zip"));
    let limited = release(
        people(500, 24),
        &[
            (sex, &format!("{sex}\nmin_level = {}\nmax_level = {}", 1 - low, 1 - low)),
            (zip, &format!("{zip}\nmax_level = {}", high.saturating_sub(1))),
            ("high = 100 } }", "high = 100 } }\nmin_level = 2"),
            ("suppression = 0.05", "suppression = 0.9"),
        ],
    );
    assert_eq!(limited.level("sex"), 1 - low);
    assert!(limited.level("zip") <= high.saturating_sub(1));
    assert!(limited.level("age") >= 2);
    limited.table.is_anonymous(&QUASI, 5);
}

#[test]
fn weights_say_what_to_spare() {
    let loss = "suppression = 0.05\n[search]\nloss = { name = \"lm\" }\n";
    let levels = |heavy: &str| {
        let mut changes = vec![("suppression = 0.05\n", loss)];
        let weighted = [
            ("high = 100 } }", "high = 100 } }\nweight = 50"),
            ("{ postal = { keep = [3, 2] } }", "{ postal = { keep = [3, 2] } }\nweight = 50"),
        ];
        changes.push(weighted[usize::from(heavy == "zip")]);
        let released = release(people(500, 25), &changes);
        released.table.is_anonymous(&QUASI, 5);
        (released.level("age"), released.level("zip"))
    };
    let (age_spared, zip_spared) = (levels("age"), levels("zip"));
    assert!(age_spared.0 <= zip_spared.0 && zip_spared.1 <= age_spared.1, "{age_spared:?} {zip_spared:?}");
    assert_ne!(age_spared, zip_spared);
}

#[test]
fn linked_columns_share_their_level() {
    let linked = "suppression = 0.05\n[search]\nlinked = [[\"age\", \"zip\"], [\"sex\", \"city\"]]\n";
    let released = release(people(500, 26), &[("suppression = 0.05\n", linked)]);
    assert_eq!(released.level("age"), released.level("zip"));
    assert_eq!(released.level("sex"), released.level("city"));
    released.table.is_anonymous(&QUASI, 5);
}

#[test]
fn missing_cells_mean_what_the_policy_says() {
    for (meaning, null) in [
        ("value", ""),
        ("value", "NA"),
        ("wildcard", ""),
        ("wildcard", "NA"),
        ("suppress", ""),
        ("suppress", "?"),
    ] {
        let input = format!("path = \"people.csv\"\nmissing = \"{meaning}\"\nnull = [\"\", \"NA\", \"?\"]");
        let changes = [
            ("path = \"people.csv\"", input.as_str()),
            ("suppression = 0.05", "suppression = 0.4"),
            // Nothing is generalized so far that a missing cell looks like the others.
            ("high = 100 } }", "high = 100 } }\nmax_level = 3"),
            ("[columns.sex]\nrole = \"quasi\"", "[columns.sex]\nrole = \"quasi\"\nmax_level = 0"),
        ];
        let released = release(people_with_gaps(600, 27, null), &changes);
        let table = &released.table;
        let gaps = table.column("age").iter().filter(|c| c.is_empty()).count();
        let name = format!("{meaning} {null:?}");
        assert!(table.column("age").iter().all(|c| *c != "NA" && *c != "?"), "{name}");
        match meaning {
            "suppress" => {
                assert!(!table.rows.iter().flatten().any(String::is_empty), "{name}");
                // Every seventh and every ninth row.
                assert!(released.number("suppressed") >= 600 / 7 + 600 / 9 - 600 / 63, "{name}");
                table.is_anonymous(&QUASI, 5);
            }
            "value" => {
                assert!(gaps > 0, "{name}");
                table.is_anonymous(&QUASI, 5);
            }
            _ => {
                assert!(gaps > 0, "{name}");
                let rarest = table.rarest_wild(&QUASI).unwrap();
                assert!(rarest >= 5, "{name}: {rarest}");
                let claimed = released.json["privacy"]["k-anonymity"]["achieved"].as_f64();
                assert_eq!(claimed, Some(rarest as f64), "{name}");
            }
        }
    }
}

#[test]
fn a_text_for_missing_cells_is_used_where_an_empty_cell_means_something() {
    let mut original = people_with_gaps(400, 28, "NA");
    original.rows.iter_mut().step_by(3).for_each(|row| row[5] = String::new());
    let changes = [
        ("path = \"people.csv\"", "path = \"people.csv\"\nnull = [\"NA\"]"),
        ("suppression = 0.05", "suppression = 0.4"),
    ];
    let released = release(original, &changes);
    assert!(released.table.column("age").contains(&"NA"), "{:?}", released.table.rows[0]);
    released.table.is_anonymous(&QUASI, 5);
}

#[test]
fn one_column_with_missing_cells_survives() {
    let env = TestEnv::new();
    env.write("t.csv", format!("age\n{}", "31\n\"\"\n32\n\"\"\n31\n32\n".repeat(5)));
    env.write(
        "p.toml",
        "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"out.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk = 10\n",
    );
    let release = env.run("release p.toml --json").ok().json();
    assert_eq!(release["rows"], 30);
    env.run("verify out.csv --policy p.toml --original t.csv").ok();
    Table::read(&env.bytes("out.csv"), ',').is_anonymous(&["age"], 10);
}

#[test]
fn a_whole_table_may_be_suppressed_when_that_is_allowed() {
    let changes = [
        ("k = 5", "k = 400"),
        ("suppression = 0.05", "suppression = 1.0"),
        ("high = 100 } }", "high = 100 } }\nmax_level = 0"),
    ];
    let released = release(people(400, 29), &changes);
    assert_eq!((released.number("released"), released.table.rows.len()), (0, 0));
    assert_eq!(released.table.columns.len(), 6);
    assert_eq!(released.json["privacy"]["k-anonymity"]["achieved"], Value::Null);

    let env = TestEnv::with(&[("people.csv", &released.original.write(',')), ("p.toml", &policy(&changes))]);
    for format in ["parquet", "arrow"] {
        env.run(&format!("release p.toml --out none.{format}")).ok();
        env.run(&format!("verify none.{format} --policy p.toml --original people.csv")).ok();
    }
    // Without rows a JSON file cannot even name its columns.
    let before = env.listing();
    env.run("release p.toml --out no.json").fails(1).says(&[
        "no.json",
        "every row would be suppressed",
        ".csv",
    ]);
    assert_eq!(env.listing(), before);
}

/// What the program offers where a name is not known: `… are auto, ola, mingen`.
fn offered(key: &str, kind: &str) -> Vec<String> {
    let search = format!("suppression = 0.05\n[search]\n{key} = \"?\"\n");
    let env = TestEnv::with(&[
        ("people.csv", &people(50, 30).write(',')),
        ("p.toml", &policy(&[("suppression = 0.05\n", &search)])),
    ]);
    let message = env.run("release p.toml").fails(2).message();
    let names = message.split(&format!("{kind} are ")).nth(1).unwrap_or_else(|| panic!("{message}"));
    names.split(", ").map(|name| name.trim().to_owned()).collect()
}

#[test]
fn algorithms_and_losses_agree_on_what_is_best() {
    let (algorithms, losses) = (offered("algorithm", "algorithms"), offered("loss", "losses"));
    assert!(algorithms.len() >= 3 && losses.len() >= 10, "{algorithms:?} {losses:?}");
    // Regions of rows can lose less than any levels.
    let regions = throng::registry::Algorithm::keys_with(|entry| entry.forms_regions);
    let levels = |name: &&str| !regions.contains(name);
    // Width is a loss of statistics that a policy lists.
    for loss in losses.iter().filter(|loss| *loss != "width") {
        let mut best: Option<f64> = None;
        // `mingen` looks at everything, so that nothing can be better.
        for algorithm in ["mingen"].into_iter().chain(algorithms.iter().map(String::as_str).filter(levels)) {
            let search =
                format!("suppression = 0.05\n[search]\nalgorithm = \"{algorithm}\"\nloss = \"{loss}\"\n");
            let env = TestEnv::new();
            env.write("people.csv", people(400, 30).write(','));
            let target = ("role = \"sensitive\"", "role = \"target\"");
            env.write("p.toml", policy(&[("suppression = 0.05\n", &search), target]));
            let run = env.run("release p.toml --json");
            if run.code == 2 {
                run.says(&["search.algorithm", algorithm, "\"help\":"]);
                assert!(algorithm != "auto" && algorithm != "mingen", "{}", run.said());
                continue;
            }
            let release = run.ok().json();
            Table::read(&env.bytes("out.csv"), ',').is_anonymous(&QUASI, 5);
            env.run("verify out.csv --policy p.toml --original people.csv").ok();
            assert_eq!(release["search"]["algorithm"], algorithm);
            let value = release["loss"][loss].as_f64().unwrap();
            let best = *best.get_or_insert(value);
            let off = (value - best) / best.abs().max(1.0);
            let gap = release["search"]["gap"].as_f64().unwrap();
            assert!(off >= -1e-9, "{loss}: {algorithm} finds {value}, less than {best}");
            if release["search"]["optimal"] == true {
                assert!(off <= 1e-9 && gap == 0.0, "{loss}: {algorithm} finds {value}, not {best}");
            }
        }
    }
}

#[test]
fn the_classification_metric_counts_the_labels_of_the_release() {
    let search = "suppression = 0.05\n[search]\nloss = \"cm\"\n";
    let target = ("role = \"sensitive\"", "role = \"target\"");
    let found = release(people(400, 33), &[("suppression = 0.05\n", search), target]);
    // Counted in the released file: of every class, the rows beyond its most frequent label.
    let mut classes: BTreeMap<Vec<&str>, BTreeMap<&str, usize>> = BTreeMap::new();
    for row in &found.table.rows {
        let class = QUASI.iter().map(|c| row[found.table.at(c)].as_str()).collect();
        let label = row[found.table.at("illness")].as_str();
        *classes.entry(class).or_default().entry(label).or_default() += 1;
    }
    let outvoted =
        |labels: &BTreeMap<&str, usize>| labels.values().sum::<usize>() - labels.values().max().unwrap();
    let penalties = classes.values().map(outvoted).sum::<usize>() + found.number("withheld");
    let cm = found.json["loss"]["cm"].as_f64().unwrap();
    assert!((cm - penalties as f64 / 400.0).abs() < 1e-12, "{cm} {penalties}");
    // Without a target there is no such loss, and it is rejected.
    assert!(release(people(400, 33), &[]).json["loss"].get("cm").is_none());
    let env = TestEnv::with(&[
        ("people.csv", &people(50, 33).write(',')),
        ("p.toml", &policy(&[("suppression = 0.05\n", search)])),
    ]);
    env.run("release p.toml").fails(2).says(&["p.toml:30", "\"cm\"", "role = \"target\""]);
}

#[test]
fn columns_lose_what_the_losses_are_made_of() {
    let found = release(people(400, 34), &[("suppression = 0.05", "suppression = 0.2")]);
    let parts = found.json["loss_by_column"].as_object().unwrap();
    let columnwise = |kind: &&LossKind| kind.entry().aggregate.is_some() && !kind.needs_target();
    let expected: BTreeSet<&str> = LossKind::ALL.iter().filter(columnwise).map(|kind| kind.key()).collect();
    assert_eq!(parts.keys().map(String::as_str).collect::<BTreeSet<_>>(), expected);
    for (loss, columns) in parts {
        let columns = columns.as_object().unwrap();
        assert_eq!(columns.len(), QUASI.len());
        let sum: f64 = QUASI.iter().map(|c| columns[*c].as_f64().unwrap()).sum();
        let mean = loss.parse::<LossKind>().unwrap().aggregate(None) == Aggregate::Mean;
        let whole = if mean { sum / QUASI.len() as f64 } else { sum };
        let stated = found.json["loss"][loss].as_f64().unwrap();
        assert!((whole - stated).abs() <= 1e-9 * stated.max(1.0), "{loss}: {whole} {stated}");
    }
}

#[test]
fn a_trade_off_moves_between_suppression_and_generalization() {
    let with = |tau: &str| {
        let search = format!("suppression = 0.4\n[search]\nloss = {{ name = \"lm\", tradeoff = {tau} }}\n");
        release(people(400, 35), &[("suppression = 0.05\n", &search)])
    };
    let suppressed: Vec<usize> =
        ["0.1", "0.5", "0.99"].iter().map(|tau| with(tau).number("suppressed")).collect();
    assert!(suppressed.is_sorted_by(|a, b| a >= b) && suppressed[0] > suppressed[2], "{suppressed:?}");
}

#[test]
fn out_takes_the_papers_along() {
    let env = TestEnv::new();
    env.write("data/people.csv", people(300, 31).write(','));
    env.write(
        "data/p.toml",
        policy(&[(
            "path = \"out.csv\"",
            "path = \"out.csv\"\nreport = \"r.html\"\ncertificate = \"c.json\"",
        )]),
    );
    std::fs::create_dir(env.path("shared")).unwrap();
    env.run("release data/p.toml --out shared/x.parquet").ok();
    env.run("verify shared/x.parquet --policy data/p.toml --original data/people.csv").ok();
    let beside = |name: &str| env.path(name).is_file();
    assert!(beside("shared/x.certificate.json") && beside("shared/x.report.html"));
    assert!(!beside("data/out.csv") && !beside("data/c.json"));
    env.run("release data/p.toml").ok();
    assert!(beside("data/out.csv") && beside("data/c.json") && beside("data/r.html"));
    env.run("verify data/out.csv --policy data/p.toml").ok();
    // A certificate from elsewhere.
    std::fs::rename(env.path("data/c.json"), env.path("elsewhere.json")).unwrap();
    env.run("verify data/out.csv --policy data/p.toml").fails(2);
    env.run("verify data/out.csv --policy data/p.toml --certificate elsewhere.json").ok();
}

#[test]
fn the_output_has_its_own_delimiter() {
    let env = TestEnv::new();
    env.write("people.csv", people(300, 32).write(';'));
    env.write(
        "p.toml",
        policy(&[
            ("path = \"people.csv\"", "path = \"people.csv\"\ndelimiter = \";\""),
            ("path = \"out.csv\"", "path = \"out.csv\"\ndelimiter = \"\\t\""),
        ]),
    );
    env.run("release p.toml").ok();
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
    Table::read(&env.bytes("out.csv"), '\t').is_anonymous(&QUASI, 5);
}

#[test]
fn rows_that_are_left_are_searched_again() {
    let limit = ("suppression = 0.05", "suppression = 0.0\n[search]\nloss = \"lm\"");
    let again = (limit.0, "suppression = 0.0\n[search]\nloss = \"lm\"\nlocal = true");
    let one = release(people(400, 21), &[limit]);
    let steps = release(people(400, 21), &[again]);
    let rows = |step: &Value| step["rows"].as_u64().unwrap();
    let released: Vec<u64> = steps.json["steps"].as_array().unwrap().iter().map(rows).collect();
    assert!(released.len() > 1 && released.iter().sum::<u64>() == 400, "{released:?}");
    assert_eq!(steps.number("withheld"), 0);
    let blank = |row: &&Vec<String>| QUASI.iter().all(|column| row[steps.table.at(column)] == "*");
    assert_eq!(steps.number("suppressed"), steps.table.rows.iter().filter(blank).count());
    steps.table.is_anonymous(&QUASI, 5);
    let loss = |released: &Released| released.json["loss"]["lm"].as_f64().unwrap();
    assert!(loss(&steps) < loss(&one), "{} {}", loss(&steps), loss(&one));
    assert_eq!(steps.json["search"]["optimal"], false);
    assert_eq!(steps.json["search"]["gap"], steps.json["loss"]["lm"], "no bound is known");
    // What is not searched again has no steps.
    assert!(one.json["steps"].as_array().is_none_or(Vec::is_empty));
}
