//! Made-up facts of a plausible release, for tests and for looking at the page.

use std::collections::BTreeMap;

use super::facts::{
    BoundFacts, ChosenLevel, ColumnFacts, ColumnLoss, CorrelationFacts, CrossTable, Facts, LatticeFacts,
    LevelFacts, LossFacts, Moments, NumberFacts, PolicySummary, StarFacts, StatisticsFacts, bars, size_bins,
};
use crate::class_risk::{ClassRisk, ClassesOfSize};
use crate::lattice::profile;
use crate::policy::{Role, Statement};
use crate::release::{Claim, FileFacts, PolicyFacts, Release, SearchFacts};

/// A census extract with five quasi-identifiers.
pub(super) fn sample() -> Facts {
    let columns = vec![
        removed("name", Role::Identifier),
        age(),
        sex(),
        education(),
        zip(),
        born(),
        ColumnFacts {
            distinct_before: 14,
            distinct_after: 14,
            missing: 1_843,
            ..ColumnFacts::new("occupation", Role::Sensitive, "released unchanged")
        },
        removed("remarks", Role::Text),
    ];
    let before = [(1, 9_412), (2, 3_020), (3, 1_204), (4, 640), (7, 512), (13, 130), (31, 28), (64, 5)];
    let after = [(5, 61), (8, 120), (15, 88), (34, 61), (70, 52), (148, 31), (310, 20), (911, 8), (1_402, 1)];
    let sized = |&(size, classes): &(u64, u64)| ClassesOfSize { size, classes, rows: size * classes };
    let (before, after) = (before.each_ref().map(sized), after.each_ref().map(sized));
    let lattice = lattice(&columns);
    Facts {
        title: "census-extract.csv".to_owned(),
        release: release(&lattice),
        policy: policy(),
        classes_before: size_bins(&before),
        classes_after: size_bins(&after),
        risk_before: ClassRisk::new(&before, 0.2),
        risk_after: ClassRisk::new(&after, 0.2),
        losses: losses(),
        stars: StarFacts { share: 0.0097, blank: 0 },
        statistics: statistics(),
        exposures: vec![
            "`occupation` (sensitive): 12 of 442 classes (80 rows) have a single value.".to_owned(),
        ],
        warnings: vec!["The rows are in the order of the input.".to_owned()],
        suggestions: Vec::new(),
        columns,
        lattice,
    }
}

fn statistics() -> StatisticsFacts {
    let moments = |mean, deviation| Moments { mean, deviation };
    let number = |column: &str, dates, before, after, used| NumberFacts {
        column: column.to_owned(),
        dates,
        before,
        after,
        used,
    };
    StatisticsFacts {
        numbers: vec![
            number("age", false, moments(38.44, 13.13), Some(moments(42.1, 12.7)), 0.99),
            number("date of birth", true, moments(-3_120.5, 4_795.0), Some(moments(-3_098.0, 4_810.0)), 1.0),
        ],
        correlations: vec![CorrelationFacts {
            columns: ["age", "date of birth"].map(String::from),
            before: -0.987,
            after: Some(-0.951),
        }],
        cross_tables: vec![CrossTable {
            columns: ["sex", "education"].map(String::from),
            rows: ["Male", "Female"].map(String::from).to_vec(),
            across: ["Graduate", "(rare values)"].map(String::from).to_vec(),
            before: vec![vec![Some(0.4), Some(0.276)], vec![Some(0.324), None]],
            after: vec![vec![0.41, 0.266], vec![0.324, 0.0]],
            used: 0.93,
        }],
        bounds: vec![BoundFacts {
            statistic: "mean of age".to_owned(),
            original: 38.44,
            low: Some(36.1),
            high: Some(41.0),
            required: Some(5.0),
        }],
    }
}

fn removed(name: &str, role: Role) -> ColumnFacts {
    ColumnFacts { distinct_before: 30_162, ..ColumnFacts::new(name, role, "removed") }
}

fn quasi(
    name: &str,
    (level, height, max): (usize, usize, usize),
    action: &str,
    hierarchy: &str,
) -> ColumnFacts {
    ColumnFacts {
        hierarchy: Some(hierarchy.to_owned()),
        level: Some(level),
        level_names: (0..=height).map(|level| format!("level {level} of {height}")).collect(),
        height,
        max_level: max,
        ..ColumnFacts::new(name, Role::Quasi, action)
    }
}

fn ladder(steps: &[(&str, u64)]) -> Vec<LevelFacts> {
    let steps = steps.iter().enumerate();
    steps
        .map(|(level, (example, size))| LevelFacts { level, size: *size, example: (*example).to_owned() })
        .collect()
}

fn age() -> ColumnFacts {
    let hump = |age: u64| 900_u64.saturating_sub((age as i64 - 36).unsigned_abs().pow(2) * 2 / 3).max(3);
    ColumnFacts {
        distinct_before: 73,
        distinct_after: 4,
        weight: 2.0,
        loss: Some(ColumnLoss { lm: 0.262, entropy_share: 0.618, conditional_share: 0.63, prec: 0.6 }),
        before: bars((17..=90).map(|age| (age.to_string(), hump(age))), 12, 5),
        after: bars(
            [("[0, 20)", 1_640), ("[20, 40)", 15_211), ("[40, 60)", 10_630), ("[60, 80)", 2_387)],
            12,
            5,
        ),
        ladder: ladder(&[
            ("37", 73),
            ("[35, 40)", 15),
            ("[30, 40)", 8),
            ("[20, 40)", 4),
            ("[0, 40)", 3),
            ("*", 1),
        ]),
        ..quasi(
            "age",
            (3, 5, 4),
            "generalized to 20-year intervals (level 3 of 5)",
            "intervals of 5, 10, 20 and 40",
        )
    }
}

fn sex() -> ColumnFacts {
    ColumnFacts {
        distinct_before: 2,
        distinct_after: 2,
        loss: Some(ColumnLoss { lm: 0.0, entropy_share: 0.0, conditional_share: 0.0, prec: 0.0 }),
        before: bars([("Male", 20_380), ("Female", 9_782)], 12, 5),
        after: bars([("Male", 20_189), ("Female", 9_679)], 12, 5),
        ladder: ladder(&[("Male", 2), ("*", 1)]),
        ..quasi("sex", (0, 1, 1), "unchanged", "keep or suppress")
    }
}

fn education() -> ColumnFacts {
    let before = [
        ("HS-grad", 9_840),
        ("Some-college", 6_678),
        ("Bachelors", 5_044),
        ("Masters", 1_627),
        ("Assoc-voc", 1_307),
        ("11th", 1_048),
        ("Assoc-acdm", 1_008),
        ("10th", 820),
        ("7th-8th", 557),
        ("Prof-school", 542),
        ("9th", 455),
        ("12th", 377),
        ("Doctorate", 375),
        ("5th-6th", 288),
        ("1st-4th", 151),
        ("Preschool", 4),
    ];
    let after = [("High school", 13_200), ("Undergraduate", 13_110), ("Graduate", 2_510), ("Primary", 1_048)];
    ColumnFacts {
        distinct_before: 16,
        distinct_after: 4,
        missing: 212,
        loss: Some(ColumnLoss { lm: 0.281, entropy_share: 0.431, conditional_share: 0.44, prec: 0.333 }),
        before: bars(before, 12, 5),
        after: bars(after, 12, 5),
        ladder: ladder(&[("Bachelors", 16), ("Undergraduate", 4), ("Higher education", 2), ("*", 1)]),
        ..quasi("education", (1, 3, 3), "generalized to level 1 of 3", "the file education.csv")
    }
}

fn zip() -> ColumnFacts {
    let before = (0..240_u64).map(|i| (format!("0{}", 2_101 + i * 7), 2 + (i * 37) % 251));
    let after = [("021**", 6_012), ("022**", 8_710), ("023**", 7_004), ("024**", 4_001), ("025**", 4_141)];
    ColumnFacts {
        distinct_before: 240,
        distinct_after: 5,
        loss: Some(ColumnLoss { lm: 0.034, entropy_share: 0.562, conditional_share: 0.573, prec: 0.4 }),
        before: bars(before, 12, 5),
        after: bars(after, 12, 5),
        ladder: ladder(&[
            ("02139", 240),
            ("0213*", 61),
            ("021**", 5),
            ("02***", 1),
            ("0****", 1),
            ("*****", 1),
        ]),
        ..quasi(
            "postal code",
            (2, 5, 3),
            "generalized to last 2 characters hidden (level 2 of 5)",
            "characters masked from the right",
        )
    }
}

fn born() -> ColumnFacts {
    let dates = (0..600_u64).map(|i| (format!("{}-{:02}-11", 1928 + i / 9, 1 + i % 12), 11 + i % 83));
    ColumnFacts {
        distinct_before: 600,
        distinct_after: 8,
        loss: Some(ColumnLoss { lm: 0.111, entropy_share: 0.674, conditional_share: 0.687, prec: 0.667 }),
        before: bars(dates, 12, 5),
        after: bars(
            (0..8_u64).map(|i| (format!("{}–{}", 1920 + i * 10, 1929 + i * 10), 2_100 + i * 430)),
            12,
            5,
        ),
        ladder: ladder(&[
            ("1967-05-11", 600),
            ("1967-05", 600),
            ("1967-Q2", 268),
            ("1967", 67),
            ("1960–1969", 8),
            ("1951–2000", 2),
            ("*", 1),
        ]),
        min_level: 1,
        ..quasi(
            "date of birth",
            (4, 6, 5),
            "generalized to decade of birth (level 4 of 6)",
            "dates by month, quarter, year, ten and fifty years",
        )
    }
}

fn lattice(columns: &[ColumnFacts]) -> LatticeFacts {
    let quasi = || columns.iter().filter_map(|c| Some((c, c.level?)));
    let profile = profile(quasi().map(|(c, _)| (c.min_level, c.max_level, 1)));
    LatticeFacts {
        nodes: profile.iter().sum::<f64>() as u128,
        checked: 97,
        bottom: quasi().map(|(c, _)| c.min_level).sum(),
        top: quasi().map(|(c, _)| c.max_level).sum(),
        height: quasi().map(|(_, level)| level).sum(),
        profile,
        chosen: quasi()
            .map(|(c, level)| ChosenLevel {
                column: c.name.clone(),
                level,
                min: c.min_level,
                max: c.max_level,
                height: c.height,
            })
            .collect(),
        explored: None,
    }
}

fn losses() -> Vec<LossFacts> {
    let values = [
        ("entropy", 213_402.7),
        ("prec", 0.4),
        ("lm", 0.1376),
        ("dm", 18_302_211.0),
        ("aecs", 67.6),
        ("ambiguity", 1_204.3),
        ("height", 10.0),
    ];
    values.into_iter().map(|(name, value)| LossFacts::new(name, value, name == "entropy")).collect()
}

fn policy() -> PolicySummary {
    PolicySummary {
        path: "census policy.toml".to_owned(),
        certificate: Some("certificate.json".to_owned()),
        k: Some(5),
        anonymity: None,
        groups: Vec::new(),
        suppression_limit: "1 % (301 rows)".to_owned(),
        algorithm: "auto: exact search with bounds".to_owned(),
        local: false,
        loss: "entropy, summed over columns; suppressed rows are not counted".to_owned(),
        missing: "one more value: missing equals missing and nothing else".to_owned(),
        keep_order: "shuffled by the seed".to_owned(),
        suppressed: "left out".to_owned(),
        statement: Statement::default(),
    }
}

fn release(lattice: &LatticeFacts) -> Release {
    let file = |path: &str, digit: char, rows| FileFacts {
        path: path.to_owned(),
        sha256: digit.to_string().repeat(64),
        rows,
    };
    Release {
        rows: 30_162,
        released: 29_868,
        suppressed: 294,
        people: None,
        withheld: 294,
        deleted: None,
        levels: lattice.chosen.iter().map(|c| (c.column.clone(), c.level)).collect(),
        steps: Vec::new(),
        regions: None,
        loss: BTreeMap::from([("prec".to_owned(), 0.4), ("entropy".to_owned(), 213_402.7)]),
        loss_by_column: BTreeMap::new(),
        text: BTreeMap::new(),
        sampling: None,
        privacy: BTreeMap::from([(
            "k-anonymity".to_owned(),
            Claim { required: 5.0, achieved: Some(5.0), holds: true },
        )]),
        notions: None,
        utility: BTreeMap::new(),
        predicted: BTreeMap::new(),
        model: None,
        risk: None,
        search: SearchFacts {
            algorithm: "bounds".to_owned(),
            method: None,
            reason: None,
            k: None,
            nodes: lattice.nodes,
            checked: lattice.checked,
            optimal: true,
            gap: 0.0,
            seconds: 0.042,
        },
        input: file("census-extract.csv", 'a', 30_162),
        preparation: None,
        population: None,
        output: file("out/census release.parquet", 'b', 29_868),
        policy: PolicyFacts { sha256: "c".repeat(64) },
        template: None,
        ledger: None,
        files: BTreeMap::new(),
        seed: 20_240_611,
        version: "0.1.0".to_owned(),
    }
}
