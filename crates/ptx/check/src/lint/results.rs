//! Fetches, loads and queries whose results nobody reads: W0208.

use std::ops::ControlFlow;

use texunit_flow::{Access, Code, Index, reached_uses};
use texunit_isa::Opcode;
use texunit_syntax::Diagnostic;

use super::body::{Body, Known};
use crate::ir::RegId;

/// Blocks searched for one result; more: it counts as read.
const MAX_BLOCKS: usize = 10_000;
/// Blocks and edges searched for all results of a function: some, and some for each instruction, so
/// that the time is linear in the length of the text.
const MAX_ALL_BLOCKS: (usize, usize) = (20_000, 64);

/// Finds results of texture and surface instructions that are never read.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    let sites: Vec<usize> = (0..body.code.len()).filter(|&at| fetches(body, at)).collect();
    if sites.is_empty() {
        return;
    }
    let mut wanted = vec![false; body.function.regs.len()];
    for &at in &sites {
        results(body, at).into_iter().for_each(|r| wanted[r.0 as usize] = true);
    }
    let reads = Index::new(&body.flow, Access::Use, |reg| wanted[reg as usize]);
    body.flow.results(|reg| wanted[reg as usize] = false);
    let left = MAX_ALL_BLOCKS.0 + MAX_ALL_BLOCKS.1 * body.code.len();
    let mut search = Search { body, reads, wanted, left };
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
    reads: Index,
    /// By register: whether a fetch writes it, and it is no return parameter.
    wanted: Vec<bool>,
    left: usize,
}

impl Search<'_, '_> {
    fn is_read(&mut self, reg: RegId, at: usize) -> bool {
        let body = self.body;
        if body.known[reg.0 as usize] != Known::All || !self.wanted[reg.0 as usize] {
            return true;
        }
        if self.reads.of(reg.0).is_empty() {
            return false;
        }
        if body.writes.of(reg.0).len() == 1 {
            return true;
        }
        let most = self.left.min(MAX_BLOCKS);
        let mut left = most;
        let chains = (&self.reads, &body.writes);
        let found = reached_uses(&body.flow, &body.graph, chains, (reg.0, at), &mut left, |_| {
            ControlFlow::Break(())
        });
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
