//! Arguments of `throng attack`.

use std::path::PathBuf;

use clap::Subcommand;

use super::{Layout, Output, Overwrite, Seed};

/// `throng attack`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng attack all release.csv --policy policy.toml --original patients.csv
  throng attack link release.csv --external voters.csv --on birth_date=born,sex=sex,zip=zip
  throng attack rare release.csv --policy policy.toml --original patients.csv

An attack does what an outsider could do, counts how often that succeeds, and compares it with a
control: the same attack on people outside the release, or a guess that needs no release.
docs/attacks.md describes every attack.")]
pub struct Attack {
    /// The attack.
    #[command(subcommand)]
    pub command: AttackCommand,
}

/// The attack.
#[derive(Debug, Subcommand)]
pub enum AttackCommand {
    /// Link released rows with a table that names people, exactly and by probabilities
    Link(LinkAttack),
    /// Run all attacks and print one scorecard: singling out, linkability, inference
    #[command(after_help = "Examples:
  throng attack all release.csv --policy policy.toml --original patients.csv
  throng attack all release.csv --policy policy.toml --original patients.csv --population city.csv --out card.html
  throng attack all release.csv --policy policy.toml --original patients.csv --database attack.toml --truth id --json")]
    All(AttackAll),
    /// Find conditions on released cells that exactly one person satisfies
    #[command(after_help = "Examples:
  throng attack singling-out release.csv --policy policy.toml --original patients.csv")]
    SinglingOut(Attacked),
    /// Find people by values that fewer than k people have
    #[command(after_help = "Examples:
  throng attack rare release.csv --policy policy.toml --original patients.csv")]
    Rare(Attacked),
    /// Find people whose quasi-identifiers fit one released row alone
    #[command(after_help = "Examples:
  throng attack linkability release.csv --policy policy.toml --original patients.csv --population city.csv")]
    Linkability(Attacked),
    /// Lay two releases side by side, row by row
    #[command(after_help = "Examples:
  throng attack unsorted release.csv --policy policy.toml --original patients.csv --other earlier.csv")]
    Unsorted(Attacked),
    /// Join two releases on what both show unchanged
    #[command(after_help = "Examples:
  throng attack complementary release.csv --policy policy.toml --original patients.csv --other earlier.csv")]
    Complementary(Attacked),
    /// Find people who were added after an earlier release, or removed
    #[command(after_help = "Examples:
  throng attack temporal release.csv --policy policy.toml --original patients.csv --other earlier.csv
  throng attack temporal new.csv --policy policy.toml --original new_patients.csv --other old.csv --other-original old_patients.csv")]
    Temporal(Attacked),
    /// Guess whether somebody is in the release
    #[command(after_help = "Examples:
  throng attack membership release.csv --policy policy.toml --original patients.csv --population city.csv")]
    Membership(Attacked),
    /// Find classes whose rows all have one sensitive value
    #[command(after_help = "Examples:
  throng attack homogeneity release.csv --policy policy.toml --original patients.csv")]
    Homogeneity(Attacked),
    /// Find classes in which a sensitive value is far more frequent than elsewhere
    #[command(after_help = "Examples:
  throng attack skewness release.csv --policy policy.toml --original patients.csv")]
    Skewness(Attacked),
    /// Rule out sensitive values by facts that are known about a person
    #[command(after_help = "Examples:
  throng attack background release.csv --policy policy.toml --original patients.csv --facts 2")]
    Background(Attacked),
    /// Conclude sensitive values from what was generalized
    #[command(after_help = "Examples:
  throng attack minimality release.csv --policy policy.toml --original patients.csv")]
    Minimality(Attacked),
    /// Subtract statistics about nearly the same people
    #[command(after_help = "Examples:
  throng attack differencing release.csv --policy policy.toml")]
    Differencing(Attacked),
    /// Guess sensitive values by a model that was trained on the release
    #[command(after_help = "Examples:
  throng attack inference release.csv --policy policy.toml --original patients.csv")]
    Inference(Attacked),
    /// Intersect what two releases say about a person's sensitive value
    #[command(after_help = "Examples:
  throng attack composition release.csv --policy policy.toml --original patients.csv --other second.csv")]
    Composition(Attacked),
}

/// An attack with its arguments.
pub enum Chosen<'a> {
    /// Linking.
    Link(&'a LinkAttack),
    /// All attacks.
    All(&'a AttackAll),
    /// One attack, by its name.
    One(&'static str, &'a Attacked),
}

impl AttackCommand {
    /// How results are printed.
    pub fn output(&self) -> &Output {
        match self.chosen() {
            Chosen::Link(args) => &args.output,
            Chosen::All(args) => &args.attacked.output,
            Chosen::One(_, args) => &args.output,
        }
    }

    /// Which attack it is.
    pub fn chosen(&self) -> Chosen<'_> {
        let (name, args) = match self {
            AttackCommand::Link(args) => return Chosen::Link(args),
            AttackCommand::All(args) => return Chosen::All(args),
            AttackCommand::SinglingOut(args) => ("singling-out", args),
            AttackCommand::Rare(args) => ("rare", args),
            AttackCommand::Linkability(args) => ("linkability", args),
            AttackCommand::Unsorted(args) => ("unsorted", args),
            AttackCommand::Complementary(args) => ("complementary", args),
            AttackCommand::Temporal(args) => ("temporal", args),
            AttackCommand::Membership(args) => ("membership", args),
            AttackCommand::Homogeneity(args) => ("homogeneity", args),
            AttackCommand::Skewness(args) => ("skewness", args),
            AttackCommand::Background(args) => ("background", args),
            AttackCommand::Minimality(args) => ("minimality", args),
            AttackCommand::Differencing(args) => ("differencing", args),
            AttackCommand::Inference(args) => ("inference", args),
            AttackCommand::Composition(args) => ("composition", args),
        };
        Chosen::One(name, args)
    }
}

/// `throng attack link`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng attack link release.csv --external voters.csv --on birth_date=born,sex=sex,zip=zip
  throng attack link release.csv --external voters.csv --on age,sex,zip --truth id --json
  throng attack link release.csv --database attack.toml --on age,zip --policy policy.toml --out links.html

A generalized cell agrees with the values that it covers. A link is a released row with one external
row that is right with at least the probability of --threshold.")]
pub struct LinkAttack {
    /// Released table, or quoted pattern of several files
    pub release: String,
    /// Table that names people
    #[arg(long, value_name = "FILE", required_unless_present = "database", conflicts_with = "database")]
    pub external: Option<String>,
    /// Attack database: a file that declares tables, joins and inferences of an adversary
    #[arg(long, value_name = "FILE.toml")]
    pub database: Option<PathBuf>,
    /// Columns to link on: the name in the release and, if it differs, in the external table
    #[arg(long, value_name = "RELEASED=EXTERNAL", value_delimiter = ',', required = true)]
    pub on: Vec<String>,
    /// Column of both tables that names the person: it scores links and is never linked on
    #[arg(long, value_name = "COLUMN")]
    pub truth: Option<String>,
    /// Policy of the release, whose hierarchies say what labels cover
    #[arg(short, long)]
    pub policy: Option<PathBuf>,
    /// Least probability of a link, from 0.5
    #[arg(long, value_name = "P", default_value_t = 0.9)]
    pub threshold: f64,
    /// Write an HTML page that explains the strongest links to this file, for the holder alone
    #[arg(short, long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    /// How many links are explained
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub explain: usize,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub overwrite: Overwrite,
    #[command(flatten)]
    pub output: Output,
}

/// `throng attack all`.
#[derive(Debug, clap::Args)]
pub struct AttackAll {
    #[command(flatten)]
    pub attacked: Attacked,
    /// Write the scorecard as an HTML page to this file
    #[arg(short, long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub overwrite: Overwrite,
}

// What all other attacks are given.
#[derive(Debug, clap::Args)]
pub struct Attacked {
    /// Released table, or quoted pattern of several files
    pub release: String,
    /// Policy of the release
    #[arg(short, long)]
    pub policy: PathBuf,
    /// Original table, whose rows are the targets
    #[arg(long, value_name = "INPUT")]
    pub original: Option<String>,
    /// Table of a population: those who are not in the original are the control
    #[arg(long, value_name = "FILE", conflicts_with = "database")]
    pub population: Option<String>,
    /// Attack database: a file that declares what the adversary knows, in tables, joins and inferences
    #[arg(long, value_name = "FILE.toml")]
    pub database: Option<PathBuf>,
    /// Column that names the person in the original and in the population or database
    #[arg(long, value_name = "COLUMN", requires = "original")]
    pub truth: Option<String>,
    /// Another release about the same people; for `temporal`, the earlier one
    #[arg(long, value_name = "RELEASE")]
    pub other: Option<String>,
    /// Original table of the other release, for people who were removed since
    #[arg(long, value_name = "INPUT", requires = "other")]
    pub other_original: Option<String>,
    /// Targets at the most; they are drawn from the original
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub targets: usize,
    /// Sensitive values that the adversary of `background` can rule out
    #[arg(long, value_name = "M", default_value_t = 1)]
    pub facts: usize,
    #[command(flatten)]
    pub random: Seed,
    #[command(flatten)]
    pub layout: Layout,
    #[command(flatten)]
    pub output: Output,
}
