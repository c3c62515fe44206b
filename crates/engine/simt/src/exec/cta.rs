//! Start of CTAs and warps, and faults of their threads.

use super::context::Context;
use super::outcome::{At, Done, PendingFault};
use super::warp::{Split, State, Warp};
use crate::code::{OF_CTA, PRODUCTS};
use crate::fault::FaultKind;
use crate::lower::Program;
use crate::observe::{coordinates, linear_index};
use crate::runtime::Caller;
use crate::stats::Fault;
use std::fmt::Write;
use texunit_forms::Count;
use texunit_memory::Fill;
use texunit_syntax::Span;

/// Number of calls that a fault keeps at either end of a long call chain.
const CALLS_SHOWN: usize = 50;

impl Context<'_> {
    /// The fault of a launch that waits for memory which nothing will change, reported for one of
    /// the waiting threads.
    pub(super) fn waits_in_vain(&self, warps: &[Warp], kind: FaultKind) -> Box<Fault> {
        self.fault_of(Self::any_waiting(warps).unwrap_or(&warps[0]), kind)
    }

    /// A warp that waits: one that can run, or else any.
    pub(super) fn any_waiting(warps: &[Warp]) -> Option<&Warp> {
        let ready = |warp: &&Warp| warp.splits.iter().any(|split| split.state == State::Ready);
        warps.iter().find(ready).or_else(|| warps.iter().find(|warp| warp.live != 0))
    }

    /// Starts a CTA: all its threads are at the first instruction of the kernel.
    pub(super) fn begin_cta(&mut self, index: u64, warps: &mut [Warp]) -> Result<(), Box<Fault>> {
        self.start_cta(index);
        let launch = self.launch;
        let func = &launch.code.funcs[launch.entry as usize];
        // The kernel needs neither cleared registers nor a cleared call frame.
        let is_short = !func.cleared && func.frame == 0 && self.shadows.is_none();
        for (i, warp) in (0..).zip(warps) {
            let lanes = launch.lanes_of(i);
            // This is the hot path of short kernels.
            if is_short && std::mem::take(&mut warp.has_initial_state) {
                warp.start_again(lanes, func.entry);
                if func.clears_predicates {
                    warp.clear_predicates();
                }
            } else if let Err(pending) = self.start_warp(warp, i, lanes) {
                let split = warp.splits[0];
                return Err(self.fault(warp, At { split, pending }));
            }
        }
        self.counts.enter(self.launch.entry, self.launch.threads.into());
        Ok(())
    }

    pub(super) fn start_cta(&mut self, index: u64) {
        let launch = self.launch;
        self.name_cta(index);
        self.cta.shared.clear();
        self.cta.shared.resize(launch.shared_len, 0);
        if let Some((fill, number)) = self.fill_of(index) {
            fill.bytes(number, 0, &mut self.cta.shared);
        }
        self.cta.tail.clear();
        self.cta.tail.resize(launch.reserved.0 + launch.reserved.1 - launch.shared_len, 0);
        if std::mem::take(&mut self.cta.has_barriers) {
            self.cta.barriers = Default::default();
        }
        (self.cta.completed, self.cta.at_unit) = (false, false);
        self.cta.live = launch.threads;
        self.output.text.clear();
        self.last_errors.clear();
        self.begin_shadows();
        self.notify_begin();
    }

    /// The fill pattern (`--fill`) and a number that is different for each CTA of a device.
    fn fill_of(&self, cta: u64) -> Option<(Fill, u64)> {
        let config = &self.launch.config;
        Some((config.fill?, config.grid_id.rotate_left(40) ^ cta))
    }

    /// Fills the local memory of a warp's threads, beginning with a word.
    #[inline]
    pub(super) fn fill_local(&self, warp: &mut Warp, from: usize) {
        let Some((fill, number)) = self.fill_of(self.cta_number()) else { return };
        let first = u64::from(warp.index) * 32 + 1;
        for (at, row) in (0..).zip(&mut warp.local).skip(from) {
            for (thread, word) in (first..).zip(row) {
                *word = fill.word(number ^ thread.rotate_right(12), 4 * at);
            }
        }
    }

    /// Linear number of the current CTA in the grid, x varying fastest.
    pub(super) fn cta_number(&self) -> u64 {
        linear_index(self.cta.id, self.launch.config.grid)
    }

    /// Sets the number of the current CTA, and the values that follow from it.
    pub(super) fn name_cta(&mut self, index: u64) {
        self.cta.id = name_in(&mut self.of_cta, index, self.launch.config.grid);
    }

    pub(super) fn start_warp(&mut self, warp: &mut Warp, index: u32, lanes: u32) -> Done {
        let launch = self.launch;
        let func = &launch.code.funcs[launch.entry as usize];
        warp.frames.start(launch.entry, func.frame, func.passed);
        warp.start(index, lanes, func.entry);
        let fits = warp.narrow.len() == func.narrow as usize
            && warp.wide.len() == func.wide as usize
            && warp.predicates.len() == func.predicates as usize
            && warp.local.len() == func.frame as usize / 4;
        // The register files of the previous CTA may be larger than this CTA needs.
        if !fits {
            warp.narrow.truncate(func.narrow as usize);
            warp.wide.truncate(func.wide as usize);
            warp.predicates.truncate(func.predicates as usize);
            warp.local.truncate((func.frame / 4) as usize);
        }
        if func.cleared {
            warp.narrow.as_flattened_mut().fill(0);
            warp.wide.as_flattened_mut().fill(0);
        }
        if func.clears_predicates {
            warp.clear_predicates();
        }
        if !warp.local.is_empty() {
            warp.local.as_flattened_mut().fill(0);
            self.fill_local(warp, 0);
        }
        self.begin_local_shadow(warp, func.frame);
        // Register files that fit were allocated for an earlier CTA, within the limit of the stack.
        if fits { Ok(()) } else { self.reserve(warp, 0) }
    }

    pub(super) fn fault(&self, warp: &Warp, At { split, pending }: At) -> Box<Fault> {
        let PendingFault { kind, lane } = *pending;
        let lane = lane.unwrap_or(split.mask.trailing_zeros() as usize);
        self.fault_at(warp, split, lane, kind)
    }

    fn fault_at(&self, warp: &Warp, split: Split, lane: usize, kind: FaultKind) -> Box<Fault> {
        Fault::new(kind, self.caller(warp, split, lane), self.launch.program.sources())
    }

    /// The thread in a lane, with its location and call stack.
    pub(super) fn caller(&self, warp: &Warp, split: Split, lane: usize) -> Caller {
        let launch = self.launch;
        let span =
            |pc: u32| launch.code.insts.get(pc as usize).map_or_else(Default::default, |i| i.span);
        let mut calls = Vec::new();
        let mut frame = *warp.frames.get(split.frame);
        while frame.parent != crate::code::NONE {
            let name = launch.code.funcs[frame.function as usize].name.clone();
            calls.push((name, span(frame.return_pc.wrapping_sub(1))));
            frame = *warp.frames.get(frame.parent);
        }
        calls.reverse();
        shorten(&mut calls);
        Caller {
            kernel: launch.program.kernel_name(launch.kernel).to_owned(),
            cta: self.cta.id,
            thread: coordinates((warp.index * 32 + lane as u32 % 32).into(), launch.config.block),
            span: span(split.pc),
            calls,
        }
    }

    /// A split of the warp, for faults that do not concern a particular split.
    pub(super) fn any_split(warp: &Warp) -> Split {
        let ready = warp.splits.iter().find(|s| s.state == State::Ready);
        ready.or(warp.splits.first()).copied().unwrap_or(Split {
            pc: 0,
            mask: warp.live,
            frame: 0,
            group: crate::code::NONE,
            state: State::Ready,
        })
    }

    /// A fault that does not concern a particular split of the warp.
    pub(super) fn fault_of(&self, warp: &Warp, kind: FaultKind) -> Box<Fault> {
        let split = Self::any_split(warp);
        self.fault_at(warp, split, split.mask.trailing_zeros() as usize, kind)
    }

    pub(super) fn cancelled(&self, warp: &Warp) -> Box<Fault> {
        self.fault_of(warp, FaultKind::Cancelled)
    }

    /// The fault of a CTA all of whose threads wait, with the instructions where they wait.
    pub(super) fn deadlock(&self, warps: &[Warp]) -> Box<Fault> {
        // By instruction: the number of waiting threads, and the first of them.
        let mut places: Vec<(u32, State, u32)> = Vec::new();
        let mut first = None;
        for warp in warps {
            for split in &warp.splits {
                first = first.or(Some((warp, *split)));
                let threads = split.mask.count_ones();
                match places.iter_mut().find(|p| p.0 == split.pc && p.1 == split.state) {
                    Some(place) => place.2 += threads,
                    None => places.push((split.pc, split.state, threads)),
                }
            }
        }
        let mut waiting = String::new();
        for (pc, state, threads) in places {
            let span = self.launch.code.insts[pc as usize].span;
            let place = place_in_words(self.launch.program, span, |file| file);
            let what = match state {
                State::Barrier(id) => {
                    let b = self.cta.barriers[id as usize];
                    let of = Count(b.needed(self.cta.live), "thread");
                    format!("for barrier {id} ({} of {of} have arrived)", b.arrived)
                }
                State::Cluster => "for the other CTAs of the cluster".to_owned(),
                _ => "for the other lanes of the membermask".to_owned(),
            };
            let sep = if waiting.is_empty() { "" } else { "; " };
            let s = if threads == 1 { " waits" } else { "s wait" };
            // The result is ignored, because writing to a string cannot fail.
            let _ = write!(waiting, "{sep}{threads} thread{s} at {place} {what}");
        }
        let kind = FaultKind::Deadlock { waiting };
        let (warp, split) = first.expect("a lane that has not exited is in a split");
        self.fault_at(warp, split, split.mask.trailing_zeros() as usize, kind)
    }
}

/// The place of an instruction, in the program's source if it is known, with its text. `name` is
/// given the path of a file and returns the name to show.
pub(super) fn place_in_words(program: &Program, span: Span, name: fn(&str) -> &str) -> String {
    let source = program.source();
    let line = source.location(span.start).line;
    let text = source.snippet(span).trim();
    let frames = program.sources().frames_at(span.start);
    match frames.iter().find_map(|f| Some((f.file?, f.line)).filter(|f| f.1 > 0)) {
        Some((file, of)) => format!("{}:{of} (line {line} of the PTX, `{text}`)", name(file)),
        None => format!("line {line} (`{text}`)"),
    }
}

/// Replaces the middle of a long call chain by a count, to keep messages short.
fn shorten(calls: &mut Vec<(String, Span)>) {
    if calls.len() > 2 * CALLS_SHOWN {
        let last = calls.len() - CALLS_SHOWN;
        let more = (Count(last - CALLS_SHOWN, "more call").to_string(), calls[CALLS_SHOWN].1);
        calls.splice(CALLS_SHOWN..last, [more]);
    }
}

/// Stores the `%ctaid` of a CTA and the products with `%ntid` in the CTA's values, and returns the
/// `%ctaid`.
#[inline]
pub(super) fn name_in(words: &mut [u32; OF_CTA], index: u64, grid: [u32; 3]) -> [u32; 3] {
    let own = coordinates(index, grid);
    for [id, size, product] in PRODUCTS {
        // The values are stored one by one, because a vector copy would stall on stores of single
        // elements.
        words[id as usize] = own[id as usize];
        words[product as usize] = own[id as usize].wrapping_mul(words[size as usize]);
    }
    own
}
