//! Writes loaded data to registers: extracts the elements of a load from its pieces.

use super::pieces::{Pieces, pairs};
use super::{Avx512Emitter, SCRATCH};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::emit::vector::V;
use crate::operand::{Predicate, VReg};
use crate::region::Load;
use iced_x86::{Code as C, Register as R};

impl Avx512Emitter<'_> {
    /// Writes the elements of a load to their destinations.
    pub(super) fn take_elements(
        &mut self,
        load: &Load,
        pieces: &Pieces,
        guard: Predicate,
    ) -> Option<()> {
        let size = usize::from(load.access.size);
        for (k, to) in load.to.iter().enumerate().take(load.access.count.into()) {
            let Some(to) = *to else { continue };
            match to {
                VReg::B32(to) => {
                    for part in 0..2 {
                        let value = self.narrow_element(load, pieces, k * size, part)?;
                        self.write_narrow(to, part, value, Kind::BITS, guard);
                    }
                }
                VReg::B64(to) => {
                    for part in 0..4 {
                        let value = self.wide_element(load, pieces, k * size, part)?;
                        self.write_wide(to, part, value, guard);
                    }
                }
                VReg::Predicate(_) => return None,
            }
        }
        Some(())
    }

    /// The 32 bits of each lane that contain a byte, in a temporary.
    fn dword(&mut self, pieces: &Pieces, size: u8, byte: usize, part: u8) -> Option<Reg> {
        let part = usize::from(part);
        Some(match pieces {
            Pieces::Dwords(dwords) => {
                let piece = dwords.get(byte / 4)?[part];
                // Elements of less than four bytes share the piece with others, so that it must be
                // copied.
                if size < 4 { self.unary(V::Move, piece) } else { piece }
            }
            Pieces::Qwords(qwords) => {
                let parts = qwords.get(byte / 8)?;
                let high = (byte / 4 % 2) as u64;
                let order = std::array::from_fn(|i| 2 * i as u64 + high);
                self.permuted_pair(order, parts[2 * part], parts[2 * part + 1])
            }
        })
    }

    fn narrow_element(
        &mut self,
        load: &Load,
        pieces: &Pieces,
        byte: usize,
        part: u8,
    ) -> Option<Reg> {
        let d = self.dword(pieces, load.access.size, byte, part)?;
        self.extend_dword(load, d, byte);
        self.keep_bits(d, load.keep as u32);
        Some(d)
    }

    /// Extracts an element of less than 4 bytes from the 32 bits that contain it.
    fn extend_dword(&mut self, load: &Load, d: Reg, byte: usize) {
        let size = usize::from(load.access.size);
        if size >= 4 {
            return;
        }
        // In known accesses the element is already in the low bits.
        let from = byte % 4;
        let up = 32 - 8 * (from + size) as u32;
        let down = 32 - 8 * size as u32;
        if up != 0 {
            self.two_with(V::Left32, d, d, up);
        }
        self.two_with(if load.signed { V::RightS32 } else { V::RightU32 }, d, d, down);
    }

    fn wide_element(&mut self, load: &Load, pieces: &Pieces, byte: usize, part: u8) -> Option<Reg> {
        let d = if load.access.size == 8 {
            match pieces {
                Pieces::Qwords(qwords) => qwords.get(byte / 8)?[usize::from(part)],
                Pieces::Dwords(dwords) => {
                    let (low, high) = (dwords.get(byte / 4)?, dwords.get(byte / 4 + 1)?);
                    let [low, high] = [low, high].map(|d| d[usize::from(part / 2)]);
                    self.interleaved(low, high, part % 2)
                }
            }
        } else {
            let d = self.dword(pieces, 0, byte, part / 2)?;
            self.extend_dword(load, d, byte);
            let wide = self.extended_half(d, part % 2, load.signed);
            self.cache.release(d);
            wide
        };
        self.keep_wide(d, load.keep);
        Some(d)
    }

    /// Combines low and high 32-bit halves to 64-bit lanes, for the first or the last eight of 16
    /// lanes, in a temporary.
    pub(super) fn interleaved(&mut self, low: Reg, high: Reg, half: u8) -> Reg {
        let first = 8 * u64::from(half);
        let order = std::array::from_fn(|i| first + i as u64 / 2 + 16 * (i as u64 % 2));
        self.permuted_pair(order, low, high)
    }

    /// 32-bit lanes of two registers, selected by their numbers, in a temporary.
    pub(super) fn permuted_pair(&mut self, order: [u64; 16], low: Reg, high: Reg) -> Reg {
        let order = at(R::R9, self.pooled(&pairs(order)));
        // Allocating a register may overwrite `SCRATCH`, so that it is loaded afterwards.
        let d = self.unary(V::Move, low);
        self.two(V::Load, SCRATCH, order);
        self.three(C::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32, d, SCRATCH, high);
        d
    }
}
