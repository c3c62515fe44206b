//! Check of mbarrier phases. It finds a wait by parity that succeeds for a phase for which the
//! thread has waited already, and a test by the token of a phase that is long over.

use super::{Reporter, each};
use crate::end::Spot;
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt};
use std::collections::HashMap;
use texunit_simt::observe::{At, MbarrierAction, MbarrierState};

/// Maximum number of recorded waits and tokens in a CTA.
const MAX: usize = 1 << 16;

/// The value of one register in each lane.
type LaneValues = [u64; 32];

/// Operands and results of an mbarrier instruction.
pub(super) struct Operands<'a> {
    pub(super) addresses: &'a LaneValues,
    pub(super) operands: &'a LaneValues,
    pub(super) results: &'a LaneValues,
    /// The mbarrier objects (64-bit words in shared memory) after the instruction.
    pub(super) states: &'a LaneValues,
}

/// The mbarriers of a CTA, by their shared-memory addresses.
#[derive(Default)]
pub(super) struct Mbarriers {
    all: HashMap<u64, Phases>,
    /// By mbarrier and thread: the phase that the thread has last waited for, and where it waited.
    waited: HashMap<(u64, u32), (i64, Spot)>,
    /// By mbarrier and thread: the token of the thread's last arrival, and the phase of that token.
    tokens: HashMap<(u64, u32), (u64, i64)>,
}

/// The phases of an mbarrier since its initialization.
struct Phases {
    /// Number of completed phases.
    over: i64,
    parity: bool,
}

impl Mbarriers {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.waited.clear();
        self.tokens.clear();
    }

    /// Checks an mbarrier instruction, whose lanes were executed in lane order.
    pub(super) fn executed(
        &mut self,
        reporter: &Reporter<'_>,
        at: &At,
        action: MbarrierAction,
        words: &Operands<'_>,
    ) {
        if action == MbarrierAction::PendingCount {
            return;
        }
        for lane in each(at.lanes) {
            let i = lane as usize;
            let address = words.addresses[i];
            let Some(state) = MbarrierState::of(words.states[i]) else {
                self.forget(address);
                continue;
            };
            if matches!(action, MbarrierAction::Init { .. }) {
                self.forget(address);
            }
            let fresh = || Phases { over: 0, parity: state.parity };
            let phases = self.all.entry(address).or_insert_with(fresh);
            // The phase during which the instruction was executed.
            let now = phases.over;
            if phases.parity != state.parity {
                (phases.over, phases.parity) = (now + 1, state.parity);
            }
            let thread = (address, at.warp * 32 + lane);
            match action {
                MbarrierAction::Arrive { .. } if self.tokens.len() < MAX => {
                    self.tokens.insert(thread, (words.results[i], now));
                }
                MbarrierAction::Test { parity } => {
                    let spot = reporter.spot(at, lane);
                    let is_over = words.results[i] != 0;
                    if !parity {
                        self.by_token(reporter, spot, thread, (words.operands[i], now));
                    } else if is_over {
                        self.waited(reporter, spot, thread, (now - 1, state));
                    }
                }
                _ => {}
            }
        }
    }

    /// Forgets the phases of an mbarrier that is initialized again or invalidated.
    fn forget(&mut self, address: u64) {
        if self.all.remove(&address).is_some() {
            self.waited.retain(|(at, _), _| *at != address);
            self.tokens.retain(|(at, _), _| *at != address);
        }
    }

    /// Checks a successful wait by parity. The thread must not have waited for the same phase
    /// already when the next phase has begun, for which the wait is probably meant.
    fn waited(
        &mut self,
        reporter: &Reporter<'_>,
        spot: Spot,
        thread: (u64, u32),
        (phase, state): (i64, MbarrierState),
    ) {
        let before = self.waited.get(&thread).copied();
        if self.waited.len() < MAX {
            self.waited.insert(thread, (phase, spot));
        }
        let has_begun = state.pending != state.expected || state.bytes != 0;
        let Some((_, first)) = before.filter(|(last, _)| *last == phase && has_begun) else {
            return;
        };
        let message = format!(
            "the wait succeeds for phase {phase} of the mbarrier at {:#x} in shared memory, for which this thread has \
             waited before; phase {} has begun, and {} of its {} arrivals are still to come",
            thread.0,
            phase + 1,
            state.pending,
            state.expected
        );
        let found = LaunchFinding::new(rules::SYNC_MBARRIER_PHASE, spot, message);
        let what = "waited for it here".to_owned();
        let other = (first.op != spot.op).then_some(Other { what, at: OtherAt::Here(first) });
        reporter.sink.found(LaunchFinding { other, ..found });
    }

    /// Checks a test by an arrival token. A test can tell only the current phase and the one before
    /// apart, so that an older token is reported.
    fn by_token(
        &mut self,
        reporter: &Reporter<'_>,
        spot: Spot,
        thread: (u64, u32),
        (token, now): (u64, i64),
    ) {
        let Some(&(known, phase)) = self.tokens.get(&thread) else { return };
        if known != token || now - phase < 2 {
            return;
        }
        let message = format!(
            "the token is of phase {phase} of the mbarrier at {:#x} in shared memory, which is in phase {now}: a test \
             knows only that phase and the one before",
            thread.0
        );
        reporter.sink.found(LaunchFinding::new(rules::SYNC_MBARRIER_OVERTAKEN, spot, message));
    }
}
