//! How far warps go before others.

/// Steps that a split runs before others of its warp get their turn.
pub(super) const TURN: u64 = 512;
/// Warps that run in lockstep at most: their registers should fit the first cache of a core.
pub(super) const LOCKSTEP: usize = 8;
/// Atomics of a turn after which others go first: they may be those of a loop that waits for a lock.
pub(super) const ATOMICS: u32 = 64;
/// Steps of a warp's turn.
pub(super) const CTA_TURN: u64 = 16 * 1024;
