//! Which first lines are taken for column names, and which for a row of data.

use proptest::prelude::*;

use crate::describe::first_line_is_data;

fn cells(line: &str) -> Vec<String> {
    line.split(';').map(String::from).collect()
}

fn is_data(first: &str, rows: &[&str]) -> bool {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
    first_line_is_data(&cells(first), &rows).is_some()
}

/// Rows of people as hospitals write them.
const PEOPLE: [&str; 8] = [
    "Núñez;2007-04-07;w;10115;178.1;76.7;F32.1",
    "Schmidt;1984-01-02;m;02139;165.0;60.2;E11.9",
    "Kaya;1971-12-30;w;80331;171.5;92.0;I10",
    "Lee;1990-06-15;m;20095;180.2;81.3;J45.0",
    "Okafor;2001-09-21;m;10117;169.9;70.8;F32.0",
    "Meyer;1965-03-11;w;50667;158.4;55.1;E10.1",
    "Rossi;1958-07-19;m;70173;174.7;88.4;I25.1",
    "Novak;1979-11-05;w;04109;162.3;66.6;K35.8",
];

#[test]
fn real_headers_are_names() {
    for (first, rows) in [
        ("name;birth_date;sex;zip;height;weight;diagnosis", &PEOPLE[..]),
        ("Nachname;Geburtsdatum;Geschlecht;PLZ;Größe;Gewicht;Diagnose", &PEOPLE),
        ("姓;出生日期;性别;邮编;身高;体重;诊断", &PEOPLE),
        ("V1;V2;V3;V4;V5;V6;V7", &PEOPLE),
        ("a;b;c;d;e;f;g", &PEOPLE),
        // Wide tables: years, days and evenly spaced labels.
        ("1990;1991;1992", &["1200;1990;44", "15;2100;1991", "1991;18;60000"]),
        ("country;1990;2000;2010", &["Peru;12.5;13.1;14", "Chad;5.5;6.1;7", "Fiji;0.8;0.9;1"]),
        ("country;1990;2000", &["Peru;1200;1300", "Chad;2500;600", "Fiji;800;3000"]),
        ("place;2020-01-22;2020-01-23", &["A;0;1", "B;5;5", "C;12;19"]),
        ("0;1;2;3", &["1;0;5;2", "0;1;3;9", "2;2;2;2"]),
        ("1;2;3", &["0.5;0.1;3.2", "1.5;2.5;0.2", "4.5;1.1;9"]),
        ("id;5;10;15;20", &["1;0.1;0.2;0.3;0.4", "2;5;5;5;5", "3;9;30;8;2"]),
        // Answers of a questionnaire, and one column per answer.
        ("q1;q2;q3_other", &["1;5;", "2;4;books", "3;3;"]),
        ("red;green;blue", &["0;1;0", "1;0;0", "0;0;1"]),
        ("Wie alt sind Sie?;Haben Sie Kinder?", &["34;ja", "51;nein", "28;ja"]),
        // All text: nothing suggests that the first line is data.
        ("name;city", &["Anna;Berlin", "Ben;Bonn", "Cem;Berlin"]),
        ("word", &["apple", "word", "zebra", "year"][..1]),
        // A single column, no rows, and lines that are short.
        ("age", &["34", "51", "28"]),
        ("plz", &["10115", "02139"]),
        ("age;sex", &[]),
        ("age;sex", &["34"]),
        // Headers repeated where files were joined.
        (
            "age;sex",
            &[
                "34;m", "35;f", "36;m", "37;f", "38;m", "39;f", "40;m", "41;f", "42;m", "43;f", "44;m",
                "45;f", "46;m", "47;f", "48;m", "49;f", "50;m", "51;f", "52;m", "53;f", "age;sex",
            ],
        ),
    ] {
        assert!(!is_data(first, rows), "{first}");
    }
}

#[test]
fn rows_of_data_are_not_names() {
    for (first, rows) in [
        (PEOPLE[0], &PEOPLE[1..]),
        ("34", &["51", "28", "45"]),
        ("1", &["2", "3", "4", "5"]),
        ("10115", &["02139", "80331"]),
        ("2007-04-07", &["1984-01-02", "1971-12-30"]),
        ("31.12.1999", &["01.02.2001", "17.05.1984"]),
        ("anna@example.org", &["ben@example.org", "cem@example.org"]),
        ("anna@example.org;Anna", &[]),
        ("MRN-004512;x", &["MRN-004513;y", "MRN-004999;z"]),
        ("Berlin", &["Bonn", "Berlin", "Bonn", "Köln", "Berlin"]),
        ("f;34", &["m;35", "f;51", "m;28"]),
        ("Anna;f;Berlin", &["Ben;m;Bonn", "Cem;m;Berlin", "Dora;f;Köln"]),
        ("174,2;80,5", &["165,0;60,2", "180,2;81,3"]),
        ("1970;2010;f", &["1980;2011;m", "1965;2009;f", "1999;2012;m"]),
        // One odd cell does not make it a header: the age is a word, the city is missing.
        ("newborn;1999-12-31;02139;NA", &["34;2001-02-03;10115;Bonn", "35;1984-05-17;80331;Ulm"]),
        (";34;2001-02-03", &["x;35;1999-12-31", "y;36;1984-05-17"]),
        // Nothing in it could be read aloud as a name.
        ("5012;3", &["1;900000"]),
        ("34;1980-02-03", &[]),
    ] {
        assert!(is_data(first, rows), "{first}");
    }
}

#[test]
fn the_cells_that_are_like_data_are_counted() {
    let rows: Vec<Vec<String>> = PEOPLE[1..].iter().map(|row| cells(row)).collect();
    assert_eq!(first_line_is_data(&cells(PEOPLE[0]), &rows), Some(6));
}

/// Names that a table about people may have.
const NAMES: [&str; 12] = [
    "age",
    "Geburtsdatum",
    "e-mail",
    "PLZ",
    "Geschlecht",
    "record no",
    "x",
    "Größe (cm)",
    "q12",
    "visit_2",
    "Beruf",
    "ALTER",
];

/// The value of a kind in a row.
fn value(kind: usize, row: usize, noise: u32) -> String {
    let noise = noise as usize;
    match kind {
        0 => format!("{}-{:02}-{:02}", 1930 + noise % 80, 1 + noise % 12, 1 + noise % 28),
        1 => format!("p{noise}@example.org"),
        2 => format!("0{:04}", noise % 10_000),
        3 => ["anna", "ben", "cem"][row % 3].to_owned(),
        4 => format!("MRN-{:06}", noise % 1_000_000),
        5 => format!("{}.{}", 150 + noise % 50, noise % 10),
        _ => format!("{}", 18 + noise % 70),
    }
}

fn table() -> impl Strategy<Value = (Vec<usize>, Vec<Vec<String>>)> {
    let kinds = prop::collection::vec(0..7_usize, 1..8);
    kinds.prop_flat_map(|kinds| {
        let noise = prop::collection::vec(prop::collection::vec(any::<u32>(), kinds.len()), 22..60);
        noise.prop_map(move |noise| {
            let row = |(at, noise): (usize, &Vec<u32>)| -> Vec<String> {
                kinds.iter().zip(noise).map(|(&kind, &noise)| value(kind, at, noise)).collect()
            };
            (kinds.clone(), noise.iter().enumerate().map(row).collect())
        })
    })
}

proptest! {
    /// Whatever the columns hold, words above them are names, with missing cells too.
    #[test]
    fn words_are_names((kinds, mut rows) in table(), start in 0..12_usize, gap in 1..9_usize) {
        let names: Vec<String> =
            (0..kinds.len()).map(|i| NAMES[(start + i) % NAMES.len()].to_owned()).collect();
        prop_assert_eq!(first_line_is_data(&names, &rows), None);
        for (at, row) in rows.iter_mut().enumerate() {
            let length = row.len();
            row[(at * gap) % length] = "NA".to_owned();
        }
        prop_assert_eq!(first_line_is_data(&names, &rows), None);
    }

    /// A row of the table in place of the names is found, unless all that it has are whole numbers.
    #[test]
    fn rows_are_data((kinds, rows) in table()) {
        prop_assume!(kinds.iter().any(|&kind| kind < 5));
        prop_assert!(first_line_is_data(&rows[0], &rows[1..]).is_some());
    }

    /// Neither the order of the columns nor that of the rows matters.
    #[test]
    fn order_does_not_matter((_, mut rows) in table(), named in any::<bool>()) {
        let mut first = rows.remove(0);
        if named {
            first = (0..first.len()).map(|i| NAMES[i].to_owned()).collect();
        }
        let found = first_line_is_data(&first, &rows);
        rows.reverse();
        prop_assert_eq!(first_line_is_data(&first, &rows), found);
        first.reverse();
        rows.iter_mut().for_each(|row| row.reverse());
        prop_assert_eq!(first_line_is_data(&first, &rows), found);
    }

    /// Anything can stand in a file.
    #[test]
    fn no_cell_is_too_strange(
        first in prop::collection::vec(".{0,12}", 0..6),
        rows in prop::collection::vec(prop::collection::vec(".{0,12}", 0..7), 0..30),
    ) {
        let columns = first.len();
        if let Some(found) = first_line_is_data(&first, &rows) {
            prop_assert!((1..=columns).contains(&found));
        }
    }
}
