//! The words of conditions ([`predicate`](crate::predicate)) and of expressions
//! ([`expression`](crate::expression)): names, columns in quotes, text, numbers and signs. Linear
//! in the text.

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

/// A text that cannot be divided into words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Misread {
    /// A word that is none, as a message quotes it, and its first character.
    Word(String, usize),
    /// A quote that is not closed, and its place.
    OpenQuote(char, usize),
}

/// Divides a text into words; the last one is the end.
pub(crate) fn words(text: &str) -> Result<Vec<Word>, Misread> {
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
