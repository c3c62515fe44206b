//! Refusals of methods' inputs.

use serde_json::Value;

/// The invalid input because of which a method has refused a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Refusal {
    /// The message about the invalid input.
    pub message: String,
    /// The key with the invalid value.
    pub key: Option<&'static str>,
    /// Advice for a valid input.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal that no key is to blame for.
    pub fn new(message: impl ToString) -> Self {
        // Dashes before options are removed from the message, because keys are named like options
        // without dashes.
        Self { message: message.to_string().replace("--", ""), ..Self::default() }
    }

    /// A refusal because of the value of a key.
    pub fn of(key: &'static str, message: impl ToString) -> Self {
        Self { key: Some(key), ..Self::new(message) }
    }
}

/// The result of a method: JSON, or a refusal.
pub(crate) type MethodResult = Result<Value, Refusal>;

/// The result of a method with bytes: JSON and bytes, or a refusal.
pub(crate) type BytesResult = Result<(Value, Vec<u8>), Refusal>;
