use proptest::prelude::*;

use super::*;

const VARIABLES: [&str; 5] = ["loss", "suppressed", "dm*", "conditional-entropy", "height"];
const COLUMNS: [&str; 3] = ["age", "marital-status", "zip"];
const OF_COLUMNS: [OfColumn; 3] = [
    OfColumn { name: "level", condition: false },
    OfColumn { name: "height", condition: false },
    OfColumn { name: "is", condition: true },
];
const VOCABULARY: Vocabulary<'static> =
    Vocabulary { variables: &VARIABLES, of_columns: &OF_COLUMNS, columns: &COLUMNS };

/// What variables are in the tests.
fn known(variable: &Variable) -> f64 {
    match variable {
        Variable::Plain(name) => match name.as_str() {
            "loss" => 2.5,
            "suppressed" => 0.0,
            "dm*" => f64::INFINITY,
            "conditional-entropy" => -3.0,
            _ => 7.0,
        },
        Variable::OfColumn { function, column } => match (function.as_str(), column.as_str()) {
            ("level", "age") => 1.0,
            ("level", _) => 4.0,
            ("height", _) => 5.0,
            (_, column) => f64::from(column == "age"),
        },
    }
}

fn value(text: &str) -> f64 {
    let expression = Expression::parse(text, &VOCABULARY).unwrap_or_else(|e| panic!("{text}: {e}"));
    let values: Vec<f64> = expression.variables().iter().map(known).collect();
    expression.evaluate(&values)
}

#[test]
fn precedence_is_that_of_arithmetic() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 3 - 2", 3.0),
        ("8 / 4 / 2", 1.0),
        ("-2 * (-3)", 6.0),
        ("-(-2) + 1", 3.0),
        ("-loss + 1", -1.5),
        ("1e3 + .5", 1000.5),
        ("if(1 < 2, 10, 20)", 10.0),
        ("if(not 1 < 2 or 3 = 3 and 4 <> 4, 10, 20)", 20.0),
        ("IF(NOT (1 < 2 AND 2 >= 3), 10, 20)", 10.0),
        ("if(is(age), level(age), 0) + if(is(zip), 100, 0)", 1.0),
        ("min(3, 1, 2) + max(3, 1, 2) + min(5)", 9.0),
        ("abs(-4) + sqrt(9) + log2(8) + log(1)", 10.0),
        ("height + height(\"marital-status\")", 12.0),
        ("\"conditional-entropy\" - loss", -5.5),
        ("1 / 0", f64::INFINITY),
        ("-1 / suppressed", f64::NEG_INFINITY),
        ("log(0)", f64::NEG_INFINITY),
        ("if(0 / 0 = 0 / 0, 1, 2)", 2.0),
        ("if(0 / 0 <> 0 / 0, 1, 2)", 1.0),
        ("\"dm*\" - 1", f64::INFINITY),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    for text in [
        "0 / 0",
        "sqrt(-1)",
        "log(-1)",
        "\"dm*\" - \"dm*\"",
        "min(0 / 0, 1)",
        "max(1, 0 / 0, 2)",
        "0 * (1 / 0)",
    ] {
        assert!(value(text).is_nan(), "{text}");
    }
}

#[test]
fn variables_are_listed_once() {
    let expression = Expression::parse("loss + level(age) * loss - level(zip) + level(age)", &VOCABULARY);
    let expression = expression.unwrap();
    let of = |column: &str| Variable::OfColumn { function: "level".into(), column: column.into() };
    assert_eq!(expression.variables(), [Variable::Plain("loss".into()), of("age"), of("zip")]);
    assert!(expression.names("loss") && !expression.names("level") && !expression.names("height"));
    assert_eq!(expression.text(), "loss + level(age) * loss - level(zip) + level(age)");
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, code, parts) in [
        ("", "expression.empty", &["is empty"][..]),
        ("   ", "expression.empty", &[]),
        ("loss +", "expression.unexpected-word", &["the end", "character 7"]),
        ("loss loss", "expression.unexpected-word", &["`loss`", "character 6"]),
        ("(loss", "expression.unexpected-word", &["`)` is expected there"]),
        ("loss ^ 2", "expression.unexpected-word", &["`^`", "character 6"]),
        ("2x", "expression.unexpected-word", &["`2x`", "not a number"]),
        ("'loss'", "expression.unexpected-word", &["character 1"]),
        ("loss = = 2", "expression.unexpected-word", &["character 8"]),
        ("dm + 1", "expression.no-such-variable", &["`dm`", "`\"dm*\"`"]),
        ("loss* + 1", "expression.unexpected-word", &["`+`", "character 7", "in double quotes"]),
        ("loss* - 1", "expression.unexpected-word", &["`-`", "character 7", "in double quotes"]),
        ("+loss", "expression.unexpected-word", &["character 1"]),
        ("1 + los", "expression.no-such-variable", &["`los` (character 5)", "did you mean `loss`?"]),
        (
            "1 - conditional-entropy",
            "expression.no-such-variable",
            &["(character 5)", "did you mean `\"conditional-entropy\"`?"],
        ),
        ("age * 2", "expression.no-such-variable", &["is a column: write level(age)"]),
        (
            "wholly_unknown",
            "expression.no-such-variable",
            &["variables are loss, suppressed, \"dm*\", \"conditional-entropy\", height"],
        ),
        ("levle(age)", "expression.no-such-function", &["did you mean `level`?"]),
        ("tangent(1)", "expression.no-such-function", &["(character 1)", "there are abs, min"]),
        ("level(agee)", "expression.no-such-column", &["(character 7)", "did you mean `age`?"]),
        ("level(marital-status)", "expression.no-such-column", &["did you mean `\"marital-status\"`?"]),
        ("level(job)", "expression.no-such-column", &["quasi-identifiers are age,"]),
        ("level(2)", "expression.unexpected-word", &["takes the name of a column"]),
        ("abs(1, 2)", "expression.number-of-arguments", &["abs at character 1 has 2"]),
        ("abs()", "expression.unexpected-word", &["character 5"]),
        ("1 < 2", "expression.different-kinds", &["a condition at character 1", "if(CONDITION, 1, 0)"]),
        ("1 < 2 < 3", "expression.different-kinds", &["a condition at character 1"]),
        ("if(loss, 1, 2)", "expression.different-kinds", &["a number at character 4"]),
        ("if(is(age), 1)", "expression.unexpected-word", &["`,` is expected there"]),
        ("not loss", "expression.different-kinds", &["a number at character 5"]),
        ("\"loss", "expression.open-quote", &["character 1"]),
    ] {
        let error = Expression::parse(text, &VOCABULARY).expect_err(text);
        let shown = error.to_string();
        assert!(error.has_code(code), "{text}: {:?} is not {code}", error.faults());
        assert!(parts.iter().all(|part| shown.contains(part)), "{text}: {shown}");
    }
    let deep = format!("{}1{}", "(".repeat(80), ")".repeat(80));
    assert!(Expression::parse(&deep, &VOCABULARY).unwrap_err().has_code("expression.too-deep"));
    assert!(Expression::parse(&"-(".repeat(80), &VOCABULARY).unwrap_err().has_code("expression.too-deep"));
    let long = vec!["loss"; 600].join(" + ");
    assert!(Expression::parse(&long, &VOCABULARY).unwrap_err().has_code("expression.too-long"));
}

/// An expression as the tests make it up: text and value by rules that share nothing with the
/// parser.
#[derive(Debug, Clone)]
enum Naive {
    Number(u32),
    Variable(usize),
    Level(usize),
    Unary(&'static str, Box<Naive>),
    Binary(&'static str, Box<Naive>, Box<Naive>),
    If(Box<Truth>, Box<Naive>, Box<Naive>),
}

#[derive(Debug, Clone)]
enum Truth {
    Is(usize),
    Compare(&'static str, Box<Naive>, Box<Naive>),
    Not(Box<Truth>),
    Join(&'static str, Box<Truth>, Box<Truth>),
}

/// A name as it is written.
fn written(name: &str) -> String {
    if name.contains(['-', '*']) { format!("\"{name}\"") } else { name.to_owned() }
}

/// How tightly a part holds together: a part in a tighter place needs parentheses.
fn text(part: &Naive) -> (String, u8) {
    let within = |part: &Naive, tight: u8| {
        let (text, own) = text(part);
        if own < tight { format!("({text})") } else { text }
    };
    match part {
        Naive::Number(n) => (format!("{}.25", n), 9),
        Naive::Variable(at) => (written(VARIABLES[*at]), 9),
        Naive::Level(at) => (format!("level({})", written(COLUMNS[*at])), 9),
        Naive::Unary("-", a) => (format!("-{}", within(a, 6)), 5),
        Naive::Unary(function, a) => (format!("{function}({})", text(a).0), 9),
        Naive::Binary(sign @ ("+" | "-"), a, b) => (format!("{} {sign} {}", within(a, 5), within(b, 6)), 5),
        Naive::Binary(sign @ ("*" | "/"), a, b) => (format!("{} {sign} {}", within(a, 6), within(b, 7)), 6),
        Naive::Binary(function, a, b) => (format!("{function}({}, {})", text(a).0, text(b).0), 9),
        Naive::If(c, a, b) => (format!("if({}, {}, {})", truth_text(c).0, text(a).0, text(b).0), 9),
    }
}

fn truth_text(part: &Truth) -> (String, u8) {
    let within = |part: &Truth, tight: u8| {
        let (text, own) = truth_text(part);
        if own < tight { format!("({text})") } else { text }
    };
    match part {
        Truth::Is(at) => (format!("is({})", written(COLUMNS[*at])), 9),
        Truth::Compare(sign, a, b) => (format!("{} {sign} {}", text(a).0, text(b).0), 4),
        Truth::Not(a) => (format!("not {}", within(a, 3)), 3),
        Truth::Join("and", a, b) => (format!("{} and {}", within(a, 2), within(b, 3)), 2),
        Truth::Join(_, a, b) => (format!("{} OR {}", within(a, 1), within(b, 2)), 1),
    }
}

fn naive(part: &Naive) -> f64 {
    match part {
        Naive::Number(n) => f64::from(*n) + 0.25,
        Naive::Variable(at) => [2.5, 0.0, f64::INFINITY, -3.0, 7.0][*at],
        Naive::Level(at) => [1.0, 4.0, 4.0][*at],
        Naive::Unary(function, a) => {
            let a = naive(a);
            match *function {
                "-" => -a,
                "abs" => a.abs(),
                "sqrt" => a.sqrt(),
                "log" => a.ln(),
                _ => a.log2(),
            }
        }
        Naive::Binary(sign, a, b) => {
            let (a, b) = (naive(a), naive(b));
            match *sign {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" => a / b,
                _ if a.is_nan() || b.is_nan() => f64::NAN,
                "min" => [a, b].into_iter().reduce(|a, b| if b < a { b } else { a }).unwrap(),
                _ => [a, b].into_iter().reduce(|a, b| if b > a { b } else { a }).unwrap(),
            }
        }
        Naive::If(c, a, b) => match naive_truth(c) {
            true => naive(a),
            false => naive(b),
        },
    }
}

fn naive_truth(part: &Truth) -> bool {
    match part {
        Truth::Is(at) => *at == 0,
        Truth::Compare(sign, a, b) => {
            let order = naive(a).partial_cmp(&naive(b));
            use std::cmp::Ordering::{Equal, Greater, Less};
            match *sign {
                "=" => order == Some(Equal),
                "<>" | "!=" => order != Some(Equal),
                "<" => order == Some(Less),
                "<=" => matches!(order, Some(Less | Equal)),
                ">" => order == Some(Greater),
                _ => matches!(order, Some(Greater | Equal)),
            }
        }
        Truth::Not(a) => !naive_truth(a),
        Truth::Join("and", a, b) => naive_truth(a) & naive_truth(b),
        Truth::Join(_, a, b) => naive_truth(a) | naive_truth(b),
    }
}

fn any_expression() -> impl Strategy<Value = Naive> {
    let leaf = prop_oneof![
        (0..4u32).prop_map(Naive::Number),
        (0..VARIABLES.len()).prop_map(Naive::Variable),
        (0..COLUMNS.len()).prop_map(Naive::Level),
    ];
    leaf.prop_recursive(5, 48, 3, |inner| {
        let unary = prop::sample::select(vec!["-", "abs", "sqrt", "log", "log2"]);
        let binary = prop::sample::select(vec!["+", "-", "*", "/", "min", "max"]);
        let compare = prop::sample::select(vec!["=", "<>", "!=", "<", "<=", ">", ">="]);
        let truth = prop_oneof![
            (0..COLUMNS.len()).prop_map(Truth::Is),
            (compare, inner.clone(), inner.clone()).prop_map(|(sign, a, b)| Truth::Compare(
                sign,
                a.into(),
                b.into()
            )),
        ];
        let truth = truth.prop_recursive(3, 8, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Truth::Not(a.into())),
                (prop::sample::select(vec!["and", "or"]), inner.clone(), inner)
                    .prop_map(|(sign, a, b)| Truth::Join(sign, a.into(), b.into())),
            ]
        });
        prop_oneof![
            (unary, inner.clone()).prop_map(|(function, a)| Naive::Unary(function, a.into())),
            (binary, inner.clone(), inner.clone()).prop_map(|(sign, a, b)| Naive::Binary(
                sign,
                a.into(),
                b.into()
            )),
            (truth, inner.clone(), inner).prop_map(|(c, a, b)| Naive::If(c.into(), a.into(), b.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn values_are_those_of_the_naive_evaluator(part in any_expression()) {
        let text = text(&part).0;
        let (found, expected) = (value(&text), naive(&part));
        let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
        prop_assert!(same, "{text}: {found} is not {expected}");
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9 ().,+*/<>=\"'-]{0,40}") {
        if let Err(error) = Expression::parse(&text, &VOCABULARY) {
            prop_assert!(error.faults()[0].code.starts_with("expression."));
        }
    }
}
