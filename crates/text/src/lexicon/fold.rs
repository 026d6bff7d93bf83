//! Folding and hashing of words: lower case, no accents, a hyphen is a blank.
//!
//! `knowledge/builder/lexicon.py` folds the keys in the same way. A word of ASCII costs about a
//! nanosecond per byte; nothing is allocated.

use std::sync::OnceLock;

/// Accented letters in lower case by the letter that they are looked up as.
const ACCENTED: &[(u8, &str)] = &[
    (b'a', "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    (b'b', "ḃḅḇ"),
    (b'c', "çćĉċčḉ"),
    (b'd', "ðďđḋḍḏḑḓ"),
    (b'e', "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    (b'f', "ḟ"),
    (b'g', "ĝğġģǧǵḡ"),
    (b'h', "ĥħȟḣḥḧḩḫẖ"),
    (b'i', "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    (b'j', "ĵǰ"),
    (b'k', "ķǩḱḳḵ"),
    (b'l', "ĺļľłḷḹḻḽ"),
    (b'm', "ḿṁṃ"),
    (b'n', "ñńņňŋǹṅṇṉṋ"),
    (b'o', "òóôõöøōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    (b'p', "ṕṗ"),
    (b'r', "ŕŗřȑȓṙṛṝṟ"),
    (b's', "śŝşšſșṡṣṥṧṩẛ"),
    (b't', "ţťțṫṭṯṱẗ"),
    (b'u', "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    (b'v', "ṽṿ"),
    (b'w', "ŵẁẃẅẇẉẘ"),
    (b'x', "ẋẍ"),
    (b'y', "ýÿŷȳẏẙỳỵỷỹ"),
    (b'z', "źżžẑẓẕ"),
];

/// Letters that become two.
const PAIRS: &[(char, [u8; 2])] = &[
    ('ß', *b"ss"),
    ('æ', *b"ae"),
    ('œ', *b"oe"),
    ('þ', *b"th"),
    ('ĳ', *b"ij"),
    ('ﬁ', *b"fi"),
    ('ﬂ', *b"fl"),
];

/// Returns the hash under which the table has a word or phrase. Case, accents, and the difference
/// between blank and hyphen do not matter.
///
/// ```
/// use throng_text::lexicon::hash;
/// assert_eq!(hash("Müller-Lüdenscheidt"), hash("muller ludenscheidt"));
/// ```
pub fn hash(word: &str) -> u64 {
    hash_ascii(word.as_bytes()).unwrap_or_else(|| {
        let mut hasher = Hasher::default();
        hasher.push_word(word);
        hasher.finish()
    })
}

/// The hash of a word of up to 16 small letters, which are the bytes of a number.
#[inline]
pub fn hash_packed(letters: u128, length: usize) -> u64 {
    let (low, high) = (letters as u64, (letters >> 64) as u64);
    match length {
        0..8 => finish(0, low, length),
        8..16 => finish(mix(0, low), high, length),
        _ => finish(mix(mix(0, low), high), 0, length),
    }
}

/// The hash of a word of the table.
pub(super) fn hash_bytes(word: &[u8]) -> u64 {
    hash_ascii(word).unwrap_or_else(|| hash(&String::from_utf8_lossy(word)))
}

/// The hash of a word that is ASCII, eight bytes at a time; none for another word.
fn hash_ascii(word: &[u8]) -> Option<u64> {
    let (chunks, rest) = word.as_chunks::<8>();
    let mut state = 0;
    for &chunk in chunks {
        state = mix(state, fold_eight(u64::from_le_bytes(chunk))?);
    }
    Some(finish(state, fold_eight(fewer_than_eight(rest))?, word.len()))
}

/// Up to seven bytes as a little-endian number. Reads that overlap need no loop.
fn fewer_than_eight(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    if let (Some(&first), Some(&last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_le_bytes(last));
        return u64::from(u32::from_le_bytes(first)) | last << (8 * (length - 4));
    }
    let at = |place: usize| bytes.get(place).map_or(0, |&byte| u64::from(byte) << (8 * place));
    at(0) | at(1) | at(2)
}

/// Folds eight bytes of ASCII: letters to lower case, hyphens to blanks.
fn fold_eight(bytes: u64) -> Option<u64> {
    if bytes & HIGH != 0 {
        return None;
    }
    // A byte's high bit is set where the byte is at least the letter; no byte overflows.
    let at_least = |letter: u8| bytes + ONES * u64::from(0x80 - letter);
    let upper = at_least(b'A') & !at_least(b'Z' + 1) & HIGH;
    let hyphen = at_least(b'-') & !at_least(b'-' + 1) & HIGH;
    Some((bytes | upper >> 2) ^ ((hyphen >> 7) * u64::from(b'-' ^ b' ')))
}

/// The letters of ASCII that some bytes start with; at most eight.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    /// In small letters; 0 behind them.
    folded: u64,
    len: u32,
    capitals: u32,
}

impl Letters {
    /// Reads the letters that some bytes start with, all eight at a time.
    #[inline]
    pub fn read(bytes: &[u8]) -> Self {
        let bytes = match bytes.first_chunk::<8>() {
            Some(&chunk) => u64::from_le_bytes(chunk),
            None => fewer_than_eight(bytes),
        };
        // The low seven bits of each byte as a small letter; no byte of a sum overflows.
        let small = (bytes | (0x20 * ONES)) & !HIGH;
        let at_least = |letter: u8| small + ONES * u64::from(0x80 - letter);
        let letters = at_least(b'a') & !at_least(b'z' + 1) & !bytes & HIGH;
        let len = (!letters & HIGH).trailing_zeros() / 8;
        let own = !u64::MAX.checked_shl(8 * len).unwrap_or(0);
        Letters { folded: small & own, len, capitals: (letters & own & !(bytes << 2)).count_ones() }
    }

    /// How many there are.
    #[inline]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// How many of them are capitals.
    #[inline]
    pub fn capitals(self) -> usize {
        self.capitals as usize
    }
}

/// The [`hash`] of a word of ASCII letters that are read eight at a time.
#[derive(Debug, Clone, Copy, Default)]
pub struct LetterHash {
    state: u64,
    rest: u64,
    length: usize,
}

impl LetterHash {
    /// Adds letters; only the last ones are fewer than eight.
    #[inline]
    pub fn push(&mut self, letters: Letters) {
        self.length += letters.len();
        match letters.len {
            8 => self.state = mix(self.state, letters.folded),
            _ => self.rest = letters.folded,
        }
    }

    /// The hash of all letters.
    #[inline]
    pub fn finish(self) -> u64 {
        finish(self.state, self.rest, self.length)
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The [`hash`] of a word of letters and apostrophes that starts with a letter, when the program is
/// compiled; none for a word with a sign or digit of ASCII. Other letters are those of two bytes
/// that are folded.
pub const fn hash_letters(word: &[u8]) -> Option<u64> {
    let (mut state, mut chunk, mut length, mut at) = (0, 0, 0, 0);
    while at < word.len() {
        let (folded, read) = match word[at] {
            b'\'' if at > 0 => ([b'\'', 0], 1),
            0xe2 if at > 0 && word[at + 1] == 0x80 && word[at + 2] == 0x99 => ([b'\'', 0], 3),
            sign if sign.is_ascii_alphabetic() => ([sign.to_ascii_lowercase(), 0], 1),
            sign if sign.is_ascii() => return None,
            sign => (fold_two_bytes(sign, word[at + 1]), 2),
        };
        at += read;
        let mut place = 0;
        while place < 2 && folded[place] != 0 {
            chunk |= (folded[place] as u64) << (length % 8 * 8);
            length += 1;
            if length % 8 == 0 {
                (state, chunk) = (mix(state, chunk), 0);
            }
            place += 1;
        }
    }
    if at == 0 { None } else { Some(finish(state, chunk, length)) }
}

/// The one or two letters that a small letter of two bytes is folded to.
const fn fold_two_bytes(first: u8, second: u8) -> [u8; 2] {
    let mut at = 0;
    while at < PAIRS.len() {
        if PAIRS[at].0 as u32 == (first as u32 & 0x1f) << 6 | second as u32 & 0x3f {
            return PAIRS[at].1;
        }
        at += 1;
    }
    let mut at = 0;
    while at < ACCENTED.len() {
        let letters = ACCENTED[at].1.as_bytes();
        let mut place = 1;
        while place < letters.len() {
            if letters[place - 1] == first && letters[place] == second {
                return [ACCENTED[at].0, 0];
            }
            place += 1;
        }
        at += 1;
    }
    panic!("only small letters that are folded can be hashed when the program is compiled")
}

const fn mix(state: u64, chunk: u64) -> u64 {
    let product = (state ^ chunk ^ FACTOR) as u128 * FACTOR as u128;
    (product as u64) ^ (product >> 64) as u64
}

/// Mixes the last bytes, at most seven, with the length.
const fn finish(state: u64, rest: u64, length: usize) -> u64 {
    let state = mix(state, rest ^ (length as u64) << 56);
    state ^ (state >> 29)
}

/// Calls with the word as the table has it. Allocates nothing for a usual word.
pub fn with_folded<T>(word: &str, call: impl FnOnce(&str) -> T) -> T {
    let mut bytes = [0; 32];
    if let Some(own) = bytes.get_mut(..word.len()).filter(|_| word.is_ascii()) {
        own.iter_mut().zip(word.bytes()).for_each(|(own, byte)| *own = fold_ascii(byte));
        if let Ok(folded) = std::str::from_utf8(own) {
            return call(folded);
        }
    }
    call(&folded(word))
}

/// Appends the word as the table has it.
pub fn fold_into(word: &str, folded: &mut String) {
    match word.is_ascii() && !word.contains('-') {
        true => {
            let from = folded.len();
            folded.push_str(word);
            folded[from..].make_ascii_lowercase();
        }
        false => folded.push_str(&self::folded(word)),
    }
}

/// Returns the word as the table has it.
pub fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.bytes().map(|byte| char::from(fold_ascii(byte))).collect();
    }
    let mut bytes = Vec::with_capacity(word.len());
    fold(word, |byte| bytes.push(byte));
    String::from_utf8_lossy(&bytes).into_owned()
}

fn fold_ascii(byte: u8) -> u8 {
    match byte {
        b'-' => b' ',
        _ => byte.to_ascii_lowercase(),
    }
}

fn fold(word: &str, mut push: impl FnMut(u8)) {
    if word.is_ascii() {
        return word.bytes().for_each(|byte| push(fold_ascii(byte)));
    }
    for letter in word.chars().flat_map(char::to_lowercase) {
        match letter {
            _ if letter.is_ascii() => push(fold_ascii(letter as u8)),
            '\u{2018}' | '\u{2019}' | '\u{2bc}' => push(b'\''),
            '\u{2010}'..='\u{2013}' => push(b' '),
            // Accents that follow their letter.
            '\u{300}'..='\u{36f}' => {}
            _ => fold_letter(letter, &mut push),
        }
    }
}

fn fold_letter(letter: char, push: &mut impl FnMut(u8)) {
    if let Some(&(_, pair)) = PAIRS.iter().find(|(from, _)| *from == letter) {
        pair.into_iter().for_each(push);
    } else if let Some(base) = base(letter) {
        push(base);
    } else {
        letter.encode_utf8(&mut [0; 4]).bytes().for_each(push);
    }
}

/// The letter without its accent.
fn base(letter: char) -> Option<u8> {
    static BASES: OnceLock<Vec<u8>> = OnceLock::new();
    let bases = BASES.get_or_init(|| {
        let mut bases = vec![0; 0x1f00];
        for &(base, letters) in ACCENTED {
            letters.chars().for_each(|letter| bases[letter as usize] = base);
        }
        bases
    });
    bases.get(letter as usize).copied().filter(|&base| base != 0)
}

/// The same hash for bytes that come one by one.
#[derive(Default, Clone, Copy)]
pub(super) struct Hasher {
    state: u64,
    chunk: u64,
    length: usize,
}

impl Hasher {
    pub(super) fn push(&mut self, byte: u8) {
        self.chunk |= u64::from(byte) << (self.length % 8 * 8);
        self.length += 1;
        if self.length.is_multiple_of(8) {
            self.state = mix(self.state, self.chunk);
            self.chunk = 0;
        }
    }

    pub(super) fn push_word(&mut self, word: &str) {
        let before = *self;
        if self.push_ascii(word.as_bytes()).is_none() {
            *self = before;
            fold(word, |byte| self.push(byte));
        }
    }

    /// Adds a word of ASCII, eight bytes at a time; none for another word.
    fn push_ascii(&mut self, word: &[u8]) -> Option<()> {
        let (chunks, rest) = word.as_chunks::<8>();
        for &chunk in chunks {
            self.push_some(fold_eight(u64::from_le_bytes(chunk))?, 8);
        }
        self.push_some(fold_eight(fewer_than_eight(rest))?, rest.len());
        Some(())
    }

    /// Adds up to eight bytes that are folded, with 0 behind them.
    fn push_some(&mut self, bytes: u64, count: usize) {
        let filled = self.length % 8;
        self.length += count;
        self.chunk |= bytes << (8 * filled);
        if filled + count >= 8 {
            self.state = mix(self.state, self.chunk);
            self.chunk = if filled == 0 { 0 } else { bytes >> (64 - 8 * filled) };
        }
    }

    pub(super) fn finish(self) -> u64 {
        finish(self.state, self.chunk, self.length)
    }
}
