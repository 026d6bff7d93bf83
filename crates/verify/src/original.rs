//! Judges the claims that need the original; without it they are named as not checked.

use super::claims::{self, Judged};
use super::classes::UNKNOWN;
use super::foreseen::Foreseen;
use super::identifiers::{self, Source};
use super::leveled::{self, Leveled};
use super::levels::Chain;
use super::losses::{self, Facts, LevelFacts, RegionFacts};
use super::pace::Pace;
use super::people::{self, People as Subjects};
use super::population::People;
use super::regions::{self, Regions};
use super::side::Side;
use super::source::{Generalized, Safety};
use super::verdict::{Finding, Verdict, WITHOUT_ORIGINAL, Wrong, several};
use super::{Digests, Verifier, consistent, left, models, truth};
use throng_terms::error::Result;
use throng_terms::policy::KOne;

impl Verifier<'_> {
    /// The claims that need the original; without it they are named as not checked.
    pub(super) fn of_original(
        &self,
        (original, labels, digests): (Option<Side>, Option<leveled::Labels>, &Digests),
        people: (Option<&People>, Option<&Foreseen<'_>>),
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let pace = &self.pace();
        let unfit = original.is_some();
        let source = match original {
            None => {
                verdict.set("input", Finding::unchecked(WITHOUT_ORIGINAL));
                verdict.set("truth", Finding::unchecked(WITHOUT_ORIGINAL));
                None
            }
            Some(original) => {
                verdict.set("input", self.input(&original, digests));
                let mut original = original;
                let values = original.leveled.take().zip(labels);
                let source = Generalized::new(original, chains, self.safety(people, pace))?;
                verdict.set("truth", self.truth(source.as_ref(), values.as_ref(), chains, released)?);
                source
            }
        };
        let places = source
            .as_ref()
            .map(|source| truth::places(self.policy, (source, &source.moved), chains, released, pace))
            .transpose()?;
        if let Some(source) = &source {
            for rule in self.rules.iter().filter(|rule| rule.has_guard()) {
                let shown = if source.shown.is_empty() { &source.moved } else { &source.shown };
                let places = truth::places(self.policy, (source, shown), chains, released, pace)?;
                let nodes = models::nodes_of_released(rule, source, &places, released.classes.len());
                let finding = models::claim(rule, self.certificate, released, judged, nodes.as_ref(), pace)?;
                verdict.set(&rule.claim, finding);
            }
        }
        if let Some(source) = &source
            && let Some(subjects) = &source.subjects
        {
            // A class that is released counts with its people, even where it should be withheld.
            let shown = if source.shown.is_empty() { &source.moved } else { &source.shown };
            let mut places = truth::laid(self.policy, (source, shown), chains, released, pace)?;
            // Starred rows are in no class that is judged.
            let judged_class = |place: u32| judged.counts.get(place as usize).is_some_and(|&rows| rows > 0);
            let out = |(place, shown): (&u32, &Option<_>)| shown.is_none() || !judged_class(*place);
            let out: Vec<bool> = places.iter().zip(shown).map(out).collect();
            places.iter_mut().zip(out).filter(|(_, out)| *out).for_each(|(place, _)| *place = UNKNOWN);
            let people = Subjects::new(self.policy, subjects, &places, released.classes.len(), pace)?;
            self.of_people(Some(&people), (released, judged), verdict, pace)?;
            self.of_judged_people(&source.values, &places, (released, judged), verdict, pace)?;
        } else if unfit && self.policy.subject().is_some() {
            verdict.set(people::CLAIM, Finding::missing("people cannot be counted in the original"));
        }
        let compared = match (&source, &places) {
            (Some(source), Some(places)) => Source::Known(&source.identifiers, places),
            _ if unfit => Source::Unfit,
            _ => Source::None,
        };
        self.of_identifiers(released, compared, verdict)?;
        let rows = match &source {
            Some(source) => (source.rows, source.held.counts().iter().sum()),
            None => self.left_and_held(),
        };
        let facts = LevelFacts::new(rows, &judged.counts, chains, source.as_ref(), pace);
        self.of_losses(&facts, chains, verdict)
    }

    /// The same where rows were put into regions.
    pub(super) fn of_regions(
        &self,
        (original, labels, digests): (Option<Side>, Option<leveled::Labels>, &Digests),
        minorities: Vec<u64>,
        (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let pace = &self.pace();
        let there = original.is_some();
        let mut values = None;
        let regions = match original {
            Some(mut original) => {
                verdict.set("input", self.input(&original, digests));
                values = original.leveled.take().zip(labels);
                let few = self.policy.search.loss.parameters().rare() as f64;
                Regions::new((original, few), self.certificate, chains, released, pace)?
            }
            None => None,
        };
        let missing = "no assignment of rows to regions was provided";
        verdict.set(
            "truth",
            match (&regions, there) {
                (Some(regions), _) => {
                    regions::truth(self.policy, self.certificate, regions, values.as_ref(), released, pace)?
                }
                (None, true) => Finding::missing(missing),
                (None, false) => Finding::unchecked(WITHOUT_ORIGINAL),
            },
        );
        if !there {
            verdict.set("input", Finding::unchecked(WITHOUT_ORIGINAL));
        }
        let of = (chains, released);
        let cells = regions::cells(self.policy, self.certificate, of, judged, regions.as_ref(), pace)?;
        verdict.set("cells", cells);
        if let Some(k) = self.policy.k_one() {
            let of = (chains, released);
            let regions = regions.as_ref();
            let found = match there && regions.is_none() {
                true => Finding::missing(missing),
                false => consistent::claim(k, self.certificate, of, judged, regions, pace)?,
            };
            verdict.set(KOne::CLAIM, found);
        }
        self.of_people_in_regions(regions.as_ref(), there, (released, judged), verdict)?;
        let compared = match &regions {
            Some(regions) => Source::Known(&regions.identifiers, &regions.places),
            None if there => Source::Unfit,
            None => Source::None,
        };
        self.of_identifiers(released, compared, verdict)?;
        match &regions {
            Some(regions) => {
                let facts = RegionFacts { regions, released, counts: &judged.counts, minorities, pace };
                self.of_losses(&facts, chains, verdict)
            }
            None => {
                let facts = LevelFacts::new(self.left_and_held(), &judged.counts, chains, None, pace);
                self.of_losses(&facts, chains, verdict)
            }
        }
    }

    /// The claims about people where rows were put into regions.
    fn of_people_in_regions(
        &self,
        regions: Option<&Regions>,
        there: bool,
        of: (&Side, &Judged),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let pace = &self.pace();
        match regions {
            Some(regions) if !regions.divides() => {
                if let Some(subjects) = &regions.subjects {
                    let classes = of.0.classes.len();
                    let people = Subjects::new(self.policy, subjects, &regions.places, classes, pace)?;
                    self.of_people(Some(&people), of, verdict, pace)?;
                    self.of_judged_people(&regions.values, &regions.places, of, verdict, pace)?;
                }
            }
            _ if there && self.policy.subject().is_some() => {
                verdict.set(people::CLAIM, Finding::missing("people cannot be counted in the original"));
            }
            _ => {}
        }
        Ok(())
    }

    /// By the certificate, the rows that are left after deletion and those of them that are
    /// withheld.
    fn left_and_held(&self) -> (u64, u64) {
        let release = &self.certificate.release;
        (left(self.certificate), release.withheld.saturating_sub(release.deleted_rows()))
    }

    /// The identifiers that are replaced.
    fn of_identifiers(&self, released: &Side, compared: Source<'_>, verdict: &mut Verdict) -> Result<()> {
        let pace = self.pace();
        for (at, column) in identifiers::replaced(self.policy).enumerate() {
            let finding = identifiers::identifiers(at, released, compared, self.reader.start, &pace)?;
            verdict.set(identifiers::claim(column), finding);
        }
        Ok(())
    }

    fn of_losses(&self, facts: &dyn Facts, chains: &[Chain<'_>], verdict: &mut Verdict) -> Result<()> {
        let release = &self.certificate.release;
        let whole = losses::losses(&release.loss, self.policy, (facts, chains), self.width);
        let columns = losses::by_column(&release.loss_by_column, (facts, chains));
        for (claim, finding) in whole.into_iter().chain(columns) {
            verdict.set(claim, finding);
        }
        // A loss that was stopped is none: the request is honoured here.
        self.watch.check()
    }

    /// The conditions for releasing a class.
    fn safety<'s>(
        &'s self,
        (people, foreseen): (Option<&'s People>, Option<&'s Foreseen<'s>>),
        pace: &'s Pace<'s>,
    ) -> Safety<'s> {
        Safety {
            groups: &self.groups,
            k_people: self.k_people(),
            rules: &self.rules,
            comparisons: &self.comparisons,
            people,
            predictions: &self.predictions,
            foreseen,
            missing: self.policy.input.missing,
            few: self.policy.search.loss.parameters().rare() as f64,
            pace,
        }
    }

    fn input(&self, original: &Side, digests: &Digests) -> Finding {
        let facts = &self.certificate.release.input;
        let mut wrong = match self.drawn {
            None => {
                let rows = original.rows + original.deleted;
                claims::file("original", digests.original.as_deref(), rows, facts)
            }
            // A certificate of sampled rows does not describe the input; another input would have
            // another sample.
            Some(_) => Wrong::default(),
        };
        wrong.extend(
            original.absent(self.policy).into_iter().map(|name| format!("column `{name}` is not there")),
        );
        Finding::of(&wrong, || match self.drawn {
            None => {
                let rows = original.rows + original.deleted;
                format!("the original is the one that was released, with {}", several(rows, "row"))
            }
            Some(_) => format!(
                "the secret draws {} of it; truth states whether these were released",
                several(original.rows, "row")
            ),
        })
    }

    fn truth(
        &self,
        source: Option<&Generalized>,
        values: Option<&(Leveled, leveled::Labels)>,
        chains: &[Chain<'_>],
        released: &Side,
    ) -> Result<Finding> {
        let pace = self.pace();
        match source {
            Some(source) => {
                truth::truth(self.policy, self.certificate, (source, values), chains, released, &pace)
            }
            None => {
                let mut wrong = Wrong::default();
                wrong.push("the claimed levels do not fit the hierarchies");
                Ok(Finding::of(&wrong, String::new))
            }
        }
    }
}
