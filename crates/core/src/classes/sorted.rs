//! Classes in the order of their codes, so that nothing depends on the order of rows.
//!
//! The codes of a class are packed into one number with the number of the class, where they fit.
//! These are sorted on all cores, and the codes are taken back out of them, so that nothing but
//! counts is fetched from all over memory. Costs n·log n comparisons, and 16 bytes per class
//! meanwhile.

use rayon::prelude::*;

use super::{Classes, Codes, PIECE};

impl Classes {
    /// The same classes in the order of their codes. Codes must follow values, not first sight.
    #[must_use]
    pub fn sorted(self) -> Classes {
        let keys = match &self.codes {
            Codes::Narrow(codes) => packed(codes, self.columns),
            Codes::Wide(codes) => packed(codes, self.columns),
        };
        if let Some((mut keys, bits)) = keys {
            if keys.is_sorted() {
                return self;
            }
            keys.par_sort_unstable();
            return self.unpacked(&keys, &bits);
        }
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        match &self.codes {
            Codes::Narrow(codes) => sort(&mut order, codes, self.columns),
            Codes::Wide(codes) => sort(&mut order, codes, self.columns),
        }
        if order.is_sorted() { self } else { self.part(&order) }
    }

    /// The classes that sorted keys name, without a population.
    fn unpacked(self, keys: &[u128], bits: &[u32]) -> Classes {
        let Classes { columns, codes, counts, rows, histograms, targets, rare, subject, .. } = self;
        let narrow = matches!(codes, Codes::Narrow(_));
        drop(codes);
        let members: Vec<u32> = keys.par_iter().map(|&key| key as u32).collect();
        let counts = members.par_iter().map(|&class| counts[class as usize]).collect();
        let histograms = histograms.iter().map(|h| h.part(&members)).collect();
        let codes = match narrow {
            true => Codes::Narrow(unpacked(keys, bits, |code| code as u16)),
            false => Codes::Wide(unpacked(keys, bits, |code| code)),
        };
        let people = Vec::new();
        Classes { columns, codes, counts, rows, people, histograms, targets, rare, subject }
    }
}

/// Sorts classes by their codes.
fn sort<T: Ord + Copy + Sync>(order: &mut [u32], codes: &[T], width: usize) {
    let row = |&class: &u32| &codes[class as usize * width..(class as usize + 1) * width];
    order.par_sort_unstable_by(|a, b| row(a).cmp(row(b)));
}

/// The codes and the number of every class as one number, the first code highest, and the bits of
/// every column; none where they do not fit into 128 bits.
fn packed<T: Copy + Into<u32> + Sync>(codes: &[T], width: usize) -> Option<(Vec<u128>, Vec<u32>)> {
    let width = width.max(1);
    let most = |piece: &[T]| {
        let mut most = vec![0u32; width];
        for class in piece.chunks_exact(width) {
            most.iter_mut().zip(class).for_each(|(most, &code)| *most = (*most).max(code.into()));
        }
        most
    };
    let larger = |a: Vec<u32>, b: Vec<u32>| a.iter().zip(&b).map(|(a, b)| *a.max(b)).collect();
    let most = codes.par_chunks(width * PIECE).map(most).reduce(|| vec![0; width], larger);
    let bits: Vec<u32> = most.iter().map(|most| u32::BITS - most.leading_zeros()).collect();
    if bits.iter().sum::<u32>() > u128::BITS - u32::BITS {
        return None;
    }
    let key = |(class, row): (usize, &[T])| {
        let cells =
            row.iter().zip(&bits).fold(0u128, |key, (&code, bits)| key << bits | u128::from(code.into()));
        cells << u32::BITS | class as u128
    };
    let keys = codes.par_chunks_exact(width).enumerate().with_min_len(PIECE).map(key).collect();
    Some((keys, bits))
}

/// The codes that keys were packed from, class by class.
fn unpacked<T: Copy + Default + Send>(keys: &[u128], bits: &[u32], narrow: fn(u32) -> T) -> Vec<T> {
    let width = bits.len();
    let mut codes = vec![T::default(); keys.len() * width];
    let pieces = codes.par_chunks_mut(width * PIECE).zip(keys.par_chunks(PIECE));
    pieces.for_each(|(codes, keys)| {
        for (row, &key) in codes.chunks_exact_mut(width).zip(keys) {
            let mut rest = key >> u32::BITS;
            for (code, &bits) in row.iter_mut().zip(bits).rev() {
                *code = narrow((rest & ((1 << bits) - 1)) as u32);
                rest >>= bits;
            }
        }
    });
    codes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Classes are sorted by their codes and keep their rows: narrow, wide, and too wide to
        /// pack.
        #[test]
        fn classes_are_sorted_by_their_codes(
            rows in prop::collection::btree_map(prop::collection::vec(0u32..9, 4), 1u32..5, 0..200),
            shuffle in any::<u32>(),
            scale in prop::sample::select(vec![1u32, 7000, 1 << 20, 1 << 28]),
        ) {
            let mut rows: Vec<(Vec<u32>, u32)> = rows.into_iter().collect();
            rows.iter_mut().for_each(|row| row.0.iter_mut().for_each(|code| *code *= scale));
            let expected = rows.clone();
            rows.sort_by_key(|row| row.0.iter().fold(shuffle, |h, c| (h ^ c).wrapping_mul(0x9E37_79B1)));
            let cells = || rows.iter().flat_map(|row| row.0.iter().copied());
            let codes = match scale <= 7000 {
                true => Codes::Narrow(cells().map(|code| code as u16).collect()),
                false => Codes::Wide(cells().collect()),
            };
            let classes = Classes::new(4, codes, rows.iter().map(|row| row.1).collect()).unwrap().sorted();
            let found: Vec<(Vec<u32>, u32)> = (0..classes.len())
                .map(|class| ((0..4).map(|c| classes.code(class, c)).collect(), classes.counts()[class]))
                .collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(classes.rows(), rows.iter().map(|row| u64::from(row.1)).sum::<u64>());
        }
    }
}
