//! The documents that paths name: files, and folders with everything in them, in the order of
//! names.
//!
//! A link to a folder is followed unless it leads to a folder that it is in. What is neither a file
//! nor a folder is left out in a folder, and refused where it is named.

use std::path::{Path, PathBuf};

use throng::error::{Error, Fault, Result};
use throng::fault;

use crate::error::unreadable;
use crate::stdin::STANDARD;

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// As the user named it.
    pub(super) path: PathBuf,
    /// Where it goes in the output folder.
    pub(super) relative: PathBuf,
    pub(super) bytes: u64,
    pub(super) standard: bool,
}

impl Found {
    /// The name in messages.
    pub(super) fn name(&self) -> String {
        if self.standard { "standard input".into() } else { self.path.display().to_string() }
    }
}

/// What was found, and what was left out and why.
#[derive(Debug, Default)]
pub(super) struct Documents {
    pub(super) found: Vec<Found>,
    pub(super) left_out: Vec<String>,
}

/// Finds the documents of some paths.
///
/// # Errors
/// Paths that do not exist, and what is neither a file nor a folder.
pub(super) fn documents(paths: &[String]) -> Result<Documents> {
    let mut documents = Documents::default();
    let mut faults = Vec::new();
    for path in paths {
        if path == STANDARD {
            let relative = PathBuf::from("standard-input.txt");
            documents.found.push(Found { path: path.into(), relative, bytes: 0, standard: true });
        } else if let Err(error) = documents.add(Path::new(path)) {
            faults.extend(error.faults().to_vec());
        }
    }
    Error::check(faults)?;
    if documents.found.is_empty() {
        return Err(fault!(Input, "scrub.no-documents", "there is no document in what was given")
            .help("name files, or folders with files in them")
            .into());
    }
    Ok(documents)
}

impl Documents {
    fn add(&mut self, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let about = std::fs::metadata(path).map_err(|e| unreadable(&name, &e))?;
        if about.is_dir() {
            let mut inside = vec![resolved(path)];
            return self.folder(path, Path::new(""), &mut inside);
        }
        if !about.is_file() {
            return Err(fault!(Input, "scrub.not-a-file", "is neither a file nor a folder")
                .file(name)
                .help("write it to a file first, or give it to standard input: throng scrub -")
                .into());
        }
        let relative = PathBuf::from(path.file_name().unwrap_or_default());
        self.found.push(Found { path: path.to_owned(), relative, bytes: about.len(), standard: false });
        Ok(())
    }

    /// Everything in a folder; `inside` are the folders that it is in, without links.
    fn folder(&mut self, folder: &Path, relative: &Path, inside: &mut Vec<PathBuf>) -> Result<()> {
        let failed = |e: std::io::Error| unreadable(&folder.display().to_string(), &e);
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            entries.push(entry.map_err(failed)?.file_name());
        }
        entries.sort();
        for name in entries {
            let (path, relative) = (folder.join(&name), relative.join(&name));
            let about = match std::fs::metadata(&path) {
                Ok(about) => about,
                // A link that leads nowhere, or around in a circle.
                Err(_) if path.is_symlink() => {
                    self.left_out.push(format!("{}: the link leads nowhere", path.display()));
                    continue;
                }
                Err(e) => return Err(unreadable(&path.display().to_string(), &e)),
            };
            if about.is_file() {
                self.found.push(Found { path, relative, bytes: about.len(), standard: false });
            } else if about.is_dir() {
                let place = resolved(&path);
                if inside.contains(&place) {
                    let why = "the link leads to a folder that it is in";
                    self.left_out.push(format!("{}: {why}", path.display()));
                    continue;
                }
                inside.push(place);
                self.folder(&path, &relative, inside)?;
                inside.pop();
            } else {
                self.left_out.push(format!("{}: neither a file nor a folder", path.display()));
            }
        }
        Ok(())
    }
}

/// Where a path leads.
pub(super) fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// A document that is too large to be kept in memory with what is found in it.
pub(super) fn too_large(bytes: u64, most: u64) -> Fault {
    let mega = |bytes: u64| bytes.div_ceil(1_000_000);
    fault!(
        Data,
        "scrub.too-large",
        "has {size} MB: a document may have {most} MB",
        size = mega(bytes),
        most = mega(most)
    )
    .help("split it into documents; texts that are rows of a table are scrubbed with --column")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn folders_keep_their_layout_and_circles_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir_all(at("other")).unwrap();
        for name in ["z.txt", "a/1.txt", "a/b/2.txt", "other/3.txt"] {
            std::fs::write(at(name), name).unwrap();
        }
        std::os::unix::fs::symlink(root.path(), at("a/b/circle")).unwrap();
        std::os::unix::fs::symlink(at("self"), at("self")).unwrap();
        std::os::unix::fs::symlink(at("other"), at("a/linked")).unwrap();
        let found = documents(&[root.path().display().to_string()]).unwrap();
        let names: Vec<String> = found.found.iter().map(|f| f.relative.display().to_string()).collect();
        assert_eq!(names, ["a/1.txt", "a/b/2.txt", "a/linked/3.txt", "other/3.txt", "z.txt"]);
        assert_eq!(found.left_out.len(), 2, "{:?}", found.left_out);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = documents(&["/no/such/file".into(), "/no/such/other".into()]).unwrap_err();
        assert_eq!(error.faults().len(), 2);
        let empty = tempfile::tempdir().unwrap();
        let error = documents(&[empty.path().display().to_string()]).unwrap_err();
        assert!(error.has_code("scrub.no-documents"));
    }
}
