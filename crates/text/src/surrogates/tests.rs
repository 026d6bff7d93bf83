use proptest::prelude::*;

use super::*;
use crate::lexicon::lexicon;

fn lists() -> Vec<(&'static str, &'static [&'static str], usize)> {
    vec![
        ("female names", female_names(), 500),
        ("male names", male_names(), 500),
        ("last names", last_names(), 3000),
        ("stems", stems(), 300),
        ("cities", cities(), 300),
        ("streets", streets(), 300),
        ("institutions", institutions(), 300),
        ("companies", companies(), 300),
        ("schools", schools(), 300),
        ("teams", teams(), 300),
    ]
}

#[test]
fn lists_are_sorted_large_and_without_duplicates() {
    for (name, list, least) in lists() {
        assert!(list.len() >= least, "{name}: {}", list.len());
        assert!(list.is_sorted_by(|a, b| a < b), "{name}");
        assert!(list.iter().all(|entry| entry.trim() == *entry && !entry.is_empty()), "{name}");
        for initial in 'A'..='Z' {
            assert!(!with_initial(list, initial).is_empty(), "{name} has nothing with {initial}");
        }
    }
}

#[test]
fn nobody_has_a_made_up_name() {
    for list in [female_names(), male_names(), last_names(), stems(), cities()] {
        for name in list {
            assert!(!lexicon().word(name).is_known(), "{name}");
        }
    }
}

proptest! {
    #[test]
    fn choice_depends_on_key_and_value_and_keeps_the_initial(
        key in prop::collection::vec(any::<u8>(), 0..8), value in "[a-z]{1,8}", initial in prop::char::range('a', 'z'),
    ) {
        let chosen = choose(last_names(), &key, &value, Some(initial), 0);
        prop_assert!(chosen.starts_with(initial.to_ascii_uppercase()));
        prop_assert_eq!(chosen, choose(last_names(), &key, &value, Some(initial), 0));
        prop_assert!(last_names().contains(&choose(last_names(), &key, &value, None, 1)));
    }
}

#[test]
fn attempts_and_keys_give_different_names() {
    let names: std::collections::HashSet<&str> =
        (0..100).map(|attempt| choose(last_names(), b"key", "smith", None, attempt)).collect();
    assert!(names.len() > 90);
    let keys: std::collections::HashSet<&str> =
        (0..100u8).map(|key| choose(last_names(), &[key], "smith", None, 0)).collect();
    assert!(keys.len() > 90);
}
