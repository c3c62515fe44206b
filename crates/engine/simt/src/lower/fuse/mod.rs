//! Contraction: selects the products that are fused into sums as multiply-adds.
//!
//! PTX leaves it to the assembler whether a `mul` and an `add` or `sub` without a rounding modifier
//! are rounded once or twice. ptxas rounds once where it can, and texunit reproduces its choices.
//! The rules were derived from the code that ptxas generates for random kernels
//! (tests/fmad/ptxas.py), for sm_86 and sm_90. They are not complete: of 5,907 other kernels five
//! differ.
//!
//! A product is considered within its block ([`blocks`]), one with a constant factor within the
//! whole function, together with all its uses, including those through `mov` and `neg`. It is fused
//! if all its uses are sums that it can be fused into: without a rounding modifier, of the same
//! type and `.ftz`, not the sum of the product and itself, and not one that another product has
//! been fused into. Sums choose in source order ([`choose`]).

mod blocks;
mod choose;
#[cfg(test)]
mod tests;

use crate::stats::Fusion;
use blocks::Blocks;
use choose::Contraction;
use std::collections::HashMap;
use texunit_check::ir::{self, Instruction, Operand, RegId};
use texunit_isa::{Modifiers, Opcode, Rounding, ScalarType};

/// A sum with the product fused into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Index of the `mul`.
    pub(crate) product: usize,
    /// Index of the sum's source (1 or 2) that is the product.
    pub(crate) operand: usize,
    /// Whether the source is the negated product.
    pub(crate) negated: bool,
}

/// A product that is fused into a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Product {
    /// Whether the product has other uses.
    pub(crate) is_read: bool,
    /// Whether each factor is overwritten before the sum.
    pub(crate) saved: [bool; 2],
}

/// Role of an instruction in a fused pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Product(Product),
    Sum(Sum),
}

/// Fused pairs of a function, by instruction index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    roles: HashMap<usize, Role>,
    pub(crate) fusion: Fusion,
}

impl Pairs {
    pub(crate) fn at(&self, index: usize) -> Option<Role> {
        self.roles.get(&index).copied()
    }
}

/// The type of a product or sum that may be fused.
fn plain(inst: &Instruction, opcodes: &[Opcode]) -> Option<ScalarType> {
    use ScalarType as T;
    let m = &inst.mods;
    match m.types[..] {
        [ty @ (T::F32 | T::F64 | T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2)]
            if opcodes.contains(&inst.opcode)
                && m.rounding.is_none()
                && m.unexecuted.is_none()
                && inst.operands.len() == 3 =>
        {
            Some(ty)
        }
        _ => None,
    }
}

fn plain_product(inst: &Instruction) -> Option<ScalarType> {
    plain(inst, &[Opcode::Mul]).filter(|_| inst.guard.is_none() && !inst.mods.sat)
}

fn plain_sum(inst: &Instruction) -> Option<ScalarType> {
    plain(inst, &[Opcode::Add, Opcode::Sub])
}

/// The modifiers of the `fma` that replaces a sum.
pub(super) fn fma_of(sum: &Instruction) -> Modifiers {
    Modifiers { rounding: Some(Rounding::Rn), ..(*sum.mods).clone() }
}

/// Selects the fused products and sums of a function.
pub(crate) fn pairs(function: &ir::Function) -> Pairs {
    let mut pairs = Pairs::default();
    let Some(body) = &function.body else { return pairs };
    let mut has = [false; 2];
    for inst in body {
        has[0] |= plain_product(inst).is_some();
        has[1] |= plain_sum(inst).is_some();
    }
    if has != [true; 2] {
        return pairs;
    }
    let blocks = Blocks::of(function);
    let mut finder = Contraction::new(function);
    for (block, is_in_loop) in blocks.in_loops().into_iter().enumerate() {
        finder.block(&blocks, block, is_in_loop);
    }
    finder.choose(blocks.is_known(), &mut pairs);
    pairs
}
