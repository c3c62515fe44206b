//! Launches that wait for somebody: the host, which sets a flag after the launch, or a launch that comes later.
//!
//! A kernel that may wait ([`texunit_device::Kernel::may_wait`]) is run by a thread beside the caller, who waits for its end, or for
//! the news that all which can run of it waits ([`Company`], by `simt::ExternalWriters`): then the call returns, as that of a card would, and the
//! kernel goes on. What comes behind it in its stream is kept (`super`) and done by such threads, too. No time decides.
//!
//! If every kernel waits, and every thread of the program waits for kernels, nobody is left who could change what they look at:
//! this is a deadlock, a fault of each of them. It is known when each has looked many times since the last of them began to wait.

use super::kept::{Id, Item};
use super::{run, run_late, with};
use crate::args::Answer;
use crate::settings::settings;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{
    AtomicU64, AtomicUsize, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed,
};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use texunit_device::{ExternalWriters, Verdict, WaitingLoop};

/// Looks of each kernel, since the last change, after which all wait for ever if nobody else is there.
const SURE: u64 = 100;
/// Looks between two questions who else is there, which reads files of the system.
const SELDOM: u64 = 32;
/// Threads that stay for the next launch.
const MAX_IDLE: usize = 4;

/// Whether a launch may go on when its call has returned: not if all is to be repeatable.
pub(crate) fn may_go_on() -> bool {
    settings().schedule.is_none() && settings().record.is_none()
}

/// A call that waits for a launch.
#[derive(Debug, Default)]
struct Call {
    /// What the launch has answered, or that it goes on.
    answer: Mutex<Option<Answer>>,
    news: Condvar,
}

impl Call {
    fn tell(&self, answer: Answer) {
        let mut told = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        told.get_or_insert(answer);
        self.news.notify_all();
    }
}

/// Who is told that all of what a thread runs waits.
#[derive(Clone)]
pub(super) struct Told(pub(super) Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

thread_local! {
    /// Who waits for what the thread runs.
    static CALL: RefCell<Option<Told>> = const { RefCell::new(None) };
    /// Whether it is a thread of texunit's.
    static IS_RUNNER: Cell<bool> = const { Cell::new(false) };
}

/// Items whose calls have returned, or that run beside their calls.
static BUSY: AtomicUsize = AtomicUsize::new(0);
/// Kernels that are among them: the others are functions of the program, copies and fills.
static KERNELS_BESIDE: AtomicUsize = AtomicUsize::new(0);
/// Threads of the program that wait for kernels.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);

/// Whether any launch goes on beside its call.
pub(super) fn is_busy() -> bool {
    BUSY.load(Acquire) != 0
}

/// What was known is of the process that this one was forked from.
pub(super) fn forget() {
    BUSY.store(0, Relaxed);
    KERNELS_BESIDE.store(0, Relaxed);
    BLOCKED.store(0, Relaxed);
    *kernels() = BTreeMap::new();
    runners().clear();
}

/// A thread of the program that waits for kernels.
#[derive(Debug)]
pub(super) struct Blocked;

impl Blocked {
    pub(super) fn begin() -> Self {
        BLOCKED.fetch_add(1, AcqRel);
        changed();
        Self
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // A fork may have forgotten it.
        let _ = BLOCKED.fetch_update(AcqRel, Acquire, |n| n.checked_sub(1));
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// A thread that has nothing to do.
#[derive(Default)]
struct Runner {
    job: Mutex<Option<Job>>,
    news: Condvar,
}

fn runners() -> MutexGuard<'static, Vec<Arc<Runner>>> {
    static RUNNERS: Mutex<Vec<Arc<Runner>>> = Mutex::new(Vec::new());
    RUNNERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work in another thread. It is given back where the system has no more threads.
fn beside(job: Job) -> Result<(), Job> {
    let idle = runners().pop();
    let runner = match idle {
        Some(runner) => runner,
        None => {
            let runner = Arc::<Runner>::default();
            let own = Arc::clone(&runner);
            if crate::running::spawn(move || work(&own)).is_err() {
                return Err(job);
            }
            runner
        }
    };
    *runner.job.lock().unwrap_or_else(PoisonError::into_inner) = Some(job);
    runner.news.notify_one();
    Ok(())
}

fn work(own: &Arc<Runner>) {
    IS_RUNNER.set(true);
    loop {
        let mut job = own.job.lock().unwrap_or_else(PoisonError::into_inner);
        let todo = loop {
            match job.take() {
                Some(todo) => break todo,
                None => job = own.news.wait(job).unwrap_or_else(PoisonError::into_inner),
            }
        };
        drop(job);
        todo();
        let mut idle = runners();
        if idle.len() >= MAX_IDLE {
            return;
        }
        idle.push(Arc::clone(own));
    }
}

/// Counts an item as long as it runs beside its call.
struct Counted;

impl Counted {
    fn begin() -> Self {
        BUSY.fetch_add(1, AcqRel);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let _ = BUSY.fetch_update(AcqRel, Acquire, |n| n.checked_sub(1));
    }
}

/// Runs a launch up to its end, or until all that can run of it waits.
pub(super) fn run_until_it_waits((id, item): (Id, Item)) -> Answer {
    let call = Arc::<Call>::default();
    let (own, context) = (Arc::clone(&call), Arc::clone(&item.context));
    super::watch_exit();
    let counted = Counted::begin();
    let job = move || {
        let _counted = counted;
        // As in a call: memory that is watched is open for the kernel.
        let _call = crate::checks::called();
        let call = Arc::clone(&own);
        CALL.set(Some(Told(Arc::new(move || call.tell(Ok(()))))));
        let answer = run(id, item);
        CALL.set(None);
        let told = own.answer.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        match answer {
            Err(refusal) if told => context.fail(refusal),
            answer => own.tell(answer),
        }
    };
    if let Err(job) = beside(Box::new(job)) {
        job();
    }
    let _blocked = Blocked::begin();
    let mut answer = call.answer.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match answer.take() {
            Some(told) => {
                // The launch finds that the call has returned.
                *answer = Some(Ok(()));
                return told;
            }
            None => answer = call.news.wait(answer).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// This thread waits for kernels, if it is one of the program.
pub(super) fn blocked() -> Option<Blocked> {
    (!IS_RUNNER.get()).then(Blocked::begin)
}

/// Who waits for what this thread runs.
pub(super) fn told() -> Option<Told> {
    // A launch of a destructor, when the values of the thread are gone, has no such call.
    CALL.try_with(|call| call.borrow().clone()).unwrap_or_default()
}

/// This thread is one of texunit's from now on, in which a part of an item is run for somebody.
pub(super) fn runs_for(told: Told) {
    IS_RUNNER.set(true);
    super::IS_INSIDE.set(true);
    CALL.set(Some(told));
}

/// Does what nothing comes before any more, in threads of its own.
pub(super) fn run_what_is_ready() {
    while let Some((id, item)) = with(|state| state.begin_ready()) {
        let counted = Counted::begin();
        let job = move || {
            let _call = crate::checks::called();
            run_late(id, item);
            drop(counted);
        };
        if let Err(job) = beside(Box::new(job)) {
            job();
        }
    }
}

/// A kernel that runs.
#[derive(Clone, Copy, Debug, Default)]
struct Kernel {
    /// How often it has looked since it waits, and how often it had at the last change of anything.
    looks: Option<(u64, u64)>,
}

/// Kernels that run, by numbers of their own.
fn kernels() -> MutexGuard<'static, BTreeMap<u64, Kernel>> {
    static KERNELS: Mutex<BTreeMap<u64, Kernel>> = Mutex::new(BTreeMap::new());
    KERNELS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something begins, ends, or goes on: all have to look again before anything is known of them.
fn changed() {
    for kernel in kernels().values_mut() {
        if let Some((looks, since)) = &mut kernel.looks {
            *since = *looks;
        }
    }
}

/// Who else is there while a launch waits.
#[derive(Debug)]
pub(crate) struct Company {
    number: u64,
    /// Who waits for it.
    call: Option<Told>,
    /// The thread of the program that runs it, if none of texunit's does.
    blocked: Option<Blocked>,
    /// Why nobody may be waited for.
    alone: Option<&'static str>,
}

impl Company {
    pub(crate) fn new(is_recorded: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Relaxed);
        kernels().insert(number, Kernel::default());
        changed();
        let is_beside = IS_RUNNER.get();
        if is_beside {
            KERNELS_BESIDE.fetch_add(1, AcqRel);
        }
        let blocked = blocked();
        let call = told();
        let alone = match (is_recorded, settings().schedule) {
            (true, _) => Some(
                "the launch is recorded (`--record`), and a recorded launch cannot wait for what others do",
            ),
            (false, Some(_)) => Some(
                "work is done in a random order (`--schedule`), in which a launch cannot wait for what others do",
            ),
            (false, None) => None,
        };
        Self { number, call, blocked, alone }
    }
}

impl Drop for Company {
    fn drop(&mut self) {
        if self.blocked.is_none() {
            let _ = KERNELS_BESIDE.fetch_update(AcqRel, Acquire, |n| n.checked_sub(1));
        }
        kernels().remove(&self.number);
        changed();
    }
}

impl ExternalWriters for Company {
    fn wait(&self, looks: u64, loops: &[WaitingLoop]) -> Verdict {
        if super::HAS_ENDED.load(Relaxed) {
            // The memory that it looks at may be gone any time.
            loop {
                std::thread::park();
            }
        }
        if let Some(why) = self.alone {
            return Verdict::End(why.to_owned());
        }
        let is_first = {
            let mut kernels = kernels();
            let Some(kernel) = kernels.get_mut(&self.number) else { return Verdict::Wait };
            let is_first = kernel.looks.is_none();
            kernel.looks = Some((looks, kernel.looks.map_or(looks, |(_, since)| since)));
            is_first
        };
        if is_first {
            changed();
            // The call returns, as on a card.
            self.call.iter().for_each(|call| (call.0)());
        }
        let all_wait = || {
            let sure =
                |kernel: &Kernel| kernel.looks.is_some_and(|(looks, since)| looks >= since + SURE);
            kernels().values().all(sure)
        };
        if !looks.is_multiple_of(SELDOM)
            || !all_wait()
            || is_anybody_else_there(loops)
            || !all_wait()
        {
            return Verdict::Wait;
        }
        Verdict::End(match kernels().len() {
            1 => "the program waits for the kernel, and nobody is left who could change it"
                .to_owned(),
            n => format!(
                "the program waits, as all that run do ({}): nobody is left who could change it",
                texunit_forms::Count(n, "kernel")
            ),
        })
    }

    fn resumed(&self) {
        if let Some(kernel) = kernels().get_mut(&self.number) {
            kernel.looks = None;
        }
        changed();
    }
}

/// Whether a thread of the program does something, or another process shares the memory that is looked at.
fn is_anybody_else_there(loops: &[WaitingLoop]) -> bool {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return true };
    let is_own = |path: std::path::PathBuf| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim_end() == "texunit")
    };
    let threads = tasks.flatten().filter(|task| !is_own(task.path())).count();
    let beside = BUSY.load(Acquire).saturating_sub(KERNELS_BESIDE.load(Acquire));
    threads + beside > BLOCKED.load(Acquire) || is_shared(loops)
}

/// Whether other processes may write to what loops look at.
fn is_shared(loops: &[WaitingLoop]) -> bool {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
    let looks = loops.iter().flat_map(|waiting| &waiting.polls);
    let addresses: Vec<u64> = looks.map(|look| look.address).collect();
    maps.lines().any(|line| {
        let mut words = line.split_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let number = |text| u64::from_str_radix(text, 16).ok();
        let range = range.and_then(|(from, to)| Some(number(from)?..number(to)?));
        // Memory that checks watch is mapped twice, and no other process has it.
        let is_shared = words.next().is_some_and(|rights| rights.ends_with('s'))
            && !line.ends_with(" /memfd:texunit (deleted)");
        is_shared && range.is_some_and(|range| addresses.iter().any(|at| range.contains(at)))
    })
}
