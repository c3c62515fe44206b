//! `--fmad`: which products may go into the sum that uses them.
//!
//! A `mul.f32` without a rounding modifier is fused into the `add.f32` or `sub.f32` that follows
//! in the same block when nothing else reads the product and its factors are unchanged there.

use std::collections::HashMap;
use texunit_check::ir::{self, Instruction, Operand, RegId};
use texunit_isa::{Opcode, ScalarType};

/// A sum with its product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Index of the mul.
    pub(crate) product: usize,
    /// Which source of the sum (1 or 2) the product is.
    pub(crate) operand: usize,
}

/// What an instruction is in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Product,
    Sum(Sum),
}

/// Pairs of a function, by instruction index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs(HashMap<usize, Role>);

impl Pairs {
    pub(crate) fn at(&self, index: usize) -> Option<Role> {
        self.0.get(&index).copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Calls `f` with each register that an operand mentions.
pub(super) fn each_register(operand: &Operand, f: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Reg(r) | Operand::NotReg(r) => f(*r),
        Operand::AddressOf(ir::Base::Reg(r), _)
        | Operand::Address(ir::Base::Reg(r), _)
        | Operand::Handle(ir::Base::Reg(r)) => f(*r),
        Operand::Element(element) => each_register(&element.index, f),
        Operand::Vector(list) | Operand::Args(list) => {
            list.iter().for_each(|o| each_register(o, f));
        }
        _ => {}
    }
}

/// How many leading operands an instruction writes.
pub(crate) fn destinations(inst: &Instruction) -> usize {
    use Opcode as O;
    match inst.opcode {
        O::St
        | O::Red
        | O::Bra
        | O::Brx
        | O::Ret
        | O::Exit
        | O::Trap
        | O::Brkpt
        | O::Membar
        | O::Fence
        | O::Nanosleep
        | O::Pmevent
        | O::Prefetch
        | O::Prefetchu
        | O::Sust
        | O::Sured
        | O::Discard
        | O::Applypriority => 0,
        O::Bar | O::Barrier => usize::from(inst.mods.red),
        O::Setp | O::Shfl | O::Tex | O::Tld4 => 2,
        O::Match => match inst.mods.matching {
            Some(texunit_isa::MatchMode::All) => 2,
            _ => 1,
        },
        O::Lop3 if inst.mods.bool_op.is_some() => 2,
        _ => 1,
    }
}

/// How often each register is read (more than twice counts as often as it is written down).
pub(crate) fn reads(function: &ir::Function) -> Vec<u32> {
    let mut reads = vec![0_u32; function.regs.len()];
    let mut read = |r: RegId| {
        if let Some(n) = reads.get_mut(r.0 as usize) {
            *n = n.saturating_add(1);
        }
    };
    for inst in function.body.iter().flatten() {
        if let Some(guard) = inst.guard {
            read(guard.reg);
        }
        for operand in inst.operands.iter().skip(destinations(inst)) {
            each_register(operand, &mut read);
        }
    }
    for param in &function.returns {
        if let Some(r) = param.reg {
            read(r);
        }
    }
    reads
}

/// How often each register is written.
pub(super) fn writes(function: &ir::Function) -> Vec<u32> {
    let mut writes = vec![0_u32; function.regs.len()];
    for inst in function.body.iter().flatten() {
        for operand in inst.operands.iter().take(destinations(inst)) {
            each_register(operand, &mut |r| {
                if let Some(n) = writes.get_mut(r.0 as usize) {
                    *n += 1;
                }
            });
        }
    }
    writes
}

fn is_plain(inst: &Instruction, opcodes: &[Opcode]) -> bool {
    let m = &inst.mods;
    opcodes.contains(&inst.opcode)
        && m.ty() == Some(ScalarType::F32)
        && m.rounding.is_none()
        && inst.guard.is_none()
}

/// The products and sums of a function.
pub(crate) fn pairs(function: &ir::Function) -> Pairs {
    let mut pairs = Pairs::default();
    let Some(body) = &function.body else { return pairs };
    if !body.iter().any(|i| is_plain(i, &[Opcode::Mul])) {
        return pairs;
    }
    let reads = reads(function);
    let writes = writes(function);
    let mut starts = vec![false; body.len() + 1];
    for (_, at) in &function.labels {
        if let Some(s) = starts.get_mut(*at) {
            *s = true;
        }
    }
    // Products of the running block that may still be fused, by their register.
    let mut open: HashMap<RegId, usize> = HashMap::new();
    for (i, inst) in body.iter().enumerate() {
        if starts[i] {
            open.clear();
        }
        if is_plain(inst, &[Opcode::Add, Opcode::Sub])
            && let Some(sum) = find(inst, body, &open)
        {
            pairs.0.insert(sum.product, Role::Product);
            pairs.0.insert(i, Role::Sum(sum));
        }
        let mut written = Vec::new();
        for operand in inst.operands.iter().take(destinations(inst)) {
            each_register(operand, &mut |r| written.push(r));
        }
        if !written.is_empty() {
            open.retain(|_, &mut p| {
                !body[p].operands[1..]
                    .iter()
                    .any(|o| matches!(o, Operand::Reg(r) if written.contains(r)))
            });
        }
        if is_plain(inst, &[Opcode::Mul])
            && !inst.mods.sat
            && let [Operand::Reg(d), _, _] = inst.operands[..]
            && reads[d.0 as usize] == 1
            && writes[d.0 as usize] == 1
            && inst.operands[1..].iter().all(|o| *o != Operand::Reg(d))
        {
            open.insert(d, i);
        }
        if open.len() > 64 {
            // Looking through ever more of them would cost more than they are worth.
            open.clear();
        }
    }
    pairs
}

fn find(inst: &Instruction, body: &[Instruction], open: &HashMap<RegId, usize>) -> Option<Sum> {
    [1, 2].into_iter().find_map(|operand| match inst.operands.get(operand) {
        Some(Operand::Reg(r)) => {
            let product = *open.get(r)?;
            let same = body[product].mods.ftz == inst.mods.ftz;
            same.then_some(Sum { product, operand })
        }
        _ => None,
    })
}
