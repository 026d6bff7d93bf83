//! Similarity of texts by Jaro and Winkler [Winkler 1990].
//!
//! Jaro counts characters that both texts have within half the length of the longer one, and those
//! of them in another order; Winkler raises it for a common beginning of up to four characters.
//! Costs the product of the lengths at the most, with no allocation for texts of up to 64
//! characters.

/// The Jaro–Winkler similarity of two texts, from 0 to 1.
pub fn jaro_winkler(a: &[char], b: &[char]) -> f64 {
    let jaro = jaro(a, b);
    let prefix = a.iter().zip(b).take(4).take_while(|(a, b)| a == b).count();
    // As Winkler's program, only texts that are alike already gain from their beginning.
    if jaro > 0.7 { jaro + 0.1 * prefix as f64 * (1.0 - jaro) } else { jaro }
}

fn jaro(a: &[char], b: &[char]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return if a.len() == b.len() { 1.0 } else { 0.0 };
    }
    if a.len() > 64 || b.len() > 64 {
        // Beyond a name: compare the beginnings, which is what distinguishes long texts.
        return jaro(&a[..a.len().min(64)], &b[..b.len().min(64)]);
    }
    let window = (a.len().max(b.len()) / 2).saturating_sub(1);
    let (mut in_a, mut in_b) = (0u64, 0u64);
    for (at, x) in a.iter().enumerate() {
        let from = at.saturating_sub(window);
        let to = (at + window + 1).min(b.len());
        if let Some(found) = (from..to).find(|&other| in_b >> other & 1 == 0 && b[other] == *x) {
            in_a |= 1 << at;
            in_b |= 1 << found;
        }
    }
    let common = in_a.count_ones();
    if common == 0 {
        return 0.0;
    }
    let matched_b = b.iter().enumerate().filter(|(at, _)| in_b >> at & 1 == 1).map(|(_, x)| x);
    let matched_a = a.iter().enumerate().filter(|(at, _)| in_a >> at & 1 == 1).map(|(_, x)| x);
    let moved = matched_a.zip(matched_b).filter(|(a, b)| a != b).count();
    let common = f64::from(common);
    (common / a.len() as f64 + common / b.len() as f64 + (common - moved as f64 / 2.0) / common) / 3.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(a: &str, b: &str) -> f64 {
        jaro_winkler(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    /// Published values [Winkler 1990, table 1 and later reports].
    #[test]
    fn printed_values() {
        for (a, b, expected) in [
            ("MARTHA", "MARHTA", 0.961),
            ("DWAYNE", "DUANE", 0.840),
            ("DIXON", "DICKSONX", 0.813),
            ("SHACKLEFORD", "SHACKELFORD", 0.982),
            ("NICHLESON", "NICHULSON", 0.956),
            ("JONES", "JOHNSON", 0.832),
            ("ABROMS", "ABRAMS", 0.922),
        ] {
            assert!((of(a, b) - expected).abs() < 0.0006, "{a} {b}: {}", of(a, b));
        }
    }

    proptest! {
        #[test]
        fn it_is_a_similarity(a in "[abc]{0,8}", b in "[abc]{0,8}") {
            prop_assert!((0.0..=1.0).contains(&of(&a, &b)));
            prop_assert_eq!(of(&a, &a), 1.0);
            prop_assert!((of(&a, &b) - of(&b, &a)).abs() < 0.1);
        }
    }
}
