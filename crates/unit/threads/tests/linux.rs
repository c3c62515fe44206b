//! Processors and processes of Linux. One test, since a process forks that has no other threads
//! with locks.
#![cfg(all(target_os = "linux", not(miri)))]

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};
use texunit_threads::each;

fn places() -> CpuSet {
    sched_getaffinity(Pid::from_raw(0)).expect("the system knows where a thread may run")
}

#[test]
fn threads_run_where_their_caller_may_and_a_forked_process_has_its_own() {
    let all = places();
    for _ in 0..20 {
        assert_eq!(each(0..3, |_| places()), [all; 3]);
    }
    let first =
        (0..CpuSet::count()).find(|&cpu| all.is_set(cpu) == Ok(true)).expect("one at least");
    let mut one = CpuSet::new();
    one.set(first).expect("it is in the set");
    sched_setaffinity(Pid::from_raw(0), &one).expect("a part of where it may run");
    for _ in 0..20 {
        assert_eq!(each(0..3, |_| places()), [one; 3], "threads that stay follow their caller");
    }
    sched_setaffinity(Pid::from_raw(0), &all).expect("where it might run before");
    assert_eq!(each(0..3, |_| places()), [all; 3]);

    #[expect(unsafe_code, reason = "the child calls what is tested, and ends")]
    // SAFETY: nobody has a lock that the child takes, but perhaps that of the pools, which it does
    // not wait for.
    let forked = unsafe { fork() }.expect("a process");
    match forked {
        ForkResult::Child => {
            let sums = (0..3).map(|_| each(0..3, |n| n).iter().sum::<i32>()).sum::<i32>();
            #[expect(unsafe_code, reason = "the test harness is the parent's")]
            // SAFETY: nothing is to be done at the end.
            unsafe {
                libc::_exit(sums)
            }
        }
        ForkResult::Parent { child } => {
            assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 9)));
            assert_eq!(each(0..3, |n| n), [0, 1, 2], "those of the parent are still there");
        }
    }
}
