//! Converts foreign errors into faults. Wrapped errors are unwrapped by type; library names in front
//! of messages are removed.

use std::io::{self, ErrorKind};

use throng::error::Error;
use throng::fault;
use throng::watch::Watch;

/// A failure while a file was read.
pub(crate) fn reading(file: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    let mut causes = vec![error];
    while let Some(cause) = causes[causes.len() - 1].source() {
        causes.push(cause);
    }
    if let Some(own) = causes.iter().find_map(|cause| cause.downcast_ref::<Error>()) {
        return own.clone();
    }
    match causes.iter().find_map(|cause| cause.downcast_ref::<io::Error>()) {
        // What a decoder calls so is in the file, not in the disk.
        Some(e)
            if ![ErrorKind::InvalidData, ErrorKind::UnexpectedEof, ErrorKind::Other].contains(&e.kind()) =>
        {
            unreadable(file, e)
        }
        _ => unlike(file, error),
    }
}

/// Why regions are not complete: the work was asked to stop, or its time limit has passed.
pub(crate) fn unfinished(watch: &Watch) -> Error {
    let out_of_time = || {
        fault!(
            Unsolvable,
            "search.time-limit",
            "the time limit ended before all rows were in regions; nothing was written",
        )
        .help("raise --seconds; only a search of levels has a best release so far")
        .into()
    };
    watch.check().err().unwrap_or_else(out_of_time)
}

/// A file whose content does not match its extension.
pub(crate) fn unlike(file: &str, error: &dyn std::fmt::Display) -> Error {
    fault!(
        Data,
        "table.undecodable",
        "cannot be read: {reason}",
        reason = unquoted(&unlabelled(error)).to_owned()
    )
    .file(file)
    .help("check that the file extension matches its format, or set input.format")
    .into()
}

/// A file that no decoder can make sense of.
pub(crate) fn damaged(file: &str) -> Error {
    unlike(file, &"it is damaged")
}

/// A file that the operating system does not let us read.
pub(crate) fn unreadable(file: &str, error: &io::Error) -> Error {
    // Readers of compressed text mark what they cannot decompress.
    if error.kind() == ErrorKind::InvalidData {
        return damaged(file);
    }
    let help = match error.kind() {
        ErrorKind::NotFound => "check the path; paths in a policy are relative to the policy",
        ErrorKind::PermissionDenied => "check who may read it",
        _ => "check the disk and the path",
    };
    fault!(System, "file.unreadable", "cannot be read: {reason}", reason = error).file(file).help(help).into()
}

/// A file that cannot be written.
pub(crate) fn unwritable(file: &str, error: &dyn std::fmt::Display) -> Error {
    let text = unlabelled(error);
    // What a temporary file is called helps nobody.
    let text = text.split(" at path ").next().unwrap_or(&text);
    fault!(System, "file.unwritable", "cannot be written: {reason}", reason = text)
        .file(file)
        .help("check the folder, its permissions and the free space; nothing was left behind")
        .into()
}

/// A message of a library up to what it quotes, which can be a cell or a whole row.
pub(crate) fn unquoted(message: &str) -> &str {
    let opens = |(i, c): &(usize, char)| {
        let before = message[..*i].chars().next_back();
        matches!(*c, '\'' | '"' | '`' | '[' | '{') && before.is_none_or(|b| !b.is_alphanumeric())
    };
    let end = message.char_indices().find(opens).map_or(message.len(), |(i, _)| i);
    let plain = message[..end].trim_end_matches(|c: char| c.is_whitespace() || ":,;(=".contains(c));
    if plain.is_empty() { "it is damaged" } else { plain }
}

/// The first line of a message without the labels in front of it, such as "Parquet error: Arrow: ".
pub(crate) fn unlabelled(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut rest = text.lines().next().unwrap_or_default();
    while let Some((label, message)) = rest.split_once(": ") {
        let plain = label.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
        let names =
            ["EOF", "NYI", "Arrow", "External", "This feature is not implemented", "Error during planning"];
        if message.is_empty() || !plain || !(label.ends_with(" error") || names.contains(&label)) {
            break;
        }
        rest = message;
    }
    // Labels further on belong to causes of causes.
    if rest.contains(" error: ") {
        rest = rest.split(". ").next().unwrap_or(rest);
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use arrow::error::ArrowError;
    use parquet::errors::ParquetError;

    use super::*;

    #[test]
    fn labels_of_libraries_are_left_out() {
        for (text, expected) in [
            (
                "Parquet error: Parquet error: Invalid Parquet file. Corrupt footer",
                "Invalid Parquet file. Corrupt footer",
            ),
            ("Parquet argument error: EOF: too short\nbacktrace", "too short"),
            ("Io error: No space left on device (os error 28)", "No space left on device (os error 28)"),
            ("a message: with a colon", "a message: with a colon"),
            ("Cast error: ", "Cast error: "),
            ("Ipc error: Neither. File error: Io error: short. Stream error: Io error: short.", "Neither"),
            ("", ""),
        ] {
            assert_eq!(unlabelled(&text), expected);
        }
    }

    #[test]
    fn what_libraries_quote_is_left_out() {
        for (text, expected) in [
            (
                "Error while parsing value 'SECRET' as type 'Int64' for column 3 at line 7. Row data: '[SECRET,2]'",
                "Error while parsing value",
            ),
            ("incorrect number of fields, got [SECRET, SECRET]", "incorrect number of fields, got"),
            ("whilst decoding field \"a\": expected string got 1", "whilst decoding field"),
            ("it can't be read", "it can't be read"),
            ("`SECRET` is wrong", "it is damaged"),
            ("Invalid Parquet file. Corrupt footer", "Invalid Parquet file. Corrupt footer"),
        ] {
            assert_eq!(unquoted(text), expected);
        }
    }

    #[test]
    fn own_faults_and_the_disk_are_found_under_any_wrapping() {
        let own: Error = fault!(Data, "table.test", "mine").into();
        let wrapped = ParquetError::External(Box::new(ArrowError::ExternalError(Box::new(own.clone()))));
        assert_eq!(reading("t.csv", &wrapped), own);
        let io = io::Error::from(ErrorKind::PermissionDenied);
        let wrapped = ArrowError::ExternalError(Box::new(ArrowError::IoError("while reading".into(), io)));
        assert!(reading("t.csv", &wrapped).to_string().contains("check who may read it"));
    }
}
