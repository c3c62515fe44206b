//! Executes `ldmatrix`, `stmatrix` and `movmatrix`, whose matrices are distributed over the lanes
//! of a warp.

use super::context::Context;
use super::memory::{LOAD, STORE, space_at};
use super::outcome::{Done, bad_operand};
use super::warp::Warp;
use crate::code::{Matrix, MatrixAction};

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
pub(super) fn lacks(needed: u32, mask: u32) -> Done {
    let lane = (needed & !mask).trailing_zeros();
    let what = "does not take part in an instruction that needs what it has of a matrix";
    bad_operand(mask.trailing_zeros() as usize, format!("lane {lane} {what}"))
}

impl Context<'_> {
    /// Executes `ldmatrix`, `stmatrix` or `movmatrix` for all lanes of the warp.
    pub(super) fn matrix(&mut self, warp: &mut Warp, op: &Matrix, mask: u32) -> Done {
        self.matrix_in(warp, op, mask, false)
    }

    /// As [`Self::matrix`]; with `shadows`, on shadow memory.
    pub(super) fn matrix_in(
        &mut self,
        warp: &mut Warp,
        op: &Matrix,
        mask: u32,
        shadows: bool,
    ) -> Done {
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
                    let (space, at) = space_at(op.at.mem_space, address);
                    let kind = if stores { STORE } else { LOAD };
                    return self.misaligned(warp, lane, at, 16, space, kind);
                }
                for (w, word) in words.iter_mut().enumerate() {
                    let at = address.wrapping_add(4 * w as u64);
                    if shadows {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix whose element number `e`, at row e / 8 and column e % 8, has the value `e`.
    fn counted() -> Rows {
        let word = |row: usize, pair: usize| {
            let e = (8 * row + 2 * pair) as u32;
            e | (e + 1) << 16
        };
        std::array::from_fn(|row| std::array::from_fn(|pair| word(row, pair)))
    }

    #[test]
    fn fragments_and_matrices_invert_each_other() {
        let rows = counted();
        for transposed in [false, true] {
            let held = std::array::from_fn(|lane| fragment(&rows, lane, transposed).into());
            assert_eq!(assemble(&held, transposed), rows);
        }
        // Lane 5 holds row 1, columns 2 and 3; transposed, it holds rows 2 and 3 of column 1.
        assert_eq!(fragment(&rows, 5, false), 10 | 11 << 16);
        assert_eq!(fragment(&rows, 5, true), 17 | 25 << 16);
    }
}
