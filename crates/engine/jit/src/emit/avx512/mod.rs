//! The AVX-512 back end. A 32-bit register has two lane groups of 16 lanes, and a 64-bit register
//! four lane groups of 8 lanes; a mask register holds a predicate of all 32 lanes.
//!
//! The register cache does not allocate `zmm29` (used to replace NaNs), `zmm30` (the canonical
//! NaN), `zmm31` and `k6` (scratch), and `k7` (the active mask in code for some lanes).

mod double;
mod function;
mod memory;
mod predicate;
mod primitives;
mod shuffle;

use super::Emitter;
use super::asm::{J, at};
use super::backend::{Backend, Primitives};
use super::rarely::Skipped;
use super::register_cache::{Key, Kind, MASK_0, Reg, SAME, Width};
use super::vector::{V, register_file};
use crate::Error;
use crate::ir::{Action, Shuffle, Step};
use crate::machine::Mode;
use crate::op::{Float, Op};
use crate::operand::{Predicate, Source, VReg};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::ops::Range;

/// The back end, which has no state of its own.
#[derive(Debug, Default)]
pub(super) struct Avx512;

type Avx512Emitter<'a> = Emitter<'a, Avx512>;

/// The canonical NaN in all lanes.
const NAN: Reg = Reg(30);
/// The register in which NaNs are replaced.
const FIXED: Reg = Reg(29);
const SCRATCH: Reg = Reg(31);
/// The scratch register of conditions, and its name.
const CONDITION: Reg = Reg(MASK_0 + 5);
const SCRATCH_MASK: R = R::K6;
/// The instruction that copies the lanes that a mask register selects.
const MOVE: C = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
/// The active mask in [`Mode::Some`].
const LANES: Reg = Reg(MASK_0 + 6);

impl Backend for Avx512 {
    fn begin(e: &mut Avx512Emitter<'_>) {
        let nan = at(R::R9, e.pooled(&[0x7fff_ffff]));
        e.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, NAN.zmm(), nan));
        if e.mode == Mode::Some {
            Self::active(e);
        }
    }

    fn active(e: &mut Avx512Emitter<'_>) {
        e.asm.put(I::with2(C::VEX_Kmovd_kr_r32, LANES.k(), R::R8D));
    }

    fn load(e: &mut Avx512Emitter<'_>, to: Reg, key: Key) {
        let from = register_file::<Self>(key);
        match key {
            Key::Predicate(..) => e.asm.put(I::with2(C::VEX_Kmovd_kr_km32, to.k(), from)),
            Key::Other(source, width, part) => e.load_other(to, source, width, part),
            _ => e.two(V::Load, to, from),
        }
    }

    fn store(e: &mut Avx512Emitter<'_>, from: Reg, key: Key) {
        let (to, some) = (register_file::<Self>(key), e.mode == Mode::Some);
        match key {
            Key::Predicate(..) if some => {
                e.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, from.k()));
                e.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, to));
                e.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
                e.asm.put(I::with2(C::Xor_rm32_r32, to, R::EAX));
            }
            Key::Predicate(..) => e.asm.put(I::with2(C::VEX_Kmovd_m32_kr, to, from.k())),
            // A masked store would delay later loads of the value, because it cannot be forwarded
            // to them.
            Key::B32(_, part) | Key::B64(_, part) if some => {
                let wide = matches!(key, Key::B64(..));
                let lanes = Self::mask_of(e, LANES, wide, part);
                e.two(V::Load, SCRATCH, to);
                Self::blend(e, wide, (SCRATCH, SCRATCH), from, lanes);
                e.store(to, SCRATCH);
            }
            _ => e.store(to, from),
        }
    }

    fn copy(e: &mut Avx512Emitter<'_>, to: Reg, from: Reg) {
        if to.is_mask() {
            e.asm.put(I::with2(C::VEX_Kmovd_kr_km32, to.k(), from.k()));
        } else {
            e.two(V::Move, to, from);
        }
    }

    fn lanes(e: &mut Avx512Emitter<'_>, i: u32, to: R) {
        let key = Key::Predicate(i, 0);
        e.asm.put(match e.cache.position(key) {
            Some(k) => I::with2(C::VEX_Kmovd_r32_kr, to, k.k()),
            None => I::with2(C::Mov_r32_rm32, to, register_file::<Self>(key)),
        });
    }

    fn steps(e: &mut Avx512Emitter<'_>, steps: Range<usize>) -> Result<(), Error> {
        let mut skipped: Option<Skipped> = None;
        for i in steps.clone() {
            e.before(i);
            let step = &e.region.blocks[e.block].steps[i];
            if let Action::Rarely { of, steps: rare } = step.action
                && skipped.is_none()
            {
                e.count_guarded();
                let lanes = e.predicate(of).k();
                e.after_step(i);
                e.asm.put(I::with2(C::VEX_Kortestd_kr_kr, lanes, lanes));
                let rare = i + 1..(i + 1 + rare as usize).min(steps.end);
                skipped = Some(e.skip(J::E, rare, |_| true));
            } else {
                if !e.facts.uses[e.block].is_dead[i] && step.guard != Predicate::Never {
                    e.straight(step).ok_or(Error::Operands(i))?;
                }
                e.after_step(i);
            }
            if let Some(skipped) = skipped.take_if(|skipped| skipped.end == i + 1) {
                e.rejoin(skipped);
            }
        }
        Ok(())
    }

    fn shuffle(e: &mut Avx512Emitter<'_>, step: &Step, shuffle: &Shuffle) -> Option<()> {
        e.shuffle_lanes(step, shuffle)
    }
}

impl Avx512Emitter<'_> {
    /// Shifts a mask so that its first bit is that of `lane`.
    fn shift_mask(&mut self, to: R, from: R, lane: u8) {
        self.asm.put(match lane {
            0 => I::with2(C::VEX_Kmovd_kr_km32, to, from),
            _ => I::with3(C::VEX_Kshiftrd_kr_kr_imm8, to, from, u32::from(lane)),
        });
    }

    /// A 32-bit constant in all lanes, in a register.
    fn literal(&mut self, number: u32) -> Reg {
        self.hold(Key::Other(Source::Literal(number.into()), Width::B32, 0))
    }

    fn straight(&mut self, step: &Step) -> Option<()> {
        match &step.action {
            Action::Compute { op, to, from } => self.compute(*op, *to, *from, step.guard)?,
            Action::Compare { test, from, to, with } => {
                let guard = self.guard(step.guard);
                self.compare(*test, *from, *to, *with, guard)?;
            }
            Action::Logic { table, to, from } => {
                let guard = self.guard(step.guard);
                self.logic(*table, *to, *from, guard);
            }
            _ => return self.whole_step(step),
        }
        Some(())
    }

    /// The mask of the lanes that execute a step; `None` if all lanes execute it.
    fn guard(&mut self, guard: Predicate) -> Option<Reg> {
        (guard != Predicate::Always).then(|| self.predicate(guard))
    }

    fn compute(&mut self, op: Op, to: VReg, from: [Source; 3], guard: Predicate) -> Option<()> {
        let values = match (op, to) {
            (Op::Curve(curve), VReg::B32(_)) => self.curve(curve, from[0])?.to_vec(),
            (Op::Square, VReg::B32(_)) => self.folded_squares(from[0])?.to_vec(),
            (Op::Double(Float::Fma, rounding), _)
                if !from[0].is_number64() && !from[2].is_number64() =>
            {
                self.double_fma(rounding, from)?.to_vec()
            }
            _ if self.is_uniform(&self.region.blocks[self.block].steps[self.step]) => {
                return self.compute_part((op, to, from), guard, SAME);
            }
            _ => return (0..2).try_for_each(|part| self.compute_part((op, to, from), guard, part)),
        };
        for (part, value) in (0..).zip(values) {
            self.write(Key::all::<Avx512>(to).nth(part)?, value, Kind::BITS, guard);
        }
        Some(())
    }
}
