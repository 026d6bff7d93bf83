//! The page of an evaluation: what models learn against k, which loss goes along with it, and who
//! pays for privacy.

use super::frame::{page, section, table, tile};
use super::lines::Chart;
use super::markup::{Html, markup};
use super::scatter::Scatter;
use super::text::{decimal, integer};
use crate::evaluate::{
    DIRECT, Evaluation, MIDDLE, MeasureCorrelations, ModelScores, ORIGINAL, SettingResult,
};
use crate::suggest::Status;

/// Measures whose points are drawn.
const DRAWN: usize = 6;

/// The page of an evaluation.
pub fn evaluated_page(evaluation: &Evaluation, title: &str, version: &str) -> String {
    let body = Html::from_iter([
        headline(evaluation),
        learned(evaluation),
        measures(evaluation),
        groups(evaluation),
        settings(evaluation),
        selection(evaluation),
    ]);
    let footer = markup!(
        "Written by Throng {}. It holds figures of the whole table, and no row of it: keep it with the original.",
        version
    );
    page("evaluation", title, &format!("Evaluation for {title}"), body, footer)
}

/// The score that plots show, and its name.
fn score(evaluation: &Evaluation) -> (&'static str, fn(&ModelScores) -> Option<f64>) {
    match evaluation.classes.is_empty() {
        true => ("R²", |m| m.scores.r2),
        false => ("AUC", |m| m.scores.auc),
    }
}

fn mean(of: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = of.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

fn figure(of: Option<f64>) -> String {
    of.map_or("–".to_owned(), |x| if x.abs() < 10.0 { format!("{x:.3}") } else { decimal(x) })
}

fn solved(evaluation: &Evaluation) -> impl Iterator<Item = &SettingResult> {
    evaluation.settings.iter().filter(|s| s.status == Status::Solved)
}

fn headline(evaluation: &Evaluation) -> Html {
    let (name, of) = score(evaluation);
    let original = mean(evaluation.original.iter().filter_map(of));
    let means: Vec<f64> = solved(evaluation).filter_map(|s| mean(s.direct().filter_map(of))).collect();
    let (low, high) =
        means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let range = if means.is_empty() { "–".into() } else { format!("{low:.3} – {high:.3}") };
    let best = evaluation.correlations.first();
    let strongest = best.map_or("–".to_owned(), |m| m.measure.clone());
    let rank = best.and_then(|m| m.scores.get("auc").or(m.scores.get("r2"))).map(|c| c.spearman);
    let held = if evaluation.people { "rows of held-out people" } else { "rows held out" };
    let tiles = [
        tile(
            "",
            "Target",
            evaluation.target.clone(),
            match evaluation.classes.len() {
                0 => "numbers".to_owned(),
                n => format!("{n} classes"),
            },
        ),
        tile(
            "",
            "Rows",
            integer(evaluation.training.round() as u64),
            format!("learned from; {} {held}", integer(evaluation.held_out.round() as u64)),
        ),
        tile("", format!("{name} of originals").as_str(), figure(original), "mean over models"),
        tile("", format!("{name} of releases").as_str(), range, "mean over models, cells read directly"),
        tile("", "Strongest measure", strongest, format!("Spearman {} over settings", figure(rank))),
    ];
    let stopped = match evaluation.finished {
        true => Html::default(),
        false => Html::fixed(
            "<p class=\"verdict unsafe\"><strong>Stopped early:</strong> settings or models that were planned are missing</p>\n",
        ),
    };
    markup!(
        "<section id=\"verdict\" aria-label=\"Summary\">\n{stopped}<dl class=\"tiles\">\n{}</dl>\n</section>\n",
        Html::from_iter(tiles);
        stopped
    )
}

/// A chart per model: the score against k, a line per method, both readings.
fn learned(evaluation: &Evaluation) -> Html {
    let (name, of) = score(evaluation);
    let mut at: Vec<u64> = solved(evaluation).filter_map(|s| s.k).collect();
    at.sort_unstable();
    at.dedup();
    let mut methods: Vec<&str> = Vec::new();
    for setting in solved(evaluation) {
        if !methods.contains(&setting.method.as_str()) {
            methods.push(&setting.method);
        }
    }
    let chart = |model: &ModelScores| {
        let value = |method: &str, k: u64, reading: &str| {
            let setting = solved(evaluation).find(|s| s.method == method && s.k == Some(k))?;
            let is = |m: &&ModelScores| m.model == model.model && m.reading == reading;
            of(setting.models.iter().find(is)?)
        };
        let line = |method: &str, reading: &'static str| {
            let label = if reading == DIRECT { method.to_owned() } else { format!("{method}, middle") };
            (label, at.iter().map(|&k| value(method, k, reading)).collect())
        };
        let series = [DIRECT, MIDDLE].into_iter().flat_map(|r| methods.iter().map(move |m| line(m, r)));
        Chart {
            title: model.model.name().to_owned(),
            subtitle: format!("{name} on held-out originals; dashed: learned from the original"),
            name: "k",
            reference: of(model),
            series: series.collect(),
            at: at.clone(),
        }
    };
    let charts = evaluation.original.iter().map(chart).filter(|chart| !chart.is_empty());
    let figures: Html = charts.map(|chart| markup!("<figure>{}</figure>", chart.inline())).collect();
    let lead = "Cells are read directly, spread over what they cover, or as their middle. The baseline that knows no column is in the table below.";
    let body = markup!("<div class=\"figures plots\">{figures}</div>\n{}", originals(evaluation); figures);
    section(1, "learned", "What models learn", Html::fixed(lead), body)
}

fn cell(name: &str, text: &str) -> Html {
    markup!("<td class=\"n\" data-name=\"{name}\">{text}</td>"; name, text)
}

fn heads(first: &str, names: &[&str]) -> Html {
    let head = |name: &&str| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name);
    markup!("<tr><th scope=\"col\">{first}</th>{}</tr>", names.iter().map(head).collect::<Html>(); first)
}

fn originals(evaluation: &Evaluation) -> Html {
    let classes = !evaluation.classes.is_empty();
    let names: &[&str] = match classes {
        true => &["AUC", "Accuracy", "Brier score", "Calibration error"],
        false => &["R²", "RMSE"],
    };
    let row = |name: &str, s: &crate::evaluate::Scores| {
        let figures = match classes {
            true => vec![s.auc, s.accuracy, s.brier, s.calibration_error],
            false => vec![s.r2, s.rmse],
        };
        let cells: Html = names.iter().zip(figures).map(|(name, f)| cell(name, &figure(f))).collect();
        markup!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n"; name, cells)
    };
    let rows: Html = [row("nothing learned", &evaluation.baseline)]
        .into_iter()
        .chain(evaluation.original.iter().map(|m| row(m.model.name(), &m.scores)))
        .collect();
    table("stack", "Learned from the original", heads("Learned from the original", names), rows)
}

fn measures(evaluation: &Evaluation) -> Html {
    if evaluation.correlations.is_empty() {
        return Html::default();
    }
    let (name, of) = score(evaluation);
    let scatter = |measure: &MeasureCorrelations| {
        let point = |s: &SettingResult| {
            let k = s.k.map_or(String::new(), |k| format!(", k = {k}"));
            let at = (*s.measures().get(&measure.measure)?, mean(s.direct().filter_map(of))?);
            Some((s.method.clone(), format!("{}{k}", s.method), at))
        };
        let scatter = Scatter {
            title: measure.measure.clone(),
            across: measure.measure.clone(),
            up: format!("{name}, mean over models"),
            points: solved(evaluation).filter_map(point).collect(),
        };
        markup!("<figure>{}</figure>", scatter.inline())
    };
    let figures: Html = evaluation.correlations.iter().take(DRAWN).map(scatter).collect();
    let scores: Vec<&str> = ["auc", "accuracy", "r2"]
        .into_iter()
        .filter(|s| evaluation.correlations.iter().any(|m| m.scores.contains_key(s)))
        .collect();
    let label = |score: &str| {
        match score {
            "auc" => "AUC",
            "r2" => "R²",
            other => other,
        }
        .to_owned()
    };
    let mut names = vec!["settings".to_owned()];
    for score in &scores {
        let score = label(score);
        names.extend([format!("{score}: Spearman"), format!("{score}: Pearson"), format!("{score}: same k")]);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = |measure: &MeasureCorrelations| {
        let mut figures = vec![measure.settings.to_string()];
        for score in &scores {
            let found = measure.scores.get(score);
            figures.extend([
                figure(found.map(|c| c.spearman)),
                figure(found.map(|c| c.pearson)),
                figure(found.and_then(|c| c.same_k)),
            ]);
        }
        let cells: Html = names.iter().zip(&figures).map(|(name, f)| cell(name, f)).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", measure.measure; cells)
    };
    let rows: Html = evaluation.correlations.iter().map(row).collect();
    let lead = "Correlation of every measure of loss with the mean score of models over settings. Near −1: the more is lost by this measure, \
                the less models learn. Same k: how often the measure orders two methods with the same k as the score does.";
    let body = markup!(
        "<div class=\"figures plots\">{figures}</div>\n{}",
        table("stack", "Correlations", heads("Measure", &names), rows);
        figures
    );
    section(2, "measures", "Which loss predicts what models learn", Html::fixed(lead), body)
}

fn groups(evaluation: &Evaluation) -> Html {
    let Some(by) = &evaluation.by else { return Html::default() };
    let groups: Vec<&str> = evaluation
        .original
        .first()
        .map_or(Vec::new(), |m| m.groups.iter().map(|g| g.group.as_str()).collect());
    let first = |at: usize| {
        mean(evaluation.original.iter().filter_map(|m| {
            let scores = m.groups.get(at)?.scores;
            scores.accuracy.or(scores.r2)
        }))
    };
    let cells: Html = groups.iter().enumerate().map(|(at, name)| cell(name, &figure(first(at)))).collect();
    let original = markup!("<tr><th scope=\"row\">original</th>{cells}</tr>\n"; cells);
    let row = |setting: &SettingResult| {
        let change = |at: usize| crate::evaluate::group_change(setting, at);
        let shown = |at: usize| change(at).map_or("–".to_owned(), |x| format!("{x:+.3}"));
        let cells: Html = groups.iter().enumerate().map(|(at, name)| cell(name, &shown(at))).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", named(setting); cells)
    };
    let rows: Html = [original].into_iter().chain(solved(evaluation).map(row)).collect();
    let name = if evaluation.classes.is_empty() { "R²" } else { "Accuracy" };
    let lead = markup!(
        "{name} on the held-out rows of every group of {by}, mean over models: learned from the original, and by how much it \
         changes where they learn from a release. A group with a greater fall pays more for privacy.";
        name, by
    );
    section(
        3,
        "groups",
        "Who pays for privacy",
        lead,
        table("stack", "Groups", heads("Setting", &groups), rows),
    )
}

fn named(setting: &SettingResult) -> String {
    let k = setting.k.map_or(String::new(), |k| format!(", k = {k}"));
    format!("{}{k}", setting.method)
}

fn settings(evaluation: &Evaluation) -> Html {
    let (name, of) = score(evaluation);
    let names = ["Suppressed", "LM", "pMSE ratio", "Marginals", "Pairs", name, "read by the middle"];
    let row = |setting: &SettingResult| {
        if setting.status != Status::Solved {
            let reason = setting.reason.clone().unwrap_or_default();
            return markup!(
                "<tr><th scope=\"row\">{}</th><td colspan=\"7\" data-name=\"Result\">{reason}</td></tr>\n",
                named(setting);
                reason
            );
        }
        let similar = setting.similarity.as_ref();
        let middle = setting.models.iter().filter(|m| m.reading == MIDDLE);
        let figures = [
            integer(setting.suppressed.round() as u64),
            figure(setting.losses.get("lm").copied()),
            figure(similar.map(|s| s.pmse_ratio)),
            figure(similar.map(|s| s.marginals)),
            figure(similar.map(|s| s.pairs)),
            figure(mean(setting.direct().filter_map(of))),
            figure(mean(middle.filter_map(of))),
        ];
        let cells: Html = names.iter().zip(&figures).map(|(name, f)| cell(name, f)).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", named(setting); cells)
    };
    let rows: Html = evaluation.settings.iter().map(row).collect();
    let lead = "pMSE ratio: how well a classifier distinguishes released rows from originals; 0 is identical, 1 is another sample of the same \
                people. Marginals and pairs: total variation distance of columns and of pairs of columns, cells spread over what they cover.";
    section(
        4,
        "settings",
        "All settings",
        Html::fixed(lead),
        table("stack", "All settings", heads("Setting", &names), rows),
    )
}

fn selection(evaluation: &Evaluation) -> Html {
    let Some(selection) = &evaluation.selection else { return Html::default() };
    let name = score(evaluation).0;
    let names = ["Model", "validated", name];
    let row = |of: &str, found: &crate::evaluate::Selected| {
        let figures = [
            found.recipe.clone(),
            figure(Some(found.validated)),
            figure(found.scores.auc.or(found.scores.r2)),
        ];
        let cells: Html = names.iter().zip(&figures).map(|(name, f)| cell(name, f)).collect();
        markup!("<tr><th scope=\"row\">{of}</th>{cells}</tr>\n"; of, cells)
    };
    let original = evaluation.selected.iter().map(|found| row(ORIGINAL, found));
    let releases = solved(evaluation).filter_map(|s| Some(row(&named(s), s.selected.as_ref()?)));
    let rows: Html = original.chain(releases).collect();
    let lead = markup!(
        "The best of {} models with parameters, of {} that there are, by cross-validation on the rows of each release, then tested on held-out originals.",
        selection.tried,
        selection.known
    );
    section(
        5,
        "selection",
        "Selected automatically",
        lead,
        table("stack", "Selected", heads("Learned from", &names), rows),
    )
}
