//! JSON-RPC: what a client's text is, and the texts that go back.

use serde_json::{Value, json};

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// Something to answer.
    Request(Request),
    /// Something to know.
    Notification(Notification),
    /// Input that is not a message, with its answer.
    Refused(Value),
}

/// The number or name of a request.
pub type RequestId = lsp_types::NumberOrString;

/// Something to answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The identifier of the answer.
    pub id: RequestId,
    /// `textDocument/hover`
    pub method: String,
    /// Null if there are none.
    pub params: Value,
}

/// Something to know.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// `textDocument/didOpen`
    pub method: String,
    /// Null if there are none.
    pub params: Value,
}

/// The codes of errors that are answered, of JSON-RPC and of the language server protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCode {
    /// Not JSON.
    ParseError = -32700,
    /// JSON, but no message, or one that is out of place.
    InvalidRequest = -32600,
    /// No such method.
    MethodNotFound = -32601,
    /// Parameters of the wrong shape.
    InvalidParams = -32602,
    /// An internal error.
    InternalError = -32603,
    /// A request before `initialize`.
    ServerNotInitialized = -32002,
    /// The document has changed since.
    ContentModified = -32801,
    /// The client does not want the answer any more.
    RequestCanceled = -32800,
    /// There is no answer, for a reason that the message says.
    RequestFailed = -32803,
}

impl Incoming {
    /// Reads a message.
    pub fn read(text: &[u8]) -> Self {
        match serde_json::from_slice(text) {
            Ok(value) => Self::of(value),
            Err(error) => Self::refused(Value::Null, ErrorCode::ParseError, &error.to_string()),
        }
    }

    /// Input that was not read as a text, such as one that is too long.
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
            // The server asks for nothing whose answer matters.
            (None, Some(_)) if value.get("result").is_some() || value.get("error").is_some() => {
                Self::Notification(Notification { method: "$/answer".into(), params })
            }
            (_, id) => {
                let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
                let message = "not a request and not a notification";
                Self::refused(id, ErrorCode::InvalidRequest, message)
            }
        }
    }

    fn refused(id: Value, code: ErrorCode, message: &str) -> Self {
        Self::Refused(failure(&id, code, message))
    }
}

/// The answer to a request that has none.
pub(crate) fn failure(id: &Value, code: ErrorCode, message: &str) -> Value {
    let error = json!({ "code": code as i32, "message": message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The method with the number of a request, or the number and code of an error.
    fn read(text: &str) -> String {
        match Incoming::read(text.as_bytes()) {
            Incoming::Request(r) => format!("{} {}", json!(r.id), r.method),
            Incoming::Notification(n) => n.method,
            Incoming::Refused(value) => format!("{} {}", value["id"], value["error"]["code"]),
        }
    }

    #[test]
    fn messages() {
        assert_eq!(read(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#), "7 m");
        assert_eq!(read(r#"{"method":"n","params":[]}"#), "n");
        assert_eq!(read(r#"{"id":"x","method":"m"}"#), "\"x\" m");
        assert_eq!(read(r#"{"id":null,"method":"n"}"#), "n");
        assert_eq!(read(r#"{"id":1,"result":null}"#), "$/answer");
    }

    #[test]
    fn what_is_no_message() {
        for (text, answer) in [
            ("{", "null -32700"),
            ("\u{0}", "null -32700"),
            (&"[".repeat(100_000), "null -32700"),
            ("[]", "null -32600"),
            (r#"{"id":5}"#, "5 -32600"),
            (r#"{"id":1.5,"method":"m"}"#, "1.5 -32600"),
            (r#"{"id":4294967296,"method":"m"}"#, "4294967296 -32600"),
            (r#"{"id":{},"method":"m"}"#, "{} -32600"),
        ] {
            assert_eq!(read(text), answer, "{text:.40}");
        }
    }
}
