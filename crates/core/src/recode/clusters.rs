//! Clusters of points while they are formed: their members, the ranges that they cover, and their
//! cost.
//!
//! Adding a point costs one step per column. Removing a point, or computing a cluster's cost
//! without it, scans the members in the columns that may then cover less.

use super::points::Points;
use super::prices::{Price, Prices, Span, cost, preference};
use super::region::Share;

/// A point that is in no cluster.
pub const NOWHERE: u32 = u32::MAX;

/// Some points.
#[derive(Clone, Default)]
pub struct Cluster {
    /// The points.
    pub members: Vec<u32>,
    /// Column → what they cover.
    pub ranges: Vec<Span>,
    /// Rows of all points.
    pub rows: u64,
    /// What a row costs.
    pub price: Price,
}

impl Cluster {
    /// What all its rows cost.
    pub fn total(&self) -> u64 {
        self.rows * cost(self.price)
    }

    /// A cluster of some points.
    pub fn of(members: Vec<u32>, points: &Points<'_>, prices: &Prices<'_>) -> Self {
        let ranges = (0..points.width()).map(|column| prices.nothing(column)).collect();
        let mut cluster = Cluster { ranges, ..Cluster::default() };
        members.iter().for_each(|&point| cluster.widen(point, points, prices));
        cluster.price = if members.is_empty() { 0 } else { prices.row(&cluster.ranges) };
        Cluster { members, ..cluster }
    }

    fn widen(&mut self, point: u32, points: &Points<'_>, prices: &Prices<'_>) {
        self.rows += points.rows(point);
        for (column, (span, &rank)) in self.ranges.iter_mut().zip(points.ranks(point)).enumerate() {
            *span = prices.with(column, *span, rank);
        }
    }

    /// Adds a point.
    pub fn add(&mut self, point: u32, points: &Points<'_>, prices: &Prices<'_>) {
        self.members.push(point);
        self.widen(point, points, prices);
        self.price = prices.row(&self.ranges);
    }

    /// By how much cost and preference of all rows grow with a further point.
    pub fn growth(&self, point: u32, points: &Points<'_>, prices: &Prices<'_>) -> (u64, u64) {
        let after = prices.joined(&self.ranges, points.ranks(point));
        let rows = self.rows + points.rows(point);
        let grown = |part: fn(Price) -> u64| rows * part(after) - self.rows * part(self.price);
        (grown(cost), grown(preference))
    }

    /// What all its rows would cost without one of its points.
    pub fn without(&self, point: u32, points: &Points<'_>, prices: &Prices<'_>) -> u64 {
        let rows = self.rows - points.rows(point);
        let cell = |(column, &span): (usize, &Span)| {
            if !prices.shrinks(column, span, points.ranks(point)[column]) {
                return prices.span(column, span);
            }
            let others = self.members.iter().filter(|&&other| other != point);
            let ranks = others.map(|&other| points.ranks(other)[column]);
            let span = ranks.fold(prices.nothing(column), |span, rank| prices.with(column, span, rank));
            prices.span(column, span)
        };
        rows * cost(self.ranges.iter().enumerate().map(cell).sum())
    }
}

/// All clusters of a part.
pub struct Clusters<'a> {
    /// The points.
    pub points: &'a Points<'a>,
    /// What cells cost.
    pub prices: &'a Prices<'a>,
    /// The clusters; some may have no points left.
    pub list: Vec<Cluster>,
    /// Point → cluster.
    pub of: Vec<u32>,
}

impl<'a> Clusters<'a> {
    /// None yet.
    pub fn new(points: &'a Points<'a>, prices: &'a Prices<'a>) -> Self {
        Clusters { points, prices, list: Vec::new(), of: vec![NOWHERE; points.len()] }
    }

    /// A new cluster.
    pub fn found(&mut self, members: Vec<u32>) {
        self.list.push(Cluster::default());
        self.set(self.list.len() - 1, members);
    }

    /// Makes a cluster one of other points.
    pub fn set(&mut self, cluster: usize, members: Vec<u32>) {
        members.iter().for_each(|&point| self.of[point as usize] = cluster as u32);
        self.list[cluster] = Cluster::of(members, self.points, self.prices);
    }

    /// Adds a point to a cluster.
    pub fn put(&mut self, point: u32, cluster: u32) {
        self.of[point as usize] = cluster;
        self.list[cluster as usize].add(point, self.points, self.prices);
    }

    /// Puts a point and the points of all these clusters into the first of them.
    pub fn merge(&mut self, clusters: &[usize], point: u32) {
        let Some(&first) = clusters.first() else { return };
        let taken = |&at: &usize| std::mem::take(&mut self.list[at]).members;
        let mut members: Vec<u32> = clusters.iter().flat_map(taken).collect();
        members.push(point);
        self.set(first, members);
    }

    /// Takes a point out of its cluster.
    pub fn take(&mut self, point: u32) {
        let cluster = std::mem::replace(&mut self.of[point as usize], NOWHERE) as usize;
        let mut members = std::mem::take(&mut self.list[cluster].members);
        members.retain(|&other| other != point);
        self.list[cluster] = Cluster::of(members, self.points, self.prices);
    }

    /// The cluster of a point.
    pub fn at(&self, point: u32) -> &Cluster {
        &self.list[self.of[point as usize] as usize]
    }

    /// What all rows cost.
    pub fn total(&self) -> u64 {
        self.list.iter().map(Cluster::total).sum()
    }

    /// What all rows cost, and by how much that is against the recipient's preference.
    pub fn total_with_preference(&self) -> (u64, u64) {
        let preferences = self.list.iter().map(|cluster| cluster.rows * preference(cluster.price));
        (self.total(), preferences.sum())
    }

    /// The clusters as regions, numbered from 0 in the order of their first points, and how many
    /// there are.
    pub fn shares(&self) -> (Vec<Share>, u32) {
        let mut names = vec![NOWHERE; self.list.len()];
        let mut next = 0;
        let share = |point: u32| {
            let name = &mut names[self.of[point as usize] as usize];
            if *name == NOWHERE {
                *name = next;
                next += 1;
            }
            let rows = self.points.rows(point) as u32;
            Share { point: self.points.number(point), region: *name, rows }
        };
        let shares = (0..self.of.len() as u32).map(share).collect();
        (shares, next)
    }
}
