//! Statistics of released cells: what a recipient can compute, with bounds that hold for the
//! original.
//!
//! A released cell is an interval, a set, a mask, a label of a hierarchy or `*`. Every original
//! that fits the cells has some mean, variance or correlation, and a recipient cannot know which
//! original is the true one. So every statistic is a low and a high between which it lies, for
//! whatever original [Xiang 2014, 3; Ferson 2007]. [`Bounds::exact`] says whether the bounds are
//! sharp or a guaranteed enclosure, and every operation rounds outward, so that a bound never
//! excludes the true value. Estimates that assume something about the values within a cell are kept
//! apart from bounds.
//!
//! ```
//! use throng_statistics::{Divisor, Intervals, mean, median, variance};
//!
//! let ages = Intervals::new(&[(20.0, 29.0), (30.0, 39.0), (30.0, 39.0), (40.0, 40.0)])?;
//! assert_eq!((mean(&ages).low, mean(&ages).high), (30.0, 36.75));
//! assert_eq!((median(&ages).low, median(&ages).high), (30.0, 39.0));
//! assert!(variance(&ages, Divisor::Sample).exact);
//! # Ok::<(), throng_terms::error::Error>(())
//! ```
//!
//! Modules are listed in reading order. The crate depends on the vocabulary alone: recipients use
//! it without any code that decides about releases. Nothing here opens a file, reads the clock or
//! draws an unseeded number.

#![forbid(unsafe_code)]

pub mod rounding;
mod elementary;
mod bounds;
mod data;
mod means;
mod quantiles;
mod variance;
mod moments;
mod pairs;
mod counted;
mod ranks;
mod comparison;
mod contingency;
mod regression;
mod estimates;
pub mod imputation;
mod periods;
pub mod cells;
pub mod table;
pub mod report;
mod text;
#[cfg(test)]
mod properties;

pub use bounds::Bounds;
pub use comparison::{Comparison, compare};
pub use contingency::{CATEGORIES, Contingency, contingency};
pub use counted::{Counted, CountedPairs};
pub use data::{Intervals, Span};
pub use estimates::{Distribution, Estimate, Imputations, Pooled, em, impute, uniform};
pub use means::{geometric_mean, harmonic_mean, mean};
pub use moments::{Shape, confidence_limits, shape};
pub use pairs::{Pairs, correlation, covariance};
pub use periods::date;
pub use quantiles::{Outline, PBox, interquartile_range, median, quantile};
pub use ranks::{kendall, ranks, spearman};
pub use regression::{Link, Regression, regress};
pub use text::{cross_text, page, pbox_svg, text};
pub use variance::{Divisor, Spread, standard_deviation, variance};
