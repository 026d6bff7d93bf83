//! A report as text for people, and as a page with the p-box of every column.
//!
//! Pure functions of [`Report`]. Names and cells are escaped on the page.

use std::fmt::Write;

use crate::bounds::Bounds;
use crate::comparison::Comparison;
use crate::contingency::Contingency;
use crate::periods::date;
use crate::quantiles::Outline;
use crate::report::{ColumnReport, Report, Statistics};

/// Groups that are shown.
const SHOWN: usize = 20;

/// The report as text.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let omitted = match report.omitted {
        0 => String::new(),
        rows => format!(", and {} that were left out, about which only the domain is known", number_of(rows)),
    };
    let _ = writeln!(text, "Statistics of {} released rows{omitted}", number_of(report.rows));
    for (name, column) in &report.columns {
        column_text(&mut text, name, column);
    }
    if !report.skipped.is_empty() {
        let skipped: Vec<String> =
            report.skipped.iter().map(|(name, why)| format!("{name} ({why})")).collect();
        let _ = writeln!(text, "\nLeft out: {}", skipped.join(", "));
    }
    let _ = writeln!(
        text,
        "\nEvery original that fits the cells lies within these bounds. Sharp bounds are reached by some of\nthem; an enclosure may be wider than need be. Estimates are not bounds."
    );
    text
}

fn column_text(text: &mut String, name: &str, column: &ColumnReport) {
    let cells = &column.cells;
    let parts = [(cells.exact, "exact"), (cells.suppressed, "suppressed"), (cells.missing, "missing")];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", number_of(*n))).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let _ = writeln!(text, "\n{name}: {}{parts}", cells_of(cells.count));
    table(text, &column.statistics, cells.days);
    for (label, estimate) in
        [("evenly spread", column.estimates.uniform), ("most likely", column.estimates.em)]
    {
        if let Some(estimate) = estimate {
            let shown = |x: f64| if cells.days { date(x) } else { number(x) };
            let _ = writeln!(
                text,
                "  estimate, {label:<14} mean {}, median {}, standard deviation {}",
                shown(estimate.mean),
                shown(estimate.median),
                number(estimate.variance.max(0.0).sqrt())
            );
        }
    }
    if let Some(pooled) = column.estimates.imputed_mean {
        let _ = writeln!(
            text,
            "  estimate, {} imputations mean {}, standard error {}, spread between imputations {}",
            pooled.imputations,
            number(pooled.estimate),
            number(pooled.standard_error),
            number(pooled.spread)
        );
    }
    for (other, pair) in &column.pairs {
        let _ = writeln!(text, "  with {other}");
        let all = [
            ("covariance", pair.covariance),
            ("correlation", pair.correlation),
            ("spearman", pair.spearman),
            ("kendall", pair.kendall),
            ("slope", pair.slope),
        ];
        all.iter().for_each(|(what, bounds)| line(text, what, bounds, false));
    }
    for regression in &column.regression {
        let _ = writeln!(text, "  {} regression", regression.kind);
        regression.coefficients.iter().for_each(|(what, bounds)| line(text, what, bounds, false));
    }
    groups_text(text, column);
}

fn groups_text(text: &mut String, column: &ColumnReport) {
    for group in column.groups.iter().take(SHOWN) {
        let by: Vec<String> = group.by.iter().map(|(name, cell)| format!("{name} = {cell}")).collect();
        let _ = writeln!(text, "  {}: {}", by.join(", "), cells_of(group.count));
        for what in ["mean", "median", "stddev"] {
            if let Some(bounds) = group.statistics.get(what) {
                line(text, what, bounds, column.cells.days && what != "stddev");
            }
        }
    }
    if column.groups.len() > SHOWN {
        let _ = writeln!(text, "  and {} more groups: see --json", column.groups.len() - SHOWN);
    }
    if let Some(found) = &column.comparison {
        comparison_text(text, found);
    }
}

fn comparison_text(text: &mut String, found: &Comparison) {
    let _ = writeln!(text, "  first group compared with the second");
    let all = [
        ("mean difference", found.mean_difference),
        ("welch t", found.t),
        ("p-value", found.p_value),
        ("superiority", found.superiority),
        ("distance", found.distance),
    ];
    all.iter().for_each(|(what, bounds)| line(text, what, bounds, false));
}

/// Statistics that are in the unit of the column.
const IN_UNITS: [&str; 9] = ["mean", "median", "geometric_mean", "min", "q05", "q25", "q75", "q95", "max"];

fn table(text: &mut String, statistics: &Statistics, days: bool) {
    let _ = writeln!(text, "  {:<20} {:>12} {:>12}", "", "low", "high");
    for (name, bounds) in &statistics.0 {
        line(text, name, bounds, days && (IN_UNITS.contains(&name.as_str()) || name.ends_with("limit")));
    }
}

fn line(text: &mut String, name: &str, bounds: &Bounds, days: bool) {
    let shown = |x: f64, upper: bool| match days && x.is_finite() {
        // A day that has begun counts for the upper bound.
        true => date(if upper { x.ceil() } else { x }),
        false => bound(x, upper),
    };
    let kind = match (bounds.reason, bounds.exact, bounds.slack) {
        (Some(reason), _, _) => reason.to_owned(),
        (None, true, _) => "sharp".into(),
        (None, false, Some(slack)) => format!("enclosure, wider by at most {}", number(slack)),
        (None, false, None) => "enclosure".into(),
    };
    let _ = writeln!(
        text,
        "  {name:<20} {:>12} {:>12}  {kind}",
        shown(bounds.low, false),
        shown(bounds.high, true)
    );
}

/// A cross table as text.
pub fn cross_text(names: [&str; 2], table: &Contingency) -> String {
    let mut text = format!("\n{} by {}\n", names[0], names[1]);
    let width = table.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let head: String = table.columns.iter().map(|name| format!(" {name:>14}")).collect();
    let _ = writeln!(text, "  {:width$}{head}", "");
    for (at, name) in table.rows.iter().enumerate() {
        let cell = |j: usize| match (table.certain[at][j], table.possible[at][j]) {
            (certain, possible) if certain == possible => format!(" {certain:>14}"),
            (certain, possible) => format!(" {:>14}", format!("{certain} to {possible}")),
        };
        let cells: String = (0..table.columns.len()).map(cell).collect();
        let _ = writeln!(text, "  {name:width$}{cells}");
    }
    line(&mut text, "chi squared", &table.chi_squared, false);
    line(&mut text, "p-value", &table.p_value, false);
    text
}

/// A number with about six digits, rounded to the nearest.
fn number(x: f64) -> String {
    rounded(x, None)
}

/// A bound with about six digits, rounded outward: what is printed is a bound, too.
fn bound(x: f64, upper: bool) -> String {
    rounded(x, Some(upper))
}

fn rounded(x: f64, up: Option<bool>) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "∞".into() } else { "-∞".into() };
    }
    if x == 0.0 {
        return "0".into();
    }
    let exponent = x.abs().log10().floor() as i32;
    // The text, and the text of the next number outward where rounding went inward.
    let shown = |x: f64| match (-7..=8).contains(&exponent) {
        true => format!("{x:.*}", (5 - exponent).clamp(0, 12) as usize),
        false => format!("{x:.5e}"),
    };
    let text = shown(x);
    let step = 10f64.powi((exponent - 5).min(if (-7..=8).contains(&exponent) { 0 } else { i32::MAX }));
    let back: f64 = text.parse().unwrap_or(x);
    let text = match up {
        Some(true) if back < x => shown(x + step),
        Some(false) if back > x => shown(x - step),
        _ => text,
    };
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn cells_of(n: u64) -> String {
    format!("{} {}", number_of(n), if n == 1 { "cell" } else { "cells" })
}

/// A number with commas between thousands.
fn number_of(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Text that is safe on a page.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.15rem .8rem;text-align:right;border-bottom:1px solid #e3e6ea}\
td:first-child,th:first-child,td:last-child{text-align:left}svg{display:block;margin:1rem 0;max-width:100%}.axis{stroke:#8a929c}\
.low{stroke:#1f6fb2;fill:none;stroke-width:2}.high{stroke:#c2571a;fill:none;stroke-width:2}.between{fill:#1f6fb21f}text{font:12px system-ui,sans-serif;fill:#57606a}\
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#15181c}td,th{border-color:#30363d}text{fill:#9aa4af}}";

/// The report as a page: a table and a p-box for every column.
pub fn page(report: &Report, title: &str) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n<title>Statistics of {0}</title>\n<style>{STYLE}</style>\n<h1>Statistics of {0}</h1>\n<p>{1} released rows; {2} rows were left out of the release. Every original that fits the cells lies within the bounds.</p>\n",
        escape(title),
        number_of(report.rows),
        number_of(report.omitted)
    );
    for (name, column) in &report.columns {
        let _ = writeln!(page, "<h2>{}</h2>", escape(name));
        if let Some(svg) = column.pbox.as_ref().and_then(|outline| pbox_svg(outline, column.cells.days)) {
            page.push_str(&svg);
        }
        page.push_str("<table><tr><th>statistic<th>low<th>high<th>bounds</tr>\n");
        for (name, bounds) in &column.statistics.0 {
            let days = column.cells.days && IN_UNITS.contains(&name.as_str());
            let shown = |x: f64, upper: bool| match days && x.is_finite() {
                true => date(if upper { x.ceil() } else { x }),
                false => bound(x, upper),
            };
            let kind = bounds.reason.unwrap_or(if bounds.exact { "sharp" } else { "enclosure" });
            let _ = writeln!(
                page,
                "<tr><td>{}<td>{}<td>{}<td>{}</tr>",
                escape(name),
                shown(bounds.low, false),
                shown(bounds.high, true),
                escape(kind)
            );
        }
        page.push_str("</table>\n");
    }
    page.push_str("</html>\n");
    page
}

/// A p-box as a picture: the share of rows at or below each value lies between the two lines. None
/// if it has no finite range.
pub fn pbox_svg(outline: &Outline, days: bool) -> Option<String> {
    let (width, height, left, bottom) = (640.0, 260.0, 48.0, 32.0);
    let all = outline.low.iter().chain(&outline.high).flatten().copied();
    let (least, most) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
    if least >= most {
        return None;
    }
    let x = |value: f64| left + (value - least) / (most - least) * (width - left - 12.0);
    let y = |share: f64| 8.0 + (1.0 - share) * (height - bottom - 8.0);
    // Bounds without an end are drawn at the edge.
    let points = |values: &[Option<f64>], edge: f64| -> Vec<String> {
        let point = |(value, share): (&Option<f64>, &f64)| {
            format!("{:.1},{:.1}", x(value.unwrap_or(edge)), y(*share))
        };
        values.iter().zip(&outline.shares).map(point).collect()
    };
    let (low, high) = (points(&outline.low, least), points(&outline.high, most));
    let between: Vec<&str> = low.iter().chain(high.iter().rev()).map(String::as_str).collect();
    let shown = |value: f64| if days { date(value) } else { number(value) };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"share of rows at or below a value: lower and upper bound\">\n\
<polygon class=\"between\" points=\"{}\"/>\n<polyline class=\"low\" points=\"{}\"/>\n<polyline class=\"high\" points=\"{}\"/>\n",
        between.join(" "),
        low.join(" "),
        high.join(" ")
    );
    let base = height - bottom;
    let _ = writeln!(svg, "<path class=\"axis\" d=\"M{left} 8V{base}H{}\" fill=\"none\"/>", width - 12.0);
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let value = least + share * (most - least);
        let anchor = ["start", "middle", "middle", "middle", "end"][step as usize];
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
            x(value),
            base + 20.0,
            shown(value)
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{share}</text>",
            left - 8.0,
            y(share) + 4.0
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is printed of a bound is a bound, and as close as six digits allow.
        #[test]
        fn printed_bounds_are_bounds(x in prop_oneof![-1e6..1e6f64, -1.0..1.0f64, -1e15..1e15f64, -1e-9..1e-9f64]) {
            let [low, high] = [false, true].map(|upper| bound(x, upper).parse::<f64>().unwrap());
            prop_assert!(low <= x && x <= high, "{low} {x} {high}");
            prop_assert!(high - low <= 4e-5 * x.abs(), "{low} {x} {high}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let shown = [23.0, 0.5, 1234567.0, -0.25, 0.0, 1e12].map(number);
        assert_eq!(shown, ["23", "0.5", "1234567", "-0.25", "0", "1.00000e12"]);
        assert_eq!((bound(2.0 / 3.0, false), bound(2.0 / 3.0, true)), ("0.666666".into(), "0.666667".into()));
        assert_eq!((cells_of(1), cells_of(1234567)), ("1 cell".into(), "1,234,567 cells".into()));
    }
}
