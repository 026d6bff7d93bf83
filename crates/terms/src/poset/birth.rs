//! Dates of birth [Katirai 2006, DateOfBirthPoset]: the day, else the month, else the year, else an
//! age band at a base date, else `*`.
//!
//! Cells are dates, as in Katirai's toolkit, so that software that expects a date continues to
//! work: the 15th stands for a month, 15 June for a year, and the birthday of a person in the
//! middle of a band for that band (half a year is six months; a day that a month lacks becomes its
//! last day). A cell is therefore ambiguous: the 15th may be a day or a month, 15 June a day, a
//! month or a year. Values may be written 1978-02-13, 19780213 or 2/13/1978 (month first); cells
//! are written 1978-02-13.
//!
//! Ages are whole years: a person born on the base date's day turns a year older on it; a person
//! born on 29 February does so in March. A band is then a span of birth dates, and so are a month
//! and a year: the earliest and the latest date determine the bound. A year may overlap two bands;
//! this changes nothing, because dates of one year never need their band. The measure is 0 for a
//! day, then ¼, ½, ¾ and 1. Joining compares two integers.

use chrono::{Datelike, Months, NaiveDate};

use super::{Birth, Common, Given, Kind};
use crate::error::{Error, Result};
use crate::fault;
use crate::hierarchy::TOP;
use crate::table::Code;

/// Nobody is older.
const OLDEST: u32 = 200;

/// A band of ages.
#[derive(Debug)]
struct Band {
    first: i64,
    last: i64,
    /// When somebody in its middle was born.
    middle: NaiveDate,
}

/// The dates of a column, and bands of ages.
#[derive(Debug)]
pub(super) struct Births {
    base: NaiveDate,
    bands: Vec<Band>,
    /// All dates in order.
    dates: Vec<NaiveDate>,
    /// Place of a date → its month, counted on, its year and the number of its band.
    parts: Vec<(i32, i32, u32)>,
    /// Value → place of its date.
    of: Vec<Code>,
}

/// What dates have in common.
enum Shared<'a> {
    Day(NaiveDate),
    Month(NaiveDate),
    Year(NaiveDate),
    Band(&'a Band),
    Nothing,
}

impl Births {
    pub(super) fn new(spec: &Birth, given: &Given<'_>) -> Result<Self> {
        let base = date(&spec.base);
        let unknown =
            fault!(Input, "poset.base-not-a-date", "`{value}` is not a date", value = spec.base).key("base");
        let unknown = unknown.help("write it as 2006-01-01");
        let base = base.ok_or(unknown)?;
        let bands = bands(base, &spec.ages)?;
        let read = given.read(date, |value| {
            fault!(
                Data,
                "poset.value-not-a-date",
                "`{value}` is not a date such as 1978-02-13, 19780213 or 2/13/1978",
                value = value
            )
        })?;
        let mut dates: Vec<NaiveDate> = read.iter().flatten().copied().collect();
        dates.sort_unstable();
        dates.dedup();
        let place = |date: &NaiveDate| dates.partition_point(|other| other < date) as Code;
        let of = read.iter().map(|date| date.as_ref().map_or(0, place)).collect();
        let mut births = Births { base, bands, dates, parts: Vec::new(), of };
        births.parts = births.dates.iter().map(|date| births.parts(*date)).collect();
        Ok(births)
    }

    /// What all dates from one to another have in common.
    fn shared(&self, low: Code, high: Code) -> Shared<'_> {
        let (a, b) = (self.dates[low as usize], self.dates[high as usize]);
        if a == b {
            return Shared::Day(a);
        }
        if a.year() == b.year() {
            return if a.month() == b.month() { Shared::Month(a) } else { Shared::Year(a) };
        }
        match (self.band(a), self.band(b)) {
            (Some(low), Some(high)) if low.first == high.first => Shared::Band(low),
            _ => Shared::Nothing,
        }
    }

    /// The written date; none if the cell carries no information.
    fn written(&self, common: &Common) -> Option<NaiveDate> {
        let Common::Between(low, high) = *common else { return None };
        match self.shared(low, high) {
            Shared::Day(date) => Some(date),
            Shared::Month(date) => Some(on(date, date.month(), 15)),
            Shared::Year(date) => Some(on(date, 6, 15)),
            Shared::Band(band) => Some(band.middle),
            Shared::Nothing => None,
        }
    }

    /// Whether a written date can stand for a date of birth: as the day, the month, the year or the
    /// band.
    fn can_mean(&self, cell: NaiveDate, born: NaiveDate) -> bool {
        let year = cell.year() == born.year();
        let age = age(born, self.base);
        cell == born
            || year && cell.month() == born.month() && cell.day() == 15
            || year && (cell.month(), cell.day()) == (6, 15)
            || self.bands.iter().any(|band| band.middle == cell && (band.first..=band.last).contains(&age))
    }

    /// Month, year and band of a date; a date in no band is in one of its own.
    fn parts(&self, date: NaiveDate) -> (i32, i32, u32) {
        let place = self.dates.partition_point(|other| *other < date) as u32;
        let age = age(date, self.base);
        let band = self.bands.iter().position(|band| (band.first..=band.last).contains(&age));
        let band = band.map_or(self.bands.len() as u32 + place, |band| band as u32);
        (date.year() * 12 + date.month0() as i32, date.year(), band)
    }

    /// The measure of what all dates from one place to another have in common.
    fn between(&self, low: Code, high: Code) -> f64 {
        if low == high {
            return 0.0;
        }
        let ((month, year, band), (last_month, last_year, last_band)) =
            (self.parts[low as usize], self.parts[high as usize]);
        match () {
            () if month == last_month => 0.25,
            () if year == last_year => 0.5,
            () if band == last_band => 0.75,
            () => 1.0,
        }
    }

    fn band(&self, born: NaiveDate) -> Option<&Band> {
        let age = age(born, self.base);
        self.bands.iter().find(|band| (band.first..=band.last).contains(&age))
    }
}

/// A date in any of the ways in which it may be written.
fn date(text: &str) -> Option<NaiveDate> {
    let digits = |part: &str, widths: std::ops::RangeInclusive<usize>| {
        let plain = widths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse::<u32>().ok()).flatten()
    };
    let text = text.trim();
    let (year, month, day) = if let Some((month, rest)) = text.split_once('/') {
        let (day, year) = rest.split_once('/')?;
        (digits(year, 4..=4)?, digits(month, 1..=2)?, digits(day, 1..=2)?)
    } else if let Some((year, rest)) = text.split_once('-') {
        let (month, day) = rest.split_once('-')?;
        (digits(year, 4..=4)?, digits(month, 2..=2)?, digits(day, 2..=2)?)
    } else {
        let all = digits(text, 8..=8)?;
        (all / 10_000, all / 100 % 100, all % 100)
    };
    NaiveDate::from_ymd_opt(year as i32, month, day)
}

/// Whole years from birth to a day; less than 0 before birth.
fn age(born: NaiveDate, at: NaiveDate) -> i64 {
    let before = (at.month(), at.day()) < (born.month(), born.day());
    i64::from(at.year()) - i64::from(born.year()) - i64::from(before)
}

fn bands(base: NaiveDate, ages: &[u32]) -> Result<Vec<Band>> {
    let mut bands = Vec::new();
    let mut first = 0u32;
    for &last in ages {
        let middle = base.checked_sub_months(Months::new(first.saturating_add(last).saturating_mul(6)));
        let wrong = match middle {
            _ if last > OLDEST => {
                Some(fault!(Input, "poset.age-too-high", "nobody is {age} years old", age = last))
            }
            _ if last < first => Some(fault!(
                Input,
                "poset.ages-do-not-rise",
                "age {age} does not follow age {previous}",
                age = last,
                previous = first.saturating_sub(1)
            )),
            Some(middle) => {
                bands.push(Band { first: first.into(), last: last.into(), middle });
                None
            }
            None => Some(fault!(
                Input,
                "poset.age-before-calendar",
                "nobody was born {age} years before the base",
                age = last
            )),
        };
        if let Some(fault) = wrong {
            let help = "list the last age of every band, rising: [5, 30, 50]";
            return Err(Error::from(fault.key("ages").help(help)));
        }
        first = last + 1;
    }
    Ok(bands)
}

fn on(date: NaiveDate, month: u32, day: u32) -> NaiveDate {
    // Every month has a 15th, so that there is always such a date.
    NaiveDate::from_ymd_opt(date.year(), month, day).unwrap_or(date)
}

impl Kind for Births {
    /// Band, year and month.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        let fields = |&value: &Code| {
            let (month, year, band) = self.parts[self.of[value as usize] as usize];
            // Dates in no band have that in common.
            let band = u64::from(band).min(self.bands.len() as u64);
            vec![vec![band], vec![year as u64], vec![month as u64]]
        };
        values.iter().map(fields).collect()
    }

    fn only(&self, value: Code) -> Common {
        let place = self.of[value as usize];
        Common::Between(place, place)
    }

    fn join(&self, common: &mut Common, value: Code) {
        let place = self.of[value as usize];
        if let Common::Between(low, high) = common {
            *common = Common::Between((*low).min(place), (*high).max(place));
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        let Common::Between(low, high) = *common else { return 1.0 };
        self.between(low, high)
    }

    fn with(&self, common: &Common, value: Code) -> f64 {
        let place = self.of[value as usize];
        match *common {
            Common::Between(low, high) => self.between(low.min(place), high.max(place)),
            _ => 1.0,
        }
    }

    fn number(&self, common: &Common) -> Option<u64> {
        Some(self.written(common).map_or(u64::MAX, |date| u64::from(date.num_days_from_ce().unsigned_abs())))
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        vec![self.written(common).map_or(TOP.into(), |date| date.format("%Y-%m-%d").to_string())]
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        let date = date(cell)?;
        Some(match (date.month(), date.day()) {
            _ if self.bands.iter().any(|band| band.middle == date) => 0.75,
            (6, 15) => 0.5,
            (_, 15) => 0.25,
            _ => 0.0,
        })
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        match (date(cell), date(value)) {
            (Some(cell), Some(born)) => self.can_mean(cell, born),
            _ => false,
        }
    }

    fn under(&self, cell: &str, values: &[Option<String>]) -> Vec<Code> {
        let Some(cell) = date(cell) else { return Vec::new() };
        let banded = self.bands.iter().any(|band| band.middle == cell);
        let near = |value: &usize| {
            let born = self.dates[self.of[*value] as usize];
            (banded || born.year() == cell.year()) && self.can_mean(cell, born)
        };
        let present = (0..values.len()).filter(|&value| values[value].is_some());
        present.filter(near).map(|value| value as Code).collect()
    }

    fn covered(&self, common: &Common, values: &[Option<String>]) -> Vec<Code> {
        let Some(cell) = self.written(common) else { return Vec::new() };
        let present = (0..values.len()).filter(|&value| values[value].is_some());
        let under = present.filter(|&value| self.can_mean(cell, self.dates[self.of[value] as usize]));
        under.map(|value| value as Code).collect()
    }
}
