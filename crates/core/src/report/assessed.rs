//! The page of an assessed table: its figures, its class sizes, its special uniques and its
//! riskiest combinations of columns.

use super::charts;
use super::html::{page, section, table, tile};
use super::markup::{Html, markup};
use super::text::{decimal, integer, percent};
use crate::risk::{Band, Choice, Combination, Figure, Guidance, Risk};

/// The most combinations in the table.
const SHOWN: usize = 100;

/// The page.
pub fn risk_page(risk: &Risk, title: &str, version: &str) -> String {
    let parts = [headline, figures, guidance, sizes, special, combinations];
    let body = Html::from_iter(parts.map(|part| part(risk)));
    let footer =
        markup!("Written by Throng {}. It holds counts and estimates, and no value of a cell.", version);
    page("risk", title, &format!("Risk of {title}"), body, footer)
}

fn headline(risk: &Risk) -> Html {
    let value = |name: &str| risk.figures.get(name).and_then(|f| f.value);
    let whole = |name: &str| value(name).map_or("–".to_owned(), |v| integer(v as u64));
    let share = |name: &str| value(name).map_or("–".to_owned(), percent);
    let unique = value("sample_unique_rows").unwrap_or(0.0) / value("rows").unwrap_or(1.0).max(1.0);
    let tiles = [
        tile("", "Rows", whole("rows"), "that were looked at"),
        tile("", "Unique rows", whole("sample_unique_rows"), format!("{} of the rows", percent(unique))),
        tile("", "Smallest class", whole("smallest_class"), "rows; the k of k-anonymity"),
        tile("", "Prosecutor", share("prosecutor"), "for the row that is worst off"),
        tile("", "Marketer", share("marketer"), "of guesses are right on average"),
        tile("", "Rows at risk", share("rows_at_risk"), "of the rows are above the threshold"),
    ];
    let columns = risk.columns.join(", ");
    markup!(
        "<section id=\"verdict\" aria-label=\"Risk\">\n<p class=\"verdict\"><strong>Columns:</strong> {columns}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n</section>\n",
        Html::from_iter(tiles);
        columns
    )
}

fn figures(risk: &Risk) -> Html {
    let cell = |value: Option<f64>| {
        let text = value.map_or("–".to_owned(), decimal);
        markup!("<td class=\"n\">{text}</td>"; text)
    };
    let row = |(name, figure): (&'static str, &Figure)| {
        markup!(
            "<tr><th scope=\"row\">{}</th>{}{}{}<td>{}</td></tr>\n",
            name.replace('_', " "),
            cell(figure.value),
            cell(figure.low),
            cell(figure.high),
            figure.means
        )
    };
    let rows: Html = risk.figures.iter().map(row).collect();
    let head = "<tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"n\">Value</th>\
                <th scope=\"col\" class=\"n\">Low</th><th scope=\"col\" class=\"n\">High</th>\
                <th scope=\"col\">Meaning</th></tr>";
    let lead =
        "Low and high are the value itself where it was counted; a figure that cannot be had says why.";
    let table = table("told", "Figures of risk", Html::fixed(head), rows);
    section(1, "figures", "Figures", Html::fixed(lead), table)
}

fn guidance(risk: &Risk) -> Html {
    let Guidance { threshold, prosecutor, journalist, choices } = &risk.guidance;
    let cell = |text: String| markup!("<td class=\"n\">{text}</td>"; text);
    let share = |risk: Option<f64>| cell(risk.map_or("–".to_owned(), percent));
    let row = |choice: &Choice| {
        markup!(
            "<tr><th scope=\"row\" class=\"n\">{}</th>{}{}{}{}</tr>\n",
            integer(choice.k),
            share(Some(choice.prosecutor)),
            share(choice.journalist),
            cell(choice.anonymity.map_or("–".to_owned(), decimal)),
            cell(integer(choice.rows_below))
        )
    };
    let rows: Html = choices.iter().map(row).collect();
    let head = "<tr><th scope=\"col\" class=\"n\">k</th><th scope=\"col\" class=\"n\">Prosecutor</th>\
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
    section(2, "guidance", "Which k", lead, table("told", "Choices of k", Html::fixed(head), rows))
}

fn sizes(risk: &Risk) -> Html {
    let label = |band: &Band| match band.to {
        Some(to) if to == band.from => band.from.to_string(),
        Some(to) => format!("{}–{to}", band.from),
        None => format!("{}+", band.from),
    };
    let shown = risk.class_sizes.iter().filter(|b| b.classes > 0);
    let bars: Vec<(String, u64)> = shown.map(|band| (label(band), band.rows)).collect();
    let lead = "Whoever knows all columns of a person finds as many rows as the person’s class has.";
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
        "{} rows are singled out by {} columns or fewer. What a column contributes says where generalizing helps most.",
        integer(special.rows),
        special.max_size
    );
    let shares: Vec<(String, f64)> = columns.iter().map(|c| (c.column.clone(), c.share)).collect();
    let picture = charts::shares(&shares, "percent of all scores", "What each column contributes");
    let rows = table("special", "Columns of special uniques", Html::fixed(head), rows);
    let body = match special.rows {
        0 => Html::default(),
        _ => markup!(
            "<div class=\"beside\">{rows}<figure>{picture}<figcaption>A score belongs to every column of its set, so that \
             the parts add up to more than 100 %.</figcaption></figure></div>";
            rows, picture
        ),
    };
    section(4, "special", "Special uniques", lead, body)
}

/// The unique rows of the riskiest set of each number of columns, and of the one in the middle.
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
    let names = ["set in the middle", "riskiest set"];
    let picture = charts::paired_shares(&bars, names, "percent of rows", "Unique rows by number of columns");
    markup!(
        "<figure>{picture}<figcaption>Rows that are the only ones with their values in so many columns.</figcaption></figure>\n";
        picture
    )
}

fn combinations(risk: &Risk) -> Html {
    let row = |c: &Combination| {
        let counts = [c.unique_rows, c.classes, c.smallest, c.median].map(integer);
        let shares = [c.distinction, c.separation].map(decimal);
        let cell = |text: &String| markup!("<td class=\"n\">{text}</td>"; text);
        let cells: Html = counts.iter().chain(&shares).map(cell).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", c.columns.join(", "); cells)
    };
    let rows: Html = risk.combinations.iter().take(SHOWN).map(row).collect();
    let names = ["Unique rows", "Classes", "Smallest class", "Median class", "Distinction", "Separation"];
    let names: Html =
        names.iter().map(|name| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name)).collect();
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
        Html::from_iter([by_size(risk), table("combinations", "Combinations of columns", head, rows)]),
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
        assert!(page.contains("a&lt;b, c") && page.contains("Risk of a &lt;table&gt;"));
        assert!(page.contains("zayatz") && page.contains("Rows by the size of their class"));
        assert!(
            page.contains("What each column contributes")
                && page.contains("Unique rows by number of columns")
        );
        assert!(!page.contains("secret"), "no value of a cell");
    }
}
