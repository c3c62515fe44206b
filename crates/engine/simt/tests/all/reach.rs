//! The uses that the results of inexact instructions reach.

use crate::common::load_text;
use texunit_simt::Approximate;

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b32 tile[32];\n\
    .func (.reg .b32 %o) twice(.reg .b32 %i) { shl.b32 %o, %i, 1; ret; }\n\
    .visible .entry k(.param .u64 out) {\n.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n\
    .reg .f32 %f<8>; ld.param.u64 %rd0, [out];\n";

/// The uses that the result of the only instruction with this opcode reaches.
fn reached(opcode: &str, body: &str) -> String {
    let program = load_text(&format!("{HEAD}{body}\nret;\n}}\n")).program;
    let forms = program.instruction_forms(program.kernel("k").unwrap(), Approximate::default());
    let form = forms.iter().find(|form| form.opcode == opcode).unwrap();
    form.reaches.iter().map(|reach| reach.name()).collect()
}

/// Instructions after a read of `%clock` to `%r0`, and the use that its value reaches.
#[rustfmt::skip]
const OF_CLOCK: [(&str, &str); 15] = [
    ("", ""),
    ("st.global.b32 [%rd0], %r0;", "output"),
    ("add.s32 %r1, %r0, 1; st.global.b32 [%rd0], %r1;", "output"),
    // The register is overwritten first.
    ("xor.b32 %r0, %r1, %r2; st.global.b32 [%rd0], %r0;", ""),
    ("mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; ld.global.b32 %r1, [%rd1];", "address"),
    ("mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; st.global.b32 [%rd1], 7;", "address"),
    ("setp.eq.s32 %p0, %r0, 3; @%p0 bra done; st.global.b32 [%rd0], 1; done:", "branch"),
    ("setp.eq.s32 %p0, %r0, 3; @%p0 st.global.b32 [%rd0], 1;", "output"),
    ("bar.sync %r0;", "barrier"),
    ("shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r0;", "barrier"),
    ("st.shared.b32 [tile], %r0; ld.shared.b32 %r1, [tile+4];", ""),
    ("st.shared.b32 [tile], %r0; ld.shared.b32 %r1, [tile+4]; bar.sync %r1;", "barrier"),
    ("call (%r1), twice, (%r0); st.global.b32 [%rd0], %r1;", "output"),
    // Loads of global memory are not traced.
    ("st.global.b32 [%rd0], %r0; ld.global.b32 %r1, [%rd0]; bar.sync %r1;", "output"),
    ("ld.global.b32 %r1, [%rd0]; bar.sync %r1;", ""),
];

#[test]
fn values_are_followed_to_where_they_matter() {
    for (body, use_of) in OF_CLOCK {
        let body = format!("mov.u32 %r0, %clock;\n{body}");
        assert_eq!(reached("mov.u32", &body), use_of, "{body}");
    }
    let store = "st.global.f32 [%rd0], %f0;";
    let of = |opcode, inst: &str| reached(opcode, &format!("{inst}\n{store}"));
    assert_eq!(of("ex2.approx.f32", "ex2.approx.f32 %f0, %f1;"), "output");
    // Instructions with specified results have no reported uses.
    assert_eq!(of("add.f32", "add.f32 %f0, %f1, %f2;"), "");
}
