//! Made-up people, the same in every run, and a policy for them.

use crate::naive::Table;

/// Small numbers that look drawn.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    pub fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The columns of [`people`].
pub const COLUMNS: [&str; 9] = ["id", "name", "age", "zip", "sex", "city", "day", "illness", "cost"];

/// People with quotes, delimiters, line breaks and letters beyond ASCII in their cells.
pub fn people(rows: usize, seed: u64) -> Table {
    let mut draw = Draw::new(seed);
    let mut person = |i: usize| {
        vec![
            format!("P{i:05}"),
            format!("{} {i}", draw.of(&["José", "Zoë", "Ann", "François", "Bo"])),
            (18 + draw.below(70)).to_string(),
            format!("0{}{}0{}", 1 + draw.below(4), draw.below(3), draw.below(2)),
            draw.of(&["F", "M"]).to_owned(),
            draw.of(&["Köln", "Bonn", "Saint-Étienne"]).to_owned(),
            format!("202{}-0{}-{}", draw.below(4), 1 + draw.below(9), 10 + draw.below(18)),
            draw.of(&["flu, bad", "so-called \"cold\"", "gout; mild", "tab\there", "none|yet", "two\nlines"])
                .to_owned(),
            format!("{}.{:02}", draw.below(900), draw.below(100)),
        ]
    };
    Table { columns: COLUMNS.map(String::from).to_vec(), rows: (0..rows).map(&mut person).collect() }
}

/// [`people`] with every seventh age and every ninth sex missing.
pub fn people_with_gaps(rows: usize, seed: u64, missing: &str) -> Table {
    let mut table = people(rows, seed);
    table.rows.iter_mut().step_by(7).for_each(|row| row[2] = missing.to_owned());
    table.rows.iter_mut().step_by(9).for_each(|row| row[4] = missing.to_owned());
    table
}

/// The quasi-identifiers of [`POLICY`].
pub const QUASI: [&str; 4] = ["age", "zip", "sex", "city"];

/// A policy for people.csv; lines can be put in by replacing what stands there.
pub const POLICY: &str = r#"version = 1
[input]
path = "people.csv"
[output]
path = "out.csv"
[columns.id]
role = "identifier"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }
[columns.zip]
role = "quasi"
hierarchy = { postal = { keep = [3, 2] } }
[columns.sex]
role = "quasi"
[columns.city]
role = "quasi"
[columns.day]
role = "drop"
[columns.illness]
role = "sensitive"
[columns.cost]
role = "keep"
[privacy]
k = 5
suppression = 0.05
[search]
algorithm = "auto"
loss = "entropy"
"#;

/// The last section of [`POLICY`].
const SEARCH: &str = "[search]\nalgorithm = \"auto\"\nloss = \"entropy\"\n";

/// [`POLICY`] with some of its text replaced. A section on the search that is put in replaces the
/// policy's own, but for the algorithm where it names none.
#[track_caller]
pub fn policy(changes: &[(&str, &str)]) -> String {
    let mut text = POLICY.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "`{from}` stands in the policy once");
        text = text.replace(from, to);
    }
    if text.matches("[search]").count() > 1 {
        text = text.strip_suffix(SEARCH).unwrap_or(&text).trim_end().to_owned() + "\n";
        if !text.contains("algorithm = ") {
            text += "algorithm = \"auto\"\n";
        }
    }
    text
}
