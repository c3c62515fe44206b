//! The register cache: which processor register holds which value, whether the register file has
//! the same value, and what is known of it. Steps ask the cache for sources and temporaries, and
//! define their results in it; the cache loads, evicts and stores values.

use super::Emitter;
use super::backend::Backend;
use super::live::NEVER;
use crate::operand::{Source, VReg};

/// A cached value: a part of the lanes of a register or of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A part of a 32-bit register.
    B32(u32, u8),
    /// A part of a 64-bit register.
    B64(u32, u8),
    /// A part of a predicate register.
    Predicate(u32, u8),
    /// A part of another source, as lanes of 32 or 64 bits. A uniform source has only part 0.
    Other(Source, Width, u8),
}

/// The width of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    B32,
    B64,
}

/// Which NaNs the lanes of a value may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Nans {
    /// The bits of a NaN are significant, because the value may not be a float.
    #[default]
    Bits,
    /// The lanes have no NaN other than the canonical one.
    Canonical,
    /// Any NaN stands for the canonical NaN, and is replaced by it before the value is stored.
    Any,
}

/// Known properties of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) nans: Nans,
    /// Whether no lane is subnormal.
    pub(super) no_subnormals: bool,
    /// Whether inactive lanes have no subnormals unless active lanes have some, so that they do not
    /// slow arithmetic down.
    pub(super) inactive_normal: bool,
}

impl Kind {
    /// A value of which nothing is known.
    pub(super) const BITS: Self =
        Self { nans: Nans::Bits, no_subnormals: false, inactive_normal: false };

    /// A float that is converted from another type, and never subnormal.
    pub(super) const fn normal(nans: Nans) -> Self {
        Self { nans, no_subnormals: true, inactive_normal: true }
    }

    /// The result of an f32 instruction with or without `.ftz` and `.sat`.
    pub(super) fn of_float(flush: bool, saturate: bool) -> Self {
        let nans = if saturate { Nans::Canonical } else { Nans::Any };
        Self { nans, no_subnormals: flush, inactive_normal: true }
    }

    /// The properties of a value that is one of two values, where their NaNs are significant.
    pub(super) fn bits_or(self, other: Self) -> Self {
        let (no_subnormals, inactive_normal) = (
            self.no_subnormals && other.no_subnormals,
            self.inactive_normal && other.inactive_normal,
        );
        Self { nans: Nans::Bits, no_subnormals, inactive_normal }
    }

    /// The properties of a value that is one of two values; `None` if their NaNs are incompatible.
    pub(super) fn or(self, other: Self) -> Option<Self> {
        let nans = match (self.nans, other.nans) {
            (Nans::Any, Nans::Bits) | (Nans::Bits, Nans::Any) => return None,
            (Nans::Any, _) | (_, Nans::Any) => Nans::Any,
            (Nans::Bits, _) | (_, Nans::Bits) => Nans::Bits,
            _ => Nans::Canonical,
        };
        Some(Self { nans, ..self.bits_or(other) })
    }
}

/// A processor register that the cache allocates. Vector registers come first, then mask registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reg(pub(super) u8);

/// The number of the first mask register.
pub(super) const MASK_0: u8 = 32;
const REGISTERS: usize = 40;

impl Reg {
    pub(super) fn is_mask(self) -> bool {
        self.0 >= MASK_0
    }
}

/// The state of a processor register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RegState {
    pub(super) key: Option<Key>,
    pub(super) kind: Kind,
    /// Whether the register file has an older value.
    pub(super) dirty: bool,
    /// Whether the current step uses the register, so that it must not be evicted.
    pub(super) pinned: bool,
    /// The time of the last use.
    pub(super) used: u32,
}

/// The state of all processor registers.
#[derive(Clone, Debug)]
pub(super) struct RegisterCache {
    held: [RegState; REGISTERS],
    clock: u32,
    /// The evicted values that are [`Nans::Any`] in the register file.
    pub(super) unsettled: Vec<Key>,
    /// Whether eviction may leave values [`Nans::Any`] in the register file, because the current
    /// steps read it only by [`Emitter::hold`] and memory operands.
    pub(super) defers_nans: bool,
}

impl Default for RegisterCache {
    fn default() -> Self {
        Self {
            held: [RegState::default(); REGISTERS],
            clock: 0,
            unsettled: Vec::new(),
            defers_nans: false,
        }
    }
}

impl Key {
    pub(super) fn vreg(self) -> Option<VReg> {
        match self {
            Self::B32(i, _) => Some(VReg::B32(i)),
            Self::B64(i, _) => Some(VReg::B64(i)),
            Self::Predicate(i, _) => Some(VReg::Predicate(i)),
            Self::Other(..) => None,
        }
    }

    /// All parts of a register.
    pub(super) fn all<B: Backend>(vreg: VReg) -> impl Iterator<Item = Self> {
        let narrow = (32 / B::LANES) as u8;
        let parts = match vreg {
            VReg::B32(_) => narrow,
            VReg::B64(_) => 2 * narrow,
            VReg::Predicate(_) => B::PREDICATE_PARTS,
        };
        (0..parts).map(move |part| match vreg {
            VReg::B32(i) => Self::B32(i, part),
            VReg::B64(i) => Self::B64(i, part),
            VReg::Predicate(i) => Self::Predicate(i, part),
        })
    }
}

impl RegisterCache {
    /// The processor register that holds a value.
    pub(super) fn position(&self, key: Key) -> Option<Reg> {
        self.held.iter().position(|h| h.key == Some(key)).map(|i| Reg(i as u8))
    }

    /// The processor register that holds a value. It is pinned.
    pub(super) fn find(&mut self, key: Key) -> Option<Reg> {
        let reg = self.position(key)?;
        self.clock += 1;
        let used = self.clock;
        let held = self.of(reg);
        (held.used, held.pinned) = (used, true);
        Some(reg)
    }

    pub(super) fn of(&mut self, reg: Reg) -> &mut RegState {
        &mut self.held[usize::from(reg.0)]
    }

    pub(super) fn get(&self, reg: Reg) -> RegState {
        self.held[usize::from(reg.0)]
    }

    /// Records that a processor register holds a value.
    pub(super) fn set(&mut self, reg: Reg, key: Key, kind: Kind, dirty: bool) {
        self.clock += 1;
        let used = self.clock;
        *self.of(reg) = RegState { key: Some(key), kind, dirty, pinned: true, used };
    }

    /// Records that a processor register holds a newer value than the register file.
    pub(super) fn change(&mut self, reg: Reg, key: Key, kind: Kind) {
        self.unsettled.retain(|&other| other != key);
        self.set(reg, key, kind, true);
    }

    pub(super) fn kind(&self, reg: Reg) -> Kind {
        self.get(reg).kind
    }

    /// Ends a step: the registers that it used may be evicted, and its temporaries are free.
    pub(super) fn unpin(&mut self) {
        self.held.iter_mut().for_each(|h| h.pinned = false);
    }

    /// Frees a temporary before the end of the step.
    pub(super) fn release(&mut self, reg: Reg) {
        self.of(reg).pinned = false;
    }

    /// Drops a dead register.
    pub(super) fn forget(&mut self, vreg: VReg) {
        self.forget_keys(|key| key.vreg() == Some(vreg));
    }

    /// Drops the values that the predicate selects, which must be dead.
    pub(super) fn forget_keys(&mut self, is: impl Fn(Key) -> bool) {
        self.unsettled.retain(|&key| !is(key));
        for held in &mut self.held {
            if held.key.is_some_and(&is) {
                *held = RegState { pinned: held.pinned, ..RegState::default() };
            }
        }
    }

    /// Whether the register file may have any NaN in place of a value's canonical NaN.
    pub(super) fn is_unsettled(&self, key: Key) -> bool {
        self.unsettled.contains(&key)
    }

    /// All cached values.
    pub(super) fn all(&self) -> impl Iterator<Item = (Reg, Key, RegState)> {
        (0..).zip(&self.held).filter_map(|(i, h)| Some((Reg(i), h.key?, *h)))
    }

    /// All cached values that are newer than the register file.
    pub(super) fn dirty(&self) -> impl Iterator<Item = (Reg, Key, RegState)> {
        self.all().filter(|(.., held)| held.dirty)
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Allocates an empty vector register for the current step.
    pub(super) fn temporary(&mut self) -> Reg {
        self.take(0, B::VECTORS)
    }

    /// Allocates an empty mask register for the current step.
    pub(super) fn temporary_mask(&mut self) -> Reg {
        self.take(MASK_0, B::MASKS)
    }

    fn take(&mut self, from: u8, count: u8) -> Reg {
        let range = usize::from(from)..usize::from(from + count);
        let all = &self.cache.held[range.clone()];
        let free = all.iter().position(|h| h.key.is_none() && !h.pinned);
        let reg = match free {
            Some(i) => Reg(from + i as u8),
            None => self.evict(from, count),
        };
        *self.cache.of(reg) = RegState { pinned: true, ..RegState::default() };
        reg
    }

    /// Frees a register: values that can be reloaded are evicted first, then the value whose next
    /// use is farthest.
    fn evict(&mut self, from: u8, count: u8) -> Reg {
        let cost = |held: &RegState| match held.key.and_then(Key::vreg) {
            None => (1, u32::MAX - held.used),
            Some(_) if held.key.is_some_and(|key| self.back.is_idle(key)) => (2, 0),
            Some(vreg) => (0, self.next_use(vreg)),
        };
        let candidates = (from..from + count).map(Reg).filter(|&r| !self.cache.get(r).pinned);
        let Some(reg) = candidates.max_by_key(|&r| cost(&self.cache.get(r))) else {
            self.asm.out_of_registers();
            return Reg(from);
        };
        match self.cache.get(reg) {
            RegState { key: Some(key), dirty: true, kind, .. }
                if self.defers_nans(key) && kind.nans == Nans::Any =>
            {
                if !self.cache.is_unsettled(key) {
                    self.cache.unsettled.push(key);
                }
                B::store(self, reg, key);
            }
            _ => self.write_back(reg),
        }
        reg
    }

    /// Whether eviction may leave a value [`Nans::Any`]. One that outlives the block would be
    /// stored twice.
    fn defers_nans(&self, key: Key) -> bool {
        let dies = |vreg| !self.region.blocks[self.block].kept.contains(&vreg);
        self.cache.defers_nans && key.vreg().is_some_and(dies)
    }

    /// The next step of the block that reads or writes a register.
    fn next_use(&self, vreg: VReg) -> u32 {
        self.facts.numbers.get(vreg).map_or(NEVER, |i| self.next[i])
    }

    /// Stores a value to the register file if it is dirty.
    pub(super) fn write_back(&mut self, reg: Reg) {
        let held = self.cache.get(reg);
        let (Some(key), true) = (held.key, held.dirty) else { return };
        self.canonical(reg);
        self.cache.of(reg).dirty = false;
        self.cache.unsettled.retain(|&other| other != key);
        B::store(self, reg, key);
    }

    /// Makes NaNs in the register file canonical.
    pub(super) fn settle(&mut self) {
        self.settle_all_but(|_| false);
    }

    /// Makes NaNs in the register file canonical, except of values that the predicate selects.
    pub(super) fn settle_all_but(&mut self, is_exempt: impl Fn(Key) -> bool) {
        let defers = std::mem::replace(&mut self.cache.defers_nans, false);
        for key in self.cache.unsettled.clone() {
            if !is_exempt(key) && self.cache.is_unsettled(key) {
                let reg = self.hold(key);
                self.cache.of(reg).dirty = true;
                self.write_back(reg);
                self.cache.release(reg);
            }
        }
        self.cache.defers_nans = defers;
    }

    /// Stores all dirty values.
    pub(super) fn write_all_back(&mut self) {
        for i in 0..REGISTERS as u8 {
            self.write_back(Reg(i));
        }
        self.settle();
    }

    /// Replaces NaNs that stand for the canonical NaN by it.
    pub(super) fn canonical(&mut self, reg: Reg) {
        if self.cache.kind(reg).nans == Nans::Any {
            self.cache.of(reg).kind.nans = Nans::Canonical;
            B::canonical(self, reg);
        }
    }

    /// The processor register that holds a value, which is loaded if necessary. The caller must not
    /// change it.
    pub(super) fn hold(&mut self, key: Key) -> Reg {
        if let Some(reg) = self.cache.find(key) {
            return reg;
        }
        let masks = matches!(key, Key::Predicate(..)) && B::MASKS != 0;
        let reg = if masks { self.temporary_mask() } else { self.temporary() };
        B::load(self, reg, key);
        self.cache.set(reg, key, self.kind_in_memory(key), false);
        reg
    }

    /// The properties of a value in the register file, or of another source.
    pub(super) fn kind_in_memory(&self, key: Key) -> Kind {
        let kind = kind_of(key);
        if self.cache.is_unsettled(key) { Kind { nans: Nans::Any, ..kind } } else { kind }
    }

    /// Makes a temporary the new value of a register.
    pub(super) fn define(&mut self, key: Key, reg: Reg, kind: Kind) {
        for held in &mut self.cache.held {
            if held.key == Some(key) {
                // The register stays pinned: other parts of the step may still read it as a source.
                (held.key, held.dirty) = (None, false);
            }
        }
        self.cache.change(reg, key, kind);
    }
}

/// The properties of a value that has just been loaded.
pub(super) fn kind_of(key: Key) -> Kind {
    let inactive_normal = matches!(key, Key::Other(..));
    let Key::Other(Source::Literal(number), Width::B32, _) = key else {
        return Kind { inactive_normal, ..Kind::BITS };
    };
    let (exponent, fraction) = (number & 0x7f80_0000, number & 0x7f_ffff);
    let nan = exponent == 0x7f80_0000 && fraction != 0;
    let nans = if nan && number as u32 != 0x7fff_ffff { Nans::Bits } else { Nans::Canonical };
    Kind { nans, no_subnormals: exponent != 0 || fraction == 0, inactive_normal }
}
