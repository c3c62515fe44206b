use super::*;
use std::sync::Barrier;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::{ThreadId, current};

const ONE: StepNeeds = StepNeeds { threads: 1, is_pinned: false };

/// Executes steps, and returns the order in which they ended.
fn run(
    before: &[&[u32]],
    needs: Vec<StepNeeds>,
    threads: usize,
    work: impl Fn(usize) -> Answer + Send + Sync + 'static,
) -> (Result<(), CUresult>, Vec<usize>) {
    let ended = Arc::<Mutex<Vec<usize>>>::default();
    let list = Arc::clone(&ended);
    let answer = branches(before.iter().copied(), needs, threads, move |i| {
        work(i).inspect(|()| lock(&list).push(i))
    });
    let ended = lock(&ended).clone();
    (answer.map_err(|refusal| refusal.code), ended)
}

#[test]
fn one_thread_executes_steps_in_order() {
    let before: [&[u32]; 6] = [&[], &[], &[0], &[1, 2], &[], &[0]];
    let (answer, ended) = run(&before, vec![ONE; 6], 1, |_| Ok(()));
    assert_eq!((answer.is_ok(), ended), (true, vec![0, 1, 2, 3, 4, 5]));
}

#[test]
fn unordered_steps_run_beside_each_other() {
    // Each of two branches of two steps meets the other one twice.
    let meet = Barrier::new(2);
    let before: [&[u32]; 5] = [&[], &[], &[0], &[1], &[2, 3]];
    let (answer, ended) = run(&before, vec![ONE; 5], 2, move |i| {
        if i < 4 {
            meet.wait();
        }
        Ok(())
    });
    assert!(answer.is_ok() && ended.len() == 5 && ended[4] == 4, "{ended:?}");
}

#[test]
fn steps_use_no_more_threads_than_there_are() {
    let [used, most] = [0, 0].map(|n| Arc::new(AtomicUsize::new(n)));
    let all: Vec<StepNeeds> =
        (0..200).map(|i| StepNeeds { threads: 1 + i % 4, is_pinned: false }).collect();
    let (threads, peak) = (all.clone(), Arc::clone(&most));
    let work = move |i: usize| {
        let now = used.fetch_add(threads[i].threads, SeqCst) + threads[i].threads;
        peak.fetch_max(now, SeqCst);
        std::thread::yield_now();
        used.fetch_sub(threads[i].threads, SeqCst);
        Ok(())
    };
    let (answer, ended) = run(&[&[] as &[u32]; 200], all, 4, work);
    assert!(answer.is_ok() && ended.len() == 200 && most.load(SeqCst) <= 4);
}

#[test]
fn pinned_steps_run_in_the_calling_thread() {
    let needs = |i: usize| StepNeeds { threads: 1, is_pinned: i.is_multiple_of(3) };
    let threads = Arc::new(Mutex::new(Vec::<(usize, ThreadId)>::new()));
    let seen = Arc::clone(&threads);
    let (answer, ended) = run(&[&[] as &[u32]; 100], (0..100).map(needs).collect(), 3, move |i| {
        lock(&seen).push((i, current().id()));
        Ok(())
    });
    assert!(answer.is_ok() && ended.len() == 100);
    assert!(lock(&threads).iter().all(|&(i, thread)| i % 3 != 0 || thread == current().id()));
}

#[test]
fn a_refusal_or_a_panic_stops_later_steps() {
    let before: [&[u32]; 4] = [&[], &[0], &[1], &[2]];
    let (answer, ended) = run(&before, vec![ONE; 4], 2, |i| match i {
        1 => Err(invalid!("no")),
        _ => Ok(()),
    });
    assert_eq!((answer, ended), (Err(CUresult::INVALID_VALUE), vec![0]));
    let (answer, ended) = run(&before, vec![ONE; 4], 2, |i| {
        assert!(i != 2, "expected");
        Ok(())
    });
    assert_eq!((answer, ended), (Err(CUresult::UNKNOWN), vec![0, 1]));
}

#[test]
fn a_waiting_step_lets_others_run() {
    // Step 0 waits for step 2, on one thread; step 2 is pinned, and the calling thread waits.
    let (tell, told) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let needs = [false, false, true].map(|is_pinned| StepNeeds { threads: 1, is_pinned });
    let (answer, ended) = run(&[&[], &[], &[1]], needs.to_vec(), 1, move |i| {
        if i == 0 {
            wait_notice().iter().for_each(|notice| (notice.0)());
            assert_eq!(lock(&told).recv(), Ok(()));
        }
        if i == 2 {
            assert_eq!(tell.send(()), Ok(()));
        }
        Ok(())
    });
    assert!(answer.is_ok());
    assert_eq!((ended.len(), ended[0]), (3, 1));
}
