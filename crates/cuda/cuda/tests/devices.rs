//! Several devices: random sequences of driver API calls on three devices and from several threads,
//! each with contexts of its own. The fuzz target `driver` runs the same code.

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

impl Tally {
    fn add(&mut self, other: Self) {
        self.copies_between += other.copies_between;
        self.launches += other.launches;
        self.cooperative += other.cooperative;
        self.too_large += other.too_large;
        self.refused += other.refused;
        self.faults += other.faults;
    }
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
                sum.add(play(&mut Choices::new(&bytes)));
            }
            done.send(sum).unwrap();
        });
    }
    drop(done);
    let mut sum = Tally::default();
    for _ in 0..THREADS {
        let one = all.recv_timeout(Duration::from_secs(300));
        sum.add(one.expect("a thread failed, or waits forever"));
    }
    let Tally { copies_between, launches, cooperative, too_large, refused, faults } = sum;
    let counts = [copies_between, launches, cooperative, too_large, refused, faults];
    assert!(counts.iter().all(|&count| count > 0), "{sum:?}");
}
