//! The sections of the page between the verdict and the provenance.

use super::charts;
use super::explored;
use super::facts::{ColumnFacts, Facts, RiskFacts};
use super::html::{ratio, section, table};
use super::text::{count, decimal, escape, integer, percent};
use crate::policy::Role;
use crate::release::RegionFacts;

/// What was done to each column.
pub(super) fn columns(facts: &Facts) -> String {
    let rows: String = facts.columns.iter().map(column_row).collect();
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\">Role</th><th scope=\"col\">What was done</th>\
                <th scope=\"col\">Level</th><th scope=\"col\" class=\"n\">Distinct values</th>\
                <th scope=\"col\" class=\"n\">Missing</th></tr>";
    let released = facts.columns.iter().filter(|c| c.released).count();
    let track = match facts.release.regions {
        None => {
            " On the line of levels, the thick part is what the policy allows and the dot what was chosen."
        }
        Some(_) => "",
    };
    let lead = format!(
        "{} of {} released.{track}",
        integer(released as u64),
        count(facts.columns.len() as u64, "column")
    );
    section(1, "columns", "What was done", &lead, &table("stack", "Columns", head, &rows))
}

fn column_row(column: &ColumnFacts) -> String {
    let level = column.level.map_or(String::new(), |level| {
        let track = charts::level_track(level, column.min_level, column.max_level, column.height);
        format!("{track}<span class=\"of\">{level} of {}</span>", column.height)
    });
    let removed = if column.released { "" } else { " class=\"removed\"" };
    let hierarchy =
        column.hierarchy.as_deref().map_or(String::new(), |h| format!("<small>{}</small>", escape(h)));
    let weight = match column.weight {
        1.0 => String::new(),
        w => format!("<small>its loss counts {} times</small>", decimal(w)),
    };
    // Only quasi-identifiers are counted.
    let quasi = column.level.is_some() || column.role == Role::Quasi;
    let distinct = match quasi {
        true => format!("{} → {}", integer(column.distinct_before), integer(column.distinct_after)),
        false => "–".into(),
    };
    let missing = if quasi { integer(column.missing) } else { "–".into() };
    format!(
        "<tr{removed}><th scope=\"row\">{}</th><td data-name=\"Role\">{}</td><td data-name=\"Done\"><div>{}{hierarchy}{weight}</div></td>\
         <td data-name=\"Level\">{level}</td><td data-name=\"Distinct\" class=\"n\">{distinct}</td>\
         <td data-name=\"Missing\" class=\"n\">{missing}</td></tr>\n",
        escape(&column.name),
        role(column.role),
        escape(&column.action)
    )
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Quasi => "<span class=\"quasi\">quasi-identifier</span>",
        Role::Identifier => "identifier",
        Role::Sensitive => "sensitive",
        Role::Target => "target",
        Role::Text => "text",
        Role::Weight => "weight",
        Role::Keep => "keep",
        Role::Drop => "drop",
    }
}

/// The risk before and after, and the sizes of classes behind it.
pub(super) fn risk(facts: &Facts) -> String {
    let head = "<tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"n\">Before</th>\
                <th scope=\"col\" class=\"n\">After</th></tr>";
    let rows =
        table("risk", "Risk before and after", head, &risk_rows(&facts.risk_before, &facts.risk_after));
    let red = match facts.policy.k {
        Some(k) if k > 1 => format!(" Classes smaller than {} are red.", integer(k)),
        _ => String::new(),
    };
    let figure = format!(
        "<figure>{}<figcaption>Rows by the size of the class they are in.{red}</figcaption></figure>",
        charts::class_sizes(facts)
    );
    let lead = "A class is all rows that share their quasi-identifiers. Someone who knows these of a person \
                finds the class, but not which of its rows is the person’s: the larger the class, the safer.";
    section(2, "risk", "Risk, before and after", lead, &format!("<div class=\"beside\">{rows}{figure}</div>"))
}

fn risk_rows(before: &RiskFacts, after: &RiskFacts) -> String {
    type Show = fn(&RiskFacts) -> String;
    let theta = format!("Rows whose risk is above {}", percent(after.theta));
    let rows: [(&str, &str, Show); 8] = [
        ("Prosecutor risk", "1 / smallest class: the row that is worst off", |r| percent(r.prosecutor)),
        ("Marketer risk", "classes / rows: the share that a linkage of all rows gets right", |r| {
            percent(r.marketer)
        }),
        (&theta, "in classes too small for this threshold", |r| percent(r.at_risk)),
        ("Unique rows", "alone in their class", |r| unique(r)),
        ("Classes", "", |r| integer(r.classes)),
        ("Rows in the smallest class", "", |r| integer(r.smallest)),
        ("Rows in the average class", "", |r| decimal(r.average)),
        ("Rows in the largest class", "", |r| integer(r.largest)),
    ];
    let cell = |i: usize, show: Show, risk: &RiskFacts| {
        let bad = match i {
            0 => risk.prosecutor > risk.theta,
            2 => risk.at_risk > 0.0,
            3 => risk.unique_rows > 0,
            _ => false,
        };
        format!("<td class=\"n{}\">{}</td>", if bad { " bad" } else { "" }, show(risk))
    };
    let row = |(i, (name, meaning, show)): (usize, &(&str, &str, Show))| {
        let cells = [before, after].map(|risk| cell(i, *show, risk)).concat();
        let meaning = if meaning.is_empty() { String::new() } else { format!("<small>{meaning}</small>") };
        format!("<tr><th scope=\"row\">{name}{meaning}</th>{cells}</tr>\n")
    };
    rows.iter().enumerate().map(row).collect()
}

fn unique(risk: &RiskFacts) -> String {
    match risk.unique_rows {
        0 => "0".to_owned(),
        rows => format!("{}<small>{}</small>", integer(rows), percent(ratio(rows, risk.rows))),
    }
}

/// The values of each quasi-identifier before and after.
pub(super) fn distributions(facts: &Facts) -> String {
    let cards: String = facts.columns.iter().filter(|c| c.role == Role::Quasi).map(card).collect();
    let cards = match cards.is_empty() {
        true => "<p>There are no quasi-identifiers.</p>".to_owned(),
        false => format!("<div class=\"cards\">\n{cards}</div>"),
    };
    let lead = match facts.release.regions {
        None => {
            "How many rows have each value of the quasi-identifiers. The ladder shows what one value becomes, level by \
             level; the level that was chosen is marked."
        }
        Some(_) => {
            "How many rows have each value of the quasi-identifiers. The ladder shows what one value could become, level by \
             level; each region is at its own."
        }
    };
    section(3, "distributions", "Values, before and after", lead, &cards)
}

fn card(column: &ColumnFacts) -> String {
    let picture = match column.before.is_empty() && column.after.is_empty() {
        true => "<p class=\"quiet\">No values.</p>".to_owned(),
        false => charts::distribution(column),
    };
    format!(
        "<figure class=\"card\"><figcaption><h3>{}</h3>{}</figcaption>{picture}</figure>\n",
        escape(&column.name),
        ladder(column)
    )
}

fn ladder(column: &ColumnFacts) -> String {
    let rung = |step: &super::facts::LevelFacts| {
        let (class, mark) = match column.level == Some(step.level) {
            true => (" class=\"here\"", " aria-current=\"true\""),
            false => ("", ""),
        };
        let values = count(step.size, "value");
        format!(
            "<li{class}{mark}><span title=\"level {}: {values}\">{}</span></li>",
            step.level,
            escape(&step.example)
        )
    };
    match column.ladder.is_empty() {
        true => String::new(),
        false => format!("<ol class=\"ladder\">{}</ol>", column.ladder.iter().map(rung).collect::<String>()),
    }
}

/// What was lost, per column and in all.
pub(super) fn losses(facts: &Facts) -> String {
    let lead = "Every measure counts something else as lost. Per column, 0 % is the original and 100 % is nothing left.";
    let body = format!("<div class=\"beside even\">{}{}</div>", column_losses(facts), all_losses(facts));
    section(4, "losses", "What was lost", lead, &body)
}

fn column_losses(facts: &Facts) -> String {
    let mut lost: Vec<_> = facts.columns.iter().filter_map(|c| Some((c, c.loss?))).collect();
    if lost.is_empty() {
        return "<p class=\"quiet\">No column was generalized.</p>".to_owned();
    }
    lost.sort_by(|(_, a), (_, b)| b.entropy_share.total_cmp(&a.entropy_share).then(b.lm.total_cmp(&a.lm)));
    let cell = |share: f64| format!("<td class=\"n\">{}{}</td>", percent(share), charts::share_bar(share));
    let rows = lost.iter().map(|(column, loss)| {
        let cells = [loss.entropy_share, loss.conditional_share, loss.lm, loss.prec].map(cell).concat();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escape(&column.name))
    });
    let head = "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Entropy</th>\
                <th scope=\"col\" class=\"n\">Cond. entropy</th>\
                <th scope=\"col\" class=\"n\">LM</th><th scope=\"col\" class=\"n\">Prec</th></tr>";
    table("shares", "Lost per column", head, &rows.collect::<String>())
}

fn all_losses(facts: &Facts) -> String {
    let rows = facts.losses.iter().map(|loss| {
        let (class, mark) = match loss.target {
            true => (" class=\"target\"", " <span class=\"tag\">search target</span>"),
            false => ("", ""),
        };
        format!(
            "<tr{class}><th scope=\"row\">{}{mark}<small>{}</small></th><td class=\"n\">{}</td></tr>\n",
            escape(&loss.name),
            escape(&loss.explanation),
            decimal(loss.value)
        )
    });
    let head = "<tr><th scope=\"col\">Loss of the release</th><th scope=\"col\" class=\"n\">Value</th></tr>";
    table("losses", "Lost in all", head, &rows.collect::<String>())
}

/// How rows were put into regions.
fn regions(facts: &Facts, regions: &RegionFacts) -> String {
    let mean = facts.release.released as f64 / (regions.count.max(1)) as f64;
    let lead = format!(
        "Instead of one level for every column, rows were put into {} by \"{}\"; {} rows are in a region on average. All rows of a region \
         have the same cells, so a region is a class, or a part of one.",
        count(regions.count, "region"),
        escape(&facts.release.search.algorithm),
        decimal(mean)
    );
    let parted = match regions.parted {
        true => "<p class=\"quiet\">Rows of equal values may be in different regions.</p>",
        false => "",
    };
    let forms = "<p>A cell is a value, a label of the column's hierarchy, an interval such as <code>[20, 35]</code>, a set such as \
                 <code>{A, B}</code>, or <code>*</code> for anything.</p>";
    section(5, "lattice", "The regions", &lead, &format!("{forms}{parted}"))
}

/// Where the chosen node lies among all.
pub(super) fn lattice(facts: &Facts) -> String {
    if let Some(found) = &facts.release.regions {
        return regions(facts, found);
    }
    let lattice = &facts.lattice;
    let share = lattice.checked as f64 / (lattice.nodes.max(1)) as f64;
    let rest = match facts.release.search.optimal {
        true => "; none of the rest can be better",
        false => "",
    };
    let lead = format!(
        "A node fixes one level for every quasi-identifier; together they form a lattice of {} nodes. \
         The search judged {} of them ({}){rest}.",
        integer(lattice.nodes),
        integer(lattice.checked),
        percent(share)
    );
    if lattice.chosen.is_empty() {
        let none = "<p class=\"quiet\">There are no quasi-identifiers, so there is nothing to choose.</p>";
        return section(5, "lattice", "The lattice and the chosen node", &lead, none);
    }
    let caption = "Nodes by height, the sum of their levels. A higher node is more general.";
    let outline =
        format!("<figure>{}<figcaption>{caption}</figcaption></figure>", charts::silhouette(lattice));
    let tracks = charts::node(&lattice.chosen).into_iter().enumerate().map(|(i, picture)| {
        let caption = match i {
            0 => "The chosen level of each quasi-identifier; the thick part is what the policy allows.",
            _ => "Continued.",
        };
        format!("<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    });
    let nodes = lattice.explored.as_ref().map_or(String::new(), explored::figure);
    let body = format!("<div class=\"figures\">{outline}{}</div>{nodes}", tracks.collect::<String>());
    section(5, "lattice", "The lattice and the chosen node", &lead, &body)
}
