//! The pictures of a report. Grey is before, the accent is after, red is at risk; nothing else has
//! colour.

use super::facts::{Bar, ChosenLevel, ColumnFacts, Facts, LatticeFacts, SizeBin};
use super::markup::Html;
use super::svg::{Anchor, Pen, Scale, WIDTH};
use super::text::{count, decimal, fit, integer, width};

/// The size of letters in pictures.
const SIZE: f64 = 11.0;
/// Room for the number behind the longest bar.
const NUMBER: f64 = 48.0;
/// The most tracks side by side in one picture of a node.
const TRACKS: usize = 7;

/// One line of a bar chart.
enum Line<'a> {
    /// What the two bars of each line below are.
    Legend { before: String, after: String },
    /// What the bars below are.
    Heading(Side, String),
    /// A value with one bar, or with two of them: before and after.
    Bars { label: &'a str, bars: Vec<(&'static str, u64)> },
}

/// Before or after.
#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Line<'_> {
    fn height(&self) -> f64 {
        match self {
            Line::Legend { .. } | Line::Heading(..) => 22.0,
            Line::Bars { bars, .. } if bars.len() > 1 => 28.0,
            Line::Bars { .. } => 16.0,
        }
    }
}

/// The values of a column before and after; both share the axis.
pub(super) fn distribution(column: &ColumnFacts) -> Html {
    let all = || column.before.iter().chain(&column.after);
    // A pool may hold most of the rows; it would press the bars of single values flat.
    let single = all().filter(|b| !b.pooled).map(|b| b.count).max();
    let max = single.or(all().map(|b| b.count).max()).unwrap_or(0);
    let before = format!("Before · {}", count(column.distinct_before, "value"));
    let after = format!("After · {}", count(column.distinct_after, "value"));
    let same = column.before.iter().map(|b| &b.label).eq(column.after.iter().map(|b| &b.label));
    let lines: Vec<Line<'_>> = if same {
        let pairs = column.before.iter().zip(&column.after);
        let rows = pairs.map(|(old, new)| Line::Bars {
            label: &old.label,
            bars: vec![bar(old, Side::Before), bar(new, Side::After)],
        });
        [Line::Legend { before, after }].into_iter().chain(rows).collect()
    } else {
        let old = column.before.iter().map(|b| single_bar(b, Side::Before));
        let new = column.after.iter().map(|b| single_bar(b, Side::After));
        let head = |side, text| [Line::Heading(side, text)].into_iter();
        head(Side::Before, before).chain(old).chain(head(Side::After, after)).chain(new).collect()
    };
    let title = format!("Values of {} before and after", column.name);
    bar_chart(&lines, Scale::Linear(max as f64), "rows", &title)
}

fn single_bar(value: &Bar, side: Side) -> Line<'_> {
    Line::Bars { label: &value.label, bars: vec![bar(value, side)] }
}

fn bar(bar: &Bar, side: Side) -> (&'static str, u64) {
    let class = match (side, bar.pooled) {
        (Side::Before, false) => "before",
        (Side::Before, true) => "before pooled",
        (Side::After, false) => "after",
        (Side::After, true) => "after pooled",
    };
    (class, bar.count)
}

/// Rows by the size of their class, before and after, on a logarithmic axis.
pub(super) fn class_sizes(facts: &Facts) -> Html {
    let (before, after) = (&facts.classes_before, &facts.classes_after);
    let mut bins: Vec<&SizeBin> = before.iter().chain(after).collect();
    bins.sort_by_key(|b| b.low);
    bins.dedup_by_key(|b| b.low);
    let k = facts.policy.k.unwrap_or(0);
    let rows = |bins: &[SizeBin], low| bins.iter().find(|b| b.low == low).map_or(0, |b| b.rows);
    let max = bins.iter().map(|b| rows(before, b.low).max(rows(after, b.low))).max().unwrap_or(0);
    let mut lines = vec![Line::Legend { before: "Before".to_owned(), after: "After".to_owned() }];
    lines.extend(bins.iter().map(|bin| {
        let (old, new) = if bin.high < k { ("before risk", "after risk") } else { ("before", "after") };
        let bars = vec![(old, rows(before, bin.low)), (new, rows(after, bin.low))];
        Line::Bars { label: &bin.label, bars }
    }));
    bar_chart(&lines, Scale::Log(max as f64), "rows, logarithmic scale", "Rows by the size of their class")
}

/// One bar for each count, on a logarithmic axis.
pub(super) fn counts(bars: &[(String, u64)], axis: &str, title: &str) -> Html {
    let max = bars.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let lines: Vec<Line<'_>> =
        bars.iter().map(|(label, count)| Line::Bars { label, bars: vec![("before", *count)] }).collect();
    bar_chart(&lines, Scale::Log(max as f64), axis, title)
}

/// One bar for each share, in whole percents.
pub(super) fn shares(bars: &[(String, f64)], axis: &str, title: &str) -> Html {
    let percent = |share: f64| (100.0 * share).round() as u64;
    let bar = |(label, share)| Line::Bars { label, bars: vec![("after", percent(share))] };
    let lines: Vec<Line<'_>> = bars.iter().map(|(label, share)| bar((label.as_str(), *share))).collect();
    bar_chart(&lines, Scale::Linear(100.0), axis, title)
}

/// Two bars for each label, in whole percents; the legend says what they are.
pub(super) fn paired_shares(
    bars: &[(String, [f64; 2])],
    [first, second]: [&str; 2],
    axis: &str,
    title: &str,
) -> Html {
    let percent = |share: f64| (100.0 * share).round() as u64;
    let lines = bars.iter().map(|(label, [grey, bright])| Line::Bars {
        label,
        bars: vec![("before", percent(*grey)), ("after", percent(*bright))],
    });
    let legend = Line::Legend { before: first.to_owned(), after: second.to_owned() };
    let lines: Vec<Line<'_>> = std::iter::once(legend).chain(lines).collect();
    bar_chart(&lines, Scale::Linear(100.0), axis, title)
}

/// Horizontal bars that share one axis.
fn bar_chart(lines: &[Line<'_>], scale: Scale, axis: &str, title: &str) -> Html {
    let labels = lines.iter().filter_map(|l| match l {
        Line::Bars { label, .. } => Some(width(label, SIZE)),
        _ => None,
    });
    let left = labels.fold(40.0, f64::max).min(118.0) + 8.0;
    let plot = WIDTH - left - NUMBER;
    let bottom = lines.iter().map(Line::height).sum::<f64>() + 4.0;
    let mut pen = Pen::new();
    draw_axis(&mut pen, scale, left, plot, bottom, axis);
    let mut y = 0.0;
    for line in lines {
        match line {
            Line::Legend { before, after } => draw_legend(&mut pen, left, before, after),
            Line::Heading(side, text) => draw_heading(&mut pen, *side, (left, y), text),
            Line::Bars { label, bars } => draw_bars(&mut pen, scale, (left, plot, y), label, bars),
        }
        y += line.height();
    }
    pen.finish((WIDTH, bottom + 34.0), title, &description(lines))
}

/// Both headings in one line, further left where they would not fit.
fn draw_legend(pen: &mut Pen, left: f64, before: &str, after: &str) {
    const BOLD: f64 = 1.1;
    let [first, second] = [before, after].map(|t| 13.0 + BOLD * width(t, SIZE));
    let start = left.min(WIDTH - first - second - 14.0).max(0.0);
    draw_heading(pen, Side::Before, (start, 0.0), before);
    draw_heading(pen, Side::After, (start + first + 14.0, 0.0), after);
}

fn draw_heading(pen: &mut Pen, side: Side, (x, y): (f64, f64), text: &str) {
    let (swatch, class) = match side {
        Side::Before => ("before", "t-before"),
        Side::After => ("after", "t-after"),
    };
    pen.rect(swatch, [x, y + 6.0, 8.0, 8.0]);
    pen.text(class, (x + 13.0, y + 13.5), Anchor::Start, text);
}

fn draw_axis(pen: &mut Pen, scale: Scale, left: f64, plot: f64, bottom: f64, name: &str) {
    let mut free = f64::MIN;
    for tick in scale.ticks() {
        let x = left + plot * scale.of(tick as f64);
        let label = integer(tick);
        let half = width(&label, SIZE) / 2.0;
        pen.line(if tick == 0 { "base" } else { "grid" }, [x, 20.0, x, bottom]);
        if x - half > free {
            pen.text("tick", (x, bottom + 13.0), Anchor::Middle, &label);
            free = x + half + 4.0;
        }
    }
    pen.text("tick", (left + plot, bottom + 28.0), Anchor::End, name);
}

fn draw_bars(
    pen: &mut Pen,
    scale: Scale,
    (left, plot, y): (f64, f64, f64),
    label: &str,
    bars: &[(&str, u64)],
) {
    let thick = if bars.len() > 1 { 11.0 } else { 10.0 };
    let middle = y + 2.0 + thick * bars.len() as f64 / 2.0;
    let numbers: Vec<String> = bars.iter().map(|(_, rows)| integer(*rows)).collect();
    pen.tip(&format!("{label}: {}", numbers.join(", then ")), |pen| {
        pen.text("label", (left - 6.0, middle + 4.0), Anchor::End, &fit(label, SIZE, left - 8.0));
        for (i, ((class, rows), number)) in bars.iter().zip(&numbers).enumerate() {
            let top = y + 2.0 + thick * i as f64;
            // A bar too short to see is still no empty bar; one too long is broken off.
            let length = (plot * scale.of(*rows as f64)).min(plot).max(if *rows > 0 { 1.0 } else { 0.0 });
            pen.rect(class, [left, top, length, thick - 1.0]);
            if scale.of(*rows as f64) > 1.0 {
                let x = left + plot - 12.0;
                [x, x + 4.0].iter().for_each(|x| pen.line("break", [*x, top + thick, x + 4.0, top - 1.0]));
            }
            let muted = if *rows == 0 { "number none" } else { "number" };
            pen.text(muted, (left + length + 4.0, top + thick - 1.5), Anchor::Start, number);
        }
    });
}

/// The chart as a sentence.
fn description(lines: &[Line<'_>]) -> String {
    let parts = lines.iter().map(|line| match line {
        Line::Legend { before, after } => format!("{before}, {after}."),
        Line::Heading(_, text) => format!("{text}."),
        Line::Bars { label, bars } => {
            let numbers: Vec<String> = bars.iter().map(|(_, rows)| integer(*rows)).collect();
            format!("{label}: {};", numbers.join(", then "))
        }
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// The levels of one column in a line of text: the allowed range thick, the chosen level filled.
pub(super) fn level_track(level: usize, min: usize, max: usize, height: usize) -> Html {
    let step = (96.0 / height.max(1) as f64).min(14.0);
    let x = |level: usize| 7.0 + step * level as f64;
    let mut pen = Pen::new();
    pen.line("track", [x(0), 7.0, x(height), 7.0]);
    pen.line("allowed", [x(min), 7.0, x(max), 7.0]);
    if step >= 4.0 {
        (0..=height).for_each(|level| pen.circle("tickdot", (x(level), 7.0), 1.6));
    }
    pen.circle("chosen", (x(level), 7.0), 4.5);
    pen.ornament((x(height) + 7.0, 14.0), "inline")
}

/// A share as a bar that fills its cell of a table.
pub(super) fn share_bar(share: f64) -> Html {
    let filled = if share.is_finite() { share.clamp(0.0, 1.0) * 100.0 } else { 0.0 };
    Html::escaped_before(format!(
        r#"<svg class="share" aria-hidden="true" viewBox="0 0 100 6" width="100" height="6" preserveAspectRatio="none"><rect class="trough" width="100" height="6"/><rect class="after" width="{filled:.1}" height="6"/></svg>"#
    ))
}

/// How many nodes lie at each height, as the outline of the lattice, with the chosen height marked.
pub(super) fn silhouette(lattice: &LatticeFacts) -> Html {
    const CENTRE: f64 = 102.0;
    const HALF: f64 = 96.0;
    let widest = lattice.profile.iter().copied().fold(1.0, f64::max);
    let half = |nodes: f64| (nodes / widest * HALF).max(1.5);
    let heights = lattice.profile.len().max(1) as f64;
    let step = (220.0 / heights).min(34.0);
    let bottom = 28.0 + step * heights;
    let mut pen = Pen::new();
    let mut draw = |i: usize, nodes: f64, class: &str, thick: f64| {
        let (half, middle) = (half(nodes), bottom - step * (i as f64 + 0.5));
        pen.tip(&format!("height {}: {} nodes", lattice.bottom + i, decimal(nodes)), |pen| {
            pen.rect(class, [CENTRE - half, middle - thick / 2.0, 2.0 * half, thick]);
        });
    };
    let chosen = lattice.height.checked_sub(lattice.bottom).and_then(|i| Some((i, *lattice.profile.get(i)?)));
    for (i, nodes) in lattice.profile.iter().enumerate().filter(|(i, _)| chosen.is_none_or(|c| c.0 != *i)) {
        draw(i, *nodes, "before soft", step - (step * 0.18).min(2.0));
    }
    if let Some((i, nodes)) = chosen {
        draw(i, nodes, "after", (step - (step * 0.18).min(2.0)).max(3.0));
        let y = bottom - step * (i as f64 + 0.5);
        pen.line("pointer", [CENTRE + half(nodes) + 3.0, y, 208.0, y]);
        pen.text("t-after", (212.0, y - 2.0), Anchor::Start, &format!("chosen: height {}", lattice.height));
        let noun = if nodes == 1.0 { "node" } else { "nodes" };
        pen.text("tick", (212.0, y + 12.0), Anchor::Start, &format!("with {} {noun}", decimal(nodes)));
    }
    pen.text("tick", (CENTRE, 18.0), Anchor::Middle, &format!("top: height {}", lattice.top));
    pen.text("tick", (CENTRE, bottom + 18.0), Anchor::Middle, &format!("bottom: height {}", lattice.bottom));
    let [low, top, height] = [lattice.bottom, lattice.top, lattice.height];
    let words = format!("Heights {low} to {top}; the chosen node lies at height {height}.");
    pen.finish((WIDTH, bottom + 28.0), "The lattice: how many nodes lie at each height", &words)
}

/// The chosen node: one track per quasi-identifier with its levels, a few tracks to a picture.
pub(super) fn node(chosen: &[ChosenLevel]) -> Vec<Html> {
    let pictures = chosen.len().div_ceil(TRACKS).max(1);
    let tallest = chosen.iter().map(|c| c.height).max().unwrap_or(0).max(1);
    let each = chosen.len().div_ceil(pictures).max(1);
    chosen.chunks(each).map(|tracks| node_part(tracks, tallest, each)).collect()
}

fn node_part(tracks: &[ChosenLevel], tallest: usize, slots: usize) -> Html {
    const LEFT: f64 = 44.0;
    let step = (200.0 / tallest as f64).min(40.0);
    let floor = 28.0 + step * tallest as f64;
    let gap = ((WIDTH - LEFT - 26.0) / slots as f64).min(90.0);
    let at = |i: usize, level: usize| (LEFT + gap * (i as f64 + 0.5), floor - step * level as f64);
    let mut pen = Pen::new();
    let every = (tallest / 8).max(1);
    for level in (0..=tallest).step_by(every) {
        let y = at(0, level).1;
        pen.line("grid", [LEFT, y, WIDTH - 16.0, y]);
        pen.text("tick", (LEFT - 6.0, y + 4.0), Anchor::End, &level.to_string());
    }
    pen.text("tick", (LEFT - 6.0, 12.0), Anchor::End, "level");
    let joints: Vec<(f64, f64)> = tracks.iter().enumerate().map(|(i, t)| at(i, t.level)).collect();
    for (i, track) in tracks.iter().enumerate() {
        draw_track(&mut pen, track, |level| at(i, level), step);
    }
    pen.polyline("joint", &joints);
    for (track, &(x, y)) in tracks.iter().zip(&joints) {
        pen.circle("chosen", (x, y), 5.5);
        pen.text("number halo", (x, y - 9.0), Anchor::Middle, &track.level.to_string());
        pen.slanted("label", (x + 4.0, floor + 18.0), &fit(&track.column, SIZE, 78.0));
    }
    let words = tracks.iter().map(|t| format!("{} at level {} of {}", t.column, t.level, t.height));
    let words: Vec<String> = words.collect();
    pen.finish(
        (WIDTH, floor + 76.0),
        "The chosen node: the level of each quasi-identifier",
        &words.join("; "),
    )
}

fn draw_track(pen: &mut Pen, track: &ChosenLevel, at: impl Fn(usize) -> (f64, f64), step: f64) {
    let tip = format!(
        "{}: level {} of {}, allowed {} to {}",
        track.column, track.level, track.height, track.min, track.max
    );
    pen.tip(&tip, |pen| {
        let (x, low) = at(0);
        pen.line("track", [x, low, x, at(track.height).1]);
        pen.line("allowed", [x, at(track.min).1, x, at(track.max).1]);
        if step >= 4.0 {
            (0..=track.height).for_each(|level| pen.circle("tickdot", at(level), 1.8));
        }
    });
}
