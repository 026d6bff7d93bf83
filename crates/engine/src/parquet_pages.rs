//! A column chunk of Parquet whose cells are codes of labels, written without looking at texts per
//! row: the labels that occur are the dictionary page, and the data pages hold their numbers in the
//! hybrid of runs and packed groups (Apache Parquet, encodings 2 and 8).
//!
//! Labels that no row has are not written: they could be those of suppressed rows. Costs a few
//! nanoseconds per row.

use arrow::array::{Array, StringArray};
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::reader::ChunkReader;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Rows of a page.
const PAGE: usize = 1 << 16;
/// Groups of eight that one header counts: more would need a longer one.
const GROUPS: usize = 63;
/// The code of a label that does not occur.
const ABSENT: u32 = u32::MAX;

/// A column chunk that waits for its place in the file.
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    closed: ColumnCloseResult,
}

impl Chunk {
    /// Its bytes, and what the file's footer states of them.
    pub(crate) fn into_parts(self) -> (impl ChunkReader, ColumnCloseResult) {
        // The type of the buffer belongs to a crate that is not used here otherwise.
        let page = Page::DictionaryPage {
            buf: self.bytes.into(),
            num_values: 0,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        (page.buffer().clone(), self.closed)
    }
}

/// Writes the cells of a column: row → code, and code → label; a label that is null is a missing
/// cell. `first` leads from a code to the first code of the same label.
///
/// # Errors
/// None in memory.
pub(crate) fn chunk(
    column: &ColumnDescPtr,
    codes: &[u32],
    labels: &StringArray,
    first: &[u32],
) -> Result<Chunk> {
    let mut places = vec![ABSENT; labels.len()];
    codes.iter().for_each(|&code| places[first[code as usize] as usize] = 0);
    let (mut dictionary, mut count) = (Vec::new(), 0_u32);
    for (label, place) in labels.iter().zip(&mut places) {
        let Some(label) = label.filter(|_| *place != ABSENT) else {
            *place = ABSENT;
            continue;
        };
        dictionary.extend_from_slice(&(label.len() as u32).to_le_bytes());
        dictionary.extend_from_slice(label.as_bytes());
        *place = count;
        count += 1;
    }
    // Code → place in the dictionary.
    let places: Vec<u32> = first.iter().map(|&first| places[first as usize]).collect();
    let mut sink = TrackedWrite::new(Vec::new());
    let mut writer = SerializedPageWriter::new(&mut sink);
    let size = dictionary.len();
    let page = Page::DictionaryPage {
        buf: dictionary.into(),
        num_values: count,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    writer.write_page(CompressedPage::new(page, size))?;
    let mut data_offset = None;
    for codes in codes.chunks(PAGE) {
        let page = data_page(codes, &places, count);
        let size = page.buffer().len();
        let written = writer.write_page(CompressedPage::new(page, size))?;
        data_offset.get_or_insert(written.offset as i64);
    }
    writer.close()?;
    let bytes = sink.into_inner()?;
    let pages =
        |page_type, encoding, count: usize| PageEncodingStats { page_type, encoding, count: count as i32 };
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::UNCOMPRESSED)
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
        .set_page_encoding_stats(vec![
            pages(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1),
            pages(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, codes.len().div_ceil(PAGE)),
        ])
        .set_total_compressed_size(bytes.len() as i64)
        .set_total_uncompressed_size(bytes.len() as i64)
        .set_num_values(codes.len() as i64)
        .set_dictionary_page_offset(Some(0))
        .set_data_page_offset(data_offset.unwrap_or(bytes.len() as i64))
        .build()?;
    let closed = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: codes.len() as u64,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok(Chunk { bytes, closed })
}

/// A page: which cells are present, then the places of the present ones in the dictionary.
fn data_page(codes: &[u32], places: &[u32], count: u32) -> Page {
    let present: Vec<u32> = codes.iter().map(|&code| places[code as usize]).collect();
    let mut levels = Vec::new();
    let missing = present.contains(&ABSENT);
    let found: Vec<u32> = match missing {
        true => {
            let defined: Vec<u32> = present.iter().map(|&place| u32::from(place != ABSENT)).collect();
            hybrid(&defined, 1, &mut levels);
            present.into_iter().filter(|&place| place != ABSENT).collect()
        }
        false => {
            run(1, present.len(), 1, &mut levels);
            present
        }
    };
    let mut bytes = (levels.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(&levels);
    let width = (u32::BITS - count.saturating_sub(1).leading_zeros()).max(1);
    bytes.push(width as u8);
    hybrid(&found, width, &mut bytes);
    Page::DataPage {
        buf: bytes.into(),
        num_values: codes.len() as u32,
        encoding: Encoding::RLE_DICTIONARY,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}

/// Appends numbers of `width` bits as runs of equal ones and as packed groups of eight.
fn hybrid(numbers: &[u32], width: u32, bytes: &mut Vec<u8>) {
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let equal = rest.iter().take_while(|&&number| number == first).count();
        if equal >= 8 {
            run(first, equal, width, bytes);
            rest = &rest[equal..];
            continue;
        }
        let starts_run = |group: &[u32]| group.len() == 8 && group.iter().all(|number| *number == group[0]);
        let groups = rest.chunks(8).take(GROUPS).take_while(|group| !starts_run(group)).count().max(1);
        let (packed, behind) = rest.split_at(rest.len().min(8 * groups));
        pack(packed, groups, width, bytes);
        rest = behind;
    }
}

fn run(number: u32, length: usize, width: u32, bytes: &mut Vec<u8>) {
    varint((length as u64) << 1, bytes);
    bytes.extend_from_slice(&number.to_le_bytes()[..width.div_ceil(8) as usize]);
}

/// Groups of eight numbers; the last group is filled up with zeros.
fn pack(numbers: &[u32], groups: usize, width: u32, bytes: &mut Vec<u8>) {
    varint((groups as u64) << 1 | 1, bytes);
    let (mut bits, mut filled) = (0_u64, 0);
    for at in 0..8 * groups {
        bits |= u64::from(numbers.get(at).copied().unwrap_or(0)) << filled;
        filled += width;
        while filled >= 8 {
            bytes.push(bits as u8);
            bits >>= 8;
            filled -= 8;
        }
    }
}

fn varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
