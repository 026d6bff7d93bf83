//! Words among the *values* of a column, for columns whose name gives no clue: demographics,
//! opinions, illnesses, and categories that have an order.
//!
//! Only words of these lists decide, so nothing that a policy states about such a column was unknown
//! before. Costs one look-up per distinct value of a column with few values.

use super::conditions::CONDITION;
use super::names::{meaning, split};

/// What the values of a column show it to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    /// A fact that outsiders may know, and how a sentence names it.
    Known(&'static str),
    /// Illnesses.
    Illness,
    /// Answers on a scale of opinion.
    Opinion,
}

const KNOWN: [(&str, &str); 4] = [
    (
        "sexes",
        "m|f|w|d|x|male|female|man|woman|men|women|boy|girl|divers|diverse|nonbinary|mannlich|weiblich|homme|femme|hombre|mujer",
    ),
    (
        "family status",
        "single|married|divorced|separated|widowed|widow|widower|nevermarried|unmarried|cohabiting|partnered|ledig|\
         verheiratet|geschieden|verwitwet|getrennt|celibataire|marie|divorce|veuf|soltero|casado|divorciado|viudo|spouse",
    ),
    (
        "races or ethnic groups",
        "white|black|asian|hispanic|latino|caucasian|africanamerican|nativeamerican|americanindian|pacificislander|mixed|\
         multiracial|whitenonhispanic|blacknonhispanic|nonhispanic|indigenous",
    ),
    (
        "kinds of place",
        "urban|rural|suburban|city|town|village|countryside|stadt|land|stadtlich|landlich|metropolitan|nonmetropolitan",
    ),
];

/// Values that say nothing on their own beside the words of a list.
const BESIDE: &str = "other|others|unknown|none|sonstige|andere|notstated|prefernottosay|na";

/// Scales, each in its order; a value is compared by its letters and digits alone. A column follows
/// a scale if all its values are on it, at least three of them.
const SCALES: [(bool, &str); 15] = [
    (
        true,
        "strongly disagree|disagree|somewhat disagree|slightly disagree|neutral|neither|neither agree nor disagree|undecided|slightly agree|somewhat agree|agree|strongly agree",
    ),
    (true, "completely disagree|mostly disagree|partly agree|mostly agree|completely agree"),
    (
        true,
        "very dissatisfied|dissatisfied|somewhat dissatisfied|neutral|somewhat satisfied|satisfied|very satisfied",
    ),
    (true, "very unlikely|unlikely|neutral|likely|very likely"),
    (
        true,
        "stimme gar nicht zu|stimme nicht zu|stimme eher nicht zu|teils teils|stimme eher zu|stimme zu|stimme voll zu",
    ),
    (true, "sehr unzufrieden|unzufrieden|teils teils|zufrieden|sehr zufrieden"),
    (
        false,
        "never|almost never|hardly ever|rarely|seldom|sometimes|occasionally|often|usually|frequently|very often|almost always|always",
    ),
    (false, "nie|selten|manchmal|gelegentlich|oft|haufig|immer"),
    (
        false,
        "none|very low|low|lower|below average|medium|moderate|middle|average|above average|high|higher|very high",
    ),
    (false, "sehr niedrig|niedrig|gering|mittel|hoch|sehr hoch"),
    (false, "very poor|poor|fair|good|very good|excellent"),
    (false, "sehr schlecht|schlecht|mittelmassig|gut|sehr gut"),
    (false, "none|mild|moderate|severe|very severe|critical"),
    (false, "xs|s|m|l|xl|xxl|xxxl"),
    (false, "tiny|very small|small|medium|large|very large|huge"),
];

/// Ladders of education; several names of one step stand side by side.
const EDUCATION: &str = "\
     no schooling|none|kindergarten|preschool|elementary|primary|primary school|1st 4th|5th 6th|7th 8th|9th|10th|11th|12th|\
     some high school|less than high school|hs dropout|secondary|secondary school|high school|hs grad|hs graduate|\
     high school graduate|ged|some college|vocational|assoc voc|assoc acdm|associate|associates|associate degree|college|\
     college graduate|bachelor|bachelors|bachelor degree|bachelors degree|university|graduate|postgraduate|master|masters|\
     master degree|masters degree|prof school|professional|doctorate|phd|doctoral";

const EDUCATION_GERMAN: &str = "\
     kein abschluss|ohne abschluss|hauptschule|hauptschulabschluss|realschule|mittlere reife|fachhochschulreife|\
     fachabitur|abitur|ausbildung|lehre|meister|fachhochschule|bachelor|master|hochschule|universitat|diplom|promotion";

/// What the values show, if all are words of one list.
pub(super) fn shows(values: &[&str]) -> Option<Shows> {
    let plain: Vec<String> = values.iter().map(|v| split(v).concat()).collect();
    let beside = |v: &String| listed(BESIDE, v);
    for (label, list) in KNOWN {
        let told = plain.iter().filter(|v| listed(list, v)).count();
        if told >= 2 && plain.iter().all(|v| listed(list, v) || beside(v)) {
            return Some(Shows::Known(label));
        }
    }
    let mut opinions = SCALES.into_iter().filter(|(opinion, _)| *opinion);
    if values.len() >= 3 && opinions.any(|(_, scale)| place_all(scale, &plain).is_some()) {
        return Some(Shows::Opinion);
    }
    let ill = values.iter().filter(|v| meaning(v).word.is_some_and(|w| w.label == CONDITION)).count();
    (ill >= 2 && 2 * ill >= values.len()).then_some(Shows::Illness)
}

/// The values in their order, if they are on a scale, or ranges of numbers, or ordinals.
pub(super) fn in_order(values: &[&str]) -> Option<Vec<String>> {
    if values.len() < 3 {
        return None;
    }
    let plain: Vec<String> = values.iter().map(|v| split(v).concat()).collect();
    let scales = SCALES.iter().map(|(_, scale)| *scale).chain([EDUCATION, EDUCATION_GERMAN]);
    let places = scales.into_iter().find_map(|scale| place_all(scale, &plain));
    let places = places.map(|places| places.into_iter().map(|p| (p as f64, 0.0)).collect());
    let keys: Vec<(f64, f64)> = places.or_else(|| values.iter().map(|v| range(v)).collect())?;
    let mut sorted: Vec<(&(f64, f64), &&str)> = keys.iter().zip(values).collect();
    sorted.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)).then(a.1.cmp(b.1)));
    // Two values at one place have no order: M and m, or `0-4` and `0 - 4`.
    let distinct = sorted.windows(2).all(|pair| pair[0].0 != pair[1].0);
    distinct.then(|| sorted.into_iter().map(|(_, v)| (*v).to_owned()).collect())
}

fn listed(list: &str, value: &str) -> bool {
    list.split('|').any(|word| word == value)
}

/// The place of every value on a scale.
fn place_all(scale: &str, values: &[String]) -> Option<Vec<usize>> {
    let place = |v: &String| scale.split('|').position(|step| step.replace(' ', "") == *v);
    values.iter().map(place).collect()
}

/// A range of numbers by its ends: `0-4`, `10+`, `<= 18`, `under 5`, `65 and over`, `1st`,
/// `[20, 30)`.
fn range(value: &str) -> Option<(f64, f64)> {
    let text = value.trim().to_lowercase();
    let numbers = numbers(&text)?;
    let words: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let has = |signs: &str| signs.split('|').any(|sign| text.contains(sign));
    let unit = |words: &str| UNITS.split('|').any(|u| u == words);
    let bare = words.is_empty() || unit(&words);
    let below = has("<|≤") && bare || words_are(&words, "under|unter|below|bis|upto|lessthan|to");
    let above = has(">|≥|+") && bare
        || words_are(
            &words,
            "over|uber|above|andover|andolder|ormore|andmore|plus|older|undmehr|undalter|ab|morethan",
        );
    match numbers[..] {
        [high] if below => Some((f64::NEG_INFINITY, high)),
        [low] if above => Some((low, f64::INFINITY)),
        [place] if words_are(&words, "st|nd|rd|th") => Some((place, place)),
        [low, high] if low <= high && (bare || words_are(&words, "to|bis")) => Some((low, high)),
        _ => None,
    }
}

const UNITS: &str = "years|year|yrs|jahre|ans|k|kk|kg|cm|months|weeks|days";

/// Whether words are one of a list, units aside.
fn words_are(words: &str, list: &str) -> bool {
    let bare = UNITS
        .split('|')
        .fold(words.to_owned(), |rest, unit| if unit.len() > 2 { rest.replace(unit, "") } else { rest });
    list.split('|').any(|word| word == bare || word == words)
}

/// The one or two numbers of a text; none where there are more or none, or something that is
/// neither number nor the sign of a range.
fn numbers(text: &str) -> Option<Vec<f64>> {
    let signs = |c: char| c.is_alphabetic() || " -–—<>=≤≥+[](),/$€".contains(c);
    if !text.chars().all(|c| c.is_ascii_digit() || c == '.' || signs(c)) {
        return None;
    }
    let parts =
        text.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|p| p.contains(|c: char| c != '.'));
    let numbers: Vec<f64> = parts.map(|p| p.trim_end_matches('.').parse().ok()).collect::<Option<_>>()?;
    (1..=2).contains(&numbers.len()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_show_what_they_are() {
        for (values, shown) in [
            (&["m", "f"][..], Some(Shows::Known("sexes"))),
            (&["Male", "Female", "Other"], Some(Shows::Known("sexes"))),
            (&["männlich", "weiblich", "divers"], Some(Shows::Known("sexes"))),
            (&["Married", "Never-married", "Divorced"], Some(Shows::Known("family status"))),
            (&["White", "Black", "Other"], Some(Shows::Known("races or ethnic groups"))),
            (&["urban", "rural"], Some(Shows::Known("kinds of place"))),
            (&["Strongly agree", "agree", "Neutral", "disagree"], Some(Shows::Opinion)),
            (&["asthma", "diabetes type 2", "healthy"], Some(Shows::Illness)),
            (&["Asthma", "broken leg", "tired", "fine"], None),
            (&["other", "unknown"], None),
            (&["m", "q"], None),
            (&["yes", "no"], None),
        ] {
            assert_eq!(shows(values), shown, "{values:?}");
        }
    }

    #[test]
    fn categories_in_their_order() {
        for (values, order) in [
            (&["high", "low", "medium"][..], &["low", "medium", "high"][..]),
            (&["2nd", "1st", "3rd"], &["1st", "2nd", "3rd"]),
            (&["10+", "5-9", "0-4"], &["0-4", "5-9", "10+"]),
            (&["65 and over", "18-64", "under 18"], &["under 18", "18-64", "65 and over"]),
            (&["[20, 30)", "[0, 10)", "[10, 20)"], &["[0, 10)", "[10, 20)", "[20, 30)"]),
            (&["100-200", "20-99", "<20"], &["<20", "20-99", "100-200"]),
            (&["Strongly agree", "Agree", "Disagree"], &["Disagree", "Agree", "Strongly agree"]),
            (&["Masters", "Bachelors", "HS-grad", "11th"], &["11th", "HS-grad", "Bachelors", "Masters"]),
            (&["Abitur", "Hauptschule", "Promotion"], &["Hauptschule", "Abitur", "Promotion"]),
            (&["XL", "S", "M"], &["S", "M", "XL"]),
        ] {
            assert_eq!(
                in_order(values).as_deref(),
                Some(&order.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>()[..]),
                "{values:?}"
            );
        }
    }

    #[test]
    fn what_has_no_order() {
        for values in [
            &["low", "high"][..],
            &["red", "green", "blue"],
            &["low", "Low", "high"],
            &["0-4", "5-9", "x"],
            &["1", "2", "3"],
            &["A1", "B2", "C3"],
            &["2020-01-01", "2020-02-01", "2020-03-01"],
            &["1 of 2 in 3", "4", "5"],
        ] {
            assert_eq!(in_order(values), None, "{values:?}");
        }
    }
}
