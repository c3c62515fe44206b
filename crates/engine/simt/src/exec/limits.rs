//! How far warps go before others.

/// Steps that a split runs before others of its warp get their turn.
pub(super) const TURN: u64 = 512;
/// Warps whose fetches the unit makes in one call at most: their registers should fit the first cache of a core.
pub(super) const FETCHED: usize = 8;
/// Atomics of a turn after which others go first: they may be those of a loop that waits for a lock.
pub(super) const ATOMICS: u32 = 64;
/// Steps after which a warp's turn ends at a jump back or a barrier.
pub(super) const CTA_TURN: u64 = 16 * 1024;
/// The same of a CTA beside which others run that it may wait for.
pub(super) const RESIDENT_TURN: u64 = 4 * 1024;
