//! What the help lines of common mistakes say to write instead.

use texunit_check::{Options, check_source};
use texunit_syntax::SourceFile;

const HEADER: &str = ".version 8.8\n.target sm_75\n.address_size 64\n.global .texref tx;\n\
    .global .f32 data[4];\n.global .surfref sf;\n.entry k() {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; \
    .reg .f32 %f<9>; .reg .f64 %fd<4>;\n";

/// The rows of `helps.txt`: a wrong instruction, the code of the mistake, and a part of its help.
#[test]
fn helps_say_what_to_write() {
    for row in include_str!("helps.txt").lines() {
        let (text, said) = row.split_once(" => ").unwrap();
        let (code, help) = said.split_once(' ').unwrap();
        let module = format!("{HEADER}{text}\nret;\n}}\n");
        let found = check_source(&SourceFile::new("case.ptx", module), &Options::default());
        let said = found.iter().find(|d| d.code == code).and_then(|d| d.help.as_deref());
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
