//! Chooses the product that is fused into each sum.

use super::blocks::{Blocks, FusedCode};
use super::{
    Instruction, Opcode, Operand, Pairs, Product, RegId, Role, ScalarType, Sum, fma_of, ir,
    plain_product, plain_sum,
};
use crate::lower::arithmetic::row_of;
use std::collections::HashMap;
use texunit_check::ir::{Base, BodyCode};
use texunit_flow::{Access, Code, Definitions};
use texunit_isa::Space;

/// Maximum number of sums considered for a product, which bounds the time of the comparisons.
const MAX_READERS: usize = 256;

/// A product in its block.
struct ProductInfo<'a> {
    at: usize,
    /// Number of the block.
    block: usize,
    ty: ScalarType,
    ftz: bool,
    /// Whether a factor is a constant; ptxas then considers sums in all blocks.
    is_scaled: bool,
    /// The factors, each with the number of the write that defined its value (0: before the block).
    factors: [(&'a Operand, u32); 2],
    /// Sums that read the product, by number, and which of their terms it is.
    sums: Vec<(usize, usize)>,
    /// Whether the product has a use that is no fusible sum. Such a product is not fused.
    is_kept: bool,
    /// Whether the product is kept only because the choice of ptxas across blocks is unknown.
    is_unknown: bool,
    /// Whether the product's register has other uses, which do not prevent fusing.
    is_read: bool,
}

/// A term of a sum that is a product.
#[derive(Clone, Copy)]
struct Term {
    product: usize,
    /// Whether the sign is changed between product and sum.
    negated: bool,
    /// Whether each factor is overwritten before the sum.
    stale: [bool; 2],
}

/// A sum in its block.
struct SumInfo {
    at: usize,
    terms: [Option<Term>; 2],
    /// Terms whose values were computed before the block.
    before: Vec<RegId>,
    /// Number of the block, and whether it is in a loop.
    block: (usize, bool),
    chosen: Option<usize>,
}

/// Known properties of a register at the current position.
#[derive(Clone, Copy, Default)]
struct State {
    /// The product that the register holds, and whether its sign was changed.
    holds: Option<(usize, bool)>,
    /// Whether the register holds a constant: an immediate, a parameter of the kernel, a `.const`
    /// variable.
    is_constant: bool,
    /// Number of the last write to the register.
    written: u32,
    /// Whether the register has a single definition in the function.
    is_single: bool,
    /// Whether the register is read before it is written, in block order, or is read by the caller.
    is_exposed: bool,
}

/// Collects products and sums block by block.
pub(super) struct Contraction<'a> {
    code: FusedCode<'a>,
    body: &'a [Instruction],
    is_entry: bool,
    registers: Vec<State>,
    /// Registers that were assigned a product or a constant in the block.
    touched: Vec<RegId>,
    clock: u32,
    /// Number of the last write before the block.
    start: u32,
    products: Vec<ProductInfo<'a>>,
    sums: Vec<SumInfo>,
    /// Products that a register still holds at the end of their block: for each register the last
    /// such block.
    carried: HashMap<RegId, (usize, ScalarType, bool)>,
}

impl<'a> Contraction<'a> {
    pub(super) fn new(function: &'a ir::Function) -> Self {
        let code = FusedCode(BodyCode::new(function));
        let writes = Definitions::new(&code);
        let state = |reg| State { is_single: writes.of(reg).len() == 1, ..State::default() };
        let mut registers: Vec<State> = (0..code.registers() as u32).map(state).collect();
        code.results(&mut |reg| registers[reg as usize].is_exposed = true);
        Self {
            code,
            body: code.0.body,
            is_entry: function.is_entry,
            registers,
            touched: Vec::new(),
            clock: 0,
            start: 0,
            products: Vec::new(),
            sums: Vec::new(),
            carried: HashMap::new(),
        }
    }

    /// Collects the products and sums of a block.
    pub(super) fn block(&mut self, blocks: &Blocks<'_>, number: usize, is_in_loop: bool) {
        let chain = &blocks.chains[number];
        let (live_out, mut dead) = blocks.needs(chain);
        self.start = self.clock;
        for i in blocks.instructions(chain) {
            // Dead instructions are listed from last to first.
            let is_dead = dead.pop_if(|last| *last == i).is_some();
            self.step(i, (number, is_in_loop), is_dead);
        }
        for r in std::mem::take(&mut self.touched) {
            let state = &mut self.registers[r.0 as usize];
            let stays = state.is_single && !state.is_exposed;
            state.is_constant &= stays;
            let Some((product, _)) = state.holds else { continue };
            let p = &mut self.products[product];
            if stays && p.is_scaled {
                continue;
            }
            state.holds = None;
            if live_out.has(r.0) {
                p.is_unknown |= !p.is_kept && (p.is_scaled || is_in_loop);
                p.is_kept = true;
                // ptxas unrolls loops and moves invariant code out of them, and considers a
                // constant factor in all blocks.
                let from = if p.is_scaled || is_in_loop { usize::MAX } else { number };
                self.carried.insert(r, (from, p.ty, p.ftz));
            }
        }
    }

    fn state(&self, operand: &Operand) -> State {
        let Operand::Reg(r) = operand else { return State::default() };
        self.registers.get(r.0 as usize).copied().unwrap_or_default()
    }

    /// Number of the write that defined a register's value.
    fn version(&self, operand: &Operand) -> u32 {
        let write = self.state(operand).written;
        if write > self.start { write } else { 0 }
    }

    fn is_constant(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Imm(_)) || self.state(operand).is_constant
    }

    fn step(&mut self, i: usize, block: (usize, bool), is_dead: bool) {
        let inst = &self.body[i];
        let ops = inst.operands.as_slice();
        let sum = plain_sum(inst).filter(|_| !is_dead);
        let copied = self.copied(inst);
        if let Some(ty) = sum {
            self.sum(i, inst, ty, block);
        }
        let code = self.code;
        let (states, products) = (&mut self.registers, &mut self.products);
        code.each(i, Access::Use, |r| {
            if let Some(state) = states.get_mut(r.0 as usize) {
                state.is_exposed |= state.written == 0;
            }
        });
        // The operands of a sum have already been handled; its guard, and the destination that
        // keeps its value where the guard is false, have not.
        let mut read = |r: RegId| {
            if let Some((p, _)) = states.get(r.0 as usize).and_then(|state| state.holds) {
                products[p].is_read = true;
                products[p].is_kept |= !is_dead && copied.is_none();
            }
        };
        match (sum.is_some(), inst.guard) {
            (false, _) => code.each(i, Access::Use, &mut read),
            (true, Some(_)) => code.each(i, Access::Def, &mut read),
            (true, None) => {}
        }
        let product = plain_product(inst).filter(|_| !is_dead).map(|ty| ProductInfo {
            at: i,
            block: block.0,
            ty,
            ftz: inst.mods.ftz,
            is_scaled: ops[1..].iter().any(|o| self.is_constant(o)),
            factors: [1, 2].map(|k| (&ops[k], self.version(&ops[k]))),
            sums: Vec::new(),
            is_kept: false,
            is_unknown: false,
            is_read: false,
        });
        let is_constant = self.makes_constant(inst);
        self.clock += 1;
        let (states, touched, clock) = (&mut self.registers, &mut self.touched, self.clock);
        code.each(i, Access::Def, |r| {
            if let Some(state) = states.get_mut(r.0 as usize) {
                (state.written, state.holds, state.is_constant) = (clock, None, is_constant);
                touched.extend(is_constant.then_some(r));
            }
        });
        let holds = match product {
            Some(product) => {
                self.products.push(product);
                Some((self.products.len() - 1, false))
            }
            None => copied,
        };
        if let (Some(_), Some(Operand::Reg(d))) = (holds, ops.first()) {
            self.registers[d.0 as usize].holds = holds;
            self.touched.push(*d);
        }
    }

    /// Whether an instruction assigns constants, which ptxas propagates.
    fn makes_constant(&self, inst: &Instruction) -> bool {
        if inst.guard.is_some() {
            return false;
        }
        match (inst.opcode, inst.operands.as_slice()) {
            (Opcode::Mov | Opcode::Neg, [Operand::Reg(_), source]) => self.is_constant(source),
            (Opcode::Ld, [_, Operand::Address(Base::Param(_), _)]) => self.is_entry,
            (Opcode::Ld, [_, Operand::Address(Base::Variable(_), _)]) => {
                inst.mods.space == Some(Space::Const)
            }
            _ => false,
        }
    }

    /// The product that `mov` or `neg` copies.
    fn copied(&self, inst: &Instruction) -> Option<(usize, bool)> {
        let [Operand::Reg(_), source] = inst.operands.as_slice() else { return None };
        let (product, negated) = self.state(source).holds.filter(|_| inst.guard.is_none())?;
        let m = &inst.mods;
        match inst.opcode {
            Opcode::Mov => Some((product, negated)),
            Opcode::Neg if m.types == [self.products[product].ty] && !m.ftz => {
                Some((product, !negated))
            }
            _ => None,
        }
    }

    fn sum(&mut self, i: usize, inst: &'a Instruction, ty: ScalarType, block: (usize, bool)) {
        let number = self.sums.len();
        let mut before = Vec::new();
        let has_row = row_of(Opcode::Fma, &fma_of(inst)).is_some();
        let terms = [1, 2].map(|k| {
            let operand = &inst.operands[k];
            let Some((product, negated)) = self.state(operand).holds else {
                if let Operand::Reg(r) = operand
                    && self.version(operand) == 0
                {
                    before.push(*r);
                }
                return None;
            };
            let p = &self.products[product];
            let stale = p.factors.map(|(o, write)| match o {
                Operand::Imm(_) => false,
                _ if p.block == block.0 => self.version(o) != write,
                // The next iteration of a loop may change the operand.
                _ => !self.is_constant(o),
            });
            let p = &mut self.products[product];
            let fits =
                has_row && p.ty == ty && p.ftz == inst.mods.ftz && p.sums.len() < MAX_READERS;
            p.is_kept |= !fits;
            p.sums.push((number, k - 1));
            let negated = negated != (inst.opcode == Opcode::Sub && k == 2);
            Some(Term { product, negated, stale })
        });
        self.sums.push(SumInfo { at: i, terms, before, block, chosen: None });
    }

    /// Number of a product's uses: its sums, plus one for any other use.
    fn readers(&self, product: usize) -> usize {
        let p = &self.products[product];
        p.sums.len() + usize::from(p.is_kept)
    }

    /// Whether both terms of a sum are the same product; ptxas then doubles the value instead. (Not
    /// for packed halves.)
    fn is_double(&self, [a, b]: [Term; 2]) -> bool {
        let (p, q) = (&self.products[a.product], &self.products[b.product]);
        let ([x, y], [u, v]) = (p.factors, q.factors);
        let is_same = p.ty == q.ty && p.ftz == q.ftz && a.negated == b.negated;
        is_same && ([x, y] == [u, v] || [x, y] == [v, u])
    }

    /// Whether a product may be fused into one of its sums.
    fn fits(&self, product: usize, sum: &SumInfo) -> bool {
        let p = &self.products[product];
        if sum.chosen.is_some_and(|chosen| chosen != product) {
            return false;
        }
        let [Some(a), Some(b)] = sum.terms else { return true };
        let is_lone = || self.readers(a.product) == 1 || self.readers(b.product) == 1;
        a.product != b.product && (is_packed(p.ty) || !self.is_double([a, b]) || !is_lone())
    }

    /// Whether a product may be fused into all sums that use it, and has no other use.
    fn is_fusible(&self, product: usize) -> bool {
        let p = &self.products[product];
        if p.is_kept {
            return false;
        }
        p.sums.iter().all(|&(number, term)| {
            let sum = &self.sums[number];
            if !self.fits(product, sum) {
                return false;
            }
            // A product with this sum as its only use has precedence over one with several uses,
            // which is then fused nowhere. (Not for packed halves.)
            let other = sum.terms[1 - term].map(|t| t.product).filter(|_| !is_packed(p.ty));
            let loses = |other: usize| {
                let o = &self.products[other];
                let goes = !o.is_kept && o.ty == p.ty && o.ftz == p.ftz;
                goes && self.readers(other) == 1 && self.fits(other, sum)
            };
            !(p.sums.len() > 1 && sum.chosen.is_none() && other.is_some_and(loses))
        })
    }

    /// Chooses for each sum, in source order, the product that is fused into it: of two candidates
    /// the product with fewer uses, otherwise the first operand.
    pub(super) fn choose(mut self, is_known: bool, pairs: &mut Pairs) {
        self.leave_unknown(pairs);
        for number in 0..self.sums.len() {
            let terms = self.sums[number].terms;
            let candidates = (1..).zip(terms).filter_map(|(operand, t)| Some((operand, t?)));
            let chosen = candidates
                .filter(|(_, t)| self.is_fusible(t.product))
                .min_by_key(|(operand, t)| (self.readers(t.product), *operand));
            let Some((operand, term)) = chosen else {
                let is_unknown = |t: &Term| !is_known || self.products[t.product].is_unknown;
                let is_undecided = terms.iter().flatten().any(is_unknown);
                pairs.fusion.undecided += u64::from(is_undecided);
                continue;
            };
            self.sums[number].chosen = Some(term.product);
            let product = self.products[term.product].at;
            let sum = Sum { product, operand, negated: term.negated };
            pairs.roles.insert(self.sums[number].at, Role::Sum(sum));
            pairs.fusion.fused += 1;
            let role = pairs.roles.entry(product).or_insert(Role::Product(Product::default()));
            if let Role::Product(role) = role {
                role.saved = [0, 1].map(|k| role.saved[k] || term.stale[k]);
            }
        }
        for (number, p) in self.products.iter().enumerate() {
            let stays = |&(sum, _): &(usize, usize)| self.sums[sum].chosen != Some(number);
            if let Some(Role::Product(role)) = pairs.roles.get_mut(&p.at) {
                role.is_read = p.is_read || p.is_kept || p.sums.iter().any(stays);
            }
        }
    }

    /// Excludes sums with operands that ptxas may move in from other blocks, because it unrolls
    /// loops, moves invariant code and considers constant factors in all blocks; the other products
    /// of these sums are excluded, too.
    fn leave_unknown(&mut self, pairs: &mut Pairs) {
        for number in 0..self.sums.len() {
            let sum = &self.sums[number];
            let (inst, (block, is_in_loop)) = (&self.body[sum.at], sum.block);
            let is_carried = sum.before.iter().any(|r| {
                self.carried.get(r).is_some_and(|&(from, ty, ftz)| {
                    let fits = inst.mods.types == [ty] && inst.mods.ftz == ftz;
                    fits && (from >= block || is_in_loop)
                })
            });
            let are_apart = match sum.terms.map(|t| t.map(|t| &self.products[t.product])) {
                [Some(p), Some(q)] => p.is_scaled && q.is_scaled && p.block != q.block,
                _ => false,
            };
            if !is_carried && !are_apart {
                continue;
            }
            let products: Vec<usize> = sum.terms.iter().flatten().map(|t| t.product).collect();
            // Only sums without a product as a term are counted here.
            pairs.fusion.undecided += u64::from(products.is_empty());
            for product in products {
                let p = &mut self.products[product];
                (p.is_unknown, p.is_kept) = (true, true);
            }
        }
    }
}

fn is_packed(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2)
}
