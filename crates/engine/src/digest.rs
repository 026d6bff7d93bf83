//! SHA-256 of files, streamed.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use throng::error::Result;
use throng::watch::{Stage, Watch};

use crate::error::unreadable;

/// Bytes read at once, and between two looks whether to stop: about a millisecond.
const CHUNK: usize = 1 << 18;

/// SHA-256 of one file's bytes.
///
/// # Errors
/// When it cannot be read, or the work was asked to stop.
pub fn digest_file(path: &Path, watch: &Watch) -> Result<String> {
    let mut hasher = Sha256::new();
    hash_into(&mut hasher, path, watch)?;
    Ok(hex(&hasher.finalize()))
}

/// Reports the bytes of each file as they are hashed.
fn hash_into(hasher: &mut Sha256, path: &Path, watch: &Watch) -> Result<()> {
    let name = path.display().to_string();
    let mut file = std::fs::File::open(path).map_err(|e| unreadable(&name, &e))?;
    let size = file.metadata().map_err(|e| unreadable(&name, &e))?.len();
    let mut buffer = vec![0; CHUNK];
    let mut done = 0;
    loop {
        watch.done(Stage::Hashing, done, Some(size))?;
        let n = file.read(&mut buffer).map_err(|e| unreadable(&name, &e))?;
        if n == 0 {
            return Ok(());
        }
        hasher.update(&buffer[..n]);
        done += n as u64;
    }
}

/// Of one file its digest; of several the digest of their digests, in path order.
///
/// # Errors
/// When one cannot be read, or the work was asked to stop.
pub fn digest_files(paths: &[PathBuf], watch: &Watch) -> Result<String> {
    if let [one] = paths {
        return digest_file(one, watch);
    }
    let mut hasher = Sha256::new();
    for path in paths {
        hasher.update(digest_file(path, watch)?.as_bytes());
    }
    Ok(hex(&hasher.finalize()))
}

/// The key of a release's row order. It depends on every byte of the input, and cannot be derived
/// from the digest of the input or from the seed, which certificates publish: otherwise the
/// recipient could undo the shuffle.
///
/// # Errors
/// When a file cannot be read, or the work was asked to stop.
pub(crate) fn order_key(paths: &[PathBuf], seed: u64, watch: &Watch) -> Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    hasher.update(b"throng row order\0");
    hasher.update(seed.to_le_bytes());
    for path in paths {
        hash_into(&mut hasher, path, watch)?;
    }
    Ok(hasher.finalize().into())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
