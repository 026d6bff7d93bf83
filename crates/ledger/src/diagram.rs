//! Who received what: a drawing of the releases and their recipients, in SVG.
//!
//! Releases are on the left, oldest first, recipients on the right; a line leads from a release to
//! who received it, and dashed lines connect recipients who may put their releases together. All
//! texts are escaped. Linear in releases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::PUBLIC;
use crate::chain::Entry;

const LINE: usize = 34;
const WIDTH: usize = 900;
const LEFT: usize = 470;
const RIGHT: usize = 660;
const TOP: usize = 50;

/// The drawing of the releases of a ledger.
pub fn svg(entries: &[Entry]) -> String {
    let releases: Vec<_> = entries.iter().filter_map(|entry| Some((entry, entry.release()?))).collect();
    let mut recipients: Vec<&str> = Vec::new();
    let mut collusions: BTreeSet<(&str, &str)> = BTreeSet::new();
    for (_, release) in &releases {
        let named = std::iter::once(&release.recipient).chain(&release.colludes_with);
        for name in named.map(String::as_str) {
            if !recipients.contains(&name) {
                recipients.push(name);
            }
        }
        for other in &release.colludes_with {
            let (a, b) = (release.recipient.as_str(), other.as_str());
            collusions.insert((a.min(b), a.max(b)));
        }
    }
    let middle = |at: usize| TOP + at * LINE;
    let rows = releases.len().max(recipients.len()).max(1);
    // Recipients are spread over the height of the releases.
    let spread = |at: usize| middle(at * rows / recipients.len().max(1));
    let places: BTreeMap<&str, usize> =
        recipients.iter().enumerate().map(|(at, name)| (*name, spread(at))).collect();
    let height = middle(rows) + 10;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"Releases and their recipients\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"10\" y=\"22\" font-weight=\"bold\">Release</text>\n\
         <text x=\"{RIGHT}\" y=\"22\" font-weight=\"bold\">Recipient</text>\n"
    );
    for (at, (entry, release)) in releases.iter().enumerate() {
        let y = middle(at);
        let to = places.get(release.recipient.as_str()).copied().unwrap_or(y);
        let day = entry.at.get(..10).unwrap_or(&entry.at);
        let label = format!(
            "{}. {day}  {}  {} people, k = {}",
            entry.number,
            shortened(&release.output),
            release.people,
            release.k
        );
        let _ = writeln!(text, "<text x=\"10\" y=\"{}\">{}</text>", y + 4, escaped(&label));
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {y} C{0} {y} {0} {to} {1} {to}\" fill=\"none\" stroke=\"#3566a5\" stroke-width=\"1.5\"/>",
            (LEFT + RIGHT) / 2,
            RIGHT - 10
        );
    }
    for (name, y) in &places {
        let weight = if *name == PUBLIC { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(text, "<circle cx=\"{}\" cy=\"{y}\" r=\"4\" fill=\"#3566a5\"/>", RIGHT - 10);
        let _ = writeln!(text, "<text x=\"{RIGHT}\" y=\"{}\"{weight}>{}</text>", y + 4, escaped(name));
    }
    for (a, b) in collusions {
        let (Some(from), Some(to)) = (places.get(a), places.get(b)) else { continue };
        let x = RIGHT + 150;
        let _ = writeln!(
            text,
            "<path d=\"M{x} {from} C{0} {from} {0} {to} {x} {to}\" fill=\"none\" stroke=\"#b04a2f\" stroke-width=\"1.5\" \
             stroke-dasharray=\"5 4\"><title>may put their releases together</title></path>",
            x + 60
        );
    }
    text + "</svg>\n"
}

/// The end of a long path.
fn shortened(path: &str) -> String {
    const LONGEST: usize = 28;
    let letters = path.chars().count();
    match letters > LONGEST {
        true => format!("…{}", path.chars().skip(letters - LONGEST).collect::<String>()),
        false => path.to_owned(),
    }
}

/// Text for a page: no character of it is markup.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Body, ReleaseBody};

    fn entry(number: u64, recipient: &str, colludes_with: &[&str]) -> Entry {
        let body = Body::Release(Box::new(ReleaseBody {
            recipient: recipient.into(),
            colludes_with: colludes_with.iter().map(|name| (*name).into()).collect(),
            output: "release<1>.csv".into(),
            sha256: String::new(),
            seal: String::new(),
            policy_sha256: String::new(),
            version: "0".into(),
            k: 5,
            sensitive: Vec::new(),
            records: 10,
            people: 10,
            classes: 2,
            withheld: 0,
            contents: false,
            parts: [1, 0],
            parts_sha256: String::new(),
        }));
        Entry { number, at: "2026-01-02T03:04:05Z".into(), body, code: [0; 32] }
    }

    #[test]
    fn every_release_has_a_line_to_its_recipient() {
        let entries = [entry(1, "public", &[]), entry(2, "a & b", &["c"]), entry(3, "a & b", &[])];
        let drawn = svg(&entries);
        assert_eq!(drawn.matches("#3566a5\" stroke-width").count(), 3);
        assert_eq!(drawn.matches("stroke-dasharray").count(), 1);
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert!(drawn.contains("a &amp; b") && drawn.contains("release&lt;1&gt;.csv"));
        assert!(!drawn.contains("release<1>"));
        assert!(svg(&[]).ends_with("</svg>\n"));
    }
}
