//! Pages for people: what all pages of the program share.
//!
//! [`markup`] makes HTML that is safe by its type, [`frame`] has the head, the style sheet and the
//! parts of a page, [`svg`] draws small pictures, [`text`] writes numbers and names. A page needs
//! nothing besides itself: no script, no network, no font. Costs one copy of the text.

pub mod text;
pub mod markup;
pub mod svg;
pub mod frame;

/// The style of a picture that is a file of its own.
pub const PICTURE_STYLE: &str = concat!(include_str!("colours.css"), include_str!("plot.css"));
