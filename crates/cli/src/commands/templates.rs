//! `throng inspect --template NAME|FILE|list`.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use throng::describe::Description;
use throng::error::{Error, Result};
use throng::fault;
use throng::policy::{Input, TemplateSpec};
use throng::release::TemplateFacts;
use throng::report::{broken_rules, rules_line};
use throng::template::{self, Applied, Parameters, Template, year_of};
use throng_engine::OverwriteGuard;

use super::inspect::relative;
use super::json;
use crate::args;
use crate::show::{out, sanitized};

/// The name that lists the templates instead of naming one.
pub const LIST: &str = "list";

/// Lists the templates.
pub fn list(as_json: bool) -> Result<()> {
    let all = Template::list()?;
    if as_json {
        return out(&json(&all)?);
    }
    let width = all.iter().map(|template| template.name.len()).max().unwrap_or(0);
    let lines = all.iter().map(|template| format!("{:width$}  {}\n", template.name, template.summary));
    out(&lines.collect::<String>())
}

/// The template that is named, with its parameters; none where none is named. To be called before a
/// table is read: a misspelt name should not take long to report.
///
/// # Errors
/// No such template, or a file that cannot be read.
pub fn find(args: &args::Inspect) -> Result<Option<(Template, Parameters)>> {
    let Some(name) = &args.template else { return Ok(None) };
    let template = Template::find(name, &read)?;
    let people = match &args.population {
        Some(path) => {
            let people = Parameters::people_of(&read(path)?);
            Some(people.map_err(|e| e.map(|fault| fault.file(path)))?)
        }
        None => None,
    };
    let parameters =
        Parameters { year: Some(args.year.unwrap_or_else(this_year)), people, ..Parameters::default() };
    Ok(Some((template, parameters)))
}

/// The files of a template, which are not written over.
pub fn overwrite_guard(args: &args::Inspect, guard: OverwriteGuard) -> OverwriteGuard {
    let file = args.template.as_ref().filter(|name| TemplateSpec::is_path(name));
    let files = file.into_iter().chain(&args.population);
    files.fold(guard, |guard, path| guard.and("a file of the template", Path::new(path)))
}

/// Without a table there is nothing to inspect.
pub fn check_input(args: &args::Inspect) -> Result<()> {
    if args.input.is_empty() {
        let fault = fault!(Input, "arguments.no-table", "no table is given");
        return Err(fault.help("write throng inspect TABLE --template NAME").into());
    }
    Ok(())
}

/// The text of the policy and the rules that it satisfies.
pub fn policy(
    args: &args::Inspect,
    folder: &Path,
    (description, applied): (&Description, &Applied),
    input: &Input,
    stem: &str,
) -> Result<(String, TemplateFacts)> {
    let seen_from = |path: &str| relative(folder, path);
    let name = args.template.as_deref().unwrap_or_default();
    let name = if TemplateSpec::is_path(name) { seen_from(name) } else { name.to_owned() };
    let population = args.population.as_deref().map(seen_from);
    // What is not given has its default, which the template replaces.
    let asked = applied.settings();
    let k = if args.k == args::DEFAULT_K { asked.k } else { args.k };
    let suppression =
        if args.suppression == args::DEFAULT_SUPPRESSION { asked.suppression } else { args.suppression };
    template::policy(description, applied, input, (k, suppression), stem, (&name, population.as_deref()))
}

/// Prints how many rules are satisfied, and those that are not.
pub fn show(facts: &TemplateFacts) -> Result<()> {
    let broken =
        broken_rules(facts).into_iter().map(|sentence| format!("WARNING     {}\n", sanitized(&sentence)));
    out(&format!("\ntemplate    {}\n{}", sanitized(&rules_line(facts)), broken.collect::<String>()))
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| {
        let fault = match e.kind() {
            ErrorKind::NotFound => fault!(System, "file.not-found", "there is no such file")
                .help("check the path; `throng inspect --template list` lists the templates of Throng"),
            _ => fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e)
                .help("check the disk and the path; the file must be text in UTF-8"),
        };
        Error::from(fault.file(path))
    })
}

fn this_year() -> i32 {
    year_of(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}
