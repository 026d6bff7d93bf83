//! The tables of benchmarks and examples: generated ones, and adult if it is available.

#![allow(dead_code, reason = "every program uses some of the tables")]

use std::path::{Path as Folder, PathBuf};

use throng::hierarchy::Path;
use throng::policy::Policy;
use throng::search::{Grouped, Problem};
use throng::synth::{Skewed, Wide};
use throng::table::Dictionary;
use throng::tuples::Tuples;

/// LM as ARX defines it.
pub const LM: &str = "{ name = \"lm\", aggregate = \"geometric\", count_suppressed = true }";

/// A table as grouping leaves it, with its hierarchy files.
pub struct Table {
    names: Vec<String>,
    dictionaries: Vec<Dictionary>,
    tuples: Tuples,
    files: Vec<(String, String)>,
    /// Whether the last column is sensitive.
    sensitive: bool,
}

impl Table {
    /// The problem of releasing it with k = 5 and entries of `privacy.models`.
    pub fn problem(&self, suppression: f64, loss: &str, models: &str) -> Problem {
        let quasi = self.names.len() - usize::from(self.sensitive);
        let role = |at: usize| if at < quasi { "quasi" } else { "sensitive" };
        let columns = self.names.iter().enumerate().map(|(at, n)| {
            // A hierarchy of a sensitive column that no model asks for would be refused.
            let hierarchy = if at < quasi || models.contains("hierarchical") {
                format!("hierarchy = {{ file = {n:?} }}\n")
            } else {
                String::new()
            };
            format!("[columns.{n:?}]\nrole = {:?}\n{hierarchy}", role(at))
        });
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n{}[privacy]\nk = 5\nsuppression = {suppression:?}\n\
             models = [{models}]\n[search]\nloss = {loss}\n",
            columns.collect::<String>()
        );
        let policy = Policy::parse(&text).expect("a policy");
        let grouped = Grouped {
            names: self.names[..quasi].to_vec(),
            measured: self.names[quasi..].to_vec(),
            dictionaries: self.dictionaries.clone(),
            tuples: self.tuples.clone(),
            population: None,
        };
        let load = |path: &str| {
            let found = self.files.iter().find(|(name, _)| name == path);
            Ok(found.map(|(_, text)| text.clone()).unwrap_or_default())
        };
        Problem::new(&policy, grouped, &load).expect("a problem").0
    }

    /// A generated table: for each column its name and hierarchy, and the rows' codes.
    fn generated(columns: impl Iterator<Item = (String, Vec<Path>)>) -> Table {
        let mut table = Table {
            names: Vec::new(),
            dictionaries: Vec::new(),
            tuples: Tuples::new(0),
            files: Vec::new(),
            sensitive: false,
        };
        for (name, paths) in columns {
            table.dictionaries.push(Dictionary::of(paths.iter().map(|p| Some(p.leaf.as_str()))));
            let lines = paths.into_iter().map(|p| [vec![p.leaf], p.labels].concat().join(";") + "\n");
            table.files.push((name.clone(), lines.collect()));
            table.names.push(name);
        }
        table.tuples = Tuples::new(table.names.len());
        table
    }
}

/// Nine skewed independent columns with a lattice of 25,920 nodes.
pub fn nine(rows: usize) -> Table {
    let source = Skewed::nine(1);
    let width = source.domains().len();
    let mut table = Table::generated((0..width).map(|c| (source.name(c), source.paths(c))));
    let mut stream = source.rows(0);
    let mut row = vec![0; width];
    for _ in 0..rows {
        stream.fill(&mut row);
        table.tuples.insert(&row, 1);
    }
    table
}

/// Nine skewed independent columns of 2 to 75 values, with a lattice of 243,000 nodes: like `few` of
/// `bench/tables.py`.
pub fn few(rows: usize) -> Table {
    let domains = vec![2, 75, 9, 20, 60, 5, 36, 7, 16];
    let fanouts: [&[usize]; 9] =
        [&[], &[5, 2, 2, 2], &[3], &[2, 2, 2], &[3, 2, 2, 2], &[2], &[3, 2, 2], &[3], &[2, 2, 2]];
    let source = Skewed::new(domains, fanouts.map(<[usize]>::to_vec).into(), 0.5, 1).expect("a table");
    let mut table = Table::generated((0..9).map(|c| (source.name(c), source.paths(c))));
    let mut stream = source.rows(0);
    let mut row = [0; 9];
    for _ in 0..rows {
        stream.fill(&mut row);
        table.tuples.insert(&row, 1);
    }
    table
}

/// Nine columns with enough values that nearly all tuples differ; the values of the first `numbers`
/// columns are numbers.
pub fn spread(rows: usize, numbers: usize) -> Table {
    let domains = vec![200, 100, 60, 50, 30, 25, 20, 12, 8];
    let fanouts: [&[usize]; 9] = [&[5, 2, 2, 2], &[5, 4], &[5, 2, 2], &[5, 2], &[5], &[5], &[4], &[3], &[2]];
    let source = Skewed::new(domains, fanouts.map(<[usize]>::to_vec).into(), 0.5, 1).expect("a table");
    let plain = |paths: Vec<Path>| -> Vec<Path> {
        let leaf = |leaf: &str| leaf.rsplit('_').next().unwrap_or_default().to_owned();
        paths.into_iter().map(|path| Path { leaf: leaf(&path.leaf), ..path }).collect()
    };
    let paths = |c: usize| if c < numbers { plain(source.paths(c)) } else { source.paths(c) };
    let mut table = Table::generated((0..9).map(|c| (source.name(c), paths(c))));
    let mut stream = source.rows(0);
    let mut row = [0; 9];
    for _ in 0..rows {
        stream.fill(&mut row);
        table.tuples.insert(&row, 1);
    }
    table
}

/// The columns of `nine`, and a sensitive one of 20 values in 3 levels, `c9`, that depends on the
/// first and the seventh.
pub fn diagnosed(rows: usize) -> Table {
    const VALUES: u32 = 20;
    let nine = Skewed::nine(1);
    let ill = Skewed::new(vec![VALUES as usize, 3], vec![vec![5, 2], vec![]], 0.5, 2).expect("a table");
    let columns = (0..9).map(|c| (nine.name(c), nine.paths(c)));
    let path = |path: Path| Path {
        leaf: path.leaf.replace("c0", "c9"),
        labels: path.labels.iter().map(|label| label.replace("c0", "c9")).collect(),
    };
    let last = ("c9".to_owned(), ill.paths(0).into_iter().map(path).collect());
    let mut table = Table::generated(columns.chain([last]));
    let (mut stream, mut values) = (nine.rows(0), ill.rows(0));
    let (mut row, mut value) = ([0; 10], [0; 2]);
    for _ in 0..rows {
        stream.fill(&mut row[..9]);
        values.fill(&mut value);
        // Every third row is drawn towards what its age and education suggest.
        let drawn = if value[1] == 2 { (row[0] + row[6]) % VALUES } else { value[0] };
        row[9] = drawn;
        table.tuples.insert(&row, 1);
    }
    Table { sensitive: true, ..table }
}

/// 24 correlated columns with a lattice of 5 · 10¹³ nodes.
pub fn wide(rows: usize) -> Table {
    let mut table = Table::generated((0..Wide::COLUMNS).map(|c| (Wide::name(c), Wide::paths(c))));
    for row in Wide::new(1).rows().take(rows) {
        table.tuples.insert(&row, 1);
    }
    table
}

/// Twelve of them: who somebody is, and two months of status, bill and payment.
pub fn twelve(rows: usize) -> Table {
    let columns = [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 18, 19];
    let mut table = Table::generated(columns.iter().map(|&c| (Wide::name(c), Wide::paths(c))));
    for row in Wide::new(1).rows().take(rows) {
        table.tuples.insert(&columns.map(|c| row[c]), 1);
    }
    table
}

/// The adult table, where THRONG_DATA names the folder that holds it.
pub fn adult() -> Option<Table> {
    adult_in(&PathBuf::from(std::env::var_os("THRONG_DATA")?).join("adult"))
}

/// The adult table in a folder.
pub fn adult_in(folder: &Folder) -> Option<Table> {
    let text = std::fs::read_to_string(folder.join("adult.csv")).ok()?;
    let mut lines = text.lines();
    let names: Vec<String> = lines.next()?.split(';').map(String::from).collect();
    let mut dictionaries = vec![Dictionary::new(); names.len()];
    let mut tuples = Tuples::new(names.len());
    for line in lines {
        let row: Vec<u32> =
            line.split(';').zip(&mut dictionaries).map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&row, 1);
    }
    let file = |name: &String| {
        let path = folder.join(format!("adult_hierarchy_{name}.csv"));
        Some((name.clone(), std::fs::read_to_string(path).ok()?))
    };
    let files = names.iter().map(file).collect::<Option<Vec<_>>>()?;
    Some(Table { names, dictionaries, tuples, files, sensitive: false })
}
