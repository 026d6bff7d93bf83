//! Properties of the description of any table.

use proptest::prelude::*;

use crate::describe::{Describer, Description, Kind, policy, table};
use crate::error::Fault;
use crate::hierarchy::build;
use crate::policy::{Policy, Role};
use crate::table::Dictionary;

/// Values of one kind each, so that columns of every kind come up, with strange ones among them.
fn values() -> impl Strategy<Value = Vec<Option<String>>> {
    let of =
        |pattern: &'static str| prop::collection::vec(prop::option::weighted(0.9, pattern), 0..60).boxed();
    prop_oneof![
        of("-?[0-9]{1,3}"),
        of("[1-9][0-9]{4}"),
        of("0[0-9]{4}"),
        of("-?[0-9]{1,2}\\.[0-9]{1,3}"),
        of("[1-9](\\.[0-9])?e-?[0-9]{1,3}"),
        of("(19|20)[0-9]{2}-0[1-9]-[012][1-8]"),
        of("[0-2]?[1-8]/[0-9]{1,2}/(19|20)[0-9]{2}"),
        of("(19|20)[0-9]{2}-0[1-9]-[012][1-8][ T]1[0-9]:[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,3})?)?"),
        of("[A-Z][0-9]{2}(\\.[0-9])?"),
        of("[0-9]{3}(\\.[0-9]{1,2})?"),
        of("[a-d]"),
        of("other|\\(other\\)|NA|\\?|[a-z]"),
        of("( ?[a-z]{1,9}){1,9}"),
        of("[ -~]{0,9}"),
        of(".{0,80}"),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("age".to_owned()),
        Just("zip".to_owned()),
        Just("diagnosis".to_owned()),
        Just("visit_date".to_owned()),
        Just("birth_year".to_owned()),
        Just("perwt".to_owned()),
        "[a-z_]{0,9}",
        ".{0,20}",
    ]
}

type Column = (String, Vec<Option<String>>);

fn describer(columns: &[Column], rows: std::ops::Range<usize>, limit: usize) -> Describer {
    let names = columns.iter().map(|c| c.0.clone()).collect();
    let mut describer = Describer::with_limit(names, &[String::new()], limit);
    for row in rows {
        for (i, (_, values)) in columns.iter().enumerate() {
            describer.push(i, values.get(row).and_then(Option::as_deref));
        }
    }
    describer
}

fn description(columns: &[Column], limit: usize) -> Description {
    describer(columns, 0..60, limit).finish()
}

/// Columns with names of their own.
fn columns() -> impl Strategy<Value = Vec<Column>> {
    prop::collection::vec((names(), values()), 1..5).prop_map(|mut columns| {
        columns.sort_by(|a, b| a.0.cmp(&b.0));
        columns.dedup_by(|a, b| a.0 == b.0);
        columns
    })
}

fn dictionary(values: &[Option<String>], found: &Description) -> Dictionary {
    let null = |v: &str| v.is_empty() || found.missing_codes.iter().any(|code| code.code == v);
    let present = |v: &Option<String>| v.as_deref().is_some_and(|v| !null(v));
    Dictionary::of(values.iter().map(|v| if present(v) { v.as_deref() } else { None }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Parts merge into what one pass finds, whether values are counted or sampled.
    #[test]
    fn merging_is_one_pass(columns in columns(), cut in 0_usize..60, limit in prop_oneof![1_usize..20, Just(1000)]) {
        let whole = description(&columns, limit);
        let mut parts = describer(&columns, 0..cut, limit);
        parts.merge(describer(&columns, cut..60, limit));
        prop_assert_eq!(&parts.finish(), &whole);
        let mut turned = describer(&columns, cut..60, limit);
        turned.merge(describer(&columns, 0..cut, limit));
        prop_assert_eq!(turned.finish(), whole);
    }

    /// Counts are those of the definition as long as there are not too many values.
    #[test]
    fn counts_are_exact_below_the_limit(column in (names(), values())) {
        let mut found = description(std::slice::from_ref(&column), 1000);
        let dictionary = dictionary(&column.1, &found);
        let found = found.columns.swap_remove(0);
        let once = dictionary.present().filter(|(_, n)| *n == 1).count() as u64;
        prop_assert!(found.distinct_exact);
        prop_assert_eq!(found.distinct, dictionary.present().count() as u64);
        prop_assert_eq!(found.unique_rows, once);
        prop_assert_eq!(found.missing, 60 - dictionary.present().map(|(_, n)| n).sum::<u64>());
        prop_assert_eq!(found.kind == Kind::Empty, found.distinct == 0);
        prop_assert!(found.top.is_sorted_by(|a, b| a.1 >= b.1));
    }

    /// Every proposed and every offered hierarchy can be built over the values, also where they
    /// were sampled.
    #[test]
    fn proposed_hierarchies_can_be_built(columns in columns(), limit in prop_oneof![1_usize..20, Just(1000)]) {
        let description = description(&columns, limit);
        for (found, (_, values)) in description.columns.iter().zip(&columns) {
            prop_assert_eq!(found.hierarchy_reason.is_some(), found.role == Role::Quasi);
            prop_assert!(found.hierarchy.is_none() || found.offered_hierarchy.is_none());
            for spec in found.hierarchy.iter().chain(&found.offered_hierarchy) {
                let built = build(spec, &dictionary(values, &description), &|_| Err(Fault::bug("no file").into()));
                prop_assert!(built.is_ok(), "{:?}: {}", spec, built.err().map(|e| e.to_string()).unwrap_or_default());
            }
        }
    }

    /// Dates and codes with leading zeros always have a hierarchy: their cells never become lists of
    /// exact dates or intervals of codes.
    #[test]
    fn dates_and_codes_have_hierarchies(columns in columns()) {
        for found in description(&columns, 1000).columns.iter().filter(|c| c.role == Role::Quasi) {
            let coded = found.kind == Kind::Code && found.top.iter().all(|(v, _)| v.bytes().all(|b| b.is_ascii_digit()));
            if coded || matches!(found.kind, Kind::Date { .. } | Kind::DateTime { .. }) {
                prop_assert!(found.hierarchy.is_some(), "{:?}", found);
            }
        }
    }

    /// Counts of the summary are of all columns, and there are few questions about columns that
    /// exist.
    #[test]
    fn summaries_and_questions_are_of_the_table(columns in columns()) {
        let description = description(&columns, 1000);
        prop_assert_eq!(description.summary.values().sum::<usize>(), columns.len());
        prop_assert!(description.questions.len() <= 5);
        let exists = |name: &String| columns.iter().any(|c| c.0 == *name);
        prop_assert!(description.questions.iter().all(|q| !q.columns.is_empty() && q.columns.iter().all(exists)));
    }

    /// The policy is read back with the same input, roles and hierarchies.
    #[test]
    fn policies_read_back(
        columns in columns(),
        path in ".{1,20}",
        nulls in prop::collection::vec(".{0,5}", 0..3),
        k in 1_u64..100,
        suppression in 0.0_f64..=1.0,
    ) {
        let description = description(&columns, 1000);
        let mut input = Policy::parse("version = 1\n[input]\npath = \"a\"\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 1\n")
            .unwrap()
            .input;
        input.path = path;
        input.null = nulls;
        input.delimiter = '\t';
        match policy(&description, &input, k, suppression, "out") {
            Ok(text) => {
                let read = Policy::parse(&text).unwrap();
                let codes = description.missing_codes.iter().map(|code| code.code.clone());
                let mut expected = input.clone();
                expected.null.extend(codes.filter(|code| !input.null.contains(code)));
                prop_assert_eq!(&read.input, &expected);
                prop_assert_eq!((read.privacy.k(), read.privacy.suppression), (Some(k), Some(suppression)));
                prop_assert_eq!(read.columns.len(), description.columns.len());
                for column in &description.columns {
                    prop_assert_eq!(read.columns[&column.name].role, column.role);
                    prop_assert_eq!(&read.columns[&column.name].hierarchy, &column.hierarchy);
                }
            }
            // What can be read in two ways, such as 3/2/1900, is for the holder to settle.
            Err(error) if error.has_code("inspect.ambiguous-cells") => {
                prop_assert!(description.columns.iter().any(|c| c.ambiguous.is_some()));
            }
            Err(_) => prop_assert!(!description.columns.iter().any(|c| c.role == Role::Quasi)),
        }
    }

    /// A policy with the offered hierarchies uncommented is a policy, too.
    #[test]
    fn offered_hierarchies_can_be_uncommented(columns in columns()) {
        let description = description(&columns, 1000);
        let input = Policy::parse("version = 1\n[input]\npath = \"a\"\n[columns.a]\nrole = \"quasi\"\n[privacy]\nk = 1\n")
            .unwrap()
            .input;
        if let Ok(text) = policy(&description, &input, 2, 0.1, "out") {
            let read = Policy::parse(&text.replace("\n# hierarchy = ", "\nhierarchy = ")).unwrap();
            for column in &description.columns {
                let spec = column.hierarchy.as_ref().or(column.offered_hierarchy.as_ref());
                prop_assert_eq!(read.columns[&column.name].hierarchy.as_ref(), spec);
            }
        }
    }

    /// What a terminal shows has no control characters but line ends, and at least two lines per
    /// column and one more with values.
    #[test]
    fn tables_are_harmless(columns in columns()) {
        let description = description(&columns, 1000);
        let text = table(&description, true);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
        let filled = description.columns.iter().filter(|c| !c.top.is_empty()).count();
        prop_assert!(text.lines().count() >= 6 + 2 * columns.len() + filled);
    }
}
