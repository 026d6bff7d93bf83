//! Anonymous data systems [Sweeney 2001, section 5] against `systems.py`, and the systems of the
//! paper with the author's verdicts [Sweeney 2001, sections 4.2, 5 and 6].

use serde::Deserialize;
use throng::anonymous_system::Protection;
use throng::error::Result;
use throng::measure::{Correspondence, Inputs, Outside, protection};
use throng::memory::Table;
use throng::policy::Policy;
use throng::rows::Rows;
use throng::watch::Watch;

use super::{Row, cases, codes, recorded, row};

const FOUND: &str = include_str!("systems.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    original: Lines,
    release: Lines,
    population: Lines,
    external: Vec<Lines>,
    rows: String,
    truth: bool,
    k: u64,
    expected: Expected,
}

#[derive(Deserialize)]
struct Lines {
    columns: Vec<String>,
    rows: Vec<Row>,
}

impl Lines {
    fn table(&self) -> Table {
        Table::new(self.columns.clone(), self.rows.clone()).unwrap()
    }
}

#[derive(Deserialize)]
struct Expected {
    tuples: serde_json::Value,
    properties: std::collections::BTreeMap<u8, u64>,
    unprotected: Vec<String>,
    holds: [Option<bool>; 4],
}

/// The tables of a system.
struct Tables<'a> {
    original: &'a Table,
    release: &'a Table,
    population: &'a Table,
    external: &'a [Table],
}

fn checked(
    policy: &str,
    tables: &Tables<'_>,
    rows: Correspondence<'_>,
    truth: Option<&str>,
) -> Result<Protection> {
    let external: Vec<&dyn Rows> = tables.external.iter().map(|table| table as &dyn Rows).collect();
    protection(&Outside {
        inputs: Inputs {
            policy: &Policy::parse(policy).unwrap(),
            original: tables.original,
            release: tables.release,
            rows,
            starred: false,
            load: &|_| Ok(ZIP.into()),
            watch: &Watch::none(),
        },
        population: tables.population,
        external: &external,
        truth,
    })
}

fn holds(found: &Protection) -> [Option<bool>; 4] {
    [found.ads0.holds, found.null_map.holds, found.wrong_map.holds, found.k_map.holds]
}

#[test]
fn systems_are_those_of_the_script() {
    let mut seen = [0; 4];
    for (line, case) in cases::<Case>(FOUND) {
        let external: Vec<Table> = case.external.iter().map(Lines::table).collect();
        let tables = (case.original.table(), case.release.table(), case.population.table());
        let tables =
            Tables { original: &tables.0, release: &tables.1, population: &tables.2, external: &external };
        let rows = match case.rows.as_str() {
            "order" => Correspondence::Order,
            "key" => Correspondence::Key("id"),
            _ => Correspondence::None,
        };
        let found = checked(&case.policy, &tables, rows, case.truth.then_some("name"))
            .unwrap_or_else(|error| panic!("{error} in {line}"));
        assert_eq!(holds(&found), case.expected.holds, "{found:#?} of {line}");
        assert_eq!(serde_json::to_value(found.tuples).unwrap(), case.expected.tuples, "{line}");
        assert_eq!(found.k, case.k);
        let violations = found.ads0.properties.iter().map(|(&number, p)| (number, p.violations));
        assert_eq!(
            violations.collect::<std::collections::BTreeMap<_, _>>(),
            case.expected.properties,
            "{line}"
        );
        assert_eq!(found.ads0.properties[&4].columns, case.expected.unprotected, "{line}");
        seen.iter_mut().zip(holds(&found)).for_each(|(seen, holds)| *seen += u32::from(holds == Some(true)));
    }
    assert!(seen.iter().all(|&cases| cases > 5), "{seen:?}: each system occurs");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("systems.py", FOUND);
}

/// Section 5: name, birth date and ZIP code are the quasi-identifier. The figures name the people,
/// Dan, Don, Dave, Ann, Abe and Al, but the text does not have their values.
const PEOPLE: [&str; 6] = [
    "Dan 1960 37210",
    "Don 1961 37211",
    "Dave 1960 37212",
    "Ann 1965 02138",
    "Abe 1964 02139",
    "Al 1965 02139",
];
const SUBJECTS: [&str; 3] = ["Ann 1965 02138 flu", "Abe 1964 02139 gout", "Al 1965 02139 cough"];

fn five(quasi: &str) -> String {
    let role = |column: &str| if quasi.contains(column) { "quasi" } else { "identifier" };
    format!(
        "version = 1\ninput.path = \"t\"\ncolumns.name.role = \"{}\"\ncolumns.birth.role = \"quasi\"\n\
         columns.zip.role = \"quasi\"\ncolumns.zip.hierarchy = {{ mask = {{ from = \"right\" }} }}\n\
         columns.diagnosis.role = \"sensitive\"\nprivacy.k = 2\n",
        role("name")
    )
}

fn table(columns: &str, rows: &[&str]) -> Table {
    let columns = columns.split_whitespace().map(String::from).collect();
    Table::new(columns, rows.iter().map(|line| row(line)).collect()).unwrap()
}

/// A release of the three subjects, in their order.
fn of_section_five(quasi: &str, columns: &str, release: &[&str]) -> Protection {
    let (original, people) = (table("name birth zip diagnosis", &SUBJECTS), table("name birth zip", &PEOPLE));
    let release = table(columns, release);
    let tables = Tables { original: &original, release: &release, population: &people, external: &[] };
    checked(&five(quasi), &tables, Correspondence::Order, Some("name")).unwrap()
}

const ALL: &str = "name birth zip diagnosis";

/// Section 5, "identity release".
#[test]
fn the_identity_release_is_not_an_ads0() {
    let found = of_section_five("name", ALL, &SUBJECTS);
    assert_eq!(holds(&found), [Some(false); 4]);
    assert_eq!((found.tuples.unique_and_correct, found.ads0.properties[&9].violations), (Some(3), 3));
}

/// Section 5, "complete suppression": conditions a and b of property 9 are satisfied.
#[test]
fn complete_suppression_is_an_ads0() {
    let found = of_section_five("name", ALL, &["- - - -"; 3]);
    assert_eq!(found.ads0.holds, Some(true));
    assert_eq!((found.k_map.holds, found.tuples.least), (Some(true), Some(6)));
}

/// Section 4.2, figure 15: to remove names is not enough.
#[test]
fn de_identification_is_not_an_ads0() {
    let found = of_section_five(
        "",
        "birth zip diagnosis",
        &["1965 02138 flu", "1964 02139 gout", "1965 02139 cough"],
    );
    assert_eq!(holds(&found), [Some(false); 4]);
    assert_eq!(found.tuples.unique_and_correct, Some(3));
}

/// Section 4.2, figure 16: encrypted quasi-identifiers map to pseudo-entities.
#[test]
fn encryption_is_a_null_map() {
    let rows = ["Jcd f81 90x flu", "Jwq 7aa 12b gout", "Jxy c03 55d cough"];
    let found = of_section_five("name", ALL, &rows);
    assert_eq!(holds(&found), [Some(true), Some(true), Some(false), Some(false)]);
    assert_eq!((found.tuples.nobody, found.tuples.least), (3, Some(0)));
}

/// Section 4.2, figure 17: a generalized tuple links to both Al and Ann.
#[test]
fn generalization_is_a_k_map() {
    let rows = ["* 1965 0213* flu", "* * 0213* gout", "* 1965 0213* cough"];
    let found = of_section_five("name", ALL, &rows);
    assert_eq!(holds(&found), [Some(true), Some(false), Some(false), Some(true)]);
    assert_eq!(found.tuples.least, Some(2));
    // Where k is 3, two people are too few.
    let (original, people) = (table(ALL, &SUBJECTS), table("name birth zip", &PEOPLE));
    let release = table(ALL, &rows);
    let tables = Tables { original: &original, release: &release, population: &people, external: &[] };
    let policy = five("name").replace("k = 2", "k = 3");
    let found = checked(&policy, &tables, Correspondence::Order, Some("name")).unwrap();
    assert_eq!((found.ads0.holds, found.k_map.holds, found.k_map.violations), (Some(true), Some(false), 2));
}

/// Section 5: swapping the quasi-identifier as a unit, of more than two subjects.
#[test]
fn swapping_is_a_wrong_map() {
    let rows = ["Abe 1964 02139 flu", "Al 1965 02139 gout", "Ann 1965 02138 cough"];
    let found = of_section_five("name", ALL, &rows);
    assert_eq!(holds(&found), [Some(true), Some(false), Some(true), Some(false)]);
    assert_eq!((found.tuples.wrong_only, found.tuples.unique_and_correct), (Some(3), Some(0)));
    // The wrong subject has the same diagnosis: the release shows it.
    let (original, people) = (
        table(ALL, &SUBJECTS.map(|line| line.replace("gout", "flu")).each_ref().map(String::as_str)),
        table("name birth zip", &PEOPLE),
    );
    let release = table(ALL, &["Abe 1964 02139 flu", "Al 1965 02139 flu", "Ann 1965 02138 cough"]);
    let tables = Tables { original: &original, release: &release, population: &people, external: &[] };
    let found = checked(&five("name"), &tables, Correspondence::Order, Some("name")).unwrap();
    assert_eq!(holds(&found), [Some(false); 4]);
    assert_eq!((found.tuples.wrong_only, found.ads0.properties[&9].violations), (Some(3), 1));
    // Two subjects: the recipient knows who was swapped with whom.
    let (original, release) =
        (table(ALL, &SUBJECTS[..2]), table(ALL, &["Abe 1964 02139 flu", "Ann 1965 02138 gout"]));
    let tables = Tables { original: &original, release: &release, population: &people, external: &[] };
    let found = checked(&five("name"), &tables, Correspondence::Order, Some("name")).unwrap();
    assert_eq!((found.ads0.holds, found.wrong_map.holds), (Some(true), Some(false)));
}

/// Section 6.1: Scrub replaces what its detectors find and leaves what outsiders know otherwise.
#[test]
fn scrub_is_not_an_ads0() {
    let (original, people) = (
        table(
            "name birth zip history",
            &["Ann 1965 02138 fire", "Abe 1964 02139 divorce", "Al 1965 02139 none"],
        ),
        table("name birth zip", &PEOPLE),
    );
    let release = table("name birth zip history", &["Kathel * * fire", "Cob * * divorce", "Mank * * none"]);
    let news = [table("name birth history", &["Ann 1965 fire", "Don 1961 flood"])];
    let policy = five("name").replace("diagnosis", "history");
    let tables = Tables { original: &original, release: &release, population: &people, external: &news };
    let found = checked(&policy, &tables, Correspondence::Order, Some("name")).unwrap();
    assert_eq!(holds(&found), [Some(false); 4]);
    assert_eq!(found.ads0.properties[&4].columns, ["history"]);
    // If the newspaper did not report it, the made-up names would map to nobody.
    let tables = Tables { external: &[table("name birth", &["Ann 1965", "Don 1961"])], ..tables };
    let found = checked(&policy, &tables, Correspondence::Order, Some("name")).unwrap();
    assert_eq!(holds(&found)[..2], [Some(true), Some(true)]);
}

const ZIP: &str = include_str!("../../../../examples/twelve/zip.csv");
const PATIENTS: &str = include_str!("../../../../examples/twelve/patients.csv");

fn twelve(more: &str) -> String {
    format!(
        "version = 1\ninput.path = \"t\"\ncolumns.ssn.role = \"identifier\"\ncolumns.problem.role = \"sensitive\"\n\
         columns.ethnicity.role = \"quasi\"\ncolumns.sex.role = \"quasi\"\ncolumns.birth = {{ role = \"quasi\", \
         hierarchy = {{ date = {{ levels = [\"month\", \"year\"], format = \"%m/%d/%Y\" }} }} }}\n\
         columns.zip = {{ role = \"quasi\", hierarchy = {{ file = \"zip.csv\" }} }}\nprivacy.k = 2\n{more}"
    )
}

fn lines(text: &str) -> Table {
    let cells =
        |line: &str| line.split(',').map(|cell| (!cell.is_empty()).then(|| cell.to_owned())).collect();
    let mut rows = text.lines().map(cells);
    let columns: Row = rows.next().unwrap();
    Table::new(columns.into_iter().flatten().collect(), rows.collect()).unwrap()
}

/// A release of the twelve patients of figure 28, who are the population as well. A number is the
/// patient whose row it is, if the release lacks rows.
fn of_twelve(release: &str, more: &str) -> Protection {
    let (patients, release) = (lines(PATIENTS), lines(release));
    let tables = Tables { original: &patients, release: &release, population: &patients, external: &[] };
    let rows = match release.rows().len() {
        12 => Correspondence::Order,
        _ => Correspondence::None,
    };
    checked(&twelve(more), &tables, rows, Some("ssn")).unwrap()
}

/// Section 6.2, figure 29, with made-up numbers in place of the patients' own.
#[test]
fn datafly_is_an_ads0_by_k_map() {
    let found = of_twelve(
        "ssn,ethnicity,birth,sex,zip,problem\n\
         902387250,Black,1965,m,0214*,shortness of breath\n197150725,Black,1965,m,0214*,chest pain\n\
         486062381,Black,1965,f,0213*,hypertension\n235978021,Black,1965,f,0213*,hypertension\n\
         214684616,Black,1964,f,0213*,obesity\n135434342,Black,1964,f,0213*,chest pain\n\
         458762056,Caucasian,1964,m,0213*,chest pain\n860424429,Caucasian,1964,m,0213*,obesity\n\
         259003630,Caucasian,1964,m,0213*,shortness of breath\n\
         410968224,Caucasian,1967,m,0213*,chest pain\n664545451,Caucasian,1967,m,0213*,chest pain\n",
        "",
    );
    assert_eq!(holds(&found), [Some(true), Some(false), Some(false), Some(true)]);
    assert_eq!((found.tuples.least, found.entities.subjects), (Some(2), Some(12)));
}

/// Section 6.3, figure 30: a Caucasian man born in 1964 who lives in 02138 is alone.
#[test]
fn mu_argus_is_not_an_ads0() {
    let found = of_twelve(
        "ethnicity,birth,sex,zip,problem\n\
         Black,1965,m,02141,shortness of breath\nBlack,1965,m,02141,chest pain\n\
         Black,1965,f,02138,hypertension\nBlack,1965,f,02138,hypertension\n\
         Black,1964,f,02138,obesity\nBlack,1964,f,02138,chest pain\nCaucasian,1964,m,02138,chest pain\n\
         ,,f,02139,hypertension\nCaucasian,1964,m,02139,obesity\n\
         Caucasian,1964,m,02139,shortness of breath\nCaucasian,1967,m,02138,chest pain\n\
         Caucasian,1967,m,02138,chest pain\n",
        "",
    );
    assert_eq!(holds(&found), [Some(false); 4]);
    // The woman whose ethnicity and year are blanked is the only one in 02139.
    assert_eq!((found.tuples.unique_and_correct, found.ads0.properties[&9].violations), (Some(2), 2));
}

/// Section 6.4, figure 33.
#[test]
fn k_similar_is_an_ads0_by_k_map() {
    let figure = include_str!("../../../../examples/twelve/figure-33.csv");
    let found = of_twelve(figure, "search.algorithm = \"k-similar\"\nsearch.loss = \"prec\"\n");
    assert_eq!(holds(&found), [Some(true), Some(false), Some(false), Some(true)]);
    assert_eq!((found.tuples.least, found.tuples.unique), (Some(2), 0));
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let (original, people) = (table(ALL, &SUBJECTS), table("name birth zip", &PEOPLE));
    let nobody = table("name birth zip", &[]);
    let tables = Tables { original: &original, release: &original, population: &people, external: &[] };
    let refused = |tables: &Tables<'_>, truth: Option<&str>| {
        let error = checked(&five("name"), tables, Correspondence::Order, truth).unwrap_err();
        assert!(error.faults().iter().all(|fault| fault.help.is_some()), "{error}");
        codes(&error).join(" ")
    };
    let no_column = "measure.no-such-column";
    assert_eq!(refused(&tables, Some("nam")), [no_column; 2].join(" "));
    let unnamed = table("birth zip", &["1965 02138"]);
    assert_eq!(refused(&Tables { population: &unnamed, ..tables }, Some("name")), [no_column; 2].join(" "));
    let narrow = table("name birth", &["Ann 1965"]);
    assert_eq!(refused(&Tables { population: &narrow, ..tables }, Some("name")), no_column);
    assert_eq!(refused(&Tables { population: &nobody, ..tables }, Some("name")), "measure.empty-table");
    let release = table(ALL, &[]);
    assert_eq!(refused(&Tables { release: &release, ..tables }, None), "measure.empty-release");
    let short = table(ALL, &SUBJECTS[..1]);
    assert_eq!(refused(&Tables { release: &short, ..tables }, None), "measure.row-counts-differ");
    let anonymous = table("name birth zip", &["- 1965 02138"]);
    assert_eq!(refused(&Tables { population: &anonymous, ..tables }, Some("name")), "measure.missing-person");
    let external = [table("name phone", &["Ann 123"])];
    let tables = Tables { external: &external, ..tables };
    assert_eq!(refused(&tables, None), "measure.external-without-truth");
    // Names are no quasi-identifier here, so phone numbers alone cannot be linked on.
    let error = checked(&five(""), &tables, Correspondence::Order, Some("name")).unwrap_err();
    assert_eq!(codes(&error), ["measure.no-linked-column"]);
}
