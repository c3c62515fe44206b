//! Work on texts beside the loop: one thread makes indexes, one checks. Of each document only the
//! newest text waits; a text that was replaced before its turn is never looked at.

use super::config::Config;
use super::index::Index;
use lsp_types::Uri;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use texunit_syntax::{Diagnostic, SourceFile};

/// A text to look at.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The document.
    pub(crate) uri: Uri,
    /// The number of this text; results carry it.
    pub(crate) revision: u64,
    /// The text.
    pub(crate) source: Arc<SourceFile>,
    /// How it is checked.
    pub(crate) config: Arc<Config>,
}

/// What a worker has found.
#[derive(Debug)]
pub(crate) enum Found {
    /// The names.
    Index(Index),
    /// The mistakes.
    Diagnostics(Vec<Diagnostic>),
    /// A bug of ours.
    Panic,
}

/// A result.
#[derive(Debug)]
pub(crate) struct Done {
    /// The document.
    pub(crate) uri: Uri,
    /// The number of the text.
    pub(crate) revision: u64,
    /// The result.
    pub(crate) found: Found,
}

/// The jobs that wait for a worker.
#[derive(Default)]
struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    filled: Condvar,
}

/// A thread with its jobs.
#[derive(Clone)]
pub(crate) struct Worker(Arc<Queue>);

/// Parsing and checking nest to a limited depth; this is far more than they need.
const STACK: usize = 16 << 20;

impl Worker {
    /// Starts a thread that does `work` for each job.
    pub(crate) fn start<T: Send + 'static>(
        name: &str,
        results: Sender<T>,
        wrap: fn(Done) -> T,
        work: fn(&Job) -> Found,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let worker = Self(queue.clone());
        std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(move || {
            loop {
                let job = queue.next();
                let found = catch_unwind(AssertUnwindSafe(|| work(&job)));
                let found = found.unwrap_or(Found::Panic);
                let done = Done { uri: job.uri, revision: job.revision, found };
                if results.send(wrap(done)).is_err() {
                    return;
                }
            }
        })?;
        Ok(worker)
    }

    /// Adds a job in the place of an older one of the same document.
    pub(crate) fn post(&self, job: Job) {
        let mut jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        match jobs.iter_mut().find(|j| j.uri == job.uri) {
            Some(older) => *older = job,
            None => jobs.push_back(job),
        }
        self.0.filled.notify_one();
    }

    /// Forgets the job of a document that was closed.
    pub(crate) fn forget(&self, uri: &Uri) {
        let mut jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.retain(|j| j.uri != *uri);
    }
}

impl Queue {
    fn next(&self) -> Job {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match jobs.pop_front() {
                Some(job) => return job,
                None => jobs = self.filled.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Makes the index.
pub(crate) fn index(job: &Job) -> Found {
    Found::Index(Index::new(&job.source))
}

/// Checks.
pub(crate) fn check(job: &Job) -> Found {
    let mut diagnostics = texunit_check::check_source(&job.source, &job.config.options);
    job.config.levels.apply(&mut diagnostics);
    Found::Diagnostics(diagnostics)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    fn job(uri: &str, revision: u64) -> Job {
        let source = Arc::new(SourceFile::new("t", ".version 8.0"));
        Job { uri: uri.parse().unwrap(), revision, source, config: Arc::default() }
    }

    #[test]
    fn only_the_newest_text_waits() {
        let worker = Worker(Arc::default());
        worker.post(job("a:a", 1));
        worker.post(job("a:b", 2));
        worker.post(job("a:a", 3));
        worker.post(job("a:c", 4));
        worker.forget(&"a:c".parse().unwrap());
        let next = || worker.0.next().revision;
        assert_eq!([next(), next()], [3, 2]);
        assert!(worker.0.jobs.lock().unwrap().is_empty());
    }

    #[test]
    fn a_panic_does_not_end_the_worker() {
        let (sender, receiver) = channel();
        let work = |job: &Job| match job.revision {
            1 => panic!("a test"),
            _ => Found::Diagnostics(Vec::new()),
        };
        let worker = Worker::start("test", sender, |d| d, work).unwrap();
        let wait = Duration::from_secs(10);
        worker.post(job("a:a", 1));
        assert!(matches!(receiver.recv_timeout(wait).unwrap().found, Found::Panic));
        worker.post(job("a:a", 2));
        assert_eq!(receiver.recv_timeout(wait).unwrap().revision, 2);
    }
}
