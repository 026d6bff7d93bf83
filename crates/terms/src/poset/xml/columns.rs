//! Columns.xml: which poset every column of the table has, and what its measure counts.

use super::posets::{Declarations, Declared};
use super::text::{Element, elements};
use super::{Attributes, DEFAULT, Named};
use crate::cell::number;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;

/// A column that is bound to a poset.
pub(super) struct Bound<'a> {
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) poset: &'a Declared,
    pub(super) weight: Option<f64>,
}

/// The columns of a file, in its order.
pub(super) fn read<'a>(given: Named<'_>, posets: &'a Declarations) -> Result<Vec<Bound<'a>>> {
    let named = |error: Error| error.map(|fault| fault.file(given.file));
    let elements = elements(given.text).map_err(named)?;
    let mut faults = Vec::new();
    let mut columns: Vec<Bound<'a>> = Vec::new();
    for element in listed(&elements, &mut faults) {
        let Some(column) = bound(element, posets, &mut faults) else { continue };
        if let Some(first) = columns.iter().find(|other| other.name == column.name) {
            faults.push(
                fault!(
                    Input,
                    "poset.column-bound-twice",
                    "column `{column}` is bound twice, first in line {first_line}",
                    column = column.name,
                    first_line = first.line
                )
                .line(column.line)
                .help("keep one of them"),
            );
        }
        columns.push(column);
    }
    if columns.is_empty() && faults.is_empty() {
        faults.push(
            fault!(Input, "poset.no-column-bound", "binds no column")
                .help("write one <Column Name=\"…\" Poset=\"…\"/> per column"),
        );
    }
    Error::check(faults).map_err(named)?;
    Ok(columns)
}

/// The elements within the table's description.
fn listed<'a>(elements: &'a [Element], faults: &mut Vec<Fault>) -> Vec<&'a Element> {
    let mut columns = Vec::new();
    for element in elements {
        match element.name.as_str() {
            "TableDescription" => columns.extend(&element.children),
            "Column" => columns.push(element),
            name => faults.push(
                fault!(
                    Input,
                    "poset.unexpected-element",
                    "<{element}> is neither TableDescription nor Column",
                    element = name
                )
                .line(element.line)
                .help("columns are listed within <TableDescription>"),
            ),
        }
    }
    columns
}

fn bound<'a>(element: &Element, posets: &'a Declarations, faults: &mut Vec<Fault>) -> Option<Bound<'a>> {
    if element.name != "Column" {
        faults.push(
            fault!(
                Input,
                "poset.element-not-a-column",
                "<{element}> is not a column",
                element = element.name
            )
            .line(element.line)
            .help("a table is described by <Column> and nothing else"),
        );
        return None;
    }
    let of = Attributes::new(element, &["Name", "Poset", "Hierarchy", "Weight"], 2, faults);
    let from_0 = |text: &str| number(text).filter(|weight| *weight >= 0.0);
    let weight = of.read("Weight", "a number from 0", faults, from_0);
    let (name, poset) = (of.text("Name")?, of.text("Poset")?);
    let namespace = of.text("Hierarchy").unwrap_or(DEFAULT);
    let Some(poset) = posets.find(namespace, poset) else {
        faults.push(unknown(element, posets, namespace, poset));
        return None;
    };
    Some(Bound { name: name.to_owned(), line: element.line, poset, weight })
}

fn unknown(element: &Element, posets: &Declarations, namespace: &str, poset: &str) -> Fault {
    let within = posets.all.iter().filter(|declared| declared.namespace == namespace);
    let near = nearest(poset, within.map(|declared| declared.name.as_str()));
    let elsewhere = posets.all.iter().find(|declared| declared.name == poset);
    let help = match (near, elsewhere) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, Some(declared)) => format!("there is one in Hierarchy=\"{}\"", declared.namespace),
        (None, None) => "declare it in the file of posets".into(),
    };
    fault!(
        Input,
        "poset.not-declared",
        "poset `{poset}` is not declared in Hierarchy=\"{namespace}\"",
        poset = poset,
        namespace = namespace
    )
    .line(element.line)
    .help(help)
}
