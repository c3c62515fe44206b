//! Which vector register holds what, and operands into vector registers.

use super::super::asm::at;
use super::{Emitter, Frame, LANES, Operand, Ymm};
use crate::block::{Place, Source};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// What a vector register may hold: 8 lanes of 32 bits, or 4 of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// The part of a narrow register.
    Narrow(u32),
    /// A half of the part of a wide one.
    Wide(u32, usize),
    /// The part of a predicate: lanes of 32 bits, all ones or all zeros.
    Predicate(u32),
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
pub(super) struct Held {
    pub(super) key: Option<Key>,
    pub(super) kind: Kind,
    /// Whether the file has another value.
    pub(super) dirty: bool,
    /// Whether the step uses it.
    pinned: bool,
    /// When it was used last.
    used: usize,
}

/// Registers that may hold values. [`SCRATCH`] never does, [`RESTING`] not where only some lanes take part.
const HOLDING: usize = 15;
/// For a sequence within one function of the emitter.
pub(super) const SCRATCH: Ymm = Ymm(15);
/// Ones in the lanes of the part that take no part, where not all live ones do.
pub(super) const RESTING: Ymm = Ymm(14);

/// All vector registers that hold values.
#[derive(Debug, Default)]
pub(super) struct Values {
    held: [Held; HOLDING],
    /// How many of them there are.
    count: usize,
    clock: usize,
}

impl Key {
    pub(super) fn place(self) -> Option<Place> {
        match self {
            Self::Narrow(i) => Some(Place::Narrow(i)),
            Self::Wide(i, _) => Some(Place::Wide(i)),
            Self::Predicate(i) => Some(Place::Predicate(i)),
            Self::Other(..) => None,
        }
    }
}

impl Values {
    /// No values. `some`: the last register has another use.
    pub(super) fn new(some: bool) -> Self {
        Self { count: HOLDING - usize::from(some), ..Self::default() }
    }

    fn find(&mut self, key: Key) -> Option<Ymm> {
        let i = self.held.iter().position(|h| h.key == Some(key))?;
        self.clock += 1;
        self.held[i].used = self.clock;
        self.held[i].pinned = true;
        Some(Ymm(i as u8))
    }

    /// Whether a register of the files is held, with what state.
    pub(super) fn look(&self, key: Key) -> Option<&Held> {
        self.held.iter().find(|h| h.key == Some(key))
    }

    pub(super) fn of(&mut self, y: Ymm) -> &mut Held {
        &mut self.held[usize::from(y.0)]
    }

    /// A register holds something from now on.
    pub(super) fn set(&mut self, y: Ymm, key: Key, kind: Kind, dirty: bool) {
        self.clock += 1;
        let used = self.clock;
        *self.of(y) = Held { key: Some(key), kind, dirty, pinned: true, used };
    }

    pub(super) fn kind(&self, y: Ymm) -> Kind {
        self.held[usize::from(y.0)].kind
    }

    /// Whether it holds a value for the step alone, and may be changed.
    pub(super) fn is_temporary(&self, y: Ymm) -> bool {
        self.held[usize::from(y.0)].key.is_none()
    }

    /// The end of a step: its registers may be taken, and temporaries are free.
    pub(super) fn unpin(&mut self) {
        self.held.iter_mut().for_each(|h| h.pinned = false);
    }

    pub(super) fn pin(&mut self, y: Ymm) {
        self.of(y).pinned = true;
    }

    /// A temporary is not needed any more.
    pub(super) fn release(&mut self, y: Ymm) {
        if self.is_temporary(y) {
            self.of(y).pinned = false;
        }
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
    pub(super) fn temporary(&mut self) -> Ymm {
        let held = &self.values.held[..self.values.count];
        let free = held.iter().position(|h| h.key.is_none() && !h.pinned);
        let i = free.unwrap_or_else(|| self.evict());
        self.values.held[i] = Held { pinned: true, ..Held::default() };
        Ymm(i as u8)
    }

    /// Frees a vector register: first of what can be had again by a load, then what is not needed
    /// for the longest time.
    fn evict(&mut self) -> usize {
        let (uses, step) = (self.uses, self.step);
        let cost = |held: &Held| match held.key.and_then(Key::place) {
            None => (1, usize::MAX - held.used),
            Some(place) => (0, uses.next(place, step)),
        };
        let held = self.values.held[..self.values.count].iter();
        let held = held.enumerate().filter(|(_, h)| !h.pinned);
        let Some((i, _)) = held.max_by_key(|(_, h)| cost(h)) else {
            self.asm.out_of_registers();
            return 0;
        };
        let Held { key: Some(key), dirty: true, .. } = self.values.held[i] else { return i };
        self.write_back(key, Ymm(i as u8));
        i
    }

    /// Where a register of lanes lies in its file.
    pub(super) fn home(&self, key: Key) -> MemoryOperand {
        match key {
            Key::Wide(i, half) => {
                at(R::RDX, i as usize * 256 + self.part * 8 * LANES + half * 4 * LANES)
            }
            Key::Narrow(i) => at(R::RSI, i as usize * 128 + self.part * 4 * LANES),
            Key::Predicate(_) | Key::Other(..) => at(R::RDI, 0),
        }
    }

    /// The vector register that holds something.
    pub(super) fn hold(&mut self, key: Key) -> Ymm {
        if let Some(y) = self.values.find(key) {
            return y;
        }
        let y = self.temporary();
        match key {
            Key::Other(source, width) => self.load_other(y, source, width),
            Key::Predicate(i) => self.load_predicate(y, i),
            Key::Narrow(_) | Key::Wide(..) => {
                let from = self.home(key);
                self.two(C::VEX_Vmovdqu_ymm_ymmm256, y, Operand::Memory(from));
            }
        }
        let kind = match key {
            Key::Other(Source::Literal(number), ..) => {
                Kind { normal: is_normal(number as u32), ..Kind::BITS }
            }
            _ => Kind::BITS,
        };
        self.values.set(y, key, kind, false);
        y
    }

    /// Loads a source that is no register.
    fn load_other(&mut self, y: Ymm, source: Source, width: Width) {
        let broadcast = match width {
            Width::Narrow => C::VEX_Vpbroadcastd_ymm_xmmm32,
            Width::Wide => C::VEX_Vpbroadcastq_ymm_xmmm64,
        };
        let (field, displacement) = match source {
            Source::Literal(_) => {
                let from = self.literal(source, width);
                return self.two(C::VEX_Vmovdqu_ymm_ymmm256, y, from);
            }
            Source::Constant(i) => (Frame::CONSTANTS, i as usize * 128),
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::Row(i) => (Frame::ROWS, i as usize * 128 + self.part * 4 * LANES),
            Source::Word(i) => (Frame::WORDS, i as usize * 4),
            Source::Bytes32(i) | Source::Bytes64(i) => (Frame::BYTES, i as usize),
            Source::Narrow(_) | Source::Wide(_) | Source::FrameAt | Source::Lane => return,
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        let code = match source {
            Source::Row(_) => C::VEX_Vmovdqu_ymm_ymmm256,
            _ => broadcast,
        };
        self.two(code, y, Operand::Memory(at(R::RAX, displacement)));
    }

    /// A number in memory; 0 of another source.
    fn literal(&mut self, source: Source, width: Width) -> Operand {
        let number = if let Source::Literal(number) = source { number } else { 0 };
        match width {
            Width::Narrow => self.number(number as u32),
            Width::Wide => self.wide_number(number),
        }
    }

    /// Lanes of 32 bits, whose NaNs may be any.
    pub(super) fn float(&mut self, source: Source) -> Option<Ymm> {
        Some(self.hold(narrow_key(source)?))
    }

    /// Lanes of 32 bits as they are.
    pub(super) fn narrow(&mut self, source: Source) -> Option<Ymm> {
        let y = self.float(source)?;
        self.canonical(y);
        Some(y)
    }

    /// The same, in memory if that is as good.
    pub(super) fn narrow_operand(&mut self, source: Source) -> Option<Operand> {
        let operand = self.float_operand(source)?;
        if let Operand::Register(y) = operand {
            self.canonical(y);
        }
        Some(operand)
    }

    /// Lanes of 32 bits, whose NaNs may be any, in memory if that is as good.
    pub(super) fn float_operand(&mut self, source: Source) -> Option<Operand> {
        let key = narrow_key(source)?;
        if let Some(operand) = self.in_memory(key) {
            return Some(operand);
        }
        Some(self.hold(key).into())
    }

    /// A half of lanes of 64 bits.
    pub(super) fn wide(&mut self, source: Source, half: usize) -> Option<Ymm> {
        Some(self.hold(wide_key(source, half)?))
    }

    /// The same, in memory if that is as good.
    pub(super) fn wide_operand(&mut self, source: Source, half: usize) -> Option<Operand> {
        let key = wide_key(source, half)?;
        if let Some(operand) = self.in_memory(key) {
            return Some(operand);
        }
        Some(self.hold(key).into())
    }

    /// Numbers, and registers that nothing reads behind the step: a vector register would be of no use.
    pub(super) fn in_memory(&mut self, key: Key) -> Option<Operand> {
        match key {
            Key::Other(source @ Source::Literal(_), width) => Some(self.literal(source, width)),
            Key::Narrow(_) | Key::Wide(..) => {
                let last = self.uses.next(key.place()?, self.step) == usize::MAX;
                let is_there = last && self.values.look(key).is_none();
                is_there.then(|| Operand::Memory(self.home(key)))
            }
            Key::Predicate(_) | Key::Other(..) => None,
        }
    }
}

/// Whether a float is not subnormal.
pub(super) fn is_normal(bits: u32) -> bool {
    bits & 0x7f80_0000 != 0 || bits & 0x7f_ffff == 0
}

/// What 32-bit lanes of a source are held as.
fn narrow_key(source: Source) -> Option<Key> {
    Some(match source {
        Source::Narrow(i) => Key::Narrow(i),
        Source::Wide(_) | Source::WideConstant(_) | Source::Bytes64(_) => return None,
        other => Key::Other(other, Width::Narrow),
    })
}

/// What a half of the 64-bit lanes of a source is held as.
fn wide_key(source: Source, half: usize) -> Option<Key> {
    Some(match source {
        Source::Wide(i) => Key::Wide(i, half),
        Source::Narrow(_)
        | Source::Constant(_)
        | Source::Row(_)
        | Source::Word(_)
        | Source::Bytes32(_) => return None,
        other => Key::Other(other, Width::Wide),
    })
}
