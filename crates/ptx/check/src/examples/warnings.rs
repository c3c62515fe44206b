//! Examples for warnings of rules, and for lints.

use super::ExampleSite::{Body, File};
use super::{Example, new};

#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    new("W0101", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], {8, 0};",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}], {7, 0};"),
    new("W0102", Body,
        "add.u32 %r1, %r2, 0x123456789;",
        "add.u64 %rd1, %rd2, 0x123456789;"),
    new("W0103", File,
        ".version 8.8\n.target sm_90, texmode_independent\n\
         .global .texref image = { filter_mode = linear };\n.global .samplerref smooth;",
        ".version 8.8\n.target sm_90, texmode_independent\n\
         .global .texref image;\n.global .samplerref smooth = { filter_mode = linear };"),
    new("W0104", File,
        ".version 8.8\n.target sm_90x",
        ".version 8.8\n.target sm_90"),
    new("W0105", File,
        ".version 8.8\n.target sm_52\n.global .texref image;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f<8>;\n\
         \ttex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5}], {%f6}, {%f6}, %f7;\n\tret;\n}",
        ".version 8.8\n.target sm_52\n.global .texref image;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f<8>;\n\
         \ttex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5, %f5}], {%f6, %f6}, {%f6, %f6}, %f7;\n\tret;\n}"),
    new("W0106", Body,
        "tex.grad.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex_a, {%r1, %r2}], {%f5, %f6}, {%f5, %f6};",
        "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f7, %f0}], {%f5, %f6}, {%f5, %f6};"),
    new("W0107", Body,
        "tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex_a, {%r1, %f5, %f6, %f6}];",
        "tex.a2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex_a, {%r1, %r2, %r3, %r3}];"),
];
