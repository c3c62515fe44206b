//! Why an instruction is not executed: the part of the machine that it steers is not simulated,
//! or what it computes is not written down.

use texunit_check::ir::Instruction;
use texunit_isa::{AtomOp, Opcode, ScalarType};

const TENSOR: &str = "tensor cores are not simulated; take the program's path without them, which \
     most libraries have for architectures before sm_70";
const TENSOR_MEMORY: &str = "tensor memory and its cores are not simulated; take the program's \
     path for architectures before sm_100";
const CLUSTER: &str = "CTAs are not run as clusters, so there is no shared memory of another CTA; \
     take the program's path for architectures before sm_90";
const BULK: &str = "the units that copy in the background (TMA) are not simulated; copy with ld \
     and st, or with cp.async of 4 to 16 bytes";
const MULTIMEM: &str = "memory that several GPUs share is not simulated; use ld, st and red on \
     memory of one device";
const REGISTERS: &str = "warps do not trade registers here; leave it out, it changes no result";
const RANDOM: &str = "which bits of the random operand round which element is not documented; \
     round with .rn or .rz";
const OUT_OF_BOUNDS: &str = "the NaN that stands for a place out of bounds comes from tensor \
     copies, which are not simulated; use fma without .oob";

/// What to say of an instruction that steers a part of the machine that is not simulated.
pub(super) fn reason(inst: &Instruction) -> Option<&'static str> {
    use Opcode as O;
    let word = inst.mods.unexecuted;
    Some(match inst.opcode {
        O::Mma | O::Wmma | O::Wgmma => TENSOR,
        O::Tcgen05 => TENSOR_MEMORY,
        O::Ldmatrix | O::Stmatrix | O::Movmatrix => TENSOR,
        O::Getctarank | O::Mapa | O::Clusterlaunchcontrol => CLUSTER,
        O::Barrier | O::Fence | O::Membar if word.is_some() => CLUSTER,
        O::Cp | O::Tensormap => BULK,
        O::St | O::Red if matches!(word, Some("async" | "mbarrier::complete_tx::bytes")) => CLUSTER,
        O::St if word == Some("bulk") => BULK,
        O::Multimem => MULTIMEM,
        O::Setmaxnreg => REGISTERS,
        O::Cvt if word == Some("rs") => RANDOM,
        O::Fma if word == Some("oob") => OUT_OF_BOUNDS,
        _ => return None,
    })
}

/// What to say of an atomic operation.
pub(super) fn atomic(inst: &Instruction) -> String {
    let known = "executed are add, min, max, inc, dec, and, or, xor, exch and cas of the types that \
                 PTX has them for, also of vectors";
    match (inst.mods.atom, inst.mods.ty()) {
        (Some(AtomOp::Exch | AtomOp::Cas), Some(ScalarType::B128)) => {
            format!("{known}; a constant of 128 bits must be in a register")
        }
        _ => known.to_owned(),
    }
}
