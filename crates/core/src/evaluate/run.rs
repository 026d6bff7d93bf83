//! The evaluation itself: divide, decide, learn, test.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::correlation::correlations;
use super::metrics::{Scored, Scores};
use super::rows::Lines;
use super::scope::{self, Needed, Scope};
use super::select::{Material, select};
use super::similarity::{Similarity, similarity};
use super::split::{Held, Split, Whole, label_of, mixed};
use super::target::{Labels, groups};
use super::tested::{ByGroup, by_group, score, tested};
use super::{DIRECT, Evaluation, GroupScores, MIDDLE, ModelScores, ORIGINAL, SettingResult};
use crate::decide::{Decision, choose};
use crate::error::{Error, Fault, Kind, Result};
use crate::fault;
use crate::policy::{Policy, Suppressed};
use crate::predict::Target;
use crate::predict::spread::{Family, Reading, Sample, Space, fit};
use crate::search::{Grouped, Load, Problem};
use crate::suggest::{Settings, Status};
use crate::table::Code;
use crate::watch::{Event, Watch};

/// What is evaluated, and on what.
pub struct Asked<'a> {
    /// The columns, as [`needed`](super::needed) found them, and the policy that decides.
    pub needed: &'a Needed,
    /// The table, grouped by these columns.
    pub grouped: &'a Grouped,
    /// Reads the policy's hierarchy files.
    pub load: Load<'a>,
    /// Settings and models.
    pub scope: &'a Scope,
    /// Watches the automatic selection of models; its limit ends it early.
    pub selecting: Watch,
}

/// A setting in one division of the table.
struct Tried {
    outcome: std::result::Result<Released, (Status, String)>,
}

struct Released {
    released: f64,
    suppressed: f64,
    losses: BTreeMap<String, f64>,
    similarity: Similarity,
    /// Reading and family → scores.
    models: Vec<ByGroup>,
}

/// Evaluates what models learn. A watch that asks to finish ends it with the settings so far.
///
/// # Errors
/// A target or groups that cannot be used, too few rows; [`Kind::Cancelled`] when asked to stop at
/// once.
pub fn evaluate(asked: &Asked<'_>, watch: &Watch) -> Result<Evaluation> {
    let Asked { needed, grouped, scope, .. } = asked;
    let policy = &needed.policy;
    let place = |name: &String| -> Result<usize> {
        let all = grouped.names.iter().chain(&grouped.measured);
        let found = all.clone().position(|other| other == name);
        found.ok_or_else(|| Fault::bug("a column was not read").into())
    };
    let target = place(&needed.target)?;
    let values = &grouped.dictionaries[target];
    let labels = Labels::new(&needed.target, values, &policy.input.null)?;
    let by = scope.by.as_ref().map(|by| {
        let at = place(by)?;
        groups(by, &grouped.dictionaries[at], &policy.input.null).map(|(of, names)| (at, of, names))
    });
    let by = by.transpose()?;
    let subject = policy.subject().map(|name| place(&name.to_owned())).transpose()?;
    let whole = Whole {
        grouped,
        needed: needed.needed,
        target,
        labels: &labels,
        by: by.as_ref().map(|(at, of, _)| (*at, of.clone())),
        subject,
        null: &policy.input.null,
    };
    let by_rank: Vec<Option<f64>> = values.by_value().iter().map(|&code| labels.of[code as usize]).collect();
    let mut run = Run {
        asked,
        labels: &labels,
        by_rank,
        groups: by.map_or(Vec::new(), |(_, _, names)| names),
        models: scope::models(scope, labels.target)?,
        settings: scope::settings(policy, scope)?,
        done: 0,
        finished: true,
    };
    let mut divisions = Vec::new();
    for repeat in 0..scope.repeats {
        if repeat > 0 && !run.finished {
            break;
        }
        let split = whole.split(scope.holdout, mixed(scope.seed) ^ mixed(u64::from(repeat)))?;
        divisions.push(run.division(split, repeat == 0 && scope.seconds.is_some(), watch)?);
    }
    watch.acknowledge().check()?;
    run.evaluation(divisions, subject.is_some())
}

/// What came of one division of the table.
struct Division {
    training: f64,
    held: f64,
    baseline: Scores,
    original: Vec<ByGroup>,
    settings: Vec<Tried>,
    /// What an automatic selection needs: the original, then every setting that was solved.
    material: Option<Material>,
}

struct Run<'a> {
    asked: &'a Asked<'a>,
    labels: &'a Labels,
    /// Value of the target, in order → number or class.
    by_rank: Vec<Option<f64>>,
    groups: Vec<String>,
    models: Vec<Family>,
    /// What each is called, and what it is.
    settings: Vec<(String, Settings)>,
    done: usize,
    finished: bool,
}

/// The training part, posed.
struct Training {
    problem: Problem,
    /// The target among the measured columns, and the rank of every code.
    target: usize,
    ranks: Vec<Option<u32>>,
    reader: crate::predict::Reader,
    original: Lines,
    space: Space,
}

impl Run<'_> {
    fn training(&self, train: Grouped, watch: &Watch) -> Result<Training> {
        let Asked { needed, load, .. } = self.asked;
        let target = train.measured.len() - 1;
        let policy = without_model(needed.policy.clone())?;
        let (problem, _) = Problem::watched(&policy, train, *load, &watch.clone().quiet())?;
        let texts = &problem.measured[target].1;
        let ranks: Vec<Option<u32>> = (0..texts.len() as Code).map(|c| label_of(texts.value(c))).collect();
        let reader = problem.reader(&policy, &problem.names)?;
        let original = Lines::original(&problem, target, &ranks);
        let (space, _) = Space::new(&reader, &original.weights(), Reading::Direct);
        Ok(Training { problem, target, ranks, reader, original, space })
    }

    fn division(&mut self, split: Split, keep: bool, watch: &Watch) -> Result<Division> {
        let Split { train, held } = split;
        let training = self.training(train, watch)?;
        let (sample, space) = self.sample(&training, &training.original, Reading::Direct)?;
        varies(&sample)?;
        let original = self.learned(&[(sample.clone(), space.clone())], &held, watch)?;
        let baseline = self.baseline(&sample, &held);
        let mut material = keep.then(|| Material::new(held.clone(), sample, space));
        let mut settings = Vec::new();
        for at in 0..self.settings.len() {
            if watch.should_finish() {
                self.finished = false;
                break;
            }
            let done = self.done as u64;
            let of = self.settings.len() as u64 * u64::from(self.asked.scope.repeats);
            let (name, asked) = &self.settings[at];
            let k = asked.k.unwrap_or(0);
            watch.report(Event::Run { done, of, table: &self.asked.needed.target, algorithm: name, k });
            let Some(tried) = self.tried(asked, &training, &held, material.as_mut(), watch)? else {
                self.finished = false;
                break;
            };
            settings.push(tried);
            self.done += 1;
        }
        let (learned, held) = (training.original.count(), held.count());
        Ok(Division { training: learned, held, baseline, original, settings, material })
    }

    /// One setting; none where the time was over.
    fn tried(
        &self,
        settings: &Settings,
        training: &Training,
        held: &Held,
        material: Option<&mut Material>,
        watch: &Watch,
    ) -> Result<Option<Tried>> {
        let quiet = watch.clone().quiet();
        let decided = self.decided(settings, training, &quiet);
        if watch.should_finish() {
            return Ok(None);
        }
        let (policy, problem, decision) = match decided {
            Ok(decided) => decided,
            Err(error) if error.is_cancelled() => return Err(error),
            Err(error) => return Ok(Some(Tried { outcome: Err(refused(&error)) })),
        };
        let starred = policy.output.suppressed == Suppressed::Starred;
        let lines =
            Lines::released((&problem, &decision.recoded), training.target, &training.ranks, starred)?;
        if lines.rows.iter().all(|row| row.1.is_none()) {
            let reason = "no row with a target is released".to_owned();
            return Ok(Some(Tried { outcome: Err((Status::NoSolution, reason)) }));
        }
        let figures = decision.figures(&policy, &problem, watch)?;
        let direct = self.sample(training, &lines, Reading::Direct)?;
        let middle = self.sample(training, &lines, Reading::Middle)?;
        let models = self.learned(&[direct.clone(), middle], held, &quiet)?;
        if let Some(material) = material {
            material.add(direct);
        }
        let suppressed = decision.recoded.suppressed_rows() as f64
            + problem.deletion.as_ref().map_or(0.0, |deletion| deletion.facts().rows as f64);
        Ok(Some(Tried {
            outcome: Ok(Released {
                released: lines.count(),
                suppressed,
                losses: figures.loss.clone(),
                similarity: similarity(&problem.names, &training.space, &training.original, &lines)?,
                models,
            }),
        }))
    }

    fn decided(
        &self,
        settings: &Settings,
        training: &Training,
        watch: &Watch,
    ) -> Result<(Policy, Problem, Decision)> {
        let policy = without_model(settings.policy(&self.asked.needed.policy)?)?;
        let problem = training.problem.again(&policy, self.asked.load, watch)?;
        let chosen = choose(&policy, &problem, None, watch)?;
        let decision = Decision::new(&policy, &problem, chosen, &watch.acknowledge())?;
        Ok((policy, problem, decision))
    }

    /// Rows with a target as a sample, and the space of its cells.
    fn sample(&self, training: &Training, lines: &Lines, reading: Reading) -> Result<(Sample, Space)> {
        let (space, columns) = Space::new(&training.reader, &lines.weights(), reading);
        let row = |(cells, rank, rows): &(Vec<u32>, Option<u32>, f64)| {
            Some((cells.clone(), self.by_rank[(*rank)? as usize]?, *rows))
        };
        let rows = lines.rows.iter().filter_map(row).collect();
        Ok((Sample::new(columns, self.labels.target, rows)?, space))
    }

    /// What all models learn from some samples, tested on held-out rows: sample by sample, model by
    /// model.
    fn learned(&self, samples: &[(Sample, Space)], held: &Held, watch: &Watch) -> Result<Vec<ByGroup>> {
        let tasks: Vec<(&(Sample, Space), Family)> =
            samples.iter().flat_map(|sample| self.models.iter().map(move |model| (sample, *model))).collect();
        let (seed, target, groups) = (self.asked.scope.seed, self.labels.target, self.groups.len());
        let task = |((sample, space), family): &(&(Sample, Space), Family)| {
            watch.acknowledge().check()?;
            let model = fit(&family.recipe(), sample, seed)?;
            Ok(by_group(target, groups, &tested(&*model, space, held)))
        };
        tasks.par_iter().map(task).collect()
    }

    /// What the training part says without any feature.
    fn baseline(&self, sample: &Sample, held: &Held) -> Scores {
        let all = sample.weight();
        let mut said = match self.labels.target {
            Target::Number => vec![0.0],
            Target::Class(of) => vec![0.0; of as usize],
        };
        for row in 0..sample.len() {
            let (y, share) = (sample.target_of(row), sample.weight_of(row) / all);
            match self.labels.target {
                Target::Number => said[0] += y * share,
                Target::Class(_) => said[y as usize] += share,
            }
        }
        let scored = |row: &super::split::HeldRow| Scored {
            predicted: said.clone(),
            target: row.target,
            group: row.group,
            rows: row.rows,
        };
        let scored: Vec<Scored> = held.rows.iter().map(scored).collect();
        score(self.labels.target, &scored.iter().collect::<Vec<_>>())
    }

    fn evaluation(self, mut divisions: Vec<Division>, people: bool) -> Result<Evaluation> {
        let Asked { needed, scope, selecting, .. } = self.asked;
        let original: Vec<&Vec<ByGroup>> = divisions.iter().map(|d| &d.original).collect();
        let original = self.model_scores(&original, &[ORIGINAL], &[]);
        let settings = (0..self.settings.len()).filter_map(|at| self.setting(at, &divisions, &original));
        let mut settings: Vec<SettingResult> = settings.collect();
        let mean = |of: &dyn Fn(&Division) -> f64| {
            divisions.iter().map(of).sum::<f64>() / divisions.len().max(1) as f64
        };
        let (training, held_out) = (mean(&|d| d.training), mean(&|d| d.held));
        let baseline = Scores::mean(&divisions.iter().map(|d| d.baseline).collect::<Vec<_>>());
        let mut finished = self.finished;
        let (mut selected, mut selection) = (None, None);
        if let (Some(seconds), Some(material)) =
            (scope.seconds, divisions.first_mut().and_then(|d| d.material.take()))
        {
            let (found, account) = select(&material, self.labels.target, (seconds, scope.seed), selecting)?;
            finished &= account.tried == account.planned;
            selection = Some(account);
            let mut found = found.into_iter();
            selected = found.next().flatten();
            let solved = settings.iter_mut().filter(|s| s.status == Status::Solved);
            solved.zip(found).for_each(|(setting, found)| setting.selected = found);
        }
        Ok(Evaluation {
            target: needed.target.clone(),
            classes: self.labels.classes.clone(),
            features: needed.quasi.clone(),
            by: scope.by.clone(),
            training,
            held_out,
            people,
            repeats: divisions.len() as u32,
            baseline,
            original,
            selected,
            correlations: correlations(&settings),
            planned: self.settings.len(),
            finished,
            settings,
            selection,
        })
    }

    /// The mean of a setting over all divisions; none where it was not tried in each.
    fn setting(&self, at: usize, divisions: &[Division], original: &[ModelScores]) -> Option<SettingResult> {
        let (name, settings) = &self.settings[at];
        let tried: Vec<&Tried> = divisions.iter().filter_map(|d| d.settings.get(at)).collect();
        let first = tried.first()?;
        let failed = tried.iter().find_map(|tried| tried.outcome.as_ref().err());
        let solved: Vec<&Released> = tried.iter().filter_map(|t| t.outcome.as_ref().ok()).collect();
        let mut result = SettingResult {
            id: at + 1,
            method: name.clone(),
            searched: settings.loss.clone(),
            k: settings.k,
            status: failed.map_or(Status::Solved, |(status, _)| *status),
            reason: failed.map(|(_, reason)| reason.clone()),
            released: 0.0,
            suppressed: 0.0,
            losses: BTreeMap::new(),
            similarity: None,
            models: Vec::new(),
            selected: None,
        };
        let (None, Ok(first)) = (failed, &first.outcome) else { return Some(result) };
        let mean =
            |of: &dyn Fn(&Released) -> f64| solved.iter().map(|s| of(s)).sum::<f64>() / solved.len() as f64;
        result.released = mean(&|s| s.released);
        result.suppressed = mean(&|s| s.suppressed);
        for name in first.losses.keys().filter(|name| solved.iter().all(|s| s.losses.contains_key(*name))) {
            result.losses.insert(name.clone(), mean(&|s| s.losses[name]));
        }
        let columns = first.similarity.columns.iter().enumerate();
        result.similarity = Some(Similarity {
            pmse: mean(&|s| s.similarity.pmse),
            pmse_expected: mean(&|s| s.similarity.pmse_expected),
            pmse_ratio: mean(&|s| s.similarity.pmse_ratio),
            columns: columns
                .map(|(c, (name, _))| (name.clone(), mean(&|s| s.similarity.columns[c].1)))
                .collect(),
            marginals: mean(&|s| s.similarity.marginals),
            pairs: mean(&|s| s.similarity.pairs),
        });
        let models: Vec<&Vec<ByGroup>> = solved.iter().map(|s| &s.models).collect();
        result.models = self.model_scores(&models, &[DIRECT, MIDDLE], original);
        Some(result)
    }

    /// The scores of all readings and models over the divisions.
    fn model_scores(
        &self,
        divisions: &[&Vec<ByGroup>],
        readings: &[&'static str],
        original: &[ModelScores],
    ) -> Vec<ModelScores> {
        let mut all = Vec::new();
        for (r, reading) in readings.iter().enumerate() {
            for (m, model) in self.models.iter().enumerate() {
                let of = |d: &&Vec<ByGroup>| d[r * self.models.len() + m].clone();
                let found: Vec<ByGroup> = divisions.iter().map(of).collect();
                let scores: Vec<Scores> = found.iter().map(|(scores, _)| *scores).collect();
                let before = original.iter().find(|before| before.model == *model);
                let group = |(g, name): (usize, &String)| {
                    let scores = Scores::mean(&found.iter().map(|(_, groups)| groups[g]).collect::<Vec<_>>());
                    let change = before.map(|before| scores.minus(&before.groups[g].scores));
                    GroupScores { group: name.clone(), scores, change }
                };
                all.push(ModelScores {
                    model: *model,
                    reading,
                    scores: Scores::mean(&scores),
                    deviation: (scores.len() > 1).then(|| Scores::deviation(&scores)),
                    groups: self.groups.iter().enumerate().map(group).collect(),
                });
            }
        }
        all
    }
}

/// A model that only measures is not needed; one that is a command is not run here.
fn without_model(mut policy: Policy) -> Result<Policy> {
    if let Some(model) = &policy.search.model
        && (!model.guides || model.builtin.is_none())
    {
        if model.guides {
            return Err(fault!(
                Input,
                "evaluate.model-command",
                "a command guides the search, and is not run here"
            )
            .key("search.model.command")
            .help("evaluate with another method: --method mondrian")
            .into());
        }
        policy.search.model = None;
    }
    Ok(policy)
}

fn refused(error: &Error) -> (Status, String) {
    let unsolvable = error.is_all(Kind::Unsolvable) || error.is_all(Kind::Data);
    let reason = error.faults().first().map(|fault| fault.message.clone()).unwrap_or_default();
    (if unsolvable { Status::NoSolution } else { Status::Refused }, reason)
}

/// Refuses a training part in which the target does not vary.
fn varies(sample: &Sample) -> Result<()> {
    let mut targets = (0..sample.len()).map(|row| sample.target_of(row));
    let first = targets.next();
    if first.is_some_and(|first| targets.any(|other| other != first)) {
        return Ok(());
    }
    Err(fault!(Data, "evaluate.one-class-left", "all rows to learn from have the same target")
        .help("use a larger table, or another --seed")
        .into())
}
