//! A fresh folder to run the program in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A fresh folder; it goes when the test ends.
pub struct TestEnv {
    folder: tempfile::TempDir,
}

/// The output of a run of the program.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    line: String,
}

impl TestEnv {
    pub fn new() -> Self {
        TestEnv { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let env = TestEnv::new();
        files.iter().for_each(|(name, text)| env.write(name, text));
        env
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    /// Runs `throng` with arguments that are separated by spaces; none of them may contain one.
    pub fn run(&self, line: &str) -> Run {
        self.run_args(&line.split_whitespace().collect::<Vec<_>>(), &[])
    }

    /// Runs `throng` with these arguments and variables.
    pub fn run_args(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(args).envs(variables.iter().copied());
        self.finish(command, &args.join(" "))
    }

    /// Runs `throng` with these bytes as standard input and its temporary files in the folder
    /// `tmp`.
    pub fn run_piped(&self, line: &str, input: &[u8]) -> Run {
        std::fs::create_dir_all(self.path("tmp")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(line.split_whitespace()).env("TMPDIR", self.path("tmp")).current_dir(&self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        Run {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
            line: line.to_owned(),
        }
    }

    /// Runs `throng` with a file size limit in blocks of 512 or 1024 bytes, as on a full disk.
    pub fn run_on_full_disk(&self, blocks: u32, line: &str) -> Run {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_throng")]).args(line.split_whitespace());
        self.finish(command, line)
    }

    fn finish(&self, mut command: Command, line: &str) -> Run {
        let Output { status, stdout, stderr } = command.current_dir(&self.folder).output().unwrap();
        Run {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
            line: line.to_owned(),
        }
    }

    /// Every file and folder below, hidden ones too, with its bytes.
    pub fn listing(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        list(self.folder.path(), &mut found);
        found
    }

    /// The names of the files in the folder itself.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn list(folder: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, found);
            found.insert(path, None);
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.insert(path, Some(bytes));
        }
    }
}

impl Run {
    /// All output.
    pub fn said(&self) -> String {
        format!("throng {}\nexit code {}\n{}\n{}", self.line, self.code, self.stdout, self.stderr)
    }

    /// It succeeded and wrote nothing to standard error.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.code == 0 && self.stderr.is_empty(), "{}", self.said());
        self
    }

    #[track_caller]
    pub fn fails(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.said());
        self
    }

    /// Its standard output, which is one JSON value and nothing else.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}", self.said()))
    }

    /// Standard error with every run of white space as one space, so that it does not matter where
    /// lines break.
    pub fn message(&self) -> String {
        self.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    pub fn says(&self, words: &[&str]) -> &Self {
        let message = self.message();
        for word in words {
            assert!(message.contains(word), "`{word}` is not in the message\n{}", self.said());
        }
        self
    }
}
