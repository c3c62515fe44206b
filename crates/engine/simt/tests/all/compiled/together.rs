//! Tests of warps that wait for each other within a region, at fetches and barriers: results equal
//! those of the interpreter for any operands and divergence.

use super::outcome::{self, ALL, Outcome};
use crate::common::{Arg, How, load_text};
use crate::unit_common::{numbered, shape, texture, zeros};
use std::sync::Arc;
use texunit_simt::JitMode;
use texunit_testkit::ptx;
use texunit_unit::{Filter, Geometry, Resource, Sampler};

pub(crate) const PARAMS: &str = ".param .u64 out, .param .u64 one, .param .u64 two";
/// Each thread has one output word.
pub(crate) const BEGIN: &str = ".reg .u64 %a<10>;\n.reg .u32 %b<16>;\n.reg .f32 %f<16>;\n.reg .pred %p, %q, %r;\n\
    ld.param.u64 %a0, [out];\nld.param.u64 %a1, [one];\nld.param.u64 %a2, [two];\n\
    mov.u32 %b0, %ctaid.x;\nmov.u32 %b1, %ctaid.y;\nmov.u32 %b2, %nctaid.x;\nmad.lo.u32 %b0, %b1, %b2, %b0;\n\
    mov.u32 %b2, %ntid.x;\nmov.u32 %b3, %tid.x;\nmad.lo.u32 %b4, %b0, %b2, %b3;\n\
    mul.wide.u32 %a3, %b4, 4;\nadd.u64 %a4, %a0, %a3;\nand.b32 %b5, %b3, 7;\n";
pub(crate) const END: &str = "st.global.f32 [%a4], %f0;\nret;\n";

/// Declares the texture parameter.
type Make = fn() -> Arc<Resource>;

fn layers() -> Arc<Resource> {
    numbered(&shape(Geometry::A1d, "f32x1"), "layers")
}

fn plane() -> Arc<Resource> {
    numbered(&shape(Geometry::D2, "f32x1"), "plane")
}

/// NaNs of several kinds among numbers, equal in each layer.
fn strange() -> Arc<Resource> {
    let made = zeros(&shape(Geometry::A1d, "f32x1"), "strange");
    let texels: [u32; 8] =
        [0x3f80_0000, 0x7fc0_0000, 0x7fff_ffff, 0xffc0_0001, 0x7f80_0001, 0x4000_0000, 1, 0];
    let layer: Vec<u8> = texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
    made.fill_packed(&layer.repeat(3)).unwrap();
    made
}

/// Several launches of a kernel, each with its stored values.
fn outcomes(body: &str, textures: [Make; 2], how: How, launches: usize) -> Vec<Outcome> {
    let mut loaded = load_text(&ptx::kernel(ptx::SM_75, PARAMS, body));
    let sampler = Sampler::default().with_filter(Filter::Point);
    let [one, two] = textures.map(|make| texture(&mut loaded, make(), sampler));
    let threads = how.grid[0] * how.grid[1] * how.block[0];
    let (to, out) = loaded.buffer(threads as usize);
    let args = [Arg::U64(to), Arg::U64(one), Arg::U64(two)];
    outcome::launches(&loaded, how, &args, &[(&out, |_| 0)], launches)
}

/// Compares a kernel in all modes with the interpreter.
fn compare(name: &str, body: &str, textures: [Make; 2], how: How) -> Outcome {
    let done = outcome::compare(name, ALL, |jit, times| {
        outcomes(body, textures, How { jit: Some(jit), ..how }, times)
    });
    assert!(done.memory[0].iter().any(|&word| word != 0), "{name}: nothing is stored");
    done
}

/// Operands that are dead after the fetch and are not parameters, and operands that are equal in
/// all threads.
#[test]
fn fetches_read_operands_that_are_copies() {
    let fetches = [
        (
            "layer",
            "mov.u32 %b6, %ctaid.y;\ntex.a1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%a1, {%b6, %b5}];\n",
        ),
        (
            "thread",
            "mov.u32 %b6, %tid.x;\ntex.a1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%a1, {%b1, %b6}];\n",
        ),
        (
            "literal",
            "mov.f32 %f7, 0f40600000;\ncvt.rn.f32.u32 %f6, %b5;\n\
            tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%a2, {%f6, %f7}];\n",
        ),
        (
            "level",
            "mov.f32 %f7, 0f00000000;\ncvt.rn.f32.u32 %f6, %b5;\n\
            tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%a2, {%f6, %f6}], %f7;\n",
        ),
        (
            "parameter",
            "ld.param.u32 %b6, [one];\nshr.u32 %b7, %b6, 31;\nld.param.u32 %b8, [one];\n\
            tex.a1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%a1, {%b8, %b5}];\ncvt.rn.f32.u32 %f1, %b7;\nadd.f32 %f0, %f0, %f1;\n",
        ),
        (
            "two fetches",
            "mov.u32 %b6, %ctaid.y;\ntex.a1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%a1, {%b6, %b5}];\n\
            cvt.rn.f32.u32 %f4, %b5;\ntex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%a2, {%f4, %f4}];\n\
            add.f32 %f0, %f0, %f5;\n",
        ),
        (
            "predicate",
            "tex.a1d.v4.f32.s32 {%f0, %f1, %f2, %f3}|%p, [%a1, {%b1, %b5}];\n@!%p mov.f32 %f0, 0f3F800000;\n",
        ),
    ];
    // The last warp has eight lanes; more than eight warps need several calls.
    for block in [72, 320] {
        for (name, fetch) in fetches {
            let how = How { grid: [40, 3, 1], block: [block, 1, 1], ..How::default() };
            let done = compare(name, &format!("{BEGIN}{fetch}{END}"), [layers, plane], how);
            assert_eq!(done.fault, None, "{name}");
        }
    }
}

/// The texture depends on the CTA, on the warp, or on the lane.
#[test]
fn handles_are_looked_at() {
    for (name, of) in [("CTA", "%b0"), ("warp", "%b6"), ("lane", "%b3")] {
        let fetch = format!(
            "shr.u32 %b6, %b3, 5;\nand.b32 %b7, {of}, 1;\nsetp.eq.u32 %p, %b7, 0;\nselp.u64 %a5, %a1, %a2, %p;\n\
            tex.1d.v4.f32.s32 {{%f0, %f1, %f2, %f3}}, [%a5, {{%b5}}];\n"
        );
        let how = How { grid: [64, 1, 1], block: [160, 1, 1], ..How::default() };
        compare(name, &format!("{BEGIN}{fetch}{END}"), [layers, strange], how);
    }
}

/// Lanes fetch in a loop with different numbers of iterations, and after it. Loop-carried floats
/// can be NaNs of a texture when a warp resumes after a fetch.
#[test]
fn fetches_in_loops() {
    let divided = "mov.f32 %f0, 0f00000000;\nmov.u32 %b6, 0;\nand.b32 %b7, %b4, 3;\n\
        NEXT:\nadd.u32 %b8, %b5, %b6;\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%a1, {%b8}];\nadd.f32 %f0, %f0, %f1;\n\
        add.u32 %b6, %b6, 1;\nsetp.le.u32 %p, %b6, %b7;\n@%p bra NEXT;\n\
        tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%a1, {%b7}];\nadd.f32 %f0, %f0, %f1;\n";
    let strange_ones = "cvt.rn.f32.u32 %f6, %b3;\nand.b32 %b6, %b0, 1;\nmov.u32 %b9, 0;\n\
        setp.eq.u32 %p, %b6, 0;\nsetp.eq.u32 %r, %b0, 99999;\n@%p bra FETCH;\nmul.f32 %f0, %f6, %f6;\nbra.uni LOOP;\n\
        FETCH:\n@%r bra STOP;\ntex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%a2, {%b5}];\n\
        LOOP:\nfma.rn.f32 %f0, %f0, 0f3F000000, 0f3F800000;\nadd.u64 %a5, %a0, %a3;\nst.global.f32 [%a5], %f0;\n\
        add.u32 %b9, %b9, 1;\nsetp.lt.u32 %q, %b9, 4;\n@%q bra LOOP;\nSTOP:\n";
    for (name, fetch) in [("divided", divided), ("strange", strange_ones)] {
        let how = How { grid: [64, 1, 1], block: [96, 1, 1], ..How::default() };
        let done = compare(name, &format!("{BEGIN}{fetch}{END}"), [layers, strange], how);
        assert_eq!(done.fault, None, "{name}");
    }
}

/// Each thread sums the values that others have stored, between two barriers, with divergence in
/// between.
fn exchange(last: u32, barriers: [u32; 2]) -> String {
    let [first, second] = barriers;
    format!(
        "{BEGIN}.shared .align 4 .b8 room[4096];\nmov.u32 %b6, room;\nshl.b32 %b7, %b3, 2;\nadd.u32 %b7, %b7, %b6;\n\
        mad.lo.u32 %b8, %b4, 3, 1;\nmov.u32 %b9, 1;\nsetp.ge.u32 %p, %b3, {last};\n@%p bra LEAVE;\n\
        NEXT:\nst.shared.u32 [%b7], %b8;\nbar.sync {first};\nxor.b32 %b10, %b3, %b9;\nsetp.ge.u32 %q, %b10, {last};\n\
        @%q bra BEHIND;\nshl.b32 %b10, %b10, 2;\nadd.u32 %b10, %b10, %b6;\nld.shared.u32 %b11, [%b10];\nmad.lo.u32 %b8, %b8, 5, %b11;\n\
        BEHIND:\nbar.sync {second};\nshl.b32 %b9, %b9, 1;\nsetp.lt.u32 %r, %b9, 512;\n@%r bra NEXT;\n\
        LEAVE:\nst.global.u32 [%a4], %b8;\nret;\n"
    )
}

/// CTAs of one warp, of several, and of more than eight; some warps, or lanes of one, exit before
/// the barriers.
#[test]
fn barriers_in_regions() {
    for (threads, last) in [(32, 32), (100, 100), (320, 320), (320, 128), (320, 140), (1024, 1000)]
    {
        for barriers in [[0, 0], [3, 15]] {
            let how = How { grid: [30, 1, 1], block: [threads, 1, 1], ..How::default() };
            let name = format!("{threads} threads, of which {last} go on, {barriers:?}");
            let done = compare(&name, &exchange(last, barriers), [layers, layers], how);
            assert_eq!(done.fault, None, "{name}");
        }
    }
}

/// The step limit is checked at barriers, wherever it is exceeded.
#[test]
fn barriers_keep_the_limit_of_steps() {
    for max_steps in [15, 20, 25, 40, 60, 100] {
        let how = How { grid: [30, 1, 1], block: [320, 1, 1], max_steps, ..How::default() };
        let mode = |jit| How { jit: Some(jit), ..how };
        let body = exchange(320, [0, 0]);
        let told = |jit| outcomes(&body, [layers, layers], mode(jit), 2).remove(1).fault;
        let expected = told(JitMode::Off).expect("a fault");
        assert!(expected.contains("StepLimit"), "{expected}");
        for jit in [JitMode::Always, JitMode::On] {
            let fault = told(jit).expect("a fault");
            assert!(fault.contains("StepLimit"), "{max_steps}: {fault}");
        }
    }
}
