//! Sensitive columns that are released at a level of their hierarchy, for the verifier: checks the
//! released value of every row.
//!
//! While rows stream, each combination of a class and the column's values stores its number of rows
//! and the sum of their hashes, which cover all other cells that are released unchanged. At the end
//! the original's values are generalized and assigned to the released classes; both files must then
//! have the same combinations. Memory grows with distinct combinations; nothing is kept if no
//! column has a level.

use super::classes::{Classes, Interner, UNKNOWN};
use super::levels::Build;
use super::pace::Pace;
use super::piece::Numbered;
use super::side::Side;
use super::verdict::Wrong;
use throng_terms::error::Result;
use throng_terms::policy::Policy;

/// The columns with a level as they stream by, in name order.
#[derive(Debug)]
pub(super) struct Leveled {
    /// Their places among the columns of a piece.
    columns: Vec<usize>,
    interners: Vec<Interner>,
    /// (Class, value of every column) with its rows and their hashes.
    rows: Classes,
    /// Column → the values of the batch at hand.
    batch: Vec<Vec<u32>>,
    /// The row at hand.
    tuple: Vec<u32>,
}

impl Leveled {
    /// The columns of a policy that have a level; none where there are none.
    /// `numbered` gives the place of a column in pieces.
    pub(super) fn of(policy: &Policy, numbered: &mut impl FnMut(&str) -> usize) -> Option<Self> {
        let columns: Vec<usize> = policy.leveled().into_iter().map(|(name, _)| numbered(name)).collect();
        let width = columns.len();
        (width > 0).then(|| Leveled {
            columns,
            interners: (0..width).map(|_| Interner::new()).collect(),
            rows: Classes::new(width + 1),
            batch: vec![Vec::new(); width],
            tuple: Vec::new(),
        })
    }

    /// Reads the columns' cells of a piece.
    pub(super) fn begin(&mut self, columns: &[Numbered]) {
        for ((&at, interner), batch) in self.columns.iter().zip(&mut self.interners).zip(&mut self.batch) {
            batch.clear();
            columns[at].translate(interner, batch);
        }
    }

    /// Counts a row of the batch.
    pub(super) fn row(&mut self, row: usize, class: usize, hash: [u64; 2]) {
        self.tuple.clear();
        self.tuple.push(class as u32);
        self.tuple.extend(self.batch.iter().map(|batch| batch[row]));
        self.rows.row(&self.tuple, hash);
    }

    /// The most values or combinations.
    pub(super) fn len(&self) -> usize {
        self.interners.iter().map(Interner::len).chain([self.rows.len()]).max().unwrap_or(0)
    }
}

/// Number of a value of the original → its label, none where it is missing; none where the
/// hierarchy does not have the value.
type ColumnLabels = Vec<Option<Option<String>>>;

/// Column → the labels of its values.
pub(super) type Labels = Vec<ColumnLabels>;

/// What the values of the original must become; none where no column has a level.
pub(super) fn labels(policy: &Policy, original: &Side, build: &Build<'_>) -> Result<Option<Labels>> {
    let Some(leveled) = &original.leveled else { return Ok(None) };
    let column = |((name, level), interner): ((&str, usize), &Interner)| {
        let hierarchy = build(name, &interner.dictionary())?;
        let label = |value: u32| {
            let leaf = hierarchy.leaf(interner.value(value)).filter(|_| level <= hierarchy.height())?;
            Some(hierarchy.label(level, hierarchy.generalize(leaf, level)).map(String::from))
        };
        Ok((0..interner.len() as u32).map(label).collect())
    };
    policy.leveled().into_iter().zip(&leveled.interners).map(column).collect::<Result<_>>().map(Some)
}

/// Reports where the values of a release are not those of the original at their levels; `places`
/// maps classes of the original to released ones.
pub(super) fn compare(
    original: &Leveled,
    labels: &Labels,
    places: &[u32],
    released: &Side,
    wrong: &mut Wrong,
    pace: &Pace<'_>,
) -> Result<()> {
    let Some(found) = &released.leveled else { return Ok(()) };
    // Column → value of the original → number of its label in the release.
    let number = |(labels, interner): (&ColumnLabels, &Interner)| -> Vec<u32> {
        let number = |label: &Option<Option<String>>| {
            label.as_ref().and_then(|label| interner.get(label.as_deref())).unwrap_or(UNKNOWN)
        };
        labels.iter().map(number).collect()
    };
    let numbers: Vec<Vec<u32>> = labels.iter().zip(&found.interners).map(number).collect();
    let mut shown = Vec::with_capacity(labels.len() + 1);
    let mut expected = Classes::new(labels.len() + 1);
    for at in 0..original.rows.len() {
        pace.steps(4)?;
        let tuple = original.rows.tuples.tuple(at);
        let Some(&place) = places.get(tuple[0] as usize).filter(|place| **place != UNKNOWN) else { continue };
        shown.clear();
        shown.push(place);
        let number = |(&value, numbers): (&u32, &Vec<u32>)| numbers.get(value as usize).copied();
        shown.extend(tuple[1..].iter().zip(&numbers).map(|cell| number(cell).unwrap_or(UNKNOWN)));
        expected.add(&shown, original.rows.tally(at));
    }
    let differs = |at: usize, of: &Classes, other: &Classes| {
        let same = other.tuples.get(of.tuples.tuple(at)).map(|found| other.tally(found));
        same != Some(of.tally(at))
    };
    let wrong_rows = (0..found.rows.len()).filter(|&at| differs(at, &found.rows, &expected));
    let lost_rows = (0..expected.len()).filter(|&at| differs(at, &expected, &found.rows));
    let differ = wrong_rows.count() + lost_rows.count();
    if differ > 0 {
        wrong.push(format!("{differ} combinations of values are not those of the original at their levels"));
    }
    pace.look()
}
