//! Pictures on the pages of attacks: bars of evidence, counts, and rates beside their controls.
//!
//! Red is what an adversary gains, grey is the control or what speaks against a link.

use throng_terms::page::markup::Html;
use throng_terms::page::svg::{Anchor, Pen, Scale, WIDTH};
use throng_terms::page::text::{fit, integer, percent};

use crate::attack::Finding;

/// The size of letters in pictures.
const SIZE: f64 = 11.0;

/// A bar of evidence in bits beside a number: to the right for a link, to the left against it.
/// `most` is the greatest evidence on the page, for and against.
pub(crate) fn evidence(bits: f64, (most_for, most_against): (f64, f64)) -> Html {
    const LENGTH: f64 = 150.0;
    let all = (most_for + most_against).max(1e-9);
    let zero = LENGTH * most_against / all;
    let length = (LENGTH * bits.abs() / all).min(LENGTH);
    let mut pen = Pen::new();
    pen.rect("trough", [0.0, 3.0, LENGTH, 8.0]);
    match bits >= 0.0 {
        true => pen.rect("after risk", [zero, 3.0, length, 8.0]),
        false => pen.rect("before", [zero - length, 3.0, length, 8.0]),
    }
    if most_against > 0.0 {
        pen.line("base", [zero, 0.0, zero, 14.0]);
    }
    pen.ornament((LENGTH, 14.0), "inline")
}

/// One bar for each count, on a logarithmic axis; those at the end are at risk.
pub(crate) fn counts(bars: &[(String, u64)], at_risk: usize, title: &str) -> Html {
    const LINE: f64 = 18.0;
    let (left, right) = (70.0, 56.0);
    let scale = Scale::Log(bars.iter().map(|bar| bar.1).max().unwrap_or(0) as f64);
    let mut pen = Pen::new();
    for (at, (label, count)) in bars.iter().enumerate() {
        let y = LINE * at as f64;
        let length = (WIDTH - left - right) * scale.of(*count as f64);
        let class = if at + at_risk >= bars.len() { "after risk" } else { "before" };
        pen.text("tick", (left - 8.0, y + 12.0), Anchor::End, label);
        pen.rect(class, [left, y + 3.0, length, LINE - 6.0]);
        pen.text("number", (left + length + 5.0, y + 12.0), Anchor::Start, &integer(*count));
    }
    let height = LINE * bars.len() as f64 + 4.0;
    let described: Vec<String> =
        bars.iter().map(|(label, count)| format!("{label}: {}", integer(*count))).collect();
    pen.line("base", [left, 0.0, left, height - 4.0]);
    pen.finish((WIDTH, height), title, &described.join("; "))
}

/// The rates of attacks beside their controls, with intervals, on an axis of percents.
pub(crate) fn rates(findings: &[&Finding], title: &str) -> Html {
    const LINE: f64 = 30.0;
    let (left, right, top) = (112.0, 14.0, 6.0);
    let x = |share: f64| left + (WIDTH - left - right) * share;
    let height = top + LINE * findings.len() as f64 + 20.0;
    let mut pen = Pen::new();
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        pen.line("grid", [x(share), top, x(share), height - 18.0]);
        let anchor = if share == 1.0 { Anchor::End } else { Anchor::Middle };
        pen.text("tick", (x(share), height - 4.0), anchor, &percent(share));
    }
    for (at, found) in findings.iter().enumerate() {
        let y = top + LINE * at as f64 + LINE / 2.0;
        pen.text("", (0.0, y + 4.0), Anchor::Start, &fit(&found.label(), SIZE, left - 8.0));
        let class = if found.succeeds() { "after risk" } else { "after" };
        for (class, rate, y) in [(class, &found.success, y - 4.0), ("before", &found.control, y + 5.0)] {
            pen.rect(class, [x(rate.low), y - 0.8, (x(rate.high) - x(rate.low)).max(1.0), 1.6]);
            pen.circle(class, (x(rate.rate), y), 3.6);
        }
    }
    let described: Vec<String> = findings
        .iter()
        .map(|found| {
            format!(
                "{}: {}, control {}",
                found.label(),
                percent(found.success.rate),
                percent(found.control.rate)
            )
        })
        .collect();
    pen.finish((WIDTH, height), title, &described.join("; "))
}

#[cfg(test)]
pub(crate) mod tests {
    /// Checks that a page has balanced tags, loads nothing and runs nothing.
    pub(crate) fn check_page(page: &str) {
        let mut open: Vec<&str> = Vec::new();
        for tag in page.split('<').skip(1) {
            let tag = tag.split_once('>').unwrap_or((tag, "")).0;
            let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap_or_default();
            match (tag.starts_with('/'), tag.ends_with('/')) {
                _ if matches!(name, "!doctype" | "meta" | "br") => {}
                (true, _) => assert_eq!(open.pop(), Some(name), "{tag}"),
                (false, true) => {}
                (false, false) => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        for foreign in ["http://", "https://", "<script", "url(", "@import", "NaN", "inf\"", "src="] {
            assert!(!page.contains(foreign), "the page has {foreign}");
        }
        assert_eq!(page.matches("<h1>").count(), 1);
    }
}
