//! The rows that are compatible with every combination of a few columns' values: per column, a
//! value adds the rows that lack one, and a missing cell adds those of all values. Costs two
//! additions per combination and column.

/// Turns the rows of every combination into those compatible with it. A combination's number has
/// the first column as its highest digit; digit 0 is a missing cell.
pub(super) fn sum_compatible(rows: &mut [u64], radices: impl Iterator<Item = usize>, all: &mut Vec<u64>) {
    let mut block = rows.len();
    for radix in radices {
        let stride = block / radix;
        match stride {
            1 => rows.chunks_exact_mut(block).for_each(sum_last),
            _ => rows.chunks_exact_mut(block).for_each(|rows| sum_column(rows, stride, all)),
        }
        block = stride;
    }
}

/// One column: `stride` combinations of later columns per digit.
fn sum_column(rows: &mut [u64], stride: usize, all: &mut Vec<u64>) {
    let (absent, values) = rows.split_at_mut(stride);
    all.clear();
    all.extend_from_slice(absent);
    for value in values.chunks_exact_mut(stride) {
        for ((of_value, of_absent), of_all) in value.iter_mut().zip(&*absent).zip(&mut *all) {
            *of_all += *of_value;
            *of_value += of_absent;
        }
    }
    absent.copy_from_slice(all);
}

/// The last column.
fn sum_last(rows: &mut [u64]) {
    let Some((absent, values)) = rows.split_first_mut() else { return };
    let mut all = *absent;
    for value in values {
        all += *value;
        *value += *absent;
    }
    *absent = all;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The sums are those over all pairs of combinations that agree where both have a digit.
        #[test]
        fn sums_are_those_of_all_pairs(
            radices in prop::collection::vec(1usize..5, 1..5),
            seed in prop::collection::vec(0u64..9, 256),
        ) {
            let cells: usize = radices.iter().product();
            let digits = |mut at: usize| {
                let mut digits: Vec<usize> = radices.iter().rev().map(|r| (at % r, at /= r).0).collect();
                digits.reverse();
                digits
            };
            let agree = |a: usize, b: usize| {
                digits(a).iter().zip(digits(b)).all(|(&a, b)| a == b || a == 0 || b == 0)
            };
            let of = |a: usize| (0..cells).filter(|&b| agree(a, b)).map(|b| seed[b]).sum::<u64>();
            let expected: Vec<u64> = (0..cells).map(of).collect();
            let mut rows = seed[..cells].to_vec();
            sum_compatible(&mut rows, radices.iter().copied(), &mut Vec::new());
            prop_assert_eq!(rows, expected);
        }
    }
}
