//! Launches that are running: who watches them while they take long.
//!
//! A thread of its own looks every [`TICK`] at what runs: it tells the run (crate `evidence`) of launches that take long,
//! so that it is known what was running if the process is ended, tells of kernels whose launches have ended,
//! cancels all launches when `texunit run` says that the time is over, and shows how far a launch is, on a terminal or in
//! lines.
//! It sleeps while nothing runs, and is not there where nobody asks for any of this.

mod progress;

use crate::launch::Shape;
use crate::module::{Function, Module};
use crate::report;
use crate::settings::settings;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use texunit_evidence::{Event, Running};
use texunit_report::CodeLocation;

pub(crate) use progress::clear;

/// Time between two looks.
const TICK: Duration = Duration::from_millis(50);
/// Launches shorter than this are not told to be running.
const LONG: Duration = Duration::from_millis(100);

/// [`Launch::told`] of one that has ended.
const OVER: u64 = u64::MAX;

/// A launch that is running.
pub(crate) struct Launch {
    /// Its number in the process, from 1.
    pub(crate) number: u64,
    /// Set when it is to end.
    pub(crate) cancel: AtomicBool,
    /// CTAs that have ended.
    pub(crate) ctas: AtomicU64,
    module: Arc<Module>,
    kernel: String,
    shape: Shape,
    start: Instant,
    /// Milliseconds at which it was told of last; 0: not yet.
    told: AtomicU64,
    /// Lines that have told how far it is.
    lines: AtomicU64,
}

struct Table {
    launches: Vec<Arc<Launch>>,
    /// The process whose thread looks at them.
    watched_in: u32,
    /// The thread sleeps until it is woken.
    sleeps: bool,
    /// The time of the run is over.
    is_over: bool,
}

impl Table {
    const fn new(watched_in: u32) -> Self {
        Self { launches: Vec::new(), watched_in, sleeps: false, is_over: false }
    }
}

static TABLE: Mutex<Table> = Mutex::new(Table::new(0));
static WAKE: Condvar = Condvar::new();
static NUMBER: AtomicU64 = AtomicU64::new(1);

fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch begins; `None` if nobody wants to know.
pub(crate) fn begin(module: &Arc<Module>, function: &Function, shape: &Shape) -> Option<Watched> {
    let shows = progress::is_shown() || progress::is_told();
    if !report::is_wanted() && !shows {
        return None;
    }
    let launch = Arc::new(Launch {
        number: NUMBER.fetch_add(1, Ordering::Relaxed),
        cancel: AtomicBool::new(false),
        ctas: AtomicU64::new(0),
        module: Arc::clone(module),
        kernel: function.kernel.name().to_owned(),
        shape: *shape,
        start: Instant::now(),
        told: AtomicU64::new(0),
        lines: AtomicU64::new(0),
    });
    if settings().evidence.is_some() || shows {
        let mut table = table();
        let process = std::process::id();
        if table.watched_in != process {
            // What a process that this one was forked from runs is not ours.
            *table = Table::new(process);
            watch();
        }
        launch.cancel.store(table.is_over, Ordering::Relaxed);
        table.launches.push(Arc::clone(&launch));
        if std::mem::take(&mut table.sleeps) {
            WAKE.notify_one();
        }
    }
    Some(Watched(launch))
}

/// A launch that ends when this is dropped.
pub(crate) struct Watched(Arc<Launch>);

impl std::ops::Deref for Watched {
    type Target = Launch;

    fn deref(&self) -> &Launch {
        &self.0
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        table().launches.retain(|launch| !Arc::ptr_eq(launch, &self.0));
        // Whoever tells of it has told by now, or sees that it is over.
        if self.told.swap(OVER, Ordering::AcqRel) != 0 {
            report::tell(Event::Ended { launch: self.number });
        }
        progress::end(self.start.elapsed());
    }
}

impl Launch {
    /// CTAs that it has.
    fn total(&self) -> u64 {
        self.shape.grid.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()))
    }

    /// Tells that it is running: first when it is taken for long, then whenever that time has doubled.
    fn tell(&self) {
        let milliseconds = self.start.elapsed().as_millis() as u64;
        let told = self.told.load(Ordering::Acquire);
        if told == OVER || milliseconds < (LONG.as_millis() as u64).max(told.saturating_mul(2)) {
            return;
        }
        let loaded = &self.module.loaded;
        let running = Running {
            launch: self.number,
            kernel: self.kernel.clone(),
            place: CodeLocation::of_function(loaded.sources(), loaded.source(), &self.kernel),
            grid: self.shape.grid,
            block: self.shape.block,
            milliseconds: milliseconds as f64,
            ctas: self.ctas.load(Ordering::Relaxed),
        };
        // Told before it is marked: a launch that ends in the meantime is not marked any more, and its end told here.
        report::tell(Event::Running(running));
        let marked =
            self.told.compare_exchange(told, milliseconds, Ordering::AcqRel, Ordering::Acquire);
        if marked.is_err() {
            report::tell(Event::Ended { launch: self.number });
        }
    }
}

/// Starts a thread of texunit's. All signals are the program's: none is delivered to it.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let before = signals::block_all();
    let thread = std::thread::Builder::new().name("texunit".to_owned()).spawn(work);
    signals::restore(&before);
    thread.map(|_| ())
}

/// Starts the thread that watches.
fn watch() {
    let thread = spawn(look);
    if let Err(error) = thread {
        crate::call::say(format_args!("launches are not watched: {error}"));
    }
}

fn look() {
    let mut looks = 0_u64;
    loop {
        let launches = {
            let mut table = table();
            while table.sleeps {
                table = WAKE.wait(table).unwrap_or_else(PoisonError::into_inner);
            }
            table.launches.clone()
        };
        if settings().evidence.is_some() {
            launches.iter().for_each(|launch| launch.tell());
        }
        let has_news = report::is_wanted() && report::flush_at_times();
        if !launches.is_empty() && is_over() {
            let mut table = table();
            table.is_over = true;
            table.launches.iter().for_each(|l| l.cancel.store(true, Ordering::Relaxed));
        }
        looks += 1;
        if looks.is_multiple_of(2) {
            progress::show(&launches);
            progress::tell(&launches);
        }
        drop(launches);
        let mut table = table();
        table.sleeps = table.launches.is_empty() && !has_news;
        drop(table);
        std::thread::sleep(TICK);
    }
}

/// Whether `texunit run` says that the time is over, or one that this one runs inside.
fn is_over() -> bool {
    settings().evidence.as_deref().is_some_and(texunit_evidence::is_over)
}

pub(crate) mod signals {
    use std::mem::MaybeUninit;

    /// Signals that a thread has blocked.
    pub(crate) struct Blocked(libc::sigset_t);

    /// Blocks all signals in the calling thread; what it had blocked before.
    pub(crate) fn block_all() -> Blocked {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::zeroed());
        // SAFETY: both sets are ours, the first one is filled before it is read, and the second one is a set of
        // signals as it is, an empty one.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            Blocked(before.assume_init())
        }
    }

    pub(crate) fn restore(before: &Blocked) {
        // SAFETY: a set that the system has given.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before.0, std::ptr::null_mut())
        };
    }
}
