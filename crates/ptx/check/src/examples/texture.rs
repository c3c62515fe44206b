//! Examples for texture and surface instructions.

use super::ExampleSite::{Body, File, Independent};
use super::{Example, new};

#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    new("E0300", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [surf_a, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];"),
    new("E0301", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, tex_a, {%f5, %f6};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];"),
    new("E0302", Independent,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, sampler_a, {%f5, %f6}];"),
    new("E0303", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, %rd1, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];"),
    new("E0304", Body,
        "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6, %f7}];",
        "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6, %f7, %f7}];"),
    new("E0305", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {1, 2}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {1.0, 2.0}];"),
    new("E0306", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], {1.0, -1.0};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], {1, -1};"),
    new("E0307", Body,
        "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];",
        "tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], 0.0;"),
    new("E0308", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2}, [tex_a, {%f5, %f6}];",
        "tex.2d.v4.f32.f32 {%f1, %f2, _, _}, [tex_a, {%f5, %f6}];"),
    new("E0309", Body,
        "tex.cube.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex_a, {%r1, %r2, %r3, %r3}];",
        "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6, %f7, %f7}];"),
    new("E0310", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, %f5];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];"),
    new("E0311", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], 1;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], {1, 1};"),
    new("E0312", Body,
        "suld.b.2d.b32.trap {%r1, %r2}, [surf_a, {%r3, %r4}];",
        "suld.b.2d.v2.b32.trap {%r1, %r2}, [surf_a, {%r3, %r4}];"),
    new("E0313", Body,
        "tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6, %f7, %f7}], \
         {%f1, %f2}, {%f3, %f4};",
        "tex.grad.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6, %f7, %f7}], \
         {%f1, %f2, %f3, %f3}, {%f4, %f5, %f6, %f6};"),
    new("E0314", Body,
        "istypep.texref %p1, tex_a;",
        "mov.u64 %rd1, tex_a;\nistypep.texref %p1, %rd1;"),
    new("E0315", Body,
        ".reg .s32 %i<2>;\ntex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %i1}];",
        ".reg .f32 %i<2>;\ntex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %i1}];"),
    new("E0316", File,
        ".version 3.0\n.target sm_20\n.global .surfref a, b, c, d, e, f, g, h, i;\n\
         .visible .entry kernel()\n{\n\t.reg .b32 %r<2>;\n\
         \tsuq.width.b32 %r1, [a];\n\tsuq.width.b32 %r1, [b];\n\tsuq.width.b32 %r1, [c];\n\
         \tsuq.width.b32 %r1, [d];\n\tsuq.width.b32 %r1, [e];\n\tsuq.width.b32 %r1, [f];\n\
         \tsuq.width.b32 %r1, [g];\n\tsuq.width.b32 %r1, [h];\n\tsuq.width.b32 %r1, [i];\n\
         \tret;\n}",
        ".version 3.0\n.target sm_30\n.global .surfref a, b, c, d, e, f, g, h, i;\n\
         .visible .entry kernel()\n{\n\t.reg .b32 %r<2>;\n\
         \tsuq.width.b32 %r1, [a];\n\tsuq.width.b32 %r1, [b];\n\tsuq.width.b32 %r1, [c];\n\
         \tsuq.width.b32 %r1, [d];\n\tsuq.width.b32 %r1, [e];\n\tsuq.width.b32 %r1, [f];\n\
         \tsuq.width.b32 %r1, [g];\n\tsuq.width.b32 %r1, [h];\n\tsuq.width.b32 %r1, [i];\n\
         \tret;\n}"),
];
