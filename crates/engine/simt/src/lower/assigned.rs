//! Decides whether a kernel writes each register before it reads it. If so, the kernel cannot see
//! the values that the previous CTA left in the registers. The registers then need not be cleared,
//! which saves a tenth of the time of a short kernel.

use texunit_check::ir::{BodyCode, Function};
use texunit_flow::{Cfg, Liveness};
use texunit_isa::{Opcode, ScalarType};

/// Maximum total number of bits of a function's data-flow sets; larger functions are not analysed.
const MAX: usize = 1 << 23;

/// Instructions whose only effect is to write their destinations, from sources of the same lane.
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

/// Instructions that read no registers except those of the same lane or of other active lanes; a
/// shuffle returns 0 from an inactive lane.
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

/// Whether each register is written before it is read on every path. Predicates are always cleared.
pub(super) fn writes_first(function: &Function) -> bool {
    let code = BodyCode::new(function);
    if !code.body.iter().all(|inst| is_plain(inst.opcode)) {
        return false;
    }
    let liveness = Liveness::new(&code, &Cfg::new(&code), MAX);
    (0..)
        .zip(&function.regs)
        .all(|(n, reg)| reg.ty == ScalarType::Pred || !liveness.is_live_in(0, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::checked;
    use texunit_testkit::ptx;

    fn check(body: &str) -> bool {
        let body = format!(
            ".reg .pred %p;\n\
             .reg .b32 %r<5>;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p, %r1, 3;\n{body}\nret;"
        );
        let text = ptx::kernel(ptx::SM_75, ".param .u32 n", &body);
        writes_first(&checked(&text).0.functions[0])
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
        assert!(check(middle), "in the order of execution");
        assert!(check("bar.red.popc.u32 %r2, 0, %p;\nadd.u32 %r3, %r2, 1;"));
        assert!(!check("bar.sync %r2;"), "never written");
        assert!(check("activemask.b32 %r2;\nadd.u32 %r3, %r2, 1;"));
        assert!(!check("vadd.u32.u32.u32 %r2, %r1, %r1;"), "not a plain instruction");
        let shuffled = "shfl.sync.idx.b32 %r2|%p, %r1, 0, 31, -1;\nadd.u32 %r3, %r2, 1;";
        assert!(check(shuffled));
        assert!(!check("shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;"), "never written");
    }
}
