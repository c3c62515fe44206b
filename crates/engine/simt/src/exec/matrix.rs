//! Executes `ldmatrix`, `stmatrix`, `movmatrix`, `mma` and `wmma.mma`, whose matrices are
//! distributed over the lanes of a warp.

use super::context::Context;
use super::memory::{LOAD, STORE, space_at};
use super::outcome::{Done, bad_operand};
use super::warp::Warp;
use crate::code::{Matrix, MatrixAction, Mma, Slot};
use texunit_alu::L64;

/// Maximum number of registers of a matrix in a lane.
const MOST: usize = 8;

/// A matrix of 8 rows of 8 elements of 16 bits, two in a word.
type Rows = [[u32; 4]; 8];

/// An element of a matrix.
fn element(rows: &Rows, row: usize, column: usize) -> u32 {
    rows[row][column / 2] >> (16 * (column % 2)) & 0xffff
}

/// The fragment of a matrix in a lane (PTX ISA 9.7.14.5.15): two elements of row `lane / 4`, or of
/// that column if the matrix is transposed.
fn fragment(rows: &Rows, lane: usize, transposed: bool) -> u32 {
    let (at, pair) = (lane / 4, lane % 4);
    match transposed {
        false => rows[at][pair],
        true => element(rows, 2 * pair, at) | element(rows, 2 * pair + 1, at) << 16,
    }
}

/// The matrix of the fragments in all lanes.
fn assemble(fragments: &[u64; 32], transposed: bool) -> Rows {
    let mut rows: Rows = [[0; 4]; 8];
    for (lane, &value) in fragments.iter().enumerate() {
        rows[lane / 4][lane % 4] = value as u32;
    }
    if !transposed {
        return rows;
    }
    let mut turned: Rows = [[0; 4]; 8];
    for (row, words) in turned.iter_mut().enumerate() {
        for (pair, word) in words.iter_mut().enumerate() {
            *word = element(&rows, 2 * pair, row) | element(&rows, 2 * pair + 1, row) << 16;
        }
    }
    turned
}

/// The fault of an instruction that needs the parts of matrices in the lanes `needed`, not all of
/// which execute it.
fn lacks(needed: u32, mask: u32) -> Done {
    let lane = (needed & !mask).trailing_zeros();
    let what = "does not take part in an instruction that needs what it has of a matrix";
    bad_operand(mask.trailing_zeros() as usize, format!("lane {lane} {what}"))
}

impl Context<'_> {
    /// Executes `ldmatrix`, `stmatrix` or `movmatrix` for all lanes of the warp; with `shadow`, on
    /// shadow memory.
    pub(super) fn matrix(&mut self, warp: &mut Warp, op: &Matrix, mask: u32, shadow: bool) -> Done {
        let constants = &self.launch.constants;
        // A load only requires the lanes that provide an address.
        let needed = match op.action {
            MatrixAction::Load => crate::lower::mask_of(8 * op.parts.len() as u32) as u32,
            _ => u32::MAX,
        };
        if needed & !mask != 0 {
            return lacks(needed, mask);
        }
        let mut values = [0; 32];
        if op.action == MatrixAction::Transpose {
            let Some(&source) = op.parts.first() else { return Ok(()) };
            warp.read(constants, source, &mut values);
            let rows = assemble(&values, false);
            let turned = std::array::from_fn(|lane| fragment(&rows, lane, true).into());
            warp.put(op.d, &turned, u64::MAX, mask);
            return Ok(());
        }
        let addresses = self.place_of(warp, &op.at);
        for (i, &part) in op.parts.iter().enumerate() {
            let stores = op.action == MatrixAction::Store;
            let mut rows: Rows = [[0; 4]; 8];
            if stores {
                warp.read(&self.launch.constants, part, &mut values);
                rows = assemble(&values, op.transposed);
            }
            for (row, words) in rows.iter_mut().enumerate() {
                let lane = 8 * i + row;
                let address = addresses[lane];
                if !address.is_multiple_of(16) {
                    let kind = if stores { STORE } else { LOAD };
                    let place = space_at(op.at.mem_space, address);
                    return self.misaligned(warp, lane, place, 16, kind);
                }
                for (w, word) in words.iter_mut().enumerate() {
                    let at = address.wrapping_add(4 * w as u64);
                    if shadow {
                        let place = space_at(op.at.mem_space, at);
                        match stores {
                            true => self.put_shadow(warp, lane, place, (4, u64::from(*word))),
                            false => *word = self.shadow_at(warp, lane, place, 4) as u32,
                        }
                    } else if stores {
                        let value = u64::from(*word);
                        self.store_one(warp, lane, (op.at.mem_space, at), (4, 16), value)?;
                    } else {
                        *word = self.load_one(warp, lane, (op.at.mem_space, at), (4, 16))? as u32;
                    }
                }
            }
            if !stores {
                values = std::array::from_fn(|l| fragment(&rows, l, op.transposed).into());
                warp.put(part, &values, u64::MAX, mask);
            }
        }
        Ok(())
    }

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
