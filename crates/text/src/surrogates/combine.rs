//! Names of two parts: a made-up stem and what a street, hospital, company, school or team ends
//! with.

use std::sync::OnceLock;

use super::stems;

/// Joins every stem with some endings, in sorted order.
fn combine(endings: &[&str], shift: usize) -> Vec<&'static str> {
    let each = stems().iter().enumerate().map(|(at, stem)| {
        let ending = endings.get((at * 7 + shift) % endings.len()).copied().unwrap_or_default();
        &*String::leak(format!("{stem} {ending}"))
    });
    let mut names: Vec<&'static str> = each.collect();
    names.sort_unstable();
    names
}

macro_rules! combined {
    ($($(#[$doc:meta])* $name:ident = $shift:literal, $endings:expr;)*) => {
        $($(#[$doc])* pub fn $name() -> &'static [&'static str] {
            static LIST: OnceLock<Vec<&'static str>> = OnceLock::new();
            LIST.get_or_init(|| combine(&$endings, $shift))
        })*
    };
}

combined! {
    /// Streets without a house number.
    streets = 0, ["Street", "Avenue", "Road", "Lane", "Drive", "Court", "Way", "Place", "Terrace"];
    /// Hospitals and practices.
    institutions = 1, ["Hospital", "Medical Center", "Clinic", "General Hospital", "Memorial Hospital"];
    /// Companies.
    companies = 2, ["Corp", "Industries", "Partners", "Systems", "Supply", "Group", "Foods", "Works"];
    /// Schools.
    schools = 3, ["School", "High School", "Elementary School", "Academy", "College"];
    /// Teams and clubs.
    teams = 4, ["Rovers", "Athletic Club", "United", "Rangers", "Swim Club", "Runners"];
}
