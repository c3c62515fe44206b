//! The log of errors (driver API, "Error Log Management Functions").

use crate::api::*;
use crate::log::{self, MAX_CALLBACKS, RegisteredCallback};

/// Line that stands for lost messages.
const CUT: &str = "[older messages are lost]";

driver_api! {
    /// Registers a callback for log messages.
    fn cuLogsRegisterCallback(callbackFunc, userData, callback_out) {
        let function = callbackFunc.ok_or(CUresult::INVALID_VALUE.because("callbackFunc is null"))?;
        ensure!(
            RegisteredCallback::registry().all(|_| true).len() < MAX_CALLBACKS,
            "{MAX_CALLBACKS} functions are called with each message already"
        );
        let callback = RegisteredCallback { function, data: userData.expose_provenance() };
        callback_out.set_if(RegisteredCallback::registry().insert(callback).number());
        Ok(())
    }

    /// Unregisters the callback.
    fn cuLogsUnregisterCallback(callback) {
        RegisteredCallback::registry().remove(Handle::of(callback)).map(|_| ()).ok_or_else(|| {
            invalid!("callback {callback:#x} is not one of cuLogsRegisterCallback")
        })
    }

    /// The position at which the next message will be logged.
    fn cuLogsCurrent(iterator_out, flags) {
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        iterator_out.set(log::current())
    }

    /// Writes log messages to a file.
    fn cuLogsDumpToFile(iterator, pathToFile, flags) {
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let path = pathToFile.get().map_err(|refusal| refusal.named("pathToFile"))?;
        let messages = log::since(iterator.get_if());
        let cut = messages.is_cut.then(|| CUT.to_owned());
        let text: String =
            cut.into_iter().chain(messages.lines).map(|line| line + "\n").collect();
        std::fs::write(&path, text).map_err(|error| {
            invalid!("{path:?} cannot be written: {error}")
        })?;
        iterator.out().set_if(messages.next);
        Ok(())
    }

    /// Writes log messages to a buffer, the newest that fit.
    fn cuLogsDumpToMemory(iterator, buffer, size, flags) {
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        buffer.check()?;
        let room = size.get()?;
        let messages = log::since(iterator.get_if());
        // Each line ends with a newline, and the buffer with a zero.
        let mut left = room.saturating_sub(1);
        let mut kept: Vec<&str> = Vec::new();
        for line in messages.lines.iter().rev() {
            // The loop stops while there is still room for the line about lost messages.
            if left <= line.len() {
                break;
            }
            left -= line.len() + 1;
            kept.push(line);
        }
        let is_cut = messages.is_cut || kept.len() < messages.lines.len();
        if is_cut {
            while left <= CUT.len() && kept.len() > 1 {
                left += kept.pop().map_or(0, |line| line.len() + 1);
            }
            if left > CUT.len() {
                kept.push(CUT);
            }
        }
        let text: String = kept.iter().rev().flat_map(|line| [*line, "\n"]).collect();
        size.out().set(text.len())?;
        ensure!(
            !text.is_empty() || messages.lines.is_empty(),
            "size {room} is not enough for the newest message"
        );
        if room > 0 {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            // SAFETY: the caller's buffer holds `room` bytes, and the text fits.
            unsafe { buffer.room(room) }.write(0, &bytes)?;
        }
        iterator.out().set_if(messages.next);
        Ok(())
    }
}
