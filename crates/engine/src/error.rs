//! Foreign errors as faults. What DataFusion wraps is unwrapped by type, never by text.

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use throng::error::{Error, Fault};

/// A failure while a file was read.
pub(crate) fn reading(file: &str, error: &DataFusionError) -> Error {
    match error.find_root() {
        DataFusionError::IoError(e) => unreadable(file, e),
        DataFusionError::ArrowError(inner, _) => arrow(file, inner),
        DataFusionError::ObjectStore(e) => Fault::system(format!("cannot be read: {e}")).file(file).into(),
        DataFusionError::External(e) => match e.downcast_ref::<Error>() {
            Some(own) => own.clone(),
            None => Fault::data(format!("cannot be read: {e}")).file(file).into(),
        },
        other => Fault::data(format!("cannot be read: {}", first_line(&other.to_string()))).file(file).into(),
    }
}

fn arrow(file: &str, error: &ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, e) => unreadable(file, e),
        ArrowError::ExternalError(e) => match e.downcast_ref::<Error>() {
            Some(own) => own.clone(),
            None => Fault::data(format!("cannot be read: {}", first_line(&e.to_string()))).file(file).into(),
        },
        other => Fault::data(format!("cannot be read: {}", first_line(&other.to_string()))).file(file).into(),
    }
}

/// A file that the operating system does not let us read.
pub(crate) fn unreadable(file: &str, error: &std::io::Error) -> Error {
    let help = match error.kind() {
        std::io::ErrorKind::NotFound => "check the path; paths in a policy are relative to the policy",
        std::io::ErrorKind::PermissionDenied => "check who may read it",
        _ => "check the disk and the path",
    };
    Fault::system(format!("cannot be read: {error}")).file(file).help(help).into()
}

/// A file that cannot be written.
pub(crate) fn unwritable(file: &str, error: &dyn std::fmt::Display) -> Error {
    Fault::system(format!("cannot be written: {error}"))
        .file(file)
        .help("check the folder, its permissions and the free space; nothing was left behind")
        .into()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or(text)
}
