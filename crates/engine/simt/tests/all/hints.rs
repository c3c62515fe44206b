//! Tests of instructions that only hint or order: they change nothing, and need no valid memory at
//! their addresses. `ldu` loads.

use crate::common::{How, kernel_with, run_fault, run_words};

fn one() -> How {
    How { block: [1; 3], ..How::default() }
}

#[test]
fn ldu_loads_scalars_and_vectors() {
    let text = kernel_with(
        ".global .align 16 .b8 g[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0xf9, 10, 11, 12, 13, 14, 15, 16};",
        ".reg .b32 %a, %b, %c, %d; .reg .s32 %s; .reg .u64 %q, %g;",
        "mov.u64 %g, g;
         ldu.global.v4.b32 {%a, %b, %c, %d}, [%g];
         st.global.v4.b32 [%my], {%d, %c, %b, %a};
         ldu.global.s8 %s, [%g+8]; st.global.u32 [%my+16], %s;
         ldu.u64 %q, [%g+8]; st.global.u64 [%my+24], %q;
         ret;",
    );
    let wanted = [
        0x100f_0e0d,
        0x0c0b_0af9,
        0x0807_0605,
        0x0403_0201,
        0xffff_fff9,
        0,
        0x0c0b_0af9,
        0x100f_0e0d,
    ];
    assert_eq!(run_words(&text, one(), 8), wanted);
    let outside = kernel_with(
        "",
        ".reg .u64 %g; .reg .u32 %v;",
        "mov.u64 %g, 4096; ldu.global.u32 %v, [%g]; ret;",
    );
    let (fault, line) = run_fault(&outside, one(), 1);
    assert_eq!(fault.kind.name(), "out-of-bounds");
    assert!(line.contains("ldu"), "{line}");
}
