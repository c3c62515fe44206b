//! Tests of accesses by indices that the block shape makes contiguous: in blocks of any shape, at
//! the bounds of the accessed memory, where the index wraps, and in the loop over CTAs with atomics
//! between the accesses.

use super::outcome::{COMPILED, compare, launches};
use crate::common::{Arg, How, load_text};
use texunit_testkit::ptx;

/// Number of elements that are loaded.
const ELEMENTS: u32 = 1000;

/// Each thread loads the existing elements around `%tid.x` plus a number, and counts them in one
/// word. Some leave early, by a number that is uniform in blocks of whole rows.
const BODY: &str = ".reg .u64 %a<12>;\n.reg .u32 %b<24>;\n.reg .pred %p, %q, %r, %s, %t;\n\
    ld.param.u64 %a0, [out];\nld.param.u64 %a1, [in];\nld.param.u64 %a2, [count];\nld.param.u32 %b0, [plus];\n\
    mov.u32 %b1, %tid.x;\nmov.u32 %b2, %tid.y;\nmov.u32 %b3, %tid.z;\nmov.u32 %b4, %ntid.x;\nmov.u32 %b5, %ntid.y;\n\
    mov.u32 %b6, %ntid.z;\nmov.u32 %b7, %ctaid.x;\nadd.u32 %b8, %b1, %b0;\nsub.u32 %b9, %b8, 1;\nadd.u32 %b10, %b8, %b4;\n\
    mad.lo.u32 %b16, %b2, 7, %b7;\nsetp.gt.u32 %s, %b16, 20;\nsetp.eq.and.u32 %t, %b1, 0, %s;\n@%t ret;\n\
    add.u32 %b17, %b7, 3;\nadd.u32 %b17, %b17, %b1;\nadd.u32 %b18, %b17, %b7;\n\
    mov.u32 %b11, 7;\nmov.u32 %b12, 7;\nmov.u32 %b13, 7;\n\
    setp.lt.u32 %p, %b8, 1000;\nsetp.lt.u32 %q, %b9, 1000;\nsetp.lt.u32 %r, %b10, 1000;\n\
    mul.wide.u32 %a4, %b8, 4;\nadd.u64 %a5, %a1, %a4;\nmul.wide.u32 %a6, %b9, 4;\nadd.u64 %a7, %a1, %a6;\n\
    mul.wide.u32 %a8, %b10, 4;\nadd.u64 %a9, %a1, %a8;\n\
    @!%p bra NO;\nld.global.u32 %b11, [%a5];\nred.global.add.u32 [%a2], 1;\nNO:\n\
    @!%q bra NOR;\nld.global.u32 %b12, [%a7];\nNOR:\n\
    @%r ld.global.u32 %b13, [%a9];\n\
    mad.lo.u32 %b14, %b3, %b5, %b2;\nmad.lo.u32 %b14, %b14, %b4, %b1;\nmul.lo.u32 %b15, %b4, %b5;\nmul.lo.u32 %b15, %b15, %b6;\n\
    mad.lo.u32 %b14, %b7, %b15, %b14;\nmad.lo.u32 %b11, %b11, 3, %b12;\nmad.lo.u32 %b11, %b11, 5, %b13;\n\
    mad.lo.u32 %b11, %b11, 3, %b16;\n@%s xor.b32 %b11, %b11, %b18;\nmul.wide.u32 %a10, %b14, 4;\nadd.u64 %a11, %a0, %a10;\nst.global.u32 [%a11], %b11;\nret;\n";

/// Each thread stores values that depend on `%tid.x` alone to shared memory, at strides of 4, 8 and
/// 12 bytes, and sums the values that it loads, one of them in some lanes only.
const SHARED: &str = ".reg .u64 %a<4>;\n.reg .u32 %b<24>;\n.reg .pred %p;\n.shared .align 8 .b8 tile[4096];\n\
    ld.param.u64 %a0, [out];\nld.param.u32 %b0, [plus];\nmov.u32 %b1, %tid.x;\nmov.u32 %b2, %tid.y;\n\
    mov.u32 %b3, %tid.z;\nmov.u32 %b4, %ntid.x;\nmov.u32 %b5, %ntid.y;\nmov.u32 %b6, %ntid.z;\nmov.u32 %b7, %ctaid.x;\n\
    mov.u32 %b8, tile;\nadd.u32 %b9, %b1, %b0;\nshl.b32 %b10, %b1, 2;\nadd.u32 %b11, %b10, %b8;\n\
    mad.lo.u32 %b12, %b1, 8, %b8;\nmad.lo.u32 %b13, %b1, 12, %b8;\n\
    st.shared.u32 [%b11], %b9;\nst.shared.v2.u32 [%b12+1024], {%b1, %b9};\nst.shared.u32 [%b13+2048], %b9;\n\
    ld.shared.u32 %b14, [%b11];\nld.shared.v2.u32 {%b15, %b16}, [%b12+1024];\nld.shared.u32 %b17, [%b13+2048];\n\
    setp.lt.u32 %p, %b1, %b0;\nmov.u32 %b18, 5;\n@%p ld.shared.u32 %b18, [%b11];\n\
    mad.lo.u32 %b14, %b14, 3, %b15;\nmad.lo.u32 %b14, %b14, 3, %b16;\nmad.lo.u32 %b14, %b14, 3, %b17;\n\
    mad.lo.u32 %b14, %b14, 3, %b18;\nmad.lo.u32 %b19, %b3, %b5, %b2;\nmad.lo.u32 %b19, %b19, %b4, %b1;\n\
    mul.lo.u32 %b20, %b4, %b5;\nmul.lo.u32 %b20, %b20, %b6;\nmad.lo.u32 %b19, %b7, %b20, %b19;\n\
    mul.wide.u32 %a1, %b19, 4;\nadd.u64 %a2, %a0, %a1;\nst.global.u32 [%a2], %b14;\nret;\n";

/// Each thread loads two elements in each round of a loop, in which two uniform numbers are added
/// to its index. A parameter decides whether the lanes of a warp are contiguous, another one
/// whether they leave the loop together.
const WALK: &str = ".reg .u64 %a<8>;\n.reg .u32 %b<14>;\n.reg .pred %p;\n\
    ld.param.u64 %a0, [out];\nld.param.u64 %a1, [in];\nld.param.u32 %b0, [flip];\nld.param.u32 %b1, [step];\n\
    ld.param.u32 %b2, [uneven];\nmov.u32 %b3, %tid.x;\nmov.u32 %b4, %ctaid.x;\nmov.u32 %b5, %ntid.x;\n\
    mad.lo.u32 %b6, %b4, %b5, %b3;\nxor.b32 %b7, %b3, %b0;\nand.b32 %b8, %b3, %b2;\nadd.u32 %b8, %b8, 3;\n\
    mov.u32 %b9, 0;\nadd.u32 %b13, %b4, 5;\nLOOP:\n\
    mad.lo.u32 %b9, %b9, 7, %b13;\nmul.wide.u32 %a2, %b7, 4;\nadd.u64 %a3, %a1, %a2;\nld.global.u32 %b10, [%a3];\n\
    add.u32 %b11, %b7, 1;\nmul.wide.u32 %a4, %b11, 4;\nadd.u64 %a5, %a1, %a4;\nld.global.u32 %b12, [%a5];\n\
    mad.lo.u32 %b9, %b9, 3, %b10;\nmad.lo.u32 %b9, %b9, 5, %b12;\n\
    add.u32 %b7, %b7, %b1;\nsub.u32 %b7, %b7, 2;\nsub.u32 %b8, %b8, 1;\nsetp.ne.u32 %p, %b8, 0;\n@%p bra LOOP;\n\
    mul.wide.u32 %a6, %b6, 4;\nadd.u64 %a7, %a0, %a6;\nst.global.u32 [%a7], %b9;\nret;\n";

#[test]
fn rows_that_move_in_a_loop() {
    let params =
        ".param .u64 out, .param .u64 in, .param .u32 flip, .param .u32 step, .param .u32 uneven";
    let loaded = load_text(&ptx::kernel(ptx::SM_75, params, WALK));
    let numbers: Vec<u32> = (0..ELEMENTS).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (from, _) = loaded.filled(&numbers);
    for block in [[64, 1, 1], [40, 1, 1]] {
        let (to, out) = loaded.buffer(8 * block[0] as usize);
        for [flip, step, uneven] in [[0, 9, 0], [0, 9, 3], [0, 2, 7], [5, 9, 0], [5, 34, 7]] {
            let args =
                [Arg::U64(to), Arg::U64(from), Arg::U32(flip), Arg::U32(step), Arg::U32(uneven)];
            compare(&format!("{block:?}, {flip}, {step}, {uneven}"), COMPILED, |jit, times| {
                let how = How { grid: [8, 1, 1], block, jit: Some(jit), ..How::default() };
                launches(&loaded, how, &args, &[(&out, |_| 0)], times)
            });
        }
    }
}

#[test]
fn strides_in_shared_memory() {
    let loaded = load_text(&ptx::kernel(ptx::SM_75, ".param .u64 out, .param .u32 plus", SHARED));
    for block in [[32, 2, 1], [16, 4, 1], [48, 1, 1], [64, 2, 2], [33, 2, 1], [20, 1, 1]] {
        let threads = 8 * block.iter().product::<u32>();
        let (to, out) = loaded.buffer(threads as usize);
        for plus in [0, 7, 40, u32::MAX] {
            let args = [Arg::U64(to), Arg::U32(plus)];
            compare(&format!("{block:?}, {plus}"), COMPILED, |jit, times| {
                let how = How { grid: [8, 1, 1], block, jit: Some(jit), ..How::default() };
                launches(&loaded, how, &args, &[(&out, |_| 0)], times)
            });
        }
    }
}

#[test]
fn rows_of_blocks_of_any_shape() {
    let params = ".param .u64 out, .param .u64 in, .param .u64 count, .param .u32 plus";
    let loaded = load_text(&ptx::kernel(ptx::SM_75, params, BODY));
    let numbers: Vec<u32> = (0..ELEMENTS).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (from, _) = loaded.filled(&numbers);
    let (count_at, count) = loaded.buffer(1);
    let shapes = [
        [32, 2, 1],
        [16, 4, 1],
        [48, 2, 1],
        [48, 1, 1],
        [64, 2, 2],
        [33, 2, 1],
        [20, 1, 1],
        [8, 4, 2],
    ];
    for block in shapes {
        let threads = 40 * block.iter().product::<u32>();
        let (to, out) = loaded.buffer(threads as usize);
        for plus in [0, 1, 5, ELEMENTS - 33, ELEMENTS - 20, 0u32.wrapping_sub(16), 1 << 31] {
            let args = [Arg::U64(to), Arg::U64(from), Arg::U64(count_at), Arg::U32(plus)];
            compare(&format!("{block:?}, {plus}"), COMPILED, |jit, times| {
                let how = How { grid: [40, 1, 1], block, jit: Some(jit), ..How::default() };
                launches(&loaded, how, &args, &[(&out, |_| 0), (&count, |_| 0)], times)
            });
        }
    }
}
