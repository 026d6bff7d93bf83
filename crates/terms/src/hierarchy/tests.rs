//! Tests of hierarchies, and of the property that every builder must have: nested levels under one
//! top.

use proptest::prelude::*;

use super::*;

fn paths(rows: &[&str]) -> Vec<Path> {
    let path = |row: &&str| {
        let mut cells = row.split(' ').map(str::to_owned);
        Path { leaf: cells.next().unwrap(), labels: cells.collect() }
    };
    rows.iter().map(path).collect()
}

fn no_file(_: &str) -> Result<String> {
    Err(Fault::coded(crate::error::Kind::System, "test.no-file", "no such file").into())
}

/// Checks all that a hierarchy promises, from its public face alone.
fn sound(hierarchy: &Hierarchy) {
    let height = hierarchy.height();
    assert!(height >= 1);
    assert_eq!(hierarchy.size(height), 1, "one top");
    let leaves = hierarchy.leaf_count();
    for level in 0..=height {
        assert_eq!(hierarchy.codes(level).len(), leaves);
        let under: u32 = (0..hierarchy.size(level)).map(|c| hierarchy.leaves_under(level, c as Code)).sum();
        assert_eq!(under as usize, leaves, "leaves add up at level {level}");
        let mut labels: Vec<_> =
            (0..hierarchy.size(level)).map(|c| hierarchy.label(level, c as Code)).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), hierarchy.size(level), "labels of one level differ");
    }
    for level in 1..=height {
        let mut parent = vec![None; hierarchy.size(level - 1)];
        for leaf in 0..leaves as Code {
            let above = hierarchy.generalize(leaf, level);
            let below = hierarchy.generalize(leaf, level - 1) as usize;
            assert_eq!(*parent[below].get_or_insert(above), above, "levels nest");
        }
    }
    for leaf in 0..leaves as Code {
        assert_eq!(hierarchy.leaf(hierarchy.leaf_value(leaf)), Some(leaf));
        assert_eq!(hierarchy.label(0, hierarchy.generalize(leaf, 0)), hierarchy.leaf_value(leaf));
    }
}

/// Builds, and checks the hierarchy against the column if that is possible at all.
fn built(spec: &Spec, column: &Dictionary) -> Option<Hierarchy> {
    let hierarchy = build(spec, column, &no_file).ok()?;
    sound(&hierarchy);
    for (value, _) in column.present() {
        assert!(hierarchy.leaf(Some(value)).is_some(), "`{value}` is a leaf");
    }
    assert_eq!(hierarchy.missing().is_some(), column.missing().is_some());
    for level in 0..hierarchy.height() {
        assert_eq!(hierarchy.missing_at(level).is_some(), column.missing().is_some());
    }
    Some(hierarchy)
}

#[test]
fn looks_up() {
    let hierarchy = Hierarchy::new(paths(&["34 30-39 *", "37 30-39 *", "45 40-49 *"]), false).unwrap();
    sound(&hierarchy);
    assert_eq!((hierarchy.height(), hierarchy.leaf_count(), hierarchy.topped()), (2, 3, false));
    let leaf = hierarchy.leaf(Some("37")).unwrap();
    let code = hierarchy.generalize(leaf, 1);
    assert_eq!(hierarchy.label(1, code), Some("30-39"));
    assert_eq!(hierarchy.leaves_under(1, code), 2);
    assert_eq!(hierarchy.size(1), 2);
    assert_eq!(hierarchy.leaf(Some("99")), None);
    assert_eq!(hierarchy.missing(), None);
}

#[test]
fn a_top_is_put_where_there_is_none() {
    let hierarchy = Hierarchy::new(paths(&["a x", "b y"]), false).unwrap();
    assert!(hierarchy.topped());
    assert_eq!((hierarchy.height(), hierarchy.label(2, 0)), (2, Some(TOP)));
    let leaves_only = Hierarchy::new(paths(&["a", "b"]), false).unwrap();
    assert!(!leaves_only.topped(), "nothing was given that could have had a top");
    assert_eq!(leaves_only.height(), 1);
    assert!(!Hierarchy::new(paths(&["a x", "b x"]), false).unwrap().topped());
}

#[test]
fn nesting_faults_name_both_values() {
    let error = Hierarchy::new(paths(&["a x p", "b y q", "c x q"]), false).unwrap_err();
    assert_eq!(error.faults().len(), 1);
    let text = error.to_string();
    for part in ["`x` at level 1", "two labels", "at level 2"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn paths_must_agree() {
    assert!(Hierarchy::new(paths(&["a x", "b"]), false).is_err());
    let error = Hierarchy::new(paths(&["a x", "a y"]), false).unwrap_err();
    assert!(error.to_string().contains("value `a` is given two different paths"), "{error}");
    assert_eq!(Hierarchy::new(paths(&["a x", "a x"]), false).unwrap().leaf_count(), 1);
}

#[test]
fn missing_stays_missing_until_the_top() {
    for rows in [&["a x *", "b y *"][..], &["a x", "b y"], &["a s *"]] {
        let hierarchy = Hierarchy::new(paths(rows), true).unwrap();
        sound(&hierarchy);
        let missing = hierarchy.missing().unwrap();
        assert_eq!((hierarchy.height(), hierarchy.leaf_value(missing)), (2, None));
        for level in 0..2 {
            let code = hierarchy.generalize(missing, level);
            assert_eq!(hierarchy.missing_at(level), Some(code));
            assert_eq!((hierarchy.label(level, code), hierarchy.leaves_under(level, code)), (None, 1));
        }
        assert_eq!(hierarchy.missing_at(2), None);
        assert_eq!(hierarchy.label(2, hierarchy.generalize(missing, 2)), Some(TOP));
    }
}

#[test]
fn a_column_without_values_keeps_its_levels() {
    let spec = Spec::Postal(Postal { keep: vec![3, 2] });
    for column in [Dictionary::new(), Dictionary::of([None])] {
        let hierarchy = built(&spec, &column).unwrap();
        assert_eq!((hierarchy.height(), hierarchy.topped()), (3, false));
        assert_eq!(hierarchy.label(3, 0), Some(TOP));
        let heights = specs(2).into_iter().filter_map(|spec| Some(built(&spec, &column)?.height()));
        assert_eq!(heights.collect::<Vec<_>>(), [3, 2, 3, 3, 1, 1, 3, 3, 4, 4, 3, 4, 1]);
    }
    assert!(Hierarchy::new(Vec::new(), false).is_ok());
}

#[test]
fn suppression_is_two_levels() {
    let hierarchy = built(&Spec::Suppress, &Dictionary::of([Some("a"), Some("b"), None])).unwrap();
    assert_eq!((hierarchy.height(), hierarchy.leaf_count()), (1, 3));
    assert_eq!(hierarchy.label(1, 0), Some(TOP));
}

#[test]
fn a_file_that_cannot_be_loaded_is_said() {
    let spec = Spec::File(File::Path("x.csv".into()));
    let error = build(&spec, &Dictionary::new(), &no_file).unwrap_err();
    assert!(error.to_string().contains("no such file"));
}

#[test]
fn files_may_have_more_leaves_than_the_data() {
    let spec = Spec::File(File::Delimited { path: "x.csv".into(), delimiter: '|' });
    let load = |path: &str| {
        assert_eq!(path, "x.csv");
        Ok("a|x\nb|y\nc|y".to_owned())
    };
    let hierarchy = build(&spec, &Dictionary::of([Some("b"), None]), &load).unwrap();
    sound(&hierarchy);
    assert_eq!((hierarchy.leaf_count(), hierarchy.height(), hierarchy.topped()), (4, 2, true));
}

#[test]
fn phrases() {
    let said: Vec<String> = specs(1).iter().map(describe).collect();
    let expected = [
        "intervals of 1, 10",
        "intervals between listed bounds",
        "sorted values in groups of 2, 3",
        "sorted values in groups of 3, 2",
        "masked from the right",
        "masked from the left",
        "dates by month, year; before 2000 as one",
        "the 3, 1 most frequent values",
        "ICD-9-CM category, block, chapter",
        "ICD-10 category, block, chapter",
        "the first 2, 1 characters",
        "the first 3, 2, 1 digits of ZIP codes; small prefixes 000",
        "keep or suppress",
    ];
    assert_eq!(said, expected);
    assert_eq!(describe(&Spec::File(File::Path("sex.csv".into()))), "file sex.csv");
    assert_eq!(describe(&specs(2)[4]), "masked from the right, 2 characters at a time");
}

/// One request of every kind.
fn specs(step: usize) -> Vec<Spec> {
    let mask = |from, char| Spec::Mask(Mask { from, char, step });
    vec![
        Spec::Intervals(Intervals {
            widths: vec![step as f64, step as f64 * 10.0],
            low: Some(-20.0),
            ..Intervals::default()
        }),
        Spec::Intervals(Intervals { bounds: vec![vec![0.0, step as f64 * 10.0]], ..Intervals::default() }),
        Spec::Order(Order { fanout: vec![2, 3], values: Vec::new() }),
        Spec::Order(Order { fanout: vec![3, 2], values: Vec::new() }),
        mask(End::Right, '*'),
        mask(End::Left, 'a'),
        Spec::Date(Date {
            levels: vec!["month".into(), "year".into()],
            format: "%Y-%m-%d".into(),
            low: Some(2000),
            nested: true,
        }),
        Spec::Priority(Priority { keep: vec![3, 1], other: "other".into() }),
        Spec::Icd9,
        Spec::Icd10,
        Spec::Postal(Postal { keep: vec![2, 1] }),
        Spec::Zip3(Zip3 { restricted: vec!["000".into(), "002".into()] }),
        Spec::Suppress,
    ]
}

/// Short texts over few characters, so that values collide, with masks and Unicode among them.
fn texts() -> impl Strategy<Value = Vec<Option<String>>> {
    let text = prop_oneof!["[ab*é ,{}…]{0,5}", "[0-9]{1,3}(\\.[0-9])?", "[A-EV][0-9]{2}\\.?[0-9]?", ".{0,6}"];
    prop::collection::vec(prop::option::weighted(0.9, text), 0..30)
}

fn column(values: &[Option<String>]) -> Dictionary {
    Dictionary::of(values.iter().map(Option::as_deref))
}

proptest! {
    /// No builder panics, and what it builds is sound.
    #[test]
    fn builders_on_any_text(values in texts(), step in 1..4usize) {
        let column = column(&values);
        for spec in specs(step) {
            let hierarchy = built(&spec, &column);
            let always = matches!(spec, Spec::Order(_) | Spec::Mask(_) | Spec::Postal(_) | Spec::Zip3(_) | Spec::Suppress);
            prop_assert!(hierarchy.is_some() || !always, "{spec:?}");
        }
    }

    #[test]
    fn intervals_and_order_on_numbers(
        values in prop::collection::vec(any::<f64>(), 1..20),
        step in 1..4usize,
    ) {
        let finite = values.iter().all(|x| x.is_finite());
        let column = column(&values.iter().map(|x| Some(x.to_string())).collect::<Vec<_>>());
        let specs = specs(step);
        built(&specs[0], &column);
        prop_assert_eq!(built(&specs[1], &column).is_some(), finite);
        prop_assert!(built(&specs[2], &column).is_some());
    }

    #[test]
    fn intervals_nest(
        values in prop::collection::vec(-5000..5000i32, 1..40),
        width in 1..50u32,
        factors in prop::collection::vec(1..4u32, 0..4),
        low in prop::option::of(-300..0i32),
        high in prop::option::of(1..300i32),
        tenths in any::<bool>(),
    ) {
        let unit = if tenths { 0.1 } else { 1.0 };
        let mut widths = vec![f64::from(width) * unit];
        for factor in factors {
            widths.push(widths[widths.len() - 1] * f64::from(factor));
        }
        let spec = Spec::Intervals(Intervals {
            widths,
            low: low.map(f64::from),
            high: high.map(f64::from),
            ..Intervals::default()
        });
        let texts: Vec<_> = values.iter().map(|x| Some((f64::from(*x) / 10.0).to_string())).collect();
        prop_assert!(built(&spec, &column(&texts)).is_some());
    }

    #[test]
    fn dates_nest(days in prop::collection::vec(-800_000..800_000i32, 1..40), n in 1..30u32, m in 1..5u32) {
        let days = days.iter().filter_map(|d| chrono::NaiveDate::from_epoch_days(*d));
        let column = column(&days.map(|d| Some(d.to_string())).collect::<Vec<_>>());
        let chains = [
            vec!["day".to_owned(), "week".into()],
            vec!["day".into(), format!("{n}-month"), format!("{}-month", n * m), format!("{}-year", n * m)],
            vec!["quarter".into(), "year".into(), format!("{n}-year"), format!("{}-year", n * m * 2)],
        ];
        for levels in chains {
            let spec = Spec::Date(Date { levels, format: "%Y-%m-%d".into(), low: None, nested: true });
            prop_assert!(built(&spec, &column).is_some(), "{spec:?}");
        }
    }

    #[test]
    fn priorities_pool(counts in prop::collection::vec(0..5u64, 1..20), keep in 1..10usize) {
        let mut column = Dictionary::new();
        for (i, count) in counts.iter().enumerate() {
            column.add(Some(&format!("v{i}")), *count);
        }
        let spec = Spec::Priority(Priority { keep: vec![keep + 1, keep], other: "rest".into() });
        let hierarchy = built(&spec, &column).unwrap();
        prop_assert_eq!(hierarchy.size(2), (keep + 1).min(counts.len()));
    }

    /// Whatever the text is, reading it does not panic, and what is read is a hierarchy.
    #[test]
    fn any_file(text in "[ab;,\t\"\r\n\u{feff}]{0,40}|.*") {
        if let Ok(paths) = file::parse(&text, None, "h.csv") {
            sound(&Hierarchy::new(paths, false).unwrap());
        }
        let _ = file::parse(&text, Some('b'), "h.csv");
    }

    #[test]
    fn files_read_back(
        leaves in prop::collection::vec("[ab;,\t\"\r\n\u{feff} é]{0,4}", 1..12),
        names in prop::collection::vec("[ab;,\t\"\r\n\u{feff} é]{0,4}", 6),
        missing in any::<bool>(),
        delimiter in prop::sample::select(vec![';', ',', '\t', '|']),
    ) {
        let path = |(i, leaf): (usize, &String)| Path {
            leaf: leaf.clone(),
            labels: vec![format!("{}{}", names[i % 4], i % 4), format!("{}{}", names[4 + i % 2], i % 2)],
        };
        let mut leaves = leaves;
        leaves.sort();
        leaves.dedup();
        let first = Hierarchy::new(leaves.iter().enumerate().map(path).collect(), missing).unwrap();
        let text = file::write(&first, delimiter);
        for given in [Some(delimiter), None] {
            if given.is_none() && delimiter == '|' {
                continue;
            }
            let second = Hierarchy::new(file::parse(&text, given, "h.csv").unwrap(), missing).unwrap();
            prop_assert_eq!(first.height(), second.height());
            prop_assert_eq!(first.leaf_count(), second.leaf_count());
            for level in 0..=first.height() {
                prop_assert_eq!(first.codes(level), second.codes(level));
                prop_assert_eq!(&first.levels[level].labels, &second.levels[level].labels);
            }
        }
    }
}

proptest! {
    /// Each label is stored once; what a leaf has at a level is what its path says.
    #[test]
    fn leaves_have_the_labels_of_their_paths(
        rows in prop::collection::vec((0u8..40, prop::collection::vec("[ab]{0,3}", 3)), 1..60),
        missing: bool,
    ) {
        let path = |(leaf, labels): &(u8, Vec<String>)| Path { leaf: leaf.to_string(), labels: labels.clone() };
        let paths: Vec<Path> = rows.iter().map(path).collect();
        let mut first: Vec<&Path> = Vec::new();
        let mut twice = false;
        for path in &paths {
            match first.iter().find(|known| known.leaf == path.leaf) {
                Some(known) => twice |= known.labels != path.labels,
                None => first.push(path),
            }
        }
        let built = Hierarchy::of_levels(paths.clone(), 1, missing, false);
        prop_assert_eq!(built.is_err(), twice);
        let Ok(built) = built else { return Ok(()) };
        prop_assert_eq!(built.leaf_count(), first.len() + usize::from(missing));
        for (code, path) in first.iter().enumerate() {
            let leaf = built.leaf(Some(&path.leaf)).unwrap();
            prop_assert_eq!(leaf as usize, code);
            prop_assert_eq!(built.label(0, built.generalize(leaf, 0)), Some(path.leaf.as_str()));
            for level in 1..=3 {
                let label = built.label(level, built.generalize(leaf, level));
                prop_assert_eq!(label, Some(path.labels[level - 1].as_str()));
            }
        }
        for level in 1..3 {
            let labels: std::collections::BTreeSet<&str> =
                first.iter().map(|path| path.labels[level - 1].as_str()).collect();
            prop_assert_eq!(built.size(level), labels.len() + usize::from(missing));
            if missing {
                prop_assert_eq!(built.label(level, built.missing_at(level).unwrap()), None);
            }
            let under = (0..built.size(level)).map(|code| built.leaves_under(level, code as Code));
            prop_assert_eq!(under.sum::<u32>() as usize, built.leaf_count());
        }
    }
}
