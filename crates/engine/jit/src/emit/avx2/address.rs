//! Operands of memory accesses: how the addresses of the lanes are formed, and the limits that they
//! are compared with.
//!
//! Vector code loads and stores the data of 8 lanes at once where it is contiguous. Otherwise the
//! data of each lane is copied to or from scratch registers of the frame, and vector code accesses
//! these. In both cases a slot of the frame holds the address of each part's data.

use super::{Avx2Emitter, LANES_SIZE, PARTS};
use crate::emit::affine::Affine;
use crate::emit::asm::{Label, at};
use crate::emit::backend;
use crate::emit::register_cache::{Key, Reg};
use crate::emit::vector::register_file;
use crate::frame::Frame;
use crate::machine::Site;
use crate::operand::{Predicate, Source, VReg};
use crate::region::ExitReason;
use crate::region::{Access, Space};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The scratch register for a base that is not a register, and the first scratch register of data,
/// of which a lane takes up to 32 bytes.
pub(super) const BASE_ROW: usize = 0;
/// The scratch register for offsets, for accesses of up to 16 bytes.
pub(super) const OFFSET_ROW: usize = 4;
pub(super) const DATA_ROW: usize = 1;

/// How the base addresses of the lanes are given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The access has no base, because its address is constant.
    None,
    /// A 32-bit register: where it is in memory, and its number.
    B32(MemoryOperand, Option<u32>),
    /// A 64-bit register: where it is in memory, and its number.
    B64(MemoryOperand, Option<u32>),
    /// An affine base: a uniform value plus a scaled 32-bit index per lane.
    Affine(Affine),
    /// A uniform base. The flag says whether it has 64 bits.
    One(Source, bool),
}

/// An access, prepared for emission.
pub(in crate::emit) struct MemAccess {
    pub(super) access: Access,
    pub(super) base: Base,
    /// Bytes that each lane accesses.
    pub(super) total: usize,
    /// The difference between the bases (or indices) of adjacent lanes if their addresses are
    /// contiguous.
    pub(super) unit: usize,
    /// The exit before the step.
    pub(super) out: Label,
    /// Vector registers that are reserved for the access until its alternative paths have joined.
    pub(super) own: [Reg; 6],
    /// Whether no address of the access is valid, so that the code always exits.
    pub(super) never: bool,
    pub(super) guard: Predicate,
}

/// Whether the back end supports an access of this size and count.
pub(super) fn is_supported(access: &Access) -> bool {
    let powers = access.size.is_power_of_two() && access.count.is_power_of_two();
    let total = u32::from(access.size) * u32::from(access.count);
    let somewhere = !matches!(access.space, Space::Frame | Space::Param);
    powers && access.size <= 8 && total <= 32 && somewhere
}

/// The memory operand of the data of lane `rbp`, in scratch registers at `r13` with `total` bytes
/// per lane. May use `r12`.
pub(super) fn data_of_lane(e: &mut Avx2Emitter<'_>, total: usize) -> MemoryOperand {
    if total <= 8 {
        return MemoryOperand::with_base_index_scale(R::R13, R::RBP, total as u32);
    }
    e.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EBP));
    e.asm.put(I::with2(C::Shl_rm32_imm8, R::R12D, total.trailing_zeros()));
    MemoryOperand::with_base_index(R::R13, R::R12)
}

impl Avx2Emitter<'_> {
    /// Prepares an access whose address may differ between lanes.
    pub(super) fn mem_access(
        &mut self,
        access: &Access,
        guard: Predicate,
        number: u32,
    ) -> MemAccess {
        let known = self.facts.plans.get(self.block).and_then(|plan| plan.get(self.step));
        let base = match known.and_then(|known| known.base) {
            Some(value) => {
                self.base(Source::B32(value.index));
                Base::Affine(value)
            }
            None => access.base.map_or(Base::None, |source| self.base(source)),
        };
        self.access_with_base(base, access, guard, number)
    }

    /// Prepares an access with a uniform address.
    pub(super) fn uniform_access(
        &mut self,
        access: &Access,
        guard: Predicate,
        number: u32,
    ) -> MemAccess {
        let base = access.base.map_or(Base::None, |source| Base::One(source, is_wide(source)));
        self.access_with_base(base, access, guard, number)
    }

    fn access_with_base(
        &mut self,
        base: Base,
        access: &Access,
        guard: Predicate,
        number: u32,
    ) -> MemAccess {
        let total = usize::from(access.size) * usize::from(access.count);
        let why = match access.space {
            Space::Global => ExitReason::Site(access.site),
            _ => ExitReason::Instruction,
        };
        let own = std::array::from_fn(|_| self.temporary());
        let out = self.exit_stub(why, number);
        let never = match access.space {
            // Global addresses have 64 bits, so a base of 32 bits is not possible.
            Space::Global => matches!(base, Base::B32(..) | Base::One(_, false)),
            // These spaces are handled elsewhere; stores to parameters do not exist.
            Space::Frame | Space::Param => true,
            Space::Shared | Space::Local => false,
        };
        if never {
            self.asm.jump(C::Jmp_rel32_64, out);
        }
        let unit = if let Base::Affine(value) = base { total >> value.shift } else { total };
        MemAccess { access: *access, base, total, unit, out, own, never, guard }
    }

    /// Loads the mask of lanes that execute the step into `ebx`.
    pub(super) fn load_executing(&mut self, mem: &MemAccess) {
        self.lanes_taken(mem.guard, R::EBX);
    }

    /// Whether the register file has the current value of the base register.
    pub(super) fn is_in_register_file(&self, mem: &MemAccess) -> bool {
        let vreg = match mem.base {
            Base::B32(_, Some(i)) | Base::Affine(Affine { index: i, .. }) => VReg::B32(i),
            Base::B64(_, Some(i)) => VReg::B64(i),
            _ => return true,
        };
        Key::all::<super::Avx2>(vreg).all(|key| self.is_stored(key))
    }

    /// The base of an access, whose register must be stored by [`Self::spill`] before it is read
    /// from memory.
    fn base(&mut self, source: Source) -> Base {
        let vreg = match source {
            Source::B32(i) => VReg::B32(i),
            Source::B64(i) => VReg::B64(i),
            other => return self.base_row(other),
        };
        for key in Key::all::<super::Avx2>(vreg) {
            if let Some(reg) = self.cache.position(key) {
                self.canonical(reg);
            }
        }
        match vreg {
            VReg::B32(i) => Base::B32(register_file::<super::Avx2>(Key::B32(i, 0)), Some(i)),
            VReg::B64(i) | VReg::Predicate(i) => {
                Base::B64(register_file::<super::Avx2>(Key::B64(i, 0)), Some(i))
            }
        }
    }

    /// Stores the base register for code that reads it from memory lane by lane. Only one of
    /// several paths does this, so that the register cache must not record the store.
    pub(super) fn spill(&mut self, mem: &MemAccess) {
        if Self::has_offsets(mem) {
            return;
        }
        let vreg = match mem.base {
            Base::B32(_, Some(i)) | Base::Affine(Affine { index: i, .. }) => VReg::B32(i),
            Base::B64(_, Some(i)) => VReg::B64(i),
            _ => return,
        };
        for key in Key::all::<super::Avx2>(vreg) {
            if let Some(reg) = self.cache.position(key).filter(|_| !self.is_stored(key)) {
                self.store_key(reg, key);
            }
        }
    }

    fn base_row(&mut self, source: Source) -> Base {
        let row = Frame::scratch(BASE_ROW);
        let wide = is_wide(source);
        let parts = if wide { 2 * PARTS } else { PARTS };
        for part in 0..parts {
            let reg = if wide { self.wide(source, part) } else { self.narrow(source, part) };
            if let Some(reg) = reg {
                let to = at(R::RDI, row + usize::from(part) * LANES_SIZE);
                self.store(to, reg);
            }
            self.cache.unpin();
        }
        if wide { Base::B64(at(R::RDI, row), None) } else { Base::B32(at(R::RDI, row), None) }
    }

    /// Loads the base of lane 0, or zero if there is no base, into `rax`.
    pub(super) fn first(&mut self, mem: &MemAccess) {
        match mem.base {
            Base::None | Base::Affine(_) => {
                self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, R::EAX));
            }
            Base::B32(row, _) => self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, row)),
            Base::B64(row, _) => self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, row)),
            Base::One(source, wide) => self.scalar(source, wide),
        }
    }

    /// Loads a uniform value into `rax`.
    pub(super) fn scalar(&mut self, source: Source, wide: bool) {
        let (code, to) = if wide { (C::Mov_r64_rm64, R::RAX) } else { (C::Mov_r32_rm32, R::EAX) };
        let from = self.number_at(source, R::RAX);
        self.asm.put(I::with2(code, to, from));
    }

    /// Computes the address in `rax` from a lane's index in a general register.
    pub(super) fn base_of_index(&mut self, value: Affine, index: R, low: R) {
        if value.signed {
            self.asm.put(I::with2(C::Movsxd_r64_rm32, index, low));
        }
        self.asm.put(I::with2(C::Shl_rm64_imm8, index, u32::from(value.shift)));
        self.scalar(value.add, true);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, index));
    }

    /// The per-lane part of a base: its memory operand, its register, and whether it has 64 bits.
    pub(super) fn bases(mem: &MemAccess) -> Option<(MemoryOperand, Option<u32>, bool)> {
        match mem.base {
            Base::B32(row, number) => Some((row, number, false)),
            Base::B64(row, number) => Some((row, number, true)),
            Base::Affine(value) => Some((
                register_file::<super::Avx2>(Key::B32(value.index, 0)),
                Some(value.index),
                false,
            )),
            Base::None | Base::One(..) => None,
        }
    }

    /// The exclusive limit of a lane's offset.
    pub(super) fn limit(&self, mem: &MemAccess) -> MemoryOperand {
        let size = 8 * mem.total.trailing_zeros() as usize;
        match mem.access.space {
            Space::Shared => at(R::RDI, Frame::SHARED_LIMITS + size),
            Space::Local => at(R::RDI, Frame::LOCAL_LIMITS + size),
            _ => site(&mem.access, offset_of!(Site, limit)),
        }
    }

    /// The host address of offset 0.
    pub(super) fn origin(&self, mem: &MemAccess) -> MemoryOperand {
        match mem.access.space {
            Space::Shared => at(R::RDI, Frame::SHARED),
            Space::Local => at(R::RDI, Frame::LOCAL),
            _ => site(&mem.access, offset_of!(Site, host)),
        }
    }
}

/// The memory operand of a field of the access's site.
pub(super) fn site(access: &Access, field: usize) -> MemoryOperand {
    backend::site(access.site, field)
}

/// The memory operand `bytes` bytes after another.
pub(super) fn moved(mut memory: MemoryOperand, bytes: usize) -> MemoryOperand {
    memory.displacement += bytes as i64;
    memory.displ_size = 1;
    memory
}

/// Whether the base may differ between lanes.
pub(super) fn is_by_lane(base: Option<Source>) -> bool {
    matches!(base, Some(Source::B64(_) | Source::B32(_) | Source::PerLane(_) | Source::Lane))
}

/// Whether a uniform source has 64 bits.
fn is_wide(source: Source) -> bool {
    matches!(
        source,
        Source::Literal(_) | Source::FrameAt | Source::WideConstant(_) | Source::Bytes64(_)
    )
}
