//! The same for AVX2: four times eight lanes.
//!
//! There are 16 vector registers and no masks: predicates are vectors of eight lanes, all ones or all
//! zeros, and live among the values. Numbers are operands in memory, spread over a row of the pool.
//!
//! The general registers hold what they do for AVX-512 ([`super`]), `r11d` the lanes of the part.

mod float;
mod integer;
mod predicate;
mod table;
mod values;
mod wide;
mod write;

use super::asm::{Assembler, at};
use super::{Code, Frame, MOST, rooms};
use crate::block::{Action, Block, Place, Predicate, Source, Step};
use crate::op::Op;
use crate::uses::{After, Uses};
use crate::{Error, Limits};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use predicate::Mask;
use std::collections::{BTreeSet, HashMap};
use values::Values;

/// Lanes of a part.
const LANES: usize = 8;
/// Parts of a warp.
const PARTS: usize = 32 / LANES;

/// A vector register by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ymm(u8);

impl Ymm {
    /// All 256 bits.
    fn y(self) -> R {
        R::YMM0 + u32::from(self.0)
    }

    /// The low 128 bits.
    fn x(self) -> R {
        R::XMM0 + u32::from(self.0)
    }
}

/// The last source of an instruction: only that may be in memory.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Register(Ymm),
    Memory(MemoryOperand),
}

impl From<Ymm> for Operand {
    fn from(y: Ymm) -> Self {
        Self::Register(y)
    }
}

/// 32 bytes of the pool.
type Row = [u64; 4];

/// State of the making of a function.
struct Emitter<'a> {
    asm: Assembler,
    uses: &'a Uses,
    block: &'a Block,
    /// The step that is emitted.
    step: usize,
    /// Which eight lanes.
    part: usize,
    /// Whether only some of the live lanes take part.
    some: bool,
    values: Values,
    /// Predicates whose values of this part are in their rooms.
    roomed: BTreeSet<u32>,
    /// Predicates that the function has written.
    changed: BTreeSet<u32>,
    /// Rooms of predicates in the frame.
    rooms: HashMap<u32, usize>,
    pool: Vec<u64>,
    pooled: HashMap<Row, usize>,
}

/// Makes the code of a block.
pub(super) fn emit(block: &Block) -> Result<Code, Error> {
    let uses = Uses::of(block);
    let limits = Limits::of(block, MOST)?;
    let mut e = Emitter {
        asm: Assembler::new(),
        uses: &uses,
        block,
        step: 0,
        part: 0,
        some: false,
        values: Values::default(),
        roomed: BTreeSet::new(),
        changed: BTreeSet::new(),
        rooms: rooms(block)?,
        pool: Vec::new(),
        pooled: HashMap::new(),
    };
    e.function()?;
    let some = e.asm.position();
    e.some = true;
    e.function()?;
    Ok(Code { bytes: e.asm.finish()?, some, pool: e.pool, limits })
}

impl Emitter<'_> {
    /// One of the two functions.
    fn function(&mut self) -> Result<(), Error> {
        self.prologue();
        for part in 0..PARTS {
            self.part = part;
            self.begin_part();
            for (i, step) in self.block.steps.iter().enumerate() {
                self.step = i;
                self.step(step)?;
            }
            self.end_part();
        }
        self.store_predicates();
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(Ok(I::with(C::Retnq)));
        Ok(())
    }

    fn prologue(&mut self) {
        let fields = [
            (R::RSI, Frame::NARROW),
            (R::RDX, Frame::WIDE),
            (R::RCX, Frame::PREDICATES),
            (R::R9, Frame::POOL),
        ];
        for (register, field) in fields {
            self.asm.put(I::with2(C::Mov_r64_rm64, register, at(R::RDI, field)));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, at(R::RDI, Frame::MASK)));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R10D, R::R10D));
    }

    fn begin_part(&mut self) {
        self.values = Values::new(self.some);
        self.roomed.clear();
        if self.block.steps.iter().any(|step| step.counted && step.guard != Predicate::Always) {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R11D, R::R8D));
            self.asm.put(I::with2(C::Shr_rm32_imm8, R::R11D, 8 * self.part as u32));
            self.asm.put(I::with2(C::Movzx_r32_rm8, R::R11D, R::R11L));
        }
        if self.some {
            self.lanes_that_rest();
        }
    }

    /// Stores what is kept.
    fn end_part(&mut self) {
        for place in self.values.dirty() {
            if matches!(place, Place::Predicate(_)) || self.block.kept.contains(&place) {
                self.store(place);
            }
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Error> {
        let guard = self.guard(step);
        if !self.uses.is_dead[self.step] && step.guard != Predicate::Never {
            let wrong = Error::Operands(self.step);
            match step.action {
                Action::Compute { op, to, from } => {
                    self.compute(op, to, from, guard).ok_or(wrong)?;
                }
                Action::Compare { test, from, to, with } => {
                    self.compare(test, from, to, with, guard).ok_or(wrong)?;
                }
                Action::Logic { table, to, from } => self.logic(table, to, from, guard),
                Action::Nothing => {}
            }
        }
        self.values.unpin();
        let uses = self.uses;
        for &after in &uses.after[self.step] {
            match after {
                After::Dropped(place) => self.values.forget(place),
                After::Settled(Place::Predicate(_)) => {}
                After::Settled(place) => {
                    self.store(place);
                    self.values.forget(place);
                }
            }
        }
        Ok(())
    }

    /// The lanes of a guard, which are counted; none: all lanes.
    fn guard(&mut self, step: &Step) -> Option<Mask> {
        if matches!(step.guard, Predicate::Always | Predicate::Never) {
            return None;
        }
        let mask = self.predicate(step.guard);
        if step.counted {
            self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, mask.y.y()));
            if mask.not {
                self.asm.put(I::with1(C::Not_rm32, R::EAX));
            }
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R11D));
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
            self.asm.put(I::with2(C::Add_r32_rm32, R::R10D, R::EAX));
        }
        Some(mask)
    }

    fn compute(&mut self, op: Op, to: Place, from: [Source; 3], guard: Option<Mask>) -> Option<()> {
        match to {
            Place::Narrow(to) => {
                let (value, kind) = match op {
                    Op::Float { .. }
                    | Op::Copy
                    | Op::FromU(_)
                    | Op::FromS
                    | Op::ToU(_)
                    | Op::ToS(_) => self.float_op(op, from)?,
                    _ => (self.integer_op(op, from)?, values::Kind::BITS),
                };
                self.put_narrow(to, value, kind, guard);
            }
            Place::Wide(to) => {
                for half in 0..2 {
                    let value = self.wide_op(op, from, half)?;
                    self.put_wide(to, half, value, guard);
                    self.values.unpin();
                    if let Some(guard) = guard {
                        self.values.pin(guard.y);
                    }
                }
            }
            Place::Predicate(_) => return None,
        }
        Some(())
    }

    /// The place of a row in the pool.
    fn pooled(&mut self, row: Row) -> MemoryOperand {
        let pool = &mut self.pool;
        let place = *self.pooled.entry(row).or_insert_with(|| {
            pool.extend(row);
            pool.len() - row.len()
        });
        at(R::R9, 8 * place)
    }

    /// A number in all lanes of 32 bits, in memory.
    fn number(&mut self, number: u32) -> Operand {
        self.wide_number(u64::from(number) << 32 | u64::from(number))
    }

    /// A number in all lanes of 64 bits, in memory.
    fn wide_number(&mut self, number: u64) -> Operand {
        Operand::Memory(self.pooled([number; 4]))
    }

    /// An instruction with two sources.
    fn three(&mut self, code: C, d: Ymm, a: Ymm, b: impl Into<Operand>) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with3(code, d.y(), a.y(), b.y()),
            Operand::Memory(b) => I::with3(code, d.y(), a.y(), b),
        });
    }

    /// The same with a number.
    fn three_with(&mut self, code: C, d: Ymm, a: Ymm, b: impl Into<Operand>, number: u32) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d.y(), a.y(), b.y(), number),
            Operand::Memory(b) => I::with4(code, d.y(), a.y(), b, number),
        });
    }

    /// An instruction with one source.
    fn two(&mut self, code: C, d: Ymm, a: impl Into<Operand>) {
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with2(code, d.y(), a.y()),
            Operand::Memory(a) => I::with2(code, d.y(), a),
        });
    }

    /// The same with a number.
    fn two_with(&mut self, code: C, d: Ymm, a: impl Into<Operand>, number: u32) {
        self.asm.put(match a.into() {
            Operand::Register(a) => I::with3(code, d.y(), a.y(), number),
            Operand::Memory(a) => I::with3(code, d.y(), a, number),
        });
    }

    /// `b` where a mask has ones, else `a`.
    fn blend(&mut self, d: Ymm, a: Ymm, b: impl Into<Operand>, mask: Ymm) {
        let code = C::VEX_Vblendvps_ymm_ymm_ymmm256_ymm;
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d.y(), a.y(), b.y(), mask.y()),
            Operand::Memory(b) => I::with4(code, d.y(), a.y(), b, mask.y()),
        });
    }

    /// An instruction with two sources and a new destination.
    fn binary(&mut self, code: C, a: Ymm, b: impl Into<Operand>) -> Ymm {
        let d = self.temporary();
        self.three(code, d, a, b);
        d
    }

    /// An instruction with one source and a new destination.
    fn unary(&mut self, code: C, a: impl Into<Operand>) -> Ymm {
        let d = self.temporary();
        self.two(code, d, a);
        d
    }
}
