//! Alone in its process, since it looks which threads there are.

use std::collections::HashSet;
use std::sync::Barrier;
use std::thread::ThreadId;
use texunit_threads::each;

fn beside(count: usize) -> HashSet<ThreadId> {
    // No thread does the parts of two.
    let all = Barrier::new(count);
    let own = |_| {
        all.wait();
        std::thread::current().id()
    };
    each(0..count, own).into_iter().skip(1).collect()
}

#[test]
fn threads_stay() {
    // Under Miri they do not: to it they would be a leak.
    if cfg!(miri) {
        return;
    }
    let first = beside(2);
    assert_eq!(beside(2), first);
    let more = beside(3);
    assert!(more.is_disjoint(&first), "two are not there, so others begin");
    assert!(beside(2).is_subset(&more), "one of the last that were used");
    for _ in 0..20 {
        each(0..10, |_| assert!(beside(2).len() == 1));
    }
    assert!(beside(2).len() == 1, "of all these some are kept");
}
