//! `throng inspect INPUT [--template NAME] [--write POLICY]`.

use std::path::{Component, Path, PathBuf};

use throng::describe::{self, Description};
use throng::error::Result;
use throng::hierarchy::{File, Spec};
use throng::policy::{Encoding, Format, Input};
use throng::template::Applied;
use throng_engine::{Engine, Source, Spared, write_atomically};

use super::{json, policy_text, templates};
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::out;

pub fn run(args: &args::Inspect) -> Result<Ended> {
    if args.template.as_deref() == Some(templates::LIST) {
        templates::list(args.output.json)?;
        return Ok(Ended::Holds);
    }
    templates::check_input(args)?;
    let mut input = args.layout.of(&args.input)?;
    let mut spared = templates::spared(args, Spared::default().named("the input", &args.input));
    let check = |spared: &Spared| match &args.write {
        Some(path) => spared.clone().check([&**path], args.overwrite.existing()),
        None => Ok(()),
    };
    check(&spared)?;
    let mut description = describe(&mut input)?;
    let applied = templates::apply(args, &mut description)?;
    for hierarchy in description.columns.iter().filter_map(|column| column.hierarchy.as_ref()) {
        spared = spared.hierarchy(hierarchy);
    }
    check(&spared)?;
    if args.output.json {
        out(&json(&description)?)?;
    } else {
        out(&describe::table(&description, args.top))?;
    }
    match (&args.write, &applied) {
        (Some(path), _) => write(args, path, description, input, applied.as_ref())?,
        (None, Some(applied)) if !args.output.json => {
            let (_, facts) =
                templates::policy(args, Path::new("."), (&description, applied), &input, "table")?;
            templates::show(&facts)?;
        }
        (None, _) => {}
    }
    Ok(Ended::Holds)
}

/// Profiles the table; a file that is not UTF-8 after all is read again as Latin-1.
fn describe(input: &mut Input) -> Result<Description> {
    let engine = Engine::new();
    let line = Line::new();
    let once = |input: &Input| {
        let source = Source::open(input, Path::new(""))?;
        engine.describe(&source, &input.null, &line.watch())
    };
    let mut described = once(input);
    if let Err(error) = &described
        && input.encoding == Encoding::Utf8
        && error.has_code("table.not-utf8")
    {
        input.encoding = Encoding::Latin1;
        described = once(input);
    }
    line.clear();
    described
}

/// Writes the policy with its paths relative to itself.
fn write(
    args: &args::Inspect,
    path: &Path,
    mut description: Description,
    mut input: Input,
    applied: Option<&Applied>,
) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    input.path = relative(folder, &args.input);
    for column in &mut description.columns {
        if let Some(Spec::File(File::Path(file))) = &mut column.hierarchy {
            *file = relative(folder, file);
        }
    }
    let stem = Format::stem(&args.input).replace(['*', '?', '[', ']'], "");
    let stem = if stem.is_empty() { "table" } else { &stem };
    let (text, rules) = match applied {
        None => (describe::policy(&description, &input, args.k, args.suppression, stem)?, None),
        Some(applied) => {
            let (text, rules) = templates::policy(args, folder, (&description, applied), &input, stem)?;
            (text, Some(rules))
        }
    };
    let text = policy_text(path, text)?;
    write_atomically(path, text.as_bytes())?;
    if !args.output.json {
        rules.iter().try_for_each(templates::show)?;
        out(&format!("\nwrote {0}; look at the roles, then run:\n  throng release {0}\n", path.display()))?;
    }
    Ok(())
}

/// A path as seen from a folder.
pub(super) fn relative(folder: &Path, path: &str) -> String {
    let (Ok(from), Ok(to)) = (std::path::absolute(folder), std::path::absolute(path)) else {
        return path.into();
    };
    let from: Vec<Component> = from.components().collect();
    let to: Vec<Component> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut relative = PathBuf::new();
    for _ in common..from.len() {
        relative.push("..");
    }
    relative.extend(&to[common..]);
    relative.display().to_string()
}
