//! Finds registers that are uniform wherever they are read: kernel parameters and copies of them. A
//! fetch with such a handle need not compare the handles of its lanes.

use texunit_check::ir::{Base, BodyCode, Function, Operand};
use texunit_flow::Definitions;
use texunit_isa::Opcode;

/// For each register, whether it is uniform. `assigned`: each register is written before it is read
/// (`super::assigned`); otherwise a lane could still hold the initial zero.
pub(super) fn registers(function: &Function, assigned: bool) -> Vec<bool> {
    let mut uniform = vec![false; function.regs.len()];
    let Some(body) = function.body.as_ref().filter(|_| function.is_entry && assigned) else {
        return uniform;
    };
    let writes = Definitions::new(&BodyCode::new(function));
    for inst in body {
        let [Operand::Reg(d), source] = &inst.operands[..] else { continue };
        if writes.of(d.0).len() != 1 {
            continue;
        }
        let same = match (inst.opcode, source) {
            (Opcode::Ld, Operand::Address(Base::Param(_), _)) => true,
            (Opcode::Mov | Opcode::Cvta, Operand::Reg(r)) => {
                uniform.get(r.0 as usize) == Some(&true)
            }
            (Opcode::Mov | Opcode::Cvta, Operand::Imm(_)) => true,
            _ => false,
        };
        // The guard can be ignored, because no lane reads a register that it has not written.
        uniform[d.0 as usize] = same;
    }
    uniform
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::checked;
    use texunit_testkit::ptx;

    fn uniform(body: &str, assigned: bool) -> Vec<String> {
        let body = format!(
            ".reg .pred %p;\n\
             .reg .b64 %rd<5>;\n.reg .b32 %r<2>;\n{body}\nret;"
        );
        let text = ptx::kernel(ptx::SM_75, ".param .u64 t", &body);
        let (module, _) = checked(&text);
        let function = &module.functions[0];
        let found = registers(function, assigned);
        let names = function.regs.iter().zip(found).filter(|(_, uniform)| *uniform);
        names.map(|(reg, _)| reg.name.clone()).collect()
    }

    #[test]
    fn parameters_and_copies() {
        let body = "ld.param.u64 %rd1, [t];\nmov.u64 %rd2, %rd1;\nmov.u64 %rd3, 7;\n\
                    mov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd4, %r1;";
        assert_eq!(uniform(body, true), ["%rd1", "%rd2", "%rd3"]);
        assert!(uniform(body, false).is_empty());
        let twice = "ld.param.u64 %rd1, [t];\nsetp.eq.u64 %p, %rd1, 0;\n@%p mov.u64 %rd1, 7;";
        assert!(uniform(twice, true).is_empty(), "other lanes may have another one");
        let indirect = "ld.param.u64 %rd1, [t];\nld.global.u64 %rd2, [%rd1];";
        assert_eq!(uniform(indirect, true), ["%rd1"], "memory may change between two lanes' turns");
    }
}
