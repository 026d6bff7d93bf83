//! Reads a condition by recursive descent, one function per precedence. Linear in its words.

#![expect(
    clippy::result_large_err,
    reason = "a fault is boxed once the condition is read, which happens once"
)]

use std::collections::BTreeSet;

use super::types::{Expr, Function, Kind, Operator, Wild};
use super::types::{arithmetic, common, compare, date, not_a_date, same};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::lex::{Comparison, Cursor, Misread, Token, Word};

/// Functions with their least and most arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 15] = [
    ("lower", Function::Lower, 1, 1),
    ("upper", Function::Upper, 1, 1),
    ("trim", Function::Trim, 1, 1),
    ("length", Function::Length, 1, 1),
    ("char_length", Function::Length, 1, 1),
    ("character_length", Function::Length, 1, 1),
    ("substr", Function::Substring, 2, 3),
    ("substring", Function::Substring, 2, 3),
    ("abs", Function::Abs, 1, 1),
    ("coalesce", Function::Coalesce, 1, usize::MAX),
    ("nullif", Function::NullIf, 2, 2),
    ("year", Function::Year, 1, 1),
    ("month", Function::Month, 1, 1),
    ("day", Function::Day, 1, 1),
    ("day_of_month", Function::Day, 1, 1),
];

const AGGREGATES: [&str; 16] = [
    "count",
    "sum",
    "avg",
    "mean",
    "min",
    "max",
    "median",
    "stddev",
    "variance",
    "var",
    "array_agg",
    "string_agg",
    "row_number",
    "rank",
    "lag",
    "lead",
];

const CHANGING: [&str; 13] = [
    "random",
    "rand",
    "uuid",
    "gen_random_uuid",
    "now",
    "today",
    "getdate",
    "sysdate",
    "current_date",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
];

/// Words that are not names of columns unless they are quoted.
const KEYWORDS: [&str; 22] = [
    "and", "or", "not", "is", "in", "between", "like", "escape", "null", "true", "false", "unknown", "cast",
    "try_cast", "as", "distinct", "from", "select", "exists", "case", "when", "end",
];

/// A condition and the columns that it names.
pub(super) fn condition(text: &str) -> Result<(Expr, Vec<String>), Fault> {
    let mut parser = Parser { words: Cursor::new(text, misread)?, columns: Vec::new() };
    if parser.words.is_empty() {
        return Err(fault!(Input, "predicate.empty", "is empty")
            .help("write a condition, for instance age >= 18, or remove the key"));
    }
    let root = parser.or()?.condition()?;
    match parser.words.next() {
        Word { token: Token::End, .. } => Ok((root, parser.columns)),
        Word { token, at } => Err(parser
            .words
            .unexpected(token.to_string(), at)
            .help("join conditions by AND or OR; write text in single quotes")),
    }
}

/// The fault of a text that cannot be read.
fn misread(misread: Misread) -> Fault {
    match misread {
        Misread::Word(word, at) => fault!(
            Input,
            "predicate.unexpected-word",
            "{word} cannot be understood at character {at}",
            word = word,
            at = at
        ),
        Misread::OpenQuote(quote, at) => fault!(
            Input,
            "predicate.open-quote",
            "the quote {quote} at character {at} is not closed",
            quote = quote,
            at = at
        )
        .help("text is in single quotes, a column in double quotes; a quote inside is written twice"),
        Misread::TooDeep(limit) => fault!(
            Input,
            "predicate.too-deep",
            "more than {limit} parts are nested in each other",
            limit = limit
        ),
    }
}

struct Parser {
    words: Cursor,
    columns: Vec<String>,
}

impl Parser {
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        self.words.descend()?;
        let read = read(self);
        self.words.ascend();
        read
    }

    fn or(&mut self) -> Result<Expr, Fault> {
        let mut left = self.and()?;
        while self.words.takes("or") {
            let right = self.and()?.condition()?;
            left = Expr::Or(Box::new(left.condition()?), Box::new(right));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Fault> {
        let mut left = self.not()?;
        while self.words.takes("and") {
            let right = self.not()?.condition()?;
            left = Expr::And(Box::new(left.condition()?), Box::new(right));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr, Fault> {
        if self.words.takes("not") {
            return self.deeper(|parser| Ok(Expr::Not(Box::new(parser.not()?.condition()?))));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Expr, Fault> {
        let mut left = self.sum()?;
        loop {
            if let Some(comparison) = self.words.takes_comparison() {
                let right = self.sum()?;
                left = compare(comparison, left, right)?;
            } else if self.words.takes("is") {
                left = self.is(left)?;
            } else {
                let negated = self.words.takes("not");
                let read = if self.words.takes("between") {
                    self.between(left)?
                } else if self.words.takes("in") {
                    self.among(left)?
                } else if self.words.takes("like") {
                    self.like(left)?
                } else if negated {
                    return Err(self.words.expected("BETWEEN, IN or LIKE"));
                } else {
                    return Ok(left);
                };
                left = if negated { Expr::Not(Box::new(read)) } else { read };
            }
        }
    }

    fn is(&mut self, left: Expr) -> Result<Expr, Fault> {
        let negated = self.words.takes("not");
        let read = if self.words.takes("null") {
            Expr::IsNull(Box::new(left))
        } else if self.words.takes("distinct") {
            self.words.needs("from")?;
            let right = self.sum()?;
            Expr::Not(Box::new(same(left, right)?))
        } else {
            let value = match () {
                () if self.words.takes("true") => Some(true),
                () if self.words.takes("false") => Some(false),
                () if self.words.takes("unknown") => None,
                () => return Err(self.words.expected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")),
            };
            Expr::Is(Box::new(left.condition()?), value)
        };
        Ok(if negated { Expr::Not(Box::new(read)) } else { read })
    }

    fn between(&mut self, value: Expr) -> Result<Expr, Fault> {
        let low = self.sum()?;
        self.words.needs("and")?;
        let high = self.sum()?;
        // Columns at both ends are read as the value is.
        let kind = common(common(value.kind(), low.kind()), high.kind());
        let value =
            if value.kind() == Kind::Column && kind != Kind::Text { value.read_as(kind)? } else { value };
        let low = compare(Comparison::AtLeast, value.clone(), low)?;
        Ok(Expr::And(Box::new(low), Box::new(compare(Comparison::AtMost, value, high)?)))
    }

    fn among(&mut self, value: Expr) -> Result<Expr, Fault> {
        self.words.needs_sign("(")?;
        if self.words.peek().is("select") {
            return Err(subquery());
        }
        let mut items = vec![self.sum()?];
        while self.words.takes_sign(",") {
            items.push(self.sum()?);
        }
        self.words.needs_sign(")")?;
        let texts: Option<BTreeSet<String>> = items
            .iter()
            .map(|item| match item {
                Expr::Text(text) => Some(text.clone()),
                _ => None,
            })
            .collect();
        if let (Some(texts), Kind::Column | Kind::Text) = (texts, value.kind()) {
            return Ok(Expr::Among(Box::new(value), texts));
        }
        let mut equal = items.into_iter().map(|item| compare(Comparison::Equal, value.clone(), item));
        let first = equal.next().unwrap_or(Ok(Expr::Truth(false)))?;
        equal.try_fold(first, |any, one| Ok(Expr::Or(Box::new(any), Box::new(one?))))
    }

    fn like(&mut self, value: Expr) -> Result<Expr, Fault> {
        let value = value.read_as(Kind::Text)?;
        let pattern = self.literal_text("a pattern in single quotes, for instance '02%'")?;
        let escape = match self.words.takes("escape") {
            true => self.literal_text("one character in single quotes")?.chars().next(),
            false => None,
        };
        Ok(Expr::Like(Box::new(value), wild(&pattern, escape)))
    }

    fn literal_text(&mut self, what: &str) -> Result<String, Fault> {
        match self.words.peek().clone() {
            Token::Text(text) => {
                self.words.next();
                Ok(text)
            }
            _ => Err(self.words.expected(what)),
        }
    }

    fn sum(&mut self) -> Result<Expr, Fault> {
        let mut left = self.product()?;
        let signs = [("+", Operator::Plus), ("-", Operator::Minus), ("||", Operator::Concat)];
        while let Some(operator) = self.words.takes_one(&signs) {
            let right = self.product()?;
            left = arithmetic(operator, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, Fault> {
        let mut left = self.signed()?;
        let signs = [("*", Operator::Times), ("/", Operator::Over), ("%", Operator::Modulo)];
        while let Some(operator) = self.words.takes_one(&signs) {
            let right = self.signed()?;
            left = arithmetic(operator, left, right)?;
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expr, Fault> {
        if self.words.takes_sign("-") {
            return self.deeper(|parser| match parser.signed()? {
                Expr::Number(number) => Ok(Expr::Number(-number)),
                other => arithmetic(Operator::Minus, Expr::Number(0.0), other),
            });
        }
        if self.words.takes_sign("+") {
            return self.deeper(Parser::signed);
        }
        self.value()
    }

    fn value(&mut self) -> Result<Expr, Fault> {
        let Word { token, at } = self.words.next();
        match token {
            Token::Number(number) => Ok(Expr::Number(number)),
            Token::Text(text) => Ok(Expr::Text(text)),
            Token::Quoted(name) => Ok(self.column(name)),
            Token::Sign("(") if self.words.peek().is("select") => Err(subquery()),
            Token::Sign("(") => {
                let inner = self.deeper(Parser::or)?;
                self.words.needs_sign(")")?;
                Ok(inner)
            }
            Token::Name(name) => self.named(name, at),
            other => Err(self
                .words
                .unexpected(other.to_string(), at)
                .help("a column, a number, text in single quotes or a parenthesis is expected there")),
        }
    }

    /// What a name without quotes begins.
    fn named(&mut self, name: String, at: usize) -> Result<Expr, Fault> {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "true" => return Ok(Expr::Truth(true)),
            "false" => return Ok(Expr::Truth(false)),
            "null" => return Ok(Expr::Null),
            "cast" | "try_cast" => return self.cast(),
            "select" | "exists" => return Err(subquery()),
            "date" if matches!(self.words.peek(), Token::Text(_)) => {
                let text = self.literal_text("a date")?;
                return date(&text).map(Expr::Date).ok_or_else(|| not_a_date(&text));
            }
            _ => {}
        }
        let call = self.words.at_sign("(");
        if CHANGING.contains(&lower.as_str()) && (call || lower.contains('_')) {
            return Err(fault!(
                Input,
                "predicate.not-repeatable",
                "{function} has another result every time",
                function = lower
            )
            .help("write the value: a release must be repeatable"));
        }
        if call {
            return self.call(&lower);
        }
        if KEYWORDS.contains(&lower.as_str()) {
            return Err(self
                .words
                .unexpected(format!("`{name}`"), at)
                .help("a column that is called like a word of SQL is written in double quotes"));
        }
        Ok(self.column(name))
    }

    fn column(&mut self, name: String) -> Expr {
        let place = self.columns.iter().position(|known| *known == name);
        Expr::Column(place.unwrap_or_else(|| {
            self.columns.push(name);
            self.columns.len() - 1
        }))
    }

    fn cast(&mut self) -> Result<Expr, Fault> {
        self.words.needs_sign("(")?;
        let inner = self.deeper(Parser::or)?;
        self.words.needs("as")?;
        let Word { token, at } = self.words.next();
        let kind = match &token {
            Token::Name(name) => match name.to_ascii_lowercase().as_str() {
                "number" | "numeric" | "double" | "float" | "real" | "decimal" | "int" | "integer"
                | "bigint" => Some(Kind::Number),
                "date" => Some(Kind::Date),
                "text" | "varchar" | "char" | "string" => Some(Kind::Text),
                "boolean" | "bool" => Some(Kind::Truth),
                _ => None,
            },
            _ => None,
        };
        let kind = kind.ok_or_else(|| {
            self.words
                .unexpected(token.to_string(), at)
                .help("NUMBER, DATE, TEXT or BOOLEAN is expected there")
        })?;
        self.words.needs_sign(")")?;
        match (inner.kind(), kind) {
            (Kind::Column, Kind::Text) => Ok(Expr::Cast(Box::new(inner), Kind::Text)),
            _ => inner.read_as(kind),
        }
    }

    fn call(&mut self, name: &str) -> Result<Expr, Fault> {
        if AGGREGATES.contains(&name) {
            return Err(fault!(
                Input,
                "predicate.aggregate",
                "{function} looks at several rows",
                function = name
            )
            .help("a condition is about one row"));
        }
        let Some((_, function, least, most)) = FUNCTIONS.into_iter().find(|known| known.0 == name) else {
            let fault = fault!(
                Input,
                "predicate.no-such-function",
                "there is no function `{function}`",
                function = name
            );
            return Err(match nearest(name, FUNCTIONS.iter().map(|known| known.0)) {
                Some(near) => fault.help(format!("did you mean `{near}`?")),
                None => fault.help(format!("there are {}", FUNCTIONS.map(|known| known.0).join(", "))),
            });
        };
        self.words.needs_sign("(")?;
        let mut arguments = Vec::new();
        if !self.words.takes_sign(")") {
            arguments.push(self.deeper(Parser::or)?);
            while self.words.takes_sign(",") {
                arguments.push(self.deeper(Parser::or)?);
            }
            self.words.needs_sign(")")?;
        }
        if !(least..=most).contains(&arguments.len()) {
            return Err(fault!(
                Input,
                "predicate.number-of-arguments",
                "{function} has {given} arguments",
                function = name,
                given = arguments.len()
            ));
        }
        typed(function, arguments)
    }
}

/// A call whose arguments are read as the function needs them.
fn typed(function: Function, arguments: Vec<Expr>) -> Result<Expr, Fault> {
    let kinds = match function {
        Function::Lower | Function::Upper | Function::Trim | Function::Length => vec![Kind::Text],
        Function::Substring => vec![Kind::Text, Kind::Number, Kind::Number],
        Function::Abs => vec![Kind::Number],
        Function::Year | Function::Month | Function::Day => vec![Kind::Date],
        Function::Coalesce | Function::NullIf => {
            let kind = arguments.iter().map(Expr::kind).fold(Kind::Null, |a, b| match (a, b) {
                (Kind::Null, b) => b,
                (a, b) => common(a, b),
            });
            vec![kind; arguments.len()]
        }
    };
    let read = arguments.into_iter().zip(kinds).map(|(argument, kind)| match kind {
        // Columns alone stay what they are: a comparison decides about the result.
        Kind::Column => Ok(argument),
        kind => argument.read_as(kind),
    });
    Ok(Expr::Call(function, read.collect::<Result<_, _>>()?))
}

/// The signs of a pattern.
fn wild(pattern: &str, escape: Option<char>) -> Vec<Wild> {
    let mut signs = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        signs.push(match c {
            c if Some(c) == escape => Wild::Sign(chars.next().unwrap_or(c)),
            '%' => Wild::Many,
            '_' => Wild::One,
            c => Wild::Sign(c),
        });
    }
    signs
}

fn subquery() -> Fault {
    fault!(Input, "predicate.subquery", "a condition cannot contain a query")
        .help("a condition is about one row; keep people who are in another file with the step `present_in`")
}
