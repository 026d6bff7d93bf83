//! People, their values and their shifted dates in pieces of a table that several threads make:
//! the same as in the whole table, counted here row by row.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rayon::prelude::*;

use super::super::classes::MISSING;
use super::super::piece::Piece;
use super::super::rowhash::RowHash;
use super::super::sensitive::Values;
use super::super::shifted::Shifted;
use super::super::side::Side;
use super::strings;
use throng_terms::policy::Policy;
use throng_terms::rows::Batch;

const POLICY: &str = "version = 1\n[input]\npath = \"t.csv\"\n[columns.person]\nrole = \"subject\"\n\
    [columns.place]\nrole = \"quasi\"\n[columns.illness]\nrole = \"sensitive\"\n\
    [columns.seen]\nrole = \"sensitive\"\ntransform = { shift = { days = 9, key_file = \"key\" } }\n\
    [privacy]\nk = 2\nmodels = [{ l_diversity = { column = \"illness\", l = 2 } }]\n";
const SECRET: &[u8] = b"a secret of many bytes";

/// Person, place, illness and date.
type Visit = [Option<String>; 4];

struct Visits<'a>(&'a [Visit]);

impl Batch for Visits<'_> {
    fn rows(&self) -> usize {
        self.0.len()
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        self.0.iter().for_each(|visit| take(visit[column].as_deref()));
    }
}

fn visits() -> impl Strategy<Value = Vec<Visit>> {
    let visit = (0..6_u8, 0..3_u8, prop::option::of(0..2_u8), prop::option::of(1..29_u8));
    let visit = visit.prop_map(|(person, place, illness, day)| {
        [
            Some(format!("p{person}")),
            Some(format!("at {place}")),
            illness.map(|illness| format!("ill {illness}")),
            day.map(|day| format!("2020-02-{day:02}")),
        ]
    });
    prop::collection::vec(visit, 1..40)
}

fn original(policy: &Policy) -> Side {
    let names = strings("person place illness seen");
    let side = Side::new("original", policy, &names, RowHash::keyed("out", "in"));
    side.with_subject(policy).with_shifts(policy, Some(SECRET)).unwrap()
}

/// Threads make the pieces; they are put together in the order of the table.
fn in_pieces(mut side: Side, visits: &[Visit], size: usize) -> Side {
    let plan = side.plan();
    let piece = |rows: &[Visit]| plan.piece(&Visits(rows)).unwrap();
    let pieces: Vec<Piece> = visits.par_chunks(size).map(piece).collect();
    pieces.iter().for_each(|piece| side.add(piece).unwrap());
    side
}

fn lists(values: &Values, classes: usize) -> Vec<Vec<(u32, u64)>> {
    (0..classes).map(|class| values.class(class).to_vec()).collect()
}

/// Place → text → rows, as a side has counted them; `None` is a missing value.
type Naive = BTreeMap<String, BTreeMap<Option<String>, u64>>;

fn texts(side: &Side, values: &Values, text: impl Fn(u32) -> Option<String>) -> Naive {
    let class = |class: usize| {
        let place = side.interners[0].value(side.classes.tuples.tuple(class)[0]).unwrap().to_owned();
        (place, values.class(class).iter().map(|&(value, rows)| (text(value), rows)).collect())
    };
    (0..side.classes.len()).map(class).collect()
}

fn counted(visits: &[Visit], value: impl Fn(&Visit) -> Option<String>) -> Naive {
    let mut naive = Naive::new();
    for visit in visits {
        let place = visit[1].clone().unwrap();
        *naive.entry(place).or_default().entry(value(visit)).or_default() += 1;
    }
    naive
}

proptest! {
    #[test]
    fn pieces_have_the_people_of_the_table(visits in visits(), size in 1_usize..9) {
        let policy = Policy::parse(POLICY).unwrap();
        let whole = in_pieces(original(&policy), &visits, visits.len());
        let side = in_pieces(original(&policy), &visits, size);
        let classes = side.classes.len();
        let people = side.subjects().unwrap();
        prop_assert_eq!(lists(&people, classes), lists(&whole.subjects().unwrap(), classes));
        prop_assert_eq!(lists(&side.values()[0], classes), lists(&whole.values()[0], classes));

        let interner = &side.subject.as_ref().unwrap().interner;
        let found = texts(&side, &people, |person| interner.value(person).map(String::from));
        prop_assert_eq!(found, counted(&visits, |visit| visit[0].clone()));

        // What somebody with several illnesses has is not known.
        let mut illnesses: BTreeMap<&Option<String>, BTreeSet<&String>> = BTreeMap::new();
        for visit in &visits {
            illnesses.entry(&visit[0]).or_default().extend(&visit[2]);
        }
        let single = |visit: &Visit| visit[2].clone().filter(|_| illnesses[&visit[0]].len() == 1);
        let interner = &side.sensitive[0].interner;
        let text = |value: u32| (value != MISSING).then(|| interner.value(value).unwrap().to_owned());
        prop_assert_eq!(texts(&side, &side.values()[0], text), counted(&visits, single));
    }

    /// A release of the shifted dates has the same rows; one that shifts another date has not.
    #[test]
    fn pieces_have_the_shifted_dates_of_the_table(visits in visits(), size in 1_usize..9) {
        let policy = Policy::parse(POLICY).unwrap();
        let side = in_pieces(original(&policy), &visits, size);
        let shift = Shifted::of(&policy, ["seen"].into_iter(), Some(SECRET)).unwrap().remove(0).unwrap();
        let release = |other: Option<usize>| {
            let shifted = |(row, [person, place, illness, seen]): (usize, &Visit)| {
                let person = person.as_ref().filter(|_| other != Some(row)).map_or("another", String::as_str);
                let seen = seen.as_ref().map(|seen| shift.date(person, seen).unwrap());
                [None, place.clone(), illness.clone(), seen]
            };
            let rows: Vec<Visit> = visits.iter().enumerate().map(shifted).collect();
            // The first column is no column of a release.
            let names = strings("- place illness seen");
            let side = Side::new("release", &policy, &names, RowHash::keyed("out", "in"));
            (in_pieces(side, &rows, visits.len()), rows)
        };
        let tallies = |side: &Side| -> Vec<_> { (0..side.classes.len()).map(|c| side.classes.tally(c)).collect() };
        let (truly, dates) = release(None);
        prop_assert_eq!(tallies(&side), tallies(&truly));
        for row in 0..visits.len() {
            let (falsely, others) = release(Some(row));
            prop_assert_eq!(tallies(&side) == tallies(&falsely), dates == others);
        }
    }
}
