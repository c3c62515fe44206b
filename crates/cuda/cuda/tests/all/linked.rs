//! Tests that linking keeps the source locations of instructions.

use texunit_device::{Device, Module};
use texunit_link::{Ptx, link};

/// A text with a function inlined into its own; other texts use the same names.
fn text(name: &str, function: &str, inlined: &str) -> Ptx {
    let bytes: Vec<String> = inlined.bytes().chain([0]).map(|b| b.to_string()).collect();
    let text = format!(
        ".version 8.0\n.target sm_75, debug\n.address_size 64\n\
         {function} {{\n.loc 1 5 1\n.loc 1 2 1, function_name $L__info_string0, inlined_at 1 5 1\ntrap;\nret;\n}}\n\
         .file 1 \"{name}\"\n.section .debug_info {{ .b8 1 }}\n\
         .section .debug_str {{\n$L__info_string0: .b8 {}\n}}\n",
        bytes.join(", ")
    );
    Ptx { name: name.to_owned(), text: text + &texunit_syntax::handed_comments([(name, function)]) }
}

/// File numbers and label names of the texts are independent.
#[test]
fn places_of_several_texts() {
    let inputs = vec![
        text("a.cu", ".visible .entry a()", "one"),
        text("b.cu", ".visible .entry b()", "two"),
        text("c.cu", ".visible .entry c()", "three"),
    ];
    let linked = link(inputs, false).unwrap();
    assert!(!linked.text.contains(".debug_info"));
    let sources = texunit_syntax::handed_sources(&linked.text);
    assert_eq!(sources.len(), 3);
    assert!(sources[1].name == "b.cu" && sources[1].line(1) == Some(".visible .entry b()"));
    let module = Module::load(&Device::default(), &linked.name, &linked.text).unwrap();
    let traps = linked.text.match_indices("trap;").map(|(at, _)| at as u32);
    let frames: Vec<Vec<_>> = traps
        .map(|at| {
            let frames = module.sources().frames_at(at);
            let shown = |f: &texunit_device::Frame<'_>| {
                format!("{}:{} {}", f.file.unwrap(), f.line, f.function.as_deref().unwrap())
            };
            frames.iter().map(shown).collect()
        })
        .collect();
    assert_eq!(
        frames,
        [["a.cu:2 one", "a.cu:5 a"], ["b.cu:2 two", "b.cu:5 b"], ["c.cu:2 three", "c.cu:5 c"]]
    );
}
