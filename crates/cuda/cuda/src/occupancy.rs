//! Computes how many blocks of a kernel are resident on a multiprocessor, by the rules of CUDA's
//! occupancy calculator.
//!
//! The limits are those of the simulated GPU. Registers are not allocated here;
//! [`Function::registers`] is used instead.

use crate::module::Function;
use crate::prelude::*;

/// Number of threads of a warp.
const WARP: u32 = 32;
/// Maximum threads per block.
const MAX_THREADS: u32 = 1024;
/// Registers of a multiprocessor, and the maximum for a block.
const REGISTERS: u32 = 65536;
/// Granularity of a warp's registers.
const REGISTER_UNIT: u32 = 256;
/// Partitions of a multiprocessor, among which a block's warps are distributed.
const PARTITIONS: u32 = 4;

/// Resources of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// Number of threads of the block.
    pub(crate) threads: u32,
    /// Dynamic shared memory in bytes.
    pub(crate) dynamic_shared: u64,
}

/// Granularity of a block's shared memory in bytes.
fn shared_unit(card: &Card) -> u64 {
    if card.capability.major >= 8 { 128 } else { 256 }
}

/// Shared memory in bytes that the system reserves in each block.
fn reserved(card: &Card) -> u64 {
    if card.capability.major >= 8 { 1024 } else { 0 }
}

/// Shared memory in bytes that a block occupies.
fn shared(function: &Function, card: &Card, dynamic: u64) -> u64 {
    let size = u64::from(function.static_shared().unsigned_abs()).saturating_add(dynamic);
    match size.saturating_add(reserved(card)) {
        0 => 0,
        size => size.checked_next_multiple_of(shared_unit(card)).unwrap_or(u64::MAX),
    }
}

/// Maximum number of resident blocks on a multiprocessor; 0 if no kernel can have such a block. The
/// kernel's own limit (`__launch_bounds__`) is ignored (as on an NVIDIA H200, docs/cuda-api.md).
pub(crate) fn blocks(function: &Function, card: &Card, block: Block) -> u32 {
    let most_dynamic = u64::from(function.max_dynamic_shared().unsigned_abs());
    if block.threads == 0 || block.threads > MAX_THREADS || block.dynamic_shared > most_dynamic {
        return 0;
    }
    let warps = block.threads.div_ceil(WARP);
    let by_threads = card.threads.unsigned_abs() / (warps * WARP);
    let per_warp = (function.registers().unsigned_abs() * WARP).next_multiple_of(REGISTER_UNIT);
    // Each partition holds a whole number of warps.
    let warps_held = REGISTERS / PARTITIONS / per_warp * PARTITIONS;
    let by_registers = warps_held / warps;
    let taken = shared(function, card, block.dynamic_shared);
    let all = u64::from(card.shared.unsigned_abs()) * 1024;
    let by_shared = all.checked_div(taken).map_or(u32::MAX, |n| n.min(u32::MAX.into()) as u32);
    by_threads.min(by_registers).min(by_shared).min(card.ctas.unsigned_abs())
}

/// The smallest block size with the maximum number of resident threads, and the number of resident
/// blocks. `dynamic` returns the dynamic shared memory for a block size; block sizes are limited to
/// `limit`, unless it is 0.
pub(crate) fn best_block(
    function: &Function,
    card: &Card,
    limit: u32,
    dynamic: impl Fn(u32) -> u64,
) -> (u32, u32) {
    let most = match limit {
        0 => function.kernel.max_threads(),
        limit => limit.min(function.kernel.max_threads()),
    };
    let (mut best, mut held) = ((0, 0), 0);
    // Sizes are tried in descending order of whole warps; the first may be limited to part of a
    // warp.
    let mut size = most.next_multiple_of(WARP);
    while size > 0 {
        let threads = size.min(most);
        let n = blocks(function, card, Block { threads, dynamic_shared: dynamic(threads) });
        if n * threads > held {
            (best, held) = ((threads, n), n * threads);
        }
        // The maximum has been reached.
        if held == card.threads.unsigned_abs() {
            break;
        }
        size -= WARP;
    }
    best
}

/// Maximum dynamic shared memory in bytes with which this many blocks of a size are resident.
pub(crate) fn available_shared(
    function: &Function,
    card: &Card,
    count: u32,
    threads: u32,
) -> Option<u64> {
    if count == 0 || count > blocks(function, card, Block { threads, dynamic_shared: 0 }) {
        return None;
    }
    let unit = shared_unit(card);
    let each = u64::from(card.shared.unsigned_abs()) * 1024 / u64::from(count) / unit * unit;
    let fixed = u64::from(function.static_shared().unsigned_abs()) + reserved(card);
    let most = u64::from(function.optin().unsigned_abs());
    Some(each.saturating_sub(fixed).min(most.saturating_sub(fixed - reserved(card))))
}
