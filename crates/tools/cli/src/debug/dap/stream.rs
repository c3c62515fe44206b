//! The framing of the protocol: headers, an empty line, and as many bytes as the headers say.

use super::DebugEvent;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::Sender;

/// Maximum size of a message in bytes.
const LONGEST: usize = 64 << 20;

/// Reads messages and sends them to the main loop.
pub(super) fn read(from: impl Read, to: &Sender<DebugEvent>) {
    let mut from = BufReader::new(from);
    while let Some(message) = message(&mut from) {
        if to.send(DebugEvent::Request(message)).is_err() {
            return;
        }
    }
    let _ = to.send(DebugEvent::Closed);
}

fn message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.take(4096).read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|&length| length <= LONGEST)?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
