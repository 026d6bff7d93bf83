//! Scatter plots: one figure of settings against another, on a page.

use super::markup::Html;
use super::svg::{Anchor, Pen};
use super::text::{decimal, fit, width};

const SIZE: f64 = 11.0;
const WIDTH: f64 = 340.0;
const PLOT: f64 = 170.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;

/// A scatter plot.
pub(super) struct Scatter {
    pub(super) title: String,
    pub(super) across: String,
    pub(super) up: String,
    /// Series, tip, and where it is.
    pub(super) points: Vec<(String, String, (f64, f64))>,
}

/// The range of some figures, a little wider.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    if low > high {
        return (0.0, 1.0);
    }
    let room = if high > low { (high - low) * 0.06 } else { low.abs().max(1.0) * 0.1 };
    (low - room, high + room)
}

/// Round figures within a range, at most `most` steps apart.
fn ticks((low, high): (f64, f64), most: u32) -> Vec<f64> {
    let least = (high - low) / f64::from(most);
    let decade = 10_f64.powi(least.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade).into_iter().find(|s| *s >= least * 0.999);
    let step = step.unwrap_or(least);
    let first = (low / step).ceil();
    (0..=most)
        .map(|i| (first + f64::from(i)) * step)
        .filter(|tick| *tick <= high)
        // Zero, and not what rounding leaves of it.
        .map(|tick| if tick.abs() < step * 1e-6 { 0.0 } else { (tick / step).round() * step })
        .collect()
}

impl Scatter {
    /// Inside a page.
    pub(super) fn inline(&self) -> Html {
        let mut names: Vec<&str> = Vec::new();
        for (name, ..) in &self.points {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut pen = Pen::new();
        pen.text("title", (4.0, 14.0), Anchor::Start, &self.title);
        let top = legend(&mut pen, &names) + 14.0;
        let bottom = top + PLOT;
        let across = range(self.points.iter().map(|p| p.2.0));
        let up = range(self.points.iter().map(|p| p.2.1));
        let x = |v: f64| LEFT + (WIDTH - LEFT - RIGHT) * (v - across.0) / (across.1 - across.0);
        let y = |v: f64| bottom - PLOT * (v - up.0) / (up.1 - up.0);
        for tick in ticks(up, 5) {
            pen.line("grid", [LEFT, y(tick), WIDTH - RIGHT, y(tick)]);
            pen.text("tick", (LEFT - 6.0, y(tick) + 4.0), Anchor::End, &decimal(tick));
        }
        pen.line("base", [LEFT, bottom, WIDTH - RIGHT, bottom]);
        let mut free = f64::MIN;
        for tick in ticks(across, 4) {
            let label = decimal(tick);
            let half = width(&label, SIZE) / 2.0;
            if x(tick) - half > free && x(tick) + half < WIDTH {
                pen.text("tick", (x(tick), bottom + 15.0), Anchor::Middle, &label);
                free = x(tick) + half + 6.0;
            }
        }
        pen.text("tick", (WIDTH - RIGHT, bottom + 31.0), Anchor::End, &fit(&self.across, SIZE, WIDTH));
        for (name, tip, (a, b)) in &self.points {
            let series = names.iter().position(|n| n == name).unwrap_or(0);
            let tip = format!("{tip}: {} {}, {} {}", self.across, decimal(*a), self.up, decimal(*b));
            pen.tip(&tip, |pen| mark(pen, series, (x(*a), y(*b))));
        }
        let description: Vec<String> = self
            .points
            .iter()
            .map(|(_, tip, (a, b))| format!("{tip}: {}, {}.", decimal(*a), decimal(*b)))
            .collect();
        let title = format!("{} against {}", self.up, self.across);
        pen.finish((WIDTH, bottom + 38.0), &title, &description.join(" "))
    }
}

fn mark(pen: &mut Pen, i: usize, (x, y): (f64, f64)) {
    let class = format!("mark s{}", i % 6);
    match i % 4 {
        0 => pen.circle(&class, (x, y), 3.4),
        1 => pen.rect(&class, [x - 3.0, y - 3.0, 6.0, 6.0]),
        2 => pen.polygon(&class, &[(x, y - 4.2), (x + 4.2, y), (x, y + 4.2), (x - 4.2, y)]),
        _ => pen.polygon(&class, &[(x, y - 4.0), (x + 3.8, y + 3.0), (x - 3.8, y + 3.0)]),
    }
}

/// The names of the series in as many lines as they need; where the lines end.
fn legend(pen: &mut Pen, names: &[&str]) -> f64 {
    let (mut at, mut y) = (4.0, 32.0);
    for (i, name) in names.iter().enumerate() {
        let room = 16.0 + width(name, SIZE);
        if at > 4.0 && at + room > WIDTH - RIGHT {
            (at, y) = (4.0, y + 16.0);
        }
        mark(pen, i, (at + 4.0, y - 4.0));
        pen.text("tick", (at + 12.0, y), Anchor::Start, name);
        at += room + 12.0;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((0.0, 1.0), 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        for (low, high) in [(-3.0, 4.0), (0.71, 0.713), (1e6, 3e7)] {
            let all = ticks((low, high), 4);
            assert!(!all.is_empty() && all.len() <= 5, "{all:?}");
            assert!(all.iter().all(|t| *t >= low - 1e-9 && *t <= high + 1e-9), "{all:?}");
        }
    }

    #[test]
    fn a_plot_has_a_mark_per_point_and_escapes_names() {
        let point = |name: &str, x: f64| (name.to_owned(), format!("{name}, k = 2"), (x, 0.5 + x));
        let plot = Scatter {
            title: "lm".into(),
            across: "lm".into(),
            up: "AUC".into(),
            points: vec![point("a<b", 0.1), point("a<b", 0.2), point("c", 0.3)],
        };
        let svg = plot.inline().into_string();
        assert!(!svg.contains("a<b") && svg.contains("a&lt;b"));
        assert_eq!(svg.matches("<g><title>").count(), 3);
        let none = Scatter { points: Vec::new(), ..plot };
        assert!(none.inline().into_string().starts_with("<svg"));
    }
}
