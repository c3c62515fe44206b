//! Why a launch or another command has stopped.

use std::path::PathBuf;
use texunit_job::Problem;
use texunit_syntax::Diagnostic;

/// Why a command has no result.
pub(crate) enum Stopped {
    /// Wrong usage.
    Usage(String),
    /// The text for standard error.
    Failed(String),
}

/// What stopped the launch, or prevented an output from being written.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A problem in the job.
    Job(Problem),
    /// An error in the PTX, or a warning beside one.
    Ptx(Diagnostic),
    /// An error about a file without a position in the job: the job file itself, or an output.
    File {
        /// The file.
        path: PathBuf,
        /// The message.
        message: String,
        /// Advice.
        help: Option<String>,
    },
}
