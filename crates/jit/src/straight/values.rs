//! Which vector register holds what.

use super::Emitter;
use super::asm::{Mask, Zmm, at};
use super::masks::LANES;
use crate::block::{Place, Source};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// What a vector register may hold: 16 lanes of 32 bits, or 8 of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The half of a narrow register.
    Narrow(u32),
    /// A part of the half of a wide one.
    Wide(u32, usize),
    /// A source that is no register, as 32-bit or 64-bit lanes.
    Other(Source, Width),
}

/// Width of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Narrow,
    Wide,
}

/// What is known of the floats of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    /// Every NaN stands for the canonical one.
    pub(super) any_nan: bool,
    /// There are no subnormals.
    pub(super) normal: bool,
}

impl Kind {
    /// Bits of which nothing is known.
    pub(super) const BITS: Self = Self { any_nan: false, normal: false };
}

/// A vector register.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    key: Option<Key>,
    kind: Kind,
    /// Whether the file has another value.
    dirty: bool,
    /// Whether the step uses it.
    pinned: bool,
    /// When it was used last.
    used: usize,
}

/// Vector registers that hold values: two have other uses.
const HOLDING: usize = 30;
/// The canonical NaN in all lanes, where a block has floats.
pub(super) const NAN: Zmm = Zmm(30);
/// What is stored, if not all lanes are.
const STORED: Zmm = Zmm(31);

/// All vector registers that hold values.
#[derive(Debug, Default)]
pub(super) struct Values {
    held: [Held; HOLDING],
    clock: usize,
}

impl Key {
    fn place(self) -> Option<Place> {
        match self {
            Self::Narrow(i) => Some(Place::Narrow(i)),
            Self::Wide(i, _) => Some(Place::Wide(i)),
            Self::Other(..) => None,
        }
    }
}

impl Values {
    pub(super) fn find(&mut self, key: Key) -> Option<Zmm> {
        let i = self.held.iter().position(|h| h.key == Some(key))?;
        self.clock += 1;
        self.held[i].used = self.clock;
        self.held[i].pinned = true;
        Some(Zmm(i as u8))
    }

    fn of(&mut self, z: Zmm) -> &mut Held {
        &mut self.held[usize::from(z.0)]
    }

    /// A register holds something from now on.
    pub(super) fn set(&mut self, z: Zmm, key: Key, kind: Kind, dirty: bool) {
        self.clock += 1;
        let used = self.clock;
        *self.of(z) = Held { key: Some(key), kind, dirty, pinned: true, used };
    }

    pub(super) fn kind(&self, z: Zmm) -> Kind {
        self.held[usize::from(z.0)].kind
    }

    /// The end of a step: its registers may be taken, and temporaries are free.
    pub(super) fn unpin(&mut self) {
        self.held.iter_mut().for_each(|h| h.pinned = false);
    }

    /// Frees what holds a register whose value nobody reads.
    pub(super) fn forget(&mut self, place: Place) {
        for held in &mut self.held {
            if held.key.and_then(Key::place) == Some(place) {
                *held = Held { pinned: held.pinned, ..Held::default() };
            }
        }
    }

    /// Registers with values that the files do not have.
    pub(super) fn dirty(&self) -> Vec<Place> {
        let dirty = self.held.iter().filter(|h| h.dirty);
        dirty.filter_map(|h| h.key.and_then(Key::place)).collect()
    }
}

impl Emitter<'_> {
    /// A vector register for the step, holding nothing.
    pub(super) fn temporary(&mut self) -> Zmm {
        let free = self.values.held.iter().position(|h| h.key.is_none() && !h.pinned);
        let i = free.unwrap_or_else(|| self.evict());
        self.values.held[i] = Held { pinned: true, ..Held::default() };
        Zmm(i as u8)
    }

    /// Frees a vector register: first of what can be had again by a load, then what is not needed
    /// for the longest time.
    fn evict(&mut self) -> usize {
        let (uses, step) = (self.uses, self.step);
        let cost = |held: &Held| match held.key.and_then(Key::place) {
            None => (1, usize::MAX - held.used),
            Some(place) => (0, uses.next(place, step)),
        };
        let held = self.values.held.iter().enumerate().filter(|(_, h)| !h.pinned);
        let Some((i, _)) = held.max_by_key(|(_, h)| cost(h)) else {
            self.asm.out_of_registers();
            return 0;
        };
        let Held { key: Some(key), dirty: true, .. } = self.values.held[i] else { return i };
        self.write_back(key, Zmm(i as u8));
        i
    }

    /// Where a register lies in its file.
    pub(super) fn home(&self, key: Key) -> MemoryOperand {
        match key {
            Key::Wide(i, part) => at(R::RDX, i as usize * 256 + self.half * 128 + part * 64),
            Key::Narrow(i) => at(R::RSI, i as usize * 128 + self.half * 64),
            Key::Other(..) => at(R::RDI, 0),
        }
    }

    /// Gives NaNs that stand for the canonical one its bits.
    pub(super) fn canonical(&mut self, z: Zmm) {
        if self.values.kind(z).any_nan {
            self.values.of(z).kind.any_nan = false;
            self.fix_nans(z);
        }
    }

    /// Writes a narrow register.
    pub(super) fn put_narrow(&mut self, to: u32, value: Zmm, kind: Kind, guard: Option<Mask>) {
        let key = Key::Narrow(to);
        let Some(guard) = guard else { return self.define(key, value, kind) };
        if kind.any_nan {
            self.fix_nans(value);
        }
        let old = self.hold(key);
        self.canonical(old);
        self.merge(old, value, guard, Width::Narrow);
        let was = self.values.of(old);
        (was.dirty, was.kind.normal) = (true, was.kind.normal && kind.normal);
    }

    /// Writes a part of a wide register.
    pub(super) fn put_wide(&mut self, to: u32, part: usize, value: Zmm, guard: Option<Mask>) {
        let key = Key::Wide(to, part);
        let Some(guard) = guard else { return self.define(key, value, Kind::BITS) };
        let guard = self.of_part(guard, part);
        let old = self.hold(key);
        self.merge(old, value, guard, Width::Wide);
        self.values.of(old).dirty = true;
    }

    fn merge(&mut self, old: Zmm, value: Zmm, mask: Mask, width: Width) {
        let code = match width {
            Width::Narrow => C::EVEX_Vmovdqa32_zmm_k1z_zmmm512,
            Width::Wide => C::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
        };
        self.asm.put_masked(mask, I::with2(code, old.z(), value.z()));
    }

    /// Makes a temporary the value of a register.
    fn define(&mut self, key: Key, z: Zmm, kind: Kind) {
        for held in &mut self.values.held {
            if held.key == Some(key) {
                // A source of the step may be read again by its other part.
                (held.key, held.dirty) = (None, false);
            }
        }
        self.values.set(z, key, kind, true);
    }

    /// Stores a value and leaves it where it is.
    fn write_back(&mut self, key: Key, z: Zmm) {
        self.canonical(z);
        self.values.of(z).dirty = false;
        let to = self.home(key);
        let mut value = z;
        if self.some {
            let wide = matches!(key, Key::Wide(..));
            let lanes = match key {
                Key::Wide(_, part) => self.of_part(LANES, part),
                _ => LANES,
            };
            value = STORED;
            self.asm.put(I::with2(C::EVEX_Vmovdqu32_zmm_k1z_zmmm512, value.z(), to));
            let width = if wide { Width::Wide } else { Width::Narrow };
            self.merge(value, z, lanes, width);
            if lanes != LANES {
                self.release_mask(lanes);
            }
        }
        // Not a masked store: what follows would have to wait for it.
        self.asm.put(I::with2(C::EVEX_Vmovdqu32_zmmm512_k1z_zmm, to, value.z()));
    }

    /// Stores what is held of a register.
    pub(super) fn store(&mut self, place: Place) {
        for i in 0..self.values.held.len() {
            let held = self.values.held[i];
            if let Some(key) = held.key
                && held.dirty
                && key.place() == Some(place)
            {
                self.write_back(key, Zmm(i as u8));
            }
        }
    }

    /// Stores a register that the block does not mention any more.
    pub(super) fn settle(&mut self, place: Place) {
        self.store(place);
        self.values.forget(place);
    }
}
