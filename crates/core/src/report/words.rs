//! What a report says in words of the search: what guided it, and where the loss that it was to keep small has nothing to go by.

use crate::policy::{Policy, Search};
use crate::worth::Worths;

/// How rows were generalized: the algorithm, and the model that guided it, with what it predicts and from what.
pub(super) fn searched(search: &Search) -> String {
    let Some(guide) = &search.model else { return search.algorithm.clone() };
    let model = match &guide.builtin {
        Some(name) => format!("a {name} model"),
        None => format!("the command {}", guide.command.join(" ")),
    };
    let features = match &guide.features {
        Some(features) => features.join(", "),
        None => "all quasi-identifiers".into(),
    };
    format!("{}, guided by {model} that predicts {} from {features}", search.algorithm, guide.target)
}

/// Said where a loss by what columns or values tell of the target is 0 for every release: then the search had nothing to keep small.
pub(super) fn untold(policy: &Policy, names: &[String], worths: &[Worths]) -> Option<String> {
    let loss = policy.search.loss.parameters().name;
    let bits = match loss.as_str() {
        "column-mi" => Worths::mutual,
        "value-mi" => Worths::most,
        _ => return None,
    };
    let weight = |name: &String| policy.columns.get(name).and_then(|column| column.weight).unwrap_or(1.0);
    let tells = names.iter().zip(worths).any(|(name, worths)| weight(name) * bits(worths) > 0.0);
    (!tells).then(|| {
        format!(
            "No quasi-identifier tells anything of the target, so that the loss {loss} is 0 whatever is released, and the search had nothing to \
             keep small. Values with fewer than 6 rows are not counted: where most are such, use a larger table or another loss."
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
    }

    /// Two columns over two leaves each, of so many rows; the target is the first column's value, or always the same.
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
            assert_eq!(untold(&policy, &names, &worths(6, true)), None);
            // Nothing is told; too few rows tell; what tells has no weight.
            for (names, worths) in
                [(&names, worths(6, false)), (&names, worths(5, true)), (&swapped, worths(6, true))]
            {
                assert!(untold(&policy, names, &worths).unwrap().contains(loss));
            }
        }
        assert_eq!(untold(&policy("loss = \"lm\""), &names, &worths(6, false)), None);
        // Values of three rows each tell nothing of themselves, and what is above them does: something is lost with the values all the same.
        let path = |leaf: &str, above: &str| Path { leaf: leaf.into(), labels: vec![above.into()] };
        let paths = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")].map(|(leaf, above)| path(leaf, above));
        let hierarchy = Hierarchy::new(paths.to_vec(), false).unwrap();
        let classes = Classes::new(1, Codes::Wide(vec![0, 1, 2, 3]), vec![3; 4]).unwrap();
        let target = [(0, 0, 3), (1, 0, 3), (2, 1, 3), (3, 1, 3)];
        let classes = classes.measured(vec![Histogram::new(4, &target).unwrap()]).unwrap().with_targets(1);
        let (age, worths) = (["age".to_owned()], Worths::of(&classes, &[hierarchy]));
        assert!(untold(&policy("loss = \"column-mi\""), &age, &worths).is_some());
        assert_eq!(untold(&policy("loss = \"value-mi\""), &age, &worths), None);
    }
}
