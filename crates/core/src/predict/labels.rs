//! The texts of a target as what a model predicts: numbers, or two classes.
//!
//! Costs one sort of the distinct texts.

use super::sheet::Target;
use crate::cell::number;
use crate::error::{Fault, Result};
use crate::fault;
use crate::policy::Predicts;

/// The distinct texts of a target as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Text → its number; of two classes 0 and 1.
    pub numbers: Vec<f64>,
    /// Whether they are numbers or classes.
    pub target: Target,
}

impl Labels {
    /// Reads the texts of a target, a missing one as empty and a class of its own: as `asked`, or
    /// as numbers if all of them are numbers and as classes otherwise. Classes that are numbers are
    /// in the order of the numbers, others in that of their texts.
    ///
    /// # Errors
    /// Cells that are not numbers where numbers are asked for, and more than two classes.
    pub fn new(texts: &[&str], asked: Option<Predicts>) -> Result<Self> {
        let numbers: Option<Vec<f64>> = texts.iter().map(|text| number(text)).collect();
        let missing = if texts.contains(&"") { "; some cells are missing" } else { "" };
        match (asked, numbers) {
            (None | Some(Predicts::Number), Some(numbers)) => Ok(Labels { numbers, target: Target::Number }),
            (Some(Predicts::Number), None) => Err(not_numbers().into()),
            (Some(Predicts::Class), Some(numbers)) => {
                let mut classes = numbers.clone();
                classes.sort_by(f64::total_cmp);
                classes.dedup();
                classes_of(classes.len(), || numbers.iter().map(|x| *x == classes[0]))
                    .ok_or_else(|| too_many(classes.len(), missing).into())
            }
            (asked, None) => {
                let mut classes = texts.to_vec();
                classes.sort_unstable();
                classes.dedup();
                classes_of(classes.len(), || texts.iter().map(|text| *text == classes[0])).ok_or_else(|| {
                    match asked {
                        Some(_) => too_many(classes.len(), missing),
                        None => unfit(missing),
                    }
                    .into()
                })
            }
        }
    }

    /// What is predicted, as a policy says it.
    pub fn predicts(&self) -> Predicts {
        match self.target {
            Target::Number => Predicts::Number,
            Target::Class(_) => Predicts::Class,
        }
    }
}

/// At most two classes: whether each text is of the first.
fn classes_of<I: Iterator<Item = bool>>(classes: usize, first: impl FnOnce() -> I) -> Option<Labels> {
    (classes <= 2).then(|| {
        let numbers =
            if classes == 0 { Vec::new() } else { first().map(|f| f64::from(u8::from(!f))).collect() };
        Labels { numbers, target: Target::Class(2) }
    })
}

fn not_numbers() -> Fault {
    fault!(Data, "predict.target-not-numbers", "it has a cell that is not a number")
        .help("predict a column of numbers without missing cells, or set predicts = \"class\"")
}

fn too_many(classes: usize, missing: &'static str) -> Fault {
    fault!(
        Data,
        "predict.too-many-classes",
        "the target has {classes} classes, and a model predicts one of two{missing}",
        classes = classes,
        missing = missing
    )
    .help("choose a target of numbers, or of two classes")
}

fn unfit(missing: &'static str) -> Fault {
    fault!(
        Data,
        "predict.unfit-target",
        "it holds neither numbers alone nor two classes{missing}",
        missing = missing
    )
    .help("choose another target, or make one that is 0 or 1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(texts: &[&str], asked: Option<Predicts>) -> Result<(Vec<f64>, Target), &'static str> {
        Labels::new(texts, asked).map(|l| (l.numbers, l.target)).map_err(|e| e.faults()[0].code)
    }

    #[test]
    fn numbers_are_classes_only_where_the_policy_says_so() {
        let (number, class) = (Some(Predicts::Number), Some(Predicts::Class));
        for asked in [None, number] {
            assert_eq!(labels(&["1", "0", "12.5"], asked), Ok((vec![1.0, 0.0, 12.5], Target::Number)));
        }
        assert_eq!(labels(&["1", "0"], class), Ok((vec![1.0, 0.0], Target::Class(2))));
        // By number, not by text; 9 and 9.0 are one class.
        assert_eq!(labels(&["10", "9", "9.0"], class), Ok((vec![1.0, 0.0, 0.0], Target::Class(2))));
        assert_eq!(labels(&["1", "2", "3"], class), Err("predict.too-many-classes"));
        assert_eq!(labels(&["yes", "no"], None), Ok((vec![1.0, 0.0], Target::Class(2))));
        assert_eq!(labels(&["yes", "no"], class), Ok((vec![1.0, 0.0], Target::Class(2))));
        assert_eq!(labels(&["yes", "no"], number), Err("predict.target-not-numbers"));
        assert_eq!(labels(&["a", "b", "c"], None), Err("predict.unfit-target"));
        assert_eq!(labels(&["a", "b", "c"], class), Err("predict.too-many-classes"));
        assert_eq!(labels(&[], class), Ok((Vec::new(), Target::Class(2))));
        let missing = Labels::new(&["0", "1", ""], class).unwrap_err();
        assert!(
            missing.faults()[0]
                .message
                .ends_with("3 classes, and a model predicts one of two; some cells are missing")
        );
    }
}
