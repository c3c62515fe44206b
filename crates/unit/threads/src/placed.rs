//! On which processors threads begin.
//!
//! Linux likes to wake a thread where the one is that wakes it. As that works on, nothing runs beside it until the
//! next tick sends one of them elsewhere, after up to 4 ms: longer than many launches. In a virtual machine this is
//! the rule, since a processor that sleeps counts as taken away by the host.

#[cfg(target_os = "linux")]
pub(crate) use linux::{Places, Sleepers};

#[cfg(target_os = "linux")]
mod linux {
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::{Pid, gettid};
    use std::sync::Mutex;

    /// The threads of a pool, as the system knows them.
    #[derive(Default)]
    pub(crate) struct Sleepers(Mutex<Vec<Pid>>);

    impl Sleepers {
        /// Adds the thread that calls.
        pub(crate) fn add(&self) {
            let Ok(mut threads) = self.0.lock() else { return };
            threads.push(gettid());
        }
    }

    /// Where the threads of a call may run: where its caller may.
    pub(crate) struct Places(Option<CpuSet>);

    impl Places {
        /// Has threads that will be woken begin elsewhere than on the processor of the caller, if it has another one.
        pub(crate) fn beside(threads: &Sleepers) -> Self {
            let places = || {
                let all = sched_getaffinity(Pid::from_raw(0)).ok()?;
                let mut others = all;
                others.unset(sched_getcpu().ok()?).ok()?;
                let places = if others == CpuSet::new() { all } else { others };
                for &thread in threads.0.lock().ok()?.iter() {
                    // Where the system forbids it, they begin wherever it likes.
                    let _ = sched_setaffinity(thread, &places);
                }
                Some(all)
            };
            Self(places())
        }

        /// The thread that calls has begun.
        pub(crate) fn begun(&self) {
            if let Some(all) = &self.0 {
                let _ = sched_setaffinity(Pid::from_raw(0), all);
            }
        }
    }
}

/// Systems that wake threads elsewhere by themselves, or cannot be asked.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    #[derive(Default)]
    pub(crate) struct Sleepers;

    impl Sleepers {
        pub(crate) fn add(&self) {}
    }

    pub(crate) struct Places;

    impl Places {
        pub(crate) fn beside(_: &Sleepers) -> Self {
            Self
        }

        pub(crate) fn begun(&self) {}
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Places, Sleepers};
