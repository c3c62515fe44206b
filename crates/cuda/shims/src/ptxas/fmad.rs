//! `--fmad=false`: PTX may contract products and sums without a rounding modifier into fused
//! operations, but not those with one (PTX ISA, `mul.rn`, `add.rn`). This module adds the default
//! modifier to all of them.

use texunit_syntax::SourceFile;
use texunit_syntax::ast::{Block, Instruction, Item, Statement};

/// Operations that may be contracted.
const CONTRACTED: [&str; 3] = ["add", "mul", "sub"];
/// Floating-point types whose products may be contracted.
const FLOATS: [&str; 7] = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"];
/// Rounding modifiers of an instruction.
const ROUNDINGS: [&str; 4] = ["rn", "rz", "rm", "rp"];

/// The same program with explicit rounding modifiers, so that nothing is contracted. Line numbers
/// stay the same.
pub(super) fn forbidden(source: &SourceFile) -> String {
    let text = source.text();
    let parsed = texunit_syntax::parse(source);
    let bodies = parsed.module.items.iter().filter_map(|item| match item {
        Item::Function(f) => f.body.as_ref(),
        _ => None,
    });
    let mut ends: Vec<usize> = Vec::new();
    let mut blocks: Vec<&Block<'_>> = bodies.collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Instruction(i) if may_be_contracted(i) => {
                    ends.push(i.opcode.span.end as usize);
                }
                Statement::Block(inner) => blocks.push(inner),
                _ => {}
            }
        }
    }
    ends.sort_unstable();
    let mut result = String::with_capacity(text.len() + 3 * ends.len());
    let mut at = 0;
    for end in ends {
        result += &text[at..end];
        result += ".rn";
        at = end;
    }
    result + &text[at..]
}

fn may_be_contracted(instruction: &Instruction<'_>) -> bool {
    let has = |words: &[&str]| instruction.modifiers.iter().any(|m| words.contains(&m.text));
    CONTRACTED.contains(&instruction.opcode.text) && has(&FLOATS) && !has(&ROUNDINGS)
}
