//! Determines the operations that compute the address of an access.

use super::Tree;
use crate::text::words;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use texunit_syntax::ast::{Instruction, Statement};
use texunit_syntax::{SourceFile, Span, parse};

/// Maximum number of operations in an address that a reader can follow. If there are more, only
/// special registers are counted.
const MAX: usize = 32;

/// Opcodes of instructions that only copy or convert a value.
const COPIES: [&str; 5] = ["mov", "cvta", "cvt", "ld", "ldu"];

/// Counts the operations and special registers that contribute to the address of an access, by data
/// flow within its function. Copies and loads of parameters are not counted.
pub(crate) fn formula(text: &str, access: Span) -> BTreeMap<String, usize> {
    let source = SourceFile::new("kernel.ptx", text);
    let tree = Tree { text: source.text(), parsed: parse(&source) };
    let mut all: Vec<&Instruction<'_>> = Vec::new();
    for (_, body) in
        tree.bodies().filter(|(_, body)| body.span.range().contains(&(access.start as usize)))
    {
        super::walk(body, 0, &mut |statement, _| {
            if let Statement::Instruction(instruction) = statement {
                all.push(instruction);
            }
        });
    }
    let text_of = |span: Span| tree.text.get(span.range()).unwrap_or_default();
    let mut writers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (i, instruction) in all.iter().enumerate() {
        let result = instruction.operands.first().map_or("", |operand| text_of(operand.span));
        if !result.starts_with('[') {
            words(result).iter().for_each(|word| writers.entry(word.text).or_default().push(i));
        }
    }
    let holds = |instruction: &&&Instruction<'_>| {
        instruction.span.range().contains(&(access.start as usize))
    };
    let address = all.iter().find(holds).and_then(|instruction| {
        let mut operands = instruction.operands.iter().map(|operand| text_of(operand.span));
        operands.find(|operand| operand.starts_with('['))
    });
    let (mut open, mut seen) = (vec![address.unwrap_or_default()], BTreeSet::new());
    let mut special: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(operand) = open.pop() {
        for word in words(operand) {
            match writers.get(word.text) {
                Some(by) => {
                    for &i in by.iter().filter(|&&i| seen.insert(i)) {
                        open.extend(
                            all[i].operands.iter().skip(1).map(|operand| text_of(operand.span)),
                        );
                    }
                }
                None if word.text.starts_with('%') => {
                    *special.entry(word.text.to_owned()).or_default() += 1
                }
                None => {}
            }
        }
    }
    if seen.len() <= MAX {
        for instruction in seen.iter().map(|&i| all[i]) {
            let is_param = instruction.modifiers.iter().any(|word| word.text.starts_with("param"));
            let opcode = instruction.opcode.text;
            if !COPIES.contains(&opcode) || (opcode.starts_with("ld") && !is_param) {
                *special.entry(opcode.to_owned()).or_default() += 1;
            }
        }
    }
    special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_and_special_registers_count() {
        let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a) {\n\
                    .reg .u64 %rd<9>; .reg .u32 %r<9>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %ctaid.x;\n\
                    mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\nadd.u32 %r7, %r3, 1;\n\
                    mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+8], %r7;\nret;\n}\n";
        let at = |what: &str| {
            let start = text.find(what).expect("in the text");
            Span::new(start, start + what.len())
        };
        let expected =
            ["%ctaid", "%ntid", "%tid", "add", "mad", "mul"].map(|name| (name.to_owned(), 1));
        assert_eq!(formula(text, at("st.global.u32 [%rd3+8], %r7;")), BTreeMap::from(expected));
        assert_eq!(formula(text, at("ret;")), BTreeMap::new());
        assert_eq!(formula(text, at(".target")), BTreeMap::new());
    }
}
