//! What instructions read and write, and where control goes after them.

use texunit_check::ir::{Base, Function, Instruction, LabelId, Operand, RegId};
use texunit_isa::{MatchMode, Opcode};

/// How many of the operands in its list an instruction writes; `None` if nothing is known of it but its
/// name.
pub(super) fn destinations(i: &Instruction) -> Option<usize> {
    use Opcode::*;
    let known = match i.opcode {
        Bra | Brx | Membar | Fence | Exit | Ret | Trap | Brkpt | Nanosleep | Pmevent => {
            return Some(0);
        }
        Bar | Barrier => return Some(usize::from(i.mods.red)),
        St | Red | Sust | Sured | Prefetch | Prefetchu | Discard | Applypriority => 0,
        Setp | Shfl | Tex | Tld4 => 2,
        Match if i.mods.matching == Some(MatchMode::All) => 2,
        Lop3 if i.mods.bool_op.is_some() => 2,
        Call | Abs | Add | Addc | And | Bfe | Bfi | Bfind | Bmsk | Brev | Clz | Cnot | Copysign
        | Cos | Cvt | Div | Dp2a | Dp4a | Ex2 | Fma | Fns | Lg2 | Lop3 | Mad | Mad24 | Madc
        | Max | Min | Mov | Mul | Mul24 | Neg | Not | Or | Popc | Prmt | Rcp | Rem | Rsqrt
        | Sad | Selp | Set | Shf | Shl | Shr | Sin | Slct | Sqrt | Sub | Subc | Szext | Tanh
        | Testp | Xor | Atom | Cvta | Isspacep | Ld | Ldu | Activemask | Match | Redux | Vote
        | Istypep | Suld | Suq | Txq => 1,
        _ => return None,
    };
    (!i.operands.is_empty()).then_some(known)
}

/// Whether an instruction is there for its result only.
pub(super) fn is_pure(i: &Instruction) -> bool {
    use Opcode::*;
    let does = [Call, Atom, Bar, Barrier, Activemask, Match, Redux, Shfl, Vote];
    destinations(i).is_some_and(|n| n > 0) && !does.contains(&i.opcode) && !i.mods.cc
}

/// Calls `f` for every register of an operand.
pub(super) fn each(operand: &Operand, f: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Reg(reg) | Operand::NotReg(reg) => f(*reg),
        Operand::Address(Base::Reg(reg), _)
        | Operand::Handle(Base::Reg(reg))
        | Operand::AddressOf(Base::Reg(reg), _) => f(*reg),
        Operand::Element(element) => each(&element.index, f),
        Operand::Vector(list) | Operand::Args(list) => {
            for operand in list {
                each(operand, f);
            }
        }
        _ => {}
    }
}

/// Calls `f` for every register that an instruction reads.
pub(super) fn reads(i: &Instruction, f: &mut impl FnMut(RegId)) {
    if let Some(guard) = i.guard {
        f(guard.reg);
    }
    for operand in i.operands.read(destinations(i).unwrap_or(0)) {
        each(operand, f);
    }
}

/// Calls `f` for every register that an instruction writes.
pub(super) fn writes(i: &Instruction, f: &mut impl FnMut(RegId)) {
    for operand in i.operands.written(destinations(i).unwrap_or(0)) {
        each(operand, f);
    }
}

/// Where control goes after an instruction.
pub(super) struct Next<'a> {
    /// Labels that are jumped to.
    pub(super) labels: &'a [LabelId],
    /// Whether the next instruction may follow.
    pub(super) falls: bool,
}

/// What follows an instruction.
pub(super) fn next(i: &Instruction) -> Next<'_> {
    let falls = i.guard.is_some();
    match (i.opcode, i.operands.as_slice()) {
        (Opcode::Bra, [Operand::Label(label), ..]) => {
            Next { labels: std::slice::from_ref(label), falls }
        }
        (Opcode::Brx, [_, Operand::Targets(labels), ..]) => Next { labels, falls },
        (Opcode::Bra | Opcode::Brx | Opcode::Ret | Opcode::Exit | Opcode::Trap, _) => {
            Next { labels: &[], falls }
        }
        _ => Next { labels: &[], falls: true },
    }
}

/// The block of each instruction, by number.
pub(super) fn blocks(function: &Function) -> Vec<u32> {
    let body = function.body.as_deref().unwrap_or_default();
    let mut leader = vec![false; body.len() + 1];
    for (_, at) in &function.labels {
        leader[(*at).min(body.len())] = true;
    }
    for (n, i) in body.iter().enumerate() {
        let next = next(i);
        leader[n + 1] |= !next.labels.is_empty() || !next.falls;
    }
    let mut block = 0;
    let number = |&leader: &bool| {
        block += u32::from(leader);
        block
    };
    leader[..body.len()].iter().map(number).collect()
}
