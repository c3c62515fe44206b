//! The word of an mbarrier in shared memory (PTX ISA 9.7.13.15).
//!
//! The word has 64 bits: pending arrivals of the phase (bits 19:0), expected arrivals of a phase
//! (39:20), pending bytes (60:40, signed), the parity of the phase (61), and the layout as a
//! mark of initialisation (63:62: 2 is v0, 1 is v1). Only `mbarrier.check_layout` reads the layout.
//! The token of an arrival is the previous value of the mbarrier.

use texunit_forms::Count;

/// Maximum of arrivals of a phase and of its pending bytes (PTX ISA 9.7.13.15.2).
const MAX: u64 = (1 << 20) - 1;

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
    /// Whether the layout is `.layout::v1`, not `.layout::v0`.
    pub v1: bool,
}

impl MbarrierState {
    pub(crate) fn new(count: u64, v1: bool) -> Option<Self> {
        let fits = (1..=MAX).contains(&count);
        fits.then_some(Self { pending: count, expected: count, bytes: 0, parity: false, v1 })
    }

    /// Decodes the 64 bits of an mbarrier or token; `None` if they are not valid.
    pub fn of(word: u64) -> Option<Self> {
        matches!(word >> 62, 1 | 2).then_some(Self {
            pending: word & MAX,
            expected: word >> 20 & MAX,
            bytes: (word << 3) as i64 >> 43,
            parity: word >> 61 & 1 != 0,
            v1: word >> 62 == 1,
        })
    }

    pub(crate) fn encode(self) -> u64 {
        let bytes = self.bytes as u64 & 0x1f_ffff;
        let (parity, layout) = (u64::from(self.parity), if self.v1 { 1 } else { 2 });
        self.pending | self.expected << 20 | bytes << 40 | parity << 61 | layout << 62
    }

    pub(crate) fn is_complete(self) -> bool {
        self.pending == 0 && self.bytes == 0
    }

    /// Begins the next phase if the current one is complete.
    pub(crate) fn settle(&mut self) {
        if self.is_complete() {
            self.parity = !self.parity;
            self.pending = self.expected;
        }
    }

    pub(crate) fn expect(&mut self, bytes: i64) -> Result<(), String> {
        self.bytes += bytes;
        if self.bytes.unsigned_abs() > MAX {
            let bytes = Count(self.bytes, "byte");
            return Err(format!("the phase of the mbarrier would lack {bytes}"));
        }
        Ok(())
    }

    pub(crate) fn arrive(&mut self, count: u64, drop: bool, completes: bool) -> Result<(), String> {
        let lacks = self.pending;
        self.pending = lacks.checked_sub(count).ok_or_else(|| {
            format!("{count} arrivals at an mbarrier whose phase lacks only {lacks}")
        })?;
        if drop {
            self.expected = self.expected.saturating_sub(count);
        }
        if !completes && self.is_complete() {
            return Err("an arrival with .noComplete is the last of its phase".to_owned());
        }
        self.settle();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_kept_whole() {
        let most = MAX as i64;
        for (pending, expected, bytes, parity) in [(MAX, 7, -most, true), (0, MAX, most, false)] {
            let state = MbarrierState { pending, expected, bytes, parity, v1: !parity };
            assert_eq!(MbarrierState::of(state.encode()), Some(state));
        }
        assert_eq!(MbarrierState::of(u64::MAX), None);
    }
}
