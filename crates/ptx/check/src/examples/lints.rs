//! Examples for lints, which docs/lints.md shows too.

use super::ExampleSite::{Body, File};
use super::{Example, new};

#[rustfmt::skip]
pub(super) const EXAMPLES: &[Example] = &[
    new("W0201", Body,
        "add.s32 %r1, %r2, 1;",
        "mov.s32 %r2, 41;\nadd.s32 %r1, %r2, 1;"),
    new("W0202", Body,
        "mov.u32 %r1, %tid.x;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra after;\nmov.s32 %r2, 1;\n\
         after:\nadd.s32 %r3, %r2, 1;",
        "mov.u32 %r1, %tid.x;\nsetp.ne.s32 %p1, %r1, 0;\nmov.s32 %r2, 0;\n@%p1 bra after;\nmov.s32 %r2, 1;\n\
         after:\nadd.s32 %r3, %r2, 1;"),
    new("W0203", Body,
        "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.s32 %r2, 1;\nadd.s32 %r3, %r2, 1;",
        "mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 mov.s32 %r2, 1;\n@!%p1 mov.s32 %r2, 0;\nadd.s32 %r3, %r2, 1;"),
    new("W0204", Body,
        "bra end;\nst.global.f32 [data], 0f00000000;\nend:",
        "st.global.f32 [data], 0f00000000;\nbra end;\nend:"),
    new("W0205", Body,
        "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 63;\n@%p1 bra after;\nbar.sync 0;\n\
         after:\nst.global.f32 [data], 0f00000000;",
        "bar.sync 0;\nst.global.f32 [data], 0f00000000;"),
    new("W0206", Body,
        "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 shfl.sync.idx.b32 %r2, %r1, 5, 31, 0xffffffff;",
        "mov.u32 %r1, %laneid;\nsetp.eq.u32 %p1, %r1, 0;\nshfl.sync.idx.b32 %r2, %r1, 5, 31, 0xffffffff;"),
    new("W0207", Body,
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra.uni end;\nst.global.f32 [data], 0f00000000;\nend:",
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 bra end;\nst.global.f32 [data], 0f00000000;\nend:"),
    new("W0208", Body,
        "txq.width.b32 %r1, [tex_a];",
        "txq.width.b32 %r1, [tex_a];\nst.global.b32 [data], %r1;"),
    new("W0209", File,
        ".version 8.8\n.target sm_90\n.global .texref image;\n.global .texref spare;\n\
         .entry kernel() {\n\t.reg .b64 %rd;\n\tmov.u64 %rd, image;\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image;\n.visible .global .texref spare;\n\
         .entry kernel() {\n\t.reg .b64 %rd;\n\tmov.u64 %rd, image;\n\tret;\n}"),
    new("W0210", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { addr_mode_0 = wrap };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {0.5}];\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { addr_mode_0 = wrap, normalized_coords = 1 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {0.5}];\n\tret;\n}"),
    new("W0211", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = linear };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {5}];\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = linear };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}];\n\tret;\n}"),
    new("W0212", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = linear };\n\
         .entry kernel() {\n\t.reg .b32 %r<5>;\n\ttex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [image, {5.5}];\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = nearest };\n\
         .entry kernel() {\n\t.reg .b32 %r<5>;\n\ttex.1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [image, {5.5}];\n\tret;\n}"),
    new("W0213", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { addr_mode_0 = mirror };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {5}];\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image;\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {5}];\n\tret;\n}"),
    new("W0214", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = linear };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}], 0.25;\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { filter_mode = linear };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}];\n\tset.ge.f32.f32 %f1, %f1, 0.25;\n\tret;\n}"),
    new("W0215", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { num_mipmap_levels = 1 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}], 2.0;\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { num_mipmap_levels = 1 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}];\n\tret;\n}"),
    new("W0216", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { width = 64, height = 64 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}];\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { width = 64, height = 64 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5, 0.5}];\n\tret;\n}"),
    new("W0217", File,
        ".version 8.8\n.target sm_90\n.global .texref image = { num_mipmap_levels = 5, normalized_coords = 0 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {5.5}], 2.0;\n\tret;\n}",
        ".version 8.8\n.target sm_90\n.global .texref image = { num_mipmap_levels = 5, normalized_coords = 1 };\n\
         .entry kernel() {\n\t.reg .f32 %f<5>;\n\ttex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {0.25}], 2.0;\n\tret;\n}"),
    new("W0218", Body,
        "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 shfl.sync.idx.b32 %r2, %r1, 5, 31, 0xffff;",
        "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 10;\n@%p1 shfl.sync.idx.b32 %r2, %r1, 5, 31, 0x3ff;"),
    new("W0220", Body,
        "suld.b.2d.b32.trap %r1, [surf_a, {5, 0}];",
        "suld.b.2d.b32.trap %r1, [surf_a, {20, 0}];"),
];
