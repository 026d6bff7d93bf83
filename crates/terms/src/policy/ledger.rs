//! Policy syntax of the ledger of releases and of what protects the certificate.
//!
//! What the ledger cannot compare is refused here: it counts the people of classes of equal cells,
//! so that rows with `*` everywhere, rows that match by wildcards and drawn rows have no class.

use serde::{Deserialize, Serialize};

use super::{Missing, ModelSpec, Policy, Suppressed, substitute};
use crate::error::Fault;
use crate::fault;
use crate::registry::Algorithm;

/// The recipient who is everybody.
pub const PUBLIC: &str = "public";

/// Where releases are recorded, and who receives this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerSpec {
    /// A SQLite file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A PostgreSQL database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The project whose releases are compared.
    #[serde(default = "project", skip_serializing_if = "is_project")]
    pub project: String,
    /// Who receives the release.
    pub recipient: String,
    /// Recipients who may put their releases together with this one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colludes_with: Vec<String>,
    /// What becomes of a release that breaks a promise together with earlier ones.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub on_conflict: OnConflict,
    /// The column that names the same person in every release; default: the subject, or the only
    /// identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The file with the secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// The variable with the secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

/// What becomes of a release that breaks a promise together with earlier ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnConflict {
    /// It is refused.
    #[default]
    Refuse,
    /// The people concerned are withheld.
    Recode,
}

/// What protects the certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateSpec {
    /// The file with the private key that signs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_with: Option<String>,
    /// The last day on which the signature is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The file with the secret that keys the digest of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// The variable with that secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

fn project() -> String {
    "default".into()
}

fn is_project(name: &str) -> bool {
    name == "default"
}

impl LedgerSpec {
    /// Where the secret is.
    pub fn key(&self) -> (Option<&str>, Option<&str>) {
        (self.key_file.as_deref(), self.key_env.as_deref())
    }
}

impl Policy {
    /// Where the secret is that keys the digest of the input: the certificate's own, or the
    /// ledger's.
    pub fn digest_key(&self) -> Option<(Option<&str>, Option<&str>)> {
        let own = self.certificate.as_ref().map(|spec| (spec.key_file.as_deref(), spec.key_env.as_deref()));
        let given = |place: &(Option<&str>, Option<&str>)| *place != (None, None);
        own.filter(given).or_else(|| self.ledger.as_ref().map(LedgerSpec::key))
    }

    /// Sensitive columns that are released, each with the fewest values that a model of the policy
    /// asks candidates to have; 2 where none does.
    pub fn ledger_values(&self) -> Vec<(&str, u32)> {
        let sensitive = self.with_role(super::Role::Sensitive).into_iter();
        let sensitive = sensitive.filter(|name| self.columns[*name].released());
        let asked = |column: &str| {
            let least = |model: &ModelSpec| match model {
                ModelSpec::LDiversity(model) if model.column == column => Some(model.l.floor() as u32),
                ModelSpec::PSensitive(model) if model.column == column => u32::try_from(model.p).ok(),
                _ => None,
            };
            self.privacy.models.iter().filter_map(least).max().unwrap_or(2).clamp(2, MOST_VALUES)
        };
        sensitive.map(|name| (name, asked(name))).collect()
    }
}

/// The most distinct values that are counted per trace.
const MOST_VALUES: u32 = 64;

/// Errors of the ledger and of the certificate.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    if let Some(ledger) = &policy.ledger {
        places(ledger, faults);
        recipients(ledger, faults);
        if let Some(name) = ledger.subject.as_ref().filter(|name| !policy.columns.contains_key(*name)) {
            faults.push(
                fault!(Input, "ledger.unknown-subject", "there is no column `{column}`", column = name)
                    .key("ledger.subject")
                    .help("name the column that says whom a row belongs to"),
            );
        }
        faults.extend(not_compared(policy).into_iter().map(|(key, what, help)| {
            fault!(
                Input,
                "ledger.not-compared",
                "releases with {what} cannot be compared with others",
                what = what
            )
            .key(key)
            .help(help)
        }));
    }
    let Some(certificate) = &policy.certificate else { return };
    if certificate.key_file.is_some() || certificate.key_env.is_some() {
        let place = substitute::place(certificate.key_file.as_deref(), certificate.key_env.as_deref());
        faults.extend(place.map(|fault| fault.key("certificate")));
    }
    if let Some(day) = &certificate.expires {
        if chrono::NaiveDate::parse_from_str(day, "%Y-%m-%d").is_err() || day.len() != 10 {
            faults.push(
                fault!(Input, "certificate.expires-not-a-day", "`{day}` is not a day", day = day)
                    .key("certificate.expires")
                    .help("write it as 2027-12-31"),
            );
        }
        if certificate.sign_with.is_none() {
            faults.push(
                fault!(Input, "certificate.expires-unsigned", "only a signature expires")
                    .key("certificate.expires")
                    .help("name the key to sign with: sign_with = \"signing.key\""),
            );
        }
    }
}

fn places(ledger: &LedgerSpec, faults: &mut Vec<Fault>) {
    let help = "give path = \"ledger.db\", or url = \"postgresql://user@host/database\"";
    let given =
        [&ledger.path, &ledger.url].map(|place| place.as_deref().is_some_and(|text| !text.is_empty()));
    if given != [true, false] && given != [false, true] {
        faults
            .push(fault!(Input, "ledger.no-place", "needs either a path or a URL").key("ledger").help(help));
    }
    let known = |url: &str| ["postgresql://", "postgres://"].iter().any(|start| url.starts_with(start));
    if ledger.url.as_deref().is_some_and(|url| !url.is_empty() && !known(url)) {
        faults.push(
            fault!(Input, "ledger.unknown-url", "is not the URL of a PostgreSQL database")
                .key("ledger.url")
                .help(help),
        );
    }
    let place = substitute::place(ledger.key_file.as_deref(), ledger.key_env.as_deref());
    faults.extend(place.map(|fault| fault.key("ledger")));
}

fn recipients(ledger: &LedgerSpec, faults: &mut Vec<Fault>) {
    if ledger.recipient.trim().is_empty() {
        faults.push(
            fault!(Input, "ledger.no-recipient", "does not say who receives the release")
                .key("ledger.recipient")
                .help("name the recipient, or write \"public\" for everybody"),
        );
    }
    let wrong = |other: &&String| other.trim().is_empty() || **other == PUBLIC || **other == ledger.recipient;
    for other in ledger.colludes_with.iter().filter(wrong) {
        faults.push(
            fault!(
                Input,
                "ledger.cannot-collude",
                "`{other}` cannot collude with the recipient",
                other = other
            )
            .key("ledger.colludes_with")
            .help("name other recipients; everybody has what is public without that"),
        );
    }
}

/// What has no classes that can be compared: its key, its name and what can be used instead.
fn not_compared(policy: &Policy) -> Vec<(&'static str, &'static str, &'static str)> {
    let own_rows = matches!(policy.search.algorithm, Algorithm::GreedyRows | Algorithm::CellMinGen);
    let drawn = policy.differential_privacy().is_some();
    let all = [
        (policy.privacy.k().is_none() && !drawn, "privacy", "no k", "give privacy.k, for instance k = 5"),
        (
            policy.output.suppressed == Suppressed::Starred,
            "output.suppressed",
            "suppressed = \"starred\"",
            "write suppressed = \"dropped\" or \"cells\"",
        ),
        (
            policy.input.missing == Missing::Wildcard,
            "input.missing",
            "missing = \"wildcard\"",
            "write missing = \"value\" or \"suppress\"",
        ),
        (
            !policy.privacy.quasi.is_empty(),
            "privacy.quasi",
            "groups of quasi-identifiers",
            "remove privacy.quasi: an adversary of several releases knows all columns",
        ),
        (own_rows, "search.algorithm", "rows that have cells of their own", "write algorithm = \"best\""),
        (drawn, "privacy", "differential privacy", "remove [ledger], and count the epsilons of all releases"),
    ];
    all.into_iter().filter(|(is, ..)| *is).map(|(_, key, what, help)| (key, what, help)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(ledger: &str) -> Result<Policy, Vec<(&'static str, Option<String>)>> {
        let text = format!(
            "version = 1\n[input]\npath = \"a.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \
             \"sensitive\"\n[privacy]\nk = 3\n{ledger}"
        );
        let codes = |e: crate::error::Error| {
            e.faults().iter().map(|fault| (fault.code, fault.place.key.clone())).collect()
        };
        Policy::parse(&text).map_err(codes)
    }

    #[test]
    fn a_ledger_needs_a_place_a_recipient_and_a_key() {
        let fine = "[ledger]\npath = \"l.db\"\nrecipient = \"a\"\nkey_env = \"K\"\n";
        let ledger = parse(fine).unwrap().ledger.unwrap();
        assert_eq!((ledger.project.as_str(), ledger.on_conflict), ("default", OnConflict::Refuse));
        let code = |text: &str| parse(text).unwrap_err()[0].0;
        assert_eq!(code("[ledger]\nrecipient = \"a\"\nkey_env = \"K\"\n"), "ledger.no-place");
        assert_eq!(code(&format!("{fine}url = \"postgresql://x/y\"\n")), "ledger.no-place");
        assert_eq!(
            code("[ledger]\nurl = \"mysql://x/y\"\nrecipient = \"a\"\nkey_env = \"K\"\n"),
            "ledger.unknown-url"
        );
        assert_eq!(code("[ledger]\npath = \"l.db\"\nrecipient = \"a\"\n"), "policy.no-secret");
        assert_eq!(
            code("[ledger]\npath = \"l.db\"\nrecipient = \" \"\nkey_env = \"K\"\n"),
            "ledger.no-recipient"
        );
        assert_eq!(code(&format!("{fine}colludes_with = [\"public\"]\n")), "ledger.cannot-collude");
        assert_eq!(code(&format!("{fine}subject = \"who\"\n")), "ledger.unknown-subject");
        assert_eq!(code(&format!("{fine}[output]\nsuppressed = \"starred\"\n")), "ledger.not-compared");
    }

    #[test]
    fn a_date_needs_a_signature_and_a_day() {
        let code = |text: &str| parse(text).unwrap_err()[0].0;
        assert!(parse("[certificate]\nsign_with = \"s.key\"\nexpires = \"2027-12-31\"\n").is_ok());
        assert_eq!(
            code("[certificate]\nsign_with = \"s.key\"\nexpires = \"31.12.2027\"\n"),
            "certificate.expires-not-a-day"
        );
        assert_eq!(code("[certificate]\nexpires = \"2027-12-31\"\n"), "certificate.expires-unsigned");
        assert_eq!(code("[certificate]\nkey_file = \"a\"\nkey_env = \"B\"\n"), "policy.two-secrets");
    }

    #[test]
    fn values_follow_from_models() {
        let policy = parse("").unwrap();
        assert_eq!(policy.ledger_values(), [("ill", 2)]);
        let policy = parse("[[privacy.models]]\nl_diversity = { column = \"ill\", l = 3 }\n").unwrap();
        assert_eq!(policy.ledger_values(), [("ill", 3)]);
        let ledger = parse("[ledger]\npath = \"l.db\"\nrecipient = \"a\"\nkey_env = \"K\"\n").unwrap();
        assert_eq!(ledger.digest_key(), Some((None, Some("K"))));
        assert_eq!(policy.digest_key(), None);
    }
}
