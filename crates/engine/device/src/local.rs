//! Local memory as a part of device memory.
//!
//! A GPU reserves local memory for all threads that can run at the same time. Here each worker has
//! the local memory for the threads of one CTA, so that a launch that counts local memory uses only
//! as many workers as fit.

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
    /// CTAs that are resident at the same time whatever the number of workers is.
    ctas: u64,
}

impl Kernel {
    /// Reduces the number of host threads and the stack limit so that the launch's local memory
    /// fits into `left` bytes.
    pub(crate) fn share_local(
        &self,
        options: &LaunchOptions<'_>,
        left: u64,
    ) -> Result<LocalMemoryShare, ArgError> {
        let (resources, known) = (self.resources(), self.resources().known_stack);
        let product = |n: [u32; 3]| n.iter().fold(1_u64, |all, &n| all.saturating_mul(n.into()));
        let need = LocalMemoryNeed {
            bytes: if known { resources.reached } else { options.stack_limit.into() },
            known,
            threads: product(options.block).next_multiple_of(32),
            ctas: if options.cooperative { product(options.grid) } else { 1 },
        };
        let asked = if options.threads == 0 { texunit_threads::cores() } else { options.threads };
        need.share(asked, options.stack_limit, left)
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
    fn a_need_that_is_known_has_fewer_workers_or_none() {
        let half = 512 << 20;
        let array = need(STACK.into(), true, 1);
        for (left, threads) in [(16 * half, 16), (5 * half, 5), (2 * half - 1, 1), (half, 1)] {
            let share = array.share(16, STACK, left).unwrap();
            assert_eq!(share, LocalMemoryShare { threads, stack_limit: STACK });
        }
        let error = array.share(16, STACK, half - 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1024 threads need 524288 bytes of local memory each, 536870912 in all, but the device has 536870911 left"
        );
        // No local memory is needed.
        assert_eq!(need(0, true, 1).share(16, STACK, 0).unwrap().threads, 16);
    }

    #[test]
    fn a_need_that_is_not_known_is_shared() {
        let recursion = need(STACK.into(), false, 1);
        let share = recursion.share(4, STACK, 8 << 30).unwrap();
        assert_eq!(share, LocalMemoryShare { threads: 4, stack_limit: STACK });
        let share = recursion.share(4, STACK, 256 << 20).unwrap();
        assert_eq!(share, LocalMemoryShare { threads: 1, stack_limit: 256 << 10 });
        assert_eq!(recursion.share(4, STACK, 0).unwrap().stack_limit, 0);
    }

    /// All CTAs are resident at the same time.
    #[test]
    fn cooperative_launches_need_it_for_all() {
        let array = need(1024, true, 64);
        assert_eq!(array.share(4, STACK, 64 << 20).unwrap().threads, 4);
        assert!(array.share(4, STACK, (64 << 20) - 1).is_err());
        let recursion = need(STACK.into(), false, 64);
        assert_eq!(recursion.share(4, STACK, 64 << 20).unwrap().stack_limit, 1024);
    }
}
