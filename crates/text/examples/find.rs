//! Prints what is found in the text of standard input, with the rules that led to it; with `--all`
//! also what detectors proposed and resolution did not choose.

use std::io::Read;

use throng_text::candidates::Candidates;
use throng_text::detect::{ALL, Calendar, Detector};
use throng_text::document::Document;
use throng_text::{Scrubber, Settings, Span, Subject};

#[allow(clippy::print_stdout, reason = "an example that prints")]
fn show(text: &str, span: &Span) {
    let found = &text[span.start..span.end];
    println!("{:12} {:.2} {found:?} -> {:?}", span.kind.as_str(), span.certainty, span.replacement);
    for reason in &span.reasons {
        println!("    {:24} {:.2} -> {:.2}  {:?}", reason.rule, reason.before, reason.after, reason.evidence);
    }
}

#[allow(clippy::print_stdout, reason = "an example that prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    if std::env::args().any(|argument| argument == "--all") {
        let document = Document::read(&text, Document::default());
        let mut found = Candidates::default();
        for detector in ALL.iter().copied().chain([&Calendar::default() as &dyn Detector]) {
            detector.detect(&document, &mut found);
        }
        found.list.iter().for_each(|candidate| show(&text, &found.span(candidate, &text, 0)));
        println!("----");
    }
    let scrubbed = Scrubber::new(Settings::default())?.scrub(&text, &Subject::unknown());
    scrubbed.spans.iter().for_each(|span| show(&text, span));
    println!("{}", scrubbed.text);
    Ok(())
}
