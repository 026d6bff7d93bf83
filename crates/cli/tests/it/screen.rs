//! `throng screen`: its output for synthetic patients, and what it rejects.

use throng::synth::patients;
use throng::watch::Watch;

use crate::env::TestEnv;

fn fixture() -> TestEnv {
    TestEnv::with(&[("p.csv", &patients::csv(2_000, 3, &Watch::none()).unwrap())])
}

#[test]
fn columns_are_kept_by_what_they_tell() {
    let env = fixture();
    let line = "screen p.csv --target charges --above 25000";
    let json = env.run(&format!("{line} --json")).ok().json();
    assert_eq!((json["rows"].as_u64(), json["target_values"].as_u64()), (Some(2000), Some(2)));
    let column = |name: &str| {
        let columns = json["columns"].as_array().unwrap();
        columns.iter().find(|c| c["column"] == name).unwrap_or_else(|| panic!("{name}: {json}")).clone()
    };
    // The diagnosis decides what is paid; so does the age, but not the single day of birth.
    assert_eq!(column("diagnosis")["keep"], true);
    assert!(column("diagnosis")["ratio"].as_f64().unwrap() > 3.0, "{json}");
    assert!(column("birth_date")["level"].as_u64() > Some(0), "{json}");
    assert_eq!(column("birth_date")["keep"], true, "{json}");
    assert_eq!(column("sex")["values"], 2);
    assert_eq!(json["left_out"], serde_json::json!(["name", "record_number", "note"]));
    let text = env.run(line).ok().stdout;
    assert!(text.contains("charges above 25000") && text.contains("MI random"), "{text}");
    assert_eq!(text, env.run(line).ok().stdout);
    assert_ne!(text, env.run(&format!("{line} --seed 2")).ok().stdout);
}

#[test]
fn wrong_targets_are_refused_with_the_remedy() {
    let env = fixture();
    env.run("screen p.csv --target charge").fails(2).says(&["did you mean `charges`?"]);
    env.run("screen p.csv --target record_number").fails(2).says(&["2000 values in 2000 rows", "--above"]);
    env.run("screen p.csv --target sex --above 1").fails(2).says(&["is not a number", "sex"]);
    env.run("screen p.csv --target sex --runs 0").fails(2).says(&["--runs"]);
}
