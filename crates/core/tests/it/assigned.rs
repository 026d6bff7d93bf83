//! Assignments of rows to regions as texts, for tests that read or forge them.

use throng::error::Result;
use throng::verify::{AssignedTexts, Assignment, TakeAssigned, TakeLook};

pub type Texts = Vec<Option<String>>;
/// Original cells, rows, and released cells.
pub type Entry = (Texts, u64, Option<Texts>);

/// All entries of an assignment.
pub fn entries(assignment: &dyn Assignment) -> Result<Vec<Entry>> {
    let AssignedTexts { originals, labels } = assignment.texts();
    let read = |texts: &[Vec<Option<&str>>], cells: &[u32]| -> Texts {
        texts.iter().zip(cells).map(|(texts, &cell)| texts[cell as usize].map(String::from)).collect()
    };
    let (mut looks, mut entries) = (Vec::new(), Vec::new());
    assignment.looks(&mut |cells| {
        looks.push(read(&labels, cells));
        Ok(())
    })?;
    assignment.each(&mut |tuple, rows, look| {
        entries.push((read(&originals, tuple), rows, look.map(|look| looks[look as usize].clone())));
        Ok(())
    })?;
    Ok(entries)
}

/// An assignment of some entries: every cell is a text of its own.
pub struct Stated<'a>(pub &'a [Entry]);

impl Stated<'_> {
    fn released(&self) -> impl Iterator<Item = &Texts> {
        self.0.iter().filter_map(|entry| entry.2.as_ref())
    }
}

impl Assignment for Stated<'_> {
    fn texts(&self) -> AssignedTexts<'_> {
        let width = self.0.first().map_or(4, |entry| entry.0.len());
        let columns = 0..width;
        let original = |c: usize| self.0.iter().map(|entry| entry.0[c].as_deref()).collect();
        let label = |c: usize| self.released().map(|cells| cells[c].as_deref()).collect();
        AssignedTexts {
            originals: columns.clone().map(original).collect(),
            labels: columns.map(label).collect(),
        }
    }

    fn looks(&self, take: &mut TakeLook<'_>) -> Result<()> {
        self.released().enumerate().try_for_each(|(at, cells)| take(&vec![at as u32; cells.len()]))
    }

    fn each(&self, take: &mut TakeAssigned<'_>) -> Result<()> {
        let mut looks = 0..;
        for (at, (original, rows, released)) in self.0.iter().enumerate() {
            let look = released.as_ref().and_then(|_| looks.next());
            take(&vec![at as u32; original.len()], *rows, look)?;
        }
        Ok(())
    }
}
