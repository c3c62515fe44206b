//! Loads and stores: whether they can be made, and of what shape they are.
//!
//! What lanes access goes through *pieces* ([`Pieces`]): dwords of 32 lanes, or qwords where a lane has 8 bytes or
//! more. The way to memory is one of three: lanes one behind the other in vectors, one number for all, or each lane
//! by itself.

#![allow(clippy::needless_range_loop, reason = "a part indexes several arrays at once")]

use super::load::{LOAD, STORE};
use super::pieces::Pieces;
use super::{Guard, MOMENT, MOMENT_K, Maker};
use crate::block::{Predicate, Source};
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::stub::Reason;
use crate::emit::values::Reg;
use crate::machine::{Mode, Site};
use crate::region::{Access, Load, Space, Step, Store};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The active lanes of the step.
const ACTIVE: R = R::EBP;
/// Where the memory begins that all lanes access.
const HOST: R = R::RBX;
/// Vectors of a number for each lane: of 64 or of 32 bits.
const PARTS: [usize; 2] = [2, 4];

/// What an access needs to have at hand before its first jump.
pub(super) struct Way {
    access: Access,
    total: u64,
    stores: bool,
    /// Whether offsets have 64 bits.
    pub(super) wide: bool,
    /// The base by parts, and the offsets of lanes from the beginning of the memory.
    bases: Vec<Reg>,
    pub(super) offsets: Vec<Reg>,
    moment: Reg,
    masks: [Reg; 2],
    /// Where it leaves.
    out: Label,
}

impl Maker<'_> {
    /// A number of each lane, by a step, in the pool.
    fn multiples(&mut self, step: u64, part: usize, wide: bool) -> usize {
        let numbers: [u64; 8] = std::array::from_fn(|i| {
            let i = i as u64;
            if wide {
                (8 * part as u64 + i) * step
            } else {
                let first = 16 * part as u64 + 2 * i;
                (first * step) | (((first + 1) * step) << 32)
            }
        });
        self.pooled(&numbers)
    }

    /// The lanes that take the step, as a number.
    pub(super) fn active(&mut self, guard: Predicate) {
        match guard {
            Predicate::Always => self.asm.put(I::with2(C::Mov_r32_rm32, ACTIVE, R::R8D)),
            guard => {
                self.lanes_of(guard, ACTIVE);
                self.asm.put(I::with2(C::And_r32_rm32, ACTIVE, R::R8D));
            }
        }
    }

    /// A load that may leave.
    pub(super) fn load_step(&mut self, step: &Step, load: &Load) -> Option<()> {
        self.active(step.guard);
        let mut pieces = Pieces::new(self, &load.access);
        if !self.is_possible(&load.access, false) {
            self.leave_here(step);
            return Some(());
        }
        self.access(step, &load.access, &mut pieces, false)?;
        let mut guard = self.guard(step.guard);
        self.take_elements(load, &pieces, &mut guard)
    }

    /// A store that may leave.
    pub(super) fn store_step(&mut self, step: &Step, store: &Store) -> Option<()> {
        self.active(step.guard);
        if !self.is_possible(&store.access, true) {
            self.leave_here(step);
            return Some(());
        }
        let mut pieces = self.make_pieces(store)?;
        self.access(step, &store.access, &mut pieces, true)
    }

    /// The interpreter does it.
    pub(super) fn leave_here(&mut self, step: &Step) {
        let out = self.way_out(Reason::Instruction, step.at);
        self.asm.jump(C::Jmp_rel32_64, out);
    }

    /// Whether there is code for an access.
    pub(super) fn is_possible(&self, access: &Access, stores: bool) -> bool {
        let total = u64::from(access.size) * u64::from(access.count);
        let known = matches!(access.size, 1 | 2 | 4 | 8) && total.is_power_of_two() && total <= 32;
        known
            && match access.space {
                Space::Global => access.base.is_none_or(is_wide),
                Space::Shared => access.base.is_some() || access.offset < 1 << 31,
                Space::Local => access.base.is_some_and(|b| !is_wide(b)) && (total >= 4 || !stores),
                Space::Frame | Space::Param => false,
            }
    }

    /// All that an access needs; addresses of 64 bits in a smaller memory have been looked at behind it.
    pub(super) fn way(&mut self, step: &Step, access: &Access, stores: bool) -> Option<Way> {
        let base = access.base.unwrap_or(Source::Literal(0));
        let long = access.space == Space::Global || is_wide(base) && access.base.is_some();
        let mut bases = Vec::new();
        for part in 0..PARTS[usize::from(long)] {
            let part = part as u8;
            bases.push(if long { self.wide(base, part)? } else { self.narrow(base, part)? });
        }
        let wide = access.space == Space::Global;
        let offsets = (0..PARTS[usize::from(wide)]).map(|_| self.temporary()).collect();
        let short =
            if long && !wide { vec![self.temporary(), self.temporary()] } else { Vec::new() };
        let (moment, masks) = (self.temporary(), [self.temporary_mask(), self.temporary_mask()]);
        let why = match access.space {
            Space::Global => Reason::Site(access.site),
            _ => Reason::Instruction,
        };
        let out = self.way_out(why, step.at);
        let total = u64::from(access.size) * u64::from(access.count);
        let mut way =
            Way { access: *access, total, stores, wide, bases, offsets, moment, masks, out };
        if long && !wide {
            self.shorten(&mut way, short);
        }
        Some(way)
    }

    fn access(
        &mut self,
        step: &Step,
        access: &Access,
        pieces: &mut Pieces,
        stores: bool,
    ) -> Option<()> {
        let way = self.way(step, access, stores)?;
        let same = !is_by_lane(access.base.unwrap_or(Source::Literal(0)));
        let (done, each, other) = (self.asm.label(), self.asm.label(), self.asm.label());
        let known = access.space != Space::Local;
        if known && same && !stores {
            self.one(&way, pieces);
            self.drop_way(&way);
            return Some(());
        }
        if known && !same && way.total <= 16 {
            self.asm.put(I::with2(C::Cmp_rm32_imm8, ACTIVE, -1));
            self.asm.jump(C::Jne_rel32_64, each);
            self.row(&way, pieces, other, each);
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(other);
            if !stores {
                self.differs(&way, None, each);
                self.one(&way, pieces);
                self.asm.jump(C::Jmp_rel32_64, done);
            }
        }
        self.asm.bind(each);
        self.checks(&way);
        self.each(&way, pieces);
        self.asm.bind(done);
        self.drop_way(&way);
        Some(())
    }

    fn drop_way(&mut self, way: &Way) {
        way.masks.iter().chain(&way.offsets).for_each(|&reg| self.values.release(reg));
        self.values.release(way.moment);
    }

    /// Addresses of 64 bits in a memory that is smaller: their upper halves must be zero.
    fn shorten(&mut self, way: &mut Way, bases: Vec<Reg>) {
        let upper = self.wide_number(0xffff_ffff_0000_0000);
        let offset = self.wide_number(way.access.offset);
        let sums = [way.moment, MOMENT];
        for part in 0..2 {
            for half in 0..2 {
                let sum = sums[half];
                self.three(
                    C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
                    sum.z(),
                    way.bases[2 * part + half],
                    offset,
                );
                let k = way.masks[half].k();
                self.three(C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, k, sum, upper);
                self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, sum.y(), sum.z()));
            }
            let [low, high] = way.masks.map(Reg::k);
            self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, low, high, low));
            let active = if part == 0 { R::EBP } else { R::EAX };
            self.asm.put(I::with2(C::VEX_Kmovw_r32_kr, R::R12D, low));
            self.asm.put(I::with1(C::Not_rm32, R::R12D));
            if part == 1 {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, ACTIVE));
                self.asm.put(I::with2(C::Shr_rm32_imm8, R::EAX, 16));
            }
            self.asm.put(I::with2(C::Test_rm16_r16, R::R12W, low_word(active)));
            self.asm.jump(C::Jne_rel32_64, way.out);
            let to = bases[part];
            let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
            self.asm.put(I::with4(insert, to.z(), sums[0].z(), sums[1].y(), 1_u32));
        }
        // From here on they are bases of 32 bits without an offset.
        way.bases = bases;
        way.access.offset = 0;
    }

    /// Jumps if the lanes do not lie `step` apart (none: have the same address).
    fn differs(&mut self, way: &Way, step: Option<u64>, to: Label) {
        let wide = way.wide;
        let (sub, xor, both, spread_code, test) = if wide {
            (
                C::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64,
                C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
                C::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8,
                C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
                C::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
            )
        } else {
            (
                C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
                C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
                C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8,
                C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
                C::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32,
            )
        };
        let (any, first) = (way.moment, MOMENT);
        self.asm.put(I::with2(spread_code, first.z(), way.bases[0].x()));
        for (part, &base) in way.bases.iter().enumerate() {
            let mut from = base;
            if let Some(step) = step {
                let steps = at(R::R9, self.multiples(step, part, wide));
                from = way.offsets[part];
                self.asm.put(I::with3(sub, from.z(), base.z(), steps));
            }
            if part == 0 {
                self.asm.put(I::with3(xor, any.z(), from.z(), first.z()));
            } else {
                // any, or what differs here
                self.asm.put(I::with4(both, any.z(), from.z(), first.z(), 0xf6_u32));
            }
        }
        self.asm.put(I::with3(test, MOMENT_K, any.z(), any.z()));
        self.asm.put(I::with2(C::VEX_Kortestw_kr_kr, MOMENT_K, MOMENT_K));
        self.asm.jump(C::Jne_rel32_64, to);
    }

    /// `rax` becomes the offset of the first lane; it leaves if that is not a multiple of the size.
    fn first(&mut self, way: &Way) {
        let offset = way.access.offset;
        if way.wide {
            self.asm.put(I::with2(C::EVEX_Vmovq_rm64_xmm, R::RAX, way.bases[0].x()));
            if way.total > 1 {
                let mut tested = R::AL;
                if !offset.is_multiple_of(way.total) {
                    self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EAX));
                    self.asm.put(I::with2(C::Add_rm32_imm32, R::R12D, offset as i32));
                    tested = R::R12L;
                }
                self.asm.put(I::with2(C::Test_rm8_imm8, tested, way.total as i32 - 1));
                self.asm.jump(C::Jne_rel32_64, way.out);
            }
            let add = site(way, offset_of!(Site, add));
            self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, add));
            return;
        }
        self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, R::EAX, way.bases[0].x()));
        if offset != 0 {
            self.asm.put(I::with2(C::Add_rm32_imm32, R::EAX, offset as i32));
        }
        if way.total > 1 {
            self.asm.put(I::with2(C::Test_rm8_imm8, R::AL, way.total as i32 - 1));
            self.asm.jump(C::Jne_rel32_64, way.out);
        }
    }

    /// Adds where the memory begins to `rax`.
    fn add_host(&mut self, way: &Way) {
        let host = host(way);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, host));
    }

    /// All 32 lanes one behind the other, if they lie so: else on at `other`, or `each` near the end.
    fn row(&mut self, way: &Way, pieces: &Pieces, other: Label, each: Label) {
        self.differs(way, Some(way.total), other);
        self.first(way);
        if way.wide {
            let rows = site(way, offset_of!(Site, rows));
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, rows));
        } else {
            let end = MemoryOperand::with_base_displ(R::RAX, 31 * way.total as i64);
            self.asm.put(I::with2(C::Lea_r64_m, R::R12, end));
            let limit = limit(way, way.total);
            self.asm.put(I::with2(C::Cmp_r64_rm64, R::R12, limit));
        }
        self.asm.jump(C::Jae_rel32_64, each);
        self.add_host(way);
        self.row_of_pieces(pieces, way.total, way.stores, way.moment);
    }

    /// One number for all lanes, whose offset is that of the first.
    fn one(&mut self, way: &Way, pieces: &Pieces) {
        self.first(way);
        let limit =
            if way.wide { site(way, offset_of!(Site, limit)) } else { limit(way, way.total) };
        self.asm.put(I::with2(C::Cmp_r64_rm64, R::RAX, limit));
        self.asm.jump(C::Jae_rel32_64, way.out);
        self.add_host(way);
        self.one_piece(pieces, way.total);
    }

    /// Offsets of all lanes; it leaves if an active one is outside or not a multiple of the size.
    pub(super) fn checks(&mut self, way: &Way) {
        let low = way.total - 1;
        let offset = way.access.offset;
        let small = !way.stores && way.total < 4 && way.access.space == Space::Shared;
        let bytes = if small { 4 } else { way.total };
        for part in 0..PARTS[usize::from(way.wide)] {
            let (base, to) = (way.bases[part], way.offsets[part]);
            if way.wide {
                let k = if part % 2 == 0 { MOMENT_K } else { way.masks[part / 2].k() };
                let mut tested = base;
                if low != 0 && !offset.is_multiple_of(way.total) {
                    let offset = self.wide_number(offset);
                    self.three(C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, MOMENT.z(), base, offset);
                    tested = MOMENT;
                }
                let add = spread_of(site(way, offset_of!(Site, add)));
                let limit = spread_of(site(way, offset_of!(Site, limit)));
                let compare = C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8;
                self.asm.put(I::with3(
                    C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
                    to.z(),
                    base.z(),
                    add,
                ));
                if low == 0 {
                    self.asm.put(I::with4(compare, k, to.z(), limit, 1_u32));
                } else {
                    let low = self.wide_number(low);
                    self.three(C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, k, tested, low);
                    self.asm.put_masked(k, I::with4(compare, k, to.z(), limit, 1_u32));
                }
                if part % 2 == 1 {
                    self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, k, k, MOMENT_K));
                }
                continue;
            }
            if offset == 0 {
                self.asm.put(I::with2(super::float::MOVE, to.z(), base.z()));
            } else {
                let offset = self.number(offset as u32);
                self.three(C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, to.z(), base, offset);
            }
            let limit = spread_of(limit(way, bytes));
            let compare = C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
            let k = if part == 0 { MOMENT_K } else { way.masks[0].k() };
            if low == 0 {
                self.asm.put(I::with4(compare, k, to.z(), limit, 1_u32));
            } else {
                let low = self.number(low as u32);
                self.three(C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, k, to, low);
                self.asm.put_masked(k, I::with4(compare, k, to.z(), limit, 1_u32));
            }
        }
        let [low, high] = way.masks.map(Reg::k);
        if way.wide {
            self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        } else {
            self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, low, MOMENT_K));
        }
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, low));
        self.asm.put(I::with1(C::Not_rm32, R::EAX));
        self.asm.put(I::with2(C::Test_rm32_r32, R::EAX, ACTIVE));
        self.asm.jump(C::Jne_rel32_64, way.out);
    }

    /// Each active lane by itself, at its offset.
    fn each(&mut self, way: &Way, pieces: &Pieces) {
        let host = host(way);
        self.asm.put(I::with2(C::Mov_r64_rm64, HOST, host));
        let active = way.masks[0].k();
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, active, ACTIVE));
        if way.access.space == Space::Local {
            return self.each_of_local(way, pieces);
        }
        if way.stores && way.total < 4 {
            return self.each_small(way, pieces);
        }
        match pieces {
            Pieces::Dwords(dwords) if way.wide => {
                for part in 0..4_u8 {
                    let (whole, offset) =
                        (dwords[0][usize::from(part / 2)], way.offsets[usize::from(part)]);
                    let memory = MemoryOperand::with_base_index(HOST, offset.z());
                    self.shift_mask(MOMENT_K, active, 8 * part);
                    if way.stores {
                        let extract = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                        self.asm.put(I::with3(extract, MOMENT.y(), whole.z(), u32::from(part % 2)));
                        let scatter = C::EVEX_Vpscatterqd_vm64z_k1_ymm;
                        self.asm.put_masked(MOMENT_K, I::with2(scatter, memory, MOMENT.y()));
                        continue;
                    }
                    let to = if part % 2 == 0 { whole } else { MOMENT };
                    self.zero(to);
                    let gather = C::EVEX_Vpgatherqd_ymm_k1_vm64z;
                    self.asm.put_masked(MOMENT_K, I::with2(gather, to.y(), memory));
                    if part % 2 == 1 {
                        let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
                        self.asm.put(I::with4(insert, whole.z(), whole.z(), MOMENT.y(), 1_u32));
                    }
                }
            }
            Pieces::Dwords(dwords) => {
                for part in 0..2_u8 {
                    let offset = way.offsets[usize::from(part)];
                    let memory = MemoryOperand::with_base_index(HOST, offset.z());
                    self.shift_mask(MOMENT_K, active, 16 * part);
                    self.lanes_of_dwords(dwords[0][usize::from(part)], memory, way.stores);
                }
            }
            Pieces::Qwords(qwords) => {
                for (j, parts) in qwords.iter().enumerate() {
                    for (part, &piece) in parts.iter().enumerate() {
                        self.qword_of_lanes(way, piece, j, part);
                    }
                }
            }
        }
    }

    fn lanes_of_dwords(&mut self, piece: Reg, memory: MemoryOperand, stores: bool) {
        if stores {
            let scatter = C::EVEX_Vpscatterdd_vm32z_k1_zmm;
            self.asm.put_masked(MOMENT_K, I::with2(scatter, memory, piece.z()));
        } else {
            self.zero(piece);
            let gather = C::EVEX_Vpgatherdd_zmm_k1_vm32z;
            self.asm.put_masked(MOMENT_K, I::with2(gather, piece.z(), memory));
        }
    }

    fn qword_of_lanes(&mut self, way: &Way, piece: Reg, j: usize, part: usize) {
        self.shift_mask(MOMENT_K, way.masks[0].k(), 8 * part as u8);
        let displacement = 8 * j as i64;
        let memory = |index| {
            MemoryOperand::with_base_index_scale_displ_size(HOST, index, 1, displacement, 1)
        };
        let (index, scatter, gather) = if way.wide {
            let index = way.offsets[part].z();
            (index, C::EVEX_Vpscatterqq_vm64z_k1_zmm, C::EVEX_Vpgatherqq_zmm_k1_vm64z)
        } else {
            let mut index = way.offsets[part / 2];
            if part % 2 == 1 {
                let extract = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                self.asm.put(I::with3(extract, MOMENT.y(), index.z(), 1_u32));
                index = MOMENT;
            }
            (index.y(), C::EVEX_Vpscatterdq_vm32y_k1_zmm, C::EVEX_Vpgatherdq_zmm_k1_vm32y)
        };
        if way.stores {
            self.asm.put_masked(MOMENT_K, I::with2(scatter, memory(index), piece.z()));
        } else {
            self.zero(piece);
            self.asm.put_masked(MOMENT_K, I::with2(gather, piece.z(), memory(index)));
        }
    }

    /// Stores of 1 or 2 bytes, lane by lane.
    fn each_small(&mut self, way: &Way, pieces: &Pieces) {
        let Pieces::Dwords(dwords) = pieces else { return };
        for (part, offset) in way.offsets.iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(0) + 64 * part);
            self.asm.put(I::with2(STORE, to, offset.z()));
        }
        for (part, piece) in dwords[0].iter().enumerate() {
            let to = at(R::RDI, Frame::scratch(1) + 64 * part);
            self.asm.put(I::with2(STORE, to, piece.z()));
        }
        let (next, end) = (self.asm.label(), self.asm.label());
        let scaled = |row, scale| {
            let at = Frame::scratch(row) as i64;
            MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::R13, scale, at, 8)
        };
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, ACTIVE));
        self.asm.bind(next);
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::R13D, R::R12D));
        self.asm.jump(C::Jb_rel32_64, end);
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::R12D, R::R12D));
        if way.wide {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, scaled(0, 8)));
        } else {
            self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, scaled(0, 4)));
        }
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, scaled(1, 4)));
        let to = MemoryOperand::with_base_index(HOST, R::RAX);
        if way.total == 1 {
            self.asm.put(I::with2(C::Mov_rm8_r8, to, R::R14L));
        } else {
            self.asm.put(I::with2(C::Mov_rm16_r16, to, R::R14W));
        }
        self.asm.jump(C::Jmp_rel32_64, next);
        self.asm.bind(end);
    }

    /// In local memory a lane's words lie 128 bytes apart.
    fn each_of_local(&mut self, way: &Way, pieces: &Pieces) {
        let Pieces::Dwords(dwords) = pieces else { return };
        let shift = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
        let left = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
        for part in 0..2_u8 {
            let offset = way.offsets[usize::from(part)];
            let lanes = at(R::R9, self.lane_numbers(part));
            if way.total < 4 {
                // Which bytes of the word: three bits of a shift.
                let low = self.number(3);
                self.three(C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, way.moment.z(), offset, low);
                self.asm.put(I::with3(left, way.moment.z(), way.moment.z(), 3_u32));
            }
            self.asm.put(I::with3(shift, offset.z(), offset.z(), 2_u32));
            self.asm.put(I::with3(left, offset.z(), offset.z(), 5_u32));
            let add = C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32;
            self.asm.put(I::with3(add, offset.z(), offset.z(), lanes));
            for (i, piece) in dwords.iter().enumerate() {
                let memory = MemoryOperand::with_base_index_scale_displ_size(
                    HOST,
                    offset.z(),
                    4,
                    128 * i as i64,
                    1,
                );
                self.shift_mask(MOMENT_K, way.masks[0].k(), 16 * part);
                let piece = piece[usize::from(part)];
                self.lanes_of_dwords(piece, memory, way.stores);
                if way.total < 4 {
                    let shift = C::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32;
                    self.asm.put(I::with3(shift, piece.z(), piece.z(), way.moment.z()));
                }
            }
        }
    }

    fn zero(&mut self, z: Reg) {
        self.asm.put(I::with3(C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, z.z(), z.z(), z.z()));
    }

    /// A load that never leaves: of the running frame, or of parameters.
    pub(super) fn known_load(&mut self, load: &Load, guard: &mut Option<Guard>) -> Option<()> {
        let pieces = Pieces::new(self, &load.access);
        let (access, offset) = (&load.access, load.access.offset as usize);
        let Pieces::Dwords(dwords) = &pieces else { return None };
        let field = if access.space == Space::Frame { Frame::FRAME } else { Frame::BYTES };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        for (i, piece) in dwords.iter().enumerate() {
            let total = usize::from(access.size * access.count);
            for (part, to) in piece.iter().enumerate() {
                if access.space == Space::Frame {
                    let row = at(R::RAX, (offset / 4 + i) * 128 + 64 * part);
                    self.asm.put(I::with2(LOAD, to.z(), row));
                    let shift = 8 * (offset % 4) as u32;
                    if shift != 0 && total < 4 {
                        let code = C::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8;
                        self.asm.put(I::with3(code, to.z(), to.z(), shift));
                    }
                } else if part == 1 {
                    self.asm.put(I::with2(super::float::MOVE, to.z(), piece[0].z()));
                } else if total >= 4 {
                    let from = at(R::RAX, offset + 4 * i);
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, to.z(), from));
                } else {
                    let code = if total == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
                    self.asm.put(I::with2(code, R::EBX, at(R::RAX, offset)));
                    self.asm.put(I::with2(C::EVEX_Vpbroadcastd_zmm_k1z_r32, to.z(), R::EBX));
                }
            }
        }
        self.take_elements(load, &pieces, guard)
    }

    /// A store to the running frame.
    pub(super) fn known_store(&mut self, step: &Step, store: &Store) -> Option<()> {
        let (access, offset) = (&store.access, store.access.offset as usize);
        let Pieces::Dwords(dwords) = self.make_pieces(store)? else { return None };
        let all = self.mode == Mode::Live && step.guard == Predicate::Always;
        let (k, moment) = (self.temporary_mask(), self.temporary());
        if !all {
            self.active(step.guard);
            self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, k.k(), ACTIVE));
        }
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::FRAME)));
        let total = usize::from(access.size) * usize::from(access.count);
        for (i, piece) in dwords.iter().enumerate() {
            for (part, &from) in piece.iter().enumerate() {
                let row = at(R::RAX, (offset / 4 + i) * 128 + 64 * part);
                let mut value = from;
                if total < 4 {
                    // A part of the word: the rest stays.
                    let shift = 8 * (offset % 4) as u32;
                    let bits = (u32::MAX >> (32 - 8 * total)) << shift;
                    self.asm.put(I::with2(LOAD, moment.z(), row));
                    let code = C::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8;
                    self.asm.put(I::with3(code, MOMENT.z(), from.z(), shift));
                    let bits = self.number(bits);
                    // Of the word where the bits have zeros, else of the value.
                    let select = C::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8;
                    self.three_with(select, moment.z(), MOMENT, bits, 0xd8);
                    value = moment;
                }
                if !all {
                    // Not a masked store: what follows would have to wait for it.
                    self.shift_mask(MOMENT_K, k.k(), 16 * part as u8);
                    self.asm.put(I::with2(LOAD, MOMENT.z(), row));
                    self.merge(MOMENT, value, MOMENT_K, false);
                    value = MOMENT;
                }
                self.asm.put(I::with2(STORE, row, value.z()));
            }
        }
        Some(())
    }
}

/// Whether a source has 64 bits: a number does here.
fn is_wide(source: Source) -> bool {
    matches!(
        source,
        Source::Wide(_)
            | Source::WideConstant(_)
            | Source::Bytes64(_)
            | Source::FrameAt
            | Source::Literal(_)
    )
}

/// Whether lanes may have different numbers.
pub(super) fn is_by_lane(source: Source) -> bool {
    matches!(source, Source::Wide(_) | Source::Narrow(_) | Source::Row(_) | Source::Lane)
}

fn low_word(register: R) -> R {
    if register == R::EBP { R::BP } else { R::AX }
}

/// A field of the site of an access.
fn site(way: &Way, field: usize) -> MemoryOperand {
    at(R::R15, way.access.site as usize * size_of::<Site>() + field)
}

/// Below what the offset of an access of so many bytes must be.
fn limit(way: &Way, bytes: u64) -> MemoryOperand {
    let field =
        if way.access.space == Space::Shared { Frame::SHARED_LIMITS } else { Frame::LOCAL_LIMITS };
    at(R::RDI, field + 8 * bytes.trailing_zeros() as usize)
}

pub(super) fn host(way: &Way) -> MemoryOperand {
    match way.access.space {
        Space::Shared => at(R::RDI, Frame::SHARED),
        Space::Local => at(R::RDI, Frame::LOCAL),
        _ => site(way, offset_of!(Site, host)),
    }
}

fn spread_of(memory: MemoryOperand) -> MemoryOperand {
    MemoryOperand { is_broadcast: true, ..memory }
}
