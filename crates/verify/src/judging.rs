//! Judges what was read: the claims that need the release alone, or the release and the population.

use super::claims::{self, Asked, Judged};
use super::foreseen::Foreseen;
use super::levels::{self, Build, Chain};
use super::population::{self, Counted, People};
use super::side::Side;
use super::verdict::{Finding, Verdict, WITHOUT_ORIGINAL};
use super::{
    Digests, Read, Verifier, deleted, left, leveled, model, models, people, predicted, risk, utility,
};
use throng_terms::error::Result;
use throng_terms::policy::{KOne, Missing};

impl Verifier<'_> {
    pub(super) fn of_files(&self) -> Option<Finding> {
        claims::files(self.policy, self.certificate, self.inputs.files)
    }

    /// Judges what was read.
    pub(super) fn judge(
        mut self,
        released: Read,
        original: Option<Read>,
        population: Option<Read>,
    ) -> Result<Verdict> {
        let digests = Digests {
            release: released.fingerprint,
            original: original.as_ref().map(|read| read.fingerprint.clone()),
            population: population.as_ref().map(|read| read.fingerprint.clone()),
        };
        let build = self.inputs.build;
        let mut original = original.map(|read| {
            self.deleted = read.deleted;
            read.side
        });
        let population = population.map(|read| read.side);
        if let Some(population) = &population {
            self.comparisons = population::of(self.policy, left(self.certificate), population.rows);
        }
        let mut released = released.side;
        let minorities = released.minorities(&self.pace())?;
        let released = &released;
        self.watch.check()?;
        let judged = claims::judged(self.policy, self.certificate, released);
        let labels = match &mut original {
            Some(original) => self.at_levels(original, build)?,
            None => None,
        };
        let others = (original.as_ref(), population.as_ref());
        self.watch.check()?;
        let chains = levels::chains(self.policy, self.certificate, released, others, build)?;
        models::compare(
            &mut self.rules,
            self.policy,
            (released, original.as_ref()),
            self.certificate,
            build,
        )?;
        let files = (released, original.as_ref());
        models::compare_labels(&mut self.rules, self.policy, &chains, files, self.certificate, build)?;
        if original.is_some() {
            models::price(&mut self.rules, &chains, released);
        }
        let mut verdict = Verdict::default();
        self.watch.check()?;
        self.width = utility::loss(self.policy, self.certificate, released, build)?;
        for (claim, finding) in
            utility::claims(self.policy, self.certificate, (released, original.as_ref()), build)?
        {
            verdict.set(claim, finding);
        }
        self.of_release((released, &digests.release), &judged, &mut verdict)?;
        let pace = &self.pace();
        if !self.policy.forms_regions() {
            let found = levels::levels(self.policy, self.certificate, &chains, (released, &judged), pace)?;
            verdict.set("levels", found);
        }
        self.watch.check()?;
        let people = match &population {
            Some(population) => People::new(population, &chains, pace)?,
            None => None,
        };
        let counted = match self.policy.forms_regions() {
            true => population.as_ref().map(Counted::Regions),
            false => people.as_ref().map(Counted::Levels),
        };
        let foreseen = match &original {
            // A policy asks for at most one prediction.
            Some(original) => match self.predictions.first() {
                Some(prediction) => {
                    Foreseen::new(prediction.parents(), original, &chains, (self.watch, pace))?
                }
                None => None,
            },
            None => None,
        };
        self.of_population((others, &digests), counted, (&chains, released, &judged), &mut verdict)?;
        for prediction in &self.predictions {
            self.watch.check()?;
            let known = (original.is_some(), foreseen.as_ref());
            let of = (&chains[..], released, &judged);
            verdict.set(&prediction.claim, predicted::claim(prediction, self.certificate, known, of, pace)?);
        }
        drop(population);
        self.watch.check()?;
        let of = (&chains[..], released, &judged);
        match self.policy.forms_regions() {
            true => self.of_regions((original, labels, &digests), minorities, of, &mut verdict)?,
            false => {
                let others = (people.as_ref(), foreseen.as_ref());
                self.of_original((original, labels, &digests), others, of, &mut verdict)?;
            }
        }
        Ok(verdict)
    }

    /// The claims that need the population.
    fn of_population(
        &self,
        ((original, population), digests): ((Option<&Side>, Option<&Side>), &Digests),
        people: Option<Counted<'_>>,
        of: (&[Chain<'_>], &Side, &Judged),
        verdict: &mut Verdict,
    ) -> Result<()> {
        let pace = &self.pace();
        let stated = self.certificate.release.population.as_ref();
        if let Some(population) = population {
            let file = (population, digests.population.as_deref());
            verdict.set("population", population::population(stated, file, original, self.policy, pace)?);
        } else if self.policy.population().is_some() || stated.is_some() {
            verdict.set("population", Finding::missing("the population is not at hand"));
        }
        for comparison in &self.comparisons {
            let found = population::claim(comparison, self.certificate, people, of, pace)?;
            verdict.set(&comparison.claim, found);
        }
        Ok(())
    }

    /// The claims that need the release alone.
    fn of_release(
        &self,
        (released, sha256): (&Side, &str),
        judged: &Judged,
        verdict: &mut Verdict,
    ) -> Result<()> {
        let pace = &self.pace();
        let (policy, certificate) = (self.policy, self.certificate);
        let sha256 = Some(sha256);
        verdict.set("certificate", claims::certificate(policy, &self.asked(), certificate));
        verdict.set("policy", claims::policy(self.inputs.policy_sha256, certificate));
        if let Some(files) = self.of_files() {
            verdict.set("files", files);
        }
        verdict.set("columns", claims::columns(policy, certificate, &released.columns));
        verdict.set("output", claims::output(policy, certificate, sha256, released, judged));
        verdict.set("classes", claims::classes(certificate, judged));
        if policy.input.missing == Missing::Suppress {
            verdict.set("missing", claims::missing(released, judged));
        }
        for group in &self.groups {
            let finding =
                claims::anonymity(group, policy.input.missing, certificate, released, judged, pace)?;
            verdict.set(&group.claim, finding);
        }
        for rule in &self.rules {
            let finding = match rule.deletes() {
                Some(k) => deleted::claim(&rule.claim, k, certificate, self.deleted.as_ref()),
                None if policy.subject().is_some() => Finding::unchecked(WITHOUT_ORIGINAL),
                None => models::claim(rule, certificate, released, judged, None, pace)?,
            };
            verdict.set(&rule.claim, finding);
        }
        if policy.subject().is_some() {
            self.of_people(None, (released, judged), verdict, pace)?;
        } else if let Some(finding) =
            risk::risk(certificate, policy.input.missing, (released, judged), None, pace)?
        {
            verdict.set("risk", finding);
        }
        for (claim, finding) in model::claims(policy, &certificate.release) {
            verdict.set(claim, finding);
        }
        Ok(())
    }

    /// Every guarantee of the policy.
    fn asked(&self) -> Vec<Asked<'_>> {
        let groups = self.groups.iter().map(|group| {
            let required = group.k as f64;
            Asked { claim: &group.claim, required, holds: Box::new(move |size| size >= required) }
        });
        let rules = self.rules.iter().map(|rule| Asked {
            claim: &rule.claim,
            required: rule.required(),
            holds: Box::new(|figure| rule.holds(figure)),
        });
        let comparisons = self.comparisons.iter().map(|comparison| Asked {
            claim: &comparison.claim,
            required: comparison.required(),
            holds: Box::new(|figure| comparison.holds(figure)),
        });
        let predictions = self.predictions.iter().map(|prediction| Asked {
            claim: &prediction.claim,
            required: prediction.required(),
            holds: Box::new(|figure| figure >= prediction.required()),
        });
        let originals = self.policy.k_one().map(|k| Asked {
            claim: KOne::CLAIM,
            required: k as f64,
            holds: Box::new(move |least| least >= k as f64),
        });
        let people = self.k_people().map(|k| Asked {
            claim: people::K_ANONYMITY,
            required: k as f64,
            holds: Box::new(move |fewest| fewest >= k as f64),
        });
        groups.chain(people).chain(rules).chain(comparisons).chain(predictions).chain(originals).collect()
    }

    /// What the original's values at levels must become; models then judge these.
    fn at_levels(&self, original: &mut Side, build: &Build<'_>) -> Result<Option<leveled::Labels>> {
        let labels = leveled::labels(self.policy, original, build)?;
        let judged = self.policy.judged();
        for ((name, _), labels) in self.policy.leveled().into_iter().zip(labels.iter().flatten()) {
            if let Some(at) = judged.iter().position(|column| *column == name) {
                original.sensitive[at].relabel(|value| labels[value as usize].as_ref());
            }
        }
        Ok(labels)
    }
}
