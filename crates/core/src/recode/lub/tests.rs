//! Greedy and Partition against exhaustive versions of Katirai's descriptions.

use proptest::prelude::*;

use super::greedy::sets;
use super::pack::pack;
use super::partition::split_all;
use super::*;
use crate::classes::{Classes, Codes};
use crate::hierarchy::{self, Hierarchy};
use crate::policy::{Form, Greedy as Options, Partition as Tries, Search};
use crate::recode::region::{Aims, Field, Judge};
use crate::space::{Measure, Space};
use crate::table::Dictionary;
use crate::watch::Watch;

/// A table of three columns: ranges of numbers by a poset, branches by levels, and the value or
/// nothing.
struct Table {
    space: Space,
    classes: Classes,
    names: Vec<String>,
}

fn built(spec: &str, values: &[String]) -> Hierarchy {
    #[derive(serde::Deserialize)]
    struct Written {
        hierarchy: Option<hierarchy::Spec>,
        poset: Option<crate::poset::Spec>,
    }
    let Written { hierarchy, poset } = toml::from_str(spec).unwrap();
    let spec = hierarchy.unwrap_or_else(|| hierarchy::Spec::Poset(poset.unwrap()));
    let dictionary = Dictionary::of(values.iter().map(|value| Some(value.as_str())));
    hierarchy::build(&spec, &dictionary, &|_| panic!("no file")).unwrap()
}

fn table(rows: &[(u8, u8, u8, u8)]) -> Table {
    let numbers: Vec<String> = (0..12).map(|n| (n * n).to_string()).collect();
    let codes: Vec<String> = (0..8).map(|n| format!("{}{}{}", n / 4, n / 2 % 2, n % 2)).collect();
    let sexes: Vec<String> = ["f", "m", "x"].map(String::from).to_vec();
    let hierarchies = [
        built("poset = { range = { worthless = 60 } }", &numbers),
        built("hierarchy = { mask = { from = \"right\" } }", &codes),
        built("poset = \"suppress\"", &sexes),
    ];
    let mut tuples: Vec<([u16; 3], u32)> = Vec::new();
    for &(a, b, c, rows) in rows {
        let tuple = [u16::from(a % 12), u16::from(b % 8), u16::from(c % 3)];
        match tuples.iter_mut().find(|(other, _)| *other == tuple) {
            Some((_, count)) => *count += u32::from(rows),
            None => tuples.push((tuple, u32::from(rows))),
        }
    }
    let codes = Codes::Narrow(tuples.iter().flat_map(|(tuple, _)| *tuple).collect());
    let classes = Classes::new(3, codes, tuples.iter().map(|(_, count)| *count).collect()).unwrap();
    let axis = |(at, hierarchy): (usize, &Hierarchy)| {
        let form = if hierarchy.poset().is_some() { Form::Poset } else { Form::Label };
        Axis::new("c", hierarchy, form, Measure::Levels, [1.0, 0.5, 2.0][at]).unwrap()
    };
    let axes = hierarchies.iter().enumerate().map(axis).collect();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    Table { space: Space::new(&classes, axes), classes, names }
}

fn with_field<T>(
    table: &Table,
    k: u64,
    search: &Search,
    run: impl FnOnce(&Field<'_>, &Points<'_>, &Meets<'_>) -> T,
) -> T {
    let field = Field {
        space: &table.space,
        judge: Judge::new(&table.classes, k, Vec::new()),
        search,
        names: &table.names,
        all_names: &table.names,
        tolerance: vec![1.0; table.names.len()],
        seed: 1,
        aims: Aims::default(),
        watch: Watch::none(),
    };
    let all: Vec<u32> = (0..table.space.len() as u32).collect();
    let points = Points::new(&field, &all);
    let meets = Meets::new(&field, &points);
    run(&field, &points, &meets)
}

/// The cost of a row by definition: column by column, from the values alone, each as a multiple of
/// the smallest share, so that equal costs are equal.
fn by_definition(table: &Table, points: &[u32]) -> f64 {
    let column = |at: usize| {
        let axis = &table.space.axes()[at];
        let ranks: Vec<Code> = points.iter().map(|&point| table.space.rank(point as usize, at)).collect();
        let values: Vec<Code> = ranks.iter().map(|&rank| axis.leaf(rank)).collect();
        let (low, high) = (*ranks.iter().min().unwrap(), *ranks.iter().max().unwrap());
        let measure = match axis.poset() {
            Some(poset) => poset.measure(&poset.common(&values)),
            None => axis.level(low, high) as f64 / axis.height() as f64,
        };
        (measure * (axis.weight() * (ALL / 3.5))).floor()
    };
    (0..3).map(column).sum::<f64>() / ALL
}

fn rows() -> impl Strategy<Value = Vec<(u8, u8, u8, u8)>> {
    proptest::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), 1..3u8), 2..12)
}

fn counted(table: &Table, members: &[u32]) -> u64 {
    members.iter().map(|&point| u64::from(table.space.counts()[point as usize])).sum()
}

proptest! {
    /// [Katirai 2006], figure 11, word for word: add the row that makes the measure least until
    /// there are k.
    #[test]
    fn greedy_sets_are_those_of_looking_at_all_rows(rows in rows(), k in 1..5u64) {
        let table = table(&rows);
        let k = k.min(table.classes.rows());
        let found = with_field(&table, k, &Search::default(), |field, points, meets| sets(meets, points, field, &|_| {}).unwrap());
        for (point, set) in found.iter().enumerate() {
            let mut members = vec![point as u32];
            while counted(&table, &members) < k {
                let others = (0..table.space.len() as u32).filter(|other| !members.contains(other));
                let cost = |other: &u32| {
                    let all: Vec<u32> = members.iter().copied().chain([*other]).collect();
                    by_definition(&table, &all)
                };
                let best = others.min_by(|a, b| cost(a).total_cmp(&cost(b)).then(a.cmp(b)));
                members.push(best.unwrap());
            }
            prop_assert!((f64::from(set.cost) / ALL - by_definition(&table, &members)).abs() < 1e-6);
            prop_assert_eq!(&set.members, &members);
        }
    }

    /// A beam by its definition: every set that is kept grows by its cheapest rows, and the
    /// cheapest sets are kept.
    #[test]
    fn a_narrow_beam_keeps_the_cheapest_sets(rows in rows(), k in 2..6u64, beam in 1..4usize) {
        let table = table(&rows);
        let k = k.min(table.classes.rows());
        let search = Search { greedy: Some(Options { beam, tabu: 0 }), ..Search::default() };
        let found = with_field(&table, k, &search, |field, points, meets| sets(meets, points, field, &|_| {}).unwrap());
        let cost = |members: &[u32]| (by_definition(&table, members) * ALL).round() as u32;
        for (point, set) in found.iter().enumerate() {
            let mut kept = vec![(cost(&[point as u32]), vec![point as u32])];
            while counted(&table, &kept[0].1) < k {
                let mut grown: Vec<(u32, Vec<u32>)> = Vec::new();
                for (own, members) in &kept {
                    if counted(&table, members) >= k {
                        grown.push((*own, members.clone()));
                        continue;
                    }
                    let with = |other: u32| {
                        let mut all: Vec<u32> = members.iter().copied().chain([other]).collect();
                        all.sort_unstable();
                        (cost(&all), other, all)
                    };
                    let others = (0..table.space.len() as u32).filter(|other| !members.contains(other));
                    let mut next: Vec<_> = others.map(with).collect();
                    next.sort();
                    grown.extend(next.into_iter().take(beam).map(|(cost, _, all)| (cost, all)));
                }
                grown.sort();
                grown.dedup();
                grown.truncate(beam);
                kept = grown;
            }
            let mut members = set.members.clone();
            members.sort_unstable();
            prop_assert_eq!((set.cost, members), kept[0].clone());
        }
    }

    /// A beam as wide as it can be finds, of all sets, the cheapest.
    #[test]
    fn a_wide_beam_finds_the_cheapest_set(rows in rows(), k in 2..4u64) {
        let table = table(&rows);
        let k = k.min(table.classes.rows());
        let wide = Search { greedy: Some(Options { beam: 4096, tabu: 0 }), ..Search::default() };
        let [one, all] = [&Search::default(), &wide].map(|search| {
            with_field(&table, k, search, |field, points, meets| sets(meets, points, field, &|_| {}).unwrap())
        });
        let count = table.space.len() as u32;
        for point in 0..count {
            let subsets = (0..1u32 << count).map(|bits| bits | 1 << point);
            let members = |bits: u32| (0..count).filter(|p| bits >> p & 1 == 1).collect::<Vec<u32>>();
            let safe = subsets.map(members).filter(|members| members.len() as u64 <= k && counted(&table, members) >= k);
            let least = safe.map(|members| by_definition(&table, &members)).min_by(f64::total_cmp).unwrap();
            let (one, all) = (f64::from(one[point as usize].cost) / ALL, f64::from(all[point as usize].cost) / ALL);
            prop_assert!((all - least).abs() < 1e-6, "{all} {least}");
            prop_assert!(one >= all - 1e-6);
        }
    }

    /// Every point is in one region, every region has k rows, and a longer search never makes it
    /// dearer; nothing is cheaper than the best of all partitions.
    #[test]
    fn packed_regions_are_disjoint_and_safe(rows in rows(), k in 1..4u64) {
        let table = table(&rows);
        let k = k.min(table.classes.rows());
        let tabu = Search { greedy: Some(Options { beam: 1, tabu: 5 }), ..Search::default() };
        let [plain, searched] = [&Search::default(), &tabu].map(|search| {
            with_field(&table, k, search, |field, points, meets| {
                let sets = sets(meets, points, field, &|_| {}).unwrap();
                let (shares, count) = pack(meets, points, &sets, field, true).unwrap();
                let mut regions = vec![Vec::new(); count as usize];
                shares.iter().for_each(|share| regions[share.region as usize].push(share.point));
                regions
            })
        });
        let cost = |regions: &[Vec<u32>]| -> f64 {
            regions.iter().map(|r| counted(&table, r) as f64 * by_definition(&table, r)).sum()
        };
        for regions in [&plain, &searched] {
            let mut all: Vec<u32> = regions.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..table.space.len() as u32).collect::<Vec<_>>());
            prop_assert!(regions.iter().all(|region| counted(&table, region) >= k));
        }
        prop_assert!(cost(&searched) <= cost(&plain) + 1e-6);
        if table.space.len() <= 6 {
            let best = partitions(table.space.len() as u32).into_iter()
                .filter(|regions| regions.iter().all(|region| counted(&table, region) >= k))
                .map(|regions| cost(&regions)).min_by(f64::total_cmp).unwrap();
            prop_assert!(cost(&searched) >= best - 1e-6);
        }
    }

    /// Katirai's words: split about the farthest pair, every row to the nearer, undo where a side
    /// has fewer than k.
    #[test]
    fn partition_is_what_k_says(rows in rows(), k in 1..4u64) {
        let table = table(&rows);
        let k = k.min(table.classes.rows());
        let search = Search { partition: Some(Tries { tries: 1 }), ..Search::default() };
        let mut found = with_field(&table, k, &search, |field, points, meets| split_all(meets, points, field, (100, &|_| {})).unwrap());
        let mut expected = Vec::new();
        let mut open: Vec<Vec<u32>> = vec![(0..table.space.len() as u32).collect()];
        while let Some(set) = open.pop() {
            match literally(&table, &set, k) {
                Some((left, right)) => open.extend([left, right]),
                None => expected.push(set),
            }
        }
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);
    }
}

/// A model that says something of every combination of cells: how long they are, with signs, so
/// that more general is not always worse.
struct Lengths {
    features: Vec<String>,
}

impl crate::predict::Guide for Lengths {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn predict(&self, rows: &[crate::predict::Row]) -> crate::error::Result<Vec<f64>> {
        let length = |cell: &Option<String>| {
            cell.as_ref().map_or(7.0, |text| text.bytes().map(f64::from).sum::<f64>())
        };
        Ok(rows.iter().map(|row| length(&row[0]) % 13.0 - length(&row[1]) % 5.0).collect())
    }
}

/// A model whose predictions are sums over cells, queried in batches or cell by cell.
struct Sums {
    features: Vec<String>,
    by_cell: bool,
}

impl Sums {
    fn part(feature: usize, cell: Option<&str>) -> f64 {
        cell.map_or(3.0, |text| text.bytes().map(f64::from).sum::<f64>() % (7.0 + feature as f64))
    }
}

impl crate::predict::Guide for Sums {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn predict(&self, rows: &[crate::predict::Row]) -> crate::error::Result<Vec<f64>> {
        let row = |row: &crate::predict::Row| {
            row.iter().enumerate().map(|(at, cell)| Sums::part(at, cell.as_deref())).sum::<f64>() - 2.0
        };
        Ok(rows.iter().map(row).collect())
    }

    fn adds(&self, cell: Option<(usize, Option<&str>)>) -> Option<f64> {
        self.by_cell.then(|| cell.map_or(-2.0, |(feature, cell)| Sums::part(feature, cell)))
    }
}

/// Texts of cells of the table, by the posets themselves.
struct Shown<'a>(&'a Table);

impl crate::recode::region::Texts for Shown<'_> {
    fn text(&self, column: usize, ranks: &[Code]) -> Option<String> {
        let axis = &self.0.space.axes()[column];
        let leaves: Vec<Code> = ranks.iter().map(|&rank| axis.leaf(rank)).collect();
        axis.poset().unwrap().lub_of(&leaves).remove(0)
    }
}

proptest! {
    /// Asked about all candidates, every set is Katirai's: the row is added after which the model
    /// errs least.
    #[test]
    fn guided_sets_are_those_of_asking_about_all_rows(rows in rows(), k in 1..5u64) {
        let mut table = table(&rows);
        let k = k.min(table.classes.rows());
        let triples: Vec<(u32, u32, u32)> = (0..table.space.len() as u32)
            .map(|point| (point, point % 4, table.space.counts()[point as usize])).collect();
        let histogram = crate::histogram::Histogram::new(table.space.len(), &triples).unwrap();
        table.classes = table.classes.clone().measured(vec![histogram]).unwrap().with_targets(1);
        let numbers = [0.0, 4.0, -3.0, 11.0];
        let guide = Lengths { features: vec!["c".into(), "a".into()] };
        let shown = Shown(&table);
        let guiding = crate::space::Guiding { guide: &guide, target: 0, numbers: &numbers };
        let found = with_field(&table, k, &Search::default(), |field, points, meets| {
            guided::guided_of(meets, points, field, (guiding, &shown), 1000).unwrap().unwrap()
        });
        // Whole numbers, so that sums are the same in any order.
        let [batches, cells] = [false, true].map(|by_cell| {
            let guide = Sums { features: vec!["c".into(), "a".into()], by_cell };
            let guiding = crate::space::Guiding { guide: &guide, target: 0, numbers: &numbers };
            with_field(&table, k, &Search::default(), |field, points, meets| {
                let sets = guided::guided_of(meets, points, field, (guiding, &shown), 3).unwrap().unwrap();
                sets.into_iter().map(|set| (set.members, set.cost, set.near)).collect::<Vec<_>>()
            })
        });
        prop_assert_eq!(batches, cells);
        for (point, set) in found.iter().enumerate() {
            let mut members = vec![point as u32];
            while counted(&table, &members) < k {
                let error = |other: u32| {
                    let all: Vec<u32> = members.iter().copied().chain([other]).collect();
                    let cell = |column: usize| {
                        let mut ranks: Vec<Code> = all.iter().map(|&p| table.space.rank(p as usize, column)).collect();
                        ranks.sort_unstable();
                        crate::recode::region::Texts::text(&shown, column, &ranks)
                    };
                    let said = crate::predict::Guide::predict(&guide, &[vec![cell(2), cell(0)]]).unwrap()[0];
                    // Ties in the error go to the cheaper, by the costs that methods use: their
                    // last bits decide between equal ones.
                    let cost = with_field(&table, k, &Search::default(), |_, _, meets| meets.cost(all));
                    ((said - numbers[point % 4]).abs(), cost, other)
                };
                let others = (0..table.space.len() as u32).filter(|other| !members.contains(other));
                let best = others.map(error).min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
                members.push(best.unwrap().2);
            }
            prop_assert_eq!(&set.members, &members);
        }
    }
}

/// All ways to put some points into regions.
fn partitions(points: u32) -> Vec<Vec<Vec<u32>>> {
    let mut all: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    for point in 0..points {
        let mut next = Vec::new();
        for regions in all {
            for at in 0..=regions.len() {
                let mut regions = regions.clone();
                if at == regions.len() {
                    regions.push(vec![point])
                } else {
                    regions[at].push(point)
                }
                next.push(regions);
            }
        }
        all = next;
    }
    all
}

fn literally(table: &Table, set: &[u32], k: u64) -> Option<(Vec<u32>, Vec<u32>)> {
    let measure = |points: &[u32]| (by_definition(table, points) * ALL).round() as i64;
    let distance = |a: u32, b: u32| 2 * measure(&[a, b]) - measure(&[a]) - measure(&[b]);
    let pairs = set.iter().enumerate().flat_map(|(at, &a)| set[at + 1..].iter().map(move |&b| (a, b)));
    let mut farthest: Option<(i64, u32, u32)> = None;
    for (a, b) in pairs {
        if farthest.is_none_or(|(far, ..)| distance(a, b) > far) {
            farthest = Some((distance(a, b), a, b));
        }
    }
    let (_, one, other) = farthest.filter(|(far, ..)| *far > 0)?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for &point in set {
        let difference = distance(point, one) - distance(point, other);
        let fewer = counted(table, &left) <= counted(table, &right);
        let first = point == one || (point != other && (difference < 0 || (difference == 0 && fewer)));
        if first { left.push(point) } else { right.push(point) }
    }
    (counted(table, &left) >= k && counted(table, &right) >= k).then_some((left, right))
}

/// Columns of more values than are tabled cost the same.
#[test]
fn prices_are_the_same_with_and_without_a_table() {
    let values: Vec<String> =
        (0..TABLED + 5).map(|n| (n % 2003).to_string() + if n % 2 == 0 { ".0" } else { "" }).collect();
    let hierarchy = built("poset = { range = { worthless = 500 } }", &values);
    let count = hierarchy.leaf_count();
    let classes = Classes::new(1, Codes::Wide((0..count as Code).collect()), vec![1; count]).unwrap();
    let axis = Axis::new("c", &hierarchy, Form::Poset, Measure::Levels, 1.0).unwrap();
    let table = Table { space: Space::new(&classes, vec![axis]), classes, names: vec!["c".into()] };
    let field = Field {
        space: &table.space,
        judge: Judge::new(&table.classes, 2, Vec::new()),
        search: &Search::default(),
        names: &table.names,
        all_names: &table.names,
        tolerance: vec![1.0],
        seed: 1,
        aims: Aims::default(),
        watch: Watch::none(),
    };
    assert!(count > TABLED);
    let all: Vec<u32> = (0..count as u32).collect();
    let few = Points::new(&field, &all[..100]);
    let many = Points::new(&field, &all);
    let (tabled, plain) = (Meets::new(&field, &few), Meets::new(&field, &many));
    let (mut a, mut b, mut row) = (Vec::new(), Vec::new(), Row::default());
    for point in 0..100 {
        tabled.row_of(point, &all[..100], &mut a, &mut row);
        plain.row_of(point, &all, &mut b, &mut row);
        assert_eq!(a, b[..100]);
        plain.row_of(point, &all[..100], &mut b, &mut row);
        assert_eq!(a, b);
    }
}

/// A table with this many values per column, by numbers that look random.
fn drawn(values: &[u32], points: u32) -> Table {
    let draw = |point: u32, column: usize| {
        let mixed =
            (point + 1).wrapping_mul(0x9e37_79b9).wrapping_add(column as u32).wrapping_mul(0x85eb_ca6b);
        (mixed ^ (mixed >> 15)).wrapping_mul(0x2c1b_3c6d) >> 12
    };
    let tuples: std::collections::BTreeSet<Vec<Code>> = (0..points)
        .map(|point| values.iter().enumerate().map(|(at, &most)| draw(point, at) % most).collect())
        .collect();
    let hierarchy = |most: &u32| {
        let numbers: Vec<String> = (0..*most).map(|n| format!("{n:05}")).collect();
        built("hierarchy = { mask = { from = \"right\" } }", &numbers)
    };
    let hierarchies: Vec<Hierarchy> = values.iter().map(hierarchy).collect();
    let count = tuples.len();
    let codes = Codes::Wide(tuples.into_iter().flatten().collect());
    let classes = Classes::new(values.len(), codes, vec![1; count]).unwrap();
    let axis = |hierarchy: &Hierarchy| Axis::new("c", hierarchy, Form::Label, Measure::Leaves, 1.0).unwrap();
    let axes = hierarchies.iter().map(axis).collect();
    let names = values.iter().map(|most| format!("c{most}")).collect();
    Table { space: Space::new(&classes, axes), classes, names }
}

/// Columns in blocks, columns alone and columns of too many values for a table, for all points and
/// for some: the sum over columns.
#[test]
fn columns_that_are_looked_up_together_cost_what_they_cost_one_by_one() {
    let table = drawn(&[2, 3, 3, 40, 700, 20_000], 6000);
    with_field(&table, 2, &Search::default(), |_, points, meets| {
        let blocks: Vec<usize> = meets.blocks.iter().map(|block| block.columns().len()).collect();
        assert_eq!(blocks, [3, 1, 1], "small columns are together, and the largest is in none");
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let some: Vec<u32> = all.iter().copied().step_by(7).collect();
        let (mut costs, mut row) = (Vec::new(), Row::default());
        for point in all.iter().copied().step_by(997) {
            for others in [&all, &some] {
                meets.row_of(point, others, &mut costs, &mut row);
                let one_by_one: Vec<u32> = others.iter().map(|&other| meets.cost([point, other])).collect();
                assert_eq!(costs, one_by_one);
            }
        }
    });
}

/// As above, with more points than a sample of them has, and passing most of them over.
#[test]
fn greedy_sets_of_many_points_are_those_of_looking_at_all() {
    let table = drawn(&[4, 9, 30, 200], 5000);
    with_field(&table, 5, &Search::default(), |field, points, meets| {
        let all: Vec<u32> = (0..points.len() as u32).collect();
        let mut search = greedy::Search::new(field);
        for point in all.iter().copied().step_by(499) {
            let found = search.set(meets, points, point, &all);
            let mut near: Vec<u32> = all.iter().copied().filter(|&other| other != point).collect();
            near.sort_by_key(|&other| (meets.cost([point, other]), other));
            assert_eq!(found.near, near[..found.near.len()]);
            let mut members = vec![point];
            while members.len() < 5 {
                let others = all.iter().copied().filter(|other| !members.contains(other));
                let cost = |&other: &u32| (meets.cost(members.iter().copied().chain([other])), other);
                members.push(others.min_by_key(cost).unwrap());
            }
            assert_eq!(found.members, members);
        }
    });
}
