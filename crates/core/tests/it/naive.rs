//! Brute force by the definitions, sharing no code with the crate: rows as they are, every node,
//! every loss.

use std::collections::BTreeMap;

use throng::policy::Aggregate;

/// A column: for each leaf its labels at level 0, 1, …; the last is the same for all.
#[derive(Debug, Clone)]
pub struct Column {
    pub paths: Vec<Vec<usize>>,
    pub min: usize,
    pub max: usize,
    pub weight: f64,
}

impl Column {
    pub fn height(&self) -> usize {
        self.paths[0].len() - 1
    }

    fn under(&self, level: usize, label: usize) -> f64 {
        self.paths.iter().filter(|p| p[level] == label).count() as f64
    }
}

/// A problem in plain data.
#[derive(Debug, Clone)]
pub struct Instance {
    pub columns: Vec<Column>,
    /// Leaf numbers.
    pub rows: Vec<Vec<usize>>,
    /// Target → row → label.
    pub labels: Vec<Vec<usize>>,
    pub k: usize,
    /// Named groups: columns and k.
    pub groups: Vec<(Vec<usize>, usize)>,
    pub max_suppressed: usize,
    pub linked: Vec<Vec<usize>>,
    pub loss: &'static str,
    pub aggregate: Option<Aggregate>,
    pub counted: Option<bool>,
    pub tradeoff: Option<f64>,
}

/// A node by the definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Naive {
    pub levels: Vec<usize>,
    pub suppressed: usize,
    /// Distinct tuples that are released.
    pub classes: usize,
    pub loss: f64,
}

impl Instance {
    /// Every node within the limits, in lexicographic order.
    pub fn nodes(&self) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for column in &self.columns {
            nodes = nodes
                .into_iter()
                .flat_map(|n: Vec<usize>| {
                    (column.min..=column.max).map(move |l| [n.clone(), vec![l]].concat())
                })
                .collect();
        }
        nodes.retain(|n| self.linked.iter().all(|g| g.iter().all(|&c| n[c] == n[g[0]])));
        nodes
    }

    fn general(&self, levels: &[usize]) -> Vec<Vec<usize>> {
        let cell = |(i, &leaf): (usize, &usize)| self.columns[i].paths[leaf][levels[i]];
        self.rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect()
    }

    /// Which rows stay: the most that are safe by themselves.
    fn stay(&self, general: &[Vec<usize>]) -> Vec<bool> {
        let mut groups = self.groups.clone();
        groups.push(((0..self.columns.len()).collect(), self.k));
        let mut stay = vec![true; general.len()];
        loop {
            let same = |a: usize, b: usize, columns: &[usize]| {
                columns.iter().all(|&c| general[a][c] == general[b][c])
            };
            let short = (0..general.len()).filter(|&a| stay[a]).find(|&a| {
                groups.iter().any(|(columns, k)| {
                    (0..general.len()).filter(|&b| stay[b] && same(a, b, columns)).count() < *k
                })
            });
            match short {
                Some(row) => stay[row] = false,
                None => return stay,
            }
        }
    }

    /// For each class how often each label occurs in it, in order of what is counted.
    pub fn label_counts(&self, levels: &[usize], labels: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let mut classes: BTreeMap<Vec<usize>, BTreeMap<usize, usize>> = BTreeMap::new();
        for (row, &label) in self.general(levels).into_iter().zip(labels) {
            *classes.entry(row).or_default().entry(label).or_default() += 1;
        }
        let mut counts: Vec<Vec<_>> = classes.into_values().map(|c| c.into_iter().collect()).collect();
        counts.sort();
        counts
    }

    pub fn evaluate(&self, levels: &[usize]) -> Naive {
        let general = self.general(levels);
        let stay = self.stay(&general);
        let suppressed = stay.iter().filter(|s| !**s).count();
        let released = general.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(row, _)| row);
        let classes = released.collect::<std::collections::BTreeSet<_>>().len();
        Naive { levels: levels.to_vec(), suppressed, classes, loss: self.loss_of(levels, &general, &stay) }
    }

    /// The best by loss; nodes within rounding of it are ties, and the lowest and first is
    /// preferred.
    pub fn best(&self) -> Option<(Naive, Vec<Naive>)> {
        let safe: Vec<Naive> = self
            .nodes()
            .iter()
            .map(|n| self.evaluate(n))
            .filter(|n| n.suppressed <= self.max_suppressed)
            .collect();
        let least = safe.iter().map(|n| n.loss).fold(f64::INFINITY, f64::min);
        let near = |n: &Naive| (n.loss - least).abs() <= 1e-9 * least.abs().max(1.0);
        let mut ties: Vec<Naive> = safe.into_iter().filter(near).collect();
        ties.sort_by_key(|n| (n.levels.iter().sum::<usize>(), n.levels.clone()));
        Some((ties.first()?.clone(), ties))
    }

    /// The factors of generalization and suppression.
    fn factors(&self) -> (f64, f64) {
        let tau = self.tradeoff.unwrap_or(0.5);
        (f64::min(1.0, 2.0 * (1.0 - tau)), f64::min(1.0, 2.0 * tau))
    }

    fn loss_of(&self, levels: &[usize], general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let n = self.rows.len() as f64;
        let m = self.columns.len() as f64;
        let (g, s) = self.factors();
        let hidden = stay.iter().filter(|s| !**s).count() as f64;
        let ratio = |c: usize| levels[c] as f64 / self.columns[c].height() as f64;
        let weighted = |f: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..self.columns.len()).map(|c| self.columns[c].weight * f(c)).collect()
        };
        let mut classes: BTreeMap<&Vec<usize>, (f64, bool)> = BTreeMap::new();
        for (row, &stays) in general.iter().zip(stay) {
            let class = classes.entry(row).or_insert((0.0, stays));
            class.0 += 1.0;
        }
        let all: f64 = self.columns.iter().map(|c| c.paths.len() as f64).product();
        match self.loss {
            "height" | "absolute" => weighted(&|c| levels[c] as f64).iter().sum(),
            "relative" => weighted(&ratio).iter().sum(),
            "prec" => {
                let kept: f64 = weighted(&ratio).iter().sum();
                let top: f64 = weighted(&|_| 1.0).iter().sum();
                let hidden = if self.counted == Some(true) { hidden } else { 0.0 };
                ((n - hidden) * g * kept + hidden * s * top) / (n * m)
            }
            "vinterbo" | "column-mi" => {
                let told = |c: usize| if self.loss == "column-mi" { self.mutual(c) } else { 1.0 };
                let cell = |c: usize, stays: bool| match self.counted == Some(true) && !stays {
                    true => s * told(c),
                    false => g * told(c) * ratio(c),
                };
                let row = |&stays: &bool| weighted(&|c| cell(c, stays)).iter().sum::<f64>();
                stay.iter().map(row).sum::<f64>() / n
            }
            "value-mi" => {
                let gone = |row: usize| self.counted == Some(true) && !stay[row];
                let cell = |row: usize, c: usize| {
                    let kept = if gone(row) { 0.0 } else { self.worth(c, self.rows[row][c], levels[c]) };
                    self.worth(c, self.rows[row][c], 0) - kept
                };
                let row = |row: usize| weighted(&|c| cell(row, c)).iter().sum::<f64>();
                (0..self.rows.len()).map(row).sum::<f64>() / n
            }
            "dm" => {
                let kept: f64 = classes.values().filter(|c| c.1).map(|c| c.0 * c.0).sum();
                g * kept + s * n * hidden
            }
            "dm*" => classes.values().map(|c| c.0 * c.0).sum(),
            "aecs" => {
                let kept = classes.values().filter(|c| c.1).count() as f64;
                n / (kept + f64::from(u8::from(hidden > 0.0))).max(1.0)
            }
            "ambiguity" => {
                let cells = |row: &Vec<usize>| -> f64 {
                    row.iter().enumerate().map(|(c, &v)| self.columns[c].under(levels[c], v)).product()
                };
                let cost = |(row, &stays): (&Vec<usize>, &bool)| if stays { g * cells(row) } else { s * all };
                general.iter().zip(stay).map(cost).sum::<f64>() / n
            }
            "entropy" => self.aggregated(Aggregate::Sum, &weighted(&|c| self.entropy(c, general, stay))),
            "conditional-entropy" => {
                self.aggregated(Aggregate::Sum, &weighted(&|c| self.conditional(c, general, stay)))
            }
            "lm" => self.aggregated(Aggregate::Mean, &weighted(&|c| self.lm(c, levels, general, stay))),
            "cm" => {
                self.labels.iter().map(|l| self.penalties(l, general, stay)).sum::<f64>()
                    / self.labels.len() as f64
            }
            other => panic!("no loss {other}"),
        }
    }

    /// Σ over rows of log2 p(x,c)/(p(x)·p(c)), over the rows whose value at least six have; the
    /// mean over targets.
    fn mutual(&self, c: usize) -> f64 {
        let value = |row: usize| self.rows[row][c];
        let often = |row: &usize| (0..self.rows.len()).filter(|&o| value(o) == value(*row)).count() >= 6;
        let kept: Vec<usize> = (0..self.rows.len()).filter(often).collect();
        let n = kept.len() as f64;
        let bits = |labels: &Vec<usize>| -> f64 {
            let share = |like: &dyn Fn(usize) -> bool| kept.iter().filter(|&&o| like(o)).count() as f64 / n;
            let row = |&r: &usize| {
                let both = share(&|o| value(o) == value(r) && labels[o] == labels[r]);
                (both / share(&|o| value(o) == value(r)) / share(&|o| labels[o] == labels[r])).log2()
            };
            kept.iter().map(row).sum::<f64>() / n.max(1.0)
        };
        self.labels.iter().map(bits).sum::<f64>() / self.labels.len() as f64
    }

    /// The information of a leaf's value at a level: the maximum over it and the values above it.
    fn worth(&self, c: usize, leaf: usize, level: usize) -> f64 {
        let tells = |level: usize| -> f64 {
            let label = |leaf: usize| self.columns[c].paths[leaf][level];
            let like: Vec<usize> =
                (0..self.rows.len()).filter(|&o| label(self.rows[o][c]) == label(leaf)).collect();
            if like.len() < 6 {
                return 0.0;
            }
            let bits = |labels: &Vec<usize>| -> f64 {
                let among = |rows: &[usize], of: usize| {
                    rows.iter().filter(|&&o| labels[o] == labels[of]).count() as f64 / rows.len() as f64
                };
                let all: Vec<usize> = (0..self.rows.len()).collect();
                let row = |&r: &usize| (among(&like, r) / among(&all, r)).log2().abs();
                like.iter().map(row).sum::<f64>() / like.len() as f64
            };
            self.labels.iter().map(bits).sum::<f64>() / self.labels.len() as f64
        };
        (level..=self.columns[c].height()).map(tells).fold(0.0, f64::max)
    }

    /// The mean penalty of a row: it is suppressed, or its label is not the majority label of its
    /// class.
    fn penalties(&self, labels: &[usize], general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let (g, s) = self.factors();
        let class = |i: usize| (0..labels.len()).filter(move |&j| general[j] == general[i]);
        let votes = |i: usize, label: usize| class(i).filter(|&j| labels[j] == label).count();
        let majority = |i: usize| class(i).map(|j| labels[j]).min_by_key(|&l| (usize::MAX - votes(i, l), l));
        let penalty = |i: usize| match stay[i] {
            false => s,
            true => {
                if majority(i) == Some(labels[i]) {
                    0.0
                } else {
                    g
                }
            }
        };
        (0..labels.len()).map(penalty).sum::<f64>() / labels.len() as f64
    }

    /// Σ over rows of the entropy of what could be under the cell; under a suppressed one anything
    /// could.
    fn conditional(&self, c: usize, general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let (g, s) = self.factors();
        let entropy = |under: Vec<usize>| -> f64 {
            let p = |value: usize| under.iter().filter(|&&v| v == value).count() as f64 / under.len() as f64;
            let values: std::collections::BTreeSet<usize> = under.iter().copied().collect();
            values.into_iter().map(|v| -p(v) * p(v).log2()).sum()
        };
        let rows = 0..self.rows.len();
        let cell = |i: usize| {
            let same = |j: &usize| !stay[i] || general[*j][c] == general[i][c];
            let bits = entropy(rows.clone().filter(same).map(|j| self.rows[j][c]).collect());
            if stay[i] { g * bits } else { s * bits }
        };
        rows.clone().map(cell).sum()
    }

    fn aggregated(&self, default: Aggregate, parts: &[f64]) -> f64 {
        let m = parts.len() as f64;
        match self.aggregate.unwrap_or(default) {
            Aggregate::Mean => parts.iter().sum::<f64>() / m,
            Aggregate::Sum => parts.iter().sum(),
            Aggregate::Max => parts.iter().copied().fold(0.0, f64::max),
            Aggregate::Geometric => parts.iter().map(|p| p + 1.0).product::<f64>().powf(1.0 / m) - 1.0,
        }
    }

    fn entropy(&self, c: usize, general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let count = |rows: &[Vec<usize>], value: usize| rows.iter().filter(|r| r[c] == value).count() as f64;
        let kept: f64 = (0..self.rows.len())
            .map(|i| -(count(&self.rows, self.rows[i][c]) / count(general, general[i][c])).log2())
            .sum();
        let (g, s) = self.factors();
        if self.counted != Some(true) {
            return kept;
        }
        let hidden: Vec<Vec<usize>> =
            general.iter().zip(stay).filter(|(_, s)| !**s).map(|(r, _)| r.clone()).collect();
        let all = hidden.len() as f64;
        g * kept + s * hidden.iter().map(|r| -(count(&hidden, r[c]) / all).log2()).sum::<f64>()
    }

    fn lm(&self, c: usize, levels: &[usize], general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let d = self.columns[c].paths.len() as f64;
        if d <= 1.0 {
            return 0.0;
        }
        let counted = self.counted.unwrap_or(true);
        let (g, s) = self.factors();
        // Scaled cell by cell: a leaf costs 0, everything 1.
        let cell = |(row, &stays): (&Vec<usize>, &bool)| {
            let share = self.columns[c].under(levels[c], row[c]) / d;
            if counted && !stays { s } else { g * (share - 1.0 / d) / (1.0 - 1.0 / d) }
        };
        general.iter().zip(stay).map(cell).sum::<f64>() / self.rows.len() as f64
    }
}
