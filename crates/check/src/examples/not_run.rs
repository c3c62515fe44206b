//! Codes of crates `simt` and `device`: correct modules that are not executed or not loaded. Their
//! tests are those of crate `device`.

use super::Place::{Body, Module};
use super::{Example, new};

#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    new("E0401", Body,
        "tex.grad.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex_a, {%r1, %r2}], {%f5, %f6}, {%f5, %f6};",
        "cvt.rn.f32.s32 %f1, %r1;\ncvt.rn.f32.s32 %f2, %r2;\n\
         tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f1, %f2}], {%f5, %f6}, {%f5, %f6};"),
    new("E0402", Body,
        "suld.b.2d.b32.trap %r1, [surf_a, %r2];",
        "suld.b.2d.b32.trap %r1, [surf_a, {%r2, %r3}];"),
    new("E0403", Body,
        "red.global.add.noftz.f16 [%rd1], %h1;",
        "red.global.add.f32 [%rd1], %f1;"),
    new("E0404", Module,
        ".extern .func (.param .b64 place) malloc(.param .b64 size);\n\
         .visible .entry kernel()\n{\n\t.param .b64 place, size;\n\tst.param.b64 [size], 64;\n\
         \tcall (place), malloc, (size);\n\tret;\n}",
        ".visible .entry kernel()\n{\n\t.local .b8 place[64];\n\tret;\n}"),
    new("E0405", Module,
        ".global .texref images[2];\n\
         .visible .entry kernel()\n{\n\t.reg .b64 %rd1;\n\tmov.u64 %rd1, images+8;\n\tret;\n}",
        ".global .texref first, second;\n\
         .visible .entry kernel()\n{\n\t.reg .b64 %rd1;\n\tmov.u64 %rd1, second;\n\tret;\n}"),
    new("E0500", Module,
        ".extern .global .f32 scale;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f1;\n\tld.global.f32 %f1, [scale];\n\tret;\n}",
        ".global .f32 scale;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f1;\n\tld.global.f32 %f1, [scale];\n\tret;\n}"),
    new("E0503", Module,
        ".global .texref images[2];\n.global .u64 second = images+8;",
        ".global .texref first_image, second_image;\n.global .u64 second = second_image;"),
];
