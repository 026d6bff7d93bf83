//! The common columns of a table whose files each declare their own.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use throng::error::Result;
use throng::fault;
use throng::policy::Format;

use crate::source::Source;

/// The columns of all files, from those of each.
///
/// # Errors
/// Files whose columns differ in name, type or order; but lines of JSON leave out what is missing.
pub(crate) fn of_all(source: &Source, schemas: &[SchemaRef]) -> Result<SchemaRef> {
    let [first, others @ ..] = schemas else { return Ok(Arc::new(Schema::empty())) };
    if source.format != Format::Json {
        for (file, other) in source.files[1..].iter().zip(others) {
            agree(&source.files[0], first, file, other)?;
        }
        return Ok(Arc::clone(first));
    }
    let mut fields: Vec<Field> = Vec::new();
    for field in schemas.iter().flat_map(|schema| schema.fields()) {
        match fields.iter_mut().find(|known| known.name() == field.name()) {
            Some(known) => known.set_data_type(common(known.data_type(), field.data_type())),
            None => fields.push(field.as_ref().clone()),
        }
    }
    // The reader sorts the keys of JSON; the table has them as its first row does.
    let place = |name: &str| source.header.iter().position(|h| h == name).unwrap_or(usize::MAX);
    fields.sort_by_key(|field| place(field.name()));
    Ok(Arc::new(Schema::new(fields)))
}

fn agree(first: &Path, wanted: &Schema, file: &Path, found: &Schema) -> Result<()> {
    let columns = |schema: &Schema| -> Vec<(String, DataType)> {
        schema.fields().iter().map(|f| (f.name().clone(), f.data_type().clone())).collect()
    };
    let (wanted, found) = (columns(wanted), columns(found));
    if wanted == found {
        return Ok(());
    }
    let names = |columns: &[(String, DataType)]| {
        columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let fault = match wanted.iter().zip(&found).find(|(a, b)| a.1 != b.1) {
        Some((a, b)) if names(&wanted) == names(&found) => {
            fault!(
                Data,
                "table.different-column-type",
                "its column `{column}` holds {found}, that of {other} holds {expected}",
                column = &b.0,
                found = &b.1,
                other = first.display(),
                expected = &a.1
            )
        }
        _ => fault!(
            Data,
            "table.different-columns",
            "its columns are not those of {other}: {found} against {expected}",
            other = first.display(),
            found = names(&found),
            expected = names(&wanted)
        ),
    };
    Err(fault
        .file(file.display().to_string())
        .help("files that are read together need the same columns in the same order")
        .into())
}

/// What holds the values of both types.
fn common(a: &DataType, b: &DataType) -> DataType {
    match (a, b) {
        (a, b) if a == b => a.clone(),
        (DataType::Null, other) | (other, DataType::Null) => other.clone(),
        (a, b) if a.is_numeric() && b.is_numeric() => DataType::Float64,
        _ => DataType::Utf8,
    }
}
