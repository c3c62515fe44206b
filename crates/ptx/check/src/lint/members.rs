//! Lint W0218: constant member masks of `.sync` instructions that include lanes which a guard or a
//! branch excludes.
//!
//! The participating lanes are found by evaluating the predicates for all lanes of a warp, if they
//! depend on `%laneid` and `%tid.x` through a few simple integer instructions; all other predicates
//! count as true. In the first warp of a CTA, `%tid.x` equals the lane, modulo the size of the CTA
//! in x if that is below 32. All such sizes are evaluated; if the mask is valid for any of the
//! sizes, nothing is reported.

use std::collections::{HashMap, HashSet};

use texunit_flow::{Code, DominatorTree, Edges, with_exits};
use texunit_isa::{CmpOp, Opcode, ScalarType, SpecialReg};
use texunit_syntax::{Diagnostic, Span};

use super::barriers::{control, member_mask, one_thread};
use super::body::{Body, Knowledge};
use crate::ir::{Guard, Operand, RegId};

/// Maximum number of instructions between a lane's index and a predicate, and of nested branches.
const MAX_DEPTH: usize = 24;
/// Work limit per function: a constant, and a number per instruction.
const MAX_STEPS: (usize, usize) = (10_000, 50);
/// The sizes of a CTA in x that are tried; 32 fills the warp.
const WIDTHS: [u32; 6] = [32, 16, 8, 4, 2, 1];

const ALL: u32 = u32::MAX;

/// A 32-bit number for each lane.
type LaneValues = [u32; 32];

/// Finds member masks that include lanes which do not participate in the instruction.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    // Positions that lint W0206 has already reported.
    let said: HashSet<Span> =
        out.iter().filter(|d| d.code == "W0206").map(|d| d.primary.span).collect();
    let sites: Vec<(usize, u32)> = (0..body.code.len())
        .filter(|&at| body.is_reachable(at) && !said.contains(&body.head(at)))
        .filter_map(|at| members(body, at).map(|mask| (at, mask)))
        .collect();
    if sites.is_empty() || one_thread(body) {
        return;
    }
    let Some((next, control)) = control(body) else { return };
    let (forward, backward) = with_exits(&next);
    let ends = DominatorTree::new(&backward, &forward, next.vertices() as u32 - 1);
    let widths = WIDTHS.into_iter().chain(declared_width(body));
    let mut warps: Vec<Warp> =
        widths.map(|width| Warp::new(body, &control, &ends, width)).collect();
    // Lanes at different `bar.warp.sync`, or shuffles, with the same mask may wait for each other.
    let mut at_others = HashMap::<(Opcode, u32), u32>::new();
    for &(at, mask) in sites.iter().filter(|(at, _)| meets_others(body, *at)) {
        *at_others.entry((body.code[at].opcode, mask)).or_default() |=
            warps[0].coming(at).unwrap_or(0);
    }
    for (at, mask) in sites {
        let Some(lanes) = warps[0].coming(at) else { continue };
        let others = at_others.get(&(body.code[at].opcode, mask));
        let lanes = lanes | others.copied().unwrap_or(0);
        let excluded = mask & !lanes;
        if excluded == 0 {
            continue;
        }
        let fits = |warp: &mut Warp| {
            warp.coming(at).is_some_and(|lanes| lanes != ALL && mask & !lanes == 0)
        };
        if !warps[1..].iter_mut().any(fits) {
            out.push(report(body, at, (mask, excluded), warps[0].reason(at)));
        }
    }
}

/// Whether an instruction can synchronize lanes with lanes at another such instruction.
fn meets_others(body: &Body, at: usize) -> bool {
    matches!(body.code[at].opcode, Opcode::Bar | Opcode::Barrier | Opcode::Shfl)
}

/// The size of the CTA in x, if the kernel declares it.
fn declared_width(body: &Body) -> Option<u32> {
    let required = body.function.directives.iter().find(|(name, _)| name == "reqntid")?;
    u32::try_from(*required.1.first()?).ok().filter(|&width| width > 0)
}

/// The constant mask of a `.sync` instruction.
fn members(body: &Body, at: usize) -> Option<u32> {
    let i = &body.code[at];
    let mask = if i.opcode == Opcode::Elect { i.operands.last() } else { member_mask(i) };
    Some(body.integer(mask?, at)?.0 as u32)
}

/// The analysis of which lanes of a warp reach an instruction.
struct Warp<'b, 'a> {
    body: &'b Body<'a>,
    control: &'b Edges,
    /// The postdominator tree of the function.
    ends: &'b DominatorTree,
    /// Size of the CTA in x.
    width: u32,
    blocks: HashMap<u32, u32>,
    left: usize,
}

impl<'b, 'a> Warp<'b, 'a> {
    fn new(body: &'b Body<'a>, control: &'b Edges, ends: &'b DominatorTree, width: u32) -> Self {
        let left = MAX_STEPS.0 + MAX_STEPS.1 * body.code.len();
        Self { body, control, ends, width, blocks: HashMap::new(), left }
    }

    /// The lanes that may reach an instruction; `None` if no lane does, or if it is unknown.
    fn coming(&mut self, at: usize) -> Option<u32> {
        let block = self.block(self.body.graph.block_of(at), 0);
        let lanes = block & self.body.code[at].guard.map_or(ALL, |g| self.guard(g, at));
        (lanes != 0).then_some(lanes)
    }

    /// The guard or branch that keeps lanes from an instruction.
    fn reason(&mut self, at: usize) -> Option<Span> {
        if let (Some(guard), Some(syntax)) = (self.body.code[at].guard, self.body.syntax[at].guard)
            && self.guard(guard, at) != ALL
        {
            return Some(syntax.span);
        }
        let mut block = self.body.graph.block_of(at);
        for _ in 0..MAX_DEPTH {
            let &[decider] = self.control.of(block) else { return None };
            if self.branch(decider, block) != ALL {
                return self.body.graph.range(decider).last().map(|i| self.body.syntax[i].span);
            }
            block = decider;
        }
        None
    }

    /// The lanes that may reach a block; all lanes if several branches control the block.
    fn block(&mut self, block: u32, depth: usize) -> u32 {
        if let Some(&known) = self.blocks.get(&block) {
            return known;
        }
        self.blocks.insert(block, ALL);
        let lanes = match self.control.of(block) {
            &[decider] if decider != block && depth < MAX_DEPTH => {
                self.branch(decider, block) & self.block(decider, depth + 1)
            }
            _ => ALL,
        };
        self.blocks.insert(block, lanes);
        lanes
    }

    /// The lanes that go from the branch at the end of a block to another block.
    fn branch(&mut self, decider: u32, block: u32) -> u32 {
        let body = self.body;
        let graph = &body.graph;
        let Some(last) = graph.range(decider).last() else { return ALL };
        let i = &body.code[last];
        let Some(guard) = i.guard else { return ALL };
        if !matches!(i.opcode, Opcode::Bra | Opcode::Ret | Opcode::Exit | Opcode::Trap) {
            return ALL;
        }
        let mut taken = graph.exit();
        body.flow.control(last, &mut |target| taken = graph.block_of(target));
        let leads = |to: u32| self.ends.dominates(block, to);
        match (leads(taken), leads(decider + 1)) {
            (true, false) => self.guard(guard, last),
            (false, true) => self.guard(Guard { negated: !guard.negated, ..guard }, last),
            _ => ALL,
        }
    }

    /// The lanes in which a guard is true; all lanes if unknown.
    fn guard(&mut self, guard: Guard, at: usize) -> u32 {
        match self.predicate(guard.reg, at, 0) {
            Some(lanes) if guard.negated => !lanes,
            Some(lanes) => lanes,
            None => ALL,
        }
    }

    /// The only definition that an instruction's read of a register can see.
    fn write(&mut self, reg: RegId, at: usize, depth: usize) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let known = self.body.known[reg.0 as usize] == Knowledge::All && depth < MAX_DEPTH;
        known.then(|| self.body.only_write(reg, at)).flatten()
    }

    fn predicate(&mut self, reg: RegId, at: usize, depth: usize) -> Option<u32> {
        let write = self.write(reg, at, depth)?;
        let body = self.body;
        let i = &body.code[write];
        let mut one = |operand: &Operand| match operand {
            Operand::Reg(r) => self.predicate(*r, write, depth + 1),
            Operand::NotReg(r) => self.predicate(*r, write, depth + 1).map(|lanes| !lanes),
            Operand::Imm(0) => Some(0),
            Operand::Imm(_) => Some(ALL),
            _ => None,
        };
        let of_predicates = i.mods.ty() == Some(ScalarType::Pred);
        match (i.opcode, &i.operands[..]) {
            (Opcode::Mov, [_, a]) if of_predicates => one(a),
            (Opcode::Not, [_, a]) if of_predicates => Some(!one(a)?),
            (Opcode::And, [_, a, b]) if of_predicates => Some(one(a)? & one(b)?),
            (Opcode::Or, [_, a, b]) if of_predicates => Some(one(a)? | one(b)?),
            (Opcode::Xor, [_, a, b]) if of_predicates => Some(one(a)? ^ one(b)?),
            (Opcode::Setp, [p, _, a, b]) if i.mods.bool_op.is_none() => {
                let signed = match i.mods.ty()? {
                    ScalarType::S32 => true,
                    ScalarType::U32 | ScalarType::B32 => false,
                    _ => return None,
                };
                let a = self.number(a, write, depth + 1)?;
                let b = self.number(b, write, depth + 1)?;
                let holds = compared(i.mods.cmp?, signed)?;
                let lanes = (0..32).filter(|&k| holds(a[k], b[k])).fold(0, |m, k| m | 1 << k);
                Some(if *p == Operand::Reg(reg) { lanes } else { !lanes })
            }
            _ => None,
        }
    }

    /// The value of a 32-bit operand in each lane.
    fn number(&mut self, operand: &Operand, at: usize, depth: usize) -> Option<LaneValues> {
        let lane = |f: fn(u32) -> u32| Some(std::array::from_fn(|k| f(k as u32)));
        let reg = match operand {
            Operand::Imm(bits) => return Some([*bits as u32; 32]),
            Operand::Special(SpecialReg::Laneid, _) => return lane(|k| k),
            Operand::Special(SpecialReg::LanemaskEq, _) => return lane(|k| 1 << k),
            Operand::Special(SpecialReg::Tid, 0) => {
                return Some(std::array::from_fn(|k| k as u32 % self.width));
            }
            Operand::Reg(reg) => *reg,
            _ => return None,
        };
        let write = self.write(reg, at, depth)?;
        let body = self.body;
        let i = &body.code[write];
        if i.mods.cc
            || i.mods.sat
            || i.mods.vector > 0
            || i.mods.types.iter().any(|t| t.bits() != 32)
        {
            return None;
        }
        let plain = i.mods.part.is_none_or(|part| part == texunit_isa::MulPart::Lo);
        let operation: fn(u32, u32) -> u32 = match i.opcode {
            Opcode::Mov | Opcode::Cvt => |a, _| a,
            Opcode::Not => |a, _| !a,
            Opcode::And => |a, b| a & b,
            Opcode::Or => |a, b| a | b,
            Opcode::Xor => |a, b| a ^ b,
            Opcode::Add => u32::wrapping_add,
            Opcode::Sub => u32::wrapping_sub,
            Opcode::Mul if plain => u32::wrapping_mul,
            Opcode::Shl => |a, b| a.checked_shl(b).unwrap_or(0),
            Opcode::Shr if i.mods.ty() != Some(ScalarType::S32) => {
                |a, b| a.checked_shr(b).unwrap_or(0)
            }
            Opcode::Rem if i.mods.ty() == Some(ScalarType::U32) => {
                |a, b| a.checked_rem(b).unwrap_or(u32::MAX)
            }
            _ => return None,
        };
        if i.mods.types.iter().any(|t| t.is_float()) {
            return None;
        }
        let (a, b) = match &i.operands[..] {
            [_, a] => (self.number(a, write, depth + 1)?, [0; 32]),
            [_, a, b] => (self.number(a, write, depth + 1)?, self.number(b, write, depth + 1)?),
            _ => return None,
        };
        Some(std::array::from_fn(|k| operation(a[k], b[k])))
    }
}

/// The comparison of 32-bit integers for a comparison operator.
fn compared(cmp: CmpOp, signed: bool) -> Option<fn(u32, u32) -> bool> {
    Some(match (cmp, signed) {
        (CmpOp::Eq, _) => |a, b| a == b,
        (CmpOp::Ne, _) => |a, b| a != b,
        (CmpOp::Lt, true) => |a, b| (a as i32) < b as i32,
        (CmpOp::Le, true) => |a, b| a as i32 <= b as i32,
        (CmpOp::Gt, true) => |a, b| a as i32 > b as i32,
        (CmpOp::Ge, true) => |a, b| a as i32 >= b as i32,
        (CmpOp::Lt | CmpOp::Lo, false) => |a, b| a < b,
        (CmpOp::Le | CmpOp::Ls, false) => |a, b| a <= b,
        (CmpOp::Gt | CmpOp::Hi, false) => |a, b| a > b,
        (CmpOp::Ge | CmpOp::Hs, false) => |a, b| a >= b,
        _ => return None,
    })
}

/// The lanes of a mask in words: `lane 3`, `lanes 4 to 7 and 9`.
fn named(lanes: u32) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = 0;
    while at < 32 {
        if lanes >> at & 1 == 0 {
            at += 1;
            continue;
        }
        let length = (!(lanes >> at)).trailing_zeros().min(32 - at);
        parts.push(match length {
            1 => format!("{at}"),
            n => format!("{at} to {}", at + n - 1),
        });
        at += length;
    }
    let word = if lanes.count_ones() == 1 { "lane" } else { "lanes" };
    match parts.split_last() {
        Some((last, [])) => format!("{word} {last}"),
        Some((last, some)) => format!("{word} {} and {last}", some.join(", ")),
        None => "no lane".to_owned(),
    }
}

fn report(
    body: &Body,
    at: usize,
    (mask, excluded): (u32, u32),
    reason: Option<Span>,
) -> Diagnostic {
    let name = body.mnemonic(at);
    let message = format!("the mask {mask:#010x} of this {name} names lanes that do not reach it");
    let diagnostic = Diagnostic::warning("W0218", body.head(at), message)
        .label(format!("{} cannot get here", named(excluded)))
        .help("name the lanes that arrive, or move it to where all that are named do");
    match reason {
        Some(span) => diagnostic.note(span, "lanes diverge here"),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn lanes_in_words() {
        assert_eq!(named(1), "lane 0");
        assert_eq!(named(u32::MAX), "lanes 0 to 31");
        assert_eq!(named(0x8000_00f1), "lanes 0, 4 to 7 and 31");
        assert_eq!(named(0xffff_0000), "lanes 16 to 31");
    }
}
