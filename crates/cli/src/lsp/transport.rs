//! Messages on standard input, robustly: a message that cannot be read is answered with an error,
//! and reading goes on behind it. `lsp-server` has the messages; its reader ends at the first
//! wrong one.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// What was read.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Message),
    /// Something else, with the answer that it gets.
    Refused(Value),
}

/// Longest message, in bytes.
const MAX_LEN: u64 = 2 << 30;
/// Longest line of a header.
const MAX_LINE: u64 = 64 << 10;

/// Reads the next message; none at the end of the input.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length = None;
    let mut garbage = false;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        match text.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<u64>().ok();
                garbage |= length.is_none();
            }
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            None if text.is_empty() => match length {
                Some(length) => return body(input, length).map(Some),
                None if garbage => {
                    return Ok(Some(refused(
                        Value::Null,
                        ErrorCode::ParseError,
                        "expected a header with Content-Length",
                    )));
                }
                None => {}
            },
            _ => garbage = true,
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    if length > MAX_LEN {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let message = format!("messages have at most {MAX_LEN} bytes");
        return Ok(refused(Value::Null, ErrorCode::InvalidRequest, &message));
    }
    let mut bytes = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(match serde_json::from_slice(&bytes) {
        Ok(value) => message(value),
        Err(error) => refused(Value::Null, ErrorCode::ParseError, &error.to_string()),
    })
}

/// A request, a notification or an answer.
fn message(mut value: Value) -> Incoming {
    let params = value.get_mut("params").map_or(Value::Null, Value::take);
    let id = value.get("id").filter(|id| !id.is_null()).cloned();
    match (value.get("method"), id) {
        (Some(Value::String(method)), None) => {
            Incoming::Message(Notification { method: method.clone(), params }.into())
        }
        (Some(Value::String(method)), Some(id)) => match request_id(&id) {
            Some(id) => Incoming::Message(Request { id, method: method.clone(), params }.into()),
            None => refused(id, ErrorCode::InvalidRequest, "ids are strings or 32-bit integers"),
        },
        // The server asks for nothing whose answer matters.
        (None, Some(_)) if value.get("result").is_some() || value.get("error").is_some() => {
            Incoming::Message(Notification { method: "$/answer".into(), params }.into())
        }
        (_, id) => {
            let id = id.filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
            refused(id, ErrorCode::InvalidRequest, "not a request and not a notification")
        }
    }
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(text) => Some(text.clone().into()),
        id => id.as_i64().and_then(|n| i32::try_from(n).ok()).map(Into::into),
    }
}

fn refused(id: Value, code: ErrorCode, message: &str) -> Incoming {
    let error = json!({ "code": code as i32, "message": message });
    Incoming::Refused(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

/// Writes any JSON value as a message.
pub(crate) fn write(out: &mut impl Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What is read of an input: methods and the codes of errors.
    fn all(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap_or(None) {
            found.push(match incoming {
                Incoming::Message(Message::Request(r)) => format!("{} {}", r.id, r.method),
                Incoming::Message(Message::Notification(n)) => n.method,
                Incoming::Message(Message::Response(_)) => unreachable!("answers are not read"),
                Incoming::Refused(value) => format!("{} {}", value["id"], value["error"]["code"]),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages() {
        let request = framed(r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#);
        assert_eq!(all(&request), ["7 m"]);
        assert_eq!(all(&framed(r#"{"method":"n","params":[]}"#)), ["n"]);
        assert_eq!(all(&framed(r#"{"id":"x","method":"m"}"#)), ["\"x\" m"]);
        assert_eq!(all(&framed(r#"{"id":1,"result":null}"#)), ["$/answer"]);
        let typed = "Content-Type: application/vscode-jsonrpc; charset=utf-8\n".to_string();
        assert_eq!(all(&(typed + &request + &request)), ["7 m", "7 m"]);
    }

    #[test]
    fn what_is_no_message() {
        let good = framed(r#"{"method":"n"}"#);
        for (bad, code) in [
            (framed("{"), "null -32700"),
            (framed("\u{0}"), "null -32700"),
            (framed(&"[".repeat(100_000)), "null -32700"),
            (framed("[]"), "null -32600"),
            (framed(r#"{"id":5}"#), "5 -32600"),
            (framed(r#"{"id":1.5,"method":"m"}"#), "1.5 -32600"),
            (framed(r#"{"id":{},"method":"m"}"#), "{} -32600"),
            ("hello\r\n\r\n".into(), "null -32700"),
            ("Content-Length: many\r\n\r\n".into(), "null -32700"),
        ] {
            assert_eq!(all(&(bad.clone() + &good)), [code, "n"], "{bad:.40}");
        }
        assert!(all("Content-Length: 100\r\n\r\n{}").is_empty());
        assert!(all("Content-Length: 18446744073709551615\r\n\r\n").len() == 1);
        assert!(all("").is_empty());
    }
}
