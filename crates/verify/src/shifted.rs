//! Dates shifted per person, computed again for the verifier: what the cells of an original must
//! have become. HMAC-SHA256 is written out here. Costs an HMAC per cell of a shifted column.

use chrono::{Days, NaiveDate};
use sha2::{Digest, Sha256};

use throng_terms::error::{Fault, Result};
use throng_terms::policy::{Policy, Shift};

/// The bytes that SHA-256 takes at once.
const BLOCK: usize = 64;

/// The shift of one column.
#[derive(Debug, Clone)]
pub(super) struct Shifted {
    key: [u8; BLOCK],
    days: u64,
    format: String,
}

impl Shifted {
    /// The shifts of some columns, none for those that are released as they are.
    ///
    /// # Errors
    /// Dates are shifted, and the secret is not there.
    pub(super) fn of<'a>(
        policy: &Policy,
        columns: impl Iterator<Item = &'a str>,
        secret: Option<&[u8]>,
    ) -> Result<Vec<Option<Self>>> {
        let shifted = |name: &str| match (policy.columns.get(name).and_then(|c| c.shift()), secret) {
            (None, _) => Ok(None),
            (Some(shift), Some(secret)) => Ok(Some(Shifted::new(shift, secret))),
            (Some(_), None) => Err(Fault::bug("the secret of shifted dates was not given").into()),
        };
        columns.map(shifted).collect()
    }

    fn new(shift: &Shift, secret: &[u8]) -> Self {
        let mut key = [0; BLOCK];
        if secret.len() > BLOCK {
            key[..32].copy_from_slice(&Sha256::digest(secret));
        } else {
            key[..secret.len()].copy_from_slice(secret);
        }
        Shifted { key, days: u64::from(shift.days), format: shift.format.clone() }
    }

    fn hmac(&self, person: &str) -> [u8; 32] {
        let inner = Sha256::new().chain_update(self.key.map(|byte| byte ^ 0x36));
        let inner = inner.chain_update(b"throng shift\0").chain_update(person).finalize();
        Sha256::new().chain_update(self.key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
    }

    /// What a date of a person became; none where it is not a date.
    pub(super) fn date(&self, person: &str, cell: &str) -> Option<String> {
        let number = self.hmac(person)[..8].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let date = NaiveDate::parse_from_str(cell, &self.format).ok()?;
        // 0 to n − 1 are n to 1 days back, n to 2n − 1 are 1 to n days forward.
        let turn = number % (2 * self.days);
        let moved = match turn < self.days {
            true => date.checked_sub_days(Days::new(self.days - turn)),
            false => date.checked_add_days(Days::new(turn - self.days + 1)),
        };
        moved.map(|date| date.format(&self.format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(secret: &[u8], days: u32) -> Shifted {
        let format = "%Y-%m-%d".to_owned();
        Shifted::new(&Shift { days, format, key_file: None, key_env: None }, secret)
    }

    #[test]
    fn dates_of_a_person_keep_their_distance() {
        let shift = shifted(b"a key of 24 bytes, or so", 3);
        let date = |text: String| NaiveDate::parse_from_str(&text, "%Y-%m-%d").unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for person in (0..200).map(|n| format!("p{n}")) {
            let [a, b] = ["2020-02-27", "2020-03-01"].map(|cell| date(shift.date(&person, cell).unwrap()));
            assert_eq!((b - a).num_days(), 3);
            seen.insert((a - date("2020-02-27".into())).num_days());
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [-3, -2, -1, 1, 2, 3]);
        assert_eq!(shift.date("p", "27.2.2020"), None);
    }

    /// RFC 2104: a long key is digested, a short one filled up with zeros.
    #[test]
    fn keys_fill_a_block() {
        let long = shifted(&[0xaa; 131], 1);
        let digest: [u8; 32] = Sha256::digest([0xaa; 131]).into();
        assert_eq!(long.key[..32], digest);
        assert_eq!(long.key[32..], [0; 32]);
        assert_eq!(shifted(b"Jefe", 1).key[..5], *b"Jefe\0");
    }
}
