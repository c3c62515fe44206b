//! The books: which register of the processor holds what.

use super::Emitter;
use super::backend::Backend;
use super::live::NEVER;
use crate::operand::{Place, Source};

/// What a register may hold: a part of the 32 lanes of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Of a narrow register.
    Narrow(u32, u8),
    /// Of a wide one.
    Wide(u32, u8),
    /// Of a predicate.
    Predicate(u32, u8),
    /// Of a source that is no register, as lanes of 32 or of 64 bits. What is the same in all lanes has part 0.
    Other(Source, Width, u8),
}

/// Width of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Narrow,
    Wide,
}

/// What is known of the NaNs of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Nans {
    /// They are bits like all others.
    #[default]
    Bits,
    /// There are none, or they are canonical ones.
    Canonical,
    /// Every NaN stands for the canonical one.
    Any,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) nans: Nans,
    /// There are no subnormals.
    pub(super) normal: bool,
    /// There are hardly any in lanes that do not run, or none that the others have not got: arithmetic on it takes no
    /// longer for them.
    pub(super) calm: bool,
}

impl Kind {
    /// Bits of which nothing is known.
    pub(super) const BITS: Self = Self { nans: Nans::Bits, normal: false, calm: false };

    /// A float whose NaNs are these, made of a number or a value of another size: it is no subnormal.
    pub(super) const fn normal(nans: Nans) -> Self {
        Self { nans, normal: true, calm: true }
    }

    /// What an instruction on f32 gives, by whether it makes subnormals zeros and saturates.
    pub(super) fn of_float(flush: bool, saturate: bool) -> Self {
        let nans = if saturate { Nans::Canonical } else { Nans::Any };
        Self { nans, normal: flush, calm: true }
    }

    /// What is known of bits that are those of the one or the other.
    pub(super) fn bits_or(self, other: Self) -> Self {
        let (normal, calm) = (self.normal && other.normal, self.calm && other.calm);
        Self { nans: Nans::Bits, normal, calm }
    }

    /// What is known of a value that is the one or the other.
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

/// A register of the processor that holds values: vectors first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reg(pub(super) u8);

/// The first mask register of the books.
pub(super) const MASK_0: u8 = 32;
const REGISTERS: usize = 40;

impl Reg {
    pub(super) fn is_mask(self) -> bool {
        self.0 >= MASK_0
    }
}

/// What is in a register.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) key: Option<Key>,
    pub(super) kind: Kind,
    /// Whether its home has another value.
    pub(super) dirty: bool,
    /// Whether the step uses it.
    pub(super) pinned: bool,
    /// When it was used last.
    pub(super) used: u32,
}

/// All registers of the processor that hold values.
#[derive(Clone, Debug)]
pub(super) struct Values {
    held: [Held; REGISTERS],
    clock: u32,
}

impl Default for Values {
    fn default() -> Self {
        Self { held: [Held::default(); REGISTERS], clock: 0 }
    }
}

impl Key {
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Self::Narrow(i, _) => Some(Place::Narrow(i)),
            Self::Wide(i, _) => Some(Place::Wide(i)),
            Self::Predicate(i, _) => Some(Place::Predicate(i)),
            Self::Other(..) => None,
        }
    }

    /// All parts of a register.
    pub(super) fn all<B: Backend>(place: Place) -> impl Iterator<Item = Self> {
        let narrow = (32 / B::LANES) as u8;
        let parts = match place {
            Place::Narrow(_) => narrow,
            Place::Wide(_) => 2 * narrow,
            Place::Predicate(_) => B::PREDICATE_PARTS,
        };
        (0..parts).map(move |part| match place {
            Place::Narrow(i) => Self::Narrow(i, part),
            Place::Wide(i) => Self::Wide(i, part),
            Place::Predicate(i) => Self::Predicate(i, part),
        })
    }
}

impl Values {
    /// Where something is.
    pub(super) fn position(&self, key: Key) -> Option<Reg> {
        self.held.iter().position(|h| h.key == Some(key)).map(|i| Reg(i as u8))
    }

    /// Where something is, which the step uses from now on.
    pub(super) fn find(&mut self, key: Key) -> Option<Reg> {
        let reg = self.position(key)?;
        self.clock += 1;
        let used = self.clock;
        let held = self.of(reg);
        (held.used, held.pinned) = (used, true);
        Some(reg)
    }

    pub(super) fn of(&mut self, reg: Reg) -> &mut Held {
        &mut self.held[usize::from(reg.0)]
    }

    pub(super) fn get(&self, reg: Reg) -> Held {
        self.held[usize::from(reg.0)]
    }

    /// A register holds something from now on.
    pub(super) fn set(&mut self, reg: Reg, key: Key, kind: Kind, dirty: bool) {
        self.clock += 1;
        let used = self.clock;
        *self.of(reg) = Held { key: Some(key), kind, dirty, pinned: true, used };
    }

    pub(super) fn kind(&self, reg: Reg) -> Kind {
        self.get(reg).kind
    }

    /// The end of a step: its registers may be taken, and temporaries are free.
    pub(super) fn unpin(&mut self) {
        self.held.iter_mut().for_each(|h| h.pinned = false);
    }

    /// A temporary, or a register that the step does not need any more, may be taken.
    pub(super) fn release(&mut self, reg: Reg) {
        self.of(reg).pinned = false;
    }

    /// Frees what holds a register whose value nobody reads.
    pub(super) fn forget(&mut self, place: Place) {
        self.forget_keys(|key| key.place() == Some(place));
    }

    /// Frees what holds a key whose value nobody reads.
    pub(super) fn forget_keys(&mut self, is: impl Fn(Key) -> bool) {
        for held in &mut self.held {
            if held.key.is_some_and(&is) {
                *held = Held { pinned: held.pinned, ..Held::default() };
            }
        }
    }

    /// Registers that hold something.
    pub(super) fn all(&self) -> impl Iterator<Item = (Reg, Key, Held)> {
        (0..).zip(&self.held).filter_map(|(i, h)| Some((Reg(i), h.key?, *h)))
    }

    /// Those with values that their homes do not have.
    pub(super) fn dirty(&self) -> impl Iterator<Item = (Reg, Key, Held)> {
        self.all().filter(|(.., held)| held.dirty)
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// A vector register for the step, holding nothing.
    pub(super) fn temporary(&mut self) -> Reg {
        self.take(0, B::VECTORS)
    }

    /// A mask register for the step, holding nothing.
    pub(super) fn temporary_mask(&mut self) -> Reg {
        self.take(MASK_0, B::MASKS)
    }

    fn take(&mut self, from: u8, count: u8) -> Reg {
        let range = usize::from(from)..usize::from(from + count);
        let all = &self.values.held[range.clone()];
        let free = all.iter().position(|h| h.key.is_none() && !h.pinned);
        let reg = match free {
            Some(i) => Reg(from + i as u8),
            None => self.evict(from, count),
        };
        *self.values.of(reg) = Held { pinned: true, ..Held::default() };
        reg
    }

    /// Frees a register: first of what can be had again by a load, then what is not needed for the longest time.
    fn evict(&mut self, from: u8, count: u8) -> Reg {
        let cost = |held: &Held| match held.key.and_then(Key::place) {
            None => (1, u32::MAX - held.used),
            Some(_) if held.key.is_some_and(|key| self.back.is_idle(key)) => (2, 0),
            Some(place) => (0, self.next_use(place)),
        };
        let candidates = (from..from + count).map(Reg).filter(|&r| !self.values.get(r).pinned);
        let Some(reg) = candidates.max_by_key(|&r| cost(&self.values.get(r))) else {
            self.asm.out_of_registers();
            return Reg(from);
        };
        self.write_back(reg);
        reg
    }

    /// The step of the block that mentions a register next.
    fn next_use(&self, place: Place) -> u32 {
        self.numbers.get(place).map_or(NEVER, |i| self.next[i])
    }

    /// Stores what a register holds, if its home has another value.
    pub(super) fn write_back(&mut self, reg: Reg) {
        let held = self.values.get(reg);
        let (Some(key), true) = (held.key, held.dirty) else { return };
        self.canonical(reg);
        self.values.of(reg).dirty = false;
        B::store(self, reg, key);
    }

    /// Stores all that is dirty.
    pub(super) fn write_all_back(&mut self) {
        for i in 0..REGISTERS as u8 {
            self.write_back(Reg(i));
        }
    }

    /// Gives NaNs that stand for the canonical one its bits.
    pub(super) fn canonical(&mut self, reg: Reg) {
        if self.values.kind(reg).nans == Nans::Any {
            self.values.of(reg).kind.nans = Nans::Canonical;
            B::canonical(self, reg);
        }
    }

    /// The register that holds something. It is not to be changed.
    pub(super) fn hold(&mut self, key: Key) -> Reg {
        if let Some(reg) = self.values.find(key) {
            return reg;
        }
        let masks = matches!(key, Key::Predicate(..)) && B::MASKS != 0;
        let reg = if masks { self.temporary_mask() } else { self.temporary() };
        B::load(self, reg, key);
        self.values.set(reg, key, kind_of(key), false);
        reg
    }

    /// A temporary becomes the value of a register.
    pub(super) fn define(&mut self, key: Key, reg: Reg, kind: Kind) {
        for held in &mut self.values.held {
            if held.key == Some(key) {
                // A source of the step may be read again by its other parts.
                (held.key, held.dirty) = (None, false);
            }
        }
        self.values.set(reg, key, kind, true);
    }
}

/// What is known of a value that has just been loaded.
pub(super) fn kind_of(key: Key) -> Kind {
    let calm = matches!(key, Key::Other(..));
    let Key::Other(Source::Literal(number), Width::Narrow, _) = key else {
        return Kind { calm, ..Kind::BITS };
    };
    let (exponent, fraction) = (number & 0x7f80_0000, number & 0x7f_ffff);
    let nan = exponent == 0x7f80_0000 && fraction != 0;
    let nans = if nan && number as u32 != 0x7fff_ffff { Nans::Bits } else { Nans::Canonical };
    Kind { nans, normal: exponent != 0 || fraction == 0, calm }
}
