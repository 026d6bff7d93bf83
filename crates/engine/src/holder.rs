//! Files for the holder alone: which rows were put together, and the figures of single rows.
//!
//! They link rows of the input to released rows, so they are never a part of a release. Nobody else
//! may read them (mode 0600), they are not written into the folder of a release unless the path
//! names that folder, and they have a temporary name until everything else is proven. The overwrite
//! guard covers them like every other output.

use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use throng::decide::WriteText;
use throng::error::{Fault, Result};
use throng::fault;

use crate::error::unwritable;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::sink::{folder, temporary};
use crate::staging;

/// Where files for the holder go; none of them is written unless asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HolderFiles {
    /// Which rows of the input were put together.
    pub sets: Option<PathBuf>,
    /// The figures of single rows.
    pub rows: Option<PathBuf>,
}

impl HolderFiles {
    /// All of them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.sets.iter().chain(&self.rows).map(PathBuf::as_path)
    }

    /// Why they cannot be written beside some release, as far as that shows beforehand.
    pub(crate) fn faults(&self, guard: &mut OverwriteGuard, release: &Path) -> Vec<Fault> {
        let fault = |path: &Path| {
            let taken = guard.claim(path, "another file that is written", Existing::Replaced);
            taken.or_else(|| beside(path, release))
        };
        self.paths().filter_map(fault).collect()
    }

    /// Refuses a release of drawn rows: numbers of rows would reveal which were drawn.
    pub(crate) fn refuse_drawn(&self) -> Result<()> {
        match self.paths().next() {
            None => Ok(()),
            Some(path) => Err(fault!(
                Input,
                "release.holder-file-of-drawn-rows",
                "cannot be written: with differential privacy nobody may learn which rows were drawn"
            )
            .file(path.display().to_string())
            .help("leave the option out")
            .into()),
        }
    }
}

/// A name without a folder in the folder of a release: nobody said that it is to be there.
pub(crate) fn beside(path: &Path, release: &Path) -> Option<Fault> {
    let named =
        path.components().any(|part| !matches!(part, Component::Normal(_))) || path.components().count() > 1;
    let place = |path: &Path| std::fs::canonicalize(folder(path)).ok();
    let same = place(path).is_some_and(|own| Some(own) == place(release));
    (same && !named).then(|| {
        let name = path.display().to_string();
        fault!(
            Input,
            "file.holder-file-beside-release",
            "would be in the folder of the release, and it links released rows to people"
        )
        .help(format!("name another folder, or this one by writing ./{name}"))
        .file(name)
    })
}

/// A file for the holder that waits for its name.
pub(crate) struct HolderFile {
    file: staging::File,
    path: PathBuf,
}

impl HolderFile {
    /// Writes a file that nobody else may read.
    pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut WriteText<'_>) -> Result<()>) -> Result<Self> {
        let fail = |e: &dyn std::fmt::Display| unwritable(&path.display().to_string(), e);
        let mut buffer = BufWriter::new(temporary(path)?);
        fill(&mut |text| buffer.write_all(text.as_bytes()).map_err(|e| fail(&e)))?;
        let file = buffer.into_inner().map_err(|e| fail(e.error()))?;
        private(file.as_file()).map_err(|e| fail(&e))?;
        file.as_file().sync_all().map_err(|e| fail(&e))?;
        Ok(HolderFile { file, path: path.to_owned() })
    }

    /// Gives it its name; what had the name before is replaced.
    pub(crate) fn publish(self) -> Result<()> {
        let HolderFile { file, path } = self;
        file.persist(&path).map_err(|e| unwritable(&path.display().to_string(), &e))
    }
}

/// Names files for the holder, then does the rest; where that fails, they are removed.
pub(crate) fn publish_with(files: Vec<HolderFile>, rest: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut named: Vec<PathBuf> = Vec::new();
    let name = |file: HolderFile| {
        let path = file.path.clone();
        file.publish().map(|()| named.push(path))
    };
    let done = files.into_iter().try_for_each(name).and_then(|()| rest());
    if done.is_err() {
        named.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
    done
}

/// Lets nobody but the owner read it.
#[cfg(unix)]
fn private(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn private(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_beside_the_release_is_refused_and_a_path_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let release = Path::new("release.csv");
        assert_eq!(beside(Path::new("sets.csv"), release).unwrap().code, "file.holder-file-beside-release");
        assert!(beside(Path::new("./sets.csv"), release).is_none());
        assert!(beside(&folder.path().join("sets.csv"), release).is_none());
        assert!(beside(Path::new("sets.csv"), &folder.path().join("release.csv")).is_none());
    }

    #[test]
    fn a_file_is_private_and_goes_where_the_rest_fails() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sets.csv");
        let write = || HolderFile::write(&path, |write| write("set,rows,partners\n")).unwrap();
        publish_with(vec![write()], || Ok(())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "set,rows,partners\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let failed = publish_with(vec![write()], || Err(Fault::bug("the disk is full").into()));
        assert!(failed.is_err() && !path.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
