//! The same input and seed give the same bytes, whatever the machine.

use crate::env::TestEnv;
use crate::naive::Table;
use crate::people::{QUASI, people, policy};

#[test]
fn a_seed_gives_one_order_and_another_seed_another() {
    let env = TestEnv::with(&[("people.csv", &people(700, 51).write(',')), ("p.toml", &policy(&[]))]);
    let bytes = |seed: &str| {
        let run = env.run(&format!("release p.toml --out {seed}.csv --seed {seed} --json")).ok();
        assert_eq!(run.json()["seed"].to_string(), seed);
        env.run(&format!("verify {seed}.csv --policy p.toml --original people.csv")).ok();
        env.bytes(&format!("{seed}.csv"))
    };
    let (one, again, two) = (bytes("1"), bytes("1"), bytes("2"));
    assert_eq!(one, again);
    assert_ne!(one, two);
    let (one, two) = (Table::read(&one, ','), Table::read(&two, ','));
    one.is_anonymous(&QUASI, 5);
    assert_eq!(one.sorted(), two.sorted(), "the same rows in another order");
    // The policy's own seed is the one that counts when no other is given.
    env.write("seeded.toml", policy(&[("suppression = 0.05\n", "suppression = 0.05\n[search]\nseed = 2\n")]));
    env.run("release seeded.toml --out seeded.csv").ok();
    assert_eq!(env.bytes("seeded.csv"), env.bytes("2.csv"));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for format in ["csv", "parquet", "json", "arrow"] {
        let env = TestEnv::with(&[("people.csv", &people(900, 52).write(',')), ("p.toml", &policy(&[]))]);
        let mut all = Vec::new();
        for threads in ["1", "2", "3", "8"] {
            let out = format!("r{threads}.{format}");
            let variables = [("RAYON_NUM_THREADS", threads)];
            let mut release =
                env.run_args(&["release", "p.toml", "--out", &out, "--json"], &variables).ok().json();
            release["search"]["seconds"] = 0.into();
            release["output"]["path"] = "".into();
            all.push((env.bytes(&out), release));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{format}");
    }
}

#[test]
fn a_release_can_be_made_again_over_itself() {
    let env = TestEnv::with(&[("people.csv", &people(300, 53).write(',')), ("p.toml", &policy(&[]))]);
    env.run("release p.toml").ok();
    let (names, bytes) = (env.names(), env.bytes("out.csv"));
    env.run("release p.toml").ok();
    assert_eq!((env.names(), env.bytes("out.csv")), (names, bytes));
    env.run("verify out.csv --policy p.toml --original people.csv").ok();
}

#[test]
fn many_rows_keep_their_seed() {
    // More rows than are shuffled at once.
    let mut text = String::from("sex,x\n");
    for i in 0..300_000 {
        text += if i % 3 == 0 { "F," } else { "M," };
        text += &format!("{i}\n");
    }
    let policy = "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"out.csv\"\n\
                  [columns.sex]\nrole = \"quasi\"\n[columns.x]\nrole = \"keep\"\n[privacy]\nk = 5\n";
    let env = TestEnv::with(&[("t.csv", &text), ("p.toml", policy)]);
    let before = env.names().len();
    for (out, threads) in [("a.csv", "1"), ("b.csv", "4")] {
        env.run_args(&["release", "p.toml", "--out", out], &[("RAYON_NUM_THREADS", threads)]).ok();
    }
    assert_eq!(env.bytes("a.csv"), env.bytes("b.csv"));
    assert_eq!(env.names().len(), before + 6, "no spilled rows are left: {:?}", env.names());
    let released = Table::read(&env.bytes("a.csv"), ',');
    assert_eq!(released.rows.len(), 300_000);
    assert_ne!(released.rows[..5], Table::read(text.as_bytes(), ',').rows[..5]);
    assert_eq!(released.sorted(), Table::read(text.as_bytes(), ',').sorted());
}
