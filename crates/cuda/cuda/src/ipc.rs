//! Interprocess communication: memory and events that other processes open by 64-byte handles,
//! which may be transferred by any means.
//!
//! A handle names an open file of a process, which other processes open through `/proc`. Therefore
//! nothing is left behind when processes end in whatever way, and a handle of a process that has
//! ended, or of another one with the same number, is recognised as invalid.

use crate::prelude::*;
use crate::state::Gpu;
use std::fs::File;
use std::os::fd::AsRawFd;
use texunit_device::{Block, Pages, Reserved};
use texunit_evidence::ProcessStat;

/// A handle as in C (`CUipcMemHandle`, `CUipcEventHandle`).
pub(crate) type Handle = [u8; 64];

/// First bytes of the handles of memory and of events.
pub(crate) const MEMORY: [u8; 16] = *b"texunit handle m";
const EVENT: [u8; 16] = *b"texunit handle e";

/// Encodes numbers for other processes, after bytes that say what they are.
pub(crate) fn encoded(magic: [u8; 16], numbers: [u64; 3]) -> Handle {
    let mut bytes = [0; 64];
    bytes[..16].copy_from_slice(&magic);
    bytes[16..40].copy_from_slice(numbers.map(u64::to_le_bytes).as_flattened());
    bytes
}

/// The numbers of [`encoded`]; `None` for other bytes.
pub(crate) fn decoded(magic: [u8; 16], bytes: &Handle) -> Option<[u64; 3]> {
    let (words, _) = bytes.as_chunks::<8>();
    let numbers = [2, 3, 4].map(|i| u64::from_le_bytes(words[i]));
    (*bytes == encoded(magic, numbers)).then_some(numbers)
}

/// The label of a memory file of a device: the kind of memory, the number by which all processes
/// know the device, and a number.
pub(crate) fn label(kind: u8, gpu: &Gpu, number: u64) -> Vec<u8> {
    [&[kind], &gpu.index.to_le_bytes()[..], &number.to_le_bytes()].concat()
}

/// The device and the number in a [`label`]; `None` if it is of another kind.
pub(crate) fn read_label(kind: u8, label: &[u8]) -> Option<(i32, u64)> {
    let (&[own, ref index @ ..], number) = label.split_first_chunk::<5>()?;
    let number = u64::from_le_bytes(number.try_into().ok()?);
    (own == kind).then_some((i32::from_le_bytes(*index), number))
}

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
    pub(crate) fn handle(&self, magic: [u8; 16]) -> Handle {
        let process = u64::from(self.file.cast_unsigned()) << 32 | u64::from(self.process);
        encoded(magic, [process, self.began, self.number])
    }

    /// Reads a handle; `CUDA_ERROR_INVALID_VALUE` if it is invalid.
    pub(crate) fn read(handle: &Handle, magic: [u8; 16]) -> Answer<Self> {
        let Some([process, began, number]) = decoded(magic, handle) else {
            bail!(
                "handle is not one that cuIpcGetMemHandle or cuIpcGetEventHandle has given of this kind of thing"
            );
        };
        Ok(Self { process: process as u32, began, file: (process >> 32) as i32, number })
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

/// Kind number in the label of the event's file.
const KIND: u8 = 4;
/// Size of the page in bytes.
const PAGE: u64 = 4096;
/// Offsets of the numbers in the page.
const RECORDED: u64 = 0;
const HAPPENED: u64 = 8;
const PROCESS: u64 = 16;
const BEGAN: u64 = 24;
/// Initial and maximum sleep between polls.
const SLEEP: [Duration; 2] = [Duration::from_micros(20), Duration::from_millis(2)];

/// An event shared between processes (`cuIpcGetEventHandle`): a page mapped by all processes. It
/// contains how often the event was recorded, how often it has completed, and which process
/// recorded it last. Waiting processes poll it; an event recorded by a process that has ended
/// counts as completed.
#[derive(Debug)]
pub(crate) struct SharedEvent {
    /// Mapped page, which keeps the file open.
    block: Block,
    own: Ticket,
}

impl SharedEvent {
    /// Creates an event.
    pub(crate) fn new() -> Answer<Self> {
        Self::map(Pages::shareable(PAGE, &[KIND]).map_err(|error| {
            CUresult::MAP_FAILED.because(format!("the system has no file in memory: {error}"))
        })?)
    }

    fn map(pages: Pages) -> Answer<Self> {
        let none = || CUresult::MAP_FAILED.because("the system has no room for more mappings");
        let pages = Arc::new(pages);
        let (block, _) = map(&pages, "event").map_err(|_| none())?;
        let own = Ticket::own(pages.own_number().ok_or_else(none)?, block.number())?;
        Ok(Self { block, own })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.own.handle(EVENT)
    }

    pub(crate) fn open(handle: &Handle) -> Answer<Self> {
        let ticket = Ticket::read(handle, EVENT)?;
        ensure!(
            !ticket.is_own(),
            CUresult::INVALID_CONTEXT,
            "handle is of this process: events are opened in another one than they were made in"
        );
        let file = ticket.open()?;
        match Pages::of_file(file.as_raw_fd()) {
            Ok((pages, note)) if note == [KIND] && pages.size() == PAGE => Self::map(pages),
            _ => Err(CUresult::MAP_FAILED.because("handle is not one of an event")),
        }
    }

    fn number(&self, at: u64) -> u64 {
        self.block.load_u64(at).unwrap_or_default()
    }

    /// Records the event and returns the number of the record.
    pub(crate) fn recorded(&self) -> u64 {
        let _ = self.block.store_u64(PROCESS, self.own.process.into());
        let _ = self.block.store_u64(BEGAN, self.own.began);
        self.block.add_u64(RECORDED, 1).unwrap_or_default() + 1
    }

    /// Completes the record with this number.
    pub(crate) fn happens(&self, time: u64) {
        let _ = self.block.update_u64(HAPPENED, |happened| happened.max(time));
    }

    /// Whether all records have completed, or the process that made the last one has ended.
    pub(crate) fn has_happened(&self) -> bool {
        self.has_happened_to(self.number(RECORDED))
    }

    fn has_happened_to(&self, time: u64) -> bool {
        if self.number(HAPPENED) >= time {
            return true;
        }
        let process = u32::try_from(self.number(PROCESS)).unwrap_or_default();
        !Ticket { process, began: self.number(BEGAN), ..self.own }.is_alive()
    }

    /// Waits for the last record.
    pub(crate) fn wait(&self) {
        let (time, mut sleep) = (self.number(RECORDED), SLEEP[0]);
        while !self.has_happened_to(time) {
            std::thread::sleep(sleep);
            sleep = (sleep * 2).min(SLEEP[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_read_and_checked() {
        let own = Ticket::own(5, 77).unwrap();
        assert!(own.is_own() && own.is_alive());
        let handle = own.handle(MEMORY);
        assert_eq!(Ticket::read(&handle, MEMORY).unwrap(), own);
        assert!(Ticket::read(&handle, EVENT).is_err());
        assert!(Ticket::read(&[0; 64], MEMORY).is_err());
        // A ticket of another process with the same number is invalid.
        let later = Ticket { began: own.began + 1, ..own };
        assert!(!later.is_alive() && later.open().is_err());
        assert!(!Ticket { process: u32::MAX, ..own }.is_alive());
        // Files other than memory files are not opened.
        assert!(Ticket { file: 0, ..own }.open().is_err());
    }

    #[test]
    fn what_was_recorded_last_counts() {
        let event = SharedEvent::new().unwrap();
        assert!(event.has_happened());
        let first = event.recorded();
        assert!(!event.has_happened());
        let second = event.recorded();
        event.happens(second);
        event.happens(first);
        assert!(event.has_happened());
        event.wait();
        // An event recorded by a process that has ended does not block.
        event.recorded();
        event.block.store_u64(BEGAN, 1).unwrap();
        assert!(event.has_happened());
        assert!(SharedEvent::open(&event.handle()).is_err(), "of this process");
    }
}
