//! The basic blocks within which ptxas fuses, and the registers that are live at their ends.
//!
//! A block ends at control flow, and also where ptxas splits blocks: at a division with a slow
//! path, a call, a fence, and any guarded instruction except plain arithmetic. Unused labels do not
//! end a block, and a block is merged with its only predecessor if that always continues there.

use super::{Instruction, Opcode, ScalarType, ir};
use texunit_check::ir::{BodyCode, RegId};
use texunit_flow::{Access, Cfg, Code, Control, LiveSet, Liveness};

/// Maximum total number of bits of a function's live sets; in larger functions every register
/// counts as live.
const MAX_BITS: usize = 1 << 22;

/// Instructions whose only effect is to write their destinations, from sources of the same lane.
#[rustfmt::skip]
fn is_arithmetic(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Mov | O::Selp | O::Slct | O::Cvt | O::Cvta | O::Set | O::Setp | O::Add | O::Sub | O::Mul
            | O::Mad | O::Mul24 | O::Mad24 | O::Sad | O::Fma | O::Div | O::Rem | O::Min | O::Max | O::Abs
            | O::Neg | O::And | O::Or | O::Xor | O::Not | O::Cnot | O::Shl | O::Shr | O::Shf | O::Bfe | O::Bfi
            | O::Lop3 | O::Prmt | O::Popc | O::Clz | O::Bfind | O::Brev | O::Dp2a | O::Dp4a | O::Copysign
            | O::Testp | O::Rcp | O::Sqrt | O::Rsqrt | O::Sin | O::Cos | O::Ex2 | O::Lg2 | O::Tanh
            | O::Isspacep | O::Bmsk | O::Szext | O::Fns | O::Txq | O::Suq
    )
}

/// A function as ptxas sees it while fusing. A guarded instruction also reads its destinations,
/// because they keep their values where the guard is false. Arithmetic with unused results is
/// removed.
#[derive(Clone, Copy)]
pub(super) struct FusedCode<'a>(pub(super) BodyCode<'a>);

impl Code for FusedCode<'_> {
    fn instructions(&self) -> usize {
        self.0.instructions()
    }

    fn registers(&self) -> usize {
        self.0.registers()
    }

    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control {
        self.0.control(inst, target)
    }

    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool {
        let is_guarded = self.is_guarded(inst);
        self.0.operands(inst, &mut |reg, access| {
            if is_guarded && access == Access::Def {
                f(reg, Access::Use);
            }
            f(reg, access);
        });
        true
    }

    fn is_guarded(&self, inst: usize) -> bool {
        self.0.is_guarded(inst)
    }

    fn is_removable(&self, inst: usize) -> bool {
        let inst = &self.0.body[inst];
        is_arithmetic(inst.opcode) && !inst.mods.cc
    }

    fn results(&self, f: &mut dyn FnMut(u32)) {
        self.0.results(f);
    }
}

impl FusedCode<'_> {
    /// Calls `f` with each register that an instruction reads or writes.
    pub(super) fn each(&self, inst: usize, wanted: Access, mut f: impl FnMut(RegId)) {
        self.operands(inst, &mut |reg, access| {
            if access == wanted {
                f(RegId(reg));
            }
        });
    }
}

/// A merged block: blocks of the control-flow graph, in execution order.
#[derive(Debug, Default)]
pub(super) struct Chain(Vec<u32>);

/// The reachable merged blocks of a function.
pub(super) struct Blocks<'a> {
    code: FusedCode<'a>,
    cfg: Cfg,
    pub(super) chains: Vec<Chain>,
    liveness: Liveness,
}

/// Whether ptxas ends a block after an instruction.
fn ends_block(inst: &Instruction) -> bool {
    use Opcode as O;
    let m = &inst.mods;
    match inst.opcode {
        O::Bra | O::Brx | O::Call | O::Ret | O::Exit | O::Trap | O::Brkpt | O::Pmevent => true,
        O::Membar | O::Fence => true,
        // Instructions with a slow path or a subroutine: all but the approximate ones and unsigned
        // 32-bit integers.
        O::Div | O::Rem if m.ty() != Some(ScalarType::U32) && !m.approx && !m.full => true,
        O::Rcp | O::Sqrt if !m.approx => true,
        O::Rsqrt if m.ty() == Some(ScalarType::F64) && !m.ftz => true,
        _ => inst.guard.is_some() && (m.cc || !is_arithmetic(inst.opcode)),
    }
}

impl<'a> Blocks<'a> {
    pub(super) fn of(function: &'a ir::Function) -> Self {
        let code = FusedCode(BodyCode::new(function));
        let ends = (1..).zip(code.0.body).filter(|(_, inst)| ends_block(inst));
        let cfg = Cfg::with_starts(&code, &mut ends.map(|(next, _)| next));
        let liveness = Liveness::new(&code, &cfg, MAX_BITS);
        Self { code, chains: chains(&code, &cfg), cfg, liveness }
    }

    /// Whether liveness was computed.
    pub(super) fn is_known(&self) -> bool {
        self.liveness.is_known()
    }

    pub(super) fn instructions(&self, chain: &Chain) -> impl DoubleEndedIterator<Item = usize> {
        chain.0.iter().flat_map(|&block| self.cfg.range(block))
    }

    /// For each block, whether it is in a loop, as far as back edges show.
    pub(super) fn in_loops(&self) -> Vec<bool> {
        let mut chain_of = vec![None; self.cfg.exit() as usize + 1];
        for (number, chain) in self.chains.iter().enumerate() {
            chain.0.iter().for_each(|&block| chain_of[block as usize] = Some(number));
        }
        let mut is_in = vec![false; self.chains.len()];
        for (from, last) in self.chains.iter().map(|chain| chain.0.last()).enumerate() {
            let next = last.map_or(&[][..], |&last| self.cfg.successors.of(last));
            let next = next.iter().filter_map(|&block| chain_of[block as usize]);
            if let Some(to) = next.filter(|&to| to <= from).min() {
                is_in[to..=from].fill(true);
            }
        }
        is_in
    }

    /// The registers that are live behind a block, and the block's dead instructions, from last to
    /// first.
    pub(super) fn needs(&self, chain: &Chain) -> (LiveSet<'_>, Vec<usize>) {
        let last = chain.0.last().copied().unwrap_or(self.cfg.exit());
        let live_out = self.liveness.live_out(&self.cfg, last);
        let mut live = live_out.clone();
        let insts = self.instructions(chain).rev();
        let dead = insts.filter(|&inst| !live.step_back(&self.code, inst)).collect();
        (live_out, dead)
    }
}

/// Merges the reachable blocks of the graph.
fn chains(code: &FusedCode<'_>, cfg: &Cfg) -> Vec<Chain> {
    let is_reachable = cfg.reachable();
    // The successor with which a block is merged, because the block is its only predecessor.
    let joined = |block: u32| {
        let [next] = cfg.successors.of(block) else { return None };
        let last = cfg.range(block).end - 1;
        let jumps = matches!(code.0.body[last].opcode, Opcode::Bra | Opcode::Brx);
        let goes_there =
            if jumps { !code.is_guarded(last) } else { !ends_block(&code.0.body[last]) };
        let from = cfg.predecessors.of(*next).iter().filter(|&&from| is_reachable[from as usize]);
        (goes_there && *next != 0 && *next != cfg.exit() && from.count() == 1).then_some(*next)
    };
    let mut is_joined = vec![false; cfg.exit() as usize];
    let mut chains = Vec::new();
    for first in (0..cfg.exit()).filter(|&block| is_reachable[block as usize]) {
        if std::mem::replace(&mut is_joined[first as usize], true) {
            continue;
        }
        let mut chain = vec![first];
        let mut last = first;
        while let Some(next) = joined(last).filter(|&next| !is_joined[next as usize]) {
            is_joined[next as usize] = true;
            chain.push(next);
            last = next;
        }
        chains.push(Chain(chain));
    }
    chains
}
