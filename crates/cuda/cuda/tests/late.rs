//! Random calls on three devices with deferred execution (`TEXUNIT_SCHEDULE`): results and memory
//! must be the same as without it.

#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

mod common;
mod schedule;

use schedule::{DEVICES, play};
use texunit_testkit::{Choices, Random};

#[test]
fn random_calls_with_late_work() {
    let mut random = Random::for_test(20_261_124);
    // SAFETY: the only test of this program, before any of its threads; the library reads them
    // once.
    unsafe {
        std::env::set_var("TEXUNIT_DEVICE", DEVICES);
        std::env::set_var("TEXUNIT_SCHEDULE", random.below(1 << 20).to_string());
    }
    let rounds = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 500 } else { 3 };
    let (mut launches, mut copies) = (0, 0);
    std::thread::scope(|scope| {
        let threads = [0, 1].map(|_| {
            let mut random = Random::new(random.u64());
            scope.spawn(move || {
                let play_one = |_| {
                    let bytes = random.bytes(1000);
                    let tally = play(&mut Choices::new(&bytes));
                    (tally.launches, tally.copies_between)
                };
                (0..rounds).map(play_one).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
            })
        });
        for thread in threads {
            let (more_launches, more_copies) = thread.join().unwrap();
            launches += more_launches;
            copies += more_copies;
        }
    });
    assert!(launches > 0 && copies > 0, "{launches} launches, {copies} copies");
}
