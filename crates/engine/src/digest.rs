//! SHA-256 of files, streamed.

use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use throng::error::{Fault, Result};
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
    each_part(path, watch, |part| hasher.update(part))?;
    Ok(hex(&hasher.finalize()))
}

/// Calls `each` with the bytes of a file, and reports them.
fn each_part(path: &Path, watch: &Watch, mut each: impl FnMut(&[u8])) -> Result<()> {
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
        each(&buffer[..n]);
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

/// Which digests of a table are made while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digesting {
    /// None.
    Nothing,
    /// The one that certificates publish.
    Published,
    /// Also the one that the order of released rows follows from.
    WithOrder,
}

/// Digests of a table's bytes: one that certificates publish, and one that they do not.
#[derive(Debug, Clone)]
pub(crate) struct Digests {
    /// As [`digest_files`].
    pub(crate) published: String,
    order: Option<[u8; 32]>,
}

impl Digests {
    /// Reads all bytes of some files.
    ///
    /// # Errors
    /// When one cannot be read, or the work was asked to stop.
    pub(crate) fn of(paths: &[PathBuf], which: Digesting, watch: &Watch) -> Result<Self> {
        let mut digester = Digester::new(which);
        for path in paths {
            each_part(path, watch, |part| digester.update(part))?;
            digester.end_of_file();
        }
        Ok(digester.finish())
    }

    /// The key of a release's row order. It depends on every byte of the input, and cannot be
    /// derived from the digest of the input or from the seed, which certificates publish: otherwise
    /// the recipient could undo the shuffle.
    ///
    /// # Errors
    /// When it was not made.
    pub(crate) fn order_key(&self, seed: u64) -> Result<[u8; 32]> {
        let order = self.order.ok_or_else(|| Fault::bug("a table was digested without its order"))?;
        Ok(Sha256::new().chain_update(order).chain_update(seed.to_le_bytes()).finalize().into())
    }
}

/// Digests the bytes of a table as they come.
pub(crate) struct Digester {
    file: Sha256,
    files: Vec<String>,
    order: Option<Sha256>,
}

impl Digester {
    pub(crate) fn new(which: Digesting) -> Self {
        let order = || Sha256::new_with_prefix(b"throng row order\0");
        Digester {
            file: Sha256::new(),
            files: Vec::new(),
            order: (which == Digesting::WithOrder).then(order),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.file.update(bytes);
        self.order.iter_mut().for_each(|order| order.update(bytes));
    }

    /// Goes on to the next file.
    pub(crate) fn end_of_file(&mut self) {
        self.files.push(hex(&self.file.finalize_reset()));
    }

    pub(crate) fn finish(self) -> Digests {
        let published = match &self.files[..] {
            [one] => one.clone(),
            several => hex(&Sha256::digest(several.concat())),
        };
        Digests { published, order: self.order.map(|order| order.finalize().into()) }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
