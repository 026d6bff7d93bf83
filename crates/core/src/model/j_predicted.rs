//! j-anonymity, predicted [Katirai 2006, "Introducing the concept of j-anonymity"]: a class of
//! fewer than k rows may be released if a Bayesian network fitted to the table predicts k people
//! like them.
//!
//! The network assigns probability p to a class. Of the p·n rows that it represents, one is the row
//! of the person in question, which is present however rare such people are, and one comes from
//! smoothing. The other p·n − 2 of n − 1 rows may be chance, so p is replaced by its lower
//! confidence limit p₋ [Clopper 1934] at half the allowed error. The c rows of the class are
//! people; each person outside the table is like them with probability p₋. A class is safe if it
//! has k rows, or if c + Bin(people − n, p₋) reaches k with the other half of the error. For the
//! person of each row the statement is wrong with probability at most 1 − confidence, provided that
//! the table is a random sample and the network's independence assumptions hold. The confidence
//! holds for each class, not jointly.
//!
//! Monotone: merging adds rows and probabilities, and suppressing rows changes nobody outside the
//! table. Costs the probability of every class of fewer than k rows, and one threshold per number
//! of rows.

use std::sync::OnceLock;

use super::j_counted::{enough, greatest, rows_below};
use super::{ModelFacts, PrivacyModel, Setting, Verdict};
use crate::classes::{Flags, View};
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::network::{Entries, Fit, Network, fit};
use crate::policy::{JAnonymity, ModelKind};
use crate::population::{at_least, beta};
use crate::release::{Foresight, PredictedBy, PredictedFacts};

/// At least k people per class, as a network of the table predicts them.
#[derive(Debug)]
pub struct JPredicted {
    facts: ModelFacts,
    k: u64,
    people: u64,
    confidence: f64,
    rows: u64,
    network: Network,
    /// The network's columns, which are in the order of their names, as columns of the table.
    columns: Vec<usize>,
    /// Rows of a class, less 1 → the probability that it then needs.
    needed: Vec<OnceLock<f64>>,
}

/// Rows of a class that carry no evidence about similar people: the row of the person in question,
/// and the row that smoothing adds to every label.
const TAKEN_OFF: f64 = 2.0;

impl JPredicted {
    /// As a policy asks, from the table of a setting.
    ///
    /// # Errors
    /// Fewer people than rows, or a table that no network can be fitted to;
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
    pub fn new(claim: String, asked: &JAnonymity, setting: &Setting<'_>) -> Result<Self> {
        let (Some(classes), Some(people)) = (setting.classes, asked.people) else {
            return Err(Fault::bug("a prediction without a table or a number of people").into());
        };
        enough(people, classes.rows(), "table")?;
        let mut columns: Vec<usize> = (0..setting.quasi.len()).collect();
        columns.sort_by_key(|&column| &setting.quasi[column]);
        let names: Vec<String> = columns.iter().map(|&column| setting.quasi[column].clone()).collect();
        let hierarchies: Vec<Hierarchy> =
            columns.iter().map(|&column| setting.hierarchies[column].clone()).collect();
        let codes = |&column: &usize| (0..classes.len()).map(|class| classes.code(class, column)).collect();
        let entries = Entries::new(columns.iter().map(codes).collect(), classes.counts().to_vec())?;
        let watch = setting.watch.cloned().unwrap_or_default();
        let asked_fit = Fit { parents: asked.parents(), ..Fit::default() };
        let network = fit(&names, &hierarchies, &entries, asked_fit, &watch)?;
        Ok(JPredicted {
            facts: ModelFacts::monotone(ModelKind::JAnonymity, claim),
            k: asked.k,
            people,
            confidence: asked.confidence(),
            rows: classes.rows(),
            network,
            columns,
            needed: (1..asked.k.min(classes.rows() + 1)).map(|_| OnceLock::new()).collect(),
        })
    }

    /// What may go wrong at each of the two places.
    fn error(&self) -> f64 {
        (1.0 - self.confidence) / 2.0
    }

    /// The probability that a class of this many rows (fewer than k) needs; infinite if none
    /// suffices.
    fn needed(&self, rows: u32) -> f64 {
        *self.needed[rows as usize - 1].get_or_init(|| {
            let (more, others) = (self.k - u64::from(rows), self.people - self.rows);
            if more > others {
                return f64::INFINITY;
            }
            let lower = least(1.0, |p| at_least(more, others, p) >= 1.0 - self.error());
            // The limit of x rows reaches `lower` where I_lower(x, others + 1) falls to the error.
            let (n, most) = (self.rows as f64, self.rows as f64 - TAKEN_OFF);
            let enough = |x: f64| beta(lower, x, n - x) <= self.error();
            if most > 0.0 && enough(most) { (least(most, enough) + TAKEN_OFF) / n } else { f64::INFINITY }
        })
    }

    /// The largest number of people that a class with these rows and this probability is assumed to
    /// have.
    fn most(&self, rows: u64, probability: f64) -> u64 {
        let n = self.rows as f64;
        let (x, others) = (probability * n - TAKEN_OFF, self.people - self.rows);
        if x <= 0.0 {
            return rows;
        }
        let lower = least(1.0, |p| beta(p, x, n - x) >= self.error());
        rows + greatest(0, others, |more| at_least(more, others, lower) >= 1.0 - self.error())
    }

    /// Calls `each` with the probability of some classes.
    fn probabilities(
        &self,
        classes: &View<'_>,
        which: impl Iterator<Item = usize>,
        mut each: impl FnMut(usize, f64),
    ) {
        let levels: Vec<usize> = self.columns.iter().map(|&column| classes.node().level(column)).collect();
        let mut at_node = self.network.at_node(&levels);
        let mut labels = vec![0; self.columns.len()];
        for class in which {
            for (label, &column) in labels.iter_mut().zip(&self.columns) {
                *label = classes.code(class, column);
            }
            each(class, at_node.probability(&labels));
        }
    }

    /// The least that a released class is taken to have.
    fn least_people(&self, classes: &View<'_>, flags: &Flags) -> Option<u64> {
        let counts = classes.counts();
        let mut released: Vec<usize> = (0..classes.len()).filter(|&class| !flags.has(class)).collect();
        released.sort_by_key(|&class| counts[class]);
        let mut found: Option<u64> = None;
        // Of classes of equal rows the one of least probability; a class has no fewer people than
        // rows.
        for equal in released.chunk_by(|&a, &b| counts[a] == counts[b]) {
            let rows = u64::from(counts[equal[0]]);
            if found.is_some_and(|found| found <= rows) {
                break;
            }
            let mut probability = 1.0f64;
            self.probabilities(classes, equal.iter().copied(), |_, p| probability = probability.min(p));
            let people = self.most(rows, probability);
            found = Some(found.map_or(people, |found| found.min(people)));
        }
        found
    }

    /// The people that it predicts of the released classes.
    fn predicted(&self, classes: &View<'_>, flags: &Flags) -> PredictedFacts {
        let edge = |edge: crate::network::EdgeFacts| PredictedBy {
            column: edge.to,
            level: edge.to_level,
            from: edge.from,
            from_level: edge.from_level,
        };
        PredictedFacts {
            k: self.k,
            people: self.people,
            confidence: self.confidence,
            from: Foresight::Network,
            rows: rows_below(self.k, classes, flags),
            edges: self.network.facts().edges.into_iter().map(edge).collect(),
        }
    }
}

/// The least number up to one that fits, where all above one that fits do, too; to the last digit.
fn least(mut high: f64, fits: impl Fn(f64) -> bool) -> f64 {
    let mut low = 0.0;
    loop {
        let mid = low + (high - low) / 2.0;
        if mid <= low || mid >= high {
            return high;
        }
        if fits(mid) {
            high = mid;
        } else {
            low = mid;
        }
    }
}

impl PrivacyModel for JPredicted {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let counts = classes.counts();
        let doubtful = |class: &usize| u64::from(counts[*class]) < self.k && !flags.has(*class);
        let small: Vec<usize> = (0..classes.len()).filter(doubtful).collect();
        self.probabilities(classes, small.into_iter(), |class, probability| {
            if probability < self.needed(counts[class]) {
                flags.flag(class, counts[class]);
            }
        });
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let verdict = Verdict::at_least(self.k, self.least_people(classes, flags));
        Some(Verdict { predicted: Some(self.predicted(classes, flags)), ..verdict })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::classes::{Classes, Groups};
    use crate::hierarchy::Path;
    use crate::lattice::Node;
    use crate::network::Cell;
    use crate::table::Code;

    /// Twelve leaves in fours, six in pairs, five by themselves; the names are not in the table's
    /// order.
    fn hierarchies() -> Vec<Hierarchy> {
        let build = |leaves: usize, group: usize| {
            let path =
                |leaf: usize| Path { leaf: format!("{leaf}"), labels: vec![format!("g{}", leaf / group)] };
            Hierarchy::new((0..leaves).map(path).collect(), false).unwrap()
        };
        vec![build(12, 4), build(6, 2), build(5, 1)]
    }

    fn names() -> Vec<String> {
        ["m", "z", "a"].map(String::from).to_vec()
    }

    /// A person: the second cell mostly follows from the first, the third is by itself; high
    /// numbers are rare.
    fn person(random: &mut ChaCha8Rng) -> Vec<Code> {
        let mut below = |n: u32| random.next_u32() % n;
        let rare = |a: u32, b: u32| a.min(b);
        let first = rare(below(12), below(12));
        let second = if below(4) > 0 { first / 2 } else { rare(below(6), below(6)) };
        vec![first, second, rare(below(5), below(5))]
    }

    fn asked(k: u64, people: u64, confidence: f64) -> JAnonymity {
        JAnonymity { k, people: Some(people), confidence: Some(confidence), population: None, parents: None }
    }

    fn model(classes: &Classes, hierarchies: &[Hierarchy], asked: &JAnonymity) -> JPredicted {
        let quasi = names();
        let setting = Setting { classes: Some(classes), hierarchies, quasi: &quasi, ..Setting::default() };
        JPredicted::new("j".into(), asked, &setting).unwrap()
    }

    /// The classes of a table at a node.
    fn view_of(rows: &[Vec<Code>], hierarchies: &[Hierarchy], node: &[usize]) -> Vec<(Vec<Code>, u64)> {
        let mut classes = std::collections::BTreeMap::new();
        for row in rows {
            let look: Vec<Code> = row
                .iter()
                .zip(hierarchies)
                .zip(node)
                .map(|((&c, h), &level)| h.generalize(c, level))
                .collect();
            *classes.entry(look).or_default() += 1;
        }
        classes.into_iter().collect()
    }

    /// A view needs a table whose classes are those of the node: rows of the first leaf under each
    /// label.
    fn judged(
        model: &JPredicted,
        rows: &[Vec<Code>],
        hs: &[Hierarchy],
        node: &[usize],
    ) -> (Vec<bool>, Verdict, u64) {
        let first = |c: usize, label: Code| {
            (0..hs[c].leaf_count() as Code).find(|&leaf| hs[c].generalize(leaf, node[c]) == label).unwrap()
        };
        let general = |row: &Vec<Code>| -> Vec<Code> {
            row.iter().enumerate().map(|(c, &leaf)| first(c, hs[c].generalize(leaf, node[c]))).collect()
        };
        let classes = Classes::of_rows(3, rows.iter().map(general)).unwrap();
        let (node, groups) =
            (Node::new(node.iter().map(|&l| l as _).collect::<Vec<_>>()), Groups::identity(&classes));
        let view = View::new(&classes, hs, &node, &groups);
        let mut flags = Flags::default();
        flags.reset(view.len());
        model.violations(&view, &mut flags);
        let safe = (0..view.len()).map(|class| !flags.has(class)).collect();
        let verdict = model.verdict(&view, &flags).unwrap();
        let rows = verdict.predicted.as_ref().unwrap().rows;
        (safe, verdict, rows)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// Class by class from the definition: the lower limit first, then the people that are as
        /// good as certain.
        #[test]
        fn classes_are_judged_by_the_definition(
            seed in 0u64..1000, n in 5usize..120, more in 0u64..3000, k in 1u64..9, confidence in 0.5f64..0.99,
            node in [0usize..3, 0usize..3, 0usize..3],
        ) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let rows: Vec<Vec<Code>> = (0..n).map(|_| person(&mut random)).collect();
            let hs = hierarchies();
            let node: Vec<usize> = node.iter().zip(&hs).map(|(&l, h)| l.min(h.height())).collect();
            let people = n as u64 + more;
            let asked = asked(k.min(people), people, confidence);
            let model = model(&Classes::of_rows(3, rows.clone()).unwrap(), &hs, &asked);
            let (safe, verdict, small) = judged(&model, &rows, &hs, &node);
            let error = (1.0 - confidence) / 2.0;
            let (mut worst, mut stay) = (None, 0);
            // Classes come in the order of their first leaves, which is that of the labels.
            for ((look, count), safe) in view_of(&rows, &hs, &node).into_iter().zip(safe) {
                let cell = |c: usize| Cell { level: node[c], code: look[c] };
                let p = model.network.probability(&[cell(2), cell(0), cell(1)]);
                // Of the n − 1 rows beside the first one of the class, less the one that smoothing
                // added.
                let x = p.min(1.0) * n as f64 - 1.0 - 1.0;
                let limit = if x > 0.0 {
                    least(1.0, |q| beta(q, x, (n as f64 - 1.0) - x + 1.0) >= error)
                } else {
                    0.0
                };
                let surely = (0..=more).take_while(|&m| at_least(m, more, limit) >= 1.0 - error).last().unwrap();
                prop_assert_eq!(safe, count + surely >= asked.k, "{:?}: {} rows, p {}", look, count, p);
                if safe {
                    worst = Some(worst.map_or(count + surely, |w: u64| w.min(count + surely)));
                    stay += if count < asked.k { count } else { 0 };
                }
            }
            prop_assert_eq!(verdict.achieved, worst.map(|w| w as f64));
            prop_assert_eq!(small, stay);
            prop_assert!(verdict.holds);
        }
    }

    /// 20 populations that the network describes, 2,000 of 40,000 people each: among the classes
    /// released for their predicted people, the share with fewer than k people is within the
    /// confidence; and many are released.
    #[test]
    fn predicted_people_are_there() {
        let (hs, k, confidence) = (hierarchies(), 12, 0.9);
        let (mut stay, mut wrong) = (0, 0);
        for seed in 0..20 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let everybody: Vec<Vec<Code>> = (0..40_000).map(|_| person(&mut random)).collect();
            // Everybody is drawn alike, so the first are drawn by chance.
            let rows = &everybody[..2000];
            let table = Classes::of_rows(3, rows.to_vec()).unwrap();
            let model = model(&table, &hs, &asked(k, 40_000, confidence));
            let (safe, _, _) = judged(&model, rows, &hs, &[0, 0, 0]);
            let all = view_of(&everybody, &hs, &[0, 0, 0]);
            for ((look, count), safe) in view_of(rows, &hs, &[0, 0, 0]).into_iter().zip(safe) {
                if safe && count < k {
                    stay += 1;
                    let people = all.iter().find(|(other, _)| *other == look).unwrap().1;
                    wrong += u32::from(people < k);
                }
            }
        }
        assert!(stay > 500, "{stay}");
        assert!(f64::from(wrong) < (1.0 - confidence) * f64::from(stay), "{wrong} of {stay}");
    }

    /// A column in which nobody is like anybody, in the population as in the table: single rows say
    /// nothing of others, however many people there are. Two rows say little, and many say much.
    #[test]
    fn rows_that_are_alone_stay_alone() {
        let of = |rows: Vec<Vec<Code>>, leaves: usize, k: u64| {
            let path = |leaf: usize| Path { leaf: format!("{leaf}"), labels: vec![] };
            let hs = [Hierarchy::new((0..leaves).map(path).collect(), false).unwrap()];
            let classes = Classes::of_rows(1, rows).unwrap();
            let quasi = ["a".to_owned()];
            let setting =
                Setting { classes: Some(&classes), hierarchies: &hs, quasi: &quasi, ..Setting::default() };
            let model = JPredicted::new("j".into(), &asked(k, 300_000_000, 0.95), &setting).unwrap();
            let (node, groups) = (Node::new(vec![0]), Groups::identity(&classes));
            let view = View::new(&classes, &hs, &node, &groups);
            let mut flags = Flags::default();
            flags.reset(view.len());
            model.violations(&view, &mut flags);
            let safe: Vec<bool> = (0..view.len()).map(|class| !flags.has(class)).collect();
            (safe, model.most(1, model.network.probability(&[Cell { level: 0, code: 0 }])))
        };
        let (safe, most) = of((0..500).map(|i| vec![i]).collect(), 500, 2);
        assert!(safe.iter().all(|safe| !safe) && most == 1);
        // The one `yes` among a thousand is as alone: half of the row that smoothing adds is its
        // own.
        let (safe, most) = of((0..1000).map(|i| vec![u32::from(i != 0)]).collect(), 2, 2);
        assert_eq!((safe, most), (vec![false, true], 1));
        let (safe, most) = of((0..1000).map(|i| vec![u32::from(i >= 4)]).collect(), 2, 5);
        assert!(safe[0] && most > 10_000, "{safe:?} {most}");
    }

    #[test]
    fn nobody_else_is_nobody_else() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let rows: Vec<Vec<Code>> = (0..90).map(|_| person(&mut random)).collect();
        let (hs, table) = (hierarchies(), Classes::of_rows(3, rows.clone()).unwrap());
        let model = model(&table, &hs, &asked(3, 90, 0.6));
        let (safe, verdict, small) = judged(&model, &rows, &hs, &[0, 0, 0]);
        let counts: Vec<u64> = view_of(&rows, &hs, &[0, 0, 0]).into_iter().map(|(_, n)| n).collect();
        assert!(safe.iter().zip(&counts).all(|(safe, n)| *safe == (*n >= 3)) && safe.contains(&true));
        assert_eq!((verdict.achieved, small), (Some(3.0), 0));
        let few = JPredicted::new(
            "j".into(),
            &asked(3, 89, 0.6),
            &Setting { classes: Some(&table), hierarchies: &hs, quasi: &names(), ..Setting::default() },
        );
        assert!(few.unwrap_err().to_string().contains("more than the 89 people"));
        let watch = crate::watch::Watch::none();
        watch.cancel().finish();
        let quasi = names();
        let setting =
            Setting { classes: Some(&table), hierarchies: &hs, quasi: &quasi, ..Setting::default() };
        let stopped = Setting { watch: Some(&watch), ..setting };
        assert!(JPredicted::new("j".into(), &asked(3, 90, 0.6), &stopped).unwrap_err().is_cancelled());
    }
}
