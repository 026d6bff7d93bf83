//! Losses: which there are, which parameters they take, and what they need.
//!
//! The definitions are in the user guide ("How the numbers are defined") and in `loss/`.

use super::Family;
use super::kinds;
use crate::policy::Aggregate;

/// What the registry knows of a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossEntry {
    /// How a policy writes it.
    pub key: &'static str,
    /// What it means, in one line for a data manager.
    pub help: &'static str,
    /// Author and year.
    pub reference: &'static str,
    /// Whether it looks at the values of target columns, and is not defined without one.
    pub needs_target: bool,
    /// Whether it counts the labels of the rows of a class, which must then be known row by row.
    pub counts_labels: bool,
    /// Which information about the targets it weighs cells by.
    pub information: Option<TargetInformation>,
    /// Whether it adds up the levels of a node, so that it is not defined for regions of rows.
    pub sums_levels: bool,
    /// What methods that form regions keep small in its place.
    pub region_measure: RegionMeasure,
    /// How the losses of columns are put together by default; none where it is not put together
    /// from columns.
    pub aggregate: Option<Aggregate>,
    /// Whether a policy may choose another aggregate.
    pub aggregates: bool,
    /// Whether suppressed rows count.
    pub suppressed: SuppressedRows,
    /// Whether it takes a trade-off between generalization and suppression, where suppressed rows
    /// count.
    pub tradeoff: bool,
    /// The loss that is the same but for suppressed rows, which it does not count.
    pub without_suppressed: Option<LossKind>,
    /// Whether it is of statistics that the policy lists, so that it is not defined for a table
    /// alone.
    pub of_statistics: bool,
}

/// Which information about the targets a loss weighs cells by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetInformation {
    /// The mutual information of each column.
    Columns,
    /// The worth of each value.
    Values,
}

/// What a method that forms regions keeps small in each cell: the nearest to the loss that it can
/// compute from one region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionMeasure {
    /// The leaves under a cell.
    Leaves,
    /// The level of a cell.
    Levels,
}

/// Whether suppressed rows count in a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuppressedRows {
    /// By its definition.
    Counted,
    /// Not by its definition.
    Ignored,
    /// As the policy says in `count_suppressed`.
    Optional {
        /// Without `count_suppressed`.
        default: bool,
    },
}

impl LossEntry {
    /// An entry with nothing but its name: not of columns, suppressed rows ignored.
    const fn new(key: &'static str, help: &'static str, reference: &'static str) -> Self {
        LossEntry {
            key,
            help,
            reference,
            needs_target: false,
            counts_labels: false,
            information: None,
            sums_levels: false,
            region_measure: RegionMeasure::Leaves,
            aggregate: None,
            aggregates: false,
            suppressed: SuppressedRows::Ignored,
            tradeoff: false,
            without_suppressed: None,
            of_statistics: false,
        }
    }

    const fn sum_of_levels(self) -> Self {
        LossEntry { sums_levels: true, ..self }
    }

    /// Regions are formed by the levels of cells.
    const fn of_levels(self) -> Self {
        LossEntry { region_measure: RegionMeasure::Levels, ..self }
    }

    /// Counts the labels of the rows of a class.
    const fn of_labels(self) -> Self {
        LossEntry { needs_target: true, counts_labels: true, ..self }
    }

    /// Weighs cells by information about the targets.
    const fn of_information(self, information: TargetInformation) -> Self {
        LossEntry { needs_target: true, information: Some(information), ..self }
    }

    /// Put together from columns in one way.
    const fn of_columns(self, aggregate: Aggregate) -> Self {
        LossEntry { aggregate: Some(aggregate), ..self }
    }

    /// Put together from columns as the policy says.
    const fn aggregated(self, default: Aggregate) -> Self {
        LossEntry { aggregate: Some(default), aggregates: true, ..self }
    }

    const fn suppressed(self, suppressed: SuppressedRows) -> Self {
        LossEntry { suppressed, ..self }
    }

    const fn with_tradeoff(self) -> Self {
        LossEntry { tradeoff: true, ..self }
    }
}

use SuppressedRows::{Counted, Optional};

const UNCOUNTED: SuppressedRows = Optional { default: false };

kinds! {
    /// What a search can lose least of.
    LossKind(Family::Loss) => LossEntry;
    Height = LossEntry::new(
        "height",
        "Sum of the levels of all quasi-identifiers.",
        "Samarati 2001",
    )
    .sum_of_levels(),
    Absolute = LossEntry::new(
        "absolute",
        "Sum of the levels of all quasi-identifiers.",
        "Samarati 2001",
    )
    .sum_of_levels(),
    Relative = LossEntry::new(
        "relative",
        "Sum of level / highest level over all quasi-identifiers.",
        "Samarati 2001",
    )
    .sum_of_levels(),
    Prec = LossEntry::new(
        "prec",
        "Mean of level / highest level; what is left of 1 is the precision kept.",
        "Sweeney 2001",
    )
    .of_levels()
    .of_columns(Aggregate::Mean)
    .suppressed(UNCOUNTED)
    .with_tradeoff(),
    Dm = LossEntry {
        without_suppressed: Some(LossKind::DmStar),
        ..LossEntry::new(
            "dm",
            "Discernibility: each released row costs the size of its class, each suppressed row the table.",
            "Bayardo and Agrawal 2005",
        )
        .suppressed(Counted)
        .with_tradeoff()
    },
    DmStar = LossEntry::new(
        "dm*",
        "Discernibility without suppression: sum of the squared sizes of all classes.",
        "El Emam et al. 2009",
    ),
    Entropy = LossEntry::new(
        "entropy",
        "Bits needed to restore the original values from the released ones, over all rows.",
        "De Waal and Willenborg 1999",
    )
    .aggregated(Aggregate::Sum)
    .suppressed(UNCOUNTED)
    .with_tradeoff(),
    ConditionalEntropy = LossEntry {
        without_suppressed: Some(LossKind::Entropy),
        ..LossEntry::new(
            "conditional-entropy",
            "Mean uncertainty of an original value once its released value is known.",
            "Gionis and Tassa 2007",
        )
        .aggregated(Aggregate::Sum)
        .suppressed(Counted)
        .with_tradeoff()
    },
    Lm = LossEntry::new(
        "lm",
        "Mean share of the hierarchy that a released cell could stand for.",
        "Iyengar 2002",
    )
    .aggregated(Aggregate::Mean)
    .suppressed(Optional { default: true })
    .with_tradeoff(),
    Ambiguity = LossEntry::new(
        "ambiguity",
        "Mean number of original combinations that a released row could stand for.",
        "Nergiz and Clifton 2007",
    )
    .suppressed(Counted)
    .with_tradeoff(),
    Aecs = LossEntry::new(
        "aecs",
        "Average class size: rows per class; suppressed rows make one class.",
        "LeFevre et al. 2006",
    )
    .suppressed(Counted),
    Cm = LossEntry::new(
        "cm",
        "Share of rows whose label is not the majority label of their class.",
        "Iyengar 2002",
    )
    .of_labels()
    .suppressed(Counted)
    .with_tradeoff(),
    Vinterbo = LossEntry::new(
        "vinterbo",
        "Sum of level / highest level over the cells of a row, the mean over rows.",
        "Katirai 2006",
    )
    .of_levels()
    .of_columns(Aggregate::Sum)
    .suppressed(UNCOUNTED)
    .with_tradeoff(),
    ColumnMi = LossEntry::new(
        "column-mi",
        "Like vinterbo, with every column weighted by its mutual information with the target, in bits.",
        "Katirai 2006",
    )
    .of_information(TargetInformation::Columns)
    .of_levels()
    .of_columns(Aggregate::Sum)
    .suppressed(UNCOUNTED)
    .with_tradeoff(),
    ValueMi = LossEntry::new(
        "value-mi",
        "Bits about the target that original values carry and released ones do not, the mean over rows.",
        "Katirai 2006",
    )
    .of_information(TargetInformation::Values)
    .of_levels()
    .of_columns(Aggregate::Sum)
    .suppressed(UNCOUNTED),
    ILoss = LossEntry::new(
        "iloss",
        "Share of the hierarchy that a released cell could stand for beyond one value, over all cells.",
        "Xiao and Tao 2006",
    )
    .of_columns(Aggregate::Sum)
    .suppressed(Counted)
    .with_tradeoff(),
    Width = LossEntry {
        of_statistics: true,
        ..LossEntry::new(
            "width",
            "Width of the bounds that a recipient can compute for the policy's statistics, the mean over them.",
            "Xiang et al. 2014",
        )
        .suppressed(Counted)
    },
}

impl LossKind {
    /// Those that are defined for every table, with a target or without: all but those of
    /// statistics that a policy lists.
    pub fn of_tables() -> impl Iterator<Item = LossKind> + Clone {
        LossKind::ALL.iter().copied().filter(|kind| !kind.of_statistics())
    }

    /// Whether it is of statistics that the policy lists.
    pub const fn of_statistics(self) -> bool {
        self.entry().of_statistics
    }

    /// Whether it looks at the values of target columns, and is not defined without one.
    pub const fn needs_target(self) -> bool {
        self.entry().needs_target
    }

    /// Whether it counts the labels of the rows of a class.
    pub const fn counts_labels(self) -> bool {
        self.entry().counts_labels
    }

    /// Whether it adds up the levels of a node, so that it is not defined for regions of rows.
    pub const fn sums_levels(self) -> bool {
        self.entry().sums_levels
    }

    /// Whether suppressed rows count, given what a policy says.
    pub const fn counts_suppressed(self, asked: Option<bool>) -> bool {
        match (self.entry().suppressed, asked) {
            (Counted, _) => true,
            (SuppressedRows::Ignored, _) => false,
            (Optional { .. }, Some(asked)) => asked,
            (Optional { default }, None) => default,
        }
    }

    /// How the losses of columns are put together, given what a policy says.
    pub fn aggregate(self, asked: Option<Aggregate>) -> Aggregate {
        asked.or(self.entry().aggregate).unwrap_or(Aggregate::Sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_and_no_two_are_equal() {
        for &kind in LossKind::ALL {
            assert_eq!(LossKind::from_key(kind.key()), Some(kind));
            assert_eq!(kind.key().parse::<LossKind>().ok(), Some(kind));
            assert!(!kind.entry().help.is_empty() && !kind.entry().reference.is_empty());
        }
    }

    #[test]
    fn properties_agree_with_each_other() {
        for &kind in LossKind::ALL {
            let entry = kind.entry();
            assert!(!entry.aggregates || entry.aggregate.is_some(), "{kind}");
            let reads = entry.counts_labels || entry.information.is_some();
            assert_eq!(reads, entry.needs_target, "{kind}");
            let counts = kind.counts_suppressed(Some(true));
            assert!(!entry.tradeoff || counts, "{kind}: a trade-off of rows that never count");
            if let Some(other) = entry.without_suppressed {
                assert!(entry.suppressed == Counted && !other.counts_suppressed(None), "{kind}");
            }
        }
    }

    #[test]
    fn an_unknown_loss_has_a_near_one() {
        let fault = "entrop".parse::<LossKind>().unwrap_err();
        assert_eq!(fault.message, "there is no loss \"entrop\"");
        assert!(fault.help.unwrap().starts_with("did you mean \"entropy\"? losses are height, absolute,"));
    }
}
