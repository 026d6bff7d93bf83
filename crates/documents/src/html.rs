//! The text of a page: what a reader sees. Attributes, comments, scripts and styles are left out;
//! blocks end lines. `html5gum` tokenizes as the HTML standard asks. Linear in the page.

use std::convert::Infallible;

use html5gum::{Token, Tokenizer};

/// Elements whose content is not text.
const HIDDEN: [&[u8]; 5] = [b"script", b"style", b"template", b"noscript", b"svg"];

/// Elements that end a line.
const BLOCKS: [&[u8]; 31] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"body",
    b"br",
    b"caption",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"fieldset",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"head",
    b"header",
    b"hr",
    b"li",
    b"ol",
    b"p",
    b"section",
    b"table",
    b"title",
    b"tr",
    b"ul",
];

/// The text of a page.
pub(crate) fn text(page: &str) -> String {
    let mut text = Text::default();
    let mut hidden: Option<Vec<u8>> = None;
    let tokens = Tokenizer::new(page).map(|token: Result<Token, Infallible>| match token {
        Ok(token) => token,
        Err(never) => match never {},
    });
    for token in tokens {
        match token {
            Token::StartTag(tag) if hidden.is_none() => {
                let name: &[u8] = &tag.name;
                if HIDDEN.contains(&name) && !tag.self_closing {
                    hidden = Some(name.to_vec());
                }
                text.element(name);
            }
            Token::EndTag(tag) => {
                let name: &[u8] = &tag.name;
                if hidden.as_deref() == Some(name) {
                    hidden = None;
                }
                if hidden.is_none() {
                    text.element(name);
                }
            }
            Token::String(words) if hidden.is_none() => text.words(&String::from_utf8_lossy(&words)),
            _ => {}
        }
    }
    text.finish()
}

/// A text in the making: blanks become one, as a browser shows them.
#[derive(Default)]
struct Text {
    text: String,
    blank: bool,
    preformatted: usize,
}

impl Text {
    fn element(&mut self, name: &[u8]) {
        if name == b"pre" || name == b"textarea" {
            self.line();
            self.preformatted = 1 - self.preformatted.min(1);
        } else if name == b"td" || name == b"th" {
            self.blank = true;
        } else if BLOCKS.contains(&name) {
            self.line();
        }
    }

    fn line(&mut self) {
        self.blank = false;
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn words(&mut self, words: &str) {
        if self.preformatted > 0 {
            return self.text.push_str(words);
        }
        for c in words.chars() {
            if c.is_whitespace() {
                self.blank = true;
                continue;
            }
            if self.blank && !self.text.is_empty() && !self.text.ends_with(['\n', ' ']) {
                self.text.push(' ');
            }
            self.blank = false;
            self.text.push(c);
        }
    }

    fn finish(mut self) -> String {
        self.line();
        self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pages_are_read_as_they_are_shown() {
        let page = "<html><head><title>Letter</title><style>b { x: y }</style></head><body><!-- secret -->\
                    <p title='secret'>Dear  <b>Dr.</b>\n Lang,</p><p>Vir<i>ginia</i> &amp; co</p><ul><li>a<li>b</ul>\
                    <table><tr><td>DOB</td><td>5/86</td></tr></table><script>var secret = '</p>';</script>\
                    <pre>a\n  b</pre>end</body></html>";
        assert_eq!(text(page), "Letter\nDear Dr. Lang,\nVirginia & co\na\nb\nDOB 5/86\na\n  b\nend\n");
        assert_eq!(text("no markup at all"), "no markup at all\n");
        assert_eq!(text("a < b <unclosed"), "a < b\n");
        assert_eq!(text(""), "");
    }

    proptest! {
        #[test]
        fn any_text_is_read(page in "[a<>/!&;\\-\"'= spantdcript\\PC]{0,80}") {
            let read = text(&page);
            prop_assert!(read.is_empty() || read.ends_with('\n'));
        }
    }
}
