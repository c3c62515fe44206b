//! cp.async, matrices and the stack.

use super::context::{Context, Done, trouble};
use super::memory::{LOAD, STORE, load_local, store_local};
use super::warp::{Warp, lanes};
use crate::code::{AsyncCopy, Located, Matrix, MatrixAction, Stack, StackAction};
use crate::fault::FaultKind;

/// The rows of a matrix: 8 elements of 16 bits, two a word.
type Rows = [[u32; 4]; 8];

/// An element of a matrix.
fn element(rows: &Rows, row: usize, column: usize) -> u32 {
    rows[row][column / 2] >> (16 * (column % 2)) & 0xffff
}

/// What a lane holds of a matrix (PTX ISA 9.7.14.5.15): two elements of row `lane / 4`, or of the
/// column if the matrix is transposed.
fn fragment(rows: &Rows, lane: usize, transposed: bool) -> u32 {
    let (at, pair) = (lane / 4, lane % 4);
    match transposed {
        false => rows[at][pair],
        true => element(rows, 2 * pair, at) | element(rows, 2 * pair + 1, at) << 16,
    }
}

/// The matrix whose fragments the lanes hold.
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

impl Context<'_> {
    fn place_of(&mut self, warp: &Warp, at: &Located) -> [u64; 32] {
        self.address(warp, at.base, at.offset);
        self.addresses
    }

    /// A copy that is made at once: no program that waits for it can tell.
    pub(super) fn async_copy(&mut self, warp: &mut Warp, op: &AsyncCopy, mask: u32) -> Done {
        let size = u32::from(op.size);
        let mut counts = [u64::from(size); 32];
        if !op.bytes.is_none() {
            warp.read(&self.launch.constants, op.bytes, &mut counts);
        }
        let ignored = warp.p(op.ignore);
        let (from, to) = (self.place_of(warp, &op.from), self.place_of(warp, &op.to));
        for lane in lanes(mask) {
            for (place, address, kind) in
                [(op.from.place, from[lane], LOAD), (op.to.place, to[lane], STORE)]
            {
                if address % u64::from(size) != 0 {
                    let (space, at) = self.space(warp, place, address);
                    return self.misaligned(warp, lane, at, size, space, kind);
                }
            }
            let count = if ignored >> lane & 1 != 0 { 0 } else { counts[lane] };
            if count > u64::from(size) {
                let what = format!("cp.async of {size} bytes cannot read {count} bytes");
                return trouble(lane, FaultKind::BadOperand(what));
            }
            let mut bytes = [0; 16];
            for (i, byte) in bytes.iter_mut().enumerate().take(count as usize) {
                let at = from[lane].wrapping_add(i as u64);
                *byte = self.load_one(warp, lane, op.from.place, at, 1, size)? as u8;
            }
            for (i, word) in bytes.chunks(4).enumerate().take(size as usize / 4) {
                let value = word.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
                let at = to[lane].wrapping_add(4 * i as u64);
                self.store_one(warp, lane, op.to.place, at, (4, size), value)?;
            }
        }
        Ok(())
    }

    /// ldmatrix, stmatrix, movmatrix, for all lanes of the warp together.
    pub(super) fn matrix(&mut self, warp: &mut Warp, op: &Matrix, mask: u32) -> Done {
        self.matrix_in(warp, op, mask, false)
    }

    /// The same on shadows.
    pub(super) fn matrix_in(
        &mut self,
        warp: &mut Warp,
        op: &Matrix,
        mask: u32,
        shadows: bool,
    ) -> Done {
        let constants = &self.launch.constants;
        // Only a load can do without lanes: those that give no address.
        let needed = match op.action {
            MatrixAction::Load => crate::lower::mask_of(8 * op.parts.len() as u32) as u32,
            _ => u32::MAX,
        };
        if needed & !mask != 0 {
            let lane = (needed & !mask).trailing_zeros();
            let what = format!(
                "lane {lane} does not take part in an instruction that needs what it has of a matrix"
            );
            return trouble(mask.trailing_zeros() as usize, FaultKind::BadOperand(what));
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
                    let (space, at) = self.space(warp, op.at.place, address);
                    let kind = if stores { STORE } else { LOAD };
                    return self.misaligned(warp, lane, at, 16, space, kind);
                }
                for (w, word) in words.iter_mut().enumerate() {
                    let at = address.wrapping_add(4 * w as u64);
                    if shadows {
                        let place = self.space(warp, op.at.place, at);
                        match stores {
                            true => self.put_shadow(warp, lane, place, (4, u64::from(*word))),
                            false => *word = self.shadow_at(warp, lane, place, 4) as u32,
                        }
                    } else if stores {
                        let value = u64::from(*word);
                        self.store_one(warp, lane, op.at.place, at, (4, 16), value)?;
                    } else {
                        *word = self.load_one(warp, lane, op.at.place, at, 4, 16)? as u32;
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

    /// alloca, stacksave, stackrestore: each lane has a stack pointer of its own.
    pub(super) fn stack(&mut self, warp: &mut Warp, op: &Stack, mask: u32) -> Done {
        let base = warp.local_base + u64::from(op.end);
        let word = warp.local_base + u64::from(op.at);
        let limit = u64::from(self.launch.config.stack_limit);
        let mut values = [0; 32];
        if let StackAction::Allocate { size: slot, .. } | StackAction::Restore { a: slot } =
            op.action
        {
            warp.read(&self.launch.constants, slot, &mut values);
        }
        let mut top = warp.local_end;
        for lane in lanes(mask) {
            let used = load_local(warp, lane, word, 4).unwrap_or(0);
            let now = base + used;
            let (value, used) = match op.action {
                StackAction::Allocate { align, .. } => {
                    let at = now.checked_next_multiple_of(align);
                    let end = at.and_then(|at| at.checked_add(values[lane]));
                    let (Some(at), Some(end @ 0..)) = (at, end.filter(|&end| end <= limit)) else {
                        return trouble(lane, FaultKind::StackOverflow { limit });
                    };
                    top = top.max(end);
                    (at, end - base)
                }
                StackAction::Save { .. } => (now, used),
                StackAction::Restore { .. } => {
                    let to = values[lane];
                    if !(base..=now).contains(&to) {
                        let what = format!(
                            "stackrestore of {to:#x}, but the stack of the function is {base:#x} to {now:#x}"
                        );
                        return trouble(lane, FaultKind::BadOperand(what));
                    }
                    (to, to - base)
                }
            };
            values[lane] = value;
            store_local(warp, lane, word, 4, used);
        }
        if let StackAction::Allocate { d, .. } | StackAction::Save { d } = op.action {
            warp.put(d, &values, u64::MAX, mask);
        }
        if top > warp.local_end {
            warp.frames.extend(warp.running, top.next_multiple_of(16));
            self.reserve(warp, warp.running)?;
            warp.enter(warp.running);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element `e` of a matrix is `e` at row e / 8, column e % 8.
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
        // Lane 5 holds row 1, columns 2 and 3; transposed rows 2 and 3 of column 1.
        assert_eq!(fragment(&rows, 5, false), 10 | 11 << 16);
        assert_eq!(fragment(&rows, 5, true), 17 | 25 << 16);
    }
}
