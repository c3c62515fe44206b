//! Mbarriers in shared memory (PTX ISA 9.7.13.15).
//!
//! An mbarrier is an opaque word of 64 bits: pending arrivals of the phase (bits 19:0), expected
//! arrivals of a phase (39:20), pending bytes (60:40, signed), the parity of the phase (61), and a
//! mark of initialisation (63:62). The token of an arrival is the previous value of the mbarrier.

use super::context::Context;
use super::memory::{ATOMIC, space_at};
use super::outcome::{PendingFault, fault_at};
use super::warp::{Warp, lanes, lanes_where};
use crate::code::{Mbarrier, MbarrierAction, MemSpace};
use crate::fault::FaultKind;
use crate::observe::{At, Events, Synchronization};
use texunit_alu::L64;
use texunit_forms::Count;
use texunit_memory::SpaceKind;

/// Maximum of arrivals of a phase and of its pending bytes (PTX ISA 9.7.13.15.2).
const MAX: u64 = (1 << 20) - 1;
const MARK: u64 = 0b10;

/// The state of an mbarrier, as reported to observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierState {
    /// Pending arrivals of the phase.
    pub pending: u64,
    /// Expected arrivals of each phase.
    pub expected: u64,
    /// Pending bytes of the phase.
    pub bytes: i64,
    /// Parity of the phase.
    pub parity: bool,
}

impl MbarrierState {
    fn new(count: u64) -> Option<Self> {
        let fits = (1..=MAX).contains(&count);
        fits.then_some(Self { pending: count, expected: count, bytes: 0, parity: false })
    }

    /// Decodes the 64 bits of an mbarrier or token; `None` if they are not valid.
    pub fn of(word: u64) -> Option<Self> {
        (word >> 62 == MARK).then_some(Self {
            pending: word & MAX,
            expected: word >> 20 & MAX,
            bytes: (word << 3) as i64 >> 43,
            parity: word >> 61 & 1 != 0,
        })
    }

    fn encode(self) -> u64 {
        let bytes = self.bytes as u64 & 0x1f_ffff;
        self.pending | self.expected << 20 | bytes << 40 | u64::from(self.parity) << 61 | MARK << 62
    }

    fn is_complete(self) -> bool {
        self.pending == 0 && self.bytes == 0
    }

    /// Begins the next phase if the current one is complete.
    fn settle(&mut self) {
        if self.is_complete() {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
    }

    fn expect(&mut self, bytes: i64) -> Result<(), String> {
        self.bytes += bytes;
        match self.bytes.unsigned_abs() <= MAX {
            true => Ok(()),
            false => {
                Err(format!("the phase of the mbarrier would lack {}", Count(self.bytes, "byte")))
            }
        }
    }

    fn arrive(&mut self, count: u64, drops: bool, completes: bool) -> Result<(), String> {
        let lacks = self.pending;
        let arrive = |n: u64| n.checked_sub(count);
        let left = arrive(self.pending).ok_or_else(|| {
            format!("{count} arrivals at an mbarrier whose phase lacks only {lacks}")
        })?;
        self.pending = left;
        if drops {
            self.expected = arrive(self.expected).unwrap_or(0);
        }
        if !completes && self.is_complete() {
            return Err("an arrival with .noComplete is the last of its phase".to_owned());
        }
        self.settle();
        Ok(())
    }
}

impl Context<'_> {
    /// Executes an mbarrier instruction, lane by lane. Returns true if it is a test that failed in
    /// all lanes.
    pub(super) fn mbarrier(
        &mut self,
        warp: &mut Warp,
        op: &Mbarrier,
        mask: u32,
    ) -> Result<bool, Box<PendingFault>> {
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
    fn mbarriers(
        &mut self,
        warp: &mut Warp,
        op: &Mbarrier,
        addresses: &L64,
        mask: u32,
    ) -> Result<bool, Box<PendingFault>> {
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
            let at = self.shared_word(warp, lane, op.at.mem_space, addresses[lane])?;
            (values[lane], states[lane]) = self.mbarrier_at(warp, lane, op.action, at, value)?;
            places[lane] = at;
        }
        if self.events.has(Events::SYNCHRONIZATION) {
            let (about, order) = self.marked_op;
            let at = At { cta: self.cta.id, warp: warp.index, lanes: mask, op: about };
            let (addresses, operands, results) = (&places, &operands, &values);
            let (action, states) = (op.action, &states);
            let what =
                Synchronization::Mbarrier { action, order, addresses, operands, results, states };
            self.notify_synchronized(at, &what);
        }
        warp.put(op.d, &values, u64::MAX, mask);
        let tests = matches!(op.action, MbarrierAction::Test { .. });
        Ok(tests && lanes(mask).all(|lane| values[lane] == 0))
    }

    /// The offset of an mbarrier in shared memory.
    fn shared_word(
        &self,
        warp: &Warp,
        lane: usize,
        mem_space: MemSpace,
        address: u64,
    ) -> Result<u64, Box<PendingFault>> {
        let (space, at) = space_at(mem_space, address);
        if space != SpaceKind::Shared {
            let what = format!("{at:#x} is in {} memory, where no mbarrier can be", space.name());
            return fault_at(lane, FaultKind::BadOperand(what));
        }
        match at % 8 {
            0 => Ok(at),
            _ => self.misaligned(warp, lane, at, 8, space, ATOMIC),
        }
    }

    /// Executes the instruction in one lane. Returns the result (a token, or 1 if the phase is
    /// complete) and the new state of the mbarrier.
    fn mbarrier_at(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        action: MbarrierAction,
        at: u64,
        value: u64,
    ) -> Result<(u64, u64), Box<PendingFault>> {
        use MbarrierAction as A;
        let bad = |what: String| fault_at(lane, FaultKind::BadOperand(what));
        let word = self.load_one(warp, lane, (MemSpace::Shared, at), (8, 8))?;
        let new = match action {
            A::Init => match MbarrierState::new(value & u64::from(u32::MAX)) {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn states_are_kept_whole() {
        let state = MbarrierState { pending: MAX, expected: 7, bytes: -(MAX as i64), parity: true };
        assert_eq!(MbarrierState::of(state.encode()), Some(state));
        let state = MbarrierState { pending: 0, expected: MAX, bytes: MAX as i64, parity: false };
        assert_eq!(MbarrierState::of(state.encode()), Some(state));
        assert_eq!(MbarrierState::of(0), None);
        assert_eq!(MbarrierState::of(u64::MAX), None);
        assert!(MbarrierState::new(0).is_none() && MbarrierState::new(MAX + 1).is_none());
    }

    #[test]
    fn a_phase_ends_with_its_last_arrival_and_byte() {
        let mut state = MbarrierState::new(2).unwrap();
        state.expect(16).unwrap();
        state.arrive(1, false, false).unwrap();
        state.arrive(1, true, false).unwrap();
        assert!(!state.parity);
        state.expect(-16).unwrap();
        state.settle();
        // One thread has dropped out.
        assert_eq!(state, MbarrierState { pending: 1, expected: 1, bytes: 0, parity: true });
        assert!(state.arrive(1, false, false).is_err());
        let mut state = MbarrierState::new(2).unwrap();
        assert!(state.arrive(3, false, true).is_err());
        state.arrive(2, false, true).unwrap();
        assert_eq!(state, MbarrierState { pending: 2, expected: 2, bytes: 0, parity: true });
        assert!(state.expect(1 << 20).is_err());
    }
}
