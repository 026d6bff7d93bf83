//! What a level of a hierarchy is, in words: "decade of birth", "10-year intervals".
//!
//! The words follow from the builder and its parameters. The name of the column adds what the
//! parameters do not know: a date is of birth, the intervals of an age are years. Costs nothing
//! that depends on the table.

use super::{Date, End, Intervals, Mask, Spec};

/// What level `level` of a hierarchy of this height is, for a column of this name.
///
/// `level 2 of 4` where the builder does not say more, as for levels of a file.
pub fn level_name(spec: &Spec, column: &str, level: usize, height: usize) -> String {
    if level == 0 {
        return "exact value".into();
    }
    if level >= height {
        return "suppressed".into();
    }
    let named = match spec {
        Spec::Intervals(spec) => intervals(spec, column, level),
        Spec::Date(spec) => period(spec, column, level),
        Spec::Mask(spec) => Some(masked(spec, level)),
        Spec::Postal(spec) => spec.keep.get(level - 1).map(|&kept| first_characters(kept)),
        Spec::Priority(spec) => {
            spec.keep.get(level - 1).map(|&kept| format!("{} or {}", most_frequent(kept), spec.other))
        }
        Spec::Order(spec) => (level <= spec.fanout.len()).then(|| {
            let size = spec.fanout[..level].iter().fold(1, |size: usize, &more| size.saturating_mul(more));
            format!("groups of {size} values")
        }),
        Spec::Icd9 | Spec::Icd10 => {
            ["category", "block", "chapter"].get(level - 1).map(|part| format!("ICD {part}"))
        }
        Spec::Zip3(_) => [3, 2, 1].get(level - 1).map(|&kept| first_characters(kept)),
        Spec::File(_) | Spec::Suppress | Spec::Poset(_) => None,
    };
    named.unwrap_or_else(|| format!("level {level} of {height}"))
}

/// All levels of a hierarchy of this height, from the exact value to the top.
pub fn level_names(spec: &Spec, column: &str, height: usize) -> Vec<String> {
    (0..=height).map(|level| level_name(spec, column, level, height)).collect()
}

fn intervals(spec: &Intervals, column: &str, level: usize) -> Option<String> {
    if let Some(bounds) = spec.bounds.get(level - 1) {
        return Some(match &bounds[..] {
            few if few.len() <= 5 => {
                let few: Vec<String> = few.iter().map(f64::to_string).collect();
                format!("intervals with bounds at {}", few.join(", "))
            }
            many => format!("intervals with {} bounds", many.len()),
        });
    }
    let width = spec.widths.get(level - 1)?;
    Some(match has_word(column, &["age", "ages", "alter"]) {
        true => format!("{width}-year intervals"),
        false => format!("intervals of {width}"),
    })
}

fn period(spec: &Date, column: &str, level: usize) -> Option<String> {
    let name = spec.levels.get(level - 1)?;
    let period = match name.split_once('-') {
        None => name.clone(),
        Some(("1", unit)) => unit.to_owned(),
        Some(("10", "year")) => "decade".to_owned(),
        Some((n, unit)) => format!("{n}-{unit} period"),
    };
    let birth = has_word(column, &["birth", "birthdate", "birthday", "born", "dob", "geburtsdatum"]);
    Some(if birth { format!("{period} of birth") } else { period })
}

fn masked(spec: &Mask, level: usize) -> String {
    let end = match spec.from {
        End::Left => "first",
        End::Right => "last",
    };
    match level.saturating_mul(spec.step) {
        1 => format!("{end} character hidden"),
        n => format!("{end} {n} characters hidden"),
    }
}

fn first_characters(kept: usize) -> String {
    match kept {
        1 => "first character".into(),
        n => format!("first {n} characters"),
    }
}

fn most_frequent(kept: usize) -> String {
    match kept {
        1 => "most frequent value".into(),
        n => format!("{n} most frequent values"),
    }
}

/// Whether one of the words is in a name such as `age_at_admission`, `PatientAge` or `date of birth`.
fn has_word(name: &str, words: &[&str]) -> bool {
    let mut parts: Vec<String> = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphabetic() || (c.is_uppercase() && lower) {
            parts.push(String::new());
        }
        lower = c.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphabetic()) {
            part.extend(c.to_lowercase());
        }
    }
    parts.iter().any(|part| words.contains(&part.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(spec: &str, column: &str, height: usize) -> Vec<String> {
        #[derive(serde::Deserialize)]
        struct Parsed {
            hierarchy: Spec,
        }
        let parsed: Parsed = toml::from_str(&format!("hierarchy = {spec}")).unwrap();
        level_names(&parsed.hierarchy, column, height)
    }

    #[test]
    fn levels_are_named_by_what_they_are() {
        let dates = "{ date = { levels = [\"month\", \"quarter\", \"year\", \"5-year\", \"10-year\"] } }";
        assert_eq!(
            names(dates, "birth_date", 6),
            [
                "exact value",
                "month of birth",
                "quarter of birth",
                "year of birth",
                "5-year period of birth",
                "decade of birth",
                "suppressed"
            ]
        );
        assert_eq!(names(dates, "admitted", 6)[5], "decade");
        let widths = "{ intervals = { widths = [5, 10, 2.5] } }";
        assert_eq!(
            names(widths, "age", 4)[1..4],
            ["5-year intervals", "10-year intervals", "2.5-year intervals"]
        );
        assert_eq!(names(widths, "PatientAge", 4)[1], "5-year intervals");
        assert_eq!(names(widths, "wage", 4)[1], "intervals of 5");
        let bounds = "{ intervals = { bounds = [[0, 18, 65], [0, 1, 2, 3, 4, 5]] } }";
        assert_eq!(
            names(bounds, "age", 3)[1..3],
            ["intervals with bounds at 0, 18, 65", "intervals with 6 bounds"]
        );
        assert_eq!(
            names("{ postal = { keep = [3, 1] } }", "zip", 3)[1..3],
            ["first 3 characters", "first character"]
        );
        let mask = "{ mask = { from = \"right\", step = 1 } }";
        assert_eq!(names(mask, "zip", 5)[1..3], ["last character hidden", "last 2 characters hidden"]);
        let mask = "{ mask = { from = \"left\", step = 2 } }";
        assert_eq!(names(mask, "zip", 5)[1], "first 2 characters hidden");
        assert_eq!(
            names("{ order = { fanout = [3, 2] } }", "size", 3)[1..3],
            ["groups of 3 values", "groups of 6 values"]
        );
        assert_eq!(
            names("{ priority = { keep = [20, 1], other = \"rest\" } }", "town", 3)[1..3],
            ["20 most frequent values or rest", "most frequent value or rest"]
        );
        assert_eq!(names("\"icd10\"", "diagnosis", 4)[1..4], ["ICD category", "ICD block", "ICD chapter"]);
        assert_eq!(names("{ file = \"sex.csv\" }", "sex", 3)[1..3], ["level 1 of 3", "level 2 of 3"]);
        assert_eq!(names("\"suppress\"", "sex", 1), ["exact value", "suppressed"]);
    }

    /// Missing values and a level that is put on top make a hierarchy higher than its parameters.
    #[test]
    fn levels_beyond_the_parameters_have_a_number() {
        assert_eq!(names("{ postal = { keep = [3] } }", "zip", 4)[2..4], ["level 2 of 4", "level 3 of 4"]);
        assert_eq!(names("{ order = { fanout = [3] } }", "size", 4)[2], "level 2 of 4");
    }
}
