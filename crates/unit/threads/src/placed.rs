//! Placement of threads on processors when they are woken.
//!
//! Linux tends to wake a thread on the processor of the thread that wakes it. As the waking thread
//! keeps running, the woken threads wait until the next tick migrates them, after up to 4 ms, which
//! is longer than many launches. In a virtual machine this is the common case, because a sleeping
//! processor counts as taken by the host.

#[cfg(target_os = "linux")]
pub(crate) use linux::{CpuPlacement, Sleepers};

#[cfg(target_os = "linux")]
mod linux {
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::{Pid, gettid};
    use std::sync::Mutex;

    /// Operating system ids of the threads of a pool, which sleep between calls.
    #[derive(Default)]
    pub(crate) struct Sleepers(Mutex<Vec<Pid>>);

    impl Sleepers {
        /// Adds the id of the calling thread.
        pub(crate) fn add(&self) {
            let Ok(mut threads) = self.0.lock() else { return };
            threads.push(gettid());
        }
    }

    /// The processors that the threads of a call may use: those of its caller.
    pub(crate) struct CpuPlacement(Option<CpuSet>);

    impl CpuPlacement {
        /// Moves sleeping threads off the caller's processor before they are woken, if another
        /// processor is available.
        pub(crate) fn beside(threads: &Sleepers) -> Self {
            let places = || {
                let all = sched_getaffinity(Pid::from_raw(0)).ok()?;
                let mut others = all;
                others.unset(sched_getcpu().ok()?).ok()?;
                let places = if others == CpuSet::new() { all } else { others };
                for &thread in threads.0.lock().ok()?.iter() {
                    // If the system refuses to set a thread's affinity, the thread starts on any
                    // processor.
                    let _ = sched_setaffinity(thread, &places);
                }
                Some(all)
            };
            Self(places())
        }

        /// Called by a woken thread: allows it all processors of the caller again.
        pub(crate) fn begun(&self) {
            if let Some(all) = &self.0 {
                let _ = sched_setaffinity(Pid::from_raw(0), all);
            }
        }
    }
}

/// Systems that distribute woken threads themselves, or that do not support affinity.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    #[derive(Default)]
    pub(crate) struct Sleepers;

    impl Sleepers {
        pub(crate) fn add(&self) {}
    }

    pub(crate) struct CpuPlacement;

    impl CpuPlacement {
        pub(crate) fn beside(_: &Sleepers) -> Self {
            Self
        }

        pub(crate) fn begun(&self) {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{CpuPlacement, Sleepers};
