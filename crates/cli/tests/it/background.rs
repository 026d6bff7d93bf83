//! The program in the background: what it says line by line, and signals to it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::env::TestEnv;

/// Only a program that hangs is waited for so long.
const HANGS: Duration = Duration::from_secs(300);

/// A running program that reports its progress in plain lines.
pub struct Background {
    child: Child,
    lines: Receiver<String>,
    said: String,
    out: JoinHandle<Vec<u8>>,
}

impl TestEnv {
    /// Starts `throng` with these arguments.
    pub fn start(&self, args: &[&str]) -> Background {
        let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
        command.args(args).current_dir(self.path("")).env("THRONG_PROGRESS", "plain");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            BufReader::new(stderr).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let out = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut stdout = stdout;
            stdout.read_to_end(&mut bytes).unwrap();
            bytes
        });
        Background { child, lines, said: String::new(), out }
    }
}

impl Background {
    /// Waits for a line with this text on standard error.
    pub fn says(&mut self, text: &str) {
        loop {
            let line = self.lines.recv_timeout(HANGS);
            let line = line.unwrap_or_else(|_| panic!("never said {text:?}:\n{}", self.said));
            self.said += &(line.clone() + "\n");
            if line.contains(text) {
                return;
            }
        }
    }

    /// Waits until something is so.
    pub fn until(&self, is_so: impl Fn() -> bool) {
        let started = std::time::Instant::now();
        while !is_so() {
            assert!(started.elapsed() < HANGS, "waited in vain");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends a signal, for instance `INT`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Waits for the end: exit code, standard output and standard error.
    pub fn ended(mut self) -> (i32, String, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        self.said.extend(self.lines.iter().map(|line| line + "\n"));
        (code, String::from_utf8(self.out.join().unwrap()).unwrap(), self.said)
    }
}
