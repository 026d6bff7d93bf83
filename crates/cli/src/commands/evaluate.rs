//! `throng evaluate POLICY`.

use throng::error::Result;
use throng::evaluate::{Scope, evaluation_text};
use throng::predict::spread::Family;
use throng::report::evaluated_page;
use throng_engine::{Engine, Evaluating, PolicyFile, write_atomically};

use super::json;
use super::release::in_policy;
use super::suggest::title;
use crate::Ended;
use crate::args;
use crate::progress::Line;
use crate::show::{out, sanitized};

pub fn run(args: &args::Evaluate) -> Result<Ended> {
    let (policy, text) = PolicyFile::read(&args.policy)?;
    let line = Line::with_runs("Ctrl-C keeps the results so far");
    let models: Result<Vec<Family>> = args.model.iter().map(|name| name.parse()).collect();
    let scope = Scope {
        target: args.target.clone(),
        by: args.by.clone(),
        k: args.k.clone(),
        methods: args.method.clone(),
        models: models.map_err(|e| e.map(|fault| fault.key("--model")))?,
        holdout: args.holdout,
        repeats: args.repeats,
        seed: args.random.seed,
        seconds: args.seconds,
    };
    let evaluating = Evaluating { policy: &policy, scope, watch: line.watch() };
    evaluating.check_files(args.out.iter().map(|path| path.as_path()), args.overwrite.existing())?;
    let evaluation = Engine::new().evaluate(&evaluating);
    line.clear();
    let evaluation = evaluation.map_err(|e| in_policy(e, &policy, &text))?;
    // What ended the evaluation early does not keep its results from being written.
    evaluating.watch.acknowledge().check()?;
    if let Some(path) = &args.out {
        let page = evaluated_page(&evaluation, title(&policy), env!("CARGO_PKG_VERSION"));
        write_atomically(path, page.as_bytes())?;
    }
    match args.output.json {
        true => out(&json(&evaluation)?)?,
        false => {
            let mut said = evaluation_text(&evaluation);
            if let Some(path) = &args.out {
                said += &format!("\npage        {}\n", path.display());
            }
            out(&sanitized(&said))?;
        }
    }
    Ok(Ended::Holds)
}
