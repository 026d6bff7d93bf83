//! The files that a policy names beside its table. Linear in the columns.

use std::collections::BTreeSet;

use super::{Column, Policy, Scrub, TemplateSpec};
use crate::hierarchy::{File, Spec};
use crate::poset;

impl Policy {
    /// The files that hierarchies, posets, lists of words and the template are read from, as the
    /// policy writes their paths: what a bundle holds.
    pub fn hierarchy_files(&self) -> BTreeSet<&str> {
        let template = self.template.iter().flat_map(TemplateSpec::files);
        self.columns.values().flat_map(files_of).chain(template).collect()
    }

    /// The first column whose hierarchy or poset is read from a file.
    pub fn column_of_file(&self, path: &str) -> Option<&str> {
        let reads = |(_, column): &(&String, &Column)| files_of(column).any(|file| file == path);
        self.columns.iter().find(reads).map(|(name, _)| name.as_str())
    }

    /// The files whose digests a certificate has: those of hierarchies and posets, the population,
    /// and files that are joined with the table. The input has its own digest, and keys have none.
    pub fn files(&self) -> BTreeSet<&str> {
        let mut files = self.hierarchy_files();
        files.extend(self.population().map(|(_, path)| path));
        files.extend(self.input.joined_files().into_iter().map(|(_, path)| path));
        files
    }
}

/// The files of one column.
fn files_of(column: &Column) -> impl Iterator<Item = &str> {
    let hierarchy = match &column.hierarchy {
        Some(Spec::File(file)) => Some(file),
        _ => None,
    };
    let poset = match &column.poset {
        Some(poset::Spec::File(file) | poset::Spec::Codes(poset::Codes { file, .. })) => Some(file),
        _ => None,
    };
    let lists = column.scrub().into_iter().flat_map(Scrub::files);
    hierarchy.into_iter().chain(poset).map(File::path).chain(lists)
}
