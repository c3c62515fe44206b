//! What `.file` and `.loc` of each compiler say of its instructions, and what nonsense says.

use std::path::PathBuf;

use texunit_check::sources::{Frame, MAX_FRAMES, Sources};
use texunit_check::{Checked, check};
use texunit_syntax::{Diagnostic, SourceFile};

fn checked(source: &SourceFile) -> Checked {
    let parsed = texunit_syntax::parse(source);
    assert_eq!(parsed.diagnostics, []);
    let checked = check(source, &parsed.module);
    assert!(!checked.diagnostics.iter().any(Diagnostic::is_error), "{:?}", checked.diagnostics);
    checked
}

fn sample(name: &str) -> SourceFile {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/places").join(name);
    SourceFile::new(name, std::fs::read_to_string(path).unwrap())
}

fn shown(frames: &[Frame<'_>]) -> String {
    let one = |f: &Frame<'_>| {
        let file = f.file.map_or("?", |file| file.rsplit('/').next().unwrap_or(file));
        let function = f.function.as_deref().unwrap_or("?");
        format!("{file}:{}:{} {function}", f.line, f.column)
    };
    frames.iter().map(one).collect::<Vec<_>>().join(" < ")
}

/// Each instruction's words up to the first space, and its frames.
fn listed(source: &SourceFile) -> Vec<(String, String)> {
    let module = checked(source).module;
    let bodies = module.functions.iter().filter_map(|f| f.body.as_ref());
    bodies
        .flatten()
        .map(|i| {
            let words = source.snippet(i.span).split_whitespace();
            let opcode = words.into_iter().find(|word| !word.starts_with('@')).unwrap();
            let place = module.sources.place(source, i.span);
            assert_eq!(place.ptx, source.location(i.span.start));
            (opcode.trim_end_matches(';').to_owned(), shown(&place.frames))
        })
        .collect()
}

/// The frames of the one instruction with this opcode.
#[track_caller]
fn of<'a>(listed: &'a [(String, String)], opcode: &str) -> &'a str {
    let found: Vec<_> = listed.iter().filter(|(found, _)| found == opcode).collect();
    let [(_, frames)] = &found[..] else { panic!("{opcode}: {found:?}") };
    frames
}

#[test]
fn nvcc_and_nvrtc_with_lines() {
    const KERNEL: [&str; 4] = ["13:0", "15:5", "16:5", "18:5"];
    let kernel = |at: usize| format!("places.cu:{} places", KERNEL[at]);
    let put = "places.cu:10:5 _Z3putIfEvPT_iS0_ < places.cu:17:9 places";
    let blend = format!("places.cu:4:5 _Z5blendff < {put}");
    for name in ["nvcc-lineinfo.ptx", "nvrtc-lineinfo.ptx"] {
        let expected = [
            ("ld.param.u64", kernel(0)),
            ("ld.param.f32", kernel(0)),
            ("ld.param.u32", kernel(0)),
            ("cvta.to.global.u64", kernel(1)),
            ("mov.u32", kernel(1)),
            ("setp.ge.s32", kernel(2)),
            ("mul.wide.s32", put.to_owned()),
            ("add.s64", put.to_owned()),
            ("bra", kernel(2)),
            ("mul.rn.f32", blend.clone()),
            ("add.rn.f32", blend.clone()),
            ("st.global.f32", put.to_owned()),
            ("st.global.f32", kernel(3)),
            ("ret", "places.cu:19:1 places".to_owned()),
        ];
        let expected = expected.map(|(opcode, frames)| (opcode.to_owned(), frames));
        assert_eq!(listed(&sample(name)), expected, "{name}");
    }
}

/// Nothing is inlined: functions of the PTX have the names of those of the source.
#[test]
fn nvcc_with_debug_information() {
    let all = listed(&sample("nvcc-G.ptx"));
    assert_eq!(of(&all, "mul.rn.f32"), "places.cu:4:5 _Z5blendff");
    assert_eq!(of(&all, "mov.u32"), "places.cu:15:5 places");
    assert_eq!(of(&all, "setp.lt.s32"), "places.cu:16:5 places");
    let stores: Vec<_> =
        all.iter().filter(|(o, _)| o == "st.f32").map(|(_, frames)| frames.as_str()).collect();
    assert_eq!(stores, ["places.cu:10:5 _Z3putIfEvPT_iS0_", "places.cu:18:5 places"]);
}

/// clang inlines without saying so in `.loc`; line 0 is what it has made up.
#[test]
fn clang() {
    for name in ["clang-gline-tables-only.ptx", "clang-g.ptx"] {
        let all = listed(&sample(name));
        assert_eq!(of(&all, "mul.rn.f32"), "places.cu:0:9 places", "{name}");
        assert_eq!(of(&all, "setp.ge.s32"), "places.cu:16:11 places", "{name}");
        assert_eq!(of(&all, "mov.u32"), "__clang_cuda_builtin_vars.h:53:3 places", "{name}");
        let stores: Vec<_> =
            all.iter().filter(|(o, _)| o == "st.global.f32").map(|(_, f)| f.as_str()).collect();
        assert_eq!(stores, ["places.cu:10:12 places", "places.cu:18:17 places"], "{name}");
    }
}

#[test]
fn numba() {
    let source = sample("numba-lineinfo.ptx");
    let module = checked(&source).module;
    let name = &module.functions[0].name;
    let all = listed(&source);
    assert_eq!(of(&all, "mov.u32"), format!("places.py:16:1 {name}"));
    assert_eq!(of(&all, "fma.rn.f64"), format!("places.py:18:1 {name}"));
    let files: Vec<_> = module.sources.files().collect();
    assert_eq!(files, [(1, "/tmp/texunit-places/places.py")]);
}

fn module(inside: &str) -> SourceFile {
    SourceFile::new("k.ptx", format!(".version 8.5\n.target sm_75\n.address_size 64\n{inside}"))
}

/// Frames of the first instruction behind each `#` of the module's text.
fn marked(text: &str) -> Vec<String> {
    let mut marks = Vec::new();
    let mut rest = String::new();
    let source = module(text);
    for (i, part) in source.text().split('#').enumerate() {
        if i > 0 {
            marks.push(rest.len() as u32);
        }
        rest += part;
    }
    let source = SourceFile::new("k.ptx", rest);
    let sources = checked(&source).module.sources;
    marks.iter().map(|&at| shown(&sources.frames_at(at))).collect()
}

const STRINGS: &str = ".section .debug_str {\n$a: .b8 102, 0, 103, 103, 0\n$b: .b16 26728, 0\n}\n";

#[test]
fn places_end_with_their_function() {
    let text = ".file 7 \"x.cu\"\n.entry k() {\n#ret;\n.loc 7 1 2\n.loc 7 3 4\n#ret;\n{ #ret; .loc 7 5 6\n #ret; }\n#ret;\n}\n\
         .func f() { #ret; .loc 8 1 1\n#ret; }\n#\n";
    let expected = ["", "x.cu:3:4 k", "x.cu:3:4 k", "x.cu:5:6 k", "x.cu:5:6 k", "", "?:1:1 f", ""];
    assert_eq!(marked(text), expected);
}

/// One function inlined in two others, each with the place that was last said to be of the call.
#[test]
fn calls_are_the_last_ones_said() {
    let text = format!(
        ".file 1 \"x\"\n.entry k() {{\n.loc 1 30 1\n.loc 1 9 1, function_name $a, inlined_at 1 30 1\n\
         .loc 1 5 1, function_name $a+2, inlined_at 1 9 1\n#ret;\n.loc 1 40 1\n.loc 1 9 1, function_name $a, inlined_at 1 40 1\n\
         .loc 1 5 1, inlined_at 1 9 1, function_name $a+2\n#ret;\n#ret;\n}}\n{STRINGS}"
    );
    let second = "x:5:1 gg < x:9:1 f < x:40:1 k";
    assert_eq!(marked(&text), ["x:5:1 gg < x:9:1 f < x:30:1 k", second, second]);
}

#[test]
fn names_are_read_with_care() {
    let one = |name: &str| {
        let text = format!(
            ".entry k() {{\n.loc 1 3 1\n.loc 1 5 1, function_name {name}, inlined_at 1 3 1\n#ret;\n}}\n\
             {STRINGS}.section .debug_str {{ $e: .b8 120, 0\n$c: .b8 121, 200 }}\n.section .other {{ $d: .b8 121, 0 }}\n"
        );
        let [frames] = &marked(&text)[..] else { panic!("one mark") };
        let (name, call) = frames.split_once(" < ").unwrap();
        assert_eq!(call, "?:3:1 k");
        name.strip_prefix("?:5:1 ").unwrap().to_owned()
    };
    let names = ["$a", "$a+2", "$a+3", "$a+5", "$b", "$b+1"].map(one);
    assert_eq!(names, ["f", "gg", "g", "hh", "hh", "h"]);
    // An empty name, labels that are nowhere or elsewhere, and offsets past the end of the section.
    for none in [
        "$a+1",
        "$nowhere",
        "$d",
        "$a+9",
        "$a+10",
        "$c+2",
        "$a+4294967295",
        "$a+18446744073709551615",
    ] {
        assert_eq!(one(none), "?", "{none}");
    }
    assert_eq!(one("$c"), "y\u{fffd}");
}

#[test]
fn numbers_that_are_too_large() {
    let text = ".file 18446744073709551614 \"x\"\n.file 4294967295 \"y\"\n.file 1 \"z\"\n.entry k() {\n\
        .loc 18446744073709551614 4294967295 18446744073709551615\n#ret;\n.loc 1 2 3, inlined_at 4294967294 4294967295 4294967295\n#ret;\n}\n";
    let far = "x:4294967295:4294967295 k";
    assert_eq!(marked(text), [far.to_owned(), format!("z:2:3 ? < {far}")]);
}

/// Places are compared as numbers, as ptxas does, not as texts.
#[test]
fn numbers_in_any_form() {
    let text = ".file 0x1 \"x\"\n.entry k() {\n.loc 01 /* , */ 0xa 012\n\
        .loc 1 2 3, inlined_at 1 10 10\n#ret;\n}\n";
    assert_eq!(marked(text), ["x:2:3 ? < x:10:10 k"]);
}

/// Calls that go in circles, and a chain that is longer than any.
#[test]
fn chains_end() {
    let circle = ".loc 1 2 1, function_name $a, inlined_at 1 1 1\n.loc 1 1 1, function_name $b, inlined_at 1 2 1\nret;\n";
    let itself = ".loc 1 1 1, function_name $a, inlined_at 1 1 1\n";
    let text = format!(
        ".entry k() {{\n.loc 1 1 1\n{}#ret;\n}}\n.entry m() {{\n.loc 1 1 1\n{}#ret;\n}}\n{STRINGS}",
        circle.repeat(1000),
        itself.repeat(1000)
    );
    assert_eq!(marked(&text), ["?:1:1 hh < ?:2:1 f < ?:1:1 k", "?:1:1 f < ?:1:1 m"]);
    let chain: String = (2..5000)
        .map(|n| format!(".loc 1 {n} 1, function_name $a, inlined_at 1 {} 1\n", n - 1))
        .collect();
    let text = format!(".entry k() {{\n.loc 1 1 1\n{chain}#ret;\n}}\n");
    let [frames] = &marked(&text)[..] else { panic!("one mark") };
    assert_eq!(frames.matches(" < ").count() + 1, MAX_FRAMES);
    assert!(frames.starts_with("?:4999:1 ? < ?:4998:1 ?"), "{frames}");
}

/// Places that come again are kept once.
#[test]
fn what_is_said_again_takes_little() {
    let text = ".loc 1 1 1\nmov.u32 %r1, 1;\n.loc 1 2 1, function_name $a, inlined_at 1 1 1\nmov.u32 %r1, 2;\n".repeat(5000);
    let source = module(&format!(".entry k() {{\n.reg .b32 %r<2>;\n{text}ret;\n}}\n"));
    let checked = checked(&source);
    let body = checked.module.functions[0].body.as_ref().unwrap();
    let sources: &Sources = &checked.module.sources;
    let mut ids: Vec<_> = body.iter().map(|i| sources.id_at(i.span.start).unwrap()).collect();
    assert!(ids.len() > 10_000 && ids[0] != ids[1] && ids[0] == ids[2]);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 2);
}
