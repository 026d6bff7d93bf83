//! Recall, precision and speed of the detectors on made-up and hand-written documents, beside
//! search and replace [Sweeney 2001, figure 24], as Markdown tables for `docs/text.md`.
//!
//!     make bench-text ARGS="--quick --misses"
//!
//! `--quick` takes fewer documents, `--no-speed` and `--speed-only` leave a part out, `--odd` times
//! texts that nobody writes, `--figure` prints the scrubbed letter of figure 21, `--show` made-up
//! letters with marks. `--misses` prints every mistake with its context, but for those in the
//! hold-out: detectors must not be tuned to them. `--written` leaves the made-up documents out.
//! `--documents FILE` measures marked documents of your own, as crates/text/tests/documents has them.

#![allow(clippy::print_stdout, reason = "the tables are the program's output")]

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use throng_text::letters::score::{Mistake, Score};
use throng_text::letters::{Letter, letter, letters, marked, search};
use throng_text::{Kind, Scrubber, Settings, Subject};

const DEVELOPMENT: &str = include_str!("../tests/documents/development.txt");
const FIGURE_21: &str = include_str!("../tests/documents/figure-21.txt");
const HELD_OUT: &str = include_str!("../tests/documents/held-out.txt");

const LAST: &str = include_str!("../tests/documents/last.txt");
const SECOND_DEVELOPMENT: &str = include_str!("../tests/documents/second-development.txt");
const SECOND_HELD_OUT: &str = include_str!("../tests/documents/second-held-out.txt");
const THIRD_DEVELOPMENT: &str = include_str!("../tests/documents/third-development.txt");
const THIRD_HELD_OUT: &str = include_str!("../tests/documents/third-held-out.txt");
const FOURTH_HELD_OUT: &str = include_str!("../tests/documents/fourth-held-out.txt");
const FIFTH_HELD_OUT: &str = include_str!("../tests/documents/fifth-held-out.txt");
const ORGANIZATIONS: &str = include_str!("../tests/documents/organizations-development.txt");
const ORGANIZATIONS_HELD_OUT: &str = include_str!("../tests/documents/organizations-held-out.txt");

type Found = Vec<(Range<usize>, Kind)>;

/// A way to find what identifies people.
enum Method {
    Straight,
    Cues,
    Throng(Box<Scrubber>),
}

impl Method {
    fn throng(threshold: f32, suppress: f32) -> Self {
        let settings = Settings { threshold, suppress_threshold: suppress, ..Settings::default() };
        Method::Throng(Box::new(Scrubber::new(settings).expect("the settings are valid")))
    }

    fn find(&self, letter: &Letter) -> Found {
        let plain =
            |places: Vec<Range<usize>>| places.into_iter().map(|place| (place, Kind::Person)).collect();
        match self {
            Method::Straight => plain(search::straight(&letter.text, &letter.record)),
            Method::Cues => plain(search::with_cues(&letter.text, &letter.record)),
            Method::Throng(scrubber) => {
                let spans = scrubber.find(&letter.text, &Subject::default());
                spans.iter().map(|span| (span.start..span.end, span.kind)).collect()
            }
        }
    }
}

struct Options {
    quick: bool,
    speed: bool,
    misses: bool,
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| given.iter().any(|arg| arg == name);
    let options = Options { quick: has("--quick"), speed: !has("--no-speed"), misses: has("--misses") };
    if has("--show") {
        return letters(1).take(40).for_each(|letter| show(&letter));
    }
    if has("--speed-only") {
        return speed(options.quick);
    }
    if has("--figure") {
        let letter = &marked::documents(FIGURE_21).expect("the letter is well-formed")[0];
        let scrubber = Scrubber::new(Settings::default()).expect("the default settings are valid");
        return print!("{}", scrubber.scrub(&letter.text, &Subject::default()).text);
    }
    if has("--odd") {
        return odd();
    }
    if let Some(file) = given.iter().skip_while(|arg| *arg != "--documents").nth(1) {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        return own(&marked::documents(&text).expect("the documents are well-formed"), &options);
    }
    let per_seed = match (has("--written"), options.quick) {
        (true, _) => 0,
        (_, true) => 600,
        _ => 2_500,
    };
    let made: Vec<Letter> = (1..=4).flat_map(|seed| letters(seed).take(per_seed)).collect();
    let read = |file: &str| marked::documents(file).expect("the documents are well-formed");
    let developed = [
        DEVELOPMENT,
        HELD_OUT,
        LAST,
        SECOND_DEVELOPMENT,
        SECOND_HELD_OUT,
        THIRD_HELD_OUT,
        THIRD_DEVELOPMENT,
        FOURTH_HELD_OUT,
    ];
    let developed: Vec<Letter> = developed.into_iter().flat_map(read).collect();
    let held_out = read(FIFTH_HELD_OUT);
    let between_physicians: Vec<Letter> =
        made.iter().filter(|letter| letter.title.starts_with("letter")).cloned().collect();
    let written = developed.iter().chain(&held_out).cloned().collect();
    let sets = [
        ("made-up letters", between_physicians),
        ("all made-up", made),
        ("hand-written", written),
        ("of these: development", developed),
        ("of these: hold-out", held_out),
        ("organizations: development", read(ORGANIZATIONS)),
        ("organizations: hold-out", read(ORGANIZATIONS_HELD_OUT)),
    ];
    comparison(&sets);
    kinds(&sets[1..5]);
    if options.misses {
        mistakes(sets[1].0, &sets[1].1);
        mistakes(sets[3].0, &sets[3].1);
    }
    if options.speed {
        speed(options.quick);
    }
}

/// The figures of documents that somebody else marked.
fn own(documents: &[Letter], options: &Options) {
    let sets = [("own", documents.to_vec())];
    comparison(&sets);
    kinds(&sets);
    if options.misses {
        mistakes(sets[0].0, documents);
    }
}

/// Prints a made-up letter with its marks.
fn show(letter: &Letter) {
    let mut marks: Vec<(usize, String)> = Vec::new();
    for truth in &letter.truth {
        marks.push((truth.start, format!("[[{}:", truth.kind.as_str())));
        marks.push((truth.end, "]]".to_owned()));
    }
    for phrase in &letter.medical {
        marks.push((phrase.start, "{{".to_owned()));
        marks.push((phrase.end, "}}".to_owned()));
    }
    marks.sort_by_key(|mark| std::cmp::Reverse(mark.0));
    let mut text = letter.text.clone();
    marks.iter().for_each(|(at, mark)| text.insert_str(*at, mark));
    println!("=== {}\n{text}", letter.title);
}

fn score(method: &Method, set: &[Letter]) -> Score {
    let mut score = Score::default();
    for letter in set {
        score.add(letter, &method.find(letter));
    }
    score
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Figure 24 with a column per set, then all figures of Throng's methods.
fn comparison(sets: &[(&str, Vec<Letter>)]) {
    let methods = [
        ("straight search", "37 %", Method::Straight),
        ("search with cues", "84 %", Method::Cues),
        ("Throng, threshold 0.8", "98 %", Method::throng(0.8, 0.8)),
        ("Throng, threshold 0.7", "100 %", Method::throng(0.7, 0.7)),
        ("Throng, default", "", Method::throng(0.7, 0.5)),
    ];
    let scores = methods.map(|(name, source, method)| {
        (name, source, sets.iter().map(|(_, set)| score(&method, set)).collect::<Vec<_>>())
    });
    print!("| recall | figure 24 |");
    sets.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n| --- | ---: |{}", " ---: |".repeat(sets.len()));
    for (name, source, scores) in &scores {
        print!("| {name} | {source} |");
        scores.iter().for_each(|score| print!(" {} |", percent(score.all().recall())));
        println!();
    }
    println!(
        "\n| documents | number | method | identifiers | recall | precision | medical phrases | untouched |"
    );
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: |");
    for (place, (set_name, set)) in sets.iter().enumerate() {
        for (name, _, scores) in scores.iter().skip(2) {
            let (score, all) = (&scores[place], scores[place].all());
            println!(
                "| {set_name} | {} | {name} | {} | {} | {} | {} | {} |",
                set.len(),
                all.truth,
                percent(all.recall()),
                percent(all.precision()),
                score.medical,
                percent(score.medical_share())
            );
        }
    }
    println!();
}

/// Recall and precision per kind with the default settings.
fn kinds(sets: &[(&str, Vec<Letter>)]) {
    let method = Method::throng(0.7, 0.5);
    let scores: Vec<Score> = sets.iter().map(|(_, set)| score(&method, set)).collect();
    print!("| kind |");
    sets.iter().for_each(|(name, _)| print!(" {name}: number | recall | precision |"));
    println!("\n| --- |{}", " ---: | ---: | ---: |".repeat(sets.len()));
    for kind in Kind::ALL {
        print!("| {} |", kind.as_str());
        for tally in scores.iter().map(|score| score.kind(kind)) {
            let recall = if tally.truth == 0 { "".into() } else { percent(tally.recall()) };
            let precision = if tally.spans == 0 { "".into() } else { percent(tally.precision()) };
            print!(" {} | {recall} | {precision} |", tally.truth);
        }
        println!();
    }
    println!();
}

/// All mistakes of a set with their context; at most 400 of each kind.
fn mistakes(name: &str, set: &[Letter]) {
    let method = Method::throng(0.7, 0.5);
    let mut score = Score::default();
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    println!("## Mistakes in {name} documents\n");
    for letter in set {
        for (mistake, place) in score.add(letter, &method.find(letter)) {
            let label = match mistake {
                Mistake::Missed(kind) => format!("MISSED {}", kind.as_str()),
                Mistake::Wrong(kind) => format!("WRONG  {}", kind.as_str()),
                Mistake::Touched => "TOUCHED medical".to_owned(),
            };
            let count = shown.entry(label.clone()).or_default();
            *count += 1;
            if *count <= 400 {
                println!("{label:24} {:28} {}", letter.title, context(&letter.text, place));
            }
        }
    }
    println!("\n{shown:#?}");
}

fn context(text: &str, place: Range<usize>) -> String {
    let before: String =
        text[..place.start].chars().rev().take(45).collect::<Vec<_>>().into_iter().rev().collect();
    let after: String = text[place.end..].chars().take(30).collect();
    format!("{before}⟦{}⟧{after}", &text[place]).replace(['\n', '\r'], "⏎")
}

/// Runs of every measurement; the least time counts.
const RUNS: usize = 3;

/// Bytes that a measurement of one text reads at least, as often as that takes.
const LEAST_BYTES: usize = 4 << 20;

/// Processor time of this thread in seconds; the wall clock where the system does not give it.
fn clock(start: Instant) -> f64 {
    // The system counts when it schedules, every few milliseconds and here.
    std::thread::yield_now();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

/// The most memory that the process had, in MB.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

/// Documents that are scrubbed at a time.
const TOGETHER: usize = 256;

/// Documents that are measured together.
const PORTION: u64 = 200;

/// Speed over many documents and over one long one, and memory.
fn speed(quick: bool) {
    let scrubber = Scrubber::new(Settings::default()).expect("the default settings are valid");
    scrubber.find("Warm up.", &Subject::default());
    println!("| what | size | find | scrub | most memory |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    let sizes: [usize; 2] = if quick { [4, 12] } else { [8, 40] };
    for size in sizes {
        // The least of several runs of a portion leaves out most of what other programs on the machine
        // cost by using its caches. A portion is too long for the processor to learn it by heart.
        let (mut bytes, mut number, mut finding, mut scrubbing) = (0, 0, 0.0, 0.0);
        while bytes < size << 20 {
            let portion: Vec<Letter> = (number..number + PORTION).map(|number| letter(99, number)).collect();
            let runs: Vec<(f64, f64)> = (0..3 * RUNS)
                .map(|_| timed(&scrubber, portion.iter().map(|letter| letter.text.as_str())))
                .collect();
            finding += runs.iter().map(|run| run.0).fold(f64::INFINITY, f64::min);
            scrubbing += runs.iter().map(|run| run.1).fold(f64::INFINITY, f64::min);
            bytes += portion.iter().map(|letter| letter.text.len()).sum::<usize>();
            number += PORTION;
        }
        row(&format!("{number} documents"), bytes, finding, scrubbing);
    }
    for size in sizes.map(|size| size / 2) {
        let mut text = String::new();
        for letter in letters(98) {
            text.push_str(&letter.text);
            if text.len() >= size << 20 {
                break;
            }
        }
        let (finding, scrubbing) = least(&scrubber, &text);
        row("one document", text.len(), finding, scrubbing);
    }
}

/// Nanoseconds per byte for texts that nobody writes, at two sizes: the same if the cost is linear.
fn odd() {
    let scrubber = Scrubber::new(Settings::default()).expect("the default settings are valid");
    scrubber.find("Warm up.", &Subject::default());
    let texts = [
        ("one word", "A"),
        ("digits", "9"),
        ("digits and hyphens", "1-"),
        ("brackets", "("),
        ("names", "Dr. Ann Lee "),
        ("other names", "Zorvan Telquist, "),
        ("a@", "a@"),
        ("a.", "a."),
        ("NUL", "\0"),
        ("dates", "1/2/94 "),
        ("capitals", "ZOR "),
        ("lines", "\n"),
        ("blanks", " "),
        ("keys", "Name: "),
        ("right to left", "שלום "),
        ("slashes", "/"),
        ("hyphens", "Ann-"),
        ("apostrophes", "O'"),
        ("commas", "Lynn, "),
        ("table", "| Ann | 12 |\n"),
        ("lower", "zorvan "),
    ];
    println!("| text | find, 250 kB | find, 1 MB | scrub, 250 kB | scrub, 1 MB |");
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (name, piece) in texts {
        let times = [250_000, 1_000_000].map(|size| {
            let text = piece.repeat(size / piece.len());
            let (find, scrub) = least(&scrubber, &text);
            (find / size as f64 * 1e9, scrub / size as f64 * 1e9)
        });
        let [(a, c), (b, d)] = times;
        println!("| {name} | {a:.0} ns/B | {b:.0} ns/B | {c:.0} ns/B | {d:.0} ns/B |");
    }
}

/// The least seconds of some runs over one text.
fn least(scrubber: &Scrubber, text: &str) -> (f64, f64) {
    let rounds = (LEAST_BYTES / text.len().max(1)).max(1);
    let runs: Vec<(f64, f64)> =
        (0..RUNS).map(|_| timed(scrubber, std::iter::repeat_n(text, rounds))).collect();
    let least =
        |time: fn(&(f64, f64)) -> f64| runs.iter().map(time).fold(f64::INFINITY, f64::min) / rounds as f64;
    (least(|run| run.0), least(|run| run.1))
}

/// Seconds of the processor for finding and for scrubbing.
fn timed<'a>(scrubber: &Scrubber, texts: impl Iterator<Item = &'a str> + Clone) -> (f64, f64) {
    let start = Instant::now();
    let before = clock(start);
    let found: usize = texts.clone().map(|text| scrubber.find(text, &Subject::default()).len()).sum();
    let between = clock(start);
    let unknown = Subject::default();
    let texts: Vec<(&str, &Subject<'_>)> = texts.map(|text| (text, &unknown)).collect();
    // As many at a time as rows of a column.
    let spans = |texts: &[(&str, &Subject<'_>)]| -> usize {
        scrubber.scrub_all(texts).iter().map(|scrubbed| scrubbed.spans.len()).sum()
    };
    let scrubbed: usize = texts.chunks(TOGETHER).map(spans).sum();
    let end = clock(start);
    assert_eq!(found, scrubbed);
    (between - before, end - between)
}

fn row(what: &str, bytes: usize, finding: f64, scrubbing: f64) {
    let mb = bytes as f64 / 1e6;
    println!(
        "| {what} | {mb:.1} MB | {:.1} MB/s | {:.1} MB/s | {:.0} MB |",
        mb / finding,
        mb / scrubbing,
        memory()
    );
}
