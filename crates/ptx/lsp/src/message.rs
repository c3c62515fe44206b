//! JSON-RPC: parsing of the client's messages, and construction of answers.

use serde_json::{Value, json};

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// A request, which must be answered.
    Request(Request),
    /// A notification, which is not answered.
    Notification(Notification),
    /// Invalid input, with the error answer to send.
    Refused(Value),
}

/// The id of a request: a number or a string.
pub type RequestId = lsp_types::NumberOrString;

/// A request, which must be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id of the request, which the answer repeats.
    pub id: RequestId,
    /// The requested method, such as `textDocument/hover`.
    pub method: String,
    /// The parameters of the method; null if there are none.
    pub params: Value,
}

/// A notification, which is not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The notified method, such as `textDocument/didOpen`.
    pub method: String,
    /// The parameters of the method; null if there are none.
    pub params: Value,
}

/// Error codes of JSON-RPC and of the language server protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// The input is not JSON.
    ParseError = -32700,
    /// The JSON is not a message, or the message is not valid at this time.
    InvalidRequest = -32600,
    /// The method does not exist.
    MethodNotFound = -32601,
    /// The parameters have the wrong type.
    InvalidParams = -32602,
    /// The server has a bug: an internal error.
    InternalError = -32603,
    /// A request arrived before `initialize`.
    ServerNotInitialized = -32002,
    /// The document has changed since the request.
    ContentModified = -32801,
    /// The client has cancelled the request.
    RequestCanceled = -32800,
    /// The request failed for the reason in the error's message.
    RequestFailed = -32803,
}

impl Incoming {
    /// Parses a message from the client.
    pub fn read(text: &[u8]) -> Self {
        match serde_json::from_slice(text) {
            Ok(value) => Self::of(value),
            Err(error) => Self::unreadable(ErrorCode::ParseError, &error.to_string()),
        }
    }

    /// The answer to input that could not be read, such as a message that is too long.
    pub fn unreadable(code: ErrorCode, message: &str) -> Self {
        Self::refused(Value::Null, code, message)
    }

    fn of(mut value: Value) -> Self {
        let params = value.get_mut("params").map_or(Value::Null, Value::take);
        let id = value.get("id").filter(|id| !id.is_null()).cloned();
        match (value.get("method"), id) {
            (Some(Value::String(method)), None) => {
                Self::Notification(Notification { method: method.clone(), params })
            }
            (Some(Value::String(method)), Some(id)) => match serde_json::from_value(id.clone()) {
                Ok(id) => Self::Request(Request { id, method: method.clone(), params }),
                Err(_) => {
                    let message = "ids are strings or 32-bit integers";
                    Self::refused(id, ErrorCode::InvalidRequest, message)
                }
            },
            // The client's answers to requests of the server are ignored.
            (None, Some(_)) if value.get("result").is_some() || value.get("error").is_some() => {
                Self::Notification(Notification { method: "$/answer".into(), params })
            }
            (_, id) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
                Self::refused(id, ErrorCode::InvalidRequest, "not a request and not a notification")
            }
        }
    }

    fn refused(id: Value, code: ErrorCode, message: &str) -> Self {
        Self::Refused(failure(&id, code, message))
    }
}

/// The error answer to a request.
pub(crate) fn failure(id: &Value, code: ErrorCode, message: &str) -> Value {
    let error = json!({ "code": code as i32, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
