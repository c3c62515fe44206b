//! Device-side graph launches.
//!
//! `cudaGraphLaunch` of the device runtime (its PTX is in `texunit-link`) records handle and stream
//! in a module variable, which is read when the kernel has ended.

use super::*;
use crate::module::Module;

/// Name of the variable, which contains a count, padding, and two words for each launch.
const VARIABLE: &str = "__texunit_graph_launches";
/// Maximum number of launches by a kernel.
const MAX: usize = 128;
const HEADER: usize = 16;

/// The stream handle for tail launches of graphs (`cudaStreamGraphTailLaunch`).
pub(super) const TAIL: u64 = 0x0100_0000_0000_0000;
/// Streams for device-side launches: tail launch, fire-and-forget, and fire-and-forget as a
/// sibling.
pub(super) const STREAMS: [u64; 3] = [TAIL, 0x0200_0000_0000_0000, 0x0300_0000_0000_0000];

/// Whether a kernel can launch graphs.
pub(super) fn may_launch(op: &KernelOp) -> bool {
    let module = Module::registry().find(op.function.module);
    module.is_some_and(|module| module.loaded.global(VARIABLE).is_some())
}

/// Reads and clears the launches that a kernel has recorded: handles of graphs, and streams.
pub(super) fn launches(op: &KernelOp) -> Answer<Vec<(u64, u64)>> {
    let module = Module::registry().find(op.function.module);
    let Some(noted) = module.and_then(|module| module.loaded.global(VARIABLE)) else {
        return Ok(Vec::new());
    };
    let bytes = noted.read();
    let count = bytes.first_chunk().map_or(0, |count| u32::from_le_bytes(*count) as usize);
    if count == 0 {
        return Ok(Vec::new());
    }
    noted.write(0, &[0; 4]).map_err(refusal)?;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let pairs = bytes.get(HEADER..).unwrap_or_default().chunks_exact(16);
    Ok(pairs.take(count.min(MAX)).map(|pair| (word(&pair[..8]), word(&pair[8..]))).collect())
}
