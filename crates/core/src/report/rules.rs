//! The rules of a template as a table: what each requires, what satisfies it, and whether it holds.

use super::frame::table;
use super::markup::{Html, markup};
use crate::release::{RuleFacts, TemplateFacts};

/// The table of rules, with the title of the template.
pub(super) fn rules(template: &TemplateFacts) -> Html {
    let head = Html::fixed(
        "<tr><th scope=\"col\">Rule</th><th scope=\"col\">Requires</th><th scope=\"col\">Satisfied by</th>\
         <th scope=\"col\">Holds</th></tr>",
    );
    let caption = format!("Rules of {}", template.title);
    let rows: Html = template.rules.iter().map(row).collect();
    let source = markup!(
        "<p class=\"quiet\">Source: {}. The sentences are a summary; the source decides.</p>\n",
        template.source
    );
    Html::from_iter([table("stack rules", &caption, head, rows), source])
}

fn row(rule: &RuleFacts) -> Html {
    let (class, word) = match rule.holds {
        Some(true) => ("", "yes"),
        Some(false) => ("bad", "no"),
        None => ("quiet", "to be confirmed"),
    };
    markup!(
        "<tr><th scope=\"row\">{}<small>{}</small></th><td data-name=\"Requires\">{}</td>\
         <td data-name=\"By\">{}</td><td data-name=\"Holds\" class=\"{class}\">{word}</td></tr>\n",
        rule.rule,
        rule.cites,
        rule.requires,
        rule.satisfied_by;
        class, word
    )
}

/// A sentence for every rule that the policy does not satisfy.
pub fn broken_rules(template: &TemplateFacts) -> Vec<String> {
    let sentence = |rule: &RuleFacts| {
        format!("Rule {} of {} is not satisfied: {}.", rule.title(), template.title, rule.satisfied_by)
    };
    template.broken().map(sentence).collect()
}

/// How many rules are satisfied, in words.
pub fn rules_line(template: &TemplateFacts) -> String {
    let (satisfied, open) = template.counts();
    let all = template.rules.len() - open;
    let open = match open {
        0 => String::new(),
        1 => "; 1 has to be confirmed by the holder".to_owned(),
        open => format!("; {open} have to be confirmed by the holder"),
    };
    format!("{}: {satisfied} of {all} rules satisfied{open}", template.title)
}
