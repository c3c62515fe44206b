//! Lowers `cp.async`, mbarrier and matrix instructions, `elect`, and stack instructions.

use super::builder::Builder;
use super::memory::elements;
use crate::code::{
    AsyncCopy, Located, Matrix, MatrixAction, Mbarrier, MbarrierAction, MemSpace, Op, Slot, Stack,
    StackAction,
};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{Opcode, Space};
use texunit_memory::SHARED_WINDOW;

/// An operand that is not used.
const NOWHERE: Located = Located { mem_space: MemSpace::Shared, base: Slot::NONE, offset: 0 };

impl<'a> Builder<'a> {
    /// Lowers `createpolicy`. Cache policies have no effect, so all have the same value.
    pub(super) fn create_policy(&mut self, inst: &'a Instruction) -> Option<()> {
        let d = self.destination(inst.operands.first()?)?;
        let a = self.constant(0, true);
        self.copy(d, a, u64::MAX, true);
        Some(())
    }

    /// The address of an operand in global or shared memory.
    pub(super) fn located(&mut self, operand: &Operand, space: Option<Space>) -> Option<Located> {
        let at = self.address(operand, space)?;
        matches!(at.mem_space, MemSpace::Global | MemSpace::Generic | MemSpace::Shared)
            .then_some(at)
    }

    /// Lowers `cp.async`. The copy is executed immediately, so groups and waits have no effect.
    pub(super) fn async_copy(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        if m.acts("mbarrier") {
            let at = self.located(inst.operands.first()?, m.space)?;
            let action = MbarrierAction::CopyArrive { increments: !m.acts("noinc") };
            self.mbarrier_op(action, at, Slot::NONE);
            return Some(());
        }
        if !m.acts("async") {
            let waits = m.acts("commit_group") || m.acts("wait_group") || m.acts("wait_all");
            return waits.then(|| self.emit(Op::Nop))?;
        }
        let [to, from, Operand::Imm(size), rest @ ..] = &inst.operands[..] else { return None };
        let to = self.located(to, Some(Space::Shared))?;
        let from = self.located(from, Some(Space::Global))?;
        let size = u8::try_from(*size).ok().filter(|n| matches!(n, 4 | 8 | 16))?;
        // The cache policy is the last operand.
        let rest = if m.policy { rest.split_last()?.1 } else { rest };
        let all = self.constant(size.into(), false);
        let mut op = AsyncCopy::new((to, from), all, size);
        if let Some(operand) = rest.first() {
            let slot = self.source(operand, false)?;
            *if slot.is_predicate() { &mut op.ignore } else { &mut op.read } = slot;
        }
        self.emit(Op::AsyncCopy(Box::new(op)))
    }

    /// Emits an mbarrier instruction without a result.
    fn mbarrier_op(&mut self, action: MbarrierAction, at: Located, value: Slot) {
        let (d, ranks) = (Slot::NONE, Slot::NONE);
        self.emit(Op::Mbarrier(Box::new(Mbarrier { action, at, d, value, ranks })));
    }

    /// Completes the transaction of `st.async` and `red.async` at their mbarrier, after the access.
    pub(super) fn completes(&mut self, mbarrier: &'a Operand, bytes: u32) -> Option<()> {
        let at = self.located(mbarrier, Some(Space::Shared))?;
        let value = self.constant(bytes.into(), false);
        self.mbarrier_op(MbarrierAction::CompleteTx, at, value);
        Some(())
    }

    /// Lowers bulk copies. The copy is executed immediately, followed by its completion at the
    /// mbarrier; groups and waits have no effect.
    pub(super) fn bulk_copy(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        if ["commit_group", "wait_group", "prefetch"].into_iter().any(|word| m.acts(word)) {
            return self.emit(Op::Nop);
        }
        let [to, from, size, rest @ ..] = &inst.operands[..] else { return None };
        let space = m.space?;
        let to = self.located(to, Some(space))?;
        // Source and destination are in shared memory, or the source is in global memory.
        let source = if m.acts("global") { Space::Global } else { Space::Shared };
        let from = self.located(from, Some(source))?;
        let size = self.narrow(size)?;
        let mut op = AsyncCopy { is_bulk: true, ..AsyncCopy::new((to, from), size, 16) };
        if let Some(atom) = m.atom {
            op.reduce = Some((atom, m.ty()?));
        }
        if m.acts("cp_mask") {
            op.bytes = self.narrow(rest.last()?)?;
        }
        if space == Space::Global {
            return self.emit(Op::AsyncCopy(Box::new(op)));
        }
        let at = self.located(rest.first()?, Some(Space::Shared))?;
        if m.acts("multicast::cluster") {
            op.ranks = self.narrow(rest.get(1)?)?;
        }
        let (action, d, ranks) = (MbarrierAction::CompleteTx, Slot::NONE, op.ranks);
        self.emit(Op::AsyncCopy(Box::new(op)));
        self.emit(Op::Mbarrier(Box::new(Mbarrier { action, at, d, value: size, ranks })))
    }

    /// Lowers `mapa` and `getctarank`.
    pub(super) fn cluster_address(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a, rest @ ..] = &inst.operands[..] else { return None };
        let wide = inst.mods.ty()?.bits() == 64;
        let window = if inst.mods.space.is_some() { 0 } else { SHARED_WINDOW };
        let mut a = self.source(a, wide)?;
        // The name of a variable denotes its address in shared memory.
        if window != 0 && wide && matches!(inst.operands[1], Operand::AddressOf(..)) {
            let d = self.wide.temporary();
            self.helper(Op::Cvta { d, a, window, to: false });
            a = d;
        }
        let d = self.destination(d)?;
        match rest.first() {
            Some(rank) => {
                let rank = self.narrow(rank)?;
                self.emit(Op::MapShared { d, a, rank, window })
            }
            None => self.emit(Op::SharedRank { d, a, window }),
        }
    }

    pub(super) fn mbarrier(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        let ops = &inst.operands[..];
        let action = match *m.actions.first()? {
            "init" => MbarrierAction::Init { v1: m.acts("layout::v1") },
            "check_layout" => MbarrierAction::CheckLayout { v1: m.acts("layout::v1") },
            "inval" => MbarrierAction::Inval,
            "expect_tx" => MbarrierAction::ExpectTx,
            "complete_tx" => MbarrierAction::CompleteTx,
            "test_wait" | "try_wait" => MbarrierAction::Test { parity: m.acts("parity") },
            "pending_count" => MbarrierAction::PendingCount,
            first => MbarrierAction::Arrive {
                drops: first == "arrive_drop",
                expects: m.acts("expect_tx"),
                completes: !m.acts("noComplete"),
            },
        };
        use MbarrierAction as A;
        let has_result = !matches!(action, A::Init { .. } | A::Inval | A::ExpectTx | A::CompleteTx);
        let (d, rest) = match has_result {
            true => (self.destination(ops.first()?)?, ops.get(1..)?),
            false => (Slot::NONE, ops),
        };
        let (at, rest) = match action {
            A::PendingCount => (NOWHERE, rest),
            _ => (self.located(rest.first()?, m.space)?, rest.get(1..)?),
        };
        let token = matches!(action, A::Test { parity: false } | A::PendingCount);
        let value = rest.first().map_or(Some(Slot::NONE), |value| self.source(value, token))?;
        let ranks = Slot::NONE;
        self.emit(Op::Mbarrier(Box::new(Mbarrier { action, at, d, value, ranks })))
    }

    pub(super) fn elect(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, p, members] = &inst.operands[..] else { return None };
        let (d, p) = (self.destination(d)?, self.destination(p)?);
        let members = self.narrow(members)?;
        self.unguarded(|b| b.emit(Op::Elect { d, p, members }))
    }

    pub(super) fn matrix(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        let [first, second] = &inst.operands[..] else { return None };
        let (action, address, parts) = match inst.opcode {
            Opcode::Ldmatrix => (MatrixAction::Load, Some(second), first),
            Opcode::Stmatrix => (MatrixAction::Store, Some(first), second),
            _ => (MatrixAction::Transpose, None, second),
        };
        let parts = elements(parts).iter().map(|part| match action {
            MatrixAction::Load => self.destination(part),
            _ => self.narrow(part),
        });
        let parts: Option<Vec<Slot>> = parts.collect();
        let at = address.map_or(Some(NOWHERE), |address| self.located(address, m.space))?;
        let transposes = action == MatrixAction::Transpose;
        let d = if transposes { self.destination(first)? } else { Slot::NONE };
        let members = self.constant(u32::MAX.into(), false);
        let transposed = m.acts("trans");
        let op = Matrix { action, transposed, at, parts: parts?, d, members };
        self.unguarded(|b| b.emit(Op::Matrix(Box::new(op))))
    }

    pub(super) fn stack(&mut self, inst: &'a Instruction) -> Option<()> {
        let operand = inst.operands.first()?;
        let action = match inst.opcode {
            Opcode::Alloca => {
                let align = match inst.operands.get(2) {
                    Some(&Operand::Imm(align)) if align.is_power_of_two() => align,
                    None => 8,
                    Some(_) => return None,
                };
                let d = self.destination(operand)?;
                StackAction::Allocate { d, size: self.source(inst.operands.get(1)?, true)?, align }
            }
            Opcode::Stacksave => StackAction::Save { d: self.destination(operand)? },
            _ => StackAction::Restore { a: self.source(operand, true)? },
        };
        let (at, end) = (self.stack_at?, self.frame_size);
        self.needs.alloca |= inst.opcode == Opcode::Alloca;
        self.emit(Op::Stack(Stack { action, at, end }))
    }
}
