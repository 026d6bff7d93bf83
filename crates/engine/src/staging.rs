//! Temporary files and folders that have a name, a registry of them, and the removal of those that a
//! killed process left.
//!
//! Dropping one removes it. A process that is about to exit without unwinding calls [`remove_all`]
//! first, so that nothing is left behind. Only a process that gets no time to do so (SIGKILL, a power
//! failure) leaves something; the next process that stages in the same folder removes it. What is in
//! use is locked by its process, and the system releases the lock when the process is gone. So
//! something is left over if its name is `.throng-PID-…`, it can be locked, and there is no process
//! PID. A folder gets its lock first and loses it last, so one without a lock and with nothing else
//! is left over, too: its process was killed between. Everything else in the folder stays.
//!
//! Costs one lock and a rename per file or folder, and one listing of every folder that is staged in.

use std::collections::BTreeSet;
use std::fs;
#[cfg(unix)]
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, TempDir, TempPath};

/// How the name of everything temporary begins.
const PREFIX: &str = ".throng-";
/// How the name of something begins that is not locked yet; it is never taken for left over.
const UNLOCKED: &str = ".throng-new-";
/// The file of a folder that its process has locked.
const LOCK: &str = "lock";
/// Its name before it is locked.
const NOT_YET_LOCKED: &str = "unlocked";

/// What is there now.
static PRESENT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Folders that were searched for what is left over.
static SEARCHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Held while the parts of a release get their names: all of them or none.
static PUBLISHING: Mutex<()> = Mutex::new(());
/// Whether parts got their names.
static PUBLISHED: AtomicBool = AtomicBool::new(false);

fn locked<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps [`remove_all`] waiting until it is dropped.
pub(crate) fn publishing() -> MutexGuard<'static, ()> {
    let guard = locked(&PUBLISHING);
    PUBLISHED.store(true, Ordering::Relaxed);
    guard
}

/// Whether the parts of a release got their names, or are getting them.
pub fn has_published() -> bool {
    PUBLISHED.load(Ordering::Relaxed)
}

/// Removes every temporary file and folder of this process, and lets nobody make another. Only for
/// a process that exits right after, for instance in a signal handler: work that goes on stops at
/// its next temporary file.
pub fn remove_all() {
    std::mem::forget(locked(&PUBLISHING));
    let present = locked(&PRESENT);
    for path in present.iter() {
        // A thread that still writes may add a file to a folder that is being removed.
        for _ in 0..100 {
            match remove(path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {}
                _ => break,
            }
        }
    }
    std::mem::forget(present);
}

fn remove(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        return fs::remove_file(path);
    }
    empty(path);
    fs::remove_dir_all(path)
}

/// Removes everything in a folder but its lock. What cannot be removed stays.
fn empty(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name() != LOCK) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let _ = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
    }
}

/// Removes what killed processes left in a folder. The first call for a folder does it; what cannot
/// be removed stays.
pub(crate) fn remove_left_over(parent: &Path) {
    if !locked(&SEARCHED).insert(absolute(parent)) {
        return;
    }
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().to_str().and_then(process).is_some_and(is_gone) {
            continue;
        }
        match left_over(&entry.path()) {
            Some(lock) => {
                let _ = remove(&entry.path());
                drop(lock);
            }
            None => remove_without_lock(&entry.path()),
        }
    }
}

/// Removes a folder that has no lock yet, or no more, and nothing else.
fn remove_without_lock(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    if !is_folder || locked(&PRESENT).contains(&absolute(path)) {
        return;
    }
    let unlocked = path.join(NOT_YET_LOCKED);
    let only = fs::read_dir(path)
        .is_ok_and(|mut all| all.all(|entry| entry.is_ok_and(|entry| entry.file_name() == NOT_YET_LOCKED)));
    let is_free = |file: fs::File| file.try_lock().is_ok();
    if only && fs::File::open(&unlocked).map_or(true, is_free) {
        let _ = fs::remove_file(&unlocked);
        // A folder that is not empty by now stays.
        let _ = fs::remove_dir(path);
    }
}

/// The process in the name of something temporary: `.throng-PID-` and letters or digits.
fn process(name: &str) -> Option<u32> {
    let (process, random) = name.strip_prefix(PREFIX)?.split_once('-')?;
    let named = !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let decimal = process.bytes().all(|byte| byte.is_ascii_digit());
    (named && decimal).then(|| process.parse().ok()).flatten()
}

/// Whether there is no such process. In a container, processes of several runs have the same number,
/// so an own number says nothing; the lock decides then.
#[cfg(unix)]
fn is_gone(process: u32) -> bool {
    use nix::errno::Errno;
    let Ok(number) = i32::try_from(process) else { return false };
    let signal = || nix::sys::signal::kill(nix::unistd::Pid::from_raw(number), None);
    process == std::process::id() || (number > 0 && signal() == Err(Errno::ESRCH))
}

/// Elsewhere nothing is locked, so that nothing can be known to be left over.
#[cfg(not(unix))]
fn is_gone(_: u32) -> bool {
    false
}

/// The lock of something temporary whose process let go of it; none of what is in use, and of what
/// Throng has not made.
fn left_over(path: &Path) -> Option<fs::File> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    let lock = if kind.is_dir() { path.join(LOCK) } else { path.to_owned() };
    // A pipe or a link of that name would be opened without this.
    if !fs::symlink_metadata(&lock).ok()?.is_file() || locked(&PRESENT).contains(&absolute(path)) {
        return None;
    }
    let lock = fs::OpenOptions::new().read(true).write(true).open(lock).ok()?;
    lock.try_lock().is_ok().then_some(lock)
}

/// Locks a new file. Where the file system has no locks it stays unlocked, and what a killed process
/// leaves there is not removed.
#[cfg(unix)]
fn lock(file: &fs::File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::Error(_)) => Ok(false),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::ResourceBusy.into()),
    }
}

/// Elsewhere a lock would keep the process itself from reading the file by its path.
#[cfg(not(unix))]
fn lock(_: &fs::File) -> io::Result<bool> {
    Ok(false)
}

/// The path, also when the working folder changes.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn prefix() -> String {
    format!("{PREFIX}{}-", std::process::id())
}

/// Takes a path off the registry when dropped.
#[derive(Debug)]
struct Registered(PathBuf);

impl Registered {
    fn new(path: &Path, present: &mut BTreeSet<PathBuf>) -> Self {
        let path = absolute(path);
        present.insert(path.clone());
        Registered(path)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        locked(&PRESENT).remove(&self.0);
    }
}

/// A temporary folder; it goes with everything in it.
#[derive(Debug)]
pub(crate) struct Folder {
    // Removed before it is unlocked and taken off the registry.
    folder: TempDir,
    _lock: Option<fs::File>,
    _registered: Registered,
}

impl Folder {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        remove_left_over(parent);
        let mut present = locked(&PRESENT);
        let folder = Builder::new().prefix(&prefix()).tempdir_in(parent)?;
        let registered = Registered::new(folder.path(), &mut present);
        drop(present);
        let lock = lock_in(folder.path())?;
        Ok(Folder { folder, _lock: lock, _registered: registered })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Folder {
    /// The lock goes last.
    fn drop(&mut self) {
        empty(self.folder.path());
    }
}

/// The lock of a folder. It has its name only once it is locked, so that nobody finds it unlocked.
fn lock_in(folder: &Path) -> io::Result<Option<fs::File>> {
    let unlocked = folder.join(NOT_YET_LOCKED);
    let file = fs::File::create_new(&unlocked)?;
    if lock(&file)? {
        fs::rename(unlocked, folder.join(LOCK))?;
        return Ok(Some(file));
    }
    fs::remove_file(unlocked)?;
    Ok(None)
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
        remove_left_over(parent);
        let mut present = locked(&PRESENT);
        let (file, path) = Builder::new().prefix(UNLOCKED).tempfile_in(parent)?.into_parts();
        let path = if lock(&file)? { renamed(path)? } else { path };
        let registered = Registered::new(&path, &mut present);
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

/// The path of a locked file under the name by which a later process finds it.
fn renamed(path: TempPath) -> io::Result<TempPath> {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_prefix(UNLOCKED));
    let name = name.ok_or(io::ErrorKind::InvalidFilename)?;
    let named = path.with_file_name(prefix() + name);
    path.persist_noclobber(&named).map_err(|e| e.error)?;
    TempPath::try_from_path(named)
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

    /// A number that no process has: above the greatest one of any system.
    #[cfg(unix)]
    const GONE: u32 = 2_000_000_000;

    // `remove_all` ends all work of a process, so the tests of the program try it from outside.
    #[test]
    fn what_is_dropped_or_named_is_off_the_registry() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::new(parent.path()).unwrap();
        let mut file = File::new(folder.path()).unwrap();
        let names = [folder.path().to_owned(), file.path.to_path_buf()];
        assert!(names.iter().all(|name| locked(&PRESENT).contains(name) && name.exists()));
        file.write_all(b"x").unwrap();
        file.persist(&parent.path().join("kept")).unwrap();
        assert!(!locked(&PRESENT).contains(&names[1]) && !names[1].exists());
        drop(folder);
        assert!(!locked(&PRESENT).contains(&names[0]) && !names[0].exists());
        assert_eq!(fs::read(parent.path().join("kept")).unwrap(), b"x");
    }

    #[cfg(unix)]
    #[test]
    fn names_are_those_of_a_process() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, file) = (Folder::new(parent.path()).unwrap(), File::new(parent.path()).unwrap());
        for path in [folder.path(), file.path()] {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(process(name), Some(std::process::id()), "{name}");
        }
        for name in
            [".throng-", ".throng-7", ".throng-7-", ".throng-7-a b", ".throng--a", ".throng-+7-a", "7-a"]
        {
            assert_eq!(process(name), None, "{name}");
        }
        assert_eq!(process(".throng-new-abc"), None);
    }

    /// A folder and a file as a killed process leaves them, and their names.
    #[cfg(unix)]
    fn leave(parent: &Path, process: u32) -> [PathBuf; 2] {
        let paths = [1, 2].map(|n| parent.join(format!("{PREFIX}{process}-left{n}")));
        fs::create_dir(&paths[0]).unwrap();
        fs::write(paths[0].join("out.csv"), "secret").unwrap();
        fs::write(paths[0].join(LOCK), "").unwrap();
        fs::write(&paths[1], "secret").unwrap();
        paths
    }

    #[cfg(unix)]
    #[test]
    fn only_what_a_gone_process_left_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let left = leave(parent.path(), GONE);
        // In use, by a lock or by a process that is there; or made by somebody else.
        let held = leave(parent.path(), GONE - 1);
        let locks = [held[0].join(LOCK), held[1].clone()].map(|path| fs::File::open(path).unwrap());
        locks.iter().for_each(|file| file.lock().unwrap());
        let alive = leave(parent.path(), std::os::unix::process::parent_id());
        let without_lock = parent.path().join(format!("{PREFIX}{GONE}-other"));
        fs::create_dir(&without_lock).unwrap();
        fs::write(without_lock.join("mine"), "mine").unwrap();
        let named = [".throng-notes", "throng-7-a", ".throng-7-a.csv"].map(|name| parent.path().join(name));
        named.iter().for_each(|path| fs::write(path, "mine").unwrap());
        let own = Folder::new(parent.path()).unwrap();
        assert!(left.iter().all(|path| !path.exists()));
        let kept = held.iter().chain(&alive).chain(&named).chain([&without_lock]);
        for path in kept.map(PathBuf::as_path).chain([own.path()]) {
            assert!(path.exists(), "{}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_not_locked_yet_or_is_no_more_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let [bare, early, held] = ["bare", "early", "held"].map(|name| {
            let folder = parent.path().join(format!("{PREFIX}{GONE}-{name}"));
            fs::create_dir(&folder).unwrap();
            folder
        });
        fs::write(early.join(NOT_YET_LOCKED), "").unwrap();
        let lock = fs::File::create_new(held.join(NOT_YET_LOCKED)).unwrap();
        lock.lock().unwrap();
        remove_left_over(parent.path());
        assert!(!bare.exists() && !early.exists() && held.exists());
    }

    #[cfg(unix)]
    #[test]
    fn the_lock_of_a_folder_goes_last() {
        let parent = tempfile::tempdir().unwrap();
        let [folder, _] = leave(parent.path(), GONE);
        fs::create_dir(folder.join("inner")).unwrap();
        empty(&folder);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, [LOCK]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("mine"), "mine").unwrap();
        fs::write(elsewhere.path().join(LOCK), "").unwrap();
        let [folder, _] = leave(parent.path(), GONE);
        std::os::unix::fs::symlink(elsewhere.path(), folder.join("link")).unwrap();
        let link = parent.path().join(format!("{PREFIX}{GONE}-link"));
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        remove_left_over(parent.path());
        assert!(!folder.exists() && fs::symlink_metadata(link).is_ok());
        assert_eq!(fs::read(elsewhere.path().join("mine")).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn what_this_process_uses_is_not_left_over() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, file) = (Folder::new(parent.path()).unwrap(), File::new(parent.path()).unwrap());
        locked(&SEARCHED).clear();
        remove_left_over(parent.path());
        assert!(folder.path().exists() && file.path().exists());
        // A container gives every run the same number.
        let [before, _] = leave(parent.path(), std::process::id());
        locked(&SEARCHED).clear();
        remove_left_over(parent.path());
        assert!(folder.path().exists() && !before.exists());
    }
}
