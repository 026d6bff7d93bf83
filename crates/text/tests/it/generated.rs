//! Recall and precision on made-up documents, whose names no detector has seen.

use throng_text::letters::{Letter, letters};

#[test]
fn made_up_documents_reach_the_promised_recall_and_precision() {
    for seed in [101, 102] {
        let letters: Vec<Letter> = letters(seed).take(800).collect();
        let (score, mistakes) = crate::score(&crate::default(), &letters);
        let all = score.all();
        assert!(all.truth > 10_000);
        assert!(all.recall() >= 0.995, "{all:?}\n{}", mistakes[..mistakes.len().min(60)].join("\n"));
        assert!(all.precision() >= 0.95, "{all:?}\n{}", mistakes[..mistakes.len().min(60)].join("\n"));
        assert!(score.medical_share() >= 0.98, "{} of {}", score.untouched, score.medical);
    }
}
