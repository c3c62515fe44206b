//! Loops whose registers get numbers, whose lanes come to the end of a table, and whose index is
//! overwritten where an address needs it.

use super::outcome::{self, COMPILED};
use super::run;
use crate::common::How;
use texunit_testkit::ptx;

const PARAMS: &str = ".param .u64 out, .param .u64 in, .param .u64 counts, .param .u32 n";
/// Number of elements of the table.
const WORDS: u32 = 1024;
/// How often each thread comes to the loop.
const TIMES: u32 = 5;

/// Compares what a kernel does with a table in both modes.
fn compare(body: &str, table: &[u32], what: &str) {
    let text = ptx::kernel(ptx::SM_75, PARAMS, body);
    outcome::compare(&format!("{what}\n{text}"), COMPILED, |jit, times| {
        run(&text, table, How { jit: Some(jit), ..How::default() }, times)
    });
}

/// Registers that get constants in a loop have their values where the loop is left, in the next
/// iteration, and in the block after the loop.
#[test]
fn copies_in_loops() {
    let bodies = [
        "mov.u32 %r5, 1;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, 0;\n",
        "setp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, %n;\n",
        "add.u32 %r2, %r2, %r5;\nmov.u32 %r5, 7;\n",
        "mov.u32 %r5, 7;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.u32 %r2, %r2, %r5;\n",
        "add.u32 %r5, %r5, 2;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, 9;\n",
        "mov.u64 %w, 5;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u64 %w, 6;\n",
        "mov.f32 %f, 0f3F800000;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.f32 %f, %f, %f;\n",
        "ld.param.u32 %r5, [n];\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.u32 %r2, %r2, %r5;\nmov.u32 %r5, 1;\n",
        "mov.u32 %r5, %ntid.x;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, %tid.x;\n",
    ];
    for (i, body) in bodies.into_iter().enumerate() {
        let text = format!(
            ".reg .u64 %in, %own, %b, %w;\n.reg .u32 %t, %o, %i, %e, %n, %r<6>;\n.reg .f32 %f;\n.reg .pred %p, %q;\n\
             ld.param.u64 %own, [out];\nld.param.u64 %in, [in];\nld.param.u32 %n, [n];\n\
             mov.u32 %t, %tid.x;\nmad.wide.u32 %own, %t, 128, %own;\nmov.u32 %o, 0;\n\
             AGAIN:\nmov.u32 %r2, 0;\nmov.u32 %r5, 0;\nmov.u64 %w, 0;\nmov.f32 %f, 0f40000000;\n\
             mad.lo.u32 %i, %t, 9, %o;\nadd.u32 %e, %i, 8;\n\
             LOOP:\nmul.wide.u32 %b, %i, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r1, [%b];\n{body}\
             add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\nOUT:\n\
             st.global.u32 [%own], %r2;\nst.global.u32 [%own+4], %r5;\nst.global.u64 [%own+8], %w;\nst.global.f32 [%own+16], %f;\n\
             add.u64 %own, %own, 24;\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, {TIMES};\n@%q bra AGAIN;\nret;\n"
        );
        let table: Vec<u32> = (0..WORDS).map(|i| i.wrapping_mul(0x9e37_79b9) >> 28).collect();
        compare(&text, &table, &format!("copies {i}"));
    }
}

#[test]
fn the_end_of_a_table() {
    let body = ".reg .u64 %in, %own, %b;\n.reg .u32 %o, %i, %j, %e, %r<4>;\n.reg .pred %q;\n\
        ld.param.u64 %own, [out];\nld.param.u64 %in, [in];\nmov.u32 %o, 0;\nAGAIN:\n\
        mov.u32 %i, %tid.x;\nmad.lo.u32 %i, %i, 16, %o;\nadd.u32 %e, %i, 8;\nmov.u32 %r2, 0;\n\
        LOOP:\nmul.wide.u32 %b, %i, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r0, [%b];\nadd.u32 %j, %i, 5;\n\
        mul.wide.u32 %b, %j, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r1, [%b];\nmad.lo.u32 %r2, %r2, 3, %r0;\n\
        add.u32 %r2, %r2, %r1;\nadd.u32 %i, %i, 2;\nsetp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\n\
        mov.u32 %j, %tid.x;\nmul.wide.u32 %b, %j, 4;\nadd.u64 %b, %b, %own;\nst.global.u32 [%b], %r2;\n\
        add.u64 %own, %own, 128;\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, 5;\n@%q bra AGAIN;\nret;\n";
    // The last lane comes to this word the last time.
    let last = 16 * 31 + 4 + 6 + 5;
    for words in last - 12..last + 3 {
        let table: Vec<u32> = (0..words).map(|i| i * 77).collect();
        compare(body, &table, &format!("a table of {words} words"));
    }
}

/// In the first program the index `%r1` is dead but for the address in the next block, which has
/// its extension `%w` from the block before; `%w` itself is needed later. In the second one a sum
/// overwrites the index of the sum that it is computed from.
#[test]
fn indices_of_addresses() {
    let bodies = [
        "add.u32 %r0, %i, %t;\nmul.wide.u32 %b, %r0, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r1, [%b];\n\
         cvt.s64.s32 %w, %r1;\nsetp.gt.u32 %p, %r0, 40;\n@%p bra NEXT;\n\
         shl.b64 %b, %w, 2;\nadd.u64 %b, %in, %b;\nld.global.u32 %r3, [%b];\nmov.u32 %r1, 0x10000;\n\
         mad.lo.u32 %r2, %r2, 3, %r3;\nsetp.eq.u32 %q, %r3, 3;\n@%q bra NEXT;\nadd.u64 %s, %s, %w;\nadd.u32 %r2, %r2, %r1;\n",
        "add.u32 %r1, %r0, 1;\nadd.u32 %r0, %r1, 1;\nmul.wide.u32 %b, %r0, 4;\nadd.u64 %b, %b, %in;\n\
         ld.global.u32 %r3, [%b];\nmad.lo.u32 %r2, %r2, 3, %r3;\nxor.b32 %r2, %r2, %r0;\n",
    ];
    let table: Vec<u32> = (0..WORDS).map(|i| i.wrapping_mul(0x9e37_79b9) >> 28).collect();
    for (i, body) in bodies.into_iter().enumerate() {
        let text = format!(
            ".reg .u64 %in, %own, %b, %w, %s;\n.reg .u32 %t, %i, %r<4>;\n.reg .pred %p, %q;\n\
             ld.param.u64 %own, [out];\nld.param.u64 %in, [in];\nmov.u32 %t, %tid.x;\n\
             mad.wide.u32 %own, %t, 128, %own;\nmov.u32 %i, 0;\nmov.u32 %r0, %t;\nmov.u32 %r2, 0;\nmov.u64 %s, 0;\n\
             LOOP:\n{body}NEXT:\nadd.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, 30;\n@%q bra LOOP;\n\
             st.global.u32 [%own], %r2;\nst.global.u64 [%own+8], %s;\nret;\n"
        );
        compare(&text, &table, &format!("indices {i}"));
    }
}
