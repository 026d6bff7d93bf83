//! Numbers of accounts, insurance policies and payment cards: by their key, by Luhn's check and by
//! the check of ISO 13616.

use super::Detector;
use super::checks;
use super::number::{self, keyed};
use crate::candidates::Candidates;
use crate::document::Document;
use crate::span::Kind;

/// Finds numbers of accounts.
pub struct Account;

keyed!(Account, "account", Account, KEY_ACCOUNT, 4, 0.92, 0.8);

impl Detector for Account {
    fn name(&self) -> &'static str {
        "account"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        for at in 0..document.codes.len() {
            let code = &document.codes[at];
            let card = |compact: &number::Compact, _: &_| compact.holds(checks::payment_card);
            if let Some(tokens) = number::checked(document, at, 5, card).filter(|_| code.letters == 0) {
                number::propose(self, Kind::Account, document, tokens, "Luhn", 0.93, found);
            }
            if code.letters >= 2
                && let Some(tokens) =
                    number::checked(document, at, 9, |compact, _| checks::iban(compact.text()))
            {
                number::propose(self, Kind::Account, document, tokens, "modulo 97", 0.99, found);
            }
        }
    }
}
