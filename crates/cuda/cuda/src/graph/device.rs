//! Graphs that kernels launch.
//!
//! `cudaGraphLaunch` of the device runtime (`texunit-link` has its text) notes handle and stream in a variable of the module,
//! which is read when the kernel has ended.

use super::op::KernelOp;
use crate::args::Answer;
use crate::error::refusal;
use crate::handle::Object;
use crate::module::Module;

/// The variable: a count, room, and two words for each launch.
const VARIABLE: &str = "__texunit_graph_launches";
/// Most launches of a kernel.
const MAX: usize = 128;
const HEADER: usize = 16;

/// `cudaStreamGraphTailLaunch`
pub(super) const TAIL: u64 = 0x0100_0000_0000_0000;
/// The streams that a kernel launches graphs in: behind its own graph, at once, and at once as a sibling of its own.
pub(super) const STREAMS: [u64; 3] = [TAIL, 0x0200_0000_0000_0000, 0x0300_0000_0000_0000];

/// What a kernel has launched: handles of graphs, and streams. From now on nothing is noted.
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
