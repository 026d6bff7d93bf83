//! Singling out: a condition, made from the release alone, that exactly one person of the original
//! satisfies [WP29 2014; Cohen 2020; Giomi 2023].
//!
//! A condition is the cells of a random released row in some random columns. The control evaluates
//! the same conditions on as many people outside the release; without a population, it evaluates
//! conditions whose cells come from different rows.

use rand::RngExt;
use rayon::prelude::*;
use throng_terms::error::{Fault, Result};
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::cover::Runs;
use crate::groups::Groups;
use crate::rate::Rate;
use crate::sample::{generator, sample};
use crate::scene::Scene;
use crate::table::{Coded, Column};
use crate::tree::Tree;
use crate::view::counted;

/// Conditions that are tried.
const CONDITIONS: usize = 4000;

pub(crate) struct SinglingOut;

impl Attack for SinglingOut {
    fn name(&self) -> &'static str {
        "singling-out"
    }

    fn criterion(&self) -> Criterion {
        Criterion::SinglingOut
    }

    fn means(&self) -> &'static str {
        "The adversary makes a condition of some cells of a released row; exactly one person of the original satisfies it."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let width = scene.roles.quasi.len();
        let original = scene.original.as_ref().ok_or_else(|| Fault::bug("an attack has no original"))?;
        let subject = scene.roles.subject.as_ref().and_then(|name| original.column(name));
        let inside = People::new(&original.columns[..width], subject, (0..original.rows as u32).collect());
        watch.check()?;
        let conditions = conditions(scene, false);
        let success = inside.singled(scene, &conditions);
        watch.check()?;
        let population = scene.population.as_ref().filter(|_| !scene.outside_rows.is_empty());
        let control = match population {
            Some(population) => {
                let rows = sample(&scene.outside_rows, inside.count, scene.settings.seed, 21);
                let outside = People::new(&population.columns, None, rows);
                (
                    outside.singled(scene, &conditions),
                    "the same conditions on as many people outside the release",
                )
            }
            None => (
                inside.singled(scene, &self::conditions(scene, true)),
                "conditions whose cells come from different released rows",
            ),
        };
        Ok(vec![Finding::new(self, success, control)])
    }
}

/// Released code per quasi-identifier; none where the condition does not name it.
type Condition = Vec<Option<u32>>;

fn conditions(scene: &Scene, mixed: bool) -> Vec<Condition> {
    let classes = &scene.view.classes;
    let (rows, width) = (classes.order().len(), scene.roles.quasi.len());
    let class_of = classes.of_rows();
    let mut draw = generator(scene.settings.seed, 20);
    let mut made = Vec::with_capacity(CONDITIONS);
    if rows == 0 {
        return made;
    }
    for _ in 0..CONDITIONS {
        let mut row = draw.random_range(0..rows);
        let named = draw.random_range(1..=width);
        let mut columns: Vec<usize> = (0..width).collect();
        for at in 0..named {
            columns.swap(at, draw.random_range(at..width));
        }
        let mut condition = vec![None; width];
        for &column in &columns[..named] {
            if mixed {
                row = draw.random_range(0..rows);
            }
            let class = class_of[classes.order()[row] as usize] as usize;
            condition[column] = Some(classes.tuple(class)[column]);
        }
        made.push(condition);
    }
    made
}

struct People {
    tuples: Groups,
    tree: Tree,
    all: Vec<Runs>,
    /// Row → person; none where every row is one.
    owners: Option<Vec<Code>>,
    /// Number of people.
    count: usize,
    /// The most rows of a person.
    most_rows: u64,
}

impl People {
    /// The people of some rows of a table; `subject` says whose they are.
    fn new(columns: &[Column], subject: Option<&Column>, rows: Vec<u32>) -> Self {
        let table = Coded { columns: columns.to_vec(), rows: columns.first().map_or(0, |c| c.codes.len()) };
        let part = table.part(&rows);
        let tuples = Groups::new(&part.columns.iter().collect::<Vec<_>>(), part.rows);
        let tree = Tree::new(columns.len(), tuples.len(), |at| tuples.tuple(at), |at| tuples.count(at));
        let all = columns.iter().map(|column| Runs::all(column.size())).collect();
        let owners =
            |subject: &Column| -> Vec<Code> { rows.iter().map(|&row| subject.codes[row as usize]).collect() };
        let owners = subject.map(owners);
        let of_person = owners.as_ref().map(|owners| counted(owners.iter().copied()));
        let (count, most_rows) = match &of_person {
            Some(all) => (all.len(), all.iter().map(|entry| u64::from(entry.1)).max().unwrap_or(1)),
            None => (rows.len(), 1),
        };
        People { tuples, tree, all, owners, count, most_rows }
    }

    /// Conditions that exactly one person satisfies.
    fn singled(&self, scene: &Scene, conditions: &[Condition]) -> Rate {
        let alone = |condition: &&Condition| {
            let cells = condition.iter().enumerate().map(|(column, code)| match code {
                Some(code) => &scene.view.covers[column][*code as usize].runs,
                None => &self.all[column],
            });
            self.is_one(&cells.collect::<Vec<_>>())
        };
        Rate::new(conditions.par_iter().filter(alone).count() as u64, conditions.len() as u64)
    }

    /// Whether all rows within a box are one person's.
    fn is_one(&self, query: &[&Runs]) -> bool {
        let rows = self.tree.count(query);
        let Some(owners) = self.owners.as_ref().filter(|_| rows <= self.most_rows) else { return rows == 1 };
        let mut person = None;
        let one = self.tree.until(query, |tuple| {
            let rows = self.tuples.rows(tuple as usize).iter();
            rows.map(|&row| owners[row as usize]).all(|owner| *person.get_or_insert(owner) == owner)
        });
        one && person.is_some()
    }
}
