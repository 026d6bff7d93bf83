//! Whole releases of random small tables, judged by naive code that reads the files anew.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use proptest::prelude::*;
use throng::error::Kind;
use throng::policy::{Missing, Policy};
use throng::registry::LossKind;
use throng::release::Release;
use throng::search::strategies;
use throng::watch::Watch;
use throng_engine::{Done, Source};

use crate::support::{ENGINE, Folder, Row, batch, columns_of, effort, read, release, sorted, write_parquet};

/// A column's values with their labels from level 1 upwards.
type Paths = Vec<(String, Vec<String>)>;

#[derive(Debug, Clone)]
struct Case {
    paths: Vec<Paths>,
    /// Per row a value of each quasi-identifier by number, or missing, and a kept cell.
    rows: Vec<(Vec<Option<usize>>, String)>,
    k: u64,
    /// k over the first two quasi-identifiers alone.
    group: Option<u64>,
    suppression: f64,
    missing: &'static str,
    null: &'static str,
    suppressed: &'static str,
    keep_order: bool,
    /// The highest level allowed for the first quasi-identifier.
    max_level: Option<usize>,
    algorithm: &'static str,
    loss: &'static str,
    input: &'static str,
    output: &'static str,
    seed: u64,
}

/// Values in a tree: every level joins `fanout` neighbours of the level below.
fn paths() -> impl Strategy<Value = Paths> {
    (2usize..7, prop::collection::vec(2usize..4, 0..3), any::<bool>()).prop_map(|(values, fanouts, top)| {
        let path = |value: usize| {
            let mut width = 1;
            let mut labels: Vec<String> = Vec::new();
            for (level, fanout) in fanouts.iter().enumerate() {
                width *= fanout;
                labels.push(format!("L{}, {}", level + 1, value / width));
            }
            if top {
                labels.push("*".into());
            }
            (format!("v{value}"), labels)
        };
        (0..values).map(path).collect()
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (1usize..4).prop_flat_map(|width| {
        prop::collection::vec(paths(), width).prop_flat_map(|paths| {
            let cells: Vec<_> = paths.iter().map(|p| prop::option::weighted(0.92, 0..p.len())).collect();
            let rows = prop::collection::vec((cells, "[a-z, \"]{1,3}"), 1..60);
            (Just(paths), rows)
        })
    });
    let privacy =
        (1u64..6, prop::option::weighted(0.3, 1u64..9), prop::sample::select(vec![0.0, 0.1, 0.3, 1.0]));
    let missing = prop::sample::select(vec!["value", "wildcard", "suppress"]);
    let input = prop::sample::select(vec!["t.csv", "t.parquet", "t.json"]);
    let output = prop::sample::select(vec!["r.csv", "r.parquet", "r.json", "r.arrow"]);
    let algorithm = prop::sample::select(strategies().iter().map(|s| s.name()).collect::<Vec<_>>());
    let loss = prop::sample::select(LossKind::of_tables().map(LossKind::key).collect::<Vec<_>>());
    let suppressed = prop::sample::select(vec!["dropped", "starred", "cells"]);
    let rest = (suppressed, any::<bool>(), prop::option::weighted(0.3, 0usize..2), any::<u64>());
    let null = prop::sample::select(vec!["", "NA"]);
    (shape, privacy, missing, null, (input, output), (algorithm, loss), rest).prop_map(
        |(
            (paths, rows),
            (k, group, suppression),
            missing,
            null,
            (input, output),
            (algorithm, loss),
            rest,
        )| Case {
            group: group.filter(|_| paths.len() > 2),
            paths,
            rows,
            k,
            suppression,
            missing,
            null,
            suppressed: rest.0,
            keep_order: rest.1,
            max_level: rest.2,
            algorithm,
            loss,
            input,
            output,
            // The seed is a TOML integer.
            seed: rest.3 >> 1,
        },
    )
}

impl Case {
    fn quasi(&self) -> Vec<String> {
        (0..self.paths.len()).map(|i| format!("q{i}")).collect()
    }

    fn write(&self, folder: &Folder) -> String {
        let mut table = csv::Writer::from_writer(Vec::new());
        let mut header = vec!["id".to_owned()];
        header.extend(self.quasi());
        header.push("kept".into());
        table.write_record(&header).unwrap();
        for (i, (cells, kept)) in self.rows.iter().enumerate() {
            let mut record = vec![format!("person {i}")];
            for (cell, paths) in cells.iter().zip(&self.paths) {
                record.push(cell.map_or(self.null.to_owned(), |value| paths[value].0.clone()));
            }
            record.push(kept.clone());
            table.write_record(&record).unwrap();
        }
        folder.write("t.csv", table.into_inner().unwrap());
        if self.input != "t.csv" {
            self.convert(folder, &header);
        }
        for (name, paths) in self.quasi().iter().zip(&self.paths) {
            let line = |(value, labels): &(String, Vec<String>)| {
                std::iter::once(value).chain(labels).map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(";")
                    + "\n"
            };
            folder.write(&format!("{name}.csv"), paths.iter().map(line).collect::<String>());
        }
        self.policy()
    }

    /// The table in the format of the input, with missing cells that need no text.
    fn convert(&self, folder: &Folder, header: &[String]) {
        let (_, mut rows) = read(&folder.path("t.csv"));
        let quasi = 1..=self.paths.len();
        rows.iter_mut().flat_map(|row| &mut row[quasi.clone()]).for_each(|cell| {
            *cell = cell.take().filter(|c| c != self.null);
        });
        if self.input == "t.json" {
            let object = |row: &Row| {
                let cells = header
                    .iter()
                    .zip(row)
                    .map(|(name, cell)| format!("{name:?}:{}", serde_json::json!(cell)));
                format!("{{{}}}\n", cells.collect::<Vec<_>>().join(","))
            };
            folder.write("t.json", rows.iter().map(object).collect::<String>());
        } else {
            let column =
                |i: usize| Arc::new(rows.iter().map(|r| r[i].clone()).collect::<StringArray>()) as ArrayRef;
            let columns = header.iter().enumerate().map(|(i, name)| (name.as_str(), column(i))).collect();
            write_parquet(&folder.path("t.parquet"), &[batch(columns)]);
        }
        std::fs::remove_file(folder.path("t.csv")).unwrap();
    }

    /// The loss by its name or, where it has one and the seed is odd, with a trade-off.
    fn loss(&self) -> String {
        let traded = ["dm", "conditional-entropy", "lm", "ambiguity", "cm"].contains(&self.loss);
        let tau = [0.0, 0.2, 0.7, 1.0][(self.seed / 2 % 4) as usize];
        match traded && self.seed % 2 == 1 {
            true => format!("{{ name = \"{}\", tradeoff = {tau:?} }}", self.loss),
            false => format!("\"{}\"", self.loss),
        }
    }

    fn policy(&self) -> String {
        let mut text = format!(
            "version = 1\n[input]\npath = \"{}\"\nnull = [\"{}\"]\nmissing = \"{}\"\n\
             [output]\npath = \"{}\"\nsuppressed = \"{}\"\nkeep_order = {}\n\
             [columns.id]\nrole = \"identifier\"\n[columns.kept]\nrole = \"target\"\n\
             [search]\nalgorithm = \"{}\"\nloss = {}\nseed = {}\n[privacy]\nk = {}\nsuppression = {:?}\n",
            self.input,
            self.null,
            self.missing,
            self.output,
            self.suppressed,
            self.keep_order,
            self.algorithm,
            self.loss(),
            self.seed,
            self.k,
            self.suppression,
        );
        if let Some(k) = self.group {
            text.push_str(&format!("[privacy.quasi.pair]\ncolumns = [\"q0\", \"q1\"]\nk = {k}\n"));
        }
        for (i, name) in self.quasi().iter().enumerate() {
            text.push_str(&format!(
                "[columns.{name}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{name}.csv\" }}\n"
            ));
            if let (0, Some(max)) = (i, self.max_level) {
                text.push_str(&format!("max_level = {max}\n"));
            }
        }
        text
    }

    /// The label of a cell at a level, by the hierarchy's own words: above the last level given, or
    /// where all labels of it are the same, everything is one.
    fn label(&self, column: usize, cell: Option<usize>, level: usize) -> Option<String> {
        let paths = &self.paths[column];
        let given = paths[0].1.len();
        let one = given > 0 && paths.iter().all(|(_, labels)| labels[given - 1] == paths[0].1[given - 1]);
        let top = if one { given } else { given + 1 };
        assert!(level <= top);
        if level == top {
            return Some(if one { paths[0].1[given - 1].clone() } else { "*".into() });
        }
        let (value, labels) = &paths[cell?];
        Some(if level == 0 { value.clone() } else { labels[level - 1].clone() })
    }

    /// Every row of the table at the released levels, in order.
    fn generalized(&self, levels: &BTreeMap<String, usize>) -> Vec<Row> {
        let row = |(cells, kept): &(Vec<Option<usize>>, String)| {
            let mut row: Row = cells
                .iter()
                .enumerate()
                .map(|(i, &cell)| self.label(i, cell, levels[&format!("q{i}")]))
                .collect();
            row.push(Some(kept.clone()));
            row
        };
        self.rows.iter().map(row).collect()
    }

    /// How many rows each row could be, over some of the columns: row by row and cell by cell.
    fn sizes(&self, rows: &[Row], columns: &[usize]) -> Vec<u64> {
        let alike = |a: &Row, b: &Row| {
            columns.iter().all(|&c| match (&a[c], &b[c]) {
                (Some(x), Some(y)) => x == y,
                (None, None) => true,
                _ => self.missing == "wildcard",
            })
        };
        rows.iter().map(|a| rows.iter().filter(|b| alike(a, b)).count() as u64).collect()
    }

    /// Everything that makes a release good, found again from the files.
    fn judge(&self, folder: &Folder, done: &Done) {
        let width = self.paths.len();
        let quasi = self.quasi();
        let mut wanted: Vec<&str> = quasi.iter().map(String::as_str).collect();
        wanted.push("kept");
        let table = read(&folder.path(self.output));
        let read_back = |cell: Option<String>| cell.filter(|c| self.output != "r.csv" || c != self.null);
        let all: Vec<Row> = if table.1.is_empty() {
            Vec::new()
        } else {
            let rows = columns_of(&table, &wanted);
            assert_eq!(table.0.len(), wanted.len(), "{:?}", table.0);
            rows.into_iter().map(|row| row.into_iter().map(read_back).collect()).collect()
        };

        let release = &done.certificate.release;
        assert_eq!(release.rows as usize, self.rows.len());
        assert_eq!(release.released + release.suppressed, release.rows);
        assert!(release.withheld as f64 <= self.suppression * self.rows.len() as f64 + 1e-6);

        // Which released rows are starred: any as good as another, as many as were withheld.
        let mut stars = if self.starred() { release.withheld } else { 0 };
        let starred = |row: &Row| row[..width].iter().all(|cell| cell.as_deref() == Some("*"));
        let mut released = Vec::new();
        for row in &all {
            if stars > 0 && starred(row) {
                stars -= 1;
            } else {
                released.push(row.clone());
            }
        }
        assert_eq!(stars, 0, "starred rows are not there");
        assert_eq!(released.len() as u64, release.rows - release.withheld);
        let blank = all.iter().filter(|row| starred(row)).count();
        assert_eq!((all.len() - blank) as u64, release.released, "rows that show something");
        let cells =
            all.iter().flat_map(|row| &row[..width]).filter(|cell| cell.as_deref() == Some("*")).count();
        let missing = (self.rows.len() - all.len()) * width;
        let share = (cells + missing) as f64 / (self.rows.len() * width) as f64;
        assert!((done.facts.stars.share - share).abs() < 1e-12, "{} {share}", done.facts.stars.share);

        // k over all columns and over the group, and no missing cell where that means suppression.
        let columns: Vec<usize> = (0..width).collect();
        assert!(self.sizes(&released, &columns).iter().all(|&size| size >= self.k));
        if let Some(k) = self.group {
            assert!(self.sizes(&released, &[0, 1]).iter().all(|&size| size >= k));
        }
        if self.missing == "suppress" {
            assert!(released.iter().all(|row| row[..width].iter().all(Option::is_some)));
        }
        assert!(release.steps.is_empty() || self.suppressed == "cells");
        if !self.starred() {
            let expected = self.in_steps(release);
            assert_eq!(sorted(all.clone()), sorted(expected.clone()));
            assert!(!self.keep_order || all == expected);
        }
        if release.steps.is_empty() {
            self.nothing_else_changed(&release.levels, &all, &released);
        }
    }

    fn starred(&self) -> bool {
        self.suppressed == "starred"
    }

    /// The rows that steps release, one by one by what steps are: of those left, the most that are
    /// safe.
    fn in_steps(&self, release: &Release) -> Vec<Row> {
        let width = self.paths.len();
        let first = std::iter::once(&release.levels);
        let mut rows: Vec<Option<Row>> = vec![None; self.rows.len()];
        for levels in first.chain(release.steps.iter().skip(1).map(|step| &step.levels)) {
            let general = self.generalized(levels);
            let mut stay: Vec<usize> = (0..rows.len()).filter(|&r| rows[r].is_none()).collect();
            let holed = |r: &usize| general[*r][..width].iter().any(Option::is_none);
            stay.retain(|r| self.missing != "suppress" || !holed(r));
            loop {
                let at: Vec<Row> = stay.iter().map(|&r| general[r].clone()).collect();
                let all = self.sizes(&at, &(0..width).collect::<Vec<_>>());
                let pair = self.group.map_or(Vec::new(), |_| self.sizes(&at, &[0, 1]));
                let short = |i: &usize| all[*i] < self.k || self.group.is_some_and(|k| pair[*i] < k);
                let Some(i) = (0..stay.len()).find(short) else { break };
                stay.remove(i);
            }
            stay.into_iter().for_each(|r| rows[r] = Some(general[r].clone()));
        }
        rows.into_iter().flatten().collect()
    }

    /// Released rows are rows of the table at the released levels, each at most as often as there.
    fn nothing_else_changed(&self, levels: &BTreeMap<String, usize>, all: &[Row], released: &[Row]) {
        let width = self.paths.len();
        let mut source = BTreeMap::new();
        for row in self.generalized(levels) {
            *source.entry(row).or_insert(0i64) += 1;
        }
        for row in released {
            let left = source.get_mut(row).unwrap_or_else(|| panic!("{row:?} is of no row"));
            *left -= 1;
        }
        // A starred row and a row at the top may look alike, and then it does not matter which is
        // which.
        assert!(source.values().all(|&left| left >= 0) || self.starred());
        if self.starred() {
            let kept = |rows: &[Row]| sorted(rows.iter().map(|row| row[width].clone()).collect());
            assert_eq!(kept(all), sorted(self.rows.iter().map(|(_, kept)| Some(kept.clone())).collect()));
        }
        if self.keep_order {
            let mut rest = self.generalized(levels).into_iter();
            let starred = |row: &Row| row[..width].iter().all(|cell| cell.as_deref() == Some("*"));
            for row in all {
                let same = |source: &Row| source == row || starred(row) && source[width] == row[width];
                assert!(rest.by_ref().any(|source| same(&source)), "{row:?} is out of order");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(effort(48)))]

    #[test]
    fn a_release_is_safe_and_true_or_there_is_none(case in cases()) {
        let folder = Folder::new();
        let text = case.write(&folder);
        let before = folder.names();
        let policy = folder.policy(&text);
        match release(&policy) {
            Ok(done) => {
                prop_assert!(done.verdict.holds());
                case.judge(&folder, &done);
                // The verifier agrees when it runs once more, with and without the original.
                let source = Source::open(&policy.policy.input, policy.folder()).unwrap();
                for original in [None, Some(&source)] {
                    let output = folder.path(case.output);
                    let verdict = ENGINE.verify(&policy, &output, &done.certificate, original, &Watch::none()).unwrap();
                    prop_assert!(verdict.holds(), "{:?}", verdict);
                }
                prop_assert_eq!(folder.names().len(), before.len() + 4);
            }
            Err(error) => {
                let rows = case.rows.len() as u64;
                let too_few = case.k > rows || case.group.is_some_and(|k| k > rows);
                let kind = error.faults()[0].kind;
                let limited = case.max_level.is_some();
                // JSON lines cannot be none.
                let no_row = case.output == "r.json" && case.suppression == 1.0;
                // A strategy may not be made for a loss, and says so.
                let refused = !["auto", "mingen"].contains(&case.algorithm)
                    && error.faults()[0].place.key.as_deref() == Some("search.algorithm");
                prop_assert!(
                    kind == Kind::Unsolvable && (limited || no_row)
                        || kind == Kind::Data && too_few
                        || kind == Kind::Input && refused,
                    "{}", error
                );
                let mut names = folder.names();
                names.retain(|name| name != "policy.toml");
                prop_assert_eq!(names, before);
            }
        }
    }

    /// What a policy asks for is what is released, whichever words it uses for it.
    #[test]
    fn policies_survive_being_written(case in cases()) {
        let policy = Policy::parse(&case.policy()).unwrap();
        prop_assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy.clone());
        prop_assert_eq!(Policy::parse(&policy.to_json().unwrap()).unwrap(), policy.clone());
        let missing = match policy.input.missing {
            Missing::Value => "value",
            Missing::Wildcard => "wildcard",
            Missing::Suppress => "suppress",
        };
        prop_assert_eq!(missing, case.missing);
    }
}
