//! Codes with how often they occur: bounds against all cells there are, on trees and on other
//! posets.

use std::collections::BTreeMap;

use proptest::sample::Index;

use super::graphs::graph_file;
use super::*;

const ICD: &str =
    "*\n427;;*\n427.8;;427\n427.89;;427.8\n427.81;;427.8\n427.1;;427\n031;;*\n031.0;;031\n031.1;;031\n";

fn of_codes(file: &str, most: u32, values: &[&str]) -> Poset {
    within(file, &format!("most = {most}"), values)
}

fn within(file: &str, limits: &str, values: &[&str]) -> Poset {
    built(&format!("{{ codes = {{ file = \"icd9.csv\", {limits} }} }}"), values, &|_| Ok(file.into()))
        .unwrap()
}

#[test]
fn codes_meet_where_they_can() {
    let values =
        ["427.89:10; 031.0:2", "427.89:3;427.1; 031.1", "031.0", "427.81:4", "427.89; 427.89:2;427.89", ""];
    let codes = of_codes(ICD, 39, &values);
    assert_eq!(lub(&codes, &[0]), ["427.89:10; 031.0:2"]);
    assert_eq!(lub(&codes, &[4]), ["427.89:4"], "what is listed twice adds up");
    assert_eq!(
        lub(&codes, &[0, 1]),
        ["427.89:3; 031; 427"],
        "equal codes first, then those that meet lowest"
    );
    assert_eq!(lub(&codes, &[0, 2]), ["031.0"]);
    assert_eq!(lub(&codes, &[1, 3]), ["427.8:3; 427"]);
    assert_eq!(lub(&codes, &[2, 3]), ["*"], "that both have a code is worth nothing");
    assert_eq!(lub(&codes, &[0, 5]), ["*"]);
    // Heights are 0 to 3 of 3: an occurrence is worth 1, 2/3 or 1/3.
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    near(codes.pair(0, 1), 1.0 - (3.0 + 2.0 / 3.0 + 1.0 / 3.0) / 12.0);
    near(codes.measure(&codes.only(0)), 0.0);
    assert!(codes.covers(Some("427.8:2; 427"), Some("427.89:2; 427.1")));
    assert!(!codes.covers(Some("427.8:2; 427"), Some("427.89:2")), "no occurrence counts twice");
    assert!(!codes.covers(Some("427.8:2; 427"), Some("427.89; 427.1:2")));
}

/// `most` counts pairs, whatever their frequencies. Within it, the bound of equal values is the
/// value; beyond it, a value loses the later pairs [Katirai 2006, joining of the two tables].
#[test]
fn most_limits_pairs() {
    let values = ["427.89:50; 031.0:20", "031.1; 427.89:10; 031.0:2", "427.1:10; 427.89:10"];
    let two = of_codes(ICD, 2, &values);
    assert_eq!(lub(&two, &[0, 0]), ["427.89:50; 031.0:20"], "equal rows stay as they are");
    assert_eq!(two.measure(&two.only(0)), 0.0);
    assert_eq!(lub(&two, &[1, 1]), ["427.89:10; 031.1"], "the third code is purged");
    assert!(two.measure(&two.only(1)) > 0.0 && two.measure_of(Some("427.89:10; 031.1")).unwrap() > 0.0);
    let one = of_codes(ICD, 1, &values);
    assert_eq!(lub(&one, &[0, 0]), ["427.89:50"]);
    assert_eq!(one.measure(&one.only(0)), 2.0 / 7.0, "20 of 70 occurrences");
    assert_eq!(lub(&one, &[1, 1]), ["031.1"], "the first that is listed stays");
    // Twice the same code is one pair.
    assert_eq!(lub(&of_codes(ICD, 1, &["031.0; 031.0:2"]), &[0]), ["031.0:3"]);
    // What is no cell within the limit has no measure.
    assert_eq!(
        (two.measure_of(Some("427.89; 031.0; 031.1")), one.measure_of(Some("427.89; 031.0"))),
        (None, None)
    );
}

/// A bound can have more pairs than each of its values: the best ones stay, or nodes above several.
#[test]
fn bounds_keep_the_pairs_that_are_worth_most() {
    let values = ["427.89:10; 031.0:2", "427.89:3; 427.1; 031.1", "427.89:3; 427.1:4", "427.81:4; 427.1:3"];
    assert_eq!(lub(&of_codes(ICD, 3, &values), &[0, 1]), ["427.89:3; 031; 427"]);
    assert_eq!(lub(&of_codes(ICD, 2, &values[..1].repeat(2)), &[0, 1]), ["427.89:10; 031.0:2"]);
    assert_eq!(lub(&of_codes(ICD, 2, &values), &[0, 1]), ["427.89:3; 427"], "031.1 was purged");
    let values = ["a1:4; b1:4", "a1:3; a2:5"];
    let file = "*\nr;;*\na;;r\nb;;r\na1;;a\na2;;a\nb1;;b\n";
    assert_eq!(lub(&of_codes(file, 3, &values), &[0, 1]), ["a1:3; a; r:4"]);
    // An occurrence is worth 1, 2/3 or 1/3: 3 + 5/3 is more than 3 + 4/3 and more than 8/3 + 4/3.
    assert_eq!(lub(&of_codes(file, 2, &values), &[0, 1]), ["a1:3; r:5"], "r in place of a and r");
}

#[test]
fn most_occurrences_keeps_the_first_ones() {
    let values = ["427.89:10; 031.0:2", "427.89:3; 031.0", "031.0:2; 427.89:10"];
    let codes = within(ICD, "most = 39, most_occurrences = 11", &values);
    assert_eq!(lub(&codes, &[0, 0]), ["427.89:10; 031.0"]);
    assert_eq!(codes.measure(&codes.only(0)), 1.0 - 11.0 / 12.0);
    assert_eq!(lub(&codes, &[1, 1]), ["427.89:3; 031.0"], "what keeps the limit stays as it is");
    assert_eq!(lub(&codes, &[2]), ["427.89:9; 031.0:2"]);
    assert_eq!(codes.measure_of(Some("427.89:12")), None);
    for (limits, key) in [("most = 1, most_occurrences = 0", "most_occurrences"), ("most = 1000001", "most")]
    {
        let text = refused(&format!("{{ codes = {{ file = \"icd9.csv\", {limits} }} }}"), &[], ICD);
        assert!(text.contains(&format!("{key}: {key} = ")) && text.contains("is out of range"), "{text}");
    }
}

/// What was matched anew is not there to be matched anew again: A gives s1 up for B, so that C
/// cannot have it from A.
#[test]
fn a_match_is_taken_back_once() {
    let codes = of_codes("*;10\nA;1;*\nB;2;*\nC;3;*\ns1;0;A;B;C\ns2;0;A\ns3;0;A", 9, &[]);
    assert!(!codes.covers(Some("A; B; C"), Some("s1; s2; s3")));
    assert!(codes.covers(Some("A; B; C"), Some("s1:2; s2; s3")));
}

#[test]
fn what_is_no_list_of_codes_is_refused() {
    let spec = "{ codes = { file = \"icd9.csv\", most = 39 } }";
    for wrong in [
        "427.89:0",
        "427.89:",
        "999",
        "031.0;",
        "031.0:2:3",
        "031.0:-1",
        "031.0:5000000000",
        "031.0:4294967295; 031.1",
    ] {
        let text = refused(spec, &[wrong], ICD);
        assert!(text.contains(&format!("`{wrong}` is not a list of nodes of icd9.csv")), "{text}");
    }
    assert!(built(spec, &["b:2:3"], &|_| Ok("*\nb:2;;*".into())).is_ok());
    let text = refused(spec, &[], "*\na;;*\nb;;*\nb:2;;*");
    assert!(
        text.contains("icd9.csv:3: a list with `b` could not be read back") && !text.contains("`a`"),
        "{text}"
    );
    assert!(refused(spec, &[], "*\n a,,*").contains("icd9.csv:2: a list with ` a`"));
    let none = "{ codes = { file = \"icd9.csv\", most = 0 } }";
    assert!(refused(none, &[], ICD).contains("most: most = 0 is out of range"));
}

/// A value or a cell: the count of each node.
type Counts = BTreeMap<usize, u32>;

fn text_of(counts: &Counts) -> String {
    let parts: Vec<String> = counts.iter().map(|(node, count)| format!("n{node}:{count}")).collect();
    parts.join("; ")
}

/// The same from its text.
fn read_back(text: &str) -> Counts {
    let pair = |part: &str| {
        let (node, count) = part.trim().split_once(':').unwrap_or((part.trim(), "1"));
        (node[1..].parse().unwrap(), count.parse().unwrap())
    };
    if text == "*" { Counts::new() } else { text.split(';').map(pair).collect() }
}

/// The first pairs and, of them, the first occurrences; values are listed in the order of nodes.
fn shortened(value: &Counts, most: usize, most_occurrences: Option<u32>) -> Counts {
    let first = value.iter().take(most).map(|(&node, &count)| (node, count)).collect();
    let mut counts = Counts::new();
    let left = most_occurrences.map_or(usize::MAX, |most| most as usize);
    one_by_one(&first).into_iter().take(left).for_each(|node| *counts.entry(node).or_default() += 1);
    counts
}

/// Whether occurrences can be matched one by one, by trying all ways.
fn met(above: &[Vec<usize>], shown: &[usize], had: &mut Vec<usize>) -> bool {
    let Some((&first, rest)) = shown.split_first() else { return true };
    for at in 0..had.len() {
        if over(above, first, had[at]) {
            let taken = had.remove(at);
            if met(above, rest, had) {
                return true;
            }
            had.insert(at, taken);
        }
    }
    false
}

fn over(above: &[Vec<usize>], high: usize, low: usize) -> bool {
    high == low || low > 0 && above[low].iter().any(|&parent| over(above, high, parent))
}

fn one_by_one(counts: &Counts) -> Vec<usize> {
    counts.iter().flat_map(|(&node, &count)| std::iter::repeat_n(node, count as usize)).collect()
}

/// All cells with at most this many occurrences, the root aside.
fn all_cells(nodes: usize, most: usize) -> Vec<Vec<usize>> {
    let mut cells: Vec<Vec<usize>> = vec![Vec::new()];
    let mut longest = cells.clone();
    for _ in 0..most {
        longest = longest
            .iter()
            .flat_map(|cell| {
                let from = cell.last().copied().unwrap_or(1);
                (from..nodes).map(move |node| cell.iter().copied().chain([node]).collect())
            })
            .collect();
        cells.extend(longest.iter().cloned());
    }
    cells
}

fn values_of(given: &[Vec<(Index, u32)>], nodes: usize) -> Vec<Counts> {
    let value = |pairs: &Vec<(Index, u32)>| {
        let mut counts = Counts::new();
        pairs.iter().for_each(|(at, count)| *counts.entry(at.index(nodes)).or_default() += count);
        counts
    };
    given.iter().map(value).collect()
}

proptest! {
    /// Matching is exact where codes have several parents and much has to be matched anew.
    #[test]
    fn covers_is_a_matching(
        parents in proptest::collection::vec(proptest::collection::vec(any::<Index>(), 1..4), 4..9),
        shown in proptest::collection::vec((any::<Index>(), 1..3u32), 2..5),
        had in proptest::collection::vec((any::<Index>(), 1..3u32), 2..5),
    ) {
        let (text, above) = graph_file(&parents, None);
        let counts = values_of(&[shown, had], above.len());
        let poset = of_codes(&text, 9, &[]);
        let truth = met(&above, &one_by_one(&counts[0]), &mut one_by_one(&counts[1]));
        prop_assert_eq!(poset.covers(Some(&text_of(&counts[0])), Some(&text_of(&counts[1]))), truth);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// On trees: no cell that is true of all values has a smaller measure; on all posets: the laws.
    #[test]
    fn codes_keep_the_laws_and_are_least(
        parents in proptest::collection::vec(proptest::collection::vec(any::<Index>(), 1..3), 2..7),
        tree in any::<bool>(),
        steps in proptest::option::of(proptest::collection::vec(0..40u8, 1..4)),
        given in proptest::collection::vec(proptest::collection::vec((any::<Index>(), 1..3u32), 1..3), 1..4),
        most in 1..4usize,
        most_occurrences in proptest::option::of(1..5u32),
    ) {
        let parents: Vec<Vec<Index>> = parents.into_iter().map(|p| if tree { p[..1].to_vec() } else { p }).collect();
        let (text, above) = graph_file(&parents, steps.as_deref());
        let values = values_of(&given, above.len());
        let texts: Vec<String> = values.iter().map(text_of).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let limits = most_occurrences.map(|n| format!(", most_occurrences = {n}")).unwrap_or_default();
        let poset = within(&text, &format!("most = {most}{limits}"), &texts);
        let all: Vec<Code> = (0..values.len() as Code).collect();
        laws(&poset, &all)?;
        let nodes: Vec<String> = (0..above.len()).map(|at| format!("n{at}")).collect();
        let lone = of_codes(&text, 1, &nodes.iter().map(String::as_str).collect::<Vec<_>>());
        let worth = |cell: &[usize]| cell.iter().map(|&node| 1.0 - lone.measure(&lone.only(node as Code))).sum::<f64>();
        let measure = poset.measure(&joined(&poset, &all));
        let mut reached = false;
        let longest = values.iter().map(|value| one_by_one(value).len()).max().unwrap_or(0);
        let short: Vec<Counts> = values.iter().map(|value| shortened(value, most, most_occurrences)).collect();
        for cell in all_cells(above.len(), longest) {
            let true_of = |values: &[Counts]| values.iter().all(|value| met(&above, &cell, &mut one_by_one(value)));
            let mut counts = Counts::new();
            cell.iter().for_each(|&node| *counts.entry(node).or_default() += 1);
            let written = text_of(&counts);
            if !cell.is_empty() {
                let covers = all.iter().all(|&value| poset.covers(Some(&written), poset.value(value)));
                prop_assert_eq!(covers, true_of(&values), "{}", written);
            }
            let truth = counts.len() <= most && true_of(&short);
            let other = 1.0 - worth(&cell) / longest as f64;
            prop_assert!(!(tree && truth) || other >= measure - 1e-6, "{} is {}, below {}", written, other, measure);
            reached |= truth && (other - measure).abs() < 1e-6;
        }
        prop_assert!(reached, "some true cell has the measure");
        // By heights, every node is worth more than its parents.
        let strict = steps.is_none();
        let shown = read_back(&lub(&poset, &all)[0]);
        let written = poset.measure_of(Some(&lub(&poset, &all)[0])).unwrap();
        prop_assert!((written - measure).abs() < 1e-12, "the cell as it is written measures the same");
        // A code that is worth nothing is not written.
        let shows = |value: &Counts| value.keys().all(|&node| node != 0 && worth(&[node]) > 0.0);
        for (at, value) in values.iter().enumerate().filter(|(_, value)| shows(value)) {
            let alone = read_back(&lub(&poset, &[at as Code, at as Code])[0]);
            prop_assert_eq!(&alone, &short[at], "equal rows within the limits stay as they are");
            prop_assert!(alone == *value || poset.measure(&poset.only(at as Code)) > 0.0, "shortened at no loss");
            prop_assert!(!strict || shown == *value || measure > 0.0, "{:?} became {:?} at no loss", value, shown);
        }
    }
}
