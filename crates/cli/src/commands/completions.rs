//! `throng completions SHELL`.

use throng::error::Result;

use crate::Ended;
use crate::args::{self, help};
use crate::show::out;

pub fn run(args: &args::Completions) -> Result<Ended> {
    out(&String::from_utf8_lossy(&help::completions(args.shell)))?;
    Ok(Ended::Holds)
}
