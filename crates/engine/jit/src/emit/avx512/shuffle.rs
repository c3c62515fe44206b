//! `shfl`, as a permutation of two registers.

use super::cross::{ACTIVE, COMPARE};
use super::load::LOAD;
use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::operand::Source;
use crate::region::{Shuffle, Shuffling, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

const ADD: C = C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB: C = C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const AND: C = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const XOR: C = C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
/// Truth tables of `vpternlogd`: where the first source is set, the second source, else the third;
/// and the same with the first source last.
const SELECT: u32 = 0xca;
const SELECT_LAST: u32 = 0xac;

impl Avx512Emitter<'_> {
    /// Emits `shfl`. Reading an inactive lane gives 0.
    pub(super) fn shuffle(&mut self, step: &Step, op: &Shuffle) -> Option<()> {
        self.members(step, op.members)?;
        let mut from = [Reg(0); 2];
        for (part, value) in from.iter_mut().enumerate() {
            let a = self.low_of(op.a, part as u8)?;
            *value = self.temporary();
            self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, SCRATCH_MASK, ACTIVE));
            self.shift_mask(SCRATCH_MASK, SCRATCH_MASK, 16 * part as u8);
            let code = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
            self.asm.put_zeroing(SCRATCH_MASK, I::with2(code, value.z(), a.z()));
        }
        // A source may also be a destination, so that both parts are computed before any is
        // written.
        let (values, inside) = match (op.b, op.c) {
            (Source::Literal(b), Source::Literal(c)) => self.known_lanes(op.mode, b, c),
            _ => self.computed_lanes(op)?,
        };
        for value in values {
            let look_up = C::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(look_up, value.z(), from[0].z(), from[1].z()));
        }
        from.into_iter().for_each(|reg| self.cache.release(reg));
        let guard = self.guard(step.guard);
        if let Some(to) = op.to {
            for (part, value) in (0..).zip(values) {
                self.write_narrow(to, part, value, Kind::BITS, step.guard);
            }
        }
        if let Some(to) = op.valid {
            self.put_predicate(to, inside, guard);
        }
        Some(())
    }

    /// The source lanes, and the mask of lanes whose source is in range, for constant operands.
    fn known_lanes(&mut self, mode: Shuffling, b: u64, c: u64) -> ([Reg; 2], Reg) {
        let lanes: [(u32, bool); 32] =
            std::array::from_fn(|lane| source_lane(mode, lane as u32, b as u32, c as u32));
        let mask = (0..32).fold(0_u32, |mask, i| mask | u32::from(lanes[i].1) << i);
        let values = [0, 16].map(|first| {
            let pair = |i: usize| {
                u64::from(lanes[first + 2 * i].0) | u64::from(lanes[first + 2 * i + 1].0) << 32
            };
            let numbers: [u64; 8] = std::array::from_fn(pair);
            let numbers = at(R::R9, self.pooled(&numbers));
            let value = self.temporary();
            self.asm.put(I::with2(LOAD, value.z(), numbers));
            value
        });
        let inside = self.temporary_mask();
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, mask));
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, inside.k(), R::EAX));
        (values, inside)
    }

    /// The source lanes, and the mask of lanes whose source is in range, for operands in registers.
    fn computed_lanes(&mut self, op: &Shuffle) -> Option<([Reg; 2], Reg)> {
        let inside = self.temporary_mask();
        let mut values = [Reg(0); 2];
        for part in [1, 0] {
            let (b, c) = (self.low_of(op.b, part)?, self.low_of(op.c, part)?);
            let [by, segment, last, from] = std::array::from_fn(|_| self.temporary());
            let lanes = self.lane_numbers(part);
            let five = self.number(31);
            self.three(AND, by.z(), b, five);
            // last = lane & segment | clamp & !segment
            self.asm.put(I::with3(
                C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8,
                segment.z(),
                c.z(),
                8_u32,
            ));
            self.three(AND, segment.z(), segment, five);
            self.three(AND, from.z(), c, five);
            let select = C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
            self.asm.put(I::with2(super::load::MOVE, last.z(), segment.z()));
            self.asm.put(I::with4(select, last.z(), from.z(), lanes, SELECT_LAST));
            self.asm.put(I::with2(LOAD, from.z(), lanes));
            // Out of range is below `last` for `.up`, and above it for the other modes.
            let mut outside = 6_u32;
            match op.mode {
                Shuffling::Up => {
                    self.three(SUB, from.z(), from, by);
                    outside = 1;
                }
                Shuffling::Down => self.three(ADD, from.z(), from, by),
                Shuffling::Butterfly => self.three(XOR, from.z(), from, by),
                Shuffling::Index => {
                    self.asm.put(I::with4(select, segment.z(), from.z(), by.z(), SELECT));
                    self.asm.put(I::with2(super::load::MOVE, from.z(), segment.z()));
                }
            }
            let k = if part == 1 { inside.k() } else { SCRATCH_MASK };
            self.asm.put(I::with4(COMPARE, k, from.z(), last.z(), outside));
            self.asm.put_masked(k, I::with2(LOAD, from.z(), lanes));
            [by, segment, last].into_iter().for_each(|reg| self.cache.release(reg));
            values[usize::from(part)] = from;
        }
        let k = inside.k();
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, k, k, SCRATCH_MASK));
        self.asm.put(I::with2(C::VEX_Knotd_kr_kr, k, k));
        Some((values, inside))
    }
}

/// The lane that a lane reads, and whether it is in range (PTX ISA 9.7.9.6).
fn source_lane(mode: Shuffling, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (by, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let last = (lane & segment) | (clamp & !segment);
    let (from, inside) = match mode {
        Shuffling::Up => (lane.wrapping_sub(by), lane >= by + last),
        Shuffling::Down => (lane + by, lane + by <= last),
        Shuffling::Butterfly => (lane ^ by, lane ^ by <= last),
        Shuffling::Index => {
            let from = (lane & segment) | (by & !segment);
            (from, from <= last)
        }
    };
    if inside { (from, true) } else { (lane, false) }
}
