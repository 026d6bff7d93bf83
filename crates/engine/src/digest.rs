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
    let mut hasher = Sha256::new();
    hash_into(&mut hasher, path)?;
    Ok(hex(&hasher.finalize()))
}

fn hash_into(hasher: &mut Sha256, path: &Path) -> Result<()> {
    let name = path.display().to_string();
    let mut file = std::fs::File::open(path).map_err(|e| unreadable(&name, &e))?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        let n = file.read(&mut buffer).map_err(|e| unreadable(&name, &e))?;
        if n == 0 {
            return Ok(());
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

/// The key of a release's row order. It depends on every byte of the input, and cannot be told from the digest of
/// the input or from the seed, which certificates publish: otherwise the recipient could undo the shuffle.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn order_key(paths: &[PathBuf], seed: u64) -> Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    hasher.update(b"throng row order\0");
    hasher.update(seed.to_le_bytes());
    for path in paths {
        hash_into(&mut hasher, path)?;
    }
    Ok(hasher.finalize().into())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
