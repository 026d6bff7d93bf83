//! Line charts: figures of several algorithms against k, on a page and as files.

use throng_terms::page::PICTURE_STYLE;

use super::markup::Html;
use super::svg::{Anchor, Pen};
use super::text::{decimal, fit, width};

/// The size of letters in pictures.
const SIZE: f64 = 11.0;
const WIDTH: f64 = 420.0;
/// Where the words above the plot begin, and where the plot does.
const EDGE: f64 = 4.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const PLOT: f64 = 190.0;
/// Figures that differ by more than this factor are shown on a logarithmic axis.
const SPREAD: f64 = 30.0;

/// A chart.
pub(super) struct Chart {
    pub(super) title: String,
    /// Of what.
    pub(super) subtitle: String,
    /// What is along the bottom.
    pub(super) name: &'static str,
    pub(super) at: Vec<u64>,
    /// A figure that means "as good as".
    pub(super) reference: Option<f64>,
    pub(super) series: Vec<(String, Vec<Option<f64>>)>,
}

/// Series that are one line.
struct Joined<'a> {
    /// The first of them, whose colour and sign it has, so that an algorithm looks alike in all
    /// charts.
    first: usize,
    names: String,
    values: &'a Vec<Option<f64>>,
}

impl Chart {
    /// Inside a page.
    pub(super) fn inline(&self) -> Html {
        let (pen, size) = self.draw();
        pen.finish(size, &self.title, &self.description())
    }

    /// A file of its own.
    pub(super) fn file(&self) -> String {
        let (pen, size) = self.draw();
        pen.file(size, &self.title, &self.description(), PICTURE_STYLE)
    }

    /// Whether there is anything to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.series.iter().all(|(_, values)| values.iter().all(Option::is_none))
    }

    /// Series that are the same at every point are one line, named after all of them.
    fn joined(&self) -> Vec<Joined<'_>> {
        let mut joined: Vec<Joined<'_>> = Vec::new();
        for (first, (name, values)) in self.series.iter().enumerate() {
            match joined.iter_mut().find(|other| other.values == values) {
                Some(other) => other.names += &format!(", {name}"),
                None => joined.push(Joined { first, names: name.clone(), values }),
            }
        }
        joined.retain(|line| line.values.iter().any(Option::is_some));
        joined
    }

    fn draw(&self) -> (Pen, (f64, f64)) {
        let joined = self.joined();
        let mut pen = Pen::new();
        pen.text("title", (EDGE, 14.0), Anchor::Start, &self.title);
        pen.text("tick", (EDGE, 29.0), Anchor::Start, &fit(&self.subtitle, SIZE, WIDTH - EDGE));
        let top = draw_legend(&mut pen, &joined) + 12.0;
        let bottom = top + PLOT;
        let values = joined.iter().flat_map(|line| line.values.iter().flatten().copied());
        let axis = Axis::new(values.chain(self.reference));
        let y = |value: f64| bottom - PLOT * axis.of(value);
        for tick in axis.ticks() {
            pen.line("grid", [LEFT, y(tick), WIDTH - RIGHT, y(tick)]);
            pen.text("tick", (LEFT - 6.0, y(tick) + 4.0), Anchor::End, &decimal(tick));
        }
        if let Some(reference) = self.reference {
            pen.line("reference", [LEFT, y(reference), WIDTH - RIGHT, y(reference)]);
        }
        pen.line("base", [LEFT, bottom, WIDTH - RIGHT, bottom]);
        self.draw_bottom(&mut pen, bottom);
        for line in &joined {
            self.draw_series(&mut pen, line, &y);
        }
        (pen, (WIDTH, bottom + 38.0))
    }

    fn x(&self, at: u64) -> f64 {
        let (low, high) =
            (self.at.iter().min().copied().unwrap_or(0), self.at.iter().max().copied().unwrap_or(0));
        let share = if high > low { (at - low) as f64 / (high - low) as f64 } else { 0.5 };
        LEFT + 10.0 + (WIDTH - LEFT - RIGHT - 20.0) * share
    }

    fn draw_bottom(&self, pen: &mut Pen, bottom: f64) {
        let mut free = f64::MIN;
        let mut at = self.at.clone();
        at.sort_unstable();
        for at in at {
            let label = at.to_string();
            let half = width(&label, SIZE) / 2.0;
            if self.x(at) - half > free {
                pen.text("tick", (self.x(at), bottom + 15.0), Anchor::Middle, &label);
                free = self.x(at) + half + 4.0;
            }
        }
        pen.text("tick", (WIDTH - RIGHT, bottom + 31.0), Anchor::End, self.name);
    }

    fn draw_series(&self, pen: &mut Pen, line: &Joined<'_>, y: &dyn Fn(f64) -> f64) {
        let Joined { first, names, values } = line;
        let mut known: Vec<(u64, f64)> =
            self.at.iter().zip(*values).filter_map(|(&k, v)| Some((k, (*v)?))).collect();
        known.sort_by_key(|(at, _)| *at);
        let points: Vec<(f64, f64)> = known.iter().map(|&(at, v)| (self.x(at), y(v))).collect();
        pen.polyline(&format!("line s{}", first % 6), &points);
        for (&(at, value), &point) in known.iter().zip(&points) {
            pen.tip(&format!("{names}, {} = {at}: {}", self.name, decimal(value)), |pen| {
                mark(pen, *first, point);
            });
        }
    }

    fn description(&self) -> String {
        let lines = self.joined().into_iter().map(|line| {
            let values: Vec<String> = line.values.iter().map(|v| v.map_or("none".into(), decimal)).collect();
            format!("{}: {}.", line.names, values.join(", "))
        });
        lines.collect::<Vec<_>>().join(" ")
    }
}

/// The marker of a series. Each series has its own shape as well as its own colour.
fn mark(pen: &mut Pen, i: usize, (x, y): (f64, f64)) {
    let class = format!("mark s{}", i % 6);
    match i % 4 {
        0 => pen.circle(&class, (x, y), 3.2),
        1 => pen.rect(&class, [x - 2.9, y - 2.9, 5.8, 5.8]),
        2 => pen.polygon(&class, &[(x, y - 4.2), (x + 4.2, y), (x, y + 4.2), (x - 4.2, y)]),
        _ => pen.polygon(&class, &[(x, y - 4.0), (x + 3.8, y + 3.0), (x - 3.8, y + 3.0)]),
    }
}

/// The names of the series in as many lines as they need; where the lines end.
fn draw_legend(pen: &mut Pen, joined: &[Joined<'_>]) -> f64 {
    let (mut x, mut y) = (EDGE, 48.0);
    for Joined { first, names, .. } in joined {
        let room = 16.0 + width(names, SIZE);
        if x > EDGE && x + room > WIDTH - RIGHT {
            (x, y) = (EDGE, y + 16.0);
        }
        mark(pen, *first, (x + 4.0, y - 4.0));
        pen.text("tick", (x + 12.0, y), Anchor::Start, names);
        x += room + 12.0;
    }
    y
}

/// How figures become heights.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        values.for_each(|v| (low, high) = (low.min(v), high.max(v)));
        if low > high {
            return Axis { low: 0.0, high: 1.0, logarithmic: false };
        }
        if low > 0.0 && high / low > SPREAD {
            return Axis { low, high, logarithmic: true };
        }
        // A range far from 0 need not begin there.
        let low = if high > 0.0 && low > high * 0.4 { low - (high - low) * 0.05 } else { 0.0 };
        Axis { low, high: if high > low { high } else { low + 1.0 }, logarithmic: false }
    }

    /// From 0 at the bottom to 1 at the top.
    fn of(&self, value: f64) -> f64 {
        match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// Round figures inside the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
            let every = ((last - first) / 6).max(0) + 1;
            return (first..=last).step_by(every as usize).map(|e| 10_f64.powi(e)).collect();
        }
        let least = (self.high - self.low) / 5.0;
        let decade = 10_f64.powi(least.log10().floor() as i32);
        let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade).into_iter().find(|s| *s >= least * 0.999);
        let step = step.unwrap_or(least);
        let first = (self.low / step).ceil();
        (0..8).map(|i| (first + f64::from(i)) * step).filter(|t| *t <= self.high * (1.0 + 1e-9)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[f64]) -> Axis {
        Axis::new(values.iter().copied())
    }

    #[test]
    fn ticks_are_round_few_and_inside() {
        assert_eq!(axis(&[0.0, 10.0]).ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(axis(&[1.0, 1500.0]).ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(axis(&[100.0, 140.0]).ticks(), [100.0, 110.0, 120.0, 130.0, 140.0]);
        for values in [&[3.0][..], &[0.0], &[], &[1e-9, 5.0], &[100.0, 100.001], &[7.0, 1e15]] {
            let axis = axis(values);
            let ticks = axis.ticks();
            assert!(ticks.len() <= 8, "{ticks:?}");
            let inside = |t: &f64| (-1e-6..=1.0 + 1e-6).contains(&axis.of(*t));
            assert!(ticks.iter().all(inside), "{values:?}: {ticks:?}");
            assert!(values.iter().all(inside), "{values:?}");
        }
    }

    #[test]
    fn equal_series_are_one_line_and_gaps_stay_gaps() {
        let chart = Chart {
            title: "t <x>".into(),
            subtitle: String::new(),
            name: "k",
            at: vec![2, 3],
            reference: Some(100.0),
            series: vec![
                ("a".into(), vec![Some(100.0), Some(150.0)]),
                ("b".into(), vec![Some(100.0), Some(150.0)]),
                ("c".into(), vec![None, Some(120.0)]),
                ("d".into(), vec![None, None]),
            ],
        };
        let joined: Vec<String> = chart.joined().into_iter().map(|line| line.names).collect();
        assert_eq!(joined, ["a, b", "c"]);
        let file = chart.file();
        assert!(file.starts_with("<svg") && file.contains("xmlns=") && file.contains("t &lt;x&gt;"));
        assert_eq!(file.matches("<polyline").count(), 2);
        assert!(file.contains("c: none, 120."));
        assert!(!chart.is_empty());
        assert!(Chart { series: Vec::new(), ..chart }.is_empty());
    }
}
