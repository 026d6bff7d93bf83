//! Exact inference: the probabilities of all classes of one node, by variable elimination
//! [Zhang 1994].
//!
//! A node gives every column a level, and a class a label at it. Fields that no known label depends
//! on sum to 1 and are left out first. The states of a column are then the labels of its lowest
//! level that is left; below a known label there are several if another column depends on a lower
//! level. Columns are eliminated in the order of the network, and each leaves a message: a table
//! over the columns that are still to be eliminated. Messages are kept for the next class, by the
//! labels that they depend on. Costs, per class, one hash per column, and the cells of the messages
//! that are new.

use rustc_hash::FxHashMap;

use super::Network;
use super::family::Family;
use crate::table::Code;

/// Numbers that are kept for later classes: 32 MB.
const KEPT: usize = 1 << 22;

/// The network as seen from a node, with what earlier classes computed.
#[derive(Debug)]
pub struct AtNode<'a> {
    network: &'a Network,
    /// Column → label of the node → states under it.
    states: Vec<Vec<Vec<Code>>>,
    /// Column → state → a leaf under it, and its probability as far as it depends on no other column.
    about: Vec<Vec<(Code, f64)>>,
    steps: Vec<Step>,
    /// Step and labels → place in `kept`.
    known: FxHashMap<(usize, Vec<Code>), usize>,
    kept: Vec<Vec<f64>>,
    /// Numbers in `kept`.
    numbers: usize,
    /// Step → place of its message.
    current: Vec<usize>,
    /// Column → the place of its state, while a message is computed.
    place: Vec<usize>,
}

/// The elimination of a column.
#[derive(Debug)]
struct Step {
    column: usize,
    /// Families that are multiplied here: column and place.
    families: Vec<(usize, usize)>,
    /// Earlier steps whose messages are multiplied here.
    messages: Vec<usize>,
    /// Columns that the message is over, ascending.
    scope: Vec<usize>,
    /// Columns whose labels the message depends on, ascending.
    depends: Vec<usize>,
}

impl Network {
    /// The network as it is seen from a level of every column.
    pub fn at_node(&self, levels: &[usize]) -> AtNode<'_> {
        let needed = self.needed(levels);
        let states = |column: usize| {
            let hierarchy = &self.hierarchies[column];
            let mut under = vec![Vec::new(); hierarchy.size(levels[column])];
            let mut seen = vec![false; hierarchy.size(needed[column])];
            for leaf in 0..hierarchy.leaf_count() as Code {
                let state = hierarchy.generalize(leaf, needed[column]);
                if !std::mem::replace(&mut seen[state as usize], true) {
                    under[hierarchy.generalize(leaf, levels[column]) as usize].push(state);
                }
            }
            under
        };
        let states = (0..self.names.len()).map(states).collect();
        AtNode::new(self, &needed, states)
    }

    /// Column → the lowest level whose label matters if labels at some levels are known.
    pub(super) fn needed(&self, levels: &[usize]) -> Vec<usize> {
        let mut needed = levels.to_vec();
        for &column in self.order.iter().rev() {
            let active = self.families[column].iter().filter(|family| family.level >= needed[column]);
            let parents: Vec<_> = active.flat_map(|family| family.parents.iter().copied()).collect();
            for (parent, level) in parents {
                needed[parent] = needed[parent].min(level);
            }
        }
        needed
    }
}

impl<'a> AtNode<'a> {
    /// From the lowest level that matters of every column and the states under every label.
    pub(super) fn new(network: &'a Network, needed: &[usize], states: Vec<Vec<Vec<Code>>>) -> Self {
        let columns = network.names.len();
        let active = |column: usize| {
            let families = network.families[column].iter().enumerate();
            families.filter(move |(_, family)| family.level >= needed[column])
        };
        let factors: Vec<(usize, usize)> =
            (0..columns).flat_map(|column| active(column).map(move |(at, _)| (column, at))).collect();
        AtNode {
            about: (0..columns).map(|column| about(network, column, needed[column])).collect(),
            steps: steps(network, needed, factors),
            states,
            known: FxHashMap::default(),
            kept: Vec::new(),
            numbers: 0,
            current: Vec::new(),
            place: vec![0; columns],
            network,
        }
    }

    /// The probability that a row is in a class, given by its label in every column.
    pub fn probability(&mut self, labels: &[Code]) -> f64 {
        if self.numbers > KEPT {
            self.known.clear();
            self.kept.clear();
            self.numbers = 0;
        }
        self.current.clear();
        let mut probability = 1.0;
        for at in 0..self.steps.len() {
            let step = &self.steps[at];
            let key = (at, step.depends.iter().map(|&column| labels[column]).collect::<Vec<_>>());
            let place = match self.known.get(&key) {
                Some(&place) => place,
                None => {
                    let message = self.message(at, labels);
                    self.numbers += message.len() + key.1.len();
                    self.kept.push(message);
                    self.known.insert(key, self.kept.len() - 1);
                    self.kept.len() - 1
                }
            };
            self.current.push(place);
            if self.steps[at].scope.is_empty() {
                probability *= self.kept[place][0];
            }
        }
        // Sums of shares may pass 1 by a rounding error.
        probability.min(1.0)
    }

    /// The cells of the largest table that a class needs.
    pub(super) fn cells(&self, labels: &[Code]) -> u64 {
        let wide = |&column: &usize| self.states[column][labels[column] as usize].len() as u64;
        let cells = |step: &Step| {
            step.scope.iter().map(wide).fold(wide(&step.column), |cells, wide| cells.saturating_mul(wide))
        };
        self.steps.iter().map(cells).max().unwrap_or(1)
    }

    /// Sums a column out, for every combination of states of the columns in the scope.
    fn message(&mut self, at: usize, labels: &[Code]) -> Vec<f64> {
        let mut place = std::mem::take(&mut self.place);
        let step = &self.steps[at];
        let wide = |column: usize| self.states[column][labels[column] as usize].len();
        let cells = step.scope.iter().map(|&column| wide(column)).product();
        let mut message = Vec::with_capacity(cells);
        step.scope.iter().for_each(|&column| place[column] = 0);
        for _ in 0..cells {
            let mut sum = 0.0;
            for own in 0..wide(step.column) {
                place[step.column] = own;
                sum += self.product(step, labels, &place);
            }
            message.push(sum);
            // The next combination; the last column changes first.
            for &column in step.scope.iter().rev() {
                place[column] += 1;
                if place[column] < wide(column) {
                    break;
                }
                place[column] = 0;
            }
        }
        self.place = place;
        message
    }

    /// The product of all factors of a step at some states.
    fn product(&self, step: &Step, labels: &[Code], place: &[usize]) -> f64 {
        let network = self.network;
        let about = |column: usize| {
            let state = self.states[column][labels[column] as usize][place[column]];
            self.about[column][state as usize]
        };
        let mut product = about(step.column).1;
        for &(child, family) in &step.families {
            let family: &Family = &network.families[child][family];
            let a = family.configuration(&network.hierarchies, |column| about(column).0);
            let (hierarchy, leaf) = (&network.hierarchies[child], about(child).0);
            let (q, u) =
                (hierarchy.generalize(leaf, family.level), hierarchy.generalize(leaf, family.level + 1));
            product *= family.given(&network.chains[child], q, u, a);
        }
        for &from in &step.messages {
            let index = self.steps[from].scope.iter().fold(0, |index, &column| {
                index * self.states[column][labels[column] as usize].len() + place[column]
            });
            product *= self.kept[self.current[from]][index];
        }
        product
    }
}

/// State → a leaf under it, and its probability as far as it depends on no other column.
fn about(network: &Network, column: usize, level: usize) -> Vec<(Code, f64)> {
    let (hierarchy, chain) = (&network.hierarchies[column], &network.chains[column]);
    let mut about = vec![(0, 0.0); hierarchy.size(level)];
    for leaf in (0..hierarchy.leaf_count() as Code).rev() {
        about[hierarchy.generalize(leaf, level) as usize] = (leaf, 1.0);
    }
    let depends = |level: &usize| network.families[column].iter().any(|family| family.level == *level);
    let alone: Vec<usize> = (level..hierarchy.height()).filter(|level| !depends(level)).collect();
    for (leaf, share) in &mut about {
        let given = |&level: &usize| chain.given(level, hierarchy.generalize(*leaf, level));
        *share = alone.iter().map(given).product();
    }
    about
}

/// The elimination of all columns that matter.
fn steps(network: &Network, needed: &[usize], mut factors: Vec<(usize, usize)>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut waiting: Vec<usize> = Vec::new();
    let matters = |column: &&usize| needed[**column] < network.hierarchies[**column].height();
    for &column in network.elimination.iter().filter(matters) {
        let columns = |&(child, at): &(usize, usize)| -> Vec<usize> {
            let parents = network.families[child][at].parents.iter().map(|parent| parent.0);
            parents.chain([child]).collect()
        };
        let (families, rest): (Vec<_>, Vec<_>) =
            factors.into_iter().partition(|factor| columns(factor).contains(&column));
        factors = rest;
        let (messages, rest): (Vec<usize>, Vec<usize>) =
            waiting.into_iter().partition(|&step| steps[step].scope.contains(&column));
        waiting = rest;
        let mut scope: Vec<usize> = families.iter().flat_map(columns).collect();
        scope.extend(messages.iter().flat_map(|&step| steps[step].scope.iter().copied()));
        let mut depends: Vec<usize> = scope.iter().copied().chain([column]).collect();
        depends.extend(messages.iter().flat_map(|&step| steps[step].depends.iter().copied()));
        for list in [&mut scope, &mut depends] {
            list.sort_unstable();
            list.dedup();
        }
        scope.retain(|&other| other != column);
        waiting.push(steps.len());
        steps.push(Step { column, families, messages, scope, depends });
    }
    steps
}
