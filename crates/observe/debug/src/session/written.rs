//! Finds the last write to a location: executes again from each checkpoint, the last first, while
//! the machine watches the bytes, or while the register is compared at each instruction of the
//! thread.

use super::{Live, Thread};
use crate::focus::{coordinates, index_of};
use crate::module::Line;
use crate::ptx::Instruction;
use crate::value::Place;
use texunit_report::place::is_toolkit;
use texunit_simt::debug::{Position, Range, WatchHit};

/// The last write to a location.
pub(crate) struct Written {
    pub(crate) caught: WatchHit,
    /// The source line of the write: of a function in a CUDA header, the line of the user's that
    /// calls the function.
    pub(crate) line: Option<Line>,
    /// The bytes before and after the write.
    pub(crate) before: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

impl Live<'_, '_> {
    /// The last write to a location before the current position, with the bytes before and after.
    /// The launch returns to its position.
    pub(crate) fn last_write(
        &mut self,
        place: &Place,
        bytes: usize,
    ) -> Result<Option<Written>, String> {
        self.check_history()?;
        let here = self.machine.position();
        let (thread, selected) = (self.thread, self.selected);
        let found = match place {
            Place::Memory(..) | Place::Texel(..) => {
                let range = self.range(place, bytes, thread, (false, true));
                range.and_then(|range| self.last_caught(range, here))
            }
            Place::Register(..) => self.last_register(place, bytes, here),
        };
        let result = found.map(|caught| {
            let read =
                |live: &Self| live.bytes_at(place, bytes, thread).unwrap_or_else(|| vec![0; bytes]);
            self.go_to(caught.position);
            let (line, before) = (self.line_of(&caught), read(self));
            // Runs until the warp's instruction is complete, and reads the bytes again; other warps
            // may have executed in between.
            let step = caught.position.step + 1;
            self.machine.set_end(Some(Position { step, ..caught.position }));
            self.machine.run();
            let after = read(self);
            Written { caught, line, before, after }
        });
        self.go_to(here);
        self.focus(thread);
        self.selected = selected.min(self.frames.len().saturating_sub(1));
        Ok(result)
    }

    /// The user's source line of an access before which the machine is stopped.
    fn line_of(&self, caught: &WatchHit) -> Option<Line> {
        let cta = index_of(caught.cta, self.machine.config().grid)?;
        let frames = self.module.frames(self.machine, (cta, caught.warp, caught.lane));
        let own = frames.into_iter().map(|frame| frame.place).find(|line| !is_toolkit(&line.file));
        own.or_else(|| Some(self.module.instruction(caught.at)?.place.clone()))
    }

    fn last_caught(&mut self, range: Range, here: Position) -> Option<WatchHit> {
        for checkpoint in self.history.before(here) {
            let end = self.end_of(checkpoint, here);
            self.stop_only(None);
            self.machine.set_watched(vec![range], false);
            self.replay(checkpoint, end, &mut |_, _| {});
            let last = self.machine.watch_hits().pop();
            self.machine.set_watched(Vec::new(), false);
            if last.is_some() {
                return last;
            }
        }
        None
    }

    /// The last instruction of the thread that wrote a register of a frame.
    fn last_register(&mut self, place: &Place, bytes: usize, here: Position) -> Option<WatchHit> {
        let thread = self.thread;
        let Place::Register(wanted, register, _) = place else { return None };
        let (position, at) = self.last_at(thread, here, &mut |live, stop_point| {
            let writes = live.writes(thread, stop_point.at, (*wanted, &register.name));
            writes.then(|| (live.machine.position(), stop_point.at))
        })?;
        let grid = self.machine.config().grid;
        Some(WatchHit {
            range: 0,
            position,
            cta: coordinates(thread.0, grid),
            warp: thread.1,
            lane: thread.2,
            at,
            writes: true,
            address: 0,
            bytes: bytes as u32,
        })
    }

    /// Whether an instruction of a thread writes a register of a frame.
    fn writes(&self, thread: Thread, at: u32, (frame, name): (u32, &str)) -> bool {
        let ptx = self.module.ptx(at);
        let text = Instruction::of(&ptx);
        if !text.destinations().any(|to| to == name) {
            return false;
        }
        let frames = self.machine.frames(thread);
        let Some(own) = frames.first().filter(|own| own.id == frame) else { return false };
        let Some((guard, negated)) = text.guard else { return true };
        let all = self.machine.registers(&own.function);
        let found = all.iter().find(|register| register.name == guard);
        let value = found.and_then(|register| self.machine.register(thread, frame, register));
        value.is_none_or(|words| (words[0] & 1 == 1) != negated)
    }
}
