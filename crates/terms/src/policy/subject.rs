//! The subject of a row: the column that says which person a row belongs to.
//!
//! With such a column a class is as large as the people in it, whatever the rows. What counts rows
//! by its definition, and has no definition by people, is refused here by name.

use super::{Cut, Diversity, Missing, ModelSpec, Policy, Role};
use crate::error::Fault;
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
}

/// Errors of the subject, and what cannot count people.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
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
    faults.extend(refused(policy).into_iter().map(|(key, what, help)| {
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
}

/// What counts rows: its key, its name and what can be used instead.
fn refused(policy: &Policy) -> Vec<(String, String, &'static str)> {
    let algorithm = policy.search.algorithm;
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
            "write algorithm = \"k-similar\" or \"mondrian\"",
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
    use crate::error::Result;

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
