//! Events shared between processes (`cuIpcGetEventHandle`).
//!
//! Such an event is a page mapped by all processes. It contains how often the event was recorded,
//! how often it has completed, and which process recorded it last. Waiting processes poll it; an
//! event recorded by a process that has ended counts as completed.

use super::*;
use std::os::fd::AsRawFd;

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

/// An event shared between processes.
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
        let (block, _) = super::map(&pages, "event").map_err(|_| none())?;
        let file = pages.own_number().ok_or_else(none)?;
        let own = Ticket::own(file, block.number())?;
        Ok(Self { block, own })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.own.handle(Kind::Event)
    }

    pub(crate) fn open(handle: &Handle) -> Answer<Self> {
        let ticket = Ticket::read(handle, Kind::Event)?;
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
