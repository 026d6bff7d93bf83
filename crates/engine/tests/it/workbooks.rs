//! Writes small workbooks (.xlsx) for tests: a zip archive of plain parts.

/// A cell.
#[derive(Clone, Copy)]
pub enum Cell {
    None,
    Text(&'static str),
    Number(f64),
    /// A serial number in the format of a date.
    Date(f64),
}

/// A workbook of named sheets.
pub fn workbook(sheets: &[(&str, &[&[Cell]])]) -> Vec<u8> {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let (mut listed, mut related, mut parts) = (String::new(), String::new(), Vec::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        let id = at + 1;
        listed += &format!("<sheet name=\"{name}\" sheetId=\"{id}\" r:id=\"rId{id}\"/>");
        related += &format!(
            "<Relationship Id=\"rId{id}\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet{id}.xml\"/>"
        );
        let data: String = rows.iter().enumerate().map(|(at, cells)| row(at + 1, cells)).collect();
        let sheet = format!("{head}<worksheet xmlns=\"{main}\"><sheetData>{data}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{id}.xml"), sheet));
    }
    related += &format!("<Relationship Id=\"rIdS\" Type=\"{office}/styles\" Target=\"styles.xml\"/>");
    let styles =
        "<cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\" applyNumberFormat=\"1\"/></cellXfs>";
    parts.extend([
        (
            "[Content_Types].xml".into(),
            format!(
                "{head}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels".into(),
            format!(
                "{head}<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" \
                 Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml".into(),
            format!(
                "{head}<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>{listed}</sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".into(),
            format!("{head}<Relationships xmlns=\"{package}\">{related}</Relationships>"),
        ),
        ("xl/styles.xml".into(), format!("{head}<styleSheet xmlns=\"{main}\">{styles}</styleSheet>")),
    ]);
    zip(&parts)
}

fn row(number: usize, cells: &[Cell]) -> String {
    let cell = |(at, cell): (usize, &Cell)| {
        let place = format!("{}{number}", char::from(b'A' + at as u8));
        match cell {
            Cell::None => String::new(),
            Cell::Text(text) => {
                format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
            }
            Cell::Number(x) => format!("<c r=\"{place}\"><v>{x}</v></c>"),
            Cell::Date(x) => format!("<c r=\"{place}\" s=\"1\"><v>{x}</v></c>"),
        }
    };
    let cells: String = cells.iter().enumerate().map(cell).collect();
    format!("<row r=\"{number}\">{cells}</row>")
}

/// A zip archive whose parts are stored as they are.
fn zip(parts: &[(String, String)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in parts {
        let mut crc = flate2::Crc::new();
        crc.update(text.as_bytes());
        let len = (text.len() as u32).to_le_bytes();
        let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x28];
        about.extend(crc.sum().to_le_bytes());
        about.extend(len);
        about.extend(len);
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        let start = archive.len() as u32;
        archive.extend(b"PK\x03\x04");
        archive.extend(&about);
        archive.extend(name.as_bytes());
        archive.extend(text.as_bytes());
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&about);
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let count = (parts.len() as u16).to_le_bytes();
    let start = (archive.len() as u32).to_le_bytes();
    let len = (directory.len() as u32).to_le_bytes();
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count);
    archive.extend(count);
    archive.extend(len);
    archive.extend(start);
    archive.extend([0, 0]);
    archive
}
