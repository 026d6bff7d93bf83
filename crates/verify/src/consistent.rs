//! (k,1)-anonymity and the notions beside it [Gionis 2008], counted by the verifier itself: which
//! originals each released row is true of, and which released rows are true of each original.
//!
//! Only originals of released rows count. Whether a cell is true of a value follows from its text,
//! by the hierarchy or by its own meaning. The texts of a column are put in an order in which most
//! cells cover neighbours (`meanings.rs`). Distinct rows are then boxes or points (`halves.rs`).
//! The least count is wanted, so a count ends when it is not below the least one so far. Costs
//! about (log n + k) · columns per distinct row where cells are narrow, at worst all pairs of
//! distinct rows, and one test per distinct cell and text of a poset.

use super::claims::Judged;
use super::halves::Half;
use super::meanings::{Meanings, Span, Strangers};
use super::pace::Pace;
use super::regions::Regions;
use super::side::Side;
use super::verdict::{Finding, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::KOne;
use throng_terms::release::{Certificate, NotionFacts};

use super::levels::Chain;

/// The rows of a release and of its original, as far as they are true of each other.
struct Rows {
    meanings: Vec<Meanings>,
    /// Distinct originals of released rows: text per column, rows.
    originals: Vec<Vec<u32>>,
    original_rows: Vec<u64>,
    /// Distinct released rows: label per column, rows.
    released: Vec<Vec<u32>>,
    released_rows: Vec<u64>,
}

impl Rows {
    fn place(&self, original: u32, column: usize) -> u32 {
        self.meanings[column].places[self.originals[original as usize][column] as usize]
    }

    fn span(&self, released: u32, column: usize) -> &Span {
        &self.meanings[column].spans[self.released[released as usize][column] as usize]
    }

    fn holds(&self, released: u32, original: u32) -> bool {
        (0..self.meanings.len()).all(|c| self.span(released, c).covers(self.place(original, c)))
    }

    fn notions(&self, pace: &Pace<'_>) -> Result<Option<NotionFacts>> {
        pace.look()?;
        let Some(k) = self.released_rows.iter().copied().min() else { return Ok(None) };
        let width = self.meanings.len();
        let point = |row: u32, c: usize| {
            let place = self.place(row, c);
            (place, place.saturating_add(1))
        };
        let range = |row: u32, c: usize| (self.span(row, c).from, self.span(row, c).to);
        let mut all: Vec<u32> = (0..self.originals.len() as u32).collect();
        let originals = Half::new(&mut all, &point, (width, &self.original_rows), pace)?;
        let mut all: Vec<u32> = (0..self.released.len() as u32).collect();
        let released = Half::new(&mut all, &range, (width, &self.released_rows), pace)?;
        let (mut k_one, mut one_k) = (u64::MAX, u64::MAX);
        for row in 0..self.released.len() as u32 {
            pace.steps(64)?;
            let around: Vec<(u32, u32)> = (0..width).map(|c| range(row, c)).collect();
            let full = (0..width).all(|c| self.span(row, c).some.is_none());
            let matches = |other: u32| self.holds(row, other).then(|| self.original_rows[other as usize]);
            let mut sum = 0;
            originals.count(&around, &matches, full, &mut sum, k_one);
            k_one = k_one.min(sum);
        }
        for row in 0..self.originals.len() as u32 {
            pace.steps(64)?;
            let around: Vec<(u32, u32)> = (0..width).map(|c| point(row, c)).collect();
            let matches = |other: u32| self.holds(other, row).then(|| self.released_rows[other as usize]);
            let mut sum = 0;
            released.count(&around, &matches, false, &mut sum, one_k);
            one_k = one_k.min(sum);
        }
        Ok(Some(NotionFacts::new(k, k_one, one_k)))
    }
}

/// Counts the notions of a release; none where a hierarchy or the form of a column is not known.
fn counted(
    certificate: &Certificate,
    (chains, released): (&[Chain<'_>], &Side),
    judged: &Judged,
    regions: &Regions,
    pace: &Pace<'_>,
) -> Result<Option<Option<NotionFacts>>> {
    let forms = certificate.release.regions.as_ref().map(|facts| &facts.forms);
    let mut meanings = Vec::new();
    for (at, chain) in chains.iter().enumerate() {
        let form = forms.and_then(|forms| forms.get(chain.name)).copied();
        let (Some(form), Some(hierarchy)) = (form, &chain.hierarchy) else { return Ok(None) };
        pace.look()?;
        let texts = (&regions.interners[at], Strangers::Nowhere);
        meanings.push(Meanings::new((form, hierarchy), texts, &released.interners[at], pace)?);
    }
    let (originals, original_rows) = regions.released_originals().unzip();
    let classes = (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0);
    let classes = classes.map(|class| (released.classes.tuples.tuple(class).to_vec(), judged.counts[class]));
    let (released, released_rows) = classes.unzip();
    Rows { meanings, originals, original_rows, released, released_rows }.notions(pace).map(Some)
}

/// The claim that every released row is true of k originals, and what else the certificate states
/// of originals and released rows. Without the original, only classes are counted.
pub(super) fn claim(
    k: u64,
    certificate: &Certificate,
    of: (&[Chain<'_>], &Side),
    judged: &Judged,
    regions: Option<&Regions>,
    pace: &Pace<'_>,
) -> Result<Finding> {
    let stated = certificate.release.notions;
    let least = judged.counts.iter().copied().filter(|&count| count > 0).min();
    let Some(regions) = regions else { return Ok(without_original(stated, least)) };
    let Some(found) = counted(certificate, of, judged, regions, pace)? else {
        return Ok(Finding::missing(
            "the cells cannot be read: a hierarchy or the form of a column is missing",
        ));
    };
    let mut wrong = Wrong::default();
    if let Some(found) = found.filter(|found| found.k_one < k) {
        let originals = several(found.k_one, "original");
        wrong.push(format!("a released row is true of {originals}, {k} are required"));
    }
    if found != stated {
        let words = |facts: Option<NotionFacts>| facts.map_or("none".to_owned(), in_words);
        wrong.push(format!("found {}, the certificate says {}", words(found), words(stated)));
    }
    let claimed = certificate.release.privacy.get(KOne::CLAIM).and_then(|claim| claim.achieved);
    if claimed != found.map(|found| found.k_one as f64) {
        wrong.push("the certificate claims another figure");
    }
    Ok(Finding::of(&wrong, || match found {
        Some(found) => {
            let kept = if found.k >= k { "" } else { "; it is not k-anonymous" };
            format!(
                "every released row is true of {} or more, {k} are required: {}{kept}",
                several(found.k_one, "original"),
                in_words(found)
            )
        }
        None => "no row is released".into(),
    }))
}

/// What the release alone shows: its classes.
fn without_original(stated: Option<NotionFacts>, least: Option<u64>) -> Finding {
    if stated.map(|facts| facts.k) != least {
        return Finding::missing(format!(
            "the smallest class has {}, the certificate says {}",
            least.map_or("no rows".into(), |least| several(least, "row")),
            stated.map_or("none".into(), |facts| facts.k.to_string())
        ));
    }
    Finding::unchecked(match least {
        Some(least) => format!(
            "not checked without --original, which has the rows that a released row could be; the smallest class has {}",
            several(least, "row")
        ),
        None => "no row is released".into(),
    })
}

fn in_words(facts: NotionFacts) -> String {
    let NotionFacts { k_one, one_k, k_k, k } = facts;
    format!("(k,1) {k_one}, (1,k) {one_k}, (k,k) {k_k}, k-anonymity {k}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::classes::Interner;
    use super::*;
    use throng_terms::cell::Cell;
    use throng_terms::hierarchy::{Hierarchy, Path};
    use throng_terms::policy::Form;
    use throng_terms::watch::Watch;

    const LABELS: [Option<&str>; 11] = [
        None,
        Some("*"),
        Some("1"),
        Some("0"),
        Some("0x"),
        Some("2x"),
        Some("5"),
        Some("[1, 6]"),
        Some("(0, 4]"),
        Some("{0, 5, 7}"),
        Some("nothing"),
    ];

    /// "1" is a leaf and a label of level 2.
    fn hierarchy() -> Hierarchy {
        let labels = |i: usize| vec![format!("{}x", i / 2), (i / 4).to_string()];
        let path = |i: usize| Path { leaf: i.to_string(), labels: labels(i) };
        Hierarchy::new((0..8).map(path).collect(), true).unwrap()
    }

    /// The same numbers with nothing above them.
    fn flat() -> Hierarchy {
        let path = |i: usize| Path { leaf: i.to_string(), labels: Vec::new() };
        Hierarchy::new((0..8).map(path).collect(), true).unwrap()
    }

    fn is_true(form: Form, hierarchy: &Hierarchy, label: Option<&str>, text: Option<&str>) -> bool {
        let Some(leaf) = hierarchy.leaf(text) else { return false };
        let at = |level: usize| hierarchy.label(level, hierarchy.generalize(leaf, level)) == label;
        match (form, label.map(Cell::parse)) {
            (Form::Label, _) => (0..=hierarchy.height()).any(at),
            (_, Some(Cell::Anything)) => true,
            (Form::Interval, Some(cell @ Cell::Interval(_))) | (Form::Set, Some(cell @ Cell::Set(_))) => {
                text.is_some_and(|text| cell.covers(text))
            }
            // In place of a long set.
            (Form::Set, Some(cell @ Cell::Interval(_))) if hierarchy.height() == 1 => {
                text.is_some_and(|text| cell.covers(text))
            }
            // "1" is a value, and nothing else.
            (Form::Set, _) if ["0x", "2x"].map(Some).contains(&label) => hierarchy.height() > 1 && at(1),
            _ => label == text,
        }
    }

    type Pairs = Vec<([u32; 2], u64)>;

    /// Distinct tuples with their rows.
    fn distinct(size: u32) -> impl Strategy<Value = Pairs> {
        let tuples = prop::collection::btree_map([0..size, 0..size], 1..4u64, 1..70);
        tuples.prop_map(|tuples| tuples.into_iter().collect())
    }

    proptest! {
        /// Texts and labels at random: values that the hierarchy does not know, cells that are true
        /// of nothing.
        #[test]
        fn counts_are_those_of_all_pairs(
            originals in distinct(10),
            released in distinct(LABELS.len() as u32),
            forms in [0..3usize, 0..3usize],
            plain: bool,
        ) {
            let hierarchy = if plain { flat() } else { hierarchy() };
            let (mut texts, mut labels) = (Interner::new(), Interner::new());
            // The first is missing, the last is not a leaf.
            let values: Vec<Option<String>> = (0..10_usize).map(|i| i.checked_sub(1).map(|i| i.to_string())).collect();
            let text: Vec<u32> = values.iter().map(|value| texts.add(value.as_deref())).collect();
            let label: Vec<u32> = LABELS.iter().map(|label| labels.add(*label)).collect();
            let forms = forms.map(|form| [Form::Label, Form::Interval, Form::Set][form]);
            let rows = Rows {
                meanings: forms
                    .iter()
                    .map(|&form| {
                        let texts = (&texts, Strangers::Nowhere);
                        Meanings::new((form, &hierarchy), texts, &labels, &Pace::new(&Watch::none(), 0)).unwrap()
                    })
                    .collect(),
                originals: originals.iter().map(|(row, _)| row.map(|c| text[c as usize]).to_vec()).collect(),
                original_rows: originals.iter().map(|(_, rows)| *rows).collect(),
                released: released.iter().map(|(row, _)| row.map(|c| label[c as usize]).to_vec()).collect(),
                released_rows: released.iter().map(|(_, rows)| *rows).collect(),
            };
            let holds = |cells: &[u32; 2], row: &[u32; 2]| (0..2).all(|c| {
                is_true(forms[c], &hierarchy, LABELS[cells[c] as usize], values[row[c] as usize].as_deref())
            });
            let count = |of: &Pairs, matches: &dyn Fn(&[u32; 2]) -> bool| {
                of.iter().filter(|(row, _)| matches(row)).map(|(_, rows)| rows).sum::<u64>()
            };
            let k = released.iter().map(|(_, rows)| *rows).min().unwrap();
            let k_one = released.iter().map(|(cells, _)| count(&originals, &|row| holds(cells, row))).min().unwrap();
            let one_k = originals.iter().map(|(row, _)| count(&released, &|cells| holds(cells, row))).min().unwrap();
            let expected = NotionFacts::new(k, k_one, one_k);
            prop_assert_eq!(rows.notions(&Pace::new(&Watch::none(), 0)).unwrap(), Some(expected));
        }
    }

    #[test]
    fn counting_can_be_stopped() {
        let rows = Rows {
            meanings: Vec::new(),
            originals: vec![Vec::new()],
            original_rows: vec![1],
            released: vec![Vec::new()],
            released_rows: vec![1],
        };
        let watch = Watch::none();
        watch.cancel().abort();
        assert!(rows.notions(&Pace::new(&watch, 0)).unwrap_err().is_cancelled());
    }
}
