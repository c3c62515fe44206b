//! Interprocess communication: memory and events that other processes open by 64-byte handles,
//! which may be transferred by any means.
//!
//! A handle names an open file of a process, which other processes open through `/proc`. Therefore
//! nothing is left behind when processes end in whatever way, and a handle of a process that has
//! ended, or of another one with the same number, is recognised as invalid.

pub(crate) mod event;

use crate::prelude::*;
use std::fs::File;
use texunit_device::{Block, Pages, Reserved};
use texunit_evidence::ProcessStat;

/// A handle as in C (`CUipcMemHandle`, `CUipcEventHandle`).
pub(crate) type Handle = [u8; 64];

/// Kind of object behind a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// The handle is for memory.
    Memory = b'm',
    /// The handle is for an event.
    Event = b'e',
}

/// First bytes of each handle.
const MAGIC: [u8; 15] = *b"texunit handle ";

/// The contents of a handle: an open file of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    /// Number of the process that exported the object.
    pub(crate) process: u32,
    /// Start time of the process in clock ticks, as process numbers are reused.
    began: u64,
    /// File descriptor in that process.
    file: i32,
    /// Number of the object, which that process never reuses.
    pub(crate) number: u64,
}

/// Start time of a process; `None` if it does not exist.
fn began(process: u32) -> Option<u64> {
    let stat = ProcessStat::read(Path::new(&format!("/proc/{process}")))?;
    // A zombie process has no open files.
    (!stat.has_ended).then_some(stat.started)
}

/// Maps pages at free device addresses, as a block with this name; returns it with its address. An
/// error is a sentence.
pub(crate) fn map(pages: &Arc<Pages>, name: &str) -> Result<(Block, u64), &'static str> {
    let none = "the system has no room for more mappings";
    let reserved = Reserved::new(0, pages.size(), 0).ok_or("there are no free addresses")?;
    let (base, reserved) = (reserved.range().start, Arc::new(reserved));
    let mapped = Arc::new(reserved.map(base, pages, pages.size()).ok_or(none)?);
    let block = Block::of_mapped(vec![mapped], true, (name, Block::next_number()));
    Ok((block.ok_or(none)?, base))
}

impl Ticket {
    /// A ticket for a file of this process.
    pub(crate) fn own(file: i32, number: u64) -> Answer<Self> {
        let process = std::process::id();
        let began = began(process).ok_or_else(|| {
            CUresult::MAP_FAILED.because("the system does not tell of processes (/proc)")
        })?;
        Ok(Self { process, began, file, number })
    }

    /// Encodes the ticket as a handle of the C API.
    pub(crate) fn handle(&self, kind: Kind) -> Handle {
        let mut handle = [0; 64];
        handle[..15].copy_from_slice(&MAGIC);
        handle[15] = kind as u8;
        handle[16..20].copy_from_slice(&self.process.to_le_bytes());
        handle[20..24].copy_from_slice(&self.file.to_le_bytes());
        handle[24..32].copy_from_slice(&self.began.to_le_bytes());
        handle[32..40].copy_from_slice(&self.number.to_le_bytes());
        handle
    }

    /// Reads a handle; `CUDA_ERROR_INVALID_VALUE` if it is invalid.
    pub(crate) fn read(handle: &Handle, kind: Kind) -> Answer<Self> {
        let bytes = |at: usize| -> [u8; 8] { std::array::from_fn(|i| handle[at + i]) };
        let [a, b, c, d, e, f, g, h] = bytes(16);
        let (process, file) = (u32::from_le_bytes([a, b, c, d]), i32::from_le_bytes([e, f, g, h]));
        let ticket = Self {
            process,
            file,
            began: u64::from_le_bytes(bytes(24)),
            number: u64::from_le_bytes(bytes(32)),
        };
        ensure!(
            handle[..15] == MAGIC && handle[15] == kind as u8 && handle[40..] == [0; 24],
            "handle is not one that cuIpcGetMemHandle or cuIpcGetEventHandle has given of this kind of thing"
        );
        Ok(ticket)
    }

    /// Whether the process is still running.
    pub(crate) fn is_alive(&self) -> bool {
        began(self.process) == Some(self.began)
    }

    /// Whether the ticket is of this process.
    pub(crate) fn is_own(&self) -> bool {
        self.process == std::process::id() && self.is_alive()
    }

    pub(crate) fn open(&self) -> Answer<File> {
        let path = format!("/proc/{}/fd/{}", self.process, self.file);
        let failed = |why: String| -> Refusal {
            CUresult::MAP_FAILED.because(format!(
                "what handle stands for, of process {}, is not there: {why}",
                self.process
            ))
        };
        if !self.is_alive() {
            return Err(failed("the process has ended".to_owned()));
        }
        // Only memory files of texunit are opened: the descriptor may have been reused, and opening
        // a device or pipe has side effects.
        let target = std::fs::read_link(&path).map_err(|error| failed(error.to_string()))?;
        if !target.to_string_lossy().starts_with("/memfd:texunit") {
            return Err(failed("it was freed".to_owned()));
        }
        let file = File::options().read(true).write(true).open(&path);
        file.map_err(|error| failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_and_checked() {
        let own = Ticket::own(5, 77).unwrap();
        assert!(own.is_own() && own.is_alive());
        let handle = own.handle(Kind::Memory);
        assert_eq!(Ticket::read(&handle, Kind::Memory).unwrap(), own);
        assert!(Ticket::read(&handle, Kind::Event).is_err());
        assert!(Ticket::read(&[0; 64], Kind::Memory).is_err());
        // A ticket of another process with the same number is invalid.
        let later = Ticket { began: own.began + 1, ..own };
        assert!(!later.is_alive() && later.open().is_err());
        assert!(!Ticket { process: u32::MAX, ..own }.is_alive());
        // Files other than memory files are not opened.
        assert!(Ticket { file: 0, ..own }.open().is_err());
    }
}
