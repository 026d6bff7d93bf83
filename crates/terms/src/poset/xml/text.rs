//! Elements and attributes of a small XML text, each with its line, from the events of `quick-xml`.
//!
//! Katirai (2006) prints files that are not well-formed: an attribute without quotes, and several
//! outermost elements. Therefore attributes are read as HTML has them, where quotes may be left
//! out, but each needs a value; and what is open is kept here, so that a text can have many
//! outermost elements and a fault says where an element was opened. Comments, declarations and
//! processing instructions are skipped. Text between elements is a fault, because these files have
//! none: it would be something that somebody meant. One pass; elements nest at most [`DEEPEST`]
//! deep.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::error::{Error, Result};
use crate::fault;

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
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut done: Vec<Element> = Vec::new();
    loop {
        let start = reader.buffer_position() as usize;
        let event =
            reader.read_event().map_err(|error| malformed(&error, lines.of(reader.error_position())))?;
        let element = match event {
            Event::Start(tag) => {
                let element = element(&tag, start, &mut lines)?;
                if open.len() == DEEPEST {
                    return Err(fault!(Input, "poset.xml-nests-too-deep", "elements nest too deep")
                        .line(element.line)
                        .into());
                }
                open.push(element);
                continue;
            }
            Event::Empty(tag) => element(&tag, start, &mut lines)?,
            Event::End(tag) => closed(&mut open, tag.name().0, lines.of(start as u64))?,
            Event::Text(between) if between.trim().is_empty() => continue,
            Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                return Err(stray_text(lines.of(reader.buffer_position())));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            Event::Eof => break,
        };
        open.last_mut().map_or(&mut done, |outer| &mut outer.children).push(element);
    }
    if let Some(element) = open.pop() {
        let help = format!("close it by </{}>, or end its tag by />", element.name);
        return Err(fault!(
            Input,
            "poset.xml-element-not-closed",
            "<{element}> is opened and never closed",
            element = element.name
        )
        .line(element.line)
        .help(help)
        .into());
    }
    Ok(done)
}

fn closed(open: &mut Vec<Element>, name: &str, line: u64) -> Result<Element> {
    match open.pop() {
        Some(element) if element.name == name => Ok(element),
        Some(element) => Err(fault!(
            Input,
            "poset.xml-wrong-end-tag",
            "</{tag}> closes <{element}>, opened in line {first_line}",
            tag = name,
            element = element.name,
            first_line = element.line
        )
        .line(line)
        .help(format!("write </{}>", element.name))
        .into()),
        None => {
            let help = format!("take it away, or open <{name}> before it");
            Err(fault!(Input, "poset.xml-end-tag-without-start", "</{tag}> closes nothing", tag = name)
                .line(line)
                .help(help)
                .into())
        }
    }
}

fn stray_text(line: u64) -> Error {
    fault!(Input, "poset.xml-text-between-elements", "there is text between the elements")
        .line(line)
        .help("put it into an attribute, or into <!-- a comment -->")
        .into()
}

/// What the reader could not read.
fn malformed(error: &quick_xml::Error, line: u64) -> Error {
    use quick_xml::errors::SyntaxError;
    let end = match error {
        quick_xml::Error::Syntax(syntax) => match syntax {
            SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl => "?>",
            SyntaxError::UnclosedComment => "-->",
            SyntaxError::UnclosedCData => "]]>",
            SyntaxError::UnclosedSingleQuotedAttributeValue => "'",
            SyntaxError::UnclosedDoubleQuotedAttributeValue => "\"",
            SyntaxError::UnclosedTag | SyntaxError::UnclosedDoctype | SyntaxError::InvalidBangMarkup => ">",
        },
        // A `&` between elements.
        _ => return stray_text(line),
    };
    let fault =
        fault!(Input, "poset.xml-not-closed", "what is opened here has no `{end}`", end = end).line(line);
    fault.help(format!("close it by {end}")).into()
}

/// The element of a tag that starts at a byte.
fn element(tag: &BytesStart<'_>, start: usize, lines: &mut Lines<'_>) -> Result<Element> {
    let line = lines.of(start as u64);
    let name = tag.name().0;
    if !is_name(name) {
        let fault = fault!(Input, "poset.xml-tag-without-name", "a `<` is followed by no name").line(line);
        return Err(fault.help("write &lt; for a `<` that is meant").into());
    }
    let mut element = Element { name: name.to_owned(), line, attributes: Vec::new(), children: Vec::new() };
    let mut attributes = tag.html_attributes();
    for attribute in attributes.with_checks(false) {
        // Only the value can be missing: every quote that is opened is closed by now.
        let attribute = attribute.map_err(|_| no_attribute(name, line))?;
        let key = attribute.key.0;
        // The key is a part of the tag, which follows the `<`.
        let at = (key.as_ptr() as usize).saturating_sub(tag.as_ptr() as usize);
        let line = lines.of((start + 1 + at) as u64);
        if !is_name(key) {
            return Err(no_attribute(name, line));
        }
        if !tag[at + key.len()..].trim_start().starts_with('=') {
            let fault = fault!(
                Input,
                "poset.xml-attribute-without-value",
                "the attribute `{attribute}` of <{element}> has no value",
                attribute = key,
                element = name
            );
            return Err(fault.line(line).help(format!("write {key}=\"…\"")).into());
        }
        if element.get(key).is_some() {
            return Err(fault!(
                Input,
                "poset.xml-attribute-twice",
                "<{element}> has the attribute `{attribute}` twice",
                element = name,
                attribute = key
            )
            .line(line)
            .help("keep one of them")
            .into());
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| {
            fault!(
                Input,
                "poset.xml-unknown-entity",
                "the attribute `{attribute}` of <{element}> has a `&` that stands for nothing",
                attribute = key,
                element = name
            )
            .line(line)
            .help("write &amp; for a `&` that is meant")
        })?;
        element.attributes.push(Attribute { name: key.to_owned(), value: value.into_owned(), line });
    }
    Ok(element)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.:".contains(c))
}

fn no_attribute(element: &str, line: u64) -> Error {
    fault!(
        Input,
        "poset.xml-not-an-attribute",
        "<{element}> has something that is not an attribute",
        element = element
    )
    .line(line)
    .help("attributes are Name=\"value\", and a tag ends in > or />")
    .into()
}

/// Counts lines from place to place.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of a byte that comes after those that were looked at before.
    fn of(&mut self, byte: u64) -> u64 {
        let byte = (byte as usize).clamp(self.at, self.text.len());
        let between = &self.text.as_bytes()[self.at..byte];
        self.line += between.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = byte;
        self.line
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
            ("<a\n ,/>", 2, "something that is not an attribute"),
            ("<a\n b=/>", 1, "something that is not an attribute"),
            ("<a>\n&amp;</a>", 2, "there is text"),
            ("<a>\n&</a>", 2, "there is text"),
            ("<a><![CDATA[x]]></a>", 1, "there is text"),
            ("<a\n", 1, "has no `>`"),
        ] {
            let error = elements(text).unwrap_err();
            assert!(error.to_string().contains(found), "{text:?}: {error}");
            assert_eq!(error.faults()[0].place.line, Some(line), "{text:?}");
        }
        let deep = "<a>".repeat(DEEPEST + 1);
        assert!(elements(&deep).unwrap_err().to_string().contains("too deep"));
    }
}
