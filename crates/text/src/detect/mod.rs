//! Detectors: each looks for one kind of thing and proposes spans with certainties.
//!
//! A detector visits only the indexes of its interest and looks a bounded number of tokens around
//! them, so that all are linear in the size of the text. To add one: a file with `impl Detector`
//! and a line in [`ALL`].

mod account;
mod address;
mod age;
mod aside;
mod body;
mod checks;
mod city;
mod club;
mod country;
mod date;
mod date_partial;
mod date_words;
mod device;
mod email;
mod employer;
mod famous;
mod institution;
mod ip;
mod letterhead;
mod licence;
mod lower;
mod names;
mod national;
mod number;
mod occupation;
mod organization;
mod person;
mod phone;
mod places;
mod postal;
mod record;
mod room;
mod rules;
mod school;
mod state;
mod street;
mod table;
mod tails;
mod team;
mod town;
mod url;
mod user;
mod vehicle;
mod ward;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod tests;

pub use date::Calendar;
pub(crate) use date::{Written as WrittenDate, all as dates_in, numeric, parse as parse_date, three_numbers};
pub(crate) use date_partial::Style as DateStyle;
pub use names::Nameness;
pub(crate) use names::{is_name, judge, looks_medical};
pub(crate) use number::is_date_like;
pub(crate) use person::named_after;
pub(crate) use places::longest_phrase;
pub use rules::Rules;
pub(crate) use rules::{SETS, of_code, of_run};
pub use user::UserDetector;

use crate::candidates::Candidates;
use crate::document::Document;

/// Looks for one kind of thing.
pub trait Detector: Sync {
    /// The name in reports.
    fn name(&self) -> &'static str;

    /// Proposes spans that start from the window of a document.
    fn detect(&self, document: &Document<'_>, found: &mut Candidates);
}

/// All detectors that need no settings.
pub static ALL: [&dyn Detector; 25] = [
    &person::Person,
    &institution::Institution,
    &ward::Ward,
    &room::Room,
    &employer::Employer,
    &school::School,
    &team::Team,
    &street::Street,
    &city::City,
    &state::State,
    &country::Country,
    &postal::Postal,
    &phone::Phone,
    &email::Email,
    &url::Url,
    &ip::Ip,
    &record::Record,
    &account::Account,
    &licence::Licence,
    &device::Device,
    &vehicle::Vehicle,
    &national::National,
    &age::Age,
    &table::Table,
    &occupation::Occupation,
];
