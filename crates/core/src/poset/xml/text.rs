//! Elements and attributes of a small XML text, each with its line: as much of XML as K's files use, and an attribute without quotes, which he prints.
//!
//! Comments, declarations and processing instructions are skipped. Text between elements is a fault, because these files have none: it would be something that
//! somebody meant. One pass over the characters; elements nest at most [`DEEPEST`] deep.

use crate::error::{Fault, Result};

/// Elements do not nest deeper.
const DEEPEST: usize = 64;

/// An element with its attributes and the elements within it.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    /// Where it starts, from 1.
    pub(super) line: u64,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
}

/// `Name="value"`.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) line: u64,
}

impl Element {
    /// The attribute of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// The outermost elements of a text.
pub(super) fn elements(text: &str) -> Result<Vec<Element>> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut done: Vec<Element> = Vec::new();
    while let Some(part) = reader.next()? {
        let (element, ended) = match part {
            Part::Opened(element) => (element, false),
            Part::Empty(element) => (element, true),
            Part::Closed(name) => (closed(&mut open, &name, reader.line)?, true),
        };
        if !ended {
            if open.len() == DEEPEST {
                return Err(Fault::input("elements nest too deep").line(element.line).into());
            }
            open.push(element);
            continue;
        }
        match open.last_mut() {
            Some(outer) => outer.children.push(element),
            None => done.push(element),
        }
    }
    if let Some(element) = open.pop() {
        let message = format!("<{}> is opened and never closed", element.name);
        let help = format!("close it by </{}>, or end its tag by />", element.name);
        return Err(Fault::input(message).line(element.line).help(help).into());
    }
    Ok(done)
}

fn closed(open: &mut Vec<Element>, name: &str, line: u64) -> Result<Element> {
    match open.pop() {
        Some(element) if element.name == name => Ok(element),
        Some(element) => {
            let message = format!("</{name}> closes <{}>, opened in line {}", element.name, element.line);
            Err(Fault::input(message).line(line).help(format!("write </{}>", element.name)).into())
        }
        None => {
            let help = format!("take it away, or open <{name}> before it");
            Err(Fault::input(format!("</{name}> closes nothing")).line(line).help(help).into())
        }
    }
}

enum Part {
    Opened(Element),
    Empty(Element),
    Closed(String),
}

/// What is left of a text.
struct Reader<'a> {
    rest: &'a str,
    line: u64,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Option<Part>> {
        loop {
            let before = self.until('<');
            if !before.trim().is_empty() {
                let fault = Fault::input("there is text between the elements").line(self.line);
                return Err(fault.help("put it into an attribute, or into <!-- a comment -->").into());
            }
            if self.rest.is_empty() {
                return Ok(None);
            }
            let line = self.line;
            if self.rest.starts_with("<!--") {
                self.skip("-->", line)?;
            } else if self.rest.starts_with("<?") {
                self.skip("?>", line)?;
            } else if self.rest.starts_with("<!") {
                self.skip(">", line)?;
            } else if self.rest.starts_with("</") {
                self.advance(2);
                let name = self.name();
                self.spaces();
                self.expect('>', line)?;
                return Ok(Some(Part::Closed(name)));
            } else {
                self.advance(1);
                return self.element(line).map(Some);
            }
        }
    }

    fn element(&mut self, line: u64) -> Result<Part> {
        let name = self.name();
        if name.is_empty() {
            let fault = Fault::input("a `<` is followed by no name").line(line);
            return Err(fault.help("write &lt; for a `<` that is meant").into());
        }
        let mut element = Element { name, line, attributes: Vec::new(), children: Vec::new() };
        loop {
            self.spaces();
            if self.rest.starts_with("/>") {
                self.advance(2);
                return Ok(Part::Empty(element));
            }
            if self.rest.starts_with('>') {
                self.advance(1);
                return Ok(Part::Opened(element));
            }
            let attribute = self.attribute(&element)?;
            if element.get(&attribute.name).is_some() {
                let message = format!("<{}> has the attribute `{}` twice", element.name, attribute.name);
                return Err(Fault::input(message).line(attribute.line).help("keep one of them").into());
            }
            element.attributes.push(attribute);
        }
    }

    fn attribute(&mut self, element: &Element) -> Result<Attribute> {
        let line = self.line;
        let name = self.name();
        if name.is_empty() {
            let fault = if self.rest.is_empty() {
                Fault::input(format!("<{}> never ends", element.name)).line(element.line)
            } else {
                Fault::input(format!("<{}> has something that is no attribute", element.name)).line(line)
            };
            return Err(fault.help("attributes are Name=\"value\", and a tag ends in > or />").into());
        }
        self.spaces();
        if !self.rest.starts_with('=') {
            let fault = Fault::input(format!("the attribute `{name}` of <{}> has no value", element.name));
            return Err(fault.line(line).help(format!("write {name}=\"…\"")).into());
        }
        self.advance(1);
        self.spaces();
        let raw = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                self.advance(1);
                let raw = self.until(quote);
                self.expect(quote, line)?;
                raw
            }
            _ => self.unquoted(),
        };
        let value = unescaped(raw).ok_or_else(|| {
            Fault::input(format!(
                "the attribute `{name}` of <{}> has a `&` that stands for nothing",
                element.name
            ))
            .line(line)
            .help("write &amp; for a `&` that is meant")
        })?;
        Ok(Attribute { name, value, line })
    }

    /// A value without quotes: up to a space or the end of the tag.
    fn unquoted(&mut self) -> &'a str {
        let ends =
            |(at, c): &(usize, char)| c.is_whitespace() || *c == '>' || self.rest[*at..].starts_with("/>");
        let end = self.rest.char_indices().find(ends).map_or(self.rest.len(), |(at, _)| at);
        self.advance(end)
    }

    fn name(&mut self) -> String {
        let part = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        self.advance(end).to_owned()
    }

    fn spaces(&mut self) {
        let end = self.rest.find(|c: char| !c.is_whitespace()).unwrap_or(self.rest.len());
        self.advance(end);
    }

    fn until(&mut self, end: char) -> &'a str {
        let end = self.rest.find(end).unwrap_or(self.rest.len());
        self.advance(end)
    }

    fn expect(&mut self, c: char, line: u64) -> Result<()> {
        if self.rest.starts_with(c) {
            self.advance(c.len_utf8());
            return Ok(());
        }
        let fault = Fault::input(format!("what is opened here has no `{c}`")).line(line);
        Err(fault.help(format!("close it by {c}")).into())
    }

    fn skip(&mut self, end: &str, line: u64) -> Result<()> {
        let Some(at) = self.rest.find(end) else {
            let fault = Fault::input(format!("what is opened here has no `{end}`")).line(line);
            return Err(fault.help(format!("close it by {end}")).into());
        };
        self.advance(at + end.len());
        Ok(())
    }

    /// Takes so many bytes, and counts their lines.
    fn advance(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count() as u64;
        self.rest = rest;
        taken
    }
}

/// A value with its entities replaced and, as XML has it, every line break a space.
fn unescaped(raw: &str) -> Option<String> {
    let mut value = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        value.push_str(&rest[..at]);
        let end = at + rest[at..].find(';')?;
        value.push(entity(&rest[at + 1..end])?);
        rest = &rest[end + 1..];
    }
    value.push_str(rest);
    Some(value.replace("\r\n", " ").replace(['\n', '\r', '\t'], " "))
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(elements: &[Element]) -> String {
        let one = |element: &Element| {
            let attributes: Vec<String> =
                element.attributes.iter().map(|a| format!(" {}={:?}", a.name, a.value)).collect();
            format!("{}@{}{}({})", element.name, element.line, attributes.concat(), shown(&element.children))
        };
        elements.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn elements_are_read_with_their_lines() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE a>\n<a\n x:y=http://w/b >\n<!-- <b> -->\n<c d='1\n2' e = \"&lt;&#65;&#x42;&quot;\"/>\r\n</a >";
        let read = elements(text).unwrap();
        assert_eq!(shown(&read), r#"a@3 x:y="http://w/b"(c@6 d="1 2" e="<AB\""())"#);
        assert_eq!(shown(&elements("<a b=c/><d/>").unwrap()), r#"a@1 b="c"() d@1()"#);
        assert_eq!(shown(&elements(" \n").unwrap()), "");
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        for (text, line, found) in [
            ("<a>\n<b>\n</a>", 3, "</a> closes <b>, opened in line 2"),
            ("<a>\n", 1, "<a> is opened and never closed"),
            ("\n</a>", 2, "</a> closes nothing"),
            ("<a\n b />", 2, "`b` of <a> has no value"),
            ("<a b=\"1\"\n b='2'/>", 2, "`b` twice"),
            ("<a b=\"1>\n", 1, "has no `\"`"),
            ("<a>\n<!-- x", 2, "has no `-->`"),
            ("<a/>\nhello\n<b/>", 3, "there is text"),
            ("<a>\n< b/></a>", 2, "followed by no name"),
            ("<a b='R&D'/>", 1, "has a `&` that stands for nothing"),
            ("<a b='&nope;'/>", 1, "stands for nothing"),
            ("<a b='&#xD800;'/>", 1, "stands for nothing"),
            ("<a\n ,/>", 2, "something that is no attribute"),
            ("<a\n", 1, "<a> never ends"),
        ] {
            let error = elements(text).unwrap_err();
            assert!(error.to_string().contains(found), "{text:?}: {error}");
            assert_eq!(error.faults()[0].place.line, Some(line), "{text:?}");
        }
        let deep = "<a>".repeat(DEEPEST + 1);
        assert!(elements(&deep).unwrap_err().to_string().contains("too deep"));
    }
}
