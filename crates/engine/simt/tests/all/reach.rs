//! The uses that the results of inexact instructions reach.

use crate::common::load_text;
use texunit_simt::Approximate;

fn text(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b32 tile[32];\n\
         .func (.reg .b32 %o) twice(.reg .b32 %i) {{ shl.b32 %o, %i, 1; ret; }}\n\
         .visible .entry k(.param .u64 out) {{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n\
         ld.param.u64 %rd0, [out];\n{body}\nret;\n}}\n"
    )
}

/// The uses that the result of the only instruction with this opcode reaches.
fn reached(opcode: &str, body: &str) -> Vec<&'static str> {
    let program = load_text(&text(body)).program;
    let forms = program.instruction_forms(program.kernel("k").unwrap(), Approximate::default());
    let form = forms.iter().find(|form| form.opcode == opcode).unwrap();
    form.reaches.iter().map(|reach| reach.name()).collect()
}

const CLOCK: &str = "mov.u32 %r0, %clock;";

#[test]
fn values_are_followed_to_where_they_matter() {
    let of_clock = |rest: &str| reached("mov.u32", &format!("{CLOCK}\n{rest}"));
    assert_eq!(of_clock(""), [""; 0]);
    assert_eq!(of_clock("st.global.b32 [%rd0], %r0;"), ["output"]);
    assert_eq!(of_clock("add.s32 %r1, %r0, 1; st.global.b32 [%rd0], %r1;"), ["output"]);
    // The register is overwritten first.
    assert_eq!(of_clock("xor.b32 %r0, %r1, %r2; st.global.b32 [%rd0], %r0;"), [""; 0]);
    assert_eq!(
        of_clock("mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; ld.global.b32 %r1, [%rd1];"),
        ["address"]
    );
    assert_eq!(
        of_clock("mul.wide.u32 %rd1, %r0, 4; add.s64 %rd1, %rd1, %rd0; st.global.b32 [%rd1], 7;"),
        ["address"]
    );
    assert_eq!(
        of_clock("setp.eq.s32 %p0, %r0, 3; @%p0 bra done; st.global.b32 [%rd0], 1; done:"),
        ["branch"]
    );
    assert_eq!(of_clock("setp.eq.s32 %p0, %r0, 3; @%p0 st.global.b32 [%rd0], 1;"), ["output"]);
    assert_eq!(of_clock("bar.sync %r0;"), ["barrier"]);
    assert_eq!(of_clock("shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r0;"), ["barrier"]);
}

#[test]
fn values_are_followed_through_memory_and_calls() {
    let of_clock = |rest: &str| reached("mov.u32", &format!("{CLOCK}\n{rest}"));
    let shared = "st.shared.b32 [tile], %r0; ld.shared.b32 %r1, [tile+4];";
    assert_eq!(of_clock(shared), [""; 0]);
    assert_eq!(of_clock(&format!("{shared} bar.sync %r1;")), ["barrier"]);
    let called = "call (%r1), twice, (%r0);";
    assert_eq!(of_clock(&format!("{called} st.global.b32 [%rd0], %r1;")), ["output"]);
    // Loads of global memory are not traced.
    let global = "st.global.b32 [%rd0], %r0; ld.global.b32 %r1, [%rd0]; bar.sync %r1;";
    assert_eq!(of_clock(global), ["output"]);
    assert_eq!(
        reached("ex2.approx.f32", "ex2.approx.f32 %f0, %f1; st.global.f32 [%rd0], %f0;"),
        ["output"]
    );
    // Instructions with specified results have no reported uses.
    assert_eq!(reached("add.f32", "add.f32 %f0, %f1, %f2; st.global.f32 [%rd0], %f0;"), [""; 0]);
}
