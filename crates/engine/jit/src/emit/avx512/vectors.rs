//! Vector accesses of all lanes, where the lanes of each half are contiguous or have one address.

use super::load::{LOAD, STORE};
use super::memory::MemAccess;
use super::pieces::Pieces;
use super::shape::HalfAddresses;
use super::{Avx512Emitter, SCRATCH};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use crate::emit::vector::V;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx512Emitter<'_> {
    /// Emits an access where the lanes of each half are contiguous.
    pub(super) fn contiguous_pieces(
        &mut self,
        pieces: &Pieces,
        places: &HalfAddresses,
        mem: &MemAccess,
    ) {
        let (total, stores) = (mem.total, mem.stores);
        match pieces {
            Pieces::Dwords(dwords) => {
                for (part, piece) in dwords[0].iter().enumerate() {
                    let code = match (total, stores) {
                        (1, false) => C::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
                        (2, false) => C::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
                        (1, true) => C::EVEX_Vpmovdb_xmmm128_k1z_zmm,
                        (2, true) => C::EVEX_Vpmovdw_ymmm256_k1z_zmm,
                        (_, false) => LOAD,
                        (_, true) => STORE,
                    };
                    let memory = places.at(part, 0);
                    self.asm.put(if stores {
                        I::with2(code, memory, piece.z())
                    } else {
                        I::with2(code, piece.z(), memory)
                    });
                }
            }
            Pieces::Qwords(qwords) if qwords.len() == 1 => {
                for (part, piece) in qwords[0].iter().enumerate() {
                    let memory = places.at(part / 2, 64 * (part % 2));
                    self.asm.put(if stores {
                        I::with2(STORE, memory, piece.z())
                    } else {
                        I::with2(LOAD, piece.z(), memory)
                    });
                }
            }
            Pieces::Qwords(qwords) => {
                for half in 0..2 {
                    // The second half is stored last, because it may overlap the first.
                    self.pairs_of_half(qwords, places, mem, half);
                }
            }
        }
    }

    /// Emits a contiguous access of a half with two 64-bit pieces per lane.
    fn pairs_of_half(
        &mut self,
        qwords: &[[Reg; 4]],
        places: &HalfAddresses,
        mem: &MemAccess,
        half: usize,
    ) {
        let (stores, scratch) = (mem.stores, mem.scratch);
        let permute = C::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64;
        let memory = |part: usize, j: usize| places.at(half, 128 * (part % 2) + 64 * j);
        for j in 0..2_usize {
            // For loads, every second element of two vectors; for stores, the elements of two
            // vectors alternately.
            let order: [u64; 8] = std::array::from_fn(|i| {
                if stores { (4 * j + i / 2 + 8 * (i % 2)) as u64 } else { (2 * i + j) as u64 }
            });
            let order = at(R::R9, self.pooled(&order));
            self.two(V::Load, SCRATCH, order);
            for part in [2 * half, 2 * half + 1] {
                if stores {
                    let (first, second) = (qwords[0][part], qwords[1][part]);
                    self.two(V::Move, scratch, first);
                    self.three(permute, scratch, SCRATCH, second);
                    self.store(memory(part, j), scratch);
                } else {
                    let piece = qwords[j][part];
                    self.two(V::Load, piece, memory(part, 0));
                    self.asm.put(I::with3(permute, piece.z(), SCRATCH.z(), memory(part, 1)));
                }
            }
        }
    }

    /// Emits an access where the lanes of each half have one address.
    pub(super) fn uniform_pieces(&mut self, pieces: &Pieces, places: &HalfAddresses, total: u64) {
        match pieces {
            Pieces::Dwords(dwords) => {
                for (half, piece) in dwords[0].iter().enumerate() {
                    let memory = places.at(half, 0);
                    if total >= 4 {
                        let spread = C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32;
                        self.asm.put(I::with2(spread, piece.z(), memory));
                    } else {
                        let code = if total == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
                        self.asm.put(I::with2(code, R::R13D, memory));
                        let spread = C::EVEX_Vpbroadcastd_zmm_k1z_r32;
                        self.asm.put(I::with2(spread, piece.z(), R::R13D));
                    }
                }
            }
            Pieces::Qwords(qwords) => {
                for (j, parts) in qwords.iter().enumerate() {
                    for (part, piece) in parts.iter().enumerate() {
                        let spread = C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64;
                        self.asm.put(I::with2(spread, piece.z(), places.at(part / 2, 8 * j)));
                    }
                }
            }
        }
    }
}
