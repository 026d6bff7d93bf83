//! A comparison as text: one line per run for machines, tables against k for people.

use std::fmt::Write;

use super::{At, Comparison, Measure, Panel, Ranking, Run, Size, Status};
use crate::table::delimited::write_cell;

/// The columns of [`csv`].
const COLUMNS: [&str; 27] = [
    "table",
    "size",
    "repeat",
    "rows",
    "loss",
    "suppression",
    "k",
    "algorithm",
    "status",
    "reason",
    "value",
    "optimum",
    "relative",
    "levels",
    "suppressed",
    "nodes",
    "checked",
    "score",
    "compared",
    "seconds",
    "error_total",
    "error_mean",
    "error_deviation",
    "original_error_total",
    "moved_mean",
    "moved_deviation",
    "notion",
];

/// One line per run, with a header.
pub fn csv(comparison: &Comparison) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for run in &comparison.runs {
        for (at, cell) in cells(run).iter().enumerate() {
            text.push_str(if at > 0 { "," } else { "" });
            write_cell(&mut text, cell, &[',']);
        }
        text.push('\n');
    }
    text
}

fn cells(run: &Run) -> [String; 27] {
    fn shown<T: ToString>(value: Option<T>) -> String {
        value.map_or(String::new(), |v| v.to_string())
    }
    let levels: Vec<String> = run.levels.iter().map(|(column, level)| format!("{column} {level}")).collect();
    [
        run.table.clone(),
        run.size.to_string(),
        run.repeat.to_string(),
        run.rows.to_string(),
        run.loss.clone(),
        run.suppression.to_string(),
        run.k.to_string(),
        run.algorithm.clone(),
        run.status.name().to_owned(),
        run.reason.clone().unwrap_or_default(),
        shown(run.value),
        shown(run.optimum),
        shown(run.relative),
        levels.join("; "),
        shown(run.suppressed),
        run.nodes.to_string(),
        shown(run.checked),
        shown(run.score),
        shown(run.compared),
        shown(run.seconds),
        shown(run.predicted.map(|p| p.released.total)),
        shown(run.predicted.map(|p| p.released.mean)),
        shown(run.predicted.map(|p| p.released.deviation)),
        shown(run.predicted.map(|p| p.original.total)),
        shown(run.predicted.map(|p| p.moved.mean)),
        shown(run.predicted.map(|p| p.moved.deviation)),
        shown(run.notion.clone()),
    ]
}

/// A table with its title, what it shows, and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its title.
    pub title: String,
    /// The rows; the first is the header.
    pub rows: Vec<Vec<String>>,
    /// Sentences below it.
    pub notes: Vec<String>,
}

/// Everything as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("# Comparison\n\n{}", overview(comparison));
    text += &format!("\n## Relative information loss\n\n{}\n", baseline(comparison));
    losses(comparison).iter().for_each(|block| text += &written(block));
    text += "\n## Work\n\nWhat the searches did. Only seconds differ from run to run.\n";
    work(comparison).iter().for_each(|block| text += &written(block));
    let unanswered = unanswered(comparison);
    if !unanswered.is_empty() {
        text += "\n## Runs without an answer\n\n";
        unanswered.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text
}

/// What relative losses are relative to.
pub fn baseline(comparison: &Comparison) -> String {
    let text = "In % of the optimum of levels, the least loss of any safe node with one level per column: 100 is that \
                optimum, 200 loses twice as much.";
    match &comparison.beyond_levels()[..] {
        [] => text.to_owned(),
        names => format!(
            "{text} Algorithms that are not bound to one level per column can lose less, below 100: {}.",
            names.join(", ")
        ),
    }
}

/// How far it got, the mean and greatest relative loss, and the votes, as Markdown.
pub fn overview(comparison: &Comparison) -> String {
    let mut text = format!("{} of {} runs were made", comparison.runs.len(), comparison.planned);
    text += if comparison.finished { ".\n" } else { "; it was stopped before the others.\n" };
    summaries(comparison).iter().for_each(|block| text += &written(block));
    text
}

fn written(block: &Block) -> String {
    let mut text = format!("\n### {}\n\n{}", block.title, grid(&block.rows));
    if !block.notes.is_empty() {
        text += "\n";
        block.notes.iter().for_each(|note| text += &format!("- {note}\n"));
    }
    text
}

/// Mean and greatest relative loss over k, and the votes.
pub fn summaries(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    for table in &comparison.tables {
        blocks.extend(comparison.sizes.iter().map(|&size| in_short(comparison, table, size)));
    }
    blocks.extend(comparison.rankings.iter().map(votes));
    blocks.extend(predictions(comparison));
    blocks
}

/// Prediction errors, if requested: the mean error by sample size and by k, and the votes on
/// methods and on losses.
pub fn predictions(comparison: &Comparison) -> Vec<Block> {
    if comparison.measures.is_empty() {
        return Vec::new();
    }
    let sizes: Vec<(String, At)> =
        comparison.sizes.iter().map(|&size| (format!("{size} rows"), At::Size(size))).collect();
    let k: Vec<(String, At)> = comparison.k.iter().map(|&k| (format!("k = {k}"), At::K(k))).collect();
    let by = |places: &[(String, At)], title: &str| -> Vec<Block> {
        let block = |table: &String| errors(comparison, table, (places, title));
        comparison.tables.iter().map(block).collect()
    };
    let mut blocks = by(&sizes, "");
    if k.len() > 1 {
        blocks.extend(by(&k, ", by k"));
    }
    let methods = comparison.methods.iter().map(|ranking| error_votes("method", ranking));
    let measures = comparison.measures.iter().map(|ranking| error_votes("loss", ranking));
    blocks.extend(methods.chain(measures));
    blocks
}

/// Mean absolute error by algorithm and loss, against the size of samples or against k.
fn errors(comparison: &Comparison, table: &str, (places, title): (&[(String, At)], &str)) -> Block {
    let head = places.iter().map(|(name, _)| name.clone());
    let mut rows = vec![["predicted from".to_owned()].into_iter().chain(head).collect::<Vec<_>>()];
    let line = |name: String, of: Option<(&str, &str)>| -> Vec<String> {
        let cell = |(_, at): &(String, At)| {
            // The error of a class is at most 1.
            let shown = |e: f64| if e < 10.0 { format!("{e:.4}") } else { format!("{e:.1}") };
            comparison.error(table, *at, of).map_or("–".into(), shown)
        };
        [name].into_iter().chain(places.iter().map(cell)).collect()
    };
    rows.push(line("original rows".into(), None));
    for algorithm in &comparison.algorithms {
        for loss in &comparison.losses {
            rows.push(line(format!("{algorithm}, {loss}"), Some((algorithm, loss))));
        }
    }
    let note = "Of what is predicted from released rows against the truth, the mean over rows, and over all other samples, limits and k.";
    Block {
        title: format!("Mean absolute error of predictions: {table}{title}"),
        rows,
        notes: vec![note.to_owned()],
    }
}

fn error_votes(what: &str, ranking: &Ranking) -> Block {
    let head = [what, "total error", "best at", "races won", "races lost"].map(String::from);
    let mut rows = vec![head.to_vec()];
    rows.extend(ranking.standings.iter().map(|s| {
        let error = match ranking.common {
            0 => "–".to_owned(),
            _ if s.error < 1_000.0 => format!("{:.2}", s.error),
            _ => format!("{:.0}", s.error),
        };
        vec![s.algorithm.clone(), error, s.first.to_string(), s.won.to_string(), s.lost.to_string()]
    }));
    let named = |winners: &[String]| if winners.is_empty() { "none".to_owned() } else { winners.join(", ") };
    let notes = vec![
        format!(
            "{} samples, limits and k; at {} of them every {what} has an error.",
            ranking.ballots, ranking.common
        ),
        format!("Least total error: {}.", named(&ranking.total)),
        format!("Majority: {}.", named(&ranking.majority)),
        format!("Condorcet: {}.", named(&ranking.condorcet)),
    ];
    Block { title: format!("Which {what} serves the model best: {}", ranking.table), rows, notes }
}

/// The relative loss of every algorithm against k.
pub fn losses(comparison: &Comparison) -> Vec<Block> {
    blocks(comparison, |panel| rows_of(comparison, panel, Measure::Relative))
}

/// What every algorithm did, against k.
pub fn work(comparison: &Comparison) -> Vec<Block> {
    blocks(comparison, |panel| {
        Measure::WORK.iter().flat_map(|&measure| work_of(comparison, panel, measure)).collect()
    })
}

/// One table per panel that has any lines.
fn blocks(comparison: &Comparison, lines: impl Fn(&Panel<'_>) -> Vec<Line>) -> Vec<Block> {
    let block = |panel: &Panel<'_>| {
        let lines = lines(panel);
        let head = [vec!["k".to_owned()], comparison.k.iter().map(u64::to_string).collect()].concat();
        let rows = lines.iter().map(|(name, cells)| [vec![name.clone()], cells.clone()].concat());
        let rows = [head].into_iter().chain(rows).collect();
        let title = heading(comparison, panel);
        (!lines.is_empty()).then_some(Block { title, rows, notes: Vec::new() })
    };
    comparison.panels().iter().filter_map(block).collect()
}

/// Mean and greatest relative loss over k.
fn in_short(comparison: &Comparison, table: &str, size: Size) -> Block {
    let panels: Vec<Panel<'_>> =
        comparison.panels().into_iter().filter(|p| p.table == table && p.size == size).collect();
    let head = panels.iter().map(|p| format!("{}, {}", p.loss, percent(p.suppression)));
    let mut rows = vec![["algorithm".to_owned()].into_iter().chain(head).collect::<Vec<_>>()];
    for algorithm in &comparison.algorithms {
        let cells = panels.iter().map(|panel| mean_and_greatest(comparison, panel, algorithm));
        rows.push([algorithm.clone()].into_iter().chain(cells).collect());
    }
    let title = format!("Relative information loss: {}", subject(comparison, table, size));
    let note = "By loss and suppression limit: the mean over k, and in brackets the greatest.";
    Block { title, rows, notes: vec![note.to_owned(), baseline(comparison)] }
}

fn mean_and_greatest(comparison: &Comparison, panel: &Panel<'_>, algorithm: &str) -> String {
    let series = comparison.series(panel, algorithm, Measure::Relative);
    let found: Vec<f64> = series.into_iter().flatten().collect();
    if found.is_empty() {
        return "–".to_owned();
    }
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    format!("{mean:.1} ({:.1})", found.iter().copied().fold(0.0, f64::max))
}

fn votes(ranking: &Ranking) -> Block {
    let head = ["algorithm", "total error, %", "best at", "races won", "races lost"].map(String::from);
    let mut rows = vec![head.to_vec()];
    rows.extend(ranking.standings.iter().map(|s| {
        let error = if ranking.common > 0 { format!("{:.1}", s.error) } else { "–".to_owned() };
        vec![s.algorithm.clone(), error, s.first.to_string(), s.won.to_string(), s.lost.to_string()]
    }));
    let named = |winners: &[String]| if winners.is_empty() { "none".to_owned() } else { winners.join(", ") };
    let notes = vec![
        format!("{} points, {} of them solved by all algorithms.", ranking.ballots, ranking.common),
        "Total error: how much more was lost than the least at a point, by any algorithm or at the optimum of levels; the sum over points.".to_owned(),
        format!("Least total error: {}.", named(&ranking.total)),
        format!("Majority: {}.", named(&ranking.majority)),
        format!("Condorcet: {}.", named(&ranking.condorcet)),
    ];
    Block { title: format!("Votes: {}", ranking.table), rows, notes }
}

fn percent(share: f64) -> String {
    // As many digits as a share has that somebody wrote.
    let text = format!("{:.10}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn subject(comparison: &Comparison, table: &str, size: Size) -> String {
    match size {
        Size::All if comparison.sizes.len() == 1 => table.to_owned(),
        Size::All => format!("{table}, all rows"),
        Size::Rows(rows) => format!("{table}, samples of {rows} rows"),
    }
}

/// What a panel is called.
pub fn heading(comparison: &Comparison, panel: &Panel<'_>) -> String {
    let subject = subject(comparison, panel.table, panel.size);
    format!("{subject}, {}, at most {} suppressed", panel.loss, percent(panel.suppression))
}

/// A line of a table against k.
type Line = (String, Vec<String>);

/// A measure of every algorithm that has it.
fn rows_of(comparison: &Comparison, panel: &Panel<'_>, measure: Measure) -> Vec<Line> {
    let line = |algorithm: &String| {
        let series = comparison.series(panel, algorithm, measure);
        series.iter().any(Option::is_some).then(|| {
            (algorithm.clone(), series.iter().map(|v| v.map_or("–".into(), |v| number(v, measure))).collect())
        })
    };
    comparison.algorithms.iter().filter_map(line).collect()
}

/// A measure of every algorithm, and of Incognito as % of OLA [El Emam 2009, figure 8].
fn work_of(comparison: &Comparison, panel: &Panel<'_>, measure: Measure) -> Vec<Line> {
    let name = measure.title().to_lowercase();
    let mut rows: Vec<Line> = rows_of(comparison, panel, measure)
        .into_iter()
        .map(|(algorithm, cells)| (format!("{name}, {algorithm}"), cells))
        .collect();
    let shares = incognito_of_ola(comparison, panel, measure);
    if shares.iter().any(Option::is_some) {
        let cells = shares.iter().map(|v| v.map_or("–".into(), |v| format!("{v:.0} %"))).collect();
        rows.push((format!("{name}, incognito as % of ola"), cells));
    }
    rows
}

/// Incognito's figure as % of OLA's, at every k.
pub fn incognito_of_ola(comparison: &Comparison, panel: &Panel<'_>, measure: Measure) -> Vec<Option<f64>> {
    let [ola, incognito] = ["ola", "incognito"].map(|a| comparison.series(panel, a, measure));
    let share = |(ola, incognito): (Option<f64>, Option<f64>)| match (ola, incognito) {
        (Some(ola), Some(incognito)) if ola > 0.0 => Some(100.0 * incognito / ola),
        _ => None,
    };
    ola.into_iter().zip(incognito).map(share).collect()
}

fn number(value: f64, measure: Measure) -> String {
    match measure {
        Measure::Relative => format!("{value:.1}"),
        Measure::Checked | Measure::Compared if value.fract() == 0.0 => format!("{value:.0}"),
        Measure::Checked | Measure::Compared => format!("{value:.1}"),
        Measure::Score => format!("{value:.0}"),
        Measure::Seconds => format!("{value:.3}"),
    }
}

/// A table whose first line is the head, first column to the left and all others to the right.
fn grid(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|c| width(c).max(3)).collect();
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        for (c, cell) in row.iter().enumerate() {
            // A bar would end the cell.
            let cell = cell.replace('|', "\\|");
            let _ = match c {
                0 => write!(text, "| {cell:<width$} |", width = widths[c]),
                _ => write!(text, " {cell:>width$} |", width = widths[c]),
            };
        }
        text += "\n";
        if i == 0 {
            for (c, width) in widths.iter().enumerate() {
                text += &if c == 0 {
                    format!("| {} |", "-".repeat(*width))
                } else {
                    format!(" {}: |", "-".repeat(width - 1))
                };
            }
            text += "\n";
        }
    }
    text
}

/// Runs that were refused or have no solution, each reason once with how often.
pub fn unanswered(comparison: &Comparison) -> Vec<String> {
    let mut reasons: Vec<(Status, &str, &str, u64)> = Vec::new();
    for run in comparison.runs.iter().filter(|run| run.status != Status::Solved) {
        let reason = run.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(s, a, r, _)| (*s, *a, *r) == (run.status, &run.algorithm, reason)) {
            Some((_, _, _, times)) => *times += 1,
            None => reasons.push((run.status, &run.algorithm, reason, 1)),
        }
    }
    let line = |(status, algorithm, reason, times): &(Status, &str, &str, u64)| {
        format!("{}, {algorithm}, {times} runs: {reason}", status.name())
    };
    reasons.iter().map(line).collect()
}
