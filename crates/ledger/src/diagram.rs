//! Who received what: a drawing of releases and recipients in SVG, and a page with it.
//!
//! A row per release, oldest first, and a column per recipient. A dot is a release that somebody
//! received; a bar over all columns is one that everybody has. Recipients who may put their
//! releases together are neighbours under a bracket. All texts are escaped, and neither loads
//! anything.
//! Linear in releases × recipients.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::PUBLIC;
use crate::chain::{Body, Entry, ReleaseBody};

/// Colours and faces, as in the other pages of the program.
const STYLE: &str = include_str!("diagram.css");
/// The rest of the page.
const PAGE_STYLE: &str = include_str!("page.css");

/// Height of a row, width of a column, width of a letter, margin.
const ROW: usize = 24;
const COLUMN: usize = 30;
const LETTER: usize = 7;
const MARGIN: usize = 12;
/// Where columns begin, right of the numbers of entries.
const LEFT: usize = 44;
/// The longest path and the longest name that are shown whole.
const LONGEST_PATH: usize = 32;
const LONGEST_NAME: usize = 24;

/// Recipients in groups that may put their releases together; everybody is in none.
struct Recipients<'a> {
    names: Vec<&'a str>,
    /// The first and the last place of groups of several.
    groups: Vec<(usize, usize)>,
}

impl<'a> Recipients<'a> {
    fn of(releases: &[(&Entry, &'a ReleaseBody)]) -> Self {
        let mut groups: Vec<BTreeSet<&str>> = Vec::new();
        for (_, release) in releases {
            let named = std::iter::once(&release.recipient).chain(&release.colludes_with);
            let named: BTreeSet<&str> = named.map(String::as_str).filter(|name| *name != PUBLIC).collect();
            let first = groups.iter().position(|group| !group.is_disjoint(&named));
            let (joined, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|group| !group.is_disjoint(&named));
            let all = joined.into_iter().flatten().chain(named).collect::<BTreeSet<&str>>();
            groups = apart;
            if !all.is_empty() {
                groups.insert(first.unwrap_or(groups.len()).min(groups.len()), all);
            }
        }
        let (mut names, mut spans) = (Vec::new(), Vec::new());
        for group in groups {
            if group.len() > 1 {
                spans.push((names.len(), names.len() + group.len() - 1));
            }
            names.extend(group);
        }
        Recipients { names, groups: spans }
    }
}

/// Where everything is: numbers, dots, and what the releases are. A narrow screen shows the dots
/// first.
struct Layout {
    /// Height of the names at the top.
    top: usize,
    columns: usize,
    rows: usize,
    /// Letters of the longest label.
    letters: usize,
}

impl Layout {
    fn x(&self, column: usize) -> usize {
        LEFT + COLUMN / 2 + column * COLUMN
    }

    /// Where the columns end and labels begin.
    fn right(&self) -> usize {
        LEFT + self.columns * COLUMN
    }

    fn y(&self, row: usize) -> usize {
        self.top + ROW / 2 + row * ROW
    }

    /// Room for labels and for the last name, which leans to the right.
    fn width(&self) -> usize {
        (self.right() + 2 * MARGIN + self.letters * LETTER).max(self.right() + self.top)
    }

    fn height(&self) -> usize {
        self.y(self.rows) + ROW
    }
}

/// The drawing of the releases of a ledger.
pub fn svg(entries: &[Entry]) -> String {
    let releases: Vec<_> = entries.iter().filter_map(|entry| Some((entry, entry.release()?))).collect();
    let recipients = Recipients::of(&releases);
    let labels: Vec<String> = releases.iter().map(|(entry, release)| label(entry, release)).collect();
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let names = recipients.names.iter().map(|name| shortened(name, LONGEST_NAME).chars().count());
    let layout = Layout {
        top: 40 + names.max().unwrap_or(0) * LETTER * 2 / 3,
        columns: recipients.names.len().max(1),
        rows: releases.len().max(1),
        letters: longest,
    };
    let (width, height) = (layout.width(), layout.height());
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        described(&releases, &recipients)
    );
    if releases.is_empty() {
        let _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"30\">Nothing was released yet.</text>");
        return text + "</svg>\n";
    }
    columns(&mut text, &layout, &recipients);
    rows(&mut text, &layout, &recipients, (&releases, &labels));
    let public = releases.iter().any(|(_, release)| release.recipient == PUBLIC);
    let parts = [
        (true, "dot: received"),
        (public, "bar: public"),
        (!recipients.groups.is_empty(), "bracket: may put releases together"),
    ];
    let parts: Vec<&str> = parts.into_iter().filter(|(is, _)| *is).map(|(_, part)| part).collect();
    let (legend, parts) = (layout.height() - 10, parts.join(" · "));
    let _ = writeln!(text, "<text class=\"tick\" x=\"{MARGIN}\" y=\"{legend}\">{parts}</text>");
    text + "</svg>\n"
}

/// The names of recipients, their lines, and brackets over those who may collude.
fn columns(text: &mut String, layout: &Layout, recipients: &Recipients<'_>) {
    let bottom = layout.y(layout.rows) - ROW / 2;
    for (column, name) in recipients.names.iter().enumerate() {
        let (x, y) = (layout.x(column), layout.top - 16);
        let _ = writeln!(text, "<path class=\"grid\" d=\"M{x} {} V{bottom}\"/>", layout.top);
        let name = (escaped(&shortened(name, LONGEST_NAME)), escaped(name));
        let _ = writeln!(
            text,
            "<text class=\"name\" x=\"{x}\" y=\"{y}\" transform=\"rotate(-42 {x} {y})\">{}<title>{}</title></text>",
            name.0, name.1
        );
    }
    for &(first, last) in &recipients.groups {
        let (from, to, y) = (layout.x(first) - 8, layout.x(last) + 8, layout.top - 8);
        let _ = writeln!(
            text,
            "<path class=\"collusion\" d=\"M{from} {} V{y} H{to} V{}\"><title>may put their releases together</title></path>",
            y + 6,
            y + 6
        );
    }
}

/// The releases, and who received them.
fn rows(
    text: &mut String,
    layout: &Layout,
    recipients: &Recipients<'_>,
    (releases, labels): (&[(&Entry, &ReleaseBody)], &[String]),
) {
    for (row, ((entry, release), label)) in releases.iter().zip(labels).enumerate() {
        let (y, from, to) = (layout.y(row), LEFT, layout.right());
        let _ = writeln!(text, "<path class=\"grid\" d=\"M{from} {y} H{to}\"/>");
        let _ = writeln!(
            text,
            "<text class=\"tick number\" x=\"{}\" y=\"{}\">{}</text>\n<text x=\"{}\" y=\"{1}\">{}<title>{}</title></text>",
            LEFT - 10,
            y + 4,
            entry.number,
            to + MARGIN,
            escaped(label),
            escaped(&release.output)
        );
        if release.recipient == PUBLIC {
            let _ = writeln!(
                text,
                "<rect class=\"mark\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" rx=\"6\"><title>public</title></rect>",
                from + 4,
                y - 6,
                to - from - 8
            );
        } else if let Some(column) = recipients.names.iter().position(|name| *name == release.recipient) {
            let x = layout.x(column);
            let name = escaped(&release.recipient);
            let _ = writeln!(
                text,
                "<circle class=\"mark\" cx=\"{x}\" cy=\"{y}\" r=\"6\"><title>{name}</title></circle>"
            );
        }
    }
}

/// What a release is, in a line.
fn label(entry: &Entry, release: &ReleaseBody) -> String {
    let day = entry.at.get(..10).unwrap_or(&entry.at);
    let people = if release.people == 1 { "person" } else { "people" };
    format!(
        "{day}  {}  {} {people}, k = {}",
        shortened(&release.output, LONGEST_PATH),
        release.people,
        release.k
    )
}

/// The drawing in a sentence, for those who do not see it.
fn described(releases: &[(&Entry, &ReleaseBody)], recipients: &Recipients<'_>) -> String {
    let count = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    let public = releases.iter().filter(|(_, release)| release.recipient == PUBLIC).count();
    let public = if public == 0 { String::new() } else { format!(", {public} of them public") };
    let (releases, recipients) = (releases.len(), recipients.names.len());
    format!("{} to {}{public}", count(releases, "release"), count(recipients, "recipient"))
}

/// A page with the drawing and the entries.
pub fn page(entries: &[Entry]) -> String {
    let releases: Vec<_> = entries.iter().filter_map(|entry| Some((entry, entry.release()?))).collect();
    let lead = described(&releases, &Recipients::of(&releases));
    let rows: String = entries.iter().map(table_row).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Who received what</title>\n\
         <style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<header>\n\
         <p class=\"eyebrow\">Throng · ledger of releases</p>\n<h1>Who received what</h1>\n\
         <p class=\"lead\">{lead}.</p>\n</header>\n<main>\n<div class=\"box\">\n{}</div>\n\
         <div class=\"box\">\n<table>\n<caption>Entries</caption>\n<thead><tr><th class=\"n\">No.</th><th>Time (UTC)</th>\
         <th>Recipient</th><th>Release</th><th class=\"n\">People</th><th class=\"n\">Withheld</th><th class=\"n\">k</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n</main>\n\
         <footer><p><code>throng ledger check</code> joins these releases and counts who could be narrowed down.</p></footer>\n\
         </body>\n</html>\n",
        svg(entries)
    )
}

/// An entry in the table of the page.
fn table_row(entry: &Entry) -> String {
    let time = escaped(&entry.at.replace('T', " ").replace('Z', ""));
    let start = format!("<tr><td class=\"n\">{}</td><td class=\"time\">{time}</td>", entry.number);
    let short = |key: &str| escaped(&key.chars().take(16).collect::<String>());
    match &entry.body {
        Body::Release(release) => {
            let with = match release.colludes_with.is_empty() {
                true => String::new(),
                false => {
                    format!("<small>may collude with {}</small>", escaped(&release.colludes_with.join(", ")))
                }
            };
            format!(
                "{start}<th>{}{with}</th><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                escaped(&release.recipient),
                escaped(&release.output),
                release.people,
                release.withheld,
                release.k
            )
        }
        Body::KeyRotated { old, new, .. } => {
            format!("{start}<td colspan=\"5\">key {} is followed by {}</td></tr>\n", short(old), short(new))
        }
        Body::KeyRevoked { key, reason } => {
            format!("{start}<td colspan=\"5\">key {} revoked: {}</td></tr>\n", short(key), escaped(reason))
        }
    }
}

/// The end of a long text.
fn shortened(text: &str, longest: usize) -> String {
    let letters = text.chars().count();
    match letters > longest {
        true => format!("…{}", text.chars().skip(letters - longest + 1).collect::<String>()),
        false => text.to_owned(),
    }
}

/// Text for a page: no character of it is markup.
fn escaped(text: &str) -> String {
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
    fn every_release_has_a_mark_and_every_text_is_escaped() {
        let entries = [
            entry(1, "public", &[]),
            entry(2, "a & b", &["c"]),
            entry(3, "d", &[]),
            entry(4, "a & b", &["e"]),
        ];
        let drawn = svg(&entries);
        // One bar, three dots, four names in two groups, one of them under a bracket.
        assert_eq!(drawn.matches("<rect class=\"mark\"").count(), 1);
        assert_eq!(drawn.matches("<circle class=\"mark\"").count(), 3);
        assert_eq!(drawn.matches("class=\"name\"").count(), 4);
        assert_eq!(drawn.matches("class=\"collusion\"").count(), 1);
        for text in [drawn, page(&entries)] {
            assert!(text.contains("a &amp; b") && text.contains("release&lt;1&gt;.csv"), "{text}");
            assert!(!text.contains("release<1>"), "{text}");
        }
        assert!(svg(&[]).ends_with("</svg>\n"));
        assert!(page(&[]).ends_with("</html>\n"));
    }

    #[test]
    fn recipients_who_may_collude_are_neighbours() {
        let entries = [entry(1, "a", &[]), entry(2, "b", &[]), entry(3, "c", &["a"]), entry(4, "e", &["d"])];
        let releases: Vec<_> = entries.iter().map(|entry| (entry, entry.release().unwrap())).collect();
        let found = Recipients::of(&releases);
        assert_eq!(found.names, ["a", "c", "b", "d", "e"]);
        assert_eq!(found.groups, [(0, 1), (3, 4)]);
    }

    #[test]
    fn long_texts_keep_their_end() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcdef", 4), "…def");
    }
}
