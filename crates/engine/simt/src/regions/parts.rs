//! Divides functions into parts, each of which is compiled as a whole if enough instructions of it
//! were interpreted in total.

use crate::code::Code;
use crate::flow::FunctionCode;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use texunit_flow::Cfg;
use texunit_jit::region::Mode;

/// Maximum number of instructions of a region.
pub(super) const MAX: u32 = 1024;

/// Count of interpreted instructions that says that a part was compiled.
pub(super) const COMPILED: u64 = 1 << 63;

/// A function, or a part of a function that is longer than a region may be.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) insts: Range<u32>,
    /// For each mode, the number of instructions that were interpreted in this part.
    interpreted: [AtomicU64; 2],
}

impl Part {
    /// The number of instructions that were interpreted in a mode; from [`COMPILED`] on, the part
    /// was compiled for the mode.
    pub(super) fn interpreted_in(&self, mode: Mode) -> &AtomicU64 {
        &self.interpreted[usize::from(mode == Mode::Some)]
    }
}

/// Divides a function into the parts that become regions, in the order of its instructions.
pub(super) fn parts_of(code: &Code, function: usize) -> Box<[Part]> {
    let of = FunctionCode::new(code, function);
    of.map_or_else(Box::default, |of| parts(&loops(&of), of.range()))
}

/// The parts of a function, in order, given its range and loops.
fn parts(loops: &HashMap<u32, u32>, insts: Range<u32>) -> Box<[Part]> {
    let mut parts = Vec::new();
    let mut start = insts.start;
    while start < insts.end {
        let end = end_of_part(loops, start..insts.end);
        parts.push(Part { insts: start..end, interpreted: Default::default() });
        start = end;
    }
    parts.into()
}

/// The end of the part that begins at the start of `rest`. A loop that would cross the end is moved
/// to the next part, unless this part begins with it.
fn end_of_part(loops: &HashMap<u32, u32>, rest: Range<u32>) -> u32 {
    let mut end = rest.end.min(rest.start.saturating_add(MAX));
    if end == rest.end {
        return end;
    }
    let goes_on = |end: u32| {
        let across =
            loops.iter().filter(|&(&head, &last)| head > rest.start && head < end && last >= end);
        across.map(|(&head, _)| head).min()
    };
    while let Some(head) = goes_on(end) {
        end = head;
    }
    end
}

/// The loops of a function: for each loop header the last branch back to it.
fn loops(code: &FunctionCode<'_>) -> HashMap<u32, u32> {
    let cfg = Cfg::new(code);
    let at = |inst: usize| code.first + inst as u32;
    let ends = |(from, to)| (at(cfg.range(to).start), at(cfg.range(from).end - 1));
    cfg.back_edges().map(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(loops: &[(u32, u32)], len: u32) -> Vec<u32> {
        let loops = loops.iter().copied().collect();
        let parts = parts(&loops, 10..10 + len);
        assert_eq!(parts.first().map(|part| part.insts.start), Some(10));
        assert_eq!(parts.last().map(|part| part.insts.end), Some(10 + len));
        for pair in parts.windows(2) {
            assert_eq!(pair[0].insts.end, pair[1].insts.start);
        }
        assert!(parts.iter().all(|part| (1..=MAX).contains(&(part.insts.end - part.insts.start))));
        parts.iter().map(|part| part.insts.start).collect()
    }

    #[test]
    fn parts_end_before_loops_that_go_on_behind_them() {
        assert_eq!(starts(&[], MAX), [10]);
        assert_eq!(starts(&[], MAX + 1), [10, 10 + MAX]);
        // Three loops: one across the end of a part, an outer one with which the part begins, and
        // an inner one.
        assert_eq!(starts(&[(1000, 1100)], 2000), [10, 1000]);
        assert_eq!(starts(&[(10, 1900), (1000, 1100), (20, 30)], 2000), [10, 1000]);
        // Moving the end before one loop places it in another loop.
        assert_eq!(starts(&[(1000, 1100), (900, 1005)], 1500), [10, 900]);
        // A loop that is longer than a part.
        assert_eq!(starts(&[(500, 3000)], 3000), [10, 500, 500 + MAX, 500 + 2 * MAX]);
    }
}
