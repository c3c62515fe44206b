//! The general path of accesses: determines state space and allocation lane by lane, and raises
//! faults. Most accesses take the fast path ([`super::access`]) instead.

use super::context::Context;
use super::outcome::Done;
use super::target::Target;
use super::warp::{Warp, lanes};
use crate::code::{Access, Located, MemSpace};
use crate::launch::split_shared_address;
use texunit_memory::{
    CONST_BASE, CONST_END, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind, space_of,
};

/// Kind of an access, as messages of faults name it.
pub(super) type Kind = &'static str;

pub(super) const LOAD: Kind = "load";
pub(super) const STORE: Kind = "store";
pub(super) const ATOMIC: Kind = "atomic";

/// State space of an address, and the address in that space.
pub(super) fn space_at(mem_space: MemSpace, address: u64) -> (SpaceKind, u64) {
    let in_window = |window: u64| address.wrapping_sub(window);
    match mem_space {
        MemSpace::Shared => (SpaceKind::Shared, address),
        MemSpace::KernelParam => (SpaceKind::Param, address),
        MemSpace::Local | MemSpace::Frame if space_of(address) == SpaceKind::Local => {
            (SpaceKind::Local, in_window(LOCAL_WINDOW))
        }
        MemSpace::Local | MemSpace::Frame => (SpaceKind::Local, address),
        MemSpace::Global if (CONST_BASE..CONST_END).contains(&address) => {
            (SpaceKind::Const, address)
        }
        MemSpace::Global => (SpaceKind::Global, address),
        MemSpace::Param if address < 1 << 32 => (SpaceKind::Param, address),
        MemSpace::Generic | MemSpace::Param => match space_of(address) {
            SpaceKind::Shared => (SpaceKind::Shared, in_window(SHARED_WINDOW)),
            SpaceKind::Local => (SpaceKind::Local, in_window(LOCAL_WINDOW)),
            SpaceKind::Param => (SpaceKind::Param, in_window(PARAM_WINDOW)),
            space => (space, address),
        },
    }
}

/// The bytes to whose next power of two an access must be aligned, given the sizes of an element
/// and of all elements of a lane. ptxas splits an access at a known offset if it is only aligned to
/// its elements, so the elements' alignment is sufficient there.
#[inline]
pub(super) fn alignment(mem_space: MemSpace, (size, total): (u32, u32)) -> u32 {
    if matches!(mem_space, MemSpace::KernelParam | MemSpace::Frame) { size } else { total }
}

/// An element of a lane's access.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub(super) mem_space: MemSpace,
    /// The address of the access, which must be aligned for atomics, and the offset of the element.
    pub(super) address: u64,
    pub(super) offset: u64,
    pub(super) size: u8,
    /// Bytes of all elements of the access, which must be in bounds for atomics; other accesses
    /// only name them in messages.
    pub(super) total: u32,
}

/// The operation of an access on an element.
pub(super) enum Change<'f> {
    Load,
    Store(u64),
    /// Replaces the element by a function of its value and of whether it is in global memory.
    Update(&'f dyn Fn(u64, bool) -> u64),
}

impl Change<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Load => LOAD,
            Self::Store(_) => STORE,
            Self::Update(_) => ATOMIC,
        }
    }

    fn new_value(&self, old: u64, is_global: bool) -> u64 {
        match self {
            Self::Load => old,
            Self::Store(value) => *value,
            Self::Update(f) => f(old, is_global),
        }
    }

    /// Accesses an element. Returns the loaded value, and whether memory has been changed.
    fn apply(
        &self,
        target: &mut Target<'_>,
        (lane, at, size): (usize, u64, u8),
        is_global: bool,
    ) -> Option<(u64, bool)> {
        match self {
            Self::Load => Some((target.load(lane, at, size)?, false)),
            Self::Store(value) => target.store(lane, at, size, *value).map(|()| (*value, true)),
            Self::Update(f) => {
                let mut changes = false;
                let old = target.update(lane, at, size, |old| {
                    let new = f(old, is_global);
                    changes = new != old;
                    new
                })?;
                Some((old, changes))
            }
        }
    }
}

impl Context<'_> {
    pub(super) fn load(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Done {
        if self.wait_trace.is_some() || !self.load_stream(warp, access, mask) {
            self.access_each(warp, access, mask, LOAD)?;
            self.put_loaded(warp, access, mask);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Done {
        if self.wait_trace.is_some() || !self.store_stream(warp, access, mask) {
            self.read_stored(warp, access);
            self.access_each(warp, access, mask, STORE)?;
        }
        Ok(())
    }

    /// Writes the loaded elements in [`Context::parts`] to registers.
    pub(super) fn put_loaded(&mut self, warp: &mut Warp, access: &Access, mask: u32) {
        let above = if access.signed { 64 - 8 * u32::from(access.size) } else { 0 };
        for (part, &d) in self.parts.iter_mut().zip(&access.parts) {
            if above != 0 {
                part.iter_mut().for_each(|v| *v = ((*v << above) as i64 >> above) as u64);
            }
            warp.put(d, part, access.mask, mask);
        }
    }

    /// Reads the elements of a store into [`Context::parts`].
    pub(super) fn read_stored(&mut self, warp: &Warp, access: &Access) {
        for (part, &source) in self.parts.iter_mut().zip(&access.parts) {
            warp.read(&self.launch.constants, source, part);
        }
    }

    /// Loads elements into [`Context::parts`] or stores them from there, lane by lane.
    fn access_each(&mut self, warp: &mut Warp, access: &Access, mask: u32, kind: Kind) -> Done {
        let mem_space = self.locate(warp, access, mask)?;
        let (is_global, total) = (mem_space == MemSpace::Global, access.total());
        if let (Some(trace), true) = (&mut self.wait_trace, is_global && kind == LOAD) {
            lanes(mask).for_each(|lane| trace.look(self.addresses[lane], total));
        }
        self.check_alignment(warp, access, mem_space, mask, kind)?;
        if is_global {
            for lane in lanes(mask) {
                self.check_heap(lane, self.addresses[lane], total, kind)?;
            }
        }
        // Loads of global memory have been traced as a whole.
        let trace = self.wait_trace.take_if(|_| is_global && kind == LOAD);
        let done = lanes(mask).try_for_each(|lane| {
            if is_global {
                self.check_global(lane, total, kind)?;
            }
            for k in 0..access.parts.len() {
                let address = self.addresses[lane].wrapping_add(k as u64 * u64::from(access.size));
                let element = Element { mem_space, address, offset: 0, size: access.size, total };
                let stored = Change::Store(self.parts[k][lane]);
                let change = if kind == LOAD { &Change::Load } else { &stored };
                self.parts[k][lane] = self.access_one(warp, lane, element, change)?;
            }
            Ok(())
        });
        self.wait_trace = self.wait_trace.take().or(trace);
        done
    }

    /// Loads an element from any state space. `total` is the size of the whole access, for
    /// messages.
    pub(super) fn load_one(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (mem_space, address): (MemSpace, u64),
        (size, total): (u8, u32),
    ) -> Done<u64> {
        let element = Element { mem_space, address, offset: 0, size, total };
        self.access_one(warp, lane, element, &Change::Load)
    }

    pub(super) fn store_one(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (mem_space, address): (MemSpace, u64),
        (size, total): (u8, u32),
        value: u64,
    ) -> Done {
        let element = Element { mem_space, address, offset: 0, size, total };
        self.access_one(warp, lane, element, &Change::Store(value)).map(|_| ())
    }

    /// Accesses an element of one lane in any state space. Returns the loaded value.
    pub(super) fn access_one(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        Element { mem_space, address, offset, size, total }: Element,
        change: &Change<'_>,
    ) -> Done<u64> {
        let (kind, (space, at)) = (change.kind(), space_at(mem_space, address));
        // Bytes that must be in bounds.
        let len = if kind == ATOMIC { total } else { size.into() };
        if kind == ATOMIC && !address.is_multiple_of(total.into()) {
            return self.misaligned(warp, lane, (space, at), total, kind);
        }
        if kind != LOAD && matches!(space, SpaceKind::Param | SpaceKind::Const) {
            return self.read_only(lane, space, at);
        }
        let is_inside =
            |at: u64, end: u64| at.checked_add(len.into()).is_some_and(|last| last <= end);
        let apply = |mut target: Target<'_>, at: u64| {
            let is_global = space == SpaceKind::Global;
            change.apply(&mut target, (lane, at.wrapping_add(offset), size), is_global)
        };
        let found = match space {
            SpaceKind::Param => apply(Target::Params(self.launch.config.params), at),
            SpaceKind::Local if is_inside(at, warp.local_end) => {
                apply(Target::Local(&mut warp.local), at)
            }
            SpaceKind::Local => None,
            SpaceKind::Shared => {
                if kind != STORE {
                    self.trace_shared_load(at, size.into());
                }
                let (shared, start) = self.shared_of(at);
                if is_inside(start, shared.len() as u64) {
                    apply(Target::Bytes(shared), start)
                } else {
                    let new = |old| change.new_value(old, false);
                    let old = self.update_past_shared(at.wrapping_add(offset), size.into(), new);
                    old.map(|old| (old, false))
                }
            }
            SpaceKind::Global | SpaceKind::Const => {
                self.check_heap(lane, address, len, kind)?;
                if let (Some(trace), true) = (&mut self.wait_trace, kind != STORE) {
                    trace.look(address + offset, size.into());
                }
                let map = self.launch.config.memory;
                let found = match kind == LOAD {
                    true => map.find(address, len.into(), self.hint),
                    false => map.find_writable(address, len.into(), self.hint),
                };
                match found {
                    Ok((index, start)) => {
                        self.hint = index;
                        apply(Target::Block(map.block(index)), start)
                    }
                    Err(error) => match self.past_end(address, len.into()) {
                        Some((block, start)) => apply(Target::Block(&block), start),
                        None => return self.outside_global(lane, address, total, kind, &error),
                    },
                }
            }
        };
        let Some((value, changes)) = found else {
            return self.outside(warp, lane, (space, at), total, kind);
        };
        // Shared memory of another CTA counts as well.
        let is_of_peer = space == SpaceKind::Shared && split_shared_address(at).0.is_some();
        if changes && (space == SpaceKind::Global || is_of_peer) {
            self.record_side_effect();
        }
        Ok(value)
    }

    /// Computes the addresses. A generic access whose lanes all point to global memory becomes a
    /// global access.
    fn locate(&mut self, warp: &Warp, access: &Access, mask: u32) -> Done<MemSpace> {
        self.addresses_of(warp, access.at, access.constant);
        if access.constant
            && let Some(lane) =
                lanes(mask).find(|&l| space_of(self.addresses[l]) != SpaceKind::Const)
        {
            let at = (SpaceKind::Const, self.addresses[lane]);
            return self.outside(warp, lane, at, access.size.into(), LOAD);
        }
        Ok(self.narrowed(access.at.mem_space, mask))
    }

    /// Computes the addresses of a memory operand into `self.addresses`. `constant`: the operand is
    /// of `.const`.
    #[inline]
    pub(super) fn addresses_of(&mut self, warp: &Warp, at: Located, constant: bool) {
        if at.mem_space == MemSpace::Frame {
            self.addresses = [warp.local_base.wrapping_add(at.offset); 32];
        } else {
            self.address(warp, at.base, at.offset);
        }
        if constant {
            // Constant memory is a window; a 32-bit address (`mov.u32 %r, c`) is its offset.
            for address in &mut self.addresses {
                if *address < CONST_END - CONST_BASE {
                    *address += CONST_BASE;
                }
            }
        }
    }

    fn narrowed(&self, mem_space: MemSpace, mask: u32) -> MemSpace {
        let global = |l: usize| {
            self.addresses[l].wrapping_sub(SHARED_WINDOW)
                >= PARAM_WINDOW + (1 << 32) - SHARED_WINDOW
        };
        match mem_space {
            MemSpace::Generic if lanes(mask).all(global) => MemSpace::Global,
            mem_space => mem_space,
        }
    }

    fn check_alignment(
        &self,
        warp: &Warp,
        access: &Access,
        mem_space: MemSpace,
        mask: u32,
        kind: Kind,
    ) -> Done {
        let unit = alignment(mem_space, (access.size.into(), access.total()));
        let low = u64::from(unit.next_power_of_two()) - 1;
        let Some(lane) = lanes(mask).find(|&l| self.addresses[l] & low != 0) else { return Ok(()) };
        self.misaligned(warp, lane, space_at(mem_space, self.addresses[lane]), unit, kind)
    }

    /// Checks that the elements of a lane's access to global memory are in one allocation.
    fn check_global(&self, lane: usize, total: u32, kind: Kind) -> Done {
        let (address, len) = (self.addresses[lane], u64::from(total));
        let is_constant = (CONST_BASE..CONST_END).contains(&address);
        let map = self.launch.config.memory;
        let found = match kind == STORE {
            // Each element is refused.
            true if is_constant => return Ok(()),
            true => map.find_writable(address, len, self.hint),
            false => map.find(address, len, self.hint),
        };
        match found {
            Err(error) if !self.may_pass(address, len) => {
                self.outside_global(lane, address, total, kind, &error)
            }
            _ => Ok(()),
        }
    }
}
