//! Reverse execution: restores an earlier checkpoint and executes from it, once to find the
//! position and once to stop there.

use super::run::{ANY, Reason, Run, only};
use super::{Live, Thread, is_of};
use crate::module::Line;
use texunit_forms::Count;
use texunit_simt::debug::{Filter, Position, Stop, StopPoint};

/// The beginnings of source lines that a thread has reached during execution.
#[derive(Clone, Debug, Default)]
struct Lines {
    now: Option<((u32, u32), Line, Position)>,
    before: Option<Position>,
    /// Whether the current line was entered by a return.
    is_behind_call: bool,
}

impl Live<'_, '_> {
    /// Executes from a checkpoint to a position, and calls `tell` at each stop before it.
    pub(super) fn replay(
        &mut self,
        checkpoint: usize,
        end: Position,
        tell: &mut dyn FnMut(&mut Self, StopPoint),
    ) {
        self.history.restore(self.machine, checkpoint);
        self.machine.set_between(false);
        self.machine.set_end(Some(end));
        // In a checkpoint made at a stop, the thread is in front of that instruction already.
        let stop_point = self.machine.stop_point();
        if self.machine.is_stopped() {
            if self.machine.position() >= end {
                return;
            }
            tell(self, stop_point);
        }
        while let Stop::At(stop_point) = self.machine.run() {
            if self.machine.position() >= end {
                break;
            }
            tell(self, stop_point);
        }
    }

    /// Moves the launch to a position, earlier or later.
    pub(crate) fn go_to(&mut self, position: Position) {
        let Some(&checkpoint) = self.history.before(position).first() else { return };
        self.stop_only(None);
        self.replay(checkpoint, position, &mut |_, _| {});
        self.machine.set_end(None);
        self.renew_watches();
    }

    /// Moves to a position, and keeps the selected thread if it exists there.
    pub(crate) fn move_to(&mut self, position: Position) {
        let thread = self.thread;
        self.go_to(position);
        self.focus_thread_or_first(thread);
    }

    /// Moves to a step number, executing forward if it was not reached yet.
    pub(crate) fn jump(&mut self, number: u64) -> Result<Reason, String> {
        let here = self.machine.position();
        let mut position = self.machine.position_of(number);
        if self.history.is_on() && position <= here {
            loop {
                self.move_to(position);
                // Execution has refined the mapping of step numbers in CTAs that ran without stops.
                let known = self.machine.position_of(number);
                if known == position || known > here {
                    return Ok(Reason::Moved);
                }
                position = known;
            }
        }
        if position < here {
            self.check_history()?;
        }
        loop {
            let to = self.machine.position_of(number);
            match self.forward(&Run::To(to)) {
                // The step numbers of further CTAs are known now.
                Reason::Moved if self.machine.position_of(number) > self.machine.position() => {}
                Reason::Moved => break,
                // The launch has fewer steps, and stays where it was.
                Reason::Ended if self.history.is_on() && !self.was_over => {
                    let steps = self.machine.number(self.machine.position());
                    self.is_over = false;
                    self.move_to(here);
                    return Err(format!("The launch has {}.", Count(steps, "step")));
                }
                other => return Ok(other),
            }
        }
        self.focus_thread_or_first(self.thread);
        Ok(Reason::Moved)
    }

    /// Executes backwards, for instance to the last breakpoint or by one step; returns why the
    /// execution stopped.
    pub(crate) fn backward(&mut self, back: &Run) -> Result<Reason, String> {
        self.check_history()?;
        let here = self.machine.position();
        let thread = self.thread;
        let found = match back {
            Run::Continue => self.last_break(here),
            Run::StepInstruction | Run::NextInstruction => {
                let is_next = *back == Run::NextInstruction;
                let depth = if is_next { self.machine.depth(thread) } else { u32::MAX };
                self.last_step(thread, here, depth).map(|p| (p, Reason::Step))
            }
            Run::Finish => {
                let depth = self.machine.depth(thread);
                let found =
                    depth.checked_sub(1).and_then(|depth| self.last_step(thread, here, depth));
                if found.is_none() && depth == 0 {
                    self.go_to(here);
                    self.focus(thread);
                    return Err("\"finish\" not meaningful in the outermost frame.".to_owned());
                }
                found.map(|p| (p, Reason::Step))
            }
            _ => self.last_line(*back == Run::Next, here).map(|p| (p, Reason::Step)),
        };
        let Some((position, reason)) = found else {
            let first = self.history.before(here).last().copied();
            let Some(first) = first else { return Ok(Reason::NoHistory) };
            self.history.restore(self.machine, first);
            self.machine.set_end(None);
            // Without a stop, goes to the first instruction of the launch.
            self.stop_only(Some(ANY));
            if !self.machine.is_stopped() {
                self.machine.run();
            }
            self.machine.set_filter(None);
            self.renew_watches();
            self.focus_thread_or_first(thread);
            return Ok(Reason::NoHistory);
        };
        self.go_to(position);
        let stop_point = self.machine.stop_point();
        match &reason {
            Reason::Breakpoint(_) => {
                let hit = self.hit(stop_point, false);
                self.focus(hit.map_or(Self::first_of(stop_point), |(_, thread)| thread));
            }
            _ => self.focus(thread),
        }
        Ok(reason)
    }

    /// The last position before `here` at which a breakpoint was hit or a watched value changed.
    fn last_break(&mut self, here: Position) -> Option<(Position, Reason)> {
        let arm = &mut |live: &mut Self, checkpoint| {
            live.go_to(live.history.position(checkpoint));
            let filter = live.watch_filter(None);
            live.arm(filter);
        };
        self.last(here, arm, &mut |live, stop_point| {
            let changed = match live.watched(stop_point) {
                Some(Reason::Watch(number, old, new)) => Some(Reason::Watch(number, new, old)),
                _ => None,
            };
            let hit = live.hit(stop_point, false).map(|(numbers, _)| Reason::Breakpoint(numbers));
            Some((live.machine.position(), hit.or(changed)?))
        })
    }

    /// The end of the execution from a checkpoint: the next checkpoint, or `here`.
    pub(super) fn end_of(&self, checkpoint: usize, here: Position) -> Position {
        let next = self.history.before(here).iter().rposition(|&c| c == checkpoint + 1);
        match next {
            Some(_) => self.history.position(checkpoint + 1).min(here),
            None => here,
        }
    }

    /// The last position before `here` at which a thread reached an instruction, at most `depth`
    /// calls deep.
    fn last_step(&mut self, thread: Thread, here: Position, depth: u32) -> Option<Position> {
        self.last_at(thread, here, &mut |live, _| {
            (live.machine.depth(thread) <= depth).then(|| live.machine.position())
        })
    }

    /// The last result of `find` at an instruction of a thread before `here`.
    pub(super) fn last_at<T>(
        &mut self,
        thread: Thread,
        here: Position,
        find: &mut dyn FnMut(&mut Self, StopPoint) -> Option<T>,
    ) -> Option<T> {
        let arm = &mut |live: &mut Self, _| live.stop_only(Some(only(thread)));
        self.last(here, arm, &mut |live, stop_point| {
            if is_of(stop_point, thread) { find(live, stop_point) } else { None }
        })
    }

    /// The last result of `find` at a stop before `here`. Executes from each checkpoint, the last
    /// first, after `arm` has set where the machine stops.
    fn last<T>(
        &mut self,
        here: Position,
        arm: &mut dyn FnMut(&mut Self, usize),
        find: &mut dyn FnMut(&mut Self, StopPoint) -> Option<T>,
    ) -> Option<T> {
        self.history.before(here).into_iter().find_map(|checkpoint| {
            let end = self.end_of(checkpoint, here);
            arm(self, checkpoint);
            let mut last = None;
            self.replay(checkpoint, end, &mut |live, stop_point| {
                last = find(live, stop_point).or(last.take())
            });
            last
        })
    }

    /// Makes the machine stop at each instruction of the filter, and nowhere else.
    pub(super) fn stop_only(&mut self, filter: Option<Filter>) {
        self.machine.set_breaks(&|_| false);
        self.machine.set_watched(Vec::new(), false);
        self.machine.set_filter(filter);
    }

    /// Selects a thread if it is still active, or else the first thread of the stop.
    fn focus_thread_or_first(&mut self, thread: Thread) {
        let stop_point = self.machine.stop_point();
        let is_there = self.machine.live(thread.0, thread.1) >> thread.2 & 1 == 1;
        self.focus(if is_there { thread } else { Self::first_of(stop_point) });
    }

    /// Refuses to go back without a history.
    pub(super) fn check_history(&self) -> Result<(), String> {
        if self.history.is_on() {
            return Ok(());
        }
        Err("Going back is off: --checkpoint-memory is too small for this launch.".to_owned())
    }

    /// The position at which the thread reached its current line, or the previous line if it is at
    /// the beginning.
    fn last_line(&mut self, over_calls: bool, here: Position) -> Option<Position> {
        let thread = self.thread;
        let at = self.at();
        let (depth, inlined) = self.depth(thread, at);
        let checkpoints = self.history.before(here);
        // Starts from earlier and earlier checkpoints, until the execution includes the beginning
        // of a line.
        let mut reach = 1;
        loop {
            let first = *checkpoints.get(reach - 1).or(checkpoints.last())?;
            self.stop_only(Some(only(thread)));
            let mut lines = Lines::default();
            self.replay(first, here, &mut |live, stop_point| {
                let now = live.depth(thread, stop_point.at);
                if !is_of(stop_point, thread) || (over_calls && now > (depth, inlined)) {
                    return;
                }
                let Some(instruction) = live.module.instruction(stop_point.at) else { return };
                let line = &instruction.place;
                if !lines.now.as_ref().is_some_and(|(d, l, _)| *d == now && l == line) {
                    let before = lines.now.take();
                    lines.is_behind_call = before.as_ref().is_some_and(|(d, ..)| d.0 > now.0);
                    lines.before = before.map(|(.., position)| position);
                    lines.now = Some((now, line.clone(), live.machine.position()));
                }
            });
            let is_all = reach >= checkpoints.len();
            let known = lines.before.is_some() || is_all;
            let found = match lines.now {
                // Steps into the function, at its end.
                Some(_) if !over_calls && lines.is_behind_call => lines.before,
                // In the middle of a line, goes to its beginning; otherwise to the previous line.
                Some((.., position)) => known.then_some(position),
                None => None,
            };
            if found.is_some() {
                return found;
            }
            if is_all {
                return None;
            }
            reach *= 2;
        }
    }
}
