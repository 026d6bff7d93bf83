//! (c, k)-safety [Martin 2007]: an adversary who knows the release, the class of each person and
//! any k basic implications about the people in the table can infer no person's value with
//! probability c or more.
//!
//! An atom states that a person has a value. A basic implication states that if some atoms hold,
//! then one of some other atoms holds. The paper proves that the worst k implications are A₁ → C,
//! …, A_k → C with one consequent C. They state that C holds or none of the Aᵢ does, so the
//! probability of C becomes 1/(1 + R) with R = P(neither C nor any Aᵢ) / P(C). Classes are
//! independent, and the values of a class are assigned to its people at random, so P(neither …) is
//! a product over classes. In one class the worst h atoms (MINIMIZE1 in the paper) concern a few
//! people, each with the most frequent values. With u₀ ≥ u₁ ≥ … values per person, they are avoided
//! with probability Π (n − i − rows of the uᵢ most frequent values) / (n − i). The k + 1 atoms may
//! be spread over several classes (MINIMIZE2), so this is a model of the whole table.
//!
//! **Flagging.** The figure of a class is the largest probability that an atom about a person in it
//! can reach, with atoms in any released class; the figure of the table is the maximum. A class is
//! flagged first if its figure on its own is c or more, because such a class would raise the figure
//! of all others, and then if its figure among the remaining classes is c or more. Without the
//! flagged classes there are fewer atoms to choose from and no other figure rises, so the remaining
//! classes are safe. They are not necessarily the largest safe set.
//!
//! **Regions** are formed one by one, and the figure of one depends on all. They aim at [`Even`],
//! which every class can satisfy by itself and which suffices: if in every class m atoms are avoided
//! with probability q^m or more, for every m up to k + 1, then those of all classes together are
//! avoided with q^(k+1) or more, and no atom has a probability above 1 − q. So R is at least
//! q^(k+1)/(1 − q), and q is chosen to make that (1 − c)/c.
//!
//! People with a missing cell are left out of their class and protect nobody. Merging classes never
//! raises the largest figure (theorem of the paper), so the model is monotone if no row may be
//! suppressed; otherwise merging can flag a class. Costs k² per class for the whole table, and k³
//! and a sort per class.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::{Build, ModelFacts, PrivacyModel, Sensitive, Setting, Values, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::{CkSafety as Asked, ModelKind};

/// Nobody's value becomes likely by a few implications.
#[derive(Debug, Clone)]
pub struct CkSafety {
    facts: ModelFacts,
    column: Sensitive,
    c: f64,
    /// Atoms that an adversary chooses: one more than implications.
    atoms: usize,
    /// What regions aim at.
    even: Even,
}

/// In every class by itself: m atoms are avoided with probability q^m or more. The figure is the
/// least m-th root of that probability.
#[derive(Debug, Clone)]
pub struct Even {
    facts: ClassFacts,
    column: Sensitive,
    atoms: usize,
}

impl Even {
    fn new(claim: String, column: Sensitive, c: f64, atoms: usize) -> Self {
        // A little less than c, so that rounding does not matter.
        let c = c - 1e-6;
        let enough = |q: f64| q.powi(atoms as i32) * c >= (1.0 - c) * (1.0 - q);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if enough(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let facts = ClassFacts::new(ModelKind::CkSafety, claim, column.measured, Bound::AtLeast(high));
        Even { facts, column, atoms }
    }
}

impl ClassModel for Even {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        let worst = Worst::new(class, self.column, self.atoms);
        let root = |atoms: usize| worst.none[atoms].powf(1.0 / atoms as f64);
        (1..=self.atoms).map(root).fold(1.0, f64::min)
    }
}

/// The worst case of a class: atoms → the least probability that none of them holds, and the
/// probability of the most likely one.
struct Worst {
    none: Vec<f64>,
    likeliest: f64,
}

impl CkSafety {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Self {
        let column = column.sensitive();
        let facts = ModelFacts {
            monotone: strict,
            judged_last: true,
            needs: vec![column.measured],
            ..ModelFacts::new(ModelKind::CkSafety, claim)
        };
        let atoms = asked.knowledge + 1;
        let even = Even::new(facts.claim.clone(), column, asked.c, atoms);
        CkSafety { facts, column, c: asked.c, atoms, even }
    }

    fn bound(&self) -> Bound {
        Bound::WellBelow(self.c)
    }

    /// Class → its figure among the classes that are not flagged; flagged ones have none.
    fn figures(&self, classes: &View<'_>, flags: &Flags) -> Vec<Option<f64>> {
        let worst = |class: usize| (!flags.has(class)).then(|| self.worst(classes, class));
        let worst: Vec<Option<Worst>> = (0..classes.len()).map(worst).collect();
        let mut before = vec![no_atoms(self.atoms)];
        for class in &worst {
            let last = &before[before.len() - 1];
            before.push(class.as_ref().map_or_else(|| last.clone(), |class| spread(last, &class.none)));
        }
        let mut behind = no_atoms(self.atoms);
        let mut figures = vec![None; worst.len()];
        for (at, class) in worst.iter().enumerate().rev() {
            let Some(class) = class else { continue };
            figures[at] = Some(self.figure(class, &spread(&before[at], &behind)));
            behind = spread(&behind, &class.none);
        }
        figures
    }

    /// The figure of a class beside what the others give.
    fn figure(&self, class: &Worst, others: &[f64]) -> f64 {
        // C is one of the atoms in the class itself.
        let own = (1..=self.atoms).filter(|own| others[self.atoms - own].is_finite());
        let least = own.map(|own| class.none[own] * others[self.atoms - own]).fold(f64::INFINITY, f64::min);
        if class.likeliest > 0.0 { class.likeliest / (class.likeliest + least) } else { 0.0 }
    }

    fn worst(&self, classes: &View<'_>, class: usize) -> Worst {
        let (codes, counts) = classes.histogram(self.column.measured, class);
        Worst::new(Class { codes, counts }, self.column, self.atoms)
    }
}

impl Worst {
    /// MINIMIZE1 of the paper.
    fn new(class: Class<'_>, column: Sensitive, all: usize) -> Worst {
        let mut rows: Vec<u64> = class.present(column.missing).map(|(_, n)| u64::from(n)).collect();
        rows.sort_unstable_by(|a, b| b.cmp(a));
        let n: u64 = rows.iter().sum();
        let mut most = vec![0; all + 1];
        for values in 1..=all {
            most[values] = most[values - 1] + rows.get(values - 1).copied().unwrap_or(0);
        }
        // Least products for the people from one on, with bounds on the values per person and on
        // the atoms.
        let people = (all as u64).min(n) as usize;
        let mut next = vec![no_atoms(all); all + 1];
        for person in (0..people as u64).rev() {
            let left = n - person;
            let avoided = |values: usize| left.saturating_sub(most[values]) as f64 / left as f64;
            let mut here = vec![no_atoms(all); all + 1];
            for values in 1..=all {
                for atoms in 1..=all {
                    let fewer = here[values - 1][atoms];
                    let with = (atoms >= values).then(|| avoided(values) * next[values][atoms - values]);
                    here[values][atoms] = with.map_or(fewer, |with| with.min(fewer));
                }
            }
            next = here;
        }
        let none = next.pop().unwrap_or_default();
        Worst { none: at_most(none), likeliest: rows.first().map_or(0.0, |&top| top as f64 / n as f64) }
    }
}

/// Nothing is avoided with no atoms, and nobody is there for any others.
fn no_atoms(atoms: usize) -> Vec<f64> {
    std::iter::once(1.0).chain(std::iter::repeat_n(f64::INFINITY, atoms)).collect()
}

/// Atoms may be repeated: at most the given number.
fn at_most(mut none: Vec<f64>) -> Vec<f64> {
    for atoms in 1..none.len() {
        none[atoms] = none[atoms].min(none[atoms - 1]);
    }
    none
}

/// The least product for every number of atoms, some here and the others there.
fn spread(here: &[f64], there: &[f64]) -> Vec<f64> {
    let least = |atoms: usize| {
        let parts = (0..=atoms).filter(|&h| here[h].is_finite() && there[atoms - h].is_finite());
        parts.map(|h| here[h] * there[atoms - h]).fold(f64::INFINITY, f64::min)
    };
    (0..here.len()).map(least).collect()
}

impl PrivacyModel for CkSafety {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let nobody = no_atoms(self.atoms);
        for class in 0..classes.len() {
            if !flags.has(class) && !self.bound().holds(self.figure(&self.worst(classes, class), &nobody)) {
                flags.flag(class, classes.counts()[class]);
            }
        }
        let figures = self.figures(classes, flags);
        for (class, figure) in figures.into_iter().enumerate() {
            if figure.is_some_and(|figure| !self.bound().holds(figure)) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let achieved = self.figures(classes, flags).into_iter().flatten().reduce(f64::max);
        Some(Verdict::within(self.bound(), achieved))
    }

    fn aim(&self) -> Option<&dyn ClassModel> {
        Some(&self.even)
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(CkSafety::new(claim, self, setting.column()?, setting.strict)))
    }
}
