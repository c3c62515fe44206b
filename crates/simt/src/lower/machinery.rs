//! Why an instruction is not executed: the part of the machine that it steers is not simulated,
//! or what it computes is not written down.

use texunit_check::ir::Instruction;
use texunit_isa::Opcode;

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
const RANDOM: &str = "which bits of the random operand round which element is not documented; \
     round with .rn or .rz";
const OUT_OF_BOUNDS: &str = "the NaN that stands for a place out of bounds comes from tensor \
     copies, which are not simulated; use fma without .oob";

/// What to say of calls of the device runtime (cudadevrt).
pub(super) const DEVICE_RUNTIME: &str = "kernels cannot launch kernels here, and the runtime that they \
     do it with is not there; launch from the host";

/// Whether a function is one of the device runtime, by its name: a program may bring `malloc` and
/// `printf` of its own, and nothing else begins like this.
pub(super) fn is_device_runtime(name: &str) -> bool {
    let rest = name.strip_prefix("__").unwrap_or(name);
    rest.strip_prefix("cuda").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// What to say of an instruction that steers a part of the machine that is not simulated.
pub(super) fn reason(inst: &Instruction) -> Option<&'static str> {
    use Opcode as O;
    let word = inst.mods.unexecuted;
    Some(match inst.opcode {
        O::Mma | O::Wmma | O::Wgmma => TENSOR,
        O::Tcgen05 => TENSOR_MEMORY,
        O::Ldmatrix | O::Stmatrix | O::Movmatrix => TENSOR,
        O::Getctarank | O::Mapa | O::Clusterlaunchcontrol => CLUSTER,
        O::Barrier if word.is_some() => CLUSTER,
        O::Fence | O::Membar if word.is_some() => BULK,
        O::Cp | O::Tensormap => BULK,
        O::St | O::Red if matches!(word, Some("async" | "mbarrier::complete_tx::bytes")) => CLUSTER,
        O::St if word == Some("bulk") => BULK,
        O::Multimem => MULTIMEM,
        O::Cvt if word == Some("rs") => RANDOM,
        O::Fma if word == Some("oob") => OUT_OF_BOUNDS,
        _ => return None,
    })
}

/// What to say of an atomic operation.
pub(super) const ATOMIC: &str = "executed are add, min, max, inc, dec, and, or, xor, exch and cas of \
     the types that PTX has them for, also of vectors, in global and shared memory; local memory belongs \
     to one thread: use ld and st";
