//! The subject of a row: the column that says which person a row belongs to.
//!
//! With such a column a class is as large as the people in it, whatever the rows. What counts rows
//! by its definition, and has no definition by people, is refused here by name; and so is what
//! could generalize a value that is constant per person differently in two rows of a person.

use super::{Cut, Diversity, Missing, ModelSpec, Policy, Role, Suppressed};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::registry::Algorithm;

impl Policy {
    /// The column that names the person a row belongs to, where there is one.
    pub fn subject(&self) -> Option<&str> {
        self.with_role(Role::Subject).into_iter().next()
    }

    /// Whether a recipient can see which rows belong to one person, because the subject or another
    /// identifier is released under another name.
    pub fn links_rows(&self) -> bool {
        let replaced = |role: Role| matches!(role, Role::Subject | Role::Identifier);
        self.subject().is_some() && self.columns.values().any(|c| replaced(c.role) && c.released())
    }

    /// Checks whether an algorithm of a comparison, guided by a model or not, can be used with the
    /// subject of the policy.
    ///
    /// # Errors
    /// What is refused with a subject.
    pub fn check_subject(&self, algorithm: Algorithm, guided: bool) -> Result<()> {
        let mut faults = Vec::new();
        check_by(self, (algorithm, guided), &mut faults);
        Error::check(faults)
    }
}

/// Errors of the subject, and what cannot be used with one.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let guided = policy.search.model.as_ref().is_some_and(|model| model.guides);
    check_by(policy, (policy.search.algorithm, guided), faults);
}

fn check_by(policy: &Policy, (algorithm, guided): (Algorithm, bool), faults: &mut Vec<Fault>) {
    let subjects = policy.with_role(Role::Subject);
    let Some(&first) = subjects.first() else { return };
    for other in &subjects[1..] {
        faults.push(
            fault!(
                Input,
                "people.two-subjects",
                "`{other}` and `{first}` both have role \"subject\", and a row belongs to one person",
                other = other,
                first = first
            )
            .key(format!("columns.{other}.role"))
            .help("give one of them role = \"identifier\""),
        );
    }
    if policy.privacy.k().is_none() {
        faults.push(
            fault!(
                Input,
                "people.needs-k",
                "people are counted, and there is no k that they are counted for"
            )
            .key("privacy")
            .help("give privacy.k, for instance k = 5"),
        );
    }
    faults.extend(refused(policy, algorithm).into_iter().map(|(key, what, help)| {
        fault!(
            Input,
            "people.counts-rows",
            "{what} counts rows, and `{column}` with role \"subject\" asks to count people",
            what = what,
            column = first
        )
        .key(key)
        .help(help)
    }));
    faults.extend(by_row(policy, guided).map(|(key, what, help)| {
        fault!(
            Input,
            "people.cells-differ",
            "with {what}, a value of one person could be generalized differently in two of the person's rows, and \
             `{column}` has role \"subject\"",
            what = what,
            column = first
        )
        .key(key)
        .help(help)
    }));
}

/// What generalizes a row regardless of the other rows of its person: its key, its name and what
/// can be used instead.
fn by_row(policy: &Policy, guided: bool) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let settings = [
        (
            policy.search.local,
            "search.local",
            "search.local",
            "remove search.local; algorithm = \"best\" suppresses hardly any row without it",
        ),
        (
            policy.output.suppressed == Suppressed::Cells,
            "output.suppressed",
            "suppressed = \"cells\"",
            "remove it; algorithm = \"best\" suppresses hardly any row",
        ),
        (
            guided,
            "search.model",
            "a model that guides",
            "set search.model.guides = false, so that it only measures the release, or remove it and write \
             algorithm = \"best\"",
        ),
    ];
    settings.into_iter().filter_map(|(given, key, what, help)| given.then_some((key, what, help)))
}

/// What counts rows: its key, its name and what can be used instead.
fn refused(policy: &Policy, algorithm: Algorithm) -> Vec<(String, String, &'static str)> {
    let relaxed = policy.search.mondrian.is_some_and(|mondrian| mondrian.cut == Cut::Relaxed);
    let fixed = [
        (
            policy.input.missing == Missing::Wildcard,
            "input.missing",
            "missing = \"wildcard\"".to_owned(),
            "write missing = \"value\" or \"suppress\"",
        ),
        (relaxed, "search.mondrian", "cut = \"relaxed\"".to_owned(), "write cut = \"strict\", or remove it"),
        (
            matches!(algorithm, Algorithm::CellMinGen | Algorithm::GreedyRows),
            "search.algorithm",
            format!("algorithm \"{algorithm}\""),
            "write algorithm = \"best\"",
        ),
    ];
    let fixed = fixed.into_iter().filter(|(refused, ..)| *refused);
    let fixed = fixed.map(|(_, key, what, help)| (key.to_owned(), what, help));
    let groups = policy.privacy.quasi.keys().map(|name| {
        let key = format!("privacy.quasi.{name}");
        (key, format!("the group `{name}`"), "remove it: people who share all columns share those of a group")
    });
    let models = policy.privacy.models.iter().enumerate();
    let models = models.filter(|(_, model)| !counts_people(policy, model)).map(|(at, model)| {
        let key = format!("privacy.models.{at}.{}", model.key());
        let help = "models that count people are l_diversity with kind = \"distinct\", p_sensitive and k_e, of a sensitive \
                    column; or raise privacy.k";
        (key, format!("\"{}\"", model.claim()), help)
    });
    fixed.chain(groups).chain(models).collect()
}

/// Whether a model is defined by people: it asks for different values, and each is that of another
/// person.
fn counts_people(policy: &Policy, model: &ModelSpec) -> bool {
    let distinct = match model {
        ModelSpec::LDiversity(asked) => asked.kind == Diversity::Distinct,
        ModelSpec::PSensitive(_) | ModelSpec::KE(_) => true,
        _ => false,
    };
    distinct && policy.linkable(model).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(more: &str) -> Result<Policy> {
        Policy::parse(&format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\npatient.role = \"subject\"\nage.role = \"quasi\"\n\
             sex.role = \"quasi\"\npay.role = \"sensitive\"\n{more}\n"
        ))
    }

    #[test]
    fn the_subject_is_removed_and_grouped_last() {
        let policy = parse("[privacy]\nk = 2").unwrap();
        assert_eq!(policy.subject(), Some("patient"));
        assert!(!policy.columns["patient"].released() && !policy.links_rows());
        let columns = ["patient", "age", "pay", "sex"].map(String::from);
        let (quasi, measured) = policy.grouped_columns(&columns);
        assert_eq!((quasi, measured), (vec!["age".into(), "sex".into()], vec!["patient".to_owned()]));
        assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    }

    #[test]
    fn a_row_belongs_to_one_person() {
        let error = parse("name.role = \"subject\"\n[privacy]\nk = 2").unwrap_err();
        assert!(error.has_code("people.two-subjects"), "{error}");
    }

    #[test]
    fn what_counts_rows_is_refused_by_name() {
        let cases = [
            ("[privacy]\nk = 2\nquasi.a = { columns = [\"age\"], k = 3 }", "privacy.quasi.a"),
            (
                "[privacy]\nk = 2\nmodels = [{ l_diversity = { column = \"pay\", l = 2, kind = \"entropy\" } }]",
                "privacy.models.0.l_diversity",
            ),
            ("[privacy]\nk = 2\nmodels = [{ t_closeness = { column = \"pay\", t = 0.2 } }]", "t_closeness"),
            (
                "[privacy]\nk = 2\nmodels = [{ l_diversity = { column = \"age\", l = 2 } }]",
                "privacy.models.0.l_diversity",
            ),
            ("[privacy]\nk = 2\n[search]\nalgorithm = \"cell-mingen\"", "search.algorithm"),
            (
                "[privacy]\nk = 2\n[search]\nalgorithm = \"mondrian\"\nmondrian = { cut = \"relaxed\" }",
                "search.mondrian",
            ),
        ];
        for (more, key) in cases {
            let error = parse(more).expect_err(more);
            assert!(error.has_code("people.counts-rows") && error.to_string().contains(key), "{error}");
        }
        let error = Policy::parse(
            "version = 1\n[input]\npath = \"x.csv\"\nmissing = \"wildcard\"\n[columns]\npatient.role = \"subject\"\n\
             age.role = \"quasi\"\n[privacy]\nk = 2\n",
        )
        .unwrap_err();
        assert!(error.to_string().contains("wildcard"), "{error}");
    }

    #[test]
    fn what_could_write_a_value_of_a_person_in_two_ways_is_refused() {
        let model = "model = { builtin = \"linear\", target = \"cost\"";
        let cases = [
            ("[privacy]\nk = 2\n[search]\nlocal = true".to_owned(), "search.local"),
            ("[privacy]\nk = 2\n[search]\nalgorithm = \"ola\"\nlocal = true".into(), "search.local"),
            ("[privacy]\nk = 2\n[output]\nsuppressed = \"cells\"".into(), "output.suppressed"),
            (
                format!(
                    "cost.role = \"target\"\n[privacy]\nk = 2\n[search]\nalgorithm = \"greedy\"\n{model} }}"
                ),
                "search.model",
            ),
        ];
        for (more, key) in cases {
            let error = parse(&more).expect_err(&more);
            assert!(error.has_code("people.cells-differ"), "{error}");
            let fault = error.faults().iter().find(|fault| fault.code == "people.cells-differ").unwrap();
            assert!(
                fault.place.key.as_deref() == Some(key) && fault.help.as_ref().unwrap().contains("best"),
                "{error}"
            );
        }
        // A model that only measures, suppressed rows that are starred, and other cuts are
        // accepted.
        let measures = format!(
            "cost.role = \"target\"\n[privacy]\nk = 2\n[search]\nalgorithm = \"greedy\"\n{model}, guides = false }}"
        );
        for more in [
            measures.as_str(),
            "[privacy]\nk = 2\n[output]\nsuppressed = \"starred\"",
            "[privacy]\nk = 2\n[search]\nalgorithm = \"mondrian\"\nchoose = 'if(is(age), 2, 1) * range'",
        ] {
            parse(more).unwrap_or_else(|error| panic!("{more}: {error}"));
        }
    }

    #[test]
    fn algorithms_of_a_comparison_are_checked_like_those_of_a_policy() {
        let policy = parse("[privacy]\nk = 2").unwrap();
        assert!(policy.check_subject(Algorithm::Greedy, false).is_ok());
        let code = |algorithm, guided| policy.check_subject(algorithm, guided).unwrap_err().faults()[0].code;
        assert_eq!(code(Algorithm::Greedy, true), "people.cells-differ");
        assert_eq!(code(Algorithm::GreedyRows, false), "people.counts-rows");
        let rows = Policy {
            columns: [("age", &policy.columns["age"])].map(|(n, c)| (n.into(), c.clone())).into(),
            ..policy
        };
        assert!(rows.check_subject(Algorithm::GreedyRows, true).is_ok());
    }

    #[test]
    fn models_of_different_values_count_people() {
        let models =
            "l_diversity = { column = \"pay\", l = 2 } }, { p_sensitive = { column = \"pay\", p = 2 }";
        assert!(parse(&format!("[privacy]\nk = 2\nmodels = [{{ {models} }}]")).is_ok());
    }

    #[test]
    fn people_need_a_k() {
        let error = parse("[privacy]\nmodels = [{ average_risk = { max = 0.1 } }]").unwrap_err();
        assert!(error.has_code("people.needs-k"), "{error}");
    }
}
