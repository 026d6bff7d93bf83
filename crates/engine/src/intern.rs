//! Finds the distinct values of a column of a batch, where they are few.
//!
//! Short texts are compared as numbers: of up to 15 bytes, and their length. Numbers within a small
//! range are looked up in a table. A column that turns out to have many values is left as it is,
//! after a glance at its first cells. Costs a look-up per cell, and no allocation per cell.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray, StringArray};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{
    ArrowNativeType, DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};

/// Fewer cells than this are not worth it.
const CELLS: usize = 64;
/// The most distinct values of a column that is keyed: one per this many cells, and one per cell of
/// the first [`GLANCE`] cells.
const CELLS_PER_VALUE: usize = 4;
const GLANCE: usize = 256;
/// The longest text that is compared as a number.
const SHORT: usize = 15;
/// The widest range of numbers that has a table.
const RANGE: u64 = 1 << 16;

/// Keys of the cells, and the texts that they lead to; the key of a missing cell is the number of
/// texts. None if there are many.
pub(crate) fn texts<'a>(
    len: usize,
    cells: impl Iterator<Item = Option<&'a str>>,
) -> Option<(ScalarBuffer<u32>, StringArray)> {
    if len < CELLS {
        return None;
    }
    let most = (len / CELLS_PER_VALUE).min(usize::from(u16::MAX));
    let mut known = Known::new(most);
    let (mut keys, mut missing) = (Vec::with_capacity(len), false);
    for cell in cells {
        let Some(text) = cell else {
            missing = true;
            keys.push(u32::MAX);
            continue;
        };
        keys.push(known.key(text));
        let found = known.texts.len();
        if found > most || keys.len() == GLANCE && found > GLANCE / 2 {
            return None;
        }
    }
    let values = StringArray::from_iter_values(known.texts);
    if missing {
        let of_missing = values.len() as u32;
        keys.iter_mut().filter(|key| **key == u32::MAX).for_each(|key| *key = of_missing);
    }
    Some((keys.into(), values))
}

/// Distinct texts, in order of first sight.
struct Known<'a> {
    texts: Vec<&'a str>,
    /// A key of each text; different texts have different keys.
    marks: Vec<u128>,
    /// A table of keys and one, open addressing; 0 where there is none.
    slots: Vec<u32>,
}

impl<'a> Known<'a> {
    fn new(most: usize) -> Self {
        let slots = (4 * most.clamp(16, 4096)).next_power_of_two();
        Known { texts: Vec::new(), marks: Vec::new(), slots: vec![0; slots] }
    }

    fn key(&mut self, text: &'a str) -> u32 {
        let mark = mark(text.as_bytes());
        let mask = self.slots.len() - 1;
        let mut at = place(mark) as usize & mask;
        loop {
            match self.slots[at] {
                0 => return self.add(text, mark, at),
                slot => {
                    let key = slot as usize - 1;
                    if self.marks[key] == mark && (text.len() <= SHORT || self.texts[key] == text) {
                        return key as u32;
                    }
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn add(&mut self, text: &'a str, mark: u128, at: usize) -> u32 {
        let key = self.texts.len() as u32;
        self.texts.push(text);
        self.marks.push(mark);
        self.slots[at] = key + 1;
        if 2 * self.texts.len() > self.slots.len() {
            self.grow();
        }
        key
    }

    fn grow(&mut self) {
        let mut slots = vec![0; 2 * self.slots.len()];
        let mask = slots.len() - 1;
        for (key, &mark) in self.marks.iter().enumerate() {
            let mut at = place(mark) as usize & mask;
            while slots[at] != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = key as u32 + 1;
        }
        self.slots = slots;
    }
}

/// A short text as a number that no other has; of a long one, its first and last bytes and length.
fn mark(text: &[u8]) -> u128 {
    let n = text.len();
    let word = |at: usize| text[at..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let (low, high) = match n {
        0..8 => (short(text), 0),
        8..=SHORT => (word(0), short(&text[8..])),
        // The bytes in the middle are compared one by one.
        _ => (word(0), word(n - 8).rotate_left(8) & (u64::MAX >> 8)),
    };
    u128::from(low) | u128::from(high | (n.min(0xff) as u64) << 56) << 64
}

/// Up to 7 bytes as a number, read as a first and a last part that may overlap.
fn short(text: &[u8]) -> u64 {
    let n = text.len();
    if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << (8 * (n - 4))
    } else if n > 0 {
        let byte = |at: usize| u64::from(text[at]) << (8 * at);
        byte(0) | byte(n / 2) | byte(n - 1)
    } else {
        0
    }
}

fn place(mark: u128) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mixed = (mark as u64 ^ ((mark >> 64) as u64).wrapping_mul(ODD)).wrapping_mul(ODD);
    mixed ^ mixed >> 32
}

/// As [`texts`], of whole numbers and days within a small range: keys, and the numbers that they lead
/// to.
pub(crate) fn numbers(array: &ArrayRef) -> Option<(ScalarBuffer<u32>, ArrayRef)> {
    match array.data_type() {
        DataType::Int8 => ranged::<Int8Type>(array),
        DataType::Int16 => ranged::<Int16Type>(array),
        DataType::Int32 => ranged::<Int32Type>(array),
        DataType::Int64 => ranged::<Int64Type>(array),
        DataType::UInt8 => ranged::<UInt8Type>(array),
        DataType::UInt16 => ranged::<UInt16Type>(array),
        DataType::UInt32 => ranged::<UInt32Type>(array),
        DataType::UInt64 => ranged::<UInt64Type>(array),
        DataType::Date32 => ranged::<Date32Type>(array),
        _ => None,
    }
}

fn ranged<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<(ScalarBuffer<u32>, ArrayRef)>
where
    T::Native: ArrowNativeType + Ord,
{
    let array: &PrimitiveArray<T> = array.as_primitive();
    if array.len() < CELLS {
        return None;
    }
    let low = array.iter().flatten().min()?;
    let high = array.iter().flatten().max()?;
    let offset =
        |value: T::Native| value.to_i64().map(|value| value.wrapping_sub(low.to_i64().unwrap_or(0)) as u64);
    let width = offset(high).filter(|width| *width < RANGE.min(8 * array.len() as u64))? as usize + 1;
    // Number → its key and one.
    let mut table = vec![0_u32; width];
    let mut values = Vec::new();
    let mut key = |value: T::Native| {
        let slot = &mut table[offset(value)? as usize];
        if *slot == 0 {
            values.push(value);
            *slot = values.len() as u32;
        }
        Some(*slot - 1)
    };
    let mut keys = Vec::with_capacity(array.len());
    for cell in array {
        keys.push(match cell {
            Some(value) => key(value)?,
            None => u32::MAX,
        });
    }
    if values.len() > array.len() / CELLS_PER_VALUE {
        return None;
    }
    let of_missing = values.len() as u32;
    keys.iter_mut().filter(|key| **key == u32::MAX).for_each(|key| *key = of_missing);
    Some((keys.into(), std::sync::Arc::new(PrimitiveArray::<T>::from_iter_values(values))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int64Array, UInt64Array};
    use proptest::prelude::*;

    use super::*;
    use crate::cells::Cells;

    fn read_back(keys: &[u32], values: &StringArray) -> Vec<Option<String>> {
        let text =
            |&key: &u32| ((key as usize) < values.len()).then(|| values.value(key as usize).to_owned());
        keys.iter().map(text).collect()
    }

    proptest! {
        /// Texts that differ in one byte, or in length alone, are different ones.
        #[test]
        fn keys_lead_to_the_cells(
            words in prop::collection::vec("[ab\0é]{0,3}|(aaaa|aaab|baaa){1,6}[ab]{0,3}", 1..12),
            picks in prop::collection::vec(prop::option::weighted(0.9, 0usize..12), 64..300),
        ) {
            let cells: Vec<Option<&str>> =
                picks.iter().map(|pick| pick.map(|at| words[at % words.len()].as_str())).collect();
            let (keys, values) = texts(cells.len(), cells.iter().copied()).unwrap();
            let expected: Vec<Option<String>> = cells.iter().map(|cell| cell.map(String::from)).collect();
            prop_assert_eq!(read_back(&keys, &values), expected);
            let distinct: std::collections::BTreeSet<&str> = cells.iter().flatten().copied().collect();
            prop_assert_eq!(values.len(), distinct.len());
        }

        #[test]
        fn numbers_are_their_texts(numbers in prop::collection::vec(prop::option::of(-7i64..7), 64..200)) {
            let array: ArrayRef = Arc::new(Int64Array::from(numbers.clone()));
            let cells = Cells::new("n", &array).unwrap();
            prop_assert!(matches!(cells, Cells::Keyed(..)) || numbers.iter().flatten().count() == 0);
            for (row, number) in numbers.iter().enumerate() {
                prop_assert_eq!(cells.get(row).map(String::from), number.map(|n| n.to_string()));
            }
        }
    }

    #[test]
    fn columns_of_many_values_are_left_alone() {
        let many: Vec<String> = (0..2000).map(|n| n.to_string()).collect();
        assert!(texts(many.len(), many.iter().map(|text| Some(text.as_str()))).is_none());
        let ends = [0, u64::MAX].repeat(64);
        assert!(numbers(&(Arc::new(UInt64Array::from(ends)) as ArrayRef)).is_none());
        let ends = [i64::MIN, i64::MAX].repeat(64);
        assert!(numbers(&(Arc::new(Int64Array::from(ends)) as ArrayRef)).is_none());
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX - 1; 64]));
        assert_eq!(Cells::new("n", &large).unwrap().get(3), Some("18446744073709551614"));
    }
}
