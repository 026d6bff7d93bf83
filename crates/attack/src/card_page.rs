//! The scorecard as a page for the holder: what the attacks mean, their rates beside the controls,
//! and what to do about those that succeed. It contains counts, and no value of a cell.

use throng_terms::page::frame::{page as framed, section, table, tile};
use throng_terms::page::markup::{Html, markup};
use throng_terms::page::text::{decimal, integer, percent};

use crate::attack::{Criterion, Finding};
use crate::drawn::rates;
use crate::rate::Rate;
use crate::scorecard::{Attribution, Score, Scorecard};

/// The page; `title` is the name of the release.
pub fn page(card: &Scorecard, title: &str, version: &str) -> String {
    let mut parts = vec![headline(card), remedies(card)];
    for (at, score) in card.criteria.iter().enumerate() {
        parts.push(criterion(card, score, at as u8 + 2));
    }
    parts.extend([attribution(card), skipped(card)]);
    let footer = markup!(
        "Written by Throng {}. This page contains counts and rates, and no values of cells. An attack that fails is not a proof: \
         what a release guarantees follows from its policy and is proven by throng verify.",
        version
    );
    framed("attacks", title, &format!("Attacks on {title}"), Html::from_iter(parts), footer)
}

/// A word for a criterion, with what it means.
fn in_words(criterion: Criterion) -> (&'static str, &'static str) {
    match criterion {
        Criterion::SinglingOut => ("Singling out", "Can a person’s row be isolated?"),
        Criterion::Linkability => ("Linkability", "Can rows of the same person be linked?"),
        Criterion::Inference => ("Inference", "Can a value of a person be deduced?"),
    }
}

fn headline(card: &Scorecard) -> Html {
    let failing: Vec<String> = card
        .criteria
        .iter()
        .filter(|score| !score.succeeding.is_empty())
        .map(|score| in_words(score.criterion).0.to_lowercase())
        .collect();
    let (class, name, meaning) = match failing.is_empty() {
        true => (
            "safe",
            "No attack succeeds",
            "none of the attacks that were run succeeds more often than its control, beyond chance"
                .to_owned(),
        ),
        false => (
            "unsafe",
            "Attacks succeed",
            format!("the release allows {} beyond what a control explains", failing.join(", ")),
        ),
    };
    let tiles: Html =
        card.criteria.iter().map(score_tile).chain(card.attribution.iter().map(cap_tile)).collect();
    markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{name}:</strong> {meaning}</p>\n\
         <p class=\"lead\">{} were run, {} were not. The terms are those of the WP29 opinion on anonymisation techniques.</p>\n\
         <dl class=\"tiles\">\n{tiles}</dl>\n</section>\n",
        attacks(card.attacks.iter().map(|found| found.attack)),
        integer(card.skipped.len() as u64);
        class, name, meaning, tiles
    )
}

fn attacks<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.dedup();
    format!("{} attacks", names.len())
}

fn score_tile(score: &Score) -> Html {
    let (name, question) = in_words(score.criterion);
    match &score.worst {
        None => tile("", name, "–", "no attack was run"),
        Some(worst) => {
            let bad = if score.succeeding.is_empty() { "" } else { "bad" };
            let note = format!("{question} Greatest risk above a control, by {}", worst.attack);
            tile(bad, name, percent(worst.risk.value.max(0.0)), note)
        }
    }
}

fn cap_tile(found: &Attribution) -> Html {
    let note =
        format!("correct attribution of {}; by the whole release: {}", found.column, decimal(found.baseline));
    tile("", "CAP", decimal(found.cap), note)
}

/// What to do about the attacks that succeed.
fn remedies(card: &Scorecard) -> Html {
    let mut names: Vec<&'static str> =
        card.attacks.iter().filter(|found| found.succeeds()).map(|found| found.attack).collect();
    names.dedup();
    if names.is_empty() {
        let lead = "Nothing follows from these attacks. They know the tables that were given: attack again when outsiders can have more.";
        return section(1, "remedies", "What to do", Html::fixed(lead), Html::default());
    }
    let row = |name: &&'static str| {
        markup!("<tr><th scope=\"row\">{}</th><td data-name=\"Remedy\">{}</td></tr>\n", name, remedy(name))
    };
    let rows: Html = names.iter().map(row).collect();
    let head = Html::fixed("<tr><th scope=\"col\">Attack</th><th scope=\"col\">Remedy</th></tr>");
    let lead = "Change the policy, release again, and attack again.";
    section(1, "remedies", "What to do", Html::fixed(lead), table("fold", "Remedies", head, rows))
}

/// What helps against an attack.
pub(crate) fn remedy(attack: &str) -> &'static str {
    match attack {
        "singling-out" | "linkability" => {
            "Give every column that outsiders may know the role quasi, and raise k until no row is alone."
        }
        "rare" => {
            "Delete or generalize the rare values before the release, or suppress the whole rows of their people."
        }
        "unsorted" => "Shuffle the rows of every release; Throng does so unless output.keep_order is set.",
        "complementary" => {
            "Release both tables with the same classes, or treat columns that both show as quasi-identifiers; a ledger checks this."
        }
        "temporal" => {
            "Collect changes until at least k people were added or removed in every class; a ledger checks this."
        }
        "membership" => "Add a delta_presence model with the population, or release a sample.",
        "homogeneity" => "Add an l_diversity model for the sensitive column.",
        "skewness" => "Add a t_closeness model for the sensitive column.",
        "background" => "Raise l of l_diversity by the number of values that outsiders can rule out.",
        "minimality" => {
            "Add an m_confidentiality model, or choose an algorithm that does not stop at the first safe node."
        }
        "differencing" => {
            "Raise k so that no class has one row, and do not answer statistics about groups that differ by few rows."
        }
        "inference" => {
            "Add an l_diversity or t_closeness model, or generalize the columns that predict the sensitive value."
        }
        "composition" => {
            "Do not give different recipients different generalizations of the same people; a ledger checks this."
        }
        _ => "",
    }
}

fn interval(rate: &Rate) -> String {
    limits(&percent(rate.low), &percent(rate.high))
}

/// Both limits with one sign of percent, so that a row fits beside its picture.
fn limits(low: &str, high: &str) -> String {
    format!("{} to {high}", low.trim_end_matches(['\u{202F}', '%']))
}

fn criterion(card: &Scorecard, score: &Score, number: u8) -> Html {
    let of: Vec<&Finding> = card.attacks.iter().filter(|found| found.criterion == score.criterion).collect();
    let (name, question) = in_words(score.criterion);
    let id = name.to_lowercase().replace(' ', "-");
    if of.is_empty() {
        let lead = markup!("{question} No attack of this kind could be run."; question);
        return section(number, &id, name, lead, Html::default());
    }
    let cell = |name: &str, text: String, note: String| markup!("<td data-name=\"{name}\" class=\"n\"><span>{text}<small>{note}</small></span></td>"; name, text, note);
    let row = |found: &&Finding| {
        let class = if found.succeeds() { "bad" } else { "quiet" };
        let verdict = if found.succeeds() { "succeeds" } else { "fails" };
        let risk = &found.risk;
        let limits = limits(&signed(risk.low), &signed(risk.high));
        markup!(
            "<tr><th scope=\"row\"><span class=\"n\">{}</span><small>{}</small></th>{}{}{}<td data-name=\"\"><span class=\"{class}\">{verdict}</span></td></tr>\n",
            found.attack,
            if found.detail() == "–" { String::new() } else { found.detail() },
            cell("Success", percent(found.success.rate), interval(&found.success)),
            cell("Control", percent(found.control.rate), interval(&found.control)),
            cell("Risk above control", signed(risk.value), limits);
            class, verdict
        )
    };
    let rows: Html = of.iter().map(row).collect();
    let head = Html::fixed(
        "<tr><th scope=\"col\">Attack</th><th scope=\"col\" class=\"n\">Success</th><th scope=\"col\" class=\"n\">Control</th>\
         <th scope=\"col\" class=\"n\">Risk</th><th scope=\"col\"></th></tr>",
    );
    let picture = rates(&of, &format!("{name}: success and control of every attack"));
    let means: Html = of
        .iter()
        .filter(|found| found.form.is_none_or(|form| form == "added"))
        .map(|found| {
            markup!(
                "<p><strong>{}</strong>: {} Control: {}.</p>\n",
                found.attack,
                found.means,
                found.control_is
            )
        })
        .collect();
    let table = table("fold", name, head, rows);
    let body = markup!(
        "<div class=\"beside\">{table}<figure>{picture}<figcaption>Upper dots are attacks, red if they succeed beyond chance; grey dots are \
         their controls. Lines are intervals at 95 %. The risk is that above the control.</figcaption></figure></div>\n<details><summary>What the attacks do</summary>\n{means}</details>\n";
        table, picture, means
    );
    section(number, &id, name, markup!("{question}"; question), body)
}

/// A share that may be negative; a negative one that rounds to 0 is 0.
fn signed(share: f64) -> String {
    if share >= 0.0 {
        percent(share)
    } else if share > -5e-5 {
        percent(0.0)
    } else if share > -0.01 {
        format!("−{:.2}\u{202F}%", -share * 100.0)
    } else {
        format!("−{:.1}\u{202F}%", -share * 100.0)
    }
}

fn attribution(card: &Scorecard) -> Html {
    if card.attribution.is_empty() {
        return Html::default();
    }
    let cell =
        |name: &str, text: String| markup!("<td data-name=\"{name}\" class=\"n\">{text}</td>"; name, text);
    let row = |found: &Attribution| {
        markup!(
            "<tr><th scope=\"row\">{}</th>{}{}{}{}</tr>\n",
            found.column,
            cell("CAP", decimal(found.cap)),
            cell("By the whole release", decimal(found.baseline)),
            cell("TCAP", if found.tcap.targets == 0 { "–".to_owned() } else { decimal(found.tcap.rate) }),
            cell("Targets in classes of one value", integer(found.tcap.targets))
        )
    };
    let rows: Html = card.attribution.iter().map(row).collect();
    let head = Html::fixed(
        "<tr><th scope=\"col\">Column</th><th scope=\"col\" class=\"n\">CAP</th><th scope=\"col\" class=\"n\">By the whole release</th>\
         <th scope=\"col\" class=\"n\">TCAP</th><th scope=\"col\" class=\"n\">Targets in classes of one value</th></tr>",
    );
    let lead = "CAP is the mean share of a person’s own value among the rows that can be theirs. TCAP looks only at people whose rows all \
                have one value: how often it is theirs.";
    section(5, "attribution", "Attribution", Html::fixed(lead), table("fold", "Attribution", head, rows))
}

fn skipped(card: &Scorecard) -> Html {
    if card.skipped.is_empty() {
        return Html::default();
    }
    let row = |skipped: &crate::Skipped| {
        markup!(
            "<tr><th scope=\"row\">{}</th><td data-name=\"Why\">{}</td></tr>\n",
            skipped.attack,
            skipped.reason
        )
    };
    let rows: Html = card.skipped.iter().map(row).collect();
    let head = Html::fixed("<tr><th scope=\"col\">Attack</th><th scope=\"col\">Why</th></tr>");
    let number = if card.attribution.is_empty() { 5 } else { 6 };
    section(
        number,
        "skipped",
        "Not run",
        Html::fixed("These attacks need a table that was not given."),
        table("fold", "Attacks that were not run", head, rows),
    )
}
