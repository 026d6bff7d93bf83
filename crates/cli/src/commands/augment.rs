//! `throng augment POLICY --out TABLE`.

use throng::error::Result;
use throng_engine::{Augmented, Engine, PolicyFile};

use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{integer, out};

pub fn run(args: &args::Augment) -> Result<Ended> {
    let (policy, text) = PolicyFile::read(&args.policy)?;
    let what = match (&args.release, &args.undo) {
        (Some(path), _) => Augmented::Release(path),
        (None, Some(path)) => Augmented::Undone(path),
        (None, None) => Augmented::Table,
    };
    let line = Line::new();
    let to = (&*args.out, args.overwrite.existing());
    let written = Engine::new().augment(&policy, what, to, &line.watch());
    line.clear();
    let written = written.map_err(|e| in_policy(e, &policy, &text))?;
    let mut text = format!("wrote {}: {} rows\n", args.out.display(), integer(written.rows));
    if matches!(what, Augmented::Table) {
        text += "it contains the values of the table; it is not a release\n";
    }
    out(&text)?;
    Ok(Ended::Holds)
}
