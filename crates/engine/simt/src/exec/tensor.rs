//! Executes `mma` and `wmma.mma`, whose matrices are distributed over the lanes of a warp.

use super::context::Context;
use super::matrix::lacks;
use super::outcome::Done;
use super::warp::Warp;
use crate::code::{Mma, Slot};
use texunit_alu::L64;

/// Maximum number of registers of a matrix in a lane.
const MOST: usize = 8;

impl Context<'_> {
    pub(super) fn mma(&mut self, warp: &mut Warp, op: &Mma, mask: u32) -> Done {
        if mask != u32::MAX {
            return lacks(u32::MAX, mask);
        }
        let mut sources = [[[0; 32]; MOST]; 3];
        self.registers(warp, op, &mut sources);
        let mut metadata: L64 = [0; 32];
        if !op.metadata.is_none() {
            warp.read(&self.launch.constants, op.metadata, &mut metadata);
        }
        let mut d = [[0; 32]; MOST];
        let [a, b, c] = &sources;
        op.operation.run(self.level, &mut self.tensor, [a, b, c], &metadata, &mut d);
        put(warp, &op.d, &d);
        Ok(())
    }

    /// Executes a product on shadows: an element of D is uninitialised if any element in its row of
    /// A, its column of B or its element of C is.
    pub(super) fn mma_shadow(&mut self, warp: &mut Warp, op: &Mma, mask: u32) {
        // If fewer lanes execute the instruction, it faults itself.
        if mask == u32::MAX {
            let mut sources = [[[0; 32]; MOST]; 3];
            self.registers(warp, op, &mut sources);
            let mut d = [[0; 32]; MOST];
            op.operation.dependence(sources.each_ref().map(|of| &of[..]), &mut d);
            put(warp, &op.d, &d);
        }
    }

    fn registers(&self, warp: &Warp, op: &Mma, to: &mut [[L64; MOST]; 3]) {
        for (slots, to) in op.sources.iter().zip(to) {
            for (&slot, to) in slots.iter().zip(to) {
                warp.read(&self.launch.constants, slot, to);
            }
        }
    }
}

fn put(warp: &mut Warp, slots: &[Slot], values: &[L64; MOST]) {
    for (&slot, value) in slots.iter().zip(values) {
        warp.put(slot, value, u64::MAX, u32::MAX);
    }
}
