//! The page of an assessed table: its figures, its class sizes, its special uniques and its
//! riskiest combinations of columns.

use super::charts;
use super::frame::{page, section, table, tile};
use super::markup::{Html, markup};
use super::text::{decimal, integer, percent};
use crate::risk::{Band, Choice, Combination, Figure, Guidance, Risk};

/// The most combinations in the table.
const SHOWN: usize = 100;

/// The page.
pub fn risk_page(risk: &Risk, title: &str, version: &str) -> String {
    let parts = [headline, figures, guidance, sizes, special, combinations];
    let body = Html::from_iter(parts.map(|part| part(risk)));
    let footer = markup!(
        "Written by Throng {}. This page contains counts and estimates, and no values of cells.",
        version
    );
    page("risk", title, &format!("Risk of {title}"), body, footer)
}

fn headline(risk: &Risk) -> Html {
    let value = |name: &str| risk.figures.get(name).and_then(|f| f.value);
    let whole = |name: &str| value(name).map_or("–".to_owned(), |v| integer(v as u64));
    let share = |name: &str| value(name).map_or("–".to_owned(), percent);
    let rows: u64 = risk.class_sizes.iter().map(|band| band.rows).sum();
    let unique = value("sample_unique_rows").unwrap_or(0.0);
    let bad = |is: bool| if is { "bad" } else { "" };
    let above = |name: &str| bad(value(name).is_some_and(|risk_of| risk_of > risk.guidance.threshold));
    let unique_share = format!("{} of the rows", percent(unique / rows.max(1) as f64));
    let tiles = [
        tile("", "Rows", integer(rows), "that were assessed"),
        tile(bad(unique > 0.0), "Unique rows", whole("sample_unique_rows"), unique_share),
        tile("", "Smallest class", whole("smallest_class"), "rows: the k of k-anonymity"),
        tile(
            above("prosecutor"),
            "Highest risk",
            share("prosecutor"),
            "for the row with the highest risk (prosecutor)",
        ),
        tile(above("marketer"), "Average risk", share("marketer"), "of all matches are right (marketer)"),
        tile(
            bad(value("rows_at_risk").is_some_and(|share| share > 0.0)),
            "Rows at risk",
            share("rows_at_risk"),
            format!("of the rows are above the threshold of {}", decimal(risk.guidance.threshold)),
        ),
    ];
    let verdict = risk.verdict();
    let class = if verdict.high { "unsafe" } else { "safe" };
    let disagreement = risk
        .disagreement()
        .map_or(Html::default(), |sentence| markup!("<p class=\"note\">{sentence}</p>\n"; sentence));
    markup!(
        "<section id=\"verdict\" aria-label=\"Risk\">\n<p class=\"verdict {class}\"><strong>{}:</strong> {}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n{disagreement}</section>\n",
        verdict.finding,
        verdict.meaning,
        Html::from_iter(tiles);
        class, disagreement
    )
}

/// A figure's name in words.
fn in_words(name: &str) -> String {
    match name {
        "prosecutor" => "prosecutor (highest risk)".into(),
        "marketer" => "marketer (average risk)".into(),
        "journalist" => "journalist (highest risk)".into(),
        "snb" => "SNB estimate".into(),
        "pitman" => "Pitman estimate".into(),
        "zayatz" => "Zayatz estimate".into(),
        "dankar" => "estimate by Dankar’s rule".into(),
        other => other.replace('_', " "),
    }
}

fn figures(risk: &Risk) -> Html {
    let cell =
        |name: &str, text: String| markup!("<td data-name=\"{name}\" class=\"n\">{text}</td>"; name, text);
    // A counted figure has no limits to show.
    let limit = |figure: &Figure, limit: Option<f64>| match limit {
        Some(_) if figure.low == figure.high => String::new(),
        limit => limit.map_or(String::new(), decimal),
    };
    let row = |(name, figure): (&'static str, &Figure)| {
        markup!(
            "<tr><th scope=\"row\">{}</th>{}{}{}<td data-name=\"Meaning\">{}</td></tr>\n",
            in_words(name),
            cell("Value", figure.value.map_or("–".to_owned(), decimal)),
            cell("Low", limit(figure, figure.low)),
            cell("High", limit(figure, figure.high)),
            figure.means
        )
    };
    let rows: Html = risk.figures.iter().map(row).collect();
    let head = "<tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"n\">Value</th>\
                <th scope=\"col\" class=\"n\">Low</th><th scope=\"col\" class=\"n\">High</th>\
                <th scope=\"col\">Meaning</th></tr>";
    let lead = "Estimates have a low and a high value; figures without them were counted. Figures that could not be computed say why.";
    let table = table("fold", "Figures of risk", Html::fixed(head), rows);
    section(1, "figures", "Figures", Html::fixed(lead), table)
}

fn guidance(risk: &Risk) -> Html {
    let Guidance { threshold, prosecutor, journalist, choices } = &risk.guidance;
    let cell =
        |name: &str, text: String| markup!("<td data-name=\"{name}\" class=\"n\">{text}</td>"; name, text);
    let share = |name: &str, risk: Option<f64>| cell(name, risk.map_or("–".to_owned(), percent));
    let row = |choice: &Choice| {
        markup!(
            "<tr><th scope=\"row\">k = {}</th>{}{}{}{}</tr>\n",
            integer(choice.k),
            share("Prosecutor", Some(choice.prosecutor)),
            share("Journalist", choice.journalist),
            cell("Anonymity level", choice.anonymity.map_or("–".to_owned(), decimal)),
            cell("Rows in smaller classes", integer(choice.rows_below))
        )
    };
    let rows: Html = choices.iter().map(row).collect();
    let head = "<tr><th scope=\"col\">k</th><th scope=\"col\" class=\"n\">Prosecutor</th>\
                <th scope=\"col\" class=\"n\">Journalist</th><th scope=\"col\" class=\"n\">Anonymity level</th>\
                <th scope=\"col\" class=\"n\">Rows in smaller classes</th></tr>";
    let needs = match prosecutor {
        Some(k) => format!("A risk of at most {} needs k = {k}.", percent(*threshold)),
        None => "No k excludes every risk.".to_owned(),
    };
    let fewer = match journalist.filter(|k| Some(*k) != *prosecutor) {
        Some(k) => format!(" If nobody knows who is in the table, k = {k} is enough."),
        None => String::new(),
    };
    let lead = markup!("{}{}", needs, fewer);
    section(2, "guidance", "Which k", lead, table("fold", "Choices of k", Html::fixed(head), rows))
}

fn sizes(risk: &Risk) -> Html {
    let label = |band: &Band| match band.to {
        Some(to) if to == band.from => band.from.to_string(),
        Some(to) => format!("{}–{to}", band.from),
        None => format!("{}+", band.from),
    };
    let shown = risk.class_sizes.iter().filter(|b| b.classes > 0);
    let bars: Vec<(String, u64)> = shown.map(|band| (label(band), band.rows)).collect();
    let lead = "Someone who knows all these columns of a person finds the person’s class. The larger it is, the safer the person.";
    let picture = charts::counts(&bars, "rows, logarithmic scale", "Rows by the size of their class");
    let figure = markup!("<figure>{picture}</figure>\n"; picture);
    section(3, "sizes", "Class sizes", Html::fixed(lead), figure)
}

fn special(risk: &Risk) -> Html {
    let special = &risk.special_uniques;
    let mut columns: Vec<_> = special.columns.iter().collect();
    columns.sort_by(|a, b| b.share.total_cmp(&a.share));
    let row = |c: &&crate::risk::Contribution| {
        markup!("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td></tr>\n", c.column, percent(c.share))
    };
    let rows: Html = columns.iter().map(row).collect();
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Part of all scores</th></tr>";
    let lead = markup!(
        "{} rows are singled out by {} columns or fewer. Generalize the columns that contribute most.",
        integer(special.rows),
        special.max_size
    );
    let shares: Vec<(String, f64)> = columns.iter().map(|c| (c.column.clone(), c.share)).collect();
    let picture = charts::shares(&shares, "percent of all scores", "What each column contributes");
    let rows = table("special", "Columns of special uniques", Html::fixed(head), rows);
    let body = match special.rows {
        0 => Html::default(),
        _ => markup!(
            "<div class=\"beside\">{rows}<figure>{picture}<figcaption>A score counts for every column of its set: \
             the shares add up to more than 100 %.</figcaption></figure></div>";
            rows, picture
        ),
    };
    section(4, "special", "Special uniques", lead, body)
}

/// The unique rows of the riskiest combination of each number of columns, and of the median one.
fn by_size(risk: &Risk) -> Html {
    let largest = risk.combinations.iter().map(|c| c.columns.len()).max().unwrap_or(0);
    let bar = |size: usize| {
        // The riskiest come first.
        let of: Vec<f64> =
            risk.combinations.iter().filter(|c| c.columns.len() == size).map(|c| c.unique_share).collect();
        let label = if size == 1 { "1 column".to_owned() } else { format!("{size} columns") };
        (!of.is_empty()).then(|| (label, [of[of.len() / 2], of[0]]))
    };
    let bars: Vec<(String, [f64; 2])> = (1..=largest).filter_map(bar).collect();
    let names = ["median combination", "riskiest combination"];
    let picture = charts::paired_shares(&bars, names, "percent of rows", "Unique rows by number of columns");
    markup!(
        "<figure>{picture}<figcaption>Rows that are the only ones with their combination, by the number of columns.</figcaption></figure>\n";
        picture
    )
}

fn combinations(risk: &Risk) -> Html {
    const NAMES: [&str; 6] =
        ["Unique rows", "Classes", "Smallest class", "Median class", "Distinction", "Separation"];
    let row = |c: &Combination| {
        let counts = [c.unique_rows, c.classes, c.smallest, c.median].map(integer);
        let shares = [c.distinction, c.separation].map(decimal);
        let cell = |(name, text): (&&str, &String)| markup!("<td data-name=\"{name}\" class=\"n\">{text}</td>"; name, text);
        let cells: Html = NAMES.iter().zip(counts.iter().chain(&shares)).map(cell).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", c.columns.join(", "); cells)
    };
    let rows: Html = risk.combinations.iter().take(SHOWN).map(row).collect();
    let names: Html =
        NAMES.iter().map(|name| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name)).collect();
    let head = markup!("<tr><th scope=\"col\">Columns</th>{names}</tr>"; names);
    let lead = match risk.combinations.len() > SHOWN {
        true => markup!("The {} riskiest of {}.", SHOWN, integer(risk.combinations.len() as u64)),
        false => Html::fixed("The riskiest first."),
    };
    section(
        5,
        "combinations",
        "Combinations of columns",
        lead,
        Html::from_iter([by_size(risk), table("fold", "Combinations of columns", head, rows)]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Missing;
    use crate::report::tests::check_page;
    use crate::risk::{Asked, Population, Table, assess};
    use crate::table::Dictionary;
    use crate::tuples::Tuples;
    use crate::watch::Watch;

    #[test]
    fn an_assessed_table_has_a_page() {
        let mut dictionaries = vec![Dictionary::new(), Dictionary::new()];
        let mut tuples = Tuples::new(2);
        for i in 0..60u32 {
            let row = [i % 7, i % 11].map(|v| format!("secret{v}"));
            let codes = [dictionaries[0].add(Some(&row[0]), 1), dictionaries[1].add(Some(&row[1]), 1)];
            tuples.insert(&codes, 1 + i % 3);
        }
        let table = Table::new(vec!["a<b".into(), "c".into()], dictionaries, tuples);
        let asked = Asked {
            max_size: 2,
            threshold: 0.2,
            missing: Missing::Value,
            population: Population::Size(10_000),
            seed: 1,
        };
        let risk = assess(&table, &asked, &Watch::none()).unwrap();
        let page = risk_page(&risk, "a <table>", "0.1.0");
        check_page(&page);
        assert!(page.contains("combination of a&lt;b, c") && page.contains("Risk of a &lt;table&gt;"));
        assert!(page.contains("people can be singled out") && page.contains("verdict unsafe"));
        assert!(page.contains("Zayatz estimate") && page.contains("Rows by the size of their class"));
        assert!(
            page.contains("What each column contributes")
                && page.contains("Unique rows by number of columns")
        );
        assert!(!page.contains("secret"), "no value of a cell");
    }
}
