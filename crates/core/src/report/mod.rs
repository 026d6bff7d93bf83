//! The report of a release: what was done, what risk is left, what was lost, for a person to read.
//!
//! [`facts`] is plain data that any edge can render or write as JSON; [`html()`] renders it as one
//! page that needs nothing besides itself: no script, no network, no font. Costs by columns and
//! bars, never by rows.

mod assessed;
mod bars;
mod charts;
mod collect;
mod collect_bounds;
mod collect_statistics;
mod comparison;
mod evaluated;
mod explored;
pub mod facts;
mod hasse;
pub mod html;
mod lines;
mod network;
mod pair_sums;
mod prepared;
mod protection;
mod rules;
mod scatter;
mod sections;
mod statement;
mod suggested;
mod utility;
mod words;

use throng_terms::page::{frame, markup, svg, text};

mod scrubbed;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

pub use assessed::risk_page;
pub use collect::{Subject, collect};
pub use comparison::{comparison_page, plots};
pub use evaluated::evaluated_page;
pub use explored::explored_page;
pub use facts::Facts;
pub use html::html;
pub use network::network_picture;
pub use prepared::preparation_lines;
pub use protection::{Protection, State};
pub use rules::{broken_rules, rules_line};
pub use scrubbed::scrubbed_lines;
pub use statement::statement;
pub use suggested::{policy_comparison_page, policy_comparison_picture, suggested_page};
