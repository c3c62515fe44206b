//! Lanes that part at a branch, and meet again.
//!
//! Where some of the active lanes take a branch, what is dirty goes home, the mask becomes narrower, and code of
//! [`Mode::Some`] goes on with one side. The others wait at the meeting point, or stand at the branch's target (one side
//! at a time can). Who comes to the meeting point last goes on with the lanes of all.
//!
//! The innermost group of lanes that are to meet is [`Frame::group`]; outer ones lie in [`Frame::groups`]. The first
//! of them is that of who runs the region: what has arrived there is told, and it is never complete here.

use super::Emitter;
use super::asm::at;
use super::backend::Backend;
use super::frame::{DEPTH, Frame};
use super::stub::Reason;
use crate::machine::{Group, Mode};
use crate::operand::Predicate;
use crate::region::{End, Region, Target};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;

/// Which side of a branch goes on first, and what becomes of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Other {
    /// Lanes that take it are at the meeting point.
    TakenWait,
    /// Those that do not are.
    RestWaits,
    /// Lanes that take it stand at the target, a block.
    TakenStand(usize),
}

/// A branch that may part lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parting {
    /// Where those go on that do.
    goes: Target,
    other: Other,
    meets: u32,
    counted: bool,
}

impl Parting {
    /// That of the end of a block. None: where lanes part, the region is left.
    pub(super) fn of(region: &Region, end: &End) -> Option<Self> {
        let End::Branch { taken, to, next, counted, meets, .. } = *end else { return None };
        if meets == u32::MAX || matches!(taken, Predicate::Always | Predicate::Never) {
            return None;
        }
        let number = |target| match target {
            Target::Block(i) => region.blocks[i as usize].at,
            Target::Leave(at) => at,
        };
        let (goes, other) = if number(to) == meets {
            (next, Other::TakenWait)
        } else if number(next) == meets {
            (to, Other::RestWaits)
        } else if let Target::Block(i) = to {
            (next, Other::TakenStand(i as usize))
        } else {
            return None;
        };
        Some(Self { goes, other, meets, counted })
    }

    /// Whether some branch of a region is one.
    pub(super) fn any(region: &Region) -> bool {
        region.blocks.iter().any(|block| Self::of(region, &block.end).is_some())
    }
}

/// The words of a group.
const WORDS: usize = size_of::<Group>() / 8;
const EXPECTED: usize = Frame::GROUP + offset_of!(Group, expected);
pub(super) const ARRIVED: usize = Frame::GROUP + offset_of!(Group, arrived);
const SINCE: usize = Frame::GROUP + offset_of!(Group, since);
/// log2 of the bytes of a group.
const SHIFT: u32 = size_of::<Group>().trailing_zeros();
const _: () = assert!(size_of::<Group>().is_power_of_two());

/// What [`Emitter::arrive`] says in `eax`.
const STAYS: i32 = 0;
const SOME: i32 = 1;
const ALL: i32 = 2;

impl<B: Backend> Emitter<'_, B> {
    /// Parts the lanes: `eax` has those that take the branch. Where there is no room for it, leaves before it.
    pub(super) fn part_lanes(&mut self, parting: Parting, number: u32, pending: u32) {
        let (full, fits) = (self.asm.label(), self.asm.label());
        let (values, mode, owes) = (self.values.clone(), self.mode, self.owes.clone());
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::R8D));
        self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::EAX));
        if let Other::TakenStand(_) = parting.other {
            let stands = at(R::RDI, Frame::STANDS);
            self.asm.put(I::with2(C::Cmp_rm32_imm8, stands, 0));
            self.asm.jump(C::Jne_rel32_64, full);
        }
        let meets = at(R::RDI, Frame::MEETS);
        self.asm.put(I::with2(C::Cmp_rm32_imm32, meets, parting.meets as i32));
        self.asm.jump(C::Je_rel32_64, fits);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, at(R::RDI, Frame::DEPTH), DEPTH as i32));
        self.asm.jump(C::Jae_rel32_64, full);
        self.asm.bind(fits);
        if parting.counted {
            // The others do not take it.
            self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, R::R14D));
            self.asm.put(I::with2(C::Add_r64_rm64, R::R11, R::RBX));
        }
        self.values.unpin();
        self.fill_owed();
        self.write_all_back();
        self.sides(parting);
        self.mode = Mode::Some;
        B::active(self);
        self.pending = 0;
        self.edge(parting.goes, false);
        self.asm.bind(full);
        (self.values, self.mode, self.owes) = (values, mode, owes);
        self.values.unpin();
        self.fill_owed();
        self.write_all_back();
        self.leave(Reason::Divides, number, pending);
    }

    /// `r13d` has the lanes that take the branch, `r14d` the others: the mask becomes that of the side that goes on.
    fn sides(&mut self, parting: Parting) {
        match parting.other {
            Other::TakenWait => self.asm.put(I::with2(C::Xchg_rm32_r32, R::R13D, R::R14D)),
            Other::RestWaits => {}
            Other::TakenStand(block) => {
                let field = |field| at(R::RDI, field);
                self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::STANDS), R::R13D));
                let number = self.region.blocks[block].at as i32;
                self.asm.put(I::with2(C::Mov_rm32_imm32, field(Frame::STANDS_AT), number));
                if let Some(door) = self.versions[1].doors[block] {
                    self.asm.address(R::RAX, door);
                } else {
                    self.asm.out_of_registers();
                }
                self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::STANDS_TO), R::RAX));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::R14D));
                self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::R14D));
            }
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, parting.meets as i32));
        let routine = self.parts;
        self.asm.jump(C::Call_rel32_64, routine);
        if let Other::TakenStand(_) = parting.other {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(R::RDI, Frame::DEPTH)));
            self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, Frame::STANDS_LEVEL), R::EAX));
        }
    }

    /// Lanes have come to a block before which their group meets.
    pub(super) fn meet(&mut self, number: u32) {
        self.values.unpin();
        self.write_all_back();
        let routine = self.arrives;
        self.asm.jump(C::Call_rel32_64, routine);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EAX, SOME));
        let [all, some] = [0, 1].map(|i| self.versions[i].doors[self.block]);
        if let (Some(all), Some(some)) = (all, some) {
            self.asm.jump(C::Je_rel32_64, some);
            self.asm.jump(C::Ja_rel32_64, all);
        }
        self.leave(Reason::Meets, number, 0);
    }

    /// What ways of parting and joining call.
    pub(super) fn routines_of_parts(&mut self) {
        self.mode = Mode::Some;
        let label = self.parts;
        self.asm.bind(label);
        self.parts_routine();
        let label = self.arrives;
        self.asm.bind(label);
        self.arrives_routine();
    }

    /// The active lanes become `r13d`; those of `r14d` wait in the group that meets at `r12d`.
    fn parts_routine(&mut self) {
        let field = |field| at(R::RDI, field);
        self.count_threads();
        // Divided lanes run for a turn.
        let short = self.asm.label();
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::TURN)));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, field(Frame::LIMIT)));
        self.asm.jump(C::Jae_rel32_64, short);
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
        self.asm.bind(short);
        let (same, done) = (self.asm.label(), self.asm.label());
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R12D, field(Frame::MEETS)));
        self.asm.jump(C::Je_rel32_64, same);
        self.outer_group();
        for word in 0..WORDS {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RBP, field(Frame::GROUP + 8 * word)));
            let outer = at(R::RAX, Frame::GROUPS + 8 * word);
            self.asm.put(I::with2(C::Mov_rm64_r64, outer, R::RBP));
        }
        self.asm.put(I::with1(C::Inc_rm32, field(Frame::DEPTH)));
        // The outermost one may wait for so long without anybody looking at it.
        let inner = self.asm.label();
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::DEPTH), 1));
        self.asm.jump(C::Jne_rel32_64, inner);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::WAITS)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::OUTER_PATIENCE)));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Cmova_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::PATIENCE), R::RAX));
        self.asm.bind(inner);
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MEETS), R::R12D));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(EXPECTED), R::R8D));
        self.asm.put(I::with2(C::Mov_rm32_imm32, field(ARRIVED), 0));
        self.asm.bind(same);
        self.asm.put(I::with2(C::Test_rm32_r32, R::R14D, R::R14D));
        self.asm.jump(C::Je_rel32_64, done);
        self.asm.put(I::with2(C::Or_rm32_r32, field(ARRIVED), R::R14D));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(SINCE), R::R10));
        self.asm.bind(done);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, R::R13D));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::R8D));
        self.asm.put(Ok(I::with(C::Retnq)));
    }

    /// The active lanes have come to where their group meets. Says how it goes on, or goes on with the side
    /// that stands at a branch's target.
    fn arrives_routine(&mut self) {
        let field = |field| at(R::RDI, field);
        let (not_all, stays, all) = (self.asm.label(), self.asm.label(), self.asm.label());
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, field(ARRIVED)));
        self.asm.put(I::with2(C::Or_r32_rm32, R::EAX, R::R8D));
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::EAX, field(EXPECTED)));
        self.asm.jump(C::Jne_rel32_64, not_all);
        self.count_threads();
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, field(EXPECTED)));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::R8D));
        self.asm.put(I::with1(C::Dec_rm32, field(Frame::DEPTH)));
        self.outer_group();
        for word in 0..WORDS {
            let outer = at(R::RAX, Frame::GROUPS + 8 * word);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RBP, outer));
            self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::GROUP + 8 * word), R::RBP));
        }
        self.asm.put(I::with2(C::Cmp_r32_rm32, R::R8D, field(Frame::WHOLE)));
        self.asm.jump(C::Je_rel32_64, all);
        B::active(self);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, SOME));
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(all);
        // Nobody else is there who might want a turn.
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, field(Frame::END)));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, ALL));
        self.asm.put(Ok(I::with(C::Retnq)));
        self.asm.bind(not_all);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, field(Frame::STANDS), 0));
        self.asm.jump(C::Je_rel32_64, stays);
        // Where the turn of the warp is over, the other side does not begin.
        for end in [Frame::PATIENCE, Frame::END] {
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::R10, field(end)));
            self.asm.jump(C::Jae_rel32_64, stays);
        }
        self.other_side();
        self.asm.bind(stays);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, STAYS));
        self.asm.put(Ok(I::with(C::Retnq)));
    }

    /// The active lanes wait, and those go on that stand at a branch's target: with a turn of their own.
    fn other_side(&mut self) {
        let field = |field| at(R::RDI, field);
        self.count_threads();
        self.asm.put(I::with2(C::Or_rm32_r32, field(ARRIVED), R::R8D));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(SINCE), R::R10));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R8D, field(Frame::STANDS)));
        self.asm.put(I::with2(C::Mov_rm32_r32, field(Frame::MASK), R::R8D));
        self.asm.put(I::with2(C::Mov_rm32_imm32, field(Frame::STANDS), 0));
        B::active(self);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, field(Frame::TURN)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, field(Frame::END)));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Cmova_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Mov_rm64_r64, field(Frame::LIMIT), R::RAX));
        // It does not return.
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RSP, 8));
        self.asm.put(I::with1(C::Jmp_rm64, field(Frame::STANDS_TO)));
    }

    /// `rax` becomes the frame and what the place of the group behind `depth` outer ones is away.
    fn outer_group(&mut self) {
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, at(R::RDI, Frame::DEPTH)));
        self.asm.put(I::with2(C::Shl_rm64_imm8, R::RAX, SHIFT));
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::RDI));
    }

    /// Counts the lanes of steps since the mask has changed. Uses `rax` and `rbx`.
    fn count_threads(&mut self) {
        let counted = at(R::RDI, Frame::COUNTED);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R10));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RAX, counted));
        self.asm.put(I::with2(C::Mov_rm64_r64, counted, R::R10));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, R::R8D));
        self.asm.put(I::with2(C::Imul_r64_rm64, R::RAX, R::RBX));
        self.asm.put(I::with2(C::Add_rm64_r64, at(R::RDI, Frame::THREADS), R::RAX));
    }
}
