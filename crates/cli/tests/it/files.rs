//! Real-world files from `inspect` to `verify`: standard input and output, cells that are not
//! written plainly, columns that can be read in two ways.

use crate::env::{Run, TestEnv};

/// Sixty rows with a title, decimal commas, euros and month names.
fn dirty() -> String {
    let mut text = String::from("Patients of 2020\n\nname;height;pay;born;sex\n");
    for i in 0..60 {
        let month = ["Jan", "Feb", "März", "Mai", "Okt", "Dez"][i % 6];
        text += &format!(
            "p{i};1{:02},{};{}.{:03},50 €;{:02}. {month} {};{}\n",
            50 + i % 40,
            i % 10,
            1 + i % 3,
            i * 7,
            1 + i % 28,
            1950 + i % 50,
            ["f", "m"][i % 2]
        );
    }
    text
}

#[track_caller]
fn prints(run: &Run, words: &[&str]) {
    for word in words {
        assert!(run.stdout.contains(word), "`{word}` is not printed\n{}", run.said());
    }
}

fn released(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|header| header.contains("height")) && lines.count() >= 20
}

#[test]
fn a_dirty_file_is_inspected_released_and_verified() {
    let env = TestEnv::with(&[("t.csv", &dirty())]);
    let run = env.run("inspect t.csv --write p.toml --k 2 --suppression 0.5").ok();
    prints(&run, &["detected: 2 lines above the header are skipped", "decimal `,`, thousands `.`, unit `€`"]);
    let policy = env.text("p.toml");
    for part in ["skip = 2", "height = { number = { decimal = \",\" } }", "format = \"%d. %b %Y\""] {
        assert!(policy.contains(part), "{part}\n{policy}");
    }
    prints(&env.run("release p.toml").ok(), &["read pay: numbers with decimal `,`"]);
    assert!(released(&env.text("t-release.csv")), "{}", env.text("t-release.csv"));
    env.run("verify t-release.csv --certificate t-certificate.json --policy p.toml --original t.csv").ok();
}

#[test]
fn standard_input_is_read_and_a_release_goes_to_standard_output() {
    let env = TestEnv::new();
    let table = dirty();
    let run = env.run_piped("inspect - --write p.toml --k 2 --suppression 0.5", table.as_bytes()).ok();
    prints(&run, &["detected: standard input holds csv"]);
    let policy = env.text("p.toml");
    assert!(policy.contains("path = \"-\"") && policy.contains("format = \"csv\""), "{policy}");
    let run = env.run_piped("release p.toml --out -", table.as_bytes());
    assert!(run.code == 0 && released(&run.stdout), "{}", run.said());
    assert!(run.stderr.contains("release     -"), "{}", run.said());
    assert!(env.path("table-certificate.json").exists() && env.path("table-report.html").exists());
    assert_eq!(env.json("table-certificate.json")["output"]["path"], "-");
    // The copies are gone.
    assert_eq!(std::fs::read_dir(env.path("tmp")).unwrap().count(), 0);
    env.write("bare.toml", policy.replace("certificate = \"table-certificate.json\"\n", ""));
    env.run_piped("release bare.toml --out -", table.as_bytes())
        .fails(2)
        .says(&["no folder for its certificate", "output.certificate"]);
}

#[test]
fn the_user_settles_what_can_be_read_in_two_ways() {
    let rows: String =
        (0..30).map(|i| format!("{:02}/{:02}/2020;{},500\n", 1 + i % 9, 2 + i % 7, 1 + i)).collect();
    let env = TestEnv::with(&[("t.csv", &format!("seen;pay\n{rows}"))]);
    prints(&env.run("inspect t.csv").ok(), &["--dates day-first", "--decimal"]);
    let run = env.run("inspect t.csv --write p.toml").fails(2);
    run.says(&["inspect.ambiguous-cells", "seen", "pay", "--dates day-first", "--decimal"]);
    assert!(!env.path("p.toml").exists());
    env.run("inspect t.csv --write p.toml --dates day-first --decimal ,").ok();
    let policy = env.text("p.toml");
    assert!(
        policy.contains("%d/%m/%Y") && policy.contains("pay = { number = { decimal = \",\" } }"),
        "{policy}"
    );
}

#[test]
fn the_user_says_whether_numbers_are_day_numbers_of_a_spreadsheet() {
    let rows: String = (0..60).map(|i| format!("{},{}\n", 44562 + 7 * (i % 20), 20 + i % 10)).collect();
    let env = TestEnv::with(&[("t.csv", &format!("Entlassdatum,age\n{rows}"))]);
    prints(&env.run("inspect t.csv").ok(), &["day numbers of a spreadsheet", "--serial-dates yes"]);
    let run = env.run("inspect t.csv --write p.toml").fails(2);
    run.says(&["inspect.ambiguous-cells", "Entlassdatum", "44562 for 2022-01-01", "--serial-dates no"]);
    env.run("inspect t.csv --write p.toml --serial-dates yes").ok();
    let policy = env.text("p.toml");
    assert!(policy.contains("Entlassdatum = { date = { format = \"serial\" } }"), "{policy}");
    assert!(policy.contains("levels = [\"month\""), "{policy}");
    env.run("release p.toml").ok();
    let release = env.text("t-release.csv");
    assert!(release.contains("2022-0") && !release.contains("445"), "{release}");
    env.run("inspect t.csv --write n.toml --serial-dates no").ok();
    assert!(!env.text("n.toml").contains("serial"));
    // A cell that is not a day number is refused with its line.
    env.write("t.csv", format!("Entlassdatum,age\n{rows}soon,30\n"));
    env.run("release p.toml").fails(2).says(&["62", "soon", "input.cells"]);
}

#[test]
fn values_that_differ_in_case_become_alike() {
    let rows: String =
        (0..60).map(|i| format!("{},{}\n", ["m", "M", "f", "f "][i % 4], 20 + i % 10)).collect();
    let env = TestEnv::with(&[("t.csv", &format!("sex,age\n{rows}"))]);
    let asked = ["outer spaces", "input.cells.sex = { text = \"lower\" }"];
    prints(&env.run("inspect t.csv --write p.toml --k 3").ok(), &asked);
    let policy =
        env.text("p.toml").replace("[output]", "[input.cells]\nsex = { text = \"lower\" }\n\n[output]");
    env.write("p.toml", policy);
    prints(&env.run("release p.toml").ok(), &["texts without outer spaces and in small letters"]);
    let release = env.text("t-release.csv");
    assert!(!release.contains('M') && !release.contains("f "), "{release}");
}

#[test]
fn excel_is_not_written() {
    let env = TestEnv::with(&[("t.csv", &dirty())]);
    env.run("inspect t.csv --write p.toml --k 2").ok();
    env.run("release p.toml --out out.xlsx")
        .fails(2)
        .says(&["Excel files cannot be written", "use .csv or .parquet"]);
}
