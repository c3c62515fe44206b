//! Tests of array elements, `name[2]` and `name[%r1+2]`. Their meaning was determined from the code
//! that ptxas 11.8 to 13.5 generates (nvdisasm). A subscript counts elements of the array's type.
//! With a register, the offset is `(register + constant) * size` in 32 bits, added to the address
//! of a global array without sign extension. Short registers are extended according to their type;
//! of long ones the low half is used.

use crate::common::{Arg, HEADER, How, kernel_with, load_text, run_words, words};

fn how(x: u32) -> How {
    How { block: [x, 1, 1], ..How::default() }
}

const ARRAYS: &str = "
.global .u64 g8[4] = {10, 11, 12, 13};
.global .u32 g4[8] = {20, 21, 22, 23, 24, 25, 26, 27};
.global .b8 g1[4] = {1, 2, 3, 4};
.global .align 16 .v4 .f32 gv[2] = {{0f3f800000, 0f40000000, 0f40400000, 0f40800000}, {0f40a00000, 0f40c00000, 0f40e00000, 0f41000000}};
.global .u32 gm[2][3] = {{30, 31, 32}, {33, 34, 35}};
.const .u16 c2[4] = {40, 41, 42, 43};
";

#[test]
fn addresses_of_elements() {
    let cases: &[(&str, &str, i64)] = &[
        ("mov.u32 %r, 3;", "g8[%r]", 24),
        ("mov.u32 %r, 3;", "g8[%r+2]", 40),
        ("mov.u32 %r, 3;", "g8[%r+-3]", 0),
        // The offset has 32 bits and is not sign-extended.
        ("mov.u32 %r, -1;", "g8[%r]", 0xffff_fff8),
        ("mov.u32 %r, -1;", "g8[%r+1]", 0),
        ("mov.u32 %r, 0x20000001;", "g8[%r]", 8),
        ("mov.u32 %r, 1;", "g8[%r+0x100000002]", 24),
        ("mov.u32 %r, 1;", "g8[%r+0x10000000]", 0x8000_0008),
        // Registers of other widths.
        ("mov.u64 %d, 0x700000002;", "g8[%d]", 16),
        ("mov.u16 %h, 0xfffe;", "g4[%h]", 0x3_fff8),
        ("mov.s16 %s, 0xfffe;", "g4[%s]", 0xffff_fff8),
        ("mov.s16 %s, 0xfffe;", "g4[%s+3]", 4),
        ("mov.b16 %b, 5;", "g4[%b]", 20),
        ("mov.u32 %r, 5; cvt.s8.u32 %c, %r;", "g1[%c]", 5),
        ("mov.u32 %r, 0xfc; cvt.s8.u32 %c, %r;", "g1[%c+5]", 1),
        ("", "g4[%laneid]", 0),
        ("", "g4[%laneid+2]", 8),
        // Array dimensions and vectors are ignored.
        ("mov.u32 %r, 2;", "gm[%r]", 8),
        ("mov.u32 %r, 3;", "gv[%r]", 12),
        // Constants are signed.
        ("", "g8[-1]", -8),
        ("", "g8[0x100000001]", 8),
        ("", "g8[0x30000001]", -0x7fff_fff8),
    ];
    for (before, element, wanted) in cases {
        let name = element.split('[').next().unwrap();
        let registers = ".reg .u32 %r; .reg .u64 %d, %a, %e; .reg .u16 %h; .reg .s16 %s; .reg .b16 %b; .reg .s8 %c;";
        for how_ in ["mov", "cvta.global"] {
            let body = format!(
                "{before} {how_}.u64 %e, {element}; mov.u64 %a, {name}; sub.u64 %e, %e, %a;\n\
                 st.global.u64 [%out], %e; ret;"
            );
            let text = kernel_with(ARRAYS, registers, &body);
            let got = run_words(&text, how(1), 2);
            let got = i64::from(got[0]) | i64::from(got[1]) << 32;
            assert_eq!(got, *wanted, "{before} {how_} {element}");
        }
    }
}

#[test]
fn elements_of_shared_local_and_dynamic_arrays() {
    let text = kernel_with(
        ".extern .shared .u32 dynamic[];",
        ".shared .u32 gap[3]; .shared .u16 s2[64]; .local .u32 gone; .local .u64 l8[4];
         .reg .u32 %v, %w, %x, %back; .reg .u16 %h; .reg .u64 %d, %a; .reg .s32 %i; .reg .pred %p;",
        "add.u32 %v, %t, 100; cvt.u16.u32 %h, %v;
         st.shared.u16 s2[%t+1], %h;
         mul.lo.u32 %v, %t, 3;
         st.shared.u32 dynamic[%t], %v;
         bar.sync 0;
         mov.u32 %back, 31; sub.u32 %back, %back, %t;
         ld.shared.u16 %w, s2[%back+1];
         ld.shared.u32 %x, dynamic[%back];
         mad.lo.u32 %v, %x, 1000, %w;
         // A negative register wraps in 32 bits, so that the element is in the array itself.
         neg.s32 %i, %t;
         ld.shared.u16 %w, s2[%i+32];
         mad.lo.u32 %v, %w, 0, %v;
         and.b32 %w, %t, 3;
         cvt.u64.u32 %d, %v;
         st.local.u64 l8[%w], %d;
         ld.u64 %d, l8[%w];
         cvt.u32.u64 %v, %d;
         // The same element by address, in the array's own state space.
         mov.u64 %a, l8[%w]; ld.local.u32 %w, [%a];
         setp.ne.u32 %p, %v, %w;
         @%p trap;
         st.global.u32 [%my], %v;
         ret;",
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(32);
    let how = How { dynamic_shared: 128, ..how(32) };
    loaded.run("k", how, &[Arg::U64(address)]).unwrap();
    let wanted: Vec<u32> = (0..32).map(|t| (31 - t) * 3 * 1000 + (31 - t) + 100).collect();
    assert_eq!(words(&block), wanted);
}

#[test]
fn elements_of_parameters() {
    let text = format!(
        "{HEADER}
.func (.param .b32 r[2]) pick(.param .b32 from[4], .param .u32 n) {{
    .reg .u32 %n, %v;
    ld.param.u32 %n, [n];
    ld.param.b32 %v, from[%n+1];
    st.param.b32 r[1], %v;
    ld.param.b32 %v, from[3];
    st.param.b32 r[0], %v;
    ret;
}}
.visible .entry k(.param .u64 out, .param .u32 table[4], .param .align 8 .b8 bytes[8]) {{
    .reg .u32 %t, %v, %w; .reg .u64 %out, %a;
    .param .b32 given[4]; .param .u32 n; .param .b32 got[2];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %out, %t, 20, %out;
    ld.param.u32 %v, table[%t+1];
    st.global.u32 [%out], %v;
    ld.param.u8 %v, bytes[%t];
    st.global.u32 [%out+4], %v;
    ld.param.u32 %v, table[2];
    st.global.u32 [%out+8], %v;
    st.param.b32 given[0], 500; st.param.b32 given[%t+1], 501;
    st.param.b32 given[%t+2], 502; st.param.b32 [given+12], 503;
    st.param.u32 [n], %t;
    call (got), pick, (given, n);
    ld.param.b32 %v, got[0];
    ld.param.b32 %w, got[1];
    st.global.u32 [%out+12], %v;
    st.global.u32 [%out+16], %w;
    ret;
}}"
    );
    let loaded = load_text(&text);
    let (address, block) = loaded.buffer(10);
    let table = [100_u32, 101, 102, 103].iter().flat_map(|v| v.to_le_bytes()).collect();
    let bytes = (200..208).map(|v: u32| v as u8).collect();
    loaded.run("k", how(2), &[Arg::U64(address), Arg::Bytes(table), Arg::Bytes(bytes)]).unwrap();
    assert_eq!(words(&block), [101, 200, 102, 503, 501, 102, 201, 102, 503, 501]);
}

#[test]
fn guards_and_places_outside_of_an_array() {
    let text = kernel_with(
        ARRAYS,
        ".reg .pred %p; .reg .u32 %v;",
        "setp.lt.u32 %p, %t, 8; mov.u32 %v, 0;
         @%p ld.global.u32 %v, g4[%t];
         @%p st.global.u32 g4[%t], %t;
         st.global.u32 [%my], %v; ret;",
    );
    let mut wanted: Vec<u32> = (20..28).collect();
    wanted.resize(16, 0);
    assert_eq!(run_words(&text, how(16), 16), wanted);
    let text = kernel_with(ARRAYS, ".reg .u32 %v;", "ld.global.u32 %v, gm[%t+600000]; ret;");
    let (fault, line) = crate::common::run_fault(&text, how(1), 1);
    assert_eq!(line, "ld.global.u32 %v, gm[%t+600000]; ret;");
    assert!(fault.kind.to_string().contains("out of bounds"), "{fault:?}");
}
