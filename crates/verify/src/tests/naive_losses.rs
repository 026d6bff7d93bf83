//! Every loss by its definition, row by row, and the parameters to try. The search, the losses of
//! cells and the verifier are all tested against this file, which shares nothing with them.

#![allow(dead_code, reason = "each of the two uses a part")]

use std::collections::BTreeSet;

use throng_terms::policy::{Aggregate, LossParameters, check_loss};
use throng_terms::registry::LossKind;

/// Rows that an estimate of information needs.
const FEW: usize = 6;

/// A release, row by row.
#[derive(Debug, Clone)]
pub struct Released {
    /// Row → whether it is released.
    pub stay: Vec<bool>,
    /// Row → the number of its class; rows have the same if they look alike.
    pub classes: Vec<usize>,
    pub columns: Vec<Cells>,
    /// Target → row → label.
    pub targets: Vec<Vec<usize>>,
}

/// One column of a release.
#[derive(Debug, Clone)]
pub struct Cells {
    pub weight: f64,
    /// Leaves of the hierarchy.
    pub leaves: usize,
    /// The level at the first step.
    pub first: usize,
    /// Row → the level of its cell; of a suppressed row, that at the first step.
    pub level: Vec<usize>,
    /// Row → leaves under its cell.
    pub under: Vec<usize>,
    /// Level → row → the number of its value there; rows have the same if their values are equal.
    pub values: Vec<Vec<usize>>,
}

/// Every loss with every parameter that changes its shape, without a trade-off.
pub fn parameters() -> Vec<LossParameters> {
    let aggregates = [None, Some(Aggregate::Max), Some(Aggregate::Geometric)];
    let mut all = Vec::new();
    for kind in LossKind::of_tables() {
        for aggregate in aggregates {
            for count_suppressed in [None, Some(true), Some(false)] {
                // What is said must change something.
                if count_suppressed != Some(kind.counts_suppressed(None)) {
                    all.push(LossParameters { aggregate, count_suppressed, ..LossParameters::new(kind) });
                }
            }
        }
    }
    all.retain(|asked| check_loss(asked).is_empty());
    all
}

/// The same, also with trade-offs.
pub fn traded() -> Vec<LossParameters> {
    let with = |asked: LossParameters| {
        [None, Some(0.2), Some(0.8)].map(|tradeoff| LossParameters { tradeoff, ..asked })
    };
    let all = parameters().into_iter().flat_map(with);
    all.filter(|asked| asked.tradeoff.is_none() || tradable(asked)).collect()
}

/// Whether a loss has a trade-off as its suppressed rows are counted.
pub fn tradable(asked: &LossParameters) -> bool {
    check_loss(&LossParameters { tradeoff: Some(0.3), ..*asked }).is_empty()
}

/// How a policy writes a loss.
pub fn written(asked: &LossParameters) -> String {
    let mut text = format!("{{ name = \"{}\"", asked.kind);
    if let Some(aggregate) = asked.aggregate {
        text += &format!(", aggregate = \"{}\"", format!("{aggregate:?}").to_lowercase());
    }
    if let Some(counted) = asked.count_suppressed {
        text += &format!(", count_suppressed = {counted}");
    }
    if let Some(tau) = asked.tradeoff {
        text += &format!(", tradeoff = {tau:?}");
    }
    text + " }"
}

/// Whether a loss is monotone, as docs/numbers.md says.
pub fn monotone(asked: &LossParameters) -> bool {
    let free = asked.tradeoff == Some(0.0);
    match asked.kind {
        LossKind::Height | LossKind::Absolute | LossKind::Relative | LossKind::DmStar => true,
        LossKind::Aecs | LossKind::ConditionalEntropy => false,
        LossKind::Prec | LossKind::Vinterbo | LossKind::ColumnMi | LossKind::ValueMi | LossKind::Entropy => {
            asked.count_suppressed != Some(true) || free
        }
        LossKind::Lm => asked.count_suppressed == Some(false) || free,
        LossKind::Dm | LossKind::Ambiguity | LossKind::Cm | LossKind::ILoss => free,
        LossKind::Width => false,
    }
}

/// The factors of generalization and suppression.
fn factors(asked: &LossParameters) -> (f64, f64) {
    let tau = asked.tradeoff.unwrap_or(0.5);
    (f64::min(1.0, 2.0 * (1.0 - tau)), f64::min(1.0, 2.0 * tau))
}

/// What a loss is put together from.
enum Definition<'a> {
    /// The loss of a column, put together in this way by default.
    Columns(Aggregate, Box<dyn Fn(&Cells) -> f64 + 'a>),
    Whole(f64),
}

use Definition::{Columns, Whole};

impl Released {
    /// A loss of the release.
    pub fn loss(&self, asked: &LossParameters) -> f64 {
        match self.definition(asked) {
            Whole(loss) => loss,
            Columns(default, part) => {
                let parts: Vec<f64> = self.columns.iter().map(|c| c.weight * part(c)).collect();
                aggregated(asked.aggregate.unwrap_or(default), &parts)
            }
        }
    }

    /// The loss of each column without its weight, where it is put together from columns.
    pub fn parts(&self, asked: &LossParameters) -> Option<Vec<f64>> {
        match self.definition(asked) {
            Whole(_) => None,
            Columns(_, part) => Some(self.columns.iter().map(part).collect()),
        }
    }

    fn definition<'a>(&'a self, asked: &LossParameters) -> Definition<'a> {
        let (g, s) = factors(asked);
        let counts = asked.count_suppressed;
        let (n, held) = (self.stay.len() as f64, self.held() as f64);
        let first = |part: &dyn Fn(&Cells) -> f64| self.columns.iter().map(|c| c.weight * part(c)).sum();
        match asked.kind {
            LossKind::Height | LossKind::Absolute => Whole(first(&|c| c.first as f64)),
            LossKind::Relative => Whole(first(&|c| c.first as f64 / c.height())),
            LossKind::Prec => {
                let counted = counts == Some(true);
                Columns(Aggregate::Mean, Box::new(move |c| self.precision(c, counted, (g, s))))
            }
            LossKind::Vinterbo => {
                let counted = counts == Some(true);
                Columns(Aggregate::Sum, Box::new(move |c| self.precision(c, counted, (g, s))))
            }
            LossKind::ColumnMi => {
                let counted = counts == Some(true);
                let part = move |c: &Cells| self.mutual(c) * self.precision(c, counted, (g, s));
                Columns(Aggregate::Sum, Box::new(part))
            }
            LossKind::ValueMi => {
                let counted = counts == Some(true);
                Columns(Aggregate::Sum, Box::new(move |c| self.lost_information(c, counted)))
            }
            LossKind::Dm => Whole(g * self.pairs(|row| self.stay[row]) + s * n * held),
            LossKind::DmStar => Whole(self.pairs(|_| true)),
            LossKind::Entropy => {
                let counted = counts == Some(true);
                Columns(Aggregate::Sum, Box::new(move |c| self.entropy(c, counted, (g, s))))
            }
            LossKind::ConditionalEntropy => {
                Columns(Aggregate::Sum, Box::new(move |c| self.conditional(c, (g, s))))
            }
            LossKind::Lm => {
                let counted = counts != Some(false);
                Columns(Aggregate::Mean, Box::new(move |c| self.leaf_share(c, counted, (g, s))))
            }
            LossKind::ILoss => {
                let cell = move |c: &Cells, row: usize| match self.stay[row] {
                    true => g * (c.under[row] - 1) as f64 / c.leaves as f64,
                    false => s * (c.leaves - 1) as f64 / c.leaves as f64,
                };
                let part = move |c: &Cells| (0..self.stay.len()).map(|row| cell(c, row)).sum();
                Columns(Aggregate::Sum, Box::new(part))
            }
            LossKind::Ambiguity => {
                let cells = |row: usize| match self.stay[row] {
                    true => g * self.columns.iter().map(|c| c.under[row] as f64).product::<f64>(),
                    false => s * self.columns.iter().map(|c| c.leaves as f64).product::<f64>(),
                };
                Whole(self.mean(cells))
            }
            LossKind::Aecs => {
                let kept = (0..self.stay.len()).filter(|&row| self.stay[row]).map(|row| self.classes[row]);
                let classes = kept.collect::<BTreeSet<_>>().len() + usize::from(held > 0.0);
                Whole(n / classes as f64)
            }
            LossKind::Width => unreachable!("a loss of statistics, which no table has by itself"),
            LossKind::Cm => {
                let penalties = self.targets.iter().map(|labels| self.penalties(labels, (g, s)));
                Whole(penalties.sum::<f64>() / self.targets.len() as f64)
            }
        }
    }

    fn held(&self) -> usize {
        self.stay.iter().filter(|stays| !**stays).count()
    }

    fn mean(&self, row: impl Fn(usize) -> f64) -> f64 {
        (0..self.stay.len()).map(row).sum::<f64>() / self.stay.len() as f64
    }

    /// Pairs of rows that look alike, of some rows.
    fn pairs(&self, counts: impl Fn(usize) -> bool) -> f64 {
        let rows: Vec<usize> = (0..self.stay.len()).filter(|&row| counts(row)).collect();
        let same = |a: &usize| rows.iter().filter(|&&b| self.classes[*a] == self.classes[b]).count();
        rows.iter().map(same).sum::<usize>() as f64
    }

    /// The mean of level / height over the rows; of no rows, that of the first step.
    fn precision(&self, c: &Cells, counted: bool, (g, s): (f64, f64)) -> f64 {
        if self.stay.is_empty() {
            return c.first as f64 / c.height();
        }
        let top = |row: usize| counted && !self.stay[row];
        self.mean(|row| if top(row) { s } else { g * c.level[row] as f64 / c.height() })
    }

    /// Scaled cell by cell: a leaf costs 0, everything 1.
    fn leaf_share(&self, c: &Cells, counted: bool, (g, s): (f64, f64)) -> f64 {
        let d = c.leaves as f64;
        if c.leaves <= 1 {
            return 0.0;
        }
        let share = |row: usize| c.under[row] as f64 / d;
        let top = |row: usize| counted && !self.stay[row];
        self.mean(|row| if top(row) { s } else { g * (share(row) - 1.0 / d) / (1.0 - 1.0 / d) })
    }

    /// Σ over rows of −log2(rows of the value / rows of the generalized value), over the whole
    /// table; counted: and the same of suppressed rows among each other.
    fn entropy(&self, c: &Cells, counted: bool, (g, s): (f64, f64)) -> f64 {
        let rows = || 0..self.stay.len();
        let same = |row: usize| rows().filter(|&o| c.values[0][o] == c.values[0][row]).count() as f64;
        let kept: f64 = rows().map(|row| -(same(row) / c.like(row).len() as f64).log2()).sum();
        let held: Vec<usize> = rows().filter(|&row| counted && !self.stay[row]).collect();
        let first = &c.values[c.first];
        let alike = |row: &usize| held.iter().filter(|&&o| first[o] == first[*row]).count() as f64;
        g * kept + s * held.iter().map(|row| -(alike(row) / held.len() as f64).log2()).sum::<f64>()
    }

    /// Σ over rows of the entropy of the original values that their cell leaves possible; a
    /// suppressed one leaves all.
    fn conditional(&self, c: &Cells, (g, s): (f64, f64)) -> f64 {
        let bits = |possible: Vec<usize>| -> f64 {
            let same = |a: usize| possible.iter().filter(|&&b| c.values[0][a] == c.values[0][b]).count();
            // A mean over rows, so that a value counts as often as it occurs.
            let surprise = |&a: &usize| -(same(a) as f64 / possible.len() as f64).log2();
            possible.iter().map(surprise).sum::<f64>() / possible.len() as f64
        };
        let cost = |row: usize| match self.stay[row] {
            true => g * bits(c.like(row)),
            false => s * bits((0..self.stay.len()).collect()),
        };
        (0..self.stay.len()).map(cost).sum()
    }

    /// The mean penalty of a row: it is suppressed, or its label is not the majority label of its
    /// class.
    fn penalties(&self, labels: &[usize], (g, s): (f64, f64)) -> f64 {
        let class =
            |i: usize| (0..labels.len()).filter(move |&j| self.stay[j] && self.classes[j] == self.classes[i]);
        let votes = |i: usize, label: usize| class(i).filter(|&j| labels[j] == label).count();
        let majority = |i: usize| class(i).map(|j| labels[j]).min_by_key(|&l| (usize::MAX - votes(i, l), l));
        self.mean(|row| match self.stay[row] {
            false => s,
            true if majority(row) == Some(labels[row]) => 0.0,
            true => g,
        })
    }

    fn mean_of_targets(&self, bits: impl Fn(&Vec<usize>) -> f64) -> f64 {
        self.targets.iter().map(bits).sum::<f64>() / self.targets.len().max(1) as f64
    }

    /// Σ over rows of log2 p(x,c)/(p(x)·p(c)), over the rows whose value is not rare.
    fn mutual(&self, c: &Cells) -> f64 {
        let value = &c.values[0];
        let often = |row: &usize| value.iter().filter(|v| **v == value[*row]).count() >= FEW;
        let kept: Vec<usize> = (0..value.len()).filter(often).collect();
        let share = |like: &dyn Fn(usize) -> bool| {
            kept.iter().filter(|&&o| like(o)).count() as f64 / kept.len() as f64
        };
        self.mean_of_targets(|labels| {
            let row = |&r: &usize| {
                let both = share(&|o| value[o] == value[r] && labels[o] == labels[r]);
                (both / share(&|o| value[o] == value[r]) / share(&|o| labels[o] == labels[r])).log2()
            };
            kept.iter().map(row).sum::<f64>() / kept.len().max(1) as f64
        })
    }

    /// The mean over rows of the information that their cell lost; counted: a suppressed row
    /// carries none.
    fn lost_information(&self, c: &Cells, counted: bool) -> f64 {
        let gone = |row: usize| counted && !self.stay[row];
        let kept = |row: usize| if gone(row) { 0.0 } else { self.worth(c, row, c.level[row]) };
        let lost = (0..self.stay.len()).map(|row| self.worth(c, row, 0) - kept(row)).sum::<f64>();
        lost / (self.stay.len() as f64).max(1.0)
    }

    /// The information of a row's value at a level: the maximum over it and the values above it.
    fn worth(&self, c: &Cells, row: usize, level: usize) -> f64 {
        let tells = |values: &Vec<usize>| -> f64 {
            let all: Vec<usize> = (0..values.len()).collect();
            let like: Vec<usize> = all.iter().copied().filter(|&o| values[o] == values[row]).collect();
            if like.len() < FEW {
                return 0.0;
            }
            self.mean_of_targets(|labels| {
                let among = |rows: &[usize], of: usize| {
                    rows.iter().filter(|&&o| labels[o] == labels[of]).count() as f64 / rows.len() as f64
                };
                let bits = |&r: &usize| (among(&like, r) / among(&all, r)).log2().abs();
                like.iter().map(bits).sum::<f64>() / like.len() as f64
            })
        };
        c.values[level..].iter().map(tells).fold(0.0, f64::max)
    }
}

impl Cells {
    fn height(&self) -> f64 {
        (self.values.len() - 1) as f64
    }

    /// The rows of the whole table whose value a row's cell stands for.
    fn like(&self, row: usize) -> Vec<usize> {
        let values = &self.values[self.level[row]];
        (0..values.len()).filter(|&other| values[other] == values[row]).collect()
    }
}

fn aggregated(how: Aggregate, parts: &[f64]) -> f64 {
    let m = parts.len() as f64;
    match how {
        Aggregate::Mean => parts.iter().sum::<f64>() / m,
        Aggregate::Sum => parts.iter().sum(),
        Aggregate::Max => parts.iter().copied().fold(0.0, f64::max),
        Aggregate::Geometric => parts.iter().map(|p| p + 1.0).product::<f64>().powf(1.0 / m) - 1.0,
    }
}

/// For each value the place of the first one that equals it.
pub fn firsts<T: PartialEq>(values: &[T]) -> Vec<usize> {
    values.iter().map(|v| values.iter().position(|other| other == v).unwrap()).collect()
}
