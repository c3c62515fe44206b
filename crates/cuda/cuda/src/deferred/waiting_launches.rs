//! Launches that wait for the host, which may set a flag after the launch, or for a later launch.
//!
//! A kernel that may wait ([`texunit_device::Kernel::may_wait`]) is executed by another thread,
//! while the calling thread waits for its end or for the notice that all its running CTAs wait, or
//! that one of them may wait ([`WaitMonitor`], by `simt::ExternalWriters`). Then the call returns,
//! as on a GPU, and the kernel continues. Later work of its stream is stored (`super`) and executed
//! by such threads, too. No timeouts are involved.
//!
//! If every kernel waits, and every thread of the program waits for kernels, nothing can change the
//! memory that they poll. This is a deadlock, a fault of each of them. It is detected when each
//! kernel has polled many times since the last of them began to wait.

use super::*;
use std::cell::RefCell;
use std::fs;
use std::sync::atomic::{Ordering::AcqRel, Ordering::Acquire};
use std::sync::mpsc::{Receiver, Sender, channel};
use texunit_device::{ExternalWriters, Verdict, WaitingLoop};

/// Number of polls by each kernel, since the last change, after which a deadlock is assumed if no
/// other thread runs.
const SURE: u64 = 100;
/// Number of polls between two searches for other running threads, which read system files.
const SELDOM: u64 = 32;
/// Maximum number of idle threads that are kept for later launches.
const MAX_IDLE: usize = 4;

/// Whether a launch may continue after its call has returned, which is not the case for repeatable
/// runs.
pub(crate) fn may_outlive_call() -> bool {
    settings().schedule.is_none() && settings().record.is_none()
}

/// Callback for the notice that everything a thread runs is waiting.
#[derive(Clone)]
pub(super) struct WaitNotice(pub(super) Arc<dyn Fn() + Send + Sync>);

impl std::fmt::Debug for WaitNotice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WaitNotice")
    }
}

thread_local! {
    /// The callback of the call that waits for this thread's work.
    static CALL: RefCell<Option<WaitNotice>> = const { RefCell::new(None) };
    /// Whether the thread is one of texunit's.
    static IS_RUNNER: Cell<bool> = const { Cell::new(false) };
}

/// Number of items that run beside or after their calls.
static BUSY: AtomicUsize = AtomicUsize::new(0);
/// Number of them that run or wait for kernels; the others are host functions, copies and memory
/// sets.
static BLOCKED_BESIDE: AtomicUsize = AtomicUsize::new(0);
/// Number of the program's threads that wait for kernels.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);

/// Whether an item runs beside or after its call.
pub(super) fn is_busy() -> bool {
    BUSY.load(Acquire) != 0
}

/// Resets the counters in a forked child process.
pub(super) fn forget() {
    BUSY.store(0, Relaxed);
    BLOCKED_BESIDE.store(0, Relaxed);
    BLOCKED.store(0, Relaxed);
    lock(&KERNELS).clear();
    lock(&RUNNERS).clear();
}

/// Counts something, until dropped.
#[derive(Debug)]
pub(super) struct Counted(&'static AtomicUsize);

impl Counted {
    fn new(counter: &'static AtomicUsize) -> Self {
        counter.fetch_add(1, AcqRel);
        Self(counter)
    }

    /// Counts an item as running beside its call.
    pub(super) fn item() -> Self {
        Self::new(&BUSY)
    }

    /// Counts a thread, of the program or of texunit, as running or waiting for kernels.
    pub(super) fn blocked() -> Self {
        let counted = Self::new(if IS_RUNNER.get() { &BLOCKED_BESIDE } else { &BLOCKED });
        changed();
        counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // The counter may have been reset by a fork.
        let _ = self.0.fetch_update(AcqRel, Acquire, |n| n.checked_sub(1));
    }
}

type Job = Box<dyn FnOnce() + Send>;

/// Idle threads, which wait for jobs.
static RUNNERS: Mutex<Vec<Sender<Job>>> = Mutex::new(Vec::new());

/// Executes a job in another thread. The job is returned if the system cannot create a thread.
pub(super) fn run_in_thread(job: Job) -> Result<(), Job> {
    let idle = lock(&RUNNERS).pop();
    let runner = match idle {
        Some(runner) => runner,
        None => {
            let (runner, jobs) = channel();
            let own = runner.clone();
            if crate::signals::spawn(move || work(&own, &jobs)).is_err() {
                return Err(job);
            }
            runner
        }
    };
    runner.send(job).map_err(|unsent| unsent.0)
}

fn work(own: &Sender<Job>, jobs: &Receiver<Job>) {
    IS_RUNNER.set(true);
    for job in jobs {
        job();
        let mut idle = lock(&RUNNERS);
        if idle.len() >= MAX_IDLE {
            return;
        }
        idle.push(own.clone());
    }
}

/// Runs a launch until it ends or all its running CTAs wait.
pub(super) fn run_until_it_waits((id, item): (Id, Item)) -> Answer {
    // The result of the launch, or that it continues.
    let call = Arc::<OnceLock<Answer>>::default();
    let (own, context) = (Arc::clone(&call), Arc::clone(&item.context));
    super::watch_exit();
    let counted = Counted::item();
    let job = move || {
        let _counted = counted;
        // As during a call, observed memory is accessible to the kernel.
        let _call = crate::host_access::called();
        let call = Arc::clone(&own);
        let notice = WaitNotice(Arc::new(move || _ = call.set(Ok(()))));
        // If the call has returned before, the context gets the refusal.
        if let Err(Err(refusal)) = own.set(notified(notice, || run(id, item))) {
            context.fail(refusal);
        }
    };
    if let Err(job) = run_in_thread(Box::new(job)) {
        job();
    }
    let _blocked = Counted::blocked();
    call.wait().clone()
}

/// The callback of the call that waits for this thread's work.
pub(super) fn wait_notice() -> Option<WaitNotice> {
    // A launch from a destructor, after thread-local values have been destroyed, has no such call.
    CALL.try_with(|call| call.borrow().clone()).unwrap_or_default()
}

/// Executes work whose waiting is told by a callback.
pub(super) fn notified<T>(notice: WaitNotice, work: impl FnOnce() -> T) -> T {
    let mut before = CALL.try_with(|call| call.replace(Some(notice))).unwrap_or_default();
    let _restores = OnDrop(|| {
        let _ = CALL.try_with(|call| call.replace(before.take()));
    });
    work()
}

/// Executes all items without unfinished dependencies in threads of their own.
pub(super) fn run_what_is_ready() {
    while let Some((id, item)) = with(|state| state.begin_ready()) {
        let counted = Counted::item();
        let job = move || {
            let _call = crate::host_access::called();
            run_late(id, item);
            drop(counted);
        };
        if let Err(job) = run_in_thread(Box::new(job)) {
            job();
        }
    }
}

/// Polls since a kernel began to wait, and their number at the last change of any kernel; `None`
/// for a kernel that does not wait.
type Polls = Option<(u64, u64)>;

/// Running kernels by number.
static KERNELS: Mutex<BTreeMap<u64, Polls>> = Mutex::new(BTreeMap::new());

/// Records a change: a kernel begins, ends or continues, so that all must poll again before a
/// deadlock is assumed.
fn changed() {
    for (polls, since) in lock(&KERNELS).values_mut().flatten() {
        *since = *polls;
    }
}

/// Decides whether a waiting launch may continue to wait for others.
#[derive(Debug)]
pub(crate) struct WaitMonitor {
    number: u64,
    /// The callback of the call that waits for the launch.
    call: Option<WaitNotice>,
    _blocked: Counted,
    /// The reason why the launch must not wait for others.
    alone: Option<&'static str>,
}

impl WaitMonitor {
    pub(crate) fn new(is_recorded: bool) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Relaxed);
        lock(&KERNELS).insert(number, None);
        changed();
        let (blocked, call) = (Counted::blocked(), wait_notice());
        let alone = match (is_recorded, settings().schedule) {
            (true, _) => Some(
                "the launch is recorded (`--record`), and a recorded launch cannot wait for what others do",
            ),
            (false, Some(_)) => Some(
                "work is done in a random order (`--schedule`), in which a launch cannot wait for what others do",
            ),
            (false, None) => None,
        };
        Self { number, call, _blocked: blocked, alone }
    }

    /// Lets the call that waits for the launch return, as on a GPU.
    fn return_from_call(&self) {
        if let Some(call) = self.call.as_ref().filter(|_| self.alone.is_none()) {
            (call.0)();
        }
    }
}

impl Drop for WaitMonitor {
    fn drop(&mut self) {
        lock(&KERNELS).remove(&self.number);
        changed();
    }
}

/// Stops this thread for good once the process exits, because memory that its kernel polls may be
/// freed any time.
fn park_if_ended() {
    while super::HAS_ENDED.load(Relaxed) {
        std::thread::park();
    }
}

impl ExternalWriters for WaitMonitor {
    fn wait(&self, polls: u64, loops: &[WaitingLoop]) -> Verdict {
        park_if_ended();
        if let Some(why) = self.alone {
            return Verdict::End(why.to_owned());
        }
        let is_first = {
            let mut kernels = lock(&KERNELS);
            let Some(kernel) = kernels.get_mut(&self.number) else { return Verdict::Wait };
            let is_first = kernel.is_none();
            *kernel = Some((polls, kernel.map_or(polls, |(_, since)| since)));
            is_first
        };
        if is_first {
            changed();
            self.return_from_call();
        }
        let all_wait = || {
            let sure = |kernel: &Polls| kernel.is_some_and(|(polls, since)| polls >= since + SURE);
            lock(&KERNELS).values().all(sure)
        };
        if !polls.is_multiple_of(SELDOM) || !all_wait() || has_other_writers(loops) || !all_wait() {
            return Verdict::Wait;
        }
        Verdict::End(match lock(&KERNELS).len() {
            1 => "the program waits for the kernel, and nobody is left who could change it"
                .to_owned(),
            n => format!(
                "the program waits, as all that run do ({}): nobody is left who could change it",
                texunit_forms::Count(n, "kernel")
            ),
        })
    }

    fn may_wait(&self) {
        park_if_ended();
        self.return_from_call();
    }

    fn resumed(&self) {
        if let Some(kernel) = lock(&KERNELS).get_mut(&self.number) {
            *kernel = None;
        }
        changed();
    }
}

/// Whether another thread of the program is running, or another process shares the polled memory.
fn has_other_writers(loops: &[WaitingLoop]) -> bool {
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return true };
    let is_own = |path: std::path::PathBuf| {
        fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim_end() == "texunit")
    };
    let threads = tasks.flatten().filter(|task| !is_own(task.path())).count();
    let beside = BUSY.load(Acquire).saturating_sub(BLOCKED_BESIDE.load(Acquire));
    threads + beside > BLOCKED.load(Acquire) || is_shared(loops)
}

/// Whether other processes may write to memory that the loops poll.
fn is_shared(loops: &[WaitingLoop]) -> bool {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return true };
    let polls = loops.iter().flat_map(|waiting| &waiting.polls);
    let addresses: Vec<u64> = polls.map(|poll| poll.address).collect();
    maps.lines().any(|line| {
        let mut words = line.split_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let number = |text| u64::from_str_radix(text, 16).ok();
        let range = range.and_then(|(from, to)| Some(number(from)?..number(to)?));
        // Memory observed by checks is mapped twice, but not shared with other processes.
        let is_shared = words.next().is_some_and(|rights| rights.ends_with('s'))
            && !line.ends_with(" /memfd:texunit (deleted)");
        is_shared && range.is_some_and(|range| addresses.iter().any(|at| range.contains(at)))
    })
}
