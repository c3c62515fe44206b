//! Why a launch has stopped.

use std::path::PathBuf;
use texunit_job::Problem;
use texunit_syntax::Diagnostic;

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
