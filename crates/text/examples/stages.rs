//! Prints the time of each stage of scrubbing in nanoseconds per byte, to find the slow one.

use std::time::Instant;

use throng_text::candidates::Candidates;
use throng_text::detect::{ALL, Calendar, Detector};
use throng_text::document::Document;
use throng_text::letters::letter;
use throng_text::{Scrubber, Settings, Subject};

#[allow(clippy::print_stdout, reason = "an example that prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts: Vec<String> = (0..3000).map(|number| letter(99, number).text).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let scrubber = Scrubber::new(Settings::default())?;
    let unknown = Subject::unknown();
    scrubber.find(&texts[0], &unknown);
    let calendar = Calendar::default();
    let mut times: Vec<(String, u128)> = Vec::new();
    // The least of several runs of each document.
    let mut record = |name: &str, nanoseconds: u128| match times.iter_mut().find(|(own, _)| own == name) {
        Some((_, sum)) => *sum += nanoseconds,
        None => times.push((name.to_owned(), nanoseconds)),
    };
    let least = |mut work: Box<dyn FnMut() + '_>| {
        (0..3)
            .map(|_| {
                let start = Instant::now();
                work();
                start.elapsed().as_nanos()
            })
            .min()
            .unwrap_or(0)
    };
    let mut memory = Document::default();
    for text in &texts {
        let mut kept = Some(std::mem::take(&mut memory));
        let read = least(Box::new(|| {
            let document = Document::read(text, kept.take().unwrap_or_default());
            kept = Some(document.forget());
        }));
        record("read", read);
        let document = Document::read(text, kept.take().unwrap_or_default());
        let mut found = Candidates::default();
        for detector in ALL.iter().copied().chain([&calendar as &dyn Detector]) {
            let time = least(Box::new(|| {
                found.clear();
                detector.detect(&document, &mut found);
            }));
            record(detector.name(), time);
        }
        record("find", least(Box::new(|| drop(scrubber.find(text, &unknown)))));
        record("scrub", least(Box::new(|| drop(scrubber.scrub(text, &unknown)))));
        memory = document.forget();
    }
    times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    for (name, time) in &times {
        println!("{name:14} {:7.2} ns per byte", *time as f64 / bytes as f64);
    }
    Ok(())
}
