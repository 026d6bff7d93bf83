//! Runs one search on one table and prints its time, its nodes, and the best loss after 1, 2, 5, …
//! seconds.
//!
//!     cargo run --release -p throng --example search -- TABLE ALGORITHM LOSS SUPPRESSION [SECONDS [MODELS]]
//!
//! TABLE is `wide` (30,000 rows, 24 columns, 5 · 10¹³ nodes), `nine` (1.2 million rows, 9 columns,
//! 25,920 nodes), `few` (a million rows, 9 columns, 243,000 nodes), `diagnosed` (`nine` with a
//! sensitive column `c9`) or `adult` (with THRONG_DATA); another number of rows is written
//! `wide:5000`. LOSS is a name, where `lm` is the geometric one that counts suppressed rows. The
//! search is stopped after SECONDS. MODELS are
//! entries of `privacy.models`, such as
//! `{ l_diversity = { column = "c9", kind = "entropy", l = 4 } }`.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

#[path = "../benches/tables.rs"]
mod tables;

use std::sync::Mutex;
use std::time::Instant;

use throng::search::{Outcome, Problem, solve, strategy};
use throng::watch::{Event, Watch};

fn problem(table: &str, suppression: f64, loss: &str, models: &str) -> Problem {
    let (name, rows) = table.split_once(':').unwrap_or((table, ""));
    let rows = |default: usize| rows.parse().unwrap_or(default);
    let table = match name {
        "wide" => tables::wide(rows(30_000)),
        "nine" => tables::nine(rows(1_200_000)),
        "few" => tables::few(rows(1_000_000)),
        "diagnosed" => tables::diagnosed(rows(1_200_000)),
        "adult" => tables::adult().expect("THRONG_DATA names the folder of adult/"),
        other => panic!("no table {other}: wide, nine, few, diagnosed or adult"),
    };
    let quoted = format!("{loss:?}");
    table.problem(suppression, if loss == "lm" { tables::LM } else { &quoted }, models)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |i: usize, default: &str| arguments.get(i).cloned().unwrap_or(default.into());
    let number = |i: usize, default: &str| argument(i, default).parse::<f64>().expect("a number");
    let strategy = strategy(argument(1, "auto").parse().expect("an algorithm")).expect("an algorithm");
    let seconds = number(4, "1e9");
    let problem = problem(&argument(0, "wide"), number(3, "1"), &argument(2, "lm"), &argument(5, ""));
    let started = Instant::now();
    let elapsed = move || started.elapsed().as_secs_f64();
    let told = Mutex::new([1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0].into_iter().peekable());
    let watch = Watch::none().limited(move || elapsed() > seconds).listening(move |event| {
        let (Ok(mut told), Event::Searching(p)) = (told.lock(), event) else { return };
        while told.next_if(|&at| elapsed() >= at).is_some() {
            println!("{:8.3} s  {:9} checked  loss {:?}  bound {:?}", elapsed(), p.checked, p.best, p.bound);
        }
    });
    let (outcome, account) = solve(&problem, strategy, &watch).expect("a problem that it can solve");
    println!("{:8.3} s  {:9} checked  {} compared", elapsed(), account.checked, account.compared);
    match outcome {
        Outcome::Found { best, gap } => println!(
            "loss {}  gap {gap}  suppressed {}  levels {:?}",
            best.loss,
            best.suppressed,
            best.node.levels()
        ),
        other => println!("{other:?}"),
    }
}
