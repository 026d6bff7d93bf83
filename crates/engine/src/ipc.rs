//! Checks an Arrow file before its reader, which allocates whatever lengths the file states.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use arrow::ipc::reader::FileReader;
use arrow::ipc::{Block, root_as_footer};
use throng::error::Result;

use crate::error::{unlike, unreadable};

const MAGIC: &[u8; 6] = b"ARROW1";
/// What follows the footer: its length, and the magic again.
const TRAILER: u64 = 4 + MAGIC.len() as u64;

/// How batches are arranged in a file.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    /// With a footer that lists them.
    File,
    /// One after the other.
    Stream,
}

/// Refuses a file that is neither an Arrow file whose parts lie within it nor an Arrow stream.
pub(crate) fn check(path: &Path) -> Result<Layout> {
    let name = path.display().to_string();
    let whole = File::open(path).and_then(look).map_err(|e| unreadable(&name, &e))?;
    match whole {
        Kind::File(file) => {
            FileReader::try_new(file, None).map(|_| Layout::File).map_err(|e| unlike(&name, &e))
        }
        Kind::Stream => Ok(Layout::Stream),
        Kind::Other => Err(unlike(&name, &"it is not an Arrow file, or it is damaged")),
    }
}

/// The kind of a file, by its frame.
enum Kind {
    File(File),
    Stream,
    Other,
}

fn look(mut file: File) -> io::Result<Kind> {
    let size = file.metadata()?.len();
    let mut start = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start)?;
    if start != MAGIC {
        // A stream starts with the mark of a message.
        return Ok(if start.starts_with(&[0xFF; 4]) { Kind::Stream } else { Kind::Other });
    }
    let Some(end) = size.checked_sub(TRAILER) else { return Ok(Kind::Other) };
    let mut trailer = [0; TRAILER as usize];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut trailer)?;
    let [a, b, c, d, magic @ ..] = trailer;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let Some(footer) = end.checked_sub(length).filter(|_| magic == *MAGIC) else { return Ok(Kind::Other) };
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(footer))?;
    file.read_exact(&mut bytes)?;
    let whole = root_as_footer(&bytes).is_ok_and(|found| {
        let parts = [found.recordBatches(), found.dictionaries()];
        parts.into_iter().flatten().flatten().all(|block| within(block, footer))
    });
    Ok(if whole { Kind::File(file) } else { Kind::Other })
}

/// Whether a block ends before the footer begins.
fn within(block: &Block, footer: u64) -> bool {
    let parts = [
        u64::try_from(block.offset()),
        u64::try_from(block.metaDataLength()),
        u64::try_from(block.bodyLength()),
    ];
    let end = parts.into_iter().try_fold(0u64, |sum, part| sum.checked_add(part.ok()?));
    end.is_some_and(|end| end <= footer)
}
