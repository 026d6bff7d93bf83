//! Columns of a table, scrubbed without their rows: only these columns are written, in the order of
//! the rows, because nothing protects the others. A policy releases whole rows.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::record_batch::RecordBatch;
use rayon::prelude::*;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Format;
use throng::watch::Stage;
use throng_documents::ScrubbedText;
use throng_text::{Scrubber, Subject};

use super::{Done, MOST, Outputs, ScrubDone, ScrubJob, at_a_time, check_folder, resolved, too_large, write};
use crate::Engine;
use crate::cells::Cells;
use crate::error::unwritable;
use crate::source::Source;

/// Scrubs columns of the only path.
pub(super) fn scrub(engine: &Engine, job: &ScrubJob<'_>, scrubber: &Scrubber) -> Result<ScrubDone> {
    let ([path], Some(input)) = (job.paths, &job.table) else {
        return Err(fault!(Input, "scrub.several-tables", "--column needs one table")
            .help("give one file, or a quoted pattern of files with the same columns")
            .into());
    };
    let source = Source::open(input, Path::new(""))?;
    let names = engine.columns(&source)?;
    if let Some(missing) = job.columns.iter().find(|column| !names.contains(column)) {
        let near = throng::error::nearest(missing, names.iter().map(String::as_str));
        let help = near.map_or_else(
            || format!("the table has {}", names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(fault!(Input, "scrub.no-such-column", "has no column `{column}`", column = missing)
            .file(&source.name)
            .help(help)
            .into());
    }
    if let Some(out) = &job.out {
        check_folder(out, job.paths)?;
    }
    let place = PathBuf::from(format!("{}.csv", Format::stem(path)));
    let outputs = Outputs {
        out: job.out.clone(),
        existing: job.existing,
        inputs: source.files.iter().map(|file| resolved(file)).collect(),
    };
    if let Some(out) = &job.out {
        outputs.free(&out.join(&place))?;
    }
    let mut done = Done::new(job, Vec::new())?;
    let mut csv = csv::Writer::from_writer(Target::new(&done, &place)?);
    let failed = |e: &dyn std::fmt::Display| unwritable(&place.display().to_string(), e);
    csv.write_record(job.columns).map_err(|e| failed(&e))?;
    let mut row = 0_u64;
    engine.scan_map(&source, job.columns, &job.watch, Ok, |batches: Vec<RecordBatch>| {
        for batch in batches {
            let texts = scrubbed(&batch, job.columns, scrubber)?;
            for cells in texts {
                row += 1;
                let written = cells.iter().map(|cell| cell.as_ref().map_or("", |text| &text.scrubbed.text));
                csv.write_record(written).map_err(|e| failed(&e))?;
                done.row(row, cells)?;
            }
            job.watch.done(Stage::Scrubbing, done.bytes, None)?;
        }
        Ok(())
    })?;
    match csv.into_inner().map_err(|e| failed(&e))? {
        Target::File(mut file) => {
            file.flush().map_err(|e| failed(&e))?;
            done.written.insert(place);
        }
        Target::Memory(text) => {
            done.text = Some(String::from_utf8(text).map_err(|e| Fault::bug(e.to_string()))?);
        }
    }
    done.publish(job, &outputs)
}

/// Where a column is written: to a staged file, or to memory where there is no output folder.
enum Target {
    File(BufWriter<File>),
    Memory(Vec<u8>),
}

impl Target {
    fn new(done: &Done, place: &Path) -> Result<Self> {
        let Some(stage) = &done.stage else { return Ok(Target::Memory(Vec::new())) };
        let path = stage.path().join("out").join(place);
        // Makes the folder, too.
        write(&path, b"")?;
        let file = File::create(&path).map_err(|e| unwritable(&path.display().to_string(), &e))?;
        Ok(Target::File(BufWriter::new(file)))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File(file) => file.write(bytes),
            Target::Memory(text) => text.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File(file) => file.flush(),
            Target::Memory(text) => text.flush(),
        }
    }
}

/// The scrubbed cells of a batch, row by row.
fn scrubbed(
    batch: &RecordBatch,
    names: &[String],
    scrubber: &Scrubber,
) -> Result<Vec<Vec<Option<ScrubbedText>>>> {
    let columns = names.iter().zip(batch.columns()).map(|(name, array)| Cells::new(name, array));
    let columns = columns.collect::<Result<Vec<Cells>>>()?;
    let unknown = Subject::unknown();
    let rows: Vec<usize> = (0..batch.num_rows()).collect();
    let together = |rows: &[usize]| {
        let mut texts = Vec::with_capacity(rows.len() * names.len());
        for (row, (name, cells)) in
            rows.iter().flat_map(|row| names.iter().zip(&columns).map(move |own| (row, own)))
        {
            let Some(text) = cells.get(*row) else { continue };
            if text.len() as u64 > MOST {
                return Err(too_large(text.len() as u64, MOST).column(name).into());
            }
            texts.push((text, &unknown));
        }
        let mut scrubbed = scrubber.scrub_all(&texts).into_iter();
        let mut row = |row: &usize| -> Vec<Option<ScrubbedText>> {
            let cell = |(name, cells): (&String, &Cells)| {
                let original = cells.get(*row)?.to_owned();
                Some(ScrubbedText { place: name.clone(), original, scrubbed: scrubbed.next()? })
            };
            names.iter().zip(&columns).map(cell).collect()
        };
        Ok(rows.iter().map(&mut row).collect::<Vec<_>>())
    };
    let parts: Result<Vec<_>> = rows.par_chunks(at_a_time(rows.len())).map(together).collect();
    Ok(parts?.into_iter().flatten().collect())
}

impl Done {
    /// Adds a row of a table.
    fn row(&mut self, row: u64, cells: Vec<Option<ScrubbedText>>) -> Result<()> {
        let texts: Vec<ScrubbedText> = cells.into_iter().flatten().collect();
        self.documents += texts.len() as u64;
        self.count(&texts);
        let name = format!("row {row}");
        self.findings.add(&name, None, None, &texts)?;
        self.page.iter_mut().try_for_each(|page| page.add(&name, &texts))
    }
}
