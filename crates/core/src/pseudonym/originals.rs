//! The values of a column that are to be replaced, as far as replacing needs to know them: their
//! shape, and which they are.
//!
//! Memory is 8 bytes and their place in a hash set for every distinct original, and its text where
//! values are numbered.

use std::hash::{DefaultHasher, Hash, Hasher};

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::shape::Shape;
use crate::error::Result;
use crate::fault;

/// The values of a column that are to be replaced, as far as replacing needs to know them.
#[derive(Debug, Clone, Default)]
pub struct Originals {
    pub(super) shape: Option<Shape>,
    /// Hashes of the values: taking a stranger for an original costs a turn and nothing else.
    values: HashSet<u64, FxBuildHasher>,
    /// How many of them were added as values.
    pub(super) distinct: usize,
    /// The values themselves, where these are numbered.
    listed: Option<HashSet<String, FxBuildHasher>>,
}

impl Originals {
    /// No values.
    pub fn new() -> Self {
        Originals::default()
    }

    /// An empty list of values, which need not have one shape.
    pub fn listing() -> Self {
        Originals { listed: Some(HashSet::default()), ..Originals::default() }
    }

    /// How many distinct values were added.
    pub fn len(&self) -> usize {
        self.distinct
    }

    /// Whether none was added.
    pub fn is_empty(&self) -> bool {
        self.distinct == 0
    }

    /// The listed values.
    pub(super) fn listed(&self) -> impl Iterator<Item = &String> {
        self.listed.iter().flatten()
    }

    /// Adds a value.
    ///
    /// # Errors
    /// A value that cannot be replaced, or one that is shaped unlike those before it.
    pub fn add(&mut self, value: &str) -> Result<()> {
        if let Some(listed) = &mut self.listed {
            if !listed.contains(value) {
                listed.insert(value.to_owned());
                self.distinct += usize::from(self.values.insert(hash(value)));
            }
            return Ok(());
        }
        match &self.shape {
            Some(shape) if shape.fits(value) => {}
            Some(shape) => {
                return Err(fault!(
                    Data,
                    "pseudonym.different-shapes",
                    "values are not all written alike: one as {shape}, one as {other}",
                    shape = shape,
                    other = Shape::of(value)?
                )
                .help(
                    "a value written unlike others stands out in the release: leave out `transform`, so that \
                     the column is removed, or write the values alike, for instance with leading zeros",
                )
                .into());
            }
            None => self.shape = Some(Shape::of(value)?),
        }
        self.distinct += usize::from(self.values.insert(hash(value)));
        Ok(())
    }

    /// Whether a text is among the values, or must not be made up.
    pub(super) fn contain(&self, text: &str) -> bool {
        self.values.contains(&hash(text))
    }

    /// Adds a text that must not be made up either, such as one that means missing.
    pub fn avoid(&mut self, text: &str) {
        self.values.insert(hash(text));
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
