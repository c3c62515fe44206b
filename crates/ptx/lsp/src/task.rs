//! Long-running analyses of a document's text, independent of the server's state so that they can
//! run on other threads.

use crate::config::Config;
use crate::index::Index;
use lsp_types::Uri;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use texunit_syntax::{Diagnostic, SourceFile};

/// A document's text to analyse in two ways: [`Self::index`] and [`Self::check`]. Requests are
/// answered once the server has received both results.
#[derive(Clone, Debug)]
pub struct Task {
    uri: Uri,
    revision: u64,
    source: Arc<SourceFile>,
    config: Arc<Config>,
}

/// The result of a [`Task`].
#[derive(Debug)]
pub struct TaskResult {
    pub(crate) uri: Uri,
    pub(crate) revision: u64,
    pub(crate) found: TaskOutput,
}

/// What a [`Task`] produced.
#[derive(Debug)]
pub(crate) enum TaskOutput {
    /// The index of the document's names.
    Index(Index),
    Diagnostics(Vec<Diagnostic>),
    /// The analysis panicked: an internal error.
    Panic,
}

impl Task {
    pub(crate) fn new(uri: Uri, revision: u64, source: SourceFile, config: Arc<Config>) -> Self {
        Self { uri, revision, source: Arc::new(source), config }
    }

    /// The URI of the document. A newer task for the same document makes older ones obsolete.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The revision of the text; newer revisions have larger numbers.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Builds the index of names.
    pub fn index(&self) -> TaskResult {
        self.attempt(|task| TaskOutput::Index(Index::new(&task.source)))
    }

    /// Runs the checker on the document's text.
    pub fn check(&self) -> TaskResult {
        self.attempt(|task| {
            let mut found = texunit_check::check_source(&task.source, &task.config.options);
            task.config.levels.apply(&mut found);
            TaskOutput::Diagnostics(found)
        })
    }

    /// Runs an analysis; a panic becomes the result [`TaskOutput::Panic`].
    fn attempt(&self, work: impl FnOnce(&Self) -> TaskOutput) -> TaskResult {
        let found = catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or(TaskOutput::Panic);
        TaskResult { uri: self.uri.clone(), revision: self.revision, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_result() {
        let source = SourceFile::new("t", ".version 8.0");
        let task = Task::new("a:a".parse().unwrap(), 1, source, Arc::default());
        assert!(matches!(task.attempt(|_| panic!("a test")).found, TaskOutput::Panic));
        assert!(matches!(task.index().found, TaskOutput::Index(_)));
        let found = task.check();
        assert!(
            matches!(&found.found, TaskOutput::Diagnostics(list) if !list.is_empty()),
            "{found:?}"
        );
        assert_eq!((found.uri.as_str(), found.revision), ("a:a", 1));
    }
}
