//! What every reader of the core must keep, whatever it is given. Each function is one fuzz target;
//! none may panic, and a panic of theirs is a finding.

#![forbid(unsafe_code)]

mod certificate;
mod hierarchy;
pub mod mutate;
mod policy;
mod xml;

pub use certificate::certificate;
pub use hierarchy::{hierarchy, hierarchy_spec};
pub use policy::policy;
pub use xml::xml;

/// A target.
pub type Target = fn(&[u8]);

/// All targets by the names of their folders under `seeds`.
pub const TARGETS: [(&str, Target); 5] = [
    ("policy", policy),
    ("hierarchy", hierarchy),
    ("hierarchy_spec", hierarchy_spec),
    ("certificate", certificate),
    ("xml", xml),
];
