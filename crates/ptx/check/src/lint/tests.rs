//! Tests of the analyses on the functions of analyses.txt.

use texunit_flow::control_dependence;
use texunit_syntax::{SourceFile, parse};

use super::body::{Body, Origin};
use super::divergence::Values;
use crate::check_with;
use crate::ir::RegId;
use crate::options::Options;

/// What an analysis finds about a register in a kernel with `statements`, at the last instruction
/// before `ret`.
fn analysed(analysis: &str, register: &str, statements: &str) -> String {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b32 word;\n\
         .entry k(.param .u64 out, .param .u32 n) {{\n.reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .pred %p<20>;\n\
         ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n{statements}\nret;\n}}"
    );
    let source = SourceFile::new("k.ptx", text);
    let parsed = parse(&source);
    let checked = check_with(&source, &parsed.module, Options::default());
    assert!(checked.diagnostics.is_empty(), "{:?}", checked.diagnostics);
    let function = &checked.module.functions[0];
    let block = parsed.module.items.iter().find_map(|item| match item {
        texunit_syntax::ast::Item::Function(f) => f.body.as_ref(),
        _ => None,
    });
    let body =
        Body::new(Origin::default(), &source, &checked.module, function, block.unwrap()).unwrap();
    let reg = function.regs.iter().position(|r| r.name == register).unwrap();
    let (reg, at) = (RegId(reg as u32), body.code.len() - 2);
    if analysis == "constant" {
        return format!("{:?}", body.constant(reg, at).map(|c| c.0));
    }
    let control = control_dependence(&body.graph.successors, 10_000).unwrap();
    format!("{:?}", Values::new(&body, &control).read(reg, at).kind)
}

#[test]
fn analyses_of_small_functions() {
    let mut count = 0;
    for part in include_str!("analyses.txt").split("\n== ").skip(1) {
        let (head, rows) = part.split_once('\n').unwrap();
        let [analysis, register, around] =
            head.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
        for (expected, statements) in rows.lines().filter_map(|row| row.split_once(" | ")) {
            let found = analysed(analysis, register, &around.replace('$', statements));
            assert_eq!(found, expected, "{statements}");
            count += 1;
        }
    }
    assert_eq!(count, 61);
}
