//! Translates operands of the typed module to slots.

use super::builder::{Builder, mask_of};
use super::symbols::function_address;
use crate::code::{CompareTo, Op, Slot};
use texunit_alu::{Kind, Row};
use texunit_check::ir::{self, Base, Operand, Storage, VarId};
use texunit_isa::TypeKind;
use texunit_memory::{LOCAL_WINDOW, PARAM_WINDOW};

impl Builder<'_> {
    pub(crate) fn register(&mut self, reg: ir::RegId) -> Slot {
        let Some(slot) = self.slots.get(reg.0 as usize).copied() else { return Slot::NONE };
        if !slot.is_none() {
            return slot;
        }
        let slot = match self.function.regs[reg.0 as usize].ty.bits() {
            1 => self.predicates.take(),
            64 => self.wide.take(),
            // A 128-bit register has two consecutive slots, the low half first.
            128 => {
                let low = self.wide.take();
                self.wide.take();
                low
            }
            _ => self.narrow.take(),
        };
        self.slots[reg.0 as usize] = slot;
        slot
    }

    /// Width of a register in bits.
    pub(crate) fn bits(&self, reg: ir::RegId) -> u32 {
        self.function.regs.get(reg.0 as usize).map_or(32, |r| r.ty.bits())
    }

    pub(crate) fn temporary(&mut self, wide: bool) -> Slot {
        if wide { self.wide.temporary() } else { self.narrow.temporary() }
    }

    /// An operand in a slot of its own kind; immediates are wide if `wide`.
    pub(crate) fn source(&mut self, operand: &Operand, wide: bool) -> Option<Slot> {
        Some(match operand {
            // A 128-bit register stands for its low half, because `st` and `cvt` accept registers
            // that are wider than their type.
            Operand::Reg(r) => self.register(*r),
            Operand::NotReg(r) => self.register(*r).negated(),
            Operand::Imm(v) => self.constant(*v, wide),
            Operand::ZeroCounter => self.constant(0, wide),
            Operand::EnvReg(number) => {
                let d = self.temporary(wide);
                self.helper(Op::EnvReg { d, number: *number });
                d
            }
            Operand::Special(reg, component) => {
                self.needs.reserved_shared |= reg.name().starts_with("reserved_smem_offset");
                if is_nondeterministic(*reg) && !self.needs.nondeterministic_inputs.contains(reg) {
                    self.needs.nondeterministic_inputs.push(*reg);
                }
                let d = self.temporary(wide);
                self.helper(Op::Special { d, reg: *reg, component: *component });
                d
            }
            Operand::AddressOf(base, offset) => self.address_of(*base, *offset, wide)?,
            Operand::Element(element) => self.element_address(element, wide)?,
            Operand::Function(f) => {
                // The address of a kernel is not used for calls but for launches.
                let of = self.input.resolve_alias(f.0);
                if !self.input.module.functions.get(of as usize).is_some_and(|f| f.is_entry) {
                    self.needs.functions.push(*f);
                }
                self.constant(function_address(*f), wide)
            }
            _ => return None,
        })
    }

    /// Emits an operation that prepares an operand, and returns the register of its result.
    pub(super) fn prepared(&mut self, kind: Kind, sources: &[Slot]) -> Slot {
        let d = self.temporary(Row::inner(kind).shape().is_wide());
        self.helper(Op::inner(kind, d, sources));
        d
    }

    pub(crate) fn constant(&mut self, value: u64, wide: bool) -> Slot {
        self.pools.constant(value, wide)
    }

    /// An operand in a narrow slot.
    pub(crate) fn narrow(&mut self, operand: &Operand) -> Option<Slot> {
        let slot = self.source(operand, false)?;
        let fits = slot.is_none() || slot.is_narrow();
        Some(if fits { slot } else { self.converted(slot, false) })
    }

    /// An operand in a wide slot, zero-extended.
    pub(crate) fn wide(&mut self, operand: &Operand) -> Option<Slot> {
        let slot = self.source(operand, true)?;
        Some(if slot.is_wide() { slot } else { self.converted(slot, true) })
    }

    /// An operand in a slot of this width.
    pub(super) fn of_width(&mut self, operand: &Operand, wide: bool) -> Option<Slot> {
        if wide { self.wide(operand) } else { self.narrow(operand) }
    }

    /// Truncates or zero-extends a value to another width, and returns the temporary that has it.
    pub(super) fn converted(&mut self, slot: Slot, wide: bool) -> Slot {
        let d = self.temporary(wide);
        let op = self.masked(d, slot, if wide { u64::MAX } else { u32::MAX.into() });
        self.helper(op);
        d
    }

    /// A predicate operand.
    pub(crate) fn predicate(&mut self, operand: &Operand) -> Option<Slot> {
        match operand {
            Operand::Imm(0) => Some(Slot::FALSE),
            Operand::Special(texunit_isa::SpecialReg::IsExplicitCluster, _) => {
                let (a, d) = (self.source(operand, false)?, self.predicates.temporary());
                let (row, b) = (Row::inner(Kind::Ne), self.constant(0, false));
                self.helper(Op::Compare { row, a, b, to: CompareTo::only(d) });
                Some(d)
            }
            Operand::Imm(_) => Some(Slot::TRUE),
            Operand::Reg(_) | Operand::NotReg(_) => {
                self.source(operand, false).filter(|s| s.is_predicate())
            }
            _ => None,
        }
    }

    /// The slot of a destination; `Slot::NONE` for `_`.
    pub(crate) fn destination(&mut self, operand: &Operand) -> Option<Slot> {
        match operand {
            Operand::Reg(r) if self.bits(*r) > 64 => None,
            other => self.relaxed_destination(other),
        }
    }

    /// The slot of a destination of `ld` or `cvt`. For a 128-bit register it is the low half, and
    /// [`Self::fill_high`] writes the high half.
    pub(crate) fn relaxed_destination(&mut self, operand: &Operand) -> Option<Slot> {
        match operand {
            Operand::Reg(r) => Some(self.register(*r)),
            Operand::Discard => Some(Slot::NONE),
            _ => None,
        }
    }

    /// Extends the value in the low half of a 128-bit register to the high half.
    pub(crate) fn fill_high(&mut self, operand: &Operand, signed: bool) {
        let Operand::Reg(r) = operand else { return };
        if self.bits(*r) <= 64 {
            return;
        }
        let low = self.register(*r);
        let op = match signed {
            true => Op::inner(Kind::ShrS64, low.next(), &[low, self.constant(63, false)]),
            false => Op::Mov { d: low.next(), a: self.constant(0, true) },
        };
        self.finisher(op);
    }

    /// A 128-bit operand: the slots of its halves, the low one first.
    pub(crate) fn quad(&mut self, operand: &Operand) -> Option<[Slot; 2]> {
        match operand {
            Operand::Reg(r) if self.bits(*r) == 128 => {
                let low = self.register(*r);
                Some([low, low.next()])
            }
            Operand::Discard => Some([Slot::NONE; 2]),
            // Constants have 64 bits; like ptxas, the high half is zero even if the constant is
            // negative.
            Operand::Imm(v) => Some([self.constant(*v, true), self.constant(0, true)]),
            _ => None,
        }
    }

    /// Mask of the bits of a 64-bit value that a destination register keeps.
    pub(crate) fn keep(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Reg(r) => mask_of(self.bits(*r)),
            _ => u64::MAX,
        }
    }

    /// Call-frame offset of a base that is located in the frame.
    pub(crate) fn frame_offset(&self, base: Base) -> Option<u32> {
        match base {
            Base::Param(p) if !self.function.is_entry => self.params_at.get(p.0 as usize).copied(),
            Base::Return(p) => self.returns_at.get(p.0 as usize).copied(),
            Base::Frame(v) => self.frame_at.get(v.0 as usize).copied(),
            _ => None,
        }
    }

    /// The address of a variable in its own state space.
    pub(super) fn address_of(&mut self, base: Base, offset: i64, wide: bool) -> Option<Slot> {
        let addend = offset as u64;
        match base {
            Base::Variable(v) => self.variable_address(v, addend, wide),
            Base::Param(p) if self.is_opaque(base) => {
                // The address of an opaque reference is its handle.
                if addend == 0 { self.kernel_param(p) } else { None }
            }
            Base::Param(p) if self.function.is_entry => {
                let at = u64::from(self.function.params.get(p.0 as usize)?.offset);
                // The address is generic already, because `.param` addresses may also refer to call
                // frames (`MemSpace::Param`).
                let window = if wide { PARAM_WINDOW } else { 0 };
                Some(self.constant(window.wrapping_add(at).wrapping_add(addend), wide))
            }
            Base::Absolute => Some(self.constant(addend, wide)),
            Base::Reg(_) => None,
            Base::Param(_) | Base::Return(_) | Base::Frame(_) => {
                let at = u64::from(self.frame_offset(base)?).wrapping_add(addend);
                let window = match base {
                    Base::Frame(v) if !self.function.frame.get(v.0 as usize)?.is_param => 0,
                    _ if wide => LOCAL_WINDOW,
                    _ => 0,
                };
                let d = self.temporary(wide);
                self.helper(Op::FrameAddress { d, offset: window.wrapping_add(at) });
                Some(d)
            }
        }
    }

    /// The address of a variable in its own state space, or the handle of an opaque variable.
    pub(super) fn variable_address(&mut self, v: VarId, addend: u64, wide: bool) -> Option<Slot> {
        match self.input.module.variables.get(v.0 as usize)?.storage {
            Storage::Shared | Storage::DynamicShared => {
                self.needs.shared.push(v);
                Some(self.pools.shared(v, addend, wide))
            }
            // An opaque reference has no elements, so an offset is invalid.
            Storage::Opaque(_) if addend != 0 => None,
            _ => Some(self.constant(self.input.symbols.address(v).wrapping_add(addend), wide)),
        }
    }

    /// Whether a base is a `.texref`, `.samplerref` or `.surfref` parameter of the kernel.
    fn is_opaque(&self, base: Base) -> bool {
        let Base::Param(p) = base else { return false };
        let param = self.function.params.get(p.0 as usize);
        self.function.is_entry && param.is_some_and(|p| p.ty.kind() == TypeKind::Opaque)
    }
}

/// Whether a special register can have other values in another run: clocks, and values that depend
/// on the scheduling of host threads.
pub(crate) fn is_nondeterministic(reg: texunit_isa::SpecialReg) -> bool {
    use texunit_isa::SpecialReg as R;
    let clock = matches!(reg, R::Clock | R::ClockHi | R::Clock64);
    let timer = matches!(reg, R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi);
    clock || timer || matches!(reg, R::Smid | R::Nsmid)
}
