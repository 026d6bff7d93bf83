//! What the recipient can still do: means, correlations and cross tables before and after, as a
//! section of the page.

use super::facts::{CorrelationFacts, CrossTable, Facts, Moments, NumberFacts};
use super::html::{section, table};
use super::markup::{Html, markup};
use super::text::{decimal, percent};

/// A change of a mean by more than this share of the standard deviation is marked.
const FAR: f64 = 0.1;

/// How released cells are counted.
const HOW: &str = "Computed from the quasi-identifiers: before, from all rows; after, from the released rows. An interval counts as its \
                   midpoint, a set as the mean of its values, a label as the mean of the values under it. Cells that are * are left out.";

/// The section.
pub(super) fn utility(facts: &Facts) -> Html {
    let found = &facts.statistics;
    let parts = [
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
    section(1, "utility", "What the recipient can still do", Html::fixed(HOW), body)
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
