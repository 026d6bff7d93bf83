//! Standard input as a table: `-` in place of a path.
//!
//! A table is read several times, so standard input is copied once, to a temporary file that only
//! its owner may read. The file is removed when the program ends, see [`forget_standard_input`].

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use throng::error::Result;

use crate::error::{unreadable, unwritable};
use crate::staging;

/// How a policy and the command line name standard input and output.
pub(crate) const STANDARD: &str = "-";

/// The copy, once it was made.
static COPY: Mutex<Option<(staging::File, PathBuf)>> = Mutex::new(None);

/// Where the copy of standard input is; makes it when called first.
///
/// # Errors
/// When standard input cannot be read, or the copy cannot be written.
pub(crate) fn copy() -> Result<PathBuf> {
    let mut copy = COPY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, path)) = &*copy {
        return Ok(path.clone());
    }
    let folder = std::env::temp_dir();
    let failed = |e: io::Error| unwritable(&folder.display().to_string(), &e);
    let mut file = staging::File::new(&folder).map_err(failed)?;
    let mut bytes = vec![0; 1 << 18];
    let mut input = io::stdin().lock();
    loop {
        let read = match io::Read::read(&mut input, &mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(unreadable("standard input", &e)),
        };
        file.write_all(&bytes[..read]).map_err(failed)?;
    }
    file.flush().map_err(failed)?;
    let path = file.path().to_owned();
    *copy = Some((file, path.clone()));
    Ok(path)
}

/// Whether a path is that of the copy.
pub(crate) fn is_copy(file: &Path) -> bool {
    let copy = COPY.lock().unwrap_or_else(PoisonError::into_inner);
    copy.as_ref().is_some_and(|(_, path)| path == file)
}

/// Removes the copy of standard input, where one was made.
pub fn forget_standard_input() {
    drop(COPY.lock().unwrap_or_else(PoisonError::into_inner).take());
}
