//! Delimited text that is compressed or in UTF-16: the rows and the release of the plain text, and a
//! digest of the bytes that are in the file.

use std::io::Write;

use throng::policy::{Encoding, Format};
use throng_engine::sniff;

use crate::support::{Folder, input, read, release, rows, sorted};

fn table() -> String {
    let line = |i: u32| format!("{},{},Zoë {i}\n", i % 7 * 10, ["Ulm", "Köln"][i as usize % 2]);
    // More than one chunk.
    String::from("age,place,name\n") + &(0..60_000).map(line).collect::<String>()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn policy(path: &str, encoding: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"{path}\"\nencoding = \"{encoding}\"\n[output]\npath = \"out.csv\"\n\
         [columns]\nage.role = \"quasi\"\nplace.role = \"quasi\"\nname.role = \"identifier\"\n[privacy]\nk = 5\n"
    )
}

#[test]
fn what_is_compressed_or_utf_16_is_released_as_the_plain_text_is() {
    let (folder, text) = (Folder::new(), table());
    folder.write("t.csv", &text);
    folder.write("t.csv.gz", gzip(text.as_bytes()));
    folder.write("t.CSV.ZST", zstd::encode_all(text.as_bytes(), 1).unwrap());
    folder.write("u.csv", utf16(&text));
    folder.write("u.csv.gz", gzip(&utf16(&text)));
    let plain = rows(&folder.open("t.csv").unwrap()).unwrap();
    let mut first: Option<Vec<_>> = None;
    for (path, encoding) in [
        ("t.csv", Encoding::Utf8),
        ("t.csv.gz", Encoding::Utf8),
        ("t.CSV.ZST", Encoding::Utf8),
        ("u.csv", Encoding::Utf16),
        ("u.csv.gz", Encoding::Utf16),
    ] {
        let found = sniff(&folder.path(path).display().to_string()).unwrap();
        assert_eq!((found.encoding, found.delimiter), (encoding, ','), "{path}");
        let mut input = input(path);
        input.encoding = encoding;
        assert_eq!(rows(&folder.open_as(&input).unwrap()).unwrap(), plain, "{path}");
        let name = if encoding == Encoding::Utf16 { "utf-16" } else { "utf-8" };
        let done = release(&folder.policy(&policy(path, name))).unwrap();
        assert!(done.verdict.holds(), "{path}");
        let stored = throng_engine::digest_file(&folder.path(path), &throng::watch::Watch::none()).unwrap();
        assert_eq!(done.certificate.release.input.sha256, stored, "{path}");
        let released = sorted(read(&folder.path("out.csv")).1);
        assert_eq!(*first.get_or_insert_with(|| released.clone()), released, "{path}");
    }
}

#[test]
fn what_is_damaged_or_of_another_encoding_is_refused() {
    let (folder, text) = (Folder::new(), table());
    let whole = gzip(text.as_bytes());
    folder.write("cut.csv.gz", &whole[..whole.len() - 100]);
    let error = folder.open("cut.csv.gz").and_then(|source| rows(&source)).unwrap_err();
    assert!(error.to_string().contains("cut.csv.gz"), "{error}");
    assert_eq!(error.faults()[0].kind, throng::error::Kind::Data);
    folder.write("u.csv", utf16(&text));
    let error = folder.open("u.csv").unwrap_err();
    assert!(error.has_code("table.utf-16"), "{error}");
    // Only text is decompressed.
    assert_eq!(Format::of_input("t.parquet.gz"), None);
    assert_eq!(Format::of_input("a/t.Csv.Gz"), Some(Format::Csv));
    assert_eq!((Format::stem("a/t.csv.gz"), Format::stem("t.parquet"), Format::stem(".gz")), ("t", "t", ""));
}
