//! The words of conditions ([`predicate`](crate::predicate)) and of expressions
//! ([`expression`](crate::expression)): names, columns in quotes, text, numbers and signs; and the
//! cursor with which both parsers read them. Linear in the text.

#![expect(clippy::result_large_err, reason = "a fault is boxed once a text is read, which happens once")]

use crate::error::Fault;

/// Parentheses and the like may nest this deep.
const DEEPEST: usize = 64;

/// A word with the character at which it begins, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    pub(crate) token: Token,
    pub(crate) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A name without quotes: a keyword, a function or a column.
    Name(String),
    /// A column in double quotes.
    Quoted(String),
    Text(String),
    Number(f64),
    /// An operator or another sign.
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 16] =
    ["<>", "!=", "<=", ">=", "||", "=", "<", ">", "(", ")", ",", "+", "-", "*", "/", "%"];

impl Token {
    /// Whether it is a keyword, in any case.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Name(name) if name.eq_ignore_ascii_case(keyword))
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Name(name) => write!(f, "`{name}`"),
            Token::Quoted(name) => write!(f, "`\"{name}\"`"),
            Token::Text(text) => write!(f, "`'{text}'`"),
            Token::Number(number) => write!(f, "`{number}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::End => f.write_str("the end"),
        }
    }
}

/// Whether a column can be named without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    name.starts_with(begins_name) && name.chars().all(in_name)
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A text that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Misread {
    /// A word that cannot be where it is, as a message quotes it, and its first character.
    Word(String, usize),
    /// A quote that is not closed, and its place.
    OpenQuote(char, usize),
    /// More parts than this are nested in each other.
    TooDeep(usize),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// Reads words one by one.
pub(crate) struct Cursor {
    words: Vec<Word>,
    at: usize,
    depth: usize,
    /// The fault of a text that cannot be read; its code names the language.
    fault: fn(Misread) -> Fault,
}

impl Cursor {
    /// At the first word of a text.
    pub(crate) fn new(text: &str, fault: fn(Misread) -> Fault) -> Result<Self, Fault> {
        Ok(Cursor { words: words(text).map_err(fault)?, at: 0, depth: 0, fault })
    }

    /// Whether there are no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of words, without the end.
    pub(crate) fn len(&self) -> usize {
        self.words.len() - 1
    }

    fn word(&self) -> &Word {
        &self.words[self.at.min(self.words.len() - 1)]
    }

    pub(crate) fn peek(&self) -> &Token {
        &self.word().token
    }

    /// The character at which the next word begins.
    pub(crate) fn place(&self) -> usize {
        self.word().at
    }

    pub(crate) fn next(&mut self) -> Word {
        let word = self.word().clone();
        self.at += 1;
        word
    }

    /// Goes past the next word if it is a keyword.
    pub(crate) fn takes(&mut self, keyword: &str) -> bool {
        let is = self.peek().is(keyword);
        self.at += usize::from(is);
        is
    }

    /// Goes past the next word if it is a sign.
    pub(crate) fn takes_sign(&mut self, sign: &str) -> bool {
        let is = self.at_sign(sign);
        self.at += usize::from(is);
        is
    }

    /// Whether the next word is a sign.
    pub(crate) fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    /// Goes past the next word if it is one of some signs, and says what the sign stands for.
    pub(crate) fn takes_one<T: Copy>(&mut self, signs: &[(&str, T)]) -> Option<T> {
        let found = signs.iter().find(|(sign, _)| self.at_sign(sign)).map(|(_, means)| *means);
        self.at += usize::from(found.is_some());
        found
    }

    /// Goes past the next word if it compares.
    pub(crate) fn takes_comparison(&mut self) -> Option<Comparison> {
        self.takes_one(&[
            ("=", Comparison::Equal),
            ("<>", Comparison::Unequal),
            ("<", Comparison::Less),
            ("<=", Comparison::AtMost),
            (">", Comparison::Greater),
            (">=", Comparison::AtLeast),
        ])
    }

    pub(crate) fn needs(&mut self, keyword: &str) -> Result<(), Fault> {
        if self.takes(keyword) { Ok(()) } else { Err(self.expected(keyword)) }
    }

    pub(crate) fn needs_sign(&mut self, sign: &str) -> Result<(), Fault> {
        if self.takes_sign(sign) { Ok(()) } else { Err(self.expected(sign)) }
    }

    /// The next word is not what it has to be.
    pub(crate) fn expected(&mut self, what: &str) -> Fault {
        let Word { token, at } = self.next();
        self.unexpected(token.to_string(), at).help(format!("`{what}` is expected there"))
    }

    /// A word that cannot be where it is.
    pub(crate) fn unexpected(&self, word: String, at: usize) -> Fault {
        (self.fault)(Misread::Word(word, at))
    }

    /// Goes down one step, unless that is too deep.
    pub(crate) fn descend(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEEPEST { Err((self.fault)(Misread::TooDeep(DEEPEST))) } else { Ok(()) }
    }

    /// Comes back up.
    pub(crate) fn ascend(&mut self) {
        self.depth -= 1;
    }
}

/// Divides a text into words; the last one is the end.
fn words(text: &str) -> Result<Vec<Word>, Misread> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let at = text[..text.len() - rest.len()].chars().count() + 1;
        let Some(first) = rest.chars().next() else {
            words.push(Word { token: Token::End, at });
            return Ok(words);
        };
        let (token, length) = match first {
            '\'' => quoted(rest, '\'', at).map(|(text, length)| (Token::Text(text), length))?,
            '"' => quoted(rest, '"', at).map(|(name, length)| (Token::Quoted(name), length))?,
            c if begins_name(c) => {
                let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
                (Token::Name(rest[..length].to_owned()), length)
            }
            c if c.is_ascii_digit() || c == '.' => number(rest, at)?,
            _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                Some("!=") => (Token::Sign("<>"), 2),
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err(Misread::Word(format!("`{first}`"), at)),
            },
        };
        words.push(Word { token, at });
        rest = &rest[length..];
    }
}

/// Text in quotes, in which two quotes stand for one; and its length with its quotes.
fn quoted(rest: &str, quote: char, at: usize) -> Result<(String, usize), Misread> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((place, c)) = chars.next() {
        if c != quote {
            text.push(c);
        } else if chars.next_if(|next| next.1 == quote).is_some() {
            text.push(quote);
        } else {
            return Ok((text, place + 1));
        }
    }
    Err(Misread::OpenQuote(quote, at))
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), Misread> {
    let mut length = 0;
    let mut before = ' ';
    for c in rest.chars() {
        let sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
        if !(in_name(c) || c == '.' || sign) {
            break;
        }
        length += c.len_utf8();
        before = c;
    }
    let read = rest[..length].parse::<f64>().ok().filter(|number| number.is_finite());
    let wrong = || Misread::Word(format!("`{}`, which is not a number,", &rest[..length]), at);
    Ok((Token::Number(read.ok_or_else(wrong)?), length))
}
