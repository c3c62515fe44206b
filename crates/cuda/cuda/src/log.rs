//! The error log that programs can read (driver API, "Error Log Management Functions"): the reasons
//! of refused calls, in the words of `--report-api-errors`. The newest messages are kept, up to
//! 25,600 bytes.

use crate::current_call::in_program;
use crate::prelude::*;
use std::collections::VecDeque;
use std::ffi::c_char;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum size in bytes of the kept messages.
const ROOM: usize = 25_600;
/// The log level of errors (`CU_LOG_LEVEL_ERROR`).
const ERROR: u32 = 0;
/// Maximum number of registered callbacks, each of which is called for every message.
pub(crate) const MAX_CALLBACKS: usize = 1000;

/// The type of log callbacks (`CUlogsCallback`).
pub(crate) type Callback = unsafe extern "C" fn(*mut c_void, u32, *mut c_char, usize);

pub(crate) struct RegisteredCallback {
    pub(crate) function: Callback,
    pub(crate) data: usize,
}

object!(RegisteredCallback, "a callback of cuLogsRegisterCallback", INVALID_VALUE);

#[derive(Default)]
struct Log {
    messages: VecDeque<String>,
    /// Number of the next message, which the API uses as an iterator.
    next: u32,
    bytes: usize,
}

fn log() -> MutexGuard<'static, Log> {
    static LOG: Mutex<Log> = Mutex::new(Log { messages: VecDeque::new(), next: 0, bytes: 0 });
    lock(&LOG)
}

/// Logs a refused call.
pub(crate) fn refused(function: &str, code: &str, reason: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, process) = (now.as_secs(), std::process::id());
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    let mut message = format!("[{hours:02}:{minutes:02}:{:02}.", seconds % 60);
    let _ = write!(message, "{:03}][{process}][CUDA][E][{function}] {code}: ", now.subsec_millis());
    message.extend(reason.chars().map(|c| if c.is_control() { ' ' } else { c }));
    message.truncate(message.floor_char_boundary(ROOM));
    {
        let mut log = log();
        log.bytes += message.len();
        log.next = log.next.wrapping_add(1);
        log.messages.push_back(message.clone());
        while log.bytes > ROOM {
            let oldest = log.messages.pop_front();
            log.bytes -= oldest.map_or(log.bytes, |oldest| oldest.len());
        }
    }
    for (_, callback) in RegisteredCallback::registry().all_with_handles(|_| true) {
        let mut text = message.clone().into_bytes();
        let size = text.len();
        text.push(0);
        let data = std::ptr::with_exposed_provenance_mut(callback.data);
        // SAFETY: the program's callback is called with the driver's arguments.
        in_program(|| unsafe { (callback.function)(data, ERROR, text.as_mut_ptr().cast(), size) });
    }
}

/// Number of the next message.
pub(crate) fn current() -> u32 {
    log().next
}

/// The recent log messages, oldest first.
pub(crate) struct Messages {
    pub(crate) lines: Vec<String>,
    /// Whether requested messages have been dropped.
    pub(crate) is_cut: bool,
    /// Number of the next message.
    pub(crate) next: u32,
}

/// The messages from a number on, or all.
pub(crate) fn since(first: Option<u32>) -> Messages {
    let log = log();
    let kept = log.messages.len();
    let wanted = first.map_or(log.next, |first| log.next.wrapping_sub(first)) as usize;
    // An iterator from the future has no messages.
    let wanted = if wanted > u32::MAX as usize / 2 { 0 } else { wanted };
    let lines = log.messages.iter().skip(kept.saturating_sub(wanted)).cloned().collect();
    Messages { lines, is_cut: wanted > kept, next: log.next }
}
