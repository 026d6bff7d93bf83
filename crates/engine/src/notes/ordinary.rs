//! Words that resemble a value by chance, or that many values have: they are not suppressed because
//! a value of the row is similar. The verifier has lists of its own; a test compares.

/// Frequent words of four to nine letters.
pub(super) const ORDINARY: &str = "\
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

/// Words of addresses, institutions and titles.
const PARTS: &str = "\
    and apartment apt ave avenue blvd boulevard box center centre city clinic com county court \
    department der des die drive east floor for general gmail hospital house http https inc \
    lane llc ltd mail medical miss mrs net north number org patient place road room school \
    south square state street suite the unit university von ward way west www";

/// Units of doses and measurements.
const UNITS: &str = "\
    amp bpm breaths caps capsules cc cells db dl drops g gm gram grams iu kcal kpa l lpm mcg \
    meq mg mgs micrograms milligrams min mins minutes ml mls mm mmhg mmol mol mosm msec ng \
    percent pg puffs tabs tablets u umol units μg μmol";

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|other| other == word)
}

pub(super) fn is_ordinary(word: &str) -> bool {
    has(ORDINARY, word)
}

pub(super) fn is_part_of_names(word: &str) -> bool {
    has(PARTS, word)
}

pub(super) fn is_unit(word: &str) -> bool {
    has(UNITS, word) || word == "µg" || word == "µmol"
}
