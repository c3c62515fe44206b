//! The framing of messages of the Language Server Protocol and of the Debug Adapter Protocol:
//! headers, an empty line, and as many bytes as the headers say.

use std::io::{self, BufRead, Read, Write};

/// Maximum length of a header line.
const MAX_LINE: u64 = 64 << 10;

/// Why a message has no body. The next message can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unframed {
    /// No header has its length.
    NoLength,
    /// The body is longer than what is read at the most.
    TooLong,
}

/// Reads the body of the next message, which has `most` bytes at the most; `None` at the end of the
/// input.
pub(crate) fn read(
    input: &mut impl BufRead,
    most: u64,
) -> io::Result<Option<Result<Vec<u8>, Unframed>>> {
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
                Some(length) => return body(input, length, most).map(Some),
                None if garbage => return Ok(Some(Err(Unframed::NoLength))),
                None => {}
            },
            _ => garbage = true,
        }
    }
}

fn body(input: &mut impl BufRead, length: u64, most: u64) -> io::Result<Result<Vec<u8>, Unframed>> {
    if length > most {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        return Ok(Err(Unframed::TooLong));
    }
    let mut bytes = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Ok(bytes)) }
}

/// Writes a message.
pub(crate) fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}
