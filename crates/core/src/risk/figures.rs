//! Risk figures as plain data, for JSON and text.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// One figure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Figure {
    /// The figure; none where it cannot be had.
    pub value: Option<f64>,
    /// It is hardly below; the value itself where it was counted.
    pub low: Option<f64>,
    /// It is hardly above.
    pub high: Option<f64>,
    /// In plain words.
    pub means: String,
}

impl Figure {
    /// A figure that was counted.
    pub fn exact(value: f64, means: impl Into<String>) -> Self {
        Figure { value: Some(value), low: Some(value), high: Some(value), means: means.into() }
    }

    /// A figure with limits.
    pub fn within(value: f64, (low, high): (f64, f64), means: impl Into<String>) -> Self {
        Figure { value: Some(value), low: Some(low), high: Some(high), means: means.into() }
    }

    /// A figure that cannot be had, and why.
    pub fn none(means: impl Into<String>) -> Self {
        Figure { value: None, low: None, high: None, means: means.into() }
    }
}

/// Figures by name, in display order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures(Vec<(&'static str, Figure)>);

impl Figures {
    pub(super) fn put(&mut self, name: &'static str, figure: Figure) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = figure,
            None => self.0.push((name, figure)),
        }
    }

    /// A figure by its name.
    pub fn get(&self, name: &str) -> Option<&Figure> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, figure)| figure)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Figure)> {
        self.0.iter().map(|(name, figure)| (*name, figure))
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, figure) in &self.0 {
            map.serialize_entry(name, figure)?;
        }
        map.end()
    }
}
