//! What privacy models compute, row by row, and the claims about them.

use std::collections::BTreeMap;

use super::super::Row;
use super::super::definitions::{Need, Whole, reached};
use super::{Figure, Kind, Table};
use throng_terms::policy::{Game, ModelSpec, Profitability, RareIn, RareValues};
use throng_terms::release::Claim;

impl Table<'_> {
    /// Model → its name, and the worst figure of some rows; classes are distinguished by all cells.
    pub(super) fn models(&self) -> Vec<(String, Figure)> {
        let model = |asked: &ModelSpec| {
            let at = self.case.columns.iter().position(|c| Some(c.as_str()) == asked.column())?;
            let (need, kind) = match asked {
                ModelSpec::Personalized(asked) => {
                    let guard = self.case.columns.iter().position(|c| *c == asked.guard).unwrap();
                    (Need::Most(asked.breach), Kind::Breach(guard))
                }
                ModelSpec::CkSafety(asked) => (Need::Under(asked.c), Kind::Implications(asked.knowledge)),
                // The need does not depend on the class.
                _ if self.policy.linkable(asked).is_some() => {
                    let at = self.quasi.iter().position(|name| Some(name.as_str()) == asked.column())?;
                    let need = self.by_labels(asked, at, &[])?.1;
                    return Some((asked.claim(), Figure { at, kind: Kind::Labels(asked.clone()), need }));
                }
                _ => (self.by_values(asked, at, &[])?.1, Kind::Values(asked.clone())),
            };
            Some((asked.claim(), Figure { at, kind, need }))
        };
        self.policy.privacy.models.iter().filter_map(model).collect()
    }

    /// What the rows of a class reach by their values, and what they must.
    pub(super) fn by_values(&self, asked: &ModelSpec, at: usize, mates: &[usize]) -> Option<(f64, Need)> {
        let cells = |rows: &[usize]| -> Row { rows.iter().map(|&row| self.sensitive(row, at)).collect() };
        let table = cells(&(0..self.case.rows.len()).collect::<Vec<_>>());
        let labels = |value: &str| {
            let name = &self.case.columns[at];
            let levels = 1..self.case.height(name);
            levels.map(|level| self.case.label(name, Some(value), level).unwrap()).collect()
        };
        let whole = Whole { cells: &table, labels: &labels, k: self.policy.privacy.k() };
        reached(asked, &cells(mates), &whole)
    }

    /// What rows reach by their labels of a quasi-identifier, and what they must.
    pub(super) fn by_labels(&self, asked: &ModelSpec, at: usize, mates: &[usize]) -> Option<(f64, Need)> {
        let table: Row = self.general.iter().map(|row| row[at].clone()).collect();
        let labels = |_: &str| unreachable!("no model of labels looks at the labels above them");
        let whole = Whole { cells: &table, labels: &labels, k: self.policy.privacy.k() };
        reached(asked, &mates.iter().map(|&row| table[row].clone()).collect::<Row>(), &whole)
    }

    /// Whether two rows are equal in all quasi-identifiers but one.
    pub(super) fn equal_but(&self, at: usize, a: usize, b: usize) -> bool {
        (0..self.quasi.len()).all(|c| c == at || self.general[a][c] == self.general[b][c])
    }

    /// What a row's class among some rows reaches.
    pub(super) fn reached(&self, row: usize, of: &[bool], figure: &Figure) -> f64 {
        let mates = (0..of.len()).filter(|&other| of[other] && self.general[other] == self.general[row]);
        match &figure.kind {
            Kind::Values(asked) => self.by_values(asked, figure.at, &mates.collect::<Vec<_>>()).unwrap().0,
            Kind::Implications(knowledge) => self.disclosed(row, of, figure.at, knowledge + 1),
            Kind::Breach(guard) => self.breached(figure.at, *guard, &mates.collect::<Vec<_>>()),
            Kind::Labels(asked) => {
                let alike = (0..of.len()).filter(|&other| of[other] && self.equal_but(figure.at, row, other));
                self.by_labels(asked, figure.at, &alike.collect::<Vec<_>>()).unwrap().0
            }
        }
    }

    /// Whether that is enough.
    pub(super) fn safe(&self, row: usize, of: &[bool], figure: &Figure) -> bool {
        let found = self.reached(row, of, figure);
        match figure.kind {
            Kind::Implications(_) => found < figure.need.number() - 1e-9,
            _ => figure.need.met(found),
        }
    }

    /// The largest share of some rows' values under a guarding node of one of them.
    pub(super) fn breached(&self, at: usize, guard: usize, mates: &[usize]) -> f64 {
        let value = |row: usize| self.sensitive(row, at);
        let present: Vec<usize> = mates.iter().copied().filter(|&row| value(row).is_some()).collect();
        let name = &self.case.columns[at];
        let has = |row: usize, node: &String| {
            let mut labels =
                (0..=self.case.height(name)).map(|level| self.case.label(name, value(row).as_deref(), level));
            labels.any(|label| label.as_ref() == Some(node))
        };
        let nodes = mates.iter().filter_map(|&row| self.case.rows[row][guard].as_ref());
        let share = |node: &String| {
            let rows = present.iter().filter(|&&row| has(row, node)).count();
            rows as f64 / present.len().max(1) as f64
        };
        nodes.map(share).fold(0.0, f64::max)
    }

    /// The largest probability that atoms about some rows can give to one about a row's class: with
    /// every way to divide the atoms among classes, and among the people of a class.
    pub(super) fn disclosed(&self, row: usize, of: &[bool], at: usize, atoms: usize) -> f64 {
        let counts = |class: usize| {
            let mates =
                (0..of.len()).filter(|&other| of[other] && self.general[other] == self.general[class]);
            let mut values = BTreeMap::<String, usize>::new();
            mates
                .filter_map(|other| self.sensitive(other, at))
                .for_each(|v| *values.entry(v).or_default() += 1);
            let mut counts: Vec<usize> = values.into_values().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            counts
        };
        let alive: Vec<usize> = (0..of.len()).filter(|&other| of[other]).collect();
        let mut firsts: Vec<usize> = Vec::new();
        for &other in &alive {
            if !firsts.iter().any(|&first| self.general[first] == self.general[other]) {
                firsts.push(other);
            }
        }
        let own = counts(row);
        let Some(&top) = own.first() else { return 0.0 };
        let others = firsts.iter().filter(|&&first| self.general[first] != self.general[row]);
        let others: Vec<Vec<usize>> = others.map(|&first| counts(first)).collect();
        let least = (1..=atoms).map(|mine| avoid(&own, mine) * over(&others, atoms - mine));
        let chance = top as f64 / own.iter().sum::<usize>() as f64;
        chance / (chance + least.fold(1.0, f64::min))
    }

    /// The claims about models.
    pub(super) fn model_claims(&self, stay: &[bool]) -> Vec<(String, Claim)> {
        let claim = |(name, figure): &(String, Figure)| {
            let rows = (0..stay.len()).filter(|&row| stay[row]);
            let figures = rows.map(|row| self.reached(row, stay, figure));
            let achieved = figures.reduce(|a, b| figure.need.worse(a, b));
            (name.clone(), Claim { required: figure.need.number(), achieved, holds: true })
        };
        let whole = |asked: &ModelSpec| {
            let (required, achieved) = self.whole(asked, stay)?;
            Some((asked.claim(), Claim { required, achieved, holds: true }))
        };
        let others = |asked: &ModelSpec| {
            let (required, achieved) = match asked {
                ModelSpec::Profitability(game) => {
                    let rows = (0..stay.len()).filter(|&row| stay[row]);
                    let brings = rows.map(|row| self.brings(game, row, self.alike(row, stay)).0);
                    (0.0, stay.contains(&true).then(|| brings.sum()))
                }
                ModelSpec::RareValues(rare) if rare.judge == RareIn::Release => {
                    let rows = (0..stay.len()).filter(|&row| stay[row]);
                    let least = rows.filter_map(|row| self.rarest(rare, row, stay)).min();
                    (rare.k as f64, least.map(|rows| rows as f64))
                }
                _ => return None,
            };
            Some((asked.claim(), Claim { required, achieved, holds: true }))
        };
        let asked = &self.policy.privacy.models;
        let whole = asked.iter().filter_map(whole).chain(asked.iter().filter_map(others));
        self.models().iter().map(claim).chain(whole).collect()
    }

    /// What a row brings the publisher in a class of some size, and whether it may stay.
    pub(super) fn brings(&self, game: &Profitability, row: usize, size: usize) -> (f64, bool) {
        let lost = |c: usize| {
            let (under, all) = self.leaves(row, c);
            (under - 1.0) / (all - 1.0)
        };
        let lost = (0..self.quasi.len()).map(lost).sum::<f64>() / self.quasi.len() as f64;
        let attack = game.adversary_gain / size as f64 - game.adversary_cost > 1e-9;
        let harm = if attack { game.publisher_loss / size as f64 } else { 0.0 };
        let brings = game.publisher_benefit * (1.0 - lost) - harm;
        (brings, if game.kind == Game::NoAttack { !attack } else { brings > 1e-6 })
    }

    /// Among some rows, the number that share the rarest value of a row in the selected columns.
    pub(super) fn rarest(&self, rare: &RareValues, row: usize, of: &[bool]) -> Option<u64> {
        let wanted = |name: &str| match &rare.columns {
            Some(columns) => columns.iter().any(|c| c == name),
            None => self.policy.columns[name].role.released(),
        };
        let columns = (0..self.case.columns.len()).filter(|&at| wanted(&self.case.columns[at]));
        let same = |at: usize| {
            let cell = |row: usize| self.cell(row, at, true);
            let mine = cell(row);
            (0..of.len()).filter(|&b| of[b] && cell(b) == mine).count() as u64
        };
        columns.map(same).min()
    }

    /// Whether a row must go because of what its class brings, its least size, or a rare value in
    /// it.
    pub(super) fn unprofitable(&self, row: usize, of: &[bool]) -> bool {
        let mates = || (0..of.len()).filter(|&b| of[b] && self.general[b] == self.general[row]);
        self.policy.privacy.models.iter().any(|asked| match asked {
            ModelSpec::StrictAverageRisk(asked) => (mates().count() as u64) < asked.k,
            ModelSpec::Profitability(game) => !self.brings(game, row, mates().count()).1,
            ModelSpec::RareValues(rare) if rare.judge == RareIn::Release => {
                mates().any(|mate| self.rarest(rare, mate, of).is_some_and(|rows| rows < rare.k))
            }
            _ => false,
        })
    }

    /// What a model of the whole table asks for and what some rows reach; none for other models.
    pub(super) fn whole(&self, asked: &ModelSpec, stay: &[bool]) -> Option<(f64, Option<f64>)> {
        let sizes: Vec<f64> =
            (0..stay.len()).filter(|&row| stay[row]).map(|row| self.alike(row, stay) as f64).collect();
        let mean = |part: &dyn Fn(f64) -> f64| {
            (!sizes.is_empty())
                .then(|| sizes.iter().map(|&size| part(size)).sum::<f64>() / sizes.len() as f64)
        };
        match asked {
            ModelSpec::SampleUniqueness(asked) => {
                Some((asked.max, mean(&|size| if size == 1.0 { 1.0 } else { 0.0 })))
            }
            ModelSpec::AverageRisk(asked) => Some((asked.max, mean(&|size| 1.0 / size))),
            ModelSpec::StrictAverageRisk(asked) => Some((asked.max, mean(&|size| 1.0 / size))),
            // Zayatz: of every class the probability that one of it is drawn, as if all were of the
            // population.
            ModelSpec::PopulationUniqueness(asked) => {
                let (n, people) = (sizes.len() as f64, asked.population as f64);
                let once = |size: f64| {
                    let others =
                        (0..size as usize - 1).map(|j| (people - n - j as f64) / (people - 1.0 - j as f64));
                    n / people * others.product::<f64>()
                };
                let alone = sizes.iter().filter(|&&size| size == 1.0).count() as f64;
                let share = alone * once(1.0) / sizes.iter().map(|&size| once(size)).sum::<f64>();
                let found = if alone > 0.0 { share * alone / (n / people) / people } else { 0.0 };
                Some((asked.max, (n > 0.0).then_some(found)))
            }
            _ => None,
        }
    }
}

/// The least probability that at most this many atoms about people with these values are all false.
fn avoid(counts: &[usize], atoms: usize) -> f64 {
    let n: usize = counts.iter().sum();
    let product = |parts: &[usize]| {
        let person = |(i, values): (usize, &usize)| {
            let taken: usize = counts.iter().take(*values).sum();
            (n - i).saturating_sub(taken) as f64 / (n - i) as f64
        };
        parts.iter().take(n).enumerate().map(person).product::<f64>()
    };
    partitions(atoms, atoms).iter().map(|parts| product(parts)).fold(1.0, f64::min)
}

/// Every way to write a number as a sum of falling parts.
fn partitions(number: usize, most: usize) -> Vec<Vec<usize>> {
    if number == 0 {
        return vec![Vec::new()];
    }
    let first = |part: usize| {
        partitions(number - part, part).into_iter().map(move |rest| [vec![part], rest].concat())
    };
    (1..=number.min(most)).flat_map(first).collect()
}

/// The same with atoms about the people of several classes.
fn over(classes: &[Vec<usize>], atoms: usize) -> f64 {
    match classes {
        [] => 1.0,
        [first, rest @ ..] => {
            (0..=atoms).map(|mine| avoid(first, mine) * over(rest, atoms - mine)).fold(1.0, f64::min)
        }
    }
}
