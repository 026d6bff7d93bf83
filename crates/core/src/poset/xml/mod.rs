//! The configuration of K's toolkit: Hierarchy.xml, which declares posets, and Columns.xml, which binds them to the columns of a table; read and turned into
//! a policy (K, "Configuration Files", examples 2 to 11).
//!
//! K prints the elements of Hierarchy.xml and not what is around them. So an element that is no poset may hold some: then it is a namespace, with the
//! name in its `Name`, or `Default` without one. Poset elements may also stand alone, as in his examples.
//!
//! Reading costs one pass over the texts. Everything that is wrong is found before anything is returned.

mod columns;
mod policy;
mod posets;
mod text;

pub use policy::{Converted, convert};

use crate::error::{Fault, nearest};
use text::Element;

/// A text with the name of its file.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// What faults call the file.
    pub file: &'a str,
    /// What is in it.
    pub text: &'a str,
}

/// The name of the namespace that is not named.
const DEFAULT: &str = "Default";

/// The attributes of an element that may have these, of which the first `needed` must be there.
struct Attributes<'a> {
    element: &'a Element,
}

impl<'a> Attributes<'a> {
    fn new(element: &'a Element, known: &[&str], needed: usize, faults: &mut Vec<Fault>) -> Self {
        for attribute in &element.attributes {
            let name = attribute.name.as_str();
            if known.contains(&name) || name.starts_with("xmlns") || name.contains(':') {
                continue;
            }
            let help = nearest(name, known.iter().copied()).map_or_else(
                || format!("it may have {}", known.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("<{}> has no attribute `{name}`", element.name);
            faults.push(Fault::input(message).line(attribute.line).help(help));
        }
        for name in known.iter().take(needed).filter(|name| element.get(name).is_none()) {
            faults.push(
                Fault::input(format!("<{}> lacks the attribute `{name}`", element.name))
                    .line(element.line)
                    .help(format!("write {name}=\"…\"")),
            );
        }
        Attributes { element }
    }

    /// What an attribute says, spaces around it aside; nothing where it is not there, which is a fault by then if it is needed.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.element.get(name).map(|attribute| attribute.value.trim())
    }

    /// What an attribute says, read.
    fn read<T>(
        &self,
        name: &str,
        wanted: &str,
        faults: &mut Vec<Fault>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let attribute = self.element.get(name)?;
        let value = read(attribute.value.trim());
        if value.is_none() {
            let message =
                format!("{name}=\"{}\" of <{}> is not {wanted}", attribute.value, self.element.name);
            faults.push(Fault::input(message).line(attribute.line).help(format!("give {wanted}")));
        }
        value
    }
}
