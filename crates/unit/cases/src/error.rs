//! What is wrong with a case.

use std::fmt::Display;

/// A case file that cannot be read, or a case that cannot be made. It names the file and the
/// case as far as they are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .place.iter().map(|p| format!("{p}: ")).collect::<String>())]
pub struct CaseError {
    /// From the outside in: file, case, key.
    pub place: Vec<String>,
    /// What is wrong there.
    pub message: String,
}

impl CaseError {
    /// An error at a place that is not known yet.
    pub fn new(message: impl Display) -> Self {
        Self { place: Vec::new(), message: message.to_string() }
    }

    /// This error with the place around it that it happened in.
    #[must_use]
    pub fn within(mut self, place: impl Display) -> Self {
        self.place.insert(0, place.to_string());
        self
    }
}

/// Adds the place to an error.
pub(crate) trait Within<T> {
    fn within(self, place: impl Display) -> Result<T, CaseError>;
}

impl<T> Within<T> for Result<T, CaseError> {
    fn within(self, place: impl Display) -> Result<T, CaseError> {
        self.map_err(|e| e.within(place))
    }
}

impl<T> Within<T> for Result<T, String> {
    fn within(self, place: impl Display) -> Result<T, CaseError> {
        self.map_err(|e| CaseError::new(e).within(place))
    }
}
