//! Mondrian against its definition: cells as texts, rows one by one, every cut tried.

use proptest::prelude::*;

use super::*;
use crate::classes::Classes;
use crate::hierarchy::{Hierarchy, Path};
use crate::histogram::Histogram;
use crate::model::ClassModel;
use crate::policy::{Form, Search};
use crate::recode::region::Aims;
use crate::recode::region::Judge;
use crate::recode::tests::{Distinct, Majority};
use crate::space::{Axis, Measure, Space};
use crate::watch::Watch;

/// A model of a sensitive column, as simple as can be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Model {
    None,
    /// At least two values: adding rows never hurts.
    Two,
    /// No value has more than this share of the rows: adding rows may hurt.
    AtMost(f64),
}

impl Model {
    /// The model to judge by, where there is one.
    fn made(self) -> Option<Box<dyn ClassModel>> {
        match self {
            Model::None => None,
            Model::Two => Some(Box::new(Distinct::new(2.0))),
            Model::AtMost(share) => Some(Box::new(Majority::new(share))),
        }
    }
}

/// A column: the leaves 0, 1, …, each with its labels above, and how cells are written.
#[derive(Debug, Clone)]
struct Column {
    paths: Vec<Vec<u32>>,
    form: Form,
    weight: f64,
}

impl Column {
    fn hierarchy(&self) -> Hierarchy {
        let path = |(leaf, labels): (usize, &Vec<u32>)| Path {
            leaf: leaf.to_string(),
            labels: labels.iter().enumerate().map(|(l, group)| format!("{l}:{group}")).collect(),
        };
        Hierarchy::new(self.paths.iter().enumerate().map(path).collect(), true).unwrap()
    }

    /// The label of a cell at a level above its leaf; missing differs from others up to the top.
    fn label(&self, cell: Option<usize>, level: usize) -> (bool, u32) {
        match cell {
            _ if level > self.paths[0].len() => (true, 0),
            None => (false, 0),
            Some(leaf) if level == 0 => (true, leaf as u32),
            Some(leaf) => (true, self.paths[leaf][level - 1]),
        }
    }
}

/// A row: its cells, missing or a leaf, and the value of the sensitive column.
type Row = (Vec<Option<usize>>, u32);

#[derive(Debug, Clone)]
struct Table {
    columns: Vec<Column>,
    rows: Vec<Row>,
    k: u64,
    model: Model,
    options: Options,
}

impl Table {
    fn classes(&self) -> Classes {
        let code = |(column, cell): (&Column, &Option<usize>)| cell.unwrap_or(column.paths.len()) as u32;
        let codes = |row: &Row| self.columns.iter().zip(&row.0).map(code).collect::<Vec<_>>();
        let classes = Classes::of_rows(self.columns.len(), self.rows.iter().map(codes)).unwrap();
        let of = |row: &Row| {
            let codes = codes(row);
            let is = |class: &usize| (0..codes.len()).all(|c| classes.code(*class, c) == codes[c]);
            (0..classes.len()).find(is).unwrap() as u32
        };
        let triples: Vec<_> = self.rows.iter().map(|row| (of(row), row.1, 1)).collect();
        let histogram = Histogram::new(classes.len(), &triples).unwrap();
        classes.measured(vec![histogram]).unwrap()
    }

    /// Regions, formed by as many threads and with regions of more points than `large` cut by all
    /// of them.
    fn shares(&self, classes: &Classes, large: usize, threads: usize) -> Vec<Share> {
        let search = Search { mondrian: Some(self.options), ..Search::default() };
        self.searched(classes, &search, large, threads)
    }

    /// Regions with the columns chosen by an expression.
    fn chosen(&self, classes: &Classes, choose: &str, large: usize, threads: usize) -> Vec<Share> {
        let options = Options { by: By::Range, ..self.options };
        let choose = Some(choose.to_owned());
        let search = Search { mondrian: Some(options), choose, ..Search::default() };
        self.searched(classes, &search, large, threads)
    }

    fn searched(&self, classes: &Classes, search: &Search, large: usize, threads: usize) -> Vec<Share> {
        let axis = |column: &Column| {
            Axis::new("c", &column.hierarchy(), column.form, Measure::Leaves, column.weight).unwrap()
        };
        let space = Space::new(classes, self.columns.iter().map(axis).collect());
        let made = self.model.made();
        let models: Vec<&dyn ClassModel> = made.as_deref().into_iter().collect();
        let names: Vec<String> = (0..self.columns.len()).map(|at| format!("c{at}")).collect();
        let field = Field {
            space: &space,
            judge: Judge::new(classes, self.k, models),
            search,
            names: &names,
            all_names: &names,
            tolerance: Vec::new(),
            seed: 0,
            aims: Aims::default(),
            watch: Watch::none(),
        };
        assert!(Mondrian.refuses(&field).is_none());
        let points: Vec<u32> = (0..space.len() as u32).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Cutter::new(&field, &points, large).unwrap().run(&points)).unwrap()
    }

    fn safe(&self, rows: &[&Row]) -> bool {
        let with = |value: u32| rows.iter().filter(|row| row.1 == value).count();
        let most = (0..4).map(with).max().unwrap();
        rows.len() as u64 >= self.k
            && match self.model {
                Model::None => true,
                Model::Two => most < rows.len(),
                Model::AtMost(share) => most as f64 <= share * rows.len() as f64 + 1e-9,
            }
    }

    /// Whether a column of a region can be cut so that all parts are safe.
    fn can_cut(&self, rows: &[&Row], at: usize) -> bool {
        let column = &self.columns[at];
        let flat = column.form == Form::Set && column.paths[0].is_empty();
        if column.form.ordered() || flat && self.options.cut == Cut::Strict {
            // Missing comes last.
            let rank = |row: &Row| row.0[at].unwrap_or(usize::MAX);
            if self.options.cut == Cut::Relaxed {
                let several = rows.iter().any(|row| rank(row) != rank(rows[0]));
                return several && rows.len() as u64 >= 2 * self.k;
            }
            let side = |bound: usize, low: bool| -> Vec<&Row> {
                rows.iter().copied().filter(|row| (rank(row) < bound) == low).collect()
            };
            return rows.iter().any(|row| [true, false].iter().all(|&low| self.safe(&side(rank(row), low))));
        }
        let at_level = |level: usize, row: &Row| column.label(row.0[at], level);
        let one = |level: &usize| rows.iter().all(|row| at_level(*level, row) == at_level(*level, rows[0]));
        let level = (0..=column.paths[0].len() + 1).find(one).unwrap();
        if level == 0 {
            return false;
        }
        let mut values: Vec<_> = rows.iter().map(|row| at_level(level - 1, row)).collect();
        values.sort_unstable();
        values.dedup();
        let of = |value| rows.iter().copied().filter(|row| at_level(level - 1, row) == value).collect();
        let parts: Vec<Vec<&Row>> = values.into_iter().map(of).collect();
        let (mut alone, pooled): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| self.safe(part));
        let mut pool: Vec<&Row> = pooled.into_iter().flatten().collect();
        if pool.is_empty() {
            return alone.len() > 1;
        }
        // The choice between two parts of equal size makes a difference to models, so models cannot
        // be tested here.
        alone.sort_by_key(Vec::len);
        while !self.safe(&pool) && !alone.is_empty() {
            pool.extend(alone.remove(0));
        }
        self.safe(&pool) && !alone.is_empty()
    }
}

/// Region → rows, dealt out of the rows of each point in their order.
fn regions<'a>(table: &'a Table, classes: &Classes, shares: &[Share]) -> Vec<Vec<&'a Row>> {
    let count = shares.iter().map(|s| s.region + 1).max().unwrap_or(0);
    let mut left: Vec<&Row> = table.rows.iter().collect();
    let mut regions = vec![Vec::new(); count as usize];
    for share in shares {
        for _ in 0..share.rows {
            let is = |row: &&Row| {
                let code = |c: usize| row.0[c].unwrap_or(table.columns[c].paths.len()) as u32;
                (0..table.columns.len()).all(|c| classes.code(share.point as usize, c) == code(c))
            };
            let at = left.iter().position(is).expect("as many rows as the point has");
            regions[share.region as usize].push(left.remove(at));
        }
    }
    assert!(left.is_empty(), "all rows are in a region");
    regions
}

/// In some column all rows of one region come before all rows of the other.
fn separable(a: &[&Row], b: &[&Row]) -> bool {
    let rank = |row: &Row, at: usize| row.0[at].unwrap_or(usize::MAX);
    let before = |a: &[&Row], b: &[&Row], at: usize| {
        a.iter().map(|row| rank(row, at)).max() < b.iter().map(|row| rank(row, at)).min()
    };
    (0..a[0].0.len()).any(|at| before(a, b, at) || before(b, a, at))
}

fn column() -> impl Strategy<Value = Column> {
    let forms = prop::sample::select(vec![Form::Label, Form::Label, Form::Interval, Form::Set, Form::Range]);
    // Leaf → group → group of groups, both ways drawn.
    let groups = (1..8usize, prop::collection::vec(0..3u32, 8), prop::collection::vec(0..2u32, 3), 0..3usize);
    (groups, forms, prop_oneof![Just(1.0), Just(2.0), Just(0.0)]).prop_map(
        |((leaves, of, above, height), form, weight)| {
            let path = |leaf: usize| [of[leaf], above[of[leaf] as usize]][..height].to_vec();
            Column { paths: (0..leaves).map(path).collect(), form, weight }
        },
    )
}

fn table() -> impl Strategy<Value = Table> {
    let model = prop_oneof![
        Just(Model::None),
        Just(Model::None),
        Just(Model::Two),
        Just(Model::AtMost(0.5)),
        Just(Model::AtMost(0.7))
    ];
    let by = prop_oneof![Just(By::Range), Just(By::Gain), Just(By::Entropy), Just(By::Target)];
    let rows = prop::collection::vec((prop::collection::vec(0..10usize, 4), 0..4u32), 1..60);
    let columns = prop::collection::vec(column(), 0..4);
    (columns, rows, 1..6u64, model, by, any::<bool>()).prop_map(|(columns, rows, k, model, by, relaxed)| {
        let cell = |(column, &drawn): (&Column, &usize)| match drawn {
            9 => None,
            leaf => Some(leaf % column.paths.len()),
        };
        let row = |(cells, value): (Vec<usize>, u32)| (columns.iter().zip(&cells).map(cell).collect(), value);
        let rows = rows.into_iter().map(row).collect();
        let cut = if relaxed && model == Model::None { Cut::Relaxed } else { Cut::Strict };
        Table { columns, rows, k, model, options: Options { cut, by, refine: Some(false) } }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn regions_hold_all_rows_are_safe_and_cannot_be_cut(table in table()) {
        prop_assume!(table.safe(&table.rows.iter().collect::<Vec<_>>()));
        let classes = table.classes();
        let shares = table.shares(&classes, usize::MAX, 1);
        let regions = regions(&table, &classes, &shares);
        if table.options.cut == Cut::Strict {
            let mut points: Vec<u32> = shares.iter().map(|share| share.point).collect();
            points.sort_unstable();
            prop_assert_eq!(points, (0..classes.len() as u32).collect::<Vec<_>>());
        }
        // It is undefined which rows of a point a relaxed cut puts where, so only k is tested.
        for region in &regions {
            prop_assert!(table.safe(region), "{:?}", region);
            // Where a pool takes in one of several equally small values, models may like one better
            // than another.
            let cuttable = |at: &usize| table.model == Model::None || table.columns[*at].form.ordered();
            let cut = (0..table.columns.len()).filter(cuttable).find(|&at| table.can_cut(region, at));
            prop_assert_eq!(cut, None, "{:?}", region);
        }
        if table.options.cut == Cut::Strict && table.columns.iter().all(|c| c.form.ordered()) {
            for (at, a) in regions.iter().enumerate() {
                prop_assert!(regions[..at].iter().all(|b| separable(a, b)));
            }
        }
    }

    #[test]
    fn neither_threads_nor_how_large_regions_are_cut_makes_a_difference(table in table(), large in 0..40usize) {
        prop_assume!(table.safe(&table.rows.iter().collect::<Vec<_>>()));
        let classes = table.classes();
        let shares = table.shares(&classes, usize::MAX, 1);
        prop_assert_eq!(&shares, &table.shares(&classes, large, 1));
        prop_assert_eq!(&shares, &table.shares(&classes, large, 4));
        let any = "values / rows - depth * share + if(is(c0), width, log(weight)) * entropy";
        let any = if table.columns.is_empty() { "values" } else { any };
        let shares = table.chosen(&classes, any, usize::MAX, 1);
        prop_assert_eq!(&shares, &table.chosen(&classes, any, large, 1));
        prop_assert_eq!(&shares, &table.chosen(&classes, any, large, 4));
    }

    #[test]
    fn expressions_choose_as_what_is_built_in(table in table()) {
        prop_assume!(table.safe(&table.rows.iter().collect::<Vec<_>>()));
        let classes = table.classes();
        let shares = table.shares(&classes, usize::MAX, 1);
        let expressions: &[&str] = match table.options.by {
            By::Range => &["range", "weight * share", "2 * range", "if(0 / 0 = 0, 1, range)"],
            By::Gain => &["gain", "log2(1 + 0) + gain * 4"],
            By::Entropy => &["entropy", "entropy * 8"],
            By::Target => &["target", "max(target, 0)"],
        };
        for choose in expressions {
            prop_assert_eq!(&shares, &table.chosen(&classes, choose, usize::MAX, 1), "{}", choose);
        }
    }
}

fn numbers(rows: &[usize], cut: Cut) -> Table {
    let paths = vec![Vec::new(); 100];
    Table {
        columns: vec![Column { paths, form: Form::Interval, weight: 1.0 }],
        rows: rows.iter().map(|&n| (vec![(n < 100).then_some(n)], 0)).collect(),
        k: 2,
        model: Model::None,
        options: Options { cut, by: By::Range, refine: Some(false) },
    }
}

/// Region → its numbers with rows, as text.
fn formed(table: &Table) -> Vec<String> {
    let classes = table.classes();
    let shares = table.shares(&classes, usize::MAX, 1);
    let regions = regions(table, &classes, &shares);
    let cell = |row: &&Row| row.0[0].map_or("?".into(), |n| n.to_string());
    regions.iter().map(|rows| rows.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn numbers_are_cut_at_the_median() {
    // Of equally good cuts the first: 1 1 1 | 2 3 9 9.
    assert_eq!(formed(&numbers(&[9, 1, 1, 2, 1, 3, 9], Cut::Strict)), ["1 1 1", "2 3", "9 9"]);
    // 3 would be alone.
    assert_eq!(formed(&numbers(&[9, 1, 1, 1, 1, 3, 9], Cut::Strict)), ["1 1 1 1", "3 9 9"]);
    assert_eq!(formed(&numbers(&[9, 1, 1, 1, 1, 3, 9], Cut::Relaxed)), ["1 1 1", "1 3", "9 9"]);
    assert_eq!(formed(&numbers(&[1, 1, 1, 1, 2], Cut::Strict)), ["1 1 1 1 2"]);
    assert_eq!(formed(&numbers(&[1, 1, 1, 1, 2], Cut::Relaxed)), ["1 1", "1 1 2"]);
}

#[test]
fn missing_values_leave_numbers_where_they_can() {
    // 100 and above stand for a missing value.
    assert_eq!(formed(&numbers(&[1, 100, 2, 100, 3], Cut::Strict)), ["1 2 3", "? ?"]);
    assert_eq!(formed(&numbers(&[1, 100, 2, 3, 4], Cut::Strict)), ["1 2", "3 4 ?"]);
}

#[test]
fn values_are_cut_along_the_hierarchy() {
    // Leaves 0 and 1 under one value, 2 and 3 under another, 4 by itself.
    let paths = [0, 0, 1, 1, 2].map(|group| vec![group]).to_vec();
    let table = |rows: &[usize]| Table {
        columns: vec![Column { paths: paths.clone(), form: Form::Label, weight: 1.0 }],
        ..numbers(rows, Cut::Strict)
    };
    let table = |rows: &[usize]| {
        let mut table = table(rows);
        table.rows = rows.iter().map(|&leaf| (vec![Some(leaf)], 0)).collect();
        formed(&table)
    };
    assert_eq!(table(&[0, 0, 1, 2, 3, 3, 2, 4, 4]), ["0 0 1", "2 2", "3 3", "4 4"]);
    // 4 alone is unsafe, and takes in the smaller of the others.
    assert_eq!(table(&[0, 0, 1, 2, 3, 4]), ["0 0 1", "2 3 4"]);
    assert_eq!(table(&[0, 1, 4]), ["0 1 4"]);
}

#[test]
fn what_cannot_be_cut_is_one_region() {
    let equal = numbers(&[7; 9], Cut::Strict);
    assert_eq!(formed(&equal).len(), 1);
    assert_eq!(formed(&numbers(&[7; 9], Cut::Relaxed)).len(), 1);
    let none = Table { columns: Vec::new(), rows: vec![(Vec::new(), 0); 9], ..equal };
    let classes = none.classes();
    assert_eq!(none.shares(&classes, 0, 1), [Share { point: 0, region: 0, rows: 9 }]);
}

#[test]
fn it_says_what_it_cannot_do() {
    let table = Table { model: Model::Two, ..numbers(&[1, 2, 3], Cut::Relaxed) };
    let classes = table.classes().with_targets(0);
    let column = &table.columns[0];
    let axis = Axis::new("c", &column.hierarchy(), column.form, Measure::Leaves, 1.0).unwrap();
    let space = Space::new(&classes, vec![axis]);
    let made = table.model.made();
    let refused = |options: Options| {
        let field = Field {
            space: &space,
            judge: Judge::new(&classes, 2, made.as_deref().into_iter().collect()),
            search: &Search { mondrian: Some(options), ..Search::default() },
            names: &[],
            all_names: &[],
            tolerance: Vec::new(),
            seed: 0,
            aims: Aims::default(),
            watch: Watch::none(),
        };
        Mondrian.refuses(&field).and_then(|fault| fault.place.key)
    };
    assert_eq!(refused(table.options).as_deref(), Some("search.mondrian.cut"));
    let by = Options { by: By::Target, ..Options::default() };
    assert_eq!(refused(by).as_deref(), Some("search.mondrian.by"));
    assert_eq!(refused(Options::default()), None);
}

#[test]
fn it_stops_when_told_to() {
    let table = numbers(&(0..99).collect::<Vec<_>>().repeat(9), Cut::Strict);
    let classes = table.classes();
    let column = &table.columns[0];
    let axis = Axis::new("c", &column.hierarchy(), column.form, Measure::Leaves, 1.0).unwrap();
    let space = Space::new(&classes, vec![axis]);
    let stopped = Watch::none();
    stopped.cancel().finish();
    let field = Field {
        space: &space,
        judge: Judge::new(&classes, 2, Vec::new()),
        search: &Search::default(),
        names: &[],
        all_names: &[],
        tolerance: Vec::new(),
        seed: 0,
        aims: Aims::default(),
        watch: stopped,
    };
    let points: Vec<u32> = (0..space.len() as u32).collect();
    assert!(Cutter::new(&field, &points, 10).unwrap().run(&points).is_none());
}

/// The first column has most values, the second the widest range, the third none but two.
#[test]
fn an_expression_decides_which_column_is_cut() {
    let rows = [[0, 1, 0], [1, 0, 0], [2, 9, 1], [3, 8, 0], [4, 0, 1], [5, 9, 1], [6, 8, 0], [7, 1, 1]];
    let column = Column { paths: vec![Vec::new(); 10], form: Form::Interval, weight: 1.0 };
    let table = Table {
        columns: vec![column.clone(), column.clone(), column],
        rows: rows.map(|row| (row.map(Some).to_vec(), 0)).to_vec(),
        k: 4,
        ..numbers(&[], Cut::Strict)
    };
    let classes = table.classes();
    let sides = |choose: &str| {
        let shares = table.chosen(&classes, choose, usize::MAX, 1);
        let side = |at: usize| shares.iter().find(|share| share.point == at as u32).unwrap().region;
        // Classes are in the order of the first column, which differs in all rows.
        (0..rows.len()).map(|at| side(at).to_string()).collect::<String>()
    };
    let (first, second, third) = ("00001111", "00110110", "00101101");
    for (choose, expected) in [
        ("values", first),
        ("width", second),
        ("-values", third),
        ("if(is(c2), 1, 0)", third),
        ("if(is(c1) and rows = 8 and depth = 0, 1, 0)", second),
        ("if(not is(c0), -1, 0 / 0)", second),
        ("0 / 0", first),
        ("log(0) * weight", first),
        ("1 / 0", first),
        ("if(values < 3, 1 / 0, width)", third),
    ] {
        assert_eq!(sides(choose), expected, "{choose}");
    }
}
