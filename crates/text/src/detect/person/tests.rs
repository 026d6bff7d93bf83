//! People beside the medicine that is named after people, drugs, things, and names in layouts of
//! lists, messages and signatures.

use crate::detect::tests::{check, clean};
use crate::span::Kind;

#[test]
fn eponyms_in_a_document_with_a_person_of_the_same_name() {
    check(
        Kind::Person,
        &[
            ("Seen by Dr Budd. Remote Budd-Chiari noted.", &["Budd"]),
            ("Mr Riedel has an incidental Riedel's lobe.", &["Riedel"]),
            ("I saw Mrs Mobitz, with Mobitz type II block.", &["Mobitz"]),
            ("Dr Sokolow came. Sokolow-Lyon criteria not met.", &["Sokolow"]),
            ("Mr Kennedy rang. Kennedy ulcer on the sacrum.", &["Kennedy"]),
            ("OGD with Dr Forrest. Forrest 1b ulcer in the past.", &["Forrest"]),
            ("Dr Lachman, FCP. Effusion. Lachman 2B, pivot shift guarded.", &["Lachman"]),
            ("Dr Fuchs wrote. There is a small Fuchs change in both corneas.", &["Fuchs"]),
            ("Mr Galeazzi came. Galeazzi injury, believe it or not.", &["Galeazzi"]),
            ("Dr Duke pulled a tooth. His Duke criteria are met.", &["Duke"]),
        ],
    );
}

/// A whole name, a title, a profession or a degree makes a person of an eponym.
#[test]
fn people_with_names_of_eponyms() {
    check(
        Kind::Person,
        &[
            ("Discussed by telephone with Monika Grawitz at noon.", &["Monika Grawitz"]),
            ("Seen by E. Rey-Osterrieth, Ph.D., today.", &["E. Rey-Osterrieth"]),
            ("Winston Treitz, MD, signed.", &["Winston Treitz"]),
            ("Foley catheter changed by RN Foley.", &["Foley"]),
            ("Escorted by Nurse Hickman.", &["Hickman"]),
            ("Chaired by Prof Hendrik du Toit.", &["Hendrik du Toit"]),
            ("Wallams's Kaposi sarcoma is stable.", &["Wallams"]),
        ],
    );
    clean(&[
        "Salter-Harris II fracture of the radius.",
        "Savary-Miller III oesophagitis.",
        "Stains: Ziehl-Neelsen and Giemsa negative.",
        "Peyer's patches and Paneth cells were seen.",
        "Symptoms of Ludwig's angina were absent.",
        "A Veress needle was not used.",
        "No Codman triangle, no Ogilvie syndrome.",
    ]);
}

#[test]
fn drugs_of_many_countries() {
    clean(&[
        "T. Ecosprin AV 75/20 0-0-1; T. Metolar XR 25 1-0-0; Inj. Human Mixtard as per chart.",
        "Tab. Zyvaltor 40 od, Cap Brenquil 1-0-1, Syp Dulmetol 5 ml tds.",
        "Stop Telma-H, start Adoport and Dioralyte.",
        "Would not give Rifafour blindly.",
        "Panado and Coversyl Plus in the morning, Endone at night.",
        "Closed with 2-0 Vicryl Rapide.",
    ]);
    check(Kind::Person, &[("Inj given by Ann Tolliver at noon.", &["Ann Tolliver"])]);
}

#[test]
fn things_and_words_of_other_languages() {
    clean(&[
        "He stopped driving the Camry.",
        "He drove the Zorvex to work, and never the Qualdo.",
        "Kia ora kōrua,",
        "Specific IgE to peanut was 48.",
        "Sinus rhythm, PR 228 ms, right bundle branch block, max 118.",
        "Limited views, EF 55, mod MR. Images on the server.",
        "His whānau are keen.",
    ]);
    check(
        Kind::Person,
        &[
            ("Groete,\n\nMarietjie\n", &["Marietjie"]),
            ("Mahalo,\nKeani\n", &["Keani"]),
            ("See you then.\n\nRgds, Rob\n", &["Rob"]),
        ],
    );
}

#[test]
fn nicknames_in_quotes_and_brackets() {
    check(
        Kind::Person,
        &[
            ("Tyrone \"Tee\" came in.", &["Tyrone", "Tee"]),
            ("Oluwaseun (Seun) Adeyemi was seen.", &["Oluwaseun", "Seun", "Adeyemi"]),
            ("Dr A. J. (Riaan) Labuschagne   MBChB (Pret)", &["A. J.", "Riaan", "Labuschagne"]),
        ],
    );
    check(Kind::Person, &[("\"Nobby\" Clarke sat up.", &["Nobby", "Clarke"])]);
    check(Kind::Person, &[("Pt (Dwayne) has pain.", &["Dwayne"])]);
    clean(&["Carbamazepine (Zyvaltor) was stopped."]);
}

#[test]
fn professions_roles_and_handovers() {
    check(
        Kind::Person,
        &[
            ("Second midwife MW Gurpreet Sandhu called.", &["Gurpreet Sandhu"]),
            ("Nurse in charge: Blessing   SHO: Raj (bleep 1187)", &["Blessing", "Raj"]),
            ("Handed over to Comfort at eight.", &["Comfort"]),
            ("Scrub: S/N Maryam", &["Maryam"]),
            ("Endoscopist: Winston Penhale, MD", &["Winston Penhale"]),
            ("0905 SLP KIRSTEN DYER: FAILED THIN LIQUIDS.", &["KIRSTEN DYER"]),
            ("Infant: HAILE, BABY GIRL   MRN 90-117-338", &["HAILE, BABY GIRL"]),
            ("sold to your grandson Jonty.", &["Jonty"]),
            ("Officer: PC 4471 Drummond", &["Drummond"]),
            ("COLLES, Dorothea, aged 82.", &["COLLES, Dorothea"]),
        ],
    );
    clean(&[
        "Attn: Appeals, third floor",
        "Family: Separated from her partner.",
        "Interpreter: N, but prefers none",
        "To: HR Business Partner",
        "Endoscopist: not recorded",
    ]);
}

#[test]
fn initials_of_those_who_dictate_and_type() {
    check(
        Kind::Person,
        &[
            ("Dictation 08.01.24, mck/typed jd 15.01.24.", &["mck", "jd"]),
            ("Dictated not read. MT/ljp  D 24.02.13", &["MT", "ljp"]),
            ("Typed: 18-Mar-24 SW\n", &["SW"]),
            ("Happy to repeat. P.R.\n\nNext page", &["P.R."]),
        ],
    );
    clean(&["The letter was typed on the ward.", "Consultant present, M.S., M.Ch."]);
}

/// The words around an eponym say that it is a test, a catheter or a classification, also where
/// somebody in the document has the name.
#[test]
fn bare_eponyms_beside_findings_sizes_and_sides() {
    check(
        Kind::Person,
        &[
            ("Dr Barlow came. Ortolani/Barlow done.", &["Barlow"]),
            ("Mr Finkelstein wrote. Finkelstein strongly positive.", &["Finkelstein"]),
            ("Dr F. Foley rang. Later a Foley 16 Fr was changed.", &["F. Foley"]),
            ("Dr Weber came. Rinne +ve, Weber to R today.", &["Weber"]),
            ("A Dr Sjogren asks. Do I have Sjogren's but not lupus?", &["Sjogren"]),
            ("Dr Guthrie rang. Baby well, Guthrie normal.", &["Guthrie"]),
        ],
    );
    clean(&[
        "Pedal pulses were found by Doppler only.",
        "14 Fr Foley in situ, draining well.",
        "Tinel and Phalen positive R>L. Finkelstein strongly positive.",
        "The grip was 22 kg (Jamar, right hand).",
        "A hemiarthroplasty (Thompson) was done.",
        "No Sister Mary Joseph nodule was felt.",
        "Coeliac disease on Marsh 3b biopsy.",
        "Bachmann's bundle pacing was not tried.",
    ]);
}

#[test]
fn short_words_in_capitals_and_forms_of_address() {
    clean(&[
        "Dear Sir/Ma,",
        "Report by the NSPCC and the LHND.",
        "DISP 1441 ENRT 1442 ONSC 1450 TRANS 1509 DEST 1533",
        "We started late because doctor late.",
    ]);
    check(Kind::Person, &[("KMC Reg. 38112", &[]), ("Dear Sir/Madam,\n\nMr Reg Holt came.", &["Reg Holt"])]);
}

#[test]
fn names_by_descent() {
    check(
        Kind::Person,
        &[
            ("Her daughter-in-law Shalini d/o Muthusamy noticed.", &["Shalini d/o Muthusamy"]),
            ("Dr Nur Aisyah bte Rosli saw her.", &["Nur Aisyah bte Rosli"]),
            ("Seen by Ravi s/o Krishnan Nair today.", &["Ravi s/o Krishnan Nair"]),
            ("Seen by Kavitha a/p Subramaniam.", &["Kavitha a/p Subramaniam"]),
            ("Yours sincerely,\n\nOsian ap Huw\n", &["Osian ap Huw"]),
            ("Mdm Tan Siew Eng (陈秀英) came.", &["Tan Siew Eng", "陈秀英"]),
            ("We met her mother Yiayia Despina again.", &["Yiayia Despina"]),
        ],
    );
}

#[test]
fn initials_in_forms_and_below_letters() {
    check(
        Kind::Person,
        &[
            ("Histology: L.T.\nStain: H&E\n", &["L.T."]),
            ("QC: TQW 5/6/24\n", &["TQW"]),
            ("Subject (initials BA) was seen.", &["BA"]),
            ("WH/rjs   D: 07/18/2023\n", &["WH/rjs"]),
            ("Copies to Mr A. Lachman; patient", &["A. Lachman"]),
            ("Client sign H K-Bell\n", &["H K-Bell"]),
        ],
    );
    clean(&["Route: I.V.", "CXR: NAD 5/6/24"].map(|text| text.split(" 5/").next().unwrap_or(text)));
}

#[test]
fn words_that_are_names_in_lists_and_with_relatives() {
    check(
        Kind::Person,
        &[
            ("9:00\tLove, Precious\t2/29/00\t5518\n", &["Love, Precious"]),
            ("9:20\tOkwuosa, Rev. Daniel\t8/18/71\t3307\n", &["Okwuosa, Rev. Daniel"]),
            ("On leaving, Marvel's daughter rang.", &["Marvel"]),
            ("The line has an agent Priya.", &["Priya"]),
        ],
    );
    clean(&["9:00\tPain, Chronic\t2\t5\n", "The patient's daughter rang.", "Client's son came."]);
}
