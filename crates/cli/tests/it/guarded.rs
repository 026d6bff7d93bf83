//! Numbers that are not close together, people who say what they fear, adversaries who know
//! something, and sensitive columns at a level: from the policy to the verdict.

use std::collections::{BTreeMap, BTreeSet};

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

/// Illnesses by kind.
const KINDS: &str = "\"flu, bad\",infection,*\n\"so-called \"\"cold\"\"\",infection,*\ngout; mild,other,*\n\
                     tab\there,other,*\nnone|yet,other,*\n\"two\nlines\",other,*\n";

/// People of whom every third fears an infection and every fifth gout, and a policy with these
/// models.
fn asking(models: &str, more: &[(&str, &str)]) -> TestEnv {
    let mut table = people(600, 5);
    for (at, row) in table.rows.iter_mut().enumerate() {
        row[6] = if at % 3 == 0 {
            "infection"
        } else if at % 5 == 0 {
            "gout; mild"
        } else {
            ""
        }
        .into();
    }
    let line = format!("k = 3\nmodels = [{models}]");
    let changes = [&[("k = 5", line.as_str()), ("suppression = 0.05", "suppression = 0.1")], more].concat();
    let env = TestEnv::with(&[("people.csv", &table.write(',')), ("p.toml", &policy(&changes))]);
    env.write("kinds.csv", KINDS);
    env
}

/// Class → the cells of a column.
fn classes(table: &Table, column: &str) -> BTreeMap<Vec<String>, Vec<String>> {
    let (at, column): (Vec<usize>, usize) = (QUASI.iter().map(|c| table.at(c)).collect(), table.at(column));
    let mut classes: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for row in &table.rows {
        let class = at.iter().map(|&i| row[i].clone()).collect();
        classes.entry(class).or_default().push(row[column].clone());
    }
    classes
}

#[test]
fn numbers_of_every_class_are_apart() {
    let sensitive = ("[columns.cost]\nrole = \"keep\"", "[columns.cost]\nrole = \"sensitive\"");
    let env = asking("{ k_e = { column = \"cost\", e = 500 } }", &[sensitive]);
    let release = env.run("release p.toml --json").ok().json();
    let mut least = f64::MAX;
    for costs in classes(&Table::read(&env.bytes("out.csv"), ','), "cost").values() {
        let costs: Vec<f64> = costs.iter().map(|cost| cost.parse().unwrap()).collect();
        let range =
            costs.iter().copied().fold(0.0, f64::max) - costs.iter().copied().fold(f64::MAX, f64::min);
        least = least.min(range);
    }
    assert!(least >= 500.0);
    let stated = release["privacy"]["k-e-anonymity: cost"]["achieved"].as_f64().unwrap();
    assert!((stated - least).abs() < 1e-6, "{stated}, not {least}");
    env.run("verify out.csv --policy p.toml").ok();
    env.write("q.toml", env.text("p.toml").replace("column = \"cost\"", "column = \"illness\""));
    let run = env.run("release q.toml").fails(2);
    assert!(run.said().contains("is not a number") && run.said().contains("l_diversity"), "{}", run.said());
}

const GUARD: (&str, &str) =
    ("role = \"sensitive\"", "role = \"sensitive\"\nhierarchy = { file = \"kinds.csv\" }");

#[test]
fn everybody_is_guarded_as_they_ask() {
    let env = asking("{ personalized = { column = \"illness\", guard = \"day\", breach = 0.5 } }", &[GUARD]);
    let release = env.run("release p.toml --json").ok().json();
    let table = Table::read(&env.bytes("out.csv"), ',');
    assert!(!table.columns.contains(&"day".to_owned()), "what people fear stays with the holder");
    let claim = "personalized privacy: illness";
    let stated = release["privacy"][claim]["achieved"].as_f64().unwrap();
    assert!(stated > 0.0 && stated <= 0.5);
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict[claim]["unchecked"], true);
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    assert_eq!(verdict[claim]["holds"], true);
    assert_eq!(verdict[claim].get("unchecked"), None);
    env.write("people.csv", env.text("people.csv").replace(",infection,", ",infektion,"));
    let run = env.run("release p.toml").fails(2);
    assert!(
        run.said().contains("`infektion` of `day`") && !run.said().contains("`infection`"),
        "{}",
        run.said()
    );
}

#[test]
fn a_column_at_a_level_is_released_judged_and_proven_there() {
    let level =
        ("role = \"sensitive\"", "role = \"sensitive\"\nhierarchy = { file = \"kinds.csv\" }\nlevel = 1");
    for output in ["out.csv", "out.parquet", "out.json"] {
        let path = ("path = \"out.csv\"", format!("path = \"{output}\""));
        let env = asking("{ l_diversity = { column = \"illness\", l = 2 } }", &[level, (path.0, &path.1)]);
        env.run("release p.toml").ok();
        env.run(&format!("verify {output} --policy p.toml --original people.csv")).ok();
    }
    let env = asking("{ l_diversity = { column = \"illness\", l = 2 } }", &[level]);
    env.run("release p.toml").ok();
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    for kinds in classes(&table, "illness").values() {
        assert_eq!(kinds.iter().map(String::as_str).collect::<BTreeSet<_>>(), ["infection", "other"].into());
    }
    let (illness, cost) = (table.at("illness"), table.at("cost"));
    // Two rows of a class exchange their kinds: every count is as it was.
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let other = (1..table.rows.len())
        .find(|&row| {
            at.iter().all(|&c| table.rows[row][c] == table.rows[0][c])
                && table.rows[row][illness] != table.rows[0][illness]
                && table.rows[row][cost] != table.rows[0][cost]
        })
        .unwrap();
    let kind = table.rows[0][illness].clone();
    table.rows[0][illness] = table.rows[other][illness].clone();
    table.rows[other][illness] = kind;
    env.write("changed.csv", table.write(','));
    let run = env.run(
        "verify changed.csv --policy p.toml --certificate out.certificate.json --original people.csv --json",
    );
    assert_eq!(run.fails(1).json()["truth"]["holds"], false);
}

#[test]
fn whoever_knows_a_few_implications_is_sure_of_nobody() {
    let env = asking("{ ck_safety = { column = \"illness\", c = 0.7, knowledge = 2 } }", &[]);
    let release = env.run("release p.toml --json").ok().json();
    let stated = release["privacy"]["ck-safety: illness"]["achieved"].as_f64().unwrap();
    assert!(stated > 0.2 && stated < 0.7, "{stated}");
    env.run("verify out.csv --policy p.toml").ok();
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

#[test]
fn a_choice_that_depends_on_values_is_refused() {
    let env = asking("{ m_confidentiality = { column = \"illness\", m = 2 } }", &[]);
    let run = env.run("release p.toml").fails(1);
    assert!(run.said().contains("must not depend on its values"), "{}", run.said());
    assert!(!env.path("out.csv").exists());
    env.write("q.toml", env.text("p.toml").replace("k = 3", "k = 40"));
    let release = env.run("release q.toml --json").ok().json();
    let claim = &release["privacy"]["m-confidentiality: illness"];
    assert_eq!((claim["required"].as_f64(), claim["holds"].as_bool()), (Some(0.5), Some(true)));
    env.run("verify out.csv --policy q.toml --original people.csv").ok();
    // The node is that of k alone.
    env.write("k.toml", env.text("q.toml").replace("models = [", "# "));
    let plain = env.run("release k.toml --json --out plain.csv").ok().json();
    assert_eq!(plain["levels"], release["levels"]);
}
