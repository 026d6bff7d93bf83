//! Tables of cases for every detector: what each finds, and what it leaves alone.

mod bodies;
mod organizations;
mod places;

use proptest::prelude::*;

use crate::span::Kind;
use crate::{Scrubber, Settings, Subject};

/// What is found of a kind, in order.
pub(super) fn found(kind: Kind, text: &str) -> Vec<String> {
    let scrubber = Scrubber::new(Settings::default()).unwrap();
    let spans = scrubber.find(text, &Subject::unknown());
    spans.iter().filter(|span| span.kind == kind).map(|span| text[span.start..span.end].to_owned()).collect()
}

/// What is found at all, in order.
fn all(text: &str) -> Vec<String> {
    let scrubber = Scrubber::new(Settings::default()).unwrap();
    scrubber
        .find(text, &Subject::unknown())
        .iter()
        .map(|span| text[span.start..span.end].to_owned())
        .collect()
}

/// Checks that each text has exactly these spans of a kind.
pub(super) fn check(kind: Kind, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(found(kind, text), *expected, "{text}");
    }
}

/// Checks that nothing is found.
pub(super) fn clean(cases: &[&str]) {
    for text in cases {
        assert!(all(text).is_empty(), "{text}: {:?}", all(text));
    }
}

#[test]
fn persons_by_titles_degrees_and_cues() {
    check(
        Kind::Person,
        &[
            ("We thank Dr. Frank for this referral.", &["Frank"]),
            ("I spoke with Mrs. Hodgkins today.", &["Hodgkins"]),
            ("Dear Dr. Lang:\n\nThank you.", &["Lang"]),
            ("Seen by Kathel Wallams, RN, at noon.", &["Kathel Wallams"]),
            ("Her mother, Zorbina, called twice.", &["Zorbina"]),
            ("His daughter-in-law Vrenna came along.", &["Vrenna"]),
            ("Sincerely,\n\nTilda Vrooman\n", &["Tilda Vrooman"]),
            ("Signed by T. Lindqvist.", &["T. Lindqvist"]),
            (
                "He met Jan van der Zwaag and Aoife O'Shaughnessy-Vance.",
                &["Jan van der Zwaag", "Aoife O'Shaughnessy-Vance"],
            ),
            ("Patient: WALLAMS, KATHEL J   MRN: 1234567", &["WALLAMS, KATHEL J"]),
            ("pt seen by dr wallams overnight", &["wallams"]),
            ("As you know, Dot is a 7 year old girl.", &["Dot"]),
            ("Ask Señora Consuelo Restrepo about it.", &["Consuelo Restrepo"]),
        ],
    );
}

/// A last name that is an ordinary word, a modal verb or a month is a name behind a title or a name.
#[test]
fn last_names_that_are_words() {
    check(
        Kind::Person,
        &[
            ("I saw Mr. May in clinic.", &["May"]),
            ("He will be seen by Dr. Will Page in three weeks.", &["Will Page"]),
            ("Thank you for referring Carl May to us.", &["Carl May"]),
            ("Reviewed with Dr. Kathy Still today.", &["Kathy Still"]),
            ("We discussed it with Alfredo Head at length.", &["Alfredo Head"]),
            ("Dear Dr. Do:\n\nThank you.", &["Do"]),
            ("Mrs. Case tolerated the procedure.", &["Case"]),
        ],
    );
    clean(&[
        "Follow up in May.",
        "Will see again in two weeks.",
        "Head CT was normal.",
        "Do not resuscitate.",
    ]);
}

/// Layouts of lists, forms and chats: names and ages without the words that letters have.
#[test]
fn lists_forms_and_chats() {
    check(
        Kind::Person,
        &[
            ("Bed 1 COLE, Winifred 88 CAP, on oxygen", &["COLE, Winifred"]),
            ("JALLOH HAMZA   M   14.03.15", &["JALLOH HAMZA"]),
            ("Patient   TRAN, THI MAI      Sex F", &["TRAN, THI MAI"]),
            ("Signed by MARY KOSLOW, APRN today.", &["MARY KOSLOW"]),
            ("mother of three (Jayden 9, Aaliyah 6)", &["Jayden", "Aaliyah"]),
            ("She stays with her sister Peg in town.", &["Peg"]),
            ("He was hit by a man known as \"Spider\" outside.", &["Spider"]),
            ("They live with the Thompsons, next door.", &["Thompsons"]),
            ("Case 1 (H.-P. Lund) is well.", &["H.-P. Lund"]),
            ("Wound clean. Review in June. DJR\n", &["DJR"]),
        ],
    );
    check(
        Kind::Age,
        &[
            ("Bed 1 COLE, Winifred 88 CAP, on oxygen", &["88"]),
            ("Bed 4  Mrs Farrow 66  cellulitis of the leg", &["66"]),
            ("mother of three (Jayden 9, Aaliyah 6)", &["9", "6"]),
            ("It is her birthday soon, she'll be 93!", &["93"]),
            ("Dr Farrow 3 May", &[]),
            ("Mallampati 2, Apgar 9", &[]),
            ("I rang Mrs Farrow 12 times", &[]),
        ],
    );
    clean(&[
        "Weber B ankle, Gustilo II tibia.",
        "Hawkins+, Neer+, Phalen +ve.",
        "PHx Osgood-Schlatter.",
        "SODIUM   139   mmol/L   135-145",
        "On Zoloft 50 mg and Sprintec.",
        "Expires exp 09/27.",
    ]);
}

#[test]
fn places_in_other_layouts() {
    check(
        Kind::Institution,
        &[
            ("He was found outside The Crown and Anchor last night.", &["The Crown and Anchor"]),
            ("Previous operation at Royal Elmwood in the past.", &["Royal Elmwood"]),
            ("The Limes Health Centre\n\nDear Doctor,", &["The Limes Health Centre"]),
            ("the bills go to the Borough of Wexcombe.", &["Borough of Wexcombe"]),
        ],
    );
    check(
        Kind::State,
        &[
            ("5 High Street, Wattle Grove NSW 2173", &["NSW"]),
            ("Strand Road, Tubber, Co. Sligo", &["Co. Sligo"]),
        ],
    );
    check(
        Kind::Phone,
        &[("Ring me on extension 118.", &["118"]), ("Paged Dr. Petrosyan, x70112.", &["x70112"])],
    );
    check(Kind::Account, &[("paid to IBAN IE29 AIBK 9311 5212 3456 78.", &["IE29 AIBK 9311 5212 3456 78"])]);
    check(Kind::RecordNumber, &[("hospital number 7 7 1 0 4 3 he is in room six", &["7 7 1 0 4 3"])]);
    check(Kind::Date, &[("came in last tuesday the fourteenth with sepsis", &["fourteenth"])]);
}

/// A name that is a word is found again with its capital, and the word stays.
#[test]
fn names_that_are_words_are_found_everywhere_behind_a_title() {
    let text =
        "Mr. Winter came today. I saw Ernest (Winter) and told Winter to rest. Pain is worse in winter.";
    assert_eq!(found(Kind::Person, text), ["Winter", "Ernest", "Winter", "Winter"]);
}

#[test]
fn names_are_found_everywhere_once_they_are_found() {
    let text = "Mr. Zorvan Telquist came today. His pain is gone. Telquist's wound is clean, and Teliquist walks. TELQUIST agrees.";
    assert_eq!(found(Kind::Person, text), ["Zorvan Telquist", "Telquist", "Teliquist", "TELQUIST"]);
}

#[test]
fn eponyms_are_not_people_unless_a_title_says_so() {
    clean(&[
        "Hodgkin's disease is in remission.",
        "Parkinson's disease is stable on Sinemet.",
        "A Foley catheter was placed, and the Apgar score was 9.",
        "Babinski is absent and Romberg negative.",
        "She is currently on insulin and metoprolol 25 mg daily.",
    ]);
    check(
        Kind::Person,
        &[
            ("Dr. Hodgkin saw him for Hodgkin's disease.", &["Hodgkin"]),
            ("Mr. Foley has a Foley catheter.", &["Foley"]),
        ],
    );
}

#[test]
fn ordinary_clinical_sentences_stay() {
    clean(&[
        "The patient was seen in clinic today and feels well.",
        "Blood pressure was 132/78, weight 81.4 kg, temperature 37.1.",
        "Mark the site, grant consent, bill Medicare.",
        "May repeat the test in the fall.",
        "PAST MEDICAL HISTORY: COPD, CHF and hypertension.",
        "Pain is 5/10, strength 4/5, and the murmur 2/6.",
        "Give 500 mg twice daily for 10 days.",
    ]);
}

#[test]
fn institutions_schools_employers_and_teams() {
    check(
        Kind::Institution,
        &[
            ("He was treated at Quorndale General Hospital last year.", &["Quorndale General Hospital"]),
            ("Diagnosed by Dr. Frank at Brigham's.", &["Brigham's"]),
            ("She attends St. Anselm's Church.", &["St. Anselm's Church"]),
        ],
    );
    check(Kind::School, &[("He goes to Zelbury Elementary School.", &["Zelbury Elementary School"])]);
    check(
        Kind::Employer,
        &[
            ("She works at Marina Corp as a clerk.", &["Marina Corp"]),
            ("He is employed by Vexley Industries.", &["Vexley Industries"]),
        ],
    );
    check(
        Kind::Team,
        &[("She competes with the U. S. Junior Gymnastics team.", &["U. S. Junior Gymnastics team"])],
    );
    check(Kind::Ward, &[("Transferred to Ward 9 West.", &["Ward 9 West"])]);
    clean(&[
        "The trauma team and the primary care team agreed.",
        "Go to the emergency department or the clinic.",
    ]);
}

#[test]
fn addresses() {
    let text = "Kathel Wallams\n41 Tannery Row, Apt 4B\nZelbury, MA 02151\n";
    assert_eq!(found(Kind::Street, text), ["41 Tannery Row, Apt 4B"]);
    assert_eq!(found(Kind::City, text), ["Zelbury"]);
    assert_eq!(found(Kind::State, text), ["MA"]);
    assert_eq!(found(Kind::PostalCode, text), ["02151"]);
    check(
        Kind::Street,
        &[
            ("Write to PO Box 4471 please.", &["PO Box 4471"]),
            ("Abita in Via Mazzini 12, oppure via Verdi 4.", &["Via Mazzini 12", "via Verdi 4"]),
            ("Arrived at 0312 via EMS; fed 60 via PEG.", &[]),
            ("Er wohnt Lindenallee 17 in Berlin.", &["Lindenallee 17"]),
        ],
    );
    check(
        Kind::PostalCode,
        &[
            ("Hexworth HX4 7QD", &["HX4 7QD"]),
            ("Ottawa ON K1A 0B1", &["K1A 0B1"]),
            ("Barlow, NE 68199-4471", &["68199-4471"]),
        ],
    );
    check(Kind::City, &[("She lives in Wexcombe with her cat.", &["Wexcombe"])]);
    check(Kind::Country, &[("She came from Vietnam in 1979.", &["Vietnam"])]);
}

#[test]
fn phones_mails_and_addresses_of_the_net() {
    check(
        Kind::Phone,
        &[
            ("Call (617) 555-0147 now.", &["(617) 555-0147"]),
            ("Tel 01632 960 411", &["01632 960 411"]),
            ("Fax: 473-1214", &["473-1214"]),
            ("+44 7700 900842 or 1-800-555-0190", &["+44 7700 900842", "1-800-555-0190"]),
            ("Reach her at 402-555-0111 ext. 23.", &["402-555-0111 ext. 23"]),
        ],
    );
    check(Kind::Email, &[("Write to c.bisset@eastvale.example, please.", &["c.bisset@eastvale.example"])]);
    check(
        Kind::Url,
        &[
            ("See https://pacs.eastvale.example/v/77120.", &["https://pacs.eastvale.example/v/77120"]),
            ("at www.pines.example/login today", &["www.pines.example/login"]),
        ],
    );
    check(
        Kind::Ip,
        &[
            ("From 10.44.17.203 at night.", &["10.44.17.203"]),
            ("host fe80::1ff:fe23:4567:890a up", &["fe80::1ff:fe23:4567:890a"]),
        ],
    );
}

#[test]
fn numbers_by_key_and_check_digit() {
    check(
        Kind::RecordNumber,
        &[
            ("MRN: 32-841-09787", &["32-841-09787"]),
            ("CH#32-841-09787", &["32-841-09787"]),
            ("Accession S24-011873", &["S24-011873"]),
        ],
    );
    check(
        Kind::NationalId,
        &[
            ("SSN 229-44-8810", &["229-44-8810"]),
            ("NHS number 943 476 5919", &["943 476 5919"]),
            ("The chart reads last four 4471.", &["4471"]),
            ("Last 4 of SSN: 4471, and xxx-xx-4472", &["4471", "4472"]),
            ("Her last four 1000 mg doses", &[]),
        ],
    );
    check(
        Kind::Account,
        &[
            ("IBAN DE89 3704 0044 0532 0130 00", &["DE89 3704 0044 0532 0130 00"]),
            ("card 4111 1111 1111 1111", &["4111 1111 1111 1111"]),
        ],
    );
    check(Kind::Licence, &[("DEA BT1234563", &["BT1234563"]), ("Patrick Hayes, M.D. 34764", &["34764"])]);
    check(Kind::Device, &[("pacemaker serial PXW602113H", &["PXW602113H"])]);
    check(Kind::Vehicle, &[("VIN 1M8GDM9AXKP042788", &["1M8GDM9AXKP042788"])]);
    clean(&["CPT 99338 was billed.", "I/O 2033/853 over the shift.", "Platelets 250, sodium 140."]);
}

#[test]
fn dates_in_all_usual_forms() {
    check(
        Kind::Date,
        &[
            ("Wednesday, February 2, 1994", &["Wednesday, February 2, 1994"]),
            ("on 05/26/86 and 26.05.1986 and 1986-05-26", &["05/26/86", "26.05.1986", "1986-05-26"]),
            (
                "14th March 2023; 2 May; the 21st of November",
                &["14th March 2023", "2 May", "21st of November"],
            ),
            ("am 3. März 2020, le 14 juillet 2019", &["3. März 2020", "14 juillet 2019"]),
            ("admitted three days before Christmas", &["three days before Christmas"]),
            ("seen on 12/25 at 14:30", &["12/25"]),
            ("06-Jun-2024 and 08 AUG 24", &["06-Jun-2024", "08 AUG 24"]),
            ("on Boxing Day", &["Boxing Day"]),
            ("DOB 19860526", &["19860526"]),
            ("diagnosed in June of 1993, or 02/1994, or 1995", &[]),
        ],
    );
}

#[test]
fn ages() {
    check(
        Kind::Age,
        &[
            ("a 47-year-old man", &["47"]),
            ("47 y/o, 47F, and aged 91", &["47", "47", "91"]),
            ("Dot is a 7 and 6/12 year old female", &["7 and 6/12"]),
            ("She is in her nineties.", &["nineties"]),
            ("a ninety-one year old woman", &["ninety-one"]),
            ("Gestational age was 37 weeks.", &[]),
            ("He smoked for 20 years.", &[]),
        ],
    );
}

#[test]
fn occupations_that_few_have() {
    check(
        Kind::Occupation,
        &[
            ("He was the mayor of Zelbury.", &["mayor of Zelbury"]),
            ("acting as the U.S. Ambassador to England", &["U.S. Ambassador to England"]),
            ("She works as a nurse.", &[]),
        ],
    );
}

#[test]
fn lists_and_patterns_of_the_caller() {
    use crate::{UserPattern, WordList};
    let lists = vec![WordList { name: "pets".into(), kind: None, words: vec!["Blue Moon".into()] }];
    let patterns = vec![UserPattern {
        name: "trial".into(),
        kind: Some(Kind::RecordNumber),
        pattern: "TR-[0-9]{3}".into(),
    }];
    let scrubber = Scrubber::new(Settings { lists, patterns, ..Settings::default() }).unwrap();
    let spans = scrubber.find("the blue  moon and TR-123", &Subject::unknown());
    let kinds: Vec<Kind> = spans.iter().map(|span| span.kind).collect();
    assert_eq!(kinds, [Kind::Custom(0), Kind::RecordNumber]);
    // What matches nothing at every place finds nothing.
    let empty = vec![UserPattern::named("record-number", "[QZ]*")];
    let scrubber = Scrubber::new(Settings { patterns: empty, ..Settings::default() }).unwrap();
    let spans = scrubber.find("the blue QZ moon", &Subject::unknown());
    assert_eq!(
        spans.iter().map(|span| (span.start, span.kind)).collect::<Vec<_>>(),
        [(9, Kind::RecordNumber)]
    );
    let broken = vec![UserPattern { name: "x".into(), kind: None, pattern: "(".into() }];
    assert!(
        Scrubber::new(Settings { patterns: broken, ..Settings::default() })
            .unwrap_err()
            .has_code("text.bad-pattern")
    );
    let safe =
        Scrubber::new(Settings { safe_words: vec!["Telquist".into()], ..Settings::default() }).unwrap();
    assert!(safe.find("We like Telquist here.", &Subject::unknown()).is_empty());
}

#[test]
fn text_without_capitals_and_in_capitals() {
    let lower = "mrs zorvan telquist was seen in clinic today by dr wallams. she feels well, sleeps well and has no pain. her wound is clean and dry. she lives in zelbury.";
    let people = found(Kind::Person, lower).join("|");
    assert!(people.contains("telquist") && people.contains("wallams"), "{people}");
    let upper = lower.to_uppercase();
    let people = found(Kind::Person, &upper).join("|");
    assert!(people.contains("TELQUIST") && people.contains("WALLAMS"), "{people}");
}

/// Words and signs that detectors look at, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Dr.",
        "Mrs",
        "Telquist",
        "ANNA",
        "zorvan",
        "de",
        "la",
        "Hospital",
        "St",
        "of",
        "the",
        "MRN",
        ":",
        "#",
        "12",
        "02151",
        "5/26",
        "1994",
        "May",
        ",",
        ".",
        "\n",
        "\n\n",
        "  ",
        "\t",
        "-",
        "(",
        ")",
        "'s",
        "’s",
        "@",
        "www.",
        "x@y.org",
        "47F",
        "year",
        "old",
        "10.1.2.3",
        "::",
        "MA",
        "PO",
        "Box",
        "Ward",
        "before",
        "Christmas",
        "|",
        "é",
        "שלום",
        "王小明",
        "\0",
        "DE89",
        "3704",
        "A",
        "B",
        "Jr",
        "M.D.",
        "RE:",
        "Dear",
        "99999999999999999999999999999999999999999999",
    ]);
    prop::collection::vec((words, prop::bool::ANY), 0..40).prop_map(|words| {
        words.into_iter().map(|(word, blank)| format!("{word}{}", if blank { " " } else { "" })).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_are_sorted_apart_and_on_boundaries(text in pieces()) {
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        let mut end = 0;
        for span in scrubber.find(&text, &Subject::unknown()) {
            prop_assert!(span.start >= end && span.end > span.start && span.end <= text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            prop_assert!(span.certainty >= 0.5 && span.certainty <= 1.0 && !span.reasons.is_empty());
            end = span.end;
        }
    }

    #[test]
    fn scrubbed_text_is_the_text_with_replacements(text in pieces()) {
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        let scrubbed = scrubber.scrub(&text, &Subject::unknown());
        let mut expected = String::new();
        let mut at = 0;
        for span in &scrubbed.spans {
            expected.push_str(&text[at..span.start]);
            let own = &text[span.start..span.end];
            let made = span.replacement.as_deref();
            prop_assert!(made != Some(own), "{own} is replaced by itself");
            prop_assert!(made.is_some() || span.kind == Kind::Age);
            expected.push_str(made.unwrap_or(own));
            at = span.end;
        }
        expected.push_str(&text[at..]);
        prop_assert_eq!(scrubbed.text, expected);
        prop_assert_eq!(scrubber.scrub(&text, &Subject::unknown()).spans, scrubbed.spans, "the same again");
    }
}
