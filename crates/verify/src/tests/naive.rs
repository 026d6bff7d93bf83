//! The naive holder. Every number is computed row by row or pair by pair from its definition.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use super::definitions::{Need, Whole, reached};
use super::foreseen::{Seen, counted};
use super::naive_losses::{Cells, Released, firsts};
use super::{Case, Made, Row, digest_of};
use throng_terms::policy::{
    Delete, Game, JAnonymity, LossParameters, Missing, ModelSpec, Policy, Profitability, RareIn, RareValues,
    Role, Suppressed,
};
use throng_terms::registry::LossKind;
use throng_terms::release::{
    Certificate, Claim, DeletedFacts, FileFacts, Foresight, PolicyFacts, PredictedBy, PredictedFacts,
    Release, Risks, RowRisk, SearchFacts, StepFacts,
};

/// The original with its generalized quasi-identifiers.
struct Table<'a> {
    case: &'a Case,
    policy: Policy,
    quasi: Vec<String>,
    /// Row → quasi-identifier → value, as it is and generalized.
    raw: Vec<Row>,
    general: Vec<Row>,
    /// The levels of the steps, and the step of every row: the first for rows that are not
    /// released.
    steps: Vec<BTreeMap<String, usize>>,
    step_of: Vec<usize>,
    /// Everybody in the population, generalized like the first step.
    people: Vec<Row>,
    /// Quasi-identifier → whether somebody in the table, or in the population that it is compared
    /// with, lacks it.
    missed: Vec<bool>,
    /// Predictions of a network, cached, and the number of people who likely look like a row.
    seen: OnceCell<Seen>,
    likely: RefCell<BTreeMap<(String, Row), u64>>,
}

/// What a model computes.
struct Figure {
    /// The sensitive column, or which of the quasi-identifiers.
    at: usize,
    kind: Kind,
    need: Need,
}

enum Kind {
    /// By the values of a class alone.
    Values(ModelSpec),
    /// The largest probability after this many implications, among the classes of some rows.
    Implications(usize),
    /// The largest share under a guarding node, which is in this column.
    Breach(usize),
    /// By the labels of a quasi-identifier, among rows that are equal in all others.
    Labels(ModelSpec),
}

impl Case {
    /// The release at the case's levels, of what is left without rare values.
    pub(super) fn release(&self) -> Made {
        let policy = self.policy();
        if policy.deletions().next().is_none() {
            return self.release_left();
        }
        let (left, deleted) = self.without_rare(&policy);
        let mut made = left.release_left();
        let release = &mut made.certificate.release;
        release.rows += deleted.rows;
        release.suppressed += deleted.rows;
        release.withheld += deleted.rows;
        release.input.rows += deleted.rows;
        release.deleted = Some(deleted);
        let shown = release.in_classes() > 0;
        for (at, rare) in policy.deletions() {
            let counts = self.counts(&policy, rare).into_iter().flatten().flatten();
            let least = counts.filter(|&rows| rows >= rare.k).min().unwrap_or(rare.k);
            let achieved = shown.then_some(least as f64);
            let claim = Claim { required: rare.k as f64, achieved, holds: true };
            release.privacy.insert(policy.privacy.models[at].claim(), claim);
        }
        made.seal();
        made
    }

    /// Whether the table has no rows, or not all of them are deleted.
    pub(super) fn leaves_rows(&self) -> bool {
        self.rows.is_empty() || !self.without_rare(&self.policy()).0.rows.is_empty()
    }

    /// Row → column → rows of the table with its value; none where it is missing or not judged.
    fn counts(&self, policy: &Policy, rare: &RareValues) -> Vec<Vec<Option<u64>>> {
        let judged = |name: &String| match &rare.columns {
            Some(columns) => columns.contains(name),
            None => policy.columns[name].role.released(),
        };
        let count = |row: &Row, at: usize| {
            let value = row[at].as_ref().filter(|_| judged(&self.columns[at]))?;
            Some(self.rows.iter().filter(|other| other[at].as_ref() == Some(value)).count() as u64)
        };
        self.rows.iter().map(|row| (0..row.len()).map(|at| count(row, at)).collect()).collect()
    }

    /// The case without what the policy deletes, and that.
    fn without_rare(&self, policy: &Policy) -> (Case, DeletedFacts) {
        let mut rows: Vec<Option<Row>> = self.rows.iter().cloned().map(Some).collect();
        for (_, rare) in policy.deletions() {
            for (row, counts) in rows.iter_mut().zip(self.counts(policy, rare)) {
                for (at, _) in counts.iter().enumerate().filter(|(_, n)| n.is_some_and(|n| n < rare.k)) {
                    match (rare.deletes(), &mut *row) {
                        (Some(Delete::Cells), Some(cells)) => cells[at] = None,
                        _ => *row = None,
                    }
                }
            }
        }
        let mut deleted = DeletedFacts::default();
        for (row, left) in self.rows.iter().zip(&rows) {
            let Some(left) = left else {
                deleted.rows += 1;
                continue;
            };
            for (at, name) in self.columns.iter().enumerate().filter(|(at, _)| row[*at] != left[*at]) {
                assert!(left[at].is_none());
                *deleted.cells.entry(name.clone()).or_default() += 1;
            }
        }
        (Case { rows: rows.into_iter().flatten().collect(), ..self.clone() }, deleted)
    }

    fn release_left(&self) -> Made {
        let (table, stay) = Table::new(self);
        let policy = &table.policy;
        let out: Vec<usize> =
            (0..self.columns.len()).filter(|&at| policy.columns[&self.columns[at]].released()).collect();
        let starred = policy.output.suppressed == Suppressed::Starred;
        let rows: Vec<Row> = (0..self.rows.len())
            .filter(|&row| stay[row] || starred)
            .map(|row| out.iter().map(|&at| table.cell(row, at, stay[row])).collect())
            .collect();
        let columns: Vec<String> = out.iter().map(|&at| self.columns[at].clone()).collect();
        let classes = table.classes(&stay);
        let made = Made {
            certificate: Certificate::new(table.facts(&stay, rows.len()), columns.clone(), classes).unwrap(),
            columns,
            rows,
            output_sha256: "out".into(),
            input_sha256: "in".into(),
            policy_sha256: Policy::digest(&self.policy),
            files: policy.files().into_iter().map(|path| (path.into(), Some(digest_of(path)))).collect(),
        };
        assert!(made.certificate.sealed());
        made
    }

    /// The label of a value at a level, straight from its path.
    fn label(&self, column: &str, value: Option<&str>, level: usize) -> Option<String> {
        let paths = &self.paths[column];
        let top = |p: &super::Path| p.labels.last().cloned();
        let closed = !paths[0].labels.is_empty() && paths.iter().all(|p| top(p) == top(&paths[0]));
        if level == self.height(column) {
            return if closed { top(&paths[0]) } else { Some("*".into()) };
        }
        let value = value?;
        if level == 0 {
            return Some(value.into());
        }
        paths.iter().find(|p| p.leaf == value).map(|p| p.labels[level - 1].clone())
    }

    fn height(&self, column: &str) -> usize {
        let paths = &self.paths[column];
        let labels = paths[0].labels.len();
        let closed = labels > 0 && paths.iter().all(|p| p.labels.last() == paths[0].labels.last());
        if closed { labels } else { labels + 1 }
    }
}

/// The naive holder's secret: every digit three further, every letter seven.
fn made_up(value: &str) -> String {
    let further = |byte: u8, first: u8, size: u8, step: u8| ((byte - first + step) % size + first) as char;
    let sign = |byte: u8| match byte {
        b'0'..=b'9' => further(byte, b'0', 10, 3),
        b'a'..=b'z' => further(byte, b'a', 26, 7),
        other => other as char,
    };
    value.bytes().map(sign).collect()
}

impl<'a> Table<'a> {
    /// The table after all steps, and which rows stay.
    fn new(case: &'a Case) -> (Self, Vec<bool>) {
        let policy = case.policy();
        let quasi: Vec<String> = policy.with_role(Role::Quasi).into_iter().map(String::from).collect();
        let place = |name: &String| case.columns.iter().position(|c| c == name).unwrap();
        let raw: Vec<Row> =
            case.rows.iter().map(|row| quasi.iter().map(|q| row[place(q)].clone()).collect()).collect();
        let rows = raw.len();
        let steps = vec![case.levels.clone()];
        let person = |row: &Row| {
            let cells = quasi.iter().zip(row);
            cells.map(|(name, cell)| case.label(name, cell.as_deref(), case.levels[name])).collect()
        };
        let everybody = case.population();
        let people = everybody.iter().map(person).collect();
        let known = if policy.population().is_some() { &everybody } else { &raw };
        let missed = (0..quasi.len()).map(|c| known.iter().any(|row| row[c].is_none())).collect();
        let step_of = vec![0; rows];
        let mut table = Table {
            case,
            policy,
            quasi,
            general: raw.clone(),
            raw,
            steps,
            step_of,
            people,
            missed,
            seen: OnceCell::new(),
            likely: RefCell::default(),
        };
        (0..rows).for_each(|row| table.generalize(row, 0));
        let mut stay = table.stay(&vec![true; rows]);
        for starred in &case.starred {
            let mut levels = case.levels.clone();
            levels.extend(starred.iter().map(|column| (column.clone(), case.height(column))));
            let left: Vec<bool> = stay.iter().map(|stays| !stays).collect();
            table.steps.push(levels);
            let step = table.steps.len() - 1;
            (0..rows).filter(|&row| left[row]).for_each(|row| table.generalize(row, step));
            let now = table.stay(&left);
            (0..rows).filter(|&row| left[row] && !now[row]).for_each(|row| table.generalize(row, 0));
            if now.contains(&true) {
                stay.iter_mut().zip(now).for_each(|(stays, now)| *stays |= now);
            } else {
                table.steps.pop();
            }
        }
        (table, stay)
    }

    fn generalize(&mut self, row: usize, step: usize) {
        let levels = &self.steps[step];
        let label = |(q, v): (&String, &Option<String>)| self.case.label(q, v.as_deref(), levels[q]);
        self.general[row] = self.quasi.iter().zip(&self.raw[row]).map(label).collect();
        self.step_of[row] = step;
    }

    fn level(&self, row: usize, c: usize) -> usize {
        self.steps[self.step_of[row]][&self.quasi[c]]
    }

    fn cell(&self, row: usize, at: usize, stays: bool) -> Option<String> {
        let name = &self.case.columns[at];
        if self.policy.columns[name].is_replaced() {
            return self.case.rows[row][at].as_deref().map(made_up);
        }
        match self.quasi.iter().position(|q| q == name) {
            None => self.sensitive(row, at),
            Some(_) if !stays => Some("*".into()),
            Some(quasi) => self.general[row][quasi].clone(),
        }
    }

    /// A cell that is not generalized by a search: as it is, or at its level.
    fn sensitive(&self, row: usize, at: usize) -> Option<String> {
        let (name, cell) = (&self.case.columns[at], self.case.rows[row][at].as_deref());
        match self.policy.columns[name].level {
            Some(level) => self.case.label(name, cell, level),
            None => cell.map(String::from),
        }
    }

    /// Claim → its columns and its k.
    fn groups(&self) -> Vec<(String, Vec<usize>, u64)> {
        let mut groups = Vec::new();
        if let Some(k) = self.policy.privacy.k() {
            groups.push(("k-anonymity".to_owned(), (0..self.quasi.len()).collect(), k));
        }
        for (name, group) in &self.policy.privacy.quasi {
            let place = |c: &String| self.quasi.iter().position(|q| q == c).unwrap();
            groups.push((format!("k-anonymity: {name}"), group.columns.iter().map(place).collect(), group.k));
        }
        groups
    }

    fn matches(&self, a: usize, b: usize, columns: &[usize]) -> bool {
        let wild = self.policy.input.missing == Missing::Wildcard;
        columns.iter().all(|&c| {
            let (a, b) = (&self.general[a][c], &self.general[b][c]);
            a == b || wild && (a.is_none() || b.is_none())
        })
    }

    fn size(&self, row: usize, columns: &[usize], stay: &[bool]) -> u64 {
        (0..stay.len()).filter(|&other| stay[other] && self.matches(row, other, columns)).count() as u64
    }

    /// Model → its name, and the worst figure of some rows; classes are distinguished by all cells.
    fn models(&self) -> Vec<(String, Figure)> {
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
    fn by_values(&self, asked: &ModelSpec, at: usize, mates: &[usize]) -> Option<(f64, Need)> {
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
    fn by_labels(&self, asked: &ModelSpec, at: usize, mates: &[usize]) -> Option<(f64, Need)> {
        let table: Row = self.general.iter().map(|row| row[at].clone()).collect();
        let labels = |_: &str| unreachable!("no model of labels looks at the labels above them");
        let whole = Whole { cells: &table, labels: &labels, k: self.policy.privacy.k() };
        reached(asked, &mates.iter().map(|&row| table[row].clone()).collect::<Row>(), &whole)
    }

    /// Whether two rows are equal in all quasi-identifiers but one.
    fn equal_but(&self, at: usize, a: usize, b: usize) -> bool {
        (0..self.quasi.len()).all(|c| c == at || self.general[a][c] == self.general[b][c])
    }

    /// The people who look like a row.
    fn people_of(&self, general: &Row) -> f64 {
        self.people.iter().filter(|person| *person == general).count() as f64
    }

    /// The share of the people who look like somebody that are in the release.
    fn share_of(&self, general: &Row, stay: &[bool]) -> f64 {
        let rows = (0..stay.len()).filter(|&row| stay[row] && self.general[row] == *general).count();
        rows as f64 / self.people_of(general)
    }

    /// Whether a row's class is big enough, and not too much of it in the table.
    fn among_people(&self, row: usize, stay: &[bool]) -> bool {
        let general = &self.general[row];
        self.policy.privacy.models.iter().all(|asked| match asked {
            ModelSpec::KMap(asked) => self.people_of(general) >= asked.k as f64,
            ModelSpec::JAnonymity(asked) => self.likely(asked, row) >= asked.k,
            ModelSpec::DeltaPresence(asked) => self.share_of(general, stay) <= asked.max,
            _ => true,
        })
    }

    /// The table as its network sees it.
    fn seen(&self) -> &Seen {
        let hierarchy = |(name, missed): (&String, &bool)| {
            throng_terms::hierarchy::Hierarchy::new(self.case.paths[name].clone(), *missed).unwrap()
        };
        let hierarchies = || self.quasi.iter().zip(&self.missed).map(hierarchy).collect();
        let parents = self.policy.privacy.models.iter().find_map(|model| match model {
            ModelSpec::JAnonymity(asked) => Some(asked.parents()),
            _ => None,
        });
        self.seen.get_or_init(|| Seen::new(&self.quasi, hierarchies(), &self.raw, parents.unwrap_or(2)))
    }

    /// The people who are likely to look like a row.
    fn likely(&self, asked: &JAnonymity, row: usize) -> u64 {
        let key = (format!("{asked:?}"), self.general[row].clone());
        if let Some(&known) = self.likely.borrow().get(&key) {
            return known;
        }
        let people = self.reckoned(asked, row);
        self.likely.borrow_mut().insert(key, people);
        people
    }

    fn reckoned(&self, asked: &JAnonymity, row: usize) -> u64 {
        match asked.population {
            Some(_) => counted(asked, self.people_of(&self.general[row]) as u64, self.people.len() as u64),
            None => {
                let levels: Vec<usize> = self.quasi.iter().map(|name| self.case.levels[name]).collect();
                self.seen().people(asked, row, &levels)
            }
        }
    }

    /// Facts about likely people.
    fn predicted(&self, stay: &[bool]) -> BTreeMap<String, PredictedFacts> {
        let told = |model: &ModelSpec| {
            let ModelSpec::JAnonymity(asked) = model else { return None };
            let size =
                |row: &usize| (0..stay.len()).filter(|&b| self.general[b] == self.general[*row]).count();
            let small = (0..stay.len()).filter(|&row| stay[row] && (size(&row) as u64) < asked.k).count();
            let edge = |e: throng_terms::network::EdgeFacts| PredictedBy {
                column: e.to,
                level: e.to_level,
                from: e.from,
                from_level: e.from_level,
            };
            let (from, edges) = match asked.population {
                Some(_) => (Foresight::Population, Vec::new()),
                None => (Foresight::Network, self.seen().edges.iter().cloned().map(edge).collect()),
            };
            let people = asked.people.unwrap_or(self.people.len() as u64);
            let (k, confidence, rows) = (asked.k, asked.confidence(), small as u64);
            Some((model.claim(), PredictedFacts { k, people, confidence, from, rows, edges }))
        };
        self.policy.privacy.models.iter().filter_map(told).collect()
    }

    /// Whether enough of everybody's class is in the release.
    fn all_present(&self, stay: &[bool]) -> bool {
        self.policy.privacy.models.iter().all(|asked| match asked {
            ModelSpec::DeltaPresence(asked) => {
                self.people.iter().all(|person| self.share_of(person, stay) >= asked.min)
            }
            _ => true,
        })
    }

    /// The claims about people.
    fn people_claims(&self, stay: &[bool]) -> Vec<(String, Claim)> {
        let released: Vec<&Row> =
            (0..stay.len()).filter(|&row| stay[row]).map(|row| &self.general[row]).collect();
        let shares = |of: &mut dyn Iterator<Item = &Row>| of.map(|row| self.share_of(row, stay)).collect();
        let mut claims = Vec::new();
        for asked in &self.policy.privacy.models {
            let mut claim = |name: String, required: f64, achieved: Option<f64>| {
                claims.push((name, Claim { required, achieved, holds: true }));
            };
            match asked {
                ModelSpec::KMap(map) => {
                    let people = released.iter().map(|row| self.people_of(row));
                    claim(asked.claim(), map.k as f64, people.reduce(f64::min));
                }
                ModelSpec::JAnonymity(likely) => {
                    let released = (0..stay.len()).filter(|&row| stay[row]);
                    let least = released.map(|row| self.likely(likely, row)).min();
                    claim(asked.claim(), likely.k as f64, least.map(|least| least as f64));
                }
                ModelSpec::DeltaPresence(presence) => {
                    let most: Vec<f64> = shares(&mut released.iter().copied());
                    claim(asked.claim(), presence.max, most.into_iter().reduce(f64::max));
                    let least: Vec<f64> = shares(&mut self.people.iter());
                    let least = least.into_iter().reduce(f64::min).filter(|_| !released.is_empty());
                    if presence.min > 0.0 {
                        claim("delta-presence: least".into(), presence.min, least);
                    }
                }
                _ => {}
            }
        }
        claims
    }

    /// What a row's class among some rows reaches.
    fn reached(&self, row: usize, of: &[bool], figure: &Figure) -> f64 {
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
    fn safe(&self, row: usize, of: &[bool], figure: &Figure) -> bool {
        let found = self.reached(row, of, figure);
        match figure.kind {
            Kind::Implications(_) => found < figure.need.number() - 1e-9,
            _ => figure.need.met(found),
        }
    }

    /// The largest share of some rows' values under a guarding node of one of them.
    fn breached(&self, at: usize, guard: usize, mates: &[usize]) -> f64 {
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
    fn disclosed(&self, row: usize, of: &[bool], at: usize, atoms: usize) -> f64 {
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
    fn model_claims(&self, stay: &[bool]) -> Vec<(String, Claim)> {
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
    fn brings(&self, game: &Profitability, row: usize, size: usize) -> (f64, bool) {
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
    fn rarest(&self, rare: &RareValues, row: usize, of: &[bool]) -> Option<u64> {
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
    fn unprofitable(&self, row: usize, of: &[bool]) -> bool {
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

    /// Rows among some that equal a row in every cell.
    fn alike(&self, row: usize, of: &[bool]) -> usize {
        (0..of.len()).filter(|&other| of[other] && self.general[other] == self.general[row]).count()
    }

    /// What a model of the whole table asks for and what some rows reach; none for other models.
    fn whole(&self, asked: &ModelSpec, stay: &[bool]) -> Option<(f64, Option<f64>)> {
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

    /// The most of some rows that are safe by themselves and in classes of at least some size, for
    /// the least size that keeps every model of the whole table.
    fn stay(&self, of: &[bool]) -> Vec<bool> {
        let fits = |stay: &[bool]| {
            let mut whole = self.policy.privacy.models.iter().filter_map(|asked| self.whole(asked, stay));
            whole.all(|(most, found)| !stay.contains(&true) || found.is_some_and(|f| f <= most + 1e-9))
        };
        let least = |size: usize| {
            let of: Vec<bool> = (0..of.len()).map(|row| of[row] && self.alike(row, of) >= size).collect();
            self.stay_safe(&of)
        };
        (1..).map(least).find(|stay| fits(stay)).unwrap()
    }

    /// The most of some rows that are safe by themselves, but for models of the whole table.
    fn stay_safe(&self, of: &[bool]) -> Vec<bool> {
        let misses = |row: &Row| row.iter().any(Option::is_none);
        let held = |row: &Row| self.policy.input.missing == Missing::Suppress && misses(row);
        let mut stay: Vec<bool> = self.general.iter().zip(of).map(|(row, of)| *of && !held(row)).collect();
        let (last, models): (Vec<_>, Vec<_>) = self
            .models()
            .into_iter()
            .map(|(_, figure)| figure)
            .partition(|figure| matches!(figure.kind, Kind::Implications(_)));
        let before = stay.clone();
        let own = || models.iter().filter(|model| !matches!(model.kind, Kind::Labels(_)));
        for (row, stays) in stay.iter_mut().enumerate() {
            *stays &= own().all(|model| self.safe(row, &before, model));
            *stays &= self.among_people(row, &before);
        }
        self.stable(&mut stay);
        for model in &last {
            // By itself first, then among those left.
            let class = |row: usize, of: &[bool]| -> Vec<bool> {
                (0..of.len()).map(|b| of[b] && self.general[b] == self.general[row]).collect()
            };
            let alone = |row: usize| self.safe(row, &class(row, &stay), model);
            let left: Vec<bool> = (0..stay.len()).map(|row| stay[row] && alone(row)).collect();
            stay = (0..stay.len()).map(|row| left[row] && self.safe(row, &left, model)).collect();
        }
        self.stable(&mut stay);
        if self.all_present(&stay) { stay } else { vec![false; stay.len()] }
    }

    /// Leaves out who is too few; then whose label is not hidden, all of these at a time; and again.
    fn stable(&self, stay: &mut [bool]) {
        let models: Vec<Figure> = self.models().into_iter().map(|(_, figure)| figure).collect();
        let models = || models.iter().filter(|model| matches!(model.kind, Kind::Labels(_)));
        loop {
            self.without_few(stay);
            let shown = |row: &usize| models().any(|model| !self.safe(*row, stay, model));
            let gone: Vec<usize> = (0..stay.len()).filter(|&row| stay[row]).filter(shown).collect();
            if gone.is_empty() {
                return;
            }
            gone.into_iter().for_each(|row| stay[row] = false);
        }
    }

    /// Leaves out who is too few, one at a time.
    fn without_few(&self, stay: &mut [bool]) {
        let groups = self.groups();
        loop {
            let short = (0..stay.len()).find(|&row| {
                let few = || groups.iter().any(|(_, columns, k)| self.size(row, columns, stay) < *k);
                stay[row] && (few() || self.unprofitable(row, stay))
            });
            match short {
                // A class goes as a whole.
                Some(row) => {
                    let class: Vec<usize> =
                        (0..stay.len()).filter(|&b| self.general[b] == self.general[row]).collect();
                    class.into_iter().for_each(|row| stay[row] = false);
                }
                None => return,
            }
        }
    }

    /// Number of distinct generalized tuples among the rows that stay.
    fn classes(&self, stay: &[bool]) -> u64 {
        let new =
            |row: usize| !(0..row).any(|before| stay[before] && self.general[before] == self.general[row]);
        (0..stay.len()).filter(|&row| stay[row] && new(row)).count() as u64
    }

    fn facts(&self, stay: &[bool], written: usize) -> Release {
        let withheld = stay.iter().filter(|&&stays| !stays).count() as u64;
        let rows = stay.len() as u64;
        let shows = |row: &Row| row.is_empty() || row.iter().any(|cell| cell.as_deref() != Some("*"));
        let released = (0..stay.len()).filter(|&row| stay[row] && shows(&self.general[row])).count() as u64;
        let losses = self.losses(stay);
        let local = self.policy.search.local;
        let gap = if local { losses[self.policy.search.loss.parameters().kind.key()] } else { 0.0 };
        let claim = |(name, columns, k): (String, Vec<usize>, u64)| {
            let size = |row| self.size(row, &columns, stay);
            let achieved = (0..stay.len()).filter(|&row| stay[row]).map(size).min().map(|size| size as f64);
            let required = k as f64;
            let holds = achieved.is_none_or(|achieved| achieved >= required);
            (name, Claim { required, achieved, holds })
        };
        let file = |sha256: &str, rows| FileFacts { path: "file".into(), sha256: sha256.into(), rows };
        Release {
            rows,
            released,
            suppressed: rows - released,
            people: None,
            withheld,
            deleted: None,
            levels: self.case.levels.clone(),
            steps: self.step_facts(stay),
            regions: None,
            loss: losses,
            loss_by_column: self.by_column(stay),
            sampling: None,
            privacy: self
                .groups()
                .into_iter()
                .map(claim)
                .chain(self.model_claims(stay))
                .chain(self.people_claims(stay))
                .collect(),
            notions: None,
            predicted: self.predicted(stay),
            model: None,
            risk: Some(self.risks(stay)),
            search: SearchFacts {
                algorithm: "none".into(),
                nodes: 1,
                checked: 1,
                optimal: gap == 0.0,
                gap,
                seconds: 0.0,
            },
            input: file("in", rows),
            preparation: None,
            population: self.policy.population().map(|_| file("people", self.people.len() as u64)),
            output: file("out", written as u64),
            policy: PolicyFacts { sha256: Policy::digest(&self.case.policy) },
            files: self.policy.files().into_iter().map(|path| (path.into(), digest_of(path))).collect(),
            seed: 0,
            version: "0".into(),
        }
    }

    /// Row by row. Of the risk before, the verifier checks only the rows.
    fn risks(&self, stay: &[bool]) -> Risks {
        let columns: Vec<usize> = (0..self.quasi.len()).collect();
        let left: Vec<usize> = (0..stay.len()).filter(|&row| stay[row]).collect();
        let sizes: Vec<u64> = left.iter().map(|&row| self.size(row, &columns, stay)).collect();
        let share = |part: f64| if left.is_empty() { 0.0 } else { part / left.len() as f64 };
        let after = RowRisk {
            rows: left.len() as u64,
            classes: self.classes(stay),
            unique_rows: sizes.iter().filter(|&&size| size == 1).count() as u64,
            smallest: sizes.iter().copied().min().unwrap_or(0),
            prosecutor: sizes.iter().map(|&size| 1.0 / size as f64).fold(0.0, f64::max),
            marketer: share(sizes.iter().map(|&size| 1.0 / size as f64).sum()),
            at_risk: share(sizes.iter().filter(|&&size| size < 5).count() as f64),
        };
        let before = RowRisk { rows: stay.len() as u64, ..RowRisk::default() };
        Risks { threshold: 0.2, before, after }
    }

    fn step_facts(&self, stay: &[bool]) -> Vec<StepFacts> {
        let top = |levels: &BTreeMap<String, usize>, q: &String| levels[q] == self.case.height(q);
        let facts = |(step, levels): (usize, &BTreeMap<String, usize>)| {
            let rows = (0..stay.len()).filter(|&row| stay[row] && self.step_of[row] == step).count() as u64;
            let new = |q: &&String| top(levels, q) && !top(&self.case.levels, q);
            let starred = rows * self.quasi.iter().filter(new).count() as u64;
            StepFacts { levels: levels.clone(), rows, starred }
        };
        match self.steps.len() {
            1 => Vec::new(),
            _ => self.steps.iter().enumerate().map(facts).collect(),
        }
    }

    /// The release as the definitions of losses see it, with the policy's weights or none.
    fn cells(&self, stay: &[bool], weighted: bool) -> Released {
        let column = |(c, name): (usize, &String)| {
            let label = |row: &Row, level| self.case.label(name, row[c].as_deref(), level);
            let labels = |level| self.raw.iter().map(|row| label(row, level)).collect::<Vec<_>>();
            let values = |level: usize| firsts(&labels(level));
            let weight = self.policy.columns[name].weight.filter(|_| weighted);
            Cells {
                weight: weight.unwrap_or(1.0),
                leaves: self.leaves_of(c).len(),
                first: self.case.levels[name],
                level: (0..stay.len()).map(|row| self.level(row, c)).collect(),
                under: (0..stay.len()).map(|row| self.leaves(row, c).0 as usize).collect(),
                values: (0..=self.case.height(name)).map(values).collect(),
            }
        };
        let labels = |target: &str| {
            let at = self.case.columns.iter().position(|c| c == target).unwrap();
            firsts(&self.case.rows.iter().map(|row| &row[at]).collect::<Vec<_>>())
        };
        Released {
            stay: stay.to_vec(),
            classes: firsts(&self.general),
            columns: self.quasi.iter().enumerate().map(column).collect(),
            targets: self.policy.with_role(Role::Target).into_iter().map(labels).collect(),
        }
    }

    /// All leaves of a column; missing is one where it occurs.
    fn leaves_of(&self, c: usize) -> Vec<Option<&str>> {
        let leaves = self.case.paths[&self.quasi[c]].iter().map(|p| Some(p.leaf.as_str()));
        leaves.chain(self.missed[c].then_some(None)).collect()
    }

    /// Leaves under a row's cell, and all leaves.
    fn leaves(&self, row: usize, c: usize) -> (f64, f64) {
        let (name, level, leaves) = (&self.quasi[c], self.level(row, c), self.leaves_of(c));
        let under =
            leaves.iter().filter(|leaf| self.case.label(name, **leaf, level) == self.general[row][c]).count();
        (under as f64, leaves.len() as f64)
    }

    /// The losses that are defined for the table.
    fn kinds(&self) -> impl Iterator<Item = LossKind> {
        let labels = !self.policy.with_role(Role::Target).is_empty();
        LossKind::ALL.iter().copied().filter(move |kind| labels || !kind.needs_target())
    }

    fn losses(&self, stay: &[bool]) -> BTreeMap<String, f64> {
        let (plain, weighted) = (self.cells(stay, false), self.cells(stay, true));
        let wanted = self.policy.search.loss.parameters();
        let loss = |kind: LossKind| match kind == wanted.kind {
            true => weighted.loss(&wanted),
            false => plain.loss(&LossParameters::new(kind)),
        };
        self.kinds().map(|kind| (kind.to_string(), loss(kind))).collect()
    }

    /// Loss → column → its part, with all defaults.
    fn by_column(&self, stay: &[bool]) -> BTreeMap<String, BTreeMap<String, f64>> {
        let cells = self.cells(stay, false);
        let parts = |kind: LossKind| {
            let parts = cells.parts(&LossParameters::new(kind))?;
            Some((kind.to_string(), self.quasi.iter().cloned().zip(parts).collect()))
        };
        self.kinds().filter_map(parts).collect()
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
