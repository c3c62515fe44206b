//! The codes of what is known but not executed. docs/diagnostics.md lists them from this table.

use texunit_syntax::codes::Code;

/// Every code of this crate, with what it stands for.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { code: "E0401", title: "texture instruction that is not executed", explanation:
        "All forms of `tex` and `tld4` are executed, but those that ptxas accepts and garbles: a coordinate without braces where the geometry takes several, an offset without braces, gradients of cube maps with fewer than four elements (these pass the check only where ptxas's verdicts are asked for), and `tex.grad` with `.s32` coordinates, whose bits it takes for floats." },
    Code { code: "E0402", title: "surface instruction that is not executed", explanation:
        "All forms of `suld`, `sust` and `sured` are executed, but those that ptxas accepts and garbles: a coordinate without braces where the geometry takes several, a tuple of registers for a scalar or a scalar for a tuple. They pass the check only where ptxas's verdicts are asked for." },
    Code { code: "E0403", title: "atomic that is not executed", explanation:
        "Executed are add, min, max, inc, dec, and, or, xor, exch and cas of 32 and 64 bits, `cas.b16`, and `add` of f32 and f64. Vector forms and 16-bit floats are not." },
    Code { code: "E0404", title: "call that cannot be made", explanation:
        "Of functions without a body only `vprintf` and `__assertfail` can be called: the device heap (`malloc`, `free`) and other device runtime functions are not there. Link libraries into the module." },
    Code { code: "E0405", title: "instruction that is not executed", explanation:
        "The opcode is known, but not with these modifiers and operands." },
];
