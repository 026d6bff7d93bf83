//! A linking attack as a page for the holder: counts, how sure the guesses are, why the strongest
//! links were made, and what each column contributes.
//!
//! The page shows released cells and row numbers, and no external value: who a row is can be looked
//! up in the external table by its number.

use throng_terms::page::frame::{page as framed, section, table, tile};
use throng_terms::page::markup::{Html, markup};
use throng_terms::page::text::{decimal, integer, percent};

use super::{ColumnModel, LevelModel, Link, Linkage};
use crate::drawn::{counts, evidence};

/// The page; `title` is the name of the release.
pub fn page(linkage: &Linkage, title: &str, version: &str) -> String {
    let parts = [headline, adversaries, certainty, strongest, weights];
    let body = Html::from_iter(parts.map(|part| part(linkage)));
    let footer = markup!(
        "Written by Throng {}. For the holder alone: this page shows which released rows an outsider would link to \
         which external rows. It contains released cells and row numbers, and no external value.",
        version
    );
    framed("linking attack", title, &format!("Linking attack on {title}"), body, footer)
}

fn headline(linkage: &Linkage) -> Html {
    let rows = linkage.rows;
    let share = |n: u64| format!("{} of the rows", percent(n as f64 / rows.released.max(1) as f64));
    let bad = |is: bool| if is { "bad" } else { "" };
    let links = linkage.links.max(linkage.exact_join.links);
    let mut tiles = vec![
        tile("", "Released rows", integer(rows.released), "that were attacked"),
        tile("", "External rows", integer(rows.external), "of people that the outsider knows"),
        tile(bad(linkage.links > 0), "Links", integer(linkage.links), share(linkage.links)),
    ];
    if let (Some(correct), Some(wrong)) = (linkage.correct, linkage.wrong) {
        let note = format!("and {} to a wrong person", integer(wrong));
        tiles.push(tile(bad(correct > 0), "Correct links", integer(correct), note));
    }
    let expected = &linkage.expected;
    let note = format!("95 %: {} to {}, by the model", decimal(expected.low), decimal(expected.high));
    tiles.push(tile("", "Expected right guesses", decimal(expected.value), note));
    let note = "no external row fits, or several do";
    tiles.push(tile("", "Unresolved", integer(linkage.unresolved), note));
    let (class, name, meaning) = verdict(linkage, links);
    markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{name}:</strong> {meaning}</p>\n\
         <p class=\"lead\">{}</p>\n<dl class=\"tiles\">\n{}</dl>\n</section>\n",
        remedy(linkage, links),
        Html::from_iter(tiles);
        class, name, meaning
    )
}

fn verdict(linkage: &Linkage, links: u64) -> (&'static str, &'static str, String) {
    let rows = integer(linkage.rows.released);
    match links {
        0 => (
            "safe",
            "No link",
            format!(
                "none of the {rows} released rows belongs to one person of the external table with a probability of at least {}",
                decimal(linkage.model.threshold)
            ),
        ),
        _ => (
            "unsafe",
            "People are found",
            format!(
                "an outsider with this table puts a name to {} of the {rows} released rows",
                integer(links)
            ),
        ),
    }
}

/// What to do, in words of somebody who decides about a release.
fn remedy(linkage: &Linkage, links: u64) -> String {
    if links == 0 {
        return "This holds for this external table and these columns. An outsider with more columns, or with exact \
                values where this table has vague ones, may find people: attack again with the richest table that \
                outsiders can get."
            .to_owned();
    }
    let of = contributions(linkage);
    let named: Vec<String> =
        of.iter().take(2).map(|(column, bits)| format!("{column} ({} bits)", decimal(*bits))).collect();
    format!(
        "Do not publish the table like this. Generalize or suppress the columns that give most away{}{}, then attack again.",
        if named.is_empty() { "" } else { ": " },
        named.join(" and ")
    )
}

/// Columns with their mean evidence in the strongest links, the greatest first.
fn contributions(linkage: &Linkage) -> Vec<(String, f64)> {
    let count = linkage.strongest.len().max(1) as f64;
    let of = |(at, column): (usize, &ColumnModel)| {
        let sum: f64 = linkage.strongest.iter().map(|link| link.agreement[at].bits).sum();
        (column.released.clone(), sum / count)
    };
    let mut all: Vec<(String, f64)> = linkage.model.columns.iter().enumerate().map(of).collect();
    all.retain(|column| column.1 > 0.0);
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

fn cell(name: &str, text: impl throng_terms::page::markup::ToHtml) -> Html {
    markup!("<td data-name=\"{name}\" class=\"n\">{text}</td>"; name, text)
}

/// The heads of columns; all but the first ones are numbers.
fn heads(names: &[&str], words: usize) -> Html {
    let head = |(at, name): (usize, &&str)| match at < words {
        true => markup!("<th scope=\"col\">{name}</th>"; name),
        false => markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name),
    };
    let heads: Html = names.iter().enumerate().map(head).collect();
    markup!("<tr>{heads}</tr>"; heads)
}

fn adversaries(linkage: &Linkage) -> Html {
    let exact = &linkage.exact_join;
    let shown = |n: Option<u64>| n.map_or("not known".to_owned(), integer);
    let rows = [
        ("Exact join", exact.links, exact.correct, exact.wrong, exact.several + exact.nobody),
        ("Probabilistic linkage", linkage.links, linkage.correct, linkage.wrong, linkage.unresolved),
    ];
    let row = |(name, links, correct, wrong, rest): (&str, u64, Option<u64>, Option<u64>, u64)| {
        markup!(
            "<tr><th scope=\"row\">{}</th>{}{}{}{}</tr>\n",
            name,
            cell("Links", integer(links)),
            cell("Correct", shown(correct)),
            cell("Wrong", shown(wrong)),
            cell("Unresolved", integer(rest))
        )
    };
    let lead = "The exact join links a released row if its cells are true of one external row alone. Probabilistic linkage also \
                weighs what agrees in part, such as a misspelt name or a neighbouring date.";
    let head = heads(&["Adversary", "Links", "Correct", "Wrong", "Unresolved"], 1);
    let rows: Html = rows.map(row).into_iter().collect();
    section(
        1,
        "adversaries",
        "Two adversaries",
        Html::fixed(lead),
        table("fold", "Two adversaries", head, rows),
    )
}

fn certainty(linkage: &Linkage) -> Html {
    let label = |low: f64, high: f64| format!("{low:.1}–{high:.1}");
    let bars: Vec<(String, u64)> =
        linkage.guesses.iter().map(|bin| (label(bin.from, bin.to), bin.rows)).collect();
    let at_risk = linkage.guesses.iter().filter(|bin| bin.to > linkage.model.threshold + 1e-9).count();
    let picture = counts(&bars, at_risk, "Released rows by the probability of their best guess");
    let lead = markup!(
        "Before links are made, every released row has a best guess among the external rows. Guesses from {} on, in red, can become \
         links; a row whose guess is as good for another row does not.",
        decimal(linkage.model.threshold)
    );
    let figure = markup!(
        "<div class=\"figures\"><figure>{picture}<figcaption>Released rows by the probability that their best guess is right, on a \
         logarithmic scale.</figcaption></figure></div>\n";
        picture
    );
    section(2, "certainty", "How sure the guesses are", lead, figure)
}

fn strongest(linkage: &Linkage) -> Html {
    let bits = || linkage.strongest.iter().flat_map(|link| &link.agreement).map(|column| column.bits);
    let most = (bits().fold(0.0, f64::max), -bits().fold(0.0, f64::min));
    let cards: Html = linkage.strongest.iter().map(|link| card(link, most)).collect();
    let lead = match linkage.strongest.is_empty() {
        true => Html::fixed("There is no link to explain."),
        false => markup!(
            "The {} of the greatest evidence. A bar shows how much a column speaks for the same person, in bits: with each bit, the odds \
             double. A grey bar speaks against it.",
            match linkage.strongest.len() {
                1 => "link".to_owned(),
                n => format!("{} links", integer(n as u64)),
            }
        ),
    };
    let body = match linkage.strongest.is_empty() {
        true => Html::default(),
        false => markup!("<div class=\"cards\">\n{cards}</div>\n"; cards),
    };
    section(3, "strongest", "Strongest links", lead, body)
}

fn card(link: &Link, most: (f64, f64)) -> Html {
    let row = |column: &super::Agreement| {
        markup!(
            "<tr><th scope=\"row\">{}<small>{} · {}</small></th><td>{}</td><td class=\"n\">{}</td></tr>\n",
            column.column,
            column.cell.as_deref().unwrap_or("missing"),
            column.level,
            evidence(column.bits, most),
            signed(column.bits)
        )
    };
    let rows: Html = link.agreement.iter().map(row).collect();
    markup!(
        "<div class=\"card\"><h3>Row {} is external row {}</h3>\n<p class=\"quiet\">{} bits; right with probability {}</p>\n\
         <table><tbody>\n{rows}</tbody></table></div>\n",
        integer(link.released_row),
        integer(link.external_row),
        signed(link.bits),
        certain(link.probability);
        rows
    )
}

/// A probability that says certain only if it is.
fn certain(probability: f64) -> String {
    match probability {
        p if p < 1.0 && p > 0.9999 => "over 0.9999".to_owned(),
        p => decimal(p),
    }
}

fn signed(bits: f64) -> String {
    let sign = if bits < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1}", bits.abs())
}

fn weights(linkage: &Linkage) -> Html {
    let levels = || linkage.model.columns.iter().flat_map(|column| &column.levels).map(|level| level.bits);
    let most = (levels().fold(0.0, f64::max), -levels().fold(0.0, f64::min));
    let row = |column: &ColumnModel, level: &LevelModel| {
        let assumed = if column.estimated { "" } else { " (m is assumed)" };
        markup!(
            "<tr><th scope=\"row\">{}{}</th><td data-name=\"Agreement\">{}</td><td data-name=\"Weight\">{}</td>{}{}{}</tr>\n",
            column.released,
            assumed,
            level.level,
            evidence(level.bits, most),
            cell("Bits", signed(level.bits)),
            cell("m", decimal(level.m)),
            cell("u", decimal(level.u))
        )
    };
    let rows: Html = linkage
        .model
        .columns
        .iter()
        .flat_map(|column| column.levels.iter().map(move |level| (column, level)))
        .map(|(column, level)| row(column, level))
        .collect();
    let lead = "m is how often two rows of the same person agree like this; u is how often two rows of different people do. Where m is \
                far greater than u, agreement is evidence that rows are of the same person: its weight is log2(m/u) bits. A rare \
                agreement weighs more than a common one.";
    let head = heads(&["Column", "Agreement", "Weight", "Bits", "m", "u"], 3);
    section(4, "weights", "What agreement is worth", Html::fixed(lead), table("fold", "Weights", head, rows))
}

#[cfg(test)]
mod tests {
    use super::super::tests::linked_page;
    use crate::drawn::tests::check_page;

    #[test]
    fn a_linkage_has_a_page_and_so_has_none() {
        let page = linked_page(false);
        check_page(&page);
        for phrase in
            ["People are found", "Strongest links", "Do not publish", "class=\"after risk\"", "a&lt;b&gt;"]
        {
            assert!(page.contains(phrase), "{phrase}");
        }
        let page = linked_page(true);
        check_page(&page);
        assert!(page.contains("No link:") && page.contains("There is no link to explain."), "{page}");
    }
}
