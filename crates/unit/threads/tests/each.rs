//! What `each` promises, whatever threads there are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use texunit_threads::each;

#[test]
fn results_come_in_the_order_of_the_items() {
    for count in [0, 1, 2, 3, 40] {
        let squares: Vec<usize> = (0..count).map(|n| n * n).collect();
        assert_eq!(each(0..count, |n| n * n), squares);
    }
}

#[test]
fn each_has_an_item_of_its_own() {
    let mut cells = [0; 5];
    each(cells.iter_mut().enumerate(), |(n, cell)| *cell += n);
    assert_eq!(cells, [0, 1, 2, 3, 4]);
}

#[test]
fn the_first_is_called_here_and_the_others_are_not() {
    let here = std::thread::current().id();
    assert_eq!(each(0..3, |_| std::thread::current().id() == here), [true, false, false]);
}

/// Two kernels of which each waits for the other, and whose parts do, too.
#[test]
fn calls_do_not_wait_for_each_other() {
    let all = Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                each(0..2, |_| {
                    for _ in 0..100 {
                        all.wait();
                    }
                })
            });
        }
    });
}

#[test]
fn a_call_in_a_call_and_in_threads_of_rayon_has_threads_of_its_own() {
    let together = |barrier: &Barrier| each(0..2, |_| _ = barrier.wait()).len();
    let inside = || together(&Barrier::new(2));
    assert_eq!(each(0..3, |_| each(0..2, |_| inside()).len()), [2; 3]);
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
    assert_eq!(pool.install(inside), 2);
}

/// A thread of rayon that waits for its jobs would take up other work of its pool, in the midst of
/// a launch.
#[test]
fn who_waits_does_nothing_else() {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    let inside = AtomicUsize::new(0);
    let call = || {
        assert_eq!(inside.fetch_add(1, Relaxed), 0, "one after the other");
        each(0..2, |n| std::thread::sleep(std::time::Duration::from_millis(n)));
        inside.fetch_sub(1, Relaxed);
    };
    pool.scope(|scope| (0..10).for_each(|_| scope.spawn(|_| call())));
}

#[test]
fn a_panic_is_the_same_in_threads_of_rayon() {
    let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    let call = |n: usize| std::panic::panic_any(n);
    let inside = || {
        catch_unwind(|| {
            each(0..1, |_| {
                each([0, 7], |n| {
                    if n == 7 {
                        call(n)
                    }
                })
            })
        })
    };
    let caught = pool.install(inside).expect_err("one panics");
    assert_eq!(caught.downcast_ref(), Some(&7_usize));
    let caught = catch_unwind(|| {
        each([0, 7], |n| {
            if n == 7 {
                call(n)
            }
        })
    })
    .expect_err("one panics");
    assert_eq!(caught.downcast_ref(), Some(&7_usize));
}

#[test]
fn a_panic_comes_to_the_caller_once_all_have_ended() {
    for wrong in 0..3 {
        let ended = AtomicUsize::new(0);
        let call = |n: usize| {
            assert_ne!(n, wrong, "this one");
            std::thread::sleep(std::time::Duration::from_millis(20));
            ended.fetch_add(1, Relaxed);
        };
        let caught = catch_unwind(AssertUnwindSafe(|| each(0..3, call)));
        assert!(caught.is_err());
        assert_eq!(ended.load(Relaxed), 2);
    }
    assert_eq!(each(0..3, |n| n), [0, 1, 2], "there are threads again");
}
