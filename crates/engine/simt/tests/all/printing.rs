//! Tests of `vprintf` and `__assertfail`, as nvcc calls them.

use crate::common::{Arg, How, kernel_with, load_text};
use texunit_simt::FaultKind;

const EXTERN: &str = "
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 fmt[20] = {99, 116, 97, 32, 37, 100, 32, 37, 53, 46, 50, 102, 32, 37, 115, 10, 0};
.global .align 1 .b8 word[4] = {97, 98, 99, 0};
";

const PRINT: &str = "
         st.local.u32 [args], %cta;
         cvt.rn.f64.u32 %f, %t;
         st.local.f64 [args+8], %f;
         mov.u64 %a, word; cvta.global.u64 %a, %a;
         st.local.u64 [args+16], %a;
         {
             .param .b64 x; .param .b64 y; .param .b32 z;
             mov.u64 %a, fmt; cvta.global.u64 %a, %a;
             st.param.b64 [x], %a;
             mov.u64 %a, args; cvta.local.u64 %a, %a;
             st.param.b64 [y], %a;
             call.uni (z), vprintf, (x, y);
             ld.param.b32 %v, [z];
         }
         st.global.u32 [%my], %v;
";

#[test]
fn output_comes_in_the_order_of_ctas_and_threads() {
    let text = kernel_with(
        EXTERN,
        ".reg .u64 %a; .reg .u32 %v; .reg .f64 %f; .local .align 8 .b8 args[24];",
        &format!("{PRINT} ret;"),
    );
    let loaded = load_text(&text);
    let (address, _) = loaded.buffer(64);
    let how = How { grid: [20, 1, 1], block: [3, 1, 1], threads: 4, ..How::default() };
    let stats = loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    let mut wanted = String::new();
    for t in 0..60 {
        wanted += &format!("cta {} {:5}.00 abc\n", t / 3, t).replace("    ", "");
    }
    let got = String::from_utf8(stats.printf).unwrap();
    let squeeze = |s: &str| s.replace(' ', "");
    assert_eq!(squeeze(&got), squeeze(&wanted));
    assert!(got.starts_with("cta 0  0.00 abc\ncta 0  1.00 abc\n"), "{got}");
}

#[test]
fn a_failed_assertion_says_where() {
    let text = kernel_with(
        EXTERN,
        ".reg .u64 %a; .reg .pred %p;",
        "mov.u64 %a, word; cvta.global.u64 %a, %a;
         setp.eq.u32 %p, %t, 2;
         @!%p bra FINE;
         {
             .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
             st.param.b64 [m], %a; st.param.b64 [f], %a; st.param.b32 [l], 42;
             st.param.b64 [n], %a; st.param.b64 [s], 1;
             call.uni __assertfail, (m, f, l, n, s);
         }
FINE:    ret;",
    );
    let loaded = load_text(&text);
    let fault = loaded.run("k", How::default(), &[Arg::U64(0)]).unwrap_err();
    assert_eq!(fault.kind.to_string(), "abc:42: abc: assertion `abc` failed");
    let abc = || "abc".to_owned();
    let kind = FaultKind::Assert { message: abc(), file: abc(), line: 42, function: abc() };
    assert_eq!((fault.kind, fault.thread), (kind, [2, 0, 0]));
}

#[test]
fn a_format_that_is_nowhere_is_a_fault() {
    let text = kernel_with(
        EXTERN,
        ".reg .u32 %v;",
        "{
             .param .b64 x; .param .b64 y; .param .b32 z;
             st.param.b64 [x], 77; st.param.b64 [y], 77;
             call.uni (z), vprintf, (x, y);
         }
         ret;",
    );
    let loaded = load_text(&text);
    let fault = loaded.run("k", How::default(), &[Arg::U64(0)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { address: 77, .. }), "{fault:?}");
}

#[test]
fn what_was_printed_before_a_fault_is_kept() {
    let text = kernel_with(
        EXTERN,
        ".reg .u64 %a; .reg .u32 %v; .reg .f64 %f; .local .align 8 .b8 args[24];",
        &format!("{PRINT} trap;"),
    );
    let loaded = load_text(&text);
    let (address, _) = loaded.buffer(64);
    let how = How { block: [1, 1, 1], ..How::default() };
    let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Trap { message: None }), "{fault:?}");
    assert_eq!(String::from_utf8_lossy(&fault.stats.printf), "cta 0  0.00 abc\n");
    assert!(fault.stats.warp_instructions > 10);
}
