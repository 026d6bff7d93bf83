//! `throng release POLICY`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use throng::error::{Error, Result};
use throng::fault;
use throng::registry::{Algorithm, LossKind};
use throng::release::{LedgerFacts, NotionFacts, RegionFacts, Release, SearchFacts, Summary};
use throng::report::facts::{Bound, ColumnFacts};
use throng::report::{broken_rules, preparation_lines, rules_line, scrubbed_lines};
use throng::search::LARGE;
use throng::suggest::Hint;
use throng::utility::short;
use throng_engine::{Done, Engine, HolderFiles, Job, PolicyFile};

use super::json;
use crate::Ended;
use crate::args;
use crate::progress::{Line, was_interrupted};
use crate::show::{integer, nodes, note, out, percent, sanitized};

pub fn run(args: &args::Release) -> Result<Ended> {
    let time_limit = args.seconds.map(Duration::from_secs_f64);
    let holder = HolderFiles { sets: args.sets.clone(), rows: args.rows.clone() };
    use_threads(args.threads)?;
    let engine = Engine::new().within(args.memory);
    let done = release(&engine, &args.policy, args.out.clone(), holder, (args.random.seed, time_limit))?;
    if done.paths.is_standard() {
        copy_out(&done.paths.output)?;
        note(summary(&done, time_limit).trim_end());
        return Ok(Ended::Holds);
    }
    if args.output.json {
        done.holder.paths().for_each(|path| note(&format!("WARNING     {}", links_rows(path))));
        let broken = done.facts.release.template.as_ref().map(broken_rules).unwrap_or_default();
        broken.iter().for_each(|sentence| note(&format!("WARNING     {}", sanitized(sentence))));
        out(&release_json(&done)?)?;
    } else {
        out(&summary(&done, time_limit))?;
    }
    Ok(Ended::Holds)
}

/// Works on this many threads from here on; more than there are cores is allowed, with a notice.
pub fn use_threads(threads: Option<NonZeroUsize>) -> Result<()> {
    let Some(threads) = threads.map(NonZeroUsize::get) else { return Ok(()) };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if threads > cores {
        note(&format!("note        {threads} threads on {cores} cores: more than cores save no time"));
    }
    Engine::use_threads(threads)
}

/// A release as JSON, with what would keep more.
pub fn release_json(done: &Done) -> Result<String> {
    #[derive(Serialize)]
    struct Released<'a> {
        #[serde(flatten)]
        summary: Summary<'a>,
        suggestions: &'a [Hint],
    }
    json(&Released { summary: done.certificate.summary(), suggestions: &done.facts.suggestions })
}

/// Copies a release to standard output; a closed pipe is not an error.
fn copy_out(file: &Path) -> Result<()> {
    let mut file = std::fs::File::open(file).map_err(cannot_copy)?;
    let mut out = std::io::stdout().lock();
    match std::io::copy(&mut file, &mut out).and_then(|_| std::io::Write::flush(&mut out)) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(cannot_copy(e)),
        _ => Ok(()),
    }
}

fn cannot_copy(e: std::io::Error) -> Error {
    fault!(System, "release.standard-output", "the release cannot be copied: {reason}", reason = e)
        .help("check the free space of where standard output goes; what is there is not whole")
        .into()
}

/// Releases as a policy says, with progress.
pub fn release(
    engine: &Engine,
    policy: &Path,
    output: Option<PathBuf>,
    holder: HolderFiles,
    (seed, time_limit): (Option<u64>, Option<Duration>),
) -> Result<Done> {
    let (policy, text) = PolicyFile::read(policy)?;
    let line = Line::with_best("Ctrl-C releases the best result so far");
    let job = Job { policy: &policy, output, holder, seed, time_limit, watch: line.watch() };
    let done = engine.release(&job);
    line.clear();
    done.map_err(|e| in_policy(e, &policy, &text))
}

/// Names the policy in faults about its keys, with their place.
pub fn in_policy(error: Error, policy: &PolicyFile, text: &str) -> Error {
    policy.located(error, text)
}

/// What was done, for a person.
pub fn summary(done: &Done, time_limit: Option<Duration>) -> String {
    // Of drawn rows the holder sees more than the certificate may state.
    let r = &done.facts.release;
    let mut text = rules(r) + &exposures(done) + &protection(done);
    let share = if r.rows > 0 { 100.0 * r.suppressed as f64 / r.rows as f64 } else { 0.0 };
    for (model, claim) in &r.privacy {
        let achieved = claim.achieved.map_or("no rows".into(), |a| a.to_string());
        let verdict = if claim.holds { "holds" } else { "DOES NOT HOLD" };
        let _ = writeln!(text, "{model:<11} {verdict}: required {}, reached {achieved}", claim.required);
    }
    if let Some(notions) = &r.notions {
        let _ = writeln!(text, "notions     {}", reached(notions));
    }
    text += &accuracy(r);
    let _ = writeln!(
        text,
        "rows        {}, {} released, {} suppressed ({share:.2} %)",
        read(r),
        integer(r.released),
        integer(r.suppressed)
    );
    if let Some(people) = &r.people {
        let _ = writeln!(
            text,
            "people      {} read, {} released, {} left out, {} with some rows left out",
            integer(people.people),
            integer(people.released),
            integer(people.withheld),
            integer(people.partly)
        );
    }
    if let Some(ledger) = &r.ledger {
        let _ = writeln!(text, "ledger      {}", sanitized(&compared(ledger)));
    }
    for line in r.preparation.as_ref().map(preparation_lines).unwrap_or_default() {
        let _ = writeln!(text, "prepared    {}", sanitized(&line));
    }
    for line in scrubbed_lines(&r.text) {
        let _ = writeln!(text, "scrubbed    {}", sanitized(&line));
    }
    if let Some(deleted) = &r.deleted {
        let cells =
            deleted.cells.iter().map(|(name, &cells)| format!(", {} cells of {name}", integer(cells)));
        let cells: String = cells.collect();
        let _ = writeln!(text, "deleted     {} rows{cells}, because of rare values", integer(deleted.rows));
    }
    for facts in r.predicted.values() {
        let _ = writeln!(text, "predicted   {} rows released {}", integer(facts.rows), facts.reason());
    }
    text += &stars(done);
    text += &starred(done);
    let _ = match &r.regions {
        Some(regions) if r.notions.is_some() => {
            writeln!(text, "sets        {}, one for each distinct row", in_regions(regions))
        }
        Some(regions) => writeln!(text, "regions     {}", in_regions(regions)),
        None => writeln!(text, "levels      {}", levels(done).join(", ")),
    };
    text += &dearest(done);
    text += &utility(done);
    let losses: Vec<String> = done
        .facts
        .losses
        .iter()
        .filter(|l| l.target || [LossKind::Prec, LossKind::Lm].iter().any(|kind| kind.key() == l.name))
        .map(|l| format!("{} {:.4}", l.name, l.value))
        .collect();
    let _ = writeln!(text, "loss        {}", losses.join(", "));
    text += &predictions(r);
    let _ = writeln!(text, "search      {} ({:.3} s)", searched(done), r.search.seconds);
    let by_levels = r.regions.is_none() && !done.facts.policy.local;
    if time_limit.is_none() && by_levels && gave_up(&r.search) {
        text += "            it ended without proof, after many checks without progress; --seconds N searches longer\n";
    }
    if let Some(reason) = &r.search.reason {
        let _ = writeln!(text, "            one level per column: {}", sanitized(reason));
    }
    let checked = done.verdict.claims.values().filter(|f| !f.unchecked).count();
    let _ = writeln!(text, "verified    {checked} claims, against the original");
    let _ = writeln!(text, "release     {}", done.paths.name());
    let _ = writeln!(text, "certificate {}", done.paths.certificate.display());
    let _ = writeln!(text, "report      {}", done.paths.report.display());
    if let Some(path) = &done.paths.statement {
        let _ = writeln!(text, "statement   {}", path.display());
    }
    for path in done.holder.paths() {
        let _ = writeln!(text, "WARNING     {}", links_rows(path));
    }
    for hint in &done.facts.suggestions {
        let _ = writeln!(text, "To keep more: {}", sanitized(&hint.words()));
    }
    text
}

/// How narrowly the release bounds the statistics of the policy, and the k that was reached within
/// these limits.
fn accuracy(r: &Release) -> String {
    let mut text = String::new();
    for (name, claim) in &r.utility {
        let end = |end: Option<f64>| end.map_or("no bound".to_owned(), short);
        let (low, high, width) = (end(claim.low), end(claim.high), end(claim.achieved));
        let name = sanitized(name);
        let _ = writeln!(
            text,
            "accuracy    {name}: between {low} and {high}, {width} wide; {} is allowed",
            claim.required
        );
    }
    if let Some(k) = r.search.k {
        let _ = writeln!(text, "maximized   k = {k} is the largest found with this accuracy");
    }
    text
}

/// What the ledger found.
fn compared(ledger: &LedgerFacts) -> String {
    let LedgerFacts { recipient, compared, candidates, withheld, nested_on } = ledger;
    let fewest = candidates.map_or(String::new(), |n| format!(", at least {} candidates each", integer(n)));
    let without = match withheld {
        0 => String::new(),
        n => format!(", {} people withheld because of these", integer(*n)),
    };
    let releases = if *compared == 1 { "release" } else { "releases" };
    let how = if nested_on.is_some() { "built on" } else { "compared with" };
    format!("recipient {recipient}: {how} {} earlier {releases}{fewest}{without}", integer(*compared))
}

/// The protection in one sentence, and the columns that it is about.
fn protection(done: &Done) -> String {
    let columns = done.facts.quasi_identifiers();
    let columns = match columns.len() {
        0 | 1 => String::new(),
        _ => format!("\n            The columns: {}", sanitized(&some_names(&columns))),
    };
    format!("protection  {}{columns}\n", sanitized(&done.facts.protection().to_string()))
}

/// Columns that are named; the report has all.
const NAMED: usize = 20;

/// The first names, and how many more there are.
fn some_names(names: &[impl AsRef<str>]) -> String {
    let named: Vec<&str> = names.iter().take(NAMED).map(AsRef::as_ref).collect();
    let more = names.len() - named.len();
    named.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// The columns that lost most.
fn dearest(done: &Done) -> String {
    let columns = done.facts.dearest_columns();
    let columns = columns.iter().map(|(name, lm)| format!("{} {}", sanitized(name), percent(*lm)));
    match &columns.collect::<Vec<_>>()[..] {
        [] => String::new(),
        several => format!("lost most   {} of their detail (LM)\n", several.join(", ")),
    }
}

/// Means and correlations before and after; the report has all.
fn utility(done: &Done) -> String {
    const SHOWN: usize = 3;
    let found = &done.facts.statistics;
    let means = found.numbers.iter().take(SHOWN).map(|of| {
        let (before, after) = of.means();
        format!("mean of {} {before} → {after}", sanitized(&of.column))
    });
    let correlations = found.correlations.iter().take(1).map(|of| {
        let signed = |x: f64| format!("{x:.2}").replace('-', "−");
        let (before, after) = (signed(of.before), of.after.map_or("lost".into(), signed));
        let [a, b] = of.columns.each_ref().map(|name| sanitized(name));
        format!("correlation of {a} and {b} {before} → {after}")
    });
    match &means.chain(correlations).collect::<Vec<_>>()[..] {
        [] => String::new(),
        several => format!("usable      {}\n", several.join(", ").replace('\u{202F}', " ")),
    }
}

/// What a file for the holder is.
pub fn links_rows(path: &Path) -> String {
    let path = sanitized(&path.display().to_string());
    format!("{path} links rows of the input to released rows: keep it to yourself")
}

/// The notions of anonymity that a release has.
fn reached(notions: &NotionFacts) -> String {
    let NotionFacts { k_one, one_k, k_k, k } = notions;
    let weaker = if k < k_one { "; rows can differ: it is not k-anonymous" } else { "" };
    format!("(k,1) {k_one}, (1,k) {one_k}, (k,k) {k_k}, k-anonymity {k}{weaker}")
}

/// Warnings that are printed; the report has all.
const WARNINGS: usize = 4;

/// Rules of the template that are not satisfied, and how many are.
fn rules(r: &Release) -> String {
    let Some(template) = &r.template else { return String::new() };
    let broken =
        broken_rules(template).into_iter().map(|sentence| format!("WARNING     {}\n", sanitized(&sentence)));
    format!("{}template    {}\n", broken.collect::<String>(), sanitized(&rules_line(template)))
}

/// What released columns give away.
fn exposures(done: &Done) -> String {
    let all = &done.facts.exposures;
    let shown = all
        .iter()
        .take(WARNINGS)
        .map(|words| format!("WARNING     {}\n", sanitized(&words.replace('\u{202F}', " "))));
    let more = match all.len().saturating_sub(WARNINGS) {
        0 => String::new(),
        more => format!("WARNING     {more} more: see the report\n"),
    };
    shown.chain([more]).collect()
}

/// The share of cells that are starred, and the columns and rows that hold nothing else.
fn stars(done: &Done) -> String {
    let facts = &done.facts;
    let mut text = format!("stars       {:.1} % of the quasi-identifiers' cells", 100.0 * facts.stars.share);
    let empty = facts.empty_columns();
    if !empty.is_empty() {
        text += &format!("; nothing but * in {}", sanitized(&empty.join(", ")));
    }
    if facts.stars.blank > 0 {
        text += &format!(
            "; {} of the suppressed rows are in a class with nothing but *, which the limit does not count",
            integer(facts.stars.blank)
        );
    }
    text + "\n"
}

/// The levels of quasi-identifiers, in words where these say more than the number; with several
/// steps, the lowest and the highest of each.
fn levels(done: &Done) -> Vec<String> {
    let release = &done.facts.release;
    let level = |column: &ColumnFacts| {
        let (name, height) = (&column.name, column.height);
        let levels = || release.steps.iter().filter_map(|step| step.levels.get(name));
        match (levels().min(), levels().max(), release.levels.get(name)) {
            (Some(low), Some(high), _) if low < high && done.facts.recoded_locally() => {
                format!("{low}-{high}/{height}")
            }
            (_, _, Some(&level)) => format!("{level}/{height}{}", in_words(column, level)),
            (_, _, None) => format!("/{height}"),
        }
    };
    let quasi = done.facts.columns.iter().filter(|c| release.levels.contains_key(&c.name));
    quasi.map(|c| format!("{} {}", sanitized(&c.name), level(c))).collect()
}

/// The name of a level in brackets; nothing for the exact value and for a level that has only its
/// number.
fn in_words(column: &ColumnFacts, level: usize) -> String {
    match column.level_names.get(level) {
        Some(name) if level > 0 && !name.starts_with("level ") => format!(" ({name})"),
        _ => String::new(),
    }
}

/// How the result was found, and how much better another could be.
fn searched(done: &Done) -> String {
    let facts = &done.facts;
    let search = &facts.release.search;
    let algorithm = search.found_by();
    let local = facts.policy.local || facts.release.regions.is_some();
    let bound = match facts.bound() {
        Bound::Optimal if local => "nothing is lost".into(),
        Bound::Optimal => "proven optimal".into(),
        Bound::Within(share) => {
            format!("the best possible result may be up to {} better", percent(share))
        }
        Bound::Unknown if local => "no bound known for local recoding".into(),
        Bound::Unknown => "no bound known".into(),
    };
    let checked = integer(search.checked);
    match &facts.release.regions {
        Some(_) => format!("{algorithm}: {bound}"),
        None if facts.policy.local => format!("{algorithm}: {checked} nodes checked in all rounds, {bound}"),
        None => format!("{algorithm}: {checked} of {} nodes checked, {bound}", nodes(search.nodes)),
    }
}

/// Whether a search of levels ended by itself without proof, because the lattice is too large to
/// finish; where no time limit was set.
fn gave_up(search: &SearchFacts) -> bool {
    let by_auto = search.method.as_ref().unwrap_or(&search.algorithm) == Algorithm::Auto.key();
    by_auto && search.nodes > LARGE && search.gap > 0.0 && !was_interrupted()
}

/// The mean error of the policy's model, before and after.
fn predictions(r: &Release) -> String {
    let Some(model) = &r.model else { return String::new() };
    format!(
        "model       {} predicts {} with a mean error of {:.4} from released rows, {:.4} from the same rows untouched (not verified)\n",
        model.name,
        sanitized(&model.target),
        model.released.mean,
        model.original.mean
    )
}

/// How many rows were read, and drawn where they were.
fn read(r: &Release) -> String {
    match r.sampling {
        None => format!("{} read", integer(r.rows)),
        Some(_) => format!("{} read, {} drawn", integer(r.input.rows), integer(r.rows)),
    }
}

/// How many rows were kept by starring how many cells, where any were.
fn starred(done: &Done) -> String {
    let (rows, cells) = done.certificate.release.rescued();
    if rows == 0 {
        return String::new();
    }
    if cells == 0 {
        let steps = done.certificate.release.steps.len();
        return format!("steps       {steps}, each with its own levels\n");
    }
    let columns = done.facts.columns.iter().filter(|c| c.starred > 0);
    let columns: Vec<String> = columns.map(|c| format!("{} {}", c.name, integer(c.starred))).collect();
    format!(
        "cells       {} starred to keep {}: {}\n",
        integer(cells),
        if rows == 1 { "1 row".into() } else { format!("{} rows", integer(rows)) },
        columns.join(", ")
    )
}

/// How many regions there are, and the columns by the form of their cells.
fn in_regions(regions: &RegionFacts) -> String {
    let mut forms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, form) in &regions.forms {
        forms.entry(form.name()).or_default().push(name);
    }
    let forms = forms.iter().map(|(form, names)| format!("; {form}s: {}", sanitized(&some_names(names))));
    let groups = if regions.count == 1 { "group" } else { "groups" };
    format!("{} {groups} of similar rows{}", integer(regions.count), forms.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unfinished_search_of_a_large_lattice_has_given_up() {
        let auto = SearchFacts {
            algorithm: "auto".into(),
            method: None,
            reason: None,
            k: None,
            nodes: LARGE + 1,
            checked: 50_000,
            optimal: false,
            gap: 0.1,
            seconds: 1.0,
        };
        assert!(gave_up(&auto));
        assert!(gave_up(&SearchFacts {
            algorithm: "best".into(),
            method: Some("auto".into()),
            ..auto.clone()
        }));
        assert!(!gave_up(&SearchFacts { method: Some("datafly".into()), ..auto.clone() }));
        assert!(!gave_up(&SearchFacts { gap: 0.0, optimal: true, ..auto.clone() }));
        assert!(!gave_up(&SearchFacts { nodes: LARGE, ..auto }));
    }
}
