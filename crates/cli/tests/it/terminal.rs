//! Progress on a terminal, seen through a pseudo-terminal: one line that is drawn again in place
//! and removed at the end, and Ctrl-C as a key, which the terminal turns into a signal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

use crate::env::TestEnv;
use crate::stop::wide;

/// Only a program that hangs is waited for so long.
const HANGS: Duration = Duration::from_secs(300);

/// A program whose standard error and input are a terminal of 100 columns.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Starts `throng` as the foreground program of a terminal. `setsid` of util-linux makes it the
    /// controlling one, so that Ctrl-C becomes a signal.
    fn start(env: &TestEnv, args: &[&str]) -> Terminal {
        let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let input = Stdio::from(pty.slave.try_clone().unwrap());
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_throng")]).args(args);
        command.current_dir(env.path("")).env("TERM", "xterm-256color").env_remove("THRONG_PROGRESS");
        command.process_group(0);
        let child =
            command.stdin(input).stdout(Stdio::null()).stderr(Stdio::from(pty.slave)).spawn().unwrap();
        // The terminal hangs up when the last program that has it open ends.
        drop(command);
        let keyboard = File::from(pty.master);
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut reader, seen) = (keyboard.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                seen.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        Terminal { child, keyboard, screen }
    }

    fn seen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until the screen has shown a text.
    fn shows(&self, text: &str) {
        let started = Instant::now();
        while !self.seen().contains(text) {
            assert!(started.elapsed() < HANGS, "never showed {text:?}: {:?}", self.seen());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end: exit code, and everything that was shown.
    fn ended(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        // What was written last is still on its way through the terminal.
        std::thread::sleep(Duration::from_millis(200));
        (code, self.seen())
    }
}

/// The screen's last line after all that was written: `\r` and erasing start it anew.
fn last_line(shown: &str) -> String {
    let line = shown.rsplit('\n').next().unwrap_or_default();
    let line = line.rsplit("\u{1b}[2K").next().unwrap_or_default();
    line.rsplit('\r').next().unwrap_or_default().to_owned()
}

#[test]
fn progress_is_one_line_that_is_removed() {
    let env = wide(3_000);
    let terminal = Terminal::start(&env, &["release", "wide.toml", "--out", "t.csv", "--seconds", "2"]);
    terminal.shows("best loss");
    let (code, shown) = terminal.ended();
    assert_eq!(code, 0, "{shown:?}");
    assert!(shown.contains('\r') || shown.contains("\u{1b}["), "drawn again in place: {shown:?}");
    let drawn = shown.matches("best loss").count();
    let ended = shown.matches('\n').count();
    assert!(drawn > ended, "{drawn} drawings, {ended} line ends: {shown:?}");
    assert_eq!(last_line(&shown), "", "{shown:?}");
}

#[test]
fn the_key_ctrl_c_releases_the_best_so_far() {
    let env = wide(3_000);
    let mut terminal = Terminal::start(&env, &["release", "wide.toml", "--out", "k.csv"]);
    terminal.shows("best loss");
    terminal.keyboard.write_all(b"\x03").unwrap();
    let (code, shown) = terminal.ended();
    assert_eq!(code, 0, "{shown:?}");
    assert!(shown.contains("stopping with the best result so far"), "{shown:?}");
    env.run("verify k.csv --policy wide.toml --original wide.csv").ok();
}
