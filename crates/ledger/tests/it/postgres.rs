//! The same ledger in PostgreSQL: a private server on this machine, without a port.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use throng_ledger::{Ledger, OnConflict, Place, Secret};
use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::support::{AT, facts, offer, secret};

/// A server whose folder and process go when it is dropped.
struct Server {
    folder: tempfile::TempDir,
    binaries: PathBuf,
    user: Option<String>,
}

/// The newest installed version.
fn binaries() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let found = versions.flatten().map(|version| version.path().join("bin"));
    found.filter(|folder| folder.join("initdb").is_file()).max()
}

impl Server {
    /// None where PostgreSQL is not installed.
    fn start() -> Option<Self> {
        let binaries = binaries()?;
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").unwrap();
        // The server refuses to run as root.
        let root = std::fs::metadata("/proc/self").is_ok_and(|found| {
            use std::os::unix::fs::MetadataExt;
            found.uid() == 0
        });
        let user = root.then(|| "postgres".to_owned());
        if let Some(user) = &user {
            let owned = Command::new("chown").arg(user).arg(folder.path()).status();
            if !owned.is_ok_and(|status| status.success()) {
                return None;
            }
        }
        let server = Server { folder, binaries, user };
        server.run("initdb", &["-D", "data", "-U", "throng", "-A", "trust", "--no-sync"]);
        let options = format!("-c listen_addresses= -k {}", server.folder.path().display());
        server.run("pg_ctl", &["-D", "data", "-w", "-t", "30", "-l", "log", "-o", &options, "start"]);
        Some(server)
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.binaries.join(program);
        let mut command = match &self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", user, "--regid", user, "--clear-groups", "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(arguments).current_dir(self.folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().unwrap().success(), "{arguments:?}");
    }

    fn url(&self) -> String {
        let host = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgresql://throng@{host}/postgres")
    }

    fn open(&self, project: &str) -> Result<Ledger> {
        Ledger::open(Place::Url(&self.url()), project, secret(), true)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run("pg_ctl", &["-D", "data", "-m", "immediate", "-w", "-t", "30", "stop"]);
    }
}

#[test]
fn a_database_keeps_a_ledger_as_a_file_does() {
    let Some(server) = Server::start() else {
        assert!(!Path::new("/usr/lib/postgresql").exists(), "PostgreSQL is installed and does not start");
        return;
    };
    let missing = Ledger::open(Place::Url(&server.url()), "a", secret(), false).err().unwrap();
    assert_eq!(missing.faults()[0].code, "ledger.not-found");
    let mut ledger = server.open("a").unwrap();
    let watch = Watch::none();
    let rows: Vec<(u128, u64, u64)> = (0..70_000).map(|s| (s, (s / 100) as u64, (s % 7) as u64)).collect();
    let first = offer("a", 5, &rows);
    ledger.judge(&first, OnConflict::Refuse, &watch).unwrap();
    ledger.append_release(&first, facts("1"), AT.into(), &watch).unwrap();
    let other: Vec<(u128, u64, u64)> = rows.iter().map(|&(s, _, v)| (s, (s % 700) as u64, v)).collect();
    let refused = ledger.judge(&offer("a", 5, &other), OnConflict::Refuse, &watch).unwrap_err();
    assert_eq!(refused.faults()[0].code, "ledger.too-few-candidates");
    writers(&server);
    let ledger = server.open("a").unwrap();
    assert_eq!(ledger.releases().count(), 13);
    assert!(ledger.check(&watch).unwrap().holds);
    assert!(server.open("b").unwrap().entries().is_empty());
    edits(&server);
}

/// Several processes write; here several connections do.
fn writers(server: &Server) {
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for number in 0..3 {
                    let mut ledger = server.open("a").unwrap();
                    let release = offer("c", 2, &[(1, 1, 1), (2, 1, 2)]);
                    let seal = format!("{writer} {number}");
                    ledger.append_release(&release, facts(&seal), AT.into(), &Watch::none()).unwrap();
                }
            });
        }
    });
}

/// What somebody changes by hand, and other keys, are found.
fn edits(server: &Server) {
    let other = Secret::new(b"another secret than that").unwrap();
    let refused = Ledger::open(Place::Url(&server.url()), "a", other, true).err().unwrap();
    assert_eq!(refused.faults()[0].code, "ledger.other-key");
    let mut client = postgres::Client::connect(&server.url(), postgres::NoTls).unwrap();
    client.batch_execute("DELETE FROM throng_entry WHERE number = 13").unwrap();
    let refused = server.open("a").err().unwrap();
    assert_eq!(refused.faults()[0].code, "ledger.broken-chain");
    let password = server.url().replace("throng@", "throng:secret@");
    let refused = Ledger::open(Place::Url(&password), "a", secret(), true).err().unwrap();
    assert_eq!(refused.faults()[0].code, "ledger.password-in-url");
    assert!(!refused.to_string().contains("secret"));
    let nobody = "postgresql://throng@%2Ftmp%2Fthere-is-no-server-here/postgres";
    let refused = Ledger::open(Place::Url(nobody), "a", secret(), true).err().unwrap();
    assert_eq!(refused.faults()[0].code, "ledger.unreachable");
}
