//! The `throng` program: arguments in, exit code out.
//!
//! Exit codes are a contract: 0 done or holds, 1 ran but does not hold (unsafe, no solution,
//! verification failed), 2 could not run (wrong use, bad input), 70 a bug in Throng, 130 cancelled.
//! So are the codes of errors, which `--json` writes to standard error.

mod args;
mod commands;
mod progress;
mod show;

use std::process::ExitCode;

use clap::FromArgMatches;
use throng::error::{Error, Kind};

use crate::args::{Args, Command};

/// How a command ended, when it ran.
enum Ended {
    /// Done, or everything holds.
    Holds,
    /// It ran, and the answer is no.
    DoesNotHold,
}

fn main() -> ExitCode {
    throng_arenas::limit_to_cores();
    let args = parse();
    progress::begin(args.quiet, args.command.json());
    let ended = match &args.command {
        Command::Demo(args) => commands::demo::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Screen(args) => commands::screen::run(args),
        Command::Suggest(args) => commands::suggest::run(args),
        Command::Evaluate(args) => commands::evaluate::run(args),
        Command::Release(args) => commands::release::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Ledger(args) => commands::ledger::run(args),
        Command::Key(args) => commands::key::run(args),
        Command::Scrub(args) => commands::scrub::run(args),
        Command::Explore(args) => commands::explore::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Risk(args) => commands::risk::run(args),
        Command::Attack(args) => commands::attack::run(args),
        Command::Measure(args) => commands::measure::run(args),
        Command::Stats(args) => commands::stats::run(args),
        Command::Network(args) => commands::network::run(args),
        Command::Argus(args) => commands::argus::run(args),
        Command::Augment(args) => commands::augment::run(args),
        Command::Synth(args) => commands::synth::run(args),
        Command::Hierarchy(args) => commands::hierarchy::run(args),
        Command::Policy(args) => commands::policy::run(args),
        Command::Schema(_) => commands::schema::run(),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    };
    throng_engine::forget_standard_input();
    progress::end();
    match ended {
        Ok(Ended::Holds) => ExitCode::SUCCESS,
        Ok(Ended::DoesNotHold) => ExitCode::from(1),
        Err(error) => {
            match args.command.json() {
                true => show::error_json(&error),
                false => show::error(&error),
            }
            ExitCode::from(code(&error))
        }
    }
}

/// The arguments; wrong ones end the program with an explanation.
fn parse() -> Args {
    let matches = args::help::command().try_get_matches();
    let parsed = matches.and_then(|mut matches| Args::from_arg_matches_mut(&mut matches));
    parsed.unwrap_or_else(|error| args::help::with_suggestion(error).exit())
}

/// A bug outweighs everything else, a cancelled run answers nothing, and of several mistakes the
/// one that kept the command from running decides.
fn code(error: &Error) -> u8 {
    let has = |kind: Kind| error.faults().iter().any(|fault| fault.kind == kind);
    if has(Kind::Bug) {
        70
    } else if error.is_cancelled() {
        130
    } else if error.faults().iter().all(|fault| fault.kind == Kind::Unsolvable) {
        1
    } else {
        2
    }
}
