//! How often a release reads its input: three times (to group, to rewrite and to verify), whatever
//! the policy asks for.

use std::fmt::Write as _;
use std::process::Command;

use crate::env::TestEnv;

/// A table of about 6 MB, most of it in a column that is dropped, so that the release is small.
fn table() -> String {
    let mut text = String::from("id,age,illness,weight,note\n");
    for i in 0..40_000u32 {
        let note = "x".repeat(120);
        writeln!(
            text,
            "p{i:05},{},{},{},{note}",
            20 + i * 7 % 60,
            ["flu", "gout", "none"][i as usize % 3],
            i % 9
        )
        .unwrap();
    }
    text
}

const POLICY: &str = "version = 1\ninput.path = \"t.csv\"\noutput.path = \"out.csv\"\n\
    columns.note.role = \"drop\"\ncolumns.weight.role = \"weight\"\n\
    columns.id = { role = \"identifier\", transform = { substitute = { key_env = \"READS_KEY\" } } }\n\
    columns.age = { role = \"quasi\", hierarchy = { intervals = { widths = [10, 20] } } }\n\
    columns.illness.role = \"sensitive\"\nprivacy.k = 5\n";

/// The bytes that a command reads, by the accounts of the kernel: those of a child are added to
/// those of the shell that waited for it.
fn bytes_read(env: &TestEnv, policy: &str) -> u64 {
    let script = "\"$0\" release \"$1\" --json >&2 || exit; \
                  while read -r name bytes; do [ \"$name\" = rchar: ] && echo \"$bytes\"; done </proc/$$/io; true";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_throng"), policy])
        .current_dir(env.path(""))
        .env("READS_KEY", "0123456789abcdef")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

#[test]
fn an_input_is_read_three_times() {
    let env = TestEnv::new();
    let input = table();
    env.write("t.csv", &input);
    env.write("policy.toml", POLICY);
    env.write("regions.toml", format!("{POLICY}search.algorithm = \"mondrian\"\n"));
    env.write(
        "rare.toml",
        format!("{POLICY}privacy.models = [{{ rare_values = {{ k = 5, columns = [\"age\"] }} }}]\n"),
    );
    for policy in ["policy.toml", "regions.toml", "rare.toml"] {
        let read = bytes_read(&env, policy);
        let released = std::fs::metadata(env.path("out.csv")).unwrap().len();
        let (whole, part) = (input.len() as u64, input.len() as u64 / 2);
        let rest = read.saturating_sub(2 * released);
        assert!(rest > 3 * whole - part, "{policy}: {read} bytes are fewer than three reads of {whole}");
        assert!(rest < 3 * whole + part, "{policy}: {read} bytes are more than three reads of {whole}");
    }
}
