//! Every method that forms regions with every model that judges a class by its values, at any
//! suppression limit: regions are safe by the naive
//! definitions, and where there is no release, no release of this kind is possible.

use proptest::prelude::*;
use throng::error::{Error, Kind};
use throng::policy::{ModelSpec, Policy};
use throng::recode::{Regional, regions};
use throng::registry::Algorithm;
use throng::search::{Grouped, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

use crate::models::{MISSING, built_in, placed, safe, spec};

/// The keys of all algorithms that form regions themselves.
fn region_algorithms() -> Vec<&'static str> {
    let runs_others = Algorithm::Best.key();
    Algorithm::keys_with(|entry| {
        entry.forms_regions && entry.k_anonymous && !entry.small_tables && entry.key != runs_others
    })
}

/// Ages, cities and sensitive values.
type Rows = Vec<(u8, u8, usize)>;

fn policy(algorithm: &str, k: u64, suppression: f64, limited: bool) -> Policy {
    let most = if limited { "columns.city.max_level = 0\n" } else { "" };
    Policy::parse(&format!(
        "version = 1\ninput.path = \"x.csv\"\ninput.null = [\"{MISSING:02}\"]\n{most}columns.age.role = \"quasi\"\ncolumns.city.role = \"quasi\"\n\
         columns.s.role = \"target\"\nprivacy.k = {k}\nprivacy.suppression = {suppression}\nsearch.algorithm = \"{algorithm}\"\n\
         search.loss = \"lm\"\n"
    ))
    .unwrap()
}

/// The table with its sensitive values numbered as the models of the tests number them.
fn grouped(rows: &Rows) -> Grouped {
    // In two digits, so that their order as texts is that of the numbers.
    let names: Vec<String> = (0..60).map(|v| format!("{v:02}")).collect();
    let values = Dictionary::of(names.iter().map(|name| Some(name.as_str())));
    let mut dictionaries = vec![Dictionary::new(), Dictionary::new(), values];
    let mut tuples = Tuples::new(3);
    for &(age, city, value) in rows {
        let age = dictionaries[0].add(Some(&age.to_string()), 1);
        let city = dictionaries[1].add(Some(&format!("c{city}")), 1);
        tuples.insert(&[age, city, value as u32], 1);
    }
    let names = vec!["age".into(), "city".into()];
    Grouped { names, measured: vec!["s".into()], dictionaries, tuples, population: None }
}

fn unsolvable(error: &Error) -> bool {
    error.faults().iter().all(|fault| fault.kind == Kind::Unsolvable)
}

/// The sensitive values of every region.
fn values(problem: &Problem, regional: &Regional) -> Vec<Vec<usize>> {
    let count = regional.shares.iter().map(|share| share.region as usize + 1).max().unwrap_or(0);
    let mut values = vec![Vec::new(); count];
    for share in &regional.shares {
        let (codes, counts) = problem.classes.histograms()[0].class(share.point as usize);
        assert_eq!(share.rows, counts.iter().sum::<u32>(), "equal rows stay together");
        let each = codes.iter().zip(counts);
        values[share.region as usize]
            .extend(each.flat_map(|(&code, &n)| std::iter::repeat_n(code as usize, n as usize)));
    }
    values
}

fn rows() -> impl Strategy<Value = Rows> {
    // Values that hang on the age are what makes regions of neighbours unsafe.
    let row = (0..30u8, 0..3u8, 0..5usize, any::<bool>())
        .prop_map(|(age, city, value, own)| (age, city, if own { value } else { usize::from(age / 6) }));
    prop::collection::vec(row, 1..60)
}

fn class_wise(asked: &[ModelSpec], values: &[usize], table: &[usize], k: u64) -> bool {
    values.len() as u64 >= k && asked.iter().all(|asked| safe(asked, values, table))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn every_model_works_with_every_method_at_any_limit(
        rows in rows(),
        asked in prop::collection::vec(spec(), 1..3),
        k in 1..6u64,
        suppression in prop::sample::select(vec![0.0, 0.02, 0.6]),
        limited in any::<bool>(),
    ) {
        let mut rows = rows;
        for asked in &asked {
            rows.iter_mut().for_each(|row| row.2 = placed(asked, &[row.2])[0]);
        }
        let table: Vec<usize> = rows.iter().map(|row| row.2).collect();
        let k = k.min(rows.len() as u64);
        // What may be put together is not safe by itself: nothing can be released of it.
        let part = |city: u8| -> Vec<usize> {
            rows.iter().filter(|row| !limited || row.1 == city).map(|row| row.2).collect()
        };
        let parts = if limited { (0..3).map(part).collect() } else { vec![part(0)] };
        let held: usize = parts.iter().filter(|p| !class_wise(&asked, p, &table, k)).map(Vec::len).sum();
        for algorithm in region_algorithms() {
            let policy = policy(algorithm, k, suppression, limited);
            let (mut problem, _) = Problem::new(&policy, grouped(&rows), &|_| unreachable!()).unwrap();
            let strict = problem.max_suppressed == 0;
            std::sync::Arc::get_mut(&mut problem.models).unwrap().extend(asked.iter().map(|asked| built_in(asked, 0, &table, strict)));
            let formed = regions(&policy, &problem.ground(), &Watch::none());
            let possible = held as u64 <= problem.max_suppressed;
            match formed {
                Err(error) => prop_assert!(unsolvable(&error) && !possible, "{algorithm}: {error}"),
                Ok(None) => prop_assert!(false, "{algorithm} was stopped"),
                Ok(Some(regional)) => {
                    let values = values(&problem, &regional);
                    prop_assert_eq!(values.iter().map(Vec::len).sum::<usize>(), rows.len() - held, "{}", algorithm);
                    prop_assert!(possible, "{algorithm}");
                    for values in values {
                        prop_assert!(class_wise(&asked, &values, &table, k), "{algorithm}: {values:?}");
                    }
                }
            }
        }
    }
}

const SEVEN: [(&str, &str); 7] =
    [("25", "flu"), ("28", "hiv"), ("22", "flu"), ("52", "flu"), ("20", "flu"), ("27", "hiv"), ("23", "hiv")];

/// Seven patients, four of them with flu.
fn seven(algorithm: &str, models: &str) -> Result<Vec<u32>, Error> {
    let policy = Policy::parse(&format!(
        "version = 1\ninput.path = \"x.csv\"\ncolumns.age.role = \"quasi\"\ncolumns.dx.role = \"sensitive\"\n\
         privacy.k = 2\nprivacy.models = [{models}]\nsearch.algorithm = \"{algorithm}\"\nsearch.loss = \"lm\"\n"
    ))
    .unwrap();
    let mut dictionaries = vec![Dictionary::new(), Dictionary::new()];
    let mut tuples = Tuples::new(2);
    for (age, dx) in SEVEN {
        let codes = [dictionaries[0].add(Some(age), 1), dictionaries[1].add(Some(dx), 1)];
        tuples.insert(&codes, 1);
    }
    let grouped = Grouped {
        names: vec!["age".into()],
        measured: vec!["dx".into()],
        dictionaries,
        tuples,
        population: None,
    };
    let (problem, _) = Problem::new(&policy, grouped, &|_| unreachable!())?;
    let regional = regions(&policy, &problem.ground(), &Watch::none())?.unwrap();
    Ok(regional.released.view().counts().to_vec())
}

#[test]
fn seven_patients_without_suppression() {
    for algorithm in region_algorithms() {
        for models in [
            "{ alpha_k = { column = \"dx\", alpha = 0.6 } }",
            "{ t_closeness = { column = \"dx\", t = 0.1 } }",
            "{ l_diversity = { column = \"dx\", kind = \"entropy\", l = 1.9 } }",
            "{ l_diversity = { column = \"dx\", kind = \"recursive\", l = 2, c = 1.5 } }",
            "{ beta_likeness = { column = \"dx\", beta = 0.3 } }",
            "{ delta_disclosure = { column = \"dx\", delta = 0.4 } }",
        ] {
            let classes = seven(algorithm, models).unwrap_or_else(|e| panic!("{algorithm}, {models}: {e}"));
            assert_eq!(classes.iter().sum::<u32>(), 7, "{algorithm}, {models}");
        }
    }
}

#[test]
fn what_the_whole_table_does_not_satisfy_is_named_with_what_it_would() {
    let alpha = |alpha: &str| format!("{{ alpha_k = {{ column = \"dx\", alpha = {alpha} }} }}");
    for algorithm in region_algorithms() {
        let error = seven(algorithm, &alpha("0.5")).unwrap_err();
        assert!(unsolvable(&error), "{error}");
        let fault = &error.faults()[0];
        assert!(fault.message.contains("not even all 7 rows together"), "{}", fault.message);
        // Four of seven.
        let help = fault.help.as_ref().unwrap();
        assert!(help.contains("allow 0.5715 of"), "{help}");
        assert_eq!(seven(algorithm, &alpha("0.5715")).unwrap(), [7]);
        let recursive = "{ l_diversity = { column = \"dx\", kind = \"recursive\", l = 2, c = 1.2 } }";
        let help = seven(algorithm, recursive).unwrap_err().faults()[0].help.clone().unwrap();
        let c: f64 = help.split(' ').nth(1).unwrap().parse().unwrap();
        assert!((c - 4.0 / 3.0).abs() < 1e-3, "{help}");
        seven(algorithm, &recursive.replace("1.2", &c.to_string())).unwrap();
    }
}
