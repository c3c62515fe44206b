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
use crate::region::{Match, Reduce, Step, Vote};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

pub(super) const COMPARE: C = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
/// The active lanes of the step.
pub(super) const ACTIVE: R = R::EBP;
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
}
