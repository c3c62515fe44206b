//! Checks of copies and of a library's work: uninitialised bytes that reach the host or that the
//! library reads (`init`), and kernels that use the memory concurrently (`race`).

use super::*;
use crate::allocation_trace;
use crate::memory::endpoint::Endpoint;
use std::fmt::Display;
use texunit_checks::Padding;
use texunit_device::Linear;
use texunit_report::Severity;

/// Maximum number of ranges of undefined bytes kept for a copy.
const MAX_RUNS: usize = 1 << 20;

/// The check of a copy, which is told of each contiguous piece.
pub(crate) struct Watch<'a> {
    from: &'a Endpoint<'a>,
    to: &'a Endpoint<'a>,
    /// Position for the race detector, if races are checked.
    race: Option<&'a QueuePosition>,
    /// For each byte of a piece, whether it is undefined.
    states: Vec<u8>,
    /// Whether the destination keeps track of undefined bytes.
    is_tracked: bool,
    /// Number of undefined bytes that have reached the host, and the position of the first.
    lost: Option<(u64, [u64; 3])>,
    /// Ranges of undefined bytes, relative to the start of the copy, and the length checked so far;
    /// not kept for rows and 3D regions.
    runs: Option<(Vec<Range<u64>>, u64)>,
    /// Position of the first piece.
    begin: Option<[u64; 3]>,
    /// Accessed ranges of memory that the program can access, too, and whether they are written.
    shared: Vec<(u64, u64, bool)>,
}

/// Adds a range to those that a copy reads or writes, merged with the previous one if they are
/// contiguous.
fn push(pieces: &mut Vec<(u64, u64, bool)>, (at, len): (u64, u64), writes: bool) {
    let before = pieces.iter_mut().rev().find(|piece| piece.2 == writes);
    match before.filter(|piece| piece.0 + piece.1 == at) {
        Some(piece) => piece.1 += len,
        None => pieces.push((at, len, writes)),
    }
}

/// Records asynchronous work, which `what` names, on these ranges of memory that the program can
/// access, too; each with whether it is written.
pub(crate) fn submitted(
    queue: Queue,
    what: impl Display,
    pieces: impl Iterator<Item = ((u64, u64), bool)>,
) {
    if super::race().is_none() {
        return;
    }
    let mut all = Vec::new();
    pieces.for_each(|(range, writes)| push(&mut all, range, writes));
    if !all.is_empty() {
        // The program's call site.
        let place = allocation_trace::current_frames().into_iter().next();
        let place = place.map_or_else(String::new, |place| format!(" at {place}"));
        super::waited(|race| race.streams().copies(queue, format!("{what}{place}"), &all));
    }
}

impl<'a> Watch<'a> {
    /// The check of a copy; `None` if neither races nor initialisation are checked.
    pub(crate) fn new(
        from: &'a Endpoint,
        to: &'a Endpoint,
        position: &'a QueuePosition,
    ) -> Option<Self> {
        let log = log()?;
        let race = log.has(Check::Race).then_some(position);
        let is_tracked = log.has(Check::Init);
        let looks = race.is_some() || is_tracked;
        let (states, lost, shared) = (Vec::new(), None, Vec::new());
        let (runs, begin) = (Some((Vec::new(), 0)), None);
        looks.then_some(Self { from, to, race, states, is_tracked, lost, runs, begin, shared })
    }

    /// Records that a piece has been copied between these positions.
    pub(crate) fn copied(&mut self, from: [u64; 3], to: [u64; 3], len: usize) {
        if let Some(position) = self.race {
            for (place, at, writes) in [(self.to, to, true), (self.from, from, false)] {
                if let Some((array, offset)) = place.in_array(at, len as u64) {
                    copied(position, (AccessedMemory::Array(array, offset), len as u64), writes);
                }
                if let Some(range) = place.range(at, len as u64) {
                    copied(position, (AccessedMemory::Memory(range.0), range.1), writes);
                    if place.is_of_host() && !position.is_late() {
                        push(&mut self.shared, range, writes);
                    }
                }
            }
        }
        if !self.is_tracked {
            return;
        }
        let begin = *self.begin.get_or_insert(from);
        let (at, is_row) = (from[0].wrapping_sub(begin[0]), from[1..] == begin[1..]);
        if let Some((_, end)) = self.runs.as_mut().filter(|(_, end)| is_row && *end == at) {
            *end += len as u64;
        } else {
            self.runs = None;
        }
        self.states.resize(len, 0);
        if !self.from.undefined_mask(from, &mut self.states) {
            // Initialised bytes need no further check.
            return;
        }
        self.to.set_states(to, &self.states);
        if self.to.is_of_host() {
            let undefined = self.states.iter().filter(|&&state| state != 0).count() as u64;
            let first = self.states.iter().position(|&state| state != 0).unwrap_or(0) as u64;
            let (count, _) = self.lost.get_or_insert((0, [from[0] + first, from[1], from[2]]));
            *count += undefined;
            self.note_runs(at);
        }
    }

    /// Records the ranges of undefined bytes in a piece that begins at `at`.
    fn note_runs(&mut self, at: u64) {
        let Some((runs, _)) = &mut self.runs else { return };
        for (i, _) in (at..).zip(&self.states).filter(|(_, state)| **state != 0) {
            if let Some(run) = runs.last_mut().filter(|run| run.end == i) {
                run.end += 1;
            } else if runs.len() < MAX_RUNS {
                runs.push(i..i + 1);
            } else {
                self.runs = None;
                return;
            }
        }
    }
}

/// At the end of the copy, undefined bytes that reached the host are reported.
impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(&QueuePosition { queue, .. }) = self.race {
            if self.to.is_host() {
                // A copy to pageable memory returns only when it is done.
                super::waited(|race| race.streams().synchronize(queue));
            } else if !self.shared.is_empty() {
                let written = self.shared.iter().filter(|piece| piece.2).map(|piece| piece.1);
                let read = self.shared.iter().filter(|piece| !piece.2).map(|piece| piece.1);
                let bytes = Count(written.sum::<u64>().max(read.sum()), "byte");
                let pieces = self.shared.iter().map(|&(at, len, writes)| ((at, len), writes));
                submitted(queue, format_args!("a copy of {bytes}"), pieces);
            }
        }
        let (Some(log), Some((count, at))) = (log(), self.lost.take()) else { return };
        let (number, object) = self.from.named(at);
        let bytes = Count(count, "byte");
        // Undefined bytes that a kernel stored there may come from other memory, which is named.
        let address = self.from.range(at, 1).map_or(0, |(address, _)| address);
        let moved = log.moved(address, number).map(|moved| format!("the first byte was {moved}"));
        let what = match &moved {
            Some(moved)
                if moved.contains(" from texel ") || moved.contains(" from the block of ") =>
            {
                "that depend on texels that were never written"
            }
            Some(_) => "that depend on memory that was never written",
            None => "that were never written",
        };
        let padding = self.runs.take().and_then(|(runs, len)| Padding::of(&runs, len));
        let each = padding.map_or_else(String::new, |Padding { stride, elements, bytes }| {
            format!(
                ", {bytes} in each of {} of {}, as the padding of structures",
                Count(elements, "element"),
                Count(stride, "byte")
            )
        });
        let message = format!("a copy to the host has {bytes} {what}{each}, the first is {object}");
        let (host, frames) = allocation_trace::call_and_allocation("the copy is at", number);
        let notes = moved.into_iter().chain(frames).collect();
        let finding = Finding::of_process(rules::INIT_COPY_TO_HOST, message, notes);
        let is_padding = padding.is_some();
        let severity = if is_padding { Severity::Note } else { finding.severity };
        let help = is_padding.then(|| {
            "nobody reads padding; where it is not to leave the device, set the memory first (`cudaMemset`), and else \
             suppress the finding (`rule: padding`)"
                .to_owned()
        });
        log.found(Finding { host, severity, is_padding, help, ..finding });
        report_new(None, (0, None));
    }
}

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

    /// Whether the check for races or for uninitialised memory is on and needs the ranges accessed.
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
