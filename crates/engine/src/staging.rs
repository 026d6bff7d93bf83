//! Temporary files and folders that have a name, and a registry of them.
//!
//! Dropping one removes it. A process that is about to exit without unwinding calls [`remove_all`]
//! first, so that nothing is left behind. Costs one lock per file or folder.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

/// How the name of everything temporary begins.
const PREFIX: &str = ".throng-";

/// What is there now.
static PRESENT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Held while the parts of a release get their names: all of them or none.
static PUBLISHING: Mutex<()> = Mutex::new(());

fn present() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps [`remove_all`] waiting until it is dropped.
pub(crate) fn publishing() -> MutexGuard<'static, ()> {
    PUBLISHING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file and folder of this process, and lets nobody make another. Only for
/// a process that exits right after, for instance in a signal handler: work that goes on stops at
/// its next temporary file.
pub fn remove_all() {
    std::mem::forget(publishing());
    let present = present();
    for path in present.iter() {
        // A thread that still writes may add a file to a folder that is being removed.
        for _ in 0..100 {
            let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            match removed {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {}
                _ => break,
            }
        }
    }
    std::mem::forget(present);
}

/// Takes a path off the registry when dropped.
#[derive(Debug)]
struct Registered(PathBuf);

impl Registered {
    fn new(path: &Path, present: &mut BTreeSet<PathBuf>) -> Self {
        // The working folder may change.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        present.insert(path.clone());
        Registered(path)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        present().remove(&self.0);
    }
}

/// A temporary folder; it goes with everything in it.
#[derive(Debug)]
pub(crate) struct Folder {
    // Removed before it is taken off the registry.
    folder: TempDir,
    _registered: Registered,
}

impl Folder {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        let mut present = present();
        let folder = Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let registered = Registered::new(folder.path(), &mut present);
        Ok(Folder { folder, _registered: registered })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// A temporary file that may be given a name to stay.
#[derive(Debug)]
pub(crate) struct File {
    path: TempPath,
    file: fs::File,
    _registered: Registered,
}

impl File {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        let mut present = present();
        let file: NamedTempFile = Builder::new().prefix(PREFIX).tempfile_in(parent)?;
        let registered = Registered::new(file.path(), &mut present);
        let (file, path) = file.into_parts();
        Ok(File { path, file, _registered: registered })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn as_file(&self) -> &fs::File {
        &self.file
    }

    /// Gives it its name; what had the name before is replaced.
    pub(crate) fn persist(self, path: &Path) -> io::Result<()> {
        self.path.persist(path).map_err(|e| e.error)
    }
}

impl io::Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    // `remove_all` ends all work of a process, so the tests of the program try it from outside.
    #[test]
    fn what_is_dropped_or_named_is_off_the_registry() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::new(parent.path()).unwrap();
        let mut file = File::new(folder.path()).unwrap();
        let names = [folder.path().to_owned(), file.path.to_path_buf()];
        assert!(names.iter().all(|name| present().contains(name) && name.exists()));
        file.write_all(b"x").unwrap();
        file.persist(&parent.path().join("kept")).unwrap();
        assert!(!present().contains(&names[1]) && !names[1].exists());
        drop(folder);
        assert!(!present().contains(&names[0]) && !names[0].exists());
        assert_eq!(fs::read(parent.path().join("kept")).unwrap(), b"x");
    }
}
