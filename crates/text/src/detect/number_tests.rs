//! Tables of cases for dates, ages and numbers in layouts without the usual keys.

use super::tests::{check, clean};
use crate::span::Kind;

/// A day and month without a year is a date where the words or the other dates say so.
#[test]
fn days_and_months_like_the_other_dates() {
    check(
        Kind::Date,
        &[
            (
                "Seen 01/19/2024. Wound culture 1/13 grew Staph, diet advanced 1/20.",
                &["01/19/2024", "1/13", "1/20"],
            ),
            ("Clinic 12/03/2024. Fit note ends 30/6, bloods 22/4.", &["12/03/2024", "30/6", "22/4"]),
            ("OGD 12/02 was normal, CXR 09/10 clear.", &["12/02", "09/10"]),
            ("Tues 14.2 he came.", &["Tues 14.2"]),
            ("The stay of 6/2-6/5 and that of 5/11–5/14.", &["6/2", "6/5", "5/11", "5/14"]),
            ("A PICC is going in 23rd.", &["23rd"]),
            ("On call 28/29 March.", &["28/29 March"]),
            // Neither order is possible in a document that writes the day first.
            ("Seen 19/06/2024 at 8/14 Warrigal Road.", &["19/06/2024"]),
            ("Weight fell from 25th to 9th centile.", &[]),
        ],
    );
}

/// Scores, fractions, durations and settings are written in the same way.
#[test]
fn scores_and_durations_are_no_dates() {
    check(
        Kind::Date,
        &[
            ("Seen 01/19/2024. Power 4/5, pain 1/10, pulses 2/4, PHQ-9 7/27.", &["01/19/2024"]),
            ("Seen 13/03/2024. Abx for 5/7, cough 3/52, VA 6/9 and 6/24.", &["13/03/2024"]),
            ("Seen 13/01/2024. ER 8/8, PR 7/8, nodes 2/14, Apgars 8/9.", &["13/01/2024"]),
            ("Seen 12/20/2023. BiPAP 12/5, available 24/7, 1/2 tablet.", &["12/20/2023"]),
            ("Born on 03/02/2024 at 28 2/7 weeks.", &["03/02/2024"]),
            ("VA L 6/7.5 on 13/06/2024.", &["13/06/2024"]),
        ],
    );
}

#[test]
fn ages_beside_names_relatives_and_numbers() {
    check(
        Kind::Age,
        &[
            ("Her father, Angus, had a colectomy at 41 in Sydney.", &["41"]),
            ("His brother is well at 52.", &["52"]),
            ("You are 79, and live alone.", &["79"]),
            ("He's 69, chairs the committee.", &["69"]),
            ("Zorvan Telquist DOB 02.02.82   42\n", &["42"]),
            ("TELQUIST, Zorvan, hosp no 443218. 82. To GP.", &["82"]),
            ("She has two kids, Ella 9 and Maud 6.", &["9", "6"]),
            ("His sister Ella, 8, has none.", &["8"]),
            ("She has three children aged 14, 12 and 9.", &["14", "12", "9"]),
            ("Mother, 70, hypertension; brother 45 DM.", &["70", "45"]),
            ("Daughter Ella now 4 months.", &["4"]),
            ("♀ 46 with pain.", &["46"]),
        ],
    );
}

#[test]
fn sizes_times_and_pregnancies_are_no_ages() {
    check(
        Kind::Age,
        &[
            ("Robinson drain 20F, a 4F catheter, Foley 16F.", &[]),
            ("Temp 98F this morning.", &[]),
            ("Maximum 118 at 16:05 day 1.", &[]),
            ("BIRTH: 28 2/7 week female, 1040 g.", &[]),
            ("3. Date of birth: 08/30/1975    4. SSN: 416-88-2201", &[]),
            ("Threshold at 40. Sats 92 at rest. Lesion at 38 cm.", &[]),
            ("Clinical history: hip fracture, 32F.", &["32"]),
        ],
    );
}

/// What the heading of a column says about its cells.
#[test]
fn columns_of_tables() {
    let bars = "| No | Name | Folder | Age | Problem |\n| 1 | Ella Marsh | GSH 118022 | 46 | DCIS |\n";
    let gaps = "Name   Age   Hosp no\nElla Marsh   9   AB 4471\n";
    check(Kind::Age, &[(bars, &["46"]), (gaps, &["9"])]);
    check(Kind::RecordNumber, &[(bars, &["GSH 118022"]), (gaps, &["AB 4471"])]);
    check(Kind::Age, &[("Test | Result | Unit\nSodium | 139 | mmol\n", &[])]);
}

#[test]
fn numbers_behind_labels() {
    check(
        Kind::RecordNumber,
        &[
            ("Hosp 7718 220 and Tx no. LTX 7731", &["7718 220", "LTX 7731"]),
            ("Chart: 0911 228", &["0911 228"]),
            ("Prison no. A4471DK", &["A4471DK"]),
            ("returned to family, property sheet 44102.", &["44102"]),
            ("Biopsy (SP24:11902) showed it.", &["SP24:11902"]),
            ("Medical record: KP 11 882 903", &["KP 11 882 903"]),
            ("submitted, key BQ7TT2.", &["BQ7TT2"]),
            ("MR No: 2023/1122", &["2023/1122"]),
            ("Ella Marsh   PT 66120   DOB 02.02.82", &["PT 66120"]),
            ("Form 100A is unlikely.", &[]),
        ],
    );
    check(
        Kind::Account,
        &[("Insurance EVH*3307714*02", &["EVH*3307714*02"]), ("BUPA 7781 2234", &["BUPA 7781 2234"])],
    );
    clean(&["S1Q3T3 pattern.", "Stage T2N0M0.", "WBC 12.4, CRP 212.", "I/O 2033/853 over the shift."]);
}

#[test]
fn registers_ranks_and_drivers() {
    check(
        Kind::Licence,
        &[
            ("PC 2290 Whitlock attended.", &["2290"]),
            ("HCPC PH 112478", &["PH 112478"]),
            ("E. Marsh, Ph.D., lic. 8871", &["8871"]),
            ("driver no. HAUGE 711167 B99TE", &["HAUGE 711167 B99TE"]),
            ("PC 3 days of pain", &[]),
        ],
    );
}

#[test]
fn national_numbers_of_letters_and_groups() {
    check(
        Kind::NationalId,
        &[
            ("NHI ABC1235", &["ABC1235"]),
            ("NHI: ZZZ00AX", &["ZZZ00AX"]),
            ("PAN ABCPK1234L", &["ABCPK1234L"]),
            ("PPS 1234567TA", &["1234567TA"]),
            ("Medicare 3950 44172 1 / 2", &["3950 44172 1 / 2"]),
            ("SSN ends in 4471.", &["4471"]),
            ("His RAMQ is TREM 8506 1234.", &["TREM 8506 1234"]),
        ],
    );
}

#[test]
fn plates_machines_and_lots() {
    check(
        Kind::Vehicle,
        &[
            ("His Toyota, rego BXY 12F, was parked.", &["BXY 12F"]),
            ("Vehicle TN 09 AB 1234 hit a tree.", &["TN 09 AB 1234"]),
            ("Call sign MS417", &["MS417"]),
            ("Mr van der Telquist, DOB 12 March 1914", &[]),
            ("THE NOTE OF 15 JAN 2013", &[]),
        ],
    );
    check(
        Kind::Device,
        &[
            ("Workstation PLI-RAD-07", &["PLI-RAD-07"]),
            ("Lots: Kinrix 7D4KN, ProQuad UJ28811", &["7D4KN", "UJ28811"]),
        ],
    );
}

#[test]
fn postal_codes_of_more_countries() {
    check(
        Kind::PostalCode,
        &[
            ("12 Quay Road, Westport, F28 K5Y7", &["F28 K5Y7"]),
            ("9 Smith Street, Bendigo 3550.", &["3550"]),
            ("14 Village Road, Kloof, 3610", &["3610"]),
            ("14 Village Road\nKloof\n3610\n", &["3610"]),
            ("27 Gandhi Road, Chennai - 600 020.", &["600 020"]),
            ("Fracture of T12 L1.", &[]),
            ("Phoned to Dr Fairley SB 0425.", &[]),
        ],
    );
}
