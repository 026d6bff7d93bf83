//! A pen for small pictures inside the page: shapes in, one `<svg>` out.
//!
//! Colours come from classes that the page's style sheet knows, so that a picture follows the
//! light, dark and printed page. Every picture is drawn [`WIDTH`] units wide, about the width of a
//! phone, and is scaled by little, so that its letters stay as large as the page's.

use std::fmt::Write;

use super::markup::Html;
use super::text::escape;

/// The width of a full picture.
pub const WIDTH: f64 = 340.0;

/// Where a text is held.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// At its start.
    Start,
    /// At its middle.
    Middle,
    /// At its end.
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        }
    }
}

/// A picture being drawn.
#[derive(Debug, Default)]
pub struct Pen {
    body: String,
}

impl Pen {
    /// Nothing drawn yet.
    pub fn new() -> Self {
        Pen { body: String::new() }
    }

    // Writing to a string cannot fail, hence the ignored results below.

    /// A rectangle: left, top, width, height.
    pub fn rect(&mut self, class: &str, [x, y, width, height]: [f64; 4]) {
        let _ = write!(
            self.body,
            r#"<rect class="{}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#,
            escape(class)
        );
    }

    /// A line between two points.
    pub fn line(&mut self, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
        let _ = write!(
            self.body,
            r#"<line class="{}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#,
            escape(class)
        );
    }

    /// A line through points.
    pub fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(self.body, r#"<polyline class="{}" points="{}"/>"#, escape(class), points.join(" "));
    }

    /// A filled shape.
    pub fn polygon(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(self.body, r#"<polygon class="{}" points="{}"/>"#, escape(class), points.join(" "));
    }

    /// A circle around a point.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let _ = write!(
            self.body,
            r#"<circle class="{}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"/>"#,
            escape(class)
        );
    }

    /// A text at a point.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let (class, anchor, text) = (escape(class), anchor.name(), escape(text));
        let _ = write!(
            self.body,
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    /// A text that rises to the right and ends at the given point.
    pub fn slanted(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let (class, text) = (escape(class), escape(text));
        let _ = write!(
            self.body,
            r#"<text class="{class}" transform="translate({x:.1} {y:.1}) rotate(-38)" text-anchor="end">{text}</text>"#
        );
    }

    /// A group with a text that is shown when it is pointed at.
    pub fn tip(&mut self, tip: &str, draw: impl FnOnce(&mut Pen)) {
        let _ = write!(self.body, "<g><title>{}</title>", escape(tip));
        draw(self);
        self.body.push_str("</g>");
    }

    /// A group that a link can go to.
    pub fn target(&mut self, id: &'static str, draw: impl FnOnce(&mut Pen)) {
        let _ = write!(self.body, "<g id=\"{id}\">");
        draw(self);
        self.body.push_str("</g>");
    }

    /// The picture with its name and a sentence for those who cannot see it.
    pub fn finish(self, size: (f64, f64), title: &str, description: &str) -> Html {
        let ((width, height), title, description) = (size, escape(title), escape(description));
        Html::escaped_before(format!(
            r#"<svg class="picture" role="img" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}" aria-label="{title}"><title>{title}</title><desc>{description}</desc>{}</svg>"#,
            self.body
        ))
    }

    /// The picture as a file of its own, with the style that gives its classes their colours.
    pub fn file(self, size: (f64, f64), title: &str, description: &str, style: &str) -> String {
        let picture = self.finish(size, title, description).into_string();
        let (head, rest) = picture.split_once('>').unwrap_or((&picture, ""));
        format!("{head} xmlns=\"http://www.w3.org/2000/svg\"><style>{style}</style>{rest}\n")
    }

    /// The picture as an ornament beside a text that already says the same.
    pub fn ornament(self, size: (f64, f64), class: &'static str) -> Html {
        let (width, height) = size;
        Html::escaped_before(format!(
            r#"<svg class="{class}" aria-hidden="true" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">{}</svg>"#,
            self.body
        ))
    }
}

/// How numbers become lengths.
#[derive(Debug, Clone, Copy)]
pub enum Scale {
    /// Twice the number, twice the length.
    Linear(f64),
    /// Ten times the number, one step more; 0 has no length.
    Log(f64),
}

impl Scale {
    /// The length of a number, of 1.
    pub fn of(self, number: f64) -> f64 {
        match self {
            Scale::Linear(max) if max > 0.0 => number / max,
            Scale::Log(max) if max > 0.0 => number.ln_1p() / max.ln_1p(),
            _ => 0.0,
        }
    }

    /// Round numbers on the axis, at most six, 0 first.
    pub fn ticks(self) -> Vec<u64> {
        match self {
            Scale::Linear(max) => {
                let least = (max / 5.0).max(1.0);
                let decade = 10_f64.powi(least.log10().floor() as i32);
                let step = [1.0, 2.0, 5.0, 10.0].map(|s| s * decade).into_iter().find(|s| *s >= least);
                let step = step.unwrap_or(least);
                (0..=5).map(|i| (f64::from(i) * step) as u64).filter(|t| *t as f64 <= max).collect()
            }
            Scale::Log(max) => {
                let decades = max.max(1.0).log10().floor() as u32;
                let skip = (decades + 1).div_ceil(4).max(1);
                let powers = (0..=decades).filter(|d| d % skip == 0).map(|d| 10_u64.saturating_pow(d));
                [0].into_iter().chain(powers).filter(|t| *t as f64 <= max).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_round_and_inside() {
        assert_eq!(Scale::Linear(0.0).ticks(), [0]);
        assert_eq!(Scale::Linear(1.0).ticks(), [0, 1]);
        assert_eq!(Scale::Linear(10.0).ticks(), [0, 2, 4, 6, 8, 10]);
        assert_eq!(Scale::Linear(7_900.0).ticks(), [0, 2_000, 4_000, 6_000]);
        assert_eq!(Scale::Log(0.0).ticks(), [0]);
        assert_eq!(Scale::Log(999.0).ticks(), [0, 1, 10, 100]);
        assert_eq!(Scale::Log(30_162.0).ticks(), [0, 1, 100, 10_000]);
        for max in [3.0, 17.0, 250.0, 1e6, 3.3e12, u64::MAX as f64] {
            assert!(Scale::Linear(max).ticks().len() <= 6 && Scale::Log(max).ticks().len() <= 6);
        }
    }

    #[test]
    fn scales_start_at_nothing_and_end_at_one() {
        for scale in [Scale::Linear(250.0), Scale::Log(250.0)] {
            assert_eq!((scale.of(0.0), scale.of(250.0)), (0.0, 1.0));
        }
        assert_eq!(Scale::Linear(0.0).of(0.0), 0.0);
    }
}
