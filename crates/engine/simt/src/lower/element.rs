//! Lowers array elements with a register as subscript: `name[%r1+2]`.

use super::arithmetic::row_of;
use super::builder::Builder;
use super::memory::Address;
use crate::code::{MemSpace, Op, Slot};
use texunit_alu::Kind;
use texunit_check::ir::{Base, Element, Operand, Storage};
use texunit_isa::{Modifiers, Opcode, ScalarType};

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

impl Builder<'_> {
    /// An array element as a memory operand.
    pub(super) fn element(&mut self, element: &Element) -> Option<Address> {
        let (mem_space, reach) = match element.base {
            Base::Variable(v) => match self.module.variables.get(v.0 as usize)?.storage {
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
        Some(Address { mem_space, base: self.reached(element, reach)?, offset: 0 })
    }

    /// The address of an element in its array's state space.
    pub(super) fn element_address(&mut self, element: &Element, wide: bool) -> Option<Slot> {
        let Address { mem_space, base, .. } = self.element(element)?;
        let is_wide = !matches!(mem_space, MemSpace::Shared | MemSpace::Local);
        if is_wide == wide {
            return Some(base);
        }
        Some(self.converted(base, wide))
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
        let (row, d) = (row_of(Opcode::Cvt, &extend)?, self.temporary_narrow());
        self.helper(Op::Compute { row, d, s: [slot; 4] });
        Some(d)
    }
}
