//! The people whom rows belong to, counted independently: how many each released class has, who is
//! left out, and how many share all their rows.
//!
//! The release names nobody, so people are counted in the original: its rows were assigned to
//! released classes before, by generalizing them again or by an assignment that is checked. Costs
//! one step per distinct pair of tuple and person, and a sort of these pairs.

use std::collections::BTreeMap;

use super::claims::Judged;
use super::classes::{MISSING, UNKNOWN};
use super::sensitive::Values;
use super::side::Side;
use super::verdict::{Finding, Verdict, WITHOUT_ORIGINAL, Wrong, several};
use super::{Verifier, models, risk};
use throng_terms::policy::{Limit, Policy, Suppressed};
use throng_terms::release::{Certificate, PeopleFacts, Release};

/// The claim about who is left out.
pub(super) const CLAIM: &str = "people";
/// The claim about the people of every class.
pub(super) const K_ANONYMITY: &str = "k-anonymity";

/// The people of an original, as the release shows them.
#[derive(Debug)]
pub(super) struct People {
    /// Released class → the people whom its rows belong to.
    pub(super) of_class: Vec<u64>,
    facts: PeopleFacts,
}

impl People {
    /// Counts the people of an original; `places` has the released class of every class of it, or
    /// [`UNKNOWN`] where its rows are withheld.
    pub(super) fn new(policy: &Policy, subjects: &Values, places: &[u32], classes: usize) -> Self {
        let moves = || places.iter().enumerate().filter(|(_, place)| **place != UNKNOWN);
        let merged = subjects.merged(moves().map(|(from, to)| (from, *to as usize)), classes);
        let of_class = (0..classes).map(|class| people_in(&merged, class)).collect();
        // Person → whether some rows are released, and whether some are withheld.
        let mut fates: Vec<[bool; 2]> = Vec::new();
        for (class, &place) in places.iter().enumerate() {
            for &(person, _) in subjects.class(class).iter().filter(|(person, _)| *person != MISSING) {
                let person = person as usize;
                fates.resize(fates.len().max(person + 1), [false; 2]);
                fates[person][usize::from(place == UNKNOWN)] = true;
            }
        }
        let count = |wanted: fn(bool, bool) -> bool| {
            fates.iter().filter(|&&[released, withheld]| wanted(released, withheld)).count() as u64
        };
        let facts = PeopleFacts {
            people: count(|released, withheld| released || withheld),
            released: count(|released, _| released),
            withheld: count(|released, withheld| withheld && !released),
            partly: count(|released, withheld| withheld && released),
            alike: if policy.links_rows() { fewest_alike(policy, subjects, places) } else { None },
        };
        People { of_class, facts }
    }
}

impl Verifier<'_> {
    /// The claims about people, counted in the original; without it they are named as not checked.
    pub(super) fn of_people(
        &self,
        people: Option<&People>,
        (released, judged): (&Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let (policy, certificate) = (self.policy, self.certificate);
        let Some(k) = self.k_people() else { return };
        verdict.set(K_ANONYMITY, anonymity(k, certificate, released, judged, people));
        verdict.set(CLAIM, claim(policy, certificate, people));
        let sizes = people.map(|people| &people.of_class[..]);
        let risk = risk::risk(&certificate.release, policy.input.missing, released, judged, sizes);
        let unchecked = || Finding::unchecked(WITHOUT_ORIGINAL);
        if let Some(finding) = risk.map(|found| if people.is_some() { found } else { unchecked() }) {
            verdict.set("risk", finding);
        }
    }

    /// The models of sensitive columns, by the values of people in the original; `places` has the
    /// released class of every class of it.
    pub(super) fn of_judged_people(
        &self,
        values: &[Values],
        places: &[u32],
        (released, judged): (&Side, &Judged),
        verdict: &mut Verdict,
    ) {
        let moves = || places.iter().enumerate().filter(|(_, place)| **place != UNKNOWN);
        let moves = || moves().map(|(from, to)| (from, *to as usize));
        let values: Vec<Values> =
            values.iter().map(|column| column.merged(moves(), released.classes.len())).collect();
        for rule in &self.rules {
            let finding = models::claim_by_people(rule, self.certificate, released, judged, &values);
            if let Some(finding) = finding {
                verdict.set(&rule.claim, finding);
            }
        }
    }

    /// The people that a class needs, where rows belong to people.
    pub(super) fn k_people(&self) -> Option<u64> {
        self.policy.privacy.k().filter(|_| self.policy.subject().is_some())
    }
}

/// The fewest people who have the same released rows: as many in every class.
fn fewest_alike(policy: &Policy, subjects: &Values, places: &[u32]) -> Option<u64> {
    // Starred rows are released, too, and all look alike.
    let starred = policy.output.suppressed == Suppressed::Starred;
    let mut rows_of: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
    for (class, &place) in places.iter().enumerate().filter(|(_, place)| **place != UNKNOWN || starred) {
        for &(person, rows) in subjects.class(class) {
            *rows_of.entry(person).or_default().entry(place).or_default() += rows;
        }
    }
    let mut alike: BTreeMap<&BTreeMap<u32, u64>, u64> = BTreeMap::new();
    rows_of.values().for_each(|rows| *alike.entry(rows).or_default() += 1);
    alike.into_values().min()
}

/// The people of a class. A row that names nobody may belong to any of them.
fn people_in(subjects: &Values, class: usize) -> u64 {
    subjects.class(class).iter().filter(|(person, _)| *person != MISSING).count() as u64
}

/// Takes the rows of every class away that belongs to fewer than k people.
pub(super) fn without_few(k: Option<u64>, subjects: Option<&Values>, counts: &mut [u64]) {
    let (Some(k), Some(subjects)) = (k, subjects) else { return };
    for (class, count) in counts.iter_mut().enumerate() {
        if people_in(subjects, class) < k {
            *count = 0;
        }
    }
}

/// The people of the class that has fewest, against what is required and what is certified.
pub(super) fn anonymity(
    k: u64,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
    people: Option<&People>,
) -> Finding {
    let sizes = people.map_or(&judged.counts, |people| &people.of_class);
    let alive = || (0..judged.counts.len()).filter(|&class| judged.counts[class] > 0);
    let smallest = alive().min_by_key(|&class| sizes[class]);
    let mut wrong = Wrong::default();
    if let Some(class) = smallest.filter(|&class| sizes[class] < k) {
        let short: u64 = alive().filter(|&class| sizes[class] < k).map(|class| judged.counts[class]).sum();
        wrong.push(format!(
            "{} belongs to {}, {k} are required; {} in classes of too few people",
            released.name(class),
            match people {
                Some(_) => several_people(sizes[class]),
                // There are no more people than rows.
                None => format!("at most {}", several_people(sizes[class])),
            },
            several(short, "row"),
        ));
    }
    let found = smallest.map(|class| sizes[class]);
    let stated = certificate.release.privacy.get(K_ANONYMITY).map(|claim| claim.achieved);
    let number = |size: Option<f64>| size.map_or("none".to_owned(), |size| size.to_string());
    match (stated, found.map(|size| size as f64)) {
        (None, _) => wrong.push("the certificate does not claim it"),
        (Some(stated), found) if people.is_some() && stated != found => wrong.push(format!(
            "the fewest people of a class are {}, the certificate says {}",
            number(found),
            number(stated)
        )),
        (Some(Some(stated)), Some(rows)) if stated > rows => wrong.push(format!(
            "a class has {rows} rows, the certificate says that all have at least {stated} people"
        )),
        _ => {}
    }
    let finding = Finding::of(&wrong, || match found {
        Some(size) => format!("every class belongs to {} or more, {k} are required", several_people(size)),
        None => "no row is released".into(),
    });
    if people.is_none() && finding.holds { Finding::unchecked(WITHOUT_ORIGINAL) } else { finding }
}

/// Who is left out, and how many people share all their rows.
pub(super) fn claim(policy: &Policy, certificate: &Certificate, people: Option<&People>) -> Finding {
    let Some(People { facts, .. }) = people else { return Finding::unchecked(WITHOUT_ORIGINAL) };
    let mut wrong = Wrong::default();
    let stated = certificate.release.people.unwrap_or_default();
    let figures = [
        ("in the original", facts.people, stated.people),
        ("with a released row", facts.released, stated.released),
        ("without one", facts.withheld, stated.withheld),
        ("with some rows released", facts.partly, stated.partly),
    ];
    for (what, found, stated) in figures.into_iter().filter(|(_, found, stated)| found != stated) {
        wrong.push(format!("{} {what}, the certificate says {stated}", several_people(found)));
    }
    if facts.alike != stated.alike {
        wrong.push(format!(
            "the fewest people who share all their rows are {}, the certificate says {}",
            facts.alike.map_or("none".into(), |alike| alike.to_string()),
            stated.alike.map_or("none".into(), |alike| alike.to_string())
        ));
    }
    wrong.extend(beyond(policy, facts));
    Finding::of(&wrong, || {
        format!("{} of {} are in the release", facts.released, several_people(facts.people))
    })
}

/// What is stated about people must fit the policy.
pub(super) fn stated(policy: &Policy, release: &Release) -> Vec<String> {
    let mut wrong = Vec::new();
    match (&release.people, policy.subject()) {
        (None, None) => {}
        (Some(_), None) => wrong.push("people are claimed, and the policy names no subject".to_owned()),
        (None, Some(_)) => wrong.push("people are not claimed, and the policy names a subject".to_owned()),
        (Some(facts), Some(_)) => {
            if facts.released.checked_add(facts.withheld) != Some(facts.people) {
                let PeopleFacts { people, released, withheld, .. } = facts;
                wrong.push(format!("{released} people released and {withheld} withheld are not {people}"));
            }
            if policy.links_rows() && facts.alike.is_none() && release.in_classes() > 0 {
                wrong.push("it is not claimed how many people share all their rows".to_owned());
            }
            wrong.extend(beyond(policy, facts));
        }
    }
    wrong
}

/// What goes beyond the limits of the policy.
fn beyond(policy: &Policy, facts: &PeopleFacts) -> Vec<String> {
    let limit = match policy.suppression() {
        // As for rows, a product that is a rounding error short of a whole number is that number.
        Limit::Share(share) => (share * facts.people as f64 + 1e-6).floor(),
        Limit::Rows(rows) => rows as f64,
    };
    let mut wrong = Vec::new();
    if facts.withheld as f64 > limit {
        wrong.push(format!("{} withheld, at most {limit} may be", several_people(facts.withheld)));
    }
    if let (Some(alike), Some(k)) = (facts.alike, policy.privacy.k())
        && alike < k
    {
        let few = several_people(alike);
        wrong.push(format!("rows of a person can be linked, and {few} share all of them; {k} must"));
    }
    wrong
}

fn several_people(number: u64) -> String {
    if number == 1 { "1 person".into() } else { format!("{number} people") }
}
