//! Concurrent execution of an item's steps: while a step waits, further ready steps run.
//!
//! As long as no step waits, steps are executed one after the other in a fixed order.

use super::waiting_launches::{WaitNotice, blocked, runs_for, wait_notice};
use crate::args::Answer;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use texunit_cuda_abi::CUresult;

/// Outcome of a step.
enum StepOutcome {
    Waits,
    Ends(Answer),
}

/// State of all steps.
struct Steps {
    is_done: Vec<bool>,
    /// Number of running steps.
    running: usize,
    answer: Answer,
    news: Receiver<(usize, StepOutcome)>,
}

impl Steps {
    fn done(&mut self, i: usize, answer: Answer) {
        self.is_done[i] = true;
        if self.answer.is_ok() {
            self.answer = answer;
        }
    }

    /// Waits for the outcome of a step, or (`None`) of any step.
    fn wait(&mut self, of: Option<usize>) {
        let _blocked = blocked();
        while let Ok((i, news)) = self.news.recv() {
            if let StepOutcome::Ends(answer) = news {
                self.running -= 1;
                self.done(i, answer);
            }
            if of.is_none_or(|of| of == i) {
                return;
            }
        }
    }
}

/// Executes steps by `one`, in the topological order `order`, with the dependencies `before`. The
/// first refusal is the result and stops further steps.
pub(crate) fn branches<'p>(
    order: &[usize],
    before: impl Fn(usize) -> &'p [u32],
    may_wait: impl Fn(usize) -> bool,
    one: impl Fn(usize) -> Answer + Sync,
) -> Answer {
    let outer = wait_notice();
    let (tell, news) = channel();
    let mut steps = Steps { is_done: vec![false; order.len()], running: 0, answer: Ok(()), news };
    let mut todo: VecDeque<usize> = order.iter().copied().collect();
    std::thread::scope(|scope| {
        loop {
            let is_ready = |i: usize| before(i).iter().all(|&other| steps.is_done[other as usize]);
            let next = todo.iter().position(|&i| is_ready(i)).filter(|_| steps.answer.is_ok());
            match next.and_then(|at| todo.remove(at)) {
                Some(i) if !may_wait(i) => steps.done(i, one(i)),
                Some(i) => {
                    let (tell, waits, one) = (tell.clone(), tell.clone(), &one);
                    let work = move || {
                        runs_for(WaitNotice(Arc::new(move || {
                            let _ = waits.send((i, StepOutcome::Waits));
                        })));
                        let _call = crate::checks::called();
                        let answer = one(i);
                        let _ = tell.send((i, StepOutcome::Ends(answer)));
                    };
                    // The thread's name marks it as texunit's own.
                    let thread = std::thread::Builder::new().name("texunit".to_owned());
                    if let Err(error) = thread.spawn_scoped(scope, work) {
                        let reason = format!("the system has no more threads: {error}");
                        steps.done(i, Err(CUresult::OPERATING_SYSTEM.because(reason)));
                        continue;
                    }
                    steps.running += 1;
                    steps.wait(Some(i));
                }
                None if steps.running == 0 => break,
                None => {
                    // Tells the outer runs that this run waits, because all of its running steps
                    // wait.
                    outer.iter().for_each(|told| (told.0)());
                    steps.wait(None);
                }
            }
        }
    });
    steps.answer
}
