//! Diagnostic codes and explanations of unsupported instructions: the hardware unit is not
//! simulated, or its results are not documented. docs/diagnostics.md is generated from [`CODES`].

use crate::runtime::Named;
use texunit_check::ir::{self, Instruction};
use texunit_isa::Opcode;
use texunit_syntax::codes::Code;

const WARP_GROUPS: &str = "products of warp groups are not simulated; use the program's path for \
     architectures before sm_90, which has mma or wmma";
const NARROW: &str = "products and matrices of numbers below 8 bits and with scales (sm_100 and later) \
     are not simulated; use the program's path for architectures before sm_100";
const WIDE_BYTES: &str = "matrices of 8 bits (sm_100 and later) are not simulated; use the program's path \
     for architectures before sm_100";
const TENSOR_MEMORY: &str = "tensor memory and its cores are not simulated; use the program's \
     path for architectures before sm_100";
const CANCEL: &str = "the work of CTAs that have not begun cannot be taken over; launch as many CTAs as there \
     is work, which is what the program does on architectures before sm_100";
const TENSOR_MAP: &str = "copies of tensors by their maps (TMA) are not simulated; copy rows with cp.async.bulk, or \
     elements with ld and st";
const WIDE_MASK: &str = "masks of 32 CTAs (sm_107a) are not simulated, because clusters have at most 16; use \
     .multicast::cluster";
const FILL: &str = "bulk stores of zeros (sm_100) are not simulated; use st, or the program's path for architectures \
     before sm_100";
const MULTIMEM: &str = "memory that several GPUs share is not simulated; use ld, st and red on \
     memory of one device";
const RANDOM: &str = "which bits of the random operand round which element is not documented; \
     round with .rn or .rz";

/// Explanation for unsupported calls of the device runtime (cudadevrt).
const DEVICE_RUNTIME: &str = "of the device runtime, launches, waits, copies, fills, memory, streams, events and \
     questions are executed, with the parameters that CUDA declares; what is done to nodes of graphs is not";
const CALLEES: &str = "of functions without a body only `vprintf`, `__assertfail`, `malloc`, `free` and those of the \
     device runtime can be called; link the others into the module";
const REFERENCE: &str = "the address of a `.texref`, `.samplerref` or `.surfref` names one reference, and \
     nothing lies behind it; declare references of their own instead of an array";

/// Whether a function belongs to the device runtime, by its name. A program may define its own
/// `malloc` and `printf`, but no other function with this prefix.
pub(super) fn is_device_runtime(name: &str) -> bool {
    let rest = name.strip_prefix("__").unwrap_or(name);
    rest.strip_prefix("cuda").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether a module may call a function without defining it: a built-in function, or one of the
/// device runtime. If a device runtime function is unsupported, a launch reports it.
pub fn is_known_function(name: &str) -> bool {
    Named::of(name).is_some() || is_device_runtime(name)
}

/// Explanation for an instruction of a hardware unit that is not simulated.
fn reason(inst: &Instruction) -> Option<&'static str> {
    use Opcode as O;
    let word = inst.mods.unexecuted;
    Some(match inst.opcode {
        O::Wgmma => WARP_GROUPS,
        O::Mma => NARROW,
        O::Tcgen05 => TENSOR_MEMORY,
        O::Ldmatrix | O::Stmatrix | O::Movmatrix => WIDE_BYTES,
        O::Clusterlaunchcontrol => CANCEL,
        O::Fence | O::Membar if word.is_some() => TENSOR_MAP,
        O::Cp if word == Some("multicast::cluster::32b") => WIDE_MASK,
        O::Cp | O::Tensormap => TENSOR_MAP,
        O::St if word == Some("bulk") => FILL,
        O::Multimem => MULTIMEM,
        O::Cvt if word == Some("rs") => RANDOM,
        _ => return None,
    })
}

/// Explanation for an unsupported atomic operation.
const ATOMIC: &str = "add, min, max, inc, dec, and, or, xor, exch and cas are executed for \
     the types for which PTX has them, including vectors, in global and shared memory; local memory belongs \
     to one thread: use ld and st";
const GARBLED: &str =
    "ptxas accepts this form and miscompiles it; the warning about it says what to write";

/// Code and explanation of an unsupported instruction. `callee`: the undefined function that it
/// calls.
pub(super) fn why_unsupported(
    inst: &Instruction,
    callee: Option<&str>,
) -> (&'static str, &'static str) {
    if let Some(reason) = reason(inst) {
        return ("E0406", reason);
    }
    match inst.opcode {
        Opcode::Tex | Opcode::Tld4 => ("E0401", GARBLED),
        Opcode::Suld | Opcode::Sust | Opcode::Sured => ("E0402", GARBLED),
        Opcode::Atom | Opcode::Red => ("E0403", ATOMIC),
        Opcode::Call if callee.is_some_and(is_device_runtime) => ("E0404", DEVICE_RUNTIME),
        Opcode::Call => ("E0404", CALLEES),
        Opcode::Mov if matches!(inst.operands.last(), Some(ir::Operand::AddressOf(_, n)) if *n != 0) => {
            ("E0405", REFERENCE)
        }
        _ => ("E0405", "the opcode is known, but not with these modifiers and operands"),
    }
}

/// Every diagnostic code of this crate, with its title and explanation.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { code: "E0401", title: "texture instruction that is not executed", explanation:
        "All forms of `tex` and `tld4` are executed, except for those that ptxas accepts and miscompiles: a coordinate without braces where the geometry takes several, an offset without braces, gradients of cube maps with fewer than four elements. They pass the check only where ptxas's verdicts are asked for." },
    Code { code: "E0402", title: "surface instruction that is not executed", explanation:
        "All forms of `suld`, `sust` and `sured` are executed, except for those that ptxas accepts and miscompiles: a coordinate without braces where the geometry takes several, a tuple of registers for a scalar or a scalar for a tuple. They pass the check only where ptxas's verdicts are asked for." },
    Code { code: "E0403", title: "atomic that is not executed", explanation:
        "add, min, max, inc, dec, and, or, xor, exch and cas are executed for all types for which PTX has them, including vectors and 128 bits, in global and shared memory. The exception is the name of a variable in local memory, where no GPU has atomics." },
    Code { code: "E0404", title: "call that cannot be made", explanation:
        "The only functions without a body that can be called are `vprintf`, `__assertfail`, `malloc`, `free` and `__nv_aligned_device_malloc`. So can those of the device runtime (`cudaLaunchDeviceV2`, `__cudaCDP2MemcpyAsync` and so on), except for what it does to nodes of graphs. Link other libraries into the module." },
    Code { code: "E0405", title: "instruction that is not executed", explanation:
        "The opcode is known, but not with these modifiers and operands." },
    Code { code: "E0406", title: "part of the machine that is not simulated", explanation:
        "The instruction controls tensor cores of warp groups (`wgmma`) or of Blackwell, tensor memory, copies of tensors by their maps (TMA), work of CTAs that have not begun (`clusterlaunchcontrol`), memory of several GPUs or clusters of more than 16 CTAs, which texunit does not simulate; or its result depends on bits that NVIDIA does not document (random rounding)." },
];
