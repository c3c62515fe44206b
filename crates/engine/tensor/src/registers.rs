//! Moves elements of matrices from the registers of a warp to arrays of lines (rows of A, columns
//! of B, C and D), and back.

use crate::Fragment;

/// Registers of a warp, with 32 lanes each.
pub(crate) type Registers = [[u64; 32]];

/// Calls `f` with the position and the bits of each element in the registers.
pub(crate) fn each_element(of: &Fragment, from: &Registers, mut f: impl FnMut(usize, u64)) {
    let mask = u64::MAX >> (64 - of.bits);
    for (positions, register) in
        of.positions.chunks_exact(32 * of.per_register).take(of.distinct).zip(from)
    {
        for (positions, &word) in positions.chunks_exact(of.per_register).zip(register) {
            for (i, &position) in positions.iter().enumerate() {
                f(position.into(), word >> (of.bits as usize * i) & mask);
            }
        }
    }
}

/// Copies elements from registers to lines of a matrix.
pub(crate) fn gather<T: Copy + Default>(
    of: &Fragment,
    from: &Registers,
    to: &mut Vec<[T; 32]>,
    lines: usize,
    narrow: impl Fn(u64) -> T,
) {
    to.clear();
    to.resize(lines, [T::default(); 32]);
    let to = to.as_flattened_mut();
    match of.per_register {
        1 => gather_from::<T, 1>(of, from, to, narrow),
        2 => gather_from::<T, 2>(of, from, to, narrow),
        4 => gather_from::<T, 4>(of, from, to, narrow),
        _ => gather_from::<T, 8>(of, from, to, narrow),
    }
}

fn gather_from<T, const PER: usize>(
    of: &Fragment,
    from: &Registers,
    to: &mut [T],
    narrow: impl Fn(u64) -> T,
) {
    let mask = u64::MAX >> (64 - of.bits);
    let positions = of.positions.as_chunks::<PER>().0.as_chunks::<32>().0;
    for (positions, register) in positions.iter().take(of.distinct).zip(from) {
        for (positions, &word) in positions.iter().zip(register) {
            for (i, &position) in positions.iter().enumerate() {
                if let Some(element) = to.get_mut(usize::from(position)) {
                    *element = narrow(word >> (of.bits as usize * i) & mask);
                }
            }
        }
    }
}

/// Copies elements from lines of a matrix to registers.
pub(crate) fn scatter<T: Copy>(
    of: &Fragment,
    from: &[[T; 32]],
    to: &mut Registers,
    wide: impl Fn(T) -> u64,
) {
    let from = from.as_flattened();
    let element =
        |position: u16| from.get(usize::from(position)).map_or(0, |&element| wide(element));
    let positions = of.positions.chunks_exact(32 * of.per_register);
    for (positions, register) in positions.zip(to) {
        match of.per_register {
            1 => {
                for (&position, word) in positions.iter().zip(register) {
                    *word = element(position);
                }
            }
            // A register has two 16-bit elements.
            _ => {
                for (&[low, high], word) in positions.as_chunks().0.iter().zip(register) {
                    *word = element(low) | element(high) << 16;
                }
            }
        }
    }
}
