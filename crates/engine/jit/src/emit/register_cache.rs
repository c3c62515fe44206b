//! The register cache: which processor register holds which value, whether the register file has
//! the same value, and what is known of it. [`super::registers`] loads, evicts and stores values.

use crate::operand::{Source, VReg};

/// A cached value: a lane group (the lanes that fit into one vector register) of a register or of
/// an input. The last field is the number of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// A lane group of a 32-bit register, or with [`SAME`] all groups that have one value in all
    /// lanes.
    B32(u32, u8),
    /// A lane group of a 64-bit register.
    B64(u32, u8),
    /// A lane group of a predicate register, or with [`SAME`] the whole predicate register.
    Predicate(u32, u8),
    /// A lane group of an input or constant, as lanes of 32 or 64 bits. A uniform source has only
    /// group 0. With [`SAME`], a per-lane input's value in lane 0, which all lanes have.
    Other(Source, Width, u8),
}

/// Stands for the lane groups of a register that [`RegisterCache`] knows to have one value in all
/// lanes, so that one processor register holds all of them.
pub(super) const SAME: u8 = u8::MAX;

/// A register with one value in all lanes.
#[derive(Clone, Copy, Debug)]
struct Same {
    vreg: VReg,
    /// The lane groups that still have the value, as bits.
    parts: u8,
    /// Whether all live lanes have the value on every path, so that an entry need not test it.
    is_known: bool,
}

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

/// Properties that are known of a value in a processor register.
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

/// The number of the first mask register among the processor registers ([`Reg`]).
pub(super) const MASK_0: u8 = 32;
pub(super) const REGISTERS: usize = 40;

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
    /// When the register was last used, by the clock of the register cache.
    pub(super) used: u32,
}

/// The state of all processor registers.
#[derive(Clone, Debug)]
pub(super) struct RegisterCache {
    pub(super) held: [RegState; REGISTERS],
    clock: u32,
    /// Registers with one value in all lanes. None in [`crate::machine::Mode::Some`], where
    /// inactive lanes have values of their own.
    same: Vec<Same>,
    /// The evicted values that are [`Nans::Any`] in the register file.
    pub(super) unsettled: Vec<Key>,
    /// Whether eviction may leave values [`Nans::Any`] in the register file, because the current
    /// steps read it only by [`super::Emitter::hold`] and memory operands.
    pub(super) defers_nans: bool,
}

impl Default for RegisterCache {
    fn default() -> Self {
        Self {
            held: [RegState::default(); REGISTERS],
            clock: 0,
            same: Vec::new(),
            unsettled: Vec::new(),
            defers_nans: false,
        }
    }
}

impl Key {
    /// Whether the key stands for all lane groups that have one value in all lanes ([`SAME`]).
    pub(super) fn is_same(self) -> bool {
        matches!(self, Self::B32(_, SAME) | Self::Predicate(_, SAME))
    }

    /// The key of a lane group of a register.
    pub(super) fn of(vreg: VReg, part: u8) -> Self {
        match vreg {
            VReg::B32(i) => Self::B32(i, part),
            VReg::B64(i) => Self::B64(i, part),
            VReg::Predicate(i) => Self::Predicate(i, part),
        }
    }

    /// The number of the lane group of this key.
    pub(super) fn part(self) -> usize {
        match self {
            Self::B32(_, part)
            | Self::B64(_, part)
            | Self::Predicate(_, part)
            | Self::Other(_, _, part) => part.into(),
        }
    }

    pub(super) fn vreg(self) -> Option<VReg> {
        match self {
            Self::B32(i, _) => Some(VReg::B32(i)),
            Self::B64(i, _) => Some(VReg::B64(i)),
            Self::Predicate(i, _) => Some(VReg::Predicate(i)),
            Self::Other(..) => None,
        }
    }
}

impl RegisterCache {
    /// The lane groups of a register that are known to have one value in all lanes, as bits.
    fn same_parts(&self, vreg: VReg) -> u8 {
        self.same.iter().find(|same| same.vreg == vreg).map_or(0, |same| same.parts)
    }

    /// The key under which a value is cached: with [`SAME`] if all lanes are known to have one
    /// value.
    pub(super) fn cached(&self, key: Key) -> Key {
        match key {
            Key::B32(_, part) | Key::Predicate(_, part) => key
                .vreg()
                .filter(|&vreg| self.same_parts(vreg) >> (part & 7) & 1 != 0)
                .map_or(key, |vreg| Key::of(vreg, SAME)),
            _ => key,
        }
    }

    /// The keys of the lane groups in the register file that a cached value stands for.
    pub(super) fn rows(&self, key: Key) -> impl Iterator<Item = Key> + use<> {
        let same = key.vreg().filter(|_| key.is_same());
        let parts = same.map_or(0, |vreg| self.same_parts(vreg));
        let own = same.is_none().then_some(key);
        let rows = same.into_iter().flat_map(|vreg| (0..8).map(move |i| Key::of(vreg, i)).zip(0..));
        own.into_iter().chain(rows.filter(move |of| parts >> of.1 & 1 != 0).map(|of| of.0))
    }

    /// The keys of values that one processor register holds for all lanes, and for each key whether
    /// an entry of the code need not test that all lanes have the value.
    pub(super) fn all_same(&self) -> impl Iterator<Item = (Key, bool)> {
        self.same.iter().map(|same| (Key::of(same.vreg, SAME), same.is_known))
    }

    /// Whether all lanes of a register have one value on every path to the current code.
    pub(super) fn is_same(&self, vreg: VReg) -> bool {
        let key = Key::of(vreg, SAME);
        self.all_same().any(|same| same == (key, true)) && self.position(key).is_some()
    }

    /// Makes a temporary register the new value of all `count` lane groups of a register.
    pub(super) fn define_same(&mut self, vreg: VReg, count: u8, reg: Reg, is_known: bool) {
        self.forget(vreg);
        self.note_same(vreg, count, is_known);
        self.set(reg, Key::of(vreg, SAME), Kind::BITS, true);
    }

    /// Records that all lanes of a register have one value.
    pub(super) fn note_same(&mut self, vreg: VReg, count: u8, is_known: bool) {
        self.same.push(Same { vreg, parts: u8::MAX >> (8 - count), is_known });
    }

    /// Records that the lane groups which the predicate selects no longer share one value with the
    /// other lane groups of their register.
    fn split(&mut self, is: impl Fn(Key) -> bool) {
        for Same { vreg, parts, is_known } in &mut self.same {
            let ended = (0..8).filter(|&part| is(Key::of(*vreg, part)));
            let rest = ended.fold(*parts, |parts, part| parts & !(1 << part));
            *is_known &= rest == *parts;
            *parts = rest;
        }
        let ended = |key: Key| {
            let same = self.same.iter().find(|same| key == Key::of(same.vreg, SAME));
            same.is_some_and(|same| same.parts == 0)
        };
        for held in self.held.iter_mut().filter(|held| held.key.is_some_and(ended)) {
            (held.key, held.dirty) = (None, false);
        }
        self.same.retain(|same| same.parts != 0);
    }

    /// The processor register that holds a value.
    pub(super) fn position(&self, key: Key) -> Option<Reg> {
        let key = self.cached(key);
        self.held.iter().position(|h| h.key == Some(key)).map(|i| Reg(i as u8))
    }

    /// The processor register that holds a value. Pins it, so that it is not evicted in this step.
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
        self.split(|other| other == key);
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

    /// Drops the cached values of a dead register.
    pub(super) fn forget(&mut self, vreg: VReg) {
        self.forget_keys(|key| key.vreg() == Some(vreg));
    }

    /// Drops the values that the predicate selects, which must be dead.
    pub(super) fn forget_keys(&mut self, is: impl Fn(Key) -> bool) {
        self.unsettled.retain(|&key| !is(key));
        self.split(&is);
        for held in &mut self.held {
            if held.key.is_some_and(|key| !key.is_same() && is(key)) {
                *held = RegState { pinned: held.pinned, ..RegState::default() };
            }
        }
    }

    /// Whether the register file may have any NaN in place of a value's canonical NaN.
    pub(super) fn is_unsettled(&self, key: Key) -> bool {
        self.unsettled.contains(&key)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (Reg, Key, RegState)> {
        (0..).zip(&self.held).filter_map(|(i, h)| Some((Reg(i), h.key?, *h)))
    }

    /// All cached values that are newer than the register file.
    pub(super) fn dirty(&self) -> impl Iterator<Item = (Reg, Key, RegState)> {
        self.all().filter(|(.., held)| held.dirty)
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
