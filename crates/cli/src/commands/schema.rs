//! `throng schema`.

use throng::error::Result;

use super::json;
use crate::Ended;
use crate::show::out;

pub fn run() -> Result<Ended> {
    out(&json(&throng::registry::schema())?)?;
    Ok(Ended::Holds)
}
