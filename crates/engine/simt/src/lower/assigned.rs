//! Whether a kernel writes each register before it reads it. Then what the CTA before has left there
//! cannot be seen, and need not be cleared: of a short kernel that is a tenth of its time.

use super::registers::{destinations, each_register, is_arithmetic};
use crate::bits::Set;
use texunit_check::ir::{Function, Instruction, Operand};
use texunit_isa::{Opcode, ScalarType};

/// Bits that a function's sets may have together; larger functions are not looked at.
const MAX: usize = 1 << 23;

/// Instructions that write their destinations and read nothing but their own lane's sources, or those of
/// lanes that are with it: a shuffle brings 0 from a lane that is elsewhere.
#[rustfmt::skip]
fn is_plain(opcode: Opcode) -> bool {
    use Opcode as O;
    let others = matches!(
        opcode,
        O::Ld | O::St | O::Atom | O::Red | O::Membar | O::Fence | O::Tex | O::Tld4 | O::Istypep | O::Suld | O::Sust | O::Sured
            | O::Bar | O::Barrier | O::Shfl | O::Activemask | O::Nanosleep | O::Vote | O::Match | O::Redux | O::Bra | O::Ret | O::Exit
    );
    others || is_arithmetic(opcode)
}

/// Sees to it that no path reads what it has not written, in one pass: what is written where a label
/// is reached is known from the jumps before it, and each jump back must have as much.
pub(super) fn writes_first(function: &Function) -> bool {
    let Some(body) = &function.body else { return false };
    let small = (function.labels.len() + 2).saturating_mul(function.regs.len()) <= MAX;
    if !small || !body.iter().all(|inst| is_plain(inst.opcode)) {
        return false;
    }
    // By instruction: what is written when a jump comes there, or the label is passed.
    let mut at_label: Vec<Option<Set>> = vec![None; body.len() + 1];
    let mut is_label = vec![false; body.len() + 1];
    for (_, at) in &function.labels {
        if let Some(is) = is_label.get_mut(*at) {
            *is = true;
        }
    }
    let mut current = Some(Set::new(function.regs.len()));
    for (i, inst) in body.iter().enumerate() {
        if is_label[i] {
            match (&mut current, &at_label[i]) {
                (Some(written), Some(other)) => written.keep(other),
                (Some(_), None) => {}
                (none, other) => *none = other.clone(),
            }
            at_label[i] = current.clone();
        }
        let Some(written) = &mut current else { continue };
        if !reads_written(function, inst, written) {
            return false;
        }
        let leaves = matches!(inst.opcode, Opcode::Bra | Opcode::Ret | Opcode::Exit);
        if inst.opcode == Opcode::Bra {
            let Some(Operand::Label(label)) = inst.operands.first() else { return false };
            let Some((_, to)) = function.labels.get(label.0 as usize) else { return false };
            match at_label.get_mut(*to) {
                Some(Some(there)) if *to > i => there.keep(written),
                Some(there) if *to > i => *there = Some(written.clone()),
                Some(Some(there)) if written.holds(there) => {}
                _ => return false,
            }
        }
        if inst.guard.is_some() {
            continue;
        }
        if leaves {
            current = None;
            continue;
        }
        for operand in inst.operands.written(destinations(inst)) {
            each_register(operand, &mut |r| written.put(r.0 as usize, true));
        }
    }
    true
}

/// Whether all registers that an instruction reads are written. Predicates are always cleared.
fn reads_written(function: &Function, inst: &Instruction, written: &Set) -> bool {
    let mut all = true;
    for operand in inst.operands.read(destinations(inst)) {
        each_register(operand, &mut |r| {
            let reg = function.regs.get(r.0 as usize);
            let predicate = reg.is_some_and(|reg| reg.ty == ScalarType::Pred);
            all &= predicate || written.has(r.0 as usize);
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::SourceFile;
    use texunit_testkit::ptx;

    fn check(body: &str) -> bool {
        let body = format!(
            ".reg .pred %p;\n\
             .reg .b32 %r<5>;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p, %r1, 3;\n{body}\nret;"
        );
        let text = ptx::kernel(ptx::SM_75, ".param .u32 n", &body);
        let source = SourceFile::new("t.ptx", &text);
        let module = texunit_check::check(&source, &texunit_syntax::parse(&source).module).module;
        writes_first(&module.functions[0])
    }

    #[test]
    fn paths_are_followed() {
        assert!(check("add.u32 %r2, %r1, 1;"));
        assert!(!check("add.u32 %r2, %r1, %r3;"), "never written");
        assert!(!check("@%p mov.u32 %r2, 1;\nadd.u32 %r3, %r2, 1;"), "written by some lanes");
        assert!(!check("@%p bra L;\nmov.u32 %r2, 1;\nL:\nadd.u32 %r3, %r2, 1;"), "on one path");
        let both = "@%p bra A;\nmov.u32 %r2, 1;\nbra.uni B;\nA:\nmov.u32 %r2, 2;\nB:\n";
        assert!(check(&format!("{both}add.u32 %r3, %r2, 1;")));
        let round =
            "mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, %r1;\n@%p bra L;";
        assert!(check(round));
        let middle = "bra.uni M;\nL:\nadd.u32 %r3, %r2, 1;\nret;\nM:\nmov.u32 %r2, 1;\nbra.uni L;";
        assert!(!check(middle), "not known in one pass");
        assert!(check("bar.red.popc.u32 %r2, 0, %p;\nadd.u32 %r3, %r2, 1;"));
        assert!(!check("bar.sync %r2;"), "never written");
        assert!(check("activemask.b32 %r2;\nadd.u32 %r3, %r2, 1;"));
        assert!(!check("vadd.u32.u32.u32 %r2, %r1, %r1;"), "not a plain instruction");
        let shuffled = "shfl.sync.idx.b32 %r2|%p, %r1, 0, 31, -1;\nadd.u32 %r3, %r2, 1;";
        assert!(check(shuffled));
        assert!(!check("shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;"), "never written");
    }
}
