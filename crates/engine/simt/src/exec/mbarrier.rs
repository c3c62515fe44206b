//! Mbarrier instructions ([`MbarrierState`]).

use super::context::Context;
use super::memory::{ATOMIC, space_at};
use super::outcome::{Done, bad_operand};
use super::warp::{Warp, lanes, lanes_where};
use crate::code::{Mbarrier, MbarrierAction, MbarrierState, MemSpace};
use crate::observe::{At, Events, Synchronization};
use texunit_alu::L64;
use texunit_memory::SpaceKind;

impl Context<'_> {
    /// Executes an mbarrier instruction, lane by lane. Returns true if it is a test that failed in
    /// all lanes.
    pub(super) fn mbarrier(&mut self, warp: &mut Warp, op: &Mbarrier, mask: u32) -> Done<bool> {
        self.address(warp, op.at.base, op.at.offset);
        let addresses = self.addresses;
        if op.ranks.is_none() {
            return self.mbarriers(warp, op, &addresses, mask);
        }
        let mut ranks = [0; 32];
        warp.read(&self.launch.constants, op.ranks, &mut ranks);
        for rank in 0..16 {
            let those = lanes_where(mask, |lane| ranks[lane] >> rank & 1 == 1);
            let mapped = addresses.map(|address| self.map_shared(address, 0, rank));
            if those != 0 {
                self.mbarriers(warp, op, &mapped, those)?;
            }
        }
        Ok(false)
    }

    /// Executes an mbarrier instruction at given addresses.
    fn mbarriers(&mut self, warp: &mut Warp, op: &Mbarrier, at: &L64, mask: u32) -> Done<bool> {
        let mut values = [1; 32];
        if !op.value.is_none() {
            warp.read(&self.launch.constants, op.value, &mut values);
        }
        let (operands, mut places, mut states) = (values, [0; 32], [0; 32]);
        for lane in lanes(mask) {
            let value = values[lane];
            if op.action == MbarrierAction::PendingCount {
                values[lane] = MbarrierState::of(value).map_or(0, |state| state.pending);
                continue;
            }
            let at = self.word_at(warp, lane, op.at.mem_space, at[lane])?;
            (values[lane], states[lane]) = self.mbarrier_at(warp, lane, op.action, at, value)?;
            places[lane] = at;
        }
        if self.events.intersects(Events::SYNCHRONIZATION) {
            let (about, order) = self.marked_op;
            let at = At { cta: self.cta.id, warp: warp.index, lanes: mask, op: about };
            let (addresses, operands, results) = (&places, &operands, &values);
            let (action, states) = (op.action, &states);
            let what =
                Synchronization::Mbarrier { action, order, addresses, operands, results, states };
            self.probe.iter_mut().for_each(|probe| probe.synchronized(&at, &what));
        }
        warp.put(op.d, &values, u64::MAX, mask);
        let tests = matches!(op.action, MbarrierAction::Test { .. });
        Ok(tests && lanes(mask).all(|lane| values[lane] == 0))
    }

    /// The offset of an mbarrier in shared memory.
    fn word_at(&self, warp: &Warp, lane: usize, mem_space: MemSpace, address: u64) -> Done<u64> {
        let (space, at) = space_at(mem_space, address);
        if space != SpaceKind::Shared {
            let what = format!("{at:#x} is in {} memory, where no mbarrier can be", space.name());
            return bad_operand(lane, what);
        }
        match at % 8 {
            0 => Ok(at),
            _ => self.misaligned(warp, lane, (space, at), 8, ATOMIC),
        }
    }

    /// Executes the instruction in one lane. Returns the result (a token, or 1 if the phase is
    /// complete or the layout is the wanted one) and the new state of the mbarrier.
    fn mbarrier_at(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        action: MbarrierAction,
        at: u64,
        value: u64,
    ) -> Done<(u64, u64)> {
        use MbarrierAction as A;
        let bad = |what: String| bad_operand(lane, what);
        let word = self.load_one(warp, lane, (MemSpace::Shared, at), (8, 8))?;
        let new = match action {
            A::Init { v1 } => match MbarrierState::new(value & u64::from(u32::MAX), v1) {
                Some(state) => state.encode(),
                None => return bad(format!("an mbarrier cannot be for {value} arrivals")),
            },
            A::Inval => 0,
            _ => {
                let Some(mut state) = MbarrierState::of(word) else {
                    return bad(format!("no mbarrier at shared address {at:#x}"));
                };
                let bytes = (value & u64::from(u32::MAX)) as i64;
                let done = match action {
                    A::Test { parity: true } => {
                        return Ok(((state.parity != (value & 1 != 0)).into(), word));
                    }
                    A::Test { parity: false } => {
                        let Some(token) = MbarrierState::of(value) else {
                            return bad(format!("{value:#x} is not the state of an mbarrier"));
                        };
                        return Ok(((state.parity != token.parity).into(), word));
                    }
                    A::CheckLayout { v1 } => return Ok(((state.v1 == v1).into(), word)),
                    A::ExpectTx => state.expect(bytes),
                    A::CompleteTx => state.expect(-bytes).map(|()| state.settle()),
                    A::Arrive { drops, expects: true, completes } => {
                        state.expect(bytes).and_then(|()| state.arrive(1, drops, completes))
                    }
                    A::Arrive { drops, completes, .. } => {
                        state.arrive(value & u64::from(u32::MAX), drops, completes)
                    }
                    // One more arrival is expected and arrives immediately.
                    A::CopyArrive { increments: true } => Ok(()),
                    _ => state.arrive(1, false, true),
                };
                if let Err(what) = done {
                    return bad(what);
                }
                state.encode()
            }
        };
        self.store_one(warp, lane, (MemSpace::Shared, at), (8, 8), new)?;
        Ok((word, new))
    }
}
