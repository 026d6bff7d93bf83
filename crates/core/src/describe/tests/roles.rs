//! Name and values of a column → role and hierarchy.

use crate::describe::{ColumnDescription, Describer};
use crate::hierarchy;
use crate::policy::Role::{self, *};

const ROWS: usize = 200;

/// A column of 200 cells that go round the given values; `#` in a value becomes the row's own
/// number, `%` a number from 0 to 99 that repeats, `%%` the same with two digits, and the value
/// `NULL` is a missing cell.
fn column(name: &str, values: &[&str]) -> ColumnDescription {
    let mut describer = Describer::new(vec![name.into(), "sex".into()], &["NULL".into()]);
    for row in 0..ROWS {
        if let Some(value) = values.get(row % values.len().max(1)) {
            let value = value.replace('#', &(100_000 + row * 7).to_string());
            let value = value.replace("%%", &format!("{:02}", row * 37 % 100));
            describer.push(0, Some(&value.replace('%', &(row * 37 % 100).to_string())));
        }
        describer.push(1, Some(["m", "f"][row % 2]));
    }
    describer.finish().columns.swap_remove(0)
}

fn check(cases: &[(&str, &[&str], Role, &str)]) {
    let mut wrong = Vec::new();
    for (name, values, role, spec) in cases {
        let column = column(name, values);
        let found = match &column.hierarchy {
            Some(spec) => hierarchy::describe(spec),
            None if column.role != Quasi => String::new(),
            None => {
                let offered = column.offered_hierarchy.as_ref().map(hierarchy::describe);
                format!("fitted, or {}", offered.unwrap_or("nothing".into()))
            }
        };
        if (column.role, found.as_str()) != (*role, *spec) {
            wrong.push(format!("{name} {values:?}: {:?} {found:?}, because {}", column.role, column.reason));
        }
        assert_eq!(column.role == Quasi, column.hierarchy_reason.is_some());
        assert!(!column.reason.is_empty());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

const SUPPRESS: &str = "keep or suppress";
/// Sets of categories, or keep or suppress in searches by level.
const SETS: &str = "fitted, or nothing";
const AGES: &str = "fitted, or intervals of 5, 10, 20";

#[test]
fn identifiers_of_hipaa_by_name() {
    check(&[
        ("name", &["Ann Lee", "Bo Ek"], Identifier, ""),
        ("LastName", &["Lee", "Ek"], Identifier, ""),
        ("Vorname", &["Ann", "Bo"], Identifier, ""),
        ("patient_name", &["A B"], Identifier, ""),
        ("street_address", &["1 Main St", "2 Main St"], Identifier, ""),
        ("Straße", &["Hauptstr. 1"], Identifier, ""),
        ("home_phone", &["6172531000", "6172531001"], Identifier, ""),
        ("FAX", &["6172531000"], Identifier, ""),
        ("e-mail", &["none given"], Identifier, ""),
        ("SSN", &["078051120", "219099999"], Identifier, ""),
        ("mrn", &["1", "2", "3"], Identifier, ""),
        ("pat_id", &["17", "18"], Identifier, ""),
        ("patientId", &["17", "18"], Identifier, ""),
        ("member_id", &["W1", "W2"], Identifier, ""),
        ("account_no", &["9981", "9982"], Identifier, ""),
        ("drivers_license", &["D1", "D2"], Identifier, ""),
        ("license plate", &["B-AB 123"], Identifier, ""),
        ("device_serial", &["X9", "X8"], Identifier, ""),
        ("website", &["home"], Identifier, ""),
        ("ip_address", &["hidden"], Identifier, ""),
        ("fingerprint", &["ab", "cd"], Identifier, ""),
        ("photo", &["1.jpg", "2.jpg"], Identifier, ""),
        ("id", &["1", "2"], Identifier, ""),
        ("Unnamed: 0", &["1", "2"], Identifier, ""),
        ("study_id", &["S1", "S2"], Identifier, ""),
    ]);
}

#[test]
fn identifiers_by_values() {
    check(&[
        ("contact", &["u#@example.org"], Identifier, ""),
        ("c1", &["078-05-1120", "219-09-9999"], Identifier, ""),
        ("c2", &["https://example.org/%", "x"], Identifier, ""),
        ("c3", &["10.0.0.%"], Identifier, ""),
        ("c4", &["2001:db8::%"], Identifier, ""),
        ("c5", &["(617) 253-10%%", "617-253-1000"], Identifier, ""),
        ("c6", &["00:1a:2b:3c:4d:5e"], Identifier, ""),
        ("c7", &["123e4567-e89b-12d3-a456-426614174000"], Identifier, ""),
        ("c8", &["DE89 3704 0044 0532 0130 00"], Identifier, ""),
        ("c9", &["1HGCM82633A004352"], Identifier, ""),
        ("ref", &["R#"], Identifier, ""),
        ("who", &["Person #"], Identifier, ""),
        ("ext", &["#"], Identifier, ""),
        ("diagnosis", &["someone#@example.org"], Identifier, ""),
        ("provider_id", &["#"], Identifier, ""),
        ("code", &["#"], Identifier, ""),
    ]);
}

#[test]
fn quasi_identifiers() {
    let dates: &[&str] = &["1950-03-01", "1961-12-24", "1999-07-31"];
    let calendar = "dates by month, quarter, year, 5-year, 10-year, 20-year, 40-year";
    check(&[
        ("dob", dates, Quasi, calendar),
        ("Geburtsdatum", &["01.03.1950", "24.12.1961", "31.07.1999"], Quasi, calendar),
        ("fecha_nacimiento", &["01/03/1950", "24/12/1961", "31/07/1999"], Quasi, calendar),
        ("x", &["03/01/1950", "12/24/1961", "07/31/1999"], Quasi, calendar),
        ("adm_date", &["20200101", "20200607", "20200708"], Quasi, "dates by month, quarter"),
        ("adm_date", &["20200101", "20200105", "20200131"], Quasi, "dates by week"),
        ("adm_date", &["20200101", "20210607", "20200708"], Quasi, "dates by month, quarter, year"),
        ("adm_date", &["20200101", "20200102", "20200103"], Quasi, "dates by day"),
        (
            "dischtime",
            &["2020-01-01 10:00:00", "2020-06-07 11:30:00", "2020-06-08 01:02:03"],
            Quasi,
            "dates by day, month, quarter",
        ),
        ("surgery", dates, Quasi, calendar),
        ("date_of_death", &["unclear", "May 2020", "2020"], Quasi, SUPPRESS),
        ("age", &["%"], Quasi, AGES),
        ("age_at_admission", &["%"], Quasi, AGES),
        ("Alter", &["17.5", "90", "41"], Quasi, SETS),
        ("age_group", &["0-17", "18-64", "65+"], Quasi, "values in a listed order"),
        ("education", &["primary", "secondary", "tertiary"], Quasi, SETS),
        ("birth_year", &["19%%"], Quasi, AGES),
        ("month", &["1", "5", "12"], Quasi, SETS),
        ("sex", &["m", "f", "x"], Quasi, SETS),
        ("Geschlecht", &["m", "w"], Quasi, SUPPRESS),
        ("sexe", &["1", "2"], Quasi, SUPPRESS),
        (
            "race",
            &["a", "b", "c", "d", "e", "f", "g", "h", "i"],
            Quasi,
            "fitted, or the 8, 4 most frequent values",
        ),
        ("zip", &["02139", "10115", "94305"], Quasi, "the first 4, 3, 2, 1 characters"),
        ("zip", &["2139", "10115", "94305"], Quasi, "the first 4, 3, 2, 1 characters"),
        ("zip", &["02139", "10115", "94305", "?"], Quasi, "the first 4, 3, 2, 1 characters"),
        ("zip", &["unknown address", "10115", "94305"], Quasi, SUPPRESS),
        ("ZIP_plus4", &["02139-4307", "10115-0001", "94305-1234"], Quasi, "the first 5, 3, 2, 1 characters"),
        ("PLZ", &["8001", "3011", "9000"], Quasi, "the first 3, 2, 1 characters"),
        ("code", &["K1A 0B6", "M5V 2T6", "V6B 1A1"], Quasi, "the first 3, 2, 1 characters"),
        ("code", &["4", "5"], Quasi, SUPPRESS),
        ("region_code", &["K1A 0B6", "M5V 2T6", "V6B 1A1"], Quasi, "the first 3, 2, 1 characters"),
        ("c", &["SW1A 1AA", "M1 1AE", "EC1A 1BB"], Quasi, "the first 4, 2, 1 characters"),
        ("c", &["02139", "02140", "02141"], Quasi, "the first 4, 3, 2, 1 characters"),
        ("city", &["Town %"], Quasi, "fitted, or the 64, 16, 4 most frequent values"),
        ("city", &["Town %", "Dorf %"], Quasi, "fitted, or the 64, 16, 4 most frequent values"),
        ("county_name", &["A", "B"], Quasi, SUPPRESS),
        ("state", &["MA", "NY", "CA"], Quasi, SETS),
        ("native-country", &["US", "MX"], Quasi, SUPPRESS),
        ("nationality", &["US", "MX"], Quasi, SUPPRESS),
        ("language", &["en", "de"], Quasi, SUPPRESS),
        ("religion", &["a", "b"], Quasi, SUPPRESS),
        ("marital_status", &["married", "single"], Quasi, SUPPRESS),
        ("education", &["a", "b"], Quasi, SUPPRESS),
        ("occupation", &["Job %"], Quasi, "fitted, or the 64, 16, 4 most frequent values"),
        ("occ_code", &["1%%"], Quasi, "the first 2, 1 characters"),
        ("industry", &["%%.01"], Quasi, "the first 4, 2 characters"),
        ("employer", &["A", "B"], Quasi, SUPPRESS),
        ("workclass", &["A", "B"], Quasi, SUPPRESS),
        ("salary-class", &["<=50K", ">50K"], Quasi, SUPPRESS),
        ("income", &["<=50K", ">50K"], Quasi, SUPPRESS),
        ("hospital_id", &["1", "2", "3"], Quasi, SETS),
        ("phone_type", &["home", "work"], Quasi, SUPPRESS),
        ("has_email", &["yes", "no"], Quasi, SUPPRESS),
        ("telephone", &["yes", "no"], Quasi, SUPPRESS),
        ("length_of_stay", &["%"], Quasi, "fitted, or intervals of 5, 10, 50"),
        ("weight", &["5%.5"], Quasi, "fitted, or intervals between listed bounds"),
    ]);
}

#[test]
fn in_doubt_quasi() {
    check(&[
        ("x", &["yes", "no"], Quasi, SUPPRESS),
        ("x", &["same"], Quasi, SUPPRESS),
        ("x", &["%"], Quasi, "fitted, or intervals of 5, 10, 50"),
        ("x", &["0.%"], Sensitive, ""),
        ("x", &["%.0"], Quasi, "fitted, or intervals of 5, 10, 50"),
        ("x", &["0.5", "1.5", "2.5"], Quasi, SETS),
        ("x", &["%", "?"], Quasi, "fitted, or intervals of 5, 10, 50"),
        ("x", &["%", "2020-01-01", "other"], Quasi, "the 64, 16, 4 most frequent values"),
        ("x", &["A%x", "B%x"], Quasi, "fitted, or the 64, 16, 4 most frequent values"),
        ("x", &["A1%0", "B10"], Quasi, "fitted, or the 16, 8, 4 most frequent values"),
        (
            "cabin",
            &["C85", "D11", "E46", "B20", "A10", "F33", "G06", "T00", "B22"],
            Quasi,
            "masked from the right",
        ),
        ("seats", &["C85", "D11", "E46"], Quasi, SETS),
        ("store_no", &["1%"], Quasi, "fitted, or intervals of 10, 50, 100"),
        ("target", &["#.5"], Sensitive, ""),
    ]);
}

#[test]
fn sensitive_text_weight_target_and_empty() {
    let long: &[&str] = &["Seen on ward # with pain in the left knee, was sent home after an hour"];
    check(&[
        ("diagnosis", &["flu", "cold"], Sensitive, ""),
        ("diag_1", &["250.83", "V57", "?"], Sensitive, ""),
        ("ICD10", &["E11.9", "I10", "C50.1"], Sensitive, ""),
        ("c", &["E11.9", "I10", "C50.1"], Sensitive, ""),
        ("procedure_code", &["1", "2"], Sensitive, ""),
        ("medication", &["a", "b"], Sensitive, ""),
        ("lab_result", &["1.5", "2.5"], Sensitive, ""),
        ("hiv_status", &["pos", "neg"], Sensitive, ""),
        ("total_charges", &["#.50"], Sensitive, ""),
        ("salary", &["#"], Sensitive, ""),
        ("Krankheit", &["a", "b"], Sensitive, ""),
        ("diagnosis", long, Text, ""),
        ("diagnosis", &["case #"], Text, ""),
        ("lab_id", &["#"], Identifier, ""),
        ("notes", long, Text, ""),
        ("x", long, Text, ""),
        ("comment", &["fine %", "bad %"], Text, ""),
        ("comment", &["y", "n"], Quasi, SUPPRESS),
        ("fnlwgt", &["#"], Weight, ""),
        ("sample_weight", &["1.5", "NULL"], Quasi, SUPPRESS),
        ("target", &["0", "1"], Target, ""),
        ("outcome", &["1", "2", "3"], Target, ""),
        ("class", &["good", "bad"], Target, ""),
        ("y", &["a", "b", "c"], Target, ""),
        ("whatever", &["NULL"], Drop, ""),
        ("nothing", &[], Drop, ""),
    ]);
}

#[test]
fn a_column_of_row_numbers_names_rows() {
    let mut describer = Describer::new(vec!["v".into()], &[]);
    for row in (1..=50).rev() {
        describer.push(0, Some(&row.to_string()));
    }
    let description = describer.finish();
    assert_eq!(description.columns[0].role, Identifier);
    assert_eq!(
        (description.columns[0].min.as_deref(), description.columns[0].max.as_deref()),
        (Some("1"), Some("50"))
    );
}

#[test]
fn illnesses_are_treated_alike() {
    let binary: &[&str] = &["0", "1"];
    let names = [
        "asthma",
        "diabetes",
        "polio",
        "hbp",
        "hepatitis",
        "tumor",
        "infection",
        "allergies",
        "cancer",
        "depression",
        "smoker",
        "smoking",
        "ever_smoked",
        "alcohol",
        "hiv",
        "Raucher",
        "Bluthochdruck",
        "hx_stroke",
        "pregnant",
    ];
    for name in names {
        let found = column(name, binary);
        assert_eq!(found.role, Sensitive, "{name}: {}", found.reason);
    }
    assert_eq!(column("x", &["Asthma", "Diabetes", "healthy"]).role, Sensitive);
    assert_eq!(column("wheelchair", binary).role, Quasi, "strangers see it");
}

#[test]
fn what_outsiders_cannot_know_is_sensitive() {
    for (name, values) in [
        ("interest_rate", &["1%.5"][..]),
        ("life_satisfaction", &["1", "2", "3", "4", "5"]),
        ("sensor_reading", &["%"]),
        ("mean_radius", &["1%.25"]),
        ("x", &["agree", "disagree", "strongly agree"]),
    ] {
        let found = column(name, values);
        assert_eq!(found.role, Sensitive, "{name}: {}", found.reason);
    }
    for (name, values) in [
        ("x", &["Male", "Female"][..]),
        ("x", &["married", "divorced", "single"]),
        ("total_children", &["0", "1", "2"]),
        ("distance_to_city", &["%"]),
    ] {
        let found = column(name, values);
        assert_eq!(found.role, Quasi, "{name}: {}", found.reason);
    }
}

#[test]
fn placeholders_are_missing() {
    let age = column("age", &["%", "?"]);
    assert_eq!((age.kind.name(), age.missing), ("integer", 100));
    assert_eq!(column("sex", &["m", "f", "?"]).distinct, 2);
    assert_eq!(column("sex", &["m", "f", "unknown"]).distinct, 3, "a category");
    assert_eq!(column("age", &["%", "unknown"]).kind.name(), "integer");
    assert_eq!(column("rhesus", &["+", "-", "+", "-"]).missing, 0);
}

#[test]
fn far_numbers_are_left_outside() {
    let mut describer = Describer::new(vec!["x".into()], &[]);
    for row in 0..1000 {
        let value = if row == 999 { 1_000_000 } else { row % 40 };
        describer.push(0, Some(&value.to_string()));
    }
    let column = describer.finish().columns.swap_remove(0);
    let Some(hierarchy::Spec::Intervals(spec)) = column.offered_hierarchy else { panic!("{column:?}") };
    assert_eq!((spec.widths, spec.low, spec.high), (vec![2.0, 10.0], Some(0.0), Some(40.0)));
}

#[test]
fn one_weight_and_one_quasi() {
    let names = ["perwt", "repwt1", "diagnosis", "charges"].map(String::from).to_vec();
    let mut describer = Describer::new(names, &[]);
    for row in 0..ROWS {
        for (i, value) in ["5", "6", ["flu", "cold"][row % 2]].into_iter().enumerate() {
            describer.push(i, Some(value));
        }
        describer.push(3, Some(&(row * row).to_string()));
    }
    let columns = describer.finish().columns;
    let roles: Vec<Role> = columns.iter().map(|c| c.role).collect();
    assert_eq!(roles, [Weight, Drop, Sensitive, Quasi]);
    assert!(columns[3].reason.starts_with("No other column can be linked"), "{}", columns[3].reason);
    assert!(!columns[3].reason.contains("released"), "{}", columns[3].reason);
}

#[test]
fn a_diagnosis_that_must_be_quasi_is_generalized_as_icd() {
    let mut describer = Describer::new(vec!["icd10".into()], &[]);
    for code in ["E11.9", "I10", "C50.1", "E11.9"] {
        describer.push(0, Some(code));
    }
    let column = describer.finish().columns.swap_remove(0);
    assert_eq!((column.role, column.hierarchy), (Quasi, Some(hierarchy::Spec::Icd10)));
}

#[test]
fn counts_and_shares() {
    let mut describer = Describer::new(vec!["x".into()], &["".into()]);
    for value in [Some("a"), Some("b"), Some("a"), None, Some("")] {
        describer.push(0, value);
    }
    describer.push(7, Some("ignored"));
    let description = describer.finish();
    let column = &description.columns[0];
    assert_eq!(description.rows, 5);
    assert_eq!((column.distinct, column.distinct_exact, column.missing, column.unique_rows), (2, true, 2, 1));
    assert_eq!((column.missing_share, column.unique_share), (0.4, 0.2));
    assert_eq!(column.top, [("a".into(), 2), ("b".into(), 1)]);
    let json = serde_json::to_value(&description).unwrap();
    assert_eq!(json["columns"][0]["role"], "quasi");
    assert_eq!(json["columns"][0]["kind"], "category");
}
