//! Writes the benchmark table of docs/performance.md: skewed independent columns, as Parquet or
//! CSV, with their hierarchies and a policy.
//!
//! `cargo run --release -p throng-engine --example skewed -- FOLDER ROWS [parquet|csv]`

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use throng::synth::Skewed;

const BATCH: usize = 65_536;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rows, rest @ ..] = args.as_slice() else {
        return Err("give a folder and a number of rows".into());
    };
    let folder = Path::new(folder);
    let rows: usize = rows.parse()?;
    let format = rest.first().map_or("parquet", String::as_str);
    fs::create_dir_all(folder)?;
    let table = Skewed::nine(1);
    let width = table.domains().len();
    let labels: Vec<Vec<String>> = (0..width)
        .map(|c| (0..table.domains()[c] as u32).map(|code| table.label(c, code)).collect())
        .collect();
    let mut policy = format!(
        "version = 1\n[input]\npath = \"table.{format}\"\n[output]\npath = \"release.{format}\"\n\
         [privacy]\nk = 5\nsuppression = 0\n[search]\nloss = {{ name = \"lm\", aggregate = \"geometric\" }}\n"
    );
    for column in 0..width {
        let name = table.name(column);
        let lines =
            table.paths(column).into_iter().map(|p| [vec![p.leaf], p.labels].concat().join(";") + "\n");
        fs::write(folder.join(format!("{name}.csv")), lines.collect::<String>())?;
        policy += &format!("[columns.{name}]\nrole = \"quasi\"\nhierarchy = {{ file = \"{name}.csv\" }}\n");
    }
    fs::write(folder.join("policy.toml"), policy)?;
    let file = BufWriter::new(File::create(folder.join(format!("table.{format}")))?);
    match format {
        "csv" => csv(&table, &labels, rows, file),
        _ => parquet(&table, &labels, rows, file),
    }
}

fn csv(
    table: &Skewed,
    labels: &[Vec<String>],
    rows: usize,
    mut file: impl Write,
) -> Result<(), Box<dyn Error>> {
    let names: Vec<String> = (0..labels.len()).map(|c| table.name(c)).collect();
    writeln!(file, "{}", names.join(","))?;
    let mut source = table.rows(0);
    let mut row = vec![0; labels.len()];
    for _ in 0..rows {
        source.fill(&mut row);
        let cells: Vec<&str> = row.iter().zip(labels).map(|(&c, l)| l[c as usize].as_str()).collect();
        writeln!(file, "{}", cells.join(","))?;
    }
    Ok(file.flush()?)
}

fn parquet(
    table: &Skewed,
    labels: &[Vec<String>],
    rows: usize,
    file: impl Write + Send,
) -> Result<(), Box<dyn Error>> {
    let fields: Vec<Field> =
        (0..labels.len()).map(|c| Field::new(table.name(c), DataType::Utf8, false)).collect();
    let schema = Arc::new(Schema::new(fields));
    let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), None)?;
    let mut source = table.rows(0);
    let mut row = vec![0; labels.len()];
    let mut done = 0;
    while done < rows {
        let size = BATCH.min(rows - done);
        let mut columns: Vec<Vec<&str>> = vec![Vec::with_capacity(size); labels.len()];
        for _ in 0..size {
            source.fill(&mut row);
            for ((column, &code), labels) in columns.iter_mut().zip(&row).zip(labels) {
                column.push(&labels[code as usize]);
            }
        }
        let arrays = columns.into_iter().map(|c| Arc::new(StringArray::from(c)) as ArrayRef).collect();
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), arrays)?)?;
        done += size;
    }
    writer.close()?;
    Ok(())
}
