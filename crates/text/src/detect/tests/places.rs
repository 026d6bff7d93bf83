//! Organizations, rooms, addresses and towns that no usual head names.

use super::*;

#[test]
fn organizations_by_their_last_words() {
    check(
        Kind::Institution,
        &[
            ("Insurance: Umoya Medical Scheme no. 4.", &["Umoya Medical Scheme"]),
            ("It is now Blue Horizon PPO.", &["Blue Horizon PPO"]),
            ("Seen by Bayou Teche Home Health on Friday.", &["Bayou Teche Home Health"]),
            ("He was seen at Wexcombe Memory Service.", &["Wexcombe Memory Service"]),
            ("He lives at Zorvan Residential Home.", &["Zorvan Residential Home"]),
            ("Slipped on ice outside the Telquist Wynd Co-op.", &["Telquist Wynd Co-op"]),
            ("Repair in 2022 (Zorvan Private, Mr Lund).", &["Zorvan Private"]),
        ],
    );
    check(
        Kind::Employer,
        &[
            ("Her son is offshore with Zorvan Drilling until June.", &["Zorvan Drilling"]),
            ("He works at Telquist Poultry.", &["Telquist Poultry"]),
        ],
    );
    clean(&[
        "Continue oral health plan and home health aid.",
        "Outpatient Physio.",
        "Refer to Dental.",
        "No Private Insurance.",
    ]);
}

#[test]
fn letterheads_of_the_first_lines() {
    check(
        Kind::Institution,
        &[
            ("ZORVAN LAKES IMAGING ASSOCIATES\n14 Main Street\n", &["ZORVAN LAKES IMAGING ASSOCIATES"]),
            ("TELQUIST METHODIST   NURSING NARRATIVE\n", &["TELQUIST METHODIST"]),
        ],
    );
    clean(&["CHEST RADIOLOGY REPORT\n\nNormal.", "OCCUPATIONAL HEALTH: FITNESS TO WORK\n\nFit."]);
}

#[test]
fn short_names_of_hospitals() {
    check(
        Kind::Institution,
        &[
            ("Old stab wound, chest drain at the RVI.", &["RVI"]),
            ("She had physio at QZH twice a week.", &["QZH"]),
            ("Whipple procedure in 2011 at Mayo.", &["Mayo"]),
            ("Scripts go to Boots.", &["Boots"]),
            ("Seen in A&E St George's last night.", &["St George's"]),
            ("Booked with the midwife at Melton St Mary's.", &["Melton St Mary's"]),
        ],
    );
    clean(&["Transferred to ICU.", "Tender at RUQ.", "He was pulling at Foley.", "Admitted to ED with ACS."]);
}

#[test]
fn names_behind_a_comma() {
    let cases: &[(&str, &str)] = &[
        ("GP Dr Anna Lyons, Crosshaven, informed.", "Crosshaven"),
        ("cc Mr Lund; Dr S. Lim, Diabetes, Heartlands\n", "Heartlands"),
        ("Referral to Zorvan Spinal Rehab, Phoenix.", "Phoenix"),
        ("It happened in the kitchen of his diner, The Golden Fleece, on Sunday.", "The Golden Fleece"),
        ("Netball (club side, Telquist Hornets).", "Telquist Hornets"),
        ("Retired miner, Zorvan Colliery.", "Zorvan Colliery"),
    ];
    for (text, name) in cases {
        assert!(all(text).iter().any(|found| found.contains(name)), "{text}: {:?}", all(text));
    }
    clean(&["Stopped aspirin, Plan discussed.", "Fall at home (left hip, Monday)."]);
}

#[test]
fn rooms_and_beds() {
    check(
        Kind::Ward,
        &[
            ("She was moved to Unit 3F in good condition.", &["Unit 3F"]),
            ("Operated in Theatre 5 today.", &["Theatre 5"]),
            ("Delivery Suite Room 6 was free.", &["Delivery Suite Room 6"]),
            ("Now in ICU bed 4.", &["ICU bed 4"]),
            ("Heparin in the 4 West step-down unit.", &["4 West"]),
            ("Cycle 1 on 7 Pavilion North, tomorrow.", &["7 Pavilion North"]),
            ("Rm: 5-218B", &["5-218B"]),
            ("Place of death: Beech Ward", &["Beech Ward"]),
            ("Moved to C4.", &["C4"]),
            ("Admitted via SAU on Monday.", &["SAU"]),
        ],
    );
    clean(&[
        "Head at station 0.",
        "Atrial fibrillation on POD 2.",
        "Clinic in 4 weeks.",
        "Stage 3 disease.",
        "Fusion of C4.",
        "Admitted to a medical ward.",
    ]);
}

#[test]
fn teams_and_rivals() {
    check(
        Kind::Team,
        &[
            ("Tackled in the night game vs Telquist Demons.", &["Telquist Demons"]),
            ("He trains with Zorvan under-6s.", &["Zorvan under-6s"]),
            ("She was running with the Zorvan Striders on Sunday.", &["Zorvan Striders"]),
            ("Consult from Dr. Lund (Blue Team) today.", &["Blue Team"]),
        ],
    );
    clean(&["Six cycles of chemotherapy with Humulin.", "Apixaban vs Warfarin.", "Aged under 6."]);
}

#[test]
fn roles_with_a_place() {
    check(
        Kind::Occupation,
        &[
            ("He was the grand marshal of the Telquist Parade.", &["grand marshal of the Telquist Parade"]),
            ("A well known organist of Scarborough.", &["organist of Scarborough"]),
            ("She is the only vet in Ullapool.", &["only vet in Ullapool"]),
            ("He is parish priest of Ballyduff.", &["parish priest of Ballyduff"]),
            ("His father was chief of the kwaNgcolosi.", &["chief of the kwaNgcolosi"]),
            ("He was a U.S. Senior Chess champion.", &["U.S. Senior Chess champion"]),
        ],
    );
    clean(&["She is a teacher in a school.", "The only doctor on call.", "Head of the pancreas."]);
}

#[test]
fn addresses_of_other_layouts() {
    check(
        Kind::Street,
        &[
            ("R/o H. No. 334-B, Model Gram", &["H. No. 334-B, Model Gram"]),
            ("Lives alone, 12 Telquist Bank, with a dog.", &["12 Telquist Bank"]),
            ("Address: 20415 S 190 Rd", &["20415 S 190 Rd"]),
            ("Crash on the A46 northbound.", &["A46"]),
            ("Zorvan Cottage, Broad Chalke, SP5 9DH", &["Zorvan Cottage"]),
            ("1st Floor, 63 High Parade", &["1st Floor, 63 High Parade"]),
            ("Blk 212 Toa Payoh Lorong 8, #05-123", &["Blk 212 Toa Payoh Lorong 8", "#05-123"]),
        ],
    );
    clean(&["RR 18, sats 98.", "Vitamin B12 300.", "A1c 9.", "VIA FAX", "On B12 supplements."]);
}

#[test]
fn towns_and_regions() {
    check(
        Kind::City,
        &[
            ("Deployed from Fort Riley, then home.", &["Fort Riley"]),
            ("They live in a hut near Many Farms.", &["Many Farms"]),
            ("Itinerary: Hanoi 4 nights.", &["Hanoi"]),
            ("63 High Parade | Cheltenham | GL50 9RX", &["Cheltenham"]),
        ],
    );
    check(
        Kind::State,
        &[
            ("He is from Chennai, Tamil Nadu.", &["Tamil Nadu"]),
            ("Zorvan Base Hospital, NSW", &["NSW"]),
            ("12 Main Street, Toms River, N.J. 08753", &["N.J."]),
            ("His truck, AZ plate BKA 4R2.", &["AZ"]),
            ("Insured with Zorvan Health, ID PSH448820913.", &[]),
        ],
    );
    clean(&["Give N.S. at 100.", "Bolus of N.S. today.", "0310 Admitted from home."]);
}

#[test]
fn schools_of_other_languages() {
    check(
        Kind::School,
        &[
            ("She teaches at Coláiste an Chuain.", &["Coláiste an Chuain"]),
            ("He is in Scoil Naomh Brid.", &["Scoil Naomh Brid"]),
        ],
    );
}
