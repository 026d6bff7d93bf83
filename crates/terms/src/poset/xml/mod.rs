//! The configuration files of Katirai's toolkit, converted into a policy: Hierarchy.xml declares
//! posets, and Columns.xml binds them to the columns of a table [Katirai 2006, "Configuration
//! Files", examples 2 to 11].
//!
//! Katirai prints the elements of Hierarchy.xml but not what surrounds them. So an element that is
//! not a poset may contain posets: it is a namespace, named by its `Name` attribute, or `Default`
//! without one. Poset elements may also stand alone, as in his examples.
//!
//! Costs one pass over the texts. All errors are found before anything is returned.

mod columns;
mod policy;
mod posets;
mod text;

pub use policy::{Converted, convert};

use crate::error::{Fault, nearest};
use crate::fault;
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

/// The attributes that an element may have; the first `needed` are required.
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
            faults.push(
                fault!(
                    Input,
                    "poset.unknown-attribute",
                    "<{element}> has no attribute `{attribute}`",
                    element = element.name,
                    attribute = name
                )
                .line(attribute.line)
                .help(help),
            );
        }
        for name in known.iter().take(needed).filter(|name| element.get(name).is_none()) {
            faults.push(
                fault!(
                    Input,
                    "poset.missing-attribute",
                    "<{element}> lacks the attribute `{attribute}`",
                    element = element.name,
                    attribute = name
                )
                .line(element.line)
                .help(format!("write {name}=\"…\"")),
            );
        }
        Attributes { element }
    }

    /// What an attribute says, spaces around it aside; nothing where it is not there, which is a
    /// fault by then if it is needed.
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
            faults.push(
                fault!(
                    Input,
                    "poset.wrong-attribute-value",
                    "{attribute}=\"{value}\" of <{element}> is not {expected}",
                    attribute = name,
                    value = attribute.value,
                    element = self.element.name,
                    expected = wanted
                )
                .line(attribute.line)
                .help(format!("give {wanted}")),
            );
        }
        value
    }
}
