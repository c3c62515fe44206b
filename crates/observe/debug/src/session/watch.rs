//! Watchpoints. The executor watches memory; registers are compared at each step of their thread.

use super::breaks::{BreakpointKind, Watched};
use super::run::{Reason, only};
use super::{Live, Thread, is_of};
use crate::value::{Place, Value};
use texunit_memory::SpaceKind;
use texunit_simt::debug::{Filter, Range, StopPoint, block_of};

impl Live<'_, '_> {
    /// The watched location of an expression, in the selected thread.
    pub(crate) fn watched_of(&mut self, text: &str) -> Result<(Watched, Value), String> {
        let value = self.referred(text)?;
        let Some(place) = value.place.clone() else {
            return Err("Cannot watch constant value `".to_owned() + text.trim() + "'.");
        };
        let depth = match &place {
            Place::Memory(SpaceKind::Global | SpaceKind::Const | SpaceKind::Shared, _)
            | Place::Texel(..) => None,
            _ => Some(self.machine.depth(self.thread)),
        };
        let watched =
            Watched { thread: self.thread, place, ty: value.ty, old: value.bytes.clone(), depth };
        Ok((watched, value))
    }

    /// The value of an expression; for a reference, the object that it refers to.
    pub(crate) fn referred(&mut self, text: &str) -> Result<Value, String> {
        let value = self.evaluate(text)?;
        self.with_scene(|scene| scene.referred(value))
    }

    /// The memory range of a location for the machine; `None` for a register.
    pub(super) fn range(
        &self,
        place: &Place,
        bytes: usize,
        (cta, warp, lane): Thread,
        (reads, writes): (bool, bool),
    ) -> Option<Range> {
        let (space, address, block) = match place {
            Place::Memory(space, address) => (*space, *address, None),
            Place::Texel(surface, offset) => {
                let surfaces = &self.machine.config().descriptors.surfaces;
                let resource = &surfaces.get(*surface)?.as_ref()?.resource;
                (SpaceKind::Global, *offset, Some(block_of(resource)))
            }
            Place::Register(..) => return None,
        };
        let bytes = bytes as u64;
        Some(Range { space, address, block, bytes, cta, thread: (warp, lane), reads, writes })
    }

    /// Sets the machine's watched ranges.
    pub(super) fn arm_watches(&mut self) {
        let mut ranges = Vec::new();
        for breakpoint in self.session.settings.breakpoints.iter().filter(|b| b.is_enabled) {
            if let (BreakpointKind::Watch { reads, writes }, Some(watched)) =
                (&breakpoint.what, &breakpoint.watched)
            {
                let (size, whose) = (watched.old.len(), watched.thread);
                ranges.extend(self.range(&watched.place, size, whose, (*reads, *writes)));
            }
        }
        self.machine.set_watched(ranges, true);
    }

    pub(super) fn has_watches(&self) -> bool {
        !self.watches().is_empty()
    }

    fn watches(&self) -> Vec<(usize, Watched)> {
        let all = self.session.settings.breakpoints.iter().enumerate();
        let enabled =
            all.filter(|(_, b)| b.is_enabled && matches!(b.what, BreakpointKind::Watch { .. }));
        enabled.filter_map(|(i, b)| Some((i, b.watched.clone()?))).collect()
    }

    /// The threads that must stop at each step: the thread that the user steps, and the threads
    /// with watched registers.
    pub(super) fn watch_filter(&self, own: Option<Filter>) -> Option<Filter> {
        let registers = self.watches();
        let mut threads: Vec<Thread> = registers
            .iter()
            .filter(|(_, w)| matches!(w.place, Place::Register(..)) || w.depth.is_some())
            .map(|(_, w)| w.thread)
            .collect();
        threads.dedup();
        let mut all = own;
        for one in threads.into_iter().map(only) {
            all = Some(match all {
                None => one,
                Some(f) => Filter {
                    cta: f.cta.filter(|_| f.cta == one.cta),
                    warp: f.warp.filter(|_| f.warp == one.warp),
                    lanes: f.lanes | one.lanes,
                },
            });
        }
        all
    }

    /// The bytes at a location as a thread sees them; `None` if the location no longer exists.
    pub(super) fn bytes_at(&self, place: &Place, size: usize, thread: Thread) -> Option<Vec<u8>> {
        let mut bytes = vec![0; size];
        match place {
            Place::Memory(space, address) => {
                self.machine.read(*space, thread, *address, &mut bytes).then_some(bytes)
            }
            Place::Texel(surface, offset) => {
                let surfaces = &self.machine.config().descriptors.surfaces;
                let resource = &surfaces.get(*surface)?.as_ref()?.resource;
                resource.block().read(*offset, &mut bytes).is_ok().then_some(bytes)
            }
            Place::Register(frame, register, from) => {
                let words = self.machine.register(thread, *frame, register)?;
                let all: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let from = *from as usize;
                bytes.copy_from_slice(all.get(from..from + size)?);
                Some(bytes)
            }
        }
    }

    /// Whether a watched value has changed or was read before this stop.
    pub(super) fn watched(&mut self, stop_point: StopPoint) -> Option<Reason> {
        let watches = self.watches();
        if watches.is_empty() {
            return None;
        }
        let caught = self.machine.watch_hits();
        // The machine numbers watched ranges in the order in which they were set.
        let mut range = 0;
        for (index, watched) in watches {
            let number = self.session.settings.breakpoints[index].number;
            let is_memory = !matches!(watched.place, Place::Register(..));
            let by = is_memory.then(|| caught.iter().rev().find(|c| c.range == range)).flatten();
            range += usize::from(is_memory);
            if let Some(depth) = watched.depth
                && is_of(stop_point, watched.thread)
                && self.machine.depth(watched.thread) < depth
            {
                self.session.settings.breakpoints.remove(index);
                self.focus(watched.thread);
                return Some(Reason::WatchScope(number));
            }
            let now = self.bytes_at(&watched.place, watched.old.len(), watched.thread);
            let Some(new) = now else { continue };
            let changed = new != watched.old;
            let reads = matches!(
                self.session.settings.breakpoints[index].what,
                BreakpointKind::Watch { reads: true, .. }
            );
            if !(changed || (reads && by.is_some())) {
                continue;
            }
            let own = &mut self.session.settings.breakpoints[index];
            if let Some(place) = &mut own.watched {
                place.old.clone_from(&new);
            }
            let thread = match by {
                Some(caught) => {
                    let grid = self.machine.config().grid;
                    let cta = crate::focus::index_of(caught.cta, grid).unwrap_or(0);
                    (cta, caught.warp, caught.lane)
                }
                None => watched.thread,
            };
            if let Some(condition) = self.session.settings.breakpoints[index].condition.clone()
                && self.is_true(&condition, thread) == Ok(false)
            {
                continue;
            }
            self.session.settings.breakpoints[index].hits += 1;
            self.focus(thread);
            return Some(Reason::Watch(number, watched.old, new));
        }
        None
    }

    /// Reads all watched values again after the user has moved the launch.
    pub(crate) fn renew_watches(&mut self) {
        for (index, watched) in self.watches() {
            let now = self.bytes_at(&watched.place, watched.old.len(), watched.thread);
            if let Some(now) = now
                && let Some(own) = &mut self.session.settings.breakpoints[index].watched
            {
                own.old = now;
            }
        }
        self.machine.watch_hits();
    }
}
