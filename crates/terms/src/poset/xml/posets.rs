//! Hierarchy.xml: posets by namespace and name.
//!
//! Every poset is built once without values, so that what is wrong with it is found here, at its
//! line, and not when a table is released.

use rustc_hash::FxHashMap;

use super::text::{Element, elements};
use super::{Attributes, DEFAULT, Named};
use crate::cell::number;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::File;
use crate::hierarchy::file::write_cell;
use crate::poset::graph::GUESSED;
use crate::poset::{Birth, Codes, Poset, Range, Spec};

/// Every poset element with its attributes and the number of required ones.
const ELEMENTS: [(&str, &[&str], usize); 7] = [
    ("RangePoset", &["Name", "LowerBound", "UpperBound", "MaxDiff"], 3),
    ("MatrixPoset", &["Name", "RootNode"], 2),
    ("PowerPoset", &["Name", "Bits"], 2),
    ("DateOfBirthPoset", &["Name", "BaseDate", "AgeRanges"], 3),
    ("SparseMatrixPoset", &["Name", "MatrixLatticeName", "Columns"], 3),
    ("PassThroughPoset", &["Name"], 1),
    ("SuppressionPoset", &["Name"], 1),
];

/// A declared poset.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) meaning: Meaning,
}

/// What a column with the poset becomes.
#[derive(Debug)]
pub(super) enum Meaning {
    /// It is passed through.
    Kept,
    /// It is generalized like this.
    Generalized(Spec),
    /// It is generalized by these nodes: the text of a file, with the line of each of its lines'
    /// elements.
    Nodes(String, Vec<u64>),
    /// Codes by the nodes of another poset of the namespace, with a maximum number.
    Codes(String, u32),
}

/// The posets of a file.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) all: Vec<Declared>,
}

impl Declarations {
    pub(super) fn read(given: Named<'_>) -> Result<Self> {
        let named = |error: Error| error.map(|fault| fault.file(given.file));
        let elements = elements(given.text).map_err(named)?;
        let mut faults = Vec::new();
        let mut all = Vec::new();
        for element in &elements {
            collect(element, DEFAULT, &mut all, &mut faults);
        }
        let posets = Declarations { all };
        faults.extend(posets.twice());
        if faults.is_empty() {
            faults.extend(posets.all.iter().flat_map(|declared| posets.unfit(declared)));
        }
        if posets.all.is_empty() && faults.is_empty() {
            faults.push(
                fault!(Input, "poset.nothing-declared", "declares no poset")
                    .help("for instance <SuppressionPoset Name=\"Gender\"/>"),
            );
        }
        Error::check(faults).map_err(named)?;
        Ok(posets)
    }

    /// The poset of a name.
    pub(super) fn find(&self, namespace: &str, name: &str) -> Option<&Declared> {
        self.all.iter().find(|declared| declared.namespace == namespace && declared.name == name)
    }

    fn twice(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (at, declared) in self.all.iter().enumerate() {
            let same =
                |other: &&Declared| other.namespace == declared.namespace && other.name == declared.name;
            if let Some(first) = self.all[..at].iter().find(same) {
                let help =
                    "give one of them another name, or put it into a namespace: <Hierarchy Name=\"…\">";
                faults.push(
                    fault!(
                        Input,
                        "poset.declared-twice",
                        "poset `{poset}` is declared twice, first in line {first_line}",
                        poset = declared.name,
                        first_line = first.line
                    )
                    .line(declared.line)
                    .help(help),
                );
            }
        }
        faults
    }

    /// The nodes that a poset of codes refers to.
    pub(super) fn nodes(&self, namespace: &str, name: &str) -> Option<(&Declared, &str, &[u64])> {
        let declared = self.find(namespace, name)?;
        match &declared.meaning {
            Meaning::Nodes(text, lines) => Some((declared, text, lines)),
            _ => None,
        }
    }

    /// Errors of a poset, by building it.
    fn unfit(&self, declared: &Declared) -> Vec<Fault> {
        let file = || File::Path(String::new());
        let (spec, text, lines): (Spec, &str, &[u64]) = match &declared.meaning {
            Meaning::Kept => return Vec::new(),
            Meaning::Generalized(spec) => (spec.clone(), "", &[]),
            Meaning::Nodes(text, lines) => (Spec::File(file()), text, lines),
            Meaning::Codes(name, most) => match self.nodes(&declared.namespace, name) {
                Some((_, text, lines)) => {
                    (Spec::Codes(Codes { file: file(), most: *most, most_occurrences: None }), text, lines)
                }
                None => return vec![self.no_nodes(declared, name)],
            },
        };
        let Err(error) = Poset::build(&spec, Vec::new(), &|_| Ok(text.to_owned())) else { return Vec::new() };
        let placed = |fault: &Fault| {
            let node = fault.place.line.and_then(|line| lines.get(line as usize - 1));
            let line = node.copied().unwrap_or(declared.line);
            let fault = Fault { place: crate::error::Place::default(), ..fault.clone() };
            fault.line(line)
        };
        error.faults().iter().map(placed).collect()
    }

    fn no_nodes(&self, declared: &Declared, name: &str) -> Fault {
        let matrix = |other: &&Declared| {
            matches!(other.meaning, Meaning::Nodes(..)) && other.namespace == declared.namespace
        };
        let names = self.all.iter().filter(matrix).map(|other| other.name.as_str());
        let near = nearest(name, names.clone());
        let help = near.map_or_else(
            || format!("declare <MatrixPoset Name=\"{name}\" …> in the same namespace"),
            |near| format!("did you mean `{near}`?"),
        );
        fault!(
            Input,
            "poset.not-a-matrix-poset",
            "poset `{poset}` refers to `{other}`, which is not a MatrixPoset",
            poset = declared.name,
            other = name
        )
        .line(declared.line)
        .help(help)
    }
}

/// The posets of an element, which is one or holds some.
fn collect(element: &Element, namespace: &str, all: &mut Vec<Declared>, faults: &mut Vec<Fault>) {
    if let Some((kind, known, needed)) = ELEMENTS.into_iter().find(|known| known.0 == element.name) {
        let attributes = Attributes::new(element, known, needed, faults);
        let name = attributes.text("Name").unwrap_or_default().to_owned();
        if let Some(meaning) = meaning(kind, &attributes, faults) {
            all.push(Declared { namespace: namespace.to_owned(), name, line: element.line, meaning });
        }
        if let Some(child) = element.children.first().filter(|_| kind != "MatrixPoset") {
            faults.push(
                fault!(
                    Input,
                    "poset.unexpected-child",
                    "<{element}> has <{child}> within it",
                    element = kind,
                    child = child.name
                )
                .line(child.line)
                .help("only a MatrixPoset has nodes"),
            );
        }
    } else if element.children.is_empty() || element.name.ends_with("Poset") {
        faults.push(unknown(element));
    } else {
        let namespace = element.get("Name").map_or(namespace, |attribute| attribute.value.trim());
        element.children.iter().for_each(|child| collect(child, namespace, all, faults));
    }
}

fn unknown(element: &Element) -> Fault {
    let names = ELEMENTS.map(|known| known.0);
    let near = nearest(&element.name, names);
    let help = near
        .map_or_else(|| format!("posets are {}", names.join(", ")), |near| format!("did you mean <{near}>?"));
    fault!(Input, "poset.element-not-a-poset", "<{element}> is not a poset", element = element.name)
        .line(element.line)
        .help(help)
}

fn meaning(kind: &str, attributes: &Attributes<'_>, faults: &mut Vec<Fault>) -> Option<Meaning> {
    let whole = |text: &str| text.parse::<u32>().ok();
    Some(match kind {
        "PassThroughPoset" => Meaning::Kept,
        "SuppressionPoset" => Meaning::Generalized(Spec::Suppress),
        "PowerPoset" => {
            Meaning::Generalized(Spec::Bits(attributes.read("Bits", "a whole number", faults, whole)?))
        }
        "SparseMatrixPoset" => {
            let most = attributes.read("Columns", "a whole number", faults, whole)?;
            Meaning::Codes(attributes.text("MatrixLatticeName")?.to_owned(), most)
        }
        "RangePoset" => {
            let mut of = |name: &str| attributes.read(name, "a number", faults, number);
            let (low, high, worthless) = (of("LowerBound"), of("UpperBound"), of("MaxDiff"));
            Meaning::Generalized(Spec::Range(Range { low, high, worthless }))
        }
        "DateOfBirthPoset" => {
            let list =
                |text: &str| text.split(',').map(|age| age.trim().parse().ok()).collect::<Option<Vec<u32>>>();
            let ages = attributes.read("AgeRanges", "a list of ages such as 5,30,50", faults, list)?;
            Meaning::Generalized(Spec::Birth(Birth { base: iso(attributes.text("BaseDate")?), ages }))
        }
        _ => return nodes(attributes, faults),
    })
}

/// Katirai writes 20060101; a policy reads better with 2006-01-01. What is neither is found when
/// the poset is built.
fn iso(text: &str) -> String {
    let plain = text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit());
    if plain { format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]) } else { text.into() }
}

/// A node of a matrix poset.
struct Node<'a> {
    id: &'a str,
    name: &'a str,
    value: &'a str,
    parents: Vec<&'a str>,
    line: u64,
}

/// The nodes of a matrix poset as the text of a file: IDs become names.
fn nodes(attributes: &Attributes<'_>, faults: &mut Vec<Fault>) -> Option<Meaning> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut names: FxHashMap<&str, (&str, u64)> = FxHashMap::default();
    let mut lines: FxHashMap<&str, u64> = FxHashMap::default();
    for element in &attributes.element.children {
        if element.name != "Node" {
            let help = "a MatrixPoset holds <Node> and nothing else";
            faults.push(
                fault!(
                    Input,
                    "poset.element-not-a-node",
                    "<{element}> is not a node",
                    element = element.name
                )
                .line(element.line)
                .help(help),
            );
            continue;
        }
        let of = Attributes::new(element, &["ID", "Name", "Parents", "Value"], 3, faults);
        let text = |name: &str| of.text(name).unwrap_or_default();
        let parents = text("Parents").split([',', ' ']).filter(|id| !id.is_empty()).collect();
        let node =
            Node { id: text("ID"), name: text("Name"), value: text("Value"), parents, line: element.line };
        if let Some((_, first)) = names.insert(node.id, (node.name, node.line)) {
            faults.push(
                fault!(
                    Input,
                    "poset.node-id-given-twice",
                    "ID `{id}` is given twice, first in line {first_line}",
                    id = node.id,
                    first_line = first
                )
                .line(node.line)
                .help("every node needs an ID of its own"),
            );
        }
        // A missing name is reported when the poset is built.
        if let Some(first) = lines.get(node.name).filter(|_| !node.name.is_empty()) {
            let help = "give it once, with all its parents: Parents=\"…, …\"";
            faults.push(
                fault!(
                    Input,
                    "poset.node-given-twice",
                    "node `{node}` is given twice, first in line {first_line}",
                    node = node.name,
                    first_line = first
                )
                .line(node.line)
                .help(help),
            );
        } else {
            lines.insert(node.name, node.line);
        }
        nodes.push(node);
    }
    let root = attributes.text("RootNode")?;
    let unknown = unknown_ids(&nodes, &names, (root, attributes.element.line));
    if !unknown.is_empty() {
        faults.extend(unknown);
        return None;
    }
    let mut text = String::new();
    for node in &nodes {
        // The root is its own parent, as Katirai writes it.
        let above = || node.parents.iter().filter(|&&id| !(id == root && node.id == root));
        if node.id == root && above().next().is_some() {
            let help = "the root is its own parent, and has no other";
            faults.push(
                fault!(
                    Input,
                    "poset.root-has-parent",
                    "RootNode=\"{id}\" is `{node}`, which has a parent",
                    id = root,
                    node = node.name
                )
                .line(node.line)
                .help(help),
            );
            return None;
        }
        write_cell(&mut text, node.name, ';');
        for cell in
            [node.value].into_iter().chain(above().filter_map(|id| names.get(id)).map(|named| named.0))
        {
            text.push(';');
            write_cell(&mut text, cell, ';');
        }
        text.push('\n');
    }
    Some(Meaning::Nodes(text, nodes.iter().map(|node| node.line).collect()))
}

/// IDs that do not belong to a node.
fn unknown_ids(
    nodes: &[Node<'_>],
    names: &FxHashMap<&str, (&str, u64)>,
    (root, line): (&str, u64),
) -> Vec<Fault> {
    let placed = |fault: Fault, id: &str, line: u64, found: usize| {
        let near = nearest(id, nodes.iter().map(|node| node.id).filter(|_| found < GUESSED));
        let help = near
            .map_or_else(|| format!("add <Node ID=\"{id}\" …/>"), |near| format!("did you mean `{near}`?"));
        fault.line(line).help(help)
    };
    let mut faults = Vec::new();
    if !names.contains_key(root) {
        let fault = fault!(Input, "poset.unknown-root", "RootNode=\"{id}\" is the ID of no node", id = root);
        faults.push(placed(fault, root, line, 0));
    }
    for node in nodes {
        for id in node.parents.iter().filter(|&&id| !names.contains_key(id)) {
            let fault = fault!(
                Input,
                "poset.unknown-parent-id",
                "node `{node}` has the parent `{id}`, which is the ID of no node",
                node = node.name,
                id = id
            );
            faults.push(placed(fault, id, node.line, faults.len()));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn days_are_written_as_policies_do() {
        assert_eq!(
            ["20061231", "2006-12-31", "2006123", "x"].map(iso),
            ["2006-12-31", "2006-12-31", "2006123", "x"]
        );
    }
}
