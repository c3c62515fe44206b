//! Tests of warps that wait for each other at surface loads and stores: results equal those of the
//! interpreter for any operands, in loops, with differing handles, and with faults.

use super::outcome::{self, ALL, Outcome};
use super::together::{BEGIN, END, PARAMS};
use crate::common::{Arg, How, load_text};
use crate::unit_common::{surface, zeros};
use std::sync::Arc;
use texunit_simt::JitMode;
use texunit_testkit::ptx;
use texunit_texel::Format;
use texunit_unit::{ArrayShape, Extent, Geometry, Resource};

/// Rows of 256 texels of 16 bytes: one for each thread.
const EXTENT: Extent = Extent { width: 256, height: 64, depth: 1 };
/// Coordinates of a thread: x in bytes, x in texels, y.
const PLACE: &str = "and.b32 %b9, %b4, 255;\nshl.b32 %b6, %b9, 4;\nshr.u32 %b7, %b4, 8;\n";

fn array(name: &str) -> Arc<Resource> {
    zeros(&ArrayShape::new(Format::from_name("u32x4").unwrap(), Geometry::D2, EXTENT), name)
}

/// Several launches of a kernel: the output and the two surfaces.
fn launches(body: &str, how: How, count: usize) -> Vec<Outcome> {
    let mut loaded = load_text(&ptx::kernel(ptx::SM_75, PARAMS, body));
    let arrays = ["one", "two"].map(array);
    let [one, two] = arrays.each_ref().map(|array| surface(&mut loaded, Arc::clone(array)));
    let (to, out) = loaded.buffer((how.grid[0] * how.grid[1] * how.block[0]) as usize);
    let args = [Arg::U64(to), Arg::U64(one), Arg::U64(two)];
    let filled: [outcome::Filled<'_>; 3] = [
        (&out, |_| 0),
        (arrays[0].block(), |i| i.wrapping_mul(0x9e37_79b9) | 1),
        (arrays[1].block(), |_| 0),
    ];
    outcome::launches(&loaded, how, &args, &filled, count)
}

fn compare(name: &str, body: &str, how: How) {
    let run = |jit, times| launches(body, How { jit: Some(jit), ..how }, times);
    let done = outcome::compare(name, ALL, run);
    assert_eq!(done.fault, None, "{name}");
    assert_ne!(done.stats[5], 0, "{name}: no surface access");
    assert!(done.memory[0].iter().any(|&word| word != 0), "{name}: nothing is stored");
}

#[test]
fn accesses_of_all_kinds() {
    let accesses = [
        ("load", "suld.b.2d.b32.trap {%b8}, [%a1, {%b6, %b7}];\n"),
        (
            "load and store",
            "suld.b.2d.b32.trap {%b8}, [%a1, {%b6, %b7}];\nadd.u32 %b8, %b8, %b4;\nsust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b8};\n",
        ),
        (
            "vectors",
            "suld.b.2d.v4.b32.zero {%b8, %b10, %b11, %b12}, [%a1, {%b6, %b7}];\n\
            sust.b.2d.v4.b32.zero [%a2, {%b6, %b7}], {%b12, %b8, %b11, %b10};\n",
        ),
        (
            "64 bits",
            "suld.b.2d.v2.b64.clamp {%a6, %a7}, [%a1, {%b6, %b7}];\nadd.u64 %a6, %a6, %a7;\n\
            sust.b.2d.v2.b64.clamp [%a2, {%b6, %b7}], {%a7, %a6};\ncvt.u32.u64 %b8, %a6;\n",
        ),
        (
            "bytes",
            ".reg .b16 %h<4>;\nsuld.b.2d.v4.b8.trap {%h0, %h1, %h2, %h3}, [%a1, {%b6, %b7}];\n\
            sust.b.2d.v2.b8.trap [%a2, {%b6, %b7}], {%h3, %h0};\ncvt.u32.u16 %b8, %h1;\n",
        ),
        (
            "texels",
            "sust.p.2d.v4.b32.trap [%a2, {%b9, %b7}], {%b4, %b3, %b6, %b9};\nmov.u32 %b8, %b4;\n",
        ),
        ("what is not wanted", "suld.b.2d.v2.b32.trap {_, %b8}, [%a1, {%b6, %b7}];\n"),
        (
            "in the place of a coordinate",
            "suld.b.2d.b32.trap {%b6}, [%a1, {%b6, %b7}];\nmov.u32 %b8, %b6;\n",
        ),
        (
            "parameters",
            "ld.param.u32 %b8, [two];\nld.param.u64 %a5, [two];\nsust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b8};\n\
            add.u32 %b10, %b6, 8;\nsust.b.2d.b64.trap [%a2, {%b10, %b7}], {%a5};\n",
        ),
        ("the surface itself", "sust.b.2d.b64.trap [%a2, {%b6, %b7}], {%a2};\nmov.u32 %b8, %b4;\n"),
        (
            "literals and what all threads have",
            "sust.b.2d.b32.trap [%a2, {%b6, %b7}], {77};\nmov.u32 %b10, %ctaid.x;\n\
            suld.b.2d.b32.trap {%b8}, [%a1, {%b6, 3}];\nsuld.b.2d.b32.zero {%b11}, [%a1, {16, %b10}];\nadd.u32 %b8, %b8, %b11;\n",
        ),
        (
            "outside",
            "add.u32 %b10, %b6, 2048;\nsuld.b.2d.b32.zero {%b8}, [%a1, {%b10, %b7}];\n\
            suld.b.2d.b32.clamp {%b11}, [%a1, {%b10, %b7}];\nadd.u32 %b8, %b8, %b11;\n",
        ),
        (
            "what has been stored",
            "sust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b4};\nsuld.b.2d.b32.trap {%b8}, [%a2, {%b6, %b7}];\n\
            add.u32 %b8, %b8, 1;\nsust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b8};\n",
        ),
        (
            "some lanes",
            "setp.lt.u32 %p, %b5, 5;\nmov.u32 %b8, 1;\n@%p suld.b.2d.b32.trap {%b8}, [%a1, {%b6, %b7}];\n\
            @!%p sust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b8};\n",
        ),
        (
            "a reduction",
            "sured.b.add.2d.u32.trap [%a2, {%b6, %b7}], %b4;\nsuld.b.2d.b32.trap {%b8}, [%a2, {%b6, %b7}];\n",
        ),
        (
            "a loop",
            "mov.u32 %b8, 0;\nmov.u32 %b10, 0;\nand.b32 %b11, %b4, 3;\n\
            NEXT:\nadd.u32 %b12, %b7, %b10;\nsuld.b.2d.b32.zero {%b13}, [%a1, {%b6, %b12}];\nmad.lo.u32 %b8, %b8, 3, %b13;\n\
            sust.b.2d.b32.zero [%a2, {%b6, %b7}], {%b8};\nadd.u32 %b10, %b10, 1;\nsetp.le.u32 %p, %b10, %b11;\n@%p bra NEXT;\n",
        ),
        (
            "a barrier",
            ".shared .align 4 .b8 room[4096];\nmov.u32 %b10, room;\nshl.b32 %b11, %b3, 2;\nadd.u32 %b10, %b10, %b11;\n\
            suld.b.2d.b32.trap {%b8}, [%a1, {%b6, %b7}];\nst.shared.u32 [%b10], %b8;\nbar.sync 0;\n\
            xor.b32 %b11, %b11, 12;\nmov.u32 %b10, room;\nadd.u32 %b10, %b10, %b11;\nld.shared.u32 %b8, [%b10];\n\
            sust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b8};\n",
        ),
    ];
    // The last warp has eight lanes; more than eight warps need several calls.
    for block in [72, 320] {
        for (name, access) in accesses {
            let how = How { grid: [40, 1, 1], block: [block, 1, 1], ..How::default() };
            let body = format!("{BEGIN}{PLACE}{access}mov.b32 %f0, %b8;\n{END}");
            compare(&format!("{name}, {block} threads"), &body, how);
        }
    }
}

/// The surface depends on the CTA, on the warp, or on the lane.
#[test]
fn surfaces_are_looked_at() {
    for (name, of) in [("CTA", "%b0"), ("warp", "%b8"), ("lane", "%b3")] {
        let access = format!(
            "shr.u32 %b8, %b3, 5;\nand.b32 %b10, {of}, 1;\nsetp.eq.u32 %p, %b10, 0;\nselp.u64 %a5, %a1, %a2, %p;\n\
            sust.b.2d.b32.trap [%a5, {{%b6, %b7}}], {{%b4}};\nsuld.b.2d.b32.trap {{%b8}}, [%a5, {{%b6, %b7}}];\n"
        );
        let how = How { grid: [64, 1, 1], block: [160, 1, 1], ..How::default() };
        let body = format!("{BEGIN}{PLACE}{access}mov.b32 %f0, %b8;\n{END}");
        compare(name, &body, how);
    }
}

/// One thread is out of bounds or misaligned: the fault names it, later lanes of its warp do not
/// access the surface, and other warps' stores are unaffected.
#[test]
fn one_of_many_faults() {
    let accesses = [
        (
            "load",
            "suld.b.2d.b32.trap {%b8}, [%a1, {%b6, %b7}];\nsust.b.2d.b32.trap [%a2, {%b10, %b7}], {%b4};\n",
        ),
        ("store", "sust.b.2d.b32.trap [%a2, {%b6, %b7}], {%b4};\nmov.u32 %b8, %b4;\n"),
        ("texel", "sust.p.2d.v2.b32.trap [%a2, {%b11, %b7}], {%b4, %b3};\nmov.u32 %b8, %b4;\n"),
    ];
    // The faulting thread is in the first warp of a CTA, a middle one, and the last one.
    for strange in [0, 7, 100, 319, 320 * 30 + 40, 320 * 39 + 319] {
        for (name, access) in accesses {
            for (x, texel) in [("8192", "256"), ("2", "-1")] {
                let body = format!(
                    "{BEGIN}{PLACE}mov.u32 %b10, %b6;\nmov.u32 %b11, %b9;\nsetp.eq.u32 %p, %b4, {strange};\n\
                    selp.u32 %b6, {x}, %b6, %p;\nselp.b32 %b11, {texel}, %b11, %p;\n{access}mov.b32 %f0, %b8;\n{END}"
                );
                let how = How { grid: [40, 1, 1], block: [320, 1, 1], ..How::default() };
                let run = |jit, times| launches(&body, How { jit: Some(jit), ..how }, times);
                let expected = run(JitMode::Off, 1).remove(0);
                let name = format!("{name}, thread {strange}, {x}");
                assert!(expected.fault.is_some(), "{name}");
                for got in ALL.iter().flat_map(|&(jit, times)| run(jit, times)) {
                    assert_eq!(got.fault, expected.fault, "{name}");
                    let warp = strange as usize % 320 / 32 * 32 + strange as usize / 320 * 320;
                    assert!(got.memory[0][warp..warp + 32].iter().all(|&word| word == 0), "{name}");
                    for (i, texel) in got.memory[2].chunks(4).enumerate().filter(|of| of.1[0] != 0)
                    {
                        assert_eq!(texel[0] as usize, i, "{name}");
                    }
                }
            }
        }
    }
}
