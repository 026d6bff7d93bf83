//! Organizations that are known, that have no usual kind, and that are mentioned again by a part of their
//! name; cities that word lists have because of the city.

use super::{check, clean};
use crate::span::Kind;

#[test]
fn known_organizations_need_no_cue() {
    check(
        Kind::Employer,
        &[
            ("His last job was with a FedEx hub, now laid off.", &["FedEx"]),
            ("Brother is a SEPTA mechanic and drives.", &["SEPTA"]),
            ("She left The Home Depot in May.", &["The Home Depot"]),
            ("The amazon parrot of a neighbour bit her.", &[]),
        ],
    );
    check(
        Kind::Institution,
        &[
            ("INR 2.7 by LifeLabs on Friday.", &["LifeLabs"]),
            ("Meals on Wheels cancelled, no taste.", &["Meals on Wheels"]),
            ("Cancer Council helped with the bill.", &["Cancer Council"]),
        ],
    );
    clean(&["Meals are taken on wheels of cheese.", "Cancer was found; the council of doctors met."]);
}

#[test]
fn unusual_organizations_stand_behind_prepositions() {
    check(
        Kind::Institution,
        &[
            ("His cover with Seaboard Provident continues.", &["Seaboard Provident"]),
            ("Matched by Open Doors twice a week.", &["Open Doors"]),
            ("Ileal resection at Mass General on 10 May.", &["Mass General"]),
            ("Slides were shown at Addenbrooke's who agree.", &["Addenbrooke's"]),
        ],
    );
    clean(&["Referred to Primary Care for follow-up.", "Treated with Rest and Elevation of the leg."]);
}

#[test]
fn organizations_are_found_again_by_their_first_words() {
    let text = "Seen at Grand River Hospital. Grand River has no bed, and grand river views help nobody.";
    check(Kind::Institution, &[(text, &["Grand River Hospital", "Grand River"])]);
    let made = crate::Scrubber::new(crate::Settings::default()).unwrap();
    let made = made.scrub(text, &crate::Subject::unknown()).text;
    let first = made.strip_prefix("Seen at ").unwrap().split(' ').next().unwrap();
    assert!(made.contains(&format!(". {first} has no bed")), "{made}");
    let text = "Referred by the Community Health Centre. Community Health is a subject of study.";
    check(Kind::Institution, &[(text, &["Community Health Centre"])]);
}

#[test]
fn cities_that_are_in_lists_of_words() {
    check(
        Kind::Institution,
        &[("Flown to Townsville University Hospital.", &["Townsville University Hospital"])],
    );
    check(Kind::City, &[("Flew to Geelong, then home.", &["Geelong"]), ("Reading is hard for him.", &[])]);
}

#[test]
fn ages_of_relatives_in_lists() {
    check(
        Kind::Age,
        &[
            ("Twins Thomas and Lily, both 17, are at school.", &["17"]),
            ("Lives with her mother-in-law Hamida, about 65, who coughs.", &["65"]),
            ("Five children. Youngest, 20, studies.", &["20"]),
            ("Alone with her grandson (2) today.", &["2"]),
            ("He's 8 and plays hockey.", &["8"]),
            ("TAMA PAEWAI   NHI ZKD4827   55 yrs\n", &["55"]),
            ("Driver at approx 55 mph, Apgar 8 and 10.", &[]),
        ],
    );
}

#[test]
fn dates_and_names_beside_other_lines() {
    check(Kind::Date, &[("Halifax, Nova Scotia B3J 2K9\nMarch 4, 2024\n", &["March 4, 2024"])]);
    check(Kind::Person, &[("Consultant: Dr F. Mackintosh\n", &["F. Mackintosh"])]);
    clean(&["Repeat U&Es in a week, with haemopneumothorax on the left."]);
}
