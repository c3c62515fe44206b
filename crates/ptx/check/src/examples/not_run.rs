//! Examples for codes of crates `simt` and `device`: valid modules that cannot be executed or
//! loaded. They are tested in crate `device`.

use super::ExampleSite::{Body, Module};
use super::{Example, new};

#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    new("E0401", Body,
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, %f5];",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex_a, {%f5, %f6}];"),
    new("E0402", Body,
        "suld.b.2d.b32.trap %r1, [surf_a, %r2];",
        "suld.b.2d.b32.trap %r1, [surf_a, {%r2, %r3}];"),
    new("E0403", Body,
        ".local .u32 count;\natom.add.u32 %r1, [count], 1;",
        ".local .u32 count;\nld.local.u32 %r1, [count];\nadd.u32 %r2, %r1, 1;\nst.local.u32 [count], %r2;"),
    new("E0404", Module,
        ".extern .func (.param .b32 error) elsewhere();\n\
         .visible .entry kernel()\n{\n\t.param .b32 error;\n\
         \tcall (error), elsewhere, ();\n\tret;\n}",
        ".visible .entry kernel()\n{\n\tbar.sync 0;\n\tret;\n}"),
    new("E0405", Module,
        ".global .texref images[2];\n\
         .visible .entry kernel()\n{\n\t.reg .b64 %rd1;\n\tmov.u64 %rd1, images+8;\n\tret;\n}",
        ".global .texref first, second;\n\
         .visible .entry kernel()\n{\n\t.reg .b64 %rd1;\n\tmov.u64 %rd1, second;\n\tret;\n}"),
    new("E0406", Module,
        ".visible .entry kernel()\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n\tcp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r1}];\n\tret;\n}",
        ".visible .entry kernel()\n{\n\t.reg .b64 %rd<3>;\n\tprefetch.global.L2 [%rd1];\n\tret;\n}"),
    new("E0500", Module,
        ".extern .global .f32 scale;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f1;\n\tld.global.f32 %f1, [scale];\n\tret;\n}",
        ".global .f32 scale;\n\
         .visible .entry kernel()\n{\n\t.reg .f32 %f1;\n\tld.global.f32 %f1, [scale];\n\tret;\n}"),
    new("E0502", Module,
        ".extern .func scale();\n\
         .visible .entry kernel()\n{\n\tcall scale;\n\tret;\n}",
        ".func scale()\n{\n\tret;\n}\n\
         .visible .entry kernel()\n{\n\tcall scale;\n\tret;\n}"),
    new("E0503", Module,
        ".global .texref images[2];\n.global .u64 second = images+8;",
        ".global .texref first_image, second_image;\n.global .u64 second = second_image;"),
];
