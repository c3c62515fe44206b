//! Tests that each operation of warp code keeps the source location of its PTX instruction through
//! inlining, fusing and register sharing.
#![allow(clippy::unwrap_used)]

use crate::code::{Code, Inst, Op};
use crate::launch::Arithmetic;
use crate::lower::{Program, Symbols};
use texunit_syntax::SourceFile;

/// A loop with a function inlined twice and a product fused into a sum, a call of a function that
/// is not inlined, and registers that share storage.
const TEXT: &str = "
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 r) apart(.param .b32 a)
{
    .reg .b32 %r<3>;
    .loc 2 70 1
    ld.param.b32 %r1, [a];
    .loc 2 71 1
    mul.lo.u32 %r2, %r1, %r1;
    st.param.b32 [r], %r2;
    ret;
}
.entry k(.param .u64 out, .param .u32 n, .param .f32 x)
{
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
    .param .b32 given; .param .b32 got;
    ld.param.u64 %rd1, [out];
    .loc 1 10 1
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [x];
    .loc 1 11 1
    mov.u32 %r2, 0;
    mov.f32 %f2, 0f00000000;
L:
    .loc 1 12 1
    .loc 2 50 1, function_name $blend, inlined_at 1 12 1
    mul.f32 %f3, %f1, %f2;
    .loc 2 51 1, function_name $blend, inlined_at 1 12 1
    add.f32 %f2, %f3, %f1;
    .loc 1 13 1
    .loc 2 50 1, function_name $blend, inlined_at 1 13 1
    mul.f32 %f4, %f2, %f1;
    .loc 2 51 1, function_name $blend, inlined_at 1 13 1
    add.f32 %f2, %f4, %f2;
    .loc 1 14 1
    xor.b32 %r3, %r2, 5;
    shl.b32 %r4, %r3, 2;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r1;
    @%p1 bra L;
    .loc 1 15 1
    st.param.b32 [given], %r4;
    call (got), apart, (given);
    ld.param.b32 %r5, [got];
    .loc 1 16 1
    st.global.f32 [%rd1], %f2;
    st.global.u32 [%rd1+4], %r5;
    ret;
}
.file 1 \"k.cu\"
.file 2 \"apart.cu\"
.section .debug_str { $blend: .b8 98, 108, 101, 110, 100, 0 }
";

fn program() -> Program {
    let source = SourceFile::new("k.ptx", TEXT);
    let parsed = texunit_syntax::parse(&source);
    assert_eq!(parsed.diagnostics, []);
    let checked = texunit_check::check(&source, &parsed.module);
    assert_eq!(checked.diagnostics, []);
    crate::lower(checked.module, Symbols::default(), source)
}

/// Source lines of an operation's frames, innermost first, with the opcode in the PTX.
fn place(program: &Program, inst: &Inst) -> (String, String) {
    let place = program.place(inst.span);
    let lines: Vec<_> = place.frames.iter().map(|f| f.line.to_string()).collect();
    let text = program.source.snippet(inst.span).trim_end_matches(';');
    assert_eq!(place.ptx, program.source.location(inst.span.start));
    (lines.join(" < "), text.split_whitespace().next().unwrap_or("").to_owned())
}

/// For each counted operation, its source lines and opcode.
fn counted(program: &Program, code: &Code) -> Vec<(String, String)> {
    code.insts.iter().filter(|i| i.count != 0).map(|inst| place(program, inst)).collect()
}

/// Every PTX instruction is one counted operation with its location, except that a fused product is
/// represented by its sum.
#[test]
fn operations_keep_their_places() {
    let program = program();
    let expected = |fused: bool| -> Vec<(String, String)> {
        let product = |lines, word| (!fused).then_some((lines, word));
        let all = [
            Some(("70", "ld.param.b32")),
            Some(("71", "mul.lo.u32")),
            Some(("71", "st.param.b32")),
            Some(("71", "ret")),
            Some(("", "ld.param.u64")),
            Some(("10", "ld.param.u32")),
            Some(("10", "ld.param.f32")),
            Some(("11", "mov.u32")),
            Some(("11", "mov.f32")),
            product("50 < 12", "mul.f32"),
            Some(("51 < 12", "add.f32")),
            product("50 < 13", "mul.f32"),
            Some(("51 < 13", "add.f32")),
            Some(("14", "xor.b32")),
            Some(("14", "shl.b32")),
            Some(("14", "add.u32")),
            Some(("14", "setp.lt.u32")),
            Some(("14", "@%p1")),
            Some(("15", "st.param.b32")),
            Some(("15", "call")),
            Some(("15", "ld.param.b32")),
            Some(("16", "st.global.f32")),
            Some(("16", "st.global.u32")),
            Some(("16", "ret")),
        ];
        all.into_iter().flatten().map(|(l, w)| (l.to_owned(), w.to_owned())).collect()
    };
    let [apart, fused] = [false, true].map(|fmad| Arithmetic { fmad, ..Arithmetic::default() });
    assert!(program.code(fused).insts.len() < program.code(apart).insts.len());
    for fmad in [false, true] {
        let arithmetic = Arithmetic { fmad, ..Arithmetic::default() };
        assert_eq!(counted(&program, program.code(arithmetic)), expected(fmad), "fused: {fmad}");
    }
    let blend = program.code(fused).insts.iter().find(|inst| place(&program, inst).0 == "51 < 13");
    let names: Vec<_> = program.place(blend.unwrap().span).frames;
    let names: Vec<_> = names.iter().map(|f| (f.file.unwrap(), f.function.as_deref())).collect();
    assert_eq!(names, [("apart.cu", Some("blend")), ("k.cu", Some("k"))]);
}

/// The source location does not enlarge an instruction.
#[test]
fn operations_are_as_large_as_before() {
    assert_eq!(size_of::<Inst>(), size_of::<(Op, u32, u8, u64)>().next_multiple_of(8));
}
