//! Forward execution: to the next breakpoint, line or instruction, or out of a function.

use super::breaks::BreakpointKind;
use super::{Live, Thread, is_of};
use crate::module::Line;
use crate::ptx::Instruction;
use std::sync::atomic::Ordering::Relaxed;
use texunit_simt::Fault;
use texunit_simt::debug::{Fast, Filter, Position, Stop, StopPoint};

/// Number of checkpoints that are saved while the grid runs to a requested CTA.
const PARTS: u64 = 8;
/// Minimum and maximum number of CTAs to execute with stops, after an attempt at full speed that
/// hit a breakpoint early.
const FEW: u64 = 8;
const MOST: u64 = 4096;

/// How far to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The launch runs to the first instruction.
    Begin,
    Continue,
    Step,
    Next,
    StepInstruction,
    NextInstruction,
    Finish,
    Until,
    /// The selected thread runs to one of these instructions.
    Advance(Vec<u32>),
    To(Position),
}

impl Run {
    /// How far a command runs, forward or with `reverse-` back.
    pub(crate) fn of(command: &str) -> Option<Self> {
        Some(match command.trim_start_matches("reverse-") {
            "continue" => Self::Continue,
            "step" => Self::Step,
            "next" => Self::Next,
            "stepi" => Self::StepInstruction,
            "nexti" => Self::NextInstruction,
            "finish" => Self::Finish,
            _ => return None,
        })
    }
}

/// The reason of a stop.
#[derive(Clone, Debug)]
pub(crate) enum Reason {
    Begin,
    Breakpoint(Vec<u32>),
    /// A watchpoint: number, old and new value.
    Watch(u32, Vec<u8>, Vec<u8>),
    /// The frame of a watchpoint has returned.
    WatchScope(u32),
    Catch(u32, String),
    Step,
    Finish,
    /// The user has moved to another position.
    Moved,
    /// The selected thread has ended.
    ThreadEnd,
    /// Reverse execution has reached the beginning of the history.
    NoHistory,
    Fault(Box<Fault>),
    Interrupted,
    Ended,
}

/// The state at the beginning of a step.
pub(super) struct StepStart {
    thread: Thread,
    depth: (u32, u32),
    line: Option<Line>,
    before: u32,
}

/// A filter that lets all threads stop.
pub(super) const ANY: Filter = Filter { cta: None, warp: None, lanes: u32::MAX };

/// A filter that lets a single thread stop.
pub(super) fn only((cta, warp, lane): Thread) -> Filter {
    Filter { cta: Some(cta), warp: Some(warp), lanes: 1 << lane }
}

impl Live<'_, '_> {
    /// Call depth of a thread, and number of inlined calls at its instruction.
    pub(super) fn depth(&self, thread: Thread, at: u32) -> (u32, u32) {
        let inlined = self.module.instruction(at).map_or(0, |i| i.inlined);
        (self.machine.depth(thread), inlined)
    }

    /// The instruction that the selected thread executes next.
    pub(crate) fn at(&self) -> u32 {
        self.frames.first().map_or(0, |frame| frame.at)
    }

    /// Sets the machine's breakpoints, watchpoints and filter.
    pub(super) fn arm(&mut self, filter: Option<Filter>) {
        let places = self.places();
        self.machine.set_breaks(&|at| places.contains(&at));
        self.machine.set_filter(filter);
        self.arm_watches();
    }

    /// The instructions with enabled breakpoints.
    fn places(&self) -> Vec<u32> {
        let enabled = self.session.settings.breakpoints.iter().filter(|b| b.is_enabled);
        enabled.flat_map(|b| b.at.iter().copied()).collect()
    }

    /// Runs forward until a stop.
    pub(crate) fn forward(&mut self, run: &Run) -> Reason {
        self.was_over = self.machine.is_over();
        if run == &Run::Begin {
            self.machine.set_filter(Some(ANY));
            let stop = self.machine.run();
            self.machine.set_filter(None);
            return match stop {
                Stop::At(stop_point) => {
                    self.focus(Self::first_of(stop_point));
                    Reason::Begin
                }
                stop => self.other(stop).unwrap_or(Reason::Ended),
            };
        }
        let (thread, at) = (self.thread, self.at());
        let first = self.frames.first().and_then(|_| self.module.instruction(at));
        let (depth, line) = (self.depth(thread, at), first.map(|i| i.place.clone()));
        let mut begun = StepStart { thread, depth, line, before: at };
        if *run == Run::Finish && self.selected < self.frames.len() {
            // The step ends when the thread has left the selected frame.
            begun.depth = (self.physical(self.selected), self.inlined(self.selected));
        }
        let steps = !matches!(run, Run::Continue | Run::To(_));
        let own = steps.then(|| only(self.thread));
        let looks = self.looks_at_all() && !matches!(run, Run::To(_));
        let filter = match looks {
            true => Some(ANY),
            false => self.watch_filter(own),
        };
        self.arm(filter);
        self.begun = None;
        let mut leaving = false;
        let is_fast = *run == Run::Continue && filter.is_none() && !self.has_watches();
        self.machine.set_between(is_fast);
        loop {
            if is_fast && self.machine.is_between() {
                self.at_speed();
            }
            let end = match run {
                Run::To(position) => Some(*position),
                _ => self.history.next(self.machine),
            };
            let end = if leaving {
                let at = self.machine.position();
                Some(Position { step: at.step + 1, ..at })
            } else {
                end
            };
            self.machine.set_end(end);
            let stop_point = match self.machine.run() {
                Stop::At(stop_point) => stop_point,
                stop => {
                    if let Some(reason) = self.other(stop) {
                        return reason;
                    }
                    continue;
                }
            };
            self.history.keep(self.machine);
            if let Some(reason) = self.watched(stop_point) {
                return reason;
            }
            if looks && let Some(reason) = self.caught_here(stop_point) {
                return reason;
            }
            if let Run::To(position) = run {
                if self.machine.position() >= *position {
                    return Reason::Moved;
                }
                continue;
            }
            let gone = self.machine.live(begun.thread.0, begun.thread.1) >> begun.thread.2 & 1 == 0;
            let is_own = is_of(stop_point, begun.thread);
            // A step in one warp ignores breakpoints in others.
            let may_hit =
                !steps || (stop_point.cta, stop_point.warp) == (begun.thread.0, begun.thread.1);
            if may_hit && let Some((numbers, thread)) = self.hit(stop_point, true) {
                self.focus(thread);
                self.drop_temporary(&numbers);
                return Reason::Breakpoint(numbers);
            }
            if steps && gone {
                self.focus(Self::first_of(stop_point));
                return Reason::ThreadEnd;
            }
            leaving = false;
            if !steps || !is_own {
                continue;
            }
            if let Some(reason) = self.steps(run, &mut begun, stop_point) {
                self.focus(begun.thread);
                return reason;
            }
            leaving = self.depth(begun.thread, stop_point.at).0 == 0
                && Instruction::of(&self.module.ptx(stop_point.at)).is_exit();
        }
    }

    /// Executes CTAs at full speed as long as they hit no breakpoint.
    fn at_speed(&mut self) {
        if self.slow > 0 {
            self.slow -= 1;
            return;
        }
        if self.machine.left() == 0 || !self.history.keep_here(self.machine) {
            return;
        }
        let places = self.places();
        let skipped = self.machine.skip(Some(&|at| places.contains(&at)), u64::MAX);
        let Fast::Hit(ended) = skipped else {
            self.patience = 0;
            return;
        };
        // Executes again up to the CTA that hits the breakpoint, with checkpoints on the way. If an
        // interruption has abandoned the CTA, the launch stops in it.
        let interrupt = self.machine.interrupt();
        let is_interrupted = interrupt.swap(false, Relaxed);
        self.history.restore(self.machine, self.history.last());
        let part = (ended / PARTS).max(1);
        let mut left = ended;
        while left > 0 {
            self.machine.skip(None, part.min(left));
            left -= part.min(left);
            self.history.keep_here(self.machine);
        }
        interrupt.fetch_or(is_interrupted, Relaxed);
        // If breakpoints are hit in almost every CTA, attempts at full speed are wasted and become
        // rarer.
        self.patience = if ended < FEW { (2 * self.patience).clamp(FEW, MOST) } else { 0 };
        self.slow = self.patience;
    }

    /// Number of PTX calls of a frame.
    fn physical(&self, selected: usize) -> u32 {
        let frame = &self.frames[selected];
        let all = self.machine.frames(self.thread);
        all.iter().find(|f| f.id == frame.id).map_or(0, |f| f.depth)
    }

    fn inlined(&self, selected: usize) -> u32 {
        let frame = &self.frames[selected];
        self.frames[selected + 1..].iter().take_while(|f| f.id == frame.id).count() as u32
    }

    /// Whether a step is complete at the current instruction.
    fn steps(&self, run: &Run, begun: &mut StepStart, stop_point: StopPoint) -> Option<Reason> {
        let depth = self.depth(begun.thread, stop_point.at);
        let instruction = self.module.instruction(stop_point.at)?;
        let jumped = self.module.behind(begun.before).is_none_or(|i| i.at != stop_point.at);
        begun.before = stop_point.at;
        let deeper = depth > begun.depth;
        let done = match run {
            Run::StepInstruction => true,
            Run::NextInstruction => !deeper,
            Run::Finish => depth < begun.depth,
            Run::Advance(places) => places.contains(&stop_point.at),
            Run::Step | Run::Next | Run::Until => {
                if depth < begun.depth {
                    // Returned into the middle of a line: continues to the next line.
                    begun.depth = depth;
                    begun.line = Some(instruction.place.clone());
                    return instruction.begins.then_some(Reason::Step);
                }
                let is_other = begun.line.as_ref() != Some(&instruction.place);
                let begins = instruction.begins || jumped;
                match run {
                    Run::Next | Run::Until if deeper => false,
                    Run::Step if depth.0 > begun.depth.0 => {
                        // Stops after the function's prologue.
                        begins && (instruction.column != 0 || !self.module.has_lines)
                    }
                    Run::Until => {
                        let goes_back = begun.line.as_ref().is_some_and(|line| {
                            line.file == instruction.place.file
                                && instruction.place.line < line.line
                        });
                        is_other && begins && !goes_back
                    }
                    _ => is_other && begins,
                }
            }
            _ => false,
        };
        let reason = if *run == Run::Finish { Reason::Finish } else { Reason::Step };
        done.then_some(reason)
    }

    /// The reason of a stop that is not at an instruction; `None` to continue.
    fn other(&mut self, stop: Stop) -> Option<Reason> {
        match stop {
            Stop::At(_) | Stop::Between => None,
            Stop::Ended => {
                if let Some(number) = self.catches("end").filter(|_| !self.was_over) {
                    // No thread is running, so that there are no frames.
                    self.frames.clear();
                    return Some(Reason::Catch(number, "the end of the launch".to_owned()));
                }
                self.is_over = true;
                Some(Reason::Ended)
            }
            Stop::Faulted(_, _)
                if self.session.settings.editor.as_ref().is_some_and(|e| e.passes_faults) =>
            {
                self.is_over = true;
                Some(Reason::Ended)
            }
            Stop::Faulted(stop_point, fault) => {
                let lane = crate::focus::index_of(fault.thread, self.machine.config().block);
                let lane =
                    lane.map_or(stop_point.lanes.trailing_zeros().min(31), |n| (n % 32) as u32);
                self.focus((stop_point.cta, stop_point.warp, lane));
                Some(Reason::Fault(fault))
            }
            Stop::Interrupted => {
                self.clear_interrupt();
                let stop_point = self.machine.stop_point();
                self.focus(Self::first_of(stop_point));
                Some(Reason::Interrupted)
            }
        }
    }

    /// The number of an enabled catchpoint for an event.
    pub(crate) fn catches(&self, what: &str) -> Option<u32> {
        let all = self.session.settings.breakpoints.iter();
        let mut found =
            all.filter(|b| b.is_enabled && b.what == BreakpointKind::Catch(what.to_owned()));
        found.next().map(|b| b.number)
    }

    fn drop_temporary(&mut self, numbers: &[u32]) {
        let all = &mut self.session.settings.breakpoints;
        all.retain(|b| !(b.is_temporary && numbers.contains(&b.number)));
    }
}
