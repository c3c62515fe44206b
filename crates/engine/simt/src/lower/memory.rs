//! Lowers `ld`, `st`, `atom` and `red`, and the addresses of memory operands, among them array
//! elements whose subscript is a register (`name[%r1+2]`).

use super::arithmetic::row_of;
use super::builder::{Builder, is_wide};
use crate::code::{Access, Atomic, Located, MemSpace, Op, Order, Semantics, Slot, words};
use texunit_alu::Kind;
use texunit_check::ir::{Base, Element, Instruction, Operand, Storage};
use texunit_isa::{AtomOp, Modifiers, Opcode, ScalarType, Space};

/// Address arithmetic for an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AddressWidth {
    /// 64 bits; the element offset is zero-extended.
    Global,
    /// 64 bits with a sign-extended element offset. A GPU uses fewer bits, so that an offset before
    /// the array wraps around.
    Signed,
    /// Addresses are computed with 32 bits.
    Narrow,
}

impl<'a> Builder<'a> {
    /// Resolves `[base + offset]` in a state space.
    pub(super) fn address(&mut self, operand: &Operand, space: Option<Space>) -> Option<Located> {
        let (base, offset) = match operand {
            Operand::Address(base, offset) => (base, offset),
            Operand::Element(element) => return self.element(element),
            _ => return None,
        };
        let offset = *offset as u64;
        let by_space = match space {
            None => MemSpace::Generic,
            Some(Space::Global | Space::Const) => MemSpace::Global,
            Some(Space::Shared) => MemSpace::Shared,
            Some(Space::Local) => MemSpace::Local,
            Some(Space::Param) => MemSpace::Param,
        };
        let (mem_space, base, offset) = match *base {
            Base::Reg(r) => (by_space, self.register(r), offset),
            Base::Absolute => (by_space, Slot::NONE, offset),
            Base::Variable(v) => {
                let mem_space = match self.input.module.variables.get(v.0 as usize)?.storage {
                    Storage::Global | Storage::Const => MemSpace::Global,
                    Storage::Shared | Storage::DynamicShared => MemSpace::Shared,
                    Storage::Opaque(_) => return None,
                };
                (mem_space, self.variable_address(v, 0, true)?, offset)
            }
            Base::Param(p) if self.function.is_entry => {
                let at = u64::from(self.function.params.get(p.0 as usize)?.offset);
                (MemSpace::KernelParam, Slot::NONE, at.wrapping_add(offset))
            }
            Base::Param(_) | Base::Return(_) | Base::Frame(_) => {
                let at = u64::from(self.frame_offset(*base)?);
                (MemSpace::Frame, Slot::NONE, at.wrapping_add(offset))
            }
        };
        Some(Located { mem_space, base, offset })
    }

    /// An array element as a memory operand.
    pub(super) fn element(&mut self, element: &Element) -> Option<Located> {
        let (mem_space, reach) = match element.base {
            Base::Variable(v) => match self.input.module.variables.get(v.0 as usize)?.storage {
                Storage::Global => (MemSpace::Global, AddressWidth::Global),
                Storage::Const => (MemSpace::Global, AddressWidth::Signed),
                Storage::Shared | Storage::DynamicShared => {
                    (MemSpace::Shared, AddressWidth::Narrow)
                }
                Storage::Opaque(_) => return None,
            },
            Base::Frame(v) if !self.function.frame.get(v.0 as usize)?.is_param => {
                (MemSpace::Local, AddressWidth::Narrow)
            }
            Base::Frame(_) | Base::Param(_) | Base::Return(_) => {
                (MemSpace::Param, AddressWidth::Signed)
            }
            Base::Reg(_) | Base::Absolute => return None,
        };
        Some(Located { mem_space, base: self.reached(element, reach)?, offset: 0 })
    }

    /// The address of an element in its array's state space.
    pub(super) fn element_address(&mut self, element: &Element, wide: bool) -> Option<Slot> {
        let Located { mem_space, base, .. } = self.element(element)?;
        let is_wide = !matches!(mem_space, MemSpace::Shared | MemSpace::Local);
        Some(if is_wide == wide { base } else { self.converted(base, wide) })
    }

    /// Computes `(index + offset) * size` in 32 bits and adds the array's address, as ptxas 13.5
    /// does.
    fn reached(&mut self, element: &Element, reach: AddressWidth) -> Option<Slot> {
        let index = self.subscript(&element.index)?;
        let size = self.constant(element.size.into(), false);
        let offset = (element.offset as u32).wrapping_mul(element.size);
        let add = match reach {
            AddressWidth::Narrow => {
                let base = self.address_of(element.base, i64::from(offset), false)?;
                return Some(self.prepared(Kind::MadLo, &[index, size, base]));
            }
            AddressWidth::Global => Kind::MadWideU,
            AddressWidth::Signed => Kind::MadWideS,
        };
        let offset = self.constant(offset.into(), false);
        let bytes = self.prepared(Kind::MadLo, &[index, size, offset]);
        let (base, one) = (self.address_of(element.base, 0, true)?, self.constant(1, false));
        Some(self.prepared(add, &[bytes, one, base]))
    }

    /// The register of a subscript with 32 bits; signed registers of fewer bits are sign-extended.
    fn subscript(&mut self, index: &Operand) -> Option<Slot> {
        let slot = self.narrow(index)?;
        let Operand::Reg(reg) = index else { return Some(slot) };
        let ty = self.function.regs.get(reg.0 as usize)?.ty;
        if !ty.is_signed() || ty.bits() >= 32 {
            return Some(slot);
        }
        let types = vec![ScalarType::S32, ty];
        let extend = Modifiers { types, ..Modifiers::default() };
        let (row, d) = (row_of(Opcode::Cvt, &extend)?, self.narrow.temporary());
        self.helper(Op::Compute { row, d, s: [slot; 4] });
        Some(d)
    }

    fn access(&mut self, inst: &Instruction, address: &Operand) -> Option<Access> {
        let ty = inst.mods.ty()?;
        // A value of 16 bytes has two parts, like a vector of two elements.
        let size = ty.bytes().min(8);
        if ty == ScalarType::Pred {
            return None;
        }
        let at = self.address(address, inst.mods.space)?;
        Some(Access {
            signed: ty.is_signed(),
            constant: inst.mods.space == Some(Space::Const),
            ..Access::new(at, size as u8, Vec::new())
        })
    }

    /// The access of a load or store, with the register of each element of its data.
    fn data_access(
        &mut self,
        inst: &Instruction,
        (address, data): (&'a Operand, &'a Operand),
        slot: impl Fn(&mut Self, &'a Operand) -> Option<Slot>,
    ) -> Option<Access> {
        let mut access = self.access(inst, address)?;
        if inst.mods.ty() == Some(ScalarType::B128) {
            access.parts.extend(self.quad(data)?);
            return Some(access);
        }
        for part in elements(data) {
            access.parts.push(slot(self, part).filter(|slot| !slot.is_predicate())?);
        }
        (access.parts.len() <= 8).then_some(access)
    }

    /// Whether modifiers other than `.cg` make an access strong.
    fn is_strong(&self, inst: &Instruction) -> bool {
        let words = words(self.input.source, inst.span).filter(|&word| word != "cg");
        Order::of(words).semantics != Semantics::Weak
    }

    /// Whether a value is accessed as a whole: a `.b128`, or a vector in global memory by a strong
    /// access. PTX's memory model makes a separate access of each element of a vector, but a card
    /// does not tear an aligned vector of up to 16 bytes, and CUB's tile states rely on that.
    fn is_whole(&self, inst: &Instruction, data: &Operand) -> bool {
        let Some(ty) = inst.mods.ty() else { return false };
        let Operand::Vector(parts) = data else { return ty == ScalarType::B128 };
        let is_own = |part: &Operand| match part {
            Operand::Reg(r) => self.bits(*r) == ty.bits(),
            _ => true,
        };
        let bytes = ty.bytes() * parts.len() as u32;
        // CUB before 2.1 waits by `.cg`. Loops over `float4` with `__ldcg` stay compiled.
        let is_cg = || words(self.input.source, inst.span).any(|word| word == "cg");
        matches!(inst.mods.space, None | Some(Space::Global))
            && matches!(bytes, 2 | 4 | 8 | 16)
            && parts.iter().all(is_own)
            && (self.is_strong(inst) || (bytes < 16 || ty.bytes() == 8) && is_cg())
    }

    /// Replaces the elements of an access by temporaries for words of up to 8 bytes. Returns the
    /// elements of each word.
    fn split_into_words(&mut self, access: &mut Access) -> Vec<Vec<Slot>> {
        let size = access.total().min(8) as u8;
        let count = usize::from(size / access.size);
        let words: Vec<_> = access.parts.chunks(count).map(<[Slot]>::to_vec).collect();
        access.parts = words.iter().map(|_| self.temporary(size == 8)).collect();
        (access.size, access.signed) = (size, false);
        words
    }

    pub(super) fn load(&mut self, inst: &'a Instruction) -> Option<()> {
        self.needs.may_wait |= self.is_strong(inst);
        // A cache policy may follow, which has no effect.
        let [d, address, ..] = &inst.operands[..] else { return None };
        let mut access =
            self.data_access(inst, (address, d), |b, part| b.relaxed_destination(part))?;
        if self.is_whole(inst, d) {
            let bits = 8 * u32::from(access.size);
            let words = self.split_into_words(&mut access);
            let from = access.parts.clone();
            let is_quad = access.total() == 16;
            let access = Box::new(access);
            self.emit(if is_quad { Op::LoadQuad(access) } else { Op::Load(access) });
            for (to, from) in words.iter().zip(from) {
                let ops = self.unpack_ops(to, from, bits)?;
                ops.into_iter().for_each(|op| self.finisher(op));
            }
            return Some(());
        }
        for (part, slot) in elements(d).iter().zip(&access.parts) {
            if !slot.is_none() {
                access.mask = access.mask.min(self.keep(part));
            }
        }
        let signed = access.signed;
        self.emit(Op::Load(Box::new(access)));
        elements(d).iter().for_each(|part| self.fill_high(part, signed));
        Some(())
    }

    pub(super) fn store(&mut self, inst: &'a Instruction) -> Option<()> {
        let [address, source, ..] = &inst.operands[..] else { return None };
        let wide = inst.mods.ty().is_some_and(is_wide);
        let mut access =
            self.data_access(inst, (address, source), |b, part| b.source(part, wide))?;
        let (bytes, is_whole) = (access.total(), self.is_whole(inst, source));
        if is_whole {
            let bits = 8 * u32::from(access.size);
            let words = self.split_into_words(&mut access);
            for (&to, from) in access.parts.iter().zip(&words) {
                let ops = self.pack_ops(to, from, bits)?;
                ops.into_iter().for_each(|op| self.helper(op));
            }
        }
        let access = Box::new(access);
        let is_quad = is_whole && bytes == 16;
        self.emit(if is_quad { Op::StoreQuad(access) } else { Op::Store(access) });
        let mbarrier = inst.operands.get(2).filter(|_| inst.mods.acts("async"));
        mbarrier.map_or(Some(()), |mbarrier| self.completes(mbarrier, bytes))
    }

    pub(super) fn atomic(&mut self, inst: &'a Instruction) -> Option<()> {
        let (d, rest) = match inst.opcode {
            Opcode::Atom => (inst.operands.first(), inst.operands.get(1..)?),
            _ => (None, &inst.operands[..]),
        };
        let (ty, op) = (inst.mods.ty()?, inst.mods.atom?);
        if inst.mods.unexecuted.is_some() || !is_executed(op, ty, inst.mods.vector > 0) {
            return None;
        }
        let at = self.address(rest.first()?, inst.mods.space)?;
        if matches!(at.mem_space, MemSpace::KernelParam | MemSpace::Frame | MemSpace::Param) {
            return None;
        }
        let b = self.elements(rest.get(1)?, ty)?;
        let none = || Some(vec![Slot::NONE; b.len()]);
        let d = d.map_or_else(none, |d| self.results(d, ty, b.len()))?;
        let counted = rest.get(2).filter(|_| inst.mods.acts("async"));
        // A cache policy may be the last operand, which has no effect.
        let c = match rest.get(2) {
            Some(c) if op == AtomOp::Cas => self.elements(c, ty)?,
            _ if op != AtomOp::Cas => Vec::new(),
            _ => return None,
        };
        if b.len() != d.len() || b.len() > 8 {
            return None;
        }
        let atomic = Atomic { b, c, ..Atomic::new(at, op, ty, d) };
        let bytes = atomic.access.total();
        self.emit(Op::Atomic(Box::new(atomic)));
        counted.map_or(Some(()), |mbarrier| self.completes(mbarrier, bytes))
    }

    /// Sources of an atomic: one for each element, or the halves for `.b128`.
    fn elements(&mut self, operand: &'a Operand, ty: ScalarType) -> Option<Vec<Slot>> {
        match operand {
            Operand::Vector(parts) => parts.iter().map(|p| self.source(p, is_wide(ty))).collect(),
            one if ty == ScalarType::B128 => self.quad(one).map(Vec::from),
            one => self.source(one, is_wide(ty)).map(|slot| vec![slot]),
        }
    }

    fn results(&mut self, operand: &Operand, ty: ScalarType, count: usize) -> Option<Vec<Slot>> {
        match operand {
            Operand::Vector(parts) => parts.iter().map(|p| self.destination(p)).collect(),
            Operand::Discard => Some(vec![Slot::NONE; count]),
            one if ty == ScalarType::B128 => self.quad(one).map(Vec::from),
            one => self.destination(one).map(|slot| vec![slot]),
        }
    }
}

/// The elements of a vector, or the operand itself.
pub(super) fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

/// Whether an atomic operation is supported for a type.
fn is_executed(op: AtomOp, ty: ScalarType, vector: bool) -> bool {
    use ScalarType as T;
    let half = matches!(ty, T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2);
    match op {
        AtomOp::Add if vector => half || ty == T::F32,
        AtomOp::Min | AtomOp::Max if vector => half,
        _ if vector => false,
        AtomOp::Add => half || matches!(ty, T::U32 | T::S32 | T::U64 | T::S64 | T::F32 | T::F64),
        AtomOp::Min | AtomOp::Max => matches!(ty, T::U32 | T::S32 | T::U64 | T::S64),
        AtomOp::Inc | AtomOp::Dec => ty == T::U32,
        AtomOp::And | AtomOp::Or | AtomOp::Xor => ty.bits() == 32 || ty.bits() == 64,
        AtomOp::Exch => matches!(ty.bits(), 32 | 64 | 128),
        AtomOp::Cas => matches!(ty.bits(), 16 | 32 | 64 | 128),
    }
}
