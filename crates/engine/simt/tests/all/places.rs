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
const CALLED: &str = include_str!("../ptx/places_called.ptx");

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
