//! SHA-256 and HMAC-SHA256 [Krawczyk 1997] of short messages, from the compression function.
//!
//! Most surrogates need the code of a message of one block, which takes two compressions. The
//! states behind the key are computed once; what is copied for a message is its bytes alone.

use sha2::block_api::compress256;

/// The state of SHA-256, which is the digest behind the last block.
pub type State = [u32; 8];

/// Bytes of a block.
const BLOCK: usize = 64;

/// The state before the first block.
const START: State =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The digest of a message that lies in several parts.
pub fn digest(parts: &[&[u8]]) -> State {
    finish(START, 0, parts)
}

/// The bytes of a digest.
pub fn bytes(state: &State) -> [u8; 32] {
    let mut bytes = [0; 32];
    let (words, _) = bytes.as_chunks_mut::<4>();
    words.iter_mut().zip(state).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    bytes
}

/// The number in the first eight bytes of a digest.
pub fn number(state: &State) -> u64 {
    u64::from(state[0]) << 32 | u64::from(state[1])
}

/// Reads the parts of a message and its padding in a state that has read some blocks.
fn finish(mut state: State, blocks: usize, parts: &[&[u8]]) -> State {
    let mut block = [0; BLOCK];
    let (mut filled, mut length) = (0, blocks * BLOCK);
    for mut part in parts.iter().copied() {
        length += part.len();
        while let Some((head, rest)) = part.split_at_checked(BLOCK - filled) {
            block[filled..].copy_from_slice(head);
            compress256(&mut state, &[block]);
            (part, filled) = (rest, 0);
        }
        block[filled..filled + part.len()].copy_from_slice(part);
        filled += part.len();
    }
    block[filled] = 0x80;
    block[filled + 1..].fill(0);
    if filled + 1 > BLOCK - 8 {
        compress256(&mut state, &[block]);
        block.fill(0);
    }
    block[BLOCK - 8..].copy_from_slice(&(8 * length as u64).to_be_bytes());
    compress256(&mut state, &[block]);
    state
}

/// A secret, ready for HMAC-SHA256.
#[derive(Clone, Copy)]
pub struct Mac {
    /// The states behind the first block of both digests.
    inner: State,
    outer: State,
}

impl Mac {
    /// For a secret of any length.
    pub fn new(secret: &[u8]) -> Mac {
        let short;
        let secret = match secret.len() > BLOCK {
            true => {
                short = bytes(&digest(&[secret]));
                &short
            }
            false => secret,
        };
        let padded = |byte: u8| {
            let mut block = [byte; BLOCK];
            block.iter_mut().zip(secret).for_each(|(own, byte)| *own ^= byte);
            let mut state = START;
            compress256(&mut state, &[block]);
            state
        };
        Mac { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// The code of a message that lies in several parts.
    pub fn code(&self, parts: &[&[u8]]) -> State {
        finish(self.outer, 1, &[&bytes(&finish(self.inner, 1, parts))])
    }
}

#[cfg(test)]
mod tests {
    use hmac::{Hmac, KeyInit, Mac as _};
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;

    proptest! {
        /// Parts of any lengths have the digest and the code that other code computes.
        #[test]
        fn codes_are_those_of_the_standard(
            secret in prop::collection::vec(any::<u8>(), 0..140),
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..4),
        ) {
            let message = parts.concat();
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let first = Sha256::digest(&message).first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
            prop_assert_eq!(Some(number(&digest(&parts))), first);
            prop_assert_eq!(bytes(&digest(&parts)), <[u8; 32]>::from(Sha256::digest(&message)));
            let mac = Hmac::<Sha256>::new_from_slice(&secret).unwrap().chain_update(&message);
            prop_assert_eq!(bytes(&Mac::new(&secret).code(&parts)), <[u8; 32]>::from(mac.finalize().into_bytes()));
        }
    }
}
