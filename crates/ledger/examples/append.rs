//! Appends releases to a ledger until it is killed, and writes the number of each to standard
//! output once it is accepted: the tests kill it.

use std::io::Write;
use std::path::Path;

use throng_ledger::members::{Members, Record};
use throng_ledger::{Ledger, Offer, OnConflict, Place, ReleaseFacts, Secret};
use throng_terms::error::Result;
use throng_terms::watch::Watch;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_default();
    let recipient = std::env::args().nth(2).unwrap_or_default();
    let secret = Secret::new(b"a secret of the tests")?;
    let mut ledger = Ledger::open(Place::File(Path::new(&path)), "test", secret, true)?;
    let record = |subject: u128| Record { subject, content: 0, class: subject as u64 / 100, values: vec![] };
    let members = Members::new((0..5000).map(record).collect(), 0);
    let watch = Watch::none();
    for number in 0..10_000u32 {
        let offer = Offer {
            recipient: recipient.clone(),
            colludes_with: Vec::new(),
            k: 10,
            sensitive: Vec::new(),
            members: members.clone(),
            withheld: Vec::new(),
        };
        if number == 0 {
            ledger.judge(&offer, OnConflict::Refuse, &watch)?;
        }
        let facts = ReleaseFacts {
            output: "release.csv".into(),
            sha256: String::new(),
            seal: format!("{recipient} {} {number}", std::process::id()),
            policy_sha256: String::new(),
            version: "0".into(),
        };
        let entry = ledger.append_release(&offer, facts, "2026-01-01T00:00:00Z".into(), &watch)?;
        // A pipe that is closed ends the process that was killed anyway.
        if writeln!(std::io::stdout(), "{} {recipient} {} {number}", entry.number, std::process::id())
            .is_err()
        {
            break;
        }
    }
    Ok(())
}
