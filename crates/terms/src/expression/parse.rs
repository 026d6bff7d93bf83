//! Reads an expression by recursive descent, one function per precedence: OR, AND, NOT, comparison,
//! sum, product. Numbers and conditions are different types, so an expression that was read
//! can be evaluated. Linear in its words.

#![expect(
    clippy::result_large_err,
    reason = "a fault is boxed once the expression is read, which happens once"
)]

use super::{OfColumn, Variable, Vocabulary};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::lex::{Comparison, Cursor, Misread, Token, Word, is_plain};

/// The most words: a sum of many parts is as deep as it has parts.
const LONGEST: usize = 1000;

/// A part that is a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    Literal(f64),
    /// By its place among the variables.
    Variable(usize),
    Negated(Box<Number>),
    Arithmetic(Operator, Box<Number>, Box<Number>),
    /// A function of one number and, for some, of others.
    Call(Function, Box<Number>, Vec<Number>),
    If(Box<Condition>, Box<Number>, Box<Number>),
}

/// A part that is true or false.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// By its place among the variables.
    Variable(usize),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Compare(Comparison, Box<Number>, Box<Number>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Min,
    Max,
    Log,
    Log2,
    Sqrt,
}

/// Functions with the most arguments that they take.
const FUNCTIONS: [(&str, Function, usize); 6] = [
    ("abs", Function::Abs, 1),
    ("min", Function::Min, usize::MAX),
    ("max", Function::Max, usize::MAX),
    ("log", Function::Log, 1),
    ("log2", Function::Log2, 1),
    ("sqrt", Function::Sqrt, 1),
];

/// A part of either kind, with the character at which it begins.
enum Part {
    Number(Number, usize),
    Condition(Condition, usize),
}

impl Part {
    fn number(self) -> Result<Number, Fault> {
        match self {
            Part::Number(number, _) => Ok(number),
            Part::Condition(_, at) => Err(other_kind("a condition", "a number", at)
                .help("write if(CONDITION, 1, 0) for the number 1 where it is true")),
        }
    }

    fn condition(self) -> Result<Condition, Fault> {
        match self {
            Part::Condition(condition, _) => Ok(condition),
            Part::Number(_, at) => Err(other_kind("a number", "a condition", at)
                .help("compare it with something, for instance suppressed > 0")),
        }
    }

    fn at(&self) -> usize {
        match self {
            Part::Number(_, at) | Part::Condition(_, at) => *at,
        }
    }
}

fn other_kind(found: &str, wanted: &str, at: usize) -> Fault {
    fault!(
        Input,
        "expression.different-kinds",
        "{found} at character {at} cannot be used as {wanted}",
        found = found,
        at = at,
        wanted = wanted
    )
}

/// The fault of a text that cannot be read.
fn misread(misread: Misread) -> Fault {
    match misread {
        Misread::Word(word, at) => fault!(
            Input,
            "expression.unexpected-word",
            "{word} cannot be understood at character {at}",
            word = word,
            at = at
        ),
        Misread::OpenQuote(quote, at) => fault!(
            Input,
            "expression.open-quote",
            "the quote {quote} at character {at} is not closed",
            quote = quote,
            at = at
        )
        .help("a name with other characters than letters, digits and `_` is in double quotes"),
        Misread::TooDeep(limit) => fault!(
            Input,
            "expression.too-deep",
            "more than {limit} parts are nested in each other",
            limit = limit
        ),
    }
}

/// An expression and the variables that it names.
pub(super) fn expression(text: &str, vocabulary: &Vocabulary<'_>) -> Result<(Number, Vec<Variable>), Fault> {
    let words = Cursor::new(text, misread)?;
    let mut parser = Parser { words, variables: Vec::new(), vocabulary };
    if parser.words.is_empty() {
        return Err(fault!(Input, "expression.empty", "is empty")
            .help("write an expression, for instance 2 * suppressed + height, or remove the key"));
    }
    if parser.words.len() >= LONGEST {
        return Err(fault!(Input, "expression.too-long", "has more than {limit} words", limit = LONGEST));
    }
    let root = parser.or()?.number()?;
    match parser.words.next() {
        Word { token: Token::End, .. } => Ok((root, parser.variables)),
        Word { token, at } => Err(parser
            .words
            .unexpected(token.to_string(), at)
            .help("an operator or the end is expected there; `=` compares, and there is no power")),
    }
}

struct Parser<'a> {
    words: Cursor,
    variables: Vec<Variable>,
    vocabulary: &'a Vocabulary<'a>,
}

impl Parser<'_> {
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.words.descend()?;
        let read = read(self);
        self.words.ascend();
        read
    }

    fn or(&mut self) -> Result<Part, Fault> {
        let mut left = self.and()?;
        while self.words.takes("or") {
            let (at, right) = (left.at(), self.and()?.condition()?);
            left = Part::Condition(Condition::Or(Box::new(left.condition()?), Box::new(right)), at);
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Part, Fault> {
        let mut left = self.not()?;
        while self.words.takes("and") {
            let (at, right) = (left.at(), self.not()?.condition()?);
            left = Part::Condition(Condition::And(Box::new(left.condition()?), Box::new(right)), at);
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Part, Fault> {
        let at = self.words.place();
        if self.words.takes("not") {
            let inner = self.deeper(|parser| parser.not()?.condition())?;
            return Ok(Part::Condition(Condition::Not(Box::new(inner)), at));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Part, Fault> {
        let mut left = self.sum()?;
        while let Some(comparison) = self.words.takes_comparison() {
            let (at, right) = (left.at(), self.sum()?.number()?);
            let (a, b) = (Box::new(left.number()?), Box::new(right));
            left = Part::Condition(Condition::Compare(comparison, a, b), at);
        }
        Ok(left)
    }

    /// A sum. Its first part may have a sign; no other part has: `dm* - 1` would be read
    /// as a product with −1, where `"dm*" - 1` is meant.
    fn sum(&mut self) -> Result<Part, Fault> {
        let at = self.words.place();
        let mut left = match self.words.takes_sign("-") {
            true => Part::Number(Number::Negated(Box::new(self.product()?.number()?)), at),
            false => self.product()?,
        };
        while let Some(operator) = self.words.takes_one(&[("+", Operator::Plus), ("-", Operator::Minus)]) {
            let (at, right) = (left.at(), self.product()?.number()?);
            left = Part::Number(arithmetic(operator, left.number()?, right), at);
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Part, Fault> {
        let mut left = self.atom()?;
        while let Some(operator) = self.words.takes_one(&[("*", Operator::Times), ("/", Operator::Over)]) {
            let (at, right) = (left.at(), self.atom()?.number()?);
            left = Part::Number(arithmetic(operator, left.number()?, right), at);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Part, Fault> {
        let Word { token, at } = self.words.next();
        match token {
            Token::Number(number) => Ok(Part::Number(Number::Literal(number), at)),
            Token::Sign("(") => {
                let inner = self.deeper(Parser::or)?;
                self.words.needs_sign(")")?;
                Ok(inner)
            }
            Token::Name(name) if self.words.at_sign("(") => self.call(&name, at),
            Token::Name(name) | Token::Quoted(name) => self.variable(name, at),
            other => Err(self.words.unexpected(other.to_string(), at).help(
                "a number, a variable, a function or a parenthesis is expected there; a name such as \"dm*\" is \
                 in double quotes, and a negative number after an operator in parentheses",
            )),
        }
    }

    fn variable(&mut self, name: String, at: usize) -> Result<Part, Fault> {
        if !self.vocabulary.variables.contains(&name.as_str()) {
            return Err(self.no_such_variable(&name, at));
        }
        let place = self.placed(Variable::Plain(name));
        Ok(Part::Number(Number::Variable(place), at))
    }

    /// The place of a variable among those that are named.
    fn placed(&mut self, variable: Variable) -> usize {
        let place = self.variables.iter().position(|known| *known == variable);
        place.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        })
    }

    fn call(&mut self, name: &str, at: usize) -> Result<Part, Fault> {
        self.words.needs_sign("(")?;
        let lower = name.to_ascii_lowercase();
        if let Some(function) = self.vocabulary.of_columns.iter().find(|known| known.name == lower) {
            return self.of_column(*function, at);
        }
        if lower == "if" {
            return self.conditional(at);
        }
        let Some((_, function, most)) = FUNCTIONS.into_iter().find(|known| known.0 == lower) else {
            return Err(self.no_such_function(name, at));
        };
        let first = self.deeper(|parser| parser.or()?.number())?;
        let mut others = Vec::new();
        while self.words.takes_sign(",") {
            others.push(self.deeper(|parser| parser.or()?.number())?);
        }
        self.words.needs_sign(")")?;
        if others.len() + 1 > most {
            return Err(arguments(&lower, others.len() + 1, at).help(format!("{lower} takes one number")));
        }
        Ok(Part::Number(Number::Call(function, Box::new(first), others), at))
    }

    fn conditional(&mut self, at: usize) -> Result<Part, Fault> {
        let condition = self.deeper(|parser| parser.or()?.condition())?;
        self.words.needs_sign(",")?;
        let then = self.deeper(|parser| parser.or()?.number())?;
        self.words.needs_sign(",")?;
        let otherwise = self.deeper(|parser| parser.or()?.number())?;
        self.words.needs_sign(")")?;
        Ok(Part::Number(Number::If(Box::new(condition), Box::new(then), Box::new(otherwise)), at))
    }

    fn of_column(&mut self, function: OfColumn, at: usize) -> Result<Part, Fault> {
        let Word { token, at: named_at } = self.words.next();
        let (Token::Name(column) | Token::Quoted(column)) = token else {
            let help = format!("{} takes the name of a column", function.name);
            return Err(self.words.unexpected(token.to_string(), named_at).help(help));
        };
        if !self.vocabulary.columns.contains(&column.as_str()) {
            return Err(self.no_such_column(&column, named_at));
        }
        self.words.needs_sign(")")?;
        let place = self.placed(Variable::OfColumn { function: function.name.to_owned(), column });
        Ok(match function.condition {
            true => Part::Condition(Condition::Variable(place), at),
            false => Part::Number(Number::Variable(place), at),
        })
    }

    fn no_such_variable(&self, name: &str, at: usize) -> Fault {
        let Vocabulary { variables, of_columns, columns } = self.vocabulary;
        let fault = fault!(
            Input,
            "expression.no-such-variable",
            "there is no variable `{variable}` (character {at})",
            variable = name,
            at = at
        );
        if columns.contains(&name) {
            let of_column: Vec<String> =
                of_columns.iter().map(|function| format!("{}({})", function.name, quoted(name))).collect();
            return fault.help(format!("`{name}` is a column: write {}", of_column.join(" or ")));
        }
        let all = format!("variables are {}", listed(variables.iter().copied()));
        match near(name, variables) {
            Some(near) => fault.help(format!("did you mean `{}`? {all}", quoted(near))),
            None => fault.help(all),
        }
    }

    fn no_such_function(&self, name: &str, at: usize) -> Fault {
        let own = FUNCTIONS.iter().map(|known| known.0).chain(["if"]);
        let known: Vec<&str> = own.chain(self.vocabulary.of_columns.iter().map(|known| known.name)).collect();
        let fault = fault!(
            Input,
            "expression.no-such-function",
            "there is no function `{function}` (character {at})",
            function = name,
            at = at
        );
        match nearest(name, known.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help(format!("there are {}", known.join(", "))),
        }
    }

    fn no_such_column(&self, name: &str, at: usize) -> Fault {
        let columns = self.vocabulary.columns;
        let fault = fault!(
            Input,
            "expression.no-such-column",
            "there is no quasi-identifier `{column}` (character {at})",
            column = name,
            at = at
        );
        match near(name, columns) {
            Some(near) => fault.help(format!("did you mean `{}`?", quoted(near))),
            None => fault.help(format!("quasi-identifiers are {}", listed(columns.iter().copied()))),
        }
    }
}

fn arithmetic(operator: Operator, a: Number, b: Number) -> Number {
    Number::Arithmetic(operator, Box::new(a), Box::new(b))
}

fn arguments(function: &str, given: usize, at: usize) -> Fault {
    fault!(
        Input,
        "expression.number-of-arguments",
        "{function} at character {at} has {given} arguments",
        function = function,
        at = at,
        given = given
    )
}

/// The name that is meant. One such as `conditional-entropy` is read as a difference unless it is
/// in quotes.
fn near<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let begun = known.iter().copied().find(|known| known.starts_with(&format!("{name}-")));
    begun.or_else(|| nearest(name, known.iter().copied()))
}

/// A name as an expression writes it.
fn quoted(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}
