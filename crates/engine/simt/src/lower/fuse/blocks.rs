//! The blocks that ptxas fuses in, and which registers are needed behind each.
//!
//! A block ends where control may go elsewhere, and also at what ptxas makes several blocks of: a division with a slow path,
//! a call, a fence, and anything but plain arithmetic under a guard. A label that nobody jumps to ends nothing, and a block
//! that is reached from one other only, which always goes there, is a part of that one.

use super::super::registers::is_arithmetic;
use super::{Instruction, Opcode, Operand, ScalarType, destinations, each_register, ir};
use crate::bits::Set;
use std::ops::Range;

/// Bits that the sets of a function may have together: larger functions are not looked at.
const MAX_BITS: usize = 1 << 21;
/// Rounds that may be needed to know all that is live.
const MAX_ROUNDS: usize = 64;

/// A block, as the parts of the body that it consists of, in the order of execution.
#[derive(Debug, Default)]
pub(super) struct Chain {
    pub(super) parts: Vec<Range<usize>>,
    /// Numbers of the blocks that may follow.
    next: Vec<usize>,
}

impl Chain {
    pub(super) fn instructions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.parts.iter().flat_map(Clone::clone)
    }
}

/// The blocks of a function that can be reached.
pub(super) struct Blocks<'a> {
    function: &'a ir::Function,
    body: &'a [Instruction],
    pub(super) chains: Vec<Chain>,
    /// Registers that some block reads before it writes them, by register: their numbers in `live`.
    exposed: Vec<Option<u32>>,
    /// Those registers, by number.
    registers: Vec<ir::RegId>,
    /// Exposed registers that are live where each block begins; nothing if that is not known: then all are.
    live: Option<Vec<Set>>,
}

/// Whether ptxas has a block end behind an instruction.
fn ends_block(inst: &Instruction) -> bool {
    use Opcode as O;
    let m = &inst.mods;
    match inst.opcode {
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Trap | O::Brkpt | O::Pmevent => true,
        O::Membar | O::Fence => true,
        // With a slow path or a subroutine: all but the approximate ones, and integers but u32.
        O::Div | O::Rem if m.ty() != Some(ScalarType::U32) && !m.approx && !m.full => true,
        O::Rcp | O::Sqrt if !m.approx => true,
        O::Rsqrt if m.ty() == Some(ScalarType::F64) && !m.ftz => true,
        _ => inst.guard.is_some() && (m.cc || !is_arithmetic(inst.opcode)),
    }
}

/// A block before blocks are joined.
struct Part {
    range: Range<usize>,
    next: Vec<usize>,
    /// Whether it is one block with the next, if nothing else goes there.
    joins: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn of(function: &'a ir::Function, body: &'a [Instruction]) -> Self {
        let chains = chains(&parts(function, body));
        let mut blocks = Self {
            function,
            body,
            chains,
            exposed: vec![None; function.regs.len()],
            registers: Vec::new(),
            live: None,
        };
        blocks.expose();
        blocks.find_live();
        blocks
    }

    /// Whether it is known what is needed behind blocks.
    pub(super) fn is_known(&self) -> bool {
        self.live.is_some()
    }

    /// Numbers the registers that blocks read before they write them.
    fn expose(&mut self) {
        let Self { function, body, chains, exposed, registers, .. } = self;
        let mut expose = |r: ir::RegId| {
            if let Some(number @ None) = exposed.get_mut(r.0 as usize) {
                *number = Some(registers.len() as u32);
                registers.push(r);
            }
        };
        function.returns.iter().filter_map(|p| p.reg).for_each(&mut expose);
        // The last block that wrote each, plus one.
        let mut written = vec![0; function.regs.len()];
        for (block, chain) in (1..).zip(&*chains) {
            for i in chain.instructions() {
                reads(&body[i], &mut |r| {
                    if written.get(r.0 as usize) != Some(&block) {
                        expose(r);
                    }
                });
                writes(&body[i], &mut |r| {
                    if let Some(w) = written.get_mut(r.0 as usize) {
                        *w = block;
                    }
                });
            }
        }
    }

    fn find_live(&mut self) {
        if self.chains.len().saturating_mul(self.registers.len()) > MAX_BITS {
            return;
        }
        let empty = Set::new(self.registers.len());
        let mut live = vec![empty.clone(); self.chains.len()];
        for _ in 0..MAX_ROUNDS {
            let mut is_same = true;
            for block in (0..live.len()).rev() {
                let mut now = self.live_behind(block, Some(&live));
                self.back(block, &mut now, &mut |_| ());
                let mut at_start = empty.clone();
                for (number, r) in self.registers.iter().enumerate() {
                    at_start.put(number, now.has(r.0 as usize));
                }
                is_same &= at_start == live[block];
                live[block] = at_start;
            }
            if is_same {
                self.live = Some(live);
                return;
            }
        }
    }

    /// Whether each block is in a loop, as far as jumps back show it.
    pub(super) fn in_loops(&self) -> Vec<bool> {
        let mut is_in = vec![false; self.chains.len()];
        for (from, chain) in self.chains.iter().enumerate() {
            if let Some(&to) = chain.next.iter().filter(|&&to| to <= from).min() {
                is_in[to..=from].fill(true);
            }
        }
        is_in
    }

    /// Registers that are needed behind a block.
    pub(super) fn live_out(&self, block: usize) -> Set {
        self.live_behind(block, self.live.as_deref())
    }

    fn live_behind(&self, block: usize, live: Option<&[Set]>) -> Set {
        let mut behind = Set::new(self.function.regs.len());
        let chain = &self.chains[block];
        for (number, r) in self.registers.iter().enumerate() {
            let is_live = |next: &usize| live.is_none_or(|live| live[*next].has(number));
            behind.put(r.0 as usize, chain.next.iter().any(is_live));
        }
        if chain.next.is_empty() {
            let returned = self.function.returns.iter().filter_map(|p| p.reg);
            returned.for_each(|r| behind.put(r.0 as usize, true));
        }
        behind
    }

    /// Goes back through a block from what is live behind it to what is where it begins; calls `dead` with what nobody needs.
    pub(super) fn back(&self, block: usize, live: &mut Set, dead: &mut impl FnMut(usize)) {
        for i in self.chains[block].instructions().rev() {
            let inst = &self.body[i];
            let (mut is_needed, mut writes_any) = (false, false);
            writes(inst, &mut |r| {
                writes_any = true;
                is_needed |= live.has(r.0 as usize);
            });
            if writes_any && !is_needed && is_arithmetic(inst.opcode) && !inst.mods.cc {
                dead(i);
                continue;
            }
            if inst.guard.is_none() {
                writes(inst, &mut |r| live.put(r.0 as usize, false));
            }
            reads(inst, &mut |r| live.put(r.0 as usize, true));
        }
    }
}

/// Calls `f` with all registers that an instruction reads; under a guard also with those that keep their value where it is
/// false.
pub(super) fn reads(inst: &Instruction, f: &mut impl FnMut(ir::RegId)) {
    inst.operands.read(destinations(inst)).for_each(|operand| each_register(operand, f));
    if let Some(guard) = inst.guard {
        f(guard.reg);
        writes(inst, f);
    }
}

/// Calls `f` with all registers that an instruction writes.
pub(super) fn writes(inst: &Instruction, f: &mut impl FnMut(ir::RegId)) {
    inst.operands.written(destinations(inst)).for_each(|operand| each_register(operand, f));
}

/// The body in parts that control goes through from begin to end.
fn parts(function: &ir::Function, body: &[Instruction]) -> Vec<Part> {
    let mut starts = vec![false; body.len() + 1];
    starts[0] = true;
    let place = |label: &ir::LabelId| function.labels.get(label.0 as usize).map(|l| l.1);
    for (i, inst) in body.iter().enumerate() {
        targets(inst).iter().filter_map(place).for_each(|at| {
            if let Some(start) = starts.get_mut(at) {
                *start = true;
            }
        });
        starts[i + 1] |= ends_block(inst);
    }
    let bounds: Vec<usize> = (0..body.len()).filter(|&i| starts[i]).collect();
    let number_at = |at: usize| bounds.binary_search(&at).ok();
    let mut parts = Vec::new();
    for (number, &start) in bounds.iter().enumerate() {
        let end = bounds.get(number + 1).copied().unwrap_or(body.len());
        let last = &body[end - 1];
        let jumps = matches!(last.opcode, Opcode::Bra | Opcode::Brx);
        let leaves = jumps || matches!(last.opcode, Opcode::Ret | Opcode::Exit | Opcode::Trap);
        let mut next: Vec<usize> =
            targets(last).iter().filter_map(place).filter_map(number_at).collect();
        if !leaves || last.guard.is_some() {
            next.extend((end < body.len()).then_some(number + 1));
        }
        let joins = next.len() == 1 && (jumps || !ends_block(last));
        parts.push(Part { range: start..end, next, joins });
    }
    parts
}

/// The labels that an instruction may go to.
fn targets(inst: &Instruction) -> &[ir::LabelId] {
    let operands = if matches!(inst.opcode, Opcode::Bra | Opcode::Brx) {
        inst.operands.as_slice()
    } else {
        &[]
    };
    match operands {
        [Operand::Label(label), ..] => std::slice::from_ref(label),
        [_, Operand::Targets(targets)] => targets,
        _ => &[],
    }
}

/// Joins parts to blocks; those that cannot be reached are left out.
fn chains(parts: &[Part]) -> Vec<Chain> {
    // How many parts that can be reached go to each, from the first.
    let mut before = vec![0_u32; parts.len()];
    let mut is_reached = vec![false; parts.len()];
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        let Some(part) = parts.get(number) else { continue };
        if std::mem::replace(&mut is_reached[number], true) {
            continue;
        }
        for &next in &part.next {
            before[next] += 1;
            open.push(next);
        }
    }
    let mut block_of = vec![None; parts.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    for first in (0..parts.len()).filter(|&number| is_reached[number]) {
        if block_of[first].is_some() {
            continue;
        }
        let (mut at, mut list) = (first, Vec::new());
        loop {
            block_of[at] = Some(members.len());
            list.push(at);
            match parts[at].next[..] {
                [next]
                    if parts[at].joins
                        && before[next] == 1
                        && block_of[next].is_none()
                        && next != 0 =>
                {
                    at = next
                }
                _ => break,
            }
        }
        members.push(list);
    }
    let chain = |list: &Vec<usize>| Chain {
        parts: list.iter().map(|&number| parts[number].range.clone()).collect(),
        next: list.last().map_or(vec![], |&last| {
            parts[last].next.iter().filter_map(|&next| block_of[next]).collect()
        }),
    };
    members.iter().map(chain).collect()
}
