//! `throng policy check|bundle POLICY`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use throng::error::{Error, Fault, Kind, Result};
use throng::policy::{Policy, PolicyBundle};
use throng_engine::{OverwriteGuard, PolicyFile, write_atomically};

use super::json;
use crate::Ended;
use crate::args::{self, PolicyCommand};
use crate::show::{self, out, sanitized};

pub fn run(args: &args::Policy) -> Result<Ended> {
    match &args.command {
        PolicyCommand::Check { policy, output } => check(policy, output.json),
        PolicyCommand::Bundle { policy, out: file, overwrite, output } => {
            let (policy, text) = PolicyFile::read(policy)?;
            let guard = OverwriteGuard::of_policy(&policy).release_of(&policy);
            guard.check([&**file], overwrite.existing())?;
            let bundle = bundled(&policy, &text)?;
            write_atomically(file, bundle.to_json()?.as_bytes())?;
            let written = Written::new(file, &bundle)?;
            out(&if output.json { json(&written)? } else { sanitized(&written.text()) })?;
            Ok(Ended::Holds)
        }
    }
}

/// What there is to say of a policy.
#[derive(Serialize)]
struct Verdict<'a> {
    ok: bool,
    faults: &'a [Fault],
}

fn check(path: &Path, as_json: bool) -> Result<Ended> {
    let faults = match PolicyFile::read(path) {
        // What keeps a file from being read is not a mistake in the policy.
        Err(error) if !error.is_all(Kind::Input) => return Err(error),
        Err(error) => Some(error),
        Ok((policy, text)) => bundled(&policy, &text).err().or_else(|| policy.template().err()),
    };
    match &faults {
        _ if as_json => {
            let found = faults.as_ref().map_or(&[][..], Error::faults);
            out(&json(&Verdict { ok: found.is_empty(), faults: found })?)?;
        }
        None => out("ok\n")?,
        Some(error) => show::error(error),
    }
    Ok(if faults.is_none() { Ended::Holds } else { Ended::DoesNotHold })
}

/// The policy with the files that it names.
fn bundled(policy: &PolicyFile, text: &str) -> Result<PolicyBundle> {
    match &policy.bundle {
        Some(bundle) => Ok((**bundle).clone()),
        None => PolicyBundle::new(text, &|path| policy.load(path)),
    }
}

/// A bundle that was written, for machines.
#[derive(Serialize)]
struct Written {
    bundle: String,
    sha256: String,
    policy: Digest,
    /// Path as the policy writes it → SHA-256.
    files: BTreeMap<String, String>,
    /// The table, relative to the folder of the bundle.
    input: String,
}

#[derive(Serialize)]
struct Digest {
    sha256: String,
}

impl Written {
    fn new(file: &Path, bundle: &PolicyBundle) -> Result<Self> {
        let digest = |(path, text): (&String, &String)| (path.clone(), Policy::digest(text));
        Ok(Written {
            bundle: file.display().to_string(),
            sha256: bundle.digest()?,
            policy: Digest { sha256: Policy::digest(bundle.text()) },
            files: bundle.files().iter().map(digest).collect(),
            input: bundle.policy().input.path.clone(),
        })
    }

    fn text(&self) -> String {
        let files: Vec<&str> = self.files.keys().map(String::as_str).collect();
        let files = if files.is_empty() { "none".to_owned() } else { files.join(", ") };
        format!(
            "bundle      {}\nfiles       {files}\ntable       {}, relative to the folder of the bundle\n",
            self.bundle, self.input
        )
    }
}
