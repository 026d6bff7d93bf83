//! Models of the whole table, from the policy to the verdict: what is released is judged by
//! counting.

use std::collections::BTreeMap;

use throng::release::Certificate;

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

const MODELS: [&str; 6] = [
    "{ sample_uniqueness = { max = 0.05 } }",
    "{ average_risk = { max = 0.2 } }",
    "{ strict_average_risk = { max = 0.15, k = 4 } }",
    "{ population_uniqueness = { population = 50000, max = 0.01 } }",
    "{ profitability = { publisher_benefit = 10, publisher_loss = 50, adversary_gain = 300, adversary_cost = 75, kind = \"payout\" } }",
    "{ rare_values = { k = 20, columns = [\"illness\", \"sex\"], judge = \"release\" } }",
];

/// People and a policy with these models and no k.
fn asking(models: &[&str], more: &[(&str, &str)]) -> TestEnv {
    let line = format!("models = [{}]", models.join(",\n"));
    let changes = [&[("k = 5", line.as_str()), ("suppression = 0.05", "suppression = 0.1")], more].concat();
    TestEnv::with(&[("people.csv", &people(600, 5).write(',')), ("p.toml", &policy(&changes))])
}

/// The rows of every class.
fn sizes(table: &Table) -> Vec<usize> {
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in &table.rows {
        *classes.entry(at.iter().map(|&i| row[i].as_str()).collect()).or_default() += 1;
    }
    classes.into_values().collect()
}

#[test]
fn several_models_of_the_table_hold_together() {
    let env = asking(&MODELS, &[]);
    let release = env.run("release p.toml --json").ok().json();
    let table = Table::read(&env.bytes("out.csv"), ',');
    let sizes = sizes(&table);
    let (classes, rows) = (sizes.len() as f64, table.rows.len() as f64);
    assert!(sizes.len() > 1 && classes / rows <= 0.15 && sizes.iter().all(|&size| size >= 4));
    for claim in ["average risk", "strict average risk"] {
        let reached = release["privacy"][claim]["achieved"].as_f64().unwrap();
        assert!((reached - classes / rows).abs() < 1e-12, "{claim}");
    }
    for column in ["illness", "sex"] {
        let values = table.column(column);
        assert!(values.iter().all(|v| *v == "*" || values.iter().filter(|o| o == &v).count() >= 20));
    }
    let verdict = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    let claims = release["privacy"].as_object().unwrap();
    assert_eq!(claims.len(), MODELS.len());
    for claim in claims.keys() {
        assert_eq!(verdict[claim]["holds"], true, "{claim}");
        assert_eq!(verdict[claim].get("unchecked"), None, "{claim}");
    }
    // The loss of cells follows from hierarchies that the original defines.
    let verdict = env.run("verify out.csv --policy p.toml --json").ok().json();
    assert_eq!(verdict["profitability: payout"]["unchecked"], true);
    assert_eq!(verdict["strict average risk"].get("unchecked"), None);
}

#[test]
fn lost_rows_and_forged_figures_are_found() {
    let env = asking(&MODELS[..4], &[]);
    env.run("release p.toml").ok();
    let claims = ["sample uniqueness", "strict average risk", "dankar population uniqueness"];
    for claim in claims {
        let mut c: Certificate = serde_json::from_value(env.json("out.certificate.json")).unwrap();
        let stated = c.release.privacy.get_mut(claim).unwrap();
        stated.achieved = stated.achieved.map(|figure| figure + 0.001);
        let sealed = Certificate::new(c.release, c.columns, c.classes).unwrap();
        env.write("forged.json", serde_json::to_string(&sealed).unwrap());
        let line = "verify out.csv --policy p.toml --certificate forged.json --json";
        assert_eq!(env.run(line).fails(1).json()[claim]["holds"], false, "{claim}");
    }
    // One row of a class is left of it.
    let mut table = Table::read(&env.bytes("out.csv"), ',');
    let at: Vec<usize> = QUASI.iter().map(|c| table.at(c)).collect();
    let first = table.rows[0].clone();
    let mut seen = false;
    table.rows.retain(|row| {
        let same = at.iter().all(|&i| row[i] == first[i]);
        !same || !std::mem::replace(&mut seen, true)
    });
    env.write("out.csv", table.write(','));
    let verdict = env.run("verify out.csv --policy p.toml --json").fails(1).json();
    assert_eq!(verdict["strict average risk"]["holds"], false);
    assert!(verdict["strict average risk"]["found"].as_str().unwrap().contains("1 rows, 4 are required"));
    assert_eq!(verdict["sample uniqueness"]["holds"], false, "it is not the certified one");
}

#[test]
fn what_no_table_can_reach_is_refused() {
    for (model, parts) in [
        (
            "{ population_uniqueness = { population = 600, max = 0.1 } }",
            ["population_uniqueness.population", "not larger than the table", "sample_uniqueness"],
        ),
        ("{ average_risk = { max = 0.001 } }", ["average_risk.max", "600 rows", "raise max"]),
        (
            "{ strict_average_risk = { max = 0.1, k = 601 } }",
            ["strict_average_risk.k", "larger than the table", "lower k"],
        ),
        ("{ rare_values = { k = 3 } }", ["rare_values.k", "every value of `cost`", "list other `columns`"]),
    ] {
        let run = asking(&[model], &[]).run("release p.toml").fails(2);
        for part in parts {
            assert!(run.said().contains(part), "{} lacks {part}", run.said());
        }
    }
}

/// Nine people with flu and one with something rare in one place, and twelve elsewhere.
fn one_rare() -> String {
    let rows = |place: &str, ill: &str, n: usize| format!("{place},{ill},7\n").repeat(n);
    [
        "place,ill,age\n".to_owned(),
        rows("x", "flu", 9),
        rows("x", "RARE", 1),
        rows("y", "cold", 6),
        rows("z", "flu", 6),
    ]
    .concat()
}

#[test]
fn rare_values_of_the_table_cost_a_cell_or_a_row() {
    let text = |delete: &str| {
        format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"out.csv\"\n[columns.place]\nrole = \"quasi\"\n\
             [columns.ill]\nrole = \"sensitive\"\n[columns.age]\nrole = \"keep\"\n\
             [privacy]\nk = 3\nsuppression = 0.1\nmodels = [{{ rare_values = {{ k = 3, delete = \"{delete}\" }} }}]\n"
        )
    };
    for (delete, rows, cells) in [("cells", 0, 1), ("rows", 1, 0)] {
        let env = TestEnv::with(&[("t.csv", &one_rare()), ("p.toml", &text(delete))]);
        let release = env.run("release p.toml --json").ok().json();
        assert_eq!((&release["withheld"], &release["deleted"]["rows"]), (&rows.into(), &rows.into()));
        assert_eq!(release["deleted"]["cells"]["ill"].as_u64().unwrap_or(0), cells);
        let mut out = Table::read(&env.bytes("out.csv"), ',');
        assert_eq!(out.rows.len() as u64, 22 - rows);
        assert!(!out.column("ill").contains(&"RARE"));
        assert_eq!(out.column("ill").iter().filter(|cell| cell.is_empty()).count() as u64, cells);
        assert!(env.text("out.report.html").contains("with rare values were deleted"));
        assert!(env.run("release p.toml").ok().said().contains("because of rare values"));
        env.run("verify out.csv --policy p.toml --original t.csv").ok();
        let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
        assert_eq!(alone["rare values"]["unchecked"], true);
        // A rare value that is put back is found, wherever it is.
        let at = out.at("ill");
        out.rows[0][at] = "RARE".into();
        env.write("out.csv", out.write(','));
        let verdict = env.run("verify out.csv --policy p.toml --original t.csv --json").fails(1).json();
        assert_eq!(verdict["truth"]["holds"], false);
    }
}
