//! Replays the seeds, and a few thousand mutations of them, without a fuzzer.

use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use throng_fuzz::mutate::{Chance, mutated};
use throng_fuzz::{TARGETS, Target};

/// Mutations per target.
const MUTATIONS: u64 = 10_000;

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{name} has no seeds");
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Runs a target, and shows what it was given when it panics.
fn run(target: Target, data: &[u8]) {
    if catch_unwind(|| target(data)).is_err() {
        panic!("with {:?}", String::from_utf8_lossy(data));
    }
}

fn replay(name: &str) {
    let (_, target) = TARGETS.into_iter().find(|(known, _)| *known == name).unwrap();
    let seeds = seeds(name);
    seeds.iter().for_each(|seed| run(target, seed));
    for seed in 0..MUTATIONS {
        run(target, &mutated(&seeds, &mut Chance::new(seed)));
    }
}

#[test]
fn policies() {
    replay("policy");
}

#[test]
fn hierarchies() {
    replay("hierarchy");
}

#[test]
fn hierarchy_specs() {
    replay("hierarchy_spec");
}

#[test]
fn certificates() {
    replay("certificate");
}

#[test]
fn configurations() {
    replay("xml");
}

#[test]
fn texts() {
    replay("text");
}

#[test]
fn texts_of_rows() {
    replay("text_row");
}

#[test]
fn pages() {
    replay("html");
}

#[test]
fn rich_texts() {
    replay("rtf");
}

#[test]
fn messages() {
    replay("hl7");
}

#[test]
fn resources() {
    replay("fhir");
}
