//! `throng key new|rotate|revoke`.

use serde_json::json as value;
use throng::error::Result;
use throng_engine::{new_key, read_private_key, read_public_key, revoke_key, rotate_key};

use super::json;
use super::ledger::open;
use crate::Ended;
use crate::args::{self, KeyCommand};
use crate::show::{out, sanitized};

pub fn run(args: &args::Key) -> Result<Ended> {
    let (result, text) = match &args.command {
        KeyCommand::New { name, .. } => {
            let (public, key) = new_key(name)?;
            let [private, public] = [name.as_path(), &public].map(|path| path.display().to_string());
            let text = format!(
                "private     {private}: keep it to yourself\npublic      {public}: give it to recipients\nkey         {key}\n"
            );
            (value!({ "private": private, "public": public, "key": key }), text)
        }
        KeyCommand::Rotate { policy, from, to, .. } => {
            let (old, new) = (read_private_key(from)?, read_public_key(to)?);
            let (_, mut ledger) = open(policy)?;
            let entry = rotate_key(&mut ledger, &old, &new)?;
            let (old, new) = (old.public().to_string(), new.to_string());
            let text = format!("entry {entry}     {} is followed by {}\n", &old[..16], &new[..16]);
            (value!({ "entry": entry, "old": old, "new": new }), text)
        }
        KeyCommand::Revoke { policy, key, reason, .. } => {
            let key = read_public_key(key)?;
            let (_, mut ledger) = open(policy)?;
            let entry = revoke_key(&mut ledger, &key, reason)?;
            let text = format!("entry {entry}     {} is revoked\n", &key.to_string()[..16]);
            (value!({ "entry": entry, "key": key.to_string() }), text)
        }
    };
    out(&if args.command.output().json { json(&result)? } else { sanitized_lines(&text) })?;
    Ok(Ended::Holds)
}

fn sanitized_lines(text: &str) -> String {
    text.lines().map(|line| sanitized(line) + "\n").collect()
}
