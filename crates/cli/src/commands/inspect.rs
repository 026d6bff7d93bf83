//! `throng inspect INPUT [--template NAME] [--write POLICY]`.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use throng::describe::{self, Answers, Description};
use throng::error::Result;
use throng::hierarchy::{File, Spec};
use throng::policy::{Format, Input};
use throng::release::TemplateFacts;
use throng::template::Applied;
use throng_engine::{Engine, Inspected, OverwriteGuard, write_atomically};

use super::{json, policy_text, templates};
use crate::Ended;
use crate::args::{self, DateOrder, YesNo};
use crate::progress::Line;
use crate::show::out;

pub fn run(args: &args::Inspect) -> Result<Ended> {
    if args.template.as_deref() == Some(templates::LIST) {
        templates::list(args.output.json)?;
        return Ok(Ended::Holds);
    }
    templates::check_input(args)?;
    let mut guard =
        templates::overwrite_guard(args, OverwriteGuard::default().named("the input", &args.input));
    let check = |guard: &OverwriteGuard| match &args.write {
        Some(path) => guard.clone().check([&**path], args.overwrite.existing()),
        None => Ok(()),
    };
    check(&guard)?;
    let template = templates::find(args)?;
    let Inspected { input, mut description } = inspect(args, args.layout.of(&args.input)?)?;
    let applied = template.map(|(template, parameters)| Applied::new(template, parameters, &mut description));
    for hierarchy in description.columns.iter().filter_map(|column| column.hierarchy.as_ref()) {
        guard = guard.hierarchy(hierarchy);
    }
    check(&guard)?;
    let rules = match (&applied, args.write.is_none() || args.output.json) {
        (Some(applied), true) => {
            let table = (&description, applied);
            Some(templates::policy(args, Path::new("."), table, &input, "table")?.1)
        }
        _ => None,
    };
    if args.output.json {
        out(&json(&Profile { description: &description, template: rules.as_ref() })?)?;
    } else {
        out(&describe::table(&description, args.top))?;
        rules.iter().try_for_each(templates::show)?;
    }
    if let Some(path) = &args.write {
        write(args, path, description, input, applied.as_ref())?;
    }
    Ok(Ended::Holds)
}

/// A profile as JSON, with the rules of the template that the proposed policy satisfies.
#[derive(Serialize)]
struct Profile<'a> {
    #[serde(flatten)]
    description: &'a Description,
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<&'a TemplateFacts>,
}

/// Profiles the table, with progress.
fn inspect(args: &args::Inspect, input: Input) -> Result<Inspected> {
    let day_first = args.dates.map(|order| order == DateOrder::DayFirst);
    let serial_dates = args.serial_dates.map(|answer| answer == YesNo::Yes);
    let answers = Answers { decimal: args.decimal, day_first, serial_dates };
    let line = Line::new();
    let inspected = Engine::new().inspect(input, &answers, &line.watch());
    line.clear();
    inspected
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
    if input.path != "-" {
        input.path = relative(folder, &args.input);
    }
    for column in &mut description.columns {
        if let Some(Spec::File(File::Path(file))) = &mut column.hierarchy {
            *file = relative(folder, file);
        }
    }
    let stem = Format::stem(&args.input).replace(['*', '?', '[', ']'], "");
    let stem = if stem.is_empty() || stem == "-" { "table" } else { &stem };
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
