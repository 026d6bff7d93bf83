//! `throng demo [DIR]`: made-up patients, a policy, a release, a report.

use throng::error::{Fault, Result};
use throng::synth;
use throng_engine::write_atomically;

use super::json;
use super::release::{release, summary};
use crate::Ended;
use crate::args;
use crate::show::out;

pub fn run(args: &args::Demo) -> Result<Ended> {
    let name = args.folder.display().to_string();
    std::fs::create_dir_all(&args.folder).map_err(|e| {
        Fault::system(format!("cannot be made: {e}")).file(&name).help("give a folder that can be written to")
    })?;
    let table = args.folder.join("patients.csv");
    let policy = args.folder.join("policy.toml");
    write_atomically(&table, synth::patients::csv(args.rows, args.seed).as_bytes())?;
    write_atomically(&policy, synth::DEMO_POLICY.as_bytes())?;
    let made = format!(
        "made up     {} patients in {}\npolicy      {}\n",
        args.rows,
        table.display(),
        policy.display()
    );
    if !args.json {
        out(&made);
    }
    let done = release(&policy, None, None, None)?;
    if args.json {
        out(&json(&done.certificate.release)?);
        return Ok(Ended::Holds);
    }
    out(&summary(&done));
    out(&format!(
        "\nOpen {} in a browser. Then change {} and run:\n  throng release {}\n",
        done.paths.report.display(),
        policy.display(),
        policy.display()
    ));
    Ok(Ended::Holds)
}
