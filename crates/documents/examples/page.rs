//! Prints the page for a review of the text of standard input.
use std::io::Read;
use throng_documents::{Format, page, scrub};
use throng_text::{Scrubber, Settings};
#[allow(clippy::print_stdout, reason = "an example that prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let document = scrub(&text, Format::Text, &Scrubber::new(Settings::default())?)?;
    print!("{}{}{}", page::head().into_string(), page::document("letter.txt", &document.texts).into_string(), page::foot(0).into_string());
    Ok(())
}
