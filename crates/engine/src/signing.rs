//! Keys in files: signs certificates, and checks who signed one.
//!
//! A private key that others can read is refused. Whether a signature has expired is judged by the
//! clock of who checks it; whether its key was revoked, or follows the trusted one, by the ledger of
//! the policy where it is at hand.

use std::io::Write;
use std::path::Path;

use throng::error::{Error, Result};
use throng::fault;
use throng::release::{Certificate, Signature};
use throng::verify::Finding;
use throng_ledger::Ledger;
use throng_ledger::chain::Body;
use throng_ledger::signing::{KeyHistory, PrivateKey, PublicKey};

use crate::error::{unreadable, unwritable};
use crate::ledger::now;
use crate::policy_file::PolicyFile;
use crate::sink::write_atomically;

/// How signatures are made.
const ALGORITHM: &str = "ed25519";

/// Makes a key pair: the private key in a file that only its owner may read, the public one beside
/// it with the ending `.pub`. Returns the path and the text of the public key.
///
/// # Errors
/// Files that exist, or cannot be written.
pub fn new_key(path: &Path) -> Result<(std::path::PathBuf, String)> {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    let beside = std::path::PathBuf::from(name);
    for file in [path, &beside] {
        if file.symlink_metadata().is_ok() {
            return Err(exists(file));
        }
    }
    let key = PrivateKey::generate()?;
    let public = key.public();
    write_private(path, &key.text())?;
    if let Err(e) = write_atomically(&beside, public.text().as_bytes()) {
        drop(std::fs::remove_file(path));
        return Err(e);
    }
    Ok((beside, public.to_string()))
}

fn exists(file: &Path) -> Error {
    fault!(System, "key.exists", "is there already, and a key is never overwritten")
        .file(file.display().to_string())
        .help("give another name; who signed with the old key keeps it")
        .into()
}

/// Writes a file that only its owner may read, and that was not there.
fn write_private(path: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let name = path.display().to_string();
    let mut file = options.open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => exists(path),
        _ => unwritable(&name, &e),
    })?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|e| {
        drop(std::fs::remove_file(path));
        unwritable(&name, &e)
    })
}

/// Reads a private key.
///
/// # Errors
/// A file that is not one, or that others can read.
pub fn read_private_key(path: &Path) -> Result<PrivateKey> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| {
        let help = format!("name the file with the private key, or make one: throng key new {name}");
        unreadable(&name, &e).map(|fault| fault.help(&help))
    })?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_err(|e| unreadable(&name, &e))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(fault!(System, "key.readable-by-others", "others can read the private key")
                .file(&name)
                .help(format!(
                    "chmod 600 {name}; if somebody may have read it, revoke it and make another one"
                ))
                .into());
        }
    }
    PrivateKey::parse(&text).map_err(|e| e.map(|fault| fault.file(&name)))
}

/// Reads a public key.
///
/// # Errors
/// A file that is not one.
pub fn read_public_key(path: &Path) -> Result<PublicKey> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(&name, &e))?;
    PublicKey::parse(&text).map_err(|e| e.map(|fault| fault.file(&name)))
}

impl PolicyFile {
    /// The key that signs certificates, where the policy names one.
    pub(crate) fn signing_key(&self) -> Result<Option<PrivateKey>> {
        let path = self.policy.certificate.as_ref().and_then(|spec| spec.sign_with.as_ref());
        let key = path.map(|path| read_private_key(&self.folder().join(path))).transpose();
        key.map_err(|e| e.map(|fault| fault.key("certificate.sign_with")))
    }

    /// Signs a certificate with a key, where there is one.
    pub(crate) fn sign(&self, certificate: Certificate, key: Option<&PrivateKey>) -> Result<Certificate> {
        let Some(key) = key else { return Ok(certificate) };
        let expires = self.policy.certificate.as_ref().and_then(|spec| spec.expires.clone());
        certificate.signed(|seal| Signature {
            algorithm: ALGORITHM.into(),
            key: key.public().to_string(),
            value: key.sign(seal, expires.as_deref()),
            expires,
        })
    }

    /// Judges the signature of a certificate: whether a trusted key, or one that follows it, signed
    /// it, and whether it is still valid.
    pub fn signature_claim(&self, certificate: &Certificate, trusted: &PublicKey) -> Finding {
        let history = match self.ledger(false) {
            Ok(Some(ledger)) => Some(history(&ledger)),
            Ok(None) | Err(_) => None,
        };
        let (holds, found) = match judge(certificate, trusted, history.as_ref(), &now()) {
            Ok(found) => (true, found),
            Err(found) => (false, found),
        };
        Finding { holds, found, unchecked: false }
    }
}

/// What a ledger says about keys.
pub fn history(ledger: &Ledger) -> KeyHistory {
    KeyHistory::new(ledger.entries().iter().map(|entry| &entry.body))
}

/// Why a signature is valid, or why not. `now` begins with the day.
fn judge(
    certificate: &Certificate,
    trusted: &PublicKey,
    history: Option<&KeyHistory>,
    now: &str,
) -> std::result::Result<String, String> {
    let Some(Signature { algorithm, key, expires, value }) = &certificate.signature else {
        return Err("the certificate is not signed; ask the holder for a signed one".into());
    };
    let signer = PublicKey::from_hex(key).filter(|_| algorithm == ALGORITHM);
    let Some(signer) = signer else {
        return Err(format!("signed in a way that this program does not know ({})", short(algorithm)));
    };
    if !certificate.sealed() || !signer.signed(&certificate.seal, expires.as_deref(), value) {
        return Err("the signature is not of this certificate: it was changed after it was signed".into());
    }
    let known = history.cloned().unwrap_or_default();
    if !known.follows(&signer, trusted) {
        let hint =
            if history.is_none() { ", and no ledger is at hand that says which keys follow" } else { "" };
        return Err(format!("signed with the key {}, not with the given one{hint}", short(key)));
    }
    if let Some(reason) = known.revoked(&signer) {
        return Err(format!("the key {} was revoked: {reason}; ask for a new signature", short(key)));
    }
    let day = now.get(..10).unwrap_or(now);
    if let Some(last) = expires.as_deref().filter(|last| *last < day) {
        return Err(format!("the signature expired on {last}; ask the holder for a new one"));
    }
    let until = expires.as_ref().map_or(String::new(), |last| format!(", valid until {last}"));
    let revocation = if history.is_some() { "" } else { "; whether the key was revoked was not checked" };
    Ok(format!("signed with the key {}{until}{revocation}", short(key)))
}

/// The beginning of a key.
fn short(key: &str) -> String {
    key.chars().take(16).collect()
}

/// Records in a ledger that a key follows another one.
///
/// # Errors
/// What cannot be written.
pub fn rotate_key(ledger: &mut Ledger, old: &PrivateKey, new: &PublicKey) -> Result<u64> {
    Ok(ledger.append_key(now(), old.rotate_to(new))?.number)
}

/// Records in a ledger that a key must not be trusted any more.
///
/// # Errors
/// What cannot be written.
pub fn revoke_key(ledger: &mut Ledger, key: &PublicKey, reason: &str) -> Result<u64> {
    let body = Body::KeyRevoked { key: key.to_string(), reason: reason.to_owned() };
    Ok(ledger.append_key(now(), body)?.number)
}
