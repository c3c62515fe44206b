//! Operands of memory accesses: how the addresses of the lanes are formed, and the limits that they
//! are compared with.

use super::BASE_ROW;
use crate::emit::Emitter;
use crate::emit::affine::Affine;
use crate::emit::asm::{Label, at};
use crate::emit::backend::{Backend, site};
use crate::emit::base_groups::Member;
use crate::emit::register_cache::{Key, Reg};
use crate::emit::vector::{part_of_row, register_file};
use crate::frame::Frame;
use crate::ir::{Access, Space};
use crate::machine::Site;
use crate::operand::{Predicate, Source, VReg};
use crate::run::ExitReason;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// How the base addresses of the lanes are given.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The access has no base, because its address is constant.
    None,
    /// A register, or a scratch register.
    Lanes(LaneBase),
    /// An affine base: a uniform value plus a scaled 32-bit index per lane.
    Affine(Affine),
    /// A uniform base. The flag says whether it has 64 bits.
    One(Source, bool),
}

/// The base, or the index of an affine base, of each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBase {
    /// Where the base is in memory: in a register file or a scratch register.
    pub(super) row: MemoryOperand,
    /// The register that has the base; `None` if it is a scratch register.
    pub(super) vreg: Option<VReg>,
    /// Whether the base has 64 bits in each lane.
    pub(super) wide: bool,
}

/// An access, prepared for emission.
pub(in crate::emit) struct MemAccess {
    pub(super) access: Access,
    pub(super) base: Base,
    /// Bytes that each lane accesses.
    pub(in crate::emit) total: usize,
    /// The difference between the bases (or indices) of adjacent lanes if their addresses are
    /// contiguous.
    pub(super) unit: usize,
    /// The label of the exit before the step.
    pub(super) out: Label,
    /// Vector registers that are reserved for the access until its alternative paths have joined.
    /// With AVX-512, the last four may have the offsets of its lane groups.
    pub(in crate::emit) own: [Reg; 6],
    /// Mask registers that are reserved for the access, if the instruction set has them. The first
    /// has the lanes that execute the access
    /// ([`crate::emit::backend::MemoryPrimitives::keep_executing`]).
    pub(in crate::emit) masks: Option<[Reg; 2]>,
    /// Whether no address of the access is valid, so that the code always exits.
    pub(super) never: bool,
    pub(in crate::emit) guard: Predicate,
    /// The role of the access in its base group, if it belongs to one.
    pub(super) member: Option<Member>,
}

/// The memory operand of the data of lane `rbp`, in scratch registers at `r13` with `total` bytes
/// per lane. May use `r12`.
pub(super) fn data_of_lane<B: Backend>(e: &mut Emitter<'_, B>, total: usize) -> MemoryOperand {
    if total <= 8 {
        return MemoryOperand::with_base_index_scale(R::R13, R::RBP, total as u32);
    }
    e.asm.put(I::with2(C::Mov_r32_rm32, R::R12D, R::EBP));
    e.asm.put(I::with2(C::Shl_rm32_imm8, R::R12D, total.trailing_zeros()));
    MemoryOperand::with_base_index(R::R13, R::R12)
}

impl<B: Backend> Emitter<'_, B> {
    /// Prepares an access whose address may differ between lanes.
    pub(in crate::emit) fn mem_access(
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
        self.access_with_base(base, access, (guard, number), 6)
    }

    /// Prepares an access with this base, for which vector registers are reserved.
    pub(super) fn access_with_base(
        &mut self,
        base: Base,
        access: &Access,
        (guard, number): (Predicate, u32),
        reserved: usize,
    ) -> MemAccess {
        let total = usize::from(access.size) * usize::from(access.count);
        let why = match access.space {
            Space::Global => ExitReason::Site(access.site),
            _ => ExitReason::Instruction,
        };
        let own: Vec<Reg> = (0..reserved).map(|_| self.temporary()).collect();
        let own = std::array::from_fn(|i| own[i.min(reserved - 1)]);
        let masks = (B::MASKS != 0).then(|| [(); 2].map(|()| self.temporary_mask()));
        let out = self.exit_stub(why, number);
        let never = match access.space {
            // Global addresses have 64 bits, so a base of 32 bits is not possible.
            Space::Global => {
                matches!(base, Base::Lanes(LaneBase { wide: false, .. }) | Base::One(_, false))
            }
            // `vector/frame.rs` emits accesses to these spaces; stores to parameters do not exist.
            Space::Frame | Space::Param => true,
            Space::Shared | Space::Local => false,
        };
        if never {
            self.asm.goto(out);
        }
        let unit = if let Base::Affine(value) = base { total >> value.shift } else { total };
        let member = self.facts.base_groups.member(self.block, self.step);
        MemAccess { access: *access, base, total, unit, out, own, masks, never, guard, member }
    }

    /// Loads the mask of lanes that execute the step into `ebx`.
    pub(super) fn load_executing(&mut self, mem: &MemAccess) {
        self.lanes_taken(mem.guard, R::EBX);
    }

    /// Whether the register file has the current value of a base.
    pub(super) fn is_in_register_file(&self, base: LaneBase) -> bool {
        base.vreg.is_none_or(|vreg| Key::all::<B>(vreg).all(|key| self.is_stored(key)))
    }

    /// The base of an access, whose register must be stored by [`Self::spill`] before it is read
    /// from memory.
    pub(super) fn base(&mut self, source: Source) -> Base {
        let vreg = match source {
            Source::B32(i) => VReg::B32(i),
            Source::B64(i) => VReg::B64(i),
            other => return self.base_row(other),
        };
        for key in Key::all::<B>(vreg) {
            // AVX-512 has registers for the base, and memory operands for what is added to it.
            let cached = if B::IS_512 { Some(self.hold(key)) } else { self.cache.position(key) };
            if let Some(reg) = cached {
                self.canonical(reg);
            }
        }
        Base::Lanes(Self::in_register(vreg))
    }

    fn in_register(vreg: VReg) -> LaneBase {
        let (key, wide) = match vreg {
            VReg::B32(i) => (Key::B32(i, 0), false),
            VReg::B64(i) | VReg::Predicate(i) => (Key::B64(i, 0), true),
        };
        LaneBase { row: register_file::<B>(key), vreg: Some(vreg), wide }
    }

    /// Stores the base register for code that reads it from memory lane by lane. Only one of
    /// several paths does this, so that the register cache must not record the store.
    pub(in crate::emit) fn spill(&mut self, mem: &MemAccess) {
        let vreg = Self::lane_base(mem).and_then(|base| base.vreg);
        if let Some(vreg) = vreg.filter(|_| !Self::has_offsets(mem)) {
            self.store_stale(vreg);
        }
    }

    /// Stores the lane groups of a register of which the register file has an older value.
    pub(super) fn store_stale(&mut self, vreg: VReg) {
        for key in Key::all::<B>(vreg) {
            if let Some(reg) = self.cache.position(key).filter(|_| !self.is_stored(key)) {
                B::store(self, reg, key);
            }
        }
    }

    fn base_row(&mut self, source: Source) -> Base {
        let wide = is_wide_source(source);
        for part in 0..Self::parts_of_width(wide) {
            let reg = if wide { self.wide(source, part) } else { self.narrow(source, part) };
            if let Some(reg) = reg {
                self.store(part_of_row::<B>(BASE_ROW, part), reg);
            }
            self.cache.unpin();
        }
        Base::Lanes(LaneBase { row: at(R::RDI, Frame::scratch(BASE_ROW)), vreg: None, wide })
    }

    /// Loads a uniform base, or zero if there is no base, into `rax`.
    pub(super) fn uniform_base(&mut self, mem: &MemAccess) {
        match mem.base {
            Base::One(source, wide) => self.scalar(source, wide),
            _ => self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, R::EAX)),
        }
    }

    /// Loads a uniform value into `rax`.
    pub(super) fn scalar(&mut self, source: Source, wide: bool) {
        let (code, to) = if wide { (C::Mov_r64_rm64, R::RAX) } else { (C::Mov_r32_rm32, R::EAX) };
        let from = self.number_at(source, R::RAX);
        self.asm.put(I::with2(code, to, from));
    }

    /// Computes the address in `rax` from a lane's index in a general register.
    pub(super) fn base_of_index(&mut self, value: Affine, index: R) {
        self.scalar(value.add, true);
        self.add_index(value, R::RAX, index, R::RAX);
    }

    /// Adds a 32-bit index in a general register, scaled, to a uniform value in another.
    pub(super) fn add_index(&mut self, value: Affine, uniform: R, index: R, to: R) {
        if value.signed {
            self.asm.put(I::with2(C::Movsxd_r64_rm32, index, low_32(index)));
        }
        let mut scale = 1 << value.shift;
        if scale > 8 {
            self.asm.put(I::with2(C::Shl_rm64_imm8, index, u32::from(value.shift)));
            scale = 1;
        }
        let sum = MemoryOperand::with_base_index_scale(uniform, index, scale);
        self.asm.put(I::with2(C::Lea_r64_m, to, sum));
    }

    /// The base or the index of each lane; `None` if the base is uniform.
    pub(super) fn lane_base(mem: &MemAccess) -> Option<LaneBase> {
        match mem.base {
            Base::Lanes(base) => Some(base),
            Base::Affine(value) => Some(Self::in_register(VReg::B32(value.index))),
            Base::None | Base::One(..) => None,
        }
    }

    /// The exclusive limit of a lane's offset.
    pub(super) fn limit(&self, mem: &MemAccess) -> MemoryOperand {
        let size = 8 * mem.total.trailing_zeros() as usize;
        match mem.access.space {
            Space::Shared => at(R::RDI, Frame::SHARED_LIMITS + size),
            Space::Local => at(R::RDI, Frame::LOCAL_LIMITS + size),
            _ => site(mem.access.site, offset_of!(Site, limit)),
        }
    }

    /// The host address of offset 0.
    pub(super) fn origin(&self, mem: &MemAccess) -> MemoryOperand {
        match mem.access.space {
            Space::Shared => at(R::RDI, Frame::SHARED),
            Space::Local => at(R::RDI, Frame::LOCAL),
            _ => site(mem.access.site, offset_of!(Site, host)),
        }
    }
}

/// The name of the low 32 bits of a general register.
pub(in crate::emit) fn low_32(register: R) -> R {
    R::EAX + (register as u32 - R::RAX as u32)
}

/// The name of a general register of 64 bits, or of its low 32 bits.
pub(in crate::emit) fn sized(register: R, wide: bool) -> R {
    if wide { register } else { low_32(register) }
}

/// The name of the low 8 bits of a general register.
pub(super) fn low_8(register: R) -> R {
    match register {
        R::RAX => R::AL,
        register => R::R8L + (register as u32 - R::R8 as u32),
    }
}

/// Whether the base may differ between lanes.
pub(super) fn is_by_lane(base: Option<Source>) -> bool {
    matches!(base, Some(Source::B64(_) | Source::B32(_) | Source::PerLane(_) | Source::Lane))
}

/// Whether a uniform source has 64 bits.
pub(super) fn is_wide_source(source: Source) -> bool {
    matches!(
        source,
        Source::Literal(_) | Source::FrameAt | Source::WideConstant(_) | Source::Bytes64(_)
    )
}
