//! j-anonymity: people are [counted](super::j_counted) in a larger table where the policy names one,
//! and [predicted](super::j_predicted) from the table itself otherwise.

use super::j_counted::JCounted;
use super::j_predicted::JPredicted;
use super::{Build, PrivacyModel, Setting};
use crate::error::Result;
use crate::policy::JAnonymity as Asked;

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        if self.population.is_some() {
            return Ok(Box::new(JCounted::new(claim, self, setting.people())?));
        }
        Ok(Box::new(JPredicted::new(claim, self, setting)?))
    }
}
