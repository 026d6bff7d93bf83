//! The sections of the page between the verdict and the provenance.

use super::charts;
use super::explored;
use super::facts::{ColumnFacts, Facts, LossFacts};
use super::frame::{section, table};
use super::html::ratio;
use super::markup::{Html, markup};
use super::text::{count, decimal, integer, percent};
use super::words::matters_for;
use crate::class_risk::ClassRisk;
use crate::policy::{Predicts, Role};
use crate::registry::LossKind;
use crate::release::{ErrorFacts, NotionFacts, RegionFacts, StepFacts};

/// What was done to each column.
pub(super) fn columns(facts: &Facts) -> Html {
    let rows: Html = facts.columns.iter().map(column_row).collect();
    let head = Html::fixed(
        "<tr><th scope=\"col\">Column</th><th scope=\"col\">Role</th><th scope=\"col\">What was done</th>\
         <th scope=\"col\">Level</th><th scope=\"col\" class=\"n\">Distinct values</th>\
         <th scope=\"col\" class=\"n\">Missing</th></tr>",
    );
    let released = facts.columns.iter().filter(|c| c.released && !c.empty).count();
    let track = match facts.recoded_locally() {
        false => " Grey bar: levels that the policy allows; dot: level chosen.",
        true => "",
    };
    let empty = match &facts.empty_columns()[..] {
        [] => String::new(),
        [only] => format!(" {only} holds nothing but *."),
        several => format!(" These hold nothing but *: {}.", several.join(", ")),
    };
    let lead = markup!(
        "{} of {} released with values.{empty}{track}",
        integer(released as u64),
        count(facts.columns.len() as u64, "column");
        empty, track
    );
    section(2, "columns", "What was done", lead, table("stack", "Columns", head, rows))
}

fn column_row(column: &ColumnFacts) -> Html {
    let level = column.level.map_or(Html::default(), |level| {
        let track = charts::level_track(level, column.min_level, column.max_level, column.height);
        markup!("{track}<span class=\"of\">{level} of {}</span>", column.height; track, level)
    });
    let removed = Html::fixed(if column.released { "" } else { " class=\"removed\"" });
    let hierarchy = column.hierarchy.as_deref().map_or(Html::default(), |h| markup!("<small>{}</small>", h));
    let weight = match column.weight {
        1.0 => Html::default(),
        w => markup!("<small>its loss counts {} times</small>", decimal(w)),
    };
    // Only quasi-identifiers are counted.
    let quasi = column.level.is_some() || column.role == Role::Quasi;
    let distinct = match quasi {
        true => format!("{} → {}", integer(column.distinct_before), integer(column.distinct_after)),
        false => "–".into(),
    };
    let missing = if quasi { integer(column.missing) } else { "–".into() };
    markup!(
        "<tr{removed}><th scope=\"row\">{}</th><td data-name=\"Role\">{}</td><td data-name=\"Done\"><div>{}{hierarchy}{weight}</div></td>\
         <td data-name=\"Level\">{level}</td><td data-name=\"Distinct\" class=\"n\">{distinct}</td>\
         <td data-name=\"Missing\" class=\"n\">{missing}</td></tr>\n",
        column.name,
        role(column.role),
        column.action;
        removed, hierarchy, weight, level, distinct, missing
    )
}

fn role(role: Role) -> Html {
    Html::fixed(match role {
        Role::Quasi => "<span class=\"quasi\">quasi-identifier</span>",
        Role::Identifier => "identifier",
        Role::Subject => "subject",
        Role::Sensitive => "sensitive",
        Role::Target => "target",
        Role::Text => "text",
        Role::Weight => "weight",
        Role::Keep => "keep",
        Role::Drop => "drop",
    })
}

/// The risk before and after, and the sizes of classes behind it.
pub(super) fn risk(facts: &Facts) -> Html {
    let head = Html::fixed(
        "<tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"n\">Before</th>\
         <th scope=\"col\" class=\"n\">After</th></tr>",
    );
    let rows = table(
        "risk",
        "Risk before and after",
        head,
        risk_rows(&facts.risk_before, &facts.risk_after, facts.release.people.is_some()),
    );
    let red = match facts.policy.k {
        Some(k) if k > 1 => format!(" Classes smaller than {} are red.", integer(k)),
        _ => String::new(),
    };
    let figure = markup!(
        "<figure>{}<figcaption>Rows by the size of the class they are in.{red}</figcaption></figure>",
        charts::class_sizes(facts);
        red
    );
    let lead = "A class is all rows that share their quasi-identifiers. Someone who knows these of a person \
                finds the class, but not which of its rows is the person’s: the larger the class, the safer.";
    let counted = match facts.release.people {
        Some(_) => " The size of a class is the number of people whom its rows belong to.",
        None => "",
    };
    let body = markup!("<div class=\"beside\">{rows}{figure}</div>"; rows, figure);
    let lead = markup!("{lead}{counted}"; lead, counted);
    section(3, "risk", "Risk, before and after", lead, body)
}

fn risk_rows(before: &ClassRisk, after: &ClassRisk, people: bool) -> Html {
    type Show = fn(&ClassRisk) -> Html;
    let theta = format!("Rows whose risk is above {}", percent(after.theta));
    let (smallest, largest) = match people {
        true => ("People in the smallest class", "People in the largest class"),
        false => ("Rows in the smallest class", "Rows in the largest class"),
    };
    let (marketer, unique_rows) = match people {
        true => ("the share of rows that a linkage of all rows gets right", "the only person of their class"),
        false => ("classes / rows: the share that a linkage of all rows gets right", "alone in their class"),
    };
    let rows: [(&str, &str, Show); 8] = [
        ("Prosecutor risk", "1 / smallest class: the row with the highest risk", |r| {
            plain(percent(r.prosecutor))
        }),
        ("Marketer risk", marketer, |r| plain(percent(r.marketer))),
        (&theta, "in classes too small for this threshold", |r| plain(percent(r.at_risk))),
        ("Unique rows", unique_rows, |r| unique(r)),
        ("Classes", "", |r| plain(integer(r.classes))),
        (smallest, "", |r| plain(integer(r.smallest))),
        ("Rows in the average class", "", |r| plain(decimal(r.average))),
        (largest, "", |r| plain(integer(r.largest))),
    ];
    let cell = |i: usize, show: Show, risk: &ClassRisk| {
        let bad = match i {
            0 => risk.prosecutor > risk.theta,
            2 => risk.at_risk > 0.0,
            3 => risk.unique_rows > 0,
            _ => false,
        };
        markup!("<td class=\"n{}\">{}</td>", if bad { " bad" } else { "" }, show(risk))
    };
    let row = |(i, (name, meaning, show)): (usize, &(&str, &str, Show))| {
        let cells: Html = [before, after].into_iter().map(|risk| cell(i, *show, risk)).collect();
        let meaning = match meaning.is_empty() {
            true => Html::default(),
            false => markup!("<small>{meaning}</small>"; meaning),
        };
        markup!("<tr><th scope=\"row\">{name}{meaning}</th>{cells}</tr>\n"; name, meaning, cells)
    };
    rows.iter().enumerate().map(row).collect()
}

fn plain(text: String) -> Html {
    markup!("{}", text)
}

fn unique(risk: &ClassRisk) -> Html {
    match risk.unique_rows {
        0 => Html::fixed("0"),
        rows => markup!("{}<small>{}</small>", integer(rows), percent(ratio(rows, risk.rows))),
    }
}

/// The values of each quasi-identifier before and after.
pub(super) fn distributions(facts: &Facts) -> Html {
    let cards: Html = facts.columns.iter().filter(|c| c.role == Role::Quasi).map(card).collect();
    let cards = match cards.is_empty() {
        true => Html::fixed("<p>There are no quasi-identifiers.</p>"),
        false => markup!("<div class=\"cards\">\n{cards}</div>"; cards),
    };
    let lead = match facts.recoded_locally() {
        false => {
            "How many rows have each value of the quasi-identifiers. The arrows show what an example value becomes, level by \
             level; the chosen level is marked."
        }
        true => {
            "How many rows have each value of the quasi-identifiers. The arrows show what an example value can become, level by \
             level; each group of rows has its own levels."
        }
    };
    section(4, "distributions", "Values, before and after", Html::fixed(lead), cards)
}

fn card(column: &ColumnFacts) -> Html {
    let picture = match column.before.is_empty() && column.after.is_empty() {
        true => Html::fixed("<p class=\"quiet\">No values.</p>"),
        false => charts::distribution(column),
    };
    markup!(
        "<figure class=\"card\"><figcaption><h3>{}</h3>{}</figcaption>{picture}</figure>\n",
        column.name,
        ladder(column);
        picture
    )
}

fn ladder(column: &ColumnFacts) -> Html {
    let rung = |step: &super::facts::LevelFacts| {
        let here = Html::fixed(match column.level == Some(step.level) {
            true => " class=\"here\" aria-current=\"true\"",
            false => "",
        });
        let values = count(step.size, "value");
        let name = column.level_names.get(step.level).map_or("", String::as_str);
        markup!(
            "<li{here}><span title=\"level {}: {name}, {values}\">{}</span></li>",
            step.level,
            step.example;
            here, name, values
        )
    };
    match column.ladder.is_empty() {
        true => Html::default(),
        false => markup!("<ol class=\"ladder\">{}</ol>", column.ladder.iter().map(rung).collect::<Html>()),
    }
}

/// What was lost, per column and in all.
pub(super) fn losses(facts: &Facts) -> Html {
    let lead = "Per column, 0 % is the original and 100 % is nothing left. Of the losses of the whole release, two matter to \
                most recipients: the cells that are *, and LM. The others answer special questions.";
    let body = markup!("<div class=\"beside even\">{}{}</div>", column_losses(facts), all_losses(facts));
    let body = Html::from_iter([body, model_errors(facts)]);
    section(5, "losses", "What was lost", Html::fixed(lead), body)
}

/// The errors of the policy's model, from released rows and from the same rows untouched.
fn model_errors(facts: &Facts) -> Html {
    let Some(model) = &facts.release.model else { return Html::default() };
    let line = |(name, errors): (&str, ErrorFacts)| {
        markup!(
            "<tr><th scope=\"row\">{name}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            decimal(errors.mean),
            decimal(errors.total),
            decimal(errors.deviation);
            name
        )
    };
    let rows = [
        ("from released rows", model.released),
        ("from the same rows, untouched", model.original),
        ("the one against the other", model.moved),
    ];
    let head = "<tr><th scope=\"col\">Predictions</th><th scope=\"col\" class=\"n\">Mean error</th>\
                <th scope=\"col\" class=\"n\">Total</th><th scope=\"col\" class=\"n\">Deviation</th></tr>";
    let what = match model.predicts {
        Predicts::Number => "its numbers",
        Predicts::Class => "its second class, as a likelihood",
    };
    let lead = format!(
        "Absolute errors of the model {} for {} ({what}) over {}. The verifier does not recompute them.",
        model.name,
        model.target,
        count(model.rows, "released row")
    );
    let table =
        table("model", "Errors of the model", Html::fixed(head), rows.into_iter().map(line).collect());
    markup!("<p>{lead}</p>\n{table}"; lead, table)
}

fn column_losses(facts: &Facts) -> Html {
    let mut lost: Vec<_> = facts.columns.iter().filter_map(|c| Some((c, c.loss?))).collect();
    if lost.is_empty() {
        return Html::fixed("<p class=\"quiet\">No column was generalized.</p>");
    }
    lost.sort_by(|(_, a), (_, b)| b.entropy_share.total_cmp(&a.entropy_share).then(b.lm.total_cmp(&a.lm)));
    let cell = |share: f64| markup!("<td class=\"n\">{}{}</td>", percent(share), charts::share_bar(share));
    let rows = lost.iter().map(|(column, loss)| {
        let shares = [loss.entropy_share, loss.conditional_share, loss.lm, loss.prec];
        let cells: Html = shares.into_iter().map(cell).collect();
        markup!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", column.name; cells)
    });
    let head = Html::fixed(
        "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Entropy</th>\
         <th scope=\"col\" class=\"n\">Cond. entropy</th>\
         <th scope=\"col\" class=\"n\">LM</th><th scope=\"col\" class=\"n\">Prec</th></tr>",
    );
    table("shares", "Lost per column", head, rows.collect())
}

fn all_losses(facts: &Facts) -> Html {
    let first = |loss: &&LossFacts| loss.target || loss.name == LossKind::Lm.key();
    let (shown, folded): (Vec<&LossFacts>, Vec<&LossFacts>) = facts.losses.iter().partition(first);
    let stars = markup!(
        "<tr><th scope=\"row\">cells that are *<small>Share of the quasi-identifiers’ cells that hold nothing, suppressed \
         rows included.</small></th><td class=\"n\">{}</td></tr>\n",
        percent(facts.stars.share)
    );
    let head = "<tr><th scope=\"col\">Loss of the release</th><th scope=\"col\" class=\"n\">Value</th></tr>";
    let rows = Html::from_iter(std::iter::once(stars).chain(shown.into_iter().map(loss_row)));
    let shown = table("losses", "Lost in all", Html::fixed(head), rows);
    if folded.is_empty() {
        return markup!("<div>{shown}</div>"; shown);
    }
    let more = match folded.len() {
        1 => "1 more loss".to_owned(),
        several => format!("{several} more losses"),
    };
    let folded =
        table("losses", "Other losses", Html::fixed(head), folded.into_iter().map(loss_row).collect());
    markup!(
        "<div>{shown}<details><summary>{more}, and for whom they matter</summary>{folded}</details></div>";
        shown, more, folded
    )
}

fn loss_row(loss: &LossFacts) -> Html {
    let (class, mark) = match loss.target {
        true => (" class=\"target\"", " <span class=\"tag\">optimized</span>"),
        false => ("", ""),
    };
    let (class, mark) = (Html::fixed(class), Html::fixed(mark));
    let matters = LossKind::from_key(&loss.name).map_or("", matters_for);
    markup!(
        "<tr{class}><th scope=\"row\">{}{mark}<small>{}</small><small>{matters}</small></th><td class=\"n\">{}</td></tr>\n",
        loss.name,
        loss.explanation,
        decimal(loss.value);
        class, mark, matters
    )
}

/// How rows were put into regions.
fn regions(facts: &Facts, regions: &RegionFacts) -> Html {
    let cells = Html::fixed(CELLS);
    if let Some(notions) = &facts.release.notions {
        let NotionFacts { k_one, one_k, k_k, k } = notions;
        let lead = markup!(
            "Instead of one level for every column, each of {} has cells that cover a set of similar rows, found by \"{}\". \
             Sets overlap. Reached: (k,1) {}, (1,k) {}, (k,k) {}, k-anonymity {}.",
            count(regions.count, "distinct row"),
            facts.release.search.algorithm,
            integer(*k_one),
            integer(*one_k),
            integer(*k_k),
            integer(*k)
        );
        return section(6, "lattice", "The sets", lead, cells);
    }
    let mean = facts.release.in_classes() as f64 / (regions.count.max(1)) as f64;
    let lead = markup!(
        "Instead of one level for every column, similar rows were grouped into {} by \"{}\", {} rows on average. All rows of a region \
         have the same cells.",
        count(regions.count, "region"),
        facts.release.search.found_by(),
        decimal(mean)
    );
    let parted = Html::fixed(match regions.parted {
        true => "<p class=\"quiet\">Rows of equal values may be in different regions.</p>",
        false => "",
    });
    section(6, "lattice", "The regions", lead, Html::from_iter([cells, parted]))
}

/// What cells of regions are.
const CELLS: &str = "<p>A cell is a value, a label of the column's hierarchy, an interval such as <code>[20, 35]</code>, a set such as \
                     <code>{A, B}</code>, or <code>*</code> for anything.</p>";

/// Steps that are listed, at most.
const STEPS: usize = 24;

/// How rows were released where rounds of the search have levels of their own.
fn steps(facts: &Facts) -> Html {
    let steps = &facts.release.steps;
    let lead = markup!(
        "Instead of one level for every column, rows were released in {}. Rows that are unsafe at the levels of one step go on \
         to the next, at other levels. The rounds of the search checked {} nodes. No bound is known on how much better local \
         recoding could be.",
        count(steps.len() as u64, "step"),
        integer(facts.release.search.checked)
    );
    let names: Vec<&String> = facts.release.levels.keys().collect();
    let row = |(i, step): (usize, &StepFacts)| {
        let level = |name: &&String| {
            let level = step.levels.get(*name).map_or("–".to_owned(), usize::to_string);
            markup!("<td class=\"n\">{level}</td>"; level)
        };
        let levels: Html = names.iter().map(level).collect();
        markup!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td>{levels}</tr>\n",
            i + 1,
            integer(step.rows);
            levels
        )
    };
    let column = |name: &&String| markup!("<th scope=\"col\" class=\"n\">{name}</th>"; name);
    let head = markup!(
        "<tr><th scope=\"col\">Step</th><th scope=\"col\" class=\"n\">Rows</th>{}</tr>",
        names.iter().map(column).collect::<Html>()
    );
    let rows: Html = steps.iter().enumerate().take(STEPS).map(row).collect();
    let rest = match steps.len().saturating_sub(STEPS) {
        0 => Html::default(),
        more => markup!(
            "<p class=\"quiet\">{} more; the certificate lists all.</p>\n",
            count(more as u64, "step")
        ),
    };
    let body = Html::from_iter([table("steps", "Levels of each step", head, rows), rest]);
    section(6, "lattice", "The steps", lead, body)
}

/// Where the chosen node lies among all.
pub(super) fn lattice(facts: &Facts) -> Html {
    if let Some(found) = &facts.release.regions {
        return regions(facts, found);
    }
    if facts.recoded_locally() {
        return steps(facts);
    }
    let lattice = &facts.lattice;
    let lead = markup!(
        "A node fixes one level for every quasi-identifier; together they form a lattice of {} nodes. {}",
        integer(lattice.nodes),
        judged(facts)
    );
    if lattice.chosen.is_empty() {
        let none = "<p class=\"quiet\">There are no quasi-identifiers, so there is nothing to choose.</p>";
        return section(6, "lattice", "The lattice and the chosen node", lead, Html::fixed(none));
    }
    let caption = "Nodes by height, the sum of their levels. A higher node is more general.";
    let outline = figure(charts::silhouette(lattice), caption);
    let tracks = charts::node(&lattice.chosen).into_iter().enumerate().map(|(i, picture)| {
        let caption = match i {
            0 => "The chosen level of each quasi-identifier. Grey bar: levels that the policy allows.",
            _ => "Continued.",
        };
        figure(picture, caption)
    });
    let nodes = lattice.explored.as_ref().map_or(Html::default(), explored::figure);
    let tracks: Html = tracks.collect();
    let body = markup!("<div class=\"figures\">{outline}{tracks}</div>{nodes}"; outline, tracks, nodes);
    section(6, "lattice", "The lattice and the chosen node", lead, body)
}

fn figure(picture: Html, caption: &str) -> Html {
    markup!("<figure>{picture}<figcaption>{caption}</figcaption></figure>"; picture, caption)
}

/// How many nodes the search looked at. Rounds count nodes again, so that they are no share of the
/// lattice.
fn judged(facts: &Facts) -> String {
    let lattice = &facts.lattice;
    if facts.policy.local {
        return format!(
            "The search and its rounds checked {} nodes, some of them several times. No steps lose less than the chosen node.",
            integer(lattice.checked)
        );
    }
    let share = percent(lattice.checked as f64 / (lattice.nodes.max(1)) as f64);
    let rest = match facts.release.search.optimal {
        true => "; none of the rest can be better",
        false => "",
    };
    format!("The search checked {} of them ({share}){rest}.", integer(lattice.checked))
}
