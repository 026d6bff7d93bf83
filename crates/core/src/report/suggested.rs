//! The page of a suggestion: the trade-off as a picture, all points as a table, and what each does to
//! rows, columns, means, correlations and a classifier. And the page and the picture of methods
//! against k.

use super::frame::{page, section, table, tile};
use super::lines::Chart;
use super::markup::{Html, markup};
use super::svg::{Anchor, Pen};
use super::text::{decimal, fit, integer, percent};
use crate::suggest::{Measured, Point, SampleRow, Status, Suggestion};

/// Columns that are listed for a point.
const COLUMNS: usize = 5;
/// The size of the picture.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 44.0;

/// The page of a suggestion.
pub fn suggested_page(suggestion: &Suggestion, title: &str, version: &str) -> String {
    let body = Html::from_iter([
        warning(),
        headline(suggestion),
        front(suggestion),
        all(suggestion),
        details(suggestion),
    ]);
    let footer = markup!("Written by Throng {}. It shows rows of the table: for the holder alone.", version);
    page("suggestions", title, &format!("Suggestions for {title}"), body, footer)
}

/// The page of methods against k.
pub fn policy_comparison_page(suggestion: &Suggestion, title: &str, version: &str) -> String {
    let lead = "LM is the mean share of a hierarchy that a released cell may stand for: 0 is the original, 1 is nothing left.";
    let picture =
        markup!("<div class=\"figures plots\"><figure>{}</figure></div>", chart(suggestion).inline());
    let body = Html::from_iter([
        headline(suggestion),
        section(1, "loss", "Loss against k", Html::fixed(lead), picture),
        all(suggestion),
    ]);
    let footer = markup!(
        "Written by Throng {}. It holds figures of the whole table, and no value of a cell.",
        version
    );
    page("comparison", title, &format!("Comparison for {title}"), body, footer)
}

/// The picture of methods against k, as a file.
pub fn policy_comparison_picture(suggestion: &Suggestion) -> String {
    chart(suggestion).file()
}

/// LM against k, with a line per method.
fn chart(suggestion: &Suggestion) -> Chart {
    let mut at: Vec<u64> = suggestion.points.iter().filter_map(|point| point.settings.k).collect();
    at.sort_unstable();
    at.dedup();
    let name = |point: &Point| format!("{} by {}", point.settings.method.name(), point.settings.loss);
    let mut names: Vec<String> = Vec::new();
    for point in suggestion.points.iter().filter(|point| point.settings.change.is_none()) {
        if !names.contains(&name(point)) {
            names.push(name(point));
        }
    }
    let value = |method: &str, k: u64| {
        let is = |point: &&Point| name(point) == method && point.settings.k == Some(k);
        suggestion.points.iter().find(is).and_then(|point| Some(point.measured.as_ref()?.lm))
    };
    let series = |method: String| {
        let values = at.iter().map(|&k| value(&method, k)).collect();
        (method, values)
    };
    Chart {
        title: "Loss metric (LM)".to_owned(),
        subtitle: "0 is the original, 1 is nothing left".to_owned(),
        name: "k",
        reference: None,
        series: names.into_iter().map(series).collect(),
        at,
    }
}

fn warning() -> Html {
    Html::fixed(
        "<aside class=\"warnings\" aria-label=\"Warnings\"><h2>Do not pass this page on</h2><ul>\
         <li class=\"exposed\">It shows rows of the original table, and figures that the release does not contain.</li></ul></aside>\n",
    )
}

fn headline(suggestion: &Suggestion) -> Html {
    let best = suggestion.recommended.and_then(|id| suggestion.point(id));
    let current = suggestion.points.first().and_then(|point| point.measured.as_ref());
    let (class, word, rest) = match best {
        None => ("unsafe", "No release:", "nothing that was tried is within the limits".to_owned()),
        Some(point) if point.current => {
            ("safe", "Keep the policy:", "nothing that was tried keeps more".to_owned())
        }
        Some(point) => ("safe", "Recommended:", named(point)),
    };
    let share = |of: Option<&Measured>, figure: fn(&Measured) -> f64| {
        of.map_or("–".to_owned(), |m| percent(figure(m)))
    };
    let best = best.and_then(|point| point.measured.as_ref());
    let front = suggestion.points.iter().filter(|point| point.front).count() as u64;
    let tried = match suggestion.finished {
        true => "all that were planned".to_owned(),
        false => format!("of {} planned; the time was over", integer(suggestion.planned as u64)),
    };
    let lost = |of: Option<&Measured>| of.map_or("–".to_owned(), |m| m.lost.len().to_string());
    let tiles = [
        tile("", "Points tried", integer(suggestion.points.len() as u64), tried),
        tile("", "On the front", integer(front), "no other has both less risk and less loss"),
        tile(
            "",
            "Loss now",
            current.map_or("–".to_owned(), |m| decimal(m.loss)),
            "mean LM of the quasi-identifiers",
        ),
        tile(
            "",
            "Loss recommended",
            best.map_or("–".to_owned(), |m| decimal(m.loss)),
            "mean LM of the quasi-identifiers",
        ),
        tile("", "Stars", share(best, |m| m.stars), format!("now {}", share(current, |m| m.stars))),
        tile("", "Columns lost", lost(best), format!("now {}", lost(current))),
    ];
    markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{word}</strong> {rest}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n</section>\n",
        Html::from_iter(tiles);
        class, word, rest
    )
}

/// A point in words.
fn named(point: &Point) -> String {
    let k = point.settings.k.map_or(String::new(), |k| format!("k = {k}, "));
    format!("{k}{}", point.settings.words())
}

fn front(suggestion: &Suggestion) -> Html {
    let caption = "Every mark is a point. Filled: on the front. Square: the policy as it is. Ring: recommended. \
                   Points that assume that outsiders do not know a column are left out.";
    let body = markup!(
        "<div class=\"figures plots\"><figure>{}<figcaption>{caption}</figcaption></figure></div>",
        picture(suggestion);
        caption
    );
    let lead = "Risk is that of the row that is worst off: 1 / smallest class. Loss is the mean share of a hierarchy that a released \
                cell may stand for; a dropped column counts as lost. Points to the lower left are better.";
    section(1, "front", "Risk and loss", Html::fixed(lead), body)
}

fn picture(suggestion: &Suggestion) -> Html {
    let shown: Vec<(&Point, f64, f64)> = suggestion
        .points
        .iter()
        .filter(|point| !point.assumes)
        .filter_map(|point| point.measured.as_ref().map(|m| (point, m.loss, m.risk.prosecutor)))
        .collect();
    let most = |of: fn(&(&Point, f64, f64)) -> f64| shown.iter().map(of).fold(0.0, f64::max);
    let (wide, high) = (round_up(most(|p| p.1)), round_up(most(|p| p.2)));
    let x = |loss: f64| LEFT + (WIDTH - LEFT - RIGHT) * loss / wide;
    let y = |risk: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * risk / high;
    let mut pen = Pen::new();
    for step in 0..=4 {
        let part = |whole: f64| (whole * f64::from(step) / 4.0 * 1e9).round() / 1e9;
        let (loss, risk) = (part(wide), part(high));
        pen.line("grid", [LEFT, y(risk), WIDTH - RIGHT, y(risk)]);
        pen.text("tick", (LEFT - 6.0, y(risk) + 4.0), Anchor::End, &percent(risk));
        pen.text("tick", (x(loss), HEIGHT - BOTTOM + 15.0), Anchor::Middle, &decimal(loss));
    }
    pen.line("base", [LEFT, y(0.0), WIDTH - RIGHT, y(0.0)]);
    pen.text("tick", (WIDTH - RIGHT, HEIGHT - 10.0), Anchor::End, "loss (LM)");
    pen.text("tick", (4.0, 12.0), Anchor::Start, "highest risk of a row");
    let mut line: Vec<(f64, f64)> =
        shown.iter().filter(|(point, ..)| point.front).map(|(_, loss, risk)| (x(*loss), y(*risk))).collect();
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    pen.polyline("line s0", &line);
    for (point, loss, risk) in &shown {
        let at = (x(*loss), y(*risk));
        let tip = format!("{}: {}; loss {}, risk {}", point.id, named(point), decimal(*loss), percent(*risk));
        pen.tip(&tip, |pen| mark(pen, point, at));
    }
    let description = shown.iter().filter(|(point, ..)| point.front).map(|(point, loss, risk)| {
        format!("{}: loss {}, risk {}.", point.id, decimal(*loss), percent(*risk))
    });
    let description: Vec<String> = description.collect();
    pen.finish((WIDTH, HEIGHT), "Risk and loss of the points", &description.join(" "))
}

fn mark(pen: &mut Pen, point: &Point, (x, y): (f64, f64)) {
    let class = if point.front { "mark s0" } else { "mark s5 pooled" };
    match point.current {
        true => pen.rect("mark s1", [x - 4.0, y - 4.0, 8.0, 8.0]),
        false => pen.circle(class, (x, y), 3.6),
    }
    if point.recommended {
        pen.circle("ring", (x, y), 7.5);
    }
    if point.front || point.current {
        pen.text("tick name", (x + 7.0, y - 6.0), Anchor::Start, &point.id.to_string());
    }
}

/// A round number that is not smaller.
fn round_up(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(most.log10().floor());
    [1.0, 2.0, 4.0, 5.0, 8.0, 10.0].map(|s| s * decade).into_iter().find(|s| *s >= most).unwrap_or(most)
}

/// A named cell of a table that folds into cards on a phone.
fn cell(name: &str, text: &str) -> Html {
    markup!("<td class=\"n\" data-name=\"{name}\">{text}</td>"; name, text)
}

fn all(suggestion: &Suggestion) -> Html {
    let heads = ["Loss", "Stars", "Lost", "Suppressed", "Smallest class", "Mean risk", "k"];
    let auc = suggestion.classifier.is_some();
    let head = |name: &&str| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name);
    let mut cells: Vec<Html> = heads.iter().map(head).collect();
    if auc {
        cells.push(head(&"AUC"));
    }
    let head = markup!("<tr><th scope=\"col\">Point</th>{}</tr>", Html::from_iter(cells));
    let row = |point: &Point| {
        let class = Html::fixed(if point.recommended { " class=\"target\"" } else { "" });
        let marks = [
            (point.current, "the policy"),
            (point.front, "front"),
            (point.recommended, "recommended"),
            (point.assumes, "if outsiders do not know the column"),
        ];
        let marks: Vec<&str> = marks.into_iter().filter(|(is, _)| *is).map(|(_, word)| word).collect();
        let tag = match marks.is_empty() {
            true => Html::default(),
            false => markup!(" <span class=\"tag\">{}</span>", marks.join(", ")),
        };
        let k = point.settings.k.map_or("–".to_owned(), |k| k.to_string());
        let name = match point.measured.is_some() {
            true => markup!("<a href=\"#p{}\">{}</a>", point.id, point.id),
            false => markup!("{}", point.id),
        };
        markup!(
            "<tr{class}><th scope=\"row\">{name}{tag}<small>{}</small></th>{}{}{}</tr>\n",
            point.settings.words(),
            figures(point),
            cell("k", &k),
            if auc { accuracy(point) } else { Html::default() };
            class, name, tag
        )
    };
    let rows: Html = suggestion.by_loss().into_iter().map(row).collect();
    let lead =
        "Sorted by loss. Mean risk is the share of rows that somebody who links all of them gets right.";
    section(2, "points", "All points", Html::fixed(lead), table("stack points", "All points", head, rows))
}

fn figures(point: &Point) -> Html {
    let Some(measured) = &point.measured else {
        let status = match point.status {
            Status::NoSolution => "no solution",
            Status::Refused => "not possible",
            Status::Solved | Status::Stopped => "stopped",
        };
        let reason = point.reason.clone().unwrap_or_default();
        return markup!("<td colspan=\"6\" data-name=\"Result\">{status}<small>{reason}</small></td>"; status, reason);
    };
    let stopped = if point.status == Status::Stopped { " (stopped)" } else { "" };
    Html::from_iter([
        cell("Loss", &format!("{}{stopped}", decimal(measured.loss))),
        cell("Stars", &percent(measured.stars)),
        cell("Lost", &measured.lost.len().to_string()),
        cell("Suppressed", &integer(measured.suppressed)),
        cell("Smallest", &integer(measured.risk.smallest)),
        cell("Mean risk", &percent(measured.risk.marketer)),
    ])
}

fn accuracy(point: &Point) -> Html {
    let accuracy = point.measured.as_ref().and_then(|measured| measured.classifier);
    cell("AUC", &accuracy.map_or("–".to_owned(), |accuracy| decimal(accuracy.auc)))
}

/// What every point does, folded away; that of the recommended one is open.
fn details(suggestion: &Suggestion) -> Html {
    let point = |point: &Point| {
        let Some(measured) = &point.measured else { return Html::default() };
        let open = Html::fixed(if point.recommended { " open" } else { "" });
        let names = released_names(suggestion, point);
        let parts = [
            lost_columns(measured),
            samples(&names, &measured.samples),
            means(measured),
            correlations(measured),
            learned(suggestion, measured),
        ];
        markup!(
            "<details id=\"p{}\"{open}><summary><strong>{}</strong> {}</summary>\n{}</details>\n",
            point.id,
            point.id,
            named(point),
            Html::from_iter(parts);
            open
        )
    };
    let body: Html = suggestion.by_loss().into_iter().map(point).collect();
    let lead = "What each point does to columns, rows and figures. Means and deviations take the middle of a cell, and its width for \
                what is not known; cells that are * and suppressed rows are left out.";
    section(3, "details", "What each point does", Html::fixed(lead), body)
}

/// The columns that the sample rows of a point have.
fn released_names<'a>(suggestion: &'a Suggestion, point: &Point) -> Vec<&'a str> {
    let left_out = point.settings.change.as_ref().filter(|change| change.leaves_out());
    let kept = |name: &&String| left_out.is_none_or(|change| change.column() != name.as_str());
    suggestion.columns.iter().filter(kept).map(String::as_str).collect()
}

fn lost_columns(measured: &Measured) -> Html {
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">LM</th>\
                <th scope=\"col\" class=\"n\">Stars</th></tr>";
    let row = |column: &crate::suggest::ColumnMeasured| {
        markup!(
            "<tr><th scope=\"row\">{}</th>{}{}</tr>\n",
            column.name,
            cell("LM", &decimal(column.lm)),
            cell("Stars", &percent(column.stars))
        )
    };
    let rows = measured.columns.iter().take(COLUMNS).map(row).collect();
    table("affected", "Most affected columns", Html::fixed(head), rows)
}

fn samples(names: &[&str], rows: &[SampleRow]) -> Html {
    let head = |name: &&str| markup!("<th scope=\"col\">{name}</th>"; name);
    let head = markup!("<tr><th scope=\"col\">Rows</th>{}</tr>", names.iter().map(head).collect::<Html>());
    let text = |value: &Option<String>| {
        let value = value.as_deref().unwrap_or("(missing)");
        fit(value, 11.0, 220.0)
    };
    let row = |row: &SampleRow| {
        let after = |at: usize| match row.after.get(at) {
            Some(value) => text(value),
            None => "suppressed".to_owned(),
        };
        let cells = row
            .before
            .iter()
            .enumerate()
            .map(|(at, before)| markup!("<td>{}<small>{}</small></td>", after(at), text(before)));
        markup!("<tr><th scope=\"row\">{}</th>{}</tr>\n", integer(row.rows), cells.collect::<Html>())
    };
    let rows: Html = rows.iter().map(row).collect();
    table("samples", "Sample rows: as released, and below as they were", head, rows)
}

fn means(measured: &Measured) -> Html {
    if measured.numbers.is_empty() {
        return Html::default();
    }
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Mean before</th><th scope=\"col\" class=\"n\">After</th>\
                <th scope=\"col\" class=\"n\">SD before</th><th scope=\"col\" class=\"n\">After</th>\
                <th scope=\"col\" class=\"n\">Rows known</th></tr>";
    let shown = |number: Option<f64>| number.map_or("–".to_owned(), decimal);
    let row = |facts: &crate::suggest::NumberFacts| {
        let cells = [
            cell("Mean before", &decimal(facts.mean_before)),
            cell("After", &shown(facts.mean_after)),
            cell("SD before", &decimal(facts.deviation_before)),
            cell("After", &shown(facts.deviation_after)),
            cell("Known", &percent(facts.known)),
        ];
        markup!("<tr><th scope=\"row\">{}</th>{}</tr>\n", facts.column, Html::from_iter(cells))
    };
    table("means", "Means and deviations", Html::fixed(head), measured.numbers.iter().map(row).collect())
}

fn correlations(measured: &Measured) -> Html {
    if measured.correlations.is_empty() {
        return Html::default();
    }
    let head = "<tr><th scope=\"col\">Correlation</th><th scope=\"col\" class=\"n\">Before</th>\
                <th scope=\"col\" class=\"n\">After</th></tr>";
    let row = |pair: &crate::suggest::Correlation| {
        markup!(
            "<tr><th scope=\"row\">{} and {}</th>{}{}</tr>\n",
            pair.a,
            pair.b,
            cell("Before", &decimal(pair.before)),
            cell("After", &pair.after.map_or("–".to_owned(), decimal))
        )
    };
    table("correlations", "Correlations", Html::fixed(head), measured.correlations.iter().map(row).collect())
}

/// What a classifier learns.
fn learned(suggestion: &Suggestion, measured: &Measured) -> Html {
    let (Some(classifier), Some(after)) = (&suggestion.classifier, measured.classifier) else {
        return Html::default();
    };
    markup!(
        "<p>Naive Bayes predicts {} ({}) from the quasi-identifiers: AUC {} when trained on released rows, {} on the original ones; accuracy {} \
         and {}, where always guessing the most frequent class reaches {}. Tested on original rows that were held out.</p>\n",
        classifier.column,
        format!("{} classes", classifier.classes),
        decimal(after.auc),
        decimal(classifier.original.auc),
        percent(after.accuracy),
        percent(classifier.original.accuracy),
        percent(classifier.majority)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_risk::ClassRisk;
    use crate::policy::Policy;
    use crate::report::html;
    use crate::report::sample::sample;
    use crate::report::tests::check_page;
    use crate::suggest::{
        Accuracy, ColumnMeasured, Correlation, Effect, Hint, METHODS, NumberFacts, Settings,
    };

    /// Text that must never reach a page unescaped.
    const EVIL: &str = "<script>&\"'";

    fn measured(loss: f64, smallest: u64) -> Measured {
        let prosecutor = 1.0 / smallest as f64;
        Measured {
            released: 90,
            suppressed: 10,
            stars: 0.25,
            lost: vec![EVIL.into()],
            lm: loss,
            loss,
            risk: ClassRisk { smallest, prosecutor, marketer: 0.05, ..ClassRisk::default() },
            columns: vec![ColumnMeasured { name: EVIL.into(), lm: 1.0, stars: 1.0 }],
            numbers: vec![NumberFacts {
                column: EVIL.into(),
                mean_before: 40.25,
                mean_after: None,
                deviation_before: 3.0,
                deviation_after: None,
                known: 0.0,
            }],
            correlations: vec![Correlation {
                a: EVIL.into(),
                b: "b".into(),
                before: 0.5,
                after: Some(-0.25),
            }],
            classifier: Some(Accuracy { accuracy: 0.75, auc: 0.625 }),
            samples: vec![
                SampleRow { rows: 3, before: vec![Some(EVIL.into())], after: vec![Some("*".into())] },
                SampleRow { rows: 1, before: vec![None], after: Vec::new() },
            ],
        }
    }

    fn suggestion() -> Suggestion {
        let text =
            "version = 1\n[input]\npath = \"t.csv\"\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 5\n";
        let policy = Policy::parse(text).unwrap();
        let own = Settings::of(&policy);
        let point = |id: usize, settings: Settings, measured: Option<Measured>| Point {
            id,
            settings,
            status: if measured.is_some() { Status::Solved } else { Status::Refused },
            reason: measured.is_none().then(|| EVIL.to_owned()),
            current: id == 1,
            front: id > 1,
            recommended: id == 2,
            assumes: false,
            seconds: 0.5,
            measured,
        };
        let points = vec![
            point(1, own.clone(), Some(measured(0.6, 5))),
            point(2, own.with_method(METHODS[0], &policy), Some(measured(0.1, 5))),
            point(3, own.with_k(10), Some(measured(0.3, 10))),
            point(4, own.with_k(20), None),
        ];
        Suggestion {
            rows: 100,
            columns: vec![EVIL.into()],
            planned: 9,
            finished: false,
            shortened: false,
            recommended: Some(2),
            classifier: None,
            points,
        }
    }

    fn escaped(page: &str) {
        check_page(page);
        for raw in ["<script", "script>", "&\"", "\"'", "NaN"] {
            assert!(!page.contains(raw), "the page has {raw}");
        }
    }

    #[test]
    fn the_pages_are_well_formed_escaped_and_say_what_they_should() {
        let page = suggested_page(&suggestion(), "people.csv", "1");
        escaped(&page);
        for phrase in [
            "Do not pass this page on",
            "<strong>Recommended:</strong> k = 5, mondrian by lm",
            "of 9 planned; the time was over",
            "<td>*<small>&lt;script&gt;",
            "<td>suppressed<small>(missing)</small></td>",
            "<a href=\"#p2\">2</a> <span class=\"tag\">front, recommended</span>",
            "<details id=\"p2\" open>",
        ] {
            assert!(page.contains(phrase), "the page lacks {phrase}");
        }
        assert!(!page.contains("Naive Bayes"));
        let page = policy_comparison_page(&suggestion(), "people.csv", "1");
        escaped(&page);
        assert!(!page.contains("Sample rows") && page.contains("Loss against k"));
        let picture = policy_comparison_picture(&suggestion());
        assert!(picture.starts_with("<svg") && picture.contains("best by lm: 0.6, 0.3, none."), "{picture}");
    }

    #[test]
    fn a_page_without_points_stands() {
        let nothing = Suggestion { points: Vec::new(), recommended: None, ..suggestion() };
        let page = suggested_page(&nothing, "people.csv", "1");
        escaped(&page);
        assert!(page.contains("nothing that was tried is within the limits"));
    }

    #[test]
    fn a_report_has_a_box_with_hints_where_there_are_some() {
        let mut facts = sample();
        assert!(!html(&facts).contains("To keep more"));
        facts.suggestions = vec![Hint {
            change: format!("give `{EVIL}` max_level = 1"),
            without: None,
            stars: Effect { before: 0.415, after: 0.0 },
            lost: Effect { before: 2, after: 0 },
            lm: Effect { before: 0.6349, after: 0.2 },
            suppressed: Effect { before: 10, after: 10 },
            tried_on: None,
        }];
        let page = html(&facts);
        escaped(&page);
        let effects = "stars 41.5 % → 0.0 %, columns lost 2 → 0, LM 0.635 → 0.200</li>";
        assert!(page.contains("<h2>To keep more</h2>") && page.contains(effects), "{page}");
    }
}
