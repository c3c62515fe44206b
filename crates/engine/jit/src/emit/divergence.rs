//! Emits divergence and reconvergence of lanes.
//!
//! At a branch that only some active lanes take, dirty registers are stored, the active mask
//! narrows, and code of [`Mode::Some`] continues with one side. The other side waits at the
//! reconvergence point, or is pending at the branch's target. The last lanes to arrive at the
//! reconvergence point continue with the mask of the group. If the reconvergence point is behind a
//! loop (of a branch around a `break` or `return`), sides stay in the loop: at the end of its turn,
//! which is at a backward jump, a side merges with those that are pending at the same block, or
//! becomes pending itself ([`crate::diverged`], whose state the code changes).

use super::Emitter;
use super::asm::{J, Label, at};
use super::backend::{Backend, field};
use crate::diverged::{AT_RECONVERGENCE, GROUPS, Group, SIDES, Side};
use crate::frame::Frame;
use crate::ir::{End, Region, Target};
use crate::machine::Mode;
use crate::operand::Predicate;
use crate::routine::NEXT_SIDE;
use crate::run::{ExitReason, FIRST_TURN};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;

/// What the side of a branch does that does not run first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherSide {
    /// The taken target is the reconvergence point, where its lanes wait.
    TakenWaits,
    /// The fall-through target is the reconvergence point, where its lanes wait.
    RestWaits,
    /// The taken side is pending at its target, which is this block.
    TakenPending(usize),
}

/// A branch whose divergence the code can follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divergence {
    /// The target of the side that runs first.
    goes: Target,
    other: OtherSide,
    reconverge_at: u32,
    counted: bool,
}

impl Divergence {
    /// The divergence of a block's terminator; `None` if the branch cannot diverge, or the region
    /// exits when it does.
    pub(super) fn of(region: &Region, end: &End) -> Option<Self> {
        let End::Branch { taken, to, next, counted, reconverge_at, .. } = *end else { return None };
        if reconverge_at == u32::MAX || matches!(taken, Predicate::Always | Predicate::Never) {
            return None;
        }
        let number = |target| match target {
            Target::Block(i) => region.blocks[i as usize].at,
            Target::Leave(at) => at,
        };
        let (goes, other) = if number(to) == reconverge_at {
            (next, OtherSide::TakenWaits)
        } else if number(next) == reconverge_at {
            (to, OtherSide::RestWaits)
        } else if let Target::Block(i) = to {
            (next, OtherSide::TakenPending(i as usize))
        } else {
            return None;
        };
        Some(Self { goes, other, reconverge_at, counted })
    }

    /// Whether a region has a branch whose divergence the code can follow.
    pub(super) fn any(region: &Region) -> bool {
        region.blocks.iter().any(|block| Self::of(region, &block.end).is_some())
    }
}

/// The number of 8-byte units in a [`Group`].
const WORDS: usize = size_of::<Group>() / 8;
const EXPECTED: usize = Frame::GROUP + offset_of!(Group, expected);
pub(super) const ARRIVED: usize = Frame::GROUP + offset_of!(Group, arrived);
const SINCE: usize = Frame::GROUP + offset_of!(Group, since);
const PARENT: usize = Frame::GROUP + offset_of!(Group, parent);
/// Binary logarithm of the size of a [`Group`], which is also that of a [`crate::diverged::Side`].
const SHIFT: u32 = size_of::<Group>().trailing_zeros();
const _: () = assert!(size_of::<Group>().is_power_of_two() && size_of::<Side>() == 1 << SHIFT);

/// Return values of [`Emitter::arrive_routine`] in `eax`: the active lanes wait; they continue as
/// some of the live lanes; they continue as all live lanes.
const STAYS: i32 = 0;
const SOME: i32 = 1;
const ALL: i32 = 2;

impl<B: Backend> Emitter<'_, B> {
    /// Emits a divergence; `eax` is the mask of lanes that take the branch. Exits before the branch
    /// if there is no room for a group or for another pending side.
    pub(super) fn diverge(&mut self, divergence: Divergence, number: u32, uncounted: u32) {
        let (full, fits) = (self.asm.label(), self.asm.label());
        let (cache, mode, values) = (self.cache.clone(), self.mode, self.pending.values.clone());
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::R8D));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::EAX));
        if let OtherSide::TakenPending(_) = divergence.other {
            let pending = field(Frame::PENDING);
            let is_full = I::with2(C::Cmp_rm32_imm8, pending, SIDES as i32);
            self.asm.jump_if(is_full, J::AE, full);
        }
        let reconverge_at = field(Frame::RECONVERGE_AT);
        self.asm.put(I::with2(C::Cmp_rm32_imm32, reconverge_at, divergence.reconverge_at as i32));
        self.asm.jump(J::E, fits);
        let all = (1 << GROUPS) - 1;
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm32, field(Frame::USED_GROUPS), all), J::E, full);
        self.asm.bind(fits);
        if divergence.counted {
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, R::R14D));
            self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RBX));
        }
        self.cache.unpin();
        let sides: Vec<_> = self.region.blocks[self.block].end.blocks().collect();
        if sides.len() == 2 {
            self.forget_dead(&sides);
        }
        self.materialize_pending();
        self.write_all_back();
        self.sides(divergence);
        self.mode = Mode::Some;
        B::active(self);
        self.uncounted = 0;
        self.edge(divergence.goes, false);
        self.asm.bind(full);
        (self.cache, self.mode, self.pending.values) = (cache, mode, values);
        self.exit(ExitReason::Diverges, number, uncounted);
    }

    /// Sets the masks of both sides of a branch; `r13d` is the mask of lanes that take the branch,
    /// and `r14d` the mask of lanes that do not.
    fn sides(&mut self, divergence: Divergence) {
        match divergence.other {
            OtherSide::TakenWaits => self.asm.put(I::with2(C::Xchg_rm32_r32, R::R13D, R::R14D)),
            OtherSide::RestWaits => {}
            OtherSide::TakenPending(block) => {
                self.entry_of(Frame::PENDING);
                self.asm.put(I::with1(C::Inc_rm32, field(Frame::PENDING)));
                self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RAX, Frame::SIDE_MASK), R::R13D));
                let number = self.region.blocks[block].at as i32;
                self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RAX, Frame::SIDE_AT), number));
                self.asm.address(R::RBX, self.versions[1].block_entries[block]);
                self.asm.put(I::with2(C::Mov_rm64_r64, at(R::RAX, Frame::SIDE_TARGET), R::RBX));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::R14D));
                self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::R14D));
            }
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, divergence.reconverge_at as i32));
        self.asm.jump(C::Call_rel32_64, self.labels.diverge_routine);
        if let OtherSide::TakenPending(_) = divergence.other {
            self.entry_of(Frame::PENDING);
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, field(Frame::INNERMOST)));
            let last = at(R::RAX, Frame::SIDE_GROUP - size_of::<Side>());
            self.asm.put(I::with2(C::Mov_rm32_r32, last, R::EBX));
        }
    }

    /// Emits the arrival of lanes at the reconvergence point before the current block.
    pub(super) fn reconverge(&mut self, number: u32) {
        self.cache.unpin();
        self.write_all_back();
        self.asm.jump(C::Call_rel32_64, self.labels.arrive_routine);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EAX, SOME));
        let [all, some] = [0, 1].map(|i| self.versions[i].block_entries[self.block]);
        self.asm.jump(J::E, some);
        self.asm.jump(J::A, all);
        self.leave(ExitReason::Reconverges, number, 0);
    }

    /// Whether the side of a branch can be pending, so that lanes run in turns.
    pub(super) fn has_pending_sides(&self) -> bool {
        self.has_both_modes
            && self.region.blocks.iter().any(|block| {
                let divergence = Divergence::of(self.region, &block.end);
                divergence.is_some_and(|of| matches!(of.other, OtherSide::TakenPending(_)))
            })
    }

    /// Emits the end of the turn of some lanes at a backward jump to a block. Exits unless the
    /// lanes of another side are pending.
    pub(super) fn turn_ends(&mut self, block: usize, number: u32) {
        self.cache.unpin();
        self.materialize_pending();
        self.write_all_back();
        for (to, version) in [(R::R14, 0), (R::R13, 1)] {
            self.asm.address(to, self.versions[version].block_entries[block]);
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, number as i32));
        self.asm.jump(C::Call_rel32_64, self.labels.turn_routine);
        self.leave(ExitReason::Limit, number, 0);
    }

    /// Emits the routines that are called by divergences, arrivals and ends of turns.
    pub(super) fn divergence_routines(&mut self) {
        self.mode = Mode::Some;
        let label = self.labels.diverge_routine;
        self.asm.bind(label);
        self.diverge_routine();
        self.asm.bind(self.labels.arrive_routine);
        self.arrive_routine();
        self.asm.bind(self.labels.turn_routine);
        self.turn_routine();
    }

    /// Emits the routine that makes the lanes in `r13d` active; those in `r14d` wait in the group
    /// that reconverges at `r12d`.
    fn diverge_routine(&mut self) {
        self.count_threads();
        let (divided, short) = (self.asm.label(), self.asm.label());
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R8D, field(Frame::FULL_MASK)));
        self.asm.jump(J::NE, divided);
        self.asm.put(I::with2(C::Mov_rm64_imm32, field(Frame::SHARED_TURN), FIRST_TURN as i32));
        self.asm.bind(divided);
        // Diverged lanes run for one turn, or to the end of the warp's turn.
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::TURN)));
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::PENDING), 0));
        self.asm.put(I::with2(C::Cmovne_r64_rm64, R::RAX, field(Frame::SHARED_TURN)));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::R10));
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, field(Frame::LIMIT)), J::AE, short);
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
        self.asm.bind(short);
        let (same, done) = (self.asm.label(), self.asm.label());
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, field(Frame::RECONVERGE_AT)));
        self.asm.jump(J::E, same);
        self.entry_of(Frame::INNERMOST);
        for word in 0..WORDS {
            self.asm.copy(
                at(R::RAX, Frame::GROUPS + 8 * word),
                field(Frame::GROUP + 8 * word),
                R::RBP,
            );
        }
        self.asm.copy(field(PARENT), field(Frame::INNERMOST), R::EAX);
        // The group takes the first free element of the list of groups.
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBP, field(Frame::USED_GROUPS)));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, R::EBP));
        self.asm.put(I::with1(C::Not_rm32, R::EAX));
        self.asm.put(I::with2(C::Bsf_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::INNERMOST), R::EAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::EBP));
        self.asm.put(I::with2(C::Bts_rm32_r32, R::EBX, R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::USED_GROUPS), R::EBX));
        // The caller's patience holds while the caller's group is the only one and has no waiting
        // lanes.
        let inner = self.asm.label();
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EBP, 1), J::NE, inner);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, field(ARRIVED), 0), J::NE, inner);
        self.asm.copy(field(Frame::PATIENCE), field(Frame::OUTER_PATIENCE), R::RAX);
        self.asm.bind(inner);
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::RECONVERGE_AT), R::R12D));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(EXPECTED), R::R8D));
        self.asm.put(I::with2(C::Mov_rm32_imm32, field(ARRIVED), 0));
        self.asm.bind(same);
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::R14D, R::R14D), J::E, done);
        self.begin_waiting(R::R14D);
        self.asm.bind(done);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, R::R13D));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::R8D));
        self.asm.put(Ok(I::with(C::Retnq)));
    }

    /// Emits the routine for active lanes that arrive at their group's reconvergence point. The
    /// routine continues with the pending side, or returns how the active lanes continue.
    fn arrive_routine(&mut self) {
        let (not_all, stays, all) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(ARRIVED)));
        self.asm.put(I::with2(C::Or_r32_rm32, R::EAX, R::R8D));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, field(EXPECTED)), J::NE, not_all);
        self.count_threads();
        self.asm.copy(field(Frame::MASK), field(EXPECTED), R::R8D);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(Frame::INNERMOST)));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, field(Frame::USED_GROUPS)));
        self.asm.put(I::with2(C::Btr_rm32_r32, R::EBX, R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::USED_GROUPS), R::EBX));
        self.asm.copy(field(Frame::INNERMOST), field(PARENT), R::EAX);
        self.entry_of(Frame::INNERMOST);
        for word in 0..WORDS {
            self.asm.copy(
                field(Frame::GROUP + 8 * word),
                at(R::RAX, Frame::GROUPS + 8 * word),
                R::RBP,
            );
        }
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::R8D, field(Frame::FULL_MASK)), J::E, all);
        B::active(self);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, SOME));
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(all);
        // No other lanes of the warp wait for a turn.
        self.asm.copy(field(Frame::LIMIT), field(Frame::END), R::RAX);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, ALL));
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(not_all);
        self.unless_side_waits(stays);
        self.count_threads();
        let other = self.asm.label();
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, field(Frame::PENDING), 1), J::NE, other);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(Frame::SIDE_GROUP)));
        self.asm.jump_if(I::with2(C::Cmp_r32_rm32, R::EAX, field(Frame::INNERMOST)), J::NE, other);
        self.only_side();
        self.asm.bind(other);
        let here = AT_RECONVERGENCE as i32;
        self.asm.put(I::with2(C::Mov_rm32_imm32, field(Frame::ENDED_AT), here));
        self.next_side();
        self.asm.bind(stays);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, STAYS));
        self.asm.put(Ok(I::with(C::Retnq)));
    }

    /// Jumps to `out` unless a side is pending that may start its turn, which it may not after the
    /// end of the warp's turn.
    fn unless_side_waits(&mut self, out: Label) {
        let pending = field(Frame::PENDING);
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, pending, 0), J::E, out);
        for end in [Frame::PATIENCE, Frame::END] {
            self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::R10, field(end)), J::AE, out);
        }
    }

    /// Emits the switch from the active lanes, which wait, to the only pending side, which belongs
    /// to the same group: the frequent case of [`crate::diverged::FrameDivergence::next_side`].
    fn only_side(&mut self) {
        self.begin_waiting(R::R8D);
        self.asm.copy(field(Frame::MASK), field(Frame::SIDE_MASK), R::R8D);
        self.asm.put(I::with2(C::Mov_rm32_imm32, field(Frame::PENDING), 0));
        B::active(self);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::TURN)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::END)));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Cmova_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
        // Drops the return address, because the code continues elsewhere.
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RSP, 8));
        self.asm.put(I::with1(C::Jmp_rm64, field(Frame::SIDE_TARGET)));
    }

    /// Emits the routine for active lanes whose turn ends at a backward jump to the block at
    /// `r12d`. `r13` is the block's entry for some lanes, `r14` that for all. If sides are pending,
    /// the routine continues with the next one; else it returns.
    fn turn_routine(&mut self) {
        let returns = self.asm.label();
        self.unless_side_waits(returns);
        self.count_threads();
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::ENDED_AT), R::R12D));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::ENDED_SOME), R::R13));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::ENDED_ALL), R::R14));
        self.next_side();
        self.asm.bind(returns);
        self.asm.put(Ok(I::with(C::Retnq)));
    }

    /// Leaves the routine and continues with the next side, unless the caller has to choose it.
    fn next_side(&mut self) {
        const FILES: [R; 3] = [R::RSI, R::RDX, R::RCX];
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::STEPS), R::R10));
        for register in FILES {
            self.asm.put(I::with1(C::Push_r64, register));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBP, R::R11));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, R::RDI));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::ESI, NEXT_SIDE as i32));
        self.asm.put(Ok(I::with(C::VEX_Vzeroupper)));
        self.asm.put(I::with1(C::Call_rm64, field(Frame::CALL)));
        for register in FILES.into_iter().rev() {
            self.asm.put(I::with1(C::Pop_r64, register));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, R::RBX));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, R::RBP));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RDI, R::R12));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, field(Frame::MASK)));
        self.load_shared();
        B::begin(self);
        let none = self.asm.label();
        self.asm.jump_if(I::with2(C::Test_rm64_r64, R::RAX, R::RAX), J::E, none);
        // Drops the return address, because the code continues elsewhere.
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RSP, 8));
        self.asm.put(I::with1(C::Jmp_rm64, R::RAX));
        self.asm.bind(none);
    }

    /// Makes the lanes of a mask wait in the innermost group. After `wait_limit` steps, the caller
    /// chooses which lanes run. Uses `rax`.
    fn begin_waiting(&mut self, lanes: R) {
        self.asm.put(I::with2(C::Or_rm32_r32, field(ARRIVED), lanes));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(SINCE), R::R10));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::WAIT_LIMIT)));
        let patience = field(Frame::PATIENCE);
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, patience));
        self.asm.put(I::with2(C::Cmova_r64_rm64, R::RAX, patience));
        self.asm.put(I::with2(C::Mov_rm64_r64, patience, R::RAX));
    }

    /// Sets `rax` to the frame's address plus the offset of a group or side in its list; the index
    /// is a field of the frame.
    fn entry_of(&mut self, index: usize) {
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(index)));
        self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, SHIFT));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::RDI));
    }

    /// Adds the threads that executed the steps since the active mask last changed to the warp's
    /// count. Uses `rax` and `rbx`.
    fn count_threads(&mut self) {
        let counted = field(Frame::COUNTED);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RAX, counted));
        self.asm.put(I::with2(C::Mov_rm64_r64, counted, R::R10));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, R::R8D));
        self.asm.put(I::with2(C::Imul_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Add_rm64_r64, field(Frame::THREADS), R::RAX));
    }
}
