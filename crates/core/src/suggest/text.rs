//! The points as aligned text, and as CSV. Pure functions of what was measured.

use super::{Measured, Point, Status, Suggestion};

/// A cell of a text table, right-aligned unless it is the last.
type Row = Vec<String>;

/// The points by loss, with what they mean.
pub fn suggestion_text(suggestion: &Suggestion) -> String {
    let mut head = vec!["id", "", "loss", "stars", "lost", "suppressed", "smallest", "mean risk"];
    if suggestion.classifier.is_some() {
        head.push("AUC");
    }
    head.extend(["k", "settings"]);
    let mut rows: Vec<Row> = vec![head.into_iter().map(String::from).collect()];
    rows.extend(suggestion.by_loss().into_iter().map(|point| row(point, suggestion)));
    let mut text = aligned(&rows);
    text += "\n= the policy, + nothing tried has both less risk and less loss, > recommended, ~ assumes that outsiders do not know the column\n";
    if let Some(classifier) = &suggestion.classifier {
        text += &format!(
            "AUC of naive Bayes for {}: {:.3} from the original rows, 0.5 is chance\n",
            classifier.column, classifier.original.auc
        );
    }
    for point in suggestion.points.iter().filter(|point| point.reason.is_some()) {
        let reason = point.reason.as_deref().unwrap_or_default();
        text += &format!("{}: {}\n", point.id, reason);
    }
    text + &conclusion(suggestion)
}

/// What the points come to.
fn conclusion(suggestion: &Suggestion) -> String {
    let current = suggestion.points.first().and_then(|point| point.measured.as_ref());
    let best = suggestion.recommended.and_then(|id| suggestion.point(id));
    let mut text = match best {
        None => "No point has a release within the limits.\n".to_owned(),
        Some(best) if best.current => "Recommended: the policy as it is.\n".to_owned(),
        Some(best) => {
            let effect = match (current, &best.measured) {
                (Some(before), Some(after)) => {
                    format!(" (loss {:.3} → {:.3})", before.loss, after.loss)
                }
                _ => String::new(),
            };
            let k = best.settings.k.map_or(String::new(), |k| format!("k = {k}, "));
            format!("Recommended: {}: {k}{}{effect}\n", best.id, best.settings.words())
        }
    };
    if !suggestion.finished {
        text += &format!(
            "The time was over: {} of {} planned points were tried.\n",
            suggestion.points.len(),
            suggestion.planned
        );
    } else if suggestion.shortened {
        text += "More points are tried with more --seconds.\n";
    }
    text
}

fn marks(point: &Point) -> String {
    let all = [(point.current, '='), (point.front, '+'), (point.recommended, '>'), (point.assumes, '~')];
    all.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect()
}

fn row(point: &Point, suggestion: &Suggestion) -> Row {
    let mut row = vec![point.id.to_string(), marks(point)];
    match &point.measured {
        Some(measured) => row.extend(figures(measured)),
        None => {
            row.push(status(point.status).to_owned());
            row.extend(vec![String::new(); 5]);
        }
    }
    if suggestion.classifier.is_some() {
        let auc = point.measured.as_ref().and_then(|measured| measured.classifier);
        row.push(auc.map_or("–".to_owned(), |accuracy| format!("{:.3}", accuracy.auc)));
    }
    row.push(point.settings.k.map_or("–".to_owned(), |k| k.to_string()));
    row.push(point.settings.words());
    row
}

fn figures(measured: &Measured) -> [String; 6] {
    [
        format!("{:.3}", measured.loss),
        format!("{:.1} %", 100.0 * measured.stars),
        measured.lost.len().to_string(),
        measured.suppressed.to_string(),
        measured.risk.smallest.to_string(),
        format!("{:.2} %", 100.0 * measured.risk.marketer),
    ]
}

/// As tables write it.
pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Solved => "solved",
        Status::NoSolution => "no solution",
        Status::Refused => "refused",
        Status::Stopped => "stopped",
    }
}

/// Methods and k, for `throng compare POLICY`.
pub fn comparison_text(suggestion: &Suggestion) -> String {
    let head = ["method", "k", "LM", "stars", "lost", "suppressed", "smallest", "mean risk", "seconds"];
    let mut rows: Vec<Row> = vec![head.map(String::from).to_vec()];
    for point in in_order(suggestion) {
        let method = format!("{} by {}", point.settings.method.name(), point.settings.loss);
        let mut row = vec![method, point.settings.k.map_or("–".to_owned(), |k| k.to_string())];
        match &point.measured {
            Some(measured) => row.extend(figures(measured)),
            None => {
                row.push(status(point.status).to_owned());
                row.extend(vec![String::new(); 5]);
            }
        }
        row.push(format!("{:.2}", point.seconds));
        rows.push(row);
    }
    let mut text = aligned_first(&rows);
    for point in suggestion.points.iter().filter(|point| point.reason.is_some()) {
        let (k, reason) = (point.settings.k.unwrap_or(0), point.reason.as_deref().unwrap_or_default());
        text += &format!("\n{}, k = {k}: {reason}", point.settings.method.name());
    }
    text + "\n" + &conclusion(suggestion)
}

/// By method as they are listed first, then by k.
pub(crate) fn in_order(suggestion: &Suggestion) -> Vec<&Point> {
    let place = |point: &Point| {
        let same = |other: &Point| {
            (other.settings.method, &other.settings.loss) == (point.settings.method, &point.settings.loss)
        };
        suggestion.points.iter().position(same)
    };
    let mut points: Vec<&Point> = suggestion.points.iter().collect();
    points.sort_by_key(|point| (place(point), point.settings.k));
    points
}

/// The same as CSV.
pub fn comparison_csv(suggestion: &Suggestion) -> String {
    let mut text =
        "method,loss,k,status,lm,stars,columns_lost,suppressed,smallest_class,mean_class,highest_risk,mean_risk,seconds\n"
            .to_owned();
    for point in in_order(suggestion) {
        let settings = &point.settings;
        let k = settings.k.map_or(String::new(), |k| k.to_string());
        let figures = point.measured.as_ref().map_or(",,,,,,,".to_owned(), |measured| {
            let risk = &measured.risk;
            format!(
                "{},{},{},{},{},{},{},{}",
                measured.lm,
                measured.stars,
                measured.lost.len(),
                measured.suppressed,
                risk.smallest,
                risk.average,
                risk.prosecutor,
                risk.marketer
            )
        });
        let (method, status) = (settings.method.name(), status(point.status));
        text += &format!("{method},{},{k},{status},{figures},{:.3}\n", settings.loss, point.seconds);
    }
    text
}

/// Columns under each other, right-aligned, the last one left-aligned.
fn aligned(rows: &[Row]) -> String {
    let width = rows.first().map_or(0, Vec::len);
    laid_out(rows, |column| column + 1 == width)
}

/// The same with the first one left-aligned.
fn aligned_first(rows: &[Row]) -> String {
    laid_out(rows, |column| column == 0)
}

fn laid_out(rows: &[Row], left: impl Fn(usize) -> bool) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let line = |row: &Row| {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let space = " ".repeat(widths[column] - cell.chars().count());
            if left(column) { format!("{cell}{space}") } else { format!("{space}{cell}") }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
