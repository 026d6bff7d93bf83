//! The report as one page of HTML: verdict, figures, what was asked, then the sections, then where it all
//! comes from. The page loads nothing and runs nothing.

use super::facts::Facts;
use super::sections;
use super::text::{count, decimal, escape, integer, percent};
use crate::policy::Role;
use crate::release::{Claim, SearchFacts};

const STYLE: &str = concat!(include_str!("colours.css"), include_str!("style.css"), include_str!("plot.css"));

/// The page forbids itself what it does not need: scripts, pictures from elsewhere, any connection.
const HEAD: &str = r#"<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
"#;

/// The page.
pub fn html(facts: &Facts) -> String {
    let sections = [
        sections::columns(facts),
        sections::risk(facts),
        sections::distributions(facts),
        sections::losses(facts),
        sections::lattice(facts),
        provenance(facts),
    ];
    let body = format!("{}{}", headline(facts), sections.concat());
    page("report of a release", &facts.title, &format!("Release of {}", facts.title), &body, &footer(facts))
}

/// A page: what it is, its heading, its name in the browser, and what is on it.
pub(super) fn page(kind: &str, heading: &str, title: &str, body: &str, footer: &str) -> String {
    let (heading, title) = (escape(heading), escape(title));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{HEAD}<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<header>\n<p class=\"eyebrow\">Throng · {kind}</p>\n<h1>{heading}</h1>\n</header>\n\
         <main>\n{body}</main>\n<footer><p>{footer}</p></footer>\n</body>\n</html>\n"
    )
}

/// A numbered section.
pub(super) fn section(number: u8, id: &str, title: &str, lead: &str, body: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<div class=\"head\"><h2 id=\"{id}-title\">\
         <span class=\"no\">{number}</span> {title}</h2>\n<p class=\"lead\">{lead}</p></div>\n{body}\n</section>\n"
    )
}

/// What the page says first.
struct Verdict {
    class: &'static str,
    word: &'static str,
    rest: String,
}

fn verdict(facts: &Facts) -> Verdict {
    let claims = &facts.release.privacy;
    let broken = claims.values().filter(|c| !c.holds).count();
    let tell = |class, word, rest: String| Verdict { class, word, rest };
    match claims.iter().next() {
        None => tell("unsafe", "Not proven", "the policy asks for no guarantee".to_owned()),
        Some((name, claim)) if broken > 0 && claims.len() == 1 => {
            tell("unsafe", "Not safe", broken_claim(facts, name, claim))
        }
        Some(_) if broken > 0 => {
            tell("unsafe", "Not safe", format!("{broken} of {} guarantees do not hold", claims.len()))
        }
        Some(_) if facts.release.released == 0 => {
            tell("empty", "Nothing released", "every row was suppressed".to_owned())
        }
        Some((name, claim)) if claims.len() == 1 && counts_rows(name) => {
            let often = count(claim.required as u64, "time");
            tell("safe", "Safe", format!("every {} occurs at least {often}", combination(facts)))
        }
        Some((name, _)) if claims.len() == 1 => {
            tell("safe", "Safe", format!("{} holds", escape(&readable(name))))
        }
        Some(_) => tell("safe", "Safe", format!("all {} guarantees hold", claims.len())),
    }
}

fn broken_claim(facts: &Facts, name: &str, claim: &Claim) -> String {
    match claim.achieved {
        Some(reached) if counts_rows(name) => format!(
            "some {} occurs only {}, where {} are asked for",
            combination(facts),
            count(reached as u64, "time"),
            decimal(claim.required)
        ),
        _ => format!("{} does not hold", escape(&readable(name))),
    }
}

/// Whether a guarantee is k-anonymity, which can be said in plain words.
fn counts_rows(name: &str) -> bool {
    let name = name.to_lowercase().replace('_', "-");
    name == "k" || name == "k-anonymity"
}

fn readable(name: &str) -> String {
    match name {
        "k" => "k-anonymity".to_owned(),
        _ => name.replace('_', "-"),
    }
}

fn combination(facts: &Facts) -> String {
    match facts.columns.iter().filter(|c| c.role == Role::Quasi).count() {
        0 => "row".to_owned(),
        1 => "value of the <span class=\"whole\">quasi-identifier</span>".to_owned(),
        m => format!("combination of {m} <span class=\"whole\">quasi-identifiers</span>"),
    }
}

fn headline(facts: &Facts) -> String {
    let Verdict { class, word, rest } = verdict(facts);
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
    let story = match &release.sampling {
        None => story,
        Some(sampling) => format!(
            "Of {} of the input, {} were drawn, each with probability {}. {story}",
            count(release.input.rows, "row"),
            integer(release.rows),
            decimal(sampling.beta)
        ),
    };
    let story = match release.rescued() {
        (0, _) => story,
        (_, 0) => format!(
            "{story} They are released in {}, each at levels of its own.",
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
    };
    let warnings: Vec<String> = facts.warnings.iter().map(|w| format!("<li>{}</li>", escape(w))).collect();
    let warnings = match warnings.is_empty() {
        true => String::new(),
        false => format!(
            "<aside class=\"warnings\" aria-label=\"Warnings\"><h2>Before you pass it on</h2><ul>{}</ul></aside>\n",
            warnings.concat()
        ),
    };
    format!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{word}:</strong> {rest}</p>\n\
         <p class=\"lead\">{story}</p>\n{}{}{warnings}{}</section>\n",
        tiles(facts),
        guarantees(facts) + &predicted(facts),
        asked(facts)
    )
}

fn be(rows: u64) -> &'static str {
    if rows == 1 { "is" } else { "are" }
}

pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// One figure to remember.
pub(super) fn tile(class: &str, name: &str, value: &str, note: &str) -> String {
    format!("<div class=\"tile {class}\"><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>\n")
}

/// The figures to remember.
fn tiles(facts: &Facts) -> String {
    let release = &facts.release;
    let share = |rows| percent(ratio(rows, release.rows));
    let k = release.privacy.iter().find(|(name, _)| counts_rows(name)).map(|(_, claim)| claim);
    let reached = k.and_then(|c| c.achieved).map_or("–".to_owned(), decimal);
    let asked = k.map_or("not asked for".to_owned(), |c| format!("{} asked for", decimal(c.required)));
    let kept = release.loss.get("prec").map_or("–".to_owned(), |loss| percent(1.0 - loss));
    let nodes = integer(release.search.nodes);
    let (search, why) = match release.search {
        _ if release.regions.is_some() => {
            let regions = release.regions.as_ref().map_or(0, |regions| regions.count);
            (
                count(regions, "region"),
                format!("{} rows each on average", decimal(ratio(release.released, regions))),
            )
        }
        SearchFacts { optimal: true, .. } => {
            ("optimal".to_owned(), format!("no safe node of {nodes} loses less"))
        }
        SearchFacts { gap, .. } if gap.is_finite() => {
            (format!("within {}", percent(gap)), format!("of the best safe node of {nodes}"))
        }
        _ => ("best found".to_owned(), format!("among {nodes} nodes; how far from the best is not known")),
    };
    let bad = if k.is_some_and(|c| !c.holds) { "bad" } else { "" };
    let limit = match facts.policy.suppression_limit.as_str() {
        "" => "of the rows".to_owned(),
        limit => format!("limit {}", escape(limit)),
    };
    let tiles = [
        tile("", "Rows", &integer(release.rows), &count(facts.columns.len() as u64, "column")),
        tile("", "Released", &integer(release.released), &format!("{} of the rows", share(release.released))),
        tile("", "Suppressed", &share(release.suppressed), &limit),
        tile(bad, "k reached", &reached, &asked),
        tile("", "Precision kept", &kept, "of the quasi-identifiers"),
        tile("", "Search", &search, &why),
    ];
    format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.concat())
}

/// All guarantees, when there is more to say than the headline does.
fn guarantees(facts: &Facts) -> String {
    let claims = &facts.release.privacy;
    if claims.len() < 2 && claims.values().all(|c| c.holds) {
        return String::new();
    }
    let rows = claims.iter().map(|(name, claim)| {
        let (class, word) = if claim.holds { ("", "holds") } else { ("bad", "does not hold") };
        format!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{class}\">{word}</td></tr>\n",
            escape(&readable(name)),
            decimal(claim.required),
            claim.achieved.map_or("–".to_owned(), decimal)
        )
    });
    let head = "<tr><th scope=\"col\">Guarantee</th><th scope=\"col\" class=\"n\">Asked for</th>\
                <th scope=\"col\" class=\"n\">Reached</th><th scope=\"col\">Verdict</th></tr>";
    table("guarantees", "The guarantees", head, &rows.collect::<String>())
}

/// Why rows stay whose class is small.
fn predicted(facts: &Facts) -> String {
    let told = facts
        .release
        .predicted
        .values()
        .map(|told| format!("<p>{} released {}.</p>\n", count(told.rows, "row"), escape(&told.reason())));
    told.collect()
}

/// A table in a box of its own, so that a wide one moves inside it and not the page.
pub(super) fn table(class: &str, caption: &str, head: &str, rows: &str) -> String {
    format!(
        "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table class=\"{class}\">\
         <caption>{caption}</caption>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// A list of names with what they stand for; entries without text are left out.
fn pairs(class: &str, entries: &[(&str, String)]) -> String {
    let shown = entries.iter().filter(|(_, text)| !text.is_empty());
    let rows: String =
        shown.map(|(name, text)| format!("<div><dt>{name}</dt><dd>{text}</dd></div>\n")).collect();
    format!("<dl class=\"{class}\">\n{rows}</dl>\n")
}

fn asked(facts: &Facts) -> String {
    let policy = &facts.policy;
    let groups: Vec<String> = policy.groups.iter().map(|g| escape(g)).collect();
    let level = policy.anonymity.map_or(String::new(), |a| format!(", from anonymity level {}", decimal(a)));
    let k = policy.k.map(|k| format!("{} over all quasi-identifiers{level}", integer(k)));
    let entries = [
        ("k", k.unwrap_or_default()),
        ("Groups", groups.join("<br>")),
        ("Suppression limit", escape(&policy.suppression_limit)),
        ("Suppressed rows", escape(&policy.suppressed)),
        ("Missing cells", escape(&policy.missing)),
        ("Order of rows", escape(&policy.keep_order)),
        ("Loss to keep small", escape(&policy.loss)),
        ("Search", escape(&policy.algorithm)),
    ];
    format!("<h3>What was asked for</h3>\n{}", pairs("asked", &entries))
}

fn provenance(facts: &Facts) -> String {
    let (release, policy) = (&facts.release, &facts.policy);
    let hash = |text: &str| format!("<code class=\"hash\">{}</code>", escape(text));
    let file = |path: &str, rows: u64, sha: &str| {
        format!("<code>{}</code>, {}{}", escape(path), count(rows, "row"), hash(sha))
    };
    let search = &release.search;
    let entries = [
        ("Input", file(&release.input.path, release.input.rows, &release.input.sha256)),
        ("Release", file(&release.output.path, release.output.rows, &release.output.sha256)),
        ("Policy", format!("<code>{}</code>{}", escape(&policy.path), hash(&release.policy.sha256))),
        ("Search", format!("{}, {} s", escape(&search.algorithm), decimal(search.seconds))),
        ("Seed", release.seed.to_string()),
        ("Version", format!("Throng {}", escape(&release.version))),
    ];
    let certificate = policy.certificate.as_ref().map(|path| ("--certificate", path));
    let arguments = [("throng verify", &release.output.path), ("--policy", &policy.path)];
    let command: Vec<String> = arguments
        .into_iter()
        .chain(certificate)
        .map(|(word, path)| format!("<span>{word} {}</span>", escape(&quoted(path))))
        .collect();
    let body = format!(
        "{}<h3>To prove it again</h3>\n<pre tabindex=\"0\"><code>{}</code></pre>",
        pairs("provenance", &entries),
        command.join(" ")
    );
    let lead = "Digests are SHA-256 of the files as they were read and written. \
                Whoever holds these files can prove the guarantees again.";
    section(6, "provenance", "Where it comes from", lead, &body)
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-:=+,@~".contains(c);
    match !path.is_empty() && path.chars().all(plain) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

fn footer(facts: &Facts) -> String {
    let few = facts.policy.k.map_or("few".to_owned(), |k| format!("fewer than {}", integer(k)));
    format!(
        "Written by Throng {}. This page is for the holder: it counts the original values. \
         Values that {few} rows share are pooled and not named.",
        escape(&facts.release.version)
    )
}
