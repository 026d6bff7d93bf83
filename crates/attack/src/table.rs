//! Tables in codes: what every attack works on.
//!
//! A column has its distinct values in an order of their own (numbers and dates by size, other
//! values by text, the missing one first), so that nothing depends on the order of rows, and most
//! generalized cells cover a range of codes. Costs four bytes per cell, and a sort of the distinct
//! values.

use throng_statistics::cells::value;
use throng_terms::cell::number;
use throng_terms::error::{Result, nearest};
use throng_terms::fault;
use throng_terms::rows::{Batch, Rows};
use throng_terms::table::{Code, Dictionary};
use throng_terms::watch::{Stage, Watch};

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// All are numbers.
    Numbers,
    /// All are dates, YYYY-MM-DD.
    Dates,
    /// Anything else, and numbers with leading zeros, which are codes.
    Text,
}

/// A column in codes.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its distinct values, in their order, with their rows.
    pub dictionary: Dictionary,
    /// Row → code.
    pub codes: Vec<Code>,
    /// What the values are.
    pub scale: Scale,
    /// Code → number, or days since 1970-01-01; not a number for all others.
    pub numbers: Vec<f64>,
}

impl Column {
    /// A column of cells in the order of rows; `None` is missing.
    pub fn new<'a>(name: &str, cells: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut dictionary = Dictionary::new();
        let codes = cells.into_iter().map(|cell| dictionary.add(cell, 1)).collect();
        Column::sorted(name.to_owned(), &dictionary, codes)
    }

    /// A column of values with their numbers of rows, without the rows themselves.
    pub(crate) fn counted<'a>(name: &str, counts: impl IntoIterator<Item = (Option<&'a str>, u64)>) -> Self {
        let mut dictionary = Dictionary::new();
        counts.into_iter().for_each(|(value, count)| {
            dictionary.add(value, count);
        });
        Column::sorted(name.to_owned(), &dictionary, Vec::new())
    }

    /// The column with its values in their order.
    fn sorted(name: String, dictionary: &Dictionary, mut codes: Vec<Code>) -> Self {
        let scale = scale(dictionary);
        let size = |code: Code| dictionary.value(code).and_then(value).unwrap_or(f64::NEG_INFINITY);
        let mut order = dictionary.by_value();
        if scale != Scale::Text {
            // By text first, so that texts of the same number are in a fixed order.
            order.sort_by(|&a, &b| size(a).total_cmp(&size(b)));
        }
        let mut places = vec![0; order.len()];
        let mut sorted = Dictionary::new();
        for &code in &order {
            places[code as usize] = sorted.add(dictionary.value(code), dictionary.count(code));
        }
        codes.iter_mut().for_each(|code| *code = places[*code as usize]);
        let of = |code: Code| match scale {
            Scale::Text => f64::NAN,
            _ => sorted.value(code).and_then(value).unwrap_or(f64::NAN),
        };
        let numbers = (0..sorted.len() as Code).map(of).collect();
        Column { name, dictionary: sorted, codes, scale, numbers }
    }

    /// Number of distinct values.
    pub fn size(&self) -> usize {
        self.dictionary.len()
    }

    /// The cell of a row.
    pub fn cell(&self, row: usize) -> Option<&str> {
        self.dictionary.value(self.codes[row])
    }
}

fn scale(dictionary: &Dictionary) -> Scale {
    let coded = |text: &str| text.len() > 1 && text.starts_with('0') && !text.starts_with("0.");
    let (mut numbers, mut dates, mut any) = (true, true, false);
    for (text, _) in dictionary.present() {
        any = true;
        let is_number = number(text).is_some();
        numbers &= is_number && !coded(text);
        dates &= !is_number && value(text).is_some();
    }
    match (any && numbers, any && dates) {
        (true, _) => Scale::Numbers,
        (_, true) => Scale::Dates,
        _ => Scale::Text,
    }
}

/// Some columns of a table.
#[derive(Debug, Clone, Default)]
pub struct Coded {
    /// The columns.
    pub columns: Vec<Column>,
    /// Number of rows.
    pub rows: usize,
}

impl Coded {
    /// Columns of the same length.
    pub fn new(columns: Vec<Column>) -> Self {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        Coded { columns, rows }
    }

    /// Reads named columns. What `null` lists is missing.
    ///
    /// # Errors
    /// Columns that the table does not have, all at once; more rows than 32 bits can count; what
    /// cannot be read.
    pub fn read(table: &dyn Rows, names: &[&str], null: &[String], watch: &Watch) -> Result<Self> {
        let there = table.columns();
        let mut places = Vec::new();
        let mut faults = Vec::new();
        for &name in names {
            match there.iter().position(|column| column == name) {
                Some(place) => places.push(place),
                None => faults.push(no_such_column(name, there)),
            }
        }
        throng_terms::error::Error::check(faults)?;
        let (mut dictionaries, mut codes) =
            (vec![Dictionary::new(); places.len()], vec![Vec::<Code>::new(); places.len()]);
        let mut rows: usize = 0;
        let present = |text: &&str| !null.iter().any(|null| null == text);
        table.read(&places, watch, &mut |batch: &dyn Batch| {
            for (at, (dictionary, codes)) in dictionaries.iter_mut().zip(&mut codes).enumerate() {
                match batch.keyed(at) {
                    Some(keyed) => {
                        let mut counts = vec![0; keyed.values.len()];
                        keyed.keys.iter().for_each(|&key| counts[key as usize] += 1);
                        let add = |(value, count): (&Option<&str>, &u64)| match count {
                            0 => 0,
                            _ => dictionary.add(value.filter(present), *count),
                        };
                        let map: Vec<Code> = keyed.values.iter().zip(&counts).map(add).collect();
                        codes.extend(keyed.keys.iter().map(|&key| map[key as usize]));
                    }
                    None => {
                        batch.each(at, &mut |cell| codes.push(dictionary.add(cell.filter(present), 1)));
                    }
                }
            }
            rows += batch.rows();
            if rows > u32::MAX as usize {
                return Err(fault!(
                    Data,
                    "attack.too-many-rows",
                    "a table has more than {limit} rows",
                    limit = u32::MAX
                )
                .help("attack a sample of the rows")
                .into());
            }
            watch.done(Stage::Reading, rows as u64, None)
        })?;
        let columns = places.iter().zip(dictionaries.iter().zip(codes));
        let columns = columns
            .map(|(&place, (dictionary, codes))| Column::sorted(there[place].clone(), dictionary, codes));
        Ok(Coded { columns: columns.collect(), rows })
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The table with the rows at some places, in their order. Values that no longer occur stay in
    /// the dictionaries.
    #[must_use]
    pub fn part(&self, places: &[u32]) -> Self {
        let column = |column: &Column| Column {
            codes: places.iter().map(|&row| column.codes[row as usize]).collect(),
            ..column.clone()
        };
        Coded { columns: self.columns.iter().map(column).collect(), rows: places.len() }
    }
}

fn no_such_column(name: &str, there: &[String]) -> throng_terms::error::Fault {
    let fault = fault!(Input, "attack.no-such-column", "there is no column `{column}`", column = name);
    match nearest(name, there.iter().map(String::as_str)) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault.help(format!("the columns are {}", there.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_an_order_of_their_own() {
        let column = Column::new("age", [Some("10"), None, Some("9"), Some("10")]);
        assert_eq!(column.scale, Scale::Numbers);
        assert_eq!(column.codes, [2, 0, 1, 2]);
        let zips = Column::new("zip", [Some("02139"), Some("10001"), Some("02138")]);
        assert_eq!((zips.scale, &zips.codes[..]), (Scale::Text, &[1, 2, 0][..]));
        let dates = Column::new("born", [Some("1990-01-02"), Some("1890-12-31")]);
        assert_eq!((dates.scale, &dates.codes[..]), (Scale::Dates, &[1, 0][..]));
        assert_eq!(dates.numbers[1] - dates.numbers[0], 36_161.0);
    }

    #[test]
    fn columns_that_are_not_there_are_named() {
        let table = throng_terms::rows::Table::new(vec!["age".into()], Vec::new()).unwrap();
        let error = Coded::read(&table, &["agee", "sex"], &[], &Watch::none()).unwrap_err();
        assert_eq!(error.faults().len(), 2);
        assert_eq!(error.faults()[0].help.as_deref(), Some("did you mean `age`?"));
    }
}
