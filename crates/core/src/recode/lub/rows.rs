//! The cost of one point joined with each of many, in one pass.
//!
//! Columns of few values are looked up together: the cost of each combination of their values with
//! the point is summed once, so a point needs one look-up for all of them. Nothing is searched,
//! hashed or allocated. Costs points · blocks + combinations · columns.

use rustc_hash::FxHashMap;

use super::Column;

/// Most combinations of a block; a power of two, so that no look-up needs a check.
const MOST: usize = 4096;
/// Points per combination from which columns are worth being looked up together.
const SHARED: usize = 16;

/// Columns that are looked up together.
pub(super) struct Block {
    columns: Vec<usize>,
    /// Combinations of numbers of their values, end to end.
    combinations: Vec<u32>,
    /// Point → combination.
    of: Vec<u16>,
}

/// Columns in blocks, as few as combinations allow; those with too many values for one are left
/// out.
pub(super) fn blocks(columns: &[Column<'_>], points: usize) -> Vec<Block> {
    let mut order: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].values.len() <= MOST).collect();
    order.sort_by_key(|&at| (columns[at].values.len(), at));
    let mut blocks: Vec<Block> = Vec::new();
    for at in order {
        let joined = blocks.last().and_then(|block| block.with(at, &columns[at].numbers, points / SHARED));
        match joined {
            Some(block) => *blocks.last_mut().expect("it was joined with it") = block,
            None => blocks.push(Block::new(at, &columns[at])),
        }
    }
    blocks
}

impl Block {
    fn new(at: usize, column: &Column<'_>) -> Self {
        let combinations = (0..column.values.len() as u32).collect();
        Block { columns: vec![at], combinations, of: column.numbers.iter().map(|&n| n as u16).collect() }
    }

    /// With one more column, if that makes at most `most` combinations.
    fn with(&self, at: usize, numbers: &[u32], most: usize) -> Option<Self> {
        let mut known: FxHashMap<(u16, u32), u16> = FxHashMap::default();
        let mut combinations = Vec::new();
        let mut of = Vec::with_capacity(numbers.len());
        for (&own, &number) in self.of.iter().zip(numbers) {
            let next = known.len();
            let combination = *known.entry((own, number)).or_insert_with(|| {
                let start = own as usize * self.columns.len();
                combinations.extend_from_slice(&self.combinations[start..][..self.columns.len()]);
                combinations.push(number);
                next as u16
            });
            if known.len() > most.min(MOST) {
                return None;
            }
            of.push(combination);
        }
        Some(Block { columns: self.columns.iter().copied().chain([at]).collect(), combinations, of })
    }

    /// The columns of it.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether summing combinations first pays off for this many points.
    pub(super) fn pays(&self, points: usize) -> bool {
        points >= 4 * self.combinations.len()
    }

    /// Adds what a point costs with each of some, in these columns.
    pub(super) fn add(
        &self,
        columns: &[Column<'_>],
        point: u32,
        others: &[u32],
        costs: &mut [u32],
        row: &mut Row,
    ) {
        let width = self.columns.len();
        row.costs[..self.combinations.len() / width].fill(0);
        for (place, &at) in self.columns.iter().enumerate() {
            let column = &columns[at];
            let with = column.row(column.number(point), &mut row.scratch);
            let numbers = self.combinations.iter().skip(place).step_by(width);
            row.costs.iter_mut().zip(numbers).for_each(|(cost, &number)| *cost += with[number as usize]);
        }
        let look = |combination: u16| row.costs[combination as usize & (MOST - 1)];
        if others.len() == self.of.len() {
            costs.iter_mut().zip(&self.of).for_each(|(cost, &combination)| *cost += look(combination));
        } else {
            let others = others.iter().map(|&other| self.of[other as usize]);
            costs.iter_mut().zip(others).for_each(|(cost, combination)| *cost += look(combination));
        }
    }
}

/// What each combination costs with a point.
pub(in crate::recode) struct Row {
    costs: Box<[u32; MOST]>,
    pub(super) scratch: Vec<u32>,
}

impl Default for Row {
    fn default() -> Self {
        Row { costs: Box::new([0; MOST]), scratch: Vec::new() }
    }
}
