//! Lint W0208: fetches, loads and queries whose results are never read.

use std::ops::ControlFlow;

use texunit_flow::{Access, Code, reached_uses};
use texunit_isa::Opcode;
use texunit_syntax::Diagnostic;

use super::body::{Body, Knowledge};
use crate::ir::RegId;

/// Work limit for one result; if it is exceeded, the result counts as read.
const MAX_STEPS: usize = 100_000;
/// Work limit for all results of a function: a constant, and a number per instruction, so that the
/// time is linear in the length of the text.
const MAX_ALL_STEPS: (usize, usize) = (200_000, 640);

/// Finds results of texture and surface instructions that are never read.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    let sites: Vec<usize> = (0..body.code.len()).filter(|&at| fetches(body, at)).collect();
    if sites.is_empty() {
        return;
    }
    let mut is_read = vec![false; body.function.regs.len()];
    for at in 0..body.code.len() {
        body.registers(at, |reg, access| is_read[reg.0 as usize] |= access == Access::Use);
    }
    let mut is_returned = vec![false; body.function.regs.len()];
    body.flow.results(&mut |reg| is_returned[reg as usize] = true);
    let left = MAX_ALL_STEPS.0 + MAX_ALL_STEPS.1 * body.code.len();
    let mut search = Search { body, is_read, is_returned, left };
    for at in sites {
        if body.is_reachable(at)
            && !results(body, at).into_iter().any(|reg| search.is_read(reg, at))
        {
            out.push(report(body, at));
        }
    }
}

fn fetches(body: &Body, at: usize) -> bool {
    matches!(
        body.code[at].opcode,
        Opcode::Tex | Opcode::Tld4 | Opcode::Suld | Opcode::Txq | Opcode::Suq | Opcode::Istypep
    )
}

fn results(body: &Body, at: usize) -> Vec<RegId> {
    let mut list = Vec::new();
    body.registers(at, |reg, access| {
        if access == Access::Def {
            list.push(reg);
        }
    });
    list
}

struct Search<'b, 'a> {
    body: &'b Body<'a>,
    /// For each register, whether any instruction reads it.
    is_read: Vec<bool>,
    /// For each register, whether it is a result parameter of the function.
    is_returned: Vec<bool>,
    left: usize,
}

impl Search<'_, '_> {
    fn is_read(&mut self, reg: RegId, at: usize) -> bool {
        let (body, register) = (self.body, reg.0 as usize);
        if body.known[register] != Knowledge::All || self.is_returned[register] {
            return true;
        }
        if !self.is_read[register] || body.writes.of(reg.0).len() == 1 {
            return self.is_read[register];
        }
        let most = self.left.min(MAX_STEPS);
        let mut left = most;
        let found =
            reached_uses(&body.flow, (reg.0, at), &mut left, &mut |_| ControlFlow::Break(()));
        self.left -= most - left;
        found.is_break()
    }
}

fn report(body: &Body, at: usize) -> Diagnostic {
    let name = body.mnemonic(at);
    let several = matches!(body.code[at].opcode, Opcode::Tex | Opcode::Tld4 | Opcode::Suld);
    let what = if several { "registers are" } else { "register is" };
    let span = body.syntax[at].operands.first().map_or(body.head(at), |o| o.span);
    Diagnostic::warning("W0208", span, format!("the result of this {name} is never read"))
        .label(format!("the {what} not read afterwards"))
        .help("read the result, or remove the instruction")
}
