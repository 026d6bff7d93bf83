//! `throng man [COMMAND]...`.

use throng::error::{Fault, Result};
use throng::fault;

use crate::Ended;
use crate::args::{self, help};
use crate::show::out;

pub fn run(args: &args::Man) -> Result<Ended> {
    if args.list {
        out(&help::pages().iter().map(|page| format!("{page}\n")).collect::<String>())?;
        return Ok(Ended::Holds);
    }
    let Some(page) = help::manual(&args.command) else {
        return Err(fault!(
            Input,
            "arguments.no-such-page",
            "there is no manual page for `{command}`",
            command = args.command.join(" ")
        )
        .help("`throng man --list` lists the pages")
        .into());
    };
    let page = page.map_err(|e| Fault::bug(format!("the manual page cannot be written: {e}")))?;
    out(&String::from_utf8_lossy(&page))?;
    Ok(Ended::Holds)
}
