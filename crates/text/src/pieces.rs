//! Large texts in pieces: cut where nothing is torn apart, if there is such a place.

/// Bytes of a piece, about: what is known about its words fits the cache of a core.
pub const SIZE: usize = 1 << 15;

/// The ends of the pieces of a text: behind an empty line, a line, a sentence or a blank, in the
/// last quarter of a piece; else between any two signs.
pub fn ends(text: &str, size: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut from = 0;
    while text.len() - from > size {
        let end = cut(text, from, from + size);
        ends.push(end);
        from = end;
    }
    ends.push(text.len());
    ends
}

fn cut(text: &str, from: usize, limit: usize) -> usize {
    let limit = (from + 1..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let low = (from + (limit - from) * 3 / 4..=limit).find(|at| text.is_char_boundary(*at)).unwrap_or(limit);
    let tail = &text[low..limit];
    for separator in ["\n\n", "\n", ". ", " "] {
        if let Some(at) = tail.rfind(separator) {
            return low + at + separator.len();
        }
    }
    limit.max(from + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_cover_the_text_on_boundaries(text in "[a .\\n\u{e9}]{0,60}", size in 4usize..20) {
            let ends = ends(&text, size);
            let mut from = 0;
            for end in &ends {
                prop_assert!(text.is_char_boundary(*end) && *end - from <= size);
                prop_assert!(*end > from || text.is_empty());
                from = *end;
            }
            prop_assert_eq!(from, text.len());
        }
    }

    #[test]
    fn cuts_are_behind_paragraphs_then_lines_then_blanks() {
        assert_eq!(ends("aaaaaa\n\nb c dd", 10), [8, 14]);
        assert_eq!(ends("aaaaaaaa b\ncccc", 12), [11, 15]);
        assert_eq!(ends("aaaaaaaaaaaa", 5), [5, 10, 12]);
    }
}
