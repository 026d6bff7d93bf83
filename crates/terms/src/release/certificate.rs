//! The certificate: a release with what is needed to prove it again, and the seal over all of it.
//!
//! Format 1 seals the document as written, in the canonical form of `document.rs`, without `seal`.
//! So keys that this version does not know count, wherever they are: one that a newer version wrote
//! keeps the seal, and one that was added later breaks it. Format 0 has no `format` and sealed the
//! same document with an empty `seal` and numbers as they were printed. Format 2 is format 1 with a
//! `signature` of the seal, which the seal leaves out. Reading and sealing are linear in the text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Release;
use super::document::Document;
use crate::error::{Fault, Result};
use crate::fault;

/// The format of certificates that this version writes; it reads this one and those before it.
pub const FORMAT: u32 = 1;

/// The format of signed certificates.
pub const SIGNED_FORMAT: u32 = 2;

/// A release with what is needed to prove it again.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The version of this format; 0 where the document does not say.
    pub format: u32,
    /// What was released.
    pub release: Release,
    /// Released columns, in order.
    pub columns: Vec<String>,
    /// Classes of the release over all quasi-identifiers.
    pub classes: u64,
    /// SHA-256 of this certificate without its seal: finds a changed certificate, not a forged one.
    pub seal: String,
    /// The holder's signature of the seal, where there is one.
    pub signature: Option<Signature>,
    /// The document that was read or sealed, with fields that this version does not know.
    document: Document,
}

/// A signature of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// How it is made: `ed25519`.
    pub algorithm: String,
    /// The public key, in hexadecimal digits.
    pub key: String,
    /// The last day on which it is valid, as YYYY-MM-DD; none where it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The signature, in hexadecimal digits.
    pub value: String,
}

/// The summary of a release, as `--json` prints it: with the format of its certificate.
#[derive(Debug, Clone, Serialize)]
pub struct Summary<'a> {
    format: u32,
    #[serde(flatten)]
    release: &'a Release,
}

/// The keys of a certificate, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fields {
    #[serde(default, skip_serializing_if = "is_0")]
    format: u32,
    #[serde(flatten)]
    release: Release,
    columns: Vec<String>,
    classes: u64,
    seal: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<Signature>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_0(format: &u32) -> bool {
    *format == 0
}

impl Certificate {
    /// Seals a release.
    ///
    /// # Errors
    /// Only if it cannot be written as JSON, which would be a mistake of ours.
    pub fn new(release: Release, columns: Vec<String>, classes: u64) -> Result<Self> {
        let mut fields =
            Fields { format: FORMAT, release, columns, classes, seal: String::new(), signature: None };
        fields.seal = seal(FORMAT, &fields.document()?);
        let document = fields.document()?;
        Ok(fields.with(document))
    }

    /// The same with a signature of its seal, which `sign` makes. The seal is another one, because
    /// the format is.
    ///
    /// # Errors
    /// As [`Certificate::new`].
    pub fn signed(self, sign: impl FnOnce(&str) -> Signature) -> Result<Self> {
        let mut fields = self.fields();
        fields.format = SIGNED_FORMAT;
        fields.seal = seal(SIGNED_FORMAT, &fields.document()?);
        fields.signature = Some(sign(&fields.seal));
        let document = fields.document()?;
        Ok(fields.with(document))
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// Text that is not a certificate, a key that occurs twice in an object, or a format that this
    /// version does not know.
    pub fn parse(text: &str) -> Result<Self> {
        let document: Document = serde_json::from_str(text).map_err(|e| unfit(&e))?;
        check_format(&document.0)?;
        // From the text once more, which has the line of what is wrong.
        let fields: Fields = serde_json::from_str(text).map_err(|e| match writer(&document.0) {
            Some(version) => {
                unfit(&e).help(format!("it says that throng {version} wrote it: read it with that version"))
            }
            None => unfit(&e),
        })?;
        Ok(fields.upgraded().with(document))
    }

    /// Whether the certificate is as it was sealed.
    pub fn sealed(&self) -> bool {
        self.unchanged() && seal(self.format, &self.document) == self.seal
    }

    /// The summary of the release.
    pub fn summary(&self) -> Summary<'_> {
        Summary { format: self.format, release: &self.release }
    }

    /// Whether the fields are still those of the document.
    fn unchanged(&self) -> bool {
        let fields = self.fields();
        // A figure that is not a number is written as null, which is not read back as that figure.
        fields.document().is_ok_and(|known| known == self.document)
            || Fields::deserialize(&self.document.0).is_ok_and(|read| read.upgraded() == fields)
    }

    fn fields(&self) -> Fields {
        let Certificate { format, release, columns, classes, seal, signature, .. } = self.clone();
        Fields { format, release, columns, classes, seal, signature }
    }
}

impl Fields {
    /// Format 0 did not count rows with `*` in every quasi-identifier as suppressed: all suppressed
    /// rows were withheld.
    fn upgraded(mut self) -> Self {
        if self.format == 0 {
            self.release.withheld = self.release.suppressed;
        }
        self
    }

    fn document(&self) -> Result<Document> {
        let value = serde_json::to_value(self);
        value.map(Document).map_err(|e| Fault::bug(format!("certificate cannot be written: {e}")).into())
    }

    fn with(self, document: Document) -> Certificate {
        let Fields { format, release, columns, classes, seal, signature } = self;
        Certificate { format, release, columns, classes, seal, signature, document }
    }
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.fields();
        // Fields that this version does not know go with the seal that covers them.
        if fields.document().is_ok_and(|known| known != self.document) && self.unchanged() {
            return self.document.serialize(serializer);
        }
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Certificate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        check_format(&document.0).map_err(|e| serde::de::Error::custom(&e.faults()[0].message))?;
        let fields = Fields::deserialize(&document.0).map_err(serde::de::Error::custom)?;
        Ok(fields.upgraded().with(document))
    }
}

/// The seal that a document of a format must have.
fn seal(format: u32, document: &Document) -> String {
    match format {
        0 => document.with("seal", Some("".into())).digest_of_format_0(),
        FORMAT => document.with("seal", None).digest(),
        _ => document.with("seal", None).with("signature", None).digest(),
    }
}

/// Refuses a format that this version does not know, with the version that wrote it.
fn check_format(document: &Value) -> Result<()> {
    let Some(format) = document.get("format") else { return Ok(()) };
    match format.as_u64() {
        Some(format) if format <= u64::from(SIGNED_FORMAT) => Ok(()),
        Some(format) => {
            let fault = match writer(document) {
                Some(version) => fault!(
                    Input,
                    "certificate.unknown-format",
                    "written by throng {version} (format {format}); this program reads formats 0 to {known}",
                    version = version,
                    format = format,
                    known = SIGNED_FORMAT
                ),
                None => fault!(
                    Input,
                    "certificate.unknown-format",
                    "written by a newer throng (format {format}); this program reads formats 0 to {known}",
                    format = format,
                    known = SIGNED_FORMAT
                ),
            };
            Err(fault.help("read it with that version of throng, or a later one").into())
        }
        None => {
            Err(fault!(Input, "certificate.format-not-a-number", "`format` is not a whole number").into())
        }
    }
}

/// The version of the program that wrote a document, where it says one.
fn writer(document: &Value) -> Option<&str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-+".contains(c);
    let version = document.get("version")?.as_str()?;
    (!version.is_empty() && version.len() <= 40 && version.chars().all(fits)).then_some(version)
}

/// Text that is not a certificate, with the line where that shows.
fn unfit(error: &serde_json::Error) -> Fault {
    let fault = fault!(Input, "certificate.unreadable", "is not a certificate: {problem}", problem = error);
    if error.line() > 0 { fault.line(error.line() as u64) } else { fault }
}
