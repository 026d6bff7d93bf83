//! Properties of all methods that form regions, on synthetic tables: every row is in one region,
//! every region is safe by a judge that reads the rows, and the thread count changes nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::region::{Aims, Field, Judge, Method, Share};
use crate::classes::Classes;
use crate::hierarchy::{Hierarchy, Path};
use crate::histogram::Histogram;
use crate::model::{Bound, Class, ClassFacts, ClassModel, Requirement};
use crate::policy::{Form, Search};
use crate::registry::Algorithm;
use crate::space::{Axis, Measure, Space};
use crate::table::Code;
use crate::watch::Watch;

/// A table: its columns as points, with a sensitive column measured in it.
#[derive(Debug)]
pub struct Made {
    pub names: Vec<String>,
    pub space: Space,
    pub classes: Classes,
}

/// Values of a column, how many of them each level joins, its form and measure.
#[derive(Debug, Clone)]
struct Column {
    values: usize,
    fanouts: Vec<usize>,
    form: Form,
    measure: Measure,
    missing: bool,
    weight: f64,
}

impl Column {
    fn hierarchy(&self) -> Hierarchy {
        let path = |value: usize| {
            let mut width = 1;
            let label = |fanout: &usize| {
                width *= fanout;
                format!("{}..{width}", value / width)
            };
            Path { leaf: (value * value).to_string(), labels: self.fanouts.iter().map(label).collect() }
        };
        Hierarchy::new((0..self.values).map(path).collect(), self.missing).unwrap()
    }
}

fn column(forms: &'static [Form]) -> impl Strategy<Value = Column> {
    let fanouts = proptest::collection::vec(2..4usize, 0..3);
    let measure = prop_oneof![Just(Measure::Leaves), Just(Measure::Levels)];
    let form = proptest::sample::select(forms);
    let weight = prop_oneof![Just(1.0), Just(0.0), Just(2.5)];
    (1..9usize, fanouts, form, measure, any::<bool>(), weight).prop_map(
        |(values, fanouts, form, measure, missing, weight)| Column {
            values,
            fanouts,
            form,
            measure,
            missing,
            weight,
        },
    )
}

/// Tables of up to this many rows whose first column has one of the first forms.
pub fn table(rows: usize, first: &'static [Form], forms: &'static [Form]) -> impl Strategy<Value = Made> {
    table_of(rows, 0..4, first, forms)
}

/// The same with this many columns behind the first.
pub fn table_of(
    rows: usize,
    others: std::ops::Range<usize>,
    first: &'static [Form],
    forms: &'static [Form],
) -> impl Strategy<Value = Made> {
    let columns = (column(first), proptest::collection::vec(column(forms), others));
    let columns = columns.prop_map(|(first, others)| [vec![first], others].concat());
    columns.prop_flat_map(move |columns| {
        let row = (proptest::collection::vec(any::<u16>(), columns.len()), 0..4u32);
        let rows = proptest::collection::vec(row, 1..rows);
        (Just(columns), rows).prop_map(|(columns, rows)| made(&columns, rows))
    })
}

fn made(columns: &[Column], rows: Vec<(Vec<u16>, u32)>) -> Made {
    let hierarchies: Vec<Hierarchy> = columns.iter().map(Column::hierarchy).collect();
    let names: Vec<String> = (0..columns.len()).map(|c| format!("c{c}")).collect();
    let mut grouped = BTreeMap::<Vec<Code>, Vec<u32>>::new();
    for (row, value) in rows {
        let code = |(cell, hierarchy): (u16, &Hierarchy)| Code::from(cell) % hierarchy.leaf_count() as Code;
        grouped.entry(row.into_iter().zip(&hierarchies).map(code).collect()).or_default().push(value);
    }
    let triples: Vec<(u32, Code, u32)> = grouped
        .values()
        .enumerate()
        .flat_map(|(class, values)| values.iter().map(move |&value| (class as u32, value, 1)))
        .collect();
    let histogram = Histogram::new(grouped.len(), &triples).unwrap();
    let rows = grouped.iter().flat_map(|(row, values)| values.iter().map(|_| row.clone()));
    let classes = Classes::of_rows(columns.len(), rows).unwrap().measured(vec![histogram]).unwrap();
    let axis = |(column, (name, hierarchy)): (&Column, (&String, &Hierarchy))| {
        Axis::new(name, hierarchy, column.form, column.measure, column.weight).unwrap()
    };
    let axes = columns.iter().zip(names.iter().zip(&hierarchies)).map(axis).collect();
    Made { names, space: Space::new(&classes, axes), classes }
}

/// At least this many values: a safe set absorbs whatever is added.
pub struct Distinct(ClassFacts);

impl Distinct {
    pub fn new(least: f64) -> Self {
        Distinct(facts("distinct", Bound::AtLeast(least)).absorbing())
    }
}

impl ClassModel for Distinct {
    fn class_facts(&self) -> &ClassFacts {
        &self.0
    }
    fn figure(&self, class: Class<'_>) -> f64 {
        class.codes.len() as f64
    }
}

/// No value in more than this share of the rows: what is safe can be spoilt.
pub struct Majority(ClassFacts);

impl Majority {
    pub fn new(share: f64) -> Self {
        Majority(facts("share", Bound::AtMost(share)).strict(true))
    }
}

impl ClassModel for Majority {
    fn class_facts(&self) -> &ClassFacts {
        &self.0
    }
    fn figure(&self, class: Class<'_>) -> f64 {
        f64::from(class.counts.iter().copied().max().unwrap_or(0)) / class.rows()
    }
}

/// The facts of a model of the first measured column.
pub fn facts(claim: &str, bound: Bound) -> ClassFacts {
    ClassFacts::new(Requirement::Custom, claim.into(), 0, bound)
}

/// What methods are given of a table.
pub fn field<'a>(made: &'a Made, search: &'a Search, judge: Judge<'a>) -> Field<'a> {
    let tolerance = (0..made.names.len()).map(|column| [1.0, 0.3, 0.7][column % 3]).collect();
    let watch = Watch::none();
    Field {
        space: &made.space,
        judge,
        search,
        names: &made.names,
        all_names: &made.names,
        tolerance,
        seed: 3,
        aims: Aims::default(),
        watch,
    }
}

/// The models of a case, which the whole table satisfies.
pub fn models<'a>(made: &Made, wanted: &[&'a dyn ClassModel]) -> Vec<&'a dyn ClassModel> {
    let all = |model: &&'a dyn ClassModel| {
        let mut values = BTreeMap::<Code, u32>::new();
        for class in 0..made.classes.len() {
            let (codes, counts) = made.classes.histograms()[0].class(class);
            codes.iter().zip(counts).for_each(|(&code, &n)| *values.entry(code).or_default() += n);
        }
        let (codes, counts): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        model.class_facts().bound.holds(model.figure(Class { codes: &codes, counts: &counts }))
    };
    wanted.iter().copied().filter(all).collect()
}

/// Errors of regions, by their definition.
pub fn wrong(made: &Made, shares: &[Share], least: u64, models: &[&dyn ClassModel]) -> Option<String> {
    let mut rows = vec![0; made.space.len()];
    let mut regions = BTreeMap::<u32, (u64, BTreeMap<Code, u32>)>::new();
    for share in shares {
        rows[share.point as usize] += share.rows;
        let (count, values) = regions.entry(share.region).or_default();
        *count += u64::from(share.rows);
        let (codes, counts) = made.classes.histograms()[0].class(share.point as usize);
        codes.iter().zip(counts).for_each(|(&code, &n)| *values.entry(code).or_default() += n);
    }
    if rows != made.space.counts() {
        return Some(format!("rows of points are {rows:?}, not {:?}", made.space.counts()));
    }
    if regions.keys().copied().ne(0..regions.len() as u32) {
        return Some("regions are not numbered from 0".into());
    }
    regions.values().find_map(|(count, values)| {
        let (codes, counts): (Vec<_>, Vec<_>) = values.iter().map(|(&code, &n)| (code, n)).unzip();
        let class = Class { codes: &codes, counts: &counts };
        let safe = models.iter().all(|model| model.class_facts().bound.holds(model.figure(class)));
        (*count < least || !safe).then(|| format!("a region of {count} rows with {counts:?}"))
    })
}

/// The methods for tables of any size.
fn methods() -> Vec<&'static dyn Method> {
    super::methods().into_iter().filter(|method| !method.algorithm().entry().small_tables).collect()
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];
const NUMBERS: &[Form] = &[Form::Interval, Form::Mean];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn regions_hold_every_row_once_and_are_safe(
        made in table(80, NUMBERS, ANY),
        least in 1..9u64,
        wanted in 0..4usize,
    ) {
        let both: [&dyn ClassModel; 2] = [&Distinct::new(3.0), &Majority::new(0.6)];
        let wanted = [&both[..0], &both[..1], &both[1..], &both][wanted];
        let models = models(&made, wanted);
        let least = least.min(made.classes.rows());
        let search = Search::default();
        let points: Vec<u32> = (0..made.space.len() as u32).collect();
        for method in methods() {
            let field = field(&made, &search, Judge::new(&made.classes, least, models.clone()));
            prop_assert!(method.refuses(&field).is_none(), "{} refuses", method.name());
            let run = || method.run(&field, &points).unwrap().unwrap();
            let shares = on_threads(1, run);
            prop_assert_eq!(wrong(&made, &shares, least, &models), None, "{}", method.name());
            prop_assert_eq!(&shares, &on_threads(4, run), "{} on four threads", method.name());
        }
    }
}

/// A table of one numeric column, with this many rows per number.
pub fn numbers(counts: &[u32]) -> Made {
    let column = Column {
        values: counts.len(),
        fanouts: Vec::new(),
        form: Form::Interval,
        measure: Measure::Leaves,
        missing: false,
        weight: 1.0,
    };
    let rows = |(value, &count): (usize, &u32)| (0..count).map(move |row| (vec![value as u16], row % 4));
    made(&[column], counts.iter().enumerate().flat_map(rows).collect())
}

#[test]
fn tables_without_choice_are_one_region() {
    for (counts, least, regions) in [(&[1][..], 1, 1), (&[7], 3, 1), (&[1, 1, 1, 1], 4, 1), (&[3, 3], 3, 2)] {
        let made = numbers(counts);
        let search = Search::default();
        let points: Vec<u32> = (0..made.space.len() as u32).collect();
        for method in methods().iter().filter(|method| method.algorithm() != Algorithm::Mondrian) {
            let field = field(&made, &search, Judge::new(&made.classes, least, Vec::new()));
            let shares = method.run(&field, &points).unwrap().unwrap();
            assert_eq!(wrong(&made, &shares, least, &[]), None, "{}", method.name());
            let found = shares.iter().map(|share| share.region + 1).max().unwrap();
            assert_eq!(found, regions, "{} of {counts:?} with {least}", method.name());
            assert_eq!(method.run(&field, &[]).unwrap().unwrap(), [], "{} of nothing", method.name());
        }
    }
}

/// A table of one column of numbers, each with rows of these sensitive values.
pub fn valued(values: &[&[u32]]) -> Made {
    let column = Column {
        values: values.len(),
        fanouts: Vec::new(),
        form: Form::Interval,
        measure: Measure::Leaves,
        missing: false,
        weight: 1.0,
    };
    let rows = |(at, values): (usize, &&[u32])| values.iter().map(move |&v| (vec![at as u16], v)).collect();
    made(&[column], values.iter().enumerate().flat_map(|row| -> Vec<_> { rows(row) }).collect())
}

/// A point that no region can take costs the regions around it, not all.
#[test]
fn few_regions_are_merged_for_a_point_that_none_takes() {
    // Pairs of 0 and 1 that are safe each, one more value here and there, and a point with 0 alone.
    let mut values: Vec<&[u32]> = Vec::new();
    for pair in 0..24 {
        values.extend([&[0][..], if pair % 4 == 0 { &[1, 2] } else { &[1] }]);
    }
    values.insert(24, &[0, 0, 0]);
    let made = valued(&values);
    let (search, majority) = (Search::default(), Majority::new(0.5));
    let wanted: [&dyn ClassModel; 1] = [&majority];
    let points: Vec<u32> = (0..made.space.len() as u32).collect();
    for method in methods() {
        let field = field(&made, &search, Judge::new(&made.classes, 2, wanted.to_vec()));
        let shares = method.run(&field, &points).unwrap().unwrap();
        assert_eq!(wrong(&made, &shares, 2, &wanted), None, "{}", method.name());
        let regions = shares.iter().map(|share| share.region + 1).max().unwrap();
        assert!(regions >= 8 || method.name() == "partition", "{}: {regions} regions", method.name());
    }
}

#[test]
fn a_stopped_method_gives_nothing() {
    let made = numbers(&[1; 40]);
    let search = Search::default();
    let points: Vec<u32> = (0..40).collect();
    for method in methods().iter().filter(|method| method.algorithm() != Algorithm::Mondrian) {
        let mut field = field(&made, &search, Judge::new(&made.classes, 3, Vec::new()));
        field.watch.cancel().finish();
        assert_eq!(method.run(&field, &points).unwrap(), None, "{}", method.name());
        field.watch = Watch::none().limited(|| true);
        assert_eq!(method.run(&field, &points).unwrap(), None, "{}", method.name());
    }
}

/// Three rows: (0, 0), (0, 1) and (1, 0).
pub fn cross() -> Made {
    let column = Column {
        values: 2,
        fanouts: Vec::new(),
        form: Form::Label,
        measure: Measure::Levels,
        missing: false,
        weight: 1.0,
    };
    let rows = [[0, 0], [0, 1], [1, 0]].map(|row| (row.to_vec(), 0));
    made(&[column.clone(), column], rows.to_vec())
}

/// Rows of two columns of numbers, the squares of those given.
pub fn pairs(rows: &[(u16, u16)]) -> Made {
    let column = Column {
        values: 7,
        fanouts: Vec::new(),
        form: Form::Interval,
        measure: Measure::Leaves,
        missing: false,
        weight: 1.0,
    };
    made(&[column.clone(), column], rows.iter().map(|&(x, y)| (vec![x, y], 0)).collect())
}
