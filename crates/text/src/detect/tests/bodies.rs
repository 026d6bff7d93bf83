//! Letterheads, bodies with a number, congregations, businesses behind work, nicknames of teams,
//! and ages behind births and in cells.

use super::*;

#[test]
fn letterheads_with_what_is_behind_them() {
    check(
        Kind::Institution,
        &[
            ("COPPER RIDGE FAMILY PRACTICE – SCHEDULE – DR. LUND\n", &["COPPER RIDGE FAMILY PRACTICE"]),
            ("Telquist Liver Transplant Program   CALL LOG\n", &["Telquist Liver Transplant Program"]),
            ("Copper Basin OccuMed\nFirst report\n", &["Copper Basin OccuMed"]),
            ("GENERAL HOSPITAL, ZORVAN\nOur ref 4\n", &["GENERAL HOSPITAL, ZORVAN"]),
            ("UPPER ZORVAN CANCER REGISTRY\nAbstract\n", &["UPPER ZORVAN CANCER REGISTRY"]),
            ("Grins on Lakeshore - Dr. Lund, DMD\n", &["Grins on Lakeshore"]),
            ("Telquist Branch visit record\n", &["Telquist Branch"]),
        ],
    );
    check(Kind::Employer, &[("TELQUIST, COLE & LUND, LLP\nAttorneys\n", &["TELQUIST, COLE & LUND, LLP"])]);
    clean(&[
        "EMERGENCY DEPARTMENT NOTE\n",
        "DEVICE CLINIC REMOTE TRANSMISSION\n",
        "INTERNAL MEDICINE – PROGRESS NOTE\n",
        "Spiritual Care\n",
        "Memory Clinic - Outpatients\n",
        "RENAL TRANSPLANT PROGRAM\n",
        "CLINICAL TRIAL PROGRAM - DEVIATION LOG\n",
    ]);
}

#[test]
fn bodies_by_their_form() {
    check(
        Kind::Institution,
        &[
            ("Union rep called, UFCW Local 293.", &["UFCW Local 293"]),
            ("He meets friends at VFW Post 2201.", &["VFW Post 2201"]),
            ("Brought in by Zorvan County EMS.", &["Zorvan County EMS"]),
            ("Telquist Police log 0417 was read.", &["Telquist Police"]),
            ("He attends New Mount Telquist Baptist on Sundays.", &["New Mount Telquist Baptist"]),
            ("She preaches at Mt. Zion AME often.", &["Mt. Zion AME"]),
            ("She goes to St. Zorvan parish.", &["St. Zorvan parish"]),
            ("A sister of the Sisters of Telquist.", &["Sisters of Telquist"]),
            ("Refill at CVS #0421.", &["CVS #0421"]),
            ("Attended A&E Alder Hey, bronchiolitis.", &["Alder Hey"]),
            ("Dropped near the Telquist MARTA station.", &["Telquist MARTA station"]),
            ("HMSA auth for biopsy is pending.", &["HMSA"]),
            ("Then Security Health Plan denied it.", &["Security Health Plan"]),
        ],
    );
    clean(&[
        "Tenderness at the ATFL.",
        "Lump at the DIPJ today.",
        "Treated MRSA with vancomycin.",
        "Local 2 cm recurrence.",
        "CT approved by the plan.",
        "Police were called.",
        "Pain at the station 2 of labour.",
    ]);
}

#[test]
fn businesses_behind_work() {
    check(
        Kind::Employer,
        &[
            ("Contact 1: 54, line cook, Pier 9 Chowder House.", &["Pier 9 Chowder House"]),
            ("Occupation: Grape packer / Telquist Vineyards\n", &["Telquist Vineyards"]),
            ("She is with his wife, who runs Telquist Oven now.", &["Telquist Oven"]),
            ("A retired turf cutter with Bord na Telquist.", &["Bord na Telquist"]),
            ("Call him at the shop, Telquist & Sons Tire.", &["Telquist & Sons Tire"]),
            ("It was Ocean Telquist Paving, Inc. that paid.", &["Ocean Telquist Paving, Inc"]),
        ],
    );
    clean(&["The retired man lives with pain.", "He runs daily.", "Baclofen 10 / Tizanidine 4."]);
}

#[test]
fn nicknames_of_teams() {
    check(
        Kind::Team,
        &[
            ("The crown cost more than the Bills tickets.", &["Bills"]),
            ("He can talk about cows and the Vikings.", &["Vikings"]),
            ("He barracks for Port Power.", &["Port Power"]),
            ("Son plays JV basketball (Jaguars).", &["Jaguars"]),
            ("Followed by the PACT: TEAM MAGNOLIA 3, he is well.", &["TEAM MAGNOLIA 3"]),
        ],
    );
    clean(&[
        "The twins are well.",
        "Bills were discussed.",
        "She pays the bills.",
        "Power 5/5 in all groups.",
    ]);
}

#[test]
fn ages_behind_births_and_in_cells() {
    check(
        Kind::Age,
        &[
            ("DOB 23 Nov 1951 (71 Ch F)", &["71"]),
            ("| DOB | 09-Mar-1962 (61) | x |", &["61"]),
            ("DOB/Age:    06-JUN-1976 / 47     Sex: M", &["47"]),
            ("Age at dx: 61", &["61"]),
            ("Male, later confirmed 46 (DOB 08/29/1977).", &["46"]),
            ("She is alert, pleasant, 91 next month.", &["91"]),
            ("6 | Zorvan, Anna | 29 | carpool |", &["29"]),
            ("5 | \"Big Mike\" (last name unknown) | ~60 | cook", &["60"]),
        ],
    );
    check(
        Kind::Age,
        &[
            ("Results 06 Jun 2023 (12) and 47 after.", &[]),
            ("INR due, 14 next week.", &["14"]),
            ("| K | 29 | low |", &[]),
            ("Stent 3 Mar 2020 (45 mm) patent.", &[]),
        ],
    );
}

#[test]
fn units_and_offices() {
    check(
        Kind::Ward,
        &[
            ("Shifted to CTICU-2, extubated.", &["CTICU-2"]),
            ("To SICU East in stable condition.", &["SICU East"]),
            ("Telquist Memorial, Trauma Stepdown 7B", &["Trauma Stepdown 7B"]),
            ("Bishop came (Telquist 2nd Ward).", &["Telquist 2nd Ward"]),
        ],
    );
    check(
        Kind::Occupation,
        &[
            ("Son (state senator for District 9) comes.", &["state senator for District 9"]),
            ("Her late husband was the county judge.", &["the county judge"]),
        ],
    );
}
