//! Models that compare with a population, or estimate it, person by person.

use std::collections::BTreeMap;

use super::super::Row;
use super::super::foreseen::{Seen, counted};
use super::Table;
use throng_terms::policy::{JAnonymity, ModelSpec};
use throng_terms::release::{Claim, Foresight, PredictedBy, PredictedFacts};

impl Table<'_> {
    /// The people who look like a row.
    pub(super) fn people_of(&self, general: &Row) -> f64 {
        self.people.iter().filter(|person| *person == general).count() as f64
    }

    /// The share of the people who look like somebody that are in the release.
    pub(super) fn share_of(&self, general: &Row, stay: &[bool]) -> f64 {
        let rows = (0..stay.len()).filter(|&row| stay[row] && self.general[row] == *general).count();
        rows as f64 / self.people_of(general)
    }

    /// Whether a row's class is big enough, and not too much of it in the table.
    pub(super) fn among_people(&self, row: usize, stay: &[bool]) -> bool {
        let general = &self.general[row];
        self.policy.privacy.models.iter().all(|asked| match asked {
            ModelSpec::KMap(asked) => self.people_of(general) >= asked.k as f64,
            ModelSpec::JAnonymity(asked) => self.likely(asked, row) >= asked.k,
            ModelSpec::DeltaPresence(asked) => self.share_of(general, stay) <= asked.max,
            _ => true,
        })
    }

    /// The table as its network sees it.
    pub(super) fn seen(&self) -> &Seen {
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
    pub(super) fn likely(&self, asked: &JAnonymity, row: usize) -> u64 {
        let key = (format!("{asked:?}"), self.general[row].clone());
        if let Some(&known) = self.likely.borrow().get(&key) {
            return known;
        }
        let people = self.estimated(asked, row);
        self.likely.borrow_mut().insert(key, people);
        people
    }

    pub(super) fn estimated(&self, asked: &JAnonymity, row: usize) -> u64 {
        match asked.population {
            Some(_) => counted(asked, self.people_of(&self.general[row]) as u64, self.people.len() as u64),
            None => {
                let levels: Vec<usize> = self.quasi.iter().map(|name| self.case.levels[name]).collect();
                self.seen().people(asked, row, &levels)
            }
        }
    }

    /// Facts about likely people.
    pub(super) fn predicted(&self, stay: &[bool]) -> BTreeMap<String, PredictedFacts> {
        let facts = |model: &ModelSpec| {
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
        self.policy.privacy.models.iter().filter_map(facts).collect()
    }

    /// Whether enough of everybody's class is in the release.
    pub(super) fn all_present(&self, stay: &[bool]) -> bool {
        self.policy.privacy.models.iter().all(|asked| match asked {
            ModelSpec::DeltaPresence(asked) => {
                self.people.iter().all(|person| self.share_of(person, stay) >= asked.min)
            }
            _ => true,
        })
    }

    /// The claims about people.
    pub(super) fn people_claims(&self, stay: &[bool]) -> Vec<(String, Claim)> {
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
}
