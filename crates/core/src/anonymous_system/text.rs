//! The verdicts and counts as text for the terminal.

use std::fmt::Write;

use super::{Adherence, Protection};

/// What was found, as text.
pub fn text(found: &Protection) -> String {
    let mut text = String::new();
    let (entities, tuples) = (&found.entities, &found.tuples);
    let subjects = entities.subjects.map(|subjects| format!("{subjects} subjects, "));
    let subjects = subjects.unwrap_or_default();
    let _ = writeln!(
        text,
        "{} tuples; {subjects}{} people in the population, {} known to outsiders",
        tuples.released, entities.population, entities.external
    );
    let _ = writeln!(text, "\nprotection");
    let verdict = |holds: Option<bool>| match holds {
        Some(true) => "holds",
        Some(false) => "DOES NOT HOLD",
        None => "is not known",
    };
    let _ = writeln!(text, "  ADS0       {}", verdict(found.ads0.holds));
    let model = |model: &Adherence| {
        let reason = model.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let rows = if model.violations > 0 { format!(" ({})", model.violations) } else { String::new() };
        format!("{}{reason}{rows}", verdict(model.holds))
    };
    let _ = writeln!(text, "  null-map   {}", model(&found.null_map));
    let _ = writeln!(text, "  wrong-map  {}", model(&found.wrong_map));
    let least = tuples.least.map_or_else(|| "no tuples".to_owned(), |least| least.to_string());
    let _ = writeln!(text, "  k-map      {}; least {least}, required {}", model(&found.k_map), found.k);
    let _ = writeln!(text, "\nproperties of an ADS0");
    for (number, property) in &found.ads0.properties {
        let _ = write!(text, "  {number}  {}: ", property.means);
        let _ = match property.holds {
            true => write!(text, "holds"),
            false => write!(text, "{} violations", property.violations),
        };
        let columns = property.columns.join(", ");
        let _ = writeln!(text, "{}{columns}", if columns.is_empty() { "" } else { ": " });
    }
    let _ = writeln!(text, "\ntuples that map to");
    let rows = [
        ("nobody", Some(tuples.nobody)),
        ("no subject", tuples.no_subject),
        ("wrong people only", tuples.wrong_only),
        ("one entity", Some(tuples.unique)),
        ("one entity, their subject", tuples.unique_and_correct),
        ("fewer than k entities", Some(tuples.fewer_than_k)),
    ];
    for (name, rows) in rows {
        let rows = rows.map_or_else(|| "not known".to_owned(), |rows| rows.to_string());
        let _ = writeln!(text, "  {name:<25}  {rows}");
    }
    text
}
