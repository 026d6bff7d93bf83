//! What happens to letters: typing mistakes, capitals, small letters, wrapped and quoted lines,
//! tabs, missing points. Spans move with the text. Linear in the text.

use std::ops::Range;

use super::chance::Chance;
use super::{Letter, Truth};

/// A word with two letters swapped, one lost, doubled or changed; never the first, and the word
/// stays different.
pub(super) fn typo(word: &str, chance: &mut Chance) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() < 4 {
        return word.to_owned();
    }
    let at = 1 + chance.below(letters.len() - 2);
    match chance.below(4) {
        0 if letters[at] != letters[at + 1] => letters.swap(at, at + 1),
        1 => letters.insert(at, letters[at]),
        2 => drop(letters.remove(at)),
        _ if letters[at].is_alphabetic() => letters[at] = if letters[at] == 'e' { 'a' } else { 'e' },
        _ => {}
    }
    letters.into_iter().collect()
}

/// How a letter is written down.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Layout {
    capitals: bool,
    lower: bool,
    /// Lines end at this column, if they are wrapped.
    width: Option<usize>,
    /// What a wrapped line starts with.
    margin: &'static str,
    /// Typing mistakes in a thousand words that are not identifiers.
    typos: usize,
    /// The same for names.
    name_typos: usize,
    drop_points: bool,
    crlf: bool,
}

impl Layout {
    /// A layout for a letter.
    pub fn new(chance: &mut Chance) -> Self {
        let case = chance.below(1000);
        Layout {
            capitals: case < 35,
            lower: (35..55).contains(&case),
            width: chance.permille(450).then(|| 56 + chance.below(30)),
            margin: match chance.below(20) {
                0 => "    ",
                1 => " ",
                _ => "",
            },
            typos: if chance.permille(150) { 12 } else { 2 },
            name_typos: 8,
            drop_points: chance.permille(50),
            crlf: chance.permille(40),
        }
    }
}

/// Copies a text with changes and keeps the places of spans.
struct Copy<'a> {
    old: &'a str,
    new: String,
    /// Pairs of old and new offsets, at every start and end of a span, in order.
    edges: Vec<(usize, usize)>,
}

impl Copy<'_> {
    fn place(&self, old: usize) -> usize {
        self.edges.binary_search_by_key(&old, |&(old, _)| old).map_or(0, |found| self.edges[found].1)
    }
}

/// Rewrites a letter in a layout.
pub(super) fn rewritten(letter: Letter, layout: Layout, chance: &mut Chance) -> Letter {
    let mut edges: Vec<(usize, usize)> =
        Vec::with_capacity(letter.truth.len() * 2 + letter.medical.len() * 2);
    let spans = letter.truth.iter().map(|truth| truth.start..truth.end);
    for span in spans.chain(letter.medical.iter().cloned()).chain(letter.optional.iter().cloned()) {
        edges.push((span.start, 0));
        edges.push((span.end, 0));
    }
    edges.sort_unstable();
    edges.dedup();
    let mut copy = Copy { old: &letter.text, new: String::with_capacity(letter.text.len() + 64), edges };
    write(&mut copy, &letter, layout, chance);
    let moved = |range: &Range<usize>| copy.place(range.start)..copy.place(range.end);
    let truth = |truth: &Truth| Truth {
        start: copy.place(truth.start),
        end: copy.place(truth.end),
        kind: truth.kind,
    };
    Letter {
        truth: letter.truth.iter().map(truth).collect(),
        medical: letter.medical.iter().map(moved).collect(),
        optional: letter.optional.iter().map(moved).collect(),
        text: copy.new,
        ..letter
    }
}

/// Goes over the words between blanks and edges.
fn write(copy: &mut Copy<'_>, letter: &Letter, layout: Layout, chance: &mut Chance) {
    let old = copy.old;
    let (mut at, mut edge, mut column, mut truth, mut medical) = (0, 0, 0, 0, 0);
    while at < old.len() || edge < copy.edges.len() {
        if edge < copy.edges.len() && copy.edges[edge].0 == at {
            copy.edges[edge].1 = copy.new.len();
            edge += 1;
            continue;
        }
        let limit = copy.edges.get(edge).map_or(old.len(), |&(old, _)| old);
        let rest = &old[at..limit];
        let word = &rest[..rest.find([' ', '\n']).unwrap_or(rest.len())];
        if word.is_empty() {
            column = blank(copy, rest.starts_with('\n'), column, layout);
            at += 1;
            continue;
        }
        while letter.truth.get(truth).is_some_and(|truth| truth.end <= at) {
            truth += 1;
        }
        while letter.medical.get(medical).is_some_and(|medical| medical.end <= at) {
            medical += 1;
        }
        let known = letter.truth.get(truth).filter(|truth| truth.start <= at).map(|truth| truth.kind);
        let kept = letter.medical.get(medical).is_some_and(|medical| medical.start <= at);
        let share = match known {
            Some(crate::Kind::Person) => layout.name_typos,
            Some(_) => 0,
            None if kept || !word.bytes().all(|byte| byte.is_ascii_lowercase()) => 0,
            None => layout.typos,
        };
        let changed = if share > 0 && word.len() > 4 && chance.permille(share) {
            Some(typo(word, chance))
        } else {
            None
        };
        let before = copy.new.len();
        push(copy, changed.as_deref().unwrap_or(word), known.is_none(), layout);
        column += copy.new.len() - before;
        at += word.len();
    }
}

fn push(copy: &mut Copy<'_>, word: &str, free: bool, layout: Layout) {
    let word = if free && layout.drop_points && word.ends_with('.') { &word[..word.len() - 1] } else { word };
    if layout.capitals {
        copy.new.extend(word.chars().flat_map(char::to_uppercase));
    } else if layout.lower {
        copy.new.extend(word.chars().flat_map(char::to_lowercase));
    } else {
        copy.new.push_str(word);
    }
}

/// Writes a blank or the end of a line; a blank beyond the width ends the line.
fn blank(copy: &mut Copy<'_>, line: bool, column: usize, layout: Layout) -> usize {
    if !line && layout.width.is_none_or(|width| column < width) {
        copy.new.push(' ');
        return column + 1;
    }
    copy.new.push_str(if layout.crlf { "\r\n" } else { "\n" });
    if !line {
        copy.new.push_str(layout.margin);
    }
    0
}
