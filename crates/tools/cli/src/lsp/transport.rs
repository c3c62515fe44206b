//! Reads and writes messages of the protocol. An invalid message is answered with an error, and
//! reading continues after it.

use std::io::{self, BufRead, Read, Write};
use texunit_lsp::{ErrorCode, Incoming};

/// Maximum length of a message in bytes.
const MAX_LEN: u64 = 2 << 30;
/// Maximum length of a header line.
const MAX_LINE: u64 = 64 << 10;

/// Reads the next message; `None` at the end of the input.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
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
                    let message = "expected a header with Content-Length";
                    return Ok(Some(Incoming::unreadable(ErrorCode::ParseError, message)));
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
        return Ok(Incoming::unreadable(ErrorCode::InvalidRequest, &message));
    }
    let mut bytes = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Incoming::read(&bytes))
}

/// Writes a message.
pub(super) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
