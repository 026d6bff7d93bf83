//! The page for a review: every text beside its scrubbed form, with every finding coloured by kind
//! and its reasons when pointed at. It fits a phone: there the scrubbed form follows the text.
//!
//! A page is safe by its type: [`Html`] is made of fixed markup of this file and of texts that were
//! escaped. It is written document by document, so that memory does not grow with them. The page
//! shows what was removed: it is for the holder alone.

use std::collections::BTreeMap;

use throng_text::{Kind, Span};

use super::ScrubbedText;

/// A piece of a page.
#[derive(Debug, Default)]
pub struct Html(String);

impl Html {
    fn fixed(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                // Marks that change the direction of what follows could hide a finding.
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => self.0.push('\u{fffd}'),
                c if c.is_control() => self.0.push('\u{fffd}'),
                c => self.0.push(c),
            }
        }
    }

    fn number(&mut self, number: usize) {
        self.0.push_str(&number.to_string());
    }

    /// The markup.
    pub fn into_string(self) -> String {
        self.0
    }
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>Scrubbed texts</title><style>
body{font:16px/1.5 system-ui,sans-serif;margin:0;padding:1rem;color:#1c2024;background:#fff}
h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.text{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #d0d7de;border-radius:6px;padding:.75rem;margin:0}
mark{border-radius:3px;padding:0 .15em;color:inherit;cursor:help;border-bottom:2px solid rgba(0,0,0,.35)}
.key{display:flex;flex-wrap:wrap;gap:.4rem;padding:0;list-style:none}.secret{color:#a40e26}
.person{background:#ffd8b5}.place{background:#cdeac0}.institution{background:#d6d4f7}.contact{background:#b9e3f2}
.number{background:#f6c9de}.date{background:#fff1a8}.age{background:#e6d3c1}.other{background:#dfe3e6}
.kept{background:none;border-bottom-style:dotted}.side{font-size:.8rem;margin:0 0 .25rem;color:#57606a}
h3{font-size:.9rem;margin:1rem 0 .25rem;overflow-wrap:anywhere}section{min-width:0}
@media(max-width:700px){.pair{grid-template-columns:1fr}body{padding:.5rem}}
@media(prefers-color-scheme:dark){body{background:#15181b;color:#e6e8ea}mark{color:#15181b}.kept{color:inherit}.secret{color:#ff8a8a}
.text{border-color:#3a4149}.side{color:#9aa4ae}}
</style></head><body><h1>Scrubbed texts</h1>
<p class=\"secret\">This page shows what was removed. Keep it secret.</p>
<ul class=\"key\"><li><mark class=\"person\">people</mark></li><li><mark class=\"place\">places</mark></li><li><mark
class=\"institution\">institutions</mark></li><li><mark class=\"contact\">contacts</mark></li><li><mark
class=\"number\">numbers</mark></li><li><mark class=\"date\">dates</mark></li><li><mark class=\"age\">ages</mark></li><li><mark
class=\"other\">others</mark></li><li><mark class=\"kept\">kept</mark></li></ul>
";

/// The beginning of a page.
pub fn head() -> Html {
    let mut html = Html::default();
    html.fixed(HEAD);
    html
}

/// The texts of a document, side by side.
pub fn document(file: &str, texts: &[ScrubbedText]) -> Html {
    let mut html = Html::default();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let spans = texts.iter().flat_map(|text| &text.scrubbed.spans);
    spans.filter(|span| span.replacement.is_some()).for_each(|span| {
        *counts.entry(span.kind.as_str()).or_default() += 1;
    });
    html.fixed("<h2>");
    html.text(file);
    html.fixed("</h2><p>");
    for (at, (kind, count)) in counts.into_iter().enumerate() {
        html.fixed(if at > 0 { " · " } else { "" });
        html.text(kind);
        html.fixed(" ");
        html.number(count);
    }
    html.fixed("</p>\n");
    for text in texts.iter().filter(|text| !text.original.trim().is_empty()) {
        if !text.place.is_empty() {
            html.fixed("<h3>");
            html.text(&text.place);
            html.fixed("</h3>");
        }
        html.fixed(
            "<div class=\"pair\"><section><p class=\"side\">Original</p><div class=\"text\" dir=\"auto\">",
        );
        marked(&mut html, text, |html, span| {
            html.text(text.original.get(span.start..span.end).unwrap_or_default())
        });
        html.fixed(
            "</div></section><section><p class=\"side\">Scrubbed</p><div class=\"text\" dir=\"auto\">",
        );
        marked(&mut html, text, |html, span| {
            html.text(
                span.replacement.as_deref().or(text.original.get(span.start..span.end)).unwrap_or_default(),
            );
        });
        html.fixed("</div></section></div>\n");
    }
    html
}

/// The end of a page, with the number of documents that it leaves out.
pub fn foot(left_out: u64) -> Html {
    let mut html = Html::default();
    if left_out > 0 {
        html.fixed("<p>");
        html.number(left_out as usize);
        html.fixed(" further documents are not shown.</p>");
    }
    html.fixed("</body></html>\n");
    html
}

/// A text with its findings marked; `show` writes what stands in a mark.
fn marked(html: &mut Html, text: &ScrubbedText, show: impl Fn(&mut Html, &Span)) {
    let mut at = 0;
    for span in &text.scrubbed.spans {
        html.text(text.original.get(at..span.start).unwrap_or_default());
        html.fixed("<mark class=\"");
        html.fixed(if span.replacement.is_some() { class(span.kind) } else { "kept" });
        html.fixed("\" title=\"");
        html.text(&reasons(span));
        html.fixed("\">");
        show(html, span);
        html.fixed("</mark>");
        at = span.end;
    }
    html.text(text.original.get(at..).unwrap_or_default());
}

/// Why a span was found, in lines.
fn reasons(span: &Span) -> String {
    let mut lines = format!("{} {:.2} ({})", span.kind.as_str(), span.certainty, span.detector);
    for reason in &span.reasons {
        lines +=
            &format!("\n{}: {} {:.2} to {:.2}", reason.rule, reason.evidence, reason.before, reason.after);
    }
    lines
}

/// The colour of a kind.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Person => "person",
        Kind::Street | Kind::City | Kind::State | Kind::Country | Kind::PostalCode => "place",
        Kind::Institution | Kind::Ward | Kind::Employer | Kind::School | Kind::Team => "institution",
        Kind::Phone | Kind::Email | Kind::Url | Kind::Ip => "contact",
        Kind::RecordNumber
        | Kind::Account
        | Kind::Licence
        | Kind::Device
        | Kind::Vehicle
        | Kind::NationalId => "number",
        Kind::Date => "date",
        Kind::Age => "age",
        Kind::Occupation | Kind::Custom(_) => "other",
    }
}

#[cfg(test)]
mod tests {
    use throng_text::{Reason, Scrubbed};

    use super::*;

    #[test]
    fn texts_are_escaped_and_findings_are_marked() {
        let evil = "<script>&\"'";
        let original = format!("{evil} Ann {evil}");
        let start = original.find("Ann").unwrap();
        let span = Span {
            start,
            end: start + 3,
            kind: Kind::Person,
            certainty: 0.9,
            detector: "person",
            reasons: vec![Reason { rule: "list", evidence: evil.into(), before: 0.5, after: 0.9 }],
            replacement: Some(format!("Eve{evil}")),
        };
        let scrubbed = Scrubbed { text: String::new(), spans: vec![span] };
        let text = ScrubbedText { place: evil.into(), original, scrubbed };
        let page = head().into_string() + &document(evil, &[text]).into_string() + &foot(0).into_string();
        assert!(!page.contains("<script") && !page.contains("script>&"), "{page}");
        assert!(page.contains("&lt;script&gt;&amp;&quot;&#39;"));
        assert!(page.contains("<mark class=\"person\" title=\"person 0.90 (person)\nlist: "));
        assert!(page.contains(">Ann</mark>") && page.contains(">Eve&lt;script"));
        assert!(page.contains("<p>person 1</p>"));
        assert!(page.contains(">Original</p>") && page.contains(">Scrubbed</p>"));
    }

    #[test]
    fn what_is_kept_is_marked_too() {
        let span = Span {
            start: 0,
            end: 2,
            kind: Kind::Age,
            certainty: 0.9,
            detector: "age",
            reasons: Vec::new(),
            replacement: None,
        };
        let scrubbed = Scrubbed { text: "47 years".into(), spans: vec![span] };
        let text = ScrubbedText { place: String::new(), original: "47 years".into(), scrubbed };
        let page = document("f", &[text]).into_string();
        assert_eq!(page.matches("<mark class=\"kept\" title=\"age 0.90 (age)\">47</mark> years").count(), 2);
    }

    #[test]
    fn marks_of_direction_do_not_reach_the_page() {
        let scrubbed = Scrubbed::default();
        let text = ScrubbedText { place: String::new(), original: "a\u{202e}b\u{7}".into(), scrubbed };
        let page = document("f", &[text]).into_string();
        assert!(page.contains("a\u{fffd}b\u{fffd}") && !page.contains('\u{202e}'));
    }
}
