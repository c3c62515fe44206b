//! The AVX2 back end. A 32-bit register has four lane groups of 8 lanes, and a 64-bit register
//! eight lane groups of 4 lanes. A lane group of a predicate is a vector register with all bits of
//! a lane set or cleared. Constants are memory operands in the constant pool.
//!
//! Steps that work on each lane separately are emitted one lane group after the other, so that 16
//! registers suffice for the values of a lane group. `ymm15` is reserved as a scratch register.

mod double;
mod function;
mod memory;
mod predicate;
mod primitives;
mod shuffle;
mod straight;
mod table;

use super::Emitter;
use super::asm::at;
use super::backend::{Backend, Primitives};
use super::register_cache::{Key, Reg, SAME};
use super::vector::{Operand, V, register_file};
use crate::Error;
use crate::frame::Frame;
use crate::ir::{Shuffle, Step};
use crate::machine::Mode;
use crate::operand::{Predicate, Source};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

/// State of the back end during emission.
#[derive(Debug, Default)]
pub(super) struct Avx2 {
    /// The lane group that is being emitted, in a run of steps that is emitted one lane group after
    /// the other.
    part: u8,
    /// The number of steps that are being emitted one lane group after the other, so that values of
    /// earlier lane groups are not needed soon.
    run: u32,
}

type Avx2Emitter<'a> = Emitter<'a, Avx2>;

/// The scratch register. Allocating a register may overwrite it.
const SCRATCH: Reg = Reg(15);

const LANES_SIZE: usize = 32;
/// Lane groups of a 32-bit register.
const PARTS: u8 = 4;

/// A constant of 32 bytes in the constant pool.
type PoolVector = [u64; 4];

impl Backend for Avx2 {
    fn begin(_: &mut Avx2Emitter<'_>) {}

    // Code reads the mask of inactive lanes from the frame.
    fn active(e: &mut Avx2Emitter<'_>) {
        e.update_inactive_lanes();
    }

    fn entered(e: &mut Avx2Emitter<'_>) {
        if e.mode == Mode::Some {
            e.update_inactive_lanes();
        }
    }

    fn left_out(e: &mut Avx2Emitter<'_>, guard: Predicate) {
        match e.back.run {
            0 => e.lanes_left_out(guard),
            _ => e.part_left_out(guard),
        }
    }

    fn delay(&self, key: Key) -> Option<u32> {
        if self.run == 0 || key.vreg().is_none() {
            return Some(0);
        }
        Some(self.run * u32::from(straight::eighth(key).checked_sub(self.part)?))
    }

    fn is_past(&self, key: Key) -> bool {
        match key {
            Key::Other(Source::PerLane(_), _, SAME) => self.run != 0 && self.part != 0,
            Key::Other(Source::PerLane(_), _, part) => self.run != 0 && part < self.part,
            _ => false,
        }
    }

    fn load(e: &mut Avx2Emitter<'_>, to: Reg, key: Key) {
        match key {
            Key::Predicate(..) => e.spread_byte(to, register_file::<Self>(key)),
            Key::Other(source, width, part) => e.load_other(to, source, width, part),
            Key::B32(..) | Key::B64(..) => e.two(V::Load, to, register_file::<Self>(key)),
        }
    }

    // Inactive lanes are merged from the register file, so that the register can be stored whole.
    fn store(e: &mut Avx2Emitter<'_>, from: Reg, key: Key) {
        let (to, some) = (register_file::<Self>(key), e.mode == Mode::Some);
        let (part, half) = match key {
            Key::Predicate(_, part) => {
                e.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, from.ymm()));
                if some {
                    let active = at(R::RDI, Frame::MASK + usize::from(part));
                    e.asm.put(I::with2(C::Xor_r8_rm8, R::AL, to));
                    e.asm.put(I::with2(C::And_r8_rm8, R::AL, active));
                    e.asm.put(I::with2(C::Xor_r8_rm8, R::AL, to));
                }
                return e.asm.put(I::with2(C::Mov_rm8_r8, to, R::AL));
            }
            Key::B32(_, part) => (part, None),
            Key::B64(_, part) => (part / 2, Some(part % 2)),
            Key::Other(..) => return,
        };
        if some {
            e.inactive_row(SCRATCH, part, half);
            Self::blend(e, false, (from, from), to, SCRATCH);
        }
        // A masked store would delay later loads of the value, because it cannot be forwarded to
        // them.
        e.store(to, from);
    }

    fn copy(e: &mut Avx2Emitter<'_>, to: Reg, from: Reg) {
        e.two(V::Move, to, from);
    }

    fn lanes(e: &mut Avx2Emitter<'_>, i: u32, to: R) {
        let parts = (0..PARTS).map(|part| Key::Predicate(i, part));
        let file = register_file::<Self>;
        if let Some(same) = e.cache.position(Key::Predicate(i, SAME)) {
            e.asm.put(I::with2(C::VEX_Vmovd_rm32_xmm, to, same.xmm()));
        } else if parts.clone().all(|key| e.is_stored(key)) {
            e.asm.put(I::with2(C::Mov_r32_rm32, to, file(Key::Predicate(i, 0))));
        } else {
            for (n, key) in parts.rev().enumerate() {
                let part = if n == 0 { to } else { R::EBP };
                e.asm.put(match e.cache.position(key) {
                    Some(reg) => I::with2(C::VEX_Vmovmskps_r32_ymm, part, reg.ymm()),
                    None => I::with2(C::Movzx_r32_rm8, part, file(key)),
                });
                if n != 0 {
                    e.asm.put(I::with2(C::Shl_rm32_imm8, to, 8));
                    e.asm.put(I::with2(C::Or_r32_rm32, to, R::EBP));
                }
            }
        }
    }

    fn steps(e: &mut Avx2Emitter<'_>, steps: Range<usize>) -> Result<(), Error> {
        e.straight_steps(steps)
    }

    fn shuffle(e: &mut Avx2Emitter<'_>, step: &Step, shuffle: &Shuffle) -> Option<()> {
        e.shuffle_lanes(step, shuffle)
    }
}

impl Avx2Emitter<'_> {
    /// A constant vector of the pool.
    fn pool_vector(&mut self, row: PoolVector) -> Operand {
        at(R::R9, self.pooled(&row)).into()
    }
}
