//! Properties of checked modules.

use texunit_check::{Checked, check};
use texunit_syntax::{SourceFile, parse};

fn check_text(text: &str) -> Checked {
    let source = SourceFile::new("text", text);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    check(&source, &parsed.module)
}

const HEADER: &str = texunit_testkit::ptx::SM_75;

/// Registers exist once they are named, large variables take no memory.
#[test]
fn declarations_cost_nothing() {
    let checked = check_text(&format!(
        "{HEADER}.global .b8 huge[99999999999];
        .global .u64 table[1000000000] = {{1, huge, huge+8}};
        .entry k() {{ .reg .b32 %r<4000000000>; mov.b32 %r3999999999, %r0; ret; }}"
    ));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let module = checked.module;
    assert_eq!(module.variables[0].size, 99_999_999_999);
    assert_eq!(module.variables[1].init.len(), 24);
    assert_eq!(module.variables[1].relocations.len(), 2);
    assert_eq!(module.variables[1].relocations[1].addend, 8);
    assert_eq!(module.functions[0].regs.len(), 2);
}

#[test]
fn parameters_are_laid_out_by_alignment() {
    let checked = check_text(&format!(
        "{HEADER}.entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d) {{ ret; }}"
    ));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let kernel = &checked.module.functions[0];
    let offsets: Vec<_> = kernel.params.iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(offsets, [(0, 1, 1), (8, 8, 8), (16, 20, 16), (36, 2, 2)]);
    assert_eq!(kernel.param_size, 38);
}

#[test]
fn labels_point_at_instructions() {
    let checked =
        check_text(&format!("{HEADER}.entry k() {{ a: trap; {{ b: bra a; }} c: ret; d: }}"));
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let labels: Vec<_> =
        checked.module.functions[0].labels.iter().map(|(n, i)| (n.as_str(), *i)).collect();
    assert_eq!(labels, [("a", 0), ("c", 2), ("d", 3), ("b", 1)]);
}

/// Instructions of other chapters are kept, so that only launches that reach them fail.
#[test]
fn foreign_instructions_are_kept() {
    let checked = check_text(
        ".version 8.8\n.target sm_80\n.entry k() { .reg .b64 %rd<2>; mbarrier.init.shared.b64 [%rd1], 1; ret; }",
    );
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let body = checked.module.functions[0].body.as_ref().unwrap();
    assert_eq!(body[0].opcode.name(), "mbarrier");
}
