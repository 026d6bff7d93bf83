//! The dictionary of a system file: its variables with their labels and missing values.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use throng::error::{Error, Result};

use super::Value;
use super::units::Units;
use crate::error::{unlike, unreadable};

/// The longest text that a file may state the length of: more is damage.
const LONGEST: usize = 1 << 24;

/// The order of bytes in numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn i32(self, bytes: [u8; 4]) -> i32 {
        match self {
            Order::Little => i32::from_le_bytes(bytes),
            Order::Big => i32::from_be_bytes(bytes),
        }
    }

    pub(super) fn i64(self, bytes: [u8; 8]) -> i64 {
        match self {
            Order::Little => i64::from_le_bytes(bytes),
            Order::Big => i64::from_be_bytes(bytes),
        }
    }

    pub(super) fn f64(self, bytes: [u8; 8]) -> f64 {
        f64::from_bits(self.i64(bytes) as u64)
    }
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Number,
    Text {
        /// Bytes of a value.
        bytes: usize,
    },
}

/// A variable.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub(super) name: String,
    short: String,
    pub(super) width: Width,
    /// Where its bytes begin in a case, and how many units it has.
    pub(super) at: usize,
    units: usize,
    pub(super) format: u8,
    pub(super) labels: BTreeMap<Key, String>,
    /// Ends of a range of missing numbers, and single ones.
    missing_range: Option<(f64, f64)>,
    missing_numbers: Vec<f64>,
    pub(super) missing_texts: Vec<String>,
    raw_missing: Vec<[u8; 8]>,
}

/// A value that has a label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Number(u64),
    Text(String),
}

impl Variable {
    pub(super) fn label(&self, value: &Value) -> Option<&str> {
        let key = match value {
            Value::Number(number) => Key::Number((number + 0.0).to_bits()),
            Value::Text(text) => Key::Text(text.clone()),
        };
        self.labels.get(&key).map(String::as_str)
    }

    pub(super) fn has_missing(&self) -> bool {
        self.missing_range.is_some() || !self.missing_numbers.is_empty() || !self.missing_texts.is_empty()
    }

    pub(super) fn is_missing_number(&self, number: f64) -> bool {
        self.missing_numbers.contains(&number)
            || self.missing_range.is_some_and(|(low, high)| (low..=high).contains(&number))
    }

    /// The bytes of a text: of a long one 255 from each of its segments.
    pub(super) fn bytes(&self, case: &[u8]) -> Option<Vec<u8>> {
        let Width::Text { bytes } = self.width else { return None };
        let whole = case.get(self.at..self.at + 8 * self.units)?;
        if bytes <= 255 {
            return Some(whole.get(..bytes)?.to_vec());
        }
        let mut text: Vec<u8> =
            whole.chunks(256).flat_map(|segment| segment.iter().take(255)).copied().collect();
        text.truncate(bytes);
        Some(text)
    }
}

/// All variables of a file.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub(super) variables: Vec<Variable>,
    pub(super) order: Order,
    pub(super) encoding: &'static Encoding,
    units: usize,
}

impl Dictionary {
    /// Bytes of a case.
    pub(super) fn bytes(&self) -> usize {
        8 * self.units
    }
}

/// Opens a file and reads its dictionary; its cases follow.
pub(super) fn open(file: &Path) -> Result<(Dictionary, Units)> {
    let name = file.display().to_string();
    let opened = File::open(file).map_err(|e| unreadable(&name, &e))?;
    let mut records = Records { file: BufReader::with_capacity(1 << 17, opened), order: Order::Little, name };
    let header = records.header()?;
    let found = records.dictionary()?;
    let Records { file, order, name } = records;
    let cases = u64::try_from(header.cases).ok();
    let units = Units::new(file, name, order, (header.compression, header.bias, cases))?;
    Ok((found, units))
}

struct Header {
    compression: i32,
    bias: f64,
    /// Cases; negative where nobody counted them.
    cases: i32,
}

/// Values with their labels, and the units of the variables that have them.
type LabelSet = (Vec<([u8; 8], Vec<u8>)>, Vec<i32>);

/// What records of the dictionary say, before it is put together.
#[derive(Default)]
struct Found {
    /// Variables, and the unit at which each begins.
    variables: Vec<Variable>,
    /// Unit → variable.
    starts: BTreeMap<usize, usize>,
    units: usize,
    labels: Vec<LabelSet>,
    long_names: Vec<u8>,
    long_texts: Vec<u8>,
    long_missing: Vec<u8>,
    encoding: Option<&'static Encoding>,
}

/// Reads the records of a dictionary.
struct Records {
    file: BufReader<File>,
    order: Order,
    name: String,
}

impl Records {
    fn damaged(&self) -> Error {
        unlike(&self.name, &"it is not an SPSS file, or it is damaged")
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(self.damaged()),
            Err(e) => Err(unreadable(&self.name, &e)),
        }
    }

    fn i32(&mut self) -> Result<i32> {
        let bytes = self.bytes()?;
        Ok(self.order.i32(bytes))
    }

    /// A length or a number of things.
    fn count(&mut self) -> Result<usize> {
        let count = self.i32()?;
        usize::try_from(count).ok().filter(|count| *count <= LONGEST).ok_or_else(|| self.damaged())
    }

    fn text(&mut self, len: usize) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        let read = (&mut self.file).take(len as u64).read_to_end(&mut text);
        read.map_err(|e| unreadable(&self.name, &e))?;
        if text.len() == len { Ok(text) } else { Err(self.damaged()) }
    }

    fn header(&mut self) -> Result<Header> {
        let magic: [u8; 4] = self.bytes()?;
        if magic != *b"$FL2" && magic != *b"$FL3" {
            return Err(self.damaged());
        }
        self.bytes::<60>()?;
        let layout: [u8; 4] = self.bytes()?;
        self.order = match (Order::Little.i32(layout), Order::Big.i32(layout)) {
            (2 | 3, _) => Order::Little,
            (_, 2 | 3) => Order::Big,
            _ => return Err(self.damaged()),
        };
        self.i32()?;
        let compression = self.i32()?;
        self.i32()?;
        let cases = self.i32()?;
        let bias = self.order.f64(self.bytes()?);
        self.bytes::<84>()?;
        Ok(Header { compression, bias, cases })
    }

    fn dictionary(&mut self) -> Result<Dictionary> {
        let (mut found, mut code_page) = (Found::default(), 0);
        loop {
            match self.i32()? {
                2 => self.variable(&mut found)?,
                3 => self.labels(&mut found)?,
                6 => {
                    let lines = self.count()?;
                    self.text(lines.saturating_mul(80).min(LONGEST))?;
                }
                7 => self.extension(&mut found, &mut code_page)?,
                999 => {
                    self.i32()?;
                    break;
                }
                _ => return Err(self.damaged()),
            }
        }
        self.finished(found, code_page)
    }

    fn variable(&mut self, found: &mut Found) -> Result<()> {
        let width = self.i32()?;
        let (labelled, missing, print) = (self.i32()?, self.i32()?, self.i32()?);
        self.i32()?;
        let short: [u8; 8] = self.bytes()?;
        if labelled == 1 {
            let len = self.count()?;
            self.text(len.div_ceil(4) * 4)?;
        }
        let mut raw_missing = Vec::new();
        for _ in 0..missing.unsigned_abs().min(3) {
            raw_missing.push(self.bytes()?);
        }
        let unit = found.units;
        found.units += 1;
        if width == -1 {
            // One more unit of a text.
            let last = found.variables.last_mut().ok_or_else(|| self.damaged())?;
            last.units += 1;
            return Ok(());
        }
        let width = match usize::try_from(width).map_err(|_| self.damaged())? {
            0 => Width::Number,
            bytes => Width::Text { bytes },
        };
        let short = String::from_utf8_lossy(&short).trim_end().to_owned();
        let mut variable = Variable {
            name: short.clone(),
            short,
            width,
            at: 8 * unit,
            units: 1,
            format: (print >> 16) as u8,
            labels: BTreeMap::new(),
            missing_range: None,
            missing_numbers: Vec::new(),
            missing_texts: Vec::new(),
            raw_missing,
        };
        if width == Width::Number {
            let mut numbers = variable.raw_missing.iter().map(|bytes| self.order.f64(*bytes));
            if missing < 0 {
                variable.missing_range = numbers.next().zip(numbers.next());
            }
            variable.missing_numbers = numbers.collect();
        }
        found.starts.insert(unit, found.variables.len());
        found.variables.push(variable);
        Ok(())
    }

    fn labels(&mut self, found: &mut Found) -> Result<()> {
        let mut labels = Vec::new();
        for _ in 0..self.count()? {
            let value: [u8; 8] = self.bytes()?;
            let [len] = self.bytes()?;
            let padded = (usize::from(len) + 1).div_ceil(8) * 8 - 1;
            let mut label = self.text(padded)?;
            label.truncate(usize::from(len));
            labels.push((value, label));
        }
        if self.i32()? != 4 {
            return Err(self.damaged());
        }
        let mut units = Vec::new();
        for _ in 0..self.count()? {
            units.push(self.i32()?);
        }
        found.labels.push((labels, units));
        Ok(())
    }

    fn extension(&mut self, found: &mut Found, code_page: &mut i32) -> Result<()> {
        let subtype = self.i32()?;
        let (size, count) = (self.count()?, self.count()?);
        let len = size.checked_mul(count).filter(|len| *len <= LONGEST).ok_or_else(|| self.damaged())?;
        let bytes = self.text(len)?;
        match subtype {
            3 => {
                let last = bytes.get(28..32).and_then(|bytes| bytes.try_into().ok());
                *code_page = last.map_or(0, |bytes| self.order.i32(bytes));
            }
            13 => found.long_names = bytes,
            14 => found.long_texts = bytes,
            20 => found.encoding = Encoding::for_label(bytes.trim_ascii()),
            22 => found.long_missing = bytes,
            _ => {}
        }
        Ok(())
    }

    /// Puts together what the records say.
    fn finished(&self, found: Found, code_page: i32) -> Result<Dictionary> {
        let Found { variables, starts, units, labels, long_names, long_texts, long_missing, encoding } =
            found;
        let page = || match code_page {
            65001 => UTF_8,
            code => Encoding::for_label(format!("windows-{code}").as_bytes()).unwrap_or(WINDOWS_1252),
        };
        let encoding = encoding.unwrap_or_else(page);
        let decode = |bytes: &[u8]| {
            let text = encoding.decode_without_bom_handling(bytes).0;
            text.trim_end_matches([' ', '\0']).to_owned()
        };
        let mut variables = variables;
        for (pairs, places) in labels {
            for place in places {
                let unit = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
                let variable = unit.and_then(|unit| starts.get(&unit)).ok_or_else(|| self.damaged())?;
                let variable = &mut variables[*variable];
                for (value, label) in &pairs {
                    let key = match variable.width {
                        Width::Number => Key::Number((self.order.f64(*value) + 0.0).to_bits()),
                        Width::Text { .. } => Key::Text(decode(value)),
                    };
                    variable.labels.insert(key, decode(label));
                }
            }
        }
        for variable in variables.iter_mut().filter(|variable| variable.width != Width::Number) {
            variable.missing_texts = variable.raw_missing.iter().map(|bytes| decode(bytes)).collect();
        }
        let mut variables = self.joined(variables, &decode(&long_texts))?;
        for pair in decode(&long_names).split('\t') {
            let Some((short, long)) = pair.split_once('=') else { continue };
            if let Some(variable) = variables.iter_mut().find(|variable| variable.short == short) {
                long.trim().clone_into(&mut variable.name);
            }
        }
        self.long_missing(&mut variables, &long_missing, &decode);
        Ok(Dictionary { variables, order: self.order, encoding, units })
    }

    /// Texts of more than 255 bytes are stored as several variables, one after the other.
    fn joined(&self, variables: Vec<Variable>, lengths: &str) -> Result<Vec<Variable>> {
        let lengths: BTreeMap<&str, usize> = lengths
            .split('\t')
            .filter_map(|pair| pair.split_once('='))
            .filter_map(|(name, len)| Some((name, len.trim_matches(['\0', ' ']).parse().ok()?)))
            .collect();
        let mut joined: Vec<Variable> = Vec::new();
        let mut rest = variables.into_iter();
        while let Some(mut variable) = rest.next() {
            if let Some(&bytes) = lengths.get(variable.short.as_str()) {
                for _ in 1..usize::div_ceil(bytes, 252) {
                    variable.units += rest.next().ok_or_else(|| self.damaged())?.units;
                }
                variable.width = Width::Text { bytes };
            }
            joined.push(variable);
        }
        Ok(joined)
    }

    /// Missing values of texts of more than eight bytes.
    fn long_missing(&self, variables: &mut [Variable], bytes: &[u8], decode: &dyn Fn(&[u8]) -> String) {
        let mut rest = bytes;
        while let Some((name, values, behind)) = self.missing_entry(rest, decode) {
            let named = |variable: &&mut Variable| variable.short == name || variable.name == name;
            if let Some(variable) = variables.iter_mut().find(named) {
                variable.missing_texts.extend(values);
            }
            rest = behind;
        }
    }

    /// A name, a number of values, their length, and the values; then what follows.
    fn missing_entry<'a>(
        &self,
        bytes: &'a [u8],
        decode: &dyn Fn(&[u8]) -> String,
    ) -> Option<(String, Vec<String>, &'a [u8])> {
        let (len, rest) = self.len(bytes)?;
        let (name, rest) = rest.split_at_checked(len)?;
        let (count, rest) = rest.split_first()?;
        let (len, mut rest) = self.len(rest)?;
        let mut values = Vec::new();
        for _ in 0..*count {
            let (value, behind) = rest.split_at_checked(len)?;
            values.push(decode(value));
            rest = behind;
        }
        Some((decode(name), values, rest))
    }

    fn len<'a>(&self, bytes: &'a [u8]) -> Option<(usize, &'a [u8])> {
        let (len, rest) = bytes.split_first_chunk::<4>()?;
        Some((usize::try_from(self.order.i32(*len)).ok()?, rest))
    }
}
