//! Measures the check of a release of a million rows beside 20 earlier ones:
//! `cargo run --release -p throng-ledger --example measure [ROWS] [EARLIER]`.

#![allow(clippy::print_stdout, reason = "figures for people")]

use std::time::Instant;

use throng_ledger::chain::SensitiveColumn;
use throng_ledger::members::{Members, Record};
use throng_ledger::{Ledger, Offer, OnConflict, Place, ReleaseFacts, Secret};
use throng_terms::error::{Fault, Result};
use throng_terms::watch::Watch;

fn main() -> Result<()> {
    let number = |at: usize, or: u64| std::env::args().nth(at).and_then(|n| n.parse().ok()).unwrap_or(or);
    let (rows, earlier) = (number(1, 1_000_000), number(2, 20));
    let folder = std::env::temp_dir().join(format!("throng-measure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| Fault::bug(e.to_string()))?;
    let measured = measure(&folder, rows, earlier);
    std::fs::remove_dir_all(&folder).map_err(|e| Fault::bug(e.to_string()))?;
    measured
}

/// People come and go by the hundred; classes of a hundred people stay, and pairs of them alternate.
fn offer(secret: &Secret, rows: u64, release: u64) -> Offer {
    let first = release * 1000;
    let record = |person: u64| Record {
        subject: secret.subject(&person.to_string()),
        content: 0,
        class: if release.is_multiple_of(2) { person / 100 } else { person / 200 },
        values: vec![person % 7],
    };
    Offer {
        recipient: "a".into(),
        colludes_with: Vec::new(),
        k: 10,
        sensitive: vec![SensitiveColumn { column: "diagnosis".into(), values: 2 }],
        members: Members::new((first..first + rows).map(record).collect(), 1),
        withheld: Vec::new(),
    }
}

fn measure(folder: &std::path::Path, rows: u64, earlier: u64) -> Result<()> {
    let watch = Watch::none();
    let secret = Secret::new(b"a secret to measure with")?;
    let path = folder.join("ledger.db");
    let mut ledger = Ledger::open(Place::File(&path), "measure", secret.clone(), true)?;
    for release in 0..earlier {
        let facts = ReleaseFacts {
            output: "release.csv".into(),
            sha256: String::new(),
            seal: release.to_string(),
            policy_sha256: String::new(),
            version: "0".into(),
        };
        let started = Instant::now();
        ledger.append_release(
            &offer(&secret, rows, release),
            facts,
            "2026-01-01T00:00:00Z".into(),
            &watch,
        )?;
        println!("append {release}: {:.1} s", started.elapsed().as_secs_f64());
    }
    let new = offer(&secret, rows, earlier);
    let started = Instant::now();
    let accepted = ledger.judge(&new, OnConflict::Refuse, &watch)?;
    println!(
        "check of {rows} rows beside {earlier} releases: {:.1} s, {:?}",
        started.elapsed().as_secs_f64(),
        accepted.views[0]
    );
    let bytes = std::fs::metadata(&path).map_err(|e| Fault::bug(e.to_string()))?.len();
    println!("ledger: {} MB", bytes / 1_000_000);
    Ok(())
}
