//! Local memory as a part of device memory.
//!
//! A GPU reserves local memory for all threads that can run at the same time. In texunit, each host
//! thread of a launch has the local memory for the threads of one CTA, so that a launch that counts
//! local memory uses only as many host threads as fit into device memory.

use crate::kernel::Kernel;
use crate::launch_error::ArgError;
use crate::launch_options::LaunchOptions;

/// The local memory that a launch may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalMemoryShare {
    /// Number of host threads; 0 means one for each core.
    pub(crate) threads: usize,
    /// Bytes of local memory and call frames per thread.
    pub(crate) stack_limit: u32,
}

/// The local memory that a launch needs.
#[derive(Clone, Copy, Debug)]
struct LocalMemoryNeed {
    /// Bytes per thread.
    bytes: u64,
    /// Whether each thread needs all these bytes. If not (recursion, indirect calls, `alloca`),
    /// they are the maximum that a thread may use.
    known: bool,
    /// Threads of a CTA, rounded up to whole warps.
    threads: u64,
    /// CTAs that are resident at the same time whatever the number of host threads is.
    ctas: u64,
}

impl Kernel {
    /// Reduces the number of host threads and the stack limit so that local memory fits into the
    /// device's memory, if the launch counts it ([`LaunchOptions::count_local`]).
    pub(crate) fn share_local(
        &self,
        options: &LaunchOptions<'_>,
    ) -> Result<LocalMemoryShare, ArgError> {
        let (threads, stack_limit) = (options.threads, options.stack_limit);
        if !options.count_local {
            return Ok(LocalMemoryShare { threads, stack_limit });
        }
        let (resources, known) = (self.resources(), self.resources().known_stack);
        let product = |n: [u32; 3]| n.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
        let need = LocalMemoryNeed {
            bytes: if known { resources.reached } else { stack_limit.into() },
            known,
            threads: product(options.block).next_multiple_of(32),
            ctas: if options.cooperative { product(options.grid) } else { 1 },
        };
        let memory = self.module().device().memory();
        let left = memory.limit().saturating_sub(memory.used());
        let asked = if threads == 0 { texunit_threads::cores() } else { threads };
        need.share(asked, stack_limit, left)
    }
}

impl LocalMemoryNeed {
    fn share(self, asked: usize, limit: u32, left: u64) -> Result<LocalMemoryShare, ArgError> {
        let threads = self.threads.saturating_mul(self.ctas);
        let least = self.bytes.saturating_mul(threads);
        if self.known && least > left {
            return Err(ArgError::LocalMemory { each: self.bytes, threads, available: left });
        }
        let at_a_time = left.checked_div(least).unwrap_or(u64::MAX).max(1);
        let share = match self.known {
            true => limit,
            false => u32::try_from(left / threads.max(1)).unwrap_or(u32::MAX).min(limit),
        };
        let workers = if self.ctas > 1 { u64::MAX } else { at_a_time };
        let threads = asked.min(usize::try_from(workers).unwrap_or(usize::MAX));
        Ok(LocalMemoryShare { threads, stack_limit: share })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: u32 = 512 << 10;

    fn need(bytes: u64, known: bool, ctas: u64) -> LocalMemoryNeed {
        LocalMemoryNeed { bytes, known, threads: 1024, ctas }
    }

    #[test]
    fn needs_share_the_memory_that_is_left() {
        const HALF: u64 = 512 << 20;
        let (array, recursion) = (need(STACK.into(), true, 1), need(STACK.into(), false, 1));
        // All CTAs of a cooperative launch are resident at the same time.
        let (arrays, recursions) = (need(1024, true, 64), need(STACK.into(), false, 64));
        for (need, asked, left, threads, stack_limit) in [
            (array, 16, 16 * HALF, 16, STACK),
            (array, 16, 5 * HALF, 5, STACK),
            (array, 16, 2 * HALF - 1, 1, STACK),
            (array, 16, HALF, 1, STACK),
            (need(0, true, 1), 16, 0, 16, STACK),
            (recursion, 4, 8 << 30, 4, STACK),
            (recursion, 4, 256 << 20, 1, 256 << 10),
            (recursion, 4, 0, 1, 0),
            (arrays, 4, 64 << 20, 4, STACK),
            (recursions, 4, 64 << 20, 4, 1024),
        ] {
            let share = need.share(asked, STACK, left).unwrap();
            assert_eq!(share, LocalMemoryShare { threads, stack_limit }, "{need:?} of {left}");
        }
        assert!(arrays.share(4, STACK, (64 << 20) - 1).is_err());
        assert_eq!(
            array.share(16, STACK, HALF - 1).unwrap_err().to_string(),
            "1024 threads need 524288 bytes of local memory each, 536870912 in all, but the device has 536870911 left"
        );
    }
}
