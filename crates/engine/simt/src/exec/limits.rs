//! How many steps splits and warps execute before others are executed (the length of their turns).

/// Maximum number of steps that a split executes before the other splits of its warp are executed.
pub(super) const TURN: u64 = 512;
/// Number of atomics after which a turn ends, because they may belong to a loop that waits for a
/// lock.
pub(super) const ATOMICS: u32 = 64;
/// Number of steps after which a warp's turn ends at a backward jump or a barrier.
pub(super) const CTA_TURN: u64 = 16 * 1024;
/// Number of steps after which a warp's turn ends if its CTA runs concurrently with CTAs that it
/// may wait for.
pub(super) const RESIDENT_TURN: u64 = 4 * 1024;
