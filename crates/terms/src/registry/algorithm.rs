//! Algorithms: those that search the levels of columns, and those that form regions of rows.
//!
//! What each does is in `search/` and `recode/`.

use super::Family;
use super::kinds;
use crate::error::Fault;
use crate::fault;

/// What the registry knows of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlgorithmEntry {
    /// How a policy writes it.
    pub key: &'static str,
    /// What it does, in one line for a data manager.
    pub help: &'static str,
    /// Author and year.
    pub reference: &'static str,
    /// Whether it forms regions of rows; otherwise it chooses one level per column.
    pub forms_regions: bool,
    /// Whether columns may have posets in place of hierarchies.
    pub takes_posets: bool,
    /// Whether levels of a column need not nest: it concludes nothing from one node about others.
    pub takes_unnested: bool,
    /// Whether its releases are k-anonymous; otherwise (k,1)-anonymous, which is weaker.
    pub k_anonymous: bool,
    /// Whether it finds the least loss of all safe releases of its kind, where it accepts models
    /// and loss.
    pub exact: bool,
    /// Whether it is for a few rows only, as a yardstick.
    pub small_tables: bool,
    /// Whether a model can guide it (`search.model`).
    pub guided: bool,
    /// Whether it uses what the recipient tolerates (`columns.NAME.tolerance`).
    pub uses_tolerance: bool,
    /// Whether it uses how likely a column is linked on (`columns.NAME.linking`).
    pub uses_linking: bool,
    /// Whether it takes a preference among minimal nodes (`search.prefer`).
    pub prefers: bool,
    /// The key of `search` that holds options of its own.
    pub options: Option<&'static str>,
}

impl AlgorithmEntry {
    /// A search of levels.
    const fn levels(key: &'static str, help: &'static str, reference: &'static str) -> Self {
        AlgorithmEntry {
            key,
            help,
            reference,
            forms_regions: false,
            takes_posets: false,
            takes_unnested: false,
            k_anonymous: true,
            exact: false,
            small_tables: false,
            guided: false,
            uses_tolerance: false,
            uses_linking: false,
            prefers: false,
            options: None,
        }
    }

    /// A method that forms regions.
    const fn regions(key: &'static str, help: &'static str, reference: &'static str) -> Self {
        AlgorithmEntry { forms_regions: true, ..AlgorithmEntry::levels(key, help, reference) }
    }

    const fn exact(self) -> Self {
        AlgorithmEntry { exact: true, ..self }
    }

    const fn prefers(self) -> Self {
        AlgorithmEntry { prefers: true, ..self }
    }

    const fn with_options(self) -> Self {
        AlgorithmEntry { options: Some(self.key), ..self }
    }
}

kinds! {
    /// What finds a release.
    Algorithm(Family::Algorithm) => AlgorithmEntry;
    Best = AlgorithmEntry {
        uses_tolerance: true,
        ..AlgorithmEntry::regions(
            "best",
            "Runs mondrian, then k-similar unless the table is very large, and keeps the least loss. The default.",
            "Rice 1976",
        )
    },
    Auto = AlgorithmEntry::levels(
        "auto",
        "Branch and bound: proves the best levels; stopped early, it knows how much better others could be.",
        "Land and Doig 1960",
    )
    .exact()
    .prefers(),
    Ola = AlgorithmEntry::levels(
        "ola",
        "Halves ever smaller parts of the lattice, then takes the least loss of the lowest safe levels.",
        "El Emam et al. 2009",
    )
    .exact()
    .prefers(),
    Incognito = AlgorithmEntry::levels(
        "incognito",
        "Finds all safe levels, from small sets of columns to large ones.",
        "LeFevre et al. 2005",
    )
    .exact()
    .prefers(),
    Samarati = AlgorithmEntry::levels(
        "samarati",
        "Finds the lowest height with safe levels by halving; takes one of that height.",
        "Samarati 2001",
    )
    .prefers(),
    Datafly = AlgorithmEntry {
        uses_tolerance: true,
        uses_linking: true,
        takes_unnested: true,
        ..AlgorithmEntry::levels(
            "datafly",
            "Generalizes the column with most distinct values until few rows are left. Fast, rarely the best.",
            "Sweeney 1998",
        )
    },
    MinGen = AlgorithmEntry {
        takes_unnested: true,
        ..AlgorithmEntry::levels("mingen", "Checks every combination of levels.", "Sweeney 2002")
            .exact()
            .prefers()
    },
    Mondrian = AlgorithmEntry::regions(
        "mondrian",
        "Cuts the table into ever smaller regions, at medians or along hierarchies.",
        "LeFevre et al. 2006",
    )
    .with_options(),
    KSimilar = AlgorithmEntry {
        uses_tolerance: true,
        ..AlgorithmEntry::regions(
            "k-similar",
            "Clusters rows with their nearest, by how far up the hierarchies they meet.",
            "Sweeney 2001",
        )
    },
    Boxes = AlgorithmEntry::regions(
        "boxes",
        "Boxes around numbers that are narrow where a statistic is sensitive.",
        "Xiang et al. 2014",
    )
    .with_options(),
    Mdav = AlgorithmEntry::regions(
        "mdav",
        "Micro-aggregation: groups of k rows that are as alike as possible.",
        "Domingo-Ferrer and Torra 2005",
    ),
    Greedy = AlgorithmEntry {
        takes_posets: true,
        guided: true,
        ..AlgorithmEntry::regions(
            "greedy",
            "Joins every row with the rows that cost least in common, by least upper bounds.",
            "Katirai 2006",
        )
        .with_options()
    },
    GreedyRows = AlgorithmEntry {
        takes_posets: true,
        k_anonymous: false,
        ..AlgorithmEntry::regions(
            "greedy-rows",
            "Greedy as printed: every row keeps the least upper bound of its own set. (k,1)-anonymous, not k-anonymous.",
            "Katirai 2006",
        )
    },
    Partition = AlgorithmEntry {
        takes_posets: true,
        ..AlgorithmEntry::regions(
            "partition",
            "Splits sets of rows about the two that are farthest apart, by least upper bounds.",
            "Katirai 2006",
        )
        .with_options()
    },
    CellMinGen = AlgorithmEntry {
        small_tables: true,
        ..AlgorithmEntry::regions(
            "cell-mingen",
            "Tries every division of at most 32 rows: the least cost of cells, to compare methods with.",
            "Sweeney 2002; De Spoelberch",
        )
    },
}

impl Algorithm {
    /// Whether it forms regions of rows instead of choosing levels.
    pub const fn forms_regions(self) -> bool {
        self.entry().forms_regions
    }

    /// The algorithm that searches levels where levels are needed: "auto" for "best", otherwise
    /// itself.
    pub const fn of_levels(self) -> Algorithm {
        match self {
            Algorithm::Best => Algorithm::Auto,
            other => other,
        }
    }

    /// Whether rows that it leaves unsafe can be searched again by themselves (`search.local`).
    pub const fn takes_rounds(self) -> bool {
        !self.entry().forms_regions
    }

    /// Whether a predictive model can guide it (`search.model`).
    pub const fn guided(self) -> bool {
        matches!(self, Algorithm::Greedy)
    }

    /// Why it cannot be used with a column whose levels do not nest.
    pub fn not_nested(self, column: &str) -> Fault {
        let able = Algorithm::keys_with(|entry| entry.takes_unnested).join(", ");
        fault!(
            Input,
            "search.needs-nested-levels",
            "\"{algorithm}\" needs levels that nest, and those of `{column}` do not",
            algorithm = self,
            column = column
        )
        .key(format!("columns.{column}.hierarchy"))
        .help(format!("choose one of the algorithms {able}; or remove nested = false, and leave out levels"))
    }

    /// The algorithms whose releases are k-anonymous, in order.
    pub fn k_anonymous() -> impl Iterator<Item = Algorithm> {
        Algorithm::ALL.iter().copied().filter(|kind| kind.entry().k_anonymous)
    }

    /// The keys of those with a property, in order.
    pub fn keys_with(has: impl Fn(&AlgorithmEntry) -> bool) -> Vec<&'static str> {
        Algorithm::ALL.iter().filter(|kind| has(kind.entry())).map(|kind| kind.key()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_and_no_two_are_equal() {
        for &kind in Algorithm::ALL {
            assert_eq!(Algorithm::from_key(kind.key()), Some(kind));
            assert_eq!(kind.key().parse::<Algorithm>().ok(), Some(kind));
            assert!(!kind.entry().help.is_empty() && !kind.entry().reference.is_empty());
        }
    }

    #[test]
    fn properties_agree_with_each_other() {
        for &kind in Algorithm::ALL {
            let entry = kind.entry();
            assert!(entry.forms_regions || !entry.takes_posets, "{kind}: a poset has no levels");
            assert!(!(entry.forms_regions && entry.exact), "{kind}: no method of regions is exact");
            assert!(entry.options.is_none_or(|options| options == entry.key), "{kind}");
        }
        assert_eq!(Algorithm::keys_with(|entry| entry.takes_posets), ["greedy", "greedy-rows", "partition"]);
        assert_eq!(Algorithm::keys_with(|entry| !entry.k_anonymous), ["greedy-rows"]);
    }

    #[test]
    fn an_unknown_algorithm_has_a_near_one() {
        let fault = "mondrain".parse::<Algorithm>().unwrap_err();
        assert_eq!(fault.message, "there is no algorithm \"mondrain\"");
        let help = fault.help.unwrap();
        assert!(help.starts_with("did you mean \"mondrian\"? algorithms are best, auto,"), "{help}");
    }
}
