//! `throng scrub PATH… [--out DIR]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use throng::error::Result;
use throng_engine::scrub::{DateRule, Encoding, Mode, Settings, UserPattern, WordList, key_in, word_list};
use throng_engine::{Engine, ScrubDone, ScrubJob};

use crate::Ended;
use crate::args::{self, ScrubDates, ScrubMode, TextEncoding};
use crate::progress::Line;
use crate::show::{integer, note, out, sanitized};

/// What was scrubbed, without the findings.
#[derive(Serialize)]
struct Summary<'a> {
    documents: u64,
    bytes: u64,
    found: &'a BTreeMap<String, u64>,
    left_out: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
}

pub fn run(args: &args::Scrub) -> Result<Ended> {
    let table = match (args.columns.is_empty(), args.paths.as_slice()) {
        (false, [path]) => Some(args.layout.of(path)?),
        _ => None,
    };
    let line = Line::new();
    let done = Engine::new().scrub(&ScrubJob {
        paths: &args.paths,
        columns: &args.columns,
        table,
        settings: settings(args)?,
        encoding: match args.encoding {
            TextEncoding::Utf8 => Encoding::Utf8,
            TextEncoding::Latin1 => Encoding::Latin1,
            TextEncoding::Utf16 => Encoding::Utf16,
        },
        out: args.out.clone(),
        page: args.page.clone(),
        skip_unreadable: args.skip_unreadable,
        existing: args.overwrite.existing(),
        watch: line.watch(),
    });
    line.clear();
    let done = done?;
    done.left_out.iter().for_each(|why| note(&sanitized(&format!("left out: {why}"))));
    match args.output.json {
        true => json(args, done)?,
        false => show(args, &done)?,
    }
    Ok(Ended::Holds)
}

/// How texts are scrubbed.
fn settings(args: &args::Scrub) -> Result<Settings> {
    let list = |path: &PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        word_list(path).map(|words| WordList::named(&name, words))
    };
    let pattern = |(name, pattern): &(String, String)| UserPattern::named(name, pattern);
    Ok(Settings {
        mode: match args.mode {
            ScrubMode::Surrogate => Mode::Surrogate,
            ScrubMode::Tag => Mode::Tag,
            ScrubMode::Mask => Mode::Mask,
        },
        threshold: args.threshold as f32,
        dates: match args.dates {
            ScrubDates::Month => DateRule::MonthYear,
            ScrubDates::Year => DateRule::Year,
        },
        day_first: args.day_first,
        key: args.key_file.as_deref().map(key_in).transpose()?,
        lists: args.lists.iter().map(list).collect::<Result<_>>()?,
        safe_words: args.safe.iter().map(|path| word_list(path)).collect::<Result<Vec<_>>>()?.concat(),
        patterns: args.patterns.iter().map(pattern).collect(),
        ..Settings::default()
    })
}

/// The summary with all findings.
fn json(args: &args::Scrub, done: ScrubDone) -> Result<()> {
    let page = args.page.as_ref().map(|page| page.display().to_string());
    let ScrubDone { documents, bytes, found, left_out, findings, .. } = done;
    let summary = Summary { documents, bytes, found: &found, left_out: &left_out, page };
    let summary = super::json(&summary)?;
    out(summary.trim_end().trim_end_matches('}').trim_end())?;
    out(",\n  \"files\": ")?;
    findings.each(out)?;
    out("\n}\n")
}

/// The scrubbed text, or what was written.
fn show(args: &args::Scrub, done: &ScrubDone) -> Result<()> {
    if let Some(text) = &done.text
        && args.page.is_none()
    {
        return out(text);
    }
    let found: u64 = done.found.values().sum();
    let kinds: Vec<String> = done.found.iter().map(|(kind, n)| format!("{kind} {}", integer(*n))).collect();
    let what = if args.columns.is_empty() { "document" } else { "text" };
    let many = |n: u64, what: &str| format!("{} {what}{}", integer(n), if n == 1 { "" } else { "s" });
    let mut text = format!("{}, {} replaced or suppressed", many(done.documents, what), many(found, "place"));
    if !kinds.is_empty() {
        text += &format!(": {}", kinds.join(", "));
    }
    let places = args.out.iter().chain(&args.page).map(|path| path.display().to_string());
    let places: Vec<String> = places.collect();
    out(&format!("{text}\nwrote {}\n", sanitized(&places.join(", "))))
}
