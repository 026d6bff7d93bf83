//! `throng network POLICY`.

use throng::error::Result;
use throng::fault;
use throng::network::{Question, answer_text, text};
use throng::report::network_picture;
use throng_engine::{Engine, OverwriteGuard, PolicyFile, write_atomically};

use super::json;
use super::release::in_policy;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{out, sanitized};

pub fn run(args: &args::Network) -> Result<Ended> {
    let question = question(args)?;
    let (policy, source) = PolicyFile::read(&args.policy)?;
    if let Some(path) = &args.out {
        OverwriteGuard::of_policy(&policy).release_of(&policy).check([&**path], args.overwrite.existing())?;
    }
    let line = Line::new();
    let network = Engine::new().network(&policy, args.random.seed, args.parents, &line.watch());
    line.clear();
    let network = network.map_err(|e| in_policy(e, &policy, &source))?;
    let facts = network.facts();
    if let Some(path) = &args.out {
        write_atomically(path, network_picture(&facts).as_bytes())?;
    }
    let shown = match question {
        None if args.output.json => json(&facts)?,
        None => text(&facts),
        Some(question) => {
            let answer = network.answer(&question)?;
            if args.output.json { json(&answer)? } else { answer_text(&answer) }
        }
    };
    out(&if args.output.json { shown } else { sanitized(&shown) })?;
    Ok(Ended::Holds)
}

/// The question that the arguments ask, if they ask one.
fn question(args: &args::Network) -> Result<Option<Question>> {
    if args.given.is_empty() && args.ask.is_none() {
        return Ok(None);
    }
    let cell = |given: &String| -> Result<(String, String)> {
        let (column, cell) = given.split_once('=').ok_or_else(|| {
            fault!(Input, "network.given-without-cell", "`{given}` is not COLUMN=CELL", given = given)
                .help("write --given zip=02139")
        })?;
        Ok((column.to_owned(), cell.to_owned()))
    };
    let given = args.given.iter().map(cell).collect::<Result<_>>()?;
    Ok(Some(Question { given, ask: args.ask.clone() }))
}
