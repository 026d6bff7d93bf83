use proptest::prelude::*;

use super::*;

const COLUMNS: [&str; 5] = ["age", "state", "born", "seen", "note"];

/// Whether a row satisfies a condition; a cell `-` is missing.
fn holds(text: &str, cells: [&str; 5]) -> Option<bool> {
    counted(text, cells).0
}

fn counted(text: &str, cells: [&str; 5]) -> (Option<bool>, Unreadable) {
    let predicate = Predicate::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let table: Vec<String> = COLUMNS.map(String::from).to_vec();
    let places = predicate.bind(&table).unwrap();
    let mut unreadable = predicate.unreadable();
    let cell = |place: usize| Some(cells[places[place]]).filter(|cell| *cell != "-");
    (predicate.evaluate(&cell, &mut unreadable), unreadable)
}

const ANN: [&str; 5] = ["42", "MA", "1961-05-07", "2003-05-07", "50% off_"];

#[test]
fn conditions_are_those_of_sql() {
    let cases = [
        ("age >= 18 AND state = 'MA'", Some(true)),
        ("age >= 18 and state = 'NH'", Some(false)),
        ("NOT (age < 18 OR state <> 'MA')", Some(true)),
        ("age = 42.0", Some(true)),
        ("age = '42.0'", Some(false)),
        ("'5' < age", Some(false)),
        ("5 < age", Some(true)),
        ("age != 42", Some(false)),
        ("age BETWEEN 40 AND 42", Some(true)),
        ("age NOT BETWEEN 40 AND 42", Some(false)),
        ("state IN ('NH', 'MA')", Some(true)),
        ("state NOT IN ('NH', 'VT')", Some(true)),
        ("age IN (41, 42)", Some(true)),
        ("age IN (41, NULL)", None),
        ("age IN (42, NULL)", Some(true)),
        ("state LIKE 'M_'", Some(true)),
        ("state LIKE 'm%'", Some(false)),
        ("note LIKE '%!%%' ESCAPE '!'", Some(true)),
        ("note LIKE '%off!_' ESCAPE '!'", Some(true)),
        ("note NOT LIKE '%x%'", Some(true)),
        ("born < DATE '1961-05-08'", Some(true)),
        ("CAST(born AS DATE) < '1961-05-08'", Some(true)),
        ("CAST(seen AS DATE) > born", Some(true)),
        ("CAST(seen AS DATE) - born > 42 * 365", Some(true)),
        ("DATE '2003-05-07' + 1 = DATE '2003-05-08'", Some(true)),
        ("CAST(born AS DATE) + 30 > DATE '1961-06-06'", Some(false)),
        ("year(born) = 1961 AND month(born) = 5 AND day(born) = 7", Some(true)),
        ("year(seen) - year(born) = age", Some(true)),
        ("age / 2 = 21 AND age % 5 = 2 AND -age < 0 AND age * 2 - 4 = 80", Some(true)),
        ("age / 0 = 1", None),
        ("length(state) = 2 AND lower(state) = 'ma' AND upper('ma') = state", Some(true)),
        ("substr(born, 1, 4) = '1961' AND substring(state, 2) = 'A'", Some(true)),
        ("state || '-' || age = 'MA-42'", Some(true)),
        ("abs(-3) = 3 AND trim('  x ') = 'x'", Some(true)),
        ("coalesce(NULL, age) > 40 AND nullif(state, 'MA') IS NULL", Some(true)),
        ("born = seen", Some(false)),
        ("CAST(age AS NUMBER) > 41", Some(true)),
        ("TRUE", Some(true)),
        ("NULL", None),
        ("(state = 'MA') = TRUE", Some(true)),
        ("state = 'MA' IS NOT FALSE", Some(true)),
        ("'it''s' = 'it''s'", Some(true)),
        ("\"age\" > 1e1", Some(true)),
    ];
    for (text, expected) in cases {
        assert_eq!(holds(text, ANN), expected, "{text}");
    }
}

#[test]
fn missing_is_unknown() {
    let row = ["-", "MA", "-", "-", "-"];
    let cases = [
        ("age >= 18", None),
        ("NOT age >= 18", None),
        ("age IS NULL", Some(true)),
        ("age IS NOT NULL", Some(false)),
        ("age >= 18 OR state = 'MA'", Some(true)),
        ("age >= 18 AND state = 'NH'", Some(false)),
        ("age >= 18 AND state = 'MA'", None),
        ("age = NULL", None),
        ("age IS DISTINCT FROM 18", Some(true)),
        ("age IS NOT DISTINCT FROM born", Some(true)),
        ("(age >= 18) IS UNKNOWN", Some(true)),
        ("age IN (1, 2)", None),
        ("age LIKE '%'", None),
        ("coalesce(age, '0') = '0'", Some(true)),
    ];
    for (text, expected) in cases {
        assert_eq!(holds(text, row), expected, "{text}");
    }
}

#[test]
fn cells_that_cannot_be_read_are_unknown_and_counted() {
    let row = ["old", "MA", "07.05.1961", "2003-02-30", "maybe"];
    assert_eq!(counted("age >= 18 OR state = 'NH'", row), (None, vec![1, 0]));
    assert_eq!(counted("state = 'MA' OR age >= 18", row), (Some(true), vec![0, 0]), "it is not looked at");
    assert_eq!(counted("born < DATE '2000-01-01'", row), (None, vec![1]));
    assert_eq!(counted("seen > DATE '2000-01-01'", row), (None, vec![1]), "there is no such day");
    assert_eq!(counted("note = TRUE", row), (None, vec![1]));
    assert_eq!(counted("age = 'old'", row), (Some(true), vec![0]));
    let moment = ["1", "MA", "1961-05-07T12:00:00", "2003-05-07 23:59", "TRUE"];
    assert_eq!(
        holds("born = DATE '1961-05-07' AND seen = DATE '2003-05-07' AND note = true", moment),
        Some(true)
    );
}

#[test]
fn mistakes_have_codes() {
    let cases = [
        ("", "predicate.empty"),
        ("  ", "predicate.empty"),
        ("age", "predicate.not-a-condition"),
        ("age + 1", "predicate.not-a-condition"),
        ("age >= 18 AND state", "predicate.not-a-condition"),
        ("age >=", "predicate.unexpected-word"),
        ("age >= 18 state = 'MA'", "predicate.unexpected-word"),
        ("age >= 18; DROP TABLE people", "predicate.unexpected-word"),
        ("(age >= 18", "predicate.unexpected-word"),
        ("age NOT 18", "predicate.unexpected-word"),
        ("age >= 18x", "predicate.unexpected-word"),
        ("state = 'MA", "predicate.open-quote"),
        ("\"age > 3", "predicate.open-quote"),
        ("age = (SELECT 1)", "predicate.subquery"),
        ("age IN (SELECT age FROM people)", "predicate.subquery"),
        ("EXISTS (SELECT 1)", "predicate.subquery"),
        ("count(age) > 3", "predicate.aggregate"),
        ("max(age) = age", "predicate.aggregate"),
        ("random() < 0.5", "predicate.not-repeatable"),
        ("born < now()", "predicate.not-repeatable"),
        ("born < CURRENT_DATE", "predicate.not-repeatable"),
        ("lowr(state) = 'ma'", "predicate.no-such-function"),
        ("lower(state, 2) = 'ma'", "predicate.number-of-arguments"),
        ("born < seen", "predicate.untyped-order"),
        ("born BETWEEN seen AND note", "predicate.untyped-order"),
        ("length(state) = '2'", "predicate.different-kinds"),
        ("born < DATE '1961-13-01'", "predicate.not-a-date"),
        ("CAST(born AS DATE) < 'yesterday'", "predicate.not-a-date"),
        ("CASE WHEN age > 1 THEN 1 END", "predicate.unexpected-word"),
    ];
    for (text, code) in cases {
        let error = Predicate::parse(text).expect_err(text);
        assert!(error.has_code(code), "{text}: {error:?}");
    }
    let deep = format!("{}TRUE{}", "(".repeat(500), ")".repeat(500));
    assert!(Predicate::parse(&deep).unwrap_err().has_code("predicate.too-deep"));
}

#[test]
fn unknown_columns_are_named_with_the_nearest() {
    let table: Vec<String> = ["age", "State", "marital-status"].map(String::from).to_vec();
    let help = |text: &str| {
        let error = Predicate::parse(text).unwrap().bind(&table).unwrap_err();
        assert!(error.faults().iter().all(|fault| fault.code == "predicate.no-such-column"), "{error:?}");
        error.faults()[0].help.clone().unwrap()
    };
    assert_eq!(help("agee > 3"), "did you mean `age`?");
    assert_eq!(help("state = 'MA'"), "did you mean `State`?");
    assert!(help("marital-status > 3").starts_with("did you mean `\"marital-status\"`?"));
    let error = Predicate::parse("marital-status = 'x'").unwrap_err();
    assert!(error.faults()[0].help.as_ref().unwrap().ends_with("is written in double quotes"), "{error:?}");
    assert_eq!(help("zip = '1'"), "there are `age`, `State`, `marital-status`");
    assert_eq!(Predicate::parse("\"marital-status\" = 'x'").unwrap().bind(&table).unwrap(), [2]);
}

/// Patterns by definition.
fn fits(text: &[char], pattern: &[char]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some(('%', rest)), _) if fits(text, rest) => true,
        (Some(('%', _)), Some((_, behind))) => fits(behind, pattern),
        (Some((sign, rest)), Some((c, behind))) if *sign == '_' || sign == c => fits(behind, rest),
        _ => false,
    }
}

/// A condition over three truth values, and its value by the tables of SQL.
fn logic() -> impl Strategy<Value = (String, Option<bool>)> {
    let leaf = prop_oneof![
        Just(("1 = 1".to_owned(), Some(true))),
        Just(("1 = 2".to_owned(), Some(false))),
        Just(("1 = NULL".to_owned(), None)),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(text, value)| (format!("NOT ({text})"), value.map(|is| !is))),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| {
                let value = if x == Some(false) || y == Some(false) { Some(false) } else { x.and(y) };
                (format!("({a}) AND ({b})"), value)
            }),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| {
                let value = if x == Some(true) || y == Some(true) { Some(true) } else { x.and(y) };
                (format!("({a}) OR ({b})"), value)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn patterns_are_those_of_the_definition(text in "[ab]{0,8}", pattern in "[ab%_]{0,6}") {
        let expected = fits(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>());
        let found = holds(&format!("'{text}' LIKE '{pattern}'"), ANN);
        prop_assert_eq!(found, Some(expected));
    }

    #[test]
    fn logic_has_three_values((text, expected) in logic()) {
        prop_assert_eq!(holds(&text, ANN), expected, "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[a-z0-9'\"()<>=!%,. *+-]{0,40}") {
        let _ = Predicate::parse(&text);
    }

    #[test]
    fn words_in_any_order_are_read_or_refused(words in prop::collection::vec(
        prop::sample::select(vec![
            "age", "state", "AND", "OR", "NOT", "(", ")", "=", "<", "18", "'x'", "IS", "NULL", "IN", ",",
            "BETWEEN", "LIKE", "CAST", "AS", "DATE", "NUMBER", "+", "-", "||", "coalesce", "lower", "TRUE",
        ]), 0..14)) {
        let text = words.join(" ");
        if let Ok(predicate) = Predicate::parse(&text) {
            let cell = |_: usize| Some("7");
            let _ = predicate.evaluate(&cell, &mut predicate.unreadable());
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers(a in -1000i32..1000, b in -1000i32..1000) {
        let a_text = a.to_string();
        let row = [a_text.as_str(), "-", "-", "-", "-"];
        prop_assert_eq!(holds(&format!("age < {b}"), row), Some(a < b));
        prop_assert_eq!(holds(&format!("age >= {b}"), row), Some(a >= b));
        prop_assert_eq!(holds(&format!("age = {b}"), row), Some(a == b));
    }
}
