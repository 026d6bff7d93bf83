//! The error of a predictive model on the rows that a run releases [Katirai 2006, "Experiments" to
//! "Experimental Conclusions"].
//!
//! For every sample, a built-in model is fitted to other, original rows of the table; a command is
//! not fitted. Then every released row of the sample is read as features, and the model's
//! prediction is compared with the truth and with its prediction for the original row (the gold
//! standard). A suppressed row is predicted without any known feature. The same model can guide
//! Greedy, as in Katirai's Greedy-DXCG, and so can other models, which are fitted to the sample: a
//! holder has no other rows. Costs one fit per model and sample, and one prediction per distinct
//! row, original or released.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::experiment::Prediction;
use super::table::Sample;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::policy::{Policy, SECONDS};
use crate::predict::{
    Commands, Fitted, Guide, Known, Labels, Line, Model, Place, Predicted, Reader, Scope, Scored, Sheet,
    Started, Target, fit,
};
use crate::recoded::Recoded;
use crate::registry::Predictor;
use crate::search::{Grouped, Problem};
use crate::space::Guiding;
use crate::table::{Code, Dictionary};
use crate::watch::Watch;

/// The models of an experiment, and the truth of a sample.
pub(super) struct Trial {
    source: Source,
    /// The models that guide beside it, fitted to the sample itself.
    others: Vec<(Predictor, Source)>,
    target: String,
    features: Vec<String>,
    /// Which of the measured columns is predicted, and label → the number that it is.
    measured: usize,
    numbers: BTreeMap<String, f64>,
}

/// Where predictions come from.
enum Source {
    /// A model that was fitted, and what it knows of each feature: its values, and whether they
    /// are codes.
    Fitted { model: Arc<dyn Model>, known: Vec<(Dictionary, bool)> },
    /// A command, and how long it may take for one batch.
    Command { command: Vec<String>, seconds: u64 },
}

/// A trial whose models read the cells of a problem.
pub(super) struct Judge {
    guide: Box<dyn Guide>,
    others: Vec<(Predictor, Box<dyn Guide>)>,
    measured: usize,
    /// Code of the target in the problem → the number that it is.
    numbers: Vec<f64>,
}

impl Trial {
    /// The model of an experiment; a built-in one is fitted to rows that a sample does not have.
    /// The models in `guiding` are fitted to the sample.
    ///
    /// # Errors
    /// Columns that the table does not have, a target that is neither numbers nor two classes, too
    /// few other rows, or a task that a model does not support.
    pub(super) fn new(
        asked: &Prediction,
        guiding: &[Predictor],
        sample: &Sample<'_>,
        seed: u64,
    ) -> Result<Self> {
        let own = sample.grouped();
        let measured = own
            .measured
            .iter()
            .position(|name| *name == asked.target)
            .ok_or_else(|| unknown("target", &asked.target, &own.measured))?;
        let features = asked.features.clone().unwrap_or_else(|| own.names.clone());
        let column = |name: &String| {
            let at = own.names.iter().position(|n| n == name);
            at.ok_or_else(|| unknown("features", name, &own.names).into())
        };
        let columns: Vec<usize> = features.iter().map(column).collect::<Result<_>>()?;
        // Classes are those of the whole table: a sample may have one of them alone.
        let all = sample.dictionary(own.names.len() + measured);
        let labels = labels(all, sample, asked)?;
        let text = |(code, &number): (usize, &f64)| Some((all.value(code as Code)?.to_owned(), number));
        let numbers: BTreeMap<String, f64> = labels.numbers.iter().enumerate().filter_map(text).collect();
        let fitted = |name: &str, rows: &Grouped, key: &'static str| {
            let known = |&c: &usize| (occurring(rows, c), sample.codes(&own.names[c]));
            let known: Vec<(Dictionary, bool)> = columns.iter().map(known).collect();
            let sheet = sheet(rows, &columns, (measured, labels.target, &numbers), &known)?;
            let model = fit(name, &sheet, seed).map_err(|e| e.map(|f| f.key(key)))?.into();
            Ok::<Source, Error>(Source::Fitted { model, known })
        };
        let source = match asked.builtin() {
            Some(name) => {
                fitted(name, &sample.others(asked.train.unwrap_or_default(), seed)?, "prediction.model")?
            }
            None => {
                let seconds = asked.seconds.unwrap_or(SECONDS);
                Source::Command { command: asked.command.clone(), seconds }
            }
        };
        let beside = |&model: &Predictor| Ok((model, fitted(model.key(), &own, "grid.algorithms")?));
        let others = guiding.iter().map(beside).collect::<Result<_>>()?;
        Ok(Trial { source, others, target: asked.target.clone(), features, measured, numbers })
    }

    /// The models with what reads the cells of a problem.
    ///
    /// # Errors
    /// A target that lost cells when rare values were deleted.
    pub(super) fn judge(
        &self,
        (policy, problem): (&Policy, &Problem),
        commands: Option<&dyn Commands>,
        watch: &Watch,
    ) -> Result<Judge> {
        let texts = &problem.measured[self.measured].1;
        let number = |code: Code| -> Result<f64> {
            let text = texts.value(code).ok_or_else(|| missing(&self.target))?;
            let number = self.numbers.get(text).copied();
            Ok(number.ok_or_else(|| Fault::bug("a label of a sample is not one of the table"))?)
        };
        let numbers: Result<Vec<f64>> = (0..texts.len() as Code).map(number).collect();
        let guide = |source: &Source| self.guide(source, (policy, problem), commands, watch);
        let beside = |(model, source): &(Predictor, Source)| Ok((*model, guide(source)?));
        Ok(Judge {
            guide: guide(&self.source)?,
            others: self.others.iter().map(beside).collect::<Result<_>>()?,
            measured: self.measured,
            numbers: numbers?,
        })
    }

    fn guide(
        &self,
        source: &Source,
        (policy, problem): (&Policy, &Problem),
        commands: Option<&dyn Commands>,
        watch: &Watch,
    ) -> Result<Box<dyn Guide>> {
        match source {
            Source::Fitted { model, known } => {
                let at = |name: &String| problem.names.iter().position(|n| n == name);
                let columns: Vec<usize> = self.features.iter().filter_map(at).collect();
                let hierarchies: Vec<_> = columns.iter().map(|&c| &problem.hierarchies[c]).collect();
                let reader = reader(known, Some(&hierarchies));
                Ok(Box::new(Fitted::with(Arc::clone(model), self.features.clone(), reader)))
            }
            Source::Command { command, seconds } => {
                let commands = commands.ok_or_else(|| Fault::bug("a command passed the check"))?;
                let reader = problem.reader(policy, &self.features)?;
                commands.start(Started {
                    command,
                    place: Place::Experiment,
                    seconds: *seconds,
                    features: (self.features.clone(), reader),
                    watch,
                })
            }
        }
    }
}

impl Judge {
    /// The errors of the experiment's model on a release of the sample; none where it is not known
    /// who has which target.
    pub(super) fn predicted(&self, problem: &Problem, recoded: &Recoded) -> Result<Option<Predicted>> {
        let scored = Scored::new(&*self.guide, recoded, (&problem.names, &problem.hierarchies))?;
        Ok(scored.errors(recoded, (self.measured, &self.numbers), Scope::All))
    }

    /// A model as a guide: that of a name, or the experiment's.
    pub(super) fn guiding(&self, model: Option<Predictor>) -> Option<Guiding<'_>> {
        let guide = match model {
            Some(model) => &self.others.iter().find(|(other, _)| *other == model)?.1,
            None => &self.guide,
        };
        Some(Guiding { guide: &**guide, target: self.measured, numbers: &self.numbers })
    }
}

/// The rows that a model is fitted to.
fn sheet(
    rows: &Grouped,
    features: &[usize],
    (measured, target, numbers): (usize, Target, &BTreeMap<String, f64>),
    known: &[(Dictionary, bool)],
) -> Result<Sheet> {
    let reader = reader(known, None);
    let labels = rows.names.len() + measured;
    let line = |at: usize| {
        let (codes, count) = rows.tuples.get(at);
        let text = |c: usize| rows.dictionaries[c].value(codes[c]);
        let read = reader.read(&features.iter().map(|&c| text(c)).collect::<Vec<_>>());
        let number = text(labels).and_then(|text| numbers.get(text)).copied();
        let target = number.ok_or_else(|| Fault::bug("a label of a sample is not one of the table"))?;
        let weight = f64::from(count) / read.len() as f64;
        Ok(read.into_iter().map(move |cells| Line { cells, target, weight }).collect::<Vec<_>>())
    };
    let lines: Vec<Vec<Line>> = (0..rows.tuples.len()).map(line).collect::<Result<_>>()?;
    Sheet::new(reader.features(), target, lines.into_iter().flatten())
}

fn unknown(part: &str, name: &str, known: &[String]) -> Fault {
    let near = nearest(name, known.iter().map(String::as_str))
        .map_or(String::new(), |n| format!("did you mean `{n}`? "));
    fault!(
        Input,
        "experiment.no-such-column",
        "a table has no such column to predict with: `{column}`",
        column = name
    )
    .key(format!("prediction.{part}"))
    .help(format!("{near}there are {}", known.join(", ")))
}

/// The values of a column that occur.
fn occurring(rows: &Grouped, column: usize) -> Dictionary {
    let mut values = Dictionary::new();
    for at in 0..rows.tuples.len() {
        let (codes, count) = rows.tuples.get(at);
        values.add(rows.dictionaries[column].value(codes[column]), u64::from(count));
    }
    values
}

fn reader(known: &[(Dictionary, bool)], hierarchies: Option<&[&Hierarchy]>) -> Reader {
    let column = |at: usize| Known {
        values: &known[at].0,
        hierarchy: hierarchies.map(|all| all[at]),
        codes: known[at].1,
    };
    let columns: Vec<Known<'_>> = (0..known.len()).map(column).collect();
    Reader::new(&columns)
}

/// The labels of a target, by code.
fn labels(all: &Dictionary, sample: &Sample<'_>, asked: &Prediction) -> Result<Labels> {
    let text = |code: Code| {
        let known = all.value(code).filter(|text| !sample.missing(text));
        known.ok_or_else(|| Error::from(missing(&asked.target)))
    };
    let texts: Vec<&str> = (0..all.len() as Code).map(text).collect::<Result<_>>()?;
    let named = |fault: Fault| fault.column(&asked.target).key("prediction.target");
    Labels::new(&texts, asked.predicts).map_err(|e| e.map(named))
}

fn missing(target: &str) -> Fault {
    fault!(Data, "experiment.target-missing", "`{column}` has missing cells", column = target)
        .key("prediction.target")
        .help("predict a column without missing cells, and do not delete its rare values")
}
