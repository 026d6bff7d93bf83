//! What every reader of the core, the text crate and the documents crate must keep, whatever it is given. Each function
//! is one fuzz target; none may panic, and a panic of theirs is a finding.

#![forbid(unsafe_code)]

mod certificate;
mod documents;
mod hierarchy;
pub mod mutate;
mod policy;
mod text;
mod xml;

pub use certificate::certificate;
pub use documents::{fhir, hl7, html, rtf};
pub use hierarchy::{hierarchy, hierarchy_spec};
pub use policy::policy;
pub use text::{text, text_row};
pub use xml::xml;

/// A target.
pub type Target = fn(&[u8]);

/// All targets by the names of their folders under `seeds`.
pub const TARGETS: [(&str, Target); 11] = [
    ("policy", policy),
    ("hierarchy", hierarchy),
    ("hierarchy_spec", hierarchy_spec),
    ("certificate", certificate),
    ("xml", xml),
    ("text", text),
    ("text_row", text_row),
    ("html", html),
    ("rtf", rtf),
    ("hl7", hl7),
    ("fhir", fhir),
];
