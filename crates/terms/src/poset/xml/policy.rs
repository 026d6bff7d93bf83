//! Writes the policy for Katirai's two files, with one node file for each matrix poset.
//!
//! A pass-through column is kept; every other column is a quasi-identifier with its poset and
//! weight. The policy is text; the caller adds the part above the columns and the guarantee.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::columns::{self, Bound};
use super::posets::{Declarations, Declared, Meaning};
use super::{DEFAULT, Named};
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::File;
use crate::poset::{Codes, Spec};

/// What two files of Katirai's become.
#[derive(Debug)]
pub struct Converted {
    /// The `[columns.…]` part of a policy.
    pub columns: String,
    /// The columns that are passed through.
    pub kept: Vec<String>,
    /// Files of nodes beside it: name and text, in the order of names.
    pub files: BTreeMap<String, String>,
}

/// Turns the declarations of posets and the bindings of columns into a policy for a table that has
/// these columns.
///
/// # Errors
/// Everything that is wrong with the files, with file and line; columns that the table lacks, and
/// columns of it that are not bound.
pub fn convert(hierarchy: Named<'_>, columns: Named<'_>, table: &[String]) -> Result<Converted> {
    let posets = Declarations::read(hierarchy)?;
    let bound = columns::read(columns, &posets)?;
    Error::check(differing(&bound, table)).map_err(|error| error.map(|fault| fault.file(columns.file)))?;
    let mut names = Names::default();
    let (mut text, mut kept) = (String::new(), Vec::new());
    for column in &bound {
        text += &format!("\n[columns.{}]\n", quoted(&column.name));
        let Some(spec) = spec(column.poset, &posets, &mut names)? else {
            text += "role = \"keep\"\n";
            kept.push(column.name.clone());
            continue;
        };
        text += &format!("role = \"quasi\"\nposet = {}\n", inline(&spec)?);
        if let Some(weight) = column.weight {
            text += &format!("weight = {}\n", toml::Value::Float(weight));
        }
    }
    Ok(Converted { columns: text, kept, files: names.files })
}

/// Columns on one side alone.
fn differing(bound: &[Bound<'_>], table: &[String]) -> Vec<Fault> {
    let absent = bound.iter().filter(|column| !table.contains(&column.name)).map(|column| {
        let near = nearest(&column.name, table.iter().map(String::as_str));
        let help = near.map_or_else(
            || format!("the table has {}", table.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        fault!(Input, "poset.column-not-in-table", "the table has no column `{column}`", column = column.name)
            .line(column.line)
            .help(help)
    });
    let unbound = table.iter().filter(|name| !bound.iter().any(|column| column.name == **name)).map(|name| {
        fault!(
            Input,
            "poset.column-not-bound",
            "column `{column}` of the table is not bound to a poset",
            column = name
        )
        .help("add a <Column> for it; a PassThroughPoset keeps it as it is")
    });
    absent.chain(unbound).collect()
}

/// Files by the posets that they are written from.
#[derive(Default)]
struct Names {
    files: BTreeMap<String, String>,
    of: BTreeMap<(String, String), String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// The file of a poset's nodes: named after it, in letters that any file system takes.
    fn file(&mut self, declared: &Declared, text: &str) -> File {
        let key = (declared.namespace.clone(), declared.name.clone());
        if let Some(name) = self.of.get(&key) {
            return File::Path(name.clone());
        }
        let full = match declared.namespace.as_str() {
            DEFAULT => declared.name.clone(),
            namespace => format!("{namespace}_{}", declared.name),
        };
        let plain: String =
            full.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        // Names that differ in letters that were replaced, or in case alone, must not share a file.
        let mut name = format!("{plain}.csv");
        let mut turn = 2;
        while !self.taken.insert(name.to_lowercase()) {
            name = format!("{plain}_{turn}.csv");
            turn += 1;
        }
        self.files.insert(name.clone(), text.to_owned());
        self.of.insert(key, name.clone());
        File::Path(name)
    }
}

/// How a policy asks for a declared poset; nothing for one that passes values through.
fn spec(declared: &Declared, posets: &Declarations, names: &mut Names) -> Result<Option<Spec>> {
    Ok(match &declared.meaning {
        Meaning::Kept => None,
        Meaning::Generalized(spec) => Some(spec.clone()),
        Meaning::Nodes(text, _) => Some(Spec::File(names.file(declared, text))),
        Meaning::Codes(name, most) => {
            let nodes = posets.nodes(&declared.namespace, name);
            let (nodes, text, _) = nodes.ok_or_else(|| Fault::bug("a poset of codes without nodes"))?;
            Some(Spec::Codes(Codes { file: names.file(nodes, text), most: *most, most_occurrences: None }))
        }
    })
}

/// A poset as written after `poset =`, its keys in the order of the documentation.
fn inline(spec: &Spec) -> Result<String> {
    let mut text = String::new();
    spec.serialize(toml::ser::ValueSerializer::new(&mut text))
        .map_err(|e| Fault::bug(format!("a poset cannot be written: {e}")))?;
    Ok(text)
}

fn quoted(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.into() } else { toml::Value::String(name.into()).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poset::Poset;

    /// Examples 2, 4, 6, 7, 8 and 9, with what the columns of example 11 need beside them.
    const HIERARCHY: &str = r#"<Hierarchies>
<RangePoset Name="Age_range_poset" LowerBound="0" UpperBound="120" MaxDiff="25" />
<MatrixPoset Name="ICD9_Codes" RootNode="ID9000000">
  <Node ID="ID9000000" Name="*" Value="1" Parents="ID9000000"/>
  <Node ID="ID9000001" Name="008" Value="1" Parents="ID9000000"/>
  <Node ID="ID9000002" Name="031" Value="1" Parents="ID9000000"/>
  <Node ID="ID9000003" Name="038" Value="1" Parents="ID9000000"/>
</MatrixPoset>
<MatrixPoset Name="DRG Codes" RootNode="A">
  <Node ID="A" Name="*" Parents="A"/>
  <Node ID="B" Name="x" Parents="A"/> <Node ID="C" Name="y" Parents="A"/>
  <Node ID="D" Name="1; 2" Parents="B, C"/> <Node ID="E" Name="3" Parents="B C"/>
</MatrixPoset>
<PowerPoset Name="Has_HIV" Bits="1"/>
<DateOfBirthPoset Name="Age" BaseDate="20060101" AgeRanges="5,30,50,70,90"/>
<SparseMatrixPoset Name="SparseMatrixPoset_ICD9" MatrixLatticeName="ICD9_Codes" Columns="39"/>
<PassThroughPoset Name="MyPassThroughPoset"/>
<SuppressionPoset Name="MySuppressionPoset"/>
<Hierarchy Name="Other"><PowerPoset Name="Has_HIV" Bits="2"/></Hierarchy>
</Hierarchies>
"#;

    /// Example 11, with other columns at the end.
    const COLUMNS: &str = r#"<TableDescription
  xmlns:xsi=http://www.w3.org/2001/XMLSchema-instance >

  <Column Name="Age_Year" Hierarchy="Default" Poset="Age_range_poset" Weight="3.023" />
  <Column Name="Gender" Hierarchy="Default" Poset="MySuppressionPoset" Weight="988.823" />
  <Column Name="mrn" Hierarchy="Default" Poset="MyPassThroughPoset" Weight="0"/>
  <Column Name="other_dx_code" Hierarchy="Default" Poset="SparseMatrixPoset_ICD9"
    Weight="2.566" />
  <Column Name="principal dx" Hierarchy="Default" Poset="ICD9_Codes"/>
  <Column Name="drg" Hierarchy="Default" Poset="DRG Codes" Weight="1"/>
  <Column Name="hiv" Hierarchy="Other" Poset="Has_HIV" Weight="1"/>
  <Column Name="born" Poset="Age" Weight="1"/>
</TableDescription>
"#;

    const TABLE: [&str; 8] =
        ["Age_Year", "Gender", "mrn", "other_dx_code", "principal dx", "drg", "hiv", "born"];

    fn converted(hierarchy: &str, columns: &str, table: &[&str]) -> Result<Converted> {
        let table: Vec<String> = table.iter().map(|&name| name.into()).collect();
        convert(Named { file: "H.xml", text: hierarchy }, Named { file: "C.xml", text: columns }, &table)
    }

    /// `Columns` is the number of pairs: frequencies do not count, and later pairs are purged.
    #[test]
    fn columns_of_a_sparse_matrix_are_pairs() {
        let hierarchy = HIERARCHY.replace("Columns=\"39\"", "Columns=\"2\"");
        let Converted { columns, files, .. } = converted(&hierarchy, COLUMNS, &TABLE).unwrap();
        let policy: toml::Table = toml::from_str(&columns).unwrap();
        let spec: Spec = policy["columns"]["other_dx_code"]["poset"].clone().try_into().unwrap();
        let values = ["008:50; 031:20", "038; 008:2; 031"].map(|value| Some(value.to_owned()));
        let poset = Poset::build(&spec, values.to_vec(), &|name| Ok(files[name].clone())).unwrap();
        assert_eq!(poset.lub_of(&[0, 0]), [Some("008:50; 031:20".into())]);
        assert_eq!(poset.lub_of(&[1, 1]), [Some("008:2; 038".into())]);
    }

    #[test]
    fn the_files_that_k_prints() {
        let Converted { columns, kept, files } = converted(HIERARCHY, COLUMNS, &TABLE).unwrap();
        assert_eq!(kept, ["mrn"]);
        let expected = r#"
[columns.Age_Year]
role = "quasi"
poset = { range = { low = 0.0, high = 120.0, worthless = 25.0 } }
weight = 3.023

[columns.Gender]
role = "quasi"
poset = "suppress"
weight = 988.823

[columns.mrn]
role = "keep"

[columns.other_dx_code]
role = "quasi"
poset = { codes = { file = "ICD9_Codes.csv", most = 39 } }
weight = 2.566

[columns."principal dx"]
role = "quasi"
poset = { file = "ICD9_Codes.csv" }

[columns.drg]
role = "quasi"
poset = { file = "DRG_Codes.csv" }
weight = 1.0

[columns.hiv]
role = "quasi"
poset = { bits = 2 }
weight = 1.0

[columns.born]
role = "quasi"
poset = { birth = { base = "2006-01-01", ages = [5, 30, 50, 70, 90] } }
weight = 1.0
"#;
        assert_eq!(columns, expected);
        assert_eq!(files["ICD9_Codes.csv"], "*;1\n008;1;*\n031;1;*\n038;1;*\n");
        assert_eq!(files["DRG_Codes.csv"], "*;\nx;;*\ny;;*\n\"1; 2\";;x;y\n3;;x;y\n");
        assert_eq!(files.len(), 2);
    }

    #[test]
    fn posets_are_refused_with_their_line() {
        for (hierarchy, found) in [
            (
                "<A>\n<RangePost Name='a'/>\n</A>",
                "H.xml:2: <RangePost> is not a poset\n  help: did you mean <RangePoset>?",
            ),
            ("<TreePoset Name='a'><Node/></TreePoset>", "H.xml:1: <TreePoset> is not a poset"),
            ("<A>\n<PowerPoset Bits='1'/></A>", "H.xml:2: <PowerPoset> lacks the attribute `Name`"),
            ("<PowerPoset Name='a' Bits='x'/>", "H.xml:1: Bits=\"x\" of <PowerPoset> is not a whole number"),
            ("<PowerPoset Name='a' Bits='65'/>", "H.xml:1: 65 bits are not a poset"),
            (
                "<PowerPoset Name='a' Bit='6'/>",
                "<PowerPoset> has no attribute `Bit`\n  help: did you mean `Bits`?",
            ),
            (
                "<A>\n<PowerPoset Name='a' Bits='1'/>\n<PowerPoset Name='a' Bits='1'/></A>",
                "H.xml:3: poset `a` is declared twice, first in line 2",
            ),
            ("<RangePoset Name='a' LowerBound='9' UpperBound='1'/>", "low = 9 is above high = 1"),
            ("<DateOfBirthPoset Name='a' BaseDate='x' AgeRanges='1,2'/>", "`x` is not a date"),
            ("<DateOfBirthPoset Name='a' BaseDate='20060101' AgeRanges='1,b'/>", "is not a list of ages"),
            (
                "<DateOfBirthPoset Name='a' BaseDate='20060101' AgeRanges='9,5'/>",
                "age 5 does not follow age 9",
            ),
            (
                "<SparseMatrixPoset Name='a' MatrixLatticeName='b' Columns='3'/>",
                "poset `a` refers to `b`, which is not a MatrixPoset",
            ),
            ("<MatrixPoset Name='a' RootNode='r'>\n<Nod/>\n</MatrixPoset>", "H.xml:2: <Nod> is not a node"),
            (
                "<MatrixPoset Name='a' RootNode='R'>\n<Node ID='Q' Name='*' Parents='Q'/></MatrixPoset>",
                "H.xml:1: RootNode=\"R\" is the ID of no node",
            ),
            (
                "<MatrixPoset Name='a' RootNode='R'>\n<Node ID='R' Name='*' Parents='R'/>\n<Node ID='B1' Name='b' Parents='B2'/></MatrixPoset>",
                "H.xml:3: node `b` has the parent `B2`, which is the ID of no node\n  help: did you mean `B1`?",
            ),
            (
                "<MatrixPoset Name='a' RootNode='R'>\n<Node ID='R' Name='*' Parents='R'/>\n<Node ID='R' Name='b' Parents='R'/></MatrixPoset>",
                "H.xml:3: ID `R` is given twice, first in line 2",
            ),
            (
                "<A>\n<MatrixPoset Name='a' RootNode='R'>\n<Node ID='R' Name='*' Parents='R'/>\n<Node ID='B' Name='b' Parents='R'/>\n\n<Node ID='C' Name='b' Parents='R'/></MatrixPoset></A>",
                "H.xml:6: node `b` is given twice, first in line 4",
            ),
            (
                "<MatrixPoset Name='a' RootNode='R'>\n<Node ID='R' Name='*' Parents='R'/>\n<Node ID='B' Name='b' Parents='C'/>\n<Node ID='C' Name='c' Parents='B'/></MatrixPoset>",
                "H.xml:3: a cycle: `b` is below `c` is below `b`",
            ),
            (
                "<MatrixPoset Name='a' RootNode='R'>\n<Node ID='R' Name='*' Value='1' Parents='R'/>\n<Node ID='B' Name='b' Value='2' Parents='R'/></MatrixPoset>",
                "H.xml:3: non-monotone measure: `b` has 2, and its parent `*` has 1",
            ),
            (
                "<MatrixPoset Name='a' RootNode='B'>\n<Node ID='R' Name='*' Parents='R'/>\n<Node ID='B' Name='b' Parents='R'/></MatrixPoset>",
                "H.xml:3: RootNode=\"B\" is `b`, which has a parent",
            ),
            ("<A></A>", "H.xml:1: <A> is not a poset"),
            ("", "H.xml: declares no poset"),
            ("<A>", "H.xml:1: <A> is opened and never closed"),
        ] {
            let error = converted(hierarchy, COLUMNS, &TABLE).unwrap_err().to_string();
            assert!(error.contains(found), "{hierarchy}: {error}");
        }
    }

    #[test]
    fn columns_are_refused_with_their_line() {
        let hierarchy =
            "<A><PowerPoset Name='HIV' Bits='1'/><B Name='Far'><PowerPoset Name='Other' Bits='1'/></B></A>";
        for (columns, found) in [
            (
                "<TableDescription>\n<Column Name='a' Poset='HVI'/></TableDescription>",
                "C.xml:2: poset `HVI` is not declared in Hierarchy=\"Default\"\n  help: did you mean `HIV`?",
            ),
            ("<Column Name='a' Poset='Other'/>", "there is one in Hierarchy=\"Far\""),
            ("<Column Name='a'/>", "C.xml:1: <Column> lacks the attribute `Poset`"),
            (
                "<Column Name='a' Poset='HIV' Weight='-1'/>",
                "Weight=\"-1\" of <Column> is not a number from 0",
            ),
            (
                "<Column Name='a' Poset='HIV'/>\n<Column Name='a' Poset='HIV'/>",
                "C.xml:2: column `a` is bound twice, first in line 1",
            ),
            (
                "<Column Name='ab' Poset='HIV'/>",
                "C.xml:1: the table has no column `ab`\n  help: did you mean `a`?",
            ),
            ("<Column Name='ab' Poset='HIV'/>", "C.xml: column `a` of the table is not bound to a poset"),
            ("<Table/>", "C.xml:1: <Table> is neither TableDescription nor Column"),
            ("<TableDescription><Row/></TableDescription>", "<Row> is not a column"),
            ("", "C.xml: binds no column"),
        ] {
            let error = converted(hierarchy, columns, &["a"]).unwrap_err().to_string();
            assert!(error.contains(found), "{columns}: {error}");
        }
    }

    #[test]
    fn files_do_not_share_a_name() {
        let matrix = |name: &str| {
            format!(
                "<MatrixPoset Name='{name}' RootNode='R'><Node ID='R' Name='{name}' Parents='R'/></MatrixPoset>"
            )
        };
        let hierarchy = format!("<A>{}{}{}</A>", matrix("a b"), matrix("a/b"), matrix("A_B"));
        let columns =
            "<Column Name='1' Poset='a b'/><Column Name='2' Poset='a/b'/><Column Name='3' Poset='A_B'/>";
        let files = converted(&hierarchy, columns, &["1", "2", "3"]).unwrap().files;
        let texts: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(texts, [("A_B_3.csv", "A_B;\n"), ("a_b.csv", "a b;\n"), ("a_b_2.csv", "a/b;\n")]);
    }
}
