//! Diagnoses: A01.0 → A01 → A00-A09 → I A00-B99 → `*`, by ICD-10 or ICD-9-CM.
//!
//! A code may be written with or without its dot, in lower case, and surrounded by spaces.
//! Categories and the ends of ranges compare as text, because each kind of category has one length
//! and its own first characters (001, E800, V10). A category that is in no block of its chapter
//! uses the chapter as its block. Costs two binary searches per distinct value.

use super::build::{path, unfit, values};
use super::{Path, icd9, icd10};
use crate::error::{Error, Result};
use crate::fault;
use crate::table::Dictionary;

/// A classification of diagnoses.
pub(super) struct Icd {
    name: &'static str,
    chapters: &'static [(&'static str, &'static str)],
    blocks: &'static [&'static str],
    aliases: &'static [(&'static str, &'static str)],
    category: fn(&str) -> Option<String>,
    example: &'static str,
}

/// ICD-10 of the WHO, with the categories that ICD-10-CM adds.
pub(super) const ICD10: Icd = Icd {
    name: "ICD-10",
    chapters: icd10::CHAPTERS,
    blocks: icd10::BLOCKS,
    aliases: icd10::ALIASES,
    category: category10,
    example: "E11.9 or E119",
};

/// ICD-9-CM, diagnoses.
pub(super) const ICD9: Icd = Icd {
    name: "ICD-9-CM",
    chapters: icd9::CHAPTERS,
    blocks: icd9::BLOCKS,
    aliases: &[],
    category: category9,
    example: "250.00, 25000, V10.3 or E812.0",
};

/// Category, block and chapter of every code, then the top.
pub(super) fn paths(icd: &Icd, dictionary: &Dictionary) -> Result<Vec<Path>> {
    let (mut paths, mut unknown) = (Vec::new(), Vec::new());
    for value in values(dictionary) {
        match icd.labels(value) {
            Some(labels) => paths.push(path(value, labels)),
            None => unknown.push(value),
        }
    }
    let fault = unfit(
        &unknown,
        |value| {
            fault!(
                Data,
                "hierarchy.value-not-a-code",
                "`{value}` is not an {system} code",
                value = value,
                system = icd.name
            )
        },
        |value, count, more| {
            fault!(
                Data,
                "hierarchy.value-not-a-code",
                "{count} values are not {system} codes: `{value}` and {more} more",
                count = count,
                system = icd.name,
                value = value,
                more = more
            )
        },
    );
    let help = format!("codes look like {}; list other values under input.null", icd.example);
    Error::check(fault.map(|fault| fault.help(help)).into_iter().collect())?;
    Ok(paths)
}

impl Icd {
    fn labels(&self, value: &str) -> Option<Vec<String>> {
        let category = (self.category)(value)?;
        let known = self.aliases.iter().find(|(alias, _)| *alias == category);
        let known = known.map_or(category.as_str(), |(_, known)| known);
        let (number, range) = self.chapters[find(self.chapters, |c| c.1, known)?];
        let chapter = format!("{number} {range}").trim().to_owned();
        let block = find(self.blocks, |b| b, known).map_or(chapter.clone(), |i| self.blocks[i].to_owned());
        Some(vec![category, block, chapter])
    }
}

/// Which of the sorted ranges holds a category.
fn find<T>(ranges: &[T], range: impl Fn(&T) -> &'static str, category: &str) -> Option<usize> {
    let ends = |i: usize| range(&ranges[i]).split_once('-').unwrap_or_default();
    let after = ranges.partition_point(|r| range(r).split_once('-').unwrap_or_default().0 <= category);
    let last = after.checked_sub(1)?;
    // The first character settles that 250 is not in E000-E999, whatever their lengths.
    (category <= ends(last).1).then_some(last)
}

/// Letter, digit, digit (or a letter, in ICD-10-CM), then up to four characters of detail.
fn category10(value: &str) -> Option<String> {
    let code = value.trim().to_ascii_uppercase();
    // Marks of double coding: A17.0† with G01*, or + and ! in national editions.
    let code = code.trim_end_matches(['*', '†', '+', '!']);
    let category = code.get(..3).filter(|c| c.is_ascii())?;
    let detail = &code[3..];
    // A01.- stands for any code of A01.
    let detail = detail.strip_prefix('.').unwrap_or(detail).trim_end_matches('-');
    let shape = category.as_bytes();
    let right = shape[0].is_ascii_uppercase()
        && shape[1].is_ascii_digit()
        && (shape[2].is_ascii_digit() || icd10::ALIASES.iter().any(|(alias, _)| *alias == category))
        && detail.len() <= 4
        && detail.bytes().all(|b| b.is_ascii_alphanumeric());
    right.then(|| category.to_owned())
}

/// Three digits, V and two, or E and three; then up to two digits of detail.
///
/// Leading zeros are often lost on the way (8 or 8.45 for 008.45) and are put back: as no code is
/// shorter than three digits, one or two before the dot, or alone, can mean nothing else.
fn category9(value: &str) -> Option<String> {
    let code = value.trim().to_ascii_uppercase();
    let digits = code.trim_start_matches(['V', 'E']);
    let letter = &code[..code.len() - digits.len()];
    let length = match letter {
        "" | "E" => 3,
        "V" => 2,
        _ => return None,
    };
    let (whole, detail) = match digits.split_once('.') {
        Some(parts) => parts,
        None => digits.split_at_checked(length).unwrap_or((digits, "")),
    };
    let right = !whole.is_empty()
        && (whole.len() == length || (letter.is_empty() && whole.len() < length))
        && detail.len() <= 2
        && whole.bytes().chain(detail.bytes()).all(|b| b.is_ascii_digit());
    right.then(|| format!("{letter}{whole:0>length$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(icd: &Icd, value: &str) -> String {
        icd.labels(value).map(|labels| labels.join(" | ")).unwrap_or_default()
    }

    #[test]
    fn icd10_codes() {
        let typhoid = "A01 | A00-A09 | I A00-B99";
        for code in ["A01.0", "a010", " A01 ", "A01.", "A01.-", "A01.0†"] {
            assert_eq!(labels(&ICD10, code), typhoid, "{code}");
        }
        for (code, expected) in [
            ("D48.9", "D48 | D37-D48 | II C00-D48"),
            ("D50", "D50 | D50-D53 | III D50-D89"),
            ("E11.9", "E11 | E10-E14 | IV E00-E90"),
            ("H59", "H59 | H55-H59 | VII H00-H59"),
            ("H60", "H60 | H60-H62 | VIII H60-H95"),
            ("S72.001A", "S72 | S70-S79 | XIX S00-T98"),
            ("T14.9", "T14 | T08-T14 | XIX S00-T98"),
            ("U07.1", "U07 | U00-U49 | XXII U00-U99"),
            ("Y05", "Y05 | X85-Y09 | XX V01-Y98"),
            ("Z99", "Z99 | Z80-Z99 | XXI Z00-Z99"),
            ("A10", "A10 | I A00-B99 | I A00-B99"),
            ("C4A.9", "C4A | C43-C44 | II C00-D48"),
            ("E08.9", "E08 | E10-E14 | IV E00-E90"),
            ("Y99.8", "Y99 | Y90-Y98 | XX V01-Y98"),
        ] {
            assert_eq!(labels(&ICD10, code), expected, "{code}");
        }
        for code in
            ["", "A0", "A0A", "AA1", "110", "D90", "P97", "A01.12345", "A01 0", "A00-A09", "Ä01", "C5A"]
        {
            assert_eq!(labels(&ICD10, code), "", "{code}");
        }
    }

    #[test]
    fn icd9_codes() {
        for code in ["250.01", "25001", "250", " 250.0 "] {
            assert_eq!(labels(&ICD9, code), "250 | 249-259 | 3 240-279", "{code}");
        }
        for (code, expected) in [
            ("8.45", "008 | 001-009 | 1 001-139"),
            ("8", "008 | 001-009 | 1 001-139"),
            ("0389", "038 | 030-041 | 1 001-139"),
            ("285.9", "285 | 4 280-289 | 4 280-289"),
            ("745", "745 | 14 740-759 | 14 740-759"),
            ("v30.00", "V30 | V30-V39 | V01-V91"),
            ("V3000", "V30 | V30-V39 | V01-V91"),
            ("E812.0", "E812 | E810-E819 | E000-E999"),
            ("e8120", "E812 | E810-E819 | E000-E999"),
            ("E100", "E100 | E000-E999 | E000-E999"),
            ("999.9", "999 | 996-999 | 17 800-999"),
            ("019", "019 | 1 001-139 | 1 001-139"),
        ] {
            assert_eq!(labels(&ICD9, code), expected, "{code}");
        }
        for code in
            ["", "0", "000", "V00", "V1", "V92", "E81", "250.001", "250.x", "2500.1", ".5", "VE1", "12é"]
        {
            assert_eq!(labels(&ICD9, code), "", "{code}");
        }
    }

    #[test]
    fn unknown_codes_are_named() {
        let dictionary = Dictionary::of([Some("A01"), Some("flu"), Some("cold")]);
        let error = paths(&ICD10, &dictionary).unwrap_err().to_string();
        assert!(error.contains("2 values are not ICD-10 codes: `flu` and 1 more"), "{error}");
        assert!(error.contains("E11.9"), "{error}");
    }

    fn tiles(icd: &Icd) {
        let ends = |range: &'static str| range.split_once('-').unwrap();
        let chapters: Vec<_> = icd.chapters.iter().map(|c| ends(c.1)).collect();
        let blocks: Vec<_> = icd.blocks.iter().map(|b| ends(b)).collect();
        for ranges in [&chapters, &blocks] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0), "sorted and apart");
        }
        for (first, last) in blocks {
            assert_eq!(first.len(), last.len());
            let holding = chapters.iter().filter(|(from, to)| *from <= first && last <= *to);
            assert_eq!(holding.count(), 1, "{first}-{last}");
        }
        for (alias, known) in icd.aliases {
            let block = find(icd.blocks, |b| b, alias);
            assert!(
                block.is_none() || alias.ends_with('A') || alias.ends_with('B'),
                "{alias} needs no alias"
            );
            assert!(find(icd.blocks, |b| b, known).is_some(), "{known} has a block");
        }
    }

    #[test]
    fn blocks_tile_chapters() {
        tiles(&ICD9);
        tiles(&ICD10);
        assert_eq!(icd10::CHAPTERS.len(), 22);
        assert_eq!(icd9::CHAPTERS.len(), 19);
    }

    /// Every category that a chapter covers has a block, and the block is the chapter where none is
    /// listed.
    #[test]
    fn every_category_of_a_chapter_is_known() {
        let tens = (0..100).flat_map(|n| ('A'..='Z').map(move |c| format!("{c}{n:02}")));
        let nine =
            (0..1000).flat_map(|n| [format!("{n:03}"), format!("E{n:03}"), format!("V{:02}", n % 100)]);
        let all = tens.map(|c| (&ICD10, c)).chain(nine.map(|c| (&ICD9, c)));
        let mut known = 0;
        for (icd, category) in all {
            let within = |range: &str| {
                let (first, last) = range.split_once('-').unwrap();
                first.len() == category.len() && first <= category.as_str() && category.as_str() <= last
            };
            let aliased = icd.aliases.iter().any(|(alias, _)| *alias == category);
            let chapter = icd.chapters.iter().find(|c| within(c.1));
            let Some(labels) = icd.labels(&category) else {
                assert!(chapter.is_none() && !aliased, "{category}");
                continue;
            };
            if aliased {
                continue;
            }
            known += 1;
            let chapter = chapter.map(|(n, range)| format!("{n} {range}").trim().to_owned()).unwrap();
            let block = icd.blocks.iter().find(|b| within(b)).map_or(chapter.clone(), |b| (*b).to_owned());
            assert_eq!(labels, [category, block, chapter]);
        }
        assert!(known > 3000, "{known}");
    }
}
