//! The grammar: rules with alternatives, read once from the files in `grammar/`.
//!
//! A line `:name` starts a rule, each line behind it is an alternative, `3*` in front of one makes
//! it three times as likely, `#` starts a comment. In an alternative, `{rule}` is replaced by the
//! rule, `{rule*2-4}` by two to four of them with blanks between, `{=a|b}` by a or b, `{10-99}` and
//! `{1.0-9.9}` by a number, and any other `{…}` by a value of the letter's world. `[…]` marks a
//! medical phrase; `\n` starts a line.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::slot::Slot;

/// A part of an alternative.
#[derive(Debug)]
pub(super) enum Piece {
    /// Text as it is.
    Text(Box<str>),
    /// A rule, repeated from the first to the second number of times.
    Rule(usize, usize, usize),
    /// One of several texts.
    Choice(Vec<Box<str>>),
    /// A number from low to high, in units of the last decimal; with its decimals and least width.
    Number { low: i64, high: i64, decimals: usize, width: usize },
    /// A value of the letter's world.
    Slot(Slot),
    /// The start of a medical phrase.
    Open,
    /// The end of a medical phrase.
    Close,
}

/// A rule: its alternatives, those of a higher weight several times.
#[derive(Debug, Default)]
pub(super) struct Rule {
    alternatives: Vec<Vec<Piece>>,
    /// Places of alternatives, as often as their weights.
    pub draws: Vec<usize>,
}

impl Rule {
    /// The alternative of a draw.
    pub fn alternative(&self, draw: usize) -> &[Piece] {
        &self.alternatives[self.draws[draw]]
    }
}

/// All rules.
#[derive(Debug)]
pub(super) struct Grammar {
    pub rules: Vec<Rule>,
    names: FxHashMap<&'static str, usize>,
}

const FILES: [&str; 4] = [
    include_str!("grammar/medical.txt"),
    include_str!("grammar/plain.txt"),
    include_str!("grammar/people.txt"),
    include_str!("grammar/documents.txt"),
];

/// The grammar of the files.
pub(super) fn grammar() -> &'static Grammar {
    static GRAMMAR: OnceLock<Grammar> = OnceLock::new();
    GRAMMAR.get_or_init(Grammar::read)
}

impl Grammar {
    fn read() -> Self {
        let lines = || {
            FILES
                .iter()
                .flat_map(|file| file.lines())
                .filter(|line| !line.starts_with('#') && !line.is_empty())
        };
        let names: FxHashMap<&str, usize> = lines()
            .filter_map(|line| line.strip_prefix(':'))
            .enumerate()
            .map(|(number, name)| (name, number))
            .collect();
        let mut rules: Vec<Rule> = Vec::new();
        for line in lines() {
            if line.starts_with(':') {
                rules.push(Rule::default());
            } else if let Some(rule) = rules.last_mut() {
                let (weight, text) = weighted(line);
                rule.draws.extend(std::iter::repeat_n(rule.alternatives.len(), weight));
                rule.alternatives.push(pieces(text, &names));
            }
        }
        Grammar { rules, names }
    }

    /// The rule of a name; the grammar's own tests check that all exist.
    pub fn rule(&self, name: &str) -> usize {
        self.names.get(name).copied().unwrap_or(0)
    }
}

fn weighted(line: &str) -> (usize, &str) {
    line.split_once('*').and_then(|(weight, text)| Some((weight.parse().ok()?, text))).unwrap_or((1, line))
}

fn pieces(text: &str, names: &FxHashMap<&'static str, usize>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = rest.find(['{', '[', ']']).unwrap_or(rest.len());
        if at > 0 {
            pieces.push(Piece::Text(rest[..at].replace("\\n", "\n").into()));
        }
        let Some(sign) = rest[at..].chars().next() else { break };
        rest = &rest[at + 1..];
        match sign {
            '[' => pieces.push(Piece::Open),
            ']' => pieces.push(Piece::Close),
            _ => {
                let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
                pieces.push(piece(inside, names));
                rest = after;
            }
        }
    }
    pieces
}

fn piece(inside: &str, names: &FxHashMap<&'static str, usize>) -> Piece {
    if let Some(choices) = inside.strip_prefix('=') {
        return Piece::Choice(choices.split('|').map(Into::into).collect());
    }
    if let Some(number) = number(inside) {
        return number;
    }
    let (name, low, high) = repeated(inside).unwrap_or((inside, 1, 1));
    match names.get(name) {
        Some(&rule) => Piece::Rule(rule, low, high),
        None => Slot::parse(inside).map_or_else(|| Piece::Text(format!("{{{inside}}}").into()), Piece::Slot),
    }
}

fn repeated(inside: &str) -> Option<(&str, usize, usize)> {
    let (name, times) = inside.split_once('*')?;
    let (low, high) = times.split_once('-')?;
    Some((name, low.parse().ok()?, high.parse().ok()?))
}

fn number(inside: &str) -> Option<Piece> {
    let (low, high) = inside.split_once('-')?;
    let decimals = low.split_once('.').map_or(0, |(_, after)| after.len());
    let units = |text: &str| text.replace('.', "").parse::<i64>().ok();
    let width = if low.starts_with('0') && decimals == 0 { low.len() } else { 1 };
    Some(Piece::Number { low: units(low)?, high: units(high)?, decimals, width })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_grammar_is_a_rule_or_a_slot() {
        for rule in &grammar().rules {
            assert!(!rule.draws.is_empty());
            for alternative in &rule.alternatives {
                let depth = alternative.iter().fold(0, |depth, piece| match piece {
                    Piece::Open => depth + 1,
                    Piece::Close => depth - 1,
                    Piece::Text(text) => {
                        assert!(!text.contains(['{', '}']), "{text:?} is neither a rule nor a slot");
                        depth
                    }
                    _ => depth,
                });
                assert_eq!(depth, 0, "{alternative:?}");
            }
        }
    }

    #[test]
    fn numbers_repetitions_and_weights_are_read() {
        assert!(matches!(
            number("1.0-9.9"),
            Some(Piece::Number { low: 10, high: 99, decimals: 1, width: 1 })
        ));
        assert!(matches!(number("01-40"), Some(Piece::Number { low: 1, high: 40, decimals: 0, width: 2 })));
        assert!(number("rel-word").is_none());
        assert_eq!(repeated("s*2-4"), Some(("s", 2, 4)));
        assert_eq!(weighted("3*{plain}"), (3, "{plain}"));
        assert_eq!(weighted("{x*2-4}"), (1, "{x*2-4}"));
    }
}
