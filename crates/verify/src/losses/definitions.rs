//! Every loss by its definition, cell by cell; the one place where the verifier defines losses.
//!
//! Plain floating-point sums. Notation: n rows, S of them suppressed; a cell is at level t of h and
//! has some of the D leaves under it; a trade-off multiplies the cost of released rows by g and
//! that of suppressed rows by s. Sources: [El Emam 2009] (DM, DM*, entropy, Prec), [Samarati 1998]
//! (distances, Prec), [Iyengar 2002] (LM, CM), [Gionis 2007] (conditional entropy), [Katirai 2006]
//! (Vinterbo's measure, mutual information of columns and values).

use super::{Checked, Facts, NO_DEFINITION};
use throng_terms::policy::{Aggregate, LossParameters, check_loss};
use throng_terms::registry::LossKind;

/// A loss with its parameters, those that a policy does not give at their defaults.
struct Asked {
    aggregate: Aggregate,
    /// Whether suppressed rows count.
    counted: bool,
    g: f64,
    s: f64,
}

impl Asked {
    /// None where the loss is not defined with these parameters.
    fn new(parameters: &LossParameters) -> Checked<Self> {
        if !check_loss(parameters).is_empty() {
            return Err(NO_DEFINITION);
        }
        let (g, s) = match parameters.tradeoff {
            Some(tau) if tau < 0.5 => (1.0, 2.0 * tau),
            Some(tau) => (2.0 - 2.0 * tau, 1.0),
            None => (1.0, 1.0),
        };
        Ok(Asked {
            aggregate: parameters.kind.aggregate(parameters.aggregate),
            counted: parameters.kind.counts_suppressed(parameters.count_suppressed),
            g,
            s,
        })
    }
}

enum Definition {
    /// The loss of a column; the columns are aggregated.
    Columns(fn(&dyn Facts, usize, &Asked) -> Checked<f64>),
    /// The loss of the whole release.
    Whole(fn(&dyn Facts, &Asked) -> Checked<f64>),
    /// The cost of a column at the first step; their weighted sum is the loss.
    FirstStep(fn(&dyn Facts, usize) -> Checked<f64>),
}

use Definition::{Columns, FirstStep, Whole};

fn definition(kind: LossKind) -> Definition {
    match kind {
        LossKind::Height | LossKind::Absolute => FirstStep(|facts, column| facts.first_level(column)),
        LossKind::Relative => {
            FirstStep(|facts, column| Ok(facts.first_level(column)? / facts.height(column)?))
        }
        LossKind::Prec | LossKind::Vinterbo => Columns(precision),
        LossKind::ColumnMi => {
            Columns(|facts, column, asked| Ok(facts.mutual(column)? * precision(facts, column, asked)?))
        }
        LossKind::ValueMi => Columns(value_information),
        LossKind::Dm => Whole(discernibility),
        LossKind::DmStar => Whole(|facts, _| facts.squares_of_looks()),
        LossKind::Entropy => Columns(entropy),
        LossKind::ConditionalEntropy => Columns(conditional_entropy),
        LossKind::Lm => Columns(leaf_share),
        LossKind::Ambiguity => Whole(ambiguity),
        LossKind::Aecs => Whole(average_class),
        LossKind::Cm => Whole(classification),
        LossKind::ILoss => Columns(information_loss),
        // From the cells as numbers: `utility.rs`.
        LossKind::Width => Whole(|_, _| Err(NO_DEFINITION)),
    }
}

/// A loss of the whole release.
pub(super) fn loss(facts: &dyn Facts, parameters: &LossParameters, weights: &[f64]) -> Checked<f64> {
    let asked = Asked::new(parameters)?;
    match definition(parameters.kind) {
        Columns(_) => Ok(aggregate(asked.aggregate, &parts(facts, parameters)?, weights)),
        Whole(whole) => whole(facts, &asked),
        FirstStep(part) => {
            let parts: Vec<f64> = (0..facts.columns()).map(|c| part(facts, c)).collect::<Checked<_>>()?;
            Ok(aggregate(Aggregate::Sum, &parts, weights))
        }
    }
}

/// Column by column, for losses that are put together from columns.
pub(super) fn parts(facts: &dyn Facts, parameters: &LossParameters) -> Checked<Vec<f64>> {
    let asked = Asked::new(parameters)?;
    match definition(parameters.kind) {
        Columns(part) => (0..facts.columns()).map(|column| part(facts, column, &asked)).collect(),
        Whole(_) | FirstStep(_) => Err(NO_DEFINITION),
    }
}

/// Over all rows; nothing is lost of no rows.
fn mean(facts: &dyn Facts, sum: f64) -> f64 {
    if facts.rows() == 0.0 { 0.0 } else { sum / facts.rows() }
}

/// Prec: the mean over rows of t / h; where suppressed rows count, theirs is 1.
fn precision(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let height = facts.height(column)?;
    let mut sum = 0.0;
    for at in facts.level_shares(column)? {
        let cell = asked.g * at.level / height;
        sum += at.released * cell + at.suppressed * if asked.counted { asked.s } else { cell };
    }
    Ok(sum)
}

/// The mean over rows of the information about the targets that is lost by generalizing the text;
/// counted: a suppressed row carries no information.
fn value_information(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let mut sum = 0.0;
    // A set of values may carry more information than one of them; this is not a gain.
    facts.each_pair(column, &mut |pair| {
        sum += pair.rows * (facts.worth(column, pair.text)? - pair.cell.worth).max(0.0);
        Ok(())
    })?;
    if asked.counted {
        facts.each_cell(column, &mut |cell| sum += cell.suppressed * cell.worth)?;
    }
    Ok(mean(facts, sum))
}

/// Non-uniform entropy: Σ over rows −log2(rows of the text / rows under the cell), counted in the
/// whole table; counted: and the entropy of the suppressed rows' cells.
fn entropy(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let texts = facts.texts(column)?;
    let mut sum = 0.0;
    facts.each_pair(column, &mut |pair| {
        sum -= asked.g * pair.rows * (texts.count(pair.text) as f64 / pair.cell.under).log2();
        Ok(())
    })?;
    if asked.counted {
        facts.each_cell(column, &mut |cell| {
            let n = cell.suppressed;
            sum -= if n > 0.0 { asked.s * n * (n / facts.suppressed()).log2() } else { 0.0 };
        })?;
    }
    Ok(sum)
}

/// Conditional entropy: Σ over released rows of the entropy of the texts under their cell, counted
/// in the whole table, and the entropy of all texts for each suppressed row.
fn conditional_entropy(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let mut released = 0.0;
    facts.each_cell(column, &mut |cell| released += cell.released * cell.bits)?;
    let texts = facts.texts(column)?;
    let shares = (0..texts.len() as u32).map(|text| mean(facts, texts.count(text) as f64));
    let all: f64 = shares.filter(|&p| p > 0.0).map(|p| -p * p.log2()).sum();
    Ok(asked.g * released + asked.s * facts.suppressed() * all)
}

/// LM: the mean over rows of (leaves under the cell − 1) / (D − 1); where suppressed rows count,
/// each counts 1.
fn leaf_share(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let most = facts.leaves(column)? - 1.0;
    let mut sum = 0.0;
    facts.each_cell(column, &mut |cell| {
        let beyond = asked.g * (cell.leaves - 1.0);
        sum += cell.released * beyond + cell.suppressed * if asked.counted { asked.s * most } else { beyond };
    })?;
    // A column of one leaf has nothing to lose.
    Ok(if most > 0.0 { mean(facts, sum) / most } else { 0.0 })
}

/// ILoss [Xiao 2006]: Σ over cells of (leaves under the cell − 1) / D; a suppressed cell is the
/// root.
fn information_loss(facts: &dyn Facts, column: usize, asked: &Asked) -> Checked<f64> {
    let all = facts.leaves(column)?;
    let mut sum = asked.s * facts.suppressed() * (all - 1.0);
    facts.each_cell(column, &mut |cell| sum += asked.g * cell.released * (cell.leaves - 1.0))?;
    Ok(sum / all)
}

/// DM: Σ over released classes |E|² + n·S.
fn discernibility(facts: &dyn Facts, asked: &Asked) -> Checked<f64> {
    let squares: f64 = facts.classes().iter().map(|&count| (count as f64).powi(2)).sum();
    Ok(asked.g * squares + asked.s * facts.rows() * facts.suppressed())
}

/// The mean over rows of the product of the leaves under the cells; a suppressed row may be
/// anything.
fn ambiguity(facts: &dyn Facts, asked: &Asked) -> Checked<f64> {
    let released = asked.g * facts.combinations()?;
    let everything: f64 = (0..facts.columns()).map(|column| facts.leaves(column)).product::<Checked<_>>()?;
    Ok(mean(facts, released + asked.s * facts.suppressed() * everything))
}

/// Rows per released class; suppressed rows are one class.
fn average_class(facts: &dyn Facts, _: &Asked) -> Checked<f64> {
    let classes = facts.classes().iter().filter(|&&count| count > 0).count();
    Ok(facts.rows() / (classes + usize::from(facts.suppressed() > 0.0)).max(1) as f64)
}

/// CM: the share of rows that are suppressed or do not have the majority label of their class; the
/// mean over targets.
fn classification(facts: &dyn Facts, asked: &Asked) -> Checked<f64> {
    let minorities = facts.minorities()?;
    let minority = minorities.iter().sum::<u64>() as f64 / minorities.len() as f64;
    Ok(mean(facts, asked.g * minority + asked.s * facts.suppressed()))
}

/// Puts the columns' parts together, each multiplied by its weight.
fn aggregate(how: Aggregate, parts: &[f64], weights: &[f64]) -> f64 {
    let weighted = || parts.iter().zip(weights).map(|(part, weight)| part * weight);
    let m = parts.len().max(1) as f64;
    match how {
        Aggregate::Mean => weighted().sum::<f64>() / m,
        Aggregate::Sum => weighted().sum(),
        Aggregate::Max => weighted().fold(0.0, f64::max),
        Aggregate::Geometric => weighted().map(|part| (part + 1.0).powf(1.0 / m)).product::<f64>() - 1.0,
    }
}
