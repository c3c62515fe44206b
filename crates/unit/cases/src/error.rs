//! Errors in case files.

use std::fmt::Display;

/// The result of reading a file, or of building a case.
pub type Result<T, E = CaseError> = std::result::Result<T, E>;

/// A case file that cannot be read, or a case that cannot be built. The error names the file and
/// the case, if known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .place.iter().map(|p| format!("{p}: ")).collect::<String>())]
pub struct CaseError {
    /// Where the error is: file, case and key, the outermost first.
    pub place: Vec<String>,
    /// The error message.
    pub message: String,
}

impl CaseError {
    /// Makes an error that does not yet say where it is.
    pub fn new(message: impl Display) -> Self {
        Self { place: Vec::new(), message: message.to_string() }
    }

    /// Adds an outer context (a file, a case or a key) to the front of `place`.
    #[must_use]
    pub fn within(mut self, place: impl Display) -> Self {
        self.place.insert(0, place.to_string());
        self
    }
}

/// Adds a context to the error of a result.
pub(crate) trait Within<T> {
    fn within(self, place: impl Display) -> Result<T>;
}

impl<T> Within<T> for Result<T> {
    fn within(self, place: impl Display) -> Result<T> {
        self.map_err(|e| e.within(place))
    }
}

impl<T> Within<T> for Result<T, String> {
    fn within(self, place: impl Display) -> Result<T> {
        self.map_err(|e| CaseError::new(e).within(place))
    }
}
