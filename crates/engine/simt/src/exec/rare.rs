//! Executes infrequent instructions without control flow: conversions of addresses, surface
//! accesses, copies, output, and arithmetic with carries or of rare types.

use super::atomic::quads;
use super::context::Context;
use super::outcome::{Done, bad_operand, fault_at};
use super::warp::{Warp, lanes};
use crate::code::{Op, Rare, Slot};
use crate::fault::FaultKind;
use texunit_alu::Alu;
use texunit_unit::SurfaceKind;

impl Context<'_> {
    /// Executes an operation that is neither plain arithmetic nor an ordinary memory access.
    #[inline(never)]
    pub(super) fn rare_op(&mut self, warp: &mut Warp, op: &Op, mask: u32) -> Done {
        // The guard may exclude lanes of the split.
        let first = mask.trailing_zeros() as usize;
        match op {
            Op::Nop => {}
            Op::Shadow(shadow) => self.shadow(warp, shadow, mask),
            Op::CountIndexed { counter, index, targets } => {
                let index = warp.n(&self.launch.constants, *index);
                for lane in lanes(mask).filter(|&lane| index[lane] < *targets) {
                    self.counts.add((counter + index[lane], Slot::TRUE), 1 << lane, 0);
                }
            }
            Op::IssueIndexed { counter, of, index, targets } => {
                let index = warp.n(&self.launch.constants, *index);
                let goes = if *of == Slot::TRUE { mask } else { warp.p(*of) };
                let to = |lane| (goes >> lane & 1 == 1).then(|| targets.get(index[lane] as usize));
                let is_divided = lanes(mask).any(|lane| to(lane) != to(first));
                self.counts.enter(*counter, is_divided.into());
            }
            Op::Rare(rare) => self.rare(warp, rare, mask),
            Op::CountZero { divisor } => {
                warp.read(&self.launch.constants, *divisor, &mut self.wide);
                let zeros = lanes(mask).filter(|&l| self.wide[l] == 0).count();
                self.counters.divisions_by_zero += zeros as u64;
            }
            Op::LoadQuad(access) => {
                let _one_at_a_time = quads();
                self.load(warp, access, mask)?;
            }
            Op::StoreQuad(access) => {
                let _one_at_a_time = quads();
                self.store(warp, access, mask)?;
            }
            Op::SurfaceLoad(access) => self.suld(warp, access, mask)?,
            Op::SurfaceStore(access) => {
                if matches!(access.form.kind, SurfaceKind::Reduce { .. }) {
                    warp.last_atomic = warp.steps;
                }
                self.sust(warp, access, mask)?;
            }
            Op::AsyncCopy(copy) => self.async_copy(warp, copy, mask)?,
            Op::Stack(op) => self.stack(warp, op, mask)?,
            Op::Trap => return fault_at(first, FaultKind::Trap { message: None }),
            Op::Breakpoint => {
                let message = Some("brkpt: a breakpoint without a debugger".to_owned());
                return fault_at(first, FaultKind::Trap { message });
            }
            op => {
                let Some(d) = self.read_into_wide(warp, op, mask) else {
                    let what = "an instruction that texunit does not execute was reached";
                    return bad_operand(first, what);
                };
                warp.put(d, &self.wide, u64::MAX, mask);
            }
        }
        Ok(())
    }

    fn rare(&mut self, warp: &mut Warp, rare: &Rare, mask: u32) {
        let constants = &self.launch.constants;
        for (out, &slot) in self.sources.iter_mut().zip(&rare.s) {
            warp.read(constants, slot, out);
        }
        let [a, b, c, _] = &self.sources;
        match rare.alu {
            Alu::Carry(f) => {
                let carry = f(&mut self.wide, a, b, c, warp.carry);
                if rare.write_carry {
                    warp.carry = (warp.carry & !mask) | (carry & mask);
                }
            }
            alu if alu.run(&mut self.wide, [a, b, c]) => {}
            // All other kinds of arithmetic have operations of their own.
            _ => return,
        }
        warp.put(rare.d, &self.wide, rare.mask, mask);
    }
}
