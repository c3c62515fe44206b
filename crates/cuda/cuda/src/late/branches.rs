//! Steps of an item, of which some come before others and some may wait: where one waits, the next ones go on beside it.
//!
//! As long as none waits, steps are done one after the other in an order that is the same each time.

use super::aside::{Told, blocked, runs_for, told};
use crate::args::Answer;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use texunit_cuda_abi::CUresult;

/// What becomes of a step.
enum News {
    Waits,
    Ends(Answer),
}

/// What has become of all steps.
struct Steps {
    is_done: Vec<bool>,
    /// Steps that run.
    running: usize,
    answer: Answer,
    news: Receiver<(usize, News)>,
}

impl Steps {
    fn done(&mut self, i: usize, answer: Answer) {
        self.is_done[i] = true;
        if self.answer.is_ok() {
            self.answer = answer;
        }
    }

    /// Waits for news of a step, or (`None`) of any.
    fn wait(&mut self, of: Option<usize>) {
        let _blocked = blocked();
        while let Ok((i, news)) = self.news.recv() {
            if let News::Ends(answer) = news {
                self.running -= 1;
                self.done(i, answer);
            }
            if of.is_none_or(|of| of == i) {
                return;
            }
        }
    }
}

/// Does steps (`one`), as many as `order` has: it is an order that is allowed, and `before` says what each comes behind.
/// The first answer that is a refusal is that of all, and ends them.
pub(crate) fn branches<'p>(
    order: &[usize],
    before: impl Fn(usize) -> &'p [u32],
    may_wait: impl Fn(usize) -> bool,
    one: impl Fn(usize) -> Answer + Sync,
) -> Answer {
    let outer = told();
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
                        runs_for(Told(Arc::new(move || {
                            let _ = waits.send((i, News::Waits));
                        })));
                        let _call = crate::checks::called();
                        let answer = one(i);
                        let _ = tell.send((i, News::Ends(answer)));
                    };
                    // The name is one of texunit's own threads.
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
                    // All that can run waits.
                    outer.iter().for_each(|told| (told.0)());
                    steps.wait(None);
                }
            }
        }
    });
    steps.answer
}
