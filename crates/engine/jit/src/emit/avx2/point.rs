//! Host addresses of the parts of an access whose lanes are contiguous or have one address.

use super::address::{Base, MemAccess, site};
use super::shape::{ADD, SPREAD, Slot, XOR};
use super::{Avx2Emitter, Vector};
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::Label;
use crate::emit::register_cache::Reg;
use crate::emit::vector::Operand;
use crate::machine::Site;
use crate::region::Space;
use iced_x86::{Code as C, Instruction as I, Register as R};
use std::mem::offset_of;

impl Avx2Emitter<'_> {
    /// Stores the host address of each part's first lane, for the base plus `least`, to a slot.
    /// Jumps to `not` if an address is misaligned, or it or the byte `r12` bytes after it is out of
    /// bounds.
    pub(super) fn point(&mut self, mem: &MemAccess, least: u64, slot: Slot, not: Label) {
        let [f, t, u, ..] = mem.own;
        self.firsts(mem, f, t);
        let global = mem.access.space == Space::Global;
        let mut tested = f;
        if let Base::Affine(value) = mem.base {
            self.bases_of_indices(mem, value, [f, t], not);
        }
        if let Base::B32(..) = mem.base {
            if least as u32 != 0 {
                let least = self.number(least as u32);
                self.three(C::VEX_Vpaddd_ymm_ymm_ymmm256, f, f, least);
            }
            self.asm.put(I::with2(C::VEX_Vpmovzxdq_ymm_xmmm128, f.ymm(), f.xmm()));
        } else if !global || !least.is_multiple_of(mem.total as u64) {
            let least = self.wide_number(least);
            tested = if global { t } else { f };
            self.three(ADD, tested, f, least);
        }
        if mem.total > 1 {
            let low = self.wide_number(mem.total as u64 - 1);
            self.two(C::VEX_Vptest_ymm_ymmm256, tested, low);
            self.asm.jump(C::Jne_rel32_64, not);
        }
        if global {
            let add = Operand::Memory(site(&mem.access, offset_of!(Site, add)));
            self.two(SPREAD, u, add);
            self.three(ADD, f, f, u);
            let other = least.wrapping_sub(mem.access.offset);
            if other != 0 {
                let other = self.wide_number(other);
                self.three(ADD, f, f, other);
            }
        }
        let (limit, origin) = (self.limit(mem), self.origin(mem));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, limit));
        self.asm.put(I::with2(C::Sub_r64_rm64, R::RAX, R::R12));
        self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, u.xmm(), R::RAX));
        self.asm.put(I::with2(SPREAD, u.ymm(), u.xmm()));
        // Signed comparisons: less than the limit, and not negative.
        self.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, u, u, f);
        self.three(C::VEX_Vpandn_ymm_ymm_ymmm256, u, f, u);
        self.asm.put(I::with2(C::VEX_Vmovmskpd_r32_ymm, R::EAX, u.ymm()));
        self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, R::EAX, 0xf), C::Jne_rel32_64, not);
        self.two(SPREAD, u, Operand::Memory(origin));
        self.three(ADD, f, f, u);
        self.store(slot.pointer(0), f);
    }

    /// Turns the indices of the parts' first lanes into bases. Jumps to `not` if the index of a
    /// later lane may wrap around.
    fn bases_of_indices(&mut self, mem: &MemAccess, value: Affine, [f, t]: [Reg; 2], not: Label) {
        if value.addend != Addend::NONE {
            self.sum_of_index(value, f, f.into());
        }
        let last = 7 * mem.unit as u32;
        let (min, most, extend) = if value.signed {
            (C::VEX_Vpminsd_ymm_ymm_ymmm256, i32::MAX as u32 - last, C::VEX_Vpmovsxdq_ymm_xmmm128)
        } else {
            (C::VEX_Vpminud_ymm_ymm_ymmm256, u32::MAX - last, C::VEX_Vpmovzxdq_ymm_xmmm128)
        };
        let most = self.number(most);
        self.three(min, t, f, most);
        self.three(XOR, t, t, f);
        self.two(C::VEX_Vptest_ymm_ymmm256, t, t);
        self.asm.jump(C::Jne_rel32_64, not);
        self.asm.put(I::with2(extend, f.ymm(), f.xmm()));
        self.two_with(C::VEX_Vpsllq_ymm_ymm_imm8, f, f, u32::from(value.shift));
        self.scalar(value.add, true);
        self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, t.xmm(), R::RAX));
        self.asm.put(I::with2(SPREAD, t.ymm(), t.xmm()));
        self.three(ADD, f, f, t);
    }

    /// Loads the bases of the parts' first lanes into one vector; overwrites `t`.
    fn firsts(&mut self, mem: &MemAccess, f: Reg, t: Reg) {
        let Some((row, number, wide)) = Self::bases(mem) else { return };
        let halves = if wide { 2 } else { 1 };
        for (to, part) in [(f, 0), (t, 2)] {
            let low = self.base_part((row, number, wide), halves * part);
            let high = self.base_part((row, number, wide), halves * (part + 1));
            let load = if wide { C::VEX_Vmovq_xmm_xmmm64 } else { C::VEX_Vmovd_xmm_rm32 };
            let from = match low {
                Operand::Register(low) => low,
                Operand::Memory(memory) => {
                    self.asm.put(I::with2(load, to.xmm(), memory));
                    to
                }
            };
            let (to, from) = (to.xmm(), from.xmm());
            self.asm.put(match (high, wide) {
                (Operand::Memory(high), true) => {
                    I::with3(C::VEX_Vmovhps_xmm_xmm_m64, to, from, high)
                }
                (Operand::Memory(high), false) => {
                    I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, to, from, high, 1_u32)
                }
                (Operand::Register(high), true) => {
                    I::with3(C::VEX_Vpunpcklqdq_xmm_xmm_xmmm128, to, from, high.xmm())
                }
                (Operand::Register(high), false) => {
                    I::with3(C::VEX_Vpunpckldq_xmm_xmm_xmmm128, to, from, high.xmm())
                }
            });
        }
        if wide {
            let insert = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
            self.asm.put(I::with4(insert, f.ymm(), f.ymm(), t.xmm(), 1_u32));
        } else {
            let has_both_modes = C::VEX_Vpunpcklqdq_xmm_xmm_xmmm128;
            self.asm.put(I::with3(has_both_modes, f.xmm(), f.xmm(), t.xmm()));
        }
    }
}
