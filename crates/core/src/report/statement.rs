//! The statement on a release for an ethics board or a data-protection officer.
//!
//! Unlike the report, the page can be passed on: it has the names of columns, settings, counts and
//! figures, and no value of the table. It says what was decided and why, which rules and guarantees
//! hold, what risk is left, what was lost and what was assumed, and leaves room for signatures. With
//! differential privacy it has only what the certificate has. A pure function of the facts.

use super::facts::{ColumnFacts, Facts};
use super::frame::{page, section, table};
use super::html::{pairs, ratio};
use super::markup::{Html, markup};
use super::rules;
use super::text::{count, decimal, integer, percent};
use crate::policy::Role;
use crate::release::{Claim, Release, Risks};

/// The page. `seal` is the seal of the certificate.
pub fn statement(facts: &Facts, seal: &str) -> String {
    let release = facts.release.clone().published();
    let open = release.sampling.is_none();
    let mut number = 0;
    let mut parts = vec![Html::fixed(
        "<p class=\"lead\">For an ethics board or a data-protection officer. This page can be passed on: \
         it has names of columns, settings and counts, and no value of any person.</p>\n",
    )];
    let mut add = |id: &str, title: &str, lead: &str, body: Html| {
        if !body.is_empty() {
            number += 1;
            parts.push(section(number, id, title, markup!("{lead}"; lead), body));
        }
    };
    add("purpose", "Purpose and recipient", "", purpose(facts));
    add("columns", "What is released", &released(&release, facts), columns(facts));
    add("guarantees", "What is guaranteed", GUARANTEES, guarantees(facts, &release));
    let template = release.template.as_ref();
    let lead = template.map(rules::rules_line).unwrap_or_default();
    add("rules", "Rules", &lead, template.map(rules::rules).unwrap_or_default());
    if open {
        let risks = release.risk.as_ref();
        add("risk", "Risk that is left", RISK, risks.map(risk).unwrap_or_default());
        add("losses", "What was lost", &lost(facts), losses(facts));
    }
    add("assumptions", "Assumptions and limits", "", assumptions(facts, open));
    add("files", "Files", FILES, files(facts, &release, seal));
    add("signatures", "Decision", "", Html::fixed(SIGNATURES));
    let heading = format!("Release of {}", facts.title);
    let footer = markup!("Written by Throng {}.", release.version);
    page("statement on a release", &heading, &heading, Html::from_iter(parts), footer)
}

const GUARANTEES: &str =
    "Each guarantee was proven by a second implementation that read the original and the release.";

const RISK: &str = "The risk of a row is 1 over the number of rows that look the same. It is the chance of somebody who \
                    knows these columns of a person, and that the person is in the table, to pick the right row.";

const FILES: &str = "Digests are SHA-256. Anyone who has the release, its certificate and the policy can prove the guarantees \
                     again with `throng verify`.";

/// Room for two signatures.
const SIGNATURES: &str = "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"Signatures\"><table class=\"signatures\">\n\
    <caption>Signatures</caption>\n<thead><tr><th scope=\"col\"></th><th scope=\"col\">Holder of the data</th>\
    <th scope=\"col\">Ethics board or data-protection officer</th></tr></thead>\n<tbody>\n\
    <tr><th scope=\"row\">Decision</th><td style=\"height:3rem;width:40%\"></td><td style=\"width:40%\"></td></tr>\n\
    <tr><th scope=\"row\">Name and function</th><td style=\"height:3rem\"></td><td></td></tr>\n\
    <tr><th scope=\"row\">Place and date</th><td style=\"height:3rem\"></td><td></td></tr>\n\
    <tr><th scope=\"row\">Signature</th><td style=\"height:4rem\"></td><td></td></tr>\n</tbody>\n</table></div>\n";

fn purpose(facts: &Facts) -> Html {
    let words = &facts.policy.statement;
    let line = |text: &Option<String>| match text.as_deref().map(str::trim) {
        None | Some("") => Html::fixed("<span class=\"quiet\">to be filled in</span>"),
        Some(text) => markup!("{text}"; text),
    };
    pairs(
        "provenance",
        &[
            ("Purpose", line(&words.purpose)),
            ("Recipient", line(&words.recipient)),
            ("Kept for", line(&words.retention)),
            ("Contact", line(&words.contact)),
        ],
    )
}

fn released(release: &Release, facts: &Facts) -> String {
    let columns = facts.columns.iter().filter(|column| column.released).count() as u64;
    let all = facts.columns.len() as u64;
    match release.sampling {
        None => format!(
            "Of {}, {} are released ({}). Of {}, {columns} are released.",
            count(release.rows, "row"),
            integer(release.released),
            percent(ratio(release.released, release.rows)),
            count(all, "column")
        ),
        Some(_) => format!(
            "Rows were drawn by chance; {} are released. Of {}, {columns} are released.",
            integer(release.rows),
            count(all, "column")
        ),
    }
}

fn columns(facts: &Facts) -> Html {
    let row = |column: &ColumnFacts| {
        let removed = Html::fixed(if column.released { "" } else { " class=\"removed\"" });
        let hierarchy =
            column.hierarchy.as_deref().map_or(Html::default(), |text| markup!("<small>{}</small>", text));
        let reason = column.reason.as_deref().unwrap_or_else(|| usual_reason(column.role));
        markup!(
            "<tr{removed}><th scope=\"row\">{}</th><td data-name=\"Role\">{}</td><td data-name=\"Why\">{reason}</td>\
             <td data-name=\"Done\"><div>{}{hierarchy}</div></td></tr>\n",
            column.name,
            column.role.name(),
            column.action;
            removed, reason, hierarchy
        )
    };
    let head = Html::fixed(
        "<tr><th scope=\"col\">Column</th><th scope=\"col\">Role</th><th scope=\"col\">Why</th>\
         <th scope=\"col\">What was done</th></tr>",
    );
    table("stack", "Columns", head, facts.columns.iter().map(row).collect())
}

/// Why a column has its role, where the policy does not say.
fn usual_reason(role: Role) -> &'static str {
    match role {
        Role::Identifier => "names a person outright",
        Role::Subject => "names the person that a row belongs to",
        Role::Quasi => "can be linked to a person together with others",
        Role::Sensitive => "is what somebody might want to learn about a person",
        Role::Target => "is what the recipient wants to predict",
        Role::Text => "free text, which can name people",
        Role::Weight => "the survey weight of the row",
        Role::Keep => "the recipient needs it unchanged",
        Role::Drop => "is not needed",
    }
}

fn guarantees(facts: &Facts, release: &Release) -> Html {
    let row = |(name, claim): (&String, &Claim)| {
        let (class, word) = if claim.holds { ("", "holds") } else { ("bad", "does not hold") };
        markup!(
            "<tr><th scope=\"row\">{name}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"{class}\">{word}</td></tr>\n",
            decimal(claim.required),
            claim.achieved.map_or("–".to_owned(), decimal);
            name, class, word
        )
    };
    let head = Html::fixed(
        "<tr><th scope=\"col\">Guarantee</th><th scope=\"col\" class=\"n\">Required</th>\
         <th scope=\"col\" class=\"n\">Reached</th><th scope=\"col\">Verdict</th></tr>",
    );
    let claims = table("guarantees", "Guarantees", head, release.privacy.iter().map(row).collect());
    let text = |text: &str| markup!("{text}"; text);
    let policy = &facts.policy;
    let k = match policy.k {
        None => String::new(),
        Some(1) => "1: rows may be alone in their class".to_owned(),
        Some(k) => format!("every released combination of quasi-identifiers has {} rows or more", integer(k)),
    };
    let settings = [
        ("k", text(&k)),
        ("Suppression limit", text(&policy.suppression_limit)),
        ("Suppressed rows", text(&policy.suppressed)),
        ("Missing cells", text(&policy.missing)),
        ("Order of rows", text(&policy.keep_order)),
    ];
    Html::from_iter([claims, pairs("asked", &settings)])
}

fn risk(risks: &Risks) -> Html {
    let (before, after) = (&risks.before, &risks.after);
    let rows = [
        ("Highest risk of a row", percent(before.prosecutor), percent(after.prosecutor)),
        ("Mean risk of all rows", percent(before.marketer), percent(after.marketer)),
        ("Rows that are alone", integer(before.unique_rows), integer(after.unique_rows)),
        ("Rows of the smallest class", integer(before.smallest), integer(after.smallest)),
    ];
    let row = |(name, before, after): &(&str, String, String)| {
        markup!(
            "<tr><th scope=\"row\">{name}</th><td class=\"n\">{before}</td><td class=\"n\">{after}</td></tr>\n";
            name, before, after
        )
    };
    let head = Html::fixed(
        "<tr><th scope=\"col\">Figure</th><th scope=\"col\" class=\"n\">As it was</th>\
         <th scope=\"col\" class=\"n\">As released</th></tr>",
    );
    let share = markup!(
        "<tr><th scope=\"row\">Rows with a risk above {}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        percent(risks.threshold),
        percent(before.at_risk),
        percent(after.at_risk)
    );
    let rows: Html = rows.iter().map(row).chain([share]).collect();
    table("risk", "Risk", head, rows)
}

fn lost(facts: &Facts) -> String {
    let release = &facts.release;
    let mut text = match release.suppressed {
        0 => "No row was left out.".to_owned(),
        rows => format!(
            "{} of {} ({}) were left out or show nothing but *.",
            integer(rows),
            count(release.rows, "row"),
            percent(ratio(rows, release.rows))
        ),
    };
    text += &format!(" {} of the cells of quasi-identifiers show nothing but *.", percent(facts.stars.share));
    let empty = facts.empty_columns();
    if !empty.is_empty() {
        text += &format!(" These columns show nothing but *: {}.", empty.join(", "));
    }
    text
}

fn losses(facts: &Facts) -> Html {
    let row = |column: &ColumnFacts| {
        let loss = column.loss?;
        Some(markup!(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{} → {}</td></tr>\n",
            column.name,
            percent(loss.conditional_share.clamp(0.0, 1.0)),
            integer(column.distinct_before),
            integer(column.distinct_after)
        ))
    };
    let rows: Html = facts.columns.iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = Html::fixed(
        "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">Information lost</th>\
         <th scope=\"col\" class=\"n\">Distinct values</th></tr>",
    );
    table("losses", "Lost per quasi-identifier", head, rows)
}

/// What holds whatever the table is.
const LIMITS: [&str; 6] = [
    "The roles of columns were decided by the holder. A column that others can link and that is not a quasi-identifier is \
     not protected.",
    "A guarantee is about the released columns. It does not cover other releases about the same people, nor data that a \
     recipient joins with the release.",
    "k hides which row belongs to a person. It does not hide a sensitive value that all rows of a class share; a model of \
     that column does.",
    "Classes count rows. Where a person has several rows and the policy names no subject column, a class can have fewer \
     people than rows.",
    "A rule that names a column was checked by what the column holds according to its name, to inspection or to the \
     holder, not by reading every cell.",
    "This page states facts about a release. It is not legal advice.",
];

fn assumptions(facts: &Facts, open: bool) -> Html {
    let found = facts.exposures.iter().map(String::as_str).filter(|_| open);
    let item = |text: &str| markup!("<li>{text}</li>\n"; text);
    let items: Html = LIMITS.into_iter().chain(found).map(item).collect();
    markup!("<ul>\n{items}</ul>\n"; items)
}

fn files(facts: &Facts, release: &Release, seal: &str) -> Html {
    let hash = |text: &str| markup!("<code class=\"hash\">{text}</code>"; text);
    let named = |path: &str, sha256: &str| markup!("<code>{}</code>{}", file_name(path), hash(sha256));
    let certificate = facts.policy.certificate.as_deref().map_or(Html::default(), |path| named(path, seal));
    pairs(
        "provenance",
        &[
            ("Release", named(&release.output.path, &release.output.sha256)),
            ("Certificate and its seal", certificate),
            ("Policy", named(&facts.policy.path, &release.policy.sha256)),
            ("Version", markup!("Throng {}", release.version)),
        ],
    )
}

/// A path without its folders, which are nobody else's concern.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Statement;
    use crate::release::{RuleFacts, TemplateFacts};
    use crate::report::sample::sample;
    use crate::report::tests::check_page;

    fn with_template() -> Facts {
        let mut facts = sample();
        let rule = |rule: &str, holds: Option<bool>| RuleFacts {
            rule: rule.into(),
            cites: "164.514".into(),
            requires: "Names are removed.".into(),
            satisfied_by: "removed: <name>".into(),
            holds,
            required: false,
        };
        let rules = vec![rule("names", Some(true)), rule("ages", Some(false)), rule("knowledge", None)];
        let (name, title, source) = ("t".into(), "Template".into(), "Source".into());
        facts.release.template = Some(TemplateFacts { name, title, source, rules });
        facts
    }

    #[test]
    fn the_page_is_well_formed_and_complete() {
        let mut facts = with_template();
        facts.policy.statement = Statement { purpose: Some("Research <b>".into()), ..Statement::default() };
        facts.columns[1].reason = Some("others may know it".into());
        let page = statement(&facts, "5ea1");
        check_page(&page);
        for phrase in [
            "Purpose and recipient",
            "Research &lt;b&gt;",
            "to be filled in",
            "others may know it",
            "Rules of Template",
            "removed: &lt;name&gt;",
            "to be confirmed",
            "5ea1",
            "Signature",
        ] {
            assert!(page.contains(phrase), "the page lacks {phrase}");
        }
    }

    #[test]
    fn no_value_of_the_table_is_on_the_page() {
        let facts = with_template();
        let page = statement(&facts, "5ea1");
        let before = facts.columns.iter().flat_map(|column| column.before.iter().chain(&column.after));
        let labels = before.map(|bar| bar.label.as_str());
        let ladders =
            facts.columns.iter().flat_map(|column| column.ladder.iter().map(|l| l.example.as_str()));
        let mut checked = 0;
        for value in labels.chain(ladders).filter(|value| value.len() > 3) {
            assert!(!page.contains(&format!(">{value}<")) && !page.contains(value), "{value}");
            checked += 1;
        }
        assert!(checked > 20, "{checked}");
    }

    #[test]
    fn broken_rules_are_sentences() {
        let facts = with_template();
        let template = facts.release.template.as_ref().unwrap();
        assert_eq!(
            rules::broken_rules(template),
            ["Rule ages (164.514) of Template is not satisfied: removed: <name>."]
        );
        assert_eq!(
            rules::rules_line(template),
            "Template: 1 of 2 rules satisfied; 1 has to be confirmed by the holder"
        );
    }
}
