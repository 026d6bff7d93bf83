//! `throng scrub`: documents in, scrubbed documents out, and nothing else.

use std::collections::BTreeSet;

use crate::env::TestEnv;

const LETTER: &str = "RE: Virginia Townsend\nDOB 05/26/86\n\nDear Dr. Lang:\n\nI saw Virginia on February 2, 1994. She is on Lily \
                      Human Insulin. Call Mrs. Hodgkins at 473-1214.\n\nPatrick Hayes, M.D.\n";

const NAMES: [&str; 5] = ["Virginia", "Townsend", "Hodgkins", "Hayes", "473-1214"];

#[track_caller]
fn is_scrubbed(text: &str) {
    for name in NAMES {
        assert!(!text.contains(name), "{name} is in {text}");
    }
    assert!(text.contains("Insulin"), "{text}");
}

#[test]
fn a_letter_goes_to_standard_output_or_into_a_folder() {
    let env = TestEnv::with(&[("letter.txt", LETTER)]);
    is_scrubbed(&env.run("scrub letter.txt").ok().stdout);
    is_scrubbed(&env.run_piped("scrub -", LETTER.as_bytes()).ok().stdout);
    let tagged = env.run("scrub letter.txt --mode tag").ok().stdout;
    assert!(tagged.contains("[PERSON 1]"), "{tagged}");
    env.run("scrub letter.txt --out clean").ok();
    is_scrubbed(&env.text("clean/letter.txt"));
    env.run("scrub letter.txt --out clean").fails(2).says(&["file.exists", "--force"]);
    env.run("scrub letter.txt --out clean --force").ok();
    assert_eq!(env.names(), ["clean", "letter.txt", "tmp"]);
    assert_eq!(env.text("letter.txt"), LETTER);
}

#[test]
fn folders_keep_their_layout() {
    let env = TestEnv::with(&[
        ("in/a.txt", LETTER),
        ("in/deep/b.md", LETTER),
        ("in/deep/c.html", "<p>Dr. Hayes</p>"),
    ]);
    let run = env.run("scrub in --out out --page review.html").ok();
    assert!(run.stdout.contains("3 documents"), "{}", run.said());
    is_scrubbed(&env.text("out/a.txt"));
    is_scrubbed(&env.text("out/deep/b.md"));
    assert!(!env.text("out/deep/c.html.txt").contains("Hayes"));
    let page = env.text("review.html");
    assert!(page.contains("<mark class=\"person\"") && page.contains("viewport"));
    env.run("scrub in").fails(2).says(&["scrub.no-output", "--out"]);
    env.run("scrub in --out in/out").fails(2).says(&["scrub.output-within-input"]);
    env.run("scrub in/a.txt in/deep/b.md in/a.txt --out twice").fails(2).says(&["scrub.same-output"]);
    assert_eq!(env.names(), ["in", "out", "review.html"]);
}

#[test]
fn findings_are_json_with_their_reasons() {
    let env = TestEnv::with(&[("letter.txt", LETTER), ("b.txt", "Nothing here.")]);
    let found = env.run("scrub letter.txt b.txt --out o --json").ok().json();
    assert_eq!(found["documents"], 2);
    let spans = found["files"][0]["spans"].as_array().unwrap();
    assert!(spans.len() >= 5);
    for span in spans {
        let (start, end) = (span["start"].as_u64().unwrap() as usize, span["end"].as_u64().unwrap() as usize);
        assert!(LETTER.get(start..end).is_some());
        assert!(span["kind"].is_string() && span["detector"].is_string() && span["reasons"].is_array());
        assert!((0.0..=1.0).contains(&span["certainty"].as_f64().unwrap()));
    }
    let kinds: BTreeSet<&str> = spans.iter().map(|span| span["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains("person") && kinds.contains("phone"), "{kinds:?}");
    assert_eq!(found["files"][1]["spans"].as_array().unwrap().len(), 0);
}

#[test]
fn a_key_makes_surrogates_the_same_in_all_documents() {
    let env = TestEnv::with(&[("k", "a key of some twenty bytes\n"), ("s", "short\n")]);
    env.write("in/a.txt", "Seen: Mr. James Ellison.");
    env.write("in/b.txt", "Some other words. Then came Mr. James Ellison.");
    env.run("scrub in --out out --key-file k").ok();
    let name = |file: &str| env.text(file).split("Mr. ").nth(1).unwrap().to_owned();
    assert_eq!(name("out/a.txt"), name("out/b.txt"));
    assert!(!name("out/a.txt").contains("Ellison"));
    env.run("scrub in --out x --key-file s").fails(2).says(&["text.short-key"]);
    env.run("scrub in --out x --key-file none").fails(2).says(&["none", "openssl"]);
    env.write("words", "other\n");
    assert!(!env.run("scrub in/b.txt --list words").ok().stdout.contains("other"));
}

#[test]
fn patterns_and_lists_of_the_user_are_replaced() {
    let env = TestEnv::with(&[("a.txt", "Arm ST-0042 of the study. Code QQ-12."), ("city.txt", "Arm\n")]);
    let tagged = env.run("scrub a.txt --mode tag --pattern study=ST-[0-9]{4}").ok().stdout;
    assert_eq!(tagged, "Arm [STUDY 1] of the study. Code QQ-12.");
    let made = env.run("scrub a.txt --pattern record-number=ST-[0-9]{4} --list city.txt").ok().stdout;
    assert!(!made.contains("ST-0042") && !made.contains("Arm") && !made.contains('*'), "{made}");
    env.run("scrub a.txt --pattern study=ST-[").fails(2).says(&["text.bad-pattern", "`study`"]);
    env.run("scrub a.txt --pattern ST-[0-9]").fails(2).says(&["study=ST-[0-9]{4}"]);
}

#[test]
fn messages_and_resources_are_read() {
    let hl7 = "MSH|^~\\&|LAB|GENERAL|||19940202||ORU^R01|1|P|2.3\rPID|1||32841097||TOWNSEND^VIRGINIA||19860526|F\r\
               OBX|1|TX|NOTE||Virginia was seen, record 32841097. On Insulin.|||||F\r";
    let fhir = r#"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"secret",
        "name":[{"family":"Townsend","given":["Virginia"]}]}},{"resource":{"resourceType":"Observation","status":"final",
        "note":[{"text":"Townsend is on Insulin."}]}}]}"#;
    let env = TestEnv::with(&[
        ("in/a.hl7", hl7),
        ("in/b.json", fhir),
        ("in/c.rtf", "{\\rtf1 Dr. Hayes\\par gave Insulin}"),
    ]);
    env.run("scrub in --out out").ok();
    for file in ["out/a.hl7", "out/b.json", "out/c.rtf.txt"] {
        let text = env.text(file);
        is_scrubbed(&text);
        assert!(
            !text.to_lowercase().contains("townsend")
                && !text.contains("32841097")
                && !text.contains("secret")
        );
    }
}

#[test]
fn a_column_of_a_table_is_written_alone() {
    let env = TestEnv::with(&[("t.csv", "id,note\nS1,\"Mr. James Ellison, seen\"\nS2,fine\nS3,\n")]);
    env.run("scrub t.csv --out out").fails(2).says(&["scrub.table-without-column", "--column"]);
    env.run("scrub t.csv --column nope --out out").fails(2).says(&["scrub.no-such-column", "`nope`"]);
    env.run("scrub t.csv --column note --out out").ok();
    let text = env.text("out/t.csv");
    assert!(text.starts_with("note\n") && !text.contains("Ellison") && !text.contains("S1"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
    let found = env.run("scrub t.csv --column note --json").ok().json();
    assert_eq!(found["files"][0]["file"], "row 1");
}

#[test]
fn bad_input_is_refused_and_nothing_is_written() {
    let env = TestEnv::with(&[("in/good.txt", LETTER)]);
    let cases: [(&str, &[u8], &str); 9] = [
        ("latin.txt", b"caf\xe9 \xff", "scrub.not-utf8"),
        ("nul.txt", b"a\0b", "scrub.nul-byte"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0", "scrub.not-text"),
        ("letter.pdf", b"%PDF-1.7 \n", "scrub.not-text"),
        ("zeros.txt", &[0; 4096], "scrub.not-text"),
        ("a.rtf", b"plain", "scrub.not-rtf"),
        ("a.json", b"{\"a\": 1}", "scrub.not-fhir"),
        ("b.json", b"{", "scrub.not-json"),
        ("a.hl7", b"hello", "scrub.not-hl7"),
    ];
    for (name, bytes, code) in cases {
        env.write(&format!("in/{name}"), bytes);
        env.run("scrub in --out out").fails(2).says(&[code, name]);
        assert_eq!(env.names(), ["in"], "{name}");
        let run = env.run("scrub in --out out --skip-unreadable");
        assert!(
            run.code == 0 && run.stderr.contains("left out") && run.stderr.contains(name),
            "{}",
            run.said()
        );
        assert_eq!(std::fs::read_dir(env.path("out")).unwrap().count(), 1);
        std::fs::remove_dir_all(env.path("out")).unwrap();
        std::fs::remove_file(env.path("in").join(name)).unwrap();
    }
    env.run("scrub none.txt").fails(2).says(&["none.txt"]);
    env.run("scrub in --out none/out").fails(2).says(&["file.no-folder"]);
    assert!(env.run_piped("scrub - --encoding latin-1", b"caf\xe9").ok().stdout.contains("café"));
    let rtl = "\u{5d3}\u{5f4}\u{5e8} \u{5db}\u{5d4}\u{5df} 473-1214";
    assert!(!env.run_piped("scrub -", rtl.as_bytes()).ok().stdout.contains("473-1214"));
}

#[test]
fn a_document_that_is_too_large_is_refused_before_it_is_read() {
    let env = TestEnv::new();
    let file = std::fs::File::create(env.path("line.txt")).unwrap();
    file.set_len(1 << 30).unwrap();
    env.run("scrub line.txt --out out").fails(2).says(&["scrub.too-large", "1074 MB"]);
    assert_eq!(env.names(), ["line.txt"]);
}

/// A quote that nothing closes would swallow a table of any size.
#[test]
fn a_row_that_does_not_end_is_refused_before_all_of_it_is_read() {
    let env =
        TestEnv::with(&[("notes.csv", &format!("name,note\nAnn,ok\nBo,\"{}", "seen ".repeat(1 << 25)))]);
    env.run("scrub notes.csv --column note --out out").fails(2).says(&[
        "table.record-too-long",
        "notes.csv:3",
        "never closed",
    ]);
    assert_eq!(env.names(), ["notes.csv"]);
}

#[cfg(unix)]
#[test]
fn circular_links_are_left_out_and_pipes_are_refused() {
    let env = TestEnv::with(&[("in/a/b.txt", LETTER)]);
    std::os::unix::fs::symlink(env.path("in"), env.path("in/a/again")).unwrap();
    std::os::unix::fs::symlink("loop", env.path("in/loop")).unwrap();
    let run = env.run("scrub in --out out");
    assert!(
        run.code == 0 && run.stderr.contains("in/a/again") && run.stderr.contains("in/loop"),
        "{}",
        run.said()
    );
    is_scrubbed(&env.text("out/a/b.txt"));
    env.run("scrub /dev/null --out out2").fails(2).says(&["scrub.not-a-file"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let env = TestEnv::new();
    for at in 0..40 {
        env.write(&format!("in/{at}.txt"), LETTER.repeat(40));
    }
    let run = env.run_on_full_disk(4, "scrub in --out out").fails(2);
    run.says(&["cannot be written"]);
    assert_eq!(env.names(), ["in"]);
}

#[test]
fn mistakes_quote_no_text() {
    let env = TestEnv::with(&[("a.txt", "SECRET one\n\u{0}SECRET"), ("b.json", "{\"SECRET\": ")]);
    for line in ["scrub a.txt", "scrub b.json", "scrub a.txt --json", "scrub b.json --column SECRETX"] {
        let run = env.run(line);
        assert!(run.code == 2 && !run.stderr.replace("SECRETX", "").contains("SECRET"), "{}", run.said());
    }
}
