//! `throng augment POLICY --out TABLE`.

use throng::error::{Fault, Kind, Result};
use throng_engine::{Augmented, Engine, Existing, PolicyFile};

use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::{Line, catch_interrupts, interrupts};
use crate::show::{integer, out};

pub fn run(args: &args::Augment) -> Result<Ended> {
    catch_interrupts();
    let (policy, text) = PolicyFile::read(&args.policy)?;
    let what = match (&args.release, &args.undo) {
        (Some(path), _) => Augmented::Release(path),
        (None, Some(path)) => Augmented::Undone(path),
        (None, None) => Augmented::Table,
    };
    let line = Line::new();
    let written = Engine::new()?.augment(&policy, what, (&args.out, Existing::by(args.force)), &|rows| {
        line.show(&format!("{} rows", integer(rows)));
        if interrupts() > 0 { Err(Fault::new(Kind::Unsolvable, "stopped").into()) } else { Ok(()) }
    });
    line.clear();
    let written = written.map_err(|e| in_policy(e, &policy, &text))?;
    let mut told = format!("wrote {}: {} rows\n", args.out.display(), integer(written.rows));
    if matches!(what, Augmented::Table) {
        told += "it holds the values of the table: it is no release\n";
    }
    out(&told)?;
    Ok(Ended::Holds)
}
