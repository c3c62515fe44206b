//! The code of a loop for one lane after the other.

use super::compute::Steps;
use super::find::{Loop, Turn, turn};
use super::places::Places;
use super::predicates::Flags;
use super::rename::LaneStep;
use super::state::{
    BUDGET, Counted, FIRST, ITERATIONS, LANE, LANES, LEFT, Lane, MISSED, MOST, OUT, SECOND,
    SKIPPED, STEPS, stack,
};
use crate::emit::Emitter;
use crate::emit::asm::{Label, at};
use crate::emit::backend::{Backend, site};
use crate::emit::frame::Frame;
use crate::emit::stub::Reason;
use crate::emit::values::Values;
use crate::machine::{Mode, Site};
use crate::operand::{Place, Predicate};
use crate::region::{Action, End, Target};
use crate::{Narrow, Wide};
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;
use std::rc::Rc;

/// So many iterations are few enough for any sum, and more than a turn has.
const MOST_ITERATIONS: i32 = 1 << 20;

/// How often lanes go together before they are tried one after the other again, if that was in vain.
const PENALTY: i32 = 32;

impl<B: Backend> Emitter<'_, B> {
    /// The loop: all is at home, and is at home behind it.
    pub(super) fn lanes_alone(&mut self, of: &Rc<Loop>) -> Option<()> {
        let counted = self.counted(of)?;
        let places = Places::of(of);
        let lane = Lane { of: Rc::clone(of), places, vain: self.asm.label() };
        let [next, done, before, again] = std::array::from_fn(|_| self.asm.label());
        let blocks = of.blocks.len();

        // As many iterations as there are steps for, whatever the lane.
        let steps: i32 = counted.steps.iter().sum();
        let shift = (steps.max(1) as u32).next_power_of_two().trailing_zeros();
        self.end_of_turn();
        self.asm.put(I::with2(C::Sub_r64_rm64, FIRST, R::R10));
        self.asm.jump(C::Jbe_rel32_64, before);
        self.asm.put(I::with2(C::Shr_rm64_imm8, FIRST, shift));
        self.asm.jump(C::Je_rel32_64, before);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EBX, MOST_ITERATIONS));
        self.asm.put(I::with2(C::Cmp_r64_rm64, FIRST, SECOND));
        self.asm.put(I::with2(C::Cmova_r64_rm64, FIRST, SECOND));
        self.asm.put(I::with2(C::Sub_rm64_imm32, R::RSP, lane.bytes()));
        self.asm.put(I::with2(C::Mov_rm64_r64, stack(BUDGET), FIRST));
        self.asm.put(I::with2(C::Mov_rm32_r32, stack(LANES), R::R8D));
        self.asm.put(I::with2(C::Mov_rm64_r64, stack(STEPS), R::R10));
        self.asm.put(I::with2(C::Mov_rm64_r64, stack(MISSED), R::R11));
        let outs = counted.outs();
        let words = [ITERATIONS, SKIPPED].into_iter();
        let words = words.chain((0..blocks).map(|b| MOST + 8 * b));
        // Behind the only one all lanes go out.
        let words = words.chain((0..blocks).filter(|_| outs > 1).map(|b| OUT + 8 * b));
        for word in words {
            self.asm.put(I::with2(C::Mov_rm64_imm32, stack(word), 0));
        }
        self.clear_rows(&lane.of.results);
        self.what_lanes_share(&lane);

        self.asm.bind(next);
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, stack(LANES)));
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EBX, R::EAX));
        self.asm.jump(C::Jb_rel32_64, done);
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::EAX, R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, stack(LANES), R::EAX));
        self.asm.put(I::with2(C::Mov_rm32_r32, stack(LANE), R::EBX));
        self.begin_lane(&lane);
        self.asm.put(I::with2(C::Mov_r64_rm64, LEFT, stack(BUDGET)));

        self.asm.bind(again);
        let mut outs = Vec::new();
        for (b, &turn) in counted.turns.iter().enumerate() {
            let out = self.asm.label();
            self.lane_block(&lane, b, turn, (out, again));
            if turn != Turn::Never {
                outs.push((b, out));
            }
        }
        for (behind, out) in outs {
            self.asm.bind(out);
            self.end_lane(&lane, &counted, behind, next);
        }

        self.asm.bind(done);
        self.sum_up(&counted);
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RSP, lane.bytes()));
        self.fixed_registers();
        self.results_home(&lane)?;

        let vain = lane.vain;
        self.asm.bind(vain);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, stack(STEPS)));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, stack(MISSED)));
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RSP, lane.bytes()));
        self.fixed_registers();
        self.asm.put(I::with2(
            C::Mov_rm32_imm32,
            site(lane.of.site, offset_of!(Site, alone)),
            PENALTY,
        ));
        self.asm.bind(before);
        self.through_door(of.head)
    }

    /// `rax` becomes the steps up to which lanes may go: of those that have parted from others, as long as nobody else has to say who
    /// goes next.
    fn end_of_turn(&mut self) {
        let field = |field| at(R::RDI, field);
        let end = if self.both { Frame::END } else { Frame::LIMIT };
        self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, field(end)));
        if self.mode == Mode::Some && self.both {
            self.asm.put(I::with2(C::Cmp_r64_rm64, FIRST, field(Frame::PATIENCE)));
            self.asm.put(I::with2(C::Cmova_r64_rm64, FIRST, field(Frame::PATIENCE)));
            self.asm.put(I::with2(C::Cmp_r64_rm64, FIRST, field(Frame::LIMIT)));
            self.asm.put(I::with2(C::Cmovb_r64_rm64, FIRST, field(Frame::LIMIT)));
        }
    }

    /// Rows of results have zeros where lanes do not write: bits of a predicate, and numbers of lanes that do not run, which are
    /// taken, too.
    fn clear_rows(&mut self, results: &[Place]) {
        let all_run = self.asm.label();
        let rows = || results.iter().enumerate().map(|(row, place)| (Frame::scratch(row), place));
        for (row, _) in rows().filter(|of| matches!(of.1, Place::Predicate(_))) {
            self.asm.put(I::with2(C::Mov_rm32_imm32, at(R::RDI, row), 0));
        }
        self.asm.put(I::with2(C::Cmp_rm32_imm8, R::R8D, -1));
        self.asm.jump(C::Je_rel32_64, all_run);
        self.asm.put(I::with3(C::VEX_Vpxor_xmm_xmm_xmmm128, R::XMM0, R::XMM0, R::XMM0));
        for (row, place) in rows() {
            let bytes = match place {
                Place::Narrow(_) => size_of::<Narrow>(),
                Place::Wide(_) => size_of::<Wide>(),
                Place::Predicate(_) => 0,
            };
            for word in (row..row + bytes).step_by(32) {
                self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, at(R::RDI, word), R::YMM0));
            }
        }
        self.asm.bind(all_run);
    }

    /// What makes the code of steps.
    pub(super) fn of_lane<'c>(&'c mut self, lane: &'c Lane) -> Steps<'c> {
        Steps { asm: &mut self.asm, lane }
    }

    /// Goes on at a block, with all at home.
    fn through_door(&mut self, block: usize) -> Option<()> {
        let door = self.version().doors[block]?;
        self.asm.jump(C::Jmp_rel32_64, door);
        Some(())
    }

    fn counted(&self, of: &Loop) -> Option<Counted> {
        let mut counted = Counted { steps: Vec::new(), branches: Vec::new(), turns: Vec::new() };
        for b in of.head..=of.last {
            let block = &self.region.blocks[b];
            let branches = matches!(block.end, End::Branch { counted: true, .. });
            let steps =
                block.steps.iter().filter(|step| step.counted).count() + usize::from(branches);
            counted.steps.push(steps as i32);
            counted.branches.push(branches);
            counted.turns.push(turn(self.region, (of.head, of.last), b)?.0);
        }
        Some(counted)
    }

    /// A block, and where it goes on: out of the loop, or in it.
    fn lane_block(&mut self, lane: &Lane, b: usize, turn: Turn, (out, again): (Label, Label)) {
        let block = &lane.of.blocks[b];
        let (last, steps) = match block.steps.split_last() {
            Some((last, steps)) if lane.of.is_for_branch(block, last) => (Some(last), steps),
            _ => (None, &block.steps[..]),
        };
        steps.iter().for_each(|step| self.lane_step(lane, step));
        let holds = matches!(block.taken, Predicate::If(_));
        let flags = match (last.map(|last| &last.step.action), block.taken) {
            (Some(Action::Compare { test, from, .. }), _) => {
                let flags = self.of_lane(lane).compares(*test, *from);
                if flags.is_none() {
                    self.asm.put(I::with2(C::Test_rm8_r8, R::AL, R::AL));
                }
                Some(flags.unwrap_or(Flags::DIFFERS))
            }
            (_, Predicate::If(i) | Predicate::Unless(i)) => {
                self.of_lane(lane).look_at(i);
                Some(Flags::DIFFERS)
            }
            _ => None,
        };
        if let Some(flags) = flags {
            let goes_out = if turn == Turn::Taken { holds } else { !holds };
            self.asm.jump(flags.jump(goes_out), out);
        }
        if b + 1 == lane.of.blocks.len() {
            self.asm.put(I::with1(C::Dec_rm64, LEFT));
            self.asm.jump(C::Jne_rel32_64, again);
            let vain = lane.vain;
            self.asm.jump(C::Jmp_rel32_64, vain);
        }
    }

    /// A step of a lane.
    fn lane_step(&mut self, lane: &Lane, LaneStep { step, by, look }: &LaneStep) {
        let [skip, done] = std::array::from_fn(|_| self.asm.label());
        self.of_lane(lane).unless(step.guard, skip);
        match &step.action {
            Action::Compute { op, to, from } => self.of_lane(lane).computes(*op, *to, *from),
            Action::Compare { test, from, to, with } => {
                self.of_lane(lane).tests(*test, *from, *to, *with);
            }
            Action::Logic { table, to, from } => self.of_lane(lane).looks_up(*table, *to, *from),
            Action::Load(load) => match *by {
                Some(value) => self.lane_loads_by_index(lane, load, value, *look),
                None => self.lane_loads(lane, load),
            },
            _ => {}
        }
        if step.guard != Predicate::Always && step.counted {
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(skip);
            self.asm.put(I::with1(C::Inc_rm64, stack(SKIPPED)));
            self.asm.bind(done);
        } else {
            self.asm.bind(skip);
        }
    }

    /// Steps and missed lanes of all lanes together go to `r10` and `r11`: as if they had gone through the loop in step.
    fn sum_up(&mut self, counted: &Counted) {
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, R::EAX));
        for (b, &steps) in counted.steps.iter().enumerate() {
            let most = stack(MOST + 8 * b);
            self.asm.put(I::with3(C::Imul_r64_rm64_imm32, SECOND, most, steps));
            self.asm.put(I::with2(C::Add_r64_rm64, FIRST, SECOND));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R10, stack(STEPS)));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R10, FIRST));
        self.asm.put(I::with2(C::Popcnt_r32_rm32, R::EBX, at(R::RDI, Frame::MASK)));
        self.asm.put(I::with2(C::Imul_r64_rm64, FIRST, SECOND));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R11, stack(MISSED)));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, stack(SKIPPED)));
        self.asm.put(I::with2(C::Add_r64_rm64, R::R11, FIRST));
        // All but the steps that lanes have taken.
        self.asm.put(I::with2(C::Mov_r64_rm64, FIRST, stack(ITERATIONS)));
        self.asm.put(I::with2(C::Add_r64_rm64, FIRST, SECOND));
        let (in_each, _) = counted.of_lane(0);
        self.asm.put(I::with3(C::Imul_r64_rm64_imm32, FIRST, FIRST, in_each));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::R11, FIRST));
        for (behind, _) in counted.turns.iter().enumerate().filter(|of| *of.1 != Turn::Never) {
            let (_, more) = counted.of_lane(behind);
            self.asm.put(match counted.outs() {
                1 => I::with3(C::Imul_r64_rm64_imm32, FIRST, SECOND, more),
                _ => I::with3(C::Imul_r64_rm64_imm32, FIRST, stack(OUT + 8 * behind), more),
            });
            self.asm.put(I::with2(C::Sub_r64_rm64, R::R11, FIRST));
        }
    }

    /// Results go home, and it goes on behind the loop.
    fn results_home(&mut self, lane: &Lane) -> Option<()> {
        (self.values, self.block) = (Values::default(), lane.of.last);
        (self.step, self.pending) = (self.region.blocks[self.block].steps.len(), 0);
        for (row, &place) in lane.of.results.iter().enumerate() {
            let narrow = !matches!(place, Place::Wide(_));
            B::take_row(self, (row, narrow), place, u64::MAX, Predicate::Always)?;
            self.values.unpin();
        }
        self.write_all_back();
        match lane.of.exit {
            Target::Block(to) => self.through_door(to as usize)?,
            Target::Leave(number) => self.leave(Reason::Outside, number, 0),
        }
        self.values = Values::default();
        Some(())
    }
}
