//! Tests of the source location of faults, after compiled code, fused operations and calls.

use crate::common::{Arg, How, load_text};
use texunit_simt::{Fault, FaultKind};

/// The frames of a fault as `file:line:column function`, innermost first.
fn frames(fault: &Fault) -> Vec<String> {
    let shown = |f: &texunit_simt::Frame<'_>| {
        let file = f.file.unwrap_or("?").rsplit('/').next().unwrap();
        format!("{file}:{}:{} {}", f.line, f.column, f.function.as_deref().unwrap_or("?"))
    };
    fault.frames().iter().map(shown).collect()
}

/// Functions inlined by nvcc, in CTAs of many warps and of few threads.
#[test]
fn a_store_of_an_inlined_function() {
    let loaded = load_text(include_str!("../../../../../tests/places/nvcc-lineinfo.ptx"));
    let (address, _) = loaded.buffer(128);
    for (threads, fmad) in [(96, false), (96, true), (5, false)] {
        let how = How { block: [threads, 1, 1], fmad, ..How::default() };
        let args = |at| [Arg::U64(at), Arg::F32(1.0), Arg::U32(96)];
        let fault = loaded.run("places", how, &args(address + 512)).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { access: "store", .. }));
        let put = "places.cu:10:5 _Z3putIfEvPT_iS0_";
        assert_eq!(frames(&fault), [put, "places.cu:17:9 places"]);
        assert_eq!(loaded.line(&fault), "st.global.f32 \t[%rd1], %f3;");
        let place = loaded.program.place(fault.span);
        assert_eq!((place.ptx.line, place.ptx.column), (48, 2));
        assert_eq!((place.function, place.frames), (Some("places"), fault.frames()));
        let fault = loaded.run("places", how, &args(address + 128)).err();
        match threads {
            5 => assert_eq!(fault, None),
            _ => assert_eq!(frames(&fault.unwrap()), ["places.cu:18:5 places"]),
        }
    }
}

/// A loop in a callee, which is compiled before the fault occurs.
const CALLED: &str = "
.version 8.0
.target sm_80
.address_size 64
.file 1 \"a.cu\"
.func deep(.param .b64 to, .param .b32 n)
{
    .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
    .loc 1 3 1
    ld.param.b64 %rd1, [to];
    ld.param.b32 %r1, [n];
    mov.f32 %f1, 0f3f800000;
L:
    .loc 1 4 1
    mul.f32 %f2, %f1, 0f3f000000;
    add.f32 %f1, %f2, %f1;
    sub.f32 %f3, %f1, %f2;
    mul.f32 %f4, %f3, %f2;
    .loc 1 5 1
    .loc 1 1 1, function_name $put, inlined_at 1 5 1
    st.global.f32 [%rd1], %f4;
    .loc 1 6 1
    add.u64 %rd1, %rd1, 4;
    sub.u32 %r1, %r1, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra L;
    ret;
}
.entry k(.param .u64 out)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    .param .b64 to; .param .b32 n;
    ld.param.u64 %rd1, [out];
    st.param.b64 [to], %rd1;
    .loc 1 20 5
    st.param.b32 [n], 100000;
    .loc 1 21 5
    .loc 1 11 1, function_name $mid, inlined_at 1 21 5
    call deep, (to, n);
    ret;
}
.section .debug_str {
$put: .b8 112, 117, 116, 0
$mid: .b8 109, 105, 100, 0
}
";

#[test]
fn a_fault_behind_calls_and_machine_code() {
    let loaded = load_text(CALLED);
    let (address, _) = loaded.buffer(5000);
    for fmad in [false, true] {
        let how = How { fmad, ..How::default() };
        let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
        let expected = ["a.cu:1:1 put", "a.cu:5:1 deep", "a.cu:11:1 mid", "a.cu:21:5 k"];
        assert_eq!(frames(&fault), expected);
    }
}
