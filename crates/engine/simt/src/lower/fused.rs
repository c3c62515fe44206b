//! Lowers sums that a product is fused into.

use super::arithmetic::row_of;
use super::builder::{Builder, is_wide};
use super::fuse::{Product, Sum, fma_of};
use crate::code::{Op, Slot};
use texunit_alu::Kind;
use texunit_check::ir::Instruction;
use texunit_isa::{Modifiers, Opcode, Rounding, ScalarType};

impl<'a> Builder<'a> {
    /// Copies the factors of a product that are overwritten before the sum.
    pub(super) fn save_factors(&mut self, at: usize, inst: &'a Instruction, product: Product) {
        let wide = inst.mods.ty().is_some_and(is_wide);
        let saved = [0, 1].map(|k| {
            let operand = inst.operands.get(k + 1).filter(|_| product.saved[k])?;
            let a = self.source(operand, wide)?;
            let d = if wide { self.wide.take() } else { self.narrow.take() };
            self.helper(Op::Mov { d, a });
            Some(d)
        });
        self.saved.insert(at, saved);
    }

    /// Lowers a sum with its product as one multiply-add.
    pub(super) fn fused(
        &mut self,
        body: &'a [Instruction],
        inst: &'a Instruction,
        sum: Sum,
    ) -> Option<()> {
        let (ty, product) = (inst.mods.ty()?, &body[sum.product].operands);
        let row = row_of(Opcode::Fma, &fma_of(inst))?;
        let d = self.destination(inst.operands.first()?)?;
        let saved = self.saved.get(&sum.product).copied().unwrap_or_default();
        let mut factor =
            |k: usize| saved[k].or_else(|| self.source(product.get(k + 1)?, is_wide(ty)));
        let (mut a, b) = (factor(0)?, factor(1)?);
        let mut c = self.source(inst.operands.get(3 - sum.operand)?, is_wide(ty))?;
        if sum.negated {
            a = self.negative(a, ty)?;
        }
        if inst.opcode == Opcode::Sub && sum.operand == 1 {
            c = self.negative(c, ty)?;
        }
        self.emit(Op::Compute { row, d, s: [a, b, c, c] })
    }

    /// An operand of an `fma` with its sign changed. The hardware leaves the sign of a NaN
    /// unchanged, which is visible only in f64, where NaN operands are propagated with their bits.
    fn negative(&mut self, x: Slot, ty: ScalarType) -> Option<Slot> {
        let signs = match ty {
            ScalarType::F32 => 1 << 31,
            ScalarType::F16 | ScalarType::Bf16 => 1 << 15,
            ScalarType::F16x2 | ScalarType::Bf16x2 => 1 << 31 | 1 << 15,
            _ => {
                let (types, rounding) = (vec![ty], Some(Rounding::Rn));
                let mods = Modifiers { types, rounding, ..Modifiers::default() };
                let zero = self.constant((-0.0_f64).to_bits(), true);
                let (d, row) = (self.wide.temporary(), row_of(Opcode::Sub, &mods)?);
                self.helper(Op::Compute { row, d, s: [zero, x, x, x] });
                return Some(d);
            }
        };
        let signs = self.constant(signs, false);
        Some(self.prepared(Kind::Xor, &[x, signs]))
    }
}
