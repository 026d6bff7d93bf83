//! Releases that were tampered with are found.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use throng::error::{Kind, Result};
use throng::release::Certificate;
use throng::verify::Verdict;
use throng::watch::Watch;
use throng_engine::{Done, PolicyFile, Source};

use crate::support::{ENGINE, Folder, batch, effort, release, write_parquet};

struct Released {
    folder: Folder,
    policy: PolicyFile,
    done: Done,
}

impl Released {
    fn new(output: &str) -> Self {
        let folder = Folder::new();
        let rows: String =
            (0..60).map(|i| format!("p{i},{},{},s{i}\n", 20 + i % 4, ["f", "m"][i % 2])).collect();
        folder.write("t.csv", "name,age,sex,rest\n".to_owned() + &rows);
        let policy = folder.policy(&format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\npath = \"{output}\"\n[privacy]\nk = 3\n\
             [columns.name]\nrole = \"identifier\"\n[columns.sex]\nrole = \"quasi\"\n\
             [columns.age]\nrole = \"quasi\"\nmin_level = 1\nhierarchy = {{ intervals = {{ widths = [2] }} }}\n\
             [columns.rest]\nrole = \"sensitive\"\n"
        ));
        let done = release(&policy).unwrap();
        Released { folder, policy, done }
    }

    fn output(&self) -> PathBuf {
        self.done.paths.output.clone()
    }

    fn judge(&self, certificate: &Certificate, original: bool) -> Result<Verdict> {
        let source = Source::open(&self.policy.policy.input, self.policy.folder()).unwrap();
        ENGINE.verify(&self.policy, &self.output(), certificate, original.then_some(&source), &Watch::none())
    }

    /// The claims that do not hold, of a file that can still be read.
    fn broken(&self, original: bool) -> Vec<String> {
        let verdict = self.judge(&self.done.certificate, original).unwrap();
        verdict.claims.into_iter().filter(|(_, f)| !f.holds).map(|(claim, _)| claim).collect()
    }

    /// Puts another digest and number of rows into the certificate and seals it again, as a forger
    /// would.
    fn forged(&self) -> Certificate {
        let mut release = self.done.certificate.release.clone();
        release.output.sha256 = throng_engine::digest_file(&self.output(), &Watch::none()).unwrap();
        Certificate::new(release, self.done.certificate.columns.clone(), self.done.certificate.classes)
            .unwrap()
    }

    fn edit(&self, change: impl Fn(String) -> String) {
        let text = fs::read_to_string(self.output()).unwrap();
        let changed = change(text.clone());
        assert_ne!(changed, text);
        fs::write(self.output(), changed).unwrap();
    }
}

#[test]
fn an_untouched_release_holds() {
    for output in ["r.csv", "r.parquet", "r.json", "r.arrow"] {
        let released = Released::new(output);
        assert_eq!(released.broken(false), Vec::<String>::new(), "{output}");
        assert_eq!(released.broken(true), Vec::<String>::new(), "{output}");
        let verdict = released.judge(&released.done.certificate, false).unwrap();
        assert!(verdict.unchecked().any(|claim| claim == "truth"));
        let verdict = released.judge(&released.done.certificate, true).unwrap();
        assert_eq!(verdict.unchecked().count(), 0);
        assert_eq!(verdict, released.done.verdict);
    }
}

/// Wherever a byte is flipped, the digest differs or the file cannot be read; it never panics.
#[test]
fn a_flipped_byte_is_found() {
    for output in ["r.csv", "r.parquet", "r.json", "r.arrow"] {
        let released = Released::new(output);
        let whole = fs::read(released.output()).unwrap();
        let step = (whole.len() / effort(40) as usize).max(1);
        for (turn, at) in
            (0..whole.len()).step_by(step).chain(whole.len().saturating_sub(12)..whole.len()).enumerate()
        {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (turn % 8);
            fs::write(released.output(), &bytes).unwrap();
            match released.judge(&released.done.certificate, true) {
                Ok(verdict) => {
                    assert!(!verdict.holds(), "{output}: byte {at}");
                    assert!(!verdict.claims["output"].holds, "{output}: byte {at}");
                }
                Err(error) => assert_ne!(error.faults()[0].kind, Kind::Bug, "{output}: byte {at}: {error}"),
            }
        }
    }
}

#[test]
fn a_removed_line_is_found() {
    let released = Released::new("r.csv");
    released.edit(|text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.remove(5);
        lines.join("\n") + "\n"
    });
    assert!(released.broken(false).contains(&"output".to_owned()));
    assert!(released.broken(true).contains(&"truth".to_owned()));
    // Even with a new digest, the number of rows and the truth show it.
    let verdict = released.judge(&released.forged(), true).unwrap();
    assert!(!verdict.claims["output"].holds && !verdict.claims["truth"].holds);
}

#[test]
fn a_changed_cell_is_found() {
    for (from, to, claim) in [
        (",s7\n", ",s8\n", "truth"),
        ("\"[20, 22)\",f,s0\n", "\"[22, 24)\",f,s0\n", "truth"),
        ("\"[20, 22)\",f,s0\n", "20,f,s0\n", "k-anonymity"),
    ] {
        let released = Released::new("r.csv");
        released.edit(|text| text.replace(from, to));
        assert!(released.broken(false).contains(&"output".to_owned()), "{to}");
        let verdict = released.judge(&released.forged(), true).unwrap();
        assert!(!verdict.claims[claim].holds, "{to}: {verdict:?}");
        assert!(verdict.claims["output"].holds, "{to}");
    }
}

#[test]
fn an_appended_column_is_found() {
    let released = Released::new("r.csv");
    released.edit(|text| {
        let mut lines = text.lines();
        let header = lines.next().unwrap().to_owned() + ",name\n";
        header + &lines.enumerate().map(|(i, line)| format!("{line},p{i}\n")).collect::<String>()
    });
    let broken = released.broken(false);
    assert!(broken.contains(&"columns".to_owned()) && broken.contains(&"output".to_owned()), "{broken:?}");
    let verdict = released.judge(&released.forged(), false).unwrap();
    assert!(!verdict.claims["columns"].holds);
    assert!(verdict.claims["columns"].found.contains("`name` has role \"identifier\""), "{verdict:?}");
}

#[test]
fn columns_that_change_places_are_found() {
    let released = Released::new("r.csv");
    released.edit(|text| text.replacen("age,sex", "sex,age", 1));
    assert!(released.broken(false).contains(&"columns".to_owned()));
}

#[test]
fn another_writer_is_found() {
    let released = Released::new("r.parquet");
    let table = crate::support::read(&released.output());
    let column =
        |i: usize| Arc::new(table.1.iter().map(|row| row[i].clone()).collect::<StringArray>()) as ArrayRef;
    let columns = table.0.iter().enumerate().map(|(i, name)| (name.as_str(), column(i))).collect();
    write_parquet(&released.output(), &[batch(columns)]);
    let verdict = released.judge(&released.forged(), true).unwrap();
    assert!(!verdict.claims["shape"].holds, "{verdict:?}");
    assert!(verdict.claims["truth"].holds && verdict.claims["output"].holds, "{verdict:?}");
}

#[test]
fn another_policy_or_original_is_found() {
    let mut released = Released::new("r.csv");
    let policy = fs::read_to_string(&released.policy.path).unwrap();
    released.policy = released.folder.policy(&policy.replace("k = 3", "k = 2"));
    assert!(released.broken(false).contains(&"policy".to_owned()));
    let released = Released::new("r.csv");
    let original = fs::read_to_string(released.folder.path("t.csv")).unwrap();
    released.folder.write("t.csv", original.replace("p3,", "p4,"));
    let broken = released.broken(true);
    assert_eq!(broken, ["input"], "the changed column is not released");
}

#[test]
fn a_certificate_that_was_changed_is_found() {
    let released = Released::new("r.csv");
    let mut certificate = released.done.certificate.clone();
    certificate.release.privacy.get_mut("k-anonymity").unwrap().achieved = Some(1000.0);
    let verdict = released.judge(&certificate, false).unwrap();
    assert!(!verdict.claims["certificate"].holds && !verdict.claims["k-anonymity"].holds);
}

#[test]
fn a_release_that_is_not_there() {
    let released = Released::new("r.csv");
    fs::remove_file(released.output()).unwrap();
    let error = released.judge(&released.done.certificate, true).unwrap_err();
    assert_eq!(error.faults()[0].kind, Kind::System);
    assert!(error.to_string().contains("r.csv"), "{error}");
}
