//! Recodes a release that conflicts with earlier ones in two ways; the better one counts.
//!
//! - *Withholding*: the release is decided as if it were the first, people whom it would expose are
//!   left out, and it is decided again.
//! - *Nesting*: the search knows the trace of every row in earlier releases and looks for classes
//!   in which every trace occurs k times or not at all, with several sensitive values. People who
//!   fit no class, because too few share their trace or because they hide those who left, are
//!   left out before. A search of levels hands
//!   its levels on, so that single people rather than whole classes are left out at them; regions
//!   are released as they were formed.
//!
//! Either way the ledger judges the result. The one that loses fewer rows counts; of equally many,
//! the one with the lower loss. A release without a conflict is decided once, by its policy alone.
//!
//! Costs a search and a rewrite of the table per attempt.

use throng::decide::Decision;
use throng::error::{Error, Kind, Result};
use throng::policy::Policy;

use crate::Engine;
use crate::ledger::{Accepted, Beside, Judged, Made, ReleaseLedger};
use crate::release::{Attempt, Job};

/// Decisions that are tried in a way before the release is refused.
const ATTEMPTS: usize = 8;

/// An attempt that the ledger accepts.
type Kept = (Attempt, Box<Accepted>);

impl Engine {
    /// Decides and writes, until the ledger accepts it.
    pub(crate) fn attempts_beside(&self, job: &Job<'_>, ledger: &mut ReleaseLedger) -> Result<Attempt> {
        let first = self.attempt(job, None, None)?;
        let mut beside = Beside::default();
        match self.judged(job, ledger, &first, (&beside, true))? {
            Judged::Accepted(accepted) => {
                ledger.accept(*accepted);
                return Ok(first);
            }
            Judged::Withhold(more) => beside.withhold(more),
        }
        let policy = first.reached.as_ref().unwrap_or(&job.policy.policy);
        let earlier = match nests(policy) {
            true => usable(ledger.beside_earlier((self, policy), made(&first), &job.writing()))?,
            false => None,
        };
        drop(first);
        let nested = match earlier {
            Some(earlier) => usable(self.nested(job, ledger, earlier))?,
            None => None,
        };
        let withholding = self.withholding(job, ledger, beside, None);
        let (attempt, accepted) = match (withholding, nested) {
            (Ok(withholding), Some(nested)) => better(withholding, nested),
            (Err(error), Some(nested)) if may_fail(&error) => nested,
            (withholding, _) => withholding?,
        };
        ledger.accept(*accepted);
        Ok(attempt)
    }

    /// Leaves people out until the ledger accepts the rest. With a decision of levels, these are
    /// taken.
    fn withholding(
        &self,
        job: &Job<'_>,
        ledger: &mut ReleaseLedger,
        mut beside: Beside,
        levels: Option<&Decision>,
    ) -> Result<Kept> {
        for tried in 1.. {
            let left_out = ledger.left_out(&job.policy.policy, &beside, levels.is_none());
            let attempt = self.attempt(job, left_out, levels)?;
            match self.judged(job, ledger, &attempt, (&beside, tried < ATTEMPTS))? {
                Judged::Accepted(accepted) => return Ok((attempt, accepted)),
                Judged::Withhold(more) => beside.withhold(more),
            }
        }
        Err(throng::error::Fault::bug("attempts have no end").into())
    }

    /// Builds classes on top of earlier releases.
    fn nested(&self, job: &Job<'_>, ledger: &mut ReleaseLedger, beside: Beside) -> Result<Kept> {
        if job.policy.policy.forms_regions() {
            return self.withholding(job, ledger, beside, None);
        }
        let left_out = ledger.left_out(&job.policy.policy, &beside, true);
        let found = self.nested_levels(job, left_out)?;
        self.withholding(job, ledger, beside, Some(&found))
    }

    fn judged(
        &self,
        job: &Job<'_>,
        ledger: &mut ReleaseLedger,
        attempt: &Attempt,
        how: (&Beside, bool),
    ) -> Result<Judged> {
        let policy = attempt.reached.as_ref().unwrap_or(&job.policy.policy);
        ledger.judge((self, policy), made(attempt), how, &job.writing())
    }
}

fn made(attempt: &Attempt) -> Made<'_> {
    (&attempt.prepared, &attempt.decision, &attempt.written.classes_of_rows)
}

/// Whether a search can build on earlier releases. A k that is maximized, and a model that guides
/// or measures, would be of another problem.
fn nests(policy: &Policy) -> bool {
    policy.privacy.maximize.is_none() && policy.search.model.is_none()
}

/// Whether another way may still succeed.
fn may_fail(error: &Error) -> bool {
    !error.is_cancelled() && !error.is_all(Kind::System)
}

/// What a way found; none where another one may succeed.
fn usable<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if may_fail(&error) => Ok(None),
        found => found.map(Some),
    }
}

/// The one that loses fewer rows; of equally many, the one with the lower loss.
fn better(withholding: Kept, nested: Kept) -> Kept {
    let key = |kept: &Kept| (kept.1.lost, kept.0.decision.loss);
    if key(&nested) <= key(&withholding) { nested } else { withholding }
}
