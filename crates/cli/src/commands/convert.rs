//! `throng hierarchy convert`: converts the configuration of Katirai's toolkit into a policy and
//! node files, all of them or none.

use std::path::{Path, PathBuf};

use serde::Serialize;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::Input;
use throng::poset::xml::{self, Converted, Named};
use throng_engine::{Engine, Existing, OverwriteGuard, Source, write_atomically};

use super::inspect::relative;
use super::policy_text;
use crate::args::Layout;
use crate::show::{out, sanitized};

/// What to convert, and where to.
pub struct Asked<'a> {
    pub hierarchy: &'a str,
    pub columns: &'a str,
    pub table: &'a str,
    pub layout: &'a Layout,
    pub write: &'a Path,
    pub k: u64,
    pub existing: Existing,
}

pub fn run(asked: &Asked<'_>) -> Result<()> {
    let (hierarchy, columns) = (read(asked.hierarchy)?, read(asked.columns)?);
    let mut input = asked.layout.of(asked.table)?;
    let table = Engine::new().columns(&Source::open(&input, Path::new(""))?)?;
    let converted = xml::convert(
        Named { file: asked.hierarchy, text: &hierarchy },
        Named { file: asked.columns, text: &columns },
        &table,
    )?;
    let folder = asked.write.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    input.path = relative(folder, asked.table);
    let mut files: Vec<(PathBuf, &str)> =
        converted.files.iter().map(|(name, text)| (folder.join(name), text.as_str())).collect();
    let policy = policy_text(asked.write, policy(asked, input, &converted)?)?;
    files.push((asked.write.to_owned(), &policy));
    let guard = OverwriteGuard::default()
        .named("the input", asked.table)
        .named("the declarations of posets", asked.hierarchy)
        .named("the bindings of columns", asked.columns);
    guard.check(files.iter().map(|(path, _)| path.as_path()), asked.existing)?;
    put(&files)?;
    let names: Vec<String> = files.iter().rev().map(|(path, _)| path.display().to_string()).collect();
    let mut text =
        format!("wrote {}; look at it, then run:\n  throng release {}\n", names.join(", "), names[0]);
    if !converted.kept.is_empty() {
        text += &format!(
            "kept unchanged: {}; a column that identifies people needs role = \"identifier\"\n",
            converted.kept.join(", ")
        );
    }
    out(&sanitized(&text))
}

fn read(path: &str) -> Result<String> {
    let help = "it is an XML file in UTF-8, such as docs/posets.md shows";
    let bytes = std::fs::read(path);
    let bytes = bytes.map_err(|e| {
        fault!(System, "file.unreadable", "cannot be read: {reason}", reason = e).file(path).help(help)
    })?;
    String::from_utf8(bytes)
        .map_err(|_| fault!(Input, "poset.not-utf8", "is not UTF-8").file(path).help(help).into())
}

fn policy(asked: &Asked<'_>, input: Input, converted: &Converted) -> Result<String> {
    #[derive(Serialize)]
    struct Top {
        version: u32,
        input: Input,
    }
    let unwritable =
        |e: &dyn std::fmt::Display| Error::from(Fault::bug(format!("a policy cannot be written: {e}")));
    let top = toml::to_string(&Top { version: 1, input }).map_err(|e| unwritable(&e))?;
    let stem = Path::new(asked.table)
        .file_stem()
        .map(|stem| stem.to_string_lossy().replace(['*', '?', '[', ']'], ""));
    let stem = stem.filter(|stem| !stem.is_empty()).unwrap_or("table".into());
    let release = toml::Value::String(format!("{stem}-release.csv"));
    Ok(format!(
        "# Converted by `throng hierarchy convert`.\n{top}\n[output]\npath = {release}\n{}\n[privacy]\nk = {}\n\n[search]\nalgorithm = \"greedy\"\n",
        converted.columns, asked.k
    ))
}

/// Writes all files; where one cannot be written, those that were not there before are taken away
/// again.
fn put(files: &[(PathBuf, &str)]) -> Result<()> {
    let there: Vec<bool> = files.iter().map(|(path, _)| path.exists()).collect();
    for (at, (path, text)) in files.iter().enumerate() {
        if let Err(error) = write_atomically(path, text.as_bytes()) {
            for ((written, _), _) in files[..at].iter().zip(&there).filter(|(_, there)| !**there) {
                // Nothing more can be done about one that cannot be removed.
                let _ = std::fs::remove_file(written);
            }
            return Err(error);
        }
    }
    Ok(())
}
