//! `greedy-rows` from policy to verdict: what it claims, what it never claims, what is refused, and
//! that the verifier counts by itself.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::cell::Cell;
use throng::decide::{DELETED, DecidedAssignment, decide};
use throng::hierarchy::build;
use throng::memory::{Released, Table, release};
use throng::policy::Policy;
use throng::recoding::{Contents, RowClasses, RowCounter};
use throng::registry::Algorithm;
use throng::release::Certificate;
use throng::rows::ContentKey;
use throng::search::{Grouped, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::verify::{Inputs, Original, verify};
use throng::watch::Watch;

type Row = [&'static str; 4];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let age = prop::sample::select(vec!["21", "22", "35", "36", "57", "58", "90"]);
    let zip = prop::sample::select(vec!["0211", "0212", "0219", "0310", "0311"]);
    let sex = prop::sample::select(vec!["f", "m"]);
    let illness = prop::sample::select(vec!["flu", "asthma", "angina"]);
    prop::collection::vec((age, zip, sex, illness).prop_map(|(a, z, s, i)| [a, z, s, i]), 8..50)
}

fn policy(k: u64, more: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\nform = \"interval\"\n\
         [columns.zip]\nrole = \"quasi\"\nhierarchy = {{ mask = {{}} }}\n{more}[columns.sex]\nrole = \"quasi\"\n\
         [columns.illness]\nrole = \"sensitive\"\n[privacy]\nsuppression = 1.0\nmodels = [{{ k_one = {{ k = {k} }} }}]\n\
         [search]\nalgorithm = \"greedy-rows\"\nloss = \"lm\"\n"
    )
}

fn table(rows: &[Row]) -> Table {
    let columns = ["age", "zip", "sex", "illness"].map(String::from).to_vec();
    let cells = |row: &Row| row.iter().map(|cell| Some((*cell).to_owned())).collect();
    Table::new(columns, rows.iter().map(cells).collect()).unwrap()
}

fn released(rows: &[Row], policy: &str) -> Released {
    release(policy, &table(rows), &|_| unreachable!(), &Watch::none()).unwrap()
}

/// Whether released cells are true of an original: intervals, masks and sets by their meaning.
fn is_true(cells: &[Option<String>], row: &Row) -> bool {
    cells[..3].iter().zip(row).all(|(cell, value)| Cell::parse(cell.as_ref().unwrap()).covers(value))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// With limits, some rows are suppressed: they hide nobody.
    #[test]
    fn every_released_row_is_true_of_k_released_originals(rows in rows(), k in 1..6u64, limited: bool) {
        let text = policy(k, if limited { "max_level = 2\n" } else { "" });
        let found = released(&rows, &text);
        prop_assert!(found.verdict.holds());
        let facts = &found.certificate.release;
        prop_assert!(!facts.privacy.contains_key("k-anonymity"), "{:?}", facts.privacy);
        let zip = |prefix: &str| rows.iter().filter(|row| row[1].starts_with(prefix)).count() as u64;
        let kept: Vec<&Row> = rows.iter().filter(|row| !limited || zip(&row[1][..2]) >= k).collect();
        prop_assert_eq!(found.table.rows().len(), kept.len());
        let count = |cells: &[Option<String>]| kept.iter().filter(|row| is_true(cells, row)).count() as u64;
        let k_one = found.table.rows().iter().map(|cells| count(cells)).min();
        let of = |row: &Row| found.table.rows().iter().filter(|cells| is_true(cells, row)).count() as u64;
        let one_k = kept.iter().map(|row| of(row)).min();
        let alike = |row: &Vec<Option<String>>| found.table.rows().iter().filter(|other| other[..3] == row[..3]).count();
        let least = found.table.rows().iter().map(|row| alike(row) as u64).min();
        prop_assert_eq!(facts.notions.map(|n| (n.k_one, n.one_k, n.k)), k_one.zip(one_k).zip(least).map(|((a, b), c)| (a, b, c)));
        prop_assert!(k_one.is_none_or(|least| least >= k));
    }

    /// Another order of rows gives the same release.
    #[test]
    fn the_order_of_rows_decides_nothing(rows in rows(), k in 2..5u64) {
        let mut other = rows.clone();
        other.reverse();
        let sorted = |released: Released| {
            let mut rows = released.table.rows().to_vec();
            rows.sort();
            (rows, released.certificate.release.loss, released.certificate.release.notions)
        };
        prop_assert_eq!(sorted(released(&rows, &policy(k, ""))), sorted(released(&other, &policy(k, ""))));
    }
}

fn some() -> Vec<Row> {
    vec![
        ["21", "0211", "f", "flu"],
        ["22", "0211", "f", "flu"],
        ["35", "0212", "m", "flu"],
        ["36", "0219", "m", "asthma"],
        ["57", "0310", "f", "flu"],
        ["90", "0311", "m", "flu"],
    ]
}

fn judge(text: &str, found: &Released, certificate: &Certificate) -> throng::verify::Verdict {
    let policy = Policy::parse(text).unwrap();
    verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(text),
        certificate,
        files: Some(&BTreeMap::new()),
        release: &found.table,
        original: None,
        population: None,
        build: &|_, _| unreachable!("hierarchies are not needed"),
        watch: &Watch::none(),
    })
    .unwrap()
}

/// By hand: 20 and 21 become [20, 21], 22 becomes [21, 22], 23 becomes [22, 23] and 90 becomes
/// [23, 90]. Each is true of two, and only one released row is true of the last person.
#[test]
fn the_certificate_names_what_holds_and_what_does_not() {
    let text = policy(2, "");
    let people = ["20", "21", "22", "23", "90"].map(|age| [age, "0211", "f", "flu"]);
    let found = released(&people, &text);
    let facts = &found.certificate.release;
    let notions = facts.notions.unwrap();
    assert_eq!(notions, throng::release::NotionFacts::new(1, 2, 1));
    let mut ages: Vec<&str> = found.table.rows().iter().map(|row| row[0].as_deref().unwrap()).collect();
    ages.sort_unstable();
    assert_eq!(ages, ["[20, 21]", "[20, 21]", "[21, 22]", "[22, 23]", "[23, 90]"]);
    let json = serde_json::to_value(found.certificate.summary()).unwrap();
    assert_eq!(json["privacy"]["(k,1)-anonymity"]["required"], 2.0);
    assert_eq!(json["notions"]["(1,k)"], notions.one_k);
    assert_eq!(json["notions"]["(k,k)"], notions.k_k);
    let finding = &found.verdict.claims["(k,1)-anonymity"];
    assert!(finding.found.contains("not k-anonymous") && !finding.unchecked, "{}", finding.found);
    assert!(!found.verdict.claims["cells"].found.contains("anonymity"));
    // Without the original, the classes alone are counted.
    let blind = judge(&text, &found, &found.certificate);
    let finding = &blind.claims["(k,1)-anonymity"];
    assert!(finding.holds && finding.unchecked, "{finding:?}");
    assert!(finding.found.contains("the smallest class has 1 row"), "{}", finding.found);
    let mut release = facts.clone();
    release.notions = Some(throng::release::NotionFacts { k: 3, ..notions });
    let forged =
        Certificate::new(release, found.certificate.columns.clone(), found.certificate.classes).unwrap();
    assert!(!judge(&text, &found, &forged).claims["(k,1)-anonymity"].holds);
    let mut release = facts.clone();
    release.notions = None;
    let forged =
        Certificate::new(release, found.certificate.columns.clone(), found.certificate.classes).unwrap();
    let verdict = judge(&text, &found, &forged);
    assert!(!verdict.claims["certificate"].holds && !verdict.claims["(k,1)-anonymity"].holds);
}

#[test]
fn what_is_not_accepted_by_name_is_refused_by_name() {
    let refused = |text: &str| {
        let error = Policy::parse(text).unwrap_err();
        let fault = error.faults()[0].clone();
        (
            fault.code,
            fault.place.key.unwrap_or_default(),
            format!("{} {}", fault.message, fault.help.unwrap_or_default()),
        )
    };
    let k = policy(4, "").replace("models = [{ k_one = { k = 4 } }]", "k = 4");
    let (code, key, words) = refused(&k);
    assert_eq!((code, &*key), ("policy.algorithm-not-k-anonymous", "privacy.k"));
    for part in
        ["(k,1)-anonymous", "known to be in the table", "\"greedy\"", "models = [{ k_one = { k = 4 } }]"]
    {
        assert!(words.contains(part), "{part}: {words}");
    }
    let both = policy(4, "").replace("[privacy]\n", "[privacy]\nk = 4\n");
    assert_eq!(refused(&both).0, "policy.algorithm-not-k-anonymous");
    let groups = format!("{}[privacy.quasi.x]\ncolumns = [\"age\"]\nk = 2\n", policy(4, ""));
    assert_eq!(refused(&groups).1, "privacy.quasi");
    let diverse =
        policy(4, "").replace("{ k_one", "{ l_diversity = { column = \"illness\", l = 2 } }, { k_one");
    assert_eq!(refused(&diverse).0, "policy.model-without-classes");
    let mean = policy(4, "").replace("form = \"interval\"", "form = \"mean\"");
    assert_eq!(refused(&mean).0, "policy.form-not-true");
    for algorithm in Algorithm::k_anonymous() {
        let other = policy(4, "").replace("\"greedy-rows\"", &format!("\"{algorithm}\""));
        let error = Policy::parse(&other).unwrap_err();
        assert!(error.has_code("model.k-one-of-other-algorithm"), "{algorithm}: {error}");
    }
    let many = release(&policy(9, ""), &table(&some()), &|_| unreachable!(), &Watch::none()).unwrap_err();
    assert!(many.has_code("model.k-above-rows"), "{many}");
    // What is rare in the table may go before, as in Katirai's experiments.
    let rare =
        policy(2, "").replace("{ k_one", "{ rare_values = { k = 2, columns = [\"illness\"] } }, { k_one");
    assert!(released(&some(), &rare).verdict.holds());
}

/// The lines of the sets of a table, which is read in the given order.
fn sets(rows: &[Row], text: &str) -> Vec<Vec<Vec<usize>>> {
    let mut dictionaries = vec![Dictionary::new(); 3];
    let mut tuples = Tuples::new(3);
    let mut codes = vec![Vec::new(); 3];
    let mut keys = Vec::new();
    for row in rows {
        let tuple: Vec<u32> =
            row[..3].iter().zip(&mut dictionaries).map(|(c, d)| d.add(Some(c), 1)).collect();
        tuples.insert(&tuple, 1);
        tuple.iter().zip(&mut codes).for_each(|(&code, codes)| codes.push(code));
        let mut key = ContentKey::default();
        key.cell(Some(row[3]));
        keys.push(key.finish());
    }
    let policy = Policy::parse(text).unwrap();
    let names = ["age", "zip", "sex"].map(String::from).to_vec();
    let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None };
    let (problem, maps) = Problem::new(&policy, grouped, &|_| unreachable!()).unwrap();
    let Ok(decision) = decide(&policy, &problem, None, &Watch::none()) else { return Vec::new() };
    let mut classes = RowClasses::new(&problem.names, &maps, &decision.recoded);
    let mut contents = Contents::new(3);
    contents.add(&codes, &keys);
    classes.divide_by(&contents).unwrap();
    let of_row = classes.of(codes, &keys, &mut RowCounter::default());
    assert!(!of_row.contains(&DELETED));
    let mut text = String::new();
    decision
        .write_sets(&of_row, &mut |part| {
            text.push_str(part);
            Ok(())
        })
        .unwrap();
    let numbers = |part: &str| part.split_whitespace().map(|n| n.parse().unwrap()).collect();
    text.lines().skip(1).map(|line| line.split(',').map(numbers).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Every released row is in one set; a region is its own set, and has k rows.
    #[test]
    fn sets_of_regions_are_disjoint_and_have_k_rows(rows in rows(), k in 2..4u64, relaxed: bool) {
        for algorithm in Algorithm::k_anonymous().filter(|a| !a.entry().small_tables) {
            let mut text = policy(k, "")
                .replace(&format!("models = [{{ k_one = {{ k = {k} }} }}]"), &format!("k = {k}"))
                .replace("greedy-rows", algorithm.key());
            if !algorithm.forms_regions() {
                text = text.replace("form = \"interval\"\n", "");
            } else if algorithm == Algorithm::Mondrian && relaxed {
                text += "mondrian = { cut = \"relaxed\" }\n";
            }
            let Ok(policy) = Policy::parse(&text) else { continue };
            if policy.search.algorithm == Algorithm::Mdav || policy.search.algorithm == Algorithm::Boxes {
                continue;
            }
            let sets = sets(&rows, &text);
            let mut seen: Vec<usize> = sets.iter().flat_map(|set| set[1].clone()).collect();
            let all = seen.len();
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(all, seen.len(), "{}", algorithm);
            prop_assert!(seen.iter().all(|&row| row >= 1 && row <= rows.len()));
            prop_assert!(sets.iter().all(|set| set[1].len() as u64 >= k && set[2].is_empty()), "{} {:?}", algorithm, sets);
        }
    }

    /// A set of its own has k rows with its partners, and its cells are true of all of them.
    #[test]
    fn own_sets_have_k_rows(rows in rows(), k in 1..6u64) {
        let sets = sets(&rows, &policy(k, ""));
        let mut own: Vec<usize> = sets.iter().flat_map(|set| set[1].clone()).collect();
        own.sort_unstable();
        prop_assert_eq!(own, (1..=rows.len()).collect::<Vec<_>>());
        for set in &sets {
            let together = set[1].len().max(k as usize);
            prop_assert_eq!(set[1].len() + set[2].len(), together);
            let equal = set[1].iter().all(|&row| rows[row - 1][..3] == rows[set[1][0] - 1][..3]);
            prop_assert!(equal && set[2].iter().all(|row| !set[1].contains(row)));
        }
    }
}

/// A release whose cells are all true, and whose rows are true of fewer originals than the policy
/// asks for: only the verifier's own count finds it.
#[test]
fn the_verifier_counts_originals_itself() {
    let (lax, strict) = (policy(1, ""), policy(3, ""));
    let found = released(&some(), &lax);
    let asked = Policy::parse(&lax).unwrap();
    let mut dictionaries = vec![Dictionary::new(); 3];
    let mut tuples = Tuples::new(3);
    for row in some() {
        let tuple: Vec<u32> =
            row[..3].iter().zip(&mut dictionaries).map(|(c, d)| d.add(Some(c), 1)).collect();
        tuples.insert(&tuple, 1);
    }
    let names = ["age", "zip", "sex"].map(String::from).to_vec();
    let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None };
    let (problem, _) = Problem::new(&asked, grouped, &|_| unreachable!()).unwrap();
    let decision = decide(&asked, &problem, None, &Watch::none()).unwrap();
    let assignment = DecidedAssignment::new(&asked, &problem, &decision);
    let asked = Policy::parse(&strict).unwrap();
    let original = table(&some());
    let verdict = verify(&Inputs {
        policy: &asked,
        policy_sha256: &Policy::digest(&lax),
        certificate: &found.certificate,
        files: Some(&BTreeMap::new()),
        release: &found.table,
        original: Some(Original {
            rows: &original,
            assignment: Some(&assignment),
            secret: None,
            counted: None,
            notes: None,
        }),
        population: None,
        build: &|column, values| build(&asked.columns[column].hierarchy(), values, &|_| unreachable!()),
        watch: &Watch::none(),
    })
    .unwrap();
    assert!(verdict.claims["truth"].holds && verdict.claims["cells"].holds, "{verdict:?}");
    let finding = &verdict.claims["(k,1)-anonymity"];
    assert!(!finding.holds && finding.found.contains("true of 1 original, 3 are required"), "{finding:?}");
}
