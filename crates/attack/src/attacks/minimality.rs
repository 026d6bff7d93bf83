//! Minimality [Wong 2007]: the adversary knows that cells were generalized only where that was
//! necessary, and concludes why.
//!
//! A class that covers several original tuples, each with at least k people, was formed because
//! somebody's sensitive values among them violated the policy. The adversary knows who has which
//! quasi-identifiers. Over all ways to deal the class's values to these people in which at least
//! one tuple violates the policy, the share in which a target has a value is its credibility. The
//! attack succeeds if the credibility of the target's own value is above what the policy promises.
//! Ways are counted exactly, by products of polynomials; costs rows² per class and value.

use rayon::prelude::*;
use throng_terms::error::{Fault, Result};
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::groups::Groups;
use crate::rate::Rate;
use crate::scene::{Bound, Scene};
use crate::table::Column;
use crate::tree::Tree;
use crate::view::counted;

/// Classes of more rows are left out: chance evens them out, and ways are many.
const ROWS: u64 = 400;

pub(crate) struct Minimality;

impl Attack for Minimality {
    fn name(&self) -> &'static str {
        "minimality"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows that cells were generalized only where the policy required it; the target's value becomes more credible than the policy promises."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive, Need::Bound, Need::AllColumns]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for (name, bound) in &scene.roles.bounds {
            watch.check()?;
            let column = scene.sensitive.iter().copied().find(|&at| scene.roles.sensitive[at] == *name);
            let Some(column) = column else { continue };
            let [success, control] = attacked(scene, column, *bound)?;
            let control = (control, "the shares of the values in the class");
            findings.push(Finding::new(self, success, control).about(name));
        }
        Ok(findings)
    }
}

fn attacked(scene: &Scene, column: usize, bound: Bound) -> Result<[Rate; 2]> {
    let original = scene.original.as_ref().ok_or_else(|| Fault::bug("an attack has no original"))?;
    let quasi: Vec<&Column> = original.columns[..scene.roles.quasi.len()].iter().collect();
    let groups = Groups::new(&quasi, original.rows);
    let tree = Tree::new(quasi.len(), groups.len(), |at| groups.tuple(at), |at| groups.count(at));
    let sensitive = original.columns.iter().find(|c| c.name == scene.roles.sensitive[column]);
    let sensitive = sensitive.ok_or_else(|| Fault::bug("an attack has no sensitive column"))?;
    let k = scene.roles.k.max(1);
    let of_class = |class: usize| -> [u64; 2] {
        let query = scene.view.query(class);
        let people = tree.count(&query);
        if people != u64::from(scene.view.classes.count(class)) || people > ROWS {
            return [0, 0];
        }
        let mut tuples = Vec::new();
        tree.each(&query, |id| tuples.push(id as usize));
        if tuples.len() < 2 || tuples.iter().any(|&at| u64::from(groups.count(at)) < k) {
            return [0, 0];
        }
        let sizes: Vec<u64> = tuples.iter().map(|&at| u64::from(groups.count(at))).collect();
        let values = tuples.iter().flat_map(|&at| groups.rows(at)).map(|&row| sensitive.codes[row as usize]);
        let mut found = [0, 0];
        for (value, rows) in counted(values) {
            let credible = credibility(&sizes, u64::from(rows), bound);
            let share = f64::from(rows) / people as f64;
            for (&tuple, credible) in tuples.iter().zip(credible) {
                let own = groups.rows(tuple).iter().filter(|&&row| sensitive.codes[row as usize] == value);
                let own = own.count() as u64;
                found[0] += if credible > promised(bound) + 1e-9 { own } else { 0 };
                found[1] += if share > promised(bound) + 1e-9 { own } else { 0 };
            }
        }
        found
    };
    let sum = |a: [u64; 2], b: [u64; 2]| [a[0] + b[0], a[1] + b[1]];
    let found = (0..scene.view.classes.len()).into_par_iter().map(of_class).reduce(|| [0, 0], sum);
    Ok(found.map(|successes| Rate::new(successes.min(original.rows as u64), original.rows as u64)))
}

/// The greatest probability that the policy promises.
fn promised(bound: Bound) -> f64 {
    match bound {
        Bound::Share(share) => share,
        Bound::Distinct(values) => 1.0 / values.max(1) as f64,
    }
}

/// Whether this number of rows with one value violates the bound in a tuple of a size.
fn violates(rows: u64, size: u64, bound: Bound) -> bool {
    match bound {
        Bound::Share(share) => rows as f64 > share * size as f64 + 1e-9,
        // Too few other rows to have the other values.
        Bound::Distinct(values) => rows > 0 && size - rows < values.saturating_sub(1),
    }
}

/// Tuple → probability that one of its people has the value, given that at least one tuple violates
/// the bound; `rows` people of all have it.
fn credibility(sizes: &[u64], rows: u64, bound: Bound) -> Vec<f64> {
    let limit = rows as usize;
    let whole: Vec<Vec<f64>> = sizes.iter().map(|&size| binomials(size, limit)).collect();
    let safe: Vec<Vec<f64>> = sizes
        .iter()
        .zip(&whole)
        .map(|(&size, ways)| {
            let keep = |(j, &ways): (usize, &f64)| if violates(j as u64, size, bound) { 0.0 } else { ways };
            ways.iter().enumerate().map(keep).collect()
        })
        .collect();
    let people: u64 = sizes.iter().sum();
    let all = at(&products(&whole, limit)[sizes.len()], limit);
    // Products of the first tuples, and of the last ones.
    let first = products(&safe, limit);
    let last = products(&safe.iter().rev().cloned().collect::<Vec<_>>(), limit);
    let none = at(&first[sizes.len()], limit);
    let any = all - none;
    let flat = rows as f64 / people as f64;
    // Nothing violates: the class was formed for another reason.
    if any <= all * 1e-12 {
        return vec![flat; sizes.len()];
    }
    let one = |tuple: usize| {
        let (before, after) = (&first[tuple], &last[sizes.len() - 1 - tuple]);
        // Ways of all other tuples to have a number of rows.
        let rest = |rows: usize| -> f64 {
            let from = (rows + 1).saturating_sub(after.len());
            (from..=rows.min(before.len() - 1)).map(|i| before[i] * after[rows - i]).sum()
        };
        let expected = |(j, &ways): (usize, &f64)| {
            if j == 0 || ways == 0.0 || j > limit { 0.0 } else { j as f64 * ways * rest(limit - j) }
        };
        let expected_safe: f64 = safe[tuple].iter().enumerate().map(expected).sum();
        (all * flat * sizes[tuple] as f64 - expected_safe) / any / sizes[tuple] as f64
    };
    (0..sizes.len()).map(one).collect()
}

fn at(ways: &[f64], place: usize) -> f64 {
    ways.get(place).copied().unwrap_or(0.0)
}

/// Binomial coefficients of a size, up to a limit.
fn binomials(size: u64, limit: usize) -> Vec<f64> {
    let mut ways = vec![1.0];
    for j in 1..=limit.min(size as usize) {
        ways.push(ways[j - 1] * (size as f64 - j as f64 + 1.0) / j as f64);
    }
    ways
}

/// The products of the first polynomials: of none, of one, and so on, up to a limit of the degree.
fn products(all: &[Vec<f64>], limit: usize) -> Vec<Vec<f64>> {
    let mut made = vec![vec![1.0]];
    for ways in all {
        let so_far = &made[made.len() - 1];
        let mut next = vec![0.0; (so_far.len() + ways.len() - 1).min(limit + 1)];
        for (i, a) in so_far.iter().enumerate() {
            for (j, b) in ways.iter().enumerate().take_while(|(j, _)| i + j <= limit) {
                next[i + j] += a * b;
            }
        }
        made.push(next);
    }
    made
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By all ways to deal the value to people.
    fn naive(sizes: &[u64], rows: u64, bound: Bound) -> Vec<f64> {
        let tuple_of: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(at, &size)| std::iter::repeat_n(at, size as usize)).collect();
        let (mut any, mut sums) = (0.0, vec![0.0; sizes.len()]);
        for ways in 0..1u32 << tuple_of.len() {
            if u64::from(ways.count_ones()) != rows {
                continue;
            }
            let mut counts = vec![0; sizes.len()];
            (0..tuple_of.len()).filter(|&at| ways >> at & 1 == 1).for_each(|at| counts[tuple_of[at]] += 1);
            if counts.iter().zip(sizes).any(|(&rows, &size)| violates(rows, size, bound)) {
                any += 1.0;
                sums.iter_mut()
                    .zip(counts.iter().zip(sizes))
                    .for_each(|(s, (&n, &size))| *s += n as f64 / size as f64);
            }
        }
        let flat = rows as f64 / tuple_of.len() as f64;
        if any == 0.0 { vec![flat; sizes.len()] } else { sums.iter().map(|sum| sum / any).collect() }
    }

    proptest! {
        #[test]
        fn credibility_is_that_of_all_ways(
            sizes in prop::collection::vec(1..5u64, 2..4),
            rows in 1..5u64,
            share in prop::sample::select(vec![Bound::Share(0.5), Bound::Share(0.34), Bound::Distinct(2), Bound::Distinct(3)]),
        ) {
            prop_assume!(rows <= sizes.iter().sum());
            for (found, expected) in credibility(&sizes, rows, share).iter().zip(naive(&sizes, rows, share)) {
                prop_assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
            }
        }
    }

    /// Two people of one tuple and four of another with two cases together: the cases can only be
    /// both of the two [Wong 2007, introduction].
    #[test]
    fn a_small_tuple_gives_itself_away() {
        let credible = credibility(&[2, 4], 2, Bound::Share(0.5));
        assert!((credible[0] - 1.0).abs() < 1e-9, "{credible:?}");
        assert!(credible[1].abs() < 1e-9);
    }
}
