//! What a report says in words: what guided the search, where the loss that it was to keep small
//! has nothing to go by, and what released columns give away.

use super::text::{count, integer, percent};
use crate::exposure::Exposed;
use crate::policy::{Policy, Role, Search};
use crate::registry::{LossKind, TargetInformation};
use crate::worth::Worths;

/// What released columns give away: unique values, and classes with a single value; what concerns
/// most rows is first.
pub(super) fn exposures(policy: &Policy, exposed: &[Exposed]) -> Vec<String> {
    let role = |of: &Exposed| policy.columns.get(&of.column).map(|column| column.role);
    let confidential = [Role::Sensitive, Role::Target, Role::Keep].map(Some);
    let unique = exposed.iter().filter(|of| of.unique > 0);
    let unique = unique.map(|of| (of.unique, unique_rows(of, role(of))));
    let uniform = exposed.iter().filter(|of| of.uniform > 0 && confidential.contains(&role(of)));
    let uniform = uniform.map(|of| (of.uniform_rows, uniform_classes(of, role(of))));
    let mut all: Vec<(u64, String)> = unique.chain(uniform).collect();
    all.sort_by_key(|(rows, _)| std::cmp::Reverse(*rows));
    all.into_iter().map(|(_, words)| words).collect()
}

fn named(of: &Exposed, role: Option<Role>) -> String {
    format!("`{}` ({})", of.column, role.map_or("", Role::name))
}

fn at_least(exact: bool) -> &'static str {
    if exact { "" } else { "at least " }
}

fn unique_rows(of: &Exposed, role: Option<Role>) -> String {
    let share = percent(of.unique as f64 / of.rows.max(1) as f64);
    let (rows, verb) = (integer(of.unique), if of.unique == 1 { "has" } else { "have" });
    format!(
        "{}: {}{share} of the released rows ({rows}) {verb} a value that no other row has. Anyone who knows the value finds the row.",
        named(of, role),
        at_least(of.exact)
    )
}

fn uniform_classes(of: &Exposed, role: Option<Role>) -> String {
    format!(
        "{}: {}{} of {} classes ({}) {} a single value. Anyone who knows which class a person is in learns it.",
        named(of, role),
        at_least(of.uniform_exact),
        integer(of.uniform),
        integer(of.classes),
        count(of.uniform_rows, "row"),
        if of.uniform == 1 { "has" } else { "have" }
    )
}

/// For whom a loss matters, in one line.
pub(super) fn matters_for(loss: LossKind) -> &'static str {
    match loss {
        LossKind::Lm => "Matters to most: how vague the cells are. 0 is the original, 1 is nothing left.",
        LossKind::ILoss => "Matters to most, as LM does; a wide interval counts the same in every column.",
        LossKind::Entropy => "For estimates over the whole table. Columns with many values count most.",
        LossKind::ConditionalEntropy => "For estimates over the whole table, suppressed rows included.",
        LossKind::Ambiguity => "For linking rows with other tables: how many originals fit one row.",
        LossKind::Aecs => "For counts by group: how large groups are.",
        LossKind::Dm | LossKind::DmStar => "For comparing algorithms on one table. Large classes count most.",
        LossKind::Width => "For the statistics that the policy names: how wide their bounds are.",
        LossKind::Cm => "For training classifiers: rows that a class labels wrongly.",
        LossKind::ColumnMi | LossKind::ValueMi => {
            "For predicting the target: information about it that is gone."
        }
        LossKind::Prec | LossKind::Vinterbo => {
            "For comparing levels of one hierarchy. It does not see how many values a level merges."
        }
        LossKind::Height | LossKind::Absolute | LossKind::Relative => {
            "For comparing with older papers. It counts steps, not information."
        }
    }
}

/// How rows were generalized: the algorithm, and the model that guided it or measures the release,
/// with what it predicts and from what.
pub(super) fn searched(search: &Search) -> String {
    let Some(guide) = &search.model else { return search.algorithm.to_string() };
    let model = match &guide.builtin {
        Some(name) => format!("a {name} model"),
        None => format!("the command {}", guide.command.join(" ")),
    };
    let features = match &guide.features {
        Some(features) => features.join(", "),
        None => "all quasi-identifiers".into(),
    };
    let how = if guide.guides { "guided" } else { "measured" };
    format!("{}, {how} by {model} that predicts {} from {features}", search.algorithm, guide.target)
}

/// A warning where a loss by information about the target is 0 for every release: then the search
/// had nothing to minimize.
pub(super) fn uninformative(policy: &Policy, names: &[String], worths: &[Worths]) -> Option<String> {
    let loss = policy.search.loss.parameters().kind;
    let bits = match loss.entry().information? {
        TargetInformation::Columns => Worths::mutual,
        TargetInformation::Values => Worths::most,
    };
    let informs = names.iter().zip(worths).any(|(name, worths)| policy.weight(name) * bits(worths) > 0.0);
    (!informs).then(|| {
        format!(
            "No quasi-identifier carries information about the target. The loss {loss} is 0 for every release, and the search had nothing \
             to minimize. Values with fewer than 6 rows are not counted; if most values are that rare, use a larger table or another loss."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::{Classes, Codes};
    use crate::hierarchy::{Hierarchy, Path};
    use crate::histogram::Histogram;

    fn policy(search: &str) -> Policy {
        Policy::parse(&format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[output]\npath = \"y.csv\"\n[columns]\nage = {{ role = \"quasi\", weight = 2.0 }}\n\
             sex = {{ role = \"quasi\", weight = 0.0 }}\ncost.role = \"target\"\n[privacy]\nk = 2\n[search]\n{search}"
        ))
        .unwrap()
    }

    #[test]
    fn the_model_that_guides_is_told() {
        let told = |search: &str| searched(&policy(search).search);
        assert_eq!(told("algorithm = \"ola\""), "ola");
        let guided = "algorithm = \"greedy\"\n[search.model]\ntarget = \"cost\"\n";
        assert_eq!(
            told(&format!("{guided}builtin = \"linear\"\nfeatures = [\"age\"]")),
            "greedy, guided by a linear model that predicts cost from age"
        );
        assert_eq!(
            told(&format!("{guided}command = [\"python3\", \"model.py\"]")),
            "greedy, guided by the command python3 model.py that predicts cost from all quasi-identifiers"
        );
        assert_eq!(
            told("algorithm = \"ola\"\nmodel = { builtin = \"tree\", target = \"cost\", guides = false }"),
            "ola, measured by a tree model that predicts cost from all quasi-identifiers"
        );
    }

    #[test]
    fn columns_that_give_something_away_are_named() {
        let of = |column: &str, unique, uniform| Exposed {
            column: column.into(),
            rows: 1_000,
            values: 900,
            unique,
            exact: column == "cost",
            classes: 349,
            uniform,
            uniform_rows: 13 * uniform,
            uniform_exact: true,
        };
        let told = exposures(&policy(""), &[of("cost", 5, 46), of("age", 620, 3), of("sex", 0, 0)]);
        assert_eq!(
            told,
            [
                "`age` (quasi): at least 62\u{202F}% of the released rows (620) have a value that no other row has. Anyone who \
                 knows the value finds the row.",
                "`cost` (target): 46 of 349 classes (598 rows) have a single value. Anyone who knows which class a person is in \
                 learns it.",
                "`cost` (target): 0.50\u{202F}% of the released rows (5) have a value that no other row has. Anyone who knows the \
                 value finds the row.",
            ]
        );
        assert!(
            exposures(&policy(""), &[of("cost", 0, 1)])[0]
                .contains("1 of 349 classes (13 rows) has a single")
        );
    }

    /// Two columns over two leaves each, with the given rows; the target is the first column's value,
    /// or always the same.
    fn worths(rows: u32, told: bool) -> Vec<Worths> {
        let path = |leaf: &str| Path { leaf: leaf.into(), labels: Vec::new() };
        let hierarchy = || Hierarchy::new(vec![path("a"), path("b")], false).unwrap();
        let classes = Classes::new(2, Codes::Wide(vec![0, 0, 1, 0]), vec![rows, rows]).unwrap();
        let target = [(0, 0, rows), (1, u32::from(told), rows)];
        let classes = classes.measured(vec![Histogram::new(2, &target).unwrap()]).unwrap().with_targets(1);
        Worths::of(&classes, &[hierarchy(), hierarchy()])
    }

    #[test]
    fn a_loss_of_nothing_is_told() {
        let names = ["age", "sex"].map(String::from);
        let swapped = ["sex", "age"].map(String::from);
        for loss in ["column-mi", "value-mi"] {
            let policy = policy(&format!("loss = \"{loss}\""));
            assert_eq!(uninformative(&policy, &names, &worths(6, true)), None);
            // No information; too few rows; the informative column has no weight.
            for (names, worths) in
                [(&names, worths(6, false)), (&names, worths(5, true)), (&swapped, worths(6, true))]
            {
                assert!(uninformative(&policy, names, &worths).unwrap().contains(loss));
            }
        }
        assert_eq!(uninformative(&policy("loss = \"lm\""), &names, &worths(6, false)), None);
        // Values of three rows each tell nothing of themselves, and what is above them does:
        // something is lost with the values all the same.
        let path = |leaf: &str, above: &str| Path { leaf: leaf.into(), labels: vec![above.into()] };
        let paths = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")].map(|(leaf, above)| path(leaf, above));
        let hierarchy = Hierarchy::new(paths.to_vec(), false).unwrap();
        let classes = Classes::new(1, Codes::Wide(vec![0, 1, 2, 3]), vec![3; 4]).unwrap();
        let target = [(0, 0, 3), (1, 0, 3), (2, 1, 3), (3, 1, 3)];
        let classes = classes.measured(vec![Histogram::new(4, &target).unwrap()]).unwrap().with_targets(1);
        let (age, worths) = (["age".to_owned()], Worths::of(&classes, &[hierarchy]));
        assert!(uninformative(&policy("loss = \"column-mi\""), &age, &worths).is_some());
        assert_eq!(uninformative(&policy("loss = \"value-mi\""), &age, &worths), None);
    }
}
