//! The page of a comparison and its pictures: relative loss and work against k [El Emam 2009,
//! figures 6 to 9].

use super::frame::{page, section, table, tile};
use super::lines::Chart;
use super::markup::{Html, markup};
use super::text::integer;
use crate::compare::{
    At, Block, Comparison, Measure, Panel, Size, Status, baseline, heading, incognito_of_ola, losses,
    summaries, unanswered, work,
};

/// The pictures as files: name and text of each.
pub fn plots(comparison: &Comparison) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for (name, chart) in charts(comparison) {
        // Tables of different names can have the same file name.
        let taken = |name: &str| files.iter().any(|(other, _)| other == name);
        let numbered = (2..).map(|i| format!("{name}-{i}.svg"));
        let free = std::iter::once(format!("{name}.svg")).chain(numbered).find(|name| !taken(name));
        files.push((free.unwrap_or(name), chart.file()));
    }
    files
}

/// The page with everything on it.
pub fn comparison_page(comparison: &Comparison, title: &str, version: &str) -> String {
    let pictures: Html =
        charts(comparison).iter().map(|(_, c)| markup!("<figure>{}</figure>\n", c.inline())).collect();
    let pictures = markup!("<div class=\"figures plots\">\n{pictures}</div>"; pictures);
    let parts = [
        headline(comparison),
        section(
            1,
            "summary",
            "In short",
            markup!(
                "{} Every point of the grid ranks the algorithms by loss, as one ballot.",
                baseline(comparison)
            ),
            blocks(&summaries(comparison)),
        ),
        section(
            2,
            "plots",
            "Against k",
            Html::fixed("Equal lines are drawn once, with all their names."),
            pictures,
        ),
        section(
            3,
            "losses",
            "Relative information loss",
            markup!("{}", baseline(comparison)),
            blocks(&losses(comparison)),
        ),
        section(
            4,
            "work",
            "Work",
            Html::fixed("The work of the searches. Only the seconds differ from run to run."),
            blocks(&work(comparison)),
        ),
        refusals(comparison),
    ];
    let footer = markup!(
        "Written by Throng {}. This page contains figures of whole tables, and no values of cells.",
        version
    );
    page("comparison", title, &format!("Comparison: {title}"), Html::from_iter(parts), footer)
}

fn headline(comparison: &Comparison) -> Html {
    let count = |status| comparison.runs.iter().filter(|r| r.status == status).count() as u64;
    let (class, word, rest) = match comparison.finished {
        true => ("safe", "Complete:", format!("all {} runs", integer(comparison.planned))),
        false => (
            "unsafe",
            "Stopped:",
            format!("{} of {} runs", integer(comparison.runs.len() as u64), integer(comparison.planned)),
        ),
    };
    let tiles = [
        tile("", "Tables", integer(comparison.tables.len() as u64), comparison.tables.join(", ")),
        tile("", "Algorithms", integer(comparison.algorithms.len() as u64), comparison.algorithms.join(", ")),
        tile("", "Losses", integer(comparison.losses.len() as u64), comparison.losses.join(", ")),
        tile("", "Solved", integer(count(Status::Solved)), "runs with a safe node"),
        tile("", "No solution", integer(count(Status::NoSolution)), "runs where no node is safe"),
        tile("", "Refused", integer(count(Status::Refused)), "runs for which the algorithm is not defined"),
    ];
    markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{word}</strong> {rest}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n</section>\n",
        Html::from_iter(tiles);
        class, word, rest
    )
}

fn blocks(blocks: &[Block]) -> Html {
    blocks.iter().map(block).collect()
}

fn block(block: &Block) -> Html {
    let cells = |row: &[String], tag: &str| -> Html {
        let name = |i: usize| block.rows.first().and_then(|head| head.get(i)).map_or("", String::as_str);
        let cell = |(i, text): (usize, &String)| match (i, tag) {
            (0, "td") => markup!("<th scope=\"row\">{text}</th>"; text),
            (0, _) => markup!("<th scope=\"col\">{text}</th>"; text),
            (_, "td") => markup!("<td data-name=\"{}\" class=\"n\">{text}</td>", name(i); text),
            _ => markup!("<th scope=\"col\" class=\"n\">{text}</th>"; text),
        };
        markup!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<Html>())
    };
    let (head, rows) = block.rows.split_first().map_or_else(Default::default, |(head, rows)| {
        (cells(head, "th"), rows.iter().map(|row| cells(row, "td")).collect())
    });
    let notes: Html = block.notes.iter().map(|note| markup!("<li>{note}</li>"; note)).collect();
    let notes = if notes.is_empty() { notes } else { markup!("<ul>{notes}</ul>\n"; notes) };
    Html::from_iter([table("fold", &block.title, head, rows), notes])
}

fn refusals(comparison: &Comparison) -> Html {
    let found = unanswered(comparison);
    if found.is_empty() {
        return Html::default();
    }
    let list: Html = found.iter().map(|line| markup!("<li>{line}</li>\n"; line)).collect();
    let lead = "Combinations that an algorithm is not defined for, or that no node solves.";
    let list = markup!("<ul>\n{list}</ul>"; list);
    section(5, "unanswered", "Runs without an answer", Html::fixed(lead), list)
}

/// Every chart with its file name, without ending.
fn charts(comparison: &Comparison) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    for panel in comparison.panels().iter().filter(|panel| comparison.drawn(panel)) {
        let all = [
            ("loss", Measure::Relative),
            ("nodes", Measure::Checked),
            ("score", Measure::Score),
            ("compared", Measure::Compared),
            ("seconds", Measure::Seconds),
        ];
        for (name, measure) in all {
            charts.push((file_name(name, comparison, panel), of_algorithms(comparison, panel, measure)));
        }
        charts.push((file_name("incognito-of-ola", comparison, panel), of_ola(comparison, panel)));
    }
    charts.extend(errors(comparison));
    charts.retain(|(_, chart)| !chart.is_empty());
    charts
}

/// Errors of predictions against the size of samples, one chart per table and algorithm with a line
/// per loss [Katirai 2006, figure 24].
fn errors(comparison: &Comparison) -> Vec<(String, Chart)> {
    let rows = |size: &Size| match size {
        Size::Rows(rows) => Some(*rows),
        Size::All => None,
    };
    let mut charts = Vec::new();
    for table in &comparison.tables {
        for algorithm in &comparison.algorithms {
            let line = |name: &str, of: Option<(&str, &str)>| {
                let values = comparison.sizes.iter().map(|&size| comparison.error(table, At::Size(size), of));
                (name.to_owned(), values.collect())
            };
            let losses = comparison.losses.iter().map(|loss| line(loss, Some((algorithm, loss))));
            let chart = Chart {
                title: "Mean absolute error of predictions".to_owned(),
                subtitle: format!("{table}, {algorithm}"),
                name: "rows",
                at: comparison.sizes.iter().filter_map(rows).collect(),
                reference: None,
                series: losses.chain([line("original rows", None)]).collect(),
            };
            charts.push((plain(&format!("error-{table}-{algorithm}")), chart));
        }
    }
    charts
}

fn of_algorithms(comparison: &Comparison, panel: &Panel<'_>, measure: Measure) -> Chart {
    let series = comparison.algorithms.iter().map(|a| (a.clone(), comparison.series(panel, a, measure)));
    Chart {
        title: measure.title().to_owned(),
        subtitle: heading(comparison, panel),
        name: "k",
        at: comparison.k.clone(),
        reference: (measure == Measure::Relative).then_some(100.0),
        series: series.collect(),
    }
}

/// The work of Incognito beside that of OLA; not the seconds, so that the picture is the same each
/// time.
fn of_ola(comparison: &Comparison, panel: &Panel<'_>) -> Chart {
    let measures = [Measure::Checked, Measure::Score, Measure::Compared];
    let series = measures.map(|m| (m.title().to_lowercase(), incognito_of_ola(comparison, panel, m)));
    Chart {
        title: "Incognito, in % of OLA".to_owned(),
        subtitle: heading(comparison, panel),
        name: "k",
        at: comparison.k.clone(),
        reference: Some(100.0),
        series: series.to_vec(),
    }
}

fn file_name(kind: &str, comparison: &Comparison, panel: &Panel<'_>) -> String {
    let size = if comparison.sizes.len() > 1 { format!("-{}", panel.size) } else { String::new() };
    let name =
        format!("{kind}-{}{size}-{}-{}", panel.table, panel.loss, panel.suppression).replace('*', "-star");
    plain(&name)
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect()
}
