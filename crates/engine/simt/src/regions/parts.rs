//! The parts of functions that are judged as a whole: whether code of all of a part pays, as little as may have been
//! interpreted from each of its places on.

use crate::flow::FunctionCode;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use texunit_flow::Cfg;

/// Instructions of a region at most.
pub(super) const MAX: u32 = 1024;

/// A function, or a part of one that is longer than a region may be.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) insts: Range<u32>,
    /// By mode: how many instructions have been interpreted in it.
    pub(super) interpreted: [AtomicU64; 2],
}

/// The parts of a function with these instructions and loops, in their order.
pub(super) fn parts(loops: &HashMap<u32, u32>, insts: Range<u32>) -> Box<[Part]> {
    let mut parts = Vec::new();
    let mut start = insts.start;
    while start < insts.end {
        let end = end_of_part(loops, start..insts.end);
        parts.push(Part { insts: start..end, interpreted: Default::default() });
        start = end;
    }
    parts.into()
}

/// Where the part ends that the rest of a function begins with: a loop that would go on behind the end is in the next
/// part, unless this one begins with it.
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

/// The loops of a function: the last jump back to each instruction.
pub(super) fn loops(code: &FunctionCode<'_>) -> HashMap<u32, u32> {
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
        // One loop across the end; one around it that the part begins with; one inside.
        assert_eq!(starts(&[(1000, 1100)], 2000), [10, 1000]);
        assert_eq!(starts(&[(10, 1900), (1000, 1100), (20, 30)], 2000), [10, 1000]);
        // The end moves into another loop.
        assert_eq!(starts(&[(1000, 1100), (900, 1005)], 1500), [10, 900]);
        // Longer than a part itself.
        assert_eq!(starts(&[(500, 3000)], 3000), [10, 500, 500 + MAX, 500 + 2 * MAX]);
    }
}
