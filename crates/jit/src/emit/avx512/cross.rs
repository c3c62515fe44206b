//! What lanes do together. Where not all live lanes of the membermask are active, and no others, it leaves.

use super::load::{LOAD, STORE};
use super::{Guard, MOMENT_K, Maker};
use crate::block::{Place, Predicate, Source};
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::stub::Reason;
use crate::emit::together::{NUMBERS, RESULT};
use crate::emit::values::{Kind, Reg};
use crate::machine::Mode;
use crate::region::{Match, Reduce, Shuffle, Shuffling, Step, Vote};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const ADD: C = C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
const SUB: C = C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
const AND: C = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
const XOR: C = C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
const COMPARE: C = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
/// Where the first source has ones the second, else the third; and the other way round.
const SELECT: u32 = 0xca;
const SELECT_LAST: u32 = 0xac;
/// The active lanes of the step.
const ACTIVE: R = R::EBP;
/// A number that goes to registers: not changed by loads and stores of what is held.
const NUMBER: R = R::R12D;
/// The scratch row of membermasks.
const ROW: usize = 0;

impl Maker<'_> {
    /// Goes on if the membermasks of the lanes that take the step are the same, and have of the live lanes those
    /// alone, which `ebp` has then.
    pub(super) fn members(&mut self, step: &Step, members: Option<Source>) -> Option<()> {
        let Some(members) = members else {
            self.active(step.guard);
            return Some(());
        };
        let all = self.mode == Mode::Live && step.guard == Predicate::Always;
        if let (true, Source::Literal(number)) = (all, members)
            && number as u32 == u32::MAX
        {
            self.active(step.guard);
            return Some(());
        }
        // What is read is in registers before the first jump.
        let by_lane = super::memory::is_by_lane(members);
        let mut parts = Vec::new();
        if !matches!(members, Source::Literal(_)) {
            for part in 0..if by_lane { 2 } else { 1 } {
                parts.push(self.low_of(members, part)?);
            }
        }
        let (first, differs) = (self.temporary(), self.temporary_mask());
        self.active(step.guard);
        let out = self.way_out(Reason::Instruction, step.at);
        match (members, by_lane) {
            (Source::Literal(number), _) => {
                self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, number as u32));
            }
            (_, false) => {
                self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, R::EAX, parts[0].x()));
            }
            (_, true) => self.same_members(&parts, (first, differs), out),
        }
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, at(R::RDI, Frame::LIVE)));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, ACTIVE));
        self.asm.jump(C::Jne_rel32_64, out);
        self.values.unpin();
        Some(())
    }

    /// Leaves if active lanes have different numbers; else `eax` has theirs.
    fn same_members(&mut self, parts: &[Reg], (first, differs): (Reg, Reg), out: Label) {
        for (part, reg) in parts.iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(ROW) + 64 * part);
            self.asm.put(I::with2(STORE, to, reg.z()));
        }
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, ACTIVE));
        let row = Frame::scratch(ROW) as i64;
        let lane = MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RAX, 4, row, 8);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, lane));
        self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, first.z(), R::EAX));
        for (k, part) in [(MOMENT_K, 0), (differs.k(), 1)] {
            self.asm.put(I::with4(COMPARE, k, first.z(), parts[part].z(), 4_u32));
        }
        let both = differs.k();
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, both, both, MOMENT_K));
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, NUMBER, both));
        self.asm.put(I::with2(C::Test_rm32_r32, ACTIVE, NUMBER));
        self.asm.jump(C::Jne_rel32_64, out);
    }

    /// A vote of the active lanes.
    pub(super) fn vote(
        &mut self,
        step: &Step,
        mode: Vote,
        to: Place,
        of: Predicate,
        members: Option<Source>,
    ) -> Option<()> {
        self.members(step, members)?;
        self.lanes_of(of, NUMBER);
        self.asm.put(I::with2(C::And_r32_rm32, NUMBER, ACTIVE));
        match mode {
            Vote::Ballot => {}
            Vote::Any => self.asm.put(I::with2(C::Test_rm32_r32, NUMBER, NUMBER)),
            Vote::All | Vote::Uniform => {
                self.asm.put(I::with2(C::Cmp_r32_rm32, NUMBER, ACTIVE));
            }
        }
        match mode {
            Vote::Ballot => {}
            Vote::Any => self.asm.put(I::with1(C::Setne_rm8, R::AL)),
            Vote::All => self.asm.put(I::with1(C::Sete_rm8, R::AL)),
            Vote::Uniform => {
                self.asm.put(I::with1(C::Sete_rm8, R::AL));
                self.asm.put(I::with2(C::Test_rm32_r32, NUMBER, NUMBER));
                self.asm.put(I::with1(C::Sete_rm8, R::R12L));
                self.asm.put(I::with2(C::Or_r8_rm8, R::AL, R::R12L));
            }
        }
        if mode != Vote::Ballot {
            self.asm.put(I::with2(C::Movzx_r32_rm8, NUMBER, R::AL));
            if let Place::Predicate(_) = to {
                self.asm.put(I::with1(C::Neg_rm32, NUMBER));
            }
        }
        let mut guard = self.guard(step.guard);
        self.put_number(to, &mut guard)
    }

    /// redux: one number of those of the active lanes.
    pub(super) fn redux(
        &mut self,
        step: &Step,
        op: Reduce,
        to: u32,
        (of, members): (Source, Source),
    ) -> Option<()> {
        self.fill_row(of, NUMBERS, true)?;
        self.members(step, Some(members))?;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, ACTIVE));
        self.reduce_lanes(op);
        let mut guard = self.guard(step.guard);
        self.put_number(Place::Narrow(to), &mut guard)
    }

    /// match: the active lanes with the same number.
    pub(super) fn matching(&mut self, step: &Step, op: &Match) -> Option<()> {
        self.fill_row(op.of, NUMBERS, false)?;
        self.members(step, Some(op.members))?;
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, ACTIVE));
        if op.all {
            self.match_all();
        } else {
            self.match_any();
        }
        let mut guard = self.guard(step.guard);
        if let Some(to) = op.to {
            for part in 0..2_u8 {
                let value = self.temporary();
                let row = at(R::RDI, Frame::scratch(RESULT) + 64 * usize::from(part));
                let load = if op.all {
                    I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, value.z(), NUMBER)
                } else {
                    I::with2(LOAD, value.z(), row)
                };
                self.asm.put(load);
                self.put_narrow(to, part, value, Kind::BITS, &mut guard);
            }
        }
        let Some(same) = op.same.filter(|_| op.all) else { return Some(()) };
        self.spread_truth();
        self.put_number(Place::Predicate(same), &mut guard)
    }

    /// The number in `r12d` goes to all lanes; to a predicate, its bits.
    pub(super) fn put_number(&mut self, to: Place, guard: &mut Option<Guard>) -> Option<()> {
        match to {
            Place::Narrow(to) => {
                for part in 0..2 {
                    let value = self.temporary();
                    let code = C::EVEX_Vpbroadcastd_zmm_k1z_r32;
                    self.asm.put(I::with2(code, value.z(), NUMBER));
                    self.put_narrow(to, part, value, Kind::BITS, guard);
                }
            }
            Place::Wide(to) => {
                for part in 0..4 {
                    let value = self.temporary();
                    let code = C::EVEX_Vpbroadcastq_zmm_k1z_r64;
                    self.asm.put(I::with2(code, value.z(), R::R12));
                    self.put_wide(to, part, value, guard);
                }
            }
            Place::Predicate(to) => {
                let value = self.temporary_mask();
                self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, value.k(), NUMBER));
                self.put_predicate(to, value, guard);
            }
        }
        Some(())
    }

    /// shfl: a look-up in two registers, where lanes that take no part have 0.
    pub(super) fn shuffle(&mut self, step: &Step, op: &Shuffle) -> Option<()> {
        self.members(step, op.members)?;
        let mut from = [Reg(0); 2];
        for (part, value) in from.iter_mut().enumerate() {
            let a = self.low_of(op.a, part as u8)?;
            *value = self.temporary();
            self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, MOMENT_K, ACTIVE));
            self.shift_mask(MOMENT_K, MOMENT_K, 16 * part as u8);
            let code = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
            self.asm.put_zeroing(MOMENT_K, I::with2(code, value.z(), a.z()));
        }
        // Sources may be destinations: both parts are computed first.
        let (values, inside) = match (op.b, op.c) {
            (Source::Literal(b), Source::Literal(c)) => self.known_lanes(op.mode, b, c),
            _ => self.computed_lanes(op)?,
        };
        for value in values {
            let look_up = C::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(look_up, value.z(), from[0].z(), from[1].z()));
        }
        from.into_iter().for_each(|reg| self.values.release(reg));
        let mut guard = self.guard(step.guard);
        if let Some(to) = op.to {
            for (part, value) in (0..).zip(values) {
                self.put_narrow(to, part, value, Kind::BITS, &mut guard);
            }
        }
        if let Some(to) = op.valid {
            self.put_predicate(to, inside, &guard);
        }
        Some(())
    }

    /// Which lanes are looked up, and where they lie inside, of numbers that are known.
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

    /// The same of numbers of lanes.
    fn computed_lanes(&mut self, op: &Shuffle) -> Option<([Reg; 2], Reg)> {
        let inside = self.temporary_mask();
        let mut values = [Reg(0); 2];
        for part in [1, 0] {
            let (b, c) = (self.low_of(op.b, part)?, self.low_of(op.c, part)?);
            let [by, segment, last, from] = std::array::from_fn(|_| self.temporary());
            let lanes = at(R::R9, self.lane_numbers(part));
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
            self.asm.put(I::with2(super::float::MOVE, last.z(), segment.z()));
            self.asm.put(I::with4(select, last.z(), from.z(), lanes, SELECT_LAST));
            self.asm.put(I::with2(LOAD, from.z(), lanes));
            // Outside: less than the last one upwards, else greater.
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
                    self.asm.put(I::with2(super::float::MOVE, from.z(), segment.z()));
                }
            }
            let k = if part == 1 { inside.k() } else { MOMENT_K };
            self.asm.put(I::with4(COMPARE, k, from.z(), last.z(), outside));
            self.asm.put_masked(k, I::with2(LOAD, from.z(), lanes));
            [by, segment, last].into_iter().for_each(|reg| self.values.release(reg));
            values[usize::from(part)] = from;
        }
        let k = inside.k();
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, k, k, MOMENT_K));
        self.asm.put(I::with2(C::VEX_Knotd_kr_kr, k, k));
        Some((values, inside))
    }
}

/// Where a lane's value comes from, and whether that is inside its segment (PTX ISA 9.7.9.6).
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
