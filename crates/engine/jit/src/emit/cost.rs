//! Costs of accesses for observers ([`Cost`]): sectors of global memory, and passes over the banks
//! of shared memory. Where the lanes of each half of the warp are contiguous or have one address,
//! the code computes the cost from the addresses of lanes 0 and 16, and adds it to counters.
//!
//! All other accesses notify the listener, in the cold section, so that values stay in processor
//! registers in the common case.

use super::Emitter;
use super::affine::{Affine, DeferredAddress};
use super::asm::{J, Label, at};
use super::backend::Backend;
use crate::frame::Frame;
use crate::ir::{Call, Cost, Notification, Step};
use crate::operand::VReg;
use iced_x86::{Code as C, Instruction as I, Register as R};

const SECTOR: u32 = 32;
/// Bytes of one word of a shared-memory bank, and of one word of each of the 32 banks together.
const WORD: u32 = 4;
const BANKS: u32 = 128;

/// How the addresses of the lanes in each half of the warp are related.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// The addresses of the lanes are contiguous, in the order of the lanes.
    Contiguous,
    /// All lanes of the half have the same address.
    Uniform,
}

impl<B: Backend> Emitter<'_, B> {
    /// Emits the code that counts the cost of an access, or notifies the listener. Returns `None`
    /// if the base is not a register.
    pub(super) fn cost(
        &mut self,
        step: &Step,
        call: &Call,
        (notification, cost): (Notification, Cost),
    ) -> Option<()> {
        let known = self.facts.plans.get(self.block).and_then(|plan| plan.get(self.step));
        let affine = known.and_then(|known| known.base);
        let base = call.from[0].vreg()?;
        let register = affine.map_or(base, |value| VReg::B32(value.index));
        let own = [(); 2].map(|()| self.temporary());
        self.lanes_taken(step.guard, R::EAX);
        let parts = self.parts_of(register);
        let (wide, half) = (matches!(register, VReg::B64(_)), parts.len() / 2);
        let [slow, points, done] = [(); 3].map(|()| self.asm.label());
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, -1), J::NE, slow);
        let unit = u64::from(cost.bytes) >> affine.map_or(0, |value| value.shift);
        for (shape, apart, other) in [(Half::Contiguous, unit, points), (Half::Uniform, 0, slow)] {
            self.unless_apart(&parts, (wide, half), apart, own, other);
            for (part, low, first) in [(0, R::EAX, R::RAX), (half, R::R12D, R::R12)] {
                self.first_element(wide, if wide { first } else { low }, parts[part]);
            }
            self.addresses(affine, cost, slow);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, at(R::RDI, Frame::COUNTS)));
            match (shape, cost.banks) {
                (_, true) => self.passes(shape, cost, (done, slow)),
                (Half::Contiguous, false) => self.sectors_of_rows(cost, (done, slow)),
                (Half::Uniform, false) => self.sectors_of_points(cost),
            }
            if shape == Half::Contiguous {
                self.asm.goto(done);
                self.asm.bind(points);
            }
        }
        let deferred =
            affine.map(|value| DeferredAddress { vreg: base, value, from_before: false });
        self.notify_out_of_line(step, call, (notification, deferred), (slow, done))
    }

    /// Computes the addresses of lanes 0 and 16 in `rax` and `r12` from their base registers or
    /// indices. Jumps to `slow` if the indices of later lanes may wrap around, or an address is in
    /// another state space or misaligned. Uses `r13` and `rbx`.
    fn addresses(&mut self, affine: Option<Affine>, cost: Cost, slow: Label) {
        let both = [(R::RAX, R::EAX), (R::R12, R::R12D)];
        if let Some(value) = affine {
            both.iter().for_each(|&(_, low)| self.add_addend(value.addend, low, R::R13));
            // Indices below 2^30: adding the lane number to one of them neither overflows nor
            // changes its sign.
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, R::EAX));
            self.asm.put(I::with2(C::Or_r32_rm32, R::R13D, R::R12D));
            self.asm.put(I::with2(C::Test_rm32_imm32, R::R13D, 0xc000_0000_u32 as i32));
            self.asm.jump(J::NE, slow);
            let from = self.number_at(value.add, R::R13);
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, from));
            for (address, _) in both {
                self.asm.put(I::with2(C::Shl_rm64_imm8, address, u32::from(value.shift)));
                self.asm.put(I::with2(C::Add_r64_rm64, address, R::R13));
            }
        }
        let (bits, value) = cost.above;
        for (address, low) in both {
            // The sum of a 32-bit base and the offset wraps around at 32 bits.
            let offset = cost.offset as i32;
            match (offset, cost.banks) {
                (0, _) => {}
                (_, true) => self.asm.put(I::with2(C::Add_rm32_imm32, low, offset)),
                (_, false) => self.asm.put(I::with2(C::Add_rm64_imm32, address, offset)),
            }
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, address));
            self.asm.put(I::with2(C::Shr_rm64_imm8, R::RBX, bits));
            self.asm.jump_if(I::with2(C::Cmp_rm64_imm32, R::RBX, value as i32), J::NE, slow);
        }
        if cost.bytes > 1 {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, R::EAX));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EBX, R::R12D));
            self.asm.jump_if(I::with2(C::Test_rm8_imm8, R::BL, cost.bytes as i32 - 1), J::NE, slow);
        }
    }

    /// Adds 1 (the access), the cost in `rax`, and the lowest possible cost to the three counters
    /// at `r13`.
    fn add_cost(&mut self, cost: Cost, least: u32) {
        let to = |i: u32| at(R::R13, 8 * (cost.counter + i) as usize);
        self.asm.put(I::with2(C::Add_rm64_imm8, to(0), 1));
        self.asm.put(I::with2(C::Add_rm64_r64, to(1), R::RAX));
        self.asm.put(I::with2(C::Add_rm64_imm32, to(2), least as i32));
    }

    /// Counts an access whose cost is the lowest possible.
    fn add_least(&mut self, cost: Cost, least: u32) {
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, least as i32));
        self.add_cost(cost, least);
    }

    /// Sets the register with an address to the number of sectors that `bytes` bytes from there
    /// touch.
    fn sectors_from(&mut self, (address, low): (R, R), bytes: u32) {
        self.asm.put(I::with2(C::And_rm32_imm8, low, SECTOR as i32 - 1));
        self.asm.put(I::with2(C::Add_rm64_imm32, address, (bytes + SECTOR - 1) as i32));
        self.asm.put(I::with2(C::Shr_rm64_imm8, address, SECTOR.trailing_zeros()));
    }

    /// Counts the sectors of two contiguous halves: of one range if the halves are adjacent or
    /// identical, or of both ranges if they share no sector.
    fn sectors_of_rows(&mut self, cost: Cost, (done, slow): (Label, Label)) {
        let half = 16 * cost.bytes;
        let [apart, far] = [(); 2].map(|()| self.asm.label());
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RBX, R::R12));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RBX, R::RAX));
        self.asm.put(I::with2(C::Cmp_rm64_imm32, R::RBX, half as i32));
        for (bytes, other) in [(2 * half, apart), (half, far)] {
            self.asm.jump(J::NE, other);
            self.sectors_from((R::RAX, R::EAX), bytes);
            self.add_cost(cost, bytes.div_ceil(SECTOR));
            self.asm.goto(done);
            self.asm.bind(other);
            if bytes != half {
                self.asm.put(I::with2(C::Test_rm64_r64, R::RBX, R::RBX));
            }
        }
        // From this distance on, the halves share no sector.
        let near = half + SECTOR;
        self.asm.put(I::with2(C::Add_rm64_imm32, R::RBX, near as i32));
        self.asm.jump_if(I::with2(C::Cmp_rm64_imm32, R::RBX, 2 * near as i32), J::BE, slow);
        self.sectors_from((R::RAX, R::EAX), half);
        self.sectors_from((R::R12, R::R12D), half);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::R12));
        self.add_cost(cost, (2 * half).div_ceil(SECTOR));
    }

    /// Counts the sectors of two elements, each of which lies in one sector.
    fn sectors_of_points(&mut self, cost: Cost) {
        self.asm.put(I::with2(C::Xor_r64_rm64, R::RAX, R::R12));
        self.asm.put(I::with2(C::Shr_rm64_imm8, R::RAX, SECTOR.trailing_zeros()));
        self.one_or_two();
        self.add_cost(cost, 1);
    }

    /// Sets `rax` to 1 if it is zero, else to 2.
    fn one_or_two(&mut self) {
        self.asm.put(I::with1(C::Neg_rm64, R::RAX));
        self.asm.put(I::with2(C::Sbb_r64_rm64, R::RAX, R::RAX));
        self.asm.put(I::with1(C::Neg_rm64, R::RAX));
        self.asm.put(I::with2(C::Add_rm64_imm8, R::RAX, 1));
    }

    /// Counts the passes over the banks of shared memory. With 8 bytes or more per lane, each pass
    /// serves at most half of the lanes, and these have no bank conflicts.
    fn passes(&mut self, half: Half, cost: Cost, (done, slow): (Label, Label)) {
        if cost.bytes > WORD {
            return self.add_least(cost, cost.bytes / WORD);
        }
        let other = self.asm.label();
        if half == Half::Contiguous {
            // All lanes are within one range of 128 bytes, so that no bank is needed twice.
            let row = (16 * WORD) as i32;
            self.asm.put(I::with2(C::Sub_r32_rm32, R::EAX, R::R12D));
            self.asm.put(I::with2(C::Add_rm32_imm32, R::EAX, row));
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm32, R::EAX, 2 * row), J::A, other);
        } else {
            for low in [R::EAX, R::R12D] {
                self.asm.put(I::with2(C::Shr_rm32_imm8, low, WORD.trailing_zeros()));
            }
            self.asm.jump_if(I::with2(C::Xor_r32_rm32, R::EAX, R::R12D), J::NE, other);
        }
        self.add_least(cost, 1);
        self.asm.goto(done);
        self.asm.bind(other);
        if half == Half::Contiguous {
            if cost.bytes < WORD {
                return self.asm.goto(slow);
            }
            // The access takes one pass if the halves of the warp use different banks, else two.
            self.asm.put(I::with2(C::And_rm32_imm32, R::EAX, BANKS as i32 - 1));
        } else {
            // Two passes if the two elements are different words of one bank.
            self.asm.put(I::with2(C::And_rm32_imm32, R::EAX, (BANKS / WORD) as i32 - 1));
            self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EAX, 1));
            self.asm.put(I::with2(C::Sbb_r32_rm32, R::EAX, R::EAX));
        }
        self.one_or_two();
        self.add_cost(cost, 1);
    }

    /// Emits the notification of the listener in the cold section, after which all cached values
    /// are loaded again.
    fn notify_out_of_line(
        &mut self,
        step: &Step,
        call: &Call,
        (notification, deferred): (Notification, Option<DeferredAddress>),
        (slow, done): (Label, Label),
    ) -> Option<()> {
        let (cache, before) = (self.cache.clone(), self.begin_cold(done));
        self.asm.bind(slow);
        self.cache.unpin();
        if let Some(deferred) = deferred {
            self.compute_deferred(deferred);
            self.cache.unpin();
        }
        for (row, &source) in call.from.iter().enumerate().take(call.routine.sources()) {
            self.fill_row(source, row, notification.narrow[row])?;
        }
        self.notify(step.guard, &call.routine);
        self.cache = cache;
        let held: Vec<_> = self.cache.all().collect();
        held.into_iter().for_each(|(reg, key, _)| self.fetch(reg, key));
        self.end_cold(Some(before), done);
        Some(())
    }
}
