//! Mistakes in a policy: exit code 2, the place and the remedy, and nothing written.

use crate::env::TestEnv;
use crate::people::{people, policy};

/// What is wrong, what stands in the policy instead of what, and what the message must name.
struct Case {
    change: (&'static str, &'static str),
    says: &'static [&'static str],
}

const fn case(from: &'static str, to: &'static str, says: &'static [&'static str]) -> Case {
    Case { change: (from, to), says }
}

const CASES: &[Case] = &[
    // The grammar, at its line.
    case("k = 5", "k = = 5", &["p.toml:27", "k = = 5"]),
    case("[privacy]", "[privacy", &["p.toml:26", "[privacy"]),
    case("suppression = 0.05", "supression = 0.05", &["p.toml:28", "`supression`", "`suppression`"]),
    case("[privacy]", "[privacie]", &["p.toml:26", "`privacie`", "`privacy`"]),
    case("role = \"sensitive\"", "role = \"sensitive\"\nwieght = 2", &["p.toml", "`wieght`", "`weight`"]),
    case("role = \"sensitive\"", "role = \"sensible\"", &["p.toml:23", "`sensible`", "`sensitive`"]),
    case("{ intervals = {", "{ interval = {", &["p.toml:12", "\"interval\"", "\"intervals\""]),
    case(
        "{ postal = { keep = [3, 2] } }",
        "{ postal = { keap = [3, 2] } }",
        &["p.toml:15", "`keap`", "`keep`"],
    ),
    case("path = \"out.csv\"", "path = \"out.csv\"\nsuppressed = \"stared\"", &["`stared`", "`starred`"]),
    case("path = \"people.csv\"", "path = \"people.csv\"\nmissing = \"wild\"", &["`wild`", "`wildcard`"]),
    case(
        "path = \"people.csv\"",
        "path = \"people.csv\"\ndelimiter = \";;\"",
        &["p.toml:4", ";;", "character"],
    ),
    case(
        "path = \"people.csv\"",
        "path = \"people.csv\"\ndelimiter = \"é\"",
        &["p.toml:4", "one ASCII character"],
    ),
    case("path = \"people.csv\"", "path = \"people.csv\"\nquote = \",\"", &["input.quote", "same character"]),
    case("path = \"people.csv\"", "path = \"\"", &["p.toml:3", "input.path"]),
    case("version = 1", "version = 7", &["p.toml:1", "version 7", "version = 1"]),
    // The guarantee.
    case("k = 5", "k = -5", &["p.toml:27", "privacy.k", "-5", "a whole number from 1 up"]),
    case("k = 5", "k = 2.5", &["p.toml:27", "2.5"]),
    case("k = 5", "k = \"five\"", &["p.toml:27", "five"]),
    case("k = 5", "k = 0", &["p.toml:27", "privacy.k", "1 or more"]),
    case("k = 5\n", "", &["privacy", "requires no guarantee", "k = 5"]),
    case("k = 5", "k = 301", &["p.toml:27", "k = 301", "300 rows", "lower k"]),
    case("suppression = 0.05", "suppression = 5", &["p.toml:28", "5 is not a share", "0.05 is 5 %"]),
    case("suppression = 0.05", "suppression = -0.1", &["-0.1 is not a share"]),
    case("suppression = 0.05", "suppression = nan", &["p.toml:28", "is not a share"]),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[privacy.quasi.g]\ncolumns = [\"agee\"]\nk = 3",
        &["`agee`", "did you mean `age`"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[privacy.quasi.g]\ncolumns = [\"illness\"]\nk = 3",
        &["`illness`", "sensitive"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[privacy.quasi.g]\ncolumns = [\"age\"]\nk = 999",
        &["p.toml", "k = 999", "300 rows"],
    ),
    // The columns.
    case(
        "[columns.zip]",
        "[columns.zipp]",
        &["p.toml:13", "no such column", "did you mean `zip`", "what to do with `zip`"],
    ),
    case(
        "[columns.cost]\nrole = \"keep\"\n",
        "",
        &["what to do with `cost`", "[columns.cost] role = \"identifier\" | \"subject\""],
    ),
    case(
        "[columns.city]\nrole = \"quasi\"",
        "[columns.city]\nrole = \"quasi\"\nmax_level = 7",
        &["p.toml:20", "no level 7", "levels 0 to 1"],
    ),
    case(
        "[columns.city]\nrole = \"quasi\"",
        "[columns.city]\nrole = \"quasi\"\nmin_level = 7",
        &["p.toml:20", "no level 7", "levels 0 to 1"],
    ),
    case(
        "high = 100 } }",
        "high = 100 } }\nmin_level = 3\nmax_level = 1",
        &["min_level 3 is above max_level 1"],
    ),
    case("high = 100 } }", "high = 100 } }\nmax_level = -1", &["p.toml:13", "-1"]),
    case("high = 100 } }", "high = 100 } }\nweight = -2", &["p.toml:13", "weight", "0 or more"]),
    case(
        "role = \"sensitive\"",
        "role = \"sensitive\"\nhierarchy = \"suppress\"",
        &["\"sensitive\" is not generalized", "role = \"quasi\""],
    ),
    case("[5, 10, 20]", "[5, 12]", &["p.toml:12", "columns.age", "width 12 is not a multiple of width 5"]),
    case("[5, 10, 20]", "[]", &["columns.age"]),
    case("[3, 2]", "[2, 3]", &["p.toml:15", "columns.zip", "[2, 3]"]),
    case("{ postal = { keep = [3, 2] } }", "{ date = { levels = [\"weak\"] } }", &["columns.zip", "weak"]),
    // The search.
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nalgorithm = \"datafly\"\nprefer = \"suppression\"",
        &["p.toml", "\"datafly\" has no preference", "samarati"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nprefer = \"2 * suppresed + level(agee)\"",
        &["p.toml", "search.prefer", "(character 5)", "did you mean `suppressed`?"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nalgorithm = \"mondrian\"\nchoose = \"rnage\"",
        &["p.toml", "search.choose", "did you mean `range`?"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nalgorithm = \"samarati\"\nprefer = \"suppresion\"",
        &["p.toml", "did you mean `suppression`"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nalgorithm = \"olaa\"",
        &["p.toml:30", "\"olaa\"", "did you mean \"ola\"", "mingen"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nalgorithm = \"oracle\"",
        &["\"oracle\"", "algorithms are best, auto"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nloss = \"entropi\"",
        &["p.toml:30", "\"entropi\"", "did you mean \"entropy\""],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nloss = { name = \"lm\", aggregate = \"geo\" }",
        &["p.toml:30", "search.loss.aggregate", "`geo`", "`geometric`"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nloss = { name = \"lm\", tradof = 0.3 }",
        &["p.toml:30", "`tradof`", "did you mean `tradeoff`?"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nloss = { name = \"lm\", tradeoff = 3 }",
        &["p.toml:30", "3 is not a trade-off", "from 0"],
    ),
    case(
        "suppression = 0.05",
        "suppression = 0.05\n[search]\nlinked = [[\"age\", \"zipp\"]]",
        &["`zipp`", "did you mean `zip`"],
    ),
    case("suppression = 0.05", "suppression = 0.05\n[search]\nlinked = [[\"age\"]]", &["two or more"]),
    case("suppression = 0.05", "suppression = 0.05\n[search]\nseed = -1", &["p.toml:30", "-1"]),
    // Profiles, anonymity levels and pseudonyms.
    case(
        "high = 100 } }",
        "high = 100 } }\ntolerance = 1.5",
        &["p.toml:13", "columns.age.tolerance", "1.5 is not from 0 to 1"],
    ),
    case(
        "high = 100 } }",
        "high = 100 } }\nlinking = 0.5",
        &["p.toml:13", "\"auto\" does not use profiles", "\"datafly\""],
    ),
    case(
        "role = \"sensitive\"",
        "role = \"sensitive\"\ntolerance = 0.5",
        &["p.toml:24", "columns.illness.tolerance", "role = \"quasi\""],
    ),
    case("high = 100 } }", "high = 100 } }\ntolerence = 0.5", &["`tolerence`", "`tolerance`"]),
    case("k = 5", "k = 5\nanonymity = 0.7", &["p.toml:28", "both given"]),
    case("k = 5", "anonymity = 0", &["p.toml:27", "would release the original"]),
    case("k = 5", "anonymity = 0.7", &["p.toml:27", "k = 383", "300 rows"]),
    case(
        "k = 5",
        "anonymity = 0.7\nanonymity_table = [[0.5, 9], [0.9, 4]]",
        &["p.toml:28", "does not rise from [0.5, 9] to [0.9, 4]"],
    ),
    case(
        "role = \"sensitive\"",
        "role = \"sensitive\"\ntransform = { substitute = { key_file = \"k\" } }",
        &["p.toml:24", "only an identifier", "\"sensitive\""],
    ),
    case(
        "[columns.city]\nrole = \"quasi\"",
        "[columns.city]\nrole = \"quasi\"\ntransform = { substitute = { key_file = \"k\" } }",
        &["p.toml:20", "only an identifier", "a quasi-identifier is generalized"],
    ),
    case(
        "[columns.id]\nrole = \"identifier\"",
        "[columns.id]\nrole = \"identifier\"\ntransform = { substitute = {} }",
        &["p.toml:8", "where the key is", "key_env"],
    ),
    case(
        "[columns.id]\nrole = \"identifier\"",
        "[columns.id]\nrole = \"identifier\"\ntransform = { substitute = { key_file = \"a\", key_env = \"B\" } }",
        &["p.toml:8", "two places for one key"],
    ),
    case(
        "[columns.id]\nrole = \"identifier\"",
        "[columns.id]\nrole = \"identifier\"\ntransform = { substitute = { key = \"a\" } }",
        &["p.toml:8", "`key`", "`key_file`"],
    ),
    case(
        "[columns.id]\nrole = \"identifier\"",
        "[columns.id]\nrole = \"identifier\"\ntransform = { swap = {} }",
        &["p.toml:8", "\"swap\"", "substitute"],
    ),
    // The output.
    case("\"out.csv\"", "\"out\"", &["p.toml:5", "`out` does not show the format", ".parquet"]),
    case("path = \"out.csv\"\n", "", &["output.path", "--out"]),
];

#[test]
fn mistakes_are_shown_at_their_line_and_leave_nothing_behind() {
    let people = people(300, 81).write(',');
    for Case { change, says } in CASES {
        let env = TestEnv::with(&[("people.csv", &people), ("p.toml", &policy(&[*change]))]);
        let before = env.listing();
        let run = env.run("release p.toml").fails(2);
        run.says(says);
        assert_eq!(run.stdout, "", "{}", run.said());
        assert_eq!(env.listing(), before, "{}", run.said());
        assert!(!run.stderr.contains("José"), "{}", run.said());
    }
}

#[test]
fn several_mistakes_are_told_at_once() {
    let changes = [("k = 5", "k = 0"), ("suppression = 0.05", "suppression = 5"), ("\"out.csv\"", "\"out\"")];
    let env = TestEnv::with(&[("people.csv", &people(50, 82).write(',')), ("p.toml", &policy(&changes))]);
    env.run("release p.toml").fails(2).says(&[
        "k must be 1 or more",
        "5 is not a share",
        "does not show the format",
    ]);
}

#[test]
fn what_is_no_policy_is_told_as_such() {
    let env = TestEnv::new();
    env.write("people.csv", people(50, 83).write(','));
    env.write("binary.toml", (0..=255).collect::<Vec<u8>>());
    env.write("empty.toml", "");
    std::fs::create_dir(env.path("folder.toml")).unwrap();
    let before = env.listing();
    let cases: &[(&str, &[&str])] = &[
        ("binary.toml", &["binary.toml", "not UTF-8 text", "TOML"]),
        ("empty.toml", &["empty.toml", "version"]),
        ("nope.toml", &["nope.toml", "there is no such file", "throng inspect TABLE --write"]),
        ("folder.toml", &["folder.toml", "cannot be read"]),
        ("people.csv", &["people.csv"]),
    ];
    for (policy, words) in cases {
        let run = env.run(&format!("release {policy}")).fails(2);
        run.says(words);
        env.run(&format!("verify people.csv --policy {policy}")).fails(2).says(words);
        assert!(!run.stderr.contains("Zoë") && !run.stderr.contains("José"), "{}", run.said());
    }
    assert_eq!(env.listing(), before);
}

#[test]
fn without_a_solution_the_advice_works() {
    let people = people(300, 84).write(',');
    let limited = [
        ("high = 100 } }", "high = 100 } }\nmax_level = 2"),
        ("keep = [3, 2] } }", "keep = [3, 2] } }\nmax_level = 1"),
        ("k = 5", "k = 7"),
    ];
    let asked = |suppression: &str| {
        let share = format!("suppression = {suppression}");
        let changes = [&limited[..], &[("suppression = 0.05", share.as_str())]].concat();
        TestEnv::with(&[("people.csv", &people), ("p.toml", &policy(&changes))])
    };
    let env = asked("0");
    let before = env.listing();
    let run = env.run("release p.toml").fails(1);
    run.says(&[
        "p.toml:30",
        "privacy.suppression",
        "no generalization is safe",
        "of 300 rows",
        "0 are allowed",
        "lower k",
    ]);
    assert_eq!(env.listing(), before);
    assert_eq!(run.stdout, "");

    let message = run.message();
    let advice = message.split("raise privacy.suppression to ").nth(1).expect("a share is advised");
    let advice = advice.split(' ').next().unwrap();
    asked(advice).run("release p.toml").ok();
    // One row less is not enough.
    let less = advice.parse::<f64>().unwrap() - 1.0 / 300.0 - 0.0001;
    asked(&less.to_string()).run("release p.toml").fails(1);

    // The other advice, where there is some.
    if let Some(level) = message.split("raise max_level of `age` to ").nth(1) {
        let level = level.split([',', ' ']).next().unwrap();
        env.write("p.toml", env.text("p.toml").replace("max_level = 2", &format!("max_level = {level}")));
        env.run("release p.toml").ok();
    }
}
