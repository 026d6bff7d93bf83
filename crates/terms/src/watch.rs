//! Progress and cancellation: the one way in which long work reports how far it is and learns that
//! it should stop.
//!
//! A [`Watch`] is cheap to clone and can be shared between threads. The caller keeps a [`Cancel`]
//! handle and may ask twice: first to *finish* with the best result so far, then to *abort*. A
//! stage that has a best result asks [`Watch::should_finish`] and returns it; every other stage
//! calls [`Watch::check`], which fails with [`Kind::Cancelled`](crate::error::Kind::Cancelled). A
//! request that an earlier stage has honoured no longer stops later ones: see
//! [`Watch::acknowledge`].
//!
//! Cost: a relaxed atomic load per question, and a call of the time limit where there is one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// What the owner of some work wants it to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request {
    /// Go on.
    Continue,
    /// Finish with the best result so far.
    Finish,
    /// Stop and leave nothing behind.
    Abort,
}

/// The handle that stops work from another thread or from a signal handler.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    request: Arc<AtomicU8>,
    /// What is requested by itself after a number of questions.
    after: Option<(Arc<AtomicU64>, Request)>,
}

impl Cancel {
    /// A handle that has not been used yet.
    pub fn new() -> Self {
        Cancel::default()
    }

    /// A handle that makes a request by itself at the n-th question of the work, to try a stop at
    /// every place where work can be stopped.
    pub fn at_question(n: u64, request: Request) -> Self {
        Cancel { after: Some((Arc::new(AtomicU64::new(n)), request)), ..Cancel::default() }
    }

    /// The questions that are left until this handle makes a request by itself.
    pub fn questions_left(&self) -> Option<u64> {
        self.after.as_ref().map(|(left, _)| left.load(Ordering::Relaxed))
    }

    /// Asks the work to finish with the best result so far.
    pub fn finish(&self) {
        self.request.fetch_max(Request::Finish as u8, Ordering::Relaxed);
    }

    /// Asks the work to stop and leave nothing behind.
    pub fn abort(&self) {
        self.request.fetch_max(Request::Abort as u8, Ordering::Relaxed);
    }

    /// The strongest request so far.
    pub fn request(&self) -> Request {
        if let Some((left, request)) = &self.after
            && left.fetch_sub(1, Ordering::Relaxed) == 1
        {
            self.request.fetch_max(*request as u8, Ordering::Relaxed);
        }
        match self.request.load(Ordering::Relaxed) {
            0 => Request::Continue,
            1 => Request::Finish,
            _ => Request::Abort,
        }
    }
}

/// A stage of some work that counts what it has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Rows read and grouped.
    Reading,
    /// Bytes hashed.
    Hashing,
    /// Thousandths of the rows assigned to a region.
    Forming,
    /// Classes for which cells to suppress were chosen.
    ChoosingCells,
    /// Rows written.
    Writing,
    /// Nodes of the lattice evaluated for a report or for `explore`.
    Exploring,
    /// Rows verified.
    Verifying,
    /// Combinations of columns counted.
    Combinations,
    /// Combinations of columns searched for minimal sample uniques.
    SpecialUniques,
    /// Pairs of columns measured.
    Measuring,
    /// Rows drawn from a model of a table.
    Drawing,
    /// Changes of a policy tried after a release.
    Suggesting,
    /// Bytes of documents scrubbed.
    Scrubbing,
    /// Rows of this and earlier releases joined by person.
    Comparing,
}

/// How far a search is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Nodes checked.
    pub checked: u64,
    /// Nodes of the lattice.
    pub nodes: u128,
    /// The least loss so far.
    pub best: Option<f64>,
    /// A lower bound on the loss of every safe node, where one is known.
    pub bound: Option<f64>,
}

/// What work reports.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Units of a stage that are done, of all where the total is known.
    Done {
        /// What is counted.
        stage: Stage,
        /// Units done.
        done: u64,
        /// All units.
        of: Option<u64>,
    },
    /// A node was checked.
    Searching(Progress),
    /// There is a result that would be released now; each further one is better.
    Found {
        /// The method that found it.
        method: &'a str,
        /// The loss that is kept small.
        loss: &'a str,
        /// Its value.
        value: f64,
    },
    /// A run of a comparison starts.
    Run {
        /// Runs done.
        done: u64,
        /// All runs.
        of: u64,
        /// Its table.
        table: &'a str,
        /// Its algorithm.
        algorithm: &'a str,
        /// Its k.
        k: u64,
    },
}

type Listener = dyn Fn(Event<'_>) + Send + Sync;
/// Whether this share of the time has passed.
type Limit = dyn Fn(f64) -> bool + Send + Sync;

/// Reports progress and answers whether to go on.
#[derive(Clone)]
pub struct Watch {
    cancel: Cancel,
    honoured: Request,
    limit: Option<Arc<Limit>>,
    /// The share of the limit that this work has.
    share: f64,
    listener: Option<Arc<Listener>>,
}

impl Watch {
    /// Never stops and reports to nobody.
    pub fn none() -> Self {
        Watch::new(Cancel::new())
    }

    /// Stops when the handle says so.
    pub fn new(cancel: Cancel) -> Self {
        Watch { cancel, honoured: Request::Continue, limit: None, share: 1.0, listener: None }
    }

    /// The same, reporting every event to a listener.
    #[must_use]
    pub fn listening(mut self, listener: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// The same, also finishing with the best result once `limit` returns true. This is how a time
    /// limit comes in: the core never reads a clock, so the caller does.
    #[must_use]
    pub fn limited(self, limit: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.limited_by_share(move |_| limit())
    }

    /// The same with a limit that says whether a share of the time has passed, so that work can
    /// leave time for what follows: see [`Watch::within`].
    #[must_use]
    pub fn limited_by_share(mut self, passed: impl Fn(f64) -> bool + Send + Sync + 'static) -> Self {
        self.limit = Some(Arc::new(passed));
        self
    }

    /// A watch for work that should finish when a share of the time has passed.
    #[must_use]
    pub fn within(&self, share: f64) -> Self {
        Watch { share, ..self.clone() }
    }

    /// The same without a listener, for work inside work that reports by itself.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.listener = None;
        self
    }

    /// The same without a limit, for work that has to be completed.
    #[must_use]
    pub fn unlimited(mut self) -> Self {
        self.limit = None;
        self
    }

    /// A watch for the stages after one that may have finished early. A request to finish was
    /// honoured by it and stops nothing any more, the time limit has been used up, and any later
    /// request aborts.
    #[must_use]
    pub fn acknowledge(&self) -> Self {
        let honoured = self.cancel.request().min(Request::Finish);
        Watch { honoured, limit: None, ..self.clone() }
    }

    /// The handle that stops this work.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether a stage that has a best result should return it now.
    pub fn should_finish(&self) -> bool {
        self.cancel.request() > self.honoured || self.limit.as_ref().is_some_and(|passed| passed(self.share))
    }

    /// Whether the caller set a limit, so that work need not stop by itself.
    pub fn has_limit(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether the work was asked to stop, time limits aside.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.request() > self.honoured
    }

    /// Fails if the work was asked to stop. For stages that have no partial result.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](crate::error::Kind::Cancelled).
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Reports an event.
    pub fn report(&self, event: Event<'_>) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }

    /// Reports units of a stage and fails if the work was asked to stop.
    ///
    /// # Errors
    /// As [`Watch::check`].
    pub fn done(&self, stage: Stage, done: u64, of: Option<u64>) -> Result<()> {
        self.report(Event::Done { stage, done, of });
        self.check()
    }
}

/// Counts the units of a stage over all threads.
#[derive(Debug)]
pub struct Counter<'a> {
    watch: &'a Watch,
    stage: Stage,
    done: AtomicU64,
    of: Option<u64>,
}

impl<'a> Counter<'a> {
    /// Nothing is done yet.
    pub fn new(watch: &'a Watch, stage: Stage, of: Option<u64>) -> Self {
        Counter { watch, stage, done: AtomicU64::new(0), of }
    }

    /// Reports one more unit and fails if the work was asked to stop.
    ///
    /// # Errors
    /// As [`Watch::check`].
    pub fn one(&self) -> Result<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.watch.done(self.stage, done, self.of)
    }
}

impl Default for Watch {
    fn default() -> Self {
        Watch::none()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("request", &self.cancel.request())
            .field("honoured", &self.honoured)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn requests_only_get_stronger() {
        let cancel = Cancel::new();
        assert_eq!(cancel.request(), Request::Continue);
        cancel.abort();
        cancel.finish();
        assert_eq!(cancel.request(), Request::Abort);
    }

    #[test]
    fn work_can_have_a_share_of_the_time() {
        let watch = Watch::none().limited_by_share(|share| share <= 0.5);
        assert!(!watch.should_finish() && watch.within(0.5).should_finish());
        assert!(watch.within(0.5).has_limit() && !watch.within(0.5).is_cancelled());
        assert!(!Watch::none().within(0.5).should_finish());
        assert!(Watch::none().limited(|| true).within(0.1).should_finish());
    }

    #[test]
    fn a_handle_requests_by_itself_at_a_question() {
        let watch = Watch::new(Cancel::at_question(3, Request::Abort));
        assert!(watch.check().is_ok() && watch.clone().check().is_ok());
        assert!(watch.check().is_err() && watch.check().is_err());
        assert!(Watch::new(Cancel::at_question(1, Request::Finish)).should_finish());
    }

    #[test]
    fn a_request_is_seen_by_clones_on_other_threads() {
        let watch = Watch::none();
        let clone = watch.clone();
        std::thread::spawn(move || clone.cancel().finish()).join().unwrap();
        assert!(watch.should_finish());
        assert!(watch.check().unwrap_err().is_cancelled());
    }

    #[test]
    fn an_honoured_request_stops_nothing_and_the_next_one_aborts() {
        let watch = Watch::none();
        watch.cancel().finish();
        let later = watch.acknowledge();
        assert!(later.check().is_ok());
        assert!(!later.should_finish());
        later.cancel().abort();
        assert!(later.check().is_err());
        // What was aborted before is not honoured by going on.
        assert!(watch.acknowledge().check().is_err());
    }

    #[test]
    fn any_request_aborts_stages_after_one_that_ended_by_itself() {
        let watch = Watch::none().acknowledge();
        watch.cancel().finish();
        assert!(watch.check().is_err());
    }

    #[test]
    fn a_time_limit_finishes_and_never_aborts() {
        let watch = Watch::none().limited(|| true);
        assert!(watch.should_finish());
        assert!(watch.check().is_ok());
        assert!(!watch.acknowledge().should_finish());
        assert!(!watch.unlimited().should_finish());
    }

    #[test]
    fn events_reach_the_listener() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let watch = Watch::none().listening(move |event| {
            if let Event::Done { stage, done, of } = event {
                kept.lock().unwrap().push((stage, done, of));
            }
        });
        watch.done(Stage::Reading, 3, None).unwrap();
        watch.done(Stage::Writing, 4, Some(5)).unwrap();
        watch.clone().quiet().done(Stage::Writing, 5, Some(5)).unwrap();
        assert_eq!(*seen.lock().unwrap(), [(Stage::Reading, 3, None), (Stage::Writing, 4, Some(5))]);
    }

    #[test]
    fn a_counter_reports_every_unit_and_stops() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let watch = Watch::none().listening(move |event| {
            if let Event::Done { done, .. } = event {
                kept.lock().unwrap().push(done);
            }
        });
        let counter = Counter::new(&watch, Stage::Measuring, Some(3));
        counter.one().unwrap();
        counter.one().unwrap();
        watch.cancel().finish();
        assert!(counter.one().unwrap_err().is_cancelled());
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    }
}
