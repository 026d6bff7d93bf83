//! Streams a table's batches in order. Delimited text is cut into pieces that all cores decode; the
//! columns of Parquet are divided among the cores; one thread decodes the other formats. All cores
//! work on the batches.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};

use arrow::array::{ArrayRef, AsArray, BooleanArray, StringArray};
use arrow::compute::nullif;
use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Decoder;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use throng::error::{Error, Fault, Kind, Result};
use throng::fault;
use throng::policy::Format;
use throng::watch::Watch;

use crate::cells::Cells;
use crate::chunks::{self, Chunk};
use crate::digest::{Digester, Digesting, Digests};
use crate::error::{damaged, reading};
use crate::pipeline::{self, pipeline};
use crate::source::{Source, not_utf8, nul_byte};
use crate::typed::{self, BATCH};
use crate::{Engine, columns, diagnose, foreign};

/// Batches of a typed format that are worked on at once.
const PIECE: usize = 2;

impl Engine {
    /// The table's columns, in order.
    ///
    /// # Errors
    /// When the table cannot be opened.
    pub fn schema(&self, source: &Source) -> Result<SchemaRef> {
        let schema = match source.format {
            format if format == Format::Csv || foreign::reads(format) => text_schema(&source.header),
            _ => guarded(source, || known(source))?,
        };
        Ok(source.preparation.as_ref().map_or(schema.clone(), |preparation| preparation.schema(&schema)))
    }

    /// The names of the table's columns.
    ///
    /// # Errors
    /// When the table cannot be opened.
    pub fn columns(&self, source: &Source) -> Result<Vec<String>> {
        Ok(self.schema(source)?.fields().iter().map(|f| f.name().clone()).collect())
    }

    /// Calls `each` with every batch of the named columns, in the table's order.
    ///
    /// # Errors
    /// What cannot be read, with file and line where there are lines; what `each` returns; and
    /// [`Kind::Cancelled`] when asked to stop.
    pub fn scan(
        &self,
        source: &Source,
        columns: &[String],
        watch: &Watch,
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        self.scan_map(source, columns, watch, Ok, |batches: Vec<RecordBatch>| {
            batches.into_iter().try_for_each(&mut each)
        })
    }

    /// Calls `map` with some batches at a time, on all cores, and `each` with what it returns, in the
    /// table's order. The bytes are digested on the way, unless they are known.
    ///
    /// # Errors
    /// As [`scan`](Self::scan), and what `map` returns.
    pub(crate) fn scan_map<T: Send>(
        &self,
        source: &Source,
        columns: &[String],
        watch: &Watch,
        map: impl Fn(Vec<RecordBatch>) -> Result<T> + Sync,
        each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        self.scan_numbered(source, columns, watch, |_, batches| map(batches), each)
    }

    /// As [`scan_map`](Self::scan_map), with the number of the piece that the batches are. Where a
    /// table is cut into pieces does not depend on the number of threads.
    pub(crate) fn scan_numbered<T: Send>(
        &self,
        source: &Source,
        columns: &[String],
        watch: &Watch,
        map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
        mut each: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let each = |done: T| watch.check().and_then(|()| each(done));
        let Some(left_out) = &source.left_out else {
            return scan_prepared(source, columns, watch, map, each);
        };
        let map = |number, batches| map(number, left_out.apply(batches, columns)?);
        scan_prepared(source, &left_out.columns(columns), watch, map, each)
    }
}

/// As [`Engine::scan_numbered`], with the rows of everybody.
fn scan_prepared<T: Send>(
    source: &Source,
    columns: &[String],
    watch: &Watch,
    map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
    each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let Some(preparation) = &source.preparation else {
        let scanned = scan_files(source, columns, watch, map, each);
        return unless_changed(source, scanned);
    };
    let pass = preparation.pass(source, columns)?;
    let apply = |batches| pass.apply(batches).map_err(|e| diagnose::unreadable_cell(source, e));
    let prepared =
        |number, batches: Vec<RecordBatch>| apply(batches).and_then(|batches| map(number, batches));
    unless_changed(source, scan_files(source, &pass.names, watch, prepared, each))?;
    pass.finish(&source.prepared)
}

/// What a scan found, if nobody wrote to the table meanwhile: whatever is wrong with a table that
/// changes follows from that. A request to stop is one in any case, and so is a file that cannot be
/// read.
fn unless_changed(source: &Source, scanned: Result<()>) -> Result<()> {
    match &scanned {
        Err(e) if e.is_cancelled() || e.is_all(Kind::System) => scanned,
        _ => source.unchanged().and(scanned),
    }
}

/// As [`Engine::scan_map`], of the rows as the files have them.
fn scan_files<T: Send>(
    source: &Source,
    columns: &[String],
    watch: &Watch,
    map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
    each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    match source.format {
        Format::Csv => scan_text(source, columns, watch, map, each),
        format if foreign::reads(format) => foreign::scan(source, columns, watch, map, each),
        _ => scan_typed(source, columns, watch, map, each),
    }
}

/// As [`Engine::scan_map`], of a format that declares its columns: one thread decodes it.
fn scan_typed<T: Send>(
    source: &Source,
    columns: &[String],
    watch: &Watch,
    map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
    each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let produce =
        |send: &mut pipeline::Send<'_, Vec<RecordBatch>>| guarded(source, || stream(source, columns, send));
    let nulls = &source.nulls;
    let work = |number, batches: Vec<RecordBatch>| {
        let cleared = |batch| if nulls.is_empty() { batch } else { without(batch, nulls) };
        map(number, batches.into_iter().map(cleared).collect())
    };
    // What is not read from beginning to end is digested beside it.
    let known = source.digesting == Digesting::Nothing || source.digests.get().is_some();
    let (outcome, digests) = std::thread::scope(|scope| {
        let digests = (!known).then(|| scope.spawn(|| Digests::of(&source.files, source.digesting, watch)));
        let outcome = pipeline(threads(), produce, work, each);
        (outcome, digests.map(std::thread::ScopedJoinHandle::join))
    });
    outcome?;
    if let Some(digests) = digests {
        let digests = digests.map_err(|_| Fault::bug("the digest of a table stopped"))??;
        source.digests.get_or_init(|| digests);
    }
    Ok(())
}

/// What a reader found, or the line that it stumbled over. Decoders of typed formats do not expect
/// every damage: one that panics has met a damaged file.
fn guarded<T>(source: &Source, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let read = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(&source.name)));
    read.map_err(|e| diagnose::line(source).unwrap_or(e))
}

/// Sends the batches, file by file, until they end or nobody listens.
fn stream(
    source: &Source,
    columns: &[String],
    send: &mut pipeline::Send<'_, Vec<RecordBatch>>,
) -> Result<()> {
    let schema = known(source)?;
    let place = |column: &String| schema.index_of(column).map_err(|_| no_column(source, column));
    let places = columns.iter().map(place).collect::<Result<Vec<usize>>>()?;
    let readers = threads().min(places.len());
    if source.format == Format::Parquet && readers > 1 {
        return stream_columns(source, &schema, &places, readers, send);
    }
    stream_some(source, &schema, &places, send)
}

/// Sends the batches of some columns.
fn stream_some(
    source: &Source,
    schema: &SchemaRef,
    places: &[usize],
    send: &mut pipeline::Send<'_, Vec<RecordBatch>>,
) -> Result<()> {
    for file in &source.files {
        let mut batches = typed::batches(source.format, file, schema, places)?;
        loop {
            let piece: Vec<RecordBatch> = batches.by_ref().take(PIECE).collect::<Result<_>>()?;
            if piece.is_empty() {
                break;
            }
            if !send(piece) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// As [`stream_some`]: several threads decode some columns each, a few pieces ahead.
fn stream_columns(
    source: &Source,
    schema: &SchemaRef,
    places: &[usize],
    readers: usize,
    send: &mut pipeline::Send<'_, Vec<RecordBatch>>,
) -> Result<()> {
    let part = |reader: usize| places.iter().copied().skip(reader).step_by(readers).collect::<Vec<usize>>();
    std::thread::scope(|scope| {
        let parts: Vec<Receiver<Result<Vec<RecordBatch>>>> = (0..readers)
            .map(|reader| {
                let (sender, receiver) = sync_channel(2);
                scope.spawn(move || {
                    let part = part(reader);
                    let mut pass_on = |piece| sender.send(Ok(piece)).is_ok();
                    let read =
                        catch_unwind(AssertUnwindSafe(|| stream_some(source, schema, &part, &mut pass_on)));
                    if let Err(e) = read.unwrap_or_else(|_| Err(damaged(&source.name))) {
                        // Nobody listens after an error of another reader.
                        let _ = sender.send(Err(e));
                    }
                });
                receiver
            })
            .collect();
        loop {
            let pieces: Vec<Option<Result<Vec<RecordBatch>>>> =
                parts.iter().map(|part| part.recv().ok()).collect();
            if pieces.iter().all(Option::is_none) {
                return Ok(());
            }
            let pieces = pieces.into_iter().map(|piece| piece.unwrap_or_else(|| Err(damaged(&source.name))));
            let piece = beside(source, &pieces.collect::<Result<Vec<_>>>()?)?;
            if !send(piece) {
                return Ok(());
            }
        }
    })
}

/// Puts the columns of batches beside each other, dealt as [`stream_columns`] does.
fn beside(source: &Source, parts: &[Vec<RecordBatch>]) -> Result<Vec<RecordBatch>> {
    let width = parts.iter().map(|part| part.first().map_or(0, RecordBatch::num_columns)).sum();
    let count = parts.iter().map(Vec::len).max().unwrap_or(0);
    let batch = |at: usize| {
        let batches: Vec<&RecordBatch> = parts.iter().filter_map(|part| part.get(at)).collect();
        if batches.len() < parts.len() {
            return Err(damaged(&source.name));
        }
        let column = |column: usize| {
            let (batch, place) = (batches[column % parts.len()], column / parts.len());
            (batch.schema_ref().field(place).clone(), Arc::clone(batch.column(place)))
        };
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = (0..width).map(column).unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|_| damaged(&source.name))
    };
    (0..count).map(batch).collect()
}

pub(crate) fn no_column(source: &Source, column: &str) -> Error {
    fault!(Input, "table.no-such-column", "there is no such column").file(&source.name).column(column).into()
}

/// As [`Engine::scan_map`], of delimited text: one thread cuts it into pieces, all decode them.
fn scan_text<T: Send>(
    source: &Source,
    columns: &[String],
    watch: &Watch,
    map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
    each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let schema = text_schema(&source.header);
    let projection = columns
        .iter()
        .map(|c| schema.index_of(c).map_err(|_| no_column(source, c)))
        .collect::<Result<Vec<usize>>>()?;
    let decoder = TextDecoder { source, schema, projection, free: Mutex::default() };
    let buffers = source.buffers.as_ref();
    let produce = |send: &mut pipeline::Send<'_, Chunk>| {
        let unknown = source.digesting != Digesting::Nothing && source.digests.get().is_none();
        let mut digester = unknown.then(|| Digester::new(source.digesting));
        let whole = chunks::read(source, digester.as_mut(), buffers, watch, send).map_err(|e| {
            let unclosed = e.has_code("table.unclosed-quote");
            if unclosed { diagnose::unclosed_quote(source).unwrap_or(e) } else { e }
        })?;
        if let Some(digester) = digester.filter(|_| whole) {
            source.digests.get_or_init(|| digester.finish());
        }
        Ok(())
    };
    let work = |number, chunk: Chunk| {
        let decoded = decoder.decode(&chunk);
        buffers.put(chunk);
        map(number, decoded.map_err(|e| diagnose::line(source).unwrap_or(e))?)
    };
    pipeline(threads(), produce, work, each)
}

/// Decodes pieces of delimited text on several threads. Decoders are used again: the buffers of a new
/// one cost as much as decoding a piece of a narrow table.
struct TextDecoder<'a> {
    source: &'a Source,
    schema: SchemaRef,
    projection: Vec<usize>,
    free: Mutex<Vec<Decoder>>,
}

impl TextDecoder<'_> {
    /// The batches of a piece.
    fn decode(&self, chunk: &Chunk) -> Result<Vec<RecordBatch>> {
        let name = self.source.files[chunk.file].display().to_string();
        if memchr::memchr(0, chunk.bytes()).is_some() {
            return Err(nul_byte().file(name).into());
        }
        let free = || self.free.lock().ok().and_then(|mut free| free.pop());
        let mut decoder =
            if chunk.headed { None } else { free() }.unwrap_or_else(|| self.decoder(chunk.headed));
        let (mut bytes, mut batches) = (chunk.bytes(), Vec::new());
        while let Some(batch) = next_batch(&mut decoder, &mut bytes).map_err(|e| reading(&name, &e))? {
            batches.push(self.checked(batch)?);
        }
        if let Ok(mut free) = self.free.lock() {
            free.push(decoder);
        }
        Ok(batches)
    }

    fn decoder(&self, headed: bool) -> Decoder {
        ReaderBuilder::new(Arc::clone(&self.schema))
            .with_header(headed)
            .with_delimiter(self.source.layout.delimiter)
            .with_quote(self.source.layout.quote)
            .with_batch_size(BATCH)
            .with_projection(self.projection.clone())
            .build_decoder()
    }

    /// A batch of valid text, whose missing cells are null.
    fn checked(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if !sound(&batch) {
            return Err(not_utf8("a cell").file(&self.source.name).into());
        }
        let batch = if self.source.empty_is_missing { batch } else { with_empty(batch) };
        Ok(if self.source.nulls.is_empty() { batch } else { without(batch, &self.source.nulls) })
    }
}

/// The next batch of some text; `None` at its end. An empty slice marks the end, where a last record
/// may lack a line break; the decoder is then as new.
fn next_batch(decoder: &mut Decoder, bytes: &mut &[u8]) -> Result<Option<RecordBatch>, ArrowError> {
    loop {
        let decoded = decoder.decode(bytes)?;
        *bytes = &bytes[decoded..];
        if decoded == 0 || decoder.capacity() == 0 {
            return decoder.flush();
        }
    }
}

/// As many as the caller lets the rest of the program use.
pub(crate) fn threads() -> usize {
    rayon::current_num_threads()
}

/// The columns of a table whose format declares them; they are found once.
fn known(source: &Source) -> Result<SchemaRef> {
    if let Some(schema) = source.inferred.get() {
        return Ok(Arc::clone(schema));
    }
    let schemas =
        source.files.iter().map(|file| typed::schema(source.format, file)).collect::<Result<Vec<_>>>()?;
    let schema = columns::of_all(source, &schemas)?;
    Ok(Arc::clone(source.inferred.get_or_init(|| schema)))
}

/// Every column as text: a leading zero is part of a ZIP code.
fn text_schema(columns: &[String]) -> SchemaRef {
    let fields: Vec<Field> = columns.iter().map(|c| Field::new(c, DataType::Utf8, true)).collect();
    Arc::new(Schema::new(fields))
}

/// Whether every cell is text. The reader of delimited text looks at all cells together, where the
/// last byte of one and the first of the next can make a character.
fn sound(batch: &RecordBatch) -> bool {
    batch.columns().iter().all(|array| {
        let (offsets, values, _) = array.as_string::<i32>().clone().into_parts();
        values.is_ascii() || StringArray::try_new(offsets, values, None).is_ok()
    })
}

/// The batch with every cell that is one of the texts made null.
pub(crate) fn without(batch: RecordBatch, nulls: &[String]) -> RecordBatch {
    let schema = batch.schema();
    let cleared = batch.columns().iter().zip(schema.fields()).map(|(array, field)| {
        let Ok(cells) = Cells::new(field.name(), array) else { return Arc::clone(array) };
        let is_null = |cell: &str| nulls.iter().any(|null| null == cell);
        if !cells.any(is_null) {
            return Arc::clone(array);
        }
        let mask: BooleanArray =
            (0..cells.len()).map(|row| Some(cells.get(row).is_some_and(is_null))).collect();
        nullif(array, &mask).unwrap_or_else(|_| Arc::clone(array))
    });
    RecordBatch::try_new(Arc::clone(&schema), cleared.collect()).unwrap_or(batch)
}

/// The batch with its nulls, which the reader makes of empty cells, as empty texts again.
fn with_empty(batch: RecordBatch) -> RecordBatch {
    let filled = batch.columns().iter().map(|array| {
        let (offsets, values, _) = array.as_string::<i32>().clone().into_parts();
        Arc::new(StringArray::new(offsets, values, None)) as ArrayRef
    });
    RecordBatch::try_new(batch.schema(), filled.collect()).unwrap_or(batch)
}
