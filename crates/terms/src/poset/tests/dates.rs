//! Dates of birth: Katirai's figure 8, and all against a second definition.

use chrono::{Datelike, Days, NaiveDate};
use proptest::sample::Index;

use super::*;

const FIVES: &str = "{ birth = { base = \"2006-05-11\", ages = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50] } }";

/// [Katirai 2006], figure 8. He prints the band of D and E as [25, 30]; by his list of ages it is
/// [26, 30], in whose middle are 28 years.
#[test]
fn dates_as_k_prints_them() {
    let dates =
        poset(FIVES, &["2/13/1978", "19780213", "19780201", "19781113", "19791013", "1960-01-01", ""]);
    let [a, b, c, d, e, old, missing] = [0, 1, 2, 3, 4, 5, 6];
    assert_eq!(lub(&dates, &[a, b]), ["1978-02-13"]);
    assert_eq!(lub(&dates, &[c, a]), ["1978-02-15"]);
    assert_eq!(lub(&dates, &[a, d]), ["1978-06-15"]);
    assert_eq!(lub(&dates, &[d, e]), ["1978-05-11"], "27 and 26 years old: [26, 30]");
    assert_eq!(lub(&dates, &[a, b, c, d, e]), ["1978-05-11"]);
    assert_eq!(lub(&dates, &[d, old]), ["*"]);
    assert_eq!(lub(&dates, &[d, missing]), ["*"]);
    let measures = [(a, b), (c, a), (a, d), (d, e), (d, old)].map(|(x, y)| dates.pair(x, y));
    assert_eq!(measures, [0.0, 0.25, 0.5, 0.75, 1.0]);
}

/// [Katirai 2006], example 7: bands [0, 5], [6, 30], … at 1 January 2006; half years are six
/// months.
#[test]
fn bands_have_middles() {
    let spec = "{ birth = { base = \"20060101\", ages = [5, 30, 50, 70, 90] } }";
    let dates = poset(
        spec,
        &[
            "2005-12-31",
            "2000-01-02",
            "2000-01-01",
            "1999-12-31",
            "1975-01-02",
            "2007-03-01",
            "2006-02-01",
            "1915-01-01",
            "1914-01-01",
        ],
    );
    assert_eq!(lub(&dates, &[0, 1]), ["2003-07-01"], "half of 0 + 5 years");
    assert_eq!(lub(&dates, &[3, 4]), ["1988-01-01"], "half of 6 + 30 years");
    assert_eq!(lub(&dates, &[2, 3]), ["1988-01-01"], "six on the base date");
    assert_eq!(lub(&dates, &[1, 2]), ["2000-01-15"], "one month, two bands");
    assert_eq!(lub(&dates, &[0, 2]), ["*"], "two years, two bands");
    assert_eq!(lub(&dates, &[1, 2, 3]), ["*"], "a year across two bands is no part of either");
    assert_eq!(lub(&dates, &[5, 6]), ["*"], "not yet born");
    assert_eq!(lub(&dates, &[7, 8]), ["*"], "too old for any band");
    assert!(
        dates.covers(Some("1988-01-01"), Some("1/1/1990"))
            && !dates.covers(Some("1988-01-01"), Some("1/1/1974"))
    );
    assert!(
        dates.covers(Some("1978-06-15"), Some("19780101"))
            && !dates.covers(Some("1978-06-16"), Some("19780101"))
    );
}

#[test]
fn what_is_no_date_is_refused() {
    for wrong in [
        "1978-2-13",
        "13/2/1978",
        "2/29/1978",
        "1978",
        "197802131",
        "2/13/78",
        "+1978-02-13",
        "1978-02-13T00",
        "*",
    ] {
        let text = refused(FIVES, &[wrong], "");
        assert!(text.contains(&format!("`{wrong}` is not a date")), "{text}");
    }
    let spec = |base: &str, ages: &str| {
        refused(&format!("{{ birth = {{ base = \"{base}\", ages = {ages} }} }}"), &[], "")
    };
    assert!(spec("tomorrow", "[5]").contains("base: `tomorrow` is not a date"));
    assert!(spec("2006-01-01", "[5, 5]").contains("ages: age 5 does not follow age 5"));
    assert!(spec("2006-01-01", "[5, 300]").contains("ages: nobody is 300 years old"));
}

/// The kinds of cells by sets of dates, each as a question: (measure, its text, whether a date is
/// in it).
fn cells_of(dates: &[NaiveDate], base: NaiveDate, ages: &[u32]) -> Vec<(f64, String, Vec<bool>)> {
    let mut cells = vec![(1.0, "*".to_owned(), vec![true; dates.len()])];
    let mut first = 0;
    for &last in ages {
        // Who is of an age has had that birthday, and not the next one.
        let aged = |date: &NaiveDate| {
            let birthday = |age: u32| (date.year() + age as i32, date.month(), date.day());
            let base = (base.year(), base.month(), base.day());
            birthday(first) <= base && birthday(last + 1) > base
        };
        let middle = base - chrono::Months::new((first + last) * 6);
        cells.push((0.75, middle.to_string(), dates.iter().map(aged).collect()));
        first = last + 1;
    }
    for date in dates {
        let (year, month) = (date.year(), date.month());
        let within = |test: &dyn Fn(&NaiveDate) -> bool| dates.iter().map(test).collect::<Vec<bool>>();
        cells.push((0.0, date.to_string(), within(&|d| d == date)));
        cells.push((
            0.25,
            format!("{year:04}-{month:02}-15"),
            within(&|d| (d.year(), d.month()) == (year, month)),
        ));
        cells.push((0.5, format!("{year:04}-06-15"), within(&|d| d.year() == year)));
    }
    cells
}

proptest! {
    #[test]
    fn dates_keep_the_laws_and_are_least(
        start in 0..20_000u64,
        days in proptest::collection::vec(prop_oneof![0..5u64, 0..40u64, 0..400u64, 0..9_000u64], 1..8),
        base in 0..30_000u64,
        widths in proptest::collection::vec(1..12u32, 0..6),
        picked in proptest::collection::vec(any::<Index>(), 1..5),
    ) {
        let epoch = NaiveDate::from_ymd_opt(1930, 1, 1).unwrap();
        let base = epoch + Days::new(base);
        let ages: Vec<u32> = widths.iter().scan(0, |last, width| { *last += width; Some(*last) }).collect();
        let dates: Vec<NaiveDate> = days.iter().map(|day| epoch + Days::new(start + day)).collect();
        let texts: Vec<String> = dates.iter().enumerate().map(|(at, date)| match at % 3 {
            0 => date.format("%Y%m%d").to_string(),
            1 => date.format("%-m/%-d/%Y").to_string(),
            _ => date.to_string(),
        }).collect();
        let poset = poset(&format!("{{ birth = {{ base = \"{base}\", ages = {ages:?} }} }}"), &texts.iter().map(String::as_str).collect::<Vec<_>>());
        let values: Vec<Code> = picked.iter().map(|at| at.index(texts.len()) as Code).collect();
        laws(&poset, &values)?;
        let all = |within: &Vec<bool>| values.iter().all(|&value| within[value as usize]);
        let cells = cells_of(&dates, base, &ages);
        let least = cells.iter().filter(|cell| all(&cell.2)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        prop_assert_eq!(poset.measure(&joined(&poset, &values)), least.0);
        prop_assert_eq!(lub(&poset, &values), [least.1.clone()]);
        // A written date covers just what some cell of this text is true of.
        for (_, text, _) in &cells {
            for (at, value) in texts.iter().enumerate() {
                let meant = cells.iter().any(|(_, other, within)| other == text && within[at]);
                prop_assert_eq!(poset.covers(Some(text), Some(value)), meant, "{} of {}", text, value);
            }
        }
    }
}
