//! The evaluator: forms the classes of a node, judges them, and computes the loss.
//!
//! Classes are rolled up from the smallest stored specialization ("frequency sets" in
//! [El Emam 2009; LeFevre 2005]). A check costs the classes of that specialization × columns that
//! are not at the top: keys are sums of code × radix, and then ranked. Stored groupings take at
//! most a few times the memory of the table's own classes.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::boxes::Boxes;
use super::composite::Composites;
use super::ladder::Ladder;
use super::merge::{Keys, MANY, Merger};
use super::pool::PART;
use super::score::Trace;
use super::waypoints::{Waypoints, waypoint};
use super::{Account, Problem, Ranking, Solution};
use crate::classes::{Flags, Groups, View};
use crate::error::Result;
use crate::histogram::Scratch;
use crate::lattice::Node;
use crate::loss::{Allowed, Evidence};
use crate::model::{PrivacyModel, check_complete, judge_by, judge_within, min_unreleasable_rows};
use crate::people::people_facts;
use crate::rank::Ranker;
use crate::recoded::Released;
use crate::tuples::Codes;
use crate::utility::Utility;

/// Classes from which merging is expensive: a part of them is merged first, which may be enough to
/// refuse the node, and distinct rows are not merged with themselves.
const LARGE: usize = if cfg!(test) { 1 } else { 1 << 18 };

/// The verdict on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// Rows of classes that violate a model.
    pub suppressed: u64,
    /// Whether that is within the limit.
    pub safe: bool,
}

/// A grouping that is remembered.
struct Remembered {
    node: Node,
    groups: Arc<Groups>,
    used: u64,
    /// Whether it is a waypoint.
    waypoint: bool,
}

/// Forms and judges classes, and counts how often.
pub struct Evaluator<'a> {
    problem: &'a Problem,
    /// Smallest first.
    memory: Vec<Remembered>,
    remembered: usize,
    room: usize,
    base: Arc<Groups>,
    /// The models that judge.
    models: Vec<&'a dyn PrivacyModel>,
    /// Smaller classes are flagged whatever these models say.
    fewest: u64,
    /// What all models of the problem allow.
    allowed: Allowed,
    /// Whether a node must not leave out too many people.
    counts_people: bool,
    /// The statistics whose bounds must be narrow enough.
    utility: Option<&'a Utility>,
    current: Option<Node>,
    groups: Groups,
    /// Which of them are suppressed; not all, if it was enough to know that too many are.
    flags: Flags,
    /// Whether all are flagged that are to be.
    judged: bool,
    /// Whether a part of the classes is looked at before all of them.
    looks_at_parts: bool,
    ranker: Ranker,
    merger: Merger,
    scratch: Scratch,
    composites: Composites,
    /// Columns whose groupings by themselves are remembered for many nodes.
    prefix: Vec<usize>,
    /// Such groupings that are hardly smaller than what they came from.
    useless: HashSet<Node>,
    waypoints: Waypoints,
    /// Where a whole lattice is walked over: what its nodes are rolled up from.
    ladder: Option<Ladder>,
    account: Account,
    trace: Option<Trace>,
    clock: u64,
}

/// One composite's part of a key.
struct Part<'a> {
    column: usize,
    codes: &'a Codes,
    radix: u64,
}

/// The same, with codes of a width.
struct Summand<'a, T> {
    column: usize,
    codes: &'a [T],
    radix: u64,
}

impl<T: Copy + Into<u32>> Summand<'_, T> {
    #[inline]
    fn of(&self, row: &[T]) -> u64 {
        let code: u32 = row[self.column].into();
        u64::from(self.codes[code as usize].into()) * self.radix
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator that has seen nothing; it counts the values that the problem's models, loss and
    /// preference need.
    pub fn new(problem: &'a Problem) -> Self {
        let models = all(problem);
        let needs = models.iter().flat_map(|model| &model.facts().needs);
        let preferred = problem.preference.iter().flat_map(Ranking::needs);
        let measured: Vec<usize> = needs.copied().chain(problem.loss.needs()).chain(preferred).collect();
        let subjects = models.iter().filter_map(|model| model.scope().subjects()).max_by_key(|asked| asked.1);
        Evaluator {
            counts_people: subjects.is_some(),
            ..Evaluator::counting(problem, models, &measured, subjects)
        }
    }

    /// An evaluator by the models alone that are monotone and count no values: it judges in a
    /// fraction of the time, and flags a part of what all models flag. None where these are all
    /// models, or there is none.
    pub(super) fn plain(problem: &'a Problem) -> Option<Self> {
        let mut models = all(problem);
        models.retain(|m| m.facts().monotone && m.facts().needs.is_empty());
        let fewest = min_safe_rows(problem);
        let some = (!models.is_empty() || fewest > 1) && models.len() < problem.models.len();
        some.then(|| Evaluator {
            fewest,
            ..Evaluator::counting(problem, models, &problem.loss.needs(), None)
        })
    }

    /// An evaluator that counts the values of every measured column, for figures that the search
    /// does not need.
    pub fn measuring(problem: &'a Problem) -> Self {
        let measured: Vec<usize> = (0..problem.classes.histograms().len()).collect();
        Evaluator::counting(problem, all(problem), &measured, None)
    }

    /// An evaluator that counts some measured columns; of `subjects`, only whether a class has that
    /// many people.
    fn counting(
        problem: &'a Problem,
        models: Vec<&'a dyn PrivacyModel>,
        measured: &[usize],
        subjects: Option<(usize, u64)>,
    ) -> Self {
        let base = Groups::measured(&problem.classes, measured);
        let base = match subjects {
            Some((column, least)) => base.with_witnesses(column, least as usize),
            None => base,
        };
        // Twice the classes, and less where they are a great many.
        let plain = (2 * base.len()).clamp(1 << 20, 1 << 23);
        Evaluator {
            problem,
            memory: Vec::new(),
            remembered: 0,
            room: if base.size() == base.len() { plain } else { plain.max(2 * base.size()) },
            prefix: prefix(problem, plain),
            useless: HashSet::new(),
            waypoints: Waypoints::new(base.size()),
            ladder: None,
            base: Arc::new(base),
            models,
            fewest: 1,
            allowed: Allowed { min_rows: min_safe_rows(problem), max_suppressed: problem.max_suppressed },
            counts_people: false,
            utility: problem.utility.as_deref().filter(|utility| utility.limits()),
            current: None,
            groups: Groups::default(),
            flags: Flags::default(),
            judged: false,
            looks_at_parts: true,
            ranker: Ranker::default(),
            merger: Merger::default(),
            scratch: Scratch::default(),
            composites: Composites::new(problem),
            account: Account::default(),
            trace: None,
            clock: 0,
        }
    }

    /// Another one, for another thread: it shares the table and has seen nothing.
    pub(crate) fn fork(&self) -> Self {
        Evaluator {
            problem: self.problem,
            memory: Vec::new(),
            remembered: 0,
            room: self.room,
            base: Arc::clone(&self.base),
            models: self.models.clone(),
            fewest: self.fewest,
            allowed: self.allowed,
            counts_people: self.counts_people,
            utility: self.utility,
            current: None,
            groups: Groups::default(),
            flags: Flags::default(),
            judged: false,
            looks_at_parts: true,
            ranker: Ranker::default(),
            merger: Merger::default(),
            scratch: Scratch::default(),
            composites: self.composites.fork(),
            prefix: self.prefix.clone(),
            useless: HashSet::new(),
            waypoints: Waypoints::new(self.base.size()),
            ladder: self.ladder.as_ref().map(Ladder::fork),
            account: Account::default(),
            trace: None,
            clock: 0,
        }
    }

    /// The same, whatever the bounds of the policy's statistics are.
    pub(super) fn unlimited(self) -> Self {
        Evaluator { utility: None, ..self }
    }

    /// The same for nodes that come in the order of [`Evaluator::walk_order`], which may be all.
    pub(crate) fn walking(mut self) -> Self {
        let hierarchies = &self.problem.hierarchies;
        let mut columns: Vec<usize> = (0..hierarchies.len()).collect();
        columns.sort_by_key(|&column| std::cmp::Reverse(hierarchies[column].leaf_count()));
        let plain = self.base.histograms.is_empty() && self.base.people.is_empty();
        let helps = plain && self.problem.nested();
        let boxes = helps.then(|| Boxes::new(&columns, &self.problem.lattice));
        self.ladder = Some(Ladder::new(columns, (4 * self.base.size()).max(1 << 20), boxes));
        self
    }

    /// By what nodes are sorted that are walked over; other orders cost more, and give the same.
    pub(crate) fn walk_order(&self, node: &Node) -> Vec<usize> {
        self.ladder.as_ref().map(|ladder| ladder.levels(node)).unwrap_or_default()
    }

    /// Whether the bounds of the policy's statistics are narrow enough at a node. A node below or
    /// above can differ either way, so that this says nothing of others.
    pub(super) fn useful(&mut self, node: &Node) -> bool {
        let Some(utility) = self.utility else { return true };
        self.form(node);
        utility.holds_at(&self.view(node), &self.flags)
    }

    /// The problem.
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// The work so far.
    pub fn account(&self) -> Account {
        self.account
    }

    /// Keeps the checks from now on.
    pub(super) fn keep_trace(&mut self) {
        self.trace = Some(Trace::default());
    }

    /// The node-complexity score of the checks that were kept.
    pub(super) fn score(&self) -> Option<f64> {
        let heights: Vec<usize> = self.problem.hierarchies.iter().map(|h| h.height()).collect();
        let from = |from: &Node, to: &Node| self.rolls_up(from, to);
        self.trace.as_ref().map(|trace| trace.score(self.problem.classes.len(), &heights, &from))
    }

    /// Forms the node's classes and judges them.
    pub fn judge(&mut self, node: &Node) -> Judgement {
        let judgement = self.check(node);
        self.count(node, self.groups.live(&self.problem.classes), false);
        judgement
    }

    /// Whether the node is safe: a node that is not is not judged to the end.
    pub(super) fn judge_safety(&mut self, node: &Node) -> bool {
        if self.fails_in_part(node) {
            self.count(node, 0, false);
            return false;
        }
        let judgement = self.check_safety(node);
        self.count(node, self.groups.live(&self.problem.classes), false);
        judgement.safe
    }

    /// Whether a part of the node's classes is enough to know that it suppresses too many rows.
    /// Classes that are smaller than every safe one are counted, in tables that are expensive to
    /// merge. After a node that this does not settle, the next ones are expected to fail by less.
    pub(super) fn fails_in_part(&mut self, node: &Node) -> bool {
        let (least, limit) = (self.allowed.min_rows, self.problem.max_suppressed);
        let source = self.source(node).map_or(&self.base, |at| &self.memory[at].groups);
        let plain = self.base.people.is_empty() && self.trace.is_none() && least > 1;
        let worth = source.len() >= LARGE && limit < self.problem.classes.rows() / PART as u64;
        if !(self.looks_at_parts && plain && worth) || self.current.as_ref() == Some(node) {
            return false;
        }
        let from = Arc::clone(source);
        let rows = self.with_keys(node, &from, |merger, _, keys| merger.min_small_rows(&from, least, keys));
        self.looks_at_parts = rows > limit;
        self.looks_at_parts
    }

    /// The same without counting it. At a node that is not safe, the number of suppressed rows is
    /// at most the true one.
    pub(super) fn check_safety(&mut self, node: &Node) -> Judgement {
        self.group(node);
        if !self.judged {
            let mut flags = std::mem::take(&mut self.flags);
            self.judged =
                judge_within(&self.models, &self.view(node), &mut flags, self.problem.max_suppressed);
            self.flags = flags;
            if self.judged {
                self.flag_fewest(node);
            }
        }
        match self.judged {
            true => self.check(node),
            false => Judgement { suppressed: self.flags.rows(), safe: false },
        }
    }

    /// The classes of a node, without a judgement.
    pub(super) fn class_count(&mut self, node: &Node) -> usize {
        self.group(node);
        self.groups.live(&self.problem.classes)
    }

    /// Forms and judges without counting it.
    pub(super) fn check(&mut self, node: &Node) -> Judgement {
        self.form(node);
        let suppressed = self.flags.rows();
        let safe = suppressed <= self.problem.max_suppressed && self.people_are_kept(node);
        Judgement { suppressed, safe }
    }

    /// Whether few enough people lose all their rows at the node that was formed last. Fewer rows
    /// than people may be lost need no count.
    fn people_are_kept(&self, node: &Node) -> bool {
        let limit = self.problem.people.filter(|_| self.counts_people);
        let Some(limit) = limit.filter(|limit| self.flags.rows() > limit.max_withheld) else { return true };
        let flagged = self.view(node).flagged_members(&self.flags);
        let facts = people_facts(&self.problem.classes, |class| flagged[class]);
        facts.is_none_or(|facts| facts.withheld <= limit.max_withheld)
    }

    /// Counts a check that left this many classes, and whether its loss was compared.
    pub(super) fn count(&mut self, node: &Node, classes: usize, compared: bool) {
        self.account.checked += 1;
        self.account.compared += u64::from(compared);
        if let Some(trace) = &mut self.trace {
            trace.add(node.clone(), classes);
        }
    }

    /// The loss of a node that was found safe.
    pub fn solution(&mut self, node: &Node) -> Solution {
        self.account.compared += 1;
        self.price(node)
    }

    /// The loss of a safe node without counting it.
    pub(super) fn price(&mut self, node: &Node) -> Solution {
        self.form(node);
        let loss = self.problem.loss.loss(&self.view(node), &self.flags);
        Solution { node: node.clone(), loss, suppressed: self.flags.rows() }
    }

    /// Rows at least that no node below releases, besides those that another evaluator flagged at
    /// this node.
    pub(super) fn min_unreleasable_rows(&mut self, node: &Node, flagged: &Flags) -> u64 {
        self.form(node);
        let view = self.view(node);
        self.models.iter().map(|model| min_unreleasable_rows(*model, &view, flagged)).max().unwrap_or(0)
    }

    /// Evidence of the node's classes about other nodes.
    pub fn evidence(&mut self, node: &Node) -> Evidence {
        self.form(node);
        self.problem.loss.evidence(&self.view(node), &self.flags, self.allowed)
    }

    /// The classes of a node, and which of them are suppressed.
    pub fn classes<'v>(&'v mut self, node: &'v Node) -> (View<'v>, &'v Flags) {
        self.form(node);
        (self.view(node), &self.flags)
    }

    /// The classes of a node as they are released, with the unsafe ones flagged.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled) where a model was stopped.
    pub fn released(mut self, node: Node) -> Result<Released> {
        self.form(&node);
        check_complete(&self.problem.models)?;
        // What follows needs neither other groupings nor buffers.
        (self.memory, self.merger) = (Vec::new(), Merger::default());
        let problem = self.problem;
        Ok(Released::at_node(&problem.classes, &problem.hierarchies, node, (self.groups, self.flags)))
    }

    /// The classes of the node that was formed last.
    fn view<'v>(&'v self, node: &'v Node) -> View<'v> {
        View::new(&self.problem.classes, &self.problem.hierarchies, node, &self.groups)
    }

    /// Forms the classes of a node and judges them to the end.
    fn form(&mut self, node: &Node) {
        self.group(node);
        if self.judged {
            return;
        }
        let mut flags = std::mem::take(&mut self.flags);
        judge_by(&self.models, &self.view(node), &mut flags);
        (self.flags, self.judged) = (flags, true);
        self.flag_fewest(node);
    }

    /// Flags what is too small whatever the models say.
    fn flag_fewest(&mut self, node: &Node) {
        if self.fewest > 1 {
            let mut flags = std::mem::take(&mut self.flags);
            flags.flag_below(self.view(node).counts(), self.fewest);
            self.flags = flags;
        }
    }

    /// Forms the classes of a node.
    fn group(&mut self, node: &Node) {
        if self.current.as_ref() == Some(node) {
            return;
        }
        let mut groups = std::mem::take(&mut self.groups);
        match self.ladder.take() {
            Some(mut ladder) => {
                self.climb(&mut ladder, node, &mut groups);
                self.ladder = Some(ladder);
            }
            None => self.group_from_memory(node, &mut groups),
        }
        self.groups = groups;
        self.current = Some(node.clone());
        self.judged = false;
    }

    /// Rolls a node up from the ladder, and makes a rung of it.
    fn climb(&mut self, ladder: &mut Ladder, node: &Node, groups: &mut Groups) {
        let from = ladder.below(node, |rung| self.rolls_up(rung, node));
        let from = from.unwrap_or_else(|| Arc::clone(&self.base));
        let gained = match ladder.boxes() {
            Some(boxes) => {
                while let Some(top) = boxes.missing(&self.problem.lattice, node, from.len()) {
                    let mut classes = Groups::default();
                    self.roll_up_beside(boxes, &from, &top, &mut classes);
                    boxes.add(top, &classes, self.base.len());
                }
                self.roll_up_beside(boxes, &from, node, groups)
            }
            None => self.roll_up_from(&from, node, groups),
        };
        if gained {
            ladder.add(&self.problem.lattice, node, groups);
        }
    }

    /// Rolls a node up from a grouping, beside the rows that stay alone; whether it became notably
    /// smaller.
    fn roll_up_beside(
        &mut self,
        boxes: &mut Boxes,
        from: &Arc<Groups>,
        node: &Node,
        to: &mut Groups,
    ) -> bool {
        match boxes.merge(from, to, |crowd, merged| self.roll_up(node, crowd, merged)) {
            true => to.len() < from.len() - from.len() / 8,
            false => self.roll_up_from(from, node, to),
        }
    }

    /// Rolls a node up from what is remembered, and remembers what helps other nodes.
    fn group_from_memory(&mut self, node: &Node, groups: &mut Groups) {
        for depth in 1..=self.prefix.len() {
            self.form_prefix(node, depth);
        }
        self.form_waypoint(node);
        if self.roll_up_from_memory(node, groups) {
            self.remember(node.clone(), groups.clone(), false);
        }
    }

    /// Makes sure that the node's first columns by themselves are remembered: many nodes share
    /// them.
    fn form_prefix(&mut self, node: &Node, depth: usize) {
        let mut levels = self.problem.lattice.bottom().levels().to_vec();
        for &column in &self.prefix[..depth] {
            levels[column] = node.levels()[column];
        }
        let prefix = Node::new(levels);
        if self.source(node).is_some_and(|i| prefix.below(&self.memory[i].node)) {
            return;
        }
        if self.useless.contains(&prefix) {
            return;
        }
        let mut groups = Groups::default();
        if self.roll_up_from_memory(&prefix, &mut groups) {
            self.remember(prefix, groups, false);
        } else {
            self.useless.insert(prefix);
        }
    }

    /// Forms the waypoint of a node if it pays: see [`Waypoints`].
    fn form_waypoint(&mut self, node: &Node) {
        if !self.waypoints.pay(self.base.len(), self.clock) || !self.problem.nested() {
            return;
        }
        let source = self.source(node).map(|at| &self.memory[at]);
        let waypoint = waypoint(&self.problem.lattice, node);
        let near = source.is_some_and(|source| {
            waypoint.below(&source.node) || Waypoints::is_small(source.groups.len(), self.base.len())
        });
        if near || !self.waypoints.missed(&waypoint) {
            return;
        }
        let mut groups = Groups::default();
        let gained = self.roll_up_from_memory(&waypoint, &mut groups);
        if !gained || !self.remember(waypoint.clone(), groups, true) {
            self.waypoints.give_up(waypoint);
        }
    }

    /// Whether classes at one node are unions of classes at another.
    fn rolls_up(&self, from: &Node, to: &Node) -> bool {
        let mut columns = self.problem.hierarchies.iter().enumerate();
        from.below(to) && columns.all(|(c, hierarchy)| hierarchy.rolls_up(from.level(c), to.level(c)))
    }

    /// The smallest remembered grouping that a node can be rolled up from.
    fn source(&self, node: &Node) -> Option<usize> {
        self.memory.iter().position(|r| self.rolls_up(&r.node, node))
    }

    /// Rolls a node up from the best that is remembered; whether it became notably smaller.
    fn roll_up_from_memory(&mut self, node: &Node, to: &mut Groups) -> bool {
        self.clock += 1;
        let source = self.source(node);
        let from = match source {
            Some(i) => {
                self.memory[i].used = self.clock;
                Arc::clone(&self.memory[i].groups)
            }
            None => Arc::clone(&self.base),
        };
        self.roll_up_from(&from, node, to)
    }

    /// Rolls a node up from a grouping; whether it became notably smaller.
    fn roll_up_from(&mut self, from: &Arc<Groups>, node: &Node, to: &mut Groups) -> bool {
        if Arc::ptr_eq(from, &self.base) && self.is_table(node) {
            to.clone_from(from);
            return false;
        }
        self.roll_up(node, from, to);
        to.len() < from.len() - from.len() / 8
    }

    /// Whether a node's classes are those of the table, which is known of large tables alone: there
    /// it saves a merge in which nothing becomes one.
    fn is_table(&self, node: &Node) -> bool {
        self.base.len() >= LARGE
            && node.levels().iter().all(|&level| level == 0)
            && self.problem.classes.members() == self.problem.classes.len()
            && self.problem.classes.ascend()
    }

    /// Merges the classes of `from` that are the same at the node.
    fn roll_up(&mut self, node: &Node, from: &Groups, to: &mut Groups) {
        self.with_keys(node, from, |merger, space, keys| {
            match from.histograms.is_empty() && from.people.is_empty() {
                true => merger.merge::<false>(space, from, to, keys),
                false => merger.merge::<true>(space, from, to, keys),
            }
        });
        self.merge_along(from, to);
    }

    /// Calls `work` with keys below the given number that the classes of `from` have at the node.
    fn with_keys<T>(
        &mut self,
        node: &Node,
        from: &Groups,
        work: impl FnOnce(&mut Merger, u64, &Keys<'_>) -> T,
    ) -> T {
        self.composites.prepare(self.problem, node, &mut self.ranker);
        let mut chunks = chunks(&self.composites, node, from.len());
        let (last, space) = chunks.pop().unwrap_or((Vec::new(), 1));
        let rows = Rows { codes: self.composites.codes(), width: self.composites.len() };
        let mut ranked = std::mem::take(&mut self.merger.ranked);
        ranked.clear();
        for (parts, space) in chunks {
            ranked.resize(from.len(), 0);
            add_parts(rows, &parts, from, &mut ranked);
            self.ranker.begin(space, from.len());
            self.ranker.replace(&mut ranked);
        }
        let keys = |classes: Range<usize>, keys: &mut [u64]| {
            match ranked.get(classes.clone()) {
                Some(ranked) => keys.copy_from_slice(ranked),
                None => keys.fill(0),
            }
            add_to(rows, &last, &from.first[classes], keys);
        };
        let done = work(&mut self.merger, space, &keys);
        self.merger.ranked = ranked;
        done
    }

    /// Merges people and values along, where they are counted.
    fn merge_along(&mut self, from: &Groups, to: &mut Groups) {
        to.histograms.resize_with(from.histograms.len(), Default::default);
        to.people.clear();
        if from.histograms.is_empty() && from.people.is_empty() {
            return;
        }
        let ids = &self.merger.ids;
        if !from.people.is_empty() {
            to.people.resize(to.len(), 0);
            ids.iter().zip(&from.people).for_each(|(&id, &people)| to.people[id as usize] += people);
        }
        // Ghosts have no values, and what has rows comes before them.
        let classes = &self.problem.classes;
        let (ids, live) = (&ids[..from.live(classes)], to.live(classes));
        for (from, to) in from.histograms.iter().zip(&mut to.histograms).filter(|(from, _)| !from.is_empty())
        {
            from.merge(ids, live, to, &mut self.scratch);
        }
    }

    /// Keeps a grouping for later roll-ups, forgetting those not used for longest; whether there is
    /// room for it. Waypoints have room of their own: other groupings are many.
    fn remember(&mut self, node: Node, groups: Groups, waypoint: bool) -> bool {
        let (len, size) = (groups.len(), groups.size());
        let room = if waypoint { self.waypoints.room() } else { self.room };
        if size > room / 2 {
            return false;
        }
        let remembered = if waypoint { self.waypoints.remembered() } else { &mut self.remembered };
        while *remembered + size > room {
            let alike = self.memory.iter().enumerate().filter(|(_, r)| r.waypoint == waypoint);
            let Some((oldest, _)) = alike.min_by_key(|(_, r)| r.used) else { break };
            *remembered -= self.memory.remove(oldest).groups.size();
        }
        *remembered += size;
        let at = self.memory.partition_point(|r| r.groups.len() <= len);
        self.memory.insert(at, Remembered { node, groups: Arc::new(groups), used: self.clock, waypoint });
        true
    }
}

/// A class of fewer rows cannot be safe.
fn min_safe_rows(problem: &Problem) -> u64 {
    problem.models.iter().map(|model| model.facts().min_safe_rows).max().unwrap_or(1)
}

fn all(problem: &Problem) -> Vec<&dyn PrivacyModel> {
    problem.models.iter().map(|model| &**model).collect()
}

/// The columns with most values, as many as have combinations of levels that are few beside the
/// lattice's nodes and whose groupings can all be remembered.
fn prefix(problem: &Problem, room: usize) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..problem.hierarchies.len()).collect();
    columns.sort_by_key(|&c| std::cmp::Reverse(problem.hierarchies[c].leaf_count()));
    let remembered = 3 * room / problem.classes.members().max(1);
    let most = (problem.lattice.nodes() / 32).min(remembered as u128);
    let mut combinations = 1;
    columns
        .into_iter()
        .take_while(|&c| {
            let (low, high, _) = problem.lattice.range(c);
            combinations *= (high - low + 1) as u128;
            combinations <= most
        })
        .collect()
}

/// The composite codes of all classes.
#[derive(Clone, Copy)]
struct Rows<'a> {
    codes: &'a Codes,
    width: usize,
}

/// Composites not at a single value, in runs whose combined key fits 63 bits, each with its key
/// space. A run after the first leaves room for the id that the run before gave.
fn chunks<'a>(composites: &'a Composites, node: &Node, items: usize) -> Vec<(Vec<Part<'a>>, u64)> {
    const LIMIT: u64 = 1 << 63;
    let mut chunks: Vec<(Vec<Part<'a>>, u64)> = Vec::new();
    for column in 0..composites.len() {
        let Some(table) = composites.table(column, node).filter(|t| t.size > 1) else { continue };
        let fits =
            |(_, space): &(Vec<Part<'a>>, u64)| space.checked_mul(table.size).is_some_and(|s| s <= LIMIT);
        if !chunks.last().is_some_and(fits) {
            let carried = if chunks.is_empty() { 1 } else { items.max(1) as u64 };
            chunks.push((Vec::new(), carried));
        }
        if let Some((parts, space)) = chunks.last_mut() {
            parts.push(Part { column, codes: &table.codes, radix: *space });
            *space *= table.size;
        }
    }
    chunks
}

/// Adds codes × radix of the parts to every class's key; of a great many classes, on all cores.
fn add_parts(rows: Rows<'_>, parts: &[Part<'_>], from: &Groups, keys: &mut [u64]) {
    let size = if keys.len() < MANY { keys.len().max(1) } else { MANY / 16 };
    match keys.len() <= size {
        true => add_to(rows, parts, &from.first, keys),
        false => {
            let pieces = keys.par_chunks_mut(size).zip(from.first.par_chunks(size));
            pieces.for_each(|(keys, first)| add_to(rows, parts, first, keys));
        }
    }
}

/// The same for some of the classes, given by their first members.
fn add_to(rows: Rows<'_>, parts: &[Part<'_>], firsts: &[u32], keys: &mut [u64]) {
    let of = |part: &Part<'_>| (part.column, part.radix);
    match rows.codes {
        Codes::Narrow(codes) => {
            let tables = parts.iter().filter_map(|part| match part.codes {
                Codes::Narrow(table) => Some((of(part), table.as_slice())),
                Codes::Wide(_) => None,
            });
            sum_to((codes, rows.width), tables.map(summand).collect(), firsts, keys);
        }
        Codes::Wide(codes) => {
            let tables = parts.iter().filter_map(|part| match part.codes {
                Codes::Wide(table) => Some((of(part), table.as_slice())),
                Codes::Narrow(_) => None,
            });
            sum_to((codes, rows.width), tables.map(summand).collect(), firsts, keys);
        }
    }
}

fn summand<T>(((column, radix), codes): ((usize, u64), &[T])) -> Summand<'_, T> {
    Summand { column, codes, radix }
}

/// Few parts have a loop of their own: a search spends a third of its time here.
fn sum_to<T: Copy + Into<u32>>(
    (codes, width): (&[T], usize),
    parts: Vec<Summand<'_, T>>,
    firsts: &[u32],
    keys: &mut [u64],
) {
    let rows = firsts.iter().map(|&first| &codes[first as usize * width..][..width]);
    match parts.as_slice() {
        [] => {}
        [a] => add_each(keys, rows, |row| a.of(row)),
        [a, b] => add_each(keys, rows, |row| a.of(row) + b.of(row)),
        [a, b, c] => add_each(keys, rows, |row| a.of(row) + b.of(row) + c.of(row)),
        more => add_each(keys, rows, |row| more.iter().map(|part| part.of(row)).sum()),
    }
}

fn add_each<'a, T: 'a>(keys: &mut [u64], rows: impl Iterator<Item = &'a [T]>, sum: impl Fn(&[T]) -> u64) {
    keys.iter_mut().zip(rows).for_each(|(key, row)| *key += sum(row));
}
