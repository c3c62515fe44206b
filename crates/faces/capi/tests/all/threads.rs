//! Objects are used by many threads, and destroyed while others use them.

use crate::{array, floats_2d, of_array, ok, texture, zeroed};
use std::sync::atomic::{AtomicUsize, Ordering};
use texunit_capi::*;

/// A handle that is sent to other threads.
#[derive(Clone, Copy)]
struct Shared(texunit_texture);

// SAFETY: a handle is a number.
unsafe impl Send for Shared {}
// SAFETY: a handle is a number.
unsafe impl Sync for Shared {}

#[test]
fn a_texture_ends_while_others_sample() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32, 1.0, 2.0, 3.0]);
    let shared = Shared(texture(of_array(array), zeroed()));
    ok(texunit_array_destroy(array));
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let sample = |shared: &Shared| {
            let (point, mut result) = ([1.5_f32, 0.5], [0.0_f32; 4]);
            let mut desc: texunit_fetch_desc = zeroed();
            desc.count = 1;
            desc.coords[0].data = (&raw const point[0]).cast();
            desc.coords[1].data = (&raw const point[1]).cast();
            // SAFETY: operands and results are live.
            let status = unsafe {
                texunit_sample(shared.0, &raw const desc, result.as_mut_ptr().cast(), 16)
            };
            (status, result[0])
        };
        let (shared, done) = (&shared, &done);
        for _ in 0..4 {
            scope.spawn(move || {
                loop {
                    let (status, value) = sample(shared);
                    match status {
                        TEXUNIT_SUCCESS => assert_eq!(value, 1.0),
                        TEXUNIT_ERROR_INVALID_HANDLE => break,
                        other => panic!("{other}: {}", crate::last_error()),
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                }
                assert!(crate::last_error().contains("destroyed"), "{}", crate::last_error());
            });
        }
        while done.load(Ordering::Relaxed) < 1000 {
            std::thread::yield_now();
        }
        ok(texunit_texture_destroy(shared.0));
    });
}

#[test]
fn results_are_the_same_by_any_number_of_threads() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32, 1.0, 2.0, 3.0]);
    let state = texunit_texture_desc { filter_mode: 1, address_mode: [1; 3], ..zeroed() };
    let texture = texture(of_array(array), state);
    let points: Vec<[f32; 2]> =
        (0..50_000).map(|n| [n as f32 / 20_000.0, n as f32 / 30_000.0]).collect();
    let mut desc: texunit_fetch_desc = zeroed();
    desc.count = points.len();
    for (coordinate, operand) in points[0].iter().zip(&mut desc.coords) {
        *operand = texunit_operand { data: (&raw const *coordinate).cast(), stride: 8 };
    }
    let one = crate::sampled(texture, &desc);
    for threads in [2, 3, TEXUNIT_ALL_CPUS] {
        desc.threads = threads;
        assert!(crate::sampled(texture, &desc) == one, "{threads}");
    }
    desc.threads = 1025;
    let mut result = [0.0_f32; 4];
    // SAFETY: no fetch is made, so no operand is read.
    let status =
        unsafe { texunit_sample(texture, &raw const desc, result.as_mut_ptr().cast(), 16) };
    crate::fails(status, TEXUNIT_ERROR_INVALID_VALUE, "threads 1025");
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}
