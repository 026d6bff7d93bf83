//! The text of a rich-text document (RTF 1.9): groups, control words, hexadecimal and Unicode
//! characters. What is not body text (fonts, styles, pictures, fields' instructions, information
//! about the author) is left out.
//!
//! Written here because `rtf-parser`, by its source, unwraps on half of a surrogate pair and trims
//! blanks between words. Linear in the document, without recursion.

use encoding_rs::{Encoding, WINDOWS_1252};
use throng_terms::error::Result;
use throng_terms::fault;

/// Groups whose content is not body text.
const HIDDEN: [&str; 26] = [
    "annotation",
    "atnauthor",
    "atnid",
    "author",
    "background",
    "bkmkend",
    "bkmkstart",
    "colortbl",
    "company",
    "datastore",
    "doccomm",
    "fldinst",
    "fonttbl",
    "generator",
    "info",
    "keywords",
    "listtable",
    "listoverridetable",
    "nonshppict",
    "object",
    "operator",
    "pict",
    "revtbl",
    "rsidtbl",
    "stylesheet",
    "themedata",
];

/// The state of a group.
#[derive(Clone, Copy)]
struct Group {
    hidden: bool,
    /// Characters that follow a Unicode character for programs that cannot show it.
    fallback: usize,
}

/// A document as it is read.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    groups: Vec<Group>,
    text: String,
    encoding: &'static Encoding,
    /// Bytes of the document's encoding that are not characters yet.
    pending: Vec<u8>,
    /// The first half of a surrogate pair.
    half: Option<u16>,
    /// Characters that are left out because a Unicode character stands for them.
    skip: usize,
}

/// The body text of a document.
///
/// # Errors
/// A document that is not rich text, or whose groups do not end.
pub(crate) fn text(document: &str) -> Result<String> {
    if !document.trim_start().starts_with("{\\rtf") {
        return Err(fault!(Data, "scrub.not-rtf", "does not begin as rich text does, with {{\\rtf")
            .help("give the file the ending of its format, such as .txt")
            .into());
    }
    let mut reader = Reader {
        bytes: document.as_bytes(),
        at: 0,
        groups: vec![Group { hidden: false, fallback: 1 }],
        text: String::new(),
        encoding: WINDOWS_1252,
        pending: Vec::new(),
        half: None,
        skip: 0,
    };
    reader.read();
    if reader.groups.len() != 1 {
        return Err(fault!(Data, "scrub.rtf-ends-early", "ends within a group: a part of it is missing")
            .help("save the document again")
            .into());
    }
    Ok(reader.text)
}

impl Reader<'_> {
    fn read(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'{' => {
                    self.flush();
                    let group = self.group();
                    self.groups.push(group);
                }
                b'}' => {
                    self.flush();
                    // The last group stays, so that what follows the document is read, too.
                    if self.groups.len() > 1 {
                        self.groups.pop();
                    }
                }
                b'\\' => self.control(),
                b'\n' | b'\r' => {}
                _ => self.characters(),
            }
        }
        self.flush();
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or(Group { hidden: false, fallback: 1 })
    }

    fn hide(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.hidden = true;
        }
    }

    /// Characters up to the next sign.
    fn characters(&mut self) {
        let start = self.at - 1;
        let rest = &self.bytes[start..];
        let len = rest.iter().position(|byte| b"{}\\\n\r".contains(byte)).unwrap_or(rest.len());
        self.at = start + len;
        let plain = String::from_utf8_lossy(&rest[..len]).into_owned();
        self.flush();
        let skipped = self.skip.min(plain.chars().count());
        self.skip -= skipped;
        self.push(&plain.chars().skip(skipped).collect::<String>());
    }

    fn push(&mut self, text: &str) {
        self.half = None;
        if !self.group().hidden {
            self.text.push_str(text);
        }
    }

    /// Makes characters of the bytes that wait.
    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let pending = std::mem::take(&mut self.pending);
            let (text, _) = self.encoding.decode_without_bom_handling(&pending);
            self.push(&text);
        }
    }

    fn control(&mut self) {
        let Some(&byte) = self.bytes.get(self.at) else { return };
        if byte.is_ascii_alphabetic() {
            let (word, number) = self.word();
            return self.command(&word, number);
        }
        self.at += 1;
        match byte {
            b'\'' => {
                let digits =
                    self.bytes.get(self.at..self.at + 2).and_then(|hex| std::str::from_utf8(hex).ok());
                let value = digits.and_then(|hex| u8::from_str_radix(hex, 16).ok());
                self.at = (self.at + 2).min(self.bytes.len());
                match value {
                    Some(_) if self.skip > 0 => self.skip -= 1,
                    Some(value) => self.pending.push(value),
                    None => {}
                }
                return;
            }
            b'*' => self.hide(),
            _ => {}
        }
        self.flush();
        match byte {
            b'~' => self.push(" "),
            b'_' => self.push("-"),
            b'\n' | b'\r' => self.push("\n"),
            b'\\' | b'{' | b'}' => self.push(char::from(byte).encode_utf8(&mut [0; 4])),
            _ => {}
        }
    }

    /// A control word and its number, with the blank that ends it.
    fn word(&mut self) -> (String, Option<i32>) {
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
        let sign = usize::from(rest.get(letters) == Some(&b'-'));
        let digits = rest[letters + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let word = String::from_utf8_lossy(&rest[..letters]).into_owned();
        let end = if digits > 0 { letters + sign + digits } else { letters };
        let number = std::str::from_utf8(&rest[letters..end]).ok().and_then(|number| number.parse().ok());
        self.at += end + usize::from(rest.get(end) == Some(&b' '));
        (word, number)
    }

    fn command(&mut self, word: &str, number: Option<i32>) {
        if word == "u" {
            return self.unicode(number.unwrap_or(0));
        }
        self.flush();
        match word {
            "par" | "line" | "sect" | "page" | "row" => self.push("\n"),
            "tab" | "cell" => self.push("\t"),
            "emdash" => self.push("—"),
            "endash" => self.push("–"),
            "lquote" => self.push("‘"),
            "rquote" => self.push("’"),
            "ldblquote" => self.push("“"),
            "rdblquote" => self.push("”"),
            "bullet" => self.push("•"),
            "uc" => {
                if let Some(group) = self.groups.last_mut() {
                    group.fallback = number.and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
                }
            }
            "ansicpg" => {
                let label = format!("windows-{}", number.unwrap_or(1252));
                self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
            }
            "mac" => self.encoding = encoding_rs::MACINTOSH,
            "bin" => {
                let bytes = number.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
                self.at = self.at.saturating_add(bytes).min(self.bytes.len());
            }
            _ if HIDDEN.contains(&word) => self.hide(),
            _ => {}
        }
    }

    /// A UTF-16 unit, as a signed number; its fallback follows.
    fn unicode(&mut self, number: i32) {
        self.flush();
        let unit = (number & 0xffff) as u16;
        let half = self.half.take();
        let units: &[u16] = match &half {
            Some(half) => &[*half, unit],
            None => &[unit],
        };
        self.skip = self.group().fallback;
        if half.is_none() && (0xd800..0xdc00).contains(&unit) {
            self.half = Some(unit);
            return;
        }
        self.push(&String::from_utf16_lossy(units));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn documents_are_read_as_they_are_shown() {
        let document = "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fswiss Arial;}}{\\*\\generator Secret;}\
                        {\\info{\\author Secret}}\\pard Dear {\\b Dr. }Lang,\\par\nI saw Jos\\'e9 \\u8220?today\\u8221?.\\line \
                        Vir\nginia \\{x\\}\\~y\\tab z{\\field{\\*\\fldinst HYPERLINK \"secret\"}{\\fldrslt link}}\\par}";
        assert_eq!(text(document).unwrap(), "Dear Dr. Lang,\nI saw José “today”.\nVirginia {x} y\tzlink\n");
        let pair = "{\\rtf1\\uc0 a\\u-10179 \\u-8704 b\\u-10179 c}";
        assert_eq!(text(pair).unwrap(), "a😀bc");
        assert_eq!(text("{\\rtf1\\ansicpg1251 \\'cf\\'f0}").unwrap(), "Пр");
    }

    #[test]
    fn what_is_not_rich_text_is_refused() {
        assert!(text("Dear").unwrap_err().has_code("scrub.not-rtf"));
        assert!(text("{\\rtf1 {x").unwrap_err().has_code("scrub.rtf-ends-early"));
    }

    proptest! {
        #[test]
        fn any_document_is_read_or_refused(body in "[a{}\\\\'u0-9 *\\n\\-é]{0,80}") {
            let _ = text(&format!("{{\\rtf1 {body}}}"));
        }

        #[test]
        fn plain_words_stay(words in "[a-zA-Z ,.]{0,40}") {
            prop_assert_eq!(text(&format!("{{\\rtf1 {words}}}")).unwrap(), words);
        }
    }
}
