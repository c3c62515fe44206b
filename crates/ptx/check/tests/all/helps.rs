//! What the help lines of common mistakes say to write instead.

use texunit_check::{Options, check_source};
use texunit_syntax::SourceFile;

const HEADER: &str = ".version 8.8\n.target sm_75\n.address_size 64\n.global .texref tx;\n\
    .global .f32 data[4];\n.global .surfref sf;\n.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; \
    .reg .f32 %f<9>; .reg .f64 %fd<4>;\n";

/// A wrong instruction, the code of the mistake, and a part of its help.
#[rustfmt::skip]
const HELPS: &[(&str, &str, &str)] = &[
    ("add %f1, %f2, %f3;", "E0204", ".s64, .u16x2, .s16x2, .u8x4, .s8x4, .f32"),
    ("div.f32 %f1, %f2, %f3;", "E0204", "write .approx, .full, .rn, .rz, .rm, .rp"),
    ("setp.ltu.s32 %p1, %r1, %r2;", "E0201", "write .f32, .f64"),
    ("ld.global.v3.f32 {%f1, %f2, %f3}, [%rd1];", "E0201", "write .v4"),
    ("atom.global.add.s64 %rd1, [%rd2], %rd3;", "E0201", ".u64"),
    ("tex.2d.v2.f32.f32 {%f1, %f2}, [tx, {%f5, %f6}];", "E0201", "write .f16x2"),
    ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, %f5, %f6];", "E0304", "{x, y}"),
    ("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4, [tx, {%f5, %f6}];", "E0044", "close the vector with `}`"),
    ("setp.eq.s32 %r3, %r1, %r2;", "E0212", "use a .pred register"),
    ("add.s32 %r1, %r2, %p1;", "E0212", "selp makes a number of a predicate"),
    ("mov.u64 %rd1, [data];", "E0211", "without the brackets"),
    ("mov.f32 %f1, 0x3f800000;", "E0214", "or 0f3f800000 for these bits"),
    ("mov.f64 %fd1, 0x3ff0000000000000;", "E0214", "or 0d3ff0000000000000 for these bits"),
    ("mov.f32 %f1, 0x3f;", "E0214", "or as 0f... or 0d... bits"),
    ("shfl.sync.idx.b32 %r1, %r2, 0, 31;", "E0210", "d, a, b, c, e;"),
    ("bar.sync;", "E0210", "bar.sync a{, b};"),
    ("mov.u32 %r1, %laneidx;", "E0110", "did you mean %laneid?"),
    ("mov.b32 %r1, 1.0;", "E0214", "write an integer, or 0f... for 32 and a double for 64 bits"),
    ("suld.b.1d.b32.trap %r1, [sf, {6}];", "W0220", "write 24 for texel 6"),
    ("suld.b.1d.b32.trap %r1, [sf, {2147483646}];", "W0220", "write a multiple of 4"),
    ("add.s32 %r1, %q8, 1;", "E0110", "did you mean %f8?"),
    ("{ .reg .b32 %a1<20>; mov.b32 %a12, 1; }", "E0110", "give the group %a1 a name without a digit at its end"),
    ("txq.level.width.b32 %r1, [tx], %f0;", "E0307", "the level is an integer"),
    ("suld.b.1d.wb.b32.trap %r1, [sf, {%r2}];", "E0201", ".ca, .cg, .cs and .cv"),
    ("sust.b.1d.ca.b32.trap [sf, {%r2}], %r1;", "E0201", ".wb, .cg, .cs and .wt"),
    ("suld.b.1d.v1.b32.trap %r1, [sf, {%r2}];", "E0201", "remove .v1"),
    ("ld.global.v1.f32 %f1, [%rd1];", "E0201", "remove .v1"),
    ("tex.2d.v1.f32.f32 {%f1}, [tx, {%f5, %f6}];", "E0201", "write .v4"),
    ("tex.lod.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tx, {%f5, %f6}], %f7;", "E0201", "write .level"),
    (".pragma \"frequency 4\";", "E0230", "write .version 9.0"),
];

#[test]
fn helps_say_what_to_write() {
    for (text, code, help) in HELPS {
        let module = format!("{HEADER}{text}\nret;\n}}\n");
        let found = check_source(&SourceFile::new("case.ptx", module), &Options::default());
        let said = found.iter().find(|d| d.code == *code).and_then(|d| d.help.as_deref());
        assert!(said.is_some_and(|said| said.contains(help)), "{text}: {found:#?}");
    }
}

#[test]
fn a_vector_register_after_a_sampler_is_written_by_its_elements() {
    let text = ".version 8.6\n.target sm_75, texmode_independent\n.address_size 64\n.global .texref t;\n.global .samplerref s;\n\
                .entry k() {\n.reg .v2 .f32 %v; .reg .f32 %f<5>;\n\
                tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, %v];\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, %f0];\nret;\n}\n";
    let found = check_source(&SourceFile::new("case.ptx", text), &Options::default());
    let helps: Vec<_> =
        found.iter().filter(|d| d.code == "E0304").filter_map(|d| d.help.as_deref()).collect();
    assert_eq!(helps, ["write {%v.x, %v.y}, or .version 9.0", "write {%f0}, or .version 9.0"]);
}

/// Nothing near these can be had: registers of a group end with its number.
#[test]
fn guesses_are_of_what_is_there() {
    for name in ["%q9", "%q10"] {
        let module = format!("{HEADER}add.s32 %r1, {name}, 1;\nret;\n}}\n");
        let found = check_source(&SourceFile::new("case.ptx", module), &Options::default());
        assert!(found.iter().any(|d| d.code == "E0110"), "{name}: {found:#?}");
        let guesses = |help: &String| help.contains("did you mean");
        assert!(!found.iter().filter_map(|d| d.help.as_ref()).any(guesses), "{name}: {found:#?}");
    }
}

/// What a declaration that cannot be read may have declared is not said to be unknown.
#[test]
fn names_of_lost_declarations_are_not_unknown() {
    let module =
        format!("{HEADER}.reg %q<4> .b32;\nadd.s32 %r1, %q1, 1;\nadd.s32 %r1, %z1, 1;\nret;\n}}\n");
    let source = SourceFile::new("case.ptx", module);
    let found = check_source(&source, &Options::default());
    let unknown = found.iter().filter(|d| d.code == "E0110");
    let unknown: Vec<&str> = unknown.map(|d| source.snippet(d.primary.span)).collect();
    assert_eq!(unknown, ["%z1"], "{found:#?}");
}

/// A wrong parameter, and a part of its help.
#[test]
fn parameters_are_written_as_their_types_want() {
    for (parameter, help) in
        [(".v2 .f32 a", "write an array: .align 16 .b8 a[16]"), (".f16x2 a", "write .b32 a")]
    {
        let module = format!("{HEADER}ret;\n}}\n.entry v(.param {parameter}) {{ ret; }}\n");
        let found = check_source(&SourceFile::new("case.ptx", module), &Options::default());
        let said = found.iter().find(|d| d.code == "E0151").and_then(|d| d.help.as_deref());
        assert_eq!(said, Some(help), "{parameter}: {found:#?}");
    }
}
