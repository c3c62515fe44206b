//! Reads messages of the protocol. An invalid message is answered with an error, and reading
//! continues after it.

use crate::framing::{self, Unframed};
use std::io::{self, BufRead};
use texunit_lsp::{ErrorCode, Incoming};

/// Maximum length of a message in bytes.
const MAX_LEN: u64 = 2 << 30;

/// Reads the next message; `None` at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    Ok(framing::read(input, MAX_LEN)?.map(|body| match body {
        Ok(bytes) => Incoming::read(&bytes),
        Err(Unframed::NoLength) => {
            let message = "expected a header with Content-Length";
            Incoming::unreadable(ErrorCode::ParseError, message)
        }
        Err(Unframed::TooLong) => {
            let message = format!("messages have at most {MAX_LEN} bytes");
            Incoming::unreadable(ErrorCode::InvalidRequest, &message)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The methods and error codes that are read from an input.
    fn all(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap_or(None) {
            found.push(match incoming {
                Incoming::Request(r) => format!("{} {}", serde_json::json!(r.id), r.method),
                Incoming::Notification(n) => n.method,
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
        assert_eq!(all(&framed(r#"{"id":null,"method":"n"}"#)), ["n"]);
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
            (framed(r#"{"id":4294967296,"method":"m"}"#), "4294967296 -32600"),
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
