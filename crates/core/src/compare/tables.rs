//! A comparison as text: one line per run for machines, tables against k for people.

use std::fmt::Write;

use super::{Comparison, Measure, Panel, Ranking, Run, Size, Status};

/// The columns of [`csv`].
const COLUMNS: [&str; 20] = [
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
];

/// One line per run, with a header.
pub fn csv(comparison: &Comparison) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for run in &comparison.runs {
        let cells: Vec<String> = cells(run).iter().map(|cell| quoted(cell)).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn cells(run: &Run) -> [String; 20] {
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
    ]
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// Everything as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("# Comparison\n\n{}", overview(comparison));
    text += "\n## Relative information loss\n\nIn % of the optimum: 100 is optimal, 200 loses twice as much as need be.\n";
    for panel in comparison.panels() {
        let rows = rows_of(comparison, &panel, Measure::Relative);
        if !rows.is_empty() {
            let _ = write!(text, "\n### {}\n\n{}", heading(comparison, &panel), against_k(comparison, &rows));
        }
    }
    text += "\n## Work\n\nWhat the searches did. Only seconds differ from run to run.\n";
    for panel in comparison.panels() {
        let mut rows = Vec::new();
        for measure in Measure::WORK {
            rows.extend(work(comparison, &panel, measure));
        }
        if !rows.is_empty() {
            let _ = write!(text, "\n### {}\n\n{}", heading(comparison, &panel), against_k(comparison, &rows));
        }
    }
    text + &without_answer(comparison)
}

/// How far it got, the mean and greatest relative loss, and the votes.
pub fn overview(comparison: &Comparison) -> String {
    let mut text = format!("{} of {} runs were made", comparison.runs.len(), comparison.planned);
    text += if comparison.finished { ".\n" } else { "; it was stopped before the others.\n" };
    for table in &comparison.tables {
        for &size in &comparison.sizes {
            text += &in_short(comparison, table, size);
        }
    }
    for ranking in &comparison.rankings {
        text += &votes(ranking);
    }
    text
}

/// Mean and greatest relative loss over k.
fn in_short(comparison: &Comparison, table: &str, size: Size) -> String {
    let panels: Vec<Panel<'_>> =
        comparison.panels().into_iter().filter(|p| p.table == table && p.size == size).collect();
    let mut head = vec!["algorithm".to_owned()];
    head.extend(panels.iter().map(|p| format!("{}, {}", p.loss, percent(p.suppression))));
    let mut rows = vec![head];
    for algorithm in &comparison.algorithms {
        let cell = |panel: &Panel<'_>| {
            let series = comparison.series(panel, algorithm, Measure::Relative);
            let found: Vec<f64> = series.into_iter().flatten().collect();
            match found.is_empty() {
                true => "–".to_owned(),
                false => {
                    let mean = found.iter().sum::<f64>() / found.len() as f64;
                    format!("{mean:.1} ({:.1})", found.iter().copied().fold(0.0, f64::max))
                }
            }
        };
        let mut row = vec![algorithm.clone()];
        row.extend(panels.iter().map(cell));
        rows.push(row);
    }
    let title = subject(comparison, table, size);
    format!(
        "\nRelative information loss on {title}, in % of the optimum, by loss and suppression limit: mean over k, \
         and in brackets the greatest.\n\n{}",
        grid(&rows)
    )
}

fn votes(ranking: &Ranking) -> String {
    let mut rows = vec![
        ["algorithm", "total error, %", "best at", "races won", "races lost"].map(String::from).to_vec(),
    ];
    rows.extend(ranking.standings.iter().map(|s| {
        let error = if ranking.common > 0 { format!("{:.1}", s.error) } else { "–".to_owned() };
        vec![s.algorithm.clone(), error, s.first.to_string(), s.won.to_string(), s.lost.to_string()]
    }));
    let named = |winners: &[String]| match winners {
        [] => "none".to_owned(),
        winners => winners.join(", "),
    };
    format!(
        "\nVotes on {}: {} points, {} of them solved by all algorithms.\n\n{}\n\
         - Least total error: {}\n- Majority: {}\n- Condorcet: {}\n",
        ranking.table,
        ranking.ballots,
        ranking.common,
        grid(&rows),
        named(&ranking.total),
        named(&ranking.majority),
        named(&ranking.condorcet)
    )
}

fn percent(share: f64) -> String {
    // Fifteen digits are what a share as it was written has at most.
    let text = format!("{:.12}", share * 100.0);
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
    format!("{subject}: {}, at most {} suppressed", panel.loss, percent(panel.suppression))
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

/// A measure of every algorithm, and of Incognito as % of OLA (O, figure 8).
fn work(comparison: &Comparison, panel: &Panel<'_>, measure: Measure) -> Vec<Line> {
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

fn against_k(comparison: &Comparison, lines: &[Line]) -> String {
    let head = [vec!["k".to_owned()], comparison.k.iter().map(u64::to_string).collect()].concat();
    let rows = lines.iter().map(|(name, cells)| [vec![name.clone()], cells.clone()].concat());
    grid(&[head].into_iter().chain(rows).collect::<Vec<_>>())
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
fn without_answer(comparison: &Comparison) -> String {
    let mut reasons: Vec<(Status, &str, &str, u64)> = Vec::new();
    for run in comparison.runs.iter().filter(|run| run.status != Status::Solved) {
        let reason = run.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(s, a, r, _)| (*s, *a, *r) == (run.status, &run.algorithm, reason)) {
            Some((_, _, _, times)) => *times += 1,
            None => reasons.push((run.status, &run.algorithm, reason, 1)),
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let lines = reasons.iter().map(|(status, algorithm, reason, times)| {
        format!("- {}, {algorithm}, {times} runs: {reason}\n", status.name())
    });
    format!("\n## Runs without an answer\n\n{}", lines.collect::<String>())
}
