//! Measures of releases: Throng's own have the figures of their certificates, and random foreign
//! ones have those of a naive definition.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::error::{Kind, Result};
use throng::measure::{Correspondence, Inputs, Measures, measure};
use throng::memory::{self, Table};
use throng::policy::{LossParameters, Policy};
use throng::registry::LossKind;
use throng::release::Release;
use throng::watch::Watch;

/// "north" stands at two levels.
const ZIP: &str = "n1;north;north\nn2;north;north\nx1;x;north\ns1;south;south\ns2;south;south\n";

/// The same with labels of one level each. Which of several levels a label is at can be seen only
/// where all cells of the column are at one.
fn load(path: &str) -> Result<String> {
    let distinct = ZIP.replace(";north\n", ";North\n").replace(";south\n", ";South\n");
    Ok(if path == "distinct.csv" { distinct } else { ZIP.into() })
}

fn measured(policy: &str, tables: (&Table, &Table), rows: Correspondence<'_>) -> Result<Measures> {
    measure(&Inputs {
        policy: &Policy::parse(policy).unwrap(),
        original: tables.0,
        release: tables.1,
        rows,
        starred: false,
        load: &load,
        watch: &Watch::none(),
    })
}

const COLUMNS: [&str; 6] = ["id", "age", "zip", "kind", "illness", "label"];

fn table(rows: &[[Option<&str>; 5]]) -> Table {
    let row = |(at, cells): (usize, &[Option<&str>; 5])| {
        let cells = cells.iter().map(|cell| cell.map(String::from));
        std::iter::once(Some(format!("r{at}"))).chain(cells).collect()
    };
    let rows = rows.iter().enumerate().map(row).collect();
    Table::new(COLUMNS.map(String::from).to_vec(), rows).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<[Option<&'static str>; 5]>> {
    let cell = |values: &'static [&'static str], missing: u32| prop_oneof![12 => prop::sample::select(values).prop_map(Some), missing => Just(None)];
    let row = (
        cell(&["7", "20", "35", "36", "51", "52"], 0),
        cell(&["n1", "n2", "x1", "s1", "s2"], 1),
        cell(&["A", "B", "C, D"], 1),
        cell(&["flu", "angina", "asthma"], 1),
        cell(&["yes", "no"], 0),
    );
    prop::collection::vec(row.prop_map(|(a, b, c, d, e)| [a, b, c, d, e]), 4..40)
}

const SEARCHES: [&str; 14] = [
    "search.loss = \"lm\"\n",
    "search.loss = \"entropy\"\ncolumns.age.weight = 2\noutput.suppressed = \"starred\"\noutput.keep_order = true\n",
    "search.loss = \"prec\"\ninput.missing = \"wildcard\"\n",
    "search.loss = \"dm*\"\nsearch.local = true\n",
    "output.suppressed = \"cells\"\nsearch.loss = \"ambiguity\"\n",
    "search.algorithm = \"mondrian\"\nsearch.loss = \"lm\"\noutput.keep_order = true\n",
    "search.algorithm = \"mondrian\"\nsearch.loss = \"value-mi\"\ncolumns.age.form = \"interval\"\n",
    "search.algorithm = \"mondrian\"\ncolumns.age.form = \"mean\"\nsearch.loss = \"entropy\"\n",
    "search.algorithm = \"k-similar\"\nsearch.loss = \"prec\"\n",
    "search.algorithm = \"mdav\"\ncolumns.age.form = \"median\"\nsearch.loss = \"conditional-entropy\"\n",
    "search.algorithm = \"mondrian\"\nsearch.loss = \"lm\"\n\
     columns.kind.hierarchy = { order = { values = [\"C, D\", \"A\", \"B\"] } }\n",
    "search.algorithm = \"mondrian\"\nsearch.loss = \"lm\"\ncolumns.zip.form = \"set\"\noutput.longest_set = 1\n",
    "search.algorithm = \"k-similar\"\nsearch.loss = \"entropy\"\ncolumns.age.form = \"set\"\noutput.longest_set = 2\n",
    "search.algorithm = \"greedy\"\nsearch.loss = \"value-mi\"\ncolumns.kind.form = \"range\"\n\
     columns.kind.hierarchy = { order = { values = [\"C, D\", \"A\", \"B\"], fanout = [2] } }\n",
];

fn policy(search: &str, suppression: f64) -> String {
    let hierarchy = match search.contains("age.form") {
        true => "",
        false => "columns.age.hierarchy = { intervals = { widths = [10, 20] } }\n",
    };
    let steps = search.contains("local") || search.contains("cells");
    let zip = if steps { "distinct.csv" } else { "zip.csv" };
    // Starred rows show sensitive values that no model judges, and rows of several steps are not
    // judged together.
    let diversity = "{ l_diversity = { column = \"illness\", l = 1 } }";
    let closeness = "{ t_closeness = { column = \"illness\", t = 1.0 } }";
    let models = match (search.contains("starred"), steps) {
        (true, _) => String::new(),
        (false, true) => format!("privacy.models = [{diversity}]\n"),
        (false, false) => format!("privacy.models = [{diversity}, {closeness}]\n"),
    };
    format!(
        "version = 1\ninput.path = \"t\"\ncolumns.id.role = \"keep\"\ncolumns.age.role = \"quasi\"\n{hierarchy}\
         columns.zip.role = \"quasi\"\ncolumns.zip.hierarchy = {{ file = \"{zip}\" }}\n\
         columns.kind.role = \"quasi\"\ncolumns.illness.role = \"sensitive\"\ncolumns.label.role = \"target\"\n\
         privacy.k = 2\nprivacy.suppression = {suppression}\n\
         {models}{search}"
    )
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

/// Whether a loss prices suppressed rows by cells that only the certificate knows.
fn by_first_step(kind: LossKind, policy: &Policy) -> bool {
    let asked = policy.search.loss.parameters();
    let parameters = if asked.kind == kind { asked } else { LossParameters::new(kind) };
    !kind.counts_suppressed(parameters.count_suppressed)
}

/// Compares measures with a certificate.
fn agrees(text: &str, claimed: &Release, found: &Measures) {
    let policy = Policy::parse(text).unwrap();
    let rows = (claimed.rows, claimed.released, claimed.suppressed, claimed.withheld);
    assert_eq!((found.rows, found.released, found.suppressed, found.withheld), rows, "{text}");
    assert_eq!(found.privacy, claimed.privacy, "{text}");
    assert_eq!(Some(found.risk), claimed.risk, "{text}");
    let steps = !claimed.steps.is_empty();
    let regions = claimed.regions.is_some();
    // A label that stands at several levels is read at the least of them.
    let same_levels = regions || found.levels == claimed.levels;
    if !regions && !steps && !same_levels {
        assert!(found.levels.iter().all(|(name, level)| *level <= claimed.levels[name]), "{found:?}");
        return;
    }
    for (name, &loss) in &claimed.loss {
        let kind: LossKind = name.parse().unwrap();
        if steps && (kind.sums_levels() || claimed.withheld > 0 && by_first_step(kind, &policy)) {
            continue;
        }
        // A missing cell is missing at several levels.
        if steps && matches!(kind, LossKind::Prec | LossKind::Vinterbo | LossKind::ColumnMi) {
            assert!(found.loss[name] <= loss + 1e-9, "{name}: {found:?}");
            continue;
        }
        let Some(&own) = found.loss.get(name) else { panic!("{text}{name} is unavailable: {found:?}") };
        assert!(close(own, loss), "{text}{name}: {own}, certified {loss}");
        for (column, &part) in claimed.loss_by_column.get(name).into_iter().flatten() {
            assert!(close(found.loss_by_column[name][column], part), "{text}{name} of {column}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn own_releases_have_the_figures_of_their_certificates(
        rows in rows(),
        search in prop::sample::select(&SEARCHES[..]),
        suppression in prop::sample::select(&[0.0, 0.3, 0.9][..]),
    ) {
        let original = table(&rows);
        let text = policy(search, suppression);
        let made = match memory::release(&text, &original, &load, &Watch::none()) {
            Err(error) if error.is_all(Kind::Unsolvable) => return Ok(()),
            made => made.unwrap(),
        };
        prop_assume!(made.certificate.release.output.rows > 0);
        let claimed = &made.certificate.release;
        // Suppressed rows that are starred cannot be distinguished from rows generalized to `*`.
        prop_assume!(!text.contains("starred") || claimed.blank() == 0);
        let found = measured(&text, (&original, &made.table), Correspondence::Key("id")).unwrap();
        agrees(&text, claimed, &found);
        let numbers = text.contains("mean") || text.contains("median");
        let untrue = found.untrue.as_ref().unwrap();
        prop_assert!(untrue.iter().all(|(name, cells)| *cells == 0 || numbers && name == "age"), "{:?}", untrue);
        if text.contains("keep_order") && made.table.rows().len() == rows.len() {
            let ordered = measured(&text, (&original, &made.table), Correspondence::Order).unwrap();
            prop_assert_eq!((&ordered.loss, &ordered.privacy), (&found.loss, &found.privacy));
        }
        let blind = measured(&text, (&original, &made.table), Correspondence::None).unwrap();
        prop_assert_eq!((&blind.privacy, &blind.risk), (&found.privacy, &found.risk));
        prop_assert!(blind.untrue.is_none());
        for name in ["dm", "aecs", "cm"] {
            prop_assert!(blind.loss.contains_key(name), "{} {:?}", name, blind);
        }
        prop_assert!(numbers || ["prec", "lm", "ambiguity"].iter().all(|name| blind.loss.contains_key(*name) || blind.unavailable.contains_key(*name)));
        for name in ["entropy", "value-mi"] {
            prop_assert_eq!(&blind.unavailable[name], "needs row correspondence");
        }
        if blind.levels == found.levels {
            for (name, &loss) in &blind.loss {
                // Which values are under a label that stands at several levels depends on the row.
                let by_label = !matches!(&**name, "dm" | "dm*" | "aecs" | "cm") && found.levels.is_empty();
                let own = found.loss[name];
                prop_assert!(close(own, loss) || by_label, "{} {}: {} {}", text, name, loss, own);
            }
        }
    }
}

/// Ages of the foreign table, in tens and in two groups.
const AGES: [(&str, &str, &str); 5] = [
    ("21", "20-29", "young"),
    ("25", "20-29", "young"),
    ("34", "30-39", "young"),
    ("38", "30-39", "young"),
    ("47", "40-49", "old"),
];

/// A cell of the age column: text, the ages that it covers, its level.
const CELLS: [(&str, &[&str], usize); 13] = [
    ("*", &["21", "25", "34", "38", "47"], 3),
    ("young", &["21", "25", "34", "38"], 2),
    ("30-39", &["34", "38"], 1),
    ("40-49", &["47"], 1),
    ("[21, 38]", &["21", "25", "34", "38"], 2),
    ("(21,34]", &["25", "34"], 2),
    ("[21, 34[", &["21", "25"], 1),
    ("{21,47}", &["21", "47"], 3),
    ("30-40", &["34", "38"], 1),
    ("<30", &["21", "25"], 1),
    ("34+", &["34", "38", "47"], 3),
    ("3*", &["34", "38"], 1),
    ("25", &["25"], 0),
];

const FOREIGN: &str = "version = 1\ninput.path = \"t\"\ncolumns.id.role = \"keep\"\ncolumns.age.role = \"quasi\"\n\
    columns.age.hierarchy = { file = \"age.csv\" }\ncolumns.sex.role = \"quasi\"\ncolumns.ill.role = \"sensitive\"\n\
    privacy.k = 2\nprivacy.models = [{ l_diversity = { column = \"ill\", l = 1 } }]\n";

fn foreign(policy: &str, tables: (&Table, &Table), rows: Correspondence<'_>) -> Result<Measures> {
    let ages = |_: &str| -> Result<String> {
        Ok(AGES.iter().map(|(age, tens, group)| format!("{age};{tens};{group};*\n")).collect())
    };
    measure(&Inputs {
        policy: &Policy::parse(policy).unwrap(),
        original: tables.0,
        release: tables.1,
        rows,
        starred: policy.starts_with("# starred"),
        load: &ages,
        watch: &Watch::none(),
    })
}

fn people(rows: Vec<Vec<Option<String>>>) -> Table {
    Table::new(["id", "age", "sex", "ill"].map(String::from).to_vec(), rows).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// By definition, row by row: ages in any notation, sexes as they are, suppressed or wrong.
    #[test]
    fn foreign_releases_have_naive_figures(
        rows in prop::collection::vec((0..5usize, 0..14usize, 0..2usize, 0..4usize, 0..5u8), 0..20),
    ) {
        let sexes = ["f", "m"];
        // Every value occurs, and cells of the age column are at several levels.
        let fixed = [(0, 13, 0, 0, 0), (1, 13, 1, 0, 0), (2, 1, 0, 0, 0), (3, 1, 0, 0, 0), (4, 3, 1, 0, 0)];
        let rows: Vec<_> = fixed.into_iter().chain(rows).collect();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let (mut levels, mut shares, mut bits, mut ambiguity) = (0.0, 0.0, 0.0, 0.0);
        let (mut untrue, mut held) = ([0u64; 2], 0u64);
        let mut classes: BTreeMap<(String, Option<String>), u64> = BTreeMap::new();
        let rows_of = |ages: &[&str]| rows.iter().filter(|r| ages.contains(&AGES[r.0].0)).count() as f64;
        let rows_of_sex = |sex: usize| rows.iter().filter(|r| r.2 == sex).count() as f64;
        for (at, &(age, cell, sex, shown, fate)) in rows.iter().enumerate() {
            let (id, own) = (Some(format!("{at}")), AGES[age].0);
            before.push(vec![id.clone(), Some(own.into()), Some(sexes[sex].into()), Some("flu".into())]);
            if fate == 4 {
                held += 1;
                continue;
            }
            let own_ages = [own];
            let (text, covered, level) = match CELLS.get(cell) {
                Some(&(text, covered, level)) if covered.contains(&own) || text != "25" => (text, covered, level),
                _ => (own, &own_ages[..], 0),
            };
            // A sex as it is, starred, missing, or the other one.
            let (sex_text, both) = match shown {
                0 => (Some(sexes[sex].to_owned()), false),
                1 => (Some("*".into()), true),
                2 => (None, true),
                _ => (Some(sexes[1 - sex].to_owned()), false),
            };
            untrue[0] += u64::from(!covered.contains(&own));
            untrue[1] += u64::from(shown == 3);
            levels += level as f64 / 3.0 + f64::from(u8::from(both));
            shares += (covered.len() - 1) as f64 / 4.0 + f64::from(u8::from(both));
            ambiguity += covered.len() as f64 * if both { 2.0 } else { 1.0 };
            bits -= (rows_of(&own_ages) / rows_of(covered)).log2();
            bits -= if both { (rows_of_sex(sex) / rows.len() as f64).log2() } else { 0.0 };
            *classes.entry((text.to_owned(), sex_text.clone())).or_default() += 1;
            after.push(vec![id, Some(text.into()), sex_text, Some("flu".into())]);
        }
        let (original, release) = (people(before), people(after));
        let found = foreign(FOREIGN, (&original, &release), Correspondence::Key("id")).unwrap();
        let n = rows.len() as f64;
        let squares: u64 = classes.values().map(|c| c * c).sum();
        let hidden = held as f64;
        let expected = [
            ("prec", levels / n / 2.0),
            ("lm", (shares + 2.0 * hidden) / n / 2.0),
            ("ambiguity", (ambiguity + hidden * 10.0) / n),
            ("dm", squares as f64 + n * hidden),
            ("aecs", n / (classes.len() as f64 + if held > 0 { 1.0 } else { 0.0 })),
        ];
        for (name, value) in expected {
            prop_assert!(close(found.loss[name], value), "{}: {}, naive {}", name, found.loss[name], value);
        }
        prop_assert_eq!(found.untrue.as_ref().unwrap()["age"], untrue[0]);
        prop_assert_eq!(found.untrue.as_ref().unwrap()["sex"], untrue[1]);
        match untrue == [0, 0] {
            true => prop_assert!(close(found.loss["entropy"], bits), "{} {}", found.loss["entropy"], bits),
            false => prop_assert!(found.unavailable["entropy"].contains("not true"), "{:?}", found.unavailable),
        }
        let least = classes.values().min().copied();
        prop_assert_eq!(found.privacy["k-anonymity"].achieved, least.map(|k| k as f64));
        prop_assert_eq!(found.risk.after.smallest, least.unwrap_or(0));
        prop_assert_eq!(found.risk.after.unique_rows, classes.values().filter(|c| **c == 1).count() as u64);
        prop_assert_eq!(found.withheld, held);
        prop_assert!(found.levels.is_empty() && found.unavailable["height"].contains("several levels"));
    }
}

fn cells(rows: &[[&str; 4]]) -> Table {
    let cell = |text: &&str| (*text != "-").then(|| (*text).to_owned());
    people(rows.iter().map(|row| row.iter().map(cell).collect()).collect())
}

#[test]
fn moved_numbers_cover_what_lies_between() {
    let policy = "version = 1\ninput.path = \"t\"\ncolumns.id.role = \"keep\"\ncolumns.age.role = \"quasi\"\n\
        columns.sex.role = \"quasi\"\ncolumns.ill.role = \"sensitive\"\nprivacy.k = 2\n";
    let original = cells(&[
        ["1", "20", "f", "flu"],
        ["2", "30", "f", "flu"],
        ["3", "40", "f", "flu"],
        ["4", "50", "f", "-"],
    ]);
    // Microaggregated in pairs.
    let release = cells(&[
        ["1", "25", "f", "flu"],
        ["2", "25", "f", "flu"],
        ["3", "45", "f", "flu"],
        ["4", "45", "f", "flu"],
    ]);
    let found = foreign(policy, (&original, &release), Correspondence::Key("id")).unwrap();
    let untrue = found.untrue.as_ref().unwrap();
    assert_eq!(untrue["age"], 4);
    // 25 stands for 20 and lies below 30: one value is covered each time.
    assert_eq!(found.loss["lm"], 0.0);
    assert!(found.loss.contains_key("entropy"), "{found:?}");
    let release = cells(&[
        ["1", "40", "f", "flu"],
        ["2", "40", "f", "flu"],
        ["3", "40", "f", "flu"],
        ["4", "40", "f", "-"],
    ]);
    let found = foreign(policy, (&original, &release), Correspondence::Order).unwrap();
    // 20 … 40, 30 … 40, 40, 40 … 50 of four ages: 2 + 1 + 0 + 1 of 3 each, and nothing for the sex.
    assert!(close(found.loss["lm"], 4.0 / 3.0 / 4.0 / 2.0), "{found:?}");
    assert_eq!(found.untrue.as_ref().unwrap()["age"], 3);
    let blind = foreign(policy, (&original, &release), Correspondence::None).unwrap();
    assert_eq!(blind.levels["age"], 0, "each is a value of the column");
    let release = cells(&[
        ["1", "25", "f", "flu"],
        ["2", "25", "f", "flu"],
        ["3", "45", "f", "flu"],
        ["4", "45", "f", "flu"],
    ]);
    let blind = foreign(policy, (&original, &release), Correspondence::None).unwrap();
    assert_eq!(blind.unavailable["lm"], "needs row correspondence");
    assert_eq!(blind.loss["dm"], 8.0);
}

#[test]
fn models_judge_what_the_release_shows() {
    let policy = FOREIGN.replace("l = 1", "l = 2");
    let original = cells(&[
        ["1", "21", "f", "flu"],
        ["2", "21", "f", "angina"],
        ["3", "25", "f", "flu"],
        ["4", "25", "f", "angina"],
    ]);
    let held = |release: &Table| foreign(&policy, (&original, release), Correspondence::Order).unwrap();
    let found = held(&original);
    assert!(found.holds(), "{found:?}");
    let claim = found.privacy.keys().find(|name| *name != "k-anonymity").unwrap().clone();
    // The diagnosis of row 2 was swapped for one that no row of the original has.
    let swapped = cells(&[
        ["1", "21", "f", "flu"],
        ["2", "21", "f", "gout"],
        ["3", "25", "f", "flu"],
        ["4", "25", "f", "flu"],
    ]);
    let found = held(&swapped);
    assert_eq!((found.privacy[&claim].achieved, found.privacy[&claim].holds), (Some(1.0), false));
    assert!(!found.holds());
    assert_eq!(found.untrue.as_ref().unwrap()["ill"], 2);
    let columns = ["age", "sex"].map(String::from).to_vec();
    let rows = original.rows().iter().map(|row| row[1..3].to_vec()).collect();
    let found = held(&Table::new(columns, rows).unwrap());
    assert_eq!(found.unavailable[&claim], "the release has no column `ill`");
}

#[test]
fn starred_rows_are_suppressed_where_the_policy_says_so() {
    let original = cells(&[["1", "21", "f", "flu"], ["2", "21", "f", "flu"], ["3", "25", "m", "flu"]]);
    let release = cells(&[["1", "21", "f", "flu"], ["2", "21", "f", "flu"], ["3", "*", "*", "flu"]]);
    let of = |policy: &str| foreign(policy, (&original, &release), Correspondence::Order).unwrap();
    let found = of(&format!("# starred\n{FOREIGN}"));
    assert_eq!((found.withheld, found.suppressed, found.loss["dm"]), (1, 1, 4.0 + 3.0));
    assert!(found.holds());
    // The policy of a release may say the same.
    let models = FOREIGN.find("privacy.models").unwrap();
    let said = of(&format!("{}output.suppressed = \"starred\"\n", &FOREIGN[..models]));
    assert_eq!((said.withheld, &said.loss), (1, &found.loss));
    let found = of(FOREIGN);
    assert_eq!((found.withheld, found.suppressed, found.loss["dm"]), (0, 1, 5.0));
    assert!(!found.holds());
}

#[test]
fn what_does_not_fit_is_refused() {
    let original = cells(&[["1", "21", "f", "flu"], ["2", "25", "m", "flu"]]);
    let order = Correspondence::Order;
    let key = Correspondence::Key("id");
    let cases: [(&[[&str; 4]], Correspondence<'_>, &str); 8] = [
        (&[["1", "21", "f", "flu"]], order, "measure.row-counts-differ"),
        (&[["1", "unknown", "f", "flu"], ["2", "25", "m", "flu"]], order, "measure.unknown-cell"),
        (&[["1", "[70, 80)", "f", "flu"], ["2", "25", "m", "flu"]], order, "measure.unknown-cell"),
        (&[["1", "21", "f", "flu"], ["1", "25", "m", "flu"]], key, "measure.repeated-key"),
        (&[["1", "21", "f", "flu"], ["-", "25", "m", "flu"]], key, "measure.missing-key"),
        (&[["1", "21", "f", "flu"], ["9", "25", "m", "flu"]], key, "measure.unknown-key"),
        (
            &[["1", "21", "f", "flu"], ["2", "25", "m", "flu"], ["3", "25", "m", "flu"]],
            Correspondence::None,
            "measure.more-rows-than-original",
        ),
        (&[], order, "measure.empty-release"),
    ];
    for (rows, how, code) in cases {
        let error = foreign(FOREIGN, (&original, &cells(rows)), how).unwrap_err();
        assert!(error.has_code(code), "{code}: {error}");
    }
    let twice = cells(&[["1", "21", "f", "flu"], ["1", "25", "m", "flu"]]);
    let error = foreign(FOREIGN, (&twice, &original), key).unwrap_err();
    assert!(
        error.has_code("measure.repeated-key") && error.to_string().contains("row 2 of the original"),
        "{error}"
    );
    let error = foreign(FOREIGN, (&original, &original), Correspondence::Key("ids")).unwrap_err();
    assert!(error.has_code("measure.no-such-column"), "{error}");
    let narrow = Table::new(vec!["id".into(), "age".into()], vec![vec![Some("1".into()), None]]).unwrap();
    let error = foreign(FOREIGN, (&original, &narrow), key).unwrap_err();
    assert!(error.to_string().contains("the release has no column `sex`"), "{error}");
    let error = foreign(FOREIGN, (&cells(&[]), &original), Correspondence::None).unwrap_err();
    assert!(error.has_code("measure.more-rows-than-original"), "{error}");
    let watch = Watch::none();
    watch.cancel().abort();
    let policy = Policy::parse(FOREIGN).unwrap();
    let stopped = measure(&Inputs {
        policy: &policy,
        original: &original,
        release: &original,
        rows: order,
        starred: false,
        load: &load,
        watch: &watch,
    });
    assert!(stopped.unwrap_err().is_cancelled());
}
