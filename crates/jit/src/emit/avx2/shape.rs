//! How the addresses of 32 lanes lie: beside each other, all the same, or anywhere.

use super::address::{Base, OFFSET_ROW, Way, moved, site};
use super::{LANES_SIZE, MOMENT, MOVE, Maker, Operand, PARTS, Vector};
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::values::Key;
use crate::machine::Site;
use crate::region::Space;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl Maker<'_> {
    /// Goes to `not` unless all 32 lanes lie beside each other and may be reached; else `r13` has the first one's
    /// address. The first base is in all lanes of the register for moments then, and at `not`.
    pub(super) fn if_beside(&mut self, way: &Way<'_>, not: Label) {
        self.spread_first(way);
        self.if_like(way, way.total as u64, not);
        self.first(way);
        self.offset_from_base(way, Some(not));
        if way.access.space == Space::Global {
            let rows = site(way.access, offset_of!(Site, rows));
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, rows));
        } else {
            let limit = self.limit(way);
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, limit));
            self.asm.jump(C::Jae_rel32_64, not);
            let last = MemoryOperand::with_base_displ(R::RAX, 31 * way.total as i64);
            self.asm.put(I::with2(C::Lea_r64_m, R::RBP, last));
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::RBP, limit));
        }
        self.asm.jump(C::Jae_rel32_64, not);
        let origin = self.origin(way);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, R::RAX));
    }

    /// Goes to `not` unless all lanes have the same address, which is that of a lane that takes part; else
    /// `r13` has what it is on the host.
    pub(super) fn if_same(&mut self, way: &Way<'_>, not: Label) {
        if !matches!(way.base, Base::None) {
            self.if_like(way, 0, not);
        }
        self.asm.put(I::with2(C::Test_rm32_r32, R::EBX, R::EBX));
        self.asm.jump(C::Je_rel32_64, not);
        self.first(way);
        self.offset_from_base(way, Some(way.out));
        let (limit, origin) = (self.limit(way), self.origin(way));
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, limit));
        self.asm.jump(C::Jae_rel32_64, way.out);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, origin));
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, R::RAX));
    }

    /// The first lane's base in all lanes.
    fn spread_first(&mut self, way: &Way<'_>) {
        match way.base {
            Base::Narrow(row, _) => {
                self.two(C::VEX_Vpbroadcastd_ymm_xmmm32, MOMENT, Operand::Memory(row));
            }
            Base::Wide(row, _) => {
                self.two(C::VEX_Vpbroadcastq_ymm_xmmm64, MOMENT, Operand::Memory(row));
            }
            Base::None => {}
        }
    }

    /// Goes to `not` unless the base of each lane is the first one's and its number times `distance`.
    fn if_like(&mut self, way: &Way<'_>, distance: u64, not: Label) {
        let (wide, row, number) = match way.base {
            Base::Narrow(row, number) => (false, row, number),
            Base::Wide(row, number) => (true, row, number),
            Base::None => return self.asm.jump(C::Jmp_rel32_64, not),
        };
        let (add, equal) = if wide {
            (C::VEX_Vpaddq_ymm_ymm_ymmm256, C::VEX_Vpcmpeqq_ymm_ymm_ymmm256)
        } else {
            (C::VEX_Vpaddd_ymm_ymm_ymmm256, C::VEX_Vpcmpeqd_ymm_ymm_ymmm256)
        };
        let [all, t, ..] = way.own;
        for part in 0..if wide { 2 * PARTS } else { PARTS } {
            let base = self.base_part((row, number, wide), part);
            let to = if part == 0 { all } else { t };
            if distance == 0 {
                self.three(equal, to, MOMENT, base);
            } else {
                let lanes = self.multiples(wide, part, distance);
                self.three(add, to, MOMENT, lanes);
                self.three(equal, to, to, base);
            }
            if part != 0 {
                self.three(C::VEX_Vpand_ymm_ymm_ymmm256, all, all, t);
            }
        }
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EBP, all.ymm()));
        self.asm.put(I::with2(C::Cmp_rm32_imm32, R::EBP, 0xff));
        self.asm.jump(C::Jne_rel32_64, not);
    }

    /// Lane numbers of a part times a distance.
    fn multiples(&mut self, wide: bool, part: u8, distance: u64) -> Operand {
        let lane = |i: u64| (i * distance) & 0xffff_ffff;
        let row = std::array::from_fn(|i| {
            let i = i as u64;
            if wide {
                (4 * u64::from(part) + i) * distance
            } else {
                let first = 8 * u64::from(part) + 2 * i;
                lane(first) | lane(first + 1) << 32
            }
        });
        self.row(row)
    }

    /// A part of a base.
    fn base_part(
        &self,
        (row, number, wide): (MemoryOperand, Option<u32>, bool),
        part: u8,
    ) -> Operand {
        let key = number.map(|i| if wide { Key::Wide(i, part) } else { Key::Narrow(i, part) });
        let held = key.and_then(|key| self.values.position(key));
        held.map_or_else(
            || Operand::Memory(moved(row, usize::from(part) * LANES_SIZE)),
            Operand::Register,
        )
    }

    /// Whether [`Self::all_offsets`] has code for an access.
    pub(super) fn has_offsets(way: &Way<'_>) -> bool {
        matches!(way.total, 4 | 8)
            && way.access.space != Space::Local
            && !matches!(way.base, Base::None)
            && way.access.offset.is_multiple_of(way.total as u64)
    }

    /// What an address is made of by [`Self::all_offsets`]'s offsets, in `r12`.
    pub(super) fn origin_in_r12(&mut self, way: &Way<'_>) {
        let origin = self.origin(way);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, origin));
    }

    /// The offsets of all 32 lanes, which take part, go to a scratch row, if they may be reached; else it leaves.
    /// True: they have 64 bits.
    pub(super) fn all_offsets(&mut self, way: &Way<'_>) -> bool {
        let [all, t, limit, add, bits] = way.own;
        let (wide, row, number) = match way.base {
            Base::Wide(row, number) => (true, row, number),
            Base::Narrow(row, number) => (false, row, number),
            Base::None => return false,
        };
        self.ready_to_compare(way, wide);
        let one_less = way.total as u64 - 1;
        for part in 0..if wide { 2 * PARTS } else { PARTS } {
            let base = self.base_part((row, number, wide), part);
            let offset = at(R::RDI, Frame::scratch(OFFSET_ROW) + usize::from(part) * LANES_SIZE);
            let to = if part == 0 { all } else { MOMENT };
            if wide {
                let sign = self.wide_number(1 << 63);
                self.three(C::VEX_Vpaddq_ymm_ymm_ymmm256, t, add, base);
                self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, MOMENT, t, sign);
                self.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, to, limit, MOMENT);
                let code = if part == 0 { None } else { Some(C::VEX_Vpor_ymm_ymm_ymmm256) };
                match code {
                    Some(code) => self.three(code, bits, bits, base),
                    None => self.two(MOVE, bits, base),
                }
            } else {
                let mask = self.number(!(one_less as u32));
                self.three(C::VEX_Vpaddd_ymm_ymm_ymmm256, t, add, base);
                self.three(C::VEX_Vpminud_ymm_ymm_ymmm256, MOMENT, t, limit);
                self.three(C::VEX_Vpand_ymm_ymm_ymmm256, MOMENT, MOMENT, mask);
                self.three(C::VEX_Vpcmpeqd_ymm_ymm_ymmm256, to, t, MOMENT);
            }
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, offset, t.ymm()));
            if part != 0 {
                self.three(C::VEX_Vpand_ymm_ymm_ymmm256, all, all, MOMENT);
            }
        }
        self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, all.ymm()));
        self.asm.put(I::with2(C::Cmp_rm32_imm32, R::EAX, 0xff));
        self.asm.jump(C::Jne_rel32_64, way.out);
        if wide {
            let mask = self.wide_number(one_less);
            self.two(C::VEX_Vptest_ymm_ymmm256, bits, mask);
            self.asm.jump(C::Jne_rel32_64, way.out);
        }
        wide
    }

    /// What is added to a base, and what the sum is compared with.
    fn ready_to_compare(&mut self, way: &Way<'_>, wide: bool) {
        let [_, _, limit, add, _] = way.own;
        let most = self.limit(way);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, most));
        if wide {
            // Unsigned numbers are in the order of signed ones with the other sign.
            self.asm.put(I::with2(C::Btc_rm64_imm8, R::RAX, 63));
            self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, limit.xmm(), R::RAX));
            let broadcast = C::VEX_Vpbroadcastq_ymm_xmmm64;
            self.asm.put(I::with2(broadcast, limit.ymm(), limit.xmm()));
            if way.access.space == Space::Global {
                let from = Operand::Memory(site(way.access, offset_of!(Site, add)));
                self.two(broadcast, add, from);
            } else {
                let offset = self.wide_number(way.access.offset);
                self.two(MOVE, add, offset);
            }
        } else {
            // The last one that may be reached.
            self.asm.put(I::with2(C::Sub_rm64_imm8, R::RAX, 1));
            self.asm.jump(C::Jb_rel32_64, way.out);
            self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, limit.xmm(), R::EAX));
            let broadcast = C::VEX_Vpbroadcastd_ymm_xmmm32;
            self.asm.put(I::with2(broadcast, limit.ymm(), limit.xmm()));
            let offset = self.number(way.access.offset as u32);
            self.two(MOVE, add, offset);
        }
    }
}
