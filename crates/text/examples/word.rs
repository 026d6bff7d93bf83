//! Prints what the lexicon has about the words of the command line.

use throng_text::lexicon::lexicon;

#[allow(clippy::print_stdout, reason = "an example that prints")]
fn main() {
    for word in std::env::args().skip(1) {
        let known = lexicon().word(&word);
        let levels = (known.first_level(), known.last_level(), known.common_level(), known.population());
        println!(
            "{word}: known {}, first, last, common, population {levels:?}, odds {:.1}, {:?}",
            known.is_known(),
            known.name_odds(),
            known.flags().collect::<Vec<_>>()
        );
    }
}
