//! Mondrian (mission L1).

use super::region::{Field, Method, Share};
use crate::error::{Fault, Result};

/// Cuts regions in two until they cannot be cut.
pub struct Mondrian;

impl Method for Mondrian {
    fn name(&self) -> &'static str {
        "mondrian"
    }

    fn refuses(&self, _field: &Field<'_>) -> Option<Fault> {
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let share = |&point: &u32| Share { point, region: 0, rows: field.space.counts()[point as usize] };
        Ok(Some(points.iter().map(share).collect()))
    }
}
