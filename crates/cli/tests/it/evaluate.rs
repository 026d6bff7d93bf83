//! `throng evaluate` and `throng stats --impute`: what they print, write and refuse.

use serde_json::Value;

use crate::env::TestEnv;

const POLICY: &str = "\
version = 1
input.path = 't.csv'
columns.age = { role = 'quasi', hierarchy = { intervals = { widths = [10, 20] } } }
columns.sex.role = 'quasi'
columns.town = { role = 'quasi', hierarchy = { order = { values = ['A', 'B', 'C', 'D'], fanout = [2] } } }
columns.ill.role = 'target'
columns.cost.role = 'keep'
privacy = { k = 4, suppression = 0.1 }
output.path = 'r.csv'
";

/// Rows whose illness and cost follow from age and town.
fn table(rows: u64) -> String {
    let mut state = 11u64;
    let mut draw = |of: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % of
    };
    let mut text = String::from("age,sex,town,ill,cost\n");
    for _ in 0..rows {
        let (age, sex, town) = (20 + draw(60), draw(2), draw(4));
        let ill = (age > 50 && town < 2) != (draw(10) == 0);
        let cost = 10 * age + 100 * town + draw(40);
        let (sex, town) = (["f", "m"][sex as usize], ["A", "B", "C", "D"][town as usize]);
        text += &format!("{age},{sex},{town},{},{cost}\n", if ill { "yes" } else { "no" });
    }
    text
}

fn env() -> TestEnv {
    TestEnv::with(&[("t.csv", &table(600)), ("p.toml", POLICY)])
}

#[test]
fn json_has_scores_losses_and_correlations() {
    let env = env();
    let line =
        "evaluate p.toml --k 2,5,20 --by sex --model naive-bayes,logistic,tree,boosting --seconds 5 --json";
    let json = env.run(line).ok().json();
    assert_eq!(json["target"], "ill");
    assert_eq!(json["original"].as_array().unwrap().len(), 4);
    assert!(json["original"][1]["auc"].as_f64().unwrap() > 0.8, "{}", json["original"]);
    assert_eq!(json["original"][0]["groups"].as_array().unwrap().len(), 2);
    let settings = json["settings"].as_array().unwrap();
    assert_eq!(settings.len(), 9, "best, mondrian and auto with three k");
    for setting in settings {
        assert_eq!(setting["models"].as_array().unwrap().len(), 8, "direct and middle");
        for key in ["lm", "entropy", "dm", "cm"] {
            assert!(setting["losses"][key].is_number() || key == "dm", "{key}: {}", setting["losses"]);
        }
        assert!(setting["similarity"]["pmse_ratio"].as_f64().unwrap() >= 0.0);
        assert!(setting["selected"]["recipe"].is_string(), "{setting}");
    }
    let first = &json["correlations"][0]["scores"]["auc"];
    assert!(first["spearman"].as_f64().unwrap().abs() > 0.3 && first["pearson"].is_number(), "{first}");
    assert!(json["selection"]["tried"].as_u64().unwrap() >= 4);
    assert_eq!(json["finished"], true);
}

#[test]
fn the_same_table_has_the_same_answer_at_any_thread_count_and_order() {
    let env = env();
    let line = "evaluate p.toml --k 3 --method mondrian --model tree,logistic --json";
    let json = env.run(line).ok().json();
    let mut lines: Vec<String> = table(600).lines().map(String::from).collect();
    lines[1..].reverse();
    env.write("t.csv", &(lines.join("\n") + "\n"));
    assert_eq!(env.run(line).ok().json(), json);
}

#[test]
fn text_and_page_are_written() {
    let env = env();
    let run =
        env.run("evaluate p.toml --target cost --k 2,10 --model linear,tree --by town --out e.html").ok();
    let text = &run.stdout;
    assert!(text.contains("learned from the original") && text.contains("R² by town"), "{text}");
    let page = env.text("e.html");
    assert!(
        page.contains("What models learn") && page.contains("Who pays for privacy") && page.contains("<svg")
    );
    assert!(!env.names().contains(&"r.csv".to_owned()), "nothing is released");
    env.run("evaluate p.toml --out e.html").fails(2);
}

#[test]
fn what_cannot_be_evaluated_has_a_code() {
    let env = env();
    let code = |line: &str| -> String {
        let run = env.run(&format!("evaluate p.toml {line} --json")).fails(2);
        let error: Value = serde_json::from_str(&run.stderr).unwrap();
        error["error"]["faults"][0]["code"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(code("--target age"), "evaluate.changed-target");
    assert_eq!(code("--target ils"), "evaluate.no-such-column");
    assert_eq!(code("--model forrest"), "evaluate.unknown-model");
    assert_eq!(code("--model linear"), "predict.wrong-kind-of-target");
    assert_eq!(code("--by age"), "evaluate.too-many-groups");
    assert_eq!(code("--holdout 0.99"), "evaluate.too-few-rows");
    env.write("p.toml", POLICY.replace("columns.ill.role = 'target'", "columns.ill.role = 'keep'"));
    assert_eq!(code(""), "evaluate.no-target");
}

#[test]
fn open_cells_are_imputed_and_marked() {
    let env = env();
    env.run("release p.toml").ok();
    let json = env.run("stats r.csv --policy p.toml --impute filled.csv --imputations 3 --json").ok().json();
    let rows = json["(imputation)"]["rows"].as_u64().unwrap() as usize;
    assert!(json["age"]["imputation"]["filled"].as_u64().unwrap() > 0, "{json}");
    let filled = env.text("filled.csv");
    assert_eq!(filled.lines().count(), 1 + 3 * rows);
    assert_eq!(filled.lines().next(), Some("imputation,age,sex,town,ill,cost,imputed"));
    assert!(!filled.contains('[') && filled.lines().any(|line| line.ends_with("age")), "{filled}");
    let text = env.run("stats r.csv --policy p.toml --impute filled.csv --force").ok();
    assert!(text.stdout.contains("5 times each") && text.stdout.contains("complete    "));
}
