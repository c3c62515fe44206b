//! What instructions read and write.

use texunit_check::ir::{self, Instruction, Operand, RegId};
use texunit_isa::Opcode;

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

/// Instructions that only write their destinations, of their own lane's sources.
#[rustfmt::skip]
pub(super) fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Mov | O::Selp | O::Slct | O::Cvt | O::Cvta | O::Set | O::Setp | O::Add | O::Sub | O::Mul
            | O::Mad | O::Mul24 | O::Mad24 | O::Sad | O::Fma | O::Div | O::Rem | O::Min | O::Max | O::Abs
            | O::Neg | O::And | O::Or | O::Xor | O::Not | O::Cnot | O::Shl | O::Shr | O::Shf | O::Bfe | O::Bfi
            | O::Lop3 | O::Prmt | O::Popc | O::Clz | O::Bfind | O::Brev | O::Dp2a | O::Dp4a | O::Copysign
            | O::Testp | O::Rcp | O::Sqrt | O::Rsqrt | O::Sin | O::Cos | O::Ex2 | O::Lg2 | O::Tanh
            | O::Isspacep | O::Bmsk | O::Szext | O::Fns | O::Txq | O::Suq
    )
}

/// How many operands of its list an instruction writes.
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
        | O::Stmatrix
        | O::Applypriority => 0,
        O::Wmma if inst.mods.acts("store") => 0,
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
        for operand in inst.operands.read(destinations(inst)) {
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
        for operand in inst.operands.written(destinations(inst)) {
            each_register(operand, &mut |r| {
                if let Some(n) = writes.get_mut(r.0 as usize) {
                    *n += 1;
                }
            });
        }
    }
    writes
}
