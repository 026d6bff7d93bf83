//! Words that are not evidence by themselves: ordinary words that resemble a value by chance, words
//! of addresses and institutions, units.

/// Words of values with several words that name nobody by themselves.
const GENERIC: &str = "\
    and apartment apt ave avenue blvd boulevard box center centre city clinic com county court \
    department der des die drive east floor for general gmail hospital house http https inc \
    lane llc ltd mail medical miss mrs net north number org patient place road room school \
    south square state street suite the unit university von ward way west www";

/// Frequent words of four to nine letters. A word of a text that is one of these resembles a value
/// by chance, unless it is equal to it.
const COMMON: &str = "\
    able abdomen about above acute admitted after again against agree ahead allow almost alone \
    along alert also although always among another anti appears arms around arrived asked \
    awake aware away back based because become before began begin being believe below best \
    better between blood both brain breast breath brought call called came cannot care cause \
    caused change changes check chest chronic clear clinical close cold come common complete \
    continue control cough could count course cover daily date days death denies describes \
    despite developed diet different does doing done dose down drink drug drugs during each \
    early eight either else enough even every exam except eyes face family feel feels felt \
    fever field final find fine first five fluid follow foot form found four free from full \
    gave give given going good great green group hand hands have having head health hear heart \
    held help hence here high history home hours however human into issue just keep kept \
    kidney kind knee know known large last late later least leave left legs less level levels \
    life like likely limit little liver living local long look lower lungs made major make \
    male many marked mass matter meals mean means meet might mild mind minor month months more \
    morning most much must name near neck need needed never next night nine none normal noted \
    nothing often once only onset open oral order other others over pain part past place plan \
    point poor post present prior pulse quite rate rather ready really reason recent rest \
    result results right round same says seem seems seen sense seven several severe shall \
    short should shows showed side since skin sleep small some soon speak stable stage start \
    started state stated states status still stop stopped strong such sure surgery take taken \
    taking talk tell test tests than that their them then there these they thick thing think \
    third this those though three through time times today together told took total toward \
    treat treated trial twice under units until upon upper urine used using usual very visit \
    vital walk walking want wants ward water week weeks weight well went were what when where \
    whether which while white whole whom whose will with within without work working worse \
    would wound wrist year years young your";

/// Units of doses and measurements: the number before them is not an age or another value of the
/// row.
const UNITS: &str = "\
    amp bpm breaths caps capsules cc cells db dl drops g gm gram grams iu kcal kpa l lpm mcg \
    meq mg mgs micrograms milligrams min mins minutes ml mls mm mmhg mmol mol mosm msec ng \
    percent pg puffs tabs tablets u umol units μg μmol";

/// What follows an age.
const AFTER_AGE: &str = "\
    anos ans anni jahre jahrige jahriger y year years yo yr yrs";

/// What precedes an age.
const BEFORE_AGE: &str = "\
    age aged alter edad";

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

pub(super) fn is_generic(word: &str) -> bool {
    has(GENERIC, word)
}

pub(super) fn is_common(word: &str) -> bool {
    has(COMMON, word)
}

pub(super) fn is_unit(word: &str) -> bool {
    has(UNITS, word) || word == "µg" || word == "µmol"
}

pub(super) fn is_after_age(word: &str) -> bool {
    has(AFTER_AGE, word)
}

pub(super) fn is_before_age(word: &str) -> bool {
    has(BEFORE_AGE, word)
}

/// Frequent words, which do not count if they differ from a word of a value by one edit.
pub fn common_words() -> impl Iterator<Item = &'static str> {
    COMMON.split(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_words_of_their_lengths() {
        let plain = |word: &str| (4..=9).contains(&word.len()) && word.chars().all(char::is_lowercase);
        assert!(common_words().all(plain) && GENERIC.split(' ').all(|word| !word.is_empty()));
        assert!(is_generic("street") && !is_generic("townsend") && is_common("while") && is_unit("mg"));
    }
}
