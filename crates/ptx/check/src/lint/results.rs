//! Fetches, loads and queries whose results nobody reads: W0208.

use std::collections::HashSet;

use texunit_isa::Opcode;
use texunit_syntax::Diagnostic;

use super::body::{Access, Body, Known};
use crate::dominators::Edges;
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
    let mut list = Vec::new();
    for at in 0..body.code.len() {
        body.registers(at, |reg, access| {
            if access == Access::Read && wanted[reg.0 as usize] {
                list.push((reg.0, at as u32));
            }
        });
    }
    let reads = Edges::new(body.function.regs.len(), &list);
    let mut search =
        Search { body, reads, left: MAX_ALL_BLOCKS.0 + MAX_ALL_BLOCKS.1 * body.code.len() };
    for at in sites {
        if body.graph.reaches(body.graph.block_of(at))
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
        if access == Access::Write {
            list.push(reg);
        }
    });
    list
}

struct Search<'b, 'a> {
    body: &'b Body<'a>,
    reads: Edges,
    left: usize,
}

/// What happens first to a register in a stretch of code.
enum First {
    Read,
    Written,
    Nothing,
}

impl Search<'_, '_> {
    fn is_read(&mut self, reg: RegId, at: usize) -> bool {
        let body = self.body;
        if body.known[reg.0 as usize] != Known::All || returned(body, reg) {
            return true;
        }
        if self.reads.of(reg.0).is_empty() {
            return false;
        }
        if body.writes.of(reg.0).len() == 1 {
            return true;
        }
        let block = body.graph.block_of(at);
        match self.first(reg, at + 1..body.graph.range(block).end) {
            First::Read => return true,
            First::Written => return false,
            First::Nothing => {}
        }
        let mut seen = HashSet::new();
        let mut stack = Vec::new();
        let mut ends = vec![block];
        while let Some(block) = ends.pop() {
            let next = body.graph.next.of(block);
            self.left = self.left.saturating_sub(1 + next.len());
            if self.left == 0 || seen.len() > MAX_BLOCKS {
                return true;
            }
            stack.extend(next.iter().filter(|&&b| b != body.graph.exit() && seen.insert(b)));
            while let Some(block) = stack.pop() {
                match self.first(reg, body.graph.range(block)) {
                    First::Read => return true,
                    First::Written => {}
                    First::Nothing => ends.push(block),
                }
            }
        }
        false
    }

    fn first(&self, reg: RegId, range: std::ops::Range<usize>) -> First {
        let within = |list: &[u32], from: usize| {
            let at = list.partition_point(|&x| (x as usize) < from);
            list.get(at).map(|&x| x as usize).filter(|&x| x < range.end)
        };
        let read = within(self.reads.of(reg.0), range.start);
        let mut write = within(self.body.writes.of(reg.0), range.start);
        while let Some(at) = write
            && self.body.code[at].guard.is_some()
        {
            write = within(self.body.writes.of(reg.0), at + 1);
        }
        match (read, write) {
            (Some(read), Some(write)) if write < read => First::Written,
            (Some(_), _) => First::Read,
            (None, Some(_)) => First::Written,
            (None, None) => First::Nothing,
        }
    }
}

/// Whether the register is a return parameter.
fn returned(body: &Body, reg: RegId) -> bool {
    let function = body.function;
    function.returns.iter().filter_map(|p| p.reg).any(|first| {
        let lanes = u32::from(function.regs[first.0 as usize].vector.max(1));
        (first.0..first.0 + lanes).contains(&reg.0)
    })
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
