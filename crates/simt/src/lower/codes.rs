//! The codes of what is known but not executed. docs/diagnostics.md lists them from this table.

use texunit_syntax::codes::Code;

/// Every code of this crate, with what it stands for.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { code: "E0401", title: "texture instruction that is not executed", explanation:
        "`tex.1d`, `.2d` and `.3d` with four 32-bit results are executed, with `.base` or without a mip mode. Other geometries, `.level`, `.grad`, offsets, depth compare and residency results and `tld4` are checked but not executed yet." },
    Code { code: "E0402", title: "surface instruction that is not executed", explanation:
        "`suld.b` and `sust.b` of `.1d`, `.2d` and `.3d` surfaces are executed. Layered surfaces, `.p` forms and `sured` are checked but not executed yet." },
    Code { code: "E0403", title: "atomic that is not executed", explanation:
        "Executed are add, min, max, inc, dec, and, or, xor, exch and cas of 32 and 64 bits, `cas.b16`, and `add` of f32 and f64. Vector forms and 16-bit floats are not." },
    Code { code: "E0404", title: "call that cannot be made", explanation:
        "Of functions without a body only `vprintf` and `__assertfail` can be called: the device heap (`malloc`, `free`) and other device runtime functions are not there. Link libraries into the module." },
    Code { code: "E0405", title: "instruction that is not executed", explanation:
        "The opcode is known, but not with these modifiers and operands." },
];
