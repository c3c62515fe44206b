//! Who has written something last: what was executed is executed again, from one checkpoint after the other, the last first,
//! with the bytes watched, or the register of the thread looked at before each of its instructions.

use super::{Live, Thread};
use crate::value::Place;
use texunit_simt::debug::{Caught, Position, Range};

impl Live<'_, '_> {
    /// The last write to bytes before here: what was caught, the bytes before and behind it. The launch stands where it stood.
    pub(crate) fn last_write(
        &mut self,
        place: &Place,
        bytes: usize,
    ) -> Result<Option<(Caught, Vec<u8>, Vec<u8>)>, String> {
        if !self.history.is_on() {
            return Err(
                "Going back is off: --checkpoint-memory is too small for this launch.".to_owned()
            );
        }
        let here = self.machine.position();
        let (thread, selected) = (self.thread, self.selected);
        let found = match place {
            Place::Memory(space, address) => {
                let (cta, warp, lane) = thread;
                let range = Range {
                    space: *space,
                    address: *address,
                    bytes: bytes as u64,
                    cta,
                    thread: (warp, lane),
                    reads: false,
                    writes: true,
                };
                self.last_caught(range, here)
            }
            Place::Register(..) => self.last_register(place, bytes, here),
        };
        let result = found.map(|caught| {
            let read = |live: &Self| live.peek(place, thread, bytes);
            self.go_to(caught.position);
            let before = read(self);
            // Behind the instruction: of its warp, others may have been in between.
            self.machine
                .set_end(Some(Position { step: caught.position.step + 1, ..caught.position }));
            self.machine.run();
            let after = read(self);
            (caught, before, after)
        });
        self.go_to(here);
        self.focus(thread);
        self.selected = selected.min(self.frames.len().saturating_sub(1));
        Ok(result)
    }

    fn peek(&self, place: &Place, thread: Thread, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        match place {
            Place::Memory(space, address) => {
                self.machine.read(*space, thread, *address, &mut bytes);
            }
            Place::Register(frame, register, from) => {
                let words = self.machine.register(thread, *frame, register).unwrap_or_default();
                let all = words.iter().flat_map(|word| word.to_le_bytes()).skip(*from as usize);
                bytes.iter_mut().zip(all).for_each(|(to, byte)| *to = byte);
            }
        }
        bytes
    }

    fn last_caught(&mut self, range: Range, here: Position) -> Option<Caught> {
        for checkpoint in self.history.before(here) {
            let end = self.end_of(checkpoint, here);
            self.machine.set_breaks(&|_| false);
            self.machine.set_filter(None);
            self.machine.set_watched(vec![range], false);
            self.again(checkpoint, end, &mut |_, _| {});
            let last = self.machine.caught().pop();
            self.machine.set_watched(Vec::new(), false);
            if last.is_some() {
                return last;
            }
        }
        None
    }

    /// The last instruction of the thread that has changed a register.
    fn last_register(&mut self, place: &Place, bytes: usize, here: Position) -> Option<Caught> {
        let thread = self.thread;
        let frame_of = |live: &Self| live.machine.frames(thread).first().map(|f| f.id);
        let wanted = match place {
            Place::Register(frame, ..) => Some(*frame),
            Place::Memory(..) => None,
        };
        let mut behind = self.peek(place, thread, bytes);
        for checkpoint in self.history.before(here) {
            let end = self.end_of(checkpoint, here);
            self.machine.set_breaks(&|_| false);
            self.machine.set_watched(Vec::new(), false);
            self.machine.set_filter(Some(self.only_me()));
            let mut states: Option<(Position, u32, Vec<u8>)> = None;
            let mut last: Option<(Position, u32)> = None;
            let mut first = None;
            self.again(checkpoint, end, &mut |live, stand| {
                let is_own = (stand.cta, stand.warp) == (thread.0, thread.1)
                    && stand.lanes >> thread.2 & 1 == 1;
                if !is_own || frame_of(live) != wanted {
                    return;
                }
                let now = live.peek(place, thread, bytes);
                first.get_or_insert_with(|| now.clone());
                if let Some((position, at, old)) = &states
                    && *old != now
                {
                    last = Some((*position, *at));
                }
                states = Some((live.machine.position(), stand.at, now));
            });
            if let Some((position, at, old)) = states
                && old != behind
            {
                last = Some((position, at));
            }
            if let Some((position, at)) = last {
                let grid = self.machine.config().grid;
                return Some(Caught {
                    range: 0,
                    position,
                    cta: crate::focus::cta_of(thread.0, grid),
                    warp: thread.1,
                    lane: thread.2,
                    at,
                    writes: true,
                    address: 0,
                    bytes: bytes as u32,
                });
            }
            if let Some(first) = first {
                behind = first;
            }
        }
        None
    }
}
