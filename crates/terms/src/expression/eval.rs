//! The value of an expression. One operation of `f64` per part; of `if`, only the branch that is
//! taken is evaluated.

use super::parse::{Condition, Function, Number, Operator};
use crate::lex::Comparison;

pub(super) fn number(part: &Number, values: &[f64]) -> f64 {
    match part {
        Number::Literal(number) => *number,
        Number::Variable(at) => values.get(*at).copied().unwrap_or(f64::NAN),
        Number::Negated(inner) => -number(inner, values),
        Number::Arithmetic(operator, a, b) => {
            let (a, b) = (number(a, values), number(b, values));
            match operator {
                Operator::Plus => a + b,
                Operator::Minus => a - b,
                Operator::Times => a * b,
                Operator::Over => a / b,
            }
        }
        Number::Call(function, first, others) => {
            let first = number(first, values);
            match function {
                Function::Abs => first.abs(),
                Function::Sqrt => first.sqrt(),
                Function::Log => first.ln(),
                Function::Log2 => first.log2(),
                Function::Min => others.iter().map(|part| number(part, values)).fold(first, least),
                Function::Max => others.iter().map(|part| number(part, values)).fold(first, greatest),
            }
        }
        Number::If(condition, then, otherwise) => {
            number(if truth(condition, values) { then } else { otherwise }, values)
        }
    }
}

fn truth(part: &Condition, values: &[f64]) -> bool {
    match part {
        Condition::Variable(at) => values.get(*at).is_some_and(|value| *value != 0.0),
        Condition::Not(inner) => !truth(inner, values),
        Condition::And(a, b) => truth(a, values) && truth(b, values),
        Condition::Or(a, b) => truth(a, values) || truth(b, values),
        Condition::Compare(comparison, a, b) => {
            let (a, b) = (number(a, values), number(b, values));
            match comparison {
                Comparison::Equal => a == b,
                Comparison::Unequal => a != b,
                Comparison::Less => a < b,
                Comparison::AtMost => a <= b,
                Comparison::Greater => a > b,
                Comparison::AtLeast => a >= b,
            }
        }
    }
}

/// The lesser of two numbers, the first of equal ones; "not a number" where one is not.
fn least(a: f64, b: f64) -> f64 {
    if b < a || b.is_nan() { b } else { a }
}

/// The greater of two numbers, the first of equal ones; "not a number" where one is not.
fn greatest(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}
