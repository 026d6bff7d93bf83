//! SHA-256 of files, streamed.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use throng::error::Result;

use crate::error::unreadable;

/// SHA-256 of one file's bytes.
///
/// # Errors
/// When it cannot be read.
pub fn digest_file(path: &Path) -> Result<String> {
    let name = path.display().to_string();
    let mut file = std::fs::File::open(path).map_err(|e| unreadable(&name, &e))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        let n = file.read(&mut buffer).map_err(|e| unreadable(&name, &e))?;
        if n == 0 {
            return Ok(hex(&hasher.finalize()));
        }
        hasher.update(&buffer[..n]);
    }
}

/// Of one file its digest; of several the digest of their digests, in path order.
///
/// # Errors
/// When one cannot be read.
pub fn digest_files(paths: &[PathBuf]) -> Result<String> {
    if let [one] = paths {
        return digest_file(one);
    }
    let mut hasher = Sha256::new();
    for path in paths {
        hasher.update(digest_file(path)?.as_bytes());
    }
    Ok(hex(&hasher.finalize()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
