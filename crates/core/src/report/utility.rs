//! What can still be computed from a release: bounds of statistics beside their originals, then
//! means, correlations and cross tables before and after, as a section of the page.

use super::facts::{BoundFacts, CorrelationFacts, CrossTable, Facts, Moments, NumberFacts};
use super::frame::{section, table};
use super::markup::{Html, markup};
use super::svg::Pen;
use super::text::{decimal, percent};
use crate::utility::short;

/// A change of a mean by more than this share of the standard deviation is marked.
const FAR: f64 = 0.1;

/// How released cells are counted.
const HOW: &str = "Computed from the quasi-identifiers: before, from all rows; after, from the released rows. An interval counts as its \
                   midpoint, a set as the mean of its values, a label as the mean of the values under it. Cells that are * are left out.";

/// The section.
pub(super) fn utility(facts: &Facts) -> Html {
    let found = &facts.statistics;
    let parts = [
        bounds(&found.bounds),
        numbers(&found.numbers),
        correlations(&found.correlations),
        found.cross_tables.iter().map(cross_table).collect(),
    ];
    let body = Html::from_iter(parts);
    let body = match body.is_empty() {
        true => Html::fixed(
            "<p class=\"quiet\">The quasi-identifiers hold neither numbers nor pairs of columns with few values.</p>",
        ),
        false => body,
    };
    section(1, "utility", "What can still be computed", Html::fixed(HOW), body)
}

fn deviation(of: &NumberFacts, moments: Moments) -> String {
    const YEAR: f64 = 365.25;
    match moments.deviation {
        days if of.dates && days >= 2.0 * YEAR => format!("{} years", decimal(days / YEAR)),
        days if of.dates => format!("{} days", decimal(days)),
        deviation => decimal(deviation),
    }
}

/// The date of a day since 1970-01-01.
pub(super) fn date(day: f64) -> String {
    let days = chrono::Days::new(day.abs().round() as u64);
    let epoch = chrono::NaiveDate::from_ymd_opt(1970, 1, 1);
    let date = epoch.and_then(|epoch| match day < 0.0 {
        true => epoch.checked_sub_days(days),
        false => epoch.checked_add_days(days),
    });
    date.map_or("–".to_owned(), |date| date.to_string())
}

/// Bounds that hold for every original that fits the released cells, each drawn with the original.
fn bounds(all: &[BoundFacts]) -> Html {
    if all.is_empty() {
        return Html::default();
    }
    let head = "<tr><th scope=\"col\">Statistic</th><th scope=\"col\" class=\"n\">Original</th>\
                <th scope=\"col\" class=\"n\">At least</th><th scope=\"col\" class=\"n\">At most</th>\
                <th scope=\"col\" class=\"n\">Width</th><th scope=\"col\"></th></tr>";
    let end = |end: Option<f64>| end.map_or_else(|| "no bound".to_owned(), short);
    let row = |of: &BoundFacts| {
        let width = of.low.zip(of.high).map(|(low, high)| high - low);
        let width = match (width, of.required) {
            (Some(width), Some(required)) => format!("{} of {}", short(width), short(required)),
            (Some(width), None) => short(width),
            (None, _) => "–".to_owned(),
        };
        markup!(
            "<tr><th scope=\"row\">{}</th><td data-name=\"Original\" class=\"n\">{}</td>\
             <td data-name=\"At least\" class=\"n\">{}</td><td data-name=\"At most\" class=\"n\">{}</td>\
             <td data-name=\"Width\" class=\"n\">{}</td><td>{}</td></tr>\n",
            of.statistic,
            short(of.original),
            end(of.low),
            end(of.high),
            width,
            drawn(of)
        )
    };
    let caption = "Bounds that hold for certain, beside the original, which only you know";
    table("fold", caption, Html::fixed(head), all.iter().map(row).collect())
}

/// The bounds as a line, with the original as a point on it.
fn drawn(of: &BoundFacts) -> Html {
    const SIZE: (f64, f64) = (120.0, 14.0);
    let Some((low, high)) = of.low.zip(of.high) else { return Html::default() };
    let (from, to) = (8.0, SIZE.0 - 8.0);
    let share = if high > low { ((of.original - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    let mut pen = Pen::new();
    if high > low {
        pen.line("track", [from, 7.0, to, 7.0]);
        [from, to].into_iter().for_each(|x| pen.line("track", [x, 3.0, x, 11.0]));
    }
    pen.circle("after", (from + share * (to - from), 7.0), 3.0);
    pen.ornament(SIZE, "inline")
}

fn numbers(all: &[NumberFacts]) -> Html {
    if all.is_empty() {
        return Html::default();
    }
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Mean before</th>\
                <th scope=\"col\" class=\"n\">Mean after</th><th scope=\"col\" class=\"n\">Standard deviation before</th>\
                <th scope=\"col\" class=\"n\">Standard deviation after</th><th scope=\"col\" class=\"n\">Rows used</th></tr>";
    let row = |of: &NumberFacts| {
        let far =
            of.after.is_some_and(|after| (after.mean - of.before.mean).abs() > FAR * of.before.deviation);
        let (before, after) = of.means();
        markup!(
            "<tr><th scope=\"row\">{}</th><td data-name=\"Mean before\" class=\"n\">{}</td>\
             <td data-name=\"Mean after\" class=\"n{}\">{}</td><td data-name=\"SD before\" class=\"n\">{}</td>\
             <td data-name=\"SD after\" class=\"n\">{}</td><td data-name=\"Rows used\" class=\"n\">{}</td></tr>\n",
            of.column,
            before,
            if far { " bad" } else { "" },
            after,
            deviation(of, of.before),
            of.after.map_or_else(|| "lost".to_owned(), |after| deviation(of, after)),
            percent(of.used)
        )
    };
    table("fold", "Means and standard deviations", Html::fixed(head), all.iter().map(row).collect())
}

fn correlations(all: &[CorrelationFacts]) -> Html {
    if all.is_empty() {
        return Html::default();
    }
    let head = "<tr><th scope=\"col\">Columns</th><th scope=\"col\" class=\"n\">Before</th>\
                <th scope=\"col\" class=\"n\">After</th></tr>";
    let row = |of: &CorrelationFacts| {
        markup!(
            "<tr><th scope=\"row\">{} and {}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            of.columns[0],
            of.columns[1],
            rounded(of.before),
            of.after.map_or_else(|| "lost".to_owned(), rounded)
        )
    };
    table(
        "correlations",
        "Correlations, the strongest first",
        Html::fixed(head),
        all.iter().map(row).collect(),
    )
}

fn rounded(correlation: f64) -> String {
    match format!("{correlation:.2}").as_str() {
        "-0.00" => "0.00".to_owned(),
        text => text.replace('-', "−"),
    }
}

fn cross_table(of: &CrossTable) -> Html {
    let [rows, across] = &of.columns;
    let column = |name: &String| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name);
    let columns: Html = of.across.iter().map(column).collect();
    let head = markup!("<tr><th scope=\"col\">{rows}, by {across}</th>{columns}</tr>"; rows, across, columns);
    let row = |(name, (before, after)): (&String, (&Vec<Option<f64>>, &Vec<f64>))| {
        let cell = |(before, after): (&Option<f64>, &f64)| {
            let before = before.map_or("few".to_owned(), percent);
            markup!("<td class=\"n\">{before} → {}</td>", percent(*after); before)
        };
        let cells: Html = before.iter().zip(after).map(cell).collect();
        markup!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n"; name, cells)
    };
    let body: Html = of.rows.iter().zip(of.before.iter().zip(&of.after)).map(row).collect();
    let caption = format!("{rows} by {across}: share of rows, before → after");
    let note = match of.used {
        used if used < 1.0 => {
            markup!(
                "<p class=\"quiet\">After: the {} of the released rows where neither cell is *.</p>\n",
                percent(used)
            )
        }
        _ => Html::default(),
    };
    Html::from_iter([table("crossed", &caption, head, body), note])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0.0), "1970-01-01");
        assert_eq!(date(11_016.6), "2000-03-01");
        assert_eq!(date(-1.2), "1969-12-31");
    }
}
