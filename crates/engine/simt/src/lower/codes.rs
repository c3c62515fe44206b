//! Diagnostic codes of known but unsupported instructions. docs/diagnostics.md is generated from
//! this table.

use texunit_syntax::codes::Code;

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
        "The instruction controls tensor cores of warp groups (`wgmma`) or of Blackwell, tensor memory, copies of tensors by their maps (TMA), work of CTAs that have not begun (`clusterlaunchcontrol`) or memory of several GPUs, which texunit does not simulate; or its result depends on bits that NVIDIA does not document (random rounding)." },
];
