//! Words and numbers of a text, folded: lower case, without accents, digits of all scripts as 0 to
//! 9.
//!
//! Letters and digits are different tokens, so that `47yo` has two. Signs that nobody sees (soft
//! hyphens, zero-width spaces) do not end a token. Linear in the text.

use std::ops::Range;

/// A run of letters, or of digits.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
    /// Its folded characters, in bytes of [`Folded::text`].
    folded: Range<usize>,
    pub(super) digits: bool,
    /// Characters between it and the token before.
    pub(super) gap: usize,
}

/// A text as tokens.
#[derive(Debug, Default)]
pub(super) struct Folded {
    text: String,
    pub(super) tokens: Vec<Token>,
}

impl Folded {
    pub(super) fn new(source: &str) -> Self {
        let mut folded = Folded::default();
        let (mut open, mut gap) = (false, 0);
        for (at, c) in source.char_indices() {
            if is_unseen(c) {
                continue;
            }
            if !c.is_alphanumeric() {
                gap += 1;
                open = false;
                continue;
            }
            let (digits, end) = (c.is_numeric(), at + c.len_utf8());
            let begins = !open || folded.tokens.last().is_none_or(|token| token.digits != digits);
            if begins {
                let start = folded.text.len();
                folded.tokens.push(Token { range: at..end, folded: start..start, digits, gap });
            }
            (open, gap) = (true, 0);
            fold(c, &mut folded.text);
            if let Some(token) = folded.tokens.last_mut() {
                (token.range.end, token.folded.end) = (end, folded.text.len());
            }
        }
        folded
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The folded text of a token.
    pub(super) fn get(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.folded.clone()])
    }

    /// All tokens as one word.
    pub(super) fn joined(&self) -> &str {
        &self.text
    }

    /// Some tokens as one word.
    pub(super) fn window(&self, tokens: Range<usize>) -> &str {
        match (self.tokens.get(tokens.start), self.tokens.get(tokens.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if tokens.start < tokens.end => {
                &self.text[first.folded.start..last.folded.end]
            }
            _ => "",
        }
    }

    /// The bytes of some tokens in the text.
    pub(super) fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        let end = self.tokens[tokens.end - 1].range.end;
        self.tokens[tokens.start].range.start..end
    }
}

/// Signs that nobody sees, and accents of their own.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{300}'..='\u{36f}')
}

/// Appends a character in lower case and without accents.
fn fold(c: char, to: &mut String) {
    let digit = |first: char| char::from_digit(c as u32 - first as u32, 10).unwrap_or('0');
    match c {
        '0'..='9' | 'a'..='z' => to.push(c),
        'A'..='Z' => to.push(c.to_ascii_lowercase()),
        '\u{660}'..='\u{669}' => to.push(digit('\u{660}')),
        '\u{6f0}'..='\u{6f9}' => to.push(digit('\u{6f0}')),
        '\u{ff10}'..='\u{ff19}' => to.push(digit('\u{ff10}')),
        _ => c.to_lowercase().for_each(|c| to.push_str(plain(c).unwrap_or(c.encode_utf8(&mut [0; 4])))),
    }
}

/// A Latin letter without its accent.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' | 'ǎ' => "a",
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => "g",
        'ĥ' | 'ħ' => "h",
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => "i",
        'ĵ' => "j",
        'ķ' => "k",
        'ĺ' | 'ļ' | 'ľ' | 'ŀ' | 'ł' => "l",
        'ñ' | 'ń' | 'ņ' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => "o",
        'ŕ' | 'ŗ' | 'ř' => "r",
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => "s",
        'ţ' | 'ť' | 'ŧ' | 'ț' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => "u",
        'ŵ' => "w",
        'ý' | 'ÿ' | 'ŷ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        _ => return None,
    })
}

/// Whether two words are equal after at most one character is changed, left out or added, or two
/// neighbours are exchanged.
pub(super) fn within_one_edit(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > 4 {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([], []) => true,
        ([_, a @ ..], b) if a == b => true,
        (a, [_, b @ ..]) if a == b => true,
        ([a1, a @ ..], [b1, b @ ..]) => {
            let exchanged =
                || matches!((a, b), ([a2, a @ ..], [b2, b @ ..]) if a1 == b2 && a2 == b1 && a == b);
            a == b || exchanged()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let folded = Folded::new(text);
        (0..folded.len()).map(|at| folded.get(at).to_owned()).collect()
    }

    #[test]
    fn words_are_folded() {
        assert_eq!(tokens("Mrs. O'Brien-Müller, 47yo"), ["mrs", "o", "brien", "muller", "47", "yo"]);
        assert_eq!(tokens("Town\u{ad}send E\u{301}lan"), ["townsend", "elan"]);
        assert_eq!(tokens("٤٧ سنة"), ["47", "سنة"]);
        assert_eq!(tokens(" -- "), Vec::<String>::new());
        let folded = Folded::new("a - b");
        assert_eq!(folded.tokens[1].gap, 3);
        assert_eq!((folded.joined(), folded.window(0..2), folded.bytes(0..2)), ("ab", "ab", 0..5));
    }

    /// Optimal string alignment by its definition.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    table[i][j] = i + j;
                    continue;
                }
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut least =
                    (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                table[i][j] = least;
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn one_edit_is_an_alignment_of_at_most_one(a in "[abé]{0,6}", b in "[abé]{0,6}") {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            prop_assert_eq!(within_one_edit(&a, &b), distance(&x, &y) <= 1, "{} {}", a, b);
        }

        #[test]
        fn tokens_are_in_the_text_and_in_order(text in ".{0,60}") {
            let folded = Folded::new(&text);
            let mut end = 0;
            for token in &folded.tokens {
                prop_assert!(token.range.start >= end && text.get(token.range.clone()).is_some());
                end = token.range.end;
            }
        }
    }
}
