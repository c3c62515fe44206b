//! Code of a block: two functions, one for all live lanes and one for some of them.
//!
//! What the general registers hold: `rdi` the frame of the call, `rsi`, `rdx` and `rcx` the narrow,
//! wide and predicate files, `r8d` the mask of lanes, `r9` the pool of numbers, `r10` the count of
//! guarded lanes, `r11d` the lanes of the half; `rax` is free. `k7` holds the lanes of the half too
//! where not all live ones take part. All may be changed by a function of the System V ABI.

mod asm;
mod avx2;
mod float;
mod frame;
mod integer;
mod load;
mod masks;
mod predicate;
mod values;
mod wide;

use crate::block::{Action, Block, Place, Predicate, Source, Step};
use crate::machine::Level;
use crate::op::Op;
use crate::uses::{After, Uses};
use crate::{Error, Limits};
use asm::{Assembler, Mask, at};
pub(crate) use frame::Frame;
use iced_x86::{Code as C, Instruction as I, Register as R};
use masks::Masks;
use std::collections::{BTreeSet, HashMap};
use values::Values;

/// Numbers of registers and inputs are below this, so that displacements have 32 bits.
const MOST: u32 = 1 << 20;
/// Predicates that a function has room for.
pub(crate) const PREDICATES: usize = 256;

/// Code and what goes with it.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// Where the function for some lanes begins; the one for all begins at 0.
    pub(crate) some: usize,
    /// Numbers that the code reads.
    pub(crate) pool: Vec<u64>,
    /// Lengths that the files must have.
    pub(crate) limits: Limits,
}

/// State of the making of a function.
struct Emitter<'a> {
    asm: Assembler,
    uses: &'a Uses,
    block: &'a Block,
    /// The step that is emitted.
    step: usize,
    /// Lanes 0 to 15, or 16 to 31.
    half: usize,
    /// Whether only some of the live lanes take part.
    some: bool,
    values: Values,
    masks: Masks,
    /// Predicates that the function has written.
    changed: BTreeSet<u32>,
    /// Rooms of predicates in the frame.
    rooms: HashMap<u32, usize>,
    pool: Vec<u64>,
    pooled: HashMap<u64, usize>,
    limits: Limits,
}

/// Makes the code of a block.
pub(crate) fn emit(block: &Block, level: Level) -> Result<Code, Error> {
    match level {
        Level::Avx2 => avx2::emit(block),
        Level::Avx512 => avx512(block),
    }
}

fn avx512(block: &Block) -> Result<Code, Error> {
    let uses = Uses::of(block);
    let mut e = Emitter {
        asm: Assembler::new(),
        uses: &uses,
        block,
        step: 0,
        half: 0,
        some: false,
        values: Values::default(),
        masks: Masks::default(),
        changed: BTreeSet::new(),
        rooms: rooms(block)?,
        pool: Vec::new(),
        pooled: HashMap::new(),
        limits: Limits::of(block, MOST)?,
    };
    e.function()?;
    let some = e.asm.position();
    e.some = true;
    e.function()?;
    Ok(Code { bytes: e.asm.finish()?, some, pool: e.pool, limits: e.limits })
}

/// A room in the frame for each predicate.
fn rooms(block: &Block) -> Result<HashMap<u32, usize>, Error> {
    let mut rooms = HashMap::new();
    let mut add = |place| {
        if let Place::Predicate(i) = place {
            let next = rooms.len();
            rooms.entry(i).or_insert(next);
        }
    };
    for step in &block.steps {
        step.each_read(&mut add);
        step.each_written(&mut add);
        step.guard.place().into_iter().for_each(&mut add);
    }
    if rooms.len() > PREDICATES { Err(Error::Predicates) } else { Ok(rooms) }
}

fn is_of_floats(step: &Step) -> bool {
    matches!(step.action, Action::Compute { op: Op::Float { .. }, .. })
}

impl Emitter<'_> {
    /// One of the two functions.
    fn function(&mut self) -> Result<(), Error> {
        self.prologue();
        for half in 0..2 {
            self.half = half;
            self.begin_half();
            for (i, step) in self.block.steps.iter().enumerate() {
                self.step = i;
                self.step(step)?;
            }
            self.end_half();
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

    fn begin_half(&mut self) {
        self.values = Values::default();
        self.masks = Masks::default();
        if self.half == 0 {
            self.asm.put(I::with2(C::Movzx_r32_rm16, R::R11D, R::R8W));
        } else {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R11D, R::R8D));
            self.asm.put(I::with2(C::Shr_rm32_imm8, R::R11D, 16));
        }
        if self.some {
            self.asm.put(I::with2(C::VEX_Kmovw_kr_r32, masks::LANES.k(), R::R11D));
        }
        if self.block.steps.iter().any(is_of_floats) {
            let nan = at(R::R9, self.pooled(0x7fff_ffff));
            self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, values::NAN.z(), nan));
        }
    }

    /// Stores what is kept.
    fn end_half(&mut self) {
        for place in self.values.dirty() {
            if self.block.kept.contains(&place) {
                self.store(place);
            }
        }
        self.park_predicates();
    }

    fn step(&mut self, step: &Step) -> Result<(), Error> {
        let guard = self.guard(step);
        if !self.uses.is_dead[self.step] && step.guard != Predicate::Never {
            match step.action {
                Action::Compute { op, to, from } => {
                    self.compute(op, to, from, guard).ok_or(Error::Operands(self.step))?;
                }
                Action::Compare { test, from, to, with } => {
                    self.compare(test, from, to, with, guard).ok_or(Error::Operands(self.step))?;
                }
                Action::Logic { table, to, from } => self.logic(table, to, from, guard),
                Action::Nothing => {}
            }
        }
        self.values.unpin();
        self.masks.unpin();
        let uses = self.uses;
        for &after in &uses.after[self.step] {
            match after {
                After::Dropped(Place::Predicate(i)) => self.masks.forget(i),
                After::Dropped(place) => self.values.forget(place),
                After::Settled(Place::Predicate(_)) => {}
                After::Settled(place) => self.settle(place),
            }
        }
        Ok(())
    }

    /// The lanes of a guard, which are counted; none: all lanes.
    fn guard(&mut self, step: &Step) -> Option<Mask> {
        if step.guard == Predicate::Always {
            return None;
        }
        let k = self.predicate(step.guard);
        if step.counted {
            self.asm.put(I::with2(C::VEX_Kmovw_r32_kr, R::EAX, k.k()));
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R11D));
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EAX, R::EAX));
            self.asm.put(I::with2(C::Add_r32_rm32, R::R10D, R::EAX));
        }
        Some(k)
    }

    fn compute(&mut self, op: Op, to: Place, from: [Source; 3], guard: Option<Mask>) -> Option<()> {
        match to {
            Place::Narrow(to) => {
                let (value, kind) = match op {
                    Op::Float { .. } | Op::FromU(_) | Op::FromS | Op::ToU(_) | Op::ToS(_) => {
                        self.float_op(op, from)?
                    }
                    _ => self.integer_op(op, from)?,
                };
                self.put_narrow(to, value, kind, guard);
            }
            Place::Wide(to) => {
                for part in 0..2 {
                    let value = self.wide_op(op, from, part)?;
                    self.put_wide(to, part, value, guard);
                }
            }
            Place::Predicate(_) => return None,
        }
        Some(())
    }

    /// The place of a number in the pool.
    fn pooled(&mut self, number: u64) -> usize {
        let pool = &mut self.pool;
        8 * *self.pooled.entry(number).or_insert_with(|| {
            pool.push(number);
            pool.len() - 1
        })
    }
}
