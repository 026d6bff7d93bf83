//! A network drawn: a card per column with its levels, most general first, and an arrow for every
//! edge.
//!
//! Columns stand to the right of all columns that they depend on. After the drawings in Katirai 2006, "A method for utilizing a Bayesian model
//! as a measure function".

use throng_terms::page::PICTURE_STYLE;

use super::svg::{Anchor, Pen};
use super::text::{count, decimal, fit, integer, width};
use crate::network::{EdgeFacts, Facts, FieldFacts};

/// What only this picture has.
const STYLE: &str = "svg { background: var(--paper); }\n\
     .card { fill: var(--sheet); stroke: var(--rule); }\n\
     .card.target { stroke: var(--after); stroke-width: 2; }\n\
     .field { fill: var(--wash); stroke: none; }\n\
     .implied { fill: none; stroke: var(--before); }\n\
     .edge { fill: none; stroke: var(--s1); stroke-width: 1.5; }\n\
     .head { fill: var(--s1); }\n";
/// The size of letters in pictures.
const SIZE: f64 = 11.0;
const MARGIN: f64 = 20.0;
/// Room between columns side by side, for arrows, and one above the other.
const GAP: f64 = 120.0;
const APART: f64 = 24.0;
const FIELD: f64 = 20.0;
const STEP: f64 = 30.0;
const HEAD: f64 = 26.0;
const WIDEST: f64 = 220.0;

/// A column where it stands.
struct Card<'a> {
    field: &'a FieldFacts,
    left: f64,
    top: f64,
    wide: f64,
}

impl Card<'_> {
    /// Levels that say something; the highest is one label for all.
    fn levels(field: &FieldFacts) -> usize {
        field.labels.len().saturating_sub(1).max(1)
    }

    fn high(field: &FieldFacts) -> f64 {
        HEAD + STEP * Card::levels(field) as f64
    }

    /// The middle of a level's box; the most general is on top.
    fn middle(&self, level: usize) -> f64 {
        let from_top = Card::levels(self.field) - 1 - level.min(Card::levels(self.field) - 1);
        self.top + HEAD + STEP * from_top as f64 + FIELD / 2.0
    }
}

/// The picture as a file of its own.
pub fn network_picture(facts: &Facts) -> String {
    let cards = placed(facts);
    let mut pen = Pen::new();
    for card in &cards {
        draw(&mut pen, card, facts.target.as_ref() == Some(&card.field.column));
    }
    for edge in &facts.edges {
        let of = |name: &String| cards.iter().find(|card| card.field.column == *name);
        if let (Some(from), Some(to)) = (of(&edge.from), of(&edge.to)) {
            arrow(&mut pen, edge, from, to);
        }
    }
    let right = cards.iter().map(|card| card.left + card.wide).fold(0.0, f64::max);
    let bottom = cards.iter().map(|card| card.top + Card::high(card.field)).fold(0.0, f64::max);
    let bits = match (facts.bits, facts.bits_without_edges) {
        (Some(bits), Some(without)) => {
            format!("; {bits:.2} bits a row kept aside, {without:.2} without edges")
        }
        _ => String::new(),
    };
    let words = format!(
        "{}, {}{bits}; at an edge, the bits of BIC per row that it saves",
        count(facts.columns.len() as u64, "column"),
        count(facts.edges.len() as u64, "edge"),
    );
    pen.text("tick", (MARGIN, bottom + 24.0), Anchor::Start, &words);
    let size = (right.max(MARGIN + width(&words, SIZE)) + MARGIN, bottom + 40.0);
    pen.file(size, "Bayesian network", &described(facts), &format!("{PICTURE_STYLE}{STYLE}"))
}

/// Columns side by side by the longest way of edges to them, below each other in their order.
fn placed(facts: &Facts) -> Vec<Card<'_>> {
    let (mut cards, mut left): (Vec<Card<'_>>, f64) = (Vec::new(), MARGIN);
    while cards.len() < facts.columns.len() {
        let stands = |name: &str| cards.iter().any(|card| card.field.column == name);
        let ready = |field: &&FieldFacts| {
            let mut parents = facts.edges.iter().filter(|edge| edge.to == field.column);
            !stands(&field.column) && parents.all(|edge| stands(&edge.from))
        };
        let here: Vec<&FieldFacts> = facts.columns.iter().filter(ready).collect();
        if here.is_empty() {
            break;
        }
        let wide = here.iter().map(|field| wide(field)).fold(0.0, f64::max);
        let mut top = MARGIN;
        for field in here {
            cards.push(Card { field, left, top, wide });
            top += Card::high(field) + APART;
        }
        left += wide + GAP;
    }
    cards
}

fn wide(field: &FieldFacts) -> f64 {
    let longest = (0..Card::levels(field)).map(|level| width(&words(field, level), SIZE)).fold(0.0, f64::max);
    (width(&field.column, SIZE) * 1.15).max(longest + 16.0).clamp(90.0, WIDEST) + 16.0
}

fn words(field: &FieldFacts, level: usize) -> String {
    let labels = integer(field.labels[level] as u64);
    if level == 0 { format!("{labels} values") } else { format!("level {level}: {labels}") }
}

fn draw(pen: &mut Pen, card: &Card<'_>, target: bool) {
    let class = if target { "card target" } else { "card" };
    pen.rect(class, [card.left, card.top, card.wide, Card::high(card.field)]);
    let name = fit(&card.field.column, SIZE, card.wide - 12.0);
    pen.text("title", (card.left + 8.0, card.top + 17.0), Anchor::Start, &name);
    let centre = card.left + card.wide / 2.0;
    for level in 0..Card::levels(card.field) {
        let y = card.middle(level);
        let class = if level == 0 { "field" } else { "implied" };
        pen.rect(class, [card.left + 8.0, y - FIELD / 2.0, card.wide - 16.0, FIELD]);
        pen.text("", (centre, y + 4.0), Anchor::Middle, &words(card.field, level));
        if level > 0 {
            pen.line("base", [centre, y + FIELD / 2.0, centre, y + STEP - FIELD / 2.0 - 1.0]);
            let tip = y + STEP - FIELD / 2.0;
            pen.polygon("mark s5", &[(centre - 3.0, tip - 4.0), (centre + 3.0, tip - 4.0), (centre, tip)]);
        }
    }
}

fn arrow(pen: &mut Pen, edge: &EdgeFacts, from: &Card<'_>, to: &Card<'_>) {
    let (x1, y1) = (from.left + from.wide - 8.0, from.middle(edge.from_level));
    let (x2, y2) = (to.left + 8.0, to.middle(edge.to_level));
    let tip = format!(
        "{} level {} predicts {} level {}: MI {:.4} bits, {:.4} bits of BIC saved a row",
        edge.from, edge.from_level, edge.to, edge.to_level, edge.mutual, edge.gain
    );
    pen.tip(&tip, |pen| {
        pen.polyline("edge", &[(x1, y1), (x1 + 20.0, y1), (x2 - 24.0, y2), (x2 - 6.0, y2)]);
        pen.polygon("head", &[(x2 - 7.0, y2 - 4.0), (x2, y2), (x2 - 7.0, y2 + 4.0)]);
        // Beside the head, on the side that the arrow does not come from.
        let y = if y1 < y2 { y2 + 15.0 } else { y2 - 7.0 };
        pen.text("tick", (x2 - 12.0, y), Anchor::End, &decimal(edge.gain));
    });
}

fn described(facts: &Facts) -> String {
    let edge = |edge: &EdgeFacts| format!("{} predicts {}", edge.from, edge.to);
    match facts.edges.is_empty() {
        true => "No column predicts another.".to_owned(),
        false => facts.edges.iter().map(edge).collect::<Vec<_>>().join("; ") + ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        let field =
            |column: &str, labels: &[usize]| FieldFacts { column: column.into(), labels: labels.to_vec() };
        let edge = |from: &str, to: &str, to_level| EdgeFacts {
            from: from.into(),
            from_level: 1,
            to: to.into(),
            to_level,
            mutual: 0.5,
            gain: 0.25,
        };
        Facts {
            rows: 10,
            target: Some("ill".into()),
            parents: 2,
            bic: -20.0,
            bic_without_edges: -25.0,
            optimal: false,
            refused: 0,
            test_rows: 3,
            bits: Some(3.0),
            bits_without_edges: Some(3.5),
            columns: vec![field("zip", &[40, 10, 3, 1]), field("race <b>", &[5, 1]), field("ill", &[2, 1])],
            edges: vec![edge("zip", "race <b>", 0), edge("race <b>", "ill", 0), edge("zip", "ill", 0)],
        }
    }

    #[test]
    fn every_field_and_every_edge_is_drawn() {
        let svg = network_picture(&facts());
        // Three fields of zip, one of race and one of the target: the highest level is none.
        assert_eq!(svg.matches("class=\"field\"").count() + svg.matches("class=\"implied\"").count(), 5);
        assert_eq!(svg.matches("class=\"edge\"").count(), 3);
        assert_eq!(svg.matches("class=\"card target\"").count(), 1);
        assert!(svg.contains("race &lt;b&gt;") && !svg.contains("<b>"));
        assert!(svg.contains("zip predicts race"));
    }

    #[test]
    fn children_stand_to_the_right_of_their_parents() {
        let facts = facts();
        let cards = placed(&facts);
        assert_eq!(cards.len(), 3);
        for edge in &facts.edges {
            let of = |name: &str| cards.iter().find(|card| card.field.column == name).unwrap();
            assert!(of(&edge.from).left + of(&edge.from).wide < of(&edge.to).left);
        }
        let lone = Facts { edges: Vec::new(), ..facts.clone() };
        assert!(placed(&lone).windows(2).all(|pair| pair[0].top + Card::high(pair[0].field) < pair[1].top));
        assert!(network_picture(&lone).contains("No column predicts another."));
    }
}
