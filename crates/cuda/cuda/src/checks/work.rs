//! Checks of a library's work: uninitialised bytes that it reads (`init`), and kernels that use the
//! memory concurrently (`race`).

use super::*;
use crate::allocation_trace;
use texunit_device::Linear;

/// The check of one piece of work, which is told of each contiguous range.
pub(crate) struct Work<'a> {
    function: &'a str,
    position: &'a QueuePosition,
    has_races: bool,
    has_states: bool,
    /// For each byte of a range, whether it is undefined.
    states: Vec<u8>,
    /// Number of undefined bytes that were read, and the location of the first.
    undefined: Option<(u64, u64, String)>,
}

impl<'a> Work<'a> {
    /// The check of a library's function.
    pub(crate) fn new(function: &'a str, position: &'a QueuePosition) -> Self {
        let has = |check| log().is_some_and(|log| log.has(check));
        let (has_races, has_states) = (has(Check::Race), has(Check::Init));
        Self { function, position, has_races, has_states, states: Vec::new(), undefined: None }
    }

    /// Whether ranges need to be reported to the check.
    pub(crate) fn looks(&self) -> bool {
        self.has_races || self.has_states
    }

    /// Records that a range of memory, at an address, is read, and whether all of it is used.
    pub(crate) fn reads(&mut self, linear: &Linear, (address, len): (u64, u64), is_used: bool) {
        self.access((address, len), false);
        if !self.has_states || !is_used {
            return;
        }
        let offset = address - linear.address();
        self.states.resize(len as usize, 0);
        if !linear.undefined_mask(offset, &mut self.states) {
            return;
        }
        let count = self.states.iter().filter(|&&state| state != 0).count() as u64;
        let first = self.states.iter().position(|&state| state != 0).unwrap_or(0) as u64;
        let name = || {
            let at = address + first - linear.allocation().start;
            format!("byte {at} of {}", linear.allocation_name())
        };
        let (all, ..) = self.undefined.get_or_insert_with(|| (0, linear.number(), name()));
        *all += count;
    }

    /// Records that a range is written.
    pub(crate) fn writes(&self, piece: (u64, u64)) {
        self.access(piece, true);
    }

    fn access(&self, (address, len): (u64, u64), writes: bool) {
        if self.has_races {
            accessed(self.position, (AccessedMemory::Memory(address), len), writes, || {
                self.function.to_owned()
            });
        }
    }

    /// Reports the uninitialised bytes after everything has been read. The work's results count as
    /// initialised, so that one mistake is one finding.
    pub(crate) fn has_read(&mut self) {
        let (Some(log), Some((count, number, object))) = (log(), self.undefined.take()) else {
            return;
        };
        let message = format!(
            "{} reads {} that were never written, the first is {object}",
            self.function,
            Count(count, "byte")
        );
        let call = format!("{} is called at", self.function);
        let (host, notes) = allocation_trace::call_and_allocation(&call, number);
        let finding = Finding::of_process(rules::INIT_LIBRARY, message, notes);
        log.found(Finding { host, ..finding });
        report_new(None, (0, None));
    }
}
