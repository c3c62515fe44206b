//! Processor time that has been used.

use std::time::Duration;

/// Processor time of the calling thread.
pub(crate) fn thread() -> Duration {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of all threads of the process.
pub(crate) fn process() -> Duration {
    read(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is a local variable. A system without the clock leaves it unchanged.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_count_what_threads_do() {
        let (thread_before, process_before) = (thread(), process());
        let worker = std::thread::spawn(|| {
            let begin = std::time::Instant::now();
            let mut sum = 0_u64;
            while begin.elapsed() < Duration::from_millis(20) || thread().is_zero() {
                sum = std::hint::black_box(sum + 1);
            }
            thread()
        });
        let used = worker.join().unwrap_or_default();
        assert!(used > Duration::ZERO);
        assert!(process() - process_before >= used);
        assert!(thread() - thread_before < used);
    }
}
