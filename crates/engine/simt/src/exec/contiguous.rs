//! The fast path of global accesses of a converged warp to contiguous memory: one copy, and a
//! transposition between lane order and register order.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::{Context, Words};
use super::warp::Warp;
use crate::code::Access;
use texunit_alu::{L32, L64};
use texunit_memory::Block;
use texunit_unit::Build;

/// The lowest address, if the addresses increase by `step` from lane to lane, where `step` is a
/// power of two.
fn first_of_row(level: Build, bases: &L64, step: u64) -> Option<u64> {
    let (first, shift) = (bases[0], step.trailing_zeros());
    let apart = level.run(
        #[inline(always)]
        || {
            let mut any = 0;
            for lane in 0..32 {
                any |= bases[lane] ^ first.wrapping_add((lane as u64) << shift);
            }
            any
        },
    );
    (apart == 0).then_some(first)
}

fn pair(low: u32, high: u32) -> [u8; 8] {
    (u64::from(low) | u64::from(high) << 32).to_le_bytes()
}

fn halves(word: [u8; 8]) -> (u32, u32) {
    let word = u64::from_le_bytes(word);
    (word as u32, (word >> 32) as u32)
}

/// Arranges 4-byte elements of the first `parts` registers in lane order. A few lanes are loaded
/// before their words are stored, because the compiler cannot know that a store changes no register
/// and would proceed lane by lane.
fn by_lane(level: Build, registers: &[&L32; 4], parts: usize, words: &mut Words) {
    level.run(
        #[inline(always)]
        || {
            let [a, b, c, d] = *registers;
            let lines = words.as_chunks_mut::<8>().0;
            match parts {
                1 => {
                    for i in 0..2 {
                        let a: [u32; 16] = chunk(a, i);
                        for k in 0..8 {
                            lines[i][k] = pair(a[2 * k], a[2 * k + 1]);
                        }
                    }
                }
                2 => {
                    for i in 0..4 {
                        let (a, b): ([u32; 8], [u32; 8]) = (chunk(a, i), chunk(b, i));
                        for k in 0..8 {
                            lines[i][k] = pair(a[k], b[k]);
                        }
                    }
                }
                _ => {
                    for i in 0..8 {
                        let [a, b, c, d]: [[u32; 4]; 4] =
                            [chunk(a, i), chunk(b, i), chunk(c, i), chunk(d, i)];
                        for k in 0..4 {
                            lines[i][2 * k] = pair(a[k], b[k]);
                            lines[i][2 * k + 1] = pair(c[k], d[k]);
                        }
                    }
                }
            }
        },
    );
}

/// The values of some lanes of a register.
#[inline(always)]
fn chunk<T: Copy, const N: usize>(register: &[T; 32], i: usize) -> [T; N] {
    register.as_chunks().0[i]
}

/// Arranges 8-byte elements in lane order.
fn wide_by_lane(level: Build, registers: &[&L64; 2], parts: usize, words: &mut Words) {
    level.run(
        #[inline(always)]
        || {
            let [a, b] = *registers;
            let lines = words.as_chunks_mut::<8>().0;
            for i in 0..4 * parts {
                if parts == 1 {
                    let a: [u64; 8] = chunk(a, i);
                    for k in 0..8 {
                        lines[i][k] = a[k].to_le_bytes();
                    }
                } else {
                    let (a, b): ([u64; 4], [u64; 4]) = (chunk(a, i), chunk(b, i));
                    for k in 0..4 {
                        lines[i][2 * k] = a[k].to_le_bytes();
                        lines[i][2 * k + 1] = b[k].to_le_bytes();
                    }
                }
            }
        },
    );
}

/// Arranges 4-byte elements in register order.
fn by_register(level: Build, words: &Words, out: &mut [L32; 4], parts: usize) {
    level.run(
        #[inline(always)]
        || match parts {
            1 => {
                for i in 0..16 {
                    (out[0][2 * i], out[0][2 * i + 1]) = halves(words[i]);
                }
            }
            2 => {
                for lane in 0..32 {
                    (out[0][lane], out[1][lane]) = halves(words[lane]);
                }
            }
            _ => {
                for lane in 0..32 {
                    (out[0][lane], out[1][lane]) = halves(words[2 * lane]);
                    (out[2][lane], out[3][lane]) = halves(words[2 * lane + 1]);
                }
            }
        },
    );
}

impl<'a> Context<'a> {
    /// The allocation and offset of a contiguous access of all lanes; `None` if the lanes are not
    /// contiguous.
    fn row(&mut self, warp: &Warp, access: &Access, stores: bool) -> Option<(&'a Block, u64)> {
        let total = u64::from(access.size) * access.parts.len() as u64;
        let bases = warp.w(&self.launch.constants, access.base);
        let first = first_of_row(self.level, bases, total)?.wrapping_add(access.offset);
        // `total` is a power of two, so all addresses are aligned if the first one is.
        if first & (total - 1) != 0 {
            return None;
        }
        self.block_of((first, first.checked_add(31 * total)?), total, stores)
    }

    /// Executes a contiguous store; `None` if the lanes are not contiguous, and then nothing has
    /// been changed.
    pub(super) fn store_row(&mut self, warp: &Warp, access: &Access) -> Option<()> {
        let (block, at) = self.row(warp, access, true)?;
        let constants = &self.launch.constants;
        let (words, parts) = (&mut self.words, access.parts.len());
        // References avoid a copy of the registers, which would wait for the preceding stores.
        if access.size == 4 {
            let mut registers = [&[0; 32]; 4];
            for (register, &slot) in registers.iter_mut().zip(&access.parts) {
                *register = warp.n(constants, slot);
            }
            by_lane(self.level, &registers, parts, words);
        } else {
            let mut registers = [&[0; 32]; 2];
            for (register, &slot) in registers.iter_mut().zip(&access.parts) {
                *register = warp.w(constants, slot);
            }
            wide_by_lane(self.level, &registers, parts, words);
        }
        let bytes = 32 * usize::from(access.size) * parts;
        // The bounds were checked for all lanes, so that the store cannot fail.
        block.write(at, &words.as_flattened()[..bytes]).ok()?;
        // In most kernels the next CTA writes the memory that follows this CTA's.
        block.prefetch_to_write(at + u64::from(self.launch.warps) * bytes as u64, bytes);
        Some(())
    }

    /// Executes a contiguous load; `None` if the lanes are not contiguous.
    pub(super) fn load_row(&mut self, warp: &mut Warp, access: &Access) -> Option<()> {
        let (block, at) = self.row(warp, access, false)?;
        let words = &mut self.words;
        let parts = access.parts.len();
        let bytes = 32 * usize::from(access.size) * parts;
        block.read(at, &mut words.as_flattened_mut()[..bytes]).ok()?;
        if access.size == 4 {
            let mut out = [[0; 32]; 4];
            by_register(self.level, words, &mut out, parts);
            for (&d, values) in access.parts.iter().zip(&out) {
                warp.put_n(d, values, u32::MAX);
            }
            return Some(());
        }
        for (k, &d) in access.parts.iter().enumerate() {
            for lane in 0..32 {
                self.wide[lane] = u64::from_le_bytes(words[parts * lane + k]);
            }
            warp.put(d, &self.wide, u64::MAX, u32::MAX);
        }
        Some(())
    }
}
