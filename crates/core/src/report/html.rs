//! The report as one page of HTML: protection, figures, settings, then the sections, then where
//! it all comes from. The page loads nothing and runs nothing.

use super::facts::{Bound, Facts};
use super::frame::{page, section, table, tile};
use super::markup::{Html, markup};
use super::prepared::preparation_lines;
use super::protection::{Protection, State};
use super::rules;
use super::scrubbed::scrubbed_lines;
use super::sections;
use super::text::{count, decimal, integer, percent};
use super::utility::utility;
use crate::model::KAnonymity;
use crate::policy::KOne;
use crate::release::{DeletedFacts, PeopleFacts, Release};
use crate::suggest::Hint;

/// The page.
pub fn html(facts: &Facts) -> String {
    let parts = [
        headline(facts),
        utility(facts),
        suggestions(facts),
        sections::columns(facts),
        sections::risk(facts),
        sections::distributions(facts),
        sections::losses(facts),
        sections::lattice(facts),
        provenance(facts),
    ];
    let title = format!("Release of {}", facts.title);
    page("report of a release", &facts.title, &title, Html::from_iter(parts), footer(facts))
}

/// The class of the verdict in the style sheet.
fn class(state: State) -> &'static str {
    match state {
        State::Protected => "safe",
        State::Unprotected => "unsafe",
        State::Empty => "empty",
    }
}

fn headline(facts: &Facts) -> Html {
    let Protection { state, name, meaning } = facts.protection();
    let class = class(state);
    let columns = match facts.quasi_identifiers() {
        names if names.len() > 1 => {
            markup!("<p class=\"quiet\">The columns: {}.</p>\n", names.join(", "))
        }
        _ => Html::default(),
    };
    let parts = [tiles(facts), guarantees(facts), template(facts), predicted(facts), settings(facts)];
    let verdict = markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{name}:</strong> {meaning}</p>\n\
         {columns}<p class=\"lead\">{}</p>\n{}</section>\n",
        story(facts),
        Html::from_iter(parts);
        class, name, meaning, columns
    );
    Html::from_iter([warnings(facts), verdict])
}

/// What was deleted before anything else; nothing where nothing was rare.
fn deleted(facts: &DeletedFacts) -> String {
    let cells: u64 = facts.cells.values().sum();
    let columns = facts.cells.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    let rows = (facts.rows > 0).then(|| count(facts.rows, "row"));
    let cells = (cells > 0).then(|| format!("{} of {columns}", count(cells, "cell")));
    let parts: Vec<String> = rows.into_iter().chain(cells).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("Before that, {} with rare values were deleted.", parts.join(" and ")),
    }
}

/// What became of the rows.
fn story(facts: &Facts) -> String {
    let release = &facts.release;
    let share = percent(ratio(release.suppressed, release.rows));
    let story = format!(
        "Of {}, {} {} released and {} ({share}) {} suppressed.",
        count(release.rows, "row"),
        integer(release.released),
        be(release.released),
        integer(release.suppressed),
        be(release.suppressed)
    );
    let story = match &release.people {
        Some(people) => format!("{story} {}", people_story(people)),
        None => story,
    };
    let story = match release.blank() {
        0 => story,
        blank => format!(
            "{story} {} of the suppressed rows {} in a class that is large enough, but has * in every quasi-identifier; \
             the limit on suppression counts the other {}.",
            integer(blank),
            be(blank),
            integer(release.withheld)
        ),
    };
    let story = match release.deleted.as_ref().map(deleted) {
        Some(deleted) if !deleted.is_empty() => format!("{story} {deleted}"),
        _ => story,
    };
    let story = match &release.sampling {
        None => story,
        Some(sampling) => format!(
            "Of {} of the input, {} were drawn, each with probability {}. {story}",
            count(release.input.rows, "row"),
            integer(release.rows),
            decimal(sampling.beta)
        ),
    };
    match release.rescued() {
        (0, _) => story,
        (_, 0) => format!(
            "{story} They are released in {}, each with its own levels.",
            count(release.steps.len() as u64, "step")
        ),
        (rows, cells) => format!(
            "{story} {} kept by starring {}.",
            if rows == 1 {
                "1 of the released rows was".to_owned()
            } else {
                format!("{} of the released rows were", integer(rows))
            },
            count(cells, "cell")
        ),
    }
}

/// What became of the people whom rows belong to.
fn people_story(facts: &PeopleFacts) -> String {
    let partly = match facts.partly {
        0 => String::new(),
        partly => format!("; {} of these lost some of their rows", integer(partly)),
    };
    format!(
        "The rows belong to {} people, and {} of them {} in the release{partly}.",
        integer(facts.people),
        integer(facts.released),
        if facts.released == 1 { "is" } else { "are" }
    )
}

/// Exposed columns that are shown at once; a longer list would hide what was achieved.
const EXPOSED: usize = 4;

/// What the holder has to know before anything else.
fn warnings(facts: &Facts) -> Html {
    let item = |class: &str, w: &String| markup!("<li class=\"{class}\">{w}</li>"; class, w);
    let broken = facts.release.template.as_ref().map(rules::broken_rules).unwrap_or_default();
    let (shown, more) = facts.exposures.split_at(facts.exposures.len().min(EXPOSED));
    let first = broken.iter().chain(shown).map(|w| item("exposed", w));
    let items: Html = first.chain(facts.warnings.iter().map(|w| item("", w))).collect();
    let folded: Html = more.iter().map(|w| item("", w)).collect();
    let folded = match more.len() {
        0 => Html::default(),
        1 => markup!("<details><summary>1 more warning</summary><ul>{}</ul></details>", folded),
        n => markup!("<details><summary>{} more warnings</summary><ul>{}</ul></details>", n, folded),
    };
    match items.is_empty() {
        true => Html::default(),
        false => markup!(
            "<aside class=\"warnings\" aria-label=\"Warnings\"><h2>Before you pass it on</h2><ul>{items}</ul>{folded}</aside>\n";
            items, folded
        ),
    }
}

/// The changes of the policy that would keep more.
fn suggestions(facts: &Facts) -> Html {
    let item = |hint: &Hint| markup!("<li><strong>{}</strong>: {}</li>", hint.change, hint.effects());
    let items: Html = facts.suggestions.iter().map(item).collect();
    match items.is_empty() {
        true => Html::default(),
        false => markup!(
            "<aside class=\"warnings hints\" aria-label=\"To keep more\"><h2>To keep more</h2><ul>{items}</ul>\
             <p class=\"quiet\">Measured on this table. <code>throng suggest</code> tries more.</p></aside>\n";
            items
        ),
    }
}

fn be(rows: u64) -> &'static str {
    if rows == 1 { "is" } else { "are" }
}

pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The figures to remember.
fn tiles(facts: &Facts) -> Html {
    let release = &facts.release;
    let share = |rows| percent(ratio(rows, release.rows));
    let (k, name) = match release.privacy.get(KOne::CLAIM) {
        Some(claim) => (Some(claim), "(k,1) reached"),
        None => (release.privacy.get(KAnonymity::CLAIM), "k reached"),
    };
    let reached = k.and_then(|c| c.achieved).map_or("–".to_owned(), decimal);
    let required = k.map_or("not required".to_owned(), |c| format!("{} required", decimal(c.required)));
    let (search, why) = searched(facts);
    let stars = match facts.empty_columns().len() {
        0 => "of the quasi-identifiers’ cells".to_owned(),
        n => format!("of the quasi-identifiers’ cells; {} nothing else", holding(n)),
    };
    let bad = if k.is_some_and(|c| !c.holds) { "bad" } else { "" };
    let limit = match facts.policy.suppression_limit.as_str() {
        "" => "of the rows".to_owned(),
        limit => format!("limit {limit}"),
    };
    let tiles = [
        tile("", "Rows", integer(release.rows), count(facts.columns.len() as u64, "column")),
        tile("", "Released", integer(release.released), format!("{} of the rows", share(release.released))),
        tile("", "Suppressed", share(release.suppressed), limit),
        tile(bad, name, reached, required),
        tile("", "Cells that are *", percent(facts.stars.share), stars),
        dearest(facts),
        tile("", "Search", search, why),
    ];
    markup!("<dl class=\"tiles\">\n{}</dl>\n", Html::from_iter(tiles))
}

/// The column that lost most, and the next ones.
fn dearest(facts: &Facts) -> Html {
    let columns = facts.dearest_columns();
    let Some((name, lm)) = columns.first() else {
        return tile("", "Column that lost most", "none", "nothing was generalized");
    };
    let next = columns[1..].iter().map(|(name, lm)| format!(", then {name} {}", percent(*lm)));
    let note = format!("{} of its detail (LM){}", percent(*lm), next.collect::<String>());
    tile("named", "Column that lost most", name, note)
}

/// How good the result is among those that were possible.
fn searched(facts: &Facts) -> (String, String) {
    let release = &facts.release;
    let nodes = integer(release.search.nodes);
    let local = facts.policy.local || release.regions.is_some();
    match facts.bound() {
        Bound::Optimal if local => ("optimal".to_owned(), "nothing is lost".to_owned()),
        Bound::Optimal => ("optimal".to_owned(), format!("no safe node of {nodes} loses less")),
        Bound::Within(share) => {
            let share = percent(share);
            (format!("within {share}"), format!("the best possible result may be up to {share} better"))
        }
        Bound::Unknown if local => ("best found".to_owned(), "no bound known for local recoding".to_owned()),
        Bound::Unknown => ("best found".to_owned(), format!("among {nodes} nodes; no bound known")),
    }
}

/// Columns that hold something, as a sentence begins.
fn holding(columns: usize) -> String {
    format!("{} {}", count(columns as u64, "column"), if columns == 1 { "holds" } else { "hold" })
}

/// All guarantees, when there is more to say than the headline does.
fn guarantees(facts: &Facts) -> Html {
    let claims = &facts.release.privacy;
    if claims.len() < 2 && claims.values().all(|c| c.holds) {
        return Html::default();
    }
    let rows = claims.iter().map(|(name, claim)| {
        let (class, word) = if claim.holds { ("", "holds") } else { ("bad", "does not hold") };
        markup!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{class}\">{word}</td></tr>\n",
            name.clone(),
            decimal(claim.required),
            claim.achieved.map_or("–".to_owned(), decimal);
            class, word
        )
    });
    let head = "<tr><th scope=\"col\">Guarantee</th><th scope=\"col\" class=\"n\">Required</th>\
                <th scope=\"col\" class=\"n\">Reached</th><th scope=\"col\">Verdict</th></tr>";
    table("guarantees", "The guarantees", Html::fixed(head), rows.collect())
}

/// The rules of the policy's template.
fn template(facts: &Facts) -> Html {
    let Some(template) = &facts.release.template else { return Html::default() };
    markup!("<h3>{}</h3>\n{}", rules::rules_line(template), rules::rules(template))
}

/// Why rows stay whose class is small.
fn predicted(facts: &Facts) -> Html {
    let all = facts.release.predicted.values();
    all.map(|p| markup!("<p>{} released {}.</p>\n", count(p.rows, "row"), p.reason())).collect()
}

/// A list of names with what they stand for; entries without text are left out.
pub(super) fn pairs(class: &str, entries: &[(&str, Html)]) -> Html {
    let shown = entries.iter().filter(|(_, text)| !text.is_empty());
    let row =
        |(name, text): &(&str, Html)| markup!("<div><dt>{name}</dt><dd>{text}</dd></div>\n"; name, text);
    let rows: Html = shown.map(row).collect();
    markup!("<dl class=\"{class}\">\n{rows}</dl>\n"; class, rows)
}

/// The settings of the policy.
fn settings(facts: &Facts) -> Html {
    let policy = &facts.policy;
    let line = |(at, group): (usize, &String)| match at {
        0 => markup!("{group}"; group),
        _ => markup!("<br>{group}"; group),
    };
    let text = |text: &str| markup!("{text}"; text);
    let level = policy.anonymity.map_or(String::new(), |a| format!(", from anonymity level {}", decimal(a)));
    let k = policy.k.map(|k| format!("{} over all quasi-identifiers{level}", integer(k)));
    let entries = [
        ("k", text(&k.unwrap_or_default())),
        ("Groups", policy.groups.iter().enumerate().map(line).collect()),
        ("Suppression limit", text(&policy.suppression_limit)),
        ("Suppressed rows", text(&policy.suppressed)),
        ("Missing cells", text(&policy.missing)),
        ("Order of rows", text(&policy.keep_order)),
        ("Optimized for", text(&policy.loss)),
        ("Search", text(&policy.algorithm)),
    ];
    markup!("<h3>Settings of the policy</h3>\n{}", pairs("asked", &entries))
}

fn provenance(facts: &Facts) -> Html {
    let (release, policy) = (&facts.release, &facts.policy);
    let hash = |text: &str| markup!("<code class=\"hash\">{text}</code>"; text);
    let file = |path: &str, rows: u64, sha: &str| markup!("<code>{path}</code>, {}{}", count(rows, "row"), hash(sha); path);
    let search = &release.search;
    let entries = [
        ("Input", file(&release.input.path, release.input.rows, &release.input.sha256)),
        ("Preparation", prepared(release)),
        ("Free text", listed(&scrubbed_lines(&release.text))),
        ("Release", file(&release.output.path, release.output.rows, &release.output.sha256)),
        ("Policy", markup!("<code>{}</code>{}", policy.path, hash(&release.policy.sha256))),
        ("Search", markup!("{}, {} s", search.found_by(), decimal(search.seconds))),
        ("Seed", markup!("{}", release.seed)),
        ("Version", markup!("Throng {}", release.version)),
    ];
    let certificate = policy.certificate.as_ref().map(|path| ("--certificate", path));
    let arguments = [("throng verify", &release.output.path), ("--policy", &policy.path)];
    let part = |(at, (word, path)): (usize, (&str, &String))| {
        let space = if at > 0 { " " } else { "" };
        markup!("{space}<span>{word} {}</span>", quoted(path); space, word)
    };
    let command: Html = arguments.into_iter().chain(certificate).enumerate().map(part).collect();
    let body = markup!(
        "{}<h3>Check it again</h3>\n<pre tabindex=\"0\"><code>{}</code></pre>",
        pairs("provenance", &entries),
        command
    );
    let lead = "Digests are SHA-256 of the files as they were read and written. \
                Anyone with these files can check the guarantees again.";
    section(7, "provenance", "Where it comes from", Html::fixed(lead), body)
}

/// How the rows of the input became those of the table.
fn prepared(release: &Release) -> Html {
    listed(&release.preparation.as_ref().map(preparation_lines).unwrap_or_default())
}

/// Lines of text.
fn listed(lines: &[String]) -> Html {
    let line = |(at, line): (usize, &String)| match at {
        0 => markup!("{line}"; line),
        _ => markup!("<br>{line}"; line),
    };
    lines.iter().enumerate().map(line).collect()
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-:=+,@~".contains(c);
    match !path.is_empty() && path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

fn footer(facts: &Facts) -> Html {
    let few = facts.policy.k.map_or("few".to_owned(), |k| format!("fewer than {}", integer(k)));
    markup!(
        "Written by Throng {}. This page is for the holder: it counts the original values. \
         Values that {few} rows share are pooled and not named.",
        facts.release.version;
        few
    )
}
