//! Several devices: calls of the driver API in random order, on three devices and from several threads, each of which
//! has contexts of its own. `fuzz/` has the same as a target, `driver`.

#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

mod common;
mod schedule;

use schedule::{DEVICES, Tally, play};
use std::sync::mpsc::channel;
use std::time::Duration;
use texunit_testkit::{Choices, Random};

const THREADS: u64 = 4;

fn rounds() -> u64 {
    if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 2000 } else { 20 }
}

#[test]
fn random_calls_on_three_devices() {
    // SAFETY: the only test of this program, before any of its threads; the library reads it once.
    unsafe { std::env::set_var("TEXUNIT_DEVICE", DEVICES) };
    let mut seeds = Random::for_test(20_261_123);
    let (done, all) = channel();
    for _ in 0..THREADS {
        let (mut random, done) = (Random::new(seeds.u64()), done.clone());
        std::thread::spawn(move || {
            let mut sum = Tally::default();
            for _ in 0..rounds() {
                let bytes = random.bytes(1000);
                let one = play(&mut Choices::new(&bytes));
                sum.copies_between += one.copies_between;
                sum.launches += one.launches;
                sum.cooperative += one.cooperative;
                sum.too_large += one.too_large;
                sum.refused += one.refused;
                sum.faults += one.faults;
            }
            done.send(sum).unwrap();
        });
    }
    drop(done);
    for _ in 0..THREADS {
        let sum = all.recv_timeout(Duration::from_secs(300));
        let sum = sum.expect("a thread failed, or waits for ever");
        let Tally { copies_between, launches, cooperative, too_large, refused, faults } = sum;
        let counts = [copies_between, launches, cooperative, too_large, refused, faults];
        assert!(counts.iter().all(|&count| count > 0), "{sum:?}");
    }
}
