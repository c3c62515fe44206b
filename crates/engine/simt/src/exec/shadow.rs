//! Shadow memory: which bytes are uninitialised while a kernel runs, for observers of
//! [`Events::DEFINED`](crate::observe::Events::DEFINED). The shadows of registers are registers.
//!
//! Shadow operations never fault: memory that is not tracked counts as initialised, and invalid
//! accesses are ignored because the instruction itself will fault.

pub(super) mod state;

use super::context::Context;
use super::memory::space_at;
use super::target::Target;
use super::warp::{Warp, lanes, lanes_by, lanes_where};
use crate::code::{Access, Check, Located, Shadow};
use crate::observe::{At, Register, Sink, Undefined};
use state::WorkerShadows;
use texunit_alu::L64;
use texunit_memory::{Block, SpaceKind};

/// Number of bytes processed at a time.
const PIECE: usize = 4096;

impl WorkerShadows<'_> {
    /// The block that has the shadows of all lanes of an access, and the lanes' offsets in it;
    /// `None` if the shadows are in several blocks, or not tracked.
    fn find(&mut self, addresses: &L64, access: &Access, mask: u32) -> Option<(&Block, L64)> {
        let each = || lanes(mask).map(|lane| addresses[lane]);
        let (low, high) = (each().min()?, each().max()?);
        let span = (high - low).checked_add(access.total().into())?;
        // Any address between two addresses of a state space is in that space, too.
        let (space, first) = space_at(access.at.mem_space, low);
        let (block, at) = match space {
            _ if space_at(access.at.mem_space, high).0 != space => return None,
            SpaceKind::Shared => (self.shared(), first),
            SpaceKind::Global => {
                let (index, offset) = self.of.map.find(first, span, self.hint).ok()?;
                self.hint = index;
                (&**self.of.map.block(index), offset)
            }
            _ => return None,
        };
        let is_inside = at.checked_add(span)? <= block.size() as u64;
        is_inside
            .then(|| (block, addresses.map(|address| address.wrapping_sub(low).wrapping_add(at))))
    }
}

impl Context<'_> {
    /// Marks the shared memory of a new CTA as uninitialised, except the part reserved for the
    /// system.
    pub(super) fn begin_shadows(&mut self) {
        let Some(shadows) = &self.shadows else { return };
        let (size, end) = (self.launch.shared_size, self.launch.shared_len);
        for (range, value) in [(0..size, u8::MAX), (size..end, 0)] {
            for at in range.clone().step_by(PIECE) {
                let part = (range.end - at).min(PIECE);
                // The range is within the block.
                let _ = shadows.shared().write(at as u64, &[value; PIECE][..part]);
            }
        }
    }

    /// Marks the local memory of the kernel's frame as uninitialised.
    pub(super) fn begin_local_shadow(&self, warp: &mut Warp, frame: u32) {
        if self.shadows.is_some() {
            warp.local_shadow.clear();
            warp.local_shadow.resize(frame as usize / 4, [u32::MAX; 32]);
        }
    }

    /// Marks the local memory of a call's frame as uninitialised in these lanes.
    pub(super) fn begin_frame_shadow(&self, warp: &mut Warp, mask: u32) {
        if self.shadows.is_none() {
            return;
        }
        let [first, end] = [warp.local_base, warp.local_end].map(|at| (at / 4) as usize);
        if warp.local_shadow.len() < end {
            warp.local_shadow.resize(end, [u32::MAX; 32]);
        }
        for row in warp.local_shadow.get_mut(first..end).unwrap_or_default() {
            lanes(mask).for_each(|lane| row[lane] = u32::MAX);
        }
    }

    /// Marks memory allocated from the heap as uninitialised.
    pub(super) fn undefine_heap(&self, address: u64, size: u64) {
        let Some(heap) = self.launch.config.heap else { return };
        let map = self.launch.config.memory;
        if self.shadows.is_some()
            && let Ok((index, offset)) = map.find(heap.base(), 1, usize::MAX)
        {
            map.block(index).undefine(offset + address.wrapping_sub(heap.base()), size);
        }
    }

    /// Executes a shadow operation.
    pub(super) fn shadow(&mut self, warp: &mut Warp, shadow: &Shadow, mask: u32) {
        match shadow {
            Shadow::Load(access) => {
                self.access_shadow(warp, access, mask, false);
                self.put_loaded(warp, access, mask);
            }
            Shadow::Store(access) => {
                self.read_stored(warp, access);
                self.access_shadow(warp, access, mask, true);
            }
            Shadow::Check(check) => self.check_shadows(warp, check, mask),
            Shadow::AsyncCopy(copy) => self.copy_shadow(warp, copy, mask),
            Shadow::Matrix(matrix) => {
                // If fewer lanes execute the instruction, it faults itself.
                if mask == warp.live {
                    let _ = self.matrix(warp, matrix, mask, true);
                }
            }
            Shadow::Mma(mma) => self.mma_shadow(warp, mma, mask),
            Shadow::Fetch(of) => self.fetch_shadow(warp, of, mask),
            Shadow::Surface(of) => self.surface_shadow(warp, of, mask),
            Shadow::Define { at, size } => self.define(warp, at, *size, mask),
        }
    }

    /// Accesses the shadow of an element; `None` if the memory is not tracked.
    fn with_shadow<R>(
        &mut self,
        warp: &mut Warp,
        (space, at): (SpaceKind, u64),
        size: u8,
        access: impl FnOnce(&mut Target<'_>, u64) -> Option<R>,
    ) -> Option<R> {
        match space {
            SpaceKind::Local => access(&mut Target::Local(&mut warp.local_shadow), at),
            SpaceKind::Shared => {
                let (block, at) = self.shared_shadow(at)?;
                access(&mut Target::Block(block), at)
            }
            SpaceKind::Global => {
                let shadows = self.shadows.as_mut()?;
                let (index, offset) = shadows.of.map.find(at, size.into(), shadows.hint).ok()?;
                shadows.hint = index;
                access(&mut Target::Block(shadows.of.map.block(index)), offset)
            }
            SpaceKind::Const | SpaceKind::Param => None,
        }
    }

    /// The shadow of an element of a lane.
    pub(super) fn shadow_at(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        place: (SpaceKind, u64),
        size: u8,
    ) -> u64 {
        self.with_shadow(warp, place, size, |of, at| of.load(lane, at, size)).unwrap_or(0)
    }

    pub(super) fn put_shadow(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        place: (SpaceKind, u64),
        (size, value): (u8, u64),
    ) {
        // Memory that is not tracked counts as initialised.
        let _ = self.with_shadow(warp, place, size, |of, at| of.store(lane, at, size, value));
    }

    /// Loads the shadows of the elements of an access into [`Context::parts`], or stores them from
    /// there.
    fn access_shadow(&mut self, warp: &mut Warp, access: &Access, mask: u32, stores: bool) {
        self.addresses_of(warp, access.at, access.constant);
        let Self { shadows, parts, addresses, .. } = self;
        let (size, parts) = (access.size, &mut parts[..access.parts.len()]);
        let offsets = || (0..).step_by(size.into());
        if let Some((block, at)) = shadows.as_mut().and_then(|of| of.find(addresses, access, mask))
        {
            let mut target = Target::Block(block);
            for (offset, part) in offsets().zip(parts) {
                match stores {
                    true => target.store_lanes(mask, &at, (offset, size), part),
                    false => target.load_lanes(mask, (&at, offset), size, part),
                }
            }
            return;
        }
        for (k, offset) in (0..access.parts.len()).zip(offsets()) {
            for lane in lanes(mask) {
                let place =
                    space_at(access.at.mem_space, self.addresses[lane].wrapping_add(offset));
                match stores {
                    true => self.put_shadow(warp, lane, place, (size, self.parts[k][lane])),
                    false => self.parts[k][lane] = self.shadow_at(warp, lane, place, size),
                }
            }
        }
    }

    fn define(&mut self, warp: &mut Warp, at: &Located, size: u8, mask: u32) {
        self.addresses_of(warp, *at, false);
        for lane in lanes(mask) {
            let place = space_at(at.mem_space, self.addresses[lane]);
            self.put_shadow(warp, lane, place, (size, 0));
        }
    }

    /// Notifies the probe of uninitialised registers.
    fn check_shadows(&mut self, warp: &mut Warp, check: &Check, mask: u32) {
        let mut bits: L64 = [0; 32];
        for (&register, &shadow) in check.registers.iter().zip(&check.shadows) {
            warp.read(&self.launch.constants, shadow, &mut bits);
            let undefined = lanes_where(mask, |lane| bits[lane] != 0);
            if undefined == 0 {
                continue;
            }
            let size = match &check.access {
                Some(access) => access.size.into(),
                None if shadow.is_predicate() => 1,
                None => 4 + 4 * u32::from(shadow.is_wide()),
            };
            let what = Undefined {
                sink: check.sink,
                register: Register::of(register),
                bits: &bits,
                size,
                memory: None,
                texels: None,
            };
            let Some(access) = &check.access else {
                self.notify_undefined(warp, (check.op, undefined), &what);
                warp.put(shadow, &[0; 32], u64::MAX, undefined);
                continue;
            };
            self.addresses_of(warp, access.at, access.constant);
            let element = access.parts.iter().position(|&part| part == register).unwrap_or(0);
            let at = self.addresses.map(|at| at.wrapping_add(element as u64 * u64::from(size)));
            let places = at.map(|at| space_at(access.at.mem_space, at));
            let own = places.map(|(_, at)| at);
            for (same, space) in lanes_by(undefined, |lane| places[lane].0) {
                let sink = match check.sink {
                    Sink::Store if space != SpaceKind::Global => Sink::Keep,
                    sink => sink,
                };
                let memory = Some((space, &own));
                let what = Undefined { sink, memory, ..what };
                self.notify_undefined(warp, (check.op, same), &what);
                if sink == Sink::Atomic {
                    for lane in lanes(same) {
                        self.put_shadow(warp, lane, (space, own[lane]), (access.size, 0));
                    }
                }
                if !matches!(sink, Sink::Origin | Sink::Copy | Sink::Keep) {
                    warp.put(shadow, &[0; 32], u64::MAX, same);
                }
            }
        }
    }

    /// Notifies the probe of an uninitialised value of the lanes that execute an operation.
    pub(super) fn notify_undefined(
        &mut self,
        warp: &Warp,
        (op, lanes): (u32, u32),
        what: &Undefined<'_>,
    ) {
        let at = At { cta: self.cta.id, warp: warp.index, lanes, op };
        self.probe.iter_mut().for_each(|probe| probe.undefined(&at, what));
    }
}
