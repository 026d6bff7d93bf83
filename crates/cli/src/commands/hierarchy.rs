//! `throng hierarchy build|check|convert|show`.

use std::path::Path;

use serde::{Deserialize, Serialize};
use throng::error::Result;
use throng::fault;
use throng::hierarchy::{self, Hierarchy, Spec};
use throng::table::{Code, Dictionary};
use throng_engine::{Engine, OverwriteGuard, Source, write_atomically};

use super::json;
use crate::Ended;
use crate::args::{self, HierarchyCommand};
use crate::progress::Line;
use crate::show::{out, sanitized};

/// More values than this are not shown one by one.
const MANY: usize = 60;

pub fn run(args: &args::Hierarchy) -> Result<Ended> {
    match &args.command {
        HierarchyCommand::Build { spec, input, column, layout, out: file, overwrite, output } => {
            let spec = parse(spec)?;
            if let Some(path) = file {
                let guard = OverwriteGuard::default().named("the input", input).hierarchy(&spec);
                guard.check([&**path], overwrite.existing())?;
            }
            let values = values(input, column, layout)?;
            let built = hierarchy::build(&spec, &values, &read).map_err(|e| e.map(|f| f.column(column)))?;
            let text = hierarchy::file::write(&built, ';');
            Line::new().watch().check()?;
            if let Some(path) = file {
                write_atomically(path, text.as_bytes())?;
            }
            match file {
                _ if output.json => out(&json(&shown(&built, 0))?)?,
                Some(_) => {}
                None => out(&text)?,
            }
        }
        HierarchyCommand::Check { file, input, column, layout, output } => {
            let values = match (input, column) {
                (Some(input), Some(column)) => values(input, column, layout)?,
                _ => Dictionary::new(),
            };
            let facts = facts(&from_file(file, &values)?, values.len());
            Line::new().watch().check()?;
            out(&if output.json { json(&facts)? } else { facts.text(file) })?;
        }
        HierarchyCommand::Convert { hierarchy, columns, table, layout, write, k, overwrite } => {
            super::convert::run(&super::convert::Asked {
                hierarchy,
                columns,
                table,
                layout,
                write,
                k: *k,
                existing: overwrite.existing(),
            })?;
        }
        HierarchyCommand::Show { file, depth, output } => {
            let hierarchy = from_file(file, &Dictionary::new())?;
            let lowest = depth.map_or(0, |depth| hierarchy.height().saturating_sub(depth));
            out(&if output.json { json(&shown(&hierarchy, lowest))? } else { tree(&hierarchy, *depth) })?;
        }
    }
    Ok(Ended::Holds)
}

/// Parses a hierarchy in policy syntax.
fn parse(spec: &str) -> Result<Spec> {
    #[derive(Deserialize)]
    struct Line {
        hierarchy: Spec,
    }
    let quoted =
        if spec.trim_start().starts_with(['{', '"']) { spec.to_owned() } else { format!("{spec:?}") };
    let line: Line = toml::from_str(&format!("hierarchy = {quoted}")).map_err(|e| {
        let (reason, help) = match form(spec) {
            Some(form) => ("it has parameters", format!("write it as '{form}'")),
            None => (
                e.message(),
                "for instance '{ mask = { from = \"right\" } }', '{ file = \"sex.csv\" }', icd10 or suppress"
                    .into(),
            ),
        };
        fault!(
            Input,
            "arguments.not-a-hierarchy",
            "`{value}` is not a hierarchy: {reason}",
            value = spec,
            reason = reason
        )
        .help(help)
    })?;
    Ok(line.hierarchy)
}

/// How a builder that is given by its name alone is written with parameters.
fn form(name: &str) -> Option<&'static str> {
    Some(match name.trim().trim_matches(['{', '}', '"', ' ']) {
        "file" => "{ file = \"values.csv\" }",
        "intervals" => "{ intervals = { widths = [5, 10, 20] } }",
        "order" => "{ order = { fanout = [3, 2] } }",
        "mask" => "{ mask = { from = \"right\" } }",
        "date" => "{ date = { levels = [\"month\", \"year\", \"10-year\"] } }",
        "priority" => "{ priority = { keep = [20, 5] } }",
        "postal" => "{ postal = { keep = [3, 2] } }",
        _ => return None,
    })
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| {
        let help = "a hierarchy is a UTF-8 text file with one row per value: value;label;label;…";
        fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e).file(path).help(help).into()
    })
}

fn from_file(file: &str, values: &Dictionary) -> Result<Hierarchy> {
    hierarchy::build(&Spec::File(hierarchy::File::Path(file.into())), values, &read)
}

/// The distinct values of a table's column; empty cells are missing.
fn values(input: &str, column: &str, layout: &args::Layout) -> Result<Dictionary> {
    let engine = Engine::new();
    let source = Source::open(&layout.of(input)?, Path::new(""))?;
    let columns = engine.columns(&source)?;
    if !columns.iter().any(|c| c == column) {
        let near = throng::error::nearest(column, columns.iter().map(String::as_str));
        let help = near.map_or_else(
            || format!("the table has {}", columns.join(", ")),
            |n| format!("did you mean `{n}`?"),
        );
        return Err(fault!(Input, "arguments.no-such-column", "has no column `{column}`", column = column)
            .file(input)
            .help(help)
            .into());
    }
    let line = Line::new();
    let grouped = engine.group(&source, &[column.to_owned()], &line.watch());
    line.clear();
    Ok(grouped?.dictionaries.remove(0))
}

/// What there is to say of a hierarchy.
#[derive(Serialize)]
struct Facts {
    levels: Vec<usize>,
    leaves: usize,
    top_added: bool,
    values_checked: usize,
}

fn facts(hierarchy: &Hierarchy, values_checked: usize) -> Facts {
    Facts {
        levels: (0..=hierarchy.height()).map(|l| hierarchy.size(l)).collect(),
        leaves: hierarchy.leaf_count(),
        top_added: hierarchy.topped(),
        values_checked,
    }
}

/// A hierarchy for machines.
#[derive(Serialize)]
struct Shown<'a> {
    levels: Vec<usize>,
    leaves: usize,
    top_added: bool,
    /// The level that rows begin with.
    lowest: usize,
    /// One row per value of that level: its labels from there to the top; null is missing.
    rows: Vec<Vec<Option<&'a str>>>,
}

fn shown(hierarchy: &Hierarchy, lowest: usize) -> Shown<'_> {
    let mut seen = vec![false; hierarchy.size(lowest)];
    let mut rows = Vec::new();
    for leaf in 0..hierarchy.leaf_count() as Code {
        if !std::mem::replace(&mut seen[hierarchy.generalize(leaf, lowest) as usize], true) {
            let label = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level));
            rows.push((lowest..=hierarchy.height()).map(label).collect());
        }
    }
    let Facts { levels, leaves, top_added, .. } = facts(hierarchy, 0);
    Shown { levels, leaves, top_added, lowest, rows }
}

impl Facts {
    fn text(&self, file: &str) -> String {
        let sizes: Vec<String> = self.levels.iter().map(usize::to_string).collect();
        let mut text = format!("{file}: levels nest; values per level: {}\n", sizes.join(" → "));
        if self.top_added {
            text += "the last level has several values: a level * is put above it\n";
        }
        if self.values_checked > 0 {
            text += &format!("all {} values of the column are there\n", self.values_checked);
        }
        text
    }
}

/// The hierarchy from the top, one label a line.
fn tree(hierarchy: &Hierarchy, depth: Option<usize>) -> String {
    let depth = depth.unwrap_or(hierarchy.height() - usize::from(hierarchy.leaf_count() > MANY));
    let lowest = hierarchy.height().saturating_sub(depth);
    let mut leaves: Vec<Code> = (0..hierarchy.leaf_count() as Code).collect();
    // Siblings together, in order of first sight at every level.
    leaves.sort_by_key(|&leaf| {
        (lowest..=hierarchy.height()).rev().map(|l| hierarchy.generalize(leaf, l)).collect::<Vec<_>>()
    });
    let mut text = String::new();
    let mut shown: Vec<Option<Code>> = vec![None; hierarchy.height() + 1];
    for leaf in leaves {
        for level in (lowest..=hierarchy.height()).rev() {
            let code = hierarchy.generalize(leaf, level);
            if shown[level] == Some(code) {
                continue;
            }
            shown[level] = Some(code);
            shown[..level].fill(None);
            let label = sanitized(hierarchy.label(level, code).unwrap_or("(missing)"));
            let under = hierarchy.leaves_under(level, code);
            let count =
                if level > 0 && level == lowest { format!("  ({under} values)") } else { String::new() };
            text += &format!("{}{label}{count}\n", "  ".repeat(hierarchy.height() - level));
        }
    }
    text
}
