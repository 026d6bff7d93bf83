//! Policies: what is accepted, and the message of every error.

use throng::error::Error;
use throng::policy::{ANONYMITY_TABLE, Missing, Policy, Role};

const GOOD: &str = r#"
version = 1
[input]
path = "patients.csv"
delimiter = ";"
null = ["", "NA"]
missing = "wildcard"
[output]
path = "release.parquet"
[columns.ssn]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }
max_level = 2
weight = 2.0
[columns.zip]
role = "quasi"
hierarchy = { mask = { from = "right" } }
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 5
suppression = 0.05
[privacy.quasi.voters]
columns = ["age", "zip"]
k = 10
[search]
loss = { name = "lm", aggregate = "geometric" }
linked = [["age", "zip"]]
"#;

fn wrong(from: &str, to: &str) -> Error {
    assert!(GOOD.contains(from), "{from}");
    Policy::parse(&GOOD.replace(from, to)).expect_err(to)
}

/// Replaces part of the good policy; the error must say these things, of TOML and of JSON.
fn says(from: &str, to: &str, parts: &[&str]) {
    let error = wrong(from, to);
    let json = as_json(&GOOD.replace(from, to)).map(|text| Policy::parse(&text).expect_err(&text));
    for part in parts {
        assert!(error.to_string().contains(part), "{to}: {error} lacks {part}");
        let same = json.as_ref().is_none_or(|json| json.to_string().contains(part));
        assert!(same, "{to}: {json:?} lacks {part}");
    }
}

/// A TOML document as JSON; none if it has a number that JSON does not have.
fn as_json(text: &str) -> Option<String> {
    let table: toml::Table = toml::from_str(text).unwrap();
    let json = serde_json::to_string_pretty(&table).unwrap();
    (!json.contains("null,") && !json.contains("null\n")).then_some(json)
}

/// A model that holds because nothing was chosen by values does not hold beside one that suppresses
/// by them.
#[test]
fn nothing_that_looks_at_values_goes_with_m_confidentiality() {
    let text = "version = 1\n[input]\npath = \"x.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n\
                [privacy]\nk = 2\nmodels = [ { m_confidentiality = { column = \"ill\", m = 2 } }, MORE ]\n";
    let problem = |more: &str| {
        let policy = Policy::parse(&text.replace("MORE", more)).unwrap();
        let mut tuples = throng::tuples::Tuples::new(2);
        for row in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            tuples.insert(&row, 1);
        }
        let grouped = throng::search::Grouped {
            names: vec!["age".into()],
            measured: vec!["ill".into()],
            dictionaries: vec![
                throng::table::Dictionary::of([Some("1"), Some("2")]),
                throng::table::Dictionary::of([Some("flu"), Some("cold")]),
            ],
            tuples,
            population: None,
        };
        throng::search::Problem::new(&policy, grouped, &|_| unreachable!()).err().map(|e| e.to_string())
    };
    assert_eq!(problem(""), None);
    assert_eq!(problem("{ rare_values = { k = 2, columns = [\"age\"] } }"), None);
    let said = problem("{ rare_values = { k = 2, columns = [\"ill\"] } }").unwrap();
    assert!(said.contains("rare values") && said.contains("m-confidentiality: ill"), "{said}");
}

#[test]
fn a_policy_is_read_and_written() {
    let policy = Policy::parse(GOOD).unwrap();
    assert_eq!(policy.input.missing, Missing::Wildcard);
    assert_eq!(policy.with_role(Role::Quasi), ["age", "zip"]);
    assert_eq!(policy.privacy.quasi["voters"].k, 10);
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    assert_eq!(Policy::parse(&policy.to_json().unwrap()).unwrap(), policy);
    assert_eq!(Policy::parse(&as_json(GOOD).unwrap()).unwrap(), policy);
}

#[test]
fn mistakes_are_named_with_their_remedy() {
    says("version = 1", "version = 2", &["version", "version = 1"]);
    says("role = \"sensitive\"", "role = \"sensible\"", &["sensible", "sensitive"]);
    says("max_level = 2", "max_levle = 2", &["max_levle", "max_level"]);
    says("suppression = 0.05", "suppression = 5", &["privacy.suppression", "0.05 is 5 %"]);
    says("k = 5", "k = 0", &["privacy.k", "1 or more"]);
    says(
        "role = \"sensitive\"",
        "role = \"sensitive\"\nmax_level = 1",
        &["columns.diagnosis.max_level", "role = \"quasi\""],
    );
    says(
        "columns = [\"age\", \"zip\"]",
        "columns = [\"age\", \"zap\"]",
        &["privacy.quasi.voters.columns", "did you mean `zip`?"],
    );
    says("columns = [\"age\", \"zip\"]", "columns = [\"age\", \"ssn\"]", &["role \"identifier\""]);
    says("linked = [[\"age\", \"zip\"]]", "linked = [[\"age\"]]", &["search.linked", "two or more"]);
    says("weight = 2.0", "weight = -1.0", &["columns.age.weight", "0 or more"]);
    says("delimiter = \";\"", "delimiter = \"é\"", &["input.delimiter", "ASCII"]);
    says("path = \"release.parquet\"", "path = \"release.xls\"", &["output.path", ".parquet"]);
    says("mask =", "masc =", &["masc", "did you mean \"mask\"?", "intervals"]);
}

#[test]
fn mistakes_of_grammar_name_the_key_and_what_is_valid() {
    says(
        "max_level = 2",
        "max_levle = 2",
        &["columns.age.max_levle", "did you mean `max_level`?", "`weight`"],
    );
    says(
        "role = \"sensitive\"",
        "role = \"sensible\"",
        &["columns.diagnosis.role", "did you mean `sensitive`?"],
    );
    says("[privacy]", "[privacie]", &["`privacie`", "did you mean `privacy`?"]);
    says("k = 5", "k = -5", &["privacy.k: ", "`-5`", "a whole number from 1 up"]);
    says("k = 5", "k = 2.5", &["privacy.k: ", "`2.5`", "a whole number from 1 up"]);
    says("k = 10", "k = \"ten\"", &["privacy.quasi.voters.k: ", "ten", "a whole number from 1 up"]);
    says("max_level = 2", "max_level = -1", &["columns.age.max_level: ", "`-1`", "a whole number from 0 up"]);
    says("suppression = 0.05", "suppression = \"5 %\"", &["privacy.suppression: ", "5 %", "a number"]);
    says("columns = [\"age\", \"zip\"]", "columns = \"age\"", &["privacy.quasi.voters.columns", "a list"]);
    says("version = 1", "", &["version"]);
    let file = |to: &str| says("{ mask = { from = \"right\" } }", to, &["a file is its path, or a table"]);
    file("{ file = { pth = \"x.csv\" } }");
}

#[test]
fn mistakes_in_a_loss_name_the_key_and_what_is_valid() {
    let loss = |to: &str, parts: &[&str]| {
        says("loss = { name = \"lm\", aggregate = \"geometric\" }", &format!("loss = {to}"), parts);
    };
    loss(
        "{ name = \"lm\", agregate = \"sum\" }",
        &["search.loss.agregate", "did you mean `aggregate`?", "`tradeoff`"],
    );
    loss("{ name = \"lm\", aggregate = \"geo\" }", &["search.loss.aggregate", "`geo`", "`geometric`"]);
    loss("{ name = \"lm\", tradeoff = \"half\" }", &["search.loss.tradeoff", "half", "a number"]);
    loss("{ name = \"lm\", tradeoff = 1.5 }", &["search.loss.tradeoff: 1.5", "from 0"]);
    loss("{ name = \"height\", tradeoff = 0.3 }", &["search.loss.tradeoff", "\"height\"", "\"lm\""]);
    loss("{ aggregate = \"sum\" }", &["missing field `name`"]);
    loss("5", &["search.loss", "`5`", "the name of a loss, or a table"]);
    for name in ["\"cm\"", "\"column-mi\"", "\"value-mi\""] {
        loss(name, &["search.loss", name, "\"target\"", "role = \"target\""]);
    }
    loss("\"conditional_entropy\"", &["search.loss", "did you mean \"conditional-entropy\"?"]);
    loss("{ name = \"conditional-entropy\", count_suppressed = false }", &["\"entropy\" is the form"]);
    let target = GOOD.replace("role = \"sensitive\"", "role = \"target\"");
    let target =
        target.replace("{ name = \"lm\", aggregate = \"geometric\" }", "{ name = \"cm\", tradeoff = 0 }");
    let policy = Policy::parse(&target).unwrap();
    assert_eq!(policy.search.loss.parameters().tradeoff, Some(0.0));
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
}

#[test]
fn profiles_are_for_datafly_and_from_0_to_1() {
    let with = |lines: &str| format!("weight = 2.0\n{lines}");
    let datafly = |lines: &str| {
        let text = GOOD.replace("weight = 2.0", &with(lines));
        Policy::parse(&text.replace("[search]", "[search]\nalgorithm = \"datafly\""))
    };
    for value in ["-0.1", "1.01", "nan", "inf"] {
        for key in ["tolerance", "linking"] {
            let error = datafly(&format!("{key} = {value}")).unwrap_err().to_string();
            assert!(
                error.contains(&format!("columns.age.{key}")) && error.contains("from 0 to 1"),
                "{error}"
            );
        }
    }
    let policy = datafly("tolerance = 0\nlinking = 1").unwrap();
    assert_eq!(policy.columns["age"].tolerance, Some(0.0));
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    says("weight = 2.0", &with("linking = 0.5"), &["columns.age.linking", "\"best\"", "\"datafly\""]);
    says(
        "role = \"sensitive\"",
        "role = \"sensitive\"\ntolerance = 0.5",
        &["columns.diagnosis.tolerance", "role \"sensitive\"", "role = \"quasi\""],
    );
}

#[test]
fn an_anonymity_level_is_turned_into_k() {
    let parse = |lines: &str| Policy::parse(&GOOD.replace("k = 5", lines));
    let k = |lines: &str| parse(lines).unwrap().privacy.k();
    for (level, expected) in ANONYMITY_TABLE {
        assert_eq!(k(&format!("anonymity = {level}")), Some(expected));
        // What was printed for 54,805 voters is one percent of the level's share of them.
        assert_eq!((level * 548.05) as u64, expected);
    }
    assert_eq!(k("anonymity = 0.05"), Some(54));
    assert_eq!(k("anonymity = 0.71"), Some(438), "a level between two is protected as the higher one");
    assert_eq!(k("anonymity = 0.3\nanonymity_table = [[0.2, 3], [0.4, 9], [1, 20]]"), Some(9));
    let policy = parse("anonymity = 0.3").unwrap();
    let text = policy.to_toml().unwrap();
    assert!(text.contains("anonymity = 0.3") && !text.contains("k = 164"), "{text}");
    assert_eq!(Policy::parse(&text).unwrap(), policy);
}

#[test]
fn anonymity_levels_that_say_nothing_are_refused() {
    let level = |to: &str, parts: &[&str]| says("k = 5", to, parts);
    level("k = 5\nanonymity = 0.5", &["privacy.anonymity", "both given"]);
    level("anonymity = 0", &["privacy.anonymity", "the original", "k = 1"]);
    level("anonymity = 1.5", &["privacy.anonymity", "from 0 to 1"]);
    level("anonymity = nan", &["privacy.anonymity", "from 0 to 1"]);
    level("anonymity = 0.95", &["privacy.anonymity", "ends at 0.9", "anonymity_table"]);
    level("anonymity = 1", &["privacy.anonymity", "\"best\"", "\"datafly\""]);
    level("k = 5\nanonymity_table = [[0.5, 5]]", &["privacy.anonymity_table", "is not used"]);
    let table =
        |table: &str, parts: &[&str]| level(&format!("anonymity = 0.5\nanonymity_table = {table}"), parts);
    table("[]", &["privacy.anonymity_table", "has no levels"]);
    table("[[0.5, 9], [0.9, 4]]", &["does not rise from [0.5, 9] to [0.9, 4]"]);
    table("[[0.9, 4], [0.5, 9]]", &["does not rise"]);
    table("[[0.5, 4], [0.5, 9]]", &["does not rise"]);
    table("[[0.5, 4], [0.9, 4]]", &["does not rise"]);
    table("[[0.5, 0]]", &["at least 1"]);
    table("[[0, 2], [0.5, 4]]", &["above 0"]);
    table("[[0.5, 4], [nan, 9]]", &["anonymity_table"]);
}

#[test]
fn several_mistakes_are_told_at_once_each_at_its_place() {
    let text = GOOD.replace("k = 5", "k = 0").replace("weight = 2.0", "weight = -2.0").replace("0.05", "7.0");
    let error = Policy::parse(&text).unwrap_err();
    assert_eq!(error.faults().len(), 3);
    for fault in error.faults() {
        let span = fault.place.span.clone().expect("a place in the text");
        assert!(["0", "-2.0", "7.0"].contains(&&text[span]), "{fault:?}");
    }
}

#[test]
fn a_table_must_fit() {
    let policy = Policy::parse(GOOD).unwrap();
    let columns = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    policy.bind(&columns(&["ssn", "age", "zip", "diagnosis"])).unwrap();
    let error = policy.bind(&columns(&["ssn", "Age", "zip", "diagnosis", "note"])).unwrap_err().to_string();
    for part in
        ["columns.age", "did you mean `Age`?", "`Age`, `note`", "\"identifier\" | \"subject\" | \"quasi\""]
    {
        assert!(error.contains(part), "{error} lacks {part}");
    }
}

/// A list of models put into the good policy; the error must say these things.
fn model_says(models: &str, parts: &[&str]) {
    says("suppression = 0.05", &format!("suppression = 0.05\nmodels = [{models}]"), parts);
}

#[test]
fn models_are_read_and_written() {
    let models = "models = [{ l_diversity = { column = \"diagnosis\", kind = \"recursive\", l = 3, c = 2.5 } },\n\
                  { l_diversity = { column = \"diagnosis\", l = 2 } }]";
    let policy = Policy::parse(&GOOD.replace("suppression = 0.05", models)).unwrap();
    let claims: Vec<String> = policy.privacy.models.iter().map(|m| m.claim()).collect();
    assert_eq!(claims, ["recursive l-diversity: diagnosis", "distinct l-diversity: diagnosis"]);
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    // A model is a guarantee over all quasi-identifiers: no k is needed beside it.
    let alone = GOOD.replace("k = 5\nsuppression = 0.05", models);
    assert_eq!(Policy::parse(&alone).unwrap().privacy.k(), None);
}

#[test]
fn mistakes_in_models_name_the_key_and_the_remedy() {
    let diversity = |rest: &str, parts: &[&str]| {
        model_says(&format!("{{ l_diversity = {{ column = \"diagnosis\", {rest} }} }}"), parts);
    };
    diversity("l = 0", &["privacy.models.0.l_diversity.l", "l cannot be 0", "a whole number from 1 up"]);
    diversity("l = 2.5", &["privacy.models.0.l_diversity.l", "2.5", "a whole number"]);
    diversity("l = nan", &["privacy.models.0.l_diversity.l", "NaN"]);
    diversity("kind = \"entropy\", l = 0.5", &["l cannot be 0.5", "a number from 1 up"]);
    diversity("kind = \"recursive\", l = 2", &["privacy.models.0.l_diversity.kind", "needs c", "c = 3"]);
    diversity("kind = \"recursive\", l = 2, c = 0", &["l_diversity.c", "above 0"]);
    diversity("l = 2, c = 3", &["l_diversity.c", "kind = \"recursive\""]);
    diversity(
        "kind = \"entropic\", l = 2",
        &["privacy.models.0.l_diversity.kind", "`entropic`", "`entropy`"],
    );
    diversity("l = 2, m = 3", &["privacy.models.0.l_diversity.m", "`column`"]);
    diversity("kind = \"entropy\"", &["missing field `l`"]);
    let of = |column: &str, parts: &[&str]| {
        model_says(&format!("{{ l_diversity = {{ column = \"{column}\", l = 2 }} }}"), parts);
    };
    of("diagnosys", &["privacy.models.0.l_diversity.column", "did you mean `diagnosis`?"]);
    of("ssn", &["role \"identifier\"", "role = \"sensitive\""]);
    model_says(
        "{ k_e = { column = \"age\", e = 5, k = 2 } }",
        &["privacy.models.0.k_e.column", "cannot judge the quasi-identifier `age`", "use l_diversity"],
    );
    model_says(
        "{ l_divers = { column = \"diagnosis\", l = 2 } }",
        &["\"l_divers\"", "did you mean \"l_diversity\"?"],
    );
    model_says("\"l_diversity\"", &["privacy.models"]);
    model_says("{ }", &["privacy.models"]);
    let twice = "{ l_diversity = { column = \"diagnosis\", l = 2 } }";
    model_says(&format!("{twice}, {twice}"), &["privacy.models.1.l_diversity", "listed twice", "stricter"]);
    let starred = GOOD.replace("[output]", "[output]\nsuppressed = \"starred\"");
    let starred = starred.replace("suppression = 0.05", &format!("models = [{twice}]"));
    let error = Policy::parse(&starred).unwrap_err().to_string();
    assert!(error.contains("output.suppressed") && error.contains("dropped"), "{error}");
}

#[test]
fn mistakes_in_closeness_name_the_key_and_the_remedy() {
    let closeness = |rest: &str, parts: &[&str]| {
        model_says(&format!("{{ t_closeness = {{ column = \"diagnosis\", {rest} }} }}"), parts);
    };
    closeness("t = 1.5", &["privacy.models.0.t_closeness.t", "t cannot be 1.5", "from 0"]);
    closeness("t = -0.1", &["privacy.models.0.t_closeness.t"]);
    closeness("t = nan", &["privacy.models.0.t_closeness.t"]);
    closeness(
        "distance = \"hierarchical\", t = 0.2",
        &["t_closeness.distance", "has no hierarchy", "columns.diagnosis"],
    );
    closeness("distance = \"order\", t = 0.2", &["t_closeness.distance", "did you mean `ordered`?"]);
    closeness("t = 0.2, order = [\"a\"]", &["t_closeness.order", "distance = \"ordered\""]);
    closeness(
        "distance = \"ordered\", t = 0.2, order = [\"a\", \"a\"]",
        &["t_closeness.order", "`a` is listed twice"],
    );
    let hierarchy = "role = \"sensitive\"\nhierarchy = { file = \"d.csv\" }";
    says("role = \"sensitive\"", hierarchy, &["columns.diagnosis.hierarchy", "is not generalized"]);
    let text = GOOD.replace("role = \"sensitive\"", hierarchy);
    let model =
        "models = [{ t_closeness = { column = \"diagnosis\", distance = \"hierarchical\", t = 0.2 } }]";
    let policy = Policy::parse(&text.replace("suppression = 0.05", model)).unwrap();
    assert_eq!(policy.privacy.models[0].claim(), "hierarchical t-closeness: diagnosis");
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
}

#[test]
fn mistakes_in_other_models_name_the_key_and_the_remedy() {
    let model = |key: &str, rest: &str, parts: &[&str]| {
        model_says(&format!("{{ {key} = {{ column = \"diagnosis\", {rest} }} }}"), parts);
    };
    model("p_sensitive", "p = 0", &["privacy.models.0.p_sensitive.p", "a whole number from 1 up"]);
    model("p_sensitive", "p = 2.5", &["privacy.models.0.p_sensitive.p", "a whole number"]);
    for alpha in ["0", "1.1", "-0.5", "nan"] {
        model("alpha_k", &format!("alpha = {alpha}"), &["privacy.models.0.alpha_k.alpha", "at most 1"]);
    }
    model("alpha_k", "alpha = 0.5, values = []", &["alpha_k.values", "no value is named"]);
    for value in ["0", "-1", "inf", "nan"] {
        model("delta_disclosure", &format!("delta = {value}"), &["delta_disclosure.delta", "above 0"]);
        model("beta_likeness", &format!("beta = {value}"), &["beta_likeness.beta", "above 0"]);
    }
    for e in ["0", "-1", "inf", "nan"] {
        model("k_e", &format!("e = {e}"), &["privacy.models.0.k_e.e", "above 0"]);
    }
    model("k_e", "e = 5, k = 0", &["privacy.models.0.k_e.k", "k cannot be 0"]);
    for c in ["0", "1.5", "nan"] {
        model(
            "ck_safety",
            &format!("c = {c}, knowledge = 1"),
            &["privacy.models.0.ck_safety.c", "at most 1"],
        );
    }
    model("ck_safety", "c = 0.5, knowledge = 31", &["ck_safety.knowledge", "from 0 to 30"]);
    model("ck_safety", "c = 0.5, knowledge = -1", &["ck_safety.knowledge"]);
    for m in ["0.5", "inf", "nan"] {
        model("m_confidentiality", &format!("m = {m}"), &["m_confidentiality.m", "from 1 up"]);
    }
    model("m_confidentiality", "m = 2, values = []", &["m_confidentiality.values", "no value is named"]);
    for breach in ["0", "1.1", "nan"] {
        let rest = format!("guard = \"ssn\", breach = {breach}");
        model("personalized", &rest, &["personalized.breach", "at most 1"]);
    }
    model("personalized", "guard = \"ssn\", breach = 0.5", &["personalized.column", "has no hierarchy"]);
    model(
        "personalized",
        "guard = \"age\", breach = 0.5",
        &["personalized.guard", "would be released", "drop"],
    );
    model("personalized", "guard = \"sssn\", breach = 0.5", &["personalized.guard", "did you mean `ssn`"]);
    model(
        "personalized",
        "guard = \"nothing\", breach = 0.5",
        &["there is no column `nothing`", "guarding nodes"],
    );
    model("beta_likeness", "beta = 1, kind = \"strict\"", &["beta_likeness.kind", "`basic`", "`enhanced`"]);
    for (key, rest) in [("p_sensitive", "p = 2"), ("alpha_k", "alpha = 0.5"), ("k_e", "e = 5")] {
        let models = format!("models = [{{ {key} = {{ column = \"diagnosis\", {rest} }} }}]");
        let error = Policy::parse(&GOOD.replace("k = 5", &models)).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains("give privacy.k"), "{error}");
        assert!(Policy::parse(&GOOD.replace("k = 5", &format!("k = 5\n{models}"))).is_ok());
    }
}

/// Models whose choice of a release would depend on values are refused beside one that must not.
#[test]
fn m_confidentiality_stands_alone() {
    let asked = "{ m_confidentiality = { column = \"diagnosis\", m = 2 } }";
    let parse = |models: &str, more: &str| {
        let text = GOOD.replace("k = 5", &format!("k = 5\nmodels = [{models}]")) + more;
        Policy::parse(&text).map_err(|error| error.to_string())
    };
    assert!(parse(asked, "").is_ok());
    let said =
        parse(&format!("{asked}, {{ l_diversity = {{ column = \"diagnosis\", l = 2 }} }}"), "").unwrap_err();
    assert!(said.contains("\"distinct l-diversity: diagnosis\" makes the choice"), "{said}");
}

/// A sensitive column can be released at a level, and no other can.
#[test]
fn levels_of_sensitive_columns() {
    let with = |line: &str| {
        let text = format!("{GOOD}\n[columns.ward]\n{line}\n");
        Policy::parse(&text).map_err(|error| error.to_string())
    };
    let policy = with("role = \"sensitive\"\nhierarchy = { file = \"w.csv\" }\nlevel = 1").unwrap();
    assert_eq!(policy.leveled(), [("ward", 1)]);
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    for (line, said) in [
        ("role = \"sensitive\"\nlevel = 1", "has no hierarchy"),
        ("role = \"keep\"\nlevel = 1", "only a sensitive column"),
        ("role = \"quasi\"\nhierarchy = { file = \"w.csv\" }\nlevel = 1", "min_level and max_level"),
    ] {
        let error = with(line).unwrap_err();
        assert!(error.contains("columns.ward.level") && error.contains(said), "{error}");
    }
}

#[test]
fn what_argus_tests_is_checked() {
    let zip = "hierarchy = { mask = { from = \"right\" } }";
    let with = |weight: &str| format!("{zip}\nidentifying = {weight}");
    assert_eq!(Policy::parse(&GOOD.replace(zip, &with("2"))).unwrap().columns["zip"].identifying, Some(2));
    says(zip, &with("4"), &["columns.zip.identifying: 4 is not from 0 to 3", "3 most identifying"]);
    says(zip, &with("-1"), &["columns.zip.identifying", "a whole number from 0"]);
    says(
        "role = \"identifier\"",
        "role = \"identifier\"\nidentifying = 3",
        &["columns.ssn.identifying", "role \"identifier\" is not generalized"],
    );
    let argus = |part: &str| format!("[argus]\n{part}\n[search]");
    let listed = |list: &str| argus(&format!("combinations = {list}"));
    let policy =
        Policy::parse(&GOOD.replace("[search]", &listed("[[\"age\", \"zip\"], [\"age\"]]"))).unwrap();
    assert_eq!(policy.argus.as_ref().unwrap().combinations.as_ref().unwrap().len(), 2);
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    says("[search]", &argus("size = 0"), &["argus.size: no combination has 0 columns"]);
    says("[search]", &argus("sise = 2"), &["did you mean `size`?"]);
    says("[search]", &listed("[]"), &["argus.combinations: nothing is tested"]);
    says("[search]", &listed("[[]]"), &["argus.combinations: a combination has no columns"]);
    says("[search]", &listed("[[\"agee\", \"zip\"]]"), &["there is no column `agee`", "did you mean `age`?"]);
    says("[search]", &listed("[[\"ssn\", \"zip\"]]"), &["`ssn` has role \"identifier\", not \"quasi\""]);
    says("[search]", &listed("[[\"age\", \"age\"]]"), &["`age` is twice in one combination"]);
    says("[search]", &listed("[[\"age\", \"zip\"], [\"zip\", \"age\"]]"), &["[zip, age] is listed twice"]);
    says(
        "[search]",
        &argus("size = 2\ncombinations = [[\"age\"]]"),
        &["argus.size: is not used: the combinations are listed"],
    );
}

/// What does not go together with rows that are searched again.
#[test]
fn rows_are_searched_again_where_that_is_defined() {
    let again = GOOD.replace("[search]", "[search]\nlocal = true");
    assert!(Policy::parse(&again).unwrap().search.local);
    for (from, to, said) in [
        ("[output]", "[output]\nsuppressed = \"cells\"", "output.suppressed"),
        ("[output]", "[output]\nsuppressed = \"starred\"", "output.suppressed"),
        ("[search]", "[search]\nalgorithm = \"mondrian\"", "cannot be combined with \"mondrian\""),
        ("k = 5", "k = 5\nmodels = [{ k_map = { k = 9, population = \"all.csv\" } }]", "people and payments"),
        ("[search]", "[search]\nmondrian = { by = \"gain\" }", "only \"mondrian\" has it"),
    ] {
        let error = Policy::parse(&again.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(said), "{to}: {error}");
    }
}
